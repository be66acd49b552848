"""What reader and writer of CorefUD share, and mentions as CorefUD wrote them before version 1.0.

There a mention stands whole at its head, `ClusterId=c1|MentionSpan=2-4,6`; of several, each has a
number `[1]`. A span lists ids of its sentence and ranges of them, which hold the empty nodes in
between. Published treebanks kept these attributes beside `Entity=`; they are read only where that
is not written.
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from conll.conllu import Nodes
    from conll.syntax import AnyMention, Token


DECLARATION = "# global.Entity"
ENTITY = "Entity="
OLD = "ClusterId"
"""What stood for an entity before version 1.0."""

PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")
"""The entity of a part of a mention, the number of the part, and how many there are."""

_CLUSTER = re.compile(rf"{OLD}(\[\d+\])?=(.*)")


def names_in(declaration: str) -> list[str]:
    """The attributes that a declaration names, in their order."""
    return [name.strip() for name in declaration.partition("=")[2].split("-")]


def holds_label(label: str) -> bool:
    """Whether a cluster may have that id: a hyphen would end it, and merge `e-1` and `e-2`."""
    return bool(label) and set(label).isdisjoint("-()[]|=/ \t\r\n")


def eid_in(names: list[str]) -> int:
    """Which of these attributes is the entity; ValueError when none is."""
    return names.index("eid" if "eid" in names else "GRP")


def old_mentions(nodes: Nodes) -> Iterator[tuple[str, AnyMention, int, Token]]:
    """Yield the entity, the mention, its first line in the document and its head.

    ConllError when a mention has no span, or one that does not hold the word at which it stands.
    """
    lines = [line for line, node in enumerate(nodes.at) if node >= 0]
    at = {
        (nodes.sentence(node), nodes.line(line).partition("\t")[0]): node
        for node, line in enumerate(lines)
    }
    for line, node, text in zip(*nodes.last_columns(OLD)):
        attributes = text.split("|")
        for match in filter(None, map(_CLUSTER.fullmatch, attributes)):
            name = f"MentionSpan{match[1] or ''}="
            span = next(
                (text.removeprefix(name) for text in attributes if text.startswith(name)), ""
            )
            parts = _parts(at, nodes.sentence(node), span)
            if not any(first <= node <= last for first, last in parts):
                problem = (
                    f"the span of mention {match[2]} is not a list of ids in its sentence with "
                    f"this word among them; write {name}"
                )
                raise nodes.error(line, problem)
            yield match[2], nodes.mention(parts), lines[parts[0][0]], nodes.tokens[node]


def _parts(at: dict[tuple[int, str], int], sentence: int, span: str) -> list[tuple[int, int]]:
    """The first and last node of each piece of a span, whose ids are those of a sentence.

    Nothing where it is malformed.
    """
    pieces = [piece.partition("-") for piece in span.split(",")]
    try:
        parts = [(at[sentence, first], at[sentence, last or first]) for first, _, last in pieces]
    except KeyError:
        return []
    crossing = any(last >= first for (_, last), (first, _) in pairwise(parts))
    return [] if crossing or any(first > last for first, last in parts) else parts
