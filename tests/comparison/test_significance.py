"""Resampling: against scipy, against loops written straight from the definitions, and on simulations whose truth is known."""

import hashlib
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy
from scipy import stats

from scorer.comparison import significance
from scorer.comparison.resampling import ALTERNATIVES
from scorer.comparison.significance import (
    bca_interval,
    bootstrap,
    bootstrap_means,
    bootstrap_p,
    draws,
    figures,
    holm,
    jackknife,
    percentile_interval,
    randomisation,
    rounded,
    smallest_p,
    stream_of,
)

COLUMNS = 3

RNG = "rng" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else "random_state"
"""What scipy calls the generator that it is given."""


def f1(sums):
    """F1 of common, key and response mentions: 2 common / (key + response)."""
    common, key, response = sums
    return 2 * common[None] / (key + response)[None]


def simulated(generator, systems, documents, quality=0.7):
    """Counts of systems that find each mention of a document with the same probability, whose responses have sizes of their own."""
    key = 1 + generator.poisson(12, documents)
    common = generator.binomial(key, quality, (systems, documents))
    response = common + generator.poisson(3, (systems, documents))
    return np.stack([common, np.broadcast_to(key, common.shape), response], axis=-1).astype(float)


@pytest.fixture(scope="module")
def two():
    return simulated(np.random.default_rng(5), 2, 9)


@pytest.fixture(scope="module")
def many():
    return simulated(np.random.default_rng(6), 4, 80)


# Randomisation


def naive_p(counts, alternative):
    """All swaps, one after the other, in fractions."""

    def ratio(rows):
        common, key, response = (
            sum(Fraction(int(row[column])) for row in rows) for column in range(COLUMNS)
        )
        return 2 * common / (key + response)

    first, second = counts
    observed = ratio(first) - ratio(second)
    hits = 0
    for swaps in product([False, True], repeat=len(first)):
        left = [b if swap else a for a, b, swap in zip(first, second, swaps)]
        right = [a if swap else b for a, b, swap in zip(first, second, swaps)]
        difference = ratio(left) - ratio(right)
        reached = {
            "two-sided": abs(difference) >= abs(observed),
            "greater": difference >= observed,
            "less": difference <= observed,
        }
        hits += reached[alternative]
    return hits / 2 ** len(first)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(6))
def test_all_swaps_are_those_of_a_loop(seed, alternative):
    # Few mentions make many ties, which fractions tell apart from what is merely close.
    generator = np.random.default_rng(seed)
    counts = generator.integers(1, 4, (2, 7, COLUMNS)).astype(float)
    assert randomisation(counts, f1, alternative=alternative).item() == naive_p(counts, alternative)


def swapped_in_scipy(counts, **options):
    """`scipy.stats.permutation_test` of documents' numbers, which stand for their counts."""
    documents = counts.shape[1]
    table = counts.reshape(-1, counts.shape[2])

    def statistic(first, second, axis):
        assert axis == -1
        return (f1(table[first].sum(axis=-2).T) - f1(table[second].sum(axis=-2).T))[0].T

    data = np.arange(documents), np.arange(documents, 2 * documents)
    return stats.permutation_test(
        data, statistic, permutation_type="samples", vectorized=True, **options
    )


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_some_swaps_agree_with_scipy(many, alternative):
    trials = 20_000
    expected = swapped_in_scipy(
        many[:2], alternative=alternative, n_resamples=trials, **{RNG: np.random.default_rng(1)}
    ).pvalue
    found = randomisation(many[:2], f1, trials=trials, alternative=alternative).item()
    # Two estimates, scipy's two-sided one from twice the smaller tail: five standard errors of
    # their difference.
    assert abs(found - expected) < 5 * np.sqrt(
        4 * expected * (1 - expected) / trials + 1 / trials**2
    )


