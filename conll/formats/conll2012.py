"""The CoNLL-2011 and CoNLL-2012 column format, read as reference 8.01 reads it.

A document runs from a line `#begin document NAME` to the first later line that contains `#end
document`, or to the end of the file. Every other line that is not blank is one token, comment lines
too. Columns are separated by TAB: empty ones at the end are dropped, and the last one left is
searched for brackets. A line without a TAB is searched as a whole, so files whose columns are
separated by spaces are read as well.
"""

from __future__ import annotations

from io import SEEK_END, BytesIO
from itertools import chain

from conll.brackets import FOLD_DIGITS, CrossingError, Mentions, lay_out, parse
from conll.document import Layers, names_in
from conll.errors import ConllError, Problem, pluralize, shorten
from conll.format import Format, Holds, spans_of
from conll.formats._conll2012_lines import BLANK, follows_hash, last_column
from conll.source import Entry, IndexedSource, Source, index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any, BinaryIO, Self

    from conll.document import Document, Words
    from conll.formats._conll2012_scan import Scanner

    Mark = tuple[int, int, int, str | None]
    """A line that begins a document or ends one (name None): lines before it, its offset, the next
    line's offset, the name."""


PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in the files of the shared task that are published
without their words."""


def word_of(text: bytes, separator: bytes | None) -> bytes | None:
    """The word on one line, empty where there are too few columns.

    None where the line is no token.
    """
    if not text or text.isspace():
        return None
    columns = text.split(separator, 4)
    return columns[3] if len(columns) > 4 else b""


def holds_label(label: str) -> bool:
    """Whether a cluster may have that id."""
    return label.isascii() and label.isdigit()


def holds_word(word: str) -> bool:
    """Whether a line can hold that word: it has neither a TAB nor a line break, and does not read as the end of the document."""
    return not (
        "\t" in word or "\n" in word or "\r" in word or ("#" in word and "end document" in word)
    )


CHUNK = 1 << 20
"""Bytes read at a time while a file is indexed; a file no longer than this is kept and not read
again."""

REPEATED = 1 << 26
"""Bytes of documents inside other documents, as end lines are missing, up to which a file is read;
they take about a minute."""

MARKED = b"\xef\xbb\xbf#begin document"
"""How a file begins whose first document is hidden from the reference by a byte-order mark."""

BEGINNING = 1 << 17
"""Bytes by which it is told about how many mentions a file holds."""


class Conll2012Source(IndexedSource):
    """One open file: an index of its documents, each read on request.

    Of several documents of one name the last is read, or the first where `first` is set; a problem
    names the others. A file of one chunk stays in memory where `keep` is set, so that it is read
    once.
    """

    def __init__(
        self, file: BinaryIO, path: str, *, first: bool = False, keep: bool = True
    ) -> None:
        self.path = path
        self.size = file.seek(0, SEEK_END)
        self._file = file
        self._first = first
        self._keep = keep
        self._data: bytes | None = None
        self._problems: list[Problem] = []

    @property
    def _entries(self) -> dict[str, Entry]:
        """The index, made when it is first needed."""
        if self._by_name is None:
            self._by_name = self._index(entries_of(self._stretches(), self.size))
        return self._by_name

    def _index(self, entries: Iterable[Entry]) -> dict[str, Entry]:
        entries = list(entries)
        _check_ends(entries, self.path)
        entries_by_name, self._problems = index(entries, self.path, first=self._first)
        if self.size and not entries_by_name:
            problem = "the file holds no document; one starts with a line such as: #begin document (name); part 000"
            self._problems.append(Problem(self.path, 0, None, problem))
        return entries_by_name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        return None if entry is None else read(self.body(entry), entry, self.path)

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        entry = self._entries.get(name)
        return {} if entry is None else self.lines_from(entry.body, entry.stop, entry.line, tokens)

    def lines_from(self, body: int, stop: int, line: int, tokens: set[int]) -> dict[int, int]:
        """The lines on which tokens stand of a document that begins on `line` and whose other lines lie between two offsets."""
        lines: dict[int, int] = {}
        token = -1
        self._file.seek(body)
        for text in self._file:
            if body >= stop:
                break
            body += len(text)
            line += 1
            if not text.isspace():
                token += 1
                if token in tokens:
                    lines[token] = line
                    if len(lines) == len(tokens):
                        break
        return lines

    def problems(self) -> list[Problem]:
        self._entries  # noqa: B018  making the index finds them
        return self._problems

    def about_mentions(self) -> int:
        """Estimate the number of mentions of the file from its beginning."""
        self._file.seek(0)
        start = self._file.read(BEGINNING)
        # As good as every bracket that opens before a digit is that of a mention.
        return start.translate(FOLD_DIGITS).count(b"(0") * self.size // (len(start) or 1)

    def scanner(self, names: Iterable[str] | None = None, within: Source | None = None) -> Scanner:
        """Scan the whole file, or the documents of some names, where a missing one is empty.

        Args:
            names: The documents to scan; None for the whole file.
            within: The source of several files in which the documents lie.
        """
        from conll.formats._conll2012_scan import Scanner, Selection, Whole

        if names is None:
            return Scanner(Whole(self._file))
        files = ((name, (within or self).file_of(name)) for name in names)
        return Scanner(Selection([(name, *_place(file, name)) for name, file in files]))

    def words(self, name: str) -> Words | None:
        """The fourth of five columns or more.

        A line of fewer gives an empty word, and a document of such lines none.
        """
        body = self.body_of(name)
        return None if body is None else words(body)

    def fields(self, name: str) -> dict[str, Any]:

        body = self.body_of(name)
        return {} if body is None else fields_of(body)

    def layers(self, name: str) -> Layers | None:
        """The columns of CoNLL-2011 and CoNLL-2012 between the word and the predicates' arguments, where a file has all of them."""
        body = self.body_of(name)
        if body is None:
            return None
        sentences = words(body)
        return None if sentences is None else layers(body, sentences)

    def layers_of(
        self,
        document: Document,
        fields: Collection[str] = (),  # noqa: ARG002
        *,
        names: bool = False,  # noqa: ARG002
    ) -> Layers | None:
        return self._columns_of(document.name)

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:  # noqa: ARG002  a column is never an empty list
        return any((found := self._columns_of(name)) is not None and found.names for name in names)

    def _columns_of(self, name: str) -> Layers | None:
        """The layers of a document, of which no word may be known, as in the shared tasks' files without words."""
        found = self.layers(name)
        body = self.body_of(name) if found is None else None
        if body is None:
            return found

        return layers(body, [])

    def same_text(self, other: Source, name: str) -> bool:
        """As in `Source`.

        Equal lines are not split, nor are lines that differ in the last column alone.
        """
        body = self.body_of(name)
        second = other.body_of(name) if isinstance(other, Conll2012Source) else None
        if body is None or second is None or (b"\t" in body) != (b"\t" in second):
            return super().same_text(other, name)
        if body.count(b"\n") != second.count(b"\n"):
            return super().same_text(other, name)
        separator = b"\t" if b"\t" in body else None
        lines, others = body.split(b"\n"), second.split(b"\n")
        for line, second_line in zip(lines, others):
            if line == second_line:
                continue
            columns = line.rpartition(b"\t")[0]
            # Lines that differ in the last column alone hold the same word, unless one is blank.
            if columns == second_line.rpartition(b"\t")[0] and columns.strip():
                continue
            if word_of(line, separator) != word_of(second_line, separator):
                return False
        return True

    def body_of(self, name: str) -> bytes | None:
        """What stands between the first and the last line of the document called `name`."""
        entry = self._entries.get(name)
        return None if entry is None else self.body(entry)

    def body(self, entry: Entry) -> bytes:
        """What stands between the first and the last line of a document."""
        return super().body(entry) if self._data is None else self._data[entry.body : entry.stop]

    def _stretches(self) -> Iterator[tuple[list[Mark], int]]:
        """The marks of the whole file and its lines, chunk by chunk.

        Others may read from the file meanwhile.
        """
        offset = 0
        while offset < self.size:
            self._file.seek(offset)
            # A small file rests at once: looking for its end would open it twice more.
            chunk = self._file.read(min(CHUNK, self.size - offset))
            if not chunk:
                return
            if len(chunk) == CHUNK:
                chunk += self._file.readline()
            elif offset == 0 and self._keep:
                self._data = chunk
            yield marks(chunk, offset)
            offset += len(chunk)


