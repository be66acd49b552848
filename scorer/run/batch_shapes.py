"""The records of a batch as tables to read, in one of three shapes.

A line for each row with a column for each metric; `wide`, with a line for each corpus and system and a column for each setting and
metric; `long`, with a line for each figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.prose import meant
from scorer import registry
from scorer.evaluation.report import term_of
from scorer.report.figures import figure
from scorer.report.report import Table, Term
from scorer.run.settings import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from scorer.run.batch_changes import Changes

    Record = Mapping[str, Any]

SHAPES = ("wide", "long")
"""The shapes that can be asked for."""

HEADINGS = {"micro": "", "macro": "macro-average", "corpora": "mean over corpora"}
"""What stands in a table for a kind of record without a name."""


def check_shape(shape: str | None) -> None:
    """ValueError for a shape that is none."""
    if shape is not None and shape not in SHAPES:
        raise ValueError(f"shape: {shape!r} is not one of {', '.join(SHAPES)}{meant(shape, SHAPES)}")


class Settings:
    """What the settings of records are called, each otherwise.

    A setting is called as it was written among the presets, or else by the options that are not at their defaults. These follow in
    brackets where one that was written is not the same for all rows, as some say more themselves.
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
            preset: said[0] or DEFAULTS for preset, said in self._said.items() if preset and [preset] != said and len(said) == 1
        }


def shown(records: Iterable[Record]) -> list[Record]:
    """Those that are shown to readers: without the parts of metrics."""
    return [record for record in records if "." not in record["metric"]]


class Lines:
    """Records as lines of a table: what tells them apart stands on the left, `headings` of it, where any record has it."""

    def __init__(self, records: Sequence[Record], *, settings: bool = True) -> None:
        self._settings = settings
        self._named = {name: any(record[name] for record in records) for name in ("corpus", "system")}
        self._titled = any(record["kind"] not in {"", "micro"} for record in records)
        self._names = Settings(records)
        self._set = settings and any(map(self._names.of, records))
        self.headings = [name for name, there in self._named.items() if there]
        self.headings += ["settings"] if self._set else []
        self.headings += ["of"] if self._titled else []

    def at(self, record: Record) -> tuple[Any, ...]:
        """What tells the lines apart."""
        names = ("row", "corpus", "system", "preset", "settings") if self._settings else ("corpus", "system")
        return *(record[name] for name in names), record["kind"], record["name"]

    def left(self, record: Record) -> list[str]:
        """The cells on the left."""
        cells = [str(record[name]) for name, there in self._named.items() if there]
        cells += [self._names.of(record)] if self._set else []
        return [*cells, *([record["name"] or HEADINGS.get(record["kind"], "")] if self._titled else [])]


def by_row(records: Sequence[Record], percent: Mapping[str, str]) -> Table:
    """F1: a line for each row, document, group or mean, a column for each metric; `percent`: that option, by `settings`."""
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
        cells.append([*lines.left(first), *f1s, "failed" if first["status"] == "failed" else str(first["warnings"])])
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
        ratios = [_figure(record[ratio], percent[record["settings"]]) for ratio in ("recall", "precision", "f1")]
        cells.append([*lines.left(record), term_of(record["metric"]), *ratios])
    return Table([*lines.headings, "metric", "recall", "precision", "F1"], cells, len(lines.headings) + 1, ("precision", "recall"))


class Wide:
    """F1 in a line for each corpus and system: the `columns` are a setting and a metric each.

    `lines`: what stands on the left of each line, and the record in each column that has one; where a row failed, its record stands
    in all columns of its setting.
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
        self.columns = [(setting, metric) for setting, of_one in metrics.items() for metric in of_one or [""]]
        self.lines: dict[tuple[Any, ...], dict[tuple[str, str], Record]] = {}
        for record in records:
            *at, kind, name = self._lines.at(record)
            line = self.lines.setdefault((*at, kind or main, name), {})
            setting = names.of(record)
            for metric in metrics[setting] or [""] if record["status"] == "failed" else [record["metric"]]:
                line[setting, metric] = record

    def left(self, line: Mapping[tuple[str, str], Record]) -> list[str]:
        """The cells on the left of a line."""
        first = next((record for record in line.values() if record["status"] != "failed"), next(iter(line.values())))
        return self._lines.left(first)

    def table(self, percent: Mapping[str, str]) -> Table:
        """For readers."""
        headings = [column(setting, registry.title(metric) if metric else "") for setting, metric in self.columns]
        terms = [Term(column(*one), heading) for one, heading in zip(self.columns, headings)]
        cells = [[*self.left(line), *(_cell(line.get(one), percent) for one in self.columns)] for line in self.lines.values()]
        return Table([*self.headings, *terms], cells, len(self.headings))

    def fields(self, changes: Changes | None) -> list[str]:
        """The columns of `records`."""
        return ["corpus", "system", "kind", "name", "reason", *self.figures(changes)]

    def figures(self, changes: Changes | None) -> list[str]:
        """Those of them that are numbers."""
        return [f"{column(*one)}{end}" for one in self.columns for end in (("", "/change", "/p_holm") if changes else ("",))]

    def records(self, changes: Changes | None) -> Iterator[dict[str, Any]]:
        """To compute with: F1 as fractions, and the reasons of settings that failed."""
        for (corpus, system, kind, name), line in self.lines.items():
            failed = {setting: record["reason"] for (setting, _), record in line.items() if record["status"] == "failed"}
            reason = "; ".join(f"{setting}: {why}" if setting else why for setting, why in failed.items())
            record: dict[str, Any] = {"corpus": corpus, "system": system, "kind": kind, "name": name, "reason": reason}
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
    return Table([*lines.headings, "metric", then_heading, "F1", *others], cells, len(lines.headings) + 1, (others[1], others[2]))


TABLES: dict[str | None, Callable[[Sequence[Record], Mapping[str, str]], Table]] = {None: by_row, "long": long}
"""What makes the table of a shape that is a line for each of some records."""


def _f1(record: Record | None, percent: Mapping[str, str]) -> str:
    return "" if record is None else _figure(record["f1"], percent[record["settings"]])


def _cell(record: Record | None, percent: Mapping[str, str]) -> str:
    return "failed" if record is not None and record["status"] == "failed" else _f1(record, percent)


def _figure(ratio: float | None, percent: str) -> str:
    return "" if ratio is None else figure(ratio, percent)
