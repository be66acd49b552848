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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, repeat
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from conll.document import ETYPE, Document, Layers
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


LABEL = "label"
"""The field by which spans are grouped by their label."""


def spans_of(  # noqa: PLR0913  each is an option of its own
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
    heads: Mapping[Any, Any] = (
        document.syntax.heads if column and document.syntax is not None else {}
    )
    scores = layers.columns.get(score, ()) if layers is not None and score is not None else ()
    spans = []
    labelled = _labelled(document, layers, names=of == "names", listed=listed)
    for first, last, label, mention, said in labelled:
        group, number = label if by == LABEL else "", None
        if by is not None and by != LABEL:
            head = heads.get(mention, last)
            group = _value(said, by, column, head if isinstance(head, int) else last)
        if score is not None:
            text = _value(said, score, scores, first)
            number = _number(text)
            if number is None:
                what = f"its {score} is {text!r}, no number" if text else f"it has no {score}"
                problem = (
                    f"the span {first}-{last} cannot be put above or below a threshold: {what}"
                )
                raise ConllError(
                    source.path,
                    source.line_of(document.name),
                    f"{problem}; write a number for each span",
                    document=document.name,
                )
        spans.append(Span(first, last + 1, label, number, group))
    return spans


def _labelled(
    document: Document, layers: Layers | None, *, names: bool, listed: bool
) -> Iterator[tuple[int, int, str, Any, Mapping[str, str]]]:
    """Yield first and last token, label, mention and attributes of each mention or name.

    Gaps count as part of a mention; one of empty nodes alone is left out.
    """
    if names and listed:
        for first, last, label in layers.names if layers is not None else ():
            yield first, last, label, None, {}
        return
    attributes = layers.attributes if layers is not None else ()
    if names and not attributes:
        return
    mentions = chain.from_iterable(document.clusters)
    for mention, said in zip(mentions, chain(*attributes) if attributes else repeat({})):
        parts = mention if isinstance(mention, tuple) else ()
        parts = (mention,) if is_span(mention) else parts
        if not parts or not all(
            is_empty_node(part) if isinstance(part, str) else is_span(part) for part in parts
        ):
            raise ValueError(
                f"document {document.name!r}: {mention!r} is not a span; write mentions as "
                "(first, last) tokens"
            )
        words = [part for part in parts if not isinstance(part, str)]
        label = said.get(ETYPE, "") if names else ""
        if words and (label or not names):
            yield words[0][0], words[-1][1], label, mention, said


def _value(said: Mapping[str, str], field: str, column: Sequence[str], token: int) -> str:
    """Return an attribute of a mention, or else the value of a column at a token."""
    return said[field] if field in said else column[token] if token < len(column) else ""


def _number(text: str) -> float | None:
    """Read a finite number; None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


MOST_PAIRS = 5_000_000
"""The most pairs of overlapping spans of a document; no text has as many."""


KINDS = ("CS", "CP", "IS", "IP")
"""The classes of pairs: correct or incorrect (the labels), strict or partial (the ends)."""


class Pair(NamedTuple):
    """The places of a key span and of a response span in their lists, and the class of the pair."""

    key: int
    response: int
    kind: str


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
        kind = 2 * (span.label != other.label) + (span[:2] != other[:2])
        if shared >= share * (span.end - span.start) and not (kind > 1 and within_label):
            # The best pairs come first.
            candidates.append((kind, -shared, *span[:2], k, *other[:2], r))
        if len(candidates) > MOST_PAIRS:
            raise ValueError(
                f"more than {MOST_PAIRS:,} pairs of overlapping spans in a document; "
                "check that its brackets close where they should"
            )
    pairs: dict[int, Pair] = {}
    taken: set[int] = set()
    for kind, _, _, _, k, _, _, r in sorted(candidates):
        if k not in pairs and r not in taken:
            pairs[k] = Pair(k, r, KINDS[kind])
            taken.add(r)
    return [pairs[k] for k in sorted(pairs)]


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
    schemes of SemEval, which may ask for a least overlap. `sole_strict`: key spans with exactly one
    response span of the same ends, and that one correct; `sole_lenient`: with exactly one
    overlapping response span, and that one paired with it and correct. `several_responses`,
    `no_response`: key spans that overlap several response spans, or none; `no_key`: response spans
    that overlap no key span.
    """

    key: int = 0
    response: int = 0
    kinds: Kinds = Kinds()
    sharing: Kinds = Kinds()
    sole_strict: int = 0
    sole_lenient: int = 0
    several_responses: int = 0
    no_response: int = 0
    no_key: int = 0


CountsT = TypeVar("CountsT", bound=tuple[Any, ...])


def plus(counts: CountsT, other: CountsT) -> CountsT:
    """Add counts of one type, field by field."""
    kind: Any = type(counts)
    pairs = zip(counts, other)
    return kind(*(plus(a, b) if isinstance(a, tuple) else a + b for a, b in pairs))  # type: ignore[no-any-return]


def total(counts: Iterable[CountsT], none: CountsT) -> CountsT:
    """Add up counts, to those that are given for none."""
    return reduce(plus, counts, none)


class Measure(NamedTuple):
    """One measure of some counts; ratios from 0 to 1, None for what a measure does not have.

    `missing` and `spurious` hold what is incorrect too, `true_missing` and `true_spurious` do not;
    those of SemEval's schemes do not either, and all pairs that are not right are incorrect there.
    `error_rate`: incorrect / response. `accuracy`: key spans with exactly one response span of the
    same ends (strict) or overlapping (lenient), and that one correct / key. The lenient measure has
    the counts of spans that overlap several of the other side or none, as in `SpanCounts`.
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
    several_responses: int | None = None
    no_response: int | None = None
    no_key: int | None = None


def kinds_of(pairs: Iterable[Pair]) -> Kinds:
    """Count the pairs of each class."""
    numbers = Counter(pair.kind for pair in pairs)
    return Kinds(*(numbers[kind] for kind in KINDS))


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
    responses_at = Counter(span[:2] for span in response)
    overlapping = _numbers_of_overlapping(key, response)
    counts = SpanCounts(
        key=len(key),
        response=len(response),
        kinds=kinds,
        sharing=sharing,
        sole_strict=sum(kind == "CS" and responses_at[key[k][:2]] == 1 for k, _, kind in pairs),
        sole_lenient=sum(kind in ("CS", "CP") and overlapping[k] == 1 for k, _, kind in pairs),
        several_responses=sum(number > 1 for number in overlapping),
        no_response=overlapping.count(0),
        no_key=_numbers_of_overlapping(response, key).count(0),
    )
    return counts, pairs


def _numbers_of_overlapping(spans: Sequence[Span], others: Sequence[Span]) -> list[int]:
    """Count for each span the others that overlap it."""
    starts = sorted(span.start for span in others)
    ends = sorted(span.end for span in others)
    # Those that start before its end, less those that end before its start.
    return [bisect_left(starts, span.end) - bisect_right(ends, span.start) for span in spans]


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
    strict, lenient, *schemes = (
        _measure(counts, name, beta) for name in ("strict", "lenient", *SCHEMES)
    )
    recall, precision, f = ((a + b) / 2 for a, b in zip(strict[1:4], lenient[1:4]))
    return [strict, lenient, Measure("mean", recall, precision, f), *schemes]


def _measure(counts: SpanCounts, name: str, beta: float) -> Measure:
    """Compute the strict or the lenient measure, or a scheme of SemEval-2013."""
    is_scheme = name in SCHEMES
    cs, cp, is_, ip = counts.sharing if is_scheme else counts.kinds
    # The pairs that are correct, half correct and incorrect.
    correct, partial, incorrect = {
        "strict": (cs, 0, is_),
        "lenient": (cs + cp, 0, is_ + ip),
        "semeval_strict": (cs, 0, cp + is_ + ip),
        "semeval_exact": (cs + is_, 0, cp + ip),
        "semeval_type": (cs + cp, 0, is_ + ip),
        "semeval_partial": (cs + is_, cp + ip, 0),
    }[name]
    key, response = counts.key, counts.response
    empty = 0.0 if is_scheme or key or response else 1.0
    recall, precision = (
        (correct + partial / 2) / side if side else empty for side in (key, response)
    )
    below = beta * beta * precision + recall
    f = (beta * beta + 1) * precision * recall / below if below else 0.0
    measure = Measure(name, recall, precision, f, key, response, correct)
    paired = correct + partial + incorrect
    if is_scheme:
        return measure._replace(
            partial=partial, incorrect=incorrect, missing=key - paired, spurious=response - paired
        )
    sole = counts.sole_strict if name == "strict" else counts.sole_lenient
    return measure._replace(
        incorrect=incorrect,
        missing=key - correct,
        spurious=response - correct,
        true_missing=key - paired,
        true_spurious=response - paired,
        error_rate=incorrect / response if response else 0.0,
        accuracy=sole / key if key else None,
        several_responses=counts.several_responses if name == "lenient" else None,
        no_response=counts.no_response if name == "lenient" else None,
        no_key=counts.no_key if name == "lenient" else None,
    )


def mean_of(measured: Sequence[Sequence[Measure]]) -> list[Measure]:
    """Average recall, precision and F over several lists of the same measures (macro-average)."""
    means = []
    for same in zip(*measured):
        ratios = [sum(measure[at] for measure in same) / len(same) for at in (1, 2, 3)]
        means.append(Measure(same[0].measure, *ratios))
    return means
