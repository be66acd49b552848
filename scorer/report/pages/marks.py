"""The marks by which a plot tells tiers or systems apart: by shape as well as by colour, however many there are."""

from __future__ import annotations

_SHAPES = 6
_COLOURS = 4
_DRAWN = 2 * _SHAPES  # each shape filled, then each open; what comes after is drawn as its number


def look(tier: int | None) -> int:
    """The number of a tier's mark, from 0; no two tiers share one."""
    return (tier or 1) - 1


def symbol(tier: int | None) -> str:
    """The mark of a tier by itself, to stand beside its number in a table."""
    return f'<svg class="symbol" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">{mark(look(tier), 7, 7)}</svg>'


def colour(kind: int) -> str:
    """The class that colours a mark, which others share: shapes tell marks apart."""
    return f"mark-{kind % _COLOURS}"


def whisker(kind: int, low: float, high: float, y: float) -> str:
    """A line between two places with a bar at either end, in the colour of that mark."""
    bars = f"M{low:.1f} {y - 4}v8M{high:.1f} {y - 4}v8"
    return f'<path class="whisker {colour(kind)}" d="M{low:.1f} {y}H{high:.1f}{bars}"/>'


def mark(kind: int, x: float, y: float) -> str:
    """The mark of that number: six shapes filled, the same open, and from then on the number itself, so that none comes twice."""
    coloured = colour(kind)
    if kind >= _DRAWN:
        return f'<text class="mark number {coloured}" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{kind + 1}</text>'
    opened = " open" if kind >= _SHAPES else ""
    drawn = (
        f'circle class="mark {coloured}{opened}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"',
        _shape(coloured, opened, x - 4, y - 4, "h8v8h-8z"),
        _shape(coloured, opened, x, y - 5, "l5.2 9h-10.4z"),
        _shape(coloured, opened, x, y - 5.5, "l5.5 5.5l-5.5 5.5l-5.5 -5.5z"),
        _shape(coloured, opened, x, y + 5, "l5.2 -9h-10.4z"),
        _shape(coloured, opened, x - 1.8, y - 5.2, "h3.6v3.4h3.4v3.6h-3.4v3.4h-3.6v-3.4h-3.4v-3.6h3.4z"),
    )
    return f"<{drawn[kind % _SHAPES]}/>"


def _shape(coloured: str, opened: str, x: float, y: float, lines: str) -> str:
    return f'path class="mark {coloured}{opened}" d="M{x:.1f} {y:.1f}{lines}"'
