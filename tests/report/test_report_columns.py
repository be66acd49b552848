"""Columns, from which every output format of a table derives."""

import json

import pytest

import scorer
from pages import Tables
from scorer.count.counts import Ratios
from scorer.report.columns import Cell, Column, Table, metric_columns
from scorer.report.forms import content
from scorer.report.report import Report

ROWS = [
    {"system": "a", "f1": 0.5, "low": 0.25, "high": 0.75, "correct": 1, "key": 3},
    {"system": "b", "f1": None, "low": None, "high": None, "correct": 1.5, "key": 2},
]
COLUMNS = [
    Column(name="system", heading="system", role="head"),
    Column(name="f1", kind="ratio", heading="F1", title="MUC F1", role="main"),
    Column(
        name="f1",
        value=lambda row: (row["low"], row["high"]),
        kind="interval",
        heading="interval",
    ),
    Column(value=lambda row: (row["correct"], row["key"]), kind="share", heading="found"),
]


def shown(output_format, table=None, **more):
    table = table or Table(COLUMNS, ROWS, section="systems")
    report = Report(output_format=output_format, title="T", sections=[table], **more)
    return content(report).decode()


def test_values_are_kept_in_data_and_written_for_readers():
    assert shown("csv") == (
        "section,system,f1,f1_low,f1_high\nsystems,a,0.5,0.25,0.75\nsystems,b,,,\n"
    )
    assert (
        shown("jsonl").splitlines()[1]
        == '{"section": "systems", "system": "b", "f1": null, "f1_low": null, "f1_high": null}'
    )
    lines = [line.split() for line in shown("table").splitlines() if line]
    assert lines[0] == ["system", "F1", "interval", "found"]
    assert lines[2:] == [["a", "50.00", "[25.00,", "75.00]", "1", "/", "3"], ["b", "1.5", "/", "2"]]
    assert "a & 50.00 & [25.00, 75.00] & 1 / 3" in " ".join(shown("latex").split())
    assert "MUC F1" in shown("latex")
    assert "MUC F1" not in shown("markdown")
    [[headings, first, _]] = Tables(shown("html")).found.values()
    assert headings == ["system", "MUC F1", "interval", "found"]
    assert first == ["a", "50.00", "[25.00, 75.00]", "1 / 3"]


def test_a_data_frame_has_the_types_of_the_kinds():
    columns = [
        Column(name="system"),
        Column(name="f1", kind="ratio"),
        Column(name="rank", kind="whole"),
        Column(name="best", kind="flag"),
    ]
    rows = [{"system": "a\udcff", "f1": None, "rank": 1, "best": True}, {"system": "b"}]
    frame = Table(columns, rows).to_frame()
    assert [str(dtype) for dtype in frame.dtypes[1:]] == ["float64", "Int64", "boolean"]
    assert frame.system.tolist() == ["a\\udcff", "b"]
    assert frame["rank"].isna().tolist() == [False, True]


def test_repeated_values_of_the_first_column_are_merged_in_text():
    """By the value and not by the text, as a document and a group may have one name."""
    columns = [
        Column(value=lambda row: row["kind"], heading="of", role="head", cell=lambda _: Cell("x")),
        Column(name="f1", kind="ratio", heading="F1"),
    ]
    rows = [{"kind": kind, "f1": 0.5} for kind in ("document", "document", "group")]
    table = Table(columns, rows, merged=True)
    assert [row[0].text for row in table.merged_cells()] == ["x", "", "x"]
    assert [row[0].text for row in table.cells()] == ["x", "x", "x"]


def test_a_narrow_terminal_leaves_out_spare_columns_first():
    columns = [
        Column(name="name", heading="name", role="head"),
        Column(name="first", kind="whole", heading="first", spare=2),
        Column(name="second", kind="whole", heading="second", spare=1),
        Column(name="third", kind="whole", heading="third"),
    ]
    table = Table(columns, [{"name": "a", "first": 1, "second": 2, "third": 3}])
    fitted, missing = table.fitted(24)
    assert missing == ["second"]
    assert [column.heading for column in fitted.headed] == ["name", "first", "third"]
    assert table.fitted(23)[1] == ["first", "second"]
    # One column of figures stays in any case.
    assert table.fitted(1)[1] == ["first", "second"]


def test_columns_of_metrics():
    row = {"muc": Ratios(0.5, 1.0), "conll": Ratios(None, None, 0.25)}
    table = Table(metric_columns(["muc", "lea", "conll"]), [row])
    [cells] = table.cells()
    assert [cell.text for cell in cells] == ["50.00", "100.00", "66.67", "", "", "", "25.00"]
    roles = ["recall", "precision", "f1"]
    assert [column.role for column in table.headed] == [*roles, *roles, "number"]
    assert table.headed[-1].title == "CoNLL"


@pytest.mark.parametrize("group", ["p", "letters", "best", "rank", "system", "muc recall"])
def test_sorting_does_not_depend_on_what_a_group_is_called(group):
    """Groups are columns of the leaderboard's page; all are figures, whatever their names."""
    documents = {f"{group}/1": [["a", "b"]], "other/1": [["a", "b"]]}
    board = scorer.leaderboard(documents, {"one": documents}, metrics="muc")
    text = board.text("html", group_by="^(.*)/")
    table = text[text.index("in each group of documents</span></caption>") :]
    heads = table[: table.index("</thead>")].split("<th ")[1:]
    found = {head[head.index("<bdi>") + 5 : head.index("</bdi>")]: head for head in heads}
    assert 'data-kind="number"' in found[group]
    assert found[group].split("<bdi>")[0] == found["other"].split("<bdi>")[0]


def test_a_long_name_does_not_widen_tables_and_stays_in_data(main, tmp_path):
    name = "a" * 10_000 + "b" * 10_000
    path = tmp_path / "long.jsonl"
    lines = [{"doc_key": each, "clusters": [[[0, 0], [1, 1]]]} for each in (name, "d")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for form in ("table", "markdown"):
        _, out, _ = main("score", path, path, "--per-document", "--format", form)
        assert f"{'a' * 150}…{'b' * 150}" in out
        assert max(map(len, out.splitlines())) < 600
    for form in ("csv", "json"):
        assert name in main("score", path, path, "--per-document", "--format", form)[1]
