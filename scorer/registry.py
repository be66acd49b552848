# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Every name of a metric and what it stands for, in one place.

A metric is one of `scorer.metrics`. Another package adds one through an entry point of the group
`conll_scorer.metrics` that leads to its `Metric`. An average is one of `AVERAGES`. Where a name is
shared ours wins, and only ours have aliases.
"""

from __future__ import annotations

from conll.errors import shown
from conll.registry import Registry
from scorer.count.counts import Metric
from scorer.metrics import METRICS
from scorer.options import Options, options_of, settings
from scorer.scheme import Scheme

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from scorer.keywords import Metrics

ALL_METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "mentions", "conll")
"""What `all` stands for. Metrics of other packages are not part of it, so that installing one
changes no report."""

ALIASES = {
    "b3": "bcub",
    "b_cubed": "bcub",
    "bcubed": "bcub",
    "ceaf_e": "ceafe",
    "ceaf_m": "ceafm",
    "mention": "mentions",
}
"""Other names for metrics; reports show the metric's own."""

OTHERS = Registry("metric", {}, group="conll_scorer.metrics", kind=Metric, taken=ALIASES)
"""The metrics of other packages."""


class Average:
    """The mean F1 of some metrics.

    It has no counts, and no recall and precision: nobody defines these for it.
    """

    __slots__ = ("name", "of", "paper", "title", "unit")

    def __init__(self, name: str, of: tuple[str, ...], *, title: str, paper: str) -> None:
        self.name: str = name
        self.of: tuple[str, ...] = of
        self.unit: str = f"mean F1 of {', '.join(of)}"
        self.title: str = title
        self.paper: str = paper

    def __repr__(self) -> str:
        return f"<Average {self.name}>"


AVERAGES = {
    average.name: average
    for average in (
        Average("conll", ("muc", "bcub", "ceafe"), title="CoNLL", paper="Pradhan et al. 2012"),
        Average(
            "conll_v4",
            ("muc", "bcub_conll_v4", "ceafe_conll_v4"),
            title="CoNLL v4",
            paper="Pradhan et al. 2012",
        ),
    )
}


def names() -> list[str]:
    """List all metrics and averages: `ALL_METRICS`, then those of other packages, sorted."""
    every = set(METRICS).union(OTHERS.names(), AVERAGES)
    return list(ALL_METRICS) + sorted(every.difference(ALL_METRICS))


def words() -> set[str]:
    """List what may be written for metrics: names, aliases and `all`, in lower case."""
    return {"all"}.union(ALIASES, names())


def split(text: str) -> list[str]:
    """Split a list at its commas or semicolons, in lower case; ValueError where it has a +.

    Examples:
        >>> split("MUC, b3,conll")
        ['muc', 'b3', 'conll']
    """
    if "+" in text:
        raise ValueError(f"metrics: {text!r} is a list with +; write {text.replace('+', ',')}")
    names = (part.strip() for part in text.lower().replace(";", ",").split(","))
    return [name for name in names if name]


def canonical(name: str) -> str:
    """Return the name of a metric in lower case, also for one of its aliases.

    Examples:
        >>> canonical("B3"), canonical("conll")
        ('bcub', 'conll')
    """
    if not isinstance(name, str):
        raise TypeError(f"{shown(name)} is not the name of a metric")
    return ALIASES.get(name.lower(), name.lower())


def resolve(written: str | Metric | Iterable[str | Metric]) -> list[str]:
    """Return the names of the metrics and averages that are written, each once, in order.

    Args:
        written: A text of one or several names, a metric, or several of these.

    Raises:
        ValueError: There is no metric of a name.
        TypeError: Something is no name of a metric.

    Examples:
        >>> resolve("conll,B3"), resolve(["b_cubed", "bcub", "mor"])
        (['conll', 'bcub'], ['bcub', 'mor'])
    """
    chosen: list[str] = []
    for item in _items(written):
        if isinstance(item, Metric):
            chosen.append(item.name)
            continue
        if not isinstance(item, str):
            raise TypeError(f"metrics: {shown(item)} is not the name of a metric")
        for listed in split(item):
            listed_names = ALL_METRICS if listed == "all" else (canonical(listed),)
            for name in listed_names:
                if not (name in AVERAGES or is_known(name)):
                    from conll.errors import did_you_mean

                    known = sorted(set(names()) | {"all"})
                    raise ValueError(
                        f"unknown metric {name!r}; choose from: "
                        f"{', '.join(known)}{did_you_mean(name, known + list(ALIASES))}"
                    )
            chosen += listed_names
    return list(dict.fromkeys(chosen))


