"""Count the spans of a document and their pairs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from scorer.statistics.estimates import Trials


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


KINDS_OF_SPANS = ("mentions", "names")
"""What spans can be: mentions of coreference, which have no label, or named entities."""

OF_NAMES = ("iob", "conlleval")
"""The formats of files without mentions."""

LABEL = "label"
"""The field that stands for the label of a named entity."""


class Span(NamedTuple):
    """Tokens from `start` (inclusive) to `end` (exclusive), with a label.

    Attributes:
        start: The first token.
        end: The token after the last one; what makes spans refuses one that is not after `start`.
        label: What has to be equal in key and response; empty for mentions, so that any two of
            them are equal.
        score: The confidence of the response; None where it gives none.
        groups: The value of each field by which spans are grouped, empty where there is none.
        is_optional: Whether the key does not ask for it; MUC-7 has such spans.
    """

    start: int
    end: int
    label: str = ""
    score: float | None = None
    groups: tuple[str, ...] = ()
    is_optional: bool = False


class Sides(NamedTuple):
    """The spans of a document in key and response, in the order of the files."""

    key: list[Span]
    response: list[Span]


def sides_by_value(sides: Sides, field: int) -> Mapping[str, Sides]:
    """Sort the spans of both sides by their value of a field.

    Args:
        sides: The spans.
        field: The position of the field in `Span.groups`.

    Returns:
        The spans by value.
    """
    by_value: dict[str, Sides] = {}
    for side, spans in enumerate(sides):
        for span in spans:
            if span.groups[field] not in by_value:
                by_value[span.groups[field]] = Sides([], [])
            by_value[span.groups[field]][side].append(span)
    return by_value


MOST_PAIRS = 5_000_000
"""The most pairs of overlapping spans of a document; no text has as many."""

CLASSES_OF_PAIRS = ("CS", "CP", "IS", "IP")
"""Correct or incorrect (the labels), strict or partial (the ends); the best comes first."""


class Pair(NamedTuple):
    """A key span and a response span, by their positions in the lists, and their class."""

    key: int
    response: int
    kind: str

    @property
    def has_same_label(self) -> bool:
        """Return whether both spans have the same label."""
        return self.kind in ("CS", "CP")

    @property
    def has_same_ends(self) -> bool:
        """Return whether both spans have the same ends."""
        return self.kind in ("CS", "IS")


def pair(
    key: Sequence[Span], response: Sequence[Span], *, within_label: bool = False, share: float = 0.0
) -> list[Pair]:
    """Pair the spans of key and response one to one, best first.

    For n spans and m pairs of them that overlap, this takes n log n + m log m steps.

    Args:
        key: The spans of the key.
        response: The spans of the response.
        within_label: Whether pairs of different labels are forbidden.
        share: The least share, from 0 to 1, of the tokens of its key span that a pair has in
            common; it has at least one.

    Returns:
        The pairs, in the order of the key's spans.

    Raises:
        ValueError: More than `MOST_PAIRS` pairs of spans overlap.

    Examples:
        >>> pairs = pair([Span(0, 2, "x"), Span(4, 9, "x")], [Span(0, 2, "y"), Span(3, 5, "x")])
        >>> [(pair.key, pair.response, pair.kind) for pair in pairs]
        [(0, 0, 'IS'), (1, 1, 'CP')]
    """
    candidates = []
    for k, r, shared in _overlapping(key, response):
        span, other = key[k], response[r]
        has_other_label = span.label != other.label
        if shared < share * (span.end - span.start) or (has_other_label and within_label):
            continue
        # The position of the class in `CLASSES_OF_PAIRS`.
        rank = 2 * has_other_label + (span[:2] != other[:2])
        # The best candidates come first.
        candidates.append((rank, -shared, *span[:2], k, *other[:2], r))
        if len(candidates) > MOST_PAIRS:
            raise ValueError(
                f"more than {MOST_PAIRS:,} pairs of overlapping spans in a document; "
                "check that its brackets close where they should"
            )
    pairs: dict[int, Pair] = {}
    taken: set[int] = set()
    for rank, _, _, _, k, _, _, r in sorted(candidates):
        if k not in pairs and r not in taken:
            pairs[k] = Pair(k, r, CLASSES_OF_PAIRS[rank])
            taken.add(r)
    return [pairs[k] for k in sorted(pairs)]


def unmatched(sides: Sides, pairs: Sequence[Pair]) -> Sides:
    """Return the spans of each side that are in none of these pairs."""
    keys = {pair.key for pair in pairs}
    responses = {pair.response for pair in pairs}
    return Sides(
        [span for position, span in enumerate(sides.key) if position not in keys],
        [span for position, span in enumerate(sides.response) if position not in responses],
    )


def _overlapping(key: Sequence[Span], response: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """Yield the positions of a key and a response span that overlap, and the tokens they share."""
    # The positions of the spans of each side that may reach the next start.
    key_reaching: list[int] = []
    response_reaching: list[int] = []
    for start, side, position in _by_start(key, response):
        if side == 0:
            response_reaching = [r for r in response_reaching if response[r].end > start]
            key_reaching.append(position)
            for r in response_reaching:
                yield position, r, min(key[position].end, response[r].end) - start
        else:
            key_reaching = [k for k in key_reaching if key[k].end > start]
            response_reaching.append(position)
            for k in key_reaching:
                yield k, position, min(key[k].end, response[position].end) - start


def stretches(
    key: Sequence[Span], response: Sequence[Span]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the positions of spans in each stretch of overlapping spans, if both sides are in it.

    The spans of a stretch overlap each other, directly or through others.
    """
    sides = key, response
    stretch: tuple[list[int], list[int]] = [], []
    reach = -1
    for start, side, position in _by_start(key, response):
        if start >= reach:
            if all(stretch):
                yield stretch
            stretch = [], []
        stretch[side].append(position)
        reach = max(reach, sides[side][position].end)
    if all(stretch):
        yield stretch


