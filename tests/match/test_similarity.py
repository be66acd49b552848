"""Similarity of mentions and empty nodes, and the best assignment: against sets and scipy."""

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
    Profile,
    TextLine,
    TokenSet,
    aligned,
    best_matches,
    most_in_common,
    places_of,
    profile_of,
)
from scorer.options import Options

PLACES = {"0:1.1": -6, "0:1.2": -5, "0:3.1": -4, "0:10.1": -3, "1:2.1": -2}


def mention(number, head, *runs, zeros=(), lost=0):
    ends = ((runs or ((0, 0),))[0][0], 0, 0), ((runs or ((0, 0),))[-1][1], 0, 0)
    return Mention(number, head, [*((PLACES[z],) * 2 for z in zeros), *runs], ends, lost=lost)


def draw_mentions(draw, number):
    """Mentions of words 0 to 9 with gaps, and of empty nodes, some of them lost; few heads."""
    mentions = []
    for at in range(number):
        words = sorted(draw.sample(range(10), draw.randint(0, 6)))
        zeros = tuple(zero for zero in PLACES if draw.random() < 0.4)
        runs = []
        for word in words:
            if runs and runs[-1][1] == word - 1:
                runs[-1] = (runs[-1][0], word)
            else:
                runs.append((word, word))
        tokens = [*words, *zeros]
        if tokens:
            head = next((token for token in (4, "0:1.2", 2) if token in tokens), tokens[0])
            mentions.append(mention(at, head, *runs, zeros=zeros, lost=draw.choice([0, 0, 2])))
        elif draw.random() < 0.3:
            mentions.append(mention(at, f"9:9.{draw.getrandbits(60)}", lost=1))
    return mentions


def tokens_of(mention):
    return {token for first, last in mention.runs for token in range(first, last + 1)}


def common_tokens(keys, responses):
    return np.array([[len(tokens_of(k) & tokens_of(r)) for r in responses] for k in keys])


def similarity_by_sets(match, keys, responses):
    table = np.zeros((len(keys), len(responses)))
    for k, key in enumerate(keys):
        for r, response in enumerate(responses):
            of_key, of_response = tokens_of(key), tokens_of(response)
            if match == "head":
                same = key.head == response.head
                table[k, r] = len(of_key & of_response) / key.size if same else 0
            else:
                inside = of_response <= of_key and response.size == len(of_response)
                holds_head = PLACES.get(key.head, key.head) in of_response
                table[k, r] = len(of_response) / key.size if inside and holds_head else 0
    return table


def check_best(pairs, table):
    """The pairs are one to one, all have a similarity, and their sum is the greatest."""
    best = table[linear_sum_assignment(-table)].sum() if table.size else 0
    assert sum(table[pair] for pair in pairs) == pytest.approx(best)
    assert all(table[pair] > 0 for pair in pairs)
    assert all(len(set(side)) == len(pairs) for side in zip(*pairs))


@pytest.mark.parametrize("whole", [matching.WHOLE, 9])
@pytest.mark.parametrize("match", ["head", "partial"])
@given(st.randoms(use_true_random=False))
def test_matches_have_the_greatest_similarity(match, whole, draw):
    """As a whole matrix and, above the bound, group by group, where no group is too large."""
    keys = draw_mentions(draw, draw.randint(0, 12))
    responses = draw_mentions(draw, draw.randint(0, 12))
    table = similarity_by_sets(match, keys, responses)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "WHOLE", whole)
        try:
            pairs = best_matches(match, keys, responses, PLACES)
        except matching.TooManyError:
            assert whole == 9
        else:
            check_best(pairs, table)


@given(st.randoms(use_true_random=False))
def test_the_most_tokens_in_common(draw):
    keys = draw_mentions(draw, draw.randint(0, 8))
    responses = draw_mentions(draw, draw.randint(0, 8))
    common = common_tokens(keys, responses)
    best = common[linear_sum_assignment(-common)].sum() if common.size else 0
    assert most_in_common(keys, responses) == best


def test_only_runs_that_overlap_are_compared():
    """A long mention around many short ones: each of these meets it and its equal alone."""
    short = [TokenSet([(3 * at, 3 * at + 1), (3000 + 3 * at, 3000 + 3 * at)]) for at in range(500)]
    around = TokenSet([(0, 5000)])
    shared = list(matching._shared([around, *short], [*short, around]))
    assert len(shared) == 2 * 500 * 3 + 1
    assert most_in_common([around, *short], [*short, around]) == 5001 + 3 * 500


NODES = ["0:0.1", "0:1.1", "0:2.1", "0:2.2", "1:10.2", "1:10.10"]
"""Of a sentence of 3 words and one of 11."""


