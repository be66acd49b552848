"""How often intervals hold the true figure, and how often tests of equal systems reject.

    python benchmarks/calibration.py [--corpora N] [--trials N] [--seed N]

The population are 600 simulated texts of four documents each. Documents have from none to 900
mentions in entities (median 37, 10 and 90 percent: 8 and 138), and every system answers each with
entities of its own: mentions are missed and spurious, entities are merged and cut in two, mentions
go astray, more of it in harder texts. All are scored with the project's metrics. Texts are drawn
from the population with replacement, so the true figure is known exactly. Equal systems have the
same true figure, as responses are dealt to them at random, text by text. Figures are made as
`scorer compare` and `scorer leaderboard` make them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

import scorer
from scorer.statistics import significance
from scorer.statistics.estimates import Estimate
from scorer.statistics.resampling import INTERVALS, Resampling
from scorer.statistics.significance import (
    bootstrap,
    figures,
    jackknife,
    randomisation,
)
from scorer.systems.resampled import Figures

NAMES = ["muc", "bcub", "ceafm", "ceafe", "lea", "blanc", "conll"]
DOCUMENTS = (5, 10, 30, 100)
LEVEL = 0.05
TEXTS, PARTS = 600, 4
EQUAL, WEAKER = 12, 6
"""Responses that are equally good, and those that are worse."""
STEP = 0.2
"""The share of texts in which each of unequal systems is worse than the one before."""

Array = NDArray[np.float64]
Labels = NDArray[np.int_]


def key_labels(draw: np.random.Generator) -> Labels:
    """Draw the entities of a document: the number of its entity for each mention.

    A mention joins the entity of an earlier one or begins one (a Chinese restaurant process).
    """
    size = int(np.clip(draw.lognormal(np.log(45), 0.9), 6, 900))
    entities = draw.lognormal(np.log(8), 0.4)
    places = np.arange(size)
    begins = draw.uniform(size=size) * (places + entities) < entities
    earlier = (draw.uniform(size=size) * places).astype(int)
    labels = np.zeros(size, int)
    for place in places:
        labels[place] = place if begins[place] else labels[earlier[place]]
    return labels


def response_labels(draw: np.random.Generator, key: Labels, quality: float) -> Labels:
    """Draw a response: the entities of the mentions of the key, -1 for missed ones, and of more."""
    size, wrong = len(key), 1 - quality
    merged = np.where(draw.uniform(size=size) < 0.3 * wrong, draw.permutation(key), np.arange(size))
    labels = merged[key]
    cut = (draw.uniform(size=size) < 0.6 * wrong)[labels] & (draw.uniform(size=size) < 0.5)
    labels = labels + size * cut
    labels = np.where(draw.uniform(size=size) < 0.3 * wrong, draw.permutation(labels), labels)
    spurious = draw.poisson(size * wrong * draw.lognormal(-0.3, 0.4))
    more = draw.choice(np.concatenate([labels, 2 * size + np.arange(size)]), spurious)
    found = draw.uniform(size=size) < 1 - 0.7 * wrong
    return np.concatenate([np.where(found, labels, -1), more])


def entities_of(labels: Labels) -> list[list[str]]:
    """Group mentions by entity, without singletons."""
    entities: dict[int, list[str]] = {}
    for mention, label in enumerate(labels.tolist()):
        entities.setdefault(label, []).append(str(mention))
    return [entity for label, entity in entities.items() if label >= 0 and len(entity) > 1]


class Population:
    """The counts of all responses: shape (responses, texts, parts, columns)."""

    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng(seed)
        ease = draw.beta(7, 3, TEXTS)
        quality = np.clip(ease + draw.normal(0, 0.08, (EQUAL + WEAKER, TEXTS)), 0.05, 0.97)
        quality[EQUAL:] *= 0.8
        labels = {(text, part): key_labels(draw) for text in range(TEXTS) for part in range(PARTS)}
        key = {str(name): entities_of(document) for name, document in labels.items()}
        counts = []
        for response in range(EQUAL + WEAKER):
            answers = {
                str(name): entities_of(response_labels(draw, document, quality[response, name[0]]))
                for name, document in labels.items()
            }
            evaluation = scorer.score(key, answers, metrics=NAMES)
            self.figures = Figures(evaluation, [(name, "f1") for name in NAMES])
            counts.append(self.figures.counts(evaluation, list(key)))
        self.counts = np.array(counts).reshape(EQUAL + WEAKER, TEXTS, PARTS, -1)
        self.truth = self.figures(self.counts[:EQUAL].mean(axis=(0, 1, 2)))

    def equal(self, draw: np.random.Generator, texts: int, systems: int, parts: int = 1) -> Array:
        """Draw texts and responses of equal systems: (systems, texts, parts, columns)."""
        dealt = draw.permuted(np.tile(np.arange(EQUAL), (texts, 1)), axis=1)[:, :systems].T
        drawn = draw.integers(0, TEXTS, texts)
        some = draw.permuted(np.tile(np.arange(PARTS), (texts, 1)), axis=1)[:, :parts]
        return self.counts[dealt[:, :, None], drawn[:, None], some]

    def documents(self, draw: np.random.Generator, count: int, systems: int) -> Array:
        """Draw documents and responses of equal systems: (systems, documents, columns)."""
        return self.equal(draw, count, systems)[:, :, 0]

    def unequal(self, draw: np.random.Generator, count: int) -> Array:
        """Draw documents, and responses of systems each of which is worse than the one before."""
        order = np.arange(WEAKER)[:, None]
        worse = draw.uniform(size=(WEAKER, count)) < STEP * order
        places = draw.integers(0, TEXTS, count), draw.integers(0, PARTS, count)
        return self.counts[order + EQUAL * worse, places[0], places[1]]

    def true_unequal(self) -> Array:
        """Return the true figures of `unequal`: shape (systems, measures)."""
        means = self.counts.mean(axis=(1, 2))
        share = STEP * np.arange(WEAKER)[:, None]
        sums = (1 - share) * means[:WEAKER] + share * means[EQUAL : EQUAL + WEAKER]
        return self.figures(sums.T).T


def studentised(figure: Figures, counts: Array, observed: Array, error: Array, seed: int) -> Array:
    """Make bootstrap-t intervals; errors of replicates are those of the infinitesimal jackknife.

    Args:
        figure: The statistic.
        counts: Those of one system: shape (documents, columns).
        observed: Its figures.
        error: Their standard errors.
        seed: That of the draws.
    """
    draw = np.random.default_rng(seed)
    size = len(counts)
    weights = draw.multinomial(size, np.full(size, 1 / size), 1000).astype(float)
    sums = counts.T @ weights.T
    replicates = figure(sums)
    slopes = []
    for column in range(len(sums)):
        moved = sums.copy()
        step = np.maximum(1e-6 * sums[column], 1e-6)
        moved[column] += step
        slopes.append((figure(moved) - replicates) / step)
    influence = np.einsum("cmt,nc->mtn", slopes, counts)
    influence -= np.einsum("cmt,ct->mt", slopes, sums / size)[..., None]
    errors = np.sqrt((influence**2 * weights).sum(axis=-1) * size / (size - 1))
    t = (replicates - observed[:, None]) / np.maximum(errors, 1e-12)
    high, low = np.quantile(t, [1 - LEVEL / 2, LEVEL / 2], axis=-1)
    return np.stack([observed - high * error, observed - low * error], axis=-1)


def print_rows(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table; numbers are percent."""
    headings = list(headings)
    print(f"\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    for row in rows:
        cells = (f"{100 * cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row)
        print(f"| {' | '.join(cells)} |", flush=True)


def measure(population: Population, corpora: int, trials: int, seed: int) -> None:
    """Print how often intervals hold the true figure and tests of two equal systems reject."""
    figure, truth = population.figures, population.truth
    print("True F1:", ", ".join(f"{name} {f1:.3f}" for name, f1 in zip(NAMES, truth)))
    covering: list[list[object]] = []
    rejecting: list[list[object]] = []
    for count in DOCUMENTS:
        draw = np.random.default_rng([seed, count])
        held = {name: np.zeros(len(NAMES)) for name in ("expanded", "percentile", "t")}
        rejected = {
            name: np.zeros(len(NAMES))
            for name in ("randomisation", "bootstrap, percentile", "bootstrap, expanded")
        }
        for corpus in range(corpora):
            counts = population.documents(draw, count, 2)
            replicates = bootstrap(counts, figure, Resampling(trials=trials, seed=corpus))
            observed, [leave_one_out] = figures(counts, figure), jackknife(counts, figure)
            first, second = zip(replicates, observed, leave_one_out[:, None])
            estimates = [Estimate(Resampling(interval=kind), *first) for kind in INTERVALS]
            intervals = [estimate.interval() for estimate in estimates]
            error = estimates[0].standard_error
            intervals.append(studentised(figure, counts[0], observed[0], error, corpus))
            for name, interval in zip(held, intervals):
                held[name] += (interval[:, 0] <= truth) & (truth <= interval[:, 1])
            difference = [ours - theirs for ours, theirs in zip(first, second)]
            p, wider = (
                Estimate(Resampling(interval=kind), *difference).p()
                for kind in ("percentile", "expanded")
            )
            swapped = randomisation(counts, figure, Resampling(trials=trials, seed=corpus))[0]
            for name, values in zip(rejected, (swapped, p, wider)):
                rejected[name] += values <= LEVEL
        covering += [[count, name, *(hits / corpora).tolist()] for name, hits in held.items()]
        rejecting += [[count, name, *(hits / corpora).tolist()] for name, hits in rejected.items()]
    print_rows(["documents", "interval", *NAMES], covering)
    print_rows(["documents", "test", *NAMES], rejecting)


def measure_units(population: Population, corpora: int, trials: int, seed: int) -> None:
    """Print how often randomisation rejects equal systems if parts of a text are swapped alone."""
    rows = []
    for texts, parts in ((20, 2), (20, 4), (50, 4)):
        draw = np.random.default_rng([seed, texts, parts])
        rejected = np.zeros((len(NAMES), 2))
        for corpus in range(corpora):
            counts = population.equal(draw, texts, 2, parts)
            apart = counts.reshape(2, texts * parts, -1)
            p = [
                randomisation(units, population.figures, Resampling(trials=trials, seed=corpus))[0]
                for units in (apart, counts.sum(axis=2))
            ]
            rejected += np.stack(p, axis=1) <= LEVEL
        for name, shares in zip(NAMES, (rejected / corpora).tolist()):
            if name in {"blanc", "conll"}:
                rows.append([texts, parts, name, *shares])
    print_rows(["texts", "parts of each", "figure", "parts swapped", "texts swapped"], rows)


def measure_tiers(population: Population, corpora: int, trials: int, seed: int) -> None:
    """Print how often equal systems are parted: by a tier, by letters, and one from the best.

    As `rank` does, nothing is parted where no pair of systems can be significant.
    """
    figure = population.figures
    rows = []
    for count in DOCUMENTS:
        for systems in (3, 6, 12):
            draw = np.random.default_rng([seed, systems, count])
            parted = np.zeros(3)
            pairs = systems * (systems - 1) // 2
            possible = pairs * 2 * 0.5**count <= LEVEL
            for corpus in range(corpora if possible else 0):
                counts = population.documents(draw, count, systems)
                counts = counts[np.argsort(-figures(counts, figure)[:, -1])]
                p = np.ones((systems, systems))
                above = np.triu_indices(systems, 1)
                swapped = randomisation(counts, figure, Resampling(trials=trials, seed=corpus))
                p[above] = p.T[above] = swapped[:, -1]
                tiers = significance.find_tiers(significance.find_gaps(p), LEVEL)
                differing = significance.find_differing(p, tiers, LEVEL)
                parted += [tiers[-1] > 1, bool(differing.any()), bool(differing[0].any())]
            rows.append([count, systems, *(parted / corpora).tolist()])
    headings = ["documents", "equal systems", "more than one tier"]
    print_rows([*headings, "more than one letter", "not all marked best"], rows)


def measure_ranks(population: Population, corpora: int, trials: int, seed: int) -> None:
    """Print how often ranges of ranks hold the true rank, and win probabilities call a winner.

    Ranks are of six systems, each worse than the one before; win probabilities of equal systems
    call a winner above 97.5 or below 2.5 percent.
    """
    figure = population.figures
    rows = []
    for count in DOCUMENTS:
        draw = np.random.default_rng([seed, 1, count])
        hits = np.zeros(4)
        for corpus in range(corpora):
            counts = population.unequal(draw, count)
            replicates = bootstrap(counts, figure, Resampling(trials=trials, seed=corpus))
            observed, [leave_one_out] = figures(counts, figure), jackknife(counts, figure)
            parts = replicates[:, -1], observed[:, -1], [leave_one_out[:, -1]]
            tails = Estimate(Resampling(), *parts).tail
            places = significance.ranks_in_replicates(replicates[:, -1])
            for place, tail in enumerate((tails, np.full(WEAKER, LEVEL / 2))):
                ranges = significance.rank_ranges(places, tail)
                true = np.arange(1, WEAKER + 1)
                hits[place] += np.mean((ranges[:, 0] <= true) & (true <= ranges[:, 1]))
            counts = population.documents(draw, count, 2)
            replicates = bootstrap(counts, figure, Resampling(trials=trials, seed=corpus))[:, -1]
            observed, [leave_one_out] = figures(counts, figure)[:, -1], jackknife(counts, figure)
            difference = np.subtract(*replicates), np.subtract(*observed)
            leave_one_out = np.subtract(*leave_one_out[:, -1])
            for place, kind in enumerate(("expanded", "percentile"), 2):
                estimate = Estimate(Resampling(interval=kind), *difference, [leave_one_out])
                share = estimate.probability_better()
                hits[place] += min(share, 1 - share) < LEVEL / 2
        rows.append([count, *(hits / corpora).tolist()])
    headings = ["documents", "rank held: expanded", "percentile"]
    print_rows([*headings, "winner of equal systems: expanded", "percentile"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sizes = arguments.corpora, arguments.trials, arguments.seed
    population = Population(arguments.seed)
    measure(population, *sizes)
    measure_units(population, *sizes)
    measure_tiers(population, *sizes)
    measure_ranks(population, *sizes)
