"""`scorer batch --delta RUN.json`: what has changed since an earlier run, and what cannot be
compared with it."""

import csv
import io
import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from test_matrix import conll, corpus, folder, made, manifest  # noqa: F401  a fixture

import scorer
from conll import ConllError
from scorer.batches.changes import read_run
from scorer.statistics.resampling import Resampling
from scorer.statistics.significance import holm

pytestmark = pytest.mark.usefixtures("here")

RATIOS = ("recall", "precision", "f1")
TESTED = ("change", "low", "high", "p")
SETTINGS = (("exact", "keep"), ("singletons=drop", "drop"))
PRESETS = ",".join(preset for preset, _ in SETTINGS)
DOCUMENTS = 6
TRIALS = 100
"""More than there are ways to swap the documents of two runs, so that all of these are tried, as
they are by default."""


@pytest.fixture
def runs(folder, main):  # noqa: F811
    """Two systems in two corpora.

    Since `then.json` was written, the responses of the first have changed.
    """
    for name, seed in (("key", 0), ("a", 1), ("b", 2)):
        for at in (1, 2):
            (folder / f"{name}{at}.conll").write_text(corpus(10 * at + seed, DOCUMENTS))
    rows = [f"c{at},{name},key{at}.conll,{name}{at}.conll" for at in (1, 2) for name in "ab"]
    manifest("\n".join(["corpus,system,key,response", *rows]) + "\n")
    assert main("batch", "m.csv", "--presets", PRESETS, "-o", "then.json", "--quiet")[0] == 0
    for at in (1, 2):
        (folder / f"a{at}.conll").rename(folder / f"before{at}.conll")
        (folder / f"a{at}.conll").write_text(corpus(10 * at + 3, DOCUMENTS))
    return folder


def changed(main, *arguments, presets=PRESETS):
    asked = ("--delta", "then.json", "--format", "json", "--quiet", "--trials", TRIALS)
    return json.loads(main("batch", "m.csv", "--presets", presets, *asked, *arguments)[1])


def changes_of(record, ratio):
    return [record[f"{ratio}_{name}"] for name in TESTED]


# Whose figures they are.


@pytest.mark.parametrize(
    "how",
    [
        {"trials": TRIALS},
        {
            "method": "bootstrap",
            "trials": 200,
            "seed": 3,
            "interval": "percentile",
            "unit": "document",
            "confidence": 0.9,
        },
    ],
)
def test_figures_are_those_of_compare(how, runs, main):  # noqa: ARG001
    """Value, interval and p of each figure, as if the two responses were two systems.

    How to compare is in the signature.
    """
    words = [f"--{name}={value}" for name, value in how.items()]
    tree = changed(main, "--metrics", "muc,blanc,conll", *words)
    signed = tree["signature"]["delta"]
    assert signed.items() >= how.items()
    assert re.fullmatch("[0-9a-f]{64}", signed["run"])
    checked = 0
    for at, (preset, singletons) in product((1, 2), SETTINGS):
        responses = {"now": f"a{at}.conll", "then": f"before{at}.conll"}
        comparison = scorer.compare(
            f"key{at}.conll", responses, singletons=singletons, metrics="muc,blanc,conll", **how
        )
        ours = {
            row["metric"]: row
            for row in tree["rows"]
            if (row["corpus"], row["system"], row["preset"]) == (f"c{at}", "a", preset)
        }
        then = {
            (score.metric, score.ratio): score.value
            for score in comparison.scores
            if score.system == "then"
        }
        for line in comparison.differences:
            row = ours[line.metric]
            assert changes_of(row, line.ratio) == [line.value, line.low, line.high, line.p]
            assert row[f"{line.ratio}_then"] == then[line.metric, line.ratio]
            checked += 1
    assert checked == 28


def test_holm_is_over_the_rows_of_a_metric(runs, main):  # noqa: ARG001
    asked = "--metrics", "muc,conll", "--over-corpora", "--group-by", r"/(\d)"
    records = changed(main, *asked)["rows"]
    for kind, metric, ratio in product(("micro", "corpora", "group"), ("muc", "conll"), RATIOS):
        family = [
            record
            for record in records
            if (record["kind"], record["metric"]) == (kind, metric) and record[f"{ratio}_p"]
        ]
        # Averages have an F1 only, and here a group is one document.
        is_tested = kind != "group" and (metric, ratio != "f1") != ("conll", True)
        assert len(family) == is_tested * (8 if kind == "micro" else 4)
        corrected = holm(np.array([record[f"{ratio}_p"] for record in family]))
        assert [record[f"{ratio}_p_holm"] for record in family] == pytest.approx(corrected)


