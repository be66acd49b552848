"""The content of a file as sources read it: all of it piece by piece, or ranges of it that travel along; and standard input."""

from __future__ import annotations

import errno
import io
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

_CHUNK = 1 << 20


class Excerpts:
    """Ranges of a file's bytes, with the methods that sources read with; each read stays within one range."""

    def __init__(self, ranges: list[tuple[int, bytes]]) -> None:
        self._ranges = sorted(ranges)
        self._at = 0

    def seek(self, offset: int) -> int:
        """Go to an offset in the whole file."""
        self._at = offset
        return offset

    def read(self, size: int) -> bytes:
        """The next `size` bytes, or those up to the end of the range."""
        data = self._rest()[:size]
        self._at += len(data)
        return data

    def __iter__(self) -> Iterator[bytes]:
        return io.BytesIO(self._rest())

    def _rest(self) -> bytes:
        from bisect import bisect_right

        number = bisect_right(self._ranges, self._at, key=lambda one: one[0]) - 1
        start, data = self._ranges[number]
        return data[self._at - start :]


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """All bytes of a file from its beginning, piece by piece; ConllError when it has changed since it was opened."""
    file.seek(0)
    while chunk := file.read(_CHUNK):
        yield chunk
    # A server is asked only now and then while reading, so ask it once more at the end.
    check = getattr(getattr(file, "raw", None), "check", None)
    if check is not None:
        check()


def standard_input() -> BinaryIO:
    """Standard input as a binary file; OSError where the caller has closed it."""
    stdin: Any = sys.stdin
    if stdin is None:
        raise OSError(errno.EBADF, "it is closed", "<stdin>")
    file: BinaryIO = getattr(stdin, "buffer", stdin)
    return file
