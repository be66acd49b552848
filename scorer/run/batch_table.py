"""The rows of a manifest, once they are scored, as one table."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from scorer import registry, report
from scorer.evaluation import rows, signature
from scorer.evaluation.layout import Layout
from scorer.evaluation.sums import mean
from scorer.report.figures import figure, said_of_percent
from scorer.report.frame import frame_of
from scorer.report.report import Report, Table, Term
from scorer.run.batch_page import page
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    import pandas as pd

    from scorer.count.counts import Ratios
    from scorer.run.batch import Scored
    from scorer.run.manifest import ManifestRow

FIELDS = (
    *("row", "corpus", "system", "settings", "key", "response", "status", "reason"),
    *rows.FIELDS,
    *("removed", "warnings", "signature"),
)
"""The columns.

`row` counts the manifest's rows from 1; `status` is scored or failed, and then `reason` says why; `kind` is document, group, micro
(totals), macro (means over documents) or corpora (means over corpora), `name` that of the document or group. `removed` says what
filters took from the row's files, `warnings` is the number of warnings. `signature` is that of `scorer score`.
"""

_NUMBERS = rows.FIELDS[3:]
_HEADINGS = {"micro": "", "macro": "macro-average", "corpora": "mean over corpora"}


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


def result_of(scored: Scored, layout: Layout) -> RowResult:
    """The rows of the table that the layout asks for, and the totals."""
    evaluation = scored.evaluation
    if evaluation is None:
        return RowResult(scored.row, scored.reason, (), {}, "", None, "")
    totals = {name: evaluation.ratios(name) for name in evaluation.names}
    signed = signature.line(evaluation)
    removed = "; ".join(map(str, evaluation.removed))
    return RowResult(scored.row, "", list(rows.select(evaluation, layout)), totals, removed, len(evaluation.problems), signed)


class BatchTable:
    """The table of all results, in the order of the manifest whatever the order in which they come.

    `over_corpora`: with the means over the corpora for each system, of recall, of precision and of F1, each corpus counting as
    much as any other (the score of the CRAC shared tasks). A system without figures for one of the manifest's corpora has none.
    """

    def __init__(self, results: Iterable[RowResult], layout: Layout, *, over_corpora: bool = False) -> None:
        self.layout = layout
        self.over_corpora = over_corpora
        self.results = sorted(results, key=lambda result: result.row.number)
        self.records = [record for result in self.results for record in _records(result)]
        if over_corpora:
            self.records += _over_corpora(self.results)

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The records that hold a reason instead of figures."""
        return [record for record in self.records if record["status"] == "failed"]

    def signature(self, form: str) -> dict[str, Any]:
        """What it takes to get the same bytes again: the signatures of the rows, hashed, and the layout."""
        lines = "".join(f"{result.signature or 'failed'}\n" for result in self.results)
        return {
            "scorer": f"conll-scorer {__version__}",
            "rows": len(self.results),
            "failed": sum(1 for result in self.results if result.reason),
            "signatures": _hash(lines),
            "report": self.layout.signed(form) | ({"over": "corpora"} if self.over_corpora else {}),
        }

    def content(self, form: str) -> bytes:
        """The table in one of the forms of `scorer.report`; ModuleNotFoundError for parquet without pyarrow."""
        return report.content(self.report(form))

    def report(self, form: str) -> Report:
        """What that form is to show."""
        signed = self.signature(form)
        return Report(
            form,
            "Coreference scores",
            tables=lambda: [self._table()],
            notes=self._notes(),
            signature=signature.written(signed),
            fields=FIELDS,
            records=lambda: self.records,
            tree=lambda: {"rows": self.records, "signature": signed},
            page=lambda: page([result.row for result in self.results], self.records, signed, self._failures()),
            frame=self.to_frame,
        )

    def to_frame(self) -> pd.DataFrame:
        """The table as a pandas frame; counts are floats, as some metrics count fractions."""
        frame = frame_of((record.values() for record in self.records), FIELDS)
        return frame.astype(dict.fromkeys(_NUMBERS, float) | dict.fromkeys(("row", "warnings"), "Int64"))

    def _table(self) -> Table:
        """F1 for readers: a line for each row, document, group or mean, a column for each metric."""
        metrics = list(dict.fromkeys(record["metric"] for record in self.records if "." not in record["metric"]))
        metrics = [metric for metric in metrics if metric]
        lines: dict[tuple[Any, ...], dict[str, Any]] = {}
        for record in self.records:
            at = tuple(record[name] for name in ("row", "corpus", "system", "settings", "kind", "name"))
            lines.setdefault(at, {"warnings": record["warnings"]})[record["metric"]] = record["f1"]
        percent = {result.row.settings: result.row.options.percent for result in self.results}
        named = [any(at[place] for at in lines) for place in (1, 2, 3)]
        titled = any(at[4] not in {"", "micro"} for at in lines)
        cells: list[list[str]] = []
        for at, line in lines.items():
            left = [str(at[place]) for place, shown in zip((1, 2, 3), named) if shown]
            title = [at[5] or _HEADINGS.get(at[4], "")] if titled else []
            f1s = ["" if line.get(metric) is None else figure(line[metric], percent[at[3]]) for metric in metrics]
            cells.append([*left, *title, *f1s, "failed" if "" in line else str(line["warnings"])])
        headings = [heading for heading, shown in zip(("corpus", "system", "settings"), named) if shown]
        headings += ["of"] if titled else []
        titles = [Term(name, registry.title(name)) for name in metrics]
        return Table([*headings, *titles, "warnings"], cells, len(headings), ("warnings",))

    def _failures(self) -> list[str]:
        return [f"{place(record)}: {record['reason']}" for record in self.failed]

    def _notes(self) -> list[str]:
        failed = [f"failed: {failure}" for failure in self._failures()]
        said = " and ".join(sorted({said_of_percent(result.row.options.percent) for result in self.results}))
        figures = f"F1 in percent, {said}; csv, tsv, json, jsonl and parquet have recall, precision and counts"
        return [*failed, figures]


