"""What CorefUD says of mentions beside their entities: the attributes that `# global.Entity` declares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conll.syntax import pieces

if TYPE_CHECKING:
    from conll.conllu.nodes import Entry
    from conll.document import Document

_DECLARATION = "# global.Entity"
_IDS = ("eid", "GRP")
_START = re.compile(r"\(([^()|\s]*)")
_PART = re.compile(r"(.+)\[(\d+)/\d+\]")


def attributes_of(document: Document, text: str, entry: Entry) -> list[list[dict[str, str]]]:
    """The attributes of each mention of a document by their names, in the shape of its clusters; `text` holds its lines.

    Mentions of one entity that start on one line are told apart by their length, as the longer is written first.
    """
    written = _starts(text, entry)
    attributes: list[list[dict[str, str]]] = [[{} for _ in cluster] for cluster in document.clusters]
    at: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for k, lines in enumerate(document.lines):
        for place, line in enumerate(lines):
            at.setdefault((document.labels[k], line), []).append((k, place))
    for start, places in at.items():
        places.sort(key=lambda place: _length(document.clusters[place[0]][place[1]]), reverse=True)
        for (k, place), found in zip(places, written.get(start, [])):
            attributes[k][place] = found
    return attributes


def _length(mention: object) -> int:
    spans = [piece for piece in pieces(mention) if not isinstance(piece, str)]  # type: ignore[arg-type]  # a document of this format
    return spans[-1][1] - spans[0][0] if spans else 0


def _starts(text: str, entry: Entry) -> dict[tuple[str, int], list[dict[str, str]]]:
    """The attributes of all starts but those of further parts, by entity and line."""
    names = _names(entry.declared)
    starts: dict[tuple[str, int], list[dict[str, str]]] = {}
    for number, line in enumerate(text.split("\n"), entry.line):
        if line.startswith(_DECLARATION):
            names = _names(line)
        cell = line.rpartition("\t")[2] if "Entity=" in line and line[:1].isdecimal() else ""
        for attribute in cell.split("|"):
            for start in _START.findall(attribute) if attribute.startswith("Entity=") else ():
                found = dict(zip(names, start.split("-", max(len(names) - 1, 0))))
                label = next((found.pop(name) for name in _IDS if name in found), "")
                part = _PART.fullmatch(label)
                if part is None or int(part[2]) == 1:
                    said = {name: value for name, value in found.items() if value}
                    starts.setdefault((label if part is None else part[1], number), []).append(said)
    return starts


def _names(declaration: str) -> list[str]:
    return [name.strip() for name in declaration.partition("=")[2].split("-")] if declaration else []
