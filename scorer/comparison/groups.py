"""Differences within groups of documents, corrected over all groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.comparison.significance import holm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scorer.comparison.comparison import Comparison, Difference


class Within(NamedTuple):
    """A difference within a group of so many units of documents; `p_groups`: its p-value, corrected over all groups and pairs."""

    group: str
    units: int
    difference: Difference
    p_groups: float


def within(groups: Mapping[str, Comparison]) -> list[Within]:
    """The differences of all groups, by metric and ratio; p-values are corrected (Holm) for each of these by itself."""
    each = [(name, sum(group.units.values()), one) for name, group in groups.items() for one in group.differences]
    found: list[Within] = []
    for measure in dict.fromkeys((one.metric, one.ratio) for _, _, one in each):
        own = [(name, units, one) for name, units, one in each if (one.metric, one.ratio) == measure]
        corrected = holm(np.array([one.p for _, _, one in own])).tolist()
        found += [Within(*row, p) for row, p in zip(own, corrected)]
    return found
