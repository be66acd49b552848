"""Count the responses a second of `scorer leaderboard`, next to a loop over `scorer.pl`.

    python benchmarks/leaderboard.py KEY RESPONSE [--responses 1 10 100 …] [--runs N]

The responses are RESPONSE and copies of it that lack more and more mentions. Memory is that of the
largest process. The targets are for ten responses of LitBank. By the processor, two jobs take what
two free cores would: the first process, and half of the others.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import corpus
from measure import SCORER, Row, compared, print_table, print_targets, show_seconds, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Timing

TARGETS = {1: 0.9, 2: 1.25}
"""By jobs: how many responses while the loop scores one."""


def measured(key: str, response: str, number: int, runs: int) -> dict[str, Timing]:
    """The loop, and the leaderboard by its jobs, of so many responses.

    All boards must be the same.
    """
    with tempfile.TemporaryDirectory() as folder:
        systems = [f"{folder}/system-{seed:03}.conll" for seed in range(number)]
        for seed, system in enumerate(systems):
            corpus.damage(response, system, seed)
        loop = (
            f'for response in "$@"; do {shlex.join([*SCORER, "all", key])} "$response" none; done'
        )
        commands = {"shell loop": ["sh", "-c", loop, "sh", *systems]}
        for jobs in TARGETS:
            options = ["--quiet", "--jobs", str(jobs), "--output", f"{folder}/table-{jobs}.txt"]
            commands[f"--jobs {jobs}"] = [
                sys.executable,
                "-m",
                "scorer",
                "leaderboard",
                key,
                *systems,
                *options,
            ]
        timings = time_commands(commands, runs)
        if len({Path(f"{folder}/table-{jobs}.txt").read_bytes() for jobs in TARGETS}) > 1:
            sys.exit("the boards are not the same")
        return timings


def rows(key: str, response: str, runs: int = 3) -> Iterator[Row]:
    """A row for each number of jobs."""
    timings = measured(key, response, 10, runs)
    loop = timings["shell loop"]
    for jobs, target in TARGETS.items():
        board = timings[f"--jobs {jobs}"]
        what = (
            f"`leaderboard --jobs {jobs}`, ten responses: {show_seconds(board.median)}; a "
            f"loop: {show_seconds(loop.median)}"
        )
        yield compared(what, loop, board, target, cores=(1, jobs), at_least=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("key")
    parser.add_argument("response")
    parser.add_argument("--responses", type=int, nargs="+", default=[])
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if not arguments.responses:
        print_targets(rows(arguments.key, arguments.response, arguments.runs))
    for number in arguments.responses:
        timings = measured(arguments.key, arguments.response, number, arguments.runs)
        print(f"\n{number} responses of {os.path.getsize(arguments.response) / 1e6:.1f} MB each")
        print_table(timings, ["shell loop"])
        for name, timing in timings.items():
            print(
                f"{name}: {number / timing.median:.1f} responses a second, "
                f"{show_seconds(timing.median / number)} each"
            )


if __name__ == "__main__":
    main()
