"""The results of fastcoref, whose mentions are characters of a text, as clusters of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conll.text.characters import Alignment, Span, Tokens, offsets_of


def clusters(
    result: Any, words: Iterable[str], *, alignment: Alignment = "strict"
) -> list[list[Span]]:
    """The clusters of a result, each mention as its first and its last token.

    `result` is what fastcoref's `predict` returns for a text, or for a list of words. `words` are
    the tokens of the key, in order. The text has to hold them one after the other, with nothing but
    white space between; where fastcoref was given words itself, they have to be these.

    ValueError when the words are others, when a mention stands for no characters, and when it
    begins or ends inside a token, unless `alignment` is expand, which takes it whole.
    """
    words = list(words)
    if isinstance(result.text, str):
        offsets = offsets_of(result.text, words)
    elif list(result.text) == words:
        offsets = [(number, number + 1) for number in range(len(words))]
    else:
        counts = f"({len(result.text)}) than the key has ({len(words)})"
        raise ValueError(f"fastcoref was given other words {counts}")
    tokens = Tokens(offsets)
    clusters: list[list[Span]] = []
    for cluster in result.get_clusters(as_strings=False):
        if None in cluster:
            reason = "fastcoref has taken a token that its model adds for a word"
            raise ValueError(f"a mention stands for no characters: {reason}")
        clusters.append([tokens.mention(begin, end, alignment) for begin, end in cluster])
    return clusters
