"""The reports: what they show, and that names from strangers do no harm."""

import csv
import io
import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from pages import BY, batch_table, board_of, matrix_table
from scorer.evaluation.report import COLUMNS, Layout
from scorer.evaluation.report import signature_line as line
from scorer.report import forms
from scorer.report.columns import Column, Table
from scorer.report.forms import guarded, unguarded
from scorer.report.report import Report

FIXTURES = Path(__file__).parents[2] / "fixtures"
# The published cases 1 and 2: the figures are those of the issue.
ONE = [["a"], ["b", "c"], ["d", "e", "f"]]
TWO = [["a"], ["d", "e"]]
LAYOUT = Layout(per_document=True, average="both", group_by=r"^(\w+)/")


@pytest.fixture(scope="module")
def evaluation():
    key = {"bc/1": ONE, "nw/2": ONE}
    return scorer.score(
        key, {"bc/1": ONE, "nw/2": TWO}, metrics="muc,blanc,conll", singletons="drop-response"
    )


def test_forms():
    text = ["csv", "html", "json", "jsonl", "latex", "markdown", "table", "tsv"]
    assert forms.names() == text
    assert forms.names("parquet") == sorted([*text, "parquet"])
    assert forms.names("perl") == sorted([*text, "perl"])
    with pytest.raises(
        ValueError, match=r"^output_format: '_table' is not .*; did you mean 'table'\?$"
    ):
        scorer.compare({"1": ONE, "2": ONE}, {"a": {"1": ONE}}, trials=9).text("_table")
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scorer.score(ONE, TWO).text("xml")
    assert (
        str(caught.value) == f"output_format: 'xml' is not one of {', '.join(forms.names('perl'))}"
    )


@pytest.mark.filterwarnings("ignore::scorer.ScorerWarning")
def test_every_value_has_its_column():
    """In a report of each kind of result, with something removed, failures and notes in them."""
    removed = scorer.score({"bc/1": ONE}, {"bc/1": TWO}, singletons="drop-response")
    compared = scorer.compare({"1": ONE, "2": ONE}, {"a": {"1": TWO}, "b": {"2": ONE}}, trials=9)
    reports = [
        removed.report("csv", LAYOUT),
        compared.report("csv"),
        board_of().report("csv", group_by=BY),
    ]
    for make, shape in product((batch_table, matrix_table), (None, "wide")):
        table = make()
        table.shape = shape
        reports.append(table.report("csv"))
    for report in reports:
        records = list(report.records())
        assert records
        assert {field for record in records for field in record} <= set(report.fields)
        assert len({*report.fields}) == len(report.fields)
        for table in report.tables:
            assert table.rows
            assert {len(row) for row in table.cells()} == {len(table.headed)}
            assert {column.alignment for column in table.headed} == {"left", "right"}


def test_table_with_all(evaluation):
    lines = forms.text(evaluation.report("table", LAYOUT)).splitlines()
    starts = [text.split()[0] for text in lines[2:-4] if not text.startswith(" ")]
    assert lines[0].split()[0] == "document"
    assert starts == ["bc/1", "nw/2", "bc", "nw", "micro-average", "macro-average"]
    assert lines[-2] == "singletons removed from the response: 2 mentions, 2 clusters, 0 documents"
    assert lines[-1].startswith("signature: conll-scorer ")
    # Case 1 has 1, 1, 1 and case 2 has 1/3, 1, 1/2.
    assert lines[-6].split() == ["macro-average", "muc", "66.67", "100.00", "75.00"]