def place(record: dict[str, Any]) -> str:
    """Which row of the table it is, for messages."""
    settings = f" ({record['settings']})" if record["settings"] else ""
    corpus = f"corpus {record['corpus']}, " if record["kind"] != "corpora" else "mean over corpora, "
    return f"{corpus}system {record['system']}{settings}"


def _records(result: RowResult) -> Iterator[dict[str, Any]]:
    row = result.row
    said = (row.number, row.corpus, row.system, row.settings, row.key, row.response)
    if result.reason:
        yield _record(*said, "failed", result.reason, *("", "", ""), *(None,) * len(_NUMBERS), "", None, "")
    for one in result.rows:
        yield _record(*said, "scored", "", *one.as_tuple(), result.removed, result.warnings, result.signature)


def _record(*values: Any) -> dict[str, Any]:
    return dict(zip(FIELDS, values, strict=True))


def _over_corpora(results: Sequence[RowResult]) -> Iterator[dict[str, Any]]:
    """The means of each system, as far as its rows are scored alike."""
    corpora = dict.fromkeys(result.row.corpus for result in results)
    groups: dict[tuple[Any, ...], list[RowResult]] = {}
    for result in results:
        row = result.row
        groups.setdefault((row.system, row.options, *registry.select(row.metrics, row.options)[0]), []).append(result)
    for (system, _, *names), group in groups.items():
        missing = [corpus for corpus in corpora if corpus not in {result.row.corpus for result in group if not result.reason}]
        said = (None, "", system, group[0].row.settings, "", "")
        if missing:
            some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
            reason = f"no figures for {len(missing)} of {len(corpora)} corpora, scored alike: {some}"
            yield _record(*said, "failed", reason, "corpora", "", "", *(None,) * len(_NUMBERS), "", None, "")
            continue
        warnings = sum(result.warnings or 0 for result in group)
        signed = f"mean over corpora; rows={len(group)}; signatures=sha256:{_hash(''.join(result.signature for result in group))}"
        for name in names:
            ratios = mean([result.totals[name] for result in group])
            yield _record(*said, "scored", "", *rows.Row("corpora", "", name, ratios, None).as_tuple(), "", warnings, signed)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
