"""Which spans are scored, and how; and reading them: mentions, or names with their labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from math import isfinite
from typing import Any, NamedTuple

from conll.check import missing
from conll.columns import SCHEMES, TAG, names_of
from conll.document import ETYPE, OPTIONAL, Document, Layers
from conll.errors import ConllError, NoClustersError, Problem, check_choice
from conll.source import Source
from conll.syntax import is_empty_node, is_span
from scorer.engine.corpus import EMPTY, chosen_documents, ends_of, problems_of_chosen
from scorer.engine.score import WholeCorpus, differences
from scorer.spans.counts import KINDS_OF_SPANS, LABEL, OF_NAMES, Sides, Span

THRESHOLDS = {
    "0.1": tuple(step / 10 for step in range(11)),
    "0.05": tuple(step / 20 for step in range(21)),
    "all": None,
}
"""The sets of thresholds by their names; `all` is every score that occurs."""


@dataclass(frozen=True)
class SpanSettings:
    """Settings of `scorer.score_spans`.

    Attributes:
        kind: Mentions or names, the option `of`.
        beta: The weight of recall in F.
        within_label: Whether pairs of different labels are forbidden.
        min_overlap: The least share of a key span, from 0 to 1, that a pair has in common for
            SemEval's schemes.
        label_fields: The fields whose values have to be equal, the option `label`: label, columns
            or attributes of mentions; the label of names alone if there are none.
        group_fields: The fields by whose values spans are grouped, the option `by`: label, or
            columns or attributes of the files.
        thresholds: One of the sets of `THRESHOLDS`; None for none.
        score: The attribute or column that holds the scores of the response.
        documents: As in `scorer.Options`.
        scheme: One of `conll.columns.SCHEMES` by which columns of tags are read strictly; None to
            read them leniently.
        list_spans: Whether each span is listed with its text.

    Raises:
        ValueError: A setting is impossible.
    """

    kind: str = "mentions"
    beta: float = 1.0
    within_label: bool = False
    min_overlap: float = 0.0
    label_fields: tuple[str, ...] = ()
    group_fields: tuple[str, ...] = ()
    thresholds: str | None = None
    score: str = "confidence"
    documents: str | None = None
    scheme: str | None = None
    list_spans: bool = False

    def __post_init__(self) -> None:
        check_choice("of", self.kind, KINDS_OF_SPANS)
        if self.scheme is not None:
            check_choice("scheme", self.scheme, SCHEMES)
            if self.kind != "names":
                raise ValueError("scheme: tags are of names; score these (--of names)")
        if not self.beta > 0:
            raise ValueError(f"beta: {self.beta} is not greater than 0")
        if not isfinite(self.beta * self.beta):
            raise ValueError(f"beta: the square of {self.beta} is too large for a number")
        if not 0 <= self.min_overlap <= 1:
            raise ValueError(f"min_overlap: {self.min_overlap} is not from 0 to 1")
        for name, fields in (("label", self.label_fields), ("by", self.group_fields)):
            if "" in fields:
                raise ValueError(
                    f"{name}: '' is not the name of a field; write one or leave it out"
                )
        if self.thresholds is not None:
            check_choice("thresholds", self.thresholds, THRESHOLDS)
            if not isinstance(self.score, str):
                problem = f"{self.score!r} is not the name of an attribute or a column"
                raise ValueError(f"score: {problem}")

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields that labels consist of and that spans are grouped by."""
        return self.label_fields + self.group_fields

    def signed(self) -> dict[str, Any]:
        """Return the fields of a signature that say how spans were scored."""
        fields: dict[str, Any] = {"spans": self.kind, "beta": _exactly(self.beta)}
        if self.label_fields:
            fields["label"] = ",".join(self.label_fields)
        if self.within_label:
            fields["labels"] = "within"
        if self.min_overlap:
            fields["overlap"] = _exactly(self.min_overlap)
        if self.group_fields:
            fields["values"] = ",".join(self.group_fields)
        if self.thresholds is not None:
            fields |= {"thresholds": self.thresholds, "score": self.score}
        if self.scheme is not None:
            fields["scheme"] = self.scheme
        return fields | {"filter": self.documents}


