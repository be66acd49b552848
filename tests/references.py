"""The programs that others wrote, for `make oracle`: how each is run, what pairs it is given, and what counts as a difference.

What differs on purpose (the README's "Differences from the reference") is judged here and nowhere
else. The programs are run, each with a time limit; nothing of them is read.
"""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections import Counter
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import generator
from conll import open_source
from engines import engine, limits
from scorer import perl, score
from scorer.options import settings

HERE = Path(__file__).parent
LIMIT = int(os.environ.get("ORACLE_LIMIT", "10"))
"""Seconds that one run of another program may take."""


ENVIRONMENT = {**os.environ, "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}
"""Perl visits what it keeps in hashes in the same order whenever it is run so."""


class Trial(NamedTuple):
    """A pair of files, what else the program is told, and the limits of our numpy engine (None: the plain engine)."""

    key: bytes
    response: bytes
    options: list
    limits: dict | None = None


class Run(NamedTuple):
    """What a program printed, and its exit status."""

    status: int
    out: bytes
    err: bytes


class UnjudgedError(Exception):
    """A run of the other program that says nothing of ours: it took too long, or it refuses such files."""


def run(command):
    """A run of a command; UnjudgedError when it takes too long."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=LIMIT,
            env=ENVIRONMENT,
        )
    except subprocess.TimeoutExpired:
        raise UnjudgedError(f"took more than {LIMIT} seconds") from None
    return Run(done.returncode, done.stdout, done.stderr)


@contextmanager
def limited():
    """What we do within it may take no longer than another program may."""

    def end(*_):
        raise TimeoutError(f"more than {LIMIT} seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interpreter(path):
    """What runs a script, by how its name ends."""
    return {".pl": ["perl"], ".py": [sys.executable]}.get(Path(path).suffix, [])


class Program:
    """One of the programs: `variable` names it in the environment, `file` is where its differences are saved."""

    variable = ""
    file = ""
    share = 1
    """How many of its pairs there are for one of another's."""

    def __init__(self, path, folder):
        self.path = str(Path(path).resolve())
        self.folder = folder
        self.command = [*interpreter(path), self.path]
        self.paths = [os.path.join(folder, name) for name in ("key.conll", "response.conll")]
        self.outputs = [os.path.join(folder, name) for name in ("out", "err")]
        server = self.server_command()
        self.server = None if server is None else self.start(server)

    def fixed(self):
        """Trials that come before all that are drawn."""
        return []

    def draw(self, draw):
        """A trial at random."""
        raise NotImplementedError

    def difference(self, trial):
        """What differs, in one line; None if nothing does. UnjudgedError."""
        raise NotImplementedError

    def row(self, trial):
        """The trial as a row of the fixtures: what the other program printed is what is right."""
        raise NotImplementedError

    def server_command(self):
        """The command of a process that runs the program again and again.

        None where there is none.
        """

    def start(self, command):
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        )

    def forked(self, arguments):
        """A run by that process."""
        words = [*self.outputs, *arguments]
        self.server.stdin.write(
            b" ".join(os.fsencode(word).hex().encode() for word in words) + b"\n"
        )
        self.server.stdin.flush()
        answer = self.server.stdout.readline()
        if not answer:
            raise ValueError(
                f"{self.variable}: {self.path} ended where it should wait for the next run"
            )
        status = int(answer)
        if status & 127:
            raise UnjudgedError(f"took more than {LIMIT} seconds")
        out, err = (Path(path).read_bytes() for path in self.outputs)
        return Run(status >> 8, out, err)

    def close(self):
        """Leave no process behind."""
        if self.server:
            self.server.communicate()

    def write(self, trial):
        """The two files of a trial."""
        for path, data in zip(self.paths, (trial.key, trial.response)):
            with open(path, "wb") as file:
                file.write(data)


# scorer.pl
# -----------------------------------------------------------------------------------------------------------

