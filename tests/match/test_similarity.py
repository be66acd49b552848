"""Similarity of mentions and empty nodes, and the best assignment: against scipy."""

import random

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
from scorer.match.matching import (
    Matching,
    Mention,
    align_zeros,
    best_matches,
    dependencies_of,
    overlap,
)
from scorer.options import Options

EMPTY = Document("a", [], path="key.conllu", line=4)
TOKENS = [*range(8), "0:1.1", "0:1.2"]


def draw_mentions(draw):
    """Mentions of words and empty nodes with few heads."""
    mentions = []
    for number in range(draw.randint(0, 10)):
        tokens = draw.sample(TOKENS, draw.randint(1, 6))
        head = next((token for token in (4, "0:1.2", 2) if token in tokens), tokens[0])
        mentions.append(Mention(number, head, tokens))
    return mentions


def check_best(pairs, table):
    """The pairs are one to one, all have a similarity, and their sum is the greatest."""
    best = table[linear_sum_assignment(-table)].sum() if table.size else 0
    assert sum(table[pair] for pair in pairs) == pytest.approx(best)
    assert all(table[pair] > 0 for pair in pairs)
    assert all(len(set(side)) == len(pairs) for side in zip(*pairs))


@pytest.mark.parametrize("whole", [matching.WHOLE, 9])
@pytest.mark.parametrize("match", ["head", "partial", "mor"])
@given(st.randoms(use_true_random=False))
def test_matches_have_the_greatest_similarity(match, whole, draw):
    """As a whole matrix and above the bound of that."""
    keys, responses = draw_mentions(draw), draw_mentions(draw)
    table = np.zeros((len(keys), len(responses)))
    for k, key in enumerate(keys):
        for r, response in enumerate(responses):
            common = len(key.tokens & response.tokens)
            is_similar = {
                "head": key.head == response.head,
                "partial": response.tokens <= key.tokens and key.head in response.tokens,
                "mor": True,
            }[match]
            table[k, r] = is_similar * common / (1 if match == "mor" else len(key.tokens))
    if match == "mor":
        best = table[linear_sum_assignment(-table)].sum() if table.size else 0
        assert overlap(EMPTY, keys, responses)[0] == best
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "WHOLE", whole)
        check_best(best_matches(EMPTY, match, keys, responses), table)


def f1(one, other):
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0


def draw_dependencies(draw):
    return [
        frozenset((draw.randint(1, 4), draw.choice("abc")) for _ in range(draw.randint(0, 4)))
        for _ in range(draw.randint(1, 14))
    ]


@given(st.randoms(use_true_random=False))
def test_aligned_zeros_have_the_greatest_similarity(draw):
    sides = draw_dependencies(draw), draw_dependencies(draw)
    parents = [[{parent for parent, _ in relations} for relations in side] for side in sides]
    table = np.array(
        [
            [10 * f1(k, r) + f1(*pair) for r, pair in zip(sides[1], ((a, b) for b in parents[1]))]
            for k, a in zip(sides[0], parents[0])
        ]
    )
    check_best(align_zeros(EMPTY, *sides), table)


def test_a_parent_is_told_by_its_sentence():
    """A parent that does not exist is the same one in its sentence alone."""
    key = Syntax([0, 6], {"0:1.1": "3:nsubj|3:obj|5:nsubj", "1:1.1": "0:root"}, {})
    response = Syntax([0, 6], {"0:2.1": "3:nsubj|5:obj|6:nsubj|6:obj", "0:5.1": "0:root"}, {})
    sides = ([dependencies_of(zero, side) for zero in side.zeros] for side in (key, response))
    assert align_zeros(EMPTY, *sides) == [(0, 0)]


def draw_crowd(draw, number):
    """A document whose empty nodes have 1 to 3 relations to one word, in two clusters."""
    nodes = {}
    for at in range(number):
        names = draw.sample("abcdefgh", draw.randint(1, 3))
        nodes[f"0:1.{at + 1}"] = "|".join(f"1:{name}" for name in names)
    mentions = [(node,) for node in nodes]
    syntax = Syntax([0], nodes, {})
    return Document("a", [mentions[::2], mentions[1::2]], 1, path="key", line=4, syntax=syntax)


@pytest.mark.parametrize("like", [True, False])
def test_too_many_zeros_are_one_line(like, monkeypatch):
    draw = random.Random(7)
    sides = draw_crowd(draw, 12), draw_crowd(draw, 11)
    monkeypatch.setattr(matching, "MANY", 20)
    options = Options(like="corefud-1.2", match="exact", zeros="dependent")
    with pytest.raises(ConllError, match=r"^key:4: document a: too many mentions or empty nodes"):
        Like(*sides, options) if like else Matching(*sides, match="exact", zeros="dependent")


@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_too_many_overlaps_are_one_line(like, monkeypatch):
    """Two mentions around three: six pairs."""
    monkeypatch.setattr(matching, "MANY", 5)
    sides = [[[(0, 8), (0, 9)]], [[(1, 5), (1, 6), (1, 7)]]]
    with pytest.raises(ConllError, match="choose match exact, zeros linear, or metrics with"):
        score(*sides, metrics=["mor"], like=like)
    monkeypatch.setattr(matching, "MANY", 6)
    assert score(*sides, metrics=["mor"], like=like).totals["mor"][0].as_tuple() == (13, 19, 13, 18)


@pytest.mark.parametrize("options", [{"like": "corefud-1.2"}, {"match": "min"}, {}])
def test_a_mention_longer_than_any_text_is_one_line(options):
    sides = [[(0, 10**8), (1, 2)]], [[(1, 2)]]
    with pytest.raises(ConllError, match=r"mention \(0, 100000000\) has more than 1,000,000 tok"):
        score(*sides, metrics=["mor"], **options)
