"""Reads the column files that reference 8.01 cannot read, or reads differently; see `kinds`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conll.columns.brackets import parse_named
from conll.columns.kinds import BEGIN, last_cell, named_start
from conll.columns.mentions import NamedMentions
from conll.errors import Problem
from conll.indexed import IndexedSource, here_and
from conll.source import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from conll.document import Document, Words

_END = re.compile(rb"#\s*end document")


class Entry:
    """Where one document lies in its file: its line, and the offsets of what stands between its first and its last line.

    `first` is the line that follows its first one. `ended` says whether there is an end line.
    """

    __slots__ = ("body", "ended", "first", "line", "name", "stop")

    def __init__(self, name: str, line: int, first: int, body: int) -> None:
        self.name = name
        self.line = line
        self.first = first
        self.body = body
        self.stop = body
        self.ended = False


class ColumnsSource(IndexedSource[Entry]):
    """One open file: an index of its documents, each read on request.

    A document ends at its end line or where another one begins. Of several documents of one name the last is read. One without
    a name is called by its place in the file, from 1; a file without a line that begins a document is one document.
    `word` is the column of the words, from 0; where it is None it shows from the other columns.
    """

    def __init__(self, file: BinaryIO, path: str, *, word: int | None = None) -> None:
        self.path = path
        self.size = 0
        self._file = file
        self._word = word
        self._nameless: list[int] = []
        self._unseen: list[int] = []
        self._named: tuple[int, str] | None = None
        entries = list(self._index())
        self._entries, self._problems = index(entries, path)
        self._problems[:0] = self._differences(headless=len(entries) == 1 and entries[0].line == entries[0].first)

    def narrow(self, entries: dict[str, Entry]) -> None:
        super().narrow(entries)
        self._nameless = []
        self._unseen = []

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        return None if entry is None else _document(self._lines(entry), entry, self.path)

    def words(self, name: str) -> Words | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        sentences: Words = [[]]
        known = False
        column = self._word
        for text in self._lines(entry):
            if not text or text.isspace():
                if sentences[-1]:
                    sentences.append([])
                continue
            columns = _split(text)
            if column is None:
                column = _column_of_words(columns)
            word = columns[column] if column < len(columns) - 1 else b""
            known = known or word not in {b"", b"[WORD]"}
            sentences[-1].append(word.decode("utf-8", "surrogateescape"))
        if not sentences[-1]:
            sentences.pop()
        return sentences if known else None

    def fields(self, name: str) -> dict[str, Any]:
        """The further columns that say something, counted from 1; no other format has a place for them."""
        entry = self._entries.get(name)
        rows = [_split(text) for text in self._lines(entry) if text and not text.isspace()] if entry else []
        word = self._word or (_column_of_words(rows[0]) if rows else 0)
        telling = {at for row in rows for at, cell in enumerate(row[:-1]) if at > word and cell not in {b"", b"-", b"_", b"*"}}
        return dict.fromkeys(f"column_{at + 1}" for at in sorted(telling))

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        entry = self._entries.get(name)
        if entry is None:
            return {}
        numbered = enumerate(self._lines(entry), entry.first)
        filled = (line for line, text in numbered if text and not text.isspace())
        return {token: line for token, line in enumerate(filled) if token in tokens}

    def _index(self) -> Iterator[Entry]:
        entry: Entry | None = None
        begun = False
        number = 0
        self._file.seek(0)
        for line, text in enumerate(self._file, 1):
            start = self.size
            self.size += len(text)
            if text[:1] == b"#" and (match := BEGIN.match(text)):
                if entry is not None:
                    entry.stop = start
                    yield entry
                number += 1
                begun = True
                if match[1][:1] != b" ":
                    self._unseen.append(line)
                name = match[1].rstrip(b"\r\n").removeprefix(b" ").decode("utf-8", "surrogateescape")
                if not name.strip():
                    self._nameless.append(line)
                    name = str(number)
                entry = Entry(name, line, line + 1, self.size)
            elif b"#" in text and _END.search(text):
                if entry is not None:
                    entry.stop, entry.ended = start, True
                    yield entry
                entry = None
            elif self._named is None and b"(" in text:
                label = named_start(last_cell(text))
                if label is not None:
                    self._named = line, label.decode("utf-8", "replace")
        if entry is not None:
            entry.stop = self.size
            yield entry
        if not begun and self.size:
            entry = Entry("1", 1, 1, 0)
            entry.stop, entry.ended = self.size, True
            yield entry

    def _differences(self, *, headless: bool) -> Iterator[Problem]:
        """A problem for what reference 8.01 reads differently."""
        if headless:
            yield Problem(self.path, 1, None, "there is no line #begin document; the file is read as one document, called 1")
        if self._unseen:
            here = here_and(self._unseen, "place")
            problem = f"no space follows #begin document {here}; scorer.pl does not see such a document"
            yield Problem(self.path, self._unseen[0], None, problem)
        if self._nameless:
            here = here_and(self._nameless, "place")
            problem = f"the document has no name {here}; such a document is called by its place in the file, from 1"
            yield Problem(self.path, self._nameless[0], None, problem)
        if self._named is not None:
            line, label = self._named
            problem = f"the id of a mention, {label}, is not a number; scorer.pl reads the digits of such ids only, or nothing"
            yield Problem(self.path, line, None, problem)

    def _range(self, entry: Entry) -> tuple[int, int]:
        return entry.body, entry.stop

    def _lines(self, entry: Entry) -> list[bytes]:
        # Never decoded before they are split: white space of Unicode separates nothing, and a line of it is a token.
        self._file.seek(entry.body)
        return self._file.read(entry.stop - entry.body).split(b"\n")


def _split(text: bytes) -> list[bytes]:
    """The columns of a line, empty ones at the end left out, among which one of CR alone is not."""
    return text.rstrip(b"\t").split(b"\t") if b"\t" in text else text.split()


def _column_of_words(columns: list[bytes]) -> int:
    """Where the words stand: the fourth of the columns of CoNLL-2012, else the second."""
    return 3 if len(columns) > 4 and columns[1].isdigit() and columns[2].isdigit() else 1


def _document(lines: list[bytes], entry: Entry, path: str) -> Document:
    mentions = NamedMentions(path, entry.name)
    token = 0
    for line, text in enumerate(lines, entry.first):
        if not text or text.isspace():
            continue
        if b"(" in text or b")" in text:
            # As reference 8.01 reads it: a line of one column is a cell as well.
            mentions.add(parse_named(_split(text)[-1]), token, line, text)
        token += 1
    return mentions.document(token, entry.line, lines, entry.first, ended=entry.ended)
