"""Shows a batch: its records as tables in one of three shapes, as a frame, and as an HTML report.

A line for each row with a column for each metric; `wide`, with a line for each corpus and system
and a column for each setting and metric; `long`, with a line for each figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

from conll.errors import warnings_in
from scorer import registry
from scorer.batches.changes import FIELDS as CHANGE_FIELDS
from scorer.batches.changes import Changes
from scorer.batches.table import FIELDS, NUMBERS, BatchTable
from scorer.evaluation.evaluation import both, noted
from scorer.evaluation.page import (
    PLOTTED,
    main_of,
    parts_of,
    recall_against_precision,
)
from scorer.jobs.manifest import DEFAULTS
from scorer.report import plots
from scorer.report.figures import describe_rounding, difference, figure
from scorer.report.forms import Report, frame_of
from scorer.report.page import Figure, Page, Section, metric_cells
from scorer.report.table import Cell, Column, Table, metric_cell, metric_columns, number_columns

if TYPE_CHECKING:
    import pandas as pd

Record = Mapping[str, Any]

RATIOS = ("recall", "precision", "f1")

HEADINGS = {"micro": "", "macro": "macro-average", "corpora": "mean over corpora"}
"""What tables call a kind of record without a name."""

DETAILS = ("group", "document")
"""The kinds of records that a page folds; there may be many."""

CAPTIONS = {
    "corpora": "Means over corpora",
    "micro": "Rows of the manifest",
    "macro": "Means over documents (macro-average)",
    "group": "Groups of each row",
    "document": "Documents of each row",
}
"""The tables of the HTML report, in their order."""


LINE = ("row", "corpus", "system", "preset", "settings", "kind", "name")
"""The fields that identify a line with a column for each metric."""


def report_of(table: BatchTable, form: str) -> Report:
    """Return the report of a batch in an output format."""
    signed, view = table.signature(form), View(table)
    fields = FIELDS if table.changes is None else (*FIELDS, *CHANGE_FIELDS)
    return Report(
        form,
        "Coreference scores",
        tables=lambda: _tables(view),
        notes=_notes(view),
        signatures=both(signed),
        fields=Wide(view).fields if table.shape == "wide" else fields,
        records=lambda: rows_of(table),
        tree=lambda: table.to_dict() | {"signature": signed},
        page=lambda: _page(view, signed),
        frame=table.to_frame,
    )


def rows_of(table: BatchTable) -> list[dict[str, Any]]:
    """Return the records of the table, or its lines if it is wide."""
    return Wide(View(table)).records() if table.shape == "wide" else table.records


def frame_of_table(table: BatchTable, shape: str | None) -> pd.DataFrame:
    """Return the table as a pandas frame of that shape."""
    if shape == "wide":
        wide = Wide(View(table))
        frame = frame_of((record.values() for record in wide.records()), wide.fields)
        return frame.astype(dict.fromkeys(wide.figures, float))
    changes = CHANGE_FIELDS if table.changes else ()
    frame = frame_of((record.values() for record in table.records), (*FIELDS, *changes))
    types = dict.fromkeys((*NUMBERS, *changes), float)
    return frame.astype(types | dict.fromkeys(("row", "warnings"), "Int64"))


def describe_row(record: Record) -> str:
    """Return which row of the table a record belongs to, for messages."""
    setting = record["preset"] or record["settings"]
    mean = record["kind"] == "corpora"
    corpus = "mean over corpora" if mean else f"corpus {record['corpus']}"
    return f"{corpus}, system {record['system']}{f' ({setting})' if setting else ''}"


def column(setting: str, metric: str) -> str:
    """Return the name of a column of a wide table; the defaults have no name.

    >>> column("crac25", "muc"), column("", "muc"), column("crac25", "")
    ('crac25/muc', 'muc', 'crac25')
    """
    return "/".join(filter(None, (setting, metric))) or "F1"


class View:
    """What readers see of a batch: its records without the parts of metrics, and names for them.

    A setting is called as it was written among the presets, or else by the options that are not at
    their defaults. These follow in brackets where one that was written is not the same for all
    rows, as some say more themselves.
    """

    def __init__(self, table: BatchTable) -> None:
        self.batch = table
        self.records = [record for record in table.records if "." not in record["metric"]]
        self._rounding = {
            result.row.settings: result.row.options.rounding for result in table.results
        }
        self._options: dict[str, list[str]] = {}
        for record in self.records:
            options = self._options.setdefault(record["preset"], [])
            if record["settings"] not in options:
                options.append(record["settings"])

    def setting(self, record: Record) -> str:
        """Return the name of a record's setting."""
        preset, options = str(record["preset"]), str(record["settings"])
        if not preset:
            return options
        return preset if len(self._options[preset]) == 1 else f"{preset} [{options or DEFAULTS}]"

    def label(self, record: Record) -> str:
        """Return whose figures a record holds: the system, and its setting."""
        setting = self.setting(record)
        return f"{record['system']} ({setting})" if setting else str(record["system"])

    def explained(self) -> list[str]:
        """Return the options of each preset that stands for the same ones in all rows."""
        return [
            f"{preset}: {options[0] or DEFAULTS}"
            for preset, options in self._options.items()
            if preset and [preset] != options and len(options) == 1
        ]

    def rounding(self, record: Record) -> str:
        """Return how the figures of a record are made percent."""
        return self._rounding[record["settings"]]

    def percent(self, record: Record | None, ratio: str = "f1") -> str:
        """Return the cell of a ratio, empty where there is none."""
        if record is None or record[ratio] is None:
            return ""
        return figure(record[ratio], self.rounding(record))

    def _left(self, record: Record, marks: Mapping[str, int]) -> dict[str, Cell]:
        """Return the cells on the left of a record's line."""
        return {
            "corpus": Cell(str(record["corpus"])),
            "system": Cell(str(record["system"]), mark=marks.get(self.label(record))),
            "settings": Cell(self.setting(record)),
            "of": Cell(str(record["name"] or HEADINGS.get(record["kind"], ""))),
        }

    def table(
        self,
        rows: Sequence[tuple[Record, Sequence[Cell | str]]],
        columns: Sequence[Column],
        *,
        settings: bool = True,
        of: str = "of",
        marks: Mapping[str, int] | None = None,
        caption: str = "",
    ) -> Table:
        """Return a table whose lines begin with the names of records.

        Args:
            rows: The record that names each line, and the other cells.
            columns: The columns of these.
            settings: Whether the settings are among the names.
            of: The heading of what is no row, such as a document; where empty, it is not named.
            marks: The mark of each system and setting, by label.
            caption: As in `Table`.
        """
        named = [self._left(record, marks or {}) for record, _ in rows]
        headings = [name for name in ("corpus", "system") if any(left[name].text for left in named)]
        if settings and any(left["settings"].text for left in named):
            headings.append("settings")
        if of and any(record["kind"] not in {"", "micro"} for record, _ in rows):
            headings.append("of")
        cells = [
            [*(left[name] for name in headings), *cells] for left, (_, cells) in zip(named, rows)
        ]
        titles = [of if name == "of" else name for name in headings]
        head = "system" if "system" in headings else titles[0]
        names = [Column(title, "head" if title == head else "name") for title in titles]
        return Table([*names, *columns], cells, caption=caption)

    def lines(self, records: Iterable[Record]) -> list[dict[str, Record]]:
        """Return the records of each line, by metric."""
        lines: dict[tuple[Any, ...], dict[str, Record]] = {}
        for record in records:
            at = tuple(record[name] for name in LINE)
            lines.setdefault(at, {})[record["metric"]] = record
        return list(lines.values())

    def failures(self) -> list[str]:
        """Return the reasons of the rows and means without figures."""
        return [f"{describe_row(record)}: {record['reason']}" for record in self.batch.failed]

    def how_rounded(self) -> str:
        """Describe how figures are made percent."""
        return " and ".join(sorted({*map(describe_rounding, self._rounding.values())}))


