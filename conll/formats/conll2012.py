# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The CoNLL-2011 and CoNLL-2012 column format, read as reference 8.01 reads it.

A document runs from a line `#begin document NAME` to the first later line that contains `#end
document`, or to the end of the file. Every other line that is not blank is one token, comment lines
too. Columns are separated by TAB: empty ones at the end are dropped, and the last one left is
searched for brackets. A line without a TAB is searched as a whole, so files whose columns are
separated by spaces are read as well.
"""

from __future__ import annotations

from io import SEEK_END, BytesIO
from itertools import chain, islice, zip_longest

from conll.brackets import FOLD_DIGITS, CrossingError, Mentions, lay_out, parse
from conll.document import Layers, names_in
from conll.errors import ConllError, Problem, pluralize, shorten
from conll.formats import Format, Holds, ids_for, refusal, spans_of
from conll.source import CHUNK, Entry, IndexedSource, Source, chunks_of, index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any, BinaryIO, Self

    from conll.document import Document, Words

    Mark = tuple[int, int, int, str | None]
    """A line that begins a document or ends one (name None): lines before it, its offset, the next
    line's offset, the name."""


BLANK = b" \t\r\f\v\n"
"""A line of nothing else is no token: what `bytes.isspace` knows too. NUL and other control bytes
are text."""

_BEGIN = b"begin document "

PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in the files of the shared task that are published
without their words."""


def last_column(text: bytes) -> bytes:
    """The last column of a line that is not empty; the line itself where it has no TAB.

    A column of CR alone is not empty: in a file of CRLF lines, brackets before a TAB at the end of
    a line are not in the last one.
    """
    filled = text.rstrip(b"\t")
    return filled[filled.rfind(b"\t") + 1 :]


def holds_label(label: str) -> bool:
    """Whether a cluster may have that id."""
    return label.isascii() and label.isdigit()


def holds_word(word: str) -> bool:
    """Whether a line can hold that word: it has neither a TAB nor a line break, and does not read as the end of the document."""
    return not (
        "\t" in word or "\n" in word or "\r" in word or ("#" in word and "end document" in word)
    )


BEGINNING = 1 << 14
"""Bytes of a large file in which its first document is looked for, before it is indexed."""

REPEATED = 1 << 26
"""Bytes of documents inside other documents, as end lines are missing, up to which a file is read;
they take about a minute."""

MARKED = b"\xef\xbb\xbf#begin document"
"""How a file begins whose first document is hidden from the reference by a byte-order mark."""


class Conll2012Source(IndexedSource):
    """One open file: an index of its documents, each read on request.

    Of several documents of one name the last is read, or the first where `first` is set; a problem
    names the others.
    """

    def __init__(self, file: BinaryIO, path: str, *, first: bool = False) -> None:
        self.path = path
        self.size = file.seek(0, SEEK_END)
        self.file = self._file = file
        self._first = first
        self._problems: list[Problem] = []

    @property
    def _entries(self) -> dict[str, Entry]:
        """The index, made when it is first needed."""
        if self._by_name is None:
            entries = entries_of(self._stretches(), self.size)
            _check_ends(entries, self.path)
            self._by_name, self._problems = index(entries, self.path, first=self._first)
            if self.size and not entries:
                problem = (
                    "the file holds no document; one starts with a line such as: "
                    "#begin document (name); part 000"
                )
                self._problems.append(Problem(self.path, 0, None, problem))
        return self._by_name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        try:
            return read(self.body(entry), entry, self.path)
        except ConllError as error:
            [error] = self._by_cause([error], entry)
            raise error from None

    def errors(self, name: str) -> list[ConllError]:
        entry = self._entries.get(name)
        if entry is None:
            return []
        errors: list[ConllError] = []
        read(self.body(entry), entry, self.path, errors)
        return self._by_cause(errors, entry)

    def _by_cause(self, errors: list[ConllError], entry: Entry) -> list[ConllError]:
        """Replace the errors in the lines of another document by one: that this one has not ended."""
        if not entry.unterminated:
            return errors
        line = entry.unterminated[0]
        own = [error for error in errors if error.line < line]
        if len(own) == len(errors):
            return errors
        inner = next((other.name for other in self._entries.values() if other.line == line), "")
        problem = f"document {inner or 'another'} begins before this one has ended"
        advice = f"add #end document before line {line}"
        return [*own, ConllError(self.path, line, f"{problem}; {advice}", document=entry.name)]

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        body = self.body_of(name)
        if body is None:
            return {}
        numbered = enumerate(body.split(b"\n"), self.line_of(name) + 1)
        filled = (line for line, text in numbered if text and not text.isspace())
        return {token: line for token, line in enumerate(filled) if token in tokens}

    def problems(self) -> list[Problem]:
        self._entries  # noqa: B018  making the index finds them
        return self._problems

    def first_name(self) -> str | None:
        if self._by_name is not None or self.size <= CHUNK:
            return super().first_name()
        # The index of a large file takes as long as scoring it.
        self._file.seek(0)
        begins, _ = marks(self._file.read(BEGINNING) + self._file.readline(), 0)
        names = (name for _, _, _, name in begins if name is not None)
        return next(names, None) or super().first_name()

    def place(self, name: str) -> tuple[BinaryIO, Entry] | None:
        """Return the open file and where in it a document lies; None where there is none."""
        entry = self._entries.get(name)
        return None if entry is None else (self.file, entry)

    def words(self, name: str) -> Words | None:
        """The column after the numbers of the tokens, else the fourth of five or more.

        A line of fewer columns gives an empty word, and a document of such lines none.
        """
        body = self.body_of(name)
        return None if body is None else words(body)

    def fields(self, name: str) -> dict[str, Any]:
        body = self.body_of(name)
        return {} if body is None else fields_of(body)

    def layers(self, name: str) -> Layers | None:
        """The columns of CoNLL-2011 and CoNLL-2012 between the word and the predicates' arguments, where a file has all of them."""
        body = self.body_of(name)
        sentences = None if body is None else words(body)
        return None if body is None or sentences is None else layers(body, sentences)

    def layers_of(
        self,
        document: Document,
        fields: Collection[str] = (),  # noqa: ARG002
        *,
        names: bool = False,  # noqa: ARG002
    ) -> Layers | None:
        body = self.body_of(document.name)
        return None if body is None else layers(body, words(body) or [])

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:  # noqa: ARG002  a column is never an empty list
        bodies = filter(None, map(self.body_of, names))
        return any(layers(body, []).names for body in bodies)

    def same_text(self, other: Source, name: str) -> bool:
        """As in `Source`.

        Equal lines are not split, nor are lines that differ in the last column alone.
        """
        body = self.body_of(name)
        second = other.body_of(name) if isinstance(other, Conll2012Source) else None
        if body is None or second is None or (b"\t" in body) != (b"\t" in second):
            return super().same_text(other, name)
        from conll.word_column import separator_of, word_column, word_of

        separator = separator_of(body)
        lines, others = body.split(b"\n"), second.split(b"\n")
        column = word_column(lines, separator)
        if len(lines) != len(others) or column is None or column != word_column(others, separator):
            return super().same_text(other, name)
        for line, second_line in zip(lines, others):
            if line == second_line:
                continue
            columns = line.rpartition(b"\t")[0]
            # Lines that differ in the last column alone hold the same word, unless one is blank.
            if columns == second_line.rpartition(b"\t")[0] and columns.strip():
                continue
            if word_of(line, separator, column) != word_of(second_line, separator, column):
                return False
        return True

    def last_cell(self) -> str:
        name = self.first_name()
        body = self.body_of(name) if name is not None else None
        first_line = (body or b"").strip().partition(b"\n")[0]
        cells = last_column(first_line).decode("utf-8", "replace").split()
        return cells[-1] if cells else ""

    def body_of(self, name: str) -> bytes | None:
        """What stands between the first and the last line of the document called `name`."""
        entry = self._entries.get(name)
        return None if entry is None else self.body(entry)

    def _stretches(self) -> Iterator[tuple[list[Mark], int]]:
        """The marks of the whole file and its lines, chunk by chunk.

        Others may read from the file meanwhile.
        """
        for offset, chunk in chunks_of(self._file):
            yield marks(chunk, offset)


