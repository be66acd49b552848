"""Open files of any format, compressed or not, streams, URLs and directories; replace files."""

from __future__ import annotations

import errno
import io
import os
import stat
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from conll import formats
from conll.directory import DirectorySource, called_by_paths
from conll.errors import ConllError, EmptyFileError, Problem, UnknownFormatError
from conll.source import InputFile, Source, standard_input
from conll.system import BUFFER, AnonymousTempFile, Budget, FileOfMany, FilePart

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import IO, BinaryIO

    from typing_extensions import Buffer

    Beside = Callable[[str], bytes | None]
    """Reads the file that has the same name as another one, and this ending."""


HEAD = 1 << 16
"""How many bytes at the beginning of a file are looked at to detect its format."""

IN_MEMORY = 1 << 26
"""The size in bytes up to which an unpacked file is kept in memory; a longer one goes to a
temporary file."""

ONE_OF_MANY = 1 << 20
"""The same of a file from a URL, and of one in a directory, of which there may be many."""

_CHUNK = 1 << 20

_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""How compressed files begin, and the module that reads them."""

_PROGRAMS = {"gzip": "gzip", "bz2": "bzip2", "lzma": "xz"}

_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
}
"""How archives begin; the mark of a tar archive comes later, at `_TAR_MARK`."""

_TAR_MARK = 257

_NEWLINES = bytes.maketrans(b"\r", b"\n")

_MARK = b"\xef\xbb\xbf"
"""How UTF-8 files begin that some editors save."""

_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 files begin."""

_ODD = {
    "mark": "the file begins with a byte-order mark, which is skipped; "
    "scorer.pl does not see a document that begins there",
    "returns": "the lines end with a carriage return alone, and are read as lines; "
    "scorer.pl sees a single line in such a file",
}
"""What `plain` smooths out, and how scorer.pl reads it."""


