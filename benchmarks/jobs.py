"""A thousand pairs of files with one process and with two.

    python benchmarks/jobs.py [--pairs N] [--mentions M] [--jobs J] [--before PYTHON] [--runs N]

Writes two folders of files and measures `scorer score KEYS RESPONSES --jobs …`; the outputs must be the same to the byte. PYTHON
has an older version installed, whose several processes are compared, too; the target is for that of commit 153992f. By the
processor, that is what as many free cores would take: the busiest process, as the first one works as well; in the older version it
did not, so that is the first process, and an equal share of the others.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import sys
import tempfile
from typing import TYPE_CHECKING

import corpus
from measure import Row, print_targets, show_seconds, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN, FORMER = 0.6, 0.55
"""How long several processes may take, next to one, and next to several of an older version."""


def split(path: str, folder: str) -> None:
    """Write each document of a file into a file of its own."""
    os.mkdir(folder)
    with open(path) as file:
        for number, text in enumerate(file.read().split("#end document\n")[:-1]):
            with open(f"{folder}/{number:05d}.conll", "w") as part:
                part.write(text + "#end document\n")
    os.remove(path)


def rows(before: str = "", *, pairs: int = 1000, mentions: int = 300, jobs: int = 2, runs: int = 5) -> Iterator[Row]:
    """Two jobs next to one, and next to those of `before`, the Python of an older installation, if that is given."""
    with tempfile.TemporaryDirectory() as folder:
        paths = corpus.write_apart(f"{folder}/all", documents=pairs, mentions=mentions)
        folders = [f"{folder}/key", f"{folder}/response"]
        for path, part in zip(paths, folders):
            split(path, part)

        def command(python: str, jobs: int, output: str) -> list[str]:
            options = ["--quiet", "--jobs", str(jobs), "--output", f"{folder}/{output}.txt"]
            return [python, "-I", "-m", "scorer", "score", *folders, *options]

        commands = {"one": command(sys.executable, 1, "one"), "several": command(sys.executable, jobs, "several")}
        if before:
            commands["before"] = command(before, jobs, "before")
        timings = time_commands(commands, runs)
        if not filecmp.cmp(f"{folder}/one.txt", f"{folder}/several.txt", shallow=False):
            sys.exit("the outputs are not the same")
    one, several = timings["one"], timings["several"]
    what = f"`--jobs {jobs}`, {pairs:,} small pairs: {show_seconds(several.median)}; `--jobs 1`: {show_seconds(one.median)}"
    yield Row(what, several.median / one.median, several.busiest(jobs) / one.processor, OWN)
    if before:
        former = timings["before"]
        what = f"the same; before: {show_seconds(former.median)}"
        yield Row(what, several.median / former.median, several.busiest(jobs) / former.on(jobs), FORMER)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--mentions", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--before", metavar="PYTHON", default="")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print_targets(rows(**vars(arguments)))


if __name__ == "__main__":
    main()
