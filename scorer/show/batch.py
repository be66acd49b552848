"""The records of a batch as tables to read, in one of three shapes.

A line for each row with a column for each metric; `wide`, with a line for each corpus and system
and a column for each setting and metric; `long`, with a line for each figure.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from math import isnan, nan
from typing import TYPE_CHECKING

from conll.errors import did_you_mean
from scorer import registry
from scorer.count.counts import Ratios
from scorer.evaluation import signature
from scorer.evaluation.evaluation import mean
from scorer.evaluation.signature import Layout, noted
from scorer.registry import AVERAGES
from scorer.report import forms, plots
from scorer.report import page as shell
from scorer.report.figures import figure, said_of_percent
from scorer.report.page import Cell, Column, Figure, Grid, Section, ratio_cells, ratio_columns
from scorer.report.plots import symbol
from scorer.report.report import Report, Table, Term, frame_of
from scorer.run.batch import RowCounts, counts_of
from scorer.run.manifest import DEFAULTS
from scorer.show import evaluation as rows
from scorer.show.evaluation import PLOTTED, main_of, parts_of, term_of
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    import pandas as pd

    from scorer.run.batch import Scored
    from scorer.run.delta import Changes
    from scorer.run.manifest import ManifestRow

    Record = Mapping[str, Any]


SHAPES = ("wide", "long")
"""The shapes that can be asked for."""

HEADINGS = {"micro": "", "macro": "macro-average", "corpora": "mean over corpora"}
"""What stands in a table for a kind of record without a name."""


def check_shape(shape: str | None) -> None:
    """ValueError for a shape that is none."""
    if shape is not None and shape not in SHAPES:
        raise ValueError(
            f"shape: {shape!r} is not one of {', '.join(SHAPES)}{did_you_mean(shape, SHAPES)}"
        )


class Settings:
    """What the settings of records are called, each otherwise.

    A setting is called as it was written among the presets, or else by the options that are not at
    their defaults. These follow in brackets where one that was written is not the same for all
    rows, as some say more themselves.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._said: dict[str, list[str]] = {}
        for record in records:
            said = self._said.setdefault(record["preset"], [])
            if record["settings"] not in said:
                said.append(record["settings"])

    def of(self, record: Record) -> str:
        """That of a record."""
        preset, settings = str(record["preset"]), str(record["settings"])
        if not preset:
            return settings
        return preset if len(self._said[preset]) == 1 else f"{preset} [{settings or DEFAULTS}]"

    def explained(self) -> dict[str, str]:
        """The options that each preset stands for where that is one set of them for all rows."""
        return {
            preset: said[0] or DEFAULTS
            for preset, said in self._said.items()
            if preset and [preset] != said and len(said) == 1
        }


def shown(records: Iterable[Record]) -> list[Record]:
    """Those that are shown to readers: without the parts of metrics."""
    return [record for record in records if "." not in record["metric"]]


class Lines:
    """Records as lines of a table: what tells them apart stands on the left, `headings` of it, where any record has it."""

    def __init__(self, records: Sequence[Record], *, settings: bool = True) -> None:
        self._settings = settings
        self._named = {
            name: any(record[name] for record in records) for name in ("corpus", "system")
        }
        self._titled = any(record["kind"] not in {"", "micro"} for record in records)
        self._names = Settings(records)
        self._set = settings and any(map(self._names.of, records))
        self.headings = [name for name, there in self._named.items() if there]
        self.headings += ["settings"] if self._set else []
        self.headings += ["of"] if self._titled else []

    def at(self, record: Record) -> tuple[Any, ...]:
        """What tells the lines apart."""
        names = (
            ("row", "corpus", "system", "preset", "settings")
            if self._settings
            else ("corpus", "system")
        )
        return *(record[name] for name in names), record["kind"], record["name"]

    def left(self, record: Record) -> list[str]:
        """The cells on the left."""
        cells = [str(record[name]) for name, there in self._named.items() if there]
        cells += [self._names.of(record)] if self._set else []
        return [
            *cells,
            *([record["name"] or HEADINGS.get(record["kind"], "")] if self._titled else []),
        ]


