"""Confidence intervals and p-values from bootstrap replicates, and posterior intervals.

Efron and Tibshirani, An Introduction to the Bootstrap, 1993; Hesterberg, What Teachers Should Know
about the Bootstrap, The American Statistician, 2015.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from scorer.statistics.resampling import Resampling
from scorer.statistics.significance import REACHING, TIE, Array


class Estimate:
    """Figures, or the differences of two systems' figures, with intervals and p-values.

    Of n documents a bootstrap draws a spread √((n - 1) / n) times too small, and it knows that
    spread only from n of them (Hesterberg 2015). So what is z standard deviations away among
    replicates is z / √(n / (n - 1)) away in Student's distribution with n - 1 degrees of freedom.
    Several strata, whose variances are v, are put together as Welch and Satterthwaite do: degrees
    of freedom (Σ v)² / Σ (v² / (n - 1)), and Σ v / Σ (v · (n - 1) / n) in place of n / (n - 1).

    Args:
        resampling: The kind of interval, its confidence, and the alternative of p-values.
        replicates: The bootstrap replicates of each figure, on the last axis.
        observed: The figures.
        leave_one_out: For each stratum the figures with each of its units (documents, or runs of a
            system) left out in turn, on the last axis.

    Attributes:
        variances: The jackknife's variance that each stratum gives each figure, 0 for a stratum of
            one unit: shape (..., strata).
        standard_error: The jackknife's standard error of each figure.
        degrees_of_freedom: Those from which it is known.
    """

    def __init__(
        self,
        resampling: Resampling,
        replicates: Array,
        observed: Array,
        leave_one_out: Sequence[Array],
    ) -> None:
        self.resampling = resampling
        self.replicates = replicates
        self.observed = observed
        self.leave_one_out = leave_one_out
        n = np.array([part.shape[-1] for part in leave_one_out], np.float64)
        # The amount by which each unit moves a figure: strata count as much as they move it.
        sums = []
        for part, share in zip(leave_one_out, (n - 1) / n):
            influences = (part.mean(axis=-1, keepdims=True) - part) * share
            sums.append((influences**2).sum(axis=-1))
        self.variances: Array = np.stack(sums, axis=-1) * (n / np.maximum(n - 1, 1))
        self.standard_error: Array = np.sqrt(self.variances.sum(axis=-1))
        # One alone cannot vary, and a figure that does not vary at all has an interval of one point
        # whatever the level.
        weights = np.where(n > 1, self.variances, 0.0)
        weights = np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, n > 1)
        weights = weights / weights.max(axis=-1, keepdims=True)
        total = weights.sum(axis=-1)
        parts = (weights**2 / np.maximum(n - 1, 1)).sum(axis=-1)
        self.degrees_of_freedom: Array = total**2 / parts
        self._wider = np.sqrt(total / (weights * (n - 1) / n).sum(axis=-1))
        self._is_expanded = resampling.interval == "expanded"

    @property
    def tail(self) -> Array:
        """The level of the replicates at which percentile intervals begin.

        If expanded, that is Φ(-√(n / (n - 1)) · t).
        """
        tail = np.full(self.observed.shape, (1 - self.resampling.confidence) / 2)
        if not self._is_expanded:
            return tail
        quantile = scipy.special.stdtrit(self.degrees_of_freedom, tail)
        expanded: Array = scipy.special.ndtr(self._wider * quantile)
        return expanded

    def interval(self) -> Array:
        """Return the lower and the upper end of the interval of each figure: shape (..., 2)."""
        levels = np.stack([self.tail, 1 - self.tail], axis=-1)
        return _quantiles(np.sort(self.replicates, axis=-1), levels)

    def p(self) -> Array:
        """Return p-values: how often a replicate is as far from the figure as that is from 0.

        Replicates are centred on the observed difference, which turns them into draws under the
        null hypothesis (Berg-Kirkpatrick et al. 2012); p = (replicates that reach it + 1) /
        (replicates + 1), expanded as intervals are.
        """
        observed = self.observed[..., None]
        reached = REACHING[self.resampling.alternative](self.replicates - observed, observed)
        p: Array = (np.count_nonzero(reached, axis=-1) + 1) / (self.replicates.shape[-1] + 1)
        return self._expanded(p, self.resampling.sides)

    def probability_better(self) -> Array:
        """Return the share of replicates above 0, ties counting half; expanded as intervals are."""
        above, not_below = self.replicates > TIE, self.replicates >= -TIE
        shares = (above.mean(axis=-1) + not_below.mean(axis=-1)) / 2
        smaller = self._expanded(np.minimum(shares, 1 - shares), sides=1)
        return np.where(shares > 0.5, 1 - smaller, smaller)

    def _expanded(self, p: Array, sides: int) -> Array:
        """Return p-values as large as it takes for an interval of confidence 1 - p to end at 0.

        Args:
            p: The p-values.
            sides: The number of their sides.
        """
        if not self._is_expanded:
            return p
        far = scipy.special.ndtri(np.minimum(p / sides, 1 - 1e-16))
        tail = scipy.special.stdtr(self.degrees_of_freedom, far / self._wider)
        return np.where(p < 1, np.minimum(1.0, sides * tail), p)


def _quantiles(ordered: Array, levels: Array) -> Array:
    """Return the quantiles at these levels (last axis) of sorted values (last axis).

    They are interpolated as `numpy.quantile` does, which takes no level for each row.
    """
    last = ordered.shape[-1] - 1
    index = levels * last
    before = np.clip(np.floor(index).astype(np.int64), 0, last)
    low = np.take_along_axis(ordered, before, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(before + 1, last), axis=-1)
    between: Array = low + (high - low) * (index - before)
    return between


ASSUMPTION = "treat spans as independent, which those of one document are not"
"""The caution that belongs to posterior intervals wherever they are shown."""

STEPS = 20_000
"""The number of quantiles that represent a distribution."""


@dataclass(frozen=True)
class Trials:
    """True positives, false positives and false negatives."""

    true_positives: float
    false_positives: float
    false_negatives: float


@dataclass(frozen=True)
class Posterior:
    """The lower and upper ends of intervals, as fractions."""

    recall: tuple[float, float]
    precision: tuple[float, float]
    f: tuple[float, float]


def posterior_intervals(
    trials: Trials, *, confidence: float = 0.95, beta: float = 1.0
) -> Posterior:
    """Compute the equal-tailed intervals of recall, precision and F.

    Args:
        trials: The counts.
        confidence: The probability that each interval holds.
        beta: The weight of recall in F.

    Returns:
        The intervals.
    """
    tail = (1 - confidence) / 2
    levels = np.array([tail, 1 - tail])
    right = trials.true_positives + 0.5
    recall = scipy.special.betaincinv(right, trials.false_negatives + 0.5, levels)
    precision = scipy.special.betaincinv(right, trials.false_positives + 0.5, levels)
    return Posterior(
        recall=(float(recall[0]), float(recall[1])),
        precision=(float(precision[0]), float(precision[1])),
        f=_interval_of_f(trials, levels, beta),
    )


def _interval_of_f(trials: Trials, levels: NDArray[np.float64], beta: float) -> tuple[float, float]:
    if beta == 1:
        low, high = _quantiles_of_f1(trials, levels)
    else:
        low, high = np.quantile(_draws_of_f(trials, beta), levels)
    return float(low), float(high)


def _quantiles_of_f1(trials: Trials, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quantiles of F1.

    With U = 2X, B = X / (X + V) is from Beta(TP + ½, FP + FN + 1), and F1 = 2B / (1 + B) grows
    with B.
    """
    wrong = trials.false_positives + trials.false_negatives
    quantiles = scipy.special.betaincinv(trials.true_positives + 0.5, wrong + 1, levels)
    f1: NDArray[np.float64] = 2 * quantiles / (1 + quantiles)
    return f1


