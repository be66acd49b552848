"""The JSON of Stanford CoreNLP: `sentences` with `tokens`, and `corefs`, the chains by id.

A mention is in sentence `sentNum`, from token `startIndex` to the one before `endIndex`, all counted
from 1 (nlp.stanford.edu/software/corenlp_xml_description.html says so of the same fields in XML).
A file is one document, called by its `docId`, else by the file's name.
"""

from __future__ import annotations

import json
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from conll.format import Format
from conll.marked import Marked, MarkedSource, whole

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(text: str) -> Iterator[tuple[str | None, Marked]]:
    """Read the document of a file."""
    value = json.loads(text)
    sentences = [[token["word"] for token in row["tokens"]] for row in value["sentences"]]
    marked = Marked([], sentences)
    starts = [0, *accumulate(map(len, sentences))]
    for label, chain in value["corefs"].items():
        for mention in chain:
            number, first, end = (mention[n] for n in ("sentNum", "startIndex", "endIndex"))
            if (
                not 0 < number <= len(sentences)
                or not 0 < first < end <= len(sentences[number - 1]) + 1
            ):
                raise ValueError(f"a mention of {label} lies outside of sentence {number}")
            start = starts[number - 1] - 1
            marked.mentions.append(((start + first, start + end - 1), label))
    yield value.get("docId"), marked


FORMAT = Format(
    "corenlp",
    'JSON of Stanford CoreNLP: "sentences" of "tokens", "corefs"',
    sniff=lambda head: head.lstrip()[:1] == b"{" and b'"tokens"' in head and b'"index"' in head,
    open=partial(MarkedSource, read=whole(read), loose=False),
)
