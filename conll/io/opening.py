"""Opening whatever a user points at: a file in any format, compressed or not, a stream, a directory of files."""

from __future__ import annotations

import errno
import io
import os
import stat
from functools import partial

from conll import formats
from conll.errors import ConllError, EmptyFileError, Place, Problem, UnknownFormatError
from conll.io.files import (
    Budget,
    RestingFile,
    archive_of,
    head_of,
    is_packed,
    oddities,
    open_itself,
    open_url,
    open_whole,
    plain,
    unpack,
)
from conll.io.placed import BUFFER
from conll.source import Source, standard_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import IO, Any, BinaryIO

    from conll.document import Document, Layers, Mention, Words

PASSED_OVER = "no known format begins like this; the file is passed over"


def open_documents(
    file: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    *,
    name: str | None = None,
    limit: int | None = None,
    passed_over: Collection[str] = (),
    among: Collection[tuple[int, int]] | None = None,
    empty: bool = False,
) -> Source:
    """Open a file of coreference, in the named `format`, or in the one that its content shows.

    `file` is a path, `-` for standard input, an open file (binary or text), or the path of a directory, which stands for all
    files below it except hidden ones. A path with `://` in it is a URL, of a file or a directory, for fsspec. Files compressed with
    gzip, bzip2 or xz are unpacked, and so are zip archives, which stand for their files as a directory does. An open file must
    stay open for as long as the source is in use. Messages call it `name`, by default its path. `limit` is the most bytes that
    there may be to read in all, unpacked. In a directory, files and folders whose name is in `passed_over` are skipped, as hidden
    ones are. Unless a `format` is named, so are files of a directory or an archive that begin like no known format, as long as
    there are others that can be read; a problem names each of them. `among` are the files that may
    be read, as `check_regular` returns them, where others may have been put in their place since. With `empty`, an empty file is a
    source without documents, and a problem says so.

    Raises OSError when a file cannot be opened; ConllError when it is empty, in no known format, malformed as a whole, larger
    than the limit, or an archive that cannot be trusted; ValueError when there is no format of that name; and ModuleNotFoundError
    when a package that a URL needs is not installed.

    >>> from io import StringIO
    >>> source = open_documents(StringIO('{"doc_key": "a", "clusters": [[[0, 1], [3, 3]]]}'))
    >>> source.names()
    ['a']
    >>> source.document("a").clusters
    [[(0, 1), (3, 3)]]
    """
    opener = _Opener(format, limit, among, empty)
    if not isinstance(file, (str, os.PathLike)):
        own = getattr(file, "name", None)
        return opener.open(file, name or (own if isinstance(own, str) else "<file>"))
    path = os.fspath(file)
    if path == "-":
        return opener.open(standard_input(), name or "<stdin>")
    files = files_in(path, passed_over)
    source: Source
    if files is None:
        source = opener.open_path(path, name or path)
    else:
        folder = path.rstrip("/") if "://" in path else path
        named = [(one, os.path.join(name, os.path.relpath(one, folder)) if name else one) for one in files]
        source = _directory(name or path, [partial(opener.open_path, *one) for one in named])
    source.reopen = partial(open_documents, path, format, name=name, limit=limit, passed_over=passed_over, empty=empty)
    return source


def reopening(source: Source) -> Source | Callable[[], Source]:
    """What to send to another process so that it has the same source: how to open its path, else its bytes, else itself."""
    if source.reopen is not None:
        return source.reopen
    if source.format == "memory":
        return source
    files: list[Source] = getattr(source, "sources", [source])
    return partial(_open_sent, source.path, [(one.path, one.format, b"".join(one.chunks())) for one in files])


def _open_sent(path: str, files: Iterable[tuple[str, str, bytes]]) -> Source:
    opened = [open_documents(io.BytesIO(content), form, name=name, empty=True) for name, form, content in files]
    return opened[0] if len(opened) == 1 else DirectorySource(path, opened)


