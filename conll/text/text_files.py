"""Files of texts with marked mentions, as language models write them: one text, or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from conll.text.answers import (
    WINDOW,
    Block,
    Blocks,
    blocks_of,
    grouped,
    in_windows,
    joined,
    one_of,
    without_thoughts,
)
from conll.text.json_values import name_in, values_of
from conll.text.marked import Marked, Part

NAMES = ("doc_key", "doc_id", "name", "id")
"""Names of the field of JSON with the name of a document."""
TEXTS = ("output", "response", "completion", "text")
"""Names of the field of JSON with the text of a model."""

_JSON = re.compile(rb'\s*(?:\{|\[\s*(?:\{|\[\s*"))')

Parse = Callable[[str], Marked]
"""Reads one text."""


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment before columns.

    A text of a model may begin with a heading, `# Answer`. A binary file is no text.
    """
    if head.lstrip().startswith(b"#") and b"\t" in head:
        return False
    return _JSON.match(head) is None and b"\0" not in head


def read_texts(
    text: str,
    documents: int | None,
    *,
    parse: Parse,
    tag: re.Pattern[str],
    by_line: bool = False,
) -> Iterable[Marked]:
    """Read a file as one text, or each line as one, or each object of JSON that has a name.

    Blank lines, and then all lines without a tag, are left out where that makes the number of
    documents right. Several objects with the same name are windows of one text.

    Args:
        text: The file.
        documents: How many there should be; None for any number.
        parse: Reads one text.
        tag: Matches where a text has a tag.
        by_line: Whether a line is a text if nobody says how many there are.
    """
    # A line of JSON is not searched for fences, or for thoughts that may go on to the next one.
    if text.lstrip().startswith("{"):
        return _read_objects([Part(1, text)], parse)
    blocks = blocks_of(without_thoughts(text))
    parts = list(map(joined, blocks.written()))
    objects = [part for part in parts if part.text.lstrip().startswith("{")]
    if objects:
        return _read_objects(objects, parse)
    if documents == 1 or (documents is None and not by_line):
        return grouped([[_read_part(part, parse)] for part in parts], 1)
    copies = []
    for lines in _by_document(blocks, documents, tag, by_line=by_line):
        texts = [_read_part(line, parse) for line in lines]
        copies.append(texts)
    return grouped(copies, documents)


def _by_document(
    blocks: Blocks, documents: int | None, tag: re.Pattern[str], *, by_line: bool
) -> list[list[Part]]:
    """Return the texts of the documents, once for each block that has a text of each."""
    fences = list(map(joined, blocks.fences))
    marked_fences = [fence for fence in fences if tag.search(fence.text)]
    if len(marked_fences) == len(fences) == documents and not by_line:
        return [fences]
    complete: list[Block] = []
    marked: list[Block] = []
    for block in blocks.written():
        lines = _lines_of(block, documents, tag)
        if len(lines) == documents:
            complete.append(lines)
            if _has_tag(lines, tag):
                marked.append(lines)
    if marked:
        return marked
    if len(fences) == documents:
        return [fences]
    if complete:
        return complete
    all_lines: list[Part] = []
    for block in blocks.fences or [blocks.outside]:
        all_lines += _lines_of(block, documents, tag)
    return [all_lines]


def _has_tag(lines: Block, tag: re.Pattern[str]) -> bool:
    """Return whether any of these lines has a tag."""
    return any(tag.search(line.text) for line in lines)


def _lines_of(block: Block, documents: int | None, tag: re.Pattern[str]) -> Block:
    """Return the lines of a block, without some that are no text if their number is then right."""
    if documents is None or len(block) == documents:
        return block
    written: list[Part] = []
    tagged: list[Part] = []
    for line in block:
        if line.text.strip():
            written.append(line)
            if tag.search(line.text):
                tagged.append(line)
    if len(tagged) == documents and len(written) != documents:
        return tagged
    return written


def _read_part(part: Part, parse: Parse) -> Marked:
    """Read a text, which may consist of windows."""
    pieces = [piece for piece in part.text.split(WINDOW) if piece.strip()]
    # A blank text is one window, too.
    windows = [replace(parse(piece), line=part.line, raw=piece) for piece in pieces or [part.text]]
    return in_windows(windows)


def _read_objects(parts: Iterable[Part], parse: Parse) -> Iterator[Marked]:
    """Read the texts in objects of JSON; several objects with a name have windows of one text."""
    windows: dict[tuple[str | None, type], list[Marked]] = {}
    for part in parts:
        for line, value in values_of(part):
            name_field = next((field for field in NAMES if value.get(field) is not None), None)
            texts = [value[field] for field in TEXTS if field in value]
            if name_field is None or not texts:
                needed = f"one of {', '.join(NAMES)} and {', '.join(TEXTS)}"
                raise ValueError(f"an object needs {needed}")
            # A number and the same in quotes are no windows of one text: their names are refused.
            key = name_in(value, name_field), type(value[name_field])
            windows.setdefault(key, []).append(_read_output(texts, line, parse))
    for (name, _), windows_of_name in windows.items():
        yield replace(in_windows(windows_of_name), name=name)


def _read_output(texts: list[Any], line: int, parse: Parse) -> Marked:
    """Read the first text of a model in the fields of an object, or null."""
    text = next((text for text in texts if type(text) is str), None)
    if text is None:
        return Marked([[]], line=line, is_null=True)
    blocks = blocks_of(without_thoughts(text)).written()
    copies = [replace(_read_part(joined(block), parse), line=line) for block in blocks]
    return one_of(copies)
