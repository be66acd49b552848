"""Documents as lines of text, with brackets around mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise
from typing import Any
from unicodedata import bidirectional

from wcwidth import wcswidth

from conll.check import first_difference
from conll.document import Clusters, Document, Words
from conll.source import Source
from conll.syntax import Token, is_span, pieces, place
from scorer.analysis.pair import as_written, first_owners
from scorer.report.columns import printable

ISOLATE, END = "\u2067", "\u2069"
"""The begin and the end of text from right to left, for terminals."""

_BRACKETS = str.maketrans({"[": "\\[", "]": "\\]"})

COLOURS = ("31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "95", "96")
"""The colours of clusters, in turn and again from the first."""

FAINT = "2"
"""The code for faint text on a terminal."""


@dataclass(frozen=True)
class Style:
    """The width and the colours of lines.

    Where there is a width there is a terminal: sentences from right to left are put between
    characters that tell it so.

    Attributes:
        width: In columns, None where lines are not broken.
        colour: Whether there are colours.
    """

    width: int | None = None
    colour: bool = False

    def painted(self, text: str, code: str) -> str:
        """Return the text in a colour or a weight."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


@dataclass(eq=False)
class Mark:
    """A mention, or a part of one with gaps.

    Attributes:
        name: The id of its cluster, with the number of the part.
        colour: Its colour.
        first: Its first position.
        last: Its last position.
        crosses: Whether it and another one overlap and neither holds the other, so that its end has
            to name its cluster.
    """

    name: str
    colour: str
    first: int
    last: int
    crosses: bool = False


class MarkedSide:
    """The marks of a document.

    Args:
        document: The document.
        layout: Its text.
        tag: The text with which its lines begin.
        chosen: The numbers of the clusters that are marked; all if None.
        colours: A number for the colour of each cluster, if another than its own.

    Attributes:
        opens: By position the marks that begin there, in the order of their brackets.
        closes: By position the marks that end there, in the order of their brackets.
        loose: By the ids of clusters their mentions without a position in the text.
    """

    def __init__(
        self,
        document: Document,
        layout: Layout,
        tag: str = "",
        chosen: Collection[int] | None = None,
        colours: Sequence[int] = (),
    ) -> None:
        self.tag = tag
        self.zeros: Collection[str] = document.syntax.zeros if document.syntax else ()
        self.loose: dict[str, list[str]] = {}
        marks: list[Mark] = []
        for number, (label, cluster) in enumerate(zip(document.ids(), document.clusters)):
            if chosen is not None and number not in chosen:
                continue
            colour = COLOURS[(colours[number] if colours else number) % len(COLOURS)]
            for mention in cluster:
                stretches = layout.stretches(mention)
                for part, (first, last) in enumerate(stretches, 1):
                    suffix = f":{part}/{len(stretches)}" if len(stretches) > 1 else ""
                    marks.append(Mark(f"{shown_word(label)}{suffix}", colour, first, last))
                if not stretches:
                    self.loose.setdefault(label, []).append(str(mention))
        # Of those that begin together the longest is outside; of the same length, that of the
        # earlier cluster.
        marks.sort(key=lambda mark: (mark.first, -mark.last))
        self.opens: dict[int, list[Mark]] = {}
        self.closes: dict[int, list[Mark]] = {}
        for mark in marks:
            self.opens.setdefault(mark.first, []).append(mark)
        for mark in reversed(marks):
            self.closes.setdefault(mark.last, []).append(mark)
        self._find_crossing()

    def _find_crossing(self) -> None:
        """Note on each mark whether it crosses another one."""
        opened: list[Mark] = []
        for at in sorted(self.opens.keys() | self.closes.keys()):
            opened += self.opens.get(at, ())
            for mark in self.closes.get(at, ()):
                # Those that began inside of it and are open still.
                later = len(opened) - 1
                while opened[later] is not mark:
                    opened[later].crosses = mark.crosses = True
                    later -= 1
                del opened[later]


