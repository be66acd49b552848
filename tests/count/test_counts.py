"""Contingencies that can be counted by hand, and ratios."""

import numpy as np
import pytest

from scorer.count.counts import DocumentContingency, RepeatedContingency, add, divide
from scorer.match.align import align


@pytest.fixture
def contingency():
    return align(["abcd", "e", ""], ["abx", "cde", "y"]).contingency


def collected(total):
    """What a sum hands to its function, in its order."""
    seen = []
    total(lambda *numbers: seen.append(numbers) or 0)
    return seen


def test_sums(contingency):
    """Over overlaps by key, then by response cluster, over mentions in response order, over
    clusters."""
    assert collected(contingency.sum_overlaps) == [(2, 4, 3), (2, 4, 3), (1, 1, 3)]
    shares = iter([0.1, 0.2, 0.4])
    assert contingency.sum_mentions(lambda *_: next(shares)) == 0.1 + 0.1 + 0.2 + 0.2 + 0.4
    clusters = [(4, 4, 2), (1, 1, 0), (3, 2, 1), (3, 3, 1), (1, 0, 0)]
    assert collected(contingency.sum_clusters) == clusters
    assert contingency.sum_alignment(lambda n, *_: n) == 3
    assert contingency.sum_alignment(lambda n, k, r: 2 * n / (k + r)) == 4 / 7 + 2 / 4
    assert contingency.sum_alignment(lambda n, k, _: n / k) == 2 / 4 + 1 / 1


def test_alignment_adds_what_the_reference_adds():
    """It minimises 1 - f, and adds 1 minus that: here 0.3 in the first fifteen digits, but not the
    sum of 0.1 and 0.2."""
    contingency = align("ab", "ab").contingency
    shares = iter([0.1, 0.2])
    assert contingency.sum_alignment(lambda *_: next(shares)) == (1 - 0.9) + (1 - 0.8) != 0.1 + 0.2


def test_alignment_adds_by_key_cluster_whatever_comes_first():
    """a is in the first and in the last cluster of both sides.

    What is added in another order shows in the last bit.
    """
    contingency = RepeatedContingency("aba", "aba")
    weights = {(0, 0): 0.4, (0, 2): 0.01, (1, 1): 0.7, (2, 0): 0.01, (2, 2): 0.1}
    shares = iter(weights.values())
    first, middle, last = (1 - (1 - share) for share in (0.4, 0.7, 0.1))
    found = contingency.sum_alignment(lambda *_: next(shares))
    assert found == first + middle + last != first + last + middle


def test_the_two_sides_of_an_overlap_that_repeats():
    """The key holds a twice in one cluster and once in another.

    The response, a spurious x twice.
    """
    contingency = align(["aab", "a"], ["ab", "xx"]).contingency
    assert contingency.distinct == (2, 3, 2)
    assert (contingency.key_mentions, contingency.response_mentions) == (4, 4)
    assert sorted(contingency.groups) == [((), (1, 1), 1), ((0,), (0,), 1), ((0, 0, 1), (0,), 1)]
    # The response's a belongs to the last key cluster that holds it, where it is alone.
    assert collected(contingency.sum_overlaps) == [(1, 3, 2), (1, 1, 2)]
    # For B-cubed: of {a b}, one mention lies in the second key cluster, two in the first.
    assert contingency.sum_mentions(lambda n, *_: n) == 1 + 2
    # For CEAF: of {a a b}, three mentions lie in {a b}.
    assert contingency.sum_alignment(lambda n, *_: n) == 3


def test_numbers_are_added_one_after_the_other():
    """`sum` compensates from Python 3.12 on and gives 1.0 here; the reference never does."""
    assert add([0.1] * 10) == 0.9999999999999999
    assert (add([]), add([1, 2])) == (0, 3)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # The response's a stands alone twice. Of the key's two, the last is the one looked up.
        (["a", "ab", "c"], ["a", "b", "a", "c"], (2, 1)),
        (["ab", "a"], ["a", "b", "a"], (1, 2)),
        (["a", "a"], ["a"], (2, 1)),
    ],
)
def test_clusters_alone_where_mentions_repeat(key, response, expected):
    assert RepeatedContingency(key, response).alone_in_both() == expected


def test_clusters_alone_where_repeats_are_kept():
    """The response's two clusters of a and one of c are alone in the key, too."""
    contingency = align(["a", "ab", "c"], ["a", "b", "a", "c"], "keep").contingency
    assert contingency.alone_in_both() == (2, 3)


