"""Reads large CoNLL-2011/2012 files with numpy: all documents of a stretch of the file at once.

It reads what `conll2012.py` reads, on the same terms, as long as a file is regular: every
document is closed by its end line before the next one starts. What is not regular raises NotSequentialError,
and single documents that hold something out of the ordinary are marked `odd`: both are for the
plain reader.

Cells are decoded without looking at most of the text. The last bytes of each line decide: a line
whose last column is `-` or `_` holds no mention. The last field of the others is gathered into rows
of equal width, what stands before it covered; the rows in sequence are one text of pieces, decoded
together.
"""

from __future__ import annotations

from copy import copy
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from conll.arrays import END, SINGLE, START, BracketArrays, NotSequentialError
from conll.brackets import parse
from conll.formats.conll2012 import BLANK, Conll2012Source, follows_hash, last_column, touching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from numpy.typing import NDArray

    from conll.source import Entry, Source

    Ints = NDArray[np.signedinteger[Any]]
    Bytes = NDArray[np.uint8]
    Bools = NDArray[np.bool_]


CHUNK = 3 << 18
"""Bytes read at a time."""
WIDTHS = 16, 64
"""Bytes gathered from the end of a line, then from lines whose last field is longer; the longest
are decoded one by one."""
FRONT = max(WIDTHS)
"""Newlines in front of the text, so that the bytes before a line are always there."""
DIGITS = 14
"""Digits of the longest id that is decoded here; a document with a longer one is odd."""

_TAB, _NEWLINE, _RETURN, _SPACE, _HASH, _OPEN, _CLOSE, _ZERO, _MINUS, _GAP = b"\t\n\r #()0-_"
_IS_BLANK = np.isin(np.arange(256), np.frombuffer(BLANK, np.uint8))
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


class Whole:
    """A file from its beginning, which goes on where it stopped whatever else is read from it meanwhile."""

    irregular: frozenset[str] = frozenset()

    def __init__(self, file: BinaryIO) -> None:
        # Never the raw file below a buffer: the buffer would not know that it was moved, and read
        # on from the wrong place.
        self._file: Any = file
        self._at = 0

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer as far as possible; the number of bytes, 0 at the end."""
        self._file.seek(self._at)
        count: int = self._file.readinto(buffer)
        self._at += count
        return count

    def line(self, _name: str, line: int) -> int:
        """Return the line in the file itself on which a document begins."""
        return line


class Selection:
    """Documents of a source with these names as one file of plain form, with first and last lines.

    What is missing is an empty document.

    So is a document that has no end of its own: `irregular` holds the names of these.
    """

    def __init__(self, source: Source, names: Iterable[str]) -> None:
        self._places: dict[str, tuple[BinaryIO, Entry] | None] = {}
        self.irregular = set()
        for name in names:
            file = source.file_of(name)
            self._places[name] = place = (
                file.place(name) if isinstance(file, Conll2012Source) else None
            )
            if place and (place[1].unterminated or not place[1].ended):
                self.irregular.add(name)
        self._chunks = self._stream()
        self._rest = b""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer as far as possible; the number of bytes, 0 at the end."""
        filled = 0
        while filled < len(buffer) and (self._rest or (chunk := next(self._chunks, b""))):
            self._rest = self._rest or chunk
            count = min(len(self._rest), len(buffer) - filled)
            buffer[filled : filled + count] = self._rest[:count]
            self._rest = self._rest[count:]
            filled += count
        return filled

    def line(self, name: str, _line: int) -> int:
        """As for `Whole`."""
        place = self._places[name]
        return place[1].line if place else 0

    def _stream(self) -> Iterator[bytes]:
        for name, place in self._places.items():
            yield b"#begin document " + name.encode("utf-8", "surrogateescape") + b"\r\n"
            if place and name not in self.irregular:
                file, entry = place
                for at in range(entry.body, entry.stop, CHUNK):
                    file.seek(at)
                    yield file.read(min(CHUNK, entry.stop - at))
            yield b"#end document\n"


def scan(source: Source, names: Iterable[str] | None = None, *, texts: bool = False) -> Scanner:
    """Scan a file, or documents of the files of a source.

    Args:
        source: A CoNLL-2012 file or, with `names`, a source of such files.
        names: The documents to scan, in this order, where a missing one is empty; None for the
            whole file.
        texts: Whether to hash what stands before the last columns.
    """
    if names is not None:
        return Scanner(Selection(source, names), texts=texts)
    assert isinstance(source, Conll2012Source)
    return Scanner(Whole(source.file), texts=texts)


