"""Texts with marked mentions, as language models write them: what their readers and writers share.

A file is one text, or one a line. It may stand in fences (three backticks), with other lines around
them. Tags may be missing, so what is read says what was repaired (`Marked.repairs`).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from itertools import chain
from json import JSONDecoder
from typing import TYPE_CHECKING, Any, NamedTuple

from conll.alignment import ZERO
from conll.document import Document
from conll.errors import ConllError, Problem, pluralize
from conll.format import spans_of
from conll.formats.json import errors_in
from conll.source import Source
from conll.syntax import is_span, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from conll.document import Words
    from conll.syntax import AnyMention, Token

    Repairs = dict[str, list[str]]
    """The places of repairs, by their kind."""

_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)

_JSON = re.compile(rb'\s*(?:[{#]|\[\s*(?:\{|\[\s*"))')

LISTED = 20
"""The places of repairs of one kind that a problem lists; the others are counted."""


class Marked:
    """A text as a model wrote it.

    Attributes:
        words: Its words, in which empty nodes begin with `##`; None where only mentions are known.
        mentions: First and last word of each mention, and the id of its entity; where there are no
            words, the mention's text in place of the two.
        sentences: The same words by sentence, where the text says so.
        repairs: What was repaired.
        moved: Whether an empty node follows its parent, as in the CRAC text, and not the word that
            it follows in CoNLL-U.
        cut: Whether its words were cut by a rule, so that others are no fault of it.
    """

    def __init__(self, words: list[str] | None, *, moved: bool = True) -> None:
        self.words = words
        self.sentences: Words | None = None if words is None else [words]
        self.mentions: list[tuple[Any, str]] = []
        self.repairs: Repairs = {}
        self.moved = moved
        self.cut = False

    @classmethod
    def of_sentences(cls, sentences: Words) -> Marked:
        """Return a text of sentences, without mentions yet."""
        marked = cls([*chain.from_iterable(sentences)])
        marked.sentences = sentences
        return marked

    def repair(self, kind: str, what: str, word: int | None = None) -> None:
        """Note one repair, and the word (from 0) at which it was made."""
        place = what if word is None else f"{what} at word {word + 1}"
        self.repairs.setdefault(kind, []).append(place)

    def clusters(self) -> dict[str, list[Any]]:
        """Return the mentions of each entity."""
        clusters: dict[str, list[Any]] = {}
        for mention, label in self.mentions:
            clusters.setdefault(label, []).append(mention)
        return clusters


def problem_of(repairs: Repairs, path: str, line: int, name: str) -> list[Problem]:
    """Return the problem that a document was repaired; none where nothing was."""
    if not repairs:
        return []
    amounts = ", ".join(pluralize(len(places), kind) for kind, places in repairs.items())
    listed = "; ".join(
        f"{kind}: {', '.join(places[:LISTED])}{', …' if len(places) > LISTED else ''}"
        for kind, places in repairs.items()
    )
    return [
        Problem(path, line, name, f"repaired: {amounts}", listed, kind="repair", side="response")
    ]


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment."""
    return _JSON.match(head) is None


class Part(NamedTuple):
    """One text of a file: the line on which it begins, and what is parsed."""

    line: int
    content: Any


