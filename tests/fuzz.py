"""Gives damaged files to every reader and command, and saves each on which one of them fails: `make fuzz`.

    python tests/fuzz.py --seconds 300

Whatever is in a file, a command ends soon, within its memory, with status 0, 1 or 2, and with one
line for an error; both engines say the same; and what `convert` writes without a warning holds the
clusters that it read. The exit status is 0 when all of that holds, 1 when it does not.
"""

import argparse
import faulthandler
import gettext
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import mutation
from conll import ConllError, formats, open_documents
from engines import engine, limits
from generator import chance
from oracle import kind, smaller
from scorer.cli import main as command
from scorer.options import PRESETS, TABLE
from scorer.report.forms import names
from scorer.run import isolation

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "fixtures" / "fuzz"
LIMIT = 2
"""Seconds of this process that an input of some kilobytes may take in one command."""
IN_PARTS = 5 * LIMIT
"""The same with the numpy engine, whose limits make it take a file in parts of a line, some
milliseconds each."""
STUCK = 60
"""Seconds after which a process that does not react is ended."""
MEMORY = 1 << 30
"""Bytes that a process may take beyond what it begins with."""
ENOUGH = 20
"""Finds after which a process stops looking for more."""


SHOWN = [name for name in names() if name not in ("html", "parquet", "perl")]
"""Forms of most reports. What a page or a table of columns holds is the same; those that are quick
to write are enough here."""
SWITCHES = {
    "errors": [
        ["--against", "RESPONSE"],
        ["--antecedents", "accessible"],
        ["--by", "speaker"],
        ["--group-by", "^(.)"],
        ["--links", "output"],
        ["--show", "errors"],
        ["--match", "head"],
        ["--metrics", "muc"],
        ["--show", "all"],
        ["--singletons", "drop"],
        ["--trials", "9"],
    ],
    "muc7": [["--group-by", "^(.)"], ["--partial"], ["--per-document"], ["--section", "speaker"]],
    "spans": [
        ["--against", "KEY"],
        ["--average", "both"],
        ["--by", "speaker"],
        ["--min-overlap", "0.5"],
        ["--of", "names"],
        ["--thresholds", "all"],
        ["--within-label"],
    ],
}
"""Arguments of commands with some of their own."""


class Trial(NamedTuple):
    """A pair of files, what is done with them, and the limits of the numpy engine."""

    key: bytes
    response: bytes
    arguments: list
    limits: dict


class TooLongError(BaseException):
    """More seconds than allowed. Nothing that catches errors of files catches it."""


