"""Counts of a run: each trace is one of these."""

from dataclasses import dataclass, field

from .ended import Ended


@dataclass
class Tally:
    """Of so many traces with so many bytes."""

    traces: int
    bytes: int
    done: int = 0
    skipped: int = 0
    failed: int = 0
    bytes_ended: int = 0
    lost: list[Ended] = field(default_factory=list)

    def take(self, ended: Ended) -> None:
        """Counts a trace that has ended."""
        self.bytes_ended += ended.trace["bytes"] or 0
        status = ended.said["status"] if ended.said else "lost"
        if status == "lost":
            self.lost.append(ended)
        elif status == "failed":
            self.failed += 1
        elif status == "skipped":
            self.skipped += 1
        else:
            self.done += 1

    @property
    def ended(self) -> int:
        """Traces that are through."""
        return self.done + self.skipped + self.failed + len(self.lost)

    @property
    def exit_code(self) -> int:
        """0: every trace is in the dataset."""
        return 2 if self.failed or self.lost else 0

    def text(self) -> str:
        """The line at the end."""
        lost = f", {len(self.lost)} lost" if self.lost else ""
        return f"{self.ended} traces: {self.done} done, {self.skipped} done before, {self.failed} failed{lost}"
