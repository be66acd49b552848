"""The best one-to-one alignment, by every way there is to find it, against trying each and against scipy."""

import random
from contextlib import contextmanager
from fractions import Fraction
from itertools import permutations
from unittest.mock import patch

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse.csgraph
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from scorer.count import assignment
from scorer.count.assignment import (
    align_clusters,
    align_dense,
    align_edges,
    edge_components,
    solve,
    solve_dense,
)
from strategies import examples

WAYS = {"plain": (10**9, 10**9), "dense": (0, 10**9), "sparse": (0, 0)}
"""SMALL and DENSE that send every component to one solver."""


@contextmanager
def solver(way):
    small, dense = WAYS[way]
    with patch.object(assignment, "SMALL", small), patch.object(assignment, "DENSE", dense):
        yield


every_way = pytest.mark.parametrize("way", WAYS)


def graphs(weight, rows=6, columns=6):
    """Weights by (key, response); few different weights make many ties."""
    return st.dictionaries(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)), weight)


INTEGERS = st.integers(1, 4) | st.integers(1, 10**6)
SIMILARITIES = st.builds(
    lambda share, more: share + more,
    st.sampled_from([2 * n / size for size in range(2, 9) for n in range(1, size // 2 + 1)]),
    st.sampled_from([0, 0, 0, 1e-9, 1e-4, -1e-4]),
)
"""Shares as CEAFe has them, some of which nearly tie."""


def in_rows(weights):
    keys = sorted({k for k, _ in weights})
    responses = sorted({r for _, r in weights})
    return [[weights.get((k, r), 0) for r in responses] for k in keys]


def best_by_trying(weights):
    """The greatest total, exactly: floats are summed as the fractions that they are."""
    rows = [[Fraction(weight) for weight in row] for row in in_rows(weights)]
    if len(rows) > len(rows[0] if rows else []):
        rows = list(zip(*rows))
    if not rows:
        return 0
    return max(
        sum(row[at] for row, at in zip(rows, chosen))
        for chosen in permutations(range(len(rows[0])), len(rows))
    )


def best_by_scipy(weights):
    matrix = np.array(in_rows(weights), dtype=float)
    return matrix[linear_sum_assignment(matrix, maximize=True)].sum()


def total(pairs, weights):
    """What an alignment weighs.

    It must be one-to-one, sorted where it is whole, and made of overlaps.
    """
    assert len({k for k, _ in pairs}) == len({r for _, r in pairs}) == len(pairs)
    return sum(Fraction(weights[pair]) for pair in pairs)


@examples(1.5)
@given(graphs(INTEGERS, 5, 6))
def test_integer_weights_exactly(weights):
    best = best_by_trying(weights)
    for way in WAYS:
        with solver(way):
            pairs = align_clusters(weights)
        assert pairs == sorted(pairs)
        assert total(pairs, weights) == best, way


@examples(1.5)
@given(graphs(SIMILARITIES, 5, 6))
def test_similarities(weights):
    best = best_by_trying(weights)
    for way in WAYS:
        with solver(way):
            pairs = align_clusters(weights)
        # What is lost to rounding while a best alignment is looked for stays far below the fifteen
        # digits that are printed.
        assert total(pairs, weights) == pytest.approx(best, abs=1e-14), way


@examples(1.5)
@given(graphs(st.integers(1, 3), 5, 6) | graphs(SIMILARITIES, 5, 6))
def test_each_solver_without_the_reduction(weights):
    """The reduction leaves next to nothing of small graphs, so the solvers get them whole."""
    best = best_by_trying(weights)
    for way in WAYS:
        with solver(way):
            pairs = [
                pair for component in assignment.components(weights) for pair in solve(component)
            ]
        assert total(pairs, weights) == pytest.approx(best, abs=1e-14), way


def sparse_graph(rows, columns, edges, weight, seed):
    draw = random.Random(seed)
    return {(draw.randrange(rows), draw.randrange(columns)): weight(draw) for _ in range(edges)}


@every_way
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("rows", "columns", "edges"),
    [(40, 40, 120), (30, 60, 200), (60, 30, 200), (25, 25, 500), (1, 30, 40), (30, 1, 40)],
)
def test_larger_graphs_against_scipy(way, rows, columns, edges, seed):
    ties = sparse_graph(rows, columns, edges, lambda draw: draw.randint(1, 3), seed)
    floats = sparse_graph(
        rows, columns, edges, lambda draw: 2 * draw.randint(1, 9) / draw.randint(18, 40), seed
    )
    with solver(way):
        assert total(align_clusters(ties), ties) == best_by_scipy(ties)
        assert float(total(align_clusters(floats), floats)) == pytest.approx(
            best_by_scipy(floats), abs=1e-12
        )


@given(
    (graphs(INTEGERS, 5, 6) | graphs(SIMILARITIES, 5, 6)).filter(len),
    st.randoms(use_true_random=False),
)
def test_edges_in_arrays(weights, draw):
    """In any order, and without the reduction; what comes back are places in the arrays."""
    edges = draw.sample(list(weights), len(weights))
    key, response = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
    best = best_by_trying(weights)
    for way in WAYS:
        with solver(way):
            taken = align_edges(key, response, np.array([weights[edge] for edge in edges]))
        assert total([edges[at] for at in taken], weights) == pytest.approx(best, abs=1e-14), way


@examples(1.5)
@given(
    (graphs(INTEGERS, 3, 4) | graphs(SIMILARITIES, 4, 3)).filter(len),
    st.randoms(use_true_random=False),
)
def test_edges_that_fill_half_of_a_matrix(weights, draw):
    edges = draw.sample(list(weights), len(weights))
    key, response = (np.array([3 + 2 * edge[side] for edge in edges], np.int32) for side in (0, 1))
    taken = align_dense(key, response, np.array([weights[edge] for edge in edges]))
    cells = len({*key.tolist()}) * len({*response.tolist()})
    assert (taken is None) == (cells > 2 * len(edges))
    if taken is not None:
        assert total([edges[at] for at in taken], weights) == pytest.approx(
            best_by_trying(weights), abs=1e-14
        )


def test_a_large_component_becomes_a_square_matrix(monkeypatch):
    """The sparse solver passes over its quickest steps where there are more columns than rows."""
    shapes = []
    solve_sparse = scipy.sparse.csgraph.min_weight_full_bipartite_matching

    def watched(graph):
        shapes.append((graph.shape, graph.nnz))
        return solve_sparse(graph)

    monkeypatch.setattr(scipy.sparse.csgraph, "min_weight_full_bipartite_matching", watched)
    weights = {(0, 0): 6, (0, 1): 4, (1, 0): 4, (1, 1): 1, (1, 2): 1}
    with solver("sparse"):
        assert sorted(solve(weights)) == [(0, 1), (1, 0)]
    assert shapes == [((5, 5), 2 * 5 + 5)]


def test_nothing_to_align():
    assert align_clusters({}) == []


def test_pairs_without_weight_are_never_returned():
    assert align_clusters({(0, 0): 5, (1, 0): 4, (2, 0): 3}) == [(0, 0)]


@every_way
def test_a_cluster_that_stays_alone(way):
    """Key cluster 1, which overlaps the last response cluster; that one goes to key cluster 0."""
    weights = {
        (0, 1): 3,
        (0, 2): 1,
        (0, 3): 5,
        (1, 0): 1,
        (1, 2): 1,
        (1, 3): 1,
        (2, 2): 4,
        (3, 0): 3,
        (3, 3): 3,
    }
    with solver(way):
        assert sorted(solve(weights)) == [(0, 3), (2, 2), (3, 0)]


@pytest.mark.parametrize(
    ("weights", "taken"),
    [
        ({(0, 0): 1}, [(0, 0)]),
        ({(0, 0): 3, (0, 1): 2, (1, 1): 2}, [(0, 0), (1, 1)]),
        ({(0, 0): 4, (1, 0): 3, (1, 1): 2}, [(0, 0), (1, 1)]),
        ({(0, 0): 3, (0, 1): 1, (1, 0): 1}, [(0, 0)]),
        ({(0, 0): 2, (0, 1): 1, (1, 0): 1}, [(0, 0)]),
        # Once (1, 0) is taken, what key cluster 0 has left is measured by its next edge, and by
        # that alone.
        ({(1, 0): 10, (0, 0): 3, (0, 1): 2, (0, 2): 1, (2, 1): 0.5}, [(0, 1), (1, 0)]),
        ({(1, 0): 10, (0, 1): 2, (0, 0): 1.5, (0, 2): 1, (2, 1): 0.75}, [(0, 1), (1, 0)]),
    ],
)
def test_the_reduction_alone_solves_what_is_plain(weights, taken):
    found, left = assignment._reduce(weights)
    assert (sorted(found), left) == (taken, {})


def test_one_round_takes_what_has_no_other():
    assert assignment._take_obvious({(0, 0): 1, (1, 2): 0.5}) == ([(0, 0), (1, 2)], {}, True)


def test_one_round_takes_what_weighs_as_much_as_two_others():
    assert assignment._take_obvious({(0, 0): 2, (0, 1): 1, (1, 0): 1}) == ([(0, 0)], {}, False)


def test_the_reduction_takes_no_edge_that_two_others_outweigh():
    weights = {(0, 0): 3, (0, 1): 2, (1, 0): 2, (1, 1): 0.5}
    assert assignment._reduce(weights) == ([], weights)
    assert align_clusters(weights) == [(0, 1), (1, 0)]


@examples(2)
@given(graphs(INTEGERS, 5, 5))
def test_the_reduction_takes_only_what_a_best_alignment_holds(weights):
    taken, left = assignment._reduce(weights)
    gone = {k for k, _ in taken}, {r for _, r in taken}
    assert left == {
        (k, r): weight
        for (k, r), weight in weights.items()
        if k not in gone[0] and r not in gone[1]
    }
    assert total(taken, weights) + best_by_trying(left) == best_by_trying(weights)


@given(graphs(INTEGERS))
def test_components_share_no_cluster(weights):
    components = assignment.components(weights)
    assert sorted(edge for component in components for edge in component.items()) == sorted(
        weights.items()
    )
    for side in (0, 1):
        clusters = [
            pair[side]
            for component in components
            for pair in {pair[side]: pair for pair in component}.values()
        ]
        assert len(clusters) == len(set(clusters))
    for component in components:
        reached = {next(iter(component))[0]}
        for _ in component:
            responses = {r for k, r in component if k in reached}
            reached |= {k for k, r in component if r in responses}
        assert reached == {k for k, _ in component}


@examples(1.5)
@given(
    st.integers(1, 5).flatmap(
        lambda rows: st.lists(
            st.lists(st.integers(0, 5), min_size=5, max_size=5), min_size=rows, max_size=rows
        )
    )
)
def test_a_dense_matrix(matrix):
    columns = solve_dense(matrix)
    assert len(set(columns)) == len(matrix)
    best = max(
        sum(row[at] for row, at in zip(matrix, chosen))
        for chosen in permutations(range(5), len(matrix))
    )
    assert sum(row[at] for row, at in zip(matrix, columns)) == best


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("plain", []),
        ("dense", ["linear_sum_assignment"] * 2),
        ("sparse", ["min_weight_full_bipartite_matching"] * 2),
    ],
)
def test_size_decides_which_solver_is_asked(way, expected, monkeypatch):
    """Once for each component that the reduction leaves."""
    asked = []

    def watch(module, name):
        original = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *args, **options: asked.append(name) or original(*args, **options)
        )

    watch(scipy.optimize, "linear_sum_assignment")
    watch(scipy.sparse.csgraph, "min_weight_full_bipartite_matching")
    square = {(0, 0): 6, (0, 1): 4, (1, 0): 4, (1, 1): 1}
    weights = {(k + at, r + at): weight for at in (0, 2) for (k, r), weight in square.items()} | {
        (9, 9): 1
    }
    with solver(way):
        assert align_clusters(weights) == [(0, 1), (1, 0), (2, 3), (3, 2), (9, 9)]
    assert asked == expected


