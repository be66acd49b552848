"""Shows a batch: its records as tables in one of three shapes, as a frame, and as an HTML report.

A line for each row with a column for each metric; `wide`, with a line for each corpus and system
and a column for each setting and metric; `long`, with a line for each figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from scorer import registry
from scorer.count.counts import Ratios
from scorer.evaluation import signature
from scorer.registry import AVERAGES
from scorer.report import forms, page, plots
from scorer.report.figures import describe_rounding, difference, figure
from scorer.report.page import Cell, Column, Figure, HtmlTable, Section, ratio_cells, ratio_columns
from scorer.report.report import Report, Table, Term, frame_of
from scorer.run.batch import FIELDS, NUMBERS, BatchTable
from scorer.run.delta import FIELDS as CHANGE_FIELDS
from scorer.run.delta import Changes, FigureChange
from scorer.run.manifest import DEFAULTS
from scorer.show.evaluation import term_of
from scorer.show.evaluation_page import PLOTTED, main_of, parts_of

if TYPE_CHECKING:
    import pandas as pd

Record = Mapping[str, Any]

RATIOS = ("recall", "precision", "f1")

HEADINGS = {"micro": "", "macro": "macro-average", "corpora": "mean over corpora"}
"""What tables call a kind of record without a name."""

CAPTIONS = {
    "corpora": "Means over corpora",
    "micro": "Rows of the manifest",
    "macro": "Means over documents (macro-average)",
    "group": "Groups",
    "document": "Documents",
}
"""The tables of the HTML report, in their order."""


def report_of(table: BatchTable, form: str) -> Report:
    """Return the report of a batch in an output format."""
    signed = table.signature(form)
    wide = _wide(table) if table.shape == "wide" else None
    fields = FIELDS if table.changes is None else (*FIELDS, *CHANGE_FIELDS)
    return Report(
        form,
        "Coreference scores",
        tables=lambda: _tables(table),
        notes=_notes(table),
        signatures=signature.both(signed),
        fields=fields if wide is None else wide.fields(table.changes),
        records=lambda: rows_of(table),
        tree=lambda: table.to_dict() | {"signature": signed},
        page=lambda title: _page(table, signed, title),
        frame=table.to_frame,
    )


def content_of(table: BatchTable, form: str) -> bytes:
    """Return the bytes of the table in an output format."""
    return forms.content(report_of(table, form))


def rows_of(table: BatchTable) -> list[dict[str, Any]]:
    """Return the records of the table, or its lines if it is wide."""
    if table.shape != "wide":
        return table.records
    return list(_wide(table).records(table.changes))


def frame_of_table(table: BatchTable, shape: str | None) -> pd.DataFrame:
    """Return the table as a pandas frame of that shape."""
    if shape == "wide":
        wide = _wide(table)
        records = (record.values() for record in wide.records(table.changes))
        frame = frame_of(records, wide.fields(table.changes))
        return frame.astype(dict.fromkeys(wide.figures(table.changes), float))
    changes = CHANGE_FIELDS if table.changes else ()
    frame = frame_of((record.values() for record in table.records), (*FIELDS, *changes))
    types = dict.fromkeys((*NUMBERS, *changes), float)
    return frame.astype(types | dict.fromkeys(("row", "warnings"), "Int64"))


def place(record: Record) -> str:
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


class Settings:
    """Distinct names of the settings of records.

    A setting is called as it was written among the presets, or else by the options that are not at
    their defaults. These follow in brackets where one that was written is not the same for all
    rows, as some say more themselves.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._options: dict[str, list[str]] = {}
        for record in records:
            options = self._options.setdefault(record["preset"], [])
            if record["settings"] not in options:
                options.append(record["settings"])

    def of(self, record: Record) -> str:
        """Return the name of a record's setting."""
        preset, options = str(record["preset"]), str(record["settings"])
        if not preset:
            return options
        return preset if len(self._options[preset]) == 1 else f"{preset} [{options or DEFAULTS}]"

    def explained(self) -> list[str]:
        """Return the options of each preset that stands for the same ones in all rows."""
        return [
            f"{preset}: {options[0] or DEFAULTS}"
            for preset, options in self._options.items()
            if preset and [preset] != options and len(options) == 1
        ]


