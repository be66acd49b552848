"""Score the spans of a response, strictly and leniently, whatever clusters they are in.

KEY and RESPONSE are as for `scorer score`. Spans of the two are paired one to one, best first: same
ends and label, then an overlap with the same label, then same ends, then an overlap; the longest
overlaps first.
"""

from argparse import Namespace

from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.report.forms import names
from scorer.spans.reading import SpanSettings
from scorer.spans.scores import (
    SpanLayout,
    SpanScores,
    fields_from,
    open_sides,
    score_span_corpora,
)

FORMATS = names(*SpanScores.own_formats)

EPILOG = """\
measures:
  strict     pairs with the same ends and label are correct; those with the same ends and another
             label are incorrect
  lenient    pairs that overlap count likewise
  mean       the mean of the two
  SemEval    the four schemes of SemEval-2013, of the same pairs: strict (ends and label), exact
             (ends), type (label), partial (ends; an overlap is half right)

missing and spurious hold what is incorrect too, true missing and true spurious do not. accuracy:
key spans with exactly one response span with the same ends (strict) or that overlaps (lenient), and
that one correct / key.

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


def run(arguments: Namespace) -> None:
    """Count, warn and report."""
    inputs = [arguments.key, arguments.response, arguments.against]
    output = console.output_of(arguments, FORMATS, inputs)
    settings = SpanSettings(
        kind=arguments.of,
        beta=arguments.beta,
        within_label=arguments.within_label,
        min_overlap=arguments.min_overlap,
        label_fields=fields_from(arguments.label),
        group_fields=fields_from(arguments.by),
        thresholds=arguments.thresholds,
        score=arguments.score_column,
        documents=arguments.documents,
        scheme=arguments.scheme,
        list_spans="spans" in arguments.show,
    )
    layout = SpanLayout(
        per_document=arguments.per_document,
        average=arguments.average,
        group_by=arguments.group_by,
        show=arguments.show or SpanLayout.show,
        interval=arguments.interval,
        confidence=arguments.confidence,
        rounding=arguments.rounding or SpanLayout.rounding,
    )
    layout.check_settings(settings, is_compared=arguments.against is not None)
    if output.format == "svg" and settings.thresholds is None:
        raise ValueError("svg draws a curve over thresholds; add --thresholds all")
    corpora = open_sides(
        arguments.key,
        arguments.response,
        arguments.against,
        arguments.document_names or "auto",
        key_format=arguments.key_format,
        response_format=arguments.response_format,
    )
    scores = score_span_corpora(corpora, settings, ConsoleEvents(output))
    console.note_same_bytes(output, arguments.key, arguments.response, scores.inputs[:2])
    console.write_report(scores.report(output.format, layout), output)
