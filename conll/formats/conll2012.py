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

from conll.brackets import FOLD_DIGITS, Mentions, parse
from conll.document import Content, Document, Layers, Name, Words
from conll.errors import ConllError, Problem, not_of_type
from conll.formats import Format, Holds
from conll.source import CHUNK, Entry, EntryContent, IndexedSource, InputFile, RenamedSource, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO

    Mark = tuple[int, int, int, str | None]
    """A line that begins a document or ends one (name None): lines before it, its offset, the next
    line's offset, the name."""


BLANK = b" \t\r\f\v\n"
"""White space, as `bytes.isspace` knows it: a line of nothing else is not a token. NUL and other
control bytes are text."""

_BEGIN = b"begin document "


def last_column(text: bytes) -> bytes:
    """Return the last column of a line that is not empty; the line itself where it has no TAB.

    A column of CR alone is not empty: in a file of CRLF lines, brackets before a TAB at the end of
    a line are not in the last one.
    """
    filled = text.rstrip(b"\t")
    return filled[filled.rfind(b"\t") + 1 :]


def holds_label(label: str) -> bool:
    """Return whether a cluster may have that id."""
    return label.isascii() and label.isdigit()


def holds_word(word: str) -> bool:
    """Return whether a line can hold a word.

    It has neither a TAB nor a line break, and is not read as the end of the document.
    """
    if "\t" in word or "\n" in word or "\r" in word:
        return False
    return "#" not in word or "end document" not in word


BEGINNING = 1 << 14
"""Bytes of a large file in which its first document is looked for, before it is indexed."""

REPEATED = 1 << 26
"""The most bytes of documents inside other documents, as end lines are missing, that are read; they
take about a minute."""

MARKED = b"\xef\xbb\xbf#begin document"
"""The beginning of a file whose first document the reference does not see: a byte-order mark."""


class Conll2012Content(EntryContent):
    """The rest of a document, for which its lines are read again."""

    def words(self) -> Words | None:
        """Read the column after the numbers of the tokens, else the fourth of five or more.

        A line of fewer columns gives an empty word, and a document of such lines none.
        """
        from conll.columns import words_in

        return words_in(self.body())

    def fields(self) -> dict[str, Any]:
        from conll.formats._conll2012_write import fields_of

        return fields_of(self.body())

    def layers(self, _fields: Collection[str] | None = None, /) -> Layers:
        """Read the columns between the word and the predicates' arguments.

        There are none where a line lacks one of them.
        """
        from conll.formats._conll2012_write import layers

        return layers(self.body(), self.words() or [])

    def names(self) -> Sequence[Name] | None:
        from conll.formats._conll2012_write import layers

        # A column is never an empty list.
        return layers(self.body(), []).names or None

    def token_lines(self) -> list[int]:
        numbered = enumerate(self.body().split(b"\n"), self._entry.line + 1)
        return [line for line, text in numbered if text and not text.isspace()]

    def same_text(self, other: Content) -> bool:
        """Compare as in `Content`.

        Equal lines are not split, nor are lines that differ in the last column alone.
        """
        if not isinstance(other, Conll2012Content):
            return super().same_text(other)
        body, second = self.body(), other.body()
        if (b"\t" in body) != (b"\t" in second):
            return super().same_text(other)
        from conll.columns import separator_of, word_column, word_of

        separator = separator_of(body)
        lines, others = body.split(b"\n"), second.split(b"\n")
        column = word_column(lines, separator)
        if len(lines) != len(others) or column is None or column != word_column(others, separator):
            return super().same_text(other)
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


