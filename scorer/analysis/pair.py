"""A key and a response of one document as numbers: every mention once, in the order of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from conll.document import Document
from conll.syntax import Syntax, is_span, pieces
from scorer.analysis.text import PRONOUN, Text, as_written, ends, is_empty
from scorer.match.align import without_repeats
from scorer.match.filters import WITHOUT_SINGLETONS, apply_filters, is_singleton
from scorer.options import Options, filters_in

Clusters = Sequence[Sequence[Any]]

NOWHERE = -1
"""The cluster of a mention that a side lacks."""

Cluster = list[int]
"""The numbers of the mentions of a cluster, ascending, so in the order of the text."""


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
        filtered_key, filtered_response, _ = apply_filters(
            key, response, options, filters_in(options.chosen())
        )
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
        self.left_out: set[int] = set()
        self.scored_key = list(self.key)
        for k, cluster in enumerate(self.key):
            if self.drop and len(cluster) == 1:
                self.left_out.add(k)
                self.scored_key[k] = []
        self.key_of = owners(self.key, len(self.mentions))
        self.scored_key_of = owners(self.scored_key, len(self.mentions))
        self.response_of = owners(self.response, len(self.mentions))
        self.kinds = list(map(text.kind, self.mentions))
        self.pronoun = [kind == PRONOUN for kind in self.kinds]
        self.key_sizes = list(map(len, self.scored_key))
        self.key_labels = list(key.ids())
        self.key_labels.append("")
        self.response_labels = list(response.ids())
        self.response_labels.append("")


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
    last: dict[Any, int] = {}
    for k, cluster in enumerate(kept_key):
        last |= dict.fromkeys(cluster, k)
    first: dict[Any, int] = {}
    for r, cluster in enumerate(kept_response):
        for mention in cluster:
            first.setdefault(mention, r)
    return _only_in(key, last), _only_in(response, first)


def _only_in(clusters: Clusters, owner: Mapping[Any, int]) -> Clusters:
    """Keep each mention in its one cluster, and there once."""
    kept = []
    for number, cluster in enumerate(clusters):
        distinct = dict.fromkeys(cluster)
        kept.append([mention for mention in distinct if owner[mention] == number])
    return kept


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
