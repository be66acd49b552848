"""What may be chosen about a scoring, beside the metrics: everything that can change a figure stands in one record."""

from __future__ import annotations

DUPLICATES = ("reference", "first", "last", "keep", "corefud", "error")
"""What becomes of mentions that a side holds more than once; `scorer.match.align` says what each word means."""
SINGLETONS = ("keep", "drop", "drop-response")
"""Whether clusters of one mention are scored: always, on neither side, or in the key only."""
MISSING_DOCUMENTS = ("empty", "error")
"""What becomes of a document of the key that the response lacks: scored as an empty one, or refused."""
BLANC_EDGES = ("recasens2011", "luo2014")
"""When one kind of links drops out of BLANC; `scorer.metrics.blanc` says which paper says what. Reference 8.01 does the first."""


MATCH = ("exact", "head", "partial")
"""Which mentions stand for each other without being equal; `scorer.match.matching` says what each word means."""
ZEROS = ("linear", "dependent")
"""How empty nodes of key and response are aligned: by their place, or by their dependencies in the sentence."""
LIKE = ("corefud-1.2",)
"""The programs as which mentions may be matched and counted; `scorer.match.corefud` says what CorefUD's scorer does."""
PERCENT = ("cut", "rounded")
"""How reports make two decimals of a figure in percent: cut off, as reference 8.01 does, or rounded, as CorefUD's scorer does."""


class Options:
    """How to score; frozen, and equal by value. ValueError for a word that is not one of those above.

    `documents` is a regular expression: only documents in whose name it is found are scored (None: all). `like` is None where
    `match` and `zeros` mean what `scorer.match.matching` says.

    >>> Options(singletons="drop")
    Options(singletons='drop')
    >>> Options(duplicates="frist")
    Traceback (most recent call last):
    ValueError: duplicates: 'frist' is not one of reference, first, last, keep, corefud, error
    """

    __slots__ = ("blanc_edges", "documents", "duplicates", "like", "match", "missing_documents", "percent", "singletons", "zeros")

    def __init__(
        self,
        *,
        duplicates: str = "reference",
        singletons: str = "keep",
        missing_documents: str = "empty",
        documents: str | None = None,
        blanc_edges: str = "recasens2011",
        match: str = "exact",
        zeros: str = "linear",
        like: str | None = None,
        percent: str = "cut",
    ) -> None:
        self.duplicates = _one_of("duplicates", duplicates, DUPLICATES)
        self.singletons = _one_of("singletons", singletons, SINGLETONS)
        self.missing_documents = _one_of("missing_documents", missing_documents, MISSING_DOCUMENTS)
        self.documents = documents
        self.blanc_edges = _one_of("blanc_edges", blanc_edges, BLANC_EDGES)
        self.match = _one_of("match", match, MATCH)
        self.zeros = _one_of("zeros", zeros, ZEROS)
        self.like = like if like is None else _one_of("like", like, LIKE)
        self.percent = _one_of("percent", percent, PERCENT)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.to_dict().items()))

    def __repr__(self) -> str:
        default = Options().to_dict()
        changed = (f"{name}={value!r}" for name, value in self.to_dict().items() if value != default[name])
        return f"Options({', '.join(changed)})"

    def to_dict(self) -> dict[str, str | None]:
        """Every option by name."""
        return {
            "duplicates": self.duplicates,
            "singletons": self.singletons,
            "missing_documents": self.missing_documents,
            "documents": self.documents,
            "blanc_edges": self.blanc_edges,
            "match": self.match,
            "zeros": self.zeros,
            "like": self.like,
            "percent": self.percent,
        }


def _one_of(name: str, value: str, values: tuple[str, ...]) -> str:
    if value not in values:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(values)}")
    return value
