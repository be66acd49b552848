"""The types of what the functions of the library take: clusters, sources, metrics and keywords.

Each option is described in `scorer.options`; here its name and values stand once more for type
checkers, and a test keeps the two equal.
"""

# No `from __future__ import annotations`: each key of a typed dictionary would then be text, which
# is compiled on import and makes this file take three times as long.
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, TypedDict, TypeVar, get_type_hints

from scorer.count.counts import Metric

if TYPE_CHECKING:
    from inspect import Signature

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class Array(Protocol):
    """An array or a tensor of integers."""

    def tolist(self) -> Any:
        """Return the integers in lists."""


Mention = Hashable | Sequence[int] | Array
"""A mention: a pair of token positions, or any other hashable but a number."""

Clusters = Iterable[Iterable[Mention]] | Array
"""The clusters of one document."""

Documents = str | os.PathLike[str] | IO[bytes] | IO[str] | Clusters | Mapping[str, Clusters]
"""A key or a response: a path, an open file, the clusters of one document, or of each by name."""

Source = Documents
"""The name of this type in the library, where no other `Source` is in the way."""

Metrics = str | Metric | Iterable[str | Metric]
"""Metrics and averages: their names in a list or in a text with commas, or `Metric` objects."""

Preset = Literal[
    "conll12",
    "conll-v4",
    "crac22",
    "crac23",
    "crac24",
    "crac25",
    "crac26",
    "crac18",
    "craft19",
    "codicrac21ar",
    "codicrac21br",
    "codicrac21dd",
    "codicrac22ar",
    "codicrac22br",
    "codicrac22dd",
]
"""The settings of a shared task."""


DocumentNames = Literal["auto", "exact"]
"""How documents of key and response are matched."""


class OptionKeywords(TypedDict, total=False):
    """How to score: the options of `scorer.Options`, as keywords."""

    duplicates: Literal["reference", "first", "last", "keep", "corefud", "error"]
    singletons: Literal["keep", "drop", "drop-response"]
    missing_documents: Literal["empty", "error"]
    documents: str | None
    blanc_edges: Literal["recasens2011", "luo2014"]
    match: Literal["exact", "head", "partial", "min", "craft"]
    zeros: Literal["linear", "dependent", "drop"]
    split_antecedents: Literal["ignore", "score", "only"]
    layer: Literal["identity", "deixis"]
    typed: str | None
    like: Literal["corefud-1.2", "ua-2025-01-30"] | None
    align: Literal["auto", "key"]
    document_names: DocumentNames
    repair: Literal["align", "crac"]
    rounding: Literal["round", "truncate"]


class ResamplingKeywords(TypedDict, total=False):
    """How systems are compared: the fields of `scorer.Resampling`, as keywords."""

    method: Literal["randomisation", "bootstrap"]
    trials: int
    seed: int
    alternative: Literal["two-sided", "greater", "less"]
    confidence: float
    interval: Literal["expanded", "percentile", "bca"]
    unit: str
    average: Literal["micro", "macro"]


class ManifestKeywords(OptionKeywords, total=False):
    """What applies to the rows of a manifest that do not say otherwise."""

    metrics: str | Iterable[str] | None
    preset: Preset | None
    key_format: str | None
    response_format: str | None


class ManifestComparisonKeywords(ResamplingKeywords, ManifestKeywords, total=False):
    """How the rows of a manifest are scored, and their systems compared."""


class ComparisonKeywords(ResamplingKeywords, OptionKeywords, total=False):
    """How systems are scored and compared."""


def spelled_out(
    function: Callable[..., Any], keywords: type, records: Iterable[object]
) -> "Signature":
    """Return the signature of a function that takes `**keywords`, with each of them named.

    Args:
        function: The function.
        keywords: The typed dictionary of the keywords.
        records: Objects with attributes of these names, which are the defaults; None where none
            has it.
    """
    from inspect import Parameter, signature

    usual = signature(function)
    parameters = [*usual.parameters.values()][:-1]
    for name, values in get_type_hints(keywords).items():
        defaults = (getattr(record, name) for record in records if hasattr(record, name))
        default = next(defaults, None)
        parameters.append(
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=values)
        )
    return usual.replace(parameters=parameters)


def spell_out(keywords: type, *records: object) -> Callable[[FunctionT], FunctionT]:
    """Decorate a function so that its signature is as `spelled_out` returns it."""

    def decorate(function: FunctionT) -> FunctionT:
        function.__signature__ = spelled_out(function, keywords, records)  # type: ignore[attr-defined]
        return function

    return decorate


class SpelledOut:
    """The `__signature__` of a class whose `__init__` takes `**keywords`.

    It is made only when somebody asks for it, since importing `inspect` would make scoring in
    memory start a quarter slower.
    """

    def __init__(self, keywords: type, *records: object) -> None:
        self._keywords = keywords
        self._records = records

    def __set_name__(self, owner: Any, name: str) -> None:
        self._function = owner.__init__

    def __get__(self, instance: object, owner: Any) -> "Signature":
        # A subclass may have an `__init__` of its own.
        if owner.__init__ is not self._function:
            raise AttributeError("__signature__")
        whole = spelled_out(self._function, self._keywords, self._records)
        return whole.replace(parameters=[*whole.parameters.values()][1:])
