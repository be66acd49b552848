"""The attribute `Entity=` of CorefUD, its declaration, and how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conll.conllu import joined
from conll.syntax import pieces

if TYPE_CHECKING:
    from conll.document import Document
    from conll.syntax import AnyMention, Token

GLOBAL = "# global.Entity"
"""The beginning of the line that declares the attributes of mentions."""

DECLARATION = f"{GLOBAL} = eid-etype-head-other\n"

ENTITY = "Entity="


def names_in(declaration: str) -> list[str]:
    """Return the attributes that a declaration names, in their order."""
    return [name.strip() for name in declaration.partition("=")[2].split("-")]


def eid_in(names: list[str]) -> int:
    """Return which of these attributes is the entity; ValueError when none is."""
    return names.index("eid" if "eid" in names else "GRP")


def holds_label(label: str) -> bool:
    """Return whether a cluster may have that id; with a hyphen, `e-1` and `e-2` would be merged."""
    return bool(label) and set(label).isdisjoint("-()[]|=/ \t\r\n")


def entities_of(
    document: Document, ids: list[str], read: Document, names: list[str]
) -> dict[Token, str]:
    """Return the attribute `Entity=` of each token that has one.

    Args:
        document: The document.
        ids: The ids of its clusters in the file.
        read: The document in whose lines they are put; attributes of its mentions stay.
        names: The attributes of a mention that are declared.
    """
    starts = _Starts(read, names, document.syntax.heads if document.syntax else {})
    labels = document.labels
    if len(labels) != len(document.clusters):
        labels = ids
    brackets = _Brackets()
    for entity, label, cluster in zip(ids, labels, document.clusters):
        for mention in cluster:
            parts = starts.parts_of(mention)
            values = starts.values_of(label, mention, parts)
            for number, part in enumerate(parts, 1):
                part_id = entity if len(parts) == 1 else f"{entity}[{number}/{len(parts)}]"
                brackets.add(part, starts.text_of(part_id, values), part_id)
    return brackets.attributes(starts.tokens)


class _Starts:
    """The starts of mentions, with all attributes that are declared.

    Args:
        read: The document in whose lines mentions are put.
        names: The attributes that are declared.
        heads: The heads of mentions that are known.
    """

    def __init__(self, read: Document, names: list[str], heads: dict[AnyMention, Token]) -> None:
        syntax: Any = read.syntax
        self.tokens: list[Token] = syntax.nodes.tokens
        self._nodes = {token: node for node, token in enumerate(self.tokens)}
        self._names = names
        self._entity = eid_in(names)
        self._heads = heads
        self._attributes: dict[tuple[str, AnyMention], dict[str, str]] = {}
        for label, cluster, attributes in zip(read.labels, read.clusters, syntax.attributes()):
            for mention, values in zip(cluster, attributes):
                # Of a mention that is written twice, the attributes of the first one stay.
                self._attributes.setdefault((label, mention), values)

    def parts_of(self, mention: AnyMention) -> list[tuple[int, int]]:
        """Return the first and the last node of each part of a mention."""
        parts = []
        for piece in pieces(mention):
            # A piece of words goes on through the empty nodes between them, so its ends are enough:
            # it may be as long as the document.
            first, last = piece if isinstance(piece, tuple) else (piece, piece)
            parts.append((self._nodes[first], self._nodes[last]))
        return joined(sorted(parts))

    def values_of(self, label: str, mention: AnyMention, parts: list[tuple[int, int]]) -> list[str]:
        """Return the values of all declared attributes of a mention, but of its entity."""
        attributes = self._attributes.get((label, mention), {})
        values = [attributes.get(name, "") for name in self._names]
        # Only the last of a declaration may hold a hyphen, and it may have been read from another.
        for index, value in enumerate(values[:-1]):
            if "-" in value:
                values[index] = ""
        has_head = mention in self._heads
        # CorefUD's own programs read no mention in parts whose head is not declared.
        if "head" in self._names and (has_head or len(parts) > 1):
            head = self._nodes[self._heads[mention]] if has_head else parts[0][0]
            before = sum(min(head, last + 1) - first for first, last in parts if first < head)
            values[self._names.index("head")] = str(before + 1)
        return values

    def text_of(self, part_id: str, values: list[str]) -> str:
        """Return the start of a part of a mention, without an end."""
        values = values.copy()
        values[self._entity] = part_id
        return f"({'-'.join(values).rstrip('-')}"


class _Brackets:
    """The brackets at each node, to be sorted."""

    def __init__(self) -> None:
        self._starts: dict[int, list[tuple[int, str]]] = {}
        self._ends: dict[int, list[tuple[int, str]]] = {}

    def add(self, part: tuple[int, int], start: str, part_id: str) -> None:
        """Add the brackets of a part of a mention."""
        first, last = part
        if first == last:
            self._starts.setdefault(first, []).append((-last, f"{start})"))
            return
        self._starts.setdefault(first, []).append((-last, start))
        self._ends.setdefault(last, []).append((-first, f"{part_id})"))

    def attributes(self, tokens: list[Token]) -> dict[Token, str]:
        """Return the attribute of each token, by the tokens of all nodes.

        Ends are before starts, so that of two mentions that meet the first ends first.
        """
        attributes: dict[Token, str] = {}
        for node in self._starts | self._ends:
            brackets = sorted(self._ends.get(node, [])) + sorted(self._starts.get(node, []))
            attributes[tokens[node]] = ENTITY + "".join(text for _, text in brackets)
        return attributes
