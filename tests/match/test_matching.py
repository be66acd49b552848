"""Matching of mentions, MOR and the score of zeros: against every assignment, and case by case."""

import io
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import naive
from conll import ConllError, Document
from conll.syntax import Syntax
from scorer import registry, score
from scorer.match import matching
from scorer.match.corefud import Like
from scorer.match.matching import (
    Matching,
    best_pairs,
    dependencies_of,
    earliest_pairs,
    similar_zeros,
)
from scorer.options import PRESETS, Options, settings
from strategies import drawn

MOR, ZERO = registry.get("mor"), registry.get("zero")

STORY = Path(__file__).parents[2] / "fixtures/formats/story.corefud.conllu"


def document(*clusters, heads=None, zeros=None, starts=(0, 10)):
    return Document(
        "a",
        [list(cluster) for cluster in clusters],
        20,
        syntax=Syntax(list(starts), zeros or {}, heads or {}),
    )


def test_partial_asks_the_key_alone_for_heads():
    key = document([(0, 2)], [(4, 5)], heads={(0, 2): 1, (4, 5): 4})
    response = Document("a", [[(0, 1)], [(4, 6)]])
    matched = Matching(key, response, match="partial", zeros="linear")
    assert matched.partners == {(0, 1): (0, 2)}


def test_mentions_with_the_same_ends_keep_their_order():
    clusters = [(2, 5), ((2, 3), (5, 5)), (0, 1)], [((1, 1), (3, 3)), (1, 3)]
    key, _ = Matching(document(*clusters), document(), match="exact", zeros="linear").in_order()
    assert key == [[(0, 1), (2, 5), ((2, 3), (5, 5))], [((1, 1), (3, 3)), (1, 3)]]


def test_an_earlier_key_mention_comes_before_all_later_ones():
    """Mentions 0, 1 and 2 of the key: 0 takes the first of the response, which leaves the last but
    one to 1 and the third to 2."""
    pairs = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 3), (2, 2), (2, 3)], (1, 2))
    assert earliest_pairs(pairs) == [(0, 0), (1, 3), (2, 2)]
    # One hundredth more outweighs all of that.
    square = {(k, r): (50, 100) for k in range(3) for r in range(3)} | {(0, 2): (51, 100)}
    assert earliest_pairs(square) == [(0, 2), (1, 0), (2, 1)]


@pytest.mark.parametrize("whole", [matching.WHOLE, 9])
@given(st.randoms(use_true_random=False))
def test_the_best_pairs_have_the_greatest_similarity(whole, draw):
    """As a whole matrix and above the bound of that."""
    height, width = draw.randint(1, 10), draw.randint(1, 10)
    similarities = {
        (k, r): (draw.randint(1, 4), draw.randint(1, 4))
        for k in range(height)
        for r in range(width)
        if draw.random() < 0.4
    }
    table = np.zeros((height, width))
    for pair, (numerator, denominator) in similarities.items():
        table[pair] = numerator / denominator
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "WHOLE", whole)
        pairs = best_pairs(similarities, height, width)
    best = table[linear_sum_assignment(-table)].sum()
    assert sum(table[pair] for pair in pairs) == pytest.approx(best)
    assert set(pairs) <= set(similarities)
    assert all(len(set(side)) == len(pairs) for side in zip(*pairs))


def test_a_parent_is_told_by_its_sentence():
    """A parent that does not exist is the same one in its sentence alone."""
    key = Syntax([0, 6], {"0:1.1": "3:nsubj|3:obj|5:nsubj", "1:1.1": "0:root"}, {})
    response = Syntax([0, 6], {"0:2.1": "3:nsubj|5:obj|6:nsubj|6:obj", "0:5.1": "0:root"}, {})
    sides = ([dependencies_of(zero, side) for zero in side.zeros] for side in (key, response))
    # 10 times F1 2/7 of the relations, and F1 4/5 of the parents.
    assert similar_zeros(document(), *sides) == {(0, 0): (20 * 5 + 4 * 7, 7 * 5)}


def crowd(draw, number):
    """A document whose empty nodes have 1 to 3 relations to one word, in two clusters."""
    nodes = {}
    for at in range(number):
        names = draw.sample("abcdefgh", draw.randint(1, 3))
        nodes[f"0:1.{at + 1}"] = "|".join(f"1:{name}" for name in names)
    mentions = [(node,) for node in nodes]
    return document(mentions[::2], mentions[1::2], zeros=nodes, starts=[0])


@pytest.mark.parametrize("like", [True, False])
def test_too_many_zeros_are_one_line(like, monkeypatch):
    draw = random.Random(7)
    sides = crowd(draw, 12), crowd(draw, 11)
    monkeypatch.setattr(matching, "MANY", 20)
    options = Options(like="corefud-1.2", match="exact", zeros="dependent")
    with pytest.raises(ConllError, match=r"document a: too many mentions or empty nodes"):
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


@pytest.mark.parametrize("options", [{"like": "corefud-1.2"}, {"match": "craft"}, {}])
def test_a_mention_longer_than_any_text_is_one_line(options):
    sides = [[(0, 10**8), (1, 2)]], [[(1, 2)]]
    with pytest.raises(ConllError, match=r"mention \(0, 100000000\) has more than 1,000,000 tok"):
        score(*sides, metrics=["mor"], **options)


