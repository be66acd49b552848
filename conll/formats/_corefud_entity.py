"""What CorefUD says of mentions beside their entities: the attributes that a line `# global.Entity` declares.

CorefUD before 1.0: a mention stands whole at its head, `ClusterId=c1|MentionSpan=2-4,6`; of
several, each has a number `[1]`.

A span lists ids of its sentence and ranges of them, which hold the empty nodes in between.
Published treebanks kept these attributes beside `Entity=`; they are read only where that is not
written.
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from conll.conllu import Nodes
    from conll.document import Document
    from conll.syntax import AnyMention, Token

    _Clusters = dict[str, tuple[list[AnyMention], list[int]]]


DECLARATION = "# global.Entity"
ENTITY = "Entity="
OLD = "ClusterId"
"""What stood for an entity before version 1.0."""

PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")
"""The entity of a part of a mention, the number of the part, and how many there are."""

_START = re.compile(r"\(([^()]*)(\)?)")


def names_in(declaration: str) -> list[str]:
    """The attributes that a declaration names, in their order."""
    return [name.strip() for name in declaration.partition("=")[2].split("-")]


def holds_label(label: str) -> bool:
    """Whether a cluster may have that id: a hyphen would end it, and merge `e-1` and `e-2`."""
    return bool(label) and set(label).isdisjoint("-()[]|=/ \t\r\n")


def eid_in(names: list[str]) -> int:
    """Which of these attributes is the entity; ValueError when none is."""
    return names.index("eid" if "eid" in names else "GRP")


class Start:
    """Where a mention starts: its `entity`, what else is `said` of it, by attribute, whether it has parts or ends at once."""

    __slots__ = ("closed", "entity", "parted", "said")

    def __init__(self, entity: str, said: dict[str, str], *, parted: bool, closed: bool) -> None:
        self.entity = entity
        self.said = said
        self.parted = parted
        self.closed = closed


class Declared:
    """Where a start holds what, by the names that a declaration gives.

    With `fields` no more than these is said of mentions.
    """

    __slots__ = ("eid", "hyphens", "told")

    def __init__(self, names: list[str], fields: Collection[str] | None = None) -> None:
        self.hyphens = len(names) - 1
        # Where no entity is declared, no mention starts.
        self.eid = eid_in(names) if {"eid", "GRP"}.intersection(names) else 0
        entity = names[self.eid]
        self.told = [
            (at, name)
            for at, name in enumerate(names)
            if name != entity and (fields is None or name in fields)
        ]


def starts_in(declared: Declared, misc: str) -> Iterator[Start]:
    """The mentions that start at a token, told by its last column.

    One of several parts where the first of them starts.
    """
    for attribute in misc.split("|"):
        for start, bracket in _START.findall(attribute) if attribute.startswith(ENTITY) else ():
            values = start.split("-", declared.hyphens)
            entity, size = values[declared.eid], len(values)
            said = {name: values[at] for at, name in declared.told if at < size and values[at]}
            part = PART.fullmatch(entity) if entity[-1:] == "]" else None
            if part is None or part[2] == "1":
                # A mention of one part alone is read as any other.
                parted = part is not None and part[3] != "1"
                yield Start(part[1] if part else entity, said, parted=parted, closed=bracket == ")")


def attributes_of(
    document: Document,
    starts_of: Iterable[tuple[int, list[Start]]],
    parted: Mapping[tuple[str, int], int],
) -> list[list[dict[str, str]]]:
    """The attributes of each mention of a document that was just read, by their names, in the shape of its clusters.

    `starts_of`: lines, counted from 0, and the starts there; `parted` as in `ReadSyntax`.
    """
    attributes: list[list[dict[str, str]]] = [
        [{} for _ in cluster] for cluster in document.clusters
    ]
    number = {label: k for k, label in enumerate(document.labels)}
    # Where the mentions of each cluster stand that start on a line, in their order; those with
    # parts by themselves.
    whole: list[dict[int, list[int]]] = []
    in_parts: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for label, lines in zip(document.labels, document.lines):
        whole.append({})
        for place, line in enumerate(lines):
            started = parted.get((label, place)) if parted else None
            if started is None:
                whole[-1].setdefault(line - document.line, []).append(place)
            else:
                in_parts.setdefault((label, line - document.line), []).append((started, place))
    for places in in_parts.values():
        places.sort()
    for line, starts in starts_of:
        for start in _as_clusters(starts) if len(starts) > 1 else starts:
            k = number[start.entity]
            place = (
                in_parts[start.entity, line].pop(0)[1] if start.parted else whole[k][line].pop(0)
            )
            attributes[k][place] = start.said
    return attributes


def _as_clusters(starts: list[Start]) -> list[Start]:
    """The starts of a line: in a cluster they stand as they end.

    Those with parts are numbered as they start.
    """
    single = [start for start in starts if not start.parted]
    ending = [start for start in single if start.closed] + [
        start for start in single[::-1] if not start.closed
    ]
    return ending + [start for start in starts if start.parted]


_CLUSTER = re.compile(rf"{OLD}(\[\d+\])?=(.*)")


def mentions_of(nodes: Nodes) -> tuple[_Clusters, dict[AnyMention, Token]]:
    """The mentions of each entity with their lines in the file, and the head of each mention.

    ConllError when one has no span, or one that does not hold the word at which it stands.
    """
    clusters: _Clusters = {}
    heads: dict[AnyMention, Token] = {}
    lines = [line for line, node in enumerate(nodes.at) if node >= 0]
    at = {
        (nodes.sentence(node), nodes.line(line).partition("\t")[0]): node
        for node, line in enumerate(lines)
    }
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
                    f"the span of mention {match[2]} is no list of ids in its sentence with "
                    f"this word among them; write {name}"
                )
                raise nodes.error(line, problem)
            mention = nodes.mention(parts)
            mentions, places = clusters.setdefault(match[2], ([], []))
            mentions.append(mention)
            places.append(nodes.number(lines[parts[0][0]]))
            heads.setdefault(mention, nodes.tokens[node])
    return clusters, heads


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
