"""Column files: the format that one is in, and a reader for the brackets of the last column.

A file with one token a line has its coreference in the last column: brackets, each with an id, or
a sign for no mention. The first lines tell the format; `kind_of` alone decides, so that no file
begins like two of these formats. The reader is for files that reference 8.01 does not read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from conll.brackets import NamedMentions, parse_named
from conll.document import PLACEHOLDER, Document, Name, Words
from conll.errors import ConllError, Problem
from conll.source import Entry, EntryContent, IndexedSource, InputFile, here_and

BEGIN = re.compile(rb"#\s*begin document(.*)", re.DOTALL)
_RUN = re.compile(rb"[^()|\s]+")
_SIGNS = (b"-", b"_", b"*")
_SHAPE = re.compile(rb"(?:(?:\(i\)?|i\))\|?)+")
"""Brackets, with an i for each id: a cell matches in one way only, without backtracking."""

_NAMED = re.compile(rb"\((?!\d+(?:\+\d)?[|()]|\d+$)[^()|\s]+")
"""A start whose id is not a number."""

_WORD_LINE = re.compile(rb"\d+(?:[-.]\d+)?\t")


@lru_cache(maxsize=2)
def kind_of(head: bytes) -> str | None:
    """Return the format of a column file that begins with `head`; None when it is no such file.

    A first line that names a format, `#FORMAT=` or `# global.columns`, decides; then lines that
    begin documents, then the shape of columns.
    """
    lines = head.split(b"\n")
    if lines[0].startswith(b"#FORMAT="):
        # WebAnno's files say what they are, however many columns they have.
        return None
    begins = [match for line in lines if line[:1] == b"#" and (match := BEGIN.match(line))]
    if not begins or lines[0].startswith(b"# global."):
        # The last line of the head may be cut off.
        return _kind_without_headers(lines[:-1] or lines)
    # The last line of the head may be cut off.
    tokens = (line.rstrip() for line in lines[:-1] if line[:1] != b"#" and line.strip())
    first = list(islice(tokens, 50))
    if first and all(map(_is_semeval, first)):
        return "semeval2010"
    # Reference 8.01 does not see that a document begins there, or sees no name.
    is_irregular = any(match[1][:1] != b" " or not match[1].strip() for match in begins)
    filled = (line for line in lines[:-1] if b"(" in line and line[:1] != b"#")
    has_names = any(named_start(last_cell(line.rstrip())) for line in filled)
    return "conll" if is_irregular or has_names else "conll2012"


def _kind_without_headers(lines: list[bytes]) -> str | None:
    """Return the format of lines of which none begins a document; None when they are none."""
    tokens = []
    for line in lines:
        if line[:1] == b"#":
            kind = _kind_of_comment(line, lines)
            if kind is not None:
                return kind
        elif line.strip():
            tokens.append(line.rstrip(b"\r"))
    if not tokens:
        return None
    if _is_corefud(tokens):
        return "corefud"
    cells = [last_cell(line.rstrip()) for line in tokens]
    have_columns = all(b"\t" in line or len(line.split()) > 1 for line in tokens)
    is_column_file = have_columns and all(map(is_cell, cells))
    if is_column_file and any(b"(" in cell for cell in cells):
        return "conll"
    return None


def _kind_of_comment(comment: bytes, lines: list[bytes]) -> str | None:
    """Return the format that a comment of a file with these lines shows; None if it is none."""
    word = comment[1:].split(None, 1)[:1]
    if word == [b"global.columns"]:
        return "universalanaphora" if b"IDENTITY" in comment.upper().split() else "corefud"
    if word in ([b"newdoc"], [b"global.Entity"]):
        if any(line.startswith(b"# global.columns") for line in lines[1:]):
            return "universalanaphora"
        return "corefud"
    return None


def _is_corefud(tokens: list[bytes]) -> bool:
    """Return whether all lines have the columns of CoNLL-U, and one a last column as it has."""
    for line in tokens:
        if line.count(b"\t") != 9 or not _WORD_LINE.match(line):
            return False
    return any(line.endswith(b"\t_") or b"=" in last_cell(line) for line in tokens)


def _is_semeval(line: bytes) -> bool:
    columns = line.split(b"\t")
    return (
        len(columns) >= 8
        and columns[0].isdigit()
        and not columns[1].isdigit()
        and columns[-1] != b"-"
        and is_cell(columns[-1])
    )


def last_cell(line: bytes) -> bytes:
    """Return the last column of a line; empty where there is none."""
    if b"\t" in line:
        return line[line.rfind(b"\t") + 1 :].strip()
    cells = line.split()
    return cells[-1] if cells else b""


def is_cell(cell: bytes) -> bool:
    """Return whether this may be a last column: brackets, each with an id, or a sign for none."""
    return cell in _SIGNS or _SHAPE.fullmatch(_RUN.sub(b"i", cell)) is not None


def named_start(cell: bytes) -> bytes | None:
    """Return the first start, with its bracket, whose id is not a number; None if there is none."""
    match = _NAMED.search(cell)
    return match[0] if match and is_cell(cell) else None


_END = re.compile(rb"#\s*end document")


class ColumnsSource(IndexedSource):
    """Column files that reference 8.01 does not read, or reads otherwise than intended.

    A document ends at its end line or where another one begins. Of several documents of one name
    the last is read. Those without a name are named 1, 2, ... in file order; a file without
    a line that begins a document is one document. `read_as` is the name of the format, for
    messages. `word` is the column of the words, from 0; where it is None it is found by
    `conll.columns`.
    """

    def __init__(self, file: InputFile, *, read_as: str = "conll", word: int | None = None) -> None:
        super().__init__(file)
        self._read_as = read_as
        self.word = word
        self._unseen: list[int] = []
        self._named: tuple[int, str] | None = None
        problems = self._index_by_name(self._index())
        self._problems = [*self._differences(), *problems]

    def _other_reading(self, entry: Entry) -> str:
        """Return advice for brackets that do not match; empty where the format is not in doubt."""
        # Files that scorer.pl reads are read in this format for one id that is not a number.
        is_seen = entry.body > 0 and not self._unseen
        if self.word is not None or not is_seen or self._named is None:
            return ""
        line, label = self._named
        return (
            f"; if only the digits of ids such as {label} count (line {line}), name the "
            "format: --key-format conll2012 or --response-format conll2012"
        )

    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
        mentions = NamedMentions(self.path, entry.name, errors, self._other_reading(entry))
        content = ColumnsContent(self, entry)
        filled = content.filled_lines()
        for token, (line, text) in enumerate(filled):
            if b"(" in text or b")" in text:
                # As reference 8.01 reads it: a line of one column is a cell as well.
                mentions.add(parse_named(_split(text)[-1]), token, line, text)
        return mentions.document(
            len(filled),
            entry.line,
            content.lines(),
            _first_line(entry),
            ended=entry.ended,
            content=content,
        )

    def _index(self) -> list[Entry]:
        """Find the documents, and note what reference 8.01 reads differently."""
        entries: list[Entry] = []
        self.size = 0
        is_open = False
        self._file.seek(0)
        for line, text in enumerate(self._file, 1):
            start = self.size
            self.size += len(text)
            if text[:1] == b"#" and (match := BEGIN.match(text)):
                if is_open:
                    entries[-1].stop = start
                entries.append(self._begun(match[1], line, len(entries) + 1))
                is_open = True
            elif b"#" in text and _END.search(text):
                if is_open:
                    entries[-1].stop, entries[-1].ended = start, True
                is_open = False
            elif self._named is None and b"(" in text:
                label = named_start(last_cell(text))
                if label is not None:
                    self._named = line, label.decode("utf-8", "replace")
        if is_open:
            entries[-1].stop = self.size
        if not entries and self.size:
            entries.append(Entry("1", 1, 0, self.size))
            entries[0].ended = True
            self.unnamed.add("1")
        return entries

    def _begun(self, header: bytes, line: int, number: int) -> Entry:
        """Return the document that begins after this line, and note how its name is written.

        Args:
            header: The line after `#begin document`.
            line: The number of the line.
            number: The number of the document.
        """
        if header[:1] != b" ":
            self._unseen.append(line)
        name = header.rstrip(b"\r\n").removeprefix(b" ").decode("utf-8", "surrogateescape")
        own_name = name if name.strip() else None
        return Entry(self._name_or_number(own_name, number, line), line, self.size)

    def _differences(self) -> Iterator[Problem]:
        """Describe what reference 8.01 reads differently."""
        options = "--key-format conll2012 (--response-format)"
        how = f"the file is read as {self._read_as}, and with {options} as by scorer.pl"
        if [entry.body for entry in self._entries.values()] == [0]:
            problem = "there is no line #begin document; the file is read as one document"
            yield Problem(self.path, 1, None, problem)
        if self._unseen:
            problem = f"no space follows #begin document {here_and(self._unseen, 'place')}"
            advice = "scorer.pl does not see such a document"
            yield Problem(self.path, self._unseen[0], None, f"{problem}; {advice}", how)
        yield from self._note_on_names("name")
        if self._named is not None:
            line, label = self._named
            problem = f"the id of a mention, {label}, is not a number"
            advice = "scorer.pl reads the digits of such ids only, or nothing"
            yield Problem(self.path, line, None, f"{problem}; {advice}", how)


class ColumnsContent(EntryContent):
    """The rest of a document, for which its lines are read again."""

    _source: ColumnsSource

    def words(self) -> Words | None:
        return words_in(self.body(), self._source.word)

    def fields(self) -> dict[str, Any]:
        """List the further columns that hold values, from 1.

        Other formats have no place for them.
        """
        body = self.body()
        lines = body.split(b"\n")
        word = self._source.word
        if word is None:
            word = word_column(lines, separator_of(body))
        if word is None:
            return {}
        filled: set[int] = set()
        for row in map(_split, lines):
            for column, cell in enumerate(row[:-1]):
                if column > word and cell and cell not in _SIGNS:
                    filled.add(column)
        return dict.fromkeys(f"column_{column + 1}" for column in sorted(filled))

    def token_lines(self) -> list[int]:
        return [line for line, _ in self.filled_lines()]

    def filled_lines(self) -> list[tuple[int, bytes]]:
        """List the lines that hold a token, each with its number."""
        numbered = enumerate(self.lines(), _first_line(self._entry))
        return [(line, text) for line, text in numbered if text and not text.isspace()]

    def lines(self) -> list[bytes]:
        """Read all lines."""
        # Split before decoding: white space of Unicode separates nothing.
        return self.body().split(b"\n")


def _first_line(entry: Entry) -> int:
    """Return the number of the first content line; a document may have no line that begins it."""
    return entry.line + (entry.body > 0)


def _split(text: bytes) -> list[bytes]:
    """Split a line into columns, without empty ones at the end; one of CR alone is not empty."""
    return text.rstrip(b"\t").split(b"\t") if b"\t" in text else text.split()


_UNREAD = {
    rb"\S+\t(?:E|NIL)\d+\t[A-Z]{3}\t": "a table of entity linking of TAC is not read; write the "
    "clusters as a table with the columns document, cluster, start and end",
    rb"\d+ .*\[[\w ]+\]": "sentences of WinoBias are not read; give the same sentences in its "
    "folder conll_format",
    rb"(?:[^\n]+[ \t]O\r?\n)*[^\n]+[ \t][A-Za-z]\w*-[BIESLU]\r?(?:\n|$)": "the type of a tag comes "
    "before its letter; write B-PER, not PER-B",
}
"""Patterns of the first lines of files that are not read, and why, with what is read."""


def refusal_of(head: bytes) -> str:
    """Return why a known kind of file is not read, by its beginning; empty for any other."""
    return next((text for pattern, text in _UNREAD.items() if re.match(pattern, head)), "")


SAMPLE = 50
"""How many lines of a document are looked at to find its column of words."""

FOURTH = 3
"""The column of words of CoNLL-2012, from 0, where no column numbers the tokens."""


def separator_of(body: bytes) -> bytes | None:
    """Return what separates the columns of a document: TABs if it has any, else white space."""
    return b"\t" if b"\t" in body else None


def word_of(line: bytes, separator: bytes | None, column: int) -> bytes | None:
    """Return the word on one line, empty where there are too few columns.

    None where the line is no token.
    """
    if not line or line.isspace():
        return None
    cells = line.split(separator, column + 1)
    # The last column is never a word.
    return cells[column] if len(cells) > column + 1 else b""


def words_in(body: bytes, column: int | None = None) -> Words | None:
    """Return the words of a document by sentence; None where they are not known.

    Args:
        body: The lines of the document.
        column: The column of its words, from 0; None where it has to be found.
    """
    separator = separator_of(body)
    lines = body.split(b"\n")
    if column is None:
        column = word_column(lines, separator)
    if column is None:
        return None
    sentences: Words = [[]]
    # Each word once, as a text repeats most of them.
    texts: dict[bytes, str] = {}
    for line in lines:
        word = word_of(line, separator, column)
        if word is None:
            if sentences[-1]:
                sentences.append([])
            continue
        if word not in texts:
            texts[word] = word.decode("utf-8", "surrogateescape")
        sentences[-1].append(texts[word])
    if not sentences[-1]:
        sentences.pop()
    return sentences if texts.keys() - {b"", PLACEHOLDER.encode()} else None


def word_column(lines: Sequence[bytes], separator: bytes | None) -> int | None:
    """Find the column of words, from 0: the one after the numbers of the tokens, else the fourth.

    Where several columns number the tokens, as sentences and tokens of one-word sentences do, the
    last of them counts.

    Args:
        lines: The lines of a document.
        separator: What separates their columns.

    Returns:
        The column; None where the last column follows the numbers, so that there is no word.

    Examples:
        >>> word_column([b"d 0 Ada (1)", b"d 1 and -", b"d 2 she (1)"], None)
        2
    """
    rows: list[list[bytes]] = []
    are_first: list[bool] = []
    is_first = True
    for line in lines:
        if not line or line.isspace():
            is_first = True
        # A comment is a token to the reference, but has no columns.
        elif not line.startswith(b"#"):
            rows.append(line.rstrip(b"\t").split(separator))
            are_first.append(is_first)
            is_first = False
            if len(rows) == SAMPLE:
                break
    width = min(map(len, rows), default=0)
    last = width - 1
    for column in reversed(range(last)):
        if _numbers_tokens([row[column] for row in rows], are_first):
            return column + 1 if column + 1 < last else None
    return FOURTH


def _numbers_tokens(cells: Sequence[bytes], are_first: Sequence[bool]) -> bool:
    """Return whether each cell is one more than the cell before, or starts again at 0 or 1.

    Numbers may start again inside a sentence, as not all files have a blank line after one, but not
    more often than they go on: a column of zeros numbers nothing.

    Args:
        cells: The cells of one column.
        are_first: For each of them whether it is the first of its sentence.
    """
    before = None
    steps = restarts = 0
    for cell, is_first in zip(cells, are_first):
        if not cell.isdigit() or len(cell) > 9:
            return False
        number = int(cell)
        if before is not None and number == before + 1:
            steps += 1
        elif number > 1:
            return False
        elif not is_first:
            restarts += 1
        before = number
    return restarts <= steps


SCHEMES = {
    "iob2": ("IOB", r"B(.)(?:I\1)*"),
    "ioe2": ("IOE", r"I(.)(?:I\1)*E\1|E."),
    "iobes": ("IOBES", r"B(.)(?:I\1)*E\1|S."),
    "bilou": ("IOBLU", r"B(.)(?:I\1)*L\1|U."),
}
"""The letters of each scheme, and what a name is: letters, each with a character for its label."""

TAG = "tag"
"""What the column of tags is called."""

NO_LABEL = "_"
"""The label of names whose tags have none."""

_FIRST = 0x10000
"""The first character that stands for a label."""

_TAG = re.compile(r"O|[BIESLU](?:-.*)?")


def is_tag(text: str) -> bool:
    """Return whether a text is a tag.

    Examples:
        >>> is_tag("B-PER"), is_tag("O"), is_tag("Oslo")
        (True, True, False)
    """
    return _TAG.fullmatch(text) is not None


def _split_tag(tag: str) -> tuple[str, str]:
    """Return the letter of a tag and its label."""
    letter, _, label = tag.partition("-")
    return letter, label or NO_LABEL


def names_of(sentences: Iterable[Sequence[str]], scheme: str | None = None) -> list[Name]:
    """Read the names of a document, whose tags are given by sentence; leniently without a scheme.

    Examples:
        >>> names_of([["B-PER", "O"], ["I-PER"]]), names_of([["B-PER", "O"], ["I-PER"]], "iob2")
        ([(0, 0, 'PER'), (2, 2, 'PER')], [(0, 0, 'PER')])
    """
    names: list[Name] = []
    start = 0
    for tags in sentences:
        names_of_sentence = lenient_names(tags) if scheme is None else strict_names(tags, scheme)
        names += [(start + first, start + last, label) for first, last, label in names_of_sentence]
        start += len(tags)
    return names


def lenient_names(tags: Sequence[str]) -> list[Name]:
    """Read the names of a sentence leniently: a tag that cannot go on with a name begins one.

    Examples:
        >>> lenient_names(["I-PER", "I-PER", "B-PER", "O", "E-LOC"])
        [(0, 1, 'PER'), (2, 2, 'PER'), (4, 4, 'LOC')]
    """
    names: list[Name] = []
    is_open = False
    for token, tag in enumerate(tags):
        letter, label = _split_tag(tag)
        if letter == "O":
            is_open = False
            continue
        if is_open and letter in "IEL" and names[-1][2] == label:
            names[-1] = (names[-1][0], token, label)
        else:
            names.append((token, token, label))
        is_open = letter in "BI"
    return names


def strict_names(tags: Sequence[str], scheme: str) -> list[Name]:
    """Read the names of a sentence by a scheme, which has these tags: what does not fit is no name.

    Examples:
        >>> strict_names(["I-PER", "B-PER", "I-PER", "O", "B-LOC", "I-PER"], "iob2")
        [(1, 2, 'PER'), (4, 4, 'LOC')]
    """
    pattern = SCHEMES[scheme][1]
    numbers: dict[str, int] = {}
    text = ""
    for tag in tags:
        letter, label = _split_tag(tag)
        text += letter + chr(_FIRST + numbers.setdefault(label, len(numbers)))
    labels = list(numbers)
    return [
        (match.start() // 2, match.end() // 2 - 1, labels[ord(match[0][1]) - _FIRST])
        for match in re.finditer(pattern, text, re.DOTALL)
    ]
