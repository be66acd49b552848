"""Reports of errors: rows to compute with, tables and a chart, by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.errors import pluralize
from scorer.analysis.costs import KEY_CLUSTERING, KEY_MENTIONS
from scorer.analysis.document_errors import Finding
from scorer.analysis.entities import Entity
from scorer.analysis.errors import DEFAULT, Errors
from scorer.analysis.kinds import KINDS, SPAN
from scorer.analysis.strata import STRATA
from scorer.analysis.strata_rows import Stratum
from scorer.analysis.system_diff import OUTCOMES, MentionDiff, Sentence, SystemDiff
from scorer.analysis.text import NONE, TYPES
from scorer.evaluation.evaluation import both, noted, signature, written
from scorer.report.figures import difference, figure, interval
from scorer.report.forms import Report, frame_of
from scorer.report.page import Page
from scorer.report.plots import Interval, Plot, intervals
from scorer.report.table import Table, name_columns, number_columns
from scorer.statistics.resampling import units_of

if TYPE_CHECKING:
    import pandas as pd

    from scorer.evaluation.evaluation import Evaluation
    from scorer.report.forms import Record

MOST = 20
"""Rows of a table of entities or sentences; the other forms have all."""


class Section(NamedTuple):
    """A part of a report.

    Attributes:
        fields: the fields of its records.
        rows: yields the values of its records.
        tables: yields its tables.
    """

    fields: tuple[str, ...]
    rows: Callable[[Any], Iterable[tuple[Any, ...]]]
    tables: Callable[[Any], Iterable[Table]]

    def records(self, result: Errors | SystemDiff) -> Iterator[Record]:
        """Yield the records of a result; None stands for what does not exist."""
        return (dict(zip(self.fields, row)) for row in self.rows(result))


def write_mention(mention: Any) -> str:
    """Write a mention on one line, without spaces.

    >>> write_mention((3, 4)), write_mention(((3, 4), (6, 6))), write_mention("m 1")
    ('(3,4)', '((3,4),(6,6))', 'm 1')
    """
    return mention if isinstance(mention, str) else str(mention).replace(" ", "")


def _cells(errors: Errors, values: Iterable[float | str | None]) -> list[str]:
    """Write values of a table: fractions in percent, nothing for what does not exist."""
    rounding = errors.evaluation.options.rounding
    return [
        str(value) if isinstance(value, int | str) else figure(value, rounding) for value in values
    ]


def _f1s(evaluation: Evaluation, errors: Errors) -> list[str]:
    return _cells(errors, (evaluation.ratios(metric).f1 for metric in errors.names))


# Sections of a response


def _kind_rows(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for kind in KINDS:
        for metric in errors.names:
            gains, ratios = errors.costs.gain(kind, metric), errors.costs.after[kind].ratios(metric)
            yield (kind, errors.counts[kind], metric, *gains, *ratios)


def _kind_tables(errors: Errors) -> Iterator[Table]:
    counts, costs = errors.counts, errors.costs
    response = _f1s(costs.response, errors)
    alone = [["(response)", "", *response]]
    after = [["(response)", *response]]
    for kind in KINDS:
        gains = (difference(costs.gain(kind, metric)[2]) for metric in errors.names)
        alone.append([kind, str(counts[kind]), *(gain if counts[kind] else "" for gain in gains)])
        if counts[kind] or kind == SPAN:
            after.append([f"+ {kind}", *_f1s(costs.after[kind], errors)])
    yield Table([*name_columns("fixed alone"), *number_columns("errors", *errors.names)], alone)
    yield Table([*name_columns("fixed in turn"), *number_columns(*errors.names)], after)


def _link_tables(errors: Errors) -> Iterator[Table]:
    numbers = {cell: f"{wrong} / {links}" for cell, (wrong, links) in errors.links.items()}
    for side, heading in (("key", "missing links from a"), ("response", "extra links from a")):
        rows = [[anaphor, *(numbers[side, anaphor, to] for to in TYPES)] for anaphor in TYPES]
        columns = number_columns(*(f"to a {antecedent}" for antecedent in TYPES))
        yield Table([*name_columns(heading), *columns], rows)


def _bound_tables(errors: Errors) -> Iterator[Table]:
    bounds = {"(response)": errors.costs.response} | errors.costs.bounds
    rows = [[bound, *_f1s(evaluation, errors)] for bound, evaluation in bounds.items()]
    yield Table([*name_columns("upper bound"), *number_columns(*errors.names)], rows)


def known_strata(rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Group rows of strata by stratum, without those of which no file says anything."""
    by_stratum: dict[str, list[Any]] = {}
    for row in rows:
        by_stratum.setdefault(row[0], []).append(row)
    return {
        stratum: of_stratum
        for stratum, of_stratum in by_stratum.items()
        if stratum not in STRATA or {row[1] for row in of_stratum} != {NONE}
    }