def files_of(source: Source) -> list[Conll2012Source]:
    """Return the files of a source, if all of them are CoNLL-2012 files; else none."""
    files = getattr(source, "sources", [source])
    return files if all(isinstance(file, Conll2012Source) for file in files) else []


def open_source(path: str, *, first: bool = False) -> Conll2012Source:
    """Open a CoNLL-2011/2012 file, - for standard input, and index its documents.

    OSError when it cannot be read.

    Of documents of one name the last is read, or the `first`: reference 8.01 does the one for all
    documents, the other for one. The source closes the file where it is used in a `with` statement.
    """
    file: BinaryIO
    if path == "-":
        from conll.source import standard_input

        file, path = BytesIO(standard_input().read()), "<stdin>"
    else:
        file = open(path, "rb")  # noqa: SIM115  the source reads from it for as long as it lives
    try:
        if not file.seekable():
            with file:
                file = BytesIO(file.read())
        start = file.read(len(MARKED))
        source = Conll2012Source(file, path, first=first)
    except OSError as error:
        file.close()
        # An error without a name would be taken for one of the command itself.
        error.filename = path
        raise
    if start == MARKED:
        text = (
            "the file begins with a byte-order mark, so the document that begins there is ignored"
        )
        source.odd = [text]
        source.problems().insert(
            0, Problem(path, 1, None, text, "save it as UTF-8 without the mark")
        )
    return source


def marks(chunk: bytes | bytearray, offset: int) -> tuple[list[Mark], int]:
    """The lines of a chunk that begin or end a document, and the number of its lines.

    It begins at a line, at that offset.
    """
    edges: list[Mark] = []
    line = counted = 0
    for begin, body, name in borders(chunk):
        line += chunk.count(b"\n", counted, begin)
        counted = begin
        edges.append((line, offset + begin, offset + body, name))
    return edges, line + chunk.count(b"\n", counted)


def borders(chunk: bytes | bytearray) -> Iterator[tuple[int, int, str | None]]:
    """Find the lines that begin or end a document in a chunk of whole lines.

    Yields:
        The offset of the line, the offset of the next line, and the name of the document that
        begins, or None where one ends.
    """
    at = chunk.find(b"#")
    while at >= 0:
        # Other lines with a # are skipped: corpora with `Speaker#1` have one on every line.
        word = chunk.find(b" document", at)
        if word < 0:
            break
        begin = chunk.rfind(b"\n", 0, word) + 1
        stop = chunk.find(b"\n", word)
        if stop < 0:
            stop = len(chunk)
        line = bytes(chunk[begin:stop])
        comment = line[1:].lstrip(BLANK)
        if line.startswith(b"#") and comment.startswith(_BEGIN):
            name = comment.removeprefix(_BEGIN).removesuffix(b"\r")
            yield begin, stop + 1, name.decode("utf-8", "surrogateescape")
        before_ends = line.split(b"end document")[:-1]
        if any(text.rstrip(BLANK).endswith(b"#") for text in before_ends):
            yield begin, stop + 1, None
        at = chunk.find(b"#", stop)


def entries_of(stretches: Iterable[tuple[list[Mark], int]], size: int) -> list[Entry]:
    """The documents of a file of `size` bytes, in the order of their beginnings, from the marks of its consecutive stretches."""
    line = 1
    entries: list[Entry] = []
    open_entries: list[Entry] = []
    for edges, lines in stretches:
        for after, begin, body, name in edges:
            if name is None:
                for entry in open_entries:
                    if entry.body <= begin:
                        entry.stop, entry.ended = begin, True
                open_entries = [entry for entry in open_entries if not entry.ended]
                continue
            if open_entries:
                open_entries[-1].unterminated.append(line + after)
            entry = Entry(name, line + after, body)
            entries.append(entry)
            open_entries.append(entry)
        line += lines
    for entry in open_entries:
        entry.body, entry.stop = min(entry.body, size), size
    return entries


