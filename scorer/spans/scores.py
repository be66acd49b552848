"""Scores of spans: by document, in total, at thresholds, and changes to a second response."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from conll.errors import Problem, pluralize
from scorer.evaluation.evaluation import Input, Layout
from scorer.report.forms import frame_of
from scorer.result import Result
from scorer.spans.changes import SpanChanges
from scorer.spans.counts import SpanCounts, total
from scorer.spans.measures import Measure, mean_of, measures
from scorer.spans.settings import SpanSettings
from scorer.spans.signing import grouped, signature
from scorer.spans.thresholds import Cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd


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
        changes: The changes to a second response; None without one.
        problems: Warnings about the files.
        inputs: The files that were scored.

    >>> from scorer import score_spans
    >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
    >>> scores.measures()["lenient"].recall
    1.0
    """

    shown_by: ClassVar[str] = "scorer.spans.spans_report"
    settings: SpanSettings
    documents: dict[str, SpanCounts] = field(default_factory=dict)
    values_by_field: dict[str, dict[str, SpanCounts]] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    changes: SpanChanges | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

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
        """Compute the measures of counts, in the order of reports."""
        return measures(counts, self.settings.beta)

    def macro(self, groups: Mapping[str, SpanCounts] | None = None) -> list[Measure]:
        """Average the measures over documents, or over groups such as `values` or `groups`."""
        averaged = self.documents
        if groups is not None:
            averaged = dict(groups)
        return mean_of([self.measured(counts) for counts in averaged.values()])

    def groups(self, pattern: str) -> dict[str, SpanCounts]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: total(counts, SpanCounts()) for name, counts in groups.items()}

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        sides = ["key", "response"]
        if self.changes is not None:
            sides.append("against")
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
        rows = []
        for name, counts in self.documents.items():
            rows += [(name, *measure) for measure in self.measured(counts)]
        columns = ["name", "measure", *Measure._fields[1:]]
        return frame_of(rows, columns).astype(dict.fromkeys(columns[2:], float))

    def __repr__(self) -> str:
        documents = pluralize(len(self.documents), "document")
        return f"<SpanScores of {documents}: {self.settings.kind}>"