def by_row(records: Sequence[Record], percent: Mapping[str, str]) -> Table:
    """F1: a line for each row, document, group or mean, a column for each metric.

    `percent`: that option, by `settings`.
    """
    records = shown(records)
    lines = Lines(records)
    metrics = list(dict.fromkeys(record["metric"] for record in records if record["metric"]))
    found: dict[tuple[Any, ...], dict[str, Record]] = {}
    for record in records:
        found.setdefault(lines.at(record), {})[record["metric"]] = record
    cells: list[list[str]] = []
    for line in found.values():
        first = next(iter(line.values()))
        f1s = [_f1(line.get(metric), percent) for metric in metrics]
        cells.append(
            [
                *lines.left(first),
                *f1s,
                "failed" if first["status"] == "failed" else str(first["warnings"]),
            ]
        )
    titles = list(map(term_of, metrics))
    return Table([*lines.headings, *titles, "warnings"], cells, len(lines.headings), ("warnings",))


def long(records: Sequence[Record], percent: Mapping[str, str]) -> Table:
    """Recall, precision and F1: a line for each metric of each row, document, group or mean."""
    records = shown(records)
    lines = Lines(records)
    cells: list[list[str]] = []
    for record in records:
        if record["status"] == "failed":
            cells.append([*lines.left(record), "", "failed", "", ""])
            continue
        ratios = [
            _figure(record[ratio], percent[record["settings"]])
            for ratio in ("recall", "precision", "f1")
        ]
        cells.append([*lines.left(record), term_of(record["metric"]), *ratios])
    return Table(
        [*lines.headings, "metric", "recall", "precision", "F1"],
        cells,
        len(lines.headings) + 1,
        ("precision", "recall"),
    )


class Wide:
    """F1 in a line for each corpus and system: the `columns` are a setting and a metric each.

    `lines`: what stands on the left of each line, and the record in each column that has one; where
    a row failed, its record stands in all columns of its setting.
    """

    def __init__(self, records: Sequence[Record], main: str) -> None:
        records = shown(records)
        self._lines = Lines(records, settings=False)
        self.headings = self._lines.headings
        names = Settings(records)
        metrics: dict[str, list[str]] = {}
        for record in records:
            of_one = metrics.setdefault(names.of(record), [])
            if record["metric"] and record["metric"] not in of_one:
                of_one.append(record["metric"])
        # Where all rows of a setting failed, a column without a metric says so.
        self.columns = [
            (setting, metric) for setting, of_one in metrics.items() for metric in of_one or [""]
        ]
        self.lines: dict[tuple[Any, ...], dict[tuple[str, str], Record]] = {}
        for record in records:
            *at, kind, name = self._lines.at(record)
            line = self.lines.setdefault((*at, kind or main, name), {})
            setting = names.of(record)
            for metric in (
                metrics[setting] or [""] if record["status"] == "failed" else [record["metric"]]
            ):
                line[setting, metric] = record

    def left(self, line: Mapping[tuple[str, str], Record]) -> list[str]:
        """The cells on the left of a line."""
        first = next(
            (record for record in line.values() if record["status"] != "failed"),
            next(iter(line.values())),
        )
        return self._lines.left(first)

    def table(self, percent: Mapping[str, str]) -> Table:
        """For readers."""
        headings = [
            column(setting, registry.title(metric) if metric else "")
            for setting, metric in self.columns
        ]
        terms = [Term(column(*one), heading) for one, heading in zip(self.columns, headings)]
        cells = [
            [*self.left(line), *(_cell(line.get(one), percent) for one in self.columns)]
            for line in self.lines.values()
        ]
        return Table([*self.headings, *terms], cells, len(self.headings))

    def fields(self, changes: Changes | None) -> list[str]:
        """The columns of `records`."""
        return ["corpus", "system", "kind", "name", "reason", *self.figures(changes)]

    def figures(self, changes: Changes | None) -> list[str]:
        """Those of them that are numbers."""
        return [
            f"{column(*one)}{end}"
            for one in self.columns
            for end in (("", "/change", "/p_holm") if changes else ("",))
        ]

    def records(self, changes: Changes | None) -> Iterator[dict[str, Any]]:
        """To compute with: F1 as fractions, and the reasons of settings that failed."""
        for (corpus, system, kind, name), line in self.lines.items():
            failed = {
                setting: record["reason"]
                for (setting, _), record in line.items()
                if record["status"] == "failed"
            }
            reason = "; ".join(
                f"{setting}: {why}" if setting else why for setting, why in failed.items()
            )
            record: dict[str, Any] = {
                "corpus": corpus,
                "system": system,
                "kind": kind,
                "name": name,
                "reason": reason,
            }
            for one in self.columns:
                own = line.get(one)
                record[column(*one)] = own["f1"] if own else None
                if changes:
                    change = changes.of(own).get("f1") if own else None
                    record[f"{column(*one)}/change"] = change.value if change else None
                    record[f"{column(*one)}/p_holm"] = change.p_holm if change else None
            yield record


