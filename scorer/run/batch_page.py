"""The rows of a manifest as a page: the totals of each, what failed, plots, and groups and documents."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

from scorer.count.counts import Ratios
from scorer.evaluation.page import PLOTTED
from scorer.evaluation.plots import main_of, parts_of
from scorer.evaluation.signature import noted
from scorer.registry import AVERAGES
from scorer.report.figures import said_of_percent
from scorer.report.pages import plot, shell
from scorer.report.pages.grid import Cell, Column, Figure, Grid, Section, ratio_cells, ratio_columns
from scorer.report.pages.marks import symbol
from scorer.run.batch_shapes import Settings, Wide, changed, column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Literal

    from scorer.run.batch_changes import Changes
    from scorer.run.manifest import ManifestRow

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


def page(
    rows: Sequence[ManifestRow],
    records: Sequence[dict[str, Any]],
    signed: dict[str, Any],
    failed: Sequence[str],
    *,
    changes: Changes | None = None,
) -> str:
    """A page that needs nothing beside it; figures are percent, with two decimals as each row's option `percent` says.

    `records`: those of the table of these rows. `signed`: the fields of the signature at its end; `failed`: what failed, and why.
    `changes`: since an earlier run.
    ModuleNotFoundError without Jinja2.
    """
    lines = _lines(rows, records)
    metrics = list(dict.fromkeys(metric for some in lines.values() for line in some for metric in line.ratios))
    participants = dict.fromkeys(line.participant for some in lines.values() for line in some)
    tiers = {participant: tier for tier, participant in enumerate(participants, 1)}
    # Means stand beside the totals: rows of documents can be many.
    shown = {kind: _grid(kind, metrics, lines[kind], tiers) for kind in _CAPTIONS if lines.get(kind)}
    said = " and ".join(sorted({said_of_percent(row.options.percent) for row in rows}))
    totals = [grid for kind, grid in shown.items() if kind in {"corpora", "micro", "macro"}]
    if len({(record["preset"], record["settings"]) for record in records}) > 1:
        main = "micro" if "micro" in lines else "macro"
        totals += [_wide(Wide([one for one in records if one["kind"] in {"", main, "corpora"}], main), _percent(rows))]
    totals += [] if changes is None else [_changed(records, changes, _percent(rows))]
    lists = [(f"Failed ({len(failed):,})", failed), ("Not compared, or with care", changes.notes if changes else [])]
    settings = [f"{preset}: {said}" for preset, said in Settings(records).explained().items()]
    return shell.render(
        "batch.html",
        title="Coreference scores",
        facts=list(_facts(rows, records)),
        summary=f"Figures are percent, {said}.",
        lists=[*lists, ("Settings", settings)],
        totals=totals,
        plots=list(_plots(metrics, lines.get("corpora", []), lines.get("micro") or lines.get("macro", []), tiers)),
        tables=[(f"{_CAPTIONS[kind]} of each row", grid) for kind, grid in shown.items() if kind in {"group", "document"}],
        signature=noted(signed),
    )


def _percent(rows: Sequence[ManifestRow]) -> dict[str, str]:
    return {row.settings: row.options.percent for row in rows}


def _wide(wide: Wide, percent: dict[str, str]) -> Grid:
    """F1 in a line for each corpus and system, the settings side by side."""
    table = wide.table(percent)
    columns = [Column(heading, "text", "left" if at else "name") for at, heading in enumerate(wide.headings)]
    columns += [Column(column(*one)) for one in wide.columns]
    return Grid("F1 of each setting", columns, table.rows)


def _changed(records: Sequence[dict[str, Any]], changes: Changes, percent: dict[str, str]) -> Grid:
    table = changed([one for one in records if one["kind"] in {"micro", "macro", "corpora", "group"}], changes, percent)
    columns = [Column(heading, "text", "left" if at else "name") for at, heading in enumerate(table.headings[: table.left])]
    numbers = len(table.headings) - table.left
    kinds: tuple[Literal["number", "rank", ""], ...] = ("number", "number", "number", "", "rank", "rank")
    columns += [Column(heading, kind) for heading, kind in zip(table.headings[table.left :], kinds[:numbers])]
    return Grid("Changes since the earlier run", columns, [list(map(_sorted_by, row)) for row in table.rows])


def _sorted_by(text: str) -> str | Cell:
    """A cell that sorts by its number, also where that is only known to be below one."""
    return Cell(text, float(text[2:])) if text.startswith("< ") else str(text)


def _facts(rows: Sequence[ManifestRow], records: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    failed = sum(1 for record in records if record["status"] == "failed" and record["row"] is not None)
    yield "rows", f"{len(rows):,}{f', {failed:,} failed' if failed else ''}"
    yield "corpora", f"{len({row.corpus for row in rows}):,}"
    yield "systems", f"{len({row.system for row in rows}):,}"
    settings = len({row.preset for row in rows if row.preset})
    if settings:
        yield "settings", f"{settings:,}"
    of_rows = {(one["row"], one["preset"]): one["warnings"] or 0 for one in records if one["row"] is not None}
    warnings = sum(of_rows.values())
    if warnings:
        yield "warnings", f"{warnings:,}"


def _lines(rows: Sequence[ManifestRow], records: Sequence[dict[str, Any]]) -> dict[str, list[_Line]]:
    """By kind of record, in their order; parts of metrics are left out."""
    percent, names = _percent(rows), Settings(records)
    found: dict[tuple[Any, ...], _Line] = {}
    kinds: dict[str, list[_Line]] = {}
    for record in records:
        if record["status"] == "failed" or "." in record["metric"]:
            continue
        at = tuple(record[name] for name in ("row", "corpus", "system", "preset", "settings", "kind", "name"))
        if at not in found:
            _, corpus, system, _, settings, kind, name = at
            found[at] = _Line(corpus, system, names.of(record), name, percent[settings], record["warnings"], {})
            kinds.setdefault(kind, []).append(found[at])
        ratios = (nan if record[ratio] is None else record[ratio] for ratio in ("recall", "precision", "f1"))
        found[at].ratios[record["metric"]] = Ratios(*ratios)
    return kinds


def _grid(kind: str, metrics: Sequence[str], lines: Sequence[_Line], tiers: dict[str, int]) -> Grid:
    named = kind in {"group", "document"}
    placed, set_ = any(line.corpus for line in lines), any(line.settings for line in lines)
    headings = [*([kind] if named else []), *(["corpus"] if placed else []), "system", *(["settings"] if set_ else [])]
    columns = [Column(heading, "text", "left" if at else "name") for at, heading in enumerate(headings)]
    for metric in metrics:
        columns += ratio_columns(metric, single=metric in AVERAGES)
    columns += [] if named else [Column("warnings", "rank")]
    rows = []
    for line in lines:
        system = line.system if named else Cell(line.system, mark=symbol(tiers[line.participant]))
        row: list[str | Cell] = [*([line.name] if named else []), *([line.corpus] if placed else []), system]
        row += [line.settings] if set_ else []
        for metric in metrics:
            ratios = line.ratios.get(metric, Ratios(nan, nan, nan))
            row += ratio_cells(ratios, single=metric in AVERAGES, percent=line.percent)
        warnings = line.warnings or 0
        rows.append(row if named else [*row, Cell(f"{warnings:,}", warnings)])
    return Grid(_CAPTIONS[kind], columns, rows)


def _plots(metrics: Sequence[str], means: Sequence[_Line], rows: Sequence[_Line], tiers: dict[str, int]) -> Iterator[Section]:
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
        strips = [plot.Strip(corpus, nan, [_dot(line, main, tiers) for line in some]) for corpus, some in by_corpus.items()]
        title = f"F1 of {main} by corpus"
        drawn = plot.strips(strips, title, percent, of="system")
        caption = plot.systems(max(len(strip.dots) for strip in strips), ", as in the table above")
        yield Section(title, [Figure(drawn, caption, title)])
    squares = []
    for metric in parts_of(main):
        points = [
            plot.Point(f"{line.corpus}, {line.participant}", None, tiers[line.participant], ratios.recall, ratios.precision)
            for line in rows
            if (ratios := line.ratios.get(metric)) is not None and not isnan(ratios.recall)
        ]
        if points:
            title = f"Recall against precision of {metric}"
            drawn = plot.recall_against_precision(points, title, percent, of="row")
            squares.append(Figure(drawn, f"{metric}: a mark for each row, dashed lines join equal F1"))
    if squares:
        yield Section("Recall against precision", squares)


def _dot(line: _Line, metric: str, tiers: dict[str, int]) -> plot.Dot:
    return plot.Dot(line.participant, line.ratios[metric].f1, tiers[line.participant])
