# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The best one-to-one alignment of key and response clusters, for CEAF, and that of reference 8.01.

Exact, and quick on real files. First comes a reduction: an edge that weighs at least as much as the
best other edges at its two ends together is in some best alignment (exchanging them for it never
loses), so it is taken and its ends leave the graph. That is repeated while it helps. What is left
falls into components, each solved on its own.

Edges that outweigh the others for certain are taken before those that may be tied. Where they are
all, every best alignment gives each key cluster the same weight: the weights are settled.

Otherwise it may show in what reference 8.01 prints which of several best alignments it takes: the
sums of φ differ in their last bits, and percentages are cut off after two decimals, so that 37.5
may be printed as 37.49. Now and then the bits show in the last of the 15 digits of the sum itself.
There the reference's choice is taken, which is known from its behaviour (`reference_pairs`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    Weight = TypeVar("Weight")
    Weights = Mapping[tuple[int, int], float]
    """The positive weights by pair; pairs that are absent weigh 0."""
    ClusterPairs = list[tuple[int, int]]


SMALL = 1_000_000
"""Steps (rows x rows x columns) up to which a component is solved here: about as long as importing
scipy takes. Without scipy, components of any size are."""
DENSE = 4_000_000
"""Cells up to which a larger component is solved as a dense matrix (32 MB); above, as a sparse one.
"""
CLOSE = 1e-9
"""By how much sums of a few weights must differ for the greater one to be sure, as they are
rounded."""


def assign_clusters(weights: Weights) -> ClusterPairs:
    """Return the (key, response) pairs of a one-to-one assignment of greatest weight, sorted.

    Pairs without a weight are never returned.
    """
    return sorted(assign(weights)[0])


def assign(weights: Weights) -> tuple[ClusterPairs, bool]:
    """Assign clusters one to one; return the pairs, unsorted, and if the weights are settled."""
    taken, left = alone(weights)
    if left:
        others, left = reduced(left, in_all)
        taken += others
    if not left:
        return taken, True
    others, left = reduced(left, in_some)
    return taken + others + solve(left), False


def alone(weights: Weights) -> tuple[ClusterPairs, Weights]:
    """Take the edges of clusters that have no other edge; return them and the edges left."""
    of_key: dict[int, int] = {}
    of_response: dict[int, int] = {}
    for k, r in weights:
        of_key[k] = of_key.get(k, 0) + 1
        of_response[r] = of_response.get(r, 0) + 1
    taken = [(k, r) for k, r in weights if of_key[k] == of_response[r] == 1]
    if len(taken) == len(weights):
        return taken, {}
    gone = set(taken)
    return taken, {pair: weight for pair, weight in weights.items() if pair not in gone}


def in_all(weight: Any, at_key: Any, at_response: Any) -> Any:
    """Return whether every best alignment gives the key cluster of an edge the edge's weight.

    If nothing else overlaps with its response cluster, its key cluster can always have it, or one
    that weighs the same. For numbers, or for arrays of them.

    Args:
        weight: The weight of the edge.
        at_key: The greatest weight of another edge of its key cluster.
        at_response: The greatest weight of another edge of its response cluster.
    """
    return (weight > at_key + at_response + CLOSE) | ((at_response == 0) & (weight >= at_key))


def in_some(weight: Any, at_key: Any, at_response: Any) -> Any:
    """Return whether some best alignment holds an edge, as it weighs as much as the others."""
    return weight >= at_key + at_response


