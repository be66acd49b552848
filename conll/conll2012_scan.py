"""Read large CoNLL-2011/2012 files with numpy: all documents of a stretch of the file at once.

It reads what `conll.formats.conll2012` reads, in the same way, as long as a file is regular: every
document is closed by its end line before the next one starts. A file that is not regular raises
NotSequentialError, and single documents with ids that are too long are marked `irregular`: both are
for the plain reader.

Cells are decoded without looking at most of the text. The last bytes of each line decide: a line
whose last column is `-` or `_` holds no mention. The last field of the others is gathered into rows
of equal width, in which the bytes before the field are covered; the rows in sequence are one text
of brackets, decoded together.

The functions here are the hot loops of large files: they work on whole arrays, and on bytes where
that is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from conll.brackets import parse
from conll.formats import conll2012
from conll.source import Entry, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]
    Bytes = NDArray[np.uint8]
    Bools = NDArray[np.bool_]


CHUNK = 3 << 18
"""Bytes read at a time."""
LARGEST_ARRAY = 1 << 22
"""Bytes that no array of a chunk exceeds: memory up to this size stays with the process."""
WIDTHS = 16, 64
"""Bytes gathered from the end of a line, then from lines whose last field is longer; the longest
are decoded one by one."""
FRONT = max(WIDTHS)
"""Newlines in front of the text, so that the bytes before a line are always there."""
DIGITS = 14
"""Digits of the longest id that is decoded here; a document with a longer one is irregular."""

_TAB, _NEWLINE, _RETURN, _SPACE, _HASH, _OPEN, _CLOSE, _ZERO, _MINUS, _GAP = b"\t\n\r #()0-_"
_IS_BLANK = np.isin(np.arange(256), np.frombuffer(conll2012.BLANK, np.uint8))
_SPAN = 1 + _ZERO + 9 - _OPEN
_COVER = np.uint8(255)
_COVERS = {
    width: np.where(np.arange(width) < width - np.arange(width)[:, None], _COVER, np.uint8(0))
    for width in WIDTHS
}
"""Masks for the bytes before a field, by its length; for 0, where no field was found, all bytes are
masked."""
_TRAILING = 8
"""Empty columns at the end of a line that are stripped here; a line with more is decoded one by
one."""


SINGLE, START, END = 0, 1, 2
"""The kinds of brackets: a mention of one token, and the two ends of a longer one."""


class NotSequentialError(Exception):
    """Files that are no sequences of the same documents, each with an end line: index them."""


@dataclass(eq=False)
class BracketArrays:
    """The brackets of a sequence of documents, in file order.

    Attributes:
        names: The name of each document.
        lines: The number of the first line of each document.
        tokens: The number of tokens of each document.
        irregular: For each document whether the plain reader has to read it.
        counts: The number of brackets of each document.
        texts: Hashes of the words of each document, equal only for equal words; of nothing if not
            asked for.
        token: The token of each bracket.
        kind: The kind of each bracket: SINGLE, START or END.
        code: The id of each bracket as a number, equal for equal ids.
    """

    names: list[str]
    lines: list[int]
    tokens: list[int]
    irregular: list[bool]
    counts: list[int]
    texts: list[bytes]
    token: Ints
    kind: Ints
    code: Ints

    def columns(self) -> tuple[Ints, Ints, Ints]:
        """Return `token`, `kind` and `code`, which this object gives up."""
        columns = self.token, self.kind, self.code
        self.token = self.kind = self.code = self.token[:0].copy()
        return columns


@dataclass(eq=False)
class _Document:
    """A document that was scanned, up to where the scan is; its brackets are elsewhere."""

    name: str
    line: int
    tokens: int = 0
    is_irregular: bool = False
    count: int = 0
    text: Any = field(default_factory=sha256)


def scan(source: Source, names: Iterable[str] | None = None, *, texts: bool = False) -> Scanner:
    """Scan a file, or documents of the files of a source.

    Args:
        source: A CoNLL-2012 file or, with `names`, a source of such files.
        names: The documents to scan, in this order, where a missing one is empty, and so is one
            without an end of its own; None for the whole file.
        texts: Whether to hash what stands before the last columns.
    """
    if names is None:
        assert isinstance(source, conll2012.Conll2012Source)
        return Scanner(_pieces_of(source, 0, source.size), texts=texts)
    names = list(names)
    # Of files that hold documents of the same name, the last one counts.
    holders: dict[str, conll2012.Conll2012Source] = {}
    for file in conll2012.files_of(source):
        holders.update(dict.fromkeys(file.names(), file))
    entries: dict[str, Entry] = {}
    irregular: set[str] = set()
    for name in names:
        entry = holders[name].location(name) if name in holders else None
        if entry is None:
            continue
        entries[name] = entry
        if entry.unterminated or not entry.ended:
            irregular.add(name)

    def selected() -> Iterator[bytes]:
        for name in names:
            yield b"#begin document " + name.encode("utf-8", "surrogateescape") + b"\r\n"
            if name in entries and name not in irregular:
                entry = entries[name]
                yield from _pieces_of(holders[name], entry.body, entry.stop)
            yield b"#end document\n"

    scanner = Scanner(_joined(selected()), texts=texts)
    scanner.irregular = irregular
    scanner.first_lines = {name: entry.line for name, entry in entries.items()}
    return scanner


def _pieces_of(source: conll2012.Conll2012Source, begin: int, stop: int) -> Iterator[bytes]:
    """Yield part of a file, whatever else is read from it meanwhile."""
    for at in range(begin, stop, CHUNK):
        source.file.seek(at)
        yield source.file.read(min(CHUNK, stop - at))


def _joined(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Join pieces to chunks, as a scan of each small document would take far longer."""
    chunk = bytearray()
    for piece in pieces:
        chunk += piece
        if len(chunk) >= CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


