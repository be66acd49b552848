r"""The TSV files of WebAnno and INCEpTION.

`webanno` is WebAnno TSV 3, as WebAnno and INCEpTION export it, with chains or, as in GUM, with
relations. A line is a token: `1-2`, its characters, its form, and a column for each feature of the
layers that the head declares. Of a chain layer (`#T_CH=`) one column has `coref->1-2`, chain and
link, at each token of a mention. Of a span layer (`#T_SP=`) columns have `person[8]`, the span's
number, and of a relation layer on it (`#T_RL=`) the last column has `2-1[2_7]`, the other span's
first token, then the numbers of that span and of this one; relations that begin with `bridge` are
none of identity. The layouts are those of WebAnno's user guide and of github.com/amir-zeldes/gum,
coref/gum/tsv.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from conll.formats import Format
from conll.formats._links import connected
from conll.marked import Marked, MarkedSource, whole

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


FORMAT = Format(
    "webanno",
    "WebAnno TSV 3: tokens with chains, or with spans and relations as in GUM",
    sniff=lambda head: head.startswith(b"#FORMAT=WebAnno TSV 3"),
    open=partial(MarkedSource, read=whole(read_webanno), loose=False),
)
