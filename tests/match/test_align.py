import pickle

import pytest
from hypothesis import given

import naive
from scorer.match.align import RepeatedMentionError, align, without_repeats
from strategies import examples, pairs, partitions, repeating


@examples(2)
@given(pairs(repeating() | partitions()))
def test_repeats_and_invented_mentions(clusters):
    alignment = align(*clusters)
    found = [(repeat.side, repeat.mention, repeat.removed) for repeat in alignment.repeats]
    assert found == naive.repeats(*clusters)
    assert alignment.invented == naive.invented(*clusters)
    sides = dict(zip(("key", "response"), clusters))
    for repeat in alignment.repeats:
        first_cluster, first_place = repeat.first
        assert sides[repeat.side][repeat.cluster][repeat.position] == repeat.mention
        assert sides[repeat.side][first_cluster][first_place] == repeat.mention
        assert repeat.first < (repeat.cluster, repeat.position)


def shown(repeat):
    return (
        repeat.side,
        repeat.mention,
        (repeat.cluster, repeat.position),
        repeat.first,
        repeat.ids,
        repeat.removed,
    )


@pytest.mark.parametrize(
    ("which", "sides"),
    [
        ("last", ([["a"], ["c", "b"]], [["y", "x"], ["z", "w"]])),
        ("first", ([["a", "b"], ["c"]], [["x", "y", "z"], ["w"]])),
    ],
)
def test_the_occurrence_that_is_kept_stays_where_it_stood(which, sides):
    assert without_repeats(["aba", "cb"], ["xyxz", "zw"], which)[:2] == sides


def test_corefud_removes_a_repeat_in_favour_of_its_own_cluster():
    """The key repeats a in one cluster; the response has b in two, and in one of them twice."""
    key, response, repeats, invented = without_repeats(["aa", "b"], ["b", "byb"], "corefud")
    assert (key, response, invented) == ([["a"], ["b"]], [["b"], ["b", "y"]], 2)
    assert list(map(shown, repeats)) == [
        ("key", "a", (0, 1), (0, 0), (0, 1), True),
        ("response", "b", (1, 0), (0, 0), (2, 2), False),
        ("response", "b", (1, 2), (1, 0), (2, 2), True),
    ]


def test_a_mention_that_may_not_repeat_travels_between_processes():
    with pytest.raises(RepeatedMentionError) as caught:
        align(["ab"], ["a", "ba"], "error")
    (repeat,) = caught.value.args
    assert repeat is caught.value.repeat
    said = "the response holds the mention 'a' more than once"
    assert str(caught.value) == str(pickle.loads(pickle.dumps(caught.value))) == said
