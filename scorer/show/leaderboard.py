"""Reports of a leaderboard: tables, records and an HTML page."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from math import isnan
from struct import pack
from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer import registry
from scorer.comparison.resampling import RATIOS, SHOW, SHOWN
from scorer.evaluation.evaluation import Evaluation, mean, runs_of
from scorer.evaluation.signature import both, noted, written
from scorer.registry import AVERAGES
from scorer.report import page, plots
from scorer.report.figures import (
    chance,
    describe_rounding,
    difference,
    figure,
    interval,
    printable,
    share,
)
from scorer.report.forms import html_table
from scorer.report.page import Cell, Column, Figure, HtmlTable, Section, ratio_cells, ratio_columns
from scorer.report.plots import symbol
from scorer.report.report import Report, Table, Term, frame_of
from scorer.show import comparison
from scorer.show import evaluation as rows
from scorer.show.evaluation_page import PLOTTED, facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pandas as pd

    from conll.errors import Problem
    from scorer.comparison.leaderboard import Leaderboard, LeaderboardRow


PAIRS = 66
"""Up to so many pairs of systems are compared on the page; of more, those of neighbours."""


def _compared(board: Leaderboard) -> Iterator[tuple[str, str, HtmlTable]]:
    """The tables of the page that compare systems, each with its heading and what it is."""
    level = 1 - board.resampling.confidence
    if board.corpora:
        said = (
            f"F1 of {board.sort} in each corpus; systems are ranked by the mean. A dash: the system"
            " lacks the corpus."
        )
        yield "Corpora", said, html_table(_corpora_table(board), "Systems by corpus")
    if board.p:
        said = (
            f"p-values of the difference in {board.sort} F1, of each pair by itself; in bold: at"
            f" most {level:.2g}. For all pairs at once that is too lenient: tiers, letters and the"
            " best are corrected for it. P(above): how often the system is above the other one in a"
            " bootstrap replicate; it is no p-value."
        )
        yield (
            "Significance of differences",
            said,
            html_table(_pairs_table(board), "Pairs", level=level),
        )
    if board.spreads:
        said = f"F1 of {board.sort} of the runs of each system; SD: standard deviation."
        yield "Runs", said, html_table(_runs_table(board), "Runs of each system")
    if board.orders:
        said = (
            "Almost stochastic order of runs: an upper bound for the share by which the order is"
            " violated. The runs of one system are better where its bound is below 0.05 and there"
            " are five runs of each."
        )
        table = html_table(comparison.orders_table(board), "Systems with several runs", filled=True)
        yield "Almost stochastic order of runs", said, table


def _pairs_table(board: Leaderboard) -> Table:
    scored = [one for one in board.standings if one.evaluation is not None]
    pairs = list(combinations(scored, 2))
    if len(pairs) > PAIRS:
        pairs = list(pairwise(scored))
    rows = []
    for better, worse in pairs:
        more = better.scores[board.sort, "f1"].value - worse.scores[board.sort, "f1"].value
        names = better.system, worse.system
        p = board.resampling.written(board.p[names], sum(board.units.values()))
        rows.append([*names, difference(more), p, f"{chance(board.probability_better[names])}%"])
    return Table(["system", "other system", "difference", "p", "P(above)"], rows, 2)


def _runs_table(board: Leaderboard) -> Table:
    rounding = next(iter(board.evaluations.values())).options.rounding
    of_sort = [one for one in board.spreads if one.metric == board.sort]
    return comparison.runs_table(of_sort, rounding)


_NONE = 65535  # stands for no figure, among figures of two bytes


@dataclass(frozen=True)
class _Ranked:
    """A system that could be scored, and its groups of documents by name, where these are asked for."""

    standing: LeaderboardRow
    evaluation: Evaluation
    groups: list[tuple[str, Evaluation]]


@dataclass(frozen=True)
class _Folded:
    """What is behind a system's figures, as the template shows it."""

    name: str
    figures: str
    totals: HtmlTable
    missing: list[str]
    warnings: list[Problem]
    unlisted: int
    errors: str