@every_way
@given(graphs(st.integers(1, 2), rows=9, columns=3))
def test_of_clusters_that_are_alike_as_many_are_left_as_can_be_aligned(way, weights):
    with solver(way):
        for some in (weights, {(r, k): weight for (k, r), weight in weights.items()}):
            left = assignment.without_surplus(some)
            assert left.items() <= some.items()
            assert sum(left[pair] for pair in align_clusters(left)) == best_by_trying(some)


def test_they_are_the_first_and_the_last():
    """By hand: 2, 3, 4 and 5 are alike, and overlap with one other cluster.

    1 with another weight, 0 with two.
    """
    weights = {(0, 0): 1, (0, 1): 1, (1, 1): 2} | dict.fromkeys([(k, 1) for k in range(2, 6)], 1)
    left = dict.fromkeys(weights)
    del left[3, 1], left[4, 1]
    assert list(assignment.without_surplus(weights)) == list(left)
    exchanged = {(r, k): weight for (k, r), weight in weights.items()}
    assert list(assignment.without_surplus(exchanged)) == [(r, k) for k, r in left]


def test_clusters_of_different_sides_are_never_alike():
    """By hand: two key clusters overlap with response cluster 1 alone, and two response clusters with key cluster 1 alone."""
    weights = dict.fromkeys([(2, 1), (3, 1), (1, 2), (1, 3)], 1)
    assert assignment.without_surplus(weights) == weights


def test_no_edges_have_no_component():
    none = np.zeros(0, np.int64)
    assert edge_components(none, none) == []
    assert len(align_edges(none, none, np.zeros(0))) == 0
