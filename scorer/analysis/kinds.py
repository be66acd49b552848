"""The kinds of errors by which a response is turned into its key, and the response with some of them repaired.

Kummerfeld and Klein, EMNLP 2013, by the rules on the page of errors in the documentation: they do
not depend on an order of repairs, as the authors' program does. Each cluster falls into parts, one
for each cluster of the other side that it meets and one for each mention that the other side lacks.
The part with its first mention that is no pronoun (its first mention, if all are) is the base, and
no error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from conll.document import Document, Layers
from scorer.analysis.pair import NOWHERE, Cluster, Pair, owners, paired
from scorer.analysis.text import OF_TYPES, Text, as_written
from scorer.count.counts import Counts, DocumentContingency
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.options import Options
from scorer.scheme import Scheme

Counted = dict[str, tuple[Counts, ...]]
"""The counts of a document by metric."""

SPAN = "span error"
MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON = (
    "missing mention",
    "missing entity",
    "missing singleton",
)
DIVIDED = "divided entity"
EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON = "extra mention", "extra entity", "extra singleton"
CONFLATED = "conflated entities"

MISSING = (MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON)
EXTRA = (EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON)
KINDS = (SPAN, *MISSING, DIVIDED, *EXTRA, CONFLATED)
"""All kinds, those of recall before those of precision; so they are repaired one after the other."""


class Part(NamedTuple):
    """An error: its kind, the clusters of key and response that meet in it (`NOWHERE` where a side has none), and its mentions."""

    kind: str
    key: int
    response: int
    mentions: Sequence[int]


class _Division(NamedTuple):
    """A cluster as the other side divides it.

    Attributes:
        parts: its mentions by the other side's clusters.
        base: the other side's cluster of its base, `NOWHERE` if that lacks it or has nothing but
            pronouns of the cluster.
        lone: the mentions that the other side lacks, by kind, which is empty for a base.
        others: the other side's clusters whose parts are errors.
    """

    parts: dict[int, Cluster]
    base: int
    lone: list[tuple[str, Cluster]]
    others: list[int]

    def errors(self) -> Iterator[tuple[str, Cluster]]:
        """Yield the errors among what the other side lacks: a kind, and its mentions."""
        for kind, mentions in self.lone:
            if kind in {MISSING_MENTION, EXTRA_MENTION}:
                yield from ((kind, [mention]) for mention in mentions)
            elif kind:
                yield kind, mentions


class Repair:
    """How a response, its spans repaired, is turned into the key.

    `spans`: pairs of a key mention and the response mention that stands for it. `response` and
    `response_of` are as those of the pair, with the spans replaced. `parts` are the errors, spans
    first, then by key cluster and by response cluster.
    """

    def __init__(self, pair: Pair, spans: Sequence[tuple[int, int]]) -> None:
        self.pair = pair
        self.spans = spans
        self.response: list[Cluster] = pair.response
        self.response_of = pair.response_of
        if spans:
            stands = {response: key for key, response in spans}
            touched = {pair.response_of[mention] for mention in stands}
            self.response = list(pair.response)
            for r in touched:
                self.response[r] = sorted(
                    stands.get(mention, mention) for mention in pair.response[r]
                )
            self.response_of = owners(self.response, len(pair.mentions))
        self.parts = [Part(SPAN, pair.key_of[k], pair.response_of[r], (k, r)) for k, r in spans]
        self._key: dict[int, _Division] = {}
        self._response: dict[int, _Division] = {}
        for k, cluster in enumerate(pair.scored_key):
            if cluster:
                self._key[k] = division = self._divide(cluster, self.response_of, MISSING)
                self.parts += (Part(kind, k, NOWHERE, lone) for kind, lone in division.errors())
                self.parts += (Part(DIVIDED, k, r, division.parts[r]) for r in division.others)
        for r, cluster in enumerate(self.response):
            if cluster:
                self._response[r] = division = self._divide(cluster, pair.key_of, EXTRA)
                self.parts += (Part(kind, NOWHERE, r, lone) for kind, lone in division.errors())
                self.parts += (Part(CONFLATED, k, r, division.parts[k]) for k in division.others)

    def _divide(
        self, cluster: Cluster, owner: Sequence[int], kinds: tuple[str, str, str]
    ) -> _Division:
        """Divide a cluster into parts, one for each cluster of the other side that it meets."""
        mention_kind, entity_kind, singleton_kind = kinds
        parts: dict[int, Cluster] = {}
        for mention in cluster:
            parts.setdefault(owner[mention], []).append(mention)
        lone = parts.pop(NOWHERE, [])
        pronoun = self.pair.pronoun
        base = next((mention for mention in cluster if not pronoun[mention]), cluster[0])
        in_both = chain.from_iterable(parts.values())
        if len(lone) > 1 and all(pronoun[mention] for mention in in_both):
            return _Division(parts, NOWHERE, [(entity_kind, lone)], list(parts))
        others = [other for other in parts if other != owner[base]]
        rest = [mention for mention in lone if mention != base]
        labelled = [(mention_kind, rest)] if rest else []
        if owner[base] == NOWHERE:
            labelled.insert(0, ("" if others else singleton_kind, [base]))
        return _Division(parts, owner[base], labelled, others)

    def repaired(self, kinds: Collection[str]) -> dict[int, int]:
        """Return the cluster of each mention of the response, its spans repaired, once these kinds are.

        All kinds give the clusters of the key. Clusters have their numbers in the response; behind
        these come those of united parts of key clusters, and of parts that are on their own.

        Conflated: the parts of different key clusters become clusters of their own, extra mentions
        stay with the base, and a base that is itself extra goes. Divided: all parts of a key
        cluster that the response has become one cluster, and a base that is itself missing comes
        in. What is missing comes in, with the largest part of its key cluster (the first of
        equals), or as one cluster; what is extra goes.
        """
        united = len(self.response)
        single = united + len(self.pair.key)
        placed: dict[int, int] = {}

        def place_of(k: int, r: int, first: int) -> int:
            if DIVIDED in kinds and k in self._key and self._key[k].others:
                return united + k
            return single + first if CONFLATED in kinds and self._response[r].others else r

        for k, division in self._key.items():
            for r, part in division.parts.items():
                here = place_of(k, r, part[0])
                for mention in part:
                    placed[mention] = here
        for k, division in self._key.items():
            largest = max(division.parts.values(), key=len, default=[])
            for kind, mentions in division.lone:
                if (kind or DIVIDED) in kinds:
                    placed |= dict.fromkeys(mentions, placed[largest[0]] if largest else united + k)
        for k in self.pair.left_out:
            (mention,) = self.pair.key[k]
            r = self.response_of[mention]
            if r != NOWHERE:
                placed[mention] = place_of(k, r, mention)
        for r, division in self._response.items():
            here = r
            if CONFLATED in kinds and division.others and division.base != NOWHERE:
                here = placed[division.parts[division.base][0]]
            for kind, mentions in division.lone:
                if (kind or CONFLATED) not in kinds:
                    placed |= dict.fromkeys(mentions, here)
        return placed


KEY_CLUSTERING, KEY_MENTIONS, SPANS_REPAIRED = BOUNDS = (
    "clustered as in the key",
    "mentions of the key",
    "spans repaired",
)
"""What could be had: the response's mentions clustered as in the key, the key's mentions clustered
as in the response, or the response with the key's borders of mentions where the two mean the same.
"""


class Costs:
    """The totals of a response as it is and as it would be, each an evaluation with the documents that were added.

    `response` as it is; `alone` with one kind of error repaired, by kind (all but spans beside the
    spans); `after` with all kinds up to that one repaired, in their order, so that the last is the
    key itself; `bounds` as `BOUNDS` says.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.response = Evaluation(scheme)
        self.alone = {kind: Evaluation(scheme) for kind in KINDS}
        self.after = {kind: Evaluation(scheme) for kind in KINDS}
        self.bounds = {bound: Evaluation(scheme) for bound in BOUNDS}

    def add(self, name: str, counts: Counted, repair: Repair) -> None:
        """Add the counts of a document, and how its response is turned into its key."""
        pair = repair.pair
        metrics = list(self.response.metrics.values())

        def put(evaluation: Evaluation, counts: Counted) -> None:
            evaluation.add(DocumentScore(name, counts, evaluation.metrics))

        def counts_of(clusters: Mapping[int, int]) -> Counted:
            contingency = _contingency(pair, clusters)
            return {metric.name: tuple(metric.count(contingency)) for metric in metrics}

        present = {part.kind for part in repair.parts}
        spans = counts_of(repair.repaired(())) if SPAN in present else counts
        put(self.response, counts)
        put(self.bounds[SPANS_REPAIRED], spans)
        # The mentions of a side in the clusters of the other; what that lacks is alone.
        groups: dict[tuple[int, int], list[int]] = {}
        for mention, clusters in enumerate(zip(pair.key_of, pair.response_of)):
            groups.setdefault(clusters, []).append(mention)
        as_in_key: dict[int, int] = {}
        of_key: dict[int, int] = {}
        alone_from = len(pair.key) + len(pair.response)
        for (k, r), mentions in groups.items():
            for mention in mentions:
                if r != NOWHERE:
                    as_in_key[mention] = k if k != NOWHERE else alone_from + mention
                if pair.scored_key_of[mention] != NOWHERE:
                    of_key[mention] = r if r != NOWHERE else alone_from + mention
        put(self.bounds[KEY_CLUSTERING], counts_of(as_in_key))
        put(self.bounds[KEY_MENTIONS], counts_of(of_key))
        done: set[str] = set()
        so_far = spans
        for kind in KINDS:
            alone = spans
            # What a document lacks need not be counted again.
            if kind in present - {SPAN}:
                done.add(kind)
                alone = counts_of(repair.repaired({kind}))
                so_far = alone if len(done) == 1 else counts_of(repair.repaired(done))
            put(self.alone[kind], alone)
            put(self.after[kind], so_far)

    def gain(self, kind: str, metric: str) -> tuple[float | None, float | None, float]:
        """What recall, precision and F1 gain if that kind alone is repaired.

        An average has no recall and no precision (None).
        """
        base = self.response if kind == SPAN else self.alone[SPAN]
        before, after = base.ratios(metric), self.alone[kind].ratios(metric)
        f1 = after.f1 - before.f1
        if before.recall is None:
            return None, None, f1
        return after.recall - before.recall, after.precision - before.precision, f1


