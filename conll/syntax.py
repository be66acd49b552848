"""CoNLL-U beyond words and clusters: empty nodes, heads of mentions, and attributes of tokens.

A token is a word, an integer counted from 0 in its document, or an empty node, a text `SENTENCE:ID`
such as `2:4.1` (the sentence counted from 0, the id as in the file). Words are counted without the
empty nodes, so that a mention of words is the same in any format. A mention is (first, last) word
where it has no gap; empty nodes strictly inside belong to it. Any other mention is a tuple of
pieces: such pairs, and empty nodes, in their order: `((3, 4), (6, 6))`, `("2:4.1",)`.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Token: TypeAlias = int | str
Span: TypeAlias = tuple[int, int]
Piece: TypeAlias = Span | str
AnyMention: TypeAlias = Span | tuple[Piece, ...]

LIMIT = 10**9
"""More words than any document has: a number from here on counts none."""


class Syntax:
    """The empty nodes of a document and the heads of its mentions.

    `starts`: the first word of each sentence. `zeros`: each empty node in order, with its enhanced
    dependencies as they stand in the file (`4:nsubj|7:obj`). `heads`: the head token of each
    mention; empty where the file has no heads. `marks`: what the file keeps beside a token for
    later use, by attribute (`Bridge`, `SplitAnte`). `crossings`: where mentions of one entity with
    parts cross, so that other programs refuse the file or read it otherwise: the line, what, and
    whether that is certain.
    """

    __slots__ = ("_heads", "_marks", "_ordered", "crossings", "starts", "zeros")

    kept_by = ""
    """The format whose writer keeps everything else in the file."""

    def __init__(
        self,
        starts: list[int],
        zeros: dict[str, str],
        heads: dict[AnyMention, Token],
    ) -> None:
        self.starts: list[int] = starts
        self.zeros: dict[str, str] = zeros
        self._heads = heads
        self._marks: dict[Token, dict[str, str]] | None = None
        self._ordered: list[tuple[tuple[int, int, int], str]] = []
        self.crossings: list[tuple[int, str, bool]] = []

    @property
    def heads(self) -> dict[AnyMention, Token]:
        """The head token of each mention that has one."""
        return self._heads

    @property
    def marks(self) -> dict[Token, dict[str, str]]:
        """The attributes that the file keeps with a token for later use."""
        if self._marks is None:
            self._marks = {}
        return self._marks

    def beside(self) -> Counter[str]:
        """Count what is neither word nor mention (lemmas, tags and the like), by kind."""
        from collections import Counter

        return Counter()

    def written_head(self, _label: str, _place: int, mention: AnyMention, /) -> Token | None:
        """Return the declared head of a mention, by the label of its cluster and its number there.

        The first token of a mention without a declared head; None where no heads are known.
        """
        return self._heads.get(mention)

    def entity_order(self, document: Any, clusters: Iterable[int]) -> list[int]:
        """Sort cluster numbers as udapi sorts entities: by first mention, then by label."""
        labels = document.labels or [""] * len(document.clusters)
        first = {number: self.first_mention(document.clusters[number]) for number in clusters}
        return sorted(first, key=lambda number: (first[number], labels[number]))

    def first_mention(self, cluster: Iterable[AnyMention]) -> tuple[Any, ...]:
        """Return the sort key of the first mention: first token, longer first, last token."""

        def extent(mention: AnyMention) -> tuple[Any, ...]:
            parts = pieces(mention)
            first, last = (
                end if isinstance(end, str) else end[at]
                for at, end in ((0, parts[0]), (1, parts[-1]))
            )
            size = sum(
                1 if isinstance(part, str) else part[1] - part[0] + 1 + len(self.inside(*part))
                for part in parts
            )
            return self.place(first), -size, self.place(last)

        return min(map(extent, cluster), default=())

    def tokens(self, mention: AnyMention) -> list[Token]:
        """The tokens of a mention in their order, with the empty nodes inside."""
        tokens: list[Token] = []
        for piece in pieces(mention):
            if isinstance(piece, str):
                tokens.append(piece)
                continue
            first, last = piece
            at = first
            inside = self.inside(first, last)
            for (word, _, _), zero in self._ordered[inside.start : inside.stop]:
                tokens += range(at, word + 1)
                tokens.append(zero)
                at = word + 1
            tokens += range(at, last + 1)
        return tokens

    def inside(self, first: int, last: int) -> range:
        """Return the numbers of empty nodes between two words, from 0 in the order of `zeros`."""
        if not self.zeros or first >= last:
            return range(0)
        if not self._ordered:
            self._ordered = [(place(zero, self.starts), zero) for zero in self.zeros]
        begin = bisect_left(self._ordered, ((first, 1, 0), ""))
        return range(begin, bisect_left(self._ordered, ((last, 0, 0), "")))

    def relations(self, zero: str) -> list[tuple[Token | None, str]]:
        """Heads and relations of an empty node, from its enhanced dependencies.

        A head that does not exist is None.
        """
        sentence = int(zero.partition(":")[0])
        relations: list[tuple[Token | None, str]] = []
        for dependency in self.zeros[zero].split("|"):
            head, _, relation = dependency.partition(":")
            if head.isdecimal() and len(head) < 10 and int(head):
                relations.append((self.starts[sentence] + int(head) - 1, relation))
            elif f"{sentence}:{head}" in self.zeros:
                relations.append((f"{sentence}:{head}", relation))
            elif relation:
                relations.append((None, relation))
        return relations

    def place(self, token: Token) -> tuple[int, int, int]:
        """Sorts tokens as they stand in the document."""
        return place(token, self.starts)


def place(token: Token, starts: Sequence[int]) -> tuple[int, int, int]:
    """(word, 0, 0) for a word.

    For an empty node (the word before it in its sentence, sentence + 1, its number there).
    """
    if not isinstance(token, str):
        return token, 0, 0
    sentence, _, ident = token.partition(":")
    word, _, number = ident.partition(".")
    return starts[int(sentence)] + int(word) - 1, int(sentence) + 1, int(number or 0)


def breaks_in(mentions: Iterable[AnyMention], starts: Sequence[int]) -> set[int]:
    """The first words of sentences that begin inside a mention.

    `starts` are those of all sentences.
    """
    ends = []
    for mention in mentions:
        if type(mention) is tuple and mention:
            edges = pieces(mention)[0], pieces(mention)[-1]
            if all(is_span(edge) or (type(edge) is str and is_empty_node(edge)) for edge in edges):
                # An empty node counts as the first word of its sentence.
                first, last = (
                    starts[int(edge.partition(":")[0])] if isinstance(edge, str) else edge[end]
                    for end, edge in enumerate(edges)
                )
                ends.append((first, last))
    ends.sort()
    breaks: set[int] = set()
    at = reach = 0
    for start in starts:
        while at < len(ends) and ends[at][0] < start:
            reach = max(reach, ends[at][1])
            at += 1
        if 0 < start <= reach:
            breaks.add(start)
    return breaks


def pieces(mention: AnyMention) -> tuple[Piece, ...]:
    """The pieces of a mention; a mention without gaps is one."""
    return (mention,) if is_span(mention) else mention  # type: ignore[return-value]  # what is no span is pieces


def first_token(mention: AnyMention) -> Token:
    """Return the first token of a mention, a word or an empty node."""
    first = pieces(mention)[0]
    return first if isinstance(first, str) else first[0]


def is_span(mention: Any) -> bool:
    """Return whether a mention is (first, last) word.

    Two numbers that can be no such words are a name.
    """
    return (
        type(mention) is tuple
        and len(mention) == 2
        and type(mention[0]) is int
        and type(mention[1]) is int
        and 0 <= mention[0] <= mention[1] < LIMIT
    )


def is_empty_node(token: str) -> bool:
    """Return whether a text is an empty node, `SENTENCE:ID`.

    Examples:
        >>> is_empty_node("2:4.1"), is_empty_node("m2")
        (True, False)
    """
    sentence, colon, ident = token.partition(":")
    word, point, number = ident.partition(".")
    return bool(colon and point) and all(part.isdecimal() for part in (sentence, word, number))
