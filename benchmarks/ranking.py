"""Ranking a hundred systems, with one process and with two, once their responses are counted.

    python benchmarks/ranking.py [--systems N] [--documents N] [--runs N]

Counts are simulated as in `compare.py`, so that only the resampling is measured: all metrics, 10,000 trials. The boards must be the
same to the byte.
"""

from __future__ import annotations

import argparse
import os
import time

# As the commands do: with threads of its own, one process takes both cores already, and two get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from compare import simulated
from measure import Timing, show_seconds

from scorer.comparison.leaderboard import Participant, rank

TARGET = 0.6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    evaluations = simulated(arguments.systems, arguments.documents)
    participants = [Participant(name, evaluation) for name, evaluation in evaluations.items()]
    timings = {jobs: Timing() for jobs in (1, 2)}
    boards = set()
    for turn in range(arguments.runs + 1):
        for jobs, timing in timings.items():
            begin = time.perf_counter()
            board = rank(participants, jobs=jobs)
            if turn:
                timing.seconds.append(time.perf_counter() - begin)
            boards.add(board.text("json"))
    print(f"| ranking {arguments.systems} systems | median | spread | × one job | target |\n|---|---|---|---|---|")
    for jobs, timing in timings.items():
        met = "met" if timing.median <= TARGET * timings[1].median else "missed"
        target = f"≤ {TARGET}: {met}" if jobs > 1 else ""
        row = [f"`--jobs {jobs}`", show_seconds(timing.median), timing.spread, f"{timing.median / timings[1].median:.2f}", target]
        print(f"| {' | '.join(row)} |")
    print("\nthe same bytes" if len(boards) == 1 else "\nNOT the same bytes")


if __name__ == "__main__":
    main()
