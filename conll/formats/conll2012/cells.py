"""Reads columns of large CoNLL-2011/2012 files with numpy, a stretch of a file at a time: what `layers.py` beside it reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from conll.arrays import Cells
from conll.formats.conll2012.layers import BEFORE, COLUMNS, NOTHING
from conll.formats.conll2012.lines import BLANK, PLACEHOLDER
from conll.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]
    Bytes = NDArray[np.uint8]
    Bools = NDArray[np.bool_]

LEAST = BEFORE + len(COLUMNS) + 1
"""The columns of a line that has all layers: those before them, and that of coreference."""

READ, NONE, APART = 0, 1, 2
"""What becomes of a document: its cells are read, it has too few columns for any, or it must be read in another way."""

_TAB = ord("\t")
_NO_TEXT = np.empty(0, np.uint8)
_WORD = BEFORE - 1
_IS_BLANK = np.isin(np.arange(256), np.frombuffer(BLANK, np.uint8))
_OTHER_BLANK = re.compile(rb"[\x1c-\x1f]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)|\xe3\x80\x80")
"""What is white space of texts but not of bytes; it ends a column as well where columns are separated by spaces."""
_IS_NOTHING = np.isin(np.arange(256), np.frombuffer("".join(NOTHING).encode(), np.uint8))
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SLOTS = 12
"""Bits of the number by which a cell is found among those that were met lately."""
LONGEST = 64
"""Bytes of a cell that is compared with others in arrays; longer ones are compared one by one."""


class CellReader:
    """The cells of some columns, document by document as a `Scanner` meets them."""

    def __init__(self, columns: Iterable[str]) -> None:
        self._words = _Words()
        self._columns = {name: _Column(BEFORE + COLUMNS.index(name)) for name in columns}
        self._fates: list[int] = []
        self._tabs: list[bool | None] = []

    def add(self, raw: bytearray, text: Bytes, lines: tuple[Ints, Ints], document: Ints, token: Ints, documents: int) -> None:
        """Read the token lines that begin and end there; each is that token of its document, by the number of these so far."""
        more = documents - len(self._fates)
        self._fates += [READ] * more
        self._tabs += [None] * more
        self._words.counts += [0] * more
        for column in self._columns.values():
            column.counts += [0] * more
        begins, ends = lines
        read = np.array(self._fates)[document] == READ
        if not read.all():
            begins, ends, document, token = (column[read] for column in (begins, ends, document, token))
        if not len(begins):
            return
        fields: _Fields | None = _Fields.between_tabs(text, begins, ends)
        tabs = fields is not None
        if fields is None:
            if ((text > 127) | (text - np.uint8(0x1C) < 4)).any() and _OTHER_BLANK.search(raw, 0, len(text)):
                self._leave(document, APART)
                return
            fields = _Fields.between_blanks(text, begins, ends)
        self._judge(raw, begins, ends, document, fields.enough, tabs=tabs)
        read = np.array(self._fates)[document] == READ
        if not read.all():
            fields, document, token = fields.of_lines(read), document[read], token[read]
        words = fields.of(_WORD)
        self._words.add(text, *words, document)
        firsts = np.flatnonzero(token == 0)
        for line, start, stop in zip(firsts.tolist(), *(ends[firsts].tolist() for ends in words)):
            if bytes(raw[start:stop]) in (b"", PLACEHOLDER.encode()):
                self._leave(document[line : line + 1], APART)
        for column in self._columns.values():
            start, stop = fields.of(column.place)
            # Such a column has no text, but is one that a document has.
            self._leave(document[start == stop], APART)
            column.add(raw, text, start, stop, document, token)

    def separate(self, documents: Iterable[int], *, tabs: bool) -> None:
        """Take note of what separates the columns of these; they must be read in another way where that was another before."""
        for document in documents:
            if self._tabs[document] not in (None, tabs):
                self._fates[document] = APART
            self._tabs[document] = tabs

    def take(self, documents: int) -> tuple[list[int], dict[str, Cells], Wording]:
        """Hand over the cells and words of the first documents, and the places of those that must be read in another way."""
        fates = np.array(self._fates[:documents])
        del self._fates[:documents], self._tabs[:documents]
        cells = {name: column.take(documents, fates == READ) for name, column in self._columns.items()}
        apart: list[int] = np.flatnonzero(fates == APART).tolist()
        return apart, cells, self._words.take(documents, fates == READ)

    def _leave(self, documents: Ints, fate: int) -> None:
        for document in set(documents.tolist()):
            self._fates[document] = max(self._fates[document], fate)

    def _judge(self, raw: bytearray, begins: Ints, ends: Ints, document: Ints, enough: Bools, *, tabs: bool) -> None:
        """Leave documents with a line of too few columns, and those whose columns are separated in two ways."""
        firsts = np.flatnonzero(np.append(True, document[1:] != document[:-1]))
        self.separate(document[firsts].tolist(), tabs=tabs)
        short = np.flatnonzero(~enough)
        for line in short[np.append(True, np.diff(document[short]) != 0)].tolist() if len(short) else ():
            # A line of white space beyond ASCII is no token to those who look at texts.
            blank = bytes(raw[begins[line] : ends[line]]).decode("utf-8", "surrogateescape").isspace()
            unsure = blank or (tabs and raw.find(b"\t", begins[line], ends[line]) < 0)
            self._leave(document[line : line + 1], APART if unsure else NONE)


class _Words:
    """The words so far."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self._found: list[tuple[Ints, Bytes]] = []

    def add(self, text: Bytes, start: Ints, stop: Ints, document: Ints) -> None:
        size = (stop - start).astype(np.int32)
        ends = np.cumsum(size)
        at = np.repeat((start - ends + size).astype(np.int32), size) + np.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
        self._found.append((size, text[at]))
        for one, count in enumerate(np.bincount(document).tolist()):
            self.counts[one] += count

    def take(self, documents: int, is_read: Bools) -> Wording:
        counts = np.array(self.counts[:documents], np.int64)
        del self.counts[:documents]
        cut = int(counts.sum())
        size, text = (np.concatenate(parts) for parts in zip(*self._found)) if self._found else (np.empty(0, np.int32), _NO_TEXT)
        end = int(size[:cut].sum())
        self._found = [(size[cut:], text[end:])] if cut < len(size) else []
        size, text = size[:cut], text[:end]
        if not is_read.all():
            kept = np.repeat(is_read, counts)
            size, text = size[kept], text[np.repeat(kept, size)]
        return Wording(np.where(is_read, counts, -1), size, text)


