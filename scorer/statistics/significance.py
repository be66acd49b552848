"""Whether systems differ, and how sure their figures are: resampling of documents, on matrices of counts alone.

`counts` is an array of shape (systems, documents, columns): the counts of each system in each
document, or in each group of documents that is resampled as one. Several such arrays are strata,
corpora say: each is resampled by itself. A `statistic` makes figures of their sums. It takes an
array of shape (columns, ...), the columns of one stratum after those of another, and returns one of
shape (measures, ...), element by element. As sums come before divisions in every replicate, all
figures are micro-averages within a stratum.

Same seed, same numbers, to the last bit and on every machine: trial t reads the words of PCG64's
stream from t × words on, however the trials are cut into blocks and shared among processes; and
counts are rounded to multiples of a power of two (at most 2⁻⁵¹ of what the largest document's count
would make in all documents), so that every sum of them is exact, in any order. All pairs of systems
see the same trials: a pair's p-value before correction does not depend on which other systems are
compared.

Noreen, Computer-Intensive Methods for Testing Hypotheses, 1989; Efron and Tibshirani, An
Introduction to the Bootstrap, 1993; Berg-Kirkpatrick, Burkett and Klein, EMNLP 2012; Holm,
Scandinavian Journal of Statistics, 1979.

Confidence intervals from bootstrap replicates: percentile, expanded percentile, and BCa.

Efron, Better Bootstrap Confidence Intervals, 1987; Efron and Tibshirani, An Introduction to the
Bootstrap, 1993; Hesterberg, What Teachers Should Know about the Bootstrap, The American
Statistician, 2015.

Smallest detectable differences to be found, before there is one to test.

Of a figure with a standard error, known from so many degrees of freedom, the t-test's statistic has
the noncentral t distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from scorer.jobs.workers import shared
from scorer.statistics.resampling import Resampling, is_exact

Array = NDArray[np.float64]
Statistic = Callable[[Array], Array]
Strata = Array | Sequence[Array]


TIE = 1e-10
"""Differences this close are equal: a replicate that ties with the observed difference counts as one that reaches it.

Ratios of equal value may differ in their last bits (about 1e-16, and 1e-12 where counts are
rounded). Where it errs, p is larger.
"""

BLOCK = 1 << 18
"""Numbers in the sums of a block of trials; the weights of its documents may be four times as many.
"""

_SWAPS, _DRAWS, _RUNS = 1, 2, 3
"""The streams of a seed."""


def smallest_p(documents: int, alternative: str = "two-sided") -> float:
    """The smallest p-value that randomisation can give two systems that differ in so many documents, however many the trials.

    Of the 2^documents outcomes, the observed one reaches the observed difference, and two-sided its
    mirror image does.

    >>> smallest_p(4)
    0.125
    """
    return min(1.0, (2 if alternative == "two-sided" else 1) * 0.5**documents)


def rounded(counts: Array) -> Array:
    """Round counts to multiples of a power of two, one a column, whose sums over documents are exact.

    Whole numbers stay as they are.
    """
    places = _places(counts)
    # The largest count may be rounded up to the next power of two, which asks for one place less:
    # rounded again, nothing changes.
    return _at(counts, np.minimum(places, _places(_at(counts, places))))


def _places(counts: Array) -> NDArray[np.int_]:
    """For each column the binary places that counts may have whose sums over documents are to be exact."""
    most = np.abs(counts).max(axis=(0, 1), initial=0) * counts.shape[1]
    places: NDArray[np.int_] = 52 - np.frexp(most)[1]
    return places


def _at(counts: Array, places: NDArray[np.int_]) -> Array:
    exact: Array = np.ldexp(np.rint(np.ldexp(counts, places)), -places)
    return exact


def figures(counts: Strata, statistic: Statistic) -> Array:
    """What the statistic makes of each system's sums: shape (systems, measures)."""
    observed: Array = statistic(_totals(_strata(counts)).T).T
    return observed


