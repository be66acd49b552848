"""Shows a batch: its records as tables in one of three shapes, as a frame, and as an HTML report.

A line for each row with a column for each metric; `wide`, with a line for each corpus and system
and a column for each setting and metric; `long`, with a line for each figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from scorer import registry
from scorer.evaluation import signature
from scorer.report import forms, plots
from scorer.report.figures import Cell, Table, describe_rounding, difference, figure
from scorer.report.forms import Report, frame_of
from scorer.report.page import Figure, Page, Section, metric_cells, metric_headings
from scorer.run.batch import FIELDS, NUMBERS, BatchTable
from scorer.run.delta import FIELDS as CHANGE_FIELDS
from scorer.run.delta import Changes, FigureChange
from scorer.run.manifest import DEFAULTS
from scorer.show.evaluation import term_of
from scorer.show.evaluation_page import (
    PLOTTED,
    main_of,
    parts_of,
    recall_against_precision,
)

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
    "group": "Groups of each row",
    "document": "Documents of each row",
}
"""The tables of the HTML report, in their order."""


def report_of(table: BatchTable, form: str) -> Report:
    """Return the report of a batch in an output format."""
    signed = table.signature(form)
    fields = FIELDS if table.changes is None else (*FIELDS, *CHANGE_FIELDS)
    return Report(
        form,
        "Coreference scores",
        tables=lambda: _tables(table),
        notes=_notes(table),
        signatures=signature.both(signed),
        fields=_wide(table).fields if table.shape == "wide" else fields,
        records=lambda: rows_of(table),
        tree=lambda: table.to_dict() | {"signature": signed},
        page=lambda: _page(table, signed),
        frame=table.to_frame,
    )


def content_of(table: BatchTable, form: str) -> bytes:
    """Return the bytes of the table in an output format."""
    return forms.content(report_of(table, form))


def rows_of(table: BatchTable) -> list[dict[str, Any]]:
    """Return the records of the table, or its lines if it is wide."""
    return _wide(table).records() if table.shape == "wide" else table.records


def frame_of_table(table: BatchTable, shape: str | None) -> pd.DataFrame:
    """Return the table as a pandas frame of that shape."""
    if shape == "wide":
        wide = _wide(table)
        frame = frame_of((record.values() for record in wide.records()), wide.fields)
        return frame.astype(dict.fromkeys(wide.figures, float))
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

    def label(self, record: Record) -> str:
        """Return whose figures a record holds: the system, and its setting."""
        setting = self.of(record)
        return f"{record['system']} ({setting})" if setting else str(record["system"])

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

    def __init__(
        self, records: Iterable[Record], main: str, changes: Changes | None = None
    ) -> None:
        records = shown(records)
        self._changes = changes
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
            Cell(column(setting, metric), column(setting, metric and registry.title(metric)))
            for setting, metric in self.columns
        ]
        rows: list[list[str]] = []
        for line in self.lines.values():
            records = list(line.values())
            scored = (record for record in records if record["status"] != "failed")
            cells = [_figure(line.get(name), "f1", rounding, "failed") for name in self.columns]
            rows.append([*self._lines.left(next(scored, records[0])), *cells])
        return Table([*self.headings, *terms], rows, len(self.headings))

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
            reasons = {
                setting: f"{setting}: {record['reason']}" if setting else record["reason"]
                for (setting, _), record in line.items()
                if record["status"] == "failed"
            }
            figures: list[float | None] = []
            for name in self.columns:
                record = line.get(name)
                figures.append(record["f1"] if record else None)
                if self._changes:
                    change = self._changes.of(record).get("f1") if record else None
                    figures += [change.change, change.p_holm] if change else [None, None]
            values = *names, "; ".join(reasons.values()), *figures
            lines.append(dict(zip(self.fields, values, strict=True)))
        return lines


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
    caption = "Changes since the earlier run"
    return Table(headings, rows, len(lines.headings) + 1, (interval, "p"), caption=caption)


def _tested(change: FigureChange, changes: Changes) -> list[str]:
    """Return the cells of a change: its value, its interval, p and the corrected p."""
    if change.low is None or change.high is None or change.p is None:
        return [difference(change.change), "", "", ""]
    written = changes.resampling.written
    p = [written(change.p, change.units, corrected) for corrected in (None, change.p_holm)]
    interval = f"[{difference(change.low)}, {difference(change.high)}]"
    return [difference(change.change), interval, *p]


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


def _wide(table: BatchTable) -> Wide:
    # The kind of record that stands for a row.
    main = "macro" if table.layout.average == "macro" else "micro"
    return Wide(table.records, main, table.changes)


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


def _page(table: BatchTable, signed: dict[str, Any]) -> Page:
    """Return the content of the HTML report.

    Figures are percent, with two decimals as each row's option `rounding` says.
    """
    settings, rounding = Settings(table.records), _rounding_by_settings(table)
    kinds: dict[str, list[Record]] = {kind: [] for kind in CAPTIONS}
    for record in shown(table.records):
        if record["status"] != "failed":
            kinds[record["kind"]].append(record)
    scored = [record for records in kinds.values() for record in records]
    metrics = list(dict.fromkeys(record["metric"] for record in scored))
    labels = dict.fromkeys(
        settings.label(record) for record in shown(table.records) if record["metric"]
    )
    marks = {label: number for number, label in enumerate(labels, 1)}
    grids = {
        kind: _grid(kind, records, metrics, rounding, settings, marks)
        for kind, records in kinds.items()
        if records
    }
    # Means stand beside the totals: rows of documents can be many.
    totals = [grid for kind, grid in grids.items() if kind not in {"group", "document"}]
    rows = kinds["micro"] or kinds["macro"]
    if len({(record["preset"], record["settings"]) for record in table.records}) > 1:
        main = "micro" if kinds["micro"] else "macro"
        compared = [record for record in table.records if record["kind"] in {"", main, "corpora"}]
        wide = Wide(compared, main).table(rounding)
        wide.caption = "F1 of each setting"
        totals.append(wide)
    if table.changes is not None:
        records = [record for record in table.records if record["kind"] != "document"]
        totals.append(changed(records, table.changes, rounding))
    failures = _failures(table)
    return Page(
        headline=_headline(metrics, rows, settings, rounding),
        facts=_facts(table),
        summary=f"Figures are percent, {_rounding(table)}.",
        tables=totals,
        sections=list(_plots(metrics, kinds["corpora"] + rows, settings, marks, rounding)),
        folded=[grids[kind] for kind in ("group", "document") if kind in grids],
        first_lists=[
            (f"Failed ({len(failures):,})", failures),
            ("Notes on the comparison", table.changes.notes if table.changes else []),
            ("Settings", settings.explained()),
        ],
        signature=signature.noted(signed),
    )


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
        names = ", ".join(filter(None, (settings.label(row), row["corpus"])))
        said.append(f"{figure(row['f1'], rounding[row['settings']])} ({names})")
    return f"{main} F1 {'from ' if len(said) > 1 else ''}{' to '.join(said)}." if said else ""


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
    settings: Settings,
    marks: Mapping[str, int],
) -> Table:
    """Return the table of one kind of records, with recall, precision and F1 of each metric."""
    lines = Lines(records)
    rows = []
    for line in lines.grouped(records):
        record = next(iter(line.values()))
        cells = lines.left(record)
        at = lines.headings.index("system")
        cells[at] = Cell(cells[at], tier=marks[settings.label(record)])
        ratios = {
            metric: [line.get(metric, {}).get(ratio) for ratio in RATIOS] for metric in metrics
        }
        # The caption says what means are of.
        cells = cells[:-1] if kind in {"macro", "corpora"} else cells
        cells += metric_cells(ratios, rounding[record["settings"]])
        rows.append([*cells, f"{record['warnings'] or 0:,}"])
    left = [kind if heading == "of" else heading for heading in lines.headings]
    left = [heading for heading in left if heading not in {"macro", "corpora"}]
    headings = [*left, *metric_headings(metrics), "warnings"]
    return Table(headings, rows, len(left), caption=CAPTIONS[kind])


def _plots(
    metrics: Sequence[str],
    records: Sequence[Record],
    settings: Settings,
    marks: Mapping[str, int],
    rounding: Mapping[str, str],
) -> Iterator[Section]:
    """Yield F1 by corpus of all records, and recall against precision of the rows."""
    main, how = main_of(metrics) if metrics else "", next(iter(rounding.values()), "round")
    rows = [record for record in records if record["kind"] != "corpora"]
    if sum(record["metric"] == main for record in rows) < 2:
        return
    dots: dict[str, list[plots.Dot]] = {}
    for record in records:
        if record["metric"] == main and record["f1"] is not None:
            label = settings.label(record)
            dot = plots.Dot(label, record["f1"], marks[label])
            dots.setdefault(record["corpus"] or "mean over corpora", []).append(dot)
    if 0 < len(dots) <= PLOTTED:
        title = f"F1 of {main} by corpus"
        strips = [plots.Strip(corpus, nan, systems) for corpus, systems in dots.items()]
        drawn = plots.strips(strips, title, how, of="system")
        explained = " and its settings" if any(settings.of(record) for record in rows) else ""
        caption = plots.systems(max(map(len, dots.values())), f"{explained}, as in the table above")
        yield Section(title, [Figure(drawn, caption, title)])
    points: dict[str, list[plots.Point]] = {}
    for metric in dict.fromkeys(part for name in metrics for part in parts_of(name)):
        for record in rows:
            if record["metric"] == metric and record["recall"] is not None:
                label, ratios = settings.label(record), (record["recall"], record["precision"])
                point = plots.Point(f"{record['corpus']}, {label}", None, marks[label], *ratios)
                points.setdefault(metric, []).append(point)
    said = "a mark for each row, as in the table above"
    yield from recall_against_precision(points, said, how, of="row")
