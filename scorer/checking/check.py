"""List all problems of files, or of a key and a response: the function `scorer.check`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import chain
from operator import attrgetter
from typing import Any, BinaryIO

from conll import formats
from conll.anaphora import link_problems
from conll.archives import encoding_notes, head_of, open_url, plain, unpack
from conll.check import compare_texts, cut_off, missing
from conll.document import Document
from conll.errors import NOT_UTF8, ConllError, Problem, UnknownFormatError, not_utf8
from conll.formats.conll2012 import Conll2012Content
from conll.io import open_documents
from conll.joining import words_agree
from conll.paths import files_in, without_texts
from conll.remote import is_url
from conll.source import InputFile, Source, place_of, standard_input
from conll.syntax import is_span, pieces
from conll.text.aligned import aligned_or_joined
from scorer.engine.corpus import extra_documents
from scorer.engine.diagnosis import diagnose
from scorer.engine.score import WholeCorpus, evaluate
from scorer.inputs.sources import unlike
from scorer.keywords import DocumentNames
from scorer.match.align import align, repeat_in
from scorer.metrics import METRICS
from scorer.options import TABLE, Options
from scorer.report.columns import Column
from scorer.scheme import Scheme
from scorer.signatures import checked

Irregularity = Problem | ConllError
"""Something irregular: a problem, or an error for which a document cannot be read."""

ENTITIES_SHOWN = 3
"""How many entities with mentions of different types a note names."""


@dataclass(frozen=True)
class Finding:
    """Something irregular about a file; `str()` of it is one line.

    Attributes:
        kind: One of `conll.errors.KINDS`, or error if a document cannot be read; a note is no
            problem.
        file: The path.
        line: The line, from 1; None where no line is to blame.
        document: The name of the document, if any.
        text: One sentence.
        message: The line that `str()` returns, with the place.
    """

    kind: str
    file: str
    line: int | None
    document: str | None
    text: str
    message: str = field(repr=False)

    def __str__(self) -> str:
        return self.message

    @classmethod
    def of(cls, irregularity: Irregularity) -> Finding:
        """Make the finding of a problem or an error."""
        kind = irregularity.kind if isinstance(irregularity, Problem) else "error"
        return cls(
            kind=kind,
            file=irregularity.path,
            line=irregularity.line or None,
            document=irregularity.document,
            text=irregularity.problem,
            message=str(irregularity),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON has it."""
        return {
            "kind": self.kind,
            "file": self.file,
            "line": self.line,
            "document": self.document,
            "text": self.text,
        }


@checked
def check(
    *files: str | os.PathLike[str],
    key_format: str | None = None,
    response_format: str | None = None,
    each: bool = False,
    document_names: DocumentNames = "auto",
) -> list[Finding]:
    """List all problems of files, or of a key and a response, as `scorer check` does.

    Args:
        *files: A key and responses, files or directories, each of which is compared with the key.
            Of more than two, where none shares a document with the first, each is checked by
            itself, which a note says.
        key_format: The format of the key, or of all files with `each`; detected by content if None.
        response_format: The format of the responses.
        each: Whether each file is checked by itself.
        document_names: How documents of key and response are matched.

    Raises:
        OSError: A file cannot be opened.
        TypeError: No file is given.
        ValueError: There is no such format, or no response for it, or `document_names` is unknown.

    Examples:
        >>> from scorer import check
        >>> check("fixtures/example.key.conll", "fixtures/example.response.conll")
        []
    """
    if not files:
        raise TypeError("give at least one file to check")
    TABLE["document_names"].checked(document_names)
    paths = [os.fspath(file) for file in files]
    has_key = len(paths) > 1 and not each
    if response_format is not None and not has_key:
        raise ValueError("response_format needs a key and a response")
    files_and_formats = with_formats(paths, key_format, response_format if has_key else key_format)
    is_exact = document_names == "exact"
    return list(find_problems(files_and_formats, has_key=has_key, exact=is_exact))


def with_formats(
    paths: Sequence[str], first: str | None, others: str | None
) -> list[tuple[str, str | None]]:
    """Return each path with its format: that of the first file, or that of all others."""
    return list(zip(paths, [first, *[others] * (len(paths) - 1)]))


def find_problems(
    files: Sequence[tuple[str, str | None]], *, has_key: bool, exact: bool = False
) -> Iterator[Finding]:
    """Yield what is irregular about files, each finding once, as soon as it is found.

    Args:
        files: The path of each, and its format; detected by content where that is None.
        has_key: Whether they are a key and responses.
        exact: Whether only documents of equal names are pairs.

    Raises:
        OSError: A file cannot be opened.
    """
    # The same path may name another pipe than in an earlier call.
    _content_of_pipe.cache_clear()
    irregularities = check_files(files, has_key=has_key)
    if has_key:
        irregularities = chain(irregularities, _compare_all(files, exact=exact))
    messages: set[str] = set()
    for irregularity in irregularities:
        finding = Finding.of(irregularity)
        # An irregularity of a file may concern the pair, too.
        if finding.message not in messages:
            messages.add(finding.message)
            yield finding


