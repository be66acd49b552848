"""The files at a path: those of a directory, and those that nobody may exchange during a run."""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import TYPE_CHECKING

from conll.errors import ConllError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def open_itself(path: str, flags: int) -> int:
    """Open a file for `io.FileIO`, but no link, and without waiting at a pipe, where possible."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


ANNOTATIONS, TEXT = ".ann", ".txt"
"""The endings of brat's files: annotations, and the text that they are about."""


def without_texts(paths: Iterable[str]) -> list[str]:
    """Leave out the texts that are read with the annotations next to them."""
    texts = {os.path.splitext(path)[0] + TEXT for path in paths if path.endswith(ANNOTATIONS)}
    return [path for path in paths if path not in texts]


def identity(state: os.stat_result) -> tuple[int, int]:
    """Return the device and the number of a file."""
    return state.st_dev, state.st_ino


def open_listed(among: Collection[tuple[int, int]], path: str, name: str) -> io.FileIO:
    """The file at a path.

    ConllError when it is none of these, as whoever put it there has put another in its place.
    """
    try:
        file = io.FileIO(path, opener=open_itself)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    else:
        if identity(os.fstat(file.fileno())) in among:
            return file
        file.close()
    advice = "use a regular file, and do not change it during a run"
    raise ConllError(name, 0, f"the file was replaced while it was being read; {advice}")


def files_in(path: str, passed_over: Collection[str] = ()) -> list[str] | None:
    """`files_below` for a directory, which may be at a URL; None when it is not a directory."""
    if "://" in path:
        from conll.remote import files_at

        return files_at(path)
    return files_below(path, passed_over) if os.path.isdir(path) else None


def files_below(path: str, passed_over: Collection[str] = ()) -> list[str]:
    """The paths of all files below a directory, sorted.

    Files and folders whose name begins with a dot or is in `passed_over` are skipped. ConllError
    when they lie too deep, and for a pipe or the like, for whose writer a reader would wait.
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
    for file in paths:
        if os.path.exists(file) and not os.path.isfile(file):
            raise ConllError(file, 0, "this is not a regular file; take it out of the folder")
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
            regular.add(identity(state))
        elif not stat.S_ISDIR(state.st_mode):
            raise ConllError(shown, 0, "this is not a regular file")
    return regular
