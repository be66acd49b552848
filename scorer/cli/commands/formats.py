"""List the file formats that can be read, and which of them can be written."""

from __future__ import annotations

from conll import formats
from scorer.cli.console import write_output
from scorer.report.columns import Table, positional_columns

EPILOG = "Other packages add formats by an entry point of the group conll_scorer.formats."


def run(_: object) -> int:
    """Show a row for each format."""
    rows = []
    for name in formats.names():
        readable = formats.get(name)
        can = "read, write" if readable.write or readable.write_folder else "read"
        rows.append([readable.name, can, readable.title])
    table = Table(positional_columns(["format", "can", "what it is"]), rows)
    write_output(table.drawn("simple") + "\n", None)
    return 0
