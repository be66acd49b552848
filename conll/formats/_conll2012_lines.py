"""What makes a line of CoNLL-2012: blank lines, the last column, comments."""

from __future__ import annotations

_NEWLINE, _HASH = b"\n#"

BLANK = b" \t\r\f\v\n"
"""A line of nothing else is no token: what `bytes.isspace` knows too. NUL and other control bytes
are text."""


def follows_hash(text: bytes | bytearray, at: int) -> bool:
    """Whether nothing but blanks stands between a # and that offset, on one line."""
    while at and text[at - 1] in BLANK and text[at - 1] != _NEWLINE:
        at -= 1
    return at > 0 and text[at - 1] == _HASH


def last_column(text: bytes) -> bytes:
    """The last column of a line that is not empty; the line itself where it has no TAB.

    A column of CR alone is not empty: in a file of CRLF lines, brackets before a TAB at the end of
    a line are not in the last one.
    """
    filled = text.rstrip(b"\t")
    return filled[filled.rfind(b"\t") + 1 :]
