"""Errors as a report: tables to read, rows and JSON to compute with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.prose import amount
from scorer.analysis.against import OUTCOMES
from scorer.analysis.cost import BOUNDS, KEY_CLUSTERING, KEY_MENTIONS
from scorer.analysis.kinds import KINDS, SPAN
from scorer.analysis.rows import AGAINST, SECTIONS, fields_of_all, records_against, records_of
from scorer.analysis.strata import STRATA
from scorer.analysis.text import NONE, TYPES
from scorer.comparison.units import units_of
from scorer.evaluation.signature import signature, written
from scorer.report.figures import difference, figure, interval
from scorer.report.frame import frame_of
from scorer.report.report import Report, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from scorer.analysis.against import Against
    from scorer.analysis.entities import Entity
    from scorer.analysis.errors import Errors
    from scorer.analysis.strata import Stratum
    from scorer.report.report import Record

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


def report_of(errors: Errors, form: str = "table", sections: Sequence[str] = DEFAULT, against: Against | None = None) -> Report:
    """What that form is to show of these sections, and of another response if it is given.

    Tables have percent with two decimals: ratios as the option `percent` says, costs rounded. Rows and JSON hold fractions with all
    digits. ValueError for a section that there is none of.
    """
    for section in sections:
        if section not in SECTIONS:
            raise ValueError(f"there is nothing called {section!r} to show; there are: {', '.join(SECTIONS)}")
    layout = {"format": form, "show": "+".join(sections), **errors.look.signed(strata="strata" in sections)}
    signed = signature(errors.evaluation, layout)
    if against is not None:
        signed["against"] = signature(against.second.evaluation)["response"]
    contrasts = _against_sections(sections)

    def records() -> Iterator[Record]:
        for section in sections:
            for record in records_of(errors, section):
                yield {"section": section} | record
        for section in contrasts if against is not None else ():
            for record in records_against(against, section):  # type: ignore[arg-type]  # not None here
                yield {"section": f"against {section}"} | record
        yield {"section": "signature", "kind": written(signed)}

    def tree() -> dict[str, Any]:
        found: dict[str, Any] = {section: list(records_of(errors, section)) for section in sections}
        if "entities" in sections:
            found["nec"] = {"f1": errors.nec.f1, "entities": errors.nec.entities}
        if against is not None:
            found["against"] = {section: list(records_against(against, section)) for section in contrasts}
        return found | {"notes": errors.notes, "signature": signed}

    def tables() -> list[Table]:
        found = [table for section in sections for table in _TABLES[section](errors)]
        return found + ([table for section in contrasts for table in _against(against, section)] if against is not None else [])

    fields = fields_of_all(sections)
    if against is not None:
        fields = list(dict.fromkeys([*fields, *fields_of_all(contrasts, AGAINST)]))
    if "kind" not in fields:
        fields.append("kind")
    notes = [*map(str, errors.evaluation.removed), *_said(errors, sections)]
    return Report(
        form,
        "Errors of coreference",
        tables=tables,
        notes=notes,
        signature=written(signed),
        fields=fields,
        records=records,
        tree=tree,
        frame=lambda: frame_of(([record.get(field) for field in fields] for record in records()), fields).convert_dtypes(),
    )


def _against_sections(sections: Sequence[str]) -> list[str]:
    """What is shown of two responses: mention by mention where errors are listed, tables and sentences otherwise."""
    return ["errors"] if list(sections) == ["errors"] else ["kinds", "strata", "sentences"]


def _said(errors: Errors, sections: Sequence[str]) -> Iterator[str]:
    """What a reader has to know about the tables."""
    sources = errors.sources()
    for source, documents in sources.items():
        where = f" ({amount(documents, 'document')})" if len(sources) > 1 else ""
        yield f"note: types of mentions from {_SOURCES[source]}{where}"
    if "kinds" in sections:
        yield "note: a cost is what F1 gains if that kind alone is mended, after the spans; the second table mends all in turn"
    if "bounds" in sections:
        yield f"note: {_HALVES[_half_that_costs_most(errors, errors.names[-1])]} in {errors.names[-1]}"
    if "strata" in sections:
        how = errors.look.resampling
        units = 1 + max(units_of([document.name for document in errors.documents], how.unit), default=0)
        of = amount(units, "document") if units == len(errors.documents) else f"{amount(units, 'unit')} of documents"
        made = f"{how.interval_heading}s ({how.interval}) from {how.trials:,} bootstrap replicates over {of}"
        yield f"note: {made}" if units > 1 else f"note: there is {of}, so there are no intervals"
    yield from (f"note: {note}" for note in errors.notes)


def _kinds(errors: Errors) -> list[Table]:
    percent = errors.evaluation.options.percent
    counts, costs = errors.counts, errors.costs
    rows = [["(response)", "", *(figure(costs.response.ratios(metric).f1, percent) for metric in errors.names)]]
    for kind in KINDS:
        gains = [difference(costs.gain(kind, metric)[2]) if counts[kind] else "" for metric in errors.names]
        rows.append([kind, str(counts[kind]), *gains])
    alone = Table(["alone", "errors", *errors.names], rows, 1)
    rows = [["(response)", *rows[0][2:]]]
    for kind in KINDS:
        if counts[kind] or kind == SPAN:
            rows.append([f"+ {kind}", *(figure(costs.after[kind].ratios(metric).f1, percent) for metric in errors.names)])
    return [alone, Table(["one after the other", *errors.names], rows, 1)]


def _links(errors: Errors) -> list[Table]:
    by_side: dict[str, list[list[str]]] = {"key": [], "response": []}
    for side, anaphor, antecedent, wrong, links in errors.links.rows():
        if antecedent == TYPES[0]:
            by_side[side].append([anaphor])
        by_side[side][-1].append(f"{wrong} / {links}")
    headings = {"key": "missing links from a", "response": "extra links from a"}
    return [Table([headings[side], *(f"to a {antecedent}" for antecedent in TYPES)], rows, 1) for side, rows in by_side.items()]


def _bounds(errors: Errors) -> list[Table]:
    percent = errors.evaluation.options.percent
    rows = []
    for name, evaluation in (("(response)", errors.costs.response), *((bound, errors.costs.bounds[bound]) for bound in BOUNDS)):
        rows.append([name, *(figure(evaluation.ratios(metric).f1, percent) for metric in errors.names)])
    return [Table(["at best", *errors.names], rows, 1)]


def _half_that_costs_most(errors: Errors, metric: str) -> str:
    """Whether finding mentions or clustering them costs more of a metric's F1: "mentions", "clustering" or "neither"."""
    response = errors.costs.response.ratios(metric).f1
    clustering, mentions = (errors.costs.bounds[bound].ratios(metric).f1 - response for bound in (KEY_CLUSTERING, KEY_MENTIONS))
    if abs(clustering - mentions) < 1e-12:
        return "neither"
    return "clustering" if clustering > mentions else "mentions"


