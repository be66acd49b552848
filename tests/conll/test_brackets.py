import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from conll.brackets import parse, parse_named
from strategies import examples


def parts(pieces):
    return pieces.discarded, pieces.singles, pieces.starts, pieces.ends


PARTS = st.sampled_from(["(1)", "(2", "2)", "(12", "1)", "(1+2)", "(1+23)", "x0)", "(1(2)", "3"])
BETWEEN_BARS = st.lists(PARTS, max_size=5).map("|".join)


@examples(4)
@given(st.text("()|+0123456789 _-x", max_size=24) | st.text("()+12", max_size=24) | BETWEEN_BARS)
def test_equals_searching_and_cutting_with_regular_expressions(cell):
    assert parts(parse(cell.encode())) == naive.pieces(cell.encode())


@given(st.binary(max_size=24))
def test_any_bytes(cell):
    assert parts(parse(cell)) == naive.pieces(cell)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (b"(?)", ([], [b"?"], [], [])),
        (b"a)b)", ([], [], [], [b"a", b"b"])),
        (b"(a(b)c)", ([], [b"b"], [b"a"], [b"c"])),
        # A bar or white space ends an id: no mention of one token.
        (b"(a b)", ([], [], [b"a"], [b"b"])),
        (b"(a|c|b)", ([], [], [b"a"], [b"b"])),
        (b"(a|b)c)d)", ([], [], [b"a"], [b"b", b"c", b"d"])),
        (b"(a)b)c)", ([], [b"a"], [], [b"b", b"c"])),
        (b"x|a)|)", ([], [], [], [b"a"])),
        (b"(|a)", ([], [], [], [b"a"])),
        (b"(1+2)(a", ([b"1+2"], [], [b"a"], [])),
        (b"(1+22)(a+2)(1+b)(+2)", ([], [b"1+22", b"a+2", b"1+b", b"+2"], [], [])),
    ],
)
def test_pieces_of_a_cell_with_any_other_id(cell, expected):
    assert parts(parse_named(cell)) == expected
