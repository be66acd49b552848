"""Scores of spans: by document, in total, at thresholds, and changes to a second response."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from conll.errors import Problem, check_choice, pluralize
from scorer.evaluation.averages import Input
from scorer.evaluation.report import COMMON_AVERAGING
from scorer.options import compiled
from scorer.report.columns import Table
from scorer.report.report import Report
from scorer.result import Result
from scorer.signatures import checked
from scorer.spans.changes import Cut, ListedSpan, SpanChanges
from scorer.spans.counts import MEASURES, Measure, SpanCounts, mean_of, measures, total
from scorer.spans.settings import SpanSettings, grouped, signature
from scorer.spans.spans_report import FINISHES, sections_of
from scorer.statistics.estimates import Posterior, chance_of_higher_f, posterior_intervals

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
        if self.confidence is None:
            return 0.95
        return self.confidence

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
        averaged = self.documents
        if groups is not None:
            averaged = dict(groups)
        return mean_of([self.measured(counts) for counts in averaged.values()])

    def group_by(self, pattern: str) -> dict[str, SpanCounts]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: total(counts, SpanCounts()) for name, counts in groups.items()}

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        sides = ["key", "response"]
        if self.changes is not None:
            sides.append("against")
        return signature(self.settings.signed(), self.documents, self.inputs, sides, report)

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
        documents = pluralize(len(self.documents), "document")
        return f"<SpanScores of {documents}: {self.settings.kind}>"
