"""The words of many documents at once, as bytes, to see which documents of two files have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]
    Bytes = NDArray[np.uint8]


class Wording:
    """The words of a sequence of documents: the `size` of each in bytes, and the bytes themselves, one word after the other.

    `words`: how many each document has; -1, with none of them here, for one whose words were not read.
    """

    __slots__ = ("_ends", "size", "text", "words")

    def __init__(self, words: Ints, size: Ints, text: Bytes) -> None:
        self.words = words
        self.size = size
        self.text = text
        self._ends: tuple[Ints, Ints] | None = None
        """Where the words of each document end, and where their bytes do."""

    def alike(self, other: Wording) -> list[int]:
        """The places of the documents that both have read, and of which both have the same words."""
        same = (self.words >= 0) & (self.words == other.words)
        if same.all() and _same((self.size, self.text), (other.size, other.text)):
            return np.flatnonzero(same).tolist()
        return [at for at in np.flatnonzero(same).tolist() if _same(self._of(at), other._of(at))]

    def _of(self, at: int) -> tuple[Ints, Bytes]:
        """The sizes and the bytes of the words of one document."""
        if self._ends is None:
            words = np.append(0, np.cumsum(np.maximum(self.words, 0)))
            self._ends = words, np.append(0, np.cumsum(self.size))[words]
        (words, last), (text, end) = (some[at : at + 2].tolist() for some in self._ends)
        return self.size[words:last], self.text[text:end]


def _same(one: tuple[Ints, Bytes], other: tuple[Ints, Bytes]) -> bool:
    return np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])
