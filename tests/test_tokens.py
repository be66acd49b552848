"""What mentions have in common: against sets of tokens, and as to how much of it is looked at."""

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from conll import ConllError, Document
from conll.syntax import Syntax
from scorer import score
from scorer.match import matching
from scorer.match.corefud import Like
from scorer.match.matching import Matching, TextLine, TokenSet, TooManyError, most_in_common, places_of
from scorer.options import Options
from test_mentions import mention, some, tokens_of


def test_what_mentions_have_in_common():
    one = mention(1, 0, (0, 2), (5, 9), zeros=("0:1.1", "0:3.1"))
    assert one.size == 10
    assert one.common(mention(2, 0, (1, 1), (7, 12), zeros=("0:3.1", "1:2.1"))) == 1 + 3 + 1
    assert one.common(mention(2, 0, (2, 5))) == 2
    assert mention(2, 0, zeros=("0:1.1",)).common(one) == 1
    assert one.common(mention(2, 0, (3, 4))) == 0


def test_mentions_of_which_all_is_lost_have_nothing_in_common():
    some_left, none_left = mention(1, 0, (0, 1), zeros=("0:1.1",)), mention(2, 0, lost=3)
    assert (none_left.size, none_left.common(none_left)) == (3, 0)
    overlaps = matching._Overlaps([none_left, some_left, none_left])
    assert overlaps.sizes.tolist() == [3, 3, 3]
    assert overlaps.common(some_left).tolist() == [0, 3, 0]
    assert overlaps.common(none_left).tolist() == [0, 0, 0]


NODES = ["0:0.1", "0:1.1", "0:2.1", "0:2.2", "1:10.2", "1:10.10"]
"""Of a sentence of 3 words and one of 11."""


def line_of(nodes, places):
    return TextLine(Document("a", [], 14, syntax=Syntax([0, 3], dict.fromkeys(nodes, ""), {})), places)


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        # Whatever the response lacks is lost, and no gap is where it was.
        ((0, 2), (((-4, -3), (0, 2)), 1, ((1, 3),))),
        ((2, 13), (((-2, -2), (2, 13)), 1, ((4, 5),))),
        ((0, 13), (((-4, -2), (0, 13)), 2, ((1, 5),))),
        ((1, 1), (((1, 1),), 0, ())),
        (("0:0.1", (0, 0), "0:1.1", (2, 2)), (((-5, -4), (0, 0), (2, 2)), 0, ((0, 1),))),
        (("0:0.1", (0, 0), "0:2.1"), (((-5, -5), (0, 0)), 1, ((0, 0), (2, 2)))),
        (("1:10.10",), ((), 1, ((5, 5),))),
        # Pieces that follow each other are one run.
        (((0, 0), (1, 2)), (((-3, -3), (0, 2)), 1, ((2, 3),))),
    ],
)
def test_where_a_mention_stands_on_the_line(written, parts):
    places = places_of(Syntax([0, 3], dict.fromkeys(NODES, ""), {}), ["0:2.2", "0:0.1", "1:10.2", "0:1.1", "1:11.1"])
    assert places == {"0:0.1": -5, "0:1.1": -4, "0:2.2": -3, "1:10.2": -2}
    assert line_of(NODES, places).parts_of(written) == parts


def test_empty_nodes_that_stand_for_others_are_as_many_runs_as_there_are_breaks():
    """Those of one side by the places of their counterparts, which are in another order; -1 is a gap."""
    line = line_of(NODES[1:], {"0:1.1": -3, "0:2.1": -2, "0:2.2": -6, "1:10.2": -5, "1:10.10": -8})
    assert line.parts_of((0, 13)) == (((-3, -2), (-6, -5), (-8, -8), (0, 13)), 0, ((0, 4),))
    assert line.parts_of((0, 2)) == (((-3, -2), (-6, -6), (0, 2)), 0, ((0, 2),))
    assert line.parts_of((2, 13)) == (((-5, -5), (-8, -8), (2, 13)), 0, ((3, 4),))
    assert line.parts_of(("0:2.1",)) == (((-2, -2),), 0, ((1, 1),))
    swapped = line_of(NODES, {"0:0.1": -4, "0:1.1": -5, "0:2.1": -3, "0:2.2": -2, "1:10.2": -8})
    assert swapped.parts_of(("0:0.1", (0, 13))) == (((-4, -4), (-5, -5), (-3, -2), (-8, -8), (0, 13)), 1, ((0, 5),))
    assert swapped._breaks == [1, 2, 4]


def nested(number, ids):
    """So many mentions within each other, over words with such empty nodes after each."""
    spans = [(at, 2 * number - 1 - at) for at in range(number)]
    zeros = {f"0:{word}.{ident}": "1:nsubj" for word in range(1, 2 * number + 1) for ident in ids}
    return Document("a", [spans[::2], spans[1::2]], 2 * number, syntax=Syntax([0], zeros, {span: span[0] for span in spans}))


