"""Score many responses to one key, and rank them.

RESPONSES are files, zip archives (one a system, of one file or several, in folders or not), or
directories: each file, archive or folder in one of these is the response of a system. Each is
scored in a process of its own, with limits of time, memory and size; one that cannot be scored
keeps its row, with the reason. A document that a response lacks counts as empty and is shown.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import did_you_mean, pluralize
from conll.system import jobs_of
from scorer.cli.arguments import (
    add_average,
    add_counting,
    add_limits,
    add_output,
    add_resampling,
    add_running,
    add_systems,
    check_systems,
    chosen,
    connected,
    form_of,
    limits_of,
    listed,
    resampling_of,
)
from scorer.cli.console import (
    check_output_path,
    print_error,
    print_warnings,
    progress,
    strict_refuses,
    write_report,
)
from scorer.comparison.resampling import SHOW, SHOWN
from scorer.options import compiled
from scorer.registry import select
from scorer.report.forms import names as forms
from scorer.report.forms import require

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

    from conll.errors import Problem
    from scorer.comparison.leaderboard import System
    from scorer.comparison.resampling import Resampling

HELP = "score many responses to one key, and rank them"

COMMON = "preset metrics sort show full names errors format output jobs quiet"
"""The options that --help shows."""

EPILOG = """\
tiers: systems that do not differ significantly share one. A tier ends where every system above
differs significantly from every one below: the largest of their p-values, two-sided and corrected
(Holm) for the number of places where a tier may end, is at most 1 - CONFIDENCE. Within a tier some
may differ.

reading the table: recall, precision, F1 and their intervals are percent, rounded to two decimals
(--rounding). mentions found: of the mentions of the key, how many the response has. missing:
documents that the response lacks. csv, tsv, json and jsonl have all figures with their intervals,
as fractions with all digits.

archives are refused, with the reason, when they hold absolute or climbing paths, links, encrypted
members, archives, a name twice, more than 5000 members, or a member of more than 500 times its
packed size. In a directory, links are refused as well. Hidden files and __MACOSX are passed over.

a CSV file of names has the columns file and name; a file is written as it was given, or as it is
called in its directory.

examples:
  scorer leaderboard key.conll responses/ --names teams.csv
  scorer leaderboard key.conll a.zip b.conll c/out.jsonl --metrics muc,bcub,ceafe,conll --full
  scorer leaderboard key.conll responses/ --format html --output board.html --errors errors
  scorer leaderboard key.conll responses/ --jobs 0 --format html --group-by '^(\\w+)/' --output leaderboard.html

exit status: 0 all were scored, 1 some could not be, 2 wrong usage or a key that cannot be read
"""

WARNINGS = 5
"""How many warnings of one kind are shown for each system."""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer leaderboard`."""
    add_systems(parser, "files, zip archives or directories of responses")
    add_counting(parser)
    add_resampling(parser, alternative=False)
    show = parser.add_argument_group("output")
    show.add_argument(
        "--sort",
        metavar="METRIC",
        help="rank by the F1 of this metric (default: conll, or the first)",
    )
    show.add_argument(
        "--show",
        metavar="WORDS",
        type=listed,
        default=",".join(SHOWN),
        help=(f"columns: some of {','.join(SHOW)}, or all (default: %(default)s)"),
    )
    add_average(show)
    show.add_argument(
        "--full", action="store_true", help="also show recall and precision of each metric"
    )
    show.add_argument(
        "--names",
        metavar="FILE=NAME",
        action="append",
        default=[],
        help=("name of the system of this response, or a CSV file of names (default: of files)"),
    )
    show.add_argument(
        "--group-by",
        metavar="REGEX",
        help="json and html: groups of documents, as in scorer score",
    )
    show.add_argument(
        "--errors",
        metavar="FOLDER",
        help=("write a page with the errors of each system to this folder"),
    )
    add_output(show, forms())
    add_limits(parser)
    add_running(
        parser,
        strict="a response with one is not ranked; if the key has one, nothing is reported",
        jobs="responses to score at once",
    )


