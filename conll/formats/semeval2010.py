"""The columns of SemEval-2010 task 1 (Recasens et al. 2010).

Columns are the number in the sentence, the word, many more, and brackets in the last, where `_` is
no mention. Ids may hold letters. Documents begin with `#begin document NAME` and end with `#end
document NAME`.
"""

from __future__ import annotations

from functools import partial

from conll.columns import ColumnsSource, kind_of
from conll.formats import Format

FORMAT = Format(
    "semeval2010",
    "SemEval-2010 columns: number, word, …, brackets or _",
    sniff=lambda head: kind_of(head) == "semeval2010",
    open=partial(ColumnsSource, read_as="semeval2010", word=1),
)
