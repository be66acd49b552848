"""The output formats that write a report, and their table `OUTPUT_FORMATS`.

To add a format, write a function that renders a `Report` and add a row.
Packages that take long to import are imported where they are used, as csv and json do without them.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.report.columns import Cell, Table, printable

if TYPE_CHECKING:
    from scorer.report.report import Report

Record = dict[str, Any]


def html(report: "Report") -> str:
    """Render a piece of HTML, all text in it escaped; the signature is folded."""
    from html import escape

    parts = [table.drawn("html") for table in report.tables]
    parts += [f"<p><small>{escape(remark)}</small></p>" for remark in report.remarks]
    signature = f"<small>{escape(report.signature_line)}</small>"
    parts.append(f"<details><summary><small>signature</small></summary>{signature}</details>")
    return "\n".join(["<div>", *parts, "</div>"])


def render_json(report: "Report") -> str:
    """Render the tree of a report as indented JSON."""
    tree = report.tree
    if report.heading:
        tree = {"title": report.heading} | dict(tree)
    return dumps(tree, indent=2) + "\n"


def dumps(value: Mapping[str, Any], indent: int | None = None) -> str:
    """Write a value as JSON text; names are escaped only if they hold bytes that are not UTF-8."""
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, indent=indent)
    return text


def render_jsonl(report: "Report") -> str:
    """Render the records of a report as JSON Lines."""
    records = list(report.records())
    if report.signature:
        records.append({"section": "signature", "signature": dict(report.signature)})
    return "".join(f"{dumps(record)}\n" for record in records)


# Untrusted users choose names, and a spreadsheet computes text that begins like a formula.
_FORMULA = ("=", "+", "@", "\t", "\r", "\n", "-", *"＝＋＠－﹦﹢﹫﹣")
# Some spreadsheets split cells at other delimiters than ours, so text with any of them is quoted.
_DELIMITERS = frozenset(',;\t"')


def render_separated(delimiter: str, report: "Report") -> str:
    """Render records of a report as separated values below a heading of fields."""
    report = report._replace(sections=[table for table in report.data if not table.is_extra])
    fields = report.fields
    lines = [delimiter.join(fields)]
    lines += [_joined(record, fields, delimiter) for record in report.signed_records()]
    return "\n".join(lines) + "\n"


def _joined(record: Mapping[str, Any], fields: Iterable[str], delimiter: str) -> str:
    """Join the values of a record that has some of the fields."""
    return delimiter.join(_cell(record.get(field)) for field in fields)


def _cell(value: Any) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = guarded(printable(value))
    quoted = text.replace('"', '""')
    return text if _DELIMITERS.isdisjoint(text) else f'"{quoted}"'


def guarded(text: str) -> str:
    """Put ' before text that a spreadsheet would compute.

    Examples:
        >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1"), guarded("'tis")
        ("'=1+1", "''=1+1", '1+1', "'tis")
    """
    return f"'{text}" if _is_formula(text) else text


def unguarded(cell: str) -> str:
    """Take off the ' that `guarded` put before the text of a cell.

    Examples:
        >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("1+1"), unguarded("'tis")
        ('=1+1', "'=1+1", '1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    return text.lstrip("'").startswith(_FORMULA)


_LATEX_METRICS = {"B³": "B$^3$", "CEAFe": "CEAF$_e$", "CEAFm": "CEAF$_m$"}


def render_latex(report: "Report") -> str:
    """Render the tables of a report as LaTeX with booktabs, and its notes as comments."""
    parts = [report.latex] if report.latex else []
    parts += map(_tabular, report.tables)
    tables = "\n\n".join(parts)
    if report.heading:
        tables = f"% {printable(report.heading)}\n{tables}"
    return tables + "\n" + "".join(f"% {line}\n" for line in report.lines_below)


def _tabular(table: Table) -> str:
    """Render a table as a booktabs tabular."""
    from scorer.report.columns import draw

    columns = table.headed
    headings = [latex_cell(column.heading or "", column.title) for column in columns]
    rows = [_latex_row(row) for row in table.merged_cells()]
    drawn = draw(headings, rows, columns, "latex_raw")
    for rule in ("\\toprule", "\\midrule", "\\bottomrule"):
        drawn = drawn.replace("\n\\hline\n", f"\n{rule}\n", 1)
    return drawn


def _latex_row(row: Iterable[Cell]) -> list[str]:
    return [latex_cell(cell.text, cell.title) for cell in row]


def latex_cell(text: str, title: str) -> str:
    """Escape text, or the title that is written instead; metrics are as papers have them."""
    import re

    from tabulate import LATEX_ESCAPE_RULES

    shown = title or printable(text)
    escaped = "".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in shown)
    if title:
        for plain, symbol in _LATEX_METRICS.items():
            escaped = escaped.replace(plain, symbol)
    # The sign of a figure, or of the ends of an interval, is a hyphen outside of mathematics.
    return re.sub(r"^(\[?)-(?=\d)|(?<=, )-(?=[\d.]+\]$)", r"\1$-$", escaped)


