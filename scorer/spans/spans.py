"""Pair the spans of key and response, count the pairs, and compute measures from the counts.

Pairs are one to one, best first: coextensive and equal label, then overlapping and equal, then
coextensive and unequal, then overlapping and unequal; of overlaps the longest first, and of equal
ones that of the earlier key span, then of the earlier response span (description of GATE's
evaluation of annotations). Earlier is: with the smaller start, then with the smaller end, then
earlier in its list.

Strict and lenient: description of GATE's evaluation of annotations. SemEval: the four schemes of
SemEval-2013, as nervaluate 1.2.1 counts them, but of the same pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from math import isfinite
from typing import Any, NamedTuple

from conll.document import Document, Layers
from conll.errors import ConllError
from conll.source import Source
from conll.syntax import is_empty_node, is_span


class Span(NamedTuple):
    """Tokens from `start` (inclusive) to `end` (exclusive), with a label.

    Spans of mentions have no label, so that any two of them are equal. `score`: how sure the
    response is, None where it does not say. `group`: the value by which spans are grouped, empty
    where there is none. An end that is not after the start is refused by what makes spans.
    """

    start: int
    end: int
    label: str = ""
    score: float | None = None
    group: str = ""


ETYPE = "etype"
"""The attribute that holds the entity type of a mention in CorefUD and its kin."""
LABEL = "label"
"""The field by which spans are grouped by their label."""


def spans_of(
    document: Document,
    layers: Layers | None,
    source: Source,
    *,
    of: str,
    listed: bool = False,
    by: str | None = None,
    column: Sequence[str] = (),
    score: str | None = None,
) -> list[Span]:
    """List the spans of a document, in its order.

    Args:
        document: the document, as `source` has it.
        layers: what the file says of its words and mentions; None where it says nothing.
        source: the file, for messages.
        of: "mentions" or "names".
        listed: whether names are those that the file lists, and not mentions with an entity type.
        by: the field by which spans are grouped, if any: `label`, an attribute of mentions, or
            the name of `column`.
        column: the value of each word to group by; a span has that of its head, or else of its
            last word.
        score: the field with the score of each span, an attribute or a column (of its first
            word); None for no scores.

    Returns:
        The spans.

    Raises:
        ValueError: where a mention is no span.
        ConllError: where a score is not a number.

    """
    names = of == "names"
    found: Iterable[tuple[int, int, str, Any, Mapping[str, str]]]
    if names and listed:
        found = [
            (first, last, label, None, {})
            for first, last, label in (layers.names if layers is not None else ())
        ]
    elif not names:
        found = _mentions(document, layers)
    elif layers is None or not layers.attributes:
        return []
    else:
        mentions = _mentions(document, layers)
        found = [
            (first, last, said[ETYPE], mention, said)
            for first, last, _, mention, said in mentions
            if said.get(ETYPE)
        ]
    if by is None and score is None:
        return [Span(first, last + 1, label) for first, last, label, _, _ in found]

    heads: Mapping[Any, Any] = (
        document.syntax.heads if column and document.syntax is not None else {}
    )
    scores = layers.columns.get(score, ()) if layers is not None and score is not None else ()
    spans = []
    for first, last, label, mention, said in found:
        group, number = label if by == LABEL else "", None
        if by is not None and by != LABEL:
            head = heads.get(mention, last)
            token = head if isinstance(head, int) else last
            group = said[by] if by in said else column[token] if token < len(column) else ""
        if score is not None:
            text = said[score] if score in said else scores[first] if first < len(scores) else ""
            number = _number(text)
            if number is None:
                what = f"its {score} is {text!r}, no number" if text else f"it has no {score}"
                problem = (
                    f"the span {first}-{last} cannot be put above or below a threshold: {what}; "
                    "write a number for each span"
                )
                raise ConllError(
                    source.path, source.line_of(document.name), problem, document=document.name
                )
        spans.append(Span(first, last + 1, label, number, group))
    return spans


def _mentions(
    document: Document, layers: Layers | None
) -> Iterator[tuple[int, int, str, Any, Mapping[str, str]]]:
    """Yield first and last token, empty label, mention and attributes of each mention with words.

    Gaps count as part of a mention; one of empty nodes alone is left out.
    """
    attributes = layers.attributes if layers is not None else ()
    for mention, said in zip(
        chain.from_iterable(document.clusters),
        chain.from_iterable(attributes) if attributes else repeat({}),
    ):
        if is_span(mention):
            yield *mention, "", mention, said
            continue
        parts = mention if isinstance(mention, tuple) else ()
        if not parts or not all(
            is_empty_node(part) if isinstance(part, str) else is_span(part) for part in parts
        ):
            raise ValueError(
                f"document {document.name!r}: {mention!r} is not a span; write mentions as "
                "(first, last) tokens"
            )
        words = [part for part in parts if not isinstance(part, str)]
        if words:
            yield words[0][0], words[-1][1], "", mention, said


def _number(text: str) -> float | None:
    """Read a finite number; None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


