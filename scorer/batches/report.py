"""The report of a batch: its records as tables, as a frame, and as a page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

from conll.errors import warnings_in
from scorer import registry
from scorer.batches.batch import (
    COLUMNS,
    UNNAMED,
    BatchTable,
    Line,
    Record,
    View,
    figure_of,
    setting_of,
)
from scorer.evaluation.page import PLOTTED, main_of, parts_of, recall_against_precision
from scorer.evaluation.report import COMMON_AVERAGING, Layout, noted
from scorer.registry import AVERAGES
from scorer.registry import title as title_of
from scorer.report import plots
from scorer.report.columns import Cell, Column, Table, ratio_column
from scorer.report.forms import COMPUTED
from scorer.report.page import Figure, Page, Section
from scorer.report.report import Report
from scorer.statistics.resampling import RATIOS


def sections_of(table: BatchTable) -> list[Table]:
    """List the records as a section, and the table for readers."""
    data = Table(COLUMNS, table.records, section="rows", is_shown=False)
    return [data, row_table(View(table))]


def row_table(view: View) -> Table:
    """Make the table of F1: a line for each row, document, group or mean, a column a metric."""
    lines = view.lines(view.records)
    metrics = dict.fromkeys(record["metric"] for record in view.records if record["metric"])
    columns = view.name_columns(lines)
    columns += [_f1_column(view, metric) for metric in metrics]
    warnings = Column(
        value=lambda line: line.record["warnings"],
        kind="whole",
        heading="warnings",
        spare=1,
        missing="failed",
    )
    return Table([*columns, warnings], lines)


def _f1_column(view: View, metric: str) -> Column:
    """Make the column of the F1 of a metric."""

    def cell(line: Line) -> Cell:
        return Cell(view.percent(line.figures.get(metric)))

    value = partial(figure_of, metric, "f1")
    title = registry.title(metric)
    return Column(value=value, kind="ratio", heading=metric, title=title, cell=cell)


def notes_of(table: BatchTable) -> list[str]:
    """List what failed, and how figures are rounded."""
    view = View(table)
    notes = [f"failed: {failure}" for failure in view.failures()]
    others = "csv, tsv, json, jsonl and parquet have recall, precision and counts"
    return [*notes, f"F1 in percent, {view.describe_rounding()}; {others}"]


DETAILS = ("group", "document")
"""The kinds of records that a page folds; there may be many."""

CAPTIONS = {
    "corpora": "Means over corpora",
    **{name: first.caption for name, (first, *_) in COMMON_AVERAGING.items()},
    "micro": "Rows of the manifest",
    "group": "Groups of each row",
    "document": "Documents of each row",
}
"""The tables of the page, in their order."""

NAMED = 10
"""The most keys or responses that are named."""


@dataclass(frozen=True)
class _Shown:
    """The records of a page.

    Attributes:
        view: Names for them.
        scored: The records with figures.
        metrics: Their metrics.
        marks: The mark of each system and setting, by label.
    """

    view: View
    scored: Sequence[Record]
    metrics: Sequence[str]
    marks: Mapping[str, int]

    def of_kind(self, kind: str) -> list[Record]:
        """List the records of a kind."""
        return [record for record in self.scored if record["kind"] == kind]

    @property
    def rows(self) -> list[Record]:
        """The records of totals; if there are none, of the means over documents."""
        return self.of_kind(self.view.batch.layout.averages[0].name)

    @property
    def main(self) -> str:
        """The metric that is shown first; "" if there is none."""
        return main_of(self.metrics) if self.metrics else ""

    def has_main(self, record: Record) -> bool:
        """Return whether a record has the F1 of the main metric."""
        return bool(record["metric"] == self.main and record["f1"] is not None)


def _without_rounding(_table: BatchTable, report: Report, _layout: Layout) -> Report:
    """Leave out the last note, which is about what readers see."""
    return report._replace(notes=report.notes[:-1])


def _with_frame(_table: BatchTable, report: Report, _layout: Layout) -> Report:
    return report._replace(framed=report.data[0])


def _with_page(table: BatchTable, report: Report, _layout: Layout) -> Report:
    """Make the content of the HTML page.

    Figures are percent, with two decimals as each row's option `rounding` says.
    """
    view = View(table)
    scored = [record for record in view.records if record["status"] != "failed"]
    labels = dict.fromkeys(map(view.label, scored))
    shown = _Shown(
        view=view,
        scored=scored,
        metrics=list(dict.fromkeys(record["metric"] for record in scored)),
        marks=dict(zip(labels, range(1, len(labels) + 1))),
    )
    tables: list[Table] = []
    folded: list[Table] = []
    for kind in CAPTIONS:
        if shown.of_kind(kind):
            # Means are shown next to the totals: rows of documents can be many.
            tables_of_kind = folded if kind in DETAILS else tables
            tables_of_kind.append(_grid(shown, kind))
    failures = view.failures()
    page = Page(
        headline=_headline(shown),
        facts=list(_facts(table)),
        summary=f"Figures are percent, {view.describe_rounding()}.",
        tables=tables,
        sections=list(_strips(shown)) + list(_points(shown)),
        folded=folded,
        first_lists=[
            (f"Failed ({len(table.failed):,})", failures),
        ],
        signature=noted(report.signature),
    )
    return report._replace(page=page)


FINISHES = {"html": _with_page, "parquet": _with_frame}
FINISHES |= dict.fromkeys(COMPUTED, _without_rounding)
"""What puts into a report what only its format has."""


def _headline(shown: _Shown) -> str:
    """Name the rows with the lowest and the highest F1 of the main metric."""
    rows = [row for row in shown.rows if shown.has_main(row)]
    rows.sort(key=lambda row: row["f1"])
    if not rows:
        return ""
    lowest = _describe(shown.view, rows[0])
    if len(rows) == 1:
        return f"{title_of(shown.main)} F1 {lowest}."
    return f"{title_of(shown.main)} F1 from {lowest} to {_describe(shown.view, rows[-1])}."


def _describe(view: View, row: Record) -> str:
    """Write the F1 of a row, and its names in brackets."""
    names = ", ".join(filter(None, (view.label(row), row["corpus"])))
    return f"{view.percent(row)} ({names})"


def _facts(table: BatchTable) -> Iterator[tuple[str, str]]:
    """Yield the numbers of rows, corpora, systems and warnings, and the names of few files."""
    corpora, systems = set[str](), set[str]()
    settings = set[tuple[str, str]]()
    # In the order of the manifest.
    keys, responses = dict[str, None](), dict[str, None]()
    failed = warnings = 0
    for result in table.results:
        row = result.row
        corpora.add(row.corpus)
        systems.add(row.system)
        settings.add((row.preset, row.settings))
        keys[row.key] = responses[row.response] = None
        if result.evaluation is None:
            failed += 1
        else:
            warnings += len(warnings_in(result.evaluation.problems))
    failures = f", {failed:,} failed" if failed else ""
    yield "rows", f"{len(table.results):,}{failures}"
    yield "corpora", f"{len(corpora):,}"
    yield "systems", f"{len(systems):,}"
    for term, names in (("keys", keys), ("responses", responses)):
        if len(names) <= NAMED:
            yield term, ", ".join(names)
    if len(settings) > 1:
        yield "settings", f"{len(settings):,}"
    if warnings:
        yield "warnings", f"{warnings:,}"


def _grid(shown: _Shown, kind: str) -> Table:
    """Make the table of one kind of records, with recall, precision and F1 of each metric."""
    view = shown.view
    lines = view.lines(shown.of_kind(kind))
    # The caption of other kinds says what they are of.
    subject = kind if kind in DETAILS else ""
    columns = view.name_columns(lines, subject=subject, marks=shown.marks)
    for metric in shown.metrics:
        for ratio in ("f1",) if metric in AVERAGES else RATIOS:
            value = partial(figure_of, metric, ratio)
            cell = partial(_figure_cell, view, metric, ratio)
            columns.append(ratio_column(metric, ratio)._replace(value=value, cell=cell))
    columns.append(
        Column(
            value=lambda line: line.record["warnings"],
            kind="whole",
            heading="warnings",
            cell=lambda line: Cell(f"{line.record['warnings'] or 0:,}"),
        )
    )
    return Table(columns, lines, caption=CAPTIONS[kind])


def _figure_cell(view: View, metric: str, ratio: str, line: Line) -> Cell:
    return Cell(view.percent(line.figures.get(metric), ratio))


def _is_plotted(shown: _Shown) -> bool:
    """Return whether there are rows to compare."""
    metrics = [record["metric"] for record in shown.rows]
    return metrics.count(shown.main) > 1


def _strips(shown: _Shown) -> Iterator[Section]:
    """Yield F1 of the main metric by corpus, of means and rows."""
    view = shown.view
    if not _is_plotted(shown):
        return
    dots: dict[str, list[plots.Dot]] = {}
    for record in (*shown.of_kind("corpora"), *shown.rows):
        if shown.has_main(record):
            label = view.label(record)
            dot = plots.Dot(label, record["f1"], shown.marks[label])
            dots.setdefault(record["corpus"] or UNNAMED["corpora"], []).append(dot)
    if not 0 < len(dots) <= PLOTTED:
        return
    title = f"F1 of {title_of(shown.main)} by corpus"
    strips = [plots.Strip(corpus, nan, systems) for corpus, systems in dots.items()]
    drawn = plots.strips(strips, title, view.rounding(shown.rows[0]), noun="system")
    settings = " and its settings" if any(map(setting_of, shown.rows)) else ""
    most = max(map(len, dots.values()))
    caption = plots.systems(most, f"{settings}, as in the table above")
    yield Section(title, [Figure(drawn, caption, title)])


def _points(shown: _Shown) -> Iterator[Section]:
    """Yield recall against precision of the rows, for each metric that has them."""
    view = shown.view
    if not _is_plotted(shown):
        return
    points: dict[str, list[plots.Point]] = {}
    for metric in parts_of(shown.metrics):
        for record in shown.rows:
            if record["metric"] == metric and record["recall"] is not None:
                label = view.label(record)
                name = f"{record['corpus']}, {label}"
                ratios = record["recall"], record["precision"]
                point = plots.Point(name, None, shown.marks[label], *ratios)
                points.setdefault(metric, []).append(point)
    caption = "a mark for each row, as in the table above"
    rounding = view.rounding(shown.rows[0])
    yield from recall_against_precision(points, caption, rounding, noun="row")
