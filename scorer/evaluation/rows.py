"""An evaluation as rows: one for each metric in each document, group or total. Every report but perl's is made of these."""

from __future__ import annotations

from scorer.count.counts import Ratios

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pandas as pd

    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import Evaluation
    from scorer.evaluation.layout import Layout

COUNTS = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")
"""The names of the four counts, in the order of `Counts.as_tuple`."""
FIELDS = ("kind", "name", "metric", "recall", "precision", "f1", *COUNTS)
"""The names of a row's values, in the order of `Row.as_tuple`."""


class Row:
    """One line of a report.

    `kind`: document, group, micro (totals) or macro (means over documents). `name`: of the document or group, or empty.
    `metric`: its name; `blanc.coreference` is a part of blanc. `ratios` as fractions; not a number where an average has none.
    `counts` None where there are none: macro-averages, averages, and metrics of several parts.
    """

    __slots__ = ("counts", "kind", "metric", "name", "ratios")

    def __init__(self, kind: str, name: str, metric: str, ratios: Ratios, counts: Counts | None) -> None:
        self.kind = kind
        self.name = name
        self.metric = metric
        self.ratios = ratios
        self.counts = counts

    def as_tuple(self) -> tuple[Any, ...]:
        """Kind, name, metric, recall, precision, F1 and the four counts; None for what does not exist."""
        ratios = (None if ratio != ratio else ratio for ratio in self.ratios.as_tuple())  # noqa: PLR0124  only nan differs from itself
        counts = (None,) * len(COUNTS) if self.counts is None else self.counts.as_tuple()
        return self.kind, self.name, self.metric, *ratios, *counts

    def to_dict(self) -> dict[str, Any]:
        """The values by name, without those that identify the row."""
        return dict(zip(FIELDS[3:], self.as_tuple()[3:]))


def rows_of(evaluation: Evaluation, kind: str, name: str, counts: dict[str, tuple[Counts, ...]]) -> Iterator[Row]:
    """A row for each metric that the evaluation shows, its parts below it."""
    for shown in evaluation.names:
        metric = evaluation.metrics.get(shown)
        parts = counts[shown] if metric is not None else ()
        yield Row(kind, name, shown, evaluation.ratios_of(shown, counts), parts[0] if len(parts) == 1 else None)
        if metric is not None and len(parts) > 1:
            for part, of_part in zip(metric.parts, parts):
                yield Row(kind, name, f"{shown}.{part}", of_part.ratios(), of_part)


def documents(evaluation: Evaluation) -> Iterator[Row]:
    """The rows of each document."""
    for document in evaluation.documents:
        yield from rows_of(evaluation, "document", document.name, document.counts)


def groups(evaluation: Evaluation, pattern: str) -> Iterator[Row]:
    """The rows of each group's totals."""
    for name, group in evaluation.by(pattern).items():
        yield from rows_of(evaluation, "group", name, group.totals)


def totals(evaluation: Evaluation) -> Iterator[Row]:
    """The rows of the totals."""
    yield from rows_of(evaluation, "micro", "", evaluation.totals)


def macro(evaluation: Evaluation) -> Iterator[Row]:
    """The rows of the means over documents."""
    for name in evaluation.names:
        yield Row("macro", "", name, evaluation.macro(name), None)


def select(evaluation: Evaluation, layout: Layout) -> Iterator[Row]:
    """The rows of a report: documents, groups, totals, means, as far as the layout asks for them."""
    if layout.per_document:
        yield from documents(evaluation)
    if layout.by is not None:
        yield from groups(evaluation, layout.by)
    if layout.average != "macro":
        yield from totals(evaluation)
    if layout.average != "micro":
        yield from macro(evaluation)


def to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """`Evaluation.to_dict`."""
    from scorer.evaluation.layout import Layout
    from scorer.evaluation.signature import signature

    return nested(evaluation, Layout(per_document=True), signature(evaluation))


def nested(evaluation: Evaluation, layout: Layout, signed: dict[str, Any]) -> dict[str, Any]:
    """The rows of a report by what they are about: totals, macro and, where asked for, lists of documents and groups.

    `signed`: the fields of its signature.
    """
    by_kind: dict[str, Any] = {}
    blocks: dict[tuple[str, str], dict[str, Any]] = {}
    for row in select(evaluation, layout):
        blocks.setdefault((row.kind, row.name), {})[row.metric] = row.to_dict()
    for (kind, name), by_metric in blocks.items():
        if kind in {"document", "group"}:
            by_kind.setdefault(f"{kind}s", []).append({"name": name, "metrics": by_metric})
        else:
            by_kind[{"micro": "totals"}.get(kind, kind)] = by_metric
    return by_kind | {"removed": removed(evaluation), "signature": signed}


def removed(evaluation: Evaluation) -> list[dict[str, Any]]:
    """What each filter took from each side."""
    return [dict(zip(("filter", "side", "mentions", "clusters", "documents"), one.as_tuple())) for one in evaluation.removed]


def to_frame(evaluation: Evaluation, rows: str) -> pd.DataFrame:
    """`Evaluation.to_frame`."""
    kinds = {"documents": documents, "totals": totals, "macro": macro}
    if rows not in kinds:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
    from scorer.report.frame import frame_of

    frame = frame_of((row.as_tuple() for row in kinds[rows](evaluation)), FIELDS)
    frame = frame.astype(dict.fromkeys(FIELDS[3:], float)).drop(columns="kind")
    return frame.rename(columns={"name": "document"}) if rows == "documents" else frame.drop(columns="name")
