"""List the metrics, with the paper of each."""

from __future__ import annotations

from argparse import Namespace

from scorer.cli.console import write_output

HELP = "list the metrics"

EPILOG = (
    "Case does not matter. Other packages add metrics by an entry point, group "
    "conll_scorer.metrics."
)


def run(arguments: Namespace) -> int:  # noqa: ARG001  every command takes its arguments
    """Show a row for each metric, in the order in which reports show them."""
    from scorer import registry
    from scorer.report.table import Table, name_columns

    rows = []
    for name in registry.names():
        aliases = ", ".join(alias for alias, meant in registry.ALIASES.items() if meant == name)
        if name in registry.AVERAGES:
            average = registry.AVERAGES[name]
            rows.append(
                [name, average.title, f"mean F1 of {', '.join(average.of)}", average.paper, aliases]
            )
        else:
            metric = registry.get(name)
            rows.append([name, metric.title, metric.unit, metric.paper, aliases])
    write_output(
        Table(name_columns("metric", "title", "counts", "paper", "also called"), rows).drawn(
            "simple"
        )
        + "\n",
        None,
    )
    return 0
