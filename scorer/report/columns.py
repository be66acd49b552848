"""Columns of results, declared once, and the tables that all output formats derive from.

A `Column` says which value of a row it holds, of which kind the value is, and how readers see it.
Csv, tsv, JSON Lines and data frames take the name and the value as it is. Text tables, Markdown,
LaTeX and HTML take the heading and write the value as its kind is written; alignment, sorting, what
is in bold, and what a narrow terminal leaves out follow from the column, too. Percentages have two
decimals, rounded, or cut off as in reference 8.01 if asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.registry import AVERAGES
from scorer.registry import title as title_of

if TYPE_CHECKING:
    import pandas as pd

Record = dict[str, Any]
Row = Any
"""A row of a result: whatever its columns read values of."""


def figure(ratio: float | None, rounding: str = "round") -> str:
    """Write a ratio in percent with two decimals, cut off or rounded as `rounding` says.

    Nothing is written where there is none.
    """
    if ratio is None or ratio != ratio:  # noqa: PLR0124  only nan differs from itself
        return ""
    percent = 100 * ratio if rounding == "round" else int(ratio * 10_000) / 100
    return f"{percent:.2f}"


def describe_rounding(rounding: str) -> str:
    """Describe in words how `figure` makes two decimals."""
    return "rounded to two decimals" if rounding == "round" else "cut off after two decimals"


def interval(low: float | None, high: float | None, rounding: str = "round") -> str:
    """Write the ends of an interval of a ratio, each as `figure` does; nothing if there is none.

    Examples:
        >>> interval(0.123456, 1.0), interval(float("nan"), float("nan"))
        ('[12.35, 100.00]', '')
    """
    if not figure(low):
        return ""
    return f"[{figure(low, rounding)}, {figure(high, rounding)}]"


def count(value: float) -> str:
    """Write a count: whole, or with at most two decimals."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)


def share(numerator: float, denominator: float) -> str:
    """Write the numerator and the denominator of a ratio.

    Examples:
        >>> share(1.8, 3)
        '1.8 / 3'
    """
    return f"{count(numerator)} / {count(denominator)}"


def difference(value: float) -> str:
    """Write a difference of ratios in percent, with its sign, rounded to two decimals.

    Examples:
        >>> difference(-0.0), difference(0.12345)
        ('+0.00', '+12.35')
    """
    return f"{100 * value + 0.0:+.2f}"


def chance(probability: float) -> str:
    """Write an estimated probability in whole percent; none is certain.

    Examples:
        >>> chance(0.5), chance(0.9999), chance(0.0)
        ('50', '> 99', '< 1')
    """
    if probability > 0.99:
        return "> 99"
    if probability < 0.01:
        return "< 1"
    return f"{100 * probability:.0f}"


def encodable(text: str) -> str:
    r"""Escape what is no UTF-8 in a name, as `printable` does it.

    Examples:
        >>> encodable("a\udcff é")
        'a\\udcff é'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    r"""Escape unprintable characters, so that text is one line and no command to a terminal.

    Examples:
        >>> printable("a\x1b[2Jb")
        'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


class Role(NamedTuple):
    """The part that a column plays in a table.

    Attributes:
        alignment: Of text: "left" or "right".
        sorting: What a page sorts by: "text", "number" (greatest first) or "rank" (a number, least
            first; rows without one come last).
        style: The class on a page.
    """

    alignment: str
    sorting: str
    style: str


ROLES = {
    "head": Role("left", "text", "name"),
    "name": Role("left", "text", "left"),
    "place": Role("left", "rank", "left"),
    "label": Role("right", "text", "left"),
    "rank": Role("right", "rank", ""),
    "number": Role("right", "number", ""),
    "main": Role("right", "number", "main"),
    "recall": Role("right", "number", "r"),
    "precision": Role("right", "number", "p"),
    "f1": Role("right", "number", "f"),
}
"""The roles of columns.

`head` heads each row and stays when the others scroll; `name` is another name; `place` a place in a
ranking, `rank` a rank or p-value. Of the columns `recall`, `precision` and `f1` a page shows one
kind at a time; `main` is in bold.
"""


