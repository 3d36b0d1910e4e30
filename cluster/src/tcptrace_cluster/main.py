"""The driver: finds the traces, has each analysed, has the summary written."""

import contextlib
import os
import signal
import sys
from typing import TextIO

from .arguments import Command, parse
from .engine import Engine, Refused
from .notices import Notices
from .progress import Progress, printable
from .tally import Tally

# So many traces lost before any has come through: it is the cluster that is not in order.
HOPELESS = 20


def main() -> int:
    """Runs the command line, and gives the exit code."""
    command = parse(sys.argv[1:], dict(os.environ))
    results = sys.stdout
    with contextlib.redirect_stdout(Notices(None if command.log_json or command.quiet else sys.stderr)):
        return drive(command, results)


def drive(command: Command, results: TextIO) -> int:
    """Connects, works, leaves."""
    engine = None
    try:
        stdin = sys.stdin.read() if "-" in command.inputs else ""
        engine = Engine(command)
        # What stops pods and jobs stops tasks as Ctrl-C does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        return work_through(engine, command, stdin, results)
    except Refused as error:
        tell(str(error).removeprefix("error: "), "error")
        return 2
    except KeyboardInterrupt:
        if engine is not None:
            engine.cancel()
        tell("interrupted: what is in the dataset is whole; the same command goes on", "error")
        return 130
    finally:
        if engine is not None:
            engine.close()


def work_through(engine: Engine, command: Command, stdin: str, results: TextIO) -> int:
    """All traces, then the summary."""
    for warning in engine.warnings():
        tell(warning, "warning")
    traces, version = engine.find(stdin)
    tally = Tally(traces=len(traces), bytes=sum(trace["bytes"] or 0 for trace in traces))
    progress = Progress(tally, command.log_json, command.quiet)
    try:
        for ended in engine.analyse(traces, version):
            if ended is not None:
                tally.take(ended)
                progress.ended(ended)
            if len(tally.lost) >= HOPELESS and len(tally.lost) == tally.ended:
                engine.cancel()
                raise Refused(f"the first {HOPELESS} traces were all lost, the rest is not tried")
            progress.tick()
    finally:
        progress.close()
    if tally.lost:
        try:
            engine.record(tally.lost)
            tell(f"{len(tally.lost)} lost traces are failures in the dataset; the same command tries them again", "warning")
        except Refused as error:
            tell(f"the dataset says nothing of {len(tally.lost)} lost traces: {error}", "warning")
    summary = engine.summarize()
    print(f"{tally.text()}\n\n{summary}", end="", file=results, flush=True)
    return tally.exit_code


def tell(text: str, what: str) -> None:
    """Says it on stderr."""
    lines = [printable(line) for line in text.splitlines()]
    print(f"{what}: " + "\n".join(lines), file=sys.stderr, flush=True)
