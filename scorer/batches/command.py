"""Score many keys and responses: the rows of a manifest, and one table of them all.

The manifest is CSV with a heading, or YAML. Columns: key and response (files or folders; relative
paths start where the manifest is), corpus and system (their names; those of the two files if not
given), preset, metrics, key-format, response-format, and any option of scoring, such as
match. Empty cells take the options of the command.
"""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from conll.check import to_tell
from conll.errors import Problem, distinct, pluralize, warnings_in
from conll.system import jobs_of
from scorer.batches.batch import BatchSettings, BatchTable, View, describe_row, score_batch
from scorer.batches.rows import KeptRows, ScoredRow
from scorer.cli import console
from scorer.cli.console import ConsoleEvents, Output
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.report import Layout
from scorer.jobs.manifest import OPTIONS, read_manifest
from scorer.report.forms import names

UnitT = TypeVar("UnitT")

FORMATS = names(*BatchTable.own_formats)

EPILOG = """\
If a row cannot be scored, the table says why, and the other rows are still scored. With --keep,
scored rows are kept: an interrupted run continues where it stopped, and unchanged files are not
scored again.

examples:
  scorer batch manifest.csv
  scorer batch manifest.yaml --preset crac25 --over-corpora --output scores.csv --jobs 0
  scorer batch manifest.csv --keep rows.jsonl --format json --timeout 600 --max-memory 4G

exit status: 0 all rows scored, 1 some failed or are below --fail-under, 2 wrong usage or a manifest
that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score all rows, report, and say what failed."""
    output = console.output_of(arguments, FORMATS, [arguments.manifest])
    layout = Layout(
        per_document=arguments.per_document, average=arguments.average, group_by=arguments.group_by
    )
    limits = console.limits_of(arguments.timeout, arguments.max_memory, quiet=output.quiet)
    common = {name: getattr(arguments, name) for name in OPTIONS}
    rows = read_manifest(arguments.manifest, common)
    console.check_rows(rows, arguments.manifest, output.path)
    for metric, _ in arguments.fail_under:
        for row in rows:
            console.check_scored(row.scheme, metric, "--fail-under")
    console.check_rows(rows, arguments.manifest, arguments.keep)
    if arguments.keep is not None and arguments.keep == output.path:
        raise ValueError("--keep and --output are one file; name another one for --keep")
    kept = None if arguments.keep is None else KeptRows(arguments.keep)
    settings = BatchSettings(
        layout=layout,
        over_corpora=arguments.over_corpora,
        jobs=jobs_of(arguments.jobs),
        limits=limits,
        kept=kept,
        scheduler=arguments.scheduler,
        strict=output.strict,
        keep_documents=layout.needs_documents,
        keep_problems=output.all_warnings,
    )
    events = RowEvents(output)
    try:
        table = score_batch(rows, settings, events)
    except (KeyboardInterrupt, SystemExit):
        advice = "; run again to go on" if kept else ""
        console.print_error(f"scorer batch: ended after {events.done} of {len(rows)} rows{advice}")
        raise
    console.write_report(table.report(output.format), output)
    if not output.quiet:
        _print_warnings(table.results, output)
        _print_notes(table.results, output)
        for note in kept.notes if kept else ():
            console.print_error(f"note: {note}")
    for failure in View(table).failures():
        console.print_error(f"scorer batch: {failure}")
    if not output.quiet:
        summary = _summary(table.results, are_shown=output.all_warnings)
        console.print_error(f"scorer batch: {summary}")
    failed = int(bool(table.failed))
    return failed | _check_limits(table, arguments.fail_under, output)


def _check_limits(table: BatchTable, limits: Sequence[tuple[str, float]], output: Output) -> int:
    """Print which figures of rows and of means over corpora are too low; return 1 if any is."""
    view = View(table)
    shown = table.layout.averages[0].name
    failed = 0
    for line in view.lines(view.records):
        record = line.record
        if record["status"] == "failed" or record["kind"] not in (shown, "corpora"):
            continue
        f1s = {metric: line.figures[metric]["f1"] for metric, _ in limits}
        rounding, row = view.rounding(record), describe_row(record)
        average = table.layout.average
        failed |= console.check_limits(output, f1s, limits, rounding, average, row)
    return failed


class RowEvents(ConsoleEvents):
    """Shows progress, and counts the rows that are done."""

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self.done = 0

    def watch(
        self, units: Iterable[UnitT], unit: str = "documents", total: int | None = None
    ) -> Iterator[UnitT]:
        for row in super().watch(units, unit, total):
            yield row
            self.done += 1


def _print_warnings(results: Sequence[ScoredRow], output: Output) -> None:
    """Print all warnings if they were asked for."""
    if not output.all_warnings:
        return
    problems: list[Problem] = []
    for row in results:
        if row.evaluation is not None:
            problems += to_tell(row.evaluation.problems, row.evaluation.scored)
    console.print_warnings(distinct(problems), every=True)


def _print_notes(results: Sequence[ScoredRow], output: Output) -> None:
    """Print the notes that `scorer score` would print of the rows."""
    evaluations: list[Evaluation] = []
    for result in results:
        if result.evaluation is not None:
            evaluations.append(result.evaluation)
            row = result.row
            inputs = result.evaluation.inputs
            console.note_same_bytes(output, row.key_path, row.response_path, inputs)
    console.note_preset(output, evaluations)


def _summary(results: Sequence[ScoredRow], *, are_shown: bool) -> str:
    """Count the rows by how they ended.

    Args:
        results: The rows.
        are_shown: Whether their warnings are shown.
    """
    scored = kept = with_warnings = 0
    for row in results:
        if row.evaluation is None:
            continue
        kept += row.kept
        scored += not row.kept
        with_warnings += bool(warnings_in(row.evaluation.problems))
    failed = len(results) - scored - kept
    rows = pluralize(len(results), "row")
    taken_over = f", {kept} taken over" if kept else ""
    text = f"{rows}: {scored} scored{taken_over}, {failed} failed"
    if not with_warnings:
        return text
    advice = "" if are_shown else " (--all-warnings shows them)"
    return f"{text}; {pluralize(with_warnings, 'row')} with warnings{advice}"
