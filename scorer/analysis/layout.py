"""The tokens of a text in the order in which they are shown, on terminals and pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

from conll.check import first_difference
from conll.document import Clusters, Document, Words
from conll.source import Source
from conll.syntax import is_span, pieces, place
from scorer.analysis.text import as_written
from scorer.report.figures import printable

if TYPE_CHECKING:
    from conll.syntax import Token

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
    if response is None:
        yield Shown(own, None, words, note="", key_clusters=[])
        return
    other = response.read(name)
    if other is None:
        note = "the response is missing this document"
        yield Shown(own, None, words, note, key_clusters=[])
        return
    other_words = other.words
    if own is None:
        note = "the key is missing this document"
        yield Shown(None, other, other_words, note, key_clusters=[])
        return
    difference = first_difference(own, other)
    have_same_sentences = words is None or other_words is None or words == other_words
    has_zeros = other.syntax is not None and bool(other.syntax.zeros)
    if difference is None and (have_same_sentences or not has_zeros):
        note = "; ".join(problem.text for problem in other.repairs)
        yield Shown(own, other, other_words if words is None else words, note, own.clusters)
        return
    reason = "their sentences differ"
    if difference is not None:
        reason = difference.text
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
        self._zeros: set[str] = set()
        for document in documents:
            if document.syntax:
                self._zeros.update(document.syntax.zeros)
        known = len(self._words)
        needed = self._words_needed(documents)
        for document in documents:
            if words is None and document.tokens is not None:
                needed = max(needed, document.tokens)
        if needed - known > UNKNOWN:
            problem = f"the mentions need {needed} words, and {known} are known"
            advice = "see whether their numbers are right"
            raise documents[0].error(f"cannot be shown: {problem}; {advice}")
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
        for piece in parts:
            is_token = piece in self._zeros if isinstance(piece, str) else is_span(piece)
            if not is_token:
                return ()
        return parts

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
        unknown: list[int] = []
        for at in sentence:
            if not self.is_known(at) and at not in marked:
                unknown.append(at)
                continue
            yield from _in_short(unknown)
            unknown = []
            yield at
        yield from _in_short(unknown)


def _in_short(positions: list[int]) -> Sequence[int | None]:
    """Return positions, or None for two or more."""
    return positions if len(positions) < 2 else [None]


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
    owner: dict[Any, int] = {}
    for k, cluster in enumerate(key):
        for mention in cluster:
            owner.setdefault(mention, k)
    common: Counter[tuple[int, int]] = Counter()
    for r, cluster in enumerate(response):
        for mention in set(cluster):
            if mention in owner:
                common[owner[mention], r] += 1
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for k, r in sorted(common, key=lambda pair: (-common[pair], pair)):
        if r not in paired and k not in taken:
            paired[r] = k
            taken.add(k)
    return [paired.get(r, len(key) + r) for r in range(len(response))]
