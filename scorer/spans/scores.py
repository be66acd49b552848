"""Scores of spans: by document, in total, at thresholds, and changes to a second response.

The function `scorer.score_spans`, its result and the choices of its report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from conll.check import to_tell
from conll.errors import Problem, check_choice, distinct, pluralize
from scorer.engine.score import WholeCorpus
from scorer.evaluation.averages import Input, input_of
from scorer.evaluation.evaluation import group_of
from scorer.evaluation.report import COMMON_AVERAGING, combined
from scorer.events import Events, LibraryEvents
from scorer.jobs.corpora import open_corpora
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options, compiled
from scorer.report.columns import Table
from scorer.report.report import Report
from scorer.result import Result
from scorer.signatures import checked
from scorer.spans.changes import (
    Change,
    Cut,
    ListedSpan,
    SpanChanges,
    changes,
    cuts_of,
    summarize_changes,
)
from scorer.spans.changes import list_spans as spans_of_document
from scorer.spans.counts import (
    MEASURES,
    Measure,
    Pair,
    Sides,
    SpanCounts,
    count,
    mean_of,
    measures,
    plus,
    sides_by_value,
    total,
)
from scorer.spans.reading import SpanReader, SpanSettings
from scorer.spans.spans_report import FINISHES, sections_of
from scorer.statistics.estimates import Posterior, chance_of_higher_f, posterior_intervals
from scorer.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SECTIONS = ("scores", "spans")
"""The sections of the report of spans: figures, and the list of spans."""
INTERVALS = ("posterior",)
"""The kinds of intervals that the report of spans can have."""


@dataclass(frozen=True, kw_only=True)
class SpanLayout:
    """The choices of a report.

    Attributes:
        per_document: Whether documents are shown above the totals.
        average: Totals ("micro"), means over documents ("macro"), or "both".
        group_by: A regular expression that puts documents into groups.
        show: Some of `SECTIONS`.
        interval: One of `INTERVALS`; None for no intervals.
        confidence: The confidence level of the intervals; 0.95 if not given.
        rounding: How percent are written, as in `scorer.options`.

    Raises:
        ValueError: A choice is impossible.
    """

    per_document: bool = False
    average: str = "micro"
    group_by: str | None = None
    show: Sequence[str] = ("scores",)
    interval: str | None = None
    confidence: float | None = None
    rounding: str = "round"

    def __post_init__(self) -> None:
        check_choice("average", self.average, COMMON_AVERAGING)
        for section in self.show:
            check_choice("show", section, SECTIONS)
        if self.interval is not None:
            check_choice("interval", self.interval, INTERVALS)
        if self.confidence is not None and self.interval is None:
            raise ValueError("confidence: it is that of intervals; add --interval posterior")
        if not 0 < self.level < 1:
            raise ValueError(f"confidence: {self.confidence} is not between 0 and 1")
        if self.group_by is not None:
            compiled(self.group_by)
        own_choices = {
            "per_document": self.per_document,
            "average": self.average != SpanLayout.average,
            "group_by": self.group_by is not None,
            "interval": self.interval is not None,
        }
        self._check_list(own_choices)

    def check_settings(self, settings: SpanSettings, *, is_compared: bool) -> None:
        """Check that settings and a second response have an effect on what is shown.

        Args:
            settings: How spans are scored.
            is_compared: Whether there is a second response.

        Raises:
            ValueError: Only spans are listed, and one changes figures alone.
        """
        chosen = {
            "against": is_compared,
            "thresholds": settings.thresholds is not None,
            "by": bool(settings.group_fields),
            "beta": settings.beta != SpanSettings.beta,
            # SemEval's schemes have pairs of their own, which are not listed.
            "min_overlap": settings.min_overlap != SpanSettings.min_overlap,
        }
        self._check_list(chosen)

    def _check_list(self, chosen: Mapping[str, bool]) -> None:
        """Raise ValueError for a choice about figures where only spans are listed."""
        if self.shows_scores:
            return
        for name, is_chosen in chosen.items():
            if is_chosen:
                raise ValueError(f"{name}: the list of spans has no figures; show scores as well")

    @property
    def level(self) -> float:
        """Return the confidence level of intervals."""
        return 0.95 if self.confidence is None else self.confidence

    @property
    def shows_scores(self) -> bool:
        """Return whether figures are shown."""
        return "scores" in self.show

    @property
    def shows_spans(self) -> bool:
        """Return whether spans are listed."""
        return "spans" in self.show

    def signed(self, output_format: str) -> dict[str, Any]:
        """Return the fields of a signature that say what a report shows."""
        fields: dict[str, Any] = {"format": output_format, "average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.group_by is not None:
            fields["groups"] = self.group_by
        if tuple(self.show) != ("scores",):
            fields["show"] = list(self.show)
        if self.interval is not None:
            fields |= {"interval": self.interval, "confidence": self.level}
        if self.rounding != "round":
            fields["rounding"] = self.rounding
        return fields


@dataclass(repr=False)
class SpanScores(Result):
    """The counts of each document in key order, and what else was asked for.

    `str()` of it is the table.

    Attributes:
        settings: Which spans were scored, and how.
        documents: The counts by document.
        values_by_field: By each field of `settings.group_fields` and by its values, the counts of
            the spans that have the value, on both sides, over all documents.
        cuts: The counts at each threshold, from the highest.
        spans: Each span with its result and its text, if `settings.list_spans`.
        changes: The changes to a second response; None without one.
        problems: Warnings about the files.
        inputs: The files that were scored.

    Examples:
        >>> from scorer import score_spans
        >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
        >>> scores.measures()["lenient"].recall
        1.0
    """

    settings: SpanSettings
    documents: dict[str, SpanCounts] = field(default_factory=dict)
    values_by_field: dict[str, dict[str, SpanCounts]] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    spans: list[ListedSpan] = field(default_factory=list)
    changes: SpanChanges | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @cached_property
    def has_spans(self) -> bool:
        """Return whether any document has a span, without which there are no figures."""
        return any(counts.key or counts.response for counts in self.documents.values())

    @property
    def total(self) -> SpanCounts:
        """Add up the counts of all documents."""
        return total(self.documents.values(), SpanCounts())

    @property
    def values(self) -> dict[str, SpanCounts]:
        """Return the counts by value of the first field that spans are grouped by."""
        return next(iter(self.values_by_field.values()), {})

    def measures(self) -> dict[str, Measure]:
        """Compute the measures of the total by their names (micro-average)."""
        return {measure.measure: measure for measure in self.measured(self.total)}

    def measured(self, counts: SpanCounts) -> list[Measure]:
        """Compute the measures of counts, in the order of reports.

        Ratios are None where no document has a span.
        """
        measured = measures(counts, self.settings.beta)
        if self.has_spans:
            return measured
        return [measure.without_ratios() for measure in measured]

    @checked
    def intervals(self, confidence: float = 0.95) -> dict[str, Posterior]:
        """Compute posterior intervals of the total, by the names of measures: strict and lenient.

        They treat spans as independent.
        """
        intervals = {}
        for measure in self.measured(self.total)[:2]:
            trials = measure.trials()
            if trials is not None and self.has_spans:
                intervals[measure.measure] = posterior_intervals(
                    trials, confidence=confidence, beta=self.settings.beta
                )
        return intervals

    def chances_of_second(self) -> dict[str, float]:
        """Compute the probability that the second response has the higher F, by measure.

        It treats spans as independent.
        """
        chances: dict[str, float] = {}
        if self.changes is None:
            return chances
        beta = self.settings.beta
        second = measures(self.changes.total, beta)
        for before, after in zip(measures(self.total, beta), second):
            trials, other_trials = before.trials(), after.trials()
            if before.measure in MEASURES and trials is not None and other_trials is not None:
                chances[before.measure] = chance_of_higher_f(other_trials, trials, beta=beta)
        return chances

    def macro(self, groups: Mapping[str, SpanCounts] | None = None) -> list[Measure]:
        """Average the measures over documents, or over groups such as `values`."""
        averaged = self.documents if groups is None else dict(groups)
        return mean_of([self.measured(counts) for counts in averaged.values()])

    def group_by(self, pattern: str) -> dict[str, SpanCounts]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: total(counts, SpanCounts()) for name, counts in groups.items()}

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        inputs = {source.side: source for source in self.inputs}
        return signature(self.settings.signed(), self.documents, inputs, report)

    layout_type: ClassVar[type[Any]] = SpanLayout
    own_formats: ClassVar[tuple[str, ...]] = ("svg",)
    title = "Span scores"

    def tables_of(self, layout: SpanLayout) -> list[Table]:
        return sections_of(self, layout)

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        return FINISHES

    def to_dict(self, **options: Any) -> dict[str, Any]:
        return super().to_dict(**{"per_document": True, "average": "both"} | options)

    def to_frame(self, section: str = "documents", **options: Any) -> pd.DataFrame:
        return super().to_frame(section, **{"per_document": True} | options)

    def __repr__(self) -> str:
        return f"<SpanScores of {pluralize(len(self.documents), 'document')}: {self.settings.kind}>"


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
    inputs: Mapping[str, Input],
    layout: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the signature of a result with such settings, documents, inputs and layout."""
    fields: dict[str, Any] = {"scorer": f"conll-scorer {__version__}"}
    fields |= settings
    fields["documents"] = len(documents)
    for name, source in inputs.items():
        fields[name] = combined([source])
    if layout:
        fields["report"] = layout
    return fields


