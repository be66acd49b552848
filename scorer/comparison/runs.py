"""Several runs of one system, say from different seeds of training: how they spread, and almost stochastic order.

del Barrio et al. 2018, arXiv:1705.01788; Dror, Shlomov and Reichart, Deep Dominance: How to Properly Compare Deep Neural Models,
ACL 2019.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scorer import registry
from scorer.comparison.figures import RATIOS
from scorer.comparison.significance import draws, stream_of
from scorer.evaluation.means import Means, runs_of
from scorer.evaluation.report import term_of
from scorer.patterns import compiled
from scorer.report.figures import figure
from scorer.report.report import Table, said_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scorer.comparison.resampling import Resampling
    from scorer.comparison.significance import Array
    from scorer.evaluation.evaluation import Evaluation


@dataclass(frozen=True)
class Spread:
    """What the runs of a system make of a figure: its `mean`, the standard deviation `sd` (of a sample) and the `best`.

    `sd` is None for a single run.
    """

    system: str
    metric: str
    ratio: str
    runs: int
    mean: float
    sd: float | None
    best: float


@dataclass(frozen=True)
class Order:
    """Whether runs of the first system are almost stochastically better than those of the second, in an F1.

    `epsilon`: an upper bound, at the confidence of the comparison, for the share by which that order is violated; below 0.5 the
    first is the better one, and the nearer to 0, the more surely. `reverse`: the same of the second.
    """

    first: str
    second: str
    metric: str
    epsilon: float
    reverse: float


def groups_of(names: Iterable[str], pattern: str) -> dict[str, list[str]]:
    r"""The names of runs by system: what the regular expression leaves of a name when its match is taken out.

    A name in which it is not found is a system of one run. Of a pattern with groups, they are taken out, and not the whole match.
    ValueError for what is no regular expression, where it leaves nothing of a name, and where it puts no two of them together.

    >>> groups_of(["base-s1", "base-s2", "large"], "-s\\d+$")
    {'base': ['base-s1', 'base-s2'], 'large': ['large']}
    """
    search = compiled(pattern).search
    groups: dict[str, list[str]] = {}
    for name in names:
        match = search(name)
        system = name if match is None else _without(match)
        if not system:
            raise ValueError(f"runs: {pattern!r} leaves nothing of the name {name!r}; match only what tells runs apart")
        groups.setdefault(system, []).append(name)
    if all(len(runs) == 1 for runs in groups.values()):
        raise ValueError(f"runs: {pattern!r} puts no two responses together; match what tells runs of one system apart")
    return groups


def check_groups(names: Iterable[str], pattern: str, method: str) -> None:
    """What there is to say against runs before any is scored: ValueError as in `groups_of` and `check_method`."""
    check_method({system: len(runs) for system, runs in groups_of(names, pattern).items()}, method)


def check_method(runs: Mapping[str, int], method: str) -> None:
    """ValueError for randomisation where a system has several runs: swapping documents says nothing of how runs vary."""
    several = next((name for name, number in runs.items() if number > 1), None)
    if several is not None and method == "randomisation":
        raise ValueError(f"method: {several!r} has several runs, which only the bootstrap can resample; use method bootstrap")


def _without(match: re.Match[str]) -> str:
    text = match.string
    for begin, end in sorted({match.span(at) for at in range(1, (match.re.groups or 0) + 1)} or {match.span()}, reverse=True):
        text = text[: max(begin, 0)] + text[end:] if begin >= 0 else text
    return text


def joined(evaluations: Mapping[str, Evaluation], pattern: str) -> dict[str, Evaluation]:
    """Systems of several runs, from evaluations of runs; see `groups_of`."""
    groups = groups_of(evaluations, pattern)
    return {
        system: evaluations[names[0]] if len(names) == 1 else Means({name: evaluations[name] for name in names}, "runs")
        for system, names in groups.items()
    }


def spreads(evaluations: Mapping[str, Evaluation], metrics: Sequence[str] | None = None) -> Iterator[Spread]:
    """What the runs of each system make of the figures of its metrics, or of some."""
    for system, evaluation in evaluations.items():
        runs = runs_of(evaluation).values()
        for metric in evaluation.names if metrics is None else metrics:
            each, means = [run.ratios(metric) for run in runs], evaluation.ratios(metric)
            for ratio in RATIOS[2:] if metric in registry.AVERAGES else RATIOS:
                values = np.array([getattr(one, ratio) for one in each])
                sd = float(values.std(ddof=1)) if len(values) > 1 else None
                yield Spread(system, metric, ratio, len(values), getattr(means, ratio), sd, float(values.max()))


def orders(
    evaluations: Mapping[str, Evaluation],
    pairs: Iterable[tuple[str, str]],
    resampling: Resampling,
    metrics: Sequence[str] | None = None,
) -> Iterator[Order]:
    """Almost stochastic order of each pair of systems that both have several runs, for each metric's F1, or that of some."""
    runs = {system: list(runs_of(evaluation).values()) for system, evaluation in evaluations.items()}
    several = {system for system, some in runs.items() if len(some) > 1}
    for first, second in pairs:
        if not several.issuperset((first, second)):
            continue
        for metric in evaluations[first].names if metrics is None else metrics:
            ours, theirs = (np.array([run.ratios(metric).f1 for run in runs[system]]) for system in (first, second))
            epsilon, reverse = almost_stochastic_order(
                ours,
                theirs,
                trials=resampling.trials,
                seed=resampling.seed,
                confidence=resampling.confidence,
                streams=(stream_of(first), stream_of(second)),
            )
            yield Order(first, second, metric, epsilon, reverse)


