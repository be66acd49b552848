"""Units of resampling, strata and runs: against scipy, against enumeration of every outcome, and
against other packages."""

import json
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_significance import f1, simulated

import scorer
from scorer.statistics import significance
from scorer.statistics.estimates import Estimate
from scorer.statistics.resampling import Resampling, group_runs, units_of

# Units


@pytest.mark.parametrize(
    ("names", "unit", "expected"),
    [
        (["(bc/a); part 000", "(bc/b); part 000", "(bc/a); part 001"], "part", [0, 1, 0]),
        (["x_part_1", "x_part_22", "x part-3", "xpart1"], "part", [0, 0, 1, 2]),
        (["department 1", "department 2"], "part", [0, 1]),
        (["(a); part 000", "(a); part 001"], "document", [0, 1]),
        (["nw/a/1", "nw/b/2", "bc/a/3", "none"], "^(.*?)/", [0, 0, 1, 2]),
        (["nw1", "bc1", "nw2"], "[a-z]+", [0, 1, 0]),
        ([], "part", []),
    ],
)
def test_units_by_name(names, unit, expected):
    assert units_of(names, unit) == expected


def with_parts(documents, parts):
    """A document for each of several, cut into parts as CoNLL's files name them."""
    return {
        f"(d/{number}); part {part:03}": clusters
        for number in range(documents)
        for part, clusters in enumerate(parts)
    }


@pytest.fixture
def parted():
    """Four documents of two parts each; the other response loses a link in three of the parts."""
    key = with_parts(4, [[["a", "b", "c"]], [["d", "e"], ["f", "g"]]])
    other = dict(key)
    for name in ("(d/0); part 000", "(d/1); part 000"):
        other[name] = [["a", "b"], ["c"]]
    other["(d/0); part 001"] = [["d", "e"], ["f"], ["g"]]
    return key, other


def test_parts_of_a_document_are_swapped_together(parted):
    """The other response is worse in documents 0 and 1: of 16 swaps those that swap both or neither
    reach the difference."""
    key, other = parted
    for unit, p in (("part", 1 / 2), ("document", 1 / 4)):
        compared = scorer.compare(key, {"key": key, "other": other}, metrics="muc", unit=unit)
        [one] = [one for one in compared.differences if one.ratio == "f1"]
        assert (one.p, one.documents) == (p, 3)


def test_units_are_those_of_documents_put_together(parted):
    """What a pattern puts together gives the bytes of documents that were written as one."""
    joined, renamed = [], []
    for side in parted:
        whole = {}
        for name, clusters in side.items():
            named = [[f"{mention}{name[-1]}" for mention in cluster] for cluster in clusters]
            whole.setdefault(name[:5], []).extend(named)
        joined.append(whole)
        renamed.append({name.replace("; part ", "/"): side[name] for name in side})

    def compare(sides, **unit):
        systems = dict(zip(("key", "other"), sides))
        return scorer.compare(sides[0], systems, metrics="muc,lea", trials=500, **unit)

    expected = compare(joined)
    for sides, unit in ((parted, "part"), (renamed, r"^(.*)/")):
        found = compare(sides, unit=unit)
        assert found.scores == expected.scores
        without = [replace(one, documents=0) for one in found.differences]
        assert without == [replace(one, documents=0) for one in expected.differences]
        assert found.units == {"": 4}
        signed = found.signature()["comparison"]
        assert (signed["unit"], signed["units"]) == (unit, 4)
        how = "parts of one are" if unit == "part" else f"those alike in {unit} are"
        assert f"8 documents in 4 units: {how} resampled together" in found.notes


def test_units_of_one_document_are_refused(parted):
    key, _ = parted
    missing = r"^unit: 'x' matches no document name, such as '\(d/0\); part 000'$"
    with pytest.raises(ValueError, match=r"^the key has 1 unit; comparing needs two or more$"):
        scorer.compare(key, {"a": key}, unit=r"(d)/")
    with pytest.raises(ValueError, match=missing):
        scorer.compare(key, {"a": key}, unit="x")
    with pytest.raises(ValueError, match=r"^unit: '\(' is not a regular expression"):
        Resampling(unit="(")


