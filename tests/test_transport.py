"""Kinds aligned by their number: as good as one by one, in steps that do not depend on the numbers."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from scorer.count import assignment as module
from scorer.count.assignment import transport
from strategies import examples

WORTH = [0, 0, 1, 1, 2, 3, 7.5, 11]


@examples(4)
@given(st.integers(0, 2**64 - 1).map(random.Random))
def test_as_good_as_one_by_one(draw):
    height, width = draw.randint(1, 9), draw.randint(1, 9)
    worth = np.array([[draw.choice(WORTH) for _ in range(width)] for _ in range(height)], float)
    supply, room = ([draw.randint(0, 5) for _ in range(size)] for size in (height, width))
    taken = transport(worth, supply, room)
    one_by_one = np.repeat(np.repeat(worth, supply, axis=0), room, axis=1)
    best = one_by_one[linear_sum_assignment(-one_by_one)].sum()
    assert sum(worth[i, j] * number for i, j, number in taken) == pytest.approx(best)
    assert taken == sorted(taken)
    assert len({(i, j) for i, j, _ in taken}) == len(taken)
    assert all(number > 0 and worth[i, j] > 0 for i, j, number in taken)
    assert all(sum(number for i, _, number in taken if i == row) <= supply[row] for row in range(height))
    assert all(sum(number for _, j, number in taken if j == column) <= room[column] for column in range(width))


def test_by_hand():
    """Both kinds would rather have the first column: the first gains 2.5 by it, the second 3, so 6 of the second have it."""
    worth = np.array([[3.0, 0.5], [4.0, 1.0]])
    assert transport(worth, [5, 7], [6, 6]) == [(0, 1, 5), (1, 0, 6), (1, 1, 1)]
    assert transport(worth.T, [6, 6], [5, 7]) == [(0, 1, 6), (1, 0, 5), (1, 1, 1)]


def test_more_rows_than_room():
    assert transport(np.array([[2.0], [3.0]]), [4, 5], [7]) == [(0, 0, 2), (1, 0, 5)]
    assert transport(np.array([[0.0]]), [4], [7]) == []


def test_steps_do_not_grow_with_the_numbers(monkeypatch):
    draw = random.Random(5)
    worth = np.array([[draw.choice(WORTH) for _ in range(9)] for _ in range(8)], float)
    supply, room = ([draw.randint(1, 50) for _ in range(size)] for size in (8, 9))
    shortest, steps = module._shortest, []
    monkeypatch.setattr(module, "_shortest", lambda *given: steps.append(1) or shortest(*given))
    few = transport(worth, supply, room)
    of_few = len(steps)
    many = transport(worth, *([number * 10**9 for number in side] for side in (supply, room)))
    assert many == [(i, j, number * 10**9) for i, j, number in few]
    assert len(steps) == 2 * of_few
    assert of_few < 40
