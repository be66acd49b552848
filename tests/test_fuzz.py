"""Damaged files, given to every reader and command; `make fuzz` tries new ones.

Whatever is in a file, a command ends soon, within its memory, with status 0, 1 or 2, and with one
line for an error; both engines say the same; and what `convert` writes without a warning holds the
clusters that it read. Files on which one of these once failed are kept in `fixtures/fuzz`.
"""

import io
import json
import re
import signal
import traceback
from collections import Counter
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from zipfile import ZipFile, ZipInfo

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import generator
from conll import ConllError, formats, open_documents, write_documents
from conll.formats import conll2012
from engines import engine, limits
from scorer.cli import main as command
from scorer.cli.arguments import GROUPS
from scorer.report import forms
from strategies import examples

pytestmark = pytest.mark.linux  # it measures the time of a process by a signal

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
SECONDS = 10
"""Processor time that a command may take for some kilobytes."""
MEMORY = 1 << 30
"""Bytes that a command may take beyond what the process has."""
LONGEST = 60_000
"""Bytes of a file that is changed no more."""

# Damaged files
# --------------------------------------------------------------------------------------------------

LEVELS = [rb"[^\n]*\n|[^\n]+", rb"[^\t \n]+|[\t \n]+", rb"\d+|\w+|[^\w\s]|\s+", rb"(?s)."]
"""What a file is made of: lines, cells, words and brackets, bytes."""
NUMBERS = rb"0 00 -1 +1 1.1 1-2 0.1 2-1 1e9 1e400 4294967296 99999999999999999999 x 1_0".split()
ODD = [*NUMBERS, b"1" * 5000, "\u0663".encode(), b"\x00", b"\x0b", b"\x1c", b"\x85", b"\xff"]
ODD += [*generator.OTHER_LINES, *generator.ODD_CELLS, *map(bytes, zip(b"()|+_-#\t\r \n"))]
VALUES = [None, True, -1, 0, 1.5, 1e300, 10**30, "", "\ud800", "a\nb", [], {}, [[]], [1, 0]]
VALUES += [[[[]]], [[0, 0]], {"a": []}]
EXCHANGED = [(b"\n", end) for end in (b"\r\n", b"\r", b"\n\n", b" \n", b"\t\n")]
EXCHANGED += [(b"\t", b" "), (b" ", b"\t"), (b"_", b"-"), (b"-", b"_"), (b"|", b"")]


@cache
def fixtures():
    """List pairs of files of every format: a key beside itself, its response, or itself in another
    format."""
    paths = [path for name in ("formats", "documentation") for path in (FIXTURES / name).iterdir()]
    pairs = []
    for path in sorted([*paths, *FIXTURES.rglob("*.key.conll*")]):
        key = path.read_bytes()
        response = path.with_name(path.name.replace(".key.", ".response."))
        pairs.append((key, response.read_bytes()))
        for name in WRITTEN:
            out = io.BytesIO()
            with suppress(ConllError, ValueError):
                write_documents(open_documents(path), out, name)
                pairs.append((out.getvalue(), key))
    return pairs


@cache
def measured():
    """List pairs on which other programs were run."""
    pairs = []
    for name in ("reference-2", "corefud", "corefud-2", "ua"):
        for line in (FIXTURES / "golden" / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            pairs.append(
                tuple(row[side].encode("utf-8", "replace") for side in ("key", "response"))
            )
    return pairs


WRITTEN = [name for name in formats.names() if formats.get(name).write is not None]


def pair(draw):
    """Draw a key and a response, both damaged in some places."""
    kind = draw.random()
    if kind < 0.6:
        files = draw.choice(fixtures())
    elif kind < 0.7:
        files = draw.choice(fixtures())[0], draw.choice(fixtures())[1]
    elif kind < 0.8:
        files = draw.choice(measured())
    elif kind < 0.9:
        write = draw.choice([generator.conll_pair, generator.corefud_pair])
        files = write(Random(draw.getrandbits(64)))
    else:
        sides = generator.annotated_pair(Random(draw.getrandbits(64)))
        return tuple(annotated(draw, files) for files in sides)
    return tuple(damaged(draw, data) for data in files)


def annotated(draw, files):
    """Damage the files of one side; of several make an archive."""
    files = {name: damaged(draw, content) for name, content in files.items()}
    if len(files) == 1:
        return next(iter(files.values()))
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(ZipInfo(name), content)
    return out.getvalue()


def damaged(draw, data):
    """Change a file in up to six places."""
    for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3, 6])):
        if data and len(data) <= LONGEST:
            data = draw.choice(CHANGES)(draw, data)
    return data