def file_name(name: str) -> str:
    """Return what the file of a document is called, without its ending.

    >>> file_name("(bc/cctv/00/cctv_0000); part 000")
    'bc_cctv_00_cctv_0000_part_000'
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("_") or "document"


def decoded(file: BinaryIO, path: str) -> str:
    """Read a file of UTF-8, with newlines as line ends.

    Raises:
        ConllError: The file is not UTF-8.
    """
    data = file.read()
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConllError(path, line, "not UTF-8; save the file as UTF-8") from None


def unfenced(text: str) -> list[Part]:
    """Return what stands in the fences of a text, or all of it if there are none."""
    fences = [
        Part(text.count("\n", 0, fence.start(1)) + 1, fence[1]) for fence in _FENCE.finditer(text)
    ]
    return fences or [Part(1, text)]


class MarkedSource(Source):
    """A file of texts with marked mentions.

    Args:
        file: The open file.
        path: Its name in messages.
        parse: Reads one text.
        by_line: Whether a line is a text, if nobody says how many there are.
        tag: Matches where a text has a tag.
    """

    loose = True

    def __init__(
        self,
        file: BinaryIO,
        path: str,
        parse: Callable[[Any], Marked],
        *,
        by_line: bool,
        tag: re.Pattern[str],
    ) -> None:
        self.path = path
        self._parse = parse
        self._tag = tag
        self._parts = unfenced(decoded(file, path))
        self.size = sum(len(part.content) for part in self._parts)
        self.is_named = False
        self.split(None if by_line else 1)

    def split(self, documents: int | None) -> None:
        """Read the whole as one document, or each line as one.

        Blank lines, and then all lines without a tag, are left out where that makes the number of
        documents right.

        Args:
            documents: How many there should be; None for any number.
        """
        if documents == 1:
            text = "\n".join(part.content for part in self._parts)
            stem = os.path.splitext(os.path.basename(self.path))[0]
            self._texts = {stem: Part(self._parts[0].line, text)}
            return
        lines = [
            Part(line, text)
            for part in self._parts
            for line, text in enumerate(part.content.removesuffix("\n").split("\n"), part.line)
        ]
        written = [line for line in lines if line.content.strip()]
        tagged = [line for line in written if self._tag.search(line.content)]
        chosen = next(
            (kind for kind in (lines, written, tagged) if len(kind) == documents), written
        )
        self._texts = {str(number): line for number, line in enumerate(chosen, 1)}

    def marked(self, name: str) -> Marked:
        """Read the text called `name`."""
        return self._parse(self._texts[name].content)

    def raw(self, name: str) -> str:
        """Return the text called `name` as it was written."""
        return str(self._texts[name].content)

    def names(self) -> list[str]:
        return list(self._texts)

    def document(self, name: str) -> Document | None:
        if name not in self._texts:
            return None
        marked, line = self.marked(name), self._texts[name].line
        clusters = marked.clusters()
        return Document(
            name,
            [*clusters.values()],
            None if marked.words is None else len(marked.words),
            labels=[*clusters],
            lines=[[line] * len(cluster) for cluster in clusters.values()],
            path=self.path,
            line=line,
        )

    def words(self, name: str) -> Words | None:
        return self.marked(name).sentences if name in self._texts else None

    def line_of(self, name: str) -> int:
        return self._texts[name].line if name in self._texts else 0

    def problems(self) -> list[Problem]:
        return [
            problem
            for name, part in self._texts.items()
            for problem in problem_of(self.marked(name).repairs, self.path, part.line, name)
        ]


class MarkedJsonSource(MarkedSource):
    """A file of JSON with the mentions of documents, also in fences or after other words.

    Args:
        file: The open file.
        path: Its name in messages.
        parse: Reads the value of one document; ValueError says what is wrong with it.
        documents: Returns the name and value of each document that a value of the file holds; a
            name of None is the document's place in the file.
    """

    def __init__(
        self,
        file: BinaryIO,
        path: str,
        parse: Callable[[Any], Marked],
        documents: Callable[[Any], Iterable[tuple[str | None, Any]]],
    ) -> None:
        self.path = path
        self._parse = parse
        self._texts = {}
        self.is_named = True
        text = decoded(file, path)
        self.size = len(text)
        for line, part in unfenced(text):
            start = min((at for mark in "[{" if (at := part.find(mark)) >= 0), default=0)
            while start < len(part):
                place = line + part.count("\n", 0, start)
                with errors_in(path, place):
                    value, start = JSONDecoder().raw_decode(part, start)
                for given, content in documents(value):
                    name = str(len(self._texts) + 1) if given is None else given
                    if name in self._texts:
                        problem = f"two documents have the name {name!r}; give each its own"
                        raise ConllError(path, place, problem)
                    self._texts[name] = Part(place, content)
                following = re.compile(r"[\[{]").search(part, start)
                start = following.start() if following else len(part)
        if not self._texts:
            raise ConllError(path, 0, "there is no JSON of documents in the file")

    def marked(self, name: str) -> Marked:
        try:
            return self._parse(self._texts[name].content)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = str(error) if type(error) is ValueError else "it is not of this format"
            reason = f"there is no {error}" if type(error) is KeyError else reason
            raise ConllError(self.path, self._texts[name].line, reason, document=name) from None

    def problems(self) -> list[Problem]:
        # Whatever cannot be parsed is refused when its document is read.
        with suppress(ConllError):
            return super().problems()
        return []


class ParsedSource(MarkedSource):
    """A file that other programs write, with exact places of mentions, parsed as a whole.

    Args:
        file: The open file.
        path: Its name in messages.
        read: Returns the documents of a text by name; ValueError says what is wrong.
        loose: As of `Source`.
    """

    def __init__(
        self,
        file: BinaryIO,
        path: str,
        read: Callable[[str], dict[str, Marked]],
        *,
        loose: bool = False,
    ) -> None:
        self.path, self.loose, self.is_named = path, loose, True
        text = decoded(file, path)
        self.size = len(text)
        try:
            documents = read(text)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            problem = str(error) if type(error) is ValueError else f"it lacks {error}"
            raise ConllError(path, 0, f"the file is not of this format: {problem}") from None
        stem = os.path.splitext(os.path.basename(path))[0]
        self._texts = {name or stem: Part(1, marked) for name, marked in documents.items()}

    def marked(self, name: str) -> Marked:
        marked: Marked = self._texts[name].content
        return marked


class TextOrder:
    """The tokens of a document in the order of a text, with their forms.

    Args:
        document: The document, with its `words`.
        zeros: Whether empty nodes are tokens.
        moved: Whether an empty node follows its first enhanced parent, and not the word that it
            follows in CoNLL-U.
    """

    def __init__(self, document: Document, *, zeros: bool = True, moved: bool = True) -> None:
        self.forms: list[str] = [*chain.from_iterable(document.words or ())]
        self.tokens: list[Token] = [*range(len(self.forms))]
        self._nodes = getattr(document.syntax, "nodes", None) if zeros else None
        self._numbers: dict[Token, int] = {}
        syntax = document.syntax
        if self._nodes is None or syntax is None or not syntax.zeros:
            self._nodes = None
        else:
            self._numbers = {token: node for node, token in enumerate(self._nodes.tokens)}
            order = {
                str(zero): (self._after(syntax, zero) if moved else None) or syntax.place(zero)
                for zero in syntax.zeros
            }
            self.tokens = sorted(
                self._nodes.tokens, key=lambda token: order.get(str(token)) or syntax.place(token)
            )
            named = self._nodes.forms()
            self.forms = [
                f"{ZERO}{named[token].removeprefix('_')}"
                if isinstance(token, str)
                else self.forms[token]
                for token in self.tokens
            ]
        self.places = {token: place for place, token in enumerate(self.tokens)}
        self._all = document.syntax

    @staticmethod
    def _after(syntax: Any, zero: str) -> tuple[int, int, int] | None:
        """Sort an empty node directly after its parent; None where it has none that is a word."""
        parents = [parent for parent, _ in syntax.relations(zero)]
        if not parents or type(parents[0]) is not int:
            return None
        return parents[0], 0, 1

    def mention(self, first: int, last: int) -> AnyMention:
        """Return the mention from one place of the text to another, both inclusive."""
        if self._nodes is None:
            return first, last
        nodes = sorted(self._numbers[token] for token in self.tokens[first : last + 1])
        mention: AnyMention = self._nodes.mention([(node, node) for node in nodes])
        return mention

    def span(self, mention: AnyMention) -> tuple[int, int] | None:
        """Return the first and last place of a mention; None where it is not in one piece."""
        if self._nodes is None:
            return mention if is_span(mention) else None  # type: ignore[return-value]  # as it is a span
        places = sorted(self.places[token] for token in self._all.tokens(mention))  # type: ignore[union-attr]  # as it has nodes
        is_whole = places[-1] - places[0] == len(places) - 1
        return (places[0], places[-1]) if is_whole else None


def unfit(document: Document, *, nested: bool | None) -> dict[tuple[int, int], str]:
    """Find the mentions that a text cannot mark: those in pieces, and such as cross others.

    Args:
        document: The document to be written.
        nested: Whether the end of a mention does not tell which it is, so that none may cross; None
            where mentions may cross in any way.

    Returns:
        What is wrong with each, by the number of its cluster and its place there.
    """
    order = TextOrder(document)
    wrong: dict[tuple[int, int], str] = {}
    spans: list[tuple[int, int, tuple[int, int]]] = []
    for number, cluster in enumerate(document.clusters):
        for place, mention in enumerate(cluster):
            span = order.span(mention) if _is_mention(document, mention) else None
            if span is None:
                wrong[number, place] = "mention| in pieces"
            else:
                spans.append((span[0], -span[1], (number, place)))
    opened: list[tuple[int, int]] = []
    for first, end, at in sorted(spans):
        opened = [other for other in opened if other[0] >= first]
        if nested is not None and any(
            last < -end and (nested or (at[0] == number and first < last))
            for last, number in opened
        ):
            wrong[at] = "mention| across another one"
        else:
            opened.append((-end, at[0]))
    return wrong


def _is_mention(document: Document, mention: Any) -> bool:
    return is_span(mention) or (
        type(mention) is tuple
        and document.syntax is not None
        and all(is_span(piece) or piece in document.syntax.zeros for piece in pieces(mention))
    )


def changed(document: Document) -> Counter[str]:
    """Count what a text does not keep: the document's name, and forms that are read otherwise."""
    forms = [word for sentence in document.words or () for word in sentence]
    moved = 0
    if document.syntax is not None and document.syntax.zeros:
        kept, order = TextOrder(document, moved=False), TextOrder(document)
        moved = sum(
            type(token) is str and kept.tokens[max(place - 1, 0)] != order.tokens[max(at - 1, 0)]
            for token, place in kept.places.items()
            for at in [order.places[token]]
        )
    return Counter(
        {
            "document name": 1,
            "form| with a space, | or _": sum(bool(re.search(r"[\s|_]", form)) for form in forms),
            "empty node| in another place of the text": moved,
        }
    )


