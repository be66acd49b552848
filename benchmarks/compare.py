"""How long comparing takes, against trials, systems and documents.

    python benchmarks/compare.py [--runs N] [--jobs J]

Counts are simulated, so that only the resampling is measured: all metrics, p-values of all pairs,
intervals of all figures. The first rows are whole runs of `scorer compare`, reading and scoring
included.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time

import corpus
import numpy as np
from measure import Timing, peak_memory, print_table, show_seconds, time_commands

from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.resampling import Resampling
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.options import Options
from scorer.registry import select

TRIALS, SYSTEMS, DOCUMENTS = 10_000, 10, 350
"""The sizes in the middle; each row changes one of them."""


def simulated(systems: int, documents: int) -> dict[str, Evaluation]:
    """Evaluations of systems that find most of each document."""
    generator = np.random.default_rng(1)
    shown, counted = select("all", Options())
    found = {}
    keys = generator.integers(20, 300, documents).tolist()
    for system in range(systems):
        evaluation = found[f"system {system}"] = Evaluation(counted, Options(), shown)
        for number, key in enumerate(keys):
            counts = {}
            for metric in counted:
                common, response = generator.uniform(0, key), int(generator.integers(key, 2 * key))
                counts[metric.name] = (Counts(common, key, common, response),) * len(metric.parts)
            evaluation.add(DocumentScore(str(number), counts, [], 0))
    return found


def measure(runs: int, jobs: int) -> None:
    """A row for each size: median, spread, and the most memory that the process has had so far."""
    sizes = [(TRIALS, SYSTEMS, DOCUMENTS, {})]
    sizes += [(trials, SYSTEMS, DOCUMENTS, {}) for trials in (1000, 100_000)]
    sizes += [(TRIALS, systems, DOCUMENTS, {}) for systems in (2, 30)]
    sizes += [(TRIALS, SYSTEMS, documents, {}) for documents in (35, 3500)]
    sizes += [
        (TRIALS, SYSTEMS, DOCUMENTS, {"interval": "bca"}),
        (TRIALS, SYSTEMS, DOCUMENTS, {"method": "bootstrap"}),
    ]
    print("\n| trials | systems | documents | options | median | spread | memory so far |")
    print("|---|---|---|---|---|---|---|")
    for trials, systems, documents, options in sorted(
        sizes, key=lambda size: size[0] * size[1] ** 2
    ):
        evaluations = simulated(systems, documents)
        timing = Timing()
        for turn in range(runs + 1):
            gc.collect()
            begin = time.perf_counter()
            compare_evaluations(evaluations, Resampling(trials=trials, **options), jobs=jobs)
            if turn:
                timing.seconds.append(time.perf_counter() - begin)
        words = " ".join(f"--{name} {value}" for name, value in options.items())
        row = [
            trials,
            systems,
            documents,
            words,
            show_seconds(timing.median),
            timing.spread,
            f"{peak_memory() / 1e6:.0f} MB",
        ]
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def measure_command(runs: int, jobs: int) -> None:
    """The command on files, from its start to its end, next to scoring alone."""
    with tempfile.TemporaryDirectory() as folder:
        key, response = corpus.write(f"{folder}/0", documents=DOCUMENTS, mentions=80)
        responses = [response]
        for seed in range(1, SYSTEMS):
            responses.append(f"{folder}/system-{seed}.conll")
            corpus.damage(response, responses[-1], seed)
        scorer = [sys.executable, "-m", "scorer"]
        options = ["--quiet", "--jobs", str(jobs)]
        commands = {
            "score, one response": [*scorer, "score", key, response, *options],
            "compare, two responses": [*scorer, "compare", key, *responses[:2], *options],
            f"compare, {SYSTEMS} responses": [*scorer, "compare", key, *responses, *options],
        }
        print(
            f"{DOCUMENTS} documents, {os.path.getsize(key) / 1e6:.1f} MB each file, {TRIALS} trials"
        )
        print_table(time_commands(commands, runs), [])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    # First, as the memory of a command is never less than that of the process that starts it.
    measure_command(arguments.runs, arguments.jobs)
    measure(arguments.runs, arguments.jobs)


if __name__ == "__main__":
    main()
