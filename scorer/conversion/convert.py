"""Write the documents of a file in another format: the function `scorer.convert`, its use case."""

from __future__ import annotations  # `checked` reads what is written

import os
from dataclasses import dataclass, field
from typing import IO, Literal

from conll import formats
from conll.convert import ENDINGS, Reduction, format_of, write_documents
from conll.document import Document
from conll.errors import ConllError, Problem, check_choice
from conll.io import open_documents
from conll.source import Source, place_of
from conll.text.aligned import aligned_or_joined
from scorer.events import LibraryEvents
from scorer.keywords import DocumentNames
from scorer.options import TABLE
from scorer.signatures import checked


@dataclass
class Conversion:
    """The losses of a conversion.

    Attributes:
        left_out: A sentence for each kind of thing that the format could not hold.
        problems: Warnings about the input, and repairs.
    """

    left_out: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def target_format(path: str, name: str | None, advice: str) -> str:
    """Return the format to write: the one named, or by the ending of a path.

    Args:
        path: The path.
        name: The name of the format, if any.
        advice: How to name one, for a message.

    Raises:
        ValueError: There is no such format, or the ending names none.
    """
    target = formats.spelled(name) if name else format_of(path)
    if target is None:
        problem = "the ending names no format of documents"
        raise ValueError(f"{path}: {problem}; {advice}, or one of {', '.join(ENDINGS)}")
    return target


SIDES = ("key", "response")
"""The sides whose clusters can be read from a file that holds both."""


def source_to_convert(
    source: str | os.PathLike[str] | IO[bytes] | IO[str],
    source_format: str | None,
    key: str | os.PathLike[str] | None,
    side: str | None,
    *,
    exact: bool,
) -> Source:
    """Open a source; with a key, align its words with those of the key, and repair it.

    Args:
        source: A file, a directory, a URL or an open file.
        source_format: Its format; detected by content if None.
        key: The key, if any.
        side: The clusters to read from a file that holds those of a key and of a response.
        exact: Whether only documents of equal names are pairs.

    Raises:
        ConllError: The key lacks a document; only the key has the words to which it is aligned.
    """
    opened_key = None if key is None else open_documents(key)
    opened = open_documents(source, source_format, key=opened_key)
    if side == "response":
        opened = opened.as_response()
    if opened_key is None:
        return opened
    response = aligned_or_joined(opened_key, opened, "key", exact=exact)
    known = set(opened_key.names())
    for name in response.names():
        if name not in known:
            problem = f"{opened_key.path} has no such document to align it with; leave it out of IN"
            raise ConllError(response.path, place_of(response, name).line, problem, name)
    return response


def convert_documents(
    source: Source,
    file: str | IO[bytes],
    target: str,
    *,
    drop: bool = False,
    sided: bool = False,
) -> Conversion:
    """Write the documents of a source in a format; what it cannot hold is left out.

    Args:
        source: The documents.
        file: The path, or an open file. A path is replaced once all is written.
        target: The name of the format.
        drop: Whether mentions and words may be left out, too.
        sided: Whether the clusters of one side were chosen.

    Raises:
        ConllError: A document cannot be read, or the format cannot hold it.
        OSError: The file cannot be written.
    """
    fit = Reduction(target, drop=drop, sided=sided)
    conversion = Conversion()

    def fitted(document: Document) -> Document:
        conversion.problems.extend(document.repairs)
        return fit(document)

    try:
        write_documents(source, file, target, fit=fitted)
    except ConllError as error:
        if drop or not _fits_without(source, target, sided=sided):
            raise
        problem = f"{error.problem}; use --drop to leave out what OUT cannot hold"
        raise ConllError(error.path, error.line, problem, error.document, error.text) from None
    conversion.left_out = list(fit.left_out())
    conversion.problems[:0] = source.problems()
    return conversion


def _fits_without(source: Source, target: str, *, sided: bool) -> bool:
    """Return whether a format can hold the documents without some mentions and words."""
    with open(os.devnull, "wb") as nothing:
        try:
            write_documents(source, nothing, target, fit=Reduction(target, drop=True, sided=sided))
        except ValueError:
            return False
    return True


@checked
def convert(  # noqa: PLR0913  each is an option of its own
    source: str | os.PathLike[str] | IO[bytes] | IO[str],
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002  the word of the library
    *,
    source_format: str | None = None,
    key: str | os.PathLike[str] | None = None,
    side: Literal["key", "response"] | None = None,
    drop: bool = False,
    document_names: DocumentNames = "auto",
) -> list[str]:
    """Write the documents of a file in another format, as `scorer convert` does.

    A ScorerWarning sums up what is irregular about the source.

    Args:
        source: A file, a directory, a URL or an open file.
        path: The file to write; it is replaced once all is written.
        format: The format to write; by default that of the ending of `path`.
        source_format: The format of the source; detected by content if None.
        key: A key with which the words of the source are aligned.
        side: The clusters to read from a file that holds those of a key and of a response.
        drop: Whether to leave out mentions and words that the format cannot hold.
        document_names: How documents of the source and the key are matched.

    Returns:
        A sentence for each kind of thing that was left out.

    Raises:
        ConllError: A document cannot be read, or the format cannot hold it.
        OSError: A file cannot be opened or written.
        ValueError: There is no such format, no ending names one, a value of an option is unknown,
            or an option needs a key.

    Examples:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "key.jsonl")
        >>> convert("fixtures/example.key.conll", path)
        []
    """
    output = os.fspath(path)
    if output == "-":
        raise ValueError("convert writes a file, and '-' names none; give a path")
    if side is not None:
        check_choice("side", side, SIDES)
    option = TABLE["document_names"]
    if option.checked(document_names) != option.default and key is None:
        raise ValueError("document_names needs key; add it, or leave document_names out")
    target = target_format(output, format, "name the format")
    is_exact = document_names == "exact"
    opened = source_to_convert(source, source_format, key, side, exact=is_exact)
    conversion = convert_documents(opened, output, target, drop=drop, sided=side is not None)
    LibraryEvents().warn(conversion.problems)
    return conversion.left_out
