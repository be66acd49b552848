"""Zip archives, perhaps of untrusted users: they are checked before anything is unpacked.

No name of an archive becomes a name on the disk. All members go to one temporary file that no
folder shows, so nothing can be written elsewhere, and nothing is left when the process is killed.
"""

from __future__ import annotations

import errno
import io
import re
import stat
import struct
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from conll.errors import ConllError, EmptyFileError, pluralize, shorten
from conll.system import BUFFER, AnonymousTempFile, Budget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, BinaryIO
    from zipfile import ZipInfo

    from conll.system import Budget


MEMBERS = 5000
"""The most members that an archive may have."""

RATIO = 500
"""The most times its packed size that a member may unpack to: a shared task's files without their
words come to 200."""

SMALL = 10_000_000
"""The size in bytes up to which a member may unpack at any ratio."""

_CHUNK = 1 << 16
_DAMAGED = BadZipFile, ValueError, OverflowError, NotImplementedError, struct.error, OSError
_ENCRYPTED = 0x1 | 0x40 | 0x2000
"""Bits of a member's flags, one for each way to encrypt it."""


def unpack_archive(
    file: BinaryIO, path: str, budget: Budget | None = None
) -> list[tuple[str, BinaryIO]]:
    """The files in a zip archive, sorted, each with its path below that of the archive.

    Without hidden ones and `__MACOSX`.

    ConllError, which names the member, for an archive that cannot be trusted (absolute or climbing
    paths, links, encryption, duplicate names, too many members, an absurd ratio, compression other
    than deflate), that is damaged, or that unpacks to more than the budget holds.
    """
    try:
        with ZipFile(file) as archive:
            members = _checked(archive, path, file)
            kept = AnonymousTempFile()
            return [
                (name, _unpacked(archive, member, name, kept, budget)) for name, member in members
            ]
    except ConllError:
        raise
    except _DAMAGED as error:
        # seek refuses a wrong offset as an invalid argument; other system errors say nothing about
        # the archive.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        # The other errors are those of the calls that met the damage.
        reason = f" ({error})" if isinstance(error, BadZipFile) else ""
        raise ConllError(path, 0, f"the archive is damaged{reason}; pack it again") from None


def _checked(archive: ZipFile, path: str, file: BinaryIO) -> list[tuple[str, ZipInfo]]:
    """The files to unpack, by name.

    ConllError when anything in the archive is not as it should be.
    """
    members = archive.infolist()
    if len(members) > MEMBERS:
        problem = f"the archive has {len(members)} members, more than {MEMBERS}"
        raise ConllError(path, 0, f"{problem}; send fewer, larger files")
    named: dict[str, ZipInfo] = {}
    for member in members:
        parts = re.split(r"[/\\]", member.orig_filename)
        name = "/".join(part for part in parts if part not in ("", "."))
        wrong = _wrong(member, parts) or ("is in the archive twice" if name in named else "")
        if wrong:
            problem = f"its member {shorten(member.orig_filename)} {wrong}"
            raise ConllError(path, 0, f"the archive is refused: {problem}")
        named[name] = member
    if sum(member.compress_size for member in members) > file.seek(0, 2):
        raise ConllError(path, 0, "the archive is refused: its members overlap")
    files = [
        (f"{path}/{name}", member)
        for name, member in named.items()
        if member.orig_filename[-1] not in "/\\"
        and not name.startswith(("__MACOSX/", "."))
        and "/." not in name
    ]
    if not files:
        raise ConllError(path, 0, "the archive holds no files")
    return sorted(files)


def _wrong(member: ZipInfo, parts: list[str]) -> str:
    """Return what is wrong with a member of this path, judging by what the archive says about it.

    Empty if nothing is.
    """
    name = member.orig_filename
    kind = stat.S_IFMT(member.external_attr >> 16)
    method = member.compress_type
    wrongs = {
        "has an absolute path": not parts[0] or re.match(r"[A-Za-z]:", name),
        "points outside the archive": ".." in parts,
        "has a name that no file can have": "\0" in name or {*parts} <= {"", "."},
        "is a link; pack the file itself": kind == stat.S_IFLNK,
        "is not a regular file": kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK),
        "is encrypted": member.flag_bits & _ENCRYPTED,
        f"is compressed by method {method}; pack with deflate, the usual one": method
        not in (ZIP_STORED, ZIP_DEFLATED),
        f"unpacks to {pluralize(member.file_size, 'byte')}, "
        f"more than {RATIO} times its size in the archive": member.file_size
        > max(SMALL, RATIO * member.compress_size),
    }
    return next((wrong for wrong, applies in wrongs.items() if applies), "")


def _unpacked(
    archive: ZipFile, member: ZipInfo, path: str, kept: AnonymousTempFile, budget: Budget | None
) -> BinaryIO:
    """The content of a member.

    The sizes that an archive states may be wrong, so bytes are counted as they come.
    """
    begin = kept.file.tell()
    try:
        with archive.open(member) as packed:
            while chunk := packed.read(_CHUNK):
                if budget is not None:
                    budget.spend(len(chunk), path)
                kept.write(chunk)
    except (BadZipFile, EOFError, zlib.error) as error:
        problem = f"this member of the archive is damaged ({error}); pack it again"
        raise ConllError(path, 0, problem) from None
    return kept.part(begin)


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
    table: bytes | None = None
    if _NOTES["returns"] in notes:
        table = _NEWLINES
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
        fault = f"damaged ({error})"
        if isinstance(error, EOFError):
            fault = "cut off"
        program = _PROGRAMS[module]
        problem = f"the file, compressed by {program}, is {fault}; copy it again"
        raise ConllError(path, 0, problem) from None


def beginning_of(file: BinaryIO) -> bytes:
    """Return enough of a file to see whether it is compressed or an archive."""
    head = file.read(512)
    file.seek(0)
    return head
