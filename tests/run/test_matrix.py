"""Several settings for the same files: how they are written, that files are read once, and whose figures they are."""

import csv
import io
import json
import os
import random
import re
from pathlib import Path

import pandas as pd
import pytest

import scorer
from conll import ConllError
from scorer import options as presets
from scorer.evaluation.evaluation import Evaluation
from scorer.options import COREFUD, Options
from scorer.registry import select
from scorer.run import batch
from scorer.run.manifest import read_manifest, settings_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
GOLDEN = [json.loads(row) for row in (FIXTURES / "golden/corefud-2.jsonl").read_text().splitlines()]
"""Measured runs of CorefUD's scorer, whose key and response differ in all that it matches by."""

ISSUE = "crac25,crac25:singletons=keep,exact"

pytestmark = pytest.mark.usefixtures("here")


# How settings are written.


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("crac25", [("crac25", "crac25", {})]),
        (
            ISSUE,
            [
                ("crac25", "crac25", {}),
                ("crac25:singletons=keep", "crac25", {"singletons": "keep"}),
                ("exact", None, {"match": "exact"}),
            ],
        ),
        (
            ["exact", "conll12 , head"],
            [
                ("exact", None, {"match": "exact"}),
                ("conll12", "conll12", {}),
                ("head", None, {"match": "head"}),
            ],
        ),
        (
            "crac22: exact :metrics=muc;b3",
            [("crac22:exact:metrics=muc;b3", "crac22", {"match": "exact", "metrics": "muc;b3"})],
        ),
        (
            "Blanc-Edges=luo2014:truncate",
            [
                (
                    "Blanc-Edges=luo2014:truncate",
                    None,
                    {"blanc_edges": "luo2014", "rounding": "truncate"},
                )
            ],
        ),
        (
            'documents="a,b:\\"c",crac25',
            [('documents="a,b:\\"c"', None, {"documents": 'a,b:"c'}), ("crac25", "crac25", {})],
        ),
    ],
)
def test_settings(written, found):
    assert [(one.name, one.preset, dict(one.words)) for one in settings_of(written)] == found


