"""The lines of a CoNLL-U document, and of files that are built like it: words, empty nodes, sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conll.errors import ConllError, Problem
from conll.formats._indexed import IndexedSource, here_and
from conll.source import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from conll.document import Words
    from conll.syntax import AnyMention, Piece, Token


PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in CoNLL-2012."""


CHUNK = 1 << 20
"""Bytes read at a time while a file is indexed."""

_WORD_LINE = re.compile(rb"^\d", re.MULTILINE)

_NUMBERS = [str(number) for number in range(1, 1001)]
"""The ids of the words of most sentences."""


class Entry:
    """Where one document lies in its file: its line (from 1), the offsets of its first byte and of the next document.

    `declared` is the last `# global.` line before it that its format looks for.
    """

    __slots__ = ("declared", "line", "name", "start", "stop")

    def __init__(self, name: str, line: int, start: int, declared: str) -> None:
        self.name = name
        self.line = line
        self.start = start
        self.stop = start
        self.declared = declared


class NodesSource(IndexedSource[Entry]):
    """One open file of documents that begin with a line `# newdoc id = NAME`, each of which is read when it is asked for.

    Of several documents of one name the last is read. A file without such lines is one document. One without a name is called by
    its place in the file, from 1. `declaration` begins the line that tells what the file holds.
    """

    declaration: bytes

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path = path
        self._file = file
        self.size = 0
        self._nameless: list[int] = []
        self._entries, self._problems = index(list(self._index()), path)
        if self._nameless:
            here = here_and(self._nameless, "document")
            problem = f"there is no # newdoc id {here}; such a document is called by its place in the file, from 1"
            self._problems.insert(0, Problem(path, self._nameless[0], None, problem))

    def words(self, name: str) -> Words | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        sentences: Words = []
        inside = False
        for text in self._lines(entry):
            if not text or text.isspace():
                inside = False
                continue
            ident, _, rest = text.partition("\t")
            if text[0] == "#":
                continue
            if not inside:
                sentences.append([])
                inside = True
            if ident.isdecimal():
                sentences[-1].append(rest.partition("\t")[0])
        known = any(word != PLACEHOLDER for sentence in sentences for word in sentence)
        return sentences if known else None

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        entry = self._entries.get(name)
        if entry is None:
            return {}
        numbered = enumerate(self._lines(entry), entry.line)
        words = (line for line, text in numbered if text.partition("\t")[0].isdecimal())
        return {token: line for token, line in enumerate(words) if token in tokens}

    def _index(self) -> Iterator[Entry]:
        entry: Entry | None = None
        declared = ""
        number = lines = 0
        self._file.seek(0)
        while chunk := self._file.read(CHUNK):
            chunk += self._file.readline()
            counted = 0
            for begin, end in self._comments(chunk, first=entry is None):
                lines += chunk.count(b"\n", counted, begin)
                counted = begin
                text = chunk[begin:end].decode("utf-8", "replace").strip()
                if text.startswith(self.declaration.decode()):
                    declared = text
                    continue
                is_document = text[0] == "#"
                if not is_document and entry is not None:
                    continue
                if entry is not None:
                    entry.stop = self.size + begin
                    yield entry
                number += 1
                name = text.partition("=")[2].strip() if is_document else ""
                if not name:
                    self._nameless.append(lines + 1)
                    name = str(number)
                entry = Entry(name, lines + 1, self.size + begin, declared)
            lines += chunk.count(b"\n", counted)
            self.size += len(chunk)
        if entry is not None:
            entry.stop = self.size
            yield entry

    def _comments(self, chunk: bytes, *, first: bool) -> list[tuple[int, int]]:
        """Where the lines that begin a document or declare something stand; `first`: and the first line of a word."""
        found = []
        for word in (b"newdoc", self.declaration):
            at = chunk.find(word)
            while at >= 0:
                begin = chunk.rfind(b"\n", 0, at) + 1
                after = chunk[at + len(word) : at + len(word) + 1]
                if word == self.declaration:
                    fits = begin == at
                else:
                    fits = chunk[begin : begin + 1] == b"#" and not chunk[begin + 1 : at].strip() and not after.strip()
                if fits:
                    end = chunk.find(b"\n", at)
                    found.append((begin, len(chunk) if end < 0 else end))
                at = chunk.find(word, at + len(word))
        if first:
            match = _WORD_LINE.search(chunk)
            if match is not None:
                found.append(match.span())
        return sorted(found)

    def _lines(self, entry: Entry) -> list[str]:
        self._file.seek(entry.start)
        body = self._file.read(entry.stop - entry.start)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            line = entry.line + body.count(b"\n", 0, error.start)
            byte = error.start - body.rfind(b"\n", 0, error.start)
            problem = f"byte {byte} of the line is not UTF-8; save the file as UTF-8"
            raise ConllError(self.path, line, problem, document=entry.name) from None
        return (text.replace("\r\n", "\n") if "\r" in text else text).split("\n")


