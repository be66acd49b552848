"""CorefUD before 1.0: a mention stands whole at its head, `ClusterId=c1|MentionSpan=2-4,6`; of several, each has a number `[1]`.

A span lists ids of its sentence and ranges of them, which hold the empty nodes in between. Published treebanks kept these
attributes beside `Entity=`; they are read only where that is not written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conll.conllu.nodes import Nodes
    from conll.syntax import AnyMention, Token

    _Clusters = dict[str, tuple[list[AnyMention], list[int]]]

ATTRIBUTE = "ClusterId"

_CLUSTER = re.compile(rf"{ATTRIBUTE}(\[\d+\])?=(.*)")


def mentions_of(nodes: Nodes) -> tuple[_Clusters, dict[AnyMention, Token]]:
    """The mentions of each entity with their lines, counted from 0, and the head of each mention.

    ConllError when one has no span, or one that does not hold the word at which it stands.
    """
    clusters: _Clusters = {}
    heads: dict[AnyMention, Token] = {}
    at = {token: node for node, token in enumerate(nodes.tokens)}
    lines = [line for line, node in enumerate(nodes.at) if node >= 0]
    for line, node, text in zip(*nodes.last_columns()):
        attributes = text.split("|") if ATTRIBUTE in text else []
        for attribute in attributes:
            match = _CLUSTER.fullmatch(attribute)
            if match is None:
                continue
            name = f"MentionSpan{match[1] or ''}="
            span = next((one.removeprefix(name) for one in attributes if one.startswith(name)), "")
            parts = _parts(nodes, at, nodes.tokens[node], span)
            if not any(first <= node <= last for first, last in parts):
                problem = (
                    f"the span of mention {match[2]} is no list of ids in its sentence with this word among them; write {name}"
                )
                raise nodes.error(line, problem)
            mention = nodes.mention(parts)
            mentions, places = clusters.setdefault(match[2], ([], []))
            mentions.append(mention)
            places.append(lines[parts[0][0]])
            heads.setdefault(mention, nodes.tokens[node])
    return clusters, heads


def _parts(nodes: Nodes, at: dict[Token, int], head: Token, span: str) -> list[tuple[int, int]]:
    """The first and last node of each piece of a span; nothing where it is malformed or leaves the sentence of its head."""
    sentence = int(head.partition(":")[0]) if isinstance(head, str) else bisect_right(nodes.starts, head) - 1
    parts: list[tuple[int, int]] = []
    for piece in span.split(","):
        first, _, last = piece.partition("-")
        ends = [at.get(_token(nodes, sentence, ident), -1) for ident in (first, last or first)]
        if min(ends) < 0 or ends[0] > ends[1] or (parts and parts[-1][1] >= ends[0]):
            return []
        parts.append((ends[0], ends[1]))
    return parts


def _token(nodes: Nodes, sentence: int, ident: str) -> Token:
    """The token of an id in a sentence; where it has no such word, a value that is no token."""
    if not ident.isdecimal() or len(ident) > 9:
        return f"{sentence}:{ident}"
    first, *following = nodes.starts[sentence : sentence + 2]
    word = first + int(ident) - 1
    return word if first <= word < (following[0] if following else nodes.words) else -1
