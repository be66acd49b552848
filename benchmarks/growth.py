"""Find out how the time of every command grows with what is long in a file.

    python benchmarks/growth.py [--commands score errors …] [--cases "giant chain" …]

Each case is a document that is doubled three times. The exponent is that of the processor's time
from the first to the last size, less the time of a tiny document: 1 is linear, and 2 is quadratic.
Where the last size takes little more than a tiny document, nothing grows, and there is none.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 1.3
"""The exponent above which something is wrong."""

TINY = 20

LEAST = 0.4
"""Seconds of growth below which an exponent would be noise."""

Sides = tuple[dict[str, Any], dict[str, Any]]
"""A key and a response, as lines of JSON."""


def document(clusters: list[list[list[int]]], words: list[str], name: str = "d") -> dict[str, Any]:
    """Make a line of JSON."""
    return {"doc_key": name, "sentences": [words], "clusters": clusters}


def words_of(number: int) -> list[str]:
    """Make words that differ."""
    return [f"w{at}" for at in range(number)]


def giant_chain(number: int) -> Sides:
    """One chain on both sides, without every tenth mention in the response."""
    mentions = [[at, at] for at in range(number)]
    kept = [mention for mention in mentions if mention[0] % 10]
    return document([mentions], words_of(number)), document([kept], words_of(number))


def two_chains(number: int) -> Sides:
    """Two long chains that the response cuts in another way."""
    mentions = [[at, at] for at in range(number)]
    halves = [mentions[: number // 2], mentions[number // 2 :]]
    return document(halves, words_of(number)), document(
        [mentions[::2], mentions[1::2]], words_of(number)
    )


def uniform_text(number: int) -> Sides:
    """Short chains in a text of one word."""
    key = [[[at, at], [at + 1, at + 1]] for at in range(0, number - 3, 4)]
    response = [[[at, at], [at + 2, at + 2]] for at in range(0, number - 3, 4)]
    return document(key, ["la"] * number), document(response, ["la"] * number)


def nested_mentions(number: int) -> Sides:
    """Mentions that all begin at the first word."""
    key = [[[0, at] for at in range(number)]]
    return document(key, words_of(number)), document([key[0][::2], key[0][1::2]], words_of(number))


def long_names(number: int) -> Sides:
    """A name of a document, and words, that are as long."""
    clusters = [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    words = [letter * number for letter in "abcd"]
    name = "n" * number
    return document(clusters, words, name), document(clusters[:1], words, name)


CASES: dict[str, tuple[Callable[[int], Sides], int]] = {
    "giant chain": (giant_chain, 20_000),
    "two chains": (two_chains, 20_000),
    "uniform text": (uniform_text, 20_000),
    "nested mentions": (nested_mentions, 1000),
    "long names": (long_names, 500_000),
}
"""What makes the files of a case, and its first size."""

COMMANDS = {
    "score": "score KEY RESPONSE --per-document",
    "score, html": "score KEY RESPONSE --format html",
    "check": "check KEY RESPONSE",
    "errors": "errors KEY RESPONSE",
    "errors, html": "errors KEY RESPONSE --format html",
    "show": "show KEY RESPONSE --no-pager",
    "show, html": "show KEY RESPONSE --format html",
    "spans": "spans KEY RESPONSE",
    "muc7": "muc7 KEY RESPONSE",
    "agreement": "agreement KEY RESPONSE",
    "compare": "compare KEY RESPONSE KEY",
    "leaderboard": "leaderboard KEY RESPONSE --jobs 1",
    "convert": "convert RESPONSE OUT --to corefud",
}


def seconds(command: str, folder: str) -> float:
    """Run a command in a folder; return the processor's seconds."""
    arguments = [sys.executable, "-m", "scorer", *command.split()]
    process = subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    problems = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # 1: the command found problems, which takes as long.
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: {problems.decode()}")
    return usage.ru_utime + usage.ru_stime


def exponent(command: str, case: str) -> float | None:
    """Return the exponent of a command in a case; None where nothing grows."""
    make, first = CASES[case]
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in (TINY, first, 8 * first):
            for name, line in zip(("KEY", "RESPONSE"), make(number)):
                # Systems are compared over two documents or more.
                lines = [line, document([[[0, 0], [1, 1]]], words_of(2), "second")]
                text = "".join(f"{json.dumps(each)}\n" for each in lines)
                Path(folder, name).write_text(text, encoding="utf-8")
            runs = 1 if number > first else 2
            taken.append(min(seconds(command, folder) for _ in range(runs)))
    start, short, long = taken
    if long - start < LEAST:
        return None
    return math.log((long - start) / max(short - start, LEAST / 8), 8)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    print("| command |", " | ".join(arguments.cases), "|")
    print("|---" * (1 + len(arguments.cases)) + "|")
    for name in arguments.commands:
        cells = [name]
        for case in arguments.cases:
            found = exponent(COMMANDS[name], case)
            cells.append("" if found is None else f"{found:.2f}")
            if found is not None and found > MOST:
                cells[-1] = f"**{cells[-1]}**"
        print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
