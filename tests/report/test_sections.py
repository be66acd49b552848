"""Sections of results: the same records in every format, alone and together."""

import csv
import io
import json
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import pytest

import scorer
from scorer.report.forms import COMPUTED, text, unguarded

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
HALF, WHOLE = {"a": [["x", "y"]]}, {"a": [["x", "y"]], "b": [["x", "y"]]}
"""Of two documents of one cluster: a response with the first alone, and the key."""


def manifest(folder):
    """A manifest of two systems in two corpora."""
    key, response = (FIXTURES / f"example.{side}.conll" for side in ("key", "response"))
    story, told = (FIXTURES / f"documentation/story.{side}.conll" for side in ("key", "response"))
    rows = [
        "corpus,system,key,response",
        f"letters,ours,{key},{response}",
        f"letters,theirs,{key},{key}",
        f"story,ours,{story},{told}",
        f"story,theirs,{story},{told}",
    ]
    path = folder / "corpora.csv"
    path.write_text("\n".join(rows))
    return path


@pytest.fixture(scope="module")
def every_result(tmp_path_factory):
    """Results of each kind, which have all sections together, and the options of their reports."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import reference
    finally:
        sys.path.remove(str(ROOT / "docs"))
    corpora = manifest(tmp_path_factory.mktemp("corpora"))
    runs = {"a-1": WHOLE, "a-2": HALF, "b-1": HALF, "b-2": HALF}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            *reference.every_result(),
            ("compare", scorer.compare(manifest=corpora, trials=100), {}),
            ("compare", scorer.compare(WHOLE, runs, runs=r"-\d$", trials=100), {}),
            ("leaderboard", scorer.leaderboard(manifest=corpora, trials=100), {}),
            ("leaderboard", scorer.leaderboard(WHOLE, runs, runs=r"-\d$", trials=100), {}),
            (
                "leaderboard",
                scorer.leaderboard(WHOLE, {"half": HALF, "none": "/none.conll"}, trials=100),
                {},
            ),
        ]


def read_jsonl(content):
    """The records of each section of JSON Lines."""
    sections = defaultdict(list)
    for line in content.splitlines():
        record = json.loads(line)
        sections[record.pop("section")].append(record)
    return sections


def read_separated(content, delimiter):
    """The records of each section of csv or tsv."""
    sections = defaultdict(list)
    for record in csv.DictReader(io.StringIO(content), delimiter=delimiter):
        section = record.pop("section")
        sections[section].append({name: unguarded(value) for name, value in record.items()})
    return sections


def as_cells(record, fields=None):
    """A record as csv has it; with all fields if some are given."""
    cells = dict.fromkeys(fields or record, "")
    for name, value in record.items():
        cells[name] = "" if value is None else str(value)
    return cells


def test_every_format_has_the_same_records(every_result):
    """`csv` and `tsv` have those of tables, `json` and `jsonl` all, and frames each by itself."""
    for command, result, options in every_result:
        tables = {table.section: table for table in result.report("json", **options).data}
        lines = read_jsonl(result.text("jsonl", **options))
        tree = json.loads(result.text("json", **options))
        assert {*lines} - {"note", "signature"} <= {*tables}
        for form, delimiter in (("csv", ","), ("tsv", "\t")):
            content = result.text(form, **options)
            fields = content.splitlines()[0].split(delimiter)[1:]
            separated = read_separated(content, delimiter)
            for section, table in tables.items():
                rows = [as_cells(record, fields) for record in lines[section]]
                assert separated[section] == ([] if table.is_extra else rows), (command, section)
            assert [row["note"] for row in separated["note"]] == [
                row["note"] for row in lines["note"]
            ]
        for section, table in tables.items():
            assert all([*record] == table.names for record in lines[section])
            if command != "score":
                # The JSON of score is nested, as it was before there were sections.
                assert tree[section] == lines[section]
            # Unless another average is asked for, a frame of score has both.
            average = {"average": "micro"} if command == "score" else {}
            frame = result.to_frame(section, **average, **options)
            assert [*frame] == table.names
            assert len(frame) == len(lines[section])
            for name, values in frame.items():
                expected = [record[name] for record in lines[section]]
                assert values.astype(object).where(values.notna(), None).tolist() == expected


def test_one_section_is_a_dense_table(every_result):
    for _, result, options in every_result:
        lines = read_jsonl(result.text("jsonl", **options))
        tables = result.report("json", **options).data
        for table in tables:
            content = result.to_csv(table.section, **options)
            assert content.splitlines()[0] == ",".join(["section", *table.names])
            records = [as_cells(record) for record in lines[table.section]]
            assert read_separated(content, ",") == ({table.section: records} if records else {})


def test_several_sections_are_those_that_are_asked_for(every_result):
    for _, result, options in every_result:
        lines = read_jsonl(result.text("jsonl", **options))
        names = [table.section for table in result.report("json", **options).data][-2:]
        wanted = {name: lines[name] for name in names}
        alone = {form: text(result.report(form, **options).chosen(names)) for form in COMPUTED}
        assert json.loads(alone["json"]) == wanted
        assert read_jsonl(alone["jsonl"]) == {name: rows for name, rows in wanted.items() if rows}
        for form, delimiter in (("csv", ","), ("tsv", "\t")):
            fields = alone[form].splitlines()[0].split(delimiter)[1:]
            found = read_separated(alone[form], delimiter)
            for name, rows in wanted.items():
                assert found[name] == [as_cells(row, fields) for row in rows]


def test_a_field_of_several_sections_means_the_same_in_each(every_result):
    """Csv has all in one column."""
    kinds = defaultdict(set)
    for command, result, options in every_result:
        for table in result.report("json", **options).data:
            for column in table.named:
                for field in column.fields:
                    kinds[command, field].add(column.kind)
    assert {field: found for field, found in kinds.items() if len(found) > 1} == {}


NUMBERS = {"ratio", "interval", "difference", "differences", "count", "share", "chance"}
TYPES = {"whole": int, "flag": bool} | dict.fromkeys(NUMBERS, (int, float))


def test_values_are_of_the_kind_of_their_column(every_result):
    wrong = set()
    for command, result, options in every_result:
        for table in result.report("json", **options).data:
            for column in table.named:
                wanted = TYPES.get(column.kind, str)
                values = [value for row in table.rows for value in column.values_of(row)]
                if not all(isinstance(value, wanted) for value in values if value is not None):
                    wrong.add((command, table.section, column.name))
    assert wrong == set()


def test_no_section_has_a_field_that_all_records_have(every_result):
    for _, result, options in every_result:
        for table in result.report("json", **options).data:
            assert not {"section", "note", "text"} & {*table.names}
            assert len({*table.names}) == len(table.names)


def test_a_wrong_option_of_a_report_is_refused_with_those_known(every_result):
    for _, result, options in every_result:
        for make in (result.text, result.to_dict, result.to_frame, result.to_csv, result.to_html):
            with pytest.raises(TypeError, match="the report has no option 'colour'; it"):
                make(colour=1)
        for name in options:
            with pytest.raises(TypeError, match=f"its options are: .*{name}"):
                result.report("csv", colour=1)


def test_figures_of_a_leaderboard():
    """The key has a link in each of two documents, of which one response has one."""
    board = scorer.leaderboard(WHOLE, {"half": HALF, "whole": WHOLE}, metrics="muc", trials=100)
    columns = ["rank", "system", "metric", "recall", "precision", "f1"]
    assert board.to_frame()[columns].to_numpy().tolist() == [
        [1, "whole", "muc", 1, 1, 1],
        [2, "half", "muc", 1 / 2, 1, 2 / 3],
    ]
    found = board.to_frame("systems")[["system", "mentions_found", "mentions_key", "missing"]]
    assert found.to_numpy().tolist() == [["whole", 4, 4, 0], ["half", 2, 4, 1]]
    assert board.to_frame("missing").to_numpy().tolist() == [["half", "b"]]
    [pair] = board.to_dict()["pairs"]
    assert (pair["first"], pair["second"]) == ("whole", "half")
    assert pair["difference"] == pytest.approx(1 / 3)


PAIR = tuple(FIXTURES / f"example.{side}.conll" for side in ("key", "response"))
SPANS = tuple(FIXTURES / f"spans/{side}.jsonl" for side in ("key", "response"))
COMMANDS = {
    "score": ("score", *PAIR, "--per-document"),
    "compare": ("compare", PAIR[0], *PAIR, "--trials", "100"),
    "leaderboard": ("leaderboard", PAIR[0], *PAIR, "--trials", "100"),
    "batch": ("batch", FIXTURES / "documentation/manifest.csv"),
    "errors": ("errors", *PAIR, "--trials", "100"),
    "spans": ("spans", *SPANS, "--show", "scores,spans"),
    "muc7": ("muc7", *SPANS),
    "agreement": ("agreement", *PAIR, "--per-document"),
}
ALONE = {
    "score": "documents",
    "compare": "differences",
    "leaderboard": "pairs",
    "batch": "rows",
    "errors": "links",
    "spans": "spans",
    "muc7": "slots",
    "agreement": "different_entities",
}
"""A section of each result, of leaderboards one that csv has only if it is asked for."""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_writes_one_section(command, main, tmp_path):
    section = ALONE[command]
    every = read_jsonl(main(*COMMANDS[command], "--format", "jsonl")[1])[section]
    assert every
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        _, out, _ = main(*COMMANDS[command], "--format", form, "--section", section)
        assert read_separated(out, delimiter) == {section: [as_cells(row) for row in every]}
    _, out, _ = main(*COMMANDS[command], "--format", "jsonl", "--section", section)
    assert read_jsonl(out) == {section: every}
    _, out, _ = main(*COMMANDS[command], "--format", "json", "--section", section)
    assert json.loads(out) == {section: every}
    path = tmp_path / "out.parquet"
    status, out, err = main(*COMMANDS[command], "--section", section, "--output", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not path.exists()
    for form, wrong in (("table", section), ("csv", section[:-1])):
        status, out, err = main(*COMMANDS[command], "--format", form, "--section", wrong)
        assert (status, out) == (2, "")
        assert "section" in err.splitlines()[-1]
