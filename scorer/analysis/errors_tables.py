"""Sections of the report of errors: their columns, declared once, and their tables for readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from scorer.analysis.document_errors import ERROR_KINDS, KINDS, Finding
from scorer.analysis.entities import ALL_TYPES, Entity, Nec
from scorer.analysis.pair import NONE, TYPES
from scorer.analysis.strata import STRATA, Stratum, rank_of_value
from scorer.analysis.system_diff import (
    BOTH,
    FIRST,
    RIGHT,
    SECOND,
    MentionDiff,
    Sentence,
    SystemDiff,
)
from scorer.count.counts import Ratios
from scorer.evaluation.evaluation import Evaluation
from scorer.registry import title
from scorer.report.columns import Cell, Column, Table, difference, figure, interval

if TYPE_CHECKING:
    from scorer.analysis.errors import Errors


MOST = 20
"""The rows of a table of entities or sentences; the other formats have all."""

RESPONSE = "(response)"
"""The name of the row of the response as it is."""


def data(section: str, columns: Sequence[Column], rows: Iterable[Any]) -> Table:
    """Make a section of data, of which readers see other tables."""
    return Table(columns, list(rows), section=section, is_shown=False)


def text_columns(*names: str) -> list[Column]:
    """Make columns of text that are only in data."""
    return [Column(name=name) for name in names]


def chosen(columns: Iterable[Column], *names: str) -> list[Column]:
    """Return the columns with these names, in the order of the names; the first heads each row."""
    by_name = {column.name: column for column in columns}
    return [by_name[names[0]]._replace(role="head")] + [by_name[name] for name in names[1:]]


def write_mention(mention: Any) -> str:
    """Write a mention on one line, without spaces.

    Examples:
        >>> write_mention((3, 4)), write_mention(((3, 4), (6, 6))), write_mention("m 1")
        ('(3,4)', '((3,4),(6,6))', 'm 1')
    """
    return mention if isinstance(mention, str) else str(mention).replace(" ", "")


MENTION = Column(name="mention", value=lambda row: write_mention(row.mention))


def position(row: Finding | MentionDiff | Sentence) -> str:
    """Write the file and the line of a row."""
    return f"{row.path}:{row.line}" if row.line else row.path


POSITION = Column(value=position, heading="place", role="head")


def in_context(row: Finding | MentionDiff) -> str:
    """Write the words of a mention in brackets, between those around it."""
    parts = row.before, f"[{row.words}]", row.after
    return " ".join(part for part in parts if part)


# Kinds and bounds


@dataclass(frozen=True)
class KindRow:
    """A kind of errors and a metric.

    Attributes:
        kind: The kind.
        errors: The number of errors.
        metric: The metric or average.
        costs: The gains in recall, precision and F1 by fixing only this kind.
        ratios: Recall, precision and F1 once all kinds up to this one are fixed.
    """

    kind: str
    errors: int
    metric: str
    costs: tuple[float | None, float | None, float]
    ratios: Ratios


def _ratio_columns(source: str = "ratios") -> list[Column]:
    """Make the columns of recall, precision and F1 in data."""
    return [
        Column(name=name, value=attrgetter(f"{source}.{name}"), kind="ratio")
        for name in ("recall", "precision", "f1")
    ]


KIND_COLUMNS = [
    Column(name="kind"),
    Column(name="errors", kind="whole"),
    Column(name="metric", kind="metric"),
    Column(name="recall_cost", value=lambda row: row.costs[0], kind="difference"),
    Column(name="precision_cost", value=lambda row: row.costs[1], kind="difference"),
    Column(name="f1_cost", value=lambda row: row.costs[2], kind="difference"),
]
KIND_COLUMNS += _ratio_columns()


def _kind_rows(errors: Errors) -> Iterator[KindRow]:
    for kind in KINDS:
        for metric in errors.names:
            yield KindRow(
                kind=kind,
                errors=errors.counts[kind],
                metric=metric,
                costs=errors.costs.gain(kind, metric),
                ratios=errors.costs.after[kind].ratios(metric),
            )


@dataclass(frozen=True)
class ScoredRow:
    """A response, as it is or as it would be.

    Attributes:
        name: The name of the row.
        evaluation: Its scores.
    """

    name: str
    evaluation: Evaluation


def _f1_table(heading: str, rows: Sequence[ScoredRow], errors: Errors) -> Table:
    """Make a table of the F1 of each metric."""
    columns = [Column(name="name", heading=heading, role="head")]
    columns += [_f1_column(metric) for metric in errors.names]
    return Table(columns, rows, rounding=errors.evaluation.options.rounding)


def _f1_column(metric: str) -> Column:
    def f1(row: ScoredRow) -> float:
        return row.evaluation.ratios(metric).f1

    return Column(value=f1, kind="ratio", heading=metric, title=title(metric))


def _cost_column(errors: Errors, metric: str) -> Column:
    """Make the column of the cost of each kind in a metric, below the F1 of the response."""
    f1 = figure(errors.costs.response.ratios(metric).f1, errors.evaluation.options.rounding)

    def cost(kind: str) -> float | None:
        if kind == RESPONSE or not errors.counts[kind]:
            return None
        return errors.costs.gain(kind, metric)[2]

    # The row of the response has no cost, and stays last of sorted rows.
    missing = {RESPONSE: f1}

    def cell(kind: str) -> Cell:
        gained = cost(kind)
        return Cell(missing.get(kind, "") if gained is None else difference(gained))

    return Column(value=cost, kind="difference", heading=metric, title=title(metric), cell=cell)


def _kind_tables(errors: Errors) -> Iterator[Table]:
    yield data("kinds", KIND_COLUMNS, _kind_rows(errors))
    columns = [
        Column(value=str, heading="fixed alone", role="head"),
        Column(value=errors.counts.get, kind="whole", heading="errors"),
    ]
    columns += [_cost_column(errors, metric) for metric in errors.names]
    yield Table(columns, [RESPONSE, *KINDS])
    shown = [kind for kind in KINDS if errors.counts[kind] or ERROR_KINDS[kind].is_span]
    after = [ScoredRow(RESPONSE, errors.costs.response)]
    after += [ScoredRow(f"+ {kind}", errors.costs.after[kind]) for kind in shown]
    yield _f1_table("fixed in turn", after, errors)


@dataclass(frozen=True)
class BoundRow:
    """An upper bound and a metric."""

    bound: str
    metric: str
    ratios: Ratios


BOUND_COLUMNS = [Column(name="bound"), Column(name="metric", kind="metric")]
BOUND_COLUMNS += _ratio_columns()


def _bound_rows(errors: Errors) -> Iterator[BoundRow]:
    for bound, evaluation in ({"response": errors.costs.response} | errors.costs.bounds).items():
        for metric in errors.names:
            yield BoundRow(bound, metric, evaluation.ratios(metric))


def _bound_tables(errors: Errors) -> Iterator[Table]:
    yield data("bounds", BOUND_COLUMNS, _bound_rows(errors))
    bounds = {RESPONSE: errors.costs.response} | errors.costs.bounds
    rows = [ScoredRow(name, evaluation) for name, evaluation in bounds.items()]
    yield _f1_table("upper bound", rows, errors)


# Links


@dataclass(frozen=True)
class LinkRow:
    """The links of a side between two types of mentions.

    Attributes:
        side: The side: key or response.
        anaphor: The type of the anaphors.
        antecedent: The type of the antecedents.
        errors: The number of wrong links.
        links: The number of all links.
    """

    side: str
    anaphor: str
    antecedent: str
    errors: int
    links: int


LINK_COLUMNS = text_columns("side", "anaphor", "antecedent")
LINK_COLUMNS += [
    Column(name="errors", kind="whole"),
    Column(name="links", kind="whole"),
]


def _link_rows(errors: Errors) -> Iterator[LinkRow]:
    for (side, anaphor, antecedent), (wrong, links) in errors.links.items():
        yield LinkRow(side, anaphor, antecedent, wrong, links)


def _link_tables(errors: Errors) -> Iterator[Table]:
    yield data("links", LINK_COLUMNS, _link_rows(errors))
    for side, heading in (("key", "missing links from a"), ("response", "extra links from a")):
        columns = [Column(value=str, heading=heading, role="head")]
        columns += [_link_column(errors, side, antecedent) for antecedent in TYPES]
        yield Table(columns, TYPES)


def _link_column(errors: Errors, side: str, antecedent: str) -> Column:
    """Make the column of links to antecedents of a type; its rows are types of anaphors."""

    def links(anaphor: str) -> tuple[int, int]:
        wrong, every = errors.links[side, anaphor, antecedent]
        return wrong, every

    return Column(value=links, kind="share", heading=f"to a {antecedent}")


# Strata

_SHARES = {"found": "found", "bcub": "B³", "right": "right"}
"""The headings of the shares of strata."""

_STRATUM_KINDS = {"stratum": "text", "value": "text", "side": "text"} | dict.fromkeys(
    ("mentions", "links"), "whole"
)

STRATUM_COLUMNS = [
    Column(name=name, kind=_STRATUM_KINDS.get(name, "ratio")) for name in Stratum._fields
]


def known_strata(rows: Iterable[Any]) -> dict[str, list[Any]]:
    """Group rows of strata by stratum, without those of which the files tell nothing."""
    by_stratum: dict[str, list[Any]] = {}
    for row in rows:
        by_stratum.setdefault(row.stratum, []).append(row)
    for stratum in STRATA:
        if all(row.value == NONE for row in by_stratum.get(stratum, ())):
            by_stratum.pop(stratum, None)
    return by_stratum


def _stratum_tables(errors: Errors) -> Iterator[Table]:
    yield data("strata", STRATUM_COLUMNS, errors.strata)
    rounding = errors.evaluation.options.rounding
    further = [
        Column(name="side", heading="side"),
        Column(name="mentions", kind="whole", heading="mentions"),
        _share_column("found", rounding),
        _share_column("bcub", rounding),
        Column(name="links", kind="whole", heading="links"),
        _share_column("right", rounding),
    ]
    for stratum, rows in known_strata(errors.strata).items():
        yield Table([Column(name="value", heading=stratum, role="head"), *further], rows)


def _share_column(name: str, rounding: str) -> Column:
    """Make the column of a share with its interval."""
    ends = attrgetter(f"{name}_low", f"{name}_high")

    def cell(row: Stratum) -> Cell:
        value = figure(getattr(row, name), rounding)
        return Cell(f"{value} {interval(*ends(row), rounding)}".rstrip())

    return Column(value=attrgetter(name), kind="ratio", heading=_SHARES[name], cell=cell)


# Entities

ENTITY_COLUMNS = [
    Column(name="document", heading="document"),
    Column(name="line", kind="whole"),
    Column(name="cluster"),
    Column(name="name", heading="entity"),
    Column(name="size", kind="whole", heading="mentions"),
    Column(name="response_cluster"),
    Column(name="response_size", kind="whole"),
    Column(name="common", kind="whole"),
    Column(name="recall", kind="ratio", heading="recall"),
    Column(name="precision", kind="ratio", heading="precision"),
    Column(name="f1", kind="ratio", heading="F1"),
    Column(
        name="cost",
        kind="count",
        heading="cost",
        cell=lambda row: Cell(f"{row.cost:.2f}"),
    ),
]


def _entity_tables(errors: Errors) -> Iterator[Table]:
    yield data("entities", ENTITY_COLUMNS, errors.entities)
    frequent = sorted(errors.entities, key=lambda entity: -entity.size)[:10]
    costly = [entity for entity in errors.entities if entity.size > 1][:MOST]
    yield _entity_table("most frequent entity", frequent, errors)
    yield _entity_table("costliest entity", costly, errors)


def _entity_table(heading: str, entities: Sequence[Entity], errors: Errors) -> Table:
    name, *others = chosen(
        ENTITY_COLUMNS, "name", "document", "recall", "precision", "f1", "size", "cost"
    )
    columns = [name._replace(heading=heading), *others]
    return Table(columns, entities, rounding=errors.evaluation.options.rounding)


@dataclass(frozen=True)
class NecRow:
    """Named-entity coreference over all mentions of entities, or over those of a type.

    Attributes:
        type: The type, or all.
        f1: The mean F1 of entities, None without any.
        entities: The number of entities.
        missed: How many of them are missed; None for a type.
    """

    type: str
    f1: float | None
    entities: int
    missed: int | None = None


NEC_COLUMNS = [
    Column(name="type"),
    Column(name="f1", kind="ratio"),
    Column(name="entities", kind="whole"),
    Column(name="missed", kind="whole"),
]


def _nec_rows(errors: Errors) -> Iterator[NecRow]:
    nec = errors.nec
    yield NecRow(ALL_TYPES, nec.f1, nec.entities, nec.missed)
    for kind, (f1, entities) in nec.by_type.items():
        yield NecRow(kind, f1, entities)


def _nec_tables(errors: Errors) -> Iterator[Table]:
    yield data("nec", NEC_COLUMNS, _nec_rows(errors))
    nec = errors.nec
    rounding = errors.evaluation.options.rounding
    if nec.f1 is None:
        return

    def missed(row: Nec) -> Cell:
        return Cell(f"{row.missed} ({figure(row.missed / row.entities, rounding)} %)")

    columns = [Column(name="f1", kind="ratio", heading="NEC")]
    columns += [_nec_column(kind) for kind in nec.by_type]
    columns.append(Column(name="entities", kind="whole", heading="entities"))
    columns.append(Column(value=attrgetter("missed"), kind="whole", heading="missed", cell=missed))
    yield Table(columns, [nec], rounding=rounding)


def _nec_column(kind: str) -> Column:
    """Make the column of the F1 of mentions of a type."""

    def f1(nec: Nec) -> float | None:
        return nec.by_type[kind][0]

    return Column(value=f1, kind="ratio", heading=f"{kind}s")


# Errors


def _words(row: Finding) -> str:
    """Write the first mention of an error in its context, and how many more it has."""
    more = f" (+{row.mentions - 1})" if row.mentions > 1 else ""
    return in_context(row) + more


FINDING_COLUMNS = text_columns("kind", "document", "side", "path")
FINDING_COLUMNS += [
    Column(name="line", kind="whole"),
    MENTION,
    Column(name="mentions", kind="whole"),
]
FINDING_COLUMNS += text_columns(
    "type", "key_cluster", "response_cluster", "before", "words", "after", "beside"
)

FINDING_TABLE = [
    POSITION,
    Column(name="document", heading="document"),
    Column(name="kind", heading="kind"),
    Column(name="key_cluster", heading="key"),
    Column(name="response_cluster", heading="response"),
    Column(value=_words, heading="words"),
    Column(name="beside", heading="with"),
]


def _finding_tables(errors: Errors) -> Iterator[Table]:
    yield data("errors", FINDING_COLUMNS, errors.findings())
    yield Table(FINDING_TABLE, list(errors.findings()))


SECTIONS: dict[str, Callable[[Errors], Iterable[Table]]] = {
    "kinds": _kind_tables,
    "links": _link_tables,
    "bounds": _bound_tables,
    "strata": _stratum_tables,
    "entities": _entity_tables,
    "nec": _nec_tables,
    "errors": _finding_tables,
}
"""The sections of the report of a response, by name.

