"""Columns that reference 8.01 cannot read, or reads otherwise than intended, and tagged words.

`conll` is like CoNLL-2012, but for `#begin document(x);` without a space, documents without a name,
no such lines at all (the file is one document), or ids that are not numbers, as in `(person-1` or
`(4$12`. The last column holds the brackets; `conll.columns` finds the words. Each difference from
the reference is reported. Files that the reference reads whole are `conll2012`, and this format
gives the same clusters and words for them.

`semeval2010` are the columns of SemEval-2010 task 1 (Recasens et al. 2010): the number in the
sentence, the word, many more, and brackets in the last, where `_` is no mention. Ids may hold
letters. Documents begin with `#begin document NAME` and end with `#end document NAME`.

`iob` are columns of tagged words: the word in the first column, a tag such as `B-PER` in the last.
The layout is that of the shared task CoNLL-2003 (www.clips.uantwerpen.be/conll2003/ner): a word on
each line, with its tag in the last column, and an empty line after each sentence; columns are
separated by spaces or TABs. A line that begins with `-DOCSTART-` begins a document; documents are
named 1, 2, ... in file order. There are names, but no mentions. `conll.columns` reads the tags.

`conlleval` is what conlleval.pl of that shared task reads: the last two columns are the tags of the
key and of the response. A file may have other columns before the tags, so nothing shows that it is
one of these.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from conll.columns import TAG, ColumnsSource, is_tag, kind_of, names_of
from conll.document import Layers, Name, Words
from conll.errors import shorten
from conll.formats import Format
from conll.source import InputFile
from conll.text.marked import LineError, Marked, MarkedContent, MarkedSource, whole

CONLL = Format(
    "conll",
    "columns that scorer.pl does not read: named ids, #begin document(x), or no such line",
    sniff=lambda head: kind_of(head) == "conll",
    open=ColumnsSource,
)


SEMEVAL2010 = Format(
    "semeval2010",
    "SemEval-2010 columns: number, word, …, brackets or _",
    sniff=lambda head: kind_of(head) == "semeval2010",
    open=partial(ColumnsSource, read_as="semeval2010", word=1),
)


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

    marked: Tagged

    def layers(self, _fields: Collection[str] | None = None, /) -> Layers:
        tags = list(chain.from_iterable(self.marked.tags))
        return Layers(self.marked.sentences, {TAG: tags}, names=self.names())

    def names(self) -> list[Name]:
        return names_of(self.marked.tags)

    def fields(self) -> dict[str, Any]:
        names = [list(name) for name in self.names()]
        return {"names": names} if names else {}

    def token_lines(self) -> list[int]:
        return self.marked.lines


class IobSource(MarkedSource):
    """One open file of tagged words.

    Args:
        file: The open file.
        column: The column of the tags, as of `read_iob`.
    """

    content_type = IobContent

    def __init__(self, file: InputFile, column: int = -1) -> None:
        super().__init__(file, read=whole(partial(read_iob, column=column)), loose=False)


def sniff_iob(head: bytes) -> bool:
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


IOB = Format(
    "iob",
    "columns of words with tags for named entities: IOB, IOB2, IOBES; for scorer spans",
    sniff=sniff_iob,
    open=IobSource,
)


class ConllevalSource(IobSource):
    """One open file of both sides.

    Args:
        file: The open file.
    """

    def __init__(self, file: InputFile) -> None:
        super().__init__(file, column=-2)

    def as_response(self) -> MarkedSource:
        return self.read_by(whole(read_iob))


CONLLEVAL = Format(
    "conlleval",
    "columns of words as iob, the last two with the tags of key and response",
    # Never detected: the user has to name it.
    sniff=lambda _head: False,
    open=ConllevalSource,
)
