"""Resampling: against scipy, against loops written straight from the definitions, and on
simulations whose truth is known."""

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy
from scipy import stats

from scorer.statistics import significance
from scorer.statistics.estimates import Estimate
from scorer.statistics.resampling import ALTERNATIVES, Resampling, smallest_p
from scorer.statistics.significance import (
    bootstrap,
    bootstrap_means,
    figures,
    holm,
    jackknife,
    randomisation,
    rounded,
)

RNG = "rng" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else "random_state"
"""What scipy calls the generator that it is given."""


def f1(sums):
    """F1 of common, key and response mentions: 2 common / (key + response)."""
    common, key, response = sums
    return 2 * common[None] / (key + response)[None]


def simulated(generator, systems, documents, quality=0.7):
    """Counts of systems that find each mention of a document with the same probability, whose
    responses have sizes of their own."""
    key = 1 + generator.poisson(12, documents)
    common = generator.binomial(key, quality, (systems, documents))
    response = common + generator.poisson(3, (systems, documents))
    return np.stack([common, np.broadcast_to(key, common.shape), response], axis=-1).astype(float)


@pytest.fixture(scope="module")
def many():
    return simulated(np.random.default_rng(6), 4, 80)


def interval(replicates, kind, confidence=0.95, observed=0.0, leave_one_out=(0.0, 0.0)):
    resampling = Resampling(interval=kind, confidence=confidence)
    sides = np.array(observed), [np.array(leave_one_out)]
    return Estimate(resampling, replicates, *sides).interval()


# Randomisation


@pytest.mark.parametrize(("documents", "trials"), [(30, 199), (9, 10_000)])
def test_p_is_uniform_when_systems_do_not_differ(documents, trials):
    generator = np.random.default_rng(documents)
    found = [
        randomisation(
            simulated(generator, 2, documents), f1, Resampling(trials=trials, seed=seed)
        ).item()
        for seed in range(400)
    ]
    assert stats.kstest(found, "uniform").pvalue > 0.01


@pytest.mark.parametrize("documents", [2, 5, 8])
def test_the_smallest_p(documents):
    right, wrong = [9.0, 9, 9], [1.0, 9, 9]
    counts = np.array([[right] * 8, [wrong] * documents + [right] * (8 - documents)])
    for alternative, sides in (("two-sided", 2), ("greater", 1)):
        p = randomisation(counts, f1, Resampling(alternative=alternative)).item()
        assert p == smallest_p(documents, alternative) == sides / 2**documents
    assert smallest_p(0) == 1


# Bootstrap


def resampled_in_scipy(counts, method, **options):
    """`scipy.stats.bootstrap` of documents' numbers: of the first system's figure less the
    second's, or of the only one's."""

    def statistic(drawn, axis):
        assert axis == -1
        each = [f1(of_one[drawn].sum(axis=-2).T)[0].T for of_one in counts]
        return each[0] if len(each) == 1 else each[0] - each[1]

    return stats.bootstrap(
        (np.arange(counts.shape[1]),), statistic, vectorized=True, method=method, **options
    )


