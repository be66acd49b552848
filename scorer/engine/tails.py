"""Documents that end together, as their files lack end lines: each holds all that the next one holds, and a little more.

They are counted from the shortest to the longest, so that a mention is read and aligned once for all that hold it. What they have
in common is kept in arrays, of which each sum is made anew: fractions must be added in the order of their document, which no
two of them share. The alignment of CEAF is sought only among clusters that overlap, over however many others, with one that grew.

A document that repeats a mention is left to the plain engine, and so are those that hold it.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import chain, groupby
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from conll.tail import Tail
from scorer.count.assignment import align_clusters, align_rest
from scorer.count.contingency import Contingency, DocumentContingency
from scorer.engine.arrays import best_other
from scorer.evaluation.evaluation import DocumentScore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import CodeType

    from numpy.typing import NDArray

    from conll.document import Document, Mention
    from conll.tail import Longest
    from scorer.count.contingency import Fate, Number, OfOverlap, OfSize
    from scorer.count.metric import Metric

    Ints = NDArray[np.int64]
    Pair = tuple[Document, Document]

SEVERAL = 100
"""From how many pairs of clusters on numpy finds the obvious ones of an alignment sooner than plain Python."""


def count(pairs: Mapping[str, Pair], metrics: Sequence[Metric]) -> dict[str, DocumentScore]:
    """What is counted in these documents, of which any end with others, but for some that are sooner counted by themselves.

    These are the ones that repeat a mention, and those whose two sides are shifted against each other as those of no other are.
    """
    scores: dict[str, DocumentScore] = {}
    common = Common()
    in_order = sorted(pairs.items(), key=lambda item: [getattr(side, "begin", 0) for side in item[1]], reverse=True)
    for shift, same in groupby(in_order, key=lambda item: _shift(*item[1])):
        run = list(same)
        if shift is not None and len(run) == 1:
            continue
        for name, pair in run:
            common.move(*pair)
            if not common.repeated:
                counts = {metric.name: metric.count(common) for metric in metrics}
                scores[name] = DocumentScore(name, counts, [], common.response_mentions - common.matched)
    return scores


def _shift(key: Document, response: Document) -> int | None:
    """How far the tokens of one side are from those of the other, counted in the longest of each; None if one ends by itself."""
    return key.begin - response.begin if isinstance(key, Tail) and isinstance(response, Tail) else None


class _Held:
    """The mentions that one side of the document at hand holds.

    `at` has the place of each. The places of a cluster lie side by side, in the order in which its mentions end: what the document
    holds of it are the last `sizes` before its `stops`. `clusters` are those of all places, `first` says where a cluster is met.
    """

    begin: int
    mentions: int

    def __init__(self) -> None:
        self.longest: Longest | None = None
        self._hold([])

    def move(self, document: Document) -> Sequence[int] | None:
        """Hold that document; the places of mentions that it holds beside those of the last one, or None where it is none of it."""
        if not isinstance(document, Tail):
            self.longest = None
            self._hold(document.clusters)
            self._take(range(len(self._mentions)))
            self.first = np.arange(len(self.sizes))
            return None
        longest = document.longest
        fresh = longest is not self.longest or document.begin > self.begin
        if fresh:
            self.longest = longest
            self._hold([cluster.mentions for cluster in longest.clusters])
            self._entering = sorted(range(len(self._mentions)), key=lambda place: -self._mentions[place][0])
            self._met = np.empty(len(longest.met), np.int64)
            for number, cluster in enumerate(longest.clusters):
                self._met[cluster.met] = number
            self._begun = len(self._met)
        stop = bisect_left(self._entering, 1 - document.begin, key=lambda place: -self._mentions[place][0])
        new = self._entering[self.mentions : stop]
        self._take(new)
        begun = bisect_left(longest.met, document.begin)
        # The last assignment to a cluster stands: where it is met first.
        self.first[self._met[begun : self._begun][::-1]] = np.arange(begun, self._begun)[::-1]
        self.begin, self._begun = document.begin, begun
        return None if fresh else new

    def _hold(self, clusters: Sequence[Sequence[Mention]]) -> None:
        """Have room for these, of which the document holds none yet."""
        lengths = list(map(len, clusters))
        self._mentions = list(chain.from_iterable(clusters))
        self.clusters = [number for number, length in enumerate(lengths) for _ in range(length)]
        self.stops = np.cumsum(lengths, dtype=np.int64)
        self.sizes = np.zeros(len(lengths), np.int64)
        self.first = np.zeros(len(lengths), np.int64)
        self.at: dict[Mention, int] = {}
        self.mentions = self.begin = 0

    def _take(self, places: Sequence[int]) -> None:
        self.at.update((self._mentions[place], place) for place in places)
        np.add.at(self.sizes, np.array(self.clusters_of(places), np.int64), 1)
        self.mentions += len(places)

    def clusters_of(self, places: Iterable[int]) -> list[int]:
        """The cluster of each place."""
        return list(map(self.clusters.__getitem__, places))

    def find(self, other: _Held, places: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Those of these places whose mentions the other side holds, and the places that they have there."""
        shift = other.begin - self.begin
        for place in places:
            start, end = self._mentions[place]
            found = other.at.get((start + shift, end + shift))
            if found is not None:
                yield place, found

    def order(self) -> Ints:
        """The clusters that hold a mention, in the order in which they are met."""
        there = np.flatnonzero(self.sizes)
        return there[np.argsort(self.first[there], kind="stable")]

    def places(self) -> Ints:
        """The places of its mentions, by cluster in that order."""
        order = self.order()
        sizes = self.sizes[order]
        return np.arange(self.mentions) + np.repeat(self.stops[order] - np.cumsum(sizes), sizes)


