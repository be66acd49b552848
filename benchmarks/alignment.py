"""CEAF at its worst: alignments that no reduction makes easy.

python benchmarks/alignment.py [--runs N]
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np
from measure import peak_memory, show_seconds

from scorer.engine.arrays import best_pairs

Edges = tuple[np.ndarray, np.ndarray, np.ndarray]


def dealt(random_: np.random.Generator, mentions: int, size: int) -> Edges:
    """Mentions dealt at random to clusters of `size` on both sides; weights are mentions in common."""
    pairs, common = np.unique(np.arange(mentions) // size * mentions + random_.permutation(mentions) // size, return_counts=True)
    return pairs // mentions, pairs % mentions, common


def dense(random_: np.random.Generator, size: int) -> Edges:
    """Every key cluster overlaps every response cluster."""
    key, response = (axis.ravel() for axis in np.indices((size, size)))
    return key, response, random_.integers(1, 100, size * size)


def sparse(random_: np.random.Generator, size: int, degree: int) -> Edges:
    """Every key cluster overlaps a few response clusters, in one component."""
    pairs = np.unique(np.repeat(np.arange(size), degree) * size + random_.integers(0, size, degree * size))
    return pairs // size, pairs % size, random_.integers(1, 10, len(pairs))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    random_ = np.random.default_rng(1)
    cases = {
        "100,000 mentions dealt to clusters of three": (dealt(random_, 100_000, 3), "≤ 1 s"),
        "20,000 × 20,000, four overlaps a cluster": (sparse(random_, 20_000, 4), ""),
        "2,000 × 2,000, all overlap": (dense(random_, 2000), "≤ 300 MB"),
    }
    print("| case | edges | median | spread | memory so far | target |\n|---|---|---|---|---|---|")
    for name, (edges, target) in cases.items():
        seconds = []
        for _ in range(arguments.runs):
            begin = time.perf_counter()
            best_pairs(*edges)
            seconds.append(time.perf_counter() - begin)
        spread = f"{show_seconds(min(seconds))} … {show_seconds(max(seconds))}"
        row = [name, f"{len(edges[0]):,}", show_seconds(median(seconds)), spread, f"{peak_memory() / 1e6:.0f} MB", target]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
