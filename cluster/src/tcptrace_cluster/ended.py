"""How a trace ended."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    """With the program's line about it, or lost for this reason: what it ran on died, and so did all other tries."""

    trace: dict
    said: dict | None
    lost: str | None