def _draws_of_f(trials: Trials, beta: float, seed: int = 0) -> NDArray[np.float64]:
    """Draw values of F with another weight, whose quantiles have no closed form.

    F = (1 + β²) X / ((1 + β²) X + β² Y + Z) with X, Y and Z from Gamma distributions of TP + ½,
    FN + ½ and FP + ½.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    weight = beta * beta
    draws = 10 * STEPS
    right = (1 + weight) * generator.gamma(trials.true_positives + 0.5, size=draws)
    missed = weight * generator.gamma(trials.false_negatives + 0.5, size=draws)
    spurious = generator.gamma(trials.false_positives + 0.5, size=draws)
    values: NDArray[np.float64] = right / (right + missed + spurious)
    return values


def chance_of_higher_f(first: Trials, second: Trials, *, beta: float = 1.0) -> float:
    """Compute the probability that the F of the first counts is higher than that of the second.

    For F1 it is the mean, over evenly spaced quantiles of the first F1, of the probability that the
    second is lower.
    """
    if beta != 1:
        return float(np.mean(_draws_of_f(first, beta, 0) > _draws_of_f(second, beta, 1)))
    levels = (np.arange(STEPS) + 0.5) / STEPS
    f1 = _quantiles_of_f1(first, levels)
    # The Beta variable of which the second F1 is made.
    bound = f1 / (2 - f1)
    wrong = second.false_positives + second.false_negatives
    lower = scipy.special.betainc(second.true_positives + 0.5, wrong + 1, bound)
    return float(lower.mean())
