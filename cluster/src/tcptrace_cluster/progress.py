"""What is told on stderr while a run goes on."""

import json
import sys
import time
from typing import TextIO

from .ended import Ended
from .tally import Tally

# Between two lines of progress where stderr is no terminal, seconds.
PERIOD = 30.0


class Progress:
    """A line that is drawn over on a terminal, one now and then elsewhere; failures as they come."""

    def __init__(self, tally: Tally, log_json: bool, quiet: bool, stream: TextIO = sys.stderr):
        self.tally = tally
        self.log_json = log_json
        self.stream = stream
        self.since = self.drawn = time.monotonic()
        self.shows = not quiet and not log_json
        self.on_terminal = stream.isatty()
        self.line = ""

    def ended(self, ended: Ended) -> None:
        """A trace has ended and is counted."""
        name = ended.trace["trace"]
        if self.log_json:
            said = ended.said or {"trace": name, "status": "lost", "failures": [], "reason": ended.lost}
            self.say(json.dumps({**said, "finished": self.tally.ended, "traces": self.tally.traces}))
        elif ended.said is None:
            self.say(f"error: {name}: lost: {ended.lost}")
        else:
            for failure in ended.said["failures"]:
                named = failure["file"] in failure["reason"]
                self.say("error: " + ("" if named else f"{failure['file']}: ") + failure["reason"])

    def tick(self) -> None:
        """Some time has passed."""
        now = time.monotonic()
        if not self.shows or (not self.on_terminal and now - self.drawn < PERIOD):
            return
        self.drawn = now
        if self.on_terminal:
            self.draw(self.state(now))
        else:
            self.say(self.state(now))

    def close(self) -> None:
        """Takes the line away."""
        self.draw("")

    def state(self, now: float) -> str:
        """How far the run is."""
        tally, took = self.tally, now - self.since
        parts = [f"{tally.ended} of {tally.traces} traces"]
        if tally.failed:
            parts.append(f"{tally.failed} failed")
        if tally.lost:
            parts.append(f"{len(tally.lost)} lost")
        parts.append(f"{size(tally.bytes_ended)} of {size(tally.bytes)}")
        if tally.bytes_ended and took > 0:
            rate = tally.bytes_ended / took
            parts += [f"{size(rate)}/s", f"ETA {clock((tally.bytes - tally.bytes_ended) / rate)}"]
        return ", ".join(parts)

    def say(self, text: str) -> None:
        """Writes a line above the progress."""
        line = self.line
        self.draw("")
        print(printable(text), file=self.stream, flush=True)
        self.draw(line)

    def draw(self, line: str) -> None:
        """Draws the line over what was there."""
        if self.on_terminal and line != self.line:
            print("\r" + line + " " * (len(self.line) - len(line)) + ("" if line else "\r"), end="", file=self.stream, flush=True)
        self.line = line


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ["B", "kB", "MB", "GB"]:
        if count < 1_000:
            return f"{count:.3g} {unit}"
        count /= 1_000
    return f"{count:.3g} TB"


def clock(seconds: float) -> str:
    """Time left."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def printable(text: str) -> str:
    """Names and reasons come from captures: no control characters of theirs reach the terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
