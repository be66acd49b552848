"""Krippendorff's α of the clusters of several annotators, and how it is shown.

The units are the mentions that at least one annotator marked. The value that an annotator gives to
a unit is the set of mentions of its cluster, or the empty set if that annotator did not mark it
(Passonneau, LREC 2004). An annotator who does not have the document gives no value: a missing value
(Krippendorff, Content Analysis). α = 1 − D_o/D_e: D_o is the mean distance of the values of a unit,
where each value counts once, and D_e that of all values of all units.

Sums are exact (`fsum`), so the order of annotators, documents and clusters makes no difference.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Any

from scorer.report.columns import Cell, Column, Table

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
    common = len(first & second)
    jaccard = common / (len(first) + len(second) - common)
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


MASI = "masi"
"""The distance where none is named."""

DISTANCES: Mapping[str, Distance] = {"masi": masi, "passonneau": passonneau}
"""The distances of two values, by name."""


@dataclass(frozen=True)
class Unit:
    """A mention that at least one annotator marked.

    Attributes:
        document: The name of its document.
        mention: The mention.
        values: The value that each annotator gives to it; None if the annotator does not have the
            document.
    """

    document: str
    mention: Hashable
    values: tuple[Value | None, ...]

    @property
    def given(self) -> list[Value]:
        """The values of the annotators who have the document."""
        return [value for value in self.values if value is not None]

    def disagreement(self, distance: Distance) -> float:
        """Return the mean distance of the values of each two annotators."""
        distances = [distance(first, second) for first, second in combinations(self.given, 2)]
        return fsum(distances) / len(distances)


def units_of(
    document: str, annotations: Sequence[Sequence[Sequence[Hashable]] | None]
) -> list[Unit]:
    """List the units of a document, given the clusters of each annotator.

    The value of a mention that an annotator has in several clusters is their union, so the order of
    clusters makes no difference. The annotation of who does not have the document is None.
    """
    values_by_annotator: list[dict[Hashable, Value] | None] = []
    # Each mention once, in the order in which the annotators have them.
    mentions: dict[Hashable, None] = {}
    for clusters in annotations:
        if clusters is None:
            values_by_annotator.append(None)
            continue
        values: dict[Hashable, Value] = {}
        for cluster in clusters:
            value = frozenset(cluster)
            for mention in value:
                values[mention] = values[mention] | value if mention in values else value
            mentions |= dict.fromkeys(cluster)
        values_by_annotator.append(values)
    units: list[Unit] = []
    for mention in mentions:
        given = tuple(
            None if values is None else values.get(mention, frozenset())
            for values in values_by_annotator
        )
        units.append(Unit(document, mention, given))
    return units


def units_of_two(units: Iterable[Unit], first: int, second: int) -> list[Unit]:
    """List the units of two annotators, by their numbers from 0: what one of the two marked."""
    of_two: list[Unit] = []
    for unit in units:
        values = unit.values[first], unit.values[second]
        # Others may have marked the mention alone.
        if None not in values and any(values):
            of_two.append(Unit(unit.document, unit.mention, values))
    return of_two


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α.

    Attributes:
        observed: The observed disagreement D_o; None without any mention.
        expected: The expected disagreement D_e; None likewise.
        units: The number of units.
    """

    observed: float | None
    expected: float | None
    units: int

    @property
    def value(self) -> float | None:
        """The value of α; None where the expected disagreement is 0, as all values are equal."""
        if self.observed is None or not self.expected:
            return None
        return 1 - self.observed / self.expected


def alpha_of(units: Sequence[Unit], distance: Distance) -> Alpha:
    """Compute α over units, which may be of several documents.

    Each unit has values of two annotators or more.
    """
    if not units:
        return Alpha(None, None, 0)
    numbers = [len(unit.given) for unit in units]
    distances = [number * unit.disagreement(distance) for number, unit in zip(numbers, units)]
    observed = fsum(distances) / sum(numbers)
    return Alpha(observed, _expected(units, distance), len(units))


def _expected(units: Sequence[Unit], distance: Distance) -> float:
    """Return the mean distance of each two values of all units.

    Sets of different documents, or without a common mention, are at distance 1. So it is enough to
    compare sets with a common mention, and to count equal ones.
    """
    counts: Counter[tuple[str, Value]] = Counter()
    for unit in units:
        for value in unit.given:
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
        similarities += [
            count * counts[document, other] * (1 - distance(value, other)) for other in neighbours
        ]
    return 1 - (equal_pairs + fsum(similarities)) / (values * (values - 1))


def mean(figures: Iterable[float | None]) -> float | None:
    """Return the mean of the figures that are defined; None if none is."""
    defined = [figure for figure in figures if figure is not None]
    if not defined:
        return None
    # Exact, so that the order of the annotators makes no difference.
    return fsum(defined) / len(defined)


def figures_of(alpha: Alpha, unit: str) -> str:
    """Say what alpha is made of, or why it has no value."""
    if alpha.observed is None:
        return f"no value, as there is no {unit}"
    if alpha.value is None:
        return f"no value, as annotators and {unit}s do not differ"
    return f"D_o = {alpha.observed:.5f}, D_e = {alpha.expected:.5f}"


def headline_of(sections: Sequence[Table]) -> str:
    """Say which pair agrees least by alpha, and how far all annotators agree."""
    *pairs, together = sections[0].rows
    compared = [row for row in pairs if row.alpha.value is not None]
    if not compared:
        return ""
    least = min(compared, key=lambda row: row.alpha.value)
    names, alpha = f"{least.first} and {least.second}", _alpha_cell(least).text
    if len(pairs) == 1:
        return f"The alpha of {names} is {alpha}."
    return f"{names} agree least, with alpha {alpha}; alpha of all is {_alpha_cell(together).text}."


def _alpha_cell(row: Any) -> Cell:
    alpha = row.alpha.value
    return Cell("" if alpha is None else f"{alpha:.3f}")


DOCUMENT = Column(name="document", heading="document")
FIRST = Column(name="first", heading="annotator", role="head")
SECOND = Column(name="second", heading="annotator")
DOCUMENTS = Column(name="documents", kind="whole", heading="documents")
ALPHA = [
    Column(
        name="alpha",
        value=lambda row: row.alpha.value,
        kind="count",
        heading="alpha",
        cell=_alpha_cell,
    ),
    Column(name="observed", value=lambda row: row.alpha.observed, kind="count"),
    Column(name="expected", value=lambda row: row.alpha.expected, kind="count"),
]