def render_markdown(report: "Report") -> str:
    """Render the tables of a report for GitHub and pandoc, and its notes as lines of code."""
    parts = [table.drawn("pipe", escape_markdown) for table in report.tables]
    parts.append("  \n".join(map(markdown_code, report.lines_below)))
    if report.headline:
        parts.insert(0, escape_markdown(printable(report.headline)))
    if report.heading:
        parts.insert(0, f"# {escape_markdown(printable(report.heading))}")
    return "\n\n".join(parts) + "\n"


def markdown_code(text: str) -> str:
    """Write text as Markdown code, with a fence that the text does not end.

    Examples:
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


def render_table(report: "Report") -> str:
    """Render the tables and notes of a report as plain text, fitted to the terminal's width."""
    tables, lines = list(report.tables), report.lines_below
    if report.width is not None:
        missing: dict[str, None] = {}
        for number, table in enumerate(report.tables):
            tables[number], headings = table.fitted(report.width)
            missing |= dict.fromkeys(headings)
        if missing:
            names = ", ".join(missing)
            lines = [f"left out because the terminal is too narrow: {names}", *lines]
    drawn = [printable(line) for line in (report.heading, report.headline) if line]
    for table in tables:
        # One table needs no name.
        caption = f"{table.caption}\n" if table.caption and len(tables) > 1 else ""
        drawn.append(f"{caption}{table.drawn('simple')}")
    drawn.append("\n".join(lines))
    return "\n\n".join(drawn) + "\n"


def render_html(report: "Report") -> str:
    """Render the HTML page of a report: the content of its `page`, or else tables and notes."""
    require("html")
    from scorer.report.page import Page, render_report

    page = report.page or Page(
        headline=printable(report.headline),
        tables=report.tables,
        notes=report.remarks,
        signature=report.signature_line,
    )
    if not page.signature:
        page = page._replace(signature=report._replace(is_short=False).signature_line)
    # The title that a user gives stands alone.
    if report.heading:
        page = page._replace(about="")
    return render_report(report.title, page)


def render_parquet(report: "Report") -> bytes:
    """Render the data frame of a report as a Parquet file."""
    from io import BytesIO

    require("parquet")
    file = BytesIO()
    report.frame.to_parquet(file, engine="pyarrow", index=False)
    return file.getvalue()


def render_own(report: "Report") -> str:
    """Return the text of a format that only this result has."""
    return report.text


def render_muc7(report: "Report") -> str:
    """Render the text of the reports of MUC-7 with the title and the signature."""
    heading = f"{printable(report.heading)}\n" if report.heading else ""
    return f"{heading}{report.text}\n{report.signature_line}\n"


class OutputFormat(NamedTuple):
    """An output format.

    Attributes:
        render: Renders a report.
        endings: The endings of the names of its files.
        has_sections: It is to compute with, by section.
        is_own: Only results that name it have it.
        chooses_ratios: It can show some ratios alone.
        needs_documents: Of scores, it shows each document.
        has_intervals: Of scores, it shows the intervals.
        is_reference: Of scores, it shows what scorer.pl prints: its metrics, and no windows.
        needs: The package that it needs, and what to install for it.
    """

    render: Callable[[Any], str | bytes]
    endings: tuple[str, ...] = ()
    has_sections: bool = False
    is_own: bool = False
    chooses_ratios: bool = False
    needs_documents: bool = False
    has_intervals: bool = False
    is_reference: bool = False
    needs: tuple[str, str] | None = None


