"""What the templates of pages are given: tables, plots with their captions, and facts, all of plain text but for the plots.

A page of HTML that is complete in itself: it fetches nothing, and its policy forbids the browser
to.

Templates, style and script stand in `templates`. Jinja2 makes the page of them, and is imported
when a page is asked for. It escapes every value, made printable first; plots alone come as markup,
and put whatever a stranger may have chosen through `text`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from scorer.report.figures import figure, printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from jinja2 import Environment

    from scorer.count.counts import Ratios


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    `kind` says by what it sorts: number (greatest first), rank (a number, least first), text, or
    not at all if empty.

    `look`: the class of its cells: name (the head of each row, which stays when the others scroll),
    left, main, or `r`, `p` and `f`, of which the page shows one at a time.
    """

    heading: str
    kind: Literal["number", "rank", "text", ""] = "number"
    look: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than its text, which may be followed by a `small` one.

    `value`: a number by which it sorts in place of the one that it shows. `look`: a class beside
    that of its column. `mark`: SVG that stands before the text. `href`: where its text leads.
    `span`: how many columns it takes.
    """

    text: str
    value: float | None = None
    look: str = ""
    small: str = ""
    mark: str = ""
    href: str = ""
    span: int = 1


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table that scrolls in a frame of its own.

    Rows in `last` stay at its end however it is sorted.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    last: Sequence[Row] = field(default=())

    @property
    def sortable(self) -> bool:
        """Whether there is something to sort."""
        return len(self.rows) > 1 and any(column.kind for column in self.columns)


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot, which is SVG, and what stands below it.

    A wide one scrolls in a frame of its own, which `label` names.
    """

    drawn: str
    caption: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the plots below it."""

    heading: str
    figures: Sequence[Figure]


def ratio_columns(metric: str, *, single: bool) -> list[Column]:
    """The columns of a metric's ratios, of which the page shows one.

    `single`: it has an F1 only, which always stays.
    """
    if single:
        return [Column(metric)]
    return [
        Column(f"{metric} recall", look="r"),
        Column(f"{metric} precision", look="p"),
        Column(metric, look="f"),
    ]


def ratio_cells(ratios: Ratios, *, single: bool, rounding: str) -> list[str]:
    """The cells below `ratio_columns`, in percent as the option `rounding` says.

    Empty for what does not exist.
    """
    return [figure(ratio, rounding) for ratio in ([ratios.f1] if single else ratios.as_tuple())]


FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
"""Where the templates are, one for each page, and what they share: `base.html`, `parts.html`, and
style and script."""

STYLES = "plot.css", "page.css"
SCRIPTS = ("page.js",)

LISTED = 50
"""Lines of a list that are written out; the rest are only counted."""

FOLDED = 20
"""A table of more rows of documents than that is folded, so that it does not bury what follows."""


def require() -> None:
    """ModuleNotFoundError without Jinja2."""
    from importlib.util import find_spec

    if find_spec("jinja2") is None:
        raise ModuleNotFoundError("html needs jinja2; pip install jinja2, or choose another format")


def render_page(
    template: str,
    *,
    data: Any = None,
    styles: Sequence[str] = STYLES,
    scripts: Sequence[str] = SCRIPTS,
    **said: Any,
) -> str:
    """The page that a template of `FOLDER` makes of what is `said`, with these files of style and script, and no others, in it.

    `data` is what the scripts find as JSON. ModuleNotFoundError without Jinja2,
    jinja2.UndefinedError where the template asks for what was not said.
    """
    require()
    style, script = ("".join(map(beside, files)) for files in (styles, scripts))
    allowed = f"style-src '{_hashed(style)}'; script-src '{_hashed(script)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return (
        _environment()
        .get_template(template)
        .render(policy=policy, style=style, script=script, data=_json(data), **said)
    )


def text(content: object) -> str:
    """Text as it stands in HTML and SVG, in an attribute as well.

    >>> text('<b title="a">')
    '&lt;b title=&quot;a&quot;&gt;'
    """
    return escape(printable(str(content)))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finished,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"LISTED": LISTED, "FOLDED": FOLDED}
    return environment


def _finished(value: Any) -> Any:
    """Text as it is shown; what is markup already stays."""
    return printable(value) if type(value) is str else value


@cache
def beside(file: str) -> str:
    """What stands in a file of `FOLDER`."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as opened:
        return opened.read()


def _hashed(content: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """JSON in which nothing reads as the end of the script that it stands in, or as the beginning of a comment; empty for None."""
    import json

    return (
        ""
        if data is None
        else json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace(
            "<", "\\u003c"
        )
    )


if TYPE_CHECKING:
    Row = Sequence["str | Cell"]
