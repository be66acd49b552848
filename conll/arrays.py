"""Sources of large files: documents in file order without index, their brackets as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conll.source import IndexedSource, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from conll.source import Entry

    Ints = NDArray[np.signedinteger[Any]]

    Mark = tuple[int, int, int, str | None]
    """A line that begins a document or ends one (name None): lines before it, its offset, the next
    line's offset, the name."""

SINGLE, START, END = 0, 1, 2
"""The kinds of pieces: a mention of one token, and the two ends of one of several."""


class Irregular(Exception):  # noqa: N818  nothing is wrong: the caller is to take another way
    """The file is not a simple sequence of closed documents."""


class OutOfStepError(Exception):
    """A file is no simple sequence of closed documents, or two files differ: index them."""


class Pieces:
    """The pieces of a sequence of documents, in file order.

    `names`, `places`, `tokens`, `odd` and `counts` have one entry per document: `places` is the
    file offset of what follows its first line and the number of that line, `counts` how many pieces
    it holds. The others have one entry per piece: `token`, `kind` (SINGLE, START or END) and
    `code`, equal for two pieces of a document that carry the same id.
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
        """`token`, `kind` and `code`, which this object gives up."""
        columns = self.token, self.kind, self.code
        self.token = self.kind = self.code = self.token[:0].copy()
        return columns


class PieceScanner(ABC):
    """Scan documents one after the other.

    `fill` reads on, `documents` is the number of complete ones, `take` hands them over.
    """

    finished = False
    """Whether there is nothing more to read."""
    irregular: AbstractSet[str] = frozenset()
    """Names of documents that come without pieces because they have no end line of their own."""

    @property
    @abstractmethod
    def documents(self) -> int:
        """How many documents are complete."""

    @property
    @abstractmethod
    def pieces(self) -> int:
        """How many pieces the documents hold that are complete or being read."""

    @abstractmethod
    def names(self, documents: int) -> list[str]:
        """Names of the first `documents` complete documents."""

    @abstractmethod
    def fill(self) -> None:
        """Read the next stretch; `finished` says when there is none left. Raises Irregular."""

    @abstractmethod
    def take(self, documents: int) -> Pieces:
        """Hand over the first `documents` complete documents."""


class ArraySource(IndexedSource):
    """A source that lists documents in file order without an index, and reads many with numpy."""

    @property
    @abstractmethod
    def indexed(self) -> bool:
        """Whether the index has been made."""

    @abstractmethod
    def about_mentions(self) -> int:
        """About how many mentions the file holds, by its beginning."""

    @abstractmethod
    def scanner(
        self,
        names: Iterable[str] | None = None,
        within: Source | None = None,
        *,
        noting: bool = False,
    ) -> PieceScanner:
        """Scan the whole file, or the documents of these names, where a missing one is empty.

        The documents may lie in any of the files of `within`, see `files_of`. `noting`: note what
        makes `same_text` quicker.
        """

    @abstractmethod
    def remember_text(self) -> None:
        """Keep what `same_text` needs of each document that was scanned, for many comparisons.

        Takes as much memory as the file.
        """

    @abstractmethod
    def label_of(self, code: int) -> str:
        """The id that a code of `Pieces` stands for."""

    @abstractmethod
    def lines_from(self, body: int, stop: int, line: int, tokens: set[int]) -> dict[int, int]:
        """Find the lines of these tokens in a document that begins on `line`.

        Its other lines lie between the offsets `body` and `stop`.
        """

    @abstractmethod
    def only(self, entries: Sequence[Entry]) -> ArraySource:
        """The same open file with only the documents of these entries."""

    @abstractmethod
    def closed(self) -> Iterator[Entry]:
        """The documents one by one, without an index.

        OutOfStepError at one that has not ended before the next begins.
        """


def files_of(source: Source) -> list[ArraySource]:
    """Return the files of a source, if one scanner can read all of them as arrays; else none."""
    files = getattr(source, "sources", [source])
    return (
        files
        if all(isinstance(file, ArraySource) for file in files) and len({*map(type, files)}) == 1
        else []
    )


def scanner_of(source: Source, names: Iterable[str], *, noting: bool = False) -> PieceScanner:
    """A scanner of the documents with these names in the `files_of` a source.

    As that of each file otherwise.
    """
    any_file: ArraySource = getattr(source, "sources", [source])[0]
    return any_file.scanner(names, within=source, noting=noting)


def in_step(keys: Iterable[Entry], responses: Iterable[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """The entries of two files in pairs, each of the same document.

    OutOfStepError at the first pair that differs.

    The caller must still check that no name comes twice.
    """
    from itertools import zip_longest

    for key, response in zip_longest(keys, responses):
        if key is None or response is None or key.name != response.name:
            raise OutOfStepError
        yield key, response
