"""How the clusters of a key and a response overlap: everything a metric may ask.

Every question is a sum, over overlaps, clusters or mentions, of a function that the metric brings.
The function is written once with plain operators and is called with numbers here, with arrays in
`scorer.engine.arrays`; the sums add in the same order in both.

A mention that only one side has is without a twin. B³ and CEAF were defined for sides that hold the
same mentions; variants of them make the sides alike before they count (`with_twins`), where
reference 8.01 leaves them as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import accumulate, count, pairwise

from scorer.count.assignment import align_surely, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    UnmatchedPolicy = Literal["twin", "drop-singletons", "drop"]
    """What becomes of the response's mentions without a twin: all get one; singletons are left out,
    the others get one; all are left out."""
    Number = Any
    """An int, a float, or an array with an element a document."""
    Group = tuple[tuple[int, ...], tuple[int, ...], int]
    """The key clusters and the response clusters that hold a mention, an entry an occurrence, and
    how many mentions are so held."""
    Clusters = Sequence[Sequence[Hashable]]


class Contingency(ABC):
    """Overlaps of key and response clusters, counted in mentions.

    `key_mentions` and `response_mentions` count repeats too; `key_clusters` and `response_clusters`
    leave out empty ones; `matched` counts the response mentions that the key has too; `distinct`
    counts each mention once: of the key, of the response, of both. A function of an overlap takes
    (mentions in common, size of the key cluster, size of the response cluster).

    `repeats` holds the mentions that still occur twice on a side, and `once` is the contingency
    without them.
    """

    key_mentions: Number
    key_clusters: Number
    response_mentions: Number
    response_clusters: Number
    matched: Number
    distinct: tuple[Number, Number, Number]
    repeats: Sequence[Repeats] = ()

    @property
    @abstractmethod
    def once(self) -> Contingency:
        """The contingency of the mentions that occur once on each side that has them."""

    @abstractmethod
    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> Contingency:
        """Give unmatched mentions a twin, a singleton on the other side; return that contingency.

        `key` says whether the key's get one or stay as they are, `response` what becomes of the
        response's. Where mentions repeat, each occurrence that the other side lacks counts as a
        mention of its own here.
        """

    def spread(self, values: Iterable[tuple[int, int]]) -> Number:
        """Sum of (document, value) pairs, by document where there are several."""
        return sum(value for _, value in values)

    def matched_links(self) -> Number:
        """Count the pairs of matched mentions."""
        return links(self.matched)

    @abstractmethod
    def sum_overlaps(self, f: OfOverlap) -> Number:
        """Sum over pairs of clusters with a mention in common, by key, then by response cluster."""

    def alone_in_both(self) -> tuple[Number, Number]:
        """Count singletons whose mention is a singleton on the other side too, on both sides."""
        both = self.sum_overlaps(lambda n, k, r: n * (k == 1) * (r == 1))
        return both, both

    @abstractmethod
    def sum_mentions(self, f: OfOverlap) -> Number:
        """Over the matched mentions in response order, each with the overlap that holds it."""

    @abstractmethod
    def sum_alignment(self, f: OfOverlap, *, as_reference: bool = False) -> Number:
        """Sum over the one-to-one alignment of clusters that makes this sum greatest.

        Of several such alignments it is that of the reference where this may show in the figures of
        a document, or, if `as_reference`, in every document.
        """

    @abstractmethod
    def sum_key(self, f: OfSize) -> Number:
        """Over the key clusters that hold a mention, of their sizes."""

    @abstractmethod
    def sum_response(self, f: OfSize) -> Number:
        """Over the response clusters that hold a mention, of their sizes."""

    @abstractmethod
    def sum_key_matched(self, f: OfSize) -> Number:
        """Over the key clusters that hold a matched mention, of the number of these."""

    @abstractmethod
    def sum_response_matched(self, f: OfSize) -> Number:
        """Over the response clusters that hold a matched mention, of the number of these."""

    @abstractmethod
    def sum_key_linked(self, f: OfLinks) -> Number:
        """Sum over key clusters with a matched mention: pairs in one response cluster, and size.

        Where mentions repeat, each mention of the key is given to the last response cluster that
        has it.
        """

    @abstractmethod
    def sum_response_linked(self, f: OfLinks) -> Number:
        """Sum over response clusters with a matched mention: pairs in one key cluster, and size."""


class Repeats:
    """The mentions of one document that occur twice on a side, in groups held by the same clusters.

    `once` is the contingency without them. `document` is the document's place in a batch, 0 for a
    document alone.
    """

    __slots__ = ("document", "groups", "once")

    def __init__(self, document: int, groups: Sequence[Group], once: DocumentContingency) -> None:
        self.document = document
        self.groups = groups
        self.once = once


class Overlaps:
    """The pairs of clusters with mentions in common, in columns.

    `codes` are those pairs, each as one number, key cluster · response clusters + response cluster,
    which is quicker to make and to count than a tuple. `keys` and `responses` are the numbers of
    the clusters, `n` counts the mentions in common.
    """

    __slots__ = ("_contested", "_sizes", "_width", "codes", "keys", "n", "responses")

    def __init__(
        self,
        codes: Sequence[int],
        counts: Mapping[int, Number],
        key_sizes: Sequence[int],
        response_sizes: Sequence[int],
    ) -> None:
        width = len(response_sizes)
        self.codes = codes
        self.keys = [code // width for code in self.codes]
        self.responses = [code % width for code in self.codes]
        self.n = list(map(counts.__getitem__, self.codes))
        self._sizes = (
            list(map(key_sizes.__getitem__, self.keys)),
            list(map(response_sizes.__getitem__, self.responses)),
        )
        self._width = width
        self._contested: dict[tuple[int, int], int] | None = None

    def each(self, f: OfOverlap) -> Iterator[Number]:
        """What `f` makes of each."""
        return map(f, self.n, *self._sizes)

    def sum(self, f: OfOverlap) -> Number:
        """Over all of them."""
        return add(self.each(f)) if self.codes else _nothing(f)

    def sum_linked(self, f: OfLinks, clusters: Sequence[int], sizes: Sequence[int]) -> Number:
        """Sum over the clusters of one side: the pairs of mentions in their overlaps, and size."""
        pairs = dict.fromkeys(sorted(clusters), 0)
        for cluster, n in zip(clusters, self.n):
            pairs[cluster] += links(n)
        return add(map(f, pairs.values(), map(sizes.__getitem__, pairs))) if pairs else 0 * f(1, 1)

    def alone(self) -> tuple[set[int], set[int]]:
        """Count singletons whose mention is a singleton on the other side too, on both sides."""
        both = [
            (k, r)
            for k, r, *sizes in zip(self.keys, self.responses, *self._sizes)
            if sizes == [1, 1]
        ]
        return {k for k, _ in both}, {r for _, r in both}

    def left_out(self, weights: Sequence[Number]) -> tuple[set[int], bool]:
        """The codes of those that are not in the one-to-one alignment of greatest total weight.

        A weight for each is given.

        Also whether the first look shows that all such alignments give each key cluster the same
        weight.
        """
        left = self.contested(weights)
        if not left:
            return set(), True
        pairs, sure = align_surely(left)
        for pair in pairs:
            del left[pair]
        width = self._width
        return {k * width + r for k, r in left}, sure

    def contested(self, weights: Sequence[Number]) -> dict[tuple[int, int], Number]:
        """The weights of the pairs that have a cluster in common with another one.

        All others are in every best alignment.
        """
        if self._contested is None:
            keys, responses = _repeated(self.keys), _repeated(self.responses)
            pairs = enumerate(zip(self.keys, self.responses)) if keys or responses else ()
            self._contested = {
                pair: at for at, pair in pairs if pair[0] in keys or pair[1] in responses
            }
        return {pair: weights[at] for pair, at in self._contested.items()}


class DocumentContingency(Contingency):
    """The contingency of one document, in plain Python.

    `key_sizes` and `response_sizes`: mentions of each cluster. `order`: for each matched mention in
    response order the code of its two clusters, as in `Overlaps`.

    Where mentions repeat, what two clusters have in common depends on the side that counts. `order`
    then gives each mention of the response to the last key cluster that holds it, `key_overlaps`
    counts the other way round; `response_in_key` counts the mentions of the response cluster that
    lie in the key cluster, `key_in_response` those of the key cluster in the response cluster.
    """

    follows_reference = True
    """Whether of several best alignments that of the reference is taken where it may show."""

    def __init__(
        self,
        key_sizes: Sequence[int],
        response_sizes: Sequence[int],
        order: Sequence[int],
        *,
        response_in_key: Sequence[int] | None = None,
        key_in_response: Sequence[int] | None = None,
        key_overlaps: Sequence[int] | None = None,
        distinct: tuple[int, int, int] | None = None,
        repeats: Repeats | None = None,
    ) -> None:
        self.key_mentions = sum(key_sizes)
        self.key_clusters = len(key_sizes) - key_sizes.count(0)
        self.response_mentions = sum(response_sizes)
        self.response_clusters = len(response_sizes) - response_sizes.count(0)
        self.matched = len(order)
        self.distinct = distinct or (self.key_mentions, self.response_mentions, self.matched)
        self.key_sizes = key_sizes
        self.response_sizes = response_sizes
        self._order = order
        self._overlaps = self._table(order, sorted)
        self._response_in_key = (
            self._overlaps if response_in_key is None else self._table(response_in_key)
        )
        self._key_in_response = (
            self._overlaps if key_in_response is None else self._table(key_in_response)
        )
        self._key_overlaps = (
            self._overlaps if key_overlaps is None else self._table(key_overlaps, sorted)
        )
        self.repeats = () if repeats is None else (repeats,)

    def _table(
        self, codes: Iterable[int], arranged: Callable[[Iterable[int]], list[int]] = list
    ) -> Overlaps:
        counts: dict[int, int] = {}
        for code in codes:
            counts[code] = counts.get(code, 0) + 1
        return Overlaps(arranged(counts), counts, self.key_sizes, self.response_sizes)

    @property
    def once(self) -> Contingency:
        return self.repeats[0].once if self.repeats else self

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> DocumentContingency:
        twinned = [
            n * has_twin(response, size)
            for n, size in zip(self.response_alone, self.response_sizes)
        ]
        responses = [
            size - n + left
            for size, n, left in zip(self.response_sizes, self.response_alone, twinned)
        ]
        # Added clusters come last, in the order of the clusters that hold their mentions' twins.
        pairs = [(len(self.key_sizes) + at, r) for at, r in enumerate(_each(twinned))]
        keys = [*self.key_sizes, *[1] * len(pairs)]
        of_key = list(_each(self.key_alone)) if key else []
        pairs += [(k, len(responses) + at) for at, k in enumerate(of_key)]
        responses += [1] * len(of_key)
        before, width = len(self.response_sizes), len(responses)
        order = [code // before * width + code % before for code in self._order]
        return DocumentContingency(keys, responses, [*order, *(k * width + r for k, r in pairs)])

    @property
    def overlaps(self) -> dict[tuple[int, int], int]:
        """Mentions in common by (key cluster, response cluster), where there are any."""
        return dict(zip(zip(self._overlaps.keys, self._overlaps.responses), self._overlaps.n))

    @property
    def key_matched(self) -> dict[int, int]:
        """Matched mentions of the key clusters that have any."""
        return _sums_of(self._overlaps.keys, self._overlaps.n)

    @property
    def response_matched(self) -> dict[int, int]:
        """Matched mentions of the response clusters that have any."""
        return _sums_of(self._overlaps.responses, self._overlaps.n)

    @property
    def key_alone(self) -> list[int]:
        """Mentions of each key cluster that the response lacks.

        Where one repeats that both sides have, too few.
        """
        matched = self.key_matched
        return [max(size - matched.get(k, 0), 0) for k, size in enumerate(self.key_sizes)]

    @property
    def response_alone(self) -> list[int]:
        """Mentions of each response cluster that the key lacks.

        Where one repeats that both sides have, too few.
        """
        matched = self.response_matched
        return [max(size - matched.get(r, 0), 0) for r, size in enumerate(self.response_sizes)]

    def sum_overlaps(self, f: OfOverlap) -> Number:
        return self._overlaps.sum(f)

    def alone_in_both(self) -> tuple[Number, Number]:
        return len(self._key_overlaps.alone()[0]), len(self._overlaps.alone()[1])

    def sum_mentions(self, f: OfOverlap) -> Number:
        table = self._response_in_key
        share = dict(zip(table.codes, table.each(f)))
        return add(map(share.__getitem__, self._order)) if share else _nothing(f)

    def sum_alignment(self, f: OfOverlap, *, as_reference: bool = False) -> Number:
        table = self._key_in_response
        weights = list(table.each(f))
        left_out, sure = table.left_out(weights)
        kept: Iterable[Number] = weights
        if left_out or table is not self._overlaps:
            pairs = zip(table.codes, weights)
            kept = [
                weight
                for code, weight in (pairs if table is self._overlaps else sorted(pairs))
                if code not in left_out
            ]
        # The reference minimises 1 - f and adds 1 minus that, which shows in the last printed
        # digit.
        total = add([1 - (1 - weight) for weight in kept]) if weights else _nothing(f)
        if self.follows_reference and left_out and not sure and isinstance(total, float):
            from scorer.count.assignment import may_show, sum_as_reference

            shows = as_reference or may_show(total, self.key_clusters, self.response_clusters)
            if shows and not settled(table.contested(weights)):
                # The reference leaves out response clusters without a mention, but not key clusters
                # that come before others.
                places = list(accumulate((size > 0 for size in self.response_sizes), initial=0))
                pairs = zip(table.keys, map(places.__getitem__, table.responses))
                return sum_as_reference(
                    total,
                    dict(zip(pairs, weights)),
                    max(len(self.key_sizes), self.response_clusters),
                )
        return total

    def sum_key(self, f: OfSize) -> Number:
        return add(map(f, filter(None, self.key_sizes)))

    def sum_response(self, f: OfSize) -> Number:
        return add(map(f, filter(None, self.response_sizes)))

    def sum_key_matched(self, f: OfSize) -> Number:
        return add(map(f, self.key_matched.values()))

    def sum_response_matched(self, f: OfSize) -> Number:
        return add(map(f, self.response_matched.values()))

    def sum_key_linked(self, f: OfLinks) -> Number:
        return self._key_overlaps.sum_linked(f, self._key_overlaps.keys, self.key_sizes)

    def sum_response_linked(self, f: OfLinks) -> Number:
        return self._overlaps.sum_linked(f, self._overlaps.responses, self.response_sizes)


def links(n: Number) -> Number:
    """Return the pairs among `n` mentions.

    The part of `n` below 1 is the weight of one more mention, a split antecedent.
    """
    whole = n // 1
    return whole * (whole - 1) // 2 + whole * (n - whole)


def _repeated(numbers: Sequence[int]) -> set[int]:
    """Those that are there more than once."""
    if len(set(numbers)) == len(numbers):
        return set()
    ordered = sorted(numbers)
    return {number for number, after in pairwise(ordered) if number == after}


def _sums_of(numbers: Iterable[int], counts: Iterable[int]) -> dict[int, int]:
    """The sum of the counts beside each number, in the order in which these are first met."""
    sums: dict[int, int] = {}
    for number, n in zip(numbers, counts):
        sums[number] = sums.get(number, 0) + n
    return sums


def has_twin(response: UnmatchedPolicy, size: Number) -> Number:
    """Return whether unmatched mentions of a response cluster of that size get twins."""
    return (size > 0) * (response == "twin") + (size > 1) * (response == "drop-singletons")


def _each(counts: Iterable[int]) -> Iterable[int]:
    """The place of each count, as often as it says."""
    return (at for at, n in enumerate(counts) for _ in range(n))


def _nothing(f: OfOverlap) -> Number:
    """Return the sum over no overlap: 0 or 0.0, as `f` counts, the same in both engines."""
    return 0 * f(1, 1, 1)


def add(numbers: Iterable[Number]) -> Number:
    """Add numbers one after the other: `sum` compensates from Python 3.12 on, the reference not."""
    total: Number = 0
    for number in numbers:
        total += number
    return total


class RepeatedContingency(DocumentContingency):
    """The contingency of a document in which mentions may repeat."""

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> DocumentContingency:
        if not any(ks and rs for repeats in self.repeats for ks, rs, _ in repeats.groups):
            return super().with_twins(key=key, response=response)
        # Where mentions repeat that both sides have, two partitions with this contingency are
        # written out.
        fresh = count()
        keys: list[list[int]] = [[] for _ in self.key_sizes]
        responses: list[list[int]] = [[] for _ in self.response_sizes]
        for ks, rs, n in _groups(self):
            if ks and rs:
                for mention in [next(fresh) for _ in range(n)]:
                    for k in ks:
                        keys[k].append(mention)
                    for r in rs:
                        responses[r].append(mention)
                continue
            for k in ks * n:
                keys[k].append(next(fresh))
                responses += [[keys[k][-1]]] if key else []
            for r in rs * n:
                if has_twin(response, self.response_sizes[r]):
                    responses[r].append(next(fresh))
                    keys.append([responses[r][-1]])
        return contingency_of(keys, responses)


def contingency_of(key: Clusters, response: Clusters) -> RepeatedContingency:
    """The contingency of two partitions, each occurrence of a mention counted."""
    in_key = _clusters_of(key)
    in_response = _clusters_of(response)
    width = len(response)
    order = [
        in_key[mention][-1] * width + r
        for r, cluster in enumerate(response)
        for mention in cluster
        if mention in in_key
    ]
    response_in_key: list[int] = []
    key_in_response: list[int] = []
    key_overlaps: list[int] = []
    for mention, ks in in_key.items():
        rs = in_response.get(mention, [])
        holders = set(rs)
        key_overlaps += [k * width + r for k in ks for r in rs[-1:]]
        response_in_key += [k * width + r for k in set(ks) for r in rs]
        key_in_response += [k * width + r for k in ks for r in holders]
    held: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for mention in in_key | in_response:
        by = tuple(in_key.get(mention, ())), tuple(in_response.get(mention, ()))
        held[by] = held.get(by, 0) + 1
    groups = [(ks, rs, n) for (ks, rs), n in held.items()]
    repeated = [group for group in groups if len(group[0]) > 1 or len(group[1]) > 1]
    once = _once(
        [group for group in groups if len(group[0]) <= 1 and len(group[1]) <= 1],
        len(key),
        len(response),
    )
    return RepeatedContingency(
        list(map(len, key)),
        list(map(len, response)),
        order,
        response_in_key=response_in_key,
        key_in_response=key_in_response,
        key_overlaps=key_overlaps,
        distinct=(len(in_key), len(in_response), sum(mention in in_key for mention in in_response)),
        repeats=Repeats(0, repeated, once),
    )


def _clusters_of(side: Clusters) -> dict[Hashable, list[int]]:
    """The clusters that hold each mention, an entry an occurrence."""
    numbers: dict[Hashable, list[int]] = {}
    for number, cluster in enumerate(side):
        for mention in cluster:
            numbers.setdefault(mention, []).append(number)
    return numbers


def _once(
    groups: Sequence[Group], key_clusters: int, response_clusters: int
) -> DocumentContingency:
    key_sizes, response_sizes = [0] * key_clusters, [0] * response_clusters
    order: list[int] = []
    for ks, rs, n in groups:
        for k in ks:
            key_sizes[k] += n
        for r in rs:
            response_sizes[r] += n
        if ks and rs:
            order += [ks[0] * response_clusters + rs[0]] * n
    return DocumentContingency(key_sizes, response_sizes, order)


def _groups(repeated: DocumentContingency) -> list[Group]:
    """All mentions, by the clusters that hold them."""
    once = repeated.repeats[0].once
    groups: list[Group] = [((k,), (r,), n) for (k, r), n in once.overlaps.items()]
    groups += [((k,), (), n) for k, n in enumerate(once.key_alone)]
    groups += [((), (r,), n) for r, n in enumerate(once.response_alone)]
    return [*groups, *repeated.repeats[0].groups]


if TYPE_CHECKING:
    OfSize = Callable[[Number], Number]
    OfOverlap = Callable[[Number, Number, Number], Number]
    OfLinks = Callable[[Number, Number], Number]
