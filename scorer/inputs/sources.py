"""Sources of the documents that users pass to the functions of the library."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from hashlib import sha256
from itertools import chain
from marshal import dumps
from math import isnan
from typing import TYPE_CHECKING, Any, TypeGuard

from conll.document import Document
from conll.errors import shown
from conll.source import Source
from conll.syntax import is_empty_node

if TYPE_CHECKING:
    from scorer.keywords import Clusters, Documents

ONLY = "0"
"""The name of the document if clusters come without one."""


def document_of(
    clusters: Clusters | Document, name: str, side: str, *, numbers: bool = False
) -> Document:
    """Return the clusters of one document, or a document, as a document of that name.

    Args:
        clusters: The clusters or the document, which stays as it is.
        name: The name of the document.
        side: Key or response, for messages.
        numbers: Whether a number is a mention, too.
    """
    where = f"{side}, document {name}"
    if not isinstance(clusters, Document):
        return Document(name, clusters_of(clusters, where, numbers=numbers), path=side)
    document = copy(clusters)
    document.name = name
    document.clusters = clusters_of(clusters.clusters, where, numbers=numbers)
    document.path = document.path or side
    return document


class MemorySource(Source):
    """Documents by their names, each clusters or a document, as `scorer.score` takes them.

    Args:
        documents: The documents.
        side: Key or response.
    """

    format = "memory"

    def __init__(self, documents: Mapping[str, Clusters | Document], side: str) -> None:
        self.path = side
        self._documents: dict[str, Document] = {}
        for name, clusters in documents.items():
            check_name(name, side)
            self._documents[name] = document_of(clusters, name, side)

    def names(self) -> list[str]:
        return list(self._documents)

    def read(self, name: str) -> Document | None:
        return self._documents.get(name)

    def chunks(self) -> Iterator[bytes]:
        for name, document in self._documents.items():
            yield content(name, digest_of(document.clusters))


def _is_file(documents: object) -> TypeGuard[str | os.PathLike[str]]:
    is_open = hasattr(documents, "read") and not isinstance(documents, Source)
    return is_open or isinstance(documents, (str, os.PathLike))


def _is_nameless(documents: Documents) -> bool:
    """Return whether this is one document, or its clusters."""
    is_named = isinstance(documents, Source) or hasattr(documents, "keys")
    return not is_named and not _is_file(documents)


def named_alike(
    key: Documents, response: Documents, sides: tuple[str, str] = ("key", "response")
) -> tuple[Documents, Documents]:
    """Return a key and a response whose documents have names on both sides, or on neither.

    A `Document` counts by its name where the documents of the other side have names.

    Args:
        key: The documents of one side.
        response: The documents of the other side.
        sides: The words for the two, for messages.

    Raises:
        TypeError: The documents of one side have names and those of the other do not, or a side is
            neither a file, nor documents or clusters.
    """
    first_side, second_side = sides
    _check_documents(key, first_side)
    _check_documents(response, second_side)
    if _is_nameless(key) == _is_nameless(response):
        return key, response
    if isinstance(key, Document):
        return {key.name: key}, response
    if isinstance(response, Document):
        return key, {response.name: response}
    if _is_nameless(key):
        nameless, named, documents = first_side, second_side, response
    else:
        nameless, named, documents = second_side, first_side, key
    kind = "a mapping from names to clusters"
    if isinstance(documents, (str, os.PathLike)):
        kind = f"the file {os.fspath(documents)}"
    elif isinstance(documents, Source):
        kind = f"the source {documents.path}"
    elif _is_file(documents):
        kind = "an open file"
    problem = f"the {named} is {kind}, and the {nameless} is clusters without a document name"
    raise TypeError(f"{problem}; pass the {nameless} as {{name: clusters}}")


def _check_documents(documents: object, side: str) -> None:
    """Raise TypeError for what is neither a file, nor documents or clusters."""
    if isinstance(documents, (bytes, bytearray)):
        problem = f"the {side} cannot be bytes"
        raise TypeError(f"{problem}; pass a path as text, or the content as io.BytesIO(content)")
    if isinstance(documents, list) and documents and isinstance(documents[0], Document):
        advice = "pass {document.name: document for document in documents}"
        raise TypeError(f"the {side} is a list of documents; {advice}")
    is_iterable = hasattr(documents, "__iter__") or hasattr(documents, "tolist")
    if not (is_iterable or isinstance(documents, Document) or _is_file(documents)):
        advice = "pass a path, an open file, a list of clusters, or {name: clusters}"
        raise TypeError(f"the {side} cannot be {shown(documents)}; {advice}")


def source_of(
    documents: Documents,
    side: str,
    format: str | None = None,  # noqa: A002  the word of the options
    *,
    key: Source | None = None,
) -> Source:
    """Return the documents of the key or the response (`side`) as a source.

    A response in which nothing is marked is recognised by the words of its `key`.

    Raises:
        ValueError: There is a format, but no file to be opened.
    """
    if isinstance(documents, Source):
        if format is not None:
            raise ValueError(f"{side}_format names the format of a file, but the {side} is open")
        return documents
    _check_documents(documents, side)
    if _is_file(documents):
        from conll.io import open_documents

        # What a model writes at the start of its training may be empty.
        return open_documents(documents, format, empty=side == "response", key=key)
    if format is not None:
        raise ValueError(f"{side}_format names the format of a file, but the {side} is in memory")
    named: Any = {ONLY: documents} if _is_nameless(documents) else documents
    return MemorySource(named, side)


def named_documents(
    documents: Mapping[str, Documents] | Iterable[Documents], argument: str, noun: str
) -> dict[str, Documents]:
    """Return the documents of several systems or annotators by name.

    Args:
        documents: A mapping from names, or a list, which is named after its files if all are files,
            and else numbered from 1.
        argument: The name of the argument, a plural, for messages.
        noun: The word for whoever made the documents, for messages.

    Raises:
        TypeError: This is one path, or a name is no text.
    """
    if isinstance(documents, (str, bytes, os.PathLike, Source)):
        advice = f"write a list of {argument} or a mapping from names of {noun}s to them"
        kind = "source" if isinstance(documents, Source) else "path"
        raise TypeError(f"{argument}: this is one {kind}; {advice}")
    if isinstance(documents, Mapping):
        for name in documents:
            check_name(name, argument, f"a {noun}")
        return dict(documents)
    listed = list(documents)
    paths = [os.fspath(item) for item in listed if isinstance(item, (str, os.PathLike))]
    if len(paths) < len(listed):
        return {str(number): item for number, item in enumerate(listed, start=1)}
    return dict(zip(names_of(paths, noun=noun), listed))


ADVICE = "give a list of clusters, each a list of mentions, such as [[(0, 1), (5, 5)], [(3, 4)]]"


def clusters_of(clusters: Clusters, where: str, *, numbers: bool = False) -> list[list[Any]]:
    """Convert clusters into lists of mentions that are equal where their values are.

    A mention is a pair of integers (a tuple, a list or an array) or anything hashable but a number:
    a text, or a tuple, such as that of the pieces of a discontinuous mention. Clusters are lists,
    tuples, sets, arrays, or what else can be iterated over again and again, but no text. All this
    is decided by types, and never by the other clusters.

    Args:
        clusters: The clusters of one document.
        where: The side, and the document, for messages.
        numbers: Whether a number is a mention, too.

    Raises:
        TypeError: Something else is in the place of the clusters, of a cluster or a mention, or
            they are nested too deeply.
        ValueError: A mention holds NaN.

    Examples:
        >>> clusters_of([[[0, 1], [5, 5]], {"Ada"}], "key")
        [[(0, 1), (5, 5)], ['Ada']]
        >>> clusters_of([(0, 1), (5, 5)], "key")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        TypeError: key: the mention 0 is a number; write (0, 0) or '0', ...
    """
    try:
        return _converted(clusters, where, numbers=numbers)
    except RecursionError:
        # The frames of each level would be of no use to anyone.
        raise TypeError(f"{where}: the clusters are nested too deeply; {ADVICE}") from None


def _converted(clusters: Clusters, where: str, *, numbers: bool) -> list[list[Any]]:
    whole = _items(clusters, where, "the clusters")
    lists = [_items(cluster, where, "a cluster") for cluster in whole]
    if _need_no_conversion(list(chain.from_iterable(lists))):
        return lists
    converted: list[list[Any]] = []
    for cluster in lists:
        mentions = [_mention(value, where, numbers=numbers) for value in cluster]
        converted.append(mentions)
    return converted


def _need_no_conversion(mentions: list[Any]) -> bool:
    """Return whether all are texts, or all are pairs of integers, as training loops have them.

    No loop over the mentions is needed to find that out.
    """
    kinds = set(map(type, mentions))
    if kinds <= {str}:
        return True
    if kinds != {tuple} or set(map(len, mentions)) != {2}:
        return False
    return set(map(type, chain.from_iterable(mentions))) == {int}


def _items(value: Any, where: str, role: str) -> list[Any]:
    """List what a cluster, or all clusters, hold; sets in an order that is always the same."""
    # Nearly all are one of these, and whether they are something else takes longer to find out.
    if type(value) is list or type(value) is tuple:
        return list(value)
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, (str, bytes, dict)) or not hasattr(listed, "__iter__"):
        raise TypeError(f"{where}: {role} cannot be {listed!r}; {ADVICE}")
    if hasattr(listed, "__next__"):
        # For the other side, or another metric, nothing would be left of it.
        kind = type(listed).__name__
        raise TypeError(f"{where}: a {kind} can be read only once; pass a list")
    if isinstance(listed, (set, frozenset)):
        return sorted(listed, key=_sorting_key)
    return list(listed)


def _sorting_key(item: Any) -> str:
    """Return a text by which the items of a set are sorted, the same in every process."""
    return repr(sorted(item, key=repr)) if isinstance(item, frozenset) else repr(item)


def _mention(value: Any, where: str, *, numbers: bool) -> Any:
    """Convert a mention, or a part of one, into what has its value as its hash."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, tuple):
        return tuple([_mention(part, where, numbers=True) for part in plain])
    if isinstance(plain, list):
        return _pair(plain, where)
    if hasattr(plain, "__index__") or isinstance(plain, float):
        if not numbers:
            raise TypeError(
                f"{where}: the mention {plain} is a number; write ({plain}, {plain}) or "
                f"{str(plain)!r}, or {ADVICE}"
            )
        if isinstance(plain, float) and isnan(plain):
            raise ValueError(f"{where}: a mention holds {plain}, which is not equal to itself")
        # A tensor's own hash is by identity.
        return plain if isinstance(plain, float) else plain.__index__()
    try:
        hash(plain)
    except TypeError:
        kind = type(plain).__name__
        raise TypeError(
            f"{where}: a mention holds a {kind}, which is not hashable; {ADVICE}"
        ) from None
    return plain


