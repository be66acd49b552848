"""Files as a source needs them: at rest between reads, unpacked, and written whole or not at all."""

from __future__ import annotations

import io
import os
import shutil
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from conll.errors import ConllError

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = 1 << 16
"""Bytes at the beginning of a file by which its format is known."""

IN_MEMORY = 1 << 26
"""Bytes of an unpacked file that are kept in memory; a longer one goes to a temporary file."""

_CHUNK = 1 << 20
BUFFER = 1 << 13

_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""How compressed files begin, and the module that reads them."""

_PROGRAMS = {"gzip": "gzip", "bz2": "bzip2", "lzma": "xz"}

_MARKS = {b"\xef\xbb\xbf": "a byte-order mark", b"\xff\xfe": "the mark of UTF-16", b"\xfe\xff": "the mark of UTF-16"}
"""How files begin that some editors save; reference 8.01 does not see the line that stands behind it."""


class RestingFile(io.RawIOBase):
    """A file that is opened for each read and closed again once it rests.

    So a directory of thousands of files takes no more open files than one, and processes that share a source do not share
    its position. ConllError when the file is another one, or of another size or time, than it was at first.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self._file: io.FileIO | None = None  # where opening fails, the object is closed all the same
        self._file = io.FileIO(path)
        self._at = 0
        self._state = self._state_of(self._file)

    @staticmethod
    def _state_of(file: io.FileIO) -> tuple[int, ...]:
        state = os.fstat(file.fileno())
        return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns

    def rest(self) -> None:
        """Close the file until it is read again, and after each read from now on."""
        if self._file is not None and not self.closed:
            self._at = self._file.tell()
            self._file.close()
            self._file = None

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._file is not None:
            return self._file.readinto(buffer) or 0
        with io.FileIO(self.path) as file:
            if self._state_of(file) != self._state:
                raise ConllError(self.path, 0, "the file changed while it was being read; run again")
            file.seek(self._at)
            count = file.readinto(buffer) or 0
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if self._file is not None:
            return self._file.seek(offset, whence)
        self._at = offset + (0, self._at, self._state[2])[whence]
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file is None or self._file.seekable()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


class _SpilledFile(io.RawIOBase):
    """An unpacked file on disk without a name. Its position is its own in each process, as that of a RestingFile is."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._at = 0

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = os.pread(self._file.fileno(), len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (0, self._at, os.fstat(self._file.fileno()).st_size)[whence]
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


def open_whole(file: IO[bytes] | IO[str], path: str) -> BinaryIO:
    """A seekable binary file of all that `file` still holds; `file` itself where it is one, at its beginning."""
    if isinstance(file.read(0), str):
        try:
            return io.BytesIO(cast("IO[str]", file).read().encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:
            raise ConllError(path, 0, "the text holds characters that UTF-8 does not have; open the file in binary") from None
    binary = cast("BinaryIO", file)
    if binary.seekable() and binary.tell() == 0:
        return binary
    return io.BytesIO(binary.read())


def head_of(file: BinaryIO, path: str) -> bytes:
    """The first bytes of a file; ConllError when there is nothing to read in it."""
    head = file.read(HEAD)
    file.seek(0)
    for mark, what in _MARKS.items():
        if head.startswith(mark):
            raise ConllError(path, 1, f"the file begins with {what}; save it as plain UTF-8")
    if not head or (len(head) < HEAD and head.isspace()):
        raise ConllError(path, 0, "the file is empty")
    return head


def unpack(file: BinaryIO, path: str) -> BinaryIO:
    """`file`, or what it unpacks to when it is compressed by gzip, bzip2 or xz, whatever its name.

    ConllError when the compressed file is cut off or damaged.
    """
    start = file.read(6)
    file.seek(0)
    module = next((module for magic, module in _PACKED.items() if start.startswith(magic)), None)
    if module is None:
        return file
    unpacked: BinaryIO = io.BytesIO()
    packed = import_module(module).open(file)
    try:
        while chunk := packed.read(_CHUNK):
            if isinstance(unpacked, io.BytesIO) and unpacked.tell() + len(chunk) > IN_MEMORY:
                from tempfile import TemporaryFile

                kept, unpacked = unpacked, cast("BinaryIO", TemporaryFile())  # noqa: SIM115  handed on, open
                unpacked.write(kept.getbuffer())
            unpacked.write(chunk)
    except EOFError:
        unpacked.close()
        raise ConllError(path, 0, f"the file, compressed by {_PROGRAMS[module]}, is cut off; copy it again") from None
    except Exception as error:
        unpacked.close()
        if isinstance(error, OSError) and error.errno is not None:
            raise
        # Each of the three modules has an error of its own, and none of them has a useful base.
        raise ConllError(path, 0, f"the file, compressed by {_PROGRAMS[module]}, is damaged ({error}); copy it again") from None
    if isinstance(unpacked, io.BytesIO):
        unpacked.seek(0)
        return unpacked
    unpacked.flush()
    return io.BufferedReader(_SpilledFile(unpacked), BUFFER)


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` once it is whole; when the writing fails, `path` stays what it was.

    What is no regular file (a pipe, a terminal) is written as it is.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            yield file
        return
    part = f"{target}.{os.getpid()}.part"
    try:
        whole = open(part, "xb")  # noqa: SIM115  closed below; opening it fails under the name that the caller knows
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with whole as file:
            yield file
        if os.path.exists(target):
            shutil.copymode(target, part)
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
