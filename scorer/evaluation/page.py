"""The HTML report of an evaluation, with plots of metrics, documents and groups of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar

from conll.errors import pluralize, warnings_in
from scorer.count.counts import Ratios
from scorer.evaluation import report
from scorer.registry import AVERAGES
from scorer.registry import title as title_of
from scorer.report import plots
from scorer.report.columns import Column, Table, describe_rounding, figure, interval, metric_columns
from scorer.report.page import Figure, Page, Section
from scorer.report.report import format_signature

if TYPE_CHECKING:
    from scorer.evaluation.averages import Input
    from scorer.evaluation.evaluation import DocumentScore, Evaluation

ScoredT = TypeVar("ScoredT")

PLOTTED = 40
"""The number of groups up to which each has a strip; more groups are in the table alone."""


def main_of(names: Sequence[str]) -> str:
    """Return the metric that a page shows first: the first average, or else the first metric."""
    return next((name for name in names if name in AVERAGES), names[0])


def parts_of(metrics: Iterable[str]) -> list[str]:
    """Return metrics that have recall and precision: those of averages instead of these."""
    parts: dict[str, None] = {}
    for name in metrics:
        parts |= dict.fromkeys(AVERAGES[name].of if name in AVERAGES else (name,))
    return list(parts)


def plot_metrics(
    evaluation: Evaluation, intervals: report.Intervals | None = None, average: str = "micro"
) -> str:
    """Plot F1 of each metric, with its interval where there is one; "" if none is defined."""
    rows = []
    for metric in evaluation.names:
        low, high = intervals.ends[metric, "f1"] if intervals is not None else (nan, nan)
        f1 = report.shown_ratios(evaluation, metric, average).f1
        if f1 is not None:
            rows.append(plots.Interval(title_of(metric), None, f1, low, high))
    rounding = evaluation.options.rounding
    return plots.intervals(rows, _title(intervals), rounding, noun="metric") if rows else ""


def page_of(
    evaluation: Evaluation, signed: Mapping[str, Any], layout: report.Layout, *, errors: str = ""
) -> Page:
    """Make the content of the HTML report.

    The layout says which tables there are. Plots show the documents whenever these were kept.

    Args:
        evaluation: What was scored.
        signed: The fields of the signature.
        layout: Which rows to show.
        errors: The address of a page with the errors, or "".

    Raises:
        ValueError: The pattern `by` of the layout is not a regular expression.
    """
    groups: dict[str, Evaluation] = {}
    if layout.group_by is not None:
        for name, group in evaluation.group_by(layout.group_by).items():
            groups[name or report.ROW_KINDS["group"].unnamed] = group
    summary = f"Figures are percent, {describe_rounding(evaluation.options.rounding)}."
    notes = list(layout.notes)
    if layout.intervals is not None:
        documents = pluralize(len(evaluation.documents), "document")
        summary += f" Intervals are of the totals, from a bootstrap over {documents}."
        notes += layout.intervals.notes
    return Page(
        about=about(evaluation.inputs),
        headline=headline(evaluation.inputs, _score(evaluation, layout)),
        facts=[*facts(evaluation), *_warnings(evaluation)],
        summary=summary,
        errors=errors,
        notes=notes,
        tables=list(_totals(evaluation, layout)),
        sections=list(_plots(evaluation, layout, groups)),
        folded=_folded(evaluation, layout, groups),
        lists=list(_lists(evaluation)),
        signature=f"signature: {format_signature(signed)}",
    )


def _folded(
    evaluation: Evaluation, layout: report.Layout, groups: Mapping[str, Evaluation]
) -> list[Table]:
    """Make the tables of windows, groups and documents, as far as there are any."""
    tables = []
    if evaluation.windows:
        [micro] = report.AVERAGING["micro"]
        widths = {f"{width:,} tokens": part for width, part in evaluation.windows.items()}
        tables.append(figures_by_name("window", evaluation, widths, micro.ratios))
    if groups:
        [average, *_] = layout.averages
        tables.append(figures_by_name("group", evaluation, groups, average.ratios))
    if layout.per_document and evaluation.documents:
        documents = {document.name: document for document in evaluation.documents}
        tables.append(figures_by_name("document", evaluation, documents, _document_ratios))
    return tables


def _document_ratios(document: DocumentScore, metric: str) -> Ratios:
    return document.ratios(metric)


def facts(evaluation: Evaluation, *, response: bool = True) -> Iterator[tuple[str, str]]:
    """Yield what was scored: the number of documents, the inputs, and the options chosen.

    Args:
        evaluation: What was scored.
        response: Whether the response is among the inputs to name.
    """
    yield "documents", f"{evaluation.scored:,}"
    inputs = [source for source in evaluation.inputs if response or source.side == "key"]
    yield from input_facts(inputs)
    chosen = []
    for name, value in evaluation.options.chosen().items():
        if value is not None:
            chosen.append(f"{name} {value}".replace("_", "-"))
    if chosen:
        yield "options", ", ".join(chosen)


def input_facts(inputs: Sequence[Input]) -> Iterator[tuple[str, str]]:
    """Yield each side with the name, the format and the hash of its file."""
    by_side: dict[str, list[Input]] = {}
    for source in inputs:
        by_side.setdefault(source.side, []).append(source)
    for side, sources in by_side.items():
        if len(sources) > 1:
            yield side, f"{len(sources)} inputs"
            continue
        [source] = sources
        details = f"({source.format}, SHA-256 {source.sha256[:12]}…)"
        yield side, f"{source.name} {details}".lstrip()


def about(inputs: Sequence[Input]) -> str:
    """Name the response and the key, `a against b`; "" where one of them has no name."""
    response, key = report.name_of(inputs, "response"), report.name_of(inputs, "key")
    return f"{response} against {key}" if response and key else ""


def headline(inputs: Sequence[Input], scored: str) -> str:
    """Say in a sentence which response has a score, such as `MUC F1 50.00`, against which key."""
    files = about(inputs)
    return f"{files}: {scored}." if files else f"{scored}."


def figures_by_name(
    kind: str,
    evaluation: Evaluation,
    named: Mapping[str, ScoredT],
    ratios: Callable[[ScoredT, str], Ratios],
) -> Table:
    """Make a table with the ratios of every metric by name; the page shows one ratio at a time.

    Args:
        kind: What the names are of, such as "document".
        evaluation: It says which metrics to show, and how to write percent.
        named: What was scored, by name.
        ratios: Returns its ratios by a metric.
    """
    rows: list[dict[str, Any]] = []
    for name, scored in named.items():
        by_metric = {metric: ratios(scored, metric) for metric in evaluation.names}
        rows.append({"": name, **by_metric})
    # A name that no metric has is that of the row.
    columns = [Column(heading=kind, role="head")]
    columns += metric_columns(evaluation.names)
    caption = f"{kind.capitalize()}s"
    return Table(columns, rows, caption=caption, rounding=evaluation.options.rounding)


def _title(intervals: report.Intervals | None) -> str:
    figures = "" if intervals is None else f" with {intervals.heading}s"
    return f"F1 of each metric{figures}"


def _strips(
    evaluations: Iterable[tuple[str, Evaluation, str]], average: str
) -> Iterator[plots.Strip]:
    """Yield a strip for each label, evaluation and metric that has an F1."""
    for label, evaluation, metric in evaluations:
        f1 = report.shown_ratios(evaluation, metric, average).f1
        if f1 is None:
            continue
        documents = evaluation.documents
        dots = [plots.Dot(document.name, document.ratios(metric).f1) for document in documents]
        yield plots.Strip(label, f1, dots)


def recall_against_precision(
    points: Mapping[str, Sequence[plots.Point]],
    description: str,
    rounding: str,
    totals: Mapping[str, plots.Point] | None = None,
    *,
    noun: str = "system",
) -> Iterator[Section]:
    """Plot recall against precision by each metric.

    Args:
        points: The points by metric.
        description: What the caption says of the points.
        rounding: How figures are made percent.
        totals: By metric the point that stands for all of them.
        noun: What a point is.
    """
    figures = []
    for metric, row in points.items():
        shown = title_of(metric)
        title = f"Recall against precision of {shown}"
        total = (totals or {}).get(metric)
        drawn = plots.recall_against_precision(row, title, rounding, noun=noun, total=total)
        figures.append(Figure(drawn, f"{shown}: {description}; dashed lines join equal F1"))
    if figures:
        yield Section("Recall against precision", figures)


def _score(evaluation: Evaluation, layout: report.Layout) -> str:
    """Say the figure that most readers look for first."""
    metric, rounding = main_of(evaluation.names), evaluation.options.rounding
    shown = title_of(metric)
    if not layout.shows_totals:
        f1 = report.shown_ratios(evaluation, metric, layout.average).f1
        return f"{shown} F1 ({layout.average}) {figure(f1, rounding) or 'undefined'}"
    score = f"{shown} F1 {figure(evaluation.ratios(metric).f1, rounding)}"
    if layout.intervals is not None:
        low, high = layout.intervals.ends[metric, "f1"]
        score += f" {interval(low, high, rounding)}"
    return score


def _warnings(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Yield the numbers of missing documents and of warnings, which the page lists at its end."""
    missing = len(evaluation.documents_with("missing"))
    warnings = len(warnings_in(evaluation.problems)) - missing
    if missing:
        yield "missing documents", f"{missing:,}"
    if warnings:
        yield "warnings", f"{warnings:,}"


