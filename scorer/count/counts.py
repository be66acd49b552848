# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The contingency of clusters, counts, the ratios made of them, and metrics.

A metric asks a contingency how the clusters of a key and a response overlap. Every question is a
sum, over overlaps, clusters or mentions, of a function that the metric brings. The function is
written once with plain operators and is called with numbers here, with arrays in
`scorer.engine.arrays`; the sums add in the same order in both. What the metric counts is divided
here and nowhere else (`divide`).

A mention that only one side has is without a twin. B³ and CEAF were defined for sides that hold the
same mentions; variants of them make the sides alike before they count (`with_twins`), where
reference 8.01 leaves them as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import accumulate, chain

from scorer.count.assignment import assign, may_show, sum_as_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar, Literal, Protocol, TypeAlias

    UnmatchedPolicy = Literal["twin", "drop-singletons", "drop"]
    """What becomes of the response's mentions without a twin: all get one; singletons are left out,
    the others get one; all are left out."""
    Number = Any
    """An int, a float, or an array with an element a document."""
    Group = tuple[tuple[int, ...], tuple[int, ...], int]
    """The key clusters and the response clusters that hold a mention, an entry an occurrence, and
    how many mentions are so held."""
    Clusters = Sequence[Sequence[Hashable]]
    OfOverlap = Callable[[Number, Number, Number], Number]
    OfCluster = Callable[[Number, Number, Number], Number]


class Counts:
    """Numerator and denominator of recall and of precision, in the metric's unit.

    `+` sums them side by side.

    Four numbers for one document or for a total; four arrays with an element a document for a
    batch.
    """

    __slots__ = (
        "precision_denominator",
        "precision_numerator",
        "recall_denominator",
        "recall_numerator",
    )

    # Any stands for int, float, or an array of them: one metric's arithmetic serves all three.
    def __init__(
        self,
        recall_numerator: Any,
        recall_denominator: Any,
        precision_numerator: Any,
        precision_denominator: Any,
    ) -> None:
        self.recall_numerator: Any = recall_numerator
        self.recall_denominator: Any = recall_denominator
        self.precision_numerator: Any = precision_numerator
        self.precision_denominator: Any = precision_denominator

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.recall_numerator + other.recall_numerator,
            self.recall_denominator + other.recall_denominator,
            self.precision_numerator + other.precision_numerator,
            self.precision_denominator + other.precision_denominator,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self.as_tuple() == other.as_tuple()

    __hash__: ClassVar[None]  # type: ignore[assignment]  # counts compare by value and may hold arrays

    def __reduce__(self) -> tuple[object, ...]:
        # Most of what processes send each other is counts.
        return Counts, self.as_tuple()

    def __repr__(self) -> str:
        recall = f"{self.recall_numerator}/{self.recall_denominator}"
        return (
            f"Counts(recall {recall}, precision "
            f"{self.precision_numerator}/{self.precision_denominator})"
        )

    def as_tuple(self) -> tuple[Any, Any, Any, Any]:
        """The four numbers, recall before precision, numerator before denominator."""
        return (
            self.recall_numerator,
            self.recall_denominator,
            self.precision_numerator,
            self.precision_denominator,
        )

    def with_precision_of(self, other: Counts) -> Counts:
        """The recall of these and the precision of others."""
        return Counts(*self.as_tuple()[:2], *other.as_tuple()[2:])

    def ratios(self) -> Ratios:
        """Recall, precision and F1 of these counts."""
        recall = divide(self.recall_numerator, self.recall_denominator)
        return Ratios(recall, divide(self.precision_numerator, self.precision_denominator))


class Ratios:
    """Recall, precision and F1 as fractions from 0 to 1.

    `f1` is their harmonic mean unless it is given. An average has an F1 only: its recall and
    precision are None. A mean over no document is None, F1 too. Of arrays: arrays.

    >>> recall, precision, f1 = Ratios(0.5, 1.0)
    >>> f1
    0.6666666666666666
    """

    __slots__ = ("f1", "precision", "recall")

    # Any stands for None, or for an array.
    recall: float | Any
    precision: float | Any
    f1: float | Any

    def __init__(self, recall: Any, precision: Any, f1: Any = None) -> None:
        self.recall = recall
        self.precision = precision
        if f1 is None and recall is not None:
            f1 = divide(2 * recall * precision, recall + precision)
        self.f1 = f1

    def __iter__(self) -> Iterator[float | Any]:
        return iter(self.as_tuple())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratios) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        return f"Ratios(recall={self.recall}, precision={self.precision}, f1={self.f1})"

    def as_tuple(self) -> tuple[float | Any, float | Any, float | Any]:
        """Recall, precision, F1."""
        return self.recall, self.precision, self.f1