@checked
def score_spans(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    against: Documents | None = None,
    of: str = "mentions",
    label: str | Sequence[str] | None = None,
    beta: float = 1.0,
    within_label: bool = False,
    min_overlap: float = 0.0,
    by: str | Sequence[str] | None = None,
    thresholds: str | None = None,
    score: str = "confidence",
    documents: str | None = None,
    scheme: str | None = None,
    list_spans: bool = False,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
    response_format: str | None = None,
) -> SpanScores:
    """Score the spans of a response against those of a key, strictly and leniently.

    Args:
        key: What `scorer.score` takes.
        response: The same.
        against: Another response: what changes from this one to the other.
        of: Score "mentions", or "names" with their labels.
        label: The field, or several, whose values have to be equal: "label" of names, a column or
            an attribute of mentions; the label of names alone if not given.
        beta: The weight of recall in F.
        within_label: Never pair spans of different labels.
        min_overlap: For SemEval's schemes, the least share of a key span that a pair has in common.
        by: The field, or several, by whose values spans are scored as well.
        thresholds: Count response spans above each threshold: "0.1", "0.05" or "all".
        score: The field that holds the confidence of response spans.
        documents: As in `scorer.Options`.
        scheme: Read columns of tags strictly by this scheme.
        list_spans: Also list each span with its result and its text, in `SpanScores.spans`.
        document_names: As in `scorer.Options`.
        strict: Treat warnings as errors.
        key_format: The format of the key; it is recognised if not given.
        response_format: The same of the responses.

    Returns:
        The scores.

    Raises:
        ValueError: A setting is impossible, or no file has a field of `label` or `by`.
        ConllError: A file cannot be read, or a response span has no score and `thresholds` need
            one.

    Examples:
        >>> from scorer import score_spans
        >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
        >>> scores.measures()["strict"].recall, scores.measures()["mean"].recall
        (0.5, 0.75)
    """
    settings = SpanSettings(
        kind=of,
        beta=beta,
        within_label=within_label,
        min_overlap=min_overlap,
        label_fields=fields_from(label),
        group_fields=fields_from(by),
        thresholds=thresholds,
        score=score,
        documents=documents,
        scheme=scheme,
        list_spans=list_spans,
    )
    corpora = open_sides(
        key,
        response,
        against,
        document_names,
        key_format=key_format,
        response_format=response_format,
    )
    return score_span_corpora(corpora, settings, LibraryEvents(strict=strict))


