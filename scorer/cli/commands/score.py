"""Score a response against a key.

Each is a file (any format that `scorer formats` lists; .gz, .bz2 and .xz are unpacked), a
directory, which stands for all its files, the URL of one of these, or - for standard input.
Documents are matched by their names; the key decides which ones are scored.
"""

from __future__ import annotations

from conll.check import to_tell
from scorer.cli.arguments import (
    add_counting,
    add_output,
    add_running,
    chosen,
    connected,
    explained,
    floor,
    form_of,
)
from scorer.cli.console import (
    check_output_path,
    print_error,
    progress,
    strict_refuses,
    write_output,
    write_report,
)
from scorer.evaluation.signature import AVERAGES, Layout
from scorer.registry import select
from scorer.report.figures import figure
from scorer.run.score import WholeCorpus, score_corpus, source_of
from scorer.show.evaluation import names as forms
from scorer.show.evaluation import render, report_of
from scorer.show.perl import ALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "score a response against a key"

COMMON = (
    "preset metrics match singletons format output per-document average group-by fail-under quiet"
)
"""The options that --help shows."""

EPILOG = f"""\
{explained()}
presets:
  conll12    CoNLL-2012: exact mentions, singletons kept
  crac22     the figures of CorefUD's scorer 1.2, without singletons: partial
  crac23     the same, by head
  crac24     the same, by head, and empty nodes by their dependencies (crac25 as well)

averages:
  micro      counts are summed over documents, then divided: what scorer.pl prints
  macro      mean over documents of their recall, precision and F1. What is 0/0 in a document counts
             as 0 there: a document without links lowers the macro-averaged MUC, even for a perfect
             response

reading the table: percent are rounded to two decimals; --rounding truncate cuts them off as
scorer.pl does. conll is the mean F1 of muc, bcub and ceafe; it has no recall and no precision.

examples:
  scorer score key.conll response.conll
  scorer score key.conll response.conll --metrics muc,bcub,ceafe,conll
  scorer score key.conll response.conll --group-by '^\\(?(\\w+)/' --average both
  scorer score key.conll response.jsonl --per-document --output scores.csv
  scorer score key.conllu response.conllu --preset crac25
  zcat response.gz | scorer score key.conll - --strict
  scorer score s3://bucket/key.conll s3://bucket/response.conll --scheduler tcp://10.0.0.1:8786

exit status: 0 scored, 1 problems found (--strict) or F1 too low (--fail-under), 2 wrong usage or a
file that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer score`."""
    parser.add_argument("key", metavar="KEY", help="the reference annotation")
    parser.add_argument("response", metavar="RESPONSE", help="the annotation to score")
    add_counting(parser)
    show = parser.add_argument_group("output")
    add_output(show, forms())
    show.add_argument("--per-document", action="store_true", help="also show each document")
    show.add_argument(
        "--average",
        choices=AVERAGES,
        default="micro",
        help="of totals, of documents, or both (default: %(default)s)",
    )
    show.add_argument(
        "--group-by",
        metavar="REGEX",
        help="group documents by what this regular expression captures in their names",
    )
    show.add_argument(
        "--fail-under",
        metavar="METRIC=PERCENT",
        type=floor,
        action="append",
        default=[],
        help="exit status 1 if the F1 of a metric is lower, such as conll=70",
    )
    add_running(parser, cluster=True)


def run(arguments: Namespace) -> int:
    """Score, warn and report."""
    options, metrics = chosen(arguments)
    form = form_of(arguments, forms())
    perl, page = form == "perl", form == "html"
    names, _ = select(ALL if perl and metrics in ("all", ["all"]) else metrics, options)
    _, counted = select(["mentions", *names] if perl else names, options)
    absent = next((name for name, _ in arguments.fail_under if name not in names), None)
    if absent is not None:
        raise ValueError(f"--fail-under: {absent} is not scored; add it to --metrics")
    layout = Layout(
        per_document=arguments.per_document, average=arguments.average, by=arguments.group_by
    )
    if arguments.key == arguments.response == "-":
        raise ValueError("KEY and RESPONSE cannot both be standard input")
    check_output_path(arguments.output, [arguments.key, arguments.response])
    corpus = WholeCorpus(
        source_of(arguments.key, "key", arguments.key_format),
        source_of(arguments.response, "response", arguments.response_format),
        options,
    )
    layout.corpus = corpus
    watch = None if arguments.quiet else progress
    keep = perl or page or layout.needs_documents
    with connected(arguments) as cluster:
        if cluster is None:
            evaluation = score_corpus(corpus, counted, options, names, keep=keep, watch=watch)
        else:
            from scorer.run.distributed import evaluate_on

            evaluation = evaluate_on(
                cluster, corpus, counted, options, names, keep=keep, watch=watch
            )
    if strict_refuses(arguments, to_tell(evaluation.problems, evaluation.scored)):
        return 1
    # Whoever gives the same path twice knows that.
    if (
        not arguments.quiet
        and arguments.key != arguments.response
        and len({one.sha256 for one in evaluation.inputs}) == 1
    ):
        print_error(f"note: {arguments.response} holds the same bytes as the key")
    if page:
        from scorer.comparison.comparison import intervals_of

        layout.intervals = intervals_of(evaluation)
    if perl:
        write_output(render(evaluation, form, layout), arguments.output)
    else:
        write_report(report_of(evaluation, form, layout), arguments)
    failed = [
        f"{name} F1 is {figure(f1, options.rounding)}, below {least:g}"
        for name, least in arguments.fail_under
        if 100 * (f1 := evaluation.ratios(name).f1) < least
    ]
    for failure in failed:
        print_error(f"scorer score: {failure} (--fail-under)")
    return int(bool(failed))
