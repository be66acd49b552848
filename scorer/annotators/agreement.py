"""The function `scorer.agreement`: score each pair of annotators, and compute α of all.

And the report of that, in every output format.
"""

from __future__ import annotations  # `checked` reads what is written

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, combinations, permutations
from math import fsum
from operator import attrgetter
from typing import Any, ClassVar

from conll.check import share_a_name
from conll.errors import Problem, did_you_mean, distinct, pluralize, shown
from conll.syntax import is_span
from scorer.annotators.alpha import (
    ALPHA,
    DISTANCES,
    DOCUMENT,
    DOCUMENTS,
    FIRST,
    MASI,
    SECOND,
    Alpha,
    Distance,
    Unit,
    Value,
    alpha_of,
    figures_of,
    headline_of,
    mean,
    units_of,
    units_of_two,
)
from scorer.annotators.annotations import AgreementLayout, AgreementSettings, Annotations
from scorer.annotators.names import NameAgreement, compare_names
from scorer.engine.corpus import score_document
from scorer.engine.score import WholeCorpus, differences
from scorer.evaluation.averages import Input
from scorer.evaluation.evaluation import DocumentScore, Evaluation, mean_where_defined
from scorer.events import Events, LibraryEvents
from scorer.inputs.sources import named_documents
from scorer.keywords import DocumentNames, Documents
from scorer.registry import AVERAGES, make_scheme, title
from scorer.report.columns import Cell, Column, Table
from scorer.report.report import Report
from scorer.result import Result
from scorer.signatures import checked

AGREEMENT_METRICS = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")
"""The metrics of pairs. Their F1 does not depend on which annotator is the key."""

MOST = 10
"""The documents, and the entities, that are listed at most."""

FORMULAS = {
    "masi": "1 - J*M, Jaccard times 1 (equal), 2/3 (one inside the other), 1/3 (overlap) or 0",
    "passonneau": "0 (equal), 1/3 (one inside the other), 2/3 (overlap) or 1",
}
"""The distances, for readers."""


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
        _check_known("document", document, [None, *self.units])
        _check_known("pair", pair, [None, *permutations(self.annotators, 2)])
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
        return lru_cache(maxsize=1 << 16)(DISTANCES[self.settings.distance or MASI])

    def f1(
        self,
        metric: str,
        pair: tuple[str, str] | None = None,
        document: DocumentScore | None = None,
    ) -> float | None:
        """Return the F1 of a pair over its documents or in one; None for the mean of all pairs.

        It is None where it is not defined, see `f1_of`. Such pairs are left out of the mean.
        """
        _check_known("metric", metric, AGREEMENT_METRICS)
        _check_known("pair", pair, [None, *self.pairs])
        if pair is not None:
            return f1_of(self.pairs[pair], metric, document)
        return mean(self.f1(metric, each) for each in self.pairs)

    def f1s(
        self, pair: tuple[str, str] | None = None, document: DocumentScore | None = None
    ) -> dict[str, float | None]:
        """Return the F1 of each metric, as `f1` does."""
        return {metric: self.f1(metric, pair, document) for metric in AGREEMENT_METRICS}

    layout_type: ClassVar[type[Any]] = AgreementLayout
    title = "Agreement"

    def tables_of(self, layout: AgreementLayout) -> list[Table]:
        return sections_of(self, layout)

    def finish(self, report: Report, layout: AgreementLayout) -> Report:
        return super().finish(report._replace(headline=headline_of(report.sections)), layout)

    def opening_notes(self) -> list[str]:
        return notes_of(self)

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        return self.settings.signature(self.units, self.inputs, report)

    def __repr__(self) -> str:
        return f"<Agreement of {', '.join(self.annotators)}>"


def _check_known(argument: str, value: object, known: Iterable[Any]) -> None:
    """Raise ValueError for what is not one of these."""
    names = list(known)
    if value not in names:
        hint = did_you_mean(value, map(str, names))
        raise ValueError(f"{argument}: there is no {shown(value)}{hint}")


def f1_of(
    evaluation: Evaluation, metric: str, document: DocumentScore | None = None
) -> float | None:
    """Return the F1 of a metric over all documents, or in one; None where it is 0/0.

    So is that of MUC if neither annotator has a link. An average is that of the metrics which are
    defined, so equal annotators never have less than 1.
    """
    if metric in AVERAGES:
        return mean(f1_of(evaluation, each, document) for each in AVERAGES[metric].of)
    counts = evaluation.totals if document is None else document.counts
    return mean_where_defined(evaluation.metrics, metric, [counts]).f1


