"""Files built like CoNLL-U: the documents in a file, and the words and empty nodes of one.

Every sentence is a block of lines with columns between TABs, after comments that begin with #. The
first column numbers the words `1`, `2`, …; `3-4` is a multi-word token, `4.1` an empty node. A
document begins with `# newdoc id = NAME`.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from conll.document import Layers
from conll.errors import ConllError, Problem, pluralize
from conll.source import Entry, IndexedSource, here_and, index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from conll.document import Document, Words
    from conll.syntax import AnyMention, Piece, Token


LastColumns = tuple[list[int], list[int], list[str]]
"""Lines, the node of each, and the text of its last column."""

Declaration = tuple[int, int, str]
"""A line `# global.`: the first line of its sentence (it holds from there), its own, its text."""

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in CoNLL-2012."""

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
    places = {
        name: names.index(name)
        for name in LAYERS
        if name in names and (fields is None or name.lower() in fields)
    }
    if not places:
        return {}
    columns: dict[str, list[str]] = {name: [] for name in places}
    for token, line in enumerate(lines):
        cells = line.split("\t")
        for name, place in places.items():
            cell = cells[place] if place < len(cells) else ""
            if name == "HEAD" and cell.isdecimal() and len(cell) < 10:
                # The first word of a sentence may have any number, from which the others go on.
                cell = str(token + int(cell) - int(cells[0])) if int(cell) else "-1"
            columns[name].append("" if cell == "_" else cell)
    return {name.lower(): cells for name, cells in columns.items() if any(cells)}


