"""Spans of some documents as arrays, and the numbers of their texts."""

from __future__ import annotations

from itertools import repeat
from operator import lt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conll.arrays import Irregular
from scorer.spans.arrays import SpanColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scorer.run.document_spans import SpanLists
    from scorer.spans.muc7 import ChainCounts

    Ints = NDArray[np.signedinteger[Any]]

FARTHEST = 1 << 31
"""No text has tokens with numbers from here on."""


class SpanBatch(NamedTuple):
    """The spans of some documents: `spans` by what they are of (mentions, names), for the key and each response.

    `labels` and `groups` are texts by their numbers. `chains`: of each document, of the key and the first response, if asked for.
    """

    names: list[str]
    spans: dict[str, list[SpanColumns]]
    labels: Sequence[str]
    groups: Sequence[str]
    chains: Sequence[ChainCounts]


class Texts(dict[str, int]):
    """Numbers for texts, each given when it is first asked for; the empty text has 0."""

    def __init__(self) -> None:
        super().__init__({"": 0})
        self._known: dict[int, tuple[Sequence[str], Ints]] = {}

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def of(self, texts: Iterable[str]) -> list[int]:
        """The number of each."""
        return list(map(self.__getitem__, texts))

    def numbers(self, texts: Sequence[str]) -> Ints:
        """The same of a list that only grows while it is asked for again."""
        _, known = self._known.get(id(texts), (texts, np.empty(0, np.int64)))
        self._known[id(texts)] = texts, np.append(known, np.array(self.of(texts[len(known) :]), np.int64))
        return self._known[id(texts)][1]


class Gathered:
    """The spans of documents that are read one by one, of one side."""

    def __init__(self, labels: Texts, groups: Texts) -> None:
        self._texts: tuple[Texts, Texts] = labels, groups
        self._text: list[int] = []
        self._counts: list[int] = []
        self._columns: tuple[list[int], list[int], list[int], list[int]] = [], [], [], []
        self._score: list[float] = []

    def __len__(self) -> int:
        return len(self._score)

    def add(self, text: int, lists: SpanLists) -> None:
        """Add the spans of a document, the number of which is `text`."""
        count = len(lists.start)
        self._text.append(text)
        self._counts.append(count)
        for column, of_spans in zip(self._columns, (lists.start, lists.end)):
            column.extend(of_spans)
        for column, numbers, texts in zip(self._columns[2:], self._texts, (lists.label, lists.group)):
            column.extend(repeat(0, count) if texts is None else map(numbers.__getitem__, texts))
        self._score.extend(repeat(float("nan"), count) if lists.score is None else lists.score)

    def columns(self) -> SpanColumns:
        """All of them; Irregular where tokens are numbered as those of no text are."""
        text = np.repeat(np.array(self._text, np.int64), self._counts)
        start, end = self._columns[:2]
        if start and not (min(start) >= 0 and max(end) <= FARTHEST and all(map(lt, start, end))):
            raise Irregular
        start_, end_, label, group = (np.array(column, np.int64) for column in self._columns)
        return SpanColumns(text, start_, end_, label, group, np.array(self._score, np.float64))
