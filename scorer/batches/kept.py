"""The rows that a batch has scored, kept in a file for the next run: a line of JSON for each.

A line has the signature of a row, the paths and hashes of its key and response, and what was
counted. A row is taken over if its signature and its inputs are equal. Nobody has to trust who
wrote the file, see `scorer.jobs.record`.
"""

from __future__ import annotations

import json
import os
from typing import Any

from conll import formats
from conll.errors import ConllError, pluralize
from scorer.evaluation.evaluation import Evaluation
from scorer.jobs.isolation import reason_of
from scorer.jobs.manifest import ManifestRow
from scorer.jobs.record import evaluation_of, record_of
from scorer.metrics import METRICS
from scorer.version import __version__

Contents = tuple[str, str]
"""The hashes of a key and a response, as `scorer.jobs.contents.content_of` returns them."""

START = b'{"signature":'


class KeptRows:
    """The rows in a file, to which others are added as soon as they are scored.

    Args:
        path: The file, which is made if need be.

    Attributes:
        notes: What of the file was not read, and why rows could not be added.

    Raises:
        ConllError: Something else is in the file.
        OSError: It cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.notes: list[str] = []
        self._records: dict[bytes, Any] = {}
        with open(self.path, "a+b") as file:
            file.seek(0)
            content = file.read()
            # The first line may be half-written, too.
            first = content.partition(b"\n")[0]
            if content and (not first or first[: len(START)] != START[: len(first)]):
                advice = "name another file, or one that does not exist"
                raise ConllError(self.path, 1, f"--keep has not written this file; {advice}")
            if content and not content.endswith(b"\n"):
                # So that the next row has a line of its own.
                file.write(b"\n")
        damaged = 0
        for line in content.splitlines():
            try:
                entry = json.loads(line)
                self._records[_json([entry["signature"], entry["inputs"]])] = entry["evaluation"]
            except (ValueError, LookupError, TypeError, RecursionError):
                damaged += 1
        if damaged:
            lines = pluralize(damaged, "damaged line")
            self.notes.append(f"{self.path}: {lines} ignored, as of a run that was interrupted")

    def find(self, row: ManifestRow, contents: Contents) -> Evaluation | None:
        """Return what was counted for a row; None if it is not kept."""
        # What a development version counts may change with every commit.
        if ".dev" in __version__:
            return None
        try:
            return evaluation_of(self._records[_identity(row, contents)], row.scheme)
        except (ValueError, LookupError):
            return None

    def add(self, row: ManifestRow, contents: Contents, evaluation: Evaluation) -> None:
        """Add the line of a row, unless a metric or format is of another package.

        Nothing says when these change.
        """
        names = {name for file in evaluation.inputs for name in file.format.split("+")}
        are_own = all(formats.is_own(name) for name in names)
        if not are_own or not METRICS.keys() >= evaluation.metrics.keys():
            return
        signature, inputs = json.loads(_identity(row, contents))
        entry = {"signature": signature, "inputs": inputs, "evaluation": record_of(evaluation)}
        try:
            with open(self.path, "ab") as file:
                file.write(_json(entry) + b"\n")
        except OSError as error:
            note = f"{self.path}: not all rows could be kept: {reason_of(error)}"
            if note not in self.notes:
                self.notes.append(note)


def _identity(row: ManifestRow, contents: Contents) -> bytes:
    """Return everything that can change a count or a warning, as JSON."""
    signature = {
        "scorer": __version__,
        "metrics": row.metrics,
        "options": row.options.to_dict(),
        "formats": [row.key_format, row.response_format],
    }
    inputs = list(zip((row.key_path, row.response_path), contents))
    return _json([signature, inputs])


def _json(value: object) -> bytes:
    # Names may hold bytes that are not UTF-8; escaped, they survive.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
