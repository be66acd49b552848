"""Reports of a leaderboard: tables, records and an HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations, pairwise
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize, warnings_in
from scorer import registry
from scorer.comparison.board import Leaderboard, LeaderboardRow
from scorer.comparison.compare_report import (
    f1s_of,
    figure_cells,
    figure_columns,
    label,
    p_cell,
    responses,
    runs_table,
    squares,
)
from scorer.evaluation.averages import runs_of
from scorer.evaluation.evaluation import Evaluation, both, mean, noted, written
from scorer.evaluation.page import PLOTTED, facts, figures_by_name
from scorer.evaluation.rows import Row, rows_of
from scorer.report import plots
from scorer.report.figures import (
    chance,
    describe_rounding,
    difference,
    figure,
    interval,
    share,
)
from scorer.report.forms import Report, frame_of
from scorer.report.page import Figure, Page, Section
from scorer.report.table import Cell, Column, Table, name_columns, number_columns
from scorer.statistics.resampling import RATIOS, SHOW, SHOWN, measures_of
from scorer.systems.comparison import Score

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.forms import Record
    from scorer.report.table import AnyTable

Groups = Mapping[str, Mapping[str, Evaluation]]
"""For each system the groups of its documents, by name."""

PAIRS = 66
"""Up to so many pairs of systems are compared on the page; of more, those of neighbours."""

DOCUMENTS = 8_000
"""Up to so many rows of documents stand behind the figures of all systems of a page."""

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
    """Describe what an output format shows.

    In tables figures are percent with two decimals, made as the option `rounding` says: F1 of each
    metric, and with `full` recall and precision as well. Rows and JSON hold all as fractions with
    all digits. `by`: in JSON and on the page the figures of groups of documents as well, as
    `Evaluation.by` makes them. `errors`: by system the address of the page of its errors. The page
    has recall and precision in any case.
    """
    unknown = next((word for word in show if word not in SHOW), None)
    if unknown is not None:
        raise ValueError(f"show: {unknown!r} is not one of {', '.join(SHOW)}")
    shown = None if tuple(show) == SHOWN else "+".join(show)
    signature = board.signature(form, full=full or None, by=by, show=shown)
    told: list[Record] = [{"kind": "note", "reason": note} for note in board.notes]
    told.append({"kind": "signature", "reason": written(signature)})
    return Report(
        form,
        f"Leaderboard of {pluralize(len(board.standings), 'system')}",
        tables=lambda: [
            _ranking(board, show, full=full),
            *_filled(
                _corpora(board),
                _chances(board, show),
                runs_table(board, [board.sort]),
            ),
        ],
        notes=[*_failures(board), *(f"note: {note}" for note in board.notes)],
        signatures=both(signature),
        fields=FIELDS,
        records=lambda: [dict.fromkeys(FIELDS) | record for record in (*_records(board), *told)],
        tree=lambda: to_dict(board, by=by) | {"signature": signature},
        page=lambda: _page(board, signature, by, errors or {}),
    )


def to_dict(board: Leaderboard, *, by: str | None = None) -> dict[str, Any]:
    """`Leaderboard.to_dict`."""
    return {
        "sort": board.sort,
        "documents": board.documents,
        "units": board.size,
        "standings": [_standing(board, row, by) for row in board.standings],
        "p": [
            dict(zip(("first", "second", "p", "probability_better"), (*pair, p, better)))
            for (pair, p), better in zip(board.p.items(), board.probability_better.values())
        ],
        **({"spreads": list(map(asdict, board.spreads))} if board.spreads else {}),
        "gaps": [
            {"below": row.system, "p_holm": gap} for row, gap in zip(board.standings, board.gaps)
        ],
        "notes": board.notes,
        "problems": list(map(str, board.problems)),
        "signature": board.signature(),
    }


def _standing(board: Leaderboard, row: LeaderboardRow, by: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"system": row.system} | _place(row)
    if row.corpora:
        fields["corpora"] = {
            corpus: {name: _ratios(part, name) for name in board.metrics or part.names}
            for corpus, part in row.corpora.items()
        }
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
        "problems": list(map(str, row.problems)),
    }
    if by is not None:
        fields["groups"] = [
            {"name": name, "metrics": {line.metric: line.to_dict() for line in _rows(group)}}
            for name, group in row.evaluation.by(by).items()
        ]
    return fields


def _rows(group: Evaluation) -> Iterator[Row]:
    """The rows of the figures of a group, which have counts only where they are made of them."""
    if group.is_of_totals:
        return rows_of(group, "micro", "", group.totals)
    return (Row("group", "", metric, group.ratios(metric), None) for metric in group.names)


def _records(board: Leaderboard) -> Iterator[Record]:
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
    values = row.rank, row.tier, row.best, row.letters, *(row.ranks or (None, None))
    return dict(zip(RANKING, values))


def _ratios(evaluation: Evaluation, metric: str) -> dict[str, float | None]:
    """Recall, precision and F1; None where an average has none."""
    return dict(zip(RATIOS, evaluation.ratios(metric)))


def _figures(row: LeaderboardRow, metric: str) -> dict[str, float | None]:
    """The figures of a metric that exist, as in `FIGURES`; None for what could not be computed."""
    figures = {}
    for _, ratio in measures_of([metric]):
        score = row.scores[metric, ratio]
        for end, value in (("", score.value), ("_low", score.low), ("_high", score.high)):
            figures[f"{ratio}{end}"] = None if isnan(value) else value
    return figures


def to_frame(board: Leaderboard) -> pd.DataFrame:
    """`Leaderboard.to_frame`."""
    columns = FIELDS[1:]
    frame = frame_of((map(record.get, columns) for record in _records(board)), columns)
    whole = ("rank", "tier", "rank_low", "rank_high", "missing", "warnings")
    return frame.astype(
        dict.fromkeys(FIGURES, float) | dict.fromkeys(whole, "Int64") | {"best": "boolean"}
    )


def plot(board: Leaderboard) -> str:
    """Plot the F1 by which systems are ranked with its interval, letters and ranks; tiers are bands.

    The F1 alone where there are too few units for the others.
    """
    intervals = []
    for row in board.scored:
        f1 = row.scores[board.sort, "f1"]
        drawn = plots.Interval(row.system, row.tier, f1.value, f1.low, f1.high)
        if row.ranks is not None:
            letters, best = row.letters or "", bool(row.best)
            drawn = drawn._replace(rank=row.rank, ranks=row.ranks, letters=letters, best=best)
        intervals.append(drawn)
    return plots.intervals(intervals, _plot_title(board), board.rounding)


def _plot_title(board: Leaderboard) -> str:
    return f"F1 of {board.sort}{' with intervals, and ranks' if board.size > 1 else ''}"


def _failures(board: Leaderboard) -> list[str]:
    return [
        f"{row.system} could not be scored: {row.reason}" for row in board.standings if row.reason
    ]


def _filled(*tables: Table) -> list[Table]:
    return [table for table in tables if table.rows]


def _ranking(
    board: Leaderboard, show: Sequence[str], *, full: bool, later: Sequence[str] = ()
) -> Table:
    """Make the table of the systems, best first.

    Args:
        board: The leaderboard.
        show: What it says of how systems compare, of `SHOW`.
        full: Whether it has recall and precision.
        later: What of `show` comes behind the F1 that decides, and not before the name.
    """
    metrics = dict.fromkeys([board.sort, *board.metrics]) if board.evaluations else ()
    measures = [measure for measure in measures_of(metrics) if full or measure[1] == "f1"]
    earlier = [place for place in show if place in PLACES and place not in later]
    later = [place for place in show if place in later]
    columns = [Column("rank", "place")]
    columns += [Column(place, "place" if place == "tier" else "name") for place in earlier]
    columns.append(Column("system", "head"))
    for metric, ratio in measures:
        columns.append(_measure_column(board, metric, ratio, measures))
        if (metric, ratio) == (board.sort, "f1"):
            columns.append(Column(board.resampling.interval_heading))
            columns += [Column(place, "rank" if place == "ranks" else "label") for place in later]
    columns += number_columns("mentions found", "missing", "warnings")
    rows = []
    for number, row in enumerate(board.standings, 1):
        places = _written_places(row)
        counts = row.mentions
        cells: list[Cell | str] = ["–" if row.rank is None else str(row.rank)]
        cells += [places[place] for place in earlier]
        href = f"#system-{number}" if counts else ""
        cells.append(Cell(row.system, mark=row.tier, href=href))
        for at, (metric, ratio) in enumerate(measures):
            score = row.scores.get((metric, ratio), Score("", metric, ratio, nan, nan, nan))
            is_failed = not counts and at == 0
            cells.append("not scored" if is_failed else figure(score.value, board.rounding))
            if (metric, ratio) == (board.sort, "f1"):
                cells.append(interval(score.low, score.high, board.rounding))
                cells += [places[place] for place in later]
        if counts:
            found = share(counts.recall_numerator, counts.recall_denominator)
            cells += [found, str(len(row.missing)), str(row.warnings)]
        else:
            cells += ["", "", ""]
        rows.append(cells)
    return Table(columns, rows, caption="Systems, best first")


PLACES = ("tier", "best", "letters", "ranks")
"""What a row says of how its system compares."""


def _written_places(row: LeaderboardRow) -> dict[str, str]:
    """Write how a system compares, by what it is called in `PLACES`."""
    return {
        "tier": str(row.tier or ""),
        "best": "yes" if row.best else "",
        "letters": row.letters or "",
        "ranks": "–".join(map(str, dict.fromkeys(row.ranks or ()))),
    }


def _measure_column(
    board: Leaderboard, metric: str, ratio: str, measures: Sequence[tuple[str, str]]
) -> Column:
    """Make the column of a ratio of a metric."""
    name = "F1" if ratio == "f1" else ratio
    kind = ratio
    if (metric, ratio) == (board.sort, "f1"):
        kind = "main"
    elif (metric, "recall") not in measures:
        kind = "number"
    return Column(f"{metric} {name}", kind, latex=f"{registry.title(metric)} {name}")


def _corpora(board: Leaderboard) -> Table:
    """The F1 that decides in each of several corpora; a dash where the system lacks it."""
    corpora = board.corpora
    rows = [
        [row.system, *f1s_of([row.evaluation, *map(row.corpora.get, corpora)], board.sort)]
        for row in board.standings
        if corpora
    ]
    mean = Column(f"mean {board.sort} F1", latex=f"mean {registry.title(board.sort)} F1")
    said = (
        f"F1 of {board.sort} in each corpus; systems are ranked by the mean. A dash: the system"
        " lacks the corpus."
    )
    columns = [*name_columns("system"), mean, *number_columns(*corpora)]
    return Table(columns, rows, caption="Corpora", intro=said)


def _chances(board: Leaderboard, show: Sequence[str]) -> Table:
    """How often the system of a row is above that of a column in a bootstrap replicate, in percent without decimals."""
    systems = list(board.evaluations)
    rows = []
    for at, system in enumerate(systems[:-1]):
        if "chances" in show and board.probability_better:
            later = (board.probability_better[system, other] for other in systems[at + 1 :])
            rows.append([system, *[""] * at, *map(chance, later)])
    return Table([*name_columns("P(row > column), %"), *number_columns(*systems[1:])], rows)


def _pairs(board: Leaderboard) -> Table:
    pairs = list(combinations(board.scored if board.p else [], 2))
    if len(pairs) > PAIRS:
        pairs = list(pairwise(board.scored))
    level = 1 - board.resampling.confidence
    rows: list[list[Cell | str]] = []
    for better, worse in pairs:
        more = better.scores[board.sort, "f1"].value - worse.scores[board.sort, "f1"].value
        names = better.system, worse.system
        probability = f"{chance(board.probability_better[names])}%"
        p = p_cell(board.written(board.p[names]), board.p[names], level)
        rows.append([*names, difference(more), p, probability])
    said = (
        f"p-values of the difference in {board.sort} F1, of each pair by itself; in bold: at most"
        f" {level:.2g}. For all pairs at once that is too lenient: tiers, letters and the best are"
        " corrected for it. P(above): how often the system is above the other one in a bootstrap"
        " replicate; it is no p-value."
    )
    columns = [
        *name_columns("system", "other system"),
        Column("difference"),
        Column("p", "rank"),
        Column("P(above)"),
    ]
    return Table(columns, rows, caption="Significance of differences", intro=said)


def _page(
    board: Leaderboard, signature: dict[str, Any], by: str | None, errors: Mapping[str, str]
) -> Page:
    """Make the content of the HTML report.

    Args:
        board: The leaderboard.
        signature: Its fields.
        by: A regular expression that puts documents into groups, as in `Evaluation.by`.
        errors: By system the address of the page of its errors, where there is one.

    Raises:
        ValueError: `by` is not a regular expression.
    """
    groups: dict[str, dict[str, Evaluation]] = {}
    if by is not None:
        for system, evaluation in board.evaluations.items():
            named = evaluation.by(by).items()
            groups[system] = {label(name): group for name, group in named}
    failed = len(board.standings) - len(board.scored)
    systems = pluralize(len(board.scored), "system")
    counted = pluralize(len(board.documents), "document")
    ranked = f"{systems}, {counted}, ranked by the F1 of {board.sort}." if board.scored else ""
    columns = [
        name
        for name in ("tier", "best", "letters", "ranks")
        if any(getattr(row, name) is not None for row in board.scored)
    ]
    lines, notes = len(board.scored) * len(board.documents), [*_failures(board), *board.notes]
    documents = board.documents
    if lines > DOCUMENTS:
        advice = "score a system by itself for them"
        notes.append(f"{lines:,} rows of documents are too many for a page: {advice}")
        documents = []
    names = list(next(iter(groups.values()), ()))
    f1s = [[system, *f1s_of(parts.values(), board.sort)] for system, parts in groups.items()]
    caption = f"F1 of {board.sort} in each group of documents"
    return Page(
        headline=_headline(board),
        facts=_facts(board),
        summary=ranked + (f" {failed} could not be scored." if failed else ""),
        explained=_explained(board, columns) if board.scored else "",
        # Warnings about the figures come before the figures.
        notes=notes,
        tables=[_ranking(board, columns, full=True, later=("best", "letters", "ranks"))],
        sections=list(_plots(board, columns, groups)) if board.scored else [],
        folded=_filled(
            _corpora(board),
            _pairs(board),
            runs_table(board, [board.sort]),
            Table(
                [*name_columns("system"), *number_columns(*names)],
                f1s if names else [],
                caption=caption,
            ),
        ),
        systems=[
            _details(board, row, groups.get(row.system, {}), documents)
            | {"errors": errors.get(row.system, "")}
            for row in board.scored
        ],
        lists=[("Warnings about the key", board.problems)],
        signature=noted(signature),
    )


def _headline(board: Leaderboard) -> str:
    """Name the first system and its F1, and how many are not significantly worse."""
    if not board.scored:
        return ""
    first = board.scored[0]
    score = first.scores[board.sort, "f1"]
    ends = interval(score.low, score.high, board.rounding)
    f1 = f"{board.sort} F1 {figure(score.value, board.rounding)}{ends and f' {ends}'}"
    best = sum(row.best is True for row in board.scored)
    others = f"; {pluralize(best - 1, 'other')} not significantly worse" if best > 1 else ""
    return f"{first.system} is first with {f1}{others}."


def _facts(board: Leaderboard) -> Iterator[tuple[str, str]]:
    yield "systems", f"{len(board.scored):,}"
    tiers = {row.tier for row in board.scored} - {None}
    if tiers:
        yield "tiers", str(len(tiers))
    if board.scored:
        yield from facts(board.first, response=False)
        yield from responses(board)


def _explained(board: Leaderboard, columns: Sequence[str]) -> str:
    """Say what the columns of the ranking are, of those that it has."""
    resampling = board.resampling
    confidence = f"{100 * resampling.confidence:.15g}%"
    how = "" if resampling.method == "randomisation" else f", {resampling.method}"
    said = {
        "ranks": f"Intervals: {confidence}, {resampling.interval}, bootstrap over"
        f" {pluralize(board.size, 'unit')} of documents. Ranks are those of"
        f" {confidence} of the replicates.",
        "tier": "Every system of a tier differs significantly from every one of the tiers below (p"
        f" at most {1 - resampling.confidence:.2g}, corrected by Holm's method for the number of"
        f" places where a tier may end{how}).",
        "letters": "Systems that share a letter do not differ significantly.",
        "best": "The best are those not significantly worse than the first.",
    }
    shown = [sentence for name, sentence in said.items() if name in columns]
    return " ".join([*shown, f"Figures are percent, {describe_rounding(board.rounding)}."])


def _plots(board: Leaderboard, columns: Sequence[str], groups: Groups) -> Iterator[Section]:
    caption = "The axis begins where the figures do."
    caption += " Tiers differ by shape as well as by colour." if "tier" in columns else ""
    caption += " In bold: not significantly worse than the best." if "best" in columns else ""
    title = _plot_title(board)
    yield Section(title, [Figure(plot(board), caption, title)])
    looks = [(row.rank or 0, row.tier) for row in board.scored]
    yield from squares(board, dict.fromkeys([board.sort, *board.metrics]), looks, "ranks")
    names = list(next(iter(groups.values()), ()))
    if 0 < len(names) <= PLOTTED:
        strips = []
        for name in names:
            dots = [
                plots.Dot(row.system, groups[row.system][name].ratios(board.sort).f1, row.tier)
                for row in board.scored
            ]
            strips.append(plots.Strip(name, nan, dots))
        title = f"F1 of {board.sort} in each group"
        drawn = plots.strips(strips, title, board.rounding, of="system")
        title = f"F1 of {board.sort} by group"
        tiers = ", by its tier" if "tier" in columns else ""
        caption = plots.systems(len(board.scored), tiers)
        yield Section(title, [Figure(drawn, caption, title)])


def _details(
    board: Leaderboard,
    row: LeaderboardRow,
    groups: Mapping[str, Evaluation],
    documents: Sequence[str],
) -> dict[str, Any]:
    """Return what is behind a system's figures, as the template shows it."""
    evaluation = board.evaluations[row.system]
    heading = f"{board.resampling.interval_heading} of F1"
    totals = [
        [metric, *figure_cells(evaluation, metric, row.scores[metric, "f1"])]
        for metric in board.metrics
    ]
    columns = [*name_columns("metric"), *figure_columns(heading)]
    tables: list[AnyTable] = [Table(columns, totals, caption="Totals")]
    runs = [
        {document.name: document.counts for document in run.documents}
        for run in runs_of(evaluation).values()
    ]
    named = {
        "group": {
            name: {metric: group.ratios(metric) for metric in board.metrics}
            for name, group in groups.items()
        },
        # Which these are is the same for all systems.
        "document": {
            name: {
                metric: mean([evaluation.ratios_of(metric, run[name]) for run in runs])
                for metric in board.metrics
            }
            for name in documents
        },
    }
    tables += [
        figures_by_name(kind, evaluation, ratios) for kind, ratios in named.items() if ratios
    ]
    tier = f", tier {row.tier}" if row.tier is not None else ""
    best = figure(row.scores[board.sort, "f1"].value, board.rounding)
    counts = evaluation.totals["mentions"][0]
    found = f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"
    return {
        "name": row.system,
        "figures": f"rank {row.rank}{tier}, {board.sort} {best}, mentions found {found}",
        "tables": tables,
        "missing": row.missing,
        "warnings": [problem for problem in warnings_in(row.problems) if problem.kind != "missing"],
        "unlisted": row.unlisted,
    }
