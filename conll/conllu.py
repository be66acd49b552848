"""What formats built like CoNLL-U share: words, empty nodes, and sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import filterfalse
from typing import Any

from conll.document import Layers
from conll.errors import ConllError, Problem, pluralize
from conll.source import IndexedSource, here_and, index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import BinaryIO

    from conll.document import Document, Words
    from conll.syntax import AnyMention, Piece, Token


LastColumns = tuple[list[int], list[int], list[str]]
"""A line each, the node that it is, and the text of its last column."""

Declaration = tuple[int, int, str]
"""A line `# global.`: the first line of its sentence, from which on it holds, its own line, and its
text."""

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in CoNLL-2012."""

RANGE = re.compile(r"\d+-\d+")
"""The id of a multi-word token."""


LAYERS = ("LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
"""The columns that say something of a word by itself."""


def layers(text: str, names: Sequence[str], words: Words) -> Layers:
    """The layers of the words of one document that is well-formed, whose columns have these names.

    A head is the number of a token from 0 in the document, -1 at the root. Empty nodes and
    multi-word tokens are no words.
    """
    places = {name: names.index(name) for name in LAYERS if name in names}
    columns: dict[str, list[str]] = {name: [] for name in places}
    lines = (line.split("\t") for line in text.split("\n"))
    for token, row in enumerate(cells for cells in lines if cells[0].isdecimal()):
        cells = [*row, *[""] * len(names)]
        for name, place in places.items():
            columns[name].append(_said(name, cells[place], token, cells[0]))
    return Layers(words, {name.lower(): cells for name, cells in columns.items() if any(cells)})


def columns_of(lines: Sequence[str], fields: Collection[str]) -> dict[str, Column]:
    """Those of the columns of `layers` that are asked for, from the lines of words in CoNLL-U."""
    columns = {name.lower(): Column(lines, name) for name in LAYERS if name.lower() in fields}
    return {name: column for name, column in columns.items() if any(column)}


class Column(Sequence[str]):
    """A column of lines that have all ten.

    A cell is found when it is asked for, which few of them are.
    """

    def __init__(self, lines: Sequence[str], name: str) -> None:
        self._lines = lines
        self._name = name
        self._place = COLUMNS.index(name)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: Any) -> Any:
        cells = self._lines[at].split("\t", self._place + 1)
        return _said(self._name, cells[self._place], at, cells[0])


def _said(name: str, cell: str, token: int, ident: str) -> str:
    """What the cell of a token says in the column of this name."""
    if name == "HEAD" and cell.isdecimal() and len(cell) < 10:
        # The first word of a sentence may have any number, from which on the others are counted.
        return str(token + int(cell) - int(ident)) if int(cell) else "-1"
    return "" if cell == "_" else cell


CHUNK = 1 << 18
"""Bytes read at a time while a file is indexed."""

_WORD_LINE = re.compile(rb"^\d", re.MULTILINE)

_BETWEEN = bytes(byte for byte in range(256) if byte not in b"\t\n")
"""All that stands between the ends of columns and of lines."""

_NUMBERS = [str(number) for number in range(1, 1001)]
"""The ids of the words of most sentences."""


_KINDS = {
    "LEMMA": "lemma",
    "UPOS": "tag",
    "XPOS": "tag",
    "FEATS": "word| with features",
    "DEPREL": "dependency relation",
    "DEPS": "word| with enhanced dependencies",
}
"""What columns hold beside words and mentions, with a | after the noun that is counted."""


