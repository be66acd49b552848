"""Types of what the functions of the library take: clusters, sources, metrics and keywords.

Type checkers and editors know every option by `OptionKeywords`. A test compares it with the table
of `scorer.options`, which is what the program reads.
"""

# No `from __future__ import annotations`: each key of a typed dictionary would then be text, which
# is compiled on import and makes this file take three times as long.
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import IO, Any, Literal, Protocol, TypedDict

from conll.document import Document
from conll.source import Source
from scorer.count.counts import Metric


class Array(Protocol):
    """An array or a tensor of integers."""

    def tolist(self) -> Any:
        """Return the integers in lists."""


Mention = Hashable | Sequence[int] | Array
"""A mention: a pair of token positions, or any other hashable but a number."""

Clusters = Iterable[Iterable[Mention]] | Array
"""The clusters of one document."""

Documents = (
    str
    | os.PathLike[str]
    | IO[bytes]
    | IO[str]
    | Source
    | Clusters
    | Document
    | Mapping[str, Clusters | Document]
)
"""A key or a response: a path, an open file, a source, the clusters of one document or a
`conll.Document`, or one of these for each document by name."""

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
    """The options of scoring, which `scorer.Options` describes."""

    duplicates: Literal["reference", "first", "last", "keep", "corefud", "error"]
    singletons: Literal["keep", "drop", "drop-response"]
    missing_documents: Literal["empty", "error"]
    documents: str | None
    join_documents: str | None
    blanc_edges: Literal["recasens2011", "luo2014"]
    match: Literal["exact", "head", "partial", "min", "craft"]
    zeros: Literal["linear", "dependent", "drop"]
    split_antecedents: Literal["ignore", "score", "only"]
    layer: Literal["identity", "deixis"]
    typed: str | None
    like: Literal["corefud-1.2", "ua-2025-01-30", "bookcoref"] | None
    align: Literal["auto", "key"]
    document_names: DocumentNames
    rounding: Literal["round", "truncate"]


class ResamplingKeywords(TypedDict, total=False):
    """The keywords that say how systems are compared: the fields of `scorer.Resampling`."""

    method: Literal["randomisation", "bootstrap"]
    trials: int
    seed: int
    alternative: Literal["two-sided", "greater", "less"]
    confidence: float
    interval: Literal["expanded", "percentile"]
    unit: str
    average: Literal["micro", "macro"]


class ManifestKeywords(OptionKeywords, total=False):
    """The keywords for the rows of a manifest that do not say otherwise."""

    metrics: str | Iterable[str] | None
    preset: Preset | None
    key_format: str | None
    response_format: str | None


class ComparisonKeywords(ResamplingKeywords, OptionKeywords, total=False):
    """The keywords that say how systems are scored and compared."""
