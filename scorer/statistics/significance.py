"""Resample documents: randomisation tests, bootstrap and jackknife, on matrices of counts alone.

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
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import starmap
from string import ascii_letters
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.statistics.resampling import Resampling, is_exact

Array = NDArray[np.float64]
Statistic = Callable[[Array], Array]
Strata = Array | Sequence[Array]


TIE = 1e-10
"""Differences this close are equal: a tie with the observed difference counts as reaching it.

Ratios of equal value may differ in their last bits (about 1e-16, and 1e-12 where counts are
rounded). Where it errs, p is larger.
"""

BLOCK = 1 << 18
"""Numbers in the sums of a block of trials; the weights of its documents may be four times as many.
"""

_SWAPS, _DRAWS, _RUNS = 1, 2, 3
"""The streams of a seed."""


def rounded(counts: Array) -> Array:
    """Round the counts of each column to multiples of a power of two, so that sums are exact.

    Whole numbers stay as they are.
    """
    places = _places(counts)
    # The largest count may be rounded up to the next power of two, which asks for one place less:
    # rounded again, nothing changes.
    return _at(counts, np.minimum(places, _places(_at(counts, places))))


def _places(counts: Array) -> NDArray[np.int_]:
    """Return the binary places that counts of each column may have for exact sums."""
    most = np.abs(counts).max(axis=(0, 1), initial=0) * counts.shape[1]
    places: NDArray[np.int_] = 52 - np.frexp(most)[1]
    return places


def _at(counts: Array, places: NDArray[np.int_]) -> Array:
    """Round counts to so many binary places of each column."""
    exact: Array = np.ldexp(np.rint(np.ldexp(counts, places)), -places)
    return exact


def figures(counts: Strata, statistic: Statistic) -> Array:
    """Compute the figures of each system's sums: shape (systems, measures)."""
    observed: Array = statistic(_totals(_strata(counts)).T).T
    return observed


def randomisation(
    counts: Strata, statistic: Statistic, resampling: Resampling, *, jobs: int = 1
) -> Array:
    """Test each pair of systems by paired approximate randomisation (Noreen 1989).

    In a trial, each document's counts are swapped between the two systems with probability ½. p =
    (trials whose difference reaches the observed one + 1) / (trials + 1); where all 2^documents
    swaps are no more than the trials, each is made once and p = (swaps that reach it) /
    2^documents. A difference is first less second. It reaches another one if it is at least as far
    from 0 (two-sided), at least as large (greater), at most as large (less).

    Args:
        counts: The counts of the systems.
        statistic: Computes figures of sums.
        resampling: How to resample.
        jobs: The number of processes.

    Returns:
        The p-values of pairs in the order of `itertools.combinations`: shape (pairs, measures).
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
            reach = REACHING[resampling.alternative](differences, difference)
            hits.append(np.count_nonzero(reach, axis=2).T)
        return np.concatenate(hits)

    width = systems * len(totals)
    hits = sum(_blocks(reached, outcomes, max(documents / 4, width), jobs))
    p: Array = (hits + (not exact)) / (outcomes + (not exact))
    return p


def bootstrap(
    counts: Strata, statistic: Statistic, resampling: Resampling, *, jobs: int = 1
) -> Array:
    """Compute the figures of bootstrap replicates.

    In a trial, as many documents of each stratum are drawn with replacement as it has, the same
    ones for every system (paired).

    Args:
        counts: The counts of the systems.
        statistic: Computes figures of sums.
        resampling: How to resample.
        jobs: The number of processes.

    Returns:
        Shape (systems, measures, trials).
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
    """Compute the means of a system's runs, which are drawn with replacement, in replicates.

    Drawing runs in trials that draw documents is the hierarchical bootstrap over both.

    Args:
        replicates: The figures of the runs, in trials in which every run saw the same documents:
            shape (runs, measures, trials).
        seed: The seed.
        stream: A number for the system, as its runs are drawn apart from others'.

    Returns:
        Shape (measures, trials).
    """
    runs, _, trials = replicates.shape
    weights = _draws(0, trials, runs, seed, stream, purpose=_RUNS) / runs
    means = np.zeros(replicates.shape[1:])
    # One after the other, as the order of a sum decides its last bit.
    for run, times in zip(replicates, weights.T):
        means += run * times
    return means


def stream_of(system: str) -> int:
    """Return the stream from which the runs of a system are drawn, a number other than 0.

    It depends on the name alone, so that runs are drawn the same whoever the system is compared
    with.
    """
    digest = sha256(system.encode("utf-8", "surrogateescape")).digest()
    return 1 + int.from_bytes(digest[:8], "big")


