"""Columns of tagged words: the word in the first column, a tag such as `B-PER` in the last.

The layout is that of the shared task CoNLL-2003 (www.clips.uantwerpen.be/conll2003/ner): a word on
each line, with its tag in the last column, and an empty line after each sentence; columns stand
between spaces or TABs. A line that begins with `-DOCSTART-` begins a document, which is called by
its place in the file, from 1. There are names, and no mentions. `conll.tags` says how tags are read.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, BinaryIO

from conll.document import Document, Layers, Words
from conll.errors import ConllError, not_utf8
from conll.formats import Format
from conll.source import Entry, IndexedSource
from conll.tags import TAG, is_tag, names_of

START = "-DOCSTART-"
"""How the line before a document begins."""


class IobSource(IndexedSource):
    """One open file of tagged words."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path = path
        self._file = file
        self._problems = []
        self.size = 0
        self._by_name = {"1": Entry("1", 1, 0)}
        last = self._by_name["1"]
        has_words = False
        for number, line in enumerate(file, 1):
            if line.startswith(START.encode()):
                if has_words:
                    last.stop = self.size
                    last = Entry(str(len(self._by_name) + 1), number, self.size)
                    self._by_name[last.name] = last
                has_words = False
            elif not line.isspace():
                has_words = True
            self.size += len(line)
        last.stop = self.size

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        words = sum(map(len, self._rows(entry)))
        return Document(name, [], words, path=self.path, line=entry.line)

    def words(self, name: str) -> Words | None:
        layers = self.layers(name)
        return None if layers is None else layers.sentences

    def fields(self, name: str) -> dict[str, Any]:
        layers = self.layers(name)
        return {"names": [[*found] for found in layers.names]} if layers and layers.names else {}

    def layers(self, name: str) -> Layers | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        sentences = self._rows(entry)
        words = [[word for _, word, _ in rows] for rows in sentences]
        tags = [[tag for _, _, tag in rows] for rows in sentences]
        return Layers(words, {TAG: [*chain(*tags)]}, names=names_of(tags))

    def lists_names(self, names: object, *, empty: bool = False) -> bool:  # noqa: ARG002  they all do
        return True

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        entry = self._entries.get(name)
        rows = enumerate(chain(*self._rows(entry))) if entry is not None else ()
        return {token: line for token, (line, _, _) in rows if token in tokens}

    def _rows(self, entry: Entry) -> list[list[tuple[int, str, str]]]:
        """Return the line, the word and the tag of each token by sentence.

        Raises:
            ConllError: A line is not UTF-8, or has no tag.
        """
        sentences: list[list[tuple[int, str, str]]] = [[]]
        try:
            lines = self.body(entry).decode().split("\n")
        except UnicodeDecodeError as error:
            raise not_utf8(error, self.path, entry.line, entry.name) from None
        for number, text in enumerate(lines, entry.line):
            if not text.strip() or text.startswith(START):
                sentences.append([])
                continue
            cells = text.split("\t") if "\t" in text else text.split()
            tag = cells[-1].strip()
            if len(cells) < 2 or not is_tag(tag):
                problem = (
                    "the line has no word and tag; write a word and, in the last column, O or B-PER"
                )
                raise ConllError(
                    self.path, number, problem, document=entry.name, text=text.rstrip()
                )
            sentences[-1].append((number, cells[0], tag))
        return [rows for rows in sentences if rows]


def sniff(head: bytes) -> bool:
    """Return whether all lines of words have a tag in their last column."""
    tags: list[bytes] = []
    lines = head.split(b"\n")
    # The last line may be cut off.
    for line in lines[:-1] or lines:
        cells = line.split()
        if not cells or line.startswith(START.encode()):
            continue
        if len(cells) < 2 or not is_tag(cells[-1].decode("utf-8", "replace")):
            return False
        tags.append(cells[-1])
    # A single O may be a word.
    return len(tags) > 1 or tags not in ([], [b"O"])


FORMAT = Format(
    "iob",
    "columns of words with tags for named entities: IOB, IOB2, IOBES; for scorer spans",
    sniff=sniff,
    open=IobSource,
)
