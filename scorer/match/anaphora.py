"""Key and response with split antecedents, non-referring expressions and bridging.

Used where an option or a metric asks for more than plain coreference: `split_antecedents`, the
matchings `min` and `craft`, `zeros="drop"`, `layer="deixis"`, the metrics `non_referring` and
`bridging_*`, and `like="ua-2025-01-30"`, the Universal Anaphora scorer by the date of its files.

A mention is its set of words; an empty node is a mention of its own, by its place. A split
antecedent is one more mention of its entity, the set of its elements, which are entities; elements
that are split themselves are replaced by theirs. Key and response split antecedents are aligned for
each metric by that metric's own F1 of their elements, one to one so that the sum is greatest. In
the other overlaps an aligned split antecedent then counts as much as the recall, precision or F1 of
its elements, and a word mention as 1. CEAF counts a mention in every entity that holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from conll.anaphora import Anaphora, anaphora_of
from conll.document import Document
from conll.syntax import is_span, pieces
from scorer.count.counts import Counts, Metric
from scorer.match import matched
from scorer.match.align import removed_between, without_repeats
from scorer.match.filters import drop_singletons
from scorer.match.matching import Mention, Places, best_pairs, check_length, head_of, similar
from scorer.options import EVERY, OUTSIDE_MATCHING

if TYPE_CHECKING:
    from conll.errors import Side
    from scorer.options import Honoured, Options

Clusters = Sequence[Sequence[Mention]]


Runs = Mapping[int, Sequence[tuple[int, int]]]
"""The runs of words of each mention, by its number."""
Numbers = dict[tuple[Any, Any], int]
"""The number of each mention, by its runs of words and the places of its empty nodes."""


PROGRAM = "ua-2025-01-30"
"""What `like` calls the Universal Anaphora scorer, by the date of its files."""

_HONOURED: Honoured = {
    **OUTSIDE_MATCHING,
    "singletons": EVERY,
    "match": EVERY,
    "zeros": ("drop",),
    "split_antecedents": EVERY,
    "layer": EVERY,
}

# Repeats that stay are not defined for split antecedents.
_HONOURED_BY_US = {**_HONOURED, "duplicates": ("first", "last", "corefud", "error")}

# The program has a way of its own with repeats.
_HONOURED_AS_PROGRAM = {**_HONOURED, "like": (PROGRAM,)}

_KINDS = ("clusters", "mentions", "anaphora")

HONOURED: Mapping[str, Honoured] = dict.fromkeys(_KINDS, _HONOURED_BY_US)
"""The options that `AnaphoraPair` honours, by what the metrics look at."""

HONOURED_AS_PROGRAM: Mapping[str, Honoured] = dict.fromkeys(_KINDS, _HONOURED_AS_PROGRAM)
"""Those that it honours where it counts as that program."""


class AnaphoraPair(matched.MatchedPair):
    """A key and a response whose anaphora is matched.

    `problems` is empty, as that program reads what we read.

    Raises:
        RepeatedMentionError: `duplicates` is `error` and a mention is repeated.
        ConllError: The elements of a split antecedent form a circle.
    """

    def __init__(self, key: Document, response: Document, options: Options) -> None:
        self._document = key
        self._only = options.split_antecedents == "only"
        numbers: Numbers = {}
        self._key = AnaphoraSide(key, options, numbers)
        self._response = AnaphoraSide(response, options, numbers)
        self.problems, self.repeats, self.invented = [], [], 0
        self.removed = []
        key_clusters: Clusters = self._key.clusters
        response_clusters: Clusters = self._response.clusters
        if options.like is None:
            # Repeats that stay are not defined for split antecedents.
            policy = "first" if options.duplicates == "reference" else options.duplicates
            key_clusters, response_clusters, self.repeats, self.invented = without_repeats(
                key_clusters, response_clusters, policy
            )
        if self.repeats:
            for name, side, left in (
                ("key", self._key, key_clusters),
                ("response", self._response, response_clusters),
            ):
                self.removed.append(removed_between("duplicates", name, side.clusters, left))
        keys = self._filtered("key", key_clusters, self._key.splits, options)
        responses = self._filtered("response", response_clusters, self._response.splits, options)
        runs = {number: runs for (runs, _), number in numbers.items()}
        partners = _partners(
            key, _without_splits(keys), _without_splits(responses), options, self._key.minimum, runs
        )
        super().__init__([keys, responses], partners)
        self._key_splits = _splits_in(keys)
        self._response_splits = _splits_in(responses)

    def _filtered(
        self,
        side: Side,
        clusters: Clusters,
        splits: Sequence[Sequence[SplitAntecedent]],
        options: Options,
    ) -> list[list[Mention]]:
        """Return the clusters of a side that are counted, with the split antecedents."""
        # A split antecedent is the last mention of its entity.
        entities = [[*cluster, *split] for cluster, split in zip(clusters, splits)]
        # Only now, as that program counts a split antecedent as a mention, and a repeated mention
        # twice; it takes out empty nodes later.
        entities, removed = drop_singletons(
            entities, side, options.singletons, lambda cluster: len(cluster) == 1
        )
        self.removed += removed
        if options.zeros == "drop":
            entities = [with_words(entity) for entity in entities]
        if options.split_antecedents != "ignore":
            entities = _merged(entities)
        return [entity for entity in entities if entity]

    def count(self, metric: Metric) -> tuple[Counts, ...]:
        """Count any metric."""
        has_splits = self._key_splits or self._response_splits or self._only
        if metric.of == "clusters" and has_splits:
            return tuple(self._count_part(metric, part) for part in range(len(metric.parts)))
        return super().count(metric)

    def _count_part(self, metric: Metric, part: int) -> Counts:
        """Count one part of a metric with the split antecedents aligned by that part."""
        keys, responses = self._key_splits, self._response_splits
        counts = self._count_splits(metric, part)
        similarities: dict[Places, tuple[float, int]] = {}
        for (k, r), of_pair in counts.items():
            f1 = of_pair.ratios().f1
            if f1 > 0 and k < len(keys) and r < len(responses):
                similarities[k, r] = f1, 1
        aligned = best_pairs(similarities, len(keys), len(responses))
        if self._only:
            return _only_aligned(counts, aligned)
        recall: dict[Mention, tuple[Mention, float]] = {}
        precision: dict[Mention, tuple[Mention, float]] = {}
        f1_weights: dict[Mention, tuple[Mention, float]] = {}
        for k, r in aligned:
            key, response = keys[k], responses[r]
            ratios = counts[k, r].ratios()
            recall[key] = response, ratios.recall
            precision[response] = key, ratios.precision
            f1_weights[key] = response, ratios.f1
        return self.count_clusters(metric, recall, precision, f1_weights)[part]

    def _count_splits(self, metric: Metric, part: int) -> dict[Places, Counts]:
        """Count the elements of each two split antecedents by one part of a metric.

        A side without any has an empty one, so that the elements of the other side are counted.
        """
        empty = [SplitAntecedent(-1, [])]
        counts: dict[Places, Counts] = {}
        for k, key in enumerate(self._key_splits or empty):
            for r, response in enumerate(self._response_splits or empty):
                counts[k, r] = _count_elements(metric, part, key, response, self.partners)
        return counts

    def non_referring(self) -> Counts:
        """Count non-referring expressions that both sides have, of the key and of the response."""
        key, response = self._key.non_referring, self._response.non_referring
        common = sum(mention in response for mention in key)
        spurious = sum(mention not in key for mention in response)
        return Counts(common, len(key), common, common + spurious)

    def bridging(self, level: str) -> Counts:
        """Count bridging anaphors of the key that the response resolves.

        Args:
            level: What must be right: `anaphor`, the anaphor alone; `mention`, its antecedent as
                well; `entity`, the antecedent or another mention of the same key entity.
        """
        key, response = self._key.bridging, self._response.bridging
        owners = self.owners[0]
        right = 0
        for anaphor, antecedent in key.items():
            answer = response.get(anaphor)
            if answer is None:
                continue
            is_right = level == "anaphor" or answer == antecedent
            if level == "entity":
                is_right = is_right or owners.get(antecedent, -1) == owners.get(answer, -2)
            right += is_right
        return Counts(right, len(key), right, len(response))

    def is_zero(self, mention: Mention) -> bool:
        """Return whether a mention is an empty node."""
        return is_zero(mention)


def _merged(clusters: Clusters) -> list[list[Mention]]:
    """Merge entities with equal split antecedents; each mention stands once in its entity."""
    merged: list[dict[Mention, None]] = []
    holder: dict[Mention, dict[Mention, None]] = {}
    for cluster in clusters:
        splits = _splits_in([cluster])
        if splits and splits[0] in holder:
            entity = holder[splits[0]]
        else:
            entity = {}
            merged.append(entity)
            if splits:
                holder[splits[0]] = entity
        entity.update(dict.fromkeys(cluster))
    return list(map(list, merged))


def _splits_in(clusters: Clusters) -> list[SplitAntecedent]:
    """List the split antecedents in clusters."""
    mentions = chain.from_iterable(clusters)
    return [mention for mention in mentions if isinstance(mention, SplitAntecedent)]


def _without_splits(clusters: Clusters) -> list[Mention]:
    """Return the mentions of one side in text order, each once, without split antecedents."""
    mentions = matched.mentions_of(clusters)
    return [mention for mention in mentions if not isinstance(mention, SplitAntecedent)]


def _partners(
    document: Document,
    keys: Sequence[Mention],
    responses: Sequence[Mention],
    options: Options,
    minimum: Mapping[Mention, frozenset[int]],
    runs: Runs,
) -> Mapping[Mention, Mention]:
    """Match the mentions that have no equal on the other side; return the partner of each."""
    if options.match == "exact":
        return {}
    keys, responses = matched.without_pairs(
        keys, responses, matched.equal_mentions(keys, responses)
    )
    if options.match == "craft":
        return matched.partners_in(_craft_pairs(keys, responses, runs))
    if options.match != "min":
        similarities = similar(document, options.match, keys, responses)
        return matched.partners_in(matched.best_matches(keys, responses, similarities))
    within: dict[Places, tuple[int, int]] = {}
    for (k, r), (common, _) in similar(document, "overlap", keys, responses).items():
        key, response = keys[k], responses[r]
        # The response mention lies inside the key mention, and holds its minimum.
        is_inside = common == len(response.tokens)
        if is_inside and key in minimum and minimum[key] <= response.tokens:
            within[k, r] = common, len(key.tokens)
    return matched.partners_in(matched.best_matches(keys, responses, within))


def _craft_pairs(
    keys: Sequence[Mention], responses: Sequence[Mention], runs: Runs
) -> list[matched.Pair]:
    """Match response mentions with the first key mention whose first run holds one of theirs.

    A response mention whose key mention is taken stays unmatched, as in CRAFT 2019.
    """
    pairs: list[matched.Pair] = []
    taken: set[Mention] = set()
    for response in responses:
        for key in keys:
            if not runs[key.number]:
                continue
            first, last = runs[key.number][0]
            if any(first <= run[0] and run[1] <= last for run in runs[response.number]):
                if key not in taken:
                    taken.add(key)
                    pairs.append((key, response))
                break
    return pairs


def _count_elements(
    metric: Metric,
    part: int,
    key: SplitAntecedent,
    response: SplitAntecedent,
    partners: Mapping[Mention, Mention],
) -> Counts:
    """Count the elements of two split antecedents as clusterings of their own."""
    clusters = matched.MatchedClusters((key.elements, response.elements), partners)
    counts = clusters.count_clusters(metric)[part]
    if metric.name == "muc":
        # An element of one mention has no link, but here it counts as one.
        keys_alone, _ = clusters.lookup(from_key=True).alone_in_both()
        _, responses_alone = clusters.lookup(from_key=False).alone_in_both()
        key_singletons = _count_singletons(key.elements)
        response_singletons = _count_singletons(response.elements)
        counts += Counts(keys_alone, key_singletons, responses_alone, response_singletons)
    return counts


def _count_singletons(elements: Clusters) -> int:
    return sum(len(element) == 1 for element in elements)


def _only_aligned(counts: Mapping[Places, Counts], aligned: Iterable[Places]) -> Counts:
    """Sum the numerators of aligned split antecedents, and the denominators of all."""
    pairs = [counts[places] for places in aligned]
    # Each split antecedent is counted with the first one of the other side.
    return Counts(
        sum(pair.recall_numerator for pair in pairs),
        sum(pair.recall_denominator for (_, r), pair in counts.items() if r == 0),
        sum(pair.precision_numerator for pair in pairs),
        sum(pair.precision_denominator for (k, _), pair in counts.items() if k == 0),
    )


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
        entities = {
            label: list(map(self._mention, mentions))
            for label, mentions in anaphora.entities.items()
        }
        self.clusters: list[list[Mention]] = []
        self.splits: list[list[SplitAntecedent]] = []
        self.non_referring: list[Mention] = []
        elements = entities
        if options.zeros == "drop" and options.like is None:
            elements = {label: with_words(mentions) for label, mentions in entities.items()}
        for label, entity in entities.items():
            if label in anaphora.non_referring:
                self.non_referring += entity[:1]
                continue
            self.clusters.append(entity)
            is_split = label in anaphora.elements and options.split_antecedents != "ignore"
            self.splits.append([self._split(label, anaphora, elements)] if is_split else [])
        self.minimum = {
            self._mention(written): frozenset(range(first, last + 1))
            for written, (first, last) in anaphora.minimum.items()
        }
        self.bridging = {
            self._mention(anaphor): self._mention(antecedent)
            for anaphor, antecedent in anaphora.bridging.items()
        }

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
        tokens: set[Any] = set(chain.from_iterable(range(first, end + 1) for first, end in runs))
        # Other mentions with an empty node have no token in common for it.
        tokens.update((self, zero) for zero in zeros)
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