def jackknife(counts: Strata, statistic: Statistic) -> list[Array]:
    """Compute the figures with each document left out in turn.

    A stratum of one document keeps it: nothing can be learnt of how it varies.

    Args:
        counts: The counts of the systems.
        statistic: Computes figures of sums.

    Returns:
        For each stratum an array of shape (systems, measures, documents).
    """
    strata = _strata(counts)
    totals = _totals(strata)
    leave_one_out: list[Array] = []
    begin = 0
    for stratum in strata:
        documents, columns = stratum.shape[1:]
        without = np.repeat(totals[:, :, None], documents, axis=2)
        if documents > 1:
            without[:, begin : begin + columns] -= stratum.transpose(0, 2, 1)
        begin += columns
        leave_one_out.append(np.stack([statistic(system) for system in without]))
    return leave_one_out


def holm(p: Array) -> Array:
    """Adjust p-values over the first axis by Holm's method.

    An adjusted one is at most α where the hypothesis is rejected at the family-wise error rate α.

    Examples:
        >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
        [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=0)
    ordered = np.take_along_axis(p, order, axis=0)
    # The smallest is multiplied by the number of tests, the next one by one less, and so on.
    factors = np.arange(len(p), 0, -1).reshape(-1, *[1] * (p.ndim - 1))
    adjusted = np.minimum(np.maximum.accumulate(ordered * factors, axis=0), 1)
    corrected = np.empty_like(adjusted)
    np.put_along_axis(corrected, order, adjusted, axis=0)
    return corrected


def _strata(counts: Strata) -> list[Array]:
    """Return the strata, rounded; an array is the only one."""
    strata = [counts] if isinstance(counts, np.ndarray) else counts
    return [rounded(stratum) for stratum in strata]


def _totals(strata: Sequence[Array]) -> Array:
    """Return the sums over documents: shape (systems, columns of all strata)."""
    return np.concatenate([stratum.sum(axis=1) for stratum in strata], axis=1)


def _blocks(work: Callable[[int, int], Any], trials: int, width: float, jobs: int) -> Iterator[Any]:
    """Do `work(start, stop)` for blocks of trials, and yield the results in order.

    Args:
        work: The work.
        trials: The number of trials.
        width: The numbers that a trial takes, which decide how many trials fit into a block.
        jobs: The number of processes.
    """
    blocks = -(-trials // max(1, int(BLOCK / width)))
    if blocks > 1:
        # As many for each process.
        blocks = jobs * -(-blocks // jobs)
    rows = -(-trials // blocks)
    tasks = [(start, min(start + rows, trials)) for start in range(0, trials, rows)]
    if jobs == 1:
        return starmap(work, tasks)
    # Loaded only here, as one process needs no others.
    from scorer.jobs.isolation import shared

    return shared(work, tasks, jobs)


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
    """Return random words of 64 bits: raw output, which no version of numpy changes.

    Args:
        purpose: One of the streams of the seed.
        seed: The seed.
        start: The first word of the stream to return.
        stop: The word behind the last one.
        stream: A stream below that of the purpose, or 0.
    """
    spawn_key = (purpose, stream) if stream else (purpose,)
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=spawn_key))
    generator.advance(start)
    return generator.random_raw(stop - start)


def _swaps(start: int, stop: int, documents: int, seed: int, *, is_exact: bool = False) -> Array:
    """Return 1 for each trial and document that is swapped, else 0.

    A bit of the trial's words decides, or, if exact, of the number of the trial.
    """
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
    """Return how often each document is drawn in each trial; each draw takes a word."""
    raw = _words(purpose, seed, start * documents, stop * documents, stream)
    # The upper half of the word as a fraction, times the number of documents; some are likelier by
    # documents / 2³² at most.
    scaled = (raw >> np.uint64(32)) * np.uint64(documents)
    drawn = (scaled >> np.uint64(32)).astype(np.int64).reshape(stop - start, documents)
    drawn += documents * np.arange(stop - start)[:, None]
    times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return times.astype(np.float64)


REACHING: dict[str, Callable[[Array, Array], NDArray[np.bool_]]] = {
    "two-sided": lambda differences, observed: np.abs(differences) >= np.abs(observed) - TIE,
    "greater": lambda differences, observed: differences >= observed - TIE,
    "less": lambda differences, observed: differences <= observed + TIE,
}
"""Find by an alternative which differences reach the observed one, as `randomisation` says."""


GROUPS = 520
"""The most groups for which there are letters; nobody could read more."""


def find_gaps(p: Array) -> Array:
    """Correct, for each place between two systems in order, the p-value that a tier ends there.

    Args:
        p: The p-values of pairs: a symmetric matrix.

    Examples:
        >>> find_gaps(np.array([[1, 0.2, 0.01], [0.2, 1, 0.3], [0.01, 0.3, 1]])).tolist()
        [0.4, 0.4]
    """
    # All pairs across the gap have to differ, so the largest of their p-values decides.
    largest = [p[:above, above:].max() for above in range(1, len(p))]
    return holm(np.array(largest))


def find_tiers(gaps: Array, level: float) -> list[int]:
    """Number the tiers from 1, and return that of each system; a significant gap begins a new one.

    Examples:
        >>> find_tiers(np.array([0.4, 0.01, 0.2]), 0.05)
        [1, 1, 2, 2]
    """
    return [1, *(1 + np.cumsum(gaps <= level)).tolist()]


def find_differing(p: Array, tiers: Sequence[int], level: float) -> NDArray[np.bool_]:
    """Find which systems differ: in p corrected over all pairs, or as their tiers are others.

    Letters and the best are made of this, so that they never contradict the tiers.

    Examples:
        >>> p = np.array([[1, 0.04, 0.02], [0.04, 1, 1], [0.02, 1, 1]])
        >>> find_differing(p, [1, 1, 1], 0.05)[0].tolist()
        [False, False, False]
        >>> find_differing(p, [1, 2, 2], 0.05)[0].tolist()
        [False, True, True]
    """
    above = np.triu_indices(len(p), 1)
    differing: NDArray[np.bool_] = np.not_equal.outer(tiers, tiers)
    differing[above] |= holm(p[above]) <= level
    return differing | differing.T


def letter_display(differing: NDArray[np.bool_]) -> list[str] | None:
    """Make the compact letter display: two systems share a letter exactly if they do not differ.

    A letter stands for a group that could not be larger, all of whose members do not differ
    (Piepho 2004). Letters are in the order of the groups' members; behind z come A to Z, then a2
    to Z2, and so on.

    Args:
        differing: The symmetric matrix of systems that differ significantly.

    Returns:
        The letters of each system, or None where there would be more than `GROUPS`.

    Examples:
        >>> letter_display(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
        ['a', 'ab', 'b']
    """
    groups = [frozenset(range(len(differing)))]
    for first, second in np.argwhere(np.triu(differing, 1)).tolist():
        groups = _part(groups, first, second)
        if len(groups) > GROUPS:
            return None
    letters = [""] * len(differing)
    for number, members in enumerate(sorted(sorted(group) for group in groups)):
        round_number, index = divmod(number, len(ascii_letters))
        letter = ascii_letters[index]
        if round_number:
            letter += str(round_number + 1)
        for system in members:
            letters[system] += letter
    return letters


def _part(groups: Sequence[frozenset[int]], first: int, second: int) -> list[frozenset[int]]:
    """Part each group that holds two systems which differ.

    Groups that lie within another one are absorbed.
    """
    kept: list[frozenset[int]] = []
    parted: list[frozenset[int]] = []
    for group in groups:
        holds_both = first in group and second in group
        (parted if holds_both else kept).append(group)
    for group in parted:
        for half in (group - {first}, group - {second}):
            if any(half <= other for other in kept):
                continue
            kept = [other for other in kept if not other <= half]
            kept.append(half)
    return kept


def ranks_in_replicates(replicates: Array) -> NDArray[np.int32]:
    """Rank the systems in each bootstrap replicate, from 1; equal figures share the better rank.

    Args:
        replicates: The figure by which they are ranked: shape (systems, trials).

    Examples:
        >>> ranks_in_replicates(np.array([[0.9, 0.8, 0.5], [0.5, 0.8, 0.7]])).tolist()
        [[1, 1, 2], [2, 1, 1]]
    """
    ranks = np.empty(replicates.shape, np.int32)
    for system, figures in enumerate(replicates):
        ranks[system] = 1 + np.count_nonzero(replicates - figures > TIE, axis=0)
    return ranks


def rank_ranges(ranks: NDArray[np.integer[Any]], tails: Array) -> NDArray[np.integer[Any]]:
    """Return the ranks of each system between the replicates at its tail and at 1 - tail.

    Args:
        ranks: The ranks in replicates: shape (systems, trials).
        tails: The tail of each system, a share of the replicates.

    Returns:
        Shape (systems, 2).

    Examples:
        >>> rank_ranges(np.array([[1, 1, 1, 2], [2, 2, 2, 1]]), np.array([0.25, 0])).tolist()
        [[1, 1], [1, 2]]
    """
    trials = ranks.shape[1]
    ordered = np.sort(ranks, axis=1)
    # As many replicates are left out on each side as the tail holds, none by halves.
    left_out = np.floor(tails * trials + 1e-9).astype(int)[:, None]
    ends = np.hstack([left_out, trials - 1 - left_out])
    return np.take_along_axis(ordered, ends, axis=1)
