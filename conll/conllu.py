"""Files built like CoNLL-U: the documents in a file, and the words and empty nodes of one.

Every sentence is a block of lines with columns between TABs, after comments that begin with #. The
first column numbers the words `1`, `2`, …; `3-4` is a multi-word token, `4.1` an empty node. A
document begins with `# newdoc id = NAME`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from conll.document import PLACEHOLDER, Content, Layers, Words
from conll.errors import ConllError, Problem, not_utf8, pluralize
from conll.source import Entry, IndexedSource, InputFile
from conll.syntax import AnyMention, Syntax, Token

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

RANGE = re.compile(r"\d+-\d+")
"""The id of a multi-word token."""

LAYERS = ("LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
"""The columns that describe a word by itself."""


def columns_of(
    lines: Iterable[str], names: Sequence[str], fields: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Read layers from lines: by lower-case name the cell of each word, empty where it is `_`.

    A head is the number of a token from 0 in the document, -1 at the root.

    Args:
        lines: The lines of all words of a document, without empty nodes and multi-word tokens.
        names: The names of the columns.
        fields: The names of the layers to read; None for all.

    Returns:
        The layers that are not empty.
    """
    numbers = {
        name: names.index(name)
        for name in LAYERS
        if name in names and (fields is None or name.lower() in fields)
    }
    if not numbers:
        return {}
    columns: dict[str, list[str]] = {name: [] for name in numbers}
    for token, line in enumerate(lines):
        cells = line.split("\t")
        for name, number in numbers.items():
            cell = cells[number] if number < len(cells) and cells[number] != "_" else ""
            if name == "HEAD" and cell.isdecimal() and len(cell) < 10:
                # It is counted in the sentence, whose first word may have any number.
                head = int(cell)
                cell = str(token + head - int(cells[0])) if head else "-1"
            columns[name].append(cell)
    return {name.lower(): cells for name, cells in columns.items() if any(cells)}


_KINDS = {
    "LEMMA": "lemma",
    "UPOS": "tag",
    "XPOS": "tag",
    "FEATS": "word| with features",
    "DEPREL": "dependency relation",
    "DEPS": "word| with enhanced dependencies",
}
"""The contents of columns besides words and mentions, with a | after the noun that is counted."""


def counted(names: Sequence[str], cells: Sequence[str]) -> list[str]:
    """List the kinds of things beside word and mention that a line with these columns holds."""
    return [
        _KINDS[name]
        for name, cell in zip(names, cells)
        if name in _KINDS and cell not in ("_", "-", "")
    ]


_WORD_LINE = re.compile(rb"^\d", re.MULTILINE)


