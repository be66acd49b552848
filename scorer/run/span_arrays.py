"""Reads the spans of large files with numpy, many documents at once; `scorer.run.span_reader` reads what is out of the ordinary."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np

from conll.arrays import ArraySource, Irregular
from conll.errors import ConllError
from conll.names import names_at_once
from scorer.engine.arrays import read_mentions
from scorer.engine.stream import batches
from scorer.run.span_reader import Spans, problems_found
from scorer.run.words import differences, differences_in_step
from scorer.spans.arrays import SpanColumns
from scorer.spans.scores import LABEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from conll.arrays import Cells, Pieces
    from conll.document import Document
    from conll.errors import Problem
    from scorer.engine.arrays import Mentions
    from scorer.run.score import WholeCorpus
    from scorer.spans.scores import SpanSettings
    from scorer.spans.span import Span

    Ints = NDArray[np.signedinteger[Any]]
    Floats = NDArray[np.float64]


class BatchTally(Protocol):
    """What is made of batches, one after the other."""

    def add(self, batch: SpanBatch) -> None:
        """Count these documents."""


TallyT = TypeVar("TallyT", bound=BatchTally)


class SpanBatch:
    """The spans of some documents: `spans` by what they are of (mentions, names), for the key and each response.

    `labels` and `groups` are texts by their numbers. `mentions` are those of the files as arrays, without the documents `by_hand`,
    whose pairs of key and response are given by their places, one for each response.
    """

    def __init__(
        self,
        names: list[str],
        spans: dict[str, list[SpanColumns]],
        labels: Sequence[str],
        groups: Sequence[str],
        mentions: Sequence[Mentions],
        by_hand: dict[int, list[tuple[Document | None, Document | None]]],
    ) -> None:
        self.names = names
        self.spans = spans
        self.labels = labels
        self.groups = groups
        self.mentions = mentions
        self.by_hand = by_hand


def tallied(
    corpora: Sequence[WholeCorpus],
    settings: Sequence[SpanSettings],
    names: Sequence[str] | None,
    tally: Callable[[], TallyT],
) -> tuple[TallyT, list[Problem]] | None:
    """What a tally makes of all documents, or of those of these names, and what is odd about them; None where fields are lacking.

    All corpora have the same key. Each of the settings tells which spans to read, by its `of`; the rest are the same in all.
    """
    sources = [corpora[0].key, *(corpus.response for corpus in corpora)]
    if names is None and not any(source.odd for source in sources):
        try:
            return _tallied(corpora, settings, None, tally())
        except (Irregular, ConllError):
            # If several documents are malformed, the one to name is the first in the order of the index.
            pass
    return _tallied(corpora, settings, corpora[0].names if names is None else names, tally())


def _tallied(
    corpora: Sequence[WholeCorpus], settings: Sequence[SpanSettings], names: Sequence[str] | None, found: TallyT
) -> tuple[TallyT, list[Problem]] | None:
    reader = _Reader(corpora, settings)
    seen = array("q")
    for batch in reader.batches(names):
        seen.extend(map(hash, batch.names))
        found.add(batch)
    hashes = np.sort(np.frombuffer(seen, np.int64))
    # If a name comes twice, or there is no document at all, the index knows what to say.
    if names is None and (not seen or (hashes[1:] == hashes[:-1]).any()):
        raise Irregular
    if not reader.knows_field():
        return None
    problems = [] if names is None else [one for corpus in corpora for one in problems_found(corpus, settings[0].documents)]
    for corpus, own in zip(corpora, reader.problems()):
        alike = corpora[0] if corpus is not corpora[0] and not problems else None
        in_step = differences_in_step(corpus, alike) if names is None else None
        problems += [*own, *(differences(corpus, corpus.names if names is None else names) if in_step is None else in_step)]
    return found, problems


class _Texts:
    """Numbers for texts, the same for the same text whichever file it is of."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self._numbers = {"": 0}
        self._known: dict[int, tuple[Sequence[str], Ints]] = {}

    def number(self, text: str) -> int:
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return found

    def numbers(self, texts: Sequence[str]) -> Ints:
        """Of a list that only grows while it is asked for again."""
        _, known = self._known.get(id(texts), (texts, np.empty(0, np.int64)))
        more = [self.number(text) for text in texts[len(known) :]]
        self._known[id(texts)] = texts, np.append(known, np.array(more, np.int64))
        return self._known[id(texts)][1]


