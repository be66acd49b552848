"""The report of an evaluation: one row per metric for documents, groups of documents and totals.

`select` chooses the rows, and every output format is made of the same rows. The HTML report, which
has plots as well, is in `scorer.evaluation.page`, because importing it takes longer than
scoring a small pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.evaluation.evaluation import Layout, both, signature, written
from scorer.report.figures import figure, shares
from scorer.report.forms import Report, frame_of
from scorer.report.table import Cell, Column, Table, metric_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    import pandas as pd

    from scorer.count.counts import Counts, Ratios
    from scorer.evaluation.evaluation import Evaluation
    from scorer.report.page import Page
    from scorer.report.plots import Plot

COUNTS = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")
"""The names of the four counts, in the order of `Counts.as_tuple`."""

FIELDS = ("kind", "name", "metric", "recall", "precision", "f1", *COUNTS)
"""The names of a row's values, in the order of `Row.as_tuple`."""

COLUMNS = (
    Column("metric", "name"),
    Column("recall", spare=4),
    Column("precision", spare=3),
    Column("F1"),
    Column("recall counts", spare=2),
    Column("precision counts", spare=1),
)
"""The columns of the table for readers, which may begin with one that names the rows."""


class Row:
    """One row of a report.

    Attributes:
        kind: What the row is about: document, group, micro (totals) or macro (means over
        documents). name: The name of the document or group, or "". metric: The name of the metric;
        `blanc.coreference` is a part of blanc. ratios: Recall, precision and F1 as fractions; None
        where an average has none. counts: The counts, or None for macro-averages, averages, and
        metrics of several parts.
    """

    __slots__ = ("counts", "kind", "metric", "name", "ratios")

    def __init__(
        self, kind: str, name: str, metric: str, ratios: Ratios, counts: Counts | None
    ) -> None:
        self.kind = kind
        self.name = name
        self.metric = metric
        self.ratios = ratios
        self.counts = counts

    def as_tuple(self) -> tuple[Any, ...]:
        """Return the values of `FIELDS`, with None for those that do not exist."""
        counts = (None,) * len(COUNTS) if self.counts is None else self.counts.as_tuple()
        return self.kind, self.name, self.metric, *self.ratios, *counts

    def to_dict(self) -> dict[str, Any]:
        """Return the ratios and the counts by name."""
        return dict(zip(FIELDS[3:], self.as_tuple()[3:]))


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
        if metric is not None and len(parts) > 1:
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
    if layout.average != "macro":
        yield from rows_of(evaluation, "micro", "", evaluation.totals)
    if layout.average != "micro":
        for name in evaluation.names:
            yield Row("macro", "", name, evaluation.macro(name), None)


