"""Clusters of key and response whose mentions have partners, as other programs count them.

Metrics look each mention of a side, or its partner, up in the other side's clusters. CEAF counts it
in each that holds it, the others in the last. Recall is counted from the key's mentions and
precision from the response's, but for metrics that say `counts_from_key`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import Problem
from scorer.count.counts import Counts, DocumentContingency, links
from scorer.match.matching import Mention, Similarities, best_pairs, count_overlap

if TYPE_CHECKING:
    from scorer.count.counts import Metric, Number, OfOverlap, UnmatchedPolicy
    from scorer.match.align import Removed, Repeat

Clusters = Sequence[Sequence[Mention]]
Pair = tuple[Mention, Mention]
"""A mention of the key and one of the response."""
Weights = Mapping[Mention, tuple[Mention, float]]
"""The partner of each aligned split antecedent of one side, and how much it counts."""

NO_WEIGHTS: Weights = MappingProxyType({})


class Lookup(DocumentContingency):
    """The overlaps as the mentions of one side find their clusters on the other.

    `weights` are those of mentions that do not count as 1, by the code of their clusters. For CEAF
    `in_each` has a code for each response cluster that holds a key mention; it is empty where no
    two response clusters share a mention.
    """

    follows_reference = False

    def __init__(
        self,
        key_sizes: Sequence[int],
        response_sizes: Sequence[int],
        order: Sequence[int],
        *,
        distinct: tuple[int, int, int],
        weights: Mapping[int, float],
        in_each: Sequence[int],
    ) -> None:
        super().__init__(key_sizes, response_sizes, order, distinct=distinct)
        self._weights = weights
        if weights:
            self._overlaps = self._key_overlaps = self._table(order, weights)
            self._key_in_response = self._overlaps
        if in_each:
            self._key_in_response = self._table(in_each, weights)

    def with_twins(self, *, key: bool, response: UnmatchedPolicy) -> DocumentContingency:
        if self._weights:
            raise ValueError(
                "variants of B³ and CEAF do not support split antecedents; leave one of them out"
            )
        return super().with_twins(key=key, response=response)

    def matched_links(self) -> Number:
        if not self._weights:
            return links(self.matched)
        # Pairs of mentions that count as 1, pairs of one and a weight, pairs of weights.
        weights = self._weights.values()
        total = sum(weights)
        squares = sum(weight * weight for weight in weights)
        twice = total * total - squares
        return links(self.matched) + (self.matched * total + twice / 2)

    def sum_mentions(self, f: OfOverlap) -> Number:
        # Overlap by overlap: mention by mention, rounding shows in the last printed digit.
        return self.sum_overlaps(lambda n, k, r: n * f(n, k, r))


class MatchedClusters:
    """The clusters of key and response, and the partner of each mention that is matched.

    Attributes:
        sides: The clusters of the key and those of the response.
        partners: The partner of each mention, of either side, that has another one than its equal.
        owners: For each side, the number of the last cluster that holds a mention.
    """

    def __init__(self, sides: Sequence[Clusters], partners: Mapping[Mention, Mention]) -> None:
        self.sides = sides
        self.partners = partners
        self.owners = _owners_in(sides[0]), _owners_in(sides[1])
        self._holders = _holders_of_shared(sides[1])
        self._lookups: dict[bool, Lookup] = {}

    def count_clusters(
        self,
        metric: Metric,
        recall: Weights = NO_WEIGHTS,
        precision: Weights = NO_WEIGHTS,
        f1: Weights = NO_WEIGHTS,
    ) -> tuple[Counts, ...]:
        """Count a metric.

        `recall` and `f1` give the weights of the key's aligned split antecedents, `precision` those
        of the response's.
        """
        if metric.counts_from_key:
            return metric.count(self.lookup(f1, from_key=True))
        recall_counts = metric.count(self.lookup(recall, from_key=True))
        precision_counts = metric.count(self.lookup(precision, from_key=False))
        return tuple(map(Counts.with_precision_of, recall_counts, precision_counts))

    def lookup(self, weights: Weights = NO_WEIGHTS, *, from_key: bool) -> Lookup:
        """Return the overlaps as the mentions of one side find their clusters on the other.

        Args:
            weights: The partners and weights of mentions of that side that do not count as 1.
            from_key: Whether that side is the key.
        """
        if not weights and from_key in self._lookups:
            return self._lookups[from_key]
        mine, others = (0, 1) if from_key else (1, 0)
        width = len(self.sides[1])
        order: list[int] = []
        weight_of: dict[int, float] = {}
        matched: set[Mention] = set()
        # A loop over all mentions of a document, once for each side.
        for number, cluster in enumerate(self.sides[mine]):
            for mention in cluster:
                partner, weight = weights.get(mention, (self.partners.get(mention, mention), None))
                other = self.owners[others].get(partner)
                if other is None:
                    continue
                matched.add(mention)
                code = number * width + other if from_key else other * width + number
                if weight is None:
                    order.append(code)
                else:
                    weight_of[code] = weight_of.get(code, 0) + weight
        lookup = Lookup(
            list(map(len, self.sides[0])),
            list(map(len, self.sides[1])),
            order,
            distinct=(len(self.owners[0]), len(self.owners[1]), len(matched)),
            weights=weight_of,
            in_each=self._codes_in_each(weights) if from_key else [],
        )
        if not weights:
            self._lookups[from_key] = lookup
        return lookup

    def _codes_in_each(self, weights: Weights) -> list[int]:
        """Return a code for each response cluster that holds a key mention that counts as 1."""
        codes: list[int] = []
        if not self._holders:
            return codes
        width = len(self.sides[1])
        for number, cluster in enumerate(self.sides[0]):
            for mention in cluster:
                partner = self.partners.get(mention, mention)
                owner = self.owners[1].get(partner)
                if owner is None or mention in weights:
                    continue
                holders = self._holders.get(partner, [owner])
                codes += [number * width + holder for holder in holders]
        return codes


def _owners_in(clusters: Clusters) -> dict[Mention, int]:
    """Return the number of the last cluster that holds each mention."""
    owners: dict[Mention, int] = {}
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            owners[mention] = number
    return owners


def _holders_of_shared(clusters: Clusters) -> dict[Mention, list[int]]:
    """Return the numbers of the clusters that hold a mention, for mentions that several hold."""
    holders: dict[Mention, list[int]] = {}
    for number, cluster in enumerate(clusters):
        for mention in dict.fromkeys(cluster):
            holders.setdefault(mention, []).append(number)
    return {mention: numbers for mention, numbers in holders.items() if len(numbers) > 1}


class MatchedPair(MatchedClusters):
    """A key and a response of `Mention`s, matched: the counts of any metric.

    Attributes:
        repeats: As in `scorer.match.align.Alignment`.
        invented: As there.
        removed: How much the filters removed.
        problems: Where the program that is imitated may read something else.
    """

    own_filters = ("singletons",)
    """The filters that it applies itself, when the program does; see `scorer.match.filters`."""

    repeats: list[Repeat]
    invented: int
    removed: list[Removed]
    problems: list[Problem]
    _document: Document

    def count(self, metric: Metric) -> tuple[Counts, ...]:
        """Count any metric."""
        return self.count_clusters(metric) if metric.of == "clusters" else metric.count(self)

    def overlap(self) -> tuple[int, int, int]:
        """Count as `count_overlap` does; a mention in two clusters counts twice."""
        keys = list(chain.from_iterable(self.sides[0]))
        responses = list(chain.from_iterable(self.sides[1]))
        return count_overlap(self._document, keys, responses)

    def in_order(self) -> tuple[list[list[Mention]], list[list[Mention]]]:
        """Return the clusters of key and response, their mentions in text order."""
        key = [sorted(cluster, key=Mention.text_order) for cluster in self.sides[0]]
        response = [sorted(cluster, key=Mention.text_order) for cluster in self.sides[1]]
        return key, response

    def counterpart(self, mention: Mention) -> Mention | None:
        """Return the response mention equal to that of the key, else its partner.

        None where there is neither.
        """
        owners = self.owners[1]
        other = mention if mention in owners else self.partners.get(mention)
        return other if other in owners else None

    def is_zero(self, mention: Mention) -> bool:
        """Return whether the head is an empty node."""
        return isinstance(mention.head, str)


def mentions_of(clusters: Clusters) -> list[Mention]:
    """Return the mentions of one side in text order, each once."""
    return sorted(dict.fromkeys(chain.from_iterable(clusters)), key=Mention.text_order)


def equal_mentions(keys: Iterable[Mention], responses: Iterable[Mention]) -> list[Pair]:
    """Pair the mentions of the key with the equal ones of the response."""
    equal = {mention: mention for mention in responses}
    return [(key, equal[key]) for key in keys if key in equal]


def best_matches(
    keys: Sequence[Mention], responses: Sequence[Mention], similarities: Similarities
) -> list[Pair]:
    """Pair mentions of key and response as `scorer.match.matching.best_pairs` does."""
    pairs = best_pairs(similarities, len(keys), len(responses))
    return [(keys[k], responses[r]) for k, r in pairs]


def without_pairs(
    keys: Iterable[Mention], responses: Iterable[Mention], pairs: Sequence[Pair]
) -> tuple[list[Mention], list[Mention]]:
    """Return the mentions of key and response that are in no pair."""
    paired_keys = {key for key, _ in pairs}
    paired_responses = {response for _, response in pairs}
    keys_left = [mention for mention in keys if mention not in paired_keys]
    responses_left = [mention for mention in responses if mention not in paired_responses]
    return keys_left, responses_left


def partners_in(pairs: Sequence[Pair]) -> Mapping[Mention, Mention]:
    """Return the partner of each mention that has another one than its equal.

    Both sides stand in one table, the key's mentions first. A response mention that equals another
    key mention replaces the entry of the latter, as in CorefUD's scorer.
    """
    from_key = {key: response for key, response in pairs if key != response}
    return from_key | {response: key for key, response in pairs if key != response}
