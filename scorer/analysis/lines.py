"""Documents as lines of text, with brackets around mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import bidirectional

from wcwidth import wcswidth

from conll.check import first_difference
from conll.document import Clusters, Document, Words
from conll.source import Source
from conll.syntax import is_span, pieces, place
from scorer.analysis.text import as_written
from scorer.report.figures import printable

if TYPE_CHECKING:
    from conll.syntax import Token

ZERO = "∅"
"""What stands for an empty node."""
GAP = "…"
"""What stands for words that no file gives, where no mention begins or ends."""
JOINERS = "\u200c\u200d"
"""Unprintable characters that belong to words, as in Persian and Hindi, and do nothing else."""
ISOLATE, END = "\u2067", "\u2069"
"""What a terminal takes as the beginning and the end of text from right to left."""
UNKNOWN = 1_000_000
"""The most words that are counted though no file gives them: a single large number of a token would
ask for more."""

_BRACKETS = str.maketrans({"[": "\\[", "]": "\\]"})

COLOURS = ("31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "95", "96")
"""The colours of clusters, one after the other and again from the first."""


class Shown(NamedTuple):
    """A document to show, as key and response have it; None of a side that does not show it.

    `of_key`: the clusters of the key, also where it does not show them.
    """

    key: Document | None
    response: Document | None
    words: Words | None
    note: str
    of_key: Clusters


def documents_of(key: Source, response: Source | None, name: str) -> Iterator[Shown]:
    """Yield a document as both files have it or, where their texts differ, as each has it."""
    ours = key.document(name)
    if response is None:
        yield Shown(ours, None, key.words(name), "", [])
        return
    theirs = response.document(name)
    if ours is None or theirs is None:
        lacking, source = ("response", key) if theirs is None else ("key", response)
        yield Shown(ours, theirs, source.words(name), f"the {lacking} is missing this document", [])
        return
    words, other_words = key.words(name), response.words(name)
    difference = first_difference(key, response, name)
    are_split_alike = words is None or other_words is None or words == other_words
    if difference is None and (are_split_alike or not (theirs.syntax and theirs.syntax.zeros)):
        note = "; ".join(problem.text for problem in response.repairs(name))
        yield Shown(ours, theirs, other_words if words is None else words, note, ours.clusters)
        return
    note = f"the texts differ: {difference.text if difference else 'their sentences are others'}"
    yield Shown(ours, None, words, note, ours.clusters)
    yield Shown(None, theirs, other_words, note, ours.clusters)


class Layout:
    """The tokens of a text in the order in which they are shown, for terminals and pages.

    Words are those of the file, further unknown ones as far as mentions need them, and the empty
    nodes of all documents. All else counts by the places of tokens in this order.

    Args:
        words: the words by sentence, None where no file gives them.
        documents: the documents whose mentions are shown.

    Attributes:
        tokens: words as numbers from 0, empty nodes as in `conll.syntax`.
        sentences: the places of the tokens of each sentence.

    Raises:
        ConllError: mentions need more than `UNKNOWN` words that no file gives.
    """

    def __init__(self, words: Words | None, *documents: Document) -> None:
        self._words = list(chain.from_iterable(words or ()))
        self._zeros = {zero for one in documents if one.syntax for zero in one.syntax.zeros}
        number = known = len(self._words)
        for document in documents:
            spans = filter(
                is_span, chain.from_iterable(map(self._pieces, chain(*document.clusters)))
            )
            number = max(number, 1 + max((last for _, last in spans), default=-1))
            number = max(number, (document.tokens or 0) if words is None else 0)
        if number - known > UNKNOWN:
            problem = f"the mentions need {number} words, and {known} are known"
            advice = "see whether their numbers are right"
            raise documents[0].error(f"cannot be shown: {problem}; {advice}")
        lengths = list(map(len, words or ()))
        # Words may leave out sentences at the end that hold nothing but empty nodes.
        of_zeros = max((int(zero.partition(":")[0]) + 1 for zero in self._zeros), default=0)
        lengths += [0] * (of_zeros - len(lengths)) + [number - known] * (number > known)
        starts = list(accumulate(lengths, initial=0))
        tokens: list[list[Token]] = [list(range(*ends)) for ends in pairwise(starts)]
        for zero in self._zeros:
            tokens[int(zero.partition(":")[0])].append(zero)
        for sentence in tokens:
            sentence.sort(key=lambda token: place(token, starts))
        self.tokens = list(chain.from_iterable(tokens))
        ends = accumulate(map(len, tokens), initial=0)
        self.sentences = [range(*of_sentence) for of_sentence in pairwise(ends)]
        self._places = {token: at for at, token in enumerate(self.tokens)}

    def _pieces(self, mention: Any) -> Sequence[Any]:
        """Return the pieces of a mention, none of one that is a name."""
        mention = as_written(mention)
        if type(mention) is not tuple:
            return ()
        parts = pieces(mention)
        has_place = all(
            piece in self._zeros if isinstance(piece, str) else is_span(piece) for piece in parts
        )
        return parts if has_place else ()

    def stretches(self, mention: Any) -> list[tuple[int, int]]:
        """Return the first and the last place of each stretch of a mention without a gap.

        They are in the order of the text, though JSON may have pieces in any. There are none for a
        mention that is a name.
        """
        ends = (
            (piece, piece) if isinstance(piece, str) else piece for piece in self._pieces(mention)
        )
        stretches: list[tuple[int, int]] = []
        for first, last in sorted(
            (self._places[first], self._places[last]) for first, last in ends
        ):
            if stretches and first <= stretches[-1][1] + 1:
                before, end = stretches.pop()
                stretches.append((before, max(end, last)))
            else:
                stretches.append((first, last))
        return stretches

    def is_known(self, at: int) -> bool:
        """Say whether a place holds a word that a file gives, or an empty node."""
        token = self.tokens[at]
        return isinstance(token, str) or token < len(self._words)

    def word(self, at: int | None) -> str:
        """Return what is shown at a place; None stands for a gap."""
        if at is None:
            return GAP
        token = self.tokens[at]
        if isinstance(token, str):
            return ZERO
        return shown_word(self._words[token]) if token < len(self._words) else f"#{token}"

    def elided(self, sentence: range, marked: Collection[int]) -> Iterator[int | None]:
        """Yield the places of a sentence; None for two or more unknown words that are not marked."""
        run: list[int] = []
        for at in sentence:
            if not self.is_known(at) and at not in marked:
                run.append(at)
                continue
            yield from run if len(run) < 2 else [None]
            run = []
            yield at
        yield from run if len(run) < 2 else [None]


@dataclass(frozen=True)
class Style:
    """How lines look: their `width` in columns, None where they are not broken, and `colour`.

    Where there is a width there is a terminal: sentences from right to left are put between
    characters that tell it so.
    """

    width: int | None = None
    colour: bool = False

    def painted(self, text: str, code: str) -> str:
        """Return the text in a colour or a weight."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


