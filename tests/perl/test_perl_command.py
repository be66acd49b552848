"""The command scorer.pl: its arguments, its exit status, what it says on stderr.

Its figures are in test_golden.
"""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from scorer import perl
from scorer.cli.commands import metrics
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
    """Runs the command in process: its status, stdout after the version line, the lines on
    stderr."""

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


@pytest.mark.parametrize("arguments", [[], ["all"], ["all", EXAMPLE[0]]], ids=len)
def test_too_few_arguments(run, arguments):
    assert run(*arguments) == (2, USAGE, [])
    assert USAGE.startswith("usage: scorer.pl <metric> <key> <response> [name]\n")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_usage_that_is_asked_for_is_no_mistake(run, option):
    assert run(option) == (0, USAGE, [])
    assert run(option, "all") == (2, USAGE, [])


@pytest.mark.parametrize(
    "metric", ["bogus", "", "muc+", "muc,", "muc+all", "ALL", "lea", "muc;bcub"]
)
def test_invalid_metric(run, metric):
    assert run(metric, *EXAMPLE) == (2, "Invalid metric\n", [])


def test_metric_names_are_case_blind(run):
    status, text, err = run("MUC", *EXAMPLE)
    assert (status, err) == (0, [])
    assert text == run("Muc", *EXAMPLE)[1] == run("muc", *EXAMPLE)[1]
    assert "METRIC" not in text


@pytest.mark.parametrize("metrics", ["muc,ceafe", "MUC,ceafe", "muc+ceafe"])
def test_several_metrics_are_reported_one_by_one(run, metrics):
    muc, ceafe = (run(metric, *EXAMPLE, "none")[1] for metric in ("muc", "ceafe"))
    headed = f"\nMETRIC muc:\n{muc}\nMETRIC ceafe:\n{ceafe}"
    assert run(metrics, *EXAMPLE, "none") == (0, headed, [])


# Files


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
    expected = ["response.conll:6: document (b): unmatched `0)`: no `(0` before it: 'dog\\t0)'"]
    assert run("all", "key.conll", "response.conll", *only) == (2, "", expected)


OPEN = "unclosed `({0}`: no `{0})` before the end of the file"


@pytest.mark.parametrize("metric", ["muc", "all"])
def test_an_unfinished_entity_after_all_others_is_as_if_it_were_not_there(run, metric):
    file("open.conll", "#begin document (a)", "x\t(1)", "y\t(1)|(0", "z\t(2|(2")
    file("closed.conll", *document("x\t(1)", "y\t(1)", "z\t-"))
    file("other.conll", *document("x\t(4)", "y\t(4)", "z\t(4)"))
    for paths in (["{}.conll", "other.conll"], ["other.conll", "{}.conll"]):
        status, text, err = run(metric, *[path.format("open") for path in paths])
        assert (status, text) == run(metric, *[path.format("closed") for path in paths])[:2]
        assert err == [
            f"warning: open.conll:{line}: document (a): {OPEN.format(label)}; it is not counted"
            for line, label in ((3, "0"), (4, "2"), (4, "2"))
        ]


def test_blanc_cannot_score_an_unfinished_entity_before_another_in_the_key(run):
    """The reference dies; other metrics list the entity, empty, and do not count it."""
    file("open.conll", "#begin document (a)", "x\t(1|(5)", "x\t(0|(5", "y\t(2)")
    file("closed.conll", *document("x\t(1)", "x\t-", "y\t-"))
    problem = (
        f"{OPEN.format(1)}, and no other mention of its entity ends, so blanc cannot be scored"
    )
    for metric in ("blanc", "all"):
        said = [f"open.conll:2: document (a): {problem}"]
        assert run(metric, "open.conll", "closed.conll") == (2, "", said)
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
    assert "cannot both be standard input" in run("all", "-", "-")[2][0]


# Warnings: stdout is what it would be without the oddity


