"""The anaphora of one side, with mentions that are comparable to those of the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conll.anaphora import anaphora_of
from conll.syntax import is_span, pieces
from scorer.match.mentions import Mention, check_length, head_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conll.anaphora import Anaphora
    from conll.document import Document
    from scorer.options import Options

    Clusters = Sequence[Sequence[Mention]]
    Numbers = dict[tuple[Any, Any], int]
    """The number of each mention, by its runs of words and the places of its empty nodes."""


class SplitAntecedent(Mention):
    """The split antecedent of an entity; equal to another one whose elements are equal."""

    __slots__ = ("elements",)

    def __init__(self, number: int, elements: Clusters) -> None:
        super().__init__(number, 0, (), (-1, -1))
        self.elements = elements


class AnaphoraSide:
    """The anaphora of one side.

    Attributes:
        clusters: The mentions of each entity that refers to something.
        splits: For each of these entities, its split antecedent, if any.
        non_referring: The mentions that refer to nothing.
        minimum: The least tokens that stand for a mention, where its markable says so.
        bridging: The antecedent of each bridging anaphor.

    Args:
        document: The document of that side.
        options: How to score.
        numbers: The numbers of the mentions of both sides; it grows.
    """

    def __init__(self, document: Document, options: Options, numbers: Numbers) -> None:
        self._document = document
        self._numbers = numbers
        self._zero_places = _zero_places(document)
        self._has_heads = options.match in ("head", "partial")
        self._mentions: dict[Any, Mention] = {}
        anaphora = anaphora_of(document, options.layer)
        entities: dict[str, list[Mention]] = {}
        for label, mentions in anaphora.entities.items():
            entities[label] = [self._mention(mention) for mention in mentions]
        self.clusters: list[list[Mention]] = []
        self.splits: list[list[SplitAntecedent]] = []
        self.non_referring: list[Mention] = []
        elements = entities
        if options.zeros == "drop" and options.like is None:
            elements = _without_zeros(entities)
        for label, entity in entities.items():
            if label in anaphora.non_referring:
                self.non_referring += entity[:1]
                continue
            self.clusters.append(entity)
            is_split = label in anaphora.elements and options.split_antecedents != "ignore"
            self.splits.append([self._split(label, anaphora, elements)] if is_split else [])
        self.minimum: dict[Mention, frozenset[int]] = {}
        for written, (first, last) in anaphora.minimum.items():
            self.minimum[self._mention(written)] = frozenset(range(first, last + 1))
        self.bridging: dict[Mention, Mention] = {}
        for anaphor, antecedent in anaphora.bridging.items():
            self.bridging[self._mention(anaphor)] = self._mention(antecedent)

    def _mention(self, written: Any) -> Mention:
        """Return the mention that the document has in this way, always the same."""
        mention = self._mentions.get(written)
        if mention is not None:
            return mention
        runs, zeros = self._runs_and_zeros(written)
        places = tuple(self._zero_places[zero] for zero in zeros)
        number = self._numbers.setdefault((tuple(runs), places), len(self._numbers))
        head = head_of(self._document, written) if self._has_heads else 0
        if runs:
            ends = runs[0][0], runs[-1][1]
        else:
            words_before, _ = places[0]
            ends = words_before, words_before
        check_length(self._document, written)
        tokens: set[Any] = set()
        for first, last in runs:
            tokens.update(range(first, last + 1))
        for zero in zeros:
            # Other mentions with an empty node have no token in common for it.
            tokens.add((self, zero))
        mention = self._mentions[written] = Mention(number, head, tokens, ends, written)
        return mention

    def _runs_and_zeros(self, written: Any) -> tuple[list[tuple[int, int]], list[str]]:
        """Return the runs of words of a mention, joined where they touch, and its empty nodes."""
        runs: list[tuple[int, int]] = []
        zeros: list[str] = []
        parts: tuple[Any, ...] = pieces(written) if isinstance(written, tuple) else (written,)
        for piece in parts:
            if isinstance(piece, str) and piece in self._zero_places:
                zeros.append(piece)
            elif not is_span(piece):
                problem = f"mention {written!r} is neither a span of words nor an empty node"
                raise self._document.error(f"{problem}; score it without anaphora")
            elif runs and runs[-1][1] + 1 == piece[0]:
                runs[-1] = runs[-1][0], piece[1]
            else:
                runs.append(piece)
        return runs, zeros

    def _split(
        self, label: str, anaphora: Anaphora, entities: Mapping[str, list[Mention]]
    ) -> SplitAntecedent:
        """Return the split antecedent of an entity, with elements that are not split themselves.

        Raises:
            ConllError: The entity is an element of itself.
        """
        elements: list[list[Mention]] = []
        seen: set[str] = set()
        # Each entity waits with those above it, whose elements hold it.
        waiting: list[tuple[str, tuple[str, ...]]] = [(label, ())]
        while waiting:
            element, above = waiting.pop()
            if element in above:
                problem = f"entity {element} is an element of its own split antecedent"
                raise self._document.error(problem)
            inner = anaphora.elements.get(element)
            if inner:
                path = (*above, element)
                waiting += [(part, path) for part in reversed(inner)]
            elif element in entities and element not in seen:
                seen.add(element)
                elements.append(entities[element])
        names: set[tuple[int, ...]] = set()
        for mentions in elements:
            names.add(tuple(mention.number for mention in mentions))
        number = self._numbers.setdefault(("split", frozenset(names)), len(self._numbers))
        return SplitAntecedent(number, elements)


def is_zero(mention: Mention) -> bool:
    """Return whether a mention has no word; split antecedents are none."""
    has_word = any(isinstance(token, int) for token in mention.tokens)
    return not has_word and not isinstance(mention, SplitAntecedent)


def with_words(entity: Sequence[Mention]) -> list[Mention]:
    """Return the mentions of an entity that have a word, and its split antecedent."""
    return [mention for mention in entity if not is_zero(mention)]


def _without_zeros(entities: Mapping[str, list[Mention]]) -> dict[str, list[Mention]]:
    """Return entities without their empty nodes."""
    return {label: with_words(mentions) for label, mentions in entities.items()}


def _zero_places(document: Document) -> dict[str, tuple[int, int]]:
    """Place each empty node: the words before it, and the empty nodes between these and it."""
    places: dict[str, tuple[int, int]] = {}
    syntax = document.syntax
    if syntax is None:
        return places
    counts: dict[int, int] = {}
    for zero in syntax.zeros:
        last_word, _, _ = syntax.place(zero)
        words_before = last_word + 1
        places[zero] = words_before, counts.get(words_before, 0)
        counts[words_before] = counts.get(words_before, 0) + 1
    return places
