"""An evaluation as a page: totals, plots, groups and documents, and what is odd about the files."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.evaluation import plots
from scorer.evaluation.layout import Layout
from scorer.evaluation.signature import noted
from scorer.registry import AVERAGES
from scorer.report.figures import figure, interval, said_of_percent, share
from scorer.report.pages import shell
from scorer.report.pages.grid import Column, Figure, Grid, Section, ratio_cells, ratio_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from scorer.count.counts import Counts, Ratios
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.layout import Intervals

PLOTTED = 40
"""Up to so many groups have a strip each; more are in the table alone."""

TITLE = "Coreference scores"


def page(evaluation: Evaluation, signed: dict[str, Any], layout: Layout | None = None, *, errors: str = "") -> str:
    """A page that needs nothing beside it; figures are percent, with two decimals as the option `percent` says.

    `signed`: the fields of the signature at its end. The layout says which tables there are; plots show the documents in any case,
    where these were kept. `errors`: the address of a page of the errors. ValueError when its pattern `by` is no regular expression,
    ModuleNotFoundError without Jinja2.
    """
    layout = layout or Layout()
    groups = {name or "(no group)": group for name, group in evaluation.by(layout.by).items()} if layout.by is not None else {}
    return shell.render(
        "score.html",
        title=TITLE,
        facts=[*_headline(evaluation, layout), *facts(evaluation), *_oddities(evaluation)],
        summary=_summary(evaluation, layout.intervals),
        errors=errors,
        notes=[] if layout.intervals is None else layout.intervals.notes,
        totals=list(_totals(evaluation, layout)),
        plots=list(_plots(evaluation, layout.intervals, groups)),
        tables=list(_tables(evaluation, layout, groups)),
        lists=list(_lists(evaluation)),
        signature=noted(signed),
    )


def refusal(reason: str) -> str:
    """The page for a response that could not be scored, with the reason."""
    return shell.render("refused.html", title=TITLE, reason=reason)


def facts(evaluation: Evaluation, *, response: bool = True) -> Iterator[tuple[str, str]]:
    """What was scored, and how: documents, the inputs by format and the beginning of their SHA-256, metrics, options."""
    yield "documents", f"{evaluation.scored:,}"
    for side in ("key", "response")[: 1 + response]:
        inputs = [one for one in evaluation.inputs if one.side == side]
        if len(inputs) == 1:
            yield side, f"{inputs[0].format}, SHA-256 {inputs[0].sha256[:12]}…"
        elif inputs:
            yield side, f"{len(inputs)} inputs"
    chosen = [f"{name} {word}" for name, word in evaluation.options.chosen().items() if word is not None]
    if chosen:
        yield "options", ", ".join(chosen).replace("_", "-")


def figures_by_name(kind: str, of: Evaluation, named: Mapping[str, Mapping[str, Ratios]]) -> Grid:
    """A table with a row for each name of that kind, with every metric's ratios; the switch of the page picks the one to show."""
    columns = [Column(kind, "text", "name")]
    for metric in of.names:
        columns += ratio_columns(metric, single=metric in AVERAGES)
    rows = []
    for name, ratios in named.items():
        row = [name]
        for metric in of.names:
            row += ratio_cells(ratios[metric], single=metric in AVERAGES, percent=of.options.percent)
        rows.append(row)
    return Grid(f"{kind.capitalize()}s", columns, rows)


def _headline(evaluation: Evaluation, layout: Layout) -> Iterator[tuple[str, str]]:
    """The figure that most look for first."""
    metric = plots.main_of(evaluation.names)
    macro = layout.average == "macro"
    ratios = evaluation.macro(metric) if macro else evaluation.ratios(metric)
    yield f"{metric} F1{' (macro)' if macro else ''}", figure(ratios.f1, evaluation.options.percent)


