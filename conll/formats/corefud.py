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
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from conll.brackets import unclosed, unmatched
from conll.columns import kind_of
from conll.conllu import Nodes, NodesContent, NodesSource, NodesSyntax
from conll.document import Document
from conll.errors import ConllError
from conll.formats import Format, Holds
from conll.formats._corefud_write import DECLARATION, ENTITY, GLOBAL, holds_label, names_in, write
from conll.source import Entry, InputFile
from conll.syntax import AnyMention, Span, Token, first_token

Start = tuple[list[str], str]
"""The attributes that are declared, and the text of a start with their values."""

_PIECE = re.compile(r"\(([^()]*)(\)?)|([^()]+)(\)?)|(\))")
"""A start and perhaps its end, or what may be an end and its bracket, or a bracket alone."""

_PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")
"""The entity of a part of a mention, the number of the part, and how many there are."""

OLD = "ClusterId"
"""The attribute with the entity before version 1.0."""

_CLUSTER = re.compile(rf"{OLD}(\[\d+\])?=(.*)")

STANZA = "coref_chains="
"""The attribute of Stanza in place of `Entity=`."""

_CHAIN = re.compile(r"(start|middle|end|unit)-(?:repr-)?(id\d+)")

_EXAMPLE = DECLARATION.strip()


@dataclass(slots=True, eq=False)
class Entity:
    """An entity: its mentions, and for each its line in the file and its start.

    `open` are the starts without an end so far; `unfinished` are the mentions that still have parts
    to come, in their order.
    """

    mentions: list[AnyMention] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    open: list[_Open] = field(default_factory=list)
    unfinished: list[_Mention] = field(default_factory=list)


class _Label(NamedTuple):
    """The text that names an entity in a bracket, or part `number` of `total` of its mention."""

    text: str
    name: str
    number: int
    total: int
    entity: Entity


class _Open(NamedTuple):
    """A start without an end so far: its label, node and line, and the mention it belongs to."""

    label: _Label
    node: int
    line: int
    mention: _Mention


class _Mention:
    """A mention of `count` parts, some still to come.

    `line`, `start` and `attributes` (all but the entity) are those of its first start; `head` is
    the one that the last part names, on `head_line`. `is_open`: whether a part has yet to end.
    """

    __slots__ = ("attributes", "count", "head", "head_line", "is_open", "line", "parts", "start")

    def __init__(
        self, count: int, line: int, start: Start, attributes: list[str], head: str
    ) -> None:
        self.count = count
        self.line = self.head_line = line
        self.start = start
        self.attributes = attributes
        self.head = head
        self.parts: list[Span] = []
        self.is_open = True

    def length(self) -> int:
        """Return the number of nodes in its parts."""
        return sum(last - first + 1 for first, last in self.parts)


@dataclass
class _Declaration:
    """The attributes that a start has.

    Attributes:
        names: Their names, in their order.
        eid: Which of them is the entity.
        head: The position of the head among `names`; `len(names)` if there is no head.
    """

    names: list[str]
    eid: int
    head: int

    def split(self, text: str) -> tuple[str, str, list[str]]:
        """Return the label and the head in the text of a start, and all values but the label."""
        values = text.split("-", len(self.names) - 1)
        head = values[self.head] if self.head < len(values) else ""
        label = values.pop(self.eid) if self.eid < len(values) else ""
        return label, head, values


