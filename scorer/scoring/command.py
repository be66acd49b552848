"""Score a response against a key.

Each is a file (any format that `scorer formats` lists; .gz, .bz2 and .xz are unpacked), a
directory, which is read as all its files, the URL of one of these, or - for standard input.
Documents are matched by their names, as --document-names says; the key decides which ones are
scored.
"""

from argparse import Namespace

from scorer import registry
from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.cli.parser import explained
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.report import Intervals, Layout, check_windows, shown_ratios
from scorer.jobs.corpora import open_corpora, score_corpora
from scorer.metrics import METRICS
from scorer.perl import PERL_METRICS
from scorer.registry import AVERAGES, make_scheme
from scorer.report.columns import figure
from scorer.report.forms import OUTPUT_FORMATS, names
from scorer.scheme import Scheme

FORMATS = names(*Evaluation.own_formats)

EPILOG = f"""\
{explained()}
presets:
  conll12    CoNLL-2012: exact mentions, singletons kept
  crac22     the figures of CorefUD's scorer 1.2, without singletons: partial
  crac23     the same, by head
  crac24     the same, by head, and empty nodes by their dependencies (crac25 and crac26 as well)

averages:
  micro      counts are summed over documents, then divided: what scorer.pl prints
  macro      mean over documents of their recall, precision and F1. What is 0/0 in a document counts
             as 0 there: a document without links lowers the macro-averaged MUC, even for a perfect
             response
  macro-defined  the same, but a document is left out of the mean of a recall or precision that is
             0/0 there, and of F1 if both are. A mean that has no document is empty, and so is
             conll if one of its metrics has none

conll is the mean F1 of muc, bcub and ceafe; it has no recall and no precision.

examples:
  scorer score key.conll response.conll
  scorer score key.conll response.conll --value conll
  scorer score key.conll response.conll --metrics muc,bcub,ceafe,conll
  scorer score key.conll response.conll --group-by '^\\(?(\\w+)/' --average both
  scorer score key.conll response.jsonl --per-document --output scores.csv
  scorer score key.conllu response.conllu --preset crac25
  zcat response.gz | scorer score key.conll - --strict
  scorer score s3://bucket/key.conll s3://bucket/response.conll --scheduler tcp://10.0.0.1:8786

exit status: 0 scored, 1 problems found (--strict) or F1 too low (--fail-under), 2 wrong usage or a
file that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score, warn and report."""
    scheme = console.scheme_from_arguments(arguments)
    output = console.output_of(arguments, FORMATS, [arguments.key, arguments.response])
    per_document, average = arguments.per_document, arguments.average
    if scheme.windows:
        check_windows(average, output.format)
    layout = Layout(per_document=per_document, average=average, group_by=arguments.group_by)
    _check_metrics(arguments, scheme, layout)
    output_format = OUTPUT_FORMATS[output.format]
    if output_format.is_reference:
        # The metrics of scorer.pl if all are shown; its report counts mentions.
        if scheme.names == list(registry.ALL_METRICS):
            scheme = make_scheme(PERL_METRICS, scheme.options)
        scheme = scheme.counting(METRICS["mentions"])
    corpora = open_corpora(
        arguments.key,
        [arguments.response],
        scheme.options,
        key_format=arguments.key_format,
        response_format=arguments.response_format,
    )
    keep = output_format.needs_documents or layout.needs_documents
    events = ConsoleEvents(output)
    [evaluation] = score_corpora(corpora, scheme, events, keep=keep, scheduler=arguments.scheduler)
    console.note_same_bytes(output, arguments.key, arguments.response, evaluation.inputs)
    if arguments.value is not None:
        number = _value(evaluation, *arguments.value, average=average)
        console.write_output(f"{number}\n", None)
    else:
        intervals: Intervals | None = None
        notes: list[str] = []
        if output_format.has_intervals and layout.shows_totals:
            intervals, notes = find_intervals(evaluation)
        layout = Layout(
            per_document=per_document,
            average=average,
            group_by=arguments.group_by,
            corpus=corpora[0],
            intervals=intervals,
            notes=notes,
            ratios=arguments.ratios,
        )
        console.write_report(evaluation.report(output.format, layout), output)
    console.note_preset(output, [evaluation])
    limits = arguments.fail_under
    f1s = {metric: shown_ratios(evaluation, metric, average).f1 for metric, _ in limits}
    return console.check_limits(output, f1s, limits, scheme.options.rounding, average)


def _check_metrics(arguments: Namespace, scheme: Scheme, layout: Layout) -> None:
    """Raise ValueError for figures that are asked for and are not one, or not scored."""
    if arguments.value is not None:
        if scheme.windows:
            problem = "--value prints one number, and --windows several"
            raise ValueError(f"{problem}; leave out one of them")
        metric, _ = arguments.value
        console.check_scored(scheme, metric, "--value")
        _check_number_alone(arguments, layout)
    for metric, _ in arguments.fail_under:
        console.check_scored(scheme, metric, "--fail-under")


def find_intervals(evaluation: Evaluation) -> tuple[Intervals | None, list[str]]:
    """Return the intervals of the totals; where a package is missing, none and a note."""
    if len(evaluation.documents) < 2:
        return None, []
    from scorer.statistics.resampling import missing_package

    package = missing_package()
    if package is not None:
        return None, [f"there are no intervals, as {package} is not installed"]
    from scorer.systems.comparison import intervals_of

    return intervals_of(evaluation), []


def _check_number_alone(arguments: Namespace, layout: Layout) -> None:
    """Raise ValueError for options of a report next to --value."""
    are_given = {
        "--format": arguments.format is not None,
        "--output": arguments.output is not None,
        "--title": arguments.title is not None,
        "--signature": arguments.signature == "full",
        "--per-document": layout.per_document,
        "--group-by": layout.group_by is not None,
    }
    given = [option for option, is_given in are_given.items() if is_given]
    if given:
        advice = f"leave out {' and '.join(given)}"
        raise ValueError(f"--value prints one number to standard output; {advice}")
    if len(layout.averages) > 1:
        advice = "choose --average micro, macro or macro-defined"
        raise ValueError(f"--value prints one number; {advice}")


def _value(evaluation: Evaluation, metric: str, ratio: str, *, average: str) -> str:
    """Return one ratio in percent.

    Raises:
        ValueError: The metric has no such ratio.
    """
    value = getattr(shown_ratios(evaluation, metric, average), ratio)
    if value is None and metric in AVERAGES and ratio != "f1":
        raise ValueError(f"--value: {metric} has no {ratio}; write {metric} for its F1")
    if value is None:
        undefined = "a metric of it" if metric in AVERAGES else "it"
        problem = f"{metric} has no {ratio}, as {undefined} is 0/0 in every document"
        raise ValueError(f"--value: {problem}; choose --average micro or macro")
    return figure(value, evaluation.options.rounding)