def divide(numerator: Any, denominator: Any) -> Any:
    """`numerator / denominator`, with 0/0 = 0 as in reference 8.01; of arrays element by element.

    >>> divide(1, 4), divide(0, 0)
    (0.25, 0.0)
    """
    # Resampling divides thousands of sums at once by this same rule, and mostly none of them by 0.
    every = getattr(denominator, "all", None)
    if every is not None and every():
        return numerator / denominator
    return numerator * (denominator != 0) / (denominator + (denominator == 0))


def ratios_of_first(parts: Sequence[Counts]) -> Ratios:
    """Recall, precision and F1 of a metric with one part."""
    return parts[0].ratios()


class Metric:
    """One metric: how counts come from a contingency, and how summed counts become ratios.

    A function that returns `Counts`, and a name for it, are all that a metric takes:

    >>> def count(contingency):
    ...     exact = contingency.sum_overlaps(lambda n, k, r: (n == k) * (n == r))
    ...     return Counts(exact, contingency.key_clusters, exact, contingency.response_clusters)
    >>> EXACT = Metric("exact", count, title="Exact clusters", unit="clusters", paper="yours")

    Then `scorer.score(key, response, metrics=["muc", EXACT])` counts it.

    `of`: "clusters", whose counts come from a contingency; "mentions", where it looks inside of
    these or at their order, whose counts come from a `Matched`; or "anaphora", from an `Anaphoric`.

    `unit` names what the denominators count, `paper` its source. `parts` names the counts where
    there are several (BLANC counts two kinds of links); `count` returns as many, and `combine`
    takes their sums: numbers, or arrays with an element for each replicate where documents are
    resampled (a `combine` that raises ValueError or TypeError on arrays is called for each
    element). `variants`: where an option chooses the way to combine, that option, and the way by
    each of its words.
    """

    def __init__(  # noqa: PLR0913  a record of the fast path
        self,
        name: str,
        count: Callable[[Any], Counts | tuple[Counts, ...]],
        *,
        title: str,
        unit: str,
        paper: str,
        parts: tuple[str, ...] = ("coreference",),
        combine: Combine = ratios_of_first,
        variants: tuple[str, Mapping[str, Combine]] | None = None,
        of: str = "clusters",
        counts_from_key: bool = False,
    ) -> None:
        self.name = name
        self.function = count
        self.title = title
        self.unit = unit
        self.paper = paper
        self.parts = parts
        self.combine = combine
        self.variants = variants
        self.of = of
        self.counts_from_key = counts_from_key

    def count(self, contingency: Any) -> tuple[Counts, ...]:
        """Return the counts of each part."""
        counts = self.function(contingency)
        return (counts,) if isinstance(counts, Counts) else counts

    def combined_as(self, options: Mapping[str, Any]) -> Metric:
        """Return the metric that combines its counts as the options say."""
        if self.variants is None:
            return self
        option, ways = self.variants
        if ways[options[option]] is self.combine:
            return self
        # Imported late, as the usual way needs no copy, and a small run feels it.
        from copy import copy

        metric = copy(self)
        metric.combine = ways[options[option]]
        return metric

    def __repr__(self) -> str:
        return f"<Metric {self.name}>"


if TYPE_CHECKING:
    Combine: TypeAlias = Callable[[Sequence[Counts]], Ratios]

    class Matched(Protocol):
        """A key and a response with matched mentions, as metrics of mentions see them."""

        def overlap(self) -> tuple[int, int, int]:
            """Count the most tokens in common of mentions one to one, and those of each side."""

        def in_order(self) -> tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]]]:
            """Return the clusters of key and response, their mentions by first, then last token."""

        def counterpart(self, mention: Any) -> Any | None:
            """The response mention that stands for a key mention; None where there is none."""

        def is_zero(self, mention: Any) -> bool:
            """Return whether a mention is made of empty nodes only."""

    class Anaphoric(Protocol):
        """A key and a response with anaphora beside coreference."""

        def non_referring(self) -> Counts:
            """Count non-referring expressions of both sides, of the key and of the response."""

        def bridging(self, level: str) -> Counts:
            """Count bridging anaphors that are resolved: `anaphor`, `mention` or `entity`."""


