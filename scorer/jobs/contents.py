"""Hashes of files and of this code: what two machines, or two runs, must have in common."""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import file_digest, sha256
from importlib.metadata import version

from conll import formats, remote
from conll.paths import files_below
from scorer.version import __version__


def content_of(path: str) -> str:
    """Return the SHA-256 of a file, or of all files below a directory and their names.

    Raises:
        OSError: A file cannot be opened.
    """
    files = None
    if remote.is_url(path):
        files = remote.files_at(path)
    elif os.path.isdir(path):
        files = files_below(path)
    if files is None:
        return _digest(path)
    lines: list[str] = []
    for file in files:
        name = file[len(path) :].lstrip(os.sep)
        lines.append(f"{_digest(file)} {name}\0")
    return hash_text("".join(lines))


def _digest(path: str) -> str:
    if not remote.is_url(path):
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    digest = sha256()
    for piece in remote.fetched(path):
        digest.update(piece)
    return digest.hexdigest()


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, which may hold bytes that are not UTF-8."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


@cache
def made_with() -> dict[str, str]:
    """Return the SHA-256 of the code, as a version is that of a release only, and the libraries.

    The last bit of a sum may differ between versions of the libraries.
    """
    code: list[str] = []
    for module_file in (formats.__file__, __file__):
        package = os.path.dirname(os.path.dirname(module_file))
        code += [_digest(file) for file in files_below(package) if file.endswith(".py")]
    return {
        "scorer": __version__,
        "code": hash_text("".join(code)),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }
