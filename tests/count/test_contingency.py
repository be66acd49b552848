"""A contingency that can be counted by hand: key {abcd} {e} {}, response {abx} {cde} {y}."""

import pytest

from scorer.count.contingency import Contingency, DocumentContingency, add, contingency_of
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


def test_alignment_adds_by_key_cluster_whatever_comes_first():
    """a is in the first and in the last cluster of both sides.

    What is added in another order shows in the last bit.
    """
    contingency = contingency_of(["a", "b", "a"], ["a", "b", "a"])
    weights = {(0, 0): 0.4, (0, 2): 0.01, (2, 0): 0.01, (2, 2): 0.1, (1, 1): 0.7}
    shares = iter(weights.values())
    first, middle, last = (1 - (1 - share) for share in (0.4, 0.7, 0.1))
    assert (
        contingency.sum_alignment(lambda *_: next(shares))
        == first + middle + last
        != first + last + middle
    )


def test_the_two_sides_of_an_overlap_that_repeats():
    """The key holds a twice in one cluster and once in another.

    The response, an invented x twice.
    """
    contingency = align([["a", "a", "b"], ["a"]], [["a", "b"], ["x", "x"]]).contingency
    assert contingency.distinct == (2, 3, 2)
    assert (contingency.key_mentions, contingency.response_mentions, contingency.matched) == (
        4,
        4,
        2,
    )
    # The response's a belongs to the last key cluster that holds it, where it is alone.
    assert collected(contingency.sum_overlaps) == [(1, 3, 2), (1, 1, 2)]
    # For B-cubed: of {a b}, one mention lies in the second key cluster, two in the first.
    assert contingency.sum_mentions(lambda n, *_: n) == 1 + 2
    # For CEAF: of {a a b}, three mentions lie in {a b}.
    assert contingency.sum_alignment(lambda n, *_: n) == 3


def test_once_is_what_holds_no_repeated_mention():
    contingency = align(
        [["a", "a", "b"], ["a", "c"]], [["a", "b", "c"], ["x", "x", "y"]]
    ).contingency
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
    contingency = align(
        ["a", "b", "cd", "e", "fh", "g"], ["a", "bx", "c", "d", "e", "fy", "g"]
    ).contingency
    assert contingency.alone_in_both() == (3, 3)
    # Where nothing repeats, as in a batch of documents, the overlaps tell it.
    assert Contingency.alone_in_both(contingency) == (3, 3)


def test_clusters_alone_where_mentions_repeat():
    """The response's a stands alone twice.

    Of the key's two, the last is the one that is looked up.
    """
    contingency = align(["a", "ab", "c"], ["a", "b", "a", "c"], duplicates="keep").contingency
    assert contingency.alone_in_both() == (2, 1)
    contingency = align(["ab", "a"], ["a", "b", "a"], duplicates="keep").contingency
    assert contingency.alone_in_both() == (1, 2)
    # Two of the key stand alone like one of the response.
    assert align(["a", "a"], ["a"], duplicates="keep").contingency.alone_in_both() == (2, 1)


def test_links_by_cluster():
    """By hand: a and b are together on both sides, c and d, and f, g and h.

    X, y and z are on one side.
    """
    contingency = align(["abcd", "e", "fghz"], ["abx", "cde", "y", "fgh"]).contingency
    assert collected(contingency.sum_key_linked) == [(2, 4), (0, 1), (3, 4)]
    assert collected(contingency.sum_response_linked) == [(1, 3), (1, 3), (3, 3)]


def test_links_where_mentions_repeat():
    """By hand: each mention of one side is in the last cluster of the other that holds it, as c of abc is in cc; d is in none."""
    contingency = align(
        ["abc", "cd", "dd"], ["a", "a", "abcx", "cc"], duplicates="keep"
    ).contingency
    assert collected(contingency.sum_key_linked) == [(1, 3), (0, 2)]
    assert collected(contingency.sum_response_linked) == [(0, 1), (0, 1), (1, 4), (1, 2)]


def test_links_of_no_cluster_are_a_zero_of_the_kind_that_the_metric_counts():
    contingency = align(["ab"], ["cd"]).contingency
    for total in (contingency.sum_key_linked, contingency.sum_response_linked):
        assert repr(total(lambda links, size: links + size)) == "0"
        assert repr(total(lambda links, size: links / size)) == "0.0"


