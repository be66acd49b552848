"""Counts many spans with numpy: those of files that it can read, and of documents that are read one by one and gathered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from conll.arrays import ArraySource, Irregular
from conll.errors import ConllError
from scorer.engine import stream
from scorer.run.chains import chains_of
from scorer.run.span_arrays import ScannedSpans
from scorer.run.span_batch import Gathered, SpanBatch, Texts
from scorer.run.span_reader import Spans, are_scanned, problems_found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conll.errors import Problem
    from scorer.run.score import WholeCorpus
    from scorer.run.span_reader import Lists
    from scorer.spans.muc7 import ChainCounts
    from scorer.spans.scores import SpanSettings

    Watch = Callable[[Iterable[str]], Iterable[str]]


class BatchTally(Protocol):
    """What is made of batches, one after the other."""

    def add(self, batch: SpanBatch) -> None:
        """Count these documents."""


TallyT = TypeVar("TallyT", bound=BatchTally)


def tallied(
    corpora: Sequence[WholeCorpus],
    settings: Sequence[SpanSettings],
    names: Sequence[str] | None,
    tally: Callable[[], TallyT],
    watch: Watch | None = None,
    *,
    chains: bool = False,
) -> tuple[TallyT, list[Problem]] | None:
    """What a tally makes of all documents, or of those of these names, and what is odd about them; None where plain Python has to.

    All corpora have the same key. Each of the settings tells which spans to read, by its `of`; the rest are the same in all.
    `watch` wraps the names of documents that are read one by one. `chains`: whether batches have those. ValueError where no
    document has the field to group by.
    """
    sources = [corpora[0].key, *(corpus.response for corpus in corpora)]
    scanned = are_scanned(corpora, settings[0])
    # Of a directory the index is needed in any case.
    if scanned and names is None and all(isinstance(source, ArraySource) and not source.odd for source in sources):
        try:
            return _tallied(ScannedSpans(corpora, settings, chains=chains), None, tally())
        except (Irregular, ConllError):
            # If several documents are malformed, the one to name is the first in the order of the index.
            pass
    asked = corpora[0].names if names is None else names
    if scanned:
        return _tallied(ScannedSpans(corpora, settings, chains=chains), asked, tally())
    try:
        return _tallied(_OneByOne(corpora, settings, watch, chains=chains), names, tally())
    except Irregular:
        return None


def _tallied(reader: ScannedSpans | _OneByOne, names: Sequence[str] | None, found: TallyT) -> tuple[TallyT, list[Problem]]:
    for batch in reader.batches(names):
        found.add(batch)
    reader.check_field(names)
    return found, reader.problems(names)


class _OneByOne:
    """Reads the documents one by one, and gathers so many of them that numpy is quicker."""

    def __init__(
        self, corpora: Sequence[WholeCorpus], settings: Sequence[SpanSettings], watch: Watch | None, *, chains: bool
    ) -> None:
        self._corpora = corpora
        self._settings = settings
        self._chains = chains
        self._watch = watch
        self._readers = [Spans(corpus, settings) for corpus in corpora]
        self._labels, self._groups = Texts(), Texts()

    def batches(self, names: Sequence[str] | None) -> Iterator[SpanBatch]:
        """Those of all documents, or of these."""
        waiting = _Waiting(self._settings, self._labels, self._groups, len(self._corpora) + 1)
        names = self._names(names)
        for name in self._watch(names) if self._watch else names:
            read = [reader.read(name) for reader in self._readers]
            waiting.add(name, [lists for _, lists in read])
            if self._chains:
                waiting.chains.append(chains_of(*read[0][0]))
            if len(waiting) >= stream.BATCH:
                yield waiting.batch()
                waiting = _Waiting(self._settings, self._labels, self._groups, len(self._corpora) + 1)
        yield waiting.batch()

    def check_field(self, names: Sequence[str] | None) -> None:
        """As `Spans.check_field`."""
        self._readers[0].check_field(self._names(names))

    def problems(self, names: Sequence[str] | None) -> list[Problem]:  # noqa: ARG002  as those of `ScannedSpans`
        """What is odd about the documents, after all are read."""
        of_files = [one for corpus in self._corpora for one in problems_found(corpus, self._settings[0].documents)]
        return of_files + [problem for reader in self._readers for problem in reader.problems]

    def _names(self, names: Sequence[str] | None) -> Sequence[str]:
        return self._corpora[0].names if names is None else names


class _Waiting:
    """Documents that wait to be counted."""

    def __init__(self, settings: Sequence[SpanSettings], labels: Texts, groups: Texts, sides: int) -> None:
        self._texts = labels, groups
        self._names: list[str] = []
        self._spans = {one.of: [Gathered(labels, groups) for _ in range(sides)] for one in settings}
        self.chains: list[ChainCounts] = []

    def __len__(self) -> int:
        """How many spans they have, of all sides."""
        return sum(len(side) for sides in self._spans.values() for side in sides)

    def add(self, name: str, read: Sequence[Sequence[Lists]]) -> None:
        """Add a document: its spans beside each response, as each of the settings asks."""
        for at, sides in enumerate(self._spans.values()):
            lists = [read[0][at][0], *(of_response[at][1] for of_response in read)]
            for side, one in zip(sides, lists):
                side.add(len(self._names), one)
        self._names.append(name)

    def batch(self) -> SpanBatch:
        """All of them; Irregular as of `Gathered.columns`."""
        spans = {of: [side.columns() for side in sides] for of, sides in self._spans.items()}
        return SpanBatch(self._names, spans, list(self._texts[0]), list(self._texts[1]), self.chains)
