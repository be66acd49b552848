"""Match key and response mentions that need not be equal, one to one, by their similarity.

First the empty nodes are aligned (`zeros`):

- `linear`: by their ids, which tell the word before them.
- `dependent`: within a sentence, one to one, so that the sum of 10 F1 of their (head, relation)
  pairs + F1 of their heads is greatest.

Then the mentions (`match`), one to one:

- `exact`: equal mentions. A mention of words only is equal to one with the same first and last
  word.
- `head`: then, of those left, pairs of equal heads, similarity |key ∩ response| / |key|.
- `partial`: then pairs where the response mention lies inside the key mention and holds its head,
  similarity |response| / |key|.

Of all such assignments that of the greatest sum of similarities; of several, each key mention in
its order (by first, then last token, then as in its document) takes the earliest response mention
that leaves the sum as it is. The response is then scored with the key's mentions in the place of
its own. A zero is a mention of empty nodes only. Žabokrtský et al., CRAC 2022; for zeros Novák et
al., CRAC 2024.

Where the two sides differ in empty nodes, in heads or in repeated mentions, CorefUD's scorer
departs from these rules; `scorer.match.corefud` follows it.
"""

from __future__ import annotations

from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any

from conll.syntax import is_span
from scorer.match.mentions import Mention, head_of, in_text_order, tokens_of
from scorer.match.pairing import count_overlap, earliest_pairs
from scorer.match.similarity import dependencies_of, similar, similar_zeros

if TYPE_CHECKING:
    from collections.abc import Hashable

    from conll.document import Document


class Unmatched(tuple[object, ...]):
    """An unmatched response mention whose name the key has for another mention."""

    __slots__ = ()

    @property
    def mention(self) -> Any:
        """Return the mention as the response has it."""
        return self[1]


class Matching:
    """A key, a response, and which key mention each response mention stands for, if any.

    Attributes:
        key: The key as it is scored.
        response: The response as it is scored.
        partners: The key mention of each response mention that has one.
    """

    def __init__(self, key: Document, response: Document, *, match: str, zeros: str) -> None:
        self.key = key
        self.response = response
        self._zero_names = _aligned_zeros(key, response, zeros)
        # Each mention once, in the order of its document.
        self._key_mentions = dict.fromkeys(chain.from_iterable(key.clusters))
        self._response_mentions = dict.fromkeys(chain.from_iterable(response.clusters))
        self.partners: dict[Hashable, Hashable] = {}
        self._counterparts: dict[Hashable, Hashable] | None = None
        responses_left = self._match_equal()
        if match != "exact":
            self._match_similar(match, responses_left)

    def _match_equal(self) -> list[Any]:
        """Match equal mentions; return the response mentions that are left."""
        responses_left: list[Any] = []
        for mention in self._response_mentions:
            name = mention
            if self._zero_names and not is_span(mention):
                name = tuple(map(self._name_in_key, mention))
            if name in self._key_mentions:
                self.partners[mention] = name
            else:
                responses_left.append(mention)
        return responses_left

    def _match_similar(self, match: str, responses_left: list[Any]) -> None:
        """Match what is left by `head` or `partial`."""
        taken = set(self.partners.values())
        keys_left = [mention for mention in self._key_mentions if mention not in taken]
        keys_left = in_text_order(self.key, keys_left)
        responses_left = in_text_order(self.response, responses_left)
        keys: list[Mention] = []
        for mention in keys_left:
            key_head = head_of(self.key, mention)
            keys.append(Mention(0, key_head, tokens_of(self.key, mention)))
        responses: list[Mention] = []
        for mention in responses_left:
            head: Any = None
            # Of the response's mentions, `partial` asks for the tokens alone.
            if match == "head":
                head = self._name_in_key(head_of(self.response, mention))
            tokens = map(self._name_in_key, tokens_of(self.response, mention))
            responses.append(Mention(0, head, tokens))
        for k, r in earliest_pairs(similar(self.key, match, keys, responses)):
            self.partners[responses_left[r]] = keys_left[k]

    def _name_in_key(self, token: Any) -> Any:
        """Return the name of a token or a piece of the response among those of the key."""
        return self._zero_names.get(token, token) if isinstance(token, str) else token

    def overlap(self) -> tuple[int, int, int]:
        """Count as `scorer.match.pairing.count_overlap`; a mention that repeats counts once."""
        keys: list[Mention] = []
        for mention in self._key_mentions:
            key_tokens = tokens_of(self.key, mention)
            keys.append(Mention(0, None, key_tokens))
        responses: list[Mention] = []
        for mention in self._response_mentions:
            tokens = map(self._name_in_key, tokens_of(self.response, mention))
            responses.append(Mention(0, None, tokens))
        return count_overlap(self.key, keys, responses)

    def in_order(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Return the clusters of key and response, their mentions by first, then last token."""
        key = [in_text_order(self.key, cluster) for cluster in self.key.clusters]
        response = [in_text_order(self.response, cluster) for cluster in self.response.clusters]
        return key, response

    def counterpart(self, mention: Any) -> Any | None:
        """Return the response mention that stands for a key mention; None where there is none."""
        if self._counterparts is None:
            self._counterparts = {partner: other for other, partner in self.partners.items()}
        return self._counterparts.get(mention)

    def is_zero(self, mention: Any) -> bool:
        """Return whether a mention is made of empty nodes only."""
        if is_span(mention) or type(mention) is not tuple:
            return False
        return all(type(piece) is str for piece in mention)

    def renamed(self, response: Document) -> Document:
        """Return the response with each mention that stands for one of the key replaced by it."""
        renamed = copy(response)
        renamed.clusters = []
        for cluster in response.clusters:
            mentions = [self._name_of(mention) for mention in cluster]
            renamed.clusters.append(mentions)
        return renamed

    def _name_of(self, mention: Any) -> Any:
        """Return the name under which a response mention is scored."""
        if mention in self.partners:
            return self.partners[mention]
        if mention in self._key_mentions:
            return Unmatched(("unmatched", mention))
        return mention


def _aligned_zeros(key: Document, response: Document, zeros: str) -> dict[str, Hashable]:
    """Name response zeros by their key zero where that differs, and those without one uniquely."""
    if response.syntax is None or not response.syntax.zeros:
        return {}
    key_zeros = list(key.syntax.zeros) if key.syntax else []
    response_zeros = list(response.syntax.zeros)
    names: dict[str, Hashable] = {}
    if zeros == "linear" or key.syntax is None:
        known = set(key_zeros)
        for zero in response_zeros:
            if zero not in known:
                names[zero] = ("unmatched", zero)
        return names
    keys = [dependencies_of(zero, key.syntax) for zero in key_zeros]
    responses = [dependencies_of(zero, response.syntax) for zero in response_zeros]
    pairs = earliest_pairs(similar_zeros(key, keys, responses))
    key_places = {r: k for k, r in pairs}
    for r, zero in enumerate(response_zeros):
        if r in key_places:
            names[zero] = key_zeros[key_places[r]]
        else:
            names[zero] = ("unmatched", zero)
    return names