class Kind(NamedTuple):
    """A kind of value.

    Attributes:
        write: Writes a value for readers, given the option `rounding`.
        role: The role of columns that name no other.
        dtype: The type of such a column in a data frame; "" for the one that pandas infers.
        parts: The fields of a value of two numbers in data, behind the name of the column and `_`.
        part: The kind of each of these.
        title: Writes a value for LaTeX and pages, as papers do; nothing where readers see the same.
    """

    write: Callable[[Any, str], str]
    role: str = "number"
    dtype: str = ""
    parts: tuple[str, ...] = ()
    part: str = ""
    title: Callable[[str], str] = lambda _: ""


ENDS = ("low", "high")


KINDS = {
    "text": Kind(lambda value, _: str(value), role="name"),
    "metric": Kind(lambda value, _: str(value), role="name", title=title_of),
    "flag": Kind(lambda value, _: "yes" if value else "", role="name", dtype="boolean"),
    "ratio": Kind(figure, dtype="float"),
    "interval": Kind(
        lambda ends, rounding: interval(ends[0], ends[1], rounding),
        dtype="float",
        parts=ENDS,
        part="ratio",
    ),
    "difference": Kind(lambda value, _: difference(value), dtype="float"),
    "differences": Kind(
        lambda ends, _: f"[{difference(ends[0])}, {difference(ends[1])}]",
        dtype="float",
        parts=ENDS,
        part="difference",
    ),
    "count": Kind(lambda value, _: count(value), dtype="float"),
    "whole": Kind(lambda value, _: str(value), dtype="Int64"),
    "mean": Kind(lambda value, _: f"{value:.2f}", dtype="float"),
    "percentage": Kind(lambda value, rounding: f"{figure(value, rounding)}%", dtype="float"),
    "share": Kind(
        lambda value, _: share(*value),
        dtype="float",
        parts=("numerator", "denominator"),
        part="count",
    ),
    "chance": Kind(lambda value, _: f"{chance(value)}%", dtype="float"),
}
"""The kinds of values.

`ratio` is a fraction, written in percent, and `difference` one of two of them; `interval` and
`differences` are the two ends of their intervals: in data `x_low` and `x_high` of a column `x`.
`count` may be a fraction, as some metrics count them; `whole` never is. A `percentage` is a
fraction, too, written with its sign. `share` is a numerator and
a denominator, `chance` an estimated probability.
Nothing is written for None.
"""


class Cell(NamedTuple):
    """A cell of a table for readers.

    Attributes:
        text: Its text.
        title: What LaTeX and pages have instead, as papers write it.
        mark: The number of the mark before the text on a page, as in its plots.
        href: The address that the text leads to on a page.
        is_significant: A p-value that is small enough, which a page has in bold.
    """

    text: str
    title: str = ""
    mark: int | None = None
    href: str = ""
    is_significant: bool = False