def reduced(  # noqa: C901  an inner loop of CEAF
    weights: Weights, is_taken: Callable[[float, float, float], bool]
) -> tuple[ClusterPairs, Weights]:
    """Take edges round by round, the first of each cluster; return them and the edges left.

    From the second round on, only the clusters are looked at that lost an edge: of a chain of
    clusters a round may take no more than an edge at either end.
    """
    # Response clusters are numbered ~r, so that both sides' clusters are the nodes of one graph.
    near: dict[int, dict[int, float]] = {}
    for (k, r), weight in weights.items():
        near.setdefault(k, {})[~r] = weight
        near.setdefault(~r, {})[k] = weight
    # Of each node the heaviest edge's weight and far end, and the second's weight.
    best: dict[int, tuple[float, int, float]] = {}
    taken: ClusterPairs = []
    changed: Collection[int] = near.keys()
    edges: Collection[tuple[int, int]] = weights.keys()
    while edges:
        for node in changed:
            heaviest, second, end = 0.0, 0.0, node
            for far, weight in near[node].items():
                if weight > heaviest:
                    heaviest, second, end = weight, heaviest, far
                elif weight > second:
                    second = weight
            best[node] = heaviest, end, second
        keys: set[int] = set()
        gone: set[int] = set()
        for k, r in edges:
            weight = weights[k, r]
            heaviest, end, second = best[k]
            if k in keys or weight < heaviest:
                continue
            at_key = second if end == ~r else heaviest
            heaviest, end, second = best[~r]
            if is_taken(weight, at_key, second if end == k else heaviest):
                keys.add(k)
                if ~r not in gone:
                    gone |= {k, ~r}
                    taken.append((k, r))
        changed = {far for node in gone for far in near[node]} - gone
        for node in gone:
            for far in near.pop(node).keys() & changed:
                del near[far][node]
        edges = sorted(
            (node, ~far) if node >= 0 else (far, ~node) for node in changed for far in near[node]
        )
    return taken, {(k, r): weight for (k, r), weight in weights.items() if ~r in near.get(k, ())}


def components(weights: Mapping[tuple[int, int], Weight]) -> list[dict[tuple[int, int], Weight]]:
    """The edges of each connected component."""
    # Response clusters are numbered ~r, so that both sides' clusters are the nodes of one graph.
    near: dict[int, list[int]] = {}
    for k, r in weights:
        near.setdefault(k, []).append(~r)
        near.setdefault(~r, []).append(k)
    number: dict[int, int] = {}
    components: list[dict[tuple[int, int], Weight]] = []
    for root in near:
        if root in number:
            continue
        number[root] = len(components)
        waiting = [root]
        while waiting:
            for node in near[waiting.pop()]:
                if node not in number:
                    number[node] = len(components)
                    waiting.append(node)
        components.append({})
    for pair, weight in weights.items():
        components[number[pair[0]]][pair] = weight
    return components


def solve(weights: Weights) -> ClusterPairs:
    """Align without the reduction, component by component; the pairs are in no order."""
    return [pair for component in components(weights) for pair in _solve_component(component)]


def _solve_component(weights: Weights) -> ClusterPairs:
    rows = sorted({k for k, _ in weights})
    columns = sorted({r for _, r in weights})
    if len(rows) > len(columns):
        exchanged = {(r, k): weight for (k, r), weight in weights.items()}
        return [(k, r) for r, k in _solve_component(exchanged)]
    row_of = {k: i for i, k in enumerate(rows)}
    column_of = {r: j for j, r in enumerate(columns)}
    placed = {(row_of[k], column_of[r]): weight for (k, r), weight in weights.items()}
    chosen = chosen_columns(placed, len(rows), len(columns))
    pairs = ((rows[i], columns[j]) for i, j in enumerate(chosen) if j >= 0)
    return [pair for pair in pairs if pair in weights]


def chosen_columns(
    weights: Weights, height: int, width: int, largest: int = DENSE
) -> Sequence[int]:
    """Return the column for each row, -1 for a row that stays alone; no more rows than columns.

    Args:
        weights: The weights by row and column.
        height: The number of rows.
        width: The number of columns.
        largest: Cells up to which scipy gets the whole matrix.
    """
    if height**2 * width > SMALL:
        try:
            return _solve_with_scipy(weights, height, width, largest)
        except ImportError:
            # numpy or scipy is missing, or is installed and cannot be loaded.
            pass
    matrix: list[list[float]] = [[0] * width for _ in range(height)]
    for (row, column), weight in weights.items():
        matrix[row][column] = weight
    return solve_dense(matrix)


