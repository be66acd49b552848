"""Posterior intervals of recall, precision and F from counts alone.

Counts are true positives, false positives and false negatives of independent trials, with
Jeffreys' prior: precision has the distribution Beta(TP + ½, FP + ½), recall Beta(TP + ½, FN + ½),
and F1 that of U / (U + V) with U from Gamma(TP + ½, scale 2) and V from Gamma(FP + FN + 1, scale
1).

Goutte and Gaussier, A Probabilistic Interpretation of Precision, Recall and F-Score, with
Implication for Evaluation, ECIR 2005.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

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
