"""Posterior intervals: the worked numbers of their source, simulation, and what cannot be
otherwise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.statistics.estimates import Trials, chance_of_higher_f, posterior_intervals

FIRST, SECOND = Trials(60, 20, 40), Trials(55, 15, 45)


def test_worked_numbers():
    intervals = posterior_intervals(FIRST)
    assert intervals.precision == pytest.approx((0.647, 0.835), abs=5e-4)
    assert intervals.recall == pytest.approx((0.503, 0.692), abs=1e-3)
    assert intervals.f == pytest.approx((0.581, 0.739), abs=5e-4)
    assert chance_of_higher_f(FIRST, SECOND) == pytest.approx(0.631, abs=5e-4)


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_intervals_of_f_are_those_of_the_gamma_variables_of_the_definition(beta):
    generator = np.random.default_rng(7)
    right, missed, spurious = (
        generator.gamma(number + 0.5, size=400_000)
        for number in (FIRST.true_positives, FIRST.false_negatives, FIRST.false_positives)
    )
    f = (1 + beta**2) * right / ((1 + beta**2) * right + beta**2 * missed + spurious)
    expected = np.quantile(f, [0.05, 0.95])
    assert posterior_intervals(FIRST, confidence=0.9, beta=beta).f == pytest.approx(
        expected, abs=1e-3
    )


@pytest.mark.parametrize("beta", [1, 2])
def test_equal_counts_are_better_by_half(beta):
    assert chance_of_higher_f(FIRST, FIRST, beta=beta) == pytest.approx(0.5, abs=2e-3)
    worse = Trials(30, 20, 70)
    assert chance_of_higher_f(FIRST, worse, beta=beta) > 0.99


@pytest.mark.parametrize(("beta", "chance"), [(0.5, 0.9244), (1, 0.4998), (2, 0.0757)])
def test_the_chance_of_a_higher_f_weighs_recall_by_beta(beta, chance):
    """The first misses 40 and the second 20; from 4 million draws of the gamma variables."""
    first, second = Trials(60, 20, 40), Trials(60, 40, 20)
    assert chance_of_higher_f(first, second, beta=beta) == pytest.approx(chance, abs=2e-3)
    both = chance_of_higher_f(FIRST, SECOND, beta=beta) + chance_of_higher_f(
        SECOND, FIRST, beta=beta
    )
    assert both == pytest.approx(1, abs=3e-3)


@given(st.tuples(*[st.integers(0, 10**6)] * 3))
def test_intervals_lie_in_0_to_1_and_more_counts_make_them_narrower(counts):
    right, spurious, missed = counts
    intervals = posterior_intervals(Trials(right, spurious, missed))
    exchanged = posterior_intervals(Trials(right, missed, spurious))
    assert (intervals.recall, intervals.f) == (exchanged.precision, exchanged.f)
    for low, high in (intervals.recall, intervals.precision, intervals.f):
        assert 0 <= low < high <= 1
    narrower = posterior_intervals(Trials(10 * right + 10, 10 * spurious + 10, 10 * missed + 10))
    wider = posterior_intervals(Trials(right + 1, spurious + 1, missed + 1))
    for few, many in zip(
        (wider.recall, wider.precision, wider.f), (narrower.recall, narrower.precision, narrower.f)
    ):
        assert many[1] - many[0] < few[1] - few[0]
