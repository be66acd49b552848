"""Score a manifest and make a table: the function `scorer.batch`, and its result.

The table has a record for each figure of each row, and means over corpora.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, Unpack

from conll.errors import check_choice, pluralize, warnings_in
from conll.system import jobs_of
from scorer.batches.rows import KeptRows, ScoredRow, SystemRows, score_rows, systems_in
from scorer.evaluation import report as lines
from scorer.evaluation.evaluation import Evaluation, mean
from scorer.evaluation.report import COMMON_AVERAGING, Layout, signature_line
from scorer.events import Events, LibraryEvents, Watch
from scorer.jobs.distributed import running
from scorer.jobs.isolation import Limits
from scorer.jobs.manifest import ManifestRow, read_manifest
from scorer.jobs.record import hash_text
from scorer.keywords import ManifestKeywords
from scorer.options import Options
from scorer.report import report as report_layout
from scorer.report.columns import KINDS, Cell, Column, Table, describe_rounding, figure
from scorer.report.report import USUAL_AVERAGE, Report
from scorer.result import Result
from scorer.signatures import checked
from scorer.version import __version__


@dataclass(frozen=True)
class BatchSettings:
    """Settings of a batch: how it runs, and what its table shows.

    Attributes:
        layout: Which figures the table has.
        over_corpora: Whether the table has means over corpora.
        jobs: Rows that are scored at once.
        limits: The limits of a row.
        kept: The rows of earlier runs, to which these are added.
        scheduler: The address of a Dask cluster to count on.
        strict: Whether a row with warnings is one that failed.
        keep_documents: Whether evaluations keep their documents, which take much memory.
        keep_problems: Whether they keep their warnings, and not only the number of them.
    """

    layout: Layout
    over_corpora: bool = False
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    kept: KeptRows | None = None
    scheduler: str | None = None
    strict: bool = False
    keep_documents: bool = True
    keep_problems: bool = True


def score_batch(rows: Sequence[ManifestRow], settings: BatchSettings, events: Events) -> BatchTable:
    """Score all rows, and make one table of them.

    Args:
        rows: The rows of a manifest.
        settings: How the batch runs, and what the table shows.
        events: Watches each row.
    """
    results: list[ScoredRow] = []
    with (
        running(settings.scheduler, settings.jobs, settings.limits, "batch") as run,
        closing(score_rows(rows, run, settings.kept)) as scored_rows,
    ):
        for scored in events.watch(scored_rows, "rows", len(rows)):
            checked = _refuse_warnings(scored) if settings.strict else scored
            results.append(_reduced(checked, settings))
    results.sort(key=lambda result: result.row.number)
    return BatchTable(
        results,
        settings.layout,
        over_corpora=settings.over_corpora,
    )


def _refuse_warnings(scored: ScoredRow) -> ScoredRow:
    """Return the row, or if it has warnings one that failed."""
    if scored.evaluation is None:
        return scored
    warnings = warnings_in(scored.evaluation.problems)
    if not warnings:
        return scored
    number = pluralize(len(warnings), "warning")
    reason = f"{number}, which --strict treats as errors; the first: {warnings[0]}"
    return replace(scored, evaluation=None, reason=reason)


def _reduced(scored: ScoredRow, settings: BatchSettings) -> ScoredRow:
    """Return the row with what the settings keep of its evaluation."""
    evaluation = scored.evaluation
    if evaluation is None:
        return scored
    if not settings.keep_documents:
        evaluation = evaluation.replace(documents=[], left_out=evaluation.scored)
    if not settings.keep_problems:
        # Only their number is shown.
        warnings = warnings_in(evaluation.problems)
        evaluation = evaluation.replace(problems=warnings[:1] * len(warnings))
    return replace(scored, evaluation=evaluation)


@checked
def batch(  # noqa: PLR0913  each is an option of its own
    manifest: str | os.PathLike[str],
    *,
    per_document: bool = False,
    average: str = "micro",
    group_by: str | None = None,
    over_corpora: bool = False,
    jobs: int = 1,
    keep: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    scheduler: str | None = None,
    watch: Watch | None = None,
    options: Options | None = None,
    **keywords: Unpack[ManifestKeywords],
) -> BatchTable:
    """Score all rows of a manifest, and make one table of them, as `scorer batch` does.

    A row that cannot be scored has a reason instead of figures, and does not affect the others.

    Args:
        manifest: The path of a CSV or YAML file, see `scorer.jobs.manifest`.
        per_document: Whether the table has a line for each document.
        average: Totals (micro), means over documents (macro), or both.
        group_by: A regular expression that puts documents into groups.
        over_corpora: Whether the table has means over corpora.
        jobs: Rows that are scored at once, each in a process of its own; 0 for one per core.
        keep: A file to which each row is added once it is scored; a row that is in it, with the
            same files, options, metrics and version, is not scored again.
        timeout: The limit of a row, in seconds.
        max_memory: The limit of a row, in bytes.
        scheduler: The address of a Dask cluster to count on.
        watch: Receives the rows as they are scored, and passes them on: `tqdm`, or a function like
            it.
        options: The options of `scorer.score` in one record.
        **keywords: What applies to rows that do not say otherwise: the options of `scorer.score`,
            `preset`, `metrics`, `key_format`, `response_format`.

    Returns:
        The table. Its `results` are the rows in the order of the manifest, each with its
        evaluation.

    Raises:
        ConllError: The manifest cannot be read.
        OSError: A file cannot be opened, or the folder cannot be made.
        ValueError: A value is unknown.
        TypeError: An option is unknown, or options are given both ways.
    """
    check_choice("average", average, COMMON_AVERAGING)
    layout = Layout(per_document=per_document, average=average, group_by=group_by)
    rows = read_manifest(manifest, keywords, options)
    settings = BatchSettings(
        layout=layout,
        over_corpora=over_corpora,
        jobs=jobs_of(jobs),
        limits=Limits(timeout, max_memory),
        kept=None if keep is None else KeptRows(keep),
        scheduler=scheduler,
    )
    return score_batch(rows, settings, LibraryEvents(watch=watch))


COLUMNS = (
    Column("row", kind="whole"),
    *map(Column, ("corpus", "system", "preset", "settings", "key", "response", "status", "reason")),
    *chain.from_iterable(column.plain for column in lines.COLUMNS),
    Column("removed"),
    Column("warnings", kind="whole"),
    Column("signature"),
)
"""The columns of records.