MOST_PAIRS = 5_000_000
"""The most pairs of overlapping spans of a document; no text has as many."""


class Pair(NamedTuple):
    """The places of a key span and of a response span in their lists.

    `equal`: whether the labels are the same; `coextensive`: whether the ends are.
    """

    key: int
    response: int
    equal: bool
    coextensive: bool

    @property
    def kind(self) -> str:
        """Name the class of the pair: correct or incorrect, strict or partial (CS, CP, IS, IP)."""
        return ("C" if self.equal else "I") + ("S" if self.coextensive else "P")


def pair(
    key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0
) -> list[Pair]:
    """Pair the spans of key and response one to one, best first.

    For n spans and m pairs of them that overlap, this takes n log n + m log m steps.

    Args:
        key: the spans of the key.
        response: the spans of the response.
        within_label: whether pairs of different labels are forbidden.
        share: the least share, from 0 to 1, of the tokens of its key span that a pair has in
            common; it has at least one.

    Returns:
        The pairs, in the order of the key's spans.

    Raises:
        ValueError: if more than `MOST_PAIRS` pairs of spans overlap.

    >>> pairs = pair([Span(0, 2, "x"), Span(4, 9, "x")], [Span(0, 2, "y"), Span(3, 5, "x")])
    >>> [(pair.key, pair.response, pair.kind) for pair in pairs]
    [(0, 0, 'IS'), (1, 1, 'CP')]
    """
    candidates = []
    for k, r, shared in _overlapping(key, response):
        span, other = key[k], response[r]
        is_unequal = span.label != other.label
        if shared >= share * (span.end - span.start) and not (is_unequal and within_label):
            # The best pairs come first.
            is_partial = span[:2] != other[:2]
            candidates.append((is_unequal, is_partial, -shared, *span[:2], k, *other[:2], r))
        if len(candidates) > MOST_PAIRS:
            raise ValueError(
                f"more than {MOST_PAIRS:,} pairs of overlapping spans in a document; "
                "check that its brackets close where they should"
            )
    found: dict[int, Pair] = {}
    taken: set[int] = set()
    for is_unequal, is_partial, _, _, _, k, _, _, r in sorted(candidates):
        if k not in found and r not in taken:
            found[k] = Pair(k, r, not is_unequal, not is_partial)
            taken.add(r)
    return [found[k] for k in sorted(found)]


