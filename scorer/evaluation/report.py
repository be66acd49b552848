"""The report of an evaluation, in every output format from the same rows.

The HTML report, which has plots as well, is in `scorer.evaluation.page`, because importing it takes
longer than scoring a small pair.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from conll.document import Document
from conll.errors import check_choice, pluralize
from scorer.count.counts import Counts, Ratios
from scorer.options import compiled
from scorer.report import report as report_layout
from scorer.report.columns import Cell, Column, Table
from scorer.report.forms import OUTPUT_FORMATS
from scorer.report.report import USUAL_AVERAGE, Report, format_signature
from scorer.version import __version__

if TYPE_CHECKING:
    from scorer.evaluation.averages import Input
    from scorer.evaluation.evaluation import Evaluation


class Intervals(NamedTuple):
    """Confidence intervals of the totals.

    Attributes:
        heading: The heading of their column.
        ends: The ends by metric and ratio, as fractions.
        signed: How they were made, as fields of a signature.
        notes: Why they may be unreliable.
    """

    heading: str
    ends: Mapping[tuple[str, str], tuple[float, float]]
    signed: dict[str, Any]
    notes: Sequence[str] = ()


class Layout(report_layout.Layout):
    """The rows that a report of an evaluation has.

    Attributes:
        per_document: Whether the documents stand above the totals.
        average: "micro", "macro", "both" or "macro-defined".
        group_by: A regular expression that puts documents into groups, see `Evaluation.group_by`.
        corpus: The documents that were scored, whose clusters the format perl prints document by
            document; the others do without.
        intervals: Those of the totals, which a page shows; the others do without.
        notes: What a reader of the page has to know besides.
        ratios: The ratios in LaTeX: all, or f1.

    Raises:
        ValueError: The average is unknown, or the pattern is no regular expression.
    """

    def __init__(
        self,
        *,
        per_document: bool = False,
        average: str = USUAL_AVERAGE,
        group_by: str | None = None,
        corpus: "ScoredCorpus | None" = None,
        intervals: Intervals | None = None,
        notes: Sequence[str] = (),
        ratios: str = "all",
    ) -> None:
        check_choice("average", average, AVERAGING)
        if group_by is not None:
            compiled(group_by)
        self.per_document = per_document
        self.average = average
        self.group_by = group_by
        self.corpus = corpus
        self.intervals = intervals
        self.notes = notes
        self.ratios = ratios

    @property
    def averages(self) -> "Sequence[Average]":
        """The averages over all documents that the report has; of groups it has the first."""
        return AVERAGING[self.average]

    @property
    def shows_totals(self) -> bool:
        """The report has the totals."""
        return self.averages[0].is_total

    @property
    def needs_documents(self) -> bool:
        """The evaluation must keep its documents, as the report shows more than totals."""
        return self.per_document or self.group_by is not None or self.average != USUAL_AVERAGE

    def signed(self, output_format: str) -> dict[str, Any]:
        """Return what the signature of a report in an output format says of its layout."""
        report_layout.check_ratios(self.ratios, output_format)
        fields = super().signed(output_format) | {"average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.group_by is not None:
            fields["groups"] = self.group_by
        if self.intervals is not None and OUTPUT_FORMATS[output_format].has_intervals:
            fields |= self.intervals.signed
        return fields


def check_windows(average: str, output_format: str = "table") -> None:
    """Raise ValueError for what a report of windows, which are totals, cannot show."""
    advice = "leave out one of them"
    if average != USUAL_AVERAGE:
        raise ValueError(f"windows are totals, and have no average {average}; {advice}")
    if OUTPUT_FORMATS[output_format].is_reference:
        raise ValueError(f"the format {output_format} has no room for windows; {advice}")


class ScoredCorpus(Protocol):
    """The documents that were scored, as `scorer.engine.corpus.Corpus` holds them."""

    only: str | None

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        """Return the documents of the key and of the response that have a name, if any."""


class Row(NamedTuple):
    """One row of a report.

    Attributes:
        kind: The kind of what was counted: document, group, window, micro (totals), macro or
            macro-defined (means over documents).
        name: The name of the document or group, the width of windows, or "".
        metric: The name of the metric; `blanc.coreference` is a part of blanc.
        ratios: Recall, precision and F1 as fractions; None where an average has none.
        counts: The counts; None for macro-averages, averages, and metrics of several parts.
        system: The system, in a report of several.
    """

    kind: str
    name: str
    metric: str
    ratios: Ratios
    counts: Counts | None
    system: str = ""

    @property
    def recall_counts(self) -> tuple[float, float] | None:
        """The numerator and the denominator of recall."""
        if self.counts is None:
            return None
        return self.counts.recall_numerator, self.counts.recall_denominator

    @property
    def precision_counts(self) -> tuple[float, float] | None:
        """The numerator and the denominator of precision."""
        if self.counts is None:
            return None
        return self.counts.precision_numerator, self.counts.precision_denominator


NAME = Column(name="name")
METRIC = Column(name="metric", kind="metric", heading="metric")
RECALL = Column(
    name="recall", value=attrgetter("ratios.recall"), kind="ratio", heading="recall", spare=4
)
PRECISION = Column(
    name="precision",
    value=attrgetter("ratios.precision"),
    kind="ratio",
    heading="precision",
    spare=3,
)
F1 = Column(name="f1", value=attrgetter("ratios.f1"), kind="ratio", heading="F1")
RECALL_COUNTS = Column(
    name="recall",
    value=attrgetter("recall_counts"),
    kind="share",
    heading="recall counts",
    spare=2,
)
PRECISION_COUNTS = Column(
    name="precision",
    value=attrgetter("precision_counts"),
    kind="share",
    heading="precision counts",
    spare=1,
)

FIGURES = (RECALL, PRECISION, F1, RECALL_COUNTS, PRECISION_COUNTS)
"""The columns of ratios and counts."""

COLUMNS = (Column(name="kind"), NAME, METRIC, *FIGURES)
"""The columns of a row."""


AVERAGE = Column(name="average", value=attrgetter("kind"))
"""What the totals are: micro, macro or macro-defined."""

HEADS = {
    "documents": [NAME],
    "groups": [NAME],
    "windows": [Column(name="width", value=lambda row: int(row.name), kind="whole")],
    "totals": [AVERAGE],
}
"""The columns that say what the rows of a section are about."""


def sections_by_kind(
    rows: Iterable[Any],
    heads: Mapping[str, Sequence[Column]],
    columns: Sequence[Column],
    kinds: Iterable[str] = (),
) -> list[Table]:
    """Make the sections of rows that readers see in other tables, by their kinds.

    Args:
        rows: The rows.
        heads: The first columns of each section.
        columns: The columns of all sections.
        kinds: The kinds that have a section even if there is no such row.
    """
    parts: dict[str, list[Any]] = {ROW_KINDS[kind].section: [] for kind in kinds}
    for row in rows:
        parts.setdefault(ROW_KINDS[row.kind].section, []).append(row)
    return [
        Table([*heads[name], *columns], part, section=name, is_shown=False)
        for name, part in parts.items()
    ]


def rows_of(
    evaluation: "Evaluation", kind: str, name: str, counts: dict[str, tuple[Counts, ...]]
) -> Iterator[Row]:
    """Yield a row for each metric of an evaluation, followed by the rows of its parts.

    Args:
        evaluation: What was scored; it says which metrics to show.
        kind: The kind of the rows.
        name: The name of the document or group.
        counts: The counts of the parts of each metric.
    """
    for shown in evaluation.names:
        metric = evaluation.metrics.get(shown)
        parts = counts[shown] if metric is not None else ()
        only = parts[0] if len(parts) == 1 else None
        yield Row(kind, name, shown, evaluation.ratios_of(shown, counts), only)
        if metric is None or len(parts) == 1:
            continue
        for part, part_counts in zip(metric.parts, parts):
            yield Row(kind, name, f"{shown}.{part}", part_counts.ratios(), part_counts)


class Average(NamedTuple):
    """Figures of all documents together, or of those of a group.

    Attributes:
        name: The kind of its rows.
        label: The name of its rows.
        caption: The name of its table on a page.
        sentence: Describes its table in LaTeX, with a place for the number of documents.
        nested: Its name in nested JSON.
        ratios: Returns recall, precision and F1 of a metric.
        is_total: It is of counts summed over documents.
    """

    name: str
    label: str
    caption: str
    sentence: str
    nested: str
    ratios: Callable[[Any, str], Ratios]
    is_total: bool = False

    def rows(self, evaluation: "Evaluation", kind: str, name: str = "") -> Iterator[Row]:
        """Yield rows of a kind and with a name, a mean over documents or parts without counts."""
        if self.is_total and not evaluation.parts:
            yield from rows_of(evaluation, kind, name, evaluation.totals)
            return
        for metric in evaluation.names:
            yield Row(kind, name, metric, self.ratios(evaluation, metric), None)


_MICRO = Average(
    name="micro",
    label="micro-average",
    caption="Totals",
    sentence="Scores on {}",
    nested="totals",
    ratios=lambda evaluation, metric: evaluation.micro(metric),
    is_total=True,
)
_MACRO = Average(
    name="macro",
    label="macro-average",
    caption="Means over documents (macro-average)",
    sentence="Means over {}",
    nested="macro",
    ratios=lambda evaluation, metric: evaluation.macro(metric),
)
_DEFINED = Average(
    name="macro-defined",
    label="macro-average where defined",
    caption="Means over documents (macro-average), where they are defined",
    sentence="Means over those of {} where they are defined",
    nested="macro_defined",
    ratios=lambda evaluation, metric: evaluation.macro(metric, defined=True),
)

COMMON_AVERAGING = {"micro": (_MICRO,), "macro": (_MACRO,), "both": (_MICRO, _MACRO)}
"""The choices of averages that reports of most kinds have."""

AVERAGING = COMMON_AVERAGING | {"macro-defined": (_DEFINED,)}
"""The choices of averages; each average is one by itself."""


class RowKind(NamedTuple):
    """A kind of rows.

    Attributes:
        section: Their section.
        unnamed: What readers see of a row without a name.
    """

    section: str
    unnamed: str


ROW_KINDS = {
    "document": RowKind("documents", "(none)"),
    "group": RowKind("groups", "(no group)"),
    "value": RowKind("values", "(none)"),
    "window": RowKind("windows", ""),
    **{name: RowKind("totals", first.label) for name, (first, *_) in AVERAGING.items()},
}
"""The kinds of rows; those of averages have no name."""


def select(evaluation: "Evaluation", layout: Layout) -> Iterator[Row]:
    """Yield the rows that a layout asks for: documents, groups, totals, means over documents."""
    if layout.per_document:
        for document in evaluation.documents:
            yield from rows_of(evaluation, "document", document.name, document.counts)
    if layout.group_by is not None:
        for name, group in evaluation.group_by(layout.group_by).items():
            yield from layout.averages[0].rows(group, "group", name)
    for width, windows in evaluation.windows.items():
        yield from _MICRO.rows(windows, "window", str(width))
    for average in layout.averages:
        yield from average.rows(evaluation, average.name)


def shown_ratios(evaluation: "Evaluation", metric: str, average: str) -> Ratios:
    """Return the figures of all documents that a report shows: the totals, if it has them.

    Args:
        evaluation: What was scored.
        metric: The metric or average of metrics.
        average: micro, macro, both or macro-defined.
    """
    return AVERAGING[average][0].ratios(evaluation, metric)


def signature(evaluation: "Evaluation", layout: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the fields of the signature, in a fixed order.

    An evaluation merged from shards has the SHA-256 of its inputs' SHA-256s, in their order.

    Args:
        evaluation: What was scored.
        layout: How the report is laid out, where there is a choice.
    """
    fields: dict[str, Any] = {"scorer": f"conll-scorer {__version__}"}
    if evaluation.scheme.preset is not None:
        fields["preset"] = evaluation.scheme.preset
    fields["metrics"] = evaluation.names
    fields |= evaluation.options.signed()
    if evaluation.scheme.windows:
        fields["windows"] = [str(width) for width in evaluation.scheme.windows]
    # Which documents were to be scored stands beside how many were.
    fields["filter"] = fields.pop("filter")
    fields["documents"] = evaluation.scored
    for side in ("key", "response"):
        fields[side] = combined([source for source in evaluation.inputs if source.side == side])
    if layout:
        fields["report"] = layout
    return fields


