"""A cache of what was counted in the rows of a manifest: a folder of entries.

An entry is a file named by the SHA-256 of everything that can change a count or a warning: both
paths and contents, formats, options, metrics, this code and the libraries that it computes with. It
is JSON, so that an untrusted entry holds numbers and names at worst, and begins with its own
SHA-256: an entry that is damaged is ignored.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256

from conll import formats
from conll.replacing import replacing
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.contents import made_with
from scorer.jobs.isolation import reason_of
from scorer.jobs.manifest import ManifestRow
from scorer.jobs.record import evaluation_of, record_of
from scorer.metrics import METRICS

Contents = tuple[str, str]
"""The hashes of a key and a response, as `scorer.jobs.contents.content_of` returns them."""


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
