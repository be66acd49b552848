"""Find the errors of a response: which kinds there are, what each costs, and where they are.

The response is turned into the key step by step, which shows the kinds of errors: spans, missing
and extra mentions and entities, divided and conflated entities. What a metric gains if one kind is
repaired is its cost.
"""

from argparse import Namespace

from scorer.analysis.errors import DEFAULT, Errors, ErrorsLayout
from scorer.analysis.find import ErrorOptions, find_errors
from scorer.analysis.page import errors_page
from scorer.cli import console
from scorer.cli.console import ConsoleEvents
from scorer.jobs.corpora import open_corpora
from scorer.report.forms import names

FORMATS = names(*Errors.own_formats)

EPILOG = """\
kinds of errors (Kummerfeld and Klein 2013):
  span error          a response mention corresponds to a key mention but has other boundaries
  missing mention     an entity misses a mention
  missing entity      the response has at most pronouns of an entity
  divided entity      a part of an entity is in another cluster
  extra mention       a cluster has a mention that the key does not have
  extra entity        the key has at most pronouns of a cluster
  conflated entities  a part of a cluster is of another entity
  missing singleton, extra singleton: clusters of one mention that only one side has; with
  --singletons drop there are none

what to show (--show):
  kinds     counts of errors, and costs
  links     wrong links by types of their ends
  bounds    the best possible score with the response's mentions, or with its clustering
  strata    how well mentions are found and linked, by type, class, part of speech, length, spread,
            distance, …
  entities  the most frequent entities and those that cost most, and nec
  nec       the mean F1 of entities that have a name
  errors    each error with its place and its words

examples:
  scorer errors key.conll response.conll
  scorer errors key.conll response.conll --show errors --format tsv --output errors.tsv
  scorer errors key.conll response.conll --show strata --by speaker --group-by '^\\(?(\\w+)/'
  scorer errors key.conll new.conll --against old.conll
  scorer errors key.conll response.conll --metrics conll,lea --singletons drop --chart costs.svg

exit status: 0 done, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def run(arguments: Namespace) -> None:
    """Find the errors, warn and report."""
    responses = [arguments.response]
    if arguments.against is not None:
        responses.append(arguments.against)
    paths = [arguments.key, *responses]
    output = console.output_of(arguments, FORMATS, paths)
    options = ErrorOptions(
        antecedents=arguments.antecedents,
        links=arguments.links,
        columns=tuple(arguments.by),
        group_by=arguments.group_by,
        resampling=console.resampling_of(arguments, method="bootstrap"),
    )
    chart = arguments.chart
    if chart is not None and chart != "-" and not chart.lower().endswith(".svg"):
        advice = "give the file a name that ends in .svg"
        raise ValueError(f"{chart}: the chart is written as SVG; {advice}")
    console.check_output_path(chart, paths)
    scheme = console.scheme_from_arguments(arguments)
    corpora = open_corpora(
        arguments.key,
        responses,
        scheme.options,
        key_format=arguments.key_format,
        response_format=arguments.response_format,
    )
    first, *others = find_errors(corpora, scheme, options, ConsoleEvents(output))
    against = first.against(others[0]) if others else None
    if chart is not None:
        console.write_output(first.chart(first.names[-1]), chart)
    sections = tuple(dict.fromkeys(arguments.show or ()))
    if output.format == "html":
        page = errors_page(first, against, sections=sections, title=output.title)
        console.write_output(page, output.path)
        return
    layout = ErrorsLayout(show=sections or DEFAULT, against=against)
    console.write_report(first.report(output.format, layout), output)
