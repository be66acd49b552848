"""Several settings for the same files: whose figures they are, and the table."""

import csv
import io
import json
import os
import random
from itertools import product
from pathlib import Path

import pytest

import scorer

FIXTURES = Path(__file__).parents[2] / "fixtures"
GOLDEN = [json.loads(row) for row in (FIXTURES / "golden/corefud-2.jsonl").read_text().splitlines()]
"""Measured runs of CorefUD's scorer, whose key and response differ in all that it matches by."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(text, name="m.csv"):
    Path(name).write_text(text)
    return name


# Whose figures they are.


def test_the_command_has_the_measured_figures(folder, main):
    """Three systems under twelve settings, one of which CorefUD's scorer refuses."""
    refused = next(row for row in GOLDEN if row["id"] == "multiz+z0-7305")
    chosen = [*GOLDEN[:2], refused]
    lines = ["corpus,system,key,response,match,singletons,zeros"]
    for row in chosen:
        for side in ("key", "response"):
            (folder / f"{row['id']}.{side}.conllu").write_text(row[side])
        for golden in row["figures"]:
            match, keep, zeros = golden.split("/")
            files = f"{row['id']}.key.conllu,{row['id']}.response.conllu"
            singletons = "keep" if keep == "True" else "drop"
            lines.append(f"{golden},{row['id']},{files},{match},{singletons},{zeros}")
    manifest("\n".join(lines) + "\n")
    status, out, err = main("batch", "m.csv", "--preset", "crac25", "--format", "csv")
    records = [row for row in csv.DictReader(io.StringIO(out)) if row["section"] == "rows"]
    assert {one["preset"] for one in records} == {"crac25"}
    expected = {
        (row["id"], golden, metric): figures[metric]
        for row in chosen
        for golden, figures in row["figures"].items()
        for metric in figures
        if metric != "error"
    }
    scored = {
        (one["system"], one["corpus"], one["metric"]): [
            float(one[ratio]) for ratio in ("recall", "precision", "f1")
        ]
        for one in records
        if one["status"] == "scored" and "." not in one["metric"] and one["metric"] != "conll"
    }
    assert len(scored) > 150
    assert scored == {at: pytest.approx(figures, abs=1e-9) for at, figures in expected.items()}
    failed = {(one["system"], one["corpus"]) for one in records if one["status"] == "failed"}
    assert failed == {
        (refused["id"], golden)
        for golden, figures in refused["figures"].items()
        if "error" in figures
    }
    assert status == 1
    assert f"scorer batch: {len(failed)} rows, the first corpus " in err


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


SETTINGS = [{}, {"duplicates": "error"}, {"missing_documents": "error"}, {"documents": "zz"}]


def test_an_error_is_that_of_one_setting(files):
    """The third response repeats a mention, the second lacks a document.

    A pattern may be found nowhere.
    """
    lines = ["system,key,response,duplicates,missing_documents,documents"]
    for system, setting in product("abc", SETTINGS):
        cells = (setting.get(name, "") for name in lines[0].split(",")[3:])
        lines.append(f"{system},key.conll,{system}.conll,{','.join(cells)}")
    found = {
        (one.row.system, one.row.settings): one.reason
        for one in scorer.batch(manifest("\n".join(lines), files), metrics="muc").results
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
    """The second row that reads it would wait for ever."""
    os.mkfifo(folder / "pipe")
    lines = ["system,key,response,preset"]
    for system, response in (("a", "pipe"), ("b", "b.conll")):
        lines += [f"{system},key.conll,{response},{preset}" for preset in ("", "conll12")]
    manifest("\n".join(lines), files)
    reasons = {(one.row.system, one.row.preset): one.reason for one in scorer.batch(files).results}
    refused = "pipe: this is a pipe or a device; write what it holds to a file"
    assert reasons == {
        (system, preset): refused * (system == "a") for system in "ab" for preset in ("", "conll12")
    }


# The table.


def test_the_table_names_presets_as_they_were_written_and_options_besides(main, files):
    lines = ["key,response,metrics,preset,singletons"]
    settings = [("", "keep"), ("CONLL12", ""), ("CONLL12", "drop"), ("", "drop")]
    lines += [f"key.conll,a.conll,muc,{preset},{word}" for preset, word in settings]
    manifest("\n".join(lines), files)
    status, text, _ = main("batch", files, "--quiet")
    kept, dropped = (
        f"{100 * scorer.score('key.conll', 'a.conll', singletons=word).ratios('muc').f1:.2f}"
        for word in ("keep", "drop")
    )
    shown = [line.split()[2:-1] for line in text.split("\n\n")[0].splitlines()[2:]]
    assert (status, shown) == (
        0,
        [
            [kept],
            ["CONLL12", kept],
            ["CONLL12", "singletons=drop", dropped],
            ["singletons=drop", dropped],
        ],
    )


def test_the_library(files):
    lines = ["system,key,response,singletons"]
    for system, word in product("abc", ("keep", "drop")):
        lines.append(f"{system},key.conll,{system}.conll,{word}")
    manifest("\n".join(lines), files)
    table = scorer.batch(files, metrics="conll", jobs=2, over_corpora=True)
    frame = table.to_frame()
    rows = frame[frame["kind"] == "micro"].set_index(["system", "settings"])["f1"]
    for system, (settings, word) in product("abc", (("", "keep"), ("singletons=drop", "drop"))):
        expected = scorer.score("key.conll", f"{system}.conll", singletons=word)
        assert rows[system, settings] == expected.ratios("conll").f1
    assert str(table) == table.text("table")
    tree = json.loads(table.text("json"))
    assert tree == table.to_dict() | {"signature": tree["signature"]}
    with pytest.raises(ValueError, match=r"^average: 'mean' is not one of "):
        scorer.batch(files, average="mean")
