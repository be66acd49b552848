"""The report of a leaderboard, in every output format: records, tables and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from conll.errors import did_you_mean, pluralize
from scorer.comparison.board import Leaderboard, LeaderboardRow
from scorer.comparison.leaderboard_tables import (
    chances_table,
    corpora_table,
    failures,
    ranking_table,
)
from scorer.comparison.paper import latex_of_board
from scorer.comparison.tables import filled, runs_table
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.rows import Row, rows_of
from scorer.report.columns import Column, Table
from scorer.report.paper_table import check_ratios
from scorer.report.report import Report
from scorer.report.signature import format_signature
from scorer.statistics.resampling import (
    BOARD_COLUMNS,
    FULL_BOARD_COLUMNS,
    RATIOS,
    USUAL_BOARD_COLUMNS,
    measures_of,
)

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.columns import Record
    from scorer.report.page import Page

RANKING = ("rank", "tier", "best", "letters", "rank_low", "rank_high")
"""The fields on the place of a system."""

FIGURES = tuple(f"{ratio}{end}" for ratio in RATIOS for end in ("", "_low", "_high"))
"""The fields of a metric: each ratio and the ends of its interval."""

COLUMNS = (
    Column(name="kind"),
    Column(name="rank", kind="whole"),
    Column(name="tier", kind="whole"),
    Column(name="best", kind="flag"),
    Column(name="letters"),
    Column(name="rank_low", kind="whole"),
    Column(name="rank_high", kind="whole"),
    Column(name="system"),
    Column(name="corpus"),
    Column(name="metric", kind="metric"),
    *[Column(name=name, kind="ratio") for name in FIGURES],
    Column(name="missing", kind="whole"),
    Column(name="warnings", kind="whole"),
    Column(name="reason"),
)
"""The columns of a record.

