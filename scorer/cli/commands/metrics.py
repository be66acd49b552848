"""List the metrics, with the paper of each; with --bibtex, print how to cite these papers."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from scorer import registry
from scorer.cli.bibliography import ENTRIES
from scorer.cli.console import print_error, write_output
from scorer.report.columns import Table, positional_columns

EPILOG = """\
Case does not matter. Other packages add metrics by an entry point, group conll_scorer.metrics.

examples:
  scorer metrics
  scorer metrics --bibtex --metrics muc,bcub,ceafe,conll
"""


def run(arguments: Namespace) -> int:
    """List all metrics or the chosen ones."""
    metrics = registry.resolve(arguments.metrics) if arguments.metrics else registry.names()
    if arguments.bibtex:
        print_entries(metrics)
    else:
        columns = positional_columns(["metric", "title", "counts", "paper", "also called"])
        rows = [_row(name) for name in metrics]
        write_output(Table(columns, rows).drawn("simple") + "\n", None)
    return 0


def _row(name: str) -> list[str]:
    """Return the row of a metric or an average."""
    aliases = ", ".join(alias for alias, meant in registry.ALIASES.items() if meant == name)
    if name in registry.AVERAGES:
        average = registry.AVERAGES[name]
        unit = f"mean F1 of {', '.join(average.of)}"
        return [name, average.title, unit, average.paper, aliases]
    metric = registry.get(name)
    return [name, metric.title, metric.unit, metric.paper, aliases]


def print_entries(metrics: Sequence[str]) -> None:
    """Print the BibTeX entries of the papers of metrics, also of those behind an average."""
    papers: dict[str, None] = {}
    for name in metrics:
        if name in registry.AVERAGES:
            papers[registry.AVERAGES[name].paper] = None
        for counted in registry.needed([name]):
            papers[registry.get(counted).paper] = None
    for paper in sorted(papers):
        if paper in ENTRIES:
            write_output(f"{ENTRIES[paper]}\n\n", None)
        else:
            print_error(f"note: there is no BibTeX entry of {paper}, the paper of another package")
