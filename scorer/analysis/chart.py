"""What each kind of error costs, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.analysis.kinds import KINDS
from scorer.report.figures import difference
from scorer.report.pages.bars import Bar, bars

if TYPE_CHECKING:
    from scorer.analysis.errors import Errors


def chart(errors: Errors, metric: str) -> str:
    """A bar for each kind that occurs, or for every kind where none does; KeyError when that metric is not shown."""
    if metric not in errors.names:
        raise KeyError(metric)
    kinds = [kind for kind in KINDS if errors.counts[kind]] or KINDS
    rows = []
    for kind in kinds:
        gain = errors.costs.gain(kind, metric)[2]
        rows.append(Bar(f"{kind} ({errors.counts[kind]:,})", 100 * gain, difference(gain)))
    return bars(rows, f"What {metric} gains if one kind of error alone is mended", f"points of F1 in {metric}")
