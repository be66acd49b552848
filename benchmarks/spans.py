"""`scorer spans` and `scorer muc7`, in all their ways, next to `scorer score` on the same files: a million mentions and names.

    python benchmarks/spans.py [--mentions N] [--runs N]

One document, and documents of 300 mentions, both with all columns; and one document with coreference alone. What is compared is the
processor time of whole processes, which is steadier than that of the clock. `--against` reads a key and two responses, so it stands
next to `scorer score` of both.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile

import corpus
from measure import print_targets, show_seconds, time_commands

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


def measured(prefix: str, *, documents: int, mentions: int, layers: bool, runs: int) -> list[tuple[str, float, float]]:
    """A row for each way, of files that are written for it."""
    key, response = corpus.write_apart(prefix, documents=documents, mentions=mentions, layers=layers)
    other = f"{prefix}.other.conll"
    corpus.damage(response, other, 77)
    files = [key, response]
    commands = {"score": [*SCORER, "score", *files], AGAINST: [*SCORER, "spans", *files, "--against", other]}
    commands |= {name: [*SCORER, way[0], *files, *way[1:]] for name, way in (WAYS if layers else BARE).items()}
    timings = time_commands({name: [*command, "--quiet"] for name, command in commands.items()}, runs)
    base = timings.pop("score").processor
    size = sum(map(os.path.getsize, files)) / 1e6
    what = f"{documents:,} × {mentions:,} mentions{', names' if layers else ''}, {size:.0f} MB, `score` {show_seconds(base)}"
    rows = [(f"{what}: `{name}`", timing.processor / base, TARGET) for name, timing in timings.items() if name != AGAINST]
    return [*rows, (f"{what}, of both responses: `{AGAINST}`", timings[AGAINST].processor / base / 2, TARGET)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    total = arguments.mentions
    rows = []
    for documents, mentions, layers in ((1, total, False), (1, total, True), (total // 300, 300, True)):
        with tempfile.TemporaryDirectory() as folder:
            rows += measured(f"{folder}/made", documents=documents, mentions=mentions, layers=layers, runs=arguments.runs)
    print_targets(rows, at_least=False)


if __name__ == "__main__":
    main()
