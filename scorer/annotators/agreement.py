"""The function `scorer.agreement`: score each pair of annotators, and compute α of all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, combinations
from math import fsum
from typing import TYPE_CHECKING, Any

from conll.check import share_a_name
from conll.errors import ConllError, Problem, distinct
from conll.source import RenamedSource, place_of
from scorer.annotators.report import AGREEMENT_METRICS, notes_of, sections_of
from scorer.engine.corpus import Corpus, chosen_documents, score_document
from scorer.engine.score import WholeCorpus, differences
from scorer.evaluation.averages import Input, input_of
from scorer.evaluation.defined import mean_where_defined
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.report import combined
from scorer.events import Events, LibraryEvents
from scorer.inputs.sources import named_alike, named_documents, source_of
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options, compiled
from scorer.registry import AVERAGES, make_scheme
from scorer.report.report import Layout
from scorer.result import Result
from scorer.signatures import checked
from scorer.version import __version__

if TYPE_CHECKING:
    from conll.document import Document
    from conll.source import Source
    from scorer.report.columns import Table


@dataclass(frozen=True)
class AgreementSettings:
    """Settings of `scorer.agreement`.

    Attributes:
        distance: The distance of two values for α: masi or passonneau.
        documents: A regular expression that is found in the name of each document to compare.
        document_names: As in `scorer.Options`.

    Raises:
        ValueError: There is no such distance.
    """

    distance: str = "masi"
    documents: str | None = None
    document_names: DocumentNames = "auto"

    def __post_init__(self) -> None:
        if self.distance not in DISTANCES:
            raise ValueError(f"distance: {self.distance!r} is not one of {', '.join(DISTANCES)}")

    @property
    def options(self) -> Options:
        """The options of scoring.

        A repeated mention counts once in each of its clusters, whatever their order.
        """
        return Options(
            documents=self.documents, document_names=self.document_names, duplicates="corefud"
        )


@dataclass(frozen=True, kw_only=True)
class AgreementLayout(Layout):
    """The parts of an agreement that are shown.

    Attributes:
        per_document: Whether each document is shown as well.
    """

    per_document: bool = False


@dataclass(repr=False)
class Agreement(Result):
    """The agreement of annotators; `str()` of it is the table.

    Attributes:
        settings: What was compared.
        annotators: The names of the annotators.
        pairs: The evaluation of each pair, whose key is the first annotator, over the documents
            that both have.
        units: The mentions that at least one annotator marked, by document.
        texts: The words of each document, if they are known.
        problems: Warnings about the files.
        inputs: The files that were compared, by annotator.
    """

    settings: AgreementSettings
    annotators: Sequence[str]
    pairs: dict[tuple[str, str], Evaluation]
    units: dict[str, list[Unit]]
    texts: dict[str, Sequence[str] | None]
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    def alpha(self, document: str | None = None, pair: tuple[str, str] | None = None) -> Alpha:
        """Compute Krippendorff's α.

        Args:
            document: The document whose mentions are the units; None for all documents.
            pair: Two annotators; None for all annotators.
        """
        documents = self.units.values() if document is None else [self.units[document]]
        units: Sequence[Unit] = list(chain.from_iterable(documents))
        if pair is not None:
            units = units_of_two(units, *map(self.annotators.index, pair))
        return alpha_of(units, self.distance)

    @cached_property
    def distance(self) -> Distance:
        """The distance of two values.

        It is remembered: the mentions of a cluster share their value, and a comparison takes as
        long as a value has mentions.
        """
        return lru_cache(maxsize=1 << 16)(DISTANCES[self.settings.distance])

    def f1(
        self,
        metric: str,
        pair: tuple[str, str] | None = None,
        document: DocumentScore | None = None,
    ) -> float | None:
        """Return the F1 of a pair over its documents or in one; None for the mean of all pairs.

        It is None where it is not defined, see `f1_of`. Such pairs are left out of the mean.
        """
        if pair is not None:
            return f1_of(self.pairs[pair], metric, document)
        return _mean(self.f1(metric, each) for each in self.pairs)

    def f1s(
        self, pair: tuple[str, str] | None = None, document: DocumentScore | None = None
    ) -> dict[str, float | None]:
        """Return the F1 of each metric, as `f1` does."""
        return {metric: self.f1(metric, pair, document) for metric in AGREEMENT_METRICS}

    layout_type = AgreementLayout
    title = "Agreement"

    def tables_of(self, layout: AgreementLayout) -> list[Table]:
        return sections_of(self, layout)

    def opening_notes(self) -> list[str]:
        return notes_of(self)

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        fields: dict[str, Any] = {
            "scorer": f"conll-scorer {__version__}",
            "agreement": self.settings.distance,
            "filter": self.settings.documents,
            "documents": len(self.units),
        }
        for number, file in enumerate(self.inputs, start=1):
            fields[f"annotator{number}"] = combined([file])
        if report:
            fields["report"] = report
        return fields

    def __repr__(self) -> str:
        return f"<Agreement of {', '.join(self.annotators)}>"


def f1_of(
    evaluation: Evaluation, metric: str, document: DocumentScore | None = None
) -> float | None:
    """Return the F1 of a metric over all documents, or in one; None where it is 0/0.

    So is that of MUC if neither annotator has a link. An average is that of the metrics which are
    defined, so equal annotators never have less than 1.
    """
    if metric in AVERAGES:
        return _mean(f1_of(evaluation, each, document) for each in AVERAGES[metric].of)
    counts = evaluation.totals if document is None else document.counts
    return mean_where_defined(evaluation.metrics, metric, [counts]).f1


def _mean(figures: Iterable[float | None]) -> float | None:
    defined = [figure for figure in figures if figure is not None]
    if not defined:
        return None
    # Exact, so that the order of the annotators makes no difference.
    return fsum(defined) / len(defined)


@checked
def agreement(
    annotators: Mapping[str, Documents] | Iterable[Documents],
    *,
    distance: str = "masi",
    documents: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
) -> Agreement:
    """Compute the agreement of two annotators or more.

    Args:
        annotators: What `scorer.score` takes as a key, by the name of each annotator; or a list of
            it, whose files name the annotators.
        distance: The distance of two sets of mentions for Krippendorff's α: masi or passonneau.
        documents: Compare only documents in whose name this regular expression is found.
        document_names: As in `scorer.Options`.
        strict: Treat warnings as errors.
        key_format: The format of all files; it is recognised if not given.

    Raises:
        ValueError: There are fewer than two annotators, or there is no such distance.
        ConllError: A file cannot be read, or the annotators have no document in common.

    Examples:
        >>> import scorer
        >>> ada, bob = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
        >>> result = scorer.agreement({"Ada": ada, "Bob": bob})
        >>> round(result.alpha().value, 5), round(result.f1("muc"), 4)
        (0.08584, 0.6667)
    """
    settings = AgreementSettings(distance, documents, document_names)
    inputs = named_documents(annotators, "annotators", "annotator")
    return compare_annotators(inputs, settings, LibraryEvents(strict=strict), key_format)


def compare_annotators(
    annotators: Mapping[str, Documents],
    settings: AgreementSettings,
    events: Events,
    key_format: str | None = None,
) -> Agreement:
    """Compute the agreement of annotators.

    Args:
        annotators: What each annotator made, by name.
        settings: What to compare.
        events: Receives warnings and progress.
        key_format: The format of all files; it is recognised if None.
    """
    if len(annotators) < 2:
        raise ValueError("agreement needs two annotators or more")
    sources = _open(annotators, settings, key_format)
    readers = {name: _OnceReadSource(source) for name, source in sources.items()}
    holders = _holders(sources, settings)
    scheme = make_scheme(AGREEMENT_METRICS, settings.options)
    result = Agreement(settings, list(annotators), pairs={}, units={}, texts={})
    corpora: dict[tuple[str, str], WholeCorpus] = {}
    for pair in combinations(annotators, 2):
        result.pairs[pair] = Evaluation(scheme)
        first, second = readers[pair[0]], readers[pair[1]]
        if share_a_name(first, second):
            corpora[pair] = WholeCorpus(first, second, settings.options)
    for name, those_who_have_it in events.watch(holders.items()):
        if len(those_who_have_it) < 2:
            result.problems.append(_annotated_once(sources, name, those_who_have_it[0]))
            continue
        # Each annotation of a document is read once, before the next document is.
        for pair in combinations(those_who_have_it, 2):
            score, problems = score_document(corpora[pair], name, scheme)
            result.pairs[pair].add(score)
            result.problems += problems
        documents = [reader.read(name) for reader in readers.values()]
        clusters = [None if document is None else document.clusters for document in documents]
        result.units[name] = units_of(name, clusters)
        result.texts[name] = next(document.text() for document in documents if document)
    for pair, corpus in corpora.items():
        scored = [document.name for document in result.pairs[pair].documents]
        result.problems += differences(corpus, scored)
    for annotator, source in sources.items():
        result.inputs.append(input_of(annotator, source))
    result.problems = distinct(result.problems)
    events.warn(result.problems)
    return result


class _OnceReadSource(RenamedSource):
    """A source that keeps the document that was read last, as each pair of annotators asks for it.

    It was opened as a response already, and aligned where that was needed.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source, {name: name for name in source.names()})
        self.loose = False
        self._last: Document | None = None

    def read(self, name: str) -> Document | None:
        if self._last is None or self._last.name != name:
            self._last = super().read(name)
        return self._last

    def as_response(self) -> Source:
        return self