METRICS = ["all", "all", "muc", "bcub", "ceafm", "ceafe", "blanc", "BLANC"]
BLANK = re.compile(rb"^[ \t\r\f\v]+$", re.MULTILINE)
WARNINGS = re.compile(rb"(warning: [^\n]+\n)*")
MALFORMED = re.compile(rb"(key|response)\.conll:\d+: document [^\n]+\n")
UNCLOSED = re.compile(rb"key\.conll:\d+: document [^\n]+, so blanc cannot be scored; [^\n]+\n")
REFUSED = re.compile(rb"response\.conll: more than 10 repeated mentions [^\n]+\n")
NOTHING = re.compile(b"")
DOCUMENT = re.compile(rb"^====> ", re.MULTILINE)
TOTALS = b"\n====== TOTALS =======\n"
LINE = re.compile(
    rb"Coreference: Recall: \((\S+) / (\d+)\) (\S+)%\tPrecision: \((\S+) / (\d+)\) "
    rb"(\S+)%\tF1: (\S+)%"
)


class Scorer(Program):
    """The Perl scorer, v8.01 or v8.0, in all its modes: what it prints, to the byte, and how it ends."""

    variable = "COREFSCORER"
    file = "reference.jsonl"
    share = 30

    def __init__(self, path, folder):
        super().__init__(path, folder)
        self.write(Trial(b"", b"", []))
        self.version = re.match(rb"version: (\S*)", self.direct(Trial(b"", b"", ["muc"])).out)
        if not self.version:
            raise ValueError(
                "does not print its version first, as scorer.pl does; name a scorer.pl v8.01"
            )

    def server_command(self):
        modules = Path(self.path).parent / "lib"
        if (modules / "CorScorer.pm").exists() and shutil.which("perl"):
            return ["perl", str(HERE / "forked.pl"), self.path, str(modules), str(LIMIT)]
        return None

    def fixed(self):
        """The pairs of files among the fixtures, with every metric and every document."""
        for key in sorted((HERE.parent / "fixtures").rglob("*.key.conll")):
            response = key.with_name(key.name.replace(".key.", ".response."))
            for name in (*([name] for name in open_source(str(key)).names()), ["none"], []):
                for metric in sorted({*METRICS}):
                    yield Trial(key.read_bytes(), response.read_bytes(), [metric, *name])

    def draw(self, draw):
        kinds = [generator.conll_pair, generator.endless_pair, generator.tied_pair]
        [pair] = draw.choices(kinds, [8, 1, 1])
        key, response = pair(draw)
        name = draw.choice(
            [
                [],
                [],
                [],
                ["none"],
                [draw.choice(generator.NAMES).decode("utf-8", "surrogateescape")],
            ]
        )
        small = limits(draw) if generator.chance(draw, 0.3) else None
        return Trial(key, response, [draw.choice(METRICS), *name], small)

    def read_by_all(self, trial):
        """The trial, but for v8.0 with empty lines for those of white space, which are tokens there and are not in v8.01."""
        if self.version[1] != b"8.0":
            return trial
        return trial._replace(
            key=BLANK.sub(b"", trial.key), response=BLANK.sub(b"", trial.response)
        )

    def arguments(self, trial):
        metric, *name = trial.options
        return [metric, *self.paths, *name]

    def direct(self, trial):
        """The run of the program itself."""
        return run([*self.command, *self.arguments(trial)])

    def ours(self, trial):
        """Our run, in this process. What it raises is a difference, too."""
        out, err = (
            io.TextIOWrapper(io.BytesIO()),
            io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"),
        )
        with (
            redirect_stdout(out),
            redirect_stderr(err),
            engine("plain" if trial.limits is None else "numpy", **trial.limits or {}),
        ):
            status = perl.main(self.arguments(trial))
        out.flush()
        err.flush()
        folder = self.folder.encode() + b"/"
        return Run(status, out.buffer.getvalue(), err.buffer.getvalue().replace(folder, b""))

    def difference(self, trial):
        trial = self.read_by_all(trial)
        self.write(trial)
        try:
            with limited():
                ours = self.ours(trial)
        except Exception as error:  # noqa: BLE001  whatever it is, no input should raise it
            return f"ours raises {error!r}"
        names = open_source(self.paths[0]).names() if trial.options[1:] in ([], ["none"]) else []
        several = len(names) > 1
        if self.server:
            # The process has compiled the program already, and printed the first line.
            theirs = self.forked(self.arguments(trial))
            if not verdict(theirs._replace(out=b"version\n" + theirs.out), ours, several=several):
                return None
        theirs = self.direct(trial)
        if several and theirs.status == 1 and MALFORMED.fullmatch(ours.err):
            # The reference may be refused before it comes to the document on which it would die.
            theirs = next(
                (run for run in map(self.alone, repeat(trial), names) if run.status not in (0, 1)),
                theirs,
            )
        return verdict(theirs, ours, several=several)

    def alone(self, trial, name):
        """The run of the program on the document that is read of that name.

        Naming it as an argument would ask for the first.
        """
        self.write(trial)
        sources = [open_source(path) for path in self.paths]
        self.write(trial._replace(key=only(sources[0], name), response=only(sources[1], name)))
        return self.direct(trial)

    def row(self, trial):
        trial = self.read_by_all(trial)
        self.write(trial)
        theirs = self.direct(trial)
        text = b"version: 8.01 {MODULE}\n" + theirs.out.partition(b"\n")[2]
        sides = {"key": trial.key, "response": trial.response, "stdout": text}
        # One character a byte.
        row = {
            "args": trial.options,
            **{name: data.decode("latin-1") for name, data in sides.items()},
            "exit": theirs.status,
        }
        return row if trial.limits is None else {**row, "limits": trial.limits}