def by_row(view: View) -> Table:
    """Return F1: a line for each row, document, group or mean, a column for each metric."""
    metrics = list(dict.fromkeys(row["metric"] for row in view.records if row["metric"]))
    rows: list[tuple[Record, list[Cell | str]]] = []
    for line in view.lines(view.records):
        first = next(iter(line.values()))
        warnings = "failed" if first["status"] == "failed" else str(first["warnings"])
        rows.append((first, [*(view.percent(line.get(metric)) for metric in metrics), warnings]))
    columns = [Column(metric, latex=registry.title(metric)) for metric in metrics]
    return view.table(rows, [*columns, Column("warnings", spare=1)])


def long(view: View) -> Table:
    """Return recall, precision and F1: a line for each metric of each row, group or mean."""
    rows: list[tuple[Record, list[Cell | str]]] = []
    for record in view.records:
        ratios = [view.percent(record, ratio) for ratio in RATIOS]
        failed = record["status"] == "failed"
        if failed:
            rows.append((record, ["", "failed", "", ""]))
        else:
            rows.append((record, [metric_cell(record["metric"]), *ratios]))
    columns = [
        Column("metric", "name"),
        Column("recall", spare=2),
        Column("precision", spare=1),
        Column("F1"),
    ]
    return view.table(rows, columns)


