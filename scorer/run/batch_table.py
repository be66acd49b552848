"""The rows of a manifest, once they are scored, as one table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from scorer import registry, report
from scorer.evaluation import rows, signature
from scorer.evaluation.layout import Layout
from scorer.evaluation.sums import mean
from scorer.report.figures import said_of_percent
from scorer.report.frame import frame_of
from scorer.report.report import Report, Table
from scorer.run import batch_shapes
from scorer.run.batch_counts import RowCounts, counts_of
from scorer.run.batch_page import page
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    import pandas as pd

    from scorer.count.counts import Ratios
    from scorer.run.batch import Scored
    from scorer.run.batch_changes import Changes
    from scorer.run.manifest import ManifestRow

FIELDS = (
    *("row", "corpus", "system", "preset", "settings", "key", "response", "status", "reason"),
    *rows.FIELDS,
    *("removed", "warnings", "signature"),
)
"""The columns.

`row` counts the manifest's rows from 1; `preset` is the setting, as it is written among several; `status` is scored or failed, and
then `reason` says why; `kind` is document, group, micro (totals), macro (means over documents) or corpora (means over corpora),
`name` that of the document or group. `removed` says what filters took from the row's files, `warnings` is the number of warnings.
`signature` is that of `scorer score`. With changes since an earlier run, those of `scorer.run.batch_changes.FIELDS` follow.
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

    `counts`: what was counted in each document as well, which JSON and a comparison with an earlier run take.
    """
    evaluation = scored.evaluation
    counted = counts_of(scored.row, evaluation, scored.reason) if counts else None
    if evaluation is None:
        return RowResult(scored.row, scored.reason, (), {}, "", None, "", counted)
    totals = {name: evaluation.ratios(name) for name in evaluation.names}
    signed = signature.line(evaluation)
    removed = "; ".join(map(str, evaluation.removed))
    shown = list(rows.select(evaluation, layout))
    return RowResult(scored.row, "", shown, totals, removed, len(evaluation.problems), signed, counted)


class BatchTable:
    """The table of all results, in the order of the manifest whatever the order in which they come; `str()` of it is the table.

    `records`: a line for each figure, with `FIELDS`; `failed` those that have a reason instead. `over_corpora`: with the means over
    the corpora for each system, of recall, of precision and of F1, each corpus counting as much as any other (the score of the CRAC
    shared tasks). A system without figures for one of the manifest's corpora has none. `shape`: wide (a line for each corpus and
    system, a column for each setting and metric) or long (a line for each figure); by default tables for readers have a line for
    each row of the manifest and setting, and everything else is long. `changes`: since an earlier run, see
    `scorer.run.batch_changes`; the results are compared with it here. ValueError for another shape.
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
        batch_shapes.check_shape(shape)
        self.layout = layout
        self.over_corpora = over_corpora
        self.shape = shape
        self.changes = changes
        self.results = sorted(results, key=lambda result: (result.row.number, result.row.place))
        self.records = [record for result in self.results for record in _records(result)]
        systems = list(_systems(self.results)) if over_corpora else []
        self.records += [record for one in systems for record in one.records()]
        if changes is not None:
            counted = [(result.row, result.counts) for result in self.results if result.counts is not None]
            compared = changes.compare(counted, layout)
            for one in systems:
                if not one.missing:
                    own = [(result.row, result.counts) for result in one.results if result.counts is not None]
                    changes.compare_means(own, [compared[now.name] for _, now in own if now.name in compared])
            changes.finish()
            self.records = [record | changes.cells(record) for record in self.records]

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The records that hold a reason instead of figures."""
        return [record for record in self.records if record["status"] == "failed"]

    def signature(self, form: str) -> dict[str, Any]:
        """What it takes to get the same figures again: a hash of the names and the signatures of the rows, and the layout."""
        # Which rows are of one system or corpus decides what the means over corpora are.
        rows = [(result.row.corpus, result.row.system, result.signature or "failed") for result in self.results]
        lines = "".join(f"{row}\n" for row in rows)
        presets = list(dict.fromkeys(result.row.preset for result in self.results if result.row.preset))
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
        """The table in one of the forms of `scorer.report`; ModuleNotFoundError for parquet without pyarrow."""
        return report.content(self.report(form))

    def text(self, form: str = "table") -> str:
        """The table in one of the forms of `scorer.report`; ValueError when there is no such form of text."""
        return report.text(self.report(form))

    def report(self, form: str) -> Report:
        """What that form is to show."""
        signed = self.signature(form)
        wide = batch_shapes.Wide(self.records, self._main) if self.shape == "wide" else None
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
            page=lambda: page(
                [result.row for result in self.results], self.records, signed, self._failures(), changes=self.changes
            ),
            frame=self.to_frame,
        )

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON has it: its rows, what was counted in each document, and the signature."""
        wide = batch_shapes.Wide(self.records, self._main) if self.shape == "wide" else None
        return {
            "rows": self.records if wide is None else list(wide.records(self.changes)),
            "counts": [asdict(result.counts) for result in self.results if result.counts is not None],
            **({"notes": self.changes.notes} if self.changes else {}),
            "signature": self.signature("json"),
        }

    def to_frame(self, shape: str | None = None) -> pd.DataFrame:
        """The table as a pandas frame, wide if it or the `shape` is; counts are floats, as some metrics count fractions."""
        batch_shapes.check_shape(shape)
        if (shape or self.shape) == "wide":
            wide = batch_shapes.Wide(self.records, self._main)
            fields, numbers = wide.fields(self.changes), wide.figures(self.changes)
            return frame_of((record.values() for record in wide.records(self.changes)), fields).astype(
                dict.fromkeys(numbers, float)
            )
        changed = _change_fields() if self.changes else ()
        frame = frame_of((record.values() for record in self.records), (*FIELDS, *changed))
        return frame.astype(dict.fromkeys((*_NUMBERS, *changed), float) | dict.fromkeys(("row", "warnings"), "Int64"))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.report.notebook import html

        return html(self.report("table"))

    @property
    def _main(self) -> str:
        """The kind of record that stands for a row."""
        return "macro" if self.layout.average == "macro" else "micro"

    def _tables(self) -> list[Table]:
        percent = {result.row.settings: result.row.options.percent for result in self.results}
        if self.shape == "wide":
            table = batch_shapes.Wide(self.records, self._main).table(percent)
        else:
            table = batch_shapes.TABLES[self.shape](self.records, percent)
        return [table, *([batch_shapes.changed(self.records, self.changes, percent)] if self.changes else [])]

    def _failures(self) -> list[str]:
        return [f"{place(record)}: {record['reason']}" for record in self.failed]

    def _notes(self) -> list[str]:
        failed = [f"failed: {failure}" for failure in self._failures()]
        settings = [f"{preset}: {said}" for preset, said in batch_shapes.Settings(self.records).explained().items()]
        changes = [f"note: {note}" for note in self.changes.notes] if self.changes else []
        said = " and ".join(sorted({said_of_percent(result.row.options.percent) for result in self.results}))
        more = "" if self.shape == "wide" else "; csv, tsv, json, jsonl and parquet have recall, precision and counts"
        shown = "figures" if self.shape == "long" else "F1"
        return [*failed, *changes, *settings, f"{shown} in percent, {said}{more}"]


