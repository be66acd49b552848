"""The reports of MUC-7 as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conll.errors import Problem, pluralize
from scorer.evaluation.inputs import Input
from scorer.result import Result
from scorer.spans.layout import SpanLayout
from scorer.spans.muc7 import Muc7Part, Slots, sum_parts
from scorer.spans.muc7_changes import Muc7Changes
from scorer.spans.signing import grouped, signature

if TYPE_CHECKING:
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

    def signature(self, layout: dict[str, Any] | None = None) -> dict[str, Any]:
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
        return signature(settings, self.documents, self.inputs, sides, layout)

    def report(self, output_format: str = "table", **options: Any) -> Report:
        """Make the report of `scorer muc7`.

        Args:
            output_format: One of the formats of every report, or muc7.
            options: What the report shows: `per_document` and `group_by`.
        """
        from scorer.spans.muc7_report import report_of

        return report_of(self, output_format.lower(), SpanLayout(**options))

    def text(self, output_format: str = "table", **options: Any) -> str:
        """Show the reports in an output format.

        Args:
            output_format: One of the formats of every report, or muc7.
            options: What to show: `per_document` and `group_by`.

        Raises:
            ValueError: There is no such format.
        """
        return self._text(output_format, **options)

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"
