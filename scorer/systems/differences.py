"""Differences between systems, and those within groups of documents, corrected over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorer.statistics import significance

if TYPE_CHECKING:
    from scorer.systems.comparison import Comparison


@dataclass(frozen=True)
class Difference:
    """By how much a figure of the first system exceeds that of the second.

    Attributes:
        first, second: The systems.
        metric, ratio: The figure, as in `Score`.
        value: The difference, of fractions.
        low, high: The ends of its confidence interval.
        p: Its p-value.
        p_holm: The same, corrected (Holm) over all pairs of systems of the same metric and ratio;
            `p` itself where there is one pair.
        documents: The number of documents in which the counts of the metric differ.
        effect: The difference in standard deviations of what a unit gives to it (Cohen's d of
            paired samples, of the jackknife's pseudo-values); None where these do not vary.
        probability_better: The share of bootstrap replicates in which the first system is better,
            ties counting half.
        standard_error, degrees_of_freedom: As in `Score`.
    """

    first: str
    second: str
    metric: str
    ratio: str
    value: float
    low: float
    high: float
    p: float
    p_holm: float
    documents: int
    effect: float | None
    probability_better: float
    standard_error: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class GroupDifference(Difference):
    """A difference within a group of documents.

    Attributes:
        group: The name of the group.
        p_groups: p, corrected (Holm) over all groups and pairs of the same metric and ratio.
    """

    group: str
    p_groups: float


def group_differences(groups: Mapping[str, Comparison]) -> list[GroupDifference]:
    """Return the differences of all groups, with p-values corrected over groups and pairs."""
    rows: list[tuple[str, Difference]] = []
    p_values: list[float] = []
    families: dict[tuple[str, str], list[int]] = {}
    for name, group in groups.items():
        for row in group.differences:
            families.setdefault((row.metric, row.ratio), []).append(len(rows))
            rows.append((name, row))
            p_values.append(row.p)
    p = np.array(p_values)
    for family in families.values():
        p[family] = significance.holm(p[family])
    differences = []
    for (name, row), corrected in zip(rows, p.tolist()):
        differences.append(GroupDifference(**vars(row), group=name, p_groups=corrected))
    return differences