@pytest.mark.parametrize("systems", [1, 2])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_intervals_of_the_same_replicates_are_scipys(many, confidence, systems):
    counts = many[:systems]
    generator = np.random.default_rng(2)
    expected = resampled_in_scipy(
        counts, "percentile", confidence_level=confidence, n_resamples=2000, **{RNG: generator}
    )
    replicates = np.asarray(expected.bootstrap_distribution)
    observed, leave_one_out = figures(counts, f1)[:, 0], jackknife(counts, f1)[0][:, 0]
    sign = np.array([1, -1])[:systems]
    found = interval(replicates, "percentile", confidence, sign @ observed, sign @ leave_one_out)
    assert found == pytest.approx(np.array(expected.confidence_interval), abs=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_bootstrap_p_counts_replicates_that_move_as_far(many, alternative):
    replicates = bootstrap(many, f1, Resampling(trials=500))
    observed = figures(many, f1)
    difference = (observed[0] - observed[2]).item()
    # Beside the replicates of another difference, which never vary.
    several = np.stack([(replicates[0] - replicates[2])[0], np.full(500, difference)])
    moved = several - difference
    reached = {
        "two-sided": abs(moved) >= abs(difference),
        "greater": moved >= difference,
        "less": moved <= difference,
    }[alternative]
    expected = ((reached.sum(axis=1) + 1) / 501).tolist()
    resampling = Resampling(alternative=alternative, interval="percentile")
    estimate = Estimate(resampling, several, np.full(2, difference), [np.zeros((2, 5))])
    assert estimate.p().tolist() == expected


# Random numbers, and what does not depend on them


def test_blocks_and_threads_change_no_bit(many, monkeypatch):
    counts = many / 7
    p = randomisation(counts, f1, Resampling(trials=300))
    replicates = bootstrap(counts, f1, Resampling(trials=300))
    for block, jobs in ((1, 1), (1000, 3), (12_345, 2)):
        monkeypatch.setattr(significance, "BLOCK", block)
        assert np.array_equal(randomisation(counts, f1, Resampling(trials=300), jobs=jobs), p)
        assert np.array_equal(bootstrap(counts, f1, Resampling(trials=300), jobs=jobs), replicates)


# Strata


def f1_and_recall(sums):
    """Of one stratum after another, the means over the strata."""
    strata = np.split(sums, len(sums) // 3)
    return sum(np.concatenate([f1(one), one[:1] / one[1:2]]) for one in strata) / len(strata)


SIZES = 2, 3, 2


@pytest.fixture(scope="module")
def strata():
    generator = np.random.default_rng(11)
    return [simulated(generator, 3, documents) for documents in SIZES]


def mean_figures(strata, weights):
    """F1 and recall in fractions, the means over strata, where documents have these weights."""
    found = [Fraction(0), Fraction(0)]
    for counts, times in zip(strata, weights):
        common, key, response = (np.array(times) @ counts.astype(int)).tolist()
        found = [found[0] + Fraction(2 * common, key + response), found[1] + Fraction(common, key)]
    return [one / len(strata) for one in found]


def test_all_swaps_in_strata_are_those_of_a_loop(strata):
    expected = []
    for first, second in combinations(range(3), 2):
        hits, observed = [0, 0], None
        for swaps in product([0, 1], repeat=7):
            bits = np.split(np.array(swaps)[:, None], np.cumsum(SIZES)[:-1])
            sides = [
                [np.where(bit, one[theirs], one[ours]) for bit, one in zip(bits, strata)]
                for ours, theirs in ((first, second), (second, first))
            ]
            ours, theirs = (mean_figures(side, [[1] * size for size in SIZES]) for side in sides)
            differences = np.subtract(ours, theirs)
            observed = differences if observed is None else observed
            hits = hits + (abs(differences) >= abs(observed))
        expected.append([hit / 128 for hit in hits])
    assert randomisation(strata, f1_and_recall, Resampling()).tolist() == expected


def test_each_stratum_is_resampled_by_itself(strata):
    weights = list(
        zip(*(times_of((2, at) if at else 2, 3, 9, size) for at, size in enumerate(SIZES)))
    )
    for some in (strata, strata[:2]):
        systems = [[one[system] for one in some] for system in range(3)]
        expected = [[mean_figures(system, times) for times in weights] for system in systems]
        found = bootstrap(some, f1_and_recall, Resampling(trials=9, seed=3))
        assert found == pytest.approx(np.array(expected, float).transpose(0, 2, 1), rel=1e-14)


def test_jackknife_of_strata(strata):
    """A stratum of one document keeps it."""
    several = [*strata, strata[0][:, :1] * 2]
    systems = [[one[system] for one in several] for system in range(3)]
    expected = []
    for stratum, size in enumerate((*SIZES, 1)):
        for out in range(size):
            weights = [[1] * one.shape[1] for one in several]
            weights[stratum][out] = int(size == 1)
            expected.append([mean_figures(system, weights) for system in systems])
    found = np.concatenate(jackknife(several, f1_and_recall), axis=2)
    assert found == pytest.approx(np.array(expected, float).transpose(1, 2, 0), rel=1e-13)


# Sums


def test_rounded_counts_add_exactly_in_any_order():
    values = np.random.default_rng(9).uniform(0, 900, (1, 5, 1))
    exact = rounded(values).ravel().tolist()
    truth = sum(map(Fraction, exact))
    for order in permutations(exact):
        total = 0.0
        for value in order:
            total += value
        assert Fraction(total) == truth
    assert exact == pytest.approx(values.ravel().tolist(), rel=1e-11)


def test_holm():
    # By hand: 0.005 × 4, 0.01 × 3, 0.03 × 2, and 0.04 × 1, which may not be below the one before.
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.9, 0.5])).tolist() == [1, 1]
    assert holm(np.array([0.9, 0.8, 0.7])).tolist() == [1, 1, 1]
    two = np.array([[0.01, 0.9], [0.02, 0.1], [0.04, 0.001]])
    assert holm(two) == pytest.approx(np.array([[0.03, 0.9], [0.04, 0.2], [0.04, 0.003]]))
    assert holm(np.array([0.2])).tolist() == [0.2]
    assert holm(np.empty((0, 3))).shape == (0, 3)