def randomisation(
    counts: Strata, statistic: Statistic, resampling: Resampling, *, jobs: int = 1
) -> Array:
    """The p-values of paired approximate randomisation (Noreen 1989), for each pair of systems: shape (pairs, measures).

    Pairs are in the order of `itertools.combinations`; a difference is first less second. In a
    trial, each document's counts are swapped between the two systems with probability ½. p =
    (trials whose difference reaches the observed one + 1) / (trials + 1); where all 2^documents
    swaps are no more than the trials, each is made once and p = (swaps that reach it) /
    2^documents. To reach is: the difference is at least as far from 0 (two-sided), at least as
    large (greater), at most as large (less).
    """
    strata = _strata(counts)
    ends = np.cumsum([stratum.shape[1] for stratum in strata])
    systems, documents = len(strata[0]), int(ends[-1])
    exact, seed = is_exact(documents, resampling.trials), resampling.seed
    outcomes = 2**documents if exact else resampling.trials
    totals = _totals(strata).T[:, :, None]
    observed = statistic(totals)
    if systems < 2:
        return np.empty((0, len(observed)))

    def reached(start: int, stop: int) -> NDArray[np.int64]:
        swaps = _swaps(start, stop, documents, seed, is_exact=exact)
        moved = _sums(strata, np.split(swaps, ends[:-1], axis=1))
        hits = []
        for first in range(systems - 1):
            later = slice(first + 1, None)
            # Sums are exact, so a trial without a swap ties with what was observed.
            gained = moved[:, later] - moved[:, first, None]
            differences = statistic(totals[:, first, None] + gained)
            differences = differences - statistic(totals[:, later] - gained)
            difference = observed[:, first, None] - observed[:, later]
            reach = _reach(differences, difference, resampling.alternative)
            hits.append(np.count_nonzero(reach, axis=2).T)
        return np.concatenate(hits)

    width = systems * len(totals)
    hits = sum(_blocks(reached, outcomes, max(documents / 4, width), jobs))
    p: Array = (hits + (not exact)) / (outcomes + (not exact))
    return p


def bootstrap(
    counts: Strata, statistic: Statistic, resampling: Resampling, *, jobs: int = 1
) -> Array:
    """The figures of bootstrap replicates: shape (systems, measures, trials).

    In a trial, as many documents of each stratum are drawn with replacement as it has, the same
    ones for every system (paired).
    """
    strata = _strata(counts)
    sizes = [stratum.shape[1] for stratum in strata]

    def resample(start: int, stop: int) -> Array:
        seed = resampling.seed
        drawn = [_draws(start, stop, size, seed, number) for number, size in enumerate(sizes)]
        return statistic(_sums(strata, drawn)).transpose(1, 0, 2)

    width = max(sum(sizes) / 4, _totals(strata).size)
    return np.concatenate(list(_blocks(resample, resampling.trials, width, jobs)), axis=2)


def bootstrap_means(replicates: Array, *, seed: int = 0, stream: int = 0) -> Array:
    """The means of a system's runs in bootstrap replicates, where the runs are drawn with replacement as well.

    `replicates`: shape (runs, measures, trials), of trials in which every run saw the same
    documents. With these, drawing runs gives the hierarchical bootstrap over runs and documents.
    `stream`: a number for the system, as its runs are drawn apart from others'.
    """
    runs, _, trials = replicates.shape
    weights = _draws(0, trials, runs, seed, stream, purpose=_RUNS) / runs
    means = np.zeros(replicates.shape[1:])
    # One after the other, as the order of a sum decides its last bit.
    for run, times in zip(replicates, weights.T):
        means += run * times
    return means


def stream_of(system: str) -> int:
    """A number for a system, other than 0, by its name alone: so its runs are drawn the same whoever it is compared with."""
    return 1 + int.from_bytes(sha256(system.encode("utf-8", "surrogateescape")).digest()[:8], "big")


