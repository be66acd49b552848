"""A table to read in a terminal. Percent are cut off after two decimals, as reference 8.01 does it, unless `percent` is rounded."""

from __future__ import annotations

from scorer.evaluation.layout import Layout
from scorer.evaluation.rows import select
from scorer.evaluation.signature import line
from scorer.report.perl import percent as cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.rows import Row

TITLES = {"micro": "micro-average", "macro": "macro-average"}

HEADINGS = ("metric", "recall", "precision", "F1", "recall counts", "precision counts")


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The table, what was removed, and the signature."""
    layout = layout or Layout()
    return "\n".join([grid(evaluation, layout, "simple", str), "", *notes(evaluation, layout, "table")]) + "\n"


def grid(evaluation: Evaluation, layout: Layout, style: str, escape: Callable[[str], str]) -> str:
    """The rows in one of tabulate's styles. Names are escaped, as they come from strangers; the parts of metrics are left out."""
    from tabulate import tabulate

    rows = [row for row in select(evaluation, layout) if row.metric in evaluation.names]
    named = any(row.kind != "micro" for row in rows)
    cells: list[list[str]] = []
    before: tuple[str, str] | None = None
    for row in rows:
        name = "" if (row.kind, row.name) == before else _title(row)
        before = row.kind, row.name
        cells.append(
            [*([escape(printable(name))] if named else []), escape(row.metric), *_figures(row, evaluation.options.percent)]
        )
    headings = [*(["document" if layout.per_document else "group" if layout.by else ""] if named else []), *map(escape, HEADINGS)]
    columns = [*(["left"] if named else []), "left", "right", "right", "right", "right", "right"]
    return str(tabulate(cells, headings, tablefmt=style, colalign=columns, disable_numparse=True))


def notes(evaluation: Evaluation, layout: Layout, report: str) -> list[str]:
    """What stands below the rows: what the filters removed, and the signature."""
    return [*map(str, evaluation.removed), f"signature: {line(evaluation, layout.signed(report))}"]


def printable(text: str) -> str:
    r"""Text of one line that no terminal takes for a command: what cannot be printed is shown by its escape.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _title(row: Row) -> str:
    if row.kind == "group":
        return row.name or "(no group)"
    return TITLES.get(row.kind, row.name)


def _figures(row: Row, percent: str) -> list[str]:
    recall, precision, f1 = (figure(ratio, percent) for ratio in row.ratios.as_tuple())
    if row.counts is None:
        return [recall, precision, f1, "", ""]
    counts = row.counts
    return [
        recall,
        precision,
        f1,
        f"{count(counts.recall_numerator)} / {count(counts.recall_denominator)}",
        f"{count(counts.precision_numerator)} / {count(counts.precision_denominator)}",
    ]


def figure(ratio: float, percent: str = "cut") -> str:
    """A ratio in percent with two decimals, cut off or rounded as `scorer.options.PERCENT` has it; nothing where there is none."""
    if ratio != ratio:  # noqa: PLR0124  only nan differs from itself
        return ""
    return f"{100 * ratio:.2f}" if percent == "rounded" else f"{float(cut(ratio)):.2f}"


def said_of_percent(percent: str) -> str:
    """How `figure` makes two decimals, in words."""
    return "rounded to two decimals" if percent == "rounded" else "cut off after two decimals"


def count(value: float) -> str:
    """A count: whole, or with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
