"""Texts with marked mentions, their repairs, and files of such texts."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from conll.document import Content, Document, Words
from conll.errors import ConllError, Place, Problem, not_utf8, pluralize
from conll.source import InputFile, Source
from conll.syntax import Span, is_span, pieces

ZERO = "##"
"""The beginning of the words of a text that represent empty nodes."""

LISTED = 20
"""The places of repairs of one kind that a problem lists; the others are counted."""

Marks = list[tuple[int, int, str]]
"""First and last word of each mention, and the id of its entity."""


class Repair(NamedTuple):
    """A repair of a text: its kind, what it was about, and the word (from 0) where it was made."""

    kind: str
    about: str
    word: int | None

    def __str__(self) -> str:
        return self.about if self.word is None else f"{self.about!r} at word {self.word + 1}"


class Repairs(list[Repair]):
    """The repairs of a text, in the order in which they were noted."""

    def note(self, kind: str, about: str, word: int | None = None) -> None:
        """Note a repair, and the word (from 0) at which it was made."""
        self.append(Repair(kind, about, word))

    def moved(self, words: int) -> Repairs:
        """Return the same repairs so many words further on."""
        return Repairs(
            repair if repair.word is None else repair._replace(word=repair.word + words)
            for repair in self
        )

    def problem(self, path: str, line: int, name: str) -> list[Problem]:
        """Return the problem that a document was repaired; none where it was not."""
        by_kind: dict[str, list[str]] = {}
        for repair in self:
            by_kind.setdefault(repair.kind, []).append(str(repair))
        if not by_kind:
            return []
        amounts = {kind: len(repairs) for kind, repairs in by_kind.items()}
        counted = [pluralize(number, kind) for kind, number in amounts.items()]
        listed: list[str] = []
        for kind, repairs in by_kind.items():
            shown = ", ".join(repairs[:LISTED])
            more = ", …" if len(repairs) > LISTED else ""
            listed.append(f"{kind}: {shown}{more}")
        text, advice = f"repaired: {', '.join(counted)}", "; ".join(listed)
        return [Problem(path, line, name, text, advice, kind="repair", amounts=amounts)]


@dataclass
class Marked:
    """A text as it was written.

    Attributes:
        sentences: Its words, in which empty nodes begin with `##`, by sentence, as far as these are
            known; None where only mentions are known.
        name: The name of the document; None where the text has none.
        line: The line of the file on which it begins.
        mentions: First and last word of each mention, or where there are no words perhaps its text;
            and the id of its entity.
        repairs: What was repaired.
        moved: Whether an empty node follows its parent, as in the CRAC text, and not the word that
            it follows in CoNLL-U.
        cut: Whether its words were cut by a rule, so that others are no fault of it.
        warnings: What its user should know or correct, each a sentence.
        notes: How it was read, each a sentence.
        shares_ids: As of `Document`.
        is_line: Whether it is a line of a file that does not say whether it is one document.
        is_null: Whether there is null in place of a text.
        copies: The copies of the text, if there are several; it is one of them.
        windows: The windows of which it was joined, if there are several.
        lines: The line of each mention; empty where it is that of the text.
    """

    sentences: Words | None = None
    name: str | None = None
    line: int = 1
    mentions: list[tuple[Any, str]] = field(default_factory=list)
    repairs: Repairs = field(default_factory=Repairs)
    moved: bool = True
    cut: bool = False
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    shares_ids: bool = False
    is_line: bool = False
    is_null: bool = False
    copies: list[Marked] = field(default_factory=list)
    windows: list[Marked] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def words(self) -> list[str]:
        """Return its words; where only mentions are known, those of the mentions that are text."""
        if self.sentences is not None:
            return list(chain.from_iterable(self.sentences))
        texts = [mention for mention, _ in self.mentions if isinstance(mention, str)]
        return " ".join(texts).split()

    def parts(self, starts: Sequence[int]) -> list[Marked]:
        """Return the texts that begin at these words, the first of all, with the mentions in each.

        A repair that has no place is one of each of them.
        """
        words = self.words()
        ends = [*starts[1:], len(words)]
        parts: list[Marked] = []
        for start, end in zip(starts, ends):
            part = replace(self, sentences=[words[start:end]], mentions=[], lines=[])
            part.repairs = Repairs()
            parts.append(part)
        for (first, last), label in self.mentions:
            number = bisect_right(starts, first) - 1
            if last < ends[number]:
                moved = first - starts[number], last - starts[number]
                parts[number].mentions.append((moved, label))
        for repair in self.repairs:
            if repair.word is None:
                for part in parts:
                    part.repairs.append(repair)
                continue
            number = bisect_right(starts, repair.word) - 1
            word = repair.word - starts[number]
            parts[number].repairs.note(repair.kind, repair.about, word)
        return parts


class LineError(ValueError):
    """A line of a file that cannot be read.

    Args:
        line: The number of the line, from 1.
        problem: What is wrong with it, and what to do.
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class Part(NamedTuple):
    """A part of a file, and the line on which it begins."""

    line: int
    text: str