def _open(
    annotators: Mapping[str, Documents], settings: AgreementSettings, key_format: str | None
) -> dict[str, Source]:
    """Open what each annotator made.

    Whoever shares no document with those who are open gives documents the names that the first
    annotator gives them.
    """
    names = list(annotators)
    first, *others = annotators.values()
    named: list[Documents] = []
    for name, other in zip(names[1:], others):
        sides = f"annotation of {names[0]}", f"annotation of {name}"
        first, other_named = named_alike(first, other, sides)
        named.append(other_named)
    key = source_of(first, "key", key_format)
    opened = {names[0]: key}
    waiting: dict[str, Source] = {}
    for name, documents in zip(names[1:], named):
        waiting[name] = source_of(documents, "response", key_format, key=key)
    for source in (key, *waiting.values()):
        if source.format == "iob":
            advice = "compare names with `scorer spans --of names`"
            raise ValueError(f"{source.path} has names and no mentions; {advice}")
    while waiting:
        name, partner = _next_to_join(opened, waiting)
        opened[name] = WholeCorpus(partner, waiting.pop(name), settings.options).response
    return {name: opened[name] for name in names}


def _next_to_join(
    opened: Mapping[str, Source], waiting: Mapping[str, Source]
) -> tuple[str, Source]:
    """Choose an annotator who shares a document with one whose documents are open, and that one."""
    for name, source in waiting.items():
        for partner in opened.values():
            if share_a_name(partner, source):
                return name, partner
    return next(iter(waiting)), next(iter(opened.values()))


