"""From the names that a user writes to what is counted and what is shown."""

from __future__ import annotations

from scorer import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.count.metric import Metric
    from scorer.options import Options


def select(names: str | Iterable[str], options: Options) -> tuple[list[str], list[Metric]]:
    """The metrics and averages to show, each once and in the order given, and the metrics to count for them.

    `names` as in `scorer.registry.resolve`; ValueError when there is no such metric.

    >>> from scorer.options import Options
    >>> select("muc+conll", Options())
    (['muc', 'conll'], [<Metric muc>, <Metric bcub>, <Metric ceafe>])
    """
    shown = registry.resolve(names)
    return shown, [_metric(name, options) for name in registry.needed(shown)]


def _metric(name: str, options: Options) -> Metric:
    metric = registry.get(name)
    if metric.name == "blanc":
        from scorer.metrics.blanc import EDGES

        return metric.combined_by(EDGES[options.blanc_edges])
    return metric
