"""Counts, and the ratios made of them: the only division."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias


class Counts:
    """Numerator and denominator of recall and of precision, in the metric's unit.

    `+` sums them side by side.

    Four numbers for one document or for a total; four arrays with an element a document for a
    batch.
    """

    __slots__ = (
        "precision_denominator",
        "precision_numerator",
        "recall_denominator",
        "recall_numerator",
    )

    # Any stands for int, float, or an array of them: one metric's arithmetic serves all three.
    def __init__(
        self,
        recall_numerator: Any,
        recall_denominator: Any,
        precision_numerator: Any,
        precision_denominator: Any,
    ) -> None:
        self.recall_numerator = recall_numerator
        self.recall_denominator = recall_denominator
        self.precision_numerator = precision_numerator
        self.precision_denominator = precision_denominator

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.recall_numerator + other.recall_numerator,
            self.recall_denominator + other.recall_denominator,
            self.precision_numerator + other.precision_numerator,
            self.precision_denominator + other.precision_denominator,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self.as_tuple() == other.as_tuple()

    __hash__ = None  # type: ignore[assignment]  # counts compare by value and may hold arrays

    def __reduce__(self) -> tuple[object, ...]:
        # Most of what processes send each other is counts.
        return Counts, self.as_tuple()

    def __repr__(self) -> str:
        recall = f"{self.recall_numerator}/{self.recall_denominator}"
        return (
            f"Counts(recall {recall}, precision "
            f"{self.precision_numerator}/{self.precision_denominator})"
        )

    def as_tuple(self) -> tuple[Any, Any, Any, Any]:
        """The four numbers, recall before precision, numerator before denominator."""
        return (
            self.recall_numerator,
            self.recall_denominator,
            self.precision_numerator,
            self.precision_denominator,
        )

    def with_precision_of(self, other: Counts) -> Counts:
        """The recall of these and the precision of others."""
        return Counts(*self.as_tuple()[:2], *other.as_tuple()[2:])

    def ratios(self) -> Ratios:
        """Recall, precision and F1 of these counts."""
        recall = divide(self.recall_numerator, self.recall_denominator)
        return Ratios(recall, divide(self.precision_numerator, self.precision_denominator))


class Ratios:
    """Recall, precision and F1 as fractions from 0 to 1.

    `f1` is their harmonic mean unless it is given. An average has an F1 only: its recall and
    precision are None. Of arrays: arrays.

    >>> recall, precision, f1 = Ratios(0.5, 1.0)
    >>> f1
    0.6666666666666666
    """

    __slots__ = ("f1", "precision", "recall")

    # Any stands for None, which only averages have, or for an array.
    recall: float | Any
    precision: float | Any
    f1: float

    def __init__(self, recall: Any, precision: Any, f1: Any = None) -> None:
        self.recall = recall
        self.precision = precision
        self.f1 = divide(2 * recall * precision, recall + precision) if f1 is None else f1

    def __iter__(self) -> Iterator[float | Any]:
        return iter(self.as_tuple())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratios) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        return f"Ratios(recall={self.recall}, precision={self.precision}, f1={self.f1})"

    def as_tuple(self) -> tuple[float | Any, float | Any, float]:
        """Recall, precision, F1."""
        return self.recall, self.precision, self.f1


def divide(numerator: Any, denominator: Any) -> Any:
    """`numerator / denominator`, with 0/0 = 0 as in reference 8.01; of arrays element by element.

    >>> divide(1, 4), divide(0, 0)
    (0.25, 0.0)
    """
    # Resampling divides thousands of sums at once by this same rule, and mostly none of them by 0.
    every = getattr(denominator, "all", None)
    if every is not None and every():
        return numerator / denominator
    return numerator * (denominator != 0) / (denominator + (denominator == 0))


def ratios_of_first(parts: Sequence[Counts]) -> Ratios:
    """Recall, precision and F1 of a metric with one part."""
    return parts[0].ratios()


class Metric:
    """One metric: how counts come from a contingency, and how summed counts become ratios.

    `of`: "clusters", whose counts come from a contingency; "mentions", where it looks inside of
    these or at their order, whose counts come from a `Matched`; or "anaphora", from an `Anaphoric`.

    `unit` names what the denominators count, `paper` its source. `parts` names the counts where
    there are several (BLANC counts two kinds of links); `count` returns as many, and `combine`
    takes their sums: numbers, or arrays with an element for each replicate where documents are
    resampled (a `combine` that raises ValueError or TypeError on arrays is called for each
    element). `variants`: where an option chooses the way to combine, that option, and the way by
    each of its words.
    """

    def __init__(
        self,
        name: str,
        count: Callable[[Any], tuple[Counts, ...]],
        *,
        title: str,
        unit: str,
        paper: str,
        parts: tuple[str, ...] = ("coreference",),
        combine: Combine = ratios_of_first,
        variants: tuple[str, Mapping[str, Combine]] | None = None,
        of: str = "clusters",
    ) -> None:
        self.name = name
        self.count = count
        self.title = title
        self.unit = unit
        self.paper = paper
        self.parts = parts
        self.combine = combine
        self.variants = variants
        self.of = of

    def combined_as(self, options: Mapping[str, Any]) -> Metric:
        """Return the metric that combines its counts as the options say."""
        if self.variants is None:
            return self
        option, ways = self.variants
        if ways[options[option]] is self.combine:
            return self
        # Imported late, as the usual way needs no copy, and a small run feels it.
        from copy import copy

        metric = copy(self)
        metric.combine = ways[options[option]]
        return metric

    def __repr__(self) -> str:
        return f"<Metric {self.name}>"


if TYPE_CHECKING:
    Combine: TypeAlias = Callable[[Sequence[Counts]], Ratios]

    class Matched(Protocol):
        """A key and a response with matched mentions, as metrics of mentions see them."""

        def overlap(self) -> tuple[int, int, int]:
            """Count the most tokens in common of mentions one to one, and those of each side."""

        def in_order(self) -> tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]]]:
            """Return the clusters of key and response, their mentions by first, then last token."""

        def counterpart(self, mention: Any) -> Any | None:
            """The response mention that stands for a key mention; None where there is none."""

        def is_zero(self, mention: Any) -> bool:
            """Whether a mention is made of empty nodes only."""

    class Anaphoric(Protocol):
        """A key and a response with anaphora beside coreference."""

        def non_referring(self) -> Counts:
            """Count non-referring expressions of both sides, of the key and of the response."""

        def bridging(self, level: str) -> Counts:
            """Count bridging anaphors that are resolved: `anaphor`, `mention` or `entity`."""