def _holders(sources: Mapping[str, Source], settings: AgreementSettings) -> dict[str, list[str]]:
    """List the annotators who have each document that the settings choose.

    Raises:
        ConllError: No document is in the files of two annotators.
        ValueError: No document has a name in which the pattern is found.
    """
    search = compiled(settings.documents or "").search
    holders: dict[str, list[str]] = {}
    for annotator, source in sources.items():
        for name in filter(search, source.names()):
            holders.setdefault(name, []).append(annotator)
    first = next(iter(sources.values()))
    if not holders:
        # It says that none matches, and which name it may be.
        chosen_documents(Corpus(first, first), settings.documents)
    if all(len(annotators) < 2 for annotators in holders.values()):
        problem = "no document is in the files of two annotators"
        raise ConllError(first.path, 0, f"{problem}; scorer check lists the documents of files")
    return holders


def _annotated_once(sources: Mapping[str, Source], name: str, annotator: str) -> Problem:
    place = place_of(sources[annotator], name)
    text = f"only {annotator} annotated the document"
    return Problem(place.path, place.line, name, text, "it is not counted", kind="missing")


Value = frozenset[Hashable]
"""The mentions of a cluster; the empty set for a mention that is not marked."""

Distance = Callable[[Value, Value], float]


def masi(first: Value, second: Value) -> float:
    """Return 1 − J·M: J is the Jaccard index, M says how the two sets overlap.

    M is 1 for equal sets, ⅔ if one lies inside the other, ⅓ if they overlap otherwise, and 0 if
    they have nothing in common.

    Examples:
        >>> round(masi(frozenset("abc"), frozenset("ab")), 4)
        0.5556
    """
    if first == second:
        return 0.0
    common = len(first & second)
    jaccard = common / (len(first) + len(second) - common)
    return 1 - jaccard * (1 - passonneau(first, second))


def passonneau(first: Value, second: Value) -> float:
    """Return 0 for equal sets, ⅓ if one lies inside the other, ⅔ if they overlap, and else 1."""
    if first == second:
        return 0.0
    common = len(first & second)
    if not common:
        return 1.0
    if common == min(len(first), len(second)):
        return 1 / 3
    return 2 / 3


