"""Take clusters in memory as they come, decide by type alone what a mention is, and hash them."""

from __future__ import annotations

from hashlib import sha256
from itertools import chain
from marshal import dumps
from math import isnan
from typing import TYPE_CHECKING

from conll.syntax import is_empty_node

if TYPE_CHECKING:
    from typing import Any

    from scorer.keywords import Clusters

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
    if isinstance(item, frozenset):
        return repr(sorted(item, key=repr))
    return repr(item)


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
        raise TypeError(
            f"{where}: {thing} is called {name!r}; names are text, such as {str(name)!r}"
        )


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
        numbers = all(isinstance(part, (int, float)) for part in mention[:2])
        return f"{len(mention)} parts" if numbers else ""
    return "text" if isinstance(mention, str) and not is_empty_node(mention) else ""
