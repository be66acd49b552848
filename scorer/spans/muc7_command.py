"""The reports of the Message Understanding Conferences: coreference (chains and links) and slots.

KEY and RESPONSE are as for `scorer score`. Slots are mentions, and the text and the type of named
entities, or of mentions with an entity type where a file lists no names.
"""

from argparse import Namespace

from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.report.forms import names
from scorer.spans.muc7_scores import Muc7Layout, Muc7Scores, Muc7Settings, score_muc7_corpora
from scorer.spans.scores import open_sides

FORMATS = names(*Muc7Scores.own_formats)

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
  scorer muc7 key.jsonl response.jsonl --section-field section --format json

exit status: 0 scored, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def run(arguments: Namespace) -> None:
    """Count, warn and report."""
    inputs = [arguments.key, arguments.response, arguments.against]
    output = console.output_of(arguments, FORMATS, inputs)
    settings = Muc7Settings(
        partial=arguments.partial, section=arguments.section_field, documents=arguments.documents
    )
    layout = Muc7Layout(per_document=arguments.per_document, group_by=arguments.group_by)
    corpora = open_sides(
        arguments.key,
        arguments.response,
        arguments.against,
        arguments.document_names or "auto",
        key_format=arguments.key_format,
        response_format=arguments.response_format,
    )
    scores = score_muc7_corpora(corpora, settings, ConsoleEvents(output))
    console.write_report(scores.report(output.format, layout), output)