def only(source, name):
    """The bytes of a file that holds that one document of a source, if it has it."""
    body = source.body_of(name)
    if body is None:
        return b""
    # A document without an end holds those after it, whose first lines are tokens of it and must
    # begin no document here.
    body = body.replace(b"begin document", b"begin_document")
    end = b"#end document\n" if source._entries[name].ended else b""
    return b"#begin document " + name.encode("utf-8", "surrogateescape") + b"\n" + body + end


def verdict(theirs, ours, *, several):
    """What differs between two runs of scorer.pl; None if nothing does that should not.

    `several`: the key holds several documents. The reference visits them in an order of its own, so
    that parts may come in another order, sums of fractions may differ in the last digits, and the
    run may be refused in another document.
    """
    first, _, text = ours.out.partition(b"\n")
    expected = theirs.out.partition(b"\n")[2]
    died = theirs.status not in (0, 1)
    if died or (theirs.status == 1 and UNCLOSED.fullmatch(ours.err)):
        # One line says where, and nothing else is printed. Under `all` the reference may be refused
        # before it dies of `blanc`.
        as_it_should = ours.status == 2 and not text and MALFORMED.fullmatch(ours.err)
        return (
            None
            if as_it_should
            else (
                f"the reference ends with {theirs.status}, ours with {ours.status} and "
                f"{ours.err[-200:]!r}"
            )
        )
    if ours.status != theirs.status:
        return (
            f"the reference ends with {theirs.status}, ours with {ours.status} and "
            f"{ours.err[-200:]!r}"
        )
    said = ours.err[WARNINGS.match(ours.err).end() :]
    if not first.startswith(b"version: 8.01 ") or not (
        REFUSED if ours.status else NOTHING
    ).fullmatch(said):
        return f"ours prints {first!r}, and says {said!r}"
    same = text == expected or (
        several and (theirs.status == 1 or same_in_any_order(expected, text))
    )
    return None if same else first_difference(expected, text)