@pytest.mark.parametrize(
    ("metric", "cluster", "match", "problem"),
    [
        ("mor", [(0, 2)], "head", "(0, 2) has no head; match exact, or give a file with heads, such as CorefUD"),
        ("mor", ["m1"], "exact", "'m1' is not a pair of tokens, so its position is unknown"),
        ("zero", ["m1", (0, 1)], "exact", "'m1' is not a pair of tokens, so its position is unknown"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("like", [None, "corefud-1.2"])
def test_what_clusters_in_memory_lack(metric, cluster, match, problem, like):
    response = [(1, 2)] if match == "head" else cluster
    with pytest.raises(ConllError) as caught:
        score([cluster], [response], metrics=[metric], match=match, like=like)
    assert str(caught.value) == f"key: document 0: mention {problem}"


ZEROS = ["0:0.1", "0:1.1", "0:3.1", "1:1.1", "1:2.1"]
STARTS = (0, 4)
ORDER = ["0:0.1", 0, "0:1.1", 1, 2, "0:3.1", 3, 4, "1:1.1", 5, "1:2.1", 6]


def naive_side(draw):
    """A side as `naive` has it: two sentences of words and empty nodes, mentions of words, of both,
    with gaps."""
    zeros = {}
    for zero in draw.sample(ZEROS, draw.randint(0, 4)):
        start = STARTS[int(zero[0])]
        zeros[zero] = [
            (start + draw.randint(0, 2), draw.choice(["nsubj", "obj"]))
            for _ in range(draw.randint(1, 2))
        ]
    order = [token for token in ORDER if isinstance(token, int) or token in zeros]
    kinds = [
        lambda: tuple(sorted(draw.randint(0, 6) for _ in range(2))),
        lambda: draw.choice([((0, 0), (2, 2)), ((0, 1), (3, 3)), ((1, 1), (5, 6))]),
        *[lambda: (draw.choice(sorted(zeros)),)] * (2 if zeros else 0),
        *[lambda: ("0:1.1", (1, 2))] * ("0:1.1" in zeros),
    ]
    mentions = list(dict.fromkeys(draw.choice(kinds)() for _ in range(draw.randint(0, 5))))
    clusters = [[], [], []]
    for mention in mentions:
        draw.choice(clusters).append(mention)
    side = {
        "order": order,
        "zeros": zeros,
        "clusters": [cluster for cluster in clusters if cluster],
        "heads": {},
    }
    for mention in mentions:
        side["heads"][mention] = draw.choice(naive.tokens_of(side, mention))
    return side


def as_document(side):
    written = {
        zero: "|".join(
            f"{head - STARTS[int(zero[0])] + 1}:{relation}"
            for head, relation in side["zeros"][zero]
        )
        for zero in side["order"]
        if zero in side["zeros"]
    }
    return document(*side["clusters"], heads=side["heads"], zeros=written, starts=STARTS)


@pytest.mark.parametrize("zeros", ["linear", "dependent"])
@pytest.mark.parametrize("match", ["exact", "head", "partial"])
@given(key=drawn(naive_side), response=drawn(naive_side))
def test_all_as_by_trying_every_assignment(match, zeros, key, response):
    matched = Matching(as_document(key), as_document(response), match=match, zeros=zeros)
    assert matched.partners == naive.matched(key, response, match, zeros)[0]
    [overlap] = MOR.count(matched)
    assert overlap.as_tuple() == naive.mor(key, response, match, zeros)
    [links] = ZERO.count(matched)
    assert links.as_tuple() == naive.zero_links(key, response, match, zeros)


ANAPHORA = """\
# global.columns = ID FORM IDENTITY BRIDGING DISCOURSE_DEIXIS
# newdoc id = d
1 w (EntityID=1|MarkableID=a) _ (EntityID=1|MarkableID=a)
2 w (EntityID=1|MarkableID=b) (MarkableID=b|MentionAnchor=a) (EntityID=1|MarkableID=b)
"""


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name):
    text = ANAPHORA if name.startswith("codicrac") else STORY.read_text()
    evaluation = score(*(io.BytesIO(text.encode()) for _ in "kr"), **settings(name))
    shown = {"v4": "conll_v4", "br": "bridging_entity"}.get(name[-2:], "conll")
    assert evaluation.ratios(shown).f1 == 1
    assert evaluation.names == PRESETS[name]["metrics"].split(",")
    chosen = evaluation.options.to_dict()
    assert {option: chosen[option] for option in PRESETS[name] if option != "metrics"} == {
        option: value for option, value in PRESETS[name].items() if option != "metrics"
    }


def test_presets_ignore_case_and_crac26_is_crac25():
    assert settings("CRAC26") == settings("crac25") == settings("Crac25")
    assert settings("CoNLL12") == settings("conll12")


def test_an_option_overrides_its_preset():
    assert settings("crac23", match="exact", zeros=None)["match"] == "exact"
    with pytest.raises(
        ValueError,
        match=(
            r"^preset: 'crac20' is not one of conll12, conll-v4, crac22, crac23, crac24, "
            r"crac25, .*; did you mean .*crac2"
        ),
    ):
        settings("crac20")