class Lines:
    """Records as lines of a table: what identifies them stands on the left, with `headings`."""

    def __init__(self, records: Sequence[Record], *, settings: bool = True) -> None:
        self._settings = Settings(records)
        names = ("row", "corpus", "system", "preset", "settings")
        self._names = names if settings else ("corpus", "system")
        columns: dict[str, Callable[[Record], str]] = {
            "corpus": lambda record: str(record["corpus"]),
            "system": lambda record: str(record["system"]),
        }
        if settings:
            columns["settings"] = self._settings.of
        columns = {name: cell for name, cell in columns.items() if any(map(cell, records))}
        if any(record["kind"] not in {"", "micro"} for record in records):
            columns["of"] = lambda record: str(record["name"] or HEADINGS.get(record["kind"], ""))
        self._columns = columns
        self.headings = list(columns)

    def grouped(self, records: Iterable[Record]) -> list[dict[str, Record]]:
        """Return the records of each line, by metric."""
        lines: dict[tuple[Any, ...], dict[str, Record]] = {}
        for record in records:
            lines.setdefault(self.at(record), {})[record["metric"]] = record
        return list(lines.values())

    def at(self, record: Record) -> tuple[Any, ...]:
        """Return what identifies the line of a record."""
        return *(record[name] for name in self._names), record["kind"], record["name"]

    def left(self, record: Record) -> list[str]:
        """Return the cells on the left."""
        return [cell(record) for cell in self._columns.values()]


def shown(records: Iterable[Record]) -> list[Record]:
    """Return the records that readers see: without the parts of metrics."""
    return [record for record in records if "." not in record["metric"]]


def by_row(records: Sequence[Record], rounding: Mapping[str, str]) -> Table:
    """Return F1: a line for each row, document, group or mean, a column for each metric.

    Args:
        records: Those of the table.
        rounding: The option of that name, by `settings`.
    """
    records = shown(records)
    lines = Lines(records)
    metrics = list(dict.fromkeys(record["metric"] for record in records if record["metric"]))
    rows: list[list[str]] = []
    for line in lines.grouped(records):
        first = next(iter(line.values()))
        warnings = "failed" if first["status"] == "failed" else str(first["warnings"])
        f1s = [_figure(line.get(metric), "f1", rounding) for metric in metrics]
        rows.append([*lines.left(first), *f1s, warnings])
    headings = [*lines.headings, *map(term_of, metrics), "warnings"]
    return Table(headings, rows, len(lines.headings), ("warnings",))


def long(records: Sequence[Record], rounding: Mapping[str, str]) -> Table:
    """Return recall, precision and F1: a line for each metric of each row, group or mean."""
    records = shown(records)
    lines = Lines(records)
    rows: list[list[str]] = []
    for record in records:
        ratios = [_figure(record, ratio, rounding) for ratio in RATIOS]
        failed = record["status"] == "failed"
        cells = ["", "failed", "", ""] if failed else [term_of(record["metric"]), *ratios]
        rows.append([*lines.left(record), *cells])
    headings = [*lines.headings, "metric", "recall", "precision", "F1"]
    return Table(headings, rows, len(lines.headings) + 1, ("precision", "recall"))