def test_means_over_corpora_are_compared_as_those_of_two_systems(runs, main):  # noqa: ARG001
    text = "corpus,system,key,response\n" + "".join(
        f"c{at},{system},key{at}.conll,{name}{at}.conll\n"
        for at in (1, 2)
        for system, name in (("now", "a"), ("then", "before"))
    )
    manifest(text, "both.csv")
    records = changed(main, "--metrics", "muc,conll", "--over-corpora")["rows"]
    for preset, singletons in SETTINGS:
        comparison = scorer.compare(
            manifest="both.csv", singletons=singletons, metrics="muc,conll", trials=TRIALS
        )
        means = {
            record["metric"]: record
            for record in records
            if (record["kind"], record["system"], record["preset"]) == ("corpora", "a", preset)
        }
        assert len(comparison.differences) == 4
        for line in comparison.differences:
            found = changes_of(means[line.metric], line.ratio)
            assert found == [line.value, line.low, line.high, line.p]


def test_every_figure_shown_has_its_change(runs, main):  # noqa: ARG001
    """Documents, groups and means over documents as well: what it is less what it was, from runs
    scored apart."""
    asked = ("--per-document", "--average", "both", "--group-by", r"/(\d)", "--metrics", "blanc")
    records = changed(main, *asked)["rows"]
    manifest(
        "corpus,system,key,response\n"
        + "".join(f"c{at},a,key{at}.conll,before{at}.conll\n" for at in (1, 2)),
        "old.csv",
    )
    _, out, _ = main("batch", "old.csv", "--presets", PRESETS, "--format", "csv", "--quiet", *asked)
    names = ("corpus", "system", "preset", "kind", "name", "metric")
    then = {tuple(row[name] for name in names): row for row in csv.DictReader(io.StringIO(out))}
    kinds = set()
    for row in records:
        if row["system"] == "a":
            was = then[tuple(row[name] for name in names)]
            kinds.add(row["kind"])
            for ratio in RATIOS:
                old = float(was[ratio])
                assert row[f"{ratio}_then"] == pytest.approx(old, abs=1e-12)
                assert row[f"{ratio}_change"] == pytest.approx(row[ratio] - old, abs=1e-12)
    assert kinds == {"document", "group", "micro", "macro"}


def test_the_library(runs):  # noqa: ARG001
    asked = {"presets": PRESETS, "metrics": "conll"}
    table = scorer.batch("m.csv", delta="then.json", resampling=Resampling(trials=64), **asked)
    frame = table.to_frame()
    assert str(frame["f1_p"].dtype) == "float64"
    assert list(frame["f1_change"]) == [record["f1_change"] for record in table.records]
    columns = ["exact/conll", "exact/conll/change", "exact/conll/p_holm"]
    assert [*table.to_frame(shape="wide").columns[5:8]] == columns
    # A later run is compared with what this one wrote.
    Path("now.json").write_text(table.text("json"))
    again = scorer.batch("m.csv", delta="now.json", **asked)
    assert [record["f1_change"] for record in again.records] == [0] * 8


# What cannot be compared.


def test_what_is_not_compared_is_said(runs, main):
    """Another key, other documents, other settings, a row that failed, and rows that are in one run
    alone."""
    key = runs / "key1.conll"
    key.write_text(key.read_text().replace("word1\t", "word_\t"))
    for name in ("key2", "a2"):
        (runs / f"{name}.conll").write_text(
            conll(*(made(f"d/{at}", 7) for at in range(DOCUMENTS - 1)))
        )
    rows = ["c1,a,key1.conll,a1.conll", "c2,new,key2.conll,a2.conll", "c1,b,key1.conll,b1.conll"]
    manifest("\n".join(["corpus,system,key,response", *rows]) + "\n")
    tree = changed(main, "--metrics", "muc", presets="exact")
    assert tree["notes"] == [
        "2 rows, the first corpus c1, system a (exact): not compared: the key has changed",
        "corpus c2, system new (exact): not in the earlier run",
        ("6 rows, the first corpus c1, system a (singletons=drop): only in the earlier run"),
    ]
    assert all(record["f1_change"] is None for record in tree["rows"])


def test_failures_then_and_now(runs, main):
    broken = corpus(11, DOCUMENTS).replace("\t-\n", "\t9)\n", 1)
    (runs / "a1.conll").write_text(broken)
    assert main("batch", "m.csv", "--presets", "exact", "-o", "then.json", "--quiet")[0] == 1
    (runs / "a1.conll").write_text(corpus(11, DOCUMENTS))
    (runs / "b2.conll").write_text(broken)
    tree = changed(main, "--metrics", "muc", "--over-corpora", presets="exact")
    note, *others = tree["notes"]
    assert note.startswith("corpus c1, system a (exact): failed in the earlier run (a1.conll:")
    not_all = "mean over corpora, system a (exact): not compared, as not all of its corpora are"
    assert not_all in others
    compared = [row for row in tree["rows"] if row["f1_change"] is not None]
    assert {(row["corpus"], row["system"]) for row in compared} == {("c2", "a"), ("c1", "b")}
    assert len(tree["rows"]) > len(compared)


