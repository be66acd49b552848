"""Compare the engine that is chosen with the plain one, on small corpora.

    python benchmarks/engines.py [--all] [--runs N]

Writes corpora of documents with many mentions and with few, and measures `scorer.pl all KEY
RESPONSE none` as it is and with the plain engine forced; the outputs must be the same to the byte.
The target is for 8 MB of documents of 10,000 mentions; with --all there are 4 and 12 MB, and
smaller documents, as well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import corpus
from measure import SCORER, Row, compared, print_targets, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLAIN = (
    "import sys; from scorer.engine import score as choice; from scorer import perl; "
    "choice.LARGE = "
    "float('inf'); sys.exit(perl.run())"
)
"""`scorer.pl` with the plain engine, whatever it is given."""
SHAPE = (10_000, 8)
"""Mentions of a document, and MB of key and response."""
OTHERS = [
    (10_000, 4),
    (10_000, 12),
    (1000, 4),
    (1000, 8),
    (1000, 12),
    (100, 4),
    (100, 8),
    (100, 12),
]
MENTION = 412
"""Bytes of key and response for each mention of the key, as `corpus.py` writes them."""
TARGET = 0.55


def rows(shapes: Sequence[tuple[int, int]] = (SHAPE,), runs: int = 7) -> Iterator[Row]:
    """A row for each shape."""
    for mentions, megabytes in shapes:
        documents = round(megabytes * 1e6 / MENTION / mentions)
        with tempfile.TemporaryDirectory() as folder:
            files = corpus.write_apart(f"{folder}/made", documents=documents, mentions=mentions)
            scoring = ["all", *files, "none"]
            commands = {
                "chosen": [*SCORER, *scoring],
                "plain": [sys.executable, "-c", PLAIN, *scoring],
            }
            timings = time_commands(commands, runs)
            outputs = {
                subprocess.run(command, capture_output=True, check=False).stdout
                for command in commands.values()
            }
            size = sum(map(os.path.getsize, files)) / 1e6
        if len(outputs) > 1:
            sys.exit("the outputs are not the same")
        what = (
            f"the engine that is chosen, × the plain one: documents of {mentions:,} mentions, "
            f"{size:.1f} MB"
        )
        yield compared(
            what,
            timings["chosen"],
            timings["plain"],
            TARGET if (mentions, megabytes) == SHAPE else None,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    print_targets(rows([SHAPE, *OTHERS] if arguments.all else [SHAPE], arguments.runs))


if __name__ == "__main__":
    main()