def _totals(evaluation: Evaluation, layout: report.Layout) -> Iterator[Table]:
    """Yield the tables of totals and of means over documents, as the layout asks for them."""
    rounding = evaluation.options.rounding
    for average in layout.averages:
        columns = _ratio_columns()
        if average.is_total:
            columns = [
                *_ratio_columns(layout.intervals),
                report.RECALL_COUNTS,
                report.PRECISION_COUNTS,
            ]
        rows = average.rows(evaluation, average.name)
        shown = [row for row in rows if row.metric in evaluation.names]
        yield Table(columns, shown, caption=average.caption, rounding=rounding)


def _ratio_columns(intervals: report.Intervals | None = None) -> list[Column]:
    """Make the columns of a metric and its ratios, with the interval of F1 if there is one."""
    columns = [report.METRIC._replace(role="head"), report.RECALL, report.PRECISION]
    if intervals is None:
        columns.append(report.F1)
        return columns
    ends = intervals.ends
    interval_column = Column(
        value=lambda row: ends[row.metric, "f1"],
        kind="interval",
        heading=f"{intervals.heading} of F1",
    )
    columns += [report.F1._replace(role="main"), interval_column]
    return columns


def _plots(
    evaluation: Evaluation, layout: report.Layout, groups: Mapping[str, Evaluation]
) -> Iterator[Section]:
    """Yield the plots of metrics, and of documents and groups where documents were kept."""
    average = layout.average
    # Intervals are of the totals.
    intervals = layout.intervals if layout.shows_totals else None
    drawn = plot_metrics(evaluation, intervals, average)
    if drawn:
        yield _section(_title(intervals), drawn, "The axis does not start at 0.")
    if evaluation.windows:
        title = "F1 by the width of windows"
        caption = "Windows of so many tokens; to the right, whole documents."
        yield _section(title, _plot_windows(evaluation, title), caption)
    if evaluation.left_out or len(evaluation.documents) < 2:
        return
    rounding = evaluation.options.rounding
    caption = "A dot for each document; a line, and the figure to the right, for"
    title = "F1 of each document"
    of_metrics = [(title_of(name), evaluation, name) for name in evaluation.names]
    strips = list(_strips(of_metrics, average))
    yield _section(title, plots.strips(strips, title, rounding), f"{caption} all of them.")
    yield from _documents_in_squares(evaluation, average)
    if 0 < len(groups) <= PLOTTED:
        main = main_of(evaluation.names)
        title = f"F1 of {title_of(main)} by group"
        of_groups = [(name, group, main) for name, group in groups.items()]
        strips = list(_strips(of_groups, average))
        yield _section(title, plots.strips(strips, title, rounding), f"{caption} the group.")