class Contingency(ABC):
    """Overlaps of key and response clusters, counted in mentions.

    A function of an overlap takes (mentions in common, size of the key cluster, size of the
    response cluster).

    Attributes:
        key_mentions: Mentions of the key, each occurrence of one that repeats.
        key_clusters: Key clusters that are not empty.
        response_mentions: Mentions of the response, each occurrence of one that repeats.
        response_clusters: Response clusters that are not empty.
        matched: Response mentions that the key has too.
        distinct: Mentions of the key, of the response and of both, each counted once.
        groups: Where mentions repeat, all of them, by the clusters that hold them.
        pairs_once: Whether a pair of mentions is either a coreference link or none, also where
            mentions repeat; reference 8.01 counts some as both.
    """

    key_mentions: Number
    key_clusters: Number
    response_mentions: Number
    response_clusters: Number
    matched: Number
    distinct: tuple[Number, Number, Number]
    groups: Sequence[Group] = ()
    pairs_once = False

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

    def sum_groups(self, f: OfOverlap) -> tuple[Number, Number]:
        """Sum over the groups of mentions of a cluster that the other side holds together.

        Of key clusters, and of response clusters. These groups are the overlaps, the same for both,
        unless repeated mentions are kept.
        """
        total = self.sum_overlaps(f)
        return total, total

    def sum_shares(self, of_key: OfOverlap, of_response: OfOverlap) -> tuple[Number, Number]:
        """Sum over the matched mentions, of the key and of the response, each with its overlap.

        Where repeated mentions are kept, the two sides have different ones.
        """
        return self.sum_mentions(of_key), self.sum_mentions(of_response)

    @abstractmethod
    def sum_mentions(self, f: OfOverlap) -> Number:
        """Sum `f` of the overlap that holds each matched mention, in response order."""

    @abstractmethod
    def sum_alignment(self, f: OfOverlap, *, as_reference: bool = False) -> Number:
        """Sum over the one-to-one alignment of clusters that makes this sum greatest.

        Of several such alignments it is that of the reference where this may show in the figures of
        a document, or, if `as_reference`, in every document.
        """

    @abstractmethod
    def sum_clusters(self, f: OfCluster) -> tuple[Number, Number]:
        """Sum over the clusters that hold a mention, of the key and of the response.

        The function takes (size, matched mentions, pairs of these in one cluster of the other
        side). Where mentions repeat, each of the key is given to the last response cluster that has
        it, and the other way round.
        """


