"""CorefUD 1.0 to 1.3: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

A line `# global.Entity = eid-etype-head-other` declares the attributes that stand after a starting bracket, in any order; `eid`
(GUM: `GRP`) is the entity and must be among them, `head` numbers the head among the tokens of the mention, from 1. Without it the
head is the first token whose own head lies outside of the mention. `(e1[1/2]` is the first of two parts of a mention with a gap.
An end closes the latest start of its entity that is open. Documents begin with `# newdoc id = NAME`. Empty nodes (`4.1`) are
zero mentions when an entity stands there. `Bridge` and `SplitAnte` are kept as they are (`Syntax.marks`). Nedoluzhko et al.,
LREC 2022.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conll.document import Document
from conll.format import Format
from conll.formats._nodes import Nodes, NodesSource
from conll.syntax import Syntax

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Clusters
    from conll.errors import ConllError
    from conll.formats._nodes import Entry
    from conll.syntax import AnyMention, Token

_PIECE = re.compile(r"\(([^()]*)(\)?)|([^()]+)\)|(.)")
"""A start and perhaps its end, or an end; the last group is what is neither."""

_PART = re.compile(r"(.+)\[([1-9]\d{0,5})/([1-9]\d{0,5})\]")

_DECLARATION = "# global.Entity"
_EXAMPLE = "# global.Entity = eid-etype-head-other"
_NO_ID = "a mention starts here without the id of its entity; write one after the ("
_FIRST = ("", "1")
"""How the head of a mention of one token is written."""
_MARKS = ("Bridge", "SplitAnte")


class CorefUDSource(NodesSource):
    """One open CorefUD file."""

    declaration = _DECLARATION.encode()

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        lines = self._lines(entry)
        nodes = Nodes(lines, entry, self.path, ("Entity=", *(f"{mark}=" for mark in _MARKS)), columns=10, first=1)
        return _Mentions(nodes, entry, self.path).document()


class _Started:
    """A mention, or a part of one, whose end has not come yet; `number` of `count` parts."""

    __slots__ = ("attributes", "count", "entity", "head", "line", "mention", "node", "number", "text")

    def __init__(
        self, entity: str, number: int, count: int, node: int, line: int, head: str, attributes: list[str], text: str
    ) -> None:
        self.entity = entity
        self.number = number
        self.count = count
        self.node = node
        self.line = line
        self.head = head
        self.attributes = attributes
        self.text = text
        self.mention: _Parts | None = None


class _Parts:
    """A mention of several parts of which some are still to come; the latest of them that started is number `started`."""

    __slots__ = ("first", "parts", "started")

    def __init__(self, first: _Started) -> None:
        self.first = first
        self.parts: list[tuple[int, int]] = []
        self.started = 1

    def expects(self, part: _Started) -> bool:
        """Whether that part may be the next of this mention."""
        ended = len(self.parts) == self.started and self.parts[-1][1] < part.node
        return ended and self.first.count == part.count and self.started == part.number - 1


class _Mentions:
    """The mentions of one document."""

    def __init__(self, nodes: Nodes, entry: Entry, path: str) -> None:
        self._nodes = nodes
        self._entry = entry
        self._path = path
        self._open: dict[str, list[_Started]] = {}
        self._partial: dict[str, list[_Parts]] = {}
        self._numbers: dict[str, int] = {}
        self._clusters: Clusters = []
        self._lines: list[list[int]] = []
        self._heads: dict[AnyMention, Token] = {}
        self._marks: dict[Token, dict[str, str]] = {}
        self._eid = self._head = -1
        self._attributes = 0
        if entry.declared:
            self._declare(entry.declared, entry.line)
        for node, line, text in nodes.marked:
            if node < 0:
                self._declare(text, line)
            else:
                self._read(node, line, text)
        self._check()

    def document(self) -> Document:
        """All of it."""
        nodes, entry = self._nodes, self._entry
        return Document(
            entry.name,
            self._clusters,
            nodes.words,
            lines=self._lines,
            labels=list(self._numbers),
            syntax=Syntax(nodes.starts, nodes.zeros, self._heads, self._marks),
            path=self._path,
            line=entry.line,
        )

    def _declare(self, text: str, line: int) -> None:
        if not text.startswith(_DECLARATION):
            return
        names = [name.strip() for name in text.partition("=")[2].split("-")]
        eid = next((name for name in ("eid", "GRP") if name in names), None)
        if eid is None:
            raise self._nodes.error(line, f"the declaration has no eid; write for example {_EXAMPLE}", text)
        self._eid = names.index(eid)
        self._head = names.index("head") if "head" in names else -1
        self._attributes = len(names)

    def _read(self, node: int, line: int, text: str) -> None:
        misc = text[text.rfind("\t") + 1 :]
        plain = misc.startswith("Entity=(") and misc.count("(") == 1 and misc.find(")") == len(misc) - 1 and "|" not in misc
        if plain and self._attributes:
            # The most frequent form, a mention of one token and nothing else.
            self._start(misc[8:-1], ")", node, line, text)
            return
        for attribute in misc.split("|") if "|" in misc else (misc,):
            name, _, value = attribute.partition("=")
            if name == "Entity":
                if not self._attributes:
                    problem = f"an entity stands here, but no line before tells its attributes; write for example {_EXAMPLE}"
                    raise self._nodes.error(line, problem, text)
                self._brackets(value, node, line, text)
            elif name in _MARKS:
                self._marks.setdefault(self._nodes.tokens[node], {})[name] = value

    def _brackets(self, value: str, node: int, line: int, text: str) -> None:
        for start, closed, end, neither in _PIECE.findall(value):
            if start:
                self._start(start, closed, node, line, text)
            elif end:
                stack = self._open.get(end)
                if not stack:
                    raise self._nodes.error(line, f"mention {end} ends here but never starts; write the missing ({end}", text)
                started = stack.pop()
                if started.mention is None:
                    self._add(started, [(started.node, node)])
                else:
                    self._close(started, node)
            elif neither:
                raise self._nodes.error(line, f"{neither} in Entity= is no bracket of an entity; write (e1 or e1) or (e1)", text)
            else:
                raise self._nodes.error(line, _NO_ID, text)

    def _start(self, start: str, closed: str, node: int, line: int, text: str) -> None:
        attributes = start.split("-", self._attributes - 1)
        label = attributes[self._eid] if self._eid < len(attributes) else ""
        if not label:
            raise self._nodes.error(line, _NO_ID, text)
        head = attributes[self._head] if 0 <= self._head < len(attributes) else ""
        entity, number, count = label, 1, 1
        if label[-1] == "]":
            entity, number, count = self._part(label, line, text)
            attributes[self._eid] = entity
        if entity not in self._numbers:
            self._numbers[entity] = len(self._numbers)
            self._clusters.append([])
            self._lines.append([])
        if closed and count == 1 and head in _FIRST:
            token = self._nodes.tokens[node]
            self._put(self._numbers[entity], (token, token) if isinstance(token, int) else (token,), line, token)
            return
        started = _Started(entity, number, count, node, line, head, attributes, text)
        if count > 1:
            started.mention = self._mention_of(started)
        if closed:
            self._close(started, node)
        else:
            self._open.setdefault(label, []).append(started)

    def _part(self, label: str, line: int, text: str) -> tuple[str, int, int]:
        match = _PART.fullmatch(label)
        if match is None or int(match[2]) > int(match[3]):
            raise self._nodes.error(line, f"{label} is no part of a mention; write the first of two as (e1[1/2]", text)
        return match[1], int(match[2]), int(match[3])

    def _close(self, started: _Started, node: int) -> None:
        mention = started.mention
        if mention is None:
            self._add(started, [(started.node, node)])
            return
        mention.parts.append((started.node, node))
        if len(mention.parts) == started.count:
            self._partial[started.entity].remove(mention)
            self._add(mention.first, mention.parts)

    def _mention_of(self, started: _Started) -> _Parts:
        """The mention to which a part belongs.

        Two mentions of one entity may wait for their next part at once. The parts of one are mostly written with the same
        attributes; otherwise the mention that started first goes on first.
        """
        waiting = self._partial.setdefault(started.entity, [])
        if started.number == 1:
            waiting.append(_Parts(started))
            return waiting[-1]
        fits = [mention for mention in waiting if mention.expects(started)]
        if not fits:
            part, before = (f"{started.entity}[{number}/{started.count}]" for number in (started.number, started.number - 1))
            problem = f"part {part} of a mention starts here, but the part before it is missing; write ({before} before"
            raise self._error(started, problem)
        mention = next((mention for mention in fits if mention.first.attributes == started.attributes), fits[0])
        mention.started = started.number
        return mention

    def _add(self, started: _Started, parts: list[tuple[int, int]]) -> None:
        at = self._numbers[started.entity]
        mention = self._nodes.mention(parts)
        if started.head:
            head = self._declared_head(started, parts)
        elif len(parts) == 1 and parts[0][0] == parts[0][1]:
            head = parts[0][0]
        else:
            head = self._outermost(parts)
        self._put(at, mention, started.line, self._nodes.tokens[head])

    def _put(self, at: int, mention: AnyMention, line: int, head: Token) -> None:
        self._clusters[at].append(mention)
        self._lines[at].append(line)
        self._heads.setdefault(mention, head)

    def _declared_head(self, started: _Started, parts: list[tuple[int, int]]) -> int:
        """The node of the head, which the file numbers among those of the mention from 1."""
        size = sum(last - first + 1 for first, last in parts)
        number = int(started.head) if started.head.isdecimal() and len(started.head) < 10 else 0
        if not 0 < number <= size:
            problem = f"the head of mention {started.entity} is {started.head}, but its tokens are 1 to {size}"
            raise self._nodes.error(started.line, f"{problem}; write one of these", started.text)
        for first, last in parts:
            if number <= last - first + 1:
                return first + number - 1
            number -= last - first + 1
        raise AssertionError("the head is one of the tokens")

    def _outermost(self, parts: list[tuple[int, int]]) -> int:
        """The first node of a mention whose own head is not in it."""
        inside = [node for first, last in parts for node in range(first, last + 1)]
        texts = self._nodes.texts
        idents = {}
        for node in inside:
            idents[self._sentence(node), texts[node].partition("\t")[0]] = node
        for node in inside:
            columns = texts[node].split("\t")
            head = columns[6] if columns[6] != "_" else columns[8].partition(":")[0]
            if (self._sentence(node), head) not in idents:
                return node
        return inside[0]

    def _sentence(self, node: int) -> int:
        from bisect import bisect_right

        token = self._nodes.tokens[node]
        if isinstance(token, str):
            return int(token.partition(":")[0])
        return bisect_right(self._nodes.starts, token) - 1

    def _check(self) -> None:
        left = [started for stack in self._open.values() for started in stack]
        if left:
            first = min(left, key=lambda started: started.line)
            label = first.entity if first.count == 1 else f"{first.entity}[{first.number}/{first.count}]"
            problem = f"mention {label} starts here but never ends in its document; write the missing {label})"
            raise self._error(first, problem)
        parts = [mention for waiting in self._partial.values() for mention in waiting]
        if parts:
            mention = min(parts, key=lambda mention: mention.first.line)
            first, number = mention.first, len(mention.parts) + 1
            label = f"{first.entity}[{number}/{first.count}]"
            raise self._error(
                first, f"a mention of {first.count} parts starts here, but its part {number} is missing; write ({label}"
            )

    def _error(self, started: _Started, problem: str) -> ConllError:
        return self._nodes.error(started.line, problem, started.text)


def sniff(head: bytes) -> bool:
    """Whether a line declares entities or begins a document, or a line has the ten columns of a word."""
    from conll.formats._columns import kind_of

    return kind_of(head) == "corefud"


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write words, empty nodes and entities, with the heads where they are known; nothing else of the syntax is known.

    ConllError when a mention, a label, a name or a word does not fit.
    """
    from conll.formats._corefud_text import DECLARATION, text_of

    file.write(DECLARATION.encode())
    file.writelines(text_of(document) for document in documents)


FORMAT = Format("corefud", "CorefUD: CoNLL-U with Entity= in the last column", sniff=sniff, open=CorefUDSource, write=write)
