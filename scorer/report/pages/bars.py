"""Horizontal bars as a picture in SVG that is complete in itself: a file to look at or to put into a paper, or a part of a page.

Coordinates have one decimal: same figures, same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scorer.report.pages.drawing import LETTER, multiples, step_of
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROW, _TOP, _WIDTH = 26, 34, 720.0

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.faint{fill:#666}.gain{fill:#2b6cb0}.loss{fill:#b7410e}"
    ".tick{stroke:#8886}.zero{stroke:#666}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.faint{fill:#aaa}.gain{fill:#63a4e8}.loss{fill:#f08c5a}}"
)


class Bar(NamedTuple):
    """A bar: its label, its length (negative to the left), and what is written at its end."""

    label: str
    value: float
    shown: str


def bars(rows: Sequence[Bar], title: str, unit: str) -> str:
    """A bar for each row from top to bottom, below an axis in that unit; ValueError without a row.

    Bars to the left are hatched as well as of another colour.
    """
    if not rows:
        raise ValueError("there is nothing to draw")
    left = 16 + LETTER * max(len(row.label) for row in rows)
    right = _WIDTH - 16 - LETTER * max(len(row.shown) for row in rows)
    low, high = min(0.0, *(row.value for row in rows)), max(0.0, *(row.value for row in rows))
    if low < 0:
        # What is written at a bar to the left stands left of it.
        left += LETTER * max(len(row.shown) for row in rows if row.value < 0) + 8
    span = high - low or 1.0
    bottom = _TOP + _ROW * len(rows)

    def at(value: float) -> float:
        return left + (value - low) / span * (right - left)

    parts = []
    for tick in _ticks(low, low + span):
        look = "zero" if tick == 0 else "tick"
        parts.append(f'<path class="{look}" d="M{at(tick):.1f} {_TOP}V{bottom}"/>')
        parts.append(f'<text class="faint" x="{at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    for place, row in enumerate(rows):
        y = _TOP + _ROW * place
        begin, end = sorted((at(0), at(row.value)))
        loss = row.value < 0
        label = f'<text x="8" y="{y + 17}">{text(row.label)}</text>'
        fill = ' fill="url(#hatch)"' if loss else ' class="gain"'
        bar = f'<rect{fill} x="{begin:.1f}" y="{y + 5}" width="{end - begin:.1f}" height="16"/>'
        x, anchor = (begin - 6, "end") if loss else (end + 6, "start")
        shown = f'<text x="{x:.1f}" y="{y + 17}" text-anchor="{anchor}">{text(row.shown)}</text>'
        parts.append(f"<g><title>{text(row.label)}: {text(row.shown)} {text(unit)}</title>{label}{bar}{shown}</g>")
    head = f'<text x="8" y="18">{text(title)}</text>'
    foot = f'<text class="faint" x="{(left + right) / 2:.1f}" y="{bottom + 34}" text-anchor="middle">{text(unit)}</text>'
    hatch = '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"><path class="loss" d="M0 0h3v6h-3z"/></pattern>'
    size = f'width="{_WIDTH:.0f}" height="{bottom + 42}" viewBox="0 0 {_WIDTH:.0f} {bottom + 42}"'
    described = f"<title>{text(title)}</title>\n<desc>{text(f'{len(rows)} bars, in {unit}.')}</desc>"
    inner = "\n".join([head, *parts, foot])
    begin_svg = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    return f"{begin_svg}\n{described}\n<style>{_STYLE}</style>\n<defs>{hatch}</defs>\n{inner}\n</svg>\n"


def _ticks(low: float, high: float) -> list[float]:
    return [round(tick, 10) for tick in multiples(step_of(high - low), low, high)]
