"""Tiers, letters, the best, ranks and chances: against enumeration, and a worked example of a
paper."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.comparison.board import System
from scorer.comparison.leaderboard import rank
from scorer.statistics.resampling import Resampling
from scorer.statistics.significance import (
    find_differing,
    find_gaps,
    find_tiers,
    letter_display,
    rank_ranges,
    ranks_in_replicates,
)


def differing(size, pairs):
    matrix = np.zeros((size, size), bool)
    for first, second in pairs:
        matrix[first, second] = matrix[second, first] = True
    return matrix


def test_letters_of_a_paper():
    """Figure 2 of Gramm et al. (doi:10.1016/j.csda.2006.09.035): of five, {1,5}, {2,3}, {2,5} and
    {3,5} differ.

    What does not differ is then 1-2, 1-3, 1-4, 2-4, 3-4 and 4-5, whose largest groups are {1,2,4},
    {1,3,4} and {4,5}.
    """
    letters = letter_display(differing(5, [(0, 4), (1, 2), (1, 4), (2, 4)]))
    assert letters == ["ab", "a", "b", "abc", "c"]


@given(st.integers(1, 7), st.data())
def test_letters_are_all_groups_that_could_not_be_larger(size, data):
    every = list(combinations(range(size), 2))
    pairs = {pair for pair in every if data.draw(st.booleans())}
    alike = [
        {*group}
        for length in range(1, size + 1)
        for group in combinations(range(size), length)
        if not any(pair in pairs for pair in combinations(group, 2))
    ]
    largest = sorted(sorted(group) for group in alike if not any(group < other for other in alike))
    found = letter_display(differing(size, pairs))
    groups = sorted(
        sorted(at for at in range(size) if letter in found[at])
        for letter in sorted({*"".join(found)})
    )
    assert groups == largest
    for first, second in every:
        assert bool({*found[first]} & {*found[second]}) == ((first, second) not in pairs)


def test_a_ladder_has_one_tier_and_many_letters():
    """Twelve systems, each like its neighbours only: no tier ends, though 55 of 66 pairs differ."""
    p = np.array([[1.0 if abs(a - b) < 2 else 1e-6 for b in range(12)] for a in range(12)])
    assert find_tiers(find_gaps(p), 0.05) == [1] * 12
    found = letter_display(find_differing(p, [1] * 12, 0.05))
    assert found == ["a", *(f"{one}{two}" for one, two in zip("abcdefghij", "bcdefghijk")), "k"]


def test_more_letters_than_the_alphabet_has():
    size = 60
    found = letter_display(~np.eye(size, dtype=bool))
    assert found[:3] == ["a", "b", "c"]
    assert found[25:27] == ["z", "A"]
    assert found[51:54] == ["Z", "a2", "b2"]
    assert len({*found}) == size


def test_too_many_groups_have_no_letters():
    """Seven triples, each of three systems that differ, have 3^7 largest groups of systems that do
    not."""
    pairs = [pair for at in range(7) for pair in combinations(range(3 * at, 3 * at + 3), 2)]
    assert letter_display(differing(21, pairs)) is None
    assert letter_display(differing(15, [pair for pair in pairs if max(pair) < 15])) is not None


def test_ranks_of_replicates_by_hand():
    # Ranks of the three: 1 1 2 1, 2 1 1 2 (a tie shares the better one), 3 3 3 2.
    replicates = np.array([[0.9, 0.8, 0.6, 0.9], [0.8, 0.8, 0.7, 0.5], [0.1, 0.2, 0.3, 0.5]])
    ranks = ranks_in_replicates(replicates)
    assert ranks.tolist() == [[1, 1, 2, 1], [2, 1, 1, 2], [3, 3, 3, 2]]
    assert rank_ranges(ranks, np.full(3, 0.025)).tolist() == [[1, 2], [1, 2], [2, 3]]
    assert rank_ranges(ranks, np.full(3, 0.25)).tolist() == [[1, 1], [1, 2], [3, 3]]


# How many of five documents each of three systems gets right: whole entities of four, whose links
# MUC counts.
KEPT = {"first": (4, 4, 1, 3, 4), "second": (3, 4, 4, 2, 2), "third": (1, 2, 4, 1, 3)}


def every_draw():
    """F1 of each system, 2 × right / (links of the response + of the key), in all 5^5 draws of the
    documents."""
    found = []
    for drawn in product(range(5), repeat=5):
        right = {system: sum(kept[at] - 1 for at in drawn) for system, kept in KEPT.items()}
        found.append([2 * right[system] / (right[system] + 15) for system in KEPT])
    return np.array(found)


def test_chances_and_ranks_are_those_of_all_draws():
    def documents(kept):
        return {
            f"d{at}": [list("wxyz"[:some]), *([one] for one in "wxyz"[some:])]
            for at, some in enumerate(kept)
        }

    key = documents([4] * 5)
    systems = {system: documents(kept) for system, kept in KEPT.items()}
    draws = every_draw()
    trials = 40_000
    compared = scorer.compare(key, systems, metrics="muc", trials=trials, interval="percentile")
    chances = {
        (one.first, one.second): one.probability_better
        for one in compared.differences
        if one.ratio == "f1"
    }
    scored = [
        System(system, scorer.score(key, one, metrics="muc,mentions"))
        for system, one in systems.items()
    ]
    board = rank(scored, "muc", Resampling(trials=trials, confidence=0.7, interval="percentile"))
    for a, b in combinations(range(3), 2):
        more = draws[:, a] - draws[:, b]
        expected = np.mean(more > 1e-9) + np.mean(np.abs(more) <= 1e-9) / 2
        pair = list(KEPT)[a], list(KEPT)[b]
        assert chances[pair] == pytest.approx(expected, abs=0.01)
        assert board.probability_better[pair] == chances[pair]
        assert 0.6 < expected < 0.99
    ranks = np.array([[1 + np.sum(draw > own + 1e-9) for own in draw] for draw in draws])
    for at, standing in enumerate(board.standings):
        assert standing.system == list(KEPT)[at]
        # The rank below which 15% of the draws lie, and that above which as many lie.
        shares = [np.mean(ranks[:, at] <= one) for one in (1, 2, 3)]
        assert min(abs(share - level) for share in shares for level in (0.15, 0.85)) > 0.01
        assert standing.ranks == tuple(
            1 + sum(share < level for share in shares) for level in (0.15, 0.85)
        )
