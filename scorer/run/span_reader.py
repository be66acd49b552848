"""Reads the spans of the documents of a corpus, one by one, and says which documents and which way of counting to take."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, repeat
from math import isfinite
from operator import le
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from conll.arrays import ArraySource
from conll.check import missing
from conll.errors import ConllError, Problem
from conll.syntax import is_empty_node, is_span, pieces
from scorer.engine.choice import are_many, are_many_read
from scorer.engine.corpus import problems_of_files
from scorer.engine.plain import EMPTY, ends_of
from scorer.run.words import difference_of
from scorer.spans.scores import LABEL
from scorer.spans.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conll.document import Document
    from conll.layers import Layers
    from conll.source import Source
    from scorer.run.score import WholeCorpus
    from scorer.spans.scores import SpanSettings

    Pair = tuple[Document | None, Document | None]
    """A document of the key and of the response; None for one that is missing."""
    Lists = tuple["SpanLists", "SpanLists"]
    """The spans of key and response."""

ValueT = TypeVar("ValueT")

ETYPE = "etype"
"""The attribute that holds the entity type of a mention in CorefUD and its kin."""


def takes_many(corpora: Sequence[WholeCorpus], names: Sequence[str] | None = None) -> bool:
    """Whether spans are counted with numpy: of files with many mentions, of which documents with these names are counted."""
    return all(are_many(one) or are_many_read(one, one.names if names is None else names) for one in corpora)


def are_scanned(corpora: Sequence[WholeCorpus], settings: SpanSettings) -> bool:
    """Whether numpy reads the files as well: by fields that are columns of words."""
    fields = {settings.by} - {None, LABEL} | ({settings.score} if settings.thresholds is not None else set())
    sources = [source for one in corpora for source in (one.key, one.response)]
    return all(isinstance(source, ArraySource) and fields <= {*source.columns()} for source in sources)


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


class SpanLists(NamedTuple):
    """Spans of a document, in its order: tokens `start` to `end` (exclusive), and what else is asked for; None for what is not.

    Names have a `label`, spans that are grouped a `group`, those of a response with scores a `score`.
    """

    start: Sequence[int]
    end: Sequence[int]
    label: Sequence[str] | None = None
    group: Sequence[str] | None = None
    score: Sequence[float] | None = None

    def spans(self) -> list[Span]:
        """One by one."""
        none = repeat("")
        scores: Iterable[float | None] = repeat(None) if self.score is None else self.score
        return list(map(Span, self.start, self.end, self.label or none, scores, self.group or none))


class Spans:
    """The spans of the documents of a corpus, as some settings ask for them that differ in what spans are `of`.

    `has_field`: whether one of those that were read has the field to group by.
    """

    def __init__(self, corpus: WholeCorpus, settings: Sequence[SpanSettings]) -> None:
        self._corpus = corpus
        self._settings = settings
        self._by = settings[0].by if settings[0].by != LABEL else None
        self._score = settings[0].score if settings[0].thresholds is not None else None
        self._lists_names: bool | None = None
        self._odd: list[Problem] = []
        self._unlike: list[Problem] = []
        self.has_field = self._by is None

    @property
    def problems(self) -> list[Problem]:
        """What is odd about the documents that were read; last, where their texts differ, of those that were compared."""
        return self._odd + self._unlike

    def read(self, name: str) -> tuple[Pair, list[Lists]]:
        """The documents called `name`, which are compared, and their spans."""
        pair = self._corpus.pair(name)
        lists = self.of_pair(name, pair)
        self._unlike += difference_of(self._corpus, name, *pair)
        return pair, lists

    def of_pair(self, name: str, pair: Pair) -> list[Lists]:
        """The spans of the documents called `name`, of key and response, as each of the settings asks; none of a missing one."""
        key, response = pair
        self._odd += ends_of(key, "key") if key is not None else []
        if response is None:
            self._odd.append(missing(self._corpus.response.path, name, EMPTY))
        else:
            self._odd += ends_of(response, "response")
        of_key = self._side(key, self._corpus.key, None)
        of_response = self._side(response, self._corpus.response, self._score)
        # What is said of words is the key's to say; a response may have other columns, or none.
        said = of_key.column(self._by)
        columns = said, said or of_response.column(self._by)
        both = list(zip((of_key, of_response), columns))
        lists = ([self._lists(side, settings, column) for side, column in both] for settings in self._settings)
        return [(keys, responses) for keys, responses in lists]

    def check_field(self, names: Sequence[str]) -> None:
        """ValueError when the spans of these documents are to be grouped by a field that none of them has."""
        if self.has_field:
            return
        fields: set[str] = set()
        for name in names:
            for source in (self._corpus.key, self._corpus.response):
                layers = source.layers(name)
                if layers is not None:
                    fields |= {*layers.columns, *(field for cluster in layers.attributes for said in cluster for field in said)}
        there = f"there are: {', '.join(sorted(fields))}" if fields else "there is none"
        raise ValueError(f"no word and no mention has a {self._by!r}; {there}")

    @property
    def _named(self) -> bool:
        """Whether spans of names are those that a file lists, and not mentions with an entity type."""
        if all(one.of != "names" for one in self._settings):
            return False
        if self._lists_names is None:
            sources = self._corpus.key, self._corpus.response
            # Those that numpy can read have a column of names, and no attributes of mentions.
            columns = all(isinstance(source, ArraySource) for source in sources)
            self._lists_names = columns or any(source.lists_names(self._corpus.names) for source in sources)
        return self._lists_names

    def _side(self, document: Document | None, source: Source, score: str | None) -> _Side:
        typed = not self._named and any(one.of == "names" for one in self._settings)
        fields = {field for field in (self._by, score, ETYPE if typed else None) if field is not None}
        layers = None
        if document is not None and (fields or self._named):
            layers = source.layers_of(document, fields, names=self._named)
        side = _Side(document, layers, source, score)
        self.has_field = self.has_field or side.has(self._by)
        return side

    def _lists(self, side: _Side, settings: SpanSettings, column: Sequence[str]) -> SpanLists:
        of_names = settings.of == "names"
        found = side.names() if of_names and self._named else side.mentions(typed=of_names)
        group = None
        if settings.by == LABEL:
            group = found.label
        elif settings.by is not None:
            group = found.texts(settings.by, column, found.heads(side.document) if column else found.last)
        score = None if side.score is None else side.numbers(found)
        return SpanLists(found.start, [last + 1 for last in found.last], found.label, group, score)


class _Found(NamedTuple):
    """Spans from `start` to `last` (inclusive): names, which have a `label`, or `mentions` and what the file says of each."""

    start: Sequence[int] = ()
    last: Sequence[int] = ()
    label: Sequence[str] | None = None
    mentions: Sequence[Any] = ()
    said: Sequence[Mapping[str, str]] = ()

    def at(self, places: Sequence[int]) -> _Found:
        """Those at these places, without labels."""
        return _Found(_at(self.start, places), _at(self.last, places), None, _at(self.mentions, places), _at(self.said, places))

    def heads(self, document: Document | None) -> Sequence[int]:
        """The token that is the head of each, or else its last one."""
        heads: Any = document.syntax.heads if document is not None and document.syntax is not None else {}
        if not heads or not self.mentions:
            return self.last
        found = (heads.get(mention) for mention in self.mentions)
        return [head if isinstance(head, int) else last for head, last in zip(found, self.last)]

    def texts(self, field: str, column: Sequence[str], tokens: Sequence[int]) -> list[str]:
        """What the file says of each: of the mention, or else, in a column, of these tokens."""
        size = len(column)
        cells = [column[token] if token < size else "" for token in tokens] if size else [""] * len(tokens)
        return [said.get(field, cell) for said, cell in zip(self.said, cells)] if self.said else cells


def _at(column: Sequence[ValueT], places: Sequence[int]) -> list[ValueT]:
    return [column[at] for at in places] if column else []


class _Side:
    """What is read of a document, with the field that holds its `score`; None for a document that is missing."""

    def __init__(self, document: Document | None, layers: Layers | None, source: Source, score: str | None) -> None:
        self.document = document
        self.score = score
        self._layers = layers
        self._source = source
        self._mentions: _Found | None = None

    def has(self, field: str | None) -> bool:
        """Whether the document has that column or, in a mention, that attribute."""
        layers = self._layers
        return layers is not None and (field in layers.columns or any(field in said for some in layers.attributes for said in some))

    def column(self, field: str | None) -> Sequence[str]:
        """That column; empty where there is none."""
        return self._layers.columns.get(field, ()) if self._layers is not None and field is not None else ()

    def names(self) -> _Found:
        """The named entities that the file lists."""
        names = self._layers.names if self._layers is not None else ()
        return _Found(*map(list, zip(*names))) if names else _Found(label=())

    def mentions(self, *, typed: bool) -> _Found:
        """The mentions that are spans; with `typed` those that have an entity type, as their label."""
        if typed and (self._layers is None or not self._layers.attributes):
            return _Found(label=())
        if self._mentions is None:
            self._mentions = self._found()
        found = self._mentions
        if not typed:
            return found
        found = found.at([at for at, said in enumerate(found.said) if said.get(ETYPE)])
        return found._replace(label=[said[ETYPE] for said in found.said])

    def _found(self) -> _Found:
        if self.document is None:
            return _Found()
        mentions = list(chain.from_iterable(self.document.clusters))
        said = list(chain.from_iterable(self._layers.attributes)) if self._layers is not None else []
        # Pairs of integers in order, as most documents have them, are told without a loop over them.
        if set(map(type, mentions)) == {tuple} and set(map(len, mentions)) == {2}:
            start, last = map(list, zip(*mentions))
            if set(map(type, start)) == set(map(type, last)) == {int} and all(map(le, start, last)):
                return _Found(start, last, None, mentions, said)
        ends = [_ends(mention, self.document) for mention in mentions]
        places = [at for at, one in enumerate(ends) if one is not None]
        start, last = ([one[side] for one in ends if one is not None] for side in (0, 1))
        return _Found(start, last, None, _at(mentions, places), _at(said, places))

    def numbers(self, found: _Found) -> list[float]:
        """The score of each; ConllError where one is no number."""
        assert self.score is not None
        texts = found.texts(self.score, self.column(self.score), found.start)
        with suppress(ValueError):
            numbers = list(map(float, texts))
            if all(map(isfinite, numbers)):
                return numbers
        at, text = next((at, text) for at, text in enumerate(texts) if not _is_number(text))
        what = f"its {self.score} is {text!r}, no number" if text else f"it has no {self.score}"
        problem = (
            f"the span {found.start[at]}-{found.last[at]} cannot be put above or below a threshold: {what}; "
            "write a number for each span"
        )
        name = self.document.name if self.document is not None else ""
        raise ConllError(self._source.path, self._source.line_of(name), problem, document=name)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


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
