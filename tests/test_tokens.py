"""What mentions have in common: against sets of tokens, and as to how much of it is looked at."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from conll import ConllError
from scorer import score
from scorer.match import mentions, tokens, worth
from scorer.match.tokens import TextLine, TokenSet, most_in_common
from scorer.match.worth import TooManyError
from test_mentions import mention, some, tokens_of


def test_what_mentions_have_in_common():
    one = mention(1, 0, (0, 2), (5, 9), zeros=("0:1.1", "0:2.1"))
    assert one.size == 10
    assert one.common(mention(2, 0, (1, 1), (7, 12), zeros=("0:2.1", "0:3.1"))) == 1 + 3 + 1
    assert one.common(mention(2, 0, (2, 5), zeros=())) == 2
    assert mention(2, 0, zeros=("0:1.1",)).common(one) == 1
    assert one.common(mention(2, 0, (3, 4))) == 0


def test_empty_nodes_in_a_row_are_one_run():
    """In the order of the text, which is not that of their names."""
    zeros = ["2:2.1", "2:3.1", "2:10.2", "2:10.10", "10:1.1"]
    two_each = [mention(at, 0, zeros=tuple(zeros[at : at + 2])) for at in range(4)]
    overlaps = mentions._Overlaps(two_each)
    assert [len(TextLine(two_each).runs(one)) for one in two_each] == [1, 1, 1, 1]
    assert overlaps.common(two_each[1]).tolist() == [1, 2, 1, 0]
    assert overlaps.common(mention(9, 0, zeros=("3:1.1",))).tolist() == [0, 0, 0, 0]
    assert tokens._place_of_zero("7:3") == (7, 3, 0)


def best_of(keys, responses):
    """The same by sets of tokens and scipy."""
    common = np.array([[len(tokens_of(key) & tokens_of(response)) for response in responses] for key in keys])
    return common[linear_sum_assignment(-common)].sum() if common.size else 0


@given(st.integers(0, 2**32), st.sampled_from([0, 3, 10**6]))
def test_the_most_that_two_sides_have_in_common(seed, many):
    draw = random.Random(seed)
    keys, responses = some(draw, draw.randint(0, 8)), some(draw, draw.randint(0, 8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "MANY", many)
        assert most_in_common(keys, responses) == best_of(keys, responses)


def test_what_is_lost_counts_in_the_size_alone():
    """One of two empty nodes has no counterpart, so that the mention lies in no other."""
    one, other = TokenSet([(1, 2)], ["0:1.1"], lost=1), TokenSet([(0, 3)], ["0:1.1"])
    assert (one.size, one.common(other), one.is_inside(other)) == (4, 3, False)
    assert TokenSet([(1, 2)], ["0:1.1"]).is_inside(other)
    assert not other.is_inside(TokenSet([(1, 2)], ["0:1.1"]))


def test_only_runs_that_overlap_are_met():
    """A long mention around many short ones; each of these meets it and its like alone."""
    short = [TokenSet([(3 * at, 3 * at + 1), (3000 + 3 * at, 3000 + 3 * at)], ()) for at in range(500)]
    around = TokenSet([(0, 5000)], ())
    found = list(tokens._shared([around, *short], [*short, around]))
    assert len(found) == 2 * 500 * 3 + 1
    assert sum(n for _, _, n in found) == 3 * 500 * 3 + 5001
    assert list(tokens._shared([TokenSet([(0, 1)], ())], [TokenSet([(2, 3)], ())])) == []
    # The two long ones, and each short one with its like.
    assert most_in_common([around, *short], [*short, around]) == 5001 + 3 * 500


@pytest.mark.parametrize(("whole", "fails"), [(8, True), (9, False)])
def test_too_many_overlaps(whole, fails, monkeypatch):
    """Three mentions within each other on either side: nine pairs."""
    keys, responses = ([TokenSet([(at, 9 + at + side)], ()) for at in range(3)] for side in (0, 1))
    monkeypatch.setattr(tokens, "MANY", 2)
    monkeypatch.setattr(tokens, "WHOLE", whole)
    if fails:
        with pytest.raises(TooManyError):
            most_in_common(keys, responses)
    else:
        assert most_in_common(keys, responses) == 30


@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_too_many_overlaps_are_one_line(like, monkeypatch):
    """Two mentions around three: six pairs."""
    for module in (tokens, worth):
        monkeypatch.setattr(module, "WHOLE", 5)
    monkeypatch.setattr(tokens, "MANY", 2)
    sides = [[[(0, 8), (0, 9)]], [[(1, 5), (1, 6), (1, 7)]]]
    said = "the key has 2 mentions and the response 3, with more than 5 pairs that could stand for each other; "
    with pytest.raises(ConllError, match=f"{said}choose metrics without mor$"):
        score(*sides, metrics=["mor"], like=like)
    monkeypatch.setattr(tokens, "WHOLE", 6)
    assert score(*sides, metrics=["mor"], like=like).totals["mor"][0].as_tuple() == (13, 19, 13, 18)
