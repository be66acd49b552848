"""The clusters of growing documents that overlap, over however many others, and the best alignment of them."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.count.assignment import align_clusters, align_rest
from scorer.engine.arrays import best_other

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scorer.engine.held import Held

    Ints = NDArray[np.int64]

SEVERAL = 100
"""From how many pairs of clusters on numpy finds the obvious ones of an alignment sooner than plain Python."""
SMALL = 8
"""Up to how many others a cluster overlaps with for which it is worth asking what other clusters are like it."""
CROWD = 50
"""From how many clusters on that is worth asking."""


class Component:
    """Clusters that overlap with one another, over however many of them, and the pairs that do; response clusters are ~r.

    `chosen` are the pairs of the last alignment for each use. Where there are many clusters, `alike` has the small ones by all that
    an alignment sees of them, those that come first in the document last, and `between_hubs` the pairs of other ones; those in
    `waiting` are not yet where they belong.
    """

    def __init__(self, cluster: int) -> None:
        self.clusters = [cluster]
        self.pairs: list[int] = []
        self.chosen: dict[object, list[int]] = {}
        self.waiting = {cluster}
        self.alike: dict[tuple[object, ...], dict[int, None]] = {}
        self.hubs: set[int] = set()
        self.between_hubs: list[int] = []

    def take(self, other: Component) -> None:
        """Take all that another one has."""
        self.clusters += other.clusters
        self.pairs += other.pairs
        for use, pairs in other.chosen.items():
            self.chosen[use] = self.chosen.get(use, []) + pairs
        self.waiting |= other.waiting
        # None of its clusters is like one of these, as those that they overlap with are others.
        self.alike |= other.alike
        self.hubs |= other.hubs
        self.between_hubs += other.between_hubs


class Components:
    """The components of a key and a response; `ends` are the clusters of each pair, `n` the mentions that these have in common."""

    def __init__(self, key: Held, response: Held, ends: Ints, n: Ints) -> None:
        self._sides = key, response
        self._ends = ends
        self._n = n
        self._of: dict[int, Component] = {}
        self._pairs: dict[int, list[int]] = {}
        self._seen: dict[int, tuple[object, ...]] = {}

    def add(self, pair: int) -> None:
        """Add a pair that has a mention in common from now on."""
        k, r = self._ends[:, pair].tolist()
        component = self._joined(k, ~r)
        component.pairs.append(pair)
        for cluster in (k, ~r):
            self._pairs.setdefault(cluster, []).append(pair)
        if k in component.hubs and ~r in component.hubs:
            component.between_hubs.append(pair)

    def grow(self) -> None:
        """Take note of the clusters that are met in this document but not in the one before."""
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

    def contested(self, component: Component) -> Ints:
        """The pairs of a component that may be aligned.

        Of clusters that are alike, as many as they overlap with are enough, of those that come first or of those that come last: on
        them an alignment falls.
        """
        if len(component.clusters) >= CROWD:
            self._sort_in(component)
            if 2 * (len(component.alike) + len(component.hubs)) < len(component.clusters):
                return self._without_surplus(component)
        return np.array(component.pairs)

    def _without_surplus(self, component: Component) -> Ints:
        small: list[int] = []
        for members in component.alike.values():
            enough = len(self._pairs[next(iter(members))])
            small += chain(islice(members, enough), islice(reversed(members), enough)) if len(members) > 2 * enough else members
        pairs = np.unique([pair for cluster in small for pair in self._pairs[cluster]] + component.between_hubs)
        kept = {*small, *component.hubs}
        keys, responses = self._ends[:, pairs].tolist()
        return pairs[[k in kept and ~r in kept for k, r in zip(keys, responses)]]

    def _sort_in(self, component: Component) -> None:
        """Put each cluster where it belongs that is another one now, or comes first."""
        for cluster in sorted(component.waiting, key=self._first, reverse=True):
            if cluster in component.hubs:
                continue
            before = self._seen.pop(cluster, None)
            if before is not None:
                del component.alike[before][cluster]
                if not component.alike[before]:
                    del component.alike[before]
            pairs = sorted(self._pairs[cluster])
            others = self._ends[int(cluster >= 0), pairs]
            if len(pairs) > SMALL:
                component.hubs.add(cluster)
                ends = (~others if cluster >= 0 else others).tolist()
                component.between_hubs += [pair for pair, other in zip(pairs, ends) if other in component.hubs]
                continue
            seen = cluster >= 0, self._size(cluster), *others.tolist(), *self._n[pairs].tolist()
            self._seen[cluster] = seen
            component.alike.setdefault(seen, {})[cluster] = None
        component.waiting.clear()

    def _first(self, cluster: int) -> int:
        key, response = self._sides
        return int(key.first[cluster] if cluster >= 0 else response.first[~cluster])

    def _size(self, cluster: int) -> int:
        key, response = self._sides
        return int(key.sizes[cluster] if cluster >= 0 else response.sizes[~cluster])


def best_pairs(key: Ints, response: Ints, weights: NDArray[Any]) -> list[int]:
    """Places of the pairs that `align_clusters` chooses."""
    order = np.lexsort((response, key))
    key, response, weights = key[order], response[order], weights[order]
    if len(order) < SEVERAL:
        place = dict(zip(zip(key.tolist(), response.tolist()), order.tolist()))
        return [place[pair] for pair in align_clusters(dict(zip(place, weights.tolist())))] if len(place) > 1 else [0]
    by_response = np.argsort(response, kind="stable")
    others, back = best_other(key, weights), np.empty_like(weights)
    back[by_response] = best_other(response[by_response], weights[by_response])
    # As it takes the obvious ones: the heaviest of each key cluster, and the first of these of each response cluster.
    heaviest = np.flatnonzero(weights >= others)
    heaviest = heaviest[np.unique(key[heaviest], return_index=True)[1]]
    taken = heaviest[weights[heaviest] >= others[heaviest] + back[heaviest]]
    taken = taken[np.unique(response[taken], return_index=True)[1]]
    chosen: list[int] = order[taken].tolist()
    left = np.flatnonzero(~(np.isin(key, key[taken]) | np.isin(response, response[taken])))
    place = dict(zip(zip(key[left].tolist(), response[left].tolist()), order[left].tolist()))
    return chosen + [place[pair] for pair in align_rest(dict(zip(place, weights[left].tolist())))]
