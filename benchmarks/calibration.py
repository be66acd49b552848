"""How often intervals hold the true figure, and how often tests of equal systems reject.

    python benchmarks/calibration.py [--corpora N] [--trials N] [--seed N]

Documents are drawn from a population of simulated ones: each has a difficulty of its own, systems
find mentions and links in it more or less often, and documents differ in size. The true figure is
that of 200,000 documents. Two systems are equal when each document's counts are drawn alike for
both. Every figure is made as `scorer compare` makes it, of CoNLL's average and of BLANC.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.comparison import leaderboard
from scorer.comparison.comparison import ORDERED_BELOW, almost_stochastic_order
from scorer.comparison.resampling import Figures
from scorer.comparison.significance import (
    Expansion,
    bca_interval,
    bootstrap,
    bootstrap_p,
    expanded_interval,
    figures,
    jackknife,
    percentile_interval,
    randomisation,
    variances,
)
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.options import Options
from scorer.registry import select

MEASURES = [("conll", "f1"), ("blanc", "f1")]
DOCUMENTS = (5, 10, 20, 50, 100)
LEVEL = 0.05
POPULATION = 200_000

Array = NDArray[np.float64]


def statistic() -> Figures:
    """What makes CoNLL's and BLANC's F1 of counts, as the scorer does it."""
    shown, counted = select("conll,blanc", Options())
    evaluation = Evaluation(counted, Options(), shown)
    empty = {metric.name: (Counts(0, 0, 0, 0),) * len(metric.parts) for metric in counted}
    evaluation.add(DocumentScore("d", empty, [], 0))
    return Figures(evaluation, MEASURES)


def documents(
    generator: np.random.Generator, count: int, systems: int, order: list[str], parts: int = 1
) -> Array:
    """Counts of systems that are equally good, documents drawn from the population: shape (systems, documents, columns).

    So many `parts` in a row share how hard they are, and how much a system likes or dislikes them.
    """
    clusters = 2 + generator.poisson(generator.lognormal(1.8, 0.7, count))
    mentions = clusters + generator.poisson(2.2 * clusters)
    ease = np.repeat(generator.beta(6, 2.5, count // parts), parts)
    columns: dict[str, list[NDArray[Any]]] = {}
    shape = (systems, count)
    of_system = np.clip(
        ease + np.repeat(generator.normal(0, 0.06, (systems, count // parts)), parts, axis=1),
        0.02,
        0.98,
    )
    response = np.maximum(1, generator.binomial(2 * mentions, 0.5, shape)).astype(float)
    for name in order:
        if name == "muc":
            links, found = mentions - clusters, np.maximum(1, response - clusters)
            right = np.minimum(generator.binomial(links, of_system), found)
            columns[name] = [right, np.broadcast_to(links, shape), right, found]
        elif name in {"bcub", "ceafe"}:
            key, size = mentions, response
            if name == "ceafe":
                key, size = clusters, np.maximum(1, generator.binomial(2 * clusters, 0.5, shape))
            share = np.clip(of_system + generator.normal(0, 0.05, shape), 0.01, 0.99)
            right = share * np.minimum(key, size)
            columns[name] = [
                right,
                np.broadcast_to(key, shape),
                right * (1 if name == "ceafe" else 1.02),
                size,
            ]
        else:
            links = generator.poisson(0.6 * mentions * mentions / clusters) + 1
            others = mentions * (mentions - 1) // 2 + 1
            for total, ease_of in ((links, of_system), (others, 0.5 + of_system / 2)):
                right = generator.binomial(total, ease_of)
                wrong = generator.binomial(total, np.clip(1 - ease_of, 0, 1) * 0.8)
                columns.setdefault(name, []).extend(
                    [right, np.broadcast_to(total, shape), right, right + wrong]
                )
    return np.stack([part for name in order for part in columns[name]], axis=-1).astype(float)


def measure_units(corpora: int, trials: int, seed: int) -> None:
    """Print how often randomisation rejects when parts of one document are taken for documents, and when they are one unit."""
    figure = statistic()
    order = [metric.name for metric in figure.metrics]
    print("\n| units | parts of each | figure | documents swapped | units swapped |")
    print("|---|---|---|---|---|")
    for units, parts in ((20, 2), (20, 4), (50, 4)):
        generator = np.random.default_rng([seed, units, parts])
        rejected = np.zeros((len(MEASURES), 2))
        for corpus in range(corpora):
            counts = documents(generator, units * parts, 2, order, parts)
            added = counts.reshape(2, units, parts, -1).sum(axis=2)
            p = [
                randomisation(one, figure, trials=trials, seed=corpus)[0] for one in (counts, added)
            ]
            rejected += np.stack(p, axis=1) <= LEVEL
        for (name, _), (wrong, right) in zip(MEASURES, 100 * rejected / corpora):
            print(f"| {units} | {parts} | {name} | {wrong:.1f} | {right:.1f} |", flush=True)


def measure_tiers(corpora: int, trials: int, seed: int) -> None:
    """Print how often equal systems are parted: by a tier, by letters, and one of them from the best."""
    figure = statistic()
    order = [metric.name for metric in figure.metrics]
    print(
        "\n| equal systems | documents | more than one tier | more than one letter | not "
        "all may be best |"
    )
    print("|---|---|---|---|---|")
    for systems, count in ((3, 30), (6, 30), (12, 30)):
        generator = np.random.default_rng([seed, systems])
        parted = np.zeros(3)
        for corpus in range(corpora):
            counts = documents(generator, count, systems, order)
            counts = counts[np.argsort(-figures(counts, figure)[:, 0])]
            p = np.ones((systems, systems))
            above = np.triu_indices(systems, 1)
            p[above] = p.T[above] = randomisation(counts, figure, trials=trials, seed=corpus)[:, 0]
            tiers = leaderboard.find_tiers(leaderboard.find_gaps(p), LEVEL)
            differing = leaderboard.find_differing(p, tiers, LEVEL)
            parted += [tiers[-1] > 1, bool(differing.any()), bool(differing[0].any())]
        cells = " | ".join(f"{100 * one / corpora:.1f}" for one in parted)
        print(f"| {systems} | {count} | {cells} |", flush=True)


def measure_order(corpora: int, trials: int, seed: int) -> None:
    """How often almost stochastic order prefers one of two equal systems, in either direction."""
    draw = np.random.default_rng(seed)
    print("scores     runs   below 0.5   below 0.05   (percent)")
    for scores, drawn in (("normal", draw.normal), ("lognormal", draw.lognormal)):
        for runs in (5, 10, 30, 100):
            bounds = [
                min(almost_stochastic_order(*drawn(0, 1, (2, runs)), trials=trials, seed=pair))
                for pair in range(corpora)
            ]
            shares = [
                100 * float(np.mean(np.less(bounds, bound))) for bound in (0.5, ORDERED_BELOW)
            ]
            print(f"{scores:9} {runs:5} {shares[0]:11.1f} {shares[1]:12.1f}")


def measure(corpora: int, trials: int, seed: int) -> None:
    """Print how often intervals hold the true figure, and how often tests of two equal systems reject."""
    figure = statistic()
    order = [metric.name for metric in figure.metrics]
    truth = figures(documents(np.random.default_rng(seed + 1), POPULATION, 1, order), figure)[0]
    print(
        f"\n{corpora} corpora a row, {trials} trials, seed {seed}; true F1: conll "
        f"{truth[0]:.3f}, blanc {truth[1]:.3f}\n"
    )
    print(
        "| documents | figure | expanded | percentile | BCa | randomisation | bootstrap | "
        "bootstrap, expanded |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for count in DOCUMENTS:
        generator = np.random.default_rng([seed, count])
        hits = np.zeros((len(MEASURES), 3))
        rejected = np.zeros((len(MEASURES), 3))
        for corpus in range(corpora):
            counts = documents(generator, count, 2, order)
            replicates = bootstrap(counts, figure, trials=trials, seed=corpus)
            observed, left_out = figures(counts, figure), jackknife(counts, figure)
            tail = Expansion(variances(left_out[0], [count]), [count]).tail()
            for at, interval in enumerate(
                (
                    expanded_interval(replicates[0], tail),
                    percentile_interval(replicates[0]),
                    bca_interval(replicates[0], observed[0], left_out[0]),
                )
            ):
                hits[:, at] += (interval[:, 0] <= truth) & (truth <= interval[:, 1])
            p = bootstrap_p(replicates[0] - replicates[1], observed[0] - observed[1])
            wider = Expansion(variances(left_out[0] - left_out[1], [count]), [count])
            swapped = randomisation(counts, figure, trials=trials, seed=corpus)[0]
            rejected += np.stack([swapped, p, wider.p(p)], axis=1) <= LEVEL
        for (name, _), held, wrong in zip(MEASURES, 100 * hits / corpora, 100 * rejected / corpora):
            cells = " | ".join(f"{one:.1f}" for one in [*held, *wrong])
            print(f"| {count} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sizes = arguments.corpora, arguments.trials, arguments.seed
    measure(*sizes)
    measure_units(*sizes)
    measure_tiers(*sizes)
    measure_order(*sizes)
