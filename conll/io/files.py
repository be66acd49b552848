"""Files as a source needs them: at rest between reads, unpacked, and written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
from contextlib import contextmanager, suppress
from importlib import import_module

from conll.errors import ConllError, EmptyFileError
from conll.io.placed import BUFFER, NamelessFile, PlacedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, BinaryIO

    from typing_extensions import Buffer

HEAD = 1 << 16
"""How many bytes at the beginning of a file are looked at to detect its format."""

IN_MEMORY = 1 << 26
"""The size in bytes up to which an unpacked file is kept in memory; a longer one goes to a temporary file."""

FETCHED = 1 << 20
"""The same of a file from a URL, of which a directory may hold many."""

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
    "mark": "the file begins with a byte-order mark, which is passed over; scorer.pl does not see a document that begins there",
    "returns": "the lines end with a carriage return alone, and are read as lines; scorer.pl sees a single line in such a file",
}
"""What `plain` smooths out, and how scorer.pl reads it."""


class RestingFile(PlacedFile):
    """A file that, once it rests, is opened for each read and closed again.

    So a directory of thousands of files takes no more open files than a single file, and processes that share a source do not
    share its position. ConllError when the file is no longer the one that was opened first, or its size or time has changed.
    """

    def __init__(self, path: str, opener: Callable[[str, int], int] | None = None) -> None:
        super().__init__()
        self.path = path
        self._opener = opener
        self._file: io.FileIO | None = None  # if opening fails, the object is closed all the same
        self._file = io.FileIO(path, opener=opener)
        self._state = self._state_of(self._file)
        self._size = self._state[2]

    @property
    def identity(self) -> tuple[int, int]:
        """What tells the file from all others on this machine."""
        return self._state[:2]

    @staticmethod
    def _state_of(file: io.FileIO) -> tuple[int, int, int, int, int]:
        state = os.fstat(file.fileno())
        # Whoever writes a file may set its first time back, but not the second.
        return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns

    def rest(self) -> None:
        """Close the file until it is read again, and after each read from now on."""
        if self._file is not None and not self.closed:
            self._at = self._file.tell()
            self._file.close()
            self._file = None

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            return self._read_into(buffer)
        except OSError as error:
            # A disk that fails; an error without a name would be taken for one of standard output.
            error.filename = error.filename or self.path
            raise

    def _read_into(self, buffer: bytearray | memoryview) -> int:
        if self._file is not None:
            return self._file.readinto(buffer) or 0
        with io.FileIO(self.path, opener=self._opener) as file:
            if self._state_of(file) != self._state:
                raise ConllError(self.path, 0, "the file changed while it was being read; run again")
            file.seek(self._at)
            count = file.readinto(buffer) or 0
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return super().seek(offset, whence) if self._file is None else self._file.seek(offset, whence)

    def seekable(self) -> bool:
        return self._file is None or self._file.seekable()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def open_itself(path: str, flags: int) -> int:
    """Open a file and no link to one, without waiting for whoever writes to a pipe, where the system can; for `io.FileIO`."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def is_packed(head: bytes) -> bool:
    """Whether a file that begins like this is compressed with gzip, bzip2 or xz."""
    return head.startswith(tuple(_PACKED))


def archive_of(head: bytes) -> str | None:
    """The kind of archive (zip, tar, 7z, rar) that begins with this head; None for other files."""
    if head.startswith(b"ustar", _TAR_MARK):
        return "tar"
    return next((kind for beginning, kind in _ARCHIVES.items() if head.startswith(beginning)), None)


