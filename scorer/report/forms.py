"""What is shown of a result, and the output formats that write it: `Table`, `Report` and `FORMS`.

`FORMS` is the table of formats. To add one, write a function that renders a `Report` and add a row.
Packages that take long to import are imported where they are used, as csv and json do without them.
"""

from __future__ import annotations

from functools import partial

from scorer.report.figures import encodable, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Self

    import pandas as pd

    from scorer.report.page import Page

    Record = dict[str, Any]


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


class Report:
    """A result as the form called `form` is to show it, which the signature names.

    What takes time is made when a form asks for it.

    For readers: `title`, `tables`, and the `notes` below them, the last of which is one of
    the `signatures`, where there are any: the whole one, or the short one if `is_short`. `width`: how many columns a
    terminal has, where the tables have to fit on one. To compute with: `records`, rows that each have some
    of the `fields` (what a row lacks is empty), `objects`, the same for JSON Lines, where more than
    `fields` has room, and `tree`, one object. These hold ratios as fractions with all digits, None
    for what does not exist, and the signature. `page`: what an HTML report shows, if that is more
    than the tables and notes.
    `frame`: the records with types, for forms that need these.
    """

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
        page: Callable[[], Page] | None = None,
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


def render_json(report: Report) -> str:
    """Render the tree of a report as indented JSON."""
    return dumps(report.tree(), indent=2) + "\n"


def dumps(value: dict[str, Any], indent: int | None = None) -> str:
    """Write a value as JSON text; names are escaped only if they hold bytes that are not UTF-8."""
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, indent=indent)
    return text


def render_jsonl(report: Report) -> str:
    """Render the objects of a report as JSON Lines."""
    return "".join(f"{dumps(record)}\n" for record in report.objects())


# Untrusted users choose names, and a spreadsheet computes text that begins like a formula.
_FORMULA = ("=", "+", "@", "\t", "\r", "\n", "-", *"＝＋＠－﹦﹢﹫﹣")
# Some spreadsheets split cells at other delimiters than ours, so text with any of them is quoted.
_DELIMITERS = frozenset(',;\t"')


def render_separated(delimiter: str, report: Report) -> str:
    """Render the records of a report as separated values below a heading of fields."""
    rows = (map(record.get, report.fields) for record in report.records())
    return "".join(f"{delimiter.join(map(_cell, row))}\n" for row in (report.fields, *rows))


def _cell(value: Any) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = guarded(printable(value))
    quoted = text.replace('"', '""')
    return text if _DELIMITERS.isdisjoint(text) else f'"{quoted}"'


def guarded(text: str) -> str:
    """Put ' before text that a spreadsheet would compute.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1"), guarded("'tis")
    ("'=1+1", "''=1+1", '1+1', "'tis")
    """
    return f"'{text}" if _is_formula(text) else text


def unguarded(cell: str) -> str:
    """Take off the ' that `guarded` put before the text of a cell.

    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("1+1"), unguarded("'tis")
    ('=1+1', "'=1+1", '1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    return text.lstrip("'").startswith(_FORMULA)


_LATEX_METRICS = {"B³": "B$^3$", "CEAFe": "CEAF$_e$", "CEAFm": "CEAF$_m$"}


def render_latex(report: Report) -> str:
    """Render the tables of a report as booktabs tabulars, and its notes as comments."""
    tables = "\n\n".join(map(_tabular, report.tables()))
    return tables + "\n" + "".join(f"% {note}\n" for note in report.notes)


def _tabular(table: Table) -> str:
    headings = list(map(_latex_cell, table.headings))
    rows = [list(map(_latex_cell, row)) for row in table.rows]
    merged = Table(headings, rows, table.left, merged=table.merged)
    lines = merged.drawn("latex_raw").split("\n")
    rules = iter(("\\toprule", "\\midrule", "\\bottomrule"))
    return "\n".join(next(rules) if line == "\\hline" else line for line in lines)


def _latex_cell(cell: str) -> str:
    import re

    from tabulate import LATEX_ESCAPE_RULES

    printed = cell.printed if isinstance(cell, Cell) else ""
    shown = printed or printable(cell)
    escaped = "".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in shown)
    if printed:
        for plain, latex in _LATEX_METRICS.items():
            escaped = escaped.replace(plain, latex)
    # The sign of a figure, or of the ends of an interval, is a hyphen outside of mathematics.
    return re.sub(r"^(\[?)-(?=\d)|(?<=, )-(?=[\d.]+\]$)", r"\1$-$", escaped)


def render_markdown(report: Report) -> str:
    """Render the tables of a report for GitHub and pandoc, and its notes as lines of code."""
    notes = "  \n".join(map(markdown_code, report.notes))
    tables = [table.drawn("pipe", escape_markdown) for table in report.tables()]
    return "\n\n".join([*tables, notes]) + "\n"


def markdown_code(text: str) -> str:
    """Write text as Markdown code, with a fence that the text does not end.

    >>> markdown_code("a ``b`` c")
    '``` a ``b`` c ```'
    """
    import re

    fence = "`" * max(2, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}"


def escape_markdown(text: str) -> str:
    """Escape text so that Markdown shows it as it is and no cell of a table ends in it."""
    return "".join(
        f"\\{letter}" if letter in "\\`*_{}[]<>()#+!|~&$^-" else letter for letter in text
    )


def render_table(report: Report) -> str:
    """Render the tables and notes of a report as plain text, fitted to the terminal's width."""
    tables, notes = report.tables(), report.notes
    if report.width is not None:
        fitted = [table.fitted(report.width) for table in tables]
        tables = [table for table, _ in fitted]
        missing = dict.fromkeys(heading for _, headings in fitted for heading in headings)
        if missing:
            notes = [f"left out because the terminal is too narrow: {', '.join(missing)}", *notes]
    return "\n\n".join([*(table.drawn("simple") for table in tables), "\n".join(notes)]) + "\n"


