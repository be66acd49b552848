"""The plots above a text: what each kind of error costs, and how well the mentions of each stratum are found."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

from scorer.analysis.kinds import KINDS
from scorer.report.figures import difference
from scorer.report.pages import plot
from scorer.report.pages.drawing import LETTER, svg, words
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from scorer.analysis.errors import Errors
    from scorer.analysis.strata import Stratum
    from scorer.report.pages.plot import Interval

PLOTTED = "type", "size", "tokens"
"""The strata that are drawn; the table has all."""

_ROW, _TOP, _WIDTH = 22, 26, 440.0


def kinds(errors: Errors, metric: str) -> str:
    """Two bars for each kind of error that occurs: how many there are (outlined), and what they cost in F1 of that metric (filled).

    Each measures itself against the longest of its own; a gain below zero, which metrics allow, has no bar and is written.
    """
    shown = [kind for kind in KINDS if errors.counts[kind]]
    gains = {kind: errors.costs.gain(kind, metric)[2] for kind in shown}
    most = max((errors.counts[kind] for kind in shown), default=1)
    greatest = max((gain for gain in gains.values() if not isnan(gain)), default=0.0)
    left = 12 + LETTER * max((len(kind) for kind in shown), default=1)
    room = (_WIDTH - left) / 2
    longest = room - 52
    parts = [words(left, 16, "errors", "faint", "start"), words(left + room, 16, f"cost in {metric} F1", "faint", "start")]
    for place, kind in enumerate(shown):
        y = _TOP + _ROW * place
        count, gain = f"{errors.counts[kind]:,}", difference(gains[kind])
        bars = [words(left - 8, y + 15, kind, "", "end")]
        ends = []
        for at, share in ((left, errors.counts[kind] / most), (left + room, gains[kind] / greatest if greatest > 0 else 0.0)):
            length = longest * max(share, 0.0)
            ends.append(at + length + 6)
            look = "whisker mark-0" if at == left else "mark mark-1"
            bars.append(f'<path class="{look}" d="M{at:.1f} {y + 5}h{length:.1f}v12h-{length:.1f}z"/>')
        bars += [words(ends[0], y + 15, count, "", "start"), words(ends[1], y + 15, gain, "", "start")]
        parts.append(f"<g><title>{text(f'{kind}: {count} errors, cost {gain}')}</title>{''.join(bars)}</g>")
    described = ". ".join(f"{kind}: {errors.counts[kind]:,} errors, cost {difference(gains[kind])}" for kind in shown)
    return svg(_WIDTH, _TOP + _ROW * max(len(shown), 1) + 8, "Kinds of errors", described or "There are none.", parts, "wide")


def strata(errors: Errors) -> str:
    """How many of the key's mentions are found, by their type, the size of their cluster and the distance to their antecedent."""
    rows = [row for row in errors.strata if row.side == "key" and row.stratum in PLOTTED and row.found is not None]
    rows.sort(key=lambda row: PLOTTED.index(row.stratum))
    if not rows:
        return ""
    return plot.intervals(
        list(map(_interval, rows)), "Key mentions found", errors.evaluation.options.percent, of="strata", across=_WIDTH
    )


def _interval(row: Stratum) -> Interval:
    low, high = row.found_interval or (nan, nan)
    found = row.found if row.found is not None else nan
    return plot.Interval(f"{row.stratum} {row.value}", PLOTTED.index(row.stratum) + 1, found, low, high, row.stratum, row.value)