def combined(inputs: "Sequence[Input]") -> dict[str, str] | None:
    """Return the field of one side, which may be in several shards; None if there is no input."""
    if not inputs:
        return None
    whole = "".join(source.sha256 for source in inputs)
    if len(inputs) > 1:
        whole = sha256(whole.encode()).hexdigest()
    formats = {source.format for source in inputs}
    mappings = {source.joined for source in inputs if source.joined}
    field = {"format": "+".join(sorted(formats)), "sha256": whole}
    if mappings:
        field["joined"] = "+".join(sorted(mappings))
    return field


def signature_line(evaluation: "Evaluation", layout: dict[str, Any] | None = None) -> str:
    """Write the whole signature on one line, with what stands at its default."""
    return format_signature(signature(evaluation, layout))


def noted(fields: Mapping[str, Any]) -> str:
    """Write the whole signature as the last note of a page."""
    return f"signature: {format_signature(fields)}"


def latex_of(evaluation: "Evaluation", average: str, ratios: str) -> str:
    """Write the table of one system.

    Args:
        evaluation: What was scored.
        average: One of `AVERAGING`; of several averages, the table is of the first.
        ratios: The ratios to show: all, or f1.
    """
    from scorer.report.paper_table import PaperRow, metrics_of_paper, paper_table

    metrics = metrics_of_paper(evaluation.names)
    documents = pluralize(evaluation.scored, "document")
    figures = {metric: shown_ratios(evaluation, metric, average) for metric in metrics}
    caption = f"{AVERAGING[average][0].sentence.format(documents)}, in percent."
    # The system has the name of its file, if it is one.
    system = os.path.splitext(name_of(evaluation.inputs, "response"))[0] or "response"
    row = PaperRow(system=system, ratios=figures)
    rounding = evaluation.options.rounding
    return paper_table([row], metrics, caption=caption, rounding=rounding, ratios=ratios)


