"""Ways to say who is better than whom: tiers, letters, ranges of ranks, the best and those that may be, and chances.

Holm, Scandinavian Journal of Statistics, 1979; Berger, Technometrics, 1982; Bojar et al., WMT 2013. Letters: Piepho 2004; Gramm et
al., Algorithms for Compact Letter Displays, doi:10.1016/j.csda.2006.09.035.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np

from scorer.comparison.significance import TIE, holm
from scorer.workers.sharing import shared

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from scorer.comparison.significance import Array

BLOCK = 1 << 16
"""Numbers that are compared at once with one: a cache has to hold them."""

GROUPS = 520
"""The most groups for which there are letters; beyond that nobody could read them."""


def gaps(p: Array) -> Array:
    """For each place between two systems, in the order of the matrix of p-values, the corrected one that a tier ends there.

    >>> gaps(np.array([[1, 0.2, 0.01, 0.01], [0.2, 1, 0.3, 0.01], [0.01, 0.3, 1, 0.02], [0.01, 0.01, 0.02, 1]])).tolist()
    [0.4, 0.4, 0.06]
    """
    return holm(np.array([p[:at, at:].max() for at in range(1, len(p))]))


def tiers(gaps: Array, level: float) -> list[int]:
    """The tier of each system, from 1: one more behind each gap that is significant.

    >>> tiers(np.array([0.4, 0.01, 0.2]), 0.05)
    [1, 1, 2, 2]
    """
    return [1, *(1 + np.cumsum(gaps <= level)).tolist()]


def corrected(p: Array) -> Array:
    """A matrix of p-values of pairs, corrected (Holm) over all pairs; 1 on the diagonal."""
    above = np.triu_indices(len(p), 1)
    matrix = np.ones_like(p)
    matrix[above] = matrix.T[above] = holm(p[above])
    return matrix


def not_worse(p: Array, level: float) -> list[bool]:
    """Whether each system, best first, does not differ significantly from the first one; `p`: the matrix, before correction.

    The level is divided by the number of the others (Bonferroni). So the system that is best in truth is missing at most that
    often: whoever comes first, it would have to differ significantly from it. Of several that are best that holds of each.

    >>> not_worse(np.array([[1, 0.03, 0.02], [0.03, 1, 1], [0.02, 1, 1]]), 0.05)
    [True, True, False]
    """
    others = max(1, len(p) - 1)
    return [at == 0 or bool(value * others > level) for at, value in enumerate(p[0])]


def letters(differ: NDArray[np.bool_]) -> list[str] | None:
    """The compact letter display: two systems share a letter just when they do not differ; None when it takes too many letters.

    `differ`: the symmetric matrix of systems that differ significantly. A letter stands for a group that could not be larger, all
    of whose members do not differ: each pair that differs parts the groups that hold both, and what lies within another group is
    absorbed (Piepho 2004). Letters are in the order of the groups' members; behind z come A to Z, then a2 to Z2, and so on.

    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ['a', 'ab', 'b']
    """
    groups = [frozenset(range(len(differ)))]
    for first, second in np.argwhere(np.triu(differ, 1)).tolist():
        parted = [group for group in groups if first in group and second in group]
        kept = [group for group in groups if not (first in group and second in group)]
        for group in parted:
            for half in (group - {first}, group - {second}):
                if not any(half <= other for other in kept):
                    kept = [*(other for other in kept if not other <= half), half]
        groups = kept
        if len(groups) > GROUPS:
            return None
    ordered = sorted(map(sorted, groups))
    names = [_letter(at) for at in range(len(ordered))]
    return ["".join(name for name, group in zip(names, ordered) if system in group) for system in range(len(differ))]


def _letter(at: int) -> str:
    alphabet = ascii_lowercase + ascii_uppercase
    again, place = divmod(at, len(alphabet))
    return alphabet[place] + (str(again + 1) if again else "")


def above(replicates: Array, jobs: int = 1) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The rank of each system in each bootstrap replicate, and in how many each is above each other one.

    `replicates`: shape (systems, trials), the figure by which they are ranked; equal figures share the better rank. Shapes:
    (systems, trials), from 1, and (systems, systems). `jobs`: processes.

    >>> ranks, above_ = above(np.array([[0.9, 0.8, 0.5], [0.5, 0.8, 0.7]]))
    >>> ranks.tolist(), above_.tolist()
    ([[1, 1, 2], [2, 1, 1]], [[0, 1], [1, 0]])
    """
    systems, trials = replicates.shape

    def count(start: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        some = replicates[:, start:stop]
        # Half as many bytes to send, and to sort.
        ranks, wins = np.empty(some.shape, np.int32), np.empty((systems, systems), np.int64)
        for at, own in enumerate(some):
            higher = some - own > TIE
            ranks[at], wins[:, at] = 1 + np.count_nonzero(higher, axis=0), np.count_nonzero(higher, axis=1)
        return ranks, wins

    rows = max(1, BLOCK // systems)
    blocks = list(shared(count, [(start, min(start + rows, trials)) for start in range(0, trials, rows)], jobs))
    return np.concatenate([ranks for ranks, _ in blocks], axis=1), np.sum([wins for _, wins in blocks], axis=0)


def rank_ranges(ranks: NDArray[np.integer[Any]], confidence: float) -> NDArray[np.integer[Any]]:
    """The ranks between which each system lies in that share of bootstrap replicates: shape (systems, 2), of `above`'s.

    >>> rank_ranges(np.array([[1, 1, 1, 2], [2, 2, 2, 1]]), 0.5).tolist()
    [[1, 1], [2, 2]]
    """
    tail = (1 - confidence) / 2
    trials = ranks.shape[1]
    # As many replicates are left out on each side as the tail holds, none by halves.
    out = int(np.floor(tail * trials + 1e-9))
    ends = [out, trials - 1 - out]
    ranges: NDArray[np.integer[Any]] = np.partition(ranks, ends, axis=1)[:, ends]
    return ranges


def superiority(wins: NDArray[np.int64], trials: int) -> Array:
    """How often each system is above each other one, ties counting half, of `above`'s counts: shape (systems, systems)."""
    chances: Array = (wins + trials - wins.T) / (2 * trials)
    # Two that are compared share the whole, to the last bit.
    below = np.tril_indices(len(wins), -1)
    chances[below] = (1 - chances.T)[below]
    return chances
