"""Empty nodes, where tokens stand, and dependencies, by hand for sentences of three, two and two
words."""

import pytest

from conll.syntax import Syntax, is_span, pieces, place

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


def test_what_is_a_span_and_what_is_its_pieces():
    for mention in [(0, 0), (3, 9), (0, 999_999_999)]:
        assert is_span(mention) is True
        assert pieces(mention) == (mention,)
    for mention in [
        (0,),
        (0, 1, 2),
        (3, "0:1.1"),
        ((0, 1), (3, 4)),
        (True, 1),
        [0, 1],
        "ab",
        (3, 2),
        (-1, 0),
        (0, 10**9),
    ]:
        assert is_span(mention) is False
        assert pieces(mention) is mention