@pytest.mark.parametrize(("documents", "trials"), [(30, 199), (9, 10_000)])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_p_is_uniform_when_systems_do_not_differ(documents, trials, alternative):
    generator = np.random.default_rng(documents)
    found = [
        randomisation(
            simulated(generator, 2, documents),
            f1,
            trials=trials,
            seed=seed,
            alternative=alternative,
        ).item()
        for seed in range(400)
    ]
    assert stats.kstest(found, "uniform").pvalue > 0.01


@pytest.mark.parametrize("documents", [2, 5, 8])
def test_the_smallest_p(documents):
    counts = np.array(
        [[[9.0, 9, 9]] * 8, [[1.0, 9, 9]] * documents + [[9.0, 9, 9]] * (8 - documents)]
    )
    assert randomisation(counts, f1).item() == smallest_p(documents) == 2 / 2**documents
    one_sided = randomisation(counts, f1, alternative="greater").item()
    assert one_sided == smallest_p(documents, "greater") == 1 / 2**documents
    assert smallest_p(0) == 1


# Bootstrap


def resampled_in_scipy(counts, method, **options):
    """`scipy.stats.bootstrap` of documents' numbers: of the first system's figure less the second's, or of the only one's."""

    def statistic(drawn, axis):
        assert axis == -1
        each = [f1(of_one[drawn].sum(axis=-2).T)[0].T for of_one in counts]
        return each[0] if len(each) == 1 else each[0] - each[1]

    return stats.bootstrap(
        (np.arange(counts.shape[1]),), statistic, vectorized=True, method=method, **options
    )


@pytest.mark.parametrize("systems", [1, 2])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_intervals_of_the_same_replicates_are_scipys(many, method, confidence, systems):
    counts = many[:systems]
    generator = np.random.default_rng(2)
    expected = resampled_in_scipy(
        counts, method, confidence_level=confidence, n_resamples=2000, **{RNG: generator}
    )
    replicates = np.asarray(expected.bootstrap_distribution)
    if method == "percentile":
        found = percentile_interval(replicates, confidence)
    else:
        observed, left_out = figures(counts, f1)[:, 0], jackknife(counts, f1)[:, 0]
        sign = np.array([1, -1])[:systems]
        found = bca_interval(replicates, sign @ observed, sign @ left_out, confidence)
    assert found == pytest.approx(np.array(expected.confidence_interval), abs=1e-9)