@dataclass(eq=False)
class Mark:
    """A mention, or a part of one with gaps, from one place to another, both inclusive.

    `name`: the id of its cluster, with the number of the part. `crosses`: whether it and another
    one overlap and neither holds the other, so that its end has to say whose it is.
    """

    name: str
    colour: str
    first: int
    last: int
    crosses: bool = False


class MarkedSide:
    """The marks of a document.

    Args:
        document: the document.
        layout: its text.
        tag: what its lines begin with.
        chosen: the numbers of the clusters that are marked; all if None.
        colours: a number for the colour of each cluster, if another than its own.

    Attributes:
        opens: by place the marks that begin there, in the order of their brackets.
        closes: by place the marks that end there, in the order of their brackets.
        loose: by the ids of clusters their mentions without a place in the text.
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
        self.zeros = document.syntax.zeros if document.syntax else ()
        self.loose: dict[str, list[str]] = {}
        marks: list[Mark] = []
        for number, (label, cluster) in enumerate(zip(document.ids(), document.clusters)):
            if chosen is not None and number not in chosen:
                continue
            colour = COLOURS[(colours[number] if colours else number) % len(COLOURS)]
            for mention in cluster:
                stretches = layout.stretches(mention)
                if not stretches:
                    self.loose.setdefault(label, []).append(str(mention))
                for part, ends in enumerate(stretches, 1):
                    of_parts = f":{part}/{len(stretches)}" if len(stretches) > 1 else ""
                    marks.append(Mark(f"{shown_word(label)}{of_parts}", colour, *ends))
        # Of those that begin together the longest is outside; of the same length, that of the
        # earlier cluster.
        marks.sort(key=lambda mark: (mark.first, -mark.last))
        self.opens: dict[int, list[Mark]] = {}
        self.closes: dict[int, list[Mark]] = {}
        for mark in marks:
            self.opens.setdefault(mark.first, []).append(mark)
        for mark in reversed(marks):
            self.closes.setdefault(mark.last, []).append(mark)
        opened: list[Mark] = []
        for at in sorted({*self.opens, *self.closes}):
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
        shown: the document.
        style: how lines look.
        chosen: the numbers of the key's clusters to mark, beside those of the response that share a
            mention with them; all if None.
        tagged: whether lines say of which side they are.
    """
    layout = Layout(shown.words, *(side for side in shown[:2] if side is not None))
    sides: list[MarkedSide] = []
    if shown.key is not None:
        sides.append(MarkedSide(shown.key, layout, "key" if tagged else "", chosen))
    if shown.response is not None:
        clusters = shown.response.clusters
        numbers = None
        if chosen is not None:
            mentions = {mention for number in chosen for mention in shown.of_key[number]}
            numbers = [
                at for at, cluster in enumerate(clusters) if not mentions.isdisjoint(cluster)
            ]
        colours = counterparts(shown.of_key, clusters)
        sides.append(MarkedSide(shown.response, layout, "response", numbers, colours))
    yield from lines(sides, layout, style, marked_alone=chosen is not None)