class Scanner:
    """Scan documents from the beginning of a file, one after the other.

    `finished` says that there is nothing more to read, `irregular` names the documents that come
    without brackets because they have no end line of their own.
    """

    finished = False

    def __init__(self, file: Whole | Selection, *, texts: bool = False) -> None:
        self._file = file
        self.irregular = file.irregular
        self._buffer = bytearray(FRONT + CHUNK)
        self._buffer[:FRONT] = b"\n" * FRONT
        self._held = FRONT
        self._line = 0
        self._names: list[str] = []
        self._lines: list[int] = []
        self._tokens: list[int] = []
        self._odd: list[bool] = []
        self._counts: list[int] = []
        self._hashes = texts
        self._texts: list[Any] = []
        self.brackets = _Growing()
        self._open = False

    @property
    def documents(self) -> int:
        """How many documents are complete."""
        return len(self._names) - self._open

    @property
    def pieces(self) -> int:
        """How many brackets were read and not yet handed over."""
        return self.brackets.size

    def names(self, documents: int) -> list[str]:
        """Return the names of the first complete documents."""
        return self._names[:documents]

    def again(self) -> Scanner:
        """Return a scanner that hands over the same once more; this one must be `finished`."""
        scanner = copy(self)
        scanner.brackets = copy(self.brackets)
        return scanner

    def fill(self) -> None:
        """Read the next stretch; NotSequentialError where documents have no end line."""
        if self._held == len(self._buffer):  # one line fills it all
            self._buffer += bytes(len(self._buffer))
        buffer = self._buffer
        with memoryview(buffer) as view:
            count = self._file.readinto(view[self._held :])
        held = self._held + count
        stop = buffer.rfind(b"\n", self._held, held) + 1
        if not count:
            self.finished = True
            if held > FRONT:
                buffer[held:] = b"\n"
                stop = held = held + 1
        elif not stop:
            self._held = held
            return
        if stop:
            self._scan(buffer, np.frombuffer(buffer, np.uint8, stop))
            rest = buffer[stop:held]
            buffer[FRONT : FRONT + len(rest)] = rest
            self._held = FRONT + len(rest)
        if self.finished and self._open:
            raise NotSequentialError

    def take(self, documents: int) -> BracketArrays:
        """Hand over the first complete documents."""
        columns: list[list[Any]]
        columns = [self._names, self._lines, self._tokens, self._odd, self._counts, self._texts]
        names, lines, tokens, odd, counts, texts = (column[:documents] for column in columns)
        rest = (column[documents:] for column in columns)
        self._names, self._lines, self._tokens, self._odd, self._counts, self._texts = rest
        brackets = self.brackets.take(sum(counts))
        digests = [text.digest() for text in texts]
        return BracketArrays(names, lines, tokens, odd, counts, digests, *brackets)

    def _scan(self, raw: bytearray, text: Bytes) -> None:
        newlines = np.flatnonzero(text[FRONT - 1 :] == _NEWLINE) + (FRONT - 1)
        starts, stops = newlines[:-1] + 1, newlines[1:]
        tabs = raw.find(b"\t", FRONT, len(text)) >= 0
        ends, last, slow = _ends(text, stops, tabs=tabs)
        is_token = last != _NEWLINE
        for line in np.flatnonzero(slow).tolist():
            is_token[line] = not raw[starts[line] : stops[line]].isspace()
        first = text[starts]
        marks = self._marks(raw, text, starts, stops, np.flatnonzero(first == _HASH).tolist())
        marked = [line for line, _ in marks]
        is_token[marked] = False
        decoded = _decode(text, ends, last, is_token, slow, tabs=tabs)
        slow &= is_token
        if not tabs:
            # Without a TAB a whole line counts. Lines with brackets outside of the last field, which
            # are rare, are decoded one by one.
            expected = 2 * len(decoded.line) - np.count_nonzero(decoded.kind)
            expected += sum(touching(raw[starts[line] : stops[line]]) for line in marked)
            digit = text - _ZERO < 10
            opened = np.flatnonzero((text[:-1] == _OPEN) & digit[1:])
            closed = np.flatnonzero((text[1:] == _CLOSE) & digit[:-1])
            if len(opened) + len(closed) != expected:
                at = np.searchsorted(newlines, np.concatenate((opened, closed))) - 1
                written = np.bincount(at, minlength=len(slow))
                slow |= is_token & (
                    written != np.bincount(decoded.line, 2 - (decoded.kind > 0), len(slow))
                )
                decoded.keep(~slow[decoded.line])
        number = _Numbers(is_token)
        begin, document, base = self._divide(marks, number, stops)
        self._keep(raw, starts, stops, decoded, np.flatnonzero(slow), number, begin, document, base)
        if self._hashes:
            self._hash(raw, text, starts, stops, is_token, begin, document, tabs=tabs)
        self._line += len(starts)

    def _marks(
        self, raw: bytearray, text: Bytes, starts: Ints, stops: Ints, lines: list[int]
    ) -> list[tuple[int, str | None]]:
        """The lines that begin a document (with its name) or end one (None), of those that begin with #."""
        marks: list[tuple[int, str | None]] = []
        for line in lines:
            words = bytes(raw[starts[line] + 1 : stops[line]])
            rest = words.lstrip(BLANK)
            if rest.startswith(b"begin document "):
                marks.append(
                    (line, rest[15:].removesuffix(b"\r").decode("utf-8", "surrogateescape"))
                )
            elif _has_end(b"#" + words):
                marks.append((line, None))
        # What the name of a document holds ends nothing: where it could, another document is open,
        # and that is irregular.
        marked = {int(starts[line]) for line, _ in marks}
        at = raw.find(b"end document", FRONT, len(text))
        while at >= 0:
            after = at + 1
            if follows_hash(raw, at):
                if raw.rfind(b"\n", 0, at) + 1 not in marked:
                    raise NotSequentialError
                after = raw.find(b"\n", at)
            at = raw.find(b"end document", after, len(text))
        return marks

    def _divide(
        self, marks: list[tuple[int, str | None]], number: _Numbers, stops: Ints
    ) -> tuple[Ints, Ints, Ints]:
        """Stretches of lines: the first line of each, its document (-1 outside of any), and what its tokens are counted from."""
        first = [0]
        document = [len(self._names) - 1 if self._open else -1]
        base = [1 - self._tokens[-1] if self._open else 0]
        for line, name in marks:
            if name is None:
                if self._open:
                    self._tokens[-1] = number.at(line) - base[-1] + 1
                self._open = False
            else:
                if self._open:
                    raise NotSequentialError
                self._open = True
                self._names.append(name)
                self._lines.append(self._file.line(name, self._line + line + 1))
                self._tokens.append(0)
                self._odd.append(False)
                self._counts.append(0)
                if self._hashes:
                    self._texts.append(sha256())
            first.append(line)
            document.append(len(self._names) - 1 if self._open else -1)
            base.append(number.at(line) + 1)
        if self._open:
            self._tokens[-1] = number.at(len(stops) - 1) - base[-1] + 1
        return np.array(first), np.array(document), np.array(base)

    def _keep(
        self,
        raw: bytearray,
        starts: Ints,
        stops: Ints,
        decoded: Decoded,
        slow: Ints,
        number: _Numbers,
        first: Ints,
        document: Ints,
        base: Ints,
    ) -> None:
        """Decode the slow lines, number the tokens, and keep the pieces that stand inside documents."""
        where = np.searchsorted(first, decoded.line, "right") - 1
        slow_where = document[np.searchsorted(first, slow, "right") - 1]
        by_hand: list[tuple[int, int, int]] = []
        for line, at in zip(slow.tolist(), slow_where.tolist()):
            if at >= 0:
                self._odd[at] |= not _decode_line(
                    bytes(raw[starts[line] : stops[line]]), line, by_hand
                )
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
        token = (number.of(decoded.line) - base[where]).astype(np.int32)
        self.brackets.add(token, decoded.kind, decoded.code)
        for at, count in enumerate(np.bincount(document[where]).tolist()):
            self._counts[at] += count

    def _hash(
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
                self._texts[number].update(
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


class _Numbers:
    """Numbers the tokens of a stretch, from 1; looks only at the few lines that are not tokens."""

    def __init__(self, is_token: Bools) -> None:
        self._others = np.flatnonzero(~is_token)

    def of(self, lines: Ints) -> Ints:
        """How many tokens there are up to and including each of these lines."""
        return lines + 1 - np.searchsorted(self._others, lines, "right")

    def at(self, line: int) -> int:
        """The same for one line."""
        return line + 1 - int(np.searchsorted(self._others, line, "right"))


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
        """Keep the pieces that a mask or an index selects."""
        self.line, self.kind, self.code = self.line[kept], self.kind[kept], self.code[kept]

    def extend(self, line: Ints, kind: Ints, code: Ints) -> None:
        """Add pieces, in the order of their lines."""
        if not len(self.line):
            self.line, self.kind, self.code = line, kind, code
        elif len(line):
            self.line = np.concatenate((self.line, line))
            self.kind = np.concatenate((self.kind, kind))
            self.code = np.concatenate((self.code, code))
            self.keep(np.argsort(self.line, kind="stable"))


def _ends(text: Bytes, stops: Ints, *, tabs: bool) -> tuple[Ints, Bytes, Bools]:
    """Where the last column of each line ends, the byte before that, and the lines that must be looked at one by one."""
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
    """The pieces in the last columns.

    Marks in `slow` the lines whose last column is not of the usual form.
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


def _decode_fields(
    text: Bytes, ends: Ints, lines: Ints, width: int, decoded: Decoded, *, tabs: bool
) -> Ints:
    """Add the pieces in the last fields of these lines to `decoded`.

    The lines whose field is longer or not of the usual form.
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
    """Append the pieces of one line, whatever their form; False when an id is too long."""
    pieces = parse(last_column(text))
    for kind, labels in ((SINGLE, pieces.singles), (START, pieces.starts), (END, pieces.ends)):
        for label in labels:
            if len(label) > DIGITS:
                return False
            padded = len(label) > 1 and label.startswith(b"0")
            decoded.append((line, kind, int(label) + padded * len(label) * 10**DIGITS))
    return True


def _has_end(text: bytes) -> bool:
    """Whether a line ends a document."""
    at = text.find(b"end document")
    while at >= 0 and not follows_hash(text, at):
        at = text.find(b"end document", at + 1)
    return at >= 0