def open_sides(
    key: Documents,
    response: Documents,
    against: Documents | None,
    document_names: DocumentNames,
    *,
    key_format: str | None,
    response_format: str | None,
) -> list[WholeCorpus]:
    """Open a key with a response, and with a second response if there is one.

    The arguments are those of `score_spans`.
    """
    return open_corpora(
        key,
        [response] if against is None else [response, against],
        Options(document_names=document_names),
        key_format=key_format,
        response_format=response_format,
    )


def fields_from(fields: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the fields of an argument that takes one, several or none."""
    if fields is None:
        return ()
    if isinstance(fields, str):
        return (fields,)
    return tuple(dict.fromkeys(fields))


def score_span_corpora(
    corpora: Sequence[WholeCorpus], settings: SpanSettings, events: Events
) -> SpanScores:
    """Score the spans of a corpus, and the changes of a second one with the same key.

    Args:
        corpora: The key and the response; then the same key and another response, if any.
        settings: Which spans to score, and how.
        events: Receives warnings and progress.

    Returns:
        The scores.
    """
    readers = [SpanReader(corpus, settings) for corpus in corpora]
    documents: dict[str, SpanCounts] = {}
    values: dict[str, defaultdict[str, SpanCounts]] = {
        field: defaultdict(SpanCounts) for field in settings.group_fields
    }
    sides_of_documents: list[Sides] = []
    other_documents: dict[str, SpanCounts] = {}
    all_changes: list[Change] = []
    listed: list[ListedSpan] = []
    for name in events.watch(readers[0].names):
        document = readers[0].read(name)
        sides = document.spans[settings.kind]
        documents[name], pairs = _counted(sides, settings)
        if settings.list_spans:
            listed += spans_of_document(document, settings.kind, pairs)
        for position, group_field in enumerate(settings.group_fields):
            for value, sides_of_value in sides_by_value(sides, position).items():
                counts = _counted(sides_of_value, settings)[0]
                values[group_field][value] = plus(values[group_field][value], counts)
        if settings.thresholds is not None:
            sides_of_documents.append(sides)
        if len(readers) > 1:
            response = readers[1].read(name).spans[settings.kind].response
            other_sides = Sides(sides.key, response)
            other_documents[name], other_pairs = _counted(other_sides, settings)
            all_changes += changes(name, (sides, pairs), (other_sides, other_pairs))
    readers[0].check_fields()
    scores = SpanScores(
        settings,
        documents=documents,
        values_by_field={field: dict(sorted(counts.items())) for field, counts in values.items()},
        spans=listed,
    )
    if settings.thresholds is not None:
        scores.cuts = cuts_of(
            sides_of_documents, settings.thresholds, within_label=settings.within_label
        )
    if len(readers) > 1:
        scores.changes = summarize_changes(all_changes, documents, other_documents, settings.beta)
    scores.problems = _problems(corpora, readers, scores)
    scores.inputs = [input_of("key", corpora[0].key), input_of("response", corpora[0].response)]
    if len(corpora) > 1:
        scores.inputs.append(input_of("against", corpora[1].response))
    events.warn(to_tell(scores.problems, len(documents)))
    return scores


def _counted(sides: Sides, settings: SpanSettings) -> tuple[SpanCounts, list[Pair]]:
    return count(
        sides.key,
        sides.response,
        within_label=settings.within_label,
        share=settings.min_overlap,
    )


def _problems(
    corpora: Sequence[WholeCorpus], readers: Sequence[SpanReader], scores: SpanScores
) -> list[Problem]:
    """List warnings about the files and what was scored, each once."""
    problems = []
    for reader in readers:
        problems += reader.problems()
        problems += reader.fields_of_one_side()
    text = ""
    if scores.settings.kind == "names" and not scores.total.key:
        text = "no document that is scored has a named entity"
        if "json" in corpora[0].key.format:
            text += "; in JSON they are read from names, ner or predicted_ner"
            text += ", as [first, last, label]"
    elif scores.documents and not scores.has_spans:
        text = "no document that is scored has a mention"
    if text:
        problems.append(Problem(corpora[0].key.path, 0, None, text, side="key"))
    return distinct(problems)
