"""Documents that end together, as their files lack end lines: each holds all that the next one holds, and a little more.

They are counted from the shortest to the longest, so that each costs what it adds to the one before it. Where one side has end
lines, its documents have nothing in common: each is counted with the clusters of the other that it meets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conll.tail import Tail, check_aligned, shift_of
from scorer.count.contingency import DocumentContingency
from scorer.engine.ending import Ending
from scorer.engine.growing import Growing
from scorer.evaluation.evaluation import DocumentScore
from scorer.match.filters import LEFT_OUT, Removed, without_singletons

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from conll.document import Document
    from scorer.count.contingency import Contingency, Fate, Number, OfSize
    from scorer.count.metric import Metric

    Ints = NDArray[np.int64]
    Pair = tuple[Document, Document]
    Counted = tuple[str, Contingency, dict[str, Removed]]


def count(group: Mapping[str, Pair], metrics: Sequence[Metric], singletons: str, *, bounded: bool) -> dict[str, DocumentScore]:
    """What is counted in documents of a group of `scorer.engine.together`; `singletons` is the word of that option.

    ConllError where they are `bounded`, and have too many clusters to align (`conll.tail.check_aligned`).
    """
    left_out = LEFT_OUT[singletons]
    shift = shift_of(*next(iter(group.values())))
    tails = [key for key, _ in group.values() if isinstance(key, Tail)]
    scores: dict[str, DocumentScore] = {}
    for name, contingency, removed in _beside(group, left_out) if shift is None else _together(group, shift, left_out):
        counts = {metric.name: metric.count(contingency) for metric in metrics}
        invented = contingency.response_mentions - contingency.matched
        scores[name] = DocumentScore(name, counts, [], invented, [removed[side] for side in left_out])
        if bounded and isinstance(contingency, Growing):
            check_aligned(contingency.looked_at, tails)
    return scores


def _removed(side: str, ending: Ending) -> Removed:
    """The singletons that are no part of that side of the document at hand."""
    number = ending.left_out
    return Removed("singletons", side, number, number, int(number > 0 and not ending.mentions))


def _together(pairs: Mapping[str, Pair], shift: int, left_out: Collection[str]) -> Iterator[Counted]:
    """The contingency of each, from the shortest to the longest, of which each is good until the next.

    `left_out` are the sides whose singletons are; with each contingency comes what that took from them.
    """
    growing: Growing | None = None
    for name, (key, response) in pairs.items():
        assert isinstance(key, Tail)  # as they have a shift
        assert isinstance(response, Tail)
        if growing is None:
            keys = Ending(key.longest, singletons="key" not in left_out)
            growing = Growing(keys, Ending(response.longest, singletons="response" not in left_out), shift)
        growing.move(key.begin, response.begin)
        yield name, growing, {"key": _removed("key", growing.key), "response": _removed("response", growing.response)}


def _beside(pairs: Mapping[str, Pair], left_out: Collection[str]) -> Iterator[Counted]:
    """The same where one side of each ends by itself."""
    side: Ending | None = None
    for name, (key, response) in pairs.items():
        of_key = isinstance(key, Tail)
        tail, alone = (key, response) if of_key else (response, key)
        assert isinstance(tail, Tail)  # as one of them is
        here, other = ("key", "response") if of_key else ("response", "key")
        if side is None:
            side = Ending(tail.longest, singletons=here not in left_out)
            places = {span: place for place, span in enumerate(side.spans)}
        side.move(tail.begin)
        side.renew()
        removed = {here: _removed(here, side)}
        if other in left_out:
            alone, removed[other] = without_singletons(alone, other)
        moved = [[(start + tail.begin, end + tail.begin) for start, end in cluster] for cluster in alone.clusters]
        met = [(places[span], number) for number, cluster in enumerate(moved) for span in cluster if span in places]
        met = [(place, number) for place, number in met if side.enters[place] >= tail.begin]
        yield name, _Beside(side, list(map(len, moved)), met, of_key=of_key), removed


class _Beside(DocumentContingency):
    """Of a document one `side` of which goes on through others, as clusters of that side count those that the other one meets.

    `alone` are the sizes of the other side's clusters, `met` the mentions that both have, in the order of that side: the place of
    each in the one, and its cluster in the other. The sums over all clusters of the one are those that it keeps.
    """

    def __init__(self, side: Ending, alone: list[int], met: Sequence[tuple[int, int]], *, of_key: bool) -> None:
        self._side, self._of_key = side, of_key
        self._alone, self._met = alone, met
        here = np.unique(side.clusters[[place for place, _ in met]])
        here = here[np.argsort(side.first[here])]
        self._here: list[int] = here.tolist()
        super().__init__(*self._with(here))
        if of_key:
            self.key_mentions, self.key_clusters = side.mentions, side.filled
        else:
            self.response_mentions, self.response_clusters = side.mentions, side.filled
        self.distinct = self.key_mentions, self.response_mentions, self.matched

    def _with(self, clusters: Ints) -> tuple[list[int], list[int], list[int]]:
        """The sizes of the clusters of key and response, of which one has these, and the codes of their mentions in common."""
        sizes = self._side.sizes[clusters].tolist()
        rank = dict(zip(clusters.tolist(), range(len(sizes))))
        ranks = [rank[int(self._side.clusters[place])] for place, _ in self._met]
        if self._of_key:
            return sizes, self._alone, [k * len(self._alone) + r for k, (_, r) in zip(ranks, self._met)]
        # In the order of the response, whose places follow that of its clusters in the longest.
        found = sorted(zip(ranks, self._met))
        return self._alone, sizes, [k * len(sizes) + r for r, (_, k) in found]

    @property
    def once(self) -> Contingency:
        return self

    def with_twins(self, *, key: bool, response: Fate) -> DocumentContingency:
        return self._whole().with_twins(key=key, response=response)

    def _ranks(self) -> tuple[Sequence[int], Sequence[int]]:
        keys, responses = super()._ranks()
        place = {cluster: rank for rank, cluster in enumerate(self._side.in_order().tolist())}
        ranks = [place[cluster] for cluster in self._here]
        return (ranks, responses) if self._of_key else (keys, ranks)

    def sum_key(self, f: OfSize) -> Number:
        return self._sum(f) if self._of_key else super().sum_key(f)

    def sum_response(self, f: OfSize) -> Number:
        return super().sum_response(f) if self._of_key else self._sum(f)

    def _sum(self, f: OfSize) -> Number:
        """Over all clusters of that side."""
        found = self._side.sum(f)
        if found is not None:
            return found
        return self._whole().sum_key(f) if self._of_key else self._whole().sum_response(f)

    def _whole(self) -> DocumentContingency:
        """The same with all clusters of that side."""
        return DocumentContingency(*self._with(self._side.in_order()))
