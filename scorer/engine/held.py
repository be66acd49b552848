"""One side of documents of which each holds the one before it, and a little more; and what is kept from one to the next."""

from __future__ import annotations

from bisect import bisect_left
from itertools import chain
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.engine.jumps import Jumps, Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from conll.document import Mention
    from conll.tail import Longest
    from scorer.count.contingency import Number, OfSize
    from scorer.engine.jumps import Range

    Ints = NDArray[np.int64]


class Kept:
    """What a function makes of pairs or of clusters, by their numbers: `values`, and their sum where these are whole numbers.

    `moved` is the document that they are of; `lasts` says whether they are there for the next one.
    """

    def __init__(self, count: int, dtype: np.dtype[Any], places: Places | None = None) -> None:
        self.values = np.zeros(count, dtype)
        self.sum = 0
        self.moved = -1
        self.lasts = False
        self.is_whole = dtype.kind in "iub"
        self.jumps = None if self.is_whole or places is None else Jumps(places)

    def set(self, numbers: Ints, values: NDArray[Any]) -> None:
        """Give these numbers, of which each is there once, these values."""
        if self.is_whole:
            self.sum += int(values.sum()) - int(self.values[numbers].sum())
        self.values[numbers] = values
        if self.jumps is not None:
            self.jumps.set(numbers, values)


class Memory:
    """What is kept from one document to the next, by function and use; `moved` numbers the documents."""

    def __init__(self) -> None:
        self.moved = 0
        self._kept: dict[tuple[object, ...], Kept] = {}

    def of(self, use: str, f: Callable[..., Any], begin: Callable[[], Kept]) -> Kept:
        """What is kept of a function for that use."""
        # A metric makes its function anew for each document. What one gives that holds no values depends on its code alone.
        if not isinstance(f, FunctionType) or f.__closure__ or f.__defaults__ or f.__kwdefaults__:
            return begin()
        name = use, f.__module__, f.__code__
        if name not in self._kept:
            self._kept[name] = begin()
            self._kept[name].lasts = True
        return self._kept[name]

    def is_next(self, kept: Kept) -> bool:
        """Whether it is of the document before this one."""
        return kept.moved == self.moved - 1


class Held:
    """The mentions that one side of the document at hand holds, of all those of the longest.

    They lie by cluster, in the order in which they end: what the document holds of a cluster are the last `sizes` before its
    `stops`. `clusters` has the cluster of each, `first` says where a cluster is met, `filled` counts those with a mention. `grown`
    are the clusters that are met in this document, but not in the one before.

    Clusters are numbered as they are met in the longest, and those that the document holds wholly, from number `whole` on, are met
    in that order. Of the others, which begin before it, `partial` has where they are met, those that come last first.
    """

    def __init__(self, longest: Longest) -> None:
        lengths = [len(cluster.mentions) for cluster in longest.clusters]
        self.spans = list(chain.from_iterable(cluster.mentions for cluster in longest.clusters))
        self.clusters = np.repeat(np.arange(len(lengths)), lengths)
        self.stops = np.cumsum(lengths, dtype=np.int64)
        self.sizes = np.zeros(len(lengths), np.int64)
        self.firsts = [cluster.met[0] for cluster in longest.clusters]
        self.first = np.array(self.firsts, np.int64)
        self.mentions = self.filled = 0
        self.whole = len(lengths)
        self.partial: dict[int, int] = {}
        self.repeated = False
        self.grown = np.arange(0)
        self._held: set[Mention] = set()
        self._memory = Memory()
        self._met = longest.met
        self._begun = len(self._met)
        self._who = np.empty(self._begun, np.int64)
        for number, cluster in enumerate(longest.clusters):
            self._who[cluster.met] = number
        starts = np.array([start for start, _ in self.spans], np.int64)
        self._entering = np.argsort(-starts, kind="stable")
        self._starts = -starts[self._entering]

    def move(self, begin: int) -> Ints:
        """Hold all from that token on; the places of the mentions that are new."""
        self._memory.moved += 1
        stop = int(np.searchsorted(self._starts, 1 - begin))
        new = self._entering[self.mentions : stop]
        begun = bisect_left(self._met, begin)
        self.grown = np.unique(self._who[begun : self._begun])
        filled = np.count_nonzero(self.sizes[self.grown])
        np.add.at(self.sizes, self.clusters[new], 1)
        self.filled += int(np.count_nonzero(self.sizes[self.grown]) - filled)
        self.mentions = stop
        self._held.update(map(self.spans.__getitem__, new.tolist()))
        self.repeated = len(self._held) < stop
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
        return clusters[self.sizes[clusters] > 0]

    def sum(self, f: OfSize, use: str, sizes: Ints) -> Number:
        """Over the clusters of which these sizes are not 0, in their order; only those that have grown have got others."""
        memory = self._memory
        kept = memory.of(use, f, lambda: Kept(len(sizes), np.asarray(f(np.ones(1, np.int64))).dtype))
        if kept.moved < memory.moved:
            grown = self.grown if memory.is_next(kept) else np.arange(len(sizes))
            grown = grown[sizes[grown] > 0]
            kept.set(grown, np.broadcast_to(f(sizes[grown]), grown.shape))
            kept.moved = memory.moved
        return kept.sum if kept.is_whole else added(kept.values[numbers_of(self.order())])


def numbers_of(ranges: Iterable[Range]) -> Ints:
    """All numbers of these ranges."""
    return np.concatenate([np.arange(0), *(np.arange(begin, stop) for begin, stop in ranges)])


def added(values: NDArray[Any]) -> float:
    """Fractions added one after the other."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