def test_links_of_repeats_that_are_kept():
    """b and c are together in the response, c and d are, b and d are not; a is there twice."""
    contingency = align(["bcdx", "aa"], ["bc", "cd", "ay", "a"], "keep").contingency
    # Links connect b, c and d; the response's cluster of a and y has one matched mention.
    groups = [(3, 4, 4), (2, 2, 2), (2, 2, 2), (2, 2, 2), (1, 2, 2), (1, 1, 1)]
    assert collected(contingency.sum_groups) == groups
    # b and d are linked to two occurrences, c to three, both of a to two.
    first, second = contingency.sum_shares(lambda n, k, _: n / k, lambda n, _, r: n / r)
    assert (first, second) == (2 / 4 + 3 / 4 + 2 / 4 + 2, 2 + 2 + 1 / 2 + 1)
    # Size, matched mentions, linked pairs.
    clusters = [(4, 3, 2), (2, 2, 1), (2, 2, 1), (2, 2, 1), (2, 1, 0), (1, 1, 0)]
    assert collected(contingency.sum_clusters) == clusters


@pytest.mark.parametrize("question", ["sum_overlaps", "sum_mentions", "sum_alignment"])
def test_nothing_in_common_is_a_zero_of_the_kind_that_the_metric_counts(question):
    total = getattr(align(["ab"], ["cd"]).contingency, question)
    assert repr(total(lambda n, k, r: n + k + r)) == "0"
    assert repr(total(lambda n, k, r: (n + k + r) / 2)) == "0.0"


def asked(contingency):
    """All that it says of sizes and of what lies where, in an order that does not depend on that of
    clusters."""

    def digits(*numbers):
        return sum(number * 10**at for at, number in enumerate(numbers))

    c = contingency
    sums = [c.sum_overlaps, c.sum_alignment, c.sum_mentions, c.sum_clusters]
    mentions = c.key_mentions, c.response_mentions, c.matched, c.distinct
    clusters = c.key_clusters, c.response_clusters, c.alone_in_both()
    return mentions, clusters, [total(digits) for total in sums]


# The key lacks x twice and y, which is alone; the response lacks p, r and q. Mentions a, d and c
# repeat, and both sides have them.
REPEATING = ["aaddbpr", "adcq"], ["adb", "ccxx", "y"]
ONE_SIDE = ["aab", "c"], ["bxx", "c", "y"]
NONE = ["abp", "cq"], ["acx", "b", "y"]


@pytest.mark.parametrize(
    ("sides", "key", "response", "written"),
    [
        (REPEATING, True, "twin", "aaddbpr adcq 1 2 y - adb cc12 y p r q"),
        (REPEATING, True, "drop-singletons", "aaddbpr adcq 1 2 - adb cc12 p r q"),
        (REPEATING, True, "drop", "aaddbpr adcq - adb cc p r q"),
        (REPEATING, False, "twin", "aaddbpr adcq 1 2 y - adb cc12 y"),
        (REPEATING, False, "drop", "aaddbpr adcq - adb cc"),
        (ONE_SIDE, True, "twin", "12b c 3 4 y - b34 c y 1 2"),
        (ONE_SIDE, True, "drop-singletons", "12b c 3 4 - b34 c 1 2"),
        (ONE_SIDE, False, "drop", "12b c - b c"),
        (NONE, True, "twin", "abp cq x y - acx b y p q"),
        (NONE, True, "drop-singletons", "abp cq x - acx b p q"),
        (NONE, False, "drop-singletons", "abp cq x - acx b"),
        (NONE, False, "drop", "abp cq - ac b"),
    ],
)
def test_sides_made_alike(sides, key, response, written):
    """Each mention without a twin gets one of its own, also where it repeats."""
    found = align(*sides, "keep").contingency.with_twins(key=key, response=response)
    expected = [clusters.split() for clusters in written.split("-")]
    assert asked(found) == asked(align(*expected, "keep").contingency)
    assert sides is REPEATING or type(found) is DocumentContingency


def test_nothing_of_nothing_is_0():
    assert (divide(0, 0), divide(3, 0), divide(3, 2)) == (0, 0, 1.5)
    assert divide(np.array([1, 3, 0]), np.array([4, 0, 0])).tolist() == [0.25, 0, 0]