def test_jackknife_leaves_one_out(two):
    found = jackknife(two, f1)
    for at in range(two.shape[1]):
        assert found[:, :, at] == pytest.approx(figures(np.delete(two, at, axis=1), f1), rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_bootstrap_p_is_that_of_a_loop(many, alternative):
    replicates = bootstrap(many, f1, trials=500)
    observed = figures(many, f1)
    difference, replicated = (observed[0] - observed[2])[0], (replicates[0] - replicates[2])[0]
    # Beside the replicates of another difference, which never vary.
    expected = []
    for row in (replicated.tolist(), [difference.item()] * 500):
        hits = 0
        for replicate in row:
            moved = replicate - difference
            reached = {
                "two-sided": abs(moved) >= abs(difference),
                "greater": moved >= difference,
                "less": moved <= difference,
            }
            hits += reached[alternative]
        expected.append((hits + 1) / 501)
    several = np.stack([replicated, np.full(500, difference)])
    assert (
        bootstrap_p(several[:, None], difference.repeat(2)[:, None], alternative)[:, 0].tolist()
        == expected
    )


def test_bca_is_the_percentile_interval_where_it_is_not_defined():
    replicates = np.linspace(0, 1, 101)
    left_out = np.linspace(0, 1, 9)
    for observed in (-1.0, 2.0):
        assert bca_interval(replicates, np.array(observed), left_out) == pytest.approx(
            percentile_interval(replicates)
        )
    # One document outweighs 900 others, so the acceleration is 1/6: times bias and z of more than
    # 6, it turns the interval around.
    replicates, outweighed = np.linspace(0, 1, 10_001), np.array([-1.0] + [0.0] * 900)
    assert (1 / 6) * (stats.norm.ppf(0.99995) + stats.norm.ppf(1 - 1e-7)) > 1
    found = bca_interval(replicates, np.array(0.99995), outweighed, 1 - 2e-7)
    assert found == pytest.approx(percentile_interval(replicates, 1 - 2e-7))


# Random numbers, and what does not depend on them


def test_blocks_and_threads_change_no_bit(many, monkeypatch):
    counts = many / 7
    p = randomisation(counts, f1, trials=300)
    replicates = bootstrap(counts, f1, trials=300)
    for block, jobs in ((1, 1), (1000, 3), (12_345, 2)):
        monkeypatch.setattr(significance, "BLOCK", block)
        assert np.array_equal(randomisation(counts, f1, trials=300, jobs=jobs), p)
        assert np.array_equal(bootstrap(counts, f1, trials=300, jobs=jobs), replicates)


# Strata


def f1_and_recall(sums):
    """Of one stratum after another, the means over the strata."""
    each = [
        np.concatenate([f1(of_one), of_one[:1] / of_one[1:2]])
        for of_one in np.split(sums, len(sums) // COLUMNS)
    ]
    return sum(each) / len(each)


SIZES = 2, 3, 2


@pytest.fixture(scope="module")
def strata():
    generator = np.random.default_rng(11)
    return [simulated(generator, 3, documents) for documents in SIZES]


def mean_figures(strata, weights):
    """F1 and recall in fractions, the means over strata, where documents have these weights."""
    found = [Fraction(0), Fraction(0)]
    for counts, times in zip(strata, weights):
        common, key, response = (
            sum(int(row[column]) * int(often) for row, often in zip(counts, times))
            for column in range(COLUMNS)
        )
        found = [found[0] + Fraction(2 * common, key + response), found[1] + Fraction(common, key)]
    return [one / len(strata) for one in found]


def test_figures_of_strata_are_the_means(strata):
    expected = [
        mean_figures([one[system] for one in strata], [[1] * size for size in SIZES])
        for system in range(3)
    ]
    assert figures(strata, f1_and_recall) == pytest.approx(np.array(expected, float), rel=1e-14)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_all_swaps_in_strata_are_those_of_a_loop(strata, alternative):
    expected = []
    for first, second in combinations(range(3), 2):
        hits, observed = [0, 0], None
        for swaps in product([0, 1], repeat=7):
            sides = []
            for ours, theirs in ((first, second), (second, first)):
                of_ours, of_theirs = [one[ours] for one in strata], [one[theirs] for one in strata]
                bits = np.split(np.array(swaps)[:, None], np.cumsum(SIZES)[:-1])
                swapped = [np.where(of_one, b, a) for of_one, a, b in zip(bits, of_ours, of_theirs)]
                sides.append(mean_figures(swapped, [[1] * size for size in SIZES]))
            differences = [one - other for one, other in zip(*sides)]
            observed = observed or differences
            for at, (difference, seen) in enumerate(zip(differences, observed)):
                reached = {
                    "two-sided": abs(difference) >= abs(seen),
                    "greater": difference >= seen,
                    "less": difference <= seen,
                }
                hits[at] += reached[alternative]
        expected.append([hit / 128 for hit in hits])
    assert randomisation(strata, f1_and_recall, alternative=alternative).tolist() == expected


def test_each_stratum_is_resampled_by_itself(strata):
    weights = list(
        zip(*(times_of((2, at) if at else 2, 3, 9, size) for at, size in enumerate(SIZES)))
    )
    for some in (strata, strata[:2]):
        expected = [
            [mean_figures([one[system] for one in some], of_trial) for of_trial in weights]
            for system in range(3)
        ]
        found = bootstrap(some, f1_and_recall, trials=9, seed=3)
        assert found == pytest.approx(np.array(expected, float).transpose(0, 2, 1), rel=1e-14)


def test_jackknife_of_strata(strata):
    """A stratum of one document keeps it."""
    several = [*strata, strata[0][:, :1] * 2]
    expected = []
    for of_one, size in enumerate((*SIZES, 1)):
        for out in range(size):
            weights = [[1] * one.shape[1] for one in several]
            weights[of_one][out] = int(size == 1)
            expected.append(
                [mean_figures([one[system] for one in several], weights) for system in range(3)]
            )
    found = jackknife(several, f1_and_recall)
    assert found == pytest.approx(np.array(expected, float).transpose(1, 2, 0), rel=1e-13)


def test_a_tie_is_one_of_the_means_over_strata():
    """Differences of 1 and of 0.75e-10: with the second turned round, the mean is that much lower, but the sum twice that."""
    sides = [np.array([[[difference]], [[0.0]]]) for difference in (1.0, 0.75e-10)]
    found = randomisation(sides, lambda sums: (sums[:1] + sums[1:]) / 2, alternative="greater")
    assert found.tolist() == [[2 / 4]]


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


@pytest.mark.parametrize("most", [1, 7, 10**6, 10**12])
def test_whole_counts_are_kept(most):
    values = np.random.default_rng(10).integers(0, most, (3, 350, 4), endpoint=True).astype(float)
    assert np.array_equal(rounded(values), values)


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
    """The first words of 64 random bits of one of the streams of a seed: a number, or a number and that of a system or stratum."""
    key = stream if isinstance(stream, tuple) else (stream,)
    return np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)).random_raw(number).tolist()


