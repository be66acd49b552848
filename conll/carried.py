"""Documents that were read before they are asked for, for sources that cannot be opened again elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.errors import ConllError
from conll.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conll.document import Document, Words
    from conll.errors import Problem


class CarriedSource(Source):
    """Some documents of another source, with their words and lines; what could not be read is raised when it is asked for."""

    def __init__(self, source: Source, names: Iterable[str]) -> None:
        self.path = source.path
        self.size = source.size
        self.format = source.format
        self._documents: dict[str, Document | ConllError] = {}
        self._words: dict[str, Words | ConllError | None] = {}
        self._begins: dict[str, int] = {}
        self._lines: dict[str, dict[int, int]] = {}
        for name in names:
            try:
                document: Document | ConllError | None = source.document(name)
            except ConllError as error:
                document = error
            if document is None:
                continue
            self._documents[name] = document
            self._begins[name] = source.line_of(name)
            try:
                self._words[name] = words = source.words(name)
            except ConllError as error:
                self._words[name] = error
                continue
            self._lines[name] = source.lines_of(name, set(range(sum(map(len, words or [])))))

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> Document | None:
        document = self._documents.get(name)
        if isinstance(document, ConllError):
            raise document
        return document

    def line_of(self, name: str) -> int:
        return self._begins.get(name, 0)

    def problems(self) -> list[Problem]:
        return []

    def words(self, name: str) -> Words | None:
        words = self._words.get(name)
        if isinstance(words, ConllError):
            raise words
        return words

    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        lines = self._lines.get(name, {})
        return {token: lines[token] for token in tokens if token in lines}
