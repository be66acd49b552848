"""The HTML report of an evaluation, with plots of its metrics, documents and groups of documents."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING

from conll.errors import pluralize, warnings_in
from scorer.evaluation.evaluation import noted
from scorer.evaluation.rows import (
    F1,
    METRIC,
    PRECISION,
    PRECISION_COUNTS,
    RECALL,
    RECALL_COUNTS,
    Row,
)
from scorer.registry import AVERAGES
from scorer.report import plots
from scorer.report.columns import Column, Table, metric_columns
from scorer.report.figures import describe_rounding, figure, interval
from scorer.report.page import Figure, Page, Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from scorer.count.counts import Ratios
    from scorer.evaluation.evaluation import Evaluation, Input, Intervals, Layout

PLOTTED = 40
"""The number of groups up to which each has a strip; more groups are in the table alone."""


def main_of(names: Sequence[str]) -> str:
    """Return the metric that a page shows first: the first average, or else the first metric."""
    return next((name for name in names if name in AVERAGES), names[0])


def parts_of(metric: str) -> tuple[str, ...]:
    """Return the metrics of an average, or the metric itself: those with recall and precision."""
    return AVERAGES[metric].of if metric in AVERAGES else (metric,)


def plot_metrics(evaluation: Evaluation, intervals: Intervals | None = None) -> str:
    """Plot F1 of each metric, with its interval where there is one."""
    ends = {} if intervals is None else intervals.ends
    rows = [
        plots.Interval(name, None, evaluation.ratios(name).f1, *ends.get((name, "f1"), (nan, nan)))
        for name in evaluation.names
    ]
    return plots.intervals(rows, _title(intervals), evaluation.options.rounding, of="metric")


def page_of(
    evaluation: Evaluation, signed: dict[str, Any], layout: Layout, *, errors: str = ""
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
    if layout.by is not None:
        by_name = evaluation.by(layout.by)
        groups = {name or "(no group)": group for name, group in by_name.items()}
    summary = f"Figures are percent, {describe_rounding(evaluation.options.rounding)}."
    if layout.intervals is not None:
        documents = pluralize(len(evaluation.documents), "document")
        summary += f" Intervals are of the totals, from a bootstrap over {documents}."
    folded = {"group": {name: group.totals for name, group in groups.items()}}
    if layout.per_document:
        counted = {document.name: document.counts for document in evaluation.documents}
        folded["document"] = counted
    return Page(
        headline=headline(evaluation.inputs, _score(evaluation, layout)),
        facts=[*facts(evaluation), *_oddities(evaluation)],
        summary=summary,
        errors=errors,
        notes=_notes(layout),
        tables=list(_totals(evaluation, layout)),
        sections=list(_plots(evaluation, layout.intervals, groups)),
        folded=[
            figures_by_name(
                kind,
                evaluation,
                {
                    name: {
                        metric: evaluation.ratios_of(metric, counts) for metric in evaluation.names
                    }
                    for name, counts in named.items()
                },
            )
            for kind, named in folded.items()
            if named
        ],
        lists=list(_lists(evaluation)),
        signature=noted(signed),
    )


def facts(evaluation: Evaluation, *, response: bool = True) -> Iterator[tuple[str, str]]:
    """Yield what was scored: the number of documents, the inputs, and the options chosen.

    Args:
        evaluation: What was scored.
        response: Whether the response is among the inputs to name.
    """
    yield "documents", f"{evaluation.scored:,}"
    yield from input_facts(
        [source for source in evaluation.inputs if response or source.side == "key"]
    )
    chosen = evaluation.options.chosen().items()
    words = [f"{name} {word}" for name, word in chosen if word is not None]
    if words:
        yield "options", ", ".join(words).replace("_", "-")


def input_facts(inputs: Sequence[Input]) -> Iterator[tuple[str, str]]:
    """Yield each side with the name, the format and the hash of its file."""
    for side in dict.fromkeys(source.side for source in inputs):
        first, *others = (source for source in inputs if source.side == side)
        if others:
            yield side, f"{1 + len(others)} inputs"
        else:
            name = f"{first.name} " if first.name else ""
            yield side, f"{name}({first.format}, SHA-256 {first.sha256[:12]}…)"


def headline(inputs: Sequence[Input], scored: str) -> str:
    """Say in a sentence which response has a score, such as `muc F1 50.00`, against which key."""
    names = [name_of(inputs, side) for side in ("response", "key")]
    return f"{' against '.join(names)}: {scored}." if all(names) else f"{scored}."


def name_of(inputs: Sequence[Input], side: str) -> str:
    """Return the name of the file of a side; "" of several files, or where there is none."""
    names = [source.name for source in inputs if source.side == side]
    return names[0] if len(names) == 1 else ""


def figures_by_name(
    kind: str, evaluation: Evaluation, named: Mapping[str, Mapping[str, Ratios]]
) -> Table:
    """Make a table with the ratios of every metric by name; the page shows one ratio at a time.

    Args:
        kind: What the names are of, such as "document".
        evaluation: It says which metrics to show, and how to write percent.
        named: The ratios by metric, by name.
    """
    rows = [{"": name, **ratios} for name, ratios in named.items()]
    columns = [Column(value=itemgetter(""), heading=kind, role="head")]
    columns += metric_columns(evaluation.names)
    caption = f"{kind.capitalize()}s"
    return Table(columns, rows, caption=caption, rounding=evaluation.options.rounding)


def _notes(layout: Layout) -> list[str]:
    """List what a reader has to know about the figures."""
    if layout.intervals is None:
        return list(layout.notes)
    return [*layout.notes, *layout.intervals.notes]


def _title(intervals: Intervals | None) -> str:
    return f"F1 of each metric{'' if intervals is None else f' with {intervals.heading}s'}"


def _strip(label: str, evaluation: Evaluation, metric: str) -> plots.Strip:
    """Make a strip with a dot for F1 of each document."""
    dots = [
        plots.Dot(document.name, evaluation.ratios_of(metric, document.counts).f1)
        for document in evaluation.documents
    ]
    return plots.Strip(label, evaluation.ratios(metric).f1, dots)


def recall_against_precision(
    points: Mapping[str, Sequence[plots.Point]],
    said: str,
    rounding: str,
    totals: Mapping[str, plots.Point] | None = None,
    *,
    of: str = "system",
) -> Iterator[Section]:
    """Plot recall against precision by each metric.

    Args:
        points: The points by metric.
        said: What the caption says of them.
        rounding: How figures are made percent.
        totals: By metric the point that stands for all of them.
        of: What a point is.
    """
    figures = []
    for metric, row in points.items():
        title, total = f"Recall against precision of {metric}", (totals or {}).get(metric)
        drawn = plots.recall_against_precision(row, title, rounding, of=of, total=total)
        figures.append(Figure(drawn, f"{metric}: {said}; dashed lines join equal F1"))
    if figures:
        yield Section("Recall against precision", figures)


def _score(evaluation: Evaluation, layout: Layout) -> str:
    """Say the figure that most readers look for first."""
    metric, rounding = main_of(evaluation.names), evaluation.options.rounding
    if layout.average == "macro":
        return f"{metric} F1 (macro) {figure(evaluation.macro(metric).f1, rounding)}"
    said = f"{metric} F1 {figure(evaluation.ratios(metric).f1, rounding)}"
    if layout.intervals is not None:
        said += f" {interval(*layout.intervals.ends[metric, 'f1'], rounding)}"
    return said


def _oddities(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Yield the numbers of missing documents and of warnings, which the page lists at its end."""
    missing = sum(problem.kind == "missing" for problem in evaluation.problems)
    warnings = len(warnings_in(evaluation.problems)) - missing
    if missing:
        yield "missing documents", f"{missing:,}"
    if warnings:
        yield "warnings", f"{warnings:,}"


