"""The best one-to-one alignment of key and response clusters, for CEAF.

Exact, and quick on real files. First comes a reduction: an edge that weighs at least as much as the best other edges at its
two ends together is in some best alignment (exchanging them for it never loses), so it is taken and its ends leave the graph.
That is repeated while it helps. What is left falls into components, each solved on its own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    Weight = TypeVar("Weight")
    Ints = NDArray[np.signedinteger[Any]]

SMALL = 1_000_000
"""Steps (rows x rows x columns) up to which a component is solved here: about as long as importing scipy takes. Without scipy,
components of any size are."""
DENSE = 4_000_000
"""Cells up to which a larger component is solved as a dense matrix (32 MB); above, as a sparse one."""
CLOSE = 1e-9
"""By how much sums of a few weights must differ for the greater one to be sure, as they are rounded."""


def align_clusters(weights: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """The (key, response) pairs of a one-to-one alignment of greatest total weight, sorted.

    `weights` holds the positive weights by pair; pairs that are absent weigh 0 and are never returned.
    """
    taken, left = _take_obvious(weights)
    return sorted(taken + align_rest(left))


def align_rest(weights: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """The pairs of the same, in no particular order, once what one round of the reduction takes has been taken."""
    taken, left = _reduce(without_surplus(weights))
    return taken + [pair for component in components(left) for pair in solve(component)]


def _take_obvious(
    weights: Mapping[tuple[int, int], float],
) -> tuple[list[tuple[int, int]], Mapping[tuple[int, int], float]]:
    """One round of the reduction, for all key clusters at once: most real documents leave nothing for the next."""
    # For each cluster the weight of its heaviest edge, the edge's far end, and the weight of the second heaviest.
    by_key: dict[int, list[Any]] = {}
    by_response: dict[int, list[Any]] = {}
    for (k, r), weight in weights.items():
        for side, near, far in ((by_key, k, r), (by_response, r, k)):
            best = side.get(near)
            if best is None:
                side[near] = [weight, far, 0]
            elif weight > best[0]:
                side[near] = [weight, far, best[0]]
            elif weight > best[2]:
                best[2] = weight
    gone: set[int] = set()
    taken: list[tuple[int, int]] = []
    for k, (weight, r, second) in by_key.items():
        back, nearest, other = by_response[r]
        if r not in gone and weight >= second + (other if nearest == k else back):
            taken.append((k, r))
            gone.add(r)
    if len(taken) == min(len(by_key), len(by_response)):
        return taken, {}
    kept = by_key.keys() - {k for k, _ in taken}
    return taken, {pair: weight for pair, weight in weights.items() if pair[0] in kept and pair[1] not in gone}


def without_surplus(weights: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """The edges but for those of clusters of which there are more alike than can be aligned.

    Clusters of one side are alike that have edges of the same weights to the same others: no more of them are aligned than there
    are others. As many are left from the beginning and from the end.
    """
    edges: dict[int, list[tuple[int, float]]] = {}
    for (k, r), weight in weights.items():
        edges.setdefault(k, []).append((~r, weight))
        edges.setdefault(~r, []).append((k, weight))
    alike: dict[tuple[tuple[int, float], ...], list[int]] = {}
    for node in sorted(edges):
        alike.setdefault(tuple(edges[node]), []).append(node)
    surplus = {node for others, nodes in alike.items() for node in nodes[len(others) : -len(others)]}
    return {pair: weight for pair, weight in weights.items() if pair[0] not in surplus and ~pair[1] not in surplus}


def settled(weights: Mapping[tuple[int, int], float]) -> bool:
    """Whether every best alignment is known to give each key cluster the same weight, so that all add up to the same."""
    return not _reduce(weights, sure=True)[1]


def in_all(weight: Any, at_key: Any, at_response: Any) -> Any:
    """Whether every best alignment gives an edge's key cluster that weight, next to those of the best other edges at its ends.

    If nothing else overlaps with its response cluster, its key cluster can always have it, or one that weighs the same. For
    numbers, or for arrays of them.
    """
    return (weight > at_key + at_response + CLOSE) | ((at_response == 0) & (weight >= at_key))


def _reduce(
    weights: Mapping[tuple[int, int], float], *, sure: bool = False
) -> tuple[list[tuple[int, int]], dict[tuple[int, int], float]]:
    """The edges that some best alignment is known to hold, and the edges between clusters that these leave.

    If `sure`, only those are taken that give their key cluster what every best alignment gives it.
    """
    # Response clusters are numbered ~r, so that both sides' clusters are the nodes of one graph.
    edges: dict[int, list[tuple[float, int]]] = {}
    for (k, r), weight in weights.items():
        edges.setdefault(k, []).append((weight, ~r))
        edges.setdefault(~r, []).append((weight, k))
    for near in edges.values():
        near.sort(reverse=True)
    # Position of the heaviest and of the second heaviest edge still there: both only move on, as edges only vanish.
    best = {node: [0, 1] for node in edges}
    gone: set[int] = set()

    def two(node: int) -> tuple[float, int, float]:
        """Weight and far end of the heaviest edge, weight of the second heaviest; 0 where there is none."""
        near, at = edges[node], best[node]
        while at[0] < len(near) and near[at[0]][1] in gone:
            at[0] += 1
        at[1] = max(at[1], at[0] + 1)
        while at[1] < len(near) and near[at[1]][1] in gone:
            at[1] += 1
        weight, far = near[at[0]] if at[0] < len(near) else (0, node)
        return weight, far, near[at[1]][0] if at[1] < len(near) else 0

    taken: list[tuple[int, int]] = []
    waiting = list(edges)
    while waiting:
        node = waiting.pop()
        if node in gone:
            continue
        weight, far, second = two(node)
        if not weight:
            continue
        back, nearest, other = two(far)
        rest = other if nearest == node else back
        if weight < second + rest or (sure and not in_all(weight, *((second, rest) if node >= 0 else (rest, second)))):
            continue
        taken.append((node, ~far) if node >= 0 else (far, ~node))
        gone.add(node)
        gone.add(far)
        waiting += [near for end in (node, far) for _, near in edges[end] if near not in gone]
    if len(gone) == len(edges):
        return taken, {}
    return taken, {pair: weight for pair, weight in weights.items() if pair[0] not in gone and ~pair[1] not in gone}


def components(weights: Mapping[tuple[int, int], Weight]) -> list[dict[tuple[int, int], Weight]]:
    """The edges of each connected component."""
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


def solve(weights: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """A best alignment of one component, as pairs; by size in plain Python, as a dense or as a sparse matrix."""
    rows = sorted({k for k, _ in weights})
    columns = sorted({r for _, r in weights})
    if len(rows) > len(columns):
        return [(k, r) for r, k in solve({(r, k): weight for (k, r), weight in weights.items()})]
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
    """Whether larger components can be solved by scipy, which is much quicker."""
    try:
        import scipy.optimize  # noqa: F401  scorer.pl also runs from a clone, where nothing is installed
    except ImportError:
        return False
    return True


def align_edges(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints:
    """The same for edges given as arrays; the places of those taken, in no particular order.

    For many edges: only the small components become Python objects.
    """
    import numpy as np

    taken: list[int] = []
    for edges in edge_components(key, response):
        near, i = np.unique(key[edges], return_inverse=True)
        far, j = np.unique(response[edges], return_inverse=True)
        if len(near) * len(far) * min(len(near), len(far)) <= SMALL:
            place = dict(zip(zip(i.tolist(), j.tolist()), edges.tolist()))
            taken += [place[pair] for pair in solve(dict(zip(place, weights[edges].tolist())))]
            continue
        if len(near) > len(far):
            near, far, i, j = far, near, j, i
        chosen = np.array(_solve_with_scipy(i, j, weights[edges], len(near), len(far)))
        taken += edges[chosen[i] == j].tolist()
    return np.array(taken, np.int64)


def edge_components(key: Ints, response: Ints) -> list[Ints]:
    """The places of the edges of each connected component, of edges given as arrays; no component where there are no edges."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if not len(key):
        return []
    keys, rows = np.unique(key, return_inverse=True)
    responses, columns = np.unique(response, return_inverse=True)
    size = len(keys) + len(responses)
    # Older versions of scipy take no others in a graph, and here they say so on stderr alone.
    ends = rows.astype(np.int32), (columns + len(keys)).astype(np.int32)
    graph = csr_array((np.ones(len(rows), np.int8), ends), shape=(size, size))
    component = connected_components(graph, directed=False)[1][rows]
    order = np.argsort(component, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)


