"""The heads of mentions for which a file declares none, from the dependencies.

CorefUD 1.0 to 1.3: CoNLL-U with coreference in the last column, as `Entity=(e1-person-1(e2--1)e1)`.

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
from heapq import heappop, heappush
from operator import itemgetter

from conll.conllu import COLUMNS, Nodes, NodesSource, columns_of, counted
from conll.document import Document
from conll.format import Format, Holds
from conll.formats._corefud_entity import (
    DECLARATION,
    ENTITY,
    OLD,
    PART,
    Declared,
    attributes_of,
    eid_in,
    holds_label,
    names_in,
    starts_in,
)
from conll.syntax import Syntax, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any, BinaryIO

    from conll.document import Layers
    from conll.formats._corefud_entity import Start
    from conll.source import Entry
    from conll.syntax import AnyMention, Token

    Key = tuple[Any, ...]
    """Sorts the first mention of an entity among those of a document."""
    """The node and the line of a start, the head that it gives, the mention it is part of, and its
    number among the starts."""
    _Headless = tuple[AnyMention, list[tuple[int, int]]]
    """A mention whose head follows from the dependencies, and the first and last node of each of
    its parts."""


_NOWHERE = -1
"""The parent of a root, and of a node whose head its sentence lacks."""


class Outermost:
    """Find the heads of mentions for which a file declares none, from the dependencies."""

    def __init__(self, nodes: Nodes) -> None:
        columns = [nodes.line(line).split("\t") for line, node in enumerate(nodes.at) if node >= 0]
        sentences = [*map(nodes.sentence, range(len(columns)))]
        places = {
            (sentence, column[0]): node
            for node, (sentence, column) in enumerate(zip(sentences, columns))
        }
        heads = [
            column[6] if column[6] != "_" else column[8].partition(":")[0] for column in columns
        ]
        self._parents = [places.get(head, _NOWHERE) for head in zip(sentences, heads)]

    def of(self, parts: list[tuple[int, int]]) -> int:
        """Return the first node of a mention whose parent is not in it, else its first node.

        Args:
            parts: The first and last node of each part.
        """
        for begin, end in parts:
            for node in range(begin, end + 1):
                parent = self._parents[node]
                if not any(first <= parent <= last for first, last in parts):
                    return node
        return parts[0][0]


class EntityOrder:
    """The entities of a file, noted document by document in the order of the file.

    `read` returns a document.
    """

    def __init__(self, entries: Iterable[Entry], read: Callable[[str], Document | None]) -> None:
        self._entries = sorted(entries, key=lambda entry: entry.body)
        self._noted = 0
        self._read = read
        self._first_in: dict[str, Entry] = {}
        self._keys: dict[Entry, dict[str, Key]] = {}

    def note(self, entry: Entry, document: Document) -> None:
        """Note the entities of a document that was read, if it is the next one in the file."""
        if self._noted < len(self._entries) and self._entries[self._noted] is entry:
            self._noted += 1
            for label in document.labels:
                self._first_in.setdefault(label, entry)

    def sorted(self, entry: Entry, document: Document, clusters: Iterable[int]) -> list[int]:
        """Sort some clusters of a document, by their numbers."""
        while self._noted < len(self._entries) and self._entries[self._noted].body < entry.body:
            # Reading it notes it.
            self._read(self._entries[self._noted].name)
        self.note(entry, document)

        def key(number: int) -> tuple[int, Key, str]:
            label = document.labels[number]
            first = self._first_in[label]
            if first is entry:
                return first.body, _first_mention(document, number), label
            if first not in self._keys:
                earlier = self._read(first.name)
                assert earlier is not None  # it has an entry
                self._keys[first] = {
                    name: _first_mention(earlier, n) for n, name in enumerate(earlier.labels)
                }
            return first.body, self._keys[first][label], label

        return sorted(clusters, key=key)


def _first_mention(document: Document, number: int) -> Key:
    assert document.syntax is not None  # as it was read from CorefUD
    return document.syntax.first_mention(document.clusters[number])


_PIECE = re.compile(r"\(([^()]*)(\)?)|([^()]+)(\)?)|(\))")
"""A start and perhaps its end, or what may be an end and its bracket, or a bracket alone."""

_WRITTEN = re.compile(rf"[\t|]{ENTITY}")

_EXAMPLE = "# global.Entity = eid-etype-head-other"
_NO_ID = "a mention starts here without the id of its entity; write one after the ("
_FIRST = ("", "1")
"""How the head of a mention of one token is written."""
_MARKS = ("Bridge", "SplitAnte")


class CorefUDSource(NodesSource):
    """One open CorefUD file."""

    declaration = DECLARATION.encode()
    attributes = ENTITY.encode(), OLD.encode()

    def __init__(self, file: BinaryIO, path: str) -> None:
        super().__init__(file, path)
        self._order: EntityOrder | None = None

    def document(self, name: str) -> Document | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        text = self._text(entry)
        old = (
            not entry.declared
            and OLD in text
            and DECLARATION not in text
            and not _WRITTEN.search(text)
        )
        nodes = Nodes(text, entry, self.path, columns=10, strict=True)
        mentions = _OldMentions if old else _Mentions
        document = mentions(nodes, entry, self.path).document(self)
        if self._order is not None:
            self._order.note(entry, document)
        return document

    def order(self) -> EntityOrder:
        """The order that udapi gives the entities of the file."""
        if self._order is None:
            self._order = EntityOrder(self._entries.values(), self.document)
        return self._order

    def layers(self, name: str) -> Layers | None:
        layers, document = super().layers(name), self.document(name)
        if layers is not None and document is not None:
            syntax: ReadSyntax = document.syntax  # type: ignore[assignment]  # as it was read here
            layers.attributes = syntax.attributes(document)
        return layers

    def layers_of(
        self,
        document: Document,
        fields: Collection[str] = (),
        *,
        names: bool = False,  # noqa: ARG002
    ) -> Layers | None:
        from conll.document import Layers

        syntax: ReadSyntax = document.syntax  # type: ignore[assignment]  # as it was read here
        return Layers(
            [],
            columns_of(syntax.nodes.word_lines(), COLUMNS, fields),
            attributes=syntax.attributes(document, fields),
        )

    def same_words(self, document: Document, other: Document) -> bool:
        syntax: ReadSyntax = document.syntax  # type: ignore[assignment]  # as it was read here
        return isinstance(other.syntax, ReadSyntax) and syntax.nodes.same_words(other.syntax.nodes)


class _Label:
    """What all brackets of one label share: their entity, its `mentions` with their `lines`, and the starts that are `open`.

    A label is an entity, or part `number` of `count` of a mention of one. `opened`: the starts that
    are open, of all labels of an entity that has parts; None where it has none.
    """

    __slots__ = ("count", "entity", "lines", "mentions", "number", "open", "opened")

    def __init__(
        self, entity: str, number: int, count: int, mentions: list[AnyMention], lines: list[int]
    ) -> None:
        self.entity = entity
        self.number = number
        self.count = count
        self.mentions = mentions
        self.lines = lines
        self.open: list[_Start] | None = None
        self.opened: _Opened | None = None


class _Opened:
    """Starts of one entity that are open, each by its number and its label.

    `crossed`: on the line of the latest end, the starts that closed before a later one, each with
    what crosses.
    """

    def __init__(self, starts: Iterable[tuple[int, _Label]] = ()) -> None:
        self._starts = [*starts]
        self._closed: set[int] = set()
        self.crossed: list[tuple[int, tuple[int, str, bool]]] = []

    def open(self, number: int, label: _Label) -> None:
        self._starts.append((number, label))

    def close(self, number: int) -> tuple[int, _Label]:
        """Close one; the latest that was open."""
        self.is_open_after(number)
        self._closed.add(number)
        return self._starts[-1]

    def is_open_after(self, number: int) -> bool:
        """Whether one is open that started later."""
        while self._starts and self._starts[-1][0] in self._closed:
            self._closed.remove(self._starts.pop()[0])
        return bool(self._starts) and self._starts[-1][0] > number


class _Parts:
    """A mention of several parts, some still to come; the latest part to start is number `started`.

    It is the `place`th of its entity. `line` and `attributes` (all but the entity id) are those of
    its first start, `head` is what the last part names, on `head_line`. Of its parts so far, `id`
    is that of `_Followed`, and `size` counts the tokens.
    """

    __slots__ = (
        "attributes",
        "count",
        "entity",
        "head",
        "head_line",
        "id",
        "line",
        "parts",
        "place",
        "size",
        "started",
    )

    def __init__(
        self, first: _Label, place: int, attributes: tuple[str, ...], head: str, line: int
    ) -> None:
        self.entity = first.entity
        self.count = first.count
        self.place = place
        self.attributes = attributes
        self.head = head
        self.line = self.head_line = line
        self.parts: list[tuple[int, int]] = []
        self.id = self.size = 0
        self.started = 1


class _Waiting:
    """The mentions of one entity that still have parts to come.

    Those whose next part may start are filed by how many parts they have and the number of the
    next: once by their attributes and once all together, in the order in which they started. A
    mention that has gone on stays in the other file and is skipped there.
    """

    def __init__(self) -> None:
        self.mentions: dict[int, _Parts] = {}
        self._started = 0
        self._just: dict[tuple[int, int], deque[_Parts]] = {}
        self._ready: dict[tuple[int, int, tuple[str, ...] | None], list[tuple[int, _Parts]]] = {}

    def begin(self, label: _Label, attributes: tuple[str, ...], head: str, line: int) -> _Parts:
        """The first part of a mention starts."""
        mention = self.mentions[self._started] = _Parts(
            label, self._started, attributes, head, line
        )
        self._started += 1
        return mention

    def end(self, mention: _Parts) -> bool:
        """Note that the latest part of a mention has ended; whether it was the last."""
        if len(mention.parts) == mention.count:
            del self.mentions[mention.place]
            return True
        self._just.setdefault((mention.count, mention.started + 1), deque()).append(mention)
        return False

    def go_on(self, label: _Label, attributes: tuple[str, ...], node: int) -> _Parts | None:
        """The mention whose next part this is when it starts at that node.

        None when none waits for it.
        """
        count, number = label.count, label.number
        just = self._just.get((count, number))
        # A mention that ended at this very node waits for a later one.
        while just and just[0].parts[-1][1] < node:
            mention = just.popleft()
            for key in (mention.attributes, None):
                heappush(self._ready.setdefault((count, number, key), []), (mention.place, mention))
        for key in (attributes, None):
            ready = self._ready.get((count, number, key), [])
            while ready:
                _, mention = heappop(ready)
                if mention.started == number - 1:
                    mention.started = number
                    return mention
        return None


class _Followed:
    """Mentions of one entity with parts as CorefUD's own programs follow them, which go by the order alone.

    Each has a number. `_under_way` are those of which a part is open, in the order of these;
    `_idle` those between two parts. `_ids` gives equal sequences of parts one id, 0 where there is
    none yet; `_id_of` is that of each mention.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, tuple[int, int]], int] = {}
        self._id_of: list[int] = []
        self._begun: list[int] = []
        self._number = 0
        self._done: set[int] = set()
        self._under_way: list[int] = []
        self._idle: list[int] = []

    def begin(self) -> None:
        """A first part starts."""
        self._begun.append(self._number)
        self._under_way.append(self._number)
        self._id_of.append(0)
        self._number += 1

    def go_on(self) -> int:
        """Start a further part of the earliest mention that is between two parts.

        Returns the id of the parts that it has.
        """
        # Whichever they take for which, as many are between two parts as here.
        self._under_way.append(heappop(self._idle))
        return self._id_of[self._under_way[-1]]

    def id_with(self, before: int, part: tuple[int, int]) -> int:
        """Return the id of these parts once another is added."""
        return self._ids.setdefault((before, part), len(self._ids) + 1)

    def end(self, part: tuple[int, int], *, last: bool) -> bool:
        """A part ends, the `last` of its mention or not.

        Whether that mention is the latest to begin among those unfinished.
        """
        current = self._under_way.pop()
        self._id_of[current] = self.id_with(self._id_of[current], part)
        if not last:
            heappush(self._idle, current)
            return True
        while self._begun[-1] in self._done:
            self._done.remove(self._begun.pop())
        self._done.add(current)
        return self._begun[-1] == current


