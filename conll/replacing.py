"""Replace a file once its new content is complete."""

from __future__ import annotations

import errno
import io
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from typing_extensions import Buffer


MOST_LINKS = 40
"""How many links in a row Linux follows."""


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
    number = _open_file(path)
    if number is not None:
        return number
    is_regular = not os.path.exists(target) or os.path.isfile(target)
    if is_regular and not os.path.abspath(path).startswith("/proc/"):
        return None
    return path


def _open_file(path: str) -> int | None:
    """Return the number of the open file of this process that a path leads to, if it does.

    Such a path is `/dev/stdout` or `/dev/fd/3`. What others write there before and after must stay,
    so it is neither replaced nor opened anew, which would start at its beginning.
    """
    own_files = ("/dev/fd", f"/proc/{os.getpid()}/fd")
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        if name.isdecimal() and os.path.realpath(folder) in own_files:
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


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