def _exactly(number: float) -> str:
    """Write a number with as many digits as distinguish it from all others."""
    return repr(float(number)).removesuffix(".0")


Columns = Mapping[str, Sequence[str]]
"""The value of each word, by the name of a column."""


class Marked(NamedTuple):
    """A mention or a name as its file marks it.

    Attributes:
        first: The first token.
        last: The last token.
        label: The label of a name; empty for a mention.
        head: The token at which columns are read: the head, or the last token if that is unknown.
        attributes: The attributes of a mention.
    """

    first: int
    last: int
    label: str
    head: int
    attributes: Mapping[str, str]

    def value(self, field: str, columns: Columns) -> str:
        """Return the label, an attribute, or else the value of a column; empty where unknown."""
        if field == LABEL:
            return self.label
        if field in self.attributes:
            return self.attributes[field]
        return _cell(columns.get(field, ()), self.head)


def _cell(column: Sequence[str], token: int) -> str:
    """Return the value of a column at a token; empty beyond its end."""
    return column[token] if token < len(column) else ""


def _marked_names(layers: Layers | None) -> Iterator[Marked]:
    """Yield the names that a file lists."""
    if layers is not None:
        for name in layers.names:
            first, last, label = name
            attributes = {}
            if name in layers.optional_names:
                attributes[OPTIONAL] = str(True)
            yield Marked(first, last, label, last, attributes)


def _marked_mentions(
    document: Document, layers: Layers | None, *, labelled: bool
) -> Iterator[Marked]:
    """Yield mentions in the order of the clusters, if `labelled` with their entity type as label.

    Gaps count as part of a mention; one of empty nodes alone is left out.

    Raises:
        ValueError: A mention is no span.
    """
    heads: Mapping[Any, Any] = {} if document.syntax is None else document.syntax.heads
    mentions = list(chain.from_iterable(document.clusters))
    attributes: Sequence[Mapping[str, str]] = [{}] * len(mentions)
    if layers is not None and layers.attributes:
        attributes = list(chain.from_iterable(layers.attributes))
    for mention, own_attributes in zip(mentions, attributes):
        ends = _ends(mention, document.name)
        if ends is None:
            continue
        first, last = ends
        head = heads.get(mention, last)
        if not isinstance(head, int):
            head = last
        label = own_attributes.get(ETYPE, "") if labelled else ""
        yield Marked(first, last, label, head, own_attributes)


def _ends(mention: Any, document: str) -> tuple[int, int] | None:
    """Return the first and the last token of a mention; None if it is of empty nodes alone.

    Raises:
        ValueError: It is no span.
    """
    if is_span(mention):
        first, last = mention
        return first, last
    parts: tuple[Any, ...] = mention if isinstance(mention, tuple) else ()
    spans = [part for part in parts if is_span(part)]
    nodes = [part for part in parts if isinstance(part, str) and is_empty_node(part)]
    if not parts or len(spans) + len(nodes) < len(parts):
        raise ValueError(
            f"document {document!r}: {mention!r} is not a span; write mentions as "
            "(first, last) tokens"
        )
    if not spans:
        return None
    return spans[0][0], spans[-1][1]


