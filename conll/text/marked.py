"""Texts with marked mentions: the source of a file of them, and the parts that writers share."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain, zip_longest
from typing import Any, BinaryIO, NamedTuple

from conll.document import Content, Document, Words
from conll.errors import ConllError, Problem, not_utf8, pluralize, shorten
from conll.formats import Format, Holds, ids_for, refusal, spans_of
from conll.source import InputFile, Source
from conll.syntax import is_span, pieces

ZERO = "##"
"""How the words of a text begin that stand for empty nodes."""

MASK = "MASK"
"""What a text has for an id that is to be filled in, as in CorefInst."""

LISTED = 20
"""The places of repairs of one kind that a problem lists; the others are counted."""

Span = tuple[int, int]
Marks = list[tuple[int, int, str]]
"""First and last word of each mention, and the id of its entity."""


class Repair(NamedTuple):
    """A repair in a text: its kind, the marked text that it is about, and the word, from 0."""

    kind: str
    about: str
    word: int | None

    def __str__(self) -> str:
        if self.word is None:
            return self.about
        return f"{self.about!r} at word {self.word + 1}"


class Repairs(list[Repair]):
    """The repairs in a text, in the order in which they were noted."""

    def note(self, kind: str, about: str, word: int | None = None) -> None:
        """Note a repair, and the word (from 0) at which it was made."""
        self.append(Repair(kind, about, word))

    def moved(self, words: int) -> Repairs:
        """Return the same repairs so many words further on."""
        moved = Repairs()
        for repair in self:
            if repair.word is None:
                moved.append(repair)
            else:
                moved.append(repair._replace(word=repair.word + words))
        return moved

    def problem(self, path: str, line: int, name: str) -> list[Problem]:
        """Return the problem that a document was repaired; none where it was not."""
        by_kind: dict[str, list[str]] = {}
        for repair in self:
            by_kind.setdefault(repair.kind, []).append(str(repair))
        if not by_kind:
            return []
        amounts: dict[str, int] = {}
        counted, listed = [], []
        for kind, repairs in by_kind.items():
            amounts[kind] = len(repairs)
            counted.append(pluralize(len(repairs), kind))
            shown = repairs[:LISTED]
            if len(repairs) > LISTED:
                shown.append("…")
            listed.append(f"{kind}: {', '.join(shown)}")
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
        raw: What was read.
        warnings: What its user should know or correct, each a sentence.
        notes: How it was read, each a sentence.
        is_null: Whether there is null in place of a text.
        copies: The copies of the text, if there are several; it is one of them.
        windows: The windows of which it was joined, if there are several.
    """

    sentences: Words | None = None
    name: str | None = None
    line: int = 1
    mentions: list[tuple[Any, str]] = field(default_factory=list)
    repairs: Repairs = field(default_factory=Repairs)
    moved: bool = True
    cut: bool = False
    raw: str = ""
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_null: bool = False
    copies: list[Marked] = field(default_factory=list)
    windows: list[Marked] = field(default_factory=list)

    def words(self) -> list[str]:
        """Return its words; where only mentions are known, those of the mentions that are text."""
        if self.sentences is not None:
            return list(chain.from_iterable(self.sentences))
        words: list[str] = []
        for mention, _ in self.mentions:
            if isinstance(mention, str):
                words += mention.split()
        return words

    def part(self, start: int, stop: int) -> Marked:
        """Return the text from one word to before another, with the mentions there."""
        mentions = []
        for (first, last), label in self.mentions:
            if start <= first and last < stop:
                mentions.append(((first - start, last - start), label))
        repairs = Repairs()
        for repair in self.repairs:
            if repair.word is None or start <= repair.word < stop:
                repairs.append(repair)
        sentences = [self.words()[start:stop]]
        return replace(self, sentences=sentences, mentions=mentions, repairs=repairs.moved(-start))


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


