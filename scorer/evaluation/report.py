"""The report of an evaluation, in every output format from the same rows.

The HTML report, which has plots as well, is in `scorer.evaluation.page`, because importing it takes
longer than scoring a small pair.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.evaluation.layout import DEFINED, Layout, check_windows
from scorer.evaluation.rows import COLUMNS, Row, select
from scorer.evaluation.signature import signature
from scorer.report.columns import Cell, Column, Table
from scorer.report.paper_table import check_ratios
from scorer.report.report import Report
from scorer.report.signature import format_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from scorer.evaluation.evaluation import Evaluation
    from scorer.report.plots import Plot


def to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the documents, the totals, the removed mentions and the signature as plain data."""
    rows = select(evaluation, Layout(per_document=True))
    return _tree(evaluation, rows, signature(evaluation))


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
    left_out = {"kind"} if rows == "documents" else {"kind", "name"}
    columns = [column for column in COLUMNS if column.name not in left_out]
    selected = [row for row in select(evaluation, layout) if row.kind == kind]
    return Table(columns, selected).to_frame()


def plot(evaluation: Evaluation) -> Plot:
    """Plot F1 of each metric, as the HTML report shows it."""
    from scorer.evaluation.page import plot_metrics
    from scorer.report.plots import Plot

    return Plot(plot_metrics(evaluation))


def report_of(
    evaluation: Evaluation,
    output_format: str,
    layout: Layout | None = None,
    *,
    ratios: str = "all",
) -> Report:
    """Make the report of an evaluation; its notes say what the filters removed.

    Args:
        evaluation: What was scored.
        output_format: The output format, which the signature names.
        layout: Which rows to show.
        ratios: The ratios in LaTeX: all, or f1.

    Raises:
        ValueError: The evaluation has windows, which the report cannot show.
    """
    check_ratios(ratios, output_format)
    layout = layout or Layout()
    if evaluation.windows:
        check_windows(output_format, layout.average)
    signed = signature(evaluation, layout.signed(output_format))
    rows = list(select(evaluation, layout))
    tables = [_table(evaluation, layout, rows)]
    tree = page = text = None
    latex = ""
    closing = _closing_records(evaluation, signed)
    if output_format == "json":
        tree = _tree(evaluation, rows, signed)
    elif output_format == "jsonl":
        closing = _closing_objects(evaluation, signed)
    elif output_format == "html":
        from scorer.evaluation.page import page_of

        page = page_of(evaluation, signed, layout)
    elif output_format == "perl":
        from scorer.perl import render

        text = render(evaluation, layout)
    elif output_format == "latex":
        from scorer.evaluation.paper import latex_of

        latex = latex_of(evaluation, layout.average, ratios)
        # The table of the system has all that there is of totals or means alone.
        has_more_rows = layout.per_document or layout.by or evaluation.windows
        if not has_more_rows and layout.average != "both":
            tables = []
    return Report(
        output_format=output_format,
        title="Coreference scores",
        data=[Table(COLUMNS, rows)],
        tables=tables,
        notes=_notes(evaluation),
        signature=signed,
        closing=closing,
        tree=tree,
        page=page,
        latex=latex,
        text=text,
        own_formats=["perl"],
    )


def _closing_records(evaluation: Evaluation, signed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List what filters removed, what was repaired, and the signature, each as text in `name`."""
    records = [{"kind": "removed", "name": str(removed)} for removed in evaluation.removed]
    if evaluation.repaired:
        records.append({"kind": "repaired", "name": repaired_note(evaluation.repaired)})
    if evaluation.not_aligned:
        records.append({"kind": "not_aligned", "name": not_aligned_note(evaluation.not_aligned)})
    records.append({"kind": "signature", "name": format_signature(signed)})
    return records


def _closing_objects(evaluation: Evaluation, signed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the same for JSON Lines, which have room for more fields."""
    records = [{"kind": "removed"} | removed for removed in removed_of(evaluation)]
    if evaluation.repaired:
        records.append({"kind": "repaired"} | evaluation.repaired)
    if evaluation.not_aligned:
        records.append({"kind": "not_aligned", "documents": evaluation.not_aligned})
    records.append({"kind": "signature", **signed})
    return records


def _notes(evaluation: Evaluation) -> list[str]:
    """List what the filters removed, what was repaired, and what was not aligned."""
    notes = [str(removed) for removed in evaluation.removed]
    if evaluation.repaired:
        notes.append(repaired_note(evaluation.repaired))
    if evaluation.not_aligned:
        notes.append(not_aligned_note(evaluation.not_aligned))
    return notes


def not_aligned_note(documents: int) -> str:
    """Write in how many documents a model did not write the text of the key."""
    return f"not aligned: {pluralize(documents, 'document')}"


def repaired_note(amounts: Mapping[str, int]) -> str:
    """Write what was repaired, by kind.

    Examples:
        >>> repaired_note({"changed word": 3, "unclosed tag": 1})
        'repaired: 3 changed words, 1 unclosed tag'
    """
    repairs = ", ".join(pluralize(number, kind) for kind, number in amounts.items())
    return f"repaired: {repairs}"


def removed_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """List what each filter removed from each side, as plain data."""
    fields = ("filter", "side", "mentions", "clusters", "documents")
    return [dict(zip(fields, removed.as_tuple())) for removed in evaluation.removed]


def _tree(evaluation: Evaluation, rows: Iterable[Row], signed: Mapping[str, Any]) -> dict[str, Any]:
    """Nest the rows: lists of documents and groups, `totals` and `macro`, each by metric."""
    blocks: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        blocks.setdefault((row.kind, row.name), {})[row.metric] = row.to_dict()
    tree: dict[str, Any] = {}
    for (kind, name), metrics in blocks.items():
        if kind == "micro":
            tree["totals"] = metrics
        elif kind in ("macro", DEFINED):
            tree[kind.replace("-", "_")] = metrics
        else:
            tree.setdefault(f"{kind}s", []).append({"name": name, "metrics": metrics})
    tree["removed"] = removed_of(evaluation)
    if evaluation.repaired:
        tree["repaired"] = evaluation.repaired
    if evaluation.not_aligned:
        tree["not_aligned"] = evaluation.not_aligned
    return tree | {"signature": signed}


def _table(evaluation: Evaluation, layout: Layout, rows: Sequence[Row]) -> Table:
    """Make the table of the rows without parts of metrics."""
    shown = [row for row in rows if row.metric in evaluation.names]
    columns = list(COLUMNS)
    is_labelled = any(row.kind != "micro" for row in shown)
    if is_labelled:
        columns.insert(0, _label_column(evaluation, layout))
    return Table(columns, shown, merged=is_labelled, rounding=evaluation.options.rounding)


def _label_column(evaluation: Evaluation, layout: Layout) -> Column:
    """Make the column that says what the rows of a block are about."""
    heading = ""
    if evaluation.windows:
        heading = "window"
    if layout.per_document:
        heading = "document"
    elif layout.by is not None:
        heading = "group"
    return Column(value=attrgetter("kind", "name"), heading=heading, role="head", cell=_label)


def _label(row: Row) -> Cell:
    if row.kind == "micro":
        return Cell("micro-average")
    if row.kind == "macro":
        return Cell("macro-average")
    if row.kind == DEFINED:
        return Cell("macro-average where defined")
    if row.kind == "group":
        return Cell(row.name or "(no group)")
    return Cell(row.name)
