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