def name_of(inputs: "Sequence[Input]", side: str) -> str:
    """Return the name of the file of a side; "" of several files, or where there is none."""
    names = [source.name for source in inputs if source.side == side]
    return names[0] if len(names) == 1 else ""


REMOVED = [
    Column(name="filter"),
    Column(name="side"),
    Column(name="mentions", kind="whole"),
    Column(name="clusters", kind="whole"),
    Column(name="documents", kind="whole"),
]
REPAIRED = [
    Column(name="repair", value=itemgetter(0)),
    Column(name="amount", value=itemgetter(1), kind="whole"),
]
NOT_ALIGNED = [Column(name="documents", value=int, kind="whole")]


def sections_of(evaluation: "Evaluation", layout: Layout) -> list[Table]:
    """List the sections of an evaluation: rows by kind, and what was removed and repaired.

    Raises:
        ValueError: The evaluation has windows, which the layout cannot show.
    """
    if evaluation.windows:
        check_windows(layout.average)
    rows = list(select(evaluation, layout))
    kinds = ["document"] if layout.per_document else []
    sections = [
        _table(evaluation, layout, rows),
        *sections_by_kind(rows, HEADS, [METRIC, *FIGURES], kinds),
    ]
    sections.append(
        Table(REMOVED, evaluation.removed, section="removed", is_shown=False, is_extra=True)
    )
    repaired = list(evaluation.repaired.items())
    if repaired:
        sections.append(
            Table(REPAIRED, repaired, section="repaired", is_shown=False, is_extra=True)
        )
    if evaluation.not_aligned:
        documents = [evaluation.not_aligned]
        sections.append(
            Table(NOT_ALIGNED, documents, section="not_aligned", is_shown=False, is_extra=True)
        )
    return sections


