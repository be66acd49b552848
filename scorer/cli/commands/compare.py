"""Compare responses to one key: confidence intervals, and whether systems differ.

Each response is scored as `scorer score` does it. Then documents are resampled: in each trial
counts are summed over documents and divided after that, so that every figure is a micro-average,
unless --average says otherwise. A document that a response lacks counts as empty.
"""

from __future__ import annotations

from argparse import Namespace

from conll.check import to_tell
from conll.errors import distinct
from conll.system import jobs_of
from scorer.cli import console
from scorer.report.forms import names
from scorer.run.names import names_of

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
    from scorer.comparison.comparison import check_groups, compare_evaluations, joined
    from scorer.comparison.significance import check_power
    from scorer.run.distributed import running
    from scorer.run.submissions import compared, score_corpora
    from scorer.show.comparison import report_of

    form = console.prepared(arguments, FORMATS, [arguments.key, *(arguments.responses or ())])
    resampling = console.resampling_of(arguments, average=arguments.average)
    if arguments.power is not None:
        check_power(arguments.power, 1 - resampling.confidence)
    jobs = jobs_of(arguments.jobs)
    if arguments.corpora is not None:
        rows, watch = (
            console.rows_of_corpora(arguments, resampling),
            console.watch_of(arguments, "responses"),
        )
        with running(arguments.scheduler, jobs) as run_tasks:
            scored, problems = score_corpora(rows, run_tasks, watch=watch)
        for scored_system in scored:
            if scored_system.evaluation is not None:
                problems += scored_system.evaluation.problems
        if console.strict_refuses(arguments, distinct(problems)):
            return 1
        comparison = compared(scored, resampling, arguments.runs, jobs=jobs)
    else:
        scheme = console.scheme_of(arguments)
        systems = names_of(arguments.responses, arguments.names)
        check_groups(systems, arguments.runs, resampling.method)
        corpora = console.corpora_of(arguments, arguments.responses, scheme.options)
        by_system = dict(zip(systems, console.evaluate(arguments, corpora, scheme)))
        told = [to_tell(part.problems, part.scored) for part in by_system.values()]
        if console.strict_refuses(
            arguments, distinct(problem for found in told for problem in found)
        ):
            return 1
        for system, evaluation in by_system.items():
            console.note_same_bytes(arguments, system, evaluation.inputs)
        by_system = joined(by_system, arguments.runs)
        comparison = compare_evaluations(by_system, resampling, jobs=jobs)
    report = report_of(comparison, form, by=arguments.group_by, power=arguments.power)
    console.write_report(report, arguments)
    return 0
