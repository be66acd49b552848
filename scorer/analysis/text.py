"""The head word of a mention, from a parse in brackets or from dependencies.

Either way each word gets the word that it hangs on, and the head of a mention is the word that
hangs on one outside of it; of several the one nearest to the root, the last of equals.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

from conll.document import Document, Layers
from conll.syntax import is_empty_node, is_span, pieces
from scorer.match.matching import Unmatched

ROOT = -1
"""What the head word of a sentence hangs on."""

Parents = list[int]
"""For each word of a document the word on which it hangs, `ROOT` for the head of a sentence."""


def of_dependencies(column: Sequence[str]) -> Parents:
    """The parents of words whose heads are numbers of words, as `conll.conllu` gives them.

    Other text is a root.
    """
    return [int(cell) if cell.isdecimal() and int(cell) < len(column) else ROOT for cell in column]


def of_parse(column: Sequence[str], tags: Sequence[str]) -> Parents:
    """The parents of words with a bracketed parse, a cell a word: `(TOP(S(NP*)`, where * stands for the word and its tag.

    The head of a noun phrase is its last noun, else its last pronoun, its first noun phrase, its
    last number or adjective, its last determiner; a possessive `'s` at the end is none. Another
    phrase has the head of its first part that is a verb, a verb phrase, or a preposition, and else
    of its last. Brackets without a partner are closed at the end.
    """
    parents = [ROOT] * len(column)
    # Of each constituent that is still open its label, and the label and head word of each part.
    stack: list[tuple[str, list[tuple[str, int]]]] = []
    for word, cell in enumerate(column):
        before, star, after = cell.partition("*")
        stack += ((label, []) for label in before.replace("(", " ").split())
        if stack and (star or not before):
            stack[-1][1].append((tags[word], word))
        for _ in range(min(after.count(")"), len(stack))):
            _close(stack, parents)
    while stack:
        _close(stack, parents)
    return parents


def _close(stack: list[tuple[str, list[tuple[str, int]]]], parents: Parents) -> None:
    label, parts = stack.pop()
    if parts:
        head = parts[_place_of_head(label, [label for label, _ in parts])][1]
        for _, word in parts:
            if word != head:
                parents[word] = head
        if stack:
            stack[-1][1].append((label, head))


PHRASES = ("NP", "NML", "WHNP")
NUMBERS = ("CD", "QP", "JJ", "ADJP")


def _place_of_head(label: str, labels: Sequence[str]) -> int:
    last = len(labels) - 1
    if label[:1] == "N":
        places = range(last if last and labels[last] == "POS" else last + 1)
        for kinds in (
            ("NN", "NR", "NT", "NX"),
            ("PRP", "PN", "WP"),
            PHRASES,
            NUMBERS,
            ("DT", "WDT"),
        ):
            # The first noun phrase, the last of everything else.
            for place in places if kinds == PHRASES else reversed(places):
                if labels[place].startswith(kinds):
                    return place
        return places[-1]
    verbs = (place for place in range(last) if labels[place].startswith(("V", "MD", "IN", "TO")))
    return next(verbs, last)


def head_of(first: int, last: int, parents: Parents) -> int:
    """The head of the words from `first` to `last`, both inclusive."""
    if first == last:
        return first
    outer = [word for word in range(first, last + 1) if not first <= parents[word] <= last]
    if len(outer) == 1:
        return outer[0]
    roots = [word for word in outer if parents[word] == ROOT]
    if roots:
        return roots[-1]
    return min(reversed(outer), key=lambda word: _depth(word, parents), default=last)


def _depth(word: int, parents: Parents) -> int:
    depth = 0
    # A file may hold a circle of dependencies.
    while parents[word] != ROOT and depth < 1000:
        word, depth = parents[word], depth + 1
    return depth


NAME, NOMINAL, PRONOUN = TYPES = ("name", "nominal", "pronoun")
"""What a mention can be."""

NONE = "none"
"""The value of what is not known of a mention, or does not apply to it."""

_TAGS = ("upos", "pos", "xpos")
OF_TYPES = (*_TAGS, "parse", "head")
"""The columns from which heads and types of mentions come."""

_PRONOUNS = ("PRP", "WP", "PRON", "PN", "PPER", "PPOS", "PRF", "PREL")
_NAMES = ("NNP", "PROPN", "NR", "NE")
"""How tags of pronouns and of proper nouns begin: in the Penn treebanks of English and Chinese, in
Universal Dependencies, in STTS."""

LONGEST = 100
"""The most words of a mention that are said: in a broken file, each mention may go on to the end of
the text."""

ENGLISH = frozenset(
    {
        "i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "yourselves", "he", "him", "his", "himself",
        "she", "her", "hers", "herself", "it", "its", "itself", "we", "us", "our", "ours", "ourselves", "they", "them",
        "their", "theirs", "themself", "themselves", "who", "whom", "whose", "thee", "thou", "thy", "thine",
    }
)  # fmt: skip
"""The pronouns of a text without tags."""


class Text:
    """The words of one document and what is known of them.

    `words` in their order, `starts` the first word of each sentence. `tags`: parts of speech, empty
    where there are none. `source` says where types and heads come from: "pos, parse", "pos, head",
    "pos", "head", "words" (the list of English pronouns), or "none". `knows_names`: whether parts of
    speech or named entities tell which mentions are names.
    """

    def __init__(
        self, layers: Layers | None, key: Document | None = None, response: Document | None = None
    ) -> None:
        self.layers = layers
        layers = Layers([]) if layers is None else layers
        self.words: Sequence[str] = list(chain.from_iterable(layers.sentences))
        lengths = list(map(len, layers.sentences))
        self.starts: list[int] = list(accumulate(lengths, initial=0))[: len(lengths)]
        columns: Mapping[str, Sequence[str]] = layers.columns
        self.columns = columns
        # Columns may say something of words that no file gives.
        self._size = len(self.words) or max(map(len, columns.values()), default=0)
        tagged = next((name for name in _TAGS if name in columns), None)
        self.tags: Sequence[str] = columns[tagged] if tagged is not None else ()
        self._declared: dict[Any, Any] = {}
        for document in (response, key):
            if document is not None and document.syntax is not None:
                self._declared |= document.syntax.heads
        self._parents: Parents | None = None
        sources = ["pos"] if self.tags else []
        if "parse" in columns:
            self._parents = of_parse(columns["parse"], self.tags or [""] * self._size)
            sources.append("parse")
        elif "head" in columns:
            self._parents = of_dependencies(columns["head"])
            sources.append("head")
        elif self._declared:
            sources.append("head")
        self.source = (", ".join(sources) or "words") if self.words or self.tags else NONE
        self._names = {(first, last): label for first, last, label in layers.names}
        self._named: set[int] = set()
        for first, last in self._names:
            self._named.update(range(max(first, 0), min(last + 1, len(self.words))))
        self.knows_names = bool(self.tags or self._named)

    def head(self, mention: Any) -> Any | None:
        """The head token of a mention: as the file declares it, or by parse or dependencies.

        None where nothing tells.
        """
        if mention in self._declared:
            return self._declared[mention]
        first, last = ends(mention)
        if first < 0 or last >= self._size:
            return None
        if self._parents is None:
            return first if first == last and is_span(mention) else None
        return head_of(first, last, self._parents)

    def kind(self, mention: Any) -> str:
        """Name, nominal or pronoun.

        A pronoun or a name has a head that is tagged as one, or, without tags, is an English
        pronoun or has a head in a named entity. A mention of empty nodes is a pronoun. Where
        nothing is known, every mention is a nominal.
        """
        first, last = ends(mention)
        if first < 0:
            return PRONOUN if is_empty(mention) else NOMINAL
        head = self.head(mention) if self.knows_names else None
        at = head if isinstance(head, int) else last
        if self.tags:
            tag = self.tags[at] if at < len(self.tags) else ""
            if tag.startswith(_PRONOUNS):
                return PRONOUN
            return NAME if tag.startswith(_NAMES) else NOMINAL
        if first == last < len(self.words) and self.words[first].lower() in ENGLISH:
            return PRONOUN
        return NAME if at in self._named else NOMINAL

    def tag(self, mention: Any) -> str:
        """The part of speech of the head; of the only word where no head is known, else `NONE`."""
        head = self.head(mention)
        if isinstance(head, int) and 0 <= head < len(self.tags):
            return self.tags[head] or NONE
        return NONE

    def label(self, mention: Any) -> str:
        """The label of the named entity with the words of a mention, else `NONE`."""
        return self._names.get(ends(mention), NONE)

    def cell(self, column: str, mention: Any) -> str:
        """What a column says of the head, or of the last word where no head is known, as `scorer spans` has it."""
        cells = self.columns.get(column, ())
        head = self.head(mention)
        at = head if isinstance(head, int) else ends(mention)[1]
        return (cells[at] or NONE) if 0 <= at < len(cells) else NONE

    def sentence(self, token: int) -> int:
        """The number, from 0, of the sentence of a word."""
        return max(bisect_right(self.starts, token) - 1, 0)

    def of_sentence(self, sentence: int) -> str:
        """The words of a sentence; nothing where words are not known."""
        if sentence >= len(self.starts):
            return ""
        end = self.starts[sentence + 1] if sentence + 1 < len(self.starts) else len(self.words)
        return " ".join(self.words[self.starts[sentence] : end])

    def said(self, mention: Any) -> str:
        """The words of a mention, … for a gap and the middle of what is too long.

        Empty nodes and names as they are written.
        """
        mention = as_written(mention)
        if not isinstance(mention, tuple) or (ends(mention)[0] < 0 and not is_empty(mention)):
            return str(mention)
        # A name that a JSON file spells as nested lists may hold pieces that are no spans.
        parts = [
            self._in_short(*piece) if is_span(piece) else str(piece) for piece in pieces(mention)
        ]
        return " … ".join(parts)

    def context(self, mention: Any, width: int = 6) -> tuple[str, str]:
        """So many words before and after a mention, inside of its sentences."""
        first, last = ends(mention)
        if first < 0 or last >= len(self.words):
            return "", ""
        begin = max(self.starts[self.sentence(first)], first - width)
        following = bisect_right(self.starts, last)
        end = self.starts[following] if following < len(self.starts) else len(self.words)
        after = self.words[last + 1 : min(end, last + width + 1)]
        return " ".join(self.words[begin:first]), " ".join(after)

    def _in_short(self, first: int, last: int) -> str:
        if last >= len(self.words):
            return f"[{first}, {last}]"
        words = self.words[first : last + 1]
        if len(words) > LONGEST:
            words = [*words[: LONGEST // 2], "…", *words[-LONGEST // 2 :]]
        return " ".join(words)


def as_written(mention: Any) -> Any:
    """A mention as its file has it, whatever it is called to tell it from others."""
    return mention.mention if isinstance(mention, Unmatched) else mention


def ends(mention: Any) -> tuple[int, int]:
    """The first and the last word of a mention; (-1, -1) of one without words."""
    if is_span(mention):
        return mention  # type: ignore[no-any-return]  # a span is a pair of numbers
    mention = as_written(mention)
    if isinstance(mention, tuple):
        spans = [piece for piece in mention if is_span(piece)]
        if spans:
            return spans[0][0], spans[-1][1]
    return -1, -1


def is_empty(mention: Any) -> bool:
    """Whether a mention is made of empty nodes only."""
    mention = as_written(mention)
    return (
        type(mention) is tuple
        and bool(mention)
        and all(type(piece) is str and is_empty_node(piece) for piece in mention)
    )
