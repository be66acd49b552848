"""Confidence intervals and p-values from bootstrap replicates: percentile and expanded.

Efron and Tibshirani, An Introduction to the Bootstrap, 1993; Hesterberg, What Teachers Should Know
about the Bootstrap, The American Statistician, 2015.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from scorer.statistics.resampling import Resampling
from scorer.statistics.significance import TIE, Array, reaching


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
        observed, alternative = self.observed[..., None], self.resampling.alternative
        reached = reaching(self.replicates - observed, observed, alternative)
        p: Array = (np.count_nonzero(reached, axis=-1) + 1) / (self.replicates.shape[-1] + 1)
        sides = 2 if alternative == "two-sided" else 1
        return self._expanded(p, sides)

    def probability_better(self) -> Array:
        """Return the share of replicates above 0, ties counting half; expanded as intervals are."""
        shares = _share_above(self.replicates, TIE)
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


def _share_above(values: Array, tie: float) -> Array:
    """Return the share of values (last axis) above 0; those at most a tie away count half."""
    above, not_below = (values > tie).mean(axis=-1), (values >= -tie).mean(axis=-1)
    share: Array = (above + not_below) / 2
    return share


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