def _pair(values: list[Any], where: str) -> tuple[int, int]:
    """Return the pair of integers that a list holds."""
    integers = [value for value in values if hasattr(value, "__index__")]
    if not integers:
        advice = "pass {name: clusters} or call Accumulator.update once per document"
        raise TypeError(f"{where}: this looks like a list of documents; {advice}")
    if len(values) != 2 or len(integers) != 2:
        advice = "write [start, end], or a tuple if a mention is something else"
        raise TypeError(f"{where}: the mention {values!r} is not a pair of integers; {advice}")
    start, end = values
    return start.__index__(), end.__index__()


def check_name(name: object, where: str, thing: str = "a document") -> None:
    """Check that the name of a thing is text; TypeError if not."""
    if not isinstance(name, str):
        raise TypeError(f"{where}: {thing} is called {shown(name)}; names are text, such as 'a'")


def digest_of(clusters: list[list[Any]]) -> bytes:
    """Hash clusters; equal ones have equal hashes.

    The hash is the SHA-256, as 32 bytes, of `marshal.dumps(clusters, 2)`, or of their `repr` where
    marshal fails. That version of the format has no references, so equal clusters give equal bytes.
    """
    try:
        data = dumps(clusters, 2)
    except ValueError:
        data = repr(clusters).encode("utf-8", "backslashreplace")
    return sha256(data).digest()


