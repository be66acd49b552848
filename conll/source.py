# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""An open file of documents: which documents there are, and each when it is asked for."""

from __future__ import annotations

import errno
import sys
from abc import ABC, abstractmethod
from itertools import chain

from conll.errors import ConllError, Problem, pluralize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO

    from conll.document import Document, Layers, Mention, Words


class Source(ABC):
    """The documents of one file, or of a directory of files.

    `path` names it in messages, `size` is its length in bytes.
    """

    path: str
    size: int
    format: str = ""
    """Name of the format in which it is read; `open_documents` fills it."""
    content: BinaryIO | None = None
    """The file itself, unpacked; `open_documents` fills it."""
    odd: Sequence[str] = ()
    """What in the file is not read exactly as written, see `conll.io.oddities`;
    `open_documents` fills it."""
    loose: bool = False
    """Whether the words are a model's, and only about those of a key."""
    unnamed: Collection[str] = ()
    """The names of documents that have none in the file: their places in it, or its own name."""
    joined: str = ""
    """The mapping by which the names are those of a key, see `conll.joining`; empty where the file
    gives them."""
    bare: Problem | None = None
    """That nothing in the file can hold a mention, if so: an error where its format was named."""
    recognised: bool = False
    """Whether its format was recognised by the words of its key; `open_documents` fills it."""
    reopen: Callable[[], Source] | None = None
    """How another process opens the same path; None for a stream. `open_documents` fills it."""

    @abstractmethod
    def names(self) -> list[str]:
        """Names of the documents in file order, each once."""

    def first_name(self) -> str | None:
        """Return the name of the first document, quickly; None where there is none."""
        return next(iter(self.names()), None)

    @abstractmethod
    def document(self, name: str) -> Document | None:
        """The document called `name`, None when there is none; ConllError when it is malformed."""

    def errors(self, name: str) -> list[ConllError]:
        """Everything that keeps that document from being read: the first error, unless a source knows more of them."""
        try:
            self.document(name)
        except ConllError as error:
            return [error]
        return []

    @abstractmethod
    def line_of(self, name: str) -> int:
        """The line (from 1) on which that document begins; 0 when there is none."""

    @abstractmethod
    def problems(self) -> list[Problem]:
        """What is odd about the file as a whole.

        What is odd about a document shows when that is read.
        """

    def as_response(self) -> Source:
        """Read the source as a response from now on: the predictions, if it also holds the key."""
        return self

    def called(self, base: str) -> Source:
        """Return the source with other names for the documents that have none in the file.

        Args:
            base: The name of such a document; of one of several, its place in the file follows.
        """
        if not self.unnamed:
            return self
        names = self.names()
        own_names = {}
        for name in names:
            if name not in self.unnamed:
                own_names[name] = name
            else:
                own_names[base if len(names) == 1 else f"{base}/{name}"] = name
        return RenamedSource(self, own_names)

    def file_of(self, name: str) -> Source:  # noqa: ARG002  a source of several files looks at the name
        """The source of the one file that holds that document.

        This source when there is no such document.
        """
        return self

    def words(self, name: str) -> Words | None:  # noqa: ARG002  what a source without words answers
        """The words of that document, sentence by sentence.

        None when there is no such document or its words are not known.
        """
        return None

    def fields(self, name: str) -> dict[str, Any]:  # noqa: ARG002  what a source without further fields answers
        """What else the file says of that document, by the names of fields of JSON lines.

        None for what only this file can hold.

        `predicted_clusters` are those of the response in a file that holds a key, too.
        """
        return {}

    def text_of(self, name: str) -> list[str] | None:
        """The same words one after the other."""
        words = self.words(name)
        return None if words is None else [*chain.from_iterable(words)]

    def layers(self, name: str) -> Layers | None:
        """What the file says of that document beside coreference.

        None when there is no such document or no words are known.
        """
        words = self.words(name)
        if words is None:
            return None
        from conll.document import Layers

        return Layers(words)

    def layers_of(
        self,
        document: Document,
        fields: Collection[str] = (),  # noqa: ARG002  what a source that reads all layers ignores
        *,
        names: bool = False,  # noqa: ARG002  as above
    ) -> Layers | None:
        """Return layers of a document that was read: at least these fields, and `names`.

        What was not asked for, and the sentences, may be left out, which makes it quicker. Where no
        word is known, there is still what the file says of its mentions and names.
        """
        return self.layers(document.name)

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:  # noqa: ARG002  few formats can list none at all
        """Return whether a document lists named entities or, with `empty`, has a list of them.

        What a source without such lists need not look for.
        """
        found = (self.layers(name) for name in names)
        return any(layers is not None and layers.names for layers in found)

    def antecedents(self, name: str) -> Mapping[Mention, Mention]:  # noqa: ARG002  what a source that tells no links answers
        """Return the antecedent of each mention of a document for which the file gives one."""
        return {}

    def has_predictions(self) -> bool:
        """Return whether the file holds the clusters of a response besides those of a key."""
        return False

    def last_cell(self) -> str:
        """Return the last column of the first token; empty where the format has no such columns."""
        return ""

    def subtoken_map(self, name: str) -> Sequence[int]:  # noqa: ARG002  what a source without subtokens answers
        """Return the word of each subtoken of a document whose mentions are read as counted in words.

        Nothing where the file does not say it, or mentions are mapped to words already.
        """
        return ()

    def repairs(self, name: str) -> list[Problem]:  # noqa: ARG002  what a source that repairs nothing answers
        """Return what was repaired in a document, once it has been read."""
        return []

    def same_text(self, other: Source, name: str) -> bool:
        """Whether a quick look shows that both sources have that document with the same words.

        False proves nothing.
        """
        words = self.words(name)
        return words is not None and words == other.words(name)

    def same_words(self, document: Document, other: Document) -> bool:  # noqa: ARG002  what a source says that keeps no words
        """The same of a document of this source that was read and one of any.

        False proves nothing.
        """
        return False

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        """The lines (from 1) of those tokens (from 0) of that document that it has."""
        # Where a document is one line of its file, that is the line of all its tokens.
        line = self.line_of(name)
        return dict.fromkeys(tokens, line) if line else {}

    def extent(self, name: str) -> int:  # noqa: ARG002  what a source that does not know answers
        """About how many bytes that document takes.

        0 when there is no such document or its size is not known.
        """
        return 0

    def chunks(self) -> Iterator[bytes]:
        """The unpacked bytes of the file from its beginning, piece by piece.

        Several files come one after the other.
        """
        if self.content is not None:
            self.content.seek(0)
            while chunk := self.content.read(1 << 20):
                yield chunk

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The path of each file and its `chunks`."""
        yield self.path, self.chunks()


def _ask_source(method: str, missing: Any) -> Any:
    """Return a method of `RenamedSource` that asks the source about a document by its own name.

    Args:
        method: The name of the method of `Source`, which is given the name of a document.
        missing: What to answer where there is no such document.
    """

    def ask(self: RenamedSource, name: str, *arguments: Any) -> Any:
        if name not in self.own_names:
            return missing
        return getattr(self.source, method)(self.own_names[name], *arguments)

    return ask


class RenamedSource(Source):
    """A source whose documents have other names.

    Args:
        source: The source as it is.
        own_names: The name of each document in the source, by its name here.
    """

    def __init__(self, source: Source, own_names: Mapping[str, str]) -> None:
        self.path, self.size, self.format = source.path, source.size, source.format
        self.content, self.odd, self.reopen = source.content, source.odd, source.reopen
        self.loose, self.bare, self.recognised = source.loose, source.bare, source.recognised
        self.unnamed = {name for name, own in own_names.items() if own in source.unnamed}
        self.source = source
        self.own_names = own_names

    def names(self) -> list[str]:
        return list(self.own_names)

    def as_response(self) -> Source:
        self.source.as_response()
        return self

    def problems(self) -> list[Problem]:
        names = {own: name for name, own in self.own_names.items()}
        return [
            _copy_with(problem, document=names.get(problem.document or "", problem.document))
            for problem in self.source.problems()
        ]

    def document(self, name: str) -> Document | None:
        if name not in self.own_names:
            return None
        document = self.source.document(self.own_names[name])
        return None if document is None else _copy_with(document, name=name)

    def file_of(self, name: str) -> Source:
        file = self.source.file_of(self.own_names.get(name, name))
        return self if file is self.source else RenamedSource(file, self.own_names)

    def layers_of(
        self, document: Document, fields: Collection[str] = (), *, names: bool = False
    ) -> Layers | None:
        own = _copy_with(document, name=self.own_names[document.name])
        return self.source.layers_of(own, fields, names=names)

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:
        own = [self.own_names[name] for name in names if name in self.own_names]
        return self.source.lists_names(own, empty=empty)

    def chunks(self) -> Iterator[bytes]:
        return self.source.chunks()

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        return self.source.contents()

    def last_cell(self) -> str:
        return self.source.last_cell()

    def has_predictions(self) -> bool:
        return self.source.has_predictions()

    line_of = _ask_source("line_of", 0)
    words = _ask_source("words", None)
    fields = _ask_source("fields", {})
    layers = _ask_source("layers", None)
    antecedents = _ask_source("antecedents", {})
    repairs = _ask_source("repairs", [])
    subtoken_map = _ask_source("subtoken_map", ())
    errors = _ask_source("errors", [])
    lines_of = _ask_source("lines_of", {})
    extent = _ask_source("extent", 0)


def _copy_with(value: Any, **attributes: str | None) -> Any:
    """Return a copy that differs in these attributes."""
    from copy import copy  # late, as most runs rename nothing

    copied = copy(value)
    for name, attribute in attributes.items():
        setattr(copied, name, attribute)
    return copied


class Entry:
    """Where one document lies in its file.

    `line` is the line (from 1) on which it begins; `body` and `stop` are the byte offsets of what
    is read as its content. `ended` says whether there is a line that ends it, `unterminated` holds the
    first line inside that begins another document, if any: keeping them all would be quadratic in
    the number of documents of a file without end lines. `declared` is the last declaration of what
    the file holds that stands before the document, in formats built like CoNLL-U.
    """

    __slots__ = ("body", "declared", "ended", "line", "name", "stop", "unterminated")

    def __init__(
        self, name: str, line: int, body: int, stop: int = -1, *, declared: str = ""
    ) -> None:
        self.name = name
        self.line = line
        self.body = body
        self.stop = stop
        self.ended = False
        self.unterminated: list[int] = []
        self.declared = declared


def index(
    entries: Iterable[Entry], path: str, *, first: bool = False
) -> tuple[dict[str, Entry], list[Problem]]:
    """Index documents by name, and note those not read because others share their names.

    Of several of one name the last is read, as reference 8.01 does, or with `first` the first.
    """
    entries = list(entries)
    by_name: dict[str, Entry] = {}
    for entry in entries:
        if not (first and entry.name in by_name):
            by_name[entry.name] = entry
    unread = [entry for entry in entries if by_name[entry.name] is not entry]
    text = "another document has the same name (line {}); that one is read, this one is not"
    return by_name, [
        Problem(path, entry.line, entry.name, text.format(by_name[entry.name].line))
        for entry in unread
    ]


class IndexedSource(Source):
    """A source that knows where each document lies in one file, and reads it on request.

    `_by_name` is the index; whoever leaves it None at first overrides `_entries`, which makes it.
    """

    _file: BinaryIO
    _by_name: dict[str, Entry] | None = None
    _problems: list[Problem]

    @property
    def _entries(self) -> dict[str, Entry]:
        return self._by_name or {}

    def names(self) -> list[str]:
        return list(self._entries)

    def line_of(self, name: str) -> int:
        entry = self._entries.get(name)
        return 0 if entry is None else entry.line

    def problems(self) -> list[Problem]:
        return self._problems

    def extent(self, name: str) -> int:
        entry = self._entries.get(name)
        return 0 if entry is None else entry.stop - entry.body

    def body(self, entry: Entry) -> bytes:
        """Read the content of a document."""
        self._file.seek(entry.body)
        return self._file.read(entry.stop - entry.body)


CHUNK = 1 << 20
"""Bytes read at a time while a file is indexed."""


def chunks_of(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Read a file in parts of whole lines, each with its offset.

    Others may read from the file meanwhile.
    """
    offset = 0
    while True:
        file.seek(offset)
        chunk = file.read(CHUNK) + file.readline()
        if not chunk:
            return
        yield offset, chunk
        offset += len(chunk)


def here_and(lines: list[int], noun: str) -> str:
    """Where a problem occurs whose first place is named already: here, and in how many others."""
    others = len(lines) - 1
    return f"here and in {pluralize(others, f'other {noun}')}" if others else "here"


def standard_input() -> BinaryIO:
    """Standard input as a binary file; OSError where the caller has closed it."""
    stdin: Any = sys.stdin
    if stdin is None:
        raise OSError(errno.EBADF, "it is closed", "<stdin>")
    file: BinaryIO = getattr(stdin, "buffer", stdin)
    return file
