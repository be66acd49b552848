"""Time the alignment of a text with its key, next to another commit.

    python benchmarks/alignment.py [--before COMMIT] [--words 1000 10000 100000]

Words are drawn at random, frequent ones more often. Times are the processor's.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from measure import show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

Case = tuple[str, list[str], list[str]]
"""What is measured, the words of a key, and those of a text."""


def cases(words: int) -> Iterator[Case]:
    """Yield keys of so many words, each with a text."""
    draw = random.Random(words)
    vocabulary = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=2 + n % 7)) for n in range(3000)]
    weights = [1 / (place + 3) for place in range(3000)]
    key = draw.choices(vocabulary, weights, k=words)
    yield "equal", key, list(key)
    yield "only case", key, [word.upper() for word in key]
    for percent in (1, 10):
        changed = [f"x{word}" if draw.random() < percent / 100 else word for word in key]
        yield f"{percent} % changed", key, changed
    yield "10 % dropped", key, [word for word in key if draw.random() > 0.1]
    yield "half cut off", key, key[: words // 2]
    yield "another text", key, draw.choices(vocabulary, weights, k=words)
    han = {word: "".join(chr(0x4E00 + 50 * ord(letter)) for letter in word) for word in vocabulary}
    unspaced = [han[word] for word in key]
    yield "unspaced", unspaced, ["".join(unspaced)]
    damaged = [f"{word}\u4e00" if draw.random() < 0.01 else word for word in unspaced]
    yield "unspaced, 1 % changed", unspaced, ["".join(damaged)]


def measured(words: int) -> dict[str, float]:
    """Return the seconds of each case with the package that is imported."""
    from conll.text.alignment import align

    seconds: dict[str, float] = {}
    for name, key, text in cases(words):
        begin = time.process_time()
        align(key, text)
        seconds[name] = time.process_time() - begin
    return seconds


def measured_at(tree: str, words: int) -> dict[str, float]:
    """Return the same of the package in a folder, in a process of its own."""
    command = [sys.executable, os.path.abspath(__file__), "--only", str(words)]
    environment = {**os.environ, "PYTHONPATH": tree}
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    seconds: dict[str, float] = json.loads(run.stdout)
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", metavar="COMMIT", default="HEAD~1")
    parser.add_argument("--words", nargs="+", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(measured(arguments.only)))
        return
    print("| words | text | before | now | now / before |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as tree:
        archive = ["git", "-C", ROOT, "archive", arguments.before, "conll"]
        packed = subprocess.run(archive, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=packed, check=True)
        for words in arguments.words:
            before, now = measured_at(tree, words), measured_at(ROOT, words)
            for name, seconds in now.items():
                times = f"{show_seconds(before[name])} | {show_seconds(seconds)}"
                ratio = seconds / before[name]
                print(f"| {words:,} | {name} | {times} | {ratio:.2g} |", flush=True)


if __name__ == "__main__":
    main()