def column(setting: str, metric: str) -> str:
    """The name of a column of a wide table; the defaults have no name.

    >>> column("crac25", "muc"), column("", "muc"), column("crac25", "")
    ('crac25/muc', 'muc', 'crac25')
    """
    return "/".join(filter(None, (setting, metric))) or "F1"


def changed(records: Sequence[Record], changes: Changes, percent: Mapping[str, str]) -> Table:
    """Of each F1: what it was, what came to it, and whether that is significant."""
    records = [record for record in shown(records) if "f1" in changes.of(record)]
    lines = Lines(records)
    cells: list[list[str]] = []
    for record in records:
        how = percent[record["settings"]]
        figures = [figure(record["f1"], how), *changes.written(changes.of(record)["f1"], how)]
        now, then, *others = figures
        cells.append([*lines.left(record), term_of(record["metric"]), then, now, *others])
    then_heading, *others = changes.headings
    return Table(
        [*lines.headings, "metric", then_heading, "F1", *others],
        cells,
        len(lines.headings) + 1,
        (others[1], others[2]),
    )


TABLES: dict[str | None, Callable[[Sequence[Record], Mapping[str, str]], Table]] = {
    None: by_row,
    "long": long,
}
"""What makes the table of a shape that is a line for each of some records."""


def _f1(record: Record | None, percent: Mapping[str, str]) -> str:
    return "" if record is None else _figure(record["f1"], percent[record["settings"]])


def _cell(record: Record | None, percent: Mapping[str, str]) -> str:
    return "failed" if record is not None and record["status"] == "failed" else _f1(record, percent)


def _figure(ratio: float | None, percent: str) -> str:
    return "" if ratio is None else figure(ratio, percent)


_CAPTIONS = {
    "corpora": "Means over corpora",
    "micro": "Rows of the manifest",
    "macro": "Means over documents (macro-average)",
    "group": "Groups",
    "document": "Documents",
}
"""The tables, in their order."""


@dataclass(frozen=True)
class _Line:
    """The ratios of a row of the manifest, or of a document, group or mean of it, by metric."""

    corpus: str
    system: str
    settings: str
    name: str
    percent: str
    warnings: int | None
    ratios: dict[str, Ratios]

    @property
    def participant(self) -> str:
        """Whose figures they are."""
        return f"{self.system} ({self.settings})" if self.settings else self.system


