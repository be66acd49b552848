"""Sources of the documents that users pass to the functions of the library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, TypeGuard

from conll.document import Document
from conll.errors import shown
from conll.source import Source
from scorer.inputs.clusters import check_name, clusters_of, content, digest_of
from scorer.keywords import Clusters, Documents

ONLY = "0"
"""The name of the document if clusters come without one."""


def document_of(
    clusters: Clusters | Document, name: str, side: str, *, numbers: bool = False
) -> Document:
    """Return the clusters of one document, or a document, as a document of that name.

    Args:
        clusters: The clusters or the document, which stays as it is.
        name: The name of the document.
        side: Key or response, for messages.
        numbers: Whether a number is a mention, too.
    """
    where = f"{side}, document {name}"
    if not isinstance(clusters, Document):
        return Document(name, clusters_of(clusters, where, numbers=numbers), path=side)
    document = copy(clusters)
    document.name = name
    document.clusters = clusters_of(clusters.clusters, where, numbers=numbers)
    document.path = document.path or side
    return document


class MemorySource(Source):
    """Documents by their names, each clusters or a document, as `scorer.score` takes them.

    Args:
        documents: The documents.
        side: Key or response.
    """

    format = "memory"

    def __init__(self, documents: Mapping[str, Clusters | Document], side: str) -> None:
        self.path = side
        self._documents: dict[str, Document] = {}
        for name, clusters in documents.items():
            check_name(name, side)
            self._documents[name] = document_of(clusters, name, side)

    def names(self) -> list[str]:
        return list(self._documents)

    def read(self, name: str) -> Document | None:
        return self._documents.get(name)

    def chunks(self) -> Iterator[bytes]:
        for name, document in self._documents.items():
            yield content(name, digest_of(document.clusters))


def _is_file(documents: object) -> TypeGuard[str | os.PathLike[str]]:
    if isinstance(documents, Source):
        return False
    return isinstance(documents, (str, os.PathLike)) or hasattr(documents, "read")


def _is_nameless(documents: Documents) -> bool:
    """Return whether this is one document, or its clusters."""
    if isinstance(documents, Source):
        return False
    return not _is_file(documents) and not hasattr(documents, "keys")


def named_alike(
    key: Documents, response: Documents, sides: tuple[str, str] = ("key", "response")
) -> tuple[Documents, Documents]:
    """Return a key and a response whose documents have names on both sides, or on neither.

    A `Document` counts by its name where the documents of the other side have names.

    Args:
        key: The documents of one side.
        response: The documents of the other side.
        sides: The words for the two, for messages.

    Raises:
        TypeError: The documents of one side have names and those of the other do not, or a side is
            neither a file, nor documents or clusters.
    """
    first_side, second_side = sides
    _check_documents(key, first_side)
    _check_documents(response, second_side)
    if _is_nameless(key) == _is_nameless(response):
        return key, response
    if isinstance(key, Document):
        return {key.name: key}, response
    if isinstance(response, Document):
        return key, {response.name: response}
    if _is_nameless(key):
        nameless, named, documents = first_side, second_side, response
    else:
        nameless, named, documents = second_side, first_side, key
    kind = "a mapping from names to clusters"
    if isinstance(documents, (str, os.PathLike)):
        kind = f"the file {os.fspath(documents)}"
    elif isinstance(documents, Source):
        kind = f"the source {documents.path}"
    elif _is_file(documents):
        kind = "an open file"
    problem = f"the {named} is {kind}, and the {nameless} is clusters without a document name"
    raise TypeError(f"{problem}; pass the {nameless} as {{name: clusters}}")


def _check_documents(documents: object, side: str) -> None:
    """Raise TypeError for what is neither a file, nor documents or clusters."""
    is_iterable = hasattr(documents, "__iter__") or hasattr(documents, "tolist")
    is_document = isinstance(documents, Document)
    if isinstance(documents, (bytes, bytearray)):
        problem = f"the {side} cannot be bytes"
        raise TypeError(f"{problem}; pass a path as text, or the content as io.BytesIO(content)")
    if not (is_iterable or is_document or _is_file(documents)):
        advice = "pass a path, an open file, a list of clusters, or {name: clusters}"
        raise TypeError(f"the {side} cannot be {shown(documents)}; {advice}")


def source_of(
    documents: Documents,
    side: str,
    format: str | None = None,  # noqa: A002  the word of the options
    *,
    key: Source | None = None,
) -> Source:
    """Return the documents of the key or the response (`side`) as a source.

    A response in which nothing is marked is recognised by the words of its `key`.

    Raises:
        ValueError: There is a format, but no file to be opened.
    """
    if isinstance(documents, Source):
        if format is not None:
            raise ValueError(f"{side}_format names the format of a file, but the {side} is open")
        return documents
    _check_documents(documents, side)
    if _is_file(documents):
        from conll.io import open_documents

        # What a model writes at the start of its training may be empty.
        return open_documents(documents, format, empty=side == "response", key=key)
    if format is not None:
        raise ValueError(f"{side}_format names the format of a file, but the {side} is in memory")
    named: Any = documents
    if _is_nameless(documents):
        named = {ONLY: documents}
    return MemorySource(named, side)


def sources_of(
    key: Documents, response: Documents, key_format: str | None, response_format: str | None
) -> tuple[Source, Source]:
    """Return the documents of a key and of a response as sources, as `source_of` does."""
    source = source_of(key, "key", key_format)
    return source, source_of(response, "response", response_format, key=source)


def named_documents(
    documents: Mapping[str, Documents] | Iterable[Documents], argument: str, noun: str
) -> dict[str, Documents]:
    """Return the documents of several systems or annotators by name.

    Args:
        documents: A mapping from names, or a list, which is named after its files if all are files,
            and else numbered from 1.
        argument: The name of the argument, a plural, for messages.
        noun: The word for whoever made the documents, for messages.

    Raises:
        TypeError: This is one path, or a name is no text.
    """
    if isinstance(documents, (str, bytes, os.PathLike, Source)):
        advice = f"write a list of {argument} or a mapping from names of {noun}s to them"
        kind = "source" if isinstance(documents, Source) else "path"
        raise TypeError(f"{argument}: this is one {kind}; {advice}")
    if isinstance(documents, Mapping):
        for name in documents:
            check_name(name, argument, f"a {noun}")
        return dict(documents)
    listed = list(documents)
    paths = [os.fspath(item) for item in listed if isinstance(item, (str, os.PathLike))]
    if len(paths) < len(listed):
        return {str(number): item for number, item in enumerate(listed, start=1)}
    # Loaded only here, as those who compare what is in memory give names.
    from scorer.inputs.names import names_of

    return dict(zip(names_of(paths, noun=noun), listed))
