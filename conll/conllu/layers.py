"""The columns of CoNLL-U that say more of a word than its form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conll.conllu.lines import COLUMNS
from conll.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Collection

    from conll.document import Words

LAYERS = ("LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL")
"""The columns that say something of a word by itself."""


def layers(text: str, names: Sequence[str], words: Words) -> Layers:
    """The layers of the words of one document that is well-formed, whose columns have these names.

    A head is the number of a token from 0 in the document, -1 at the root. Empty nodes and multi-word tokens are no words.
    """
    places = {name: names.index(name) for name in LAYERS if name in names}
    columns: dict[str, list[str]] = {name: [] for name in places}
    lines = (line.split("\t") for line in text.split("\n"))
    for token, row in enumerate(cells for cells in lines if cells[0].isdecimal()):
        cells = [*row, *[""] * len(names)]
        for name, place in places.items():
            columns[name].append(_said(name, cells[place], token, cells[0]))
    return Layers(words, {name.lower(): cells for name, cells in columns.items() if any(cells)})


def columns_of(lines: Sequence[str], fields: Collection[str]) -> dict[str, Column]:
    """Those of the columns of `layers` that are asked for, from the lines of words in CoNLL-U."""
    columns = {name.lower(): Column(lines, name) for name in LAYERS if name.lower() in fields}
    return {name: column for name, column in columns.items() if any(column)}


class Column(Sequence[str]):
    """A column of lines that have all ten; a cell is found when it is asked for, which few of them are."""

    def __init__(self, lines: Sequence[str], name: str) -> None:
        self._lines = lines
        self._name = name
        self._place = COLUMNS.index(name)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: Any) -> Any:
        cells = self._lines[at].split("\t", self._place + 1)
        return _said(self._name, cells[self._place], at, cells[0])


def _said(name: str, cell: str, token: int, ident: str) -> str:
    """What the cell of a token says in the column of this name."""
    if name == "HEAD" and cell.isdecimal() and len(cell) < 10:
        # The first word of a sentence may have any number, from which on the others are counted.
        return str(token + int(cell) - int(ident)) if int(cell) else "-1"
    return "" if cell == "_" else cell