class Column(NamedTuple):
    """A column of a result.

    Attributes:
        name: The field in csv, tsv, JSON Lines and data frames; "" if it is only for readers.
        value: A function from a row to its value; if None, the value is the key or attribute
            `name` of the row.
        kind: The kind of its values, one of `KINDS`.
        heading: The heading that readers see; None if it is only in data.
        role: One of `ROLES`; "" for the role of the kind.
        title: The heading in LaTeX and on pages, as papers write it; "" for `heading`.
        spare: The order in which a narrow terminal drops columns: 1 first, then 2, and so on;
            those with 0 last, from the right.
        cell: Makes the cell of a row, where more is to be seen than the value as its kind is
            written.
        missing: What readers see where there is no value.
    """

    name: str = ""
    value: Callable[[Row], Any] | None = None
    kind: str = "text"
    heading: str | None = None
    role: str = ""
    title: str = ""
    spare: int = 0
    cell: Callable[[Row], Cell] | None = None
    missing: str = ""

    @property
    def fields(self) -> list[str]:
        """The fields of a record that hold the value; none if it is only for readers."""
        parts = KINDS[self.kind].parts
        if parts and self.name:
            return [f"{self.name}_{part}" for part in parts]
        return [self.name] if self.name else []

    @property
    def plain(self) -> "list[Column]":
        """The columns of records that have the value in `fields`."""
        kind = KINDS[self.kind].part or self.kind
        return [Column(name=field, kind=kind) for field in self.fields]

    def values_of(self, row: Row) -> list[Any]:
        """Return the values of `fields`; None for those that there are not."""
        value = self.value_of(row)
        parts = KINDS[self.kind].parts
        if not parts:
            # Only nan differs from itself.
            return [value if value == value else None]  # noqa: PLR0124
        if value is None:
            return [None] * len(parts)
        return [each if each == each else None for each in value]  # noqa: PLR0124

    def value_of(self, row: Row) -> Any:
        """Return the value of a row; None where a record has none."""
        if self.value is not None:
            return self.value(row)
        if isinstance(row, Mapping):
            return row.get(self.name)
        return getattr(row, self.name)

    def cell_of(self, row: Row, rounding: str) -> Cell:
        """Make the cell that readers see of a row."""
        if self.cell is not None:
            return self.cell(row)
        value = self.value_of(row)
        if value is None:
            return Cell(self.missing)
        kind = KINDS[self.kind]
        text = kind.write(value, rounding)
        return Cell(text, title=kind.title(text))

    def sorted_by(self, row: Row) -> str:
        """Write the number that a page sorts a row by; "" where it has none, and for text."""
        if self.sorting == "text":
            return ""
        value = self.value_of(row)
        if isinstance(value, tuple):
            value = value[0] if value else None
        return "" if value is None or value != value else f"{value:.9g}"  # noqa: PLR0124

    @property
    def look(self) -> Role:
        """The role of the column, or else that of its kind."""
        return ROLES[self.role or KINDS[self.kind].role]

    @property
    def alignment(self) -> str:
        """The alignment of text: "left" or "right"."""
        return self.look.alignment

    @property
    def sorting(self) -> str:
        """The order in which a page sorts: "text", "number" or "rank"."""
        if self.look.sorting == "text" and KINDS[self.kind].dtype in ("float", "Int64"):
            return "number"
        return self.look.sorting

    @property
    def style(self) -> str:
        """The class on a page."""
        return self.look.style


def metric_columns(metrics: Iterable[str]) -> list[Column]:
    """Make columns for recall, precision and F1 of metrics; an average has F1 alone.

    A row of theirs is a mapping from metrics to `Ratios`.

    Examples:
        >>> [column.heading for column in metric_columns(["muc", "conll"])]
        ['muc recall', 'muc precision', 'muc', 'conll']
    """
    columns = []
    for metric in metrics:
        if metric not in AVERAGES:
            columns.append(ratio_column(metric, "recall"))
            columns.append(ratio_column(metric, "precision"))
        columns.append(ratio_column(metric, "f1"))
    return columns


def ratio_column(metric: str, ratio: str) -> Column:
    """Make a column of `metric_columns`."""

    def value(ratios: Mapping[str, Any]) -> float | None:
        # A row may lack a metric.
        number: float | None = getattr(ratios.get(metric), ratio, None)
        return number

    if ratio != "f1":
        heading, role = f"{metric} {ratio}", ratio
        title = f"{title_of(metric)} {ratio}"
    else:
        heading, title = metric, title_of(metric)
        role = "number" if metric in AVERAGES else "f1"
    return Column(value=value, kind="ratio", heading=heading, role=role, title=title)


