"""An evaluation as a page: totals, groups and documents, and what is odd about the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.evaluation.signature import noted
from scorer.registry import AVERAGES
from scorer.report.figures import said_of_percent, share
from scorer.report.pages import shell
from scorer.report.pages.shell import cell, heading, listed, name, table, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import Evaluation


def page(evaluation: Evaluation, signature: dict[str, Any], *, by: str | None = None, title: str = "Coreference scores") -> str:
    """A page that needs nothing beside it; figures are percent, with two decimals as the option `percent` says.

    `by` is a regular expression that puts documents into groups, as in `Evaluation.by`; ValueError when it is invalid.
    """
    lacking = [problem.document or "" for problem in evaluation.problems if problem.kind == "missing"]
    others = [problem for problem in evaluation.problems if problem.kind != "missing"]
    said = said_of_percent(evaluation.options.percent)
    summary = f"{amount(len(evaluation.documents), 'document')}. Figures are percent, {said}."
    body = [f"<p>{text(summary)}</p>", _totals(evaluation)]
    if lacking:
        body += [f"<h2>Missing documents ({len(lacking):,}), scored as empty ones</h2>", listed(lacking)]
    if others:
        body += [f"<h2>Warnings ({len(others):,})</h2>", listed(others)]
    if evaluation.removed:
        body += ["<h2>Removed before scoring</h2>", listed(evaluation.removed)]
    body.append(shell.SWITCH)
    if by is not None:
        groups = [(group or "(no group)", inside.totals) for group, inside in evaluation.by(by).items()]
        body += ["<h2>Groups of documents</h2>", _figures(evaluation, "group", groups)]
    named = [(document.name, document.counts) for document in evaluation.documents]
    body += ["<h2>Documents</h2>", _figures(evaluation, "document", named)]
    return shell.page(title, body, [noted(signature)])


def refusal(reason: str, *, title: str = "Coreference scores") -> str:
    """The page for a response that could not be scored, with the reason."""
    return shell.page(title, [f'<p class="note">not scored: {text(reason)}</p>'], [])


def _totals(evaluation: Evaluation) -> str:
    labels = ("recall", "precision", "F1", "recall counts", "precision counts")
    headings = ['<th scope="col" class="left">metric</th>', *(f'<th scope="col">{label}</th>' for label in labels)]
    rows = []
    for metric in evaluation.names:
        ratios = "".join(cell(ratio, percent=evaluation.options.percent) for ratio in evaluation.ratios(metric).as_tuple())
        parts = evaluation.totals.get(metric, ())
        shares = _shares(parts[0]) if len(parts) == 1 else ("", "")
        rows.append(f'<th scope="row">{text(metric)}</th>{ratios}{"".join(f"<td>{share}</td>" for share in shares)}')
    return table("Totals", headings, rows, sortable=False)


def _shares(counts: Counts) -> Iterator[str]:
    yield share(counts.recall_numerator, counts.recall_denominator)
    yield share(counts.precision_numerator, counts.precision_denominator)


def _figures(evaluation: Evaluation, kind: str, named: Sequence[tuple[str, dict[str, tuple[Counts, ...]]]]) -> str:
    """A row for each name with every metric's ratios; the switch picks the ratio to show."""
    headings = [heading(kind, kind="text")]
    for metric in evaluation.names:
        headings += shell.headings(metric, single=metric in AVERAGES)
    rows = []
    for own, counts in named:
        cells = [f'<th scope="row">{name(own)}</th>']
        for metric in evaluation.names:
            ratios = evaluation.ratios_of(metric, counts)
            cells += shell.cells(ratios, single=metric in AVERAGES, percent=evaluation.options.percent)
        rows.append("".join(cells))
    return table(f"{kind.capitalize()}s", headings, rows)
