r"""Files of annotations of other programs: tables of mentions, WebAnno's, and brat's.

`csv` has a row for each mention, between commas or TABs, and a head. Columns: `cluster` (or
`entity`, `COREF`), `start` and `end` (or `start_token`, `end_token`), tokens counted from 0 in the
document, both inclusive, and perhaps `document` (or `doc_key`). The `.entities` files of BookNLP
are such (github.com/booknlp/booknlp, README).

`webanno` is WebAnno TSV 3, as WebAnno and INCEpTION export it, with chains or, as in GUM, with
relations. A line is a token: `1-2`, its characters, its form, and a column for each feature of the
layers that the head declares. Of a chain layer (`#T_CH=`) one column has `coref->1-2`, chain and
link, at each token of a mention. Of a span layer (`#T_SP=`) columns have `person[8]`, the span's
number, and of a relation layer on it (`#T_RL=`) the last column has `2-1[2_7]`, the other span's
first token, then the numbers of that span and of this one; relations that begin with `bridge` are
none of identity. The layouts are those of WebAnno's user guide and of github.com/amir-zeldes/gum,
coref/gum/tsv.

`brat` has an `.ann` file beside the `.txt` file that it is about. `T1<TAB>PERSON 0 3<TAB>Ada` is a
mention, in characters of the text, the end exclusive; mentions are connected by `R1<TAB>Coref
Arg1:T1 Arg2:T2` or `*<TAB>Coref T1 T2 T3`, whose type begins with coref, ident, equiv or anaph
(brat.nlplab.org/standoff.html). Words are cut at spaces and punctuation, so a response is aligned
to the words of the key. Written is a folder with two files for each document.
"""

from __future__ import annotations

import csv
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, count
from typing import BinaryIO

from conll.document import Document
from conll.errors import ConllError
from conll.formats import Format, refusal, spans_of
from conll.io import open_itself, replacing
from conll.marked import Marked, MarkedSource, file_name, whole


def connected(names: Iterable[str], links: Iterable[Sequence[str]]) -> dict[str, str]:
    """Give all names that links connect the same label.

    >>> connected("abc", [("c", "a")])
    {'a': 'c', 'b': 'b', 'c': 'c'}

    Raises:
        ValueError: A link has an unknown name.
    """
    members = {name: [name] for name in names}
    for link in links:
        if not {*link} <= members.keys():
            raise ValueError(f"{' and '.join(link)} are connected, and not all are mentions")
        group = members[link[0]]
        for name in link[1:]:
            if members[name] is not group:
                group += members[name]
                members.update(dict.fromkeys(members[name], group))
    return {name: group[0] for name, group in members.items()}


# Tables of mentions

COLUMNS = {
    "doc_key": "document",
    "doc_id": "document",
    "entity": "cluster",
    "coref": "cluster",
    "start_token": "start",
    "end_token": "end",
}
"""Other names of columns, in any case."""


def _columns(head: str) -> list[str]:
    """Return the names of the columns in the first line."""
    names = (name.strip().lower() for name in head.replace("\t", ",").split(","))
    return [COLUMNS.get(name, name) for name in names]


def sniff_table(head: bytes) -> bool:
    """Return whether the first line names the columns."""
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    return {"cluster", "start", "end"} <= {*_columns(first)}


def read_table(text: str) -> Iterator[Marked]:
    """Read the documents of a table."""
    head, *lines = text.split("\n")
    columns = _columns(head)
    for name in ("cluster", "start", "end"):
        if name not in columns:
            raise ValueError(f"its first line names no column {name}")
    documents: dict[str | None, Marked] = {}
    dialect = "excel-tab" if "\t" in head else "excel"
    reader = csv.DictReader(lines, columns, restval="", dialect=dialect)
    try:
        for row in reader:
            place = f"line {reader.line_num + 1}"
            if not (row["start"].strip().isdecimal() and row["end"].strip().isdecimal()):
                raise ValueError(f"{place} has no whole numbers for start and end")
            first, last = int(row["start"]), int(row["end"])
            if first > last:
                raise ValueError(f"{place}: the mention ends before it starts")
            marked = documents.setdefault(row.get("document"), Marked(name=row.get("document")))
            marked.mentions.append(((first, last), row["cluster"]))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num + 2}: {error}") from None
    yield from documents.values()


# WebAnno TSV 3

_LINK = re.compile(r"->(\d+)-(\d+)")
_SPAN = re.compile(r"\[(\d+)\]$")
_RELATED = re.compile(r"(\d+-[\d.]+)(?:\[(\d+)_(\d+)\])?")


