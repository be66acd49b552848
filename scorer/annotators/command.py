"""Measure how far annotators agree: F1 of each pair, and Krippendorff's alpha of all.

Each ANNOTATION is what one annotator made: a file, a directory (all its files), an archive or a
URL. Documents are matched by their names, as --document-names says. Each pair of annotators is
compared on the documents that both have.
"""

from argparse import Namespace

from scorer.annotators.agreement import compare_annotators
from scorer.annotators.annotations import AgreementLayout, AgreementSettings
from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.inputs.sources import names_of
from scorer.report.forms import names

FORMATS = names()

EPILOG = """\
reading the report:
  mentions … conll     F1 of each pair, whichever of the two is the key
  alpha                1 if annotators agree; of random clusters it is not quite 0
  marked               mentions that at least one annotator marked
  distance             mean distance of what annotators say of a mention, from 0 to 1

examples:
  scorer agreement ada.conll bob.conll
  scorer agreement ada/ bob/ eve/ --per-document
  scorer agreement ada.tsv bob.tsv --distance passonneau --format json

exit status: 0 compared, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def run(arguments: Namespace) -> None:
    """Compare, warn and report."""
    output = console.output_of(arguments, FORMATS, arguments.annotations)
    settings = AgreementSettings(
        of=arguments.of,
        distance=arguments.distance,
        documents=arguments.documents,
        document_names=arguments.document_names or "auto",
    )
    annotators = names_of(arguments.annotations, arguments.names, noun="annotator")
    agreement = compare_annotators(
        dict(zip(annotators, arguments.annotations)),
        settings,
        ConsoleEvents(output),
        arguments.key_format,
    )
    layout = AgreementLayout(per_document=arguments.per_document)
    console.write_report(agreement.report(output.format, layout), output)