def first_difference(expected, text):
    lines, others = expected.split(b"\n"), text.split(b"\n")
    at = next(
        (at for at, (line, other) in enumerate(zip(lines, others)) if line != other),
        min(len(lines), len(others)),
    )
    line, other = ((some[at] if at < len(some) else b"(nothing)") for some in (lines, others))
    return f"line {at + 2}: the reference prints {line!r}, ours {other!r}"


def same_in_any_order(expected, text):
    """Whether two outputs say the same, metric by metric, of each document and in total."""
    theirs, ours = sections(expected), sections(text)
    return len(theirs) == len(ours) and all(
        heading == other and documents == others and same_totals(totals, other_totals)
        for (heading, documents, totals), (other, others, other_totals) in zip(theirs, ours)
    )


def sections(text):
    """The heading of each metric, how often each document's part comes, and the totals."""
    found = []
    for section in re.split(rb"(?=^\nMETRIC )|(?<=-\n)(?=\nMETRIC )", text):
        documents, _, totals = section.partition(TOTALS)
        heading = b""
        if documents.startswith(b"\nMETRIC "):
            heading, _, documents = documents[1:].partition(b"\n")
        starts = [at.start() for at in DOCUMENT.finditer(documents)][::2]
        # Without documents, the lines on repeated mentions are all there is.
        parts = [
            documents[start:stop] for start, stop in zip(starts, [*starts[1:], None])
        ] or documents.splitlines()
        found.append((heading, Counter(parts), totals))
    return found


def same_totals(expected, text):
    lines, others = expected.split(b"\n"), text.split(b"\n")
    return len(lines) == len(others) and all(
        line == other or same_sum(line, other) for line, other in zip(lines, others)
    )


def same_sum(line, other):
    """Whether two lines of totals differ by nothing but the order in which fractions were added."""
    found, again = LINE.fullmatch(line), LINE.fullmatch(other)
    if not found or not again:
        return False
    fractions = {1, 4}
    for at in range(1, 8):
        one, another = float(found[at]), float(again[at])
        if at in fractions:
            if abs(one - another) > 1e-9 * one:
                return False
        elif at in (2, 5):
            if one != another:
                return False
        elif one != another and abs(one - another) > 0.01 + 1e-9:
            # Cut off after two decimals, so that the last digit may differ where it is just not
            # reached.
            return False
    return all(cut_off(match) for match in (found, again))


def cut_off(match):
    """Whether the percentages of a line are those of its own counts."""
    recall, precision = (float(match[at]) / (float(match[at + 1]) or 1) for at in (1, 4))
    f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0
    shown = (float(match[at]) for at in (3, 6, 7))
    return all(
        any(
            abs(int(ratio * (1 + off) * 10000) / 100 - percent) < 1e-9 for off in (-1e-12, 0, 1e-12)
        )
        for ratio, percent in zip((recall, precision, f1), shown)
    )


# Programs that print percent
# -----------------------------------------------------------------------------------------

FIGURES = re.compile(
    r"^(\w+)\s+Recall: *([\d.]+)\s+Precision: *([\d.]+)\s+F1: *([\d.]+)", re.MULTILINE
)
CONLL = re.compile(r"^CoNLL score: *([\d.]+)", re.MULTILINE)


def figures(text):
    """What a Python scorer prints: recall, precision and F1 in percent by metric, and `conll`, one number."""
    found = {
        name: [float(number) for number in numbers] for name, *numbers in FIGURES.findall(text)
    }
    return found, next((float(number) for number in CONLL.findall(text)), None)


def as_printed(ratio, percent):
    """Whether a ratio is printed so with two decimals.

    A tie may go either way, as binary fractions decide it.
    """
    return abs(100 * ratio - percent) <= 0.005 + 1e-9


