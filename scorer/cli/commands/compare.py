"""Compare responses to one key: confidence intervals, and whether systems differ.

Each response is scored as `scorer score` does it. Then documents are resampled: in each trial
counts are summed over documents and divided after that, so that every figure is a micro-average,
unless --average says otherwise. A document that a response lacks counts as empty.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import distinct
from conll.system import jobs_of
from scorer.cli.console import write_report
from scorer.cli.inputs import (
    chosen,
    connected,
    corpora_of,
    evaluate,
    note_same_bytes,
    prepared,
    resampling_of,
    rows_of_corpora,
    strict_refuses,
    watch_of,
)
from scorer.registry import select
from scorer.report.forms import names
from scorer.run.names import names_of

if TYPE_CHECKING:
    from scorer.comparison.comparison import Comparison
    from scorer.comparison.resampling import Resampling

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
    from scorer.comparison.significance import check_power
    from scorer.show.comparison import report_of

    form = prepared(arguments, FORMATS, [arguments.key, *(arguments.responses or ())])
    resampling = resampling_of(arguments, average=arguments.average)
    if arguments.power is not None:
        check_power(arguments.power, 1 - resampling.confidence)
    compare = _responses if arguments.corpora is None else _corpora
    comparison = compare(arguments, resampling)
    if comparison is None:
        return 1
    report = report_of(comparison, form, by=arguments.group_by, power=arguments.power)
    write_report(report, arguments)
    return 0


def _responses(arguments: Namespace, resampling: Resampling) -> Comparison | None:
    """Compare responses to one key; None where --strict refuses."""
    from scorer.comparison.comparison import check_groups, compare_evaluations, joined

    options, metrics = chosen(arguments)
    shown, counted = select(metrics, options)
    systems = names_of(arguments.responses, arguments.names)
    if arguments.runs is not None:
        check_groups(systems, arguments.runs, resampling.method)
    jobs = jobs_of(arguments.jobs)
    corpora = corpora_of(arguments, arguments.responses, options)
    scored = evaluate(arguments, corpora, counted, options, shown)
    problems = [to_tell(evaluation.problems, evaluation.scored) for evaluation in scored]
    if strict_refuses(arguments, distinct(problem for found in problems for problem in found)):
        return None
    evaluations = dict(zip(systems, scored))
    for system, evaluation in evaluations.items():
        note_same_bytes(arguments, system, evaluation.inputs)
    if arguments.runs is not None:
        evaluations = joined(evaluations, arguments.runs)
    return compare_evaluations(evaluations, resampling, jobs=jobs)


def _corpora(arguments: Namespace, resampling: Resampling) -> Comparison | None:
    """Compare systems over several corpora; None where --strict refuses."""
    from scorer.run.submissions import compared, score_corpora

    rows = rows_of_corpora(arguments, resampling)
    jobs = jobs_of(arguments.jobs)
    with connected(arguments) as cluster:
        scored = score_corpora(
            rows, cluster=cluster, jobs=jobs, watch=watch_of(arguments, "responses")
        )
    evaluations = [system.evaluation for system in scored.participants if system.evaluation]
    problems = [problem for evaluation in evaluations for problem in evaluation.problems]
    if strict_refuses(arguments, distinct([*scored.problems, *problems])):
        return None
    return compared(scored, resampling, arguments.runs, jobs=jobs)