class Scanner:
    """Scan documents one after the other.

    `finished` says that there is nothing more to read. Of documents selected from files,
    `irregular` are those that come without brackets because they have no end line of their own, and
    `first_lines` says where in their files they begin.
    """

    finished = False

    def __init__(self, chunks: Iterator[bytes], *, texts: bool = False) -> None:
        self.irregular: set[str] = set()
        self.first_lines: dict[str, int] | None = None
        self.brackets = _Growing()
        # glibc hands the memory of large arrays back to the system, and asking for it again for
        # each chunk takes longer than the scan. Once this array is freed, glibc keeps the memory of
        # smaller ones.
        np.empty(LARGEST_ARRAY, np.uint8)
        self._chunks = chunks
        self._raw = bytearray(b"\n" * FRONT)
        self._line = 0
        self._documents: list[_Document] = []
        self._hashes = texts
        self._open = False

    @property
    def documents(self) -> int:
        """Return the number of complete documents."""
        return len(self._documents) - self._open

    @property
    def pieces(self) -> int:
        """Return the number of brackets that were read and not yet handed over."""
        return self.brackets.size

    def names(self, documents: int) -> list[str]:
        """Return the names of the first complete documents."""
        return [document.name for document in self._documents[:documents]]

    def again(self) -> Scanner:
        """Return a scanner that hands over the same once more; this one must be `finished`."""
        scanner = copy(self)
        scanner.brackets = copy(self.brackets)
        return scanner

    def fill(self) -> None:
        """Read the next stretch; NotSequentialError where documents have no end line."""
        chunk = next(self._chunks, b"")
        self.finished = not chunk
        raw, held = self._raw, len(self._raw)
        raw += chunk or b"\n" * (held > FRONT)
        stop = raw.rfind(b"\n", held) + 1
        if stop:
            # Not in place: a program that samples frames, as Dask's profiler does, may keep the
            # array for longer than the scan, and the bytes of an array cannot be resized.
            self._raw = raw[:FRONT] + raw[stop:]
            del raw[stop:]
            self._scan(raw, np.frombuffer(raw, np.uint8))
        if self.finished and self._open:
            raise NotSequentialError

    def take(self, documents: int) -> BracketArrays:
        """Hand over the first complete documents."""
        taken, self._documents = self._documents[:documents], self._documents[documents:]
        counts = [document.count for document in taken]
        return BracketArrays(
            [document.name for document in taken],
            [document.line for document in taken],
            [document.tokens for document in taken],
            [document.is_irregular for document in taken],
            counts,
            [document.text.digest() for document in taken],
            *self.brackets.take(sum(counts)),
        )

    def _scan(self, raw: bytearray, text: Bytes) -> None:  # noqa: PLR0914  one pass over arrays
        newlines = np.flatnonzero(text[FRONT - 1 :] == _NEWLINE) + (FRONT - 1)
        starts, stops = newlines[:-1] + 1, newlines[1:]
        tabs = raw.find(b"\t", FRONT, len(text)) >= 0
        ends, last, slow = _ends(text, stops, tabs=tabs)
        is_token = last != _NEWLINE
        for line in np.flatnonzero(slow).tolist():
            is_token[line] = not raw[starts[line] : stops[line]].isspace()
        edges = _edges(raw, starts)
        marked = [*edges]
        is_token[marked] = False
        decoded = _decode(text, ends, last, is_token, slow, tabs=tabs)
        slow &= is_token
        if not tabs:
            # Without a TAB a whole line counts. Lines with brackets outside of the last field,
            # which are rare, are decoded one by one.
            expected = 2 * len(decoded.line) - np.count_nonzero(decoded.kind)
            expected += sum(conll2012.touching(raw[starts[line] : stops[line]]) for line in marked)
            digit = text - _ZERO < 10
            opened = (text[:-1] == _OPEN) & digit[1:]
            closed = (text[1:] == _CLOSE) & digit[:-1]
            if np.count_nonzero(opened) + np.count_nonzero(closed) != expected:
                brackets = np.concatenate((np.flatnonzero(opened), np.flatnonzero(closed)))
                at = np.searchsorted(newlines, brackets) - 1
                written = np.bincount(at, minlength=len(slow))
                slow |= is_token & (
                    written != np.bincount(decoded.line, 2 - (decoded.kind > 0), len(slow))
                )
                decoded.keep(~slow[decoded.line])
        number = np.cumsum(is_token)
        begin, document, base = self._divide(edges, number)
        self._keep(raw, starts, stops, decoded, np.flatnonzero(slow), number, begin, document, base)
        if self._hashes:
            self._hash(raw, text, starts, stops, is_token, begin, document, tabs=tabs)
        self._line += len(starts)

    def _divide(self, edges: dict[int, str | None], number: Ints) -> tuple[Ints, Ints, Ints]:
        """Divide a chunk into stretches of lines, at the lines that begin or end documents.

        Returns:
            For each stretch its first line, its document (-1 outside of any), and the number of the
            token from which those of its document are counted.
        """
        documents = self._documents
        first = [0]
        document = [len(documents) - 1 if self._open else -1]
        base = [1 - documents[-1].tokens if self._open else 0]
        for line, name in edges.items():
            if self._open:
                if name is not None:
                    raise NotSequentialError
                documents[-1].tokens = int(number[line]) - base[-1] + 1
            self._open = name is not None
            if name is not None:
                begin = self._line + line + 1
                if self.first_lines is not None:
                    begin = self.first_lines.get(name, 0)
                documents.append(_Document(name, begin))
            first.append(line)
            document.append(len(documents) - 1 if self._open else -1)
            base.append(int(number[line]) + 1)
        if self._open:
            documents[-1].tokens = int(number[-1]) - base[-1] + 1
        return np.array(first), np.array(document), np.array(base)

    def _keep(  # noqa: PLR0913  the arrays of one chunk
        self,
        raw: bytearray,
        starts: Ints,
        stops: Ints,
        decoded: Decoded,
        slow: Ints,
        number: Ints,
        first: Ints,
        document: Ints,
        base: Ints,
    ) -> None:
        """Decode the slow lines, number the tokens, and keep the brackets inside documents."""
        where = np.searchsorted(first, decoded.line, "right") - 1
        slow_where = document[np.searchsorted(first, slow, "right") - 1]
        by_hand: list[tuple[int, int, int]] = []
        for line, at in zip(slow.tolist(), slow_where.tolist()):
            if at >= 0:
                text = bytes(raw[starts[line] : stops[line]])
                if not _decode_line(text, line, by_hand):
                    self._documents[at].is_irregular = True
        if by_hand:
            line_, kind, code = np.array(by_hand, np.int64).T
            decoded.extend(line_, kind.astype(np.int8), code)
            where = np.searchsorted(first, decoded.line, "right") - 1
        inside = document[where] >= 0
        if not inside.all():
            decoded.keep(inside)
            where = where[inside]
        if not len(where):
            return
        token = (number[decoded.line] - base[where]).astype(np.int32)
        self.brackets.add(token, decoded.kind, decoded.code)
        for at, count in enumerate(np.bincount(document[where]).tolist()):
            self._documents[at].count += count

    def _hash(  # noqa: PLR0913  the arrays of one chunk
        self,
        raw: bytearray,
        text: Bytes,
        starts: Ints,
        stops: Ints,
        is_token: Bools,
        first: Ints,
        document: Ints,
        *,
        tabs: bool,
    ) -> None:
        """Hash the lines of documents without their last columns, which are overwritten.

        Equal hashes mean equal words: what is left of a token's line is not empty, what is left of
        any other line is. Where the bytes that cover columns are not known from the text, lines are
        hashed as they are, behind such a byte.
        """
        cover = bytes([_COVER])
        is_plain = tabs and raw.find(cover, FRONT, len(text)) < 0
        if is_plain:
            _cover_last_columns(raw, text, stops, is_token)
            for line in np.flatnonzero(~is_token & (stops > starts)).tolist():
                raw[starts[line] : stops[line]] = cover * int(stops[line] - starts[line])
        begins = [*starts[first].tolist(), len(text)]
        for at, number in enumerate(document.tolist()):
            if number >= 0:
                lines = raw[begins[at] : begins[at + 1]]
                self._documents[number].text.update(
                    lines.translate(None, cover) if is_plain else cover + lines
                )


