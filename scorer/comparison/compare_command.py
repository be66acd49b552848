"""Compare responses to one key: confidence intervals, and whether systems differ.

Each response is scored as `scorer score` does it. Then documents are resampled: in each trial
counts are summed over documents and divided after that, so that every figure is a micro-average,
unless --average says otherwise. A document that a response lacks counts as empty.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from conll.system import jobs_of
from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.evaluation.averages import runs_of
from scorer.inputs.sources import names_of
from scorer.report.forms import names

if TYPE_CHECKING:
    from scorer.comparison.compare import Responses
    from scorer.comparison.submissions import ManifestCorpora

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


def run(arguments: Namespace) -> None:
    """Score, warn, compare and report."""
    # Loaded only here, as --help needs no numpy.
    from scorer.comparison.compare import compare_systems
    from scorer.systems.comparison import ComparisonLayout

    inputs = [arguments.key, *(arguments.responses or ())]
    output = console.output_of(arguments, FORMATS, inputs)
    resampling = console.resampling_of(arguments, average=arguments.average)
    jobs = jobs_of(arguments.jobs)
    entries = _entries_of(arguments, jobs)
    events = ConsoleEvents(output)
    comparison = compare_systems(entries, resampling, events, runs=arguments.runs, jobs=jobs)
    if arguments.corpora is None:
        for system, evaluation in comparison.evaluations.items():
            for name, part in runs_of(evaluation).items():
                console.note_same_bytes(output, arguments.key, name or system, part.inputs)
    layout = ComparisonLayout(group_by=arguments.group_by, ratios=arguments.ratios)
    console.write_report(comparison.report(output.format, layout), output)
    if arguments.corpora is None:
        console.note_preset(output, comparison.evaluations.values())


def _entries_of(arguments: Namespace, jobs: int) -> Responses | ManifestCorpora:
    """Return what is to be compared: responses to a key, or the rows of a manifest."""
    from scorer.comparison.compare import Responses

    if arguments.corpora is not None:
        from scorer.comparison.submissions import ManifestCorpora, Processing

        processing = Processing(jobs=jobs, scheduler=arguments.scheduler, command="compare")
        return ManifestCorpora(console.rows_of_corpora(arguments), processing)
    return Responses(
        key=arguments.key,
        systems=dict(zip(names_of(arguments.responses, arguments.names), arguments.responses)),
        scheme=console.scheme_from_arguments(arguments),
        key_format=arguments.key_format,
        response_format=arguments.response_format,
        scheduler=arguments.scheduler,
    )
