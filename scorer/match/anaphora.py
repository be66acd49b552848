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

from itertools import chain
from typing import TYPE_CHECKING, Any

from conll.anaphora import anaphora_of
from conll.syntax import is_span, pieces
from scorer.count.counts import Counts
from scorer.match.align import between, without_repeats
from scorer.match.corefud import (
    MatchedPair,
    Pairs,
    best_matches,
    equal_mentions,
    in_text_order,
    left_of,
    table_of,
)
from scorer.match.filters import drop_singletons
from scorer.match.matching import Mention, best_pairs, check_length, head_of, similar
from scorer.options import EVERY, OUTSIDE_MATCHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conll.anaphora import Anaphora
    from conll.document import Document
    from conll.errors import Side
    from scorer.count.counts import Metric
    from scorer.options import Honoured, Options

    Clusters = Sequence[Sequence[Mention]]


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

# Repeats that stay are not defined beside split antecedents.
_HONOURED_BY_US = {**_HONOURED, "duplicates": ("first", "last", "corefud", "error")}

# The program has a way of its own with repeats.
_HONOURED_AS_PROGRAM = {**_HONOURED, "like": (PROGRAM,)}

_KINDS = ("clusters", "mentions", "anaphora")

HONOURED: Mapping[str, Honoured] = dict.fromkeys(_KINDS, _HONOURED_BY_US)
"""The options that `AnaphoraPair` honours, by what the metrics look at."""

HONOURED_AS_PROGRAM: Mapping[str, Honoured] = dict.fromkeys(_KINDS, _HONOURED_AS_PROGRAM)
"""Those that it honours where it counts as that program."""


class SplitAntecedent(Mention):
    """The split antecedent of an entity; equal to another one whose elements are equal."""

    __slots__ = ("elements",)

    def __init__(self, number: int, elements: Clusters) -> None:
        super().__init__(number, 0, (), (-1, -1))
        self.elements = elements


class AnaphoraPair(MatchedPair):
    """A key and a response whose anaphora is matched.

    `problems` is empty, as that program reads what we read.

    Raises:
        RepeatedMentionError: `duplicates` is `error` and a mention is repeated.
        ConllError: The elements of a split antecedent form a circle.
    """

    def __init__(self, key: Document, response: Document, options: Options) -> None:
        self._document = key
        self._only = options.split_antecedents == "only"
        # The number of each mention, by its runs of words and the places of its empty nodes.
        numbers: dict[tuple[Any, Any], int] = {}
        sides = self._sides = [_Side(document, options, numbers) for document in (key, response)]
        self.removed, self.problems, self.repeats, self.invented = [], [], [], 0
        written: list[Clusters] = [side.clusters for side in sides]
        left = [*written]
        if options.like is None:
            # Repeats that stay are not defined beside split antecedents.
            policy = "first" if options.duplicates == "reference" else options.duplicates
            *left, self.repeats, self.invented = without_repeats(written[0], written[1], policy)
        names: tuple[Side, Side] = ("key", "response")
        for at, name in enumerate(names):
            if self.repeats:
                self.removed.append(between("duplicates", name, written[at], left[at]))
        for at, name in enumerate(names):
            # A split antecedent is the last mention of its entity.
            clusters = [[*cluster, *split] for cluster, split in zip(left[at], sides[at].splits)]
            # Only now, as that program counts a split antecedent as a mention, and a repeated
            # mention twice; it takes out empty nodes later.
            clusters, removed = drop_singletons(clusters, name, options.singletons, _has_one)
            self.removed += removed
            if options.zeros == "drop":
                clusters = [[m for m in cluster if not self.is_zero(m)] for cluster in clusters]
            if options.split_antecedents != "ignore":
                clusters = _merged(clusters)
            left[at] = [cluster for cluster in clusters if cluster]
        runs = {number: pieces for (pieces, _), number in numbers.items()}
        super().__init__(left, _partners(key, left, options, sides[0].minimum, runs))
        self._splits = [
            [mention for mention in chain(*side) if isinstance(mention, SplitAntecedent)]
            for side in left
        ]

    def count(self, metric: Metric) -> tuple[Counts, ...]:
        """Count any metric."""
        if metric.of == "clusters" and (any(self._splits) or self._only):
            return tuple(self._count_part(metric, part) for part in range(len(metric.parts)))
        return super().count(metric)

    def _count_part(self, metric: Metric, part: int) -> Counts:
        """Count one part of a metric with the split antecedents aligned by that part."""
        keys, responses = self._splits
        counts = {
            (k, r): _count_elements(metric, part, key, response, self.partners)
            for k, key in enumerate(keys or [SplitAntecedent(-1, [])])
            for r, response in enumerate(responses or [SplitAntecedent(-1, [])])
        }
        ratios = {pair: count.ratios() for pair, count in counts.items()}
        similarities = {
            (k, r): (ratio.f1, 1)
            for (k, r), ratio in ratios.items()
            if ratio.f1 > 0 and k < len(keys) and r < len(responses)
        }
        aligned = best_pairs(similarities, len(keys), len(responses))
        if self._only:
            return _only_aligned(counts, aligned)
        pairs = [(keys[k], responses[r], ratios[k, r]) for k, r in aligned]
        return self.count_clusters(
            metric,
            recall={key: (response, ratio.recall) for key, response, ratio in pairs},
            precision={response: (key, ratio.precision) for key, response, ratio in pairs},
            f1={key: (response, ratio.f1) for key, response, ratio in pairs},
        )[part]

    def non_referring(self) -> Counts:
        """Count non-referring expressions that both sides have, of the key and of the response."""
        key, response = (side.non_referring for side in self._sides)
        common = sum(mention in response for mention in key)
        false = sum(mention not in key for mention in response)
        return Counts(common, len(key), common, common + false)

    def bridging(self, level: str) -> Counts:
        """Count bridging anaphors of the key that the response resolves.

        Args:
            level: What must be right: `anaphor`, the anaphor alone; `mention`, its antecedent as
                well; `entity`, the antecedent or another mention of the same key entity.
        """
        key, response = (side.bridging for side in self._sides)
        owner = self.owners[0]
        right = 0
        for anaphor, antecedent in key.items():
            answer = response.get(anaphor)
            if answer is not None:
                same = owner.get(antecedent, -1) == owner.get(answer, -2)
                right += level == "anaphor" or answer == antecedent or (level == "entity" and same)
        return Counts(right, len(key), right, len(response))

    def is_zero(self, mention: Mention) -> bool:
        """Whether a mention is an empty node."""
        return _is_zero(mention)