def content(name: str, digest: bytes) -> bytes:
    """Return bytes for a document in memory, as a file has them."""
    return f"{name!r} ".encode("utf-8", "backslashreplace") + digest


def unlike(key: list[list[Any]], response: list[list[Any]]) -> str | None:
    """Say what is wrong if all mentions of one side differ in kind from those of the other."""
    key_mention = next(chain.from_iterable(key), None)
    response_mention = next(chain.from_iterable(response), None)
    if key_mention is None or response_mention is None:
        return None
    # Nearly always the first mentions tell.
    if _kind(key_mention) == _kind(response_mention):
        return None
    kinds = set(map(_kind, chain.from_iterable(key)))
    response_kinds = set(map(_kind, chain.from_iterable(response)))
    if kinds & response_kinds or "" in kinds | response_kinds:
        return None
    return (
        f"the key has mentions such as {key_mention!r}, "
        f"the response such as {response_mention!r}; write both alike"
    )


def _kind(mention: Any) -> str:
    """Name what mentions of a side have in common; empty for empty nodes and those in pieces."""
    if isinstance(mention, tuple):
        # A place in a document that is named, as in lists of mentions.
        if isinstance(mention[0], str) and not is_empty_node(mention[0]):
            return "named"
        numbers = all(isinstance(part, (int, float)) for part in mention[:2])
        return f"{len(mention)} parts" if numbers else ""
    return "text" if isinstance(mention, str) and not is_empty_node(mention) else ""


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
        distinct[path] = next((name for name in names if uses[name] == 1), path)
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
            from urllib.parse import unquote

            rest = unquote(re.split(r"[?#]", rest, maxsplit=1)[0])
        is_folder = rest.endswith("/")
        *folders, name = rest.rstrip("/").split("/")
    else:
        *folders, name = os.path.abspath(path).split(os.sep)
    if not suffix and not is_folder:
        name = _SUFFIX.sub("", name, count=1)
    return (*folders, name)
