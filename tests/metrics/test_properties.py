"""What holds for every metric there is: a new one is found here the day its file appears."""

from io import BytesIO

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import naive
from conll.formats.conll2012 import Conll2012Source
from conll.source import InputFile
from scorer import registry
from scorer.count.counts import Counts
from scorer.engine.corpus import Corpus
from scorer.engine.score import evaluate
from scorer.match.align import align
from scorer.scheme import Scheme
from strategies import examples, pairs, partitions, repeating, write

METRICS = [metric for metric in registry.METRICS.values() if metric.of == "clusters"]
NAMES = [metric.name for metric in METRICS]


def each(metrics=METRICS):
    """Metric by metric, all on one example, as making examples takes longest.

    What is noted last is what failed.
    """
    for metric in metrics:
        note(f"the metric is {metric.name}")
        yield metric


def count(metric, key, response, duplicates="reference"):
    return metric.count(align(key, response, duplicates).contingency)


def same(counted, expected):
    """Integers are equal.

    Sums of fractions may differ in the last places, as the order of additions shows there.
    """
    assert len(counted) == len(expected)
    for one, other in zip(counted, expected):
        for value, wanted in zip(one.as_tuple(), other.as_tuple()):
            if isinstance(value, int) and isinstance(wanted, int):
                assert value == wanted
            else:
                assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    return True


# A perfect response
# --------------------------------------------------------------------------------------------------


def size(clusters):
    return sum(map(len, clusters))


def can_be_perfect(name, clusters):
    """Every metric gives 1 to a perfect response once there is a mention, except those that count
    links.

    MUC needs a cluster of two mentions, BLANC two mentions of any cluster, and its halves two in
    one cluster or two apart.
    """
    if name in {"muc", "pairwise"}:
        return any(len(cluster) > 1 for cluster in clusters)
    if name == "pairwise_negative":
        return sum(map(bool, clusters)) > 1
    return size(clusters) > (name == "blanc")


@given(partitions() | partitions(60, 30))
def test_a_perfect_response_scores_exactly_1(clusters):
    for metric in each():
        ratios = metric.combine(count(metric, clusters, clusters)).as_tuple()
        expected = 1.0 if can_be_perfect(metric.name, clusters) else 0.0
        assert ratios == (expected, expected, expected)


CREDITED = {name for name in NAMES if name.endswith(("_sys", "_v4", "_all", "_rahman_ng"))}
"""Variants that give a mention without a twin one: an empty side scores more than 0, which Cai and
Strube's own rules bring."""


@given(partitions())
def test_an_empty_side_scores_0(clusters):
    for metric in each([metric for metric in METRICS if metric.name not in CREDITED]):
        assert metric.combine(count(metric, clusters, [])).as_tuple() == (0, 0, 0)
        assert metric.combine(count(metric, [], clusters)).as_tuple() == (0, 0, 0)


# What does not matter
# ------------------------------------------------------------------------------------------------


@given(pairs(repeating()), st.permutations(range(7)))
def test_what_a_mention_is_called_does_not_matter(clusters, names):
    renamed = [
        [[(names[mention], "span") for mention in cluster] for cluster in side] for side in clusters
    ]
    for metric in each():
        assert count(metric, *renamed) == count(metric, *clusters)


@given(pairs(partitions()), st.randoms(use_true_random=False))
def test_order_of_clusters_and_mentions_does_not_matter(clusters, random):
    shuffled = [
        [random.sample(cluster, len(cluster)) for cluster in random.sample(side, len(side))]
        for side in clusters
    ]
    for metric in each():
        assert same(count(metric, *shuffled), count(metric, *clusters))


@given(pairs(partitions() | partitions(60, 30)))
def test_exchanging_key_and_response_exchanges_recall_and_precision(clusters):
    key, response = clusters
    one_sided = {name for name in NAMES if name.endswith(("_sys", "_conll_v4"))}
    one_sided |= {"b3_0", "b3_rahman_ng"}
    for metric in each([metric for metric in METRICS if metric.name not in one_sided]):
        exchanged = [
            Counts(*part.as_tuple()[2:], *part.as_tuple()[:2])
            for part in count(metric, response, key)
        ]
        assert same(count(metric, key, response), exchanged)