def _items(written: Any) -> list[Any]:
    """List what is written as one text or metric, or as several."""
    several = hasattr(written, "__iter__") and not isinstance(written, str)
    return list(written) if several else [written]


def needed(shown: Iterable[str]) -> list[str]:
    """Names of the metrics that have to be counted to show those of these names, each once.

    Examples:
        >>> needed(["conll", "lea"])
        ['muc', 'bcub', 'ceafe', 'lea']
    """
    metrics: dict[str, None] = {}
    for name in shown:
        metrics |= dict.fromkeys(AVERAGES[name].of if name in AVERAGES else (name,))
    return list(metrics)


def make_scheme(
    written: str | Metric | Iterable[str | Metric],
    options: Options,
    preset: str | None = None,
    windows: int | Iterable[int] = (),
) -> Scheme:
    """Make the scheme that shows these metrics and averages, in the order given.

    Args:
        written: Names as in `resolve`, or metrics.
        options: How to score.
        preset: The settings that some of the options come from.
        windows: The widths of windows to score besides whole documents.

    Raises:
        ValueError: There is no such metric, none is named, the name of a metric has another
            meaning, or options and metrics exclude each other.

    Examples:
        >>> from scorer.options import Options
        >>> scheme = make_scheme("muc,conll", Options())
        >>> scheme.names, [*scheme.metrics]
        (['muc', 'conll'], ['muc', 'bcub', 'ceafe'])
    """
    items = _items(written)
    given: dict[str, Metric] = {}
    for metric in (item for item in items if isinstance(item, Metric)):
        name = metric.name
        taken = name in AVERAGES or name in {"all", *ALIASES}
        other = METRICS.get(name) or given.get(name, metric)
        if taken or other is not metric:
            raise ValueError(f"metrics: {name!r} is the name of another metric; choose another")
        given[name] = metric
    shown = resolve(items)
    if not shown:
        raise ValueError("metrics: none is named; name one or several, or all")
    chosen = options.to_dict()
    counted = [given.get(name) or get(name) for name in needed(shown)]
    metrics = [metric.combined_as(chosen) for metric in counted]
    return Scheme(metrics, options, shown, preset=preset, windows=windows)


def scheme_of(
    metrics: Metrics | None,
    preset: str | None,
    options: Options | None,
    keywords: Mapping[str, Any],
    windows: int | Iterable[int] = (),
) -> Scheme:
    """Make the scheme that a function of the library was asked for.

    Args:
        metrics: The metrics; None for those of the preset, or all.
        preset: The settings of a shared task, for which the keywords are exceptions.
        options: The options as a record, instead of a preset and keywords.
        keywords: The options.
        windows: The widths of windows to score besides whole documents.

    Raises:
        ValueError, TypeError: Something is unknown, options are given both ways, or they exclude
            each other.
    """
    words: dict[str, Any] = {"metrics": metrics, **keywords}
    if preset is not None:
        # A record and a preset exclude each other.
        words = settings(preset, **words) if options is None else {"preset": preset, **words}
    metrics = words.pop("metrics")
    shown = "all" if metrics is None else metrics
    return make_scheme(shown, options_of(options, words), preset, windows)


def title(name: str) -> str:
    """Return the name of a metric or an average as papers write it.

    The name itself where there is none so called.

    Examples:
        >>> title("bcub"), title("conll"), title("mine")
        ('B³', 'CoNLL', 'mine')
    """
    if name in AVERAGES:
        return AVERAGES[name].title
    return get(name).title if is_known(name) else name


def is_known(name: str) -> bool:
    """Return whether there is a metric of that name, not an average; others' are asked last."""
    return name in METRICS or name in OTHERS.others()


def get(name: str) -> Metric:
    """Return the metric of that name.

    Other packages are asked only when none of our own has that name.

    Raises:
        KeyError: There is none.
        EntryPointError: What another package offers is no `Metric` of that name; a TypeError.
    """
    if not is_known(name):
        raise KeyError(name)
    metric: Metric = METRICS.get(name) or OTHERS.get(name)
    return metric