# What is promised of numbers to come


def words_of(stream, seed, number):
    """The first words of 64 random bits of one of the streams of a seed: a number, or a number and
    that of a system or stratum."""
    key = stream if isinstance(stream, tuple) else (stream,)
    return np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)).random_raw(number).tolist()


def times_of(stream, seed, trials, size):
    """How often each of the things is drawn in each trial: by the upper half of one word for each
    draw."""
    raw = words_of(stream, seed, trials * size)
    drawn = [
        [(raw[trial * size + at] >> 32) * size >> 32 for at in range(size)]
        for trial in range(trials)
    ]
    return [[row.count(at) for at in range(size)] for row in drawn]


@pytest.mark.parametrize("documents", [3, 64, 65])
def test_trials_read_the_words_of_the_stream_as_is_said(documents):
    """A trial swaps by the bits of its words, the lowest first, and draws by the upper half of one
    word for each document."""
    start, stop, seed = 2, 6, 3
    wide = -(-documents // 64)
    raw = words_of(1, seed, stop * wide)
    bits = [
        [raw[trial * wide + at // 64] >> at % 64 & 1 for at in range(documents)]
        for trial in range(start, stop)
    ]
    assert significance._swaps(start, stop, documents, seed).tolist() == bits
    drawn = times_of(2, seed, stop, documents)[start:]
    assert significance._draws(start, stop, documents, seed).tolist() == drawn


def test_runs_are_drawn_from_streams_of_their_own():
    replicates = np.random.default_rng(1).uniform(size=(3, 2, 40))
    for runs, options, times in (
        (3, {}, times_of(3, 0, 40, 3)),
        (2, {"seed": 5, "stream": 2}, times_of((3, 2), 5, 40, 2)),
    ):
        means = np.einsum("rmt,tr->mt", replicates[:runs], np.array(times)) / runs
        assert bootstrap_means(replicates[:runs], **options) == pytest.approx(means, rel=1e-14)


@pytest.mark.parametrize("trials", [4, 41])
def test_intervals_reach_into_the_outermost_replicates(trials):
    replicates = np.random.default_rng(trials).normal(size=(3, trials))
    for confidence in (0.5, 0.999):
        levels = [(1 - confidence) / 2, (1 + confidence) / 2]
        found = interval(replicates, "percentile", confidence, np.zeros(3), np.zeros((3, 2)))
        assert found == pytest.approx(np.quantile(replicates, levels, axis=-1).T)


def test_what_is_rounded_stays_so_among_fewer_systems():
    """Of two documents and less than 4: below 8, so 2⁻⁴⁹.

    But there the first count becomes 4, and 8 takes 2⁻⁴⁸.
    """
    counts = np.array([[[4 - 2.0**-51], [0]], [[1 + 2.0**-49], [0]]])
    exact = rounded(counts)
    assert exact.tolist() == [[[4], [0]], [[1], [0]]]
    assert np.array_equal(rounded(exact[:1]), exact[:1])
    assert np.array_equal(rounded(exact), exact)
