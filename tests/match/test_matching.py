"""Matching of mentions, MOR and the score of zeros: against measured runs of CorefUD's scorer 1.2, and case by case."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given

import naive
from conll import ConllError, Document
from conll.syntax import Syntax
from scorer import registry, score
from scorer.match import matching
from scorer.match.matching import Matching
from scorer.options import COREFUD, PRESETS, settings
from strategies import drawn

MOR, ZERO = registry.get("mor"), registry.get("zero")

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures/golden/corefud.jsonl")
    .read_text()
    .splitlines()
]


def matches(ratio, printed):
    """Whether a ratio is printed so with two decimals.

    A tie may go either way, as binary fractions decide it (row 31-39).
    """
    return abs(100 * ratio - printed) <= 0.005 + 1e-9


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_figure_of_the_corefud_scorer(row):
    options = row["options"]
    evaluation = score(
        io.BytesIO(row["key"].encode()),
        io.BytesIO(row["response"].encode()),
        metrics=COREFUD,
        match=options[options.index("-a") + 1],
        zeros=options[options.index("-z") + 1],
        singletons="keep" if "-s" in options else "drop",
        blanc_edges="luo2014",
    )
    for metric, printed in row["percent"].items():
        ratios = evaluation.ratios(metric).as_tuple()
        assert all(map(matches, ratios, printed)), (metric, ratios, printed)
    assert matches(evaluation.ratios("conll").f1, row["conll"])


def document(*clusters, heads=None, zeros=None, starts=(0, 10)):
    return Document(
        "a",
        [list(cluster) for cluster in clusters],
        20,
        syntax=Syntax(list(starts), zeros or {}, heads or {}),
    )


def partners(key, response, match="exact", zeros="linear"):
    return Matching(key, response, match=match, zeros=zeros).partners


ONE = ("0:1.1",)


def test_partial_asks_the_key_alone_for_heads():
    key = document([(0, 2)], [(4, 5)], heads={(0, 2): 1, (4, 5): 4})
    response = Document("a", [[(0, 1)], [(4, 6)]])
    assert partners(key, response, "partial") == {(0, 1): (0, 2)}


def test_mentions_with_the_same_ends_keep_their_order():
    clusters = [(2, 5), ((2, 3), (5, 5)), (0, 1)], [((1, 1), (3, 3)), (1, 3)]
    key, _ = Matching(document(*clusters), document(), match="exact", zeros="linear").in_order()
    assert key == [[(0, 1), (2, 5), ((2, 3), (5, 5))], [((1, 1), (3, 3)), (1, 3)]]


def assigned(*similarities):
    """What is assigned of pairs of equal similarity, or of those given as (pair, hundredths)."""
    return sorted(
        matching._assign_component({pair: (hundredths, 100) for pair, hundredths in similarities})
    )


def test_an_earlier_key_mention_comes_before_all_later_ones():
    """Mentions 0, 1 and 2 of the key: 0 takes the first of the response, which leaves the last but one to 1 and the third to 2."""
    pairs = [(0, 0), (0, 1), (1, 0), (1, 3), (2, 2), (2, 3)]
    assert assigned(*((pair, 50) for pair in pairs)) == [(0, 0), (1, 3), (2, 2)]
    # One hundredth more outweighs all of that.
    square = [(k, r) for k in range(3) for r in range(3)]
    assert assigned(*((pair, 51 if pair == (0, 2) else 50) for pair in square)) == [
        (0, 2),
        (1, 0),
        (2, 1),
    ]


def counts(metric, key, response, match="exact"):
    [found] = metric.count(Matching(key, response, match=match, zeros="linear"))
    return found.as_tuple()


def test_formats_without_heads_match_exactly_only():
    key, response = Document("a", [[(0, 2)]], path="key", line=3), Document("a", [[(1, 2)]])
    with pytest.raises(ConllError) as caught:
        Matching(key, response, match="head", zeros="linear")
    problem = "mention (0, 2) has no head; match exact, or give a file with heads, such as CorefUD"
    assert str(caught.value) == f"key:3: document a: {problem}"
    with pytest.raises(ConllError) as caught:
        counts(MOR, Document("a", [["m1"]], path="key"), response)
    assert str(caught.value) == (
        "key: document a: mention 'm1' is not a pair of tokens, so its position is unknown"
    )
    with pytest.raises(ConllError) as caught:
        counts(ZERO, Document("a", [["m1", (0, 1)]], path="key", line=3), response)
    assert (
        str(caught.value)
        == "key:3: document a: mention 'm1' is not a pair of tokens, so its position is unknown"
    )


ZEROS = ["0:0.1", "0:1.1", "0:3.1", "1:1.1", "1:2.1"]
STARTS = (0, 4)
ORDER = ["0:0.1", 0, "0:1.1", 1, 2, "0:3.1", 3, 4, "1:1.1", 5, "1:2.1", 6]


def naive_side(draw):
    """A side as `naive` has it: two sentences of words and empty nodes, mentions of words, of both, with gaps."""
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
    text = ANAPHORA if name.startswith("codicrac") else ROWS[0]["key"]
    evaluation = score(*(io.BytesIO(text.encode()) for _ in "kr"), **settings(name))
    shown = {"v4": "conll_v4", "br": "bridging_entity"}.get(name[-2:], "conll")
    assert evaluation.ratios(shown).f1 == 1
    assert evaluation.names == PRESETS[name]["metrics"].split(",")
    chosen = evaluation.options.to_dict()
    assert {option: chosen[option] for option in PRESETS[name] if option != "metrics"} == {
        option: value for option, value in PRESETS[name].items() if option != "metrics"
    }


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