Read = Callable[[str, int | None], Iterable[Marked]]
"""Reads a file as that many texts, or as many as it has (None)."""


class MarkedContent(Content):
    """The rest of a document that was read from a text.

    Attributes:
        marked: The text.
    """

    def __init__(self, marked: Marked) -> None:
        self.marked = marked

    def words(self) -> Words | None:
        return self.marked.sentences


class MarkedSource(Source):
    """A file of texts with marked mentions.

    Args:
        file: The open file.
        read: Reads the file. It raises LineError for a fault of a line, and any other ValueError
            for a fault of the file.
        loose: As of `Source`.
        only: The name of the only document if it has none of its own; empty for the file's name.

    Attributes:
        numbered: Whether no text has a name, so that numbers take their place.

    Raises:
        ConllError: The file cannot be read.
    """

    content_type = MarkedContent

    def __init__(self, file: InputFile, *, read: Read, loose: bool = True, only: str = "") -> None:
        super().__init__(file)
        self.loose = loose
        self._is_recognised = file.is_recognised
        data = file.content.read()
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise not_utf8(error, self.path) from None
        self._file_text, self._read_texts = text, read
        self._base, self._only = "", only
        self._set_texts(None)

    def _named_after(self, base: str) -> Source:
        source = copy(self)
        source._base = base  # noqa: SLF001  it is a new one
        texts = list(self._texts.values())
        if any(marked.is_line for marked in texts):
            # In a folder a file is a document, unless a key says otherwise.
            source._set_texts(1)  # noqa: SLF001  as above
        else:
            source._name(texts)  # noqa: SLF001  as above
        return source

    def divided(self, documents: int) -> MarkedSource:
        """Return the same file, read as so many documents if it does not name them."""
        source = copy(self)
        source._set_texts(documents)  # noqa: SLF001  it is a new one
        return source

    def read_by(self, read: Read) -> MarkedSource:
        """Return the same file, read in another way."""
        source = copy(self)
        source._read_texts = read  # noqa: SLF001  it is a new one
        source._set_texts(None)  # noqa: SLF001  as above
        return source

    def _set_texts(self, documents: int | None) -> None:
        try:
            texts = list(self._read_texts(self._file_text, documents))
        except LineError as error:
            raise ConllError(self.path, error.line, str(error)) from None
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            reason = str(error)
            if isinstance(error, KeyError):
                reason = f"it lacks {reason}"
            problem = f"the file is not of this format: {reason}"
            raise ConllError(self.path, 0, problem) from None
        self._name(texts)

    def _name(self, texts: list[Marked]) -> None:
        """Index the texts by their names; texts without one get the file's name or a number."""
        self.numbered = len(texts) > 1 and all(marked.name is None for marked in texts)
        file_base, _ = os.path.splitext(os.path.basename(self.path))
        only_name = self._base or self._only or file_base
        before_number = f"{self._base}/" if self._base else ""
        self._texts: dict[str, Marked] = {}
        self.unnamed: set[str] = set()
        for number, marked in enumerate(texts, 1):
            fallback = only_name if len(texts) == 1 else f"{before_number}{number}"
            name = marked.name or fallback
            if name in self._texts:
                problem = f"two documents have the name {name!r}; give each its own"
                raise ConllError(self.path, marked.line, problem)
            self._texts[name] = marked
            if not marked.name:
                self.unnamed.add(name)

    def names(self) -> list[str]:
        return list(self._texts)

    def read(self, name: str) -> Document | None:
        if name not in self._texts:
            return None
        marked = self._texts[name]
        clusters: dict[str, list[Any]] = {}
        lines: dict[str, list[int]] = {}
        mention_lines = marked.lines or [marked.line] * len(marked.mentions)
        for (mention, label), line in zip(marked.mentions, mention_lines):
            clusters.setdefault(label, []).append(mention)
            lines.setdefault(label, []).append(line)
        tokens = sum(map(len, marked.sentences)) if marked.sentences is not None else None
        return Document(
            name,
            list(clusters.values()),
            tokens,
            labels=list(clusters),
            shares_ids=marked.shares_ids,
            lines=list(lines.values()),
            path=self.path,
            line=marked.line,
            content=self.content_type(marked),
        )

    def _place(self, name: str) -> Place:
        return Place(self.path, self._texts[name].line if name in self._texts else 0)

    def problems(self) -> list[Problem]:
        problems: list[Problem] = []
        if self._is_recognised and any(marked.sentences for marked in self._texts.values()):
            text = "nothing is marked here; the file is recognised by the words of the key"
            problems.append(Problem(self.path, 1, None, text, kind="note"))
        lines = sum(marked.is_line for marked in self._texts.values())
        if lines:
            text = f"each of the {lines} lines is read as a document, as no key says otherwise"
            advice = 'for a single one, write {"doc_key": "a", "output": "…"}, and name the format'
            problems.append(Problem(self.path, 1, None, text, advice, kind="note"))
        for name, marked in self._texts.items():
            problems += [Problem(self.path, 0, None, warning) for warning in marked.warnings]
            problems += [Problem(self.path, 0, None, note, kind="note") for note in marked.notes]
            if marked.windows:
                text = f"{len(marked.windows)} windows; ids are local to each"
                problems.append(Problem(self.path, marked.line, name, text, kind="note"))
            problems += marked.repairs.problem(self.path, marked.line, name)
        return problems