def batch_page(
    rows: Sequence[ManifestRow],
    records: Sequence[dict[str, Any]],
    signed: dict[str, Any],
    failed: Sequence[str],
    *,
    changes: Changes | None = None,
) -> str:
    """A page that needs nothing beside it.

    Figures are percent, with two decimals as each row's option `percent` says.

    `records`: those of the table of these rows. `signed`: the fields of the signature at its end;
    `failed`: what failed, and why. `changes`: since an earlier run. ModuleNotFoundError without
    Jinja2.
    """
    lines = _lines(rows, records)
    metrics = list(
        dict.fromkeys(metric for some in lines.values() for line in some for metric in line.ratios)
    )
    participants = dict.fromkeys(line.participant for some in lines.values() for line in some)
    tiers = {participant: tier for tier, participant in enumerate(participants, 1)}
    # Means stand beside the totals: rows of documents can be many.
    shown = {
        kind: _grid(kind, metrics, lines[kind], tiers) for kind in _CAPTIONS if lines.get(kind)
    }
    said = " and ".join(sorted({said_of_percent(row.options.percent) for row in rows}))
    totals = [grid for kind, grid in shown.items() if kind in {"corpora", "micro", "macro"}]
    if len({(record["preset"], record["settings"]) for record in records}) > 1:
        main = "micro" if "micro" in lines else "macro"
        totals += [
            _wide(
                Wide([one for one in records if one["kind"] in {"", main, "corpora"}], main),
                _percent(rows),
            )
        ]
    totals += [] if changes is None else [_changed(records, changes, _percent(rows))]
    lists = [
        (f"Failed ({len(failed):,})", failed),
        ("Not compared, or with care", changes.notes if changes else []),
    ]
    settings = [f"{preset}: {said}" for preset, said in Settings(records).explained().items()]
    return shell.render(
        "batch.html",
        title="Coreference scores",
        facts=list(_facts(rows, records)),
        summary=f"Figures are percent, {said}.",
        lists=[*lists, ("Settings", settings)],
        totals=totals,
        plots=list(
            _plots(
                metrics,
                lines.get("corpora", []),
                lines.get("micro") or lines.get("macro", []),
                tiers,
            )
        ),
        tables=[
            (f"{_CAPTIONS[kind]} of each row", grid)
            for kind, grid in shown.items()
            if kind in {"group", "document"}
        ],
        signature=noted(signed),
    )


def _percent(rows: Sequence[ManifestRow]) -> dict[str, str]:
    return {row.settings: row.options.percent for row in rows}


def _wide(wide: Wide, percent: dict[str, str]) -> Grid:
    """F1 in a line for each corpus and system, the settings side by side."""
    table = wide.table(percent)
    columns = [
        Column(heading, "text", "left" if at else "name")
        for at, heading in enumerate(wide.headings)
    ]
    columns += [Column(column(*one)) for one in wide.columns]
    return Grid("F1 of each setting", columns, table.rows)


def _changed(records: Sequence[dict[str, Any]], changes: Changes, percent: dict[str, str]) -> Grid:
    table = changed(
        [one for one in records if one["kind"] in {"micro", "macro", "corpora", "group"}],
        changes,
        percent,
    )
    columns = [
        Column(heading, "text", "left" if at else "name")
        for at, heading in enumerate(table.headings[: table.left])
    ]
    numbers = len(table.headings) - table.left
    kinds: tuple[Literal["number", "rank", ""], ...] = (
        "number",
        "number",
        "number",
        "",
        "rank",
        "rank",
    )
    columns += [
        Column(heading, kind)
        for heading, kind in zip(table.headings[table.left :], kinds[:numbers])
    ]
    return Grid(
        "Changes since the earlier run", columns, [list(map(_sorted_by, row)) for row in table.rows]
    )


def _sorted_by(text: str) -> str | Cell:
    """A cell that sorts by its number, also where that is only known to be below one."""
    return Cell(text, float(text[2:])) if text.startswith("< ") else str(text)


