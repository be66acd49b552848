"""One side of documents of which each holds the one before it, and a little more."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.engine.kept import Kept, Memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from conll.document import Mention
    from conll.tail import Longest
    from scorer.count.contingency import OfSize
    from scorer.engine.jumps import Range

    Ints = NDArray[np.int64]


class Ending:
    """The mentions that one side of the document at hand holds, of all those of the longest.

    They lie by cluster, in the order in which they end: what the document holds of a cluster are the last `sizes` before its
    `stops`; `matched` counts those that the other side has too. `clusters` has the cluster of each, `first` says where a cluster is
    met, `filled` counts those with a mention. `grown` are the clusters that are met in this document, but not in the one before.

    Clusters are numbered as they are met in the longest, and those that the document holds wholly, from number `whole` on, are met
    in that order. Of the others, which begin before it, `partial` has where they are met, those that come last first.
    """

    grown: Ints
    whole: int

    def __init__(self, longest: Longest) -> None:
        lengths = np.array([len(cluster.mentions) for cluster in longest.clusters], np.int64)
        self.spans = list(chain.from_iterable(cluster.mentions for cluster in longest.clusters))
        self.clusters = np.repeat(np.arange(len(lengths)), lengths)
        self.stops = np.cumsum(lengths)
        self.sizes, self.matched = np.zeros((2, len(lengths)), np.int64)
        self.firsts = [cluster.met[0] for cluster in longest.clusters]
        self.first = np.array(self.firsts, np.int64)
        self.mentions = self.filled = 0
        self.partial: dict[int, int] = {}
        self._held: set[Mention] = set()
        self._met = longest.met
        self._begun = len(self._met)
        self._who = np.empty(self._begun, np.int64)
        for number, cluster in enumerate(longest.clusters):
            self._who[cluster.met] = number
        starts = np.array([start for start, _ in self.spans], np.int64)
        self._entering = np.argsort(-starts)
        self._starts = -starts[self._entering]
        self._sums = [Memory(partial(self._begin, sizes)) for sizes in (self.sizes, self.matched)]

    @property
    def repeated(self) -> bool:
        """Whether a mention is there twice."""
        return len(self._held) < self.mentions

    def move(self, begin: int) -> Ints:
        """Hold all from that token on; the places of the mentions that are new."""
        stop = int(np.searchsorted(self._starts, 1 - begin))
        new = self._entering[self.mentions : stop]
        begun = bisect_left(self._met, begin)
        self.grown = np.unique(self._who[begun : self._begun])
        filled = np.count_nonzero(self.sizes[self.grown])
        np.add.at(self.sizes, self.clusters[new], 1)
        self.filled += int(np.count_nonzero(self.sizes[self.grown]) - filled)
        self.mentions = stop
        self._held.update(map(self.spans.__getitem__, new.tolist()))
        for number in reversed(range(begun, self._begun)):
            cluster = int(self._who[number])
            self.partial.pop(cluster, None)
            self.first[cluster] = number
            if self.firsts[cluster] < number:
                self.partial[cluster] = number
        self._begun = begun
        self.whole = bisect_left(self.firsts, begun)
        return new

    def order(self) -> Iterator[Range]:
        """The clusters that the document holds, and some that are empty, in the order in which it meets them."""
        begin = self.whole
        for cluster, number in reversed(self.partial.items()):
            stop = bisect_left(self.firsts, number, begin)
            if begin < stop:
                yield begin, stop
            yield cluster, cluster + 1
            begin = stop
        if begin < len(self.firsts):
            yield begin, len(self.firsts)

    def places(self) -> Iterator[Range]:
        """The places of its mentions in that order."""
        for begin, stop in self.order():
            yield int(self.stops[begin] - self.sizes[begin]), int(self.stops[stop - 1])

    def in_order(self) -> Ints:
        """The clusters that hold a mention, in the order in which they are met."""
        clusters = numbers_of(self.order())
        return clusters[np.flatnonzero(self.sizes[clusters])]

    def sum(self, f: OfSize) -> int | None:
        """Over the clusters that hold a mention, of their sizes; None where `f` makes fractions."""
        return self._sums[0].of(f).whole

    def sum_matched(self, f: OfSize) -> int | None:
        """Over the clusters that hold a matched mention, of the number of these; None where `f` makes fractions."""
        return self._sums[1].of(f).whole

    def renew(self) -> None:
        """Make the sums those of this document, of which only clusters that have grown have got other sizes."""
        for sizes, memory in zip((self.sizes, self.matched), self._sums):
            grown = self.grown[np.flatnonzero(sizes[self.grown])]
            for kept in memory.kept:
                kept.set(grown, _each(kept.f, sizes[grown]))

    def _begin(self, sizes: Ints, f: OfSize) -> Kept:
        filled = np.flatnonzero(sizes)
        values = _each(f, sizes[filled])
        kept = Kept(f, len(sizes), values)
        kept.set(filled, values)
        return kept


def _each(f: OfSize, sizes: Ints) -> NDArray[Any]:
    return np.broadcast_to(f(sizes), sizes.shape)


def numbers_of(ranges: Iterable[Range]) -> Ints:
    """All numbers of these ranges."""
    return np.concatenate([np.arange(0), *(np.arange(begin, stop) for begin, stop in ranges)])