# Intervals


def mean_of(*samples):
    """The estimate of the mean of a sample, or of the difference of the means of two."""
    means = [sample.mean() for sample in samples]
    leave_one_out = [(sample.sum() - sample) / (len(sample) - 1) for sample in samples]
    if len(samples) == 2:
        leave_one_out = [leave_one_out[0] - means[1], means[0] - leave_one_out[1]]
    observed = np.array(means[0] - sum(means[1:]))
    return Estimate(Resampling(), np.zeros(1), observed, leave_one_out)


@pytest.mark.parametrize("n", [2, 5, 10, 100])
def test_the_expanded_tail_is_hesterbergs(n):
    expected = stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    for values in (np.arange(n), np.ones(n)):
        assert mean_of(values).tail == pytest.approx(expected, rel=1e-9)


@given(st.integers(2, 30), st.integers(2, 30), st.floats(0.5, 4), st.integers(0, 1000))
def test_the_error_of_two_strata_is_welchs(first, second, ratio, seed):
    """The standard error and the degrees of freedom of scipy's Welch test of two samples."""
    generator = np.random.default_rng(seed)
    a, b = generator.normal(0, 1, first), generator.normal(0, ratio, second)
    expected, found = stats.ttest_ind(a, b, equal_var=False), mean_of(a, b)
    assert found.degrees_of_freedom == pytest.approx(expected.df, rel=1e-6)
    error = math.hypot(stats.sem(a), stats.sem(b))
    assert found.standard_error == pytest.approx(error, rel=1e-9)


def test_the_expanded_interval_of_a_mean_is_nearly_students():
    """Of many normal values, replicates of the mean are normal, and the interval is that of a
    t-test."""
    values = np.random.default_rng(4).normal(5, 2, 40)
    counts = np.stack([values, np.ones(40)], axis=-1)[None]
    replicates = significance.bootstrap(
        counts, lambda sums: sums[:1] / sums[1:], Resampling(trials=200_000)
    )[0, 0]
    leave_one_out = (values.sum() - values) / 39
    estimate = Estimate(Resampling(), replicates, values.mean(), [leave_one_out])
    low, high = stats.t.interval(0.95, 39, values.mean(), stats.sem(values))
    assert estimate.interval() == pytest.approx([low, high], abs=0.03)


# Runs


def test_runs_by_name():
    groups = group_runs(["a-s1", "a-s2", "b-x1", "c"], r"-s\d$")
    assert groups == {"a": ["a-s1", "a-s2"], "b-x1": ["b-x1"], "c": ["c"]}
    with pytest.raises(
        ValueError, match=r"^runs: '\.\*' matches the whole name 'a1'; match only the"
    ):
        group_runs(["a1", "a2"], ".*")
    with pytest.raises(ValueError, match=r"^'\(' is not a regular expression: missing \), "):
        group_runs(["a1", "a2"], "(")


def test_runs_and_documents_are_drawn():
    """The spread of the mean of runs over every draw of two runs of two and every draw of three
    documents of three."""
    counts = simulated(np.random.default_rng(8), 2, 3, 0.6)
    expected = []
    for drawn in product(range(3), repeat=3):
        times = np.bincount(drawn, minlength=3)
        figures = [float(f1(times @ counts[run])[0]) for run in range(2)]
        expected += [
            np.mean([figures[run] for run in runs]) for runs in product(range(2), repeat=2)
        ]
    replicates = significance.bootstrap(counts, f1, Resampling(trials=100_000))
    found = significance.bootstrap_means(replicates, stream=1)[0]
    assert found.mean() == pytest.approx(np.mean(expected), abs=1e-3)
    assert found.var() == pytest.approx(np.var(expected), rel=0.02)


