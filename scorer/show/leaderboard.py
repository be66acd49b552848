"""Reports of a leaderboard: tables, records and an HTML page."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations, pairwise
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer import registry
from scorer.comparison.resampling import RATIOS, SHOW, SHOWN
from scorer.evaluation.evaluation import Evaluation, mean, runs_of
from scorer.evaluation.signature import both, noted, written
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
from scorer.report.table import Cell, Table
from scorer.show import comparison
from scorer.show import evaluation as rows
from scorer.show.evaluation_page import PLOTTED, facts, figures_by_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from scorer.comparison.leaderboard import Leaderboard, LeaderboardRow
    from scorer.report.forms import Record

    Scored = list[tuple[LeaderboardRow, Evaluation]]
    """The rows of the systems that could be scored."""


PAIRS = 66
"""Up to so many pairs of systems are compared on the page; of more, those of neighbours."""


DOCUMENTS = 8_000
"""Up to so many rows of documents stand behind the figures of all systems of a page."""


def _page(
    board: Leaderboard,
    signature: dict[str, Any],
    by: str | None,
    errors: Mapping[str, str],
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
    scored = [(row, row.evaluation) for row in board.standings if row.evaluation is not None]
    groups = {} if by is None else {row.system: _groups(one, by) for row, one in scored}
    failed = len(board.standings) - len(scored)
    counted = f"{pluralize(len(scored), 'system')}, {pluralize(len(board.documents), 'document')}"
    ranked = f"{counted}, ranked by the F1 of {board.sort}." if scored else ""
    columns = [name for name in ("tier", "best", "letters", "ranks") if _has(scored, name)]
    return Page(
        headline=_headline(board, scored),
        facts=_facts(scored),
        summary=ranked + (f" {failed} could not be scored." if failed else ""),
        explained=_explained(board, scored, columns),
        # Warnings about the figures come before the figures.
        notes=[*_failures(board), *board.notes, *_missing_tables(board)],
        tables=[_systems(board, columns)],
        sections=list(_plots(board, scored, groups)),
        folded=list(_tables_below(board, SHOW, groups)),
        systems=[
            _details(board, row, evaluation, groups.get(row.system, {}))
            | {"errors": errors.get(row.system, "")}
            for row, evaluation in scored
        ],
        lists=[("Warnings about the key", board.problems)],
        signature=noted(signature),
    )


def _missing_tables(board: Leaderboard) -> list[str]:
    """Say why the page has no figures of documents; nothing where it has them."""
    rows = len(board.evaluations) * len(board.documents)
    if rows <= DOCUMENTS:
        return []
    return [
        f"{rows:,} rows of documents are too many for a page: score a system by itself for them"
    ]


def _failures(board: Leaderboard) -> list[str]:
    return [
        f"{row.system} could not be scored: {row.reason}" for row in board.standings if row.reason
    ]


def _groups(evaluation: Evaluation, by: str) -> dict[str, Evaluation]:
    return {name or "(no group)": group for name, group in evaluation.by(by).items()}


def _headline(board: Leaderboard, scored: Scored) -> str:
    """Name the first system and its F1, and how many are not significantly worse."""
    if not scored:
        return ""
    first, evaluation = scored[0]
    score, rounding = first.scores[board.sort, "f1"], evaluation.options.rounding
    ends = interval(score.low, score.high, rounding)
    f1 = f"{board.sort} F1 {figure(score.value, rounding)}{ends and f' {ends}'}"
    best = sum(row.best is True for row, _ in scored)
    others = f"; {pluralize(best - 1, 'other')} not significantly worse" if best > 1 else ""
    return f"{first.system} is first with {f1}{others}."


def _facts(scored: Scored) -> Iterator[tuple[str, str]]:
    yield "systems", f"{len(scored):,}"
    tiers = {row.tier for row, _ in scored} - {None}
    if tiers:
        yield "tiers", str(len(tiers))
    if scored:
        yield from facts(scored[0][1], response=False)
        yield from comparison.responses({row.system: evaluation for row, evaluation in scored})


def _explained(board: Leaderboard, scored: Scored, columns: Sequence[str]) -> str:
    """Say what the columns of the ranking are, of those that it has."""
    if not scored:
        return ""
    resampling, rounding = board.resampling, scored[0][1].options.rounding
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
    shown = [sentence for name, sentence in said.items() if name in columns]
    return " ".join([*shown, f"Figures are percent, {describe_rounding(rounding)}."])


def _has(scored: Scored, name: str) -> bool:
    """Whether a field of the rows, such as `letters`, could be computed."""
    return any(getattr(row, name) is not None for row, _ in scored)


def _mentions(evaluation: Evaluation) -> str:
    """Say how many mentions of the key were found."""
    counts = evaluation.totals["mentions"][0]
    return f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"


def _plots(
    board: Leaderboard, scored: Scored, groups: Mapping[str, Mapping[str, Evaluation]]
) -> Iterator[Section]:
    if not scored:
        return
    tiered, rounding = _has(scored, "tier"), scored[0][1].options.rounding
    caption = "The axis begins where the figures do."
    caption += " Tiers differ by shape as well as by colour." if tiered else ""
    caption += " In bold: not significantly worse than the best." if _has(scored, "best") else ""
    title = _plot_title(board)
    yield Section(title, [Figure(plot(board), caption, title)])
    looks = [(row.rank or 0, row.tier) for row, _ in scored]
    metrics = list(dict.fromkeys([board.sort, *board.metrics]))
    yield from comparison.squares(board.evaluations, metrics, looks, "ranks")
    names = list(next(iter(groups.values()), ()))
    if 0 < len(names) <= PLOTTED:
        strips = []
        for name in names:
            f1s = [groups[row.system][name].ratios(board.sort).f1 for row, _ in scored]
            dots = [plots.Dot(row.system, f1, row.tier) for (row, _), f1 in zip(scored, f1s)]
            strips.append(plots.Strip(name, nan, dots))
        drawn = plots.strips(strips, f"F1 of {board.sort} in each group", rounding, of="system")
        title = f"F1 of {board.sort} by group"
        caption = plots.systems(len(scored), ", by its tier" if tiered else "")
        yield Section(title, [Figure(drawn, caption, title)])


def _plot_title(board: Leaderboard) -> str:
    more = " with intervals, and ranks" if sum(board.units.values()) > 1 else ""
    return f"F1 of {board.sort}{more}"


def plot(board: Leaderboard) -> str:
    """Plot the F1 by which systems are ranked with its interval, letters and ranks; tiers are bands.

    The F1 alone where there are too few units for the others.
    """
    intervals = []
    for row in board.standings:
        if row.evaluation is not None:
            f1 = row.scores[board.sort, "f1"]
            drawn = plots.Interval(row.system, row.tier, f1.value, f1.low, f1.high)
            if row.ranks is not None:
                letters, best = row.letters or "", bool(row.best)
                drawn = drawn._replace(rank=row.rank, ranks=row.ranks, letters=letters, best=best)
            intervals.append(drawn)
    rounding = next(iter(board.evaluations.values())).options.rounding
    return plots.intervals(intervals, _plot_title(board), rounding)


def _tables_below(
    board: Leaderboard,
    show: Sequence[str],
    groups: Mapping[str, Mapping[str, Evaluation]] | None = None,
) -> Iterator[Table]:
    """Yield the tables below the ranking; a page has those of pairs and of `groups`, too."""
    if board.corpora:
        yield _corpora_table(board)
    if groups is not None and board.p:
        yield _pairs_table(board)
    elif groups is None and "chances" in show and board.probability_better:
        yield _chances_table(board)
    if board.spreads:
        yield _runs_table(board)
    if "order" in show and board.orders:
        yield comparison.orders_table(board)
    names = list(next(iter((groups or {}).values()), ()))
    if groups and names:
        cells = []
        for system, by_name in groups.items():
            inside = [group.ratios(board.sort).f1 for group in by_name.values()]
            rounding = board.evaluations[system].options.rounding
            cells.append([system, *(figure(f1, rounding) for f1 in inside)])
        caption = f"F1 of {board.sort} in each group of documents"
        yield Table(["system", *names], cells, 1, caption=caption)


def _pairs_table(board: Leaderboard) -> Table:
    scored = [row for row in board.standings if row.evaluation is not None]
    pairs = list(combinations(scored, 2))
    if len(pairs) > PAIRS:
        pairs = list(pairwise(scored))
    cells = []
    for better, worse in pairs:
        more = better.scores[board.sort, "f1"].value - worse.scores[board.sort, "f1"].value
        names = better.system, worse.system
        p = board.resampling.written(board.p[names], sum(board.units.values()))
        cells.append([*names, difference(more), p, f"{chance(board.probability_better[names])}%"])
    level = 1 - board.resampling.confidence
    said = (
        f"p-values of the difference in {board.sort} F1, of each pair by itself; in bold: at most"
        f" {level:.2g}. For all pairs at once that is too lenient: tiers, letters and the best are"
        " corrected for it. P(above): how often the system is above the other one in a bootstrap"
        " replicate; it is no p-value."
    )
    headings = ["system", "other system", "difference", "p", "P(above)"]
    return Table(headings, cells, 2, caption="Significance of differences", intro=said, level=level)


def _runs_table(board: Leaderboard) -> Table:
    rounding = next(iter(board.evaluations.values())).options.rounding
    spreads = [spread for spread in board.spreads if spread.metric == board.sort]
    return comparison.runs_table(spreads, rounding)


def _details(
    board: Leaderboard,
    row: LeaderboardRow,
    evaluation: Evaluation,
    groups: Mapping[str, Evaluation],
) -> dict[str, Any]:
    """Return what is behind a system's figures, as the template shows it."""
    rounding = evaluation.options.rounding
    cells = []
    for metric in board.metrics:
        score = row.scores[metric, "f1"]
        ratios = (figure(ratio, rounding) for ratio in evaluation.ratios(metric))
        cells.append([metric, *ratios, interval(score.low, score.high, rounding)])
    heading = f"{board.resampling.interval_heading} of F1"
    headings = ["metric", "recall", "precision", "F1", heading]
    tables = [Table(headings, cells, 1, caption="Totals")]
    if groups:
        in_groups = {
            name: {metric: group.ratios(metric) for metric in board.metrics}
            for name, group in groups.items()
        }
        tables.append(figures_by_name("group", evaluation, in_groups))
    # Which these are is the same for all systems.
    documents = [] if _missing_tables(board) else board.documents
    runs = [
        {document.name: document.counts for document in run.documents}
        for run in runs_of(evaluation).values()
    ]
    in_documents = {
        name: {
            metric: mean([evaluation.ratios_of(metric, run[name]) for run in runs])
            for metric in board.metrics
        }
        for name in documents
    }
    if documents:
        tables.append(figures_by_name("document", evaluation, in_documents))
    tier = f", tier {row.tier}" if row.tier is not None else ""
    best = figure(row.scores[board.sort, "f1"].value, rounding)
    found = f"mentions found {_mentions(evaluation)}"
    return {
        "name": row.system,
        "figures": f"rank {row.rank}{tier}, {board.sort} {best}, {found}",
        "tables": tables,
        "missing": row.missing,
        "warnings": [problem for problem in row.problems if problem.kind != "missing"],
        "unlisted": row.unlisted,
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
    signature = board.signature(form)
    signature["report"] |= ({"full": True} if full else {}) | ({"by": by} if by is not None else {})
    signature["report"] |= {"show": "+".join(show)} if tuple(show) != SHOWN else {}
    told: list[Record] = [{"kind": "note", "reason": note} for note in board.notes]
    told.append({"kind": "signature", "reason": written(signature)})
    return Report(
        form,
        f"Leaderboard of {pluralize(len(board.standings), 'system')}",
        tables=lambda: [_table(board, full=full, show=show), *_tables_below(board, show)],
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


def to_frame(board: Leaderboard) -> pd.DataFrame:
    """`Leaderboard.to_frame`."""
    frame = frame_of(
        ([record.get(field) for field in FIELDS] for record in _records(board)), FIELDS
    ).drop(columns="kind")
    whole = ("rank", "tier", "rank_low", "rank_high", "missing", "warnings")
    return frame.astype(
        dict.fromkeys(FIGURES, float) | dict.fromkeys(whole, "Int64") | {"best": "boolean"}
    )


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
    mean = Cell(f"mean {board.sort} F1", f"mean {registry.title(board.sort)} F1")
    said = (
        f"F1 of {board.sort} in each corpus; systems are ranked by the mean. A dash: the system"
        " lacks the corpus."
    )
    return Table(["system", mean, *board.corpora], rows, 1, caption="Corpora", intro=said)


def _chances_table(board: Leaderboard) -> Table:
    """How often the system of a row is above that of a column in a bootstrap replicate, in percent without decimals."""
    systems = list(board.evaluations)
    rows = []
    for at, system in enumerate(systems[:-1]):
        chances = [chance(board.probability_better[system, other]) for other in systems[at + 1 :]]
        rows.append([system, *[""] * at, *chances])
    return Table(["P(row > column), %", *systems[1:]], rows, 1)


def _table(board: Leaderboard, *, full: bool, show: Sequence[str]) -> Table:
    ratios = RATIOS if full else RATIOS[2:]
    measures = [(name, ratio) for name in [board.sort, *board.metrics] for ratio in ratios]
    scored = [row for row in board.standings if row.evaluation is not None]
    measures = [one for one in dict.fromkeys(measures) if scored and one in scored[0].scores]
    ranking = {
        "tier": [str(row.tier or "") for row in board.standings],
        "best": ["yes" if row.best else "" for row in board.standings],
        "letters": [row.letters or "" for row in board.standings],
        "ranks": ["–".join(map(str, dict.fromkeys(row.ranks or ()))) for row in board.standings],
    }
    columns = [word for word in show if word in ranking]
    left = ["rank", *columns, "system"]
    headings: list[str] = list(left)
    for metric, ratio in measures:
        name = "F1" if ratio == "f1" else ratio
        headings.append(Cell(f"{metric} {name}", f"{registry.title(metric)} {name}"))
        if (metric, ratio) == (board.sort, "f1"):
            headings.append(board.resampling.interval_heading)
    headings += ["mentions found", "missing", "warnings"]
    rows = []
    for at, row in enumerate(board.standings):
        href = f"#system-{at + 1}" if row.evaluation is not None else ""
        cells = ["–" if row.rank is None else str(row.rank)]
        cells += [ranking[word][at] for word in columns]
        cells.append(Cell(row.system, tier=row.tier, href=href))
        counts = row.found()
        if row.evaluation is None or counts is None:
            cells.append("not scored" if measures else "")
            rows.append([*cells, *[""] * (len(headings) - len(cells))])
            continue
        rounding = row.evaluation.options.rounding
        for measure in measures:
            score = row.scores[measure]
            cells.append(figure(score.value, rounding))
            if measure == (board.sort, "f1"):
                cells.append(interval(score.low, score.high, rounding))
        mentions = share(counts.recall_numerator, counts.recall_denominator)
        rows.append([*cells, mentions, str(len(row.missing)), str(row.warnings)])
    return Table(headings, rows, len(left), caption="Systems, best first")


def _systems(board: Leaderboard, show: Sequence[str]) -> Table:
    """Make the table of a page: names and F1 come first, which a narrow page shows, then the rest of `show`."""
    table = _table(board, full=True, show=show)
    more = {"best", "letters", "ranks"} & set(show)
    if not more:
        return table
    order = [at for at, heading in enumerate(table.headings) if heading not in more]
    moved = [at for at, heading in enumerate(table.headings) if heading in more]
    after = [table.headings[at] for at in order].index(board.resampling.interval_heading) + 1
    order[after:after] = moved
    rows = [[row[at] for at in order] for row in table.rows]
    headings = [table.headings[at] for at in order]
    return Table(headings, rows, table.left - len(moved), caption=table.caption)


def _records(board: Leaderboard) -> Iterator[Record]:
    for row in board.standings:
        if row.evaluation is None:
            yield {"kind": "failed", "system": row.system, "reason": row.reason}
        else:
            score: Record = {"kind": "score", "system": row.system} | _ranking(row)
            score |= {"missing": len(row.missing), "warnings": row.warnings}
            for metric in board.metrics:
                yield score | {"metric": metric} | _figures(row, metric)
        for corpus, evaluation in row.corpora.items():
            for metric in board.metrics or evaluation.names:
                names = {"system": row.system, "corpus": corpus, "metric": metric}
                yield {"kind": "corpus"} | names | _ratios(evaluation, metric)


def _ranking(row: LeaderboardRow) -> Record:
    """Return the values of `RANKING`."""
    low, high = row.ranks or (None, None)
    return dict(zip(RANKING, (row.rank, row.tier, row.best, row.letters, low, high)))


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
