"""The columns of CoNLL-2011 and CoNLL-2012 that say more of a word than its mentions."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from conll.layers import Layers, names_in

if TYPE_CHECKING:
    from typing import Any

    from conll.document import Document, Words

COLUMNS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "name")
"""The columns after the word, in their order (Pradhan et al., CoNLL 2012, table 2); then come the arguments of predicates."""

BEFORE = 4
"""How many columns stand before these: document, part, number, word."""

STARRED = (BEFORE + COLUMNS.index("parse"), BEFORE + COLUMNS.index("name"))
"""Those, from 0, in which `*` stands for nothing; it does in the arguments of predicates, too."""

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


def fields_of(body: bytes) -> dict[str, Any]:
    """What stands between the words and the mentions: columns in the shape of the sentences, by their names, and `names`.

    Further columns, and all where a line has too few of them, are called `column_N`, counted from 1.
    """
    separator = b"\t" if b"\t" in body else None
    sentences: list[list[list[bytes]]] = [[]]
    for line in body.split(b"\n"):
        if line and not line.isspace():
            sentences[-1].append(line.rstrip(b"\t").split(separator)[BEFORE:-1])
        elif sentences[-1]:
            sentences.append([])
    widths = {len(cells) for sentence in sentences for cells in sentence}
    named = COLUMNS if min(widths, default=0) >= len(COLUMNS) else ()
    fields: dict[str, Any] = {}
    for place in range(max(widths, default=0)):
        column = [
            _said([cells[place].decode("utf-8", "surrogateescape") if place < len(cells) else "" for cells in sentence])
            for sentence in sentences
            if sentence
        ]
        if any(map(any, column)):
            fields[named[place] if place < len(named) else f"column_{BEFORE + place + 1}"] = column
    if "name" in fields:
        # A field of that name would be the document's.
        fields["names"] = [[*name] for name in names_in([*chain.from_iterable(fields.pop("name"))])]
    return fields


def cells_of(document: Document, field: str) -> tuple[int, list[str]] | None:
    """The cells of a field, each a text for a token or empty, and which column that is, from 0; None where it is none."""
    content, tokens = document.fields.get(field), document.length()
    if field == "names":
        cells = _name_cells(content, tokens)
        return None if cells is None else (BEFORE + COLUMNS.index("name"), cells)
    number = field.removeprefix("column_")
    if field in COLUMNS:
        place = BEFORE + COLUMNS.index(field)
    elif number != field and number.isdecimal() and len(number) < 4 and int(number) > BEFORE:
        place = int(number) - 1
    else:
        return None
    if type(content) is not list or {type(part) for part in content} != {list}:
        return None
    cells = [*chain.from_iterable(content)]
    fit = len(cells) == tokens and all(type(cell) is str and len(cell.split()) == bool(cell) for cell in cells)
    return (place, cells) if fit else None


def _name_cells(names: Any, tokens: int) -> list[str] | None:
    """The cells of named entities, as `names_in` reads them; None where it would not."""
    if type(names) is not list or any(type(name) is not list or [*map(type, name)] != [int, int, str] for name in names):
        return None
    ordered = sorted(((*name,) for name in names), key=lambda name: (name[0], -name[1]))
    starts, ends = [""] * tokens, [""] * tokens
    for first, last, label in ordered:
        if not 0 <= first <= last < tokens:
            return None
        starts[first] += f"({label}"
        ends[last] += ")"
    cells = [f"{start}*{end}" if start or end else "" for start, end in zip(starts, ends)]
    return cells if names_in(cells) == ordered else None


def _said(cells: list[str]) -> list[str]:
    """The cells, those empty that say nothing; most columns of most files say nothing, which is quick to see."""
    values = set(cells)
    if values.isdisjoint(NOTHING):
        return cells
    return [""] * len(cells) if values.issubset(NOTHING) else ["" if cell in NOTHING else cell for cell in cells]


def _layers(sentences: Words, columns: dict[str, list[str]]) -> Layers:
    telling = {name: cells for name, cells in columns.items() if any(cells)}
    return Layers(sentences, telling, names=names_in(telling.get("name", ())))
