"""What the command does for whoever types it: what was meant, where a report goes, which warnings are shown, what fits."""

import hashlib
import json
import re
from pathlib import Path

import pytest

import scorer
from conll.errors import KINDS, Problem, did_you_mean
from scorer.cli import console
from scorer.report import forms as report
from terminal import on_a_terminal

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = str(FIXTURES / "example.key.conll"), str(FIXTURES / "example.response.conll")


# What was meant
# ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "command", "question"),
    [
        (["score", KEY, RESPONSE, "--metrcs", "muc"], "score", "--metrics"),
        (["score", KEY, RESPONSE, "--per-docment"], "score", "--per-document"),
        (["batch", "m.csv", "--over-corpra"], "batch", "--over-corpora"),
        (["compare", KEY, RESPONSE, "--trails=5"], "compare", "--trials"),
        (["score", KEY, RESPONSE, "--format", "jason"], "score", "json"),
        (["score", KEY, RESPONSE, "--preset", "conl12"], "score", "conll12"),
        (["compare", KEY, RESPONSE, "--method", "bootstrp"], "compare", "bootstrap"),
        (["scroe", KEY, RESPONSE], "", "score"),
        (["mcu", KEY, RESPONSE], "", "muc"),
        (["help", "shwo"], "help", "show"),
    ],
)
def test_one_line_names_the_nearest_word(arguments, command, question, main):
    status, out, err = main(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"scorer{f' {command}' if command else ''}: error: ")
    assert f"; did you mean {question!r}" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", KEY, RESPONSE, "--key-format", "jsonll"], "did you mean 'jsonl' or 'json'?"),
        (
            ["score", KEY, RESPONSE, "--metrics", "muc,bcubb"],
            "unknown metric 'bcubb'; choose from: ",
        ),
        (["score", "--metrics", "muc,blank", KEY, RESPONSE], "did you mean 'blanc'?"),
        (
            ["leaderboard", KEY, RESPONSE, "--sort", "colln", "--metrics", "muc,conll"],
            "did you mean 'conll'?",
        ),
        (
            ["show", KEY, "--document", "(example/leter); part 000"],
            "did you mean '(example/letter); part 000'",
        ),
        (["show", KEY, "--cluster", "00"], "did you mean '0'?"),
    ],
)
def test_the_nearest_name_stands_in_the_message(arguments, message, main):
    status, out, err = main(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_what_is_like_nothing_is_answered_with_all_there_are(main):
    assert did_you_mean("xyz", ["muc", "bcub"]) == ""
    _, _, err = main("score", KEY, RESPONSE, "--format", "xyz")
    assert err.endswith(
        "'xyz' is not one of csv, html, json, jsonl, latex, markdown, perl, table, tsv\n"
    )
    assert main("score", KEY, RESPONSE, "third")[2].endswith(
        "scorer score: error: unrecognized arguments: third\n"
    )


# Where a report goes
# -------------------------------------------------------------------------------------------------

SUFFIXES = {
    "csv": "csv", "htm": "html", "html": "html", "json": "json", "jsonl": "jsonl", "md": "markdown", "markdown": "markdown",
    "tex": "latex", "tsv": "tsv", "TSV": "tsv", "txt": "table",
}  # fmt: skip


@pytest.mark.parametrize(("suffix", "form"), SUFFIXES.items())
@pytest.mark.parametrize("command", ["score", "compare", "leaderboard"])
@pytest.mark.usefixtures("here")
def test_the_name_of_a_file_chooses_the_form(command, suffix, form, tmp_path, main):
    path = tmp_path / f"out.{suffix}"
    arguments = [command, KEY, RESPONSE, "--metrics", "muc", "--quiet"]
    assert main(*arguments, "-o", path)[:2] == (0, "")
    assert path.read_bytes().decode() == main(*arguments, "--format", form)[1]


@pytest.mark.parametrize("ending", ["xyz", "parquet"])
def test_an_ending_of_no_format_of_the_command_is_refused_before_any_work(ending, tmp_path, main):
    path = tmp_path / f"out.{ending}"
    known = ".csv, .html, .json, .jsonl, .tex, .md, .txt, .tsv"
    problem = f"the ending names no output format of score; use --format, or one of {known}"
    assert main("score", "nowhere", RESPONSE, "-o", path) == (
        2,
        "",
        f"scorer score: {path}: {problem}\n",
    )
    assert not path.exists()
    contradiction = f"the ending asks for {ending}, and --format for csv; change one of them"
    refused = (2, "", f"scorer score: {path}: {contradiction}\n")
    allowed = ending == "xyz"
    assert main("score", KEY, RESPONSE, "-o", path, "-f", "csv") == (
        (0, "", "") if allowed else refused
    )
    assert path.exists() == allowed


def test_every_form_has_a_suffix_that_no_other_has():
    forms = report.names(framed=True)
    suffixes = [suffix for name in forms for suffix in report.FORMS[name][1]]
    assert len(suffixes) == len(set(suffixes))
    assert [report.named(f"x{report.FORMS[name][1][0]}") for name in forms] == forms


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


def test_a_short_signature_keeps_what_a_user_wrote(main):
    """A pattern that looks like fields at their defaults, or like a hash, is no field."""
    pattern = f"(; singletons=keep; documents=2; {'0' * 64}|.)"
    out = main("score", KEY, RESPONSE, "-m", "muc", "--documents", pattern)[1]
    assert f'; filter="{pattern}"; key=' in out


# Which warnings are shown
# --------------------------------------------------------------------------------------------


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
    assert (
        sum("document e" in line for line in lines)
        == sum("document d" in line for line in lines)
        == 10
    )
    every = main(*arguments, "--all-warnings")
    assert (every[0], every[1], len(every[2].splitlines())) == (0, out, 37)
    assert {*lines[:-2]} < {*every[2].splitlines()}
    assert "…" not in every[2]


def test_strict_counts_what_is_folded(many, main):
    status, out, err = main("score", *many, "--strict")
    message = "scorer score: 37 warnings, which --strict treats as errors; nothing is reported"
    assert (status, out, err.splitlines()[-3:]) == (1, "", [*FOLDS, message])


def test_a_fold_begins_after_ten(capfd):
    problems = [
        Problem("f", line, None, "odd", kind=kind) for kind in KINDS for line in range(1, 11)
    ]
    console.print_warnings(problems)
    assert capfd.readouterr().err == "".join(
        f"warning: f:{line}: odd\n" for _ in KINDS for line in range(1, 11)
    )
    console.print_warnings([*problems, Problem("f", 11, None, "odd", kind="end")], of="ours")
    assert capfd.readouterr().err.splitlines()[10 * len(KINDS) :] == [
        "warning: ours: … and 1 more about documents without an end; --all-warnings"
    ]
    assert set(console.FOLDED) == set(KINDS)


@pytest.fixture
def foreign(tmp_path):
    """A key and a response without a document in common."""
    (tmp_path / "key.conll").write_text(documents("a", "b", "c"))
    (tmp_path / "response.conll").write_text(documents("x", "y"))
    return tmp_path / "key.conll", tmp_path / "response.conll"


def none_shared(response):
    names = "the key has 'a' and 2 more, the response has 'x' and 1 more"
    return f"{response}: key and response share no document, and documents are matched by name: {names}; "


def test_no_document_in_common_is_one_line(foreign, main):
    status, out, err = main("score", *foreign, "--metrics", "muc")
    assert (status, out) == (0, str(scorer.score(*foreign, metrics="muc")))
    advice = "each of the key's is scored as if the response had an empty one\n"
    assert err == f"warning: {none_shared(foreign[1])}{advice}"
    assert main("compare", *foreign, "--metrics", "muc")[2] == err
    assert main("leaderboard", *foreign, "--metrics", "muc", "--trials", "10")[2] == err.replace(
        "warning:", "warning: response:"
    )
    assert main("muc", *foreign, "none")[2] == err
    problems = scorer.score(*foreign).problems
    assert sorted(problem.kind for problem in problems) == ["extra"] * 2 + ["missing"] * 3


# What fits on a terminal
# ---------------------------------------------------------------------------------------------


HEADINGS = ["metric", "recall", "precision", "F1", "recall counts", "precision counts"]


@pytest.mark.linux
@pytest.mark.parametrize(
    ("columns", "gone"),
    [
        (80, []),
        (60, ["precision counts"]),
        (50, ["recall counts", "precision counts"]),
        (30, ["precision", "recall counts", "precision counts"]),
        (20, ["recall", "precision", "recall counts", "precision counts"]),
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


@pytest.mark.linux
def test_a_wide_terminal_gets_what_a_file_gets(main):
    arguments = ["leaderboard", KEY, RESPONSE, KEY, "--metrics", "muc,conll", "--trials", "10"]
    assert on_a_terminal(*arguments, columns=200) == main(*arguments)[1]


@pytest.mark.parametrize("command", ["compare", "batch"])
def test_no_terminal_no_change(command, tmp_path, main, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    manifest = tmp_path / "m.csv"
    manifest.write_text(f"key,response\n{KEY},{RESPONSE}\n")
    arguments = (
        ["batch", manifest] if command == "batch" else ["compare", KEY, RESPONSE, "--trials", "10"]
    )
    narrow = main(*arguments)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(*arguments) == narrow
    assert json.loads(main(*arguments, "--format", "json")[1])
