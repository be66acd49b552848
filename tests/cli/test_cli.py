"""The command `scorer`: what it prints, its exit status, what it leaves on disk."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scorer
from conll import formats
from scorer import registry
from scorer.cli import commands, console
from scorer.cli.commands.metrics import ENTRIES
from scorer.evaluation.report import Layout
from scorer.metrics import METRICS
from scorer.report.forms import text
from scorer.statistics.resampling import Resampling
from scorer.systems.comparison import intervals_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = str(FIXTURES / "example.key.conll"), str(FIXTURES / "example.response.conll")
FORMATS = ", ".join(formats.names())


def run(*arguments, stdin=None, **options):
    """Exit status, stdout and stderr of `python -m scorer`."""
    command = [sys.executable, "-m", "scorer", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, input=stdin, check=False, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_score(main):
    assert main("score", KEY, RESPONSE) == (0, str(scorer.score(KEY, RESPONSE)), "")


def test_scorer_pl_needs_no_argparse():
    code = "import sys; from scorer.cli.main import main; main(sys.argv[1:]); sys.exit('argparse' in sys.modules)"
    subprocess.run(
        [sys.executable, "-c", code, "all", KEY, RESPONSE, "none"], check=True, capture_output=True
    )


def test_help_is_an_overview_of_all_commands(main):
    status, out, err = main()
    assert (status, err) == (2, "")
    assert main("--help") == main("help") == (0, out, "")
    listed = [line[4:] for line in out.splitlines() if re.match(r"    \w", line)]
    # A name that is longer than argparse reckons with has a line of its own.
    assert [line.split()[0] for line in listed] == commands.names()
    assert "scorer METRIC KEY RESPONSE [NAME]" in out


@pytest.mark.parametrize("name", commands.names())
def test_help_fits_on_a_screen_and_help_all_says_the_rest(name, main, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    help_text = main("help", name)[1]
    lines = help_text.splitlines()
    assert (main(name, "--help"), main(name, "-h")) == ((0, help_text, ""),) * 2
    assert commands.get(name).__doc__.split("\n")[0] in help_text
    assert "None" not in lines[0]
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    status, everything, err = main(name, "--help-all")
    assert (status, err) == (0, "")
    if "--help-all" not in help_text:
        assert everything == help_text
    else:
        assert commands.get(name).EPILOG in everything
        options = set(re.findall(r"--[a-z][\w-]+", help_text))
        rare = int(re.search(r"--help-all lists (\d+) more option", help_text)[1])
        listed = re.findall(r"^  (?:-\w, )?(--[a-z][\w-]+)", everything, re.MULTILINE)
        assert len(set(listed) - options) >= rare - 1


def test_help_lists_what_people_look_for(main):
    assert {"--method", "--trials", "--alternative"} <= set(main("compare", "--help")[1].split())
    assert {"--key-format", "--response-format"} <= set(main("score", "--help")[1].split())


def test_help_says_the_defaults_of_resampling(main):
    for command in ("compare", "leaderboard", "errors"):
        text = " ".join(main(command, "--help-all")[1].split())
        for option in ("trials", "seed", "confidence", "interval"):
            default = getattr(Resampling, option)
            assert re.search(rf"--{option} [^()]*\(default: {default}\)", text)


@pytest.mark.parametrize("option", ["-m muc+b3", "--show kinds+links"])
def test_a_list_with_plus_is_answered_with_the_new_form(option, main):
    status, out, err = main("errors", KEY, RESPONSE, *option.split())
    new = option.split()[1].replace("+", ",")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"is a list with +; write {new}\n")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("conll", "79.91"),
        ("muc", "71.43"),
        ("MUC.recall", "71.43"),
        ("b3.precision", "82.14"),
        ("bcub.F1", "82.73"),
    ],
)
def test_a_value_is_one_number(value, number, main):
    assert main("score", KEY, RESPONSE, "--value", value) == (0, f"{number}\n", "")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["conll.recall"], "--value: conll has no recall; write conll for its F1"),
        (["lea", "--metrics", "muc"], "--value: lea is not scored; add it to --metrics"),
        (
            ["muc", "--format", "csv"],
            "--value prints one number to standard output; leave out --format",
        ),
        (
            ["muc", "--title", "X", "--signature", "full"],
            "--value prints one number to standard output; leave out --title and --signature",
        ),
        (
            ["muc", "--average", "both"],
            "--value prints one number; choose --average micro, macro or macro-defined",
        ),
    ],
)
def test_a_value_is_of_what_is_scored_and_no_report(given, message, main):
    status, out, err = main("score", KEY, RESPONSE, "--value", *given)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"scorer score: {message}")


def test_a_value_may_be_a_mean_over_documents_and_have_a_limit(main):
    given = ["score", KEY, RESPONSE, "--value", "muc", "--metrics", "muc"]
    # Its two documents have 4 of 5 and 1 of 2 links.
    assert main(*given, "--average", "macro") == (0, "65.00\n", "")
    status, out, err = main(*given, "--fail-under", "muc=99")
    assert (status, out) == (1, "71.43\n")
    assert "below 99 (--fail-under)" in err


@pytest.mark.parametrize(
    ("least", "status", "message"),
    [
        ("conll=70", 0, ""),
        ("conll=80,muc=50", 2, "is not METRIC=PERCENT"),
        ("conll=99.5", 1, "scorer score: conll F1 is 79.91, below 99.5 (--fail-under)\n"),
        ("lea=1", 2, "scorer score: --fail-under: lea is not scored; add it to --metrics\n"),
    ],
)
def test_fail_under(least, status, message, main):
    found, _, err = main("score", KEY, RESPONSE, "-m", "muc,conll", "--fail-under", least)
    assert found == status
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", KEY, "nowhere"], "nowhere: No such file or directory\n"),
        (["score", KEY, RESPONSE, "--group-by", "("], "scorer score: '(' is not a regular expression: missing ),"),
        (["score", KEY, RESPONSE, "--documents", "a{99999999999}"], "is not a regular expression: the repetition"),
        (["score", KEY, RESPONSE, "--documents", "(" * 3000], "is not a regular expression: "),
        (["leaderboard", KEY, RESPONSE, "--join-documents", "("], "scorer leaderboard: '(' is not a regular expression: missing"),
        (
            ["score", KEY, RESPONSE, "--documents", "q"],
            (f"scorer score: documents: 'q' matches no document name in {KEY}; the first one is "
            "'(example/letter); part 000'\n"),
        ),
        (["score", KEY, RESPONSE, "--key-format", "doc"], f"scorer score: unknown format 'doc'; choose from: {FORMATS}\n"),
        (["score", "-", "-"], "scorer score: only one input can be standard input; name a file for the others\n"),
        (["check", "-", "-"], "scorer check: only one input can be standard input; name a file for the others\n"),
        (["score", KEY, RESPONSE, "--output", "/nowhere/x"], "/nowhere/x: No such file or directory\n"),
        (["convert", KEY, "/nowhere/x"], "/nowhere/x: No such file or directory\n"),
        (["convert", KEY, "-", "--to", "doc"], f"scorer convert: unknown format 'doc'; choose from: {FORMATS}\n"),
        (["check", "nowhere"], "nowhere: No such file or directory\n"),
        (["score", KEY], "scorer score: error: the following arguments are required: RESPONSE\n"),
        (["compare", KEY, RESPONSE, "--jobs", "-1"], "scorer compare: error: argument --jobs/-j: '-1' is not a whole number"),
        (["score", KEY, RESPONSE, "--jobs", "2"], "scorer score: error: unrecognized arguments: --jobs 2"),
        (["compare", KEY, RESPONSE, "--confidence", "x"], "scorer compare: error: argument --confidence: 'x' is not a number\n"),
        (["score", KEY, RESPONSE, "--format", "perl", "--group-by", "x"], "scorer score: the perl report cannot show groups or"),
    ],
)  # fmt: skip
def test_what_cannot_be(arguments, message, main):
    status, out, err = main(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert err.count("\n") == 1 or err.startswith("usage: ")


@pytest.mark.parametrize(
    "form", ["table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "html"]
)
def test_formats(form, main):
    options = ["--per-document", "--average", "both", "--group-by", "(letter|report)"]
    evaluation = scorer.score(KEY, RESPONSE)
    # A page of the command has intervals as well.
    intervals = intervals_of(evaluation) if form == "html" else None
    names = "(letter|report)"
    layout = Layout(per_document=True, average="both", group_by=names, intervals=intervals)
    expected = (0, text(evaluation.report(form, layout)), "")
    assert main("score", KEY, RESPONSE, "--format", form, *options) == expected


def test_a_page_of_one_text_in_parts_has_no_intervals(main, tmp_path):
    """As one of a single document.

    The parts are drawn together, so that there is nothing to draw from.
    """
    for name, ids in (("key", "00"), ("response", "01")):
        parts = (
            f"#begin document (a); part {at}\na 0 0 x ({one})\na 0 1 y (0)\n#end document\n"
            for at, one in enumerate(ids)
        )
        (tmp_path / name).write_text("".join(parts))
    status, out, err = main(
        "score", tmp_path / "key", tmp_path / "response", "--metrics", "muc", "--format", "html"
    )
    assert (status, err, "66.67" in out, "interval of F1" in out) == (0, "", True, False)


@pytest.mark.parametrize(("more", "name"), [([], ["none"]), (["--per-document"], [])])
@pytest.mark.parametrize("metric", ["all", "ceafe,blanc"])
def test_perl_format_is_what_scorer_pl_prints(metric, more, name, main):
    printed = main("score", KEY, RESPONSE, "--format", "perl", "--metrics", metric, *more)
    assert printed == main(metric.replace(",", "+"), KEY, RESPONSE, *name)


def test_output_is_replaced_at_once_and_stays_when_scoring_fails(tmp_path, main):
    path, broken = tmp_path / "scores.json", tmp_path / "broken.conll"
    path.write_text("old")
    broken.write_text("#begin document (example/letter); part 000\nd\t0\t0\tw\t1)\n#end document\n")
    status, out, err = main("score", KEY, broken, "--output", path)
    assert (status, out, err.count("\n"), path.read_text()) == (2, "", 1, "old")
    assert err.startswith(f"{broken}:2: document (example/letter); part 000: unmatched `1)`")
    assert main("score", KEY, RESPONSE, "--output", path) == (0, "", "")
    assert json.loads(path.read_text())["totals"]["muc"]["recall_denominator"] == 7
    assert len(list(tmp_path.iterdir())) == 2


def test_who_needs_no_standard_stream_needs_none_open(half, main, tmp_path, monkeypatch):
    """Daemons close them, and so does `>&-`."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main("check", KEY, RESPONSE)[0] == 0
    assert main("score", KEY, half[0], "-o", tmp_path / "out")[0] == 0
    assert "muc" in (tmp_path / "out").read_text()
    monkeypatch.undo()
    for name, file, command in (
        ("stdout", "standard output", ["show", KEY]),
        ("stdout", "standard output", ["metrics"]),
        ("stdin", "<stdin>", ["score", KEY, "-"]),
        ("stdin", "<stdin>", ["batch", "-"]),
    ):
        monkeypatch.setattr(sys, name, None)
        assert main(*command) == (2, "", f"{file}: it is closed\n")
        monkeypatch.undo()


