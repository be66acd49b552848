"""Anaphora beside plain coreference: split antecedents, non-referring expressions, bridging.

Files of Universal Anaphora name them with attributes of their markables. CorefUD has split
antecedents and bridging in the last column: `SplitAnte=e1<e3,e2<e3` says that e1 and e2 are the
elements of e3, `Bridge=e1<e3` that the mention of e3 that starts here bridges to e1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from conll.document import Document
from conll.errors import Problem
from conll.syntax import Syntax, first_token, pieces


@dataclass
class Anaphora:
    """The anaphora of one layer of a document.

    Attributes:
        entities: The mentions of each entity in file order, by the id of the entity; non-referring
            ones as well.
        non_referring: The ids of entities that refer to nothing.
        elements: For the id of an entity with a split antecedent, the ids of its elements.
        minimum: For a mention, first and last word of the least that stands for it (`Min`).
        bridging: The antecedent of each bridging anaphor, both mentions.
    """

    entities: dict[str, list[Any]] = field(default_factory=dict)
    non_referring: set[str] = field(default_factory=set)
    elements: dict[str, list[str]] = field(default_factory=dict)
    minimum: dict[Any, tuple[int, int]] = field(default_factory=dict)
    bridging: dict[Any, Any] = field(default_factory=dict)


def anaphora_of(document: Document, layer: str = "identity") -> Anaphora:
    """Return what a document says of anaphora in one layer.

    Args:
        document: A document of any format; formats without such attributes have clusters only.
        layer: `identity`, or `deixis` for the column DISCOURSE_DEIXIS of Universal Anaphora.

    Raises:
        ConllError: The document has clusters, but no such layer.
    """
    syntax = document.syntax
    read = getattr(syntax, "anaphora", None)
    if read is not None:
        return read(layer)  # type: ignore[no-any-return]  # what the format's reader makes
    if layer != "identity" and document.clusters:
        problem = f"only Universal Anaphora has a layer {layer}; score the layer identity"
        raise document.error(problem)
    anaphora = Anaphora()
    for label, cluster in zip(document.ids(), document.clusters):
        anaphora.entities.setdefault(label, []).extend(cluster)
    if syntax is not None:
        _read_marks(syntax, anaphora)
    return anaphora


def link_problems(document: Document) -> list[Problem]:
    """List what is wrong with the links of a CorefUD document, each at the line where it stands.

    That is a split antecedent that is repeated or the only one of its entity, and any link from or
    to an entity without a mention.
    """
    syntax: Any = document.syntax
    if syntax is None or not syntax.marks or not hasattr(syntax, "nodes"):
        return []
    problems: list[tuple[int, str]] = []
    # For each entity with a split antecedent, the line of each of its elements.
    elements: dict[str, dict[str, int]] = {}
    for line, name, link in _links(syntax):
        antecedent, arrow, target = link.partition("<")
        entity = target.partition(":")[0]
        if not arrow:
            problems.append((line, f"{name}={link} is no link; write {name}=e1<e2"))
            continue
        for label in (antecedent, entity):
            if label not in document.labels:
                unknown = f"the entity {label!r}, which has no mention in this document"
                problems.append((line, f"{name}={link} names {unknown}"))
        if name == "SplitAnte":
            if antecedent in elements.setdefault(entity, {}):
                problems.append((line, f"SplitAnte={link} is repeated; write it once"))
            elements[entity].setdefault(antecedent, line)
    for entity, line_of in elements.items():
        if len(line_of) == 1:
            [(antecedent, line)] = line_of.items()
            text = f"entity {entity} has a single split antecedent, {antecedent}; it needs two"
            problems.append((line, text))
    return [Problem(document.path, line, document.name, text) for line, text in sorted(problems)]


def _links(syntax: Any) -> Iterator[tuple[int, str, str]]:
    """Yield the links of a document of CorefUD: line, attribute, and the link as written."""
    nodes = syntax.nodes
    lines = {token: nodes.number(line) for token, line in zip(nodes.tokens, nodes.lines)}
    for token, marks in syntax.marks.items():
        for name, value in marks.items():
            for link in value.split(","):
                yield lines[token], name, link


def _read_marks(syntax: Syntax, anaphora: Anaphora) -> None:
    """Add the split antecedents and the bridging of CorefUD."""
    starts: dict[tuple[str, Any], Any] = {}
    for label, mentions in anaphora.entities.items():
        for mention in sorted(mentions, key=lambda mention: len(pieces(mention))):
            starts[label, first_token(mention)] = mention
    for token, marks in syntax.marks.items():
        for pair in marks.get("SplitAnte", "").split(","):
            element, _, entity = pair.partition("<")
            if entity:
                anaphora.elements.setdefault(entity.partition(":")[0], []).append(element)
        for pair in marks.get("Bridge", "").split(","):
            antecedent, _, entity = pair.partition("<")
            anaphor = starts.get((entity.partition(":")[0], token))
            antecedents = anaphora.entities.get(antecedent)
            if anaphor is not None and antecedents:
                here = syntax.place(token)
                before = [m for m in antecedents if syntax.place(first_token(m)) < here]
                # The nearest mention before, or else the first one.
                anaphora.bridging[anaphor] = before[-1] if before else antecedents[0]