def line_of(nodes, places):
    syntax = Syntax([0, 3], dict.fromkeys(nodes, ""), {})
    return TextLine(Document("a", [], 14, syntax=syntax), places)


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
    others = ["0:2.2", "0:0.1", "1:10.2", "0:1.1", "1:11.1"]
    places = places_of(Syntax([0, 3], dict.fromkeys(NODES, ""), {}), others)
    assert places == {"0:0.1": -5, "0:1.1": -4, "0:2.2": -3, "1:10.2": -2}
    assert line_of(NODES, places).parts_of(written) == parts


def test_empty_nodes_in_another_order_are_several_runs():
    places = {"0:1.1": -3, "0:2.1": -2, "0:2.2": -6, "1:10.2": -5, "1:10.10": -8}
    line = line_of(NODES[1:], places)
    assert line.parts_of((0, 13)) == (((-3, -2), (-6, -5), (-8, -8), (0, 13)), 0, ((0, 4),))
    assert line.parts_of((2, 13)) == (((-5, -5), (-8, -8), (2, 13)), 0, ((3, 4),))


def f1(one, other):
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0


def draw_profiles(draw, number):
    profiles = []
    for _ in range(number):
        pairs = {(draw.randint(1, 4), draw.choice("abc")) for _ in range(draw.randint(0, 4))}
        profiles.append(Profile(frozenset(pairs), frozenset(parent for parent, _ in pairs)))
    return profiles


@given(st.randoms(use_true_random=False))
def test_aligned_zeros_have_the_greatest_similarity(draw):
    sides = [draw_profiles(draw, draw.randint(1, 14)) for _ in range(2)]
    table = np.array(
        [
            [10 * f1(k.relations, r.relations) + f1(k.parents, r.parents) for r in sides[1]]
            for k in sides[0]
        ]
    )
    check_best(aligned(*sides), table)


def test_a_parent_is_told_by_its_sentence():
    """A parent that does not exist is the same one in its sentence alone."""
    key = Syntax([0, 6], {"0:1.1": "3:nsubj|3:obj|5:nsubj", "1:1.1": "0:root"}, {})
    response = Syntax([0, 6], {"0:2.1": "3:nsubj|5:obj|6:nsubj|6:obj", "0:5.1": "0:root"}, {})
    keys = [profile_of(zero, key) for zero in key.zeros]
    responses = [profile_of(zero, response) for zero in response.zeros]
    assert aligned(keys, responses) == [(0, 0)]


def draw_crowd(draw, number, path="key.conllu"):
    """A document whose empty nodes have 1 to 3 relations to one word, in two clusters."""
    nodes = {}
    for at in range(number):
        names = draw.sample("abcdefgh", draw.randint(1, 3))
        nodes[f"0:1.{at + 1}"] = "|".join(f"1:{name}" for name in names)
    mentions = [(node,) for node in nodes]
    clusters = [mentions[::2], mentions[1::2]]
    return Document("a", clusters, 1, path=path, line=4, syntax=Syntax([0], nodes, {}))


@pytest.mark.parametrize(
    ("noun", "match"),
    [
        (
            "zeros",
            lambda *sides: Like(
                *sides, Options(like="corefud-1.2", match="exact", zeros="dependent")
            ),
        ),
        (
            "empty nodes in one sentence",
            lambda *sides: Matching(*sides, match="exact", zeros="dependent"),
        ),
    ],
    ids=["corefud", "default"],
)
def test_too_many_zeros_are_one_line(noun, match, monkeypatch):
    draw = random.Random(7)
    key, response = draw_crowd(draw, 12), draw_crowd(draw, 11, "response.conllu")
    monkeypatch.setattr(matching, "WHOLE", 20)
    monkeypatch.setattr(matching, "MANY", 20)
    with pytest.raises(ConllError) as caught:
        match(key, response)
    assert str(caught.value) == (
        f"key.conllu:4: document a: the key has 12 {noun} and the response 11, "
        "and too many of them could match; choose zeros linear"
    )


@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_too_many_overlaps_are_one_line(like, monkeypatch):
    """Two mentions around three: six pairs."""
    monkeypatch.setattr(matching, "WHOLE", 5)
    monkeypatch.setattr(matching, "MANY", 5)
    sides = [[[(0, 8), (0, 9)]], [[(1, 5), (1, 6), (1, 7)]]]
    problem = "the key has 2 mentions and the response 3, and too many of them could match"
    with pytest.raises(ConllError, match=f"{problem}; choose metrics without mor$"):
        score(*sides, metrics=["mor"], like=like)
    monkeypatch.setattr(matching, "MANY", 6)
    assert score(*sides, metrics=["mor"], like=like).totals["mor"][0].as_tuple() == (13, 19, 13, 18)