def _with_page(evaluation: "Evaluation", report: Report, layout: Layout) -> Report:
    from scorer.evaluation.page import page_of

    return report._replace(page=page_of(evaluation, report.signature, layout))


def _as_perl(evaluation: "Evaluation", report: Report, layout: Layout) -> Report:
    from scorer.perl import render

    if evaluation.windows:
        check_windows(layout.average, report.output_format)
    return report._replace(text=render(evaluation, layout))


def _in_paper(evaluation: "Evaluation", report: Report, layout: Layout) -> Report:
    latex = latex_of(evaluation, layout.average, layout.ratios)
    # The table of the system has all that there is of totals or means alone.
    has_more_rows = layout.per_document or layout.group_by or evaluation.windows
    if has_more_rows or len(layout.averages) > 1:
        return report._replace(latex=latex)
    return report._replace(latex=latex, sections=report.data)


def _nested(_evaluation: "Evaluation", report: Report, _layout: Layout) -> Report:
    """Nest the records of figures in JSON: by metric, in lists of documents and groups."""
    tree: dict[str, Any] = {}
    for table in report.data:
        if table.section == "totals":
            for record in table.records():
                [average] = AVERAGING[record.pop("average")]
                block = tree.setdefault(average.nested, {})
                block[record.pop("metric")] = record
        elif table.section in HEADS:
            tree[table.section] = _blocks(table)
        else:
            tree[table.section] = list(table.records())
    return report._replace(nested=tree | {"signature": report.signature})