class _Side:
    """The anaphora of one side: entities without non-referring ones, these, and bridging pairs."""

    def __init__(
        self, document: Document, options: Options, numbers: dict[tuple[Any, Any], int]
    ) -> None:
        self._document = document
        self._numbers = numbers
        anaphora = anaphora_of(document, options.layer)
        self._zeros = _zero_places(document)
        self._has_heads = options.match in ("head", "partial")
        self._mentions: dict[Any, Mention] = {}
        entities = {
            label: [self._mention(mention) for mention in mentions]
            for label, mentions in anaphora.entities.items()
        }
        referring = [label for label in entities if label not in anaphora.non_referring]
        self.clusters = [entities[label] for label in referring]
        self.splits: list[list[SplitAntecedent]] = [[] for _ in referring]
        if options.split_antecedents != "ignore":
            parts = entities
            if options.zeros == "drop" and options.like is None:
                parts = {
                    label: [mention for mention in mentions if not _is_zero(mention)]
                    for label, mentions in entities.items()
                }
            self.splits = [
                [self._split(label, anaphora, parts)] if label in anaphora.elements else []
                for label in referring
            ]
        self.non_referring = [
            mentions[0]
            for label, mentions in entities.items()
            if label in anaphora.non_referring and mentions
        ]
        # The least tokens that stand for a mention, where its markable says so.
        self.minimum = {
            self._mention(written): frozenset(range(first, last + 1))
            for written, (first, last) in anaphora.minimum.items()
        }
        self.bridging = {
            self._mention(anaphor): self._mention(antecedent)
            for anaphor, antecedent in anaphora.bridging.items()
        }

    def _mention(self, written: Any) -> Mention:
        mention = self._mentions.get(written)
        if mention is None:
            words: list[tuple[int, int]] = []
            zeros: list[str] = []
            parts: tuple[Any, ...] = pieces(written) if isinstance(written, tuple) else (written,)
            for piece in parts:
                if isinstance(piece, str) and piece in self._zeros:
                    zeros.append(piece)
                elif not is_span(piece):
                    problem = f"mention {written!r} is neither a span of words nor an empty node"
                    raise self._document.error(f"{problem}; score it without anaphora")
                elif words and words[-1][1] + 1 == piece[0]:
                    words[-1] = words[-1][0], piece[1]
                else:
                    words.append(piece)
            runs, places = tuple(words), tuple(map(self._zeros.__getitem__, zeros))
            number = self._numbers.setdefault((runs, places), len(self._numbers))
            head = head_of(self._document, written) if self._has_heads else 0
            ends = (words[0][0], words[-1][1]) if words else places[0][:1] * 2
            check_length(self._document, written)
            tokens: set[Any] = {word for first, last in words for word in range(first, last + 1)}
            # Other mentions with an empty node have no token in common for it.
            tokens.update((self, zero) for zero in zeros)
            mention = self._mentions[written] = Mention(number, head, tokens, ends, written)
        return mention

    def _split(
        self,
        label: str,
        anaphora: Anaphora,
        entities: Mapping[str, list[Mention]],
    ) -> SplitAntecedent:
        elements: list[list[Mention]] = []
        waiting: list[tuple[str, tuple[str, ...]]] = [
            (element, (label,)) for element in reversed(anaphora.elements[label])
        ]
        seen: set[str] = set()
        while waiting:
            element, above = waiting.pop()
            if element in above:
                problem = f"entity {element} is an element of its own split antecedent"
                raise self._document.error(problem)
            inner = anaphora.elements.get(element)
            if inner:
                waiting += [(part, (*above, element)) for part in reversed(inner)]
            elif element in entities and element not in seen:
                seen.add(element)
                elements.append(entities[element])
        name = frozenset(tuple(mention.number for mention in element) for element in elements)
        number = self._numbers.setdefault(("split", name), len(self._numbers))
        return SplitAntecedent(number, elements)


