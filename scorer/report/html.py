"""A page with one table, complete in itself: nothing is fetched."""

from __future__ import annotations

from html import escape

from scorer.evaluation.layout import Layout
from scorer.report.table import grid, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.evaluation.evaluation import Evaluation

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ padding: 0.2em 0.8em; border-bottom: 1px solid #8888 }}
footer {{ margin-top: 1em; font-size: smaller; overflow-wrap: anywhere }}
</style>
</head>
<body>
{tables}
<footer>
{notes}
</footer>
</body>
</html>
"""


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The page: the table, what was removed, and the signature."""
    layout = layout or Layout()
    return page("Coreference scores", [grid(evaluation, layout, "html", str)], notes(evaluation, layout, "html"))


def page(title: str, tables: Sequence[str], below: Sequence[str]) -> str:
    """The page of tables that are HTML, and of lines below them that are text."""
    lines = "\n".join(f"<p>{escape(note)}</p>" for note in below)
    return _PAGE.format(title=escape(title), tables="\n".join(tables), notes=lines)
