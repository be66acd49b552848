"""Count the spans of a document and their pairs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from scorer.spans.pairing import CLASSES_OF_PAIRS, Pair, pair
from scorer.spans.span import Span


class Kinds(NamedTuple):
    """The number of pairs of each class: equal labels or not, equal ends (strict) or not."""

    correct_strict: int = 0
    correct_partial: int = 0
    incorrect_strict: int = 0
    incorrect_partial: int = 0


class SpanCounts(NamedTuple):
    """The counts of a document, or their sum.

    Attributes:
        key: The number of key spans.
        response: The number of response spans.
        kinds: The pairs of each class.
        sharing: The same of pairs for the schemes of SemEval, which may ask for a least overlap.
        sole_strict: Key spans with exactly one response span of the same ends, and that one
            correct.
        sole_lenient: Key spans with exactly one overlapping response span, and that one paired with
            it and correct.
        several_responses: Key spans that overlap several response spans.
        no_response: Key spans that overlap no response span.
        no_key: Response spans that overlap no key span.
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
    sums = []
    for number, other_number in zip(counts, other):
        if isinstance(number, tuple):
            sums.append(plus(number, other_number))
        else:
            sums.append(number + other_number)
    record: Any = type(counts)
    added: CountsT = record._make(sums)
    return added


def total(counts: Iterable[CountsT], none: CountsT) -> CountsT:
    """Add up counts, to those that are given for none."""
    return reduce(plus, counts, none)


def kinds_of(pairs: Iterable[Pair]) -> Kinds:
    """Count the pairs of each class."""
    return kinds_from(Counter(pair.kind for pair in pairs))


def kinds_from(numbers: Counter[str]) -> Kinds:
    """Return the number of pairs by class as a record."""
    return Kinds._make(numbers[kind] for kind in CLASSES_OF_PAIRS)


def count(
    key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0
) -> tuple[SpanCounts, list[Pair]]:
    """Pair the spans of one document and count the pairs.

    Args:
        key: The spans of the key.
        response: The spans of the response.
        within_label: Whether pairs of different labels are forbidden.
        share: The least overlap of a pair for SemEval's schemes, from 0 to 1.

    Returns:
        The counts, and the pairs whatever their overlap.

    Examples:
        >>> count([Span(0, 2), Span(4, 9)], [Span(0, 2), Span(3, 5)])[0].kinds
        Kinds(correct_strict=1, correct_partial=1, incorrect_strict=0, incorrect_partial=0)
    """
    pairs = pair(key, response, within_label=within_label)
    kinds = kinds_of(pairs)
    sharing = kinds
    if share:
        sharing = kinds_of(pair(key, response, within_label=within_label, share=share))
    responses_at = Counter(span[:2] for span in response)
    overlapping = _numbers_of_overlapping(key, response)
    sole_strict = sole_lenient = 0
    for k, _, kind in pairs:
        sole_strict += kind == "CS" and responses_at[key[k][:2]] == 1
        sole_lenient += kind in ("CS", "CP") and overlapping[k] == 1
    counts = SpanCounts(
        key=len(key),
        response=len(response),
        kinds=kinds,
        sharing=sharing,
        sole_strict=sole_strict,
        sole_lenient=sole_lenient,
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
