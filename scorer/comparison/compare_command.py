"""Compare responses to one key: confidence intervals, and whether systems differ.

Each response is scored as `scorer score` does it. Then documents are resampled: in each trial
counts are summed over documents and divided after that, so that every figure is a micro-average,
unless --average says otherwise. A document that a response lacks counts as empty.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from conll.errors import distinct
from conll.system import jobs_of
from scorer.cli import console
from scorer.cli.console import ConsoleEvents, Output
from scorer.inputs.names import names_of
from scorer.jobs.pairs import open_pairs
from scorer.report.forms import names

if TYPE_CHECKING:
    from scorer.comparison.comparison import Comparison
    from scorer.statistics.resampling import Resampling

HELP = "compare responses: confidence intervals and significance"
FORMATS = names()

EPILOG = """\
methods (how p-values are computed):
  randomisation  each document's counts are swapped between two systems with probability 1/2; p is
                 how often the difference reaches the observed one
  bootstrap      documents are drawn with replacement; p is how often the difference moves from the
                 observed one by as much as that is from 0

Intervals come from the bootstrap in either case. With more than two systems, p (Holm) is corrected
over all pairs, metric by metric. Differences are first less second.

examples:
  scorer compare key.conll a.conll b.conll
  scorer compare key.conll a.conll b.conll c.conll --metrics conll,blanc --trials 100000
  scorer compare key.conll new.conll old.conll --names new.conll=ours --alternative greater

exit status: 0 compared, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score, warn, compare and report."""
    from scorer.comparison.compare_report import report_of
    from scorer.statistics.significance import check_power

    inputs = [arguments.key, *(arguments.responses or ())]
    output = console.output_of(arguments, FORMATS, inputs)
    resampling = console.resampling_of(arguments, average=arguments.average)
    if arguments.power is not None:
        check_power(arguments.power, 1 - resampling.confidence)
    compare = _compare_files if arguments.corpora is None else _compare_corpora
    comparison = compare(arguments, output, resampling)
    report = report_of(comparison, output.format, by=arguments.group_by, power=arguments.power)
    console.write_report(report, output)
    if arguments.corpora is None:
        console.note_preset(output, comparison.evaluations.values())
    return 0


def _compare_files(arguments: Namespace, output: Output, resampling: Resampling) -> Comparison:
    """Compare responses to one key."""
    from scorer.comparison.compare import compare_responses
    from scorer.comparison.comparison import check_groups
    from scorer.evaluation.averages import runs_of

    scheme = console.scheme_of(arguments)
    systems = names_of(arguments.responses, arguments.names)
    check_groups(systems, arguments.runs, resampling.method)
    corpora = open_pairs(
        arguments.key,
        arguments.responses,
        scheme.options,
        key_format=arguments.key_format,
        response_format=arguments.response_format,
    )
    comparison = compare_responses(
        dict(zip(systems, corpora)),
        scheme,
        resampling,
        ConsoleEvents(output),
        runs=arguments.runs,
        jobs=jobs_of(arguments.jobs),
        scheduler=arguments.scheduler,
    )
    for system, evaluation in comparison.evaluations.items():
        for name, run in runs_of(evaluation).items():
            console.note_same_bytes(output, arguments.key, name or system, run.inputs)
    return comparison


def _compare_corpora(arguments: Namespace, output: Output, resampling: Resampling) -> Comparison:
    """Compare systems by their means over the corpora of a manifest."""
    from scorer.comparison.corpora import compared, score_corpora
    from scorer.jobs.distributed import running

    events = ConsoleEvents(output)
    rows = console.rows_of_corpora(arguments, resampling)
    jobs = jobs_of(arguments.jobs)
    with running(arguments.scheduler, jobs) as run_tasks:
        systems, problems = score_corpora(rows, run_tasks, events)
    for system in systems:
        if system.evaluation is not None:
            problems += system.evaluation.problems
    events.warn(distinct(problems))
    return compared(systems, resampling, arguments.runs, jobs=jobs)
