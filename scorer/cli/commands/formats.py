"""List the file formats that can be read, and which of them can be written."""

from __future__ import annotations

from argparse import Namespace

from scorer.cli.console import write_output

HELP = "list the file formats"

EPILOG = "Other packages add formats by an entry point of the group conll_scorer.formats."


def run(arguments: Namespace) -> int:  # noqa: ARG001  every command takes its arguments
    """Show a row for each format."""
    from conll import formats
    from scorer.report.table import Table, name_columns

    readable = map(formats.get, formats.names())
    rows = [
        [one.name, "read, write" if one.write or one.write_folder else "read", one.title]
        for one in readable
    ]
    write_output(
        Table(name_columns("format", "can", "what it is"), rows).drawn("simple") + "\n", None
    )
    return 0
