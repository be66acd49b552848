"""Pairs of spans, and what is counted of them."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_spans
import scorer
from scorer.spans import counts
from scorer.spans.counts import SCHEMES as OUR_SCHEMES
from scorer.spans.counts import Kinds, Span, SpanCounts, count, measures, pair

GOLDEN = Path(__file__).parents[2] / "fixtures" / "golden"
ROWS = list(map(json.loads, (GOLDEN / "spans.jsonl").read_text("utf-8").splitlines()))
SEMEVAL = list(map(json.loads, (GOLDEN / "semeval2013.jsonl").read_text("utf-8").splitlines()))
GREEDY = {"two-preds-one-true-overlap-first", "duplicate-span-two-types"}
"""Where nervaluate takes the first response that overlaps, in their order, though a better one
follows."""

FIELDS = {
    name: name for name in ("correct", "incorrect", "missing", "spurious", "precision", "recall")
}
FIELDS |= {"true_missing": "trueMissing", "true_spurious": "trueSpurious"}
FIELDS |= {"f": "f1", "error_rate": "errorRate"}


def spans_of(rows, end="exclusive"):
    return [Span(start, stop + (end == "inclusive"), label) for start, stop, label in rows]


def by_name(counts, beta=1.0):
    return {measure.measure: measure for measure in measures(counts, beta)}


def as_in_the_rows(counts):
    kinds = counts.kinds
    found = {"targets": counts.key, "responses": counts.response}
    found |= {"correctPartial": kinds.correct_partial, "incorrectPartial": kinds.incorrect_partial}
    for name in ("strict", "lenient"):
        measure = by_name(counts)[name]
        for ours, theirs in FIELDS.items():
            found[f"{theirs}{name.capitalize()}"] = getattr(measure, ours)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_spans_as_in_the_definitions_and_published_totals(row):
    if "counts" in row:
        given = row["counts"]
        kinds = Kinds(given["correctStrict"], given.get("correctPartial", 0))
        counts = SpanCounts(given["targets"], given["responses"], kinds)
        expected, within = row["asserted"], 1e-6
    else:
        sides = (spans_of(row[side], row["end"]) for side in ("targets", "responses"))
        counts, _ = count(*sides)
        expected, within = row["best_first"] | row.get("asserted", {}), 1e-12
    found = as_in_the_rows(counts)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=within), name


SCHEMES = dict(zip(("strict", "exact", "ent_type", "partial"), OUR_SCHEMES))
"""The schemes by nervaluate's names."""
THEIRS = {"missed": "missing", "possible": "key", "actual": "response", "f1": "f"}


def same(counts, expected):
    """Whether each scheme has the figures of nervaluate."""
    return all(
        getattr(by_name(counts)[SCHEMES[scheme]], THEIRS.get(name, name)) == pytest.approx(value)
        for scheme, row in expected.items()
        for name, value in row.items()
    )


@pytest.mark.parametrize("row", SEMEVAL, ids=lambda row: row["name"])
def test_semeval_schemes_as_nervaluate(row):
    key, response = spans_of(row["true"], row["end"]), spans_of(row["pred"], row["end"])
    share = row["min_overlap_percentage"] / 100
    counts, _ = count(key, response, share=share)
    # A document without spans is perfect here, and has 0 there.
    assert same(counts, row["overall"]) == (row["name"] not in {*GREEDY, "both-empty"})
    for tag, expected in row["by_type"].items():
        own = [[span for span in side if span.label == tag] for side in (key, response)]
        assert same(count(*own, share=share)[0], expected) or row["name"] in GREEDY, tag


@st.composite
def sides(draw, tokens=14, most=9):
    """Spans of a key and of a response, each drawn for itself.

    Often nested, repeated and of the same length.
    """
    span = st.tuples(
        st.integers(0, tokens), st.sampled_from([1, 1, 1, 2, 3, 5, 9]), st.sampled_from("xxyz")
    )
    key, response = (draw(st.lists(span, max_size=most)) for _ in range(2))
    shared = draw(st.lists(st.sampled_from(key), max_size=3)) if key else []
    return [
        [Span(start, start + length, label) for start, length, label in side]
        for side in (key, response + shared)
    ]


