"""A key and a response of one document as numbers: every mention once, in the order of the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

from conll.document import Document, Layers
from conll.syntax import Syntax, is_empty_node, is_span, pieces
from scorer.match.align import without_repeats
from scorer.match.filters import WITHOUT_SINGLETONS, apply_filters, is_singleton
from scorer.match.matching import Unmatched
from scorer.options import Options

Clusters = Sequence[Sequence[Any]]

NOWHERE = -1
"""The cluster of a mention that a side lacks."""

Cluster = list[int]
"""The numbers of the mentions of a cluster, ascending, so in the order of the text."""

OWN_FILTERS = ("singletons",)
"""What a `Pair` filters itself: response mentions that are singletons of the key are no errors."""


class Pair:
    """The mentions and clusters of one document, in which errors are looked for.

    A mention that a side repeats is in one cluster, as the option `duplicates` says: of the
    occurrences that it keeps in the last of the key and in the first of the response.

    Args:
        key: The document of the key.
        response: The document of the response.
        text: Its text.
        options: How it is scored.

    Attributes:
        mentions: Those of both sides in the order of the text. All else refers to them by number.
        key: The clusters of the key.
        response: The clusters of the response.
        key_of: The key cluster of each mention, `NOWHERE` where the key lacks it.
        response_of: The response cluster of each mention, `NOWHERE` where the response lacks it.
        left_out: The key clusters of one mention that the options drop. Response mentions in them
            are not spurious.
        scored_key: `key`, with empty clusters for those left out.
        scored_key_of: `key_of`, with `NOWHERE` for mentions of those left out.
        key_sizes: The sizes of the clusters of `scored_key`.
        kinds: The type of each mention: name, nominal or pronoun.
        pronoun: Whether each mention is a pronoun.
        key_labels: The ids of key clusters as written; the last is "", of `NOWHERE`.
        response_labels: The ids of response clusters, likewise.
        drop: Whether singletons are dropped.
        repeats: How many occurrences of repeated mentions are left out.
    """

    def __init__(self, key: Document, response: Document, text: Text, options: Options) -> None:
        self.text = text
        self.drop = "key" in WITHOUT_SINGLETONS[options.singletons]
        # As for the metrics, a mention that a filter leaves out is not repeated by another one.
        filtered_key, filtered_response, _ = apply_filters(key, response, options, OWN_FILTERS)
        key_clusters = _clusters_left(key, filtered_key)
        response_clusters = _clusters_left(response, filtered_response)
        self.repeats = _count_repeats(key_clusters) + _count_repeats(response_clusters)
        if self.repeats:
            key_clusters, response_clusters = _without_repeats(
                key_clusters, response_clusters, options.duplicates
            )
        if self.drop:
            key_clusters = _with_singletons(key_clusters, key.clusters)
            response_clusters = [
                [] if is_singleton(cluster) else cluster for cluster in response_clusters
            ]
        self.mentions = _ordered_mentions([*key_clusters, *response_clusters], (key, response))
        number = {mention: at for at, mention in enumerate(self.mentions)}
        self.key = _numbered(key_clusters, number)
        self.response = _numbered(response_clusters, number)
        self.left_out = {k for k, cluster in enumerate(self.key) if self.drop and len(cluster) == 1}
        self.scored_key = [
            [] if k in self.left_out else cluster for k, cluster in enumerate(self.key)
        ]
        self.key_of = owners(self.key, len(self.mentions))
        self.scored_key_of = owners(self.scored_key, len(self.mentions))
        self.response_of = owners(self.response, len(self.mentions))
        self.kinds = list(map(text.kind, self.mentions))
        self.pronoun = [kind == PRONOUN for kind in self.kinds]
        self.key_sizes = list(map(len, self.scored_key))
        self.key_labels = [*key.ids(), ""]
        self.response_labels = [*response.ids(), ""]


def owners(clusters: Sequence[Cluster], mentions: int) -> list[int]:
    """Return the cluster of each mention, `NOWHERE` of a mention in none."""
    owner = [NOWHERE] * mentions
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            owner[mention] = number
    return owner


def _clusters_left(document: Document, filtered: Document) -> Clusters:
    """Return what filters left of each cluster of a document, empty where they left nothing."""
    if filtered is document:
        return document.clusters
    left = dict(zip(filtered.ids(), filtered.clusters))
    return [left.get(name, []) for name in document.ids()]


def _count_repeats(clusters: Clusters) -> int:
    """Count the mentions that were there before."""
    return sum(map(len, clusters)) - len(set(chain.from_iterable(clusters)))


def _without_repeats(
    key: Clusters, response: Clusters, duplicates: str
) -> tuple[Clusters, Clusters]:
    """Keep each mention once: in the last cluster of the key, in the first of the response."""
    kept_key, kept_response, _, _ = without_repeats(key, response, duplicates)
    last = {mention: k for k, cluster in enumerate(kept_key) for mention in cluster}
    return _only_in(key, last), _only_in(response, first_owners(kept_response))


def first_owners(clusters: Clusters) -> dict[Any, int]:
    """Return the number of the first cluster that holds each mention."""
    backwards = reversed(list(enumerate(clusters)))
    return {mention: number for number, cluster in backwards for mention in cluster}


def _only_in(clusters: Clusters, owner: Mapping[Any, int]) -> Clusters:
    """Keep each mention in its one cluster, and there once."""
    return [
        [mention for mention in dict.fromkeys(cluster) if owner[mention] == number]
        for number, cluster in enumerate(clusters)
    ]


def _with_singletons(larger: Clusters, clusters: Clusters) -> Clusters:
    """Add the singletons among clusters again, once each, that no larger cluster holds."""
    seen = set(chain.from_iterable(larger))
    completed = list(larger)
    for k, cluster in enumerate(clusters):
        if is_singleton(cluster) and cluster[0] not in seen:
            completed[k] = [cluster[0]]
            seen.add(cluster[0])
    return completed


def _numbered(clusters: Clusters, number: Mapping[Any, int]) -> list[Cluster]:
    """Replace each mention of the clusters by its number, and sort each cluster."""
    return [sorted(map(number.__getitem__, cluster)) for cluster in clusters]


def _ordered_mentions(clusters: Clusters, documents: tuple[Document, Document]) -> list[Any]:
    """List the mentions of all clusters once, by first, then last token.

    Those that are no tokens come last, as key and response list them.
    """
    given = dict.fromkeys(chain.from_iterable(clusters))
    if all(map(is_span, given)):
        return sorted(given)
    # Empty nodes are placed by the sentences, which are those of both sides where these hold the
    # same text; else the longer one has a sentence for every node.
    syntaxes = [document.syntax for document in documents if document.syntax is not None]
    longest = max(syntaxes, key=lambda syntax: len(syntax.starts), default=None)
    positions = {
        mention: _position(mention, listed, longest) for listed, mention in enumerate(given)
    }
    return sorted(given, key=positions.__getitem__)


def _position(mention: Any, listed: int, syntax: Syntax | None) -> tuple[Any, ...]:
    """Return the position of a mention in the text, by which mentions are sorted.

    Args:
        mention: The mention.
        listed: Its number in the list of mentions as they are given.
        syntax: The positions of empty nodes.
    """
    if is_span(mention):
        return 0, (mention[0], 0, 0), (mention[1], 0, 0), 0
    first, last = ends(mention)
    if first < 0 and not is_empty(mention):
        return 1, listed
    if syntax is None:
        return 0, (first, 0, 0), (last, 0, 0), listed
    tokens = pieces(as_written(mention))
    begin = tokens[0] if isinstance(tokens[0], str) else tokens[0][0]
    end = tokens[-1] if isinstance(tokens[-1], str) else tokens[-1][1]
    try:
        return 0, syntax.place(begin), syntax.place(end), listed
    except (IndexError, ValueError):
        # JSON may name an empty node that neither text has.
        return 1, listed


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
        layers = layers or Layers([])
        self.words: Sequence[str] = list(chain.from_iterable(layers.sentences))
        self.starts: list[int] = list(accumulate(map(len, layers.sentences), initial=0))[:-1]
        self.columns: Mapping[str, Sequence[str]] = layers.columns
        # Columns may say something of words that no file gives.
        self._size = len(self.words) or max(map(len, self.columns.values()), default=0)
        tagged = (self.columns[name] for name in _TAGS if name in self.columns)
        self.tags: Sequence[str] = next(tagged, ())
        self._declared: dict[Any, Any] = {}
        for document in (response, key):
            if document is not None and document.syntax is not None:
                self._declared |= document.syntax.heads
        self._parents, self.source = self._sources()
        self._names = {(first, last): label for first, last, label in layers.names}
        self._named = {
            word
            for first, last in self._names
            for word in range(max(first, 0), min(last + 1, len(self.words)))
        }
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
        return first if first == last and is_span(mention) else None

    def kind(self, mention: Any) -> str:
        """Return the type of a mention: name, nominal or pronoun.

        A pronoun or a name has a head that is tagged as one, or, without tags, is an English
        pronoun or has a head in a named entity. A mention of empty nodes is a pronoun. Where
        nothing is known, every mention is a nominal.
        """
        first, last = ends(mention)
        if first < 0:
            return PRONOUN if is_empty(mention) else NOMINAL
        head = self._head_or_last(mention) if self.knows_names else last
        if self.tags:
            return self._kind_of_tag(head)
        if first == last < len(self.words) and self.words[first].lower() in ENGLISH:
            return PRONOUN
        return NAME if head in self._named else NOMINAL

    def _head_or_last(self, mention: Any) -> int:
        """Return the head of a mention, or its last word where no head is known."""
        head = self.head(mention)
        return head if isinstance(head, int) else ends(mention)[1]

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
        token = self._head_or_last(mention)
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
    return (
        type(mention) is tuple
        and mention != ()
        and all(type(piece) is str and is_empty_node(piece) for piece in mention)
    )


ROOT = -1
"""The parent of the head word of a sentence."""

Parents = list[int]
"""For each word of a document the word on which it hangs, `ROOT` for the head of a sentence."""

Constituent = tuple[str, list[tuple[str, int]]]
"""The label of a constituent, and the label and the head word of each of its parts."""

MOST_STEPS = 1000
"""Steps to the root after which a word counts as part of a circle of dependencies."""


def dependency_parents(column: Sequence[str]) -> Parents:
    """Return the parents of words whose heads are numbers of words, as `conll.conllu` gives them.

    Other text is a root.
    """
    size = len(column)
    return [int(cell) if cell.isdecimal() and int(cell) < size else ROOT for cell in column]


def parse_parents(column: Sequence[str], tags: Sequence[str]) -> Parents:
    """Return the parents of words with a bracketed parse, a cell a word.

    In a cell, `(TOP(S(NP*)`, the star is the word and its tag. The head of a noun phrase is its
    last noun, else its last pronoun, its first noun phrase, its last number or adjective, its last
    determiner; a possessive `'s` at the end is none. Another phrase has the head of its first part
    that is a verb, a verb phrase, or a preposition, and else of its last. Brackets that do not
    match are closed at the end.
    """
    parents = [ROOT] * len(column)
    # The constituents that are still open.
    stack: list[Constituent] = []
    for token, cell in enumerate(column):
        before, star, after = cell.partition("*")
        stack += [(label, []) for label in before.replace("(", " ").split()]
        if stack and (star or not before):
            parts = stack[-1][1]
            parts.append((tags[token], token))
        for _ in range(min(after.count(")"), len(stack))):
            _close(stack, parents)
    while stack:
        _close(stack, parents)
    return parents


def _close(stack: list[Constituent], parents: Parents) -> None:
    """Close the last constituent: its words hang on its head, which is a part of the one around."""
    label, parts = stack.pop()
    if not parts:
        return
    _, head = parts[_head_part(label, [part_label for part_label, _ in parts])]
    for _, token in parts:
        if token != head:
            parents[token] = head
    if stack:
        stack[-1][1].append((label, head))


PHRASES = ("NP", "NML", "WHNP")
_HEADS_OF_NOUN_PHRASES = (
    ("NN", "NR", "NT", "NX"),
    ("PRP", "PN", "WP"),
    PHRASES,
    ("CD", "QP", "JJ", "ADJP"),
    ("DT", "WDT"),
)
"""How the labels begin that head a noun phrase, those that are preferred first."""
_HEADS_OF_OTHERS = ("V", "MD", "IN", "TO")


def _head_part(label: str, labels: Sequence[str]) -> int:
    """Return the number of the part that heads a constituent."""
    last = len(labels) - 1
    if not label.startswith("N"):
        heads = (at for at in range(last) if labels[at].startswith(_HEADS_OF_OTHERS))
        return next(heads, last)
    end = last if last and labels[last] == "POS" else last + 1
    for beginnings in _HEADS_OF_NOUN_PHRASES:
        candidates = [at for at in range(end) if labels[at].startswith(beginnings)]
        if candidates:
            # The first noun phrase, the last of everything else.
            return candidates[0 if beginnings == PHRASES else -1]
    return end - 1


def head_of(first: int, last: int, parents: Parents) -> int:
    """Return the head of the words from `first` to `last`, both inclusive."""
    if first == last:
        return first
    outer = [token for token in range(first, last + 1) if not first <= parents[token] <= last]
    if len(outer) == 1:
        return outer[0]
    roots = [token for token in outer if parents[token] == ROOT]
    if roots:
        return roots[-1]
    return min(reversed(outer), key=lambda token: _depth(token, parents), default=last)


def _depth(token: int, parents: Parents) -> int:
    """Count the steps from a word to the root."""
    depth = 0
    # A file may hold a circle of dependencies.
    while parents[token] != ROOT and depth < MOST_STEPS:
        token = parents[token]
        depth += 1
    return depth
