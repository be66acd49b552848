"""Find the errors of a response: their kinds, what each costs, and where they lie.

The response is turned into the key step by step, which shows the kinds of errors: spans, missing
and extra mentions and entities, divided and conflated entities. What a metric gains if one kind is
repaired is its cost.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from conll.errors import did_you_mean, distinct
from conll.io import open_documents
from conll.source import Source
from scorer.analysis.errors import ErrorOptions, Errors
from scorer.cli.arguments import (
    add_bootstrap,
    add_counting,
    add_output,
    add_running,
    chosen,
    form_of,
    listed,
    resampling_of,
)
from scorer.cli.console import (
    check_output_path,
    progress,
    strict_refuses,
    write_output,
    write_report,
)
from scorer.registry import select
from scorer.report.forms import names
from scorer.run.score import WholeCorpus

HELP = "the errors of a response: kinds, costs, where they lie"

COMMON = "metrics singletons show against by group-by chart format output strict quiet"
"""The options that --help shows."""

EPILOG = """\
kinds of errors (Kummerfeld and Klein 2013):
  span error          a response mention corresponds to a key mention but has other boundaries
  missing mention     an entity lacks a mention                        missing entity     it is
                      missing altogether
  divided entity      a part of an entity is in another cluster
  extra mention       a cluster has a mention that the key lacks       extra entity       all its
                      mentions are spurious
  conflated entities  a part of a cluster is of another entity
  missing singleton, extra singleton: clusters of one mention that only one side has; with --singletons drop there are none

what to show (--show):
  kinds     counts of errors, and costs                  links     wrong links by types of their
            ends
  bounds    the best possible score with the response's mentions, or with its clustering
  strata    how well mentions are found and linked, by type, part of speech, length, distance and
            the like
  entities  the most frequent entities and the worst; those with a name (NEC)
  errors    each error with its place and its words

examples:
  scorer errors key.conll response.conll
  scorer errors key.conll response.conll --show errors --format tsv --output errors.tsv
  scorer errors key.conll response.conll --show strata --by speaker --group-by '^\\(?(\\w+)/'
  scorer errors key.conll new.conll --against old.conll
  scorer errors key.conll response.conll --metrics conll,lea --singletons drop --chart costs.svg

exit status: 0 done, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer errors`."""
    from scorer.analysis.errors import ErrorOptions
    from scorer.analysis.pair import ANTECEDENTS, PRECISION
    from scorer.show.errors import DEFAULT, SECTIONS

    default = ErrorOptions()
    parser.add_argument("key", metavar="KEY", help="the reference annotation")
    parser.add_argument(
        "response", metavar="RESPONSE", help="the annotation whose errors are sought"
    )
    add_counting(parser)
    show = parser.add_argument_group("output")
    show.add_argument(
        "--show",
        metavar="SECTIONS",
        type=listed,
        action="extend",
        help=f"some of {', '.join(SECTIONS)}, or all (default: {','.join(DEFAULT)})",
    )
    show.add_argument(
        "--against",
        metavar="OTHER",
        help="another response: what each of the two gets right and the other does not",
    )
    show.add_argument(
        "--chart",
        metavar="FILE",
        help="write a bar chart of the costs as SVG, in the last metric shown",
    )
    add_output(show, names(framed=True))
    look = parser.add_argument_group("analysis")
    look.add_argument(
        "--antecedents",
        choices=ANTECEDENTS,
        default=default.antecedents,
        help=(
            "of the first mention of a part: the closest, or a name before a nominal before "
            "any (default: %(default)s)"
        ),
    )
    look.add_argument(
        "--links",
        choices=PRECISION,
        default=default.links,
        help=(
            "of the response: its own, those of trees, or its own where its file tells any "
            "(default: %(default)s)"
        ),
    )
    look.add_argument(
        "--by",
        metavar="COLUMN",
        type=listed,
        action="extend",
        default=[],
        help="columns or attributes of mentions as strata, with commas between",
    )
    look.add_argument(
        "--group-by",
        metavar="REGEX",
        help="what this captures in the names of documents, as a stratum",
    )
    add_bootstrap(parser.add_argument_group("intervals of strata"))
    parser.set_defaults(method="bootstrap")
    add_running(parser, jobs=None)


def run(arguments: Namespace) -> int:
    """Find the errors, warn and report."""
    from scorer.analysis.errors import ErrorOptions

    form = form_of(arguments, names(framed=True))
    paths = [
        path for path in (arguments.key, arguments.response, arguments.against) if path is not None
    ]
    if paths.count("-") > 1:
        raise ValueError("only one of KEY, RESPONSE and OTHER can be standard input")
    error_options = ErrorOptions(
        arguments.antecedents,
        arguments.links,
        tuple(arguments.by),
        arguments.group_by,
        resampling_of(arguments),
    )
    sections = _sections(arguments)
    if (
        arguments.chart is not None
        and not arguments.chart.lower().endswith(".svg")
        and arguments.chart != "-"
    ):
        raise ValueError(
            f"{arguments.chart}: the chart is written as SVG; give the file a name that "
            "ends in .svg"
        )
    for output in (arguments.output, arguments.chart):
        check_output_path(output, paths)
    key = open_documents(arguments.key, arguments.key_format)
    found = [_errors(arguments, key, path, error_options) for path in paths[1:]]
    return _report(arguments, form, sections, found)


def _report(arguments: Namespace, form: str, sections: tuple[str, ...], found: list[Errors]) -> int:
    from scorer.show.errors import report_of

    if strict_refuses(
        arguments, distinct(problem for errors in found for problem in errors.problems)
    ):
        return 1
    against = found[0].against(found[1]) if len(found) > 1 else None
    if arguments.chart is not None:
        write_output(found[0].chart(found[0].names[-1]), arguments.chart)
    if form == "html":
        from scorer.show.viewer import errors_page

        asked = sections if arguments.show else ()
        page = errors_page(found[0], against, sections=asked, title=arguments.title)
        write_output(page, arguments.output)
    else:
        write_report(report_of(found[0], form, sections, against), arguments)
    return 0


def _sections(arguments: Namespace) -> tuple[str, ...]:
    from scorer.show.errors import DEFAULT, SECTIONS

    asked = dict.fromkeys(arguments.show or DEFAULT)
    for section in asked:
        if section not in (*SECTIONS, "all"):
            known = [*SECTIONS, "all"]
            raise ValueError(
                f"--show: {section!r} is not one of {', '.join(known)}{did_you_mean(section, known)}"
            )
    return tuple(SECTIONS) if "all" in asked else tuple(asked)


def _errors(arguments: Namespace, key: Source, path: str, error_options: ErrorOptions) -> Errors:
    from scorer.run.errors import errors_in

    options, metrics = chosen(arguments)
    response = open_documents(path, arguments.response_format, empty=True)
    corpus = WholeCorpus(key, response, options)
    shown, counted = select(metrics, options)
    return errors_in(
        corpus, counted, options, shown, error_options, watch=None if arguments.quiet else progress
    )
