"""What is shown of a result, and the output formats that write it: `Report` and `FORMS`.

`FORMS` is the table of formats. To add one, write a function that renders a `Report` and add a row.
Packages that take long to import are imported where they are used, as csv and json do without them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scorer.report.figures import encodable, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    import pandas as pd

    from scorer.report.page import Page
    from scorer.report.table import Table

    Record = dict[str, Any]


class Report:
    """A result as the form called `form` is to show it, which the signature names.

    What takes time is made when a form asks for it.

    For readers: `title`, `tables`, and the `notes` below them: `remarks`, and one of the
    `signatures`, where there are any: the whole one, or the short one if `is_short`. `width`: how many columns a
    terminal has, where the tables have to fit on one. To compute with: `records`, rows that each have some
    of the `fields` (what a row lacks is empty), `objects`, the same for JSON Lines, where more than
    `fields` has room, and `tree`, one object. These hold ratios as fractions with all digits, None
    for what does not exist, and the signature. `page`: what an HTML report shows, if that is more
    than the tables and notes.
    `frame`: the records with types, for forms that need these.
    """

    def __init__(  # noqa: PLR0913  a record
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
        own: Mapping[str, Callable[[], str]] | None = None,
    ) -> None:
        self.form = form
        self.title = title
        self.tables = tables
        self.remarks = list(map(printable, notes))
        self.signatures = signatures
        self.is_short = True
        self.width: int | None = None
        self.fields = fields
        self.records = records
        self.objects = objects or records
        self.tree = tree
        self.page = page
        self.frame = frame
        self.own = own or {}

    @property
    def signature(self) -> str:
        """The line with the signature; empty where there is none."""
        whole, short = self.signatures
        return printable(f"signature: {short if self.is_short else whole}") if whole else ""

    @property
    def notes(self) -> list[str]:
        """The lines below the tables: remarks, then the signature."""
        return [*self.remarks, self.signature] if self.signature else self.remarks


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
    """Render a piece of HTML, all text in it escaped; the signature is folded."""
    from html import escape

    parts = [table.drawn("html") for table in report.tables()]
    parts += [f"<p><small>{escape(remark)}</small></p>" for remark in report.remarks]
    signature = f"<small>{escape(report.signature)}</small>"
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
    from scorer.report.table import draw

    headings = [_latex_cell(column.heading, column.latex) for column in table.columns]
    rows = [[_latex_cell(cell.text, cell.latex) for cell in row] for row in table.texts()]
    lines = draw(headings, rows, table, "latex_raw").split("\n")
    rules = iter(("\\toprule", "\\midrule", "\\bottomrule"))
    return "\n".join(next(rules) if line == "\\hline" else line for line in lines)


def _latex_cell(text: str, latex: str) -> str:
    """Escape text, or what LaTeX has instead."""
    import re

    from tabulate import LATEX_ESCAPE_RULES

    shown = latex or printable(text)
    escaped = "".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in shown)
    if latex:
        for plain, symbol in _LATEX_METRICS.items():
            escaped = escaped.replace(plain, symbol)
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
    require("html")
    from scorer.report import page

    if report.page is not None:
        return page.render_report(report.title, report.page())
    content = page.Page(tables=report.tables(), notes=report.remarks, signature=report.signature)
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


def names(*own: str, framed: bool = False) -> list[str]:
    """List the output formats of a report.

    Args:
        own: Formats that only this report has.
        framed: Whether the report has a data frame, which some formats need.
    """
    return sorted([*own, *(name for name in FORMS if framed or name not in FRAMED)])


def named(path: str) -> str | None:
    """Find the format that the ending of a file name asks for.

    >>> named("tables/Scores.TEX"), named("scores")
    ('latex', None)
    """
    endings = {name: ends for name, (_, ends) in FORMS.items()}
    return next((name for name, ends in endings.items() if path.lower().endswith(ends)), None)


NEEDED = {
    "html": ("jinja2", "jinja2"),
    "parquet": ("pyarrow", "'conll-scorer[parquet]'"),
}
"""The package that a format needs, and what to install for it."""


def require(name: str) -> None:
    """Raise ModuleNotFoundError if a format needs a package that is missing.

    It is better known before hours of work than after.
    """
    if name in NEEDED:
        from importlib.util import find_spec

        package, advice = NEEDED[name]
        if find_spec(package) is None:
            raise ModuleNotFoundError(
                f"{name} needs {package}; pip install {advice}, or choose another format"
            )


def text(report: Report) -> str:
    """Render a report as text; ValueError when there is no such format of text."""
    rendered = _render(report, names(*report.own))
    assert isinstance(rendered, str)
    return rendered


def content(report: Report) -> bytes:
    """Render a report as the bytes of a file; names keep the bytes of the files that were scored.

    Raises:
        ValueError: There is no such format.
        ModuleNotFoundError: The format needs a package that is missing.
    """
    rendered = _render(report, names(*report.own, framed=report.frame is not None))
    return rendered if isinstance(rendered, bytes) else rendered.encode("utf-8", "surrogateescape")


def _render(report: Report, forms: Sequence[str]) -> str | bytes:
    if report.form not in forms:
        from conll.errors import did_you_mean

        known = f"choose from: {', '.join(forms)}{did_you_mean(report.form, forms)}"
        raise ValueError(f"unknown format {report.form!r}; {known}")
    if report.form in report.own:
        return report.own[report.form]()
    return FORMS[report.form][0](report)
