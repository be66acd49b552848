"""Opening whatever a user points at: a file in any format, compressed or not, a stream, a directory of files."""

from __future__ import annotations

import io
import os
import sys
from typing import IO, TYPE_CHECKING

from conll import formats
from conll.errors import ConllError, Problem
from conll.files import BUFFER, RestingFile, head_of, open_whole, unpack
from conll.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conll.document import Document, Words


def open_documents(
    file: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002  the word of the options
    *,
    called: str | None = None,
) -> Source:
    """Open a file of coreference, in the `format` of that name or in the one that its content shows.

    `file` is a path, `-` for standard input, an open file (binary or text), or the path of a directory, which stands for all
    files below it but the hidden ones. Files that gzip, bzip2 or xz have compressed are unpacked. An open file must stay open
    for as long as the source is in use. `called`: what names it in messages, where that is not its path.

    Raises OSError when a file cannot be opened, ConllError when it is empty, in no known format, or malformed as a whole, and
    ValueError when there is no format of that name.

    >>> from io import StringIO
    >>> source = open_documents(StringIO('{"doc_key": "a", "clusters": [[[0, 1], [3, 3]]]}'))
    >>> source.names()
    ['a']
    >>> source.document("a").clusters
    [[(0, 1), (3, 3)]]
    """
    if not isinstance(file, (str, os.PathLike)):
        name = getattr(file, "name", None)
        return _open(file, called or (name if isinstance(name, str) else "<file>"), format)
    path = os.fspath(file)
    if path == "-":
        return _open(getattr(sys.stdin, "buffer", sys.stdin), called or "<stdin>", format)
    return DirectorySource(path, format, called=called) if os.path.isdir(path) else _open_path(path, format, called or path)


def _open_path(path: str, format: str | None, called: str) -> Source:  # noqa: A002
    resting = RestingFile(path)
    if not resting.seekable():
        with resting:
            return _open(io.BytesIO(resting.readall()), called, format)
    # The buffers of all files of a directory are there at once, so each is small; what is read at a time is larger anyway.
    source = _open(io.BufferedReader(resting, BUFFER), called, format)
    resting.rest()
    return source


def _open(file: IO[bytes] | IO[str], path: str, name: str | None) -> Source:
    content = unpack(open_whole(file, path), path)
    head = head_of(content, path)
    name = name or formats.detect(head, path)
    source = formats.get(name).open(content, path)
    source.content = content
    source.format = name
    return source


class DirectorySource(Source):
    """All files below a directory but the hidden ones, one after the other in the order of their paths.

    Of documents of one name in several files the last is read; a problem names the others.
    """

    def __init__(self, path: str, format: str | None = None, *, called: str | None = None) -> None:  # noqa: A002
        self.path = path if called is None else called
        self.sources = [_open_path(file, format, self.path + file[len(path) :]) for file in files_below(path)]
        if not self.sources:
            raise ConllError(self.path, 0, "the directory holds no files")
        self.size = sum(source.size for source in self.sources)
        self.format = "+".join(sorted({source.format for source in self.sources}))
        self._problems: list[Problem] = []
        self._holders: dict[str, Source] = {}
        for source in self.sources:
            self._problems += source.problems()
            for name in source.names():
                unread = self._holders.get(name)
                self._holders[name] = source
                if unread is not None:
                    place = f"{source.path}:{source.line_of(name)}"
                    problem = f"another document has the same name ({place}); that one is read, this one is not"
                    self._problems.append(Problem(unread.path, unread.line_of(name), name, problem))

    def names(self) -> list[str]:
        return list(self._holders)

    def document(self, name: str) -> Document | None:
        source = self._holders.get(name)
        return None if source is None else source.document(name)

    def line_of(self, name: str) -> int:
        source = self._holders.get(name)
        return 0 if source is None else source.line_of(name)

    def problems(self) -> list[Problem]:
        return self._problems

    def as_response(self) -> Source:
        for source in self.sources:
            source.as_response()
        return self

    def file_of(self, name: str) -> Source:
        return self._holders.get(name, self)

    def words(self, name: str) -> Words | None:
        source = self._holders.get(name)
        return None if source is None else source.words(name)

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        source = self._holders.get(name)
        return {} if source is None else source.lines_of(name, tokens)

    def chunks(self) -> Iterator[bytes]:
        for source in self.sources:
            yield from source.chunks()


def files_below(path: str) -> list[str]:
    """The paths of all files below a directory, sorted; without those whose name, or a folder's name, begins with a dot."""
    found: list[str] = []
    seen: set[str] = set()
    for folder, folders, files in os.walk(path, followlinks=True, onerror=_raise):
        # A link may lead back to where it stands.
        seen.add(os.path.realpath(folder))
        folders[:] = [name for name in folders if name[0] != "." and os.path.realpath(os.path.join(folder, name)) not in seen]
        found += [os.path.join(folder, name) for name in files if name[0] != "."]
    return sorted(found)


def _raise(error: OSError) -> None:
    raise error