def test_metrics_and_versions_may_differ(runs, main):
    run = json.loads((runs / "then.json").read_text())
    for row in run["counts"]:
        row["scorer"] = "conll-scorer 0.0.1"
        row["metrics"].remove("lea")
    (runs / "then.json").write_text(json.dumps(run))
    rows = "4 rows, the first corpus c1, system a (exact)"
    lacking = f"{rows}: the earlier run has no lea"
    version = f"conll-scorer {scorer.__version__}"
    tree = changed(main, "--metrics", "muc,lea", presets="exact")
    counted = f"{rows}: it was counted by conll-scorer 0.0.1, now by {version}"
    assert tree["notes"][:2] == [lacking, counted]
    figures = [(row["metric"], row["f1_change"] is None) for row in tree["rows"]]
    assert figures == [("muc", False), ("lea", True)] * 4
    assert changed(main, "--metrics", "lea", presets="exact")["notes"][0] == lacking


def test_one_document_has_no_p(runs, main):
    """Nor has the mean over corpora that are one document each, but it has changed by as much."""
    for name, seed in (("key1", 0), ("a1", 1)):
        (runs / f"{name}.conll").write_text(corpus(seed, 1))
    manifest("corpus,system,key,response\nc1,a,key1.conll,a1.conll\n")
    main("batch", "m.csv", "-o", "then.json", "--quiet", "--presets", "exact")
    (runs / "a1.conll").write_text(corpus(5, 1))
    tree = changed(main, "--metrics", "muc", "--over-corpora", presets="exact")
    why = "no interval and no p: the key has 1 document; comparing needs two or more"
    assert tree["notes"][0] == f"2 rows, the first corpus c1, system a (exact): {why}"
    now, then = (
        scorer.score(*(io.BytesIO(corpus(number, 1).encode()) for number in (0, seed)))
        for seed in (5, 1)
    )
    was, change = then.ratios("muc").f1, now.ratios("muc").f1 - then.ratios("muc").f1
    assert [
        (row["kind"], row["f1_then"], row["f1_change"], row["f1_p"]) for row in tree["rows"]
    ] == [("micro", was, change, None), ("corpora", was, change, None)]


# What is no such run.

ROW = {
    "corpus": "c",
    "system": "s",
    "preset": "",
    "settings": "",
    "reason": "",
    "scorer": "conll-scorer 1",
    "metrics": ["muc"],
    "key": {"format": "conll2012", "sha256": "0"},
    "response": {"format": "conll2012", "sha256": "1"},
    "documents": ["a"],
    "counts": {"muc": [[1, 2, 1, 3]]},
}
DAMAGED = [
    1,
    {},
    ROW | {"corpus": 1},
    ROW | {"key": {}},
    ROW | {"documents": ["a", "a"]},
    ROW | {"counts": {"muc": [[True, 2, 1, 3]]}},
    ROW | {"counts": {"muc": [[float("nan"), 2, 1, 3]]}},
]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is not JSON (Expecting value: line 1 column 1 (char 0))"),
        (b"\xff\xfe{", "the file is not JSON (.*)"),
        (b"[" * 200_000, "lists are nested too deeply in the file"),
        (b'{"rows": []}', "the file holds no counts, so it is not the JSON of a batch"),
        ([ROW, ROW], "entry 2 of its counts appears twice"),
        *(([row], "entry 1 of its counts is damaged") for row in DAMAGED),
    ],
)
def test_what_is_no_run_is_refused(content, problem, folder, main):  # noqa: F811
    """In one line, before anything is scored."""
    (folder / "run.json").write_bytes(
        content if isinstance(content, bytes) else json.dumps({"counts": content}).encode()
    )
    expected = re.escape(
        f"run.json: {problem}; write one with: scorer batch MANIFEST --output RUN.json"
    ).replace(re.escape("(.*)"), r"\(.*\)")
    with pytest.raises(ConllError, match=f"^{expected}$"):
        read_run("run.json")
    manifest("key,response\nnowhere,nowhere\n")
    status, out, err = main("batch", "m.csv", "--delta", "run.json", "-o", "out.json")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.fullmatch(expected + "\n", err)
    assert {path.name for path in folder.iterdir()} == {"run.json", "m.csv"}