@checked
def agreement(
    annotators: Mapping[str, Documents] | Iterable[Documents],
    *,
    of: str = "mentions",
    distance: str | None = None,
    documents: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
) -> Agreement | NameAgreement:
    """Compute the agreement of two annotators or more.

    Args:
        annotators: What `scorer.score` takes as a key, by the name of each annotator; or a list of
            it, whose files name the annotators. Of a single export of INCEpTION, a folder or an
            archive (`annotation/DOCUMENT/USER.tsv`), the users are the annotators.
        of: Compare "mentions" and their clusters, or "names" with their labels.
        distance: The distance of two sets of mentions for Krippendorff's α: masi (if not given) or
            passonneau.
        documents: As in `scorer.Options`.
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
    settings = AgreementSettings(of, distance, documents, document_names)
    inputs = named_documents(annotators, "annotators", "annotator")
    return compare_annotators(inputs, settings, LibraryEvents(strict=strict), key_format)


def compare_annotators(
    annotators: Mapping[str, Documents],
    settings: AgreementSettings,
    events: Events,
    key_format: str | None = None,
) -> Agreement | NameAgreement:
    """Compute the agreement of annotators.

    Args:
        annotators: What each annotator made, by name.
        settings: What to compare.
        events: Receives warnings and progress.
        key_format: The format of all files; it is recognised if None.
    """
    annotations = Annotations(annotators, settings, key_format)
    result = COMPARE[settings.of](annotations, settings, events)
    result.inputs = annotations.inputs()
    result.problems = distinct(result.problems)
    events.warn(result.problems)
    return result


def compare_mentions(
    annotations: Annotations, settings: AgreementSettings, events: Events
) -> Agreement:
    """Compute the agreement of annotators on mentions and their clusters."""
    sources = annotations.sources
    scheme = make_scheme(AGREEMENT_METRICS, settings.options)
    result = Agreement(settings, list(sources), pairs={}, units={}, texts={})
    corpora: dict[tuple[str, str], WholeCorpus] = {}
    for pair in combinations(sources, 2):
        result.pairs[pair] = Evaluation(scheme)
        first, second = sources[pair[0]], sources[pair[1]]
        if share_a_name(first, second):
            corpora[pair] = WholeCorpus(first, second, settings.options)
    for name, holders in annotations.shared(events, result.problems):
        # Each annotation of a document is read once, before the next document is.
        for pair in combinations(holders, 2):
            score, problems = score_document(corpora[pair], name, scheme)
            result.pairs[pair].add(score)
            result.problems += problems
        documents = [source.read(name) for source in sources.values()]
        clusters = [None if document is None else document.clusters for document in documents]
        result.units[name] = units_of(name, clusters)
        result.texts[name] = next(document.text() for document in documents if document)
    for pair, corpus in corpora.items():
        scored = [document.name for document in result.pairs[pair].documents]
        result.problems += differences(corpus, scored)
    return result


COMPARE: Mapping[str, Callable[..., Agreement | NameAgreement]] = {
    "mentions": compare_mentions,
    "names": compare_names,
}
"""How annotators are compared, by what is compared, one of `KINDS_OF_SPANS`."""


@dataclass(frozen=True)
class AgreementRow:
    """The agreement of a pair, or of all annotators, over all documents or in one.

    Attributes:
        first: An annotator; "mean" for all.
        second: Another annotator; empty for all.
        documents: The number of documents that were compared.
        f1: The F1 of each metric; None where it is not defined.
        alpha: Krippendorff's α.
        document: The name of the document; empty for all documents.
    """

    first: str
    second: str
    documents: int
    f1: Mapping[str, float | None]
    alpha: Alpha
    document: str = ""


@dataclass(frozen=True)
class DifferenceRow:
    """A document or an entity on which annotators differ.

    Attributes:
        document: The name of the document.
        size: The number of mentions.
        disagreement: The mean distance of the values of a mention.
        entity: The words of the first mention of the entity, or the mention.
        annotators: The annotators that have an entity with these mentions.
    """

    document: str
    size: int
    disagreement: float
    entity: str = ""
    annotators: str = ""

    @property
    def sum(self) -> float:
        """The sum of these distances, which is what it costs."""
        return self.size * self.disagreement


def _f1_column(metric: str) -> Column:
    def value(row: AgreementRow) -> float | None:
        return row.f1[metric]

    return Column(name=metric, value=value, kind="ratio", heading=metric, title=title(metric))


FIGURES = [_f1_column(metric) for metric in AGREEMENT_METRICS]
FIGURES += ALPHA
FIGURES.append(
    Column(name="size", value=lambda row: row.alpha.units, kind="whole", heading="marked")
)
ENTITY = Column(name="entity", heading="entity")
HOLDERS = Column(name="annotators", heading="of")
SIZE = Column(name="size", kind="whole", heading="mentions")
DISTANCE = Column(
    name="disagreement",
    kind="count",
    heading="distance",
    cell=lambda row: Cell(f"{row.disagreement:.3f}"),
)
SUM = Column(name="sum", kind="count", heading="sum", cell=lambda row: Cell(f"{row.sum:.3f}"))

PAIR_COLUMNS = [FIRST, SECOND, DOCUMENTS, *FIGURES]
DOCUMENT_COLUMNS = [DOCUMENT, FIRST, SECOND, *FIGURES]
DIFFERENT_DOCUMENTS = [DOCUMENT, SIZE, DISTANCE, SUM]
DIFFERENT_ENTITIES = [DOCUMENT, ENTITY, HOLDERS, SIZE, DISTANCE, SUM]


def sections_of(agreement: Agreement, layout: AgreementLayout) -> list[Table]:
    """List the sections of an agreement."""
    sections = [Table(PAIR_COLUMNS, list(_rows(agreement)), section="pairs", caption="Agreement")]
    if layout.per_document:
        rows = list(_rows_of_documents(agreement))
        sections.append(
            Table(DOCUMENT_COLUMNS, rows, section="documents", caption="Documents", merged=True)
        )
    return sections + _difference_tables(agreement)


def _rows(agreement: Agreement) -> Iterator[AgreementRow]:
    """Yield the row of each pair, and that of all annotators."""
    for pair, evaluation in agreement.pairs.items():
        f1 = agreement.f1s(pair)
        yield AgreementRow(*pair, evaluation.scored, f1, agreement.alpha(pair=pair))
    mean, alpha = agreement.f1s(), agreement.alpha()
    yield AgreementRow("mean", "", len(agreement.units), mean, alpha)


def _rows_of_documents(agreement: Agreement) -> Iterator[AgreementRow]:
    """Yield the rows of the pairs that have a document, document by document."""
    scores = {
        (pair, score.name): score
        for pair, evaluation in agreement.pairs.items()
        for score in evaluation.documents
    }
    for document in agreement.units:
        for pair in agreement.pairs:
            if (pair, document) not in scores:
                continue
            f1 = agreement.f1s(pair, scores[pair, document])
            yield AgreementRow(*pair, 1, f1, agreement.alpha(document, pair), document)


def _difference_tables(agreement: Agreement) -> list[Table]:
    """Make the tables of the documents and the entities on which annotators differ most."""
    documents: list[DifferenceRow] = []
    entities: list[DifferenceRow] = []
    distance = agreement.distance
    for document, units in agreement.units.items():
        if not units:
            continue
        distances = {unit.mention: unit.disagreement(distance) for unit in units}
        mean = fsum(distances.values()) / len(distances)
        documents.append(DifferenceRow(document, len(units), mean))
        holders: defaultdict[Value, list[str]] = defaultdict(list)
        for unit in units:
            for annotator, value in zip(agreement.annotators, unit.values):
                if value and annotator not in holders[value]:
                    holders[value].append(annotator)
        for value, annotators in holders.items():
            mean = fsum(distances[mention] for mention in value) / len(value)
            text = _text_of(value, agreement.texts[document])
            names = ", ".join(annotators)
            entities.append(DifferenceRow(document, len(value), mean, text, names))
    if len(documents) < 2:
        documents = []
    return [
        Table(
            DIFFERENT_DOCUMENTS,
            _most_different(documents),
            section="different_documents",
            caption="Documents that differ",
        ),
        Table(
            DIFFERENT_ENTITIES,
            _most_different(entities),
            section="different_entities",
            caption="Entities that differ",
        ),
    ]


def _most_different(rows: Sequence[DifferenceRow]) -> list[DifferenceRow]:
    """Return the rows that cost most agreement: those with the greatest sums of distances."""
    different = [row for row in rows if row.disagreement > 0]
    different.sort(key=attrgetter("sum"), reverse=True)
    return different[:MOST]


def _text_of(value: Value, words: Sequence[str] | None) -> str:
    """Return the words of the first mention, where they are known; else the mention."""
    first: Any = min(value, key=_text_order)
    if words is None or not is_span(first):
        return str(first)
    begin, end = first
    # The words are those of the first annotator, whose document may be shorter.
    return str(first) if end >= len(words) else " ".join(words[begin : end + 1])


def _text_order(mention: Any) -> tuple[bool, Any]:
    """Return what sorts spans of words by their place, and other mentions as text behind them."""
    return (False, mention) if is_span(mention) else (True, str(mention))


def notes_of(agreement: Agreement) -> list[str]:
    """Say what alpha is, and what it is made of."""
    alpha = agreement.alpha()
    mentions = pluralize(alpha.units, "mention")
    distance = agreement.settings.distance or MASI
    figures = figures_of(alpha, "mention")
    notes = [
        "mean: mean F1 of the pairs, and alpha of all annotators together",
        f"alpha = 1 - D_o/D_e (Krippendorff) over {mentions} that an annotator marked: {figures}",
        f"distance {distance}: {FORMULAS[distance]}",
    ]
    if any(evaluation.scored < len(agreement.units) for evaluation in agreement.pairs.values()):
        notes.append("each pair is compared on the documents that both have")
    pairs = [agreement.f1s(pair) for pair in agreement.pairs]
    if any(f1["conll"] is not None and f1["muc"] is None for f1 in pairs):
        notes.append("where neither annotator has a link, MUC is 0/0 and conll the mean without it")
    return notes