def render_html(report: Report) -> str:
    """Render the HTML page of a report: what its `page` holds, or else its tables and notes."""
    from scorer.report import page

    if report.page is not None:
        return page.render_report(report.title, report.page())
    *notes, signature = [note.removeprefix("note: ") for note in report.notes] or [""]
    content = page.Page(tables=report.tables(), notes=notes, signature=signature)
    return page.render_report(report.title, content)


def render_parquet(report: Report) -> bytes:
    """Render the data frame of a report as a Parquet file."""
    from io import BytesIO

    require("parquet")
    assert report.frame is not None
    file = BytesIO()
    report.frame().to_parquet(file, engine="pyarrow", index=False)
    return file.getvalue()


FORMS: dict[str, tuple[Callable[[Report], str | bytes], tuple[str, ...]]] = {
    "csv": (partial(render_separated, ","), (".csv",)),
    "html": (render_html, (".html", ".htm")),
    "json": (render_json, (".json",)),
    "jsonl": (render_jsonl, (".jsonl",)),
    "latex": (render_latex, (".tex",)),
    "markdown": (render_markdown, (".md", ".markdown")),
    "parquet": (render_parquet, (".parquet",)),
    "table": (render_table, (".txt",)),
    "tsv": (partial(render_separated, "\t"), (".tsv",)),
}
"""The formats by name: the function that renders a report, and the endings of file names."""

FRAMED = frozenset({"parquet"})
"""The formats that need a data frame, which not every report has."""


def names(*, framed: bool = False) -> list[str]:
    """List the names of all formats.

    Those that need a data frame only if the report is `framed`.
    """
    return [name for name in FORMS if framed or name not in FRAMED]


def named(path: str) -> str | None:
    """Find the format that the ending of a file name asks for.

    >>> named("tables/Scores.TEX"), named("scores")
    ('latex', None)
    """
    endings = {name: ends for name, (_, ends) in FORMS.items()}
    return next((name for name, ends in endings.items() if path.lower().endswith(ends)), None)


def require(name: str) -> None:
    """Raise ModuleNotFoundError if a format needs a package that is missing.

    It is better known before hours of work than after.
    """
    if name == "html":
        from scorer.report.page import require

        require()
    if name == "parquet":
        from importlib.util import find_spec

        if find_spec("pyarrow") is None:
            raise ModuleNotFoundError(
                "parquet needs pyarrow; pip install 'conll-scorer[parquet]', or choose "
                "another format"
            )


def text(report: Report) -> str:
    """Render a report as text; ValueError when there is no such format of text."""
    rendered = _renderer(report, names())(report)
    assert isinstance(rendered, str)
    return rendered


def content(report: Report) -> bytes:
    """Render a report as the bytes of a file; names keep the bytes of the files that were scored.

    Raises:
        ValueError: There is no such format.
        ModuleNotFoundError: The format needs a package that is missing.
    """
    rendered = _renderer(report, names(framed=report.frame is not None))(report)
    return rendered if isinstance(rendered, bytes) else rendered.encode("utf-8", "surrogateescape")


def _renderer(report: Report, forms: Sequence[str]) -> Callable[[Report], str | bytes]:
    if report.form not in forms:
        from conll.errors import did_you_mean

        known = f"choose from: {', '.join(forms)}{did_you_mean(report.form, forms)}"
        raise ValueError(f"unknown format {report.form!r}; {known}")
    return FORMS[report.form][0]
