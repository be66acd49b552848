"""Several settings for the same files: whose figures they are, and the shapes of the table."""

import csv
import io
import json
import os
import random
from itertools import product
from operator import itemgetter
from pathlib import Path

import pytest

import scorer

FIXTURES = Path(__file__).parents[2] / "fixtures"
GOLDEN = [json.loads(row) for row in (FIXTURES / "golden/corefud-2.jsonl").read_text().splitlines()]
"""Measured runs of CorefUD's scorer, whose key and response differ in all that it matches by."""

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(text, name="m.csv"):
    Path(name).write_text(text)
    return name


# Whose figures they are.


def setting_of(golden):
    """The words of a measured setting."""
    match, keep, zeros = golden.split("/")
    return f"crac25:match={match}:singletons={'keep' if keep == 'True' else 'drop'}:zeros={zeros}"


def test_the_command_has_the_measured_figures(folder, main):
    """Three systems under twelve settings, one of which CorefUD's scorer refuses."""
    refused = next(row for row in GOLDEN if row["id"] == "multiz+z0-7305")
    chosen = [*GOLDEN[:2], refused]
    lines = ["system,key,response"]
    for row in chosen:
        for side in ("key", "response"):
            (folder / f"{row['id']}.{side}.conllu").write_text(row[side])
        lines.append(f"{row['id']},{row['id']}.key.conllu,{row['id']}.response.conllu")
    manifest("\n".join(lines) + "\n")
    written = ",".join(setting_of(golden) for golden in GOLDEN[0]["figures"])
    status, out, err = main("batch", "m.csv", "--presets", written, "--format", "csv")
    records = list(csv.DictReader(io.StringIO(out)))
    expected = {
        (row["id"], setting_of(golden), metric): figures[metric]
        for row in chosen
        for golden, figures in row["figures"].items()
        for metric in figures
        if metric != "error"
    }
    scored = {
        (one["system"], one["preset"], one["metric"]): [
            float(one[ratio]) for ratio in ("recall", "precision", "f1")
        ]
        for one in records
        if one["status"] == "scored" and "." not in one["metric"] and one["metric"] != "conll"
    }
    assert len(scored) > 150
    assert scored == {at: pytest.approx(figures, abs=1e-9) for at, figures in expected.items()}
    failed = {(one["system"], one["preset"]) for one in records if one["status"] == "failed"}
    assert failed == {
        (refused["id"], setting_of(golden))
        for golden, figures in refused["figures"].items()
        if "error" in figures
    }
    assert status == 1
    assert len(failed) == err.count(f"system {refused['id']} (")


def conll(*documents):
    return "".join(
        f"#begin document ({name}); part 000\n{body}\n#end document\n" for name, body in documents
    )


def made(name, seed, mentions=0.5):
    """A document with some clusters; the words depend on the name alone."""
    draw, of_mentions = random.Random(f"{name}"), random.Random(f"{name} {seed}")
    cells = [
        f"({of_mentions.randrange(6)})" if of_mentions.random() < mentions else "-"
        for _ in range(draw.randrange(12, 30))
    ]
    return name, "".join(f"{name}\t0\t{at}\tword{at}\t{cell}\n" for at, cell in enumerate(cells))


def corpus(seed, number=6):
    return conll(*(made(f"d/{at}", seed) for at in range(number)))


@pytest.fixture
def files(folder):
    """A key, three responses (one lacks a document, one repeats a mention), and a manifest of
    them."""
    repeats = corpus(3).replace("\t(1)\n", "\t(1)|(2)\n", 1)
    lacking = conll(*(made(f"d/{at}", 2) for at in range(5)))
    for name, text in (("key", corpus(0)), ("a", corpus(1)), ("b", lacking), ("c", repeats)):
        (folder / f"{name}.conll").write_text(text)
    return manifest(
        "system,key,response\na,key.conll,a.conll\nb,key.conll,b.conll\nc,key.conll,c.conll\n"
    )


# What goes wrong stays where it is.


def test_an_error_is_that_of_one_setting(files):
    """The third response repeats a mention, the second lacks a document.

    A pattern may be found nowhere.
    """
    written = "exact,duplicates=error,missing_documents=error,documents=zz"
    found = {
        (one.row.system, one.row.preset): one.reason
        for one in scorer.batch(files, presets=written, metrics="muc").results
    }
    failed = {at: reason for at, reason in found.items() if reason}
    # Mentions of the key and of the other responses are all distinct, as each has a token of its
    # own.
    assert {*failed} == {
        ("c", "duplicates=error"),
        ("b", "missing_documents=error"),
        *((system, "documents=zz") for system in "abc"),
    }
    assert "is already in cluster" in failed["c", "duplicates=error"]
    assert failed["a", "documents=zz"].startswith(
        "documents: 'zz' matches no document name in key.conll"
    )


