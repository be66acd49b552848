"""The report of errors, in every output format from the same columns, and the chart of costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

from scorer.analysis.diff_tables import AGAINST
from scorer.analysis.errors import DEFAULT, Errors
from scorer.analysis.errors_notes import notes_of
from scorer.analysis.errors_tables import SECTIONS, Section, text_columns, with_nec
from scorer.analysis.kinds import KINDS
from scorer.analysis.system_diff import SystemDiff
from scorer.evaluation.signature import signature
from scorer.registry import title
from scorer.report.columns import Column, Table
from scorer.report.forms import FRAMED
from scorer.report.page import Page
from scorer.report.plots import Interval, Plot, intervals
from scorer.report.report import Report
from scorer.report.signature import format_signature

if TYPE_CHECKING:
    import pandas as pd


FOR_READERS = ("html", "latex", "markdown", "table")
"""The formats that show tables for readers."""


def tree(errors: Errors, sections: Iterable[str] = DEFAULT) -> dict[str, Any]:
    """Return the records of some sections, by their names."""
    return _records(Part(name, SECTIONS[name], errors) for name in with_nec(sections))


def to_frame(errors: Errors, rows: str) -> pd.DataFrame:
    """Return the records of a section as a data frame.

    Raises:
        ValueError: There is no such section.
    """
    if rows not in SECTIONS:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(SECTIONS)}")
    return SECTIONS[rows].data(errors).to_frame()


def report_of(
    errors: Errors,
    output_format: str = "table",
    sections: Sequence[str] = DEFAULT,
    against: SystemDiff | None = None,
) -> Report:
    """Make the report of some sections, and of how a second response differs.

    Tables have percent with two decimals: ratios as the option `rounding` says, costs rounded.
    Records and JSON hold fractions with all digits.

    Args:
        errors: The errors of the response.
        output_format: The output format, which the signature names.
        sections: The sections to show.
        against: The comparison with the second response.

    Raises:
        ValueError: There is no such section.
    """
    layout = {"format": output_format, "show": "+".join(sections)}
    layout |= errors.error_options.signed(strata="strata" in sections)
    signed = signature(errors.evaluation, layout)
    parts = [Part(name, SECTIONS[name], errors) for name in with_nec(sections)]
    parts_against: list[Part] = []
    if against is not None:
        signed["against"] = signature(against.other_evaluation)["response"]
        # Mention by mention where only errors are listed, else tables and sentences.
        names = ["errors"] if list(sections) == ["errors"] else ["kinds", "strata", "sentences"]
        parts_against = [Part(name, AGAINST[name], against, "against ") for name in names]
    removed = [str(removed) for removed in errors.evaluation.removed]
    notes = list(notes_of(errors, sections))
    report = Report(
        output_format=output_format,
        title="Errors of coreference",
        notes=[*removed, *(f"note: {note}" for note in notes)],
        signature=signed,
        closing=[{"section": "signature", "kind": format_signature(signed)}],
        own_formats=list(FRAMED),
    )
    if output_format == "json":
        records = _records(parts)
        if against is not None:
            records["against"] = _records(parts_against)
        return replace(report, tree=records | {"notes": errors.notes, "signature": signed})
    if output_format in FOR_READERS:
        tables: list[Table] = []
        for part in parts + parts_against:
            tables += part.section.tables(part.result)
        # The tables alone; `scorer errors` writes a page with the text.
        return replace(report, tables=tables, page=Page(tables=tables, notes=removed + notes))
    report = replace(report, data=[part.labelled() for part in parts + parts_against])
    if output_format == "parquet":
        whole = Table(text_columns(*report.fields), list(report.records()))
        report = replace(report, frame=whole.to_frame().convert_dtypes())
    return report


@dataclass(frozen=True)
class Part:
    """A section of a report with its result.

    Attributes:
        name: The name of the section.
        section: The section.
        result: The errors, or the comparison with a second response.
        prefix: The text before the name where all sections are listed together.
    """

    name: str
    section: Section
    result: Errors | SystemDiff
    prefix: str = ""

    def labelled(self) -> Table:
        """Return the rows with the name of the section in the first column."""
        table = self.section.data(self.result)
        label_column = Column(name="section", value=lambda _: f"{self.prefix}{self.name}")
        return replace(table, columns=[label_column, *table.columns])


def _records(parts: Iterable[Part]) -> dict[str, Any]:
    """Return the records of sections by their names."""
    return {part.name: list(part.section.data(part.result).records()) for part in parts}


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