@pytest.mark.parametrize(
    "arguments",
    [["score", KEY, ""], ["check", ""], ["convert", "", "out"], ["score", KEY, KEY, "-o", ""]],
)
def test_an_empty_path_is_not_standard_output(arguments, main):
    reason = "Is a directory" if "-o" in arguments else "No such file or directory"
    assert main(*arguments) == (2, "", f"'': {reason}\n")


WARNING = "the response is missing this document; it is scored as an empty one"


@pytest.mark.parametrize("options", ["", "--missing-documents empty", "--response-format jsonl"])
def test_an_empty_response_is_scored_as_empty_documents(options, main, tmp_path):
    """MUC of the key: 14 mentions in 7 clusters, so 7 links."""
    path = tmp_path / "empty.conll"
    path.write_bytes(b" \n\n" if options else b"")
    arguments = ["score", KEY, path, "--metrics", "muc", "--format", "csv", *options.split()]
    status, out, err = main(*arguments)
    assert (status, out.splitlines()[1]) == (0, "totals,micro,muc,0.0,0.0,0.0,0,7,0,0,")
    empty = "the file is empty; it is read as a response without documents"
    assert err == f"warning: {path}: {empty}\n"
    assert main("muc7", KEY, path)[2] == err
    assert main(*arguments, "--missing-documents", "error")[:2] == (2, "")
    assert main("compare", KEY, RESPONSE, path)[0] == main("spans", KEY, path)[0] == 0
    assert main("score", path, RESPONSE) == (2, "", f"{path}: the file is empty\n")


