"""The agreement of annotators in every output format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.errors import pluralize
from conll.syntax import is_span
from scorer.annotators.alpha import MASI, Alpha, Value
from scorer.evaluation.evaluation import DocumentScore
from scorer.registry import title
from scorer.report.columns import Cell, Column, Table

if TYPE_CHECKING:
    from scorer.annotators.agreement import Agreement
    from scorer.annotators.annotations import AgreementLayout
    from scorer.annotators.names import NameRow

AGREEMENT_METRICS = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")
"""The metrics of pairs. Their F1 does not depend on which annotator is the key."""

MOST = 10
"""The documents, and the entities, that are listed at most."""

FORMULAS = {
    "masi": "1 - J*M, Jaccard times 1 (equal), 2/3 (one inside the other), 1/3 (overlap) or 0",
    "passonneau": "0 (equal), 1/3 (one inside the other), 2/3 (overlap) or 1",
}
"""The distances, for readers."""


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


def _alpha_cell(row: AgreementRow | NameRow) -> Cell:
    alpha = row.alpha.value
    return Cell("" if alpha is None else f"{alpha:.3f}")


DOCUMENT = Column(name="document", heading="document")
FIRST = Column(name="first", heading="annotator", role="head")
SECOND = Column(name="second", heading="annotator")
DOCUMENTS = Column(name="documents", kind="whole", heading="documents")
ALPHA = [
    Column(
        name="alpha",
        value=lambda row: row.alpha.value,
        kind="count",
        heading="alpha",
        cell=_alpha_cell,
    ),
    Column(name="observed", value=lambda row: row.alpha.observed, kind="count"),
    Column(name="expected", value=lambda row: row.alpha.expected, kind="count"),
]
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
    scores: dict[tuple[tuple[str, str], str], DocumentScore] = {}
    for pair, evaluation in agreement.pairs.items():
        for score in evaluation.documents:
            scores[pair, score.name] = score
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


def mean(figures: Iterable[float | None]) -> float | None:
    """Return the mean of the figures that are defined; None if none is."""
    defined = [figure for figure in figures if figure is not None]
    if not defined:
        return None
    # Exact, so that the order of the annotators makes no difference.
    return fsum(defined) / len(defined)


def figures_of(alpha: Alpha, unit: str) -> str:
    """Say what alpha is made of, or why it has no value."""
    if alpha.observed is None:
        return f"no value, as there is no {unit}"
    if alpha.value is None:
        return f"no value, as annotators and {unit}s do not differ"
    return f"D_o = {alpha.observed:.5f}, D_e = {alpha.expected:.5f}"


def headline_of(sections: Sequence[Table]) -> str:
    """Say which pair agrees least by alpha, and how far all annotators agree."""
    *pairs, together = sections[0].rows
    compared = [row for row in pairs if row.alpha.value is not None]
    if not compared:
        return ""
    least = min(compared, key=lambda row: row.alpha.value)
    names, alpha = f"{least.first} and {least.second}", _alpha_cell(least).text
    if len(pairs) == 1:
        return f"The alpha of {names} is {alpha}."
    return f"{names} agree least, with alpha {alpha}; alpha of all is {_alpha_cell(together).text}."


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
