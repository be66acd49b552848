"""The plots of a comparison and of a leaderboard, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.pages import plot

if TYPE_CHECKING:
    from scorer.comparison.comparison import Comparison
    from scorer.comparison.leaderboard import Leaderboard


def metrics(comparison: Comparison) -> str:
    """F1 of each system with its interval, metric by metric."""
    one = next(iter(comparison.evaluations.values()))
    f1s = {(score.metric, score.system): score for score in comparison.scores if score.ratio == "f1"}
    ordered = [f1s[name, system] for name in one.names for system in comparison.evaluations]
    rows = [plot.Interval(f"{f1.metric}: {f1.system}", None, f1.value, f1.low, f1.high) for f1 in ordered]
    drawn = plot.intervals(rows, f"F1 of each system with {comparison.resampling.interval_heading}s", one.options.percent)
    return drawn.replace(f"<desc>{len(rows)} systems", f"<desc>{len(rows)} figures", 1)


def ranked(board: Leaderboard) -> str:
    """The F1 by which systems are ranked, with its interval; tiers are bands."""
    rows = []
    for one in board.standings:
        if one.evaluation is not None:
            score = one.scores[board.sort, "f1"]
            rows.append(plot.Interval(score.system, one.tier, score.value, score.low, score.high))
    percent = next(iter(board.evaluations.values())).options.percent
    return plot.intervals(rows, f"F1 of {board.sort}{' with intervals' if len(board.documents) > 1 else ''}", percent)