@pytest.mark.parametrize(("report", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values(report, delimiter, evaluation):
    rows = list(
        csv.reader(io.StringIO(forms.text(evaluation.report(report, LAYOUT))), delimiter=delimiter)
    )
    assert rows[0][:10] == ["section", *Table(COLUMNS[1:], ()).names]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[0] for row in rows[1:]] == [
        *["documents"] * 10, *["groups"] * 10, *["totals"] * 8, "note", "signature",
    ]  # fmt: skip
    muc = ["documents", "nw/2", "muc", "0.3333333333333333", "1.0", "0.5", "1", "3", "1", "1"]
    assert rows[6][:10] == muc
    assert rows[10][:6] == ["documents", "nw/2", "conll", "", "", rows[10][5]]
    assert rows[-1][-1] == line(evaluation, LAYOUT.signed(report))


def test_json(evaluation):
    found = json.loads(forms.text(evaluation.report("json", LAYOUT)))
    assert list(found) == [
        "documents",
        "groups",
        "totals",
        "macro",
        "removed",
        "signature",
    ]
    assert found["documents"][1]["metrics"]["muc"] == {
        "recall": 1 / 3, "precision": 1.0, "f1": 0.5,
        "recall_numerator": 1, "recall_denominator": 3, "precision_numerator": 1, "precision_denominator": 1,
    }  # fmt: skip
    assert [group["name"] for group in found["groups"]] == ["bc", "nw"]
    assert found["macro"]["muc"]["f1"] == 0.75
    assert found["removed"] == [
        {"filter": "singletons", "side": "response", "mentions": 2, "clusters": 2, "documents": 0}
    ]
    for average, shown in (("micro", "totals"), ("macro", "macro")):
        tree = json.loads(evaluation.text("json", average=average))
        assert list(tree) == [shown, "removed", "signature"]


NASTY = "<script>alert(1)</script> a_b&c|d `x` $%#{}~^\\ \x1b[2J \n\udcff"


@pytest.fixture(scope="module")
def nasty():
    return scorer.score({NASTY: ONE}, {NASTY: TWO}, metrics="muc")


SHOWN = "<script>alert(1)</script> a_b&c|d `x` $%#{}~^\\ \\x1b[2J \\n\\udcff"


def test_latex_escapes_names(nasty):
    text = nasty.text("latex", per_document=True)
    (row,) = (text for text in text.splitlines() if "script" in text)
    name = row.split(" & MUC")[0].strip()
    assert name == (
        r"\ensuremath{<}script\ensuremath{>}alert(1)\ensuremath{<}/script\ensuremath{>} "
        r"a\_b\&c|d `x` "
        r"\$\%\#\{\}\textasciitilde{}\^{}\textbackslash{} \textbackslash{}x1b[2J "
        r"\textbackslash{}n\textbackslash{}udcff"
    )
    assert all(line.startswith("%") for line in text.split("\\end{tabular}\n")[-1].splitlines())


def test_latex_writes_metrics_as_papers_do():
    """But no system that is called like a metric."""
    key = FIXTURES / "example.key.conll"
    named = {"bcub": FIXTURES / "example.response.conll", "ceafe": key}
    written = ["MUC", "B$^3$", "CEAF$_m$", "CEAF$_e$", "BLANC", "LEA", "Mentions", "CoNLL"]
    pair = scorer.score(key, named["bcub"]).text("latex", average="both")
    totals = pair[pair.index("micro-average") :]
    assert [line.split("&")[1].strip() for line in totals.splitlines()[:8]] == written
    compared = scorer.compare(key, named, trials=10).text("latex")
    metrics, _, *rows = (line for line in compared.splitlines() if line.endswith(r"\\"))
    groups = [rf"\multicolumn{{3}}{{c}}{{{name}}}" for name in ("MUC", "B$^3$", "CEAF$_e$")]
    assert metrics == f" & {' & '.join(groups)} & CoNLL \\\\"
    assert [row.split(" & ")[0] for row in rows] == ["bcub", "ceafe"]


def test_latex_writes_a_minus_and_no_hyphen():
    """The second system finds all, the first one half of the links of each document: the figures
    are those of the table."""
    key = {f"nw{number}": [["a", "b", "c"]] for number in range(8)}
    half = {name: [["a", "b"]] for name in key}
    compared = scorer.compare(key, {"2020-01": half, "x-1": key}, trials=10, metrics="muc")
    [table], [latex] = (
        [
            line
            for line in compared.text(form, group_by="nw").splitlines()
            if "nw" in line and "33.33" in line
        ]
        for form in ("table", "latex")
    )
    expected = ["muc", "nw", "2020-01", "x-1", "8", "-33.33", "[-33.33,", "-33.33]"]
    assert table.split()[:8] == expected
    cells = [cell.strip() for cell in latex.split("&")]
    expected = ["MUC", "nw", "2020-01", "x-1", "8", "$-$33.33", "[$-$33.33, $-$33.33]"]
    assert cells[:7] == expected


def test_markdown_escapes_names(nasty):
    text = nasty.text("markdown", per_document=True)
    (row,) = (text for text in text.splitlines() if "script" in text)
    assert row.startswith(
        r"| \<script\>alert\(1\)\</script\> a\_b\&c\|d \`x\` \$%\#\{\}\~\^\\ \\x1b\[2J "
        r"\\n\\udcff | muc "
    )
    assert row.replace("\\|", "").count("|") == 8


def test_table_holds_no_control_characters(nasty):
    text = nasty.text("table", per_document=True)
    assert SHOWN in text
    assert all(line.isprintable() for line in text.splitlines())


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("a;=1+1", '"a;=1+1"'),
        ('a"b', '"a""b"'),
        ("a\t=1", r"a\t=1"),
        ("a\x1b[2J\x9b", r"a\x1b[2J\x9b"),
        ("a\u202egpj.exe\u2066\u200f", r"a\u202egpj.exe\u2066\u200f"),
        ("＝1+1", "'＝1+1"),
        ("＠SUM(1;2)", '"\'＠SUM(1;2)"'),
    ],
)
def test_no_cell_shows_control_characters_or_ends_within_a_name(name, cell):
    records = [{"name": name, "count": 1}]
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        columns = [Column(name="name"), Column(name="count")]
        table = Table(columns, records, section="names")
        shown = Report(output_format=form, title="", sections=[table])
        expected = f"names{delimiter}{cell}{delimiter}1"
        assert forms.text(shown).splitlines()[1] == expected


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1+1", "''-x", "=\udcff", "＝1", "'－1"]
PLAIN = ["'tis", "a=1", "1-1", "'", "''", "größe", " =1", "", "a;b"]


