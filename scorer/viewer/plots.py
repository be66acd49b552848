"""The plots above a text: what each kind of error costs, and how well the mentions of each stratum are found and linked."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from scorer.analysis.kinds import KINDS
from scorer.analysis.text import NONE
from scorer.report.figures import difference, figure, interval
from scorer.report.pages.drawing import LETTER, Axis, shortened, svg, ticks, width, words
from scorer.report.pages.marks import colour, mark
from scorer.report.pages.shell import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conll.errors import Side
    from scorer.analysis.errors import Errors
    from scorer.analysis.strata import Stratum

SHARES = {
    "found": "mentions found",
    "bcub": "B³",
    "right": "closest links right",
}
"""The shares of a stratum, by their fields, as they are called: recall of the key's mentions, precision of the response's."""

MOST = 12
"""Values of a stratum that are drawn; the table has all."""

_SIDES: tuple[Side, Side] = ("key", "response")
_STRATA = {
    "type": "type of mention",
    "entity": "type of entity",
    "pos": "part of speech",
    "length": "length in tokens",
    "nesting": "nesting",
    "singleton": "singleton or not",
    "size": "size of cluster",
    "tokens": "distance in tokens",
    "sentences": "distance in sentences",
    "between": "distance in mentions",
    "group": "group of documents",
}

_ROW, _TOP, _WIDTH = 22, 26, 440.0


@dataclass(frozen=True)
class Chart:
    """The plot of one `share` by the values of one `stratum`."""

    stratum: str
    share: str
    drawn: str


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


def strata(errors: Errors) -> list[Chart]:
    """A plot for each stratum of which something is known, and each share: its values from top to bottom, key above response."""
    by_stratum: dict[str, dict[str, dict[Side, Stratum]]] = {}
    for row in errors.strata:
        by_stratum.setdefault(row.stratum, {}).setdefault(row.value, {})[row.side] = row
    known = {stratum: values for stratum, values in by_stratum.items() if not values.keys() <= {NONE}}
    percent = errors.evaluation.options.percent
    return [
        Chart(_STRATA.get(stratum, stratum), said, _shares(values, share, f"{said}, by {_STRATA.get(stratum, stratum)}", percent))
        for stratum, values in known.items()
        for share, said in SHARES.items()
    ]


def _shares(values: Mapping[str, Mapping[Side, Stratum]], share: str, title: str, percent: str) -> str:
    """A dot and a whisker for the mentions of each side with each value, and how many these are."""
    shown = list(values)[:MOST]
    counts = [" / ".join(f"{row.tally.mentions:,}" for row in map(values[value].get, _SIDES) if row is not None) for value in shown]
    left = 12 + LETTER * max(width(shortened(value, 18)) for value in shown)
    right = _WIDTH - 12 - LETTER * max(map(len, [*counts, "mentions"]))
    bottom = _TOP + _ROW * len(shown)
    rows = [row for value in shown for row in values[value].values() if getattr(row, share) is not None]
    known = [100 * end for row in rows for end in (getattr(row, share), *(getattr(row, f"{share}_interval") or ()))] or [0.0, 100.0]
    axis = Axis(min(known), max(known), left, right)
    parts = [f'<rect class="frame" x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" height="{bottom - _TOP}"/>']
    parts += [words(_WIDTH - 4, _TOP - 8, "mentions", "faint", "end"), *ticks(axis, _TOP, bottom)]
    described = []
    for place, (value, count) in enumerate(zip(shown, counts)):
        middle = _TOP + _ROW * (place + 0.5)
        parts += [
            words(left - 8, middle + 4, shortened(value, 18), "", "end"),
            words(_WIDTH - 4, middle + 4, count, "faint", "end"),
        ]
        for side, y in zip(_SIDES, (middle - 5, middle + 5)):
            row = values[value].get(side)
            one = getattr(row, share) if row is not None else None
            if one is None:
                continue
            ends = getattr(row, f"{share}_interval")
            kind = _SIDES.index(side)
            said = f"{value}, {side}: {figure(one, percent)}" + (
                f" {interval(ends[0], ends[1], percent)}" if ends is not None else ""
            )
            described.append(said)
            inner = mark(kind, axis.at(100 * one), y)
            if ends is not None:
                low, high = (axis.at(100 * end) for end in ends)
                bars = f"M{low:.1f} {y - 3}v6M{high:.1f} {y - 3}v6"
                inner = f'<path class="whisker {colour(kind)}" d="M{low:.1f} {y}H{high:.1f}{bars}"/>{inner}'
            parts.append(f"<g><title>{text(said)}</title>{inner}</g>")
    if len(values) > MOST:
        parts.append(words(left - 8, bottom + 16, f"and {len(values) - MOST:,} more", "faint", "end"))
    return svg(_WIDTH, bottom + 24, title, "; ".join(described), parts, "wide")