def almost_stochastic_order(
    ours: Array, theirs: Array, *, trials: int = 10_000, seed: int = 0, confidence: float = 0.95, streams: tuple[int, int] = (1, 2)
) -> tuple[float, float]:
    """Upper bounds for the violation of the order that ours are better than theirs, and of the reverse.

    The bound is ε + z · s: ε the `violation`, z the quantile of the normal distribution, s the standard deviation of ε over
    bootstrap replicates of both samples, which are drawn from these `streams`; from 0 to 1.
    """
    from scipy.special import ndtri

    ours, theirs = np.sort(ours), np.sort(theirs)
    one, other = (
        np.repeat(np.tile(values, trials), draws(trials, len(values), seed=seed, stream=stream).ravel()).reshape(trials, -1)
        for stream, values in zip(streams, (ours, theirs))
    )
    observed = float(violation(ours[None], theirs[None])[0])
    room = float(ndtri(confidence)) * float(violation(one, other).std())
    return min(1.0, max(0.0, observed + room)), min(1.0, max(0.0, 1 - observed + room))


def violation(ours: Array, theirs: Array) -> Array:
    """How far sorted samples (last axis) are from the order that ours are better: shape (...), 0 where they are, 1 in reverse.

    ∫ (G⁻¹ - F⁻¹)₊² / ∫ (G⁻¹ - F⁻¹)², F⁻¹ and G⁻¹ being the quantile functions of ours and theirs; ½ where these are equal. They are
    steps, so the integrals are sums without error.
    """
    n, m = ours.shape[-1], theirs.shape[-1]
    # Where either steps, as whole numbers of 1 / (n · m).
    edges = np.unique(np.concatenate([np.arange(n + 1) * m, np.arange(m + 1) * n]))
    widths, begins = np.diff(edges), edges[:-1]
    more = theirs[..., begins // n] - ours[..., begins // m]
    squares = more**2 * widths
    whole = squares.sum(axis=-1)
    against = np.where(more > 0, squares, 0.0).sum(axis=-1)
    found: Array = np.where(whole > 0, against / np.where(whole > 0, whole, 1), 0.5)
    return found


def runs_table(spreads: Sequence[Spread], percent: str) -> Table:
    """Mean, standard deviation and best F1 of each system's runs, metric by metric."""
    rows = []
    for metric in dict.fromkeys(one.metric for one in spreads):
        for one in (one for one in spreads if (one.metric, one.ratio) == (metric, "f1")):
            sd = "" if one.sd is None else f"{100 * one.sd:.2f}"
            rows.append([term_of(metric), one.system, str(one.runs), figure(one.mean, percent), sd, figure(one.best, percent)])
    return Table(["metric", "system", "runs", "mean F1", "SD", "best F1"], said_once(rows), 2)


def orders_table(orders: Sequence[Order]) -> Table:
    """Almost stochastic order of each pair, both ways."""
    rows = [[term_of(one.metric), one.first, one.second, f"{one.epsilon:.4f}", f"{one.reverse:.4f}"] for one in orders]
    return Table(["metric", "first", "second", "ε(first > second)", "ε(second > first)"], said_once(rows), 3)