def counted(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Which of these a line holds, by the names of its columns."""
    return [
        _KINDS[name]
        for name, cell in zip(names, columns)
        if name in _KINDS and cell not in ("_", "-", "")
    ]


class Entry:
    """Where one document lies in its file: its line (from 1), the offsets of its first byte and of the next document.

    `declared` is the last `# global.` line before it that its format looks for.
    """

    __slots__ = ("declared", "line", "name", "start", "stop")

    stop: int

    def __init__(self, name: str, line: int, start: int, declared: str) -> None:
        self.name = name
        self.line = line
        self.start = start
        self.declared = declared


class NodesSource(IndexedSource[Entry]):
    """One open file of documents that begin with a line `# newdoc id = NAME`, each read on request.

    Of several documents of one name the last is read. A file without such lines is one document.
    One without a name is called by its place in the file, from 1. `declaration` begins the line
    that tells what the file holds; without one of these, no mention is read unless one of the
    `attributes` stands in the file.
    """

    declaration: bytes
    attributes: tuple[bytes, ...] = ()

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path = path
        self._file = file
        self.size = 0
        # Which lines these are is asked behind the #, as that is found faster than the beginning of
        # a line.
        self._comment = re.compile(
            rb"#(?<![^\n]#)(?:[^\S\n]*newdoc(?!\S)|%b)[^\n]*" % re.escape(self.declaration[1:])
        )
        nameless: list[int] = []
        self._bare, self._stanza = True, False
        self._entries, self._problems = index(list(self._index(nameless)), path)
        if nameless:
            here = here_and(nameless, "document")
            problem = f"there is no # newdoc id {here}; such a document is called by its place in the file, from 1"
            self._problems.insert(0, Problem(path, nameless[0], None, problem))
        if self._bare:
            declaration = self.declaration.decode()
            stanza = "; coref_chains= of Stanza is not read" if self._stanza else ""
            problem = f"no line begins with {declaration}, so the file is read without any mention{stanza}"
            self.bare = Problem(path, 0, None, problem, "write that line even if there are none")
            self._problems.insert(0, self.bare)

    def words(self, name: str) -> Words | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        sentences: Words = []
        inside = False
        for text in self._text(entry).split("\n"):
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

    def layers(self, name: str) -> Layers | None:
        document, words = self.document(name), self.words(name)
        if document is None or words is None:
            return None

        return layers(self._text(self._entries[name]), self._columns(document), words)

    def _columns(self, document: Document) -> Sequence[str]:  # noqa: ARG002  for those whose files name them
        """The names of the columns."""
        return COLUMNS

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:  # noqa: ARG002  no such format has a place for them
        return False

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        entry = self._entries.get(name)
        if entry is None:
            return {}
        numbered = enumerate(self._text(entry).split("\n"), entry.line)
        words = (line for line, text in numbered if text.partition("\t")[0].isdecimal())
        return {token: line for token, line in enumerate(words) if token in tokens}

    def _index(self, nameless: list[int]) -> Iterator[Entry]:
        """The documents of the file; the lines of those without a name are noted."""
        entry: Entry | None = None
        declared = ""
        number = lines = 0
        while chunk := self._file.read(CHUNK):
            chunk += self._file.readline()
            if self._bare:
                self._stanza = self._stanza or b"coref_chains=" in chunk
                self._bare = not any(map(chunk.__contains__, (self.declaration, *self.attributes)))
            counted = 0
            for begin, end in self._comments(chunk, first=entry is None):
                text = chunk[begin:end].decode("utf-8", "replace").strip()
                if text.startswith(self.declaration.decode()):
                    declared = text
                    continue
                is_document = text[0] == "#"
                if not is_document and entry is not None:
                    continue
                start = begin if entry else self._first_comment(chunk, begin)
                lines += chunk.count(b"\n", counted, start)
                counted = start
                if entry is not None:
                    entry.stop = self.size + start
                    yield entry
                number += 1
                name = text.partition("=")[2].strip() if is_document else ""
                if not name:
                    nameless.append(lines + 1)
                    name = str(number)
                entry = Entry(name, lines + 1, self.size + start, declared)
            lines += chunk.count(b"\n", counted)
            self.size += len(chunk)
        if entry is not None:
            entry.stop = self.size
            yield entry

    def _comments(self, chunk: bytes, *, first: bool) -> list[tuple[int, int]]:
        """Where the lines that begin a document or declare something stand.

        `first`: and the first line of a word.
        """
        spans = [match.span() for match in self._comment.finditer(chunk)]
        if first:
            word = _WORD_LINE.search(chunk)
            if word is not None:
                spans.append(word.span())
        return sorted(spans)

    def _first_comment(self, chunk: bytes, begin: int) -> int:
        """Where the comments before the first document start, which begins at `begin`, behind what is declared before them."""
        at = 0
        while at < begin:
            end = chunk.find(b"\n", at) + 1
            if not (chunk.startswith(self.declaration, at) or chunk[at:end].isspace()):
                break
            at = end
        return at

    def _range(self, entry: Entry) -> tuple[int, int]:
        return entry.start, entry.stop

    def _text(self, entry: Entry) -> str:
        """The lines of a document."""
        self._file.seek(entry.start)
        body = self._file.read(entry.stop - entry.start)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            before = body[: error.start]
            line = entry.line + before.count(b"\n")
            byte = len(before) - before.rfind(b"\n")
            problem = f"byte {byte} of the line is not UTF-8; save the file as UTF-8"
            raise ConllError(self.path, line, problem, document=entry.name) from None
        return text.replace("\r\n", "\n") if "\r" in text else text


def _widths(data: bytes, columns: int) -> bytes:
    """A byte for each line: "x" where it has that many columns, a line feed where it has one.

    Nothing where any has others.
    """
    widths = data.translate(None, _BETWEEN).replace(b"\t" * (columns - 1) + b"\n", b"x")
    return b"" if b"\t" in widths else widths


class Nodes:
    """The nodes of one document in order: `tokens` as in `conll.syntax`.

    `strict`: the words of each sentence are numbered from 1, and a line has just as many `columns`;
    otherwise any number may be the first, and a line may have more.

    Lines are counted from 0 here; `at` gives the node of each, -1 for a line that is not one.
    `declarations` are the `# global.` lines.

    Most sentences are checked as a whole, in as few operations as possible, without splitting
    single lines.
    """

    def __init__(self, text: str, entry: Entry, path: str, *, columns: int, strict: bool) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.tokens: list[Token] = []
        self.at: list[int] = []
        self.starts: list[int] = []
        self.zeros: dict[str, str] = {}
        self.declarations: list[Declaration] = []
        self.words = 0
        self._entry = entry
        self._path = path
        self._columns = columns
        self._strict = strict
        self._lines = self.text.split("\n")
        self._found: tuple[str, LastColumns] | None = None
        """What was last looked for in last columns: who reads mentions, then asks what is said of
        them."""
        self._read(_widths(self.text.encode(), columns) if strict else b"")

    def _read(self, widths: bytes) -> None:
        lines = self._lines
        # Slices of one list share their numbers, each of which a range would make anew.
        numbers = [*range(len(lines))]
        declares = "# global." in self.text
        at = 0
        last = len(lines) - 1
        while at < last:
            end = lines.index("", at)
            first = at
            while lines[at][:1] == "#":
                if declares and lines[at].startswith("# global."):
                    self.declarations.append((first, at, lines[at]))
                at += 1
            count = end - at
            self.at += [-1] * (at - first)
            if count:
                plain = widths[at:end] == b"x" * count
                idents = [text.partition("\t")[0] for text in lines[at:end]] if plain else []
                if plain and idents == _NUMBERS[:count]:
                    self.starts.append(self.words)
                    self.at += numbers[len(self.tokens) : len(self.tokens) + count]
                    self.tokens += numbers[self.words : self.words + count]
                    self.words += count
                elif not (plain and self._mixed(idents, at, numbers)):
                    self._sort_out(lines[at:end], at, first)
            self.at.append(-1)
            at = end + 1

    def _mixed(self, idents: list[str], first: int, numbers: list[int]) -> bool:
        """Take in a sentence of words, multi-word tokens and empty nodes.

        False, with nothing taken in, for anything else.
        """
        tokens: list[Token] = []
        nodes: list[int] = []
        zeros: dict[str, str] = {}
        node = len(self.tokens)
        words = passed = 0
        for ident in filterfalse(str.isdecimal, idents):
            at = idents.index(ident, passed)
            more = at - passed
            if idents[passed:at] != _NUMBERS[words : words + more]:
                return False
            tokens += numbers[self.words + words : self.words + words + more]
            nodes += numbers[node : node + more]
            words += more
            node += more
            passed = at + 1
            if "." in ident:
                before, _, place = ident.partition(".")
                zero = f"{len(self.starts)}:{ident}"
                if before != str(words) or not place.isdecimal() or len(place) > 9 or zero in zeros:
                    return False
                zeros[zero] = self._lines[first + at].rsplit("\t", 2)[1]
                tokens.append(zero)
                nodes.append(node)
                node += 1
            elif RANGE.fullmatch(ident):
                nodes.append(-1)
            else:
                return False
        more = len(idents) - passed
        if idents[passed:] != _NUMBERS[words : words + more]:
            return False
        tokens += numbers[self.words + words : self.words + words + more]
        nodes += numbers[node : node + more]
        self.starts.append(self.words)
        self.at += nodes
        self.tokens += tokens
        self.zeros.update(zeros)
        self.words += words + more
        return True

    def _check_columns(self, texts: list[str], lines: list[int]) -> None:
        for text, number in zip(texts, lines):
            width = text.count("\t") + 1
            if width < self._columns or (self._strict and width > self._columns):
                problem = f"the line has {pluralize(width, 'column')}, but {self._columns} are needed, with a TAB between them"
                raise self.error(number, problem)

    def _sort_out(self, texts: list[str], at: int, first: int) -> None:
        """A sentence line by line, from line `at` on; its comments begin on line `first`."""
        kept: list[str] = []
        lines: list[int] = []
        word = self.words
        expected = before = 0
        for number, text in enumerate(texts, at):
            self.at.append(-1)
            if text[0] == "#":
                if text.startswith("# global."):
                    self.declarations.append((first, number, text))
                continue
            ident = text.partition("\t")[0]
            if text.isspace():
                expected = 0
                continue
            if not expected:
                self.starts.append(word)
                before = self._before(ident)
                expected = before + 1
            if ident == str(expected):
                self.tokens.append(word)
                expected += 1
                word += 1
            elif ident.isdecimal():
                problem = f"word {ident} stands where word {expected} should; number the words of a sentence 1, 2, 3"
                raise self.error(number, problem)
            elif "." in ident:
                self._zero(ident, expected - 1, before, number, text)
            elif RANGE.fullmatch(ident):
                continue
            else:
                problem = "the line begins with no number; a line is a word, an empty node, a comment or empty"
                raise self.error(number, problem)
            self.at[-1] = len(self.tokens) - 1
            kept.append(text)
            lines.append(number)
        self.words = word
        self._check_columns(kept, lines)

    def _before(self, ident: str) -> int:
        """The number before the first word of a sentence that begins with this word, empty node or multi-word token."""
        number, dot, _ = ident.partition("-")[0].partition(".")
        if self._strict or not number.isdecimal() or len(number) > 9:
            return 0
        return int(number) - (not dot)

    def _zero(self, ident: str, last: int, first: int, number: int, text: str) -> None:
        before, _, place = ident.partition(".")
        token = f"{len(self.starts) - 1}:{last - first}.{place}"
        if before != str(last) or not place.isdecimal() or len(place) > 9 or token in self.zeros:
            problem = f"the empty node {ident} stands after word {last}; call it {last}.1, or the next such number"
            raise self.error(number, problem)
        self.tokens.append(token)
        self.zeros[token] = "".join(text.split("\t")[8:9])

    def last_columns(self, word: str) -> LastColumns:
        """Lines, nodes and last columns of every node whose line holds that."""
        if self._found is not None and self._found[0] == word:
            return self._found[1]
        texts, at = self._lines, self.at
        lines = [line for line, text in enumerate(texts) if word in text and at[line] >= 0]
        columns = [texts[line].rpartition("\t")[2] for line in lines]
        self._found = word, (lines, [at[line] for line in lines], columns)
        return self._found[1]

    def word_lines(self) -> list[str]:
        """The line of each word."""
        tokens = self.tokens
        return [
            text
            for text, node in zip(self._lines, self.at)
            if node >= 0 and type(tokens[node]) is int
        ]

    def same_words(self, other: Nodes) -> bool:
        """Whether a quick look shows the same words, line by line."""
        if len(self._lines) != len(other._lines):
            return False
        unlike = (
            (one, another) for one, another in zip(self._lines, other._lines) if one != another
        )
        return all(one.split("\t", 2)[:2] == another.split("\t", 2)[:2] for one, another in unlike)

    def line(self, at: int) -> str:
        """The text of a line."""
        return self._lines[at]

    def sentence(self, node: int) -> int:
        """The sentence in which a node lies."""
        token = self.tokens[node]
        return (
            int(token.partition(":")[0])
            if isinstance(token, str)
            else bisect_right(self.starts, token) - 1
        )

    def number(self, at: int) -> int:
        """The number of a line in its file, from 1."""
        return self._entry.line + at

    def error(self, at: int, problem: str, text: str | None = None) -> ConllError:
        """The error for a line of this document.

        `text` where the error is about a different line.
        """
        shown = self.line(at) if text is None else text
        return ConllError(
            self._path, self.number(at), problem, document=self._entry.name, text=shown
        )

    def mention(self, parts: list[tuple[int, int]]) -> AnyMention:
        """The mention of some parts, (first, last) node each, in order."""
        tokens = self.tokens
        if len(parts) == 1:
            first_word, last_word = tokens[parts[0][0]], tokens[parts[0][1]]
            if type(first_word) is int and type(last_word) is int:
                return first_word, last_word
        joined = [parts[0]]
        for first_node, last_node in parts[1:]:
            if first_node == joined[-1][1] + 1:
                joined[-1] = joined[-1][0], last_node
            else:
                joined.append((first_node, last_node))
        pieces: list[Piece] = []
        for first, last in joined:
            # From both ends: whatever lies between the outermost words need not be looked at.
            begin, end = first, last
            while begin <= last and isinstance(tokens[begin], str):
                begin += 1
            pieces += map(str, tokens[first:begin])
            if begin <= last:
                while isinstance(tokens[end], str):
                    end -= 1
                pieces.append((tokens[begin], tokens[end]))  # type: ignore[arg-type]  # these are words
                pieces += map(str, tokens[end + 1 : last + 1])
        if len(pieces) == 1 and not isinstance(pieces[0], str):
            return pieces[0]
        return tuple(pieces)