A, B = document("x\t(0)", "y\t(0)"), document("x\t(0)", name="(b)")
OTHER_A, EMPTY_B = document("x\t(0)", "y\t(1)"), document("x\t-", name="(b)")
MISSING = "the {} is missing this document; it is {}"
TWICE = "another document has the same name (line {}); that one is read, this one is not"
NONE = (
    "the file holds no document; one starts with a line such as: #begin document (name); part 000"
)
ODD = {
    "no document in the response": (
        (A + B, A, "none"),
        (A + B, A + EMPTY_B, "none"),
        ["response.conll: document (b): " + MISSING.format("response", "scored as an empty one")],
    ),
    "no document in the key": (
        (A, ("", *B, *A)),
        (A, A),
        ["response.conll:2: document (b): " + MISSING.format("key", "not scored")],
    ),
    "none in the key, and another is scored": ((A, B + A, "(a)"), (A, A, "(a)"), []),
    "a name twice": ((OTHER_A + A, A), (A, A), ["key.conll:1: document (a): " + TWICE.format(5)]),
    "a name twice, and it is scored": (
        (OTHER_A + A, A, "(a)"),
        (OTHER_A, A, "(a)"),
        ["key.conll:5: document (a): " + TWICE.format(1)],
    ),
    "one token more": (
        (("", *A), document("x\t(0)", "y\t(0)", "z\t-")),
        (A, A),
        ["response.conll:1: document (a): 3 tokens, but 2 in the key (key.conll:2)"],
    ),
    "no document": ((("#begin document(x);", "x\t(0)"), ()), ((), ()), [f"key.conll: {NONE}"]),
    "nothing": (((), ()), ((), ()), []),
}


@pytest.mark.parametrize(("odd", "same", "warnings"), ODD.values(), ids=ODD)
def test_an_oddity_is_named_and_counted_as_the_reference_does(run, odd, same, warnings):
    printed = []
    for key, response, *only in (same, odd):
        file("key.conll", *key)
        file("response.conll", *response)
        *figures, said = run("all", "key.conll", "response.conll", *only)
        printed.append(figures)
    assert said == [f"warning: {warning}" for warning in warnings]
    assert printed[0] == printed[1]


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
        f"warning: {warning}"
        for warning in (
            "response.conll:7: document (b): the key is missing this document; it is not scored",
            "key.conll:2: document (a): mention (0,0) of cluster 4 is already in cluster 0 (line 2); counted each time",
            "response.conll:2: document (a): mention (0,0) of cluster 02 is already in cluster 1 (line 2); counted once",
            "response.conll:3: document (a): mention (1,2) of cluster 3 is already in cluster 02 (line 3); counted once",
            "response.conll:5: document (a): mention (3,3) of cluster 5 is already in cluster 5 (line 5); counted once",
        )
    ]


def repeating(times):
    file("key.conll", *document("x\t(0)"))
    file("response.conll", *document("x\t(0)" + "(1)" * times))


@pytest.mark.parametrize(
    ("metric", "times", "most"), [("muc", 11, 10), ("muc,bcub", 6, 5), ("all", 3, 2)]
)
def test_more_than_ten_repeats_are_refused(run, metric, times, most):
    repeating(times)
    status, text, err = run(metric, "key.conll", "response.conll", "none")
    assert status == 1
    assert text.count("Repeated mention in the response: 0, 0 00\n") == 11
    assert err[-1].startswith(
        "response.conll: more than 10 repeated mentions over all documents an"
    )
    assert err[-1].endswith("and so does: scorer check key.conll response.conll")
    named = "mention (0,0) of cluster 1 is already in cluster 0 (line 2); counted once"
    assert err[:-1] == [f"warning: response.conll:2: document (a): {named}"] * times
    repeating(most)
    status, text, err = run(metric, "key.conll", "response.conll", "none")
    assert (status, len(err)) == (0, most)
    assert text.count("Repeated mention in the response: 0, 0 00\n") == 10


# As a process