def document_lines(
    shown: Shown, style: Style, chosen: Sequence[int] | None = None, *, tagged: bool = False
) -> Iterator[str]:
    """Yield the lines of a document, with the response below the key.

    Args:
        shown: The document.
        style: The style of lines.
        chosen: The numbers of the key's clusters to mark, besides those of the response that share
            a mention with them; all if None.
        tagged: Whether lines begin with their side.
    """
    documents = [side for side in (shown.key, shown.response) if side is not None]
    layout = Layout(shown.words, documents)
    sides: list[MarkedSide] = []
    if shown.key is not None:
        sides.append(MarkedSide(shown.key, layout, "key" if tagged else "", chosen))
    if shown.response is not None:
        clusters = shown.response.clusters
        numbers = None
        if chosen is not None:
            mentions = set(chain.from_iterable(shown.key_clusters[number] for number in chosen))
            numbers = [at for at, cluster in enumerate(clusters) if mentions & set(cluster)]
        colours = counterparts(shown.key_clusters, clusters)
        sides.append(MarkedSide(shown.response, layout, "response", numbers, colours))
    yield from lines(sides, layout, style, marked_only=chosen is not None)


@dataclass(slots=True)
class _Bracketed:
    """A token as one side shows it.

    Attributes:
        opens: Its opening brackets.
        rest: The token with its closing brackets.
        left: The width of the opening brackets on a terminal.
        right: The width of the rest.
    """

    opens: str
    rest: str
    left: int
    right: int


@dataclass(slots=True)
class _Column:
    """A token as each side shows it.

    Attributes:
        cells: It on each side.
        left: The width of the widest opening brackets.
        right: The width of the widest rest.
    """

    cells: list[_Bracketed]
    left: int
    right: int

    def padded(self, side: int) -> str:
        """Return the text of a side, as wide as that of the others."""
        cell = self.cells[side]
        indent = " " * (self.left - cell.left)
        return f"{indent}{cell.opens}{cell.rest}{' ' * (self.right - cell.right)}"


def lines(
    sides: Sequence[MarkedSide], layout: Layout, style: Style, *, marked_only: bool = False
) -> Iterator[str]:
    """Yield the sentences with the marks of each side, one side below the other.

    Words are below words, sentences numbered from 1. Names without a position in the text follow.

    Args:
        sides: The marks.
        layout: The text.
        style: The style of lines.
        marked_only: Whether sentences are left out in which no mention begins or ends.
    """
    digits = len(str(len(layout.sentences)))
    tag_width = max(len(side.tag) for side in sides)
    tags = [f"{side.tag:{tag_width}}  " if tag_width else "" for side in sides]
    room = max(style.width - digits - 2 - len(tags[0]), 20) if style.width is not None else None
    marked = {at for side in sides for at in chain(side.opens, side.closes)}
    for number, sentence in enumerate(layout.sentences, 1):
        if not sentence or (marked_only and marked.isdisjoint(sentence)):
            continue
        columns = [_column(sides, layout, at, style) for at in layout.elided(sentence, marked)]
        is_reversed = style.width is not None and _runs_from_the_right(layout, sentence)
        heading = str(number)
        for stretch in _broken(columns, room):
            for at, tag in enumerate(tags):
                line = " ".join(column.padded(at) for column in stretch)
                line = f"{ISOLATE}{line}{END}" if is_reversed else line.rstrip()
                yield f"{style.painted(f'{heading:>{digits}}  {tag}', FAINT)}{line}".rstrip()
                heading = ""
    for side, tag in zip(sides, tags):
        for label, names in side.loose.items():
            listed = ", ".join(map(shown_word, names))
            yield f"{style.painted(tag, FAINT)}[{shown_word(label)}] {listed}"


def _broken(columns: Sequence[_Column], room: int | None) -> list[list[_Column]]:
    """Break the columns of a sentence into lines that fit into the room, if it is limited."""
    stretches: list[list[_Column]] = [[]]
    used = 0
    for column in columns:
        size = column.left + column.right + 1
        if room is not None and stretches[-1] and used + size > room + 1:
            stretches.append([])
            used = 0
        stretches[-1].append(column)
        used += size
    return stretches


def _column(sides: Sequence[MarkedSide], layout: Layout, at: int | None, style: Style) -> _Column:
    """Return the column of a position."""
    cells = [_bracketed(side, layout, at, style) for side in sides]
    left = max(cell.left for cell in cells)
    return _Column(cells, left, max(cell.right for cell in cells))