def _totals(evaluation: Evaluation, layout: Layout) -> Iterator[Table]:
    """Yield the tables of totals and of means over documents, as the layout asks for them."""
    rounding = evaluation.options.rounding
    if layout.average != "macro":
        rows = [_total_row(evaluation, metric) for metric in evaluation.names]
        columns = [*_ratio_columns(layout.intervals), RECALL_COUNTS, PRECISION_COUNTS]
        yield Table(columns, rows, caption="Totals", rounding=rounding)
    if layout.average != "micro":
        rows = [Row("macro", "", name, evaluation.macro(name), None) for name in evaluation.names]
        caption = "Means over documents (macro-average)"
        yield Table(_ratio_columns(), rows, caption=caption, rounding=rounding)


def _total_row(evaluation: Evaluation, metric: str) -> Row:
    """Make the row of a metric, with its counts if it has but one part."""
    parts = evaluation.totals.get(metric, ())
    counts = parts[0] if len(parts) == 1 else None
    return Row("micro", "", metric, evaluation.ratios(metric), counts)


def _ratio_columns(intervals: Intervals | None = None) -> list[Column]:
    """Make the columns of a metric and its ratios, with the interval of F1 if there is one."""
    columns = [replace(METRIC, role="head"), RECALL, PRECISION]
    if intervals is None:
        return [*columns, F1]
    ends = intervals.ends
    interval_column = Column(
        value=lambda row: ends[row.metric, "f1"],
        kind="interval",
        heading=f"{intervals.heading} of F1",
    )
    return [*columns, replace(F1, role="main"), interval_column]