def _count(number: int | None) -> str:
    return "" if number is None else str(number)


def _stratum_tables(errors: Errors) -> Iterator[Table]:
    rounding = errors.evaluation.options.rounding

    def share(value: float | None, low: float | None, high: float | None) -> str:
        return f"{figure(value, rounding)} {interval(low, high, rounding)}".rstrip()

    for stratum, rows in known_strata(errors.strata).items():
        cells = [
            [
                *(row.value, row.side, _count(row.mentions)),
                share(row.found, row.found_low, row.found_high),
                share(row.bcub, row.bcub_low, row.bcub_high),
                _count(row.links),
                share(row.right, row.right_low, row.right_high),
            ]
            for row in rows
        ]
        columns = number_columns("mentions", "found", "B³", "links", "right")
        yield Table([*name_columns(stratum, "side"), *columns], cells)


def _entity_tables(errors: Errors) -> Iterator[Table]:
    frequent = sorted(errors.entities, key=lambda entity: -entity.size)[:10]
    costly = [entity for entity in errors.entities if entity.size > 1][:MOST]
    for heading, entities in (("most frequent entity", frequent), ("costliest entity", costly)):
        rows = []
        for entity in entities:
            ratios = entity.recall, entity.precision, entity.f1
            names = entity.name, entity.document
            numbers = entity.size, f"{entity.cost:.2f}"
            rows.append(_cells(errors, (*names, *ratios, *numbers)))
        columns = number_columns("recall", "precision", "F1", "mentions", "cost")
        yield Table([*name_columns(heading, "document"), *columns], rows)


def _nec_rows(errors: Errors) -> Iterator[tuple[Any, ...]]:
    nec = errors.nec
    yield "all", nec.f1, nec.entities, nec.missed
    yield from ((kind, *numbers, None) for kind, numbers in nec.by_type.items())


def _nec_tables(errors: Errors) -> Iterator[Table]:
    nec = errors.nec
    if nec.f1 is not None:
        f1s = (nec.f1, *(f1 for f1, _ in nec.by_type.values()))
        [share] = _cells(errors, [nec.missed / nec.entities])
        row = [*_cells(errors, f1s), str(nec.entities), f"{nec.missed} ({share} %)"]
        headings = ["NEC", *(f"{kind}s" for kind in nec.by_type), "entities", "missed"]
        yield Table(number_columns(*headings), [row])