def jackknife(counts: Strata, statistic: Statistic) -> list[Array]:
    """For each stratum the figures with each of its documents left out in turn: shape (systems, measures, documents).

    A stratum of one document keeps it: nothing can be learnt of how it varies.
    """
    strata = _strata(counts)
    totals = _totals(strata)
    left_out: list[Array] = []
    begin = 0
    for stratum in strata:
        documents, columns = stratum.shape[1:]
        without = np.repeat(totals[:, :, None], documents, axis=2)
        if documents > 1:
            without[:, begin : begin + columns] -= stratum.transpose(0, 2, 1)
        begin += columns
        left_out.append(np.stack([statistic(system) for system in without]))
    return left_out


def holm(p: Array) -> Array:
    """Holm's adjusted p-values over the first axis: at most α where the hypothesis is rejected at the family-wise error rate α.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=0)
    left = np.arange(len(p), 0, -1).reshape(-1, *[1] * (p.ndim - 1))
    adjusted = np.minimum(
        np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * left, axis=0), 1
    )
    corrected = np.empty_like(adjusted)
    np.put_along_axis(corrected, order, adjusted, axis=0)
    return corrected


def _strata(counts: Strata) -> list[Array]:
    return [rounded(part) for part in ([counts] if isinstance(counts, np.ndarray) else counts)]


def _totals(strata: Sequence[Array]) -> Array:
    """The sums over documents: shape (systems, columns of all strata)."""
    return np.concatenate([one.sum(axis=1) for one in strata], axis=1)


def _blocks(work: Callable[[int, int], Any], trials: int, width: float, jobs: int) -> Iterator[Any]:
    """`work(start, stop)` for blocks of trials, in order.

    `width` numbers a trial decide how many fit.
    """
    blocks = -(-trials // max(1, int(BLOCK / width)))
    if blocks > 1:
        # As many for each process.
        blocks = jobs * -(-blocks // jobs)
    rows = -(-trials // blocks)
    return shared(
        work, [(start, min(start + rows, trials)) for start in range(0, trials, rows)], jobs
    )


def _sums(strata: Sequence[Array], weights: Sequence[Array]) -> Array:
    """Sum counts with weights of shape (trials, documents) for each stratum.

    Returns:
        The sums, those of one stratum after another: shape (columns, systems, trials).
    """
    parts = []
    for counts, times in zip(strata, weights):
        systems, documents, columns = counts.shape
        rows = counts.transpose(2, 0, 1).reshape(-1, documents)
        parts.append((rows @ times.T).reshape(columns, systems, -1))
    return np.concatenate(parts)


def _words(purpose: int, seed: int, start: int, stop: int, stream: int = 0) -> NDArray[np.uint64]:
    """Words of 64 random bits: raw output, which no version of numpy changes, from any place of the stream."""
    generator = np.random.PCG64(
        np.random.SeedSequence(seed, spawn_key=(purpose, stream) if stream else (purpose,))
    )
    generator.advance(start)
    return generator.random_raw(stop - start)


def _swaps(start: int, stop: int, documents: int, seed: int, *, is_exact: bool = False) -> Array:
    """For each trial and document 1 or 0: swapped or not; a bit each of the trial's words, or of its number."""
    words = -(-documents // 64)
    raw = np.arange(start, stop, dtype=np.uint64)
    if not is_exact:
        raw = _words(_SWAPS, seed, start * words, stop * words)
    trials = raw.astype("<u8", copy=False).view(np.uint8).reshape(stop - start, 8 * words)
    bits = np.unpackbits(trials, axis=1, count=documents, bitorder="little")
    return bits.astype(np.float64)


def _draws(
    start: int, stop: int, documents: int, seed: int, stream: int = 0, *, purpose: int = _DRAWS
) -> Array:
    """For each trial and document how often it is drawn; a word for each draw."""
    raw = _words(purpose, seed, start * documents, stop * documents, stream)
    # The upper half of the word as a fraction, times the number of documents; some are likelier by
    # documents / 2³² at most.
    drawn = (
        ((raw >> np.uint64(32)) * np.uint64(documents) >> np.uint64(32))
        .astype(np.int64)
        .reshape(stop - start, documents)
    )
    drawn += documents * np.arange(stop - start)[:, None]
    times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return times.astype(np.float64)


def _reach(differences: Array, observed: Array, alternative: str) -> NDArray[np.bool_]:
    if alternative == "greater":
        return differences >= observed - TIE
    if alternative == "less":
        return differences <= observed + TIE
    return np.abs(differences) >= np.abs(observed) - TIE


class Estimate:
    """Figures, or the differences of two systems' figures, and what resampling tells of them.

    Of n documents a bootstrap draws a spread √((n - 1) / n) times too small, and it knows that
    spread only from n of them (Hesterberg 2015). So what is z standard deviations away among
    replicates is z / √(n / (n - 1)) away in Student's distribution with n - 1 degrees of freedom.
    Several strata, whose variances are v, are put together as Welch and Satterthwaite do: degrees
    of freedom (Σ v)² / Σ (v² / (n - 1)), and Σ v / Σ (v · (n - 1) / n) in place of n / (n - 1).

    Args:
        resampling: The kind of interval, its confidence, and the alternative of p-values.
        replicates: The bootstrap replicates of each figure, on the last axis.
        observed: The figures.
        left_out: For each stratum the figures with each of its units (documents, or runs of a
            system) left out in turn, on the last axis.

    Attributes:
        variances: The jackknife's variance that each stratum gives each figure: shape (..., strata);
            0 for a stratum of one unit.
        standard_error: The jackknife's standard error of each figure.
        degrees_of_freedom: Those from which it is known.
    """

    def __init__(
        self, resampling: Resampling, replicates: Array, observed: Array, left_out: Sequence[Array]
    ) -> None:
        self.resampling = resampling
        self.replicates, self.observed, self.left_out = replicates, observed, left_out
        n = np.array([part.shape[-1] for part in left_out], np.float64)
        # How much each unit moves a figure, so that strata count as much as they move it.
        self._influences = [
            (part.mean(axis=-1, keepdims=True) - part) * share
            for part, share in zip(left_out, (n - 1) / n)
        ]
        sums = [(part**2).sum(axis=-1) for part in self._influences]
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
        """The level of the replicates at which percentile intervals begin: Φ(-√(n / (n - 1)) · t) if expanded."""
        tail = np.full(self.observed.shape, (1 - self.resampling.confidence) / 2)
        if self._is_expanded:
            tail = scipy.special.ndtr(
                self._wider * scipy.special.stdtrit(self.degrees_of_freedom, tail)
            )
        return tail

    def interval(self) -> Array:
        """Return the lower and the upper end of the interval of each figure: shape (..., 2)."""
        levels = np.stack([self.tail, 1 - self.tail], axis=-1)
        if self.resampling.interval == "bca":
            levels = self._bca_levels(levels)
        return _quantiles(np.sort(self.replicates, axis=-1), levels)

    def _bca_levels(self, percentiles: Array) -> Array:
        """Return the levels of the bias-corrected and accelerated interval: shape (..., 2).

        Efron 1987; Efron and Tibshirani 1993, chapter 14. The acceleration comes from the
        jackknife. Where the interval is not defined, because all replicates lie on one side of the
        observed value or because the acceleration is too strong, it is the percentile interval.
        """
        bias = scipy.special.ndtri(_share_above(self.observed[..., None] - self.replicates, 0))[
            ..., None
        ]
        influence = np.concatenate(self._influences, axis=-1)
        spread = (influence**2).sum(axis=-1) ** 1.5
        spread = 6 * np.where(spread > 0, spread, 1)
        acceleration = ((influence**3).sum(axis=-1) / spread)[..., None]
        defined = np.isfinite(bias)
        bias = np.where(defined, bias, 0)
        shifted = bias + scipy.special.ndtri(percentiles)
        slack = 1 - acceleration * shifted
        defined = defined & (slack > 0).all(axis=-1, keepdims=True)
        return np.where(
            defined, scipy.special.ndtr(bias + shifted / np.where(slack > 0, slack, 1)), percentiles
        )

    def p(self) -> Array:
        """Return p-values: how often a replicate is as far from the figure as that is from 0.

        Replicates are centred on the observed difference, which turns them into draws under the
        null hypothesis (Berg-Kirkpatrick et al. 2012); p = (replicates that reach it + 1) /
        (replicates + 1), expanded as intervals are.
        """
        observed, alternative = self.observed[..., None], self.resampling.alternative
        reached = _reach(self.replicates - observed, observed, alternative)
        p: Array = (np.count_nonzero(reached, axis=-1) + 1) / (self.replicates.shape[-1] + 1)
        return self._expanded(p, 2 if alternative == "two-sided" else 1)

    def probability_better(self) -> Array:
        """Return how often a replicate is above 0, ties counting half, expanded as intervals are."""
        shares = _share_above(self.replicates, TIE)
        smaller = self._expanded(np.minimum(shares, 1 - shares), sides=1)
        return np.where(shares > 0.5, 1 - smaller, smaller)

    def _expanded(self, p: Array, sides: int) -> Array:
        """Return p-values, of so many sides, as large as it takes for an interval of confidence 1 - p to end at 0."""
        if not self._is_expanded:
            return p
        far = scipy.special.ndtri(np.minimum(p / sides, 1 - 1e-16))
        expanded = np.minimum(
            1.0, sides * scipy.special.stdtr(self.degrees_of_freedom, far / self._wider)
        )
        return np.where(p < 1, expanded, p)


def _share_above(values: Array, tie: float) -> Array:
    """Return the share of values (last axis) above 0; those that are at most a tie away count half."""
    share: Array = ((values > tie).mean(axis=-1) + (values >= -tie).mean(axis=-1)) / 2
    return share


def _quantiles(ordered: Array, levels: Array) -> Array:
    """Return the quantiles at these levels (last axis) of sorted values (last axis).

    They are interpolated as `numpy.quantile` does, which takes no level for each row.
    """
    last = ordered.shape[-1] - 1
    place = levels * last
    before = np.clip(np.floor(place).astype(np.int64), 0, last)
    low = np.take_along_axis(ordered, before, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(before + 1, last), axis=-1)
    between: Array = low + (high - low) * (place - before)
    return between


def power_of(difference: float, error: float, freedom: float, level: float = 0.05) -> float:
    """How often a two-sided t-test of that level finds a true difference, given its standard error and degrees of freedom.

    >>> round(power_of(1, (2 / 20) ** 0.5, 38), 4)
    0.869
    """
    end = -float(scipy.special.stdtrit(freedom, level / 2))
    shift = abs(difference) / error
    # What is too small to compute is not a number.
    missed, reverse = np.nan_to_num(scipy.special.nctdtr(freedom, shift, [end, -end])).tolist()
    power: float = 1 - missed + reverse
    return power


def check_power(power: float, level: float) -> None:
    """Raise ValueError for a power that is not between the level and 1."""
    if not level < power < 1:
        raise ValueError(f"power: {power} is not between {level:.3g} and 1")


def detectable(power: float, error: float, freedom: float, level: float = 0.05) -> float:
    """The smallest difference that `power_of` finds that often; the error is above 0.

    ValueError for a power that is not between the level and 1.

    >>> round(detectable(0.869, (2 / 20) ** 0.5, 38), 2)
    1.0
    """
    check_power(power, level)
    return float(
        error
        * scipy.optimize.brentq(lambda shift: power_of(shift, 1, freedom, level) - power, 0, 1000)
    )
