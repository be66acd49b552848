"""Score many keys and responses: the rows of a manifest, and one table of them all."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import pluralize
from conll.system import jobs_of
from scorer.cli.arguments import (
    add_counting,
    add_output,
    add_resampling,
    add_running,
    connected,
    form_of,
    limits_of,
    resampling_of,
    seconds,
    size,
)
from scorer.cli.console import check_output_path, print_error, progress, write_report
from scorer.evaluation.signature import AVERAGES, Layout
from scorer.report.forms import names
from scorer.run.batch import SHAPES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scorer.run.batch import RowResult, Scored

MANIFEST = """\
The manifest is CSV with a heading, or YAML. Columns: key and response (files or folders; relative
paths start where the manifest is), corpus and system (their names; those of the two files if not
given), and any of: {options}. Empty cells take the options of the command."""

HELP = "score many keys and responses, as a manifest says"

COMMON = "preset metrics over-corpora delta cache format output jobs quiet"
"""The options that --help shows."""

EPILOG = """\
A row that cannot be scored has its reason in the table, and the others go on. With --output or
--cache, what was scored is kept: a run that was interrupted goes on where it was, and files that
have not changed are not scored again. The table has the same bytes for any number of jobs, whether
its figures are new or kept.

--presets (or the column presets) lists settings with commas between. Each is the name of a preset,
options, or both, with colons between: crac25, crac25:singletons=keep, match=head:zeros=dependent.
The name of an option may be left out if its value is unambiguous: exact is match=exact. These
options go before all others, and all others before a preset.

--delta compares each row with that of the same corpus, system and settings in an earlier run, if
the key and its documents are the same; a note says what is not compared. Documents are resampled,
of both runs the same; p (Holm) is corrected over all rows.

examples:
  scorer batch manifest.csv
  scorer batch manifest.yaml --preset crac25 --over-corpora --output scores.csv --jobs 0
  scorer batch manifest.csv --cache kept --format json --timeout 600 --max-memory 4G
  scorer batch manifest.csv --presets crac25,crac25:singletons=keep,exact --metrics conll --shape wide
  scorer batch manifest.csv --delta before.json --output now.json

exit status: 0 all rows scored, 1 some failed, 2 wrong usage or a manifest that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer batch`."""
    from scorer.run.manifest import OPTIONS

    options = ", ".join(("presets", *OPTIONS)).replace("_", "-")
    parser.description = f"{__doc__}\n\n{fill(MANIFEST.format(options=options), 131)}\n"
    parser.add_argument("manifest", metavar="MANIFEST", help="CSV or YAML, or - for standard input")
    add_counting(parser)
    parser.add_argument_group("settings").add_argument(
        "--presets",
        metavar="LIST",
        help="score each row under each of these settings, such as crac25,crac25:singletons=keep",
    )
    show = parser.add_argument_group("output")
    add_output(show, names(framed=True))
    show.add_argument("--per-document", action="store_true", help="also show each document")
    show.add_argument(
        "--average", choices=AVERAGES, default="micro", help="over documents (default: %(default)s)"
    )
    show.add_argument(
        "--group-by",
        metavar="REGEX",
        help="group documents by what this regular expression captures in their names",
    )
    show.add_argument(
        "--over-corpora",
        action="store_true",
        help="also show the mean over corpora for each system",
    )
    show.add_argument(
        "--shape",
        choices=SHAPES,
        help="wide: a line for each corpus and system, a column for each setting and metric; long: a line for each figure"
        " (default: tables have a line for each row and setting, everything else is long)",
    )
    show.add_argument(
        "--delta",
        metavar="RUN.json",
        help="show changes since an earlier run (its JSON), with p-values",
    )
    show.add_argument(
        "--all-warnings",
        action="store_true",
        help="show all warnings; by default the table counts them",
    )
    add_resampling(parser, alternative=False, heading="how to compare (with --delta)", runs=False)
    keep = parser.add_argument_group("cache and limits")
    keep.add_argument(
        "--cache",
        metavar="DIR",
        help="keep counts in this folder, to continue an interrupted run (default: FILE.cache)",
    )
    keep.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="a row that takes longer fails (default: none)",
    )
    keep.add_argument(
        "--max-memory",
        type=size,
        metavar="SIZE",
        help="a row that takes more fails, such as 4G (default: none)",
    )
    add_running(
        parser,
        strict="its row fails",
        jobs="number of rows to score in parallel",
        folds=False,
    )


def run(arguments: Namespace) -> int:
    """Score all rows, report, and say what failed."""
    from scorer.run.batch import BatchTable, Cache, result_of, score_rows
    from scorer.run.delta import Changes, read_run
    from scorer.run.manifest import OPTIONS, read_manifest
    from scorer.show.batch import place, report_of

    form = form_of(arguments, names(framed=True))
    layout = Layout(
        per_document=arguments.per_document, average=arguments.average, by=arguments.group_by
    )
    limits = limits_of(arguments)
    resampling = resampling_of(arguments)
    rows = read_manifest(
        arguments.manifest, {name: getattr(arguments, name) for name in OPTIONS}, arguments.presets
    )
    beside = _beside(arguments.output)
    inputs = [
        arguments.manifest,
        *(path for row in rows for path in (row.key_path, row.response_path)),
    ]
    check_output_path(
        arguments.output, dict.fromkeys([*inputs, *([arguments.delta] if arguments.delta else [])])
    )
    jobs = jobs_of(arguments.jobs)
    earlier = arguments.delta and read_run(arguments.delta)
    changes = Changes(earlier, resampling, jobs=jobs) if earlier else None
    folder = arguments.cache or beside
    cache = Cache(folder) if folder else None
    tally = _Tally(verbose=arguments.all_warnings)
    results: list[RowResult] = []
    with (
        connected(arguments) as cluster,
        closing(
            score_rows(rows, jobs=jobs, cache=cache, limits=limits, cluster=cluster)
        ) as all_scored,
    ):
        try:
            for scored in (
                all_scored if arguments.quiet else progress(all_scored, "rows", len(rows))
            ):
                one = _strict(scored) if arguments.strict else scored
                tally.add(one)
                results.append(result_of(one, layout, counts=form == "json" or changes is not None))
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
    reason = f"{number}, and --strict makes each an error; the first: {problems[0]}"
    return replace(scored, evaluation=None, reason=reason)


def _beside(output: str | None) -> str | None:
    """The cache folder of a table that goes to a file.

    OSError, before any work, if that file cannot be written.
    """
    if output is None or output == "-" or (os.path.exists(output) and not os.path.isfile(output)):
        return None
    folder = os.path.dirname(output) or os.curdir
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", folder)
    return f"{output}.cache"