NEAR = "did you mean 'crac25' or 'crac24'?"
SPELLING = "PRESET, PRESET:OPTION=WORD or OPTION=WORD"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", f"presets: '' has an empty part; write {SPELLING}, with commas between several"),
        (
            "crac25,",
            f"presets: '' has an empty part; write {SPELLING}, with commas between several",
        ),
        (
            "crac25:",
            f"presets: 'crac25:' has an empty part; write {SPELLING}, with commas between several",
        ),
        ([], f"presets: there is none; write {SPELLING}, with commas between several"),
        (
            "crac52",
            (
                f"presets: 'crac52' is neither a preset ({', '.join(presets.PRESETS)}) nor a "
                f"word of an option; {NEAR}"
            ),
        ),
        ("crac25:exakt", "presets: 'exakt' is not a word of an option; did you mean 'exact'?"),
        ("crac25:crac24", f"presets: 'crac24' is not a word of an option; write {SPELLING}"),
        (
            "keep",
            (
                "presets: 'keep' is a word of duplicates and singletons; write "
                "duplicates=keep or singletons=keep"
            ),
        ),
        (
            "crac25:singleton=keep",
            (
                "presets: there is no option 'singleton' for 'crac25:singleton=keep'; did you "
                "mean 'singletons'?"
            ),
        ),
        (
            "crac25:singletons=kep",
            "singletons: 'kep' is not one of keep, drop, drop-response; did you mean 'keep'?",
        ),
        (
            "crac25:singletons=",
            "presets: 'crac25:singletons=' gives no word for singletons; write singletons=WORD",
        ),
        ("exact:head", "presets: 'exact:head' says match twice; leave one out"),
        ("crac25,exact,crac25", "presets: 'crac25' is there twice; leave one out"),
        (
            'documents="a',
            "presets: a quotation mark in 'documents=\"a' has no other; write two around a word",
        ),
        (
            'documents="\\a"',
            'presets: "\\a" in \'documents="\\\\a"\' is no text in quotes, as JSON has them',
        ),
    ],
)
def test_settings_that_nobody_knows(written, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        settings_of(written)


# What a manifest makes of them.


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(text, name="m.csv"):
    Path(name).write_text(text)
    return name


def said(rows):
    return [(row.number, row.place, row.preset, row.settings, row.metrics) for row in rows]


def test_each_row_is_scored_under_each_setting(folder):  # noqa: ARG001
    name = manifest("system,key,response\na,k,r\nb,k,s\n")
    crac = (
        "duplicates=corefud singletons={} blanc_edges=luo2014 match=head zeros=dependent "
        "like=corefud-1.2"
    )
    each = [
        ("crac25", crac.format("drop"), COREFUD),
        # Where singletons are at their default, nothing is said of them.
        ("crac25:singletons=keep", crac.replace(" singletons={}", ""), COREFUD),
        ("exact", "", "all"),
    ]
    expected = [(number, place, *one) for number in (1, 2) for place, one in enumerate(each)]
    assert said(read_manifest(name, presets=ISSUE)) == expected
    assert said(read_manifest(name, presets=ISSUE.split(","))) == expected


def test_a_row_may_name_its_own_settings(folder):  # noqa: ARG001
    text = (
        'system,key,response,presets,metrics\na,k,r,"exact,conll12",\nb,k,s,,muc\nc,k,t,head,muc\n'
    )
    yaml = """\
defaults: {key: k}
rows:
  - {system: a, response: r, presets: [exact, conll12]}
  - {system: b, response: s, metrics: muc}
  - {system: c, response: t, presets: head, metrics: muc}
"""
    conll12 = presets.PRESETS["conll12"]["metrics"]
    expected = [
        (1, 0, "exact", "", "all"),
        (1, 1, "conll12", "", conll12),
        (2, 0, "luo2014", "blanc_edges=luo2014", "muc"),
        (3, 0, "head", "match=head", "muc"),
    ]
    for name in (manifest(text), manifest(yaml, "m.yaml")):
        assert said(read_manifest(name, presets="luo2014")) == expected
        del expected[2:3]
        expected.insert(2, (2, 0, "", "", "muc"))
        assert said(read_manifest(name)) == expected
        expected[2] = (2, 0, "luo2014", "blanc_edges=luo2014", "muc")


def test_what_goes_before_what(folder):  # noqa: ARG001
    """A setting's own words before a row, a row before all rows.

    A preset stands where it is named.
    """
    name = manifest(
        'key,response,singletons,presets\nk,r,,"crac25,crac25:match=exact"\nk,s,keep,crac25\nk,t,keep,\n'
    )
    given = {"singletons": "drop-response", "match": "partial"}
    options = [
        (row.options.singletons, row.options.match, row.options.zeros)
        for row in read_manifest(name, given, "crac25,match=exact")
    ]
    assert options == [
        # Of the row: before what is given for all.
        ("drop", "head", "dependent"),
        ("drop", "exact", "dependent"),
        ("keep", "head", "dependent"),
        # Given for all, like the options beside it, which go first.
        ("keep", "partial", "dependent"),
        ("keep", "exact", "linear"),
    ]


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        (
            "key,response,presets\nk,r,crac52\n",
            None,
            "m.csv:2: presets: 'crac52' is neither a preset (.*) nor .*",
        ),
        (
            "key,response,preset\nk,r,crac25\n",
            "exact",
            (
                "m.csv:2: preset: 'crac25' stands beside presets, which name one each; leave "
                "out one of the two"
            ),
        ),
        (
            "key,response,singletons\nk,r,\nk,r,drop\n",
            "exact,crac25:singletons=keep",
            (
                "m.csv:3: corpus 'k' and system 'r' stand on line 2 already, scored alike "
                "under crac25:singletons=keep; name one .*"
            ),
        ),
    ],
)
def test_manifests_that_are_refused(folder, text, given, message):  # noqa: ARG001
    with pytest.raises(ConllError, match=f"^{message}$"):
        read_manifest(manifest(text), presets=given)


def test_preset_and_presets_are_not_given_both(folder, main):  # noqa: ARG001
    manifest("key,response\nk,r\n")
    status, out, err = main("batch", "m.csv", "--preset", "crac25", "--presets", "exact")
    said = "preset: 'crac25' stands beside presets, which name one each; leave out one of the two"
    assert (status, out) == (2, "")
    assert said in err
    with pytest.raises(ValueError, match=said):
        scorer.batch("m.csv", preset="crac25", presets="exact")


# Whose figures they are.


def setting_of(golden):
    """The words of a measured setting."""
    match, keep, zeros = golden.split("/")
    return f"crac25:match={match}:singletons={'keep' if keep == 'True' else 'drop'}:zeros={zeros}"


def scored(key, response, setting):
    """The evaluation, or the error."""
    evaluation = empty(setting)
    try:
        return scorer.score(
            io.BytesIO(key),
            io.BytesIO(response),
            metrics=evaluation.names,
            options=evaluation.options,
        )
    except (ConllError, ValueError) as error:
        return error


