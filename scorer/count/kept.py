"""Count two partitions whose repeated mentions stay: `duplicates` is keep or corefud.

Two occurrences in a cluster are linked if a cluster of the other side holds both mentions. An
occurrence is linked to itself if a cluster of the other side holds its mention. Recall is counted
over the occurrences of the key, precision over those of the response, so neither exceeds 1:

- MUC: the size of a cluster minus the number of groups that links connect.
- B³: the share of its cluster to which an occurrence is linked.
- LEA: the pairs of occurrences that are linked.
- CEAF: two clusters have in common the smaller number of occurrences of each mention.
- BLANC: each pair of different mentions counts once, as a coreference link if a cluster holds both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scorer.count.assignment import components
from scorer.count.counts import RepeatedContingency, add

if TYPE_CHECKING:
    from scorer.count.counts import Clusters, Group, Number, OfCluster, OfOverlap

Holders = Mapping[Hashable, frozenset[int]]
"""The clusters that hold each mention of one side."""


class KeptContingency(RepeatedContingency):
    """The contingency of two partitions in which every occurrence of a mention counts."""

    pairs_once = True

    def __init__(self, key: Clusters, response: Clusters) -> None:
        super().__init__(key, response)
        common = self._table((), _common_occurrences(self.groups, len(response)))
        self._overlaps = self._key_overlaps = self._key_in_response = common
        in_key, in_response = _holders(key), _holders(response)
        self._linked = (
            [LinkedCluster(cluster, in_response) for cluster in key if cluster],
            [LinkedCluster(cluster, in_key) for cluster in response if cluster],
        )

    def sum_groups(self, f: OfOverlap) -> tuple[Number, Number]:
        of_key, of_response = (
            add(
                f(group, cluster.size, cluster.size) for cluster in side for group in cluster.groups
            )
            for side in self._linked
        )
        return of_key, of_response

    def sum_shares(self, of_key: OfOverlap, of_response: OfOverlap) -> tuple[Number, Number]:
        key, response = (
            add(
                occurrences * f(linked, cluster.size, cluster.size)
                for cluster in side
                for occurrences, linked in cluster.shares
            )
            for side, f in zip(self._linked, (of_key, of_response))
        )
        return key, response

    def sum_clusters(self, f: OfCluster) -> tuple[Number, Number]:
        of_key, of_response = (
            add(f(cluster.size, cluster.matched, cluster.pairs) for cluster in side)
            for side in self._linked
        )
        return of_key, of_response

    def alone_in_both(self) -> tuple[Number, Number]:
        in_key, in_response = (
            [cluster[0] for cluster in side if len(cluster) == 1] for side in self._partitions
        )
        both = set(in_key).intersection(in_response)
        return sum(m in both for m in in_key), sum(m in both for m in in_response)


class LinkedCluster:
    """A cluster, and how its occurrences are linked.

    Attributes:
        size: The number of occurrences.
        matched: The number of those whose mention the other side has.
        groups: The size of each group of matched occurrences that links connect.
        shares: How many occurrences are linked to how many, themselves included.
        pairs: The number of pairs of occurrences that are linked.
    """

    def __init__(self, cluster: Sequence[Hashable], holders: Holders) -> None:
        # Occurrences whose mentions are held by the same clusters are linked to the same others.
        occurrences = Counter(holders[mention] for mention in cluster if mention in holders)
        self.size = len(cluster)
        self.matched = sum(occurrences.values())
        self.groups = _connected(occurrences)
        self.shares = _shares(occurrences)
        self.pairs = sum(number * (linked - 1) for number, linked in self.shares) // 2


def _connected(occurrences: Mapping[frozenset[int], int]) -> list[int]:
    """Return the number of occurrences in each group that shared holders connect."""
    numbers = list(occurrences.values())
    edges = {(at, holder): 1 for at, held_by in enumerate(occurrences) for holder in held_by}
    groups = ({at for at, _ in component} for component in components(edges))
    return [sum(numbers[at] for at in group) for group in groups]


def _shares(occurrences: Mapping[frozenset[int], int]) -> list[tuple[int, int]]:
    """Return pairs: a number of occurrences, and the number to which each of them is linked."""
    held: dict[int, list[frozenset[int]]] = {}
    for held_by in occurrences:
        for holder in held_by:
            held.setdefault(holder, []).append(held_by)
    shares: list[tuple[int, int]] = []
    for held_by, number in occurrences.items():
        linked = {other for holder in held_by for other in held[holder]}
        shares.append((number, sum(occurrences[other] for other in linked)))
    return shares


def _holders(side: Clusters) -> Holders:
    holders: dict[Hashable, set[int]] = {}
    for number, cluster in enumerate(side):
        for mention in cluster:
            holders.setdefault(mention, set()).add(number)
    return {mention: frozenset(numbers) for mention, numbers in holders.items()}


def _common_occurrences(groups: Iterable[Group], width: int) -> dict[int, Number]:
    """Return what two clusters have in common, by the code of the two as in `Overlaps`."""
    common: dict[int, Number] = {}
    for keys, responses, mentions in groups:
        in_response = Counter(responses)
        for k, in_k in Counter(keys).items():
            for r, in_r in in_response.items():
                code = k * width + r
                common[code] = common.get(code, 0) + mentions * min(in_k, in_r)
    return common
