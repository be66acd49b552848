"""One side of documents of which each holds the one before it, and a little more."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scorer.engine.jumps import Places, numbers_of
from scorer.engine.kept import Kept, Memory, each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conll.tail import Longest
    from scorer.count.contingency import Number, OfLinks, OfSize

    Ints = NDArray[np.int64]


class Ending:
    """The mentions that one side of the document at hand holds, of all those of the longest.

    They lie by cluster, in the order in which they end: what the document holds of a cluster are the last `sizes` before its
    `stops`; `matched` counts those that the other side has too, `links` the pairs of these that share a cluster there. `clusters`
    has the cluster of each, `first` says by which piece one is met, `filled` counts those with a mention. `grown` are the clusters
    that have changed since the document before: those that are met anew, and those that have more in common with the other side.

    Without `singletons`, a cluster has no mention until it has two; `enters` has the token of each mention from which on a document
    must hold all for that to be one of its own.

    Clusters are numbered as they are met in the longest, and those that the document holds wholly, from number `whole` on, are met
    in that order. Of the others, which begin before it, `_partial` has by which pieces they are met.
    """

    grown: Ints
    whole: int

    def __init__(self, longest: Longest, *, singletons: bool) -> None:
        lengths = np.array([len(cluster.mentions) for cluster in longest.clusters], np.int64)
        self.spans = list(chain.from_iterable(cluster.mentions for cluster in longest.clusters))
        self.clusters = np.repeat(np.arange(len(lengths)), lengths)
        self.stops = np.cumsum(lengths)
        self.sizes, self.matched, self.links = np.zeros((3, len(lengths)), np.int64)
        self.firsts = np.array([cluster.met[0] for cluster in longest.clusters], np.int64)
        self.first = self.firsts.copy()
        self.mentions = self.filled = 0
        self._met = longest.met
        self._begun = len(self._met)
        self._who = np.empty(self._begun, np.int64)
        self._partial = np.zeros(self._begun, bool)
        for number, cluster in enumerate(longest.clusters):
            self._who[cluster.met] = number
        starts = np.array([start for start, _ in self.spans], np.int64)
        self.enters = starts if singletons else self._with_another(starts, lengths)
        self._entering, self._starting = Falling(self.enters), Falling(starts)
        self._sums = [Memory(partial(self._begin, sizes)) for sizes in (self.sizes, self.matched)]
        self._linked = Memory(self._begin_linked)
        # A cluster has its place by the piece by which it is met; `nobody` has the one that it had before it was met sooner.
        self._nobody = len(lengths)
        self.places_met = Places(np.full(self._begun, -1), len(lengths) + 1)

    @property
    def left_out(self) -> int:
        """How many singletons are no part of it."""
        return self._starting.passed - self.mentions

    def move(self, begin: int) -> None:
        """Hold all from that token on."""
        new = self._entering.down_to(begin)
        self._starting.down_to(begin)
        begun = bisect_left(self._met, begin)
        self.grown = np.unique(self._who[begun : self._begun])
        left = self.first[self.grown]
        left = left[left >= self._begun].tolist()
        filled = np.count_nonzero(self.sizes[self.grown])
        np.add.at(self.sizes, self.clusters[new], 1)
        self.filled += int(np.count_nonzero(self.sizes[self.grown]) - filled)
        self.mentions = self._entering.passed
        for number in reversed(range(begun, self._begun)):
            cluster = self._who[number]
            self._partial[self.first[cluster]] = False
            self._partial[number] = self.firsts[cluster] < number
            self.first[cluster] = number
        self.places_met.put([*left, *self.first[self.grown].tolist()], [self._nobody] * len(left) + self.grown.tolist())
        self._begun = begun
        self.whole = int(np.searchsorted(self.firsts, begun))

    def order(self) -> Ints:
        """The clusters that the document holds, and some that are empty, in the order in which it meets them, as ranges."""
        numbers = self._begun + np.flatnonzero(self._partial[self._begun :])
        again = self._who[numbers]
        between = np.searchsorted(self.firsts, numbers)
        ranges = np.empty((2 * len(again) + 1, 2), np.int64)
        ranges[1::2] = np.stack((again, again + 1), axis=1)
        ranges[::2] = np.stack((np.append(self.whole, between), np.append(between, len(self.firsts))), axis=1)
        return ranges[ranges[:, 0] < ranges[:, 1]]

    def places(self) -> Ints:
        """The places of its mentions in that order, and those of singletons that are left out, as ranges."""
        begins, stops = self.order().T
        return np.stack((self.stops[begins] - self.sizes[begins], self.stops[stops - 1]), axis=1)

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

    def sum_linked(self, f: OfLinks) -> Number:
        """Over the clusters that hold a matched mention, in the order in which they are met, of their links and their size."""
        return self.sum_in_order(self._linked.of(f))

    def sum_in_order(self, kept: Kept) -> Number:
        """The sum of what is kept of each cluster, as they are met."""
        return kept.whole if kept.jumps is None else kept.jumps.sum(np.array([[self._begun, len(self._met)]]))

    def _with_another(self, starts: Ints, lengths: Ints) -> Ints:
        """The starts, but for the last one of each cluster, which takes that before it; -1 where there is none."""
        entering = starts.copy()
        order = np.lexsort((starts, self.clusters))
        entering[order[self.stops[lengths == 1] - 1]] = -1
        last = self.stops[lengths > 1] - 1
        entering[order[last]] = starts[order[last - 1]]
        return entering

    def renew(self) -> None:
        """Make the sums those of this document, of which only clusters that have grown have got other sizes."""
        for sizes, memory in zip((self.sizes, self.matched), self._sums):
            grown = self.grown[np.flatnonzero(sizes[self.grown])]
            for kept in memory.kept:
                kept.set(grown, each(kept.f, sizes[grown]))
        for kept in self._linked.kept:
            self._renew_linked(kept, self.grown)

    def _begin(self, sizes: Ints, f: OfSize) -> Kept:
        filled = np.flatnonzero(sizes)
        values = each(f, sizes[filled])
        kept = Kept(f, len(sizes), values)
        kept.set(filled, values)
        return kept

    def _begin_linked(self, f: OfLinks) -> Kept:
        kept = Kept(f, len(self.sizes), each(f, self.links[:0], self.sizes[:0]), self.places_met)
        self._renew_linked(kept, np.arange(len(self.sizes)))
        return kept

    def _renew_linked(self, kept: Kept, clusters: Ints) -> None:
        matched = clusters[self.matched[clusters] > 0]
        kept.set(matched, each(kept.f, self.links[matched], self.sizes[matched]))


class Falling:
    """Numbers that are passed from the greatest down; `passed` counts those that have been."""

    def __init__(self, numbers: Ints) -> None:
        self._places = np.argsort(-numbers)
        self._sorted = -numbers[self._places]
        self.passed = 0

    def down_to(self, least: int) -> Ints:
        """The places of those from that one on that have not been passed yet."""
        before, self.passed = self.passed, int(np.searchsorted(self._sorted, 1 - least))
        return self._places[before : self.passed]
