"""How time and memory grow, with the number of documents and with the mentions of one document.

    python benchmarks/scale.py [--runs N] [--most MENTIONS] [--plot FILE.svg]
    python benchmarks/scale.py --largest [--runs N]

Writes corpora into a temporary folder and measures the processor's time of `scorer.pl all KEY
RESPONSE none` on each, next to `wc` and `wc -l`. The plot needs matplotlib. --largest measures ten
million mentions alone, in 10,000 documents and in one; it takes 4 GB of disk.
"""

from __future__ import annotations

import argparse
import tempfile

import corpus
from measure import SCORER, Timing, show_seconds, spread, time_commands

HEADINGS = (
    "| documents × mentions | processor | spread | × wc | × wc -l | memory "
    "|\n|---|---|---|---|---|---|"
)

Row = tuple[int, int, Timing, Timing, Timing]


def measure(shapes: list[tuple[int, int, bool]], runs: int) -> list[Row]:
    """For each (documents, mentions of each, whether with spaces): the three commands' timings."""
    rows = []
    for documents, mentions, spaces in shapes:
        with tempfile.TemporaryDirectory() as folder:
            files = corpus.write_apart(
                f"{folder}/scale", documents=documents, mentions=mentions, spaces=spaces
            )
            commands = {
                "scorer": [*SCORER, "all", *files, "none"],
                "wc": ["wc", *files],
                "lines": ["wc", "-l", *files],
            }
            timings = time_commands(commands, runs)
        rows.append((documents, mentions, timings["scorer"], timings["wc"], timings["lines"]))
        show(rows[-1], spaces=spaces)
    return rows


def show(row: Row, *, spaces: bool) -> None:
    """Print one row."""
    documents, mentions, scorer, words, lines = row
    print(
        (
            f"| {documents:,} × {mentions:,}{' (spaces)' if spaces else ''} | "
            f"{show_seconds(scorer.processor)} | {spread(scorer.processors)} | "
            f"{scorer.processor / words.processor:.2f} | "
            f"{scorer.processor / lines.processor:.1f} | "
            f"{scorer.memory / 1e6:.0f} MB |"
        ),
        flush=True,
    )


def plot(path: str, by_documents: list[Row], by_mentions: list[Row]) -> None:
    """Time and memory on logarithmic axes."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), constrained_layout=True)
    for rows, marker, label in (
        ([(row[0] * row[1], row[2]) for row in by_documents], "o", "documents of 100 mentions"),
        ([(row[1], row[2]) for row in by_mentions], "s", "one document"),
    ):
        mentions = [count for count, _ in rows]
        axes[0].loglog(
            mentions, [timing.processor for _, timing in rows], marker=marker, label=label
        )
        axes[1].loglog(
            mentions, [timing.memory / 1e6 for _, timing in rows], marker=marker, label=label
        )
    axes[0].set(xlabel="mentions of the key", ylabel="seconds of the processor, all metrics")
    axes[1].set(xlabel="mentions of the key", ylabel="MB resident")
    axes[0].legend()
    figure.savefig(path)


def main() -> None:
    """Measure, print, plot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--most", type=int, default=1_000_000, metavar="MENTIONS")
    parser.add_argument("--plot", metavar="FILE.svg")
    parser.add_argument("--largest", action="store_true")
    arguments = parser.parse_args()
    if arguments.largest:
        print(HEADINGS)
        measure([(10_000, 1000, False), (1, 10_000_000, False)], arguments.runs)
        return
    sizes = [10**power for power in range(2, 8) if 10**power <= arguments.most]
    print(HEADINGS)
    by_documents = measure([(size // 100, 100, False) for size in sizes], arguments.runs)
    by_mentions = measure([(1, size, False) for size in sizes], arguments.runs)
    measure([(size // 10, 10, False) for size in sizes if size >= 1000], arguments.runs)
    measure([(min(700, arguments.most // 100), 700, True)], arguments.runs)
    if arguments.plot:
        plot(arguments.plot, by_documents, by_mentions)


if __name__ == "__main__":
    main()