@pytest.mark.linux
def test_a_pipe_is_refused(folder, files):
    """The second setting to read it would wait for ever."""
    os.mkfifo(folder / "pipe")
    manifest("system,key,response\na,key.conll,pipe\nb,key.conll,b.conll\n", files)
    reasons = {
        (one.row.system, one.row.preset): one.reason
        for one in scorer.batch(files, presets="exact,conll12").results
    }
    refused = "pipe: this is a pipe or a device; write what it holds to a file"
    assert reasons == {
        (system, preset): refused * (system == "a")
        for system in "ab"
        for preset in ("exact", "conll12")
    }


# The table.


def records_of(main, *arguments):
    _, out, _ = main("batch", *arguments, "--format", "csv", "--quiet")
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row.pop("section") == "rows"]
    return [{field: row[field] for field in row if field != "text"} for row in rows]


def test_wide_has_the_figures_of_long(files, main):
    written = "exact,crac25:exact:metrics=conll;muc,missing_documents=error:metrics=muc"
    asked = (files, "--presets", written, "--group-by", r"/([0-2])", "--over-corpora")
    long = [one for one in records_of(main, *asked) if "." not in one["metric"]]
    wide = records_of(main, *asked, "--shape", "wide")
    assert [*wide[0]][:5] == ["corpus", "system", "kind", "name", "reason"]
    assert [*wide[0]][-3:] == [
        *(f"crac25:exact:metrics=conll;muc/{name}" for name in ("conll", "muc")),
        "missing_documents=error:metrics=muc/muc",
    ]
    names = itemgetter("corpus", "system", "kind", "name")
    found = {
        (*names(one), column): value
        for one in wide
        for column, value in one.items()
        if "/" in column and value
    }
    expected = {
        (*names(one), f"{one['preset']}/{one['metric']}"): one["f1"]
        for one in long
        if one["status"] == "scored"
    }
    assert found == expected
    assert len(expected) > 60
    reasons = {(one["system"], one["kind"]): one["reason"] for one in wide if one["reason"]}
    assert {*reasons} == {("b", "micro"), ("b", "corpora")}
    assert reasons["b", "micro"].startswith("missing_documents=error:metrics=muc: b.conll")


def test_rows_that_say_more_are_told_apart(folder, main, files):  # noqa: ARG001
    """One setting that is not the same for all rows has the options behind its name."""
    manifest("system,key,response,singletons\na,key.conll,a.conll,\na,key.conll,a.conll,drop\n")
    asked = ("m.csv", "--presets", "exact,luo2014", "--metrics", "muc", "--shape", "wide")
    [wide] = records_of(main, *asked)
    kept, dropped = (
        str(scorer.score("key.conll", "a.conll", singletons=word).ratios("muc").f1)
        for word in ("keep", "drop")
    )
    assert {column: value for column, value in wide.items() if "/muc" in column} == {
        "exact [the defaults]/muc": kept,
        "luo2014 [blanc_edges=luo2014]/muc": kept,
        "exact [singletons=drop]/muc": dropped,
        "luo2014 [singletons=drop blanc_edges=luo2014]/muc": dropped,
    }


def test_the_library(files):
    presets = ["exact", "exact:singletons=drop"]
    table = scorer.batch(files, presets=presets, metrics="conll", jobs=2, over_corpora=True)
    frame = table.to_frame()
    rows = frame[frame["kind"] == "micro"].set_index(["system", "preset"])["f1"]
    for system, (preset, word) in product("abc", zip(presets, ("keep", "drop"))):
        expected = scorer.score("key.conll", f"{system}.conll", singletons=word)
        assert rows[system, preset] == expected.ratios("conll").f1
    wide = table.to_frame(shape="wide")
    assert [*wide.columns[5:]] == [f"{preset}/conll" for preset in presets]
    assert len(wide) == 6
    assert str(table) == table.text("table")
    tree = json.loads(table.text("json"))
    assert tree == table.to_dict() | {"signature": tree["signature"]}
    for wrong in ({"shape": "tall"}, {"average": "mean"}):
        with pytest.raises(ValueError, match=r"^(shape: 'tall'|average: 'mean') is not one of "):
            scorer.batch(files, **wrong)
