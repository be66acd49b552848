"""Reads the spans of the documents of a corpus, one by one, and says which documents and which way of counting to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conll.arrays import ArraySource
from conll.check import missing
from conll.errors import ConllError, Problem
from conll.syntax import is_empty_node, is_span, pieces
from scorer.engine.choice import are_many
from scorer.engine.corpus import problems_of_files
from scorer.engine.plain import EMPTY, ends_of
from scorer.spans.scores import LABEL
from scorer.spans.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conll.document import Document
    from conll.errors import Side
    from conll.layers import Layers
    from conll.source import Source
    from scorer.run.score import WholeCorpus
    from scorer.spans.scores import SpanSettings

ETYPE = "etype"
"""The attribute that holds the entity type of a mention in CorefUD and its kin."""


def takes_many(corpora: Sequence[WholeCorpus], settings: SpanSettings) -> bool:
    """Whether spans are counted with numpy: of large files, and by fields that are columns of words."""
    fields = [settings.by] if settings.by not in (None, LABEL) else []
    fields += [settings.score] if settings.thresholds is not None else []
    sources = [source for one in corpora for source in (one.key, one.response)]
    known = (isinstance(source, ArraySource) and {*fields} <= {*source.columns()} for source in sources)
    return all(are_many(one) for one in corpora) and all(known)


def names_found(corpus: WholeCorpus, pattern: str | None) -> list[str]:
    """The names of the documents to score: those in which a regular expression is found; ValueError when there is none."""
    from scorer.patterns import compiled

    if pattern is None:
        return corpus.names
    search = compiled(pattern).search
    names = [name for name in corpus.names if search(name)]
    if not names:
        raise ValueError(f"documents: {pattern!r} is found in no document name of {corpus.key.path}")
    return names


def problems_found(corpus: WholeCorpus, pattern: str | None) -> list[Problem]:
    """What is odd about the two files as a whole, without documents that are not to be scored."""
    from scorer.patterns import compiled

    problems = problems_of_files(corpus)
    if pattern is None:
        return problems
    search = compiled(pattern).search
    return [problem for problem in problems if problem.document is None or search(problem.document)]


class Spans:
    """The spans of the documents of a corpus, as the settings ask for them.

    `fields`: the columns and attributes that its documents have. `problems`: what is odd about those that were read.
    """

    def __init__(self, corpus: WholeCorpus, settings: SpanSettings) -> None:
        self._corpus = corpus
        self._settings = settings
        self.fields: set[str] = set()
        self.problems: list[Problem] = []
        self._known: tuple[bool, bool] | None = None

    def both(self, name: str) -> tuple[list[Span], list[Span]]:
        """The spans of the documents called `name`, of key and response; none of a document that is missing."""
        return self.of_pair(name, self._corpus.pair(name))

    def of_pair(self, name: str, pair: tuple[Document | None, Document | None]) -> tuple[list[Span], list[Span]]:
        """`both` of documents that were read already."""
        key, response = pair
        self.problems += ends_of(key, "key") if key is not None else []
        if response is None:
            self.problems.append(missing(self._corpus.response.path, name, EMPTY))
        else:
            self.problems += ends_of(response, "response")
        of_key = [] if key is None else list(self._spans(key, self._corpus.key, "key"))
        return of_key, [] if response is None else list(self._spans(response, self._corpus.response, "response"))

    @property
    def _names_or_types(self) -> tuple[bool, bool]:
        if self._settings.of != "names":
            return False, False
        if self._known is None:
            self._known = _names_and_types(self._corpus)
        return self._known

    def check_field(self) -> None:
        """ValueError when the spans that were read are to be grouped by a field that none of their documents has."""
        by = self._settings.by
        if by not in (None, LABEL) and by not in self.fields:
            there = f"there are: {', '.join(sorted(self.fields))}" if self.fields else "there is none"
            raise ValueError(f"no word and no mention has a {by!r}; {there}")

    def _layers(self, source: Source, name: str) -> Layers | None:
        settings = self._settings
        needed = settings.by not in (None, LABEL) or settings.thresholds is not None or any(self._names_or_types)
        if not needed:
            return None
        return source.layers(name)

    def _spans(self, document: Document, source: Source, side: Side) -> Iterator[Span]:
        settings = self._settings
        layers = self._layers(source, document.name)
        own: dict[str, Sequence[str]] = {}
        if layers is not None:
            own |= layers.columns
            self.fields |= {*own, *(field for cluster in layers.attributes for mention in cluster for field in mention)}
        columns = dict(own)
        if settings.by not in (None, LABEL) and side == "response":
            # What is said of words is the key's to say; a response may have other columns, or none.
            of_key = self._corpus.key.layers(document.name)
            columns |= of_key.columns if of_key is not None else {}
        for start, end, label, head, said in _found(document, layers, settings.of, named=self._names_or_types[0]):
            group = label if settings.by == LABEL else ""
            if settings.by not in (None, LABEL):
                group = said.get(settings.by, _cell(columns.get(settings.by, ()), end if head is None else head))
            score = None
            if settings.thresholds is not None and side == "response":
                text = said.get(settings.score, _cell(own.get(settings.score, ()), start))
                score = self._number(text, document, source, (start, end))
            yield Span(start, end + 1, label, score, group)

    def _number(self, text: str, document: Document, source: Source, ends: tuple[int, int]) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if number - number != 0:
            what = f"its {self._settings.score} is {text!r}, no number" if text else f"it has no {self._settings.score}"
            problem = f"the span {ends[0]}-{ends[1]} cannot be put above or below a threshold: {what}; write a number for each span"
            raise ConllError(source.path, source.line_of(document.name), problem, document=document.name)
        return number


Found = tuple[int, int, str, "int | None", "dict[str, str]"]
"""First and last token of a span, its label, the token that is its head, what the file says of it."""


def _names_and_types(corpus: WholeCorpus) -> tuple[bool, bool]:
    """Whether a file lists named entities, or else has mentions with an entity type, which then stand for names."""
    if isinstance(corpus.key, ArraySource) and isinstance(corpus.response, ArraySource):
        # These have columns of words, and no attributes of mentions.
        return True, False
    typed = False
    for source in (corpus.key, corpus.response):
        for name in corpus.names:
            layers = source.layers(name)
            if layers is not None and layers.names:
                return True, False
            typed = typed or (layers is not None and any(said.get(ETYPE) for cluster in layers.attributes for said in cluster))
    return False, typed


def _found(document: Document, layers: Layers | None, of: str, *, named: bool) -> Iterator[Found]:
    if named:
        yield from ((start, end, label, None, {}) for start, end, label in (layers.names if layers is not None else ()))
        return
    heads: Any = document.syntax.heads if document.syntax is not None else {}
    attributes = layers.attributes if layers is not None else ()
    for k, cluster in enumerate(document.clusters):
        for place, mention in enumerate(cluster):
            said = dict(attributes[k][place]) if attributes else {}
            if of == "names" and not said.get(ETYPE):
                continue
            ends = _ends(mention, document)
            if ends is not None:
                head = heads.get(mention)
                yield *ends, said[ETYPE] if of == "names" else "", head if isinstance(head, int) else None, said


def _ends(mention: Any, document: Document) -> tuple[int, int] | None:
    """First and last token of a mention, whatever gaps are between; None for one of empty nodes alone. ValueError for no span."""
    if is_span(mention):
        first, last = mention
        return (first, last) if first <= last else None
    parts = pieces(mention) if isinstance(mention, tuple) else ()
    if not parts or not all(is_empty_node(part) if isinstance(part, str) else is_span(part) for part in parts):
        raise ValueError(f"document {document.name!r}: {mention!r} is no span; write mentions as (first, last) tokens")
    words = [part for part in parts if not isinstance(part, str)]
    return (words[0][0], words[-1][1]) if words else None


def _cell(column: Sequence[str], token: int) -> str:
    return column[token] if token < len(column) else ""
