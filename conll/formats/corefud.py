"""CorefUD 1.0 to 1.3: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

A line `# global.Entity = eid-etype-head-other` declares the attributes that stand after a starting
bracket, in any order; `eid` (GUM: `GRP`) is the entity and must be among them, `head` numbers the
head among the tokens of the mention, from 1. Without it the head is the first token whose own head
lies outside of the mention. `(e1[1/2]` is the first of two parts of a mention with a gap. An end
closes the latest start of its entity that is open. Documents begin with `# newdoc id = NAME`. Empty
nodes (`4.1`) are zero mentions when an entity stands there. `Bridge` and `SplitAnte` are kept as
they are (`Syntax.marks`). Nedoluzhko et al., LREC 2022. Where nothing is declared, `ClusterId=` of
earlier versions is read.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from conll.columns import kind_of
from conll.conllu import COLUMNS, Nodes, NodesSource, columns_of, counted
from conll.document import Document, Layers
from conll.format import Format, Holds
from conll.formats._corefud_entity import (
    DECLARATION,
    ENTITY,
    OLD,
    PART,
    eid_in,
    holds_label,
    names_in,
    old_mentions,
)
from conll.formats._corefud_write import write
from conll.syntax import Syntax, pieces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import BinaryIO

    from conll.source import Entry
    from conll.syntax import AnyMention, Token

    Span = tuple[int, int]
    """The first and the last node of a part of a mention."""
    _Said = tuple[list[str], str]
    """The names that are declared, and the text of a start."""
    _Start = tuple["_Label", int, int, str, _Said, "_Parts | None"]
    """A start that is open: its node, its line, the head that it gives, what it says."""


_PIECE = re.compile(r"\(([^()]*)(\)?)|([^()]+)(\)?)|(\))")
"""A start and perhaps its end, or what may be an end and its bracket, or a bracket alone."""

_WRITTEN = re.compile(rf"[\t|]{ENTITY}")

_EARLY = "ends here while another that started later is open"
_EXAMPLE = "# global.Entity = eid-etype-head-other"
_MARKS = ("Bridge", "SplitAnte")


class CorefUDSource(NodesSource):
    """One open CorefUD file."""

    declaration = DECLARATION.encode()
    attributes = ENTITY.encode(), OLD.encode()

    def __init__(self, file: BinaryIO, path: str) -> None:
        super().__init__(file, path)
        self._labels: dict[Entry, frozenset[str]] = {}

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        text = self._text(entry)
        nodes = Nodes(text, entry, self.path, columns=10, strict=True)
        reader = _Reader(nodes, entry)
        is_old = not entry.declared and OLD in text and DECLARATION not in text
        if is_old and not _WRITTEN.search(text):
            for label, mention, line, head in old_mentions(nodes):
                reader.add_old(label, mention, line, head)
        else:
            reader.read()
        entities = reader.entities
        self._labels[entry] = frozenset(entities)
        return Document(
            name,
            [entity.mentions for entity in entities.values()],
            nodes.words,
            lines=[entity.lines for entity in entities.values()],
            labels=list(entities),
            syntax=ReadSyntax(self, nodes, entry, reader),
            path=self.path,
            line=entry.line,
        )

    def first_with(self, label: str) -> Entry:
        """Return where the first document of the file lies that has an entity of this id."""
        for entry in sorted(self._entries.values(), key=lambda entry: entry.body):
            if entry not in self._labels:
                self.document(entry.name)
            if label in self._labels[entry]:
                return entry
        raise KeyError(label)

    def layers(self, name: str) -> Layers | None:
        layers, document = super().layers(name), self.document(name)
        if layers is not None and document is not None:
            layers.attributes = _read_syntax(document).attributes()
        return layers

    def layers_of(
        self,
        document: Document,
        fields: Collection[str] = (),
        *,
        names: bool = False,  # noqa: ARG002
    ) -> Layers | None:
        syntax = _read_syntax(document)
        columns = columns_of(syntax.nodes.word_lines(), COLUMNS, fields)
        return Layers([], columns, attributes=syntax.attributes(fields))

    def same_words(self, document: Document, other: Document) -> bool:
        nodes = _read_syntax(document).nodes
        return isinstance(other.syntax, ReadSyntax) and nodes.same_words(other.syntax.nodes)


def _read_syntax(document: Document) -> ReadSyntax:
    """The syntax of a document that was read here."""
    assert isinstance(document.syntax, ReadSyntax)
    return document.syntax


class _Entity:
    """An entity: its mentions, and for each the line of the file and what is said at its start.

    `said` holds the declared names and the text after the bracket. `open` are the starts without an
    end so far, `unfinished` the mentions that still have parts to come, both in their order.
    `crossed` are the ends of parts in the middle inside a later mention: the line, and how many
    starts were open before the part, if a later end on that line may make up for it (else -1).
    """

    __slots__ = ("crossed", "lines", "mentions", "open", "said", "unfinished")

    def __init__(self) -> None:
        self.mentions: list[AnyMention] = []
        self.lines: list[int] = []
        self.said: list[_Said] = []
        self.open: list[_Start] = []
        self.unfinished: list[_Parts] = []
        self.crossed: list[tuple[int, int]] = []


class _Label:
    """What brackets name: an entity, or part `number` of `count` of a mention of it."""

    __slots__ = ("count", "entity", "name", "number", "text")

    def __init__(self, text: str, name: str, number: int, count: int, entity: _Entity) -> None:
        self.text = text
        self.name = name
        self.number = number
        self.count = count
        self.entity = entity


class _Parts:
    """A mention of `count` parts, some still to come.

    `line`, `said` and `attributes` (all but the entity) are those of its first start; `head` is
    what the last part names, on `head_line`. `is_open`: whether a part has yet to end.
    """

    __slots__ = ("attributes", "count", "head", "head_line", "is_open", "line", "parts", "said")

    def __init__(
        self, count: int, attributes: list[str], line: int, head: str, said: _Said
    ) -> None:
        self.count = count
        self.attributes = attributes
        self.line = self.head_line = line
        self.head = head
        self.said = said
        self.parts: list[Span] = []
        self.is_open = True


class _Reader:
    """Reads the mentions of one document.

    Lines are counted from 0 in it, but for those of mentions, from 1 in the file.
    """

    def __init__(self, nodes: Nodes, entry: Entry) -> None:
        self._nodes = nodes
        self._declared = entry.declared
        self._labels: dict[str, _Label] = {}
        self.entities: dict[str, _Entity] = {}
        self.heads: dict[AnyMention, Token] = {}
        self.headless: list[tuple[AnyMention, list[Span]]] = []
        self.other_heads: dict[tuple[str, int], Token] = {}
        self.crossings: list[tuple[int, str, bool]] = []
        self._names: list[str] = []
        self._eid = self._head = -1

    def read(self) -> None:
        """Read all brackets; ConllError where they do not fit."""
        if self._declared:
            # A wrong declaration is reported at the line that begins the document.
            self._declare(self._declared, 0)
        declarations = deque(self._nodes.declarations)
        for line, node, text in zip(*self._nodes.last_columns(ENTITY)):
            while declarations and declarations[0][0] <= line:
                _, at, declaration = declarations.popleft()
                self._declare(declaration, at)
            for attribute in text.split("|"):
                if attribute.startswith(ENTITY):
                    self._read_brackets(attribute, node, line)
        for _, at, declaration in declarations:
            self._declare(declaration, at)
        for name, entity in self.entities.items():
            for line, _ in entity.crossed:
                self._cross(line, f"a mention of {name} {_EARLY}")
        self._check_ends()
        self.crossings.sort(key=itemgetter(0))

    def add_old(self, name: str, mention: AnyMention, line: int, head: Token) -> None:
        """Add a mention of a version before 1.0."""
        entity = self.entities.setdefault(name, _Entity())
        entity.mentions.append(mention)
        entity.lines.append(self._nodes.number(line))
        entity.said.append(([], ""))
        self.heads.setdefault(mention, head)

    def _declare(self, text: str, line: int) -> None:
        if not text.startswith(DECLARATION):
            return
        self._names = names_in(text)
        try:
            self._eid = eid_in(self._names)
        except ValueError:
            problem = f"the declaration has no eid; write for example {_EXAMPLE}"
            raise self._nodes.error(line, problem, text) from None
        self._head = self._names.index("head") if "head" in self._names else -1

    def _read_brackets(self, attribute: str, node: int, line: int) -> None:
        """Read an attribute such as `Entity=(e1-person-1(e2)`."""
        if not self._names:
            problem = "an entity stands here, but no line before tells its attributes"
            raise self._nodes.error(line, f"{problem}; write for example {_EXAMPLE}")
        for start, closed, end, ended, alone in _PIECE.findall(attribute, len(ENTITY)):
            if ended:
                self._end(end, node, line)
            elif end or alone:
                problem = f"{end[:1] or alone} in Entity= is not a bracket of an entity"
                raise self._nodes.error(line, f"{problem}; write (e1 or e1) or (e1)")
            else:
                self._start(start, node, line, closed=closed != "")

    def _start(self, text: str, node: int, line: int, *, closed: bool) -> None:
        attributes = text.split("-", len(self._names) - 1)
        name = attributes[self._eid] if self._eid < len(attributes) else ""
        label = self._labels.get(name) or self._new_label(name, line)
        head = attributes[self._head] if 0 <= self._head < len(attributes) else ""
        said = (self._names, text)
        mention = None
        if label.count > 1:
            del attributes[self._eid]
            mention = self._part(label, attributes, node, line, head, said)
        if not closed:
            label.entity.open.append((label, node, line, head, said, mention))
        elif mention is not None:
            self._close(label, mention, (node, node), line)
        else:
            # udapi passes over the number in a mention of one token, and such files exist.
            self._add(label, line, "1" if head.isdecimal() else head, [(node, node)], said)

    def _end(self, name: str, node: int, line: int) -> None:
        label = self._labels.get(name)
        opened = label.entity.open if label else []
        at = len(opened) - 1
        while at >= 0 and opened[at][0] is not label:
            at -= 1
        if label is None or at < 0:
            problem = f"mention {name} ends here but never starts; write the missing ({name}"
            raise self._nodes.error(line, problem)
        _, first, begin, head, said, parts = opened.pop(at)
        crossed = label.entity.crossed
        if at < len(opened):
            other = opened[-1][0]
            if 1 < label.number < label.count and other.count == 1 and parts is not None:
                size = sum(last - first + 1 for first, last in [*parts.parts, (first, node)])
                is_head = head.isdecimal() and len(head) < 10 and int(head) <= size
                crossed.append((line, at if is_head else -1))
            else:
                problem = f"a mention of {label.name} {_EARLY}"
                self._cross(line, problem, refused=max(other.number, label.number) > 1)
        elif label.count == 1 and head in ("", "1"):
            # udapi exchanges the ends of a part in the middle and of this mention, which gets its
            # first token as head. Where both end at one token, that is what is written.
            while crossed and crossed[-1][0] == line and len(opened) <= crossed[-1][1]:
                crossed.pop()
        if parts is None:
            self._add(label, begin, head, [(first, node)], said)
        else:
            self._close(label, parts, (first, node), line)

    def _new_label(self, text: str, line: int) -> _Label:
        if not text:
            problem = "a mention starts here without the id of its entity; write one after the ("
            raise self._nodes.error(line, problem)
        name, number, count = text, 1, 1
        if text[-1] == "]":
            match = PART.fullmatch(text)
            if match is None or int(match[2]) > int(match[3]):
                problem = f"{text} is not part of a mention; write the first of two as (e1[1/2]"
                raise self._nodes.error(line, problem)
            name, number, count = match[1], int(match[2]), int(match[3])
        entity = self.entities.setdefault(name, _Entity())
        self._labels[text] = label = _Label(text, name, number, count, entity)
        return label

    def _part(
        self, label: _Label, attributes: list[str], node: int, line: int, head: str, said: _Said
    ) -> _Parts:
        """The mention to which a part belongs that starts here.

        Two mentions of one entity may wait for their next part at once. The parts of one are mostly
        written with the same attributes; otherwise the mention that started first goes on first.
        udapi goes by the order alone.
        """
        unfinished = label.entity.unfinished
        if label.number == 1:
            mention = _Parts(label.count, attributes, line, head, said)
            unfinished.append(mention)
            return mention
        waiting = [
            mention
            for mention in unfinished
            if not mention.is_open
            and len(mention.parts) == label.number - 1
            and mention.count == label.count
            and mention.parts[-1][1] < node
        ]
        if not waiting:
            before = f"{label.name}[{label.number - 1}/{label.count}]"
            problem = (
                f"part {label.text} of a mention starts here, but the part before it is missing; "
                f"write ({before} before"
            )
            raise self._nodes.error(line, problem)
        same = [mention for mention in waiting if mention.attributes == attributes]
        mention = (same or waiting)[0]
        first = next(mention for mention in unfinished if not mention.is_open)
        if mention.parts == first.parts:
            # Whichever udapi takes for which, it reads the same mentions.
            at, place = unfinished.index(first), unfinished.index(mention)
            unfinished[at], unfinished[place] = mention, first
        else:
            what = "starts here while an earlier mention waits for its next part"
            self._cross(line, f"a part of a mention of {label.name} {what}")
        mention.is_open = True
        if head:
            mention.head, mention.head_line = head, line
        return mention

    def _close(self, label: _Label, mention: _Parts, part: Span, line: int) -> None:
        """End a part of a mention."""
        mention.parts.append(part)
        mention.is_open = False
        if len(mention.parts) < mention.count:
            return
        unfinished = label.entity.unfinished
        if unfinished[-1] is not mention:
            what = "ends here while another that started later waits for its next part"
            self._cross(line, f"a mention of {label.name} {what}")
        unfinished.remove(mention)
        self._add(label, mention.line, mention.head, mention.parts, mention.said, mention.head_line)

    def _cross(self, line: int, problem: str, *, refused: bool = True) -> None:
        """Note a line that udapi reads otherwise, or refuses."""
        self.crossings.append((self._nodes.number(line), problem, refused))

    def _add(
        self,
        label: _Label,
        line: int,
        head: str,
        parts: list[Span],
        said: _Said,
        head_line: int | None = None,
    ) -> None:
        tokens = self._nodes.tokens
        first, last = parts[0]
        token = tokens[first]
        mention: AnyMention
        if len(parts) == 1 and type(token) is int and type(tokens[last]) is int:
            mention = token, tokens[last]  # type: ignore[assignment]  # both are words
        else:
            mention = self._nodes.mention(parts)
        if head == "1":
            pass  # Most heads; the first token is there in any case.
        elif head:
            token = tokens[
                self._declared_head(label, line if head_line is None else head_line, head, parts)
            ]
        elif mention not in self.heads:
            # Its place is taken, so a mention that is written twice keeps its first head.
            self.headless.append((mention, parts))
        entity = label.entity
        entity.mentions.append(mention)
        entity.lines.append(self._nodes.number(line))
        entity.said.append(said)
        if self.heads.setdefault(mention, token) != token:
            self.other_heads[label.name, len(entity.mentions) - 1] = token

    def _declared_head(self, label: _Label, line: int, head: str, parts: list[Span]) -> int:
        """The node of the head, which the file numbers among those of the mention from 1."""
        left = int(head) if head.isdecimal() and len(head) < 10 else 0
        for first, last in parts:
            if 0 < left <= last - first + 1:
                return first + left - 1
            left -= last - first + 1
        size = sum(last - first + 1 for first, last in parts)
        problem = f"the head of mention {label.name} is {head}, but its tokens are 1 to {size}"
        raise self._nodes.error(line, f"{problem}; write one of these")

    def _check_ends(self) -> None:
        """Raise the error for the first mention that does not end, or lacks a part."""
        opened = [start for entity in self.entities.values() for start in entity.open]
        if opened:
            label, _, line, *_ = min(opened, key=itemgetter(2))
            problem = f"mention {label.text} starts here but never ends in its document"
            raise self._nodes.error(line, f"{problem}; write the missing {label.text})")
        unfinished = [
            (mention.line, name, mention)
            for name, entity in self.entities.items()
            for mention in entity.unfinished
        ]
        if unfinished:
            line, name, mention = min(unfinished, key=itemgetter(0))
            number = len(mention.parts) + 1
            problem = f"a mention of {mention.count} parts starts here, but its part {number}"
            missing = f"({name}[{number}/{mention.count}]"
            raise self._nodes.error(line, f"{problem} is missing; write {missing}")


class ReadSyntax(Syntax):
    """What was read from a file, whose other columns are read on request.

    Heads that follow from the dependencies are found on request, as most scoring needs none.
    """

    __slots__ = ("_headless", "_others", "_said", "_source", "_undeclared", "entry", "nodes")

    kept_by = "corefud"

    def __init__(self, source: CorefUDSource, nodes: Nodes, entry: Entry, reader: _Reader) -> None:
        super().__init__(nodes.starts, nodes.zeros, reader.heads)
        self.crossings = reader.crossings
        self.nodes = nodes
        self.entry = entry
        self._source = source
        self._said = [entity.said for entity in reader.entities.values()]
        self._headless = reader.headless
        self._undeclared = {mention for mention, _ in reader.headless}
        self._others = reader.other_heads

    def entity_order(self, document: Document, clusters: Iterable[int]) -> list[int]:
        read: dict[Entry, Any] = {self.entry: document}

        def key(number: int) -> tuple[int, tuple[Any, ...], str]:
            label = document.labels[number]
            entry = self._source.first_with(label)
            if entry not in read:
                read[entry] = self._source.document(entry.name)
            first = read[entry]
            mentions = first.clusters[first.labels.index(label)]
            return entry.body, first.syntax.first_mention(mentions), label

        return sorted(clusters, key=key)

    def beside(self) -> Counter[str]:
        amounts: Counter[str] = Counter()
        for line, node in enumerate(self.nodes.at):
            if node >= 0:
                columns = self.nodes.line(line).split("\t")
                # The dependencies of an empty node are reported with the node.
                amounts.update(counted(COLUMNS, columns if columns[0].isdecimal() else columns[:8]))
        amounts.update(
            f"{name} attribute"
            for cluster in self.attributes()
            for attributes in cluster
            for name in attributes
            if name != "head"
        )
        return amounts

    def attributes(self, fields: Collection[str] | None = None) -> list[list[dict[str, str]]]:
        """Return what the file says of each mention, by attribute, in the shape of the clusters.

        Args:
            fields: The names of the attributes to read; None for all. If none of them is declared,
                the result is empty.
        """
        declared = {name for cluster in self._said for names, _ in cluster for name in names}
        if fields is not None and declared.isdisjoint(fields):
            return []
        entity = "eid" if "eid" in declared else "GRP"
        wanted = (declared if fields is None else declared.intersection(fields)) - {entity}
        return [
            [
                {
                    name: value
                    for name, value in zip(names, text.split("-", len(names) - 1))
                    if value and name in wanted
                }
                for names, text in cluster
            ]
            for cluster in self._said
        ]

    def written_head(self, label: str, place: int, mention: AnyMention) -> Token | None:
        other = self._others.get((label, place))
        if other is None and mention in self._undeclared:
            first = pieces(mention)[0]
            return first if isinstance(first, str) else first[0]
        return self._heads.get(mention) if other is None else other

    def outermost(self, mentions: Iterable[AnyMention]) -> dict[AnyMention, Token]:
        """Return the heads that the dependencies give to mentions, as to those without one."""
        parents = _parents(self.nodes)
        nodes = {token: node for node, token in enumerate(self.nodes.tokens)}
        return {
            mention: self.nodes.tokens[
                _outermost(parents, [(nodes[token],) * 2 for token in self.tokens(mention)])
            ]
            for mention in mentions
        }

    @property
    def heads(self) -> dict[AnyMention, Token]:
        if self._headless:
            parents = _parents(self.nodes)
            for mention, parts in self._headless:
                self._heads[mention] = self.nodes.tokens[_outermost(parents, parts)]
            self._headless = []
        return self._heads

    @property
    def marks(self) -> dict[Token, dict[str, str]]:
        if self._marks is None:
            self._marks = {}
            for mark in _MARKS:
                for _, node, text in zip(*self.nodes.last_columns(f"{mark}=")):
                    for attribute in text.split("|"):
                        name, _, value = attribute.partition("=")
                        if name == mark:
                            self._marks.setdefault(self.nodes.tokens[node], {})[mark] = value
        return self._marks


def _parents(nodes: Nodes) -> list[int]:
    """The parent of each node; -1 for a root, and where its sentence lacks the parent."""
    columns = [nodes.line(line).split("\t") for line, node in enumerate(nodes.at) if node >= 0]
    sentences = [*map(nodes.sentence, range(len(columns)))]
    places = {
        (sentence, column[0]): node
        for node, (sentence, column) in enumerate(zip(sentences, columns))
    }
    heads = [column[6] if column[6] != "_" else column[8].partition(":")[0] for column in columns]
    return [places.get(head, -1) for head in zip(sentences, heads)]


def _outermost(parents: list[int], parts: list[Span]) -> int:
    """The first node of a mention whose parent is not in it, else its first node."""
    for begin, end in parts:
        for node in range(begin, end + 1):
            if not any(first <= parents[node] <= last for first, last in parts):
                return node
    return parts[0][0]


FORMAT = Format(
    "corefud",
    "CorefUD: CoNLL-U with Entity= in the last column",
    sniff=lambda head: kind_of(head) == "corefud",
    open=CorefUDSource,
    write=write,
    holds=Holds(
        names=False,
        crossing=False,
        word={"\t", "\n", "\r"}.isdisjoint,
        label=holds_label,
        field=lambda _document, _field: False,
        placeholders=True,
        empty=False,
        breaks=False,
    ),
)