class NodesSource(IndexedSource):
    """One open file of documents that begin with a line `# newdoc id = NAME`, each read on request.

    Of several documents of one name the last is read. A file without such lines is one document.
    Those without a name are named 1, 2, ... in file order. `declaration` begins the line
    that declares what the file holds; without one of these, no mention is read unless one of the
    `attributes` occurs in the file.
    """

    declaration: bytes
    attributes: tuple[bytes, ...] = ()

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self._bare = True
        # The pattern looks back from the #, which is found faster than the beginning of a line.
        self._comment = re.compile(
            rb"#(?<![^\n]#)(?:[^\S\n]*newdoc(?!\S)|%b)[^\n]*" % re.escape(self.declaration[1:])
        )
        self._before = re.compile(rb"(?:%b[^\n]*\n|[^\S\n]*\n)*" % re.escape(self.declaration))
        problems = self._index_by_name(self._index())
        self._problems = [*self._note_on_names("# newdoc id"), *problems]
        if self._bare:
            declaration = self.declaration.decode()
            problem = f"no line begins with {declaration}, so the file is read without any mention"
            advice = "write that line even if there are none"
            bare = Problem(self.path, 0, None, problem, advice)
            if file.is_named and self._by_name:
                raise bare.error()
            self._problems.insert(0, bare)

    def _index(self) -> Iterator[Entry]:
        entry: Entry | None = None
        declared = ""
        number = line = 0
        held = b""
        for begin_of_chunk, chunk in self._parts():
            text = held + chunk
            offset = begin_of_chunk - len(held)
            self.size = offset + len(text)
            if self._bare:
                wanted = self.declaration, *self.attributes
                self._bare = not any(map(text.__contains__, wanted))
            counted = 0
            for begin, end in self._marks(text, first=entry is None):
                comment = text[begin:end].decode("utf-8", "replace").strip()
                if comment.startswith(self.declaration.decode()):
                    declared = comment
                    continue
                start = begin
                if entry is None:
                    # Comments before the first document belong to it, behind earlier declarations;
                    # so all lines are held until it begins.
                    start = 0
                    if before := self._before.match(text, 0, begin):
                        start = before.end()
                else:
                    entry.stop = offset + start
                    yield entry
                line += text.count(b"\n", counted, start)
                counted = start
                number += 1
                # A file without comments begins with the line of a word.
                id_in_comment = comment.partition("=")[2].strip() if comment[0] == "#" else ""
                name = self._name_or_number(id_in_comment or None, number, line + 1)
                entry = Entry(name, line + 1, offset + start, declared=declared)
            if entry is None:
                held = text
                continue
            held = b""
            line += text.count(b"\n", counted)
        if entry is not None:
            entry.stop = self.size
            yield entry

    def _marks(self, text: bytes, *, first: bool) -> list[tuple[int, int]]:
        """Find the comments in a part of the file that begin a document or declare its contents.

        A file without a line `# newdoc` is one document, from its `first` word on.
        """
        marks = [match.span() for match in self._comment.finditer(text)]
        if not first:
            return marks
        newdocs = [begin for begin, _ in marks if not text.startswith(self.declaration, begin)]
        word = _WORD_LINE.search(text)
        if word and word.start() < min(newdocs, default=len(text)):
            marks = sorted([*marks, word.span()])
        return marks

    def _text(self, entry: Entry) -> str:
        """Read the lines of a document; ConllError where they are not UTF-8."""
        body = self.body(entry)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            raise not_utf8(error, self.path, entry.line, entry.name) from None
        return text.replace("\r\n", "\n")


_NUMBERED = [f"{number}\t" for number in range(1, 1001)]
"""The beginnings of the lines of words in most sentences."""

_BETWEEN = bytes(byte for byte in range(256) if byte not in b"\t\n")
"""All that stands between the ends of columns and of lines."""


