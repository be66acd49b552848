"""What a source gives to who scores large files: its documents in file order without an index, and their brackets as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conll.source import FileSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]

    Mark = tuple[int, int, int, str | None]
    """A line that begins a document, with its name, or ends one: lines before it, its offset, the offset of the next line, name."""

SINGLE, START, END = 0, 1, 2
"""The kinds of pieces: a mention of one token, and the two ends of one of several."""


class Irregular(Exception):  # noqa: N818  it tells the caller to take another way, nothing is wrong
    """The file is not a plain sequence of closed documents."""


class OutOfStepError(Exception):
    """The file, or a pair of files, is not a plain sequence of the same closed documents; an index is needed."""


class Entry:
    """Where one document lies in its file.

    `line` is the line (from 1) of its beginning; `body` and `stop` are the byte offsets of what follows that line and of the
    line that ends the document; `ended` says whether there is one. `swallowed` holds the first line between that begins
    another document, if one does: all of them, in a file without end lines, would be as many as its documents squared.
    """

    __slots__ = ("body", "ended", "line", "name", "stop", "swallowed")

    def __init__(self, name: str, line: int, body: int) -> None:
        self.name = name
        self.line = line
        self.body = body
        self.stop = -1
        self.ended = False
        self.swallowed: list[int] = []


class Pieces:
    """The pieces of a sequence of documents, in file order.

    `names`, `places`, `tokens`, `odd` and `counts` have an entry a document: `places` the offset in its file of what follows its
    first line and the number of that line, `counts` how many pieces it holds. The others have an
    entry a piece: `token`, `kind` (SINGLE, START or END) and `code`, equal for two pieces of a document that carry the same id.
    """

    __slots__ = ("code", "counts", "kind", "names", "odd", "places", "token", "tokens")

    def __init__(
        self,
        names: list[str],
        places: list[tuple[int, int]],
        tokens: list[int],
        odd: list[bool],
        counts: list[int],
        token: Ints,
        kind: Ints,
        code: Ints,
    ) -> None:
        self.names = names
        self.places = places
        self.tokens = tokens
        self.odd = odd
        self.counts = counts
        self.token = token
        self.kind = kind
        self.code = code

    def columns(self) -> tuple[Ints, Ints, Ints]:
        """`token`, `kind` and `code`, which this object then no longer holds."""
        columns = self.token, self.kind, self.code
        self.token = self.kind = self.code = self.token[:0].copy()
        return columns


class PieceScanner(ABC):
    """Scans documents one after the other: `fill` reads on, `documents` says how many are complete, `take` hands them over."""

    finished = False
    """Whether there is nothing more to read."""
    irregular: AbstractSet[str] = frozenset()
    """Names of documents that come without pieces, as they have no end of their own."""

    @property
    @abstractmethod
    def documents(self) -> int:
        """Documents that are complete."""

    @property
    @abstractmethod
    def pieces(self) -> int:
        """Pieces of the documents that are complete or being read."""

    @abstractmethod
    def names(self, documents: int) -> list[str]:
        """Names of the first `documents` complete documents."""

    @abstractmethod
    def fill(self) -> None:
        """Read the next stretch; `finished` tells when there is none. Raises Irregular."""

    @abstractmethod
    def take(self, documents: int) -> Pieces:
        """Hand over the first `documents` complete documents."""


class ArraySource(FileSource):
    """A source of large files: without an index it tells its documents in file order, and with numpy it reads many at once."""

    @property
    @abstractmethod
    def indexed(self) -> bool:
        """Whether the index is made already."""

    @abstractmethod
    def scanner(self, names: Iterable[str] | None = None) -> PieceScanner:
        """Scans the whole file; or the documents of these names in that order, of which a missing one is empty."""

    @abstractmethod
    def label_of(self, code: int) -> str:
        """The id that a code of `Pieces` stands for."""

    @abstractmethod
    def lines_from(self, body: int, stop: int, line: int, tokens: set[int]) -> dict[int, int]:
        """The lines on which tokens stand of a document that begins on `line` and whose other lines lie between two offsets."""

    @abstractmethod
    def only(self, entries: Sequence[Entry]) -> ArraySource:
        """The same open file with the documents of these entries alone."""

    @abstractmethod
    def part_of(self, entries: Sequence[Entry]) -> ArraySource:
        """`part` for entries, whether or not the index is made."""

    @abstractmethod
    def marked(self, start: int, stop: int) -> tuple[list[Mark], int]:
        """The marks on the lines that begin from one offset up to another, and how many lines there are."""

    @abstractmethod
    def set_index(self, stretches: Iterable[tuple[list[Mark], int]]) -> None:
        """Take the index from what `marked` found in consecutive stretches of the whole file."""

    @abstractmethod
    def closed(self, stretches: Iterable[tuple[list[Mark], int]] | None = None) -> Iterator[Entry]:
        """The documents one by one, without an index; OutOfStepError at one that is not ended before the next begins.

        They come from what `marked` found in consecutive stretches of the whole file, or from reading it.
        """


def in_step(keys: Iterable[Entry], responses: Iterable[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """The entries of the same documents of two files; OutOfStepError at the first that differ.

    The names must still be looked through for one that comes twice.
    """
    from itertools import zip_longest

    for key, response in zip_longest(keys, responses):
        if key is None or response is None or key.name != response.name:
            raise OutOfStepError
        yield key, response
