"""`scorer batch` and `scorer.batch`: the figures of `scorer score`, whatever ends a run."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from importlib import util
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest

import scorer
from scorer.batches import rows
from scorer.batches.batch import FIELDS, BatchTable
from scorer.batches.rows import ScoredRow
from scorer.evaluation import report
from scorer.evaluation.report import Layout, select
from scorer.evaluation.report import signature_line as line
from scorer.jobs.manifest import read_manifest
from scorer.report.columns import Table
from waiting import is_gone, until

FIXTURES = Path(__file__).parents[2] / "fixtures"
PAGE = FIXTURES / "documentation"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with a copy of some fixtures, for a release that keeps rows."""
    monkeypatch.setattr(rows, "__version__", "0.1.0")
    for name in ("documentation", "cases", "formats"):
        shutil.copytree(FIXTURES / name, tmp_path / name)
    for side in ("key", "response"):
        shutil.copy(FIXTURES / f"example.{side}.conll", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(*lines, name="m.csv", heading="corpus,system,key,response"):
    Path(name).write_text("\n".join([heading, *lines]) + "\n")
    return name


def table(text):
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row.pop("section") == "rows"]
    return [{field: row[field] for field in row if field != "note"} for row in rows]


SMALL = {"key": "documentation/key.conll", "response": "documentation/response.jsonl"}
STORY = {"key": "formats/story.corefud.conllu", "response": "formats/story.gum.conllu"}
SETTINGS = [
    {"key": "example.key.conll", "response": "example.response.conll"},
    SMALL | {"metrics": "muc,blanc,conll"},
    SMALL | {"singletons": "drop"},
    dict.fromkeys(["key", "response"], "documentation/repeats.conll") | {"duplicates": "keep"},
    STORY | {"preset": "crac25"},
    STORY | {"response": STORY["key"], "key_format": "corefud"},
    {"key": "cases", "response": "cases", "documents": "e", "blanc_edges": "luo2014"},
]


