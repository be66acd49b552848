"""The columns of CoNLL-2011 and CoNLL-2012 that say more of a word than its mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.layers import Layers, names_in

if TYPE_CHECKING:
    from conll.document import Words

COLUMNS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "name")
"""The columns after the word, in their order (Pradhan et al., CoNLL 2012, table 2); then come the arguments of predicates."""

BEFORE = 4
"""How many columns stand before these: document, part, number, word."""

NOTHING = ("-", "*", "_")
"""What a cell holds that says nothing."""


_NO_SHAPE = bytes({*range(256)} - {*b"\t\n"})
"""What is left out of lines to see how many columns each has."""

_CHUNK = 1 << 20


def layers(body: bytes, sentences: Words) -> Layers:
    """The layers of the document between these lines; none where a line has too few columns for all of them."""
    separator = "\t" if b"\t" in body else None
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        if not line or line.isspace():
            continue
        cells = line.split(separator)[BEFORE:-1]
        if len(cells) < len(COLUMNS):
            return Layers(sentences)
        for column, cell in zip(columns.values(), cells):
            column.append(cell)
    return _layers(sentences, {name: _said(cells) for name, cells in columns.items()})


def layers_of_table(body: bytes, no_word: str) -> Layers | None:
    """The same where every line has as many columns with a TAB between, and one empty line stands between sentences.

    So most files are, and many lines are taken apart at once. None where lines are otherwise, or where every word is `no_word`.
    """
    first = body.strip(b"\n").partition(b"\n")[0]
    width = first.count(b"\t") + 1
    if width <= BEFORE + len(COLUMNS):
        return None
    line = b"\t" * (width - 1) + b"\n"
    sentences: Words = []
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    known = False
    begin = 0
    while begin < len(body):
        end = body.find(b"\n\n", begin + _CHUNK)
        end = len(body) if end < 0 else end + 2
        text = body[begin:end].strip(b"\n")
        begin = end
        if not text:
            continue
        shape = text.translate(None, _NO_SHAPE)
        lengths = [sentence.count(b"\n") + 1 for sentence in shape.split(b"\n\n")]
        if shape.replace(b"\n\n", b"\n") + b"\n" != line * sum(lengths):
            return None
        cells = text.replace(b"\n\n", b"\n").replace(b"\n", b"\t").decode("utf-8", "surrogateescape").split("\t")
        # A line of nothing but white space stands between sentences, however many columns it has.
        if not all(map(str.strip, set(cells[::width]))):
            return None
        words = cells[BEFORE - 1 :: width]
        known = known or not set(words) <= {"", no_word}
        at = 0
        for length in lengths:
            sentences.append(words[at : at + length])
            at += length
        for place, column in enumerate(columns.values(), BEFORE):
            column.extend(_said(cells[place::width]))
    return _layers(sentences, columns) if known else None


def _said(cells: list[str]) -> list[str]:
    """The cells, those empty that say nothing; most columns of most files say nothing, which is quick to see."""
    values = set(cells)
    if values.isdisjoint(NOTHING):
        return cells
    return [""] * len(cells) if values.issubset(NOTHING) else ["" if cell in NOTHING else cell for cell in cells]


def _layers(sentences: Words, columns: dict[str, list[str]]) -> Layers:
    telling = {name: cells for name, cells in columns.items() if any(cells)}
    return Layers(sentences, telling, names=names_in(telling.get("name", ())))
