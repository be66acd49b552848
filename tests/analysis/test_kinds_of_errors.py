"""Kinds of errors, repairs and costs: as measured elsewhere, for any input, and by hand."""

from collections import Counter
from io import BytesIO
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from analysed import KEY, RESPONSE, SINGLETONS, TAGS, corefud, errors_of, found, golden, spans
from scorer.analysis.document_errors import (
    CONFLATED,
    DIVIDED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    EXTRA_SINGLETON,
    KINDS,
    MISSING_ENTITY,
    MISSING_MENTION,
    MISSING_SINGLETON,
    SPAN,
)
from scorer.analysis.pair import PRONOUN
from scorer.match.align import without_repeats
from scorer.metrics import METRICS
from scorer.options import Options
from strategies import partitions, repeating


def repaired(document, kinds):
    """The response's clusters once these kinds are repaired, as mentions."""
    clusters = {}
    for mention, place in document.repair.repaired(kinds).items():
        clusters.setdefault(place, []).append(document.pair.mentions[mention])
    kept = [c for c in clusters.values() if not document.pair.drop or len(c) > 1]
    return sorted(map(sorted, kept))


RULES = {
    "Conflated Entities": [CONFLATED],
    "Extra Mention": [EXTRA_MENTION],
    "Extra Entity": [EXTRA_ENTITY],
    "Divided Entity": [DIVIDED],
    "Missing Mention": [MISSING_MENTION],
    "Missing Entity": [MISSING_ENTITY],
}
"""The kinds that are one rule of the analyser."""


@pytest.mark.parametrize("row", golden("errors.jsonl"), ids=lambda row: row["name"])
def test_kinds_are_those_of_the_berkeley_analyser(row):
    singletons = "drop" if row["remove_singletons"] == "T" else "keep"
    errors = errors_of(row["gold_conll"], row["system_conll"], singletons=singletons)
    if "rules" in row:
        counts = {name: sum(map(errors.counts.get, kinds)) for name, kinds in RULES.items()}
        assert counts == row["rules"]
    else:
        assert errors.counts[SPAN] == row["errors"]["Span Error"]


def test_all_rows_are_there():
    rows = golden("errors.jsonl")
    assert (len(rows), sum("rules" in row for row in rows)) == (84, 80)
    assert len(golden("link-errors.jsonl")) == 25


@given(partitions(), partitions(), TAGS, SINGLETONS)
def test_all_kinds_repaired_are_the_key(key, response, tags, singletons):
    document = found(spans(key), spans(response), tags, Options(singletons=singletons))
    assert repaired(document, KINDS) == sorted(
        sorted(cluster) for cluster in spans(key) if singletons == "keep" or len(cluster) > 1
    )


@given(partitions(), partitions(), SINGLETONS)
def test_all_kinds_repaired_score_100_in_every_metric(key, response, singletons):
    metrics = [name for name, metric in METRICS.items() if metric.of == "clusters"]
    options = {"metrics": metrics, "singletons": singletons}
    costs = scorer.errors(spans(key), spans(response), **options).costs
    # Against itself a key has 1 wherever there is a denominator, 0 elsewhere.
    for evaluation, side in ((costs.after[KINDS[-1]], key), (costs.response, response)):
        expected = scorer.score(spans(key), spans(side), **options)
        for name in options["metrics"]:
            f1 = pytest.approx(expected.ratios(name).f1, abs=1e-12)
            assert evaluation.ratios(name).f1 == f1


@given(partitions(), partitions())
def test_bounds(key, response):
    metrics = ("muc", "bcub", "mentions")
    errors = scorer.errors(spans(key), spans(response), metrics=metrics)
    of_key, of_response = ({m for cluster in side for m in cluster} for side in (key, response))
    as_in_key = [[m for m in cluster if m in of_response] for cluster in key]
    as_in_key += [[m] for m in of_response - of_key]
    as_in_response = [[m for m in cluster if m in of_key] for cluster in response]
    as_in_response += [[m] for m in of_key - of_response]
    for bound, clusters in zip(errors.costs.bounds.values(), (as_in_key, as_in_response)):
        expected = scorer.score(spans(key), spans(clusters), metrics=metrics)
        for metric in metrics:
            ratios = expected.ratios(metric).as_tuple()
            assert bound.ratios(metric).as_tuple() == pytest.approx(ratios)


POLICIES = ["reference", "first", "last", "keep", "corefud"]


@given(repeating().map(spans), repeating().map(spans), st.sampled_from(POLICIES))
def test_a_repeated_mention_stands_in_one_cluster(key, response, duplicates):
    """In the last cluster of the key and the first of the response, of those that the policy
    leaves."""
    pair = found(key, response, options=Options(duplicates=duplicates)).pair
    of_key, of_response, _, _ = without_repeats(key, response, duplicates)
    last = {mention: k for k, cluster in enumerate(of_key) for mention in cluster}
    first = {
        mention: r for r, cluster in reversed(list(enumerate(of_response))) for mention in cluster
    }
    assert {mention: k for mention, k in zip(pair.mentions, pair.key_of) if k >= 0} == last
    assert {mention: r for mention, r in zip(pair.mentions, pair.response_of) if r >= 0} == first
    assert sorted(chain.from_iterable(pair.key)) == [m for m, k in enumerate(pair.key_of) if k >= 0]