def _contingency(pair: Pair, clusters: Mapping[int, int]) -> DocumentContingency:
    """Make the contingency of the key and of a response that has each mention in one of these clusters."""
    sizes = Counter(clusters.values())
    number = {
        cluster: at
        for at, cluster in enumerate(c for c, size in sizes.items() if size > 1 or not pair.drop)
    }
    key_of, width = pair.scored_key_of, len(number)
    order = [
        key_of[mention] * width + number[cluster]
        for mention, cluster in clusters.items()
        if key_of[mention] != NOWHERE and cluster in number
    ]
    return DocumentContingency(pair.key_sizes, [sizes[cluster] for cluster in number], order)


ValueT = TypeVar("ValueT")


class Finding(NamedTuple):
    """An error, for readers.

    `kind`, one of `scorer.analysis.kinds.KINDS`; `side`: the file in which its mention stands, at
    `path` and `line` (from 1; 0 for memory). `mention` is the first of so many `mentions`, its
    `words` with those `before` and `after` it in its sentence, its `type` name, nominal or pronoun.
    `key_cluster` and `response_cluster` are the ids as written, empty where a side has none.
    `beside`: the words of what it is apart from or together with: for a span error the response's
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
    """The errors of one document: its `pair`, and the `repair` of the response into the key.

    `key` and `response` are the documents as they were read. `told` is what the file of a side says
    of the text and of its mentions, be it that no word is known; `antecedents` are those that the
    response's file tells, and `by` names columns to keep.
    """

    def __init__(
        self,
        key: Document,
        response: Document,
        options: Options,
        told: Callable[[str], Layers | None],
        antecedents: Mapping[Any, Any],
        by: Collection[str] = (),
    ) -> None:
        self.name = key.name
        self.key, self.response = key, response
        self.antecedents = antecedents
        self._told = told
        self.pair = Pair(key, response, Text(_richer(told, by), key, response), options)
        self.repair = Repair(self.pair, paired(self.pair))

    def findings(self, width: int = 6) -> Iterator[Finding]:
        """The errors one by one, with so many words around each.

        Spans first, then by key cluster and by response cluster.
        """
        pair = self.pair
        for part in self.repair.parts:
            side = "response" if part.kind in EXTRA else "key"
            mention = part.mentions[0]
            written = pair.mentions[mention]
            if part.kind == SPAN:
                beside = part.mentions[1]
            else:
                of_key = part.kind in MISSING or part.kind == DIVIDED
                cluster = pair.key[part.key] if of_key else self.repair.response[part.response]
                beside = next((other for other in cluster if not pair.pronoun[other]), cluster[0])
            before, after = pair.text.context(written, width)
            yield Finding(
                kind=part.kind,
                document=self.name,
                side=side,
                path=(self.key if side == "key" else self.response).path,
                line=self.line(side, mention),
                mention=as_written(written),
                mentions=1 if part.kind == SPAN else len(part.mentions),
                type=pair.kinds[mention],
                key_cluster=pair.key_labels[part.key],
                response_cluster=pair.response_labels[part.response],
                before=before,
                words=pair.text.said(written),
                after=after,
                beside="" if beside == mention else pair.text.said(pair.mentions[beside]),
            )

    def line(self, side: str, mention: int) -> int:
        """The line of that side's file on which a mention starts, 0 where it has none."""
        return self._lines[side].get(self.pair.mentions[mention], 0)

    @cached_property
    def _lines(self) -> dict[str, dict[Any, int]]:
        return {
            "key": self._by_mention("key", self.key.lines),
            "response": self._by_mention("response", self.response.lines),
        }

    def attributes(self, side: str) -> dict[Any, Mapping[str, str]]:
        """What that side's file says of its mentions; of one that it repeats, where it is kept."""
        layers = self._told(side)
        return self._by_mention(side, layers.attributes if layers is not None else ())

    def _by_mention(self, side: str, values: Sequence[Sequence[ValueT]]) -> dict[Any, ValueT]:
        """Map the mentions of a side to values in the shape of its clusters.

        The value of a mention in several clusters is that in the cluster where it is kept.
        """
        is_key = side == "key"
        document = self.key if is_key else self.response
        kept = dict(zip(self.pair.mentions, self.pair.key_of if is_key else self.pair.response_of))
        by_mention: dict[Any, ValueT] = {}
        elsewhere: dict[Any, ValueT] = {}
        for number, (cluster, of_cluster) in enumerate(zip(document.clusters, values)):
            for mention, value in zip(cluster, of_cluster):
                where = by_mention if kept.get(mention) == number else elsewhere
                where.setdefault(mention, value)
        return elsewhere | by_mention

    def known(self) -> set[str]:
        """The names of the columns and of the attributes of mentions that its files have."""
        names = set(self.pair.text.columns)
        for layers in (self._told("key"), self._told("response")):
            attributes = layers.attributes if layers is not None else ()
            names.update(chain.from_iterable(chain.from_iterable(attributes)))
        return names

    @cached_property
    def wrong(self) -> dict[Any, set[str]]:
        """The kinds of errors of each mention that is in one.

        Of a span error, the key's mention.
        """
        kinds: dict[Any, set[str]] = {}
        for part in self.repair.parts:
            for mention in part.mentions[:1] if part.kind == SPAN else part.mentions:
                kinds.setdefault(self.pair.mentions[mention], set()).add(part.kind)
        return kinds

    def place(self, mention: Any) -> tuple[str, int]:
        """The file and the line of a mention: those of the key where it has the mention."""
        if mention in self._lines["key"] or not self._lines["response"]:
            return self.key.path, self._lines["key"].get(mention, 0)
        return self.response.path, self._lines["response"].get(mention, 0)


def _richer(told: Callable[[str], Layers | None], by: Collection[str]) -> Layers | None:
    """What the key's file says of the text.

    What the response's says where the key's says nothing, and the words are as many.

    A file may have columns and names, and no word. Columns in `by` may be those of either file.
    """
    key = told("key")
    if key is not None and key.sentences and _tells(key) and set(by) <= {*key.columns}:
        return key
    response = told("response")
    if key is None or response is None:
        return key or response
    if len({_size(key), _size(response)} - {0}) > 1:
        return key
    first, other = (response, key) if _tells(response) and not _tells(key) else (key, response)
    further = {
        name: other.columns[name] for name in by if name in other.columns and name not in OF_TYPES
    }
    names = key.names or (first if _tells(first) else response).names
    return Layers(key.sentences or response.sentences, {**further, **first.columns}, names=names)


def _tells(layers: Layers) -> bool:
    """Whether the file says something of words, be it that it does not give them."""
    return any(map(len, layers.columns.values())) or bool(layers.names and layers.sentences)


def _size(layers: Layers) -> int:
    """How many words there are; 0 where that is not known."""
    return sum(map(len, layers.sentences)) or max(map(len, layers.columns.values()), default=0)
