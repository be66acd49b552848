"""Tiers, letters and ranges of ranks, from p-values of pairs and bootstrap replicates.

Systems are numbered from the best to the worst.

Holm, Scandinavian Journal of Statistics, 1979; Berger, Technometrics, 1982; Bojar et al., WMT 2013.
Letters: Piepho 2004; Gramm et al., Algorithms for Compact Letter Displays,
doi:10.1016/j.csda.2006.09.035.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.statistics.significance import TIE, Array, holm

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
    later = 1 + np.cumsum(gaps <= level)
    return [1, *later.tolist()]


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