@given(sides(), st.booleans(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_pairs_are_those_of_the_definition(both, within_label, share):
    found = pair(*both, within_label=within_label, share=share)
    expected = naive_spans.pairs(
        *([span[:3] for span in side] for side in both), within_label=within_label, share=share
    )
    assert [(one.key, one.response, one.kind) for one in found] == expected


@given(sides())
def test_accuracy_by_key_span(both):
    key, response = both
    counts, pairs = count(key, response)
    strict = lenient = 0
    for one in pairs:
        ends = key[one.key][:2]
        strict += one.kind == "CS" and sum(other[:2] == ends for other in response) == 1
        lenient += one.kind[0] == "C" and len(overlapping(key[one.key], response)) == 1
    assert (counts.sole_strict, counts.sole_lenient) == (strict, lenient)
    numbers = [len(overlapping(span, response)) for span in key]
    assert counts.several_responses == sum(number > 1 for number in numbers)
    assert counts.no_response == numbers.count(0)
    assert counts.no_key == [overlapping(span, key) for span in response].count([])


def overlapping(span, others):
    return [other for other in others if other.start < span.end and span.start < other.end]


@pytest.mark.parametrize(
    ("key", "response", "strict", "lenient", "numbers"),
    [
        # The second response span only overlaps, which does not matter for strict accuracy.
        (["ab"], ["ab", "bc"], 1, 0, (1, 0, 0)),
        (["ab"], ["bc"], 0, 1, (0, 0, 0)),
        (["ab"], ["ab", "ab"], 0, 0, (1, 0, 0)),
        # Both key spans overlap one response span, which is paired with one of them.
        (["ab", "bc"], ["ab"], 1 / 2, 1 / 2, (0, 0, 0)),
        (["ab", "f"], ["d", "ab"], 1 / 2, 1 / 2, (0, 1, 1)),
    ],
)
def test_accuracy_by_hand(key, response, strict, lenient, numbers):
    """Letters are tokens."""
    spans = [
        [Span("abcdef".index(word), "abcdef".index(word) + len(word), "x") for word in side]
        for side in (key, response)
    ]
    found = by_name(count(*spans)[0])
    assert (found["strict"].accuracy, found["lenient"].accuracy) == (strict, lenient)
    right = found["strict"].accurate, found["lenient"].accurate
    assert right == (strict * len(key), lenient * len(key))
    assert found["lenient"][-3:] == numbers
    assert found["strict"][-3:] == found["mean"][-3:] == (None, None, None)


def test_empty_sides():
    both, key, response = (by_name(SpanCounts(*sizes)) for sizes in ((0, 0), (2, 0), (0, 3)))
    for name in ("strict", "lenient", "mean", *OUR_SCHEMES):
        assert both[name][1:4] == (1, 1, 1)
        assert key[name][1:4] == response[name][1:4] == (0, 0, 0)


def test_a_document_without_spans_is_perfect_in_each_row_of_the_macro_average():
    """One document has one of two spans right (recall 1/2, precision 1), the other no span."""
    key, response = {"a": [[(0, 0), (2, 2)]], "b": []}, {"a": [[(0, 0)]], "b": []}
    for measure in scorer.score_spans(key, response).macro():
        assert (measure.recall, measure.precision) == (3 / 4, 1), measure.measure


def test_f_of_beta():
    """Recall 1/2 and precision 1/4: F2 = 5 · 1/8 / (4 · 1/4 + 1/2) = 5/12, F½ = 5/4 · 1/8 / (1/16 +
    1/2) = 5/18."""
    counts = SpanCounts(4, 8, Kinds(2))
    assert [by_name(counts, beta)["strict"].f for beta in (1, 2, 0.5)] == pytest.approx(
        [1 / 3, 5 / 12, 5 / 18]
    )


@pytest.mark.parametrize("documents", [{}, {"a": [], "b": []}])
def test_without_any_span_there_are_no_figures(documents):
    """A document without spans on both sides is perfect, but files of such documents say
    nothing."""
    warnings = nullcontext()
    if documents:
        warnings = pytest.warns(scorer.ScorerWarning, match="no document .* has a mention")
    with warnings:
        scores = scorer.score_spans(documents, documents)
    assert (scores.total.key, scores.total.response) == (0, 0)
    for measure in [*scores.measures().values(), *scores.macro()]:
        assert measure[1:4] == (None, None, None)
    assert scores.intervals() == {}
    assert "100.00" not in scores.text("table", average="both", per_document=True)
    assert "neither side has a span" in scores.text("html")
    assert scores.to_dict()["totals"][1]["f"] is None


def test_a_document_without_spans_is_perfect_where_others_have_some():
    scores = scorer.score_spans({"a": [], "b": [[(0, 0)]]}, {"a": [], "b": [[(1, 1)]]})
    assert scores.macro()[0][1:4] == (1 / 2, 1 / 2, 1 / 2)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_span_over_many_takes_no_square(is_reversed):
    long, many = [Span(0, 100_000)], [Span(place, place + 2) for place in range(50_000)]
    sides = (many, long) if is_reversed else (long, many)
    assert len(pair(*sides)) == 1


def test_spans_that_all_overlap_are_refused(monkeypatch):
    monkeypatch.setattr(counts, "MOST_PAIRS", 50_000)
    crossing = [[Span(place, 9_000 + place + side) for place in range(230)] for side in (0, 1)]
    with pytest.raises(ValueError, match=r"more than 50,000 pairs of overlapping spans"):
        pair(*crossing)