@pytest.fixture
def half(tmp_path):
    """A response without the second document of the key, and with one that the key lacks."""
    path = tmp_path / "half.conll"
    first = Path(RESPONSE).read_text().rpartition("#begin")[0]
    path.write_text(f"{first}#begin document x\nd\t0\t0\tw\t(1)\n#end document\n")
    start, line = f"warning: {path}", first.count("\n") + 1
    return path, [
        f"{start}:{line}: document x: the key is missing this document; it is not scored",
        f"{start}: document (example/report); part 000: {WARNING}",
    ]


def test_warnings(half, main):
    path, warnings = half
    status, out, err = main("score", KEY, path)
    assert (status, out, err.splitlines()) == (0, str(scorer.score(KEY, path)), warnings)
    assert main("score", KEY, path, "--quiet") == (0, out, "")


def test_strict(half, main, tmp_path):
    path, warnings = half
    status, out, err = main("score", KEY, path, "--strict", "--output", tmp_path / "out")
    message = "scorer score: 2 warnings, which --strict treats as errors; nothing is reported"
    assert (status, out, err.splitlines()) == (1, "", [*warnings, message])
    assert not (tmp_path / "out").exists()
    assert main("score", KEY, RESPONSE, "--strict")[0] == 0


def test_standard_input_and_compression(tmp_path):
    packed = gzip.compress(Path(RESPONSE).read_bytes())
    (tmp_path / "response").write_bytes(packed)
    expected = str(scorer.score(KEY, RESPONSE))
    assert run("score", KEY, "-", stdin=packed) == (0, expected, "")
    assert run("score", KEY, tmp_path / "response") == (0, expected, "")


