"""The sections of a leaderboard: systems, corpora, pairs, runs, groups, and what is irregular.

Then its page, with plots and what is behind the figures of each system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.errors import pluralize, warnings_in
from scorer.comparison import tables
from scorer.count.counts import Ratios
from scorer.evaluation.averages import runs_of
from scorer.evaluation.evaluation import DocumentScore, Evaluation, mean
from scorer.evaluation.page import PLOTTED, facts, figures_by_name
from scorer.evaluation.report import AVERAGING, FIGURES, Row, name_of
from scorer.registry import title as title_of
from scorer.report import plots
from scorer.report.columns import (
    Cell,
    Column,
    Table,
    chance,
    describe_rounding,
    figure,
    interval,
)
from scorer.report.page import Figure, Page, Section
from scorer.report.report import Report
from scorer.statistics.resampling import RATIOS, Resampling, measures_of
from scorer.systems.comparison import Score

if TYPE_CHECKING:
    from scorer.comparison.board import BoardLayout, Leaderboard, LeaderboardRow

MOST_PAIRS = 66
"""The number of pairs of systems up to which a page compares all; of more, those of neighbours."""


def sections_of(board: Leaderboard, layout: BoardLayout) -> list[Table]:
    """List the sections of a leaderboard."""
    return [
        systems_table(board, layout.shown, full=layout.full),
        scores_section(board),
        corpora_table(board),
        chances_table(board, layout.shown),
        pairs_table(board),
        tables.runs_table(board, [board.sort]),
        Table(
            GAPS,
            list(zip(board.standings, board.gaps)),
            section="gaps",
            is_shown=False,
            is_extra=True,
        ),
        Table(GROUPS, list(_group_rows(board, layout.group_by)), section="groups", is_shown=False),
        Table(
            MISSING, list(_missing_rows(board)), section="missing", is_shown=False, is_extra=True
        ),
        Table(
            PROBLEMS, list(_problem_rows(board)), section="problems", is_shown=False, is_extra=True
        ),
    ]


def systems_table(board: Leaderboard, shown: Sequence[str], *, full: bool) -> Table:
    """Make the section of the systems, best first.

    Args:
        board: The leaderboard.
        shown: The columns on how systems compare that readers see, of `BOARD_COLUMNS`.
        full: Whether readers see recall and precision, and all columns on responses.
    """
    # A heading where readers see the column; data have all.
    headings = {name: name for name in shown}
    if full or any(row.missing for row in board.scored):
        headings["missing"] = "missing"
    if full or any(row.warnings for row in board.scored):
        headings["warnings"] = "warnings"
    columns = [
        Column(name="rank", kind="whole", heading="rank", role="place", missing="–"),
        Column(name="tier", kind="whole", heading=headings.get("tier"), role="place"),
        _system_column(board),
    ]
    place = [
        Column(name="best", kind="flag", heading=headings.get("best"), role="label"),
        Column(name="letters", heading=headings.get("letters"), role="label"),
        Column(name="rank_low", value=lambda row: (row.ranks or (None,))[0], kind="whole"),
        Column(name="rank_high", value=lambda row: (row.ranks or (None,))[-1], kind="whole"),
        Column(
            value=attrgetter("ranks"),
            kind="whole",
            heading=headings.get("ranks"),
            role="rank",
            # The range, or the only one.
            cell=lambda row: Cell("–".join(map(str, dict.fromkeys(row.ranks or ())))),
        ),
    ]
    columns += _measure_columns(board, place, full=full)
    columns += [
        Column(name="mentions_found", value=_mentions("recall_numerator"), kind="count"),
        Column(name="mentions_key", value=_mentions("recall_denominator"), kind="count"),
        Column(name="mentions_response", value=_mentions("precision_denominator"), kind="count"),
        Column(
            value=_mentions_share,
            kind="share",
            heading="mentions found" if full else None,
        ),
        Column(
            name="missing",
            value=_if_scored(lambda row: len(row.missing)),
            kind="whole",
            heading=headings.get("missing"),
        ),
        Column(
            name="warnings",
            value=_if_scored(lambda row: row.warnings),
            kind="whole",
            heading=headings.get("warnings"),
        ),
        Column(name="reason", value=lambda row: row.reason or None),
    ]
    return Table(
        columns,
        board.standings,
        section="systems",
        caption="Systems, best first",
        rounding=board.rounding if board.evaluations else "round",
    )


class ScoreRow(NamedTuple):
    """The figures of a system by a metric, in all documents or in one of several corpora."""

    rank: int | None
    system: str
    corpus: str
    metric: str
    scores: Mapping[str, Score]


def scores_section(board: Leaderboard) -> Table:
    """Make the section of all figures, of which readers see other tables."""
    rows = []
    for row in board.standings:
        for metric in board.metrics if row.evaluation else ():
            scores = {ratio: score for (name, ratio), score in row.scores.items() if name == metric}
            rows.append(ScoreRow(row.rank, row.system, "", metric, scores))
        for corpus, part in row.corpora.items():
            for metric in board.metrics or part.names:
                figures = zip(RATIOS, part.ratios(metric))
                # There are no intervals of a corpus.
                scores = {
                    ratio: Score(row.system, metric, ratio, value, nan, nan)
                    for ratio, value in figures
                }
                rows.append(ScoreRow(row.rank, row.system, corpus, metric, scores))
    columns = [
        Column(name="rank", kind="whole"),
        Column(name="system"),
        Column(name="corpus"),
        tables.METRIC,
    ]
    for ratio in RATIOS:
        columns.append(Column(name=ratio, value=tables.of_score(ratio, "value"), kind="ratio"))
        columns.append(Column(name=ratio, value=tables.of_score(ratio, "ends"), kind="interval"))
    return Table(columns, rows, section="scores", is_shown=False)


def _system_column(board: Leaderboard) -> Column:
    """Make the column of the systems, which lead to what is behind their figures on a page."""
    numbers = {row.system: number for number, row in enumerate(board.standings, 1)}

    def cell(row: LeaderboardRow) -> Cell:
        href = "" if row.evaluation is None else f"#system-{numbers[row.system]}"
        return Cell(row.system, mark=row.tier, href=href)

    return Column(name="system", heading="system", role="head", cell=cell)


def _measure_columns(
    board: Leaderboard, place: Sequence[Column], *, full: bool
) -> Iterator[Column]:
    """Yield the columns of all metrics, that which decides first, with `place` behind its F1."""
    metrics: list[str] = (
        list(dict.fromkeys([board.sort, *board.metrics])) if board.evaluations else []
    )
    missing = "not scored"
    for metric, ratio in measures_of(metrics):
        is_main = (metric, ratio) == (board.sort, "f1")
        role = "number"
        if is_main:
            role = "main"
        elif full and (metric, "recall") in measures_of([metric]):
            role = ratio
        shown = "F1" if ratio == "f1" else ratio
        if ratio != "f1" and not full:
            continue
        yield Column(
            value=tables.of_score((metric, ratio), "value"),
            kind="ratio",
            heading=f"{metric} {shown}",
            title=f"{title_of(metric)} {shown}",
            role=role,
            missing=missing,
        )
        # The first column says so.
        missing = ""
        if is_main:
            yield Column(
                value=tables.of_score((metric, ratio), "ends"),
                kind="interval",
                heading=board.resampling.interval_heading,
            )
            yield from place


def _if_scored(value: Callable[[Any], Any]) -> Callable[[LeaderboardRow], Any]:
    """Make a function that returns None for a system that could not be scored."""
    return lambda row: None if row.evaluation is None else value(row)


def _mentions(count: str) -> Callable[[LeaderboardRow], Any]:
    """Make a function that returns one of the counts of mentions."""
    return lambda row: getattr(row.mentions, count, None)


def _mentions_share(row: LeaderboardRow) -> tuple[float, float] | None:
    counts = row.mentions
    return None if counts is None else (counts.recall_numerator, counts.recall_denominator)


@dataclass(frozen=True, kw_only=True)
class PartsRow:
    """A system and its evaluations by the name of a part, with all of it as ""."""

    system: str
    parts: Mapping[str, Evaluation | None]


def corpora_table(board: Leaderboard) -> Table:
    """Make the table of the F1 that decides in each of several corpora."""
    rows: list[PartsRow] = []
    if board.corpora:
        rows = [
            PartsRow(system=row.system, parts={"": row.evaluation, **row.corpora})
            for row in board.standings
        ]
    columns = [tables.SYSTEM, tables.f1_column(f"mean {board.sort} F1", "", board.sort)]
    columns += [tables.f1_column(corpus, corpus, board.sort) for corpus in board.corpora]
    return Table(
        columns,
        rows,
        caption="Corpora",
        intro=f"F1 of {title_of(board.sort)} in each corpus; systems are ranked by the mean."
        " A dash: the system lacks the corpus.",
        rounding=board.rounding if board.evaluations else "round",
    )


def chances_table(board: Leaderboard, shown: Sequence[str]) -> Table:
    """Make the table of how often the system of a row is above that of a column, in percent."""
    systems = list(board.evaluations)
    rows: list[str] = systems[:-1] if "chances" in shown and board.probability_better else []
    columns = [Column(value=str, heading="P(row > column), %", role="head")]
    columns += [_chance_column(board, system) for system in systems[1:]]
    return Table(columns, rows)


def _chance_column(board: Leaderboard, other: str) -> Column:
    """Make the column of a system; rows are the names of systems."""

    def probability(system: str) -> float | None:
        return board.probability_better.get((system, other))

    def cell(system: str) -> Cell:
        better = probability(system)
        return Cell("" if better is None else chance(better))

    return Column(value=probability, kind="chance", heading=other, cell=cell)


class PairRow(NamedTuple):
    """A pair of systems, the better one first, the difference of their F1s, and how sure it is."""

    first: str
    second: str
    difference: float
    p: float
    probability_better: float


def pairs_table(board: Leaderboard) -> Table:
    """Make the section of the differences between systems, which readers see on a page."""
    values = {row.system: row.scores[board.sort, "f1"].value for row in board.scored}
    rows = []
    for pair, p in board.p.items():
        first, second = pair
        difference = values[first] - values[second]
        rows.append(PairRow(first, second, difference, p, board.probability_better[pair]))
    shown = rows
    if len(rows) > MOST_PAIRS:
        neighbours = set(pairwise(row.system for row in board.scored))
        shown = [row for row in rows if row[:2] in neighbours]
    level = 1 - board.resampling.confidence
    columns = [
        Column(name="first", heading="system", role="head"),
        Column(name="second", heading="other system"),
        Column(name="difference", kind="difference", heading="difference"),
        tables.p_column("p", "p", lambda row: board.written(row.p), level),
        Column(name="probability_better", kind="chance", heading="P(above)"),
    ]
    return Table(
        columns,
        rows,
        section="pairs",
        is_shown=False,
        is_extra=True,
        shown_rows=shown,
        caption="Significance of differences",
        intro=f"p-values of the difference in {title_of(board.sort)} F1; in bold: at most"
        f" {level:.2g}. These p-values are uncorrected; letters and tiers are corrected. P(above):"
        " how often the system is above the other one in a bootstrap sample; it is no p-value.",
    )


GAPS = (
    Column(name="system", value=lambda row: row[0].system),
    Column(name="p_holm", value=lambda row: row[1], kind="ratio"),
)
"""The columns of the p-value that decides whether a tier ends with a system."""

GROUPS = (
    Column(name="system"),
    Column(name="group", value=attrgetter("name")),
    tables.METRIC,
    *FIGURES,
)


def _group_rows(board: Leaderboard, pattern: str | None) -> Iterator[Row]:
    """Yield the figures of groups of documents, with counts where they are made of them."""
    if pattern is None:
        return
    [average] = AVERAGING[board.resampling.average]
    for system, evaluation in board.evaluations.items():
        for name, group in evaluation.group_by(pattern).items():
            for row in average.rows(group, "group", name):
                yield row._replace(system=system)


MISSING = (Column(name="system"), Column(name="document"))


def _missing_rows(board: Leaderboard) -> Iterator[dict[str, str]]:
    """Yield the documents that a system lacks."""
    for row in board.standings:
        for document in row.missing:
            yield {"system": row.system, "document": document}


PROBLEMS = (Column(name="system"), Column(name="problem"))


def _problem_rows(board: Leaderboard) -> Iterator[dict[str, str]]:
    """Yield the problems of the key, and those of each response."""
    for problem in board.problems:
        yield {"problem": str(problem)}
    for row in board.standings:
        for problem in row.problems:
            yield {"system": row.system, "problem": str(problem)}


Groups = Mapping[str, Mapping[str, Evaluation]]
"""For each system the groups of its documents, by name."""

MOST_DOCUMENTS = 8_000
"""The number of rows of documents up to which a page has those of all systems."""


def _with_page(board: Leaderboard, report: Report, layout: BoardLayout) -> Report:
    """Make the content of the page.

    Raises:
        ValueError: The pattern of groups is not a regular expression.
    """
    groups = _groups_of(board, layout.group_by)
    errors = layout.errors or {}
    notes = report.plain_notes
    documents = board.documents
    lines = len(board.scored) * len(documents)
    if lines > MOST_DOCUMENTS:
        advice = "score a system by itself for them"
        notes.append(f"{lines:,} rows of documents are too many for a page: {advice}")
        documents = []
    headline = _headline(board)
    # Without tiers and the best if they are not to be shown: letters say the same in more detail,
    # and a mark for each tier would need to be explained.
    hidden: dict[str, Any] = {name: None for name in ("tier", "best") if name not in layout.shown}
    board = replace(board, standings=[replace(row, **hidden) for row in board.standings])
    columns = _known_columns(board)
    details = []
    for row in board.scored:
        system = _details(board, row, groups.get(row.system, {}), documents)
        details.append(system | {"errors": errors.get(row.system, "")})
    page = Page(
        about=name_of(board.first.inputs, "key") if board.scored else "",
        headline=headline,
        facts=_facts(board),
        summary=_summary(board),
        explained=_explained(board, columns) if board.scored else "",
        # Warnings about the figures come before the figures.
        notes=notes,
        tables=[systems_table(board, [*filter(columns.__contains__, layout.shown)], full=True)],
        sections=list(_plots(board, columns, groups)) if board.scored else [],
        folded=tables.filled(
            [
                corpora_table(board),
                pairs_table(board)._replace(is_shown=True),
                tables.runs_table(board, [board.sort]),
                _groups_table(board, groups),
            ]
        ),
        systems=details,
        lists=[("Warnings about the key", board.problems)],
    )
    return report._replace(page=page)


FINISHES = {"html": _with_page, "latex": tables.board_in_paper}
"""What puts into a report what only its format has."""


def _groups_of(board: Leaderboard, pattern: str | None) -> dict[str, dict[str, Evaluation]]:
    """Return the groups of documents of each system."""
    groups: dict[str, dict[str, Evaluation]] = {}
    if pattern is None:
        return groups
    for system, evaluation in board.evaluations.items():
        groups[system] = {
            tables.label(name): group for name, group in evaluation.group_by(pattern).items()
        }
    return groups


def _known_columns(board: Leaderboard) -> list[str]:
    """List the columns on how systems compare that have a value."""

    def is_known(name: str) -> bool:
        return any(getattr(row, name) is not None for row in board.scored)

    return list(filter(is_known, ("tier", "best", "letters", "ranks")))


def _summary(board: Leaderboard) -> str:
    """Say what was ranked, and what could not be."""
    sentences = []
    if board.scored:
        systems = pluralize(len(board.scored), "system")
        documents = pluralize(len(board.documents), "document")
        sentences.append(f"{systems}, {documents}, ranked by the F1 of {title_of(board.sort)}.")
    failed = len(board.standings) - len(board.scored)
    if failed:
        sentences.append(f"{failed} could not be scored.")
    return " ".join(sentences)


def _headline(board: Leaderboard) -> str:
    """Name the first system and its F1, and how many are not significantly worse."""
    if not board.scored:
        return ""
    first = board.scored[0]
    score = first.scores[board.sort, "f1"]
    f1 = f"{title_of(board.sort)} F1 {figure(score.value, board.rounding)}"
    ends = interval(score.low, score.high, board.rounding)
    if ends:
        f1 += f" {ends}"
    best = sum(row.best is True for row in board.scored)
    if best > 1:
        f1 += f"; {pluralize(best - 1, 'other')} not significantly worse"
    return f"{first.system} is first with {f1}."


def _facts(board: Leaderboard) -> Iterator[tuple[str, str]]:
    yield "systems", f"{len(board.standings):,}"
    tiers = {row.tier for row in board.scored} - {None}
    if tiers:
        yield "tiers", str(len(tiers))
    if board.scored:
        yield from facts(board.first, response=False)
        yield from tables.responses(board)


def _explained(board: Leaderboard, columns: Sequence[str]) -> str:
    """Explain the columns of the ranking, of those that it has."""
    resampling = board.resampling
    confidence = f"{100 * resampling.confidence:.15g}"
    method = "" if resampling.method == Resampling.method else f", {resampling.method}"
    explanations = {
        "ranks": f"Intervals: {confidence}%, {resampling.interval}, bootstrap over"
        f" {pluralize(board.size, 'unit')} of documents. Ranks: rank range in {confidence} % of"
        " bootstrap samples.",
        "tier": "Every system of a tier differs significantly from every one of the tiers below (p"
        f" at most {1 - resampling.confidence:.2g}, corrected by Holm's method for the number of"
        f" places where a tier may end{method}).",
        "letters": "Systems that share a letter do not differ significantly.",
        "best": "The best are those not significantly worse than the first.",
    }
    sentences = [text for name, text in explanations.items() if name in columns]
    sentences.append(f"Figures are percent, {describe_rounding(board.rounding)}.")
    return " ".join(sentences)


def plot(board: Leaderboard) -> str:
    """Plot the F1 by which systems are ranked with its interval, letters and ranks.

    Tiers are bands. The F1 stands alone where there are too few units for the others.
    """
    intervals = []
    for row in board.scored:
        f1 = row.scores[board.sort, "f1"]
        drawn = plots.Interval(row.system, row.tier, f1.value, f1.low, f1.high)
        if row.ranks is not None:
            drawn = drawn._replace(
                rank=row.rank, ranks=row.ranks, letters=row.letters or "", best=bool(row.best)
            )
        intervals.append(drawn)
    return plots.intervals(intervals, _plot_title(board), board.rounding)


def _plot_title(board: Leaderboard) -> str:
    if board.size > 1:
        return f"F1 of {title_of(board.sort)} with intervals, and ranks"
    return f"F1 of {title_of(board.sort)}"


def _plots(board: Leaderboard, columns: Sequence[str], groups: Groups) -> Iterator[Section]:
    """Yield the plots of F1, of recall against precision, and of F1 in groups."""
    caption = "The axis does not start at 0."
    if "tier" in columns:
        caption += " Tiers differ by shape as well as by colour."
    if "best" in columns:
        caption += " In bold: not significantly worse than the best."
    title = _plot_title(board)
    yield Section(title, [Figure(plot(board), caption, title)])
    looks = [(row.rank or 0, row.tier) for row in board.scored]
    yield from tables.squares(board, dict.fromkeys([board.sort, *board.metrics]), looks, "ranks")
    names = _group_names(groups)
    if 0 < len(names) <= PLOTTED:
        tiers = ", by its tier" if "tier" in columns else ""
        strips = [_strip(board, name, groups) for name in names]
        title = f"F1 of {title_of(board.sort)} in each group"
        drawn = plots.strips(strips, title, board.rounding, noun="system")
        caption = plots.systems(len(board.scored), tiers)
        title = f"F1 of {title_of(board.sort)} by group"
        yield Section(title, [Figure(drawn, caption, title)])


def _strip(board: Leaderboard, name: str, groups: Groups) -> plots.Strip:
    """Make the strip of a group, with a dot for each system."""
    f1s = {system: parts[name].ratios(board.sort).f1 for system, parts in groups.items()}
    dots = [plots.Dot(row.system, f1s[row.system], row.tier) for row in board.scored]
    return plots.Strip(name, nan, dots)


def _group_names(groups: Groups) -> list[str]:
    """List the groups, which are the same for all systems."""
    return list(next(iter(groups.values()), ()))


def _groups_table(board: Leaderboard, groups: Groups) -> Table:
    """Make the table of the F1 that decides in each group of documents."""
    names = _group_names(groups)
    rows: list[PartsRow] = []
    if names:
        rows = [PartsRow(system=system, parts=parts) for system, parts in groups.items()]
    columns = [tables.SYSTEM, *(tables.f1_column(name, name, board.sort) for name in names)]
    return Table(columns, rows, caption=f"F1 of {title_of(board.sort)} in each group of documents")


def _details(
    board: Leaderboard,
    row: LeaderboardRow,
    groups: Mapping[str, Evaluation],
    documents: Sequence[str],
) -> dict[str, Any]:
    """Return what is behind a system's figures, as the template shows it."""
    evaluation = board.evaluations[row.system]
    shown = [_totals_table(board, row, evaluation)]
    if groups:
        shown.append(figures_by_name("group", evaluation, groups, Evaluation.ratios))
    if documents:
        scores: dict[str, list[DocumentScore]] = {name: [] for name in documents}
        for run in runs_of(evaluation).values():
            for document in run.documents:
                scores[document.name].append(document)
        shown.append(figures_by_name("document", evaluation, scores, _mean_over_runs))
    tier = "" if row.tier is None else f", tier {row.tier}"
    f1 = figure(row.scores[board.sort, "f1"].value, board.rounding)
    counts = evaluation.totals["mentions"][0]
    mentions = f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"
    warnings = warnings_in(row.problems)
    return {
        "name": row.system,
        "figures": f"rank {row.rank}{tier}, {title_of(board.sort)} {f1}, mentions found {mentions}",
        "tables": shown,
        "missing": row.missing,
        "warnings": [problem for problem in warnings if problem.kind != "missing"],
        "unlisted": row.unlisted,
    }


def _mean_over_runs(scores: Sequence[DocumentScore], metric: str) -> Ratios:
    """Return the ratios of a document: of several runs, their means."""
    return mean([score.ratios(metric) for score in scores])


def _totals_table(board: Leaderboard, row: LeaderboardRow, evaluation: Evaluation) -> Table:
    """Make the table of the ratios of a system by metric."""
    columns = [
        Column(value=str, kind="metric", heading="metric", role="head"),
        Column(
            value=lambda metric: evaluation.ratios(metric).recall,
            kind="ratio",
            heading="recall",
            spare=1,
        ),
        Column(
            value=lambda metric: evaluation.ratios(metric).precision,
            kind="ratio",
            heading="precision",
            spare=2,
        ),
        Column(
            value=lambda metric: evaluation.ratios(metric).f1,
            kind="ratio",
            heading="F1",
            role="main",
        ),
        Column(
            value=lambda metric: row.scores[metric, "f1"].ends,
            kind="interval",
            heading=f"{board.resampling.interval_heading} of F1",
        ),
    ]
    [average] = AVERAGING[board.resampling.average]
    return Table(columns, board.metrics, caption=average.caption, rounding=board.rounding)