class MarkedSource(Source):
    """A file of texts with marked mentions.

    Args:
        file: The open file.
        read: Reads the file; LineError says what is wrong with a line, any other ValueError what is
            wrong with the file.
        loose: As of `Source`.
        only: What the only document is called if it has no name; empty for the file's name.

    Attributes:
        numbered: Whether no text has a name, so that numbers take their place.

    Raises:
        ConllError: The file cannot be read.
    """

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
        source._name([*self._texts.values()])  # noqa: SLF001  as above
        return source

    def divided(self, documents: int) -> MarkedSource:
        """Return the same file, read as so many documents if it does not name them."""
        source = copy(self)
        source._set_texts(documents)  # noqa: SLF001  it is a new one
        return source

    def _set_texts(self, documents: int | None) -> None:
        try:
            texts = [*self._read_texts(self._file_text, documents)]
        except LineError as error:
            raise ConllError(self.path, error.line, str(error)) from None
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            problem = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            problem = f"the file is not of this format: {problem}"
            raise ConllError(self.path, 0, problem) from None
        self._name(texts)

    def _name(self, texts: list[Marked]) -> None:
        """Index the texts by their names, or what they are called without one."""
        self.numbered = len(texts) > 1 and all(marked.name is None for marked in texts)
        base = self._base or self._only or os.path.splitext(os.path.basename(self.path))[0]
        before_number = f"{self._base}/" if self._base else ""
        self._texts: dict[str, Marked] = {}
        self.unnamed: set[str] = set()
        for number, marked in enumerate(texts, 1):
            name = marked.name or (base if len(texts) == 1 else f"{before_number}{number}")
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
        for mention, label in marked.mentions:
            clusters.setdefault(label, []).append(mention)
        tokens = None if marked.sentences is None else sum(map(len, marked.sentences))
        return Document(
            name,
            list(clusters.values()),
            tokens,
            labels=list(clusters),
            lines=[[marked.line] * len(cluster) for cluster in clusters.values()],
            path=self.path,
            line=marked.line,
            content=self._content(marked),
        )

    def _content(self, marked: Marked) -> Content:
        return MarkedContent(marked)

    def _place(self, name: str) -> tuple[str, int]:
        return self.path, self._texts[name].line if name in self._texts else 0

    def problems(self) -> list[Problem]:
        problems: list[Problem] = []
        if self._is_recognised and any(marked.sentences for marked in self._texts.values()):
            text = "nothing is marked here; the file is recognised by the words of the key"
            problems.append(Problem(self.path, 1, None, text, kind="note"))
        for name, marked in self._texts.items():
            problems += [Problem(self.path, 0, None, warning) for warning in marked.warnings]
            problems += [Problem(self.path, 0, None, note, kind="note") for note in marked.notes]
            if marked.windows:
                text = f"{len(marked.windows)} windows; ids are local to each"
                problems.append(Problem(self.path, marked.line, name, text, kind="note"))
            problems += marked.repairs.problem(self.path, marked.line, name)
        return problems


class MarkedContent(Content):
    """The rest of a document that was read from a text.

    Attributes:
        marked: The text.
    """

    def __init__(self, marked: Marked) -> None:
        self.marked = marked

    def words(self) -> Words | None:
        return self.marked.sentences


def whole(read: Callable[[str], Iterable[Marked]]) -> Read:
    """Return what reads a whole file by a function of its text."""
    return lambda text, _: read(text)


def file_name(name: str) -> str:
    """Return the name of the file of a document, without an ending; it is never hidden.

    >>> file_name("(bc/cctv/00/cctv_0000); part 000"), file_name(".a")
    ('bc_cctv_00_cctv_0000_part_000', 'a')
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("_.") or "document"


def file_names(documents: Sequence[Document], format_name: str) -> list[str]:
    """Return the names of the files of documents, without endings.

    Raises:
        ConllError: Two of them would share a file; upper and lower case share one on some systems.
    """
    names: list[str] = []
    owners: dict[str, str] = {}
    for document in documents:
        name = file_name(document.name)
        owner = owners.setdefault(name.casefold(), document.name)
        if owner != document.name:
            problem = f"its files {name} would be those of document {owner!r}, too"
            advice = "give one of them another name"
            raise refusal(document, format_name, f"{problem}; {advice}")
        names.append(name)
    return names


def text_form(form: str) -> str:
    """Return a word as a text holds it: `_` represents white space, and nothing.

    >>> text_form("New York"), text_form("")
    ('New_York', '_')
    """
    return re.sub(r"\s", "_", form) or "_"


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
        places: The place of each token in the text.
        moved: How many empty nodes follow another word than in CoNLL-U.
    """

    def __init__(self, document: Document, *, zeros: bool = True, moved: bool = True) -> None:
        words = list(chain.from_iterable(document.words or ()))
        self.forms: list[str] = words
        self.tokens: list[Any] = [*range(len(words))]
        self.moved = 0
        syntax: Any = document.syntax
        self._syntax = syntax
        self._nodes: Any = None
        if zeros and syntax and syntax.zeros:
            self._nodes = getattr(syntax, "nodes", None)
        if self._nodes is not None:
            self._insert_zeros(words, moved=moved)
        self.places = {token: number for number, token in enumerate(self.tokens)}

    def _insert_zeros(self, words: list[str], *, moved: bool) -> None:
        """Sort empty nodes among the words."""
        syntax = self._syntax
        order = {token: syntax.place(token) for token in self._nodes.tokens}
        if moved:
            for zero in syntax.zeros:
                parent = next((parent for parent, _ in syntax.relations(zero)), None)
                if type(parent) is int:
                    self.moved += order[zero][0] != parent
                    order[zero] = parent, 0, 1
        self.tokens = sorted(order, key=order.__getitem__)
        node_forms = self._nodes.forms()
        self.forms = []
        for token in self.tokens:
            if isinstance(token, int):
                self.forms.append(words[token])
            else:
                self.forms.append(f"{ZERO}{node_forms[token].removeprefix('_')}")
        self._numbers = {token: node for node, token in enumerate(self._nodes.tokens)}

    def mention(self, first: int, last: int) -> Any:
        """Return the mention from one place of the text to another, both inclusive."""
        if self._nodes is None:
            return first, last
        nodes = sorted(self._numbers[token] for token in self.tokens[first : last + 1])
        return self._nodes.mention([(node, node) for node in nodes])

    def span(self, mention: Any) -> Span | None:
        """Return the first and last place of a mention; None where it is not in one piece."""
        if self._nodes is None:
            span: Span | None = mention if is_span(mention) else None
            return span
        known = self._syntax.zeros
        if not all(is_span(piece) or piece in known for piece in pieces(mention)):
            return None
        places = sorted(self.places[token] for token in self._syntax.tokens(mention))
        if places[-1] - places[0] == len(places) - 1:
            return places[0], places[-1]
        return None


