"""What a report shows of an evaluation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from conll.document import Document

    class Pairs(Protocol):
        """What was scored, as `scorer.engine.corpus.Corpus` holds it, which lies above."""

        only: str | None

        def pair(self, name: str) -> tuple[Document | None, Document | None]:
            """The documents called `name` of the key and of the response; None where there is none."""


AVERAGES = ("micro", "macro", "both")
"""Totals (counts summed over documents, then divided), means over documents, or both."""


class Intervals:
    """The `ends` of confidence intervals by metric and ratio, as fractions.

    `heading`: of their column. `signed`: how they were made, as fields of a signature. `notes`: what they cannot bear.
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


class Layout:
    """The choices that every report offers; ValueError for an unknown average, and for a pattern that is no regular expression.

    `per_document`: the documents above the totals. `average`: micro, macro or both. `by`: a regular expression that puts
    documents into groups (see `Evaluation.by`). `corpus`: what was scored; the perl report prints its clusters, document by
    document, the others do without. `intervals`: of the totals; the page shows them, the others do without.
    """

    __slots__ = ("average", "by", "corpus", "intervals", "per_document")

    def __init__(
        self,
        *,
        per_document: bool = False,
        average: str = "micro",
        by: str | None = None,
        corpus: Pairs | None = None,
        intervals: Intervals | None = None,
    ) -> None:
        if average not in AVERAGES:
            from conll.prose import meant

            raise ValueError(f"average: {average!r} is not one of {', '.join(AVERAGES)}{meant(average, AVERAGES)}")
        if by is not None:
            from scorer.patterns import compiled

            compiled(by)
        self.per_document = per_document
        self.average = average
        self.by = by
        self.corpus = corpus
        self.intervals = intervals

    @property
    def needs_documents(self) -> bool:
        """Whether a report shows more than totals, so that an evaluation must keep its documents."""
        return self.per_document or self.by is not None or self.average != "micro"

    def signed(self, report: str) -> dict[str, Any]:
        """What the signature of that report says of its layout."""
        fields: dict[str, Any] = {"format": report, "average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.by is not None:
            fields["by"] = self.by
        if self.intervals is not None and report == "html":
            fields |= self.intervals.signed
        return fields
