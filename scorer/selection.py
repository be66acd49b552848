"""From the names that a user writes to what is counted and what is shown."""

from __future__ import annotations

from scorer import metrics, pairs
from scorer.averages import AVERAGES, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from scorer.metric import Metric
    from scorer.options import Options

ALL = ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "mentions", "conll")
"""What `all` stands for; not more when another package adds a metric, so that reports do not change by installing one."""


def select(names: str | Iterable[str], options: Options) -> tuple[list[str], list[Metric]]:
    """The metrics and averages to show, each once and in the order given, and the metrics to count for them.

    `names` is a list of names, or one name, or several with + between them. `all` stands for `ALL`; case does not matter.
    ValueError when there is no such metric.

    >>> from scorer.options import Options
    >>> select("muc+conll", Options())
    (['muc', 'conll'], [<Metric muc>, <Metric bcub>, <Metric ceafe>])
    """
    written = names.split("+") if isinstance(names, str) else [part for name in names for part in name.split("+")]
    shown: list[str] = []
    for name in written:
        shown += ALL if name.lower() == "all" else [name.lower()]
    shown = list(dict.fromkeys(shown))
    return shown, [_metric(name, options) for name in counted(shown)]


def _metric(name: str, options: Options) -> Metric:
    try:
        metric = pairs.get(name) if name in pairs.names() else metrics.get(name)
    except KeyError:
        known = ", ".join(sorted({*metrics.names(), *pairs.names(), *AVERAGES, "all"}))
        raise ValueError(f"there is no metric {name!r}; there are: {known}") from None
    if metric.name == "blanc":
        from scorer.metrics.blanc import EDGES

        return metric.combined_by(EDGES[options.blanc_edges])
    return metric
