"""Columns like those of CoNLL-2012 in forms that reference 8.01 cannot read, or reads otherwise than intended.

They are: `#begin document(x);` without a space; documents without a name; files without such lines,
which are one document; ids that are no numbers, as in `(person-1` or `(4$12`. The last column holds
the brackets, the fourth the words, or the second as in GUM and OntoGUM (number, word, brackets).
Each difference from the reference is reported. Files that the reference reads whole are
`conll2012`, and this format gives the same clusters for them.
"""

from __future__ import annotations

from conll.columns import ColumnsSource, kind_of
from conll.format import Format

FORMAT = Format(
    "conll",
    "columns that scorer.pl does not read: named ids, #begin document(x), or no such line",
    sniff=lambda head: kind_of(head) == "conll",
    open=ColumnsSource,
)