def open_itself(path: str, flags: int) -> int:
    """Open a file for `io.FileIO`, but no link, and without waiting at a pipe, where possible."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def archive_of(head: bytes) -> str | None:
    """The kind of archive (zip, tar, 7z, rar) that begins with this head; None for other files."""
    if head.startswith(b"ustar", _TAR_MARK):
        return "tar"
    return next((kind for beginning, kind in _ARCHIVES.items() if head.startswith(beginning)), None)


def open_url(url: str, limit: int | None = None) -> BinaryIO:
    """The file at a URL, fetched whole. Raises what `conll.remote.fetched` raises."""
    from conll.remote import fetched

    return _kept(fetched(url, limit), ONE_OF_MANY)


def open_whole(file: IO[bytes] | IO[str], path: str) -> BinaryIO:
    """A seekable binary file with the rest of `file`.

    `file` itself if it is one already and stands at its beginning.
    """
    if isinstance(file.read(0), str):
        try:
            text: IO[str] = file  # type: ignore[assignment]  # as it reads text
            rest = text.read().encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            problem = "the text holds characters that UTF-8 does not have; open the file in binary"
            raise ConllError(path, 0, problem) from None
    else:
        binary: BinaryIO = file  # type: ignore[assignment]  # what reads no text
        if binary.seekable() and binary.tell() == 0:
            return binary
        rest = binary.read()
    if not rest and file.seekable() and file.tell():
        advice = "seek to its beginning, or open it once for each use"
        raise ConllError(path, 0, f"the open file stands at its end; {advice}")
    return io.BytesIO(rest)


def head_of(file: BinaryIO, path: str) -> bytes:
    """The first bytes of a file; ConllError when there is nothing in it to read."""
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith(_OTHER_MARKS):
        raise ConllError(path, 1, "the file begins with the mark of UTF-16; save it as plain UTF-8")
    if not head or (len(head) < HEAD and head.isspace()):
        raise EmptyFileError(path, 0, "the file is empty")
    return head


def unpack(file: BinaryIO, path: str, budget: Budget | None = None) -> BinaryIO:
    """`file`, or what it unpacks to if it is compressed with gzip, bzip2 or xz, whatever its name.

    ConllError when the compressed file is cut off or damaged, or unpacks to more than the budget
    holds.
    """
    beginning = _beginning(file)
    for magic, module in _PACKED.items():
        if beginning.startswith(magic):
            return _kept(_pieces_of(module, file, path, budget), IN_MEMORY)
    return file


def plain(file: BinaryIO, odd: list[str]) -> BinaryIO:
    """Return the file, or a copy without a byte-order mark and with newlines as line ends."""
    if not odd:
        return file
    file.seek(len(_MARK) if _ODD["mark"] in odd else 0)
    table = _NEWLINES if _ODD["returns"] in odd else None
    return _kept((piece.translate(table) for piece in _pieces(file)), IN_MEMORY)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_CHUNK):
        yield piece


def oddities(file: BinaryIO) -> list[str]:
    """Describe what is odd about an uncompressed file: how it is read here, and by scorer.pl."""
    file.seek(0)
    head = file.read(BUFFER)
    file.seek(0)
    lines = head.rstrip(b"\r\n")
    is_odd = {"mark": head.startswith(_MARK), "returns": b"\r" in lines and b"\n" not in lines}
    return [sentence for kind, sentence in _ODD.items() if is_odd[kind]]


def _kept(pieces: Iterator[bytes], in_memory: int) -> BinaryIO:
    """Make a file of pieces: in memory or, above `in_memory` bytes, in an anonymous file."""
    memory = io.BytesIO()
    for piece in pieces:
        memory.write(piece)
        if memory.tell() > in_memory:
            nameless = AnonymousTempFile()
            nameless.write(memory.getbuffer())
            del memory
            for rest in pieces:
                nameless.write(rest)
            return nameless.part(0)
    memory.seek(0)
    return memory


def _pieces_of(module: str, file: BinaryIO, path: str, budget: Budget | None) -> Iterator[bytes]:
    try:
        for piece in _pieces(import_module(module).open(file)):
            if budget is not None:
                budget.spend(len(piece), path)
            yield piece
    except (ConllError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        # Each of the three modules has an error of its own, and none of them has a useful base.
        fault = "cut off" if isinstance(error, EOFError) else f"damaged ({error})"
        program = _PROGRAMS[module]
        problem = f"the file, compressed by {program}, is {fault}; copy it again"
        raise ConllError(path, 0, problem) from None


class _OutFile(io.FileIO):
    """A file to write, in whose errors stands the path that the user knows; else they name none."""

    def __init__(self, path: str, mode: str, known: str) -> None:
        try:
            super().__init__(path, mode)
        except OSError as error:
            raise OSError(error.errno, error.strerror, known) from None
        self._known = known

    def write(self, data: Buffer) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._known) from None


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` once it is complete.

    If writing fails, `path` stays as it was.

    Anything but a regular file (a pipe, a terminal) is written to directly. OSError, with `path`,
    when it cannot be written.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with io.BufferedWriter(_OutFile(target, "wb", path)) as file:
            yield file
        return
    part = _part_of(target)
    whole = io.BufferedWriter(_OutFile(part, "xb", path))
    try:
        with whole as file:
            yield file
        if os.path.exists(target):
            # Most runs replace no file, and shutil loads every kind of compression.
            from shutil import copymode

            copymode(target, part)
        try:
            os.replace(part, target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def _part_of(target: str) -> str:
    """A name beside a file for what is not complete yet.

    A new one each time, as a run that is killed leaves its file behind.
    """
    return f"{target}.{os.urandom(8).hex()}.part"


def try_replacing(path: str) -> None:
    """Raise OSError if `replacing` could not write `path`: better before the work than after it."""
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.path.exists(target) or os.path.isfile(target):
        part = _part_of(target)
        _OutFile(part, "xb", path).close()
        os.unlink(part)


ANNOTATIONS, TEXT = ".ann", ".txt"
"""The endings of brat's files: annotations, and the text that they are about."""


def without_texts(paths: Iterable[str]) -> list[str]:
    """Leave out the texts that are read with the annotations next to them."""
    texts = {os.path.splitext(path)[0] + TEXT for path in paths if path.endswith(ANNOTATIONS)}
    return [path for path in paths if path not in texts]


PASSED_OVER = "unknown file format; the file is skipped"


