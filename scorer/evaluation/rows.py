"""The rows of an evaluation and their columns: one per metric of documents, groups and totals."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from scorer.evaluation.layout import DEFINED
from scorer.report.columns import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scorer.count.counts import Counts, Ratios
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.layout import Layout


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a report.

    Attributes:
        kind: The kind of what was counted: document, group, window, micro (totals), macro or
            macro-defined (means over documents).
        name: The name of the document or group, the width of windows, or "".
        metric: The name of the metric; `blanc.coreference` is a part of blanc.
        ratios: Recall, precision and F1 as fractions; None where an average has none.
        counts: The counts; None for macro-averages, averages, and metrics of several parts.
    """

    kind: str
    name: str
    metric: str
    ratios: Ratios
    counts: Counts | None

    def count(self, name: str) -> float | None:
        """Return one of the four counts, if there are any."""
        number: float | None = getattr(self.counts, name, None)
        return number

    @property
    def recall_counts(self) -> tuple[float, float] | None:
        """The numerator and the denominator of recall."""
        if self.counts is None:
            return None
        return self.counts.recall_numerator, self.counts.recall_denominator

    @property
    def precision_counts(self) -> tuple[float, float] | None:
        """The numerator and the denominator of precision."""
        if self.counts is None:
            return None
        return self.counts.precision_numerator, self.counts.precision_denominator

    def as_tuple(self) -> tuple[Any, ...]:
        """Return the values of `FIELDS`."""
        return tuple(_record(self, COLUMNS).values())

    def to_dict(self) -> dict[str, Any]:
        """Return the ratios and the counts by name."""
        return _record(self, FIGURES)


def _record(row: Row, columns: Iterable[Column]) -> dict[str, Any]:
    """Return the values of a row by the fields of columns."""
    return {column.name: column.value_of(row) for column in columns if column.name}


def _count_column(name: str) -> Column:
    """Make the column of one of the four counts, which readers see in pairs."""
    return Column(name=name, value=lambda row: row.count(name), kind="count")


METRIC = Column(name="metric", kind="metric", heading="metric")
RECALL = Column(
    name="recall", value=attrgetter("ratios.recall"), kind="ratio", heading="recall", spare=4
)
PRECISION = Column(
    name="precision",
    value=attrgetter("ratios.precision"),
    kind="ratio",
    heading="precision",
    spare=3,
)
F1 = Column(name="f1", value=attrgetter("ratios.f1"), kind="ratio", heading="F1")
COUNTS = (
    _count_column("recall_numerator"),
    _count_column("recall_denominator"),
    _count_column("precision_numerator"),
    _count_column("precision_denominator"),
)
RECALL_COUNTS = Column(
    value=attrgetter("recall_counts"), kind="share", heading="recall counts", spare=2
)
PRECISION_COUNTS = Column(
    value=attrgetter("precision_counts"), kind="share", heading="precision counts", spare=1
)

FIGURES = (RECALL, PRECISION, F1, *COUNTS, RECALL_COUNTS, PRECISION_COUNTS)
"""The columns of ratios and counts."""

COLUMNS = (Column(name="kind"), Column(name="name"), METRIC, *FIGURES)
"""The columns of a row."""

FIELDS = tuple(column.name for column in COLUMNS if column.name)
"""The fields of a record."""


def rows_of(
    evaluation: Evaluation, kind: str, name: str, counts: dict[str, tuple[Counts, ...]]
) -> Iterator[Row]:
    """Yield a row for each metric of an evaluation, followed by the rows of its parts.

    Args:
        evaluation: What was scored; it says which metrics to show.
        kind: The kind of the rows.
        name: The name of the document or group.
        counts: The counts of the parts of each metric.
    """
    for shown in evaluation.names:
        metric = evaluation.metrics.get(shown)
        parts = counts[shown] if metric is not None else ()
        only = parts[0] if len(parts) == 1 else None
        yield Row(kind, name, shown, evaluation.ratios_of(shown, counts), only)
        if metric is None or len(parts) == 1:
            continue
        for part, part_counts in zip(metric.parts, parts):
            yield Row(kind, name, f"{shown}.{part}", part_counts.ratios(), part_counts)


def select(evaluation: Evaluation, layout: Layout) -> Iterator[Row]:
    """Yield the rows that a layout asks for: documents, groups, totals, means over documents."""
    if layout.per_document:
        for document in evaluation.documents:
            yield from rows_of(evaluation, "document", document.name, document.counts)
    if layout.by is not None:
        for name, group in evaluation.by(layout.by).items():
            yield from rows_of(evaluation, "group", name, group.totals)
    for width, windows in evaluation.windows.items():
        yield from rows_of(evaluation, "window", str(width), windows.totals)
    if layout.shows_totals:
        yield from rows_of(evaluation, "micro", "", evaluation.totals)
    if layout.means:
        yield from mean_rows(evaluation, layout.means)


def mean_rows(evaluation: Evaluation, means: str) -> Iterator[Row]:
    """Yield a row for each metric with its means over documents: macro or macro-defined."""
    for name in evaluation.names:
        ratios = evaluation.macro(name, defined=means == DEFINED)
        yield Row(means, "", name, ratios, None)
