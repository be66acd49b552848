"""The errors of one document: its mentions and clusters, and the places of its errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from conll.document import ETYPE, Document, Layers
from scorer.analysis.kinds import DIVIDED, EXTRA, MISSING, SPAN, Part, Repair
from scorer.analysis.pair import Cluster, Pair
from scorer.analysis.span_errors import paired
from scorer.analysis.text import NONE, OF_TYPES, Text, as_written, ends
from scorer.options import Options

ValueT = TypeVar("ValueT")


class Finding(NamedTuple):
    """An error, for readers.

    Attributes:
        kind: One of `scorer.analysis.kinds.KINDS`.
        document: The name of the document.
        side: The file in which its mention stands: key or response.
        path: The path of that file.
        line: The line of the mention (from 1; 0 for memory).
        mention: The first of its mentions.
        mentions: How many mentions it has.
        type: The type of the mention: name, nominal or pronoun.
        key_cluster: The id of the key cluster as written, empty if there is none.
        response_cluster: The id of the response cluster, likewise.
        before: Words before the mention in its sentence.
        words: The words of the mention.
        after: Words after the mention in its sentence.
        beside: The words of what it is apart from or together with: for a span error the response's
            mention, else the first mention of the cluster that is no pronoun.
    """

    kind: str
    document: str
    side: str
    path: str
    line: int
    mention: Any
    mentions: int
    type: str
    key_cluster: str
    response_cluster: str
    before: str
    words: str
    after: str
    beside: str


class DocumentErrors:
    """The errors of one document.

    Args:
        key: The document of the key, as it was read.
        response: The document of the response, with the mentions of the key that match its own.
        options: How it is scored.
        layers_of: Returns the layers in the file of a side, None if it has none.
        antecedents: Those that the response's file gives, by mention.
        columns: The names of the columns to keep.
        as_read: The document of the response as it was read, if its mentions are other ones.

    Attributes:
        name: Its name.
        pair: Its mentions and clusters.
        repair: Its errors.
    """

    def __init__(
        self,
        key: Document,
        response: Document,
        options: Options,
        layers_of: Callable[[str], Layers | None],
        antecedents: Mapping[Any, Any],
        columns: Collection[str] = (),
        as_read: Document | None = None,
    ) -> None:
        self.name = key.name
        self.key = key
        self.response = response
        self.antecedents = antecedents
        self._as_read = {"key": key, "response": as_read or response}
        self._layers_of = layers_of
        text = Text(_text_layers(layers_of, columns), key, response)
        self.pair = Pair(key, response, text, options)
        self.repair = Repair(self.pair, paired(self.pair))

    def findings(self, width: int = 6) -> Iterator[Finding]:
        """Yield the errors one at a time, with so many words around each.

        Spans first, then by key cluster and by response cluster.
        """
        pair, text = self.pair, self.pair.text
        for part in self.repair.parts:
            side = "response" if part.kind in EXTRA else "key"
            document = self.response if part.kind in EXTRA else self.key
            mention = part.mentions[0]
            mention_as_read = pair.mentions[mention]
            other = self._other_mention(part)
            beside = ""
            if other != mention:
                beside = text.words_of(pair.mentions[other])
            before, after = text.context(mention_as_read, width)
            yield Finding(
                kind=part.kind,
                document=self.name,
                side=side,
                path=document.path,
                line=self.line(side, mention),
                mention=as_written(mention_as_read),
                mentions=1 if part.kind == SPAN else len(part.mentions),
                type=pair.kinds[mention],
                key_cluster=pair.key_labels[part.key],
                response_cluster=pair.response_labels[part.response],
                before=before,
                words=text.words_of(mention_as_read),
                after=after,
                beside=beside,
            )

    def _other_mention(self, part: Part) -> int:
        """Return the mention that an error is apart from or together with."""
        if part.kind == SPAN:
            return part.mentions[1]
        if part.kind in MISSING or part.kind == DIVIDED:
            return self._first_non_pronoun(self.pair.key[part.key])
        return self._first_non_pronoun(self.repair.response[part.response])

    def _first_non_pronoun(self, cluster: Cluster) -> int:
        """Return the first mention of a cluster that is no pronoun; its first if all are."""
        for mention in cluster:
            if not self.pair.pronoun[mention]:
                return mention
        return cluster[0]

    def line(self, side: str, mention: int) -> int:
        """Return the line of that side's file on which a mention starts, 0 where it has none."""
        return self._lines[side].get(self.pair.mentions[mention], 0)

    @cached_property
    def _lines(self) -> dict[str, dict[Any, int]]:
        """The line of each mention in the file of each side."""
        return {
            "key": self._by_mention("key", self.key.lines),
            "response": self._by_mention("response", self.response.lines),
        }

    def attributes(self, side: str) -> dict[Any, Mapping[str, str]]:
        """Return the attributes of mentions in that side's file.

        Of a mention that it repeats, those of the occurrence that is kept.
        """
        layers = self._layers_of(side)
        if layers is None:
            return {}
        return self._by_mention(side, layers.attributes)

    def entity_labels(self, side: str) -> dict[Any, str]:
        """Return the types of the entities of mentions in that side's file.

        The label of a named entity with the words of a mention counts where the file gives no type
        of its entity.
        """
        layers = self._layers_of(side)
        if layers is None:
            return {}
        names = {(first, last): label for first, last, label in layers.names}

        def label(mention: Any) -> str:
            return names.get(ends(mention), NONE)

        # The mentions of the response may have been renamed; its clusters have the same shape.
        labels = [list(map(label, cluster)) for cluster in self._as_read[side].clusters]
        by_mention = self._by_mention(side, labels)
        for mention, attributes in self.attributes(side).items():
            by_mention[mention] = attributes.get(ETYPE) or by_mention[mention]
        return by_mention

    def tells_entities(self, side: str) -> bool:
        """Return whether that side's file has types of entities, or named entities."""
        layers = self._layers_of(side)
        if layers is None:
            return False
        attributes = chain.from_iterable(layers.attributes)
        return bool(layers.names) or any(ETYPE in each for each in attributes)

    def _by_mention(self, side: str, values: Sequence[Sequence[ValueT]]) -> dict[Any, ValueT]:
        """Map the mentions of a side to values in the shape of its clusters.

        The value of a mention in several clusters is that in the cluster where it is kept.
        """
        document, owner = self.response, self.pair.response_of
        if side == "key":
            document, owner = self.key, self.pair.key_of
        kept = dict(zip(self.pair.mentions, owner))
        by_mention: dict[Any, ValueT] = {}
        elsewhere: dict[Any, ValueT] = {}
        for number, (cluster, cluster_values) in enumerate(zip(document.clusters, values)):
            for mention, value in zip(cluster, cluster_values):
                target = by_mention if kept.get(mention) == number else elsewhere
                target.setdefault(mention, value)
        return elsewhere | by_mention

    def known(self) -> set[str]:
        """Return the names of the columns and of the attributes of mentions that its files have."""
        names = set(self.pair.text.columns)
        for side in ("key", "response"):
            layers = self._layers_of(side)
            if layers is not None:
                for attributes in chain.from_iterable(layers.attributes):
                    names.update(attributes)
        return names

    @cached_property
    def wrong(self) -> dict[Any, set[str]]:
        """The kinds of errors of each mention that is in an error.

        Of a span error, that is the key's mention.
        """
        kinds: dict[Any, set[str]] = {}
        for part in self.repair.parts:
            mentions = part.mentions
            if part.kind == SPAN:
                mentions = mentions[:1]
            for mention in mentions:
                kinds.setdefault(self.pair.mentions[mention], set()).add(part.kind)
        return kinds

    def position(self, mention: Any) -> tuple[str, int]:
        """Return the file and the line of a mention: those of the key where it has the mention."""
        if mention in self._lines["key"] or not self._lines["response"]:
            return self.key.path, self._lines["key"].get(mention, 0)
        return self.response.path, self._lines["response"].get(mention, 0)


