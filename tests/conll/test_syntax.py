"""Empty nodes, the tokens of mentions, and dependencies, done by hand for sentences of three, two and two words."""

import pytest

from conll.syntax import Syntax, is_empty_node, is_span, pieces, place

STARTS = [0, 3, 5]
ZEROS = {
    "0:0.1": "2:nsubj|0:root",
    "0:2.1": "2.2:obj|2:nsubj:pass",
    "0:2.2": "9.9:dep|_",
    "1:0.1": "1:a|1234567890:b",
    "1:2.1": "x:c|3",
    "2:1.1": "2:d",
}
HEADS = {(0, 1): 1}


@pytest.fixture
def syntax():
    return Syntax(STARTS, ZEROS, HEADS)


@pytest.mark.parametrize(
    ("token", "where"),
    [
        (4, (4, 0, 0)),
        ("0:0.1", (-1, 1, 1)),
        ("0:2.1", (1, 1, 1)),
        ("0:2.12", (1, 1, 12)),
        ("1:0.1", (2, 2, 1)),
        ("1:2.1", (4, 2, 1)),
        ("2:1", (5, 3, 0)),
    ],
)
def test_where_a_token_stands(syntax, token, where):
    assert place(token, STARTS) == syntax.place(token) == where


@pytest.mark.parametrize(
    ("mention", "tokens"),
    [
        ((0, 1), [0, 1]),
        ((1, 2), [1, "0:2.1", "0:2.2", 2]),
        ((0, 4), [0, 1, "0:2.1", "0:2.2", 2, "1:0.1", 3, 4]),
        ((2, 5), [2, "1:0.1", 3, 4, "1:2.1", 5]),
        ((5, 5), [5]),
        (("1:2.1",), ["1:2.1"]),
        (((0, 1), (3, 5), "2:1.1"), [0, 1, 3, 4, "1:2.1", 5, "2:1.1"]),
    ],
)
def test_the_tokens_of_a_mention(syntax, mention, tokens):
    assert syntax.tokens(mention) == tokens


@pytest.mark.parametrize(
    ("zero", "relations"),
    [
        # The root has no head; a relation may hold a colon.
        ("0:0.1", [(1, "nsubj"), (None, "root")]),
        ("0:2.1", [("0:2.2", "obj"), (1, "nsubj:pass")]),
        # Neither head exists, and what says no relation says nothing.
        ("0:2.2", [(None, "dep")]),
        ("1:0.1", [(3, "a"), (None, "b")]),
        ("1:2.1", [(None, "c"), (5, "")]),
        ("2:1.1", [(6, "d")]),
    ],
)
def test_the_relations_of_an_empty_node(syntax, zero, relations):
    assert syntax.relations(zero) == relations


def test_the_longest_number_of_a_word_has_nine_digits():
    assert Syntax([1], {"0:1.1": "123456789:a"}, {}).relations("0:1.1") == [(123456789, "a")]


@pytest.mark.parametrize("mention", [(0, 0), (3, 9), (0, 999_999_999)])
def test_a_span_is_one_piece(mention):
    assert is_span(mention) is True
    assert pieces(mention) == (mention,)


@pytest.mark.parametrize(
    "mention",
    [
        (0,),
        (0, 1, 2),
        ("0:1.1", 3),
        (3, "0:1.1"),
        ((0, 1), (3, 4)),
        (True, 1),
        (1, True),
        [0, 1],
        "ab",
        (3, 2),
        (-1, 0),
        (0, 10**9),
    ],
)
def test_what_is_no_span_is_its_pieces(mention):
    assert is_span(mention) is False
    assert pieces(mention) is mention


@pytest.mark.parametrize("token", ["2:4.1", "0:0.1", "12:34.56"])
def test_what_an_empty_node_is_called(token):
    assert is_empty_node(token) is True
