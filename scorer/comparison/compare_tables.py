"""The tables of a comparison: scores, corpora, differences and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from scorer.comparison.tables import (
    FIRST,
    METRIC,
    SECOND,
    SYSTEM,
    f1_column,
    interval_column,
    label,
    p_column,
)
from scorer.count.counts import Ratios
from scorer.evaluation.averages import in_corpora
from scorer.evaluation.evaluation import Evaluation
from scorer.report.columns import Cell, Column, Table
from scorer.systems.comparison import Comparison, Difference, Score
from scorer.systems.groups import GroupDifference


@dataclass(frozen=True, kw_only=True)
class Additions:
    """The parts of a report that are only there if they are asked for.

    Attributes:
        group_by: The regular expression that makes groups of documents.
        groups: The comparison within each group.
        differences: The differences within groups, corrected over all of them.
    """

    group_by: str | None
    groups: Mapping[str, Comparison]
    differences: Sequence[GroupDifference]


@dataclass(frozen=True, kw_only=True)
class SystemRow:
    """A system by a metric.

    Attributes:
        metric: The metric.
        number: The number of the system, from 1.
        system: Its name.
        ratios: Its recall, precision and F1.
        f1: Its F1 with the interval.
        parts: Its evaluations by corpus, with the mean over them as "".
    """

    metric: str
    number: int
    system: str
    ratios: Ratios
    f1: Score
    parts: Mapping[str, Evaluation]


def system_rows(comparison: Comparison, metrics: Iterable[str]) -> list[SystemRow]:
    """Make a row for each of these metrics and each system."""
    f1s: dict[tuple[str, str], Score] = {}
    for score in comparison.scores:
        if score.ratio == "f1":
            f1s[score.metric, score.system] = score
    rows = []
    for metric in metrics:
        for number, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
            corpora = in_corpora(evaluation) if comparison.corpora else {}
            row = SystemRow(
                metric=metric,
                number=number,
                system=system,
                ratios=evaluation.ratios(metric),
                f1=f1s[metric, system],
                parts={"": evaluation, **corpora},
            )
            rows.append(row)
    return rows


MARKED_SYSTEM = Column(
    heading="system", role="head", cell=lambda row: Cell(row.system, mark=row.number)
)
"""The system of a `SystemRow`, with its mark in plots."""

F1 = Column(value=attrgetter("ratios.f1"), kind="ratio", heading="F1", role="main")
"""F1 of a row that has `ratios`."""


def ratio_columns(interval_heading: str) -> list[Column]:
    """Make the columns of recall, precision, and F1 with its interval, of a row with `ratios`."""
    return [
        Column(value=attrgetter("ratios.recall"), kind="ratio", heading="recall", spare=1),
        Column(value=attrgetter("ratios.precision"), kind="ratio", heading="precision", spare=2),
        F1,
        Column(value=attrgetter("f1.ends"), kind="interval", heading=interval_heading),
    ]


def scores_table(comparison: Comparison) -> Table:
    """Make the table of all scores."""
    columns = [METRIC, MARKED_SYSTEM, *ratio_columns(comparison.resampling.interval_heading)]
    return Table(
        columns,
        system_rows(comparison, comparison.first.names),
        caption="All figures",
        merged=True,
        rounding=comparison.rounding,
    )


def corpora_table(comparison: Comparison) -> Table:
    """Make the table of F1 of each system in each of several corpora."""
    columns = [METRIC, SYSTEM, f1_column("mean F1", "")]
    columns += [f1_column(corpus, corpus) for corpus in comparison.corpora]
    rows = system_rows(comparison, comparison.first.names) if comparison.corpora else []
    return Table(columns, rows, caption="Corpora", merged=True)


def _f1_rows(comparison: Comparison, rows: Sequence[Any]) -> list[Any]:
    """Sort the differences of F1 by metric, in the order of the metrics."""
    sorted_rows: list[Any] = []
    for metric in comparison.first.names:
        sorted_rows += [row for row in rows if (row.metric, row.ratio) == (metric, "f1")]
    return sorted_rows


METRIC_HEAD = replace(METRIC, role="head")
"""The metric of a row, where it heads the row."""

F1_DIFFERENCE = Column(
    value=attrgetter("value"), kind="difference", heading="F1 difference", role="main"
)


def differences_table(comparison: Comparison) -> Table:
    """Make the table of the differences in F1 of all pairs of systems."""
    resampling = comparison.resampling
    level = 1 - resampling.confidence
    is_corrected = len(comparison.evaluations) > 2
    columns = [
        METRIC_HEAD,
        FIRST,
        SECOND,
        F1_DIFFERENCE,
        interval_column(resampling.interval_heading, spare=1),
        Column(heading="effect", role="number", spare=2, cell=_effect_cell),
        Column(
            value=attrgetter("probability_better"),
            kind="chance",
            heading="P(first > second)",
            spare=3,
        ),
        p_column("p", lambda row: comparison.written(row.p), "p", level),
    ]
    corrected = ""
    if is_corrected:
        corrected = "; p (Holm) is corrected over all pairs"
        columns.append(
            p_column("p (Holm)", lambda row: comparison.written(row.p, row.p_holm), "p_holm", level)
        )
    trials = f"{resampling.trials:,} trials"
    if resampling.is_exact(comparison.size):
        trials = "exact"
    return Table(
        columns,
        _f1_rows(comparison, comparison.differences),
        caption="Significance of differences",
        intro=f"Differences are first less second; p-values: {resampling.alternative},"
        f" {resampling.method}, {trials}{corrected}; in bold: at most {level:.2g}. The effect is in"
        " standard deviations of what a unit gives to the difference; P(first > second) is how"
        " often the first is better in a bootstrap sample.",
        merged=True,
    )


def _effect_cell(row: Difference) -> Cell:
    return Cell("" if row.effect is None else f"{row.effect:+.2f}")


GROUPS_CAPTION = "Groups of documents"


def groups_table(comparison: Comparison, added: Additions) -> Table:
    """Make the table of F1 differences within groups of documents; of one system, of its F1."""
    if not added.differences:
        return _figures_in_groups(comparison, added.groups)
    resampling = comparison.resampling
    level = 1 - resampling.confidence
    units = {name: group.size for name, group in added.groups.items()}

    def write_p(row: GroupDifference) -> str:
        return resampling.written(row.p, units[row.group])

    def write_corrected(row: GroupDifference) -> str:
        return resampling.written(row.p, units[row.group], row.p_groups)

    columns = [
        METRIC_HEAD,
        Column(value=lambda row: label(row.group), heading="group"),
        FIRST,
        SECOND,
        Column(value=lambda row: units[row.group], kind="whole", heading="units"),
        F1_DIFFERENCE,
        interval_column(resampling.interval_heading),
        p_column("p", write_p, "p", level),
        p_column("p (Holm, all groups)", write_corrected, "p_groups", level),
    ]
    return Table(
        columns,
        _f1_rows(comparison, added.differences),
        caption=GROUPS_CAPTION,
        intro="p (Holm, all groups) is corrected over all groups and pairs of a metric.",
        merged=True,
    )


def _figures_in_groups(comparison: Comparison, groups: Mapping[str, Comparison]) -> Table:
    """Make the table of F1 of one system in groups of documents."""
    rows: list[tuple[str, int, Score]] = []
    for name, group in groups.items():
        f1s = [score for score in group.scores if score.ratio == "f1"]
        rows += [(label(name), group.size, score) for score in f1s]
    columns = [
        Column(value=lambda row: row[0], heading="group", role="head"),
        Column(value=lambda row: row[2].metric, kind="metric", heading="metric"),
        Column(value=lambda row: row[1], kind="whole", heading="units"),
        Column(value=lambda row: row[2].value, kind="ratio", heading="F1", role="main"),
        Column(
            value=lambda row: row[2].ends,
            kind="interval",
            heading=comparison.resampling.interval_heading,
        ),
    ]
    return Table(columns, rows, caption=GROUPS_CAPTION, rounding=comparison.rounding)
