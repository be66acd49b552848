"""The plots of a comparison and of a leaderboard, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.evaluation.plots import main_of
from scorer.report.pages import plot, ranks
from scorer.report.pages.drawing import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.comparison.comparison import Comparison
    from scorer.comparison.leaderboard import Leaderboard
    from scorer.evaluation.evaluation import Evaluation

ROWS = 48
"""Up to so many figures, a comparison plots those of all metrics; of more, those of the main one."""


def metrics(comparison: Comparison) -> str:
    """F1 of each system with its interval, metric by metric."""
    one = comparison.first
    main = main_of(one.names)
    names = (
        [main, *(name for name in one.names if name != main)] if len(one.names) * len(comparison.evaluations) <= ROWS else [main]
    )
    tiers = {system: tier for tier, system in enumerate(comparison.evaluations, 1)}
    f1s = {(score.metric, score.system): score for score in comparison.scores if score.ratio == "f1"}
    ordered = [f1s[name, system] for name in names for system in comparison.evaluations]
    rows = [plot.Interval(f1.system, tiers[f1.system], f1.value, f1.low, f1.high, f1.metric) for f1 in ordered]
    title = f"F1 of each system with {comparison.resampling.interval_heading}s"
    return plot.intervals(rows, title, one.options.percent, of="figure")


def differences(comparison: Comparison, metric: str) -> str:
    """The difference in F1 of each pair of systems with its interval, by one metric."""
    rows = [
        plot.Interval(
            f"{one.first} − {one.second}",
            *(None, one.value, one.low, one.high),
            label=" − ".join(shortened(system, 13) for system in (one.first, one.second)),
        )
        for one in comparison.differences
        if (one.metric, one.ratio) == (metric, "f1")
    ]
    return plot.intervals(rows, f"Differences in F1 of {metric}", of="difference", signed=True)


def ranked(board: Leaderboard) -> str:
    """The F1 by which systems are ranked with its interval, their letters, and the ranks between which they lie; tiers are bands.

    The F1 alone where there are too few units for the others.
    """
    standings = [(one, one.scores[board.sort, "f1"]) for one in board.standings if one.evaluation is not None]
    title, percent = ranked_title(board), _percent(board.evaluations.values())
    rows = [
        ranks.Ranked(
            *(one.system, one.tier, f1.value, f1.low, f1.high),
            *(one.rank, one.ranks, one.letters or "", bool(one.best)),
        )
        for one, f1 in standings
        if one.rank is not None and one.ranks is not None
    ]
    if rows:
        return ranks.ranked(rows, title, f"F1 of {board.sort}", percent)
    return plot.intervals([plot.Interval(one.system, one.tier, f1.value, f1.low, f1.high) for one, f1 in standings], title, percent)


def ranked_title(board: Leaderboard) -> str:
    """What `ranked` is called."""
    return f"F1 of {board.sort}{' with intervals, and ranks' if sum(board.units.values()) > 1 else ''}"


def groups(board: Leaderboard, named: dict[str, dict[str, Evaluation]]) -> str:
    """The F1 by which systems are ranked in each group of documents; `named`: by group, then by system."""
    tiers = {one.system: one.tier for one in board.standings}
    rows = []
    for name, by_system in named.items():
        dots = [plot.Dot(system, group.ratios(board.sort).f1, tiers[system]) for system, group in by_system.items()]
        rows.append(plot.Strip(name, float("nan"), dots))
    return plot.strips(rows, f"F1 of {board.sort} in each group", _percent(board.evaluations.values()), of="system")


def recall_against_precision(evaluations: dict[str, Evaluation], metric: str, looks: Iterable[tuple[int, int | None]]) -> str:
    """Recall and precision of each system by one metric, best first; `looks`: the number beside each, and its tier."""
    points = []
    for (system, evaluation), (number, tier) in zip(evaluations.items(), looks):
        ratios = evaluation.ratios(metric)
        points.append(plot.Point(system, number, tier, ratios.recall, ratios.precision))
    return plot.recall_against_precision(points, f"Recall against precision of {metric}", _percent(evaluations.values()))


def _percent(evaluations: Iterable[Evaluation]) -> str:
    """How figures are made percent; all systems are scored alike."""
    return next(iter(evaluations)).options.percent
