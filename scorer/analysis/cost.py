"""What metrics say of a response once something in it is mended: what each kind of error costs, and what could be had at best."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING

from scorer.analysis.kinds import KINDS, SPAN
from scorer.analysis.pair import NOWHERE
from scorer.count.contingency import DocumentContingency
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from scorer.analysis.kinds import Dest, Transformation
    from scorer.analysis.pair import Pair
    from scorer.count.contingency import Contingency
    from scorer.count.metric import Metric
    from scorer.evaluation.evaluation import Evaluation

    Counted = dict[str, tuple[Counts, ...]]
    Cell = tuple[Dest, int, int]
    """The response cluster of some mentions, the key cluster (`NOWHERE` where the key lacks them), and how many they are."""

LARGE = 50_000
"""From how many mentions on counting with numpy is quicker than importing it takes."""

KEY_CLUSTERING, KEY_MENTIONS, SPANS_MENDED = BOUNDS = ("clustered as in the key", "mentions of the key", "spans mended")
"""What could be had: the response's mentions clustered as in the key, the key's mentions clustered as in the response, or the
response with the key's borders of mentions where the two mean the same."""


class Costs:
    """The totals of a response as it is and as it would be, each an evaluation with the documents that were added.

    `response` as it is; `alone` with one kind of error mended, by kind (all but spans beside the spans); `after` with all kinds
    up to that one mended, in their order, so that the last is the key itself; `bounds` as `BOUNDS` says.
    """

    def __init__(self, empty: Evaluation) -> None:
        self.response = empty.like()
        self.alone = {kind: empty.like() for kind in KINDS}
        self.after = {kind: empty.like() for kind in KINDS}
        self.bounds = {bound: empty.like() for bound in BOUNDS}

    def add(self, name: str, own: Counted | None, transformation: Transformation) -> Counted:
        """Add a document: its own counts, where they are known, and how it is transformed; returns its own counts."""
        metrics = list(self.response.metrics.values())
        pair = transformation.pair

        constant = [(dest, key, len(mentions)) for dest, key, mentions in transformation.constant]

        def cells(kinds: Collection[str]) -> Iterator[Cell]:
            changing = islice(transformation.atoms(kinds), len(constant), None)
            return chain(constant, ((dest, key, len(mentions)) for dest, key, mentions in changing))

        def put(evaluation: Evaluation, counts: Counted) -> None:
            evaluation.add(DocumentScore(name, counts, [], 0))

        response = _counts(pair, _as_it_is(pair), metrics) if own is None else own
        present = {part.kind for part in transformation.parts}
        spans = _counts(pair, cells(()), metrics) if SPAN in present else response
        put(self.response, response)
        put(self.bounds[SPANS_MENDED], spans)
        put(self.bounds[KEY_CLUSTERING], _counts(pair, _clustered_as_in_the_key(pair), metrics))
        put(self.bounds[KEY_MENTIONS], _counts(pair, _mentions_of_the_key(pair), metrics))
        done: set[str] = set()
        so_far = spans
        for kind in KINDS:
            # What a document lacks need not be counted again.
            alone = _counts(pair, cells({kind}), metrics) if kind in present - {SPAN} else spans
            if kind in present - {SPAN}:
                done.add(kind)
                so_far = alone if len(done) == 1 else _counts(pair, cells(done), metrics)
            put(self.alone[kind], alone)
            put(self.after[kind], so_far)
        return response

    def base(self, kind: str) -> Evaluation:
        """What mending that kind alone starts from."""
        return self.response if kind == SPAN else self.alone[SPAN]

    def gain(self, kind: str, metric: str) -> tuple[float, float, float]:
        """What recall, precision and F1 gain if that kind alone is mended; an average has no recall and no precision (nan)."""
        before, after = self.base(kind).ratios(metric), self.alone[kind].ratios(metric)
        recall, precision, f1 = (b - a for a, b in zip(before.as_tuple(), after.as_tuple()))
        return recall, precision, f1


