"""`scorer spans` and `scorer muc7`, in all their ways, next to `scorer score` on the same files: a million mentions and names.

    python benchmarks/spans.py [--mentions N] [--runs N]

One document, and documents of 300 mentions, both with all columns; and one document with coreference alone. Whole processes, in
turns. `--against` reads a key and two responses, so it stands next to `scorer score` of both.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import TYPE_CHECKING

import corpus
from measure import Row, Timing, compared, print_targets, show_seconds, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

SCORER = [sys.executable, "-m", "scorer"]
TARGET = 1.5
"""How many times as long as `scorer score` each may take."""
SCORES = ("--score-column", "sense", "--thresholds")
BARE: dict[str, tuple[str, ...]] = {
    "spans": ("spans",),
    "muc7": ("muc7",),
}
WAYS: dict[str, tuple[str, ...]] = {
    **BARE,
    "spans --per-document --average both": ("spans", "--per-document", "--average", "both"),
    "spans --min-overlap 0.5": ("spans", "--min-overlap", "0.5"),
    "spans --documents PATTERN": ("spans", "--documents", "made"),
    "spans --by pos": ("spans", "--by", "pos"),
    "spans --by speaker": ("spans", "--by", "speaker"),
    "spans --thresholds 0.1": ("spans", *SCORES, "0.1"),
    "spans --thresholds all": ("spans", *SCORES, "all"),
    "spans --of names": ("spans", "--of", "names"),
    "spans --of names --within-label --min-overlap 0.5": ("spans", "--of", "names", "--within-label", "--min-overlap", "0.5"),
    "spans --of names --by label": ("spans", "--of", "names", "--by", "label"),
    "spans --of names --thresholds 0.05": ("spans", "--of", "names", *SCORES, "0.05"),
    "muc7 --partial --per-document": ("muc7", "--partial", "--per-document", "--format", "muc7"),
    "muc7 --section speaker": ("muc7", "--section", "speaker"),
}
AGAINST = "spans --against"


def measured(prefix: str, *, documents: int, mentions: int, layers: bool, runs: int) -> Iterator[Row]:
    """A row for each way, of files that are written for it."""
    key, response = corpus.write_apart(prefix, documents=documents, mentions=mentions, layers=layers)
    other = f"{prefix}.other.conll"
    corpus.damage(response, other, 77)
    files = [key, response]
    score, again = ([*SCORER, "score", key, file, "--quiet"] for file in (response, other))
    ways = {name: [way[0], *files, *way[1:]] for name, way in (WAYS if layers else BARE).items()}
    size = sum(map(os.path.getsize, files)) / 1e6
    what = f"{documents:,} × {mentions:,} mentions{', names' if layers else ''}, {size:.0f} MB"
    for name, way in (ways | {AGAINST: ["spans", *files, "--against", other]}).items():
        bases = {"score": score} | ({"again": again} if name == AGAINST else {})
        timings = time_commands({**bases, name: [*SCORER, *way, "--quiet"]}, runs)
        base = both(timings["score"], timings["again"]) if name == AGAINST else timings["score"]
        yield compared(f"{what}: `{name}`; `score`: {show_seconds(base.median)}", timings[name], base, TARGET)


def both(one: Timing, other: Timing) -> Timing:
    """What two commands take that run one after the other."""
    found = Timing()
    found.seconds = [a + b for a, b in zip(one.seconds, other.seconds)]
    found.processors = [a + b for a, b in zip(one.processors, other.processors)]
    return found


def rows(total: int, runs: int) -> Iterator[Row]:
    """Those of all corpora."""
    for documents, mentions, layers in ((1, total, False), (1, total, True), (total // 300, 300, True)):
        with tempfile.TemporaryDirectory() as folder:
            yield from measured(f"{folder}/made", documents=documents, mentions=mentions, layers=layers, runs=runs)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print_targets(rows(arguments.mentions, arguments.runs))


if __name__ == "__main__":
    main()