def files_of(source: Source) -> list[Conll2012Source]:
    """Return the files of a source, if all of them are CoNLL-2012 files; else none."""
    files = getattr(source, "sources", [source])
    return files if all(isinstance(file, Conll2012Source) for file in files) else []


def scanner_of(source: Source, names: Iterable[str]) -> Scanner:
    """Scan the documents with these names in the `files_of` a source."""
    return files_of(source)[0].scanner(names, within=source)


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


def marks(chunk: bytes, offset: int) -> tuple[list[Mark], int]:
    """The lines of a chunk that begin or end a document, and the number of its lines.

    It begins at a line, at that offset.
    """
    edges: list[Mark] = []
    line = counted = 0
    begin = end = -1
    at = chunk.find(b" document")
    while at >= 0:
        first = at > end
        if first:
            begin = chunk.rfind(b"\n", max(end, 0), at) + 1
            end = chunk.find(b"\n", at)
            end = len(chunk) if end < 0 else end
        if chunk.endswith(b"end", begin, at) and follows_hash(chunk, at - 3):
            edges.append((0, offset + begin, 0, None))
            # One is enough for a line: no document can begin after it.
            at = end - 9
        elif (
            first
            and chunk.startswith(b"#", begin)
            and chunk.startswith(b" ", at + 9)
            and chunk[begin + 1 : at].lstrip(BLANK) == b"begin"
        ):
            line += chunk.count(b"\n", counted, begin)
            counted = begin
            name = chunk[at + 10 : end].removesuffix(b"\r").decode("utf-8", "surrogateescape")
            edges.append((line, offset + begin, offset + end + 1, name))
        at = chunk.find(b" document", at + 9)
    return edges, line + chunk.count(b"\n", counted)