@given(pairs(partitions() | partitions(60, 30)))
def test_ratios_lie_between_0_and_1_when_nothing_is_repeated(clusters):
    for metric in each():
        parts = count(metric, *clusters)
        for ratios in (metric.combine(parts), *(part.ratios() for part in parts)):
            assert all(0 <= ratio <= 1 for ratio in ratios.as_tuple())


@examples(2)
@given(pairs(repeating()), st.sampled_from(["first", "last", "keep", "corefud"]))
def test_ratios_lie_between_0_and_1_whatever_becomes_of_repeats(clusters, duplicates):
    """Under `reference`, some are above 1, as in the Perl program."""
    for metric in each():
        parts = count(metric, *clusters, duplicates)
        for ratios in (metric.combine(parts), *(part.ratios() for part in parts)):
            assert all(0 <= ratio <= 1 for ratio in ratios.as_tuple())


@given(repeating())
def test_a_perfect_response_scores_1_where_repeats_are_kept(clusters):
    for metric in each():
        for part in count(metric, clusters, clusters, "keep"):
            assert part.ratios().as_tuple() == ((1, 1, 1) if part.recall_denominator else (0, 0, 0))


# Against the naive versions
# ------------------------------------------------------------------------------------------


def naive_counts(metric, key, response, metrics=naive.METRICS):
    assert metric.name in metrics, "write it in METRICS and KEPT of tests/helpers/naive.py"
    return [Counts(*part) for part in metrics[metric.name](key, response)]


@examples(4)
@given(pairs(partitions()))
def test_equals_the_naive_version(clusters):
    for metric in each():
        assert same(count(metric, *clusters), naive_counts(metric, *clusters))


@examples(4)
@given(pairs(repeating()))
def test_equals_the_naive_version_where_mentions_are_repeated(clusters):
    key, response = clusters
    for metric in each():
        assert same(
            count(metric, key, response),
            naive_counts(metric, key, naive.without_repeats(key, response)),
        )


@examples(2)
@given(pairs(repeating()))
def test_equals_the_naive_version_where_repeats_are_kept(clusters):
    for metric in each():
        expected = naive_counts(metric, *clusters, naive.KEPT)
        assert same(count(metric, *clusters, "keep"), expected)


@examples(3)
@given(pairs(repeating()))
def test_bcub_adds_in_the_order_of_the_reference(clusters):
    """To the last bit: the reference prints fifteen digits."""
    key, response = clusters
    (counted,) = count(registry.get("bcub"), key, response)
    assert counted.as_tuple() == naive.bcub(key, naive.without_repeats(key, response))[0]


# Documents and totals
# ------------------------------------------------------------------------------------------------


def corpus(key, response, only=None):
    sources = [
        Conll2012Source(InputFile(BytesIO(write(documents)), side))
        for side, documents in (("key", key), ("response", response))
    ]
    return Corpus(*sources, only)


CALLED = st.sampled_from(["(a); part 000", "(a); part 001", "", "ż", "\udcff", "b "])
DOCUMENTS = st.dictionaries(CALLED, partitions() | repeating(), max_size=5)


@settings(max_examples=60)
@given(DOCUMENTS, DOCUMENTS)
def test_totals_are_the_sums_over_documents_in_their_order(key, response):
    evaluation = evaluate(corpus(key, response), Scheme(METRICS))
    assert [document.name for document in evaluation.documents] == list(key)
    totals = {metric.name: (Counts(0, 0, 0, 0),) * len(metric.parts) for metric in METRICS}
    for document in evaluation.documents:
        alone = evaluate(corpus({document.name: key[document.name]}, response), Scheme(METRICS))
        for name, so_far in totals.items():
            assert alone.totals[name] == document.counts[name]
            totals[name] = tuple(total + part for total, part in zip(so_far, document.counts[name]))
    assert evaluation.totals == totals
