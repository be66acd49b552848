import pickle

import numpy as np

from scorer.count.counts import Counts, divide


def test_counts_add_side_by_side():
    assert Counts(1, 2, 3, 4) + Counts(10, 20, 30, 0.5) == Counts(11, 22, 33, 4.5)


def test_nothing_of_nothing_is_0():
    assert (divide(0, 0), divide(3, 0), divide(3, 2)) == (0, 0, 1.5)


def test_arrays_are_divided_element_by_element():
    assert divide(np.array([1, 3]), np.array([4, 2])).tolist() == [0.25, 1.5]
    assert divide(np.array([1, 3, 0]), np.array([4, 0, 0])).tolist() == [0.25, 0, 0]


def test_counts_travel_between_processes():
    assert pickle.loads(pickle.dumps(Counts(1, 2, 1.5, 4))).as_tuple() == (1, 2, 1.5, 4)