class Nodes:
    """The words and empty nodes of one document in order: `tokens` as in `conll.syntax`.

    `rows` holds the line of each, and `lines` its number, counted from 0. `strict`: the words of
    each sentence are numbered from 1, and a line has ten columns; otherwise any number may be the
    first, and a line may have any number of columns from two on.

    Most sentences are checked as a whole, in as few operations as possible, without splitting
    single lines.
    """

    def __init__(self, text: str, entry: Entry, path: str, *, strict: bool) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.tokens: list[Token] = []
        self.rows: list[str] = []
        self.lines: list[int] = []
        self.starts: list[int] = []
        self.zeros: dict[str, str] = {}
        self.words = 0
        self._declarations: list[tuple[int, int, str]] = []
        """The lines `# global.`: the first of the sentence, from which it holds, and its own."""
        self._entry = entry
        self._path = path
        self._strict = strict
        self._texts = self.text.split("\n")
        self._read()

    def _read(self) -> None:
        texts = self._texts
        widths = b""
        if self._strict:
            # One byte for each line: x where it has the right number of columns, a line feed where
            # it has one. A line of any other width leaves TABs, and then no sentence is plain.
            edges = self.text.encode().translate(None, _BETWEEN)
            widths = edges.replace(b"\t" * (len(COLUMNS) - 1) + b"\n", b"x")
            if b"\t" in widths:
                widths = b""
        # Slices of one list share their numbers, each of which a range would make anew.
        numbers = [*range(len(texts))]
        declares = "# global." in self.text
        at = 0
        while at < len(texts) - 1:
            end = texts.index("", at)
            first = at
            while texts[at][:1] == "#":
                if declares and texts[at].startswith("# global."):
                    self._declarations.append((first, at, texts[at]))
                at += 1
            rows = texts[at:end]
            is_plain = widths[at:end] == b"x" * len(rows)
            is_numbered = len(rows) <= len(_NUMBERED) and all(map(str.startswith, rows, _NUMBERED))
            if not is_plain or not is_numbered:
                self._read_sentence(rows, at, first, is_plain=is_plain)
            elif rows:
                self.starts.append(self.words)
                self.rows += rows
                self.lines += numbers[at:end]
                self.tokens += numbers[self.words : self.words + len(rows)]
                self.words += len(rows)
            at = end + 1

    def _read_sentence(self, rows: list[str], begin: int, first: int, *, is_plain: bool) -> None:
        """Read the lines of a sentence singly, of which the first is line `begin`.

        Its comments begin on line `first`. `is_plain`: all lines have the right number of columns.
        """
        expected = before = 0
        for line, text in enumerate(rows, begin):
            ident = text.partition("\t")[0]
            token: Token
            if expected and ident == str(expected):
                token = self.words
            elif text[0] == "#":
                if text.startswith("# global."):
                    self._declarations.append((first, line, text))
                continue
            elif text.isspace():
                expected = 0
                continue
            else:
                if not expected:
                    self.starts.append(self.words)
                    before = self._number_before(ident)
                    expected = before + 1
                if RANGE.fullmatch(ident):
                    continue
                token = self._token(ident, expected, before, line)
            if not is_plain:
                self._check_columns(line, text)
            if isinstance(token, str):
                self.zeros[token] = "".join(text.split("\t")[8:9])
            else:
                self.words += 1
                expected += 1
            self.tokens.append(token)
            self.rows.append(text)
            self.lines.append(line)

    def _token(self, ident: str, expected: int, before: int, line: int) -> Token:
        """Return the token with an id where that of a word is expected.

        The words of its sentence are numbered from the number after `before`.
        """
        if ident == str(expected):
            return self.words
        if ident.isdecimal():
            problem = f"word {ident} stands where word {expected} should"
            advice = "number the words of a sentence 1, 2, 3"
        elif "." in ident:
            word, _, number = ident.partition(".")
            zero = f"{len(self.starts) - 1}:{expected - 1 - before}.{number}"
            is_number = number.isdecimal() and len(number) < 10
            if word == str(expected - 1) and is_number and zero not in self.zeros:
                return zero
            problem = f"the empty node {ident} stands after word {expected - 1}"
            advice = f"call it {expected - 1}.1, or the next such number"
        else:
            problem = "the line begins with no number"
            advice = "a line is a word, an empty node, a comment or empty"
        raise self.error(line, f"{problem}; {advice}")

    def _check_columns(self, line: int, text: str) -> None:
        width = text.count("\t") + 1
        needed = len(COLUMNS) if self._strict else 2
        if width < needed or (self._strict and width > needed):
            problem = f"the line has {pluralize(width, 'column')}, but {needed}"
            raise self.error(line, f"{problem} are needed, with a TAB between them")

    def _number_before(self, ident: str) -> int:
        """Return the number before the first word of a sentence whose first line has this id."""
        number, dot, _ = ident.partition("-")[0].partition(".")
        if self._strict or not number.isdecimal() or len(number) > 9:
            return 0
        return int(number) - (not dot)

    def marked(self, declaration: str, mark: str = "") -> list[tuple[int, int, int, str]]:
        """List the nodes whose line holds a mark, and before them the declarations that hold.

        Args:
            declaration: How such a declaration begins.
            mark: The mark; any node if it is empty.

        Returns:
            The line from which it holds (a declaration from the first one of its sentence on),
            the node, -1 for a declaration, the number of its own line in the document, and that
            line.
        """
        lines, rows = self.lines, self.rows
        nodes = [node for node, row in enumerate(rows) if mark in row]
        marked = [(lines[node], node, lines[node], rows[node]) for node in nodes]
        declared = [
            (first, -1, line, text)
            for first, line, text in self._declarations
            if text.startswith(declaration)
        ]
        return sorted(declared + marked) if declared else marked

    def word_lines(self) -> list[str]:
        """Return the line of each word."""
        return [row for row, token in zip(self.rows, self.tokens) if type(token) is int]

    def forms(self) -> dict[Token, str]:
        """Return the form of each node."""
        return {token: row.split("\t")[1] for token, row in zip(self.tokens, self.rows)}

    def sentence(self, node: int) -> int:
        """Return the sentence of a node."""
        token = self.tokens[node]
        if isinstance(token, str):
            return int(token.partition(":")[0])
        return bisect_right(self.starts, token) - 1

    def number(self, line: int) -> int:
        """Return the number of a line in its file, from 1."""
        return self._entry.line + line

    def error(self, line: int, problem: str, text: str | None = None) -> ConllError:
        """Return the error for a line of this document.

        `text` where the error is about a different line.
        """
        if text is None:
            text = self._texts[line]
        return ConllError(
            self._path, self.number(line), problem, document=self._entry.name, text=text
        )

    def mention(self, parts: list[tuple[int, int]]) -> AnyMention:
        """Return the mention of some parts, (first, last) node each, in order."""
        tokens = self.tokens
        if len(parts) == 1:
            first_word, last_word = tokens[parts[0][0]], tokens[parts[0][1]]
            if type(first_word) is int and type(last_word) is int:
                return first_word, last_word
        pieces: list[Any] = []
        for first, last in joined(parts):
            # From both ends: whatever lies between the outermost words need not be looked at.
            nodes = range(first, last + 1)
            begin = next((node for node in nodes if type(tokens[node]) is int), None)
            if begin is None:
                pieces += tokens[first : last + 1]
            else:
                end = next(node for node in reversed(nodes) if type(tokens[node]) is int)
                pieces += tokens[first:begin]
                pieces.append((tokens[begin], tokens[end]))
                pieces += tokens[end + 1 : last + 1]
        if len(pieces) == 1 and isinstance(pieces[0], tuple):
            return pieces[0]
        return tuple(pieces)