def run(arguments: Namespace) -> int:
    """Score, warn, rank and report."""
    from scorer.comparison.comparison import check_groups
    from scorer.run.submissions import Key, Scoring, find, named, score_all, sort_of, with_mentions

    form = form_of(arguments, forms())
    if arguments.errors is not None:
        require("html")
        if arguments.corpora is not None:
            raise ValueError("--errors writes pages of one corpus; leave out --corpora")
    check_systems(arguments)
    resampling = resampling_of(arguments, arguments.average)
    _shown(arguments)
    if arguments.group_by is not None:
        compiled(arguments.group_by)
    if arguments.corpora is not None:
        return _corpora(arguments, resampling, form)
    options, metrics = chosen(arguments)
    names, counted = select(metrics, options)
    sort = sort_of(names, arguments.sort)
    systems, passed_over = named(find(arguments.responses), arguments.names)
    if arguments.runs is not None:
        check_groups(systems, arguments.runs, resampling.method)
    check_output_path(arguments.output, [arguments.key, *arguments.responses, *arguments.names])
    if arguments.errors is not None:
        if os.path.realpath(arguments.errors) in map(os.path.realpath, arguments.responses):
            raise ValueError(
                f"--errors: {arguments.errors} holds the responses; name another folder"
            )
        os.makedirs(arguments.errors, exist_ok=True)
    jobs = jobs_of(arguments.jobs)
    watch = None if arguments.quiet else partial(progress, unit="responses")
    with connected(arguments) as cluster:
        key = Key(
            arguments.key, with_mentions(counted, options), options, names, arguments.key_format
        )
        if strict_refuses(arguments, passed_over + key.problems):
            return 1
        scoring = Scoring(key, arguments.response_format, arguments.max_size)
        limits = limits_of(arguments)
        participants = score_all(
            scoring, systems, limits=limits, jobs=jobs, cluster=cluster, watch=watch
        )
    errors: dict[str, str] = {}
    if arguments.errors is not None:
        from scorer.run.submissions import href, write_pages

        scored = {
            one.system: systems[one.system] for one in participants if one.evaluation is not None
        }
        pages, reasons = write_pages(scoring, scored, arguments.errors, limits=limits, jobs=jobs)
        errors = {system: href(path, arguments.output) for system, path in pages.items()}
        for system, reason in reasons.items():
            print_error(f"there is no page of the errors of {system}: {reason}")
    return _publish(arguments, form, participants, sort, resampling, key.problems, errors)


def _corpora(arguments: Namespace, resampling: Resampling, form: str) -> int:
    """`run` over several corpora."""
    from scorer.run.manifest import OPTIONS, read_manifest
    from scorer.run.submissions import check_runs, score_corpora, sort_of

    rows = read_manifest(arguments.corpora, {name: getattr(arguments, name) for name in OPTIONS})
    sort_of(select(rows[0].metrics, rows[0].options)[0], arguments.sort)
    check_runs(rows, arguments.runs, resampling)
    check_output_path(
        arguments.output,
        [arguments.corpora, *(path for row in rows for path in (row.key_path, row.response_path))],
    )
    limits = limits_of(arguments)
    watch = None if arguments.quiet else partial(progress, unit="responses")
    with connected(arguments) as cluster:
        scored = score_corpora(
            rows,
            limits=limits,
            max_size=arguments.max_size,
            cluster=cluster,
            jobs=jobs_of(arguments.jobs),
            watch=watch,
        )
    if strict_refuses(arguments, scored.problems):
        return 1
    return _publish(
        arguments,
        form,
        scored.participants,
        sort_of(scored.names, arguments.sort),
        resampling,
        scored.problems,
    )


def _publish(
    arguments: Namespace,
    form: str,
    participants: list[System],
    sort: str,
    resampling: Resampling,
    problems: list[Problem],
    errors: Mapping[str, str] | None = None,
) -> int:
    """Warn, rank and report; returns the exit status.

    `errors`: by system the address of the page of its errors.
    """
    from scorer.comparison.leaderboard import grouped, rank
    from scorer.show.leaderboard import report_of

    if not arguments.quiet:
        for participant in participants:
            _warn(participant, every=arguments.all_warnings)
    if arguments.strict:
        participants = list(map(_strictly, participants))
    if arguments.runs is not None:
        participants = grouped(participants, arguments.runs)
    board = rank(participants, sort, resampling, jobs=jobs_of(arguments.jobs), problems=problems)
    write_report(
        report_of(
            board,
            form,
            full=arguments.full,
            by=arguments.group_by,
            show=_shown(arguments),
            errors=errors,
        ),
        arguments,
    )
    return int(any(one.evaluation is None for one in participants))


def _shown(arguments: Namespace) -> list[str]:
    """What `--show` asks for, in the order of `SHOW`.

    ValueError for a word that is none of them.
    """
    words, known = arguments.show, [*SHOW, "all"]
    unknown = next((word for word in words if word not in known), None)
    if unknown is not None:
        hint = did_you_mean(unknown, known)
        raise ValueError(f"show: {unknown!r} is not one of {', '.join(known)}{hint}")
    return [word for word in SHOW if word in words or "all" in words]


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
    return System(participant.system, reason=f"{first}{others_too} (--strict makes each an error)")
