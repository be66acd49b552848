"""A contingency that can be counted by hand: key {abcd} {e} {}, response {abx} {cde} {y}."""

import pytest

from scorer.count.contingency import Contingency, add
from scorer.match.align import align

KEY = [["a", "b", "c", "d"], ["e"], []]
RESPONSE = [["a", "b", "x"], ["c", "d", "e"], ["y"]]


@pytest.fixture
def contingency():
    return align(KEY, RESPONSE).contingency


def collected(total):
    """What a sum hands to its function, in its order."""
    seen = []
    total(lambda *numbers: seen.append(numbers) or 0)
    return seen


def test_sizes(contingency):
    assert (contingency.key_mentions, contingency.key_clusters) == (5, 2)
    assert (contingency.response_mentions, contingency.response_clusters) == (7, 3)
    assert contingency.matched == 5
    assert contingency.distinct == (5, 7, 5)


def test_empty_clusters_are_none():
    contingency = align(["a", "bc", "de", "", ""], ["fg", "h", "", ""]).contingency
    assert (contingency.key_clusters, contingency.response_clusters) == (3, 2)


def test_overlaps_by_key_then_response_cluster(contingency):
    assert collected(contingency.sum_overlaps) == [(2, 4, 3), (2, 4, 3), (1, 1, 3)]
    assert contingency.sum_overlaps(lambda n, k, r: 100 * n + 10 * k + r) == 2 * 243 + 113


def test_overlaps_are_sorted_whatever_the_response_order():
    overlaps = align([["a"], ["b"]], [["b"], ["a"]]).contingency.overlaps
    assert list(overlaps.items()) == [((0, 1), 1), ((1, 0), 1)]


def test_mentions_in_response_order(contingency):
    shares = iter([0.1, 0.2, 0.4])
    assert contingency.sum_mentions(lambda *_: next(shares)) == 0.1 + 0.1 + 0.2 + 0.2 + 0.4


def test_clusters(contingency):
    assert collected(contingency.sum_key) == [(4,), (1,)]
    assert collected(contingency.sum_response) == [(3,), (3,), (1,)]
    assert collected(contingency.sum_key_matched) == [(4,), (1,)]
    assert collected(contingency.sum_response_matched) == [(2,), (3,)]


def test_alignment(contingency):
    assert contingency.sum_alignment(lambda n, *_: n) == 3
    assert contingency.sum_alignment(lambda n, k, r: 2 * n / (k + r)) == 4 / 7 + 2 / 4


def test_alignment_adds_what_the_reference_adds():
    """It minimises 1 - f, and adds 1 minus that: here 0.3 in the first fifteen digits, but not the sum of 0.1 and 0.2."""
    contingency = align(["a", "b"], ["a", "b"]).contingency
    shares = iter([0.1, 0.2])
    assert contingency.sum_alignment(lambda *_: next(shares)) == (1 - 0.9) + (1 - 0.8) != 0.1 + 0.2


def test_the_two_sides_of_an_overlap_that_repeats():
    """The key holds a twice in one cluster and once in another; the response, an invented x twice."""
    contingency = align([["a", "a", "b"], ["a"]], [["a", "b"], ["x", "x"]]).contingency
    assert contingency.distinct == (2, 3, 2)
    assert (contingency.key_mentions, contingency.response_mentions, contingency.matched) == (4, 4, 2)
    # The response's a belongs to the last key cluster that holds it, where it is alone.
    assert collected(contingency.sum_overlaps) == [(1, 3, 2), (1, 1, 2)]
    # For B-cubed: of {a b}, one mention lies in the second key cluster, two in the first.
    assert contingency.sum_mentions(lambda n, *_: n) == 1 + 2
    # For CEAF: of {a a b}, three mentions lie in {a b}.
    assert contingency.sum_alignment(lambda n, *_: n) == 3