def align_dense(key: Ints, response: Ints, weights: NDArray[Any]) -> Ints | None:
    """The same where the edges fill half of a matrix or more, in not much more memory than they take; None where they do not."""
    import numpy as np

    height, rows = _numbered(key)
    width, columns = _numbered(response)
    if height * width > min(DENSE, 2 * len(key)):
        return None
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((height, width))
    matrix[rows, columns] = weights
    chosen = np.full(height, -1, np.int32)
    near, far = linear_sum_assignment(matrix, maximize=True)
    chosen[near] = far
    return np.flatnonzero(chosen[rows] == columns)


def _numbered(cluster: Ints) -> tuple[int, Ints]:
    """How many different clusters there are, and the number of each; without sorting them."""
    import numpy as np

    there = np.bincount(cluster) > 0
    return int(np.count_nonzero(there)), (np.cumsum(there, dtype=np.int32) - 1)[cluster]


def solve_dense(weights: Sequence[Sequence[float]]) -> list[int]:
    """The column for each row in an assignment of greatest total weight; no more rows than columns.

    Shortest augmenting paths with potentials (Jonker and Volgenant 1987), exact for integers of any size.
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
    rows: Sequence[int] | Ints, columns: Sequence[int] | Ints, weights: Sequence[float] | NDArray[Any], height: int, width: int
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

    # Each cluster may stay alone, with a partner of its own; where two are paired, so are the partners that they leave. A square
    # matrix is solved several times faster than one with partners for the rows alone. Costs are kept above 0, as a stored 0 would
    # not be an edge.
    weighed = np.asarray(weights)
    top = weighed.max() + 1
    costs = np.concatenate((top - weighed, top - weighed, np.full(height + width, top)))
    near = np.concatenate((rows, np.add(columns, height), np.arange(height + width)))
    far = np.concatenate((columns, np.add(rows, width), np.arange(width, width + height), np.arange(width)))
    edges = near.astype(np.int32), far.astype(np.int32)  # as above
    matched = min_weight_full_bipartite_matching(csr_array((costs, edges)))
    partners: list[int] = matched[1][:height].tolist()
    return [column if column < width else -1 for column in partners]
