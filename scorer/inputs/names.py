"""Names of systems, from the files that hold their responses."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SUFFIX = re.compile(r"(?<=.)(\.([A-Za-z_]+|\w*conll\w*))?(\.(gz|bz2|xz))?$")
"""What a file's name says of its format: `.conll`, `.jsonl.gz`, `.v4_auto_conll`; a version such as
`.2` belongs to the name."""


def names_of(
    paths: Sequence[str], given: Iterable[str] = (), files: Mapping[str, str] | None = None
) -> list[str]:
    """Make a distinct name for each response of its path.

    That is the name of its file without the suffix, and as many folders as make it distinct; where
    none do, with the suffix, or else the path.

    Args:
        paths: The paths of the responses.
        given: Names that a user chose, each as `FILE=NAME`.
        files: The path that each FILE means; by default FILE is written as in `paths`.

    Raises:
        ValueError: A name is for no response, empty, or another response's name, or a path appears
            twice.

    >>> names_of(["run/1/out.conll", "run/2/out.conll", "base-1.5.jsonl.gz", "https://a.org/our%20best.conll?raw=1"])
    ['1/out', '2/out', 'base-1.5', 'our best']
    >>> names_of(["run.conll", "run.jsonl", "run.conll.gz", "./run.jsonl"])
    ['run.conll', 'run.jsonl', 'run.conll.gz', './run.jsonl']
    """
    files = {path: path for path in paths} if files is None else files
    chosen: dict[str, str] = {}
    for text in given:
        file = max((file for file in files if text.startswith(f"{file}=")), key=len, default=None)
        if file is None or text == f"{file}=":
            advice = "write FILE=NAME with a FILE that is given as a response"
            raise ValueError(f"names: {text!r} names no response; {advice}")
        if files[file] in chosen:
            raise ValueError(f"names: {file!r} has two names; leave one out")
        chosen[files[file]] = text[len(file) + 1 :]
    distinct = _distinct_names(set(paths))
    names = [chosen.get(path) or distinct[path] for path in paths]
    for name, number in Counter(names).items():
        if number > 1:
            advice = "name them with FILE=NAME, and give each file once"
            raise ValueError(f"two responses are called {name!r}; {advice}")
    return names


def _distinct_names(paths: Iterable[str]) -> dict[str, str]:
    """Return the first of the possible names of each path that no other path may have."""
    possible: dict[str, list[str]] = {}
    for path in paths:
        parts = [_parts(path, suffix=suffix) for suffix in (False, True)]
        ends = ["/".join(part[-n:]) for part in parts for n in range(1, len(part) + 1)]
        possible[path] = [*dict.fromkeys([*ends, path])]
    uses = Counter(chain.from_iterable(possible.values()))
    return {
        path: next((name for name in names if uses[name] == 1), path)
        for path, names in possible.items()
    }


def name_of(path: str) -> str:
    """Return the name of one file or folder, without what says its format.

    >>> name_of("runs/out.conll.gz")
    'out'
    """
    return _parts(path)[-1]


def _parts(path: str, *, suffix: bool = False) -> tuple[str, ...]:
    """Split a path into its folders and the name of the file, with its suffix or without."""
    if path == "-":
        return ("standard input",)
    is_folder = os.path.isdir(path)
    if "://" in path:
        from urllib.parse import unquote

        scheme, _, rest = path.partition("://")
        if scheme in {"http", "https"}:
            rest = unquote(re.split(r"[?#]", rest, maxsplit=1)[0])
        is_folder = rest.endswith("/")
        *folders, name = rest.rstrip("/").split("/")
    else:
        *folders, name = os.path.abspath(path).split(os.sep)
    return (*folders, name if suffix or is_folder else _SUFFIX.sub("", name, count=1))