def counted_alike(counts: Counted) -> Counted:
    """Counts of one document that numpy made, as plain numbers."""
    return {name: tuple(Counts(*map(_number, part.as_tuple())) for part in parts) for name, parts in counts.items()}


def _number(value: object) -> float:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value[0] if isinstance(value, list) else value  # type: ignore[return-value]  # an array of one document


def _counts(pair: Pair, cells: Iterable[Cell], metrics: Sequence[Metric]) -> Counted:
    """What the metrics count of a response that is made of these."""
    key_sizes = [0 if k in pair.left_out else len(cluster) for k, cluster in enumerate(pair.key)]
    make: Callable[..., Contingency] = _in_arrays if len(pair.mentions) >= LARGE else _in_python
    contingency = make(key_sizes, cells, drop=pair.drop)
    return counted_alike({metric.name: metric.count(contingency) for metric in metrics})


def _in_python(key_sizes: list[int], cells: Iterable[Cell], *, drop: bool) -> DocumentContingency:
    """The contingency of the key and these cells; with `drop` response clusters of one mention are left out."""
    cells = list(cells)
    sizes: dict[Dest, int] = {}
    for dest, _, n in cells:
        sizes[dest] = sizes.get(dest, 0) + n
    if drop:
        sizes = {dest: size for dest, size in sizes.items() if size != 1}
    number = {dest: at for at, dest in enumerate(sizes)}
    order: list[int] = []
    for dest, k, n in cells:
        if k != NOWHERE and dest in number:
            order += [k * len(number) + number[dest]] * n
    return DocumentContingency(key_sizes, list(sizes.values()), order)


def _in_arrays(key_sizes: list[int], cells: Iterable[Cell], *, drop: bool) -> Contingency:
    """The same with numpy."""
    import numpy as np

    from scorer.engine.arrays import BatchContingency

    dest, keys, counts = np.array(list(cells) or [(0, NOWHERE, 0)], np.int64).T
    responses = np.unique(dest, return_inverse=True)[1]
    sizes = np.bincount(responses, counts).astype(np.int64)
    kept = keys != NOWHERE
    if drop:
        kept &= sizes[responses] != 1
        sizes[sizes == 1] = 0
    keys, responses, counts = keys[kept], responses[kept], counts[kept]
    # As in `align_batch`, matched mentions come in the order of the response's clusters.
    order = np.argsort(responses, kind="stable")
    keys, responses = (np.repeat(side[order], counts[order]) for side in (keys, responses))
    documents = [np.zeros(len(side), np.int64) for side in (key_sizes, sizes)]
    return BatchContingency(1, np.array(key_sizes, np.int64), documents[0], sizes, documents[1], keys, responses, {})


def _as_it_is(pair: Pair) -> Iterator[Cell]:
    return ((r, _scored(pair, k), n) for (k, r), n in _cells(pair).items() if r != NOWHERE)


def _clustered_as_in_the_key(pair: Pair) -> Iterator[Cell]:
    """The response's mentions, each with those of its key cluster; what the key lacks alone."""
    alone = len(pair.key)
    for (k, r), n in _cells(pair).items():
        if r == NOWHERE:
            continue
        if k != NOWHERE:
            yield k, _scored(pair, k), n
            continue
        yield from ((alone + at, NOWHERE, 1) for at in range(n))
        alone += n


def _mentions_of_the_key(pair: Pair) -> Iterator[Cell]:
    """The key's mentions, those of the response clustered as there, the others alone."""
    alone = len(pair.response)
    for (k, r), n in _cells(pair).items():
        if _scored(pair, k) == NOWHERE:
            continue
        if r != NOWHERE:
            yield r, k, n
            continue
        yield from ((alone + at, k, 1) for at in range(n))
        alone += n


def _cells(pair: Pair) -> Counter[tuple[int, int]]:
    """How many mentions each key cluster and each response cluster have in common, or one has that the other side lacks."""
    return Counter(zip(pair.key_of, pair.response_of))


def _scored(pair: Pair, k: int) -> int:
    return NOWHERE if k in pair.left_out else k