def leaderboard_page(
    board: Leaderboard,
    *,
    by: str | None = None,
    title: str = "",
    errors: Mapping[str, str] | None = None,
) -> str:
    """Make an HTML report that needs no other file.

    Args:
        board: The leaderboard.
        by: A regular expression that puts documents into groups, as in `Evaluation.by`.
        title: The heading; "" for the usual one.
        errors: By system the address of the page of its errors, where there is one.

    Raises:
        ValueError: `by` is not a regular expression.
        ModuleNotFoundError: Jinja2 is missing.
    """
    ranked = [
        _Ranked(
            one,
            one.evaluation,
            [(name or "(no group)", group) for name, group in one.evaluation.by(by).items()]
            if by is not None
            else [],
        )
        for one in board.standings
        if one.evaluation is not None
    ]
    signature = board.signature("html")
    signature["report"] |= {"by": by} if by is not None else {}
    return page.render_page(
        "leaderboard.html",
        title=title or _title(board),
        headline=_headline(board, ranked),
        facts=list(_facts(ranked)),
        summary=_summary(board, ranked),
        explained=_explained(board, ranked),
        # Warnings about the figures come before the figures.
        notes=board.notes,
        ranked=_ranking_table(board, ranked),
        plots=list(_plots(board, ranked)),
        compared=list(_compared(board)),
        groups=_groups(board, ranked) if ranked and ranked[0].groups else None,
        systems=[
            _folded(board, one, (errors or {}).get(one.standing.system, "")) for one in ranked
        ],
        lists=[("Warnings about the key", board.problems)],
        data=_data(board, ranked) if ranked else None,
        signature=noted(signature),
    )


def _title(board: Leaderboard) -> str:
    return f"Leaderboard of {pluralize(len(board.standings), 'system')}"