class Wide:
    """F1 in a line for each corpus and system: the `columns` are a setting and a metric each.

    `lines`: what stands on the left of each line, and the record in each column that has one; where
    a row failed, its record stands in all columns of its setting.
    """

    def __init__(self, records: Iterable[Record], main: str) -> None:
        records = shown(records)
        self._lines = Lines(records, settings=False)
        self.headings = self._lines.headings
        settings = Settings(records)
        metrics: dict[str, list[str]] = {}
        for record in records:
            names = metrics.setdefault(settings.of(record), [])
            if record["metric"] and record["metric"] not in names:
                names.append(record["metric"])
        # Where all rows of a setting failed, a column without a metric says so.
        metrics = {setting: names or [""] for setting, names in metrics.items()}
        self.columns = [(setting, name) for setting, names in metrics.items() for name in names]
        self.lines: dict[tuple[Any, ...], dict[tuple[str, str], Record]] = {}
        for record in records:
            *at, kind, name = self._lines.at(record)
            line = self.lines.setdefault((*at, kind or main, name), {})
            setting = settings.of(record)
            failed = record["status"] == "failed"
            for metric in metrics[setting] if failed else [record["metric"]]:
                line[setting, metric] = record

    def table(self, rounding: Mapping[str, str]) -> Table:
        """Return the table for readers."""
        terms = [
            Term(column(setting, metric), column(setting, metric and registry.title(metric)))
            for setting, metric in self.columns
        ]
        rows: list[list[str]] = []
        for line in self.lines.values():
            records = list(line.values())
            scored = (record for record in records if record["status"] != "failed")
            cells = [_figure(line.get(name), "f1", rounding, "failed") for name in self.columns]
            rows.append([*self._lines.left(next(scored, records[0])), *cells])
        return Table([*self.headings, *terms], rows, len(self.headings))

    def fields(self, changes: Changes | None) -> list[str]:
        """Return the fields of `records`."""
        return ["corpus", "system", "kind", "name", "reason", *self.figures(changes)]

    def figures(self, changes: Changes | None) -> list[str]:
        """Return the fields that are numbers."""
        ends = ("", "/change", "/p_holm") if changes else ("",)
        return [f"{column(*name)}{end}" for name in self.columns for end in ends]

    def records(self, changes: Changes | None) -> Iterator[dict[str, Any]]:
        """Return the lines to compute with: F1 as fractions, and why settings failed."""
        for names, line in self.lines.items():
            reasons = {
                setting: record["reason"]
                for (setting, _), record in line.items()
                if record["status"] == "failed"
            }
            reason = "; ".join(
                f"{setting}: {why}" if setting else why for setting, why in reasons.items()
            )
            figures: list[float | None] = []
            for name in self.columns:
                record = line.get(name)
                figures.append(record["f1"] if record else None)
                if changes:
                    change = changes.of(record).get("f1") if record else None
                    figures += [change.value, change.p_holm] if change else [None, None]
            yield dict(zip(self.fields(changes), (*names, reason, *figures), strict=True))


def changed(records: Iterable[Record], changes: Changes, rounding: Mapping[str, str]) -> Table:
    """Return of each F1 what it was, what was added to it, and whether that is significant."""
    records = [record for record in shown(records) if "f1" in changes.of(record)]
    lines = Lines(records)
    rows: list[list[str]] = []
    for record in records:
        how = rounding[record["settings"]]
        change = changes.of(record)["f1"]
        figures = [figure(change.then, how), figure(record["f1"], how)]
        cells = [*figures, *_tested(change, changes)]
        rows.append([*lines.left(record), term_of(record["metric"]), *cells])
    interval = changes.resampling.interval_heading
    headings = [*lines.headings, "metric", "F1 then", "F1", "change", interval, "p", "p (Holm)"]
    return Table(headings, rows, len(lines.headings) + 1, (interval, "p"))


def _tested(change: FigureChange, changes: Changes) -> list[str]:
    """Return the cells of a change: its value, its interval, p and the corrected p."""
    if change.low is None or change.high is None or change.p is None:
        return [difference(change.value), "", "", ""]
    written = changes.resampling.written
    p = [written(change.p, change.units, corrected) for corrected in (None, change.p_holm)]
    interval = f"[{difference(change.low)}, {difference(change.high)}]"
    return [difference(change.value), interval, *p]


def _figure(
    record: Record | None, ratio: str, rounding: Mapping[str, str], failed: str = ""
) -> str:
    """Return the cell of a ratio, empty where there is none."""
    if record is None:
        return ""
    if record["status"] == "failed":
        return failed
    value = record[ratio]
    return "" if value is None else figure(value, rounding[record["settings"]])


def _main(table: BatchTable) -> str:
    """Return the kind of record that stands for a row."""
    return "macro" if table.layout.average == "macro" else "micro"


def _wide(table: BatchTable) -> Wide:
    return Wide(table.records, _main(table))


def _rounding_by_settings(table: BatchTable) -> dict[str, str]:
    return {result.row.settings: result.row.options.rounding for result in table.results}


def _tables(table: BatchTable) -> list[Table]:
    rounding = _rounding_by_settings(table)
    if table.shape == "wide":
        tables = [_wide(table).table(rounding)]
    else:
        tables = [(long if table.shape == "long" else by_row)(table.records, rounding)]
    return tables + ([changed(table.records, table.changes, rounding)] if table.changes else [])


def _rounding(table: BatchTable) -> str:
    options = {describe_rounding(result.row.options.rounding) for result in table.results}
    return " and ".join(sorted(options))


def _failures(table: BatchTable) -> list[str]:
    return [f"{place(record)}: {record['reason']}" for record in table.failed]