def read_webanno(text: str) -> Iterator[Marked]:
    """Read the document of a file of WebAnno."""
    layers = re.findall(r"^#T_(SP|CH|RL)=([^|\n]*)\|?([^\n]*)$", text, re.MULTILINE)
    if not any(kind in ("CH", "RL") for kind, _, _ in layers):
        raise ValueError("it declares no chains (#T_CH=) and no relations (#T_RL=)")
    sentences: list[list[str]] = []
    rows: list[list[str]] = []
    last = 0
    for line in text.split("\n"):
        cells = line.split("\t")
        if re.match(r"\d+-\d+$", cells[0]) and len(cells) > 2:
            sentence = int(cells[0].partition("-")[0])
            if sentence != last:
                sentences.append([])
            last = sentence
            sentences[-1].append(cells[2])
            rows.append(cells)
    marked = Marked(sentences)
    column = 3
    spans: dict[str, int] = {}
    for kind, name, features in layers:
        width = features.count("|") + 1
        if kind == "SP":
            spans[name] = column
        elif kind == "CH":
            _read_chains(rows, column, marked)
        elif "BT_" in features:
            _read_relations(rows, spans[features.partition("BT_")[2]], column, width, marked)
        column += width
    yield marked


def _read_chains(rows: list[list[str]], column: int, marked: Marked) -> None:
    """Add the mentions of a layer of chains, whose two columns stand in any order."""
    mentions: dict[tuple[str, str], list[int]] = {}
    for token, cells in enumerate(rows):
        for link in _LINK.findall("|".join(cells[column : column + 2])):
            mentions.setdefault(link, []).append(token)
    for (label, _), tokens in mentions.items():
        marked.mentions.append(((tokens[0], tokens[-1]), f"{column}:{label}"))


def _read_relations(
    rows: list[list[str]], span: int, relation: int, width: int, marked: Marked
) -> None:
    """Add the spans of a layer, those in one cluster that relations connect."""
    tokens: dict[str, list[int]] = {}
    links: list[tuple[str, str]] = []
    for token, cells in enumerate(rows):
        for value in cells[span].split("|") if cells[span] != "_" else ():
            number = _SPAN.search(value)
            tokens.setdefault(number[1] if number else cells[0], []).append(token)
        kinds, targets = cells[relation].split("|"), cells[relation + width - 1].split("|")
        for kind, target in zip(kinds, targets):
            related = _RELATED.fullmatch(target)
            if related and not kind.startswith("bridge"):
                place, to_span, from_span = related.groups("0")
                links.append(
                    (
                        place if to_span == "0" else to_span,
                        cells[0] if from_span == "0" else from_span,
                    )
                )
    labels = connected(tokens, links)
    for name, places in tokens.items():
        marked.mentions.append(((places[0], places[-1]), labels[name]))


# Annotations of brat

_TOKEN = r"\w+|[^\w\s]"
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
        ConllError: A document has no words, or a mention is no span.
    """
    for document in documents:
        if document.words is None:
            raise refusal(document, "brat", "there are no words")
        text = "".join(f"{' '.join(sentence)}\n" for sentence in document.words)
        words = [*chain(*document.words)]
        starts = [0, *accumulate(len(word) + 1 for word in words)]
        names = (f"T{number}" for number in count(1))
        lines = []
        for cluster in spans_of(document, "brat"):
            mentions = []
            for first, last in cluster:
                mentions.append(next(names))
                begin, end = starts[first], starts[last + 1] - 1
                shown = text[begin:end].replace("\n", " ")
                lines.append(f"{mentions[-1]}\tMention {begin} {end}\t{shown}\n")
            if len(cluster) > 1:
                lines.append(f"*\tCoref {' '.join(mentions)}\n")
        for ending, content in ((".txt", text), (".ann", "".join(lines))):
            with replacing(os.path.join(folder, file_name(document.name) + ending)) as file:
                file.write(content.encode("utf-8", "surrogateescape"))


FORMAT = (
    Format(
        "csv",
        "a row for each mention: document, cluster, start, end; also BookNLP's .entities",
        sniff=sniff_table,
        open=partial(MarkedSource, read=whole(read_table), loose=False),
    ),
    Format(
        "webanno",
        "WebAnno TSV 3: tokens with chains, or with spans and relations as in GUM",
        sniff=lambda head: head.startswith(b"#FORMAT=WebAnno TSV 3"),
        open=partial(MarkedSource, read=whole(read_webanno), loose=False),
    ),
    Format(
        "brat",
        "brat's .ann files, each beside its .txt; written as a folder",
        sniff=lambda head: (
            re.search(rb"^T\d+\t\S+ \d+ ", head, re.MULTILINE) is not None
            and re.match(rb"[TRE*#A]\S*\t", head) is not None
        ),
        open=BratSource,
        write_folder=write_folder,
    ),
)