class _Column:
    """The cells of one column so far; `place` is its number in a line, from 0."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.counts: list[int] = []
        self._texts: list[str] = [""]
        self._codes: dict[bytes, int] = {}
        self._found: list[tuple[Ints, Ints]] = []
        # Cells that were met lately: their sizes, their bytes, and their codes.
        self._known = np.zeros((1 + LONGEST // 8, 1 << _SLOTS), np.uint64)
        self._known_codes = np.zeros(1 << _SLOTS, np.int32)

    def add(self, raw: bytearray, text: Bytes, start: Ints, stop: Ints, document: Ints, token: Ints) -> None:
        size = stop - start
        said = (size > 0) & ~((size == 1) & _IS_NOTHING[text[start]])
        if not said.any():
            return
        code = self._coded(raw, text, stop[said], size[said])
        self._found.append((token[said].astype(np.int32), code))
        for at, count in enumerate(np.bincount(document[said]).tolist()):
            self.counts[at] += count

    def take(self, documents: int, is_read: Bools) -> Cells:
        counts = self.counts[:documents]
        del self.counts[:documents]
        cut = sum(counts)
        columns = [np.concatenate(parts) for parts in zip(*self._found)] or [np.empty(0, np.int32)] * 2
        self._found = [(columns[0][cut:], columns[1][cut:])] if cut < len(columns[0]) else []
        document = np.repeat(np.arange(documents, dtype=np.int32), counts)
        kept = is_read[document]
        return Cells(document[kept], columns[0][:cut][kept], columns[1][:cut][kept], self._texts)

    def _coded(self, raw: bytearray, text: Bytes, stop: Ints, size: Ints) -> Ints:
        """A number for each cell, the same for cells of the same text."""
        if int(size.max()) > LONGEST:
            return self._one_by_one(raw, stop, size)
        # Eight bytes at a time, as a number, from the end, as there is always something before a cell.
        words: NDArray[np.uint64] = np.ndarray((len(text) - 7,), "<u8", text.data, strides=(1,))
        parts = [size.astype(np.uint64)]
        mixed = parts[0]
        for before in range(0, int(size.max()), 8):
            # What stands before the cell is shifted out; a shift by all bits would be none.
            over = np.clip(8 + before - size, 0, 8)
            part = words[stop - before - 8] >> (8 * np.minimum(over, 7)).astype(np.uint64)
            part[over == 8] = 0
            parts.append(part)
            mixed = (mixed ^ part) * _FACTOR
            mixed ^= mixed >> np.uint64(29)
        slot = (mixed >> np.uint64(64 - _SLOTS)).astype(np.int64)
        same = [part == known[slot] for part, known in zip(parts, self._known)]
        codes = self._known_codes[slot]
        new = np.flatnonzero(~np.logical_and.reduce(same))
        if len(new):
            _, first, group = np.unique(mixed[new], return_index=True, return_inverse=True)
            first = new[first]
            # Different cells hardly ever mix to the same number, and here is where that is seen.
            if any((part[new] != part[first][group]).any() for part in parts):
                return self._one_by_one(raw, stop, size)
            found = self._one_by_one(raw, stop[first], size[first])
            codes[new] = found[group]
            self._known_codes[slot[first]] = found
            for at, known in enumerate(self._known):
                known[slot[first]] = parts[at][first] if at < len(parts) else 0
        return codes

    def _one_by_one(self, raw: bytearray, stop: Ints, size: Ints) -> Ints:
        codes = []
        for end, length in zip(stop.tolist(), size.tolist()):
            cell = bytes(raw[end - length : end])
            code = self._codes.get(cell)
            if code is None:
                code = self._codes[cell] = len(self._texts)
                self._texts.append(cell.decode("utf-8", "surrogateescape"))
            codes.append(code)
        return np.array(codes, np.int32)


class _Fields:
    """Where the columns of lines begin and end: `at` is the place of a line's first edge, `enough` whether it has all columns."""

    def __init__(self, edges: Ints, at: Ints, enough: Bools, *, tabs: bool) -> None:
        self._edges = edges
        self._at = at
        self._tabs = tabs
        self.enough = enough

    @classmethod
    def between_tabs(cls, text: Bytes, begins: Ints, ends: Ints) -> _Fields | None:
        """None where there is no TAB."""
        tabs = np.flatnonzero(text == _TAB)
        if not len(tabs):
            return None
        each, rest = divmod(len(tabs), len(begins))
        rows = tabs.reshape(-1, each) if not rest else tabs[:0].reshape(0, 1)
        if len(rows) and (rows[:, 0] >= begins).all() and (rows[:, -1] < ends).all():
            return cls(tabs, np.arange(len(begins)) * each, np.full(len(begins), each >= LEAST - 1), tabs=True)
        at = np.searchsorted(tabs, begins)
        return cls(tabs, at, np.searchsorted(tabs, ends) - at >= LEAST - 1, tabs=True)

    @classmethod
    def between_blanks(cls, text: Bytes, begins: Ints, ends: Ints) -> _Fields:
        blank = _IS_BLANK[text]
        edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
        at = np.searchsorted(edges, begins)
        return cls(edges, at, np.searchsorted(edges, ends) - at >= 2 * LEAST - 1, tabs=False)

    def of_lines(self, which: Bools) -> _Fields:
        """Of these lines alone."""
        return _Fields(self._edges, self._at[which], self.enough[which], tabs=self._tabs)

    def of(self, column: int) -> tuple[Ints, Ints]:
        """Where this column, not the first, begins in each line, and where it ends."""
        if self._tabs:
            return self._edges[self._at + column - 1] + 1, self._edges[self._at + column]
        return self._edges[self._at + 2 * column], self._edges[self._at + 2 * column + 1]
