"""How to score, as one value: what to count, what to show, and the options.

A scheme is made once, where a user says what to score: from keywords of the library, arguments of a
command, or a row of a manifest. Everything below takes the scheme.
"""

from __future__ import annotations

from scorer.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.count.counts import Metric


class Scheme:
    """How to score; it never changes.

    `scorer.registry.make_scheme` makes one from names of metrics.

    Attributes:
        metrics: The metrics to count, by name.
        names: The metrics and averages to show, in their order.
        options: All other choices.
    """

    __slots__ = ("metrics", "names", "options")

    def __init__(
        self,
        metrics: Iterable[Metric],
        options: Options | None = None,
        names: Iterable[str] | None = None,
    ) -> None:
        self.metrics = {metric.name: metric for metric in metrics}
        self.names = list(self.metrics if names is None else names)
        self.options = options or Options()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scheme)
            and list(self.metrics) == list(other.metrics)
            and self.names == other.names
            and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash((*self.names, self.options))

    def __repr__(self) -> str:
        return f"<Scheme of {' '.join(self.names)}: {self.options!r}>"

    def counting(self, *metrics: Metric) -> Scheme:
        """Return a scheme that counts these metrics as well, without showing them."""
        others = [metric for metric in metrics if metric.name not in self.metrics]
        return Scheme([*self.metrics.values(), *others], self.options, self.names)

    def with_options(self, options: Options) -> Scheme:
        """Return the scheme with other options, by which counts are combined in the same way."""
        return Scheme(self.metrics.values(), options, self.names)
