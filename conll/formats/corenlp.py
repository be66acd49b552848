"""The JSON of Stanford CoreNLP.

`corenlp` is an object with `sentences`, each with `tokens`, and `corefs`, the chains by id. A
mention is in sentence `sentNum`, from token `startIndex` to the one before `endIndex`, all counted
from 1 (nlp.stanford.edu/software/corenlp_xml_description.html says so of the same fields in XML). A
file is one document, called by its `docId`, else by the file's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import Any

from conll.document import Words
from conll.formats import Format
from conll.text.json_values import is_list_of, name_in, read_whole
from conll.text.marked import Marked, MarkedSource

POSITION = ("sentNum", "startIndex", "endIndex")
"""Fields with the position of a mention."""


def parse_corenlp(value: Any) -> Iterator[Marked]:
    """Read the document of a file."""
    sentences: Words = []
    for sentence in value["sentences"]:
        words = [token["word"] for token in sentence["tokens"]]
        if not is_list_of(words, str):
            raise ValueError("a word is not text; write it between quotes")
        sentences.append(words)
    marked = Marked(sentences, name_in(value, "docId"))
    starts = [0, *accumulate(map(len, sentences))]
    for label, mentions in value["corefs"].items():
        for mention in mentions:
            position = [mention[field] for field in POSITION]
            if not is_list_of(position, int):
                fields = ", ".join(POSITION)
                raise ValueError(f"{fields} of a mention of {label} are not whole numbers")
            number, first, end = position
            if not 0 < number <= len(sentences):
                raise ValueError(f"a mention of {label} is in sentence {number}, which is missing")
            if not 0 < first < end <= len(sentences[number - 1]) + 1:
                raise ValueError(f"a mention of {label} lies outside of sentence {number}")
            # The first token of the sentence has the number 1.
            start = starts[number - 1] - 1
            marked.mentions.append(((start + first, start + end - 1), label))
    yield marked


FORMAT = Format(
    "corenlp",
    'JSON of Stanford CoreNLP: "sentences" of "tokens", "corefs"',
    sniff=lambda head: head.lstrip()[:1] == b"{" and b'"tokens"' in head and b'"index"' in head,
    open=partial(MarkedSource, read=partial(read_whole, parse=parse_corenlp), loose=False),
)