Its kind is score, corpus (a score in one of several), failed (with its reason), or note and
signature, which stand in `reason`.
"""

FIELDS = tuple(Table(COLUMNS, ()).names)
"""The fields of a record."""


@dataclass(frozen=True, kw_only=True)
class BoardLayout:
    """The parts of a leaderboard that are shown.

    Attributes:
        full: Tables have recall and precision, and all columns on systems.
        by: A regular expression; JSON and the page have the groups of documents that it makes.
        show: Some of `BOARD_COLUMNS`: the columns on how systems compare; None for the usual ones.
        ratios: The ratios in LaTeX: all, or f1.
        errors: The address of the page of errors of each system that has one.

    Raises:
        ValueError: `show` has another word.
    """

    full: bool = False
    by: str | None = None
    show: Sequence[str] | None = None
    ratios: str = "all"
    errors: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for name in self.show or ():
            if name not in BOARD_COLUMNS:
                hint = did_you_mean(name, BOARD_COLUMNS)
                raise ValueError(f"show: {name!r} is not one of {', '.join(BOARD_COLUMNS)}{hint}")

    @property
    def shown(self) -> Sequence[str]:
        """The columns on how systems compare, in the order of `BOARD_COLUMNS`."""
        usual = FULL_BOARD_COLUMNS if self.full else USUAL_BOARD_COLUMNS
        chosen = usual if self.show is None else self.show
        return [name for name in BOARD_COLUMNS if name in chosen]

    def signed(self) -> dict[str, Any]:
        """Return the fields of a signature; None for what is as usual."""
        show = None if self.show is None else "+".join(self.show)
        return {"full": self.full or None, "by": self.by, "show": show}


def report_of(board: Leaderboard, output_format: str = "table", **options: Any) -> Report:
    """Make the report of a leaderboard.

    In tables, figures are percent with two decimals, made as the option `rounding` says. Records
    and JSON hold all as fractions with all digits.

    Args:
        board: The leaderboard.
        output_format: The output format, which the signature names.
        **options: The attributes of `BoardLayout`.
    """
    layout = BoardLayout(**options)
    check_ratios(layout.ratios, output_format)
    signature = board.signature(output_format, **layout.signed())
    records = list(_records(board))
    records += [{"kind": "note", "reason": note} for note in board.notes]
    records.append({"kind": "signature", "reason": format_signature(signature)})
    tables = filled(
        [
            corpora_table(board),
            chances_table(board, layout.shown),
            runs_table(board, [board.sort]),
        ]
    )
    tree: Mapping[str, Any] | None = None
    page: Page | None = None
    latex = ""
    if output_format == "json":
        tree = to_dict(board, pattern=layout.by) | {"signature": signature}
    elif output_format == "html":
        from scorer.comparison.leaderboard_page import page_of

        page = page_of(board, layout.by, layout.errors or {})
    elif output_format == "latex":
        latex = latex_of_board(board, layout.ratios)
    if not latex:
        tables.insert(0, ranking_table(board, layout.shown, full=layout.full))
    return Report(
        output_format=output_format,
        title=f"Leaderboard of {pluralize(len(board.standings), 'system')}",
        data=[Table(COLUMNS, records)],
        tables=tables,
        notes=[*failures(board), *[f"note: {note}" for note in board.notes]],
        signature=signature,
        tree=tree,
        page=page,
        latex=latex,
    )


def plot(board: Leaderboard) -> str:
    """Plot the F1 by which systems are ranked, as the page shows it."""
    from scorer.comparison import leaderboard_page

    return leaderboard_page.plot(board)


def to_frame(board: Leaderboard) -> pd.DataFrame:
    """Make the frame of `Leaderboard.to_frame`."""
    return Table(COLUMNS[1:], list(_records(board))).to_frame()


def to_dict(board: Leaderboard, *, pattern: str | None = None) -> dict[str, Any]:
    """Make the plain data of `Leaderboard.to_dict`."""
    pairs: list[dict[str, Any]] = []
    for (first, second), p in board.p.items():
        pair = {"first": first, "second": second, "p": p}
        pair["probability_better"] = board.probability_better[first, second]
        pairs.append(pair)
    tree: dict[str, Any] = {
        "sort": board.sort,
        "documents": board.documents,
        "units": board.size,
        "standings": [_standing(board, row, pattern) for row in board.standings],
        "p": pairs,
    }
    if board.spreads:
        tree["spreads"] = [asdict(spread) for spread in board.spreads]
    gaps = zip(board.standings, board.gaps)
    tree["gaps"] = [{"below": row.system, "p_holm": gap} for row, gap in gaps]
    tree["notes"] = board.notes
    tree["problems"] = [str(problem) for problem in board.problems]
    tree["signature"] = board.signature()
    return tree


def _standing(board: Leaderboard, row: LeaderboardRow, pattern: str | None) -> dict[str, Any]:
    """Make the plain data of a system."""
    fields: dict[str, Any] = {"system": row.system} | _place(row)
    corpora: dict[str, Any] = {}
    for corpus, part in row.corpora.items():
        corpora[corpus] = {name: _ratios(part, name) for name in board.metrics or part.names}
    if corpora:
        fields["corpora"] = corpora
    mentions = row.mentions
    if row.evaluation is None or mentions is None:
        return fields | {"reason": row.reason}
    fields |= {
        "metrics": {metric: _figures(row, metric) for metric in board.metrics},
        "mentions": {
            "found": mentions.recall_numerator,
            "key": mentions.recall_denominator,
            "response": mentions.precision_denominator,
        },
        "missing": row.missing,
        "warnings": row.warnings,
        "problems": [str(problem) for problem in row.problems],
    }
    if pattern is not None:
        groups: list[dict[str, Any]] = []
        for name, group in row.evaluation.by(pattern).items():
            metrics = {line.metric: line.to_dict() for line in _rows_of_group(group)}
            groups.append({"name": name, "metrics": metrics})
        fields["groups"] = groups
    return fields


def _rows_of_group(group: Evaluation) -> list[Row]:
    """Return the rows of the figures of a group, with counts where they are made of them."""
    if group.is_of_totals:
        return list(rows_of(group, "micro", "", group.totals))
    return [Row("group", "", metric, group.ratios(metric), None) for metric in group.names]


def _records(board: Leaderboard) -> Iterator[Record]:
    """Yield the records of all systems, and of the corpora of each."""
    for row in board.standings:
        if row.evaluation is None:
            yield {"kind": "failed", "system": row.system, "reason": row.reason}
        else:
            score: Record = {"kind": "score", "system": row.system} | _place(row)
            score |= {"missing": len(row.missing), "warnings": row.warnings}
            for metric in board.metrics:
                yield score | {"metric": metric} | _figures(row, metric)
        for corpus, evaluation in row.corpora.items():
            for metric in board.metrics or evaluation.names:
                names = {"system": row.system, "corpus": corpus, "metric": metric}
                yield {"kind": "corpus"} | names | _ratios(evaluation, metric)


def _place(row: LeaderboardRow) -> Record:
    """Return the values of `RANKING`."""
    low, high = row.ranks or (None, None)
    return {
        "rank": row.rank,
        "tier": row.tier,
        "best": row.best,
        "letters": row.letters,
        "rank_low": low,
        "rank_high": high,
    }


def _ratios(evaluation: Evaluation, metric: str) -> dict[str, float | None]:
    """Return recall, precision and F1; None where an average has none."""
    return dict(zip(RATIOS, evaluation.ratios(metric)))


def _figures(row: LeaderboardRow, metric: str) -> dict[str, float | None]:
    """Return the figures of a metric that exist, as in `FIGURES`; None for what is unknown."""
    figures: dict[str, float | None] = {}
    for _, ratio in measures_of([metric]):
        score = row.scores[metric, ratio]
        figures[ratio] = _known(score.value)
        figures[f"{ratio}_low"] = _known(score.low)
        figures[f"{ratio}_high"] = _known(score.high)
    return figures


def _known(value: float) -> float | None:
    return None if isnan(value) else value
