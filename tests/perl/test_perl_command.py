"""The command scorer.pl: its arguments, its exit status, what it says on stderr.

Its figures are in test_golden.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from scorer import perl
from scorer.perl import USAGE, main
from strategies import write

ROOT = Path(__file__).parents[2]
EXAMPLE = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    """So that messages name files without their path."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsysbinary):
    """Runs the command in process: its status, stdout after the version line, the lines on stderr."""

    def run(*arguments):
        status = main(list(arguments))
        out, err = capsysbinary.readouterr()
        version, _, text = out.decode("utf-8", "surrogateescape").partition("\n")
        assert re.fullmatch(r"version: 8\.01 /.+\.py", version)
        return status, text, err.decode().splitlines()

    return run


def file(name, *lines):
    Path(name).write_text("".join(line + "\n" for line in lines))


def document(*lines, name="(a)"):
    return f"#begin document {name}", *lines, "#end document"


# Arguments
# -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["all"], ["all", EXAMPLE[0]]], ids=len)
def test_too_few_arguments(run, arguments):
    assert run(*arguments) == (2, USAGE, [])
    assert USAGE.startswith("usage: scorer.pl <metric> <key> <response> [name]\n")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_usage_that_is_asked_for_is_no_mistake(run, option):
    assert run(option) == (0, USAGE, [])
    assert run(option, "all") == (2, USAGE, [])


@pytest.mark.parametrize("metric", ["bogus", "", "muc+", "muc+all", "ALL", "lea", "muc,bcub"])
def test_invalid_metric(run, metric):
    assert run(metric, *EXAMPLE) == (2, "Invalid metric\n", [])


def test_metric_names_are_case_blind(run):
    status, text, err = run("MUC", *EXAMPLE)
    assert (status, err) == (0, [])
    assert text == run("Muc", *EXAMPLE)[1] == run("muc", *EXAMPLE)[1]
    assert "METRIC" not in text


# Files
# ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"), [("none", "No such file or directory"), (".", "Is a directory")]
)
def test_a_file_that_cannot_be_read(run, name, reason):
    assert run("all", EXAMPLE[0], name) == run("all", name, EXAMPLE[1])
    assert run("all", EXAMPLE[0], name) == (2, "", [f"{name}: {reason}"])


@pytest.mark.parametrize("only", [[], ["none"], ["(b)"]], ids=str)
def test_a_malformed_file_is_one_line_and_no_figures(run, only):
    file("key.conll", *document("x\t(0)"), *document("x\t-", name="(b)"))
    file("response.conll", *document("x\t(0)"), *document("the\t(1", "dog\t0)", name="(b)"))
    expected = [
        "response.conll:6: document (b): mention 0 ends here but never starts; write the missing (0: 'dog\\t0)'"
    ]
    assert run("all", "key.conll", "response.conll", *only) == (2, "", expected)


OPEN = "mention {} is still open at the end of the file"


@pytest.mark.parametrize("metric", ["muc", "blanc", "all"])
def test_an_unfinished_entity_after_all_others_is_as_if_it_were_not_there(run, metric):
    file("open.conll", "#begin document (a)", "x\t(1)", "y\t(1)|(0", "z\t(2|(2")
    file("closed.conll", *document("x\t(1)", "y\t(1)", "z\t-"))
    file("other.conll", *document("x\t(4)", "y\t(4)", "z\t(4)"))
    for paths, expected in (
        (["open.conll", "other.conll"], ["closed.conll", "other.conll"]),
        (["other.conll", "open.conll"],) * 2,
    ):
        status, text, err = run(metric, *paths)
        assert (status, text) == run(
            metric, *[path.replace("open", "closed") for path in expected]
        )[:2]
        assert err == [
            f"warning: open.conll:{line}: document (a): {OPEN.format(label)}; it is not counted"
            for line, label in ((3, "0"), (4, "2"), (4, "2"))
        ]