class Wide:
    """F1 in a line for each corpus and system: the `columns` are a setting and a metric each.

    `lines`: corpus, system, kind and name of each line, and its records by column; a row that
    failed has no metric, and so stands for all columns of its setting.
    """

    def __init__(self, view: View, records: Iterable[Record] | None = None) -> None:
        self._view, self._changes = view, view.batch.changes
        # The kind of record that stands for a row.
        main = "macro" if view.batch.layout.average == "macro" else "micro"
        metrics: dict[str, dict[str, None]] = {}
        self.lines: dict[tuple[str, ...], dict[tuple[str, str], Record]] = {}
        for record in view.records if records is None else records:
            setting, metric = view.setting(record), record["metric"]
            metrics.setdefault(setting, {}).update({metric: None} if metric else {})
            at = record["corpus"], record["system"], record["kind"] or main, record["name"]
            self.lines.setdefault(at, {})[setting, metric] = record
        # Where all rows of a setting failed, a column without a metric says so.
        self.columns = [
            (setting, metric) for setting, names in metrics.items() for metric in names or [""]
        ]

    def _cells(self, line: Mapping[tuple[str, str], Record]) -> Iterator[Record | None]:
        """Yield the record of each column, if any."""
        for setting, metric in self.columns:
            yield line.get((setting, metric)) or line.get((setting, ""))

    def table(self, caption: str = "") -> Table:
        """Return the table for readers."""
        columns = [
            Column(
                column(setting, metric), latex=column(setting, metric and registry.title(metric))
            )
            for setting, metric in self.columns
        ]
        rows = [
            (
                max(line.values(), key=lambda record: record["status"]),
                [
                    "failed" if cell and not cell["metric"] else self._view.percent(cell)
                    for cell in self._cells(line)
                ],
            )
            for line in self.lines.values()
        ]
        return self._view.table(rows, columns, settings=False, caption=caption)

    @property
    def fields(self) -> list[str]:
        """The fields of `records`."""
        return ["corpus", "system", "kind", "name", "reason", *self.figures]

    @property
    def figures(self) -> list[str]:
        """The fields that are numbers."""
        ends = ("", "/change", "/p_holm") if self._changes else ("",)
        return [f"{column(*name)}{end}" for name in self.columns for end in ends]

    def records(self) -> list[dict[str, Any]]:
        """Return the lines to compute with: F1 as fractions, and why settings failed."""
        lines = []
        for names, line in self.lines.items():
            reasons = [
                f"{setting}: {record['reason']}" if setting else record["reason"]
                for (setting, metric), record in line.items()
                if not metric
            ]
            figures: list[float | None] = []
            for cell in self._cells(line):
                figures.append(cell["f1"] if cell else None)
                if self._changes:
                    change = self._changes.of_record(cell).get("f1") if cell else None
                    figures += [change.change, change.p_holm] if change else [None, None]
            values = *names, "; ".join(reasons), *figures
            lines.append(dict(zip(self.fields, values, strict=True)))
        return lines