def solve_dense(  # noqa: PLR0914  an inner loop of CEAF
    weights: Sequence[Sequence[float]],
) -> list[int]:
    """The column for each row in an assignment of greatest total weight; no more rows than columns.

    Shortest augmenting paths with potentials (Jonker and Volgenant 1987), exact for integers of any
    size. Of several such assignments this is the one that scipy finds: columns are tried from the
    last to the first, the last one takes the place of one that is used up, and among equally near
    columns the last that is free is taken.
    """
    size = len(weights[0])
    row_price: list[float] = [0] * len(weights)
    column_price: list[float] = [0] * size
    row_at = [-1] * size
    column_at = [-1] * len(weights)
    for first in range(len(weights)):
        distance: list[float] = [float("inf")] * size
        came_from = [-1] * size
        unseen = list(range(size - 1, -1, -1))
        seen: list[int] = []
        row = first
        travelled: float = 0
        while True:
            line, price = weights[row], row_price[row]
            nearest, nearest_at = float("inf"), -1
            for at, column in enumerate(unseen):
                length = travelled - line[column] - price - column_price[column]
                if length < distance[column]:
                    distance[column] = length
                    came_from[column] = row
                shortest = distance[column]
                if shortest < nearest or (shortest == nearest and row_at[column] < 0):
                    nearest, nearest_at = shortest, at
            last = unseen[nearest_at]
            unseen[nearest_at] = unseen[-1]
            unseen.pop()
            seen.append(last)
            travelled = nearest
            if row_at[last] < 0:
                break
            row = row_at[last]
        row_price[first] += travelled
        for column in seen:
            if row_at[column] >= 0:
                saved = travelled - distance[column]
                column_price[column] -= saved
                row_price[row_at[column]] += saved
        while last >= 0:
            row = came_from[last]
            row_at[last] = row
            column_at[row], last = last, column_at[row]
    return column_at


def _solve_with_scipy(weights: Weights, height: int, width: int, largest: int) -> list[int]:
    """Return the same as `chosen_columns`, much faster for many rows."""
    import numpy as np

    rows = [row for row, _ in weights]
    columns = [column for _, column in weights]
    if height * width <= largest:
        from scipy.optimize import linear_sum_assignment

        matrix = np.zeros((height, width))
        matrix[rows, columns] = list(weights.values())
        chosen: list[int] = linear_sum_assignment(matrix, maximize=True)[1].tolist()
        return chosen
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # Each cluster may stay alone, with a partner of its own; where two are paired, so are the
    # partners that they leave. A square matrix is solved several times faster than one with
    # partners for the rows alone. Costs are kept above 0, as a stored 0 would not be an edge.
    weighed = np.array(list(weights.values()))
    top = weighed.max() + 1
    costs = np.concatenate((top - weighed, top - weighed, np.full(height + width, top)))
    near = np.concatenate((rows, np.add(columns, height), np.arange(height + width)))
    far = np.concatenate(
        (columns, np.add(rows, width), np.arange(width, width + height), np.arange(width))
    )
    # Older versions of scipy take no other integers in a graph.
    edges = near.astype(np.int32), far.astype(np.int32)
    matched = min_weight_full_bipartite_matching(csr_array((costs, edges)))
    partners: list[int] = matched[1][:height].tolist()
    return [column if column < width else -1 for column in partners]


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
CLOSE_TO_BORDER = 1e-6
"""How far from a hundredth of a percent, in hundredths, a figure counts as on it: other figures
hardly ever come so close."""


def lies_on_hundredth(total: float, key_clusters: int, response_clusters: int) -> bool:
    """Return whether a figure in percent is so close to a hundredth that last bits may show."""
    divisors = key_clusters, response_clusters, (key_clusters + response_clusters) / 2
    return any(
        (10_000 * total / divisor + CLOSE_TO_BORDER) % 1 < 2 * CLOSE_TO_BORDER
        for divisor in divisors
    )


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
