"""Reading coreference files into documents. Knows nothing of scoring."""

from __future__ import annotations

from conll.document import Document, Mention
from conll.errors import ConllError, Problem
from conll.source import Source, open_source

__all__ = ["ConllError", "Document", "Mention", "Problem", "Source", "open_source"]
