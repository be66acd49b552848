"""Calls in memory, as from a training loop: `Accumulator.update` next to the way in which most training code scores.

    python benchmarks/training_loop.py [--runs N]

That way is: dictionaries from mentions to clusters, MUC and B-cubed by loops over them, and for CEAFe a dense matrix of
similarities that is filled in Python and solved by scipy. Both score MUC, B-cubed and CEAFe of documents given as lists of spans.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from statistics import median

import corpus
import numpy as np
from measure import show_seconds
from scipy.optimize import linear_sum_assignment

import scorer

Clusters = list[tuple[corpus.Span, ...]]


def dense_counts(key: Clusters, response: Clusters) -> None:
    """The usual way, kept short; the figures are thrown away."""
    to_key = {mention: cluster for cluster in key for mention in cluster}
    to_response = {mention: cluster for cluster in response for mention in cluster}
    for clusters, other in ((key, to_response), (response, to_key)):
        for cluster in clusters:
            parts = {other[mention] for mention in cluster if mention in other}
            _ = len(cluster) - len(parts) - sum(mention not in other for mention in cluster)
            shares = Counter(other[mention] for mention in cluster if mention in other)
            _ = sum(n * n for n in shares.values()) / len(cluster)
    similarity = np.zeros((len(key), len(response)))
    for i, cluster in enumerate(key):
        for j, other_cluster in enumerate(response):
            common = len([mention for mention in cluster if mention in other_cluster])
            similarity[i, j] = 2 * common / (len(cluster) + len(other_cluster))
    rows, columns = linear_sum_assignment(-similarity)
    similarity[rows, columns].sum()


def documents(mentions: int, number: int) -> list[tuple[Clusters, Clusters]]:
    """Pairs of partitions, clusters as tuples of spans."""
    random_ = random.Random(1)
    pairs = []
    for _ in range(number):
        key = corpus.partition(random_, [(at, at + at % 3) for at in range(0, 3 * mentions, 3)])
        response = corpus.distort(random_, key, 3 * mentions + 3)
        pairs.append(([tuple(cluster) for cluster in key], [tuple(cluster) for cluster in response]))
    return pairs


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print("| mentions | the usual way | Accumulator | ratio |\n|---|---|---|---|")
    for mentions in (100, 300, 1000):
        pairs = documents(mentions, 10)
        seconds: dict[str, list[float]] = {"dense": [], "ours": []}
        for _ in range(arguments.runs):
            begin = time.perf_counter()
            for key, response in pairs:
                dense_counts(key, response)
            seconds["dense"].append((time.perf_counter() - begin) / len(pairs))
            begin = time.perf_counter()
            accumulator = scorer.Accumulator(metrics=["muc", "bcub", "ceafe"])
            for key, response in pairs:
                accumulator.update(key, response)
            accumulator.compute()
            seconds["ours"].append((time.perf_counter() - begin) / len(pairs))
        dense, ours = median(seconds["dense"]), median(seconds["ours"])
        print(f"| {mentions} | {show_seconds(dense)} | {show_seconds(ours)} | {dense / ours:.1f} |", flush=True)


if __name__ == "__main__":
    main()