class SpanSource:
    """One side of a corpus, and what is read of it.

    Args:
        source: The key or the response.
        settings: Which spans to read, and by which fields to group them.
        kinds: Mentions, names, or both.
        score: The field with the confidence of each span; None for none.

    Attributes:
        fields: The columns and attributes of the documents that were read.
    """

    def __init__(
        self, source: Source, settings: SpanSettings, kinds: Sequence[str], score: str | None
    ) -> None:
        if "names" not in kinds and not set(OF_NAMES).isdisjoint(source.format.split("+")):
            raise ValueError(f"{source.path} has names and no mentions; add --of names")
        self.source = source
        self.kinds = kinds
        self.settings = settings
        self.score = score
        self.fields: set[str] = set()
        self._formats = {file.path: file.format for file in source.files()}

    def document_without_clusters(self, name: str) -> Document | None:
        """Read a document, or one without clusters where the file lists none."""
        try:
            return self.source.read(name)
        except NoClustersError as error:
            document: Document = error.without_clusters
            return document

    def formats(self) -> set[str]:
        """Return the formats of the files."""
        return {*self._formats.values()}

    def format_of(self, document: Document) -> str:
        """Return the format of the file of a document."""
        return self._formats.get(document.path, "")

    def lists_names(self, file_format: str, names: Iterable[str], *, empty: bool = False) -> bool:
        """Return whether the files of a format list named entities.

        Args:
            file_format: The format.
            names: The documents of the corpus.
            empty: Whether a list without any entity is enough.
        """
        for name in names:
            # A malformed document raises its error when it is scored.
            with suppress(ConllError):
                document = self.document_without_clusters(name)
                if document is None or self.format_of(document) != file_format:
                    continue
                if document.names or (empty and document.names is not None):
                    return True
        return False

    def layers(self, document: Document, *, are_names_listed: bool) -> Layers | None:
        """Read what the settings ask for besides the mentions."""
        fields = set(self.settings.fields) - {LABEL}
        if self.score is not None:
            fields.add(self.score)
        if set(self.kinds) == set(KINDS_OF_SPANS):
            # Reports of MUC-7, which have optional spans.
            fields.add(OPTIONAL)
        if "names" in self.kinds and not are_names_listed:
            fields.add(ETYPE)
        if self.settings.scheme is not None:
            fields.add(TAG)
        if not fields and not are_names_listed:
            return None
        layers = document.layers(fields)
        self.fields |= fields_of(layers, self.kinds, are_names_listed=are_names_listed)
        if self.settings.scheme is not None:
            return self._with_names_of_scheme(document, layers, self.settings.scheme)
        return layers

    def _with_names_of_scheme(self, document: Document, layers: Layers, scheme: str) -> Layers:
        """Return layers with the names that the tags of a document have by the scheme.

        Raises:
            ValueError: The document has no tags.
            ConllError: The scheme has no such tag.
        """
        if TAG not in layers.columns:
            raise ValueError(
                f"scheme: {document.path} has no column of tags, as the format iob has"
            )
        tags = layers.columns[TAG]
        letters = SCHEMES[scheme][0]
        for token, tag in enumerate(tags):
            if not tag or tag[0] not in letters:
                line = document.line_of(token)
                problem = f"the scheme {scheme} has no tag {tag}; leave out --scheme"
                raise ConllError(document.path, line, problem, document.name)
        rest = iter(tags)
        sentences = [list(islice(rest, len(sentence))) for sentence in layers.sentences]
        return Layers(
            layers.sentences,
            layers.columns,
            names=names_of(sentences, scheme),
            attributes=layers.attributes,
        )


@dataclass(frozen=True)
class ReadDocument:
    """A document of one side.

    Attributes:
        side: The side it is of.
        document: The document.
        layers: What its file gives besides mentions; None where nothing was asked for.
        are_names_listed: Whether names are those that the file lists, and not mentions with an
            entity type.
    """

    side: SpanSource
    document: Document
    layers: Layers | None
    are_names_listed: bool

    @property
    def columns(self) -> Columns:
        """Return the columns of its layers."""
        return {} if self.layers is None else self.layers.columns

    def spans(self, kind: str, groups: Columns) -> list[Span]:
        """List the mentions or the names of the document, in its order.

        Args:
            kind: Mentions or names.
            groups: The columns that spans are grouped by, of either side.

        Raises:
            ValueError: A mention is no span.
            ConllError: A score is not a number.
        """
        spans = []
        group_fields = self.side.settings.group_fields
        for mark in self._marked(kind):
            span = Span(
                start=mark.first,
                end=mark.last + 1,
                label=self._label_of(mark),
                score=self._score_of(mark),
                groups=tuple([mark.value(field, groups) for field in group_fields]),
                is_optional=mark.attributes.get(OPTIONAL) == str(True),
            )
            spans.append(span)
        return spans

    def _label_of(self, mark: Marked) -> str:
        """Return what has to be equal: the label, or the values of fields of the settings."""
        fields = self.side.settings.label_fields
        if not fields:
            return mark.label
        values = [mark.value(field, self.columns) for field in fields]
        if len(values) == 1:
            return values[0]
        # Different values never give the same text.
        return "|".join(value.replace("\\", r"\\").replace("|", r"\|") for value in values)

    def _marked(self, kind: str) -> Iterator[Marked]:
        """Yield mentions, or names: those that are listed, or mentions with an entity type."""
        if kind == "names" and self.are_names_listed:
            yield from _marked_names(self.layers)
            return
        if kind == "names" and (self.layers is None or not self.layers.attributes):
            return
        are_names = kind == "names"
        for mention in _marked_mentions(self.document, self.layers, labelled=are_names):
            if mention.label or not are_names:
                yield mention

    def _score_of(self, mark: Marked) -> float | None:
        """Read the confidence of a span: an attribute, or a column at its first word.

        Raises:
            ConllError: It is not a number.
        """
        field = self.side.score
        if field is None:
            return None
        text = mark.attributes.get(field)
        if text is None:
            text = _cell(self.columns.get(field, ()), mark.first)
        number = _number(text)
        if number is not None:
            return number
        problem = f"its {field} is {text!r}, no number" if text else f"it has no {field}"
        raise ConllError(
            self.side.source.path,
            self.document.line,
            f"the span {mark.first}-{mark.last} cannot be put above or below a threshold: "
            f"{problem}; write a number for each span",
            document=self.document.name,
        )