def _written(rows: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield rows with a mention, each value on one line of text."""
    for row in rows:
        values = row._replace(mention=write_mention(row.mention))
        yield tuple(", ".join(value) if isinstance(value, tuple) else value for value in values)


def _place(row: Finding | MentionDiff | Sentence) -> str:
    return f"{row.path}:{row.line}" if row.line else row.path


def _in_context(row: Finding | MentionDiff) -> str:
    return " ".join(filter(None, (row.before, f"[{row.words}]", row.after)))


def _error_tables(errors: Errors) -> Iterator[Table]:
    rows = []
    for error in errors.findings():
        more = f" (+{error.mentions - 1})" if error.mentions > 1 else ""
        clusters = error.key_cluster, error.response_cluster
        words = _in_context(error) + more
        rows.append([_place(error), error.document, error.kind, *clusters, words, error.beside])
    headings = "place", "document", "kind", "key", "response", "words", "with"
    yield Table(name_columns(*headings), rows)


SECTIONS = {
    "kinds": Section(
        (
            *("kind", "errors", "metric", "recall_cost", "precision_cost", "f1_cost"),
            *("recall", "precision", "f1"),
        ),
        _kind_rows,
        _kind_tables,
    ),
    "links": Section(
        ("side", "anaphor", "antecedent", "errors", "links"),
        lambda errors: ((*cell, *numbers) for cell, numbers in errors.links.items()),
        _link_tables,
    ),
    "bounds": Section(
        ("bound", "metric", "recall", "precision", "f1"),
        lambda errors: (
            (bound, metric, *evaluation.ratios(metric))
            for bound, evaluation in {
                "response": errors.costs.response,
                **errors.costs.bounds,
            }.items()
            for metric in errors.names
        ),
        _bound_tables,
    ),
    "strata": Section(Stratum._fields, lambda errors: errors.strata, _stratum_tables),
    "entities": Section(Entity._fields, lambda errors: errors.entities, _entity_tables),
    "nec": Section(("type", "f1", "entities", "missed"), _nec_rows, _nec_tables),
    "errors": Section(Finding._fields, lambda errors: _written(errors.findings()), _error_tables),
}
"""What there is to show of errors.

kinds: the errors of a kind; what recall, precision and F1 of a metric gain if that kind alone is
repaired; and what they are once all kinds up to it are. All ratios are fractions. bounds:
`response` is the response as it is. strata: `found`, `bcub` and `right` are shares with the ends of
their intervals. nec: over all mentions of the entities that have a name, and over those of each
type. errors: as in `scorer.analysis.kinds.Finding`.
"""

# Two responses


def _diff_kind_rows(diff: SystemDiff) -> Iterator[tuple[Any, ...]]:
    return ((kind, *counts.values()) for kind, counts in diff.by_kind.items())


def _diff_kind_tables(diff: SystemDiff) -> Iterator[Table]:
    rows = [list(map(str, row)) for row in _diff_kind_rows(diff)]
    yield Table([*name_columns("mentions in a"), *number_columns(*OUTCOMES)], rows)


def _diff_stratum_rows(diff: SystemDiff) -> Iterator[tuple[Any, ...]]:
    return ((*cell, *counts.values()) for cell, counts in sorted(diff.by_stratum.items()))


def _diff_stratum_tables(diff: SystemDiff) -> Iterator[Table]:
    for stratum, rows in known_strata(_diff_stratum_rows(diff)).items():
        cells = [list(map(str, row[1:])) for row in rows]
        columns = number_columns(*OUTCOMES, "right in both")
        yield Table([*name_columns(stratum), *columns], cells)


def _sentence_tables(diff: SystemDiff) -> Iterator[Table]:
    rows = [
        [_place(row), row.document, row.words, str(row.here), str(row.there)]
        for row in diff.sentences[:MOST]
    ]
    names = name_columns("to read first", "document", "sentence")
    yield Table([*names, *number_columns(*OUTCOMES[:2])], rows)


def _diff_tables(diff: SystemDiff) -> Iterator[Table]:
    rows = []
    for row in diff.mention_diffs():
        kinds = ", ".join(row.kinds), ", ".join(row.other_kinds)
        rows.append([_place(row), row.document, row.outcome, _in_context(row), *kinds])
    yield Table(name_columns("place", "document", "outcome", "words", "here", "there"), rows)


AGAINST = {
    "kinds": Section(("kind", "here", "there", "both"), _diff_kind_rows, _diff_kind_tables),
    "strata": Section(
        ("stratum", "value", "here", "there", "both", "right"),
        _diff_stratum_rows,
        _diff_stratum_tables,
    ),
    "sentences": Section(Sentence._fields, lambda diff: diff.sentences, _sentence_tables),
    "errors": Section(
        MentionDiff._fields, lambda diff: _written(diff.mention_diffs()), _diff_tables
    ),
}
"""The same of two responses: in how many mentions this one alone is wrong (`here`), the other one
(`there`), or both."""


# Reports


def _with_nec(sections: Iterable[str]) -> list[str]:
    """Return the sections, that of names behind the entities; ValueError for an unknown one."""
    shown: dict[str, None] = {}
    for section in sections:
        if section not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise ValueError(f"there is nothing called {section!r} to show; choose from: {known}")
        shown |= dict.fromkeys([section, "nec"] if section == "entities" else [section])
    return list(shown)


def tree(errors: Errors, sections: Iterable[str] = DEFAULT) -> dict[str, Any]:
    """Return the records of some sections, by their names."""
    return {name: list(SECTIONS[name].records(errors)) for name in _with_nec(sections)}


def to_frame(errors: Errors, rows: str) -> pd.DataFrame:
    """Return the records of a section as a data frame; ValueError for an unknown one."""
    if rows not in SECTIONS:
        raise ValueError(f"rows: {rows!r} is not one of {', '.join(SECTIONS)}")
    section = SECTIONS[rows]
    return frame_of(section.rows(errors), section.fields)


def report_of(
    errors: Errors,
    form: str = "table",
    sections: Sequence[str] = DEFAULT,
    against: SystemDiff | None = None,
) -> Report:
    """Describe what an output format shows of some sections, and of how a second response differs.

    Tables have percent with two decimals: ratios as the option `rounding` says, costs rounded. Rows
    and JSON hold fractions with all digits. ValueError for an unknown section.
    """
    layout = {"format": form, "show": "+".join(sections)}
    layout |= errors.error_options.signed(strata="strata" in sections)
    signed = signature(errors.evaluation, layout)
    parts: list[tuple[str, Section, Errors | SystemDiff]] = [
        (name, SECTIONS[name], errors) for name in _with_nec(sections)
    ]
    diffs: list[str] = []
    if against is not None:
        signed["against"] = signature(against.other_evaluation)["response"]
        # Mention by mention where errors are listed, tables and sentences otherwise.
        diffs = ["errors"] if list(sections) == ["errors"] else ["kinds", "strata", "sentences"]
        parts += [(f"against {name}", AGAINST[name], against) for name in diffs]

    def records() -> Iterator[Record]:
        for name, section, result in parts:
            yield from ({"section": name} | record for record in section.records(result))
        yield {"section": "signature", "kind": written(signed)}

    def whole() -> dict[str, Any]:
        found = tree(errors, sections)
        if against is not None:
            found["against"] = {name: list(AGAINST[name].records(against)) for name in diffs}
        return found | {"notes": errors.notes, "signature": signed}

    fields = ["section", *(field for _, section, _ in parts for field in section.fields), "kind"]
    fields = list(dict.fromkeys(fields))
    removed = [str(removed) for removed in errors.evaluation.removed]
    notes = list(notes_of(errors, sections))

    def tables() -> list[Table]:
        return [table for _, part, result in parts for table in part.tables(result)]

    def page() -> Page:
        # The tables alone; `scorer errors` writes a page with the text.
        return Page(tables=tables(), notes=[*removed, *notes], signature=noted(signed))

    return Report(
        form,
        "Errors of coreference",
        tables=tables,
        notes=[*removed, *(f"note: {note}" for note in notes)],
        page=page,
        signatures=both(signed),
        fields=fields,
        records=records,
        tree=whole,
        frame=lambda: frame_of(
            ([record.get(field) for field in fields] for record in records()), fields
        ).convert_dtypes(),
    )


_SOURCES = {
    "pos, parse": "from parts of speech and the parse",
    "pos, head": "from parts of speech and heads",
    "pos": "from parts of speech",
    "parse": "from a list of English pronouns, heads from the parse",
    "head": "from a list of English pronouns, heads from the file",
    "words": "from a list of English pronouns; no heads are known",
    NONE: "are unknown: every mention counts as a nominal",
}
"""Where types of mentions come from, by `scorer.analysis.text.Text.source`."""


def notes_of(errors: Errors, sections: Sequence[str]) -> Iterator[str]:
    """Yield what a reader has to know about the tables of these sections."""
    sources = errors.sources()
    for source, documents in sources.items():
        where = f" ({pluralize(documents, 'document')})" if len(sources) > 1 else ""
        yield f"types of mentions {_SOURCES[source]}{where}"
    for section in _with_nec(sections):
        yield from section_notes(errors, section)
    yield from errors.notes


def section_notes(errors: Errors, section: str) -> Iterator[str]:
    """Yield what a reader has to know about the tables of a section."""
    if section == "kinds":
        yield (
            "cost: F1 gained by fixing only this kind (span errors first); second table: fixed in "
            "turn"
        )
    elif section == "bounds":
        metric = errors.names[-1]
        clustering, mentions = (
            errors.costs.bounds[bound].ratios(metric).f1 for bound in (KEY_CLUSTERING, KEY_MENTIONS)
        )
        if abs(clustering - mentions) < 1e-12:
            yield f"finding mentions and clustering cost the same in {metric}"
        elif clustering > mentions:
            yield f"clustering costs more than finding mentions in {metric}"
        else:
            yield f"finding mentions costs more than clustering in {metric}"
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
        missing = [stratum for stratum in STRATA if stratum not in known_strata(errors.strata)]
        if missing:
            yield f"strata of which the files say nothing: {', '.join(missing)}"
    elif section == "nec" and errors.nec.f1 is None:
        if any(document.pair.text.knows_names for document in errors.documents):
            yield "no NEC: no entity of the key has a name"
        else:
            yield "no NEC: the files have neither parts of speech nor named entities"


def plot_kinds(errors: Errors, metric: str) -> str:
    """Plot what each kind of error that occurs costs in F1 of a metric; all kinds if none does."""
    rows = []
    for kind in [kind for kind in KINDS if errors.counts[kind]] or KINDS:
        label = f"{kind} ({errors.counts[kind]:,})"
        rows.append(Interval(label, None, errors.costs.gain(kind, metric)[2], nan, nan))
    title = f"{metric} F1 gained by fixing only one kind of error"
    return intervals(rows, title, of="kind", signed=True)


def chart(errors: Errors, metric: str) -> str:
    """Draw the costs of each kind as a picture by itself; KeyError if the metric is not shown."""
    if metric not in errors.names:
        raise KeyError(metric)
    return Plot(plot_kinds(errors, metric)).svg + "\n"