def test_blanc_cannot_score_an_unfinished_entity_before_another_in_the_key(run):
    """The reference dies; other metrics list the entity, empty, and do not count it."""
    file("open.conll", "#begin document (a)", "x\t(1|(5)", "x\t(0|(5", "y\t(2)")
    file("closed.conll", *document("x\t(1)", "x\t-", "y\t-"))
    problem = f"{OPEN.format(1)}, and no other mention of its entity ends, so blanc cannot be scored; write the missing 1)"
    for metric in ("blanc", "all"):
        assert run(metric, "open.conll", "closed.conll") == (
            2,
            "",
            [f"open.conll:2: document (a): {problem}"],
        )
    warnings = [
        f"warning: open.conll:{line}: document (a): {OPEN.format(label)}; it is not counted"
        for line, label in ((2, "1"), (3, "0"), (3, "5"))
    ]
    for metric, paths in (
        ("muc", ["open.conll", "closed.conll"]),
        ("blanc", ["closed.conll", "open.conll"]),
    ):
        status, text, err = run(metric, *paths)
        assert (status, err) == (0, warnings)
        assert "Entity 0: (0,0)\nEntity 1:\nEntity 2:\nEntity 3: (2,2)\n" in text


@pytest.mark.posix
def test_a_pipe_can_be_read(run):
    expected = run("all", *EXAMPLE)
    os.mkfifo("pipe")
    feeder = threading.Thread(
        target=lambda: Path("pipe").write_bytes(Path(EXAMPLE[0]).read_bytes())
    )
    feeder.start()
    assert run("all", "pipe", EXAMPLE[1]) == expected
    feeder.join()


@pytest.mark.parametrize("at", [0, 1])
def test_a_dash_is_standard_input(run, at, monkeypatch):
    expected = run("all", *EXAMPLE)
    paths = list(EXAMPLE)
    with open(paths[at], encoding="utf-8") as file:
        monkeypatch.setattr(sys, "stdin", file)
        paths[at] = "-"
        assert run("all", *paths) == expected
    monkeypatch.setattr(sys, "stdin", None)
    assert run("all", *paths) == (2, "", ["<stdin>: it is closed"])


def test_standard_input_is_one_file(run):
    said = "<stdin>: key and response cannot both be standard input; name a file for one of them"
    assert run("all", "-", "-") == (2, "", [said])


# Warnings: stdout is what it would be without the oddity
# ---------------------------------------------------------------


def test_a_document_of_one_side(run):
    file("key.conll", *document("x\t(0)", "y\t(0)"), *document("x\t(0)", name="(b)"))
    file("first.conll", *document("x\t(0)", "y\t(0)"))
    file("with-empty.conll", *document("x\t(0)", "y\t(0)"), *document("x\t-", name="(b)"))
    status, text, err = run("all", "key.conll", "first.conll", "none")
    missing = "the response is missing this document; it is scored as an empty one"
    assert err == [f"warning: first.conll: document (b): {missing}"]
    assert (status, text) == run("all", "key.conll", "with-empty.conll", "none")[:2]
    status, text, err = run("all", "first.conll", "key.conll")
    assert err == [
        "warning: key.conll:5: document (b): the key is missing this document; it is not scored"
    ]
    assert (status, text) == run("all", "first.conll", "first.conll")[:2]
    assert run("all", "first.conll", "key.conll", "(a)")[2] == []


def test_a_name_that_occurs_twice(run):
    file("key.conll", *document("x\t(0)", "y\t(1)"), *document("x\t(0)", "y\t(0)"))
    file("last.conll", *document("x\t(0)", "y\t(0)"))
    file("first.conll", *document("x\t(0)", "y\t(1)"))
    problem = "another document has the same name (line {}); that one is read, this one is not"
    status, text, err = run("all", "key.conll", "last.conll")
    assert err == ["warning: key.conll:1: document (a): " + problem.format(5)]
    assert (status, text) == run("all", "last.conll", "last.conll")[:2]
    status, text, err = run("all", "key.conll", "last.conll", "(a)")
    assert err == ["warning: key.conll:5: document (a): " + problem.format(1)]
    assert (status, text) == run("all", "first.conll", "last.conll", "(a)")[:2]