class Budget:
    """How many bytes may still be read of what somebody handed in; compressed files count as they unpack."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit

    def spend(self, size: int, path: str) -> None:
        """Count what is read from a file; ConllError when the total is too much."""
        self._left -= size
        if self._left < 0:
            raise ConllError(path, 0, f"this is more than {size_text(self._limit)}, the size limit")


def size_text(size: int) -> str:
    """An exact number of bytes in the largest unit that fits: `500 MB`, where a MB is 1024 KB."""
    for unit in ("bytes", "KB", "MB"):
        if size % 1024 or not size:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GB"


def open_url(url: str, limit: int | None = None) -> BinaryIO:
    """The file at a URL, fetched whole. Raises what `conll.io.remote.fetched` raises."""
    from conll.io.remote import fetched

    return _kept(fetched(url, limit), FETCHED)


def open_whole(file: IO[bytes] | IO[str], path: str) -> BinaryIO:
    """A seekable binary file with the rest of `file`; `file` itself if it is one already and stands at its beginning."""
    if isinstance(file.read(0), str):
        try:
            text: IO[str] = file  # type: ignore[assignment]  # as it reads text
            rest = text.read().encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ConllError(path, 0, "the text holds characters that UTF-8 does not have; open the file in binary") from None
    else:
        binary: BinaryIO = file  # type: ignore[assignment]  # what reads no text
        if binary.seekable() and binary.tell() == 0:
            return binary
        rest = binary.read()
    if not rest and file.seekable() and file.tell():
        raise ConllError(path, 0, "the open file stands at its end; seek to its beginning, or open it once for each use")
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

    ConllError when the compressed file is cut off or damaged, or unpacks to more than the budget holds.
    """
    start = file.read(6)
    file.seek(0)
    module = next((module for magic, module in _PACKED.items() if start.startswith(magic)), None)
    return file if module is None else _kept(_pieces_of(module, file, path, budget), IN_MEMORY)


def plain(file: BinaryIO, odd: list[str]) -> BinaryIO:
    """`file`, or a copy without what `oddities` finds in it: a byte-order mark is left out, carriage returns become newlines."""
    return _kept(_plain(file, returns=_ODD["returns"] in odd), IN_MEMORY) if odd else file


def oddities(file: BinaryIO) -> list[str]:
    """What is odd about an uncompressed file, as sentences that say how it is read here and how scorer.pl reads it."""
    file.seek(0)
    head = file.read(BUFFER)
    sentences = [_ODD["mark"]] if head.startswith(_MARK) else []
    if b"\r" in head and _ends_with_returns(file, head):
        sentences.append(_ODD["returns"])
    file.seek(0)
    return sentences


def _ends_with_returns(file: BinaryIO, head: bytes) -> bool:
    """Whether the lines of a file that begins with `head` end with a carriage return alone: no newline except at its end."""
    inside = False
    while head:
        text = head.rstrip(b"\r\n")
        if b"\n" in text:
            return False
        following = file.read(_CHUNK)
        if following and b"\n" in head:
            return False
        inside = inside or b"\r" in (head if following else text)
        head = following
    return inside


def _plain(file: BinaryIO, *, returns: bool) -> Iterator[bytes]:
    piece = file.read(_CHUNK).removeprefix(_MARK)
    while piece:
        yield piece.translate(_NEWLINES) if returns else piece
        piece = file.read(_CHUNK)


def _kept(pieces: Iterator[bytes], in_memory: int) -> BinaryIO:
    """A file of these pieces: in memory or, if they have more bytes than `in_memory`, in a file that no folder shows."""
    memory = io.BytesIO()
    for piece in pieces:
        memory.write(piece)
        if memory.tell() > in_memory:
            nameless = NamelessFile()
            nameless.write(memory.getbuffer())
            del memory
            for rest in pieces:
                nameless.write(rest)
            return nameless.part(0)
    memory.seek(0)
    return memory


def _pieces_of(module: str, file: BinaryIO, path: str, budget: Budget | None) -> Iterator[bytes]:
    packed = import_module(module).open(file)
    while True:
        try:
            piece = packed.read(_CHUNK)
        except EOFError:
            raise ConllError(path, 0, f"the file, compressed by {_PROGRAMS[module]}, is cut off; copy it again") from None
        except (ConllError, MemoryError):
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            # Each of the three modules has an error of its own, and none of them has a useful base.
            raise ConllError(path, 0, f"the file, compressed by {_PROGRAMS[module]}, is damaged ({error}); copy it again") from None
        if not piece:
            return
        if budget is not None:
            budget.spend(len(piece), path)
        yield piece


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
    """A file to write that takes the place of `path` once it is complete; if writing fails, `path` stays as it was.

    Anything but a regular file (a pipe, a terminal) is written to directly. OSError, with `path`, when it cannot be written.
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
    """A name beside a file for what is not complete yet; a new one each time, as a run that is killed leaves its file behind."""
    return f"{target}.{os.urandom(8).hex()}.part"


def try_replacing(path: str) -> None:
    """OSError if `replacing` could not write `path`, which one had better know before the work than after it."""
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.path.exists(target) or os.path.isfile(target):
        part = _part_of(target)
        _OutFile(part, "xb", path).close()
        os.unlink(part)
