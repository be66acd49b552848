"""Clusters of spans in memory as bytes: checked without a loop over mentions, and hashed as they are."""

from __future__ import annotations

from hashlib import sha256
from marshal import dumps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_LISTS = {list, tuple}

RECORD = 5
"""Bytes of each list, tuple and integer: one for the type, and four for the length or the value."""
MENTION = 3 * RECORD
"""Bytes of each mention."""


def pack(clusters: Iterable[Iterable[Any]]) -> tuple[list[list[Any]], bytes]:
    """A copy of the clusters, as lists, and the same in marshal's format 2; nothing unless all mentions are pairs of integers.

    Training loops have such mentions. That version of the format has no references, so equal clusters give equal bytes.
    """
    if type(clusters) in _LISTS and _LISTS.issuperset(map(type, clusters)):
        lists = list(map(list, clusters))
        try:
            data = dumps(lists, 2)
        except ValueError:
            return [], b""
        if are_spans(data, len(lists)):
            return lists, data
    return [], b""


def are_spans(data: bytes, clusters: int) -> bool:
    """Whether these lists, as marshal writes them, hold pairs of integers only.

    A list, a tuple and an integer below 2³¹ take five bytes each, one of them for the type and four for the length or the value.
    Read from the front, types of these three alone are therefore where they seem to be. As there are no more lists than clusters,
    none is in a mention, and where each tuple is a pair before two integers, no integer is beside one.
    """
    types = data[::RECORD]
    lists, tuples = types.count(b"["), types.count(b"(ii")
    return lists == 1 + clusters and lists + 3 * tuples == len(types) and data.count(b"(\2\0\0\0") == tuples


def digest_of(clusters: list[list[Any]]) -> bytes:
    """The SHA-256, as 32 bytes, of `marshal.dumps(clusters, 2)`; of their `repr` where marshal does not know a mention."""
    try:
        data = dumps(clusters, 2)
    except ValueError:
        data = repr(clusters).encode("utf-8", "backslashreplace")
    return sha256(data).digest()
