"""Which of several best alignments of CEAF reference 8.01 takes.

Its choice may show in what it prints: the sums of φ differ in their last bits, and percentages are
cut off after two decimals, so that 37.5 may be printed as 37.49. Now and then the bits show in the
last of the 15 digits of the sum itself. There the reference's choice is taken, which is known from
its behaviour.
"""

from __future__ import annotations

from scorer.count.counts import lies_on_hundredth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


FOLLOWED = 200
"""Clusters of a side up to which a document's percentages are the reference's: its choice among so
many takes a second or two."""
TO_THE_DIGIT = 50
"""Clusters of a side up to which the sum is, too: its last bits may show in so many documents that
each must be quick."""
LARGEST = 1000
"""Clusters of a side up to which the reference's choice is sought at all: its matrix takes 32 MB.
"""
CHANGES = 20_000_000
"""How many cells of the matrix may be changed until the reference's choice is known: some three
seconds' work."""


def may_show(total: float, key_clusters: int, response_clusters: int) -> bool:
    """Return whether the last bits of a sum of φ may show in a figure or in its own digits."""
    most = max(key_clusters, response_clusters)
    if most <= TO_THE_DIGIT:
        # Twice what is lost at most when so many numbers are added of which none is above 1.
        lost = min(key_clusters, response_clusters) * (total + 1) * 2**-52
        if f"{total - lost:.15g}" != f"{total + lost:.15g}":
            return True
    return most <= FOLLOWED and lies_on_hundredth(total, key_clusters, response_clusters)


def sum_as_reference(
    total: float, weights: Mapping[tuple[int, int], float], clusters: int
) -> float:
    """Sum φ over the `reference_pairs`; return `total` where these take too long."""
    pairs = reference_pairs(weights, clusters)
    if pairs is None:
        return total
    total = 0.0
    for pair in pairs:
        # As in DocumentContingency.
        total += 1 - (1 - weights[pair])
    return total


def reference_pairs(
    weights: Mapping[tuple[int, int], float], clusters: int
) -> list[tuple[int, int]] | None:
    """The pairs that reference 8.01 aligns, by key cluster.

    None if it takes more than so many `CHANGES`, or clusters.

    `weights` holds φ where two clusters overlap, `clusters` is the number of those of the side that
    has more. The algorithm is that of Munkres, on the matrix of 1 − φ that has a row for each key
    cluster and is made square with columns of 1 or rows of 0. Rows alone are reduced before it
    starts, and of the zeros that no line covers, the last one of the first row that has any is
    primed.
    """
    if clusters > LARGEST:
        return None
    matrix = _Matrix(weights, clusters)
    while matrix.free:
        if matrix.changes > CHANGES:
            return None
        matrix.star_one_more()
    return sorted((k, r) for r, k in matrix.starred.items() if (k, r) in weights)


class _Matrix:
    """The matrix, with at most one starred zero in each row and column.

    `zeros` has, for each row, its columns that are 0, `free` the columns without a star, as bits.
    `starred` gives the row of each other column's star. `changes` counts the cells that were filled
    or changed so far.
    """

    def __init__(self, weights: Mapping[tuple[int, int], float], size: int) -> None:
        self.size = size
        self.free = (1 << size) - 1
        self.starred: dict[int, int] = {}
        self.changes = size**2
        # A row without overlaps, of 1 or of 0, is reduced to 0.
        self.costs = [[0.0] * size for _ in range(size)]
        self.zeros = [self.free] * size
        overlaps: dict[int, dict[int, float]] = {}
        for (k, r), weight in weights.items():
            overlaps.setdefault(k, {})[r] = 1 - weight
        for row, overlap in overlaps.items():
            least = min(overlap.values())
            self.costs[row] = [1 - least] * size
            for column, cost in overlap.items():
                self.costs[row][column] = cost - least
            self.zeros[row] = sum(1 << column for column, cost in overlap.items() if cost == least)
        for row, zeros in enumerate(self.zeros):
            first = zeros & self.free & -(zeros & self.free)
            if first:
                self._star(row, first.bit_length() - 1)

    def _star(self, row: int, column: int) -> None:
        self.starred[column] = row
        self.free ^= 1 << column

    def star_one_more(self) -> None:
        """Move stars so that one column more has one."""
        column_of = {row: column for column, row in self.starred.items()}
        primed: dict[int, int] = {}
        bare_rows, bare = list(range(self.size)), self.free
        while True:
            row = next((row for row in bare_rows if self.zeros[row] & bare), None)
            if row is None:
                self._lower(
                    bare_rows, [column for column in range(self.size) if bare >> column & 1], primed
                )
                continue
            column = primed[row] = (self.zeros[row] & bare).bit_length() - 1
            if row not in column_of:
                break
            bare_rows.remove(row)
            bare |= 1 << column_of[row]
        while column in self.starred:
            row, self.starred[column] = self.starred[column], row
            column = primed[row]
        self._star(row, column)

    def _lower(
        self, bare_rows: Iterable[int], bare_columns: Collection[int], covered_rows: Collection[int]
    ) -> None:
        """Lower the costs that no line covers by their minimum; raise those under two lines."""
        least = min([self.costs[row][column] for row in bare_rows for column in bare_columns])
        for row in covered_rows:
            # Where only the row is covered, costs stay as they are but for rounding, which is the
            # reference's.
            self.costs[row] = [cost + least for cost in self.costs[row]]
            self.zeros[row] = 0
        for row, line in enumerate(self.costs):
            for column in bare_columns:
                cost = line[column] = line[column] - least
                if not cost:
                    self.zeros[row] |= 1 << column
        self.changes += self.size * (len(bare_columns) + len(covered_rows))
