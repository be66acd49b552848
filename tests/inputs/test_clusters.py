"""What clusters in memory mean: decided by type alone, alike for `score`, `errors` and
`Accumulator`."""

import ctypes

import numpy as np
import pytest

import scorer
from scorer.compat import CorefEvaluator
from scorer.inputs.sources import clusters_of

SPANS = [[(0, 1), (3, 3)]]


def nested(kind):
    """A list or tuple in so many others that no recursion reaches it."""
    value = kind()
    for _ in range(5000):
        value = kind([value])
    return value


class Scalar:
    """As a tensor of one integer: an index, but found by identity."""

    def __init__(self, number):
        self._number = number

    def __index__(self):
        return self._number


class Tensor:
    """As a tensor: no list, but gives one, or a number."""

    def __init__(self, value):
        self._value = value

    def tolist(self):
        return self._value


@pytest.mark.parametrize(
    "clusters",
    [
        SPANS,
        tuple(map(tuple, SPANS)),
        [set(SPANS[0])],
        {frozenset(SPANS[0])},
        {1: SPANS[0]}.values(),
        [[[0, 1], [3, 3]]],
        np.array(SPANS),
        [np.array(SPANS[0])],
        [[tuple(pair) for pair in np.array(SPANS[0], dtype="int32")]],
        [[[np.int8(0), 1], [np.uint64(3), 3]]],
        [Tensor([[0, 1], [3, 3]])],
        [[Tensor([0, 1]), (Tensor(3), Tensor(3))]],
        [[(Scalar(0), Scalar(1)), [Scalar(3), 3]]],
    ],
)
def test_spans_may_be_written_in_many_ways(clusters):
    (cluster,) = clusters_of(clusters, "key")
    assert sorted(cluster) == SPANS[0]
    assert {type(token) for mention in cluster for token in mention} <= {int, bool}
    assert scorer.score(clusters, SPANS).ratios("muc").f1 == 1


@pytest.mark.parametrize(
    "mention",
    [
        "Ada",
        None,
        ("d", "m1"),
        (0, 1, "PER"),
        ((3, 4), (6, 6)),
        ([3, 4], [6, 6]),
        ("0:1.1",),
        (("b", "c"), ("d",)),
        frozenset({3, 4}),
    ],
)
def test_any_other_mention_is_one_wherever_it_stands(mention):
    for size in (1, 2, 3):
        clusters = [[mention, *[(str(number), number) for number in range(1, size)]]]
        counts = scorer.score(clusters, clusters, metrics="mentions").totals["mentions"][0]
        assert counts.as_tuple() == (size,) * 4


A_NUMBER = r"the mention {} is a number; write \({}, {}\) or '{}', or give a list of clusters"
DOCUMENTS = "this looks like a list of documents; pass {name: clusters} or call Accumulator"
NO_PAIR = "is not a pair of integers; write"


def number(text):
    return A_NUMBER.format(*[text] * 4)


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([[1, 2], [3, 4, 5]], number(1)),
        ([{1, 2}], number(1)),
        ([(0, 1), (5, 5)], number(0)),
        ([(0, 1, "PER")], number(0)),
        ([[True]], number("True")),
        ([[Tensor(7)]], number(7)),
        ([["a", 7]], number(7)),
        (np.array([[0, 1], [5, 5]]), number(0)),
        ([SPANS, SPANS], DOCUMENTS),
        ([[[0, 1, 2]]], NO_PAIR),
        ([[[0, "a"]]], NO_PAIR),
        (np.array([[SPANS[0]]]), DOCUMENTS),
        ([("d", SPANS)], DOCUMENTS),
        (["ab", "c"], "a cluster cannot be 'ab'; give a list"),
        ([{(0, 1): 1}], r"a cluster cannot be \{\(0, 1\): 1\}; give a list"),
        (7, "the clusters cannot be 7; give a list"),
        ([[{1}]], "a mention holds a set, which is not hashable; give a list"),
        ([[(0, ctypes.c_int(1))]], "a mention holds a c_int, which is not hashable; give a list"),
        ([iter("ab")], "can be read only once; pass a list"),
        (iter(SPANS), "can be read only once; pass a list"),
        (nested(list), DOCUMENTS),
        ([[nested(tuple), "a"]], "the clusters are nested too deeply; give a list"),
        ([{"a": nested(list)}], "the clusters are nested too deeply; give a list"),
    ],
)
def test_what_is_no_mention_is_refused_with_the_cure(clusters, message):
    right = [[("x", "y")]]
    accumulator = scorer.Accumulator("muc")
    with pytest.raises(TypeError, match=f"^response, document 0: .*{message}"):
        accumulator.update(right, clusters)
    assert len(accumulator) == 0
    with pytest.raises(TypeError, match=f"^key, document a: .*{message}"):
        scorer.score({"a": clusters}, {"a": right})
    with pytest.raises(TypeError, match=f"^response, document 0: .*{message}"):
        scorer.errors({"0": right}, {"0": clusters})


@pytest.mark.parametrize("mention", [(float("nan"), 1.0), ((1, 2), (float("nan"), 4))], ids=str)
def test_what_does_not_equal_itself_is_no_mention(mention):
    """It would match where it was not copied alone: an array would not match its own copy."""
    with pytest.raises(ValueError, match=r"^key, document 0: a mention holds nan, which is not"):
        scorer.score([[mention]], [[mention]])


@pytest.mark.parametrize("mentions", [[1, 2, 3], [0.5, 1], [np.int64(1), Tensor(2)]])
def test_the_class_of_training_scripts_takes_numbers(mentions):
    evaluator = CorefEvaluator()
    evaluator.update([mentions], [mentions[:2]])
    assert evaluator.evaluators[0].get_prf()[1] == 1


def test_sets_have_one_order():
    """Else hashes and sums of floats would depend on the process."""
    names = [str(number) for number in range(20)]
    assert clusters_of([set(names)], "key") == [sorted(names)]
    shuffled = [frozenset(names[start:]) for start in range(3)]
    assert clusters_of(set(shuffled), "key") == clusters_of({*shuffled[::-1]}, "key")
