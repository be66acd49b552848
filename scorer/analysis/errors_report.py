"""The report of errors, in every output format from the same columns, and the chart of costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from scorer.analysis.diff_tables import AGAINST
from scorer.analysis.errors_notes import section_notes
from scorer.analysis.errors_tables import SECTIONS, with_nec
from scorer.analysis.kinds import KINDS
from scorer.registry import title
from scorer.report.columns import Table
from scorer.report.plots import Interval, Plot, intervals

if TYPE_CHECKING:
    from scorer.analysis.errors import Errors, ErrorsLayout


def sections_of(errors: Errors, layout: ErrorsLayout) -> list[Table]:
    """List the sections that a layout asks for, and how a second response differs.

    Raises:
        ValueError: There is no such section.
    """
    tables: list[Table] = []
    for name in with_nec(layout.sections):
        tables += noted(SECTIONS[name](errors), section_notes(errors, name))
    if layout.against is not None:
        # Mention by mention where only errors are listed, else tables and sentences.
        names = ["errors"] if layout.sections == ["errors"] else ["kinds", "strata", "sentences"]
        for name in names:
            tables += AGAINST[name](layout.against)
    # What is said of all figures comes last.
    tables.append(Table((), (), notes=[f"note: {note}" for note in errors.notes]))
    return tables


def noted(tables: Iterable[Table], notes: Iterable[str]) -> list[Table]:
    """Put notes on the first of some tables."""
    first, *others = tables
    return [replace(first, notes=[f"note: {note}" for note in notes]), *others]


def plot_kinds(errors: Errors, metric: str) -> str:
    """Plot the cost in F1 of a metric of each kind of error that occurs; of all if none does."""
    rows = []
    for kind in [kind for kind in KINDS if errors.counts[kind]] or KINDS:
        label = f"{kind} ({errors.counts[kind]:,})"
        rows.append(Interval(label, None, errors.costs.gain(kind, metric)[2], nan, nan))
    caption = f"{title(metric)} F1 gained by fixing only one kind of error"
    return intervals(rows, caption, noun="kind", signed=True)


def chart(errors: Errors, metric: str) -> str:
    """Draw the costs of each kind as a picture by itself.

    Raises:
        KeyError: The metric is not shown.
    """
    if metric not in errors.names:
        raise KeyError(metric)
    return Plot(plot_kinds(errors, metric)).svg + "\n"
