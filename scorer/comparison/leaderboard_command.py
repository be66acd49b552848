"""Score many responses to one key, and rank them.

RESPONSES are files, zip archives (one a system, of one file or several, in folders or not), or
directories: each file, archive or folder in one of these is the response of a system. Each is
scored in a process of its own, with limits of time, memory and size; one that cannot be scored
keeps its row, with the reason. A document that a response lacks counts as empty and is shown.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.system import jobs_of
from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.inputs.submissions import Submission, find, named
from scorer.report.forms import names, require

if TYPE_CHECKING:
    from scorer.comparison.board import Leaderboard, System
    from scorer.comparison.submissions import ManifestCorpora, Submissions

FORMATS = names()

WARNINGS = 5
"""The number of warnings of one kind that are shown for each system."""

EPILOG = """\
letters: systems that share a letter do not differ significantly. missing: documents missing from
the response, which count as empty. tier (--full): systems of adjacent ranks. Where a tier ends,
every system above differs significantly from every one below; within a tier some may differ. csv,
tsv, json and jsonl have all figures with their intervals, as fractions.

a CSV file of names has the columns file and name; a file is written as it was given, or as it is
called in its directory.

examples:
  scorer leaderboard key.conll responses/ --names teams.csv
  scorer leaderboard key.conll a.zip b.conll c/out.jsonl --metrics muc,bcub,ceafe,conll --full
  scorer leaderboard key.conll responses/ --jobs 0 --output board.html --errors errors

