"""The page of a comparison, and every other form, with what `--by` and `--power` ask for, and with corpora and runs."""

import csv
import io
import json
from pathlib import Path

import pytest

import scorer
from pages import Tables
from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.resampling import Resampling
from scorer.evaluation.means import Means

FIXTURES = Path(__file__).parents[2] / "fixtures"
SIZE = 24


def halves(right, size=SIZE, prefix=""):
    """Documents of one pair of mentions, found in those of the given numbers.

    In two groups, and one by itself.
    """
    names = [f"{prefix}{'ab'[at % 2]}/d{at}" for at in range(size)] + [f"{prefix}c/d{size}"]
    return {name: [["x", "y"]] if at in right else [["x"], ["y"]] for at, name in enumerate(names)}


KEY = halves(range(SIZE + 1))
SYSTEMS = {"one": halves(range(20)), "two": halves(range(6, 18, 2)), "three": halves(range(9))}


@pytest.fixture(scope="module")
def comparison():
    return scorer.compare(KEY, SYSTEMS, metrics="muc,conll", trials=5000)


def rows(text, form):
    return list(csv.DictReader(io.StringIO(text), delimiter={"csv": ",", "tsv": "\t"}[form]))


def test_groups_and_power_are_on_the_page(comparison):
    text = comparison.text("html", by="^(.)/", power=0.8)
    tables = Tables(text).found
    assert '<td class="main">0.0020' in text
    # The main metric of each system comes first, whatever the order of metrics.
    assert next(iter(tables)) == "Systems"
    headings = ["system", "conll F1", "95% interval", "muc recall", "muc precision", "muc"]
    assert tables["Systems"][0] == headings
    [score] = [
        one
        for one in comparison.scores
        if (one.metric, one.system, one.ratio) == ("conll", "two", "f1")
    ]
    assert tables["Systems"][2][1] == f"{100 * score.value:.2f}"
    groups, differences = tables["Groups of documents"], tables["Significance of differences"]
    assert groups[0] == [
        "metric", "group", "first", "second", "units", "F1 difference", "95% interval", "p", "p (Holm, all groups)",
    ]  # fmt: skip
    # One and two differ in group b in the ten documents that only the one finds: 2 of 2^10 swaps
    # reach that, and 2^12 are exact.
    [row] = [row for row in groups if row[:4] == ["muc", "b", "one", "two"]]
    assert (row[4], row[7]) == ("12", "0.0020")
    assert {row[1] for row in groups[1:]} == {"a", "b"}
    headings = differences[0]
    assert headings[5:7] == ["effect", "P(first > second)"]
    found = tables["Smallest detectable differences"]
    assert found[0][-1] == "F1 difference found with power 0.8"
    least = {
        (one.metric, one.first, one.second): one
        for one in comparison.detectable(0.8)
        if one.ratio == "f1"
    }
    assert {tuple(row[:3]) for row in found[1:]} == set(least)
    for *names, error, difference in found[1:]:
        one = least[tuple(names)]
        assert (error, difference) == (
            f"{100 * one.standard_error:.2f}",
            f"{100 * one.difference:.2f}",
        )


