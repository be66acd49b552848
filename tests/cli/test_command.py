"""What the command does for whoever types it: what was meant, where a report goes, which warnings
are shown, what fits."""

import ast
import hashlib
import re
import sys
from pathlib import Path

import pytest

import conll_scorer
import scorer
from conll import open_documents, write_documents
from conll.errors import KINDS, Problem, did_you_mean
from scorer.cli import console
from terminal import on_a_terminal

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = str(FIXTURES / "example.key.conll"), str(FIXTURES / "example.response.conll")


# What was meant


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        (["score", KEY, RESPONSE, "--metrcs", "muc"], "--metrics"),
        (["batch", "m.csv", "--over-corpra"], "--over-corpora"),
        (["compare", KEY, RESPONSE, "--trails=5"], "--trials"),
        (["score", KEY, RESPONSE, "--format", "jason"], "json"),
        (["score", KEY, RESPONSE, "--preset", "conl12"], "conll12"),
        (["scroe", KEY, RESPONSE], "score"),
        (["mcu", KEY, RESPONSE], "muc"),
        (["help", "shwo"], "show"),
        (["score", KEY, RESPONSE, "--key-format", "jsonll"], "jsonl' or 'json"),
        (["score", KEY, RESPONSE, "--metrics", "muc,bcubb"], "bcub"),
        (["leaderboard", KEY, RESPONSE, "--sort", "colln", "-m", "muc,conll"], "conll"),
        (["show", KEY, "--document", "(example/leter); part 000"], "(example/letter); part 000"),
        (["show", KEY, "--cluster", "00"], "0"),
    ],
)
def test_one_line_names_the_nearest_word(arguments, question, main):
    status, out, err = main(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("scorer")
    assert f"; did you mean '{question}'" in err


def test_what_is_like_nothing_is_answered_with_all_there_are(main):
    assert did_you_mean("xyz", ["muc", "bcub"]) == ""
    _, _, err = main("score", KEY, RESPONSE, "--format", "xyz")
    assert err.endswith(
        "'xyz' is not one of csv, html, json, jsonl, latex, markdown, perl, table, tsv\n"
    )
    assert main("score", KEY, RESPONSE, "third")[2].endswith(
        "third; several responses are for `scorer compare` and `scorer leaderboard`\n"
    )


def test_presets_and_formats_ignore_case(main, tmp_path):
    """As metrics do. A signature has the names themselves."""
    story = str(FIXTURES / "formats" / "story.corefud.conllu")
    lower = ["--preset", "crac25", "--key-format", "corefud", "--format", "csv", "--metrics", "muc"]
    upper = [word if word.startswith("--") else word.upper() for word in lower]
    plain = main("score", story, story, *lower)
    assert plain[0] == 0
    assert main("score", story, story, *upper) == plain
    jsonl = main("convert", KEY, "-", "--from", "conll2012", "--to", "jsonl")
    assert main("convert", KEY, "-", "--from", "CoNLL2012", "--to", "JSONL") == jsonl
    assert open_documents(KEY, "CONLL2012").format == "conll2012"
    assert scorer.score(KEY, RESPONSE, key_format="ConLL2012").text("CSV").startswith("section,")
    write_documents(open_documents(KEY), tmp_path / "k", "JsonL")
    assert open_documents(tmp_path / "k").format == "jsonl"
    assert main("show", KEY, "--format", "HTML")[1].startswith("<!doctype html>")


@pytest.mark.parametrize("command", ["score", "compare", "leaderboard"])
def test_corefud_without_a_preset_is_noted_once(command, main, tmp_path):
    story = FIXTURES / "formats" / "story.corefud.conllu"
    other = tmp_path / "other.conllu"
    other.write_text(story.read_text("utf-8").replace("smiled", "laughed"), "utf-8")
    called = [command, story, *([other] if command == "score" else [other, story])]
    note = "note: CorefUD files are scored without a preset; CRAC figures: --preset crac25\n"
    assert main(*called)[2].count(note) == 1
    for chosen in (["--preset", "conll12"], ["--like", "corefud-1.2"], ["--quiet"]):
        assert note not in main(*called, *chosen)[2]
    assert note not in main(command, KEY, RESPONSE)[2]
    assert note not in main(command, story, FIXTURES / "formats" / "story.clusters.json")[2]


# Where a report goes

SUFFIXES = {
    "csv": "csv", "htm": "html", "html": "html", "json": "json", "jsonl": "jsonl", "md": "markdown", "markdown": "markdown",
    "tex": "latex", "tsv": "tsv", "TSV": "tsv", "txt": "table",
}  # fmt: skip


@pytest.mark.parametrize(("suffix", "form"), SUFFIXES.items())
def test_the_name_of_a_file_chooses_the_form(suffix, form, tmp_path, main):
    path = tmp_path / f"out.{suffix}"
    arguments = ["score", KEY, RESPONSE, "--metrics", "muc"]
    assert main(*arguments, "-o", path)[:2] == (0, "")
    assert path.read_bytes().decode() == main(*arguments, "--format", form)[1]


@pytest.mark.parametrize("ending", ["xyz", "parquet"])
def test_an_ending_of_no_format_of_the_command_is_refused_before_any_work(ending, tmp_path, main):
    path = tmp_path / f"out.{ending}"
    status, out, err = main("score", "nowhere", RESPONSE, "-o", path)
    assert (status, out, path.exists()) == (2, "", False)
    assert "the ending names no output format of score; use --format, or one of .csv, .ht" in err
    status, out, err = main("score", KEY, RESPONSE, "-o", path, "-f", "csv")
    if ending == "xyz":
        assert (status, out, err, path.exists()) == (0, "", "", True)
    else:
        assert (status, out, path.exists()) == (2, "", False)
        assert "the ending asks for parquet, and --format for csv; change one of them\n" in err


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_a_signature_leaves_defaults_out_unless_all_is_asked_for(form, main):
    arguments = ["score", KEY, RESPONSE, "--format", form, "-m", "muc", "--singletons", "drop"]
    short, full = (main(*arguments, *more)[1] for more in ([], ["--signature", "full"]))
    hashes = [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in (KEY, RESPONSE)]
    shown = re.search(r"signature: (.*?)(?: ``)?$", short, re.MULTILINE)[1].replace("\\_", "_")
    assert shown == (
        f"conll-scorer {scorer.__version__}; metrics=muc; singletons=drop; "
        f"key=conll2012:{hashes[0][:8]}; response=conll2012:{hashes[1][:8]}"
    )
    assert all(digest in full and digest not in short for digest in hashes)
    assert "blanc" in full


# Which warnings are shown


def documents(*names):
    return "".join(
        f"#begin document {name}\nd\t0\t0\tw\t(1\nd\t0\t1\tx\t1)\n#end document\n" for name in names
    )


@pytest.fixture
def many(tmp_path):
    """A key of 30 documents, and a response with 5 of these and 12 others."""
    (tmp_path / "key.conll").write_text(documents(*(f"d{number}" for number in range(30))))
    (tmp_path / "response.conll").write_text(
        documents(*(f"d{number}" for number in range(5)), *(f"e{n}" for n in range(12)))
    )
    return tmp_path / "key.conll", tmp_path / "response.conll"


FOLDS = [
    "warning: … and 2 more about documents that the key lacks; --all-warnings",
    "warning: … and 15 more about documents that the response lacks; --all-warnings",
]


@pytest.mark.parametrize("command", ["score", "compare"])
def test_warnings_of_one_kind_are_folded(command, many, main):
    arguments = [command, *many, "--metrics", "muc"]
    status, out, err = main(*arguments)
    lines = err.splitlines()
    assert (status, len(lines), lines[-2:]) == (0, 22, FOLDS)
    assert [sum(f"document {kind}" in line for line in lines) for kind in "ed"] == [10, 10]
    every = main(*arguments, "--all-warnings")
    assert (every[0], every[1], len(every[2].splitlines())) == (0, out, 37)
    assert {*lines[:-2]} < {*every[2].splitlines()}
    status, out, err = main(*arguments, "--strict")
    message = f"scorer {command}: 37 warnings, which --strict treats as errors; nothing is reported"
    assert (status, out, err.splitlines()[-3:]) == (1, "", [*FOLDS, message])


def test_a_fold_begins_after_ten(capfd):
    problems = [Problem("f", n, None, "odd", kind=kind) for kind in KINDS for n in range(10)]
    console.print_warnings(problems)
    assert len(capfd.readouterr().err.splitlines()) == len(problems)
    console.print_warnings([*problems, Problem("f", 11, None, "odd", kind="end")], system="ours")
    assert capfd.readouterr().err.splitlines()[len(problems) :] == [
        "warning: ours: … and 1 more about documents without an end; --all-warnings"
    ]


def test_a_note_is_no_warning(capfd):
    note, warning = (Problem("f", 0, None, "said", kind=kind) for kind in ("note", "file"))
    strict = console.Output(
        command="score",
        format="table",
        path=None,
        title=None,
        is_short=True,
        quiet=True,
        strict=True,
        all_warnings=False,
    )
    console.ConsoleEvents(strict).warn([note])
    assert capfd.readouterr().err == "note: f: said\n"
    with pytest.raises(console.RefusedError):
        console.ConsoleEvents(strict).warn([note, warning])
    assert capfd.readouterr().err.splitlines() == [
        "note: f: said",
        "warning: f: said",
        "scorer score: 1 warning, which --strict treats as errors; nothing is reported",
    ]


@pytest.fixture
def foreign(tmp_path):
    """A key and a response without a document in common."""
    (tmp_path / "key.conll").write_text(documents("a", "b", "c"))
    (tmp_path / "response.conll").write_text(documents("x", "y"))
    return tmp_path / "key.conll", tmp_path / "response.conll"


def test_no_document_in_common_is_an_error(foreign, main, tmp_path):
    names = "the key has 'a' and 2 more, the response has 'x' and 1 more"
    shared = "key and response share no document, and documents are matched by name"
    error = f"{foreign[1]}: {shared}: {names}"
    refused = (2, "", f"{error}; name them alike\n")
    for command in ("score", "compare", "errors", "spans", "muc7"):
        assert main(command, *foreign) == refused
    with pytest.raises(scorer.ConllError, match="share no document"):
        scorer.score(*foreign)

    status, _, err = main("leaderboard", *foreign, "--metrics", "muc", "--trials", "10")
    assert (status, err) == (1, f"response could not be scored: {error}; name them alike\n")
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("key,response\nkey.conll,response.conll\n")
    status, _, err = main("batch", manifest, "--metrics", "muc")
    assert (status, error in err, "1 failed" in err) == (1, True, True)
    for side, path in zip(("ref", "res"), foreign):
        folder = tmp_path / "input" / side
        folder.mkdir(parents=True)
        (folder / path.name).write_bytes(path.read_bytes())
    status, out, err = main("codabench", tmp_path / "input", tmp_path / "output")
    assert (status, out, shared in err) == (1, "", True)
    assert not (tmp_path / "output" / "scores.json").exists()

    # scorer.pl scores them, as the reference does.
    status, out, err = main("muc", *foreign, "none")
    assert (status, "Identification of Mentions: Recall: (0 / 3) 0%" in out) == (0, True)
    assert (
        err
        == f"warning: {error}; each of the key's is scored as if the response had an empty one\n"
    )


# What fits on a terminal


HEADINGS = ["metric", "recall", "precision", "F1", "recall counts", "precision counts"]


@pytest.mark.linux
@pytest.mark.parametrize(
    ("columns", "gone"),
    [
        (80, []),
        (50, ["recall counts", "precision counts"]),
        (10, ["recall", "precision", "recall counts", "precision counts"]),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_and_is_told(columns, gone):
    arguments = ["score", KEY, RESPONSE, "--metrics", "muc,bcub,conll"]
    lines = on_a_terminal(*arguments, columns=columns).splitlines()
    assert re.split(r"  +", lines[0].strip()) == [
        heading for heading in HEADINGS if heading not in gone
    ]
    assert [line for line in lines if "left out" in line] == (
        [f"left out because the terminal is too narrow: {', '.join(gone)}"] if gone else []
    )
    assert "82.73" in lines[3]


def test_no_terminal_no_change(main, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    arguments = ["compare", KEY, RESPONSE, "--trials", "10", "--jobs", "0"]
    narrow = main(*arguments)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(*arguments) == narrow


def test_two_files_in_place_of_a_command_are_to_be_scored(main, tmp_path):
    paths = tmp_path / "key a.conll", tmp_path / "b"
    for path in paths:
        path.write_text("")
    command = f"scorer score '{paths[0]}' {paths[1]} --strict"
    problem = f"scorer: error: {paths[0]} is a file and no command; write: {command}\n"
    assert main(*paths, "--strict") == (2, "", problem)
    status, _, err = main(paths[0], "none")
    assert (status, "is not one of" in err) == (2, True)


@pytest.mark.parametrize("package", [scorer, conll_scorer])
def test_a_python_that_is_too_old_can_read_what_it_loads_first(package):
    ast.parse(Path(package.__file__).read_text("utf-8"), feature_version=(3, 8))


def test_a_python_that_is_too_old(monkeypatch, capsys):
    start = compile(Path(scorer.__file__).read_text("utf-8"), "scorer", "exec")
    monkeypatch.setattr(sys, "version_info", (3, 8, 1))
    with pytest.raises(
        ImportError, match=r"^scorer: it takes Python 3.11 or later, and this is 3.8$"
    ):
        exec(start, {"__name__": "scorer"})
    # Python has not put the name of the file there yet when it imports the package.
    monkeypatch.setattr(sys, "argv", ["-m"])
    with pytest.raises(SystemExit) as caught:
        exec(start, {"__name__": "scorer"})
    said = "scorer: it takes Python 3.11 or later, and this is 3.8; try python3.12 -m scorer\n"
    assert (caught.value.code, capsys.readouterr().err) == (2, said)
