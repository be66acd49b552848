"""Files of texts with marked mentions, as language models write them: one text, or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from json import loads
from typing import Any

from conll.text.answers import (
    WINDOW,
    Block,
    Blocks,
    blocks_of,
    join_lines,
    join_windows,
    merge_blocks,
    merge_copies,
    without_thoughts,
)
from conll.text.json_values import name_in, values_of
from conll.text.marked import Marked, Part

NAMES = ("doc_key", "doc_id", "name", "id")
"""Names of the field of JSON with the name of a document."""
TEXTS = ("output", "response", "completion", "text")
"""Names of the field of JSON with the text of a model."""

_JSON = re.compile(rb'\s*(?:\{|\[\s*(?:\{|\[\s*["{]))')

Parse = Callable[[str], Marked]
"""Reads one text."""


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment before columns.

    A text of a model may begin with a heading, `# Answer`. A binary file is no text.
    """
    if head.lstrip().startswith(b"#") and b"\t" in head:
        return False
    if _JSON.match(head) or b"\0" in head:
        return False
    # What is JSON as a whole has no marks, whatever is in it.
    with suppress(ValueError, RecursionError):
        loads(head)
        return False
    return True


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
    documents right. Several objects with the same name are windows of one text. Where the number is
    not given and several lines have tags, each is a text: in documents that were read as one, equal
    ids would be one entity.

    Args:
        text: The file.
        documents: How many there should be; None for any number.
        parse: Reads one text.
        tag: Matches where a text has a tag.
        by_line: Whether every line is a text if the number of documents is not given.
    """
    # A line of JSON is not searched for fences, or for thoughts that may go on to the next one.
    if text.lstrip().startswith("{"):
        return _read_objects([Part(1, text)], parse)
    blocks = blocks_of(without_thoughts(text))
    parts = [join_lines(block) for block in blocks.written()]
    objects = [part for part in parts if part.text.lstrip().startswith("{")]
    if objects:
        return _read_objects(objects, parse)
    if documents is None and not by_line:
        lines = _tagged_lines(blocks, tag)
        if lines:
            return [replace(_read_part(line, parse), is_line=True) for line in lines]
        documents = 1
    if documents == 1:
        # Each block is a copy of the only text.
        texts_by_copy = [parts]
    else:
        texts_by_copy = _by_document(blocks, documents, tag, by_line=by_line)
    copies = []
    for texts in texts_by_copy:
        marked = [_read_part(text, parse) for text in texts]
        copies.append(marked)
    return merge_blocks(copies, documents)


def _tagged_lines(blocks: Blocks, tag: re.Pattern[str]) -> Block:
    """Return the lines of the last block in which several have a tag; none if no block is such."""
    for block in reversed(blocks.written()):
        lines = [line for line in block if line.text.strip()]
        has_windows = any(line.text.strip() == WINDOW for line in lines)
        if len(_with_tag(lines, tag)) > 1 and not has_windows:
            return lines
    return []


def _by_document(
    blocks: Blocks, documents: int | None, tag: re.Pattern[str], *, by_line: bool
) -> list[list[Part]]:
    """Return the texts of several documents, and copies of all of them if there are any."""
    fences = [join_lines(fence) for fence in blocks.fences]
    has_all_fences = len(fences) == documents
    if has_all_fences and not by_line and len(_with_tag(fences, tag)) == documents:
        return [fences]
    # Blocks in which each line is a text, and those of them with tags.
    complete: list[Block] = []
    marked: list[Block] = []
    for block in blocks.written():
        lines = _lines_of(block, documents, tag)
        if len(lines) == documents:
            complete.append(lines)
            if _with_tag(lines, tag):
                marked.append(lines)
    if marked:
        return marked
    if has_all_fences:
        return [fences]
    if complete:
        return complete
    all_lines: list[Part] = []
    for block in blocks.fences or [blocks.outside]:
        all_lines += _lines_of(block, documents, tag)
    return [all_lines]


def _with_tag(texts: Block, tag: re.Pattern[str]) -> Block:
    """Return the texts that have a tag."""
    return [text for text in texts if tag.search(text.text)]


def _lines_of(block: Block, documents: int | None, tag: re.Pattern[str]) -> Block:
    """Return the lines of a block, without some that are no text if their number is then right."""
    if documents is None or len(block) == documents:
        return block
    written = [line for line in block if line.text.strip()]
    tagged = _with_tag(written, tag)
    if len(tagged) == documents and len(written) != documents:
        return tagged
    return written


def _read_part(part: Part, parse: Parse) -> Marked:
    """Read a text, which may consist of windows."""
    pieces = [piece for piece in part.text.split(WINDOW) if piece.strip()]
    windows = []
    for piece in pieces or [part.text]:
        window = replace(parse(piece), line=part.line)
        windows.append(window)
    return join_windows(windows)


def _read_objects(parts: Iterable[Part], parse: Parse) -> Iterator[Marked]:
    """Read the texts in objects of JSON; several objects with a name have windows of one text."""
    windows: dict[tuple[str | None, type], list[Marked]] = {}
    for part in parts:
        for line, value in values_of(part):
            name_fields = [field for field in NAMES if value.get(field) is not None]
            texts = [value[field] for field in TEXTS if field in value]
            if not name_fields or not texts:
                needed = f"one of {', '.join(NAMES)} and {', '.join(TEXTS)}"
                raise ValueError(f"an object needs {needed}")
            # A number and the same in quotes are no windows of one text: their names are refused.
            name_field = name_fields[0]
            name = name_in(value, name_field), type(value[name_field])
            windows.setdefault(name, []).append(_read_output(texts, line, parse))
    for (shown_name, _), windows_of_name in windows.items():
        yield replace(join_windows(windows_of_name), name=shown_name)


def _read_output(texts: list[Any], line: int, parse: Parse) -> Marked:
    """Read the first text of a model in the fields of an object, or null."""
    written = [text for text in texts if type(text) is str]
    if not written:
        return Marked([[]], line=line, is_null=True)
    copies = []
    for block in blocks_of(without_thoughts(written[0])).written():
        marked = _read_part(join_lines(block), parse)
        marked.line = line
        copies.append(marked)
    return merge_copies(copies)