def read(body: bytes, entry: Entry, path: str, errors: list[ConllError] | None = None) -> Document:
    """Read the lines of one document.

    ConllError at the first end without a start, or at a start that the document never ends; where
    there is a list for `errors`, all of them are added to it instead.
    """
    if b"\t" in body:
        return _read_lines(body, entry, path, b"\t", errors)[0]
    # Without a TAB the reference searches whole lines, where a word such as "(7)" is a mention too.
    # That is rare: read the last field only, and if brackets that touch digits are left over
    # elsewhere, read again.
    try:
        document, count = _read_lines(body, entry, path, b" ")
        if count == touching(body):
            return document
    except ConllError:
        pass
    return _read_lines(body, entry, path, b"\n", errors)[0]


def touching(text: bytes | bytearray) -> int:
    """Count the brackets next to a digit."""
    folded = text.translate(FOLD_DIGITS)
    return folded.count(b"(0") + folded.count(b"0)")


def words(body: bytes) -> Words | None:
    """The words of one document, as `Conll2012Source.words` gives them."""
    from conll.word_column import words_in

    return words_in(body)


def _check_ends(entries: Iterable[Entry], path: str) -> None:
    """Refuse documents, in the order of their beginnings, that hold each other over and over: ConllError above `REPEATED` bytes."""
    reached = repeated = 0
    unended: list[Entry] = []
    for entry in entries:
        if entry.body < reached:
            repeated += entry.stop - entry.body
        reached = max(reached, entry.stop)
        if entry.unterminated:
            unended.append(entry)
    if repeated > REPEATED:
        first = unended[0]
        problem = (
            f"another document starts before this one has ended; {len(unended)} documents like it repeat {repeated >> 20} MiB of "
            f"lines, more than {REPEATED >> 20} MiB; add #end document before each #begin document"
        )
        raise ConllError(path, first.unterminated[0], problem, document=first.name)


def _read_lines(
    body: bytes, entry: Entry, path: str, separator: bytes, errors: list[ConllError] | None = None
) -> tuple[Document, int]:
    """Read the lines of one document with the text after their last `separator` as the cell.

    Returns:
        The document, and how many brackets next to a digit there are in the cells.
    """
    mentions = Mentions(path, entry.name, errors)
    texts = body.split(b"\n")
    begin = entry.line + 1
    tokens, count = _add_lines(mentions, texts, begin, separator)
    document = mentions.document(
        tokens, entry.line, texts, begin, ended=entry.ended, unterminated=entry.unterminated
    )
    return document, count


def _add_lines(
    mentions: Mentions, texts: list[bytes], begin: int, separator: bytes
) -> tuple[int, int]:
    """Add the brackets of lines, of which the first is line `begin`.

    Returns:
        The number of tokens, and how many brackets next to a digit there are in the cells.
    """
    blank = count = 0
    numbers, stacks = mentions.numbers, mentions.stacks
    clusters, places = mentions.clusters, mentions.places
    nothing = (
        separator + b"_\t",
        separator + b"-",
        separator + b"_",
        separator + b"-\r",
        separator + b"_\r",
    )
    # Most lines hold no mention: dropping them beforehand is half the work of looking at each
    # in the loop.
    for number, text in [
        (number, text) for number, text in enumerate(texts) if not text.endswith(nothing)
    ]:
        if not text:
            blank += 1
            continue
        token, line = number - blank, number + begin
        cell = text[text.rfind(separator) + 1 :]
        if cell.endswith(b")"):
            label = cell[1:-1]
            if cell.startswith(b"(") and label.isdigit():
                count += 2
                at = numbers.get(label)
                if at is None:
                    at = mentions.new(label)
                clusters[at].append((token, token))
                places[at].append(line)
                continue
            label = cell[:-1]
            if label.isdigit():
                count += 1
                if not stacks.get(label):
                    mentions.refuse(label, line, text)
                    continue
                start, first = stacks[label].pop()
                at = numbers[label]
                clusters[at].append((start, token))
                places[at].append(first)
                continue
        elif cell.startswith(b"("):
            label = cell[1:]
            if label.isdigit():
                count += 1
                if label not in numbers:
                    mentions.new(label)
                stacks[label].append((token, line))
                continue
        if text.isspace():
            blank += 1
            continue
        if separator == b"\t":
            cell = last_column(text)
        here = touching(cell)
        if here:
            count += here
            mentions.add(parse(cell), token, line, text)
    return len(texts) - blank, count


COLUMNS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "name")
"""The columns after the word, in their order (Pradhan et al., CoNLL 2012, table 2); then come the
arguments of predicates."""

