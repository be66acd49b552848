"""Confidence intervals from bootstrap replicates: percentile, expanded percentile, and BCa.

Efron, Better Bootstrap Confidence Intervals, 1987; Efron and Tibshirani, An Introduction to the Bootstrap, 1993; Hesterberg, What
Teachers Should Know about the Bootstrap, The American Statistician, 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def interval_of(
    replicates: Array, how: str, confidence: float, jackknife: Callable[[], tuple[Array, Array, Sequence[int]]]
) -> Array:
    """The interval of that kind, one of `scorer.comparison.resampling.INTERVALS`, of replicates (last axis): shape (..., 2).

    `jackknife` is asked for where the kind needs it: the observed figures (...), those with each document left out in turn (...,
    documents), and how many documents each stratum of these has.
    """
    if how == "percentile":
        return percentile_interval(replicates, confidence)
    observed, left_out, sizes = jackknife()
    if how == "bca":
        return bca_interval(replicates, observed, left_out, confidence, sizes=sizes)
    return expanded_interval(replicates, Expansion(variances(left_out, sizes), sizes).tail(confidence))


def percentile_interval(replicates: Array, confidence: float = 0.95) -> Array:
    """The interval between the percentiles of the replicates (last axis): shape (..., 2), low before high."""
    tail = (1 - confidence) / 2
    return _quantiles(np.sort(replicates, axis=-1), np.broadcast_to([tail, 1 - tail], (*replicates.shape[:-1], 2)))


class Expansion:
    """By how much replicates spread too little, and how surely that is known (Hesterberg 2015).

    Of n documents a bootstrap draws a spread √((n - 1) / n) times too small, and it knows that spread only from n of them. So what
    is z standard deviations away among replicates is z / √(n / (n - 1)) away in Student's distribution with n - 1 degrees of
    freedom. `variances`: what each stratum (or whatever else is drawn) gives to the figure, on the last axis; their `sizes` are
    those n. Several are put together as Welch and Satterthwaite do: degrees of freedom (Σ v)² / Σ (v² / (n - 1)), and
    Σ v / Σ (v · (n - 1) / n) in place of n / (n - 1).
    """

    def __init__(self, variances: Array, sizes: Sequence[int]) -> None:
        n = np.array(sizes, dtype=np.float64)
        # One alone cannot vary, and a figure that does not vary at all has an interval of one point whatever the level.
        weights = np.where(n > 1, variances, 0.0)
        weights = np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, n > 1)
        weights = weights / weights.max(axis=-1, keepdims=True)
        self.freedom: Array = weights.sum(axis=-1) ** 2 / (weights**2 / np.maximum(n - 1, 1)).sum(axis=-1)
        self.wider: Array = np.sqrt(weights.sum(axis=-1) / (weights * (n - 1) / n).sum(axis=-1))

    def tail(self, confidence: float = 0.95) -> Array:
        """The level of the replicates at which an interval begins: Φ(-√(n / (n - 1)) · t); shape (...)."""
        from scipy.special import ndtr, stdtrit

        tail: Array = ndtr(self.wider * stdtrit(self.freedom, (1 - confidence) / 2))
        return tail

    def p(self, p: Array, sides: int = 2) -> Array:
        """A bootstrap's p-value, of so many sides, as large as it takes for an interval of confidence 1 - p to end at 0."""
        from scipy.special import ndtri, stdtr

        far = ndtri(np.minimum(p / sides, 1 - 1e-16))
        expanded: Array = np.minimum(1.0, sides * stdtr(self.freedom, far / self.wider))
        return np.where(p < 1, expanded, p)


def expanded_interval(replicates: Array, tail: Array) -> Array:
    """The interval between the replicates (last axis) at the levels `tail`, of an `Expansion`, and 1 - `tail`: shape (..., 2)."""
    levels = np.broadcast_to(np.stack([tail, 1 - tail], axis=-1), (*replicates.shape[:-1], 2))
    return _quantiles(np.sort(replicates, axis=-1), levels)


def bca_interval(
    replicates: Array, observed: Array, left_out: Array, confidence: float = 0.95, *, sizes: Sequence[int] | None = None
) -> Array:
    """The bias-corrected and accelerated interval (Efron 1987; Efron and Tibshirani 1993, chapter 14): shape (..., 2).

    `left_out`: the jackknife's figures on the last axis, in strata of those `sizes` (one, unless given), from which the
    acceleration comes. Where it is not defined, because all replicates lie on one side of the observed value or because the
    acceleration is too strong, it is the percentile interval.
    """
    from scipy.special import ndtr, ndtri

    ordered = np.sort(replicates, axis=-1)
    below = ((replicates < observed[..., None]).mean(axis=-1) + (replicates <= observed[..., None]).mean(axis=-1)) / 2
    bias = ndtri(below)[..., None]
    influence = _influences(left_out, sizes or [left_out.shape[-1]])
    spread = (influence**2).sum(axis=-1) ** 1.5
    acceleration = ((influence**3).sum(axis=-1) / (6 * np.where(spread > 0, spread, 1)))[..., None]
    tail = (1 - confidence) / 2
    z = ndtri([tail, 1 - tail])
    defined = np.isfinite(bias)
    shifted = np.where(defined, bias, 0) + z
    room = 1 - acceleration * shifted
    defined = defined & (room > 0).all(axis=-1, keepdims=True)
    levels = np.where(defined, ndtr(np.where(defined, bias, 0) + shifted / np.where(room > 0, room, 1)), [tail, 1 - tail])
    return _quantiles(ordered, levels)


def _influences(left_out: Array, sizes: Sequence[int]) -> Array:
    """How much each document moves a figure, from the jackknife's figures on the last axis, in strata of those sizes.

    Those of a stratum of n are (n - 1) / n of how far the figure without each is below their mean, so that strata of different
    sizes count as much as they move the figure.
    """
    parts = np.split(left_out, np.cumsum(sizes)[:-1], axis=-1)
    return np.concatenate([(one.mean(axis=-1, keepdims=True) - one) * ((one.shape[-1] - 1) / one.shape[-1]) for one in parts], -1)


def variances(left_out: Array, sizes: Sequence[int]) -> Array:
    """The jackknife's variance of a figure that each stratum gives it: shape (..., strata); 0 for a stratum of one document."""
    parts = np.split(_influences(left_out, sizes) ** 2, np.cumsum(sizes)[:-1], axis=-1)
    return np.stack([one.sum(axis=-1) * (one.shape[-1] / max(1, one.shape[-1] - 1)) for one in parts], axis=-1)


def _quantiles(ordered: Array, levels: Array) -> Array:
    """The quantiles at those levels (last axis) of values in order (last axis), interpolated as `numpy.quantile` does."""
    place = levels * (ordered.shape[-1] - 1)
    before = np.clip(np.floor(place).astype(np.int64), 0, ordered.shape[-1] - 1)
    after = np.minimum(before + 1, ordered.shape[-1] - 1)
    low, high = np.take_along_axis(ordered, before, axis=-1), np.take_along_axis(ordered, after, axis=-1)
    between: Array = low + (high - low) * (place - before)
    return between
