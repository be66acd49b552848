"""Clusters in memory as a source of documents, checked so that a wrong nesting is an error and not a low score."""

from __future__ import annotations

from itertools import chain

from conll.document import Document
from conll.source import Source, altered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from conll.errors import Problem

_PLAIN = {int, str, bytes, float, tuple}
"""Types that are found by value; what a tuple in a mention holds is hashed by Python when it is looked up."""

ADVICE = "give a list of clusters, each a list of mentions, such as [[(0, 1), (5, 5)], [(3, 4)]]"


class MemorySource(Source):
    """Documents made of clusters: a mapping from their names, as `scorer.score` takes them. `side`: key or response."""

    format = "memory"

    def __init__(self, clusters: Mapping[str, Any], side: str) -> None:
        self.path = side
        self.size = 0
        self._documents = {name: Document(name, checked(of_one, side, name), path=side) for name, of_one in clusters.items()}

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> Document | None:
        return self._documents.get(name)

    def line_of(self, name: str) -> int:  # noqa: ARG002  memory has no lines
        return 0

    def problems(self) -> list[Problem]:
        return []

    def part(self, names: Iterable[str]) -> Source:
        return altered(self, _documents={name: self._documents[name] for name in names if name in self._documents})

    def chunks(self) -> Iterator[bytes]:
        for name, document in self._documents.items():
            yield content(name, digest_of(document.clusters))


def content(name: str, digest: bytes) -> bytes:
    """What stands for a document in memory where a file would have its bytes."""
    return f"{name!r} ".encode("utf-8", "backslashreplace") + digest


def digest_of(clusters: object) -> bytes:
    """The SHA-256 of what `repr` makes of them, as 32 bytes."""
    from hashlib import sha256

    return sha256(repr(clusters).encode("utf-8", "backslashreplace")).digest()


def checked(clusters: Iterable[Iterable[Any]], side: str, name: str | None = None) -> list[list[Any]]:
    """Clusters as lists; mentions that are lists become tuples. TypeError, with advice, for what is no list of clusters.

    >>> checked([[[0, 1], [5, 5]], [[3, 4]]], "key")
    [[(0, 1), (5, 5)], [(3, 4)]]
    >>> checked([(0, 1), (5, 5)], "key")
    Traceback (most recent call last):
    TypeError: key: this is a list of mentions without clusters around them; give a list of clusters, each a list of mentions, \
such as [[(0, 1), (5, 5)], [(3, 4)]]
    """
    where = side if name is None else f"{side}, document {name}"
    if isinstance(clusters, (str, bytes, dict)) or not hasattr(clusters, "__iter__"):
        raise TypeError(f"{where}: {_kind(clusters)} is no list of clusters; {ADVICE}")
    lists: list[list[Any]] = []
    for cluster in clusters:
        if isinstance(cluster, (str, bytes, dict)) or not hasattr(cluster, "__iter__"):
            raise TypeError(f"{where}: {_kind(cluster)} stands where a cluster should; {ADVICE}")
        lists.append(list(cluster))
    kinds = set(map(type, chain.from_iterable(lists)))
    if list in kinds:
        lists = [[tuple_of(mention) if type(mention) is list else mention for mention in cluster] for cluster in lists]
    if lists and all(map(_is_span, lists)):
        ids = (
            "" if all(type(cluster) is tuple for cluster in clusters) else "; mentions that are numbers must be written as strings"
        )
        raise TypeError(f"{where}: this is a list of mentions without clusters around them; {ADVICE}{ids}")
    _check_hashable(lists, where)
    return lists


def tuple_of(mention: list[Any]) -> tuple[Any, ...]:
    """A list, and the lists in it, as tuples."""
    return tuple(tuple_of(part) if type(part) is list else part for part in mention)


def _is_span(cluster: list[Any]) -> bool:
    """Whether what should be a cluster is two numbers, the first no larger than the second."""
    return len(cluster) == 2 and all(type(end) is int for end in cluster) and cluster[0] <= cluster[1]


def _check_hashable(clusters: list[list[Any]], where: str) -> None:
    """Mentions must be found by value: a tensor hashes by identity, so that none would ever match."""
    mentions = list(chain.from_iterable(clusters))
    tuples = [mention for mention in mentions if type(mention) is tuple]
    if {*map(type, chain.from_iterable(tuples))} | {*map(type, mentions)} <= _PLAIN:
        return
    for mention in mentions:
        for part in mention if type(mention) is tuple else (mention,):
            if type(part) not in _PLAIN or type(part) is tuple:
                _check_part(part, where)


def _check_part(part: Any, where: str) -> None:
    try:
        found = hash(part)
    except TypeError:
        raise TypeError(
            f"{where}: a mention is or holds {_kind(part)}, which has no hash; {ADVICE} (an array: .tolist())"
        ) from None
    if hasattr(part, "__index__") and found != hash(part.__index__()):
        raise TypeError(f"{where}: a mention holds {_kind(part)}, which is equal to itself only; convert with .tolist() first")


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"
