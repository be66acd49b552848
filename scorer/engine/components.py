"""The clusters of growing documents that overlap, over however many others, and the best alignment of them."""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import chain, islice
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from scorer.count.assignment import reduced, solved
from scorer.engine.kept import each

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from scorer.count.contingency import OfOverlap
    from scorer.engine.ending import Ending
    from scorer.engine.kept import Kept

    Ints = NDArray[np.int64]
    Kind = tuple[int, tuple[int, ...], tuple[int, ...]]
    """All that an alignment sees of a cluster: its size, the clusters that it overlaps with, the mentions in common with each."""

SMALL = 8
"""Up to how many others a cluster overlaps with for which it is worth asking what other clusters are of its kind."""
CROWD = 50
"""From how many clusters on that is worth asking."""
FEWER = 2
"""How many times fewer clusters must be left for them to be aligned without the others."""


class Component:
    """Clusters that overlap with one another, over however many of them, and the pairs that do; response clusters are ~r.

    `aligned` are the key clusters of the last alignment for each use. Where there are many clusters, `kinds` has the small
    ones, those that come first in the document last, each with minus its place there, and `near` the kinds beside each cluster
    that they overlap with, by the mentions in common and their size; `hubs` are the other clusters, and `between_hubs` their
    pairs. Those in `waiting` are not yet where they belong.
    """

    def __init__(self, cluster: int) -> None:
        self.clusters = [cluster]
        self.pairs: list[int] = []
        self.aligned: WeakKeyDictionary[Kept, list[int]] = WeakKeyDictionary()
        self.waiting = {cluster}
        self.kinds: dict[Kind, list[tuple[int, int]]] = {}
        self.near: dict[int, dict[tuple[int, int], dict[Kind, None]]] = {}
        self.hubs: set[int] = set()
        self.between_hubs: list[int] = []

    def take(self, other: Component) -> None:
        """Take all that another one has."""
        self.clusters += other.clusters
        self.pairs += other.pairs
        for use, clusters in other.aligned.items():
            self.aligned[use] = self.aligned.get(use, []) + clusters
        self.waiting |= other.waiting
        # None of its clusters overlaps with what one of these does.
        self.kinds |= other.kinds
        self.near |= other.near
        self.hubs |= other.hubs
        self.between_hubs += other.between_hubs

    def put(self, cluster: int, first: int, kind: Kind) -> None:
        """Put a small cluster, which comes `first`, with those of its kind."""
        if kind not in self.kinds:
            self.kinds[kind] = []
            for other, n in zip(*kind[1:]):
                self.near.setdefault(other, {}).setdefault((n, kind[0]), {})[kind] = None
        insort(self.kinds[kind], (-first, cluster))

    def remove(self, cluster: int, first: int, kind: Kind) -> None:
        """Remove it from them."""
        del self.kinds[kind][bisect_left(self.kinds[kind], (-first, cluster))]
        if not self.kinds[kind]:
            del self.kinds[kind]
            for other, n in zip(*kind[1:]):
                del self.near[other][n, kind[0]][kind]
                if not self.near[other][n, kind[0]]:
                    del self.near[other][n, kind[0]]


