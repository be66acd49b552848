"""What CorefUD says of mentions beside their entities: the attributes that a line `# global.Entity` declares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from conll.document import Document

DECLARATION = "# global.Entity"
ENTITY = "Entity="

PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")
"""The entity of a part of a mention, the number of the part, and how many there are."""

_START = re.compile(r"\(([^()]*)(\)?)")


def names_in(declaration: str) -> list[str]:
    """The attributes that a declaration names, in their order."""
    return [name.strip() for name in declaration.partition("=")[2].split("-")]


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


def starts_in(names: list[str], misc: str) -> Iterator[Start]:
    """The mentions that start at a token, told by its last column; one of several parts where the first of them starts."""
    for attribute in misc.split("|"):
        for start, bracket in _START.findall(attribute) if attribute.startswith(ENTITY) else ():
            values = start.split("-", len(names) - 1)
            eid = eid_in(names)
            entity = values[eid]
            said = {name: value for name, value in zip(names, values) if value and name != names[eid]}
            part = PART.fullmatch(entity)
            if part is None or part[2] == "1":
                # A mention of one part alone is read as any other.
                parted = part is not None and part[3] != "1"
                yield Start(part[1] if part else entity, said, parted=parted, closed=bracket == ")")


def attributes_of(
    document: Document, starts_of: Iterable[tuple[int, list[Start]]], parted: Mapping[tuple[str, int], int]
) -> list[list[dict[str, str]]]:
    """The attributes of each mention of a document that was just read, by their names, in the shape of its clusters.

    `starts_of`: the line of each node, counted from 0, and the starts there; `parted` as in `ReadSyntax`.
    """
    attributes: list[list[dict[str, str]]] = [[{} for _ in cluster] for cluster in document.clusters]
    at: dict[tuple[str, int, bool], list[tuple[int, int, int]]] = {}
    for k, (label, lines) in enumerate(zip(document.labels, document.lines)):
        for place, line in enumerate(lines):
            started = parted.get((label, place))
            order = place if started is None else started
            at.setdefault((label, line - document.line, started is not None), []).append((order, k, place))
    for places in at.values():
        places.sort()
    for line, starts in starts_of:
        whole = [start for start in starts if not start.parted]
        # In a cluster they stand as they end; those with parts are numbered as they start.
        ending = [start for start in whole if start.closed] + [start for start in whole[::-1] if not start.closed]
        for start in [*ending, *(start for start in starts if start.parted)]:
            _, k, place = at[start.entity, line, start.parted].pop(0)
            attributes[k][place] = start.said
    return attributes
