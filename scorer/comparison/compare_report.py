"""The sections of a comparison: scores, corpora, differences, runs and groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize, warnings_in
from scorer.comparison import tables
from scorer.evaluation.averages import in_corpora
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.page import facts, main_of
from scorer.evaluation.report import name_of
from scorer.registry import title as title_of
from scorer.report import plots
from scorer.report.columns import (
    Cell,
    Column,
    Table,
    describe_rounding,
    difference,
    figure,
    interval,
    metric_columns,
)
from scorer.report.page import Figure, Page, Section
from scorer.report.report import Report
from scorer.systems.resampled import FEW, GroupDifference, group_differences

if TYPE_CHECKING:
    from scorer.systems.comparison import Comparison, ComparisonLayout, Score


def sections_of(comparison: Comparison, layout: ComparisonLayout) -> list[Table]:
    """List the sections of a comparison."""
    metrics = comparison.first.names
    systems = {name: in_corpora(part) for name, part in comparison.evaluations.items()}
    if not comparison.corpora:
        systems = {}
    return [
        scores_table(comparison),
        tables.corpora_section(systems, metrics),
        corpora_table(comparison),
        differences_table(comparison),
        tables.runs_table(comparison, metrics),
        *groups_tables(comparison, layout.group_by),
    ]


@dataclass(frozen=True, kw_only=True)
class SystemRow:
    """A system by a metric, in all documents or in a group of them.

    Attributes:
        metric: The metric.
        number: The number of the system, from 1.
        system: Its name.
        scores: Its figures by ratio.
        parts: Its evaluations by corpus, with the mean over them as "".
        group: The name of the group.
        units: The number of units of the group.
    """

    metric: str
    number: int
    system: str
    scores: Mapping[str, Score]
    parts: Mapping[str, Evaluation]
    group: str = ""
    units: int = 0

    @property
    def f1(self) -> Score:
        """The F1 with its interval."""
        return self.scores["f1"]


def system_rows(comparison: Comparison, metrics: Iterable[str], group: str = "") -> list[SystemRow]:
    """Make a row for each of these metrics and each system."""
    scores: dict[tuple[str, str], dict[str, Score]] = {}
    for score in comparison.scores:
        scores.setdefault((score.metric, score.system), {})[score.ratio] = score
    rows = []
    for metric in metrics:
        for number, (system, evaluation) in enumerate(comparison.evaluations.items(), 1):
            corpora = in_corpora(evaluation) if comparison.corpora else {}
            row = SystemRow(
                metric=metric,
                number=number,
                system=system,
                scores=scores[metric, system],
                parts={"": evaluation, **corpora},
                group=group,
                units=comparison.size,
            )
            rows.append(row)
    return rows


MARKED_SYSTEM = Column(
    name="system", heading="system", role="head", cell=lambda row: Cell(row.system, mark=row.number)
)
"""The system of a `SystemRow`, with its mark in plots."""


def score_column(ratio: str, heading: str | None, role: str = "", spare: int = 0) -> Column:
    """Make the column of a ratio of a `SystemRow`."""
    value = tables.of_score(ratio, "value")
    return Column(name=ratio, value=value, kind="ratio", heading=heading, role=role, spare=spare)


def estimate_columns(interval_heading: str) -> list[Column]:
    """Make the columns of intervals and errors, of which readers see the interval of F1."""
    columns = []
    for ratio in ("f1", "recall", "precision"):
        heading = interval_heading if ratio == "f1" else None
        ends = tables.of_score(ratio, "ends")
        columns.append(Column(name=ratio, value=ends, kind="interval", heading=heading))
        for field in ("standard_error", "degrees_of_freedom"):
            value = tables.of_score(ratio, field)
            columns.append(Column(name=f"{ratio}_{field}", value=value, kind="ratio"))
    return columns


def scores_table(comparison: Comparison) -> Table:
    """Make the section of all scores."""
    columns = [
        tables.METRIC,
        MARKED_SYSTEM,
        score_column("recall", "recall", spare=1),
        score_column("precision", "precision", spare=2),
        score_column("f1", "F1", role="main"),
        *estimate_columns(comparison.resampling.interval_heading),
    ]
    return Table(
        columns,
        system_rows(comparison, comparison.first.names),
        section="scores",
        caption="Scores",
        merged=True,
        rounding=comparison.rounding,
    )


def corpora_table(comparison: Comparison) -> Table:
    """Make the table of F1 of each system in each of several corpora."""
    columns = [tables.METRIC, tables.SYSTEM, tables.f1_column("mean F1", "")]
    columns += [tables.f1_column(corpus, corpus) for corpus in comparison.corpora]
    rows = system_rows(comparison, comparison.first.names) if comparison.corpora else []
    return Table(columns, rows, caption="Corpora", merged=True, rounding=comparison.rounding)


def difference_columns(interval_heading: str, spare: int = 0) -> list[Column]:
    """Make the columns of a difference and its interval."""
    return [
        Column(
            name="difference",
            value=attrgetter("value"),
            kind="difference",
            role="main",
            heading="F1 difference",
        ),
        Column(
            name="difference",
            value=attrgetter("low", "high"),
            kind="differences",
            heading=interval_heading,
            spare=spare,
        ),
    ]


ERRORS = (
    Column(name="documents", kind="whole"),
    Column(name="standard_error", kind="ratio"),
    Column(name="degrees_of_freedom", kind="ratio"),
)
"""The columns of a difference that readers do not see."""


def differences_table(comparison: Comparison) -> Table:
    """Make the section of the differences of all pairs of systems; readers see those in F1."""
    resampling = comparison.resampling
    level = 1 - resampling.confidence
    corrected, corrected_heading = "", None
    if len(comparison.evaluations) > 2:
        corrected = "; p (Holm) is corrected over all pairs"
        corrected_heading = "p (Holm)"
    columns = [
        tables.METRIC_HEAD,
        tables.RATIO,
        tables.FIRST,
        tables.SECOND,
        *difference_columns(resampling.interval_heading, spare=1),
        Column(
            name="effect",
            kind="ratio",
            heading="effect",
            spare=2,
            cell=lambda row: Cell("" if row.effect is None else f"{row.effect:+.2f}"),
        ),
        Column(name="probability_better", kind="chance", heading="P(first > second)", spare=3),
        tables.p_column("p", "p", lambda row: comparison.written(row.p), level),
        tables.p_column(
            "p_holm", corrected_heading, lambda row: comparison.written(row.p, row.p_holm), level
        ),
        *ERRORS,
    ]
    trials = f"{resampling.trials:,} trials"
    if resampling.is_exact(comparison.size):
        trials = "exact"
    return Table(
        columns,
        comparison.differences,
        section="differences",
        shown_rows=tables.f1_rows(comparison.differences, comparison.first.names),
        caption="Significance of differences",
        intro=f"Differences are first less second; p-values: {resampling.alternative},"
        f" {resampling.method}, {trials}{corrected}; in bold: at most {level:.2g}. The effect is in"
        " standard deviations of what a unit gives to the difference; P(first > second) is how"
        " often the first is better in a bootstrap sample.",
        merged=True,
    )


GROUPS_CAPTION = "Groups of documents"

GROUP = Column(name="group", heading="group", cell=lambda row: Cell(tables.label(row.group)))


def groups_tables(comparison: Comparison, pattern: str | None) -> list[Table]:
    """Make the sections of differences and of scores within groups of documents.

    Readers see the differences; of one system its F1.
    """
    if pattern is None:
        return []
    groups = comparison.group_by(pattern)
    differences = group_differences(groups)
    rows: list[SystemRow] = []
    for name, group in groups.items():
        rows += system_rows(group, group.first.names, name)
    columns = [
        GROUP._replace(role="head"),
        tables.METRIC,
        Column(name="system"),
        Column(name="units", kind="whole", heading="units"),
        score_column("recall", None),
        score_column("precision", None),
        score_column("f1", "F1", role="main"),
        *estimate_columns(comparison.resampling.interval_heading),
    ]
    scores = Table(
        columns,
        rows,
        section="group_scores",
        is_shown=not differences,
        caption=GROUPS_CAPTION,
        rounding=comparison.rounding,
        notes=list(_notes_on_groups(comparison.first.group_by(pattern), groups)),
    )
    return [_differences_in_groups(comparison, groups, differences), scores]


def _differences_in_groups(
    comparison: Comparison, groups: Mapping[str, Comparison], rows: Sequence[GroupDifference]
) -> Table:
    """Make the section of differences within groups of documents; readers see those in F1."""
    resampling = comparison.resampling
    level = 1 - resampling.confidence
    units = {name: group.size for name, group in groups.items()}

    columns = [
        tables.METRIC_HEAD,
        tables.RATIO,
        GROUP,
        tables.FIRST,
        tables.SECOND,
        Column(name="units", value=lambda row: units[row.group], kind="whole", heading="units"),
        *difference_columns(resampling.interval_heading),
        tables.p_column("p", "p", lambda row: resampling.written(row.p, units[row.group]), level),
        tables.p_column(
            "p_groups",
            "p (Holm, all groups)",
            lambda row: resampling.written(row.p, units[row.group], row.p_groups),
            level,
        ),
        Column(name="p_holm", kind="ratio"),
        Column(name="effect", kind="ratio"),
        Column(name="probability_better", kind="chance"),
        *ERRORS,
    ]
    return Table(
        columns,
        rows,
        section="groups",
        shown_rows=tables.f1_rows(rows, comparison.first.names),
        caption=GROUPS_CAPTION,
        intro="p (Holm, all groups) is corrected over all groups and pairs of a metric.",
        merged=True,
    )


def _notes_on_groups(every: Iterable[str], groups: Mapping[str, Comparison]) -> Iterator[str]:
    """Yield a note on the groups that cannot be compared, and one on those with few units."""
    single = [tables.label(name) for name in every if name not in groups]
    few = [tables.label(name) for name, group in groups.items() if group.size < FEW]
    if single:
        why = "fewer than two units of documents, so nothing is compared there"
        yield f"note: {', '.join(single)}: {why}"
    if few:
        less = "intervals contain the true value less often than stated"
        yield f"note: {', '.join(few)}: fewer than {FEW} units: {less}"


MOST_FIGURES = 48
"""The number of figures up to which a plot has all metrics; of more, it has the main one."""

IN_HEADLINE = 4
"""The number of systems that the headline lists."""


def _with_page(comparison: Comparison, report: Report, _layout: ComparisonLayout) -> Report:
    """Make the content of the page.

    The tables of the report come last; the first of them has all figures.
    """
    all_figures, *others = report.tables
    resampling, evaluations = comparison.resampling, comparison.evaluations
    caption = "The axis does not start at 0. Systems differ by shape as well as by colour."
    title = f"F1 with {resampling.interval_heading}s"
    looks = [(number, number) for number in range(1, len(evaluations) + 1)]
    warnings = warnings_in(comparison.problems)
    units = pluralize(comparison.size, "unit")
    page = Page(
        about=name_of(comparison.first.inputs, "key"),
        headline=_headline(comparison),
        facts=[
            ("systems", str(len(evaluations))),
            *facts(comparison.first, response=False),
            *tables.responses(comparison),
        ],
        summary=f"Figures are percent, {describe_rounding(comparison.rounding)};"
        f" differences are rounded. Intervals: {100 * resampling.confidence:.15g}%,"
        f" {resampling.interval}, bootstrap over {units} of documents.",
        notes=report.plain_notes,
        tables=[_systems_table(comparison)],
        sections=[
            Section(title, [Figure(plot(comparison), caption, title)]),
            *tables.squares(comparison, comparison.first.names, looks, "places in the first table"),
        ],
        folded=[*others, all_figures],
        lists=[
            (f"Warnings ({len(warnings):,})", warnings),
            ("Notes", [problem for problem in comparison.problems if problem.kind == "note"]),
        ],
    )
    return report._replace(page=page)


FINISHES = {"html": _with_page, "latex": tables.comparison_in_paper}
"""What puts into a report what only its format has."""


def plot(comparison: Comparison) -> str:
    """Plot F1 of each system with its interval, metric by metric."""
    names = comparison.first.names
    main = main_of(names)
    shown = list(dict.fromkeys([main, *names]))
    if len(names) * len(comparison.evaluations) > MOST_FIGURES:
        shown = [main]
    drawn = [
        plots.Interval(
            row.system, row.number, row.f1.value, row.f1.low, row.f1.high, title_of(row.metric)
        )
        for row in system_rows(comparison, shown)
    ]
    title = f"F1 of each system with {comparison.resampling.interval_heading}s"
    return plots.intervals(drawn, title, comparison.rounding, noun="figure")


def _headline(comparison: Comparison) -> str:
    """Write the main F1 of the first systems, and how two differ."""
    main, rounding = main_of(comparison.first.names), comparison.rounding
    rows = system_rows(comparison, [main])
    parts = []
    for row in rows[:IN_HEADLINE]:
        f1 = figure(row.f1.value, rounding)
        parts.append(f"{row.system} {f1} {interval(row.f1.low, row.f1.high, rounding)}")
    if len(rows) > IN_HEADLINE:
        parts.append(f"and {len(rows) - IN_HEADLINE} more")
    if len(rows) == 2:
        for change in comparison.differences:
            if (change.metric, change.ratio) == (main, "f1"):
                p = comparison.written(change.p)
                parts.append(f"difference {difference(change.value)}, p {p}")
    return f"{title_of(main)} F1: {'; '.join(parts)}."


def _systems_table(comparison: Comparison) -> Table:
    """Make the table of a line for each system: the main F1 with its interval, other metrics."""
    names = comparison.first.names
    main = main_of(names)
    others = [name for name in names if name != main]
    evaluations = comparison.evaluations
    rows: list[Mapping[str, Any]] = []
    for row in system_rows(comparison, [main]):
        ratios = {name: evaluations[row.system].ratios(name) for name in names}
        # A name that no metric has is that of the row of the system.
        rows.append({"": row, **ratios})
    *recall_and_precision, f1 = metric_columns([main])
    columns = [
        Column(
            heading="system",
            role="head",
            cell=lambda row: Cell(row[""].system, mark=row[""].number),
        ),
        *recall_and_precision,
        f1._replace(heading=f"{main} F1", title=f"{title_of(main)} F1", role="main"),
        Column(
            value=lambda row: row[""].f1.ends,
            kind="interval",
            heading=comparison.resampling.interval_heading,
        ),
        *metric_columns(others),
    ]
    return Table(columns, rows, caption="Systems", rounding=comparison.rounding)
