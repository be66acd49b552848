"""What is shown of a result, whatever it is a result of: made where the result lives, written by every form alike."""

from __future__ import annotations

from scorer.report.figures import encodable, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Self

    import pandas as pd

    Record = dict[str, Any]


class Term(str):
    """Text of a table that names a metric, or says what a column holds of one.

    `printed`: as papers write it, B³ for bcub.
    """

    __slots__ = ("printed",)
    printed: str

    def __new__(cls, text: str, printed: str) -> Self:
        term = super().__new__(cls, text)
        term.printed = printed
        return term


class Table:
    """Headings and rows of text.

    The first `left` columns stand to the left, the others to the right.

    `spare`: headings of columns that a narrow terminal does without first, in that order.
    """

    __slots__ = ("headings", "left", "rows", "spare")

    def __init__(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        left: int,
        spare: Sequence[str] = (),
    ) -> None:
        self.headings = headings
        self.rows = rows
        self.left = left
        self.spare = spare

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """The table with as many columns as go into a terminal of that width, and the headings of the others.

        Those that are `spare` go first, then those on the right; the `left` ones and one more stay
        in any case.
        """
        order = [
            at for heading in self.spare for at, one in enumerate(self.headings) if one == heading
        ]
        order += [at for at in range(len(self.headings) - 1, self.left - 1, -1) if at not in order]
        table, gone = self, set[int]()
        while (
            max(map(len, table.drawn("simple").splitlines())) > width and len(gone) < len(order) - 1
        ):
            gone.add(order[len(gone)])
            kept = [at for at in range(len(self.headings)) if at not in gone]
            rows = [[row[at] for at in kept] for row in self.rows]
            table = Table([self.headings[at] for at in kept], rows, self.left)
        return table, [self.headings[at] for at in sorted(gone)]

    def drawn(self, style: str, escape: Callable[[str], str] = str) -> str:
        """The table in one of tabulate's styles.

        Text is escaped, as strangers choose names: first for terminals, then as given.
        """
        from tabulate import tabulate

        rows = [[escape(printable(cell)) for cell in row] for row in self.rows]
        align = ["left"] * self.left + ["right"] * (len(self.headings) - self.left)
        return str(
            tabulate(
                rows,
                list(map(escape, self.headings)),
                tablefmt=style,
                colalign=align,
                disable_numparse=True,
            )
        )


def said_once(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows, each without its first cell where that is the first cell of the row above."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == before else row[0], *row[1:]] for before, row in zip(above, rows)]


class Report:
    """A result as the form called `form` is to show it, which the signature names.

    What takes time is made when a form asks for it.

    For readers: `title`, `tables`, and the `notes` below them, the last of which is one of
    the `signatures`, where there are any: the whole one, or the short one if `is_short`. `width`: how many columns a
    terminal has, where the tables have to fit on one. To compute with: `records`, rows that each have some
    of the `fields` (what a row lacks is empty), `objects`, the same for JSON Lines, where more than
    `fields` has room, and `tree`, one object. These hold ratios as fractions with all digits, None
    for what does not exist, and the signature. `page`: makes the result's own page with this title.
    `frame`: the records with types, for forms that need these.
    """

    __slots__ = (
        "_notes", "fields", "form", "frame", "is_short", "objects", "page", "records", "signatures", "tables", "title", "tree",
        "width",
    )  # fmt: skip

    def __init__(
        self,
        form: str,
        title: str,
        *,
        tables: Callable[[], Sequence[Table]],
        notes: Iterable[str],
        signatures: tuple[str, str] = ("", ""),
        fields: Sequence[str],
        records: Callable[[], Iterable[Record]],
        tree: Callable[[], dict[str, Any]],
        objects: Callable[[], Iterable[Record]] | None = None,
        page: Callable[[str], str] | None = None,
        frame: Callable[[], pd.DataFrame] | None = None,
    ) -> None:
        self.form = form
        self.title = title
        self.tables = tables
        self._notes = list(map(printable, notes))
        self.signatures = signatures
        self.is_short = True
        self.width: int | None = None
        self.fields = fields
        self.records = records
        self.objects = objects or records
        self.tree = tree
        self.page = page
        self.frame = frame

    @property
    def notes(self) -> list[str]:
        """The lines below the tables."""
        whole, short = self.signatures
        if not whole:
            return self._notes
        return [*self._notes, printable(f"signature: {short if self.is_short else whole}")]


def frame_of(rows: Iterable[Iterable[Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The frame of rows of values.

    What is no UTF-8 in a name is escaped, as pandas keeps text as UTF-8.
    """
    import pandas as pd

    values = [
        [encodable(value) if isinstance(value, str) else value for value in row] for row in rows
    ]
    return pd.DataFrame.from_records(values, columns=list(columns))


def html(report: Report) -> str:
    """A piece of HTML, all text in it escaped.

    The last note, which holds the signature, is folded.
    """
    from html import escape

    parts = [table.drawn("html") for table in report.tables()]
    *notes, signature = (f"<small>{escape(note)}</small>" for note in report.notes)
    parts += [f"<p>{note}</p>" for note in notes]
    parts.append(f"<details><summary><small>signature</small></summary>{signature}</details>")
    return "\n".join(["<div>", *parts, "</div>"])
