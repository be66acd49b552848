"""CorefUD 1.0 to 1.3: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

A line `# global.Entity = eid-etype-head-other` declares the attributes that stand after a starting
bracket, in any order; `eid` (GUM: `GRP`) is the entity and must be among them, `head` numbers the
head among the tokens of the mention, from 1. Without it the head is the first token whose own head
lies outside of the mention. `(e1[1/2]` is the first of two parts of a mention with a gap. An end
closes the latest start of its entity that is open. Documents begin with `# newdoc id = NAME`. Empty
nodes (`4.1`) are zero mentions when an entity stands there. `Bridge` and `SplitAnte` are kept as
they are (`Syntax.marks`). Nedoluzhko et al., LREC 2022.

Before version 1.0 a mention stood whole at its head, `ClusterId=c1|MentionSpan=2-4,6`; of several,
each has a number `[1]`. A span lists ids of its sentence and ranges of them, which hold the empty
nodes in between. Published treebanks kept these attributes beside `Entity=`; they are read only
where that is not written.

Stanza writes the chains of a word as `coref_chains=start-repr-id0,unit-id3`: the word starts a
mention of chain 0, in its middle or at its end would be `middle-` or `end-`, and is a whole one of
chain 3; `repr-` marks the words of the mention that represents the chain
(stanfordnlp.github.io/stanza/coref.html, and `dict_to_conll_text` in stanza/models/common/doc.py).
They are read where nothing is declared.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.brackets import unclosed, unmatched
from conll.columns import kind_of
from conll.conllu import Nodes, NodesSource, NodesSyntax
from conll.document import Document
from conll.errors import ConllError
from conll.formats import Format, Holds
from conll.formats._corefud_write import (
    DECLARATION,
    ENTITY,
    GLOBAL,
    eid_in,
    holds_label,
    names_in,
    write,
)
from conll.syntax import first_token

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Iterable
    from typing import BinaryIO

    from conll.source import Entry
    from conll.syntax import AnyMention, Token

    Span = tuple[int, int]
    """The first and the last node of a part of a mention."""
    _Said = tuple[list[str], str]
    """The names that are declared, and the text of a start."""


_PIECE = re.compile(r"\(([^()]*)(\)?)|([^()]+)(\)?)|(\))")
"""A start and perhaps its end, or what may be an end and its bracket, or a bracket alone."""

_PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")
"""The entity of a part of a mention, the number of the part, and how many there are."""

_WRITTEN = re.compile(rf"[\t|]{ENTITY}")

_OLD = "ClusterId"
"""What stood for an entity before version 1.0."""

_CLUSTER = re.compile(rf"{_OLD}(\[\d+\])?=(.*)")

_STANZA = "coref_chains="
"""What Stanza writes in place of `Entity=`."""

_CHAIN = re.compile(r"(start|middle|end|unit)-(?:repr-)?(id\d+)")

_EXAMPLE = DECLARATION.strip()
_MARK = re.compile(r"(?:^|\|)(Bridge|SplitAnte)=([^|]*)")


class CorefUDSource(NodesSource):
    """One open CorefUD file."""

    declaration = GLOBAL.encode()
    attributes = ENTITY.encode(), _OLD.encode(), _STANZA.encode()

    def __init__(self, file: BinaryIO, path: str) -> None:
        super().__init__(file, path)
        self._first: dict[str, tuple[int, tuple[Any, ...], str]] | None = None

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        return None if entry is None else self._read(entry)

    def errors(self, name: str) -> list[ConllError]:
        entry = self._entries.get(name)
        errors: list[ConllError] = []
        try:
            if entry is not None:
                self._read(entry, errors)
        except ConllError as error:
            errors.append(error)
        return errors

    def _read(self, entry: Entry, errors: list[ConllError] | None = None) -> Document:
        """Read a document; with a list for `errors`, add those of brackets to it and raise none."""
        text = self._text(entry)
        nodes = Nodes(text, entry, self.path, strict=True)
        reader = _Reader(nodes, errors)
        has_entities = entry.declared or GLOBAL in text or _WRITTEN.search(text)
        if not has_entities and _OLD in text:
            reader.read_old()
        elif not has_entities and _STANZA in text:
            reader.read_stanza()
        else:
            reader.read(entry.declared)
        entities = reader.entities
        return Document(
            entry.name,
            [entity.mentions for entity in entities.values()],
            nodes.words,
            lines=[entity.lines for entity in entities.values()],
            labels=list(entities),
            syntax=ReadSyntax(self, nodes, entry, reader),
            path=self.path,
            line=entry.line,
        )

    def first_mentions(self) -> dict[str, tuple[int, tuple[Any, ...], str]]:
        """Return the sort key of the first mention that the file has of each entity, by its id."""
        if self._first is None:
            self._first = {}
            for entry in sorted(self._entries.values(), key=attrgetter("body")):
                with suppress(ConllError):  # raised when that document is requested
                    document: Any = self.document(entry.name)
                    for label, cluster in zip(document.labels, document.clusters):
                        key = entry.body, document.syntax.first_mention(cluster), label
                        self._first.setdefault(label, key)
        return self._first


class _Entity:
    """An entity: its mentions, and for each the line of the file and what is said at its start.

    `open` are the starts without an end so far: the label, the node and the line of each,
    and the mention to which it belongs. `unfinished` are the mentions that still have parts
    to come, in their order.
    """

    __slots__ = ("lines", "mentions", "open", "said", "unfinished")

    def __init__(self) -> None:
        self.mentions: list[AnyMention] = []
        self.lines: list[int] = []
        self.said: list[_Said] = []
        self.open: list[tuple[_Label, int, int, _Mention]] = []
        self.unfinished: list[_Mention] = []


class _Label(NamedTuple):
    """What brackets name: an entity, or part `number` of `total` of a mention of it."""

    text: str
    name: str
    number: int
    total: int
    entity: _Entity


class _Mention:
    """A mention of `count` parts, some still to come.

    `line`, `said` and `attributes` (all but the entity) are those of its first start; `head` is
    what the last part names, on `head_line`. `is_open`: whether a part has yet to end.
    """

    __slots__ = ("attributes", "count", "head", "head_line", "is_open", "line", "parts", "said")

    def __init__(
        self, count: int, line: int, said: _Said, attributes: list[str], head: str
    ) -> None:
        self.count = count
        self.line = self.head_line = line
        self.said = said
        self.attributes = attributes
        self.head = head
        self.parts: list[Span] = []
        self.is_open = True


class _Reader:
    """Reads the mentions of one document.

    Lines are counted from 0 in it, but for those of mentions, from 1 in the file. `errors`: a list
    for what is wrong with brackets; the first error is raised unless it is given.
    """

    def __init__(self, nodes: Nodes, errors: list[ConllError] | None = None) -> None:
        self._nodes = nodes
        self._errors = errors
        self._labels: dict[str, _Label] = {}
        self.entities: dict[str, _Entity] = {}
        self.heads: dict[AnyMention, Token] = {}
        self.headless: dict[AnyMention, list[Span]] = {}
        self.other_heads: dict[tuple[str, int], Token] = {}
        self.crossings: list[tuple[int, str, bool]] = []
        self._names: list[str] = []
        self._places = 0, 0, 0
        """The last place of an attribute, and those of the entity and of the head, if any."""

    def read(self, declared: str) -> None:
        """Read all brackets; ConllError where they do not fit.

        Args:
            declared: The declaration before the document; empty where there is none.
        """
        if declared:
            # A wrong declaration is reported at the line that begins the document.
            self._declare(declared, 0)
        for _, node, line, text in self._nodes.marked(GLOBAL, ENTITY):
            if node < 0:
                self._declare(text, line)
                continue
            for attribute in text.rpartition("\t")[2].split("|"):
                if attribute.startswith(ENTITY):
                    self._read_brackets(attribute, node, line)
        self._check_ends()
        self.crossings.sort(key=itemgetter(0))

    def read_old(self) -> None:
        """Read the mentions of versions before 1.0.

        Raises:
            ConllError: A mention has no span, or one that does not hold the word at which it
                stands.
        """
        nodes = self._nodes
        at = {
            (nodes.sentence(node), row.partition("\t")[0]): node
            for node, row in enumerate(nodes.rows)
        }
        for node, row in enumerate(nodes.rows):
            attributes = row.rpartition("\t")[2].split("|")
            for match in filter(None, map(_CLUSTER.fullmatch, attributes)):
                name = f"MentionSpan{match[1] or ''}="
                spans = [text for text in attributes if text.startswith(name)]
                span = spans[0].removeprefix(name) if spans else ""
                parts = _parts(at, nodes.sentence(node), span)
                if not any(first <= node <= last for first, last in parts):
                    problem = f"the span of mention {match[2]} is not a list of ids in its sentence"
                    problem = f"{problem} with this word among them; write {name}"
                    raise nodes.error(nodes.lines[node], problem)
                entity = self.entities.setdefault(match[2], _Entity())
                mention = nodes.mention(parts)
                entity.mentions.append(mention)
                entity.lines.append(nodes.number(nodes.lines[parts[0][0]]))
                entity.said.append(([], ""))
                self.heads.setdefault(mention, nodes.tokens[node])

    def read_stanza(self) -> None:
        """Read the chains that Stanza writes.

        Raises:
            ConllError: A chain is malformed, or an end has no start.
        """
        nodes = self._nodes
        self._names, self._places = ["eid"], (0, 0, 1)
        for node, (line, row) in enumerate(zip(nodes.lines, nodes.rows)):
            for attribute in row.rpartition("\t")[2].split("|"):
                if not attribute.startswith(_STANZA):
                    continue
                texts = attribute.removeprefix(_STANZA).split(",")
                chains = [self._chain(text, line) for text in texts]
                # A mention that ends here is not the one of its chain that starts here.
                for position, label in sorted(chains, key=lambda chain: chain[0] != "end"):
                    if position == "end":
                        self._end(label, node, line)
                    elif position != "middle":
                        self._start(label, node, line, closed=position == "unit")
        self._check_ends()

    def _chain(self, text: str, line: int) -> tuple[str, str]:
        """Return where a word stands in a mention of a chain of Stanza, and the id of the chain."""
        match = _CHAIN.fullmatch(text)
        if match is None:
            problem = f"{text} in {_STANZA} is no chain; write unit-id0 or start-id0"
            raise self._nodes.error(line, problem)
        return match[1], match[2]

    def _declare(self, text: str, line: int) -> None:
        self._names = names = names_in(text)
        head = names.index("head") if "head" in names else len(names)
        try:
            self._places = len(names) - 1, eid_in(names), head
        except ValueError:
            problem = f"the declaration has no eid; write for example {_EXAMPLE}"
            raise self._nodes.error(line, problem, text) from None

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
        last, eid, at = self._places
        attributes = text.split("-", last)
        head = attributes[at] if at < len(attributes) else ""
        name = attributes.pop(eid) if eid < len(attributes) else ""
        label = self._labels.get(name) or self._new_label(name, line)
        if label.number > 1:
            mention = self._continued(label, attributes, node, line)
            mention.is_open = True
            if head:
                mention.head, mention.head_line = head, line
        else:
            mention = _Mention(label.total, line, (self._names, text), attributes, head)
            if label.total > 1:
                label.entity.unfinished.append(mention)
        if not closed:
            label.entity.open.append((label, node, line, mention))
            return
        if label.total == 1 and head.isdecimal():
            # udapi passes over the number in a mention of one token, and such files exist.
            mention.head = "1"
        self._close(label, mention, (node, node), line)

    def _end(self, name: str, node: int, line: int) -> None:
        label = self._labels.get(name)
        opened = label.entity.open if label else []
        at = len(opened) - 1
        while at >= 0 and opened[at][0] is not label:
            at -= 1
        if label is None or at < 0:
            self._refuse(line, unmatched(name))
            return
        _, first, _, mention = opened.pop(at)
        if at < len(opened):
            other = opened[-1][0]
            # udapi may exchange the ends of a part in the middle and of a whole mention.
            is_sure = other.total > 1 or not 1 < label.number < label.total
            refused = is_sure and max(other.number, label.number) > 1
            what = "ends here while another that started later is open"
            self._cross(line, f"a mention of {label.name} {what}", refused=refused)
        self._close(label, mention, (first, node), line)

    def _new_label(self, text: str, line: int) -> _Label:
        if not text:
            problem = "a mention starts here without the id of its entity; write one after the ("
            raise self._nodes.error(line, problem)
        name, number, count = text, 1, 1
        if text[-1] == "]":
            match = _PART.fullmatch(text)
            if match is None or int(match[2]) > int(match[3]):
                problem = f"{text} is not part of a mention; write the first of two as (e1[1/2]"
                raise self._nodes.error(line, problem)
            name, number, count = match[1], int(match[2]), int(match[3])
        entity = self.entities.setdefault(name, _Entity())
        self._labels[text] = label = _Label(text, name, number, count, entity)
        return label

    def _continued(self, label: _Label, attributes: list[str], node: int, line: int) -> _Mention:
        """The mention that goes on with a part that starts here.

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
            # Whichever udapi takes for which, it reads the same mentions.
            at, place = unfinished.index(first), unfinished.index(mention)
            unfinished[at], unfinished[place] = mention, first
        else:
            what = "starts here while an earlier mention waits for its next part"
            self._cross(line, f"a part of a mention of {label.name} {what}")
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
                what = "ends here while another that started later waits for its next part"
                self._cross(line, f"a mention of {label.name} {what}")
            entity.unfinished.remove(read)
        mention = nodes.mention(read.parts)
        token = nodes.tokens[read.parts[0][0]]
        if read.head == "1":
            pass  # Most heads; the first token is there in any case.
        elif read.head:
            token = nodes.tokens[self._declared_head(label, read)]
        elif mention not in self.heads:
            # Its place is taken, so a mention that is written twice keeps its first head.
            self.headless[mention] = read.parts
        entity.mentions.append(mention)
        entity.lines.append(nodes.number(read.line))
        entity.said.append(read.said)
        if self.heads.setdefault(mention, token) != token:
            self.other_heads[label.name, len(entity.mentions) - 1] = token

    def _cross(self, line: int, problem: str, *, refused: bool = True) -> None:
        """Note a line that udapi reads otherwise, or refuses."""
        self.crossings.append((self._nodes.number(line), problem, refused))

    def _declared_head(self, label: _Label, mention: _Mention) -> int:
        """The node of the head, which the file numbers among those of the mention from 1."""
        head = mention.head
        left = int(head) if head.isdecimal() and len(head) < 10 else 0
        for first, last in mention.parts:
            if 0 < left <= last - first + 1:
                return first + left - 1
            left -= last - first + 1
        size = sum(last - first + 1 for first, last in mention.parts)
        problem = f"the head of mention {label.name} is {head}, but its tokens are 1 to {size}"
        raise self._nodes.error(mention.head_line, f"{problem}; write one of these")

    def _refuse(self, line: int, problem: str) -> None:
        """Raise or list an error of a line."""
        error = self._nodes.error(line, problem)
        if self._errors is None:
            raise error
        self._errors.append(error)

    def _check_ends(self) -> None:
        """Refuse mentions that do not end, or lack a part."""
        opened = [start for entity in self.entities.values() for start in entity.open]
        for label, _, line, *_ in sorted(opened, key=itemgetter(2)):
            self._refuse(line, unclosed(label.text))
        unfinished = [
            (mention.line, name, mention)
            for name, entity in self.entities.items()
            for mention in entity.unfinished
            if not mention.is_open
        ]
        for line, name, mention in sorted(unfinished, key=itemgetter(0)):
            number = len(mention.parts) + 1
            problem = f"a mention of {mention.count} parts starts here, but its part {number}"
            missing = f"({name}[{number}/{mention.count}]"
            self._refuse(line, f"{problem} is missing; write {missing}")