def entries_of(stretches: Iterable[tuple[list[Mark], int]], size: int) -> Iterator[Entry]:
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
    return iter(entries)


def read(body: bytes, entry: Entry, path: str) -> Document:
    """Read the lines of one document.

    ConllError at the first end without a start, or at a start that the document never ends.
    """
    if b"\t" in body:
        return _Lines(body, entry, path, b"\t").document
    # Without a TAB the reference searches whole lines, where a word such as "(7)" is a mention too.
    # That is rare: read the last field only, and if brackets that touch digits are left over
    # elsewhere, read again.
    folded = body.translate(FOLD_DIGITS)
    try:
        lines = _Lines(body, entry, path, b" ")
        if lines.touching == folded.count(b"(0") + folded.count(b"0)"):
            return lines.document
    except ConllError:
        pass
    return _Lines(body, entry, path, b"\n").document


def words(body: bytes) -> Words | None:
    """The words of one document, as `Conll2012Source.words` gives them."""
    separator = b"\t" if b"\t" in body else None
    sentences: Words = [[]]
    missing = PLACEHOLDER.encode()
    known = False
    for text in body.split(b"\n"):
        word = word_of(text, separator)
        if word is None:
            if sentences[-1]:
                sentences.append([])
            continue
        if word and word != missing:
            known = True
        sentences[-1].append(word.decode("utf-8", "surrogateescape"))
    if not sentences[-1]:
        sentences.pop()
    return sentences if known else None


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


def _place(source: Source, name: str) -> tuple[BinaryIO | None, Entry | None]:
    """The file that holds a document, and where."""
    if not isinstance(source, Conll2012Source):
        return None, None
    return source._file, source._entries.get(name)  # noqa: SLF001


class _Lines:
    """The lines of one document, read with the text after the last `separator` of a line as its cell.

    `touching` counts the brackets next to a digit in the cells that were read.
    """

    def __init__(self, body: bytes, entry: Entry, path: str, separator: bytes) -> None:
        self._mentions = Mentions(path, entry.name)
        texts = body.split(b"\n")
        tokens, self.touching = self._read(texts, separator, entry.line + 1)
        self.document = self._mentions.document(
            tokens,
            entry.line,
            texts,
            entry.line + 1,
            ended=entry.ended,
            unterminated=entry.unterminated,
        )

    def _read(self, texts: list[bytes], separator: bytes, begin: int) -> tuple[int, int]:
        """The number of tokens, and `touching`."""
        blank = 0
        touching = 0
        mentions = self._mentions
        numbers, stacks, clusters, places = (
            mentions.numbers,
            mentions.stacks,
            mentions.clusters,
            mentions.places,
        )
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
                    touching += 2
                    at = numbers.get(label)
                    if at is None:
                        at = mentions.new(label)
                    clusters[at].append((token, token))
                    places[at].append(line)
                    continue
                label = cell[:-1]
                if label.isdigit():
                    touching += 1
                    if not stacks.get(label):
                        raise mentions.unstarted(label, line, text)
                    start, first = stacks[label].pop()
                    at = numbers[label]
                    clusters[at].append((start, token))
                    places[at].append(first)
                    continue
            elif cell.startswith(b"("):
                label = cell[1:]
                if label.isdigit():
                    touching += 1
                    if label not in numbers:
                        mentions.new(label)
                    stacks[label].append((token, line))
                    continue
            if text.isspace():
                blank += 1
                continue
            if separator == b"\t":
                cell = last_column(text)
            folded = cell.translate(FOLD_DIGITS)
            here = folded.count(b"(0") + folded.count(b"0)")
            if here:
                touching += here
                mentions.add(parse(cell), token, line, text)
        return len(texts) - blank, touching


COLUMNS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "name")
"""The columns after the word, in their order (Pradhan et al., CoNLL 2012, table 2); then come the
arguments of predicates."""

BEFORE = 4
"""How many columns stand before these: document, part, number, word."""

STARRED = (BEFORE + COLUMNS.index("parse"), BEFORE + COLUMNS.index("name"))
"""Those, from 0, in which `*` stands for nothing; it does in the arguments of predicates, too."""

NOTHING = ("-", "*", "_")
"""What a cell holds that says nothing."""


