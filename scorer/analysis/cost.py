"""What metrics say of a response once something in it is mended: what each kind of error costs, and what could be had at best."""

from __future__ import annotations

from collections import Counter
from itertools import chain, count, islice
from typing import TYPE_CHECKING

from scorer.analysis.kinds import CONFLATED, DIVIDED, KINDS, SPAN
from scorer.analysis.pair import LARGE, NOWHERE
from scorer.count.contingency import DocumentContingency
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scorer.analysis.kinds import Dest, Transformation
    from scorer.analysis.pair import Pair
    from scorer.count.contingency import Contingency
    from scorer.count.metric import Metric
    from scorer.evaluation.evaluation import Evaluation

    Ints = NDArray[np.int64]
    Counted = dict[str, tuple[Counts, ...]]
    Cell = tuple[Dest, int, int]
    """The response cluster of some mentions, the key cluster (`NOWHERE` where the key lacks them), and how many they are."""

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

    def add(self, name: str, own: Counted, transformation: Transformation) -> None:
        """Add a document: its own counts, and how it is transformed."""
        metrics = list(self.response.metrics.values())
        pair = transformation.pair

        cells = (_cells_in_arrays if len(pair.mentions) >= LARGE else _cells_in_python)(transformation)

        def put(evaluation: Evaluation, counts: Counted) -> None:
            evaluation.add(DocumentScore(name, counts, [], 0))

        present = {part.kind for part in transformation.parts}
        spans = _counts(pair, cells(()), metrics) if SPAN in present else own
        put(self.response, own)
        put(self.bounds[SPANS_MENDED], spans)
        bounds = _bounds_in_arrays(pair) if len(pair.mentions) >= LARGE else _bounds_in_python(pair)
        for bound, some in zip((KEY_CLUSTERING, KEY_MENTIONS), bounds):
            put(self.bounds[bound], _counts(pair, some, metrics))
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

    def base(self, kind: str) -> Evaluation:
        """What mending that kind alone starts from."""
        return self.response if kind == SPAN else self.alone[SPAN]

    def gain(self, kind: str, metric: str) -> tuple[float, float, float]:
        """What recall, precision and F1 gain if that kind alone is mended; an average has no recall and no precision (nan)."""
        before, after = self.base(kind).ratios(metric), self.alone[kind].ratios(metric)
        recall, precision, f1 = (b - a for a, b in zip(before.as_tuple(), after.as_tuple()))
        return recall, precision, f1


def _cells_in_python(transformation: Transformation) -> Callable[[Collection[str]], Iterable[Cell]]:
    """A function of some kinds, for the cells of the response once these are mended."""
    constant = [(dest, key, len(mentions)) for dest, key, mentions in transformation.constant]

    def cells(kinds: Collection[str]) -> Iterator[Cell]:
        changing = islice(transformation.atoms(kinds), len(constant), None)
        return chain(constant, ((dest, key, len(mentions)) for dest, key, mentions in changing))

    return cells


def _cells_in_arrays(transformation: Transformation) -> Callable[[Collection[str]], Ints]:
    """The same with numpy, in columns."""
    import numpy as np

    def columns(cells: Iterable[tuple[int, ...]], width: int) -> Ints:
        listed = list(cells)
        flat = np.fromiter(chain.from_iterable(listed), np.int64, width * len(listed))
        return flat.reshape(-1, width).T

    constant = columns(((dest, key, len(mentions)) for dest, key, mentions in transformation.constant), 3)
    number = {kind: at for at, kind in enumerate(("", *KINDS))}
    moves = columns(
        (
            (move.key, len(move.mentions), move.home, move.split, move.joined, move.follows, number[move.comes], number[move.goes])
            for move in transformation.moves
        ),
        8,
    )
    key, counts, home, split, joined, follows, comes, goes = moves
    splits, joins = split != NOWHERE, joined != NOWHERE

    def cells(kinds: Collection[str]) -> Ints:
        mended = np.array([kind in kinds for kind in number])
        dest = np.where(splits, split, home) if CONFLATED in kinds else home
        if DIVIDED in kinds:
            dest = np.where(joins if CONFLATED in kinds else joins & (follows == 0), joined, dest)
        stays = ~mended[goes] & (mended[comes] | (comes == 0))
        return np.concatenate((constant, np.stack((dest, key, counts))[:, stays]), axis=1)

    return cells


