"""What is a metric's name is said in one place, and every way to name one asks there."""

import json
import pickle
from functools import partial
from pathlib import Path

import pytest

import scorer
from scorer import registry
from scorer.comparison.leaderboard import sort_of
from scorer.count.counts import Counts, Metric
from scorer.jobs.manifest import read_manifest
from scorer.options import Options
from scorer.registry import make_scheme

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))

MEANT = registry.ALIASES
NAMES = sorted([*registry.METRICS, "conll", "conll_v4"])
OTHERS = [name for name in NAMES if name not in registry.ALL_METRICS]


def test_every_name_is_known():
    assert sorted(registry.names()) == NAMES
    assert registry.words() == {*NAMES, *MEANT, "all"}


@pytest.mark.parametrize("name", registry.METRICS)
def test_every_metric_travels_between_processes(name):
    assert pickle.loads(pickle.dumps(registry.get(name))).name == name


@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_written(name, main):
    expected = (0, str(scorer.score(KEY, RESPONSE, metrics=[name, "lea"])), "")
    assert main("score", "--metrics", f"{name},LEA", KEY, RESPONSE) == expected


@pytest.mark.parametrize(("alias", "name"), MEANT.items())
def test_an_alias_is_the_metric(alias, name):
    assert make_scheme([alias.upper(), name], Options()).names == [name]
    evaluation = scorer.score(KEY, RESPONSE, metrics=alias)
    assert evaluation.ratios(alias) == evaluation.ratios(name)
    assert sort_of(["muc", name], alias) == name


def test_what_is_listed(main):
    status, out, err = main("metrics")
    rows = [line.split("  ") for line in out.splitlines()[2:]]
    assert (status, err) == (0, "")
    assert sorted(row[0] for row in rows) == NAMES
    assert {
        alias: row[0] for row in rows for alias in row[-1].strip().split(", ") if alias in MEANT
    } == MEANT


@pytest.mark.parametrize("written", ["B3, mor", "b3;mor", "bcub,mor"])
def test_a_manifest_asks_the_registry(written, tmp_path):
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(f'key,response,metrics\n{KEY},{RESPONSE},"{written}"\n')
    [row] = read_manifest(manifest)
    assert row.scheme.names == ["bcub", "mor"]
    [scored] = scorer.batch(manifest).results
    assert scored.evaluation.totals == scorer.score(KEY, RESPONSE, metrics=["bcub", "mor"]).totals


def test_other_commands_ask_the_registry(main):
    options = ["--format", "json", "--trials", "10"]
    arguments = ["--metrics", "muc,mor,b3", KEY, RESPONSE, "--sort", "B3", *options]
    board = json.loads(main("leaderboard", *arguments)[1])
    assert board["signature"]["leaderboard"]["sort"] == "bcub"
    assert [*dict.fromkeys(row["metric"] for row in board["scores"])] == ["muc", "mor", "bcub"]
    compared = json.loads(main("compare", "--metrics", "mor,b3", KEY, RESPONSE, KEY, *options)[1])
    assert [*dict.fromkeys(row["metric"] for row in compared["scores"])] == ["mor", "bcub"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("b-3", "unknown metric 'b-3'; choose from: all, b3_0, .* zero.*; did you mean 'b3'"),
        (["muc", "conll-2012"], "did you mean 'conll'"),
        ("ceaff_e", "did you mean 'ceaf_e'"),
        ("muc+b3", r"^metrics: 'muc\+b3' is a list with \+; write muc,b3$"),
    ],
)
def test_what_is_no_name(written, message):
    with pytest.raises(ValueError, match=message):
        registry.resolve(written)


def test_another_package_takes_no_name_of_ours(tmp_path, monkeypatch):
    """Neither a name nor an alias: what is reported under ours is what we count."""
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[conll_scorer.metrics]\nb3 = nowhere:METRIC\nmor = nowhere:METRIC\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert registry.names() == [*registry.ALL_METRICS, *OTHERS]
    assert make_scheme("b3,mor", Options()).names == ["bcub", "mor"]
    with pytest.raises(KeyError):
        registry.get("b3")


@pytest.mark.parametrize("name", ["muc", "conll", "b3", "all", "exact"])
def test_a_metric_that_is_given_takes_no_name_of_another(name):
    def count(contingency):
        found = contingency.matched
        return (Counts(found, contingency.key_mentions, found, contingency.response_mentions),)

    exact, other = (
        Metric(called, count, title="Mine", unit="clusters", paper="mine")
        for called in ("exact", name)
    )
    for function in (partial(scorer.score, [["a"]], [["a"]]), scorer.Accumulator):
        function(metrics=[exact, "muc", exact])
        with pytest.raises(ValueError, match=f"^metrics: '{name}' is the name of another metric; "):
            function(metrics=[exact, other])
