"""`scorer errors`: its tables and other output formats, its chart, and what it refuses."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import scorer
from scorer.analysis.document_errors import CONFLATED, DIVIDED
from scorer.analysis.errors_tables import SECTIONS
from scorer.analysis.page import _HEADINGS

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
STORY = [FIXTURES / "documentation" / f"story.{side}.conll" for side in ("key", "response")]
AGAINST = ["against_kinds", "against_strata", "against_sentences"]


def test_the_command_prints_the_tables(main):
    assert main("errors", KEY, RESPONSE) == (0, str(scorer.errors(KEY, RESPONSE)), "")


@pytest.mark.parametrize("form", ["html", "json", "latex"])
def test_every_form(form, main):
    options = ["--show", "all", "--against", KEY, "--metrics", "muc,conll"]
    status, out, err = main("errors", KEY, RESPONSE, "--format", form, *options)
    assert (status, err) == (0, "")
    assert "divided entity" in out
    if form == "json":
        assert list(json.loads(out)) == [*SECTIONS, *AGAINST, "notes", "signature"]


def test_parquet_holds_every_record_with_its_type(main, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    options = ["--show", "all", "--against", KEY, "--metrics", "muc", "--format", "parquet"]
    assert main("errors", KEY, RESPONSE, *options, "-o", path) == (0, "", "")
    frame = pandas.read_parquet(path)
    kinds = frame[frame.section == "kinds"].set_index("kind")
    assert kinds.errors.to_dict() == dict(scorer.errors(KEY, RESPONSE, metrics="muc").counts)
    assert kinds.f1_cost.loc[DIVIDED] == pytest.approx(2 / 7)


def test_sections_are_the_same_in_every_form(main):
    errors = scorer.errors(*STORY, metrics="muc", trials=100)
    options = ["--metrics", "muc", "--trials", "100", "--show", "all", "--format"]
    tree, lines, table = (main("errors", *STORY, *options, f)[1] for f in ("json", "jsonl", "csv"))
    tree = json.loads(tree)
    objects = [json.loads(line) for line in lines.splitlines()]
    sections = errors.to_dict(SECTIONS)
    for section in SECTIONS:
        records = sections[section]
        assert len(records) > 0
        frame = errors.to_frame(section)
        assert (list(frame.columns), len(frame)) == (list(records[0]), len(records))
        assert tree[section] == json.loads(json.dumps(records))
        of_section = [record for record in objects if record["section"] == section]
        for line, record in zip(of_section, tree[section], strict=True):
            assert line == {"section": section} | record
        rows = [row for row in csv.DictReader(io.StringIO(table)) if row["section"] == section]
        for row, record in zip(rows, records, strict=True):
            assert {field: row[field] for field in record} == {
                field: "" if value is None else str(value) for field, value in record.items()
            }


def test_entities_come_with_nec():
    """Of the documentation's story: three entities have a name, and each has a response cluster."""
    errors = scorer.errors(*STORY, metrics="muc")
    assert errors.to_dict(["entities"])["nec"][0] == {
        "type": "all",
        "f1": errors.nec.f1,
        "entities": 3,
        "missed": 0,
    }
    assert errors.to_dict("nec, links") == errors.to_dict(["nec", "links"])
    assert errors.text(show="links,nec") == errors.text(show=["links", "nec"])
    by = [scorer.errors(*STORY, by=by, trials=9).strata for by in ("pos,parse", ["pos", "parse"])]
    assert by[0] == by[1]
    with pytest.raises(ValueError, match="section: 'x' is not one of kinds, links"):
        errors.to_frame("x")


@pytest.mark.parametrize("section", ["entities", "nec"])
def test_a_note_says_why_there_is_no_nec(section, main, tmp_path):
    told = main("errors", KEY, RESPONSE, "--show", section, "--metrics", "muc")[1]
    assert "no NEC: the files have neither parts of speech nor named entities" in told
    line = {"doc_key": "a", "tokens": ["dogs", "ran"], "pos": ["NNS", "VBD"]}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line | {"clusters": [[[0, 0], [1, 1]]]}))
    told = main("errors", path, path, "--show", section, "--metrics", "muc")[1]
    assert "no NEC: no entity of the key has a name" in told


