"""The beginnings of files, which say how they are compressed or archived, and their unpacked bytes.

Zip archives are unpacked in `conll.zips`, whose import takes long.
"""

import io
from collections.abc import Iterator
from importlib import import_module
from typing import IO, BinaryIO

from conll.errors import ConllError, EmptyFileError
from conll.system import BUFFER, AnonymousTempFile, Budget

HEAD = 1 << 16
"""How many bytes at the beginning of a file are looked at to detect its format."""

IN_MEMORY = 1 << 26
"""The size in bytes up to which an unpacked file is kept in memory; a longer one goes to a
temporary file."""

ONE_OF_MANY = 1 << 20
"""The same of a file from a URL, and of one in a directory, of which there may be many."""

_UNPACKED_CHUNK = 1 << 20

PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""How compressed files begin, and the module that reads them."""

_PROGRAMS = {"gzip": "gzip", "bz2": "bzip2", "lzma": "xz"}

_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
"""How archives begin, and files that other programs compressed; the mark of a tar archive comes
later, at `_TAR_MARK`."""

_TAR_MARK = 257

_NEWLINES = bytes.maketrans(b"\r", b"\n")

_MARK = b"\xef\xbb\xbf"
"""How UTF-8 files begin that some editors save."""

_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 files begin."""

_NOTES = {
    "mark": "the file begins with a byte-order mark, which is skipped; "
    "scorer.pl does not see a document that begins there",
    "returns": "the lines end with a carriage return alone, and are read as lines; "
    "scorer.pl sees a single line in such a file",
}
"""The changes that `plain` makes, and how scorer.pl reads the file without them."""


def archive_of(head: bytes) -> str | None:
    """Return the kind of archive, such as zip or 7z, that begins so; None for other files."""
    if head.startswith(b"ustar", _TAR_MARK):
        return "tar"
    return next((kind for beginning, kind in _ARCHIVES.items() if head.startswith(beginning)), None)


def open_url(url: str, limit: int | None = None) -> BinaryIO:
    """Fetch the file at a URL. Raises what `conll.remote.fetched` raises."""
    from conll.remote import fetched

    return _kept(fetched(url, limit), ONE_OF_MANY)


def open_whole(file: IO[bytes] | IO[str], path: str) -> BinaryIO:
    """Return a seekable binary file with the rest of `file`.

    That is `file` itself if it is one and stands at its beginning.
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
    """Return the first bytes of a file; ConllError when there is nothing in it to read."""
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith(_OTHER_MARKS):
        raise ConllError(path, 1, "the file begins with the mark of UTF-16; save it as plain UTF-8")
    if not head or (len(head) < HEAD and head.isspace()):
        raise EmptyFileError(path, 0, "the file is empty")
    return head


def unpack(file: BinaryIO, path: str, budget: Budget | None = None) -> BinaryIO:
    """Unpack a file if it is compressed with gzip, bzip2 or xz, whatever its name.

    ConllError when the compressed file is cut off or damaged, or unpacks to more than the budget
    holds.
    """
    beginning = beginning_of(file)
    for magic, module in PACKED.items():
        if beginning.startswith(magic):
            return _kept(_pieces_of(module, file, path, budget), IN_MEMORY)
    return file


def plain(file: BinaryIO, notes: list[str]) -> BinaryIO:
    """Return the file, or a copy without a byte-order mark and with newlines as line ends."""
    if not notes:
        return file
    file.seek(0)
    if _NOTES["mark"] in notes:
        file.seek(len(_MARK))
    table: bytes | None = _NEWLINES if _NOTES["returns"] in notes else None
    return _kept((piece.translate(table) for piece in pieces(file)), IN_MEMORY)


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Read a file piece by piece."""
    while piece := file.read(_UNPACKED_CHUNK):
        yield piece


def encoding_notes(file: BinaryIO) -> list[str]:
    """Describe what of an uncompressed file is not read as written: here, and by scorer.pl."""
    file.seek(0)
    head = file.read(BUFFER)
    file.seek(0)
    lines = head.rstrip(b"\r\n")
    applies = {"mark": head.startswith(_MARK), "returns": b"\r" in lines and b"\n" not in lines}
    return [sentence for kind, sentence in _NOTES.items() if applies[kind]]


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
        for piece in pieces(import_module(module).open(file)):
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


def beginning_of(file: BinaryIO) -> bytes:
    """Return enough of a file to see whether it is compressed or an archive."""
    head = file.read(512)
    file.seek(0)
    return head
