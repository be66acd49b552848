"""A page that is complete in itself: the result's own, or else its tables with the notes below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.pages import shell
from scorer.report.pages.grid import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.report.report import Report, Table

SUFFIXES = (".html", ".htm")

require = shell.require


def render(report: Report) -> str:
    """The page; nothing on it is fetched. ModuleNotFoundError without Jinja2."""
    if report.page is not None:
        return report.page()
    return shell.render("tables.html", title=report.title, tables=list(map(grid, report.tables())), sections=[], notes=report.notes)


def grid(table: Table, caption: str = "Figures", *, filled: bool = False) -> Grid:
    """A table of text for a page; its first columns hold names.

    `filled`: an empty name in the first column is that of the row above, which has to be said once rows can be sorted.
    """
    looks = ["name", *["left"] * (table.left - 1)] + [""] * (len(table.headings) - table.left)
    columns = [Column(heading, "text" if look else "number", look) for heading, look in zip(table.headings, looks)]
    rows: list[Sequence[str]] = []
    for first, *others in table.rows:
        rows.append([first or (rows[-1][0] if filled and rows else ""), *others])
    return Grid(caption, columns, rows)
