"""Documents that end together, as their files lack end lines: found here, and counted by `scorer.engine.tails` where that pays.

Each holds all that those after it hold, so that counting them one by one takes time that grows with the square of their number.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import ConllError
from conll.syntax import is_span
from conll.tail import Tail, check_counted, shift_of
from scorer.count.contingency import DocumentContingency

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol

    from conll.source import Source
    from scorer.count.contingency import Fate
    from scorer.count.metric import Metric
    from scorer.evaluation.evaluation import DocumentScore, Evaluation

    Pair = tuple[Document, Document]
    Group = dict[str, Pair]

    class PairsByName(Protocol):
        """What is asked of a `scorer.engine.corpus.Corpus`, which keeps what was found."""

        key: Source
        response: Source
        bounded: bool
        together: Together | None

        @property
        def names(self) -> list[str]: ...

        def pair(self, name: str) -> tuple[Document | None, Document | None]: ...


WORTH = 100_000
"""How many mentions they must hold, each counted for every document that holds it, to be worth the import of numpy."""

POLICIES = ("documents", "duplicates", "singletons", "zeros")
"""The options that may have any word: apart from singletons, all are alike where mentions are spans and none is repeated."""


class Together:
    """The documents of a corpus that end with others.

    `pairs` are all that can be read, in the order of the corpus, `groups` those of them that can be counted together, each from
    the shortest to the longest. In none are those that repeat a mention, those whose two sides are shifted against each other as
    those of no other are, and those with mentions that are no (first, last), as other formats have them.
    """

    def __init__(self, corpus: PairsByName) -> None:
        self.pairs = dict(_pairs(corpus))
        self._bounded = corpus.bounded
        self._counted: dict[tuple[object, ...], dict[str, DocumentScore]] = {}
        alike: dict[tuple[object, ...], list[str]] = {}
        for name, pair in self.pairs.items():
            if not any(map(_is_counted_alone, pair)):
                longest = (side.longest if isinstance(side, Tail) else None for side in pair)
                alike.setdefault((shift_of(*pair), *longest), []).append(name)
        self.groups = [self._from_shortest(names) for names in alike.values() if len(names) > 1]

    @classmethod
    def of(cls, corpus: PairsByName) -> Together:
        """Those of that corpus, found when they are first asked for."""
        if corpus.together is None:
            corpus.together = cls(corpus)
        return corpus.together

    def counted(self, name: str, empty: Evaluation) -> DocumentScore | None:
        """What was counted in that document with others, as `empty` asks; None where it is to be counted by itself.

        ConllError where the corpus is bounded, and those to be counted by themselves hold too much (`conll.tail.check_counted`), or
        the others have too many clusters to align (`conll.tail.check_aligned`).
        """
        asked = _can_be_counted(empty), empty.options.singletons, *empty.metrics
        if asked not in self._counted:
            if self._bounded:
                self._check(empty)
            self._counted[asked] = self._count(empty) if asked[0] else {}
        return self._counted[asked].get(name)

    def _check(self, empty: Evaluation) -> None:
        """ConllError where those that are counted by themselves hold too much."""
        together: set[str] = set()
        if _can_be_counted(empty) and not any(map(_asks_for_twins, empty.metrics.values())):
            together.update(*self.groups)
        for side in (0, 1):
            check_counted(pair[side] for name, pair in self.pairs.items() if name not in together)

    def _from_shortest(self, names: Iterable[str]) -> Group:
        group = {name: self.pairs[name] for name in names}
        return dict(sorted(group.items(), key=lambda item: next(-side.begin for side in item[1] if isinstance(side, Tail))))

    def _count(self, empty: Evaluation) -> dict[str, DocumentScore]:
        """What is counted in the documents of those groups that are worth it."""
        worth = [group for group in self.groups if _mentions(group) >= WORTH]
        if not worth:
            return {}
        try:
            from scorer.engine.tails import count
        except ModuleNotFoundError:
            return {}
        metrics = list(empty.metrics.values())
        known: dict[str, DocumentScore] = {}
        for group in worth:
            known |= count(group, metrics, empty.options.singletons, bounded=self._bounded)
        return known


def _pairs(corpus: PairsByName) -> Iterator[tuple[str, Pair]]:
    """The documents of which a side ends with others, but for those that cannot be read."""
    for name in corpus.names:
        if corpus.key.runs_on(name) or corpus.response.runs_on(name):
            try:
                key, response = corpus.pair(name)
            except ConllError:
                # Whoever scores the documents in their order says which cannot be read.
                continue
            yield name, (key or Document(name, []), response or Document(name, []))


def _is_counted_alone(document: Document) -> bool:
    """Whether it repeats a mention, or has one that is no (first, last)."""
    if isinstance(document, Tail):
        return document.begin <= document.longest.repeats
    mentions = list(chain.from_iterable(document.clusters))
    return len(set(mentions)) < len(mentions) or not all(map(is_span, mentions))


def _can_be_counted(empty: Evaluation) -> bool:
    """Whether documents are counted together as that asks: not where a metric or an option asks for more than their clusters."""
    return empty.options.are_known_to_arrays(but=POLICIES) and all(metric.of == "clusters" for metric in empty.metrics.values())


def _asks_for_twins(metric: Metric) -> bool:
    """Whether a metric makes the sides alike before it counts, for which all clusters of each document are gone through."""
    asked = _Asked([1], [1], [0])
    metric.count(asked)
    return asked.for_twins


class _Asked(DocumentContingency):
    """Of one mention that both sides have; it remembers whether it was asked `for_twins`."""

    for_twins = False

    def with_twins(self, *, key: bool, response: Fate) -> DocumentContingency:
        self.for_twins = True
        return super().with_twins(key=key, response=response)


def _mentions(group: Group) -> int:
    """How many mentions those of them hold that end with others."""
    return sum(document.mentions for pair in group.values() for document in pair if isinstance(document, Tail))
