"""Ranked systems as SVG: the figure that ranks them with its interval, their letters, and the ranks between which they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from conll.prose import amount
from scorer.report.figures import figure, interval
from scorer.report.pages.drawing import LETTER, Axis, frame, shortened, svg, ticks, width, words
from scorer.report.pages.marks import look, mark, whisker
from scorer.report.pages.plot import ROW, bands
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ACROSS, _RANKS, _TIER = 900.0, 190.0, 64.0
_LETTERS = 8  # letters of a system that are drawn
_TICKS = 8
_BOLD = 1.15  # by so much letters in bold are wider


class Ranked(NamedTuple):
    """A system: its figure (a fraction) with the ends of its interval, its rank and the `ranks` between which it lies, its letters.

    `best`: whether it is not significantly worse than the best.
    """

    system: str
    tier: int | None
    value: float
    low: float
    high: float
    rank: int
    ranks: tuple[int, int]
    letters: str
    best: bool


def ranked(rows: Sequence[Ranked], title: str, of: str, percent: str = "cut") -> str:
    """Two panels with a row for each system, best first: the figure called `of`, and ranks; letters between, tiers as bands."""
    labels = [shortened(row.system) for row in rows]
    letters = [shortened(row.letters, _LETTERS) for row in rows]
    left, top = 12 + LETTER * max(width(label) * (_BOLD if row.best else 1) for label, row in zip(labels, rows)), 44.0
    begin, end = _ACROSS - _TIER - _RANKS, _ACROSS - _TIER
    room = 20 + LETTER * max(map(width, letters)) if any(letters) else 12
    right, bottom = begin - room, top + ROW * len(rows)
    known = [100 * edge for row in rows for edge in (row.low, row.high, row.value)]
    axis, places = Axis(min(known), max(known), left, right), _Ranks(len(rows), begin, end)
    panels = ((left, right, of), (begin, end, "rank"))
    parts = [frame(a, b, top, bottom) for a, b, _ in panels]
    parts += [words((a + b) / 2, 14, said, "faint", "middle") for a, b, said in panels]
    parts += [*bands([(row.tier, "") for row in rows], top, left, _ACROSS), *ticks(axis, top, bottom)]
    parts += places.ticks(top, bottom)
    ranges: list[str] = []
    for place, (row, label) in enumerate(zip(rows, labels)):
        y = top + ROW * (place + 0.5)
        kind = look(row.tier)
        name = words(left - 8, y + 4, label, "strong" if row.best else "", "end")
        drawn = whisker(kind, axis.at(100 * row.low), axis.at(100 * row.high), y)
        said = f"{row.system}: {figure(row.value, percent)} {interval(row.low, row.high, percent)}"
        best = ", not significantly worse than the best" if row.best else ""
        parts.append(f"<g><title>{text(said + best)}</title>{name}{drawn}{mark(kind, axis.at(100 * row.value), y)}</g>")
        if row.letters:
            parts.append(words(right + 10, y + 4, letters[place], "", "start"))
        low, high = row.ranks
        between = f"rank {low}" if low == high else f"ranks {low} to {high}"
        drawn = whisker(kind, places.at(low), places.at(high), y) + mark(kind, places.at(row.rank), y)
        ranges.append(f"<g><title>{text(f'{row.system}: rank {row.rank}; in replicates {between}')}</title>{drawn}</g>")
    first, last = rows[0], rows[-1]
    ends = (f"{one.system} with {figure(one.value, percent)}, ranks {one.ranks[0]} to {one.ranks[1]}" for one in (first, last))
    described = f"{amount(len(rows), 'system')}, from {' to '.join(ends)}."
    return svg(_ACROSS, bottom + 24, title, described, [*parts, *ranges], "wide")


class _Ranks:
    """From a rank to a coordinate, from left to right; so many ranks."""

    def __init__(self, size: int, begin: float, end: float) -> None:
        self._begin, self._step = begin, (end - begin) / size
        every = next(factor * 10**power for power in range(size) for factor in (1, 2, 5) if size <= _TICKS * factor * 10**power)
        self._ticks = sorted({1, *range(every, size + 1, every)})

    def at(self, rank: float) -> float:
        return self._begin + (rank - 0.5) * self._step

    def ticks(self, top: float, bottom: float) -> Iterator[str]:
        """A line at each tick, and its rank at both ends."""
        for rank in self._ticks:
            x = self.at(rank)
            yield f'<path class="tick" d="M{x:.1f} {top}V{bottom}"/>'
            yield from (words(x, y, str(rank), "faint", "middle") for y in (top - 8, bottom + 16))
