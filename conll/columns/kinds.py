"""Which column format a file is in (one token a line).

`kind_of` alone decides, so that no file begins like two of these formats.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN = re.compile(rb"#\s*begin document(.*)", re.DOTALL)
_RUN = re.compile(rb"[^()|\s]+")
_SIGNS = (b"-", b"_", b"*")
_SHAPE = re.compile(rb"(?:(?:\(i\)?|i\))\|?)+")
"""Brackets, with an i for each id: a cell then matches in one way only, and no time goes into backtracking."""

_NAMED = re.compile(rb"\((?!\d+(?:\+\d)?[|()]|\d+$)[^()|\s]+")
"""A start whose id is not a number."""

_SEPARATORS = {b"\t", b" "}
_NOTHING = {separator + sign for separator in _SEPARATORS for sign in _SIGNS}
"""The ends of lines whose last column holds no bracket."""

_NUMBERED = b"0123456789()|"
"""What last columns consist of in which each id is a number."""

_WORD_LINE = re.compile(rb"\d+(?:[-.]\d+)?$")


@lru_cache(maxsize=2)
def kind_of(head: bytes) -> str | None:
    """The format of a column file that begins with `head`; None when it is no such file."""
    lines = head.split(b"\n")
    begins = [line for line in lines if line[:1] == b"#" and BEGIN.match(line)]
    if not begins:
        return _kind_without_headers(lines[:-1] if len(lines) > 1 else lines)
    # The last line of the head may be cut off.
    tokens = (line.rstrip() for line in lines[:-1] if line[:1] != b"#" and not line.isspace() and line)
    first = list(islice(tokens, 50))
    if first and all(map(_is_semeval, first)):
        return "semeval2010"
    if any(map(_is_odd, begins)) or any(map(named_start, _last_cells(lines[:-1]))):
        return "conll"
    return "conll2012"


def _kind_without_headers(lines: list[bytes]) -> str | None:
    tokens = []
    for line in lines:
        if line[:1] == b"#":
            words = line[1:].split(None, 2)
            if words and words[0] == b"global.columns":
                names = line.upper().split()
                return "universalanaphora" if b"IDENTITY" in names else "corefud"
            if words and words[0] in {b"newdoc", b"global.Entity"}:
                return "corefud" if b"\n# global.columns" not in b"\n".join(lines) else "universalanaphora"
        elif line and not line.isspace():
            tokens.append(line.rstrip(b"\r"))
    if not tokens:
        return None
    if all(line.count(b"\t") == 9 and _WORD_LINE.match(line.split(b"\t")[0]) for line in tokens) and any(
        line.endswith(b"\t_") or b"=" in last_cell(line) for line in tokens
    ):
        return "corefud"
    if all(is_cell(last_cell(line.rstrip())) and (b"\t" in line or len(line.split()) > 1) for line in tokens):
        return "conll" if any(b"(" in last_cell(line.rstrip()) for line in tokens) else None
    return None


def _last_cells(lines: list[bytes]) -> Iterator[bytes]:
    """The last columns in which an id may be no number: most lines have none, and are left out before they are taken apart."""
    for line in lines:
        text = line.rstrip()
        if text[-2:] not in _NOTHING and text.rstrip(_NUMBERED)[-1:] not in _SEPARATORS and text[:1] != b"#":
            yield last_cell(text)


def _is_odd(line: bytes) -> bool:
    """Whether reference 8.01 does not see that a document begins here, or sees no name."""
    match = BEGIN.match(line)
    return match is not None and (match[1][:1] != b" " or not match[1].strip())


def _is_semeval(line: bytes) -> bool:
    columns = line.split(b"\t")
    return len(columns) >= 8 and columns[0].isdigit() and not columns[1].isdigit() and columns[-1] != b"-" and is_cell(columns[-1])


def last_cell(line: bytes) -> bytes:
    """The last column of a line; empty where there is none."""
    if b"\t" in line:
        return line[line.rfind(b"\t") + 1 :].strip()
    return line.split()[-1] if line and not line.isspace() else b""


def is_cell(cell: bytes) -> bool:
    """Whether this may be a last column: brackets, each with an id, or the sign for no mention."""
    return cell in _SIGNS or _SHAPE.fullmatch(_RUN.sub(b"i", cell)) is not None


def named_start(cell: bytes) -> bytes | None:
    """The first start in a last column whose id is not a number, with its bracket; None where there is none."""
    match = _NAMED.search(cell)
    return match[0] if match and is_cell(cell) else None
