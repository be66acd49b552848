"""Time calls in memory, as from a training loop, next to the usual class.

    python benchmarks/training_loop.py [--documents N] [--runs N]

That way is an evaluator class: for each document, dictionaries from mentions to the clusters of key
and response; MUC and B-cubed by loops over them; for CEAFe a dense matrix of similarities, filled
in Python and solved by scipy. Both score MUC, B-cubed and CEAFe of N documents (100; fewer of large
ones) given as lists of spans, one `compute` included. If the package `coreference` is installed, it
is measured, too.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING

import corpus
import numpy as np
from measure import Row, Timing, compared, print_targets, show_seconds
from scipy.optimize import linear_sum_assignment

import scorer
from scorer.compat import CorefEvaluator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Cluster = tuple[corpus.Span, ...]
Clusters = list[Cluster]

TARGETS = {10: 1, 100: 4, 1000: 30}
"""Mentions of a document, and how many times as fast as the class we want to be."""
MOST = 20_000
"""Mentions that are enough to measure."""


class UsualEvaluator:
    """The usual way, kept short: sums of numerators and denominators over documents."""

    def __init__(self) -> None:
        self.sums = {name: [0.0] * 4 for name in ("muc", "bcub", "ceafe")}

    def update(self, key: Clusters, response: Clusters) -> None:
        """Add one document."""
        to_key = {mention: cluster for cluster in key for mention in cluster}
        to_response = {mention: cluster for cluster in response for mention in cluster}
        aligned = self._aligned(key, response)
        counts = {
            "muc": (*self._links(key, to_response), *self._links(response, to_key)),
            "bcub": (*self._shares(key, to_response), *self._shares(response, to_key)),
            "ceafe": (aligned, len(key), aligned, len(response)),
        }
        for name, numbers in counts.items():
            self.sums[name] = [total + number for total, number in zip(self.sums[name], numbers)]

    def f1s(self) -> list[float]:
        """F1 of each metric."""
        ratios = [
            (r / of_r if of_r else 0, p / of_p if of_p else 0)
            for r, of_r, p, of_p in self.sums.values()
        ]
        return [
            2 * recall * precision / (recall + precision) if recall + precision else 0
            for recall, precision in ratios
        ]

    @staticmethod
    def _links(clusters: Clusters, other: Mapping[corpus.Span, Cluster]) -> tuple[int, int]:
        found = total = 0
        for cluster in clusters:
            parts = {other[mention] for mention in cluster if mention in other}
            found += len(cluster) - len(parts) - sum(mention not in other for mention in cluster)
            total += len(cluster) - 1
        return found, total

    @staticmethod
    def _shares(clusters: Clusters, other: Mapping[corpus.Span, Cluster]) -> tuple[float, int]:
        found = 0.0
        for cluster in clusters:
            shares = Counter(other[mention] for mention in cluster if mention in other)
            found += sum(n * n for n in shares.values()) / len(cluster)
        return found, sum(map(len, clusters))

    @staticmethod
    def _aligned(key: Clusters, response: Clusters) -> float:
        similarity = np.zeros((len(key), len(response)))
        for i, cluster in enumerate(key):
            for j, other_cluster in enumerate(response):
                common = len([mention for mention in cluster if mention in other_cluster])
                similarity[i, j] = 2 * common / (len(cluster) + len(other_cluster))
        rows, columns = linear_sum_assignment(-similarity)
        return float(similarity[rows, columns].sum())


def documents(mentions: int, number: int) -> list[tuple[Clusters, Clusters]]:
    """Pairs of partitions, clusters as tuples of spans."""
    random_ = random.Random(1)
    pairs = []
    for _ in range(number):
        key = corpus.partition(random_, [(at, at + at % 3) for at in range(0, 3 * mentions, 3)])
        response = corpus.distort(random_, key, 3 * mentions + 3)
        pairs.append(
            ([tuple(cluster) for cluster in key], [tuple(cluster) for cluster in response])
        )
    return pairs


def usual(pairs: Sequence[tuple[Clusters, Clusters]]) -> list[float]:
    """F1s the usual way."""
    evaluator = UsualEvaluator()
    for key, response in pairs:
        evaluator.update(key, response)
    return evaluator.f1s()


def ours(pairs: Sequence[tuple[Clusters, Clusters]]) -> list[float]:
    """The same by an accumulator."""
    accumulator = scorer.Accumulator(metrics=["muc", "bcub", "ceafe"])
    for key, response in pairs:
        accumulator.update(key, response)
    evaluation = accumulator.compute()
    return [evaluation.ratios(name).f1 for name in ("muc", "bcub", "ceafe")]


def replacing(pairs: Sequence[tuple[Clusters, Clusters]]) -> list[float]:
    """The same by the class of ours that takes the place of the usual one."""
    evaluator = CorefEvaluator()
    for key, response in pairs:
        evaluator.update(response, key)
    return [metric.get_f1() for metric in evaluator.evaluators]


def packaged(pairs: Sequence[tuple[Clusters, Clusters]]) -> list[float]:
    """Do the same with the package `coreference`, which counts overlaps."""
    from coreference.evaluation import OfficialEvaluator, b_cubed, ceafe, muc

    evaluators = [OfficialEvaluator(metric) for metric in (muc, b_cubed, ceafe)]
    for key, response in pairs:
        to_key = {mention: at for at, cluster in enumerate(key) for mention in cluster}
        to_response = {mention: at for at, cluster in enumerate(response) for mention in cluster}
        for evaluator in evaluators:
            evaluator.update(response, key, to_response, to_key)
    return [evaluator.get_f1() for evaluator in evaluators]


def rows(number: int = 100, runs: int = 7) -> Iterator[Row]:
    """A row for each size of so many documents, or fewer where they are large."""
    others = [usual, packaged] if find_spec("coreference") else [usual]
    for mentions, target in TARGETS.items():
        pairs = documents(mentions, min(number, MOST // mentions))
        timings = {way: Timing() for way in (ours, replacing, *others)}
        assert all(np.allclose(way(pairs), ours(pairs)) for way in timings)
        for _ in range(runs):
            for way, timing in timings.items():
                clock, processor = time.perf_counter(), time.process_time()
                way(pairs)
                timing.seconds.append((time.perf_counter() - clock) / len(pairs))
                timing.processors.append((time.process_time() - processor) / len(pairs))
        accumulator = show_seconds(timings[ours].processor)
        for way in others:
            name = "the usual class" if way is usual else "`coreference`"
            other = show_seconds(timings[way].processor)
            what = f"`Accumulator`, {mentions} mentions: {accumulator}; {name}: {other}"
            wanted = target if way is usual else None
            yield compared(what, timings[way], timings[ours], wanted, at_least=True)
        compat = show_seconds(timings[replacing].processor)
        what = f"`compat.CorefEvaluator`, {mentions} mentions: {compat}; the usual class"
        yield compared(what, timings[usual], timings[replacing], None, at_least=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    print_targets(rows(arguments.documents, arguments.runs))


if __name__ == "__main__":
    main()