def layers(body: bytes, sentences: Words) -> Layers:
    """The layers of the document between these lines.

    None where a line has too few columns for all of them.
    """
    separator = "\t" if b"\t" in body else None
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        if not line or line.isspace():
            continue
        cells = line.split(separator)[BEFORE:-1]
        if len(cells) < len(COLUMNS):
            return Layers(sentences)
        for column, cell in zip(columns.values(), cells):
            column.append(cell)
    filled = {name: cells for name, column in columns.items() if any(cells := _said(column))}
    return Layers(sentences, filled, names=names_in(filled.get("name", ())))


def fields_of(body: bytes) -> dict[str, Any]:
    """What stands between the words and the mentions: columns in the shape of the sentences, by their names, and `names`.

    Further columns, and all where a line has too few of them, are called `column_N`, counted from
    1.
    """
    separator = b"\t" if b"\t" in body else None
    sentences: list[list[list[bytes]]] = [[]]
    for line in body.split(b"\n"):
        if line and not line.isspace():
            sentences[-1].append(line.rstrip(b"\t").split(separator)[BEFORE:-1])
        elif sentences[-1]:
            sentences.append([])
    widths = {len(cells) for sentence in sentences for cells in sentence}
    named = COLUMNS if min(widths, default=0) >= len(COLUMNS) else ()
    fields: dict[str, Any] = {}
    for place in range(max(widths, default=0)):
        column = [
            _said(
                [
                    cells[place].decode("utf-8", "surrogateescape") if place < len(cells) else ""
                    for cells in sentence
                ]
            )
            for sentence in sentences
            if sentence
        ]
        if any(map(any, column)):
            fields[named[place] if place < len(named) else f"column_{BEFORE + place + 1}"] = column
    if "name" in fields:
        # A field of that name would be the document's.
        fields["names"] = [[*name] for name in names_in([*chain.from_iterable(fields.pop("name"))])]
    return fields


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


def _said(cells: list[str]) -> list[str]:
    """The cells, those empty that say nothing.

    Most columns of most files say nothing, which is quick to see.
    """
    values = set(cells)
    if values.isdisjoint(NOTHING):
        return cells
    return (
        [""] * len(cells)
        if values.issubset(NOTHING)
        else ["" if cell in NOTHING else cell for cell in cells]
    )


def text_of(document: Document) -> bytes:
    """One document, from its first to its last line; ConllError when the format cannot hold it."""
    try:
        cells = lay_out(spans_of(document, "conll2012"), _labels(document))
        _check_name(document.name)
        sentences = _sentences(document, cells)
        columns = _first_columns(document.name)
        beside = _beside(document, sum(map(len, sentences)))
        lines = [f"#begin document {document.name}"]
        token = 0
        for sentence in sentences:
            for number, word in enumerate(sentence):
                _check_word(word)
                lines.append(f"{columns}\t{number}\t{word}{beside[token]}\t{cells.get(token, '-')}")
                token += 1
            lines.append("")
        lines.append("#end document\n")
        return "\n".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
    except (CrossingError, _UnfitError) as error:
        problem = str(error)
    raise ConllError(
        document.path,
        document.line,
        f"cannot be written as conll2012: {problem}",
        document=document.name,
    )


class _UnfitError(ValueError):
    """A part of a document that the columns cannot hold."""


def _labels(document: Document) -> list[str]:
    labels = document.labels
    if len(set(labels)) == len(document.clusters) and all(map(holds_label, labels)):
        return labels
    return [str(number) for number in range(len(document.clusters))]


def _sentences(document: Document, cells: dict[int, str]) -> Words:
    """The words of the document, or placeholders for them."""
    last = max(cells, default=-1)
    tokens = last + 1 if document.tokens is None else document.tokens
    sentences = [[PLACEHOLDER] * tokens] if document.words is None else document.words
    tokens = sum(map(len, sentences))
    if last >= tokens:
        length = pluralize(tokens, "token")
        raise _UnfitError(
            f"its mentions go from token {min(cells)} to {last}, but it has {length}, counted from 0"
        )
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


def _check_name(name: str) -> None:
    if "\n" in name or name.endswith("\r"):
        raise _UnfitError("its name holds a line break")


def _check_word(word: str) -> None:
    if not holds_word(word):
        raise _UnfitError(
            f"the word {shorten(word)} holds a TAB, a line break or the end of a document"
        )


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


def holds_field(document: Document, field: str) -> bool:
    """Whether a column can hold a field."""
    return cells_of(document, field) is not None


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
    open=lambda file, path: Conll2012Source(file, path, keep=False),
    write=write,
    holds=Holds(
        names=False,
        pieces=False,
        syntax=False,
        crossing=False,
        meeting=False,
        word=holds_word,
        label=holds_label,
        field=holds_field,
        placeholders=True,
        nameless=False,
    ),
)
