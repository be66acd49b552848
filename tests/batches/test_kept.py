"""Rows that a batch keeps: which are taken over, and what becomes of a damaged file."""

import errno
import json
import shutil
from pathlib import Path

import pytest

from scorer.batches import rows as kept_module
from scorer.batches import rows as rows_module

FIXTURES = Path(__file__).parents[2] / "fixtures" / "documentation"


@pytest.fixture
def run(tmp_path, monkeypatch, main):
    """Runs a batch of two rows in a folder, and returns the end of its summary and its table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept_module, "__version__", "0.1.0")
    for name in ("key.conll", "response.conll", "repeats.conll"):
        shutil.copy(FIXTURES / name, name)
    Path("m.csv").write_text(
        "system,key,response\na,key.conll,response.conll\nb,key.conll,repeats.conll\n"
    )

    def run(*options):
        status, out, err = main("batch", "m.csv", "--keep", "kept.jsonl", "-f", "csv", *options)
        assert status == 0
        *notes, summary = err.splitlines()
        return [*notes, summary.partition(": 2 rows: ")[2].partition(", 0 failed")[0]], out

    return run


SCORED, TAKEN, ONE_OF_EACH = ["2 scored"], ["0 scored, 2 taken over"], ["1 scored, 1 taken over"]


def test_rows_that_are_kept_have_the_same_figures(run):
    first, table = run()
    assert (first, run()) == (SCORED, (TAKEN, table))
    lines = [json.loads(line) for line in Path("kept.jsonl").read_text().splitlines()]
    assert [[path for path, _ in line["inputs"]] for line in lines] == [
        ["key.conll", "response.conll"],
        ["key.conll", "repeats.conll"],
    ]
    # A longer manifest costs its new rows alone.
    Path("m.csv").write_text(Path("m.csv").read_text().replace("b,key", "c,key"))
    assert run()[0] == TAKEN


@pytest.mark.parametrize(
    "options",
    [
        ["--metrics", "muc"],
        ["--singletons", "drop"],
        ["--documents", "letters"],
        ["--key-format", "conll2012"],
        ["--response-format", "conll2012"],
    ],
    ids=str,
)
def test_rows_with_other_settings_are_scored(run, options):
    run()
    assert run(*options)[0] == SCORED
    assert (run(*options)[0], run()[0]) == (TAKEN, TAKEN)


@pytest.mark.parametrize(("name", "found"), [("key", SCORED), ("repeats", ONE_OF_EACH)])
def test_rows_whose_files_have_changed_are_scored(run, name, found):
    run()
    path = Path(f"{name}.conll")
    path.write_text(path.read_text() + "\n")
    assert run()[0] == found


@pytest.mark.parametrize(("version", "found"), [("0.2.0", SCORED), ("0.2.0.dev3", SCORED)])
def test_rows_of_another_version_are_scored(run, monkeypatch, version, found):
    run()
    monkeypatch.setattr(kept_module, "__version__", version)
    assert run()[0] == found


@pytest.mark.parametrize(("version", "found"), [("0.2.0", TAKEN), ("0.2.0.dev3", SCORED)])
def test_rows_of_a_development_version_are_never_taken_over(run, monkeypatch, version, found):
    monkeypatch.setattr(kept_module, "__version__", version)
    assert (run()[0], run()[0]) == (SCORED, found)


DAMAGED = "note: kept.jsonl: 1 damaged line ignored, as of a run that was interrupted"


@pytest.mark.parametrize("length", [5, 300, -1])
def test_a_half_written_line_is_ignored_with_a_note(run, length):
    table = run()[1]
    first, second, _ = Path("kept.jsonl").read_bytes().split(b"\n")
    Path("kept.jsonl").write_bytes(first + b"\n" + second[:length])
    assert run() == ([DAMAGED, *ONE_OF_EACH], table)
    # The row that was scored again has a line of its own.
    assert run() == ([DAMAGED, *TAKEN], table)


def test_the_only_line_may_be_half_written(run):
    Path("kept.jsonl").write_bytes(kept_module.START[:4])
    assert (run()[0], run()[0]) == ([DAMAGED, *SCORED], [DAMAGED, *TAKEN])


def test_counts_that_do_not_fit_are_not_believed(run):
    run()
    text = Path("kept.jsonl").read_text()
    Path("kept.jsonl").write_text(text.replace('"totals":{"muc":[', '"totals":{"muc":["', 1))
    assert run()[0] == [DAMAGED, *ONE_OF_EACH]
    Path("kept.jsonl").write_text(text.replace('"totals":{"muc":[', '"totals":{"muc":[1,', 1))
    assert run()[0] == ONE_OF_EACH


def test_a_file_that_changes_while_it_is_scored_is_not_kept(run, monkeypatch):
    content = rows_module.content_of
    monkeypatch.setattr(rows_module, "content_of", lambda path: content(path) + path)
    run()
    monkeypatch.setattr(rows_module._Scoring, "__call__", _score_of_changed)
    Path("kept.jsonl").unlink()
    assert (run()[0], Path("kept.jsonl").read_bytes()) == (SCORED, b"")


SCORE = rows_module._Scoring.__call__


def _score_of_changed(scoring, task):
    record, _ = SCORE(scoring, task)
    return record, ("other", "files")


def test_what_another_package_counts_is_not_kept(run, monkeypatch):
    """Nothing says when it changes."""
    monkeypatch.setattr(kept_module.formats, "is_own", lambda name: name != "conll2012")
    assert (run()[0], Path("kept.jsonl").read_bytes()) == (SCORED, b"")


def test_a_file_that_cannot_be_written_costs_no_figure(run, monkeypatch):
    def full(path, mode):
        if mode == "ab":
            raise OSError(errno.ENOSPC, "No space left on device")
        return open(path, mode)

    table = run()[1]
    Path("kept.jsonl").unlink()
    monkeypatch.setattr(kept_module, "open", full, raising=False)
    note = "note: kept.jsonl: not all rows could be kept: No space left on device"
    assert run() == ([note, *SCORED], table)
