"""Mentions that are not equal but stand for each other: against sets of tokens, and as to how many are compared one by one."""

import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from scorer.match import matching
from scorer.match.matching import Mention, matched_by_head, matched_inside

PLACES = {"0:1.1": -6, "0:1.2": -5, "0:3.1": -4, "0:10.1": -3, "1:2.1": -2}


def mention(number, head, *runs, zeros=(), lost=0):
    ends = ((runs or ((0, 0),))[0][0], 0, 0), ((runs or ((0, 0),))[-1][1], 0, 0)
    return Mention(number, head, [*((PLACES[zero],) * 2 for zero in zeros), *runs], ends, lost=lost)


def tokens_of(mention):
    return {token for first, last in mention.runs for token in range(first, last + 1)}


def some(draw, number):
    """Mentions of words 0 to 9 with gaps, and of empty nodes, some of them lost; few heads."""
    made = []
    for at in range(number):
        words = sorted(draw.sample(range(10), draw.randint(0, 6)))
        zeros = tuple(zero for zero in PLACES if draw.random() < 0.4)
        runs = []
        for word in words:
            runs = [*runs[:-1], (runs[-1][0], word)] if runs and runs[-1][1] == word - 1 else [*runs, (word, word)]
        tokens = [*words, *zeros]
        if tokens:
            head = next((token for token in (4, "0:1.2", 2) if token in tokens), tokens[0])
            made.append(mention(at, head, *runs, zeros=zeros, lost=draw.choice([0, 0, 2])))
        elif draw.random() < 0.3:
            made.append(mention(at, f"9:9.{draw.getrandbits(60)}", lost=1))
    return made


MATCHES = {"head": matched_by_head, "partial": partial(matched_inside, places=PLACES)}


def worth_by_sets(match, keys, responses):
    table = np.zeros((len(keys), len(responses)))
    for k, key in enumerate(keys):
        for r, response in enumerate(responses):
            one, other = tokens_of(key), tokens_of(response)
            if match == "head":
                table[k, r] = len(one & other) / key.size if key.head == response.head else 0
            else:
                inside = other <= one and response.size == len(other)
                table[k, r] = len(other) / key.size if inside and PLACES.get(key.head, key.head) in other else 0
    return table


def costs_of(match, keys, responses):
    """The matrix that scipy is asked for, negative; None where nobody has a choice."""
    seen = []

    def dense(height, width, blocks):
        matrix = np.zeros((height, width))
        for k, r, values in blocks:
            matrix[k, r] += values
        seen.append(matrix)
        return []

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "_dense", dense)
        pairs = MATCHES[match](keys, responses)
    return (seen[0], None) if seen else (None, pairs)


@pytest.mark.parametrize("few", [0, 1, 5, matching.FEW])
@pytest.mark.parametrize("match", [*MATCHES])
@given(st.randoms(use_true_random=False))
def test_worth_is_that_of_sets_to_the_last_bit(match, few, draw):
    keys, responses = some(draw, draw.randint(1, 12)), some(draw, draw.randint(1, 12))
    expected = worth_by_sets(match, keys, responses)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "FEW", few)
        matrix, pairs = costs_of(match, keys, responses)
    if pairs is None:
        assert np.array_equal(matrix, expected)
    else:
        assert sorted(pairs) == [(int(k), int(r)) for k, r in np.argwhere(expected)]


@pytest.mark.parametrize("name", [*MATCHES])
def test_many_in_each_other_are_compared_as_arrays(name, monkeypatch):
    """Each of 90 key mentions around word 1,000 with each of 70 of the response: none one by one."""
    keys = [mention(at, 1_000, (1_000 - at, 1_002 + 2 * at)) for at in range(90)]
    responses = [mention(90 + at, 1_000, (999 - at, 1_001 + at)) for at in range(70)]
    asked, common = [], Mention.common
    monkeypatch.setattr(Mention, "common", lambda *two: asked.append(1) or common(*two))
    match = MATCHES[name]
    pairs = match(keys, responses)
    assert asked == []
    table = worth_by_sets(name, keys, responses)
    best = table[linear_sum_assignment(-table)].sum()
    assert sum(table[pair] for pair in pairs) == pytest.approx(best)
    assert match(responses, keys) != []
    assert asked == []