@pytest.mark.parametrize("report", ["csv", "tsv"])
@pytest.mark.parametrize("name", FORMULAS + PLAIN)
def test_no_spreadsheet_runs_a_name(report, name):
    evaluation = scorer.score({name: ONE}, {name: TWO}, metrics="muc")
    text = evaluation.text(report, per_document=True)
    assert text.encode().decode() == text
    rows = list(
        csv.reader(io.StringIO(text, newline=""), delimiter="," if report == "csv" else "\t")
    )
    cells = [cell for row in rows for cell in row]
    # Figures are no text: those that are negative stay numbers.
    assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r\n") - {""}]
    shown = name.replace("\udcff", "\\udcff")
    assert rows[1][1] == (f"'{shown}" if name in FORMULAS else name)
    assert unguarded(rows[1][1]) == shown


def test_frames_hold_names_that_are_no_utf8_escaped():
    name = "=\udcff\ud800"
    key = {name: ONE, "b": ONE}
    responses = {name: {name: TWO, "b": ONE}, "b": {name: ONE}}
    compared = scorer.compare(key, responses, metrics="muc", trials=10)
    columns = [
        scorer.score(key, responses[name], metrics="muc").to_frame().name,
        scorer.leaderboard(key, responses, metrics="muc").to_frame().system,
        compared.to_frame("scores").system,
        compared.to_frame()["first"],
    ]
    assert all("=\\udcff\\ud800" in set(column) for column in columns)


@given(st.text(alphabet="'=+-@ab\t\n", max_size=6))
def test_a_guarded_cell_is_read_as_it_was(text):
    assert unguarded(guarded(text)) == text
    assert guarded(text)[:1] not in set("=+-@\t\r\n")


@pytest.mark.parametrize("report", ["json", "jsonl"])
def test_json_keeps_names(report, nasty):
    text = nasty.text(report, per_document=True)
    text.encode()
    found = json.loads(text if report == "json" else text.splitlines()[0])
    assert (found["documents"][0] if report == "json" else found)["name"] == NASTY


@pytest.mark.parametrize("show", ["score", "compare", "leaderboard"])
def test_ratios_are_for_latex_and_known(show, tmp_path):
    key = {"a": [["x", "y"]], "b": [["x", "y"]]}
    if show == "score":
        result = scorer.score(key, key, metrics="muc")
    elif show == "compare":
        result = scorer.compare(key, {"s": key, "t": key}, metrics="muc", trials=10)
    else:
        result = scorer.leaderboard(key, {"s": key, "t": key}, metrics="muc", trials=10)
    with pytest.raises(ValueError, match=r"^ratios: 'f1' is for the format latex; leave it out"):
        result.save(tmp_path / "y.csv", ratios="f1")
    assert not (tmp_path / "y.csv").exists()
    with pytest.raises(ValueError, match=r"^ratios: 'zz' is not one of all, f1"):
        result.to_latex(ratios="zz")
    assert "tabular" in result.to_latex(ratios="f1")


def test_a_metric_is_named_by_text():
    evaluation = scorer.score([["a", "b"]], [["a", "b"]], metrics="muc")
    for read in (evaluation.ratios, evaluation.documents[0].ratios, evaluation.macro):
        with pytest.raises(TypeError, match=r"^0 is not the name of a metric$"):
            read(0)
