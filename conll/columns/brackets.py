"""The grammar of a coreference cell: `(3|(4)|5)`.

Pieces are searched for in this order, as reference 8.01 does: double antecedents `(1+2)`, which are discarded; mentions of one
token `(4)`; starts `(3`; ends `5)`. Each match is cut out before the next search, so what stood on its two sides becomes
adjacent: `(1(2)3)` holds the mentions 2 and 13. What separates the pieces does not matter.

The reference knows only ids made of digits. In a cell with any other id nothing is cut out: the pieces are read as they stand, so
that `(a(b)c)` is a start of a, the mention b and an end of c. A bar, white space and brackets end an id.
"""

from __future__ import annotations

_OPEN, _CLOSE, _PLUS = b"()+"

_DIGITS = frozenset(b"0123456789")
_NUMBERED = b"()|+0123456789"
_BARS = bytes.maketrans(b" \t\n\r\f\v", b"||||||")
FOLD_DIGITS = bytes.maketrans(b"123456789", b"000000000")
"""Translates every digit to 0, so that a piece shows as `(0` or `0)`."""


class Pieces:
    """The pieces of one cell by kind, each kind from left to right, ids as written."""

    __slots__ = ("discarded", "ends", "singles", "starts")

    def __init__(self, discarded: list[bytes], singles: list[bytes], starts: list[bytes], ends: list[bytes]) -> None:
        self.discarded = discarded
        self.singles = singles
        self.starts = starts
        self.ends = ends


def parse(cell: bytes) -> Pieces:
    """Split a cell of any form into its pieces.

    >>> pieces = parse(b"(3|(4)|5)")
    >>> pieces.singles, pieces.starts, pieces.ends
    ([b'4'], [b'3'], [b'5'])
    >>> parse(b"(1(2)3)").singles
    [b'2', b'13']
    >>> parse(b"(1+2)(7").discarded
    [b'1+2']
    """
    return _apart(cell) or _cut_out(cell)


def _apart(cell: bytes) -> Pieces | None:
    """The pieces of a cell in which each stands between bars, so that cutting one out joins nothing; None for any other cell."""
    pieces = Pieces([], [], [], [])
    for part in cell.split(b"|"):
        opens, closes = part.startswith(b"("), part.endswith(b")")
        label = part[opens : len(part) - closes]
        if not label.isdigit() or not (opens or closes):
            return None
        (pieces.ends if not opens else pieces.singles if closes else pieces.starts).append(label)
    return pieces


def _cut_out(cell: bytes) -> Pieces:
    discarded, cell = _cut_closed(cell, double=True)
    singles, cell = _cut_closed(cell, double=False)
    starts, cell = _cut_starts(cell)
    return Pieces(discarded, singles, starts, _ends(cell))


def parse_named(cell: bytes) -> Pieces:
    """Like `parse`, for ids of any text: what `parse` gives where all ids are digits, else the pieces as they stand.

    >>> pieces = parse_named(b"(a(b)c)|(1+2)")
    >>> pieces.starts, pieces.singles, pieces.ends, pieces.discarded
    ([b'a'], [b'b'], [b'c'], [b'1+2'])
    >>> parse_named(b"(1(2)3)").singles
    [b'2', b'13']
    """
    if not cell.translate(None, _NUMBERED):
        return parse(cell)
    pieces = Pieces([], [], [], [])
    before, *after = cell.translate(_BARS).split(b"(")
    pieces.ends += _named_ends(before.split(b")"))
    for part in after:
        text, *rest = part.split(b")")
        start, bar, _ = text.partition(b"|")
        if rest and start and not bar:
            (pieces.discarded if _is_double(start) else pieces.singles).append(start)
        else:
            pieces.starts += [start] if start else []
            pieces.ends += _named_ends([text, *rest[:1]])
        pieces.ends += _named_ends(rest)
    return pieces


def _named_ends(texts: list[bytes]) -> list[bytes]:
    """The ids right before the ) behind each text but the last."""
    labels = (text.rpartition(b"|")[2] for text in texts[:-1])
    return [label for label in labels if label]


def _is_double(label: bytes) -> bool:
    number, plus, other = label.partition(b"+")
    return plus == b"+" and number.isdigit() and len(other) == 1 and other.isdigit()


def _cut_closed(cell: bytes, *, double: bool) -> tuple[list[bytes], bytes]:
    """Cut out `(12)`, or `(12+3)` when `double`. A kept prefix never holds a match, so one pass from left to right will do."""
    closed: list[bytes] = []
    kept = bytearray()
    for byte in cell:
        if byte == _CLOSE:
            start = _start_of_closed(kept, double=double)
            if start >= 0:
                closed.append(bytes(kept[start + 1 :]))
                del kept[start:]
                continue
        kept.append(byte)
    return closed, bytes(kept)


def _start_of_closed(kept: bytearray, *, double: bool) -> int:
    """Where the piece that a `)` after `kept` would complete starts; -1 when it completes none."""
    at = len(kept)
    if double:
        if at < 2 or kept[-1] not in _DIGITS or kept[-2] != _PLUS:
            return -1
        at -= 2
    end = at
    while at and kept[at - 1] in _DIGITS:
        at -= 1
    return at - 1 if at and at < end and kept[at - 1] == _OPEN else -1


def _cut_starts(cell: bytes) -> tuple[list[bytes], bytes]:
    starts: list[bytes] = []
    first, *rest = cell.split(b"(")
    kept = [first]
    for part in rest:
        tail = part.lstrip(b"0123456789")
        number = part[: len(part) - len(tail)]
        if number:
            starts.append(number)
            kept.append(tail)
        else:
            kept += (b"(", part)
    return starts, b"".join(kept)


def _ends(cell: bytes) -> list[bytes]:
    ends: list[bytes] = []
    for part in cell.split(b")")[:-1]:
        number = part[len(part.rstrip(b"0123456789")) :]
        if number:
            ends.append(number)
    return ends
