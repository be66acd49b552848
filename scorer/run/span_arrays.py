"""Reads the spans of large files with numpy, many documents at once; `scorer.run.span_reader` reads what is out of the ordinary."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from conll.arrays import Irregular, scanner_of
from conll.names import names_at_once
from scorer.engine.mentions import read_mentions
from scorer.engine.stream import batches
from scorer.run.chain_arrays import chains_at_once
from scorer.run.span_batch import Gathered, SpanBatch, Texts
from scorer.run.span_reader import Spans, problems_found
from scorer.run.words import differences, differences_in_step
from scorer.spans.arrays import SpanColumns
from scorer.spans.scores import LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from conll.arrays import ArraySource, Cells, Pieces
    from conll.errors import Problem
    from scorer.engine.mentions import Mentions
    from scorer.run.score import WholeCorpus
    from scorer.run.span_reader import Pair
    from scorer.spans.muc7 import ChainCounts
    from scorer.spans.scores import SpanSettings

    Ints = NDArray[np.signedinteger[Any]]
    Floats = NDArray[np.float64]


class ScannedSpans:
    """Reads batches as the settings ask, `chains` included."""

    def __init__(self, corpora: Sequence[WholeCorpus], settings: Sequence[SpanSettings], *, chains: bool) -> None:
        self._corpora = corpora
        self._sources = [corpora[0].key, *(corpus.response for corpus in corpora)]
        self._settings = settings
        self._chains = chains
        self._by = settings[0].by if settings[0].by != LABEL else None
        self._score = settings[0].score if settings[0].thresholds is not None else None
        self._plain = [Spans(corpus, settings) for corpus in corpora]
        self._labels, self._groups, self._numbers = Texts(), Texts(), _Numbers()
        self._unlike: list[list[str]] = [[] for _ in corpora]
        """The documents of each response that may have other words than the key's."""

    def batches(self, names: Sequence[str] | None) -> Iterator[SpanBatch]:
        """Those of all documents in the order of the files, or of these; Irregular where all need the index.

        Of directories those of these names alone.
        """
        wanted = ["name"] * any(one.of == "names" for one in self._settings) + [self._by] * (self._by is not None)
        columns = [wanted, *([*wanted, *([self._score] if self._score is not None else [])] for _ in self._sources[1:])]
        # One column may be asked for twice. Where none is, words are not read with it.
        asked = [(source, [one for one in dict.fromkeys(some) if one is not None]) for source, some in zip(self._sources, columns)]
        noting = not any(columns)
        if names is None:
            scanners = [cast("ArraySource", source).scanner(None, some, noting=noting) for source, some in asked]
        else:
            scanners = [scanner_of(source, names, some, noting=noting) for source, some in asked]
        odd: set[str] = set().union(*(scanner.irregular for scanner in scanners))
        for source in self._sources[1:] if names is not None else ():
            odd |= set(names or ()) - set(source.names())
        seen = array("q")
        for pieces in batches(*scanners):
            seen.extend(map(hash, pieces[0].names))
            self._compare(pieces, odd)
            yield self._batch(pieces, odd)
        hashes = np.sort(np.frombuffer(seen, np.int64))
        # If a name comes twice, or there is no document at all, the index knows what to say.
        if names is None and (not seen or (hashes[1:] == hashes[:-1]).any()):
            raise Irregular

    def check_field(self, names: Sequence[str] | None) -> None:
        """As `Spans.check_field`."""
        # Names need the index.
        if not self._plain[0].has_field:
            self._plain[0].check_field(self._corpora[0].names if names is None else names)

    def problems(self, names: Sequence[str] | None) -> list[Problem]:
        """What is odd about the documents, after all are read."""
        corpora, pattern = self._corpora, self._settings[0].documents
        problems = [] if names is None else [one for corpus in corpora for one in problems_found(corpus, pattern)]
        for corpus, reader, unlike in zip(corpora, self._plain, self._unlike):
            alike = corpora[0] if corpus is not corpora[0] and not problems else None
            problems += reader.problems
            if unlike:
                # Where one differs others may; two files are sooner read once more than the index is made.
                in_step = differences_in_step(corpus, alike) if names is None else None
                problems += differences(corpus, unlike) if in_step is None else in_step
        return problems

    def _compare(self, pieces: Sequence[Pieces], odd: AbstractSet[str]) -> None:
        key = pieces[0]
        for response, unlike in zip(pieces[1:], self._unlike):
            alike = set() if key.wording is None or response.wording is None else {*key.wording.alike(response.wording)}
            unlike += [name for at, name in enumerate(key.names) if at not in alike or name in odd]

    def _batch(self, pieces: Sequence[Pieces], odd: set[str]) -> SpanBatch:
        names = list(pieces[0].names)
        by_hand = {at for at, name in enumerate(names) if name in odd}.union(*(one.apart for one in pieces))
        mentions = [read_mentions(one) for one in pieces]
        by_hand |= {at for one in mentions for at in np.flatnonzero(one.odd).tolist()}
        cells = [one.cells for one in pieces]
        groups = _Groups(mentions, [some.get(self._by) for some in cells], self._groups) if self._by is not None else None
        self._plain[0].has_field |= groups is not None and groups.any
        spans: dict[str, list[SpanColumns]] = {}
        for one in self._settings:
            sides = self._mentions(mentions) if one.of == "mentions" else self._names(cells)
            if one.by == LABEL:
                of_label = np.array(self._groups.of(self._labels), np.int64)
                sides = [side._replace(group=of_label[side.label]) for side in sides]
            elif groups is not None:
                sides = [side._replace(group=groups.of(at, side)) for at, side in enumerate(sides)]
            if self._score is not None:
                for at in range(1, len(sides)):
                    sides[at] = sides[at]._replace(score=self._numbers.of(mentions[at], cells[at].get(self._score), sides[at]))
                    by_hand |= set(sides[at].text[np.isnan(sides[at].score)].tolist())
            spans[one.of] = sides
        documents = self._add_by_hand(names, sorted(by_hand), spans)
        chains: list[ChainCounts] = []
        if self._chains:
            chains = chains_at_once(mentions[0], mentions[1], documents, lambda at: self._corpora[0].pair(names[at]))
        return SpanBatch(names, spans, list(self._labels), list(self._groups), chains)

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
            label = np.array(self._labels.of(names.labels), np.int64)[names.label]
            found.append(_columns(names.document, names.first, names.last + 1, label))
        return found

    def _add_by_hand(self, names: Sequence[str], places: Sequence[int], spans: dict[str, list[SpanColumns]]) -> dict[int, Pair]:
        """Put the spans of single documents in the place of those that were read with all others; returns these documents.

        Of a corpus whose key was read with another response, the key is passed over.
        """
        if not places:
            return {}
        documents: dict[int, Pair] = {}
        gathered = {of: [Gathered(self._labels, self._groups) for _ in sides] for of, sides in spans.items()}
        for at in places:
            for number, (corpus, reader) in enumerate(zip(self._corpora, self._plain)):
                pair = corpus.pair(names[at])
                documents.setdefault(at, pair)
                for one, lists in zip(self._settings, reader.of_pair(names[at], pair)):
                    for side in (0, 1) if not number else (1,):
                        gathered[one.of][number + side].add(at, lists[side])
        for of, sides in spans.items():
            left = [side.at(~np.isin(side.text, np.array(places))) for side in sides]
            spans[of] = [side.plus(some.columns()) for side, some in zip(left, gathered[of])]
        return documents


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
    """The value of a column at each token; the key's column holds for all where the document has it there, else the response's."""

    def __init__(self, mentions: Sequence[Mentions], cells: Sequence[Cells | None], texts: Texts) -> None:
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
        found = self._value(at or 1, spans)
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
