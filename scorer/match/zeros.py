"""Empty nodes of key and response that stand for each other by their enhanced dependencies (`zeros="dependent"`).

Two of one sentence are worth 10 F1 of their (parent, relation) pairs + F1 of their parents. Novák et al., CRAC 2024.

Where there are very many, those with the same dependencies are of one kind, and kinds are aligned by their number
(`scorer.count.transport`). What is left then of time and memory grows with the pairs of kinds that share a parent.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.count.assignment import edge_components
from scorer.match import worth
from scorer.match.worth import TooManyError, assigned, gathered, only_choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scipy.sparse import csr_array

    from conll.syntax import Syntax
    from scorer.match.worth import Block

    Kinds = dict["Profile", list[int]]
    """The places of the empty nodes of each kind."""

MANY = 4_000_000
"""Pairs from which on kinds are aligned, where the whole matrix is not built (`scorer.match.worth.WHOLE`)."""
BLOCK = 1_000_000
"""Pairs of which the worth is computed at once."""


class Profile(NamedTuple):
    """What tells the worth of an empty node to others: those of its dependencies that matter, and how many it has in all."""

    relations: frozenset[Any]
    parents: frozenset[Any]
    related: int
    """(parent, relation) pairs."""
    parented: int
    """Parents."""


def profile_of(zero: str, syntax: Syntax) -> Profile:
    """The profile of an empty node; a parent is told by the sentence as well, as one that does not exist is None."""
    sentence = zero.partition(":")[0]
    relations = frozenset(((sentence, parent), relation) for parent, relation in syntax.relations(zero))
    parents = frozenset(parent for parent, _ in relations)
    return Profile(relations, parents, len(relations), len(parents))


def aligned(keys: Sequence[Profile], responses: Sequence[Profile]) -> list[tuple[int, int]]:
    """The pairs, by their places in the two lists, of an assignment of greatest sum; pairs without a parent in common in none.

    As `scorer.match.worth.assigned` where there are not too many for that, else by kinds. TooManyError where there are too many
    kinds as well.
    """
    by_parent: dict[Any, list[int]] = {}
    for r, other in enumerate(responses):
        for parent in other.parents:
            by_parent.setdefault(parent, []).append(r)
    pairs = only_choices((k, r) for k, one in enumerate(keys) for parent in one.parents for r in by_parent.get(parent, ()))
    if pairs is not None:
        return pairs
    if len(keys) * len(responses) > worth.WHOLE and sum(candidates(keys, responses)) > MANY:
        with suppress(TooManyError):
            return _by_kind(_kinds(keys), _kinds(responses))
    return assigned(len(keys), len(responses), partial(blocks, keys, responses))


def candidates(keys: Sequence[Profile], responses: Sequence[Profile]) -> list[int]:
    """For each of the key, how many of the response it shares a parent with at most."""
    held = Counter(parent for other in responses for parent in other.parents)
    return [sum(held[parent] for parent in one.parents) for one in keys]


def blocks(keys: Sequence[Profile], responses: Sequence[Profile]) -> Iterator[Block]:
    """What those with a parent in common are worth to each other."""
    import numpy as np

    numbers: dict[Any, int] = {}
    # One product counts both: what is in common of parents stands in the upper half of a number.
    one, other = _incidence(keys, numbers, 1 << 32), _incidence(responses, numbers, 1)
    one.resize(len(keys), len(numbers))
    other = other.T.tocsr()
    related, parented = ([np.array([profile[at] for profile in side]) for side in (keys, responses)] for at in (2, 3))
    begin = waiting = 0
    for end, number in enumerate(candidates(keys, responses), 1):
        waiting += number
        if waiting < BLOCK and end < len(keys):
            continue
        product = (one[begin:end] @ other).tocoo()
        k, r = product.row + begin, product.col
        common, parents = product.data & 0xFFFFFFFF, product.data >> 32
        yield k, r, 10 * (2 * common / (related[0][k] + related[1][r])) + 2 * parents / (parented[0][k] + parented[1][r])
        begin, waiting = end, 0


def _incidence(profiles: Sequence[Profile], numbers: dict[Any, int], parent: int) -> csr_array:
    """A line for each profile, with 1 for each of its relations and `parent` for each parent; `numbers` of these, which grows."""
    import numpy as np
    from scipy.sparse import csr_array

    columns = [numbers.setdefault(one, len(numbers)) for profile in profiles for one in chain(profile.relations, profile.parents)]
    values = [value for profile in profiles for value in (1,) * len(profile.relations) + (parent,) * len(profile.parents)]
    ends = np.cumsum([0, *(len(profile.relations) + len(profile.parents) for profile in profiles)])
    return csr_array((np.array(values, np.int64), columns, ends), shape=(len(profiles), len(numbers)))


def _by_kind(keys: Kinds, responses: Kinds) -> list[tuple[int, int]]:
    """The same as `aligned`, for many that are alike; takes places from the lists of `keys` and `responses`."""
    import numpy as np

    from scorer.count.transport import transport

    pairs = _equal_ones(keys, responses)
    sides = _by_what_is_shared(keys, responses)
    profiles, places = [[*side] for side in sides], [[*side.values()] for side in sides]
    k, r, values = gathered(blocks(*profiles))
    for edges in edge_components(k, r):
        rows, i = np.unique(k[edges], return_inverse=True)
        columns, j = np.unique(r[edges], return_inverse=True)
        near, far = ([places[side][at] for at in of.tolist()] for side, of in enumerate((rows, columns)))
        if len(rows) * len(columns) <= worth.WHOLE:
            table = np.zeros((len(rows), len(columns)))
            table[i, j] = values[edges]
            taken = transport(table, [*map(len, near)], [*map(len, far)])
            pairs += [(near[a].pop(), far[b].pop()) for a, b, number in taken for _ in range(number)]
        else:
            one, other = ([profiles[side][at] for at in of for _ in places[side][at]] for side, of in enumerate((rows, columns)))
            ks, rs = [*chain(*near)], [*chain(*far)]
            pairs += [(ks[a], rs[b]) for a, b in assigned(len(one), len(other), partial(blocks, one, other))]
    return pairs


def _kinds(profiles: Sequence[Profile]) -> Kinds:
    kinds: Kinds = {}
    for place, profile in enumerate(profiles):
        kinds.setdefault(profile, []).append(place)
    return kinds


def _equal_ones(keys: Kinds, responses: Kinds) -> list[tuple[int, int]]:
    """As many as there are on both sides of those of one relation and the same; some best assignment has them.

    They are worth 11. Partners of other sizes m and n would be worth 2 / (1 + m) + 2 / (1 + n) of each F1, which is no more than
    1 + 2 / (m + n), and so no more than these and those two partners together.
    """
    pairs: list[tuple[int, int]] = []
    for profile, here in keys.items():
        there = responses.get(profile)
        if there is not None and profile.related == 1:
            number = min(len(here), len(there))
            pairs += zip(here[:number], there[:number])
            del here[:number], there[:number]
    return pairs


def _by_what_is_shared(*sides: Kinds) -> list[Kinds]:
    """The kinds that are left, by what the other side knows of them: where it has none of a relation, any such is as good."""
    left = [[profile for profile, places in side.items() if places] for side in sides]
    relations = set.intersection(*({one for profile in side for one in profile.relations} for side in left))
    parents = set.intersection(*({one for profile in side for one in profile.parents} for side in left))
    shared: list[Kinds] = [{}, {}]
    for kinds, side, profiles in zip(shared, sides, left):
        for profile in profiles:
            known = profile._replace(relations=profile.relations & relations, parents=profile.parents & parents)
            if known.parents:
                kinds.setdefault(known, []).extend(side[profile])
    return shared