OUTPUT_FORMATS = {
    "csv": OutputFormat(partial(render_separated, ","), (".csv",), has_sections=True),
    "tsv": OutputFormat(partial(render_separated, "\t"), (".tsv",), has_sections=True),
    "json": OutputFormat(render_json, (".json",), has_sections=True),
    "jsonl": OutputFormat(render_jsonl, (".jsonl",), has_sections=True),
    "html": OutputFormat(
        render_html,
        (".html", ".htm"),
        needs_documents=True,
        has_intervals=True,
        needs=("jinja2", "jinja2"),
    ),
    "latex": OutputFormat(render_latex, (".tex",), chooses_ratios=True),
    "markdown": OutputFormat(render_markdown, (".md", ".markdown")),
    "muc7": OutputFormat(render_muc7, is_own=True),
    "parquet": OutputFormat(
        render_parquet,
        (".parquet",),
        is_own=True,
        needs=("pyarrow", "'conll-scorer[parquet]'"),
    ),
    "perl": OutputFormat(render_own, is_own=True, needs_documents=True, is_reference=True),
    "svg": OutputFormat(render_own, is_own=True),
    "table": OutputFormat(render_table, (".txt",)),
}
"""The output formats by name."""

COMPUTED = [name for name, each in OUTPUT_FORMATS.items() if each.has_sections]
"""The formats to compute with, which have sections."""


def names(*own: str) -> list[str]:
    """List the output formats of a result, some of which only this one may have."""
    return sorted(name for name, each in OUTPUT_FORMATS.items() if not each.is_own or name in own)


def named(path: str) -> str | None:
    """Find the format that the ending of a file name asks for.

    Examples:
        >>> named("tables/Scores.TEX"), named("scores")
        ('latex', None)
    """
    for name, output_format in OUTPUT_FORMATS.items():
        if path.lower().endswith(output_format.endings):
            return name
    return None


def require(name: str) -> None:
    """Raise ModuleNotFoundError if a format needs a package that is missing.

    It is better known before hours of work than after.
    """
    needs = OUTPUT_FORMATS[name].needs
    if needs is not None:
        from importlib.util import find_spec

        package, advice = needs
        if find_spec(package) is None:
            raise ModuleNotFoundError(
                f"{name} needs {package}; pip install {advice}, or choose another format"
            )


def text(report: "Report") -> str:
    """Render a report as text; ValueError when its format is none."""
    rendered = OUTPUT_FORMATS[report.output_format].render(report)
    if isinstance(rendered, bytes):
        raise ValueError(f"{report.output_format} is no text; save it to a file")
    return rendered


def content(report: "Report") -> bytes:
    """Render a report as the bytes of a file; names keep the bytes of the files that were scored.

    Raises:
        ModuleNotFoundError: The format needs a package that is missing.
    """
    rendered = OUTPUT_FORMATS[report.output_format].render(report)
    if isinstance(rendered, bytes):
        return rendered
    return rendered.encode("utf-8", "surrogateescape")


def format_of_path(path: str, formats: Iterable[str]) -> str:
    """Return the format that the ending of a file name asks for.

    Args:
        path: The name of the file.
        formats: The formats of the result.

    Raises:
        ValueError: No format has that ending.
    """
    name = named(path)
    if name is None:
        raise ValueError(
            f"{path}: the ending names no output format; use one of {endings_of(formats)}"
        )
    return name


def endings_of(formats: Iterable[str]) -> str:
    """List the endings of files of some formats."""
    return ", ".join(ending for name in formats for ending in OUTPUT_FORMATS[name].endings[:1])


def write(report: "Report", path: str) -> None:
    """Write a report to a file, which stays as it was if writing fails.

    Raises:
        OSError: The file cannot be written.
        ModuleNotFoundError: The format needs a package that is missing.
    """
    from conll.paths import replacing

    written = content(report)
    with replacing(path) as file:
        file.write(written)
