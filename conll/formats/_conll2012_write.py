"""Write documents as CoNLL-2012."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.brackets import CrossingError, lay_out
from conll.errors import pluralize, shorten
from conll.formats import ids_for, refusal, spans_of
from conll.formats._conll2012_columns import BEFORE, COLUMNS, STARRED, cells_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from conll.document import Document, Words

PLACEHOLDER = "[WORD]"
"""Written for a word that is not known, as in the files of the shared task that are published
without their words."""


def text_of(
    document: Document, *, holds_label: Callable[[str], bool], holds_word: Callable[[str], bool]
) -> bytes:
    """Return a document, from its first to its last line.

    Args:
        document: The document.
        holds_label: Returns whether a cluster may have a given id.
        holds_word: Returns whether a line can hold a given word.

    Raises:
        ConllError: The format cannot hold it.
    """
    name = document.name
    try:
        brackets = lay_out(spans_of(document, "conll2012"), ids_for(document, holds_label))
    except CrossingError as error:
        raise refusal(document, "conll2012", str(error)) from None
    if "\n" in name or name.endswith("\r"):
        raise refusal(document, "conll2012", "its name holds a line break")
    sentences = _sentences(document, brackets)
    first_columns = _first_columns(name)
    middle_columns = _middle_columns(document, sum(map(len, sentences)))
    lines = [f"#begin document {name}"]
    token = 0
    for sentence in sentences:
        for number, word in enumerate(sentence):
            if not holds_word(word):
                problem = "holds a TAB, a line break or the end of a document"
                raise refusal(document, "conll2012", f"the word {shorten(word)} {problem}")
            cell = brackets.get(token, "-")
            lines.append(f"{first_columns}\t{number}\t{word}{middle_columns[token]}\t{cell}")
            token += 1
        lines.append("")
    lines.append("#end document\n")
    try:
        return "\n".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
        raise refusal(document, "conll2012", problem) from None


def _sentences(document: Document, brackets: dict[int, str]) -> Words:
    """Return the words of the document, or placeholders for them.

    Raises:
        ConllError: A mention ends after the last word.
    """
    last = max(brackets, default=-1)
    if document.words is not None:
        sentences = document.words
    elif document.tokens is not None:
        sentences = [[PLACEHOLDER] * document.tokens]
    else:
        sentences = [[PLACEHOLDER] * (last + 1)]
    tokens = sum(map(len, sentences))
    if last >= tokens:
        problem = f"its mentions go from token {min(brackets)} to {last}, but it has "
        problem += f"{pluralize(tokens, 'token')}, counted from 0"
        raise refusal(document, "conll2012", problem)
    return sentences


def _middle_columns(document: Document, tokens: int) -> list[str]:
    """Return the columns between word and mentions of each token, with a TAB before each column."""
    columns: dict[int, list[str]] = {}
    for field in document.fields:
        numbered_cells = cells_of(document, field)
        if numbered_cells is not None:
            column, cells = numbered_cells
            columns[column] = cells
    rows = [""] * tokens
    for column in range(BEFORE, max(columns, default=0) + 1):
        empty = "*" if column in STARRED or column >= BEFORE + len(COLUMNS) else "-"
        cells = columns.get(column) or [""] * tokens
        rows = [f"{row}\t{cell or empty}" for row, cell in zip(rows, cells)]
    return rows


def _first_columns(name: str) -> str:
    """Return the columns of document and part, from `(bc/cctv/00/cctv_0000); part 000`.

    Of any other name they are the name and part 0.
    """
    identifier, separator, part = name.removeprefix("(").partition("); part ")
    if not separator or not (part.isascii() and part.isdigit()):
        identifier, part = name, "0"
    if identifier.split() != [identifier]:
        identifier = "-"
    return f"{identifier}\t{part.lstrip('0') or '0'}"
