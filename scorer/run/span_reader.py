"""Reads the spans of the documents of a corpus, one by one, and says which documents and which way of counting to take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.arrays import files_of
from conll.check import missing
from scorer.engine.choice import are_many, are_many_read
from scorer.engine.corpus import problems_of_files
from scorer.engine.plain import EMPTY, ends_of
from scorer.patterns import compiled
from scorer.run.document_spans import ETYPE, DocumentSpans, SpanLists
from scorer.run.words import difference_of
from scorer.spans.scores import LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.document import Document
    from conll.errors import Problem
    from conll.source import Source
    from scorer.run.score import WholeCorpus
    from scorer.spans.scores import SpanSettings

    Pair = tuple[Document | None, Document | None]
    """A document of the key and of the response; None for one that is missing."""
    Lists = tuple[SpanLists, SpanLists]
    """The spans of key and response."""


def takes_many(corpora: Sequence[WholeCorpus], names: Sequence[str] | None) -> bool:
    """Whether spans are counted with numpy: of files with many mentions, of which documents with these names are counted."""
    return all(are_many(one) or are_many_read(one, one.names if names is None else names) for one in corpora)


def are_scanned(corpora: Sequence[WholeCorpus], settings: SpanSettings) -> bool:
    """Whether numpy reads the files, or those of directories, as well: by fields that are columns of words."""
    fields = {settings.by} - {None, LABEL} | ({settings.score} if settings.thresholds is not None else set())
    files = [files_of(source) for one in corpora for source in (one.key, one.response)]
    return all(files) and all(fields <= {*file.columns()} for some in files for file in some)


def names_found(corpus: WholeCorpus, pattern: str | None) -> list[str] | None:
    """The names of the documents to score: those in which a regular expression is found; None for all, ValueError for none."""
    if pattern is None:
        return None
    search = compiled(pattern).search
    names = [name for name in corpus.names if search(name)]
    if not names:
        raise ValueError(f"documents: {pattern!r} is found in no document name of {corpus.key.path}")
    return names


def problems_found(corpus: WholeCorpus, pattern: str | None) -> list[Problem]:
    """What is odd about the two files as a whole, without documents that are not to be scored."""
    problems = problems_of_files(corpus)
    if pattern is None:
        return problems
    search = compiled(pattern).search
    return [problem for problem in problems if problem.document is None or search(problem.document)]


class Spans:
    """The spans of the documents of a corpus, as some settings ask for them that differ in what spans are `of`.

    `has_field`: whether one of those that were read has the field to group by.
    """

    def __init__(self, corpus: WholeCorpus, settings: Sequence[SpanSettings]) -> None:
        self._corpus = corpus
        self._settings = settings
        self._by = settings[0].by if settings[0].by != LABEL else None
        self._score = settings[0].score if settings[0].thresholds is not None else None
        self._listed: dict[tuple[Source, str], bool] = {}
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
        # What is said of words is the key's to say, or else the response's; either way of the spans of both.
        column = of_key.column(self._by) or of_response.column(self._by)
        lists = ([self._lists(side, settings, column) for side in (of_key, of_response)] for settings in self._settings)
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

    def _are_listed(self, source: Source, name: str) -> bool:
        """Whether the names of a document are those that its file lists, and not its mentions with an entity type."""
        if all(one.of != "names" for one in self._settings):
            return False
        file = source.file_of(name)
        # The files of a folder are as one file, but those of one format may list names where those of another have types.
        if (source, file.format) not in self._listed:
            names = self._corpus.names
            other = self._corpus.response if source is self._corpus.key else self._corpus.key
            own = [one for one in names if source.file_of(one).format == file.format]
            # One that numpy can read has no attributes of mentions. Where the other side has names, lists without any say that
            # there are none.
            self._listed[source, file.format] = (
                bool(files_of(file))
                or source.lists_names(own)
                or (source.lists_names(own, empty=True) and other.lists_names(names))
            )
        return self._listed[source, file.format]

    def _side(self, document: Document | None, source: Source, score: str | None) -> DocumentSpans:
        listed = document is not None and self._are_listed(source, document.name)
        typed = not listed and any(one.of == "names" for one in self._settings)
        fields = {field for field in (self._by, score, ETYPE if typed else None) if field is not None}
        layers = None
        if document is not None and (fields or listed):
            layers = source.layers_of(document, fields, names=listed)
        side = DocumentSpans(document, layers, source, score, listed=listed)
        self.has_field = self.has_field or side.has(self._by)
        return side

    def _lists(self, side: DocumentSpans, settings: SpanSettings, column: Sequence[str]) -> SpanLists:
        of_names = settings.of == "names"
        found = side.names() if of_names and side.listed else side.mentions(typed=of_names)
        group = None
        if settings.by == LABEL:
            group = found.label
        elif settings.by is not None:
            group = found.texts(settings.by, column, found.heads(side.document) if column else found.last)
        score = None if side.score is None else side.numbers(found)
        return SpanLists(found.start, [last + 1 for last in found.last], found.label, group, score)
