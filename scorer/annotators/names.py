"""The agreement of annotators on named entities: F1 of each pair, and α of the words of all.

The units of α are words. The value that an annotator gives to a word is the set of the labels of
the names that hold it, which is empty outside of names. Two values are equal, or at distance 1: α
is nominal (Krippendorff, Content Analysis).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, repeat
from math import fsum
from typing import Any, ClassVar

from conll.errors import Problem
from conll.source import RenamedSource
from scorer.annotators.alpha import (
    ALPHA,
    DOCUMENT,
    DOCUMENTS,
    FIRST,
    SECOND,
    Alpha,
    figures_of,
    headline_of,
    mean,
)
from scorer.annotators.annotations import (
    AgreementLayout,
    AgreementSettings,
    Annotations,
)
from scorer.engine.score import WholeCorpus
from scorer.evaluation.averages import Input
from scorer.events import Events
from scorer.report.columns import Column, Table
from scorer.report.report import Report
from scorer.result import Result
from scorer.spans.counts import Span, count
from scorer.spans.reading import DocumentSpans, SpanReader, SpanSettings
from scorer.spans.scores import SpanScores

Labels = frozenset[str]
"""The labels of the names that hold a word."""

Words = Counter[tuple["Labels | None", ...]]
"""How many words have the same labels of each annotator; None of who lacks the document."""

SETTINGS = SpanSettings(kind="names")


@dataclass(frozen=True)
class NameRow:
    """The agreement of a pair, or of all annotators, over all documents or in one.

    Attributes:
        first: An annotator; "mean" for all.
        second: Another annotator; empty for all.
        documents: The number of documents that were compared.
        strict: The F1 of names with equal ends and labels; None where nobody marked a name.
        lenient: The F1 of names with equal labels that overlap; None likewise.
        alpha: Krippendorff's α.
        marked: The number of words that at least one annotator marked.
        document: The name of the document; empty for all documents.
    """

    first: str
    second: str
    documents: int
    strict: float | None
    lenient: float | None
    alpha: Alpha
    marked: int
    document: str = ""


FIGURES = [
    Column(name="strict", kind="ratio", heading="strict"),
    Column(name="lenient", kind="ratio", heading="lenient"),
    *ALPHA,
    Column(name="words", value=lambda row: row.alpha.units, kind="whole", heading="words"),
    Column(name="marked", kind="whole", heading="marked"),
]


@dataclass(repr=False)
class NameAgreement(Result):
    """The agreement of annotators on names; `str()` of it is the table.

    Attributes:
        settings: What was compared.
        annotators: The names of the annotators.
        pairs: The scores of the names of each pair, whose key is the first annotator, over the
            documents that both have.
        words: The labels of words, by document.
        problems: Warnings about the files.
        inputs: The files that were compared, by annotator.
    """

    settings: AgreementSettings
    annotators: Sequence[str]
    pairs: dict[tuple[str, str], SpanScores] = field(default_factory=dict)
    words: dict[str, Words] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    def words_of(self, document: str | None = None, pair: tuple[str, str] | None = None) -> Words:
        """Count the words with the same labels.

        Args:
            document: A document; None for all.
            pair: Two annotators, whose labels alone are looked at; None for all.
        """
        of_documents = self.words.values() if document is None else [self.words[document]]
        words: Words = Counter()
        for counted in of_documents:
            words.update(counted)
        if pair is None:
            return words
        first, second = map(self.annotators.index, pair)
        of_pair: Words = Counter()
        for labels, number in words.items():
            if labels[first] is not None and labels[second] is not None:
                of_pair[labels[first], labels[second]] += number
        return of_pair

    def alpha(self, document: str | None = None, pair: tuple[str, str] | None = None) -> Alpha:
        """Compute Krippendorff's nominal α of the words that `words_of` counts."""
        return nominal_alpha(self.words_of(document, pair))

    def f1(
        self, measure: str, pair: tuple[str, str] | None = None, document: str | None = None
    ) -> float | None:
        """Return the F1 of a pair over its documents or in one; None for the mean of all pairs.

        Args:
            measure: strict or lenient.
            pair: Two annotators.
            document: A document that both have.

        Returns:
            The F1; None where neither marked a name. Such pairs are left out of the mean.
        """
        if pair is None:
            return mean([self.f1(measure, each) for each in self.pairs])
        scores = self.pairs[pair]
        if document is not None:
            scores = SpanScores(SETTINGS, documents={document: scores.documents[document]})
        return scores.measures()[measure].f

    layout_type: ClassVar[type[Any]] = AgreementLayout
    title = "Agreement"

    def tables_of(self, layout: AgreementLayout) -> list[Table]:
        rows = [self._row(pair) for pair in self.pairs]
        columns = [FIRST, SECOND, DOCUMENTS, *FIGURES]
        sections = [Table(columns, [*rows, self._row()], section="pairs", caption="Agreement")]
        if layout.per_document:
            columns = [DOCUMENT, FIRST, SECOND, *FIGURES]
            rows = []
            for document in self.words:
                pairs = [pair for pair in self.pairs if document in self.pairs[pair].documents]
                rows += [self._row(pair, document) for pair in pairs]
            sections.append(
                Table(columns, rows, section="documents", caption="Documents", merged=True)
            )
        return sections

    def _row(self, pair: tuple[str, str] | None = None, document: str | None = None) -> NameRow:
        """Return the row of a pair, or of all annotators."""
        documents = self.words if pair is None else self.pairs[pair].documents
        words = self.words_of(document, pair)
        first, second = pair or ("mean", "")
        return NameRow(
            first,
            second,
            len(documents),
            self.f1("strict", pair, document),
            self.f1("lenient", pair, document),
            nominal_alpha(words),
            sum(number for labels, number in words.items() if any(labels)),
            document or "",
        )

    def finish(self, report: Report, layout: AgreementLayout) -> Report:
        return super().finish(report._replace(headline=headline_of(report.sections)), layout)

    def opening_notes(self) -> list[str]:
        figures = figures_of(self.alpha(), "word")
        return [
            "mean: mean F1 of the pairs, and alpha of all annotators together",
            f"alpha = 1 - D_o/D_e (Krippendorff, nominal) of the labels of each word: {figures}",
            "alpha rises with words that nobody marks; marked counts the others",
        ]

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.settings.signature(self.words, self.inputs, report)

    def __repr__(self) -> str:
        return f"<NameAgreement of {', '.join(self.annotators)}>"


