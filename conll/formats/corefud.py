"""CorefUD: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

Of versions 1.0 to 1.3. A line `# global.Entity = eid-etype-head-other` declares the attributes of
a start, in any order; `eid` (GUM: `GRP`) is the entity and must be among them, `head` numbers the
head among the tokens of the mention, from 1. Without it the head is the first token whose own head
lies outside of the mention. `(e1[1/2]` is the first of two parts of a mention with a gap. An end
closes the latest start of its entity that is open. Documents begin with `# newdoc id = NAME`. Empty
nodes (`4.1`) are zero mentions when they have an entity. `Bridge` and `SplitAnte` are kept as they
are (`Syntax.marks`). Nedoluzhko et al., LREC 2022.

Before version 1.0 a mention was written as a whole at its head, `ClusterId=c1|MentionSpan=2-4,6`;
of several, each has a number `[1]`. A span lists ids of its sentence and ranges of them, which hold
the empty nodes in between. Published treebanks kept these attributes next to `Entity=`; they are
read only where that is missing.

Stanza writes the chains of a word as `coref_chains=start-repr-id0,unit-id3`: the word starts a
mention of chain 0, in its middle or at its end would be `middle-` or `end-`, and is a whole one of
chain 3; `repr-` marks the words of the mention that represents the chain
(stanfordnlp.github.io/stanza/coref.html, and `dict_to_conll_text` in stanza/models/common/doc.py).
They are read where nothing is declared.
"""

from __future__ import annotations

import re
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from conll.columns import kind_of
from conll.conllu import Nodes, NodesContent, NodesSource, NodesSyntax
from conll.document import Document
from conll.errors import ConllError
from conll.formats import Format, Holds
from conll.formats._corefud_entities import ENTITY, GLOBAL, holds_label
from conll.formats._corefud_reader import OLD, STANZA, Reader
from conll.formats._corefud_write import write
from conll.syntax import first_token

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Iterable, Iterator

    from conll.formats._corefud_reader import Span, Start
    from conll.source import Entry, InputFile
    from conll.syntax import AnyMention, Token


_WRITTEN = re.compile(rf"[\t|]{ENTITY}")

_MARK = re.compile(r"(?:^|\|)(Bridge|SplitAnte)=([^|]*)")


MISNAMED = tuple(f"ner={position}-".encode() for position in ("start", "end", "unit"))
"""How the chains of a word begin that Stanza 1.11 to 1.13 wrote as `ner=`."""

_MISNAMED = re.compile(r"(?<=[\t|])ner=(?=(?:start|middle|end|unit)-(?:repr-)?id\d)")