def test_once_is_what_holds_no_repeated_mention():
    contingency = align([["a", "a", "b"], ["a", "c"]], [["a", "b", "c"], ["x", "x", "y"]]).contingency
    once = contingency.once
    assert (once.key_mentions, once.response_mentions, once.matched) == (2, 3, 2)
    assert collected(once.sum_overlaps) == [(1, 1, 2), (1, 1, 2)]
    (repeats,) = contingency.repeats
    assert repeats.once is once
    assert sorted(repeats.groups) == [((), (1, 1), 1), ((0, 0, 1), (0,), 1)]


def test_numbers_are_added_one_after_the_other():
    """`sum` compensates from Python 3.12 on and gives 1.0 here; the reference never does."""
    assert add([0.1] * 10) == 0.9999999999999999
    assert (add([]), add([1, 2])) == (0, 3)


def test_clusters_of_one_mention_that_is_alone_on_both_sides():
    """a, e and g; b and f stand beside others in the response, c and d in the key."""
    contingency = align(["a", "b", "cd", "e", "fh", "g"], ["a", "bx", "c", "d", "e", "fy", "g"]).contingency
    assert contingency.alone_in_both() == (3, 3)
    # Where nothing repeats, as in a batch of documents, the overlaps tell it.
    assert Contingency.alone_in_both(contingency) == (3, 3)


def test_clusters_alone_where_mentions_repeat():
    """The response's a stands alone twice; of the key's two, the last is the one that is looked up."""
    contingency = align(["a", "ab", "c"], ["a", "b", "a", "c"], duplicates="keep").contingency
    assert contingency.alone_in_both() == (2, 1)
    contingency = align(["ab", "a"], ["a", "b", "a"], duplicates="keep").contingency
    assert contingency.alone_in_both() == (1, 2)


def test_the_mentions_of_the_key_in_the_last_response_cluster_that_holds_them():
    contingency = align(["ab", "cd", "dd"], ["a", "a", "abx", "cc"], duplicates="keep").contingency
    assert collected(contingency.sum_key_in_response) == [(2, 2, 3), (1, 2, 2)]
    contingency = align(["a", "aab"], ["xa"]).contingency
    assert collected(contingency.sum_key_in_response) == [(1, 1, 2), (2, 3, 2)]
    once = align(["ab"], ["a", "bx"]).contingency
    assert collected(lambda f: Contingency.sum_key_in_response(once, f)) == [(1, 2, 1), (1, 2, 2)]
    assert Contingency.sum_key_in_response(once, lambda n, _, r: n + r) == 5


def test_the_alignment_tells_the_sizes_of_the_two_sides_apart(contingency):
    assert contingency.sum_alignment(lambda n, k, _: n / k) == 2 / 4 + 1 / 1
    assert contingency.sum_alignment(lambda n, _, r: n / r) == (1 - (1 - 2 / 3)) + (1 - (1 - 1 / 3))


@pytest.mark.parametrize("question", ["sum_overlaps", "sum_key_in_response", "sum_mentions", "sum_alignment"])
def test_nothing_in_common_is_a_zero_of_the_kind_that_the_metric_counts(question):
    total = getattr(align(["ab"], ["cd"]).contingency, question)
    assert repr(total(lambda n, k, r: n + k + r)) == "0"
    assert repr(total(lambda n, k, r: (n + k + r) / 2)) == "0.0"


def test_mentions_that_occur_twice_on_one_side_only():
    contingency = align(["ab", "ac"], ["ax", "b"]).contingency
    (repeats,) = contingency.repeats
    assert repeats.document == 0
    assert repeats.groups == [((0, 1), (0,), 1)]
    assert (repeats.once.key_sizes, repeats.once.response_sizes) == ([1, 1], [1, 1])
    (repeats,) = align(["ab"], ["xb", "xa"]).contingency.repeats
    assert repeats.groups == [((), (0, 1), 1)]
    assert (repeats.once.key_sizes, repeats.once.response_sizes) == ([2], [1, 1])