def changed(draw, data):
    """Remove, repeat, move or replace some consecutive lines, cells, words or bytes."""
    level = draw.choice(LEVELS)
    pieces = re.findall(level, data)
    first = draw.randrange(len(pieces))
    last = first + draw.choice([1, 1, 1, 2, 3, 8])
    stretch, rest = pieces[first:last], pieces[:first] + pieces[last:]
    change = draw.choice(["remove", "repeat", "move", "replace", "odd", "cut off"])
    if change == "cut off":
        rest = pieces[:first]
    elif change == "repeat":
        rest[first:first] = stretch * draw.choice([2, 2, 3, 10, 300])
    elif change == "move":
        at = draw.randrange(len(rest) + 1)
        rest[at:at] = stretch
    elif change == "replace":
        rest[first:first] = [draw.choice(re.findall(level, draw.choice(fixtures())[0]) or [b""])]
    elif change == "odd":
        rest[first:first] = [draw.choice(ODD)]
    return b"".join(rest)


def with_value(draw, data):
    """Change one value of JSON; anything else stays as it is."""
    lines = [data] if data.startswith(b"{\n") else data.split(b"\n")
    at = draw.randrange(len(lines))
    try:
        value = json.loads(lines[at])
        places = [*places_in(value)]
        if not places:  # hypothesis does not draw from nothing in the same way twice
            return data
        inside, place = draw.choice(places)
        other, other_place = draw.choice(places)
        inside[place] = draw.choice([draw.choice(VALUES), other[other_place], [inside[place]]])
        lines[at] = json.dumps(value).encode()
    except (ValueError, RecursionError):
        return data
    return b"\n".join(lines)


def places_in(value):
    """List all places in a value of JSON, as containers and keys."""
    if isinstance(value, (dict, list)):
        for place in value if isinstance(value, dict) else range(len(value)):
            yield value, place
            yield from places_in(value[place])


def exchanged(draw, data):
    """Write all line ends, separators or signs of nothing in another way."""
    return data.replace(*draw.choice(EXCHANGED))


CHANGES = [changed, changed, changed, exchanged, with_value]

# Commands
# --------------------------------------------------------------------------------------------------

FORMS = [name for name in forms.names() if name not in ("html", "parquet", "perl")]
SAMPLES = {
    "COLUMN": ["speaker"],
    "FIELD": ["speaker"],
    "FIELDS": ["label", "etype,label"],
    "FORMAT": formats.names(),
    "FRACTION": ["0.9"],
    "ID": ["0"],
    "KEY": ["RESPONSE"],
    "METRIC": ["muc", "muc.recall"],
    "METRIC=PERCENT": ["muc=50"],
    "METRICS": ["muc", "b3,lea", "all"],
    "N": ["9"],
    "NAME": ["a"],
    "NUMBER": ["2"],
    "OTHER": ["KEY"],
    "PATTERN": ["a", "1"],
    "REGEX": ["^(.)"],
    "SHARE": ["0.5"],
    "TEXT": ["Title"],
}
"""Values of options that take any text, by what help calls them; others get `a`."""
LEFT_OUT = {"--output", "--scheduler", "--chart", "--to"}
"""Options that write files, need a server, or stand in BEFORE."""