def test_token_counts_that_differ(run):
    file("key.conll", "", *document("x\t(0)", "y\t(0)"))
    file("response.conll", *document("x\t(0)", "y\t(0)", "z\t-"))
    status, text, err = run("all", "key.conll", "response.conll")
    assert err == [
        "warning: response.conll:1: document (a): 3 tokens, but 2 in the key (key.conll:2)"
    ]
    assert (status, text) == run("all", "key.conll", "key.conll")[:2]


@pytest.mark.parametrize(
    "text", ["#begin document(x);\nx\t(0)\n#end document\n", "no document\n", "\n"]
)
def test_a_file_without_documents(run, text):
    Path("odd.conll").write_text(text)
    Path("empty.conll").write_text("")
    warning = "warning: odd.conll: the file holds no document; one starts with a line such as: #begin document (name); part 000"
    status, printed, err = run("all", "odd.conll", "empty.conll")
    assert err == [warning]
    assert (status, printed) == run("all", "empty.conll", "empty.conll")[:2]
    assert run("all", "empty.conll", "empty.conll")[2] == []


@pytest.mark.parametrize("side", ["key", "response"])
def test_a_byte_order_mark_is_named_and_hides_what_it_precedes(run, side):
    """As in the reference, for which that line begins no document."""
    for name in ("key", "response"):
        file(f"{name}.conll", *document("x\t(0)"), *document("y\t(0)", "z\t(0)", name="(b)"))
    marked = Path(f"{side}.conll")
    marked.write_bytes(b"\xef\xbb\xbf" + marked.read_bytes())
    status, text, err = run("muc", "key.conll", "response.conll", "none")
    file("without.conll", *document("y\t(0)", "z\t(0)", name="(b)"))
    without = ("without.conll" if name == side else f"{name}.conll" for name in ("key", "response"))
    assert (status, text) == run("muc", *without, "none")[:2]
    assert err[0].startswith(f"warning: {side}.conll:1: the file begins with a byte-order mark")
    assert f"document (a): the {side} is missing this document" in err[1]


# Repeated mentions
# ---------------------------------------------------------------------------------------------------


def test_every_repeated_mention_is_named(run):
    file("key.conll", *document("x\t(0)|(4)", "the\t(7", "dog\t7)", "z\t(0)"))
    file(
        "response.conll",
        *document("x\t(1)|(02)", "the\t(3|(02", "dog\t3)|02)", "z\t(5)|(5)"),
        *document("y\t(6)", "y\t(6)|(6)", name="(b)"),
    )
    status, text, err = run("muc", "key.conll", "response.conll", "none")
    assert status == 0
    # Numbers after the tokens: the reference's, which numbers key mentions cluster by cluster.
    assert text.startswith(
        "Repeated mention in the key: 0, 0 02\n"
        "Repeated mention in the response: 0, 0 22\n"
        "Repeated mention in the response: 1, 2 33\n"
        "Repeated mention in the response: 3, 3 11\n"
        "\n====== TOTALS"
    )
    assert err == [
        (
            "warning: response.conll:7: document (b): the key is missing this document; it is not "
            "scored"
        ),
        "warning: key.conll:2: document (a): mention (0,0) of cluster 4 is already in cluster 0 (line 2); counted each time",
        "warning: response.conll:2: document (a): mention (0,0) of cluster 02 is already in cluster 1 (line 2); counted once",
        "warning: response.conll:3: document (a): mention (1,2) of cluster 3 is already in cluster 02 (line 3); counted once",
        "warning: response.conll:5: document (a): mention (3,3) of cluster 5 is already in cluster 5 (line 5); counted once",
    ]


def repeating(times):
    file("key.conll", *document("x\t(0)"))
    file("response.conll", *document("x\t(0)" + "(1)" * times))