def times_of(stream, seed, trials, size):
    """How often each of the things is drawn in each trial: by the upper half of one word for each draw."""
    raw = words_of(stream, seed, trials * size)
    drawn = [
        [(raw[trial * size + at] >> 32) * size >> 32 for at in range(size)]
        for trial in range(trials)
    ]
    return [[row.count(at) for at in range(size)] for row in drawn]


@pytest.mark.parametrize("documents", [2, 3, 63, 64, 65, 130])
def test_trials_read_the_words_of_the_stream_as_is_said(documents):
    """A trial swaps by the bits of its words, the lowest first, and draws by the upper half of one word for each document."""
    start, stop, seed = 2, 6, 3
    wide = -(-documents // 64)
    raw = words_of(1, seed, stop * wide)
    bits = [
        [raw[trial * wide + at // 64] >> at % 64 & 1 for at in range(documents)]
        for trial in range(start, stop)
    ]
    assert significance._swaps(start, stop, documents, seed).tolist() == bits
    assert (
        significance._draws(start, stop, documents, seed).tolist()
        == times_of(2, seed, stop, documents)[start:]
    )


def test_runs_and_scores_are_drawn_from_streams_of_their_own():
    assert draws(5, 3, seed=2, stream=7).tolist() == times_of((4, 7), 2, 5, 3)
    assert draws(6, 4).tolist() == times_of(4, 0, 6, 4)
    assert draws(6, 4).dtype == np.int64
    replicates = np.random.default_rng(1).uniform(size=(3, 2, 40))
    for runs, options, times in (
        (3, {}, times_of(3, 0, 40, 3)),
        (2, {"seed": 5, "stream": 2}, times_of((3, 2), 5, 40, 2)),
    ):
        means = [
            [
                sum(replicates[run, measure, trial] * times[trial][run] for run in range(runs))
                / runs
                for trial in range(40)
            ]
            for measure in range(2)
        ]
        assert bootstrap_means(replicates[:runs], **options) == pytest.approx(
            np.array(means), rel=1e-14
        )
    assert bootstrap_means(replicates[1:2]).tolist() == replicates[1].tolist()


@pytest.mark.parametrize(
    ("alternative", "observed", "reached"),
    [
        ("greater", 0.25, [0, 1, 1, 1, 0, 0]),
        ("less", 0.25, [1, 1, 1, 0, 1, 1]),
        ("two-sided", 0.25, [0, 1, 1, 1, 1, 0]),
        ("two-sided", -0.25, [0, 1, 1, 1, 1, 0]),
        ("greater", -0.25, [1, 1, 1, 1, 1, 1]),
    ],
)
def test_what_is_closer_than_a_tie_reaches_the_observed_difference(alternative, observed, reached):
    differences = np.array(
        [0.25 - 2e-10, 0.25 - 0.5e-10, 0.25 + 0.5e-10, 0.25 + 2e-10, -0.25 + 0.5e-10, -0.25 + 2e-10]
    )
    assert significance._reach(differences, np.array(observed), alternative).tolist() == list(
        map(bool, reached)
    )


@pytest.mark.parametrize("trials", [4, 10, 41])
def test_intervals_reach_into_the_outermost_replicates(trials):
    replicates = np.random.default_rng(trials).normal(size=(3, trials))
    for confidence in (0.5, 0.95, 0.999):
        levels = [(1 - confidence) / 2, (1 + confidence) / 2]
        assert percentile_interval(replicates, confidence) == pytest.approx(
            np.quantile(replicates, levels, axis=-1).T
        )
    assert percentile_interval(np.arange(11.0)[::-1], 0.9) == pytest.approx([0.5, 9.5])


def test_several_intervals_are_those_of_each(many):
    replicates, observed, left_out = (
        bootstrap(many, f1, trials=200),
        figures(many, f1),
        jackknife(many, f1),
    )
    # One whose replicates all lie above what was observed has no bias that could be told.
    observed[2] = replicates[2].min() - 1
    together = bca_interval(replicates, observed, left_out)
    assert together.shape == (4, 1, 2)
    for at, interval in enumerate(together[:, 0]):
        alone = bca_interval(replicates[at, 0], observed[at, 0], left_out[at, 0])
        assert interval == pytest.approx(alone, abs=1e-15)
    assert together[2] == pytest.approx(percentile_interval(replicates[2]), abs=1e-15)
    assert (together[[0, 1, 3]] != percentile_interval(replicates[[0, 1, 3]])).all()


def test_counts_are_rounded_to_the_same_power_of_two_for_a_column():
    """Of four documents and 1/3 at most: 4/3 is below 2, so 2⁻⁵¹.

    Of 5/7 at most: 20/7 is below 4, so 2⁻⁵⁰.
    """
    counts = np.array([[[1 / 3, 1 / 7]] * 4, [[1 / 9, 5 / 7]] * 4])
    expected = [
        [round(Fraction(count) * 2**places) / 2**places for count, places in zip(row, (51, 50))]
        for row in counts[:, 0]
    ]
    assert rounded(counts).tolist() == [[row] * 4 for row in expected]
    assert rounded(np.empty((0, 4, 2))).shape == (0, 4, 2)
    # A power of two itself needs a place more than what is below it: 4 × ¼ is 1, and 2⁻⁵¹.
    assert (
        rounded(np.array([[[0.25], [1 / 5], [0.25], [0.25]]]))[0, 1, 0]
        == round(Fraction(1 / 5) * 2**51) / 2**51
    )


def test_what_is_rounded_stays_so_among_fewer_systems():
    """Of two documents and less than 4: below 8, so 2⁻⁴⁹.

    But there the first count becomes 4, and 8 takes 2⁻⁴⁸.
    """
    counts = np.array([[[4 - 2.0**-51], [0]], [[1 + 2.0**-49], [0]]])
    exact = rounded(counts)
    assert exact.tolist() == [[[4], [0]], [[1], [0]]]
    assert np.array_equal(rounded(exact[:1]), exact[:1])
    assert np.array_equal(rounded(exact), exact)


@pytest.mark.parametrize(
    ("name", "raw"),
    [("ours", b"ours"), ("\u00e9", b"\xc3\xa9"), ("\udcff", b"\xff"), ("", b"")],
    ids=ascii,
)
def test_the_draws_of_a_system_are_those_of_its_name(name, raw):
    """The first 16 hexadecimal digits of the SHA-256 of its bytes, and one more, as 0 is no system's."""
    assert stream_of(name) == int(hashlib.sha256(raw).hexdigest()[:16], 16) + 1