def _cover_last_columns(raw: bytearray, text: Bytes, stops: Ints, is_token: Bools) -> None:
    """Overwrite what follows the last TAB of each token's line."""
    stops = stops[is_token & (text[stops - 1] != _TAB)]
    is_single = text[stops - 2] == _TAB
    text[stops[is_single] - 1] = _COVER
    stops = stops[~is_single]
    rows = _windows(text, stops, WIDTHS[0])
    edge = (rows == _TAB) | (rows == _NEWLINE)
    size = np.argmax(edge[:, ::-1], axis=1)
    for stop in stops[size == 0].tolist():  # the column is longer
        column = raw.rfind(b"\t", raw.rfind(b"\n", 0, stop) + 1, stop) + 1
        if column:
            raw[column:stop] = bytes([_COVER]) * (stop - column)
    has_tab = text[stops - size - 1] == _TAB
    for step in range(1, WIDTHS[0]):
        text[stops[has_tab & (size >= step)] - step] = _COVER


def _windows(text: Bytes, ends: Ints, width: int) -> Bytes:
    """Return the `width` bytes before each of these places, one row for each."""
    # One gather of `width` bytes a line is several times faster than a gather of bytes.
    windows: NDArray[Any] = np.ndarray(
        (len(text) - width + 1,), f"V{width}", text.data, strides=(1,)
    )
    return windows[ends - width].view(np.uint8).reshape(len(ends), width)


