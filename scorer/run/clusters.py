"""Clusters in memory as a source of documents, checked so that a wrong nesting is an error and not a low score."""

from __future__ import annotations

from itertools import chain, islice
from math import isnan
from typing import TYPE_CHECKING

from conll.document import Document
from conll.source import Source
from conll.syntax import is_empty_node
from scorer.run.packed import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from conll.errors import Problem

_PLAIN = {int, str, bytes, float, bool, type(None)}
"""Types that hash by value and hold nothing else."""

ADVICE = "give a list of clusters, each a list of mentions, such as [[(0, 1), (5, 5)], [(3, 4)]]"

FLAT = "this is a list of mentions without clusters around them"
NUMBERED = "; mentions that are numbers must be written as strings"

DOCUMENTS = (
    "there is one list too many around the mentions, as in a list of documents; score each document by itself, or give a mapping "
    "from names to the clusters of each (if these are mentions, in pieces or of several names, write each as a string)"
)

NAMED = "these are names with clusters beside them; give a mapping from names to clusters, which dict() makes of pairs"

UNEVEN = "write them alike, or as strings if they are no spans (several documents: a mapping from names to the clusters of each)"


class MemorySource(Source):
    """Documents made of clusters: a mapping from their names, as `scorer.score` takes them. `side`: key or response."""

    format = "memory"

    def __init__(self, clusters: Mapping[str, Any], side: str) -> None:
        self.path = side
        self.size = 0
        for name in clusters:
            check_name(name, side)
        self._documents = {name: Document(name, checked(of_one, side, name), path=side) for name, of_one in clusters.items()}

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> Document | None:
        return self._documents.get(name)

    def line_of(self, name: str) -> int:  # noqa: ARG002  memory has no lines
        return 0

    def problems(self) -> list[Problem]:
        return []

    def chunks(self) -> Iterator[bytes]:
        for name, document in self._documents.items():
            yield content(name, digest_of(document.clusters))


def check_name(name: object, where: str, thing: str = "a document") -> None:
    """TypeError for the name of a thing that is no text: names are looked through, joined and written."""
    if not isinstance(name, str):
        raise TypeError(f"{where}: {thing} is called {name!r}, {_kind(name)}; names are text, such as {str(name)!r}")


def content(name: str, digest: bytes) -> bytes:
    """The stand-in, for a document in memory, for the bytes of a file."""
    return f"{name!r} ".encode("utf-8", "backslashreplace") + digest


def checked(clusters: Iterable[Iterable[Any]], side: str, name: str | None = None) -> list[list[Any]]:
    """Clusters as lists, without lists, arrays or tensors in mentions. TypeError, with advice, for what is no list of clusters.

    How deep the mentions lie decides what a value is: a list of clusters is two lists around mentions. A mention is a name, any
    hashable, or a list or tuple that holds a number. Only the mentions together tell those that are in pieces, as
    `((3, 4), (6, 6))`, from clusters nested one list deeper: they are read as pieces where another mention is not in pieces.

    >>> checked([[[0, 1], [5, 5]], [[3, 4]]], "key")
    [[(0, 1), (5, 5)], [(3, 4)]]
    >>> checked([(0, 1), (5, 5)], "key")
    Traceback (most recent call last):
    TypeError: key: this is a list of mentions without clusters around them; give a list of clusters, each a list of mentions, \
such as [[(0, 1), (5, 5)], [(3, 4)]]
    """
    where = side if name is None else f"{side}, document {name}"
    given = _listed(clusters, where, "is no list of clusters")
    lists: list[list[Any]] = []
    for cluster in given:
        if type(cluster) is list or type(cluster) is tuple:
            lists.append([*cluster])
        else:
            lists.append([*_listed(cluster, where, "stands where a cluster should")])
    mentions = list(chain.from_iterable(lists))
    kinds = set(map(type, mentions))
    if kinds <= {str}:
        return lists
    # Pairs of integers, as training loops have them, are told without a loop over them.
    if kinds == {tuple} and set(map(len, mentions)) == {2} and set(map(type, chain.from_iterable(mentions))) == {int}:
        return lists
    try:
        lists = [[_plain(mention, where) for mention in cluster] for cluster in lists]
    except RecursionError:
        raise TypeError(f"{where}: the lists in it have no end; {ADVICE}") from None
    numbered = "" if all(type(cluster) is tuple for cluster in given) else NUMBERED
    _check_depth(lists, where, f"{FLAT}; {ADVICE}{numbered}", is_array=hasattr(clusters, "tolist"))
    return lists


def check_alike(key: list[list[Any]], response: list[list[Any]], name: str) -> None:
    """TypeError when the mentions of the two sides are `unlike`."""
    problem = unlike(key, response)
    if problem:
        raise TypeError(f"document {name}: {problem}")


