"""F1 in fewer steps: the figures of `Figures`, and the p-values that it gives, zeros and metrics of another kind among them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.comparison import significance
from scorer.comparison.figures import Figures
from scorer.comparison.harmonic import quick
from scorer.comparison.resampled import Resampled
from scorer.comparison.resampling import Resampling
from scorer.comparison.significance import randomisation

ONE = scorer.score([["a", "b"]], [["a", "b"]], metrics="muc+bcub+ceafe+blanc+lea+conll")


def figures_of(*names):
    return Figures(ONE, [(name, "f1") for name in names])


COUNTS = st.lists(st.tuples(*[st.integers(0, 3)] * 12), min_size=6, max_size=6)


@given(COUNTS)
def test_sums_give_the_figures_of_the_metrics(rows):
    """Any counts that are shares, of which many are 0; MUC's numerators are alike, and the denominators of B³'s recall."""
    counts = np.array(rows, dtype=float).reshape(2, 3, 12)
    counts[:, :, 2] = counts[:, :, 0]
    counts[:, :, 1::4] += counts[:, :, 0::4]
    counts[:, :, 3::4] += counts[:, :, 2::4]
    counts[:, :, 5] = counts[:, :, 5].max(axis=0)
    figures = figures_of("muc", "bcub", "ceafe", "conll")
    fewer, statistic = quick(figures, counts)
    assert fewer.shape[2] < 12
    assert statistic(fewer.sum(axis=1).T) == pytest.approx(figures(counts.sum(axis=1).T), abs=1e-12)


def plausible(generator, systems, units):
    """Counts as metrics have them, numerators up to denominators, the key's alike for all systems."""
    key, response = generator.integers(0, 5, (3, units)), generator.integers(0, 5, (3, systems, units))
    columns = []
    for of_key, found in zip(np.broadcast_to(key[:, None], response.shape), response):
        right = np.floor(np.minimum(of_key, found) * generator.random(found.shape))
        columns += [right, of_key, right, found]
    # B³'s numerators are fractions, and not those of recall in precision.
    columns[4] = columns[4] * 0.7
    columns[6] = np.minimum(columns[6] * 0.9, columns[7])
    return np.stack(columns, axis=-1).astype(float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_p_values_are_those_of_the_metrics(seed, alternative):
    """Of two strata, exactly and by trials; some strata have no link at all, so that there is 0/0."""
    generator = np.random.default_rng(seed)
    strata = [plausible(generator, 4, units) for units in (5, 3)]
    if seed == 0:
        strata[1][:, :, 0:4] = 0
    figures = figures_of("conll", "bcub")

    def mean(sums):
        return (figures(sums[:12]) + figures(sums[12:])) / 2

    parts = [quick(figures, stratum) for stratum in strata]
    for trials in (256, 100):
        options = {"trials": trials, "alternative": alternative, "seed": seed}
        expected = randomisation(strata, mean, **options)
        for jobs in (1, 2):
            assert np.array_equal(randomisation(strata, mean, parts=parts, jobs=jobs, **options), expected)


@pytest.mark.parametrize(
    "figures", [Figures(ONE, [("muc", "recall")]), figures_of("blanc"), figures_of("muc", "blanc")], ids=["recall", "blanc", "both"]
)
def test_what_is_no_harmonic_mean_is_left_to_the_metric(figures):
    width = max(places.stop for places in figures.columns.values())
    assert quick(figures, np.ones((2, 3, width))) is None


def test_counts_below_zero_are_left_to_the_metric():
    assert quick(figures_of("muc"), -np.ones((2, 3, 4))) is None


@pytest.fixture(scope="module")
def systems():
    key = {f"d{at}": [["a", "b", "c"], ["d", "e"]] for at in range(9)}
    wrong = {1: [["a", "b"], ["c"], ["d", "e"]], 2: [["a", "b", "d"], ["c", "e"]], 3: [["a"], ["b"]]}
    every = {}
    for system in range(5):
        every[f"s{system}"] = scorer.score(
            key, {name: wrong.get((at * system + at) % 6, one) for at, (name, one) in enumerate(key.items())}
        )
    return every


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_some_systems_and_some_measures_are_those_among_all(systems, average):
    from scorer.evaluation.means import averaged

    evaluations = {name: averaged(one, average) for name, one in systems.items()}
    resampling = Resampling(trials=60, average=average)
    every = Resampled(evaluations, resampling)
    some, sort = every.some(1, 4), [("conll", "f1"), ("lea", "recall")]
    assert some.systems == ["s1", "s2", "s3"]
    for at in range(3):
        assert np.array_equal(some.interval(at), every.interval(at + 1))
        assert np.array_equal(some.error(at), every.error(at + 1))
    few, alone = every.showing(sort), Resampled(evaluations, resampling, sort)
    places = [every.measures.index(one) for one in sort]
    assert np.array_equal(few.values, every.values[:, places])
    assert np.array_equal(few.replicates, every.replicates[:, places])
    assert np.array_equal(few.replicates, alone.replicates)
    assert np.array_equal(few.p(), every.p()[:, places])
    assert np.array_equal(few.p(), alone.p())


def test_a_board_takes_the_quick_way(systems, monkeypatch):
    asked = []
    swaps = significance.randomisation
    monkeypatch.setattr(
        significance, "randomisation", lambda *given, **options: asked.append(options["parts"]) or swaps(*given, **options)
    )
    resampled = Resampled(systems, Resampling(trials=50), [("conll", "f1")])
    resampled.p()
    [[(columns, _)]] = asked
    # MUC's and CEAFe's numerators and both of their denominators in one, B³'s numerators and the response's mentions.
    assert columns.shape == (5, 9, 7)
