"""Names of systems, from the files that hold their responses."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SUFFIX = re.compile(r"(?<=.)(\.([A-Za-z_]+|\w*conll\w*))?(\.(gz|bz2|xz))?$")
"""The end of a file's name that names its format: `.conll`, `.jsonl.gz`, `.v4_auto_conll`.

A version such as `.2` belongs to the name.
"""


def names_of(
    paths: Sequence[str],
    given: Iterable[str] = (),
    files: Mapping[str, str] | None = None,
    *,
    noun: str = "response",
) -> list[str]:
    """Make a distinct name for each response of its path.

    That is the name of its file without the suffix, and as many folders as make it distinct; where
    none do, with the suffix, or else the path.

    Args:
        paths: The paths of the responses.
        given: Names that a user chose, each as `FILE=NAME`.
        files: The path that each FILE means; by default FILE is written as in `paths`.
        noun: The word for a file, for messages.

    Raises:
        ValueError: A name is for no response, empty, or another response's name, or a path appears
            twice.

    Examples:
        >>> names_of(["run/1/out.conll", "run/2/out.conll", "https://a.org/our%20best.conll?raw=1"])
        ['1/out', '2/out', 'our best']
        >>> names_of(["base-1.5.jsonl.gz"])
        ['base-1.5']
        >>> names_of(["run.conll", "run.jsonl", "run.conll.gz", "./run.jsonl"])
        ['run.conll', 'run.jsonl', 'run.conll.gz', './run.jsonl']
    """
    if files is None:
        files = dict(zip(paths, paths))
    chosen: dict[str, str] = {}
    for text in given:
        matching = [file for file in files if text.startswith(f"{file}=")]
        file = max(matching, key=len, default=None)
        if file is None or text == f"{file}=":
            advice = "write FILE=NAME with a FILE that is given"
            raise ValueError(f"names: {text!r} names no {noun}; {advice}")
        if files[file] in chosen:
            raise ValueError(f"names: {file!r} has two names; leave one out")
        chosen[files[file]] = text[len(file) + 1 :]
    distinct = _distinct_names(set(paths))
    names = [chosen.get(path) or distinct[path] for path in paths]
    for name, number in Counter(names).items():
        if number > 1:
            advice = "name them with FILE=NAME, and give each file once"
            raise ValueError(f"two {noun}s are called {name!r}; {advice}")
    return names


def _distinct_names(paths: Iterable[str]) -> dict[str, str]:
    """Return the first of the possible names of each path that no other path may have."""
    possible: dict[str, list[str]] = {}
    for path in paths:
        candidates = _ends(_parts(path)) + _ends(_parts(path, suffix=True)) + [path]
        possible[path] = list(dict.fromkeys(candidates))
    uses = Counter(chain.from_iterable(possible.values()))
    distinct: dict[str, str] = {}
    for path, names in possible.items():
        unique = [name for name in names if uses[name] == 1]
        distinct[path] = unique[0] if unique else path
    return distinct


def _ends(parts: Sequence[str]) -> list[str]:
    """List the last part of a path, the last two, and so on.

    Examples:
        >>> _ends(["run", "1", "out"])
        ['out', '1/out', 'run/1/out']
    """
    return ["/".join(parts[-number:]) for number in range(1, len(parts) + 1)]


def name_of(path: str) -> str:
    """Return the name of a file or folder, without the end that names its format.

    Examples:
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
        scheme, _, rest = path.partition("://")
        if scheme in {"http", "https"}:
            rest = unquote(re.split(r"[?#]", rest, maxsplit=1)[0])
        is_folder = rest.endswith("/")
        *folders, name = rest.rstrip("/").split("/")
    else:
        *folders, name = os.path.abspath(path).split(os.sep)
    if not suffix and not is_folder:
        name = _SUFFIX.sub("", name, count=1)
    return (*folders, name)
