"""What makes a line of the format: blanks, the # of a mark, and the last column; the same to all who read it."""

from __future__ import annotations

_NEWLINE, _HASH = b"\n#"

BLANK = b" \t\r\f\v\n"
"""A line of nothing else is no token: what `bytes.isspace` knows too. NUL and other control bytes are text."""


PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in the files of the shared task that are published without their words."""


def follows_hash(text: bytes | bytearray, at: int) -> bool:
    """Whether nothing but blanks stands between a # and that offset, on one line."""
    while at and text[at - 1] in BLANK and text[at - 1] != _NEWLINE:
        at -= 1
    return at > 0 and text[at - 1] == _HASH


def last_column(text: bytes) -> bytes:
    """The last column of a line that is not empty; the line itself where it has no TAB.

    A column of CR alone is not empty: in a file of CRLF lines, brackets before a TAB at the end of a line are not in the last one.
    """
    filled = text.rstrip(b"\t")
    return filled[filled.rfind(b"\t") + 1 :]


def word_of(text: bytes, separator: bytes | None) -> bytes | None:
    """The word on one line, empty where there are too few columns; None where the line is no token."""
    if not text or text.isspace():
        return None
    columns = text.split(separator, 4)
    return columns[3] if len(columns) > 4 else b""


def holds_label(label: str) -> bool:
    """Whether a cluster may have that id."""
    return label.isascii() and label.isdigit()


def holds_word(word: str) -> bool:
    """Whether a line can hold that word: it has neither a TAB nor a line break, and does not read as the end of the document."""
    return not ("\t" in word or "\n" in word or "\r" in word or ("#" in word and "end document" in word))