class Components:
    """The components of a key and a response; `ends` are the clusters of each pair, `n` the mentions that these have in common.

    `looked_at` counts the pairs among which alignments were sought, of all documents.
    """

    def __init__(self, key: Ending, response: Ending, ends: Ints, n: Ints) -> None:
        self._sides = key, response
        self._ends = ends
        self._n = n
        self._of: dict[int, Component] = {}
        self.pairs_of: dict[int, list[int]] = {}
        self._kind: dict[int, tuple[int, Kind]] = {}
        self.looked_at = 0

    def add(self, pair: int) -> None:
        """Add a pair that has a mention in common from now on."""
        k, r = self._ends[:, pair].tolist()
        component = self._joined(k, ~r)
        component.pairs.append(pair)
        for cluster in (k, ~r):
            self.pairs_of.setdefault(cluster, []).append(pair)
        if k in component.hubs and ~r in component.hubs:
            component.between_hubs.append(pair)

    def grow(self) -> None:
        """Take note of the clusters that are others than in the document before."""
        for cluster in self._grown():
            if cluster in self._of:
                self._of[cluster].waiting.add(cluster)

    def changed(self) -> set[Component]:
        """Those that these are in."""
        return {self._of[cluster] for cluster in self._grown() if cluster in self._of}

    def all(self) -> set[Component]:
        """All of them."""
        return set(self._of.values())

    def _grown(self) -> Iterable[int]:
        key, response = self._sides
        return chain(key.grown.tolist(), (~response.grown).tolist())

    def _joined(self, *clusters: int) -> Component:
        """The one component that two clusters are in from now on."""
        more, fewer = (self._of.setdefault(one, Component(one)) for one in clusters)
        if more is fewer:
            return more
        if len(more.clusters) < len(fewer.clusters):
            more, fewer = fewer, more
        more.take(fewer)
        self._of.update(dict.fromkeys(fewer.clusters, more))
        return more

    def align(self, component: Component, f: OfOverlap, *, whole: bool) -> tuple[Ints, NDArray[Any]]:
        """The pairs of the best alignment of a component, and their weights, which are `whole` numbers or not.

        Of several best ones of fractions it is the one that the document has by itself, as their sums differ in the last bit.
        """
        if len(component.clusters) >= CROWD:
            self._sort_in(component)
            for kinds in (self._heavy(component, f, whole=whole), component.kinds):
                clusters = {*self._enough(component, kinds), *component.hubs}
                if FEWER * len(clusters) < len(component.clusters):
                    found = self._aligned(self._between(component, clusters), f, sure=whole or kinds is component.kinds)
                    if found is not None:
                        return found
        found = self._aligned(np.array(component.pairs), f, sure=True)
        assert found is not None
        return found

    def _aligned(self, pairs: Ints, f: OfOverlap, *, sure: bool) -> tuple[Ints, NDArray[Any]] | None:
        """Those of these pairs that are aligned, and their weights; None where they must be `sure` and do not follow at once."""
        self.looked_at += len(pairs)
        key, response = self._sides
        keys, responses = self._ends[:, pairs]
        pairs = pairs[np.lexsort((response.first[responses], key.first[keys]))]
        keys, responses = self._ends[:, pairs]
        weights = each(f, self._n[pairs], key.sizes[keys], response.sizes[responses])
        ends = list(zip(key.first[keys].tolist(), response.first[responses].tolist()))
        taken, left = reduced(dict(zip(ends, weights.tolist())))
        if left and not sure:
            return None
        chosen = {*taken, *solved(left)}
        places = [place for place, pair in enumerate(ends) if pair in chosen]
        return pairs[places], weights[places]

    def _heavy(self, component: Component, f: OfOverlap, *, whole: bool) -> set[Kind]:
        """The kinds of the small clusters that the others may be aligned with by these weights.

        Where a cluster's heaviest pairs are more than the clusters at the other end of all pairs of theirs, itself included, two of
        them stay, whatever the others are aligned with: it needs no lighter one, and of `whole` numbers none that is as heavy.
        """
        near = [(other, n, size) for other, classes in component.near.items() for n, size in classes]
        sizes = [(n, self._size(other), size) if other >= 0 else (n, size, self._size(other)) for other, n, size in near]
        weights = iter(each(f, *np.array(sizes, np.int64).reshape(len(sizes), 3).T).tolist())
        found: set[Kind] = set()
        for classes in component.near.values():
            count, ends, last = 0, set[int](), None
            for weight, size, n in sorted((-weight, size, n) for (n, size), weight in zip(classes, weights)):
                if count > len(ends) and (whole or weight != last):
                    break
                last = weight
                for kind in classes[n, size]:
                    found.add(kind)
                    count += len(component.kinds[kind])
                    ends.update(kind[1])
        return found

    def _enough(self, component: Component, kinds: Iterable[Kind]) -> Iterator[int]:
        """The clusters of these kinds, some of them twice.

        As many as they overlap with are enough, of those that come first or of those that come last: on them an alignment falls.
        """
        for kind in kinds:
            for members in (component.kinds[kind], reversed(component.kinds[kind])):
                yield from (cluster for _, cluster in islice(members, len(kind[1])))

    def _between(self, component: Component, clusters: set[int]) -> Ints:
        """The pairs of a component of which both clusters are of these."""
        small = clusters - component.hubs
        pairs = np.unique([pair for cluster in small for pair in self.pairs_of[cluster]] + component.between_hubs)
        keys, responses = self._ends[:, pairs].tolist()
        return pairs[[k in clusters and ~r in clusters for k, r in zip(keys, responses)]]

    def _sort_in(self, component: Component) -> None:
        """Put each cluster where it belongs that is another one now, or comes first."""
        for cluster in sorted(component.waiting):
            if cluster in component.hubs:
                continue
            if cluster in self._kind:
                component.remove(cluster, *self._kind.pop(cluster))
            pairs = sorted(self.pairs_of[cluster])
            others = self._ends[int(cluster >= 0), pairs]
            others = (~others if cluster >= 0 else others).tolist()
            if len(pairs) > SMALL:
                component.hubs.add(cluster)
                component.between_hubs += [pair for pair, other in zip(pairs, others) if other in component.hubs]
                continue
            self._kind[cluster] = self._first(cluster), (self._size(cluster), tuple(others), tuple(self._n[pairs].tolist()))
            component.put(cluster, *self._kind[cluster])
        component.waiting.clear()

    def _first(self, cluster: int) -> int:
        side, number = self._held(cluster)
        return int(side.first[number])

    def _size(self, cluster: int) -> int:
        side, number = self._held(cluster)
        return int(side.sizes[number])

    def _held(self, cluster: int) -> tuple[Ending, int]:
        """The side of a cluster, and its number there."""
        key, response = self._sides
        return (key, cluster) if cluster >= 0 else (response, ~cluster)
