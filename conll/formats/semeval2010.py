"""The columns of SemEval-2010 task 1 (Recasens et al. 2010): number in the sentence, word, many more, and brackets in the last.

Documents stand between `#begin document NAME` and `#end document NAME`. `_` stands for no mention.
Ids may hold letters.
"""

from __future__ import annotations

from conll.columns import ColumnsSource, kind_of
from conll.format import Format

FORMAT = Format(
    "semeval2010",
    "SemEval-2010 columns: number, word, …, brackets or _",
    sniff=lambda head: kind_of(head) == "semeval2010",
    open=lambda file, path: ColumnsSource(file, path, word=1),
)
