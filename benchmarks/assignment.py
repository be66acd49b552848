"""CEAF at its worst: alignments that no reduction makes easy.

python benchmarks/assignment.py [--runs N]
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np
from measure import Row, Timing, peak_memory, print_targets

from scorer.engine.arrays import best_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

Edges = tuple[np.ndarray, np.ndarray, np.ndarray]


def dealt(random_: np.random.Generator, mentions: int, size: int) -> Edges:
    """Mentions dealt at random to clusters of `size` on both sides.

    Weights are mentions in common.
    """
    pairs, common = np.unique(
        np.arange(mentions) // size * mentions + random_.permutation(mentions) // size,
        return_counts=True,
    )
    return pairs // mentions, pairs % mentions, common


def dense(random_: np.random.Generator, size: int) -> Edges:
    """Every key cluster overlaps every response cluster."""
    key, response = (axis.ravel() for axis in np.indices((size, size)))
    return key, response, random_.integers(1, 100, size * size)


def sparse(random_: np.random.Generator, size: int, degree: int) -> Edges:
    """Every key cluster overlaps a few response clusters, in one component."""
    pairs = np.unique(
        np.repeat(np.arange(size), degree) * size + random_.integers(0, size, degree * size)
    )
    return pairs // size, pairs % size, random_.integers(1, 10, len(pairs))


def rows(runs: int = 3) -> Iterator[Row]:
    """Seconds of each case, and the memory of the process after the last, which takes the most."""
    random_ = np.random.default_rng(1)
    cases = {
        "100,000 mentions dealt to clusters of three": (dealt(random_, 100_000, 3), 3.0),
        "20,000 × 20,000, four overlaps a cluster": (sparse(random_, 20_000, 4), None),
        "2,000 × 2,000 clusters, all overlap": (dense(random_, 2000), None),
    }
    for name, (edges, target) in cases.items():
        timing = Timing()
        for _ in range(runs):
            clock, processor = time.perf_counter(), time.process_time()
            best_pairs(*edges)
            timing.seconds.append(time.perf_counter() - clock)
            timing.processors.append(time.process_time() - processor)
        yield Row(
            f"CEAF, {name} ({len(edges[0]):,} overlaps), seconds",
            timing.median,
            timing.processor,
            target,
        )
    yield Row("the memory of the last, MB", peak_memory() / 1e6, None, 2000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    print_targets(rows(parser.parse_args().runs))


if __name__ == "__main__":
    main()
