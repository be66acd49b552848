"""The words of a document, and what is known of them: types, heads and parts of speech."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

from conll.document import Document, Layers
from conll.syntax import is_empty_node, is_span, pieces
from scorer.analysis.heads import Parents, dependency_parents, head_of, parse_parents
from scorer.match.matching import Unmatched

NAME, NOMINAL, PRONOUN = TYPES = ("name", "nominal", "pronoun")
"""The types of mentions."""

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
"""The most words of a mention that are shown: in a broken file, each mention may go on to the end
of the text."""

ENGLISH = frozenset(
    {
        "i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "yourselves",
        "he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself",
        "we", "us", "our", "ours", "ourselves", "they", "them", "their", "theirs", "themself",
        "themselves", "who", "whom", "whose", "thee", "thou", "thy", "thine",
    }
)  # fmt: skip
"""The pronouns of a text without tags."""


class Text:
    """The words of one document and what is known of them.

    Args:
        layers: The words and layers of the document, None if no file gives any.
        key: The document of the key, which may declare heads of mentions.
        response: The document of the response, likewise.

    Attributes:
        words: The words in their order.
        starts: The first word of each sentence.
        tags: Parts of speech, empty where there are none.
        columns: The layers of words, by name.
        source: Where types and heads come from: "pos, parse", "pos, head", "pos", "parse", "head",
            "words" (the list of English pronouns), or "none".
        knows_names: Whether parts of speech or named entities tell which mentions are names.
    """

    def __init__(
        self, layers: Layers | None, key: Document | None = None, response: Document | None = None
    ) -> None:
        self.layers = layers
        if layers is None:
            layers = Layers([])
        self.words: Sequence[str] = list(chain.from_iterable(layers.sentences))
        lengths = list(map(len, layers.sentences))
        self.starts: list[int] = list(accumulate(lengths, initial=0))[: len(lengths)]
        self.columns: Mapping[str, Sequence[str]] = layers.columns
        # Columns may say something of words that no file gives.
        self._size = len(self.words) or max(map(len, self.columns.values()), default=0)
        self.tags: Sequence[str] = ()
        for name in _TAGS:
            if name in self.columns:
                self.tags = self.columns[name]
                break
        self._declared: dict[Any, Any] = {}
        for document in (response, key):
            if document is not None and document.syntax is not None:
                self._declared |= document.syntax.heads
        self._parents, self.source = self._sources()
        self._names = {(first, last): label for first, last, label in layers.names}
        self._named: set[int] = set()
        for first, last in self._names:
            self._named.update(range(max(first, 0), min(last + 1, len(self.words))))
        self.knows_names = bool(self.tags or self._named)

    def _sources(self) -> tuple[Parents | None, str]:
        """Return the parents of all words, if anything tells them, and the `source`."""
        sources = []
        parents = None
        if self.tags:
            sources.append("pos")
        if "parse" in self.columns:
            parents = parse_parents(self.columns["parse"], self.tags or [""] * self._size)
            sources.append("parse")
        elif "head" in self.columns:
            parents = dependency_parents(self.columns["head"])
            sources.append("head")
        elif self._declared:
            sources.append("head")
        if not self.words and not self.tags:
            return parents, NONE
        return parents, ", ".join(sources) or "words"

    def head(self, mention: Any) -> Any | None:
        """Return the head token of a mention: as the file declares it, or by parse or dependencies.

        None where nothing tells.
        """
        if mention in self._declared:
            return self._declared[mention]
        first, last = ends(mention)
        if first < 0 or last >= self._size:
            return None
        if self._parents is not None:
            return head_of(first, last, self._parents)
        if first == last and is_span(mention):
            return first
        return None

    def kind(self, mention: Any) -> str:
        """Return the type of a mention: name, nominal or pronoun.

        A pronoun or a name has a head that is tagged as one, or, without tags, is an English
        pronoun or has a head in a named entity. A mention of empty nodes is a pronoun. Where
        nothing is known, every mention is a nominal.
        """
        first, last = ends(mention)
        if first < 0:
            return PRONOUN if is_empty(mention) else NOMINAL
        head = last
        if self.knows_names:
            token = self.head(mention)
            if isinstance(token, int):
                head = token
        if self.tags:
            return self._kind_of_tag(head)
        if first == last < len(self.words) and self.words[first].lower() in ENGLISH:
            return PRONOUN
        return NAME if head in self._named else NOMINAL

    def _kind_of_tag(self, head: int) -> str:
        """Return the type of a mention by the part of speech of its head."""
        if head >= len(self.tags):
            return NOMINAL
        tag = self.tags[head]
        if tag.startswith(_PRONOUNS):
            return PRONOUN
        return NAME if tag.startswith(_NAMES) else NOMINAL

    def tag(self, mention: Any) -> str:
        """Return the part of speech of the head of a mention, else `NONE`."""
        head = self.head(mention)
        if isinstance(head, int) and 0 <= head < len(self.tags):
            return self.tags[head] or NONE
        return NONE

    def label(self, mention: Any) -> str:
        """Return the label of the named entity with the words of a mention, else `NONE`."""
        return self._names.get(ends(mention), NONE)

    def cell(self, column: str, mention: Any) -> str:
        """Return the cell of a column at the head, or at the last word where no head is known."""
        token = self.head(mention)
        if not isinstance(token, int):
            token = ends(mention)[1]
        cells = self.columns.get(column, ())
        if 0 <= token < len(cells):
            return cells[token] or NONE
        return NONE

    def sentence(self, token: int) -> int:
        """Return the number, from 0, of the sentence of a word."""
        return max(bisect_right(self.starts, token) - 1, 0)

    def of_sentence(self, sentence: int) -> str:
        """Return the words of a sentence; nothing where words are not known."""
        if sentence >= len(self.starts):
            return ""
        return " ".join(self.words[self.starts[sentence] : self._end(sentence)])

    def _end(self, sentence: int) -> int:
        """Return the number of the word after a sentence."""
        following = sentence + 1
        return self.starts[following] if following < len(self.starts) else len(self.words)

    def words_of(self, mention: Any) -> str:
        """Return the words of a mention, … for a gap and the middle of what is too long.

        Empty nodes and names are as they are written.
        """
        mention = as_written(mention)
        if not isinstance(mention, tuple) or (ends(mention)[0] < 0 and not is_empty(mention)):
            return str(mention)
        # A name that a JSON file spells as nested lists may hold pieces that are no spans.
        parts = [
            self._shortened(*piece) if is_span(piece) else str(piece) for piece in pieces(mention)
        ]
        return " … ".join(parts)

    def context(self, mention: Any, width: int = 6) -> tuple[str, str]:
        """Return so many words before and after a mention, inside of its sentences."""
        first, last = ends(mention)
        if first < 0 or last >= len(self.words):
            return "", ""
        begin = max(self.starts[self.sentence(first)], first - width)
        end = min(self._end(self.sentence(last)), last + width + 1)
        return " ".join(self.words[begin:first]), " ".join(self.words[last + 1 : end])

    def _shortened(self, first: int, last: int) -> str:
        """Return the words of a span, … for the middle of what is too long."""
        if last >= len(self.words):
            return f"[{first}, {last}]"
        words = list(self.words[first : last + 1])
        if len(words) > LONGEST:
            half = LONGEST // 2
            words[half:-half] = ["…"]
        return " ".join(words)


def as_written(mention: Any) -> Any:
    """Return a mention as its file has it, also one renamed to tell it from others."""
    return mention.mention if isinstance(mention, Unmatched) else mention


def ends(mention: Any) -> tuple[int, int]:
    """Return the first and the last word of a mention; (-1, -1) of one without words."""
    if is_span(mention):
        return mention  # type: ignore[no-any-return]  # a span is a pair of numbers
    mention = as_written(mention)
    if isinstance(mention, tuple):
        spans = [piece for piece in mention if is_span(piece)]
        if spans:
            return spans[0][0], spans[-1][1]
    return -1, -1


def is_empty(mention: Any) -> bool:
    """Return whether a mention is made of empty nodes only."""
    mention = as_written(mention)
    if type(mention) is not tuple or not mention:
        return False
    return all(type(piece) is str and is_empty_node(piece) for piece in mention)