def unlike(key: list[list[Any]], response: list[list[Any]]) -> str | None:
    """What is wrong where the mentions of one side are all made otherwise than those of the other, so that none could match."""
    firsts = [mention for side in (key, response) for mention in islice(chain.from_iterable(side), 1)]
    if len(set(map(_make, firsts))) < 2:
        return None
    makes, others = ({*map(_make, chain.from_iterable(side))} for side in (key, response))
    if makes.isdisjoint(others) and "" not in makes | others:
        return f"the key has mentions such as {firsts[0]!r}, the response such as {firsts[1]!r}; write both alike"
    return None


def _make(mention: Any) -> str:
    """What the mentions of a side mostly share; nothing where that says little, as of empty nodes and of mentions in pieces."""
    if _is_number(mention):
        return "number"
    if isinstance(mention, tuple):
        return f"{len(mention)} parts" if all(map(_is_number, mention[:2])) else ""
    return "text" if isinstance(mention, str) and not is_empty_node(mention) else ""


def _listed(value: Any, where: str, problem: str) -> Iterable[Any]:
    """The items of a list, or of whatever serves as one; TypeError, with the problem, for what has no items."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, (str, bytes, dict)) or not hasattr(listed, "__iter__"):
        raise TypeError(f"{where}: {_kind(listed)} {problem}; {ADVICE}")
    if hasattr(listed, "__next__"):
        # Where it was gone through before, as for the other side or another metric, nothing would be left of it, and no one told.
        raise TypeError(f"{where}: {_kind(listed)} can be gone through once only; give a list of it")
    return listed  # type: ignore[no-any-return]  # it can be iterated over


def _plain(part: Any, where: str) -> Any:
    """A mention, or a part of one, as something that hashes by value: tuples for lists and arrays, integers for tensors of one."""
    if type(part) in _PLAIN:
        if type(part) is float and isnan(part):
            # Whether it is found again would depend on whether it was copied.
            raise ValueError(f"{where}: a mention is or holds {part}, which equals nothing, not even itself")
        return part
    if isinstance(part, (list, tuple)):
        return tuple([_plain(inner, where) for inner in part])
    if isinstance(part, frozenset):
        return frozenset(_plain(inner, where) for inner in part)
    if hasattr(part, "tolist"):
        plain = part.tolist()
        # Numbers without a type in Python stay as they are.
        return part if type(plain) is type(part) else _plain(plain, where)
    if hasattr(part, "__index__"):
        # Its own hash may be by identity.
        return part.__index__()
    try:
        hash(part)
    except TypeError:
        raise TypeError(f"{where}: a mention is or holds {_kind(part)}, which has no hash; {ADVICE}") from None
    return part


def _check_depth(clusters: list[list[Any]], where: str, flat: str, *, is_array: bool) -> None:
    """TypeError where there may be a list too few around the mentions, which is told as `flat`, or one too many."""
    mentions = list(chain.from_iterable(clusters))
    numbers = sum(map(_is_number, mentions))
    if numbers:
        # Numbers that name mentions are told from the ends of spans where clusters have several sizes.
        sizes = {len(cluster) for cluster in clusters if cluster}
        if is_array or numbers < len(mentions) or sizes in ({2}, {3}):
            raise TypeError(f"{where}: {flat}")
        return
    if all(_may_be_cluster(mention) for mention in mentions):
        raise TypeError(f"{where}: {DOCUMENTS}")
    if any(map(_may_be_clusters, mentions)) and not any(type(cluster[0]) is tuple for cluster in clusters if cluster):
        raise TypeError(f"{where}: {NAMED}")
    lengths = {len(mention) if type(mention) is tuple and all(map(_is_number, mention)) else 0 for mention in mentions}
    if len(lengths) > 1 and 0 not in lengths:
        raise TypeError(f"{where}: some mentions are {min(lengths)} numbers and some {max(lengths)}; {UNEVEN}")


def _is_number(part: Any) -> bool:
    return hasattr(part, "__float__")


def _may_be_cluster(mention: Any) -> bool:
    """Whether what stands where a mention should may be a cluster: it holds mentions, but no number and no empty node."""
    if not isinstance(mention, (tuple, frozenset)):
        return False
    return not any(_is_number(part) or (type(part) is str and is_empty_node(part)) for part in mention)


def _may_be_clusters(mention: Any) -> bool:
    """Whether it may be several clusters."""
    return bool(mention) and type(mention) is tuple and all(map(_may_be_cluster, mention))


def tuple_of(mention: list[Any]) -> tuple[Any, ...]:
    """A list, and the lists in it, as tuples."""
    return tuple(tuple_of(part) if type(part) is list else part for part in mention)


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"
