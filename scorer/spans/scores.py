"""Scores of spans: by document, in total, at thresholds, and changes to a second response."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import accumulate
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from conll.errors import Problem, pluralize
from conll.tags import SCHEMES
from scorer.evaluation.evaluation import Input, Layout, combined, group_of
from scorer.options import compiled
from scorer.result import Result
from scorer.spans.spans import (
    KINDS,
    MEASURES,
    Kinds,
    Measure,
    Pair,
    Span,
    SpanCounts,
    mean_of,
    measures,
    pair,
    stretches,
    total,
)
from scorer.version import __version__

if TYPE_CHECKING:
    import pandas as pd


OF = ("mentions", "names")
"""What spans can be of: mentions of coreference, which have no label, or named entities."""


@dataclass(frozen=True)
class SpanSettings:
    """How spans are scored; ValueError for what is impossible.

    `of`: mentions or names. `beta`: of F. `within_label`: whether pairs of other labels are
    forbidden. `min_overlap`: the least share of a key span, from 0 to 1, that a pair has in common
    for SemEval's schemes. `by`: the field by whose values spans are grouped: label, or a column or
    an attribute of the files. `thresholds`: one of the sets of `SETS`, None for none. `score`: the
    attribute or column that holds the scores of the response. `documents`: only those in whose name
    this regular expression is found. `scheme`: one of `conll.tags.SCHEMES` by which columns of tags
    are read strictly; None to read them leniently.
    """

    of: str = "mentions"
    beta: float = 1.0
    within_label: bool = False
    min_overlap: float = 0.0
    by: str | None = None
    thresholds: str | None = None
    score: str = "confidence"
    documents: str | None = None
    scheme: str | None = None

    def __post_init__(self) -> None:
        if self.scheme is not None and self.scheme not in SCHEMES:
            raise ValueError(f"scheme: {self.scheme!r} is not one of {', '.join(SCHEMES)}")
        if self.scheme is not None and self.of != "names":
            raise ValueError("scheme: tags are of names; score these (--of names)")
        if self.of not in OF:
            raise ValueError(f"of: {self.of!r} is not one of {', '.join(OF)}")
        if not self.beta > 0:
            raise ValueError(f"beta: {self.beta} is not greater than 0")
        if not isfinite(self.beta * self.beta):
            raise ValueError(f"beta: the square of {self.beta} is too large for a number")
        if not 0 <= self.min_overlap <= 1:
            raise ValueError(f"min_overlap: {self.min_overlap} is not from 0 to 1")
        if self.thresholds is not None and self.thresholds not in SETS:
            choice = ", ".join(map(repr, SETS))
            raise ValueError(f"thresholds: {self.thresholds!r} is not one of {choice}")
        if self.thresholds is not None and not isinstance(self.score, str):
            raise ValueError(f"score: {self.score!r} is not the name of an attribute or a column")

    def signed(self) -> dict[str, Any]:
        """Return what a signature says of them."""
        fields: dict[str, Any] = {"spans": self.of, "beta": _exactly(self.beta)}
        if self.within_label:
            fields["labels"] = "within"
        if self.min_overlap:
            fields["overlap"] = _exactly(self.min_overlap)
        if self.by is not None:
            fields["values"] = self.by
        if self.thresholds is not None:
            fields |= {"thresholds": self.thresholds, "score": self.score}
        if self.scheme is not None:
            fields["scheme"] = self.scheme
        return fields | {"filter": self.documents}


def _exactly(number: float) -> str:
    """A number with as many digits as tell it from all others."""
    return repr(float(number)).removesuffix(".0")


# Thresholds

SETS = {
    "0.1": tuple(at / 10 for at in range(11)),
    "0.05": tuple(at / 20 for at in range(21)),
    "all": None,
}
"""The sets of thresholds by their names; `all` is every score that occurs."""


class Cut(NamedTuple):
    """What is counted of the response spans whose score is the threshold or more.

    Without accuracy and the counts next to it, and with no least overlap.
    """

    threshold: float
    counts: SpanCounts


def cuts_of(
    documents: Iterable[tuple[Sequence[Span], Sequence[Span]]],
    thresholds: str,
    *,
    within_label: bool = False,
) -> list[Cut]:
    """Count the spans of key and response at each threshold of a set, from the highest.

    Every response span has a score. A stretch of spans that overlap is paired anew at each score in
    it, and nothing else is: that takes about as long as pairing once where stretches are short.

    >>> spans = [Span(0, 1), Span(1, 2)], [Span(0, 1, score=0.5), Span(1, 2, score=0.25)]
    >>> [(cut.threshold, cut.counts.kinds.correct_strict) for cut in cuts_of([spans], "all")]
    [(0.5, 1), (0.25, 2)]
    """
    keys = 0
    # By score: the response spans that have it, and the pairs of each class that it adds.
    gains: defaultdict[float, Counter[str]] = defaultdict(Counter)
    for key, response in documents:
        scores = [span.score or 0.0 for span in response]
        keys += len(key)
        for score in scores:
            gains[score]["response"] += 1
        for key_places, places in stretches(key, response):
            spans = [key[place] for place in key_places]
            before: Counter[str] = Counter()
            for score in sorted({scores[place] for place in places}, reverse=True):
                others = [response[place] for place in places if scores[place] >= score]
                pairs = pair(spans, others, within_label=within_label)
                now = Counter(pair.kind for pair in pairs)
                gains[score].update(now)
                gains[score].subtract(before)
                before = now
    ranked = sorted(gains, reverse=True)
    sums = [*accumulate((gains[score] for score in ranked), initial=Counter[str]())]
    cuts = []
    for threshold in ranked if SETS[thresholds] is None else reversed(SETS[thresholds] or ()):
        numbers = sums[bisect_right(ranked, -threshold, key=lambda score: -score)]
        kinds = Kinds(*(numbers[kind] for kind in KINDS))
        cuts.append(Cut(threshold, SpanCounts(keys, numbers["response"], kinds, kinds)))
    return cuts


def area(cuts: Sequence[Cut], measure: str) -> float:
    """Compute the area under the curve of precision over recall.

    It is the sum over cuts of the gain in recall times the precision.

    `measure` is strict or lenient. Recall never falls as the threshold does: one more response span
    takes no pair from the others without giving one. Only of an empty key it does, from 1 to 0 with
    the first response span: the area is what is left of it.
    """
    points = [measures(cut.counts)[MEASURES.index(measure)][1:3] for cut in cuts]
    if cuts and not cuts[-1].counts.key:
        return points[-1][0]
    found = before = 0.0
    for recall, precision in points:
        found += (recall - before) * precision
        before = recall
    return found


# Two responses

CLASSES = {
    "CS": "correct, strict",
    "CP": "correct, partial",
    "IS": "incorrect, strict",
    "IP": "incorrect, partial",
    "ML": "missing",
    "SL": "spurious",
    "A": "absent",
}
"""What a key span (the first five) or a response span without a partner (the last two) is in a
response."""

BETTER = frozenset(
    [
        *(("CP", "CS"), ("IS", "CS"), ("IS", "CP"), ("IP", "CS"), ("IP", "CP"), ("IP", "IS")),
        *(("ML", "CS"), ("ML", "CP"), ("SL", "A")),
    ]
)
WORSE = frozenset((second, first) for first, second in BETTER)
"""Changes from the first response to the second; what is in neither (IS and IP to or from ML)
is neither."""


def verdict(first: str, second: str) -> str:
    """Say whether the second class is better, worse, the same or neither.

    >>> verdict("IP", "CS"), verdict("A", "SL"), verdict("ML", "IS"), verdict("CS", "CS")
    ('better', 'worse', 'neither', 'same')
    """
    if (first, second) in BETTER:
        return "better"
    if (first, second) in WORSE:
        return "worse"
    return "same" if first == second else "neither"


class Change(NamedTuple):
    """A span of a document with its class in the first response and in the second."""

    document: str
    span: Span
    first: str
    second: str

    @property
    def verdict(self) -> str:
        """Say whether the second response is better, worse, the same or neither."""
        return verdict(self.first, self.second)


class Difference(NamedTuple):
    """What a second response has more of recall, precision and F of a measure.

    `p`: of the difference in F, two-sided, from randomisation over documents.
    """

    measure: str
    recall: float
    precision: float
    f: float
    p: float


def changes(
    document: str,
    key: Sequence[Span],
    first: tuple[Sequence[Span], Sequence[Pair]],
    second: tuple[Sequence[Span], Sequence[Pair]],
) -> Iterator[Change]:
    """What became of each span of the key, and of each span of a response that stands for none.

    Each response with its pairs.

    A span that stands for none in both responses is the same one if ends and label are.
    """
    classes = [{pair.key: pair.kind for pair in pairs} for _, pairs in (first, second)]
    for place, span in enumerate(key):
        yield Change(document, span, *(kinds.get(place, "ML") for kinds in classes))
    alone = []
    for response, pairs in (first, second):
        taken = {pair.response for pair in pairs}
        spans = (span[:3] for place, span in enumerate(response) if place not in taken)
        alone.append(Counter(spans))
    for ends in sorted(alone[0] | alone[1]):
        both = min(alone[0][ends], alone[1][ends])
        span = Span(*ends)
        yield from [Change(document, span, "SL", "SL")] * both
        yield from [Change(document, span, "SL", "A")] * (alone[0][ends] - both)
        yield from [Change(document, span, "A", "SL")] * (alone[1][ends] - both)


@dataclass
class SpanChanges:
    """What a second response changes.

    Attributes:
        counts: the number of spans by class in the first and in the second response.
        changed: the spans whose class is not the same in both, document by document.
        differences: of the strict and of the lenient measure.
        units: over how many documents, or groups of parts of one, the randomisation goes.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    changed: list[Change] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    units: int = 0

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changed)

    def add(self, changes: Sequence[Change]) -> None:
        """Add what became of the spans of a document."""
        self.counts.update((change.first, change.second) for change in changes)
        self.changed += [change for change in changes if change.first != change.second]