def test_the_alignment_tells_the_sizes_of_the_two_sides_apart(contingency):
    assert contingency.sum_alignment(lambda n, k, _: n / k) == 2 / 4 + 1 / 1
    assert contingency.sum_alignment(lambda n, _, r: n / r) == (1 - (1 - 2 / 3)) + (1 - (1 - 1 / 3))


def test_what_is_aligned_is_added_by_key_cluster_however_it_was_met():
    """The last bit tells: another order would add up to another sum."""
    sizes, met = [1, 2, 3, 6], [0, 5, 15, 10]
    contingency = DocumentContingency(sizes, sizes, [0, 5, 10, 15], key_in_response=met)
    by_key, as_met = (
        add([1 - (1 - 1 / sizes[code // 4]) for code in codes]) for codes in (sorted(met), met)
    )
    assert contingency.sum_alignment(lambda _n, k, _r: 1 / k) == by_key != as_met


@pytest.mark.parametrize("question", ["sum_overlaps", "sum_mentions", "sum_alignment"])
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


def asked(contingency):
    """All that it says of sizes and of what lies where, in an order that does not depend on that of clusters."""
    c = contingency
    totals = (
        c.sum_overlaps,
        c.sum_key_linked,
        c.sum_response_linked,
        c.sum_alignment,
        c.sum_key,
        c.sum_response,
        c.sum_key_matched,
    )
    sums = [
        total(lambda *numbers: sum(number * 10**at for at, number in enumerate(numbers)))
        for total in totals
    ]
    sums += [
        c.sum_mentions(lambda n, k, r: n + 10 * k + 100 * r),
        c.sum_response_matched(lambda n: n * n),
    ]
    mentions = c.key_mentions, c.response_mentions, c.matched, c.distinct
    return mentions, c.key_clusters, c.response_clusters, c.alone_in_both(), sums


# The key lacks x twice and y, which is alone; the response lacks p, r and q. Mentions a, d and c
# repeat, and both sides have them.
REPEATING = ["aaddbpr", "adcq"], ["adb", "ccxx", "y"]


@pytest.mark.parametrize(
    ("key", "response", "written"),
    [
        (True, "twin", (["aaddbpr", "adcq", "1", "2", "y"], ["adb", "cc12", "y", "p", "r", "q"])),
        (True, "drop-singletons", (["aaddbpr", "adcq", "1", "2"], ["adb", "cc12", "p", "r", "q"])),
        (True, "drop", (["aaddbpr", "adcq"], ["adb", "cc", "p", "r", "q"])),
        (False, "twin", (["aaddbpr", "adcq", "1", "2", "y"], ["adb", "cc12", "y"])),
        (False, "drop", (["aaddbpr", "adcq"], ["adb", "cc"])),
    ],
)
def test_sides_made_alike_where_mentions_repeat(key, response, written):
    """Each x gets a twin of its own."""
    found = contingency_of(*REPEATING).with_twins(key=key, response=response)
    assert asked(found) == asked(contingency_of(*written))


@pytest.mark.parametrize(
    ("key", "response", "written"),
    [
        (True, "twin", (["12b", "c", "3", "4", "y"], ["b34", "c", "y", "1", "2"])),
        (True, "drop-singletons", (["12b", "c", "3", "4"], ["b34", "c", "1", "2"])),
        (False, "drop", (["12b", "c"], ["b", "c"])),
    ],
)
def test_sides_made_alike_where_mentions_repeat_on_one_side_only(key, response, written):
    found = contingency_of(["aab", "c"], ["bxx", "c", "y"]).with_twins(key=key, response=response)
    assert asked(found) == asked(contingency_of(*written))


@pytest.mark.parametrize(
    ("key", "response", "written"),
    [
        (True, "twin", (["abp", "cq", "x", "y"], ["acx", "b", "y", "p", "q"])),
        (True, "drop-singletons", (["abp", "cq", "x"], ["acx", "b", "p", "q"])),
        (False, "drop-singletons", (["abp", "cq", "x"], ["acx", "b"])),
        (False, "drop", (["abp", "cq"], ["ac", "b"])),
    ],
)
def test_sides_made_alike_where_nothing_repeats(key, response, written):
    found = align(["abp", "cq"], ["acx", "b", "y"]).contingency.with_twins(
        key=key, response=response
    )
    assert asked(found) == asked(align(*written).contingency)
    assert type(found) is DocumentContingency
