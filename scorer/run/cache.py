"""Counts kept in a folder, so that nothing is counted twice.

An entry is a file named by the SHA-256 of everything that can change a count: both contents, formats, options, metrics, this code
and the libraries that it computes with. It repeats all that inside, and begins with the SHA-256 of the rest. Contents may move to
other paths, so an entry names only those of files in a directory or an archive, relative to it. It is JSON, so that a stranger's
entry holds numbers and names at worst; an entry that is damaged, or is not for what its name says, is ignored.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

import conll
from conll import formats
from conll.errors import Place
from conll.io.opening import files_below
from conll.io.remote import RemoteFile, files_at, is_url
from scorer import registry
from scorer.run.record import evaluation_of, record_of
from scorer.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from conll.errors import Side
    from scorer.evaluation.evaluation import Evaluation
    from scorer.options import Options

FORMAT = 2
"""The version of the form of entries; raised whenever that changes."""
LEFT = 24 * 3600
"""Seconds after which a partial file that a killed process left is removed."""

_PART = re.compile(r"\.[0-9a-f]{64}\.json\.([0-9a-f]{8})[0-9a-f]{8}\.part")
"""The name `Cache.store` gives an entry while writing it, with its run; other files in the folder are not ours."""


@dataclass(frozen=True)
class Content:
    """What a file or a directory holds: the SHA-256 of its bytes as stored, and its `state_of` before they were read."""

    sha256: str
    state: tuple[object, ...]


def content_of(path: str) -> Content:
    """Read the file or all files below the directory, which may be at a URL; OSError when one cannot be opened."""
    state = state_of(path)
    files = _files(path)
    if files == [path]:
        return Content(_digest(path), state)
    digest = sha256()
    for file in files:
        digest.update(f"{_digest(file)} {file[len(path) :].lstrip(os.sep)}\0".encode("utf-8", "surrogateescape"))
    return Content(f"directory:{digest.hexdigest()}", state)


def state_of(path: str) -> tuple[object, ...]:
    """Which files there are at that path, how large they are, and when they were written; differs once one has changed."""
    return tuple((file, *_state(file)) for file in _files(path))


def _state(file: str) -> tuple[object, ...]:
    if is_url(file):
        with RemoteFile(file) as remote:
            return remote.state
    status = os.stat(file)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_readable_twice(path: str) -> bool:
    """Whether there are only regular files at that path: no pipes, no devices."""
    return is_url(path) or all(stat.S_ISREG(os.stat(file).st_mode) for file in _files(path))


def _files(path: str) -> list[str]:
    if is_url(path):
        files = files_at(path)
        return [path] if files is None else files
    return files_below(path) if os.path.isdir(path) else [path]


def _digest(path: str) -> str:
    digest = sha256()
    with RemoteFile(path) if is_url(path) else open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def described(
    key: Content,
    response: Content,
    counted: Sequence[str],
    options: Options,
    key_format: str | None = None,
    response_format: str | None = None,
) -> dict[str, Any]:
    """Everything that can change a count, which is what an entry is for. `counted` are the names of the metrics."""
    return {
        "entry": FORMAT,
        **_made_with(),
        "key": key.sha256,
        "response": response.sha256,
        "key_format": key_format,
        "response_format": response_format,
        "metrics": list(counted),
        "options": options.to_dict(),
    }


@cache
def _made_with() -> dict[str, str]:
    """The versions of the code and of what it adds and aligns with: the last bit of a sum may differ between them."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {
        "scorer": __version__,
        "code": _code(),
        "python": python,
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


def _code() -> str:
    """The SHA-256 of the code: a version number stands for a release only, and changed code must not get what it counted before."""
    digest = sha256()
    for folder in (os.path.dirname(conll.__file__), os.path.dirname(os.path.dirname(__file__))):
        for file in files_below(folder):
            if file.endswith(".py"):
                digest.update(f"{os.path.relpath(file, folder)} {_digest(file)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def is_ours(evaluation: Evaluation) -> bool:
    """Whether only our own metrics and formats made it: nothing says when those of another package change."""
    read = {name for one in evaluation.inputs for name in one.format.split("+")}
    return all(map(registry.is_own, evaluation.metrics)) and all(map(formats.is_own, read))


class Cache:
    """A folder of entries, created if need be; OSError when it cannot be. Any number of processes may use it at once."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self._run = secrets.token_hex(4)
        os.makedirs(self.folder, exist_ok=True)
        # Another run may still be writing what is not old.
        self._remove(lambda part, _: time.time() - os.stat(part).st_mtime > LEFT)

    def tidy(self) -> None:
        """Remove what processes of this run have left half-written, as they were killed; none may be at work any more."""
        self._remove(lambda _, run: run == self._run)

    def _remove(self, unwanted: Callable[[str, str], bool]) -> None:
        """Remove the partial files that are unwanted, by their paths and the runs that they are of."""
        for name in os.listdir(self.folder):
            match = _PART.fullmatch(name)
            if match:
                part = os.path.join(self.folder, name)
                # Another run may remove it first.
                with suppress(OSError):
                    if unwanted(part, match[1]):
                        os.unlink(part)

    def path(self, description: dict[str, Any]) -> str:
        """The file of the entry for a description that `described` made."""
        return os.path.join(self.folder, f"{sha256(_json(description)).hexdigest()}.json")

    def load(self, description: dict[str, Any], empty: Evaluation, paths: Mapping[Side, str]) -> Evaluation | None:
        """The evaluation in the entry, with the metrics and options of `empty`; None when there is no sound entry.

        Its problems name the files of each side at these `paths`.
        """
        try:
            with open(self.path(description), "rb") as file:
                digest, _, content = file.read().partition(b"\n")
        except OSError:
            return None
        if digest != sha256(content).hexdigest().encode():
            return None
        try:
            entry = json.loads(content)
            if _json(entry["for"]) != _json(description):
                return None
            return evaluation_of(entry["evaluation"], empty, lambda place: _at(place, paths))
        except (ValueError, TypeError, LookupError, RecursionError):
            return None

    def store(self, description: dict[str, Any], evaluation: Evaluation, paths: Mapping[Side, str]) -> None:
        """Write the entry, completely or not at all; `paths` are those of the two sides. OSError when it cannot be written."""
        content = _json({"for": description, "evaluation": record_of(evaluation, lambda place: _within(place, paths))})
        path = self.path(description)
        part = os.path.join(self.folder, f".{os.path.basename(path)}.{self._run}{secrets.token_hex(4)}.part")
        try:
            with open(part, "xb") as file:
                file.write(sha256(content).hexdigest().encode() + b"\n" + content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _json(value: object) -> bytes:
    # Names may hold bytes that are not UTF-8; escaped, they survive.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _within(place: Place, paths: Mapping[Side, str]) -> Place:
    """The place as written in an entry: its path relative to that of its side, empty if the two are the same."""
    root = paths[place.side]
    if not place.path.startswith(root):
        raise ValueError(f"{place.path} is not below {root}")
    return Place(place.path[len(root) :].lstrip(os.sep), place.line, place.side)


def _at(place: Place, paths: Mapping[Side, str]) -> Place:
    root = paths[place.side]
    return Place(os.path.join(root, place.path) if place.path else root, place.line, place.side)