@pytest.mark.parametrize(("metric", "times"), [("muc", 11), ("all", 3), ("blanc", 25)])
def test_more_than_ten_repeats_are_refused(run, metric, times):
    repeating(times)
    status, text, err = run(metric, "key.conll", "response.conll", "none")
    assert status == 1
    assert text.count("Repeated mention in the response: 0, 0 00\n") == 11
    assert err[-1] == (
        "response.conll: more than 10 repeated mentions over all documents and metrics, so no score is given, as in the reference; "
        "the warnings above name each of them, and so does: scorer check key.conll response.conll"
    )
    named = "warning: response.conll:2: document (a): mention (0,0) of cluster 1 is already in cluster 0 (line 2); counted once"
    assert err[:-1] == [named] * times


@pytest.mark.parametrize(("metric", "times"), [("muc", 10), ("muc+bcub", 5), ("all", 2)])
def test_ten_repeats_are_scored(run, metric, times):
    repeating(times)
    status, text, err = run(metric, "key.conll", "response.conll", "none")
    assert (status, len(err)) == (0, times)
    assert text.count("Repeated mention in the response: 0, 0 00\n") == 10


# As a process
# --------------------------------------------------------------------------------------------------------


def process(*arguments, unbuffered=False, **options):
    """Runs `python -m scorer`; a program's stdout fails at each write, or when it ends."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    command = [sys.executable, "-m", "scorer", *arguments]
    return subprocess.run(
        command, stderr=subprocess.PIPE, env=environment, cwd=ROOT, check=False, **options
    )


both_ways = pytest.mark.parametrize("unbuffered", [False, True], ids=["buffered", "unbuffered"])


@both_ways
def test_a_reader_that_leaves(tmp_path, unbuffered):
    """As in `scorer.pl … | head`: no traceback, and the status that a shell gives to a broken pipe."""
    many = tmp_path / "many.conll"
    many.write_bytes(write({str(number): [[0], [1, 2]] for number in range(3000)}))
    reader, writer = os.pipe()
    os.close(reader)
    for paths in (EXAMPLE, [str(many)] * 2):
        done = process("all", *paths, unbuffered=unbuffered, stdout=writer)
        assert (done.returncode, done.stderr) == (141, b"")
    os.close(writer)


@pytest.mark.posix
@both_ways
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full on this machine")
def test_a_full_disk(unbuffered):
    with open("/dev/full", "wb") as full:
        done = process("all", *EXAMPLE, unbuffered=unbuffered, stdout=full)
    assert (done.returncode, done.stderr) == (2, b"standard output: No space left on device\n")


@both_ways
def test_a_closed_stdout(unbuffered):
    done = process("all", *EXAMPLE, unbuffered=unbuffered, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (2, b"standard output: it is closed\n")


def test_a_closed_stderr(tmp_path):
    empty = tmp_path / "empty.conll"
    empty.write_text("\n")
    expected = process("all", str(empty), str(empty), stdout=subprocess.PIPE)
    assert b"warning" in expected.stderr
    done = process(
        "all", str(empty), str(empty), stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2)
    )
    assert (done.returncode, done.stdout) == (0, expected.stdout)


def test_names_and_words_of_any_bytes(tmp_path):
    path = tmp_path / "latin-1.conll"
    path.write_bytes(b"#begin document (\xe9)\n\xe9\t(0)\n\xff\t(0)|(0)\n#end document\n")
    done = process("muc", str(path), str(path), "(\udce9)", stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert done.stdout.partition(b"\n")[2].startswith(
        b"(\xe9):\n====> (\xe9):\nFile (\xe9):\nEntity 0: (0,0) (1,1) (1,1)\n"
    )
    assert done.stderr.count(b"document (\\udce9): mention (1,1)") == 2


def script(*command, **environment):
    """Status, stdout after the version line, and stderr of a Python without installed packages."""
    done = subprocess.run(
        [sys.executable, "-S", *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout.partition("\n")[2], done.stderr


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (["-I", "scorer.pl"], {}),
        (["scorer.pl"], {"PYTHONSAFEPATH": "1"}),
        (["-I", "linked.pl"], {}),
        (["-m", "scorer.perl"], {"PYTHONPATH": str(ROOT)}),
    ],
    ids=str,
)
def test_ways_to_start(options, environment, run):
    Path("linked.pl").symlink_to(ROOT / "scorer.pl")
    options = [str(ROOT / name) if name == "scorer.pl" else name for name in options]
    assert script(*options, "all", *EXAMPLE, **environment) == (0, run("all", *EXAMPLE)[1], "")


def test_a_copy_without_its_packages():
    shutil.copy(ROOT / "scorer.pl", "copy.pl")
    said = "scorer.pl: its packages are missing; run it from its own folder, or pip install conll-scorer\n"
    assert script("copy.pl", "all", *EXAMPLE) == (2, "", said)


def test_a_python_that_is_too_old():
    path = ROOT / "scorer.pl"
    ast.parse(path.read_text("utf-8"), feature_version=(3, 8))
    run = f"exec(compile(open({str(path)!r}).read(), 'scorer.pl', 'exec'))"
    said = "scorer.pl: it takes Python 3.11 or later, and this is 3.8; try python3.12 scorer.pl\n"
    assert script("-c", f"import sys; sys.version_info = (3, 8, 1); {run}")[::2] == (2, said)


@pytest.mark.parametrize("paths", [EXAMPLE, [EXAMPLE[0], "none"], ["none", EXAMPLE[1]]], ids=str)
def test_no_file_is_left_open(paths):
    said = "none: No such file or directory\n" if "none" in paths else ""
    assert script(str(ROOT / "scorer.pl"), "all", *paths, PYTHONWARNINGS="error")[2] == said


@pytest.mark.posix
@both_ways
def test_a_pipe_that_does_not_wait_gets_all(tmp_path, unbuffered):
    many = tmp_path / "many.conll"
    many.write_bytes(write({str(number): [[0], [1, 2]] for number in range(3000)}))
    expected = process("all", str(many), str(many), stdout=subprocess.PIPE).stdout
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    got = []

    def read():
        time.sleep(1)
        with open(reader, "rb") as file:
            got.append(file.read())

    thread = threading.Thread(target=read)
    thread.start()
    done = process("all", str(many), str(many), unbuffered=unbuffered, stdout=writer)
    os.close(writer)
    thread.join()
    assert (done.returncode, done.stderr, got) == (0, b"", [expected])
    assert len(expected) > 1 << 17


NOT_ENOUGH = (
    "out of memory; score less at once (documents, --trials, --jobs), or use a larger machine\n"
)
TOO_DEEP = "a file is nested too deeply to be read; check that it is the right file\n"
MISSING = "this needs scipy, which is not installed; pip install scipy\n"


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MemoryError, 2, NOT_ENOUGH),
        (RecursionError, 2, TOO_DEEP),
        (KeyboardInterrupt, 130, ""),
        (ModuleNotFoundError("No module named 'scipy.sparse'", name="scipy.sparse"), 2, MISSING),
    ],
    ids=["memory", "depth", "interrupt", "package"],
)
def test_what_ends_a_command_is_one_line(error, status, said, capsys):
    def command(_):
        raise error

    assert perl.run(command) == status
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("error", "status"), [(OSError(28, "No space left on device"), 2), (BrokenPipeError(), 141)]
)
def test_a_standard_error_that_cannot_be_written_is_not_tried_again(error, status, monkeypatch):
    tried = []

    class Refusing:
        def write(self, text):
            tried.append(text)
            raise error

    def command(_):
        perl.print_error("one")
        perl.print_error("two")
        return 2

    monkeypatch.setattr(sys, "stderr", Refusing())
    assert perl.run(command) == status
    assert tried == ["one\n"]
