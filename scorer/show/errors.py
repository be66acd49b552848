"""Reports of errors: rows to compute with, tables and a chart, by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from scorer.analysis.errors import OUTCOMES, Errors, SystemDiff
from scorer.analysis.kinds import BOUNDS, KEY_CLUSTERING, KEY_MENTIONS, KINDS, SPAN
from scorer.analysis.strata import STRATA, Entity, Stratum
from scorer.analysis.text import NONE, TYPES
from scorer.comparison.resampling import units_of
from scorer.evaluation.signature import both, signature, written
from scorer.report.figures import difference, figure, interval
from scorer.report.plots import Bar, bars
from scorer.report.report import Report, Table, frame_of

if TYPE_CHECKING:
    from scorer.report.report import Record

ErrorRecord = dict[str, Any]


_CLUSTERS = ("key_cluster", "response_cluster")
_FIELDS: dict[str, tuple[str, ...]] = {
    "kinds": ("kind", "errors", "metric", "recall_cost", "precision_cost", "f1_cost", "recall", "precision", "f1"),
    "links": ("side", "anaphor", "antecedent", "errors", "links"),
    "bounds": ("bound", "metric", "recall", "precision", "f1"),
    "strata": (
        "stratum", "value", "side", "mentions", "found", "found_low", "found_high", "bcub", "bcub_low", "bcub_high", "links",
        "right", "right_low", "right_high",
    ),
    "entities": (
        "document", "line", "cluster", "name", "size", "response_cluster", "response_size", "common", "recall", "precision",
        "f1", "cost",
    ),
    "errors": (
        "kind", "document", "side", "path", "line", "mention", "mentions", "type", *_CLUSTERS, "before", "words", "after", "beside",
    ),
}  # fmt: skip
"""The fields of each section.

kinds: the errors of a kind; what recall, precision and F1 of a metric gain if that kind alone is
mended; and what they are once all kinds up to it are. All ratios are fractions. bounds: `response`
is the response as it is. strata: `found`, `bcub` and `right` are shares with the ends of their
intervals. errors: as in `scorer.analysis.kinds.Finding`.
"""

SECTIONS = tuple(_FIELDS)
"""What there is to show of errors."""

AGAINST: dict[str, tuple[str, ...]] = {
    "kinds": ("kind", "here", "there", "both"),
    "strata": ("stratum", "value", "here", "there", "both", "right"),
    "sentences": ("document", "sentence", "path", "line", "here", "there", "words"),
    "errors": (
        "document", "sentence", "path", "line", "mention", "outcome", "kinds", "other_kinds", "before", "words", "after",
    ),
}  # fmt: skip
"""The same of two responses: in how many mentions this one alone is wrong (`here`), the other one
(`there`), or both."""


def fields_of(section: str) -> tuple[str, ...]:
    """The fields of a section's records, in their order."""
    return _FIELDS[section]


def fields_of_all(
    sections: Iterable[str], fields: dict[str, tuple[str, ...]] = _FIELDS
) -> list[str]:
    """The section and every field of these sections, each once."""
    return list(
        dict.fromkeys(["section", *(field for section in sections for field in fields[section])])
    )


def records_of(errors: Errors, section: str) -> Iterator[ErrorRecord]:
    """The records of a section; None stands for what does not exist."""
    fields = _FIELDS[section]
    return (dict(zip(fields, row)) for row in _ROWS[section](errors))


def records_against(against: SystemDiff, section: str) -> Iterator[ErrorRecord]:
    """The records of a section of two responses."""
    fields = AGAINST[section]
    return (dict(zip(fields, row)) for row in _AGAINST_ROWS[section](against))


def _known(ratios: Iterable[float]) -> list[float | None]:
    return [None if isnan(ratio) else ratio for ratio in ratios]