class _Opener:
    """Opens files in one format, all of them together within one limit."""

    def __init__(self, format: str | None, limit: int | None, among: Collection[tuple[int, int]] | None, empty: bool) -> None:  # noqa: A002
        self._format = format
        self._among = among
        self._empty = empty
        self._limit = limit
        self._budget = None if limit is None else Budget(limit)

    def open_path(self, path: str, name: str) -> Source:
        if "://" in path:
            return self.open(open_url(path, self._limit), name)
        raw = RestingFile(path) if self._among is None else _one_of(self._among, path, name)
        if not raw.seekable():
            with raw:
                return self.open(io.BytesIO(self._all_of(raw)), name)
        # All files of a directory have their buffers at the same time, so each is small; larger reads go past it anyway.
        source = self.open(io.BufferedReader(raw, BUFFER), name)
        raw.rest()
        return source

    def open(self, file: IO[bytes] | IO[str], name: str) -> Source:
        content = open_whole(file, name)
        beginning = _beginning(content)
        if archive_of(beginning) == "zip":
            from conll.io.archives import unpack_archive

            self._spend(content, name, again=True)
            members = unpack_archive(content, name, self._budget)
            if len(members) == 1:
                return self._open_content(members[0][1], members[0][0])
            return _directory(name, [partial(self._open_content, one, path) for path, one in members])
        if not is_packed(beginning):
            self._spend(content, name)
        return self._open_content(content, name)

    def _open_content(self, file: BinaryIO, path: str) -> Source:
        content = unpack(file, path, self._budget)
        kind = archive_of(_beginning(content))
        if kind is not None:
            inside = ", and archives in other files are not unpacked" if kind == "zip" else ""
            raise ConllError(path, 0, f"this is a {kind} archive{inside}; send the files, or one zip archive of them")
        odd = oddities(content)
        text = plain(content, odd)
        try:
            head = head_of(text, path)
        except EmptyFileError as error:
            if not self._empty:
                raise
            format = "conll2012"  # noqa: A001  no other format takes a file without anything in it
            source = formats.get(format).open(io.BytesIO(), path)
            source.problems().append(Problem(path, 0, None, error.problem, "it is read as a response without documents"))
        else:
            format = self._format or formats.detect(head, path)  # noqa: A001
            form = formats.get(format)
            source = form.open(text, path)
            if self._format:
                if not form.sniff(head) and not source.names():
                    none = f"there is no document of the format {format} in the file; name the one it is in"
                    raise UnknownFormatError(path, 0, none)
                if source.bare is not None:
                    raise source.bare.error()
        source.content, source.format, source.odd = content, format, odd
        if odd and format == "conll2012":
            # This is the only format that scorer.pl reads. The list belongs to the source.
            source.problems()[:0] = [Problem(path, 1, None, problem) for problem in odd]
        return source

    def _all_of(self, file: RestingFile) -> bytes:
        if self._limit is None:
            return file.readall()
        with io.BufferedReader(file) as buffered:
            return buffered.read(self._limit + 1)

    def _spend(self, file: BinaryIO, path: str, *, again: bool = False) -> None:
        """Count the size of a file; with `again` only check that it is not too large, as what it unpacks to will be counted."""
        if self._budget is not None and self._limit is not None:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            (Budget(self._limit) if again else self._budget).spend(size, path)


def _one_of(among: Collection[tuple[int, int]], path: str, name: str) -> RestingFile:
    """The file at a path; ConllError when it is none of these, as whoever put it there has put another in its place."""
    try:
        raw = RestingFile(path, open_itself)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    else:
        if raw.identity in among:
            return raw
        raw.close()
    raise ConllError(name, 0, "this was replaced while it was being read; put the file itself there, and leave it alone")


def _directory(path: str, openers: Iterable[Callable[[], Source]]) -> DirectorySource:
    """All files of a directory or an archive; those that begin like no known format are skipped if there are any others."""
    sources: list[Source] = []
    unknown: list[UnknownFormatError] = []
    for opener in openers:
        try:
            sources.append(opener())
        except UnknownFormatError as error:  # noqa: PERF203  opening a file costs far more
            unknown.append(error)
    if unknown and not sources:
        raise unknown[0]
    return DirectorySource(path, sources, unknown)


def _beginning(file: BinaryIO) -> bytes:
    """Enough of a file to see whether it is compressed or an archive."""
    head = file.read(512)
    file.seek(0)
    return head


