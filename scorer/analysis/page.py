"""The page of the errors of a response, in their text, and of how a second response differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from conll.errors import pluralize
from scorer.analysis.document_errors import ERROR_KINDS, KINDS
from scorer.analysis.errors import Errors, plot_kinds, source_notes
from scorer.analysis.errors_tables import AGAINST, SECTIONS
from scorer.analysis.system_diff import BOTH, FIRST, SECOND, SystemDiff, outcomes_of
from scorer.analysis.viewer import (
    FACETS,
    OUTCOME,
    KindOnPage,
    Overview,
    PageSection,
    Viewed,
    viewer_page,
)
from scorer.evaluation.page import facts, headline, input_facts, main_of, name_of
from scorer.evaluation.report import signature
from scorer.registry import title as metric_title
from scorer.report.columns import Table, difference, figure
from scorer.report.page import Figure
from scorer.report.report import NOTE, format_signature

_HEADINGS = {
    "Costs of all kinds": ("kinds",),
    "Bounds": ("bounds",),
    "Wrong links": ("links",),
    "Entities": ("entities", "nec"),
    "Strata": ("strata",),
}
"""The sections of `scorer.analysis.errors_tables` below each heading of the page, in its order."""


def errors_page(
    errors: Errors,
    against: SystemDiff | None = None,
    *,
    sections: Sequence[str] = (),
    title: str | None = None,
) -> str:
    """Make the page of the errors of a response, and of how a second response differs.

    Args:
        errors: The errors of the response, whose text is shown.
        against: The comparison with the second response.
        sections: What is unfolded and comes first, of the sections of
            `scorer.analysis.errors_tables`.
        title: The heading of the page; it names the response if None.

    Raises:
        ModuleNotFoundError: Jinja2 is missing.
    """
    metric = main_of(errors.names)
    costs = {kind: errors.costs.gain(kind, metric)[2] for kind in KINDS}
    meaning = f"{metric_title(metric)} F1 gained by fixing only this kind, in points"
    signed = signature(
        errors.evaluation, {"format": "html", **errors.error_options.signed(strata=True)}
    )
    about = [("errors", f"{errors.counts.total():,}"), *facts(errors.evaluation)]
    response = name_of(errors.evaluation.inputs, "response") or "coreference"
    shown: list[PageSection] = []
    if against is not None:
        other = against.other_evaluation
        signed["against"] = signature(other)["response"]
        for side, file in input_facts(other.inputs):
            if side == "response":
                about.append(("against", file))
        shown += _sections_against(against)
    # Those that are asked for come first.
    ordered = sorted(_HEADINGS, key=lambda heading: not _is_open(heading, sections))
    shown += [_section(errors, heading, sections) for heading in ordered]
    overview = Overview(
        headline=_headline(errors, metric, costs),
        kinds=[_kind_on_page(errors, kind, costs[kind]) for kind in KINDS],
        cost=meaning,
        notes=[*source_notes(errors), *errors.notes, *_notes_on_texts(errors)],
        figures=[Figure(plot_kinds(errors, metric), f"Cost: {meaning}.", "Kinds of errors")],
        sections=shown,
        signature=f"signature: {format_signature(signed)}",
    )
    return viewer_page(
        _viewed(errors, against),
        title or f"Errors of {response}",
        sides=2,
        facets=FACETS if against is None else (*FACETS, OUTCOME),
        facts=about,
        overview=overview,
    )


def _viewed(errors: Errors, against: SystemDiff | None) -> Iterator[Viewed]:
    """Yield the documents of the response."""
    if against is None:
        for document in errors.documents:
            yield Viewed(document)
        return
    for document, other in against.documents:
        yield Viewed(document, outcomes=outcomes_of(document, other))


def _kind_on_page(errors: Errors, kind: str, cost: float) -> KindOnPage:
    """Return a kind of errors with its number and its cost, which is empty if there are none."""
    number = errors.counts[kind]
    return KindOnPage(
        name=kind,
        errors=number,
        cost=difference(cost) if number else "",
        pattern=ERROR_KINDS[kind].pattern,
    )


def _headline(errors: Errors, metric: str, costs: Mapping[str, float]) -> str:
    """Return the score, and the two kinds of errors that cost most of it."""
    rounding = errors.evaluation.options.rounding
    f1 = figure(errors.costs.response.ratios(metric).f1, rounding)
    result = headline(errors.evaluation.inputs, f"{metric_title(metric)} F1 {f1}")
    costly = sorted((kind for kind in KINDS if costs[kind] > 0), key=lambda kind: -costs[kind])
    if not costly:
        return result
    listed = []
    for kind in costly[:2]:
        number = pluralize(errors.counts[kind], "error")
        listed.append(f"{kind} ({number}, {difference(costs[kind])} points)")
    return f"{result} Fixing these would gain most: {' and '.join(listed)}."


def _notes_on_texts(errors: Errors) -> Iterator[str]:
    """Yield a note if the texts of key and response differ."""
    for problem in errors.problems:
        if problem.kind == "text":
            yield f"the texts of key and response differ, and the key's is shown: {problem}"
            return


def _is_open(heading: str, sections: Sequence[str]) -> bool:
    """Return whether a section below a heading is asked for."""
    return not set(sections).isdisjoint(_HEADINGS[heading])


def _section(errors: Errors, heading: str, sections: Sequence[str]) -> PageSection:
    """Return the tables below a heading, with the notes on them."""
    tables: list[Table] = []
    for section in _HEADINGS[heading]:
        tables += SECTIONS[section](errors)
    notes = [note.removeprefix(NOTE) for table in tables for note in table.notes]
    intro = ". ".join(note[0].upper() + note[1:] for note in notes)
    return PageSection(heading, seen(tables), intro, _is_open(heading, sections))


def _sections_against(against: SystemDiff) -> Iterator[PageSection]:
    """Yield the tables of how a second response differs."""
    name = name_of(against.other_evaluation.inputs, "response") or "the second response"
    outcomes = Counter(diff.outcome for diff in against.mention_diffs(0))
    changes = (
        f"{name} repairs {pluralize(outcomes[FIRST], 'mention')} and breaks "
        f"{outcomes[SECOND]:,}; {outcomes[BOTH]:,} are wrong in both. The filter “Mention’s "
        f"{OUTCOME}” selects among them."
    )
    tables = seen([*AGAINST["kinds"](against), *AGAINST["sentences"](against)])
    yield PageSection(f"Against {name}", tables, changes, is_open=True)
    tables = seen(AGAINST["strata"](against))
    yield PageSection(f"Against {name}, by stratum", tables, "", is_open=False)


def seen(tables: Iterable[Table]) -> list[Table]:
    """Return the tables that readers see."""
    return [table for table in tables if table.seen]