BEFORE = 4
"""How many columns stand before these: document, part, number, word."""

STARRED = (BEFORE + COLUMNS.index("parse"), BEFORE + COLUMNS.index("name"))
"""Those, from 0, in which `*` stands for nothing; it does in the arguments of predicates, too."""

NOTHING = (b"-", b"*", b"_")
"""What a cell holds that says nothing."""


def layers(body: bytes, sentences: Words) -> Layers:
    """The layers of the document between these lines.

    None where a line has too few columns for all of them.
    """
    columns = {name: cells for name, cells in _columns(body)[0].items() if name in COLUMNS}
    return Layers(sentences, columns, names=names_in(columns.get("name", ())))


def fields_of(body: bytes) -> dict[str, Any]:
    """What stands between the words and the mentions: columns in the shape of the sentences, by their names, and `names`."""
    columns, lengths = _columns(body)
    name = columns.pop("name", None)
    fields: dict[str, Any] = {}
    for column, cells in columns.items():
        rest = iter(cells)
        fields[column] = [[*islice(rest, length)] for length in lengths]
    if name:
        # A field called `name` would be that of the document.
        fields["names"] = [[*name] for name in names_in(name)]
    return fields


def _columns(body: bytes) -> tuple[dict[str, list[str]], list[int]]:
    """Read the columns between the words and the mentions that say something.

    Further columns, and all where a line has too few of them, are called `column_N`, counted from
    1.

    Returns:
        The cells of all tokens by the name of their column, empty where they say nothing; and the
        number of tokens of each sentence.
    """
    from conll.word_column import separator_of, word_column

    separator = separator_of(body)
    lines = body.split(b"\n")
    word = word_column(lines, separator)
    # Where no column has words, the columns are numbered as if the fourth had.
    first = BEFORE if word is None else word + 1
    rows: list[list[bytes]] = []
    lengths = [0]
    for line in lines:
        if line and not line.isspace():
            rows.append(line.rstrip(b"\t").split(separator)[first:-1])
            lengths[-1] += 1
        elif lengths[-1]:
            lengths.append(0)
    is_standard = first == BEFORE and min(map(len, rows), default=0) >= len(COLUMNS)
    named = COLUMNS if is_standard else ()
    columns: dict[str, list[str]] = {}
    for place, cells in enumerate(zip_longest(*rows, fillvalue=b"")):
        name = named[place] if place < len(named) else f"column_{first + place + 1}"
        texts = {cell: cell.decode("utf-8", "surrogateescape") for cell in {*cells}}
        texts |= dict.fromkeys(NOTHING, "")
        # Most columns of most files say nothing, which is quick to see.
        if any(texts.values()):
            columns[name] = [texts[cell] for cell in cells]
    return columns, [length for length in lengths if length]


def cells_of(document: Document, field: str) -> tuple[int, list[str]] | None:
    """The cells of a field, each a text for a token or empty, and which column that is, from 0.

    None where it is none.
    """
    content, tokens = document.fields.get(field), document.length()
    if field == "names":
        cells = _name_cells(content, tokens)
        return None if cells is None else (BEFORE + COLUMNS.index("name"), cells)
    number = field.removeprefix("column_")
    if field in COLUMNS:
        place = BEFORE + COLUMNS.index(field)
    elif number != field and number.isdecimal() and len(number) < 4 and int(number) > BEFORE:
        place = int(number) - 1
    else:
        return None
    if type(content) is not list or {type(part) for part in content} != {list}:
        return None
    cells = [*chain.from_iterable(content)]
    fit = len(cells) == tokens and all(
        type(cell) is str and len(cell.split()) == bool(cell) for cell in cells
    )
    return (place, cells) if fit else None


def _name_cells(names: Any, tokens: int) -> list[str] | None:
    """The cells of named entities, as `names_in` reads them; None where it would not."""
    if type(names) is not list or any(
        type(name) is not list or [*map(type, name)] != [int, int, str] for name in names
    ):
        return None
    ordered = sorted(((*name,) for name in names), key=lambda name: (name[0], -name[1]))
    starts, ends = [""] * tokens, [""] * tokens
    for first, last, label in ordered:
        if not 0 <= first <= last < tokens:
            return None
        starts[first] += f"({label}"
        ends[last] += ")"
    cells = [f"{start}*{end}" if start or end else "" for start, end in zip(starts, ends)]
    return cells if names_in(cells) == ordered else None