def changed(view: View, changes: Changes, records: Iterable[Record]) -> Table:
    """Return of each F1 what it was, what was added to it, and whether that is significant."""
    rows: list[tuple[Record, list[Cell | str]]] = []
    for record in records:
        change = changes.of_record(record).get("f1")
        if change is None:
            continue
        tested = ["", "", ""]
        if change.low is not None and change.high is not None and change.p is not None:
            interval = f"[{difference(change.low)}, {difference(change.high)}]"
            written = partial(changes.resampling.written, change.p, change.units)
            tested = [interval, written(None), written(change.p_holm)]
        then = figure(change.then, view.rounding(record))
        figures = [then, view.percent(record), difference(change.change)]
        rows.append((record, [metric_cell(record["metric"]), *figures, *tested]))
    interval = changes.resampling.interval_heading
    columns = [
        Column("metric", "name"),
        *number_columns("F1 then", "F1"),
        Column("change", "main"),
        Column(interval, spare=1),
        Column("p", "rank", spare=2),
        Column("p (Holm)", "rank"),
    ]
    caption = "Changes since the earlier run"
    return view.table(rows, columns, caption=caption)


def _tables(view: View) -> list[Table]:
    shape, changes = view.batch.shape, view.batch.changes
    first = Wide(view).table() if shape == "wide" else (long if shape == "long" else by_row)(view)
    return [first, changed(view, changes, view.records)] if changes else [first]


def _notes(view: View) -> list[str]:
    table = view.batch
    notes = [f"failed: {failure}" for failure in view.failures()]
    notes += [f"note: {note}" for note in table.changes.notes] if table.changes else []
    more = "; csv, tsv, json, jsonl and parquet have recall, precision and counts"
    figures = "figures" if table.shape == "long" else "F1"
    ending = "" if table.shape == "wide" else more
    return [*notes, *view.explained(), f"{figures} in percent, {view.how_rounded()}{ending}"]


def _page(view: View, signed: dict[str, Any]) -> Page:
    """Return the content of the HTML report.

    Figures are percent, with two decimals as each row's option `rounding` says.
    """
    table = view.batch
    scored = [record for record in view.records if record["status"] != "failed"]
    kinds = {kind: [record for record in scored if record["kind"] == kind] for kind in CAPTIONS}
    metrics = list(dict.fromkeys(record["metric"] for record in scored))
    labels = dict.fromkeys(map(view.label, scored))
    marks = {label: number for number, label in enumerate(labels, 1)}
    grids = {
        kind: _grid(view, kind, records, metrics, marks)
        for kind, records in kinds.items()
        if records
    }
    # Means stand beside the totals: rows of documents can be many.
    totals = [grid for kind, grid in grids.items() if kind not in DETAILS]
    rows = kinds["micro"] or kinds["macro"]
    if len({(record["preset"], record["settings"]) for record in view.records}) > 1:
        main = {"", "micro" if kinds["micro"] else "macro", "corpora"}
        compared = [record for record in view.records if record["kind"] in main]
        totals.append(Wide(view, compared).table("F1 of each setting"))
    if table.changes is not None:
        records = [record for record in view.records if record["kind"] != "document"]
        totals.append(changed(view, table.changes, records))
    failures = view.failures()
    return Page(
        headline=_headline(view, metrics, rows),
        facts=_facts(table),
        summary=f"Figures are percent, {view.how_rounded()}.",
        tables=totals,
        sections=list(_plots(view, metrics, kinds["corpora"], rows, marks)),
        folded=[grids[kind] for kind in DETAILS if kind in grids],
        first_lists=[
            (f"Failed ({len(failures):,})", failures),
            ("Notes on the comparison", table.changes.notes if table.changes else []),
            ("Settings", view.explained()),
        ],
        signature=noted(signed),
    )


