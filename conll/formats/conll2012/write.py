"""A document as text in the format of `conll2012.py`. A module of its own, as scorer.pl reads that format and never writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.columns.nesting import CrossingError, lay_out
from conll.errors import ConllError, shorten
from conll.format import spans_of
from conll.formats.conll2012.layers import BEFORE, COLUMNS, STARRED, cells_of
from conll.formats.conll2012.lines import PLACEHOLDER, holds_label, holds_word
from conll.prose import amount

if TYPE_CHECKING:
    from conll.document import Document, Words


def text_of(document: Document) -> bytes:
    """One document, from its first to its last line; ConllError when the format cannot hold it."""
    try:
        cells = lay_out(spans_of(document, "conll2012"), _labels(document))
        _check_name(document.name)
        sentences = _sentences(document, cells)
        columns = _first_columns(document.name)
        beside = _beside(document, sum(map(len, sentences)))
        lines = [f"#begin document {document.name}"]
        token = 0
        for sentence in sentences:
            for number, word in enumerate(sentence):
                _check_word(word)
                lines.append(f"{columns}\t{number}\t{word}{beside[token]}\t{cells.get(token, '-')}")
                token += 1
            lines.append("")
        lines.append("#end document\n")
        return "\n".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
    except (CrossingError, _UnfitError) as error:
        problem = str(error)
    raise ConllError(document.path, document.line, f"not to be written as conll2012: {problem}", document=document.name)


class _UnfitError(ValueError):
    """A part of a document that the columns cannot hold."""


def _labels(document: Document) -> list[str]:
    labels = document.labels
    if len(set(labels)) == len(document.clusters) and all(map(holds_label, labels)):
        return labels
    return [str(number) for number in range(len(document.clusters))]


def _sentences(document: Document, cells: dict[int, str]) -> Words:
    """The words of the document, or placeholders for them."""
    last = max(cells, default=-1)
    tokens = last + 1 if document.tokens is None else document.tokens
    sentences = [[PLACEHOLDER] * tokens] if document.words is None else document.words
    tokens = sum(map(len, sentences))
    if last >= tokens:
        length = amount(tokens, "token")
        raise _UnfitError(f"its mentions go from token {min(cells)} to {last}, but it has {length}, counted from 0")
    return sentences


def _beside(document: Document, tokens: int) -> list[str]:
    """What stands between the word and the mentions of each token, with a TAB before each column."""
    columns = dict(filter(None, (cells_of(document, field) for field in document.fields)))
    beside = [""] * tokens
    for place in range(BEFORE, max(columns, default=0) + 1):
        nothing = "*" if place in STARRED or place >= BEFORE + len(COLUMNS) else "-"
        cells = columns.get(place) or [""] * tokens
        beside = [f"{before}\t{cell or nothing}" for before, cell in zip(beside, cells)]
    return beside


def _check_name(name: str) -> None:
    if "\n" in name or name.endswith("\r"):
        raise _UnfitError("its name holds a line break")


def _check_word(word: str) -> None:
    if not holds_word(word):
        raise _UnfitError(f"the word {shorten(word)} holds a TAB, a line break or the end of a document")


def _first_columns(name: str) -> str:
    """The columns of document and part, from a name such as `(bc/cctv/00/cctv_0000); part 000`; else the name and part 0."""
    identifier, separator, part = name.removeprefix("(").partition("); part ")
    if not separator or not (part.isascii() and part.isdigit()):
        identifier, part = name, "0"
    if identifier.split() != [identifier]:
        identifier = "-"
    return f"{identifier}\t{part.lstrip('0') or '0'}"
