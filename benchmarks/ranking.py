"""Ranking a hundred systems, with one process and with two, once their responses are counted.

    python benchmarks/ranking.py [--systems N] [--documents N] [--runs N]

Counts are simulated, so that only the resampling is measured: all metrics,
10,000 trials. The boards must be the same to the byte. By the processor, two jobs take what the
first process takes and half of what they do, as on two free cores.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import TYPE_CHECKING

# As the commands do: with threads of its own, one process takes both cores already, and two get in
# each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from measure import Row, Timing, compared, print_targets, show_seconds

from scorer.comparison.board import System
from scorer.comparison.leaderboard import rank
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.options import Options
from scorer.registry import make_scheme

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = 0.6


def simulated(systems: int, documents: int) -> dict[str, Evaluation]:
    """Evaluations of systems that find most of each document."""
    generator = np.random.default_rng(1)
    scheme = make_scheme("all", Options())
    found = {}
    keys = generator.integers(20, 300, documents).tolist()
    for system in range(systems):
        evaluation = found[f"system {system}"] = Evaluation(scheme)
        for number, key in enumerate(keys):
            counts = {}
            for metric in scheme.metrics.values():
                common, response = generator.uniform(0, key), int(generator.integers(key, 2 * key))
                counts[metric.name] = (Counts(common, key, common, response),) * len(metric.parts)
            evaluation.add(DocumentScore(str(number), counts, scheme.metrics))
    return found


def rows(systems: int = 100, documents: int = 100, runs: int = 3) -> Iterator[Row]:
    """Two jobs next to one."""
    participants = [
        System(name, evaluation) for name, evaluation in simulated(systems, documents).items()
    ]
    timings = {jobs: Timing() for jobs in (1, 2)}
    boards = set()
    for turn in range(runs + 1):
        for jobs, timing in timings.items():
            clock, before = time.perf_counter(), _processors()
            board = rank(participants, jobs=jobs)
            if turn:
                timing.seconds.append(time.perf_counter() - clock)
                own, others = (after - at for after, at in zip(_processors(), before))
                timing.processors.append(own + others / jobs)
            boards.add(board.text("json"))
    if len(boards) > 1:
        sys.exit("the boards are not the same")
    one, two = (show_seconds(timing.median) for timing in timings.values())
    yield compared(
        f"ranking {systems} systems, `--jobs 2`: {two}; `--jobs 1`: {one}",
        timings[2],
        timings[1],
        TARGET,
    )


def _processors() -> list[float]:
    """The processor's seconds of this process, and of all that it started and that have ended."""
    return [
        usage.ru_utime + usage.ru_stime for usage in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN))
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    print_targets(rows(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
