"""Heads and types of mentions."""

import pytest

import scorer
from analysed import COREFUD, errors_of, values_of
from conll.document import Layers
from scorer.analysis.document_errors import EXTRA_MENTION, MISSING_MENTION
from scorer.analysis.pair import NAME, NOMINAL, PRONOUN, Text, head_of, parse_parents


@pytest.mark.parametrize(
    ("parse", "tags", "span", "head"),
    [
        ("(NP(NP* (PP* (NP*", "NNS IN NN", (0, 2), 0),
        ("(NP* * *)", "DT JJ NN", (0, 2), 2),
        ("(NP(NP* *) *)", "NNP POS NN", (0, 2), 2),
        ("(NP(NP* *) *)", "NNP POS NN", (0, 1), 0),
        ("(NP(NP*) * (NP*))", "NNP CC NNP", (0, 2), 0),
        ("* *) (NP*", "DT NN NN", (0, 1), 1),  # brackets without a partner
    ],
)
def test_heads(parse, tags, span, head):
    assert head_of(*span, parse_parents(parse.split(), tags.split())) == head


TAGGED = {"pos": ["NNP", "NNP", "VBD", "PRP$", "NN"], "parse": ["(NP*", "*)", "*", "(NP*", "*)"]}
HUGE = [(0, 1, "PERSON"), (0, 0, "A"), (9, 1 << 40, "B"), (-1, 0, "C")]


@pytest.mark.parametrize(
    ("columns", "names", "kinds", "source"),
    [
        (TAGGED, [], [NAME, PRONOUN, NOMINAL], "pos, parse"),
        ({}, [], [NOMINAL, PRONOUN, NOMINAL], "words"),
        ({}, [(0, 1, "PERSON")], [NAME, PRONOUN, NOMINAL], "words"),
        # Tokens of names that go beyond the words are not listed one by one.
        ({}, HUGE, [NAME, PRONOUN, NOMINAL], "words"),
    ],
)
def test_types_of_mentions(columns, names, kinds, source):
    text = Text(Layers([["Ada", "Lovelace", "saw", "her", "dog"]], columns, names=names))
    assert [text.kind(mention) for mention in ((0, 1), (3, 3), (3, 4))] == kinds
    assert text.source == source


def test_heads_and_types_of_corefud():
    errors = scorer.errors(COREFUD, COREFUD)
    pair = errors.documents[0].pair
    kinds = {(0, 0): NAME, (2, 2): PRONOUN, (2, 3): NOMINAL, (5, 5): PRONOUN}
    assert dict(zip(pair.mentions, pair.kinds)) == kinds
    assert pair.text.source == "pos, head"
    assert not +errors.counts


def test_an_empty_node_that_stands_for_none_is_said_as_it_is_written():
    """Each side has {it, an empty node after it}; the nodes depend on other words."""
    text = (
        "# global.Entity = eid-etype-head\n# newdoc id = a\n"
        "1\tit\t_\tPRON\t_\t_\t2\tdep\t_\tEntity=(e1-x-1)\n"
        "1.1\t_\t_\t_\t_\t_\t_\t_\t{}\tEntity=(e1-x-1)\n2\tran\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    )
    errors = errors_of(text.format("2:nsubj"), text.format("1:obj"), zeros="dependent")
    assert +errors.counts == {MISSING_MENTION: 1, EXTRA_MENTION: 1}
    for error in errors.findings():
        assert (error.mention, error.words, error.type) == (("0:1.1",), "0:1.1", PRONOUN)
        assert (error.beside, error.line) == ("it", 4)
    assert "unmatched" not in errors.text("json", show=["errors", "entities", "strata"])


# Of three words the first is a pronoun, and they are in two sentences.
BARE = """\
#begin document a
a 0 0 [WORD] PRP * - - - Ann * (0)
a 0 1 [WORD] NN * - - - Bob (ORG) (0)

a 0 0 [WORD] NN * - - - Bob * (0)
#end document
"""
LACKING = BARE.replace("Ann * (0)", "Ann * -")
TWO = {"doc_key": "a", "clusters": [[[1, 1], [2, 2]]]}
THREE = {"doc_key": "a", "clusters": [[[0, 0], [1, 1], [2, 2]]]}


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (BARE, TWO),
        (THREE | {"tokens": ["It", "is", "it"]}, LACKING),
    ],
    ids=["no words", "words of the key"],
)
def test_columns_say_something_of_words_that_are_not_given(key, response):
    """The first mention is a pronoun that is missing; were it a nominal, the entity would be
    divided."""
    errors = errors_of(key, response, by="speaker")
    assert +errors.counts == {MISSING_MENTION: 1}
    values = values_of(errors)
    for cell, number in {
        ("type", PRONOUN): 1,
        ("type", NOMINAL): 2,
        ("speaker", "Ann"): 1,
        ("speaker", "Bob"): 2,
    }.items():
        assert values[cell] == number
    # Types of entities are not borrowed from the other side.
    side = "key" if key == BARE else "response"
    values = values_of(errors, side)
    assert values["entity", "ORG"] == 1
    assert values["entity", "none"] == (2 if side == "key" else 1)
    assert list(errors.sources()) == ["pos"]