def empty(setting):
    words_ = setting.between({}, {})
    options = Options(**{name: word for name, word in words_.items() if name != "metrics"})
    names, counted = select(words_.get("metrics", "all"), options)
    return Evaluation(counted, options, names)


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
    status, out, err = main(
        "batch", "m.csv", "--presets", written, "--format", "csv", "--jobs", "2"
    )
    records = list(csv.DictReader(io.StringIO(out)))
    expected = {
        (row["id"], setting_of(golden), metric): figures[metric]
        for row in chosen
        for golden, figures in row["figures"].items()
        for metric in figures
        if metric != "error"
    }
    scored = [
        one
        for one in records
        if one["status"] == "scored" and "." not in one["metric"] and one["metric"] != "conll"
    ]
    assert len(scored) == len(expected) > 150
    for one in scored:
        figures = [float(one[ratio]) for ratio in ("recall", "precision", "f1")]
        assert figures == pytest.approx(
            expected[one["system"], one["preset"], one["metric"]], abs=1e-9
        )
    failed = [(one["system"], one["preset"]) for one in records if one["status"] == "failed"]
    assert sorted(failed) == sorted(
        (refused["id"], setting_of(golden))
        for golden, of in refused["figures"].items()
        if "error" in of
    )
    assert status == (1 if failed else 0)
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


MANY = (
    "exact,conll12,crac25:exact,singletons=drop,duplicates=first,blanc_edges=luo2014:metrics=blanc,conll,rounded,metrics=lea,"
    'documents="[13]":metrics=muc,documents="[13]":singletons=drop:metrics=conll,missing_documents=error:metrics=conll'
)


@pytest.fixture
def files(folder):
    """A key, three responses (one lacks a document, one repeats a mention), and a manifest of them."""
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
    written = 'exact,duplicates=error,missing_documents=error,documents="zz"'
    found = {
        (one.row.system, one.row.preset): one.reason
        for one in batch.score_manifest(files, presets=written, metrics="muc")
    }
    failed = {at: reason for at, reason in found.items() if reason}
    # Mentions of the key and of the other responses are all distinct, as each has a token of its
    # own.
    assert {*failed} == {
        ("c", "duplicates=error"),
        ("b", "missing_documents=error"),
        *((system, 'documents="zz"') for system in "abc"),
    }
    assert "is already in cluster" in failed["c", "duplicates=error"]
    assert failed["a", 'documents="zz"'].startswith(
        "documents: 'zz' is found in no document name of key.conll"
    )


@pytest.mark.linux
def test_a_pipe_that_several_rows_name_is_refused(folder, files):
    """The second to read it would wait for ever, or find it empty."""
    os.mkfifo(folder / "pipe")
    manifest("system,key,response\na,key.conll,pipe\nb,key.conll,b.conll\n", files)
    reasons = {
        (one.row.system, one.row.preset): one.reason
        for one in batch.score_manifest(files, presets="exact,conll12")
    }
    refused = (
        "pipe: a pipe or a device can be read only once, but several rows or settings name "
        "it; use a file"
    )
    assert reasons == {
        (system, preset): refused * (system == "a")
        for system in "ab"
        for preset in ("exact", "conll12")
    }


# The table.


FORMS = ("csv", "tsv", "json", "jsonl", "table", "markdown", "latex", "html", "parquet")


def test_a_longer_list_of_settings_costs_what_is_new(files, main):
    rows = len(read_manifest(files))
    for written, scored in (
        ("exact,crac25:exact", 2),
        ("exact,crac25:exact,singletons=drop", 1),
        ("singletons=drop", 0),
    ):
        total = rows * len(written.split(","))
        _, _, err = main("batch", files, "--presets", written, "--cache", "kept")
        assert (
            f"{total} rows: {rows * scored} scored, {total - rows * scored} from the "
            "cache, 0 failed"
        ) in err


def records_of(main, *arguments):
    _, out, _ = main("batch", *arguments, "--format", "csv", "--quiet")
    return list(csv.DictReader(io.StringIO(out)))


