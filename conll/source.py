# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Sources: open files of documents, each of which is read when it is asked for."""

from __future__ import annotations

import errno
import sys
from abc import ABC, abstractmethod
from io import SEEK_END

from conll.document import Content, Document, copy_with
from conll.errors import ConllError, Place, Problem, pluralize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO, Self

    from conll.errors import Side


class InputFile:
    """An open file, and what is known of it before its format reads it.

    Attributes:
        content: The file, uncompressed and seekable, with newlines as line ends.
        path: Its name in messages.
        format: The name of its format.
        is_named: Whether the user named that format.
        is_recognised: Whether the format was recognised by the words of the key.
        original: The uncompressed file as it is.
        notes: What in the file is not read exactly as written.
        companion: The content of the file next to it, where the format has one.
        reopen: How another process opens the same path; None for a stream.
    """

    def __init__(  # noqa: PLR0913  a record of the fast path
        self,
        content: BinaryIO,
        path: str,
        *,
        format: str = "",  # noqa: A002  as `Source.format`
        is_named: bool = False,
        is_recognised: bool = False,
        original: BinaryIO | None = None,
        notes: Sequence[Problem] = (),
        companion: bytes | None = None,
        reopen: Callable[[], Source] | None = None,
    ) -> None:
        self.content = content
        self.path = path
        self.format = format
        self.is_named = is_named
        self.is_recognised = is_recognised
        self.original: BinaryIO = original or content
        self.notes = notes
        self.companion = companion
        self.reopen = reopen

    def chunks(self) -> Iterator[bytes]:
        """Read the uncompressed bytes as they are, from the beginning, piece by piece."""
        self.original.seek(0)
        while chunk := self.original.read(CHUNK):
            yield chunk


class Source(ABC):
    """The documents of one file, or of a directory of files.

    A reader of a format gives `names` and `read`; everything else has a plain default. A source is
    iterable over its documents, and has their number as its length.

    Attributes:
        path: Its name in messages.
        size: The number of its bytes.
        format: The name of the format in which it is read.
        loose: Whether the words are a model's, and only about those of a key.
        unnamed: The names of documents that have none in the file: their numbers in it, or its own
            name.
        joined: The mapping by which the names are those of a key, see `conll.joining`; empty where
            the file gives them.
        has_predictions: Whether it holds the clusters of a response besides those of a key.
        reopen: How another process opens the same path; None for a stream.
    """

    path: str = ""
    size: int = 0
    format: str = ""
    loose: bool = False
    unnamed: Collection[str] = ()
    joined: str = ""
    has_predictions: bool = False
    reopen: Callable[[], Source] | None = None
    _input: InputFile | None = None

    def __init__(self, file: InputFile) -> None:
        self.path = file.path
        self.format = file.format
        self.reopen = file.reopen
        self.size = file.content.seek(0, SEEK_END)
        file.content.seek(0)
        self._input = file

    @abstractmethod
    def names(self) -> list[str]:
        """List the names of the documents in file order, each once."""

    @abstractmethod
    def read(self, name: str) -> Document | None:
        """Read the document called `name`; None when there is none.

        Raises:
            ConllError: It is malformed.
        """

    def problems(self) -> list[Problem]:
        """List what is irregular about the file as a whole.

        What is irregular about a document shows when that is read.
        """
        return []

    def files(self) -> list[Source]:
        """List the sources of its single files, with the names of documents as in the files."""
        return [self]

    def chunks(self) -> Iterator[bytes]:
        """Read the uncompressed bytes of its files one after the other, piece by piece."""
        if self._input is not None:
            yield from self._input.chunks()

    def as_response(self) -> Source:
        """Return the source read as a response: its predictions, if it also holds the key."""
        return self

    def _place(self, name: str) -> Place:
        """Return the line of a file on which a document begins.

        A source that has an index need not read the document.
        """
        try:
            document = self.read(name)
        except ConllError as error:
            return Place(error.path, error.line)
        return Place(self.path, 0) if document is None else Place(document.path, document.line)

    def _named_after(self, base: str) -> Source:
        """Return the source with other names for the documents that have none in the file."""
        if not self.unnamed:
            return self
        names = self.names()
        own_names = {}
        for name in names:
            if name not in self.unnamed:
                own_names[name] = name
            elif len(names) == 1:
                own_names[base] = name
            else:
                own_names[f"{base}/{name}"] = name
        return RenamedSource(self, own_names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for source in self.files():
            opened = source._input  # noqa: SLF001  of this class
            if opened is not None:
                opened.content.close()
                opened.original.close()

    def __iter__(self) -> Iterator[Document]:
        for name in self.names():
            document = self.read(name)
            if document is not None:
                yield document

    def __len__(self) -> int:
        return len(self.names())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in INTERNAL]

    def __repr__(self) -> str:
        documents = pluralize(len(self), "document")
        return f"<{type(self).__name__} {self.path!r}, {self.format or 'no format'}: {documents}>"