class _Mentions:
    """The mentions of one document.

    Lines are counted from 0 in it, but for those of mentions, from 1 in the file.
    """

    def __init__(self, nodes: Nodes, entry: Entry, path: str) -> None:
        self._nodes = nodes
        self._entry = entry
        self._path = path
        self._labels: dict[str, _Label] = {}
        self._opened_of: dict[str, _Opened] = {}
        self._opened: list[_Label] = []
        self._waiting: dict[str, tuple[_Waiting, _Followed]] = {}
        self._clusters: dict[str, tuple[list[AnyMention], list[int]]] = {}
        self._heads: dict[AnyMention, Token] = {}
        self._headless: list[_Headless] = []
        self._other_heads: dict[tuple[str, int], Token] = {}
        self._crossings: list[tuple[int, str, bool]] = []
        self._parted: dict[tuple[str, int], int] = {}
        self._starts = 0
        self._eid = self._head = -1
        self._attributes = 0
        if entry.declared:
            # A wrong declaration is reported at the line that begins the document.
            self._declare(entry.declared, 0)
        self._read()
        self._check()

    def document(self, source: CorefUDSource) -> Document:
        """All of it."""
        nodes, entry = self._nodes, self._entry
        return Document(
            entry.name,
            [mentions for mentions, _ in self._clusters.values()],
            nodes.words,
            lines=[lines for _, lines in self._clusters.values()],
            labels=list(self._clusters),
            syntax=ReadSyntax(
                source,
                nodes,
                entry,
                self._heads,
                self._headless,
                self._other_heads,
                self._crossings,
                self._parted,
            ),
            path=self._path,
            line=entry.line,
        )

    def _declare(self, text: str, line: int) -> None:
        if not text.startswith(DECLARATION):
            return
        names = names_in(text)
        try:
            self._eid = eid_in(names)
        except ValueError:
            raise self._nodes.error(
                line, f"the declaration has no eid; write for example {_EXAMPLE}", text
            ) from None
        self._head = names.index("head") if "head" in names else -1
        self._attributes = len(names)

    def _read(self) -> None:
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

    def _read_brackets(self, attribute: str, node: int, line: int) -> None:
        """Read an attribute such as `Entity=(e1-person-1(e2)`."""
        if not self._attributes:
            problem = (
                "an entity stands here, but no line before tells its attributes; "
                f"write for example {_EXAMPLE}"
            )
            raise self._nodes.error(line, problem)
        for start, closed, end, ended, alone in _PIECE.findall(attribute, len(ENTITY)):
            if ended:
                self._end(end, node, line)
            elif end or alone:
                neither = end[:1] or alone
                raise self._nodes.error(
                    line,
                    f"{neither} in Entity= is no bracket of an entity; write (e1 or e1) or (e1)",
                )
            else:
                self._start(start, node, line, closed=closed != "")

    def _start(self, text: str, node: int, line: int, *, closed: bool) -> None:
        attributes = text.split("-", self._attributes - 1)
        name = attributes[self._eid] if self._eid < len(attributes) else ""
        label = self._labels.get(name) or self._label(name, line)
        head = attributes[self._head] if 0 <= self._head < len(attributes) else ""
        parts = None
        if label.count > 1:
            del attributes[self._eid]
            parts = self._parts_of(label, tuple(attributes), head, node, line)
        if not closed:
            if label.open is None:
                label.open = []
                self._opened.append(label)
            label.open.append((node, line, head, parts, self._starts))
            if label.opened is not None:
                label.opened.open(self._starts, label)
            self._starts += 1
        elif parts is not None:
            self._close(label, parts, (node, node), line)
        else:
            # udapi passes over the number in a mention of one token, and such files exist.
            self._add(label, line, "1" if head.isdecimal() else head, [(node, node)])

    def _end(self, name: str, node: int, line: int) -> None:
        label = self._labels.get(name)
        if label is None or not label.open:
            raise self._nodes.error(
                line, f"mention {name} ends here but never starts; write the missing ({name}"
            )
        start = label.open.pop()
        first, begin, head, parts, _ = start
        if label.opened is not None:
            self._compare(label, label.opened, start, node, line)
        if parts is None:
            self._add(label, begin, head, [(first, node)])
        else:
            self._close(label, parts, (first, node), line)

    def _label(self, name: str, line: int) -> _Label:
        """A label that is met for the first time."""
        if not name:
            raise self._nodes.error(line, _NO_ID)
        entity, number, count = name, 1, 1
        if name[-1] == "]":
            match = PART.fullmatch(name)
            if match is None or int(match[2]) > int(match[3]):
                raise self._nodes.error(
                    line, f"{name} is no part of a mention; write the first of two as (e1[1/2]"
                )
            entity, number, count = match[1], int(match[2]), int(match[3])
        mentions, lines = self._clusters.setdefault(entity, ([], []))
        label = self._labels[name] = _Label(entity, number, count, mentions, lines)
        if count > 1 or entity in self._opened_of:
            whole = self._labels.get(entity)
            label.opened = self._opened_of.get(entity)
            if label.opened is None:
                opened = [(start[4], whole) for start in whole.open or ()] if whole else []
                label.opened = self._opened_of[entity] = _Opened(opened)
            if whole is not None:
                whole.opened = label.opened
        return label

    def _compare(self, label: _Label, opened: _Opened, start: _Start, node: int, line: int) -> None:
        """Note where a start closes, at a node, before a later one of the same entity."""
        first, _, head, parts, number = start
        here = self._nodes.number(line)
        if opened.crossed and opened.crossed[0][1][0] != here:
            self._crossings += (crossing for _, crossing in opened.crossed)
            opened.crossed.clear()
        latest, other = opened.close(number)
        if latest != number:
            problem = (
                f"a mention of {label.entity} ends here while another that started later is open"
            )
            crossing = here, problem, other.number > 1 or label.number > 1
            size = 0 if parts is None else parts.size + node - first + 1
            middle = 1 < label.number < label.count and other.count == 1
            if middle and head.isdecimal() and len(head) < 10 and int(head) <= size:
                opened.crossed.append((number, crossing))
            else:
                self._crossings.append(crossing)
        elif label.count == 1 and head in _FIRST:
            # udapi exchanges the ends of the part in the middle and of this mention, which gets its
            # first token as head. Where both end at one token, that is what is written.
            while opened.crossed and not opened.is_open_after(opened.crossed[-1][0]):
                opened.crossed.pop()

    def _close(self, label: _Label, mention: _Parts, part: tuple[int, int], line: int) -> None:
        mention.parts.append(part)
        mention.size += part[1] - part[0] + 1
        waiting, followed = self._waiting[label.entity]
        mention.id = followed.id_with(mention.id, part)
        if not followed.end(part, last=label.number == label.count):
            problem = (
                f"a mention of {label.entity} ends here while another that started later "
                "waits for its next part"
            )
            self._crossings.append((self._nodes.number(line), problem, True))
        if waiting.end(mention):
            self._parted[label.entity, len(label.mentions)] = mention.place
            self._add(label, mention.line, mention.head, mention.parts, mention.head_line)

    def _parts_of(
        self, label: _Label, attributes: tuple[str, ...], head: str, node: int, line: int
    ) -> _Parts:
        """The mention to which a part belongs.

        Two mentions of one entity may wait for their next part at once. The parts of one are mostly
        written with the same attributes; otherwise the mention that started first goes on first.
        """
        if label.entity not in self._waiting:
            self._waiting[label.entity] = _Waiting(), _Followed()
        waiting, followed = self._waiting[label.entity]
        if label.number == 1:
            followed.begin()
            return waiting.begin(label, attributes, head, line)
        mention = waiting.go_on(label, attributes, node)
        if mention is None:
            part, before = (
                f"{label.entity}[{number}/{label.count}]"
                for number in (label.number, label.number - 1)
            )
            problem = (
                f"part {part} of a mention starts here, but the part before it is missing; "
                f"write ({before} before"
            )
            raise self._nodes.error(line, problem)
        if followed.go_on() != mention.id:
            problem = (
                f"a part of a mention of {label.entity} starts here while an earlier mention "
                "waits for its next part"
            )
            self._crossings.append((self._nodes.number(line), problem, True))
        if head:
            mention.head, mention.head_line = head, line
        return mention

    def _add(
        self,
        label: _Label,
        line: int,
        head: str,
        parts: list[tuple[int, int]],
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
        elif mention not in self._heads:
            # Its place is taken, so a mention that is written twice keeps its first head.
            self._headless.append((mention, parts))
        label.mentions.append(mention)
        label.lines.append(self._entry.line + line)
        if self._heads.setdefault(mention, token) != token:
            self._other_heads[label.entity, len(label.mentions) - 1] = token

    def _declared_head(
        self, label: _Label, line: int, head: str, parts: list[tuple[int, int]]
    ) -> int:
        """The node of the head, which the file numbers among those of the mention from 1."""
        left = int(head) if head.isdecimal() and len(head) < 10 else 0
        for first, last in parts:
            if 0 < left <= last - first + 1:
                return first + left - 1
            left -= last - first + 1
        size = sum(last - first + 1 for first, last in parts)
        problem = f"the head of mention {label.entity} is {head}, but its tokens are 1 to {size}"
        raise self._nodes.error(line, f"{problem}; write one of these")

    def _check(self) -> None:
        self._crossings += (
            crossing for opened in self._opened_of.values() for _, crossing in opened.crossed
        )
        self._crossings.sort(key=itemgetter(0))
        left = [(start[1], label) for label in self._opened for start in label.open or ()]
        if left:
            line, label = min(left, key=lambda pair: pair[0])
            shown = (
                label.entity
                if label.count == 1
                else f"{label.entity}[{label.number}/{label.count}]"
            )
            problem = (
                f"mention {shown} starts here but never ends in its document; write the "
                f"missing {shown})"
            )
            raise self._nodes.error(line, problem)
        parts = [
            mention
            for waiting, _ in self._waiting.values()
            for mention in waiting.mentions.values()
        ]
        if parts:
            mention = min(parts, key=lambda mention: mention.line)
            number = len(mention.parts) + 1
            missing = f"{mention.entity}[{number}/{mention.count}]"
            problem = (
                f"a mention of {mention.count} parts starts here, but its part {number} is "
                f"missing; write ({missing}"
            )
            raise self._nodes.error(mention.line, problem)


class _OldMentions(_Mentions):
    """The mentions of one document of a version before 1.0."""

    def _read(self) -> None:
        from conll.formats._corefud_entity import mentions_of

        self._clusters, self._heads = mentions_of(self._nodes)


class ReadSyntax(Syntax):
    """Heads that follow from the dependencies, and marks, are worked out on request, as most scoring needs neither.

    `nodes` and `entry` are what was read, for a writer that keeps the rest of it. `others`: the
    heads of mentions to which an earlier place of the file gave a different one. `parted`: the
    mentions that are written in parts, by entity and place in it, numbered as they start.
    """

    __slots__ = (
        "_crossings",
        "_headless",
        "_others",
        "_parted",
        "_undeclared",
        "entry",
        "nodes",
        "source",
    )

    kept_by = "corefud"

    def __init__(
        self,
        source: CorefUDSource,
        nodes: Nodes,
        entry: Entry,
        heads: dict[AnyMention, Token],
        headless: list[_Headless],
        others: dict[tuple[str, int], Token],
        crossings: list[tuple[int, str, bool]],
        parted: dict[tuple[str, int], int],
    ) -> None:
        super().__init__(nodes.starts, nodes.zeros, heads)
        self.source = source
        self.nodes = nodes
        self.entry = entry
        self._headless = headless
        self._others = others
        self._undeclared = {mention for mention, _ in headless}
        self._crossings = crossings
        self._parted = parted

    @property
    def crossings(self) -> list[tuple[int, str, bool]]:
        return self._crossings

    def entity_order(self, document: Document, clusters: Iterable[int]) -> list[int]:
        return self.source.order().sorted(self.entry, document, clusters)

    def beside(self) -> Counter[str]:
        amounts: Counter[str] = Counter()
        starting = dict(self._starts())
        for line, node in enumerate(self.nodes.at):
            if node >= 0:
                columns = self.nodes.line(line).split("\t")
                # The dependencies of an empty node are reported with the node.
                amounts.update(counted(COLUMNS, columns if columns[0].isdecimal() else columns[:8]))
                amounts.update(
                    f"{name} attribute"
                    for start in starting.get(line, ())
                    for name in start.said
                    if name != "head"
                )
        return amounts

    def attributes(
        self, document: Document, fields: Collection[str] | None = None
    ) -> list[list[dict[str, str]]]:
        """What is said of each mention, by attribute, in the shape of the clusters of the document as it was read.

        With `fields` these alone, and nothing where none of them is declared.
        """
        declared = [
            self.entry.declared,
            *(text for _, _, text in self.nodes.declarations if text.startswith(DECLARATION)),
        ]
        if fields is not None and not any(
            name in fields for text in declared for name in names_in(text)
        ):
            return []
        return attributes_of(document, self._starts(fields), self._parted)

    def _starts(self, fields: Collection[str] | None = None) -> Iterator[tuple[int, list[Start]]]:
        """Each line on which mentions start, and these."""
        declared = Declared(names_in(self.entry.declared), fields)
        declarations = deque(
            one for one in self.nodes.declarations if one[2].startswith(DECLARATION)
        )
        for line, _, misc in zip(*self.nodes.last_columns(ENTITY)):
            while declarations and declarations[0][0] <= line:
                declared = Declared(names_in(declarations.popleft()[2]), fields)
            if "(" in misc:
                yield line, [*starts_in(declared, misc)]

    def written_head(self, label: str, place: int, mention: AnyMention) -> Token | None:
        other = self._others.get((label, place))
        if other is None and mention in self._undeclared:
            first = pieces(mention)[0]
            return first if isinstance(first, str) else first[0]
        return self._heads.get(mention) if other is None else other

    def outermost(self, mentions: Iterable[AnyMention]) -> dict[AnyMention, Token]:
        """Return the heads that the dependencies give to mentions, as to those without one."""
        rule = Outermost(self.nodes)
        nodes = {token: node for node, token in enumerate(self.nodes.tokens)}
        return {
            mention: self.nodes.tokens[
                rule.of([(nodes[token], nodes[token]) for token in self.tokens(mention)])
            ]
            for mention in mentions
        }

    @property
    def heads(self) -> dict[AnyMention, Token]:
        if self._headless:
            outermost = Outermost(self.nodes)
            for mention, parts in self._headless:
                self._heads[mention] = self.nodes.tokens[outermost.of(parts)]
            self._headless = []
        return self._heads

    @property
    def marks(self) -> dict[Token, dict[str, str]]:
        if self._marks is None:
            self._marks = self._found_marks()
        return self._marks

    def _found_marks(self) -> dict[Token, dict[str, str]]:
        marks: dict[Token, dict[str, str]] = {}
        for mark in _MARKS:
            for _, node, text in zip(*self.nodes.last_columns(f"{mark}=")):
                for attribute in text.split("|"):
                    name, _, value = attribute.partition("=")
                    if name == mark:
                        marks.setdefault(self.nodes.tokens[node], {})[mark] = value
        return marks


def sniff(head: bytes) -> bool:
    """Whether a line declares entities or begins a document, or a line has the ten columns of a word."""
    from conll.columns import kind_of

    return kind_of(head) == "corefud"


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write words, empty nodes and entities, with the heads where they are known.

    A document that was read from this format keeps its lines: comments, all columns, and the
    attributes of the mentions that it still has. One without words is left out. ConllError when a
    mention, a label, a name or a word does not fit.
    """
    from conll.formats._corefud_write import DECLARATION, Used, declaration_in, text_of

    declared = ""
    used = Used()
    for document in documents:
        if not document.length() and not any(document.clusters):
            continue
        needed, text = text_of(document, used)
        if needed != declared:
            file.write(needed.encode())
        file.write(text)
        declared = declaration_in(text) or needed or declared
    if not declared:
        file.write(DECLARATION.encode())


FORMAT = Format(
    "corefud",
    "CorefUD: CoNLL-U with Entity= in the last column",
    sniff=sniff,
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


if TYPE_CHECKING:
    _Start = tuple[int, int, str, "_Parts | None", int]