class DirectorySource(Source):
    """All files below a directory except hidden ones, or those in an archive, one after the other in the order of their paths.

    If documents in several files share a name, the last is read; a problem names the others, and each file `passed_over`.
    """

    def __init__(self, path: str, sources: list[Source], passed_over: Iterable[ConllError] = ()) -> None:
        self.path = path
        self.sources = sources
        if not self.sources:
            raise ConllError(path, 0, "the directory holds no files")
        self.size = sum(source.size for source in self.sources)
        self.format = "+".join(sorted({source.format for source in self.sources}))
        self._problems = [Problem(error.path, error.line, None, PASSED_OVER) for error in passed_over]
        self._holders: dict[str, Source] = {}
        for source in self.sources:
            self._problems += source.problems()
            for name in source.names():
                unread = self._holders.get(name)
                self._holders[name] = source
                if unread is not None:
                    text, advice = "another document has the same name", "that one is read, this one is not"
                    beside = Place(source.path, source.line_of(name))
                    self._problems.append(Problem(unread.path, unread.line_of(name), name, text, advice, beside=beside))

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
        holder = self._holders.get(name)
        return self if holder is None else holder.file_of(name)

    def words(self, name: str) -> Words | None:
        source = self._holders.get(name)
        return None if source is None else source.words(name)

    def fields(self, name: str) -> dict[str, Any]:
        source = self._holders.get(name)
        return {} if source is None else source.fields(name)

    def layers(self, name: str) -> Layers | None:
        source = self._holders.get(name)
        return None if source is None else source.layers(name)

    def layers_of(self, document: Document, fields: Collection[str] = (), *, names: bool = False) -> Layers | None:
        source = self._holders.get(document.name)
        return None if source is None else source.layers_of(document, fields, names=names)

    def same_words(self, document: Document, other: Document) -> bool:
        source = self._holders.get(document.name)
        return source is not None and source.same_words(document, other)

    def lists_names(self, names: Iterable[str], *, empty: bool = False) -> bool:
        return any(source.lists_names([name], empty=empty) for name in names if (source := self._holders.get(name)) is not None)

    def antecedents(self, name: str) -> Mapping[Mention, Mention]:
        source = self._holders.get(name)
        return {} if source is None else source.antecedents(name)

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        source = self._holders.get(name)
        return {} if source is None else source.lines_of(name, tokens)

    def chunks(self) -> Iterator[bytes]:
        for source in self.sources:
            yield from source.chunks()

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        for source in self.sources:
            yield from source.contents()

    def extent(self, name: str) -> int:
        source = self._holders.get(name)
        return 0 if source is None else source.extent(name)


def files_in(path: str, passed_over: Collection[str] = ()) -> list[str] | None:
    """`files_below` for a directory, which may be at a URL; None when it is not a directory."""
    if "://" in path:
        from conll.io.remote import files_at

        return files_at(path)
    return files_below(path, passed_over) if os.path.isdir(path) else None


def files_below(path: str, passed_over: Collection[str] = ()) -> list[str]:
    """The paths of all files below a directory, sorted.

    Files and folders whose name begins with a dot or is in `passed_over` are skipped. ConllError when they lie too deep.
    """

    def counts(name: str) -> bool:
        return name[0] != "." and name not in passed_over

    paths: list[str] = []
    seen: set[tuple[int, int] | str] = set()
    try:
        for folder, folders, files in os.walk(path, followlinks=True, onerror=_raise):
            # A link may lead back to a folder that contains it.
            seen.add(_identity(folder))
            folders[:] = [name for name in folders if counts(name) and _identity(os.path.join(folder, name)) not in seen]
            paths += [os.path.join(folder, name) for name in files if counts(name)]
    except RecursionError:
        # Until Python 3.12, os.walk calls itself for each folder in a folder.
        raise ConllError(path, 0, "it has too many folders in folders; put the files closer to its top") from None
    # In the same order on all systems, whatever stands between folders.
    return sorted(paths, key=lambda path: path.replace(os.sep, "/"))


def _identity(folder: str) -> tuple[int, int] | str:
    """What tells a folder from all others, in one step where the system numbers them: to find its real path takes one a level."""
    state = os.stat(folder)
    return (state.st_dev, state.st_ino) if state.st_ino else os.path.realpath(folder)


def _raise(error: OSError) -> None:
    raise error


def check_regular(path: str, name: str) -> set[tuple[int, int]]:
    """Return the device and the number of each file at the path; ConllError, which calls it `name`, for a link or what is no file.

    A stranger may have put these there to make us read something else, or to keep us busy, and may do so after this look at them.
    """
    found: set[tuple[int, int]] = set()
    paths = [(path, name)]
    if os.path.isdir(path) and not os.path.islink(path):
        for folder, folders, files in os.walk(path):
            inner = name + folder[len(path) :]
            paths += [(os.path.join(folder, own), f"{inner}/{own}") for own in sorted(folders + files)]
    for one, shown in paths:
        state = os.lstat(one)
        if stat.S_ISLNK(state.st_mode):
            raise ConllError(shown, 0, "this is a link; put the file itself there")
        if stat.S_ISREG(state.st_mode):
            found.add((state.st_dev, state.st_ino))
        elif not stat.S_ISDIR(state.st_mode):
            raise ConllError(shown, 0, "this is no regular file")
    return found