FINISHES = {"html": _with_page, "json": _nested, "latex": _in_paper, "perl": _as_perl}
"""What puts into a report what only its format has."""


def _blocks(table: Table) -> list[dict[str, Any]]:
    """Return the records of a section as a list of names and metrics."""
    blocks: dict[str, dict[str, Any]] = {}
    for row, figures in zip(table.rows, Table(FIGURES, table.rows).records()):
        blocks.setdefault(row.name, {})[row.metric] = figures
    return [{"name": name, "metrics": metrics} for name, metrics in blocks.items()]


def notes_of(evaluation: "Evaluation") -> list[str]:
    """List what the filters removed, what was repaired, and what was not aligned."""
    notes = [str(removed) for removed in evaluation.removed]
    if evaluation.repaired:
        notes.append(repaired_note(evaluation.repaired))
    if evaluation.not_aligned:
        notes.append(not_aligned_note(evaluation.not_aligned))
    return notes


def not_aligned_note(documents: int) -> str:
    """Write in how many documents a model did not write the text of the key."""
    return f"not aligned: {pluralize(documents, 'document')}"


def repaired_note(amounts: Mapping[str, int]) -> str:
    """Write what was repaired, by kind.

    Examples:
        >>> repaired_note({"changed word": 3, "unclosed tag": 1})
        'repaired: 3 changed words, 1 unclosed tag'
    """
    repairs = ", ".join(pluralize(number, kind) for kind, number in amounts.items())
    return f"repaired: {repairs}"


def _table(evaluation: "Evaluation", layout: Layout, rows: Sequence[Row]) -> Table:
    """Make the table of the rows without parts of metrics."""
    shown = [row for row in rows if row.metric in evaluation.names]
    columns = [METRIC, *FIGURES]
    is_labelled = any(row.kind != USUAL_AVERAGE for row in shown)
    if is_labelled:
        columns.insert(0, _label_column(evaluation, layout))
    return Table(
        columns,
        shown,
        merged=is_labelled,
        rounding=evaluation.options.rounding,
        notes=notes_of(evaluation),
    )


def _label_column(evaluation: "Evaluation", layout: Layout) -> Column:
    """Make the column that says what the rows of a block are about."""
    heading = "window" if evaluation.windows else ""
    if layout.per_document:
        heading = "document"
    elif layout.group_by is not None:
        heading = "group"
    return Column(
        value=attrgetter("kind", "name"),
        heading=heading,
        role="head",
        cell=lambda row: Cell(row.name or ROW_KINDS[row.kind].unnamed),
    )
