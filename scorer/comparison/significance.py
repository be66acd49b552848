"""Whether systems differ, and how sure their figures are: resampling of documents, on matrices of counts alone.

`counts` is an array of shape (systems, documents, columns): the counts of each system in each document. A `statistic`
makes figures of their sums. It takes an array of shape (columns, ...) and returns one of shape (measures, ...),
element by element. As sums come before divisions in every replicate, all figures are micro-averages.

Same seed, same numbers, to the last bit and on every machine: trial t reads the words of PCG64's stream from t × words on, however
the trials are cut into blocks and shared among processes; and counts are rounded to multiples of a power of two (at most 2⁻⁵¹ of
what the largest document's count would make in all documents), so that every sum of them is exact, in any order.
All pairs of systems see the same trials: a pair's p-value before correction does not depend on which other systems are compared.

Noreen, Computer-Intensive Methods for Testing Hypotheses, 1989; Efron and Tibshirani, An Introduction to the Bootstrap, 1993;
Berg-Kirkpatrick, Burkett and Klein, EMNLP 2012; Holm, Scandinavian Journal of Statistics, 1979.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorer.comparison.resampling import ALTERNATIVES, is_exact
from scorer.comparison.sharing import shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Statistic = Callable[[Array], Array]

TIE = 1e-10
"""Differences this close are equal: a replicate that ties with the observed difference counts as one that reaches it.

Ratios of equal value may differ in their last bits (about 1e-16, and 1e-12 where counts are rounded). Where it errs, p is larger.
"""

BLOCK = 1 << 19
"""Numbers in the sums of a block of trials; the weights of its documents may be four times as many."""

PAIRS = 1 << 15
"""Pairs times trials whose differences are computed together."""

_SWAPS, _DRAWS = 1, 2
"""The two streams of a seed."""


def smallest_p(documents: int, alternative: str = "two-sided") -> float:
    """The smallest p-value that randomisation can give two systems that differ in so many documents, however many the trials.

    Of the 2^documents outcomes, the observed one reaches the observed difference, and two-sided its mirror image does.

    >>> smallest_p(4)
    0.125
    """
    return min(1.0, (2 if alternative == "two-sided" else 1) * 0.5**documents)


def rounded(counts: Array) -> Array:
    """The counts as multiples of a power of two, one a column, whose sums over documents are exact; whole numbers stay as they are.

    ValueError when a count is not a finite number.
    """
    if not np.isfinite(counts).all():
        raise ValueError("counts must be finite numbers")
    most = np.abs(counts).max(axis=(0, 1), initial=0) * counts.shape[1]
    places = 52 - np.frexp(most)[1]
    exact: Array = np.ldexp(np.rint(np.ldexp(counts, places)), -places)
    return exact


def figures(counts: Array, statistic: Statistic) -> Array:
    """What the statistic makes of each system's sums: shape (systems, measures)."""
    observed: Array = statistic(rounded(counts).sum(axis=1).T).T
    return observed