def _by_start(key: Sequence[Span], response: Sequence[Span]) -> list[tuple[int, int, int]]:
    """List start, side (0 for the key) and position of each span by its start."""
    starts = [(span.start, 0, position) for position, span in enumerate(key)]
    starts += [(span.start, 1, position) for position, span in enumerate(response)]
    return sorted(starts)


MEASURES = ("strict", "lenient", "mean")
"""Coextensive pairs are right; overlapping ones as well; the mean of the two."""
SCHEMES = ("semeval_strict", "semeval_exact", "semeval_type", "semeval_partial")
"""The schemes of SemEval-2013: span and label, span alone, label alone, overlap as half a span."""


class Measure(NamedTuple):
    """One measure of some counts; ratios from 0 to 1, None for what a measure does not have.

    `missing` and `spurious` hold what is incorrect too, `true_missing` and `true_spurious` do not;
    those of SemEval's schemes do not either, and all pairs that are not right are incorrect there.
    `error_rate`: incorrect / response. `accurate`: key spans with exactly one response span of the
    same ends (strict) or overlapping (lenient), and that one correct. `accuracy`: accurate / key.
    The lenient measure has the counts of spans that overlap several of the other side or none, as
    in `SpanCounts`.
    """

    measure: str
    recall: float | None
    precision: float | None
    f: float | None
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
    accurate: int | None = None
    accuracy: float | None = None
    several_responses: int | None = None
    no_response: int | None = None
    no_key: int | None = None

    def without_ratios(self) -> Measure:
        """Return the counts alone."""
        return self._replace(recall=None, precision=None, f=None, error_rate=None, accuracy=None)

    def trials(self) -> Trials | None:
        """Return the counts as true and false positives and negatives; None of a mean."""
        if self.key is None or self.response is None or self.correct is None:
            return None
        return Trials(self.correct, self.response - self.correct, self.key - self.correct)


class Results(NamedTuple):
    """The pairs that a measure takes as correct, as half correct, and as incorrect."""

    correct: int
    partial: int
    incorrect: int