def text_of(document: Document) -> bytes:
    """One document, from its first to its last line; ConllError when the format cannot hold it."""
    name = document.name
    try:
        cells = lay_out(spans_of(document, "conll2012"), ids_for(document, holds_label))
    except CrossingError as error:
        raise refusal(document, "conll2012", str(error)) from None
    if "\n" in name or name.endswith("\r"):
        raise refusal(document, "conll2012", "its name holds a line break")
    sentences = _sentences(document, cells)
    columns = _first_columns(name)
    beside = _beside(document, sum(map(len, sentences)))
    lines = [f"#begin document {name}"]
    token = 0
    for sentence in sentences:
        for number, word in enumerate(sentence):
            if not holds_word(word):
                what = "a TAB, a line break or the end of a document"
                raise refusal(document, "conll2012", f"the word {shorten(word)} holds {what}")
            lines.append(f"{columns}\t{number}\t{word}{beside[token]}\t{cells.get(token, '-')}")
            token += 1
        lines.append("")
    lines.append("#end document\n")
    try:
        return "\n".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
        raise refusal(document, "conll2012", problem) from None


def _sentences(document: Document, cells: dict[int, str]) -> Words:
    """The words of the document, or placeholders for them."""
    last = max(cells, default=-1)
    tokens = last + 1 if document.tokens is None else document.tokens
    sentences = [[PLACEHOLDER] * tokens] if document.words is None else document.words
    tokens = sum(map(len, sentences))
    if last >= tokens:
        problem = (
            f"its mentions go from token {min(cells)} to {last}, but it has "
            f"{pluralize(tokens, 'token')}, counted from 0"
        )
        raise refusal(document, "conll2012", problem)
    return sentences


def _beside(document: Document, tokens: int) -> list[str]:
    """What stands between the word and the mentions of each token, with a TAB before each column."""
    columns = dict(filter(None, (cells_of(document, field) for field in document.fields)))
    beside = [""] * tokens
    for place in range(BEFORE, max(columns, default=0) + 1):
        nothing = "*" if place in STARRED or place >= BEFORE + len(COLUMNS) else "-"
        cells = columns.get(place) or [""] * tokens
        beside = [f"{before}\t{cell or nothing}" for before, cell in zip(beside, cells)]
    return beside


def _first_columns(name: str) -> str:
    """The columns of document and part, from a name such as `(bc/cctv/00/cctv_0000); part 000`.

    Else the name and part 0.
    """
    identifier, separator, part = name.removeprefix("(").partition("); part ")
    if not separator or not (part.isascii() and part.isdigit()):
        identifier, part = name, "0"
    if identifier.split() != [identifier]:
        identifier = "-"
    return f"{identifier}\t{part.lstrip('0') or '0'}"


def sniff(head: bytes) -> bool:
    """Whether a line begins a document as reference 8.01 sees it, and no line shows a format that it does not read."""
    from conll.columns import kind_of

    return kind_of(head) == "conll2012"


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write documents with TAB between the columns: document, part, number of the token in its sentence, word, coreference.

    Columns of `fields` stand before the last one. Never spaces, since in a line without a TAB the
    reference searches the words for brackets too. Clusters keep their labels where all of them are
    numbers; otherwise they are numbered. Empty clusters and double antecedents are left out.
    ConllError when mentions of one cluster cross or meet in a token, or when a name or a word does
    not fit.
    """
    file.writelines(text_of(document) for document in documents)


FORMAT = Format(
    "conll2012",
    "CoNLL-2011/2012 columns, documents begin with a line #begin document NAME",
    sniff=sniff,
    open=Conll2012Source,
    write=write,
    holds=Holds(
        names=False,
        pieces=False,
        syntax=False,
        crossing=False,
        meeting=False,
        word=holds_word,
        label=holds_label,
        field=lambda document, field: cells_of(document, field) is not None,
        placeholders=True,
        nameless=False,
    ),
)