def _facts(
    rows: Sequence[ManifestRow], records: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    failed = sum(
        1 for record in records if record["status"] == "failed" and record["row"] is not None
    )
    yield "rows", f"{len(rows):,}{f', {failed:,} failed' if failed else ''}"
    yield "corpora", f"{len({row.corpus for row in rows}):,}"
    yield "systems", f"{len({row.system for row in rows}):,}"
    settings = len({row.preset for row in rows if row.preset})
    if settings:
        yield "settings", f"{settings:,}"
    of_rows = {
        (one["row"], one["preset"]): one["warnings"] or 0
        for one in records
        if one["row"] is not None
    }
    warnings = sum(of_rows.values())
    if warnings:
        yield "warnings", f"{warnings:,}"


def _lines(
    rows: Sequence[ManifestRow], records: Sequence[dict[str, Any]]
) -> dict[str, list[_Line]]:
    """By kind of record, in their order; parts of metrics are left out."""
    percent, names = _percent(rows), Settings(records)
    found: dict[tuple[Any, ...], _Line] = {}
    kinds: dict[str, list[_Line]] = {}
    for record in records:
        if record["status"] == "failed" or "." in record["metric"]:
            continue
        at = tuple(
            record[name]
            for name in ("row", "corpus", "system", "preset", "settings", "kind", "name")
        )
        if at not in found:
            _, corpus, system, _, settings, kind, name = at
            found[at] = _Line(
                corpus, system, names.of(record), name, percent[settings], record["warnings"], {}
            )
            kinds.setdefault(kind, []).append(found[at])
        ratios = (
            nan if record[ratio] is None else record[ratio]
            for ratio in ("recall", "precision", "f1")
        )
        found[at].ratios[record["metric"]] = Ratios(*ratios)
    return kinds


def _grid(kind: str, metrics: Sequence[str], lines: Sequence[_Line], tiers: dict[str, int]) -> Grid:
    named = kind in {"group", "document"}
    placed, set_ = any(line.corpus for line in lines), any(line.settings for line in lines)
    headings = [
        *([kind] if named else []),
        *(["corpus"] if placed else []),
        "system",
        *(["settings"] if set_ else []),
    ]
    columns = [
        Column(heading, "text", "left" if at else "name") for at, heading in enumerate(headings)
    ]
    for metric in metrics:
        columns += ratio_columns(metric, single=metric in AVERAGES)
    columns += [] if named else [Column("warnings", "rank")]
    rows = []
    for line in lines:
        system = line.system if named else Cell(line.system, mark=symbol(tiers[line.participant]))
        row: list[str | Cell] = [
            *([line.name] if named else []),
            *([line.corpus] if placed else []),
            system,
        ]
        row += [line.settings] if set_ else []
        for metric in metrics:
            ratios = line.ratios.get(metric, Ratios(nan, nan, nan))
            row += ratio_cells(ratios, single=metric in AVERAGES, percent=line.percent)
        warnings = line.warnings or 0
        rows.append(row if named else [*row, Cell(f"{warnings:,}", warnings)])
    return Grid(_CAPTIONS[kind], columns, rows)


def _plots(
    metrics: Sequence[str], means: Sequence[_Line], rows: Sequence[_Line], tiers: dict[str, int]
) -> Iterator[Section]:
    if len(rows) < 2:
        return
    main = main_of(metrics)
    percent = rows[0].percent
    plotted = [line for line in means if main in line.ratios]
    by_corpus: dict[str, list[_Line]] = {"mean over corpora": plotted} if plotted else {}
    for line in rows:
        if main in line.ratios:
            by_corpus.setdefault(line.corpus, []).append(line)
    if 0 < len(by_corpus) <= PLOTTED:
        strips = [
            plots.Strip(corpus, nan, [_dot(line, main, tiers) for line in some])
            for corpus, some in by_corpus.items()
        ]
        title = f"F1 of {main} by corpus"
        drawn = plots.strips(strips, title, percent, of="system")
        caption = plots.systems(max(len(strip.dots) for strip in strips), ", as in the table above")
        yield Section(title, [Figure(drawn, caption, title)])
    squares = []
    for metric in parts_of(main):
        points = [
            plots.Point(
                f"{line.corpus}, {line.participant}",
                None,
                tiers[line.participant],
                ratios.recall,
                ratios.precision,
            )
            for line in rows
            if (ratios := line.ratios.get(metric)) is not None and not isnan(ratios.recall)
        ]
        if points:
            title = f"Recall against precision of {metric}"
            drawn = plots.recall_against_precision(points, title, percent, of="row")
            squares.append(
                Figure(drawn, f"{metric}: a mark for each row, dashed lines join equal F1")
            )
    if squares:
        yield Section("Recall against precision", squares)


def _dot(line: _Line, metric: str, tiers: dict[str, int]) -> plots.Dot:
    return plots.Dot(line.participant, line.ratios[metric].f1, tiers[line.participant])


FIELDS = (
    *("row", "corpus", "system", "preset", "settings", "key", "response", "status", "reason"),
    *rows.FIELDS,
    *("removed", "warnings", "signature"),
)
"""The columns.

`row` counts the manifest's rows from 1; `preset` is the setting, as it is written among several;
`status` is scored or failed, and then `reason` says why; `kind` is document, group, micro (totals),
macro (means over documents) or corpora (means over corpora), `name` that of the document or group.
`removed` says what filters took from the row's files, `warnings` is the number of warnings.
`signature` is that of `scorer score`. With changes since an earlier run, those of
`scorer.run.delta.FIELDS` follow.
"""

_NUMBERS = rows.FIELDS[3:]


@dataclass(frozen=True)
class RowResult:
    """What the table needs of a row: less than its evaluation where documents are not shown."""

    row: ManifestRow
    reason: str
    rows: Sequence[rows.Row]
    totals: dict[str, Ratios]
    removed: str
    warnings: int | None
    signature: str
    counts: RowCounts | None = None


def result_of(scored: Scored, layout: Layout, *, counts: bool = True) -> RowResult:
    """The rows of the table that the layout asks for, and the totals.

    `counts`: what was counted in each document as well, which JSON and a comparison with an earlier
    run take.
    """
    evaluation = scored.evaluation
    counted = counts_of(scored.row, evaluation, scored.reason) if counts else None
    if evaluation is None:
        return RowResult(scored.row, scored.reason, (), {}, "", None, "", counted)
    totals = {name: evaluation.ratios(name) for name in evaluation.names}
    signed = signature.line(evaluation)
    removed = "; ".join(map(str, evaluation.removed))
    shown = list(rows.select(evaluation, layout))
    return RowResult(
        scored.row, "", shown, totals, removed, len(evaluation.problems), signed, counted
    )


class BatchTable:
    """The table of all results, in the order of the manifest whatever the order in which they come.

    `str()` of it is the table.

    `records`: a line for each figure, with `FIELDS`; `failed` those that have a reason instead.
    `over_corpora`: with the means over the corpora for each system, of recall, of precision and of
    F1, each corpus counting as much as any other (the score of the CRAC shared tasks). A system
    without figures for one of the manifest's corpora has none. `shape`: wide (a line for each
    corpus and system, a column for each setting and metric) or long (a line for each figure); by
    default tables for readers have a line for each row of the manifest and setting, and everything
    else is long. `changes`: since an earlier run, see `scorer.run.delta`; the results are compared
    with it here. ValueError for another shape.
    """

    def __init__(
        self,
        results: Iterable[RowResult],
        layout: Layout,
        *,
        over_corpora: bool = False,
        shape: str | None = None,
        changes: Changes | None = None,
    ) -> None:
        check_shape(shape)
        self.layout = layout
        self.over_corpora = over_corpora
        self.shape = shape
        self.changes = changes
        self.results = sorted(results, key=lambda result: (result.row.number, result.row.place))
        self.records = [record for result in self.results for record in _records(result)]
        systems = list(_systems(self.results)) if over_corpora else []
        self.records += [record for one in systems for record in one.records()]
        if changes is not None:
            counted = [
                (result.row, result.counts) for result in self.results if result.counts is not None
            ]
            compared = changes.compare(counted, layout)
            for one in systems:
                if not one.missing:
                    own = [
                        (result.row, result.counts)
                        for result in one.results
                        if result.counts is not None
                    ]
                    changes.compare_means(
                        own, [compared[now.name] for _, now in own if now.name in compared]
                    )
            changes.finish()
            self.records = [record | changes.cells(record) for record in self.records]

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The records that hold a reason instead of figures."""
        return [record for record in self.records if record["status"] == "failed"]

    def signature(self, form: str) -> dict[str, Any]:
        """What it takes to get the same figures again: a hash of the names and the signatures of the rows, and the layout."""
        # Which rows are of one system or corpus decides what the means over corpora are.
        rows = [
            (result.row.corpus, result.row.system, result.signature or "failed")
            for result in self.results
        ]
        lines = "".join(f"{row}\n" for row in rows)
        presets = list(
            dict.fromkeys(result.row.preset for result in self.results if result.row.preset)
        )
        return {
            "scorer": f"conll-scorer {__version__}",
            "rows": len(self.results),
            "failed": sum(1 for result in self.results if result.reason),
            **({"presets": ",".join(presets)} if presets else {}),
            "signatures": _hash(lines),
            **({"delta": self.changes.signed()} if self.changes else {}),
            "report": self.layout.signed(form)
            | ({"over": "corpora"} if self.over_corpora else {})
            | ({"shape": self.shape} if self.shape else {}),
        }

    def content(self, form: str) -> bytes:
        """The table in one of the forms of `scorer.report.forms`.

        ModuleNotFoundError for parquet without pyarrow.
        """
        return forms.content(self.report(form))

    def text(self, form: str = "table") -> str:
        """The table in one of the forms of `scorer.report.forms`.

        ValueError when there is no such form of text.
        """
        return forms.text(self.report(form))

    def report(self, form: str) -> Report:
        """What that form is to show."""
        signed = self.signature(form)
        wide = Wide(self.records, self._main) if self.shape == "wide" else None
        fields = FIELDS if self.changes is None else (*FIELDS, *_change_fields())
        return Report(
            form,
            "Coreference scores",
            tables=self._tables,
            notes=self._notes(),
            signature=signature.written(signed),
            fields=fields if wide is None else wide.fields(self.changes),
            records=lambda: self.records if wide is None else list(wide.records(self.changes)),
            tree=lambda: self.to_dict() | {"signature": signed},
            page=lambda: batch_page(
                [result.row for result in self.results],
                self.records,
                signed,
                self._failures(),
                changes=self.changes,
            ),
            frame=self.to_frame,
        )

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON has it: its rows, what was counted in each document, and the signature."""
        wide = Wide(self.records, self._main) if self.shape == "wide" else None
        return {
            "rows": self.records if wide is None else list(wide.records(self.changes)),
            "counts": [
                asdict(result.counts) for result in self.results if result.counts is not None
            ],
            **({"notes": self.changes.notes} if self.changes else {}),
            "signature": self.signature("json"),
        }

    def to_frame(self, shape: str | None = None) -> pd.DataFrame:
        """The table as a pandas frame, wide if it or the `shape` is.

        Counts are floats, as some metrics count fractions.
        """
        check_shape(shape)
        if (shape or self.shape) == "wide":
            wide = Wide(self.records, self._main)
            fields, numbers = wide.fields(self.changes), wide.figures(self.changes)
            return frame_of(
                (record.values() for record in wide.records(self.changes)), fields
            ).astype(dict.fromkeys(numbers, float))
        changed = _change_fields() if self.changes else ()
        frame = frame_of((record.values() for record in self.records), (*FIELDS, *changed))
        return frame.astype(
            dict.fromkeys((*_NUMBERS, *changed), float)
            | dict.fromkeys(("row", "warnings"), "Int64")
        )

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.report.report import html

        return html(self.report("table"))

    @property
    def _main(self) -> str:
        """The kind of record that stands for a row."""
        return "macro" if self.layout.average == "macro" else "micro"

    def _tables(self) -> list[Table]:
        percent = {result.row.settings: result.row.options.percent for result in self.results}
        wide = self.shape == "wide"
        table = (
            Wide(self.records, self._main).table(percent)
            if wide
            else TABLES[self.shape](self.records, percent)
        )
        return [table, *([changed(self.records, self.changes, percent)] if self.changes else [])]

    def _failures(self) -> list[str]:
        return [f"{place(record)}: {record['reason']}" for record in self.failed]

    def _notes(self) -> list[str]:
        failed = [f"failed: {failure}" for failure in self._failures()]
        settings = [
            f"{preset}: {said}" for preset, said in Settings(self.records).explained().items()
        ]
        changes = [f"note: {note}" for note in self.changes.notes] if self.changes else []
        said = " and ".join(
            sorted({said_of_percent(result.row.options.percent) for result in self.results})
        )
        more = (
            ""
            if self.shape == "wide"
            else "; csv, tsv, json, jsonl and parquet have recall, precision and counts"
        )
        shown = "figures" if self.shape == "long" else "F1"
        return [*failed, *changes, *settings, f"{shown} in percent, {said}{more}"]


def place(record: dict[str, Any]) -> str:
    """Which row of the table it is, for messages."""
    setting = record["preset"] or record["settings"]
    corpus = (
        f"corpus {record['corpus']}, " if record["kind"] != "corpora" else "mean over corpora, "
    )
    return f"{corpus}system {record['system']}{f' ({setting})' if setting else ''}"


def _change_fields() -> tuple[str, ...]:
    # It compares, and so imports numpy.
    from scorer.run.delta import FIELDS as CHANGES

    return CHANGES


def _records(result: RowResult) -> Iterator[dict[str, Any]]:
    row = result.row
    said = (row.number, row.corpus, row.system, row.preset, row.settings, row.key, row.response)
    if result.reason:
        yield _record(
            *said, "failed", result.reason, *("", "", ""), *(None,) * len(_NUMBERS), "", None, ""
        )
    for one in result.rows:
        yield _record(
            *said, "scored", "", *one.as_tuple(), result.removed, result.warnings, result.signature
        )


def _record(*values: Any) -> dict[str, Any]:
    return dict(zip(FIELDS, values, strict=True))


@dataclass(frozen=True)
class _System:
    """A system under one setting: its results, which corpora the `missing` ones are, of how many, and the metrics that it shows."""

    system: str
    results: list[RowResult]
    missing: list[str]
    corpora: int
    names: list[str]

    def records(self) -> Iterator[dict[str, Any]]:
        """The means over corpora."""
        first = self.results[0].row
        said = (None, "", self.system, first.preset, first.settings, "", "")
        if self.missing:
            some = ", ".join(self.missing[:3]) + (", …" if len(self.missing) > 3 else "")
            reason = f"no figures for {len(self.missing)} of {self.corpora} corpora, scored alike: {some}"
            yield _record(
                *said, "failed", reason, "corpora", "", "", *(None,) * len(_NUMBERS), "", None, ""
            )
            return
        warnings = sum(result.warnings or 0 for result in self.results)
        signatures = _hash("".join(result.signature for result in self.results))
        signed = f"mean over corpora; rows={len(self.results)}; signatures=sha256:{signatures}"
        for name in self.names:
            ratios = mean([result.totals[name] for result in self.results])
            yield _record(
                *said,
                "scored",
                "",
                *rows.Row("corpora", "", name, ratios, None).as_tuple(),
                "",
                warnings,
                signed,
            )


def _systems(results: Sequence[RowResult]) -> Iterator[_System]:
    """Each system, as far as its rows are scored alike."""
    corpora = dict.fromkeys(result.row.corpus for result in results)
    groups: dict[tuple[Any, ...], list[RowResult]] = {}
    for result in results:
        row = result.row
        groups.setdefault(
            (row.system, row.preset, row.options, *registry.select(row.metrics, row.options)[0]), []
        ).append(result)
    for (system, _, _, *names), group in groups.items():
        there = {result.row.corpus for result in group if not result.reason}
        yield _System(
            system,
            group,
            [corpus for corpus in corpora if corpus not in there],
            len(corpora),
            names,
        )


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