class _Reader:
    """Reads batches as the settings ask."""

    def __init__(self, corpora: Sequence[WholeCorpus], settings: Sequence[SpanSettings]) -> None:
        self._corpora = corpora
        self._sources = [cast("ArraySource", one) for one in (corpora[0].key, *(corpus.response for corpus in corpora))]
        self._settings = settings
        self._by = settings[0].by if settings[0].by != LABEL else None
        self._score = settings[0].score if settings[0].thresholds is not None else None
        self._plain = [[Spans(corpus, one) for one in settings] for corpus in corpora]
        self._labels, self._groups, self._numbers = _Texts(), _Texts(), _Numbers()
        self._has_field = self._by is None

    def batches(self, names: Sequence[str] | None) -> Iterator[SpanBatch]:
        """Those of all documents in the order of the files, or of these."""
        wanted = ["name"] * any(one.of == "names" for one in self._settings) + [self._by] * (self._by is not None)
        columns = [wanted, *([*wanted, *([self._score] if self._score is not None else [])] for _ in self._sources[1:])]
        # One column may be asked for twice.
        scanners = [source.scanner(names, list(dict.fromkeys(some))) for source, some in zip(self._sources, columns)]  # type: ignore[arg-type]
        odd: set[str] = set().union(*(scanner.irregular for scanner in scanners))
        for source in self._sources[1:] if names is not None else ():
            odd |= set(names or ()) - set(source.names())
        for pieces in batches(*scanners):
            yield self._batch(pieces, odd)

    def knows_field(self) -> bool:
        """Whether any document of key or response has the field that spans are to be grouped by."""
        return self._has_field or any(self._by in spans.fields for spans in self._plain[0])

    def problems(self) -> list[list[Problem]]:
        """What is odd about the documents that were read one by one, for each response."""
        return [some[0].problems for some in self._plain]

    def _batch(self, pieces: Sequence[Pieces], odd: set[str]) -> SpanBatch:
        names = list(pieces[0].names)
        by_hand = {at for at, name in enumerate(names) if name in odd}.union(*(one.apart for one in pieces))
        mentions = [read_mentions(one) for one in pieces]
        by_hand |= {at for one in mentions for at in np.flatnonzero(one.odd).tolist()}
        cells = [one.cells for one in pieces]
        groups = _Groups(mentions, [some.get(self._by) for some in cells], self._groups) if self._by is not None else None
        self._has_field = self._has_field or (groups is not None and groups.any)
        spans: dict[str, list[SpanColumns]] = {}
        for one in self._settings:
            sides = self._mentions(mentions) if one.of == "mentions" else self._names(cells)
            if one.by == LABEL:
                sides = [side._replace(group=self._groups.numbers(self._labels.texts)[side.label]) for side in sides]
            elif groups is not None:
                sides = [side._replace(group=groups.of(at, side)) for at, side in enumerate(sides)]
            if self._score is not None:
                for at in range(1, len(sides)):
                    sides[at] = sides[at]._replace(score=self._numbers.of(mentions[at], cells[at].get(self._score), sides[at]))
                    by_hand |= set(sides[at].text[np.isnan(sides[at].score)].tolist())
            spans[one.of] = sides
        documents = self._add_by_hand(names, sorted(by_hand), spans)
        return SpanBatch(names, spans, self._labels.texts, self._groups.texts, mentions, documents)

    def _mentions(self, mentions: Sequence[Mentions]) -> list[SpanColumns]:
        """The mentions; where changes are listed, cluster by cluster as a document has them."""
        found = []
        for one in mentions:
            start, end, document = one.start, one.end, one.document
            if len(self._corpora) > 1:
                start, end, document = (column[one.order] for column in (start, end, document))
            found.append(_columns(document, start, end + 1, np.zeros(len(start), np.int64)))
        return found

    def _names(self, cells: Sequence[Any]) -> list[SpanColumns]:
        found = []
        for some in cells:
            names = names_at_once(some["name"])
            label = np.array(list(map(self._labels.number, names.labels)), np.int64)[names.label]
            found.append(_columns(names.document, names.first, names.last + 1, label))
        return found

    def _add_by_hand(
        self, names: Sequence[str], places: Sequence[int], spans: dict[str, list[SpanColumns]]
    ) -> dict[int, list[tuple[Document | None, Document | None]]]:
        """Put the spans of single documents in the place of those that were read with all others."""
        documents: dict[int, list[tuple[Document | None, Document | None]]] = {at: [] for at in places}
        rows: dict[str, list[list[tuple[int, Span]]]] = {of: [[] for _ in sides] for of, sides in spans.items()}
        for at in places:
            for number, (corpus, readers) in enumerate(zip(self._corpora, self._plain), 1):
                pair = corpus.pair(names[at])
                documents[at].append(pair)
                for one, reader in zip(self._settings, readers):
                    key, response = reader.of_pair(names[at], pair)
                    if number == 1:
                        rows[one.of][0] += [(at, span) for span in key]
                    rows[one.of][number] += [(at, span) for span in response]
        if places:
            for of, sides in spans.items():
                left = [side.at(~np.isin(side.text, np.array(places))) for side in sides]
                spans[of] = [side.plus(self._columns_of(some)) for side, some in zip(left, rows[of])]
        return documents

    def _columns_of(self, rows: Sequence[tuple[int, Span]]) -> SpanColumns:
        numbers = [(at, one.start, one.end, self._labels.number(one.label), self._groups.number(one.group)) for at, one in rows]
        text, start, end, label, group = np.array(numbers, np.int64).reshape(-1, 5).T
        scores = [float("nan") if one.score is None else one.score for _, one in rows]
        return SpanColumns(text, start, end, label, group, np.array(scores, np.float64))