class Commands:
    """The commands of this package, given files in a folder."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.paths = {
            "KEY": f"{folder}/key",
            "RESPONSE": f"{folder}/response",
            "OUT": f"{folder}/out",
        }

    def difference(self, trial):
        """What is wrong, in one line; None if nothing is."""
        for path, data in zip(self.paths.values(), (trial.key, trial.response)):
            Path(path).write_bytes(data)
        arguments = [self.paths.get(argument, argument) for argument in trial.arguments]
        with suppressed_file(self.paths["OUT"]):
            plain = self.run(arguments)
            if isinstance(plain, str):
                return plain
            wrong = wrong_with(trial.arguments, *plain)
            if wrong is None and trial.arguments[0] == "convert":
                wrong = self.converted(trial.arguments, *plain)
            if wrong is None and trial.arguments[0] in ("score", "all", "muc7", "spans"):
                again = self.run(arguments, trial.limits)
                if again != plain:
                    wrong = f"the engines differ: {first_difference(plain, again)}"
        return wrong

    def run(self, arguments, small=None):
        """Exit status, stdout and stderr of a command; what it raises, as text, if it does."""
        out, err = (
            io.TextIOWrapper(io.BytesIO()),
            io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"),
        )
        seconds = IN_PARTS if small else LIMIT
        try:
            with (
                in_time(seconds),
                redirect_stdout(out),
                redirect_stderr(err),
                engine("numpy" if small else "plain", **small or {}),
            ):
                status = command.main(list(arguments))
        except SystemExit as leaving:
            status = leaving.code
        except TooLongError as error:
            return f"takes more than {seconds} seconds{place_of(error)}"
        except Exception as error:  # noqa: BLE001  whatever it is, no input should raise it
            return f"raises {type(error).__name__}{place_of(error)}: {error}"
        out.flush()
        err.flush()
        return status, *(
            text.buffer.getvalue().replace(self.folder.encode(), b"") for text in (out, err)
        )

    def converted(self, arguments, status, _, err):
        """What is wrong with a file that `convert` wrote."""
        if status != 0:
            return (
                "convert leaves a file though it fails"
                if os.path.exists(self.paths["OUT"])
                else None
            )
        if err:
            return None
        read_as = arguments[arguments.index("--from") + 1] if "--from" in arguments else None
        read = clusters_of(open_documents(self.paths["KEY"], read_as))
        if not read:
            return None
        try:
            written = clusters_of(
                open_documents(self.paths["OUT"], arguments[arguments.index("--to") + 1])
            )
        except ConllError as error:
            return f"convert writes what cannot be read ({error.problem})"
        return (
            None
            if read == written
            else f"convert changes clusters in silence: {first_difference(read, written)}"
        )

    def row(self, trial):
        """The trial as it is kept: one character a byte."""
        files = {"key": trial.key.decode("latin-1"), "response": trial.response.decode("latin-1")}
        return {"arguments": trial.arguments, "limits": trial.limits, **files}


def trial_of(row):
    """A trial that is kept."""
    return Trial(
        row["key"].encode("latin-1"),
        row["response"].encode("latin-1"),
        row["arguments"],
        row["limits"],
    )


def clusters_of(source):
    """The clusters of each document that are not empty, in no order; and their mentions in none."""
    return {
        name: counted(counted(cluster) for cluster in source.document(name).clusters if cluster)
        for name in source.names()
    }


def counted(values):
    return frozenset(Counter(values).items())


def first_difference(one, other):
    """Where two results begin to differ."""
    one, other = repr(one), repr(other)
    at = next(
        (at for at, (left, right) in enumerate(zip(one, other)) if left != right),
        min(len(one), len(other)),
    )
    return f"…{one[max(0, at - 40) : at + 60]} and …{other[max(0, at - 40) : at + 60]}"


def wrong_with(arguments, status, out, err):
    """What is wrong with how a command ended."""
    lines = err.decode().split("\n")
    if status not in (0, 1, 2):
        return f"the exit status is {status}"
    if b"Traceback" in err or b"please report" in err:
        return f"says {err[-200:]!r}"
    if lines.pop() or not all(lines):
        return f"says lines that are none: {err[-200:]!r}"
    others = [line for line in lines if not line.startswith(("warning: ", "note: "))]
    if status == 0 and others:
        return f"says {others[0]!r} though all is well"
    # scorer.pl prints its first line before it reads anything, and refuses with what it has read so
    # far.
    if status == 2 and (len(others) != 1 or (out and arguments[0] == "score")):
        return f"says {len(others)} errors and prints {len(out)} bytes: {err[-200:]!r}"
    return None


def place_of(error):
    """Where in this package an error arose."""
    frames = traceback.extract_tb(error.__traceback__)
    paths = [Path(frame.filename) for frame in frames]
    ours = [
        frame
        for frame, path in zip(frames, paths)
        if {ROOT / "conll", ROOT / "scorer"} & {*path.parents}
    ]
    return f" in {Path(ours[-1].filename).name}, {ours[-1].name}" if ours else ""


@contextmanager
def in_time(seconds):
    """What is done within it may take so many seconds of this process, so that a busy machine does not matter."""

    def end(*_):
        raise TooLongError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def suppressed_file(path):
    """The file is gone before and after."""
    for last in (False, True):
        if os.path.exists(path):
            os.remove(path)
        if not last:
            yield


def drawn(draw, seeds):
    """A trial at random."""
    key, response = mutation.pair(draw, seeds)
    return Trial(key, response, arguments(draw), limits(draw))


def arguments(draw):
    """A command, with KEY, RESPONSE and OUT for the paths."""
    command = draw.choice(
        [
            "score",
            "score",
            "score",
            "all",
            "check",
            "convert",
            "convert",
            "show",
            "errors",
            "muc7",
            "spans",
        ]
    )
    if command == "all":
        return [command, "KEY", "RESPONSE", *draw.choice([[], [], ["none"], ["(d/0); part 000"]])]
    if command == "check":
        named = ["--format", draw.choice(formats.names())] if chance(draw, 0.2) else []
        return [
            command,
            *draw.choice([["KEY"], ["KEY", "RESPONSE"], ["--each", "KEY", "RESPONSE"]]),
            *named,
        ]
    if command == "show":
        return [
            command,
            *draw.choice([["KEY"], ["KEY", "RESPONSE"]]),
            *draw.choice(
                [
                    [],
                    ["--color", "always"],
                    ["--cluster", "0"],
                    ["--format", "html"],
                    ["--format", "html"],
                ]
            ),
        ]
    if command in SWITCHES:
        chosen = [word for switch in SWITCHES[command] if chance(draw, 0.2) for word in switch]
        page = ["html"] * 4 if command == "errors" else []
        return [command, "KEY", "RESPONSE", *chosen, "--format", draw.choice([*SHOWN, *page])]
    if command == "convert":
        written = [name for name in formats.names() if formats.get(name).write is not None]
        named = ["--from", draw.choice(formats.names())] if chance(draw, 0.3) else []
        return [
            command,
            "KEY",
            "OUT",
            "--to",
            draw.choice(written),
            *named,
            *draw.choice([[], ["--drop"]]),
        ]
    options = {
        f"--{name.replace('_', '-')}": option.choices or ["a", "1"]
        for name, option in TABLE.items()
    } | {
        "--preset": PRESETS,
        "--key-format": formats.names(),
        "--response-format": formats.names(),
        "--average": ["macro", "both"],
    }
    chosen = [
        word
        for option, values in options.items()
        if chance(draw, 0.08)
        for word in (option, draw.choice([*values]))
    ]
    switches = [word for word in ("--per-document", "--quiet", "--strict") if chance(draw, 0.2)]
    return [
        command,
        "KEY",
        "RESPONSE",
        *chosen,
        *switches,
        "--format",
        draw.choice([*SHOWN, "perl"]),
    ]


def fuzz(asked, seed, folder, first):
    """The share of one process, which takes every so-manyth trial from the `first` on.

    How many there were, and what was found.
    """
    # Looking for packages with further formats and metrics, and for translations of argparse, takes
    # longer than all else, and there are the same ones each time.
    metadata.entry_points = cache(metadata.entry_points)
    gettext.find = cache(gettext.find)
    seeds = mutation.seeds()
    commands = Commands(Path(folder, str(first)))
    os.mkdir(commands.folder)
    counts = Counter(inputs=0)
    known = set()
    stop = time.monotonic() + asked.seconds
    number = first
    while time.monotonic() < stop and len(known) < ENOUGH:
        trial = drawn(random.Random(f"{seed}-{number}"), seeds)
        # Of a process that is killed, this says what it was at.
        Path(commands.folder, "number").write_text(str(number), "ascii")
        faulthandler.dump_traceback_later(STUCK, exit=True)
        difference = commands.difference(trial)
        faulthandler.cancel_dump_traceback_later()
        counts["inputs"] += 1
        counts[trial.arguments[0]] += 1
        if difference and kind(difference) not in known:
            known.add(kind(difference))
            save(
                commands,
                smaller(commands, trial, difference, asked.patience),
                difference,
                f"{seed}-{number}",
                asked.output,
            )
        number += asked.jobs
    counts["finds"] = len(known)
    return counts


def save(commands, trial, difference, name, output):
    """Write the trial down, and say so."""
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{name}.json"
    path.write_text(
        json.dumps(
            {"found": difference.replace(commands.folder, ""), **commands.row(trial)}, indent=1
        )
        + "\n",
        "utf-8",
    )
    say(f"{name}: scorer {' '.join(trial.arguments)}: {difference}; saved in {path}")


def say(text):
    sys.stderr.write(f"fuzz: {text}\n")


def main(arguments=None):
    """The exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--seed", type=int, default=None, help="repeats the run that printed it")
    parser.add_argument(
        "--patience", type=float, default=20, help="seconds spent on making a find smaller"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--output", type=Path, default=FOUND, help="the folder in which finds are saved"
    )
    asked = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(1 << 32) if asked.seed is None else asked.seed
    say(f"seed {seed}, {asked.seconds:g} seconds, {asked.jobs} processes")
    begin = time.monotonic()
    counts = Counter()
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ) as folder:
        shares = isolation.run(
            partial(fuzz, asked, seed, folder),
            range(asked.jobs),
            jobs=asked.jobs,
            limits=isolation.Limits(memory=MEMORY),
        )
        for first, outcome in shares:
            if outcome.value is not None:
                counts += Counter(outcome.value)
                continue
            # Its last input is drawn again, as it ended a process and is not to end this one.
            number = int(Path(folder, str(first), "number").read_text("ascii"))
            trial = drawn(random.Random(f"{seed}-{number}"), mutation.seeds())
            save(
                Commands(folder),
                trial,
                f"ends its process: {outcome.reason}",
                f"{seed}-{number}",
                asked.output,
            )
            counts["finds"] += 1
    finds = counts.pop("finds", 0)
    inputs = counts.pop("inputs", 0)
    taken = time.monotonic() - begin
    say(
        f"{inputs:,} inputs, {inputs / taken:,.0f} a second; "
        f"{', '.join(f'{count:,} {what}' for what, count in counts.items())}"
    )
    say(f"{finds} finds; saved in {asked.output}" if finds else "nothing found")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