DISTANCES: Mapping[str, Distance] = {"masi": masi, "passonneau": passonneau}
"""The distances of two values, by name."""


@dataclass(frozen=True)
class Unit:
    """A mention that at least one annotator marked.

    Attributes:
        document: The name of its document.
        mention: The mention.
        values: The value that each annotator gives to it; None if the annotator does not have the
            document.
    """

    document: str
    mention: Hashable
    values: tuple[Value | None, ...]

    @property
    def given(self) -> list[Value]:
        """The values of the annotators who have the document."""
        return [value for value in self.values if value is not None]

    def disagreement(self, distance: Distance) -> float:
        """Return the mean distance of the values of each two annotators."""
        distances = [distance(first, second) for first, second in combinations(self.given, 2)]
        return fsum(distances) / len(distances)


def units_of(
    document: str, annotations: Sequence[Sequence[Sequence[Hashable]] | None]
) -> list[Unit]:
    """List the units of a document, given the clusters of each annotator.

    The value of a mention that an annotator has in several clusters is their union, so the order of
    clusters makes no difference. The annotation of who does not have the document is None.
    """
    values_by_annotator: list[dict[Hashable, Value] | None] = []
    # Each mention once, in the order in which the annotators have them.
    mentions: dict[Hashable, None] = {}
    for clusters in annotations:
        if clusters is None:
            values_by_annotator.append(None)
            continue
        values: dict[Hashable, Value] = {}
        for cluster in clusters:
            value = frozenset(cluster)
            for mention in value:
                values[mention] = values[mention] | value if mention in values else value
            mentions |= dict.fromkeys(cluster)
        values_by_annotator.append(values)
    units: list[Unit] = []
    for mention in mentions:
        given = tuple(
            None if values is None else values.get(mention, frozenset())
            for values in values_by_annotator
        )
        units.append(Unit(document, mention, given))
    return units


def units_of_two(units: Iterable[Unit], first: int, second: int) -> list[Unit]:
    """List the units of two annotators, by their numbers from 0: what one of the two marked."""
    of_two: list[Unit] = []
    for unit in units:
        values = unit.values[first], unit.values[second]
        # Others may have marked the mention alone.
        if None not in values and any(values):
            of_two.append(Unit(unit.document, unit.mention, values))
    return of_two


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α.

    Attributes:
        observed: The observed disagreement D_o; None without any mention.
        expected: The expected disagreement D_e; None likewise.
        mentions: The number of units.
    """

    observed: float | None
    expected: float | None
    mentions: int

    @property
    def value(self) -> float | None:
        """The value of α; None where the expected disagreement is 0, as all values are equal."""
        if self.observed is None or not self.expected:
            return None
        return 1 - self.observed / self.expected


def alpha_of(units: Sequence[Unit], distance: Distance) -> Alpha:
    """Compute α over units, which may be of several documents.

    Each unit has values of two annotators or more.
    """
    if not units:
        return Alpha(None, None, 0)
    numbers = [len(unit.given) for unit in units]
    distances = [number * unit.disagreement(distance) for number, unit in zip(numbers, units)]
    observed = fsum(distances) / sum(numbers)
    return Alpha(observed, _expected(units, distance), len(units))


def _expected(units: Sequence[Unit], distance: Distance) -> float:
    """Return the mean distance of each two values of all units.

    Sets of different documents, or without a common mention, are at distance 1. So it is enough to
    compare sets with a common mention, and to count equal ones.
    """
    counts: Counter[tuple[str, Value]] = Counter()
    for unit in units:
        for value in unit.given:
            # An empty set is the same in all documents.
            counts[unit.document if value else "", value] += 1
    holders: defaultdict[tuple[str, Hashable], list[Value]] = defaultdict(list)
    for document, value in counts:
        for mention in value:
            holders[document, mention].append(value)
    values = counts.total()
    equal_pairs = sum(count * (count - 1) for count in counts.values())
    similarities: list[float] = []
    for (document, value), count in counts.items():
        neighbours: set[Value] = set()
        for mention in value:
            neighbours.update(holders[document, mention])
        neighbours.discard(value)
        for other in neighbours:
            pairs = count * counts[document, other]
            similarities.append(pairs * (1 - distance(value, other)))
    return 1 - (equal_pairs + fsum(similarities)) / (values * (values - 1))
