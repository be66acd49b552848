"""The shape of a corpus: how long, how frequent and how far apart its mentions are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conll.document import Document
from conll.syntax import is_span, pieces


@dataclass
class Shape:
    """Counts of the mentions and entities of a document or of a file, and their means.

    Attributes:
        document: The name of the document; empty for a whole file.
        mentions: The number of mentions.
        entities: The number of entities that have a mention.
        singletons: How many of these have one mention.
        placed: The number of mentions that are made of words.
        mention_words: The words of these together.
        spread_entities: The number of entities with two such mentions or more.
        spread_words: The words from the first word of the first mention to that of the last one, of
            these entities together.
    """

    document: str
    mentions: int = 0
    entities: int = 0
    singletons: int = 0
    placed: int = 0
    mention_words: int = 0
    spread_entities: int = 0
    spread_words: int = 0

    @property
    def means(self) -> dict[str, float | None]:
        """The means by name; None where there is nothing to take the mean of."""
        return {
            "mentions_per_entity": _mean(self.mentions, self.entities),
            "spread": _mean(self.spread_words, self.spread_entities),
            "mention_length": _mean(self.mention_words, self.placed),
            "singleton_share": _mean(self.singletons, self.entities),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the means."""
        return vars(self) | self.means

    def add(self, document: Document) -> None:
        """Count the mentions and entities of a document."""
        for cluster in document.clusters:
            if not cluster:
                continue
            self.entities += 1
            self.mentions += len(cluster)
            self.singletons += len(cluster) == 1
            first_words: list[int] = []
            for mention in cluster:
                spans = _spans_of(mention)
                if spans:
                    first_words.append(spans[0][0])
                    self.mention_words += sum(last - first + 1 for first, last in spans)
            self.placed += len(first_words)
            if len(first_words) > 1:
                self.spread_entities += 1
                self.spread_words += max(first_words) - min(first_words)


def _spans_of(mention: Any) -> list[Any]:
    """Return the spans of words of a mention; none of an empty node, or of a mention by name."""
    if type(mention) is not tuple:
        return []
    return [piece for piece in pieces(mention) if is_span(piece)]


def _mean(total: int, number: int) -> float | None:
    if not number:
        return None
    return total / number
