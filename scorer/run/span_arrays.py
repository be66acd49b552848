"""Counts the mentions of large files as spans, many documents at once with numpy; only those without equals go one by one."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from conll.arrays import ArraySource, Irregular
from conll.errors import ConllError
from scorer.engine.arrays import read_mentions
from scorer.engine.choice import LARGE
from scorer.engine.stream import batches
from scorer.run.words import differences_in_step
from scorer.spans.counts import Kinds, SpanCounts
from scorer.spans.pairing import overlapping
from scorer.spans.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from conll.arrays import Pieces
    from scorer.run.score import WholeCorpus
    from scorer.spans.scores import SpanScores

    Ints = NDArray[np.signedinteger[Any]]
    Bools = NDArray[np.bool_]
    Side = tuple[Ints, Ints, Ints]
    """Start, end (exclusive) and document of each span; those of a document lie behind those of all before it."""


def counted_at_once(corpus: WholeCorpus, scores: SpanScores) -> bool:
    """Count large files whose documents are in step and without anything out of the ordinary; False for others, uncounted."""
    key, response = corpus.key, corpus.response
    if not (isinstance(key, ArraySource) and isinstance(response, ArraySource)) or key.size + response.size < LARGE:
        return False
    if key.odd or response.odd:
        return False
    seen = array("q")
    documents: dict[str, SpanCounts] = {}
    try:
        for pieces in batches(key.scanner(), response.scanner()):
            names = list(pieces[0].names)
            seen.extend(map(hash, names))
            documents |= zip(names, _counts(*pieces, scores.settings.min_overlap))
    except (Irregular, ConllError):
        return False
    problems = differences_in_step(corpus)
    # If a name comes twice, or there is no document at all, the index knows what to say.
    if len(np.unique(np.frombuffer(seen, np.int64))) < len(seen) or not seen or problems is None:
        return False
    scores.documents, scores.problems = documents, problems
    return True


def _counts(key_pieces: Pieces, response_pieces: Pieces, share: float) -> Iterator[SpanCounts]:
    """The counts of each document; Irregular where brackets do not match."""
    key, response = read_mentions(key_pieces), read_mentions(response_pieces)
    if key.odd.any() or response.odd.any():
        raise Irregular
    base = np.append(0, np.cumsum(np.maximum(key.tokens, response.tokens))).astype(np.int64)
    sides: list[Side] = [
        (base[one.document] + one.start, base[one.document] + one.end + 1, one.document) for one in (key, response)
    ]
    same = _same(*sides)
    left = [np.flatnonzero(~matched) for matched in same]
    left[0] = left[0][_overlapping(sides[0], sides[1], left[0], left[1]) > 0]
    left[1] = left[1][_overlapping(sides[1], sides[0], left[1], left[0]) > 0]
    left = [at[np.lexsort((side[1][at], side[0][at]))] for at, side in zip(left, sides)]
    spans = [[Span(*ends) for ends in zip(side[0][at].tolist(), side[1][at].tolist())] for side, at in zip(sides, left)]
    places = range(len(spans[0])), range(len(spans[1]))
    partial = left[0][[at for at, _ in overlapping(spans[0], spans[1], *places, 0.0)]]
    sharing = left[0][[at for at, _ in overlapping(spans[0], spans[1], *places, share)]] if share else partial
    everything = np.arange(len(sides[0][0])), np.arange(len(sides[1][0]))
    sole = _overlapping(sides[0], sides[1], *everything) == 1
    paired = same[0].copy()
    paired[partial] = True
    columns = [
        np.bincount(of[2][which], minlength=len(key.odd)).tolist()
        for of, which in (
            (sides[0], everything[0]),
            (sides[1], everything[1]),
            (sides[0], same[0]),
            (sides[0], partial),
            (sides[0], sharing),
            (sides[0], sole & same[0]),
            (sides[0], sole & paired),
        )
    ]
    for keys, responses, strict, overlaps, shared, sole_strict, sole_lenient in zip(*columns):
        yield SpanCounts(keys, responses, Kinds(strict, overlaps), Kinds(strict, shared), sole_strict, sole_lenient)


def _same(key: Side, response: Side) -> tuple[Bools, Bools]:
    """Which spans of each side have a coextensive one on the other, one to one."""
    longest = max((int((ends - starts).max(initial=1)) for starts, ends, _ in (key, response)), default=1) + 1
    found = []
    for starts, ends, _ in (key, response):
        place = starts * longest + (ends - starts)
        order = np.argsort(place, kind="stable")
        ordered = place[order]
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(place) else order
        again = np.empty_like(order)
        again[order] = np.arange(len(place)) - np.repeat(begins, np.diff(np.append(begins, len(place))))
        found.append((place, again))
    most = max(int(again.max(initial=0)) for _, again in found) + 1
    numbered = [place * most + again for place, again in found]
    return np.isin(numbered[0], numbered[1]), np.isin(numbered[1], numbered[0])


def _overlapping(side: Side, other: Side, some: Ints, others: Ints) -> Ints:
    """With how many of the other side's spans, of those at `others`, each of the spans at `some` has a token in common."""
    begun = np.searchsorted(np.sort(other[0][others]), side[1][some], side="left")
    ended = np.searchsorted(np.sort(other[1][others]), side[0][some], side="right")
    count: Ints = begun - ended
    return count
