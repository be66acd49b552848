"""The errors of one document: its mentions and clusters, and the places of its errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from conll.document import ETYPE, Document, Layers
from conll.syntax import is_span
from scorer.analysis.pair import (
    NAME,
    NOMINAL,
    NONE,
    NOWHERE,
    OF_TYPES,
    PRONOUN,
    Cluster,
    Pair,
    Text,
    as_written,
    ends,
    owners,
)
from scorer.options import Options

ValueT = TypeVar("ValueT")


class Finding(NamedTuple):
    """An error, for readers.

    Attributes:
        kind: One of `scorer.analysis.document_errors.KINDS`.
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
            kind = ERROR_KINDS[part.kind]
            # What both sides have, the key shows.
            side = kind.side if kind.is_lone else "key"
            document = self.key if side == "key" else self.response
            mention = part.mentions[0]
            mention_as_read = pair.mentions[mention]
            other = self._other_mention(part)
            beside = text.words_of(pair.mentions[other]) if other != mention else ""
            before, after = text.context(mention_as_read, width)
            yield Finding(
                kind=part.kind,
                document=self.name,
                side=side,
                path=document.path,
                line=self.line(side, mention),
                mention=as_written(mention_as_read),
                mentions=1 if kind.is_span else len(part.mentions),
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
        kind = ERROR_KINDS[part.kind]
        if kind.is_span:
            return part.mentions[1]
        if kind.side == "key":
            return self._first_non_pronoun(self.pair.key[part.key])
        return self._first_non_pronoun(self.repair.response[part.response])

    def _first_non_pronoun(self, cluster: Cluster) -> int:
        """Return the first mention of a cluster that is no pronoun; its first if all are."""
        return next((mention for mention in cluster if not self.pair.pronoun[mention]), cluster[0])

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

    def _layers(self, side: str) -> Layers:
        return self._layers_of(side) or Layers([])

    def attributes(self, side: str) -> dict[Any, Mapping[str, str]]:
        """Return the attributes of mentions in that side's file.

        Of a mention that it repeats, those of the occurrence that is kept.
        """
        return self._by_mention(side, self._layers(side).attributes)

    def entity_labels(self, side: str) -> dict[Any, str]:
        """Return the types of the entities of mentions in that side's file.

        The label of a named entity with the words of a mention counts where the file gives no type
        of its entity.
        """
        layers = self._layers(side)
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
        layers = self._layers(side)
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
            for attributes in chain.from_iterable(self._layers(side).attributes):
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
            if ERROR_KINDS[part.kind].is_span:
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
    added = [name for name in columns if name in other.columns and name not in OF_TYPES]
    further = {name: other.columns[name] for name in added}
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


SPAN = "span error"
MISSING_MENTION = "missing mention"
MISSING_ENTITY = "missing entity"
MISSING_SINGLETON = "missing singleton"
DIVIDED = "divided entity"
EXTRA_MENTION = "extra mention"
EXTRA_ENTITY = "extra entity"
EXTRA_SINGLETON = "extra singleton"
CONFLATED = "conflated entities"

MISSING = (MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON)
EXTRA = (EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON)


class ErrorKind(NamedTuple):
    """A kind of error.

    Attributes:
        side: The side of whose cluster its mentions are a part: key (recall) or response.
        is_lone: Whether the other side lacks its mentions.
        is_each: Whether each of these is an error by itself.
        is_span: Whether it is a mention of each side, with other boundaries.
        pattern: How pages draw it: 0 dashes, 1 dots, 2 two lines.
    """

    side: str
    is_lone: bool = False
    is_each: bool = False
    is_span: bool = False
    pattern: int = 0


ERROR_KINDS: dict[str, ErrorKind] = {
    SPAN: ErrorKind("key", is_span=True, pattern=3),
    MISSING_MENTION: ErrorKind("key", is_lone=True, is_each=True),
    MISSING_ENTITY: ErrorKind("key", is_lone=True),
    MISSING_SINGLETON: ErrorKind("key", is_lone=True),
    DIVIDED: ErrorKind("key", pattern=2),
    EXTRA_MENTION: ErrorKind("response", is_lone=True, is_each=True, pattern=1),
    EXTRA_ENTITY: ErrorKind("response", is_lone=True, pattern=1),
    EXTRA_SINGLETON: ErrorKind("response", is_lone=True, pattern=1),
    CONFLATED: ErrorKind("response", pattern=2),
}
"""All kinds by name, those of recall before those of precision: so they are fixed in turn."""

KINDS = tuple(ERROR_KINDS)
"""Their names."""

KEY_CLUSTERING, KEY_MENTIONS, SPANS_REPAIRED = BOUNDS = (
    "clustered as in the key",
    "mentions of the key",
    "spans repaired",
)
"""Upper bounds: the response's mentions clustered as in the key, the key's mentions clustered as in
the response, or the response with the key's boundaries where two mentions correspond."""

_BASE = ""
"""The label of a base that the other side lacks."""


class Part(NamedTuple):
    """An error.

    Attributes:
        kind: Its kind, of `KINDS`.
        key: The cluster of the key, `NOWHERE` where it has none.
        response: The cluster of the response, `NOWHERE` where it has none.
        mentions: Its mentions; of a span error that of the key and that of the response.
    """

    kind: str
    key: int
    response: int
    mentions: Sequence[int]


@dataclass(slots=True)
class _Division:
    """A cluster as the other side divides it.

    Attributes:
        parts: Its mentions by the other side's clusters.
        base: The other side's cluster of its base, `NOWHERE` if that lacks it or has nothing but
            pronouns of the cluster.
        lone: The mentions that the other side lacks, by kind of error, `_BASE` for a base.
        others: The other side's clusters whose parts are errors.
    """

    parts: dict[int, Cluster]
    base: int
    lone: list[tuple[str, Cluster]]
    others: list[int]

    def errors(self) -> Iterator[tuple[str, Cluster]]:
        """Yield the errors among what the other side lacks: a kind, and its mentions."""
        for kind, mentions in self.lone:
            if kind == _BASE:
                continue
            if ERROR_KINDS[kind].is_each:
                for mention in mentions:
                    yield kind, [mention]
            else:
                yield kind, mentions


class Repair:
    """The errors of a response, and its clusters once some kinds of them are repaired.

    Args:
        pair: The document.
        spans: Pairs of a key mention and the response mention that corresponds to it.

    Attributes:
        response: The clusters of the response, with the spans replaced.
        response_of: The response cluster of each mention, likewise.
        parts: The errors: spans first, then by key cluster and by response cluster.
    """

    def __init__(self, pair: Pair, spans: Sequence[tuple[int, int]]) -> None:
        self.pair = pair
        self.response: list[Cluster] = pair.response
        self.response_of = pair.response_of
        if spans:
            self.response = _with_spans(pair, spans)
            self.response_of = owners(self.response, len(pair.mentions))
        self._key = self._divided(pair.scored_key, self.response_of, MISSING)
        self._response = self._divided(self.response, pair.key_of, EXTRA)
        self.parts = list(self._errors(spans))

    def _divided(
        self, clusters: Sequence[Cluster], other_of: Sequence[int], kinds: tuple[str, str, str]
    ) -> dict[int, _Division]:
        """Divide the clusters of a side; see `_divide`."""
        numbered = [(number, cluster) for number, cluster in enumerate(clusters) if cluster]
        return {number: self._divide(cluster, other_of, kinds) for number, cluster in numbered}

    def _errors(self, spans: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Yield the errors: spans first, then by key cluster and by response cluster."""
        for key, response in spans:
            k, r = self.pair.key_of[key], self.pair.response_of[response]
            yield Part(SPAN, k, r, (key, response))
        for k, division in self._key.items():
            for kind, lone in division.errors():
                yield Part(kind, k, NOWHERE, lone)
            for r in division.others:
                yield Part(DIVIDED, k, r, division.parts[r])
        for r, division in self._response.items():
            for kind, lone in division.errors():
                yield Part(kind, NOWHERE, r, lone)
            for k in division.others:
                yield Part(CONFLATED, k, r, division.parts[k])

    def _divide(
        self, cluster: Cluster, other_of: Sequence[int], kinds: tuple[str, str, str]
    ) -> _Division:
        """Divide a cluster into parts, one for each cluster of the other side that it meets.

        Args:
            cluster: The cluster.
            other_of: The cluster of each mention on the other side.
            kinds: What a mention, an entity and a singleton are called that the other side lacks.
        """
        mention_kind, entity_kind, singleton_kind = kinds
        parts: dict[int, Cluster] = {}
        for mention in cluster:
            parts.setdefault(other_of[mention], []).append(mention)
        lone = parts.pop(NOWHERE, [])
        pronoun = self.pair.pronoun
        base = next((mention for mention in cluster if not pronoun[mention]), cluster[0])
        common = chain.from_iterable(parts.values())
        if len(lone) > 1 and all(pronoun[mention] for mention in common):
            return _Division(parts, NOWHERE, [(entity_kind, lone)], others=list(parts))
        others = [other for other in parts if other != other_of[base]]
        labelled = []
        if other_of[base] == NOWHERE:
            # Without other parts, the base is all of its cluster.
            labelled.append((_BASE if others else singleton_kind, [base]))
        rest = [mention for mention in lone if mention != base]
        if rest:
            labelled.append((mention_kind, rest))
        return _Division(parts, other_of[base], labelled, others)

    def repaired(self, kinds: Collection[str]) -> dict[int, int]:
        """Return the cluster of each mention of the response once its spans and kinds are repaired.

        All kinds give the clusters of the key. Clusters have their numbers in the response; after
        these come those of united parts of key clusters, and of parts that are on their own.

        Conflated: the parts of different key clusters become clusters of their own, extra mentions
        stay with the base, and a base that is itself extra goes. Divided: all parts of a key
        cluster that the response has become one cluster, and a base that is itself missing comes
        in. What is missing comes in, with the largest part of its key cluster (the first of
        equals), or as one cluster; what is extra goes.
        """
        clusters: dict[int, int] = {}
        for k, division in self._key.items():
            for r, part in division.parts.items():
                clusters |= dict.fromkeys(part, self._cluster_of_part(kinds, k, r, part[0]))
        for k, division in self._key.items():
            self._add_missing(clusters, kinds, k, division)
        for k in self.pair.left_out:
            (mention,) = self.pair.key[k]
            r = self.response_of[mention]
            if r != NOWHERE:
                clusters[mention] = self._cluster_of_part(kinds, k, r, mention)
        for r, division in self._response.items():
            self._add_extra(clusters, kinds, r, division)
        return clusters

    def _cluster_of_part(self, kinds: Collection[str], k: int, r: int, first: int) -> int:
        """Return the cluster of a part that key and response have, once kinds are repaired.

        Args:
            kinds: The kinds that are repaired.
            k: The cluster of the key.
            r: The cluster of the response.
            first: The first mention of the part.
        """
        if DIVIDED in kinds and k in self._key and self._key[k].others:
            return self._united(k)
        if CONFLATED in kinds and self._response[r].others:
            return len(self.response) + len(self.pair.key) + first
        return r

    def _united(self, k: int) -> int:
        """Return the number of the cluster of a key cluster whose parts are united."""
        return len(self.response) + k

    def _add_missing(
        self, clusters: dict[int, int], kinds: Collection[str], k: int, division: _Division
    ) -> None:
        """Add what the response lacks of a key cluster, as far as its kinds are repaired."""
        largest = max(division.parts.values(), key=len, default=[])
        target = clusters[largest[0]] if largest else self._united(k)
        for kind, mentions in division.lone:
            if (kind or DIVIDED) in kinds:
                clusters |= dict.fromkeys(mentions, target)

    def _add_extra(
        self, clusters: dict[int, int], kinds: Collection[str], r: int, division: _Division
    ) -> None:
        """Add what the key lacks of a response cluster, unless its kinds are repaired."""
        target = r
        if CONFLATED in kinds and division.others and division.base != NOWHERE:
            target = clusters[division.parts[division.base][0]]
        for kind, mentions in division.lone:
            if (kind or CONFLATED) not in kinds:
                clusters |= dict.fromkeys(mentions, target)


def _with_spans(pair: Pair, spans: Sequence[tuple[int, int]]) -> list[Cluster]:
    """Return the clusters of the response, with the key's mentions for the response's of spans."""
    replacement = {response: key for key, response in spans}
    clusters = list(pair.response)
    for r in {pair.response_of[mention] for mention in replacement}:
        clusters[r] = sorted(replacement.get(mention, mention) for mention in pair.response[r])
    return clusters


ANTECEDENTS = ("closest", "accessible")
"""Where the first mention of a part points: to the closest earlier mention; or, unless it is a
pronoun, to the closest name, else the closest nominal, else any."""

PRECISION = ("auto", "tree", "output")
"""Which links of the response are looked at: those of its trees; its own, where its file gives
antecedents, and else those to the closest earlier mention of the cluster (`output`); its own where
its file gives any, and else those of trees (`auto`)."""


class Link(NamedTuple):
    """A link of one side.

    Attributes:
        side: The side: key or response.
        anaphor: The number of the mention that points back.
        antecedent: The number of the mention to which it points.
        right: Whether the other side has both in one cluster.
    """

    side: str
    anaphor: int
    antecedent: int
    right: bool


def recall_links(pair: Pair, antecedents: str = "closest") -> Iterator[Link]:
    """Yield the links of the key's trees."""
    return _tree_links("key", pair.scored_key, pair.response_of, pair.kinds, antecedents)


def precision_links(
    pair: Pair,
    antecedents: str = "closest",
    links: str = "auto",
    given: Mapping[Any, Any] | None = None,
) -> Iterator[Link]:
    """Yield the links of the response.

    Args:
        pair: The document.
        antecedents: One of `ANTECEDENTS`.
        links: One of `PRECISION`.
        given: The antecedents that the response's file gives, by mention. Those that come after
            their anaphor are none.
    """
    earlier = {
        mention: antecedent
        for mention, antecedent in (given or {}).items()
        if ends(antecedent) <= ends(mention) and mention != antecedent
    }
    if links == "tree" or (links == "auto" and not earlier):
        return _tree_links("response", pair.response, pair.key_of, pair.kinds, antecedents)
    return _output_links(pair, earlier)


def _output_links(pair: Pair, given: Mapping[Any, Any]) -> Iterator[Link]:
    """Yield the links that the response gives, or those to the closest mention if it gives none."""
    number = {mention: at for at, mention in enumerate(pair.mentions)}
    for cluster in pair.response:
        closest = NOWHERE
        for mention in cluster:
            antecedent = closest
            closest = mention
            if given:
                antecedent = number.get(given.get(pair.mentions[mention]), NOWHERE)
            if antecedent == NOWHERE:
                continue
            k = pair.key_of[mention]
            right = k != NOWHERE and k == pair.key_of[antecedent]
            yield Link("response", mention, antecedent, right)


def _tree_links(
    side: str,
    clusters: Iterable[Cluster],
    other_of: Sequence[int],
    kinds: Sequence[str],
    antecedents: str,
) -> Iterator[Link]:
    """Yield the links of the trees of clusters, of whose mentions the other side has `other_of`."""
    for cluster in clusters:
        # The last mention of each part, and the last one of each type.
        last_of_part: dict[int, int] = {}
        last_of_kind: dict[str, int] = {}
        closest = NOWHERE
        for mention in cluster:
            part = other_of[mention]
            if part != NOWHERE and part in last_of_part:
                yield Link(side, mention, last_of_part[part], right=True)
            elif closest != NOWHERE:
                antecedent = closest
                if antecedents == "accessible" and kinds[mention] != PRONOUN:
                    antecedent = last_of_kind.get(NAME, last_of_kind.get(NOMINAL, closest))
                yield Link(side, mention, antecedent, right=False)
            last_of_part[part] = closest = mention
            last_of_kind[kinds[mention]] = mention


ARTICLES = frozenset({"a", "an", "the"})


def paired(pair: Pair) -> list[tuple[int, int]]:
    """Return pairs of a key mention and the response mention that corresponds to it, ascending.

    Each mention is in one pair at most.

    Of the mentions that one side alone has those are paired, in their order, that are equal without
    an article or a mark of one letter before them, and a `'s` or such a mark after them; then those
    of the same head, where one of each side is left with it.
    """
    key = _unmatched(pair.scored_key, pair.response_of)
    response = _unmatched(pair.response, pair.key_of)
    if not key or not response:
        return []
    pairs = _paired_by_core(pair, key, response)
    taken = set(chain.from_iterable(pairs))
    key_heads = _by_head(pair, [mention for mention in key if mention not in taken])
    response_heads = _by_head(pair, [mention for mention in response if mention not in taken])
    for head, key_mentions in key_heads.items():
        response_mentions = response_heads.get(head, [])
        if len(key_mentions) == len(response_mentions) == 1:
            pairs.append((key_mentions[0], response_mentions[0]))
    return sorted(pairs)


def _unmatched(clusters: Sequence[Cluster], other_of: Sequence[int]) -> Cluster:
    """List the mentions of clusters that the other side lacks, in the order of the text."""
    mentions = chain.from_iterable(clusters)
    return sorted(mention for mention in mentions if other_of[mention] == NOWHERE)


def _paired_by_core(pair: Pair, key: Cluster, response: Cluster) -> list[tuple[int, int]]:
    """Pair mentions with the same core, the first with the first."""
    words = pair.text.words
    by_core: dict[Hashable, list[int]] = {}
    for mention in reversed(key):
        by_core.setdefault(core(pair.mentions[mention], words), []).append(mention)
    pairs = []
    for mention in response:
        same = by_core.get(core(pair.mentions[mention], words))
        if same:
            pairs.append((same.pop(), mention))
    return pairs


def _by_head(pair: Pair, mentions: Iterable[int]) -> dict[Hashable, list[int]]:
    """Group mentions by their heads, without those of which no head is known."""
    by_head: dict[Hashable, list[int]] = {}
    for mention in mentions:
        head = pair.text.head(pair.mentions[mention])
        if head is not None:
            by_head.setdefault(head, []).append(mention)
    return by_head


def core(mention: Any, words: Sequence[str]) -> Hashable:
    """Return a mention without what does not matter at its boundaries.

    What is not a pair of tokens of the text stays as it is.
    """
    if not is_span(mention) or mention[1] >= len(words):
        return mention  # type: ignore[no-any-return]  # hashable, as all mentions are
    first, last = mention
    if first < last and (words[first].lower() in ARTICLES or _is_mark(words[first])):
        first += 1
    if first < last and (words[last].lower() == "'s" or _is_mark(words[last])):
        last -= 1
    return first, last


def _is_mark(token: str) -> bool:
    return len(token) == 1 and not token.isalpha()
