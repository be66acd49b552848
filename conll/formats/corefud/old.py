"""CorefUD before 1.0: a mention stands whole at its head, `ClusterId=c1|MentionSpan=2-4,6`; of several, each has a number `[1]`.

A span lists ids of its sentence and ranges of them, which hold the empty nodes in between. Published treebanks kept these
attributes beside `Entity=`; they are read only where that is not written.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from conll.formats.corefud.attributes import OLD

if TYPE_CHECKING:
    from conll.conllu.nodes import Nodes
    from conll.syntax import AnyMention, Token

    _Clusters = dict[str, tuple[list[AnyMention], list[int]]]

_CLUSTER = re.compile(rf"{OLD}(\[\d+\])?=(.*)")


def mentions_of(nodes: Nodes) -> tuple[_Clusters, dict[AnyMention, Token]]:
    """The mentions of each entity with their lines in the file, and the head of each mention.

    ConllError when one has no span, or one that does not hold the word at which it stands.
    """
    clusters: _Clusters = {}
    heads: dict[AnyMention, Token] = {}
    lines = [line for line, node in enumerate(nodes.at) if node >= 0]
    at = {(nodes.sentence(node), nodes.line(line).partition("\t")[0]): node for node, line in enumerate(lines)}
    for line, node, text in zip(*nodes.last_columns(OLD)):
        attributes = text.split("|")
        for attribute in attributes:
            match = _CLUSTER.fullmatch(attribute)
            if match is None:
                continue
            name = f"MentionSpan{match[1] or ''}="
            span = next((one.removeprefix(name) for one in attributes if one.startswith(name)), "")
            parts = _parts(at, nodes.sentence(node), span)
            if not any(first <= node <= last for first, last in parts):
                problem = (
                    f"the span of mention {match[2]} is no list of ids in its sentence with this word among them; write {name}"
                )
                raise nodes.error(line, problem)
            mention = nodes.mention(parts)
            mentions, places = clusters.setdefault(match[2], ([], []))
            mentions.append(mention)
            places.append(nodes.number(lines[parts[0][0]]))
            heads.setdefault(mention, nodes.tokens[node])
    return clusters, heads


def _parts(at: dict[tuple[int, str], int], sentence: int, span: str) -> list[tuple[int, int]]:
    """The first and last node of each piece of a span, whose ids are those of a sentence; nothing where it is malformed."""
    pieces = [piece.partition("-") for piece in span.split(",")]
    try:
        parts = [(at[sentence, first], at[sentence, last or first]) for first, _, last in pieces]
    except KeyError:
        return []
    crossing = any(last >= first for (_, last), (first, _) in pairwise(parts))
    return [] if crossing or any(first > last for first, last in parts) else parts
