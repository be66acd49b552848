"""A key and a response of one document as numbers: every mention once, counted in the order of the text."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from conll.syntax import is_span, pieces
from scorer.analysis.text import PRONOUN, ends, is_empty
from scorer.match.align import without_repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from conll.document import Document
    from scorer.analysis.text import Text
    from scorer.options import Options

NOWHERE = -1
"""The cluster of a mention that a side lacks."""

Cluster = list[int]
"""The numbers of the mentions of a cluster, ascending, so in the order of the text."""


class Pair:
    """What errors of one document are found in.

    `mentions` of both sides in the order of the text; all else counts by the places in it. `key` and `response` are clusters,
    `key_of` and `response_of` the cluster of each mention, `NOWHERE` where that side lacks it. `left_out`: the key clusters of
    one mention that the options drop; they are no part of the key, but what is of them is not invented. `kinds`: name, nominal
    or pronoun of each mention, `pronoun` whether it is the last.

    A mention that a side repeats stands in one cluster, as the option `duplicates` says: of the occurrences that it keeps in the
    last of the key and in the first of the response. `repeats` counts what is left out so.
    """

    def __init__(self, key: Document, response: Document, text: Text, options: Options) -> None:
        self.text = text
        self.drop = options.singletons == "drop"
        of_key, of_response = self._once(key, response, options)
        if options.singletons != "keep":
            of_response = [cluster if len(cluster) != 1 else [] for cluster in of_response]
        self.mentions = _in_order({**_flat(of_key), **_flat(of_response)}, (key, response))
        number = {mention: at for at, mention in enumerate(self.mentions)}
        self.key: list[Cluster] = [sorted(map(number.__getitem__, cluster)) for cluster in of_key]
        self.response: list[Cluster] = [sorted(map(number.__getitem__, cluster)) for cluster in of_response]
        self.left_out = {k for k, cluster in enumerate(self.key) if self.drop and len(cluster) == 1}
        self.key_of = owners(self.key, len(self.mentions))
        self.response_of = owners(self.response, len(self.mentions))
        self.kinds = [text.kind(mention) for mention in self.mentions]
        self.pronoun = [kind == PRONOUN for kind in self.kinds]
        self.key_labels, self.response_labels = _labels(key), _labels(response)

    def _once(self, key: Document, response: Document, options: Options) -> tuple[list[list[Any]], list[list[Any]]]:
        keys, responses = _flat(key.clusters), _flat(response.clusters)
        given = sum(map(len, key.clusters)) + sum(map(len, response.clusters))
        self.repeats = given - len(keys) - len(responses)
        if not self.repeats:
            return key.clusters, response.clusters
        of_key, of_response, _, _ = without_repeats(key.clusters, response.clusters, options.duplicates)
        own = {mention: k for k, cluster in enumerate(of_key) for mention in cluster}
        first: dict[Any, int] = {}
        for r, cluster in enumerate(of_response):
            for mention in cluster:
                first.setdefault(mention, r)
        return (
            [[m for m in dict.fromkeys(cluster) if own[m] == k] for k, cluster in enumerate(of_key)],
            [[m for m in dict.fromkeys(cluster) if first[m] == r] for r, cluster in enumerate(of_response)],
        )

    def is_key(self, mention: int) -> bool:
        """Whether the key, as it is scored, has the mention."""
        k = self.key_of[mention]
        return k != NOWHERE and k not in self.left_out


def owners(clusters: Sequence[Cluster], mentions: int) -> list[int]:
    """The cluster of each mention, `NOWHERE` of one in none."""
    owner = [NOWHERE] * mentions
    for at, cluster in enumerate(clusters):
        for mention in cluster:
            owner[mention] = at
    return owner


def _flat(clusters: Sequence[Sequence[Any]]) -> dict[Any, None]:
    return dict.fromkeys(chain.from_iterable(clusters))


def _labels(document: Document) -> Callable[[int], str]:
    labels = document.labels
    return lambda at: "" if at == NOWHERE else labels[at] if labels else str(at)


def _in_order(mentions: dict[Any, None], documents: tuple[Document, ...]) -> list[Any]:
    """The mentions by first, then last token; those that are no tokens come last, as key and response list them."""
    if all(map(is_span, mentions)):
        return sorted(mentions)
    # Empty nodes are placed by the sentences, which are those of both sides where these hold the same text; else the longer one has
    # a sentence for every node.
    known = max(
        (document.syntax for document in documents if document.syntax is not None),
        key=lambda syntax: len(syntax.starts),
        default=None,
    )
    listed = {mention: at for at, mention in enumerate(mentions)}

    def place(mention: Any) -> tuple[Any, ...]:
        if is_span(mention):
            return 0, (mention[0], 0, 0), (mention[1], 0, 0), 0
        first, last = ends(mention)
        if first < 0 and not is_empty(mention):
            return (1, listed[mention])
        if known is None:
            return 0, (first, 0, 0), (last, 0, 0), listed[mention]
        tokens = pieces(mention)
        begin, end = (piece if isinstance(piece, str) else piece[at] for at, piece in ((0, tokens[0]), (1, tokens[-1])))
        return 0, known.place(begin), known.place(end), listed[mention]

    return sorted(mentions, key=place)
