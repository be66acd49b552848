"""Score many keys and responses: the rows of a manifest, and one table of them all.

The manifest is CSV with a heading, or YAML. Columns: key and response (files or folders; relative
paths start where the manifest is), corpus and system (their names; those of the two files if not
given), presets, preset, metrics, key-format, response-format, and any option of scoring, such as
match. Empty cells take the options of the command.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import distinct, pluralize, warnings_in
from conll.system import jobs_of
from scorer.cli import console
from scorer.jobs.manifest import OPTIONS, read_manifest
from scorer.report.forms import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.batches.batch import Scored
    from scorer.evaluation.evaluation import Evaluation


HELP = "score the keys and responses that a manifest lists"
FORMATS = names(framed=True)

EPILOG = """\
If a row cannot be scored, the table says why, and the other rows are still scored. With --output or
--cache, results are kept: an interrupted run continues where it stopped, and unchanged files are
not scored again.

--presets (or the column presets) lists settings, separated by commas. A setting is a preset,
options, or both, separated by colons: crac25, crac25:singletons=keep, match=head:zeros=dependent.
These options override all others; all options override a preset.

examples:
  scorer batch manifest.csv
  scorer batch manifest.yaml --preset crac25 --over-corpora --output scores.csv --jobs 0
  scorer batch manifest.csv --cache kept --format json --timeout 600 --max-memory 4G
  scorer batch manifest.csv --presets crac25,crac25:singletons=keep --metrics conll --shape wide
  scorer batch manifest.csv --delta before.json --output now.json

exit status: 0 all rows scored, 1 some failed, 2 wrong usage or a manifest that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score all rows, report, and say what failed."""
    from scorer.batches.batch import BatchTable, Cache, score_rows
    from scorer.batches.changes import Changes, read_run
    from scorer.batches.report import place, report_of
    from scorer.evaluation.evaluation import Layout
    from scorer.jobs.distributed import running

    requested = console.output_of(arguments, FORMATS, [arguments.manifest, arguments.delta])
    layout = Layout(
        per_document=arguments.per_document, average=arguments.average, by=arguments.group_by
    )
    limits = console.limits_of(arguments.timeout, arguments.max_memory, quiet=arguments.quiet)
    resampling = console.resampling_of(arguments)
    rows = read_manifest(
        arguments.manifest,
        {name: getattr(arguments, name) for name in OPTIONS},
        arguments.presets,
    )
    folder, output = arguments.cache, arguments.output
    inputs = (path for row in rows for path in (row.key_path, row.response_path))
    console.check_output_path(output, dict.fromkeys(inputs))
    if folder is None and output not in (None, "-"):
        # A device has no place for a cache beside it.
        is_file = os.path.isfile(output) or not os.path.exists(output)
        folder = f"{output}.cache" if is_file else None
    jobs = jobs_of(arguments.jobs)
    earlier = arguments.delta and read_run(arguments.delta)
    changes = Changes(earlier, resampling, jobs=jobs) if earlier else None
    cache = Cache(folder) if folder else None
    keep = requested.format == "json" or changes is not None or layout.needs_documents
    results: list[Scored] = []
    with (
        running(arguments.scheduler, jobs, limits) as run,
        closing(score_rows(rows, run, cache)) as all_scored,
    ):
        watched = all_scored if arguments.quiet else console.progress(all_scored, "rows", len(rows))
        try:
            for scored in watched:
                row = _strict(scored) if arguments.strict else scored
                evaluation = row.evaluation
                if evaluation is not None:
                    _thin_out(evaluation, documents=keep, problems=arguments.all_warnings)
                results.append(row)
        except (KeyboardInterrupt, SystemExit):
            advice = "; run again to go on" if cache else ""
            console.print_error(
                f"scorer batch: ended after {len(results)} of {len(rows)} rows{advice}"
            )
            raise
    table = BatchTable(
        results, layout, over_corpora=arguments.over_corpora, shape=arguments.shape, changes=changes
    )
    console.write_report(report_of(table, requested.format), requested)
    if not arguments.quiet:
        evaluations = [row.evaluation for row in table.results if row.evaluation is not None]
        told = (to_tell(evaluation.problems, evaluation.scored) for evaluation in evaluations)
        if arguments.all_warnings:
            console.print_warnings(distinct(chain.from_iterable(told)), every=True)
        not_kept = Counter(row.uncached for row in results if row.evaluation and row.uncached)
        for reason, count in sorted(not_kept.items()):
            console.print_error(f"warning: {pluralize(count, 'row')} not kept: {reason}")
    for record in table.failed:
        console.print_error(f"scorer batch: {place(record)}: {record['reason']}")
    if not arguments.quiet:
        summary = _summary(results, is_told=arguments.all_warnings)
        console.print_error(f"scorer batch: {summary}{f'; kept in {folder}' if folder else ''}")
    return 1 if table.failed else 0


def _thin_out(evaluation: Evaluation, *, documents: bool, problems: bool) -> None:
    """Drop what is not shown, which takes much memory: documents, and all of the warnings but their number."""
    if not documents:
        evaluation.left_out = evaluation.scored
        evaluation.documents = []
    if not problems:
        warnings = warnings_in(evaluation.problems)
        evaluation.problems = warnings[:1] * len(warnings)


def _summary(results: Sequence[Scored], *, is_told: bool) -> str:
    """Count the rows by how they ended; `is_told` where their warnings are shown."""
    evaluated = [row for row in results if row.evaluation is not None]
    cached = sum(row.cached for row in evaluated)
    failed = len(results) - len(evaluated)
    rows = pluralize(len(results), "row")
    text = f"{rows}: {len(evaluated) - cached} scored, {cached} from the cache, {failed} failed"
    odd = sum(bool(row.evaluation and warnings_in(row.evaluation.problems)) for row in evaluated)
    if not odd:
        return text
    advice = "" if is_told else " (--all-warnings shows them)"
    return f"{text}; {pluralize(odd, 'row')} with warnings{advice}"


def _strict(scored: Scored) -> Scored:
    """Return the row, or if it has warnings one that failed."""
    warnings = [] if scored.evaluation is None else warnings_in(scored.evaluation.problems)
    if not warnings:
        return scored
    number = pluralize(len(warnings), "warning")
    reason = f"{number}, which --strict treats as errors; the first: {warnings[0]}"
    return replace(scored, evaluation=None, reason=reason)