def _notes(table: BatchTable) -> list[str]:
    notes = [f"failed: {failure}" for failure in _failures(table)]
    notes += [f"note: {note}" for note in table.changes.notes] if table.changes else []
    notes += Settings(table.records).explained()
    more = "; csv, tsv, json, jsonl and parquet have recall, precision and counts"
    figures = "figures" if table.shape == "long" else "F1"
    ending = "" if table.shape == "wide" else more
    return [*notes, f"{figures} in percent, {_rounding(table)}{ending}"]


def _page(table: BatchTable, signed: dict[str, Any], title: str) -> str:
    """Return the HTML report, a page that needs nothing beside it.

    Figures are percent, with two decimals as each row's option `rounding` says.
    """
    settings, rounding = Settings(table.records), _rounding_by_settings(table)
    kinds: dict[str, list[Record]] = {kind: [] for kind in CAPTIONS}
    metrics: dict[str, None] = {}
    marks: dict[str, int] = {}
    for record in shown(table.records):
        if record["status"] != "failed":
            kinds[record["kind"]].append(record)
            metrics[record["metric"]] = None
            marks.setdefault(_label(record, settings), len(marks) + 1)

    def mark_of(record: Record) -> int:
        return marks[_label(record, settings)]

    grids = {
        kind: _grid(kind, records, list(metrics), rounding, mark_of)
        for kind, records in kinds.items()
        if records
    }
    # Means stand beside the totals: rows of documents can be many.
    totals = [grid for kind, grid in grids.items() if kind not in {"group", "document"}]
    if len({(record["preset"], record["settings"]) for record in table.records}) > 1:
        main = "micro" if kinds["micro"] else "macro"
        compared = {"", main, "corpora"}
        wide = Wide((record for record in table.records if record["kind"] in compared), main)
        columns = [*_text_columns(wide.headings), *(Column(column(*name)) for name in wide.columns)]
        totals.append(HtmlTable("F1 of each setting", columns, wide.table(rounding).rows))
    if table.changes is not None:
        records = (record for record in table.records if record["kind"] != "document")
        drawn = changed(records, table.changes, rounding)
        columns = _text_columns(drawn.headings[: drawn.left])
        columns += [Column(heading, "number") for heading in drawn.headings[drawn.left :][:3]]
        interval, *p = drawn.headings[drawn.left + 3 :]
        columns += [Column(interval, ""), *(Column(heading, "rank") for heading in p)]
        cells = [list(map(_sortable, row)) for row in drawn.rows]
        totals.append(HtmlTable("Changes since the earlier run", columns, cells))
    failures = _failures(table)
    rows = kinds["micro"] or kinds["macro"]
    first = next(iter(rounding.values()), "round")
    return page.render_page(
        "batch.html",
        title=title,
        headline=_headline(list(metrics), rows, settings, rounding),
        facts=list(_facts(table)),
        summary=f"Figures are percent, {_rounding(table)}.",
        lists=[
            (f"Failed ({len(failures):,})", failures),
            ("Notes on the comparison", table.changes.notes if table.changes else []),
            ("Settings", settings.explained()),
        ],
        totals=totals,
        plots=list(_plots(list(metrics), kinds["corpora"] + rows, rows, settings, first, mark_of)),
        tables=[
            (f"{CAPTIONS[kind]} of each row", grids[kind])
            for kind in ("group", "document")
            if kind in grids
        ],
        signature=signature.noted(signed),
    )


def _label(record: Record, settings: Settings) -> str:
    """Return whose figures a record holds."""
    setting = settings.of(record)
    return f"{record['system']} ({setting})" if setting else str(record["system"])


def _headline(
    metrics: Sequence[str],
    rows: Sequence[Record],
    settings: Settings,
    rounding: Mapping[str, str],
) -> str:
    """Say which rows have the lowest and the highest F1 of the main metric."""
    main = main_of(metrics) if metrics else ""
    scored = [row for row in rows if row["metric"] == main and row["f1"] is not None]
    scored.sort(key=lambda row: row["f1"])
    said = []
    for row in scored[:: max(1, len(scored) - 1)]:
        of = ", ".join(filter(None, (_label(row, settings), row["corpus"])))
        said.append(f"{figure(row['f1'], rounding[row['settings']])} ({of})")
    return f"{main} F1 {'from ' if len(said) > 1 else ''}{' to '.join(said)}." if said else ""


def _text_columns(headings: Sequence[str]) -> list[Column]:
    return [
        Column(heading, "text", "left" if at else "name") for at, heading in enumerate(headings)
    ]


