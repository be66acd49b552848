"""Which rows a report of an evaluation shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from conll.errors import did_you_mean
from scorer.options import compiled
from scorer.report import layout as report_layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from conll.document import Document

AVERAGING = ("micro", "macro", "both")
"""Totals (counts summed over documents, then divided), means over documents, or both."""

DEFINED = "macro-defined"
"""Means over the documents in which a ratio is not 0/0."""


class Intervals:
    """Confidence intervals of the totals.

    Attributes:
        heading: The heading of their column.
        ends: The ends by metric and ratio, as fractions.
        signed: How they were made, as fields of a signature.
        notes: Why they may be unreliable.
    """

    __slots__ = ("ends", "heading", "notes", "signed")

    def __init__(
        self,
        heading: str,
        ends: Mapping[tuple[str, str], tuple[float, float]],
        signed: dict[str, Any],
        notes: Sequence[str] = (),
    ) -> None:
        self.heading = heading
        self.ends = ends
        self.signed = signed
        self.notes = notes


@dataclass(frozen=True, kw_only=True)
class Layout(report_layout.Layout):
    """The rows that a report of an evaluation has.

    Attributes:
        per_document: Whether the documents stand above the totals.
        average: "micro", "macro", "both" or "macro-defined".
        by: A regular expression that puts documents into groups, see `Evaluation.by`.
        corpus: The documents that were scored, whose clusters the format perl prints document by
            document; the others do without.
        intervals: Those of the totals, which a page shows; the others do without.
        notes: What a reader of the page has to know besides.
        ratios: The ratios in LaTeX: all, or f1.

    Raises:
        ValueError: The average is unknown, or the pattern is no regular expression.
    """

    per_document: bool = False
    average: str = "micro"
    by: str | None = None
    corpus: ScoredCorpus | None = None
    intervals: Intervals | None = None
    notes: Sequence[str] = ()
    ratios: str = "all"

    def __post_init__(self) -> None:
        known = (*AVERAGING, DEFINED)
        if self.average not in known:
            hint = did_you_mean(self.average, known)
            raise ValueError(f"average: {self.average!r} is not one of {', '.join(known)}{hint}")
        if self.by is not None:
            compiled(self.by)

    @property
    def shows_totals(self) -> bool:
        """The report has the totals."""
        return self.average in ("micro", "both")

    @property
    def means(self) -> str:
        """The means over documents that the report has: macro, macro-defined, or none ("")."""
        if self.average == DEFINED:
            return DEFINED
        return "" if self.average == "micro" else "macro"

    @property
    def needs_documents(self) -> bool:
        """The evaluation must keep its documents, as the report shows more than totals."""
        return self.per_document or self.by is not None or self.average != "micro"

    def signed(self, output_format: str) -> dict[str, Any]:
        """Return what the signature of a report in an output format says of its layout."""
        report_layout.check_ratios(self.ratios, output_format)
        fields = super().signed(output_format) | {"average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.by is not None:
            fields["by"] = self.by
        if self.intervals is not None and output_format == "html":
            fields |= self.intervals.signed
        return fields


def check_windows(output_format: str, average: str) -> None:
    """Raise ValueError for what a report of windows, which are totals, cannot show."""
    advice = "leave out one of them"
    if average != "micro":
        raise ValueError(f"windows are totals, and have no average {average}; {advice}")
    if output_format == "perl":
        raise ValueError(f"the format perl has no room for windows; {advice}")


class ScoredCorpus(Protocol):
    """The documents that were scored, as `scorer.engine.corpus.Corpus` holds them."""

    only: str | None

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        """Return the documents of the key and of the response that have a name, if any."""