def nominal_alpha(words: Words) -> Alpha:
    """Compute Krippendorff's nominal α of words, given by the values of annotators.

    Examples:
        >>> per, none = frozenset(["PER"]), frozenset()
        >>> round(nominal_alpha(Counter({(per, per): 2, (per, none): 1, (none, none): 7})).value, 3)
        0.747
    """
    observed = []
    values: Counter[Labels] = Counter()
    for labels, number in words.items():
        given = [value for value in labels if value is not None]
        for value in given:
            values[value] += number
        unequal = sum(first != second for first, second in combinations(given, 2))
        # Each value counts once: n values of a word have n(n - 1)/2 pairs.
        observed.append(number * 2 * unequal / (len(given) - 1))
    total = values.total()
    if not total:
        return Alpha(None, None, 0)
    equal = sum(number * (number - 1) for number in values.values())
    expected = 1 - equal / (total * (total - 1))
    return Alpha(fsum(observed) / total, expected, words.total())


def compare_names(
    annotations: Annotations, settings: AgreementSettings, events: Events
) -> NameAgreement:
    """Compute the agreement of annotators on names.

    Args:
        annotations: What each annotator made.
        settings: What to compare.
        events: Receives warnings and progress.

    Raises:
        ConllError: The words of a document are not known.
    """
    result = NameAgreement(settings, list(annotations.sources))
    readers: dict[tuple[str, str], SpanReader] = {}
    for pair in combinations(annotations.sources, 2):
        result.pairs[pair] = SpanScores(SETTINGS)
        shared = [name for name, holders in annotations.holders.items() if {*pair} <= {*holders}]
        if shared:
            same = dict(zip(shared, shared))
            first, second = (RenamedSource(annotations.sources[name], same) for name in pair)
            readers[pair] = SpanReader(WholeCorpus(first, second, settings.options), SETTINGS)
    for name, holders in annotations.shared(events, result.problems):
        spans: dict[str, list[Span]] = {}
        tokens = 0
        for pair in combinations(holders, 2):
            document = readers[pair].read(name)
            sides = document.spans["names"]
            result.pairs[pair].documents[name] = count(sides.key, sides.response)[0]
            spans |= zip(pair, sides)
            tokens = max(tokens, _tokens_of(document))
        labels: list[Iterable[Labels | None]] = []
        for annotator in result.annotators:
            if annotator in spans:
                labels.append(_labels_of(spans[annotator], tokens))
            else:
                labels.append(repeat(None, tokens))
        result.words[name] = Counter(zip(*labels))
    for reader in readers.values():
        result.problems += reader.problems()
    return result


def _tokens_of(document: DocumentSpans) -> int:
    """Return the number of words of a document.

    Raises:
        ConllError: It is not known.
    """
    sides = [side for side in (document.key, document.response) if side is not None]
    tokens = [side.tokens for side in sides if side.tokens is not None]
    if not tokens:
        problem = "the words of the document are not known, of which alpha is"
        raise sides[0].error(f"{problem}; write them in sentences")
    return max(tokens)


def _labels_of(spans: Iterable[Span], tokens: int) -> list[Labels]:
    """Return the labels of each word of a document."""
    labels: list[Labels] = [frozenset()] * tokens
    for span in spans:
        for token in range(span.start, span.end):
            labels[token] |= {span.label}
    return labels
