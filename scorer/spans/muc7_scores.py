"""The reports of MUC-7 as data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conll.errors import Problem, pluralize
from scorer.evaluation.inputs import Input
from scorer.result import Result
from scorer.spans.layout import SpanLayout
from scorer.spans.muc7 import Muc7Part, Slots, sum_parts
from scorer.spans.muc7_changes import Muc7Changes
from scorer.spans.signing import grouped, signature

if TYPE_CHECKING:
    from scorer.report.columns import Table
    from scorer.report.report import Report


@dataclass(frozen=True)
class Muc7Settings:
    """Settings of `scorer.score_muc7`.

    Attributes:
        partial: Whether an overlap is half correct.
        section: The column or attribute by whose values slots are shown as well; None for none.
        documents: A regular expression that is found in the name of each document to score.
    """

    partial: bool = False
    section: str | None = None
    documents: str | None = None


class Muc7Layout(SpanLayout):
    """The documents and groups that the reports of MUC-7 show; there are no averages."""

    def signed(self, output_format: str) -> dict[str, Any]:
        fields = super().signed(output_format)
        del fields["average"]
        return fields


@dataclass(repr=False)
class Muc7Scores(Result):
    """The reports over some documents; `str()` of it is the table.

    Attributes:
        settings: What was counted.
        documents: The counts by document, in key order.
        sections: By the value of the field `settings.section`, the slots of what lies in it, over
            all documents.
        changes: The differences of a second response; None without one.
        problems: Warnings about the files.
        inputs: The files that were scored.
    """

    settings: Muc7Settings
    documents: dict[str, Muc7Part] = field(default_factory=dict)
    sections: dict[str, Slots] = field(default_factory=dict)
    changes: Muc7Changes | None = None
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    @property
    def total(self) -> Muc7Part:
        """Add up all documents."""
        return sum_parts(list(self.documents.values()))

    def groups(self, pattern: str) -> dict[str, Muc7Part]:
        """Add up documents by what a regular expression captures in their names."""
        groups = grouped(self.documents, pattern)
        return {name: sum_parts(parts) for name, parts in groups.items()}

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        credit = "exact"
        if self.settings.partial:
            credit = "partial"
        settings = {
            "muc7": credit,
            "section": self.settings.section,
            "filter": self.settings.documents,
        }
        sides = ["key", "response"]
        if self.changes is not None:
            sides.append("against")
        return signature(settings, self.documents, self.inputs, sides, report)

    layout_type = Muc7Layout
    own_formats = ("muc7",)
    title = "MUC-7 scores"

    def tables_of(self, layout: SpanLayout) -> list[Table]:
        from scorer.spans.muc7_report import sections_of

        return sections_of(self, layout)

    def opening_notes(self) -> list[str]:
        from scorer.spans.muc7_report import notes_of

        return notes_of(self)

    def finish(self, report: Report, layout: SpanLayout) -> Report:
        if report.output_format == "html":
            from scorer.spans.muc7_report import page_of

            return replace(report, page=page_of(self, report))
        if report.output_format == "muc7":
            from scorer.spans.muc7_text import format_reports

            return replace(report, text=format_reports(self, layout), text_is_signed=True)
        return report

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"
