"""The best one-to-one alignment of key and response clusters, for CEAF.

Exact, and quick on real files. First comes a reduction: an edge that weighs at least as much as the
best other edges at its two ends together is in some best alignment (exchanging them for it never
loses), so it is taken and its ends leave the graph. That is repeated while it helps. What is left
falls into components, each solved on its own.

Edges that outweigh the others for certain are taken before those that may be tied. Where they are
all, every best alignment gives each key cluster the same weight: the weights are settled. Otherwise
`scorer.count.ties` knows which of several best alignments reference 8.01 takes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    Weight = TypeVar("Weight")
    Weights = Mapping[tuple[int, int], float]
    """The positive weights by pair; pairs that are absent weigh 0."""
    Pairs = list[tuple[int, int]]


SMALL = 1_000_000
"""Steps (rows x rows x columns) up to which a component is solved here: about as long as importing
scipy takes. Without scipy, components of any size are."""
DENSE = 4_000_000
"""Cells up to which a larger component is solved as a dense matrix (32 MB); above, as a sparse one.
"""
CLOSE = 1e-9
"""By how much sums of a few weights must differ for the greater one to be sure, as they are
rounded."""


def align_clusters(weights: Weights) -> Pairs:
    """The (key, response) pairs of a one-to-one alignment of greatest total weight, sorted.

    Pairs without a weight are never returned.
    """
    return sorted(align(weights)[0])


def align(weights: Weights) -> tuple[Pairs, bool]:
    """Align as `align_clusters` does; return the pairs unsorted, and if the weights are settled."""
    taken, left = reduced(weights, in_all)
    if not left:
        return taken, True
    others, left = reduced(left, in_some)
    return taken + others + solve(left), False


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


def reduced(
    weights: Weights, is_taken: Callable[[float, float, float], bool]
) -> tuple[Pairs, Weights]:
    """Take edges round by round, the first of each cluster; return them and the edges left.

    From the second round on, only the clusters are looked at that lost an edge: of a chain of
    clusters a round may take no more than an edge at either end.
    """
    # Response clusters are numbered ~r, so that both sides' clusters are the nodes of one graph.
    best = _heaviest((k, ~r, weight) for (k, r), weight in weights.items())
    best |= _heaviest((~r, k, weight) for (k, r), weight in weights.items())
    taken, gone = _round(weights, weights, best, is_taken)
    left = {
        (k, r): weight for (k, r), weight in weights.items() if k not in gone and ~r not in gone
    }
    if not taken or not left:
        return taken, left
    near: dict[int, dict[int, float]] = {}
    for (k, r), weight in weights.items():
        near.setdefault(k, {})[~r] = weight
        near.setdefault(~r, {})[k] = weight
    while gone:
        changed = {far for node in gone for far in near[node]} - gone
        for node in gone:
            for far in near.pop(node).keys() & changed:
                del near[far][node]
        best |= _heaviest((node, far, w) for node in changed for far, w in near[node].items())
        edges = sorted(
            (node, ~far) if node >= 0 else (far, ~node) for node in changed for far in near[node]
        )
        more, gone = _round(edges, weights, best, is_taken)
        taken += more
    return taken, {
        pair: weight for pair, weight in left.items() if ~pair[1] in near.get(pair[0], ())
    }


def _heaviest(edges: Iterable[tuple[int, int, float]]) -> dict[int, list[Any]]:
    """Return, for each near end, the heaviest edge's weight and far end, and the second's weight."""
    heaviest: dict[int, list[Any]] = {}
    for near, far, weight in edges:
        best = heaviest.get(near)
        if best is None:
            heaviest[near] = [weight, far, 0]
        elif weight > best[0]:
            heaviest[near] = [weight, far, best[0]]
        elif weight > best[2]:
            best[2] = weight
    return heaviest


def _round(
    edges: Iterable[tuple[int, int]],
    weights: Weights,
    best: Mapping[int, list[Any]],
    is_taken: Callable[[float, float, float], bool],
) -> tuple[Pairs, set[int]]:
    """Take one edge a cluster among these; return them, and the nodes that are their ends."""
    taken: Pairs = []
    gone: set[int] = set()
    keys: set[int] = set()
    for k, r in edges:
        weight = weights[k, r]
        heaviest, far, second = best[k]
        if k in keys or weight < heaviest:
            continue
        at_key = second if far == ~r else heaviest
        heaviest, far, second = best[~r]
        if is_taken(weight, at_key, second if far == k else heaviest):
            keys.add(k)
            if ~r not in gone:
                gone |= {k, ~r}
                taken.append((k, r))
    return taken, gone


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


def solve(weights: Weights) -> Pairs:
    """Align without the reduction, component by component; the pairs are in no order."""
    return [pair for component in components(weights) for pair in _solve_component(component)]


def _solve_component(weights: Weights) -> Pairs:
    rows = sorted({k for k, _ in weights})
    columns = sorted({r for _, r in weights})
    if len(rows) > len(columns):
        exchanged = {(r, k): weight for (k, r), weight in weights.items()}
        return [(k, r) for r, k in _solve_component(exchanged)]
    row_of = {k: i for i, k in enumerate(rows)}
    column_of = {r: j for j, r in enumerate(columns)}
    if len(rows) ** 2 * len(columns) <= SMALL or not has_scipy():
        matrix: list[list[float]] = [[0] * len(columns) for _ in rows]
        for (k, r), weight in weights.items():
            matrix[row_of[k]][column_of[r]] = weight
        chosen: Sequence[int] = solve_dense(matrix)
    else:
        edges = [row_of[k] for k, _ in weights], [column_of[r] for _, r in weights]
        chosen = _solve_with_scipy(*edges, list(weights.values()), len(rows), len(columns))
    pairs = ((rows[i], columns[j]) for i, j in enumerate(chosen) if j >= 0)
    return [pair for pair in pairs if pair in weights]


def has_scipy() -> bool:
    """Return whether scipy is installed, which solves larger components much faster.

    Importing it takes longer than scoring most files, so it is looked for and not imported.
    """
    from importlib.util import find_spec

    return find_spec("numpy") is not None and find_spec("scipy") is not None


def solve_dense(weights: Sequence[Sequence[float]]) -> list[int]:
    """The column for each row in an assignment of greatest total weight; no more rows than columns.

    Shortest augmenting paths with potentials (Jonker and Volgenant 1987), exact for integers of any
    size.
    """
    size = len(weights[0])
    row_price: list[float] = [0] * len(weights)
    column_price: list[float] = [0] * size
    row_at = [-1] * size
    column_at = [-1] * len(weights)
    for first in range(len(weights)):
        distance: list[float] = [float("inf")] * size
        came_from = [-1] * size
        unseen = set(range(size))
        row = first
        travelled: float = 0
        while True:
            line, price = weights[row], row_price[row]
            nearest, last = float("inf"), -1
            for column in unseen:
                length = travelled - line[column] - price - column_price[column]
                if length < distance[column]:
                    distance[column] = length
                    came_from[column] = row
                if distance[column] < nearest:
                    nearest, last = distance[column], column
            unseen.discard(last)
            travelled = nearest
            if row_at[last] < 0:
                break
            row = row_at[last]
        row_price[first] += travelled
        for column in range(size):
            if column not in unseen and row_at[column] >= 0:
                saved = travelled - distance[column]
                column_price[column] -= saved
                row_price[row_at[column]] += saved
        while last >= 0:
            row = came_from[last]
            row_at[last] = row
            column_at[row], last = last, column_at[row]
    return column_at


def _solve_with_scipy(
    rows: Sequence[int],
    columns: Sequence[int],
    weights: Sequence[float],
    height: int,
    width: int,
) -> list[int]:
    """The column for each row, -1 for a row that stays alone; no more rows than columns."""
    import numpy as np

    if height * width <= DENSE:
        from scipy.optimize import linear_sum_assignment

        matrix = np.zeros((height, width))
        matrix[rows, columns] = weights
        chosen: list[int] = linear_sum_assignment(matrix, maximize=True)[1].tolist()
        return chosen
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # Each cluster may stay alone, with a partner of its own; where two are paired, so are the
    # partners that they leave. A square matrix is solved several times faster than one with
    # partners for the rows alone. Costs are kept above 0, as a stored 0 would not be an edge.
    weighed = np.asarray(weights)
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
