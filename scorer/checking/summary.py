"""Count what is in a file, and how many mentions of a key and a response match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conll.document import Document
from conll.errors import ConllError
from conll.source import Source
from scorer.checking.shape import Shape
from scorer.engine.score import WholeCorpus, evaluate
from scorer.metrics import METRICS
from scorer.options import Options
from scorer.scheme import Scheme


@dataclass
class Summary:
    """The contents of a file or a folder.

    Attributes:
        file: Its path.
        format: The name of its format, or of several.
        documents: The number of its documents.
        unreadable: How many of them cannot be read; the numbers below leave these out.
        words: The number of words; None where the file does not say.
        mentions: The number of mentions.
        clusters: The number of clusters that have a mention.
        singletons: How many of these have one mention.
        shapes: The shape of each document.
    """

    file: str
    format: str
    documents: int = 0
    unreadable: int = 0
    words: int | None = None
    mentions: int = 0
    clusters: int = 0
    singletons: int = 0
    shapes: list[Shape] = field(default_factory=list)

    @property
    def shape(self) -> Shape:
        """The shape of all documents together."""
        whole = Shape("")
        for shape in self.shapes:
            for name, value in vars(shape).items():
                if name != "document":
                    setattr(whole, name, getattr(whole, name) + value)
        return whole

    def to_dict(self, *, per_document: bool) -> dict[str, Any]:
        """Return the counts and the shape, and with `per_document` that of each document."""
        fields: dict[str, Any] = {**vars(self), "shape": self.shape.to_dict()}
        del fields["shapes"]
        del fields["shape"]["document"]
        if per_document:
            fields["shape_of_documents"] = [shape.to_dict() for shape in self.shapes]
        return fields


@dataclass
class Matches:
    """Numbers of mentions that match, of those of the key and of the response.

    Attributes:
        documents: The number of documents that both have.
        mentions: The number of mentions that match.
        key: The number of mentions of the key.
        response: The number of mentions of the response, in documents of the key.
    """

    documents: int
    mentions: int
    key: int
    response: int


def summarize(source: Source) -> Summary:
    """Count what a source holds."""
    summary = Summary(file=source.path, format=source.format)
    for name in source.names():
        summary.documents += 1
        try:
            document = source.read(name)
            words = None if document is None else document.text()
        except ConllError:
            summary.unreadable += 1
            continue
        if document is not None:
            _add(summary, document, words)
    return summary


def _add(summary: Summary, document: Document, words: Sequence[str] | None) -> None:
    """Add what is in a document."""
    length = document.tokens if words is None else len(words)
    if length is not None:
        summary.words = (summary.words or 0) + length
    sizes = [len(cluster) for cluster in document.clusters if cluster]
    summary.mentions += sum(sizes)
    summary.clusters += len(sizes)
    summary.singletons += sizes.count(1)
    shape = Shape(document.name)
    shape.add(document)
    summary.shapes.append(shape)


def count_matches(key: Source, response: Source, options: Options) -> Matches:
    """Count the mentions that match, as `scorer score` matches them.

    Raises:
        ConllError: A document cannot be read, or the two sides have none in common.
    """
    scheme = Scheme([METRICS["mentions"]])
    evaluation = evaluate(WholeCorpus(key, response, options), scheme, keep=False)
    [counts] = evaluation.totals["mentions"]
    missing = sum(problem.kind == "missing" for problem in evaluation.problems)
    return Matches(
        documents=evaluation.scored - missing,
        mentions=int(counts.recall_numerator),
        key=int(counts.recall_denominator),
        response=int(counts.precision_denominator),
    )
