"""Names of systems, from the files that hold their responses."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

_SUFFIX = re.compile(r"(?<=.)(\.([A-Za-z_]+|\w*conll\w*))?(\.(gz|bz2|xz))?$")
"""What a file's name says of its format: `.conll`, `.jsonl.gz`, `.v4_auto_conll`; a version such as
`.2` belongs to the name."""


def names_of(paths: Sequence[str], given: Iterable[str] = ()) -> list[str]:
    """Return a distinct name for each response, made of its path.

    That is the name of its file without the suffix, and as many folders as make it distinct.

    The suffix stays where two files differ in nothing else. What that does not tell apart, such as
    two ways to write one path, is called by its path: different paths have different names.

    `given` holds names that a user chose, each as `FILE=NAME`, FILE written as in `paths`.
    ValueError when one is for no response or empty or another response's name, and when a path is
    there twice.

    >>> names_of(["run/1/out.conll", "run/2/out.conll", "base-1.5.jsonl.gz", "https://a.org/our%20best.conll?raw=1"])
    ['1/out', '2/out', 'base-1.5', 'our best']
    >>> names_of(["run.conll", "run.jsonl", "run.conll.gz", "./run.jsonl"])
    ['run.conll', 'run.jsonl', 'run.conll.gz', './run.jsonl']
    """
    chosen: dict[str, str] = {}
    for text in given:
        path = max((path for path in paths if text.startswith(f"{path}=")), key=len, default=None)
        if path is None or text == f"{path}=":
            advice = "write FILE=NAME with a FILE that is given as a response"
            raise ValueError(f"names: {text!r} names no response; {advice}")
        if path in chosen:
            raise ValueError(f"names: {path!r} has two names; leave one out")
        chosen[path] = text[len(path) + 1 :]
    told = _told_apart(paths)
    taken: set[str] = set()
    names: list[str] = []
    for path in paths:
        name = chosen.get(path) or told[path]
        if name in taken:
            advice = "name them with FILE=NAME, and give each file once"
            raise ValueError(f"two responses are called {name!r}; {advice}")
        taken.add(name)
        names.append(name)
    return names


def _told_apart(paths: Iterable[str]) -> dict[str, str]:
    """A name for each path, no two alike."""
    parts = {path: _parts(path) for path in paths}
    whole = {path: _parts(path, suffix=True) for path in parts}
    # A name with its suffix may be what another one is without.
    while alike := [path for path in _alike(parts) if parts[path] != whole[path]]:
        parts |= {path: whole[path] for path in alike}
    tails = Counter(
        own[-length:] for own in set(parts.values()) for length in range(1, len(own) + 1)
    )
    names = {path: _shortest(own, tails) for path, own in parts.items()}
    while alike := [path for path in _alike(names) if names[path] != path]:
        names |= {path: path for path in alike}
    return names


def _alike(values: Mapping[str, Hashable]) -> list[str]:
    """The keys that share their value with another."""
    shared = Counter(values.values())
    return [key for key, value in values.items() if shared[value] > 1]


def name_of(path: str) -> str:
    """The name of one file or folder, without what says its format.

    >>> name_of("runs/out.conll.gz")
    'out'
    """
    return _parts(path)[-1]


def _parts(path: str, *, suffix: bool = False) -> tuple[str, ...]:
    if path == "-":
        return ("standard input",)
    if "://" in path:
        return _parts_of_url(path, suffix=suffix)
    folder, name = os.path.split(os.path.abspath(path))
    return (
        *folder.split(os.sep),
        name if suffix or os.path.isdir(path) else _SUFFIX.sub("", name, count=1),
    )


def _parts_of_url(url: str, *, suffix: bool) -> tuple[str, ...]:
    from urllib.parse import unquote

    scheme, _, rest = url.partition("://")
    if scheme in {"http", "https"}:
        rest = unquote(re.split(r"[?#]", rest, maxsplit=1)[0])
    *folders, name = rest.rstrip("/").split("/")
    return (*folders, name if suffix or rest.endswith("/") else _SUFFIX.sub("", name, count=1))


def _shortest(own: tuple[str, ...], tails: Mapping[tuple[str, ...], int]) -> str:
    length = next((length for length in range(1, len(own)) if tails[own[-length:]] == 1), len(own))
    return "/".join(own[-length:])