def open_documents(  # noqa: PLR0913  each is an option of its own
    file: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    *,
    name: str | None = None,
    limit: int | None = None,
    passed_over: Collection[str] = (),
    among: Collection[tuple[int, int]] | None = None,
    empty: bool = False,
    key: Source | None = None,
) -> Source:
    """Open a file of coreference, in the named `format`, or in the one that its content shows.

    `file` is a path, `-` for standard input, an open file (binary or text), or the path of a
    directory, which stands for all files below it except hidden ones. A path with `://` in it is a
    URL, of a file or a directory, for fsspec. Files compressed with gzip, bzip2 or xz are unpacked,
    and so are zip archives, which stand for their files as a directory does. An open file must stay
    open for as long as the source is in use. Messages call it `name`, by default its path. `limit`
    is the most bytes that there may be to read in all, unpacked. In a directory, files and folders
    whose name is in `passed_over` are skipped, as hidden ones are. Unless a `format` is named, so
    are files of a directory or an archive that begin like no known format, as long as there are
    others that can be read; a problem names each of them. `among` are the files that may be read,
    as `check_regular` returns them, where others may have been put in their place since. With
    `empty`, an empty file is a source without documents, and a problem says so. With the `key` of a
    response, a text without a single mark is recognised by its words, and so are lists of clusters
    that are all empty.

    Raises OSError when a file cannot be opened; ConllError when it is empty, in no known format,
    malformed as a whole, larger than the limit, or an archive that cannot be trusted; ValueError
    when there is no format of that name; and ModuleNotFoundError when a package that a URL needs is
    not installed.

    >>> from io import StringIO
    >>> source = open_documents(StringIO('{"doc_key": "a", "clusters": [[[0, 1], [3, 3]]]}'))
    >>> source.names()
    ['a']
    >>> [document.clusters for document in source]
    [[[(0, 1), (3, 3)]]]
    """
    reopen = None
    if isinstance(file, (str, os.PathLike)) and os.fspath(file) != "-":
        reopen = partial(
            open_documents,
            os.fspath(file),
            format,
            name=name,
            limit=limit,
            passed_over=passed_over,
            empty=empty,
        )
    opener = _Opener(format, limit, among, key, empty=empty, reopen=reopen)
    if not isinstance(file, (str, os.PathLike)):
        own = getattr(file, "name", None)
        return opener.open(file, name or (own if isinstance(own, str) else "<file>"))
    path = os.fspath(file)
    if path == "-":
        return opener.open(standard_input(), name or "<stdin>")
    files = files_in(path, passed_over)
    if files is None:
        return opener.open_path(path, name or path)
    folder = path.rstrip("/") if "://" in path else path
    openers = []
    for inner in without_texts(files):
        shown = os.path.join(name, os.path.relpath(inner, folder)) if name else inner
        openers.append(partial(opener.open_path, inner, shown, in_directory=True))
    return opener.open_folder(name or path, openers)


def reopening(source: Source) -> Source | Callable[[], Source]:
    """Return what another process needs to have the same source: its path, bytes, or itself."""
    # One that is joined or aligned to a key is so again there.
    source = getattr(source, "response", source)
    if source.reopen is not None:
        return source.reopen
    if source.format == "memory":
        return source
    contents = [(file.path, file.format, b"".join(file.chunks())) for file in source.files()]
    return partial(_open_sent, source.path, contents)


def _open_sent(path: str, files: Iterable[tuple[str, str, bytes]]) -> Source:
    sources = [
        open_documents(io.BytesIO(content), form, name=name, empty=True)
        for name, form, content in files
    ]
    if len(sources) == 1:
        return sources[0]
    return DirectorySource(path, called_by_paths(path, sources))


