"""List the file formats that can be read, and which of them can be written."""

from conll import formats
from scorer.cli.console import write_output
from scorer.report.columns import Column, Table

EPILOG = "Other packages add formats by an entry point of the group conll_scorer.formats."


def _can(file_format: formats.Format) -> str:
    return "read, write" if file_format.write or file_format.write_folder else "read"


COLUMNS = (
    Column("name", heading="format"),
    Column(value=_can, heading="can"),
    Column("title", heading="what it is"),
)


def run(_: object) -> None:
    """Show a row for each format."""
    table = Table(COLUMNS, list(map(formats.get, formats.names())))
    write_output(table.drawn("simple") + "\n", None)
