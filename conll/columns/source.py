"""Files of columns, one token a line: which format they are in, and how those are read that reference 8.01 does not read.

`kind_of` alone decides, so that no file begins like two of these formats.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import ConllError, Problem
from conll.formats.conll2012.read import listed_of
from conll.indexed import IndexedSource, here_and
from conll.source import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from conll.document import Clusters, Words

_BEGIN = re.compile(rb"#\s*begin document(.*)", re.DOTALL)
_END = re.compile(rb"#\s*end document")

_ID = r"[^()|\s]+"
_PIECE = re.compile(rf"\((\d+\+\d)\)|\(({_ID})\)|\(({_ID})|({_ID})\)")
"""A double antecedent, a mention of one token, a start, an end."""

_CELL = re.compile(rb"[-_*]|(?:\([^()|\s]+\)?\|?|[^()|\s]+\)\|?)+")
"""All that the last column may hold."""

_NAMED = re.compile(rb"\((?!\d+(?:\+\d)?[|()]|\d+$)[^()|\s]+")
"""A start whose id is not a number."""

_NOTHING = tuple(before + sign + after for before in (b"\t", b" ") for sign in (b"-", b"_", b"*") for after in (b"", b"\r", b"\t"))
"""How lines end whose last column holds no bracket."""

_WORD_LINE = re.compile(rb"\d+(?:[-.]\d+)?$")


@lru_cache(maxsize=2)
def kind_of(head: bytes) -> str | None:
    """The format of a file of columns that begins with `head`; None when it is none."""
    lines = head.split(b"\n")
    begins = [line for line in lines if line[:1] == b"#" and _BEGIN.match(line)]
    if not begins:
        return _kind_without_headers(lines[:-1] if len(lines) > 1 else lines)
    # The last line of the head may be cut off.
    tokens = (line.rstrip() for line in lines[:-1] if line[:1] != b"#" and not line.isspace() and line)
    first = list(islice(tokens, 50))
    if first and all(map(_is_semeval, first)):
        return "semeval2010"
    # Most lines hold no mention, and are left out before they are taken apart.
    cells = (_cell(line.rstrip()) for line in lines[:-1] if not line.endswith(_NOTHING) and line[:1] != b"#")
    if any(map(_is_odd, begins)) or any(_NAMED.search(cell) and _CELL.fullmatch(cell) for cell in cells):
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
        line.endswith(b"\t_") or b"=" in _cell(line) for line in tokens
    ):
        return "corefud"
    if all(_CELL.fullmatch(_cell(line.rstrip())) and (b"\t" in line or len(line.split()) > 1) for line in tokens):
        return "conll" if any(b"(" in _cell(line.rstrip()) for line in tokens) else None
    return None


def _is_odd(line: bytes) -> bool:
    """Whether reference 8.01 does not see that a document begins here, or sees no name."""
    match = _BEGIN.match(line)
    return match is not None and (match[1][:1] != b" " or not match[1].strip())


def _is_semeval(line: bytes) -> bool:
    columns = line.split(b"\t")
    return (
        len(columns) >= 8
        and columns[0].isdigit()
        and not columns[1].isdigit()
        and columns[-1] != b"-"
        and _CELL.fullmatch(columns[-1]) is not None
    )


def _cell(line: bytes) -> bytes:
    if b"\t" in line:
        return line[line.rfind(b"\t") + 1 :].strip()
    return line.split()[-1] if line and not line.isspace() else b""


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
    """One open file: an index of its documents, each of which is read when it is asked for.

    A document ends at its end line or where another one begins. Of several documents of one name the last is read. One without
    a name is called by its place in the file, from 1; a file without a line that begins a document is one document.
    `word` is the column of the words, from 0; where it is None it shows from the other columns.
    """

    _apart = {"_problems": [], "_nameless": [], "_unseen": []}  # noqa: RUF012  never changed

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

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        return None if entry is None else _Brackets(self._lines(entry), entry, self.path).document()

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

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        entry = self._entries.get(name)
        if entry is None:
            return {}
        numbered = enumerate(self._lines(entry), entry.first)
        filled = (line for line, text in numbered if text and not text.isspace())
        return {token: line for token, line in enumerate(filled) if token in tokens}

    def _index(self) -> Iterator[Entry]:
        entry: Entry | None = None
        found = False
        number = 0
        self._file.seek(0)
        for line, text in enumerate(self._file, 1):
            start = self.size
            self.size += len(text)
            if text[:1] == b"#" and (match := _BEGIN.match(text)):
                if entry is not None:
                    entry.stop = start
                    yield entry
                number += 1
                found = True
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
                label = _NAMED.search(_cell(text))
                if label and _CELL.fullmatch(_cell(text)):
                    self._named = line, label[0].decode("utf-8", "replace")
        if entry is not None:
            entry.stop = self.size
            yield entry
        if not found and self.size:
            entry = Entry("1", 1, 1, 0)
            entry.stop, entry.ended = self.size, True
            yield entry

    def _differences(self, *, headless: bool) -> Iterator[Problem]:
        """What reference 8.01 does not read as it is read here."""
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


class _Brackets:
    """The mentions of one document, from the brackets in its last column."""

    def __init__(self, lines: list[bytes], entry: Entry, path: str) -> None:
        self._entry = entry
        self._path = path
        self._numbers: dict[str, int] = {}
        self._clusters: Clusters = []
        self._places: list[list[int]] = []
        self._open: dict[str, list[tuple[int, int, bytes]]] = {}
        self._discarded: list[str] = []
        self.tokens = 0
        for line, text in enumerate(lines, entry.first):
            if not text or text.isspace():
                continue
            if b"(" in text or b")" in text:
                # As reference 8.01 reads it: a line of one column is a cell as well.
                self._cell(_split(text)[-1].decode("utf-8", "surrogateescape"), self.tokens, line, text)
            self.tokens += 1

    def document(self) -> Document:
        """All of it; ConllError when a mention never ends."""
        entry = self._entry
        unclosed = sorted((line, label, text) for label, stack in self._open.items() for _, line, text in stack)
        if unclosed and entry.ended:
            line, label, text = unclosed[0]
            problem = f"mention {label} starts here but never ends in its document; write the missing {label})"
            raise self._error(line, problem, text)
        listed = listed_of(self._clusters)
        return Document(
            entry.name,
            self._clusters[:listed],
            self.tokens,
            lines=self._places[:listed],
            labels=list(self._numbers)[:listed],
            discarded=self._discarded,
            unclosed=[(label, line) for line, label, _ in unclosed],
            ended=entry.ended,
            path=self._path,
            line=entry.line,
        )

    def _cell(self, cell: str, token: int, line: int, text: bytes) -> None:
        pieces = _PIECE.findall(cell)
        self._discarded += [double for double, _, _, _ in pieces if double]
        # The order in which reference 8.01 looks for them, so that ids of digits mean the same.
        for _, single, _, _ in pieces:
            if single:
                at = self._cluster(single)
                self._clusters[at].append((token, token))
                self._places[at].append(line)
        for _, _, start, _ in pieces:
            if start:
                self._cluster(start)
                self._open.setdefault(start, []).append((token, line, text))
        for _, _, _, end in pieces:
            if end:
                self._end(end, token, line, text)

    def _cluster(self, label: str) -> int:
        at = self._numbers.get(label)
        if at is None:
            at = self._numbers[label] = len(self._numbers)
            self._clusters.append([])
            self._places.append([])
        return at

    def _end(self, label: str, token: int, line: int, text: bytes) -> None:
        if not self._open.get(label):
            # (person-1 … 1): some files give the type at the start only.
            fits = [other for other, stack in self._open.items() if stack and other.endswith(f"-{label}")]
            if len(fits) != 1:
                raise self._error(line, f"mention {label} ends here but never starts; write the missing ({label}", text)
            label = fits[0]
        start, first, _ = self._open[label].pop()
        at = self._numbers[label]
        self._clusters[at].append((start, token))
        self._places[at].append(first)

    def _error(self, line: int, problem: str, text: bytes) -> ConllError:
        return ConllError(self._path, line, problem, document=self._entry.name, text=text.decode("utf-8", "surrogateescape"))
