"""Scores pairs of files at random with this program and with others, and saves every pair on which they differ: `make oracle`.

    COREFSCORER=…/scorer.pl COREFUD_SCORER=…/corefud-scorer.py COVAL=…/scorer.py python
    tests/oracle.py --seconds 300

Any of the three will do. The exit status is 0 when nothing differed, 1 when something did, 2 when
there was nothing to compare with, or one of them refused all that it was given.
"""

import argparse
import multiprocessing
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from references import PROGRAMS, UnjudgedError, line_of

ENOUGH = 10
"""Differences after which a process stops looking for more."""


def main(arguments=None):
    """The exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--seed", type=int, default=None, help="repeats the run that printed it")
    parser.add_argument(
        "--patience",
        type=float,
        default=20,
        help="seconds spent on making a pair that differs smaller",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("differences"),
        help="the folder in which differences are saved",
    )
    asked = parser.parse_args(arguments)
    named = [variable for variable in PROGRAMS if os.environ.get(variable)]
    if not named:
        *some, last = PROGRAMS
        say(
            f"no program to compare with: set {', '.join(some)} or {last}, or several, to "
            "the paths of these"
        )
        return 2
    for variable in named:
        if not Path(os.environ[variable]).is_file():
            say(f"{variable}: there is no file {os.environ[variable]}")
            return 2
    try:
        with tempfile.TemporaryDirectory() as folder:
            for variable in named:
                PROGRAMS[variable](os.environ[variable], folder).close()
    except (OSError, ValueError, UnjudgedError) as error:
        say(f"{variable}: {os.environ[variable]} {error}")
        return 2
    seed = random.SystemRandom().randrange(1 << 32) if asked.seed is None else asked.seed
    say(
        f"seed {seed}, {asked.seconds:g} seconds, {asked.jobs} processes, next to "
        f"{' and '.join(named)}"
    )
    stop = time.monotonic() + asked.seconds
    tasks = [(named, seed, first, asked) for first in range(asked.jobs)]
    try:
        with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
            counts = sum(pool.starmap(compare, tasks), Counter())
    except (ValueError, UnjudgedError) as error:
        say(str(error))
        return 2
    taken = time.monotonic() - stop + asked.seconds
    pairs, different = counts.pop("pairs"), counts.pop("different", 0)
    judged = {variable: counts.pop(f"judged {variable}", 0) for variable in named}
    say(
        f"{pairs:,} pairs, {pairs / taken:,.0f} a second",
        *(f"{count:,} {what}" for what, count in sorted(counts.items())),
    )
    for variable in named:
        if not judged[variable]:
            say(
                f"{variable}: nothing was compared; see that it scores a file by itself, "
                "or ask for more seconds"
            )
            return 2
    say(f"{different} differences; saved in {asked.output}" if different else "no difference")
    return 1 if different else 0


def say(*parts):
    sys.stderr.write(f"oracle: {'; '.join(parts)}\n")


def compare(named, seed, first, asked):
    """The share of one process, which takes every so-manyth pair from the `first` on.

    How many there were, by what came of them.
    """
    counts = Counter(pairs=0)
    stop = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ) as folder:
        programs = [PROGRAMS[variable](os.environ[variable], folder) for variable in named]
        for number, (program, trial) in enumerate(trials(programs, seed, first, asked.jobs)):
            # One pair at least, however long the programs took to start.
            if counts["pairs"] and (time.monotonic() > stop or counts["different"] >= ENOUGH):
                break
            counts["pairs"] += 1
            try:
                difference = program.difference(trial)
            except UnjudgedError as reason:
                counts[f"on which {program.variable} {reason}"] += 1
                continue
            counts[f"judged {program.variable}"] += 1
            if difference:
                counts["different"] += 1
                name = f"oracle-{seed}-{first + number * asked.jobs}"
                save(
                    program, smaller(program, trial, difference, asked.patience), name, asked.output
                )
        for program in programs:
            program.close()
    return +counts


def trials(programs, seed, first, step):
    """The fixed trials of each program, then those at random; from the `first`, every `step`th."""
    fixed = [(program, trial) for program in programs for trial in program.fixed()]
    yield from fixed[first::step]
    number = first + len(fixed[first::step]) * step
    while True:
        draw = random.Random(f"{seed}-{number}")
        (program,) = draw.choices(programs, [program.share for program in programs])
        yield program, program.draw(draw)
        number += step


def save(program, trial, name, output):
    """Append the pair to the differences, and say so."""
    output.mkdir(parents=True, exist_ok=True)
    path = output / program.file
    with path.open("a", encoding="utf-8") as file:
        file.write(line_of({"id": name, **program.row(trial)}))
    say(f"{name}: {program.difference(trial)}; saved in {path}")


def kind(difference):
    """What kind of a difference a text tells of: what stands before its first particulars."""
    return re.match(r"line |[^:'\"(]*", difference)[0]


def smaller(program, trial, difference, seconds):
    """A trial with a difference of the same kind, of fewer lines and bytes if that takes no longer than so many seconds."""
    stop = time.monotonic() + seconds

    def differs(changed):
        with suppress(UnjudgedError):
            found = program.difference(changed)
            return found is not None and kind(found) == kind(difference)
        return False

    for separator in (b"\n", b""):
        changed = True
        while changed and time.monotonic() < stop:
            changed = False
            for side in ("key", "response"):
                pieces = split(getattr(trial, side), separator)
                size = len(pieces)
                while size and time.monotonic() < stop:
                    at = 0
                    while at < len(pieces) and time.monotonic() < stop:
                        fewer = pieces[:at] + pieces[at + size :]
                        candidate = trial._replace(**{side: b"".join(fewer)})
                        if differs(candidate):
                            trial, pieces, changed = candidate, fewer, True
                        else:
                            at += size
                    size //= 2
    return trial


def split(data, separator):
    return (
        data.splitlines(keepends=True)
        if separator
        else [data[at : at + 1] for at in range(len(data))]
    )


if __name__ == "__main__":
    sys.exit(main())