class Overlaps:
    """The pairs of clusters with mentions in common, in columns, by key, then by response cluster.

    `codes` are those pairs, each as one number, key cluster · response clusters + response cluster,
    which is quicker to make and to count than a tuple. `keys` and `responses` are the numbers of
    the clusters, `n` counts the mentions in common.
    """

    __slots__ = ("codes", "keys", "n", "responses", "sizes")

    def __init__(
        self,
        counts: Mapping[int, Number],
        key_sizes: Sequence[int],
        response_sizes: Sequence[int],
    ) -> None:
        width = len(response_sizes)
        self.codes: list[int] = sorted(counts)
        self.keys: list[int] = [code // width for code in self.codes]
        self.responses: list[int] = [code % width for code in self.codes]
        self.n: list[Number] = list(map(counts.__getitem__, self.codes))
        self.sizes: tuple[list[int], list[int]] = (
            list(map(key_sizes.__getitem__, self.keys)),
            list(map(response_sizes.__getitem__, self.responses)),
        )

    def each(self, f: OfOverlap) -> list[Number]:
        """Return the value of `f` for each overlap."""
        return list(map(f, self.n, *self.sizes))


class DocumentContingency(Contingency):
    """The contingency of one document, in plain Python.

    `key_sizes` and `response_sizes`: mentions of each cluster. `order`: for each matched mention in
    response order the code of its two clusters, as in `Overlaps`.
    """

    follows_reference = True
    """Whether of several best alignments that of the reference is taken where it may show."""

    def __init__(
        self,
        key_sizes: Sequence[int],
        response_sizes: Sequence[int],
        order: Sequence[int],
        *,
        distinct: tuple[int, int, int] | None = None,
    ) -> None:
        self.key_mentions: Number = sum(key_sizes)
        self.key_clusters: Number = len(key_sizes) - key_sizes.count(0)
        self.response_mentions: Number = sum(response_sizes)
        self.response_clusters: Number = len(response_sizes) - response_sizes.count(0)
        self.matched: Number = len(order)
        self.distinct = distinct or (self.key_mentions, self.response_mentions, self.matched)
        self.key_sizes = key_sizes
        self.response_sizes = response_sizes
        self._order = order
        # Where mentions repeat, what two clusters have in common depends on the side that counts:
        # `_overlaps` gives each mention of the response to the last key cluster that holds it.
        self._overlaps = self._key_overlaps = self._table(order)
        self._response_in_key = self._key_in_response = self._overlaps
        self._clusters: tuple[list[Any], list[Any]] | None = None

    def _table(self, codes: Iterable[int], counts: Mapping[int, Number] | None = None) -> Overlaps:
        counted: dict[int, Number] = dict(counts or ())
        for code in codes:
            counted[code] = counted.get(code, 0) + 1
        return Overlaps(counted, self.key_sizes, self.response_sizes)

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> DocumentContingency:
        """Give unmatched mentions a twin, a singleton on the other side; return that contingency.

        Where mentions repeat, each occurrence that the other side lacks counts as a mention of its
        own here.

        Args:
            key: Whether the key's get one, or stay as they are.
            response: What becomes of the response's.
        """
        table = self._overlaps
        key_alone, response_alone = (
            [max(size - n, 0) for size, n in zip(sizes, _sums_of(numbers, table.n, len(sizes)))]
            for sizes, numbers in (
                (self.key_sizes, table.keys),
                (self.response_sizes, table.responses),
            )
        )
        twinned = [
            n * _has_twin(response, size) for n, size in zip(response_alone, self.response_sizes)
        ]
        responses = [
            size - n + left for size, n, left in zip(self.response_sizes, response_alone, twinned)
        ]
        # Added clusters come last, in the order of the clusters that hold their mentions' twins.
        pairs = [(len(self.key_sizes) + at, r) for at, r in enumerate(_each(twinned))]
        keys = [*self.key_sizes, *[1] * len(pairs)]
        of_key = list(_each(key_alone)) if key else []
        pairs += [(k, len(responses) + at) for at, k in enumerate(of_key)]
        responses += [1] * len(of_key)
        before, width = len(self.response_sizes), len(responses)
        order = [code // before * width + code % before for code in self._order]
        return DocumentContingency(keys, responses, [*order, *(k * width + r for k, r in pairs)])

    def sum_overlaps(self, f: OfOverlap) -> Number:
        return add(self._overlaps.each(f)) if self._overlaps.codes else 0 * f(1, 1, 1)

    def alone_in_both(self) -> tuple[Number, Number]:
        key, response = self._key_overlaps, self._overlaps
        keys = {k for k, *sizes in zip(key.keys, *key.sizes) if sizes == [1, 1]}
        responses = {r for r, *sizes in zip(response.responses, *response.sizes) if sizes == [1, 1]}
        return len(keys), len(responses)

    def sum_mentions(self, f: OfOverlap) -> Number:
        table = self._response_in_key
        share = dict(zip(table.codes, table.each(f)))
        return add(map(share.__getitem__, self._order)) if share else 0 * f(1, 1, 1)

    def sum_alignment(self, f: OfOverlap, *, as_reference: bool = False) -> Number:
        table = self._key_in_response
        weights = dict(zip(zip(table.keys, table.responses), table.each(f)))
        if not weights:
            return 0 * f(1, 1, 1)
        pairs, settled = assign(weights)
        chosen = set(pairs)
        # The reference minimises 1 - f and adds 1 minus that, which shows in the last printed
        # digit.
        total = add([1 - (1 - weight) for pair, weight in weights.items() if pair in chosen])
        sizes = self.key_clusters, self.response_clusters
        if (
            self.follows_reference
            and not settled
            and isinstance(total, float)
            and (as_reference or may_show(total, *sizes))
        ):
            # The reference leaves out response clusters without a mention, but not key clusters
            # that come before others.
            places = list(accumulate((size > 0 for size in self.response_sizes), initial=0))
            placed = {(k, places[r]): weight for (k, r), weight in weights.items()}
            return sum_as_reference(total, placed, max(len(self.key_sizes), sizes[1]))
        return total

    def sum_clusters(self, f: OfCluster) -> tuple[Number, Number]:
        if self._clusters is None:
            key, response = self._key_overlaps, self._overlaps
            self._clusters = (
                _clusters(self.key_sizes, key.keys, key.n),
                _clusters(self.response_sizes, response.responses, response.n),
            )
        in_key, in_response = (
            add([f(*cluster) for cluster in clusters]) if clusters else 0 * f(1, 1, 1)
            for clusters in self._clusters
        )
        return in_key, in_response


def _clusters(
    sizes: Sequence[int], numbers: Sequence[int], counts: Sequence[Number]
) -> list[tuple[int, Number, Number]]:
    """The size, the matched mentions and the linked pairs of each cluster that is not empty."""
    matched = _sums_of(numbers, counts, len(sizes))
    linked = _sums_of(numbers, map(links, counts), len(sizes))
    return [cluster for cluster in zip(sizes, matched, linked) if cluster[0]]


def links(n: Number) -> Number:
    """Return the pairs among `n` mentions.

    The part of `n` below 1 is the weight of one more mention, a split antecedent.
    """
    whole = n // 1
    return whole * (whole - 1) // 2 + whole * (n - whole)


def _sums_of(numbers: Sequence[int], counts: Iterable[Number], clusters: int) -> list[Number]:
    """The sum of the counts beside the number of each of so many clusters."""
    sums: list[Number] = [0] * clusters
    for number, n in zip(numbers, counts):
        sums[number] += n
    return sums


def _has_twin(response: UnmatchedPolicy, size: int) -> bool:
    """Return whether unmatched mentions of a response cluster of that size get twins."""
    return response == "twin" or (response == "drop-singletons" and size > 1)


def _each(counts: Iterable[int]) -> Iterable[int]:
    """The place of each count, as often as it says."""
    return (at for at, n in enumerate(counts) for _ in range(n))


def add(numbers: Iterable[Number]) -> Number:
    """Add numbers one after the other: `sum` compensates from Python 3.12 on, the reference not."""
    total: Number = 0
    for number in numbers:
        total += number
    return total


class RepeatedContingency(DocumentContingency):
    """The contingency of two partitions in which mentions may repeat, counted as by reference 8.01.

    Each occurrence counts, which may give ratios above 1.
    """

    def __init__(self, key: Clusters, response: Clusters) -> None:
        self._partitions = key, response
        in_key, in_response = _holders(key), _holders(response)
        width = len(response)
        order = [
            in_key[mention][-1] * width + r
            for r, cluster in enumerate(response)
            for mention in cluster
            if mention in in_key
        ]
        both = sum(mention in in_key for mention in in_response)
        super().__init__(
            list(map(len, key)),
            list(map(len, response)),
            order,
            distinct=(len(in_key), len(in_response), both),
        )
        # The mentions of the response cluster that lie in the key cluster, those of the key cluster
        # that lie in the response cluster, and those that the response gives to its last.
        response_in_key: list[int] = []
        key_in_response: list[int] = []
        key_overlaps: list[int] = []
        groups: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        for mention in in_key | in_response:
            ks, rs = in_key.get(mention, []), in_response.get(mention, [])
            response_in_key += [k * width + r for k in set(ks) for r in rs]
            key_in_response += [k * width + r for k in ks for r in set(rs)]
            key_overlaps += [k * width + r for k in ks for r in rs[-1:]]
            group = tuple(ks), tuple(rs)
            groups[group] = groups.get(group, 0) + 1
        self._response_in_key = self._table(response_in_key)
        self._key_in_response = self._table(key_in_response)
        self._key_overlaps = self._table(key_overlaps)
        self.groups = [(ks, rs, n) for (ks, rs), n in groups.items()]

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> DocumentContingency:
        if not any(ks and rs and len(ks) + len(rs) > 2 for ks, rs, _ in self.groups):
            return super().with_twins(key=key, response=response)
        in_key, in_response = (set(chain(*side)) for side in self._partitions)
        keys, responses = (
            [[m if m in others else object() for m in cluster] for cluster in side]
            for side, others in zip(self._partitions, (in_response, in_key))
        )
        responses = [
            [m for m in cluster if m in in_key or _has_twin(response, len(cluster))]
            for cluster in responses
        ]
        twins = [[m] for m in chain(*responses) if m not in in_key]
        if key:
            responses += [[m] for m in chain(*keys) if m not in in_response]
        return type(self)([*keys, *twins], responses)


def _holders(side: Clusters) -> dict[Hashable, list[int]]:
    """The clusters that hold each mention, an entry an occurrence."""
    numbers: dict[Hashable, list[int]] = {}
    for number, cluster in enumerate(side):
        for mention in cluster:
            numbers.setdefault(mention, []).append(number)
    return numbers