INTERNAL = {
    *("body", "file", "first_name", "has_predictions", "joined", "last_cell", "location", "loose"),
    *("notes", "divided", "numbered", "reopen", "response", "sources"),
    *("with_sources", "attributes", "declaration", "first_mentions", "line_in", "clusters_of"),
    "is_exclusive",
}
"""Members that only other modules of this program need, which `dir` leaves out."""


def place_of(source: Source, name: str, side: Side = "") -> Place:
    """Return the line of a file on which a document begins, as quickly as the source knows it."""
    place = source._place(name)  # noqa: SLF001  this is the door to it
    return Place(place.path, place.line, side)


class DerivedSource(Source):
    """The documents of another source in another form.

    Args:
        source: The source as it is.
    """

    def __init__(self, source: Source) -> None:
        self.path, self.size, self.format = source.path, source.size, source.format
        self.loose, self.has_predictions = source.loose, source.has_predictions
        self._source = source

    def files(self) -> list[Source]:
        return self._source.files()

    def chunks(self) -> Iterator[bytes]:
        return self._source.chunks()


class RenamedSource(DerivedSource):
    """A source whose documents have other names.

    Args:
        source: The source as it is.
        own_names: The name of each document in the source, by its name here.
    """

    def __init__(self, source: Source, own_names: Mapping[str, str]) -> None:
        super().__init__(source)
        self.reopen = source.reopen
        self.unnamed = {name for name, own in own_names.items() if own in source.unnamed}
        self._own_names = own_names

    def names(self) -> list[str]:
        return list(self._own_names)

    def read(self, name: str) -> Document | None:
        if name not in self._own_names:
            return None
        document = self._source.read(self._own_names[name])
        return None if document is None else copy_with(document, name=name)

    def problems(self) -> list[Problem]:
        names = {own: name for name, own in self._own_names.items()}
        renamed = []
        for problem in self._source.problems():
            own = problem.document or ""
            renamed.append(copy_with(problem, document=names.get(own, problem.document)))
        return renamed

    def as_response(self) -> Source:
        return RenamedSource(self._source.as_response(), self._own_names)

    def _place(self, name: str) -> Place:
        return place_of(self._source, self._own_names.get(name, ""))


def named_after(source: Source, base: str) -> Source:
    """Return a source with other names for the documents that have none in the file.

    Args:
        source: The source.
        base: The name of such a document; of one of several, its number in the file follows.
    """
    return source._named_after(base)  # noqa: SLF001  this is the door to it


def first_name(source: Source) -> str | None:
    """Return the name of the first document, quickly; None where there is none."""
    if isinstance(source, IndexedSource):
        return source.first_name()
    return next(iter(source.names()), None)


class Entry:
    """The place of one document in its file.

    `line` is the line (from 1) on which it begins; `body` and `stop` are the byte offsets of what
    is read as its content. `ended` says whether there is a line that ends it, `unterminated` holds
    the first line inside that begins another document, if any: keeping them all would be quadratic
    in the number of documents of a file without end lines. `declared` is the last declaration
    before the document of the contents of the file, in formats built like CoNLL-U.
    """

    __slots__ = ("body", "declared", "ended", "line", "name", "stop", "unterminated")

    def __init__(
        self, name: str, line: int, body: int, stop: int = -1, *, declared: str = ""
    ) -> None:
        self.name: str = name
        self.line: int = line
        self.body: int = body
        self.stop: int = stop
        self.ended: bool = False
        self.unterminated: list[int] = []
        self.declared: str = declared


