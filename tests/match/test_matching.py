"""Matching of mentions, MOR and the score of zeros: against measured runs of CorefUD's scorer 1.2, and case by case."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from conll import ConllError, Document
from conll.syntax import Syntax
from scorer import metrics, score
from scorer.match import matching
from scorer.match.matching import Matching
from scorer.options import COREFUD, PRESETS, settings
from strategies import drawn

MOR, ZERO = metrics.get("mor"), metrics.get("zero")

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures/golden/corefud.jsonl")
    .read_text()
    .splitlines()
]


def test_there_are_measured_runs():
    assert len(ROWS) == 96
    assert {metric for row in ROWS for metric in row["percent"]} == set(COREFUD.split(",")) - {
        "conll"
    }


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


def test_exact_mentions_are_equal_ones():
    key, response = (
        document([(0, 1), ((3, 3), (5, 5))]),
        document([(0, 1), (3, 5)], [((3, 3), (5, 5))]),
    )
    assert partners(key, response) == {(0, 1): (0, 1), ((3, 3), (5, 5)): ((3, 3), (5, 5))}


def test_heads_match_where_nothing_is_equal():
    key = document([(0, 3), (5, 5)], heads={(0, 3): 1, (5, 5): 5})
    response = document([(1, 2), (0, 1), (5, 6)], heads={(1, 2): 1, (0, 1): 0, (5, 6): 5})
    assert partners(key, response, "head") == {(1, 2): (0, 3), (5, 6): (5, 5)}


def test_equal_mentions_come_first():
    # By similarity alone (0, 3) would take (0, 3) as well, but (1, 1) has no other partner than (0,
    # 3).
    key = document([(0, 3)], heads={(0, 3): 1})
    response = document([(0, 3), (1, 1)], heads={(0, 3): 1, (1, 1): 1})
    assert partners(key, response, "head") == {(0, 3): (0, 3)}


def test_the_sum_of_similarities_is_greatest():
    key = document([(0, 3), (1, 2)], heads={(0, 3): 1, (1, 2): 1})
    response = document([(1, 4), (1, 1)], heads={(1, 4): 1, (1, 1): 1})
    # 3/4 + 1/2 is more than 1/4 + 2/2 by nothing: both are 5/4, and the earlier key mention takes
    # the earlier response mention.
    assert partners(key, response, "head") == {(1, 1): (0, 3), (1, 4): (1, 2)}


def test_a_partial_match_lies_inside_and_holds_the_head():
    key = document([(0, 3)], [(5, 8)], [(10, 12)], heads={(0, 3): 1, (5, 8): 5, (10, 12): 11})
    response = document([(1, 2), (6, 8), (11, 13)], heads={(1, 2): 2, (6, 8): 6, (11, 13): 11})
    assert partners(key, response, "partial") == {(1, 2): (0, 3)}


ONE = ("0:1.1",)
TWO = ("0:2.1",)


def test_zeros_by_their_place():
    key = document([ONE, TWO], zeros={"0:1.1": "3:nsubj", "0:2.1": "3:obj"})
    response = document([ONE, ("0:4.1",)], zeros={"0:1.1": "3:obj", "0:4.1": "3:nsubj"})
    assert partners(key, response) == {ONE: ONE}


def test_zeros_by_their_dependencies():
    key = document([ONE, TWO, (("0:1.1"), (2, 3))], zeros={"0:1.1": "3:nsubj", "0:2.1": "3:obj"})
    response = document(
        [ONE, ("0:4.1",), (("0:4.1"), (2, 3))], zeros={"0:1.1": "3:obj", "0:4.1": "3:nsubj|4:nsubj"}
    )
    expected = {("0:4.1",): ONE, ONE: TWO, ("0:4.1", (2, 3)): ("0:1.1", (2, 3))}
    assert partners(key, response, zeros="dependent") == expected


def test_relations_count_ten_times_the_heads():
    key = document([ONE], zeros={"0:1.1": "3:nsubj|5:obj"})
    response = document([ONE, TWO], zeros={"0:1.1": "3:obl|5:obl", "0:2.1": "3:nsubj|7:obl|8:obl"})
    assert partners(key, response, zeros="dependent") == {TWO: ONE}


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # Two for one: 10 F1 of pairs + F1 of heads is 10*2/3 + 2/3 against 10*2/2 + 2/2.
        ({"0:1.1": "3:nsubj"}, {"0:2.1": "3:nsubj|5:obj", "0:4.1": "3:nsubj"}, {"0:4.1": "0:1.1"}),
        # 3:nsubj goes with either, at 10*1 + 1; the other key zero has a head in common with 0:2.1
        # only (0 + 1): 12 beats 11.
        (
            {"0:1.1": "3:nsubj", "0:5.1": "3:obj"},
            {"0:2.1": "3:nsubj", "0:4.1": "3:nsubj"},
            {"0:2.1": "0:1.1", "0:4.1": "0:5.1"},
        ),
        # Each of four pairs is worth 11: the earlier key zero takes the earlier response zero.
        (
            {"0:1.1": "3:nsubj", "0:5.1": "3:nsubj"},
            {"0:2.1": "3:nsubj", "0:4.1": "3:nsubj"},
            {"0:2.1": "0:1.1", "0:4.1": "0:5.1"},
        ),
        # Crosswise: same pairs 11 + 11, same places 1 + 1 (the head alone).
        (
            {"0:1.1": "3:nsubj", "0:5.1": "3:obj"},
            {"0:1.1": "3:obj", "0:5.1": "3:nsubj"},
            {"0:1.1": "0:5.1", "0:5.1": "0:1.1"},
        ),
        # Two for one, both worth 11: the earlier response zero; and another sentence has its own.
        (
            {"0:1.1": "3:nsubj", "1:1.1": "3:nsubj"},
            {"0:2.1": "3:nsubj", "0:4.1": "3:nsubj", "1:2.1": "3:obl"},
            {"0:2.1": "0:1.1", "1:2.1": "1:1.1"},
        ),
        # No head in common: none.
        ({"0:1.1": "3:nsubj"}, {"0:1.1": "4:nsubj"}, {}),
        # Pairs 2/3 of either; heads 2/2 against 2/3.
        (
            {"0:1.1": "3:nsubj"},
            {"0:2.1": "3:nsubj|5:obj", "0:4.1": "3:nsubj|3:obj"},
            {"0:4.1": "0:1.1"},
        ),
        # No pair in common; heads 4/4 against 2/3.
        (
            {"0:1.1": "3:nsubj|5:obj"},
            {"0:2.1": "3:obl|3:dep", "0:4.1": "3:obl|5:obl"},
            {"0:4.1": "0:1.1"},
        ),
        # 10*2/7 + 4/5 is less than 10*2/6 + 2/5.
        (
            {"0:1.1": "3:nsubj|3:obj|5:nsubj"},
            {"0:2.1": "3:nsubj|5:obj|6:nsubj|6:obj", "0:4.1": "3:nsubj|6:nsubj|7:nsubj"},
            {"0:4.1": "0:1.1"},
        ),
        # Both depend on the root, but not in one sentence.
        ({"0:1.1": "0:root"}, {"1:1.1": "0:root"}, {}),
    ],
)
def test_zeros_by_dependencies_by_hand(key, response, expected):
    sides = [document([(zero,) for zero in zeros], zeros=zeros) for zeros in (key, response)]
    assert partners(*sides, zeros="dependent") == {
        (other,): (zero,) for other, zero in expected.items()
    }


def test_a_head_is_told_by_the_names_of_the_key():
    """0:4.1 stands for 0:1.1, and is the head of what has that and word 2 in common with a mention of the key."""
    key = document(
        [("0:1.1", (2, 3))], zeros={"0:1.1": "3:nsubj"}, heads={("0:1.1", (2, 3)): "0:1.1"}
    )
    response = document(
        [((2, 2), "0:4.1")], zeros={"0:4.1": "3:nsubj"}, heads={((2, 2), "0:4.1"): "0:4.1"}
    )
    assert partners(key, response, "head", zeros="dependent") == {
        ((2, 2), "0:4.1"): ("0:1.1", (2, 3))
    }


def test_mentions_of_one_word_need_no_heads_though_the_key_has_zeros():
    key = document([(0, 1)], [ONE], zeros={"0:1.1": "3:nsubj"}, heads={(0, 1): 1, ONE: "0:1.1"})
    for match in ("head", "partial"):
        assert partners(key, Document("a", [[(1, 1)]]), match) == {(1, 1): (0, 1)}


def test_mentions_in_memory_may_be_anything_that_is_equal():
    assert partners(Document("a", [[7, "m1"], [(3, 4)]]), Document("a", [["m2", 7]])) == {7: 7}


def test_mentions_of_the_same_tokens_that_are_written_in_another_way_match_in_part():
    key, response = (
        document([((0, 0), (1, 1))], heads={((0, 0), (1, 1)): 1}),
        document([(0, 1)], heads={(0, 1): 0}),
    )
    assert partners(key, response, "partial") == {(0, 1): ((0, 0), (1, 1))}
    assert partners(key, response) == {}


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


def test_ties_of_many_mentions_are_told_apart_exactly():
    """Numbers of some eighty binary digits: each of the key takes the first that is left, but for the last two."""
    size = 12
    square = [
        (k, r)
        for k in range(size)
        for r in range(size + 1)
        if (k, r) not in {(size - 2, size - 2), (size - 1, size)}
    ]
    expected = [*((k, k) for k in range(size - 2)), (size - 2, size - 1), (size - 1, size - 2)]
    assert assigned(*((pair, 50) for pair in square)) == expected


@pytest.mark.parametrize(("small", "exact"), [(18, True), (17, False)])
def test_many_mentions_are_told_apart_by_their_similarity_alone(small, exact, monkeypatch):
    """Three of the key and two of the response: 3 × 3 × 2 steps, as `scorer.count.assignment` counts them."""
    weighed = []
    align = matching.align_clusters
    monkeypatch.setattr(matching, "SMALL", small)
    monkeypatch.setattr(
        matching, "align_clusters", lambda weights: weighed.append(weights) or align(weights)
    )
    pairs = [((0, 0), 20), ((0, 1), 50), ((1, 1), 60), ((2, 1), 10), ((2, 0), 10)]
    assert assigned(*pairs) == [(0, 0), (1, 1)]
    assert {type(weight) for weights in weighed for weight in weights.values()} == (
        {int} if exact else {float}
    )
    assert exact or weighed == [{(0, 0): 0.2, (0, 1): 0.5, (1, 1): 0.6, (2, 1): 0.1, (2, 0): 0.1}]


def test_zeros_of_another_sentence_never_match():
    key, response = (
        document([ONE], zeros={"0:1.1": "3:nsubj"}),
        document([("1:1.1",)], zeros={"1:1.1": "3:nsubj"}),
    )
    assert partners(key, response, zeros="dependent") == {}


def test_a_response_mention_left_alone_is_not_the_one_of_its_name():
    key, response = (
        document([ONE], zeros={"0:1.1": "3:nsubj"}),
        document([ONE], zeros={"0:1.1": "5:obj"}),
    )
    matched = Matching(key, response, match="exact", zeros="dependent")
    assert matched.partners == {}
    assert matched.renamed().clusters == [[("unmatched", ONE)]]
    assert response.clusters == [[ONE]]


def counts(metric, key, response, match="exact"):
    [found] = metric.count(Matching(key, response, match=match, zeros="linear"))
    return found.as_tuple()


def test_mor_by_hand():
    # (0,3) has 2 tokens in common with (2,3) and 1 with (0,0); (1,2) has one with (2,3).
    assert counts(MOR, document([(0, 3), (1, 2)]), document([(2, 3)], [(0, 0)])) == (2, 6, 2, 3)
    assert counts(MOR, document([(0, 1)], [(0, 1)]), document([(0, 1)])) == (2, 2, 2, 2)
    assert counts(MOR, document(), document([ONE], zeros={"0:1.1": "3:nsubj"})) == (0, 0, 0, 1)


LATE = ("0:6.1",)


@pytest.mark.parametrize(
    ("key", "response", "figures"),
    [
        ([[(0, 0), LATE]], [[(0, 0), LATE]], (1, 1, 1, 1)),
        ([[(0, 0), LATE]], [[(0, 0)], [LATE]], (0, 1, 0, 0)),  # the counterpart is first: missed
        ([[(0, 0), LATE]], [[(0, 0)]], (0, 1, 0, 0)),  # none: missed
        ([[(0, 0), LATE]], [[(0, 0)], [(1, 1), LATE]], (0, 1, 0, 1)),  # wrong link
        ([[(0, 0)]], [[(0, 0), LATE]], (0, 0, 0, 1)),  # false
        (
            [[LATE, (9, 9)]],
            [[(0, 0), LATE]],
            (0, 0, 0, 1),
        ),  # first in the key: not asked for, so false
        (
            [[(0, 0), (1, 1), LATE]],
            [[(0, 0), (7, 7)], [(1, 1), LATE]],
            (1, 1, 1, 1),
        ),  # any mention before will do
    ],
)
def test_zeros_by_hand(key, response, figures):
    zeros = {"0:6.1": "3:nsubj"}
    assert counts(ZERO, document(*key, zeros=zeros), document(*response, zeros=zeros)) == figures


def test_formats_without_heads_match_exactly_only():
    key, response = Document("a", [[(0, 2)]], path="key", line=3), Document("a", [[(1, 2)]])
    with pytest.raises(ConllError) as caught:
        Matching(key, response, match="head", zeros="linear")
    problem = "mention (0, 2) has no head; match exact, or give a file with heads, such as CorefUD"
    assert str(caught.value) == f"key:3: document a: {problem}"
    with pytest.raises(ConllError) as caught:
        counts(MOR, Document("a", [["m1"]], path="key"), response)
    assert str(caught.value) == (
        "key: document a: mention 'm1' is no pair of tokens, so what it has in common "
        "with others cannot be told"
    )
    with pytest.raises(ConllError) as caught:
        counts(ZERO, Document("a", [["m1", (0, 1)]], path="key", line=3), response)
    assert (
        str(caught.value)
        == "key:3: document a: mention 'm1' is no pair of tokens, so where it stands cannot be told"
    )


MENTIONS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (min(pair), max(pair)))
SIDES = st.lists(st.lists(MENTIONS, min_size=1, max_size=4), max_size=4).flatmap(
    lambda clusters: st.fixed_dictionaries(
        {mention: st.integers(*mention) for cluster in clusters for mention in cluster}
    ).map(lambda heads: document(*clusters, heads=heads))
)  # fmt: skip


@pytest.mark.parametrize("match", ["exact", "head", "partial"])
@given(key=SIDES, response=SIDES)
def test_properties_of_matching(match, key, response):
    found = partners(key, response, match)
    assert len(set(found.values())) == len(found)
    for mention, partner in found.items():
        assert mention == partner or match != "exact"
        assert set(range(mention[0], mention[1] + 1)) & set(range(partner[0], partner[1] + 1))
    assert {mention for mention, partner in found.items() if mention == partner} == as_set(
        key
    ) & as_set(response)
    assert partners(key, key, match) == {mention: mention for mention in as_set(key)}


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


def as_set(one):
    return {mention for cluster in one.clusters for mention in cluster}


@pytest.mark.parametrize("name", metrics.names("mentions"))
@given(key=SIDES, response=SIDES)
def test_measures_of_pairs(name, key, response):
    metric = metrics.get(name)
    assert metric.name == name
    numerator, denominator, precision_numerator, precision_denominator = counts(
        metric, key, response
    )
    assert numerator == precision_numerator <= min(denominator, precision_denominator)
    assert counts(metric, response, key) == (
        numerator,
        precision_denominator,
        numerator,
        denominator,
    )
    itself = counts(metric, key, key)
    assert itself[0] == itself[1] == itself[3]


def test_unknown_measures():
    with pytest.raises(KeyError):
        metrics.get("more")


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