def place(record: dict[str, Any]) -> str:
    """Which row of the table it is, for messages."""
    setting = record["preset"] or record["settings"]
    corpus = f"corpus {record['corpus']}, " if record["kind"] != "corpora" else "mean over corpora, "
    return f"{corpus}system {record['system']}{f' ({setting})' if setting else ''}"


def _change_fields() -> tuple[str, ...]:
    # It compares, and so imports numpy.
    from scorer.run.batch_changes import FIELDS as CHANGES

    return CHANGES


def _records(result: RowResult) -> Iterator[dict[str, Any]]:
    row = result.row
    said = (row.number, row.corpus, row.system, row.preset, row.settings, row.key, row.response)
    if result.reason:
        yield _record(*said, "failed", result.reason, *("", "", ""), *(None,) * len(_NUMBERS), "", None, "")
    for one in result.rows:
        yield _record(*said, "scored", "", *one.as_tuple(), result.removed, result.warnings, result.signature)


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
            yield _record(*said, "failed", reason, "corpora", "", "", *(None,) * len(_NUMBERS), "", None, "")
            return
        warnings = sum(result.warnings or 0 for result in self.results)
        signatures = _hash("".join(result.signature for result in self.results))
        signed = f"mean over corpora; rows={len(self.results)}; signatures=sha256:{signatures}"
        for name in self.names:
            ratios = mean([result.totals[name] for result in self.results])
            yield _record(*said, "scored", "", *rows.Row("corpora", "", name, ratios, None).as_tuple(), "", warnings, signed)


def _systems(results: Sequence[RowResult]) -> Iterator[_System]:
    """Each system, as far as its rows are scored alike."""
    corpora = dict.fromkeys(result.row.corpus for result in results)
    groups: dict[tuple[Any, ...], list[RowResult]] = {}
    for result in results:
        row = result.row
        groups.setdefault((row.system, row.preset, row.options, *registry.select(row.metrics, row.options)[0]), []).append(result)
    for (system, _, _, *names), group in groups.items():
        there = {result.row.corpus for result in group if not result.reason}
        yield _System(system, group, [corpus for corpus in corpora if corpus not in there], len(corpora), names)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