class IndexedSource(Source):
    """A source that knows where each document lies in one file, and reads it on request.

    `_by_name` is the index; a class that leaves it None at first overrides `_entries`, which makes
    it.
    """

    _by_name: dict[str, Entry] | None = None
    _problems: list[Problem]

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self._file = file.content
        self.unnamed: set[str] = set()
        self._nameless: list[int] = []
        """The lines on which documents without a name begin."""

    @property
    def _entries(self) -> dict[str, Entry]:
        return self._by_name or {}

    def names(self) -> list[str]:
        return list(self._entries)

    def read(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        try:
            return self._read(entry)
        except ConllError as error:
            error.find_others = lambda: self._other_errors(entry)
            raise

    @abstractmethod
    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
        """Read a document; with a list for `errors`, add those of brackets to it and raise none."""

    def _other_errors(self, entry: Entry) -> list[ConllError]:
        """List the errors of a malformed document but for the one that is raised."""
        errors: list[ConllError] = []
        try:
            self._read(entry, errors)
        except ConllError as error:
            errors.append(error)
        return errors[1:]

    def first_name(self) -> str | None:
        """Return the name of the first document; None where there is none."""
        return next(iter(self._entries), None)

    def problems(self) -> list[Problem]:
        return self._problems

    def body(self, entry: Entry) -> bytes:
        """Read the content of a document."""
        self._file.seek(entry.body)
        return self._file.read(entry.stop - entry.body)

    def _index_by_name(self, entries: Iterable[Entry], *, first: bool = False) -> list[Problem]:
        """Index documents, and return which are not read because others share their names.

        Of several of one name the last is read, as reference 8.01 does, or with `first` the first.
        """
        entries = list(entries)
        self._by_name = by_name = {}
        for entry in entries:
            if not (first and entry.name in by_name):
                by_name[entry.name] = entry
        unread = [entry for entry in entries if by_name[entry.name] is not entry]
        text = "another document has the same name (line {}); that one is read, this one is not"
        return [
            Problem(self.path, entry.line, entry.name, text.format(by_name[entry.name].line))
            for entry in unread
        ]

    def _parts(self) -> Iterator[tuple[int, bytes]]:
        """Read the file in parts of whole lines, each with its offset.

        Others may read from the file meanwhile.
        """
        offset = 0
        while True:
            self._file.seek(offset)
            chunk = self._file.read(CHUNK) + self._file.readline()
            if not chunk:
                return
            yield offset, chunk
            offset += len(chunk)

    def _name_or_number(self, name: str | None, number: int, line: int) -> str:
        """Return the name of the document that begins on a line, its number where it has none."""
        if name is None:
            self._nameless.append(line)
            name = str(number)
            self.unnamed.add(name)
        return name

    def _note_on_names(self, missing: str) -> list[Problem]:
        """Return the problem that documents without a name are numbered, if there are any."""
        if not self._nameless:
            return []
        text = f"no {missing} {here_and(self._nameless, 'document')}"
        text = f"{text}: documents are named 1, 2, ... in file order"
        return [Problem(self.path, self._nameless[0], None, text)]

    def _place(self, name: str) -> Place:
        entry = self._entries.get(name)
        return Place(self.path, 0 if entry is None else entry.line)


class EntryContent(Content):
    """The rest of a document, for which its place in the file is read again."""

    def __init__(self, source: IndexedSource, entry: Entry) -> None:
        self._source = source
        self._entry = entry

    def body(self) -> bytes:
        """Read the content of the document."""
        return self._source.body(self._entry)

    def extent(self) -> int:
        return self._entry.stop - self._entry.body


CHUNK = 1 << 20
"""Bytes read at a time while a file is indexed."""


def here_and(lines: list[int], noun: str) -> str:
    """Say that a problem occurs here, where its first line is named already, and how often else."""
    others = len(lines) - 1
    return f"here and in {pluralize(others, f'other {noun}')}" if others else "here"


def standard_input() -> BinaryIO:
    """Return standard input as a binary file; OSError where the caller has closed it."""
    stdin: Any = sys.stdin
    if stdin is None:
        raise OSError(errno.EBADF, "it is closed", "<stdin>")
    file: BinaryIO = getattr(stdin, "buffer", stdin)
    return file
