"""Why a score is what it is: the errors of a response, what they cost, and where they lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.errors import Problem, pluralize
from scorer.analysis import pair, strata
from scorer.analysis.kinds import KINDS, Costs, DocumentErrors, Finding
from scorer.analysis.strata import Entity, Nec, Stratum
from scorer.analysis.text import TYPES, as_written, ends
from scorer.evaluation.evaluation import Evaluation, group_of
from scorer.options import compiled
from scorer.result import Result
from scorer.statistics.resampling import Resampling, check_unit

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ErrorOptions:
    """How errors are looked at; ValueError for a value that is not allowed.

    `antecedents`: closest or accessible, and `links`: auto, tree or output, as in
    `scorer.analysis.pair`. `by`: columns and attributes of mentions that are strata too. `groups`:
    a regular expression that puts documents into groups, as in `Evaluation.by`, which are a stratum
    then. `resampling`: where the intervals of strata come from; its `method` and `alternative` are
    for comparisons.
    """

    antecedents: str = "closest"
    links: str = "auto"
    by: tuple[str, ...] = ()
    groups: str | None = None
    resampling: Resampling = field(default_factory=lambda: Resampling("bootstrap"))

    def __post_init__(self) -> None:
        for name, allowed in (("antecedents", pair.ANTECEDENTS), ("links", pair.PRECISION)):
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"{name}: {getattr(self, name)!r} is not one of {', '.join(allowed)}"
                )
        if self.groups is not None:
            compiled(self.groups)

    def signed(self, *, strata: bool) -> dict[str, Any]:
        """Return the fields of a signature; what concerns strata alone only where they are shown."""
        fields: dict[str, Any] = {"antecedents": self.antecedents, "links": self.links}
        if strata:
            fields |= {"by": "+".join(self.by)} if self.by else {}
            fields |= {} if self.groups is None else {"groups": self.groups}
            for name in ("trials", "seed", "confidence", "interval", "unit"):
                fields[name] = getattr(self.resampling, name)
        return fields


DEFAULT = ("kinds", "links", "bounds")
"""The sections that are shown unless others are asked for."""


def listed(names: str | Iterable[str]) -> list[str]:
    """Return a list of names, which may be a string with commas.

    >>> listed("kinds, links"), listed(("kinds", "links"))
    (['kinds', 'links'], ['kinds', 'links'])
    """
    return (
        list(filter(None, map(str.strip, names.split(",")))) if isinstance(names, str) else [*names]
    )


class Errors(Result):
    """The errors of a response: `documents` in key order, and what they cost (`costs`).

    `evaluation` is the response as it was scored, with all that is odd about the files in its
    `problems`; `notes` say what a reader has to know about the figures. What takes time is made
    when it is first asked for. `str()` of it is the table.

    >>> import scorer
    >>> errors = scorer.errors([["a", "b", "c", "d"]], [["a", "b"], ["c", "d"]], metrics="muc")
    >>> errors.counts["divided entity"]
    1
    >>> errors.costs.gain("divided entity", "muc")
    (0.33333333333333337, 0.0, 0.19999999999999996)
    """

    shown_by = "scorer.analysis.errors_report"

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
        self.notes = list(notes)
        check_unit([document.name for document in documents], error_options.resampling.unit)
        if error_options.by:
            known = set().union(*(document.known() for document in documents))
            unknown = next((name for name in error_options.by if name not in known), None)
            if unknown is not None:
                raise ValueError(
                    f"by: no file has a column or attribute {unknown!r}; they have: "
                    f"{', '.join(sorted(known)) or 'none'}"
                )

    @property
    def names(self) -> list[str]:
        """The metrics and averages that are shown, in their order."""
        return self.costs.response.names

    @property
    def problems(self) -> list[Problem]:
        """What is odd about the files, but does not stop the scoring."""
        return self.evaluation.problems

    @cached_property
    def counts(self) -> Counter[str]:
        """How many errors there are of each kind, 0 of one that does not occur."""
        counts: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        for document in self.documents:
            counts.update(part.kind for part in document.repair.parts)
        return counts

    def findings(self, width: int = 6) -> Iterator[Finding]:
        """Every error with so many words around it, document by document."""
        for document in self.documents:
            yield from document.findings(width)

    @cached_property
    def links(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        """Count wrong links and all links, by side, type of anaphor and type of antecedent."""
        counts: Counter[tuple[str, str, str, bool]] = Counter()
        antecedents, links = self.error_options.antecedents, self.error_options.links
        for document in self.documents:
            kinds = document.pair.kinds
            of_key = pair.of_recall(document.pair, antecedents)
            told = document.antecedents
            of_response = pair.of_precision(document.pair, antecedents, links, told)
            for side, anaphor, antecedent, right in chain(of_key, of_response):
                counts[side, kinds[anaphor], kinds[antecedent], right] += 1
        return {
            cell: (counts[*cell, False], counts[*cell, False] + counts[*cell, True])
            for cell in product(("key", "response"), TYPES, TYPES)
        }

    @cached_property
    def strata(self) -> list[Stratum]:
        """How well mentions are found and linked, by stratum and value.

        See `scorer.analysis.strata`.
        """
        counts = {
            document.name: strata.tallies(
                document, self.error_options.by, self.group_of(document.name)
            )
            for document in self.documents
        }
        return strata.rows_of(counts, self.error_options.resampling)

    def group_of(self, name: str) -> str | None:
        """The group of the document of that name.

        Empty where the expression is not found in it, None without an expression.
        """
        if self.error_options.groups is None:
            return None
        return group_of(compiled(self.error_options.groups).search(name))

    @cached_property
    def entities(self) -> list[Entity]:
        """List the entities of the key, those that cost most first: size × (1 − F1)."""
        every = [entity for document in self.documents for entity in strata.entities_of(document)]
        return sorted(every, key=lambda entity: -entity.cost)

    @cached_property
    def nec(self) -> Nec:
        """Named-entity coreference over all documents; see `scorer.analysis.strata.nec`."""
        return strata.nec(self.documents)

    def sources(self) -> Counter[str]:
        """In how many documents types and heads of mentions come from where.

        See `scorer.analysis.text.Text`.
        """
        return Counter(document.pair.text.source for document in self.documents)

    def against(self, other: Errors) -> SystemDiff:
        """What this response gets right that another one does not, and the reverse.

        ValueError unless the keys are the same.
        """
        return SystemDiff(self, other)

    def chart(self, metric: str = "conll") -> str:
        """What each kind of error costs in the F1 of a metric, as an SVG picture.

        KeyError when that metric is not shown.
        """
        picture: str = self._show.chart(self, metric)
        return picture

    def to_frame(self, rows: str = "kinds") -> pd.DataFrame:
        """Return one of the sections of `to_dict` as a tidy pandas frame.

        `rows`: "kinds" with their costs, "links", "bounds", "strata", "entities", "nec", or
        "errors" one by one; ValueError for others.
        """
        frame: pd.DataFrame = self._show.to_frame(self, rows)
        return frame

    def to_dict(self, sections: str | Iterable[str] = DEFAULT) -> dict[str, Any]:
        """Return the records of some sections by their names, those of "nec" with "entities"."""
        return dict(self._show.tree(self, listed(sections)))

    def text(self, form: str = "table", *, show: str | Iterable[str] = DEFAULT) -> str:
        """What `show` names in one of the forms of `scorer.report.forms`, html being tables.

        ValueError if there is none.
        """
        return self._text(form, sections=listed(show))

    def __repr__(self) -> str:
        return (
            f"<Errors of {pluralize(len(self.documents), 'document')}: {sum(self.counts.values())}>"
        )


FIRST, SECOND, BOTH = OUTCOMES = ("wrong here only", "wrong there only", "wrong in both")
"""What can be said of a mention that is in an error: of this response, of the other one, or of
each."""


class MentionDiff(NamedTuple):
    """A mention that is in an error of one response at least.

    `kinds` here and `other_kinds` there, both in the order of `KINDS`, empty where it is in none;
    `outcome`, one of `OUTCOMES`. `sentence` counts from 0; `path` and `line` are those of the key,
    or of the first response that has a mention which the key lacks.
    """

    document: str
    sentence: int
    path: str
    line: int
    mention: Any
    outcome: str
    kinds: tuple[str, ...]
    other_kinds: tuple[str, ...]
    before: str
    words: str
    after: str


class Sentence(NamedTuple):
    """A sentence in which one response is right where the other is wrong.

    `here` and `there`: in how many mentions this response alone is wrong, and the other one alone;
    `line` is that of the first of these.
    """

    document: str
    sentence: int
    path: str
    line: int
    here: int
    there: int
    words: str


class SystemDiff:
    """The errors of two responses, mention by mention.

    A mention is wrong in a response if it is in an error there: a key mention in any kind, another
    one if that response has it.
    """

    def __init__(self, first: Errors, second: Errors) -> None:
        names = [[document.name for document in errors.documents] for errors in (first, second)]
        if names[0] != names[1]:
            raise ValueError(
                "against: the two responses were scored on other documents; take the same "
                "key and options for both"
            )
        self.first, self.second = first, second
        self.documents = list(zip(first.documents, second.documents))

    def mention_diffs(self, width: int = 6) -> Iterator[MentionDiff]:
        """Yield the mentions that are in an error of one response at least, in the order of the text.

        `width`: how many words stand around each.
        """
        for document, other in self.documents:
            # Mentions that are no words of the text may share a place: those of the first response
            # precede.
            places = {
                mention: (*ends(mention), at)
                for pair in (other.pair, document.pair)
                for at, mention in enumerate(pair.mentions)
            }
            outcomes = outcomes_of(document, other)
            first_mentions = set(document.pair.mentions)
            for mention in sorted(outcomes, key=places.__getitem__):
                source = document if mention in first_mentions else other
                path, line = source.place(mention)
                text = source.pair.text
                before, after = text.context(mention, width)
                kinds, other_kinds = (
                    tuple(kind for kind in KINDS if kind in side.wrong.get(mention, ()))
                    for side in (document, other)
                )
                yield MentionDiff(
                    document.name,
                    text.sentence(ends(mention)[0]),
                    path,
                    line,
                    as_written(mention),
                    outcomes[mention],
                    kinds,
                    other_kinds,
                    before,
                    text.said(mention),
                    after,
                )

    @cached_property
    def by_kind(self) -> dict[str, Counter[str]]:
        """Count, for each kind, the mentions in such an error here only, there only, or in both."""
        counts = {kind: Counter(dict.fromkeys(OUTCOMES, 0)) for kind in KINDS}
        for document, other in self.documents:
            for mention in document.wrong | other.wrong:
                kinds = document.wrong.get(mention, set())
                other_kinds = other.wrong.get(mention, set())
                for kind in kinds | other_kinds:
                    outcome = _outcome(here=kind in kinds, there=kind in other_kinds)
                    counts[kind][outcome] += 1
        return counts

    @cached_property
    def by_stratum(self) -> dict[tuple[str, str], Counter[str]]:
        """Count, for each stratum and value, the key mentions of each outcome, or `right` in both."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        by = self.first.error_options.by
        for document, other in self.documents:
            group = self.first.group_of(document.name)
            outcomes = outcomes_of(document, other)
            for number, _, _, values in strata.described(document, "key", by, group):
                outcome = outcomes.get(document.pair.mentions[number], "right")
                for cell in values.items():
                    empty = Counter(dict.fromkeys((*OUTCOMES, "right"), 0))
                    counts.setdefault(cell, empty)[outcome] += 1
        return counts

    @cached_property
    def sentences(self) -> list[Sentence]:
        """List the sentences, first those with most mentions that one response alone gets wrong."""
        texts = {document.name: document.pair.text for document in self.first.documents}
        by_sentence: dict[tuple[str, int], list[MentionDiff]] = {}
        for diff in self.mention_diffs(0):
            if diff.outcome != BOTH:
                by_sentence.setdefault((diff.document, diff.sentence), []).append(diff)
        rows = []
        for (document, number), diffs in by_sentence.items():
            here = sum(diff.outcome == FIRST for diff in diffs)
            words = texts[document].of_sentence(number)
            rows.append(Sentence(*diffs[0][:4], here, len(diffs) - here, words))
        return sorted(rows, key=lambda row: -(row.here + row.there))


def outcomes_of(document: DocumentErrors, other: DocumentErrors) -> dict[Any, str]:
    """Say of each mention in an error of either response in which of the two it is."""
    return {
        mention: _outcome(here=mention in document.wrong, there=mention in other.wrong)
        for mention in document.wrong | other.wrong
    }


def _outcome(*, here: bool, there: bool) -> str:
    """Say which of two responses are wrong: the one here, the one there, or both."""
    if here and there:
        return BOTH
    if here:
        return FIRST
    return SECOND if there else ""
