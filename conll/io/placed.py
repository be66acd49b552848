"""Files that keep track of their own position, so that processes which share one do not move each other's."""

from __future__ import annotations

import io
import os

from conll.io.system import read_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from typing_extensions import Buffer

BUFFER = 1 << 13
"""The fewest bytes that are read at a time."""


class NamelessFile:
    """A temporary file that no folder shows; it disappears with the last process that has it open, however that ends."""

    def __init__(self) -> None:
        from tempfile import TemporaryFile

        self.file: BinaryIO = TemporaryFile(buffering=0)  # noqa: SIM115  closed below

    def write(self, data: Buffer) -> int:
        """Write all of it; OSError, with the path of the temporary folder, where that is full."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self.file.write(rest) :]
        except OSError as error:
            from tempfile import gettempdir

            advice = "free some of this folder for temporary files, or name another in TMPDIR"
            raise OSError(error.errno, f"{error.strerror}; {advice}", gettempdir()) from None
        return memoryview(data).nbytes

    def part(self, begin: int) -> BinaryIO:
        """What was written from `begin` on, as a file of its own, with a position of its own in each process."""
        return io.BufferedReader(PartFile(self, begin, self.file.tell()), BUFFER)

    def __del__(self) -> None:
        self.file.close()


class PlacedFile(io.RawIOBase):
    """A file of known size that keeps track of its own position, so that each process has its own."""

    _at = 0
    _size: int

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class PartFile(PlacedFile):
    """The bytes of a nameless file between two offsets."""

    def __init__(self, whole: NamelessFile, begin: int, end: int) -> None:
        super().__init__()
        self._whole = whole
        self._begin = begin
        self._size = end - begin

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        count = max(0, min(len(buffer), self._size - self._at))
        data = read_at(self._whole.file.fileno(), count, self._begin + self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
