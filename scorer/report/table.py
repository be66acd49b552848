"""Tables for readers: columns that say what they hold, and rows of cells.

Text tables, Markdown, LaTeX and HTML derive from the same columns: alignment, sorting, what is in
bold, and what a narrow terminal leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scorer.registry import AVERAGES, title
from scorer.report import columns
from scorer.report.columns import Cell as Cell  # noqa: PLC0414  others take it from here
from scorer.report.columns import draw
from scorer.report.figures import printable

LOOKS = {
    "head": ("left", "text", "name"),
    "name": ("left", "text", "left"),
    "place": ("left", "rank", "left"),
    "label": ("right", "text", "left"),
    "rank": ("right", "rank", ""),
    "number": ("right", "number", ""),
    "main": ("right", "number", "main"),
    "recall": ("right", "number", "r"),
    "precision": ("right", "number", "p"),
    "f1": ("right", "number", "f"),
}
"""How columns of a kind look: how text is aligned, by what a page sorts, and the class on a page.

A page sorts by text, by number (greatest first) or by rank (a number, least first; rows without one
come last). Of the columns `recall`, `precision` and `f1` a page shows one kind at a time; `main` is
in bold.
"""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Its heading.
        kind: What it holds, of `LOOKS`: the name that heads each row and stays when the others
            scroll, another name, the place in a ranking, a label, a rank or p-value, or a number.
        latex: The heading in LaTeX, as papers write it.
        spare: When a narrow terminal leaves it out: those with 1 first; those with 0 after all
            others, from the right.
    """

    heading: str
    kind: str = "number"
    latex: str = ""
    spare: int = 0

    @property
    def alignment(self) -> str:
        """How text is aligned: "left" or "right"."""
        return LOOKS[self.kind][0]

    @property
    def sorting(self) -> str:
        """By what a page sorts: "text", "number" or "rank"."""
        return LOOKS[self.kind][1]

    @property
    def style(self) -> str:
        """Its class on a page."""
        return LOOKS[self.kind][2]

    @property
    def title(self) -> str:
        """The heading as papers write it."""
        return self.latex


def name_columns(*headings: str) -> list[Column]:
    """Make columns of names, the first of which heads each row."""
    return [Column(heading, "name" if at else "head") for at, heading in enumerate(headings)]


def number_columns(*headings: str) -> list[Column]:
    """Make columns of numbers."""
    return [Column(heading) for heading in headings]


def metric_columns(metrics: Iterable[str]) -> list[Column]:
    """Make columns for recall, precision and F1 of metrics; an average has F1 alone.

    >>> [column.heading for column in metric_columns(["muc", "conll"])]
    ['muc recall', 'muc precision', 'muc', 'conll']
    """
    columns = []
    for metric in metrics:
        if metric in AVERAGES:
            columns.append(Column(metric, latex=title(metric)))
        else:
            columns += [
                Column(f"{metric} recall", "recall", f"{title(metric)} recall"),
                Column(f"{metric} precision", "precision", f"{title(metric)} precision"),
                Column(metric, "f1", title(metric)),
            ]
    return columns


def metric_cell(metric: str) -> Cell:
    """Make the cell that names a metric, or one of its parts."""
    return Cell(metric, title=title(metric))


class Table:
    """Columns and rows of cells.

    Attributes:
        columns: The columns.
        rows: A cell for each column.
        caption: What a page calls the table; the first heading if there is no other name.
        intro: The sentence before the table on a page.
        merged: Whether text names what several rows begin with only once; a page, whose rows can be
            sorted, repeats it.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Iterable[Iterable[Cell | str]],
        *,
        caption: str = "",
        intro: str = "",
        merged: bool = False,
    ) -> None:
        self.columns = columns
        self.rows = [
            [cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows
        ]
        first = columns[0].heading if columns else ""
        self.caption = caption or first[:1].upper() + first[1:]
        self.intro = intro
        self.merged = merged

    @property
    def headed(self) -> Sequence[Column]:
        """The columns."""
        return self.columns

    @property
    def label(self) -> str:
        """The caption."""
        return self.caption

    def cells(self) -> list[list[Cell]]:
        """List the rows."""
        return self.rows

    def merged_cells(self) -> list[list[Cell]]:
        """List the rows as text shows them."""
        return self.texts()

    @property
    def has_ratios(self) -> bool:
        """Whether it has columns for recall, precision and F1, of which a page shows one."""
        return any(column.kind == "recall" for column in self.columns)

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """Fit the table into a terminal.

        Columns of names and one more stay in any case.

        Args:
            width: The columns of the terminal.

        Returns:
            The table without the columns that find no place, and the headings of these.
        """
        places = [at for at, column in enumerate(self.columns) if column.alignment == "right"]
        spare = sorted(
            (at for at in places if self.columns[at].spare), key=lambda at: self.columns[at].spare
        )
        others = [at for at in reversed(places) if not self.columns[at].spare]
        removable = [*spare, *others][:-1]
        table, gone = self, set[int]()
        while removable and max(map(len, table.drawn("simple").splitlines())) > width:
            gone.add(removable.pop(0))
            kept = [at for at in range(len(self.columns)) if at not in gone]
            table = Table(
                [self.columns[at] for at in kept],
                [[row[at] for at in kept] for row in self.rows],
                merged=self.merged,
            )
        return table, [self.columns[at].heading for at in sorted(gone)]

    def drawn(self, style: str, escape: Callable[[str], str] = str) -> str:
        """Draw the table in one of tabulate's styles.

        Text is escaped for terminals and then by `escape`, since untrusted users choose names.
        """
        return draw(
            [escape(column.heading) for column in self.columns],
            [[escape(printable(cell.text)) for cell in row] for row in self.texts()],
            self.columns,
            style,
        )

    def texts(self) -> list[list[Cell]]:
        """List the rows as text shows them: if they are merged, without names that are repeated."""
        if not self.merged:
            return self.rows
        shown, above = [], None
        for row in self.rows:
            is_repeated = above is not None and row[0].text == above[0].text
            shown.append([Cell(""), *row[1:]] if is_repeated else row)
            above = row
        return shown


AnyTable = Table | columns.Table
"""A table of written cells, or one that derives them from columns and rows."""
