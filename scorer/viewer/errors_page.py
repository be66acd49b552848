"""The errors of a response as a page."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from scorer.analysis.kinds import (
    CONFLATED,
    DIVIDED,
    EXTRA,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    EXTRA_SINGLETON,
    KINDS,
    MISSING_ENTITY,
    MISSING_MENTION,
    MISSING_SINGLETON,
    SPAN,
)
from scorer.evaluation.page import facts
from scorer.evaluation.signature import noted, signature
from scorer.report.figures import difference, figure, interval
from scorer.report.pages.grid import Cell, Column, Figure, Grid
from scorer.viewer import plots
from scorer.viewer.facets import FACETS, labelled
from scorer.viewer.page import Kind, page
from scorer.viewer.text import Error, Viewed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conll.errors import Side
    from scorer.analysis.document import DocumentErrors
    from scorer.analysis.errors import Errors
    from scorer.analysis.kinds import Part

_LOOKS = {
    SPAN: (0, 3), MISSING_MENTION: (1, 0), MISSING_ENTITY: (2, 0), MISSING_SINGLETON: (3, 0), DIVIDED: (4, 2),
    EXTRA_MENTION: (5, 1), EXTRA_ENTITY: (6, 1), EXTRA_SINGLETON: (7, 1), CONFLATED: (8, 2),
}  # fmt: skip
"""Shape and pattern of each kind: dashes for what is missing, dots for what is extra, two lines for what is in a wrong cluster."""


def errors_page(errors: Errors, *, title: str = "Errors of coreference") -> str:
    """The page of the errors of a response; ModuleNotFoundError without Jinja2."""
    metric = main_metric(errors.names)
    kinds = [
        Kind(kind, errors.counts[kind], _gain(errors, kind, metric) if errors.counts[kind] else "", *_LOOKS[kind]) for kind in KINDS
    ]
    return page(
        map(_viewed, errors.documents),
        title=title,
        kinds=kinds,
        cost=f"what {metric} F1 gains, in points, if that kind alone is mended",
        facets=FACETS,
        facts=_facts(errors, metric),
        notes=[*errors.notes, *_differing(errors)],
        figures=[
            Figure(
                plots.kinds(errors, metric),
                f"A cost is what {metric} F1 gains, in points, if that kind alone is mended.",
                "Kinds of errors",
            )
        ],
        charts=plots.strata(errors),
        tables=[("Costs of all kinds", _costs(errors)), ("Strata", _strata(errors))],
        signature=noted(signature(errors.evaluation, {"format": "html", **errors.look.signed(strata=True)})),
    )


def main_metric(names: Sequence[str]) -> str:
    """The metric whose cost is shown first: conll where it is shown, else the first."""
    return "conll" if "conll" in names else names[0]


def _viewed(document: DocumentErrors) -> Viewed:
    pair = document.pair
    words = pair.text.layers.sentences if pair.text.layers is not None else None
    said = {**document.attributes("response"), **document.attributes("key")}
    found = {"type": dict(zip(pair.mentions, pair.kinds)), "entity type": labelled(pair.mentions, said, pair.text)}
    errors = [_error(document, part) for part in document.transformation.parts]
    return Viewed(document.name, document.key, document.response, words or None, errors, found)


def _error(document: DocumentErrors, part: Part) -> Error:
    mentions = part.mentions
    side: Side = "response" if part.kind in EXTRA or part.kind == CONFLATED else "key"
    return Error(KINDS.index(part.kind), side, part.key, part.response, [document.pair.mentions[one] for one in mentions])


def _facts(errors: Errors, metric: str) -> Iterator[tuple[str, str]]:
    yield f"{metric} F1", figure(errors.costs.response.ratios(metric).f1, errors.evaluation.options.percent)
    yield "errors", f"{sum(errors.counts.values()):,}"
    yield from facts(errors.evaluation)


def _differing(errors: Errors) -> Iterator[str]:
    differing = [problem for problem in errors.problems if problem.kind == "text"]
    if differing:
        yield f"the texts of key and response differ, and the key's is shown: {differing[0]}"


def _costs(errors: Errors) -> Grid:
    columns = [Column("kind", "text", "name"), Column("errors"), *(Column(name) for name in errors.names)]
    rows: list[list[str | Cell]] = []
    for kind in KINDS:
        if errors.counts[kind]:
            gains = [errors.costs.gain(kind, metric)[2] for metric in errors.names]
            rows.append(
                [kind, Cell(f"{errors.counts[kind]:,}", errors.counts[kind]), *(Cell(difference(one), one) for one in gains)]
            )
    return Grid("What F1 gains, in points, if one kind alone is mended; spans beforehand", columns, rows)


def _gain(errors: Errors, kind: str, metric: str) -> str:
    gain = errors.costs.gain(kind, metric)[2]
    return "" if isnan(gain) else difference(gain)


def _strata(errors: Errors) -> Grid:
    columns = [
        Column("stratum", "text", "name"),
        Column("value", "text", "left"),
        Column("side", "text", "left"),
        Column("mentions"),
    ]
    columns += [Column("found"), Column("B³"), Column("link right")]
    percent = errors.evaluation.options.percent
    rows: list[list[str | Cell]] = []
    for row in errors.strata:
        ends = row.found_interval, row.bcub_interval, row.right_interval
        shares = [
            Cell("" if share is None else figure(share, percent), share, small="" if end is None else interval(*end, percent))
            for share, end in zip((row.found, row.bcub, row.right), ends)
        ]
        rows.append([row.stratum, row.value, row.side, Cell(f"{row.tally.mentions:,}", row.tally.mentions), *shares])
    return Grid("B³ is recall over the mentions of the key, precision over those of the response", columns, rows)