def to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the documents, the totals, the removed mentions and the signature as plain data."""
    return _tree(evaluation, Layout(per_document=True), signature(evaluation))


def to_frame(evaluation: Evaluation, rows: str) -> pd.DataFrame:
    """Return a data frame with one row per metric; see `Evaluation.to_frame`.

    Args:
        evaluation: What was scored.
        rows: Which rows: "documents", "totals" or "macro".

    Raises:
        ValueError: `rows` is something else.
    """
    layouts = {
        "documents": ("document", Layout(per_document=True)),
        "totals": ("micro", Layout()),
        "macro": ("macro", Layout(average="macro")),
    }
    if rows not in layouts:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(layouts)}")
    kind, layout = layouts[rows]
    selected = (row.as_tuple() for row in select(evaluation, layout) if row.kind == kind)
    frame = frame_of(selected, FIELDS).astype(dict.fromkeys(FIELDS[3:], float))
    return frame.drop(columns=["kind"] if rows == "documents" else ["kind", "name"])


def plot(evaluation: Evaluation) -> Plot:
    """Plot F1 of each metric, as the HTML report shows it."""
    from scorer.evaluation.page import plot_metrics
    from scorer.report.plots import Plot

    return Plot(plot_metrics(evaluation))


def report_of(evaluation: Evaluation, form: str, layout: Layout | None = None) -> Report:
    """Make the report of an evaluation; its notes say what the filters removed.

    The last records have the kinds `removed` and `signature` and nothing but a name. In JSON Lines
    these have fields of their own.

    Args:
        evaluation: What was scored.
        form: The output format, which the signature names.
        layout: Which rows to show.
    """
    layout = layout or Layout()
    signed = signature(evaluation, layout.signed(form))
    repaired, not_aligned = evaluation.repaired, evaluation.not_aligned

    def records() -> Iterator[dict[str, Any]]:
        yield from _records(evaluation, layout)
        for removed in evaluation.removed:
            yield {"kind": "removed", "name": str(removed)}
        if repaired:
            yield {"kind": "repaired", "name": repaired_note(repaired)}
        if not_aligned:
            yield {"kind": "not_aligned", "name": not_aligned_note(not_aligned)}
        yield {"kind": "signature", "name": written(signed)}

    def objects() -> Iterator[dict[str, Any]]:
        yield from _records(evaluation, layout)
        for removed in removed_of(evaluation):
            yield {"kind": "removed"} | removed
        if repaired:
            yield {"kind": "repaired"} | repaired
        if not_aligned:
            yield {"kind": "not_aligned", "documents": not_aligned}
        yield {"kind": "signature"} | signed

    def page() -> Page:
        from scorer.evaluation.page import page_of

        return page_of(evaluation, signed, layout)

    def perl() -> str:
        from scorer.perl import render

        return render(evaluation, layout)

    return Report(
        form,
        "Coreference scores",
        tables=lambda: [_table(evaluation, layout)],
        notes=_notes(evaluation),
        signatures=both(signed),
        fields=FIELDS,
        records=records,
        objects=objects,
        tree=lambda: _tree(evaluation, layout, signed),
        page=page,
        own={"perl": perl},
    )


def _notes(evaluation: Evaluation) -> list[str]:
    """List what the filters removed, what was repaired, and what was not aligned."""
    notes = [*map(str, evaluation.removed)]
    if evaluation.repaired:
        notes.append(repaired_note(evaluation.repaired))
    if evaluation.not_aligned:
        notes.append(not_aligned_note(evaluation.not_aligned))
    return notes


def not_aligned_note(documents: int) -> str:
    """Write in how many documents a model did not write the text of the key."""
    from conll.errors import pluralize

    return f"not aligned: {pluralize(documents, 'document')}"


def repaired_note(amounts: Mapping[str, int]) -> str:
    """Write what was repaired, by kind.

    >>> repaired_note({"changed word": 3, "unclosed tag": 1})
    'repaired: 3 changed words, 1 unclosed tag'
    """
    from conll.errors import pluralize

    return f"repaired: {', '.join(pluralize(number, kind) for kind, number in amounts.items())}"


def removed_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """List what each filter removed from each side, as plain data."""
    fields = ("filter", "side", "mentions", "clusters", "documents")
    return [dict(zip(fields, removed.as_tuple())) for removed in evaluation.removed]


def _records(evaluation: Evaluation, layout: Layout) -> Iterator[dict[str, Any]]:
    return (dict(zip(FIELDS, row.as_tuple())) for row in select(evaluation, layout))


def _tree(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> dict[str, Any]:
    """Nest the rows: lists of documents and groups, `totals` and `macro`, each by metric."""
    blocks: dict[tuple[str, str], dict[str, Any]] = {}
    for row in select(evaluation, layout):
        blocks.setdefault((row.kind, row.name), {})[row.metric] = row.to_dict()
    tree: dict[str, Any] = {}
    for (kind, name), metrics in blocks.items():
        if kind in {"document", "group"}:
            tree.setdefault(f"{kind}s", []).append({"name": name, "metrics": metrics})
        else:
            tree["totals" if kind == "micro" else kind] = metrics
    tree["removed"] = removed_of(evaluation)
    if evaluation.repaired:
        tree["repaired"] = evaluation.repaired
    if evaluation.not_aligned:
        tree["not_aligned"] = evaluation.not_aligned
    return tree | {"signature": signed}


def _table(evaluation: Evaluation, layout: Layout) -> Table:
    """Make the table of the rows without parts of metrics; each name stands in its first row."""
    rows = [row for row in select(evaluation, layout) if row.metric in evaluation.names]
    named = any(row.kind != "micro" for row in rows)
    columns = list(COLUMNS)
    if named:
        heading = "document" if layout.per_document else "group" if layout.by else ""
        columns.insert(0, Column(heading, "head"))
    titles = {"micro": "micro-average", "macro": "macro-average"}
    cells: list[list[Cell | str]] = []
    before: tuple[str, str] | None = None
    for row in rows:
        title = row.name or "(no group)" if row.kind == "group" else titles.get(row.kind, row.name)
        name = [title if (row.kind, row.name) != before else ""] if named else []
        before = row.kind, row.name
        figures = [figure(ratio, evaluation.options.rounding) for ratio in row.ratios.as_tuple()]
        cells.append([*name, metric_cell(row.metric), *figures, *shares(row.counts)])
    return Table(columns, cells)
