"""Documents as text with marked mentions: what to draw where, in a terminal or on a page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

from conll.syntax import is_span, pieces, place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from conll.document import Clusters, Document, Words
    from conll.syntax import Token

    BracketedText = list[list[str | None]]
    """Sentences of words; None for a word that no file gives."""


UNKNOWN = 1_000_000
"""The most words that are counted though no file gives them: a single large number of a token would
ask for more."""


@dataclass(eq=False)
class Mark:
    """A mention, or a part of one with gaps, from one token to another, both inclusive.

    `cluster`: the number of its cluster in the document; `label`: its id as written. `part`: which
    of how many, such as `1/2`; empty for a mention without gaps. `crosses`: whether it and another
    one overlap and neither holds the other, so that its end has to say whose it is.
    """

    cluster: int
    label: str
    first: Token
    last: Token
    part: str = ""
    crosses: bool = False


class Marked:
    """The marks of a document in its text; words are counted from 0, empty nodes as in `Syntax`.

    `opens` and `closes`: by token the marks that begin before it and end after it, in the order in
    which their brackets stand. `tokens`: those of each sentence in their order, empty nodes among
    them. `loose`: mentions that are names without a place in the text, by the label of their
    cluster. `clusters` restricts all of these to clusters of these numbers.
    """

    def __init__(
        self, document: Document, text: BracketedText, clusters: Collection[int] | None = None
    ) -> None:
        self.document = document
        labels = document.ids()
        chosen = [number for number in range(len(labels)) if clusters is None or number in clusters]
        starts = [0, *accumulate(map(len, text))]
        self.tokens: list[list[Token]] = [list(range(*ends)) for ends in pairwise(starts)]
        for zero in document.syntax.zeros if document.syntax else ():
            self.tokens[int(zero.partition(":")[0])].append(zero)
        for sentence in self.tokens:
            sentence.sort(key=lambda token: place(token, starts))
        self._order = {
            token: at
            for at, token in enumerate(token for sentence in self.tokens for token in sentence)
        }
        self._tokens = list(self._order)
        self.loose: dict[str, list[str]] = {}
        marks: list[Mark] = []
        for number in chosen:
            for mention in document.clusters[number]:
                if _has_place(document, mention):
                    marks += self._marks_of(mention, number, labels[number])
                else:
                    self.loose.setdefault(labels[number], []).append(str(mention))
        # Of those that begin together the longest is outside; of the same length, that of the
        # earlier cluster.
        marks.sort(key=lambda mark: (self._order[mark.first], -self._order[mark.last]))
        self.opens: dict[Token, list[Mark]] = {}
        self.closes: dict[Token, list[Mark]] = {}
        for mark in marks:
            self.opens.setdefault(mark.first, []).append(mark)
        for mark in reversed(marks):
            self.closes.setdefault(mark.last, []).append(mark)
        brackets = [
            mark
            for token in self._tokens
            for marks in (self.opens.get(token, ()), self.closes.get(token, ()))
            for mark in marks
        ]
        # Of two that cross, one way through the brackets finds the one that ends first, and the
        # other way the other.
        for mark in chain(_ending_inside(brackets), _ending_inside(brackets[::-1])):
            mark.crosses = True

    def _marks_of(self, mention: Any, cluster: int, label: str) -> Iterator[Mark]:
        """The marks of a mention: one for each stretch of tokens without a gap."""
        stretches = stretches_of(mention, self._order)
        for at, (first, last) in enumerate(stretches, 1):
            part = f"{at}/{len(stretches)}" if len(stretches) > 1 else ""
            yield Mark(cluster, label, self._tokens[first], self._tokens[last], part)


def _ending_inside(brackets: Sequence[Mark]) -> Iterator[Mark]:
    """The marks that end while one is open that began after them.

    Of each mark both brackets are there, the first opens it.
    """
    opened: list[Mark] = []
    begun: set[int] = set()
    ended: set[int] = set()
    for mark in brackets:
        if id(mark) not in begun:
            begun.add(id(mark))
            opened.append(mark)
            continue
        ended.add(id(mark))
        if opened[-1] is not mark:
            yield mark
        while opened and id(opened[-1]) in ended:
            opened.pop()


def stretches_of(mention: Any, places: Mapping[Token, int]) -> list[tuple[int, int]]:
    """The first and the last place of each stretch of a mention without a gap, in their order.

    JSON may have pieces in any.
    """
    ends = [(piece, piece) if isinstance(piece, str) else piece for piece in pieces(mention)]
    stretches: list[tuple[int, int]] = []
    for first, last in sorted((places[first], places[last]) for first, last in ends):
        if stretches and first <= stretches[-1][1] + 1:
            before, end = stretches.pop()
            stretches.append((before, max(end, last)))
        else:
            stretches.append((first, last))
    return stretches


def text_of(words: Words | None, *documents: Document) -> BracketedText:
    """Return the text to mark: the words, and further unknown ones as far as mentions need them.

    Of sentences at the end that hold nothing but empty nodes the words may not tell; they are there
    too.

    ConllError when that takes more than `UNKNOWN` words that no file gives.
    """
    text: BracketedText = [list(sentence) for sentence in words or ()]
    number = known = sum(map(len, text))
    for document in documents:
        for zero in document.syntax.zeros if document.syntax else ():
            text += [[] for _ in range(len(text), 1 + int(zero.partition(":")[0]))]
        number = max(number, (document.tokens or 0) if words is None else 0)
        for mention in chain.from_iterable(document.clusters):
            if _has_place(document, mention):
                spans = (piece for piece in pieces(mention) if not isinstance(piece, str))
                number = max(number, 1 + max((last for _, last in spans), default=-1))
    if number - known > UNKNOWN:
        problem = f"the mentions need {number} words, and {known} are known"
        advice = "see whether their numbers are right"
        raise documents[0].error(f"cannot be shown: {problem}; {advice}")
    return [*text, [None] * (number - known)] if number > known else text


HOLDERS = 10
"""In how many clusters of a side a mention counts where clusters are paired."""


def counterparts(key: Clusters, response: Clusters) -> list[int]:
    """Return the number of the key cluster paired with each response cluster, to draw both alike.

    Clusters are paired one to one, those with the most mentions in common first. Others get numbers
    that no key cluster has. A mention that a side repeats again and again counts in the first
    clusters alone, as in all it would pair each with each.
    """
    of_key, of_response = _holders(key), _holders(response)
    common = Counter(
        (of, number)
        for mention, keys in of_key.items()
        for of in keys
        for number in of_response.get(mention, ())
    )
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for of, number in sorted(common, key=lambda pair: (-common[pair], pair)):
        if number not in paired and of not in taken:
            paired[number] = of
            taken.add(of)
    return [paired.get(number, len(key) + number) for number in range(len(response))]


def _holders(clusters: Clusters) -> dict[Any, list[int]]:
    """The first clusters that hold each mention, by their numbers."""
    holders: dict[Any, list[int]] = {}
    for number, cluster in enumerate(clusters):
        for mention in set(cluster):
            held = holders.setdefault(mention, [])
            if len(held) < HOLDERS:
                held.append(number)
    return holders


def touching(clusters: Clusters, chosen: Sequence[Sequence[Any]]) -> list[int]:
    """The numbers of those clusters that share a mention with the chosen ones."""
    mentions = {mention for cluster in chosen for mention in cluster}
    return [number for number, cluster in enumerate(clusters) if not mentions.isdisjoint(cluster)]


def _has_place(document: Document, mention: Any) -> bool:
    """Whether a mention is made of tokens, and no name."""
    if is_span(mention) or type(mention) is not tuple:
        return is_span(mention)
    return all(is_span(piece) or (type(piece) is str and document.syntax) for piece in mention)
