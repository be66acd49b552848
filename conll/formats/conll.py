"""Columns that reference 8.01 cannot read, or reads otherwise than intended.

The format is like CoNLL-2012, but for `#begin document(x);` without a space, documents without a
name, no such lines at all (the file is one document), or ids that are not numbers, as in
`(person-1` or `(4$12`. The last column holds the brackets; `conll.columns` finds the words.
Each difference from the reference is reported. Files that the reference reads whole are
`conll2012`, and this format gives the same clusters and words for them.
"""

from __future__ import annotations

from conll.columns import ColumnsSource, kind_of
from conll.formats import Format

FORMAT = Format(
    "conll",
    "columns that scorer.pl does not read: named ids, #begin document(x), or no such line",
    sniff=lambda head: kind_of(head) == "conll",
    open=ColumnsSource,
)