# All of it

PartT = TypeVar("PartT")


def grouped(documents: Mapping[str, PartT], pattern: str) -> dict[str, list[PartT]]:
    """Sort documents into groups by what a regular expression captures in their names."""
    search = compiled(pattern).search
    groups: dict[str, list[PartT]] = {}
    for name, document in documents.items():
        groups.setdefault(group_of(search(name)), []).append(document)
    return dict(sorted(groups.items()))


def signature(
    settings: dict[str, Any],
    documents: Sized,
    inputs: Sequence[Input],
    sides: Sequence[str],
    layout: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the signature of a result with such settings, documents, inputs and layout."""
    fields = {"scorer": f"conll-scorer {__version__}", **settings, "documents": len(documents)}
    for side in sides:
        fields[side] = combined([source for source in inputs if source.side == side])
    return fields | ({"report": layout} if layout else {})


@dataclass(repr=False)
class SpanScores(Result):
    """The counts of each document in key order, and what else was asked for.

    `str()` of it is the table.

    `values`: by the value of the field `settings.by`, the counts of the spans that have it, on both
    sides, over all documents. `cuts`: at each threshold, from the highest. `changes`: what a second
    response changes, span by span; None without one. `problems` say what is odd about the files,
    `inputs` are what was scored.

    >>> from scorer import score_spans
    >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
    >>> scores.measures()["lenient"].recall
    1.0
    """

    shown_by: ClassVar[str] = "scorer.spans.spans_report"
    settings: SpanSettings
    documents: dict[str, SpanCounts] = field(default_factory=dict)
    values: dict[str, SpanCounts] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    changes: SpanChanges | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> SpanCounts:
        """Add up the counts of all documents."""
        return total(self.documents.values(), SpanCounts())

    def measures(self) -> dict[str, Measure]:
        """Compute the measures of the total by their names (micro-average)."""
        return {measure.measure: measure for measure in self.measured(self.total)}

    def measured(self, counts: SpanCounts) -> list[Measure]:
        """Compute the measures of counts, in the order of reports."""
        return measures(counts, self.settings.beta)

    def macro(self, groups: dict[str, SpanCounts] | None = None) -> list[Measure]:
        """Average the measures over documents, or over groups such as `values` or `groups`."""
        averaged = self.documents if groups is None else groups
        return mean_of([self.measured(counts) for counts in averaged.values()])

    def groups(self, pattern: str) -> dict[str, SpanCounts]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: total(counts, SpanCounts()) for name, counts in groups.items()}

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        sides = ("key", "response", *(["against"] if self.changes is not None else []))
        return signature(self.settings.signed(), self.documents, self.inputs, sides, layout)

    def text(self, form: str = "table", layout: Layout | None = None) -> str:
        """Show the scores in an output format.

        Args:
            form: one of the formats of every report, or svg.
            layout: what to show; the totals alone if None.

        Returns:
            The text.

        Raises:
            ValueError: if there is no such format, and for a curve without thresholds.
        """
        return self._text(form, layout=layout)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as one object, with each document and all averages."""
        layout = Layout(per_document=True, average="both")
        return dict(self._show.tree(self, layout, self.signature()))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with a row for each document and measure."""
        from scorer.report.forms import frame_of

        rows = [
            (name, *one) for name, counts in self.documents.items() for one in self.measured(counts)
        ]
        columns = ["name", "measure", *Measure._fields[1:]]
        return frame_of(rows, columns).astype(dict.fromkeys(columns[2:], float))

    def __repr__(self) -> str:
        return f"<SpanScores of {pluralize(len(self.documents), 'document')}: {self.settings.of}>"
