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
from conll.errors import Problem, pluralize
from conll.system import jobs_of
from scorer.cli.console import print_error, print_warnings, write_report
from scorer.cli.inputs import (
    chosen,
    connected,
    limits_of,
    prepared,
    resampling_of,
    rows_of_corpora,
    strict_refuses,
    watch_of,
)
from scorer.registry import select
from scorer.report.forms import names, require

if TYPE_CHECKING:
    from scorer.comparison.leaderboard import System
    from scorer.comparison.resampling import Resampling

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
    from scorer.comparison.leaderboard import grouped, rank
    from scorer.comparison.resampling import SHOW, SHOWN
    from scorer.show.leaderboard import report_of

    inputs = [arguments.key, *(arguments.responses or ()), *arguments.names]
    form = prepared(arguments, FORMATS, inputs)
    resampling = resampling_of(arguments, average=arguments.average)
    score = _responses if arguments.corpora is None else _corpora
    scored = score(arguments, resampling)
    if scored is None:
        return 1
    participants, sort, problems, pages = scored
    if not arguments.quiet:
        for participant in participants:
            _warn(participant, every=arguments.all_warnings)
    if arguments.strict:
        participants = list(map(_strictly, participants))
    participants = grouped(participants, arguments.runs)
    board = rank(participants, sort, resampling, jobs=jobs_of(arguments.jobs), problems=problems)
    report = report_of(
        board,
        form,
        full=arguments.full,
        by=arguments.group_by,
        show=[column for column in SHOW if column in (arguments.show or SHOWN)],
        errors=pages,
    )
    write_report(report, arguments)
    return int(any(participant.evaluation is None for participant in participants))


def _responses(arguments: Namespace, resampling: Resampling) -> Scored | None:
    """Score responses to one key; None where --strict refuses."""
    from scorer.comparison.comparison import check_groups
    from scorer.run import submissions

    options, metrics = chosen(arguments)
    shown, counted = select(metrics, options)
    sort = submissions.sort_of(shown, arguments.sort)
    systems, passed_over = submissions.named(submissions.find(arguments.responses), arguments.names)
    check_groups(systems, arguments.runs, resampling.method)
    folder = arguments.errors
    if folder is not None:
        require("html")
        if os.path.realpath(folder) in map(os.path.realpath, arguments.responses):
            raise ValueError(f"--errors: {folder} holds the responses; name another folder")
        os.makedirs(folder, exist_ok=True)
    jobs = jobs_of(arguments.jobs)
    with connected(arguments) as cluster:
        counted = submissions.with_mentions(counted, options)
        key = submissions.Key(arguments.key, counted, options, shown, arguments.key_format)
        if strict_refuses(arguments, passed_over + key.problems):
            return None
        scoring = submissions.Scoring(key, arguments.response_format, arguments.max_size)
        limits = limits_of(arguments)
        watch = watch_of(arguments, "responses")
        participants = submissions.score_all(
            scoring, systems, limits=limits, jobs=jobs, cluster=cluster, watch=watch
        )
    if folder is None:
        return participants, sort, key.problems, {}
    scored = {
        participant.system: systems[participant.system]
        for participant in participants
        if participant.evaluation is not None
    }
    pages, reasons = submissions.write_pages(scoring, scored, folder, limits=limits, jobs=jobs)
    for system, reason in reasons.items():
        print_error(f"no page of errors for {system}: {reason}")
    links = {system: submissions.href(path, arguments.output) for system, path in pages.items()}
    return participants, sort, key.problems, links


def _corpora(arguments: Namespace, resampling: Resampling) -> Scored | None:
    """Score systems on several corpora; None where --strict refuses."""
    from scorer.run.submissions import score_corpora, sort_of

    if arguments.errors is not None:
        raise ValueError("--errors writes pages of one corpus; leave out --corpora")
    rows = rows_of_corpora(arguments, resampling)
    sort_of(select(rows[0].metrics, rows[0].options)[0], arguments.sort)
    with connected(arguments) as cluster:
        scored = score_corpora(
            rows,
            limits=limits_of(arguments),
            max_size=arguments.max_size,
            cluster=cluster,
            jobs=jobs_of(arguments.jobs),
            watch=watch_of(arguments, "responses"),
        )
    if strict_refuses(arguments, scored.problems):
        return None
    return scored.participants, sort_of(scored.names, arguments.sort), scored.problems, {}


def _warn(participant: System, *, every: bool) -> None:
    if participant.evaluation is None:
        print_error(f"{participant.system} could not be scored: {participant.reason}")
        return
    key, response, *others = participant.evaluation.inputs
    if key.sha256 == response.sha256 and not others:
        print_error(f"note: {participant.system} holds the same bytes as the key")
    print_warnings(
        to_tell(participant.evaluation.problems, participant.evaluation.scored),
        of=participant.system,
        every=every,
        fold=WARNINGS,
    )
    if participant.unlisted:
        print_error(
            f"warning: {participant.system}: … and {participant.unlisted} more that are not kept"
        )


def _strictly(participant: System) -> System:
    """The participant, or one that says which warning keeps it from being ranked."""
    from scorer.comparison.leaderboard import System

    if participant.evaluation is None or not participant.evaluation.problems:
        return participant
    first, *others = participant.evaluation.problems
    more = len(others) + participant.unlisted
    others_too = f" … and {pluralize(more, 'more warning')}" if more else ""
    return System(
        participant.system, reason=f"{first}{others_too} (--strict treats warnings as errors)"
    )