def of_settings(name="all.csv"):
    fields = list(dict.fromkeys(["corpus", *chain.from_iterable(SETTINGS)]))
    with open(name, "w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows({"corpus": f"c{at}"} | settings for at, settings in enumerate(SETTINGS))
    return name


def expected(settings, layout):
    """What the library gives for one row: the rows of its report, how many warnings, the
    signature."""
    evaluation = scorer.score(**settings)
    found = [
        {name: "" if value is None else str(value) for name, value in record.items()}
        for record in Table(report.COLUMNS, list(select(evaluation, layout))).records()
    ]
    return found, str(len(evaluation.problems)), line(evaluation)


def test_figures_are_those_of_scorer_score(folder, main):  # noqa: ARG001
    layout = Layout(per_document=True, average="both", group_by=r"(\w)")
    asked = [
        "--per-document",
        "--average",
        "both",
        "--group-by",
        layout.group_by,
        "--format",
        "csv",
    ]
    for _ in ("scored", "kept"):
        status, out, err = main("batch", of_settings(), *asked, "--keep", "kept")
        assert status == 0, err
        found = table(out)
        assert list(found[0]) == list(FIELDS)
        for at, settings in enumerate(SETTINGS, 1):
            figures, warnings, signature = expected(settings, layout)
            of_row = [record for record in found if record["row"] == str(at)]
            names = Table(report.COLUMNS, ()).names
            assert [{name: record[name] for name in names} for record in of_row] == figures
            ends = {(row["warnings"], row["signature"], row["status"]) for row in of_row}
            assert ends == {(warnings, signature, "scored")}
    assert "\nscorer batch: 7 rows: 0 scored, 7 taken over, 0 failed; " in err


@pytest.mark.parametrize("form", ["json", "html", "parquet"])
def test_same_bytes_whatever_the_jobs_and_the_kept_rows(folder, main, form):
    pairs = ("key.conll,documentation/response.conll", "key.conll,documentation/broken.conll")
    manifest(*(f"{at},s,documentation/{pair}" for at, pair in enumerate(pairs)))
    contents = set()
    for jobs, file in (("1", "a"), ("2", "b"), ("3", "a")):
        command = ["batch", "m.csv", "--format", form, "-o", f"out{jobs}", "--keep", file]
        assert main(*command, "--jobs", jobs, "--over-corpora")[0] == 1
        contents.add((folder / f"out{jobs}").read_bytes())
    [content] = contents
    assert form == "parquet" or b"unmatched `2)`" in content


@pytest.mark.parametrize(
    "form", ["csv", "tsv", "json", "jsonl", "table", "markdown", "latex", "html", "parquet"]
)
def test_a_name_that_is_no_utf8_is_escaped_in_every_form(folder, main, form):
    """Bytes of a file's name, and half a character, which JSON can write and UTF-8 cannot."""
    (folder / os.fsdecode(b"\xff.jsonl")).write_text(
        '{"doc_key": "\\ud800", "clusters": [[[0, 1], [5, 5]]]}\n'
    )
    Path("m.csv").write_bytes(b"key,response\n\xff.jsonl,\xff.jsonl\n")
    command = ["batch", "m.csv", "--per-document", "--metrics", "muc", "--quiet"]
    assert main(*command, "--format", form, "-o", "out")[::2] == (0, "")
    content = (folder / "out").read_bytes()
    if form == "parquet":
        content = "".join(
            map(str, pd.read_parquet(folder / "out")[["system", "name"]].to_numpy().flat)
        ).encode()
    text = content.decode()
    if form in {"json", "jsonl"}:
        row = json.loads(text)["rows"][0] if form == "json" else json.loads(text.splitlines()[0])
        assert (row["system"], row["name"]) == ("\udcff", "\ud800")
    else:
        shown = text.replace("\\textbackslash{}", "\\").replace("\\\\", "\\")
        assert "\\udcff" in shown
        assert "\\ud800" in shown


def test_parquet_without_its_package(folder, main, monkeypatch):  # noqa: ARG001
    find = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "pyarrow" else find(name))
    status, out, err = main("batch", of_settings(), "--format", "parquet", "--keep", "kept")
    assert (status, out) == (2, "")
    assert err.startswith("scorer batch: parquet needs pyarrow; pip install ")
    assert not Path("kept").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--group-by", "("], "scorer batch: '(' is not a regular expression: "),
        (["--output", "nowhere/out"], "nowhere/out: No such file or directory"),
        (["--keep", "all.csv"], "scorer batch: all.csv is an input; name another file to write"),
        (["--keep", "a", "--output", "a"], "scorer batch: --keep and --output are one file; name"),
        (["--keep", "new.csv"], "new.csv:1: --keep has not written this file; name another file"),
        (["--key-format", "xyz"], "scorer batch: key_format: unknown format 'xyz'; choose from: "),
    ],
)
def test_wrong_usage(folder, main, arguments, message):  # noqa: ARG001
    Path("new.csv").write_text("system,key\n")
    status, out, err = main("batch", of_settings(), *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(message)
    assert not Path("nowhere").exists()
    assert Path("new.csv").read_text() == "system,key\n"


def test_warnings(folder, main):  # noqa: ARG001
    manifest(
        "a,ours,documentation/key.conll,documentation/repeats.conll",
        "b,ours,documentation/key.conll,documentation/response.conll",
    )
    evaluation = scorer.score("documentation/key.conll", "documentation/repeats.conll")
    [problem] = evaluation.problems
    for _ in ("scored", "kept"):
        status, out, err = main(
            "batch", "m.csv", "--format", "jsonl", "--all-warnings", "--keep", "kept"
        )
        assert status == 0
        assert err.splitlines()[:-1] == [f"warning: {problem}"]
        rows = [row for row in map(json.loads, out.splitlines()) if row["section"] == "rows"]
        assert {row["warnings"] for row in rows} == {1, 0}
    status, out, err = main("batch", "m.csv", "--strict", "--keep", "kept", "--format", "csv")
    reason = f"1 warning, which --strict treats as errors; the first: {problem}"
    assert status == 1
    assert err.splitlines()[0] == f"scorer batch: corpus a, system ours: {reason}"
    assert [one["reason"] for one in table(out)][:2] == [reason, ""]


def test_means_over_corpora(folder, main):  # noqa: ARG001
    pairs = [
        ("documentation/key.conll", "documentation/response.conll"),
        ("example.key.conll", "example.response.conll"),
    ]
    manifest(
        *(
            f"{corpus},{system},{key},{response}"
            for system in "xy"
            for corpus, (key, response) in zip("ab", pairs)
        ),
        "a,z,k,r",
    )
    command = ["batch", "m.csv", "--metrics", "muc,conll", "--over-corpora", "--format", "csv"]
    status, out, err = main(*command, "--average", "macro")
    assert status == 1
    assert err.splitlines()[1] == (
        "scorer batch: mean over corpora, system z: no figures for 2 of 2 corpora, scored alike: a, b"
    )
    found = [one for one in table(out) if one["kind"] == "corpora"]
    assert [(one["system"], one["metric"], one["status"]) for one in found] == [
        *((system, metric, "scored") for system in "xy" for metric in ("muc", "conll")),
        ("z", "", "failed"),
    ]
    evaluations = [scorer.score(*pair) for pair in pairs]
    for record in found[:-1]:
        ratios = [evaluation.macro(record["metric"]) for evaluation in evaluations]
        means = {"f1": sum(ratio.f1 for ratio in ratios) / 2}
        if record["metric"] == "muc":
            means["recall"] = sum(ratio.recall for ratio in ratios) / 2
        else:
            assert record["recall"] == record["precision"] == ""
        found_means = {name: float(record[name]) for name in means}
        assert found_means == pytest.approx(means, abs=1e-15)
    assert found[0]["corpus"] == found[0]["key"] == found[0]["row"] == ""


STUCK = """
import os, sys, time
from scorer import perl
from scorer.cli.main import main
from scorer.batches import rows
rows.__version__ = "0.1.0"
score = rows.score_corpus
def score_or_wait(corpus, *arguments):
    if corpus.response.path == "d.conll":
        os.write(1, b"begun\\n")
        time.sleep(60)
    return score(corpus, *arguments)
rows.score_corpus = score_or_wait
sys.exit(perl.run(main))
"""
"""The command, whose row with this response never ends."""


@pytest.mark.linux
@pytest.mark.parametrize(
    ("number", "status"), [("SIGKILL", -9), ("SIGHUP", 129), ("SIGTERM", 143), ("SIGINT", 130)]
)
def test_a_run_that_is_ended_goes_on(folder, main, number, status):
    for name in "abcde":
        (folder / f"{name}.conll").write_bytes((PAGE / "response.conll").read_bytes())
    manifest(*(f"{name},ours,documentation/key.conll,{name}.conll" for name in "abcde"))
    Path("out.csv").write_text("as it was")
    command = ("batch", "m.csv", "--format", "csv", "--keep", "kept.jsonl", "-o", "out.csv")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, *command], start_new_session=True, **pipes
    )
    assert process.stdout.readline() == "begun\n"
    process.send_signal(getattr(signal, number))
    says = "scorer batch: ended after 3 of 5 rows; run again to go on\n"
    assert process.communicate(timeout=600)[1] == (says if number != "SIGKILL" else "")
    assert process.returncode == status
    until(lambda: is_gone(process.pid))
    assert Path("out.csv").read_text() == "as it was"
    assert Path("kept.jsonl").read_bytes().count(b"\n") == 3
    assert main(*command)[2] == "scorer batch: 5 rows: 2 scored, 3 taken over, 0 failed\n"
    assert main(*command[:4])[1] == Path("out.csv").read_text()
    assert not list(folder.glob("*.part"))


