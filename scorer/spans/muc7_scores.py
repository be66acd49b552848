"""The reports of MUC-7 as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from conll.errors import Problem, pluralize
from scorer.evaluation.evaluation import Input, Layout
from scorer.result import Result
from scorer.spans.muc7 import Muc7Part, Slots, sum_parts
from scorer.spans.signing import grouped, signature


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
        problems: Warnings about the files.
        inputs: The files that were scored.
    """

    shown_by: ClassVar[str] = "scorer.spans.muc7_report"
    settings: Muc7Settings
    documents: dict[str, Muc7Part] = field(default_factory=dict)
    sections: dict[str, Slots] = field(default_factory=dict)
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
        return signature(settings, self.documents, self.inputs, ("key", "response"), layout)

    def text(self, form: str = "table", layout: Layout | None = None) -> str:
        """Show the reports in an output format.

        Args:
            form: one of the formats of every report, or muc7.
            layout: what to show; the totals alone if None.

        Returns:
            The text.

        Raises:
            ValueError: if there is no such format.
        """
        return self._text(form, layout=layout)

    def __repr__(self) -> str:
        return f"<Muc7Scores of {pluralize(len(self.documents), 'document')}>"
