"""The reports of the Message Understanding Conferences: coreference (chains and links) and slots.

KEY and RESPONSE are as for `scorer score`. Slots are mentions, and the text and the type of named
entities, or of mentions with an entity type where a file lists no names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.io import open_documents
from scorer.cli.arguments import add_output, add_running, form_of
from scorer.cli.console import (
    check_output_path,
    progress,
    strict_refuses,
    write_output,
    write_report,
)
from scorer.evaluation.signature import Layout
from scorer.options import TABLE
from scorer.run.score import WholeCorpus
from scorer.run.spans import muc7_of_corpus
from scorer.show.muc7 import names, render, report_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "the coreference report and the slot report of MUC-7"

COMMON = "partial section format output per-document group-by strict quiet"
"""The options that --help shows."""

EPILOG = """\
reading the reports:
  POS ACT              fills that are possible (of the key) and actual (of the response)
  COR PAR INC          correct, partial (--partial: an overlap), incorrect
  MIS SPU NON          missing, spurious; in the row of texts, documents that neither side annotates
  REC PRE              recall and precision: (COR + PAR/2) / POS, (COR + PAR/2) / ACT
  UND OVG SUB ERR      undergeneration, overgeneration, substitution, error per response fill
  P&R 2P&R P&2R        F with β = 1, ½ (precision weighs more) and 2
  ALL SLOTS            the sum over slots, without the rows of objects, one for each entity type
  chains               clusters of two mentions or more; the ratios count MUC's links

examples:
  scorer muc7 key.conll response.conll --format muc7
  scorer muc7 key.conll response.conll --partial --per-document
  scorer muc7 key.jsonl response.jsonl --section section --format json

exit status: 0 scored, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer muc7`."""
    parser.add_argument("key", metavar="KEY", help="the reference annotation")
    parser.add_argument("response", metavar="RESPONSE", help="the annotation to score")
    what = parser.add_argument_group("scoring")
    what.add_argument("--documents", metavar="PATTERN", help=TABLE["documents"].help)
    what.add_argument(
        "--partial",
        action="store_true",
        help="a fill that overlaps is half correct, and not incorrect",
    )
    what.add_argument(
        "--section",
        metavar="FIELD",
        help="the column or attribute with the section of a document, shown by itself",
    )
    show = parser.add_argument_group("output")
    add_output(show, names())
    show.add_argument("--per-document", action="store_true", help="also show each document")
    show.add_argument(
        "--group-by",
        metavar="REGEX",
        help="group documents by what this regular expression captures in their names",
    )
    add_running(parser, jobs=None)


def run(arguments: Namespace) -> int:
    """Count, warn and report."""
    form = form_of(arguments, names())
    layout = Layout(per_document=arguments.per_document, by=arguments.group_by)
    if arguments.key == arguments.response == "-":
        raise ValueError("KEY and RESPONSE cannot both be standard input")
    check_output_path(arguments.output, [arguments.key, arguments.response])
    key = open_documents(arguments.key, arguments.key_format)
    corpus = WholeCorpus(
        key, open_documents(arguments.response, arguments.response_format, empty=True)
    )
    scores = muc7_of_corpus(
        corpus,
        partial=arguments.partial,
        section=arguments.section,
        documents=arguments.documents,
        watch=None if arguments.quiet else progress,
    )
    if strict_refuses(arguments, scores.problems):
        return 1
    if form == "muc7":
        write_output(
            render(scores, form, layout, short=arguments.signature == "short"), arguments.output
        )
    else:
        write_report(report_of(scores, form, layout), arguments)
    return 0
