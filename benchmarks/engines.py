"""The engine that is chosen next to the plain one, on corpora too small for the size of their files to tell.

    python benchmarks/engines.py [--runs N]

Writes corpora of documents with many mentions and with few, and measures `scorer.pl all KEY RESPONSE none` as it is and with the
plain engine forced; the outputs must be the same to the byte. The target is for 8 MB of documents of 10,000 mentions.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

import corpus
from measure import SCORER, time_commands

PLAIN = "import sys; from scorer.engine import choice; from scorer import perl; choice.LARGE = float('inf'); sys.exit(perl.run())"
"""`scorer.pl` with the plain engine, whatever it is given."""
SHAPES = [(10_000, 4), (10_000, 8), (10_000, 12), (1000, 4), (1000, 8), (1000, 12), (100, 4), (100, 8), (100, 12)]
"""Mentions of a document, and MB of key and response."""
MENTION = 412
"""Bytes of key and response for each mention of the key, as `corpus.py` writes them."""
TARGETS = {(10_000, 8): 0.55}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    print("| mentions of a document | key and response | × the plain engine | target | output |\n|---|---|---|---|---|")
    for mentions, megabytes in SHAPES:
        documents = round(megabytes * 1e6 / MENTION / mentions)
        with tempfile.TemporaryDirectory() as folder:
            files = corpus.write_apart(f"{folder}/made", documents=documents, mentions=mentions)
            scoring = ["all", *files, "none"]
            commands = {"chosen": [*SCORER, *scoring], "plain": [sys.executable, "-c", PLAIN, *scoring]}
            timings = time_commands(commands, arguments.runs)
            outputs = {subprocess.run(command, capture_output=True, check=False).stdout for command in commands.values()}
            size = sum(map(os.path.getsize, files)) / 1e6
        ratio = timings["chosen"].median / timings["plain"].median
        target = f"≤ {TARGETS[mentions, megabytes]}" if (mentions, megabytes) in TARGETS else ""
        same = "the same bytes" if len(outputs) == 1 else "NOT the same bytes"
        print(f"| {mentions:,} | {size:.1f} MB | {ratio:.2f} | {target} | {same} |", flush=True)


if __name__ == "__main__":
    main()
