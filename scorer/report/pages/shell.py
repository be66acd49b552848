"""A page of HTML that is complete in itself: it fetches nothing, and its policy forbids the browser to.

Style and script stand in files of their own beside this one. Whatever text a stranger may have chosen goes through `text`.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from scorer.report.figures import figure, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from scorer.count.counts import Ratios
    from scorer.report.report import Table

_SHELL = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<footer>
{footer}
</footer>
{scripts}</body>
</html>
"""

_POLICY = """\
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
"""

SWITCH = """\
<fieldset>
<legend>Show</legend>
<label><input type="radio" name="ratio" id="show-f1" checked>F1</label>
<label><input type="radio" name="ratio" id="show-recall">recall</label>
<label><input type="radio" name="ratio" id="show-precision">precision</label>
</fieldset>"""
"""What chooses the ratio that the columns of metrics show, without a script."""

LISTED = 50
"""Lines of a list that are written out; the rest are only counted."""


def shell(
    title: str, style: str, body: Sequence[str], footer: Sequence[str], *, policy: str = "", scripts: Sequence[str] = ()
) -> str:
    """The frame of every page. `title` and the lines of `footer` are text, the rest is HTML; `policy` binds the browser."""
    return _SHELL.format(
        policy=policy and _POLICY.format(policy=policy),
        title=text(title),
        style=style,
        body="\n".join(body),
        footer="\n".join(f"<p>{text(line)}</p>" for line in footer),
        scripts="".join(f"{script}\n" for script in scripts),
    )


def page(title: str, body: Sequence[str], footer: Sequence[str], data: Any = None) -> str:
    """A page with a script, which finds `data` as JSON. `title` and the lines of `footer` are text, `body` is HTML."""
    style, script = _beside("shell.css"), _beside("shell.js")
    allowed = f"style-src '{_hashed(style)}'; script-src '{_hashed(script)}'"
    inner = ["<header>", f"<h1>{text(title)}</h1>", "</header>", "<main>", *body, "</main>"]
    scripts = [f"<script>{script}</script>"]
    if data is not None:
        scripts.insert(0, f'<script type="application/json" id="data">{_json(data)}</script>')
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return shell(title, style, inner, footer, policy=policy, scripts=scripts)


def text(content: object) -> str:
    """Text as it stands in HTML and SVG, in an attribute as well.

    >>> text('<b title="a">')
    '&lt;b title=&quot;a&quot;&gt;'
    """
    return escape(printable(str(content)))


def name(content: str) -> str:
    """A name, in a direction of its own: one in Arabic does not turn around what stands beside it."""
    return f"<bdi>{text(content)}</bdi>"


def heading(content: str, *, kind: str = "number", look: str = "") -> str:
    """The heading of a column by which a table can be sorted, as `kind` says: number, rank (a number, least first) or text."""
    return f'<th scope="col" data-kind="{kind}"{_look(look)}>{text(content)}</th>'


def cell(value: float | None, shown: str | None = None, look: str = "", *, percent: str = "cut") -> str:
    """A cell with a number, sorted by `value`, shown in percent unless `shown` says otherwise; empty for None and nan.

    `percent` as in `scorer.options`.
    """
    if value is None or value != value:  # noqa: PLR0124  only nan differs from itself
        return f"<td{_look(look)}></td>"
    return f'<td data-value="{value}"{_look(look)}>{figure(value, percent) if shown is None else text(shown)}</td>'


def headings(metric: str, *, single: bool) -> list[str]:
    """The headings of a metric's ratios; the switch picks the one shown. `single`: it has an F1 only, which always stays."""
    if single:
        return [heading(metric)]
    return [*(heading(f"{metric} {ratio}", look=ratio) for ratio in ("recall", "precision")), heading(metric, look="f1")]


def cells(ratios: Ratios, *, single: bool, percent: str) -> list[str]:
    """The cells below `headings`."""
    if single:
        return [cell(ratios.f1, percent=percent)]
    return [cell(ratio, look=look, percent=percent) for ratio, look in zip(ratios.as_tuple(), ("recall", "precision", "f1"))]


def table(caption: str, headings: Iterable[str], rows: Iterable[str], *, last: Iterable[str] = (), sortable: bool = True) -> str:
    """A table of headings and rows that are HTML, which scrolls on its own where it is too wide; `last` stay at its end."""
    begin = f"<table{_look('sortable' if sortable else '')}>\n<caption>{text(caption)}</caption>\n<thead><tr>"
    bodies = [f"<tbody>\n{_rows(some)}\n</tbody>" for some in (list(rows), list(last)) if some]
    inner = f"{begin}{''.join(headings)}</tr></thead>\n" + "\n".join(bodies) + "\n</table>"
    return scrolling(inner, caption)


def drawn(one: Table, caption: str) -> str:
    """A table of text; its columns stand as in a terminal."""
    looks = [_look("left" if at < one.left else "") for at in range(len(one.headings))]
    headings = [f'<th scope="col"{look}>{text(heading)}</th>' for heading, look in zip(one.headings, looks)]
    rows = ["".join(f"<td{look}>{text(cell)}</td>" for cell, look in zip(row, looks)) for row in one.rows]
    return table(caption, headings, rows, sortable=False)


def scrolling(inner: str, label: str) -> str:
    """HTML that scrolls on its own where it is too wide for the page, by keys as well; `label` names it."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{text(label)}">\n{inner}\n</div>'


def standalone(plot: str) -> str:
    """A plot of `scorer.report.pages.plot` as a file of its own, with the style that it has on a page."""
    begin, _, rest = plot.partition(">\n")
    return f'{begin} xmlns="http://www.w3.org/2000/svg">\n<style>{_beside("shell.css")}</style>\n{rest}\n'


def listed(lines: Sequence[object], unlisted: int = 0) -> str:
    """A list of lines of text, the first of them where there are many; so many are `unlisted` already."""
    rest = len(lines[LISTED:]) + unlisted
    more = [f"<li>and {rest:,} more</li>"] if rest else []
    return "\n".join(["<ul>", *(f"<li>{text(line)}</li>" for line in lines[:LISTED]), *more, "</ul>"])


def _rows(rows: Sequence[str]) -> str:
    return "\n".join(f"<tr>{row}</tr>" for row in rows)


def _look(look: str) -> str:
    return f' class="{look}"' if look else ""


def _beside(file: str) -> str:
    import os

    with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as opened:
        return opened.read()


def _hashed(content: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _json(data: Any) -> str:
    """JSON in which nothing reads as the end of the script that it stands in, or as the beginning of a comment."""
    import json

    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
