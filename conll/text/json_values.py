"""Values of JSON, in whole files and in what language models answer."""

import re
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecoder, dumps, loads
from typing import Any

from conll.text.answers import blocks_of, join_lines, merge_blocks, without_thoughts
from conll.text.marked import Marked, Part

Parse = Callable[[Any], Iterable[Marked]]
"""Reads the documents in a value of JSON."""


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON of its names and values.

    `json` alone would keep the last of two values with the same name, and say nothing.

    Raises:
        ValueError: A name occurs twice.
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{repeated!r} occurs twice in an object; keep one of them")
    return value


def is_list_of(value: Any, *types: type) -> bool:
    """Return whether a value of JSON is a list of items of these types and no others.

    Types are compared, as true and false are integers to `isinstance`.

    Examples:
        >>> is_list_of([1, 2], int), is_list_of([True], int), is_list_of([], str)
        (True, False, True)
    """
    return type(value) is list and set(map(type, value)).issubset(types)


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON, with escapes for what UTF-8 does not have."""
    try:
        return dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return dumps(value).encode()


def name_in(value: dict[str, Any], field: str) -> str | None:
    """Return the name of a document in a field, of which a number is text; None where it has none.

    Raises:
        ValueError: The name is neither text nor a number.
    """
    name = value.get(field)
    if name is None:
        return None
    if type(name) not in (str, int, float):
        raise ValueError(f"{field} is {name!r}; write a name between quotes")
    return str(name)


def values_of(part: Part) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each object or list of a text, also after other words."""
    decoder = JSONDecoder(object_pairs_hook=object_of)
    line, start, counted = part.line, 0, 0
    while begin := re.compile(r"[\[{]").search(part.text, start):
        value, start = decoder.raw_decode(part.text, begin.start())
        line += part.text.count("\n", counted, begin.start())
        counted = begin.start()
        yield line, value


def read_whole(text: str, _documents: int | None, *, parse: Parse) -> Iterator[Marked]:
    """Read the documents of a file that is one value of JSON."""
    return _on_line(1, parse(loads(text, object_pairs_hook=object_of)))


def read_answer(text: str, documents: int | None, *, parse: Parse) -> list[Marked]:
    """Read the documents in the objects and lists of what a model answered.

    Args:
        text: The answer.
        documents: How many there should be; None for any number.
        parse: Reads the documents in one object or list.
    """
    parts = [Part(1, text)]
    if text.lstrip()[:1] not in ("[", "{"):
        parts = [join_lines(block) for block in blocks_of(without_thoughts(text)).written()]
    texts_by_part: list[list[Marked]] = []
    is_named = False
    for part in parts:
        texts: list[Marked] = []
        for line, value in values_of(part):
            texts += _on_line(line, parse(value))
        texts_by_part.append(texts)
        is_named = is_named or any(marked.name is not None for marked in texts)
    # Documents with names are never copies of each other.
    if is_named:
        documents = None
    return merge_blocks(texts_by_part, documents)


def _on_line(line: int, texts: Iterable[Marked]) -> Iterator[Marked]:
    for marked in texts:
        marked.line = line
        yield marked


_FILLED = re.compile(rb'["\w]\s*\]')
"""Matches the end of a list with a text or a number in it."""


def has_only_empty_clusters(data: bytes) -> bool:
    """Return whether a file holds lists of clusters that are all empty, and no words.

    Examples:
        >>> has_only_empty_clusters(b'{"clusters": []}'), has_only_empty_clusters(b"[[1]]")
        (True, False)
        >>> has_only_empty_clusters(b"None: []")
        True
    """
    if _FILLED.search(data):
        return False
    try:
        values = [value for _, value in values_of(Part(1, data.decode()))]
        return bool(values) and all(map(_is_empty, values))
    except (ValueError, RecursionError):
        return False


def _is_empty(value: Any) -> bool:
    if type(value) is dict:
        return value.keys() <= {"doc_key", "clusters"} and _is_empty(value.get("clusters"))
    return type(value) is list and all(map(_is_empty, value))
