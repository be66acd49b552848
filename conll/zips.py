"""Zip archives, perhaps of untrusted users: they are checked before anything is unpacked.

No name of an archive becomes a name on the disk. All members go to one temporary file that no
folder shows, so nothing can be written elsewhere, and nothing is left when the process is killed.
"""

import errno
import re
import stat
import struct
import zlib
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from conll.errors import ConllError, pluralize, shorten
from conll.system import AnonymousTempFile, Budget

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
