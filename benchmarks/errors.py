"""Time `scorer errors` on one long document, next to `scorer score`, and on a tenth of it.

    python benchmarks/errors.py [--mentions N] [--runs N]

Writes a document of a million mentions, unless said otherwise, and one of a tenth. Medians of whole
processes, in turns.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

import corpus
from measure import Timing, compared, print_targets, show_seconds, time_commands

TIMES_SCORE, TIMES_TENTH = 10.0, 12.0
"""How many times as long as `scorer score` it may take, and as long as for a tenth of the mentions.
"""


def measure(mentions: int, runs: int) -> dict[str, Timing]:
    """Both commands on one document of so many mentions."""
    with tempfile.TemporaryDirectory() as folder:
        files = corpus.write_apart(f"{folder}/errors", documents=1, mentions=mentions)
        commands = {
            name: [sys.executable, "-m", "scorer", name, *files, "--quiet"]
            for name in ("score", "errors")
        }
        return time_commands(commands, runs)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    tenth, whole = (
        measure(mentions, arguments.runs)
        for mentions in (arguments.mentions // 10, arguments.mentions)
    )
    errors, score = whole["errors"], whole["score"]
    print(
        f"One document of {arguments.mentions:,} mentions: `scorer errors` "
        f"{show_seconds(errors.processor)} and"
        f" {errors.memory / 1e9:.1f} GB, `scorer score` {show_seconds(score.processor)} "
        f"and {score.memory / 1e9:.1f} GB\n"
    )
    rows = [
        compared("`scorer errors`, × `scorer score`", errors, score, TIMES_SCORE),
        compared(
            "`scorer errors`, × a tenth of the mentions", errors, tenth["errors"], TIMES_TENTH
        ),
    ]
    print_targets(rows)


if __name__ == "__main__":
    main()
