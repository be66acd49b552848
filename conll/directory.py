"""Directories and archives: the sources of their files as one source."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conll.errors import ConllError, Problem
from conll.source import Source, named_after, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conll.document import Document


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
        for source in sources:
            self.unnamed.update(source.unnamed)
            self._problems += source.problems()
            for name in source.names():
                if name in self._holders:
                    self._problems.append(_unread(self._holders[name], source, name))
                self._holders[name] = source

    def names(self) -> list[str]:
        return list(self._holders)

    def read(self, name: str) -> Document | None:
        return self._holders[name].read(name) if name in self._holders else None

    def problems(self) -> list[Problem]:
        return self._problems

    def files(self) -> list[Source]:
        # A file of a directory may be an archive, which is a source of several files itself.
        files: list[Source] = []
        for source in self.sources:
            files += source.files()
        return files

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

    def _place(self, name: str) -> tuple[str, int]:
        if name not in self._holders:
            return self.path, 0
        place = place_of(self._holders[name], name)
        return place.path, place.line


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
    paths = [_path_in(folder, source.path) for source in sources]
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


def _path_in(folder: str, path: str) -> str:
    """Return the path of a file in a folder or an archive."""
    return path.removeprefix(folder.rstrip("/" + os.sep)).replace(os.sep, "/").lstrip("/")


def _without_ending(path: str) -> str:
    """Return a path without its ending, and that of a compressed file."""
    for ending in (".gz", ".bz2", ".xz"):
        path = path.removesuffix(ending)
    return os.path.splitext(path)[0]


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