class Nodes:
    """The nodes of one document in order: `tokens` as in `conll.syntax`, and the `texts` of their lines.

    `marked` lists the lines that hold one of the `marks`: (node, line, text), and the `# global.` lines with node -1.
    """

    def __init__(
        self, lines: list[str], entry: Entry, path: str, marks: tuple[str, ...], *, columns: int, first: int | None
    ) -> None:
        self.tokens: list[Token] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.zeros: dict[str, str] = {}
        self.marked: list[tuple[int, int, str]] = []
        self.words = 0
        self._entry = entry
        self._path = path
        self._marks = marks
        self._columns = columns
        self._first = first
        at = 0
        while at < len(lines):
            try:
                end = lines.index("", at)
            except ValueError:
                end = len(lines)
            self._sentence(lines[at:end], entry.line + at)
            at = end + 1

    def _sentence(self, texts: list[str], line: int) -> None:
        """The lines up to an empty one, of which the first stands on `line`."""
        comments = 0
        for text in texts:
            if text[0] != "#":
                break
            if text.startswith("# global."):
                self.marked.append((-1, line + comments, text))
            comments += 1
        texts, line = texts[comments:], line + comments
        if not texts:
            return
        begin = len(self.tokens)
        idents = [text.partition("\t")[0] for text in texts]
        if idents != _NUMBERS[: len(idents)] or self._first is None:
            texts, lines = self._sort_out(texts, line)
        else:
            lines = list(range(line, line + len(texts)))
            self.starts.append(self.words)
            self.tokens += range(self.words, self.words + len(texts))
            self.words += len(texts)
        self.texts += texts
        # One look at the sentence as a whole, as most have all their columns and many hold no mention.
        whole = "\n".join(texts)
        if whole.count("\t") != (self._columns - 1) * len(texts):
            self._check_columns(texts, lines)
        marks = [mark for mark in self._marks if mark in whole]
        if len(marks) == 1:
            mark = marks[0]
            self.marked += [(begin + at, lines[at], text) for at, text in enumerate(texts) if mark in text]
        elif marks:
            self.marked += [(begin + at, lines[at], text) for at, text in enumerate(texts) if any(mark in text for mark in marks)]

    def _check_columns(self, texts: list[str], lines: list[int]) -> None:
        for text, number in zip(texts, lines):
            found = text.count("\t") + 1
            if found < self._columns:
                problem = f"the line has {found} columns, but {self._columns} are needed, with a TAB between them"
                raise self.error(number, problem, text)

    def _sort_out(self, texts: list[str], line: int) -> tuple[list[str], list[int]]:
        """A sentence in which not every line is the next word: the lines of its nodes, and their numbers in the file."""
        kept: list[str] = []
        lines: list[int] = []
        word = self.words
        expected = 0
        for number, text in enumerate(texts, line):
            if text[0] == "#":
                if text.startswith("# global."):
                    self.marked.append((-1, number, text))
                continue
            ident = text.partition("\t")[0]
            if text.isspace():
                expected = 0
                continue
            if not expected:
                self.starts.append(word)
                expected = int(ident) if self._first is None and ident.isdecimal() and len(ident) < 10 else 1
            if ident == str(expected):
                self.tokens.append(word)
                expected += 1
                word += 1
            elif ident.isdecimal():
                problem = f"word {ident} stands where word {expected} should; number the words of a sentence 1, 2, 3"
                raise self.error(number, problem, text)
            elif "." in ident:
                self._zero(ident, expected - 1, number, text)
            elif "-" in ident:
                continue
            else:
                problem = "the line begins with no number; a line is a word, an empty node, a comment or empty"
                raise self.error(number, problem, text)
            kept.append(text)
            lines.append(number)
        self.words = word
        return kept, lines

    def _zero(self, ident: str, last: int, number: int, text: str) -> None:
        token = f"{len(self.starts) - 1}:{ident}"
        before, _, place = ident.partition(".")
        if before != str(last) or not place.isdecimal() or len(place) > 9 or token in self.zeros:
            problem = f"the empty node {ident} stands after word {last}; call it {last}.1, or the next such number"
            raise self.error(number, problem, text)
        self.tokens.append(token)
        columns = text.split("\t", 9)
        self.zeros[token] = columns[8] if len(columns) > 8 else ""

    def error(self, line: int, problem: str, text: str = "") -> ConllError:
        """The error for a line of this document."""
        return ConllError(self._path, line, problem, document=self._entry.name, text=text)

    def mention(self, parts: list[tuple[int, int]]) -> AnyMention:
        """The mention of some parts, (first, last) node each, in order."""
        tokens = self.tokens
        if len(parts) == 1:
            first, last = tokens[parts[0][0]], tokens[parts[0][1]]
            if type(first) is int and type(last) is int:
                return first, last
        joined = [parts[0]]
        for first_node, last_node in parts[1:]:
            if first_node == joined[-1][1] + 1:
                joined[-1] = joined[-1][0], last_node
            else:
                joined.append((first_node, last_node))
        found: list[Piece] = []
        for first_node, last_node in joined:
            words = [token for token in tokens[first_node : last_node + 1] if type(token) is int]
            here = tokens[first_node : last_node + 1]
            if not words:
                found += [str(token) for token in here]
                continue
            begin, end = here.index(words[0]), here.index(words[-1])
            found += [str(token) for token in here[:begin]]
            found.append((words[0], words[-1]))
            found += [str(token) for token in here[end + 1 :]]
        if len(found) == 1 and not isinstance(found[0], str):
            return found[0]
        return tuple(found)