@pytest.mark.parametrize(
    "form", ["table", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"]
)
def test_every_form_has_groups_and_power(form, comparison):
    plain, text = comparison.text(form), comparison.text(form, by="^(.)/", power=0.8)
    note = "c: fewer than two units of documents, so nothing is compared there"
    assert note in text.replace("\\_", "_")
    few = "a, b: fewer than 20 units: intervals contain the true value less often than stated"
    assert few in text.replace("\\_", "_")
    assert note not in plain
    assert few not in plain
    [least] = [
        one
        for one in comparison.detectable(0.8)
        if (one.metric, one.ratio, one.second) == ("muc", "f1", "two")
    ]
    in_tables = form in {"table", "markdown", "latex", "html"}
    shown = f"{100 * least.difference:.2f}" if in_tables else repr(least.difference)
    assert shown in text
    assert ("0.0020" if in_tables else repr(2 / 2**10)) in text
    if form == "html":
        assert "Groups of documents" not in plain


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_p_values_are_corrected_over_groups(form, comparison):
    every = [one for one in rows(comparison.text(form, by="^(.)/"), form) if one["kind"] == "group"]
    assert {one["group"] for one in every} == {"a", "b"}
    for measure in {(one["metric"], one["ratio"]) for one in every}:
        own = [one for one in every if (one["metric"], one["ratio"]) == measure]
        assert len(own) == 6
        # Holm's rule: the k-th smallest of six times 6 - k + 1, never below one before it.
        ordered = sorted(own, key=lambda one: float(one["p"]))
        least = 0.0
        for place, one in enumerate(ordered):
            least = max(least, min(1.0, float(one["p"]) * (6 - place)))
            assert float(one["p_groups"]) == pytest.approx(least)
    tree = json.loads(comparison.text("json", by="^(.)/"))
    in_tree = [one["p_groups"] for group in tree["groups"].values() for one in group["differences"]]
    assert sorted(in_tree) == pytest.approx(sorted(float(one["p_groups"]) for one in every))


def test_one_response_has_its_figures_in_groups():
    alone = scorer.compare(KEY, {"one": SYSTEMS["one"]}, metrics="muc", trials=500)
    group = alone.by("^(.)/")["b"]
    [score] = [one for one in group.scores if one.ratio == "f1"]
    [line] = [line.split() for line in alone.text(by="^(.)/").splitlines() if line.startswith("b ")]
    assert line[:3] == ["b", "muc", "12"]
    assert line[3] == f"{100 * score.value:.2f}"
    table = Tables(alone.text("html", by="^(.)/")).found["Groups of documents"]
    assert table[2][:4] == line[:4]
    [record] = [
        one
        for one in rows(alone.text("csv", by="^(.)/"), "csv")
        if (one["group"], one["ratio"]) == ("b", "f1")
    ]
    assert (record["first"], float(record["value"]), float(record["low"])) == (
        "one",
        score.value,
        score.low,
    )


def test_corpora_and_runs_are_on_the_page():
    keys = {corpus: halves(range(SIZE + 1), prefix=corpus) for corpus in "xy"}

    def run(*rights):
        return Means(
            {
                corpus: scorer.score(keys[corpus], halves(right, prefix=corpus))
                for corpus, right in zip("xy", rights)
            },
            "corpora",
        )

    found = {"good": {"g1": run(range(20), range(22)), "g2": run(range(21), range(24))}}
    found["bad"] = {"b1": run(range(9), range(4)), "b2": run(range(8), range(6))}
    systems = {system: Means(runs, "runs") for system, runs in found.items()}
    tables = Tables(
        compare_evaluations(systems, Resampling("bootstrap", trials=200)).text("html")
    ).found
    f1s = {
        system: [[run.parts[corpus].ratios("muc").f1 for run in runs.values()] for corpus in "xy"]
        for system, runs in found.items()
    }
    [row] = [row for row in tables["Corpora"] if row[:2] == ["muc", "bad"]]
    means = [sum(some) / 2 for some in f1s["bad"]]
    assert row[2:] == [f"{100 * one:.2f}" for one in (sum(means) / 2, *means)]
    [row] = [row for row in tables["Runs"] if row[:2] == ["muc", "good"]]
    best = max(map(sum, zip(*f1s["good"]))) / 2
    assert (row[2], row[5]) == ("2", f"{100 * best:.2f}")
    [row] = [row for row in tables["Almost stochastic order of runs"] if row[0] == "muc"]
    assert row[1:5] == ["good", "bad", "0.0000", "1.0000"]


def test_p_is_exact_where_units_are_few_enough():
    """Thirty documents in three units: their 2^3 swaps are all made, and the page says so."""
    key = {f"(d/{at % 3}); part {at:03}": [["a", "b", "c"]] for at in range(30)}
    half = {name: [["a", "b"], ["c"]] for name in key}
    text = scorer.compare(key, {"key": key, "half": half}, metrics="muc", trials=1000).text("html")
    assert "randomisation, exact" in text
    assert "<td>0.2500" in text  # not significant, so not in bold
    assert [row[-1] for row in Tables(text).found["Significance of differences"][1:]] == ["0.2500"]


@pytest.mark.parametrize("command", ["batch", "compare", "errors", "leaderboard", "score", "spans"])
def test_a_title_is_the_heading_of_every_report(command, main, tmp_path):
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    for side in (key, response):
        cases = sorted((FIXTURES / "cases").glob(f"case-0?.{side.stem}.conll"))
        side.write_text("".join(case.read_text("utf-8") for case in cases), "utf-8")
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(f"corpus,system,key,response\nx,y,{key},{response}\n", "utf-8")
    files = [manifest] if command == "batch" else [key, response]
    arguments = [*files, "--format", "html", "--quiet", "--title", "A <task>"]
    status, out, err = main(command, *arguments)
    assert (status, err) == (0, "")
    assert "<title>A &lt;task&gt;</title>" in out
    assert "<h1>A &lt;task&gt;</h1>" in out
