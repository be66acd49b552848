"""The errors of a response: their kinds, what they cost, where they lie, and their report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

from conll.errors import Problem, pluralize
from scorer.analysis import entities, strata
from scorer.analysis.document_errors import (
    KINDS,
    DocumentErrors,
    Finding,
    precision_links,
    recall_links,
)
from scorer.analysis.entities import Entity, Nec
from scorer.analysis.errors_tables import AGAINST, SECTIONS, all_shown, data
from scorer.analysis.pair import NONE, TYPES
from scorer.analysis.strata import Stratum
from scorer.analysis.system_diff import SystemDiff
from scorer.evaluation.evaluation import Evaluation, NotCountedError
from scorer.evaluation.report import signature
from scorer.registry import title
from scorer.report.columns import Table
from scorer.report.page import Page
from scorer.report.plots import Interval, Plot, intervals
from scorer.report.report import Layout, Report
from scorer.result import Result
from scorer.signatures import checked
from scorer.statistics.resampling import check_unit

if TYPE_CHECKING:
    import pandas as pd

    from scorer.analysis.find import Costs, ErrorOptions

DEFAULT = ("kinds", "links", "bounds")
"""The sections that are shown unless others are asked for."""


def listed(names: str | Iterable[str]) -> list[str]:
    """Return a list of names, which may be a string with commas.

    Examples:
        >>> listed("kinds, links"), listed(("kinds", "links"))
        (['kinds', 'links'], ['kinds', 'links'])
    """
    if not isinstance(names, str):
        return list(names)
    stripped = [name.strip() for name in names.split(",")]
    return [name for name in stripped if name]


@dataclass(frozen=True, kw_only=True)
class ErrorsLayout(Layout):
    """The sections of errors that are shown.

    Attributes:
        show: The sections, a list or a string with commas.
        against: The comparison with a second response.
    """

    show: str | Iterable[str] = DEFAULT
    against: SystemDiff | None = None

    @property
    def sections(self) -> list[str]:
        """The names of the sections."""
        return listed(self.show)

    def signed(self, output_format: str) -> dict[str, Any]:
        return super().signed(output_format) | {"show": "+".join(self.sections)}


class Errors(Result):
    """The errors of a response, and what they cost.

    What takes time is made when it is first asked for. `str()` of it is the table.

    Attributes:
        evaluation: The response as it was scored.
        documents: The errors of each document, in key order.
        costs: What each kind of error costs.
        error_options: Which errors and strata were looked for.
        notes: What a reader has to know about the figures.

    Examples:
        >>> import scorer
        >>> errors = scorer.errors([["a", "b", "c", "d"]], [["a", "b"], ["c", "d"]], metrics="muc")
        >>> errors.counts["divided entity"]
        1
        >>> errors.costs.gain("divided entity", "muc")
        (0.33333333333333337, 0.0, 0.19999999999999996)
    """

    def __init__(
        self,
        evaluation: Evaluation,
        documents: Sequence[DocumentErrors],
        costs: Costs,
        error_options: ErrorOptions,
        notes: Sequence[str] = (),
    ) -> None:
        self.evaluation = evaluation
        self.documents = documents
        self.costs = costs
        self.error_options = error_options
        self.notes: list[str] = list(notes)
        check_unit([document.name for document in documents], error_options.resampling.unit)
        if error_options.columns:
            _check_columns(error_options.columns, documents)

    @property
    def names(self) -> list[str]:
        """The metrics and averages that are shown, in their order."""
        return self.costs.response.names

    @property
    def problems(self) -> list[Problem]:
        """Warnings about the files that do not stop the scoring."""
        return self.evaluation.problems

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of errors of each kind, 0 of one that does not occur."""
        counts: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        for document in self.documents:
            counts.update(part.kind for part in document.repair.parts)
        return counts

    def findings(self, width: int = 6) -> Iterator[Finding]:
        """Yield every error, document by document, with up to `width` words on each side."""
        for document in self.documents:
            yield from document.findings(width)

    @cached_property
    def links(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        """Wrong links and all links, by side, type of anaphor and type of antecedent."""
        options = self.error_options
        wrong: Counter[tuple[str, str, str]] = Counter()
        every: Counter[tuple[str, str, str]] = Counter()
        for document in self.documents:
            pair = document.pair
            key_links = recall_links(pair, options.antecedents)
            response_links = precision_links(
                pair, options.antecedents, options.links, document.antecedents
            )
            for link in chain(key_links, response_links):
                cell = link.side, pair.kinds[link.anaphor], pair.kinds[link.antecedent]
                every[cell] += 1
                wrong[cell] += not link.right
        cells = product(("key", "response"), TYPES, TYPES)
        return {cell: (wrong[cell], every[cell]) for cell in cells}

    @cached_property
    def strata(self) -> list[Stratum]:
        """The numbers of mentions that are found and linked, by stratum and value.

        See `scorer.analysis.strata`.
        """
        options = self.error_options
        counts = {}
        for document in self.documents:
            group = options.group_of(document.name)
            counts[document.name] = strata.tallies(
                document, options.columns, group, self.sides_with_entities
            )
        return strata.rows_of(counts, options.resampling)

    @cached_property
    def sides_with_entities(self) -> list[str]:
        """The sides whose files tell types of entities, of which alone strata have their rows."""
        return [side for side in strata.SIDES if self._tells_entities(side)]

    def _tells_entities(self, side: str) -> bool:
        return any(document.tells_entities(side) for document in self.documents)

    @cached_property
    def entities(self) -> list[Entity]:
        """The entities of the key, those that cost most first: size × (1 − F1)."""
        every = chain.from_iterable(map(entities.entities_of, self.documents))
        return sorted(every, key=lambda entity: -entity.cost)

    @cached_property
    def nec(self) -> Nec:
        """Named-entity coreference over all documents; see `scorer.analysis.entities.nec`."""
        return entities.nec(self.documents)

    def sources(self) -> Counter[str]:
        """Count the documents by where types and heads of mentions come from.

        See `scorer.analysis.pair.Text`.
        """
        return Counter(document.pair.text.source for document in self.documents)

    @checked
    def against(self, other: Errors) -> SystemDiff:
        """Compare with the errors of another response to the same key.

        Raises:
            ValueError: The keys are not the same.
        """
        return SystemDiff(self.documents, other.documents, self.error_options, other.evaluation)

    @checked
    def chart(self, metric: str = "conll") -> str:
        """Draw what each kind of error costs in the F1 of a metric, as an SVG picture.

        Raises:
            KeyError: That metric is not shown.
        """
        if metric not in self.names:
            raise NotCountedError(f"metric: {metric!r} is not one of {', '.join(self.names)}")
        return Plot(plot_kinds(self, metric)).svg + "\n"

    layout_type: ClassVar[type[Any]] = ErrorsLayout
    own_formats: ClassVar[tuple[str, ...]] = ("parquet",)
    title = "Errors of coreference"

    def tables_of(self, layout: ErrorsLayout) -> list[Table]:
        return sections_of(self, layout)

    def opening_notes(self) -> list[str]:
        notes = [str(removed) for removed in self.evaluation.removed]
        return notes + [f"note: {note}" for note in source_notes(self)]

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        if report:
            has_strata = "strata" in report["show"].split("+")
            report = report | self.error_options.signed(strata=has_strata)
        return signature(self.evaluation, report)

    def finish(self, report: Report, layout: ErrorsLayout) -> Report:
        if layout.against is not None:
            other = signature(layout.against.other_evaluation)["response"]
            report = report._replace(signature={**report.signature, "against": other})
        return super().finish(report, layout)

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        return FINISHES

    def to_dict(self, show: str | Iterable[str] = DEFAULT, **options: Any) -> dict[str, Any]:
        return super().to_dict(show=show, **options)

    def to_frame(self, section: str = "kinds", **options: Any) -> pd.DataFrame:
        return super().to_frame(section, **{"show": SECTIONS} | options)

    def __repr__(self) -> str:
        documents = pluralize(len(self.documents), "document")
        return f"<Errors of {documents}: {self.counts.total()}>"


def _check_columns(columns: Iterable[str], documents: Iterable[DocumentErrors]) -> None:
    """Raise ValueError if no file has one of these columns and attributes."""
    known: set[str] = set()
    for document in documents:
        known |= document.known()
    for name in columns:
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise ValueError(f"by: no file has a column or attribute {name!r}; they have: {names}")


def sections_of(errors: Errors, layout: ErrorsLayout) -> list[Table]:
    """List the sections that a layout asks for, and how a second response differs.

    Raises:
        ValueError: There is no such section.
    """
    tables: list[Table] = []
    for name in all_shown(layout.sections):
        tables += SECTIONS[name](errors)
    notes: list[str] = []
    if layout.against is not None:
        # Mention by mention where only errors are listed, else tables and sentences.
        names = ["errors"] if layout.sections == ["errors"] else ["kinds", "strata", "sentences"]
        for name in names:
            tables += AGAINST[name](layout.against)
        here = response_of(errors.evaluation)
        there = response_of(layout.against.other_evaluation)
        notes.append(f"here is {here}, there is {there}")
    # What is said of all figures comes last.
    tables.append(data("", (), (), notes + errors.notes))
    return tables


def response_of(evaluation: Evaluation) -> str:
    """Return the names of the files of the response."""
    return ", ".join(source.name for source in evaluation.inputs if source.side == "response")


def plot_kinds(errors: Errors, metric: str) -> str:
    """Plot the cost in F1 of a metric of each kind of error that occurs; of all if none does."""
    rows = []
    for kind in [kind for kind in KINDS if errors.counts[kind]] or KINDS:
        label = f"{kind} ({errors.counts[kind]:,})"
        rows.append(Interval(label, None, errors.costs.gain(kind, metric)[2], nan, nan))
    caption = f"{title(metric)} F1 gained by fixing only one kind of error"
    return intervals(rows, caption, noun="kind", signed=True)


def _with_page(_errors: Errors, report: Report, _layout: ErrorsLayout) -> Report:
    """Show the tables alone; `scorer errors` writes a page with the text."""
    return report._replace(page=Page(tables=report.tables, notes=report.plain_notes))


FINISHES = {"html": _with_page}
"""What puts into a report what only its format has."""


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