_KINDS = {
    "LEMMA": "lemma",
    "UPOS": "tag",
    "XPOS": "tag",
    "FEATS": "word| with features",
    "DEPREL": "dependency relation",
    "DEPS": "word| with enhanced dependencies",
}
"""What columns hold beside words and mentions, with a | after the noun that is counted."""


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
    One without a name is called by its place in the file, from 1. `declaration` begins the line
    that declares what the file holds; without one of these, no mention is read unless one of the
    `attributes` occurs in the file.
    """

    declaration: bytes
    attributes: tuple[bytes, ...] = ()

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path = path
        self._file = file
        self.size = 0
        # The pattern looks back from the #, which is found faster than the beginning of a line.
        self._comment = re.compile(
            rb"#(?<![^\n]#)(?:[^\S\n]*newdoc(?!\S)|%b)[^\n]*" % re.escape(self.declaration[1:])
        )
        nameless: list[int] = []
        self._by_name, self._problems = index(list(self._index(nameless)), path)
        if nameless:
            problem = f"there is no # newdoc id {here_and(nameless, 'document')}"
            advice = "such a document is called by its place in the file, from 1"
            self._problems.insert(0, Problem(path, nameless[0], None, f"{problem}; {advice}"))
        if self._bare:
            declaration = self.declaration.decode()
            stanza = "; coref_chains= of Stanza is not read" if self._stanza else ""
            problem = f"no line begins with {declaration}, so the file is read without any mention"
            problem += stanza
            self.bare = Problem(path, 0, None, problem, "write that line even if there are none")
            self._problems.insert(0, self.bare)

    def words(self, name: str) -> Words | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        sentences: Words = []
        is_inside = False
        for text in self._text(entry).split("\n"):
            if not text or text.isspace():
                is_inside = False
            elif text[0] != "#":
                if not is_inside:
                    sentences.append([])
                    is_inside = True
                ident, _, rest = text.partition("\t")
                if ident.isdecimal():
                    sentences[-1].append(rest.partition("\t")[0])
        known = any(word != PLACEHOLDER for sentence in sentences for word in sentence)
        return sentences if known else None

    def layers(self, name: str) -> Layers | None:
        document, words = self.document(name), self.words(name)
        if document is None or words is None:
            return None
        lines = self._text(self._entries[name]).split("\n")
        of_words = (line for line in lines if line.partition("\t")[0].isdecimal())
        return Layers(words, columns_of(of_words, self._columns(document)))

    def _columns(self, document: Document) -> Sequence[str]:  # noqa: ARG002  for formats whose files name them
        """Return the names of the columns."""
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
        """Find the documents, and note the lines of those without a name."""
        text = self._file.read()
        self.size = len(text)
        self._bare = not any(map(text.__contains__, (self.declaration, *self.attributes)))
        self._stanza = self._bare and b"coref_chains=" in text
        marks = [match.span() for match in self._comment.finditer(text)]
        newdocs = [begin for begin, _ in marks if not text.startswith(self.declaration, begin)]
        word = _WORD_LINE.search(text)
        if word and word.start() < min(newdocs, default=len(text)):
            # A file without a line `# newdoc` is one document, from its first word on.
            marks = sorted([*marks, word.span()])
        entry: Entry | None = None
        declared = ""
        number = line = counted = 0
        for begin, end in marks:
            comment = text[begin:end].decode("utf-8", "replace").strip()
            if comment.startswith(self.declaration.decode()):
                declared = comment
                continue
            start = begin if entry else self._first_comment(text, begin)
            line += text.count(b"\n", counted, start)
            counted = start
            if entry is not None:
                entry.stop = start
                yield entry
            number += 1
            name = comment.partition("=")[2].strip() if comment[0] == "#" else ""
            if not name:
                nameless.append(line + 1)
                name = str(number)
            entry = Entry(name, line + 1, start, declared=declared)
        if entry is not None:
            entry.stop = self.size
            yield entry

    def _first_comment(self, chunk: bytes, begin: int) -> int:
        """Find where the comments before the first document start, behind earlier declarations."""
        at = 0
        while at < begin:
            end = chunk.find(b"\n", at) + 1
            if not (chunk.startswith(self.declaration, at) or chunk[at:end].isspace()):
                break
            at = end
        return at

    def _text(self, entry: Entry) -> str:
        """Read the lines of a document; ConllError where they are not UTF-8."""
        body = self.body(entry)
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            before = body[: error.start]
            line = entry.line + before.count(b"\n")
            byte = len(before) - before.rfind(b"\n")
            problem = f"byte {byte} of the line is not UTF-8; save the file as UTF-8"
            raise ConllError(self.path, line, problem, document=entry.name) from None
        return text.replace("\r\n", "\n") if "\r" in text else text


_NUMBERS = [str(number) for number in range(1, 1001)]
"""The ids of the words of most sentences."""

_BETWEEN = bytes(byte for byte in range(256) if byte not in b"\t\n")
"""All that stands between the ends of columns and of lines."""


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
        self._last_columns: tuple[str, LastColumns] | None = None
        """The latest result of `last_columns`: mentions are read, then their attributes."""
        self._read()

    def _read(self) -> None:
        lines = self._lines
        widths = b""
        if self._strict:
            # One byte for each line: x where it has the right number of columns, a line feed where
            # it has one. A line of any other width leaves TABs, and then no sentence is plain.
            edges = self.text.encode().translate(None, _BETWEEN)
            widths = edges.replace(b"\t" * (self._columns - 1) + b"\n", b"x")
            widths = b"" if b"\t" in widths else widths
        # Slices of one list share their numbers, each of which a range would make anew.
        numbers = [*range(len(lines))]
        declares = "# global." in self.text
        at = 0
        while at < len(lines) - 1:
            end = lines.index("", at)
            first = at
            while lines[at][:1] == "#":
                if declares and lines[at].startswith("# global."):
                    self.declarations.append((first, at, lines[at]))
                at += 1
            self.at += [-1] * (at - first)
            count = end - at
            is_plain = widths[at:end] == b"x" * count
            idents = [text.partition("\t")[0] for text in lines[at:end]]
            if is_plain and idents == _NUMBERS[:count]:
                if count:
                    self.starts.append(self.words)
                self.at += numbers[len(self.tokens) : len(self.tokens) + count]
                self.tokens += numbers[self.words : self.words + count]
                self.words += count
            else:
                self._read_sentence(idents, at, first)
                if not is_plain:
                    self._check_columns(at, end)
            self.at.append(-1)
            at = end + 1

    def _read_sentence(self, idents: list[str], begin: int, first: int) -> None:
        """Read the lines of a sentence, with these ids, one by one from line `begin` on.

        Its comments begin on line `first`.
        """
        word = self.words
        expected = before = 0
        for number, ident in enumerate(idents, begin):
            if expected and ident == str(expected):
                self.at.append(len(self.tokens))
                self.tokens.append(word)
                expected += 1
                word += 1
                continue
            self.at.append(-1)
            text = self._lines[number]
            if text[0] == "#":
                if text.startswith("# global."):
                    self.declarations.append((first, number, text))
                continue
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
                problem = f"word {ident} stands where word {expected} should"
                raise self.error(number, f"{problem}; number the words of a sentence 1, 2, 3")
            elif "." in ident:
                at, _, place = ident.partition(".")
                zero = f"{len(self.starts) - 1}:{expected - 1 - before}.{place}"
                is_number = place.isdecimal() and len(place) < 10
                if at != str(expected - 1) or not is_number or zero in self.zeros:
                    problem = f"the empty node {ident} stands after word {expected - 1}"
                    advice = f"call it {expected - 1}.1, or the next such number"
                    raise self.error(number, f"{problem}; {advice}")
                self.tokens.append(zero)
                self.zeros[zero] = "".join(text.split("\t")[8:9])
            elif RANGE.fullmatch(ident):
                continue
            else:
                advice = "a line is a word, an empty node, a comment or empty"
                raise self.error(number, f"the line begins with no number; {advice}")
            self.at[-1] = len(self.tokens) - 1
        self.words = word

    def _check_columns(self, begin: int, end: int) -> None:
        for number in range(begin, end):
            width = self._lines[number].count("\t") + 1
            is_wrong = width < self._columns or (self._strict and width > self._columns)
            if is_wrong and self.at[number] >= 0:
                problem = f"the line has {pluralize(width, 'column')}, but {self._columns}"
                raise self.error(number, f"{problem} are needed, with a TAB between them")

    def _before(self, ident: str) -> int:
        """Return the number before the first word of a sentence whose first line has this id."""
        number, dot, _ = ident.partition("-")[0].partition(".")
        if self._strict or not number.isdecimal() or len(number) > 9:
            return 0
        return int(number) - (not dot)

    def last_columns(self, word: str) -> LastColumns:
        """Lines, nodes and last columns of every node whose line holds that."""
        if self._last_columns is not None and self._last_columns[0] == word:
            return self._last_columns[1]
        texts, at = self._lines, self.at
        lines = [line for line, text in enumerate(texts) if word in text and at[line] >= 0]
        columns = [texts[line].rpartition("\t")[2] for line in lines]
        self._last_columns = word, (lines, [at[line] for line in lines], columns)
        return self._last_columns[1]

    def word_lines(self) -> list[str]:
        """The line of each word."""
        nodes = [(text, self.tokens[node]) for text, node in zip(self._lines, self.at) if node >= 0]
        return [text for text, token in nodes if type(token) is int]

    def forms(self) -> dict[Token, str]:
        """The form of each node."""
        lines = (line for line, node in enumerate(self.at) if node >= 0)
        return {token: self.line(line).split("\t")[1] for token, line in zip(self.tokens, lines)}

    def same_words(self, other: Nodes) -> bool:
        """Whether a quick look shows the same words, line by line."""
        if len(self._lines) != len(other._lines):
            return False
        unlike = (pair for pair in zip(self._lines, other._lines) if pair[0] != pair[1])
        return all(a.split("\t", 2)[:2] == b.split("\t", 2)[:2] for a, b in unlike)

    def line(self, at: int) -> str:
        """The text of a line."""
        return self._lines[at]

    def sentence(self, node: int) -> int:
        """The sentence in which a node lies."""
        token = self.tokens[node]
        if isinstance(token, str):
            return int(token.partition(":")[0])
        return bisect_right(self.starts, token) - 1

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