def _plot_windows(evaluation: Evaluation, title: str) -> str:
    """Plot F1 of each metric over the widths of windows, and of whole documents."""
    widths = sorted(evaluation.windows)
    lines = {}
    for metric in evaluation.names:
        ratios = [evaluation.windows[width].ratios(metric).f1 for width in widths]
        lines[title_of(metric)] = [*ratios, evaluation.ratios(metric).f1]
    places = [*map(str, widths), "whole"]
    return plots.polylines(lines, places, title, evaluation.options.rounding)


def _section(title: str, drawn: str, caption: str) -> Section:
    return Section(title, [Figure(drawn, caption, title)])


def _documents_in_squares(evaluation: Evaluation, average: str) -> Iterator[Section]:
    """Plot recall against precision of each document, by each metric that has them."""
    points: dict[str, list[plots.Point]] = {}
    totals = {}
    for metric in parts_of(evaluation.names):
        if metric not in evaluation.metrics:
            continue
        total = report.shown_ratios(evaluation, metric, average)
        if total.recall is not None and total.precision is not None:
            totals[metric] = plots.Point("all documents", None, 4, total.recall, total.precision)
        points[metric] = []
        for document in evaluation.documents:
            recall, precision, _ = document.ratios(metric)
            points[metric].append(plots.Point(document.name, None, None, recall, precision))
    rounding = evaluation.options.rounding
    description = "dots are documents"
    yield from recall_against_precision(points, description, rounding, totals, noun="document")


def _lists(evaluation: Evaluation) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the lists at the end of the page, each with its heading."""
    missing = evaluation.documents_with("missing")
    unaligned = evaluation.documents_with("unaligned")
    notes = [problem for problem in evaluation.problems if problem.kind == "note"]
    warnings = warnings_in(evaluation.problems)
    others = [problem for problem in warnings if problem.kind != "missing"]
    yield f"Missing documents ({len(missing):,}), scored as empty ones", missing
    yield f"Warnings ({len(others):,})", others
    yield "Notes", notes
    yield "Removed before scoring", evaluation.removed
    yield "Repaired", [f"{kind}: {number:,}" for kind, number in evaluation.repaired.items()]
    yield f"Not aligned ({len(unaligned):,}), scored as empty ones", unaligned
