"""A document that is the end of a longer one: where end lines are missing, each holds all that those after it hold."""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from conll.document import Document
from conll.errors import ConllError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from conll.document import Mention
    from conll.source import Source

    class Longest(Protocol):
        """What the longest of several documents holds that end together; tokens are counted from its beginning.

        `clusters` in the order in which their ids are met. `met` has the token of each piece that begins a mention, in order,
        `starts` the first token of each mention.
        `repeated` are the clusters with mentions that are there more than once, and the places of these; `repeats` is the last
        token on which one of them starts, -1 if there is none.
        """

        clusters: list[Cluster]
        met: list[int]

        @property
        def starts(self) -> list[int]: ...

        @property
        def repeated(self) -> list[tuple[Cluster, list[int]]]: ...
        @property
        def repeats(self) -> int: ...

        def clusters_from(self, begin: int) -> Iterator[tuple[int, Cluster]]:
            """The clusters that are met from that token on, in the order in which they are, and the piece that does so."""

        def discarded_from(self, begin: int) -> list[str]:
            """The double antecedents that stand there."""


class Cluster:
    """The mentions with one id in the order in which they end, and the lines on which they start.

    `met` are the numbers of the pieces that begin one, `open` the tokens, lines and texts of the starts that are open.
    """

    __slots__ = ("label", "lines", "mentions", "met", "open")

    def __init__(self, label: str) -> None:
        self.label = label
        self.met: list[int] = []
        self.mentions: list[Mention] = []
        self.lines: list[int] = []
        self.open: list[tuple[int, int, bytes]] = []

    def place(self, begin: int) -> int:
        """The first of its mentions that starts at that token or later; so do all that follow, if none lies across it."""
        return bisect_left(self.mentions, begin, key=itemgetter(0))


LISTED = 1_000_000
"""How many mentions are listed that a longer document has listed already: more take minutes, and gigabytes."""
COUNTED = 10_000_000
"""How many are counted once more where each document is counted by itself: more take minutes."""
ALIGNED = 5_000_000
"""Among how many pairs of clusters alignments are sought, in all documents that hold each other: more take minutes."""


class Tail(Document):
    """The end of the `longest`, from its token `begin` on. What it shares with that is copied when it is first asked for.

    So many such documents take no more room than their file, as long as only what differs between them is asked for.
    """

    __slots__ = ("begin", "longest")

    _COPIED = ("clusters", "discarded", "labels", "lines")

    def __init__(self, longest: Longest, begin: int, name: str, **fields: Any) -> None:
        super().__init__(name, [], **fields)
        self.longest = longest
        self.begin = begin
        for field in self._COPIED:
            delattr(self, field)

    def __getattr__(self, name: str) -> Any:
        if name not in self._COPIED:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        begin = self.begin
        parts = [(cluster, cluster.place(begin)) for _, cluster in self.longest.clusters_from(begin)]
        while parts and parts[-1][1] == len(parts[-1][0].mentions):
            parts.pop()
        self.clusters = [[(start - begin, end - begin) for start, end in cluster.mentions[at:]] for cluster, at in parts]
        self.lines = [cluster.lines[at:] for cluster, at in parts]
        self.labels = [cluster.label for cluster, _ in parts]
        self.discarded = self.longest.discarded_from(begin)
        return getattr(self, name)

    @property
    def mentions(self) -> int:
        """How many mentions it holds."""
        return len(self.longest.starts) - bisect_left(self.longest.starts, self.begin)

    def repeating(self) -> Document:
        """The same with no other mentions than those that it holds more than once."""
        number = bisect_left(self.longest.met, self.begin)
        found = []
        for cluster, repeated in self.longest.repeated:
            places = [at for at in repeated if cluster.mentions[at][0] >= self.begin]
            if places:
                found.append((cluster.met[bisect_left(cluster.met, number)], cluster, places))
        found.sort(key=itemgetter(0))
        return Document(
            self.name,
            [[(start - self.begin, end - self.begin) for start, end in map(one.mentions.__getitem__, at)] for _, one, at in found],
            lines=[[cluster.lines[at] for at in places] for _, cluster, places in found],
            labels=[cluster.label for _, cluster, _ in found],
            path=self.path,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _whole, tuple(getattr(self, field) for field in _FIELDS)


def shift_of(key: Document, response: Document) -> int | None:
    """How far the tokens of one side are from those of the other, counted in the longest of each; None if one ends by itself."""
    return key.begin - response.begin if isinstance(key, Tail) and isinstance(response, Tail) else None


def running_on(source: Source, names: Iterable[str]) -> Iterator[Document]:
    """Those of the documents with these names that hold others, but for any that cannot be read."""
    for name in filter(source.runs_on, names):
        try:
            document = source.document(name)
        except ConllError:
            # Whoever reads the documents in their order says which is wrong.
            continue
        if document is not None:
            yield document


def check_listed(documents: Iterable[Document]) -> None:
    """ConllError where those of these that hold others hold too many mentions again to list all of each."""
    _check(documents, LISTED, "list")


def check_counted(documents: Iterable[Document]) -> None:
    """ConllError where those of these that hold others hold too many mentions again to count each by itself."""
    _check(documents, COUNTED, "count one document at a time")


def _check(documents: Iterable[Document], most: int, use: str) -> None:
    """ConllError where more than so many mentions of these are those of a longer one, too; `use` says what they are too many to."""
    first: Tail | None = None
    number = mentions = 0
    own: dict[Longest, int] = {}
    for document in documents:
        if isinstance(document, Tail):
            first = first or document
            number += 1
            mentions += document.mentions
            own[document.longest] = max(document.mentions, own.get(document.longest, document.mentions))
    if first is None or mentions - sum(own.values()) <= most:
        return
    raise _endless(first, number, f"{mentions} mentions, too many to {use}")


def check_aligned(pairs: int, documents: Sequence[Tail]) -> None:
    """ConllError where these documents, the longest last, have made so many pairs of clusters to align."""
    if pairs > ALIGNED:
        raise _endless(documents[-1], len(documents), "their clusters overlap with ever more others, too many to align each time")


def _endless(first: Tail, number: int, problem: str) -> ConllError:
    """The error of so many documents that hold each other, of which that is the first."""
    text = f"{number} documents from here on have no end, so each holds all that follow: {problem}; write the missing #end document"
    return ConllError(first.path, first.swallowed[0], text, document=first.name)


_FIELDS = ("name", "clusters", "tokens", "words", "lines", "labels", "discarded", "unclosed", "swallowed", "ended", "path", "line")


def _whole(name: str, clusters: Any, tokens: int | None, *fields: Any) -> Document:
    """A copy, which holds all that it says."""
    return Document(name, clusters, tokens, **dict(zip(_FIELDS[3:], fields)))
