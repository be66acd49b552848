"""Mentions as brackets: what a cell holds, and which mentions of one entity it cannot hold side by side."""

import pytest

from conll.brackets import CrossingError, conflicts, lay_out


@pytest.mark.parametrize(
    ("mentions", "found"),
    [
        ([], []),
        ([(0, 1), (3, 4)], []),
        ([(0, 5), (1, 2), (3, 4), (4, 4)], []),
        ([(1, 2), (0, 5)], []),
        ([(0, 1), (0, 3), (0, 3)], []),
        ([(0, 3), (1, 3)], []),
        ([(2, 3), (3, 3), (2, 2)], []),
        # Crossing; the earlier one comes first, however they are given.
        ([(0, 2), (1, 3)], [((0, 2), (1, 3))]),
        ([(1, 3), (0, 2)], [((0, 2), (1, 3))]),
        ([(0, 9), (1, 4), (3, 6), (7, 8)], [((1, 4), (3, 6))]),
        # Without the later one of a pair, the others are held: (2, 6) is left out, and (5, 8)
        # crosses nothing else.
        ([(0, 3), (2, 6), (5, 8)], [((0, 3), (2, 6))]),
        # Meeting in a token.
        ([(0, 2), (2, 4)], [((0, 2), (2, 4))]),
    ],
)
def test_conflicts(mentions, found):
    assert list(conflicts(mentions)) == found


def test_mentions_that_meet_where_they_may():
    assert list(conflicts([(0, 2), (2, 4), (4, 6)], may_meet=True)) == []
    assert list(conflicts([(0, 2), (1, 4), (2, 6)], may_meet=True)) == [((0, 2), (1, 4))]


def test_cells_hold_starts_then_single_tokens_then_ends():
    assert lay_out([[(0, 2)], [(2, 2), (2, 3)], [(2, 4)], [(1, 2)]], ["a", "b", "c", "d"]) == {
        0: "(a",
        1: "(d",
        2: "(b|(c|(b)|a)|d)",
        3: "b)",
        4: "c)",
    }


@pytest.mark.parametrize(
    ("mentions", "first", "second", "said"),
    [
        ([(1, 3), (0, 2)], (0, 2), (1, 3), "mentions (0,2) and (1,3) of cluster x cross"),
        (
            [(5, 7), (7, 9)],
            (5, 7),
            (7, 9),
            "mentions (5,7) and (7,9) of cluster x meet in one token",
        ),
    ],
)
def test_what_brackets_cannot_hold_is_refused(mentions, first, second, said):
    with pytest.raises(CrossingError) as caught:
        lay_out([[(1, 1)], mentions], ["w", "x"])
    assert str(caught.value) == f"{said}, and brackets of one id would be read as other mentions"
    assert (
        caught.value.args
        == ("x", first, second)
        == (caught.value.label, caught.value.first, caught.value.second)
    )
