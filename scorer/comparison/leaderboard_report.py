"""A leaderboard as a report: a table to read, rows and JSON to compute with."""

from __future__ import annotations

from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer import registry
from scorer.comparison.figures import RATIOS
from scorer.comparison.leaderboard_page import page
from scorer.comparison.resampling import SHOW, SHOWN
from scorer.comparison.runs import orders_table, runs_table
from scorer.evaluation import rows
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import written
from scorer.report.figures import figure, interval, share
from scorer.report.frame import frame_of
from scorer.report.report import Report, Table, Term

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pandas as pd

    from scorer.comparison.comparison import Score
    from scorer.comparison.leaderboard import Leaderboard, Standing

FIGURES = tuple(f"{ratio}{end}" for ratio in RATIOS for end in ("", "_low", "_high"))
"""The values of a metric: each ratio and the ends of its interval."""
RANKING = ("rank", "tier", "best", "letters", "rank_low", "rank_high")
FIELDS = ("kind", *RANKING, "system", "corpus", "metric", *FIGURES, "missing", "warnings", "reason")
"""The values of a record. Kind: score, corpus (a score in one of several), failed (with its reason), or note and signature, which
stand in `reason`."""


def report_of(
    board: Leaderboard,
    form: str = "table",
    *,
    full: bool = False,
    by: str | None = None,
    show: Sequence[str] = SHOWN,
    errors: Mapping[str, str] | None = None,
) -> Report:
    """What that form is to show.

    In tables figures are percent with two decimals, made as the option `percent` says: F1 of each metric, and with `full` recall
    and precision as well. Rows and JSON hold all as fractions with all digits. `by`: in JSON and on the page the figures of
    groups of documents as well, as `Evaluation.by` makes them. `errors`: by system the address of the page of its
    errors. The page has recall and precision in any case.
    """
    unknown = next((word for word in show if word not in SHOW), None)
    if unknown is not None:
        raise ValueError(f"show: {unknown!r} is not one of {', '.join(SHOW)}")
    signature = board.signature(form)
    signature["report"] |= ({"full": True} if full else {}) | ({"by": by} if by is not None else {})
    signature["report"] |= {"show": "+".join(show)} if tuple(show) != SHOWN else {}
    failed = [f"{standing.system} could not be scored: {standing.reason}" for standing in board.standings if standing.reason]
    told = [{"kind": "note", "reason": note} for note in board.notes] + [{"kind": "signature", "reason": written(signature)}]
    return Report(
        form,
        f"Leaderboard of {amount(len(board.standings), 'system')}",
        tables=lambda: [_table(board, full=full, show=show), *_more_tables(board, show)],
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
        "units": sum(board.units.values()),
        "standings": [_standing(board, standing, by) for standing in board.standings],
        "p": [
            {"first": first, "second": second, "p": p, "superiority": board.superiority[first, second]}
            for (first, second), p in board.p.items()
        ],
        **({"spreads": [asdict(one) for one in board.spreads]} if board.spreads else {}),
        **({"orders": [asdict(one) for one in board.orders]} if board.orders else {}),
        "gaps": [{"below": one.system, "p_holm": gap} for one, gap in zip(board.standings, board.gaps)],
        "notes": board.notes,
        "problems": list(map(str, board.problems)),
        "signature": board.signature(),
    }


def to_frame(board: Leaderboard) -> pd.DataFrame:
    """`Leaderboard.to_frame`."""
    frame = frame_of(([record.get(field) for field in FIELDS] for record in _records(board)), FIELDS).drop(columns="kind")
    whole = ("rank", "tier", "rank_low", "rank_high", "missing", "warnings")
    return frame.astype(dict.fromkeys(FIGURES, float) | dict.fromkeys(whole, "Int64") | {"best": "boolean"})