class _Opener:
    """Opens files in one format, all of them together within one limit."""

    def __init__(
        self,
        format: str | None,  # noqa: A002
        limit: int | None,
        among: Collection[tuple[int, int]] | None,
        key: Source | None,
        *,
        empty: bool,
        reopen: Callable[[], Source] | None,
    ) -> None:
        self._format = None if format is None else formats.spelled(format)
        self._among, self._empty, self._key = among, empty, key
        self._reopen = reopen
        self._recognised: set[str] = set()
        self._limit = limit
        self._budget = None if limit is None else Budget(limit)

    def open_path(self, path: str, name: str, *, in_directory: bool = False) -> Source:
        beside = partial(self._read_beside, path, name)
        if "://" in path:
            return self.open(open_url(path, self._limit), name, beside)
        with io.FileIO(path) if self._among is None else _one_of(self._among, path, name) as raw:
            size = os.fstat(raw.fileno()).st_size
            if raw.seekable() and size > (ONE_OF_MANY if in_directory else 0):
                if in_directory:
                    part: FilePart = FileOfMany(raw, path)
                else:
                    part = FilePart(os.dup(raw.fileno()), 0, size, path)
                return self.open(io.BufferedReader(part, BUFFER), name, beside)
            try:
                with io.BufferedReader(raw) as file:
                    content = self._read(file)
            except OSError as error:
                # An error without a name would be taken for one of standard output.
                error.filename = path
                raise
        return self.open(io.BytesIO(content), name, beside)

    def _read(self, file: BinaryIO) -> bytes:
        """Read a file; of a pipe, say, little more than the limit allows."""
        if self._limit is None:
            return file.read()
        # Piece by piece: a single `read` would take as much memory as it is allowed to return.
        content = bytearray()
        for piece in _pieces(file):
            content += piece
            if len(content) > self._limit:
                break
        return bytes(content)

    def open(
        self, file: IO[bytes] | IO[str], name: str, beside: Beside = lambda _ending: None
    ) -> Source:
        content = open_whole(file, name)
        beginning = _beginning(content)
        if archive_of(beginning) == "zip":
            from conll.archives import unpack_archive

            members = dict(unpack_archive(content, name, self._budget))
            openers = [
                partial(self._open_content, members[path], path, partial(_member, members, path))
                for path in without_texts(members)
            ]
            return openers[0]() if len(openers) == 1 else self.open_folder(name, openers)
        if self._budget is not None and not beginning.startswith(tuple(_PACKED)):
            self._budget.spend(content.seek(0, os.SEEK_END), name)
            content.seek(0)
        return self._open_content(content, name, beside)

    def _open_content(self, file: BinaryIO, path: str, beside: Beside) -> Source:
        content = unpack(file, path, self._budget)
        kind = archive_of(_beginning(content))
        if kind is not None:
            inside = ", and archives in other files are not unpacked" if kind == "zip" else ""
            advice = "send the files, or one zip archive of them"
            raise ConllError(path, 0, f"this is a {kind} archive{inside}; {advice}")
        notes = oddities(content)
        text = plain(content, notes)
        try:
            head = head_of(text, path)
        except EmptyFileError as error:
            return self._open_empty(error, content, beside)
        name = self._format or self._detected(head, path)
        form = formats.get(name)
        is_recognised = path in self._recognised
        opened = InputFile(
            text,
            path,
            format=name,
            is_named=self._format is not None,
            is_recognised=is_recognised,
            original=content,
            notes=[Problem(path, 1, None, note) for note in notes],
            companion=beside(form.beside) if form.beside else None,
            reopen=self._way_back(),
        )
        source = form.open(opened)
        if self._format and not form.sniff(head) and not source.names():
            problem = f"there is no document of the format {name} in the file"
            raise UnknownFormatError(path, 0, f"{problem}; name the one it is in")
        return source

    def _way_back(self) -> Callable[[], Source] | None:
        """Return how another process opens the path; None where it has no key to recognise it by."""
        return None if self._recognised else self._reopen

    def open_folder(self, path: str, openers: Iterable[Callable[[], Source]]) -> DirectorySource:
        """Open all files of a directory or an archive.

        Those that begin like no known format are skipped if there are any others.
        """
        sources: list[Source] = []
        unknown: list[UnknownFormatError] = []
        for opener in openers:
            try:
                sources.append(opener())
            except UnknownFormatError as error:
                unknown.append(error)
        if unknown and not sources:
            raise unknown[0]
        problems = [Problem(error.path, error.line, None, PASSED_OVER) for error in unknown]
        # Beside files of exact formats, what looks like the text of a model is a note about them.
        # An empty file is of no format.
        if any(source.size and not source.loose for source in sources):
            problems += [Problem(file.path, 1, None, PASSED_OVER) for file in sources if file.loose]
            sources = [source for source in sources if not source.loose]
        named = called_by_paths(path, sources)
        return DirectorySource(path, named, problems, reopen=self._way_back())

    def _detected(self, head: bytes, path: str) -> str:
        """Return the format that the beginning of a file shows, perhaps by the words of the key."""
        try:
            detected = formats.detect(head, path)
        except UnknownFormatError:
            recognised = self._recognise(head, path)
            if recognised is None:
                raise
            return recognised
        if detected == "jsonl" and self._key is not None and len(head) < HEAD:
            from conll.text.json_values import has_only_empty_clusters

            # Lists of texts look like JSON lines if there is no text in them.
            if has_only_empty_clusters(head):
                return self._recognise(head, path) or detected
        return detected

    def _recognise(self, head: bytes, path: str) -> str | None:
        """Return the format of a file in which nothing is marked; None if the key has other words."""
        if self._key is None:
            return None
        from conll.text.unmarked import unmarked_format

        recognised = unmarked_format(head, self._key)
        if recognised is not None:
            self._recognised.add(path)
        return recognised

    def _open_empty(self, error: EmptyFileError, content: BinaryIO, beside: Beside) -> Source:
        """Open a file without content: the annotations of brat, or a response without documents."""
        path = error.path
        if path.endswith(ANNOTATIONS) and self._format in (None, "brat"):
            text = beside(TEXT)
            if text is not None:
                file = InputFile(
                    io.BytesIO(),
                    path,
                    format="brat",
                    original=content,
                    companion=text,
                    reopen=self._way_back(),
                )
                return formats.get("brat").open(file)
        if not self._empty:
            raise error
        # No other format takes a file without anything in it.
        advice = "it is read as a response without documents"
        problem = Problem(path, 0, None, error.problem, advice, kind="empty")
        file = InputFile(
            io.BytesIO(),
            path,
            format="conll2012",
            original=content,
            notes=[problem],
            reopen=self._way_back(),
        )
        return formats.get("conll2012").open(file)

    def _read_beside(self, path: str, name: str, ending: str) -> bytes | None:
        """Read the file of the same name with another ending.

        Returns:
            Its content; None where there is no such file, or none that may be read.
        """
        path = os.path.splitext(path)[0] + ending
        name = os.path.splitext(name)[0] + ending
        if "://" in path:
            try:
                file = open_url(path, self._limit)
            except FileNotFoundError:
                return None
        elif not os.path.isfile(path):
            return None
        elif self._among is None:
            file = io.BufferedReader(io.FileIO(path))
        elif _identity(os.lstat(path)) in self._among:
            file = io.BufferedReader(_one_of(self._among, path, name))
        else:
            return None
        with file:
            size = file.seek(0, os.SEEK_END)
            if self._budget is not None:
                self._budget.spend(size, name)
            file.seek(0)
            return file.read(size)