exit status: 0 all were scored, 1 some could not be or are below --fail-under, 2 wrong usage or a
key that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score, warn, rank and report."""
    # Loaded only here, as --help needs no numpy.
    from scorer.comparison.board import BoardLayout
    from scorer.comparison.leaderboard import (
        evaluations_of,
        join_systems,
        rank,
        refuse_warnings,
        score_systems,
        sort_of,
    )

    inputs = [arguments.key, *(arguments.responses or ()), *arguments.names]
    output = console.output_of(arguments, FORMATS, inputs)
    entries = _entries_of(arguments)
    resampling = console.resampling_of(arguments, average=arguments.average)
    main = sort_of(entries.shown, arguments.sort)
    for metric, _ in arguments.fail_under:
        if metric not in entries.shown:
            raise ValueError(f"--fail-under: {metric} is not scored; add it to --metrics")
    submissions = None
    if arguments.errors is not None:
        submissions = _prepare_error_pages(entries, arguments.errors, arguments.responses)
    systems, problems = score_systems(entries, resampling, arguments.runs, ConsoleEvents(output))
    if not output.quiet:
        for system in systems:
            _print_warnings(system, every=output.all_warnings)
    ranked = [refuse_warnings(system) for system in systems] if arguments.strict else systems
    ranked = join_systems(ranked, arguments.runs)
    jobs = entries.processing.jobs
    board = rank(ranked, main, resampling, jobs=jobs, problems=problems)
    links: dict[str, str] = {}
    if submissions is not None:
        scored = evaluations_of(systems)
        links = _write_error_pages(submissions, scored, arguments.errors, arguments.output)
    layout = BoardLayout(
        full=arguments.full,
        group_by=arguments.group_by,
        show=arguments.show or None,
        ratios=arguments.ratios,
        errors=links,
    )
    console.write_report(board.report(output.format, layout), output)
    if arguments.corpora is None:
        console.note_preset(output, board.evaluations.values())
    failed = int(len(board.scored) < len(board.standings))
    return failed | _check_limits(board, arguments.fail_under, output)


def _check_limits(
    board: Leaderboard, limits: Sequence[tuple[str, float]], output: console.Output
) -> int:
    """Return 1 if the F1 of a system is below one of the limits, which is said, and else 0."""
    failed = 0
    for name, evaluation in board.evaluations.items():
        # It has the average that is shown.
        f1s = {metric: evaluation.ratios(metric).f1 for metric, _ in limits}
        failed |= console.check_limits(output, f1s, limits, board.rounding, row=name)
    return failed


def _entries_of(arguments: Namespace) -> Submissions | ManifestCorpora:
    """Return what is to be ranked: responses to a key, or the rows of a manifest."""
    from scorer.comparison.submissions import ManifestCorpora, Processing, Submissions

    processing = Processing(
        jobs=jobs_of(arguments.jobs),
        scheduler=arguments.scheduler,
        limits=console.limits_of(arguments.timeout, arguments.max_memory, quiet=arguments.quiet),
        max_size=arguments.max_size,
    )
    if arguments.corpora is not None:
        return ManifestCorpora(console.rows_of_corpora(arguments), processing)
    scheme = console.scheme_from_arguments(arguments)
    systems, problems = named(find(arguments.responses), arguments.names)
    return Submissions(
        key_documents=arguments.key,
        systems=systems,
        scheme=scheme,
        key_format=arguments.key_format,
        response_format=arguments.response_format,
        problems=problems,
        processing=processing,
    )


def _print_warnings(system: System, *, every: bool) -> None:
    """Print what is irregular in the response of a system."""
    if system.evaluation is None:
        console.print_error(f"{system.system} could not be scored: {system.reason}")
        return
    key, response, *other_inputs = system.evaluation.inputs
    if key.sha256 == response.sha256 and not other_inputs:
        console.print_error(f"note: {system.system} holds the same bytes as the key")
    warnings = to_tell(system.evaluation.problems, system.evaluation.scored)
    console.print_warnings(warnings, system=system.system, every=every, fold=WARNINGS)
    if system.unlisted:
        console.print_error(
            f"warning: {system.system}: … and {system.unlisted} more that are not kept"
        )


def _prepare_error_pages(
    entries: Submissions | ManifestCorpora, folder: str, responses: Iterable[str] | None
) -> Submissions:
    """Make the folder for pages of errors, before anything is scored.

    Args:
        entries: What is to be scored.
        folder: The path of the folder.
        responses: The paths of the responses, as they were given.

    Returns:
        The submissions whose errors have pages.

    Raises:
        ValueError: There are several corpora, the folder holds responses, or errors cannot be found
            by the scheme.
        ModuleNotFoundError: There is no package for HTML.
        OSError: The folder cannot be made.
    """
    from scorer.analysis.find import scheme_of_errors
    from scorer.comparison.submissions import Submissions

    if not isinstance(entries, Submissions):
        raise ValueError("--errors writes pages of one corpus; leave out --corpora")
    require("html")
    scheme_of_errors(entries.scheme)
    paths = [os.path.realpath(path) for path in responses or ()]
    if os.path.realpath(folder) in paths:
        raise ValueError(f"--errors: {folder} holds the responses; name another folder")
    os.makedirs(folder, exist_ok=True)
    return entries


def _write_error_pages(
    submissions: Submissions, scored: Iterable[str], folder: str, page: str | None
) -> dict[str, str]:
    """Write a page of errors for each system that was scored.

    Args:
        submissions: The key and the responses.
        scored: The names of the systems that could be scored.
        folder: The folder of the pages.
        page: The path of the page that leads to them.

    Returns:
        By the systems that have a page its address.
    """
    from scorer.analysis.page import href, write_pages
    from scorer.jobs.distributed import running

    systems: dict[str, Submission] = {}
    for name in scored:
        response = submissions.systems[name]
        if isinstance(response, Submission):
            systems[name] = response
    # Here even if the responses were scored elsewhere: the folder is on this machine.
    processing = submissions.processing
    links = {}
    with running(None, processing.jobs, processing.limits) as run_tasks:
        for system, path, reason in write_pages(submissions.key, systems, folder, run_tasks):
            if reason:
                console.print_error(f"no page of errors for {system}: {reason}")
            else:
                links[system] = href(path, page)
    return links
