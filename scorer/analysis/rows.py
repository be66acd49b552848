"""Errors as rows to compute with, by section."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from scorer.analysis.cost import BOUNDS
from scorer.analysis.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from scorer.analysis.against import Against
    from scorer.analysis.errors import Errors

    Record = dict[str, Any]

_CLUSTERS = ("key_cluster", "response_cluster")
_FIELDS: dict[str, tuple[str, ...]] = {
    "kinds": ("kind", "errors", "metric", "recall_cost", "precision_cost", "f1_cost", "recall", "precision", "f1"),
    "links": ("side", "anaphor", "antecedent", "errors", "links"),
    "bounds": ("bound", "metric", "recall", "precision", "f1"),
    "strata": (
        "stratum", "value", "side", "mentions", "found", "found_low", "found_high", "bcub", "bcub_low", "bcub_high", "links",
        "right", "right_low", "right_high",
    ),
    "entities": (
        "document", "line", "cluster", "name", "size", "response_cluster", "response_size", "common", "recall", "precision", "f1",
    ),
    "errors": (
        "kind", "document", "side", "path", "line", "mention", "mentions", "type", *_CLUSTERS, "before", "words", "after", "beside",
    ),
}  # fmt: skip
"""The fields of each section.

kinds: the errors of a kind; what recall, precision and F1 of a metric gain if that kind alone is mended; and what they are once
all kinds up to it are. All ratios are fractions. bounds: `response` is the response as it is. strata: `found`, `bcub` and
`right` are shares with the ends of their intervals. errors: as in `scorer.analysis.document.Finding`.
"""

SECTIONS = tuple(_FIELDS)
"""What there is to show of errors."""

AGAINST: dict[str, tuple[str, ...]] = {
    "kinds": ("kind", "here", "there", "both"),
    "strata": ("stratum", "value", "here", "there", "both", "right"),
    "sentences": ("document", "sentence", "path", "line", "here", "there", "words"),
    "errors": (
        "document", "sentence", "path", "line", "mention", "outcome", "kinds", "other_kinds", "before", "words", "after",
    ),
}  # fmt: skip
"""The same of two responses: in how many mentions this one alone is wrong (`here`), the other one (`there`), or both."""


def fields_of(section: str) -> tuple[str, ...]:
    """The fields of a section's records, in their order."""
    return _FIELDS[section]


def fields_of_all(sections: Iterable[str], fields: dict[str, tuple[str, ...]] = _FIELDS) -> list[str]:
    """The section and every field of these sections, each once."""
    return list(dict.fromkeys(["section", *(field for section in sections for field in fields[section])]))


def records_of(errors: Errors, section: str) -> Iterator[Record]:
    """The records of a section; None stands for what does not exist."""
    fields = _FIELDS[section]
    return (dict(zip(fields, row)) for row in _ROWS[section](errors))


def records_against(against: Against, section: str) -> Iterator[Record]:
    """The records of a section of two responses."""
    fields = AGAINST[section]
    return (dict(zip(fields, row)) for row in _AGAINST_ROWS[section](against))


def _known(ratios: Iterable[float]) -> list[float | None]:
    return [None if isnan(ratio) else ratio for ratio in ratios]


def _kinds(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for kind in KINDS:
        for metric in errors.names:
            gains, ratios = errors.costs.gain(kind, metric), errors.costs.after[kind].ratios(metric)
            yield (kind, errors.counts[kind], metric, *_known(gains), *_known(ratios.as_tuple()))


def _bounds(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for metric in errors.names:
        yield ("response", metric, *_known(errors.costs.response.ratios(metric).as_tuple()))
    for bound in BOUNDS:
        for metric in errors.names:
            yield (bound, metric, *_known(errors.costs.bounds[bound].ratios(metric).as_tuple()))


def _strata(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for row in errors.strata:
        ends = [row.found_interval or (None, None), row.bcub_interval or (None, None), row.right_interval or (None, None)]
        found, bcub = (row.found, *ends[0]), (row.bcub, *ends[1])
        yield (row.stratum, row.value, row.side, row.tally.mentions, *found, *bcub, row.tally.links, row.right, *ends[2])


def _errors(errors: Errors) -> Iterator[tuple[Any, ...]]:
    for one in errors.findings():
        yield tuple(one._replace(mention=written(one.mention)))


def written(mention: Any) -> str:
    """A mention on one line, without spaces.

    >>> written((3, 4)), written(((3, 4), (6, 6))), written("m 1")
    ('(3,4)', '((3,4),(6,6))', 'm 1')
    """
    return mention if isinstance(mention, str) else str(mention).replace(" ", "")


def _against_kinds(against: Against) -> Iterator[tuple[Any, ...]]:
    for kind, counts in against.by_kind.items():
        yield (kind, *counts.values())


def _against_strata(against: Against) -> Iterator[tuple[Any, ...]]:
    for (stratum, value), counts in sorted(against.by_stratum.items()):
        yield (stratum, value, *counts.values())


def _against_errors(against: Against) -> Iterator[tuple[Any, ...]]:
    for one in against.contrasts():
        kinds = {"kinds": ", ".join(one.kinds), "other_kinds": ", ".join(one.other_kinds)}
        yield tuple(one._replace(mention=written(one.mention), **kinds))  # type: ignore[arg-type]  # as text


_ROWS: dict[str, Callable[[Errors], Iterable[tuple[Any, ...]]]] = {
    "kinds": _kinds,
    "links": lambda errors: errors.links.rows(),
    "bounds": _bounds,
    "strata": _strata,
    "entities": lambda errors: errors.entities,
    "errors": _errors,
}

_AGAINST_ROWS = {
    "kinds": _against_kinds,
    "strata": _against_strata,
    "sentences": lambda against: against.sentences,
    "errors": _against_errors,
}
