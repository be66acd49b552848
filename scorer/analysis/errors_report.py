"""The report of errors, in every output format from the same columns, and the chart of costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer.analysis.document_errors import KINDS
from scorer.analysis.errors_tables import AGAINST, SECTIONS, known_strata, with_nec
from scorer.analysis.options import KEY_CLUSTERING, KEY_MENTIONS
from scorer.analysis.pair import NONE
from scorer.analysis.strata import STRATA
from scorer.registry import title
from scorer.report.columns import Table
from scorer.report.plots import Interval, Plot, intervals
from scorer.statistics.resampling import missing_package, units_of

if TYPE_CHECKING:
    from scorer.analysis.errors import Errors, ErrorsLayout
    from scorer.evaluation.evaluation import Evaluation


def sections_of(errors: Errors, layout: ErrorsLayout) -> list[Table]:
    """List the sections that a layout asks for, and how a second response differs.

    Raises:
        ValueError: There is no such section.
    """
    tables: list[Table] = []
    for name in with_nec(layout.sections):
        tables += noted(SECTIONS[name](errors), section_notes(errors, name))
    if layout.against is not None:
        # Mention by mention where only errors are listed, else tables and sentences.
        names = ["errors"] if layout.sections == ["errors"] else ["kinds", "strata", "sentences"]
        against: list[Table] = []
        for name in names:
            against += AGAINST[name](layout.against)
        here = response_of(errors.evaluation)
        there = response_of(layout.against.other_evaluation)
        tables += noted(against, [f"here is {here}, there is {there}"])
    # What is said of all figures comes last.
    tables.append(Table((), (), notes=[f"note: {note}" for note in errors.notes]))
    return tables


def response_of(evaluation: Evaluation) -> str:
    """Return the names of the files of the response."""
    return ", ".join(source.name for source in evaluation.inputs if source.side == "response")


def noted(tables: Iterable[Table], notes: Iterable[str]) -> list[Table]:
    """Put notes on the first of some tables."""
    first, *others = tables
    return [replace(first, notes=[f"note: {note}" for note in notes]), *others]


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


_SOURCES = {
    "pos, parse": "from parts of speech and the parse",
    "pos, head": "from parts of speech and heads",
    "pos": "from parts of speech",
    "parse": "from a list of English pronouns, heads from the parse",
    "head": "from a list of English pronouns, heads from the file",
    "words": "from a list of English pronouns; no heads are known",
    NONE: "are unknown: every mention counts as a nominal",
}
"""Where types of mentions come from, by `scorer.analysis.pair.Text.source`."""


def source_notes(errors: Errors) -> Iterator[str]:
    """Yield where types of mentions come from."""
    sources = errors.sources()
    for source, documents in sources.items():
        where = f" ({pluralize(documents, 'document')})" if len(sources) > 1 else ""
        yield f"types of mentions {_SOURCES[source]}{where}"


def section_notes(errors: Errors, section: str) -> Iterator[str]:
    """Yield the notes on the tables of a section."""
    if section in _NOTES:
        yield from _NOTES[section](errors)


def _kind_notes(_: Errors) -> Iterator[str]:
    yield (
        "cost: F1 gained by fixing only this kind (span errors first); second table: fixed in turn"
    )


def _bound_notes(errors: Errors) -> Iterator[str]:
    metric = errors.names[-1]
    clustering = errors.costs.bounds[KEY_CLUSTERING].ratios(metric).f1
    mentions = errors.costs.bounds[KEY_MENTIONS].ratios(metric).f1
    if abs(clustering - mentions) < 1e-12:
        yield f"finding mentions and clustering cost the same in {metric}"
    elif clustering > mentions:
        yield f"clustering costs more than finding mentions in {metric}"
    else:
        yield f"finding mentions costs more than clustering in {metric}"


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


def _nec_notes(errors: Errors) -> Iterator[str]:
    if errors.nec.f1 is not None:
        return
    if any(document.pair.text.knows_names for document in errors.documents):
        yield "no NEC: no entity of the key has a name"
    else:
        yield "no NEC: the files have neither parts of speech nor named entities"


_NOTES: dict[str, Callable[[Errors], Iterator[str]]] = {
    "kinds": _kind_notes,
    "bounds": _bound_notes,
    "strata": _stratum_notes,
    "nec": _nec_notes,
}