def _bracketed(side: MarkedSide, layout: Layout, at: int | None, style: Style) -> _Bracketed:
    """Return the token at a position with the brackets of a side."""
    text = layout.word(at)
    if at is None:
        return _Bracketed("", text, 0, wcswidth(text))
    token = layout.tokens[at]
    if isinstance(token, str):
        # An empty node that the other side has.
        if token not in side.zeros:
            text = ""
    elif layout.is_known(at):
        text = text.translate(_BRACKETS)
    opens, rest = "", text
    left, right = 0, wcswidth(text)
    for mark in side.opens.get(at, ()):
        bracket = f"[{mark.name} "
        opens += style.painted(bracket, mark.colour)
        left += wcswidth(bracket)
    for mark in side.closes.get(at, ()):
        bracket = f"]{mark.name}" if mark.crosses else "]"
        rest += style.painted(bracket, mark.colour)
        right += wcswidth(bracket)
    return _Bracketed(opens, rest, left, right)


def _runs_from_the_right(layout: Layout, sentence: range) -> bool:
    """Return whether the first letter with a direction is of a script from right to left."""
    for letter in chain.from_iterable(map(layout.word, sentence)):
        direction = bidirectional(letter)
        if direction in {"L", "R", "AL"}:
            return direction != "L"
    return False


ZERO = "∅"
"""The sign of an empty node."""
GAP = "…"
"""The sign of words that no file gives, where no mention begins or ends."""
JOINERS = "\u200c\u200d"
"""Unprintable characters that belong to words, as in Persian and Hindi, and do nothing else."""
UNKNOWN = 1_000_000
"""The most words that are counted though no file gives them: a single large number of a token would
ask for more."""


@dataclass(frozen=True)
class Shown:
    """A document to show, as key and response have it.

    Attributes:
        key: The document of the key, None if it is not shown.
        response: The document of the response, None if it is not shown.
        words: Its words by sentence, None where no file gives them.
        note: What a reader has to know about it.
        key_clusters: The clusters of the key, also where it is not shown.
    """

    key: Document | None
    response: Document | None
    words: Words | None
    note: str
    key_clusters: Clusters


def documents_of(key: Source, response: Source | None, name: str) -> Iterator[Shown]:
    """Yield a document as both files have it or, where their texts differ, as each has it."""
    own = key.read(name)
    words = None if own is None else own.words
    other = None if response is None else response.read(name)
    if other is None:
        note = "" if response is None else "the response is missing this document"
        yield Shown(own, None, words, note, key_clusters=[])
        return
    other_words = other.words
    if own is None:
        yield Shown(None, other, other_words, "the key is missing this document", key_clusters=[])
        return
    difference = first_difference(own, other)
    have_same_sentences = words is None or other_words is None or words == other_words
    has_zeros = other.syntax is not None and bool(other.syntax.zeros)
    if difference is None and (have_same_sentences or not has_zeros):
        note = "; ".join(problem.text for problem in other.repairs)
        yield Shown(own, other, other_words if words is None else words, note, own.clusters)
        return
    reason = difference.text if difference is not None else "their sentences differ"
    note = f"the texts differ: {reason}"
    yield Shown(own, None, words, note, own.clusters)
    yield Shown(None, other, other_words, note, own.clusters)