@pytest.fixture
def runs():
    """A key and three runs of one system, two of another, one of a third."""
    key = {f"d{at}": [["a", "b", "c"], ["d", "e"]] for at in range(12)}

    def found(wrong):
        return {
            name: [["a", "b"], ["c"], ["d", "e"]] if at % wrong == 0 else clusters
            for at, (name, clusters) in enumerate(key.items())
        }

    names = {"good-1": 6, "good-2": 4, "good-3": 5, "bad-1": 2, "bad-2": 1, "one": 3}
    return key, {name: found(wrong) for name, wrong in names.items()}


def test_figures_of_runs_are_means(runs):
    key, responses = runs
    asked = {"metrics": "muc,conll", "runs": r"-\d$", "trials": 300}
    compared = scorer.compare(key, responses, **asked)
    assert list(compared.evaluations) == ["good", "bad", "one"]
    for system in compared.evaluations:
        names = [name for name in responses if name.startswith(system)]
        values = [scorer.score(key, responses[name]).ratios("muc").f1 for name in names]
        score, spread = (
            next(
                one for one in rows if (one.system, one.metric, one.ratio) == (system, "muc", "f1")
            )
            for rows in (compared.scores, compared.spreads)
        )
        assert score.value == spread.mean == pytest.approx(np.mean(values))
        assert (spread.runs, spread.best) == (len(names), max(values))
        assert spread.sd == (pytest.approx(stats.tstd(values)) if len(names) > 1 else None)
    signed = compared.signature()
    assert signed["comparison"]["method"] == "bootstrap"
    assert signed["runs"] == {"good": 3, "bad": 2}
    board = scorer.leaderboard(key, responses, **asked, method="bootstrap")
    assert [one.system for one in board.standings] == ["good", "one", "bad"]
    only = r"^method: 'good' has several runs, which only the bootstrap can resample"
    with pytest.raises(ValueError, match=only):
        scorer.compare(key, responses, runs=r"-\d$", method="randomisation")


def test_the_error_of_a_difference_is_that_of_both_systems_runs():
    """Every document is alike, so nothing varies but the runs: standard errors of means of runs."""
    kept = {"x-1": 4, "x-2": 2, "y-1": 3, "y-2": 4, "y-3": 2}
    key = {f"d{at}": [list("abcd")] for at in range(12)}
    responses = {run: {name: [list("abcd")[:size]] for name in key} for run, size in kept.items()}
    found = scorer.compare(key, responses, metrics="muc", runs=r"-\d$", trials=20)
    [recall] = [one for one in found.differences if one.ratio == "recall"]
    expected = math.hypot(stats.sem([1, 1 / 3]), stats.sem([2 / 3, 1, 1 / 3]))
    assert recall.standard_error == pytest.approx(expected)


def test_a_document_that_several_runs_lack_is_one(runs, tmp_path):
    key, _ = runs
    lacking = {"key": {}, "good-1": {"d3", "d1"}, "good-2": {"d3", "d2"}}
    for name, missing in lacking.items():
        lines = [
            json.dumps({"doc_key": document, "clusters": [[[0, 0], [1, 1]]]})
            for document in key
            if document not in missing
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path, *responses = (tmp_path / f"{name}.jsonl" for name in lacking)
    found = scorer.compare(path, responses, metrics="muc", runs=r"-\d$", trials=50)
    assert found.notes[0] == "good lacks 3 of 12 documents, scored as empty ones"
    board = scorer.leaderboard(path, responses, metrics="muc", runs=r"-\d$")
    assert sorted(board.standings[0].missing) == ["d1", "d2", "d3"]


def test_a_run_that_cannot_be_scored_takes_its_system(runs, tmp_path):
    key, responses = runs
    (tmp_path / "good-2.jsonl").write_text("{\n", encoding="utf-8")
    few = {name: responses[name] for name in ("good-1", "one")}
    few["good-2"] = tmp_path / "good-2.jsonl"
    board = scorer.leaderboard(key, few, metrics="muc", runs=r"-\d$")
    assert [(one.system, one.rank) for one in board.standings] == [("one", 1), ("good", None)]
    assert board.standings[1].reason.startswith("run good-2: ")
