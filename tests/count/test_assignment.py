"""The best one-to-one alignment, by every way there is to find it, against trying each and against
scipy."""

import random
import time
from contextlib import contextmanager
from fractions import Fraction
from itertools import permutations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from scorer.count import assignment
from scorer.count.assignment import assign, assign_clusters, solve, solve_dense
from scorer.engine.arrays import best_pairs
from strategies import examples

WAYS = {"plain": (10**9, 10**9), "dense": (0, 10**9), "sparse": (0, 0)}
"""SMALL and DENSE that send every component to one solver."""


@contextmanager
def solver(way):
    small, dense = WAYS[way]
    with patch.object(assignment, "SMALL", small), patch.object(assignment, "DENSE", dense):
        yield


def graphs(weight, rows=5, columns=6):
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


def total(pairs, weights):
    """What an alignment weighs, which must be one-to-one and made of overlaps."""
    assert len({k for k, _ in pairs}) == len({r for _, r in pairs}) == len(pairs)
    return sum(Fraction(weights[pair]) for pair in pairs)


@examples(1.5)
@given(graphs(INTEGERS) | graphs(SIMILARITIES) | graphs(st.integers(1, 2), 9, 3))
def test_every_way_against_trying(weights):
    """With the reduction, which leaves next to nothing of small graphs, and without it.

    What is lost to rounding stays far below the fifteen digits that are printed.
    """
    best = best_by_trying(weights)
    for way in WAYS:
        with solver(way):
            pairs = assign_clusters(weights)
            assert pairs == sorted(pairs)
            assert total(pairs, weights) == pytest.approx(best, abs=1e-14), way
            assert total(solve(weights), weights) == pytest.approx(best, abs=1e-14), way


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("rows", "columns", "edges"), [(40, 40, 120), (30, 60, 200), (60, 30, 200), (25, 25, 500)]
)
def test_larger_graphs_against_scipy(way, rows, columns, edges):
    draw = random.Random(edges + rows)
    for weight in (lambda: draw.randint(1, 3), lambda: draw.randint(1, 9) / draw.randint(9, 20)):
        weights = {(draw.randrange(rows), draw.randrange(columns)): weight() for _ in range(edges)}
        matrix = np.array(in_rows(weights), dtype=float)
        expected = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
        with solver(way):
            assert float(total(assign_clusters(weights), weights)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({}, True),
        ({(0, 0): 0.5, (0, 1): 0.5}, True),  # either gives it the same
        ({(0, 0): 0.5, (1, 0): 0.5}, False),  # one of two key clusters is aligned
        ({(0, 0): 0.5, (1, 0): 0.4}, True),
        ({(0, 0): 0.5, (1, 0): 0.5 - 1e-12}, False),  # too close to be sure
        ({(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.3}, True),  # the other one is free for the second
        # Each has the same, but that is not found.
        ({(0, 0): 0.5, (0, 1): 0.5, (1, 0): 0.3, (1, 1): 0.3}, False),
        ({(0, 0): 0.8, (0, 1): 0.5, (1, 0): 0.3}, False),  # 0.8 alone, or both others
        ({(0, 0): 0.9, (0, 1): 0.5, (1, 0): 0.3}, True),
        # The last two, once the first is aligned.
        ({(0, 0): 0.9, (0, 1): 0.5, (1, 0): 0.3, (1, 1): 0.2, (2, 1): 0.2}, False),
    ],
)
def test_where_the_weights_are_settled_by_hand(weights, expected):
    assert assign(weights)[1] is expected
    exchanged = {(9 - k, 9 - r): weight for (k, r), weight in reversed(weights.items())}
    assert assign(exchanged)[1] is expected


@pytest.mark.clock
@pytest.mark.parametrize("engine", ["plain", "numpy"])
def test_a_chain_of_clusters_takes_no_time(engine):
    """Each has a mention in common with the next: a round of the reduction takes an edge or two."""
    size = 10_000
    pairs = [(k, r) for k in range(size) for r in (k, k + 1)]
    weights = dict.fromkeys(pairs, 0.5)
    before = time.process_time()
    if engine == "plain":
        aligned = assign_clusters(weights)
    else:
        key, response = np.array(pairs, np.int32).T
        at = best_pairs(key, response, np.full(len(pairs), 0.5))[0]
        aligned = [pairs[place] for place in at.tolist()]
    assert time.process_time() - before < 5
    assert total(aligned, weights) == size / 2


@examples(4)
@given(st.lists(graphs(st.integers(1, 4), 4, 4), min_size=1, max_size=3))
def test_documents_at_once_are_aligned_as_alone(documents):
    """With numpy the same pairs are chosen among those that weigh the same.

    Where the weights are settled, every best alignment gives a key cluster the same.
    """
    edges = [
        (4 * at + k, (1 << 15) * at + r, document[k, r])
        for at, document in enumerate(documents)
        for k, r in sorted(document)
    ]
    key, response, weights = np.array(edges, np.int64).reshape(len(edges), 3).T
    places, unsettled = best_pairs(key, response, weights.astype(float))
    assert places.tolist() == sorted(places.tolist())
    for at, document in enumerate(documents):
        pairs, settled = assign(dict(sorted(document.items())))
        chosen = [edges[place][:2] for place in places if edges[place][0] // 4 == at]
        assert [(k - 4 * at, r - (1 << 15) * at) for k, r in chosen] == sorted(pairs)
        assert settled == (at not in key[unsettled] // 4)
        alignments = [
            tuple(document.get((k, r), 0) for k, r in enumerate(order))
            for order in permutations(range(4))
        ]
        best = max(map(sum, alignments))
        assert not settled or len({one for one in alignments if sum(one) == best}) == 1


@pytest.mark.parametrize("values", [[0, 1], [0, 0, 0, 0.5, 1], [0, 0.1, 0.2, 0.3, 0.7]], ids=str)
def test_of_tied_assignments_the_one_of_scipy(values):
    draw = random.Random(11)
    for _ in range(300):
        height = draw.randint(1, 7)
        width = draw.randint(height, 9)
        matrix = [[draw.choice(values) for _ in range(width)] for _ in range(height)]
        assert solve_dense(matrix) == linear_sum_assignment(matrix, maximize=True)[1].tolist()
