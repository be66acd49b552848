"""Open files of any format, compressed or not, streams, URLs and directories."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain
from numbers import Real
from typing import IO, TYPE_CHECKING, BinaryIO

from conll import archives, formats
from conll.document import Document
from conll.errors import ConllError, EmptyFileError, Place, Problem, UnknownFormatError, not_of_type
from conll.paths import ANNOTATIONS, TEXT, files_in, identity, open_listed, without_texts
from conll.source import InputFile, Source, named_after, place_of, standard_input
from conll.system import BUFFER, Budget, FileOfMany, FilePart

if TYPE_CHECKING:
    from conll.errors import Kind

Beside = Callable[[str], bytes | None]
"""Reads the file that has the same name as another one, and this ending."""


PASSED_OVER = "unknown file format; the file is skipped"


ABOUT_OTHERS = ("readme", "license", "licence", "copying", "changelog", "citation")
"""What files are called that are about others in their folder."""


def is_about_others(path: str) -> bool:
    """Return whether a file is by its name about the others in its folder."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.lower().partition(".")[0] in ABOUT_OTHERS


def open_documents(  # noqa: PLR0913  each is an option of its own
    file: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    *,
    name: str | None = None,
    limit: int | None = None,
    passed_over: Collection[str] | None = None,
    among: AbstractSet[tuple[int, int]] | None = None,
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

    Raises TypeError for an argument of a wrong type; OSError when a file cannot be opened;
    ConllError when it is empty, in no known format, malformed as a whole, larger than the limit, or
    an archive that cannot be trusted; ValueError when there is no format of that name; and
    ModuleNotFoundError when a package that a URL needs is not installed.

    Examples:
        >>> from io import StringIO
        >>> source = open_documents(StringIO('{"doc_key": "a", "clusters": [[[0, 1], [3, 3]]]}'))
        >>> source.names()
        ['a']
        >>> [document.clusters for document in source]
        [[[(0, 1), (3, 3)]]]
    """
    is_file = hasattr(file, "read") and not isinstance(file, Source)
    if not (is_file or isinstance(file, (str, os.PathLike))):
        raise not_of_type("file", file, "a path or an open file")
    for argument, value, kind, expected in (
        ("format", format, str, "text"),
        ("name", name, str, "text"),
        ("limit", limit, Real, "a number of bytes"),
        ("passed_over", passed_over, (list, tuple, AbstractSet), "a list of names"),
        ("among", among, AbstractSet, "a set of files"),
        ("key", key, Source, "a source"),
    ):
        if value is not None and not isinstance(value, kind):
            raise not_of_type(argument, value, f"{expected} or None")
    reopen = None
    if isinstance(file, (str, os.PathLike)) and os.fspath(file) != "-":
        reopen = partial(
            open_documents,
            os.fspath(file) if "://" in os.fspath(file) else os.path.abspath(file),
            format,
            name=name or os.fspath(file),
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
    files = files_in(path, passed_over or ())
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
        open_documents(io.BytesIO(content), format_name, name=name, empty=True)
        for name, format_name, content in files
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
        self._format, self._fields = None, ""
        if format is not None:
            name, _, self._fields = format.partition(":")
            self._format = formats.spelled(name)
        self._among, self._empty, self._key = among, empty, key
        self._reopen = reopen
        self._recognised: set[str] = set()
        self._limit = limit
        self._budget = None if limit is None else Budget(limit)

    def open_path(self, path: str, name: str, *, in_directory: bool = False) -> Source:
        beside = partial(self._read_beside, path, name)
        if "://" in path:
            return self.open(archives.open_url(path, self._limit), name, beside)
        with (
            io.FileIO(path) if self._among is None else open_listed(self._among, path, name) as raw
        ):
            size = os.fstat(raw.fileno()).st_size
            if raw.seekable() and size > (archives.ONE_OF_MANY if in_directory else 0):
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
        for piece in archives.pieces(file):
            content += piece
            if len(content) > self._limit:
                break
        return bytes(content)

    def open(
        self, file: IO[bytes] | IO[str], name: str, beside: Beside = lambda _ending: None
    ) -> Source:
        content = archives.open_whole(file, name)
        beginning = archives.beginning_of(content)
        if archives.archive_of(beginning) == "zip":
            from conll.zips import unpack_archive

            members = dict(unpack_archive(content, name, self._budget))
            openers = [
                partial(self._open_content, members[path], path, partial(_member, members, path))
                for path in without_texts(members)
            ]
            return openers[0]() if len(openers) == 1 else self.open_folder(name, openers)
        if self._budget is not None and not beginning.startswith(tuple(archives.PACKED)):
            self._budget.spend(content.seek(0, os.SEEK_END), name)
            content.seek(0)
        return self._open_content(content, name, beside)

    def _open_content(self, file: BinaryIO, path: str, beside: Beside) -> Source:
        content = archives.unpack(file, path, self._budget)
        kind = archives.archive_of(archives.beginning_of(content))
        if kind is not None:
            inside = ", and archives in other files are not unpacked" if kind == "zip" else ""
            advice = "send the files, or one zip archive of them"
            raise ConllError(path, 0, f"this is a {kind} archive{inside}; {advice}")
        notes = archives.encoding_notes(content)
        text = archives.plain(content, notes)
        try:
            head = archives.head_of(text, path)
        except EmptyFileError as error:
            return self._open_empty(error, content, beside)
        name = self._format or self._detected(head, path)
        file_format = formats.get(name)
        if self._fields and not file_format.chooses_fields:
            problem = f"no fields are chosen in the format {name}"
            raise ValueError(f"{problem}; leave out {':' + self._fields!r}")
        is_recognised = path in self._recognised
        opened = InputFile(
            text,
            path,
            format=f"{name}:{self._fields}" if self._fields else name,
            is_named=self._format is not None,
            is_recognised=is_recognised,
            original=content,
            notes=[Problem(path, 1, None, note) for note in notes],
            companion=beside(file_format.beside) if file_format.beside else None,
            reopen=self._way_back(),
        )
        source = file_format.open(opened)
        if self._format and not file_format.sniff(head) and not source.names():
            problem = f"there is no document of the format {name} in the file"
            raise UnknownFormatError(path, 0, f"{problem}; name the one it is in")
        return source

    def _way_back(self) -> Callable[[], Source] | None:
        """Return a function that opens the path in another process; None if that needs the key."""
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
        problems: list[Problem] = []
        for unread in unknown:
            kind: Kind = "note" if is_about_others(unread.path) else "file"
            problems.append(Problem(unread.path, unread.line, None, PASSED_OVER, kind=kind))
        # Beside files of exact formats, what looks like the text of a model is a note about them.
        # An empty file is of no format.
        if any(source.size and not source.loose for source in sources):
            for file in sources:
                if file.loose:
                    kind = "note" if is_about_others(file.path) else "file"
                    problems.append(Problem(file.path, 1, None, PASSED_OVER, kind=kind))
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
        if detected == "jsonl" and self._key is not None and len(head) < archives.HEAD:
            from conll.text.json_values import has_only_empty_clusters

            # Lists of texts look like JSON lines if there is no text in them.
            if has_only_empty_clusters(head):
                return self._recognise(head, path) or detected
        return detected

    def _recognise(self, head: bytes, path: str) -> str | None:
        """Return the format of a file without marks; None if the key has other words."""
        if self._key is None:
            return None
        from conll.text.text_files import unmarked_format

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
                file = archives.open_url(path, self._limit)
            except FileNotFoundError:
                return None
        elif not os.path.isfile(path):
            return None
        elif self._among is None:
            file = io.BufferedReader(io.FileIO(path))
        elif identity(os.lstat(path)) in self._among:
            file = io.BufferedReader(open_listed(self._among, path, name))
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


class DirectorySource(Source):
    """All files below a directory, except hidden ones, or in an archive, sorted by path.

    If documents in several files share a name, the last is read; a problem names the others, and
    each file that was skipped.

    Args:
        path: The directory.
        sources: The sources of its files.
        skipped: The problems that files were skipped.
        reopen: How another process opens the directory.
    """

    def __init__(
        self,
        path: str,
        sources: Sequence[Source],
        skipped: Sequence[Problem] = (),
        *,
        reopen: Callable[[], Source] | None = None,
    ) -> None:
        if not sources:
            raise ConllError(path, 0, "the directory holds no files")
        self.path = path
        self.sources = sources
        self.reopen = reopen
        self._skipped = skipped
        self.size = sum(source.size for source in sources)
        self.format = "+".join(sorted({source.format for source in sources}))
        self.loose = any(source.loose for source in sources)
        self.has_predictions = any(source.has_predictions for source in sources)
        self.unnamed: set[str] = set()
        self._problems = [*skipped]
        self._holders: dict[str, Source] = {}
        is_repeated = False
        for source in sources:
            self.unnamed.update(source.unnamed)
            self._problems += source.problems()
            for name in source.names():
                if name in self._holders:
                    self._problems.append(_unread(self._holders[name], source, name))
                    is_repeated = True
                self._holders[name] = source
        if is_repeated and path.endswith(".zip"):
            text = "several files of the archive hold the same documents"
            advice = "if they are of several systems, unpack it"
            self._problems.append(Problem(path, 0, None, text, advice, kind="note"))
        users = users_of_export(sources)
        if len(users) > 1:
            text = f"it holds annotations by {', '.join(users)} of the same documents"
            advice = "`scorer agreement` compares them; to score, give each user a folder"
            self._problems.append(Problem(path, 0, None, text, advice))

    def names(self) -> list[str]:
        return list(self._holders)

    def read(self, name: str) -> Document | None:
        return self._holders[name].read(name) if name in self._holders else None

    def problems(self) -> list[Problem]:
        return self._problems

    def files(self) -> list[Source]:
        # A file of a directory may be an archive, which is a source of several files itself.
        return list(chain.from_iterable(source.files() for source in self.sources))

    def chunks(self) -> Iterator[bytes]:
        for source in self.sources:
            yield from source.chunks()

    def as_response(self) -> Source:
        return self.with_sources([source.as_response() for source in self.sources])

    def with_sources(self, sources: Sequence[Source]) -> DirectorySource:
        """Return the same directory with other sources of its files."""
        if all(new is old for new, old in zip(sources, self.sources)):
            return self
        return DirectorySource(self.path, sources, self._skipped, reopen=self.reopen)

    def _place(self, name: str) -> Place:
        holder = self._holders.get(name)
        return Place(self.path, 0) if holder is None else place_of(holder, name)


def _unread(source: Source, other: Source, name: str) -> Problem:
    """Return the problem that a document is not read, as another file has one of the same name."""
    place = place_of(source, name)
    return Problem(
        place.path,
        place.line,
        name,
        "another document has the same name",
        "that one is read, this one is not",
        beside=place_of(other, name),
    )


def called_by_paths(folder: str, sources: Sequence[Source]) -> list[Source]:
    """Call documents that have no name in their files by the paths of these in their folder."""
    beginning = folder.rstrip("/" + os.sep)
    inner_paths = [source.path.removeprefix(beginning) for source in sources]
    paths = [path.replace(os.sep, "/").lstrip("/") for path in inner_paths]
    exported = [path for source, path in zip(sources, paths) if source.format == "webanno"]
    names_of_export = _names_of_export(exported)
    paths_of_name: dict[str, list[str]] = {}
    for path in paths:
        paths_of_name.setdefault(_without_ending(path), []).append(path)
    called: list[Source] = []
    for source, path in zip(sources, paths):
        name = _without_ending(path)
        # Without their endings, two files may have the same path.
        if len(paths_of_name[name]) > 1:
            name = path
        called.append(named_after(source, names_of_export.get(path, name)))
    return called


def _without_ending(path: str) -> str:
    """Return a path without its ending, and that of a compressed file."""
    for ending in (".gz", ".bz2", ".xz"):
        path = path.removesuffix(ending)
    return os.path.splitext(path)[0]


NO_USERS = ("INITIAL_CAS", "CURATION_USER")
"""Files beside those of users in an export of INCEpTION: a document as imported, and as curated."""


def users_of_export(sources: Iterable[Source]) -> dict[str, list[Source]]:
    """Return the files of each user in an export of INCEpTION, `annotation/DOCUMENT/USER.tsv`.

    Where only what is in the folder `annotation` is given, the folders are known by their names,
    which are those of files.
    """
    users: dict[str, list[Source]] = {}
    below: dict[str, list[Source]] = {}
    for source in sources:
        folder, _, user = _without_ending(source.path.replace(os.sep, "/")).rpartition("/")
        if source.format != "webanno" or user in NO_USERS:
            continue
        if folder.split("/")[-2:-1] == ["annotation"]:
            users.setdefault(user, []).append(source)
        elif folder.endswith((TEXT, ".tsv")):
            below.setdefault(user, []).append(source)
    return users or below


def _names_of_export(paths: Sequence[str]) -> dict[str, str]:
    """Name files of a project of INCEpTION, `annotation/DOCUMENT/USER.tsv`, by their folders.

    Returns:
        What differs in the paths of the folders, by the paths of the files; nothing where the files
        have other names than that of one user, or lie in no folder.
    """
    folders = [path.split("/")[:-1] for path in paths]
    users = {path.split("/")[-1] for path in paths}
    if len(users) != 1 or not all(folders):
        return {}
    # Of a single document nothing differs, and its folder is the last.
    shared = 0
    while all(
        shared + 1 < len(folder) and folder[shared] == folders[0][shared] for folder in folders
    ):
        shared += 1
    return {path: "/".join(folder[shared:]) for path, folder in zip(paths, folders)}