@pytest.mark.parametrize(("sizes", "arrays"), [((2, 3), []), ((2, 4), [2]), ((4, 2), [2]), ((1, 7), [1]), ((0, 9), [])])
def test_which_groups_are_compared_as_arrays(sizes, arrays, monkeypatch):
    """More than 6 pairs, by the side that has fewer mentions; another group makes that there is a choice."""
    monkeypatch.setattr(matching, "FEW", 6)
    asked, common = [], matching._Overlaps.common
    monkeypatch.setattr(matching._Overlaps, "common", lambda *two: asked.append(1) or common(*two))
    keys, responses = (
        [mention(side * 50 + at, 9, (9, 10 + side + 2 * at)) for at in range(size)] for side, size in enumerate(sizes)
    )
    matched_by_head([*keys, mention(98, 5, (5, 7))], [*responses, mention(99, 5, (5, 6)), mention(97, 5, (4, 5))])
    assert len(asked) == sum(arrays)


def test_many_small_groups_are_compared_one_by_one(monkeypatch):
    """Arrays take longer for few, so that none is made."""
    monkeypatch.setattr(matching, "_Overlaps", None)
    keys = [mention(at, 10 * (at // 2), (10 * (at // 2), 10 * (at // 2) + 3 + at % 2)) for at in range(100)]
    responses = [mention(100 + at, 10 * at, (10 * at, 10 * at + 2)) for at in range(50)]
    for match in MATCHES.values():
        assert sorted(match(keys, responses)) == [(2 * at, at) for at in range(50)]


@pytest.mark.parametrize(
    ("whole", "most", "solved"),
    [
        (12, 12, [(3, 4)]),
        (11, 12, [(2, 2), (1, 2)]),
        (6, 12, [(2, 2), (1, 2)]),
        (5, 12, [(3, 4)]),
        (5, 11, None),
    ],
)
def test_how_large_a_matrix_is_built(whole, most, solved, monkeypatch):
    """Three mentions and four, in two groups of 2 × 2 and 1 × 2 with six pairs."""
    asked, dense = [], matching._dense
    monkeypatch.setattr(matching, "WHOLE", whole)
    monkeypatch.setattr(matching, "MOST", most)
    monkeypatch.setattr(matching, "_dense", lambda *given: asked.append(given[:2]) or dense(*given))
    k, r, values = map(np.array, ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 3], [0.9, 0.8, 0.8, 0.1, 0.4, 0.5]))
    blocks = lambda: iter([(k[:2], r[:2], values[:2]), (k[2:], r[2:], values[2:])])  # noqa: E731
    if solved is None:
        with pytest.raises(matching.TooManyError):
            matching.assigned(3, 4, blocks)
    else:
        assert sorted(matching.assigned(3, 4, blocks)) == [(0, 1), (1, 0), (2, 3)]
        assert asked == solved


@pytest.mark.parametrize(
    ("height", "width", "whole", "way"),
    [(20, 20, 400, "dense"), (20, 20, 399, "sparse"), (7, 8, 20, "dense"), (8, 8, 20, "sparse")],
)
def test_a_large_group_with_few_pairs_is_no_matrix(height, width, whole, way, monkeypatch):
    """A chain of so many: each with itself and the one after it, which is worth more. A matrix may have 4 cells for each pair."""
    monkeypatch.setattr(matching, "WHOLE", whole)
    monkeypatch.setattr(matching, "align_edges" if way == "dense" else "_dense", None)
    pairs = [(k, r) for k in range(height) for r in (k, k + 1) if r < width]
    k, r = (np.array([pair[at] for pair in pairs]) for at in (0, 1))
    taken = matching.assigned(height + 60, width, lambda: iter([(k, r, np.where(k < r, 2.0, 1.5))]))
    assert sorted(taken) == [(at, at + 1) for at in range(min(height, width - 1))]


def test_no_pairs_at_all_above_the_bound(monkeypatch):
    monkeypatch.setattr(matching, "WHOLE", 0)
    assert matching.assigned(2, 2, lambda: iter(())) == []


def test_large_sets_of_mentions_in_each_other(monkeypatch):
    """With a few hundred, the ways by groups and as a whole are as good as each other."""
    draw = random.Random(11)
    keys, responses = some(draw, 60), some(draw, 70)
    for name, match in MATCHES.items():
        table = worth_by_sets(name, keys, responses)
        best = table[linear_sum_assignment(-table)].sum()
        monkeypatch.setattr(matching, "WHOLE", 3_000)
        assert sum(table[pair] for pair in match(keys, responses)) == pytest.approx(best)
