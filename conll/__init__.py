# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Reading coreference files into documents, and writing them. Knows nothing of scoring."""

from __future__ import annotations

from conll.document import Document, Mention
from conll.errors import ConllError, Problem
from conll.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from conll.convert import write_documents
    from conll.formats.conll2012 import open_source
    from conll.io import open_documents

__all__ = [
    "ConllError",
    "Document",
    "Mention",
    "Problem",
    "Source",
    "open_documents",
    "open_source",
    "write_documents",
]

_LATER = {
    "open_documents": "conll.io",
    "open_source": "conll.formats.conll2012",
    "write_documents": "conll.convert",
}
"""Names imported only on first use: they lie above documents and sources, and scorer.pl starts
without most of them."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return __all__
