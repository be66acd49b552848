"""Score the spans of a response, strictly and leniently, whatever clusters they are in.

KEY and RESPONSE are as for `scorer score`. Spans of the two are paired one to one, best first: same
ends and label, then an overlap with the same label, then same ends, then an overlap; the longest
overlaps first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.io import open_documents
from scorer.cli.arguments import add_output, add_running, form_of, positive, share
from scorer.cli.console import (
    check_output_path,
    print_error,
    progress,
    strict_refuses,
    write_output,
    write_report,
)
from scorer.evaluation.signature import AVERAGES, Layout
from scorer.options import TABLE
from scorer.run.score import WholeCorpus
from scorer.run.spans import spans_of_corpus
from scorer.show.spans import names, render, report_of
from scorer.spans.scores import OF, SETS, SpanSettings

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "score spans: mentions, or names with their labels"

COMMON = "of by against format output per-document average group-by strict quiet"
"""The options that --help shows."""

EPILOG = """\
measures:
  strict     pairs with the same ends and label are correct; those with the same ends and another
             label are incorrect
  lenient    pairs that overlap count likewise
  mean       the mean of the two
  SemEval    the four schemes of SemEval-2013, of the same pairs: strict (ends and label), exact
             (ends), type (label), partial (ends; an overlap is half right)

reading the table: missing and spurious hold what is incorrect too, true missing and true spurious
do not. error rate: incorrect / response. accuracy: key spans with exactly one overlapping response
span, and that one correct / key. Of two sides without any span, recall and precision are 100, of
one without 0.

--by COLUMN: label, a column (pos, speaker, ...; a span has that of its head, or else of its last
token) or an attribute of mentions (etype, ...). Each value is scored by itself, of the spans that
have it on either side.

examples:
  scorer spans key.conll response.conll
  scorer spans key.conll response.conll --of names --by label --average both
  scorer spans key.conll response.conll --by pos --group-by '^\\(?(\\w+)/'
  scorer spans key.conll old.conll --against new.conll --format json
  scorer spans key.jsonl response.jsonl --thresholds all --format svg --output curve.svg

exit status: 0 scored, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer spans`."""
    parser.add_argument("key", metavar="KEY", help="the reference annotation")
    parser.add_argument("response", metavar="RESPONSE", help="the annotation to score")
    what = parser.add_argument_group("scoring")
    what.add_argument(
        "--of", choices=OF, default="mentions", help="which spans (default: %(default)s)"
    )
    what.add_argument("--documents", metavar="PATTERN", help=TABLE["documents"].help)
    what.add_argument(
        "--beta",
        type=positive,
        metavar="NUMBER",
        default=1.0,
        help="of F: above 1 recall weighs more (default: 1)",
    )
    what.add_argument("--within-label", action="store_true", help="no pairs of different labels")
    what.add_argument(
        "--min-overlap",
        type=share,
        metavar="SHARE",
        default=0.0,
        help=(
            "the SemEval schemes pair spans that share this much of the key's, from 0 to 1 "
            "(default: a token)"
        ),
    )
    what.add_argument(
        "--by",
        metavar="COLUMN",
        help="by the values of a label, column or attribute, too; see below",
    )
    what.add_argument(
        "--against",
        metavar="OTHER",
        help="another response: what changes from RESPONSE to it, with p-values",
    )
    what.add_argument(
        "--thresholds",
        choices=SETS,
        help="score the spans above each threshold: in steps, or at every score",
    )
    what.add_argument(
        "--score-column",
        metavar="FIELD",
        default="confidence",
        help=(
            "the attribute of mentions, or the column (of a span's first token), with the "
            "scores (default: %(default)s)"
        ),
    )
    show = parser.add_argument_group("output")
    add_output(show, names())
    show.add_argument("--per-document", action="store_true", help="also show each document")
    show.add_argument(
        "--average",
        choices=AVERAGES,
        default="micro",
        help="totals, means, or both (default: %(default)s)",
    )
    show.add_argument(
        "--group-by",
        metavar="REGEX",
        help="group documents by what this regular expression captures in their names",
    )
    show.add_argument(
        "--rounding",
        choices=TABLE["rounding"].choices,
        default="round",
        help="two decimals (default: %(default)s)",
    )
    add_running(parser, jobs=None)


def run(arguments: Namespace) -> int:
    """Count, warn and report."""
    form = form_of(arguments, names())
    settings = SpanSettings(
        arguments.of,
        arguments.beta,
        arguments.within_label,
        arguments.min_overlap,
        arguments.by,
        arguments.thresholds,
        arguments.score_column,
        arguments.documents,
    )
    layout = Layout(
        per_document=arguments.per_document, average=arguments.average, by=arguments.group_by
    )
    if form == "svg" and arguments.thresholds is None:
        raise ValueError("svg shows the curve over thresholds; say which: --thresholds all")
    paths = [
        arguments.key,
        arguments.response,
        *([] if arguments.against is None else [arguments.against]),
    ]
    if paths.count("-") > 1:
        raise ValueError("only one of KEY, RESPONSE and --against can be standard input")
    check_output_path(arguments.output, paths)
    key = open_documents(arguments.key, arguments.key_format)
    corpora = [
        WholeCorpus(key, open_documents(path, arguments.response_format, empty=True))
        for path in paths[1:]
    ]
    scores = spans_of_corpus(
        *corpora, settings=settings, watch=None if arguments.quiet else progress
    )
    if strict_refuses(arguments, scores.problems):
        return 1
    # Whoever gives the same path twice knows that.
    if (
        not arguments.quiet
        and arguments.key != arguments.response
        and scores.inputs[0].sha256 == scores.inputs[1].sha256
    ):
        print_error(f"note: {arguments.response} holds the same bytes as the key")
    if form == "svg":
        write_output(render(scores, form, layout, arguments.rounding), arguments.output)
    else:
        write_report(report_of(scores, form, layout, arguments.rounding), arguments)
    return 0