def randomisation(
    counts: Array, statistic: Statistic, *, trials: int = 10_000, seed: int = 0, alternative: str = "two-sided", jobs: int = 1
) -> Array:
    """The p-values of paired approximate randomisation (Noreen 1989), for each pair of systems: shape (pairs, measures).

    Pairs are in the order of `itertools.combinations`; a difference is first less second. In a trial, each document's counts are
    swapped between the two systems with probability ½. p = (trials whose difference reaches the observed one + 1) / (trials + 1);
    where all 2^documents swaps are no more than the trials, each is made once and p = (swaps that reach it) / 2^documents.
    To reach is: the difference is at least as far from 0 (two-sided), at least as large (greater), at most as large (less).
    """
    _check(counts, trials=trials, seed=seed, alternative=alternative)
    counts = rounded(counts)
    systems, documents, columns = counts.shape
    totals = counts.sum(axis=1)[:, :, None]
    measures = len(statistic(totals[0]))
    exact = is_exact(documents, trials)
    every = 2**documents if exact else trials
    sums_of = _summing(counts)

    def reached(start: int, stop: int) -> NDArray[np.int64]:
        swaps = _all_swaps(start, stop, documents) if exact else _swaps(start, stop, documents, seed)
        moved = sums_of(swaps)
        # Several pairs at once, as a call takes longer than its arithmetic, but no more than a cache holds.
        some = max(1, PAIRS // (stop - start))
        return np.array([hits for pairs in _pairs(systems, some) for hits in differing(moved, *pairs)], dtype=np.int64)

    def differing(moved: Array, first: int, seconds: slice) -> NDArray[np.int64]:
        """For each of the pairs and each measure, how many trials reach the observed difference."""
        own, others = totals[first][:, None], totals[seconds].transpose(1, 0, 2)
        gain = moved[seconds].transpose(1, 0, 2) - moved[first][:, None]
        # Computed exactly as in a trial, so that a trial without a swap ties.
        observed = statistic(np.broadcast_to(own, others.shape)) - statistic(others)
        differences = statistic(own + gain) - statistic(others - gain)
        hits: NDArray[np.int64] = np.count_nonzero(_reach(differences, observed, alternative), axis=2).T
        return hits

    if systems < 2:
        return np.empty((0, measures))
    hits = sum(_blocks(reached, every, max(documents / 4, systems * columns), jobs))
    p: Array = (hits + (not exact)) / (every + (not exact))
    return p


def bootstrap(counts: Array, statistic: Statistic, *, trials: int = 10_000, seed: int = 0, jobs: int = 1) -> Array:
    """The figures of bootstrap replicates: shape (systems, measures, trials).

    In a trial, as many documents are drawn with replacement as there are, the same ones for every system (paired).
    """
    _check(counts, trials=trials, seed=seed)
    counts = rounded(counts)
    systems, documents, columns = counts.shape

    sums_of = _summing(counts)
    replicates = np.empty((systems, len(statistic(counts[0, 0])), trials))

    def resample(start: int, stop: int) -> tuple[int, Array]:
        return start, np.array([statistic(sums) for sums in sums_of(_draws(start, stop, documents, seed))])

    for start, figures in _blocks(resample, trials, max(documents / 4, systems * columns), jobs):
        replicates[:, :, start : start + figures.shape[2]] = figures
    return replicates


def bootstrap_p(replicates: Array, observed: Array, alternative: str = "two-sided") -> Array:
    """The p-values of differences, replicates on the last axis: how often these are as far from the observed one as it is from 0.

    Replicates are centred on the observed difference, which turns them into draws under the null hypothesis (Berg-Kirkpatrick et
    al. 2012); p = (replicates that reach it + 1) / (replicates + 1).
    """
    reached = _reach(replicates - observed[..., None], observed[..., None], alternative)
    p: Array = (np.count_nonzero(reached, axis=-1) + 1) / (replicates.shape[-1] + 1)
    return p


def jackknife(counts: Array, statistic: Statistic) -> Array:
    """The figures with each document left out in turn: shape (systems, measures, documents)."""
    counts = rounded(counts)
    without = counts.sum(axis=1)[:, :, None] - counts.transpose(0, 2, 1)
    return np.stack([statistic(of_one) for of_one in without])


def percentile_interval(replicates: Array, confidence: float = 0.95) -> Array:
    """The interval between the percentiles of the replicates (last axis): shape (..., 2), low before high."""
    tail = (1 - confidence) / 2
    return _quantiles(np.sort(replicates, axis=-1), np.broadcast_to([tail, 1 - tail], (*replicates.shape[:-1], 2)))


def bca_interval(replicates: Array, observed: Array, left_out: Array, confidence: float = 0.95) -> Array:
    """The bias-corrected and accelerated interval (Efron 1987; Efron and Tibshirani 1993, chapter 14): shape (..., 2).

    `left_out`: the jackknife's figures on the last axis, from which the acceleration comes. Where it is not defined, because all
    replicates lie on one side of the observed value or because the acceleration is too strong, it is the percentile interval.
    """
    from scipy.special import ndtr, ndtri

    ordered = np.sort(replicates, axis=-1)
    below = ((replicates < observed[..., None]).mean(axis=-1) + (replicates <= observed[..., None]).mean(axis=-1)) / 2
    bias = ndtri(below)[..., None]
    influence = left_out.mean(axis=-1, keepdims=True) - left_out
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


def holm(p: Array) -> Array:
    """Holm's adjusted p-values over the first axis: at most α where the hypothesis is rejected at the family-wise error rate α.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=0, kind="stable")
    left = np.arange(len(p), 0, -1).reshape(-1, *[1] * (p.ndim - 1))
    adjusted = np.minimum(np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * left, axis=0), 1)
    corrected = np.empty_like(adjusted)
    np.put_along_axis(corrected, order, adjusted, axis=0)
    return corrected


def _check(counts: Array, *, trials: int, seed: int, alternative: str = "two-sided") -> None:
    if counts.ndim != 3:
        raise ValueError(f"counts must have the axes (systems, documents, columns), not {counts.ndim} axes")
    if counts.shape[1] < 2:
        raise ValueError(f"resampling needs two documents or more, not {counts.shape[1]}")
    if trials < 1:
        raise ValueError(f"trials: {trials} is not 1 or more")
    if seed < 0:
        raise ValueError(f"seed: {seed} is not 0 or more")
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative: {alternative!r} is not one of {', '.join(ALTERNATIVES)}")


def _pairs(systems: int, some: int) -> Iterator[tuple[int, slice]]:
    """A system and those after it, at most `some` at once: all pairs in the order of `itertools.combinations`."""
    for first in range(systems - 1):
        for begin in range(first + 1, systems, some):
            yield first, slice(begin, min(begin + some, systems))


def _blocks(work: Callable[[int, int], Any], trials: int, width: float, jobs: int) -> Iterator[Any]:
    """`work(start, stop)` for blocks of trials, in order; `width` numbers a trial decide how many fit."""
    rows = max(1, int(BLOCK / width))
    return shared(work, [(start, min(start + rows, trials)) for start in range(0, trials, rows)], jobs)


def _summing(counts: Array) -> Callable[[Array], Array]:
    """From weights of shape (trials, documents) to weighted sums of shape (systems, columns, trials)."""
    systems, documents, columns = counts.shape
    # Half of the columns are the same: those of the key, and numerators that recall and precision share.
    distinct, places = np.unique(counts.transpose(0, 2, 1).reshape(-1, documents), axis=0, return_inverse=True)
    places = places.reshape(systems, columns)
    return lambda weights: (distinct @ weights.T)[places]


def _words(purpose: int, seed: int, start: int, stop: int) -> NDArray[np.uint64]:
    """Words of 64 random bits: raw output, which no version of numpy changes, from any place of the stream."""
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(purpose,)))
    generator.advance(start)
    return generator.random_raw(stop - start)


def _swaps(start: int, stop: int, documents: int, seed: int) -> Array:
    """For each trial and document 1 or 0: swapped or not; a bit each of the trial's words."""
    words = -(-documents // 64)
    raw = _words(_SWAPS, seed, start * words, stop * words).astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(raw.reshape(stop - start, 8 * words), axis=1, count=documents, bitorder="little")
    return bits.astype(np.float64)


def _all_swaps(start: int, stop: int, documents: int) -> Array:
    bits = np.arange(start, stop)[:, None] >> np.arange(documents) & 1
    return bits.astype(np.float64)


def _draws(start: int, stop: int, documents: int, seed: int) -> Array:
    """For each trial and document how often it is drawn; a word for each draw."""
    raw = _words(_DRAWS, seed, start * documents, stop * documents)
    # The upper half of the word as a fraction, times the number of documents; some are likelier by documents / 2³² at most.
    drawn = ((raw >> np.uint64(32)) * np.uint64(documents) >> np.uint64(32)).astype(np.int64).reshape(stop - start, documents)
    drawn += documents * np.arange(stop - start)[:, None]
    times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return times.astype(np.float64)


def _reach(differences: Array, observed: Array, alternative: str) -> NDArray[np.bool_]:
    if alternative == "greater":
        return differences >= observed - TIE
    if alternative == "less":
        return differences <= observed + TIE
    return np.abs(differences) >= np.abs(observed) - TIE


def _quantiles(ordered: Array, levels: Array) -> Array:
    """The quantiles at those levels (last axis) of values in order (last axis), interpolated as `numpy.quantile` does."""
    place = levels * (ordered.shape[-1] - 1)
    before = np.clip(np.floor(place).astype(np.int64), 0, ordered.shape[-1] - 1)
    after = np.minimum(before + 1, ordered.shape[-1] - 1)
    low, high = np.take_along_axis(ordered, before, axis=-1), np.take_along_axis(ordered, after, axis=-1)
    between: Array = low + (high - low) * (place - before)
    return between