def _headline(view: View, metrics: Sequence[str], rows: Sequence[Record]) -> str:
    """Say which rows have the lowest and the highest F1 of the main metric."""
    main = main_of(metrics) if metrics else ""
    scored = [row for row in rows if row["metric"] == main and row["f1"] is not None]
    scored.sort(key=lambda row: row["f1"])
    said = []
    for row in scored[:: max(1, len(scored) - 1)]:
        names = ", ".join(filter(None, (view.label(row), row["corpus"])))
        said.append(f"{view.percent(row)} ({names})")
    return f"{main} F1 {'from ' if len(said) > 1 else ''}{' to '.join(said)}." if said else ""


def _facts(table: BatchTable) -> Iterator[tuple[str, str]]:
    rows = [result.row for result in table.results]
    failed = sum(1 for record in table.failed if record["row"] is not None)
    yield "rows", f"{len(rows):,}{f', {failed:,} failed' if failed else ''}"
    yield "corpora", f"{len({row.corpus for row in rows}):,}"
    yield "systems", f"{len({row.system for row in rows}):,}"
    keys, responses = [row.key for row in rows], [row.response for row in rows]
    for term, names in (("keys", keys), ("responses", responses)):
        if len(set(names)) <= 10:
            yield term, ", ".join(dict.fromkeys(names))
    settings = len({row.preset for row in rows if row.preset})
    warnings = sum(
        len(warnings_in(row.evaluation.problems)) for row in table.results if row.evaluation
    )
    for term, number in (("settings", settings), ("warnings", warnings)):
        if number:
            yield term, f"{number:,}"


def _grid(
    view: View,
    kind: str,
    records: Sequence[Record],
    metrics: Sequence[str],
    marks: Mapping[str, int],
) -> Table:
    """Return the table of one kind of records, with recall, precision and F1 of each metric."""
    rows: list[tuple[Record, list[Cell | str]]] = []
    for line in view.lines(records):
        record = next(iter(line.values()))
        ratios = {
            metric: [line.get(metric, {}).get(ratio) for ratio in RATIOS] for metric in metrics
        }
        cells = metric_cells(ratios, view.rounding(record))
        rows.append((record, [*cells, f"{record['warnings'] or 0:,}"]))
    columns = [*metric_columns(metrics), Column("warnings")]
    # The caption says what means are of.
    of = kind if kind in DETAILS else ""
    return view.table(rows, columns, of=of, marks=marks, caption=CAPTIONS[kind])


def _plots(
    view: View,
    metrics: Sequence[str],
    means: Sequence[Record],
    rows: Sequence[Record],
    marks: Mapping[str, int],
) -> Iterator[Section]:
    """Yield F1 by corpus of means and rows, and recall against precision of the rows."""
    main = main_of(metrics) if metrics else ""
    if sum(record["metric"] == main for record in rows) < 2:
        return
    how = view.rounding(rows[0])
    dots: dict[str, list[plots.Dot]] = {}
    for record in (*means, *rows):
        if record["metric"] == main and record["f1"] is not None:
            label = view.label(record)
            dot = plots.Dot(label, record["f1"], marks[label])
            dots.setdefault(record["corpus"] or HEADINGS["corpora"], []).append(dot)
    if 0 < len(dots) <= PLOTTED:
        title = f"F1 of {main} by corpus"
        strips = [plots.Strip(corpus, nan, systems) for corpus, systems in dots.items()]
        drawn = plots.strips(strips, title, how, of="system")
        explained = " and its settings" if any(map(view.setting, rows)) else ""
        caption = plots.systems(max(map(len, dots.values())), f"{explained}, as in the table above")
        yield Section(title, [Figure(drawn, caption, title)])
    points: dict[str, list[plots.Point]] = {}
    for metric in dict.fromkeys(part for name in metrics for part in parts_of(name)):
        for record in rows:
            if record["metric"] == metric and record["recall"] is not None:
                label, ratios = view.label(record), (record["recall"], record["precision"])
                point = plots.Point(f"{record['corpus']}, {label}", None, marks[label], *ratios)
                points.setdefault(metric, []).append(point)
    said = "a mark for each row, as in the table above"
    yield from recall_against_precision(points, said, how, of="row")