`row` counts the manifest's rows from 1; `settings` are the options besides the `preset`;
`status` is scored or failed, and then `reason` says why; `kind` is document, group, micro (totals),
macro (means over documents) or corpora (means over corpora), `name` that of the document or group.
`removed` says what filters took from the row's files, `warnings` is the number of warnings.
`signature` is that of `scorer score`.
"""

FIELDS = tuple(column.name for column in COLUMNS)
"""The fields of records."""

EMPTY_RECORD = {column.name: None if KINDS[column.kind].dtype else "" for column in COLUMNS}
"""A record without values: empty text, and None for numbers."""

NAMED = 3
"""How many corpora without figures a reason names."""


def _records_of(scored: ScoredRow, layout: Layout) -> Iterator[dict[str, Any]]:
    """Yield the records of a row: its figures, or the reason why there are none."""
    row, evaluation = scored.row, scored.evaluation
    named = EMPTY_RECORD | _setting_of(row)
    named |= {"row": row.number, "corpus": row.corpus, "key": row.key, "response": row.response}
    if evaluation is None:
        yield named | {"status": "failed", "reason": scored.reason}
        return
    details = {
        "status": "scored",
        "removed": "; ".join(map(str, evaluation.removed)),
        "warnings": len(warnings_in(evaluation.problems)),
        "signature": signature_line(evaluation),
    }
    for record in Table(lines.COLUMNS, list(lines.select(evaluation, layout))).records():
        yield named | record | details


def _setting_of(row: ManifestRow) -> dict[str, Any]:
    """Return the fields that name the system of a row, and how it is scored."""
    return {"system": row.system, "preset": row.preset, "settings": row.settings}


def _mean_records(system: SystemRows, average: str) -> Iterator[dict[str, Any]]:
    """Yield the records of the means of a system over corpora, or why there are none.

    Args:
        system: The rows of the system.
        average: The average that rows show, of which these are means.
    """
    named = EMPTY_RECORD | _setting_of(system.rows[0].row) | {"kind": "corpora"}
    if system.missing:
        number = f"{len(system.missing)} of {system.corpora}"
        shown = ", ".join(system.missing[:NAMED])
        if len(system.missing) > NAMED:
            shown += ", …"
        reason = f"no figures for {number} corpora, scored alike: {shown}"
        yield named | {"status": "failed", "reason": reason}
        return
    evaluations: list[Evaluation] = []
    warnings = 0
    for result in system.rows:
        if result.evaluation is not None:
            evaluations.append(result.evaluation)
            warnings += len(warnings_in(result.evaluation.problems))
    signatures = hash_text("".join(map(signature_line, evaluations)))
    details = {
        "status": "scored",
        "warnings": warnings,
        "signature": f"mean over corpora; rows={len(evaluations)}; signatures=sha256:{signatures}",
    }
    for metric in evaluations[0].names:
        ratios = mean([lines.shown_ratios(each, metric, average) for each in evaluations])
        line = lines.Row("corpora", "", metric, ratios, None)
        [record] = Table(lines.COLUMNS, [line]).records()
        yield named | record | details


class BatchTable(Result):
    """The table of all results, in the order of the manifest; `str()` of it is the table.

    `records`: a line for each figure, with `FIELDS`; `failed` those that have a reason instead.

    Args:
        results: The rows, in the order of the manifest.
        layout: Says which figures the table has.
        over_corpora: Whether to add the means over the corpora for each system, of recall, of
            precision and of F1, each corpus counting as much as any other (the score of the CRAC
            shared tasks). A system without figures for one of the manifest's corpora has none.
    """

    def __init__(
        self,
        results: Iterable[ScoredRow],
        layout: Layout,
        *,
        over_corpora: bool = False,
    ) -> None:
        self.results: list[ScoredRow] = list(results)
        self.layout = layout
        self.over_corpora = over_corpora
        records: list[dict[str, Any]] = []
        for result in self.results:
            records += _records_of(result, layout)
        if over_corpora:
            for system in systems_in(self.results):
                records += _mean_records(system, layout.average)
        self.records = records

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The records that hold a reason instead of figures."""
        return [record for record in self.records if record["status"] == "failed"]

    own_formats: ClassVar[tuple[str, ...]] = ("parquet",)
    fields = FIELDS
    title = "Coreference scores"

    layout_type: ClassVar[type[Any]] = report_layout.Layout

    def layout_of(self, options: dict[str, Any]) -> Layout:
        # Which figures there are was decided when the records were made.
        super().layout_of(options)
        return self.layout

    def tables_of(self, layout: Layout) -> list[Table]:  # noqa: ARG002  it is in the records
        from scorer.batches.report import sections_of

        return sections_of(self)

    def opening_notes(self) -> list[str]:
        from scorer.batches.report import notes_of

        return notes_of(self)

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        from scorer.batches.report import FINISHES

        return FINISHES

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return a hash of the names and signatures of all rows, and the layout."""
        failed = 0
        # Which rows are of one system or corpus decides what the means over corpora are.
        rows: list[str] = []
        for result in self.results:
            signed = "failed"
            if result.evaluation is None:
                failed += 1
            else:
                signed = signature_line(result.evaluation)
            names = result.row.corpus, result.row.system, result.row.preset
            rows.append(f"{(*names, signed)}\n")
        report = dict(report or {})
        if self.over_corpora:
            report["over"] = "corpora"
        fields: dict[str, Any] = {
            "scorer": f"conll-scorer {__version__}",
            "rows": len(self.results),
            "failed": failed,
        }
        fields["signatures"] = hash_text("".join(rows))
        fields["report"] = report
        return fields


Record = Mapping[str, Any]

UNNAMED = {
    "": "",
    **{kind: rows.unnamed for kind, rows in lines.ROW_KINDS.items()},
    USUAL_AVERAGE: "",
    "corpora": "mean over corpora",
}
"""What readers see of records without a name, by their kind."""

LINE = ("row", "corpus", "system", "preset", "settings", "kind", "name")
"""The fields that identify a line with a column for each metric."""


@dataclass(frozen=True)
class Line:
    """A line of a table for readers.

    Attributes:
        record: A record whose names are those of the line.
        figures: The records of its figures, by metric.
    """

    record: Record
    figures: Mapping[Any, Record] = field(default_factory=dict)


def setting_of(record: Record) -> str:
    """Name how the row of a record is scored: its preset, and the options besides."""
    return " ".join(filter(None, (record["preset"], record["settings"])))


def describe_row(record: Record) -> str:
    """Name the row of the table to which a record belongs, for messages."""
    setting = setting_of(record)
    system = f"system {record['system']} ({setting})" if setting else f"system {record['system']}"
    if record["kind"] == "corpora":
        return f"mean over corpora, {system}"
    return f"corpus {record['corpus']}, {system}"


def _cause(record: Record) -> str:
    """Return the reason of a record without what differs from row to row: files, and workers."""
    cause = re.sub(r"\bworker \S+", "worker", record["reason"])
    for side in ("response", "key"):
        if record[side]:
            cause = cause.replace(record[side], side)
    return cause


class View:
    """The records of a batch without the parts of metrics, and names for them."""

    def __init__(self, table: BatchTable) -> None:
        self.batch = table
        self.records = [record for record in table.records if "." not in record["metric"]]
        self._rounding: dict[tuple[str, str], str] = {}
        for result in table.results:
            row = result.row
            self._rounding[row.preset, row.settings] = row.options.rounding

    def label(self, record: Record) -> str:
        """Name the system of a record, and its setting."""
        setting = setting_of(record)
        return f"{record['system']} ({setting})" if setting else str(record["system"])

    def failures(self) -> list[str]:
        """List the reasons of the rows and means without figures, each cause once."""
        causes: dict[str, list[Record]] = {}
        for record in self.batch.failed:
            causes.setdefault(_cause(record), []).append(record)
        failures: list[str] = []
        for first, *others in causes.values():
            about = describe_row(first)
            if others:
                about = f"{len(others) + 1} rows, the first {about}"
            failures.append(f"{about}: {first['reason']}")
        return failures

    def rounding(self, record: Record) -> str:
        """Return the option by which the figures of a record are rounded."""
        return self._rounding[record["preset"], record["settings"]]

    def describe_rounding(self) -> str:
        """Describe how figures are made percent."""
        ways = {describe_rounding(rounding) for rounding in self._rounding.values()}
        return " and ".join(sorted(ways))

    def percent(self, record: Record | None, ratio: str = "f1") -> str:
        """Return a ratio in percent; empty where there is none."""
        if record is None or record[ratio] is None:
            return ""
        return figure(record[ratio], self.rounding(record))

    def lines(self, records: Iterable[Record]) -> list[Line]:
        """Group records into lines with a figure for each metric."""
        groups: dict[tuple[Any, ...], dict[str, Record]] = {}
        for record in records:
            identity = tuple(record[name] for name in LINE)
            groups.setdefault(identity, {})[record["metric"]] = record
        return [Line(next(iter(figures.values())), figures) for figures in groups.values()]

    def name_columns(
        self,
        lines: Sequence[Line],
        *,
        subject: str = "of",
        marks: Mapping[str, int] | None = None,
    ) -> list[Column]:
        """Make the columns that name lines, as far as any line has such a name.

        Args:
            lines: The lines.
            subject: The heading of what is no row, such as a document; "" if it is not named.
            marks: The mark of each system and setting on a page, by label.
        """
        columns = []
        if any(line.record["corpus"] for line in lines):
            columns.append(_text_column("corpus", lambda line: line.record["corpus"]))
        if any(line.record["system"] for line in lines):
            columns.append(self._system_column(marks or {}))
        if any(setting_of(line.record) for line in lines):
            columns.append(_text_column("settings", lambda line: setting_of(line.record)))
        if subject and any(line.record["kind"] not in ("", USUAL_AVERAGE) for line in lines):
            columns.append(_text_column(subject, _subject))
        return columns

    def _system_column(self, marks: Mapping[str, int]) -> Column:
        """Make the column of systems, which heads each line."""

        def cell(line: Line) -> Cell:
            return Cell(str(line.record["system"]), mark=marks.get(self.label(line.record)))

        return Column(heading="system", role="head", cell=cell)


def figure_of(metric: str, ratio: str, line: Line) -> float | None:
    """Return a ratio of a metric; None where a line has none."""
    record = line.figures.get(metric)
    return None if record is None else record[ratio]


def _text_column(heading: str, text: Any) -> Column:
    return Column(value=text, heading=heading)


def _subject(line: Line) -> str:
    """Name the document or group of a line, or its kind."""
    return str(line.record["name"] or UNNAMED[line.record["kind"]])