def check_files(
    files: Iterable[tuple[str, str | None]], *, has_key: bool = False
) -> Iterator[Irregularity]:
    """Yield what is irregular about each file or directory.

    Args:
        files: The path of each, and its format; detected by content where that is None.
        has_key: Whether the first is the key of the others, by whose words they are recognised if
            nothing is marked in them.

    Raises:
        OSError: A file cannot be opened.
    """
    key: Source | None = None
    for path, name in files:
        yield from _check_path(path, name, key)
        if has_key and key is None:
            opened = _open(path, name)
            key = opened if isinstance(opened, Source) else None


def _check_path(path: str, name: str | None, key: Source | None) -> Iterator[Irregularity]:
    files = files_in(path)
    if files is None:
        yield from _check_file(path, name, key)
        return
    whole = _open(path, name, key)
    reported: set[tuple[str, int, str]] = set()
    for file in without_texts(files):
        for problem in _check_file(file, name, key):
            # Such a file is skipped where others can be read, and the whole reports it.
            if isinstance(whole, ConllError) or not isinstance(problem, UnknownFormatError):
                reported.add(_in_file(problem))
                yield problem
    # What is left concerns several files, or the directory itself.
    beyond = [whole] if isinstance(whole, ConllError) else whole.problems()
    yield from (problem for problem in beyond if _in_file(problem) not in reported)


def _in_file(irregularity: Irregularity) -> tuple[str, int, str]:
    """Return the place and the text; the document may have another name in a folder."""
    return irregularity.path, irregularity.line, irregularity.problem


def _compare_all(files: Sequence[tuple[str, str | None]], *, exact: bool) -> Iterator[Irregularity]:
    """Yield what is irregular about a key and each response; unreadable files are skipped.

    Several files may be no key and responses, but for example the documents of a corpus.
    """
    [(key_path, key_format), *others] = files
    key = _open(key_path, key_format)
    if isinstance(key, ConllError):
        return
    if len(others) > 1 and not any(_shares(key, path, name, exact=exact) for path, name in others):
        text = "it shares no document with the other files; each is checked by itself, as by --each"
        yield Problem(key_path, 0, None, text, kind="note")
        return
    for path, name in others:
        response = _joined(key, path, name, exact=exact)
        if isinstance(response, Source):
            yield from _compare_sources(key, response)
        elif response is not None:
            yield response


def _joined(key: Source, path: str, name: str | None, *, exact: bool) -> Source | ConllError | None:
    """Return a response with the names of the key; None if it cannot be read."""
    response = _open(path, name, key)
    if isinstance(response, ConllError):
        return None
    try:
        return aligned_or_joined(key, response.as_response(), exact=exact)
    except ConllError as error:
        return error


def _shares(key: Source, path: str, name: str | None, *, exact: bool) -> bool:
    """Return whether a file has a document of the key."""
    response = _joined(key, path, name, exact=exact)
    if not isinstance(response, Source):
        return False
    shared = [document for document in key.names() if document in set(response.names())]
    if not shared:
        return False
    if not all(document in key.unnamed and document in response.unnamed for document in shared):
        return True
    # The number of a document in its file says nothing about its text.
    document, response_document = _read(key, shared[0]), _read(response, shared[0])
    return (
        isinstance(document, Document)
        and isinstance(response_document, Document)
        and words_agree(document.text(), response_document.text())
    )


def _compare_sources(key: Source, response: Source) -> Iterator[Irregularity]:
    """Yield documents that one side lacks, and the first difference of those that both have."""
    for problem in response.problems():
        if problem.kind == "note":
            yield problem
    names = set(response.names())
    is_noted = False
    readable: list[str] = []
    matched = of_key = of_response = 0
    for name in key.names():
        if name not in names:
            in_key = place_of(key, name, "key")
            yield missing(response.path, name, there=f", which is in {in_key}")
            continue
        document, response_document = _read(key, name), _read(response, name)
        if response.loose and isinstance(response_document, ConllError):
            yield response_document
        if not isinstance(document, Document) or not isinstance(response_document, Document):
            continue
        readable.append(name)
        yield from response_document.repairs
        difference = compare_texts(document, response_document, (key, response))
        # That words are not known is noted once for all documents.
        if difference is not None and not (is_noted and difference.kind == "note"):
            yield difference
            is_noted = is_noted or difference.kind == "note"
        text = unlike(document.clusters, response_document.clusters)
        if text:
            yield ConllError(response_document.path, response_document.line, text, document.name)
        key_mentions = {*chain.from_iterable(document.clusters)}
        response_mentions = {*chain.from_iterable(response_document.clusters)}
        matched += len(key_mentions & response_mentions)
        of_key += len(key_mentions)
        of_response += len(response_mentions)
    smaller = min(of_key, of_response)
    # Nearly always enough mentions match, and no document has to be read again.
    if not smaller or 2 * matched < smaller or key.has_predictions:
        yield from diagnose(
            key, response, readable, lambda name: (key.read(name), response.read(name))
        )
    yield from extra_documents(key, response, key_path=key.path)


