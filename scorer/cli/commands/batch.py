"""Score many keys and responses: the rows of a manifest, and one table of them all.

The manifest is CSV with a heading, or YAML. Columns: key and response (files or folders; relative
paths start where the manifest is), corpus and system (their names; those of the two files if not
given), presets, preset, metrics, key-format, response-format, and any option of scoring, such as
match. Empty cells take the options of the command.
"""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import pluralize
from conll.system import jobs_of
from scorer.cli.console import check_output_path, print_error, progress, write_report
from scorer.cli.inputs import connected, layout_of, limits_of, prepared, resampling_of
from scorer.report.forms import names
from scorer.run.manifest import OPTIONS, read_manifest

if TYPE_CHECKING:
    from scorer.run.batch import Scored

HELP = "score the keys and responses that a manifest lists"
FORMATS = names(framed=True)

EPILOG = """\
If a row cannot be scored, the table says why, and the other rows are still scored. With --output or
--cache, results are kept: an interrupted run continues where it stopped, and unchanged files are
not scored again. The output does not depend on the number of jobs or on what was kept.

--presets (or the column presets) lists settings, separated by commas. A setting is a preset,
options, or both, separated by colons: crac25, crac25:singletons=keep, match=head:zeros=dependent.
The name of an option can be left out if its value is unambiguous: exact means match=exact. These
options override all others; all options override a preset.

--delta compares each row with that of the same corpus, system and settings in an earlier run, if
the key and its documents are the same; a note names what is not compared. Documents are resampled
in the same way for both runs; p (Holm) is corrected over all rows.

examples:
  scorer batch manifest.csv
  scorer batch manifest.yaml --preset crac25 --over-corpora --output scores.csv --jobs 0
  scorer batch manifest.csv --cache kept --format json --timeout 600 --max-memory 4G
  scorer batch manifest.csv --presets crac25,crac25:singletons=keep,exact --metrics conll --shape wide
  scorer batch manifest.csv --delta before.json --output now.json

exit status: 0 all rows scored, 1 some failed, 2 wrong usage or a manifest that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score all rows, report, and say what failed."""
    from scorer.run.batch import BatchTable, Cache, RowResult, result_of, score_rows
    from scorer.run.delta import Changes, read_run
    from scorer.show.batch import place, report_of

    form = prepared(arguments, FORMATS, [arguments.manifest, arguments.delta])
    layout = layout_of(arguments)
    limits = limits_of(arguments)
    resampling = resampling_of(arguments)
    options = {name: getattr(arguments, name) for name in OPTIONS}
    rows = read_manifest(arguments.manifest, options, arguments.presets)
    paths = dict.fromkeys(path for row in rows for path in (row.key_path, row.response_path))
    check_output_path(arguments.output, paths)
    folder, output = arguments.cache, arguments.output
    if folder is None and output not in (None, "-"):
        # A device has no place for a cache beside it.
        is_file = os.path.isfile(output) or not os.path.exists(output)
        folder = f"{output}.cache" if is_file else None
    jobs = jobs_of(arguments.jobs)
    earlier = arguments.delta and read_run(arguments.delta)
    changes = Changes(earlier, resampling, jobs=jobs) if earlier else None
    cache = Cache(folder) if folder else None
    tally = _Tally(verbose=arguments.all_warnings)
    results: list[RowResult] = []
    with (
        connected(arguments) as cluster,
        closing(
            score_rows(rows, jobs=jobs, cache=cache, limits=limits, cluster=cluster)
        ) as all_scored,
    ):
        watched = all_scored if arguments.quiet else progress(all_scored, "rows", len(rows))
        try:
            for scored in watched:
                row = _strict(scored) if arguments.strict else scored
                tally.add(row)
                results.append(result_of(row, layout, counts=form == "json" or changes is not None))
        except (KeyboardInterrupt, SystemExit):
            advice = "; run again to go on" if cache else ""
            print_error(f"scorer batch: ended after {len(results)} of {len(rows)} rows{advice}")
            raise
    table = BatchTable(
        results, layout, over_corpora=arguments.over_corpora, shape=arguments.shape, changes=changes
    )
    write_report(report_of(table, form), arguments)
    if not arguments.quiet:
        for warning in tally.warnings():
            print_error(f"warning: {warning}")
    for record in table.failed:
        print_error(f"scorer batch: {place(record)}: {record['reason']}")
    if not arguments.quiet:
        print_error(f"scorer batch: {tally}{f'; kept in {folder}' if folder else ''}")
    return 1 if table.failed else 0


class _Tally:
    """How many rows ended how, and all warnings if they are to be shown."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._scored = self._cached = self._failed = self._odd = 0
        self._uncached: dict[str, int] = {}
        self._warnings: dict[int, list[str]] = {}

    def add(self, scored: Scored) -> None:
        if scored.evaluation is None:
            self._failed += 1
            return
        self._cached += scored.cached
        self._scored += not scored.cached
        problems = scored.evaluation.problems
        self._odd += bool(problems)
        if scored.uncached:
            self._uncached[scored.uncached] = self._uncached.get(scored.uncached, 0) + 1
        if self._verbose:
            self._warnings[scored.row.number] = list(
                map(str, to_tell(problems, scored.evaluation.scored))
            )

    def warnings(self) -> list[str]:
        """Return what is odd about files, in the order of the manifest, and what was not kept."""
        files = dict.fromkeys(
            text for number in sorted(self._warnings) for text in self._warnings[number]
        )
        kept = (
            f"{pluralize(count, 'row')} not kept: {reason}"
            for reason, count in sorted(self._uncached.items())
        )
        return [*files, *kept]

    def __str__(self) -> str:
        total = pluralize(self._scored + self._cached + self._failed, "row")
        text = (
            f"{total}: {self._scored} scored, {self._cached} from the cache, {self._failed} failed"
        )
        if not self._odd:
            return text
        advice = "" if self._verbose else " (--all-warnings shows them)"
        return f"{text}; {pluralize(self._odd, 'row')} with warnings{advice}"


def _strict(scored: Scored) -> Scored:
    """The row, or if it has warnings one that failed."""
    if scored.evaluation is None or not scored.evaluation.problems:
        return scored
    problems = scored.evaluation.problems
    number = pluralize(len(problems), "warning")
    reason = f"{number}, which --strict treats as errors; the first: {problems[0]}"
    return replace(scored, evaluation=None, reason=reason)
