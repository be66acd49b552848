"""Find the words in files of one token a line, whichever column they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.document import Words

PLACEHOLDER = b"[WORD]"
"""Stands for a word that is not known."""

SAMPLE = 50
"""How many lines of a document are looked at to find its column of words."""

FOURTH = 3
"""The column of words of CoNLL-2012, from 0, where no column numbers the tokens."""


def separator_of(body: bytes) -> bytes | None:
    """Return what separates the columns of a document: TABs if it has any, else white space."""
    return b"\t" if b"\t" in body else None


def word_of(line: bytes, separator: bytes | None, column: int) -> bytes | None:
    """Return the word on one line, empty where there are too few columns.

    None where the line is no token.
    """
    if not line or line.isspace():
        return None
    cells = line.split(separator, column + 1)
    # The last column is never a word.
    return cells[column] if len(cells) > column + 1 else b""


def words_in(body: bytes, column: int | None = None) -> Words | None:
    """Return the words of a document by sentence; None where they are not known.

    Args:
        body: The lines of the document.
        column: The column of its words, from 0; None where it has to be found.
    """
    separator = separator_of(body)
    lines = body.split(b"\n")
    if column is None:
        column = word_column(lines, separator)
    if column is None:
        return None
    sentences: Words = [[]]
    known = False
    for line in lines:
        word = word_of(line, separator, column)
        if word is None:
            if sentences[-1]:
                sentences.append([])
            continue
        if word and word != PLACEHOLDER:
            known = True
        sentences[-1].append(word.decode("utf-8", "surrogateescape"))
    if not sentences[-1]:
        sentences.pop()
    return sentences if known else None


def word_column(lines: Sequence[bytes], separator: bytes | None) -> int | None:
    """Find the column of words, from 0: the one after the numbers of the tokens, else the fourth.

    Where several columns number the tokens, as sentences and tokens of one-word sentences do, the
    last of them counts.

    Args:
        lines: The lines of a document.
        separator: What separates their columns.

    Returns:
        The column; None where the last column follows the numbers, so that there is no word.

    Examples:
        >>> word_column([b"d 0 Ada (1)", b"d 1 and -", b"d 2 she (1)"], None)
        2
    """
    rows: list[list[bytes]] = []
    are_first: list[bool] = []
    is_first = True
    for line in lines:
        if not line or line.isspace():
            is_first = True
        # A comment is a token to the reference, but has no columns.
        elif not line.startswith(b"#"):
            rows.append(line.rstrip(b"\t").split(separator))
            are_first.append(is_first)
            is_first = False
            if len(rows) == SAMPLE:
                break
    width = min(map(len, rows), default=0)
    last = width - 1
    for column in reversed(range(last)):
        if _numbers_tokens([row[column] for row in rows], are_first):
            return column + 1 if column + 1 < last else None
    return FOURTH


def _numbers_tokens(cells: Sequence[bytes], are_first: Sequence[bool]) -> bool:
    """Return whether each cell is one more than the cell before, or starts again at 0 or 1.

    Numbers may start again inside a sentence, as not all files have a blank line after one, but not
    more often than they go on: a column of zeros numbers nothing.

    Args:
        cells: The cells of one column.
        are_first: For each of them whether it is the first of its sentence.
    """
    before = None
    steps = restarts = 0
    for cell, is_first in zip(cells, are_first):
        if not cell.isdigit() or len(cell) > 9:
            return False
        number = int(cell)
        if before is not None and number == before + 1:
            steps += 1
        elif number > 1:
            return False
        elif not is_first:
            restarts += 1
        before = number
    return restarts <= steps
