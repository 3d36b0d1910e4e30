"""What Ray prints of its own accord, of retries and dead machines: on standard error, without colours."""

import io
import re
from typing import TextIO

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Notices(io.TextIOBase):
    """Stands in for standard output, which is for the result."""

    def __init__(self, stream: TextIO | None):
        self.stream = stream

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.stream is not None:
            self.stream.write(COLOUR.sub("", text))
        return len(text)

    def flush(self) -> None:
        if self.stream is not None:
            self.stream.flush()