@pytest.mark.parametrize("ids", [(1,), (2,), (1, 2)], ids=["the same", "others", "more"])
@pytest.mark.parametrize(("match", "like"), [("partial", "corefud-1.2"), ("head", "corefud-1.2"), ("partial", None)])
def test_a_mention_is_as_many_runs_however_many_empty_nodes_are_inside(match, like, ids, monkeypatch):
    """One of words and one of empty nodes; twice as many mentions over twice as many empty nodes are twice as many runs."""
    made, begin = [], TokenSet.__init__
    monkeypatch.setattr(TokenSet, "__init__", lambda one, runs, **lost: made.append(len(runs)) or begin(one, runs, **lost))
    for number in (20, 40):
        made.clear()
        key, response = nested(number, (1,)), nested(number, ids)
        if like:
            Like(key, response, Options(like=like, match=match, zeros="linear"))
        else:
            Matching(key, response, match=match, zeros="linear").overlap()
        assert max(made) == (1 if ids == (2,) else 2)
        assert len(made) <= 4 * number


def best_of(keys, responses):
    """The same by sets of tokens and scipy."""
    common = np.array([[len(tokens_of(key) & tokens_of(response)) for response in responses] for key in keys])
    return common[linear_sum_assignment(-common)].sum() if common.size else 0


@given(st.integers(0, 2**32), st.sampled_from([0, 3, 10**6]), st.booleans())
def test_the_most_that_two_sides_have_in_common(seed, many, whole):
    draw = random.Random(seed)
    keys, responses = some(draw, draw.randint(0, 8)), some(draw, draw.randint(0, 8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "MANY", many)
        if not whole:
            patch.setattr(matching, "WHOLE", len(list(matching._shared(keys, responses))))
        assert most_in_common(keys, responses) == best_of(keys, responses)


def test_mentions_within_each_other_take_the_memory_of_a_matrix(monkeypatch):
    """Each key mention has its own as its best, with a token less in every third: 8 bytes a pair, and no list of 490,000 pairs."""
    monkeypatch.setattr(matching, "MANY", 1000)
    keys, responses = ([TokenSet([(at + side * (at % 3 == 1), 2000 - at)]) for at in range(700)] for side in (0, 1))
    assert most_in_common(keys[:2], responses[:2]) == 2001 + 1998
    tracemalloc.start()
    try:
        assert most_in_common(keys, responses) == sum(mention.size for mention in responses)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_what_is_lost_counts_in_the_size_alone():
    """One of two empty nodes has no counterpart, so that the mention lies in no other."""
    one, other = TokenSet([(-2, -2), (1, 2)], lost=1), TokenSet([(-2, -2), (0, 3)])
    assert (one.size, one.common(other), one.is_inside(other)) == (4, 3, False)
    assert TokenSet([(-2, -2), (1, 2)]).is_inside(other)
    assert not other.is_inside(TokenSet([(-2, -2), (1, 2)]))


def test_only_runs_that_overlap_are_met():
    """A long mention around many short ones; each of these meets it and its like alone."""
    short = [TokenSet([(3 * at, 3 * at + 1), (3000 + 3 * at, 3000 + 3 * at)]) for at in range(500)]
    around = TokenSet([(0, 5000)])
    found = list(matching._shared([around, *short], [*short, around]))
    assert len(found) == 2 * 500 * 3 + 1
    assert sum(n for _, _, n in found) == 3 * 500 * 3 + 5001
    assert list(matching._shared([TokenSet([(0, 1)])], [TokenSet([(2, 3)])])) == []
    # The two long ones, and each short one with its like.
    assert most_in_common([around, *short], [*short, around]) == 5001 + 3 * 500


@pytest.mark.parametrize(("whole", "fails"), [(8, True), (9, False)])
def test_too_many_overlaps(whole, fails, monkeypatch):
    """Three mentions within each other on either side: nine pairs."""
    keys, responses = ([TokenSet([(at, 9 + at + side)]) for at in range(3)] for side in (0, 1))
    monkeypatch.setattr(matching, "MANY", 2)
    monkeypatch.setattr(matching, "WHOLE", whole)
    if fails:
        with pytest.raises(TooManyError):
            most_in_common(keys, responses)
    else:
        assert most_in_common(keys, responses) == 30


@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_too_many_overlaps_are_one_line(like, monkeypatch):
    """Two mentions around three: six pairs."""
    for module in (matching, matching):
        monkeypatch.setattr(module, "WHOLE", 5)
    monkeypatch.setattr(matching, "MANY", 2)
    sides = [[[(0, 8), (0, 9)]], [[(1, 5), (1, 6), (1, 7)]]]
    said = "the key has 2 mentions and the response 3, with more than 5 pairs that could stand for each other; "
    with pytest.raises(ConllError, match=f"{said}choose metrics without mor$"):
        score(*sides, metrics=["mor"], like=like)
    monkeypatch.setattr(matching, "WHOLE", 6)
    assert score(*sides, metrics=["mor"], like=like).totals["mor"][0].as_tuple() == (13, 19, 13, 18)