def _kind_rows(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for kind in KINDS:
        for metric in errors.names:
            gains, ratios = errors.costs.gain(kind, metric), errors.costs.after[kind].ratios(metric)
            yield (kind, errors.counts[kind], metric, *_known(gains), *_known(ratios.as_tuple()))


def _bound_rows(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for metric in errors.names:
        yield ("response", metric, *_known(errors.costs.response.ratios(metric).as_tuple()))
    for bound in BOUNDS:
        for metric in errors.names:
            yield (bound, metric, *_known(errors.costs.bounds[bound].ratios(metric).as_tuple()))


def _stratum_rows(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for row in errors.strata:
        ends = [
            row.found_interval or (None, None),
            row.bcub_interval or (None, None),
            row.right_interval or (None, None),
        ]
        found, bcub = (row.found, *ends[0]), (row.bcub, *ends[1])
        yield (
            row.stratum,
            row.value,
            row.side,
            row.tally.mentions,
            *found,
            *bcub,
            row.tally.links,
            row.right,
            *ends[2],
        )


def _error_rows(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for one in errors.findings():
        yield tuple(one._replace(mention=write_mention(one.mention)))


def write_mention(mention: Any) -> str:
    """Write a mention on one line, without spaces.

    >>> write_mention((3, 4)), write_mention(((3, 4), (6, 6))), write_mention("m 1")
    ('(3,4)', '((3,4),(6,6))', 'm 1')
    """
    return mention if isinstance(mention, str) else str(mention).replace(" ", "")


def _against_kinds(against: SystemDiff) -> Iterator[tuple[Any, ...]]:
    for kind, counts in against.by_kind.items():
        yield (kind, *counts.values())


def _against_strata(against: SystemDiff) -> Iterator[tuple[Any, ...]]:
    for (stratum, value), counts in sorted(against.by_stratum.items()):
        yield (stratum, value, *counts.values())


def _against_errors(against: SystemDiff) -> Iterator[tuple[Any, ...]]:
    for one in against.mention_diffs():
        kinds = {"kinds": ", ".join(one.kinds), "other_kinds": ", ".join(one.other_kinds)}
        yield tuple(one._replace(mention=write_mention(one.mention), **kinds))  # type: ignore[arg-type]  # as text


_ROWS: dict[str, Callable[[Errors], Iterable[tuple[Any, ...]]]] = {
    "kinds": _kind_rows,
    "links": lambda errors: errors.links.rows(),
    "bounds": _bound_rows,
    "strata": _stratum_rows,
    "entities": lambda errors: ((*entity, entity.cost) for entity in errors.entities),
    "errors": _error_rows,
}

_AGAINST_ROWS = {
    "kinds": _against_kinds,
    "strata": _against_strata,
    "sentences": lambda against: against.sentences,
    "errors": _against_errors,
}


DEFAULT = ("kinds", "links", "bounds")
"""The sections that are shown unless others are asked for."""

MOST = 20
"""Rows of a table of entities or sentences; the other forms have all."""

_SOURCES = {
    "pos, parse": "parts of speech and the parse",
    "pos, head": "parts of speech and heads",
    "pos": "parts of speech",
    "parse": "a list of English pronouns, heads from the parse",
    "head": "a list of English pronouns, heads from the file",
    "words": "a list of English pronouns; no heads are known",
    NONE: "nowhere: every mention counts as a nominal",
}


_HALVES = {
    "clustering": "clustering costs more than finding mentions",
    "mentions": "finding mentions costs more than clustering",
    "neither": "finding mentions and clustering cost the same",
}


def report_of(
    errors: Errors,
    form: str = "table",
    sections: Sequence[str] = DEFAULT,
    against: SystemDiff | None = None,
) -> Report:
    """What that form is to show of these sections, and of another response if it is given.

    Tables have percent with two decimals: ratios as the option `rounding` says, costs rounded. Rows
    and JSON hold fractions with all digits. ValueError for a section that there is none of.
    """
    for section in sections:
        if section not in SECTIONS:
            raise ValueError(
                f"there is nothing called {section!r} to show; there are: {', '.join(SECTIONS)}"
            )
    layout = {
        "format": form,
        "show": "+".join(sections),
        **errors.error_options.signed(strata="strata" in sections),
    }
    signed = signature(errors.evaluation, layout)
    if against is not None:
        signed["against"] = signature(against.second.evaluation)["response"]
    diff_sections = _against_sections(sections)

    def records() -> Iterator[Record]:
        for section in sections:
            for record in records_of(errors, section):
                yield {"section": section} | record
        for section in diff_sections if against is not None else ():
            for record in records_against(against, section):  # type: ignore[arg-type]  # not None here
                yield {"section": f"against {section}"} | record
        yield {"section": "signature", "kind": written(signed)}

    def tree() -> dict[str, Any]:
        found: dict[str, Any] = {section: list(records_of(errors, section)) for section in sections}
        if "entities" in sections:
            nec = errors.nec
            found["nec"] = {
                "f1": nec.f1,
                "entities": nec.entities,
                "missed": nec.missed,
                **{f"{kind}s": mean.f1 for kind, mean in nec.by_type.items()},
            }
        if against is not None:
            found["against"] = {
                section: list(records_against(against, section)) for section in diff_sections
            }
        return found | {"notes": errors.notes, "signature": signed}

    def tables() -> list[Table]:
        tables = [table for section in sections for table in TABLES[section](errors)]
        for section in diff_sections if against is not None else ():
            tables += against_tables(against, section)  # type: ignore[arg-type]  # not None here
        return tables

    fields = fields_of_all(sections)
    if against is not None:
        fields = list(dict.fromkeys([*fields, *fields_of_all(diff_sections, AGAINST)]))
    if "kind" not in fields:
        fields.append("kind")
    notes = [str(removed) for removed in errors.evaluation.removed]
    notes += [f"note: {note}" for note in notes_of(errors, sections)]
    return Report(
        form,
        "Errors of coreference",
        tables=tables,
        notes=notes,
        signatures=both(signed),
        fields=fields,
        records=records,
        tree=tree,
        frame=lambda: frame_of(
            ([record.get(field) for field in fields] for record in records()), fields
        ).convert_dtypes(),
    )


def _against_sections(sections: Sequence[str]) -> list[str]:
    """What is shown of two responses: mention by mention where errors are listed, tables and sentences otherwise."""
    return ["errors"] if list(sections) == ["errors"] else ["kinds", "strata", "sentences"]


def notes_of(errors: Errors, sections: Sequence[str]) -> Iterator[str]:
    """Yield what a reader has to know about the tables of these sections."""
    sources = errors.sources()
    for source, documents in sources.items():
        where = f" ({pluralize(documents, 'document')})" if len(sources) > 1 else ""
        yield f"types of mentions from {_SOURCES[source]}{where}"
    for section in sections:
        yield from section_notes(errors, section)
    yield from errors.notes


def section_notes(errors: Errors, section: str) -> Iterator[str]:
    """Yield what a reader has to know about the tables of a section."""
    if section == "kinds":
        yield (
            "a cost is what F1 gains if that kind alone is mended, after the spans; the "
            "second table mends all in turn"
        )
    elif section == "bounds":
        yield f"{_HALVES[_half_that_costs_most(errors, errors.names[-1])]} in {errors.names[-1]}"
    elif section == "strata":
        how = errors.error_options.resampling
        units = units_of([document.name for document in errors.documents], how.unit)
        size = 1 + max(units, default=0)
        noun = "document" if size == len(errors.documents) else "unit"
        counted = pluralize(size, noun) + (" of documents" if noun == "unit" else "")
        if size > 1:
            intervals = f"{how.interval_heading}s ({how.interval})"
            yield f"{intervals} from {how.trials:,} bootstrap replicates over {counted}"
        else:
            yield f"there is {counted}, so there are no intervals"
        missing = [stratum for stratum in STRATA if stratum not in _known_strata(errors)]
        if missing:
            yield f"strata of which the files say nothing: {', '.join(missing)}"
    elif section == "entities" and errors.nec.f1 is None:
        yield "no NEC: the files have neither parts of speech nor named entities that tell names"


def _kind_tables(errors: Errors) -> list[Table]:
    rounding = errors.evaluation.options.rounding
    counts, costs = errors.counts, errors.costs
    rows = [
        [
            "(response)",
            "",
            *(figure(costs.response.ratios(metric).f1, rounding) for metric in errors.names),
        ]
    ]
    for kind in KINDS:
        gains = [
            difference(costs.gain(kind, metric)[2]) if counts[kind] else ""
            for metric in errors.names
        ]
        rows.append([kind, str(counts[kind]), *gains])
    alone = Table(["alone", "errors", *errors.names], rows, 1)
    rows = [["(response)", *rows[0][2:]]]
    for kind in KINDS:
        if counts[kind] or kind == SPAN:
            rows.append(
                [
                    f"+ {kind}",
                    *(
                        figure(costs.after[kind].ratios(metric).f1, rounding)
                        for metric in errors.names
                    ),
                ]
            )
    return [alone, Table(["one after the other", *errors.names], rows, 1)]


def _link_tables(errors: Errors) -> list[Table]:
    by_side: dict[str, list[list[str]]] = {"key": [], "response": []}
    for side, anaphor, antecedent, wrong, links in errors.links.rows():
        if antecedent == TYPES[0]:
            by_side[side].append([anaphor])
        by_side[side][-1].append(f"{wrong} / {links}")
    headings = {"key": "missing links from a", "response": "extra links from a"}
    return [
        Table([headings[side], *(f"to a {antecedent}" for antecedent in TYPES)], rows, 1)
        for side, rows in by_side.items()
    ]


def _bound_tables(errors: Errors) -> list[Table]:
    rounding = errors.evaluation.options.rounding
    rows = []
    for name, evaluation in (
        ("(response)", errors.costs.response),
        *((bound, errors.costs.bounds[bound]) for bound in BOUNDS),
    ):
        rows.append(
            [name, *(figure(evaluation.ratios(metric).f1, rounding) for metric in errors.names)]
        )
    return [Table(["at best", *errors.names], rows, 1)]


def _half_that_costs_most(errors: Errors, metric: str) -> str:
    """Whether finding mentions or clustering them costs more of a metric's F1: "mentions", "clustering" or "neither"."""
    response = errors.costs.response.ratios(metric).f1
    clustering, mentions = (
        errors.costs.bounds[bound].ratios(metric).f1 - response
        for bound in (KEY_CLUSTERING, KEY_MENTIONS)
    )
    if abs(clustering - mentions) < 1e-12:
        return "neither"
    return "clustering" if clustering > mentions else "mentions"


def _known_strata(errors: Errors) -> dict[str, list[Stratum]]:
    """Group the rows of strata by stratum, without those strata of which no file says anything."""
    by_stratum: dict[str, list[Stratum]] = {name: [] for name in STRATA}
    for row in errors.strata:
        by_stratum.setdefault(row.stratum, []).append(row)
    return {
        name: rows
        for name, rows in by_stratum.items()
        if name not in STRATA or {row.value for row in rows} - {NONE}
    }


def _strata_tables(errors: Errors) -> list[Table]:
    return [
        Table(
            [stratum, "side", "mentions", "found", "B³", "links", "right"],
            [_shown(row, errors) for row in rows],
            2,
        )
        for stratum, rows in _known_strata(errors).items()
    ]


def _shown(row: Stratum, errors: Errors) -> list[str]:
    rounding = errors.evaluation.options.rounding

    def share(value: float | None, ends: tuple[float, float] | None) -> str:
        if value is None:
            return ""
        return figure(value, rounding) + (
            f" {interval(*ends, rounding)}" if ends is not None else ""
        )

    shares = (
        share(row.found, row.found_interval),
        share(row.bcub, row.bcub_interval),
        share(row.right, row.right_interval),
    )
    return [
        row.value,
        row.side,
        str(row.tally.mentions),
        shares[0],
        shares[1],
        str(row.tally.links),
        shares[2],
    ]


def _entity_tables(errors: Errors) -> list[Table]:
    rounding = errors.evaluation.options.rounding

    def table(heading: str, entities: Sequence[Entity]) -> Table:
        rows = []
        for entity in entities:
            ratios = (entity.recall, entity.precision, entity.f1)
            figures = [figure(ratio, rounding) for ratio in ratios]
            rows.append(
                [entity.name, entity.document, *figures, str(entity.size), f"{entity.cost:.2f}"]
            )
        headings = ["document", "recall", "precision", "F1", "mentions", "cost"]
        return Table([heading, *headings], rows, 2)

    nec = errors.nec
    costly = [entity for entity in errors.entities if entity.size > 1][:MOST]
    tables = [
        table("most frequent entity", errors.characters()),
        table("costliest entity", costly),
    ]
    if nec.f1 is not None:
        means = (nec.all, *nec.by_type.values())
        figures = ["" if mean.f1 is None else figure(mean.f1, rounding) for mean in means]
        missed = f"{nec.missed} ({figure(nec.missed / nec.entities, rounding)} %)"
        headings = ["NEC", *(f"{kind}s" for kind in nec.by_type), "entities", "missed"]
        tables.append(Table(headings, [[*figures, str(nec.entities), missed]], 0))
    return tables


def _error_tables(errors: Errors) -> list[Table]:
    headings = ["place", "document", "kind", "key", "response", "words", "with"]
    rows = []
    for one in errors.findings():
        words = " ".join(filter(None, (one.before, f"[{one.words}]", one.after)))
        more = f" (+{one.mentions - 1})" if one.mentions > 1 else ""
        place = f"{one.path}:{one.line}" if one.line else one.path
        rows.append(
            [
                place,
                one.document,
                one.kind,
                one.key_cluster,
                one.response_cluster,
                words + more,
                one.beside,
            ]
        )
    return [Table(headings, rows, len(headings))]


TABLES: dict[str, Callable[[Errors], list[Table]]] = {
    "kinds": _kind_tables,
    "links": _link_tables,
    "bounds": _bound_tables,
    "strata": _strata_tables,
    "entities": _entity_tables,
    "errors": _error_tables,
}


def against_tables(against: SystemDiff, section: str) -> list[Table]:
    """Make the tables of a section of two responses."""
    records = records_against(against, section)
    if section == "kinds":
        return [
            Table(
                ["mentions in a", *OUTCOMES],
                [list(map(str, record.values())) for record in records],
                1,
            )
        ]
    if section == "strata":
        tables: dict[str, list[list[str]]] = {}
        for record in records:
            stratum, *cells = map(str, record.values())
            tables.setdefault(stratum, []).append(cells)
        known = {
            stratum: rows for stratum, rows in tables.items() if {row[0] for row in rows} != {NONE}
        }
        return [
            Table([stratum, *OUTCOMES, "right in both"], rows, 1) for stratum, rows in known.items()
        ]
    if section == "sentences":
        rows = [
            [
                f"{one.path}:{one.line}" if one.line else one.path,
                one.document,
                one.words,
                str(one.here),
                str(one.there),
            ]
            for one in against.sentences[:MOST]
        ]
        return [Table(["to read first", "document", "sentence", *OUTCOMES[:2]], rows, 3)]
    rows = []
    for one in against.mention_diffs():
        words = " ".join(filter(None, (one.before, f"[{one.words}]", one.after)))
        place = f"{one.path}:{one.line}" if one.line else one.path
        rows.append(
            [
                place,
                one.document,
                one.outcome,
                words,
                ", ".join(one.kinds),
                ", ".join(one.other_kinds),
            ]
        )
    return [Table(["place", "document", "outcome", "words", "here", "there"], rows, 6)]


def chart(errors: Errors, metric: str) -> str:
    """A bar for each kind that occurs, or for every kind where none does.

    KeyError when that metric is not shown.
    """
    if metric not in errors.names:
        raise KeyError(metric)
    kinds = [kind for kind in KINDS if errors.counts[kind]] or KINDS
    rows = []
    for kind in kinds:
        gain = errors.costs.gain(kind, metric)[2]
        rows.append(Bar(f"{kind} ({errors.counts[kind]:,})", 100 * gain, difference(gain)))
    return bars(
        rows,
        f"What {metric} gains if one kind of error alone is mended",
        f"points of F1 in {metric}",
    )