def whole(read: Callable[[str], Iterable[Marked]]) -> Read:
    """Return a reader of files by a function that reads the text of a whole file."""
    return lambda text, _: read(text)


def file_name(name: str) -> str:
    """Return the file name of a document, without its ending; the file is never hidden.

    Examples:
        >>> file_name("(bc/cctv/00/cctv_0000); part 000"), file_name(".a")
        ('bc_cctv_00_cctv_0000_part_000', 'a')
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("_.") or "document"


_SPACE = re.compile(r"\s")


def text_form(form: str) -> str:
    """Return a word as a text holds it, with `_` for white space and for no letter at all.

    Examples:
        >>> text_form("New York"), text_form("")
        ('New_York', '_')
    """
    return _SPACE.sub("_", form) or "_"


class TextOrder:
    """The tokens of a document in the order of a text, and their forms.

    Args:
        document: The document, with its `words`.
        zeros: Whether empty nodes are tokens.
        moved: Whether an empty node follows its first enhanced parent, and not the word that it
            follows in CoNLL-U.

    Attributes:
        forms: The forms of the tokens.
        tokens: The tokens.
        positions: The position of each token in the text.
        moved: The number of empty nodes that follow another word than in CoNLL-U.
    """

    def __init__(self, document: Document, *, zeros: bool = True, moved: bool = True) -> None:
        words = list(chain.from_iterable(document.words or ()))
        self.forms: list[str] = words
        self.tokens: list[Any] = list(range(len(words)))
        self.moved = 0
        syntax: Any = document.syntax
        self._syntax = syntax
        self._nodes: Any = None
        if zeros and syntax and syntax.zeros:
            self._nodes = getattr(syntax, "nodes", None)
        if self._nodes is not None:
            self._add_zeros(words, moved=moved)
        self.positions = {token: position for position, token in enumerate(self.tokens)}

    def _add_zeros(self, words: list[str], *, moved: bool) -> None:
        """Sort the empty nodes among the words."""
        sort_keys = {token: self._syntax.place(token) for token in self._nodes.tokens}
        if moved:
            self._move_to_parents(sort_keys)
        self.tokens = sorted(sort_keys, key=sort_keys.__getitem__)
        node_forms = self._nodes.forms()
        self.forms = [
            words[token]
            if isinstance(token, int)
            else f"{ZERO}{node_forms[token].removeprefix('_')}"
            for token in self.tokens
        ]
        self._numbers = {token: node for node, token in enumerate(self._nodes.tokens)}

    def _move_to_parents(self, sort_keys: dict[Any, Any]) -> None:
        """Give each empty node the sort key of a token just after its first parent."""
        for zero in self._syntax.zeros:
            parent, _ = next(iter(self._syntax.relations(zero)), (None, None))
            if type(parent) is int:
                self.moved += sort_keys[zero][0] != parent
                sort_keys[zero] = parent, 0, 1

    def mention(self, first: int, last: int) -> Any:
        """Return the mention from one position of the text to another, both inclusive."""
        if self._nodes is None:
            return first, last
        nodes = sorted(self._numbers[token] for token in self.tokens[first : last + 1])
        return self._nodes.mention([(node, node) for node in nodes])

    def span(self, mention: Any) -> Span | None:
        """Return the first and last position of a mention; None where it is not in one piece."""
        if self._nodes is None:
            return mention if is_span(mention) else None
        for piece in pieces(mention):
            if not is_span(piece) and piece not in self._syntax.zeros:
                return None
        positions = sorted(self.positions[token] for token in self._syntax.tokens(mention))
        first, last = positions[0], positions[-1]
        return (first, last) if last - first == len(positions) - 1 else None
