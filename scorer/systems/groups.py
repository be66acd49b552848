"""Differences between systems within groups of documents, corrected over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scorer.statistics import significance
from scorer.systems.comparison import Comparison, Difference


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
