"""`scorer batch` under one setting, and under several in one reading.

    python benchmarks/matrix.py [--pairs N] [--documents D] [--words W] [--presets LIST] [--jobs J] [--runs N]

The pairs are CorefUD files whose lines are like those of published ones; in the response some mentions are of other entities. `one
after the other` is a run for each setting.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

from measure import compared, print_table, print_targets, time_commands
from treebank import Treebank

TARGET = 0.5
"""Of what a run for each setting takes: most of that is reading."""


def write_pair(folder: str, number: int, documents: int, words: int) -> tuple[str, str]:
    """A key and a response of the same words; in the response every other mention of one token is of another entity."""
    writer = Treebank(number)
    key = "".join(writer.document(f"d{at}", words, "e") for at in range(documents))
    lines = key.split("\n")
    for at, line in enumerate(lines):
        head, found, entity = line.partition("Entity=(e")
        # It neither ends elsewhere nor has other parts, and nothing else is on its line.
        if found and at % 2 and entity.find(")") == len(entity) - 1 and not {"(", "["} & {*entity}:
            lines[at] = f"{head}Entity=(x{entity}"
    paths = f"{folder}/{number}.key.conllu", f"{folder}/{number}.response.conllu"
    for path, text in zip(paths, (key, "\n".join(lines))):
        Path(path).write_text(text)
    return paths


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--documents", type=int, default=4)
    parser.add_argument("--words", type=int, default=1000)
    parser.add_argument("--presets", default="crac25,crac25:singletons=keep,crac25:match=exact,exact")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = [write_pair(folder, number, arguments.documents, arguments.words) for number in range(arguments.pairs)]
        manifest = f"{folder}/manifest.csv"
        Path(manifest).write_text("key,response\n" + "".join(f"{key},{response}\n" for key, response in pairs))
        print(f"{arguments.pairs} pairs of {os.path.getsize(pairs[0][0]) / 1e6:.2f} MB each file, --jobs {arguments.jobs}\n")
        command = [sys.executable, "-m", "scorer", "batch", manifest, "--quiet", "--format", "csv", "--jobs", str(arguments.jobs)]
        each = arguments.presets.split(",")
        alone = [shlex.join([*command, "--presets", one]) for one in each]
        several = f"{len(each)} settings"
        commands = {
            f"one setting ({each[0]})": [*command, "--presets", each[0]],
            several: [*command, "--presets", arguments.presets],
            "one after the other": ["sh", "-c", " && ".join(alone)],
        }
        timings = time_commands(commands, arguments.runs)
        print_table(timings, list(commands)[:1])
        base = timings[next(iter(commands))].processor
        print()
        for name, timing in timings.items():
            print(f"{name}: {timing.processor:.2f} s of the processors, {timing.processor / base:.2f} × one setting")
        print()
        what = f"{several} in one reading next to a run for each"
        print_targets([compared(what, timings[several], timings["one after the other"], TARGET)])


if __name__ == "__main__":
    main()
