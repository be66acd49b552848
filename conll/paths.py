"""The files at a path: those of a directory, and those that nobody may exchange during a run."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from conll.errors import ConllError
from conll.system import SYSTEM_FILES, open_file

if TYPE_CHECKING:
    from typing_extensions import Buffer


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


class _OutFile(io.FileIO):
    """A file to write, in whose errors stands the path that the user knows; else they name none."""

    def __init__(self, file: str | int, mode: str, known: str) -> None:
        try:
            super().__init__(file if isinstance(file, str) else os.dup(file), mode)
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

    Anything but a regular file (a pipe, a terminal) is written to directly, and so is a file that
    this process has open already (`/dev/stdout`). OSError, with `path`, when it cannot be written.
    """
    target = os.path.realpath(path)
    direct = _written_directly(path, target)
    if direct is not None:
        mode = "ab" if isinstance(direct, str) else "wb"
        with io.BufferedWriter(_OutFile(direct, mode, path)) as file:
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


def _written_directly(path: str, target: str) -> str | int | None:
    """Return what is written to as it is: a path, or the number of an open file.

    None for a file to replace.
    """
    number = open_file(path)
    if number is not None:
        return number
    is_regular = not os.path.exists(target) or os.path.isfile(target)
    if is_regular and not os.path.abspath(path).startswith(SYSTEM_FILES):
        return None
    return path


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
    direct = _written_directly(path, target)
    if isinstance(direct, int):
        _OutFile(direct, "wb", path).close()
    elif direct is None:
        part = _part_of(target)
        _OutFile(part, "xb", path).close()
        os.unlink(part)
