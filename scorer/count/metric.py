"""What a metric is."""

from __future__ import annotations

from scorer.count.counts import Counts, Ratios

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    Combine: TypeAlias = Callable[[Sequence[Counts]], Ratios]

    class Matched(Protocol):
        """What metrics of mentions ask of a key and a response whose mentions are matched, of `scorer.match`."""

        def overlap(self) -> tuple[int, int, int]:
            """The most tokens that the mentions of key and response have in common, assigned one to one; those of either side."""

        def in_order(self) -> tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]]]:
            """The clusters of the key and of the response, the mentions of each by first, then last token."""

        def counterpart(self, mention: Any) -> Any | None:
            """The response mention that stands for a key mention; None where there is none."""

        def is_zero(self, mention: Any) -> bool:
            """Whether a mention is made of empty nodes only."""


def ratios_of_first(parts: Sequence[Counts]) -> Ratios:
    """Recall, precision and F1 of a metric with one part."""
    return parts[0].ratios()


class Metric:
    """One metric: how counts come from a contingency, and how summed counts become ratios.

    `of`: "clusters", whose counts come from a contingency, or "mentions", where it looks inside of these or at their order; then
    they come from a `Matched`.

    `unit` names what the denominators count, `paper` its source. `parts` names the counts where there are several (BLANC counts
    two kinds of links); `count` returns as many, and `combine` takes their sums: numbers, or arrays with an element for each
    replicate where documents are resampled (a `combine` that raises ValueError or TypeError on arrays is called for each element).
    `symmetric`: exchanging key and response exchanges recall and precision.
    `variants`: where an option chooses the way to combine, that option, and the way by each of its words.
    """

    __slots__ = ("combine", "count", "name", "of", "paper", "parts", "symmetric", "title", "unit", "variants")

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
        symmetric: bool = True,
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
        self.symmetric = symmetric

    def combined_as(self, options: Mapping[str, Any]) -> Metric:
        """The metric that combines its counts as these options say, words by the names of options."""
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