def _check_file(path: str, name: str | None, key: Source | None) -> Iterator[Irregularity]:
    encoding = _encoding_error(path)
    if encoding is not None:
        yield encoding
    source = _open(path, name, key)
    if isinstance(source, ConllError):
        found: Iterable[Irregularity] = list(_check_lines(path, name)) or [source]
    else:
        found = _check_source(source)
    for irregularity in found:
        if encoding is None or not irregularity.problem.endswith(NOT_UTF8):
            yield irregularity


def _encoding_error(path: str) -> ConllError | None:
    """Return the error of the first byte of a file that is not UTF-8, if there is one."""
    if is_url(path) or os.path.isdir(path):
        return None
    with _binary(path) as file:
        try:
            unpacked = unpack(file, path)
            content = plain(unpacked, encoding_notes(unpacked))
            head = head_of(content, path)
        except ConllError:
            return None
        # XML names its encoding, and what has such bytes is no text.
        if head.startswith(b"<?xml") or b"\0" in head:
            return None
        for number, line in enumerate(content, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return not_utf8(error, path, number)
    return None


def _check_source(source: Source, before: int = 0) -> Iterator[Irregularity]:
    """Yield what is irregular about a source.

    Args:
        source: The source.
        before: The number of lines of its file before its first one.
    """
    for problem in source.problems():
        yield _below(problem, before)
    for name in source.names():
        document = _read(source, name)
        if isinstance(document, ConllError):
            for error in sorted([document, *document.others()], key=attrgetter("line")):
                yield _below(error, before)
        elif document is not None:
            # Problems of mentions name the lines of others in their text.
            document.line += before
            document.lines = [[line + before for line in lines] for lines in document.lines]
            yield from cut_off(document)
            for repeat in align(document.clusters, []).repeats:
                yield repeat_in(document, repeat, "write it once")
            for problem in (*document.repairs, *link_problems(document), *_mixed_types(document)):
                yield _below(problem, before)


def _mixed_types(document: Document) -> Iterator[Problem]:
    """Note the entities of a document whose mentions have different types, if there are any."""
    if isinstance(document.content, Conll2012Content):
        return  # its mentions have no types
    attributes = document.layers(("etype",)).attributes
    entities: list[tuple[int, str]] = []
    for label, lines, mentions in zip(document.ids(), document.lines, attributes):
        types = [mention.get("etype", "") for mention in mentions]
        different = list(dict.fromkeys(filter(None, types)))
        if len(different) > 1:
            text = f"{label} ({', '.join(different)})"
            entities.append((lines[types.index(different[1])], text))
    if entities:
        shown = ", ".join(text for _, text in entities[:ENTITIES_SHOWN])
        more = ", …" if len(entities) > ENTITIES_SHOWN else ""
        noun = "entity has" if len(entities) == 1 else "entities have"
        text = f"{len(entities)} {noun} mentions of different types: {shown}{more}"
        yield Problem(document.path, min(entities)[0], document.name, text, kind="note")


def _check_lines(path: str, name: str | None) -> Iterator[Irregularity]:
    """Yield what is irregular about each line of a file whose lines are read by themselves."""
    with _binary(path) as file:
        try:
            unpacked = unpack(file, path)
            content = plain(unpacked, encoding_notes(unpacked))
            file_format = formats.get(name or formats.detect(head_of(content, path), path))
        except ConllError:
            return
        content.seek(0)
        if file_format.in_lines is None or not file_format.in_lines(content):
            return
        for before, text in enumerate(content):
            try:
                yield from _check_source(file_format.open(InputFile(BytesIO(text), path)), before)
            except ConllError as error:
                yield _below(error, before)


def _below(irregularity: Irregularity, before: int) -> Irregularity:
    """Return the same irregularity so many lines further down."""
    moved = copy(irregularity)
    moved.line = moved.line and moved.line + before
    if isinstance(moved, Problem) and moved.beside is not None:
        moved.beside.line = moved.beside.line and moved.beside.line + before
    return moved


@cache
def _content_of_pipe(path: str) -> bytes | None:
    """Return what is in a pipe, which can be read once; None for all else."""
    if path == "-":
        return standard_input().read()
    if is_url(path) or not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def _binary(path: str) -> BinaryIO:
    """Open a path or a URL to read its bytes."""
    content = _content_of_pipe(path)
    if content is not None:
        return BytesIO(content)
    return open_url(path) if is_url(path) else open(path, "rb")


def _open(path: str, name: str | None, key: Source | None = None) -> Source | ConllError:
    try:
        content = _content_of_pipe(path)
        file = path if content is None else BytesIO(content)
        source = open_documents(file, name, name=path, key=key)
        # Some files are refused once they are indexed.
        source.names()
        return source
    except ConllError as error:
        return error


def _read(source: Source, name: str) -> Document | ConllError | None:
    try:
        document = source.read(name)
        # Words that can be read as arrays are never wrong, and take as long to read as all else.
        if document is not None and not isinstance(document.content, Conll2012Content):
            document.words  # noqa: B018  reading them shows whether they are malformed
    except ConllError as error:
        return error
    return document


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
        if document is None:
            continue
        length = document.tokens if words is None else len(words)
        if length is not None:
            summary.words = (summary.words or 0) + length
        shape = Shape(document.name)
        shape.add(document)
        summary.shapes.append(shape)
        summary.mentions += shape.mentions
        summary.clusters += shape.entities
        summary.singletons += shape.singletons
    return summary


def count_matches(key: Source, response: Source, options: Options) -> Matches:
    """Count the mentions that match, as `scorer score` matches them.

    Raises:
        ConllError: A document cannot be read, or the two sides have none in common.
    """
    scheme = Scheme([METRICS["mentions"]])
    evaluation = evaluate(WholeCorpus(key, response, options), scheme, keep=False)
    [counts] = evaluation.totals["mentions"]
    return Matches(
        documents=evaluation.scored - len(evaluation.documents_with("missing")),
        mentions=int(counts.recall_numerator),
        key=int(counts.recall_denominator),
        response=int(counts.precision_denominator),
    )


@dataclass
class Shape:
    """Counts of the mentions and entities of a document or of a file, and their means.

    Attributes:
        document: The name of the document; empty for a whole file.
        mentions: The number of mentions.
        entities: The number of entities that have a mention.
        singletons: How many of these have one mention.
        placed: The number of mentions that are made of words.
        mention_words: The words of these together.
        spread_entities: The number of entities with two such mentions or more.
        spread_words: The words from the first word of the first mention to that of the last one, of
            these entities together.
    """

    document: str
    mentions: int = 0
    entities: int = 0
    singletons: int = 0
    placed: int = 0
    mention_words: int = 0
    spread_entities: int = 0
    spread_words: int = 0

    @property
    def means(self) -> dict[str, float | None]:
        """The means by name; None where there is nothing to take the mean of."""
        return {column.name: column.value_of(self) for column in MEANS}

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the means."""
        return vars(self) | self.means

    def add(self, document: Document) -> None:
        """Count the mentions and entities of a document."""
        for cluster in document.clusters:
            if not cluster:
                continue
            self.entities += 1
            self.mentions += len(cluster)
            self.singletons += len(cluster) == 1
            first_words: list[int] = []
            for mention in cluster:
                spans = _spans_of(mention)
                if spans:
                    first_words.append(spans[0][0])
                    self.mention_words += sum(last - first + 1 for first, last in spans)
            self.placed += len(first_words)
            if len(first_words) > 1:
                self.spread_entities += 1
                self.spread_words += max(first_words) - min(first_words)


def _spans_of(mention: Any) -> list[Any]:
    """Return the spans of words of a mention; none of an empty node, or of a mention by name."""
    if type(mention) is not tuple:
        return []
    return [piece for piece in pieces(mention) if is_span(piece)]


def _mean(total: int, number: int) -> float | None:
    return total / number if number else None


MEANS = (
    Column(
        name="mentions_per_entity",
        value=lambda shape: _mean(shape.mentions, shape.entities),
        kind="mean",
        heading="mentions/entity",
    ),
    Column(
        name="spread",
        value=lambda shape: _mean(shape.spread_words, shape.spread_entities),
        kind="mean",
        heading="spread",
    ),
    Column(
        name="mention_length",
        value=lambda shape: _mean(shape.mention_words, shape.placed),
        kind="mean",
        heading="mention length",
    ),
    Column(
        name="singleton_share",
        value=lambda shape: _mean(shape.singletons, shape.entities),
        kind="percentage",
        heading="singletons",
    ),
)
"""The means of a shape, as columns of the table and fields of JSON."""