def _counted_alike(counts: Counted) -> Counted:
    """Counts of one document that numpy made, as plain numbers."""
    return {name: tuple(Counts(*map(_number, part.as_tuple())) for part in parts) for name, parts in counts.items()}


def _number(value: object) -> float:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return value[0] if isinstance(value, list) else value  # type: ignore[return-value]  # an array of one document


def _counts(pair: Pair, cells: Iterable[Cell] | Ints, metrics: Sequence[Metric]) -> Counted:
    """What the metrics count of a response that is made of these."""
    make: Callable[..., Contingency] = _in_arrays if len(pair.mentions) >= LARGE else _in_python
    contingency = make(pair.key_sizes, cells, drop=pair.drop)
    return _counted_alike({metric.name: metric.count(contingency) for metric in metrics})


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


def _in_arrays(key_sizes: list[int], cells: Ints, *, drop: bool) -> Contingency:
    """The same with numpy."""
    import numpy as np

    from scorer.engine.arrays import BatchContingency
    from scorer.engine.radix import argsort

    # As in `align_batch`, matched mentions come in the order of the response's clusters.
    dest, keys, counts = cells[:, argsort(cells[0], int(cells[0].max(initial=0)) + 1)]
    responses = np.cumsum(np.append(0, dest[1:] != dest[:-1])[: len(dest)])
    sizes = np.bincount(responses, counts).astype(np.int64)
    kept = keys != NOWHERE
    if drop:
        kept &= sizes[responses] != 1
        sizes[sizes == 1] = 0
    keys, responses = (np.repeat(side[kept], counts[kept]) for side in (keys, responses))
    documents = [np.zeros(len(side), np.int64) for side in (key_sizes, sizes)]
    return BatchContingency(1, np.array(key_sizes, np.int64), documents[0], sizes, documents[1], keys, responses, {})


def _bounds_in_python(pair: Pair) -> tuple[Iterable[Cell], Iterable[Cell]]:
    """The response's mentions, each with those of its key cluster, and the key's, each with those of its response cluster.

    What the other side lacks is alone.
    """
    alone = count(len(pair.key) + len(pair.response))
    as_in_key: list[Cell] = []
    of_key: list[Cell] = []
    for (k, r), n in Counter(zip(pair.key_of, pair.response_of)).items():
        own = NOWHERE if k in pair.left_out else k
        if r != NOWHERE:
            as_in_key += [(k, own, n)] if k != NOWHERE else [(next(alone), own, 1) for _ in range(n)]
        if own != NOWHERE:
            of_key += [(r, own, n)] if r != NOWHERE else [(next(alone), own, 1) for _ in range(n)]
    return as_in_key, of_key


def _bounds_in_arrays(pair: Pair) -> tuple[Ints, Ints]:
    """The same with numpy, in columns."""
    import numpy as np

    key, response = np.array(pair.key_of, np.int64), np.array(pair.response_of, np.int64)
    left_out = np.zeros(len(pair.key) + 1, bool)
    left_out[list(pair.left_out)] = True
    own = np.where(left_out[key], NOWHERE, key)
    at, one = np.arange(len(key)), np.ones_like(key)
    as_in_key = np.stack((np.where(key == NOWHERE, len(pair.key) + at, key), own, one))
    of_key = np.stack((np.where(response == NOWHERE, len(pair.response) + at, response), own, one))
    return as_in_key[:, response != NOWHERE], of_key[:, own != NOWHERE]