def _member(members: Mapping[str, BinaryIO], path: str, ending: str) -> bytes | None:
    """Read the member of an archive that has the name of another one, and this ending."""
    member = members.get(os.path.splitext(path)[0] + ending)
    if member is None:
        return None
    content = member.read()
    member.seek(0)
    return content


def _identity(state: os.stat_result) -> tuple[int, int]:
    """Return the device and the number of a file."""
    return state.st_dev, state.st_ino


def _one_of(among: Collection[tuple[int, int]], path: str, name: str) -> io.FileIO:
    """The file at a path.

    ConllError when it is none of these, as whoever put it there has put another in its place.
    """
    try:
        file = io.FileIO(path, opener=open_itself)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    else:
        if _identity(os.fstat(file.fileno())) in among:
            return file
        file.close()
    advice = "use a regular file, and do not change it during a run"
    raise ConllError(name, 0, f"the file was replaced while it was being read; {advice}")


def _beginning(file: BinaryIO) -> bytes:
    """Enough of a file to see whether it is compressed or an archive."""
    head = file.read(512)
    file.seek(0)
    return head


def files_in(path: str, passed_over: Collection[str] = ()) -> list[str] | None:
    """`files_below` for a directory, which may be at a URL; None when it is not a directory."""
    if "://" in path:
        from conll.remote import files_at

        return files_at(path)
    return files_below(path, passed_over) if os.path.isdir(path) else None


def files_below(path: str, passed_over: Collection[str] = ()) -> list[str]:
    """The paths of all files below a directory, sorted.

    Files and folders whose name begins with a dot or is in `passed_over` are skipped. ConllError
    when they lie too deep.
    """

    def counts(name: str) -> bool:
        return name[0] != "." and name not in passed_over

    paths: list[str] = []
    seen: set[str] = set()
    try:
        for folder, folders, files in os.walk(path, followlinks=True, onerror=_raise):
            # A link may lead back to a folder that contains it.
            seen.add(os.path.realpath(folder))
            inner = ((name, os.path.realpath(os.path.join(folder, name))) for name in folders)
            folders[:] = [name for name, real in inner if counts(name) and real not in seen]
            paths += [os.path.join(folder, name) for name in files if counts(name)]
    except RecursionError:
        # Until Python 3.12, os.walk calls itself for each folder in a folder.
        raise ConllError(path, 0, "its folders are nested too deeply; move the files up") from None
    # In the same order on all systems, whatever stands between folders.
    return sorted(paths, key=lambda path: path.replace(os.sep, "/"))


def _raise(error: OSError) -> None:
    raise error


def check_regular(path: str, name: str) -> set[tuple[int, int]]:
    """Return the device and the number of each file at the path.

    ConllError, which calls it `name`, for a link or what is no file.

    A stranger may have put these there to make us read something else, or to keep us busy, and may
    do so after this look at them.
    """
    regular: set[tuple[int, int]] = set()
    paths = [path]
    if os.path.isdir(path) and not os.path.islink(path):
        for folder, folders, files in os.walk(path):
            paths += [os.path.join(folder, inner) for inner in sorted(folders + files)]
    for inner in paths:
        state = os.lstat(inner)
        shown = name + inner[len(path) :]
        if stat.S_ISLNK(state.st_mode):
            raise ConllError(shown, 0, "this is a link; put the file itself there")
        if stat.S_ISREG(state.st_mode):
            regular.add(_identity(state))
        elif not stat.S_ISDIR(state.st_mode):
            raise ConllError(shown, 0, "this is not a regular file")
    return regular