def test_warnings_hold_no_control_characters(tmp_path, main):
    path = tmp_path / "key"
    path.write_bytes(b"#begin document \x1b[2J\xff\nd\t0\t0\tw\t(1)\n#end document\n")
    other = tmp_path / "other"
    other.write_bytes(b"#begin document x\n#end document\n")
    _, _, err = main("score", path, other, "--metrics", "muc")
    assert "the key has '\\x1b[2J\\udcff'" in err
    assert err.isprintable() or err.count("\n") == 1


def test_progress_only_on_a_terminal(monkeypatch):
    names = ["a", "b"]
    assert console.progress(names) is names
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(console.progress(names)) == names
    assert console.progress(names) is not names


def test_what_there_is_is_listed(main):
    status, out, err = main("metrics")
    rows = [line.split("  ")[0] for line in out.splitlines()[2:]]
    assert (status, err, tuple(rows[:8]), rows[8:]) == (
        0,
        "",
        registry.ALL_METRICS,
        sorted(rows[8:]),
    )
    assert "Moosavi and Strube 2016" in out
    status, out, err = main("formats")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[2:]] == FORMATS.split(", ")


def test_convert(tmp_path, main):
    path, back = tmp_path / "key.jsonl", tmp_path / "key.conll"
    assert main("convert", KEY, path) == (0, "", "")
    assert json.loads(path.read_text().splitlines()[0])["doc_key"] == "(example/letter); part 000"
    assert main("convert", path, back, "--from", "jsonl") == (0, "", "")
    assert scorer.score(KEY, back).ratios("bcub").f1 == 1
    assert main("convert", KEY, "-", "--to", "jsonl") == (0, path.read_text(), "")
    for name, same in (("K.JSONL", path), ("key", back), ("key.v4_gold_conll", back)):
        assert main("convert", KEY, tmp_path / name) == (0, "", "")
        assert (tmp_path / name).read_bytes() == same.read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".xyz"])
