"""A leaderboard as a report: a table to read, rows and JSON to compute with."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from scorer import registry
from scorer.comparison.comparison import RATIOS
from scorer.comparison.leaderboard_page import page
from scorer.evaluation import rows
from scorer.evaluation.signature import written
from scorer.report.figures import figure, interval, share
from scorer.report.frame import frame_of
from scorer.report.report import Report, Table, Term

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    import pandas as pd

    from scorer.comparison.comparison import Score
    from scorer.comparison.leaderboard import Leaderboard, Standing

FIGURES = tuple(f"{ratio}{end}" for ratio in RATIOS for end in ("", "_low", "_high"))
"""The values of a metric: each ratio and the ends of its interval."""
FIELDS = ("kind", "rank", "tier", "system", "metric", *FIGURES, "missing", "warnings", "reason")
"""The values of a record. Kind: score, failed (with its reason), or note and signature, which stand in `reason`."""


def report_of(
    board: Leaderboard,
    form: str = "table",
    *,
    full: bool = False,
    by: str | None = None,
    errors: Mapping[str, str] | None = None,
) -> Report:
    """What that form is to show.

    In tables figures are percent with two decimals, made as the option `percent` says: F1 of each metric, and with `full` recall
    and precision as well. Rows and JSON hold all as fractions with all digits. `by`: in JSON and on the page the figures of
    groups of documents as well, as `Evaluation.by` makes them. `errors`: by system the address of the page of its
    errors. The page has recall and precision in any case.
    """
    signature = board.signature(form)
    signature["report"] |= ({"full": True} if full else {}) | ({"by": by} if by is not None else {})
    failed = [f"{standing.system} could not be scored: {standing.reason}" for standing in board.standings if standing.reason]
    told = [{"kind": "note", "reason": note} for note in board.notes] + [{"kind": "signature", "reason": written(signature)}]
    return Report(
        form,
        f"Leaderboard of {len(board.standings)} systems",
        tables=lambda: [_table(board, full=full)],
        notes=[*failed, *(f"note: {note}" for note in board.notes)],
        signature=written(signature),
        fields=FIELDS,
        records=lambda: [*_records(board), *(dict.fromkeys(FIELDS) | one for one in told)],
        tree=lambda: to_dict(board, by=by) | {"signature": signature},
        page=lambda: page(board, by=by, errors=errors),
    )


def to_dict(board: Leaderboard, *, by: str | None = None) -> dict[str, Any]:
    """`Leaderboard.to_dict`."""
    return {
        "sort": board.sort,
        "documents": board.documents,
        "standings": [_standing(board, standing, by) for standing in board.standings],
        "p": [{"first": first, "second": second, "p": p} for (first, second), p in board.p.items()],
        "gaps": [{"below": one.system, "p_holm": gap} for one, gap in zip(board.standings, board.gaps)],
        "notes": board.notes,
        "problems": list(map(str, board.problems)),
        "signature": board.signature(),
    }


def to_frame(board: Leaderboard) -> pd.DataFrame:
    """`Leaderboard.to_frame`."""
    frame = frame_of(([record.get(field) for field in FIELDS] for record in _records(board)), FIELDS).drop(columns="kind")
    return frame.astype(dict.fromkeys(FIGURES, float) | dict.fromkeys(("rank", "tier", "missing", "warnings"), "Int64"))


def _table(board: Leaderboard, *, full: bool) -> Table:
    measures = [(metric, ratio) for metric in [board.sort, *board.metrics] for ratio in (RATIOS if full else RATIOS[2:])]
    shown = [one for one in board.standings if one.evaluation is not None][:1]
    measures = [one for one in dict.fromkeys(measures) if shown and one in shown[0].scores]
    headings = ["rank", "tier", "system"]
    for metric, ratio in measures:
        of = "F1" if ratio == "f1" else ratio
        headings.append(Term(f"{metric} {of}", f"{registry.title(metric)} {of}"))
        if (metric, ratio) == (board.sort, "f1"):
            headings.append(board.resampling.interval_heading)
    headings += ["mentions found", "missing", "warnings"]
    return Table(headings, [_cells(one, board.sort, measures, len(headings)) for one in board.standings], 3)


def _cells(standing: Standing, sort: str, measures: list[tuple[str, str]], width: int) -> list[str]:
    counts = standing.found()
    if counts is None or standing.evaluation is None:
        return ["–", "", standing.system, "not scored" if measures else "", *[""] * (width - 4)]
    percent = standing.evaluation.options.percent
    cells = [str(standing.rank), str(standing.tier or ""), standing.system]
    for measure in measures:
        score = standing.scores[measure]
        cells.append(figure(score.value, percent))
        if measure == (sort, "f1"):
            cells.append(interval(score.low, score.high, percent))
    mentions = share(counts.recall_numerator, counts.recall_denominator)
    return [*cells, mentions, str(len(standing.missing)), str(standing.warnings)]


def _records(board: Leaderboard) -> Iterator[dict[str, Any]]:
    empty = dict.fromkeys(FIELDS)
    for standing in board.standings:
        if standing.evaluation is None:
            yield empty | {"kind": "failed", "system": standing.system, "reason": standing.reason}
            continue
        ours = {"kind": "score", "rank": standing.rank, "tier": standing.tier, "system": standing.system}
        ours |= {"missing": len(standing.missing), "warnings": standing.warnings}
        for metric in board.metrics:
            yield empty | ours | {"metric": metric} | _figures(standing, metric)


def _figures(standing: Standing, metric: str) -> dict[str, float | None]:
    """The figures of a metric that exist, as in `FIGURES`; None for what could not be computed."""
    scores = [score for (name, _), score in standing.scores.items() if name == metric]
    return {f"{score.ratio}{end}": None if isnan(value) else value for score in scores for end, value in _ends(score)}


def _ends(score: Score) -> tuple[tuple[str, float], ...]:
    return ("", score.value), ("_low", score.low), ("_high", score.high)


def _standing(board: Leaderboard, standing: Standing, by: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"system": standing.system, "rank": standing.rank, "tier": standing.tier}
    mentions = standing.found()
    if standing.evaluation is None or mentions is None:
        return fields | {"reason": standing.reason}
    fields["metrics"] = {metric: _figures(standing, metric) for metric in board.metrics}
    fields["mentions"] = {
        "found": mentions.recall_numerator,
        "key": mentions.recall_denominator,
        "response": mentions.precision_denominator,
    }
    fields |= {"missing": standing.missing, "warnings": standing.warnings, "problems": list(map(str, standing.problems))}
    if by is not None:
        groups: dict[str, dict[str, Any]] = {}
        for row in rows.groups(standing.evaluation, by):
            groups.setdefault(row.name, {})[row.metric] = row.to_dict()
        fields["groups"] = [{"name": name, "metrics": metrics} for name, metrics in groups.items()]
    return fields