def is_id(label: str) -> bool:
    """Return whether an entity can have this id in any text; `MASK` is an id to be filled in."""
    return re.fullmatch(r"\w+", label) is not None and label != MASK


class TextFormat(Format):
    """A format of texts.

    Args:
        name: As of `Format`.
        title: As of `Format`.
        sniff: As of `Format`.
        read: As of `MarkedSource`.
        show: Writes the forms and the mentions of a document as a line.
        escape: Makes a form that is no mark of one that looks like one.
        nested: Whether the end of a mention does not tell which it is, so that none may cross; None
            where mentions may cross in any way.
        named: Whether documents have names.
        moved: As of `TextOrder`.
        label: Whether an entity can have a given id.
        write: As of `Format`, for a format that does not write a line for each document.
    """

    def __init__(  # noqa: PLR0913  a record
        self,
        name: str,
        title: str,
        *,
        sniff: Callable[[bytes], bool],
        read: Read,
        show: Callable[[list[str], Marks], str] | None = None,
        escape: Callable[[str], str] = str,
        nested: bool | None,
        named: bool = False,
        moved: bool = True,
        label: Callable[[str], bool] = is_id,
        write: Callable[[Iterable[Document], BinaryIO], None] | None = None,
    ) -> None:
        super().__init__(
            name,
            title,
            sniff=sniff,
            open=partial(MarkedSource, read=read),
            write=write or self.write_lines,
            holds=Holds(
                names=False,
                syntax=False,
                label=label,
                field=lambda _document, _field: False,
                changed=self._changed,
                unfit=self.unfit,
            ),
        )
        self._show, self._escape = show, escape
        self._nested, self._named, self._moved = nested, named, moved

    def unfit(self, document: Document) -> dict[tuple[int, int], str]:
        """Find the mentions that the text cannot mark.

        Returns:
            The fault of each, by the number of its cluster and its number there.
        """
        order = TextOrder(document, moved=self._moved)
        faults: dict[tuple[int, int], str] = {}
        # The first word, the last one (negative, so that longer mentions come first), and the key
        # of the mention in `faults`.
        spans: list[tuple[int, int, tuple[int, int]]] = []
        for cluster_number, cluster in enumerate(document.clusters):
            for mention_number, mention in enumerate(cluster):
                numbers = cluster_number, mention_number
                span = order.span(mention)
                if span is None:
                    faults[numbers] = "mention| in pieces"
                else:
                    spans.append((span[0], -span[1], numbers))
        if self._nested is None:
            return faults
        # The last word and the cluster of each mention that is open.
        opened: list[tuple[int, int]] = []
        for first, negative_last, numbers in sorted(spans):
            opened = [mention for mention in opened if mention[0] >= first]
            if self._crosses(first, -negative_last, numbers[0], opened):
                faults[numbers] = "mention| crossing another one"
            else:
                opened.append((-negative_last, numbers[0]))
        return faults

    def _crosses(
        self, first: int, last: int, cluster: int, opened: Iterable[tuple[int, int]]
    ) -> bool:
        """Return whether a mention ends after one that is open where it begins.

        Where the end of a mention tells its entity, only mentions of one entity are compared.
        """
        for open_last, open_cluster in opened:
            is_compared = self._nested or (open_cluster == cluster and first < open_last)
            if is_compared and open_last < last:
                return True
        return False

    def _changed(self, document: Document) -> Counter[str]:
        """Count what a text does not keep: the name, and forms that are read otherwise."""
        changed_forms = 0
        for form in document.text() or ():
            changed_forms += re.search(r"[\s|_]", form) is not None
        return Counter(
            {
                "document name": not self._named,
                "form| with a space, | or _": changed_forms,
                "empty node| in another place of the text": TextOrder(
                    document, moved=self._moved
                ).moved,
            }
        )

    def spans(self, document: Document) -> tuple[list[str], list[list[Span]]]:
        """Return the forms of a document in the order of a text, and its clusters of spans there.

        Raises:
            ConllError: The document has no words or a mention that the text cannot mark.
        """
        if document.syntax is None:
            spans_of(document, self.name)
        if document.words is None:
            raise refusal(document, self.name, "there are no words")
        for (number, mention_number), kind in self.unfit(document).items():
            mention = str(document.clusters[number][mention_number]).replace(" ", "")
            shown = f"mention {mention} of cluster {document.ids()[number]}"
            raise refusal(document, self.name, f"{shown} is{kind.partition('|')[2]}")
        order = TextOrder(document, moved=self._moved)
        forms = list(map(text_form, order.forms))
        clusters: list[list[Span]] = []
        for cluster in document.clusters:
            clusters.append([])
            for mention in cluster:
                span = order.span(mention)
                assert span is not None  # others are unfit
                clusters[-1].append(span)
        return forms, clusters

    def write_lines(self, documents: Iterable[Document], file: BinaryIO) -> None:
        """Write each document as a line.

        Raises:
            ConllError: The text cannot hold a document, or would be read otherwise.
        """
        for document in documents:
            forms, clusters = self.spans(document)
            assert self.holds.label is not None
            ids = ids_for(document, self.holds.label)
            mentions: Marks = []
            for label, spans in zip(ids, clusters):
                for first, last in spans:
                    mentions.append((first, last, label))
            file.write(self._line(document, forms, mentions))

    def _line(self, document: Document, forms: list[str], mentions: Marks) -> bytes:
        """Return a document as a line, with words that look like marks escaped if there are any.

        Raises:
            ConllError: The line would be read otherwise even so.
        """
        assert self._show is not None
        try:
            line = f"{self._show(forms, mentions)}\n".encode()
            if self._misread(document, line, forms, mentions) is None:
                return line
            line = f"{self._show(list(map(self._escape, forms)), mentions)}\n".encode()
        except UnicodeEncodeError:
            problem = "a word holds characters that UTF-8 does not have"
            raise refusal(document, self.name, problem) from None
        misread = self._misread(document, line, forms, mentions)
        if misread is not None:
            raise refusal(document, self.name, f"{misread}; write crac_json or jsonl")
        return line

    def _misread(
        self, document: Document, line: bytes, forms: list[str], mentions: Marks
    ) -> str | None:
        """Read the line of a document as others will, and return what is wrong with it, if any."""
        try:
            documents = list(self.open(InputFile(BytesIO(line), document.path)))
            words: list[str] = []
            for read_document in documents:
                words += read_document.text() or ()
        except ConllError as error:
            return f"the text would not be read ({error.problem})"
        has_zeros = document.syntax is not None and document.syntax.zeros
        for number, (form, word) in enumerate(zip_longest(forms, words, fillvalue=""), 1):
            # An empty node has a form of its own in each kind of text.
            is_zero = has_zeros and form.startswith(ZERO)
            if form == word or is_zero:
                continue
            if not form:
                return "words at the last word would be read as marks"
            return f"words at {shorten(form)} (word {number}) would be read as marks"
        read_mentions: Marks = []
        for read_document in documents:
            for label, cluster in zip(read_document.labels, read_document.clusters):
                for first, last in cluster:
                    read_mentions.append((first, last, label))
        if sorted(read_mentions) != sorted(mentions):
            return "words would be read as marks"
        return None
