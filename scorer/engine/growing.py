"""The contingencies of documents of which each holds the one before it, and a little more: each costs what it adds to that.

Whatever two sides have in common is found once for the longest of these documents. Going from the shortest to the longest, only
pairs of clusters that have grown change what a metric makes of them. Whole numbers are kept in sums, and fractions in
`scorer.engine.jumps`; the alignment of CEAF is sought only in `scorer.engine.components` that have grown.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scorer.count.contingency import Contingency, DocumentContingency
from scorer.count.ties import may_show, sum_as_reference
from scorer.engine.aligned import unsettled
from scorer.engine.alike import Alike
from scorer.engine.components import Components
from scorer.engine.ending import Falling
from scorer.engine.jumps import Places, numbers_of
from scorer.engine.kept import Kept, Memory, each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from scorer.count.contingency import Fate, Number, OfLinks, OfOverlap, OfSize
    from scorer.engine.components import Component
    from scorer.engine.ending import Ending

    Ints = NDArray[np.int64]


class Growing(Contingency):
    """The contingency of one document after the other, as `DocumentContingency` has it, where no mention is repeated."""

    def __init__(self, key: Ending, response: Ending, shift: int) -> None:
        self.key, self.response = key, response
        at = {(start - shift, end - shift): place for place, (start, end) in enumerate(self.key.spans)}
        matched = [place for place, span in enumerate(self.response.spans) if span in at]
        partners = [at[self.response.spans[place]] for place in matched]
        # Pairs of clusters are numbered by key cluster, then by response cluster.
        width = len(self.response.firsts)
        codes, numbers = np.unique(self.key.clusters[partners] * width + self.response.clusters[matched], return_inverse=True)
        self._ends = np.stack(np.divmod(codes, width))
        self._pair_at = np.full(len(self.response.spans), -1)
        self._pair_at[matched] = numbers
        self._matched = np.array(matched, np.int64)
        self._matching = Falling(np.minimum(self.response.enters[matched], self.key.enters[partners] - shift))
        self._n = np.zeros(len(codes), np.int64)
        self._components = Components(self.key, self.response, self._ends, self._n)
        self._alike = Alike(self.key, self.response, self._ends, self._n)
        self._held: dict[int, list[int]] = {}
        self._of_mentions = Places(np.full(len(self._pair_at), -1), len(codes))
        self._overlaps = Memory(lambda f: self._begin(f, of_mentions=False))
        self._shares = Memory(lambda f: self._begin(f, of_mentions=True))
        self._alignments = Memory(self._begin_aligned)
        self.matched = 0

    def move(self, key: int, response: int) -> None:
        """Go on to the document that begins with these tokens of the two sides."""
        self.key.move(key)
        self.response.move(response)
        places = self._matched[self._matching.down_to(response)]
        pairs = self._pair_at[places]
        for pair in dict.fromkeys(pairs[self._n[pairs] == 0].tolist()):
            self._components.add(pair)
        numbers, counts = np.unique(pairs, return_counts=True)
        links = counts * (2 * self._n[numbers] + counts - 1) // 2
        self._n[numbers] += counts
        self.matched += len(pairs)
        for side, ends in zip((self.key, self.response), self._ends):
            # The other side may hold a mention later, where it leaves out singletons.
            side.grown = np.union1d(side.grown, ends[numbers])
            np.add.at(side.matched, ends[numbers], counts)
            np.add.at(side.links, ends[numbers], links)
            side.renew()
        self._components.grow()
        changed = self._regroup(places)
        for of_mentions, memory in enumerate((self._overlaps, self._shares)):
            for kept in memory.kept:
                self._renew(kept, changed, of_mentions=bool(of_mentions))
        for kept in self._alignments.kept:
            for component in self._components.changed():
                self._align(component, kept)
        self.key_mentions, self.response_mentions = self.key.mentions, self.response.mentions
        self.key_clusters, self.response_clusters = self.key.filled, self.response.filled
        self.distinct = self.key_mentions, self.response_mentions, self.matched

    def _regroup(self, places: Ints) -> Ints:
        """Put pairs in the groups that they belong to now that these places have a mention; the groups that change."""
        pairs = self._pair_at[places]
        moved, changed = self._alike.move(pairs, self._components.pairs_of)
        for place, pair in zip(places.tolist(), pairs.tolist()):
            self._held.setdefault(pair, []).append(place)
        held = [*dict.fromkeys(chain(places.tolist(), *map(self._held.__getitem__, moved)))]
        self._of_mentions.put(held, self._alike.of[self._pair_at[held]].tolist())
        return changed

    def _begin(self, f: OfOverlap, *, of_mentions: bool) -> Kept:
        groups = np.unique(self._alike.of[np.flatnonzero(self._n)])
        kept = Kept(f, len(self._n), each(f, *self._alike.seen[:, groups]), self._of_mentions if of_mentions else None)
        self._renew(kept, groups, of_mentions=of_mentions)
        return kept

    def _renew(self, kept: Kept, groups: Ints, *, of_mentions: bool) -> None:
        """Make what is kept of these groups that of this document: of fractions what each has, of whole numbers their sum."""
        values = each(kept.f, *self._alike.seen[:, groups])
        if kept.jumps is None:
            values = values * self._alike.counts[groups] * (self._alike.seen[0, groups] if of_mentions else 1)
        kept.set(groups, values)

    def _begin_aligned(self, f: OfOverlap) -> Kept:
        kept = Kept(f, len(self.key.sizes), each(f, *self._alike.seen[:, :0]), self.key.places_met)
        for component in self._components.all():
            self._align(component, kept)
        return kept

    def _align(self, component: Component, kept: Kept) -> None:
        """Set the values of the key clusters of a component that are aligned, and of those that were."""
        chosen, weights = self._components.align(component, kept.f, whole=kept.jumps is None)
        keys = self._ends[0, chosen]
        gone = np.array([*set(component.aligned.get(kept, ())).difference(keys.tolist())], np.int64)
        # Adds the way the reference does, as in DocumentContingency.
        kept.set(np.concatenate((keys, gone)), np.concatenate((1 - (1 - weights), np.zeros_like(gone))))
        component.aligned[kept] = keys.tolist()

    @property
    def looked_at(self) -> int:
        """Among how many pairs of clusters alignments were sought, of all documents so far."""
        return self._components.looked_at

    @property
    def once(self) -> Contingency:
        return self

    def alone(self) -> DocumentContingency:
        """The same of the document at hand, which stays when this goes on."""
        (keys, key_rank), (responses, response_rank) = self._ranked()
        places = numbers_of(self.response.places())
        k, r = self._ends[:, self._pair_at[places[self._of_mentions.terms[places] >= 0]]]
        codes = key_rank[k] * len(responses) + response_rank[r]
        return DocumentContingency(self.key.sizes[keys].tolist(), self.response.sizes[responses].tolist(), codes.tolist())

    def _ranked(self) -> Iterator[tuple[Ints, Ints]]:
        """Of either side the clusters that hold a mention, in the order in which they are met, and the place of each among them."""
        for side in (self.key, self.response):
            order = side.in_order()
            rank = np.empty(len(side.sizes), np.int64)
            rank[order] = np.arange(len(order))
            yield order, rank

    def with_twins(self, *, key: bool, response: Fate) -> DocumentContingency:
        return self.alone().with_twins(key=key, response=response)

    def sum_overlaps(self, f: OfOverlap) -> Number:
        whole = self._overlaps.of(f).whole
        return self.alone().sum_overlaps(f) if whole is None else whole

    def sum_mentions(self, f: OfOverlap) -> Number:
        kept = self._shares.of(f)
        return kept.whole if kept.jumps is None else kept.jumps.sum(self.response.places())

    def sum_alignment(self, f: OfOverlap) -> Number:
        kept = self._alignments.of(f)
        if kept.jumps is None:
            return kept.whole
        total = self.key.sum_in_order(kept)
        if not total or not may_show(total, self.key_clusters, self.response_clusters):
            return total
        pairs = np.flatnonzero(self._n)
        weights = each(f, *self._alike.seen[:, self._alike.of[pairs]])
        keys, responses = self._ends[:, pairs]
        if not len(unsettled(keys, responses, weights)):
            return total
        clusters = (rank[ends].tolist() for (_, rank), ends in zip(self._ranked(), (keys, responses)))
        return sum_as_reference(total, dict(zip(zip(*clusters), weights.tolist())), max(self.key_clusters, self.response_clusters))

    def sum_key(self, f: OfSize) -> Number:
        found = self.key.sum(f)
        return self.alone().sum_key(f) if found is None else found

    def sum_response(self, f: OfSize) -> Number:
        found = self.response.sum(f)
        return self.alone().sum_response(f) if found is None else found

    def sum_key_matched(self, f: OfSize) -> Number:
        found = self.key.sum_matched(f)
        return self.alone().sum_key_matched(f) if found is None else found

    def sum_response_matched(self, f: OfSize) -> Number:
        found = self.response.sum_matched(f)
        return self.alone().sum_response_matched(f) if found is None else found

    def sum_key_linked(self, f: OfLinks) -> Number:
        return self.key.sum_linked(f)

    def sum_response_linked(self, f: OfLinks) -> Number:
        return self.response.sum_linked(f)