def _text_layers(
    layers_of: Callable[[str], Layers | None], columns: Collection[str]
) -> Layers | None:
    """Return the layers of the text: those of the key or, where it has none, of the response.

    The response's count only if it has as many words. A file may have columns and names, and no
    word. The named columns may be those of either file.
    """
    key = layers_of("key")
    if key is not None and key.sentences and _has_layers(key) and key.columns.keys() >= {*columns}:
        return key
    response = layers_of("response")
    if key is None or response is None:
        return key or response
    if len({_size(key), _size(response)} - {0}) > 1:
        return key
    first, other = key, response
    if _has_layers(response) and not _has_layers(key):
        first, other = response, key
    further = {}
    for name in columns:
        if name in other.columns and name not in OF_TYPES:
            further[name] = other.columns[name]
    names = key.names
    if not names:
        names = first.names if _has_layers(first) else response.names
    return Layers(key.sentences or response.sentences, further | {**first.columns}, names=names)


def _has_layers(layers: Layers) -> bool:
    """Return whether a file has columns, also empty ones of unknown words, or named entities."""
    return any(map(len, layers.columns.values())) or bool(layers.names and layers.sentences)


def _size(layers: Layers) -> int:
    """Return the number of words; 0 where that is not known."""
    return sum(map(len, layers.sentences)) or max(map(len, layers.columns.values()), default=0)