def _strata(errors: Errors) -> list[Table]:
    by_stratum: dict[str, list[Stratum]] = {}
    for row in errors.strata:
        by_stratum.setdefault(row.stratum, []).append(row)
    tables = []
    for stratum in [*STRATA, *(name for name in by_stratum if name not in STRATA)]:
        own = by_stratum.get(stratum, [])
        # A stratum of which nothing is known says nothing.
        if {row.value for row in own} <= {NONE} and stratum in STRATA:
            continue
        tables.append(
            Table([stratum, "side", "mentions", "found", "B³", "links", "right"], [_shown(row, errors) for row in own], 2)
        )
    return tables


def _shown(row: Stratum, errors: Errors) -> list[str]:
    percent = errors.evaluation.options.percent

    def share(value: float | None, ends: tuple[float, float] | None) -> str:
        if value is None:
            return ""
        return figure(value, percent) + (f" {interval(*ends, percent)}" if ends is not None else "")

    shares = share(row.found, row.found_interval), share(row.bcub, row.bcub_interval), share(row.right, row.right_interval)
    return [row.value, row.side, str(row.tally.mentions), shares[0], shares[1], str(row.tally.links), shares[2]]


def _entities(errors: Errors) -> list[Table]:
    percent = errors.evaluation.options.percent

    def rows(entities: Sequence[Entity]) -> list[list[str]]:
        return [
            [one.name, one.document, *(figure(ratio, percent) for ratio in (one.recall, one.precision, one.f1)), str(one.size)]
            for one in entities
        ]

    headings = ["document", "recall", "precision", "F1", "mentions"]
    named = errors.nec
    worst = [entity for entity in errors.entities if entity.size > 1][:MOST]
    tables = [
        Table(["most frequent entity", *headings], rows(errors.characters()), 2),
        Table(["worst entity", *headings], rows(worst), 2),
    ]
    if named.f1 is not None:
        tables.append(Table(["NEC", "entities"], [[figure(named.f1, percent), str(named.entities)]], 0))
    return tables


def _errors(errors: Errors) -> list[Table]:
    headings = ["place", "document", "kind", "key", "response", "words", "with"]
    rows = []
    for one in errors.findings():
        words = " ".join(filter(None, (one.before, f"[{one.words}]", one.after)))
        more = f" (+{one.mentions - 1})" if one.mentions > 1 else ""
        place = f"{one.path}:{one.line}" if one.line else one.path
        rows.append([place, one.document, one.kind, one.key_cluster, one.response_cluster, words + more, one.beside])
    return [Table(headings, rows, len(headings))]


_TABLES: dict[str, Callable[[Errors], list[Table]]] = {
    "kinds": _kinds,
    "links": _links,
    "bounds": _bounds,
    "strata": _strata,
    "entities": _entities,
    "errors": _errors,
}


def _against(against: Against | None, section: str) -> list[Table]:
    assert against is not None
    records = records_against(against, section)
    if section == "kinds":
        return [Table(["mentions in a", *OUTCOMES], [list(map(str, record.values())) for record in records], 1)]
    if section == "strata":
        tables: dict[str, list[list[str]]] = {}
        for record in records:
            stratum, *cells = map(str, record.values())
            tables.setdefault(stratum, []).append(cells)
        known = {stratum: rows for stratum, rows in tables.items() if {row[0] for row in rows} != {NONE}}
        return [Table([stratum, *OUTCOMES, "right in both"], rows, 1) for stratum, rows in known.items()]
    if section == "sentences":
        rows = [
            [f"{one.path}:{one.line}" if one.line else one.path, one.document, one.words, str(one.here), str(one.there)]
            for one in against.sentences[:MOST]
        ]
        return [Table(["to read first", "document", "sentence", *OUTCOMES[:2]], rows, 3)]
    rows = []
    for one in against.contrasts():
        words = " ".join(filter(None, (one.before, f"[{one.words}]", one.after)))
        place = f"{one.path}:{one.line}" if one.line else one.path
        rows.append([place, one.document, one.outcome, words, ", ".join(one.kinds), ", ".join(one.other_kinds)])
    return [Table(["place", "document", "outcome", "words", "here", "there"], rows, 6)]
