"""Lists everything that is odd about a file, or about a key and a response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from io import BytesIO
from operator import attrgetter

from conll import formats
from conll.anaphora import link_problems
from conll.check import compare_texts, cut_off, extra, missing
from conll.document import Document
from conll.errors import ConllError, Problem, UnknownFormatError
from conll.formats.conll2012 import Conll2012Content
from conll.io import (
    files_in,
    head_of,
    oddities,
    open_documents,
    open_url,
    plain,
    unpack,
    without_texts,
)
from conll.remote import is_url
from conll.source import InputFile, Source, place_of
from conll.text.aligned import aligned
from scorer.engine.diagnosis import diagnose
from scorer.inputs.clusters import unlike
from scorer.match.align import align, repeat_in

Found = Problem | ConllError

SHOWN = 3
"""How many entities with mentions of different types a note names."""


def check_files(
    files: Iterable[tuple[str, str | None]], *, is_pair: bool = False
) -> Iterator[Found]:
    """Yield what is odd about each file or directory.

    Args:
        files: The path of each, and its format; detected by content where that is None.
        is_pair: Whether the first is the key of the second, by whose words that is recognised if
            nothing is marked in it.

    Raises:
        OSError: One cannot be opened.
    """
    key: Source | None = None
    for path, name in files:
        yield from _check_path(path, name, key)
        if is_pair and key is None:
            opened = _open(path, name)
            key = opened if isinstance(opened, Source) else None


def _check_path(path: str, name: str | None, key: Source | None) -> Iterator[Found]:
    files = files_in(path)
    if files is None:
        yield from _check_file(path, name, key)
        return
    whole = _open(path, name, key)
    said: set[tuple[str, int, str]] = set()
    for file in without_texts(files):
        for problem in _check_file(file, name, key):
            # Such a file is skipped where others can be read, and the whole reports it.
            if isinstance(whole, ConllError) or not isinstance(problem, UnknownFormatError):
                said.add(_of_file(problem))
                yield problem
    # What is left concerns several files, or the directory itself.
    beyond = [whole] if isinstance(whole, ConllError) else whole.problems()
    yield from (problem for problem in beyond if _of_file(problem) not in said)


def _of_file(found: Found) -> tuple[str, int, str]:
    """Return what is said of a place in a file; its document may be called otherwise in a folder."""
    return found.path, found.line, found.problem


def compare(
    key_path: str,
    response_path: str,
    key_format: str | None = None,
    response_format: str | None = None,
    *,
    exact: bool = False,
) -> Iterator[Found]:
    """Documents that one of the two lacks, and the first difference of those that both have.

    Unreadable ones are skipped. `exact`: whether only documents of equal names are pairs.
    """
    key = _open(key_path, key_format)
    if isinstance(key, ConllError):
        return
    response = _open(response_path, response_format, key)
    if isinstance(response, ConllError):
        return
    try:
        response = aligned(key, response.as_response(), exact=exact)
    except ConllError as error:
        yield error
        return
    yield from (problem for problem in response.problems() if problem.kind == "note")
    names, known = set(response.names()), set(key.names())
    is_noted = False
    readable: list[str] = []
    for at in key.names():
        if at not in names:
            place = place_of(key, at, "key")
            yield missing(response.path, at, there=f", which is in {place}")
            continue
        of_key, of_response = _read(key, at), _read(response, at)
        if response.loose and isinstance(of_response, ConllError):
            yield of_response
        if isinstance(of_key, ConllError) or isinstance(of_response, ConllError):
            continue
        if of_key is None or of_response is None:
            continue
        yield from of_response.repairs
        difference = compare_texts(of_key, of_response, (key, response))
        if difference is not None and not (is_noted and difference.kind == "note"):
            is_noted = is_noted or difference.kind == "note"
            yield difference
        readable.append(at)
        # In all other formats mentions are told by tokens.
        if "json" not in f"{key.format}+{response.format}".split("+"):
            continue
        problem = unlike(of_key.clusters, of_response.clusters)
        if problem:
            yield ConllError(of_response.path, of_response.line, problem, at)
    yield from diagnose(key, response, readable, lambda at: (key.read(at), response.read(at)))
    for at in response.names():
        if at not in known:
            yield extra(place_of(response, at, "response"), at, key=key.path)


def _check_file(path: str, name: str | None, key: Source | None) -> Iterator[Found]:
    source = _open(path, name, key)
    if isinstance(source, ConllError):
        yield from list(_check_lines(path, name)) or [source]
    else:
        yield from _check_source(source)


def _check_source(source: Source, before: int = 0) -> Iterator[Found]:
    """Yield what is odd about a source, whose first line stands in its file after so many others."""
    for problem in source.problems():
        yield _below(problem, before)
    for at in source.names():
        document = _read(source, at)
        if isinstance(document, ConllError):
            errors = [document, *document.others()]
            for error in sorted(errors, key=attrgetter("line")):
                yield _below(error, before)
        elif document is not None:
            # Problems of mentions say in words where others stand.
            document.line += before
            document.lines = [[line + before for line in lines] for lines in document.lines]
            yield from cut_off(document)
            for repeat in align(document.clusters, []).repeats:
                yield repeat_in(document, repeat, "write it once")
            others = *document.repairs, *link_problems(document), *_mixed_types(document)
            for problem in others:
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
            line = lines[types.index(different[1])]
            entities.append((line, f"{label} ({', '.join(different)})"))
    if entities:
        shown = ", ".join(text for _, text in entities[:SHOWN])
        more = ", …" if len(entities) > SHOWN else ""
        noun = "entity has" if len(entities) == 1 else "entities have"
        text = f"{len(entities)} {noun} mentions of different types: {shown}{more}"
        yield Problem(document.path, min(entities)[0], document.name, text, kind="note")


def _check_lines(path: str, name: str | None) -> Iterator[Found]:
    """Yield what is odd about each line of a file whose lines are read by themselves."""
    with open_url(path) if is_url(path) else open(path, "rb") as file:
        try:
            unpacked = unpack(file, path)
            content = plain(unpacked, oddities(unpacked))
            form = formats.get(name or formats.detect(head_of(content, path), path))
        except ConllError:
            return
        content.seek(0)
        if form.in_lines is None or not form.in_lines(content):
            return
        for before, text in enumerate(content):
            try:
                yield from _check_source(form.open(InputFile(BytesIO(text), path)), before)
            except ConllError as error:
                yield _below(error, before)


def _below(found: Found, before: int) -> Found:
    """Return the same problem so many lines further down."""
    moved = copy(found)
    for place in (moved, moved.beside if isinstance(moved, Problem) else None):
        if place is not None:
            place.line = place.line and place.line + before
    return moved


def _open(path: str, name: str | None, key: Source | None = None) -> Source | ConllError:
    try:
        source = open_documents(path, name, key=key)
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