@pytest.mark.parametrize(
    ("key", "response", "kinds"),
    [
        ([[0, 1], [2, 3]], [[0, 2], [1, 3]], {DIVIDED: 2, CONFLATED: 2}),
        ([[0, 1, 2]], [[1, 2]], {DIVIDED: 1}),
        ([[1, 2]], [[0, 1, 2]], {CONFLATED: 1}),
        ([[0]], [[1]], {MISSING_SINGLETON: 1, EXTRA_SINGLETON: 1}),
        ([[0, 1]], [], {MISSING_ENTITY: 1}),
        ([], [[0, 1]], {EXTRA_ENTITY: 1}),
    ],
)
def test_small_cases(key, response, kinds):
    parts = found(spans(key), spans(response)).repair.parts
    assert Counter(part.kind for part in parts) == Counter(kinds)


@pytest.mark.parametrize(
    ("key", "response", "kinds", "clusters"),
    [
        # {abc}{def} answered by {ab}{cdef}x, a to f and x being words 0 to 6.
        ("012 345", "01 23456", [], "01 23456"),
        ("012 345", "01 23456", [DIVIDED], "012 3456"),
        # The extra mention stays with the base, which is the part of the first mention.
        ("012 345", "01 23456", [CONFLATED], "01 26 345"),
        ("012 345", "01 23456", [EXTRA_MENTION], "01 2345"),
        # A base that is missing comes in with what is divided.
        ("012", "12", [MISSING_MENTION], "12"),
        ("012", "12", [DIVIDED], "012"),
        # Missing mentions come in with the largest part.
        ("0123", "0 12", [MISSING_MENTION], "0 123"),
    ],
)
def test_repairing_one_kind_alone(key, response, kinds, clusters):
    sides = (spans(map(int, cluster) for cluster in side.split()) for side in (key, response))
    found_ = repaired(found(*sides), kinds)
    assert " ".join("".join(str(m) for m, _ in cluster) for cluster in found_) == clusters


@pytest.mark.parametrize(
    ("key", "response", "pairs"),
    [
        ((0, 1), (1, 1), 1),  # an article
        ((0, 1), (0, 2), 1),  # a possessive
        ((5, 6), (6, 8), 0),  # no head is known without a parse
        ((0, 1), (3, 3), 0),
    ],
)
def test_spans_that_differ_in_what_stands_at_their_borders(key, response, pairs):
    words = ["The", "dog", "'s", "tail", "and", "the", "cat", "of", "war"]
    document = found([[key, (4, 4)]], [[response, (4, 4)]], words=words)
    assert sum(part.kind == SPAN for part in document.repair.parts) == pairs


def test_findings_say_where_and_what():
    errors = scorer.errors(KEY, RESPONSE)
    first, *_ = errors.findings()
    expected = {"kind": DIVIDED, "document": "(example/letter); part 000", "side": "key"}
    expected |= {"path": str(KEY), "line": 9, "mention": (6, 6), "mentions": 1, "type": PRONOUN}
    expected |= {"key_cluster": "0", "response_cluster": "1", "before": "", "words": "She"}
    expected |= {"after": "showed her the engine , and", "beside": "Ada"}
    assert first._asdict() == expected
    assert sum(errors.counts.values()) == len(list(errors.findings()))


def test_repeated_mentions_are_taken_once():
    begin = "#begin document (a);\na\t0\t0\tx\t"
    sides = f"{begin}(0)\na\t0\t1\ty\t(0)\n", f"{begin}(0)|(1)\na\t0\t1\ty\t(1)\n"
    sides = [f"{side}#end document\n" for side in sides]
    errors = errors_of(*sides)
    assert (errors.counts[DIVIDED], len(errors.notes)) == (1, 1)
    assert any(problem.kind == "repeat" for problem in errors.problems)
    scores = scorer.score(*(BytesIO(side.encode()) for side in sides), metrics="muc")
    assert errors.evaluation.totals == scores.totals


@pytest.mark.parametrize("duplicates", ["first", "error"])
def test_singletons_that_are_left_out_repeat_nothing(duplicates):
    """The singleton {x} goes before {x, y} is looked at, so the response is the key."""
    options = {"metrics": "muc", "singletons": "drop", "duplicates": duplicates}
    errors = scorer.errors([["x"], ["x", "y"]], [["x", "y"], ["y"]], **options)
    assert errors.counts.total() == 0
    assert errors.costs.after[KINDS[-1]].totals == {"muc": (scorer.Counts(1, 1, 1, 1),)}
    # Where no other cluster has its mention, what is of it is not spurious.
    errors = scorer.errors([["x"], ["x"], ["y", "z"]], [["x", "y", "z"]], **options)
    assert +errors.counts == {CONFLATED: 1}


def test_singletons_that_are_left_out_stand_for_nothing():
    """{1 2}, of head 2, shares 2 of 3 words with e2 and 2 of 4 with e1, but e2 is left out."""
    cells = (["(e1--2(e2--2", "", "e2)", "e1)", "(e1--1)"], ["(e1--2", "e1)", "", "", "(e1--1)"])
    files = (corefud(*(("w", int(at > 0), cell) for at, cell in enumerate(row))) for row in cells)
    errors = errors_of(*files, match="head", singletons="drop")
    assert errors.evaluation.totals == {"muc": (scorer.Counts(1, 1, 1, 1),)}
    assert errors.counts.total() == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"antecedents": "next"}, "antecedents: 'next' is not one of closest, accessible"),
        ({"links": "all"}, "links: 'all' is not one of auto, tree, output"),
        ({"metrics": "mor"}, "mor does not count clusters; add another metric"),
    ],
)
def test_what_cannot_be(words, message):
    with pytest.raises(ValueError, match=message):
        scorer.errors([["a"]], [["a"]], **words)


def test_metrics_of_mentions_are_left_out():
    errors = scorer.errors([["a", "b"]], [["a", "b"]], metrics="muc,mor")
    assert (errors.names, len(errors.notes)) == (["muc"], 1)