@pytest.mark.parametrize(
    ("response", "half"),
    [
        ([[0, 1], [2, 3]], "clustering costs more"),
        ([[0, 1, 2], [4]], "finding mentions costs more"),
        ([[0, 1, 2, 3]], "cost the same"),
    ],
)
def test_the_half_that_costs_more_is_said(response, half):
    key, response = (
        [[(m, m) for m in cluster] for cluster in side] for side in ([range(4)], response)
    )
    assert half in str(scorer.errors(key, response, metrics="bcub"))


def test_an_empty_node_that_no_text_has_is_as_a_name(tmp_path, main):
    key = FIXTURES / "formats" / "pieces.universalanaphora.conllup"
    path = tmp_path / "r.json"
    path.write_text('{"letter": [[[0, 1]]], "answer": [[[0, 1], [[2, 3], "7:2.1"]]]}')
    assert main("errors", key, path, "--quiet", "--format", "html")[::2] == (0, "")


def test_the_chart_is_a_picture_by_itself(main, tmp_path):
    metrics = "muc,ceafe"
    path = tmp_path / "a.svg"
    assert main("errors", KEY, RESPONSE, "--chart", path, "--metrics", metrics)[0] == 0
    svg = ET.fromstring(path.read_text())
    texts = {one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")}
    costs = scorer.errors(KEY, RESPONSE, metrics=metrics).costs
    gains = [costs.gain(kind, "ceafe")[2] for kind in (DIVIDED, CONFLATED)]
    assert {f"{100 * gain:+.2f}" for gain in gains} < texts
    assert {"divided entity (2)", "conflated entities (2)"} < texts
    assert gains[1] < 0  # a bar to the left
    with pytest.raises(KeyError):
        scorer.errors(KEY, RESPONSE, metrics="muc").chart("lea")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "pos"], "by: no file has a column or attribute 'pos'; they have: none"),
        (["--documents", "q"], "documents: 'q' matches no document name"),
        (["--metrics", "mor"], "costs of errors need a metric of clusters"),
        (["--group-by", "("], "is not a regular expression"),
        (["--trials", "0"], "trials: 0 is not 1 or more"),
        (["--unit", "^q"], "unit: '^q' matches no document name"),
        (["--show", "knds"], "--show: 'knds' is not one of kinds, links, bounds"),
        (["--chart", "/nowhere/a.svg"], "/nowhere/a.svg: No such file or directory"),
        (["--chart", "a.png"], "a.png: the chart is written as SVG; give the file a name that"),
        (["--against", "nowhere"], "nowhere: No such file or directory"),
    ],
)
def test_what_the_command_refuses(arguments, message, main):
    status, out, err = main("errors", KEY, RESPONSE, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_repeated_mention_that_is_refused_has_its_line(main):
    repeats = FIXTURES / "documentation" / "repeats.conll"
    said = main("score", repeats, repeats, "--duplicates", "error")
    assert main("errors", repeats, repeats, "--duplicates", "error") == said
    assert f"{repeats}:3: " in said[2]


def test_warnings_are_errors_if_asked(main, tmp_path):
    end = b"#end document\n"
    (tmp_path / "less.conll").write_bytes(RESPONSE.read_bytes().partition(end)[0] + end)
    status, out, err = main("errors", KEY, tmp_path / "less.conll", "--metrics", "muc")
    assert (status, "the response is missing this document" in err) == (0, True)
    assert "missing entity" in out
    assert main("errors", KEY, tmp_path / "less.conll", "--strict")[:2] == (1, "")


def test_each_section_is_below_a_heading_of_the_page():
    """The page has the errors themselves in the text."""
    below = [section for sections in _HEADINGS.values() for section in sections]
    lists_all = sorted([*below, "errors"]) == sorted(SECTIONS)
    assert lists_all, "scorer/analysis/page.py: put each section below one of _HEADINGS"
