"""Key and response matched and counted as by CorefUD's scorer 1.2 (`like="corefud-1.2"`).

A mention is its tokens, words and empty nodes alike, and everything inside a span belongs to it:
with one more empty node it is a different mention. Its head is the one that the file declares, else
its first token; it is a zero where that is an empty node. Equal mentions have the same tokens, and
under `head` the same head as well.

What is left once repeats (`duplicates`) and then singletons are dropped is matched in this order,
one to one:

1. `dependent`: zeros of the key with zeros of the response, worth 10 F1 of their heads' (parent,
   relation) pairs + F1 of the parents, in one sentence. `linear` leaves this out.
2. Of the others, equal mentions.
3. Of the others, under `head` those with equal heads, worth |key ∩ response| / |key|; under
   `partial` a response mention inside a key mention whose head it holds, worth |response| / |key|.

1 and 3 take the assignment of greatest sum that scipy finds on the whole matrix, as far as
`scorer.match.matching.WHOLE` allows.

Partners that are not equal stand in one table, the key's mentions first. Its entries are told apart
by equality alone, so where a response mention equals another key mention, the latter's partner is
lost: a slip of the program that is in its published figures.

Clusters are counted as in `scorer.match.matched`, in udapi's order of the entities of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conll.document import Document
from conll.errors import ConllError, Problem
from conll.syntax import Syntax, Token, first_token, is_span
from scorer.match import matched, matching
from scorer.match.align import removed_between, without_repeats
from scorer.match.filters import drop_singletons
from scorer.match.matching import Mention
from scorer.options import EVERY, OUTSIDE_MATCHING

if TYPE_CHECKING:
    from conll.errors import Side
    from scorer.options import Honoured, Options

Clusters = Sequence[Sequence[Mention]]

PROGRAM = "corefud-1.2"
"""What `like` calls the program."""

_HONOURED: Honoured = {
    **OUTSIDE_MATCHING,
    # The program never has a mention twice in one cluster, so `keep` would be `corefud`.
    "duplicates": ("first", "last", "corefud", "error"),
    "singletons": EVERY,
    "match": ("head", "partial"),
    "zeros": ("dependent",),
    "like": (PROGRAM,),
}

HONOURED: Mapping[str, Honoured] = {"clusters": _HONOURED, "mentions": _HONOURED}
"""The options that `Like` honours, by what the metrics look at."""


class Like(matched.MatchedPair):
    """A key and a response, matched as by that program.

    Raises:
        RepeatedMentionError: `duplicates` is `error` and a mention is repeated.
        ConllError: The program would refuse a file or read it otherwise, or what it needs cannot be
            told.
    """

    def __init__(self, key: Document, response: Document, options: Options) -> None:
        self._document = key
        numbers: dict[Any, int] = {}
        key_clusters = _read_clusters(key, numbers, options.match)
        response_clusters = _read_clusters(response, numbers, options.match)
        key_left, response_left, self.repeats, self.invented = without_repeats(
            key_clusters, response_clusters, options.duplicates
        )
        self.removed = []
        self.problems = []
        keys = self._filtered("key", key, key_clusters, key_left, options)
        responses = self._filtered("response", response, response_clusters, response_left, options)
        partners = _partners(
            key, matched.mentions_of(keys), response, matched.mentions_of(responses), options
        )
        super().__init__([keys, responses], partners)

    def _filtered(
        self,
        side: Side,
        document: Document,
        before: Clusters,
        after: Clusters,
        options: Options,
    ) -> Clusters:
        """Return the clusters of a side that are counted, and note what is special about it.

        Args:
            side: Key or response.
            document: Its document.
            before: Its clusters as read.
            after: Its clusters without the repeats that `duplicates` removes.
            options: How to score.
        """
        syntax = document.syntax or Syntax([], {}, {})
        consequence = (
            "by their labels the ends are taken as written, but CorefUD's scorer may exchange them"
        )
        for line, text, _ in syntax.crossings:
            path, name = document.path, document.name
            problem = Problem(path, line, name, text, consequence, kind="reading", side=side)
            self.problems.append(problem)
        if self.repeats:
            self.removed.append(removed_between("duplicates", side, before, after))
        removes_equal = options.duplicates == "corefud"
        started: list[list[Mention]] = []
        for cluster in before if removes_equal else after:
            # Of mentions with the same ends in one cluster, the last to be completed is the first
            # that starts.
            mentions = list(cluster[::-1])
            if removes_equal:
                # Of equal mentions the first that starts stays, though another may end before it.
                mentions = list(dict.fromkeys(mentions))
            started.append(mentions)
        if any(repeat.side == side and not repeat.removed for repeat in self.repeats):
            # The last cluster of a shared mention counts, in udapi's order.
            in_order = syntax.entity_order(document, set(range(len(started))))
            started = [started[n] for n in in_order]
        # Only now, without its repeats, may a cluster be a singleton for that program.
        larger, removed = drop_singletons(started, side, options.singletons)
        self.removed += removed
        return larger


def _read_clusters(document: Document, numbers: dict[Any, int], match: str) -> list[list[Mention]]:
    """Return the clusters of one side.

    `numbers` gives equal mentions of both sides their number, and grows.
    """
    syntax = document.syntax or Syntax([], {}, {})
    _check_crossings(document, syntax)
    clusters: list[list[Mention]] = []
    for cluster_number, cluster in enumerate(document.clusters):
        label = document.labels[cluster_number] if document.labels else ""
        known: dict[int, Mention] = {}
        mentions: list[Mention] = []
        for position, written in enumerate(cluster):
            tokens = matching.tokens_of(document, written)
            head = syntax.written_head(label, position, written)
            if head is None:
                head = _head_without_file(document, written, match)
            token_set = frozenset(tokens)
            name = token_set, head if match == "head" else None
            number = numbers.setdefault(name, len(numbers))
            mention = known.get(number)
            if mention is None:
                ends = syntax.place(tokens[0]), syntax.place(tokens[-1])
                mention = known[number] = Mention(number, head, token_set, ends, written)
            else:
                # Of equal ones the last to be completed is the first that starts, so its head is
                # that of the one which stays.
                mention.head = head
            mentions.append(mention)
        clusters.append(mentions)
    return clusters


def _check_crossings(document: Document, syntax: Syntax) -> None:
    """Raise ConllError where mentions of an entity cross so that the program cannot read them."""
    for line, crossing, is_refused in syntax.crossings:
        if is_refused:
            consequence = "CorefUD's scorer refuses such a file or reads it otherwise"
            advice = "so write mentions of one entity that do not cross"
            problem = f"{crossing}; {consequence}, {advice}"
            raise ConllError(document.path, line, problem, document=document.name)


def _head_without_file(document: Document, mention: Any, match: str) -> Token:
    """Return the head of a mention whose file declares none; ConllError where one is needed."""
    is_one_word = is_span(mention) and mention[0] == mention[1]
    if match != "exact" and not is_one_word:
        raise matching.no_head(document, mention)
    return first_token(mention)


def _partners(
    key: Document,
    keys: Sequence[Mention],
    response: Document,
    responses: Sequence[Mention],
    options: Options,
) -> Mapping[Mention, Mention]:
    """Match zeros, then equal mentions, then similar ones; return the partner of each.

    Args:
        key: The document of the key.
        keys: Its mentions, in text order.
        response: The document of the response.
        responses: Its mentions, in text order.
        options: How to score.
    """
    pairs: list[matched.Pair] = []
    if options.zeros == "dependent":
        key_zeros = _zeros_with_dependencies(key, keys)
        response_zeros = _zeros_with_dependencies(response, responses)
        _check_dependencies(key, key_zeros, response_zeros)
        _check_dependencies(response, response_zeros, key_zeros)
        similarities = matching.similar_zeros(
            key, list(key_zeros.values()), list(response_zeros.values())
        )
        pairs += matched.best_matches(list(key_zeros), list(response_zeros), similarities)
        keys, responses = matched.without_pairs(keys, responses, pairs)
    pairs += matched.equal_mentions(keys, responses)
    if options.match != "exact":
        keys, responses = matched.without_pairs(keys, responses, pairs)
        similarities = matching.similar(key, options.match, keys, responses)
        pairs += matched.best_matches(keys, responses, similarities)
    return matched.partners_in(pairs)


def _zeros_with_dependencies(
    document: Document, mentions: Sequence[Mention]
) -> dict[Mention, matching.Dependencies]:
    """Return the mentions whose head is an empty node, each with the dependencies of that."""
    if document.syntax is None:
        return {}
    zeros = [mention for mention in mentions if isinstance(mention.head, str)]
    return {zero: matching.dependencies_of(zero.head, document.syntax) for zero in zeros}


def _check_dependencies(
    document: Document,
    zeros: Mapping[Mention, matching.Dependencies],
    others: Mapping[Mention, matching.Dependencies],
) -> None:
    """Raise ConllError for a zero without dependencies in a sentence with one of the other side."""
    sentences = {_sentence_of(mention) for mention in others}
    for mention, dependencies in zeros.items():
        if not dependencies and _sentence_of(mention) in sentences:
            sentence, _, ident = str(mention.head).partition(":")
            problem = f"the empty node {ident} of sentence {int(sentence) + 1} has no enhanced"
            advice = "so write them, or choose zeros linear"
            why = "CorefUD's scorer cannot compare it with others"
            raise document.error(f"{problem} dependencies; {why}, {advice}")


def _sentence_of(zero: Mention) -> str:
    return str(zero.head).partition(":")[0]
