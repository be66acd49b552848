"""Zeros that stand for each other by their dependencies: what they are worth, and that many take little."""

import random
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from conll import ConllError, Document
from conll.syntax import Syntax
from scorer.count import assignment
from scorer.match import matching
from scorer.match.corefud import Like
from scorer.match.matching import Matching, Profile, aligned, blocks, profile_of
from scorer.options import Options


def told(keys, responses):
    """What each two are worth."""
    found = [zip(k.tolist(), r.tolist(), values.tolist()) for k, r, values in blocks(keys, responses)]
    return {(k, r): value for k, r, value in chain(*found)}


def test_what_zeros_are_worth_to_each_other():
    """10 F1 of (parent, relation) pairs + F1 of the parents, where a parent of one sentence is shared."""
    key = Syntax([0, 6], {"0:1.1": "3:nsubj|3:obj|5:nsubj", "1:1.1": "0:root", "1:2.1": "4:obl"}, {})
    response = Syntax([0, 6], {"0:2.1": "3:nsubj|5:obj|6:nsubj|6:obj", "0:4.1": "3:nsubj", "0:5.1": "0:root", "1:3.1": "4:x"}, {})
    sides = [[profile_of(zero, syntax) for zero in syntax.zeros] for syntax in (key, response)]
    assert told(*sides) == {
        (0, 0): pytest.approx(10 * 2 * 1 / (3 + 4) + 2 * 2 / (2 + 3)),
        (0, 1): pytest.approx(10 * 2 * 1 / (3 + 1) + 2 * 1 / (2 + 1)),
        (2, 3): pytest.approx(1),
    }
    # A parent that does not exist is the same one in its sentence alone.
    assert told([profile_of("1:1.1", key)], [profile_of("0:5.1", response)]) == {}
    assert told([profile_of("1:1.1", key)], [profile_of("1:1.1", key)]) == {(0, 0): 11}


def profiles(draw, number, parents, names, most):
    made = []
    for _ in range(number):
        pairs = {(draw.randint(1, parents), draw.choice("abcdefgh"[:names])) for _ in range(draw.randint(0, most))}
        held = frozenset(parent for parent, _ in pairs)
        made.append(Profile(frozenset((("0", parent), relation) for parent, relation in pairs), held, len(pairs), len(held)))
    return made


def f1(one, other):
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0


def by_sets(keys, responses):
    return np.array([[10 * f1(k.relations, r.relations) + f1(k.parents, r.parents) for r in responses] for k in keys])


@pytest.mark.parametrize("size", [matching.BLOCK, 7, 1])
@given(st.randoms(use_true_random=False))
def test_blocks_have_what_sets_have_to_the_last_bit(size, draw):
    sides = [profiles(draw, draw.randint(1, 12), 4, 3, 4) for _ in range(2)]
    expected = by_sets(*sides)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "BLOCK", size)
        found = told(*sides)
    assert found == {(k, r): value for (k, r), value in np.ndenumerate(expected) if value}


@given(st.randoms(use_true_random=False))
def test_fractions_have_it_exactly(draw):
    keys, responses = (profiles(draw, draw.randint(1, 9), 3, 3, 4) for _ in range(2))
    expected = {}
    for k, one in enumerate(keys):
        for r, other in enumerate(responses):
            if one.parents & other.parents:
                of_relations = Fraction(2 * len(one.relations & other.relations), len(one.relations) + len(other.relations))
                of_parents = Fraction(2 * len(one.parents & other.parents), len(one.parents) + len(other.parents))
                expected[k, r] = 10 * of_relations + of_parents
    assert {pair: Fraction(*similarity) for pair, similarity in matching._dependencies(keys, responses).items()} == expected


@given(st.randoms(use_true_random=False))
def test_every_way_is_as_good(draw):
    """The whole matrix, groups apart, and kinds: of many that are alike, and of few."""
    sides = [profiles(draw, draw.randint(1, 14), draw.randint(1, 4), draw.randint(1, 4), draw.randint(1, 3)) for _ in range(2)]
    table = by_sets(*sides)
    best = table[linear_sum_assignment(-table)].sum()
    ways = {"whole": {}, "groups": {"WHOLE": table.size - 1}, "kinds": {"WHOLE": table.size - 1, "MANY_PAIRS": -1}}
    for way, bounds in ways.items():
        with pytest.MonkeyPatch.context() as patched:
            for name, bound in bounds.items():
                patched.setattr(matching, name, bound)
            pairs = aligned(*sides)
        assert sum(table[pair] for pair in pairs) == pytest.approx(best), way
        assert all(table[pair] > 0 for pair in pairs)
        assert all(len(set(side)) == len(pairs) for side in zip(*pairs))


