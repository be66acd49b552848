"""HTML pages that are complete in themselves: they fetch nothing, and their policy forbids it.

Templates, style and script stand in `templates`. Jinja2 makes the page of them, and is imported
when a page is asked for. It escapes every value, made printable first; plots alone come as markup,
and put whatever a stranger may have chosen through `text`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.report.columns import Table, printable
from scorer.report.drawing import symbol

if TYPE_CHECKING:
    from jinja2 import Environment


class Figure(NamedTuple):
    """A plot, which is SVG, and what stands below it.

    A wide one scrolls in a frame of its own, which `label` names.
    """

    drawn: str
    caption: str
    label: str = ""


class Section(NamedTuple):
    """A heading and the plots below it."""

    heading: str
    figures: Sequence[Figure]


class Page(NamedTuple):
    """The content of an HTML report; empty parts are left out.

    Attributes:
        about: The files that the page is about, which the tab of a browser shows.
        headline: The result in a sentence.
        facts: What was scored, as pairs of a term and a text.
        summary: What all figures are.
        explained: What the columns of the first table are.
        notes: What a reader has to know about the figures.
        errors: The address of a page with the errors.
        tables: Tables that are always open.
        first_lists: Lists of lines, each with its heading, before the plots.
        sections: Plots.
        folded: Tables that fold under their captions.
        systems: What is behind the figures of each system: `name`, `figures`, `errors`, `tables`,
            `missing`, `warnings` and the number of `unlisted` ones.
        lists: Lists as `first_lists`, at the end.
        signature: The last line.
    """

    about: str = ""
    headline: str = ""
    facts: Iterable[tuple[str, str]] = ()
    summary: str = ""
    explained: str = ""
    notes: Sequence[str] = ()
    errors: str = ""
    tables: Sequence[Table] = ()
    first_lists: Iterable[tuple[str, Sequence[object]]] = ()
    sections: Iterable[Section] = ()
    folded: Sequence[Table] = ()
    systems: Sequence[Mapping[str, Any]] = ()
    lists: Iterable[tuple[str, Sequence[object]]] = ()
    signature: str = ""


def render_report(title: str, content: Page) -> str:
    """Make the HTML report with that title."""
    return render_page("report.html", title=title, **content._asdict())


def has_ratios(tables: Iterable[Table]) -> bool:
    """Return whether tables have columns for recall, precision and F1, of which one is shown."""
    return any(table.has_ratios for table in tables)


FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
"""Where the templates are, one for each page, and what they share: `base.html`, `parts.html`, and
style and script."""

STYLES = "plot.css", "page.css"
SCRIPTS = ("page.js",)

LISTED = 50
"""Lines of a list that are written out; the rest are only counted."""

FOLDED = 20
"""A table of more rows of documents than that is folded, so that it does not bury what follows."""


def render_page(
    template: str,
    *,
    data: Any = None,
    styles: Sequence[str] = STYLES,
    scripts: Sequence[str] = SCRIPTS,
    **values: Any,
) -> str:
    """Make a page that holds all that it needs.

    Args:
        template: A file of `FOLDER`.
        data: What the scripts find as JSON.
        styles: The files of style in the page, and no others.
        scripts: The files of script in the page, and no others.
        values: What the template shows, by name.

    Raises:
        ModuleNotFoundError: There is no Jinja2.
        jinja2.UndefinedError: The template asks for a value that is not given.
    """
    style, script = _joined(styles), _joined(scripts)
    allowed = f"style-src '{_hashed(style)}'; script-src '{_hashed(script)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    opened = _environment().get_template(template)
    return opened.render(policy=policy, style=style, script=script, data=_json(data), **values)


def _joined(files: Iterable[str]) -> str:
    return "".join(beside(file) for file in files)


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
    environment.globals |= {
        "FOLDED": FOLDED,
        "LISTED": LISTED,
        "has_ratios": has_ratios,
        "symbol": symbol,
    }
    return environment


def _finished(value: Any) -> Any:
    """Make text printable; what is markup already stays."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


@cache
def beside(file: str) -> str:
    """Read a file of `FOLDER`."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as opened:
        return opened.read()


def _hashed(content: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """Write JSON in which nothing ends its script or begins a comment; nothing for None."""
    import json

    if data is None:
        return ""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