def _number(text: str) -> float | None:
    """Read a finite number; None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def fields_of(layers: Layers, kinds: Sequence[str], *, are_names_listed: bool) -> set[str]:
    """Return the fields that spans of these kinds can have: columns, and attributes of mentions.

    Names that a file lists have no attributes.
    """
    if are_names_listed and "mentions" not in kinds:
        return set(layers.columns)
    attributes = chain.from_iterable(layers.attributes)
    return {*layers.columns, *chain.from_iterable(attributes)}


@dataclass(frozen=True)
class DocumentSpans:
    """A document of key and response, None for one that is missing, and its spans by kind."""

    name: str
    key: Document | None
    response: Document | None
    spans: Mapping[str, Sides]

    def words(self) -> list[str]:
        """Return the words of the key, or else of the response; empty where they are not known."""
        for document in (self.key, self.response):
            words = None if document is None else document.text()
            if words is not None:
                return words
        return []

    def line_of(self, key: Span | None, response: Span | None) -> int | None:
        """Return the line of the key span, or else of the response span; None where unknown."""
        line = 0
        if key is not None and self.key is not None:
            line = self.key.line_of(key.start)
        elif response is not None and self.response is not None:
            line = self.response.line_of(response.start)
        return line or None


class SpanReader:
    """Read the spans of the documents of a corpus.

    Args:
        corpus: The key and the response.
        settings: Which spans to read, and of which documents.
        kinds: Mentions, names, or both; those of the settings if not given.

    Attributes:
        names: The documents to score.

    Raises:
        ValueError: A side has no such spans, or the pattern of the settings fits no document.
    """

    def __init__(
        self, corpus: WholeCorpus, settings: SpanSettings, kinds: Sequence[str] = ()
    ) -> None:
        self._corpus = corpus
        self._settings = settings
        self._kinds = kinds or (settings.kind,)
        # A side has scores where thresholds ask for them.
        self._key = SpanSource(corpus.key, settings, self._kinds, None)
        score = None if settings.thresholds is None else settings.score
        self._response = SpanSource(corpus.response, settings, self._kinds, score)
        self._is_listed: dict[tuple[SpanSource, str], bool] = {}
        self._problems: list[Problem] = []
        self.names = chosen_documents(corpus, settings.documents)

    def problems(self) -> list[Problem]:
        """List warnings about the files and documents; last, where their words differ."""
        of_files = problems_of_chosen(self._corpus, self._settings.documents)
        return of_files + self._problems + list(differences(self._corpus, self.names))

    def read(self, name: str) -> DocumentSpans:
        """Read the documents of this name and their spans; a missing document has none."""
        key, response = self._documents(name)
        self._note_problems(name, key, response)
        sides = [self._read_side(self._key, key), self._read_side(self._response, response)]
        groups = self._group_columns(sides)
        spans = {}
        for kind in self._kinds:
            spans[kind] = Sides([], [])
            for side, spans_of_side in zip(sides, spans[kind]):
                if side is not None:
                    spans_of_side.extend(side.spans(kind, groups))
        return DocumentSpans(name, key, response, spans)

    def _note_problems(self, name: str, key: Document | None, response: Document | None) -> None:
        if key is not None:
            self._problems += ends_of(key, "key")
        if response is None:
            self._problems.append(missing(self._corpus.response.path, name, EMPTY))
        else:
            self._problems += ends_of(response, "response")

    def _read_side(self, side: SpanSource, document: Document | None) -> ReadDocument | None:
        if document is None:
            return None
        are_names_listed = self._are_names_listed(side, document)
        layers = side.layers(document, are_names_listed=are_names_listed)
        return ReadDocument(side, document, layers, are_names_listed)

    def _documents(self, name: str) -> tuple[Document | None, Document | None]:
        """Read the documents of this name, which need no clusters where only names are scored."""
        if tuple(self._kinds) != ("names",):
            return self._corpus.pair(name)
        key = self._key.document_without_clusters(name)
        response = self._response.document_without_clusters(name)
        self._corpus.compare(name, key, response)
        return key, response

    def _group_columns(self, sides: Sequence[ReadDocument | None]) -> Columns:
        """Return the columns that spans are grouped by: the key's, or else the response's.

        The spans of both sides are grouped by the same column.
        """
        columns: dict[str, Sequence[str]] = {}
        for side in sides:
            if side is None:
                continue
            for field in self._settings.group_fields:
                if not columns.get(field):
                    columns[field] = side.columns.get(field, ())
        return columns

    def check_fields(self) -> None:
        """Check that some document that was read has each field that settings name.

        Raises:
            ValueError: None has it.
        """
        read_fields = self._key.fields | self._response.fields | {LABEL}
        for field in self._settings.fields:
            if field not in read_fields:
                spans = "name" if tuple(self._kinds) == ("names",) else "mention"
                problem = f"no word and no {spans} has a {field!r}"
                raise ValueError(f"{problem}; {self._choice()}")

    def fields_of_one_side(self) -> list[Problem]:
        """Warn of each field that labels consist of and only one side has."""
        problems = []
        for field in self._settings.label_fields:
            for side, own, other in (
                ("key", self._key, self._response),
                ("response", self._response, self._key),
            ):
                if field != LABEL and field in other.fields and field not in own.fields:
                    text = f"nothing in the {side} has {field!r}, so its labels are empty"
                    problems.append(Problem(own.source.path, 0, None, text))
        return problems

    def _choice(self) -> str:
        """List the fields of all documents for a message."""
        fields: set[str] = set()
        for name in self.names:
            for side, document in zip((self._key, self._response), self._documents(name)):
                if document is not None:
                    is_listed = self._are_names_listed(side, document)
                    layers = document.layers()
                    fields |= fields_of(layers, self._kinds, are_names_listed=is_listed)
        return f"choose from: {', '.join(sorted(fields))}" if fields else "there is none"

    def _are_names_listed(self, side: SpanSource, document: Document) -> bool:
        """Return whether the file lists names; if not, mentions with a type are names."""
        if "names" not in self._kinds:
            return False
        if self._settings.scheme is not None:
            return True
        # The files of a folder are as one file, but those of one format may list names where those
        # of another have types.
        file_format = side.format_of(document)
        if (side, file_format) not in self._is_listed:
            self._is_listed[side, file_format] = self._lists_names(side, file_format)
        return self._is_listed[side, file_format]

    def _lists_names(self, side: SpanSource, file_format: str) -> bool:
        """Return whether the files of a format of a side list names."""
        # A CoNLL-2012 file has no attributes of mentions.
        if file_format == "conll2012":
            return True
        names = self._corpus.names()
        if side.lists_names(file_format, names):
            return True
        # Where the other side has names, lists without any say that there are none.
        if not side.lists_names(file_format, names, empty=True):
            return False
        other = self._response if side is self._key else self._key
        return any(other.lists_names(other_format, names) for other_format in other.formats())