def switches_of(name):
    """List the options of a command with their values, from the table of arguments."""
    switches = []
    for argument in (argument for group in GROUPS.values() for argument in group):
        taken = name in (*argument.commands, *argument.rare)
        if not taken or argument.is_positional or argument.name in LEFT_OUT:
            continue
        if argument.flag:
            switches.append(argument.name)
            continue
        values = argument.values(name) or SAMPLES.get(argument.metavar, ["a"])
        # Binary, so never on standard output.
        switches += [f"{argument.name} {value}" for value in values if value != "parquet"]
    return switches


SWITCHES = {name: switches_of(name) for name in ("convert", "errors", "muc7", "score", "spans")}
SWITCHES["all"] = ["none", "0"]
SWITCHES["check"] = ["RESPONSE", *switches_of("check")]
SWITCHES["show"] = ["RESPONSE", *switches_of("show")]
"""The arguments of each command, with KEY and RESPONSE for the paths."""
BEFORE = {
    "convert": [f"KEY OUT --to {name}" for name in WRITTEN],
    "check": ["KEY"],
    "show": ["KEY"],
    "all": ["KEY RESPONSE"],
}
"""The arguments that come first, one of them; of the other commands with a format."""


def arguments(draw, name):
    """Draw the arguments of a command."""
    before = BEFORE.get(name) or [f"KEY RESPONSE --format {form}" for form in FORMS]
    switches = SWITCHES[name]
    most = 1 if name == "all" else 3
    chosen = draw.sample(switches, draw.randint(0, min(most, len(switches))))
    return " ".join([name, draw.choice(before), *chosen]).split()