def _zero_places(document: Document) -> dict[str, tuple[int, int]]:
    """Place each empty node: the words before it, and the empty nodes between these and it."""
    syntax = document.syntax
    places: dict[str, tuple[int, int]] = {}
    counts: dict[int, int] = {}
    for zero in syntax.zeros if syntax else ():
        before = syntax.place(zero)[0] + 1 if syntax else 0
        places[zero] = before, counts.get(before, 0)
        counts[before] = counts.get(before, 0) + 1
    return places


def _merged(clusters: Clusters) -> list[list[Mention]]:
    """Merge entities with equal split antecedents; each mention stands once in its entity."""
    merged: list[dict[Mention, None]] = []
    holder: dict[Mention, dict[Mention, None]] = {}
    for cluster in clusters:
        split = next((m for m in cluster if isinstance(m, SplitAntecedent)), None)
        entity = holder.get(split) if split is not None else None
        if entity is None:
            entity = {}
            merged.append(entity)
            if split is not None:
                holder[split] = entity
        entity.update(dict.fromkeys(cluster))
    return list(map(list, merged))


def _has_one(cluster: Sequence[Mention]) -> bool:
    return len(cluster) == 1


def _is_zero(mention: Mention) -> bool:
    has_word = any(isinstance(token, int) for token in mention.tokens)
    return not has_word and not isinstance(mention, SplitAntecedent)


def _partners(
    key: Document,
    sides: Sequence[Clusters],
    options: Options,
    minimum: Mapping[Mention, frozenset[Any]],
    runs: Mapping[int, Sequence[tuple[int, int]]],
) -> Mapping[Mention, Mention]:
    """Match the mentions that have no equal on the other side; return the partner of each."""
    if options.match == "exact":
        return {}
    mentions = [
        [mention for mention in side if not isinstance(mention, SplitAntecedent)]
        for side in in_text_order(sides)
    ]
    left = left_of(mentions, equal_mentions(mentions))
    if options.match == "craft":
        return table_of(_craft(left, runs))
    if options.match != "min":
        return table_of(best_matches(left, similar(key, options.match, *left)))
    similarities = {}
    for (k, r), (common, _) in similar(key, "overlap", *left).items():
        mention, other = left[0][k], left[1][r]
        least = minimum.get(mention)
        if least is not None and common == len(other.tokens) and least <= other.tokens:
            similarities[k, r] = common, len(mention.tokens)
    return table_of(best_matches(left, similarities))


def _craft(
    mentions: Sequence[Sequence[Mention]],
    runs: Mapping[int, Sequence[tuple[int, int]]],
) -> Iterator[tuple[Mention, Mention]]:
    """Match each response mention with the first key mention whose first piece holds one of its own.

    A response mention whose key mention is taken stays unmatched, as in CRAFT 2019.
    """
    taken: set[Mention] = set()
    for response in mentions[1]:
        for key in mentions[0]:
            if not runs[key.number]:
                continue
            first, last = runs[key.number][0]
            if any(first <= run[0] and run[1] <= last for run in runs[response.number]):
                if key not in taken:
                    taken.add(key)
                    yield key, response
                break


def _count_elements(
    metric: Metric,
    part: int,
    key: SplitAntecedent,
    response: SplitAntecedent,
    partners: Mapping[Mention, Mention],
) -> Counts:
    """Count the elements of two split antecedents as clusterings of their own."""
    pairs = Pairs((key.elements, response.elements), partners)
    counts = pairs.count_clusters(metric)[part]
    if metric.name == "muc":
        # An element of one mention has no link, but here it counts as one.
        counts += Counts(
            pairs.lookup(from_key=True).alone_in_both()[0],
            sum(len(element) == 1 for element in key.elements),
            pairs.lookup(from_key=False).alone_in_both()[1],
            sum(len(element) == 1 for element in response.elements),
        )
    return counts


def _only_aligned(
    counts: Mapping[tuple[int, int], Counts], aligned: Iterable[tuple[int, int]]
) -> Counts:
    """Sum the numerators of aligned split antecedents, and the denominators of all."""
    pairs = [counts[pair] for pair in aligned]
    return Counts(
        sum(count.recall_numerator for count in pairs),
        sum(count.recall_denominator for (_, r), count in counts.items() if r == 0),
        sum(count.precision_numerator for count in pairs),
        sum(count.precision_denominator for (k, _), count in counts.items() if k == 0),
    )