def counterparts(key: Clusters, response: Clusters) -> list[int]:
    """Return the number of the key cluster paired with each response cluster, to draw both alike.

    Clusters are paired one to one, those with the most mentions in common first; a mention that the
    key repeats counts in its first cluster. Others get numbers that no key cluster has.
    """
    owner: dict[Any, int] = {}
    for number, cluster in enumerate(key):
        for mention in cluster:
            owner.setdefault(mention, number)
    common = Counter(
        (owner[mention], number)
        for number, cluster in enumerate(response)
        for mention in set(cluster)
        if mention in owner
    )
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for of, number in sorted(common, key=lambda pair: (-common[pair], pair)):
        if number not in paired and of not in taken:
            paired[number] = of
            taken.add(of)
    return [paired.get(number, len(key) + number) for number in range(len(response))]


class _Column(NamedTuple):
    """A token as each side shows it: its opening brackets, and the token with the closing ones.

    `left` and `right`: how many columns of a terminal the widest of each take.
    """

    cells: list[tuple[str, str]]
    widths: list[tuple[int, int]]
    left: int
    right: int

    def padded(self, side: int) -> str:
        """Return the text of a side, as wide as that of the others."""
        (opens, rest), (left, right) = self.cells[side], self.widths[side]
        return f"{' ' * (self.left - left)}{opens}{rest}{' ' * (self.right - right)}"


def lines(
    sides: Sequence[MarkedSide], layout: Layout, style: Style, *, marked_alone: bool = False
) -> Iterator[str]:
    """Yield the sentences with the marks of each side, one side below the other, word below word.

    Sentences are numbered from 1; `marked_alone` leaves out those in which no mention begins or
    ends. Names without a place in the text follow.
    """
    digits = len(str(len(layout.sentences)))
    tag_width = max(len(side.tag) for side in sides)
    tags = [f"{side.tag:{tag_width}}  " if tag_width else "" for side in sides]
    room = None if style.width is None else max(style.width - digits - 2 - len(tags[0]), 20)
    marked = set(chain.from_iterable(chain(side.opens, side.closes) for side in sides))
    for number, sentence in enumerate(layout.sentences, 1):
        if not sentence or (marked_alone and marked.isdisjoint(sentence)):
            continue
        columns = [_column(sides, layout, at, style) for at in layout.elided(sentence, marked)]
        stretches: list[list[_Column]] = [[]]
        used = 0
        for column in columns:
            size = column.left + column.right + 1
            if room is not None and stretches[-1] and used + size > room + 1:
                stretches.append([])
                used = 0
            stretches[-1].append(column)
            used += size
        reverse = style.width is not None and _runs_from_the_right(layout, sentence)
        heading = str(number)
        for stretch in stretches:
            for side, tag in enumerate(tags):
                line = " ".join(column.padded(side) for column in stretch)
                line = f"{ISOLATE}{line}{END}" if reverse else line.rstrip()
                yield f"{style.painted(f'{heading:>{digits}}  {tag}', '2')}{line}".rstrip()
                heading = ""
    for marked_side, tag in zip(sides, tags):
        for label, names in marked_side.loose.items():
            listed = ", ".join(map(shown_word, names))
            yield f"{style.painted(tag, '2')}[{shown_word(label)}] {listed}"


def _column(sides: Sequence[MarkedSide], layout: Layout, at: int | None, style: Style) -> _Column:
    cells, widths = [], []
    for side in sides:
        word = layout.word(at)
        opens: list[tuple[Mark, str]] = []
        closes: list[tuple[Mark, str]] = []
        if at is not None:
            token = layout.tokens[at]
            if isinstance(token, str):
                word = word if token in side.zeros else ""
            elif layout.is_known(at):
                word = word.translate(_BRACKETS)
            opens = [(mark, f"[{mark.name} ") for mark in side.opens.get(at, ())]
            closes = [
                (mark, f"]{mark.name if mark.crosses else ''}") for mark in side.closes.get(at, ())
            ]
        left, right = (
            "".join(style.painted(text, mark.colour) for mark, text in brackets)
            for brackets in (opens, closes)
        )
        cells.append((left, word + right))
        widths.append(
            (
                sum(wcswidth(text) for _, text in opens),
                wcswidth(word) + sum(wcswidth(text) for _, text in closes),
            )
        )
    return _Column(cells, widths, *map(max, zip(*widths)))


def shown_word(text: str) -> str:
    r"""Return a word with what a terminal may take for a command escaped.

    >>> shown_word("a\x1b[2Jb\u202e"), shown_word("می\u200cروم") == "می\u200cروم"
    ('a\\x1b[2Jb\\u202e', True)
    """
    if text.isprintable():
        return text
    return "".join(letter if letter in JOINERS else printable(letter) for letter in text)


def _runs_from_the_right(layout: Layout, sentence: range) -> bool:
    """Say whether the first letter with a direction is of a script that runs from right to left."""
    directions = (bidirectional(letter) for at in sentence for letter in layout.word(at))
    first = next((direction for direction in directions if direction in {"L", "R", "AL"}), "L")
    return first != "L"
