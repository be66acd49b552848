# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""A scheme says how to score: what to count, what to show, and the options.

A scheme is made once, where a user says what to score: from keywords of the library, arguments of a
command, or a row of a manifest. Everything below takes the scheme.

Making one also chooses what matches the mentions: `scorer.match.align` with
`scorer.match.matching`, or what follows another program, `scorer.match.corefud` or
`scorer.match.anaphora`. Each of them declares the options that it honours, and any other is refused
here, so none is ever ignored.
"""

from __future__ import annotations

from conll.errors import shown
from scorer.match import align
from scorer.options import Options, filters_in, not_in, options_of, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from scorer.count.counts import Metric
    from scorer.match.anaphora import AnaphoraPair
    from scorer.match.corefud import Like
    from scorer.options import Honoured, Value

    Matcher = type[AnaphoraPair | Like]

BOOKCOREF = "bookcoref"
"""What `like` calls BookCoref's evaluator, which cuts windows in its own way."""


class Scheme:
    """The metrics and options of one scoring; a scheme never changes.

    `scorer.registry.make_scheme` makes one from names of metrics.

    Attributes:
        metrics: The metrics to count, by name.
        names: The metrics and averages to show, in their order.
        options: All other choices.
        preset: The settings of a shared task that some of the options may come from.
        windows: The widths of the windows to score besides whole documents, in tokens.
        matcher: What matches the mentions of two documents, and counts them; None for
            `scorer.match.align`.
        filters: The options that leave out mentions before they are matched.

    Raises:
        ValueError: An option is not honoured by what matches the mentions, by a metric, or in
            windows; or the width of a window is not positive.
        TypeError: The width of a window is no whole number.
    """

    __slots__ = ("filters", "matcher", "metrics", "names", "options", "preset", "windows")

    def __init__(
        self,
        metrics: Iterable[Metric],
        options: Options | None = None,
        names: Iterable[str] | None = None,
        *,
        preset: str | None = None,
        windows: int | Iterable[int] = (),
    ) -> None:
        self.metrics: dict[str, Metric] = {metric.name: metric for metric in metrics}
        self.names: list[str] = list(self.metrics if names is None else names)
        self.options: Options = options or Options()
        self.preset: str | None = preset
        self.windows: tuple[int, ...] = _widths_of(windows)
        self.matcher: Matcher | None = None
        self.filters: list[str] = []
        chosen = self.options.chosen()
        if chosen.get("like") == BOOKCOREF and "duplicates" not in chosen:
            # It looks a repeated mention up in its last cluster, and in CEAFe counts it in each.
            self.options = options_of(None, self.options.to_dict() | {"duplicates": "error"})
            chosen = self.options.chosen()
        if self.windows or chosen.get("like") == BOOKCOREF:
            chosen = _without_bookcoref(chosen, self.windows)
            _check_honoured_in_windows(chosen, self.metrics.values())
        if chosen or any(metric.of != "clusters" for metric in self.metrics.values()):
            self.matcher = _matcher_of(chosen, self.metrics.values())
            later = self.matcher.own_filters if self.matcher is not None else ()
            self.filters = [name for name in filters_in(chosen) if name not in later]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scheme)
            and list(self.metrics) == list(other.metrics)
            and self.names == other.names
            and self.options == other.options
            and self.windows == other.windows
        )

    def __hash__(self) -> int:
        return hash((*self.names, self.options, self.windows))

    def __repr__(self) -> str:
        return f"<Scheme of {' '.join(self.names)}: {self.options!r}>"

    def counting(self, *metrics: Metric) -> Scheme:
        """Return a scheme that counts these metrics as well, without showing them."""
        others = [metric for metric in metrics if metric.name not in self.metrics]
        return self._with([*self.metrics.values(), *others], self.options)

    def with_options(self, options: Options) -> Scheme:
        """Return the scheme with other options, by which counts are combined in the same way."""
        return self._with(self.metrics.values(), options)

    def _with(self, metrics: Iterable[Metric], options: Options) -> Scheme:
        return Scheme(metrics, options, self.names, preset=self.preset, windows=self.windows)

    def scores(self, scored_by: Mapping[str, Sequence[str]]) -> bool:
        """Return whether one of these values is chosen, by the name of an option, or "metrics"."""
        chosen = self.options.chosen()
        return not self.metrics.keys().isdisjoint(scored_by.get("metrics", ())) or any(
            chosen.get(name) in values for name, values in scored_by.items()
        )


