"""The columns of CoNLL-U that say more of a word than its form."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conll.conllu.lines import PLACEHOLDER
from conll.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Collection

COLUMNS = ("lemma", "upos", "xpos", "feats", "head", "deprel")
"""The columns after the form, in their order."""


def layers(text: str) -> Layers:
    """The layers of the words of one document; a head is the number of a token from 0 in the document, -1 at the root.

    Empty nodes and multi-word tokens are no words.
    """
    sentences: list[list[str]] = []
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    inside, begins, words = False, 0, 0
    for line in text.split("\n"):
        if not line or line.isspace():
            inside = False
            continue
        cells = line.split("\t")
        if line[0] == "#" or not cells[0].isdecimal():
            continue
        if not inside:
            sentences.append([])
            inside, begins = True, words
        words += 1
        cells += [""] * (2 + len(COLUMNS) - len(cells))
        sentences[-1].append(cells[1])
        for name, cell in zip(COLUMNS, cells[2:]):
            columns[name].append(_head(cell, begins) if name == "head" else "" if cell == "_" else cell)
    return Layers(sentences, {name: cells for name, cells in columns.items() if any(cells)})


def columns_of(lines: Sequence[str], starts: Sequence[int], names: Collection[str]) -> dict[str, Column] | None:
    """Those of the columns of `layers` that are asked for, from the lines of the words; None where no word is known.

    `starts`: the first word of each sentence.
    """
    if all(line.split("\t", 2)[1] == PLACEHOLDER for line in lines):
        return None
    columns = {name: Column(lines, name, starts) for name in COLUMNS if name in names}
    return {name: column for name, column in columns.items() if any(column)}


class Column(Sequence[str]):
    """A column of lines that have all ten; a cell is found when it is asked for, which few of them are."""

    def __init__(self, lines: Sequence[str], name: str, starts: Sequence[int]) -> None:
        self._lines = lines
        self._place = 2 + COLUMNS.index(name)
        self._starts = starts if name == "head" else None

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: Any) -> Any:
        cell = self._lines[at].split("\t", self._place + 1)[self._place]
        if self._starts is not None:
            return _head(cell, self._starts[bisect_right(self._starts, at) - 1])
        return "" if cell == "_" else cell


def _head(cell: str, begins: int) -> str:
    if cell.isdecimal() and len(cell) < 10:
        return str(begins + int(cell) - 1) if int(cell) else "-1"
    return "" if cell == "_" else cell
