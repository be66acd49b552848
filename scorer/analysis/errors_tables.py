"""Sections of the report of errors: their columns, declared once, and their tables for readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.errors import check_choice, pluralize
from scorer.analysis import document_errors
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
from scorer.evaluation.evaluation import Evaluation
from scorer.registry import title
from scorer.report.columns import (
    Cell,
    Column,
    Record,
    Table,
    difference,
    figure,
    interval,
    ratio_column,
)
from scorer.report.report import NOTE
from scorer.statistics.resampling import RATIOS, missing_package, units_of

if TYPE_CHECKING:
    from scorer.analysis.errors import Errors


MOST = 20
"""The rows of a table of entities or sentences; the other formats have all."""

RESPONSE = "(response)"
"""The name of the row of the response as it is."""


def data(
    section: str, columns: Sequence[Column], rows: Iterable[Any], notes: Iterable[str] = ()
) -> Table:
    """Make a section of data, of which readers see other tables and these notes."""
    noted = [f"{NOTE}{note}" for note in notes]
    return Table(columns, list(rows), section=section, is_shown=False, notes=noted)


def records(columns: Iterable[Column], rows: Iterable[Iterable[Any]]) -> Iterator[Record]:
    """Yield rows with the values of columns as records by the names of these."""
    names = [column.name for column in columns]
    for row in rows:
        yield dict(zip(names, row))


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


def position(row: document_errors.Finding | MentionDiff | Sentence) -> str:
    """Write the file and the line of a row."""
    return f"{row.path}:{row.line}" if row.line else row.path


POSITION = Column(value=position, heading="place", role="head")


def in_context(row: document_errors.Finding | MentionDiff) -> str:
    """Write the words of a mention in brackets, between those around it."""
    parts = row.before, f"[{row.words}]", row.after
    return " ".join(part for part in parts if part)


# Kinds and bounds


RATIO_COLUMNS = [Column(name=name, kind="ratio") for name in RATIOS]

KIND_COLUMNS = [
    Column(name="kind"),
    Column(name="errors", kind="whole"),
    Column(name="metric", kind="metric"),
    Column(name="recall_cost", kind="difference"),
    Column(name="precision_cost", kind="difference"),
    Column(name="f1_cost", kind="difference"),
    *RATIO_COLUMNS,
]


def _f1_table(heading: str, evaluations: Mapping[str, Evaluation], errors: Errors) -> Table:
    """Make a table of the F1 of each metric, of a response as it is or as it would be."""
    rows = []
    for name, evaluation in evaluations.items():
        ratios = {metric: evaluation.ratios(metric) for metric in errors.names}
        rows.append({"name": name, **ratios})
    columns = [Column(name="name", heading=heading, role="head")]
    columns += [ratio_column(metric, "f1")._replace(role="number") for metric in errors.names]
    return Table(columns, rows, rounding=errors.evaluation.options.rounding)


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
    costs = errors.costs
    rows = []
    for kind in document_errors.KINDS:
        for metric in errors.names:
            figures = *costs.gain(kind, metric), *costs.after[kind].ratios(metric)
            rows.append((kind, errors.counts[kind], metric, *figures))
    meaning = "cost: F1 gained by fixing only this kind (span errors first)"
    notes = [f"{meaning}; second table: fixed in turn"]
    yield data("kinds", KIND_COLUMNS, records(KIND_COLUMNS, rows), notes)
    columns = [
        Column(value=str, heading="fixed alone", role="head"),
        Column(value=errors.counts.get, kind="whole", heading="errors"),
    ]
    columns += [_cost_column(errors, metric) for metric in errors.names]
    yield Table(columns, [RESPONSE, *document_errors.KINDS])
    after = {RESPONSE: costs.response}
    for kind in document_errors.KINDS:
        if errors.counts[kind] or document_errors.ERROR_KINDS[kind].is_span:
            after[f"+ {kind}"] = costs.after[kind]
    yield _f1_table("fixed in turn", after, errors)


BOUND_COLUMNS = [Column(name="bound"), Column(name="metric", kind="metric"), *RATIO_COLUMNS]


def _bound_tables(errors: Errors) -> Iterator[Table]:
    bounds = errors.costs.bounds
    rows = []
    for bound, evaluation in ({"response": errors.costs.response} | bounds).items():
        rows += [(bound, metric, *evaluation.ratios(metric)) for metric in errors.names]
    metric = errors.names[-1]
    clustering = bounds[document_errors.KEY_CLUSTERING].ratios(metric).f1
    mentions = bounds[document_errors.KEY_MENTIONS].ratios(metric).f1
    if abs(clustering - mentions) < 1e-12:
        note = f"finding mentions and clustering cost the same in {metric}"
    elif clustering > mentions:
        note = f"clustering costs more than finding mentions in {metric}"
    else:
        note = f"finding mentions costs more than clustering in {metric}"
    yield data("bounds", BOUND_COLUMNS, records(BOUND_COLUMNS, rows), [note])
    yield _f1_table("upper bound", {RESPONSE: errors.costs.response, **bounds}, errors)


# Links


LINK_COLUMNS = text_columns("side", "anaphor", "antecedent")
LINK_COLUMNS += [
    Column(name="errors", kind="whole"),
    Column(name="links", kind="whole"),
]


def _link_tables(errors: Errors) -> Iterator[Table]:
    rows = [(*cell, *counts) for cell, counts in errors.links.items()]
    yield data("links", LINK_COLUMNS, records(LINK_COLUMNS, rows))
    for side, heading in (("key", "missing links from a"), ("response", "extra links from a")):
        columns = [Column(value=str, heading=heading, role="head")]
        columns += [_link_column(errors, side, antecedent) for antecedent in TYPES]
        yield Table(columns, TYPES)


def _link_column(errors: Errors, side: str, antecedent: str) -> Column:
    """Make the column of links to antecedents of a type; its rows are types of anaphors."""

    def links(anaphor: str) -> tuple[int, int]:
        return errors.links[side, anaphor, antecedent]

    return Column(value=links, kind="share", heading=f"to a {antecedent}")


# Strata


def _share_data(name: str) -> list[Column]:
    """Make the columns of a share and the ends of its interval in data."""
    ends = attrgetter(f"{name}_low", f"{name}_high")
    return [Column(name=name, kind="ratio"), Column(name=name, value=ends, kind="interval")]


_SHARES = {"found": "found", "bcub": "B³", "right": "right"}
"""The headings of the shares of strata."""

STRATUM_COLUMNS = [
    *text_columns("stratum", "value", "side"),
    Column(name="mentions", kind="whole"),
    *_share_data("found"),
    *_share_data("bcub"),
    Column(name="links", kind="whole"),
    *_share_data("right"),
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


def _stratum_notes(errors: Errors) -> Iterator[str]:
    resampling = errors.error_options.resampling
    units = units_of([document.name for document in errors.documents], resampling.unit)
    size = 1 + max(units, default=0)
    counted = pluralize(size, "document")
    if size != len(errors.documents):
        counted = f"{pluralize(size, 'unit')} of documents"
    package = missing_package()
    if size < 2:
        yield f"there is {counted}, so there are no intervals"
    elif package is not None:
        yield f"there are no intervals, as {package} is not installed"
    else:
        intervals = f"{resampling.interval_heading}s ({resampling.interval})"
        yield f"{intervals} from {resampling.trials:,} bootstrap replicates over {counted}"
    if len(errors.sides_with_entities) == 1:
        [typed] = errors.sides_with_entities
        [untyped] = {"key", "response"} - {typed}
        yield (
            f"entity, class: the {untyped} tells no types of entities, so its rows are left out, "
            f"and a mention of the {typed} counts as found in any cluster"
        )
    known = known_strata(errors.strata)
    missing = [stratum for stratum in STRATA if stratum not in known]
    if missing:
        yield f"strata of which the files say nothing: {', '.join(missing)}"


def _stratum_tables(errors: Errors) -> Iterator[Table]:
    yield data("strata", STRATUM_COLUMNS, errors.strata, _stratum_notes(errors))
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


NEC_COLUMNS = [
    Column(name="type"),
    Column(name="f1", kind="ratio"),
    Column(name="entities", kind="whole"),
    Column(name="missed", kind="whole"),
]


def _nec_tables(errors: Errors) -> Iterator[Table]:
    nec = errors.nec
    rows: list[tuple[Any, ...]] = [(ALL_TYPES, nec.f1, nec.entities, nec.missed)]
    rows += [(kind, *figures) for kind, figures in nec.by_type.items()]
    notes = []
    if nec.f1 is None and any(document.pair.text.knows_names for document in errors.documents):
        notes.append("no NEC: no entity of the key has a name")
    elif nec.f1 is None:
        notes.append("no NEC: the files have neither parts of speech nor named entities")
    yield data("nec", NEC_COLUMNS, records(NEC_COLUMNS, rows), notes)
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


def _words(row: document_errors.Finding) -> str:
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


FOLLOWED = {"entities": ("nec",)}
"""The sections that come with others."""


def all_shown(sections: Iterable[str]) -> list[str]:
    """Return the sections, and after each those that come with it.

    Raises:
        ValueError: There is no such section.
    """
    shown: dict[str, None] = {}
    for section in sections:
        check_choice("show", section, SECTIONS)
        shown |= dict.fromkeys((section, *FOLLOWED.get(section, ())))
    return list(shown)


class StratumDiff(NamedTuple):
    """The number of mentions with a value of a stratum by their outcomes."""

    stratum: str
    value: str
    outcomes: Counter[str]


def _outcome_column(name: str, outcome: str, heading: str) -> Column:
    """Make a column of the numbers of an outcome, which stand last in each row."""
    return Column(name=name, value=lambda row: row[-1][outcome], kind="whole", heading=heading)


OUTCOME_COLUMNS = [
    _outcome_column("here", FIRST, FIRST),
    _outcome_column("there", SECOND, SECOND),
    _outcome_column("both", BOTH, BOTH),
]

KIND_DIFF_COLUMNS = [
    Column(name="kind", value=itemgetter(0), heading="mentions in a", role="head"),
    *OUTCOME_COLUMNS,
]


def _kind_diff_tables(diff: SystemDiff) -> Iterator[Table]:
    yield Table(KIND_DIFF_COLUMNS, list(diff.by_kind.items()), section="against_kinds")


STRATUM_OUTCOMES = [*OUTCOME_COLUMNS, _outcome_column("right_in_both", RIGHT, "right in both")]
STRATUM_DIFF_COLUMNS = [*text_columns("stratum", "value"), *STRATUM_OUTCOMES]


def _stratum_rows(diff: SystemDiff) -> list[StratumDiff]:
    rows = [StratumDiff(*cell, outcomes) for cell, outcomes in diff.by_stratum.items()]

    def rank(row: StratumDiff) -> tuple[object, ...]:
        return rank_of_value(row.stratum, row.value, row.outcomes.total())

    return sorted(rows, key=rank)


def _stratum_diff_tables(diff: SystemDiff) -> Iterator[Table]:
    every = _stratum_rows(diff)
    yield data("against_strata", STRATUM_DIFF_COLUMNS, every)
    for stratum, rows in known_strata(every).items():
        value = Column(name="value", heading=stratum, role="head")
        yield Table([value, *STRATUM_OUTCOMES], rows)


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


KINDS_HERE = Column(name="kinds", value=lambda row: ", ".join(row.kinds))
KINDS_THERE = Column(name="other_kinds", value=lambda row: ", ".join(row.other_kinds))

MENTION_COLUMNS = [
    Column(name="document"),
    Column(name="sentence", kind="whole"),
    Column(name="path"),
    Column(name="line", kind="whole"),
    MENTION,
    Column(name="outcome"),
    KINDS_HERE,
    KINDS_THERE,
]
MENTION_COLUMNS += text_columns("before", "words", "after")

MENTION_TABLE = [
    POSITION,
    Column(name="document", heading="document"),
    Column(name="outcome", heading="outcome"),
    Column(value=in_context, heading="words"),
    KINDS_HERE._replace(heading="here"),
    KINDS_THERE._replace(heading="there"),
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
