"""The report of a comparison, in every output format: records, tables and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.comparison.compare_tables import (
    Additions,
    corpora_table,
    differences_table,
    groups_table,
    scores_table,
)
from scorer.comparison.paper import latex_of_comparison
from scorer.comparison.tables import filled, label, runs_table
from scorer.evaluation.averages import in_corpora
from scorer.report.columns import Column, Table
from scorer.report.paper_table import check_ratios
from scorer.report.report import Report
from scorer.report.signature import format_signature
from scorer.systems.comparison import Comparison, Difference, Score, Spread
from scorer.systems.groups import group_differences
from scorer.systems.resampled import FEW

if TYPE_CHECKING:
    import pandas as pd

    from scorer.report.columns import Record
    from scorer.report.page import Page

COLUMNS = (
    Column(name="kind"),
    Column(name="first"),
    Column(name="second"),
    Column(name="corpus"),
    Column(name="group"),
    Column(name="metric", kind="metric"),
    Column(name="ratio"),
    Column(name="value", kind="ratio"),
    Column(name="low", kind="ratio"),
    Column(name="high", kind="ratio"),
    Column(name="p", kind="ratio"),
    Column(name="p_holm", kind="ratio"),
    Column(name="documents", kind="whole"),
    Column(name="effect", kind="ratio"),
    Column(name="probability_better", kind="ratio"),
    Column(name="standard_error", kind="ratio"),
    Column(name="degrees_of_freedom", kind="ratio"),
    Column(name="p_groups", kind="ratio"),
    Column(name="runs", kind="whole"),
    Column(name="sd", kind="ratio"),
    Column(name="best", kind="ratio"),
)
"""The columns of a record.

Its kind is score (of the system `first`), corpus (a score in one of several), difference, group (a
difference in one, `p_groups` corrected over all), runs (how those of the system spread), or note
and signature, which stand in `first`.
"""

FIELDS = tuple(Table(COLUMNS, ()).names)
"""The fields of a record."""

RENAMED = {"system": "first", "mean": "value", "difference": "value"}
"""The fields of records for attributes of rows that have other names."""


def to_frame(comparison: Comparison, rows: str) -> pd.DataFrame:
    """Make the frame of `Comparison.to_frame`: a column for each attribute of a row."""
    kinds = {"differences": Difference, "scores": Score, "spreads": Spread}
    if rows not in kinds:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(kinds)}")
    columns = [Column(name=attribute.name) for attribute in fields(kinds[rows])]
    return Table(columns, getattr(comparison, rows)).to_frame()


def plot(comparison: Comparison) -> str:
    """Plot F1 of each system, as the page shows it."""
    from scorer.comparison import compare_page

    return compare_page.plot(comparison)


def report_of(
    comparison: Comparison,
    output_format: str = "table",
    *,
    by: str | None = None,
    ratios: str = "all",
) -> Report:
    """Make the report of a comparison.

    In tables, recall, precision, F1 and the ends of their intervals are percent with two decimals,
    made as the option `rounding` says; differences and the ends of their intervals are rounded.
    Records and JSON hold fractions with all digits.

    Args:
        comparison: The comparison.
        output_format: The output format, which the signature names.
        by: A regular expression; adds the groups of documents that it makes.
        ratios: The ratios in LaTeX: all, or f1.
    """
    check_ratios(ratios, output_format)
    groups = {} if by is None else comparison.by(by)
    added = Additions(
        group_by=by,
        groups=groups,
        differences=group_differences(groups),
    )
    notes = [*comparison.notes, *_notes_on_groups(comparison, added)]
    signature = comparison.signature(output_format, by=by)
    tables = _tables(comparison, added, in_paper=output_format == "latex")
    records = list(_records(comparison, added))
    records += [{"kind": "note", "first": note} for note in notes]
    records.append({"kind": "signature", "first": format_signature(signature)})
    tree: Mapping[str, Any] | None = None
    page: Page | None = None
    latex = ""
    if output_format == "json":
        tree = _tree(comparison, added, notes) | {"signature": signature}
    elif output_format == "html":
        from scorer.comparison.compare_page import page_of

        page = page_of(comparison, notes, tables)
    elif output_format == "latex":
        latex = latex_of_comparison(comparison, ratios)
    return Report(
        output_format=output_format,
        title=f"Comparison of {pluralize(len(comparison.evaluations), 'system')}",
        data=[Table(COLUMNS, records)],
        tables=tables,
        notes=[f"note: {note}" for note in notes],
        signature=signature,
        tree=tree,
        page=page,
        latex=latex,
    )


def _tables(comparison: Comparison, added: Additions, *, in_paper: bool) -> list[Table]:
    """Make the tables that have rows.

    Args:
        comparison: The comparison.
        added: The additions to it.
        in_paper: Whether one table as papers print it replaces those of scores and differences.
    """
    corpora = corpora_table(comparison)
    others = [
        runs_table(comparison, comparison.first.names),
        groups_table(comparison, added),
    ]
    if in_paper:
        return filled([corpora, *others])
    return filled([scores_table(comparison), corpora, differences_table(comparison), *others])


def _tree(comparison: Comparison, added: Additions, notes: Sequence[str]) -> dict[str, Any]:
    """Return what JSON holds but the signature."""
    tree = comparison.to_dict() | {"notes": list(notes)}
    if added.group_by is not None:
        differences: dict[str, list[Record]] = {name: [] for name in added.groups}
        for row in added.differences:
            record = asdict(row)
            differences[record.pop("group")].append(record)
        groups: dict[str, Any] = {}
        for name, group in added.groups.items():
            groups[name] = group.to_dict() | {"differences": differences[name]}
        tree["groups"] = groups
    return tree


def _records(comparison: Comparison, added: Additions) -> Iterator[Record]:
    """Yield the records of a comparison; in groups the differences, or, of one system, scores."""
    for score in comparison.scores:
        yield _record("score", score)
    if comparison.corpora:
        yield from _records_of_corpora(comparison)
    for difference in comparison.differences:
        yield _record("difference", difference)
    for spread in comparison.spreads:
        yield _record("runs", spread)
    for group_difference in added.differences:
        yield _record("group", group_difference)
    if len(comparison.evaluations) == 1:
        for name, group in added.groups.items():
            for score in group.scores:
                yield _record("group", score) | {"group": name}


def _record(kind: str, row: object) -> Record:
    """Make the record of a row."""
    record: Record = {"kind": kind}
    for name, value in vars(row).items():
        record[RENAMED.get(name, name)] = value
    return record


def _records_of_corpora(comparison: Comparison) -> Iterator[Record]:
    """Yield each score in each of several corpora."""
    for score in comparison.scores:
        for corpus, part in in_corpora(comparison.evaluations[score.system]).items():
            yield {
                "kind": "corpus",
                "first": score.system,
                "corpus": corpus,
                "metric": score.metric,
                "ratio": score.ratio,
                "value": getattr(part.ratios(score.metric), score.ratio),
            }


def _notes_on_groups(comparison: Comparison, added: Additions) -> Iterator[str]:
    """Yield a note on the groups that cannot be compared, and one on those with few units."""
    if added.group_by is None:
        return
    single: list[str] = []
    few: list[str] = []
    for name in comparison.first.by(added.group_by):
        if name not in added.groups:
            single.append(label(name))
        elif added.groups[name].size < FEW:
            few.append(label(name))
    if single:
        names = ", ".join(single)
        yield f"{names}: fewer than two units of documents, so nothing is compared there"
    if few:
        less = "intervals contain the true value less often than stated"
        yield f"{', '.join(few)}: fewer than {FEW} units: {less}"
