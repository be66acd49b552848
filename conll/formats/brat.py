"""The annotations of brat.

`brat` has an `.ann` file beside the `.txt` file that it is about. `T1<TAB>PERSON 0 3<TAB>Ada` is a
mention, in characters of the text, the end exclusive; mentions are connected by `R1<TAB>Coref
Arg1:T1 Arg2:T2` or `*<TAB>Coref T1 T2 T3`, whose type begins with coref, ident, equiv or anaph
(brat.nlplab.org/standoff.html). Words are cut at spaces and punctuation, so a response is aligned
to the words of the key. Written is a folder with two files for each document.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, count
from typing import BinaryIO

from conll.document import Document
from conll.errors import ConllError
from conll.formats import Format, Holds, refusal, spans_of
from conll.formats._links import connected
from conll.io import open_itself, replacing
from conll.marked import Marked, MarkedSource, file_name, file_names, whole

_TOKEN = r"(?<!\S)(?:``|''|-[LR][RSC]B-)(?!\S)|[\w\u0300-\u036f]+|[^\w\s]"
"""A word, perhaps with combining marks; quotes and brackets of the Penn Treebank are one, as they
are in a key."""

_MENTION = re.compile(r"^(T\S+)\t\S+ (\d+)((?: \d+;\d+)*) (\d+)\t", re.MULTILINE)
_CONNECTED = re.compile(
    r"^(?:R\S+|\*)\t(?:coref|ident|equiv|anaph)\S* (.+)$", re.MULTILINE | re.IGNORECASE
)


class BratSource(MarkedSource):
    """The annotations of one text."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        place = str(getattr(file, "name", ""))
        beside = f"{os.path.splitext(place)[0]}.txt"
        if not place or not os.path.isfile(beside):
            name = os.path.basename(os.path.splitext(path)[0])
            raise ConllError(path, 0, f"there is no text {name}.txt beside these annotations")
        with open(beside, "rb", opener=open_itself) as opened:
            self._beside = opened.read().removeprefix(b"\xef\xbb\xbf")
        # Whatever is no UTF-8 is refused as annotations are.
        super().__init__(
            file, path, read=whole(lambda text: _read_brat(self._beside.decode(), text))
        )

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield from super().contents()
        yield f"{os.path.splitext(self.path)[0]}.txt", iter([self._beside])


def _read_brat(text: str, annotations: str) -> Iterator[Marked]:
    """Read the mentions of a text."""
    sentences = [re.findall(_TOKEN, line) for line in text.split("\n")]
    marked = Marked([*filter(None, sentences)], cut=True)
    starts = [token.start() for token in re.finditer(_TOKEN, text)]
    spans: dict[str, tuple[int, int]] = {}
    for name, first, gaps, end in _MENTION.findall(annotations):
        span = bisect_right(starts, int(first)) - 1, bisect_left(starts, int(end)) - 1
        if not 0 <= span[0] <= span[1] or int(end) > len(text):
            raise ValueError(f"mention {name} has no word in the text")
        spans[name] = span
        if gaps:
            marked.repairs.note("discontinuous mention", name, span[0])
    links = (re.findall(r"(?:Arg\d:)?(T\S+)", link) for link in _CONNECTED.findall(annotations))
    labels = connected(spans, links)
    marked.mentions = [(span, labels[name]) for name, span in spans.items()]
    yield marked


def write_folder(documents: Iterable[Document], folder: str) -> None:
    """Write the text of each document and its annotations into a folder.

    Raises:
        ConllError: A document has no words, a mention is no span, two documents would share a file,
            or the folder holds other files; nothing is written then.
    """
    documents = [*documents]
    names = file_names(documents, "brat")
    contents: dict[str, bytes] = {}
    for name, document in zip(names, documents):
        text, lines = _text_and_annotations(document)
        try:
            contents[f"{name}.txt"] = text.encode()
            contents[f"{name}.ann"] = lines.encode()
        except UnicodeEncodeError:
            problem = "a word holds characters that UTF-8 does not have"
            raise refusal(document, "brat", problem) from None
    os.makedirs(folder, exist_ok=True)
    # Other files, unless they are hidden, would be read with these.
    others = sorted(name for name in {*os.listdir(folder)} - contents.keys() if name[0] != ".")
    if others:
        problem = f"the folder holds other files, such as {others[0]}; choose another folder"
        raise ConllError(folder, 0, problem)
    for name, content in contents.items():
        with replacing(os.path.join(folder, name)) as file:
            file.write(content)


def _text_and_annotations(document: Document) -> tuple[str, str]:
    """Return the text of a document, a sentence on each line, and the lines of its annotations."""
    if document.words is None:
        raise refusal(document, "brat", "there are no words")
    sentences = [[" ".join(word.split()) or "_" for word in words] for words in document.words]
    text = "".join(f"{' '.join(words)}\n" for words in sentences)
    starts = [0, *accumulate(len(word) + 1 for word in chain(*sentences))]
    numbers = count(1)
    lines = []
    for cluster in spans_of(document, "brat"):
        names = []
        for first, last in cluster:
            if last + 1 >= len(starts):
                problem = f"mention ({first},{last}) ends after its last word"
                raise refusal(document, "brat", problem)
            names.append(f"T{next(numbers)}")
            begin, end = starts[first], starts[last + 1] - 1
            shown = text[begin:end].replace("\n", " ")
            lines.append(f"{names[-1]}\tMention {begin} {end}\t{shown}\n")
        if len(names) > 1:
            lines.append(f"*\tCoref {' '.join(names)}\n")
    return text, "".join(lines)


def _changed(document: Document) -> Counter[str]:
    """Count what the files do not keep: a name that is no file's, and spaces in words."""
    words = chain.from_iterable(document.words or ())
    return Counter(
        {
            "document name": int(file_name(document.name) != document.name),
            "word| with a space": sum(word.split() != [word] for word in words),
        }
    )


FORMAT = Format(
    "brat",
    "brat's .ann files, each beside its .txt; written as a folder",
    sniff=lambda head: (
        re.search(rb"^T\d+\t\S+ \d+ ", head, re.MULTILINE) is not None
        and re.match(rb"[TRE*#A]\S*\t", head) is not None
    ),
    open=BratSource,
    write_folder=write_folder,
    holds=Holds(
        names=False,
        pieces=False,
        syntax=False,
        label=lambda _label: False,
        field=lambda _document, _field: False,
        changed=_changed,
    ),
)
