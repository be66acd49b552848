"""Similarities of mentions of key and response, and of empty nodes: fractions above 0."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conll.document import Document
    from conll.syntax import Syntax
    from scorer.match.mentions import Mention

    Places = tuple[int, int]
    """The places of a key mention and of a response mention in their lists."""
    Similarities = Mapping[Places, tuple[Any, int]]
    """Similarities above 0 as fractions: numerator and denominator."""
    Dependencies = frozenset[tuple[tuple[str, Any], str]]
    """The enhanced dependencies of an empty node: (parent, relation) pairs."""

MANY = 2_000_000
"""Pairs of mentions that are compared at most."""


def similar(
    document: Document, match: str, keys: Sequence[Mention], responses: Sequence[Mention]
) -> Similarities:
    """Compare mentions by the tokens that they have in common.

    Args:
        document: The document of the key.
        match: `head` or `partial`, or `overlap`: any mentions that have a token in common, with
            the number of these.
        keys: The mentions of the key.
        responses: The mentions of the response.

    Raises:
        ConllError: Too many mentions are similar.
    """
    # The key mentions by their tokens, or by their head.
    holders: defaultdict[Any, list[int]] = defaultdict(list)
    for k, key in enumerate(keys):
        for token in key.tokens if match == "overlap" else (key.head,):
            holders[token].append(k)
    similarities: dict[Places, tuple[int, int]] = {}
    for r, response in enumerate(responses):
        candidates: set[int] = set()
        for token in (response.head,) if match == "head" else response.tokens:
            candidates.update(holders.get(token, ()))
        for k in candidates:
            key = keys[k]
            common = len(key.tokens & response.tokens)
            is_inside = common == len(response.tokens)
            if not common or (match == "partial" and not is_inside):
                continue
            denominator = 1 if match == "overlap" else len(key.tokens)
            similarities[k, r] = common, denominator
        _check_number(document, similarities)
    return similarities


def similar_zeros(
    document: Document, keys: Sequence[Dependencies], responses: Sequence[Dependencies]
) -> Similarities:
    """Compare empty nodes that share a parent: 10 F1 of (parent, relation) pairs + F1 of parents.

    Raises:
        ConllError: Too many of them share a parent.
    """
    response_parents: list[set[tuple[str, Any]]] = []
    children: defaultdict[Any, list[int]] = defaultdict(list)
    for r, dependencies in enumerate(responses):
        parents = _parents_of(dependencies)
        response_parents.append(parents)
        for parent in parents:
            children[parent].append(r)
    similarities: dict[Places, tuple[int, int]] = {}
    for k, dependencies in enumerate(keys):
        parents = _parents_of(dependencies)
        candidates: set[int] = set()
        for parent in parents:
            candidates.update(children.get(parent, ()))
        for r in candidates:
            # F1 of two sets is twice what they have in common over the sum of their sizes.
            common_pairs = 2 * len(dependencies & responses[r])
            common_parents = 2 * len(parents & response_parents[r])
            pairs = len(dependencies) + len(responses[r])
            all_parents = len(parents) + len(response_parents[r])
            numerator = 10 * common_pairs * all_parents + common_parents * pairs
            similarities[k, r] = numerator, pairs * all_parents
        _check_number(document, similarities)
    return similarities


def _parents_of(dependencies: Dependencies) -> set[tuple[str, Any]]:
    return {parent for parent, _ in dependencies}


def _check_number(document: Document, similarities: Similarities) -> None:
    if len(similarities) > MANY:
        problem = "too many mentions or empty nodes could match"
        advice = "choose match exact, zeros linear, or metrics without mor"
        raise document.error(f"{problem}; {advice}")


def dependencies_of(zero: str, syntax: Syntax) -> Dependencies:
    """Return the (parent, relation) pairs of an empty node.

    The sentence is part of a parent, because a parent that does not exist is None.
    """
    sentence = zero.partition(":")[0]
    pairs: set[tuple[tuple[str, Any], str]] = set()
    for parent, relation in syntax.relations(zero):
        pairs.add(((sentence, parent), relation))
    return frozenset(pairs)
