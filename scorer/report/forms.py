"""Output formats: turn a `Report` into text, or into bytes for Parquet.

`FORMS` is the table of formats. To add one, write a function that renders a `Report` and add a row.
Packages that take long to import are imported where they are used, as csv and json do without them.
"""

from __future__ import annotations

from scorer.report.figures import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from scorer.report.report import Report
    from scorer.report.table import Table


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


def render_csv(report: Report) -> str:
    """Render the records of a report as comma-separated values below a heading of fields."""
    return _separated(report, ",")


def render_tsv(report: Report) -> str:
    """Render the records of a report as TAB-separated values below a heading of fields."""
    return _separated(report, "\t")


def _separated(report: Report, delimiter: str) -> str:
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
    from scorer.report.table import Table

    headings = list(map(_latex_cell, table.headings))
    rows = [list(map(_latex_cell, row)) for row in table.rows]
    merged = Table(headings, rows, table.left, merged=table.merged)
    lines = merged.drawn("latex_raw").split("\n")
    rules = iter(("\\toprule", "\\midrule", "\\bottomrule"))
    return "\n".join(next(rules) if line == "\\hline" else line for line in lines)


def _latex_cell(cell: str) -> str:
    import re

    from tabulate import LATEX_ESCAPE_RULES

    from scorer.report.table import Cell

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
    "csv": (render_csv, (".csv",)),
    "html": (render_html, (".html", ".htm")),
    "json": (render_json, (".json",)),
    "jsonl": (render_jsonl, (".jsonl",)),
    "latex": (render_latex, (".tex",)),
    "markdown": (render_markdown, (".md", ".markdown")),
    "parquet": (render_parquet, (".parquet",)),
    "table": (render_table, (".txt",)),
    "tsv": (render_tsv, (".tsv",)),
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
