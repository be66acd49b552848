"""How many responses a second `scorer leaderboard` scores, next to a shell loop over `scorer.pl`, and the memory of it.

    python benchmarks/leaderboard.py KEY RESPONSE [--responses 1 10 100] [--jobs 1 2] [--runs N]

The responses are RESPONSE and copies of it that lack more and more mentions. Memory is that of the largest process. The targets are
for ten responses.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

import corpus
from measure import SCORER, print_table, show_seconds, time_commands

TARGETS = {(10, 1): 0.9, (10, 2): 1.25}
"""By responses and jobs: how many responses while the loop scores one."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("key")
    parser.add_argument("response")
    parser.add_argument("--responses", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        systems = [f"{folder}/system-{seed:03}.conll" for seed in range(max(arguments.responses))]
        for seed, system in enumerate(systems):
            corpus.damage(arguments.response, system, seed)
        for number in arguments.responses:
            some = systems[:number]
            commands = {}
            for jobs in arguments.jobs:
                options = ["--quiet", "--jobs", str(jobs), "--output", f"{folder}/table.{jobs}"]
                commands[f"leaderboard --jobs {jobs}"] = [
                    sys.executable,
                    "-m",
                    "scorer",
                    "leaderboard",
                    arguments.key,
                    *some,
                    *options,
                ]
            loop = f'for response in "$@"; do {shlex.join([*SCORER, "all", arguments.key])} "$response" none; done'
            commands["shell loop"] = ["sh", "-c", loop, "sh", *some]
            timings = time_commands(commands, arguments.runs)
            print(f"\n{number} responses of {os.path.getsize(arguments.response) / 1e6:.1f} MB each")
            print_table(timings, ["shell loop"])
            for name, timing in timings.items():
                print(f"{name}: {number / timing.median:.1f} responses a second, {show_seconds(timing.median / number)} each")
            loop_seconds = timings["shell loop"].median
            for jobs in arguments.jobs:
                target = f", target ≥ {TARGETS[number, jobs]}" if (number, jobs) in TARGETS else ""
                print(f"--jobs {jobs}: {loop_seconds / timings[f'leaderboard --jobs {jobs}'].median:.2f} of the loop{target}")
            tables = {Path(f"{folder}/table.{jobs}").read_bytes() for jobs in arguments.jobs}
            print("the same bytes" if len(tables) == 1 else "NOT the same bytes")


if __name__ == "__main__":
    main()