class Layout:
    """The tokens of a text in the order in which they are shown.

    Words are those of the file, further unknown ones as far as mentions need them, and the empty
    nodes of all documents. All else refers to tokens by their positions in this order.

    Args:
        words: The words by sentence, None where no file gives them.
        documents: The documents whose mentions are shown.

    Attributes:
        tokens: Words as numbers from 0, empty nodes as in `conll.syntax`.
        sentences: The positions of the tokens of each sentence.

    Raises:
        ConllError: Mentions need more than `UNKNOWN` words that no file gives.
    """

    def __init__(self, words: Words | None, documents: Sequence[Document]) -> None:
        self._words = list(chain.from_iterable(words or ()))
        syntaxes = [document.syntax for document in documents if document.syntax]
        self._zeros = {zero for syntax in syntaxes for zero in syntax.zeros}
        known = len(self._words)
        needed = self._words_needed(documents)
        if words is None:
            needed = max([needed, *(document.tokens or 0 for document in documents)])
        if needed - known > UNKNOWN:
            raise documents[0].error(
                f"cannot be shown: the mentions need {needed} words, and {known} are known; see "
                "whether their numbers are right"
            )
        lengths = list(map(len, words or ()))
        sentence_of = {zero: int(zero.partition(":")[0]) for zero in self._zeros}
        # Words may leave out sentences at the end that hold nothing but empty nodes.
        while len(lengths) <= max(sentence_of.values(), default=-1):
            lengths.append(0)
        if needed > known:
            lengths.append(needed - known)
        starts = list(accumulate(lengths, initial=0))
        sentences: list[list[Token]] = [list(range(begin, end)) for begin, end in pairwise(starts)]
        for zero, number in sentence_of.items():
            sentences[number].append(zero)
        for sentence in sentences:
            sentence.sort(key=lambda token: place(token, starts))
        self.tokens = list(chain.from_iterable(sentences))
        ends = accumulate(map(len, sentences), initial=0)
        self.sentences = [range(begin, end) for begin, end in pairwise(ends)]
        self._positions = {token: at for at, token in enumerate(self.tokens)}

    def _words_needed(self, documents: Iterable[Document]) -> int:
        """Return how many words are known or in mentions."""
        needed = len(self._words)
        for document in documents:
            for mention in chain.from_iterable(document.clusters):
                for piece in self._pieces(mention):
                    if is_span(piece):
                        needed = max(needed, piece[1] + 1)
        return needed

    def _pieces(self, mention: Any) -> Sequence[Any]:
        """Return the pieces of a mention, none of one that is a name."""
        mention = as_written(mention)
        if type(mention) is not tuple:
            return ()
        parts = pieces(mention)
        are_tokens = all(
            piece in self._zeros if isinstance(piece, str) else is_span(piece) for piece in parts
        )
        return parts if are_tokens else ()

    def stretches(self, mention: Any) -> list[tuple[int, int]]:
        """Return the first and the last position of each stretch of a mention without a gap.

        They are in the order of the text, though JSON may have pieces in any. There are none for a
        mention that is a name.
        """
        ends = []
        for piece in self._pieces(mention):
            first, last = (piece, piece) if isinstance(piece, str) else piece
            ends.append((self._positions[first], self._positions[last]))
        stretches: list[tuple[int, int]] = []
        for first, last in sorted(ends):
            if stretches and first <= stretches[-1][1] + 1:
                begin, end = stretches.pop()
                stretches.append((begin, max(end, last)))
            else:
                stretches.append((first, last))
        return stretches

    def is_known(self, at: int) -> bool:
        """Return whether a position holds a word that a file gives, or an empty node."""
        token = self.tokens[at]
        return isinstance(token, str) or token < len(self._words)

    def word(self, at: int | None) -> str:
        """Return what is shown at a position; None is a gap."""
        if at is None:
            return GAP
        token = self.tokens[at]
        if isinstance(token, str):
            return ZERO
        return shown_word(self._words[token]) if token < len(self._words) else f"#{token}"

    def elided(self, sentence: range, marked: Collection[int]) -> Iterator[int | None]:
        """Yield the positions of a sentence; None for two or more unknown words without a mark."""
        for is_shown, group in groupby(sentence, lambda at: self.is_known(at) or at in marked):
            positions = list(group)
            yield from positions if is_shown or len(positions) == 1 else [None]


def shown_word(text: str) -> str:
    r"""Return a word with what a terminal may take for a command escaped.

    Examples:
        >>> shown_word("a\x1b[2Jb\u202e"), shown_word("می\u200cروم") == "می\u200cروم"
        ('a\\x1b[2Jb\\u202e', True)
    """
    if text.isprintable():
        return text
    return "".join(letter if letter in JOINERS else printable(letter) for letter in text)


def counterparts(key: Clusters, response: Clusters) -> list[int]:
    """Return the number of the key cluster paired with each response cluster, for their colours.

    Clusters are paired one to one, those with the most mentions in common first; a mention that the
    key repeats counts in its first cluster. Others get numbers that no key cluster has.
    """
    owner = first_owners(key)
    common: Counter[tuple[int, int]] = Counter()
    for r, cluster in enumerate(response):
        common.update((owner[mention], r) for mention in owner.keys() & cluster)
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for k, r in sorted(common, key=lambda pair: (-common[pair], pair)):
        if r not in paired and k not in taken:
            paired[r] = k
            taken.add(k)
    return [paired.get(r, len(key) + r) for r in range(len(response))]
