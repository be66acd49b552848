"""The page of a text with its mentions: of one annotation, or of key and response with the errors between them.

The text travels as columns of numbers, see `scorer.viewer.text`, and is laid out by the page's script as it comes into view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.report.pages import shell
from scorer.report.pages.marks import symbol
from scorer.viewer.text import Values, columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from scorer.report.pages.grid import Figure, Grid
    from scorer.viewer.plots import Chart
    from scorer.viewer.text import Viewed

STYLES = *shell.STYLES, "viewer.css"
SCRIPTS = *shell.SCRIPTS, "viewer.js"

SHAPES, PATTERNS = 9, 4
"""How many shapes of errors `viewer.html` draws, and how many patterns of lines the script has beside the solid one."""


@dataclass(frozen=True)
class Kind:
    """A kind of error: how many there are and what they cost, as text; `shape` and `pattern` tell it from others without colour.

    Kinds that concern missing things, or extra ones, or what is put together wrongly may share a pattern, as their shapes differ.
    """

    name: str
    errors: int
    cost: str = ""
    shape: int = 0
    pattern: int = 0


def page(
    documents: Iterable[Viewed],
    *,
    title: str,
    kinds: Sequence[Kind] = (),
    cost: str = "",
    facets: Sequence[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    figures: Sequence[Figure] = (),
    charts: Sequence[Chart] = (),
    tables: Sequence[tuple[str, Grid]] = (),
    signature: str = "",
) -> str:
    """A page that needs nothing beside it, of documents in this order.

    The errors of the documents count by the places of `kinds`; `cost` says what it is that these cost. `facets`: the properties of
    mentions by which errors can be filtered, of those that the documents know. Of `charts`, for each stratum one of each share, one
    at a time is shown. All is text, whatever it holds, but for the plots.

    ConllError where mentions need more words than can be shown, ModuleNotFoundError without Jinja2.
    """
    shell.require()
    values = {name: Values() for name in facets}
    shown, sides = [], 1
    for document in documents:
        shown.append(columns(document, values))
        sides = max(sides, 1 + (document.response is not None))
    data: dict[str, Any] = {
        "sides": sides,
        "kinds": [{"name": kind.name, "shape": kind.shape % SHAPES, "pattern": kind.pattern % PATTERNS} for kind in kinds],
        "facets": [{"name": name, "values": some.listed()} for name, some in values.items()],
        "documents": shown,
    }
    return shell.render(
        "viewer.html",
        data=data,
        styles=STYLES,
        scripts=SCRIPTS,
        title=title,
        facts=[*facts, *_facts(shown, sides)],
        notes=notes,
        kinds=kinds,
        cost=cost,
        sides=sides,
        figures=figures,
        charts=charts,
        strata=list(dict.fromkeys(chart.stratum for chart in charts)),
        shares=list(dict.fromkeys(chart.share for chart in charts)),
        marks=[symbol(1), symbol(2)],
        tables=tables,
        signature=signature,
    )


def _facts(shown: Sequence[dict[str, Any]], sides: int) -> Iterable[tuple[str, str]]:
    """What the text holds."""
    words = sum(len(one["words"]) - len(one["faint"]) for one in shown)
    yield "text", f"{words:,} words in {amount(len(shown), 'document')}"
    for side in ("key", "response")[:sides]:
        mentions = sum(len(one[side]) - one[side].count(-1) for one in shown)
        # A cluster without mentions is none of a text.
        clusters = sum(len(set(one[side]) - {-1}) for one in shown)
        yield f"{side} mentions" if sides > 1 else "mentions", f"{mentions:,} in {clusters:,} clusters"