class _Component:
    """Clusters that overlap with one another, over however many of them, and the pairs that do; response clusters are ~r."""

    def __init__(self, cluster: int) -> None:
        self.clusters = [cluster]
        self.pairs: list[int] = []


class _Aligned:
    """The pairs of clusters that are aligned by one weight of them, and the clusters that have grown since."""

    def __init__(self, grown: Iterable[int], room: int) -> None:
        self.grown = set(grown)
        self.chosen = np.zeros(room, bool)


class Common(Contingency):
    """The contingency of one document after the other, as `DocumentContingency` has it, where no mention is repeated."""

    def __init__(self) -> None:
        self._key, self._response = _Held(), _Held()
        self._shift = 0
        self._ordered: Ints | None = None

    def move(self, key: Document, response: Document) -> None:
        """Go on to these."""
        new_keys, new_responses = self._key.move(key), self._response.move(response)
        shift = self._key.begin - self._response.begin
        if new_keys is None or new_responses is None or shift != self._shift:
            self._begin()
            if len(self._key.at) < len(self._response.at):
                self._add((r, k) for k, r in self._key.find(self._response, self._key.at.values()))
            else:
                self._add(self._response.find(self._key, self._response.at.values()))
        else:
            self._add(self._response.find(self._key, new_responses))
            grown = [*self._key.clusters_of(new_keys), *(~r for r in self._response.clusters_of(new_responses))]
            for aligned in self._aligned.values():
                aligned.grown.update(grown)
        self._shift = shift
        self._ordered = None
        sides = self._key, self._response
        self.key_mentions, self.response_mentions = (side.mentions for side in sides)
        self.key_clusters, self.response_clusters = (int(np.count_nonzero(side.sizes)) for side in sides)
        self.distinct = self.key_mentions, self.response_mentions, self.matched

    @property
    def repeated(self) -> bool:
        """Whether a side holds a mention twice."""
        return any(len(side.at) < side.mentions for side in (self._key, self._response))

    def _begin(self) -> None:
        """Forget all that the two sides have in common."""
        room = len(self._response.clusters)
        self.matched = 0
        self._pairs: dict[tuple[int, int], int] = {}
        self._components: dict[int, _Component] = {}
        self._ends, self._n = np.zeros((2, room), np.int64), np.zeros(room, np.int64)
        self._pair_at = np.full(room, -1)
        self._aligned: dict[tuple[str, CodeType] | None, _Aligned] = {}

    def _add(self, matches: Iterable[tuple[int, int]]) -> None:
        """Add mentions in common, by their places in the response and in the key."""
        for at, place in matches:
            k, r = self._key.clusters[place], self._response.clusters[at]
            pair = self._pairs.setdefault((k, r), len(self._pairs))
            if not self._n[pair]:
                self._ends[:, pair] = k, r
                self._joined(k, ~r).pairs.append(pair)
            self._n[pair] += 1
            self._pair_at[at] = pair
            self.matched += 1

    def _joined(self, *clusters: int) -> _Component:
        """The one component that two clusters are in from now on."""
        more, fewer = (self._components.setdefault(one, _Component(one)) for one in clusters)
        if more is fewer:
            return more
        if len(more.clusters) < len(fewer.clusters):
            more, fewer = fewer, more
        more.clusters += fewer.clusters
        more.pairs += fewer.pairs
        self._components.update(dict.fromkeys(fewer.clusters, more))
        return more

    @property
    def once(self) -> Contingency:
        return self

    def with_twins(self, *, key: bool, response: Fate) -> DocumentContingency:
        ranks, order = self._ranks(), [side.order() for side in (self._key, self._response)]
        codes = ranks[0] * max(len(order[1]), 1) + ranks[1]
        keys, responses = (side.sizes[clusters].tolist() for side, clusters in zip((self._key, self._response), order))
        return DocumentContingency(keys, responses, codes[self._in_order()].tolist()).with_twins(key=key, response=response)

    def spread(self, values: Iterable[tuple[int, int]]) -> Number:
        return sum(value for _, value in values)

    def sum_overlaps(self, f: OfOverlap) -> Number:
        values = self._each(f)
        return _sum(values, lambda: np.lexsort(self._ranks()[::-1]))

    def sum_mentions(self, f: OfOverlap) -> Number:
        return _sum(self._each(f)[self._in_order()])

    def sum_alignment(self, f: OfOverlap) -> Number:
        weights = self._each(f)
        chosen = np.flatnonzero(self._align(f, weights))
        # Adds the way the reference does, as in DocumentContingency.
        return _sum(1 - (1 - weights[chosen]), lambda: np.argsort(self._key.first[self._ends[0, chosen]]))

    def sum_key(self, f: OfSize) -> Number:
        return _sum_sizes(f, self._key, self._key.sizes)

    def sum_response(self, f: OfSize) -> Number:
        return _sum_sizes(f, self._response, self._response.sizes)

    def sum_key_matched(self, f: OfSize) -> Number:
        return _sum_sizes(f, self._key, self._matched(0, self._key))

    def sum_response_matched(self, f: OfSize) -> Number:
        return _sum_sizes(f, self._response, self._matched(1, self._response))

    def _matched(self, end: int, side: _Held) -> Ints:
        """How many mentions each cluster of a side has in common with the other side."""
        count = len(self._pairs)
        sizes = np.zeros_like(side.sizes)
        np.add.at(sizes, self._ends[end, :count], self._n[:count])
        return sizes

    def _each(self, f: OfOverlap) -> NDArray[Any]:
        """What `f` makes of each pair of clusters with a mention in common."""
        count = len(self._pairs)
        keys, responses = self._ends[:, :count]
        values = f(self._n[:count], self._key.sizes[keys], self._response.sizes[responses])
        return np.broadcast_to(values, (count,))

    def _ranks(self) -> Ints:
        """The places of the clusters of each pair among those of their side."""
        sides = zip((self._key, self._response), self._ends[:, : len(self._pairs)])
        return np.stack([np.searchsorted(np.sort(side.first[side.order()]), side.first[ends]) for side, ends in sides])

    def _in_order(self) -> Ints:
        """The pair of each mention in common, in response order."""
        if self._ordered is None:
            pairs = self._pair_at[self._response.places()]
            self._ordered = pairs[pairs >= 0]
        return self._ordered

    def _align(self, f: OfOverlap, weights: NDArray[Any]) -> NDArray[np.bool_]:
        """The pairs of the best one-to-one alignment."""
        # A metric makes its function anew for each document. What one gives that holds no values depends on its code alone.
        alike = isinstance(f, FunctionType) and not (f.__closure__ or f.__defaults__ or f.__kwdefaults__)
        code = (f.__module__, f.__code__) if alike else None
        aligned = self._aligned.get(code) or _Aligned(self._components, len(self._n))
        if code is not None:
            self._aligned[code] = aligned
        for component in {self._components[one] for one in aligned.grown if one in self._components}:
            pairs = np.array(component.pairs)
            key, response = self._key.first[self._ends[0, pairs]], self._response.first[self._ends[1, pairs]]
            aligned.chosen[pairs] = False
            aligned.chosen[pairs[best_pairs(key, response, weights[pairs])]] = True
        aligned.grown.clear()
        return aligned.chosen[: len(weights)]


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


def _sum_sizes(f: OfSize, side: _Held, sizes: Ints) -> Number:
    """Over the clusters of a side that are not empty, in their order."""
    there = np.flatnonzero(sizes)
    return _sum(f(sizes[there]), lambda: np.argsort(side.first[there]))


def _sum(values: NDArray[Any], order: Callable[[], Ints] | None = None) -> Number:
    """Their sum; fractions are added one after the other, in that order."""
    if values.dtype.kind in "iub":
        return int(values.sum())
    ordered = values if order is None else values[order()]
    return float(np.cumsum(ordered)[-1]) if len(ordered) else 0.0