def _ranking_columns(board: Leaderboard, show: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The columns that say how systems compare, each with its heading and a cell for every standing, empty where there is none."""
    cells = {
        "tier": [str(one.tier or "") for one in board.standings],
        "best": ["yes" if one.best else "" for one in board.standings],
        "letters": [one.letters or "" for one in board.standings],
        "ranks": ["–".join(map(str, dict.fromkeys(one.ranks or ()))) for one in board.standings],
    }
    return [(word, cells[word]) for word in show if word in cells]


def _more_tables(board: Leaderboard, show: Sequence[str]) -> Iterator[Table]:
    evaluations = board.evaluations
    if board.corpora:
        yield _corpora_table(board)
    if "chances" in show and board.superiority:
        yield _chances_table(board)
    if board.spreads:
        of_sort = [one for one in board.spreads if one.metric == board.sort]
        yield runs_table(of_sort, next(iter(evaluations.values())).options.percent)
    if "order" in show and board.orders:
        yield orders_table(board.orders)


def _corpora_table(board: Leaderboard) -> Table:
    """The F1 that decides in each of several corpora; a dash where the system lacks it."""
    rows = []
    for one in board.standings:
        cells = list(map(one.corpora.get, board.corpora))
        mean = "–" if one.evaluation is None else figure(one.evaluation.ratios(board.sort).f1, one.evaluation.options.percent)
        each = ["–" if of is None else figure(of.ratios(board.sort).f1, of.options.percent) for of in cells]
        rows.append([one.system, mean, *each])
    name = registry.title(board.sort)
    return Table(["system", Term(f"mean {board.sort} F1", f"mean {name} F1"), *board.corpora], rows, 1)


def _chances_table(board: Leaderboard) -> Table:
    """How often the system of a row is above that of a column in a bootstrap replicate, in percent without decimals."""
    systems = list(board.evaluations)
    rows = []
    for at, system in enumerate(systems[:-1]):
        chances = [f"{100 * board.superiority[system, other]:.0f}" for other in systems[at + 1 :]]
        rows.append([system, *[""] * at, *chances])
    return Table(["P(row > column), %", *systems[1:]], rows, 1)


def _table(board: Leaderboard, *, full: bool, show: Sequence[str]) -> Table:
    measures = [(metric, ratio) for metric in [board.sort, *board.metrics] for ratio in (RATIOS if full else RATIOS[2:])]
    shown = [one for one in board.standings if one.evaluation is not None][:1]
    measures = [one for one in dict.fromkeys(measures) if shown and one in shown[0].scores]
    columns = _ranking_columns(board, show)
    left = ["rank", *(heading for heading, _ in columns), "system"]
    headings: list[str] = list(left)
    for metric, ratio in measures:
        of = "F1" if ratio == "f1" else ratio
        headings.append(Term(f"{metric} {of}", f"{registry.title(metric)} {of}"))
        if (metric, ratio) == (board.sort, "f1"):
            headings.append(board.resampling.interval_heading)
    headings += ["mentions found", "missing", "warnings"]
    rows = []
    for at, one in enumerate(board.standings):
        first = ["–" if one.rank is None else str(one.rank), *(cells[at] for _, cells in columns), one.system]
        rows.append([*first, *_cells(one, board.sort, measures, len(headings) - len(left))])
    return Table(headings, rows, len(left))


def _cells(standing: Standing, sort: str, measures: list[tuple[str, str]], width: int) -> list[str]:
    counts = standing.found()
    if counts is None or standing.evaluation is None:
        return ["not scored" if measures else "", *[""] * (width - 1)]
    percent = standing.evaluation.options.percent
    cells: list[str] = []
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
            yield from _corpora(board, standing)
            continue
        ours = {"kind": "score", "system": standing.system} | _ranking(standing)
        ours |= {"missing": len(standing.missing), "warnings": standing.warnings}
        for metric in board.metrics:
            yield empty | ours | {"metric": metric} | _figures(standing, metric)
        yield from _corpora(board, standing)


def _ranking(standing: Standing) -> dict[str, Any]:
    """The values of `RANKING`."""
    low, high = standing.ranks or (None, None)
    return dict(zip(RANKING, (standing.rank, standing.tier, standing.best, standing.letters, low, high)))


def _corpora(board: Leaderboard, standing: Standing) -> Iterator[dict[str, Any]]:
    """The figures in each of several corpora, without intervals."""
    for corpus, evaluation in standing.corpora.items():
        for metric in board.metrics or evaluation.names:
            ours = {"kind": "corpus", "system": standing.system, "corpus": corpus, "metric": metric}
            yield dict.fromkeys(FIELDS) | ours | _ratios(evaluation, metric)


def _rows(group: Evaluation) -> Iterator[rows.Row]:
    """The rows of the figures of a group, which have counts only where they are made of them."""
    if type(group) is Evaluation:
        return rows.totals(group)
    return (rows.Row("group", "", metric, group.ratios(metric), None) for metric in group.names)


def _ratios(evaluation: Evaluation, metric: str) -> dict[str, float | None]:
    """Recall, precision and F1; None where an average has none."""
    values = zip(RATIOS, evaluation.ratios(metric).as_tuple())
    return {ratio: None if isnan(value) else value for ratio, value in values}


def _figures(standing: Standing, metric: str) -> dict[str, float | None]:
    """The figures of a metric that exist, as in `FIGURES`; None for what could not be computed."""
    scores = [score for (name, _), score in standing.scores.items() if name == metric]
    return {f"{score.ratio}{end}": None if isnan(value) else value for score in scores for end, value in _ends(score)}


def _ends(score: Score) -> tuple[tuple[str, float], ...]:
    return ("", score.value), ("_low", score.low), ("_high", score.high)


def _standing(board: Leaderboard, standing: Standing, by: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"system": standing.system} | _ranking(standing)
    if standing.corpora:
        fields["corpora"] = {
            corpus: {metric: _ratios(evaluation, metric) for metric in board.metrics or evaluation.names}
            for corpus, evaluation in standing.corpora.items()
        }
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
        groups = standing.evaluation.by(by)
        fields["groups"] = [
            {"name": name, "metrics": {row.metric: row.to_dict() for row in _rows(groups[name])}} for name in groups
        ]
    return fields
