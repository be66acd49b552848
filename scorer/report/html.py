"""A page with one table, complete in itself: nothing is fetched."""

from __future__ import annotations

from html import escape

from scorer.layout import Layout
from scorer.report.table import grid, notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.evaluate import Evaluation

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coreference scores</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ padding: 0.2em 0.8em; border-bottom: 1px solid #8888 }}
footer {{ margin-top: 1em; font-size: smaller; overflow-wrap: anywhere }}
</style>
</head>
<body>
{table}
<footer>
{notes}
</footer>
</body>
</html>
"""


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The page: the table, what was removed, and the signature."""
    layout = layout or Layout()
    below = "\n".join(f"<p>{escape(note)}</p>" for note in notes(evaluation, layout, "html"))
    return _PAGE.format(table=grid(evaluation, layout, "html", str), notes=below)