class CorefUDSource(NodesSource):
    """One open CorefUD file."""

    declaration = GLOBAL.encode()
    attributes = ENTITY.encode(), OLD.encode(), STANZA.encode(), *MISNAMED

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self._first: dict[str, tuple[int, tuple[Any, ...], str]] | None = None

    def read(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        try:
            return self._read(entry)
        except ConllError as error:
            raise error.with_others(lambda: self._other_errors(entry)) from None

    def _other_errors(self, entry: Entry) -> list[ConllError]:
        """List the errors of a malformed document after the first."""
        errors: list[ConllError] = []
        try:
            self._read(entry, errors)
        except ConllError as error:
            errors.append(error)
        return errors[1:]

    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
        """Read a document; with a list for `errors`, add those of brackets to it and raise none."""
        text = self._text(entry)
        if STANZA not in text:
            text = _MISNAMED.sub(STANZA, text)
        nodes = Nodes(text, entry, self.path, strict=True)
        reader = Reader(nodes, errors)
        has_entities = entry.declared or GLOBAL in text or _WRITTEN.search(text)
        if not has_entities and OLD in text:
            reader.read_old()
        elif not has_entities and STANZA in text:
            reader.read_stanza()
        else:
            reader.read(entry.declared)
        entities = reader.entities
        syntax = ReadSyntax(self, nodes, entry, reader)
        return Document(
            entry.name,
            [entity.mentions for entity in entities.values()],
            nodes.words,
            lines=[entity.lines for entity in entities.values()],
            labels=list(entities),
            syntax=syntax,
            path=self.path,
            line=entry.line,
            content=NodesContent(entry, syntax),
        )

    def first_mentions(self) -> dict[str, tuple[int, tuple[Any, ...], str]]:
        """Return the sort key of the first mention that the file has of each entity, by its id."""
        if self._first is not None:
            return self._first
        self._first = {}
        for entry in sorted(self._entries.values(), key=attrgetter("body")):
            with suppress(ConllError):  # raised when that document is requested
                document: Any = self.read(entry.name)
                for label, cluster in zip(document.labels, document.clusters):
                    key = entry.body, document.syntax.first_mention(cluster), label
                    self._first.setdefault(label, key)
        return self._first


class ReadSyntax(NodesSyntax):
    """The syntax of a document of a file, whose other columns are read on request.

    Heads that follow from the dependencies are found on request, as most scoring needs none.
    """

    __slots__ = ("_headless", "_others", "_source", "_starts", "_unknown", "entry")

    kept_by = "corefud"

    def __init__(self, source: CorefUDSource, nodes: Nodes, entry: Entry, reader: Reader) -> None:
        super().__init__(nodes, reader.heads)
        self.crossings = reader.crossings
        self.entry = entry
        self._source = source
        self._starts = [entity.starts for entity in reader.entities.values()]
        self._headless = reader.headless
        self._unknown = bool(reader.headless)
        self._others = reader.other_heads

    def entity_order(self, document: Document, clusters: Iterable[int]) -> list[int]:
        first = self._source.first_mentions()
        return sorted(clusters, key=lambda number: first[document.labels[number]])

    def beside(self) -> Counter[str]:
        amounts = super().beside()
        for cluster in self.attributes():
            for attributes in cluster:
                names = [name for name in attributes if name != "head"]
                amounts.update(f"{name} attribute" for name in names)
        return amounts

    def attributes(self, fields: Collection[str] | None = None, /) -> list[list[dict[str, str]]]:
        declared: set[str] = set()
        for cluster in self._starts:
            for names, _ in cluster:
                declared.update(names)
        if fields is not None and declared.isdisjoint(fields):
            return []
        entity = "eid" if "eid" in declared else "GRP"
        wanted = declared if fields is None else declared.intersection(fields)
        wanted.discard(entity)
        attributes = []
        for cluster in self._starts:
            values = [_attributes_of(start, wanted) for start in cluster]
            attributes.append(values)
        return attributes

    def written_head(self, label: str, number: int, mention: AnyMention, /) -> Token | None:
        other = self._others.get((label, number))
        if other is not None:
            return other
        if mention in self._headless:
            return first_token(mention)
        return self._heads.get(mention)

    def outermost(self, mentions: Iterable[AnyMention]) -> dict[AnyMention, Token]:
        """Return the heads that the dependencies give to mentions, as to those without one."""
        nodes = {token: node for node, token in enumerate(self.nodes.tokens)}
        parts: dict[AnyMention, list[Span]] = {}
        for mention in mentions:
            parts[mention] = [(nodes[token], nodes[token]) for token in self.tokens(mention)]
        return self._outermost(parts)

    def _outermost(self, mentions: dict[AnyMention, list[Span]]) -> dict[AnyMention, Token]:
        """Return the first token of each mention whose parent is not in it, else its first token.

        Args:
            mentions: The parts of each mention, their first and last node.
        """
        parents = _parents(self.nodes)
        heads: dict[AnyMention, Token] = {}
        for mention, parts in mentions.items():
            head = parts[0][0]
            for node in _nodes_in(parts):
                if not any(first <= parents[node] <= last for first, last in parts):
                    head = node
                    break
            heads[mention] = self.nodes.tokens[head]
        return heads

    @property
    def heads(self) -> dict[AnyMention, Token]:
        if self._unknown:
            self._unknown = False
            self._heads.update(self._outermost(self._headless))
        return self._heads

    @property
    def marks(self) -> dict[Token, dict[str, str]]:
        if self._marks is None:
            self._marks = {}
            for token, row in zip(self.nodes.tokens, self.nodes.rows):
                for mark, value in _MARK.findall(row.rpartition("\t")[2]):
                    self._marks.setdefault(token, {})[mark] = value
        return self._marks


def _attributes_of(start: Start, wanted: Collection[str]) -> dict[str, str]:
    """Return the attributes with these names that a start gives."""
    names, text = start
    values = zip(names, text.split("-", len(names) - 1))
    return {name: value for name, value in values if value and name in wanted}


def _nodes_in(parts: list[Span]) -> Iterator[int]:
    """Yield the nodes of all parts of a mention."""
    for first, last in parts:
        yield from range(first, last + 1)


def _parents(nodes: Nodes) -> list[int]:
    """Return the parent of each node; -1 for a root, and where its sentence lacks the parent."""
    node_of: dict[tuple[int, str], int] = {}
    heads: list[tuple[int, str]] = []
    for node, row in enumerate(nodes.rows):
        columns = row.split("\t")
        sentence = nodes.sentence(node)
        node_of[sentence, columns[0]] = node
        head = columns[6]
        if head == "_":
            # An empty node has only enhanced dependencies.
            head = columns[8].partition(":")[0]
        heads.append((sentence, head))
    return [node_of.get(head, -1) for head in heads]


FORMAT = Format(
    "corefud",
    "CorefUD: CoNLL-U with Entity= in the last column",
    sniff=lambda head: kind_of(head) == "corefud",
    open=CorefUDSource,
    write=write,
    holds=Holds(
        names=False,
        ordered=False,
        crossing=False,
        word={"\t", "\n", "\r"}.isdisjoint,
        label=holds_label,
        field=lambda _document, _field: False,
        placeholders=True,
        empty=False,
        breaks=False,
    ),
)
