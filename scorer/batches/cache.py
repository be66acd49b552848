"""A cache of what was counted in the rows of a manifest: a folder of entries.

An entry is a file named by the SHA-256 of everything that can change a count or a warning: both
paths and contents, formats, options, metrics, this code and the libraries that it computes with. It
is JSON, so that an untrusted entry holds numbers and names at worst, and begins with its own
SHA-256: an entry that is damaged is ignored.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from hashlib import file_digest, sha256
from importlib.metadata import version

from conll import formats, remote
from conll.paths import files_below
from conll.replacing import replacing
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.isolation import reason_of
from scorer.jobs.manifest import ManifestRow
from scorer.jobs.record import evaluation_of, record_of
from scorer.metrics import METRICS
from scorer.version import __version__

Contents = tuple[str, str]
"""The hashes of a key and a response, as `content_of` returns them."""


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


class Cache:
    """A folder of entries, created if need be; any number of processes may use it at once.

    Raises:
        OSError: The folder cannot be made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        os.makedirs(self.folder, exist_ok=True)

    def path(self, row: ManifestRow, contents: Contents) -> str:
        """Return the path of an entry: it names everything that can change a count or a warning."""
        description = {
            **made_with(),
            "contents": contents,
            "paths": [row.key_path, row.response_path],
            "formats": [row.key_format, row.response_format],
            "metrics": list(row.scheme.metrics),
            "options": row.options.to_dict(),
        }
        return os.path.join(self.folder, f"{sha256(_json(description)).hexdigest()}.json")

    def load(self, row: ManifestRow, contents: Contents) -> Evaluation | None:
        """Return what was counted for a row, or None when there is no sound entry."""
        try:
            with open(self.path(row, contents), "rb") as file:
                digest, _, content = file.read().partition(b"\n")
            if digest == sha256(content).hexdigest().encode():
                return evaluation_of(json.loads(content), row.scheme)
        except (OSError, ValueError, LookupError, RecursionError):
            pass
        return None

    def store(self, row: ManifestRow, contents: Contents, evaluation: Evaluation) -> str:
        """Write the entry of a row, whole or not at all; return the reason if it is not stored."""
        if not _is_own(evaluation):
            return "it has a metric or a format of another package"
        content = _json(record_of(evaluation))
        digest = sha256(content).hexdigest().encode()
        try:
            with replacing(self.path(row, contents)) as file:
                file.write(digest + b"\n" + content)
        except OSError as error:
            return reason_of(error)
        return ""


def _is_own(evaluation: Evaluation) -> bool:
    """Return whether its metrics and formats are ours; nothing says when those of others change."""
    if not METRICS.keys() >= evaluation.metrics.keys():
        return False
    names = {name for file in evaluation.inputs for name in file.format.split("+")}
    return all(formats.is_own(name) for name in names)


def _json(value: object) -> bytes:
    # Names may hold bytes that are not UTF-8; escaped, they survive.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
