"""The plots of an evaluation, as SVG: its metrics, its documents, its groups of documents."""

from __future__ import annotations

from math import isnan, nan

from conll.errors import pluralize
from scorer import registry
from scorer.count.counts import Ratios
from scorer.evaluation.signature import Layout, noted, signature, written
from scorer.registry import AVERAGES
from scorer.report import forms, plots
from scorer.report import page as shell
from scorer.report.figures import figure, interval, said_of_percent, share
from scorer.report.page import Column, Figure, Grid, Section, ratio_cells, ratio_columns
from scorer.report.report import Report, Table, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pandas as pd

    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.signature import Intervals


def main_of(names: Sequence[str]) -> str:
    """The metric or average that a page shows first: the first average, or else the first metric."""
    return next((name for name in names if name in AVERAGES), names[0])


def parts_of(metric: str) -> tuple[str, ...]:
    """The metrics that have a recall and a precision to plot: those of an average, or the metric itself."""
    return AVERAGES[metric].of if metric in AVERAGES else (metric,)


def metrics(evaluation: Evaluation, intervals: Intervals | None = None) -> str:
    """F1 of each metric, with its interval where there is one."""
    ends = {} if intervals is None else intervals.ends
    rows = [
        plots.Interval(name, None, evaluation.ratios(name).f1, *ends.get((name, "f1"), (nan, nan)))
        for name in evaluation.names
    ]
    return plots.intervals(
        rows, title_of_metrics(intervals), evaluation.options.percent, of="metric"
    )


def plot_documents(evaluation: Evaluation) -> str:
    """F1 of each document, a strip for each metric."""
    rows = [_strip(name, evaluation, name) for name in evaluation.names]
    return plots.strips(rows, "F1 of each document", evaluation.options.percent)


def recall_against_precision(evaluation: Evaluation, metric: str) -> str:
    """Recall and precision of each document by one metric, and of the totals."""
    points = []
    for document in evaluation.documents:
        ratios = evaluation.ratios_of(metric, document.counts)
        points.append(plots.Point(document.name, None, None, ratios.recall, ratios.precision))
    all_of_them = evaluation.ratios(metric)
    total = plots.Point("all documents", None, 4, all_of_them.recall, all_of_them.precision)
    title = f"Recall against precision of {metric}, by document"
    return plots.recall_against_precision(
        points, title, evaluation.options.percent, of="document", total=total
    )


def plot_groups(named: Mapping[str, Evaluation], metric: str, percent: str) -> str:
    """F1 of each document by one metric, a strip for each group of documents."""
    return plots.strips(
        [_strip(name, group, metric) for name, group in named.items()],
        f"F1 of {metric} by group",
        percent,
    )


def title_of_metrics(intervals: Intervals | None) -> str:
    """What `metrics` is called."""
    return (
        f"F1 of each metric with {intervals.heading}s"
        if intervals is not None
        else "F1 of each metric"
    )


def _strip(label: str, evaluation: Evaluation, metric: str) -> plots.Strip:
    dots = [
        plots.Dot(document.name, evaluation.ratios_of(metric, document.counts).f1)
        for document in evaluation.documents
    ]
    return plots.Strip(label, evaluation.ratios(metric).f1, dots)


PLOTTED = 40
"""Up to so many groups have a strip each; more are in the table alone."""

TITLE = "Coreference scores"


def evaluation_page(
    evaluation: Evaluation,
    signed: dict[str, Any],
    layout: Layout | None = None,
    *,
    errors: str = "",
) -> str:
    """A page that needs nothing beside it.

    Figures are percent, with two decimals as the option `percent` says.

    `signed`: the fields of the signature at its end. The layout says which tables there are; plots
    show the documents in any case, where these were kept. `errors`: the address of a page of the
    errors. ValueError when its pattern `by` is no regular expression, ModuleNotFoundError without
    Jinja2.
    """
    layout = layout or Layout()
    groups = (
        {name or "(no group)": group for name, group in evaluation.by(layout.by).items()}
        if layout.by is not None
        else {}
    )
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
    chosen = [
        f"{name} {word}" for name, word in evaluation.options.chosen().items() if word is not None
    ]
    if chosen:
        yield "options", ", ".join(chosen).replace("_", "-")


def figures_by_name(kind: str, of: Evaluation, named: Mapping[str, Mapping[str, Ratios]]) -> Grid:
    """A table with a row for each name of that kind, with every metric's ratios.

    The switch of the page picks the one to show.
    """
    columns = [Column(kind, "text", "name")]
    for metric in of.names:
        columns += ratio_columns(metric, single=metric in AVERAGES)
    rows = []
    for name, ratios in named.items():
        row = [name]
        for metric in of.names:
            row += ratio_cells(
                ratios[metric], single=metric in AVERAGES, percent=of.options.percent
            )
        rows.append(row)
    return Grid(f"{kind.capitalize()}s", columns, rows)


def _headline(evaluation: Evaluation, layout: Layout) -> Iterator[tuple[str, str]]:
    """The figure that most look for first."""
    metric = main_of(evaluation.names)
    macro = layout.average == "macro"
    ratios = evaluation.macro(metric) if macro else evaluation.ratios(metric)
    yield f"{metric} F1{' (macro)' if macro else ''}", figure(ratios.f1, evaluation.options.percent)


def _oddities(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """How much there is at the end of the page that casts doubt on the figures at its beginning."""
    missing = sum(problem.kind == "missing" for problem in evaluation.problems)
    for term, number in (
        ("missing documents", missing),
        ("warnings", len(evaluation.problems) - missing),
    ):
        if number:
            yield term, f"{number:,}"


def _summary(evaluation: Evaluation, intervals: Intervals | None) -> str:
    said = f"Figures are percent, {said_of_percent(evaluation.options.percent)}."
    over = pluralize(len(evaluation.documents), "document")
    return (
        f"{said} Intervals are of the totals, from a bootstrap over {over}."
        if intervals is not None
        else said
    )


def _totals(evaluation: Evaluation, layout: Layout) -> Iterator[Grid]:
    percent, intervals = evaluation.options.percent, layout.intervals
    columns = [
        Column("metric", "", "name"),
        *(Column(label, "") for label in ("recall", "precision")),
        Column("F1", "", "main"),
    ]
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


def _plots(
    evaluation: Evaluation, intervals: Intervals | None, groups: Mapping[str, Evaluation]
) -> Iterator[Section]:
    title = title_of_metrics(intervals)
    yield Section(
        title,
        [Figure(metrics(evaluation, intervals), "The axis begins where the figures do.", title)],
    )
    if evaluation.left_out or len(evaluation.documents) < 2:
        return
    main = main_of(evaluation.names)
    title = "F1 of each document"
    caption = "A dot for each document; a line, and the figure to the right, for all of them."
    yield Section(title, [Figure(plot_documents(evaluation), caption, title)])
    squares = [
        Figure(
            recall_against_precision(evaluation, metric),
            f"{metric}: dots are documents, dashed lines join equal F1",
        )
        for metric in parts_of(main)
        if metric in evaluation.metrics and not isnan(evaluation.ratios(metric).recall)
    ]
    if squares:
        yield Section("Recall against precision", squares)
    if 0 < len(groups) <= PLOTTED:
        title = f"F1 of {main} by group"
        drawn = plot_groups(groups, main, evaluation.options.percent)
        yield Section(
            title,
            [
                Figure(
                    drawn,
                    "A dot for each document; a line, and the figure to the right, for the group.",
                    title,
                )
            ],
        )


def _tables(
    evaluation: Evaluation, layout: Layout, groups: Mapping[str, Evaluation]
) -> Iterator[tuple[str, Grid]]:
    if groups:
        totals = {name: group.totals for name, group in groups.items()}
        yield (
            "Groups of documents",
            figures_by_name("group", evaluation, _ratios(evaluation, totals)),
        )
    if layout.per_document:
        counts = {document.name: document.counts for document in evaluation.documents}
        yield "Documents", figures_by_name("document", evaluation, _ratios(evaluation, counts))


def _ratios(
    evaluation: Evaluation, named: Mapping[str, dict[str, tuple[Counts, ...]]]
) -> dict[str, dict[str, Ratios]]:
    return {
        name: {metric: evaluation.ratios_of(metric, counts) for metric in evaluation.names}
        for name, counts in named.items()
    }


def _lists(evaluation: Evaluation) -> Iterator[tuple[str, Sequence[object]]]:
    lacking = [
        problem.document or "" for problem in evaluation.problems if problem.kind == "missing"
    ]
    others = [problem for problem in evaluation.problems if problem.kind != "missing"]
    yield f"Missing documents ({len(lacking):,}), scored as empty ones", lacking
    yield f"Warnings ({len(others):,})", others
    yield "Removed before scoring", evaluation.removed


COUNTS = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")
"""The names of the four counts, in the order of `Counts.as_tuple`."""
FIELDS = ("kind", "name", "metric", "recall", "precision", "f1", *COUNTS)
"""The names of a row's values, in the order of `Row.as_tuple`."""


class Row:
    """One line of a report.

    `kind`: document, group, micro (totals) or macro (means over documents). `name`: of the document
    or group, or empty. `metric`: its name; `blanc.coreference` is a part of blanc. `ratios` as
    fractions; not a number where an average has none. `counts` None where there are none:
    macro-averages, averages, and metrics of several parts.
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
        """Kind, name, metric, recall, precision, F1 and the four counts.

        None for what does not exist.
        """
        ratios = (None if ratio != ratio else ratio for ratio in self.ratios.as_tuple())  # noqa: PLR0124  only nan differs from itself
        counts = (None,) * len(COUNTS) if self.counts is None else self.counts.as_tuple()
        return self.kind, self.name, self.metric, *ratios, *counts

    def to_dict(self) -> dict[str, Any]:
        """The values by name, without those that identify the row."""
        return dict(zip(FIELDS[3:], self.as_tuple()[3:]))


def rows_of(
    evaluation: Evaluation, kind: str, name: str, counts: dict[str, tuple[Counts, ...]]
) -> Iterator[Row]:
    """A row for each metric that the evaluation shows, its parts below it."""
    for shown in evaluation.names:
        metric = evaluation.metrics.get(shown)
        parts = counts[shown] if metric is not None else ()
        yield Row(
            kind,
            name,
            shown,
            evaluation.ratios_of(shown, counts),
            parts[0] if len(parts) == 1 else None,
        )
        if metric is not None and len(parts) > 1:
            for part, of_part in zip(metric.parts, parts):
                yield Row(kind, name, f"{shown}.{part}", of_part.ratios(), of_part)


def document_rows(evaluation: Evaluation) -> Iterator[Row]:
    """The rows of each document."""
    for document in evaluation.documents:
        yield from rows_of(evaluation, "document", document.name, document.counts)


def group_rows(evaluation: Evaluation, pattern: str) -> Iterator[Row]:
    """The rows of each group's totals."""
    for name, group in evaluation.by(pattern).items():
        yield from rows_of(evaluation, "group", name, group.totals)


def totals(evaluation: Evaluation) -> Iterator[Row]:
    """The rows of the totals."""
    yield from rows_of(evaluation, "micro", "", evaluation.totals)


def macro(evaluation: Evaluation) -> Iterator[Row]:
    """The rows of the means over documents."""
    for name in evaluation.names:
        yield Row("macro", "", name, evaluation.macro(name), None)


def select(evaluation: Evaluation, layout: Layout) -> Iterator[Row]:
    """The rows of a report: documents, groups, totals, means, as far as the layout asks for them."""
    if layout.per_document:
        yield from document_rows(evaluation)
    if layout.by is not None:
        yield from group_rows(evaluation, layout.by)
    if layout.average != "macro":
        yield from totals(evaluation)
    if layout.average != "micro":
        yield from macro(evaluation)


def to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """`Evaluation.to_dict`."""
    from scorer.evaluation.signature import Layout, signature

    return nested(evaluation, Layout(per_document=True), signature(evaluation))


def nested(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> dict[str, Any]:
    """The rows of a report by what they are about: totals, macro and, where asked for, lists of documents and groups.

    `signed`: the fields of its signature.
    """
    by_kind: dict[str, Any] = {}
    blocks: dict[tuple[str, str], dict[str, Any]] = {}
    for row in select(evaluation, layout):
        blocks.setdefault((row.kind, row.name), {})[row.metric] = row.to_dict()
    for (kind, name), by_metric in blocks.items():
        if kind in {"document", "group"}:
            by_kind.setdefault(f"{kind}s", []).append({"name": name, "metrics": by_metric})
        else:
            by_kind[{"micro": "totals"}.get(kind, kind)] = by_metric
    return by_kind | {"removed": removed(evaluation), "signature": signed}


def removed(evaluation: Evaluation) -> list[dict[str, Any]]:
    """What each filter took from each side."""
    return [
        dict(zip(("filter", "side", "mentions", "clusters", "documents"), one.as_tuple()))
        for one in evaluation.removed
    ]


def to_frame(evaluation: Evaluation, rows: str) -> pd.DataFrame:
    """`Evaluation.to_frame`."""
    kinds = {"documents": document_rows, "totals": totals, "macro": macro}
    if rows not in kinds:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
    from scorer.report.report import frame_of

    frame = frame_of((row.as_tuple() for row in kinds[rows](evaluation)), FIELDS)
    frame = frame.astype(dict.fromkeys(FIELDS[3:], float)).drop(columns="kind")
    return (
        frame.rename(columns={"name": "document"})
        if rows == "documents"
        else frame.drop(columns="name")
    )


TITLES = {"micro": "micro-average", "macro": "macro-average"}

HEADINGS = ("metric", "recall", "precision", "F1", "recall counts", "precision counts")


def term_of(metric: str) -> Term:
    """The name of a metric, or of one of its parts, as tables have it."""
    return Term(metric, registry.title(metric))


def names() -> list[str]:
    """The forms that an evaluation has: those of every report, and the text of reference 8.01."""
    return sorted([*forms.names(), "perl"])


def render(evaluation: Evaluation, form: str = "table", layout: Layout | None = None) -> str:
    """The evaluation in one of the forms.

    ValueError when there is no such form, or it cannot show what the layout asks for.
    """
    if form not in names():
        from conll.errors import did_you_mean

        raise ValueError(
            f"there is no report {form!r}; there are: {', '.join(names())}{did_you_mean(form, names())}"
        )
    if form == "perl":
        from scorer.show import perl

        return perl.render(evaluation, layout)
    return forms.text(report_of(evaluation, form, layout))


def report_of(evaluation: Evaluation, form: str, layout: Layout | None = None) -> Report:
    """What that form is to show; the notes say what the filters removed.

    The last records, of kind `removed` and `signature`, have nothing but a name; JSON Lines have
    fields of their own for these.
    """
    layout = layout or Layout()
    signed = signature(evaluation, layout.signed(form))
    return Report(
        form,
        "Coreference scores",
        tables=lambda: [_table(evaluation, layout)],
        notes=map(str, evaluation.removed),
        signature=written(signed),
        fields=FIELDS,
        records=lambda: _records(evaluation, layout, signed),
        objects=lambda: _objects(evaluation, layout, signed),
        tree=lambda: nested(evaluation, layout, signed),
        page=lambda: _page(evaluation, layout, signed),
    )


def _page(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> str:

    return evaluation_page(evaluation, signed, layout)


def _records(
    evaluation: Evaluation, layout: Layout, signed: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    yield from _scores(evaluation, layout)
    for one in evaluation.removed:
        yield {"kind": "removed", "name": str(one)}
    yield {"kind": "signature", "name": written(signed)}


def _objects(
    evaluation: Evaluation, layout: Layout, signed: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    yield from _scores(evaluation, layout)
    for one in removed(evaluation):
        yield {"kind": "removed"} | one
    yield {"kind": "signature"} | signed


def _scores(evaluation: Evaluation, layout: Layout) -> Iterator[dict[str, Any]]:
    return (dict(zip(FIELDS, row.as_tuple())) for row in select(evaluation, layout))


def _table(evaluation: Evaluation, layout: Layout) -> Table:
    """The rows without the parts of metrics.

    The first row of each document, group or total bears its name.
    """
    rows = [row for row in select(evaluation, layout) if row.metric in evaluation.names]
    named = any(row.kind != "micro" for row in rows)
    cells: list[list[str]] = []
    before: tuple[str, str] | None = None
    for row in rows:
        name = "" if (row.kind, row.name) == before else _title(row)
        before = row.kind, row.name
        metric = term_of(row.metric)
        cells.append(
            [*([name] if named else []), metric, *_figures(row, evaluation.options.percent)]
        )
    headings = [
        *(["document" if layout.per_document else "group" if layout.by else ""] if named else []),
        *HEADINGS,
    ]
    return Table(
        headings, cells, 1 + named, ("precision counts", "recall counts", "precision", "recall")
    )


def _title(row: Row) -> str:
    if row.kind == "group":
        return row.name or "(no group)"
    return TITLES.get(row.kind, row.name)


def _figures(row: Row, percent: str) -> list[str]:
    figures = [figure(ratio, percent) for ratio in row.ratios.as_tuple()]
    if row.counts is None:
        return [*figures, "", ""]
    counts = row.counts
    recall = share(counts.recall_numerator, counts.recall_denominator)
    return [*figures, recall, share(counts.precision_numerator, counts.precision_denominator)]