class Runner:
    """Run commands on two files in a folder, and say what is wrong with how they end."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.paths = {name: f"{folder}/{name.lower()}" for name in ("KEY", "RESPONSE", "OUT")}

    def problem(self, arguments, key, response, limits):
        """Say what is wrong in one line; None if nothing is."""
        Path(self.paths["KEY"]).write_bytes(key)
        Path(self.paths["RESPONSE"]).write_bytes(response)
        Path(self.paths["OUT"]).unlink(missing_ok=True)
        plain = self.run(arguments)
        if isinstance(plain, str):
            return plain
        problem = problem_of_end(arguments[0], *plain)
        if arguments[0] == "convert":
            problem = problem or self.problem_of_conversion(arguments, *plain)
        if problem is None and arguments[0] in ("score", "all"):
            numpy = self.run(arguments, limits)
            if numpy != plain:
                problem = f"the engines differ: {plain} and {numpy}"
        return problem

    def run(self, arguments, limits=None):
        """Exit status, stdout and stderr of a command; or, in one line, what it raises."""
        out = io.TextIOWrapper(io.BytesIO())
        err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")
        # The numpy engine with small limits takes a file in parts of a line.
        chosen = engine("plain") if limits is None else engine("numpy", **limits)
        try:
            with limited(SECONDS), redirect_stdout(out), redirect_stderr(err), chosen:
                status = command.main([self.paths.get(word, word) for word in arguments])
        except SystemExit as error:
            status = error.code
        except BaseException as error:  # noqa: BLE001  no input should raise anything
            frames = traceback.extract_tb(error.__traceback__)
            ours = [frame for frame in frames if "/tests/test_" not in frame.filename]
            place = f"{Path(ours[-1].filename).name}, {ours[-1].name}"
            return f"raises {type(error).__name__} in {place}: {error}"
        out.flush()
        err.flush()
        folder = self.folder.encode()
        return status, *(text.buffer.getvalue().replace(folder, b"") for text in (out, err))

    def problem_of_conversion(self, arguments, status, _, err):
        """Say what is wrong with a file that `convert` wrote, or left."""
        if status != 0:
            left = Path(self.paths["OUT"]).exists()
            return "convert leaves a file though it fails" if left else None
        if "--key" in arguments:
            # What is aligned to another text may have other clusters.
            return None
        values = dict(pairwise(arguments))  # of an option that comes twice, the last
        read = clusters_of(open_documents(self.paths["KEY"], values.get("--from")))
        # What changes is listed, unless that is asked not to be.
        if err or not read or "--quiet" in arguments:
            return None
        try:
            written = clusters_of(open_documents(self.paths["OUT"], values["--to"]))
        except ConllError as error:
            return f"convert writes what cannot be read ({error.problem})"
        return None if read == written else f"convert changes clusters: {read} and {written}"


class TooLongError(BaseException):
    """What nothing that handles errors of files handles."""


@contextmanager
def limited(seconds):
    """Raise TooLongError after some seconds of this process, and MemoryError beyond its memory.

    It is the time of the processor, so that a busy machine does not matter.
    """
    import resource  # which Windows lacks

    def end(*_):
        raise TooLongError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, end)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def clusters_of(source):
    """Count the clusters of each document that are not empty, in no order, nor their mentions."""
    return {
        name: Counter(
            frozenset(Counter(cluster).items()) for cluster in source.read(name).clusters if cluster
        )
        for name in source.names()
    }


def problem_of_end(name, status, out, err):
    """Say what is wrong with how a command ended."""
    if status not in (0, 1, 2):
        return f"the exit status is {status}"
    if b"Traceback" in err or b"please report" in err:
        return f"says {err[-200:]!r}"
    lines = err.decode().split("\n")
    if lines.pop() or not all(lines):
        return f"says lines that are none: {err[-200:]!r}"
    errors = [line for line in lines if not line.startswith(("warning: ", "note: "))]
    if name == "check":
        errors = [line for line in errors if not line.endswith(": no problems")]
    if status == 0 and errors:
        return f"says {errors[0]!r} though all is well"
    # scorer.pl prints its first line before it reads anything.
    if status == 2 and (len(errors) != 1 or (out and name == "score")):
        return f"says {len(errors)} errors and prints {len(out)} bytes: {err[-200:]!r}"
    return None


# Tests
# --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    return Runner(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("name", SWITCHES)
@examples(0.2)
@given(draw=st.randoms(use_true_random=False))
def test_a_command_ends_well_on_damaged_files(name, draw, runner):
    key, response = pair(draw)
    words, small = arguments(draw, name), limits(draw)
    row = {"key": key.decode("latin-1"), "response": response.decode("latin-1")}
    # To be saved in fixtures/fuzz.
    note(json.dumps({"arguments": words, "limits": small, **row}))
    problem = runner.problem(words, key, response, small)
    assert problem is None


@pytest.mark.parametrize("path", sorted((FIXTURES / "fuzz").iterdir()), ids=lambda path: path.stem)
def test_what_once_failed_ends_well(path, runner):
    row = json.loads(path.read_text("utf-8"))
    files = (row[side].encode("latin-1") for side in ("key", "response"))
    assert runner.problem(row["arguments"], *files, row["limits"]) is None


EXAMPLE = (FIXTURES / "example.key.conll").read_bytes()


def busy(*_, **__):
    while True:
        pass


@pytest.mark.parametrize(
    ("fails", "problem"),
    [
        (lambda *_, **__: {}["x"], "raises KeyError in conll2012.py, _read: 'x'"),
        (busy, "raises TooLongError in conll2012.py, _read: more than 0.5 seconds"),
    ],
)
def test_failures_of_a_reader_are_noticed(fails, problem, runner, monkeypatch):
    # The second time, nothing is imported any more.
    assert runner.problem(["score", "KEY", "RESPONSE"], EXAMPLE, EXAMPLE, {}) is None
    monkeypatch.setattr("test_fuzz.SECONDS", 0.5)
    monkeypatch.setattr(conll2012, "read", fails)
    assert runner.problem(["score", "KEY", "RESPONSE"], EXAMPLE, EXAMPLE, {}) == problem