def _edges(raw: bytearray, starts: Ints) -> dict[int, str | None]:
    """Find the lines that begin a document, with its name, or end one (None).

    Raises:
        NotSequentialError: An end is not at the beginning of its line.
    """
    edges: dict[int, str | None] = {}
    for begin, _, name in conll2012.borders(raw):
        if name is None and raw[begin] != _HASH:
            raise NotSequentialError
        # An end inside the name of a document is ignored: it could only end another document that
        # is open, and such a file is irregular.
        edges.setdefault(int(np.searchsorted(starts, begin)), name)
    return edges


class _Growing:
    """The columns of `BracketArrays`, filled from the end and taken from the front.

    A few large arrays: the memory of many small ones is not returned to the system and would count
    twice.
    """

    def __init__(self) -> None:
        self.size = 0
        self._columns: list[Ints] = [
            np.empty(0, np.int32),
            np.empty(0, np.int8),
            np.empty(0, np.int32),
        ]

    def add(self, *columns: Ints) -> None:
        size = self.size + len(columns[0])
        if columns[2].max() >= 1 << 31:
            self._columns[2] = self._columns[2].astype(np.int64, copy=False)
        for at, column in enumerate(columns):
            if size > len(self._columns[at]):
                grown = np.empty(size + size // 2, self._columns[at].dtype)
                grown[: self.size] = self._columns[at][: self.size]
                self._columns[at] = grown
            self._columns[at][self.size : size] = column
        self.size = size

    def take(self, count: int) -> list[Ints]:
        taken = [column[:count] for column in self._columns]
        self._columns = [column[count:] for column in self._columns]
        self.size -= count
        return taken


class Decoded:
    """Brackets with the number of the line that each stands on, by line."""

    __slots__ = ("code", "kind", "line")

    def __init__(self) -> None:
        self.line: Ints = np.empty(0, np.int64)
        self.kind: Ints = np.empty(0, np.int8)
        self.code: Ints = np.empty(0, np.int64)

    def keep(self, kept: Any) -> None:
        """Keep the brackets that a mask or an index selects."""
        self.line, self.kind, self.code = self.line[kept], self.kind[kept], self.code[kept]

    def extend(self, line: Ints, kind: Ints, code: Ints) -> None:
        """Add brackets, in the order of their lines."""
        if not len(self.line):
            self.line, self.kind, self.code = line, kind, code
        elif len(line):
            self.line = np.concatenate((self.line, line))
            self.kind = np.concatenate((self.kind, kind))
            self.code = np.concatenate((self.code, code))
            self.keep(np.argsort(self.line, kind="stable"))


def _ends(text: Bytes, stops: Ints, *, tabs: bool) -> tuple[Ints, Bytes, Bools]:
    """Find the end of the last column of each line.

    Returns:
        The ends, the byte before each, and whether the line must be decoded by itself.
    """
    ends = stops
    last = text[ends - 1]
    returned = last == _RETURN
    if returned.any():
        ends = ends - returned
        last = text[ends - 1]
    for _ in range(_TRAILING):
        # A column of CR alone is not empty, so no TAB before it is stripped.
        empty = (last == _TAB) & ~returned if tabs else _IS_BLANK[last] & (last != _NEWLINE)
        if not empty.any():
            break
        ends = ends - empty
        last = text[ends - 1]
    return ends, last, (last <= _SPACE) & (last != _NEWLINE)


def _decode(
    text: Bytes, ends: Ints, last: Bytes, is_token: Bools, slow: Bools, *, tabs: bool
) -> Decoded:
    """Decode the brackets in the last columns.

    Marks in `slow` the lines whose last column has an unusual form.
    """
    closed = ((last == _CLOSE) | (last - _ZERO < 10)) & is_token & ~slow
    if tabs:
        before = text[ends - 2]
        nothing = ((last == _MINUS) | (last == _GAP)) & ((before == _TAB) | (before == _NEWLINE))
        slow |= is_token & ~nothing & ~closed
    decoded = Decoded()
    lines = np.flatnonzero(closed)
    for width in WIDTHS:
        lines = _decode_fields(text, ends, lines, width, decoded, tabs=tabs)
        if not len(lines):
            break
    slow[lines] = True
    return decoded


def _decode_fields(  # noqa: PLR0914  one pass over arrays
    text: Bytes, ends: Ints, lines: Ints, width: int, decoded: Decoded, *, tabs: bool
) -> Ints:
    """Add the brackets in the last fields of these lines to `decoded`.

    Returns:
        The lines whose field is longer or has an unusual form.
    """
    rows = _windows(text, ends[lines], width)
    edge = (rows == _TAB) | (rows == _NEWLINE) if tabs else rows <= _SPACE
    field = np.argmax(edge[:, ::-1], axis=1)
    unclear = field == 0  # the last byte is a bracket or a digit, so this is no edge at all
    flat = np.append((rows | _COVERS[width][field]).ravel(), _COVER)
    # Any byte but brackets, digits and what lies between them in ASCII (which is refused below)
    # separates like a bar.
    inside = flat - _OPEN < _SPAN
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, stops = edges[0::2], edges[1::2]
    opened = flat[starts] == _OPEN
    shut = flat[stops - 1] == _CLOSE
    row = starts // width
    starts = starts + opened
    size = stops - shut - starts
    fine = (size > 0) & (size <= DIGITS) & (opened | shut)
    value = np.zeros(len(starts), np.int64)
    for at in range(min(DIGITS, int(size.max(initial=0)))):
        digit = flat[np.minimum(starts + at, len(flat) - 1)] - _ZERO
        within = at < size
        fine &= (digit < 10) | ~within
        value = np.where(within, value * 10 + digit, value)
    unclear[row[~fine]] = True
    # "01" and "1" are different ids.
    padded = (size > 1) & (flat[starts] == _ZERO)
    if padded.any():
        value += padded * size * 10**DIGITS
    kind = np.where(opened & shut, SINGLE, np.where(opened, START, END)).astype(np.int8)
    usual = ~unclear[row] if unclear.any() else slice(None)
    decoded.extend(lines[row[usual]], kind[usual], value[usual])
    rest: Ints = lines[unclear]
    return rest


def _decode_line(text: bytes, line: int, decoded: list[tuple[int, int, int]]) -> bool:
    """Append the brackets of one line, in any form; return False when an id is too long."""
    brackets = parse(conll2012.last_column(text))
    labels_by_kind = ((SINGLE, brackets.singles), (START, brackets.starts), (END, brackets.ends))
    for kind, labels in labels_by_kind:
        for label in labels:
            if len(label) > DIGITS:
                return False
            padded = len(label) > 1 and label.startswith(b"0")
            decoded.append((line, kind, int(label) + padded * len(label) * 10**DIGITS))
    return True