def results_of(measure: str, kinds: Kinds) -> Results:
    """Sort pairs as a measure judges them."""
    cs, cp, is_, ip = kinds
    results = {
        "strict": Results(cs, 0, is_),
        "lenient": Results(cs + cp, 0, is_ + ip),
        "semeval_strict": Results(cs, 0, cp + is_ + ip),
        "semeval_exact": Results(cs + is_, 0, cp + ip),
        "semeval_type": Results(cs + cp, 0, is_ + ip),
        "semeval_partial": Results(cs + is_, cp + ip, 0),
    }
    return results[measure]


def measures(counts: SpanCounts, beta: float = 1.0) -> list[Measure]:
    """Compute the measures of counts: strict, lenient and their mean, then SemEval's schemes.

    Recall and precision are 1 if both sides are empty, and 0 if one is.

    Args:
        counts: The counts of a document, or of several.
        beta: The weight of recall in F; above 1 recall weighs more.

    Returns:
        The seven measures.
    """
    strict = _measure(counts, "strict", counts.sole_strict, beta)
    lenient = _measure(counts, "lenient", counts.sole_lenient, beta)._replace(
        several_responses=counts.several_responses,
        no_response=counts.no_response,
        no_key=counts.no_key,
    )
    mean = mean_of([[strict], [lenient]])[0]._replace(measure="mean")
    return [strict, lenient, mean, *(_scheme(counts, name, beta) for name in SCHEMES)]


def _measure(counts: SpanCounts, name: str, sole: int, beta: float) -> Measure:
    """Compute the strict or the lenient measure."""
    results = results_of(name, counts.kinds)
    paired = results.correct + results.incorrect
    recall, precision = _recall_and_precision(results.correct, counts)
    accuracy = sole / counts.key if counts.key else None
    return Measure(
        name,
        recall,
        precision,
        f_measure(recall, precision, beta),
        key=counts.key,
        response=counts.response,
        correct=results.correct,
        incorrect=results.incorrect,
        missing=counts.key - results.correct,
        spurious=counts.response - results.correct,
        true_missing=counts.key - paired,
        true_spurious=counts.response - paired,
        error_rate=_ratio(results.incorrect, counts.response, 0.0),
        accurate=sole,
        accuracy=accuracy,
    )


def _scheme(counts: SpanCounts, name: str, beta: float) -> Measure:
    """Compute a scheme of SemEval-2013."""
    results = results_of(name, counts.sharing)
    paired = results.correct + results.partial + results.incorrect
    right = results.correct + results.partial / 2
    recall, precision = _recall_and_precision(right, counts)
    return Measure(
        name,
        recall,
        precision,
        f_measure(recall, precision, beta),
        key=counts.key,
        response=counts.response,
        correct=results.correct,
        partial=results.partial,
        incorrect=results.incorrect,
        missing=counts.key - paired,
        spurious=counts.response - paired,
    )


def _recall_and_precision(right: float, counts: SpanCounts) -> tuple[float, float]:
    if_empty = 1.0 if not counts.key and not counts.response else 0.0
    return _ratio(right, counts.key, if_empty), _ratio(right, counts.response, if_empty)


def _ratio(numerator: float, denominator: int, if_empty: float) -> float:
    """Divide, or return what is given for a denominator of 0."""
    return if_empty if denominator == 0 else numerator / denominator


def f_measure(recall: float, precision: float, beta: float) -> float:
    """Compute F = (β² + 1) P R / (β² P + R); 0 where that is 0/0."""
    weight = beta * beta
    below = weight * precision + recall
    return (weight + 1) * precision * recall / below if below else 0.0


def mean_of(measured: Sequence[Sequence[Measure]]) -> list[Measure]:
    """Average recall, precision and F over several lists of the same measures (macro-average)."""
    if not measured:
        return []
    means = []
    for position, first in enumerate(measured[0]):
        same = [measures[position] for measures in measured]
        means.append(
            Measure(
                first.measure,
                _mean([measure.recall for measure in same]),
                _mean([measure.precision for measure in same]),
                _mean([measure.f for measure in same]),
            )
        )
    return means


def _mean(ratios: Sequence[float | None]) -> float | None:
    """Average ratios; None if one of them is."""
    known = [ratio for ratio in ratios if ratio is not None]
    return None if len(known) < len(ratios) else sum(known) / len(known)
