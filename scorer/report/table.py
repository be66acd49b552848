"""Tables of text, as every output format that people read shows them."""

from __future__ import annotations

from scorer.report.figures import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self


class Cell(str):
    """Text of a table that some output formats show differently.

    Attributes:
        printed: What LaTeX has instead, as papers write it: B³ for bcub.
        tier: The number of the mark that stands before the text on a page, as in its plots.
        href: Where the text leads on a page.
    """

    printed: str
    tier: int | None
    href: str

    def __new__(
        cls, text: str, printed: str = "", *, tier: int | None = None, href: str = ""
    ) -> Self:
        cell = super().__new__(cls, text)
        cell.printed = printed
        cell.tier = tier
        cell.href = href
        return cell


class Table:
    """Headings and rows of text.

    Attributes:
        headings: The headings of the columns.
        rows: A cell for each column.
        left: How many columns hold names; these are aligned to the left, the others to the right.
        spare: Headings of columns that a narrow terminal does without first, in that order.
        caption: What a page calls the table; the first heading if there is no other name.
        intro: The sentence before the table on a page.
        level: p-values up to this one are in bold on a page.
        merged: Whether text names what several rows begin with only once; a page, whose rows can be
            sorted, repeats it.
    """

    def __init__(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        left: int,
        spare: Sequence[str] = (),
        *,
        caption: str = "",
        intro: str = "",
        level: float = 0.0,
        merged: bool = False,
    ) -> None:
        self.headings = headings
        self.rows = rows
        self.left = left
        self.spare = spare
        self.caption = caption or headings[0][:1].upper() + headings[0][1:]
        self.intro = intro
        self.level = level
        self.merged = merged

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """The table with as many columns as go into a terminal of that width, and the headings of the others.

        Those that are `spare` go first, then those on the right; the `left` ones and one more stay
        in any case.
        """
        order = [
            at for name in self.spare for at, heading in enumerate(self.headings) if heading == name
        ]
        order += [at for at in range(len(self.headings) - 1, self.left - 1, -1) if at not in order]
        table, gone = self, set[int]()
        while (
            max(map(len, table.drawn("simple").splitlines())) > width and len(gone) < len(order) - 1
        ):
            gone.add(order[len(gone)])
            kept = [at for at in range(len(self.headings)) if at not in gone]
            rows = [[row[at] for at in kept] for row in self.rows]
            table = Table([self.headings[at] for at in kept], rows, self.left, merged=self.merged)
        return table, [self.headings[at] for at in sorted(gone)]

    def drawn(self, style: str, escape: Callable[[str], str] = str) -> str:
        """The table in one of tabulate's styles.

        Text is escaped for terminals and then by `escape`, since untrusted users choose names.
        """
        from tabulate import tabulate

        shown = without_repeated_names(self.rows) if self.merged else self.rows
        rows = [[escape(printable(cell)) for cell in row] for row in shown]
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


def without_repeated_names(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Empty the first cell of each row where it repeats that of the row above."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == before else row[0], *row[1:]] for before, row in zip(above, rows)]
