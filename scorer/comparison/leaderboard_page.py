"""The leaderboard as a page: the ranked table, two plots, whether systems differ, and what is behind each system's figures."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from itertools import pairwise
from struct import pack
from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.evaluation.signature import noted
from scorer.registry import AVERAGES
from scorer.report.figures import difference, figure, interval, printable, said_of_percent
from scorer.report.pages import plot, shell
from scorer.report.pages.shell import cell, heading, listed, name, table, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from scorer.comparison.leaderboard import Leaderboard, Standing
    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import Evaluation

MATRIX = 12
"""Up to so many systems, the p-values of all pairs are shown; beyond that, those of neighbours."""

_NONE = 65535  # stands for no figure, among figures of two bytes


@dataclass(frozen=True)
class _Ranked:
    """A system that could be scored, and its groups of documents by name, where these are asked for."""

    standing: Standing
    evaluation: Evaluation
    groups: list[tuple[str, Evaluation]]


def page(board: Leaderboard, *, by: str | None = None, title: str | None = None) -> str:
    """A page that needs nothing beside it: no network, no file, and no script except to sort and to show documents.

    `by` is a regular expression that puts documents into groups, as in `Evaluation.by`; ValueError when it is invalid. `title` is
    text. Figures are percent, with two decimals as the option `percent` says.
    """
    ranked = [_Ranked(one, one.evaluation, _groups_of(one.evaluation, by)) for one in board.standings if one.evaluation is not None]
    # Warnings about the figures come before the figures.
    body = [_summary(board, ranked), *(f'<p class="note">note: {text(note)}</p>' for note in board.notes)]
    body += [*([shell.SWITCH] if ranked else []), _table(board, ranked)]
    if ranked:
        body += [_plots(board, ranked), *_differences(board, ranked)]
        body += [_groups(board, ranked)] if by is not None else []
        body += ["<section>", "<h2>Systems</h2>", *(_system(board, one, place) for place, one in enumerate(ranked)), "</section>"]
    if board.problems:
        body += ["<h2>Warnings about the key</h2>", listed(board.problems)]
    data = _data(board, ranked) if ranked else None
    return shell.page("Leaderboard" if title is None else title, body, [_signature(board, by)], data)


def _groups_of(evaluation: Evaluation, by: str | None) -> list[tuple[str, Evaluation]]:
    return [(group or "(no group)", inside) for group, inside in evaluation.by(by).items()] if by is not None else []


def _summary(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    systems, documents = amount(len(ranked), "system"), amount(len(board.documents), "document")
    scored = f"{systems}, {documents}, ranked by the F1 of {board.sort}." if ranked else ""
    failed = len(board.standings) - len(ranked)
    unscored = f" {failed} could not be scored." if failed else ""
    if not any(one.standing.tier is not None for one in ranked):
        return f"<p>{text(scored + unscored)}</p>"
    one = board.resampling
    how = "" if one.method == "randomisation" else f", {one.method}"
    explained = (
        f"Intervals: {100 * one.confidence:.15g}%, bootstrap over documents. Every system of a tier differs significantly"
        f" from every one of the tiers below (p at most {1 - one.confidence:.2g}, corrected by Holm's method for the number of"
        f" places where a tier may end{how})."
        f" Figures are percent, {said_of_percent(_percent(ranked))}."
    )
    return f'<p>{text(scored + unscored)}</p>\n<p class="faint">{text(explained)}</p>'


def _table(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    headings = [heading("rank", kind="rank"), heading("tier", kind="rank"), heading("system", kind="text")]
    headings.append(heading(f"{board.sort} F1, {board.resampling.interval_heading}"))
    for metric in _others(board):
        headings += shell.headings(metric, single=metric in AVERAGES)
    headings += [heading("mentions found"), heading("missing documents", kind="rank"), heading("warnings", kind="rank")]
    rows = ["".join(_row(board, one, place)) for place, one in enumerate(ranked)]
    # One column of three is shown of each metric, whichever ratio it is.
    columns = 4 + len(_others(board)) + 3
    last = [_failed(one, columns) for one in board.standings if one.evaluation is None]
    return table("Systems, best first", headings, rows, last=last)


def _row(board: Leaderboard, ranked: _Ranked, place: int) -> Iterator[str]:
    one = ranked.standing
    yield cell(one.rank, str(one.rank))
    yield _tier(one)
    yield f'<th scope="row"><a href="#system-{place + 1}">{name(one.system)}</a></th>'
    score = one.scores[board.sort, "f1"]
    percent = ranked.evaluation.options.percent
    ends = interval(score.low, score.high, percent)
    small = f"<small>{ends}</small>" if ends else ""
    yield f'<td class="main" data-value="{score.value}">{figure(score.value, percent)}{small}</td>'
    for metric in _others(board):
        yield from shell.cells(ranked.evaluation.ratios(metric), single=metric in AVERAGES, percent=percent)
    counts = _found(ranked)
    share = counts.recall_numerator / counts.recall_denominator if counts.recall_denominator else 0.0
    yield cell(share, _share(counts))
    yield cell(len(one.missing), f"{len(one.missing):,}")
    yield cell(one.warnings, f"{one.warnings:,}")


def _failed(one: Standing, columns: int) -> str:
    reason = f'<td class="reason" colspan="{columns - 3}">not scored: {text(one.reason)}</td>'
    return f'<td></td><td></td><th scope="row">{name(one.system)}</th>{reason}'


def _tier(one: Standing) -> str:
    if one.tier is None:
        return cell(None)
    kind = plot.look(one.tier)
    mark = f'<span class="tier-{kind}" aria-hidden="true">{plot.SYMBOLS[kind]}</span>'
    return f'<td data-value="{one.tier}">{mark} {one.tier}</td>'


def _plots(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    rows = []
    for one in ranked:
        score = one.standing.scores[board.sort, "f1"]
        rows.append(plot.Interval(score.system, one.standing.tier, score.value, score.low, score.high))
    with_intervals = any(figure(row.low) for row in rows)
    title = f"F1 of {board.sort}{' with intervals' if with_intervals else ''}"
    said = "The axis begins where the figures do."
    if any(row.tier for row in rows):
        said += " Tiers differ by shape as well as by colour."
    parts = [f"<h2>{text(title)}</h2>", _figure(shell.scrolling(plot.intervals(rows, title, _percent(ranked)), title), said)]
    parts += ["<h2>Recall against precision</h2>", '<div class="figures">']
    # An average has no recall and no precision, but its metrics do.
    for metric in AVERAGES[board.sort].of if board.sort in AVERAGES else (board.sort,):
        points = []
        for one in ranked:
            system, ratios = one.standing, one.evaluation.ratios(metric)
            points.append(plot.Point(system.system, system.rank or 0, system.tier, ratios.recall, ratios.precision))
        drawn = plot.recall_against_precision(points, f"Recall against precision of {metric}", _percent(ranked))
        parts.append(_figure(drawn, f"{metric}: numbers are ranks, dashed lines join equal F1"))
    return "\n".join([*parts, "</div>"])


def _figure(drawn: str, caption: str) -> str:
    return f"<figure>\n{drawn}\n<figcaption>{text(caption)}</figcaption>\n</figure>"


def _differences(board: Leaderboard, ranked: Sequence[_Ranked]) -> Iterator[str]:
    if not board.p:
        return
    level = 1 - board.resampling.confidence
    yield "<h2>Do they differ?</h2>"
    yield (
        f'<p class="faint">p-values of the difference in {text(board.sort)} F1, of each pair by itself; in bold: at most'
        f" {level:.2g}. For all pairs at once that is too lenient: the tiers are corrected for it.</p>"
    )
    standings = [one.standing for one in ranked]
    if len(standings) > MATRIX:
        rows = []
        for better, worse in pairwise(standings):
            more = better.scores[board.sort, "f1"].value - worse.scores[board.sort, "f1"].value
            cells = f'<td class="left">{name(better.system)}</td><td class="left">{name(worse.system)}</td>'
            p = board.p[better.system, worse.system]
            rows.append(cell(better.rank, str(better.rank)) + cells + cell(more, difference(more)) + _p(board, p))
        headings = [heading("rank", kind="rank"), heading("system", kind="text"), heading("next system", kind="text")]
        yield table("Neighbours", [*headings, heading("difference"), heading("p", kind="rank")], rows)
        return
    rows = []
    for at, better in enumerate(standings[:-1]):
        values = [_p(board, board.p[better.system, worse.system]) for worse in standings[at + 1 :]]
        rows.append(f'<th scope="row">{name(better.system)}</th>{"<td></td>" * at}{"".join(values)}')
    headings = ['<th scope="col"></th>', *(f'<th scope="col">{name(one.system)}</th>' for one in standings[1:])]
    yield table("Each system and those below it", headings, rows, sortable=False)


def _groups(board: Leaderboard, ranked: Sequence[_Ranked]) -> str:
    headings = [heading("system", kind="text"), *(heading(group) for group, _ in ranked[0].groups)]
    rows = [
        f'<th scope="row">{name(one.standing.system)}</th>'
        + "".join(cell(inside.ratios(board.sort).f1, percent=inside.options.percent) for _, inside in one.groups)
        for one in ranked
    ]
    return f"<h2>Groups of documents</h2>\n{table(f'F1 of {board.sort} in each group', headings, rows)}"


def _system(board: Leaderboard, ranked: _Ranked, place: int) -> str:
    one = ranked.standing
    percent = ranked.evaluation.options.percent
    rows = []
    for metric in board.metrics:
        score = one.scores[metric, "f1"]
        cells = [cell(ratio, percent=percent) for ratio in ranked.evaluation.ratios(metric).as_tuple()]
        rows.append(f'<th scope="row">{text(metric)}</th>{"".join(cells)}<td>{interval(score.low, score.high, percent)}</td>')
    interval_heading = f"{board.resampling.interval_heading} of F1"
    headings = ['<th scope="col" class="left">metric</th>']
    headings += [f'<th scope="col">{text(label)}</th>' for label in ("recall", "precision", "F1", interval_heading)]
    tier = f", tier {one.tier}" if one.tier is not None else ""
    best = figure(one.scores[board.sort, "f1"].value, percent)
    figures = f"rank {one.rank}{tier}, {board.sort} {best}, mentions found {_share(_found(ranked))}"
    parts = [
        f'<details id="system-{place + 1}">',
        f'<summary>{name(one.system)}<span class="faint">{text(figures)}</span></summary>',
        table("Totals", headings, rows, sortable=False),
    ]
    if one.missing:
        parts += ["<h3>Missing documents, scored as empty ones</h3>", listed(one.missing)]
    others = [problem for problem in one.problems if problem.kind != "missing"]
    if others:
        parts += ["<h3>Warnings</h3>", listed(others, unlisted=one.unlisted)]
    script = '<p class="faint">A script shows the tables of groups and documents here.</p>'
    return "\n".join([*parts, f'<div data-place="{place}">{script}</div>', "</details>"])


def _p(board: Leaderboard, p: float) -> str:
    shown = board.resampling.written(p, len(board.documents))
    return cell(p, shown, "main" if p <= 1 - board.resampling.confidence else "")


def _percent(ranked: Sequence[_Ranked]) -> str:
    """How figures are made percent; all systems are scored alike."""
    return ranked[0].evaluation.options.percent


def _hundredths(ratio: float, percent: str) -> int:
    """What `figure` shows, in hundredths of a percent."""
    shown = figure(ratio, percent)
    return round(100 * float(shown)) if shown else _NONE


def _others(board: Leaderboard) -> list[str]:
    """The metrics with columns of their own; the F1 by which systems are ranked has its column, with the interval."""
    return [metric for metric in board.metrics if metric != board.sort or metric not in AVERAGES]


def _found(ranked: _Ranked) -> Counts:
    return ranked.evaluation.totals["mentions"][0]


def _share(counts: Counts) -> str:
    return f"{counts.recall_numerator:,.0f} / {counts.recall_denominator:,.0f}"


def _data(board: Leaderboard, ranked: Sequence[_Ranked]) -> dict[str, Any]:
    """What the script makes tables of: names, and for each system the figures of its groups, then of its documents."""
    documents = board.documents
    figures = []
    for one in ranked:
        by_name = {document.name: document.counts for document in one.evaluation.documents}
        counts = [inside.totals for _, inside in one.groups] + [by_name[document] for document in documents]
        ratios = [one.evaluation.ratios_of(metric, some).as_tuple() for some in counts for metric in board.metrics]
        percent = one.evaluation.options.percent
        shown = [_hundredths(ratio, percent) for some in ratios for ratio in some]
        figures.append(b64encode(pack(f"<{len(shown)}H", *shown)).decode())
    return {
        "metrics": board.metrics,
        "averages": [metric for metric in board.metrics if metric in AVERAGES],
        "groups": [printable(group) for group, _ in ranked[0].groups],
        "documents": [printable(document) for document in documents],
        "figures": figures,
    }


def _signature(board: Leaderboard, by: str | None) -> str:
    fields = board.signature("html")
    fields["report"] |= {"by": by} if by is not None else {}
    return noted(fields)
