"""Scores of spans as rows, which every form is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.spans.scores import LENIENT, STRICT, SpanChanges, area, verdict
from scorer.spans.spans import Measure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scorer.evaluation.layout import Layout
    from scorer.spans.scores import SpanScores

    Block = tuple[str, str, list[Measure]]
    """What the measures are of: its kind and its name."""

FIELDS = (
    "kind",
    "name",
    "measure",
    *Measure._fields[1:],
    *("threshold", "area", "start", "end", "label", "first", "second", "verdict", "spans"),
    *("both_right", "first_right", "second_right", "both_wrong", "p"),
)
"""The values of a record. `end` is the last token, as in the files, both from 0."""


def blocks(scores: SpanScores, layout: Layout) -> Iterator[Block]:
    """Documents, groups of documents, values, totals and means, as far as they are asked for."""
    groups = scores.groups(layout.by) if layout.by is not None else {}
    macro = layout.average != "micro"
    for kind, counts in (
        ("document", scores.documents if layout.per_document else {}),
        ("group", groups),
        ("value", scores.values),
    ):
        yield from ((kind, name, scores.measured(one)) for name, one in counts.items())
    if layout.average != "macro":
        yield "micro", "", scores.measured(scores.total)
    if macro and scores.documents:
        yield "macro", "documents", scores.macro()
    if macro and groups:
        yield "macro", "groups", scores.macro(groups)
    if macro and scores.values:
        yield "macro", "values", scores.macro(scores.values)


def records(scores: SpanScores, layout: Layout) -> Iterator[dict[str, Any]]:
    """All rows but the signature."""
    for kind, name, measured in blocks(scores, layout):
        yield from ({"kind": kind, "name": name} | one._asdict() for one in measured)
    yield from curve(scores)
    if scores.changes is not None:
        yield from changes(scores)


def curve(scores: SpanScores) -> Iterator[dict[str, Any]]:
    """Rows of kind threshold, from the highest, and of kind area."""
    for cut in scores.cuts:
        for one in scores.measured(cut.counts)[:2]:
            values = one._asdict() | {"accuracy": None}
            yield {"kind": "threshold", "name": "", "threshold": cut.threshold} | values
    for measure in ("strict", "lenient") if scores.cuts else ():
        yield {"kind": "area", "name": "", "measure": measure, "area": area(scores.cuts, measure)}


def changes(scores: SpanScores) -> Iterator[dict[str, Any]]:
    """Rows of kind table (McNemar), of kind classes (how many spans changed so), and of kind change (one span)."""
    found = scores.changes or SpanChanges()
    for measure, right in (("strict", STRICT), ("lenient", LENIENT)):
        of_key = found.table(right)
        values = dict(zip(("both_right", "first_right", "second_right", "both_wrong"), of_key))
        yield {"kind": "table", "name": "", "measure": measure} | values | {"p": of_key.p}
    for (first, second, how), spans in classes(scores):
        yield {"kind": "classes", "name": "", "first": first, "second": second, "verdict": how, "spans": spans}
    for one in found:
        span = {"start": one.span.start, "end": one.span.end - 1, "label": one.span.label}
        classes_of = {"first": one.first, "second": one.second, "verdict": one.verdict}
        yield {"kind": "change", "name": one.document} | span | classes_of


def classes(scores: SpanScores) -> list[tuple[tuple[str, str, str], int]]:
    """How many spans have each class in the first response and in the second, those that changed most often first."""
    counts = {} if scores.changes is None else scores.changes.counts
    counted = [((first, second, verdict(first, second)), spans) for (first, second), spans in counts.items()]
    return sorted(counted, key=lambda one: (one[0][2] == "same", -one[1], one[0]))
