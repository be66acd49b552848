"""Score many responses to one key, and rank them.

RESPONSES are files, zip archives (one a system, of one file or several, in folders or not), or
directories: each file, archive or folder in one of these is the response of a system. Each is
scored in a process of its own, with limits of time, memory and size; one that cannot be scored
keeps its row, with the reason. A document that a response lacks counts as empty and is shown.
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import Problem, pluralize, warnings_in
from conll.system import jobs_of
from scorer.cli import console
from scorer.cli.console import ConsoleEvents, Output
from scorer.report.forms import names, require

if TYPE_CHECKING:
    from scorer.comparison.ranking import System
    from scorer.statistics.resampling import Resampling

    # Systems, the metric that ranks them, the problems of the key, and the links to pages of errors.
    Scored = tuple[list[System], str, list[Problem], dict[str, str]]

HELP = "score many responses to one key, and rank them"
FORMATS = names()

WARNINGS = 5
"""How many warnings of one kind are shown for each system."""


EPILOG = """\
tier: systems of adjacent ranks. Where a tier ends, every system above differs significantly from
every one below; within a tier some may differ. missing: documents missing from the response, which
count as empty. csv, tsv, json and jsonl have all figures with their intervals, as fractions.

a CSV file of names has the columns file and name; a file is written as it was given, or as it is
called in its directory.

examples:
  scorer leaderboard key.conll responses/ --names teams.csv
  scorer leaderboard key.conll a.zip b.conll c/out.jsonl --metrics muc,bcub,ceafe,conll --full
  scorer leaderboard key.conll responses/ --jobs 0 --output board.html --errors errors

exit status: 0 all were scored, 1 some could not be, 2 wrong usage or a key that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score, warn, rank and report."""
    from scorer.comparison.leaderboard_report import report_of
    from scorer.comparison.ranking import grouped, rank
    from scorer.statistics.resampling import SHOW, SHOWN

    inputs = [arguments.key, *(arguments.responses or ()), *arguments.names]
    output = console.output_of(arguments, FORMATS, inputs)
    resampling = console.resampling_of(arguments, average=arguments.average)
    jobs = jobs_of(arguments.jobs)
    score = _responses if arguments.corpora is None else _corpora
    scored = score(arguments, output, resampling)
    systems, sort, problems, pages = scored
    if not arguments.quiet:
        for system in systems:
            _warn(system, every=arguments.all_warnings)
    if arguments.strict:
        systems = list(map(_strictly, systems))
    systems = grouped(systems, arguments.runs)
    report = report_of(
        rank(systems, sort, resampling, jobs=jobs, problems=problems),
        output.format,
        full=arguments.full,
        by=arguments.group_by,
        show=[column for column in SHOW if column in (arguments.show or SHOWN)],
        errors=pages,
    )
    console.write_report(report, output)
    if arguments.corpora is None:
        console.note_preset(output, filter(None, (system.evaluation for system in systems)))
    return int(any(system.evaluation is None for system in systems))


def _responses(arguments: Namespace, output: Output, resampling: Resampling) -> Scored:
    """Score responses to one key."""
    from scorer.analysis import error_pages
    from scorer.comparison.comparison import check_groups
    from scorer.comparison.key import Key, score_all
    from scorer.comparison.leaderboard import sort_of
    from scorer.inputs import submissions
    from scorer.jobs.distributed import running

    scheme = console.scheme_of(arguments)
    sort = sort_of(scheme.names, arguments.sort)
    responses, passed_over = submissions.named(
        submissions.find(arguments.responses), arguments.names
    )
    check_groups(responses, arguments.runs, resampling.method)
    folder = arguments.errors
    if folder is not None:
        from scorer.analysis.find import scheme_of_errors

        require("html")
        scheme_of_errors(scheme)
        if os.path.realpath(folder) in map(os.path.realpath, arguments.responses):
            raise ValueError(f"--errors: {folder} holds the responses; name another folder")
        os.makedirs(folder, exist_ok=True)
    jobs = jobs_of(arguments.jobs)
    limits = console.limits_of(arguments.timeout, arguments.max_memory, quiet=output.quiet)
    formats = arguments.key_format, arguments.response_format
    events = ConsoleEvents(output)
    with running(arguments.scheduler, jobs, limits) as run:
        key = Key(arguments.key, scheme, *formats, arguments.max_size)
        events.warn(passed_over + key.problems)
        systems = score_all(key, responses, run, events)
    links: dict[str, str] = {}
    if folder is not None:
        scored = {row.system: responses[row.system] for row in systems if row.evaluation}
        # Here even if the responses were scored elsewhere: the folder is on this machine.
        with running(None, jobs, limits) as run:
            for system, path, reason in error_pages.write_pages(key, scored, folder, run):
                if reason:
                    console.print_error(f"no page of errors for {system}: {reason}")
                else:
                    links[system] = error_pages.href(path, arguments.output)
    return systems, sort, key.problems, links


def _corpora(arguments: Namespace, output: Output, resampling: Resampling) -> Scored:
    """Score systems on several corpora."""
    from scorer.comparison.corpora import score_corpora, shown_in
    from scorer.comparison.leaderboard import sort_of
    from scorer.jobs.distributed import running

    if arguments.errors is not None:
        raise ValueError("--errors writes pages of one corpus; leave out --corpora")
    rows = console.rows_of_corpora(arguments, resampling)
    sort = sort_of(shown_in(rows), arguments.sort)
    jobs, events = jobs_of(arguments.jobs), ConsoleEvents(output)
    limits = console.limits_of(arguments.timeout, arguments.max_memory, quiet=output.quiet)
    with running(arguments.scheduler, jobs, limits) as run:
        systems, problems = score_corpora(rows, run, events, max_size=arguments.max_size)
    events.warn(problems)
    return systems, sort, problems, {}


def _warn(system: System, *, every: bool) -> None:
    if system.evaluation is None:
        console.print_error(f"{system.system} could not be scored: {system.reason}")
        return
    key, response, *others = system.evaluation.inputs
    if key.sha256 == response.sha256 and not others:
        console.print_error(f"note: {system.system} holds the same bytes as the key")
    told = to_tell(system.evaluation.problems, system.evaluation.scored)
    console.print_warnings(told, system=system.system, every=every, fold=WARNINGS)
    if system.unlisted:
        console.print_error(
            f"warning: {system.system}: … and {system.unlisted} more that are not kept"
        )


def _strictly(system: System) -> System:
    """The system, or one that says which warning keeps it from being ranked."""
    from scorer.comparison.ranking import System

    warnings = [] if system.evaluation is None else warnings_in(system.evaluation.problems)
    if not warnings:
        return system
    first, *others = warnings
    more = len(others) + system.unlisted
    others_too = f" … and {pluralize(more, 'more warning')}" if more else ""
    reason = f"{first}{others_too} (--strict treats warnings as errors)"
    return System(system.system, reason=reason)