@given(st.randoms(use_true_random=False))
def test_kinds_are_as_good_whatever_is_too_large(draw):
    """Where the pairs of kinds are too many for a matrix, and where they are for a list."""
    sides = [profiles(draw, draw.randint(4, 14), 2, draw.randint(1, 4), 3) for _ in range(2)]
    table = by_sets(*sides)
    best = table[linear_sum_assignment(-table)].sum()
    for bound in (0, 3, 9, 27):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(matching, "WHOLE", bound)
            patched.setattr(matching, "MANY", 0)
            pairs = aligned(*sides)
        assert sum(table[pair] for pair in pairs) == pytest.approx(best)


@pytest.fixture
def tables(monkeypatch):
    """The tables of kinds that are aligned by number; no matrix may be built."""
    shapes, align = [], assignment.transport
    monkeypatch.setattr(assignment, "transport", lambda table, *numbers: shapes.append(table.shape) or align(table, *numbers))
    monkeypatch.setattr(matching, "_dense", None)
    return shapes


def side_of(number, relation_of):
    made = []
    for at in range(number):
        pairs = frozenset(relation_of(at))
        parents = frozenset(parent for parent, _ in pairs)
        made.append(Profile(pairs, parents, len(pairs), len(parents)))
    return made


def test_many_that_are_alike_take_a_table_of_their_kinds(tables):
    """Of two relations each: 6 kinds of one side, 4 of the other."""
    keys = side_of(6_000, lambda at: [(0, at % 3), (1, at % 2)])
    responses = side_of(5_000, lambda at: [(0, at % 4), (1, 0)])
    pairs = aligned(keys, responses)
    assert tables[0] == (6, 4)
    # Of each kind of the key there are 1,000, of the response 1,250. (0 n, 1 0) finds its equal for n < 3. Of the others of the
    # response, 250 for each n < 3 share a relation and both parents with some of the key; of (0 3, 1 0) all share the parents.
    worths = [10 * f1(keys[k].relations, responses[r].relations) + 1 for k, r in pairs]
    assert len(pairs) == 5_000
    assert sum(worths) == pytest.approx(3_000 * 11 + 750 * 6 + 1_250 * 1)


def test_many_relations_that_the_other_side_lacks_are_one_kind(tables):
    """Each of the key has a relation of its own; the response has a hundred of these, and others."""
    keys = side_of(5_000, lambda at: [(0, at)])
    responses = side_of(5_000, lambda at: [(0, at + 4_900)])
    pairs = aligned(keys, responses)
    assert tables[0] == (1, 1)
    assert len(pairs) == 5_000
    assert sum(keys[k] == responses[r] for k, r in pairs) == 100


def test_parents_that_the_other_side_lacks_tell_nothing_apart(tables):
    """Each of the key has a parent of its own besides."""
    keys = side_of(5_000, lambda at: [(0, "a"), (at + 1, "b")])
    responses = side_of(5_000, lambda at: [(0, "ac"[at % 2])])
    aligned(keys, responses)
    assert tables[0] == (1, 2)