def _parts(at: dict[tuple[int, str], int], sentence: int, span: str) -> list[Span]:
    """The first and last node of each piece of a span, whose ids are those of a sentence.

    Nothing where it is malformed.
    """
    ids = [piece.partition("-") for piece in span.split(",")]
    try:
        parts = [(at[sentence, first], at[sentence, last or first]) for first, _, last in ids]
    except KeyError:
        return []
    crossing = any(last >= first for (_, last), (first, _) in pairwise(parts))
    return [] if crossing or any(first > last for first, last in parts) else parts


class ReadSyntax(NodesSyntax):
    """What was read from a file, whose other columns are read on request.

    Heads that follow from the dependencies are found on request, as most scoring needs none.
    """

    __slots__ = ("_headless", "_others", "_said", "_source", "_unknown", "entry")

    kept_by = "corefud"

    def __init__(self, source: CorefUDSource, nodes: Nodes, entry: Entry, reader: _Reader) -> None:
        super().__init__(nodes, reader.heads)
        self.crossings = reader.crossings
        self.entry = entry
        self._source = source
        self._said = [entity.said for entity in reader.entities.values()]
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
                amounts.update(f"{name} attribute" for name in attributes if name != "head")
        return amounts

    def attributes(self, fields: Collection[str] | None = None) -> list[list[dict[str, str]]]:
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
        if other is None and mention in self._headless:
            return first_token(mention)
        return self._heads.get(mention) if other is None else other

    def outermost(self, mentions: Iterable[AnyMention]) -> dict[AnyMention, Token]:
        """Return the heads that the dependencies give to mentions, as to those without one."""
        nodes = {token: node for node, token in enumerate(self.nodes.tokens)}
        return self._outermost(
            {
                mention: [(nodes[token],) * 2 for token in self.tokens(mention)]
                for mention in mentions
            }
        )

    def _outermost(self, mentions: dict[AnyMention, list[Span]]) -> dict[AnyMention, Token]:
        """Return the first token of each mention whose parent is not in it, else its first token.

        Args:
            mentions: The parts of each mention, their first and last node.
        """
        parents = _parents(self.nodes)
        heads: dict[AnyMention, Token] = {}
        for mention, parts in mentions.items():
            inside = (node for first, last in parts for node in range(first, last + 1))
            outside = (
                node
                for node in inside
                if not any(first <= parents[node] <= last for first, last in parts)
            )
            heads[mention] = self.nodes.tokens[next(outside, parts[0][0])]
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


def _parents(nodes: Nodes) -> list[int]:
    """The parent of each node; -1 for a root, and where its sentence lacks the parent."""
    columns = [row.split("\t") for row in nodes.rows]
    sentences = [*map(nodes.sentence, range(len(columns)))]
    places = {
        (sentence, column[0]): node
        for node, (sentence, column) in enumerate(zip(sentences, columns))
    }
    heads = [column[6] if column[6] != "_" else column[8].partition(":")[0] for column in columns]
    return [places.get(head, -1) for head in zip(sentences, heads)]


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