def test_convert_refuses_an_ending_of_no_format_unless_it_is_told_one(ending, tmp_path, main):
    path = tmp_path / f"out{ending}"
    status, out, err = main("convert", KEY, path)
    assert (status, out, path.exists()) == (2, "", False)
    assert "the ending names no format of documents; use --to, or one of .conll, .jsonl" in err
    assert main("convert", KEY, path, "--to", "conll2012") == (0, "", "")


def test_convert_names_the_document_that_the_key_lacks(tmp_path, main):
    """Only the key has words to which it could be aligned; the other is of one word and a zero."""
    declaration = "# global.Entity = eid-etype-head-other\n"
    rows = [
        "# newdoc id = {}",
        "1\tw\t_\tN\t_\t_\t0\troot\t0:root\tEntity=(e1-p-1-)",
        "1.1\t_\t_\tP\t_\t_\t_\t_\t1:x\tEntity=(e1-p-1-)",
        "\n",
    ]
    for side, names in (("key", "a"), ("response", "ab")):
        documents = map("\n".join(rows).format, names)
        (tmp_path / f"{side}.conllu").write_text(declaration + "".join(documents), "utf-8")
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    for form in ("crac", "jsonl"):
        status, out, err = main("convert", response, "-", "--to", form, "--key", key, "--drop")
        assert (status, out) == (2, "")
        problem = f"{key} has no such document to align it with; leave it out of IN"
        assert err == f"{response}:6: document b: {problem}\n"


@pytest.mark.parametrize("told", ["", "0", "ten", "57"])
def test_the_terminal_is_as_wide_as_shutil_has_it(told, monkeypatch):
    monkeypatch.setenv("COLUMNS", told)
    assert console.terminal_columns() == shutil.get_terminal_size().columns


def test_each_paper_of_a_metric_has_an_entry(main):
    papers = {metric.paper for metric in METRICS.values()}
    papers |= {average.paper for average in registry.AVERAGES.values()}
    assert set(ENTRIES) == papers
    for paper, entry in ENTRIES.items():
        author, year = paper.split()[0], paper.split()[-1]
        assert f"year = {{{year}}}" in entry
        assert author.lower().replace("ž", "z").replace("ý", "y") in entry.partition("\n  ")[0]
        assert entry.count("{") == entry.count("}")
    status, out, err = main("metrics", "--bibtex", "--metrics", "muc,B3")
    assert (status, err, out.count("@")) == (0, "", 2)
    assert "{vilain-etal-1995-model," in out
    assert main("metrics", "--bibtex", "-m", "conll")[1].count("@") == 4
    assert main("metrics", "--bibtex")[1].count("@") == len(ENTRIES)
    listed = main("metrics", "--metrics", "muc")[1].splitlines()
    assert [line.split()[0] for line in listed[2:]] == ["muc"]
    assert main("metrics", "--metrics", "bleu")[0] == 2