class Percent(Program):
    """A program that prints recall, precision and F1 of each metric in percent, rounded to two decimals."""

    settings: tuple = ()
    """Each an option of the program, or none of it, and our options for it."""

    def server_command(self):
        if self.command[0] != sys.executable:
            return None
        return [sys.executable, str(HERE / "rerun.py"), self.path, str(LIMIT)]

    def arguments(self, trial):
        raise NotImplementedError

    def our_options(self, trial):
        raise NotImplementedError

    def theirs(self, trial):
        """Its figures; UnjudgedError where it refuses the files."""
        self.write(trial)
        done = (
            self.forked(self.arguments(trial))
            if self.server
            else run([*self.command, *self.arguments(trial)])
        )
        if done.status:
            raise UnjudgedError("refuses such files")
        found, conll = figures(done.out.decode("utf-8", "replace"))
        if not found:
            raise ValueError(
                f"{self.variable}: {self.path} prints no figures that could be read: "
                f"{done.out[:200]!r}"
            )
        return found, conll

    def difference(self, trial):
        expected, conll = self.theirs(trial)
        options = self.our_options(trial)
        names = [*expected, *(["conll"] if conll is not None else [])]
        try:
            with limited(), warnings.catch_warnings(action="ignore"):
                evaluation = score(
                    *map(io.BytesIO, (trial.key, trial.response)),
                    metrics=names,
                    **options,
                )
        except Exception as error:  # noqa: BLE001  what the other program scores, ours should
            if "CorefUD's scorer refuses such a file" in str(error):
                raise UnjudgedError("reads mentions that cross otherwise than written") from None
            return f"{self.variable} scores this, ours raises {error!r}"
        found = None
        if conll is not None and not as_printed(evaluation.ratios("conll").f1, conll):
            found = (
                f"conll: {self.variable} prints {conll}, ours is "
                f"{100 * evaluation.ratios('conll').f1}"
            )
        for metric, percent in reversed(expected.items()):
            ratios = evaluation.ratios(metric).as_tuple()
            if not all(map(as_printed, ratios, percent)):
                found = (
                    f"{metric}: {self.variable} prints {percent}, ours are "
                    f"{[100 * ratio for ratio in ratios]}"
                )
        if found and any(problem.kind == "reading" for problem in evaluation.problems):
            raise UnjudgedError("may read mentions that cross otherwise than written")
        return found

    def row(self, trial):
        percent, conll = self.theirs(trial)
        return {
            "options": trial.options,
            "key": trial.key.decode(),
            "response": trial.response.decode(),
            "percent": percent,
            "conll": conll,
        }


class CorefUD(Percent):
    """CorefUD's scorer, with every matching, with singletons and without."""

    variable = "COREFUD_SCORER"
    file = "corefud.jsonl"

    def draw(self, draw):
        options = [
            "-a",
            draw.choice(["exact", "partial", "head", "head"]),
            "-z",
            draw.choice(["linear", "dependent"]),
        ]
        return Trial(*generator.corefud_pair(draw), options + draw.choice([[], ["-s"]]))

    def arguments(self, trial):
        return [*self.paths, *trial.options, "-m", "all"]

    def our_options(self, trial):
        singletons = "keep" if "-s" in trial.options else "drop"
        options = settings(
            "crac25", match=trial.options[1], zeros=trial.options[3], singletons=singletons
        )
        del options["metrics"]
        return options


class CoVal(Percent):
    """coval's scorer.py, on what its format and ours have in common."""

    variable = "COVAL"
    file = "coval.jsonl"

    def draw(self, draw):
        return Trial(*generator.plain_pair(draw), draw.choice([[], ["remove_singletons"]]))

    def arguments(self, trial):
        return [*self.paths, *trial.options]

    def our_options(self, trial):
        return {"singletons": "drop" if trial.options else "keep"}


PROGRAMS = {program.variable: program for program in (Scorer, CorefUD, CoVal)}


def line_of(row):
    """A row as a line of a file of fixtures."""
    return json.dumps(row, ensure_ascii=False) + "\n"