class Conll2012Source(IndexedSource):
    """One open file: an index of its documents, each read on request.

    Of several documents of one name the last is read, or the first where `first` is set; a problem
    names the others.

    Attributes:
        notes: Problems of what in the file is not read exactly as written.
    """

    def __init__(self, file: InputFile, *, first: bool = False) -> None:
        super().__init__(file)
        self.file = file.content
        # Like other formats it leaves the file at its end, so that a second use of it is noticed.
        self.file.seek(0, SEEK_END)
        self.notes = file.notes
        self._first = first
        self._problems: list[Problem] = []

    @property
    def _entries(self) -> dict[str, Entry]:
        """The index, made when it is first needed."""
        if self._by_name is None:
            stretches = (marks(chunk, offset) for offset, chunk in self._parts())
            entries = entries_of(stretches, self.size)
            _check_ends(entries, self.path)
            problems = self._index_by_name(entries, first=self._first)
            self._problems = [*self.notes, *problems]
            if self.size and not entries:
                problem = (
                    "the file holds no document; one starts with a line such as: "
                    "#begin document (name); part 000"
                )
                self._problems.append(Problem(self.path, 0, None, problem))
        return self._by_name or {}

    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
        content = Conll2012Content(self, entry)
        try:
            return read(self.body(entry), entry, self.path, errors, content=content)
        except ConllError as error:
            [cause] = self._by_cause([error], entry)
            raise cause from None

    def _other_errors(self, entry: Entry) -> list[ConllError]:
        errors: list[ConllError] = []
        self._read(entry, errors)
        [raised] = self._by_cause(errors[:1], entry)
        others = self._by_cause(errors, entry)
        # A cause in another document comes last.
        del others[0 if raised is errors[0] else -1]
        return others

    def _by_cause(self, errors: list[ConllError], entry: Entry) -> list[ConllError]:
        """Replace the errors in lines of another document by one: that this one has not ended."""
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

    def location(self, name: str) -> Entry | None:
        """Return where in the file a document lies; None where there is none."""
        return self._entries.get(name)

    def last_cell(self) -> str:
        """Return the last column of the first token."""
        name = self.first_name()
        body = b"" if name is None else self.body(self._entries[name])
        first_line = body.strip().partition(b"\n")[0]
        cells = last_column(first_line).decode("utf-8", "replace").split()
        return cells[-1] if cells else ""


def files_of(source: Source) -> list[Conll2012Source]:
    """Return the files of a source, if all of them are CoNLL-2012 files; else none."""
    # Documents that are renamed have other names in the files.
    if isinstance(source, RenamedSource):
        return []
    files = []
    for file in source.files():
        if not isinstance(file, Conll2012Source):
            return []
        files.append(file)
    return files


def open_source(path: str, *, first: bool = False) -> Conll2012Source:
    """Open a CoNLL-2011/2012 file.

    The source closes the file where it is used in a `with` statement.

    Args:
        path: The file; - for standard input.
        first: Whether the first of several documents of one name is read, and not the last:
            reference 8.01 reads the last if all documents are scored, the first if one is.

    Raises:
        OSError: The file cannot be read.
        TypeError: The path is of a wrong type.
    """
    if not hasattr(path, "__fspath__") and not isinstance(path, str):
        # Python takes a number for that of an open file.
        raise not_of_type("path", path, "text or a path")
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
        notes: list[Problem] = []
        if file.read(len(MARKED)) == MARKED:
            text = (
                "the file begins with a byte-order mark, so the document that begins there is "
                "ignored"
            )
            notes.append(Problem(path, 1, None, text, "save it as UTF-8 without the mark"))
        return Conll2012Source(InputFile(file, path, format="conll2012", notes=notes), first=first)
    except OSError as error:
        file.close()
        # An error without a name would be taken for one of the command itself.
        error.filename = path
        raise