class Table(NamedTuple):
    """Rows of a result and their columns: a section of its data, a table for readers, or both.

    Attributes:
        columns: The columns.
        rows: Any values that the columns can read.
        section: The name of the section; "" if the table is only for readers.
        is_shown: Whether readers see the section.
        is_extra: Whether JSON and JSON Lines alone have the section, unless it is asked for.
        shown_rows: The rows that readers see; None for all.
        caption: The name of the table on a page; "" for its first heading.
        intro: The sentence before the table on a page.
        merged: Whether text has the first cell only once of rows that have the same value there; a
            page, whose rows can be sorted, repeats it.
        rounding: How ratios are made percent, see `scorer.options`.
        notes: What a reader has to know about the rows, as lines below all tables.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    section: str = ""
    is_shown: bool = True
    is_extra: bool = False
    shown_rows: Sequence[Row] | None = None
    caption: str = ""
    intro: str = ""
    merged: bool = False
    rounding: str = "round"
    notes: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """The fields of its records."""
        return [field for column in self.columns for field in column.fields]

    @property
    def named(self) -> list[Column]:
        """The columns that its records have."""
        return [column for column in self.columns if column.name]

    def records(self) -> Iterator[Record]:
        """Yield the values of each row by field."""
        names, columns = self.names, self.named
        for row in self.rows:
            values: list[Any] = []
            for column in columns:
                values += column.values_of(row)
            yield dict(zip(names, values))

    def to_frame(self) -> "pd.DataFrame":
        """Make a data frame of the records; what is no UTF-8 in text is escaped."""
        import pandas as pd

        # A data frame keeps text as UTF-8.
        values = [
            [encodable(value) if isinstance(value, str) else value for value in record.values()]
            for record in self.records()
        ]
        frame = pd.DataFrame.from_records(values, columns=self.names)
        dtypes: dict[str, str] = {}
        for column in self.named:
            dtype = KINDS[column.kind].dtype
            if dtype:
                dtypes |= dict.fromkeys(column.fields, dtype)
        return frame.astype(dtypes)

    @property
    def seen(self) -> Sequence[Row]:
        """The rows that readers see."""
        if not self.is_shown:
            return []
        return self.rows if self.shown_rows is None else self.shown_rows

    @property
    def headed(self) -> list[Column]:
        """The columns that readers see."""
        return [column for column in self.columns if column.heading is not None]

    @property
    def label(self) -> str:
        """The caption, or else the first heading."""
        first = self.headed[0].heading or "" if self.headed else ""
        return self.caption or first[:1].upper() + first[1:]

    @property
    def has_ratios(self) -> bool:
        """The table has columns for recall, precision and F1, of which a page shows one."""
        return any(column.role == "recall" for column in self.headed)

    def cells(self) -> list[list[Cell]]:
        """Make the cells of all rows, as a page shows them."""
        columns = self.headed
        return [[column.cell_of(row, self.rounding) for column in columns] for row in self.seen]

    def numbers(self) -> list[list[str]]:
        """Write what a page sorts all rows by, column by column."""
        columns = self.headed
        return [[column.sorted_by(row) for column in columns] for row in self.seen]

    def merged_cells(self) -> list[list[Cell]]:
        """Make the cells of all rows as text shows them: if merged, without repeated names."""
        cells = self.cells()
        if not self.merged:
            return cells
        first = self.headed[0]
        previous = None
        for number, row in enumerate(self.seen):
            value = first.value_of(row)
            if number and value == previous:
                cells[number][0] = Cell("")
            previous = value
        return cells

    def fitted(self, width: int) -> "tuple[Table, list[str]]":
        """Fit the table into a terminal of some width.

        Columns of names and one more stay in any case.

        Returns:
            The table without the columns that find no room, and the headings of these.
        """
        aligned = [column for column in self.headed if column.alignment == "right"]
        spare = [column for column in aligned if column.spare]
        others = [column for column in reversed(aligned) if not column.spare]
        # The last one stays.
        removable = [*sorted(spare, key=attrgetter("spare")), *others][:-1]
        table = self
        removed: list[Column] = []
        while removable and max(map(len, table.drawn("simple").splitlines())) > width:
            removed.append(removable.pop(0))
            kept = [column for column in self.headed if column not in removed]
            table = self._replace(columns=kept)
        return table, [column.heading or "" for column in self.headed if column in removed]

    def drawn(self, style: str, escape: Callable[[str], str] = str) -> str:
        """Draw the table in one of tabulate's styles.

        Text is made printable and then escaped by `escape`, since untrusted users choose names.
        """
        headings = [escape(column.heading or "") for column in self.headed]
        rows = self.merged_cells()
        texts = [[escape(_narrowed(printable(cell.text))) for cell in row] for row in rows]
        return draw(headings, texts, self.headed, style)


WIDEST = 300
"""The most characters of a cell: every row of a drawn table is padded to its widest cell."""


def _narrowed(text: str) -> str:
    """Return a text without its middle if it is too long for a drawn table."""
    if len(text) <= WIDEST:
        return text
    half = WIDEST // 2
    return f"{text[:half]}…{text[-half:]}"


def draw(
    headings: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[Any], style: str
) -> str:
    """Draw headings and rows in one of tabulate's styles, each aligned as its column."""
    from tabulate import tabulate

    drawn: str = tabulate(
        rows,
        headings,
        tablefmt=style,
        colalign=[column.alignment for column in columns],
        disable_numparse=True,
    )
    return drawn
