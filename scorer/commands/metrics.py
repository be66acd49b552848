"""List the metrics, with the paper of each."""

from __future__ import annotations

from scorer.commands import publish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "list the metrics"

EPILOG = "Other packages add metrics by an entry point of the group conll_scorer.metrics."


def add_arguments(parser: ArgumentParser) -> None:
    """There are none."""


def run(arguments: Namespace) -> int:  # noqa: ARG001  every command takes its arguments
    """A row for each metric, in the order in which reports show them."""
    from tabulate import tabulate

    from scorer import metrics, pairs
    from scorer.averages import AVERAGES
    from scorer.selection import ALL

    names = [*ALL, *sorted({*metrics.names(), *pairs.names(), *AVERAGES} - {*ALL})]
    rows = []
    for name in names:
        if name in AVERAGES:
            average = AVERAGES[name]
            rows.append([name, average.title, f"mean F1 of {', '.join(average.of)}", average.paper])
        else:
            metric = pairs.get(name) if name in pairs.names() else metrics.get(name)
            rows.append([name, metric.title, metric.unit, metric.paper])
    publish(str(tabulate(rows, ["metric", "title", "counts", "paper"], disable_numparse=True)) + "\n", None)
    return 0