class Reader:
    """Reads the mentions of one document.

    Lines are counted from 0 in it, but for those of mentions, from 1 in the file.

    Args:
        nodes: The lines of the document.
        errors: A list for what is wrong with brackets; the first error is raised unless it is
            given.

    Attributes:
        entities: The entities by their ids.
        heads: The heads of the mentions that have one.
        headless: The parts of the mentions that have none.
        other_heads: The heads of mentions that were written before with another one, by the id of
            the entity and the number of the mention in it.
        crossings: See `conll.syntax.Syntax`.
    """

    def __init__(self, nodes: Nodes, errors: list[ConllError] | None = None) -> None:
        self._nodes = nodes
        self._errors = errors
        self._labels: dict[str, _Label] = {}
        self.entities: dict[str, Entity] = {}
        self.heads: dict[AnyMention, Token] = {}
        self.headless: dict[AnyMention, list[Span]] = {}
        self.other_heads: dict[tuple[str, int], Token] = {}
        self.crossings: list[tuple[int, str, bool]] = []
        self._declaration: _Declaration | None = None

    def read(self, declared: str) -> None:
        """Read all brackets.

        Args:
            declared: The declaration before the document; empty where there is none.

        Raises:
            ConllError: Brackets do not fit.
        """
        if declared:
            # A wrong declaration is reported at the line that begins the document.
            self._declaration = self._declared(declared, 0)
        for _, node, line, text in self._nodes.marked(GLOBAL, ENTITY):
            if node < 0:
                self._declaration = self._declared(text, line)
                continue
            for attribute in text.rpartition("\t")[2].split("|"):
                if attribute.startswith(ENTITY):
                    self._read_brackets(attribute, node, line)
        self._check_ends()
        self.crossings.sort(key=itemgetter(0))

    def read_old(self) -> None:
        """Read the mentions of versions before 1.0.

        Raises:
            ConllError: A mention has no span, or one that does not hold the word at which it is
                written.
        """
        nodes = self._nodes
        node_of = {
            (nodes.sentence(node), row.partition("\t")[0]): node
            for node, row in enumerate(nodes.rows)
        }
        for node, row in enumerate(nodes.rows):
            attributes = row.rpartition("\t")[2].split("|")
            for attribute in attributes:
                match = _CLUSTER.fullmatch(attribute)
                if match is None:
                    continue
                number, label = match.groups()
                name = f"MentionSpan{number or ''}="
                spans = [text for text in attributes if text.startswith(name)]
                span = spans[0].removeprefix(name) if spans else ""
                parts = _parts(node_of, nodes.sentence(node), span)
                if not any(first <= node <= last for first, last in parts):
                    problem = f"the span of mention {label} is not a list of ids in its sentence"
                    problem = f"{problem} with this word among them; write {name}"
                    raise nodes.error(nodes.lines[node], problem)
                entity = self.entities.setdefault(label, Entity())
                mention = nodes.mention(parts)
                entity.mentions.append(mention)
                entity.lines.append(nodes.number(nodes.lines[parts[0][0]]))
                entity.starts.append(([], ""))
                self.heads.setdefault(mention, nodes.tokens[node])

    def read_stanza(self) -> None:
        """Read the chains that Stanza writes.

        Raises:
            ConllError: A chain is malformed, or an end has no start.
        """
        nodes = self._nodes
        self._declaration = _Declaration(["eid"], eid=0, head=1)
        for node, (line, row) in enumerate(zip(nodes.lines, nodes.rows)):
            for attribute in row.rpartition("\t")[2].split("|"):
                if not attribute.startswith(STANZA):
                    continue
                texts = attribute.removeprefix(STANZA).split(",")
                chains = [self._chain(text, line) for text in texts]
                # A mention that ends here is not the one of its chain that starts here.
                for position, label in sorted(chains, key=lambda chain: chain[0] != "end"):
                    if position == "end":
                        self._end(label, node, line)
                    elif position != "middle":
                        self._start(label, node, line, closed=position == "unit")
        self._check_ends()

    def _chain(self, text: str, line: int) -> tuple[str, str]:
        """Return the position of a word in a mention of a chain of Stanza, and the chain's id."""
        match = _CHAIN.fullmatch(text)
        if match is None:
            problem = f"{text} in {STANZA} is not a chain; write unit-id0 or start-id0"
            raise self._nodes.error(line, problem)
        return match[1], match[2]

    def _declared(self, text: str, line: int) -> _Declaration:
        try:
            names, eid = names_in(text)
        except ValueError:
            problem = f"the declaration has no eid; write for example {_EXAMPLE}"
            raise self._nodes.error(line, problem, text) from None
        head = names.index("head") if "head" in names else len(names)
        return _Declaration(names, eid, head)

    def _read_brackets(self, attribute: str, node: int, line: int) -> None:
        """Read an attribute such as `Entity=(e1-person-1(e2)`."""
        if self._declaration is None:
            problem = "there is an entity here, but no line before declares its attributes"
            raise self._nodes.error(line, f"{problem}; write for example {_EXAMPLE}")
        for start, closed, end, ended, bracket in _PIECE.findall(attribute, len(ENTITY)):
            if ended:
                self._end(end, node, line)
            elif end or bracket:
                problem = f"{end[:1] or bracket} in Entity= is not a bracket of an entity"
                raise self._nodes.error(line, f"{problem}; write (e1 or e1) or (e1)")
            else:
                self._start(start, node, line, closed=closed != "")

    def _start(self, text: str, node: int, line: int, *, closed: bool) -> None:
        """Read the start of a mention or of a part of one, which may be `closed` at once."""
        assert self._declaration is not None
        name, head, attributes = self._declaration.split(text)
        label = self._labels.get(name) or self._new_label(name, line)
        if label.number > 1:
            mention = self._continued(label, attributes, node, line)
            mention.is_open = True
            if head:
                mention.head, mention.head_line = head, line
        else:
            start = self._declaration.names, text
            mention = _Mention(label.total, line, start, attributes, head)
            if label.total > 1:
                label.entity.unfinished.append(mention)
        if not closed:
            label.entity.open.append(_Open(label, node, line, mention))
            return
        if label.total == 1 and head.isdecimal():
            # udapi ignores the number in a mention of one token, and such files exist.
            mention.head = "1"
        self._close(label, mention, (node, node), line)

    def _end(self, name: str, node: int, line: int) -> None:
        """Read the end of a mention or of a part of one: of the latest that is open."""
        label = self._labels.get(name)
        opened = label.entity.open if label else []
        index = len(opened) - 1
        while index >= 0 and opened[index].label is not label:
            index -= 1
        if label is None or index < 0:
            self._refuse(line, unmatched(name))
            return
        start = opened.pop(index)
        if index < len(opened):
            other = opened[-1].label
            # udapi may exchange the ends of a part in the middle and of a whole mention.
            is_sure = other.total > 1 or not 1 < label.number < label.total
            refused = is_sure and max(other.number, label.number) > 1
            problem = (
                f"a mention of {label.name} ends here while another that started later is open"
            )
            self._cross(line, problem, refused=refused)
        self._close(label, start.mention, (start.node, node), line)

    def _new_label(self, text: str, line: int) -> _Label:
        if not text:
            problem = "a mention starts here without the id of its entity; write one after the ("
            raise self._nodes.error(line, problem)
        name, number, total = text, 1, 1
        if text[-1] == "]":
            match = _PART.fullmatch(text)
            if match is None or int(match[2]) > int(match[3]):
                problem = f"{text} is not part of a mention; write the first of two as (e1[1/2]"
                raise self._nodes.error(line, problem)
            name, number, total = match[1], int(match[2]), int(match[3])
        entity = self.entities.setdefault(name, Entity())
        self._labels[text] = label = _Label(text, name, number, total, entity)
        return label

    def _continued(self, label: _Label, attributes: list[str], node: int, line: int) -> _Mention:
        """Return the mention that goes on with a part that starts here.

        Two mentions of one entity may wait for their next part at once. The parts of one are mostly
        written with the same attributes; otherwise the mention that started first goes on first.
        udapi goes by the order alone.
        """
        unfinished = label.entity.unfinished
        waiting = [
            mention
            for mention in unfinished
            if not mention.is_open
            and len(mention.parts) == label.number - 1
            and mention.count == label.total
            and mention.parts[-1][1] < node
        ]
        if not waiting:
            before = f"{label.name}[{label.number - 1}/{label.total}]"
            problem = f"part {label.text} of a mention starts here, but the part before it"
            raise self._nodes.error(line, f"{problem} is missing; write ({before} before")
        same = [mention for mention in waiting if mention.attributes == attributes]
        mention = (same or waiting)[0]
        first = next(mention for mention in unfinished if not mention.is_open)
        if mention.parts == first.parts:
            # udapi may take each for the other, but reads the same mentions.
            first_index, index = unfinished.index(first), unfinished.index(mention)
            unfinished[first_index], unfinished[index] = mention, first
        else:
            problem = "starts here while an earlier mention waits for its next part"
            self._cross(line, f"a part of a mention of {label.name} {problem}")
        return mention

    def _close(self, label: _Label, read: _Mention, part: Span, line: int) -> None:
        """End a part of a mention, and add the mention if it was the last."""
        read.parts.append(part)
        read.is_open = False
        if len(read.parts) < read.count:
            return
        entity, nodes = label.entity, self._nodes
        if read.count > 1:
            if entity.unfinished[-1] is not read:
                problem = "ends here while another that started later waits for its next part"
                self._cross(line, f"a mention of {label.name} {problem}")
            entity.unfinished.remove(read)
        mention = nodes.mention(read.parts)
        # Most heads are the first token, and that is there in any case.
        token = nodes.tokens[read.parts[0][0]]
        if read.head and read.head != "1":
            token = nodes.tokens[self._declared_head(label, read)]
        elif not read.head and mention not in self.heads:
            # The token keeps its place, so a mention that is written twice keeps its first head.
            self.headless[mention] = read.parts
        entity.mentions.append(mention)
        entity.lines.append(nodes.number(read.line))
        entity.starts.append(read.start)
        if self.heads.setdefault(mention, token) != token:
            self.other_heads[label.name, len(entity.mentions) - 1] = token

    def _cross(self, line: int, problem: str, *, refused: bool = True) -> None:
        """Note a line that udapi refuses, or where it reads other mentions."""
        self.crossings.append((self._nodes.number(line), problem, refused))

    def _declared_head(self, label: _Label, mention: _Mention) -> int:
        """Return the node of the head, which the file numbers among those of the mention from 1."""
        head = mention.head
        left = int(head) if head.isdecimal() and len(head) < 10 else 0
        for first, last in mention.parts:
            if 0 < left <= last - first + 1:
                return first + left - 1
            left -= last - first + 1
        problem = f"the head of mention {label.name} is {head}"
        advice = f"its tokens are 1 to {mention.length()}; write one of these"
        raise self._nodes.error(mention.head_line, f"{problem}, but {advice}")

    def _refuse(self, line: int, problem: str) -> None:
        """Raise or list an error of a line."""
        error = self._nodes.error(line, problem)
        if self._errors is None:
            raise error
        self._errors.append(error)

    def _check_ends(self) -> None:
        """Refuse mentions that do not end, or lack a part."""
        opened: list[_Open] = []
        unfinished: list[tuple[int, str, _Mention]] = []
        for name, entity in self.entities.items():
            opened += entity.open
            waiting = [mention for mention in entity.unfinished if not mention.is_open]
            unfinished += [(mention.line, name, mention) for mention in waiting]
        for start in sorted(opened, key=lambda start: start.line):
            self._refuse(start.line, unclosed(start.label.text))
        for line, name, mention in sorted(unfinished, key=itemgetter(0)):
            number = len(mention.parts) + 1
            problem = f"a mention of {mention.count} parts starts here, but its part {number}"
            missing = f"({name}[{number}/{mention.count}]"
            self._refuse(line, f"{problem} is missing; write {missing}")


def _parts(node_of: dict[tuple[int, str], int], sentence: int, span: str) -> list[Span]:
    """Return the first and last node of each piece of a span, whose ids are those of a sentence.

    Returns:
        The pieces in their order; nothing where the span is malformed.
    """
    parts: list[Span] = []
    for piece in span.split(","):
        first, _, last = piece.partition("-")
        try:
            part = node_of[sentence, first], node_of[sentence, last or first]
        except KeyError:
            return []
        if part[0] > part[1]:
            return []
        parts.append(part)
    is_ordered = all(last < first for (_, last), (first, _) in pairwise(parts))
    return parts if is_ordered else []


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

    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
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
        return first_token(mention) if mention in self._headless else self._heads.get(mention)

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
            for node in chain.from_iterable(range(first, last + 1) for first, last in parts):
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