def marks(chunk: bytes | bytearray, offset: int) -> tuple[list[Mark], int]:
    """Find the lines of a chunk that begin or end a document.

    Args:
        chunk: Whole lines.
        offset: Where the chunk begins in the file.

    Returns:
        These lines, and the number of lines of the chunk.
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
    # This runs over each byte of large files: almost all of it is in `find`.
    at = chunk.find(b"#")
    while at >= 0:
        # Other lines with a # are skipped: corpora with `Speaker#1` have one on every line.
        document = chunk.find(b" document", at)
        if document < 0:
            break
        begin = chunk.rfind(b"\n", 0, document) + 1
        stop = chunk.find(b"\n", document)
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
    """Return the documents of a file in the order of their beginnings.

    Args:
        stretches: For each stretch of the file the lines that begin or end a document, and the
            number of its lines.
        size: The number of bytes of the file.
    """
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


def read(
    body: bytes,
    entry: Entry,
    path: str,
    errors: list[ConllError] | None = None,
    *,
    content: Content | None = None,
) -> Document:
    """Read the lines of one document.

    Args:
        body: The lines.
        entry: Where they are in the file.
        path: The file.
        errors: A list to which all errors are added; the first is raised where there is none.
        content: The rest of the document.

    Raises:
        ConllError: An end has no start, or a start has no end in the document.
    """
    if b"\t" in body:
        return _read_lines(body, entry, path, b"\t", errors, content)[0]
    # Without a TAB the reference searches whole lines, where a word such as "(7)" is a mention too.
    # That is rare: read the last field only, and if brackets that touch digits are left over
    # elsewhere, read again.
    try:
        document, count = _read_lines(body, entry, path, b" ", content=content)
        if count == touching(body):
            return document
    except ConllError:
        pass
    return _read_lines(body, entry, path, b"\n", errors, content)[0]


def touching(text: bytes | bytearray) -> int:
    """Count the brackets next to a digit."""
    folded = text.translate(FOLD_DIGITS)
    return folded.count(b"(0") + folded.count(b"0)")


def _check_ends(entries: Iterable[Entry], path: str) -> None:
    """Refuse documents that contain each other over and over, as end lines are missing.

    Args:
        entries: The documents in the order of their beginnings.
        path: The file.

    Raises:
        ConllError: Their lines would be read more than once, in more than `REPEATED` bytes.
    """
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
            f"another document starts before this one has ended; {len(unended)} such documents "
            f"repeat {repeated >> 20} MiB of lines, more than {REPEATED >> 20} MiB"
        )
        advice = "add #end document before each #begin document"
        line = first.unterminated[0]
        raise ConllError(path, line, f"{problem}; {advice}", document=first.name)


def _read_lines(
    body: bytes,
    entry: Entry,
    path: str,
    separator: bytes,
    errors: list[ConllError] | None = None,
    content: Content | None = None,
) -> tuple[Document, int]:
    """Read the lines of one document with the text after their last `separator` as the cell.

    Returns:
        The document, and the number of brackets next to a digit in the cells.
    """
    mentions = Mentions(path, entry.name, errors)
    texts = body.split(b"\n")
    begin = entry.line + 1
    tokens, count = _add_lines(mentions, texts, begin, separator)
    document = mentions.document(
        tokens,
        entry.line,
        texts,
        begin,
        ended=entry.ended,
        unterminated=entry.unterminated,
        content=content,
    )
    return document, count


def _add_lines(
    mentions: Mentions, texts: list[bytes], begin: int, separator: bytes
) -> tuple[int, int]:
    """Add the brackets of lines, of which the first is line `begin`.

    This is the hot loop of a small pair: cells with a single bracket are read in place.

    Returns:
        The number of tokens, and the number of brackets next to a digit in the cells.
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
                cluster = numbers.get(label)
                if cluster is None:
                    cluster = mentions.new(label)
                clusters[cluster].append((token, token))
                places[cluster].append(line)
                continue
            label = cell[:-1]
            if label.isdigit():
                count += 1
                if not stacks.get(label):
                    mentions.refuse(label, line, text)
                    continue
                start, first_line = stacks[label].pop()
                cluster = numbers[label]
                clusters[cluster].append((start, token))
                places[cluster].append(first_line)
                continue
        elif cell.startswith(b"(") and cell[1:].isdigit():
            count += 1
            mentions.start(cell[1:], token, line)
            continue
        if text.isspace():
            blank += 1
            continue
        count += _add_line(mentions, text, separator, token, line)
    return len(texts) - blank, count


def _add_line(mentions: Mentions, text: bytes, separator: bytes, token: int, line: int) -> int:
    """Add the brackets of a line with any cell, and return how many are next to a digit."""
    cell = last_column(text) if separator == b"\t" else text[text.rfind(separator) + 1 :]
    count = touching(cell)
    if count:
        mentions.add(parse(cell), token, line, text)
    return count


def sniff(head: bytes) -> bool:
    """Return whether a file has documents as reference 8.01 reads them, and no other format."""
    from conll.columns import kind_of

    return kind_of(head) == "conll2012"


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write documents with TAB between the columns.

    Columns are document, part, number of the token in its sentence, word, those of `fields`, and
    coreference. They are never separated by spaces, since in a line without a TAB the reference
    searches the words for brackets, too. Clusters keep their labels where all of them are numbers;
    otherwise they are numbered. Empty clusters and double antecedents are left out.

    Raises:
        ConllError: Mentions of one cluster cross or meet in a token, or a name or a word does not
            fit.
    """
    from conll.formats._conll2012_write import text_of

    texts = (
        text_of(document, holds_label=holds_label, holds_word=holds_word) for document in documents
    )
    file.writelines(texts)


def holds_field(document: Document, field: str) -> bool:
    """Return whether a field of a document is a column."""
    from conll.formats._conll2012_write import cells_of

    return cells_of(document, field) is not None


FORMAT = Format(
    "conll2012",
    "CoNLL-2011/2012 columns, documents begin with a line #begin document NAME",
    sniff=sniff,
    open=Conll2012Source,
    write=write,
    holds=Holds(
        names=False,
        ordered=False,
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
