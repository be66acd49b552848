"""The rows of an evaluation and their columns: one per metric of documents, groups and totals."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from scorer.evaluation.layout import DEFINED
from scorer.report.columns import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
        return tuple(_record(self, (KIND, *COLUMNS)).values())

    def to_dict(self) -> dict[str, Any]:
        """Return the ratios and the counts by name."""
        return _record(self, FIGURES)


def _record(row: Row, columns: Iterable[Column]) -> dict[str, Any]:
    """Return the values of a row by the fields of columns."""
    record: dict[str, Any] = {}
    for column in columns:
        record.update(zip(column.fields, column.values_of(row)))
    return record


KIND = Column(name="kind")
NAME = Column(name="name")
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
RECALL_COUNTS = Column(
    name="recall",
    value=attrgetter("recall_counts"),
    kind="share",
    heading="recall counts",
    spare=2,
)
PRECISION_COUNTS = Column(
    name="precision",
    value=attrgetter("precision_counts"),
    kind="share",
    heading="precision counts",
    spare=1,
)

FIGURES = (RECALL, PRECISION, F1, RECALL_COUNTS, PRECISION_COUNTS)
"""The columns of ratios and counts."""

COLUMNS = (NAME, METRIC, *FIGURES)
"""The columns of a row."""

FIELDS = tuple(Table((KIND, *COLUMNS), ()).names)
"""The fields of a record, and before them the kind of the row."""


SECTIONS = {
    "document": "documents",
    "group": "groups",
    "value": "values",
    "window": "windows",
    "micro": "totals",
    "macro": "totals",
    DEFINED: "totals",
}
"""The sections of rows by their kinds."""

AVERAGE = Column(name="average", value=attrgetter("kind"))
"""What the totals are: micro, macro or macro-defined."""

HEADS = {
    "documents": [NAME],
    "groups": [NAME],
    "windows": [Column(name="width", value=lambda row: int(row.name), kind="whole")],
    "totals": [AVERAGE],
}
"""The columns that say what the rows of a section are about."""


def sections_by_kind(
    rows: Iterable[Any],
    heads: Mapping[str, Sequence[Column]],
    columns: Sequence[Column],
    kinds: Iterable[str] = (),
) -> list[Table]:
    """Make the sections of rows that readers see in other tables, by their kinds.

    Args:
        rows: The rows.
        heads: The first columns of each section.
        columns: The columns of all sections.
        kinds: The kinds that have a section even if there is no such row.
    """
    parts: dict[str, list[Any]] = {SECTIONS[kind]: [] for kind in kinds}
    for row in rows:
        parts.setdefault(SECTIONS[row.kind], []).append(row)
    return [
        Table([*heads[name], *columns], part, section=name, is_shown=False)
        for name, part in parts.items()
    ]


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
            if layout.shows_totals:
                yield from rows_of(evaluation, "group", name, group.totals)
            else:
                yield from mean_rows(group, layout.means, "group", name)
    for width, windows in evaluation.windows.items():
        yield from rows_of(evaluation, "window", str(width), windows.totals)
    if layout.shows_totals:
        yield from rows_of(evaluation, "micro", "", evaluation.totals)
    if layout.means:
        yield from mean_rows(evaluation, layout.means)


def mean_rows(
    evaluation: Evaluation, means: str, kind: str | None = None, name: str = ""
) -> Iterator[Row]:
    """Yield a row for each metric with its means over documents: macro or macro-defined.

    Args:
        evaluation: What was scored.
        means: The kind of means.
        kind: The kind of the rows; by default that of the means.
        name: The name of a group.
    """
    for metric in evaluation.names:
        ratios = evaluation.macro(metric, defined=means == DEFINED)
        yield Row(kind or means, name, metric, ratios, None)


def shown_ratios(evaluation: Evaluation, metric: str, average: str) -> Ratios:
    """Return the figures of all documents that a report shows: the totals, if it has them.

    Args:
        evaluation: What was scored.
        metric: The metric or average of metrics.
        average: micro, macro, both or macro-defined.
    """
    if average in ("micro", "both"):
        return evaluation.ratios(metric)
    return evaluation.macro(metric, defined=average == DEFINED)
