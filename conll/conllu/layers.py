"""The columns of CoNLL-U that say more of a word than its form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Sequence

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
            cell = cells[place]
            if name == "HEAD" and cell.isdecimal() and len(cell) < 10:
                # The first word of a sentence may have any number, from which on the others are counted.
                cell = str(token + int(cell) - int(cells[0])) if int(cell) else "-1"
            columns[name].append("" if cell == "_" else cell)
    return Layers(words, {name.lower(): cells for name, cells in columns.items() if any(cells)})
