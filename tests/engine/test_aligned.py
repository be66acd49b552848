"""Which pairs of clusters the numpy engine aligns: next to the plain engine, to loops, and by hand."""

import random
from unittest.mock import patch

import numpy as np
import pytest

from generator import chance
from scorer.count.assignment import align_clusters
from scorer.engine import arrays
from scorer.engine.arrays import best_other, best_pairs


@pytest.mark.parametrize("seed", range(20))
def test_the_greatest_weight_of_another_edge(seed):
    draw = random.Random(seed)
    cluster = sorted(draw.randrange(6) for _ in range(draw.randint(1, 20)))
    weight = [draw.randint(1, 4) for _ in cluster]
    expected = [
        max(
            (other for at, other in enumerate(weight) if at != place and cluster[at] == one),
            default=0,
        )
        for place, one in enumerate(cluster)
    ]
    assert best_other(np.array(cluster), np.array(weight)).tolist() == expected


def edges(seed):
    draw = random.Random(seed)
    keys, responses = draw.randint(1, 12), draw.randint(1, 12)
    pairs = sorted(
        {
            (draw.randrange(keys), draw.randrange(responses))
            for _ in range(draw.choice([1, 3, 20, 60]))
        }
    )
    # Of small whole numbers alone, many alignments are best.
    whole = chance(draw, 0.5)
    return pairs, [
        draw.randint(1, 3) if whole or chance(draw, 0.5) else draw.random() for _ in pairs
    ]


@pytest.mark.parametrize(
    ("few", "many"), [(0, 0), (0, 20_000), (5, 20_000), (1000, 20_000), (1000, 0), (5, 10)]
)
@pytest.mark.parametrize("large", [0, 10, 1000])
def test_pairs_are_those_of_the_plain_engine(few, many, large):
    """Also where others weigh as much; of large documents they weigh as much, each cluster once.

    All in ascending order.
    """
    for seed in range(40):
        documents = [edges(3 * seed + at) for at in range(1 + seed % 3)]
        found = numbered(documents)
        with patch.object(arrays, "FEW", few), patch.object(arrays, "MANY", many):
            taken = best_pairs(*found, large).tolist()
        assert taken == sorted(taken)
        for at, (pairs, weights) in enumerate(documents):
            begin = sum(len(pairs) for pairs, _ in documents[:at])
            chosen = [
                pairs[place - begin] for place in taken if begin <= place < begin + len(pairs)
            ]
            weight_of = dict(zip(pairs, weights))
            expected = align_clusters(weight_of)
            assert len(pairs) > large or chosen == expected
            assert all(len({*side}) == len(chosen) for side in zip(*chosen))
            assert sum(map(weight_of.get, chosen)) == pytest.approx(
                sum(map(weight_of.get, expected)), rel=1e-12
            )


def numbered(documents):
    """Overlaps as arrays: their key clusters, response clusters, weights and documents."""
    rows = [
        (20 * at + k, 20 * at + r, at) for at, (pairs, _) in enumerate(documents) for k, r in pairs
    ]
    key, response, document = np.array(rows).T
    return (
        key,
        response,
        np.array([weight for _, weights in documents for weight in weights]),
        document,
    )


TIES = {
    "the first of two": {(0, 0): 1, (1, 0): 1},
    "the last of two, once a heavier one is gone": {(0, 0): 5, (0, 1): 2, (1, 1): 1, (2, 1): 1},
}
OTHERS = {(k, r): 1 + (3 * k + r) % 7 for k in range(6) for r in (k, 5 - k, 6)}


@pytest.mark.parametrize("name", TIES)
@pytest.mark.parametrize("before", [False, True])
def test_of_pairs_that_weigh_the_same_those_of_the_plain_engine(name, before):
    """Also next to a document of more overlaps than are aligned so."""
    weight_of = TIES[name]
    documents = [
        ([*one], [*one.values()])
        for one in ([OTHERS, weight_of] if before else [weight_of, OTHERS])
    ]
    expected = align_clusters(weight_of)
    for several in (documents, [documents[before]]):
        key, response, weights, document = numbered(several)
        at = several.index(documents[before])
        with patch.object(arrays, "FEW", 0):
            taken = best_pairs(key, response, weights, document, len(weight_of))
        taken = taken[document[taken] == at]
        assert [
            *zip((key[taken] - 20 * at).tolist(), (response[taken] - 20 * at).tolist())
        ] == expected


def test_pairs_of_more_clusters_than_16_bits_tell_apart():
    """Of the first four edges the last two weigh most.

    Each of the others shares a response cluster with one of them.
    """
    key, response, weights = (
        np.arange(6),
        np.array([0, 1 << 16, 0, 1 << 16, 1, 2]),
        np.array([2, 2, 3, 3, 1, 1]),
    )
    for large in (0, 6):
        with patch.object(arrays, "FEW", 0):
            assert best_pairs(key, response, weights, np.zeros(6, np.int64), large).tolist() == [
                2,
                3,
                4,
                5,
            ]


def test_no_overlaps_make_no_pairs():
    nothing = np.empty(0, np.int64)
    assert best_pairs(nothing, nothing, nothing, nothing, 1).tolist() == []
