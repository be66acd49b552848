"""Krippendorff's α of the clusters of several annotators.

The units are the mentions that at least one annotator marked. The value that an annotator gives to
a unit is the set of mentions of its cluster, or the empty set if that annotator did not mark it
(Passonneau, LREC 2004). α = 1 − D_o/D_e: D_o is the mean distance of the values of a unit, D_e that
of all values of all units.

Sums are exact (`fsum`), so the order of annotators, documents and clusters makes no difference.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

Value = frozenset[Hashable]
"""The mentions of a cluster; the empty set for a mention that is not marked."""

Distance = Callable[[Value, Value], float]


def masi(first: Value, second: Value) -> float:
    """Return 1 − J·M: J is the Jaccard index, M says how the two sets overlap.

    M is 1 for equal sets, ⅔ if one lies inside the other, ⅓ if they overlap otherwise, and 0 if
    they have nothing in common.

    Examples:
        >>> round(masi(frozenset("abc"), frozenset("ab")), 4)
        0.5556
    """
    if first == second:
        return 0.0
    jaccard = len(first & second) / len(first | second)
    return 1 - jaccard * (1 - passonneau(first, second))


def passonneau(first: Value, second: Value) -> float:
    """Return 0 for equal sets, ⅓ if one lies inside the other, ⅔ if they overlap, and else 1."""
    if first == second:
        return 0.0
    common = len(first & second)
    if not common:
        return 1.0
    if common == min(len(first), len(second)):
        return 1 / 3
    return 2 / 3


DISTANCES: Mapping[str, Distance] = {"masi": masi, "passonneau": passonneau}
"""The distances of two values, by name."""


@dataclass(frozen=True)
class Unit:
    """A mention that at least one annotator marked.

    Attributes:
        document: The name of its document.
        mention: The mention.
        values: The value that each annotator gives to it.
    """

    document: str
    mention: Hashable
    values: tuple[Value, ...]

    def of_two(self, first: int, second: int) -> Unit:
        """Return the unit with the values of two annotators only, by their numbers from 0."""
        return Unit(self.document, self.mention, (self.values[first], self.values[second]))

    def disagreement(self, distance: Distance) -> float:
        """Return the mean distance of the values of each two annotators."""
        distances = [distance(first, second) for first, second in combinations(self.values, 2)]
        return fsum(distances) / len(distances)


def units_of(document: str, annotations: Sequence[Sequence[Sequence[Hashable]]]) -> list[Unit]:
    """List the units of a document, given the clusters of each annotator.

    A mention that an annotator repeats is in the first cluster that has it.
    """
    values_by_annotator: list[dict[Hashable, Value]] = []
    for clusters in annotations:
        values: dict[Hashable, Value] = {}
        for cluster in clusters:
            value = frozenset(mention for mention in cluster if mention not in values)
            values |= dict.fromkeys(value, value)
        values_by_annotator.append(values)
    # Each mention once, in the order in which the annotators have them.
    mentions: dict[Hashable, None] = {}
    for values in values_by_annotator:
        mentions |= dict.fromkeys(values)
    units: list[Unit] = []
    for mention in mentions:
        given = tuple(values.get(mention, frozenset()) for values in values_by_annotator)
        units.append(Unit(document, mention, given))
    return units


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α.

    Attributes:
        observed: The observed disagreement D_o; None without any mention.
        expected: The expected disagreement D_e; None likewise.
        mentions: The number of units.
    """

    observed: float | None
    expected: float | None
    mentions: int

    @property
    def value(self) -> float | None:
        """The value of α; None where the expected disagreement is 0, as all values are equal."""
        if self.observed is None or not self.expected:
            return None
        return 1 - self.observed / self.expected


def alpha_of(units: Sequence[Unit], distance: Distance) -> Alpha:
    """Compute α over units, which may be of several documents."""
    if not units:
        return Alpha(None, None, 0)
    observed = fsum(unit.disagreement(distance) for unit in units) / len(units)
    return Alpha(observed, _expected(units, distance), len(units))


def _expected(units: Sequence[Unit], distance: Distance) -> float:
    """Return the mean distance of each two values of all units.

    Sets of different documents, or without a common mention, are at distance 1. So it is enough to
    compare sets with a common mention, and to count equal ones.
    """
    counts: Counter[tuple[str, Value]] = Counter()
    for unit in units:
        for value in unit.values:
            # An empty set is the same in all documents.
            counts[unit.document if value else "", value] += 1
    holders: defaultdict[tuple[str, Hashable], list[Value]] = defaultdict(list)
    for document, value in counts:
        for mention in value:
            holders[document, mention].append(value)
    values = counts.total()
    equal_pairs = sum(count * (count - 1) for count in counts.values())
    similarities: list[float] = []
    for (document, value), count in counts.items():
        neighbours: set[Value] = set()
        for mention in value:
            neighbours.update(holders[document, mention])
        neighbours.discard(value)
        for other in neighbours:
            pairs = count * counts[document, other]
            similarities.append(pairs * (1 - distance(value, other)))
    return 1 - (equal_pairs + fsum(similarities)) / (values * (values - 1))