def _overlapping(key: Sequence[Span], response: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """Yield the places of a key span and a response span that overlap, and the tokens they share."""
    # The places of the spans of each side that may reach the next start.
    reaching: tuple[list[int], list[int]] = ([], [])
    sides = key, response
    for start, side, at in _by_start(key, response):
        others = [other for other in reaching[1 - side] if sides[1 - side][other].end > start]
        reaching[1 - side][:] = others
        reaching[side].append(at)
        for other in others:
            k, r = (other, at) if side else (at, other)
            yield k, r, min(key[k].end, response[r].end) - start


def stretches(
    key: Sequence[Span], response: Sequence[Span]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the places of spans in each stretch of overlapping spans that has some of both sides.

    The spans of a stretch overlap each other, directly or through others.
    """
    both: tuple[list[int], list[int]] = [], []
    reach = -1
    for start, side, at in _by_start(key, response):
        if start >= reach:
            if both[0] and both[1]:
                yield both
            both = [], []
        both[side].append(at)
        reach = max(reach, (response if side else key)[at].end)
    if both[0] and both[1]:
        yield both


def _by_start(*sides: Sequence[Span]) -> list[tuple[int, int, int]]:
    """List start, side and place of each span by its start."""
    return sorted(
        (span.start, side, at) for side, spans in enumerate(sides) for at, span in enumerate(spans)
    )


MEASURES = ("strict", "lenient", "mean")
"""Coextensive pairs are right; overlapping ones as well; the mean of the two."""
SCHEMES = ("semeval_strict", "semeval_exact", "semeval_type", "semeval_partial")
"""The schemes of SemEval-2013: span and label, span alone, label alone, overlap as half a span."""


class Kinds(NamedTuple):
    """The number of pairs of each class: equal labels or not, equal ends (strict) or not."""

    correct_strict: int = 0
    correct_partial: int = 0
    incorrect_strict: int = 0
    incorrect_partial: int = 0


class SpanCounts(NamedTuple):
    """The counts of a document, or their sum.

    `key` and `response`: how many spans each has. `kinds`: of pairs; `sharing`: of pairs for the
    schemes of SemEval, which may ask for a least overlap. `sole_strict`, `sole_lenient`: key spans
    with exactly one overlapping response span, and that one correct.
    """

    key: int = 0
    response: int = 0
    kinds: Kinds = Kinds()
    sharing: Kinds = Kinds()
    sole_strict: int = 0
    sole_lenient: int = 0

    def plus(self, other: SpanCounts) -> SpanCounts:
        """Add other counts, field by field."""
        kinds, sharing = (
            Kinds(*map(sum, zip(*both)))
            for both in ((self.kinds, other.kinds), (self.sharing, other.sharing))
        )
        sizes = self.key + other.key, self.response + other.response
        strict, lenient = (a + b for a, b in zip(self[4:], other[4:]))
        return SpanCounts(*sizes, kinds, sharing, strict, lenient)


class Measure(NamedTuple):
    """One measure of some counts; ratios from 0 to 1, None for what a measure does not have.

    `missing` and `spurious` hold what is incorrect too, `true_missing` and `true_spurious` do not;
    those of SemEval's schemes do not either, and all pairs that are not right are incorrect there.
    `error_rate`: incorrect / response. `accuracy`: key spans with exactly one overlapping response
    span, and that one correct / key.
    """

    measure: str
    recall: float
    precision: float
    f: float
    key: int | None = None
    response: int | None = None
    correct: int | None = None
    partial: int | None = None
    incorrect: int | None = None
    missing: int | None = None
    spurious: int | None = None
    true_missing: int | None = None
    true_spurious: int | None = None
    error_rate: float | None = None
    accuracy: float | None = None


def total(counts: Iterable[SpanCounts]) -> SpanCounts:
    """Add up counts."""
    total = SpanCounts()
    for document in counts:
        total = total.plus(document)
    return total


def kinds_of(pairs: Iterable[Pair]) -> Kinds:
    """Count the pairs of each class."""
    numbers = [0, 0, 0, 0]
    for pair in pairs:
        numbers[2 * (not pair.equal) + (not pair.coextensive)] += 1
    return Kinds(*numbers)


def count(
    key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0
) -> tuple[SpanCounts, list[Pair]]:
    """Pair the spans of one document and count the pairs.

    Args:
        key: the spans of the key.
        response: the spans of the response.
        within_label: whether pairs of different labels are forbidden.
        share: the least overlap of a pair for SemEval's schemes, from 0 to 1.

    Returns:
        The counts, and the pairs whatever their overlap.

    >>> count([Span(0, 2), Span(4, 9)], [Span(0, 2), Span(3, 5)])[0].kinds
    Kinds(correct_strict=1, correct_partial=1, incorrect_strict=0, incorrect_partial=0)
    """
    pairs = pair(key, response, within_label=within_label)
    kinds = kinds_of(pairs)
    sharing = (
        kinds_of(pair(key, response, within_label=within_label, share=share)) if share else kinds
    )
    starts, ends = sorted(span.start for span in response), sorted(span.end for span in response)
    strict = lenient = 0
    for places in pairs:
        span = key[places.key]
        # Response spans that overlap: those that start before its end, less those that end before.
        if places.equal and bisect_left(starts, span.end) - bisect_right(ends, span.start) == 1:
            lenient += 1
            strict += places.coextensive
    return SpanCounts(len(key), len(response), kinds, sharing, strict, lenient), pairs


def f_of(recall: float, precision: float, beta: float) -> float:
    """Return F = (β² + 1) P R / (β² P + R); 0 where that is 0/0."""
    below = beta * beta * precision + recall
    return (beta * beta + 1) * precision * recall / below if below else 0.0


def measures(counts: SpanCounts, beta: float = 1.0) -> list[Measure]:
    """Compute the measures of counts: strict, lenient and their mean, then SemEval's schemes.

    Recall and precision are 1 if both sides are empty, and 0 if one is; of SemEval's schemes they
    are 0 in both cases.

    Args:
        counts: the counts of a document, or of several.
        beta: of F; above 1 recall weighs more.

    Returns:
        The seven measures.
    """
    strict, lenient = (_measure(counts, name, beta) for name in MEASURES[:2])
    means = ((a + b) / 2 for a, b in zip(strict[1:4], lenient[1:4]))
    mean = Measure("mean", *means)  # type: ignore[arg-type]  # recall, precision and F are floats
    return [strict, lenient, mean, *(_scheme(counts, name, beta) for name in SCHEMES)]


def ratios(counts: SpanCounts, name: str) -> tuple[float, float]:
    """Compute strict or lenient recall and precision; 1 if both sides are empty, 0 if one is."""
    correct = counts.kinds.correct_strict
    correct += counts.kinds.correct_partial if name == "lenient" else 0
    empty = 0.0 if counts.key or counts.response else 1.0
    return _share(correct, counts.key, empty), _share(correct, counts.response, empty)


def _measure(counts: SpanCounts, name: str, beta: float) -> Measure:
    """Compute the strict or the lenient measure."""
    correct, incorrect, sole = counts.kinds[0], counts.kinds[2], counts.sole_strict
    if name == "lenient":
        correct, incorrect = correct + counts.kinds[1], incorrect + counts.kinds[3]
        sole = counts.sole_lenient
    recall, precision = ratios(counts, name)
    return Measure(
        name,
        recall,
        precision,
        f_of(recall, precision, beta),
        counts.key,
        counts.response,
        correct,
        incorrect=incorrect,
        missing=counts.key - correct,
        spurious=counts.response - correct,
        true_missing=counts.key - correct - incorrect,
        true_spurious=counts.response - correct - incorrect,
        error_rate=_share(incorrect, counts.response, 0.0),
        accuracy=sole / counts.key if counts.key else None,
    )


def _scheme(counts: SpanCounts, name: str, beta: float) -> Measure:
    """Compute a scheme of SemEval-2013."""
    kinds, pairs = counts.sharing, sum(counts.sharing)
    correct = kinds.correct_strict
    if name in ("semeval_exact", "semeval_partial"):
        correct += kinds.incorrect_strict
    elif name == "semeval_type":
        correct += kinds.correct_partial
    partial = pairs - correct if name == "semeval_partial" else 0
    recall, precision = (_share(correct + partial / 2, side, 0.0) for side in counts[:2])
    return Measure(
        name,
        recall,
        precision,
        f_of(recall, precision, beta),
        counts.key,
        counts.response,
        correct,
        partial,
        incorrect=pairs - correct - partial,
        missing=counts.key - pairs,
        spurious=counts.response - pairs,
    )


def mean_of(measured: Sequence[Sequence[Measure]]) -> list[Measure]:
    """Average recall, precision and F over several lists of the same measures (macro-average)."""
    return [
        Measure(
            same[0].measure, *(sum(measure[at] for measure in same) / len(same) for at in (1, 2, 3))
        )
        for same in zip(*measured)
    ]


def _share(numerator: float, denominator: int, empty: float) -> float:
    return numerator / denominator if denominator else empty
