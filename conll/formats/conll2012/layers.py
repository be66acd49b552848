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
    # Most columns of most files say nothing, which is quick to see.
    telling = {name: cells for name, cells in columns.items() if not set(cells).issubset(NOTHING)}
    names = names_in(telling.get("name", ()))
    said = {name: ["" if cell in NOTHING else cell for cell in cells] for name, cells in telling.items()}
    return Layers(sentences, said, names=names)
