"""The contingencies of documents of which each holds the one before it, and a little more: each costs what it adds to that.

Whatever two sides have in common is found once for the longest of these documents. Going from the shortest to the longest, only
pairs of clusters that have grown change what a metric makes of them. Whole numbers are kept in sums, and fractions in
`scorer.engine.jumps`; the alignment of CEAF is sought only in `scorer.engine.components` that have grown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.count.contingency import Contingency, DocumentContingency
from scorer.engine.components import Components
from scorer.engine.held import Held, Kept, Memory, added, numbers_of
from scorer.engine.jumps import Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from conll.tail import Longest
    from scorer.count.contingency import Fate, Number, OfOverlap, OfSize
    from scorer.engine.components import Component
    from scorer.engine.jumps import Range

    Ints = NDArray[np.int64]


class Growing(Contingency):
    """The contingency of one document after the other, as `DocumentContingency` has it, where no mention is repeated."""

    def __init__(self, key: Longest, response: Longest, shift: int) -> None:
        self.key, self.response = Held(key), Held(response)
        self._memory = Memory()
        at = {(start - shift, end - shift): place for place, (start, end) in enumerate(self.key.spans)}
        partners = np.array([at.get(span, -1) for span in self.response.spans], np.int64)
        matched = np.flatnonzero(partners >= 0)
        width = max(len(self.response.firsts), 1)
        codes = self.key.clusters[partners[matched]] * width + self.response.clusters[matched]
        pairs, numbers = np.unique(codes, return_inverse=True)
        # Pairs of clusters are numbered by key cluster, then by response cluster.
        self._ends = np.stack((pairs // width, pairs % width))
        self._pair_at = np.full(len(partners), -1)
        self._pair_at[matched] = numbers
        self._n = np.zeros(len(pairs), np.int64)
        self._is_grown = np.zeros(len(self.key.firsts), bool)
        self._of_key = np.searchsorted(self._ends[0], np.arange(len(self.key.firsts) + 1))
        self._by_response = np.argsort(self._ends[1], kind="stable")
        self._of_response = np.searchsorted(self._ends[1][self._by_response], np.arange(len(self.response.firsts) + 1))
        self._in_common = tuple(np.zeros_like(side.sizes) for side in (self.key, self.response))
        self._of_mentions, self._of_pairs = Places(self._pair_at, len(pairs)), Places(np.arange(len(pairs)), len(pairs))
        self._components = Components(self.key, self.response, self._ends, self._n)
        self.matched = 0

    def move(self, key: int, response: int) -> None:
        """Go on to the document that begins with these tokens of the two sides."""
        self._memory.moved += 1
        self.key.move(key)
        places = self.response.move(response)
        pairs = self._pair_at[places]
        pairs = pairs[pairs >= 0]
        for pair in np.unique(pairs[self._n[pairs] == 0]).tolist():
            self._components.add(pair)
        np.add.at(self._n, pairs, 1)
        self.matched += len(pairs)
        for sizes, ends in zip(self._in_common, self._ends):
            np.add.at(sizes, ends[pairs], 1)
        self._components.grow()
        self._changed = self._of_grown()
        self.key_mentions, self.response_mentions = self.key.mentions, self.response.mentions
        self.key_clusters, self.response_clusters = self.key.filled, self.response.filled
        self.distinct = self.key_mentions, self.response_mentions, self.matched

    def _of_grown(self) -> Ints:
        """The pairs with a mention in common of which a cluster is another one than in the document before."""
        keys, responses = self.key.grown.tolist(), self.response.grown.tolist()
        of_keys = numbers_of((int(self._of_key[k]), int(self._of_key[k + 1])) for k in keys)
        others = [self._by_response[self._of_response[r] : self._of_response[r + 1]] for r in responses]
        of_responses = np.concatenate([np.arange(0), *others])
        self._is_grown[keys] = True
        of_responses = of_responses[~self._is_grown[self._ends[0, of_responses]]]
        self._is_grown[keys] = False
        pairs: Ints = np.concatenate((of_keys, of_responses))
        return pairs[np.flatnonzero(self._n[pairs])]

    @property
    def repeated(self) -> bool:
        """Whether a side holds a mention twice."""
        return self.key.repeated or self.response.repeated

    @property
    def once(self) -> Contingency:
        return self

    def alone(self) -> DocumentContingency:
        """The same of the document at hand, which stays when this goes on."""
        keys, responses = self.key.in_order(), self.response.in_order()
        ranks = [np.empty(len(side.sizes), np.int64) for side in (self.key, self.response)]
        for rank, order in zip(ranks, (keys, responses)):
            rank[order] = np.arange(len(order))
        pairs = self._pair_at[numbers_of(self.response.places())]
        k, r = self._ends[:, pairs[pairs >= 0]]
        codes = ranks[0][k] * len(responses) + ranks[1][r]
        return DocumentContingency(self.key.sizes[keys].tolist(), self.response.sizes[responses].tolist(), codes.tolist())

    def with_twins(self, *, key: bool, response: Fate) -> DocumentContingency:
        return self.alone().with_twins(key=key, response=response)

    def spread(self, values: Iterable[tuple[int, int]]) -> Number:
        return sum(value for _, value in values)

    def sum_overlaps(self, f: OfOverlap) -> Number:
        kept = self._overlaps(f, "overlaps", self._of_pairs)
        if kept.jumps is None:
            return kept.sum
        if not self.response.partial:
            return kept.jumps.sum(self._pair_ranges())
        pairs = np.flatnonzero(kept.values)
        keys, responses = self._ends[:, pairs]
        return added(kept.values[pairs[np.lexsort((self.response.first[responses], self.key.first[keys]))]])

    def sum_mentions(self, f: OfOverlap) -> Number:
        kept = self._overlaps(f, "mentions", self._of_mentions)
        return int((self._n * kept.values).sum()) if kept.jumps is None else kept.jumps.sum(self.response.places())

    def sum_alignment(self, f: OfOverlap) -> Number:
        kept = self._memory.of("alignment", f, lambda: Kept(len(self._n), _type_of(f), self._of_pairs))
        if kept.moved < self._memory.moved:
            components = self._components.changed() if self._memory.is_next(kept) else self._components.all()
            for component in components:
                self._align(component, f, kept)
            kept.moved = self._memory.moved
        return kept.sum if kept.jumps is None else kept.jumps.sum(self._pair_ranges())

    def _align(self, component: Component, f: OfOverlap, kept: Kept) -> None:
        """Set the values of the pairs of a component that are aligned, and of those that were."""
        chosen, weights = self._components.align(component, f, whole=kept.is_whole)
        before = np.array([*{*component.chosen.get(kept, ())}.difference(chosen.tolist())], np.int64)
        # Adds the way the reference does, as in DocumentContingency.
        values = np.concatenate((1 - (1 - weights), np.zeros(len(before), weights.dtype)))
        kept.set(np.concatenate((chosen, before)), values)
        if kept.lasts:
            component.chosen[kept] = chosen.tolist()

    def sum_key(self, f: OfSize) -> Number:
        return self.key.sum(f, "all", self.key.sizes)

    def sum_response(self, f: OfSize) -> Number:
        return self.response.sum(f, "all", self.response.sizes)

    def sum_key_matched(self, f: OfSize) -> Number:
        return self.key.sum(f, "matched", self._in_common[0])

    def sum_response_matched(self, f: OfSize) -> Number:
        return self.response.sum(f, "matched", self._in_common[1])

    def _pair_ranges(self) -> Iterator[Range]:
        """The pairs by key cluster in its order, and by response cluster in the order of the longest; some have no mention yet."""
        for begin, stop in self.key.order():
            yield int(self._of_key[begin]), int(self._of_key[stop])

    def _overlaps(self, f: OfOverlap, use: str, places: Places) -> Kept:
        """What `f` makes of each pair of clusters with a mention in common."""
        kept = self._memory.of(use, f, lambda: Kept(len(self._n), _type_of(f), places))
        if kept.moved < self._memory.moved:
            pairs = self._changed if self._memory.is_next(kept) else np.flatnonzero(self._n)
            keys, responses = self._ends[:, pairs]
            values = f(self._n[pairs], self.key.sizes[keys], self.response.sizes[responses])
            kept.set(pairs, np.broadcast_to(values, pairs.shape))
            kept.moved = self._memory.moved
        return kept


def _type_of(f: OfOverlap) -> np.dtype[Any]:
    """The type of the numbers that it makes."""
    return np.asarray(f(*np.ones((3, 1), np.int64))).dtype