def _oddities(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """How much there is at the end of the page that casts doubt on the figures at its beginning."""
    missing = sum(problem.kind == "missing" for problem in evaluation.problems)
    for term, number in (("missing documents", missing), ("warnings", len(evaluation.problems) - missing)):
        if number:
            yield term, f"{number:,}"


def _summary(evaluation: Evaluation, intervals: Intervals | None) -> str:
    said = f"Figures are percent, {said_of_percent(evaluation.options.percent)}."
    over = amount(len(evaluation.documents), "document")
    return f"{said} Intervals are of the totals, from a bootstrap over {over}." if intervals is not None else said


def _totals(evaluation: Evaluation, layout: Layout) -> Iterator[Grid]:
    percent, intervals = evaluation.options.percent, layout.intervals
    columns = [Column("metric", "", "name"), *(Column(label, "") for label in ("recall", "precision")), Column("F1", "", "main")]
    if layout.average != "macro":
        rows = []
        for metric in evaluation.names:
            ends = [] if intervals is None else [interval(*intervals.ends[metric, "f1"], percent)]
            parts = evaluation.totals.get(metric, ())
            shares = _shares(parts[0]) if len(parts) == 1 else ("", "")
            rows.append([metric, *_three(evaluation.ratios(metric), percent), *ends, *shares])
        more = [] if intervals is None else [Column(f"{intervals.heading} of F1", "")]
        counts = [Column("recall counts", ""), Column("precision counts", "")]
        yield Grid("Totals", [*columns, *more, *counts], rows)
    if layout.average != "micro":
        rows = [[metric, *_three(evaluation.macro(metric), percent)] for metric in evaluation.names]
        yield Grid("Means over documents (macro-average)", columns, rows)


def _three(ratios: Ratios, percent: str) -> list[str]:
    return [figure(ratio, percent) for ratio in ratios.as_tuple()]


def _shares(counts: Counts) -> tuple[str, str]:
    recall = share(counts.recall_numerator, counts.recall_denominator)
    return recall, share(counts.precision_numerator, counts.precision_denominator)


def _plots(evaluation: Evaluation, intervals: Intervals | None, groups: Mapping[str, Evaluation]) -> Iterator[Section]:
    title = plots.title_of_metrics(intervals)
    yield Section(title, [Figure(plots.metrics(evaluation, intervals), "The axis begins where the figures do.", title)])
    if evaluation.left_out or len(evaluation.documents) < 2:
        return
    main = plots.main_of(evaluation.names)
    title = "F1 of each document"
    caption = "A dot for each document; a line, and the figure to the right, for all of them."
    yield Section(title, [Figure(plots.documents(evaluation), caption, title)])
    squares = [
        Figure(plots.recall_against_precision(evaluation, metric), f"{metric}: dots are documents, dashed lines join equal F1")
        for metric in plots.parts_of(main)
        if metric in evaluation.metrics and not isnan(evaluation.ratios(metric).recall)
    ]
    if squares:
        yield Section("Recall against precision", squares)
    if 0 < len(groups) <= PLOTTED:
        title = f"F1 of {main} by group"
        drawn = plots.groups(groups, main, evaluation.options.percent)
        yield Section(title, [Figure(drawn, "A dot for each document; a line, and the figure to the right, for the group.", title)])


def _tables(evaluation: Evaluation, layout: Layout, groups: Mapping[str, Evaluation]) -> Iterator[tuple[str, Grid]]:
    if groups:
        totals = {name: group.totals for name, group in groups.items()}
        yield "Groups of documents", figures_by_name("group", evaluation, _ratios(evaluation, totals))
    if layout.per_document:
        counts = {document.name: document.counts for document in evaluation.documents}
        yield "Documents", figures_by_name("document", evaluation, _ratios(evaluation, counts))


def _ratios(evaluation: Evaluation, named: Mapping[str, dict[str, tuple[Counts, ...]]]) -> dict[str, dict[str, Ratios]]:
    return {name: {metric: evaluation.ratios_of(metric, counts) for metric in evaluation.names} for name, counts in named.items()}


def _lists(evaluation: Evaluation) -> Iterator[tuple[str, Sequence[object]]]:
    lacking = [problem.document or "" for problem in evaluation.problems if problem.kind == "missing"]
    others = [problem for problem in evaluation.problems if problem.kind != "missing"]
    yield f"Missing documents ({len(lacking):,}), scored as empty ones", lacking
    yield f"Warnings ({len(others):,})", others
    yield "Removed before scoring", evaluation.removed