def _headline(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    """Name the first system and its F1, and how many are not significantly worse."""
    if not ranked:
        return ""
    first, rounding = ranked[0].standing, _rounding(ranked)
    score = first.scores[board.sort, "f1"]
    said = f"{first.system} is first with {board.sort} F1 {figure(score.value, rounding)}"
    ends = interval(score.low, score.high, rounding)
    best = sum(one.standing.best is True for one in ranked)
    others = f"; {pluralize(best - 1, 'other')} not significantly worse" if best > 1 else ""
    return f"{said}{ends and f' {ends}'}{others}."


def _facts(ranked: Sequence[_Ranked]) -> Iterator[tuple[str, str]]:
    yield "systems", f"{len(ranked):,}"
    tiers = {one.standing.tier for one in ranked} - {None}
    if tiers:
        yield "tiers", str(len(tiers))
    if ranked:
        yield from facts(ranked[0].evaluation, response=False)
        yield from comparison.responses({one.standing.system: one.evaluation for one in ranked})


def _summary(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    systems = pluralize(len(ranked), "system")
    documents = pluralize(len(board.documents), "document")
    scored = f"{systems}, {documents}, ranked by the F1 of {board.sort}." if ranked else ""
    failed = len(board.standings) - len(ranked)
    return scored + (f" {failed} could not be scored." if failed else "")


def _explained(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    """Say what the columns of the ranking are, of those that it has."""
    if not ranked:
        return ""
    resampling = board.resampling
    confidence = f"{100 * resampling.confidence:.15g}%"
    how = "" if resampling.method == "randomisation" else f", {resampling.method}"
    said = {
        "ranks": f"Intervals: {confidence}, {resampling.interval}, bootstrap over"
        f" {pluralize(sum(board.units.values()), 'unit')} of documents. Ranks are those of"
        f" {confidence} of the replicates.",
        "tier": "Every system of a tier differs significantly from every one of the tiers below (p"
        f" at most {1 - resampling.confidence:.2g}, corrected by Holm's method for the number of"
        f" places where a tier may end{how}).",
        "letters": "Systems that share a letter do not differ significantly.",
        "best": "The best are those not significantly worse than the first.",
    }
    shown = [sentence for name, sentence in said.items() if _has(ranked, name)]
    return " ".join([*shown, f"Figures are percent, {describe_rounding(_rounding(ranked))}."])


def _has(ranked: Sequence[_Ranked], name: str) -> bool:
    """Whether a field of the rows, such as `letters`, could be computed."""
    return any(getattr(one.standing, name) is not None for one in ranked)


def _ranking_table(board: Leaderboard, ranked: Sequence[_Ranked]) -> HtmlTable:
    heading = f"{board.sort} F1"
    if _has(ranked, "ranks"):
        heading += f", {board.resampling.interval_heading}"
    comparing = [
        Column("letters", "text", "letters"),
        Column("best", "rank"),
        Column("ranks", "rank"),
    ]
    comparing = [column for column in comparing if _has(ranked, column.heading)]
    left = [Column(name, "rank") for name in ("rank", "tier") if _has(ranked, name)]
    columns = [*left, Column("system", "text", "name"), Column(heading, "number", "main")]
    columns += comparing
    for metric in _others(board):
        columns += ratio_columns(metric, single=metric in AVERAGES)
    columns += [Column("mentions found"), Column("missing", "rank"), Column("warnings", "rank")]
    # One column of three is shown of each metric, whichever ratio it is.
    span = 1 + len(comparing) + len(_others(board)) + 3
    blank = [""] * len(left)
    last: list[list[str | Cell]] = [
        [*blank, Cell(one.system), Cell(f"not scored: {one.reason}", look="reason", span=span)]
        for one in board.standings
        if one.evaluation is None
    ]
    rows = [_row(board, one, place, comparing) for place, one in enumerate(ranked, 1)]
    return HtmlTable("Systems, best first", columns, rows, last)


def _row(
    board: Leaderboard, ranked: _Ranked, place: int, comparing: Sequence[Column]
) -> list[str | Cell]:
    one, rounding = ranked.standing, ranked.evaluation.options.rounding
    score = one.scores[board.sort, "f1"]
    low, high = one.ranks or (0, 0)
    compared: dict[str, str | Cell] = {
        "letters": one.letters or "",
        "best": Cell("yes" if one.best else "", float(not one.best)),
        "ranks": Cell(f"{low}–{high}" if low < high else str(low), low + high / 1e6),
    }
    ends = interval(score.low, score.high, rounding)
    cells: list[str | Cell] = [
        str(one.rank),
        *([] if one.tier is None else [Cell(str(one.tier), mark=symbol(one.tier))]),
        Cell(one.system, href=f"#system-{place}"),
        Cell(figure(score.value, rounding), score.value, small=ends),
        *(compared[column.heading] for column in comparing),
    ]
    for metric in _others(board):
        ratios = ranked.evaluation.ratios(metric)
        cells += ratio_cells(ratios, single=metric in AVERAGES, rounding=rounding)
    return [*cells, _share(ranked), f"{len(one.missing):,}", f"{one.warnings:,}"]


def _plots(board: Leaderboard, ranked: Sequence[_Ranked]) -> Iterator[Section]:
    if not ranked:
        return
    title = comparison.ranks_title(board)
    tiered = _has(ranked, "tier")
    caption = "The axis begins where the figures do."
    caption += " Tiers differ by shape as well as by colour." if tiered else ""
    caption += " In bold: not significantly worse than the best." if _has(ranked, "best") else ""
    yield Section(title, [Figure(comparison.plot_ranks(board), caption, title)])
    looks = [(one.standing.rank or 0, one.standing.tier) for one in ranked]
    metrics = list(dict.fromkeys([board.sort, *board.metrics]))
    yield from comparison.squares(board.evaluations, metrics, looks, "ranks")
    groups = [name for name, _ in ranked[0].groups]
    if 0 < len(groups) <= PLOTTED:
        named = {
            name: {one.standing.system: one.groups[at][1] for one in ranked}
            for at, name in enumerate(groups)
        }
        title = f"F1 of {board.sort} by group"
        caption = plots.systems(len(ranked), ", by its tier" if tiered else "")
        yield Section(title, [Figure(comparison.plot_groups(board, named), caption, title)])


def _groups(board: Leaderboard, ranked: Sequence[_Ranked]) -> HtmlTable:
    rounding = _rounding(ranked)
    rows = []
    for one in ranked:
        f1s = [figure(inside.ratios(board.sort).f1, rounding) for _, inside in one.groups]
        rows.append([one.standing.system, *f1s])
    table = Table(["system", *(group for group, _ in ranked[0].groups)], rows, 1)
    return html_table(table, f"F1 of {board.sort} in each group")


def _folded(board: Leaderboard, ranked: _Ranked, errors: str) -> _Folded:
    one, rounding = ranked.standing, ranked.evaluation.options.rounding
    rows = []
    for metric in board.metrics:
        score = one.scores[metric, "f1"]
        ratios = (figure(ratio, rounding) for ratio in ranked.evaluation.ratios(metric).as_tuple())
        rows.append([metric, *ratios, interval(score.low, score.high, rounding)])
    heading = f"{board.resampling.interval_heading} of F1"
    totals = Table(["metric", "recall", "precision", "F1", heading], rows, 1)
    tier = f", tier {one.tier}" if one.tier is not None else ""
    best = figure(one.scores[board.sort, "f1"].value, rounding)
    return _Folded(
        name=one.system,
        figures=f"rank {one.rank}{tier}, {board.sort} {best}, mentions found {_share(ranked)}",
        totals=html_table(totals, "Totals"),
        missing=one.missing,
        warnings=[problem for problem in one.problems if problem.kind != "missing"],
        unlisted=one.unlisted,
        errors=errors,
    )


def _rounding(ranked: Sequence[_Ranked]) -> str:
    """How figures are made percent; all systems are scored alike."""
    return ranked[0].evaluation.options.rounding


def _hundredths(ratio: float | None, rounding: str) -> int:
    """What `figure` shows, in hundredths of a percent."""
    shown = figure(ratio, rounding)
    return round(100 * float(shown)) if shown else _NONE


def _others(board: Leaderboard) -> list[str]:
    """The metrics with columns of their own.

    The F1 by which systems are ranked has its column, with the interval.
    """
    return [metric for metric in board.metrics if metric != board.sort or metric not in AVERAGES]


def _share(ranked: _Ranked) -> str:
    """How many mentions of the key were found."""
    counts = ranked.evaluation.totals["mentions"][0]
    return f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"


def _data(board: Leaderboard, ranked: Sequence[_Ranked]) -> dict[str, Any]:
    """What the script makes tables of: names, and for each system the figures of its groups, then of its documents."""
    documents = board.documents
    figures = []
    for one in ranked:
        runs = [
            {document.name: document.counts for document in run.documents}
            for run in runs_of(one.evaluation).values()
        ]
        ratios = [
            inside.ratios(metric).as_tuple() for _, inside in one.groups for metric in board.metrics
        ]
        each = (
            [one.evaluation.ratios_of(metric, run[name]) for run in runs]
            for name in documents
            for metric in board.metrics
        )
        ratios += [mean(of_runs).as_tuple() for of_runs in each]
        rounding = one.evaluation.options.rounding
        shown = [_hundredths(ratio, rounding) for some in ratios for ratio in some]
        figures.append(b64encode(pack(f"<{len(shown)}H", *shown)).decode())
    return {
        "metrics": board.metrics,
        "averages": [metric for metric in board.metrics if metric in AVERAGES],
        "groups": [printable(group) for group, _ in ranked[0].groups],
        "documents": [printable(document) for document in documents],
        "figures": figures,
    }


FIGURES = tuple(f"{ratio}{end}" for ratio in RATIOS for end in ("", "_low", "_high"))
"""The values of a metric: each ratio and the ends of its interval."""
RANKING = ("rank", "tier", "best", "letters", "rank_low", "rank_high")
FIELDS = ("kind", *RANKING, "system", "corpus", "metric", *FIGURES, "missing", "warnings", "reason")
"""The values of a record. Kind: score, corpus (a score in one of several), failed (with its
reason), or note and signature, which stand in `reason`."""


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

    In tables figures are percent with two decimals, made as the option `rounding` says: F1 of each
    metric, and with `full` recall and precision as well. Rows and JSON hold all as fractions with
    all digits. `by`: in JSON and on the page the figures of groups of documents as well, as
    `Evaluation.by` makes them. `errors`: by system the address of the page of its errors. The page
    has recall and precision in any case.
    """
    unknown = next((word for word in show if word not in SHOW), None)
    if unknown is not None:
        raise ValueError(f"show: {unknown!r} is not one of {', '.join(SHOW)}")
    signature = board.signature(form)
    signature["report"] |= ({"full": True} if full else {}) | ({"by": by} if by is not None else {})
    signature["report"] |= {"show": "+".join(show)} if tuple(show) != SHOWN else {}
    failed = [
        f"{standing.system} could not be scored: {standing.reason}"
        for standing in board.standings
        if standing.reason
    ]
    told = [{"kind": "note", "reason": note} for note in board.notes] + [
        {"kind": "signature", "reason": written(signature)}
    ]
    return Report(
        form,
        _title(board),
        tables=lambda: [_table(board, full=full, show=show), *_more_tables(board, show)],
        notes=[*failed, *(f"note: {note}" for note in board.notes)],
        signatures=both(signature),
        fields=FIELDS,
        records=lambda: [*_records(board), *(dict.fromkeys(FIELDS) | one for one in told)],
        tree=lambda: to_dict(board, by=by) | {"signature": signature},
        page=lambda title: leaderboard_page(board, by=by, title=title, errors=errors),
    )


def to_dict(board: Leaderboard, *, by: str | None = None) -> dict[str, Any]:
    """`Leaderboard.to_dict`."""
    return {
        "sort": board.sort,
        "documents": board.documents,
        "units": sum(board.units.values()),
        "standings": [_standing(board, standing, by) for standing in board.standings],
        "p": [
            {
                "first": first,
                "second": second,
                "p": p,
                "probability_better": board.probability_better[first, second],
            }
            for (first, second), p in board.p.items()
        ],
        **({"spreads": [asdict(one) for one in board.spreads]} if board.spreads else {}),
        **({"orders": [asdict(one) for one in board.orders]} if board.orders else {}),
        "gaps": [
            {"below": one.system, "p_holm": gap} for one, gap in zip(board.standings, board.gaps)
        ],
        "notes": board.notes,
        "problems": list(map(str, board.problems)),
        "signature": board.signature(),
    }


def plot(board: Leaderboard) -> plots.Plot:
    """`Leaderboard.plot`."""
    return plots.Plot(comparison.plot_ranks(board))


def to_frame(board: Leaderboard) -> pd.DataFrame:
    """`Leaderboard.to_frame`."""
    frame = frame_of(
        ([record.get(field) for field in FIELDS] for record in _records(board)), FIELDS
    ).drop(columns="kind")
    whole = ("rank", "tier", "rank_low", "rank_high", "missing", "warnings")
    return frame.astype(
        dict.fromkeys(FIGURES, float) | dict.fromkeys(whole, "Int64") | {"best": "boolean"}
    )


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
    if board.corpora:
        yield _corpora_table(board)
    if "chances" in show and board.probability_better:
        yield _chances_table(board)
    if board.spreads:
        yield _runs_table(board)
    if "order" in show and board.orders:
        yield comparison.orders_table(board)


def _corpora_table(board: Leaderboard) -> Table:
    """The F1 that decides in each of several corpora; a dash where the system lacks it."""
    rows = []
    for one in board.standings:
        evaluations = [one.evaluation, *map(one.corpora.get, board.corpora)]
        f1s = [
            "–" if part is None else figure(part.ratios(board.sort).f1, part.options.rounding)
            for part in evaluations
        ]
        rows.append([one.system, *f1s])
    mean = Term(f"mean {board.sort} F1", f"mean {registry.title(board.sort)} F1")
    return Table(["system", mean, *board.corpora], rows, 1)


def _chances_table(board: Leaderboard) -> Table:
    """How often the system of a row is above that of a column in a bootstrap replicate, in percent without decimals."""
    systems = list(board.evaluations)
    rows = []
    for at, system in enumerate(systems[:-1]):
        chances = [chance(board.probability_better[system, other]) for other in systems[at + 1 :]]
        rows.append([system, *[""] * at, *chances])
    return Table(["P(row > column), %", *systems[1:]], rows, 1)


def _table(board: Leaderboard, *, full: bool, show: Sequence[str]) -> Table:
    measures = [
        (metric, ratio)
        for metric in [board.sort, *board.metrics]
        for ratio in (RATIOS if full else RATIOS[2:])
    ]
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
        first = [
            "–" if one.rank is None else str(one.rank),
            *(cells[at] for _, cells in columns),
            one.system,
        ]
        rows.append([*first, *_cells(one, board.sort, measures, len(headings) - len(left))])
    return Table(headings, rows, len(left))


def _cells(
    standing: LeaderboardRow, sort: str, measures: list[tuple[str, str]], width: int
) -> list[str]:
    counts = standing.found()
    if counts is None or standing.evaluation is None:
        return ["not scored" if measures else "", *[""] * (width - 1)]
    rounding = standing.evaluation.options.rounding
    cells: list[str] = []
    for measure in measures:
        score = standing.scores[measure]
        cells.append(figure(score.value, rounding))
        if measure == (sort, "f1"):
            cells.append(interval(score.low, score.high, rounding))
    mentions = share(counts.recall_numerator, counts.recall_denominator)
    return [*cells, mentions, str(len(standing.missing)), str(standing.warnings)]


def _records(board: Leaderboard) -> Iterator[dict[str, Any]]:
    empty = dict.fromkeys(FIELDS)
    for standing in board.standings:
        if standing.evaluation is None:
            yield empty | {"kind": "failed", "system": standing.system, "reason": standing.reason}
        else:
            ours = {"kind": "score", "system": standing.system} | _ranking(standing)
            ours |= {"missing": len(standing.missing), "warnings": standing.warnings}
            for metric in board.metrics:
                yield empty | ours | {"metric": metric} | _figures(standing, metric)
        for corpus, evaluation in standing.corpora.items():
            for metric in board.metrics or evaluation.names:
                names = {"system": standing.system, "corpus": corpus, "metric": metric}
                yield empty | {"kind": "corpus"} | names | _ratios(evaluation, metric)


def _ranking(standing: LeaderboardRow) -> dict[str, Any]:
    """The values of `RANKING`."""
    low, high = standing.ranks or (None, None)
    return dict(
        zip(RANKING, (standing.rank, standing.tier, standing.best, standing.letters, low, high))
    )


def _rows(group: Evaluation) -> Iterator[rows.Row]:
    """The rows of the figures of a group, which have counts only where they are made of them."""
    if type(group) is Evaluation:
        return rows.rows_of(group, "micro", "", group.totals)
    return (rows.Row("group", "", metric, group.ratios(metric), None) for metric in group.names)


def _ratios(evaluation: Evaluation, metric: str) -> dict[str, float | None]:
    """Recall, precision and F1; None where an average has none."""
    return dict(zip(RATIOS, evaluation.ratios(metric)))


def _figures(standing: LeaderboardRow, metric: str) -> dict[str, float | None]:
    """The figures of a metric that exist, as in `FIGURES`; None for what could not be computed."""
    figures = {}
    for (name, ratio), score in standing.scores.items():
        if name == metric:
            for end, value in (("", score.value), ("_low", score.low), ("_high", score.high)):
                figures[f"{ratio}{end}"] = None if isnan(value) else value
    return figures


def _standing(board: Leaderboard, standing: LeaderboardRow, by: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"system": standing.system} | _ranking(standing)
    if standing.corpora:
        fields["corpora"] = {
            corpus: {
                metric: _ratios(evaluation, metric) for metric in board.metrics or evaluation.names
            }
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
    fields |= {
        "missing": standing.missing,
        "warnings": standing.warnings,
        "problems": list(map(str, standing.problems)),
    }
    if by is not None:
        groups = standing.evaluation.by(by)
        fields["groups"] = [
            {"name": name, "metrics": {row.metric: row.to_dict() for row in _rows(groups[name])}}
            for name in groups
        ]
    return fields
