"""What is shown of a result, whatever it is a result of: made where the result lives, written by every form alike."""

from __future__ import annotations

from scorer.report.figures import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import pandas as pd
    from typing_extensions import Self

    Record = dict[str, Any]


class Term(str):
    """Text of a table that names a metric, or says what a column holds of one; `printed`: as papers write it, B³ for bcub."""

    __slots__ = ("printed",)
    printed: str

    def __new__(cls, text: str, printed: str) -> Self:
        term = super().__new__(cls, text)
        term.printed = printed
        return term


class Table:
    """Headings and rows of text; the first `left` columns stand to the left, the others to the right."""

    __slots__ = ("headings", "left", "rows")

    def __init__(self, headings: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> None:
        self.headings = headings
        self.rows = rows
        self.left = left

    def drawn(self, style: str, escape: Callable[[str], str] = str) -> str:
        """The table in one of tabulate's styles. Text is escaped, as strangers choose names: first for terminals, then as given."""
        from tabulate import tabulate

        rows = [[escape(printable(cell)) for cell in row] for row in self.rows]
        align = ["left"] * self.left + ["right"] * (len(self.headings) - self.left)
        return str(tabulate(rows, list(map(escape, self.headings)), tablefmt=style, colalign=align, disable_numparse=True))


class Report:
    """A result as the form called `form` is to show it, which the signature names. What takes time is made when a form asks for it.

    For readers: `title`, `tables`, and the `notes` below them, the last of which holds the signature. To compute with: `records`,
    rows that each have some of the `fields` (what a row lacks is empty), `objects`, the same for JSON Lines, where more than
    `fields` has room, and `tree`, one object. These hold ratios as fractions with all digits, None for what does not exist, and the
    signature. `page`: the result's own page, where it has one. `frame`: the records with types, for forms that need these.
    """

    __slots__ = ("fields", "form", "frame", "notes", "objects", "page", "records", "tables", "title", "tree")

    def __init__(
        self,
        form: str,
        title: str,
        *,
        tables: Callable[[], Sequence[Table]],
        notes: Iterable[str],
        fields: Sequence[str],
        records: Callable[[], Iterable[Record]],
        tree: Callable[[], dict[str, Any]],
        objects: Callable[[], Iterable[Record]] | None = None,
        page: Callable[[], str] | None = None,
        frame: Callable[[], pd.DataFrame] | None = None,
    ) -> None:
        self.form = form
        self.title = title
        self.tables = tables
        self.notes = list(map(printable, notes))
        self.fields = fields
        self.records = records
        self.objects = objects or records
        self.tree = tree
        self.page = page
        self.frame = frame
