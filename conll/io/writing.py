"""Writing documents into a file, in any format that has a writer."""

from __future__ import annotations

import io
import os
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from conll import formats
from conll.errors import ConllError
from conll.io.files import replacing
from conll.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conll.document import Document


def write_documents(
    documents: Source | Iterable[Document],
    file: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str = "conll2012",  # noqa: A002
    *,
    fit: Callable[[Document], Document] | None = None,
) -> None:
    """Write documents to a file (a path, or an open file, binary or text) in the named `format`.

    `fit` is called with each document, and what it returns is written: `conll.io.reduction.Reduction` leaves out what the format
    cannot hold.

    The words of a source, if it has any, are written with its documents; documents in memory bring their own (`words`).
    A path is replaced once everything is written, and stays as it was if writing fails.

    Raises ValueError when there is no such format or it has no writer, ConllError when the format cannot hold a document, two
    documents share a name, or one cannot be read, and OSError when the file cannot be written.

    >>> import sys
    >>> from conll import Document
    >>> write_documents([Document("a", [[(0, 1), (3, 3)]], words=[["The", "cat", "licks", "itself"]])], sys.stdout, "jsonl")
    {"doc_key": "a", "sentences": [["The", "cat", "licks", "itself"]], "clusters": [[[0, 1], [3, 3]]]}
    """
    write = formats.get(format).write
    if write is None:
        raise ValueError(f"the format {format!r} is read only; nothing can be written in it")
    whole: Iterable[Document] = _each_once(_with_words(documents) if isinstance(documents, Source) else documents)
    whole = whole if fit is None else map(fit, whole)
    if isinstance(file, (str, os.PathLike)):
        with replacing(os.fspath(file)) as out:
            write(whole, out)
    elif isinstance(file, io.TextIOWrapper):
        # Names may hold bytes that are not UTF-8, so the file's own encoding is bypassed.
        file.flush()
        _write_all(write, whole, file.buffer)
    elif not isinstance(file, io.TextIOBase):
        _write_all(write, whole, cast("BinaryIO", file))
    else:
        encoded = io.BytesIO()
        write(whole, encoded)
        file.write(encoded.getvalue().decode("utf-8", "surrogateescape"))


def _write_all(write: Callable[[Iterable[Document], BinaryIO], None], documents: Iterable[Document], file: BinaryIO) -> None:
    """Write to an open file; one without a buffer, as stdout is under PYTHONUNBUFFERED, may take a part of what it is given."""
    if not isinstance(file, io.RawIOBase):
        write(documents, file)
        return
    buffered = io.BufferedWriter(file)
    try:
        write(documents, cast("BinaryIO", buffered))
    finally:
        # This writes what is left.
        buffered.detach()


def _with_words(source: Source) -> Iterator[Document]:
    for name in source.names():
        document = source.document(name)
        if document is not None:
            document.words = source.words(name)
            document.fields = source.fields(name)
            yield document


def _each_once(documents: Iterable[Document]) -> Iterator[Document]:
    seen: set[str] = set()
    for document in documents:
        if document.name in seen:
            raise ConllError(
                document.path,
                document.line,
                "a document of this name is already written; each name stands once in a file",
                document=document.name,
            )
        seen.add(document.name)
        yield document
