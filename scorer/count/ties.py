"""Of several best alignments of clusters the one that reference 8.01 takes, where that shows in what it prints.

Their sums of φ differ in the last bits alone. Percentages are cut off after two decimals, so where one lies on a hundredth, these
bits show: 37.5 may be printed as 37.49. There the reference's choice is taken, which is known from its behaviour.
"""

from __future__ import annotations

from bisect import insort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FOLLOWED = 50
"""Clusters of a side up to which the reference's choice is sought: that takes steps with the fourth power of their number."""

CLOSE = 1e-6
"""How far from a hundredth of a percent, in hundredths, a figure counts as on it: other figures hardly ever come so close."""


def may_show(total: Any, key_clusters: Any, response_clusters: Any) -> Any:
    """Whether the last bit of this sum of φ may show in recall, precision or F1; for numbers, or for arrays of them."""
    found = False
    for clusters in (key_clusters, response_clusters, (key_clusters + response_clusters) / 2):
        found |= (10_000 * total / clusters + CLOSE) % 1 < 2 * CLOSE
    return found & (key_clusters <= FOLLOWED) & (response_clusters <= FOLLOWED)


def sum_as_reference(weights: Mapping[tuple[int, int], float], key_clusters: int, response_clusters: int) -> float:
    """The sum of φ over those `reference_pairs`."""
    total = 0.0
    for pair in reference_pairs(weights, key_clusters, response_clusters):
        # As in DocumentContingency.
        total += 1 - (1 - weights[pair])
    return total


def reference_pairs(weights: Mapping[tuple[int, int], float], key_clusters: int, response_clusters: int) -> list[tuple[int, int]]:
    """The pairs that reference 8.01 aligns, by key cluster, the clusters of either side being numbered from 0.

    `weights` holds φ where two clusters overlap. The algorithm is that of Munkres, on the matrix of 1 − φ that has a row for each
    key cluster and is made square with columns of 1 or rows of 0. Rows alone are reduced before it starts, and of the zeros that no
    line covers, the last one of the first row that has any is primed.
    """
    size = max(key_clusters, response_clusters)
    costs = [[1 - weights.get((k, r), 0) for r in range(size)] for k in range(key_clusters)]
    costs += [[0.0] * size for _ in range(size - key_clusters)]
    starred: dict[int, int] = {}
    for row, line in enumerate(costs):
        least = min(line)
        line[:] = [cost - least for cost in line]
        column = next((column for column, cost in enumerate(line) if cost == 0 and column not in starred), None)
        if column is not None:
            starred[column] = row
    while len(starred) < size:
        _star_one_more(costs, starred)
    return sorted((k, r) for r, k in starred.items() if (k, r) in weights)


def _star_one_more(costs: list[list[float]], starred: dict[int, int]) -> None:
    """Move the starred zeros, of which each column's is given by its row, so that a column more has one."""
    size = len(costs)
    column_of = {row: column for column, row in starred.items()}
    primed: dict[int, int] = {}
    bare_rows = list(range(size))
    bare_columns = [column for column in range(size) if column not in starred]
    while True:
        zeros = ((row, column) for row in bare_rows for column in reversed(bare_columns) if costs[row][column] == 0)
        zero = next(zeros, None)
        if zero is None:
            least = min(costs[row][column] for row in bare_rows for column in bare_columns)
            # Rows with a primed zero are covered. Their bare cells stay as they are but for rounding, which is the reference's.
            for row in primed:
                costs[row] = [cost + least for cost in costs[row]]
            for line in costs:
                for column in bare_columns:
                    line[column] -= least
            continue
        row, column = zero
        primed[row] = column
        if row not in column_of:
            break
        bare_rows.remove(row)
        insort(bare_columns, column_of[row])
    while True:
        before = starred.get(column)
        starred[column] = row
        if before is None:
            return
        row, column = before, primed[before]
