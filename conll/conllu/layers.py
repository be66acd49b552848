"""The columns of CoNLL-U that say more of a word than its form."""

from __future__ import annotations

from conll.layers import Layers

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
            columns[name].append("" if cell == "_" else cell)
        head = columns["head"][-1]
        if head.isdecimal() and len(head) < 10:
            columns["head"][-1] = str(begins + int(head) - 1) if int(head) else "-1"
    return Layers(sentences, {name: cells for name, cells in columns.items() if any(cells)})