def _widths_of(windows: Any) -> tuple[int, ...]:
    """Return the different widths of windows, in the order given; a number alone is one.

    Raises:
        ValueError: One is not positive.
        TypeError: One is no whole number.
    """
    problem = "is not a positive whole number; pass numbers of tokens, such as [1500, 5000]"
    # Text would be read letter by letter.
    if isinstance(windows, str):
        raise TypeError(f"windows: {windows!r} {problem}")
    if not hasattr(windows, "__iter__"):
        windows = [windows]
    widths: list[int] = []
    for width in windows:
        # An integer of numpy is one; True is, too, but was hardly meant.
        if isinstance(width, bool) or not hasattr(width, "__index__"):
            raise TypeError(f"windows: {shown(width)} {problem}")
        if width < 1:
            raise ValueError(f"windows: {width} {problem}")
        widths.append(int(width))
    return tuple(dict.fromkeys(widths))


def _without_bookcoref(chosen: Mapping[str, Value], windows: Sequence[int]) -> dict[str, Value]:
    """Return the options without `like=bookcoref`, which concerns windows alone.

    Raises:
        ValueError: There are no windows.
    """
    others = dict(chosen)
    if others.get("like") == BOOKCOREF:
        if not windows:
            raise ValueError(
                f"like={BOOKCOREF} cannot be scored without windows; leave it out, or add windows, "
                "such as 1500, which only `scorer score` and `scorer.score` have"
            )
        del others["like"]
    return others


def _check_honoured_in_windows(chosen: Mapping[str, Value], metrics: Collection[Metric]) -> None:
    """Raise ValueError for what is not scored in windows.

    Windows cut the clusters of a document, and neither their types nor anaphora besides them.
    """
    clusters = dict(align.HONOURED["clusters"])
    del clusters["typed"]
    honoured = {"clusters": clusters, "mentions": align.HONOURED["mentions"]}
    refused = _not_honoured(chosen, metrics, honoured)
    if refused:
        raise _conflict(refused, ["windows"])


def _matcher_of(chosen: Mapping[str, Value], metrics: Collection[Metric]) -> Matcher | None:
    """Choose what matches the mentions, by the options that are not at their defaults.

    Raises:
        ValueError: It does not honour one of the options, or cannot count one of the metrics.
    """
    beyond = _not_honoured(chosen, metrics, align.HONOURED)
    if not beyond:
        _check_each_kind(chosen, metrics, align.HONOURED)
        return None
    # Loaded only here, as plain matching does without them.
    from scorer.match import anaphora, corefud

    like = chosen.get("like")
    matcher: Matcher
    if like == corefud.PROGRAM:
        matcher, declared = corefud.Like, corefud.HONOURED
    elif like == anaphora.PROGRAM:
        matcher, declared = anaphora.AnaphoraPair, anaphora.HONOURED_AS_PROGRAM
    else:
        matcher, declared = anaphora.AnaphoraPair, anaphora.HONOURED
    refused = _not_honoured(chosen, metrics, declared)
    if refused:
        needed = beyond if like is None else [f"like={like}"]
        raise _conflict(refused, [name for name in needed if name not in refused])
    _check_each_kind(chosen, metrics, declared)
    return matcher


def _not_honoured(
    chosen: Mapping[str, Value], metrics: Collection[Metric], declared: Mapping[str, Honoured]
) -> list[str]:
    """Name the options that are honoured for no kind of metric, and the metrics of other kinds."""
    names = written(not_in(chosen, *declared.values()))
    return names + [metric.name for metric in metrics if metric.of not in declared]


def _check_each_kind(
    chosen: Mapping[str, Value], metrics: Collection[Metric], declared: Mapping[str, Honoured]
) -> None:
    """Raise ValueError for an option that is not honoured for the kind of one of the metrics."""
    kinds = dict.fromkeys(metric.of for metric in metrics)
    for kind in kinds:
        refused = written(not_in(chosen, declared[kind]))
        if refused:
            raise _conflict(refused, [metric.name for metric in metrics if metric.of == kind])


def _conflict(refused: Sequence[str], reason: Sequence[str]) -> ValueError:
    """Make the error for options and metrics that what others ask for cannot score."""
    problem = f"{', '.join(refused)} cannot be scored"
    if not reason:
        return ValueError(f"{problem}; leave it out")
    return ValueError(f"{problem} with {', '.join(reason)}; leave one of them out")
