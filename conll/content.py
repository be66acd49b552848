"""The content of a file as sources read it: all of it piece by piece, or ranges of it that are carried along."""

from __future__ import annotations

import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_CHUNK = 1 << 20


class Excerpts:
    """Ranges of the bytes of a file, carried along; it has the methods by which sources read, within one range at a time."""

    def __init__(self, ranges: list[tuple[int, bytes]]) -> None:
        self._ranges = sorted(ranges)
        self._at = 0

    def seek(self, offset: int) -> int:
        """Go to an offset of the whole file."""
        self._at = offset
        return offset

    def read(self, size: int) -> bytes:
        """So many bytes, or up to the end of the range."""
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
    """All bytes of a file from its beginning, piece by piece; ConllError when it is another one than at first."""
    file.seek(0)
    while chunk := file.read(_CHUNK):
        yield chunk
    # A server is asked now and then only, and in the end.
    check = getattr(getattr(file, "raw", None), "check", None)
    if check is not None:
        check()