def _columns(document: Ints, start: Ints, end: Ints, label: Ints) -> SpanColumns:
    return SpanColumns(document, start, end, label, np.zeros(len(start), np.int64), np.full(len(start), np.nan))


def _by_token(side: Mentions, cells: Cells | None, numbers: Ints) -> tuple[Ints, Ints]:
    """The number of the text of each token, 0 where it has none and in the end, and where the tokens of each document begin."""
    begin = np.append(0, np.cumsum(side.tokens))
    found = np.zeros(int(begin[-1]) + 1, np.int64)
    if cells is not None:
        found[begin[cells.document] + cells.token] = numbers[cells.code]
    return found, begin


class _Groups:
    """The value of a column at each token; the key's column holds for all, where the document has it there."""

    def __init__(self, mentions: Sequence[Mentions], cells: Sequence[Cells | None], texts: _Texts) -> None:
        self._sides = []
        self._told = []
        for side, some in zip(mentions, cells):
            numbers = texts.numbers(some.texts) if some is not None else np.empty(0, np.int64)
            self._sides.append(_by_token(side, some, numbers))
            told = np.zeros(len(side.tokens), bool)
            if some is not None:
                told[some.document] = True
            self._told.append(told)
        # Groups are of key and response; another response only changes from one to the other.
        self.any = any(told.any() for told in self._told[:2])

    def of(self, at: int, spans: SpanColumns) -> Ints:
        """The group of each span of the key (0) or of a response: that of its last token."""
        found = self._value(at, spans)
        if at:
            of_key = self._told[0][spans.text]
            found[of_key] = self._value(0, spans.at(of_key))
        return found

    def _value(self, at: int, spans: SpanColumns) -> Ints:
        values, begin = self._sides[at]
        place = begin[spans.text] + spans.end - 1
        found: Ints = values[np.where(place < begin[spans.text + 1], place, begin[-1])]
        return found


class _Numbers:
    """Scores of spans, from the cells of a column."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Sequence[str], Floats]] = {}

    def of(self, side: Mentions, cells: Cells | None, spans: SpanColumns) -> Floats:
        """The number in the cell of each span's first token; nan where there is none."""
        if cells is None:
            return np.full(len(spans.text), np.nan)
        _, known = self._known.get(id(cells.texts), (cells.texts, np.empty(0)))
        more = [_number(text) for text in cells.texts[len(known) :]]
        self._known[id(cells.texts)] = cells.texts, np.append(known, np.array(more, np.float64))
        code, begin = _by_token(side, cells, np.arange(len(cells.texts)))
        scores: Floats = self._known[id(cells.texts)][1][code[begin[spans.text] + spans.start]]
        return scores


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if number - number == 0 else float("nan")