def test_kinds_without_a_parent_in_common_are_left_out(tables):
    keys = side_of(6_000, lambda at: [(at % 2, "a")])
    assert len(aligned(keys, side_of(6_000, lambda at: [(at % 3 // 2, "b")]))) == 3_000 + 2_000
    assert {size for shape in tables for size in shape} == {1}


@pytest.mark.parametrize(("whole", "many", "way"), [(12, 0, "matrix"), (11, 12, "matrix"), (11, 11, "kinds")])
def test_when_kinds_are_aligned(whole, many, way, monkeypatch):
    """Three and four with one parent."""
    for module, name, bound in ((matching, "WHOLE", whole), (matching, "MANY", many)):
        monkeypatch.setattr(module, name, bound)
    monkeypatch.setattr(matching, "assigned" if way == "kinds" else "_by_kind", None)
    assert len(aligned(side_of(3, lambda at: [(0, at)]), side_of(4, lambda at: [(0, at)]))) == 3


@pytest.mark.parametrize(("whole", "shapes"), [(25, (5, 5)), (24, None)])
def test_a_large_group_of_kinds_is_no_table(whole, shapes, monkeypatch):
    """Five kinds a side, each with the parents n and n + 1, so that 13 of 25 pairs have one in common; two of each."""
    monkeypatch.setattr(matching, "WHOLE", whole)
    monkeypatch.setattr(matching, "MANY", 0)
    asked, align = [], assignment.transport
    monkeypatch.setattr(assignment, "transport", lambda table, *numbers: asked.append(table.shape) or align(table, *numbers))
    sides = [side_of(10, lambda at: [(at // 2, "a"), (at // 2 + 1, "b")]) for _ in range(2)]
    pairs = aligned(*sides)
    assert asked == ([shapes] if shapes else [])
    assert [sides[0][k] == sides[1][r] for k, r in pairs] == [True] * 10


def test_blocks_have_about_as_many_pairs_as_they_may(monkeypatch):
    monkeypatch.setattr(matching, "BLOCK", 3)
    lengths = [len(values) for _, _, values in blocks(side_of(7, lambda at: [(0, at)]), side_of(1, lambda at: [(0, at)]))]
    assert lengths == [3, 3, 1]


def test_choices_are_looked_through_until_there_are_two():
    asked = []
    pairs = ((k, r) for k in range(1_000) for r in range(1_000) if not asked.append((k, r)))
    assert matching.only_choices(pairs) is None
    assert asked == [(0, 0), (0, 1)]
    assert matching.only_choices([(1, 2), (3, 4), (1, 2)]) == [(1, 2), (3, 4)]
    assert matching.only_choices([(1, 2), (3, 2)]) is None


def crowd(draw, number, path="key.conllu"):
    """A document whose empty nodes have 1 to 3 relations to one word, and where two clusters hold them."""
    nodes = {f"0:1.{at + 1}": "|".join(f"1:{name}" for name in draw.sample("abcdefgh", draw.randint(1, 3))) for at in range(number)}
    mentions = [(node,) for node in nodes]
    return Document("a", [mentions[::2], mentions[1::2]], 1, path=path, line=4, syntax=Syntax([0], nodes, {}))


@pytest.mark.parametrize(
    ("what", "match"),
    [
        ("zeros", lambda *sides: Like(*sides, Options(like="corefud-1.2", match="exact", zeros="dependent"))),
        ("empty nodes in one sentence", lambda *sides: Matching(*sides, match="exact", zeros="dependent")),
    ],
    ids=["like", "ours"],
)
def test_too_many_are_said_in_a_line(what, match, monkeypatch):
    draw = random.Random(7)
    key, response = crowd(draw, 12), crowd(draw, 11, "response.conllu")
    for module, name, bound in ((matching, "WHOLE", 20), (matching, "MOST", 100), (matching, "MANY", 0), (matching, "SMALL", 20)):
        monkeypatch.setattr(module, name, bound)
    with pytest.raises(ConllError) as caught:
        match(key, response)
    assert str(caught.value) == (
        f"key.conllu:4: document a: the key has 12 {what} and the response 11, "
        "with more than 20 pairs that could stand for each other; choose zeros linear"
    )


@pytest.mark.parametrize("match", ["head", "partial"])
def test_too_many_mentions_are_said_in_a_line(match, monkeypatch):
    """Around word 9, seven and six."""
    monkeypatch.setattr(matching, "WHOLE", 20)
    monkeypatch.setattr(matching, "MOST", 41)
    sides = []
    for path, number in (("key.conllu", 7), ("response.conllu", 6)):
        spans = [(9 - at, 9 + at + number % 2 * 20) for at in range(1, number + 1)]
        heads = Syntax([0], {}, dict.fromkeys(spans, 9))
        sides.append(Document("a", [spans[::2], spans[1::2]], 40, path=path, line=5, syntax=heads))
    with pytest.raises(ConllError) as caught:
        Like(*sides, Options(like="corefud-1.2", match=match))
    assert str(caught.value) == (
        "key.conllu:5: document a: the key has 7 mentions without an equal and the response 6, "
        "with more than 20 pairs that could stand for each other; choose match exact"
    )
    monkeypatch.setattr(matching, "MOST", 42)
    assert Like(*sides, Options(like="corefud-1.2", match=match)).problems == []


def test_zeros_without_a_file_have_no_partner():
    key = crowd(random.Random(1), 3)
    bare = Document("a", [[(0, 0)]], 1)
    for sides in ((key, bare), (bare, key)):
        like = Like(*sides, Options(like="corefud-1.2", match="exact", zeros="dependent"))
        assert [like.counterpart(mention) for cluster in like.key for mention in cluster] == [None] * len(list(chain(*like.key)))


@pytest.mark.parametrize("exact", [True, False])
def test_a_crowd_of_one_sentence_is_as_good_by_its_kinds(exact, monkeypatch):
    """Partners of the key's nodes, told one by one and in order, or as the crowd that they are."""
    draw = random.Random(3)
    key, response = crowd(draw, 9), crowd(draw, 12)
    monkeypatch.setattr(matching, "SMALL", matching.SMALL if exact else 0)
    partners = Matching(key, response, match="exact", zeros="dependent").partners
    sides = [{(node,): profile_of(node, document.syntax) for node in document.syntax.zeros} for document in (key, response)]
    table = by_sets([*sides[0].values()], [*sides[1].values()])
    found = sum(
        10 * f1(sides[0][k].relations, sides[1][r].relations) + f1(sides[0][k].parents, sides[1][r].parents)
        for r, k in partners.items()
    )
    assert found == pytest.approx(table[linear_sum_assignment(-table)].sum())
    assert len(partners) == 9