kinds: the errors of a kind; what recall, precision and F1 of a metric gain by fixing only that
kind; and what they are once all kinds up to it are fixed. All ratios are fractions. bounds:
`response` is the response as it is. strata: `found`, `bcub` and `right` are shares with the ends of
their intervals. nec: over all mentions of the entities that have a name, and over those of each
type. errors: as in `scorer.analysis.document_errors.Finding`.
"""


def with_nec(sections: Iterable[str]) -> list[str]:
    """Return the sections, that of names after the entities.

    Raises:
        ValueError: There is no such section.
    """
    shown: dict[str, None] = {}
    for section in sections:
        if section not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise ValueError(f"there is nothing called {section!r} to show; choose from: {known}")
        shown[section] = None
        if section == "entities":
            shown["nec"] = None
    return list(shown)


@dataclass(frozen=True)
class OutcomeRow:
    """The mentions of a kind of errors, or with a value of a stratum, by outcome.

    Attributes:
        here: How many are wrong in this response only.
        there: How many are wrong in the other one only.
        both: How many are wrong in both.
        right: How many are right in both.
        kind: The kind of errors.
        stratum: The stratum.
        value: The value of the stratum.
    """

    here: int
    there: int
    both: int
    right: int = 0
    kind: str = ""
    stratum: str = ""
    value: str = ""


OUTCOME_COLUMNS = [
    Column(name="here", kind="whole", heading=FIRST),
    Column(name="there", kind="whole", heading=SECOND),
    Column(name="both", kind="whole", heading=BOTH),
]
RIGHT_COLUMN = Column(
    name="right_in_both", value=attrgetter("right"), kind="whole", heading="right in both"
)

KIND_DIFF_COLUMNS = [Column(name="kind", heading="mentions in a", role="head")]
KIND_DIFF_COLUMNS += OUTCOME_COLUMNS


def _kind_diff_rows(diff: SystemDiff) -> Iterator[OutcomeRow]:
    for kind, counts in diff.by_kind.items():
        yield OutcomeRow(kind=kind, here=counts[FIRST], there=counts[SECOND], both=counts[BOTH])


def _kind_diff_tables(diff: SystemDiff) -> Iterator[Table]:
    yield Table(KIND_DIFF_COLUMNS, list(_kind_diff_rows(diff)), section="against_kinds")


STRATUM_DIFF_COLUMNS = [*text_columns("stratum", "value"), *OUTCOME_COLUMNS, RIGHT_COLUMN]


def _stratum_rows(diff: SystemDiff) -> Iterator[OutcomeRow]:
    ranked = sorted(
        (rank_of_value(stratum, value, counts.total()), stratum, value, counts)
        for (stratum, value), counts in diff.by_stratum.items()
    )
    for _, stratum, value, counts in ranked:
        yield OutcomeRow(
            stratum=stratum,
            value=value,
            here=counts[FIRST],
            there=counts[SECOND],
            both=counts[BOTH],
            right=counts[RIGHT],
        )


def _stratum_diff_tables(diff: SystemDiff) -> Iterator[Table]:
    yield data("against_strata", STRATUM_DIFF_COLUMNS, _stratum_rows(diff))
    for stratum, rows in known_strata(_stratum_rows(diff)).items():
        value = Column(name="value", heading=stratum, role="head")
        yield Table([value, *OUTCOME_COLUMNS, RIGHT_COLUMN], rows)


SENTENCE_COLUMNS = [
    Column(name="document", heading="document"),
    Column(name="sentence", kind="whole"),
    Column(name="path"),
    Column(name="line", kind="whole"),
    Column(name="here", kind="whole", heading=FIRST),
    Column(name="there", kind="whole", heading=SECOND),
    Column(name="words", heading="sentence"),
]


def _sentence_tables(diff: SystemDiff) -> Iterator[Table]:
    yield data("against_sentences", SENTENCE_COLUMNS, diff.sentences)
    first = Column(value=POSITION.value, heading="to read first", role="head")
    _, *others = chosen(SENTENCE_COLUMNS, "path", "document", "words", "here", "there")
    yield Table([first, *others], diff.sentences[:MOST])


def _kinds(row: MentionDiff) -> str:
    return ", ".join(row.kinds)


def _other_kinds(row: MentionDiff) -> str:
    return ", ".join(row.other_kinds)


MENTION_COLUMNS = [
    Column(name="document"),
    Column(name="sentence", kind="whole"),
    Column(name="path"),
    Column(name="line", kind="whole"),
    MENTION,
    Column(name="outcome"),
    Column(name="kinds", value=_kinds),
    Column(name="other_kinds", value=_other_kinds),
]
MENTION_COLUMNS += text_columns("before", "words", "after")

MENTION_TABLE = [
    POSITION,
    Column(name="document", heading="document"),
    Column(name="outcome", heading="outcome"),
    Column(value=in_context, heading="words"),
    Column(value=_kinds, heading="here"),
    Column(value=_other_kinds, heading="there"),
]


def _mention_tables(diff: SystemDiff) -> Iterator[Table]:
    yield data("against_errors", MENTION_COLUMNS, diff.mention_diffs())
    yield Table(MENTION_TABLE, list(diff.mention_diffs()))


AGAINST: dict[str, Callable[[SystemDiff], Iterable[Table]]] = {
    "kinds": _kind_diff_tables,
    "strata": _stratum_diff_tables,
    "sentences": _sentence_tables,
    "errors": _mention_tables,
}
"""The sections of the report of two responses: in how many mentions this one alone is wrong
(`here`), the other one (`there`), or both."""
