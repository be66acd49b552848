"""Columns that reference 8.01 cannot read, or reads otherwise than intended.

`conll` is like CoNLL-2012, but for `#begin document(x);` without a space, documents without a name,
no such lines at all (the file is one document), or ids that are not numbers, as in `(person-1` or
`(4$12`. The last column holds the brackets; `conll.columns` finds the words. Each difference from
the reference is reported. Files that the reference reads whole are `conll2012`, and this format
gives the same clusters and words for them.

`semeval2010` are the columns of SemEval-2010 task 1 (Recasens et al. 2010): the number in the
sentence, the word, many more, and brackets in the last, where `_` is no mention. Ids may hold
letters. Documents begin with `#begin document NAME` and end with `#end document NAME`.
"""

from __future__ import annotations

from functools import partial

from conll.columns import ColumnsSource, kind_of
from conll.formats import Format

CONLL = Format(
    "conll",
    "columns that scorer.pl does not read: named ids, #begin document(x), or no such line",
    sniff=lambda head: kind_of(head) == "conll",
    open=ColumnsSource,
)


SEMEVAL2010 = Format(
    "semeval2010",
    "SemEval-2010 columns: number, word, …, brackets or _",
    sniff=lambda head: kind_of(head) == "semeval2010",
    open=partial(ColumnsSource, read_as="semeval2010", word=1),
)
