"""Compare responses to one key: confidence intervals, and whether systems differ.

Each response is scored as `scorer score` does it. Then documents are resampled: in each trial
counts are summed over documents and divided after that, so that every figure is a micro-average,
unless --average says otherwise. A document that a response lacks counts as empty.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conll.check import to_tell
from conll.errors import distinct
from conll.io import open_documents
from conll.system import jobs_of
from scorer.cli.arguments import (
    add_average,
    add_counting,
    add_output,
    add_resampling,
    add_running,
    add_systems,
    check_systems,
    chosen,
    connected,
    form_of,
    resampling_of,
)
from scorer.cli.console import (
    check_output_path,
    print_error,
    progress,
    strict_refuses,
    write_report,
)
from scorer.registry import select
from scorer.report.forms import names as forms
from scorer.run.score import WholeCorpus, score_corpus

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scorer.comparison.comparison import Comparison
    from scorer.comparison.resampling import Resampling

HELP = "compare responses: confidence intervals and significance"

COMMON = "preset metrics runs names average group-by format output jobs quiet"
"""The options that --help shows."""

EPILOG = """\
methods (what p-values come from):
  randomisation  each document's counts are swapped between two systems with probability 1/2 (Noreen
                 1989); p = (trials whose difference reaches the observed one + 1) / (trials + 1).
                 All 2^documents swaps, and an exact p, when that is no more than the trials
  bootstrap      documents are drawn with replacement, the same for both systems; p = how often the
                 difference moves from the observed one by as much as that is from 0

Intervals come from the bootstrap in either case. With more than two systems, p (Holm) is corrected
over all pairs, metric by metric. A note below the tables says when documents are too few: fewer
than 10, or so few (in all, or with different counts for two systems) that no p-value can be as
small as 1 - CONFIDENCE. Another one says which systems lack documents.

reading the table: recall, precision, F1 and their intervals are percent, rounded to two decimals
(--rounding); differences are first less second; p is < 1 / TRIALS where no trial reached the
difference. csv, tsv, json and jsonl have recall's and precision's differences as well.

examples:
  scorer compare key.conll a.conll b.conll
  scorer compare key.conll a.conll b.conll c.conll --metrics conll,blanc --trials 100000
  scorer compare key.conll new/out.conll old/out.conll --names new/out.conll=ours --alternative greater --format json

exit status: 0 compared, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer compare`."""
    add_systems(parser, "the annotations to compare; of one, only intervals")
    add_counting(parser)
    add_resampling(parser, alternative=True)
    show = parser.add_argument_group("output")
    show.add_argument(
        "--names",
        metavar="FILE=NAME",
        action="append",
        default=[],
        help=("name of the system of this response; may be repeated (default: names of files)"),
    )
    add_average(show)
    show.add_argument(
        "--group-by",
        metavar="REGEX",
        help="also compare within groups of documents, as in scorer score",
    )
    show.add_argument(
        "--power",
        type=float,
        metavar="FRACTION",
        help="also show the smallest difference found with this probability, such as 0.8",
    )
    add_output(show, forms())
    add_running(parser, jobs="processes for resampling")


def run(arguments: Namespace) -> int:
    """Score, warn, compare and report."""
    from scorer.comparison.comparison import check_groups, compare_evaluations, joined
    from scorer.comparison.significance import check_power
    from scorer.options import compiled
    from scorer.run.names import names_of

    form = form_of(arguments, forms())
    check_systems(arguments)
    resampling = resampling_of(arguments, arguments.average)
    if arguments.group_by is not None:
        compiled(arguments.group_by)
    if arguments.power is not None:
        check_power(arguments.power, 1 - resampling.confidence)
    if arguments.corpora is not None:
        return _corpora(arguments, resampling, form)
    options, metrics = chosen(arguments)
    names, counted = select(metrics, options)
    if [arguments.key, *arguments.responses].count("-") > 1:
        raise ValueError("only one of KEY and RESPONSES can be standard input")
    systems = names_of(arguments.responses, arguments.names)
    if arguments.runs is not None:
        check_groups(systems, arguments.runs, resampling.method)
    check_output_path(arguments.output, [arguments.key, *arguments.responses])
    jobs = jobs_of(arguments.jobs)
    key = open_documents(arguments.key, arguments.key_format)
    watch = None if arguments.quiet else progress
    evaluations = {}
    with connected(arguments) as cluster:
        for system, path in zip(systems, arguments.responses):
            response = open_documents(path, arguments.response_format, empty=True)
            corpus = WholeCorpus(key, response, options)
            if cluster is None:
                evaluations[system] = score_corpus(corpus, counted, options, names, watch=watch)
            else:
                from scorer.run.distributed import evaluate_on

                evaluations[system] = evaluate_on(
                    cluster, corpus, counted, options, names, watch=watch
                )
    told = (to_tell(evaluation.problems, evaluation.scored) for evaluation in evaluations.values())
    if strict_refuses(arguments, distinct(problem for problems in told for problem in problems)):
        return 1
    for system, evaluation in evaluations.items():
        if not arguments.quiet and len({one.sha256 for one in evaluation.inputs}) == 1:
            print_error(f"note: {system} holds the same bytes as the key")
    if arguments.runs is not None:
        evaluations = joined(evaluations, arguments.runs)
    _publish(arguments, form, compare_evaluations(evaluations, resampling, jobs=jobs))
    return 0


def _corpora(arguments: Namespace, resampling: Resampling, form: str) -> int:
    """`run` over several corpora."""
    from scorer.run.manifest import OPTIONS, read_manifest
    from scorer.run.submissions import check_runs, compared, score_corpora

    rows = read_manifest(arguments.corpora, {name: getattr(arguments, name) for name in OPTIONS})
    check_runs(rows, arguments.runs, resampling)
    check_output_path(
        arguments.output,
        [arguments.corpora, *(path for row in rows for path in (row.key_path, row.response_path))],
    )
    jobs = jobs_of(arguments.jobs)
    watch = None if arguments.quiet else partial(progress, unit="responses")
    with connected(arguments) as cluster:
        scored = score_corpora(rows, cluster=cluster, jobs=jobs, watch=watch)
    evaluations = [one.evaluation for one in scored.participants if one.evaluation is not None]
    every = [
        *scored.problems,
        *(problem for evaluation in evaluations for problem in evaluation.problems),
    ]
    if strict_refuses(arguments, distinct(every)):
        return 1
    _publish(arguments, form, compared(scored, resampling, arguments.runs, jobs=jobs))
    return 0


def _publish(arguments: Namespace, form: str, comparison: Comparison) -> None:
    from scorer.show.comparison import report_of

    report = report_of(comparison, form, by=arguments.group_by, power=arguments.power)
    write_report(report, arguments)