def _plots(
    evaluation: Evaluation, intervals: Intervals | None, groups: Mapping[str, Evaluation]
) -> Iterator[Section]:
    def section(title: str, drawn: str, caption: str) -> Section:
        return Section(title, [Figure(drawn, caption, title)])

    drawn = plot_metrics(evaluation, intervals)
    yield section(_title(intervals), drawn, "The axis begins where the figures do.")
    if evaluation.left_out or len(evaluation.documents) < 2:
        return
    rounding = evaluation.options.rounding
    caption = "A dot for each document; a line, and the figure to the right, for"
    title = "F1 of each document"
    strips = [_strip(name, evaluation, name) for name in evaluation.names]
    yield section(title, plots.strips(strips, title, rounding), f"{caption} all of them.")
    main = main_of(evaluation.names)
    points, totals = {}, {}
    for metric in dict.fromkeys(part for name in evaluation.names for part in parts_of(name)):
        if metric in evaluation.metrics:
            recall, precision, _ = evaluation.ratios(metric)
            totals[metric] = plots.Point("all documents", None, 4, recall, precision)
            points[metric] = [
                plots.Point(
                    document.name,
                    None,
                    None,
                    *evaluation.ratios_of(metric, document.counts).as_tuple()[:2],
                )
                for document in evaluation.documents
            ]
    yield from recall_against_precision(
        points, "dots are documents", rounding, totals, of="document"
    )
    if 0 < len(groups) <= PLOTTED:
        title = f"F1 of {main} by group"
        strips = [_strip(name, group, main) for name, group in groups.items()]
        yield section(title, plots.strips(strips, title, rounding), f"{caption} the group.")


def _lists(evaluation: Evaluation) -> Iterator[tuple[str, Sequence[object]]]:
    missing = [
        problem.document or "" for problem in evaluation.problems if problem.kind == "missing"
    ]
    warnings = warnings_in(evaluation.problems)
    others = [problem for problem in warnings if problem.kind != "missing"]
    yield f"Missing documents ({len(missing):,}), scored as empty ones", missing
    yield f"Warnings ({len(others):,})", others
    yield "Notes", [problem for problem in evaluation.problems if problem.kind == "note"]
    yield "Removed before scoring", evaluation.removed
    yield "Repaired", [f"{kind}: {number:,}" for kind, number in evaluation.repaired.items()]
    unaligned = [problem for problem in evaluation.problems if problem.kind == "unaligned"]
    names = [problem.document or "" for problem in unaligned]
    yield f"Not aligned ({len(names):,}), scored as empty ones", names
