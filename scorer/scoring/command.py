"""Score a response against a key.

Each is a file (any format that `scorer formats` lists; .gz, .bz2 and .xz are unpacked), a
directory, which stands for all its files, the URL of one of these, or - for standard input.
Documents are matched by their names, as --document-names says; the key decides which ones are
scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer import registry
from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.cli.parser import explained
from scorer.evaluation.report import report_of
from scorer.jobs.pairs import score_pairs
from scorer.metrics import METRICS
from scorer.perl import ALL
from scorer.registry import make_scheme
from scorer.report.figures import figure
from scorer.report.forms import names

if TYPE_CHECKING:
    from argparse import Namespace

HELP = "score a response against a key"
FORMATS = names("perl")

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

conll is the mean F1 of muc, bcub and ceafe; it has no recall and no precision.

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


def run(arguments: Namespace) -> int:
    """Score, warn and report."""
    scheme = console.scheme_of(arguments)
    form = console.prepared(arguments, FORMATS, [arguments.key, arguments.response])
    perl, html = form == "perl", form == "html"
    if perl:
        if scheme.names == list(registry.ALL):
            scheme = make_scheme(ALL, scheme.options)
        scheme = scheme.counting(METRICS["mentions"])
    absent = next((name for name, _ in arguments.fail_under if name not in scheme.names), None)
    if absent is not None:
        raise ValueError(f"--fail-under: {absent} is not scored; add it to --metrics")
    layout = console.layout_of(arguments)
    corpora = console.corpora_of(arguments, [arguments.response], scheme.options)
    [layout.corpus] = corpora
    keep = perl or html or layout.needs_documents
    [evaluation] = score_pairs(
        corpora, scheme, ConsoleEvents(arguments), keep=keep, scheduler=arguments.scheduler
    )
    console.note_same_bytes(arguments, arguments.response, evaluation.inputs)
    if html:
        from scorer.comparison.comparison import intervals_of

        layout.intervals = intervals_of(evaluation)
    console.write_report(report_of(evaluation, form, layout), arguments)
    console.note_preset(arguments, [evaluation])
    status = 0
    for name, least in arguments.fail_under:
        f1 = evaluation.ratios(name).f1
        if 100 * f1 < least:
            shown_f1 = figure(f1, scheme.options.rounding)
            console.print_error(
                f"scorer score: {name} F1 is {shown_f1}, below {least:g} (--fail-under)"
            )
            status = 1
    return status