def test_which_rows_are_of_one_corpus_is_in_the_signature(folder):  # noqa: ARG001
    """It decides what the means over corpora are, even of the same rows in the same order."""
    pairs = (
        "documentation/key.conll,documentation/response.conll",
        "documentation/key.conll,documentation/repeats.conll",
    )
    signatures = []
    for names in (["a,s", "b,s"], ["a,s", "a,t"], ["a,s", "b,s"]):
        manifest(*(f"{name},{pair}" for name, pair in zip(names, pairs)))
        signatures.append(scorer.batch("m.csv", metrics="muc", over_corpora=True).signature())
    assert signatures[0] == signatures[2] != signatures[1]


def test_rows_that_fail_for_one_cause_are_one_line(folder):  # noqa: ARG001
    """Whichever file it is about, and whichever worker says so; data have the reason of each."""
    lines = [f"x,{number},key,{number}.jsonl" for number in range(300)]
    results = []
    for row in read_manifest(manifest(*lines)):
        path, worker = row.response_path, 8786 + row.number % 2
        reason = f"{path}: there is no such file on worker tcp://10.0.0.1:{worker}; workers open"
        if row.number in {7, 8}:
            reason = f"{path}:{row.number}: unmatched bracket"
        results.append(ScoredRow(row, None, reason))
    batch = BatchTable(results, Layout())
    failed = [line for line in str(batch).splitlines() if line.startswith("failed: ")]
    assert failed == [
        f"failed: 298 rows, the first corpus x, system 0: {results[0].reason}",
        f"failed: corpus x, system 6: {results[6].reason}",
        f"failed: corpus x, system 7: {results[7].reason}",
    ]
    records = json.loads(batch.to_json())["rows"]
    assert [record["reason"] for record in records] == [row.reason for row in results]


def test_a_watch_receives_each_row_and_their_number(folder):  # noqa: ARG001
    watched = []

    def watch(rows):
        watched.append(len(rows))
        for scored in rows:
            watched.append(scored.row.corpus)
            yield scored

    table = scorer.batch(of_settings(), metrics="muc", watch=watch)
    assert watched == [len(SETTINGS), *(f"c{at}" for at in range(len(SETTINGS)))]
    assert [scored.row.corpus for scored in table.results] == watched[1:]
