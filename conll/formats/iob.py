"""Columns of tagged words: the word in the first column, a tag such as `B-PER` in the last.

The layout is that of the shared task CoNLL-2003 (www.clips.uantwerpen.be/conll2003/ner): a word on
each line, with its tag in the last column, and an empty line after each sentence; columns are
separated by spaces or TABs. A line that begins with `-DOCSTART-` begins a document; documents are
named 1, 2, ... in file order. There are names, but no mentions. `conll.columns` reads the tags.

`conlleval` is what conlleval.pl of that shared task reads: the last two columns are the tags of the
key and of the response. A file may have other columns before the tags, so nothing shows that it is
one of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from conll.columns import TAG, is_tag, names_of
from conll.document import Content, Layers, Name, Words
from conll.errors import shorten
from conll.formats import Format
from conll.source import InputFile, Source
from conll.text.marked import LineError, Marked, MarkedContent, MarkedSource, whole

START = "-DOCSTART-"
"""The beginning of the line before a document."""


@dataclass
class Tagged(Marked):
    """A document.

    Attributes:
        sentences: Its words by sentence.
        tags: Their tags, in the same shape.
        lines: The line of each word.
    """

    sentences: Words = field(default_factory=list)
    tags: Words = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_iob(text: str, column: int = -1) -> Iterator[Tagged]:
    """Read the documents of a file.

    Args:
        text: The text of the file.
        column: The column of the tags: -1 for the last, -2 for the one before it.

    Raises:
        LineError: A line has no tag.
    """
    document = Tagged(name="1")
    number = 1
    begins_sentence = True
    for line_number, line in enumerate(text.split("\n"), 1):
        if line.startswith(START):
            if document.lines:
                yield document
                number += 1
            document = Tagged(name=str(number), line=line_number)
        elif line.strip():
            cells = line.split("\t") if "\t" in line else line.split()
            # The first column is the word.
            tag = cells[column].strip() if len(cells) > -column else ""
            if not is_tag(tag):
                place = "last column" if column == -1 else "last but one column"
                advice = f"write a word and, in the {place}, O or B-PER"
                if is_tag("-".join(reversed(tag.rpartition("-")[::2]))):
                    advice = f"the type comes before the letter in {shorten(tag)}; write B-PER"
                raise LineError(line_number, f"the line has no word and tag; {advice}")
            if begins_sentence:
                document.sentences.append([])
                document.tags.append([])
            document.sentences[-1].append(cells[0])
            document.tags[-1].append(tag)
            document.lines.append(line_number)
        begins_sentence = not line.strip() or line.startswith(START)
    yield document


class IobContent(MarkedContent):
    """The rest of a document of tagged words."""

    def __init__(self, marked: Tagged) -> None:
        super().__init__(marked)
        self._tagged = marked

    def layers(self, _fields: Collection[str] | None = None, /) -> Layers:
        tags = list(chain.from_iterable(self._tagged.tags))
        return Layers(self._tagged.sentences, {TAG: tags}, names=self.names())

    def names(self) -> list[Name]:
        return names_of(self._tagged.tags)

    def fields(self) -> dict[str, Any]:
        names = [list(name) for name in self.names()]
        return {"names": names} if names else {}

    def token_lines(self) -> list[int]:
        return self._tagged.lines


class IobSource(MarkedSource):
    """One open file of tagged words.

    Args:
        file: The open file.
        column: The column of the tags, as of `read_iob`.
    """

    def __init__(self, file: InputFile, column: int = -1) -> None:
        super().__init__(file, read=whole(partial(read_iob, column=column)), loose=False)

    def _content(self, marked: Marked) -> Content:
        assert isinstance(marked, Tagged)
        return IobContent(marked)


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


class ConllevalSource(IobSource):
    """One open file of both sides.

    Args:
        file: The open file.
    """

    def __init__(self, file: InputFile) -> None:
        super().__init__(file, column=-2)
        self._file = file

    def as_response(self) -> Source:
        self._file.content.seek(0)
        return IobSource(self._file)


CONLLEVAL = Format(
    "conlleval",
    "columns of words as iob, the last two with the tags of key and response",
    # Never detected: the user has to name it.
    sniff=lambda _head: False,
    open=ConllevalSource,
)