def check_fit(document: Document, format: str, *, nested: bool | None) -> None:  # noqa: A002  the word of `Format`
    """Raise ConllError for a document without words or with a mention that the format cannot hold."""
    if document.syntax is None:
        spans_of(document, format)
    problem = "" if document.words is not None else "there are no words"
    for (number, place), kind in unfit(document, nested=nested).items():
        label = document.labels[number] if document.labels else number
        mention = str(document.clusters[number][place]).replace(" ", "")
        problem = f"mention {mention} of cluster {label} is{kind.partition('|')[2]}"
        break
    if problem:
        problem = f"not to be written as {format}: {problem}"
        raise ConllError(document.path, document.line, problem, document=document.name)


def marked_lines(
    documents: Iterable[Document],
    format: str,  # noqa: A002  the word of `Format`
    show: Callable[[list[str], list[tuple[int, int, str]]], str],
    *,
    nested: bool,
    moved: bool = True,
) -> Iterator[bytes]:
    """Write each document as a line.

    Args:
        documents: The documents, with words.
        format: The name of the format, for errors.
        show: Writes words and mentions: first and last word, and the id of the entity.
        nested: As in `unfit`.
        moved: As in `TextOrder`.

    Raises:
        ConllError: As in `check_fit`.
    """
    for document in documents:
        check_fit(document, format, nested=nested)
        order = TextOrder(document, moved=moved)
        labels = document.labels or [str(number) for number in range(len(document.clusters))]
        mentions = [
            (*(order.span(mention) or (0, 0)), label)
            for label, cluster in zip(labels, document.clusters)
            for mention in cluster
        ]
        forms = [re.sub(r"\s", "_", form) or "_" for form in order.forms]
        yield f"{show(forms, mentions)}\n".encode("utf-8", "surrogateescape")
