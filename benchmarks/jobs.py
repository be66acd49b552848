"""A thousand pairs of files with one process and with two.

    python benchmarks/jobs.py [--pairs N] [--mentions M] [--jobs J] [--runs N]

Writes two folders of files and measures `scorer score KEYS RESPONSES --jobs …`; the outputs must be the same to the byte.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import sys
import tempfile

import corpus
from measure import print_table, print_targets, time_commands


def split(path: str, folder: str) -> None:
    """Write each document of a file into a file of its own."""
    os.mkdir(folder)
    with open(path) as file:
        for number, text in enumerate(file.read().split("#end document\n")[:-1]):
            with open(f"{folder}/{number:05d}.conll", "w") as part:
                part.write(text + "#end document\n")
    os.remove(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--mentions", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = corpus.write_apart(f"{folder}/all", documents=arguments.pairs, mentions=arguments.mentions)
        folders = [f"{folder}/key", f"{folder}/response"]
        for path, part in zip(paths, folders):
            split(path, part)
        commands = {}
        for jobs in (1, arguments.jobs):
            options = ["--quiet", "--jobs", str(jobs), "--output", f"{folder}/{jobs}.txt"]
            commands[f"--jobs {jobs}"] = [sys.executable, "-m", "scorer", "score", *folders, *options]
        timings = time_commands(commands, arguments.runs)
        print_table(timings, ["--jobs 1"])
        print()
        both = f"--jobs {arguments.jobs}"
        print_targets([(f"`{both}` next to `--jobs 1`", timings[both].median / timings["--jobs 1"].median, 0.6)], at_least=False)
        same = filecmp.cmp(f"{folder}/1.txt", f"{folder}/{arguments.jobs}.txt", shallow=False)
    print("\nthe same bytes" if same else "\nNOT the same bytes")


if __name__ == "__main__":
    main()