def joined(parts: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join parts that follow each other; each is its first and its last node."""
    runs: list[tuple[int, int]] = []
    for first, last in parts:
        if runs and runs[-1][1] + 1 == first:
            runs[-1] = runs[-1][0], last
        else:
            runs.append((first, last))
    return runs


class NodesContent(Content):
    """The rest of a document that was read to these nodes."""

    def __init__(self, entry: Entry, syntax: NodesSyntax) -> None:
        self._entry = entry
        self._syntax = syntax

    def words(self) -> Words | None:
        nodes = self._syntax.nodes
        forms = [row.split("\t", 2)[1] for row in nodes.word_lines()]
        if all(form == PLACEHOLDER for form in forms):
            return None
        return [forms[start:end] for start, end in pairwise([*nodes.starts, len(forms)])]

    def layers(self, fields: Collection[str] | None = None, /) -> Layers:
        syntax = self._syntax
        columns = columns_of(syntax.nodes.word_lines(), syntax.columns(), fields)
        sentences: Words = []
        if fields is None:
            sentences = self.words() or []
        return Layers(sentences, columns, attributes=syntax.attributes(fields))

    def token_lines(self) -> list[int]:
        nodes = self._syntax.nodes
        words = zip(nodes.lines, nodes.tokens)
        return [nodes.number(line) for line, token in words if type(token) is int]

    def extent(self) -> int:
        return self._entry.stop - self._entry.body


class NodesSyntax(Syntax):
    """The lines of a document besides its words and mentions, read on request."""

    __slots__ = ("nodes",)

    def __init__(self, nodes: Nodes, heads: dict[AnyMention, Token]) -> None:
        super().__init__(nodes.starts, nodes.zeros, heads)
        self.nodes = nodes

    def columns(self) -> Sequence[str]:
        """Return the names of the columns."""
        return COLUMNS

    def attributes(self, _fields: Collection[str] | None = None, /) -> list[list[dict[str, str]]]:
        """Return what the file says of each mention, by attribute, in the shape of the clusters.

        With names of attributes these alone are read. If the file has none of them, the result is
        empty.
        """
        return []

    def beside(self) -> Counter[str]:
        amounts = super().beside()
        names = self.columns()
        # The dependencies of an empty node are reported with the node.
        names_of_zeros = list(names)
        if "DEPS" in names:
            names_of_zeros[names.index("DEPS")] = ""
        for token, row in zip(self.nodes.tokens, self.nodes.rows):
            cells = row.split("\t")
            amounts.update(counted(names if type(token) is int else names_of_zeros, cells))
        return amounts