def test_wide_has_the_figures_of_long(files, main):
    written = "exact,crac25:exact:metrics=conll;muc,missing_documents=error:metrics=muc"
    asked = (files, "--presets", written, "--group-by", r"/([0-2])", "--over-corpora")
    long = [one for one in records_of(main, *asked) if "." not in one["metric"]]
    wide = records_of(main, *asked, "--shape", "wide")
    assert [*wide[0]][:5] == ["corpus", "system", "kind", "name", "reason"]
    assert [*wide[0]][5:] == [
        *(
            f"exact/{name}"
            for name in ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "mentions", "conll")
        ),
        *(f"crac25:exact:metrics=conll;muc/{name}" for name in ("conll", "muc")),
        "missing_documents=error:metrics=muc/muc",
    ]
    found = {
        (one["corpus"], one["system"], one["kind"], one["name"], column): value
        for one in wide
        for column, value in one.items()
        if "/" in column and value
    }
    expected = {
        (
            one["corpus"],
            one["system"],
            one["kind"],
            one["name"],
            f"{one['preset']}/{one['metric']}",
        ): one["f1"]
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
    _, out, _ = main("batch", "m.csv", "--presets", "exact,luo2014", "--metrics", "muc", "--quiet")
    assert [row.split("  ")[0:1] and re.split(r"  +", row)[2] for row in out.splitlines()[2:6]] == [
        "exact [the defaults]",
        "luo2014 [blanc_edges=luo2014]",
        "exact [singletons=drop]",
        "luo2014 [singletons=drop blanc_edges=luo2014]",
    ]
    [wide] = records_of(
        main, "m.csv", "--presets", "exact,luo2014", "--metrics", "muc", "--shape", "wide"
    )
    figures = {column: value for column, value in wide.items() if "/muc" in column}
    evaluations = [
        scorer.score("key.conll", "a.conll", singletons=word, metrics="muc")
        for word in ("keep", "drop")
    ]
    kept, dropped = (str(evaluation.ratios("muc").f1) for evaluation in evaluations)
    assert figures == {
        "exact [the defaults]/muc": kept,
        "luo2014 [blanc_edges=luo2014]/muc": kept,
        "exact [singletons=drop]/muc": dropped,
        "luo2014 [singletons=drop blanc_edges=luo2014]/muc": dropped,
    }


def test_parquet_has_both_shapes(files, main, folder):
    for shape, field in (("long", "f1"), ("wide", "exact/muc")):
        main(
            "batch",
            files,
            "--presets",
            "exact,luo2014",
            "--metrics",
            "muc",
            "--shape",
            shape,
            "-o",
            "out.parquet",
            "--quiet",
        )
        frame = pd.read_parquet(folder / "out.parquet")
        assert len(frame) == (6 if shape == "long" else 3)
        assert str(frame[field].dtype) == "float64"
        assert frame[field][0] == scorer.score("key.conll", "a.conll").ratios("muc").f1


def test_a_setting_without_any_figure_has_a_column(files, main):
    _, out, _ = main(
        "batch",
        files,
        "--presets",
        'exact,documents="zz"',
        "--metrics",
        "muc",
        "--shape",
        "wide",
        "--quiet",
    )
    assert [re.split(r"  +", row)[1:] for row in out.splitlines()[:5:2]] == [
        ["system", "exact/muc", 'documents="zz"'],
        [
            "a",
            f"{100 * scorer.score('key.conll', 'a.conll').ratios('muc').f1:.2f}",
            "failed",
        ],
        [
            "c",
            f"{100 * scorer.score('key.conll', 'c.conll').ratios('muc').f1:.2f}",
            "failed",
        ],
    ]


def test_the_library(files):
    table = scorer.batch(
        files,
        presets=ISSUE.replace("crac25", "crac25:exact"),
        metrics="conll",
        jobs=2,
        over_corpora=True,
    )
    assert isinstance(table, scorer.BatchTable)
    frame = table.to_frame()
    assert [*dict.fromkeys(frame["preset"])] == [
        "crac25:exact",
        "crac25:exact:singletons=keep",
        "exact",
    ]
    for system in "abc":
        for preset, words_ in (
            ("crac25:exact", {}),
            ("crac25:exact:singletons=keep", {"singletons": "keep"}),
        ):
            expected = scorer.score(
                "key.conll",
                f"{system}.conll",
                **presets.settings("crac25", match="exact", **words_),
            )
            [found] = frame[
                (frame["system"] == system)
                & (frame["preset"] == preset)
                & (frame["kind"] == "micro")
            ]["f1"]
            assert found == expected.ratios("conll").f1
    wide = table.to_frame("wide")
    assert [*wide.columns[5:]] == [f"{preset}/conll" for preset in dict.fromkeys(frame["preset"])]
    assert len(wide) == 6
    assert str(table) == table.text("table")
    assert json.loads(table.text("json")) == table.to_dict() | {
        "signature": table.signature("json")
    }
    for wrong, message in (
        ({"shape": "tall"}, "shape: 'tall' is not one of wide, long"),
        ({"average": "mean"}, "average: 'mean'"),
    ):
        with pytest.raises(ValueError, match=message):
            scorer.batch(files, **wrong)
    with pytest.raises(ValueError, match="did you mean 'wide'"):
        table.to_frame("wid")
