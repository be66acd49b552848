"""What CorefUD says of mentions beside their entities: the attributes that `# global.Entity` declares."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

from conll.syntax import pieces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from conll.conllu.nodes import Entry, Nodes
    from conll.document import Document

_DECLARATION = "# global.Entity"
_IDS = ("eid", "GRP")
_PART = re.compile(r"(.+)\[(\d+)/\d+\]")


def attributes_of(
    document: Document, nodes: Nodes, entry: Entry, fields: Collection[str] | None = None
) -> list[list[dict[str, str]]]:
    """The attributes of each mention of a document by their names, in the shape of its clusters; `nodes` are what was read of it.

    With `fields` these alone, and nothing where none of them is declared. Mentions of one entity that start on one line are told
    apart by their length, as the longer is written first.
    """
    declarations = [(0, entry.declared), *((line, text) for _, line, text in nodes.declarations if text.startswith(_DECLARATION))]
    if fields is not None and not any(name in fields for _, text in declarations for name in _names(text)):
        return []
    written = _starts(nodes, entry.line, declarations, fields)
    attributes: list[list[dict[str, str]]] = []
    for label, cluster, lines in zip(document.labels, document.clusters, document.lines):
        of_entity = written.get(label, {})
        if len({*lines}) == len(lines):
            attributes.append([of_entity[line][0] if line in of_entity else {} for line in lines])
            continue
        here: list[dict[str, str]] = [{} for _ in cluster]
        left = {line: iter(found) for line, found in of_entity.items()}
        for place in sorted(range(len(cluster)), key=list(map(_length, cluster)).__getitem__, reverse=True):
            here[place] = next(left.get(lines[place], iter(())), {})
        attributes.append(here)
    return attributes


def _length(mention: object) -> int:
    spans = [piece for piece in pieces(mention) if not isinstance(piece, str)]  # type: ignore[arg-type]  # a document of this format
    return spans[-1][1] - spans[0][0] if spans else 0


def _starts(
    nodes: Nodes, begins: int, declarations: Sequence[tuple[int, str]], fields: Collection[str] | None
) -> dict[str, dict[int, list[dict[str, str]]]]:
    """The attributes of all starts but those of further parts, by entity and then by line."""
    starts: dict[str, dict[int, list[dict[str, str]]]] = {}
    lines, _, cells = nodes.last_columns()
    ends = [*(bisect_left(lines, line) for line, _ in declarations[1:]), len(lines)]
    for begin, end, (_, declared) in zip([0, *ends], ends, declarations):
        for at, label, said in _said(declared, cells[begin:end], fields):
            starts.setdefault(label, {}).setdefault(begins + lines[begin + at], []).append(said)
    return starts


def _said(declared: str, cells: Sequence[str], fields: Collection[str] | None) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Of each start the place of its cell, its entity, and what else it says; without those of further parts."""
    names = _names(declared)
    eid = next((name for name in _IDS if name in names), None)
    if eid is None or not cells:
        return
    # Of a name that is declared twice the last place is read.
    told = {name: at for at, name in enumerate(names) if name == eid or fields is None or name in fields}
    at_eid, *at_others = (1 + sorted(told.values()).index(told[name]) for name in (eid, *(name for name in told if name != eid)))
    others = list(zip((name for name in told if name != eid), at_others))
    at = -1
    for groups in _starts_of(len(names), tuple(sorted(told.values()))).findall("\n".join(["", *cells])):
        label = groups[at_eid]
        at += groups[0] != ""
        part = _PART.fullmatch(label) if label[-1:] == "]" else None
        if label and (part is None or int(part[2]) == 1):
            yield at, label if part is None else part[1], {name: groups[place] for name, place in others if groups[place]}


@cache
def _starts_of(names: int, places: tuple[int, ...]) -> re.Pattern[str]:
    """Finds starts in last columns, each after a line feed, by how many attributes are declared.

    A match has a line feed, or what a start says at these places; nothing where it is another attribute of its line.
    """
    start = ""
    for at in range(max(places), -1, -1):
        # Only the last may hold a hyphen.
        value = r"[^()|\s]*" if at == names - 1 else r"[^()|\s-]*"
        start = (f"({value})" if at in places else value) + (f"(?:-{start})?" if start else "")
    return re.compile(rf"(\n)|(?:^|\|)(?!Entity=)[^|\n]+|\({start}", re.MULTILINE)


def _names(declaration: str) -> list[str]:
    return [name.strip() for name in declaration.partition("=")[2].split("-")] if declaration else []
