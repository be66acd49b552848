"""Differences of two responses in the totals of the slot report, and their significance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scorer.spans.changes import Numbers, number_of_units, paired_p_values
from scorer.spans.muc7 import Muc7Part, SlotCounts, all_slots, sum_parts
from scorer.statistics.resampling import units_of

MEASURES = ("REC", "PRE", "P&R")
"""The measures that are tested."""


@dataclass(frozen=True)
class Muc7Difference:
    """A measure of all slots in two responses, as fractions; None for 0/0.

    Attributes:
        measure: One of `MEASURES`.
        first: The value of the first response.
        second: That of the second one.
        p: The p-value of their difference, two-sided, from randomisation over documents; 1 where
            there is only one.
    """

    measure: str
    first: float | None
    second: float | None
    p: float

    @property
    def difference(self) -> float | None:
        """Return second less first."""
        if self.first is None or self.second is None:
            return None
        return self.second - self.first


@dataclass(frozen=True)
class Muc7Changes:
    """The differences between two responses, and the number of units of documents compared."""

    differences: list[Muc7Difference]
    units: int


def compare_slots(first: Mapping[str, Muc7Part], second: Mapping[str, Muc7Part]) -> Muc7Changes:
    """Test the differences of two responses in all slots.

    Args:
        first: The counts of the first response by document.
        second: Those of the second one, of the same documents.
    """
    units = units_of(list(first))
    rows = [_rows(first), _rows(second)]
    p_values = paired_p_values(units, rows, _figures) or [1.0] * len(MEASURES)
    before = _measures(all_slots(sum_parts(list(first.values())).slots))
    after = _measures(all_slots(sum_parts(list(second.values())).slots))
    differences = []
    for measure, p in zip(MEASURES, p_values):
        differences.append(Muc7Difference(measure, before[measure], after[measure], p))
    return Muc7Changes(differences, number_of_units(units))


def _rows(documents: Mapping[str, Muc7Part]) -> list[list[int]]:
    """Return the numbers of each document that the figures are made of."""
    return [_numbers(all_slots(part.slots)) for part in documents.values()]


def _numbers(counts: SlotCounts) -> list[int]:
    """Return twice what is right, twice POS and twice ACT: a partial fill is half right."""
    return [2 * counts.correct + counts.partial, 2 * counts.possible, 2 * counts.actual]


def _figures(totals: Numbers) -> Numbers:
    """Compute recall, precision and P&R of sums of counts; 0 where one is 0/0."""
    right, possible, actual = totals[0], totals[1], totals[2]
    numerators = np.stack([right, right, 2 * right])
    denominators = np.stack([possible, actual, possible + actual])
    figures: Numbers = numerators / np.where(denominators > 0, denominators, 1)
    return figures


def _measures(counts: SlotCounts) -> dict[str, float | None]:
    """Return the measures that are tested; None for 0/0."""
    measures: dict[str, float | None] = {"P&R": counts.f_measures()[0]}
    for name in ("REC", "PRE"):
        numerator, denominator = counts.ratios()[name]
        measures[name] = None
        if denominator:
            measures[name] = numerator / denominator
    return measures