def process(*arguments, unbuffered=False, **options):
    """Runs `python -m scorer`; a program's stdout fails at each write, or when it ends."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    command = [sys.executable, "-m", "scorer", *arguments]
    return subprocess.run(
        command, stderr=subprocess.PIPE, env=environment, cwd=ROOT, check=False, **options
    )


both_ways = pytest.mark.parametrize("unbuffered", [False, True], ids=["buffered", "unbuffered"])


def test_a_reader_that_leaves(tmp_path):
    """As in `scorer.pl … | head`: no traceback, and the status that a shell gives to a broken
    pipe."""
    many = tmp_path / "many.conll"
    many.write_bytes(write({str(number): [[0], [1, 2]] for number in range(3000)}))
    reader, writer = os.pipe()
    os.close(reader)
    for paths in (EXAMPLE, [str(many)] * 2):
        done = process("all", *paths, stdout=writer)
        assert (done.returncode, done.stderr) == (141, b"")
    os.close(writer)


@pytest.mark.posix
@both_ways
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full on this machine")
def test_a_full_disk(unbuffered):
    with open("/dev/full", "wb") as full:
        done = process("all", *EXAMPLE, unbuffered=unbuffered, stdout=full)
    assert (done.returncode, done.stderr) == (2, b"standard output: No space left on device\n")


def test_a_closed_stdout():
    done = process("all", *EXAMPLE, preexec_fn=lambda: os.close(1))
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


@pytest.mark.posix
@both_ways
def test_a_pipe_that_does_not_wait_gets_all(tmp_path, unbuffered):
    many = tmp_path / "many.conll"
    many.write_bytes(write({str(number): [[0], [1, 2]] for number in range(1000)}))
    expected = process("muc", str(many), str(many), stdout=subprocess.PIPE).stdout
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    got = []

    def read():
        time.sleep(0.5)
        with open(reader, "rb") as file:
            got.append(file.read())

    thread = threading.Thread(target=read)
    thread.start()
    done = process("muc", str(many), str(many), unbuffered=unbuffered, stdout=writer)
    os.close(writer)
    thread.join()
    assert (done.returncode, done.stderr, got) == (0, b"", [expected])
    assert len(expected) > 1 << 17


NO_SCIPY = ModuleNotFoundError("No module named 'scipy.sparse'", name="scipy.sparse")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MemoryError, 2, "out of memory; score less at once (documents, --trials, --jobs), or"),
        (RecursionError, 2, "a file is nested too deeply to be read; check that it is the right"),
        (KeyboardInterrupt, 130, ""),
        (
            NO_SCIPY,
            2,
            "this needs scipy, which is not installed; pip install conll-scorer, or pip install . in its folder, brings it\n",
        ),
    ],
    ids=["memory", "depth", "interrupt", "package"],
)
def test_what_ends_a_command_is_one_line(error, status, said, capsys):
    def command(_):
        raise error

    assert perl.run(command) == status
    err = capsys.readouterr().err
    assert err.startswith(said)
    assert err.count("\n") == bool(said)


@pytest.mark.linux
def test_little_address_space_is_said_before_numpy_is_loaded():
    """OpenBLAS would ask for memory again and again, and no signal but KILL would end it."""
    loads = "from scorer import perl\nraise SystemExit(perl.run(lambda _: __import__('numpy')))"
    limited = ["sh", "-c", 'ulimit -v 120000; exec "$@"', "sh", sys.executable, "-c", loads]
    ran = subprocess.run(limited, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr) == (
        2,
        "numpy needs 125 MB of address space, and less is left to this process; lift its limit with `ulimit -v unlimited`\n",
    )


def test_an_interrupt_ends_a_program_that_is_still_imported():
    state = "import sys, signal\nsys.argv[0] = %r\nimport conll_scorer\nprint(signal.getsignal(2))"
    for program, state_of_signal in (
        ("scorer.pl", signal.SIG_DFL),
        ("train.py", signal.default_int_handler),
    ):
        ran = subprocess.run(
            [sys.executable, "-c", state % program], capture_output=True, text=True, check=True
        )
        assert ran.stdout == f"{state_of_signal}\n"


def test_a_command_that_has_begun_answers_an_interrupt_itself(monkeypatch, main):
    handlers = []
    monkeypatch.setattr(metrics, "run", lambda _: handlers.append(signal.getsignal(2)) or 0)
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        assert main("metrics")[0] == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)
    assert handlers == [signal.default_int_handler]


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