def _sortable(text: str) -> str | Cell:
    """Return a cell that sorts by its number, also where that is only known to be below one."""
    return Cell(text, float(text[2:])) if text.startswith("< ") else str(text)


def _facts(table: BatchTable) -> Iterator[tuple[str, str]]:
    rows = [result.row for result in table.results]
    failed = sum(1 for record in table.failed if record["row"] is not None)
    yield "rows", f"{len(rows):,}{f', {failed:,} failed' if failed else ''}"
    yield "corpora", f"{len({row.corpus for row in rows}):,}"
    yield "systems", f"{len({row.system for row in rows}):,}"
    for term, names in (
        ("keys", [row.key for row in rows]),
        ("responses", [row.response for row in rows]),
    ):
        if len(set(names)) <= 10:
            yield term, ", ".join(dict.fromkeys(names))
    settings = len({row.preset for row in rows if row.preset})
    warnings = sum(len(row.evaluation.problems) for row in table.results if row.evaluation)
    for term, number in (("settings", settings), ("warnings", warnings)):
        if number:
            yield term, f"{number:,}"


def _grid(
    kind: str,
    records: Sequence[Record],
    metrics: Sequence[str],
    rounding: Mapping[str, str],
    mark_of: Callable[[Record], int],
) -> HtmlTable:
    """Return the table of one kind of records, with recall, precision and F1 of each metric."""
    lines = Lines(records)
    named = kind in {"group", "document"}
    headings = [heading for heading in lines.headings if named or heading != "of"]
    columns = _text_columns([kind if heading == "of" else heading for heading in headings])
    for metric in metrics:
        columns += ratio_columns(metric, single=metric in AVERAGES)
    columns += [] if named else [Column("warnings", "rank")]
    rows: list[list[str | Cell]] = []
    for line in lines.grouped(records):
        record = next(iter(line.values()))
        left = dict(zip(lines.headings, lines.left(record)))
        row: list[str | Cell] = [left[heading] for heading in headings]
        if not named:
            mark = plots.symbol(mark_of(record))
            row[headings.index("system")] = Cell(left["system"], mark=mark)
        for metric in metrics:
            values = [line[metric][ratio] if metric in line else None for ratio in RATIOS]
            ratios = Ratios(*(nan if value is None else value for value in values))
            how = rounding[record["settings"]]
            row += ratio_cells(ratios, single=metric in AVERAGES, rounding=how)
        if not named:
            warnings = record["warnings"] or 0
            row.append(Cell(f"{warnings:,}", warnings))
        rows.append(row)
    return HtmlTable(CAPTIONS[kind], columns, rows)


def _plots(
    metrics: Sequence[str],
    records: Sequence[Record],
    rows: Sequence[Record],
    settings: Settings,
    rounding: str,
    mark_of: Callable[[Record], int],
) -> Iterator[Section]:
    """Yield F1 by corpus of all records, and recall against precision of the rows."""
    main = main_of(metrics)
    if sum(record["metric"] == main for record in rows) < 2:
        return
    dots: dict[str, list[plots.Dot]] = {}
    for record in records:
        if record["metric"] == main and record["f1"] is not None:
            dot = plots.Dot(_label(record, settings), record["f1"], mark_of(record))
            dots.setdefault(record["corpus"] or "mean over corpora", []).append(dot)
    if 0 < len(dots) <= PLOTTED:
        title = f"F1 of {main} by corpus"
        strips = [plots.Strip(corpus, nan, systems) for corpus, systems in dots.items()]
        drawn = plots.strips(strips, title, rounding, of="system")
        marks = " and its settings" if any(settings.of(record) for record in rows) else ""
        caption = plots.systems(max(map(len, dots.values())), f"{marks}, as in the table above")
        yield Section(title, [Figure(drawn, caption, title)])
    squares = []
    for metric in dict.fromkeys(part for name in metrics for part in parts_of(name)):
        points = [
            plots.Point(
                f"{record['corpus']}, {_label(record, settings)}",
                None,
                mark_of(record),
                record["recall"],
                record["precision"],
            )
            for record in rows
            if record["metric"] == metric and record["recall"] is not None
        ]
        if points:
            title = f"Recall against precision of {metric}"
            drawn = plots.recall_against_precision(points, title, rounding, of="row")
            caption = (
                f"{metric}: a mark for each row, as in the table above; dashed lines join equal F1"
            )
            squares.append(Figure(drawn, caption))
    if squares:
        yield Section("Recall against precision", squares)
