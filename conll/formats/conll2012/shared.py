"""Documents that end together: where end lines are missing, each holds all that follow it, as reference 8.01 has it.

All their lines are read once. The longest holds the lines of all others, and an end closes the latest start that is open, whatever
came before. So a mention of the longest is one of each that it lies in, and an end whose start lies before one is an error there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from conll.columns.brackets import parse
from conll.columns.mentions import never_ends, never_starts
from conll.formats.conll2012.lines import PLACEHOLDER, last_column, word_of
from conll.tail import Cluster, Tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conll.arrays import Entry
    from conll.columns.brackets import Pieces

_PLACEHOLDER = PLACEHOLDER.encode()


class SharedLines:
    """What stands between the beginning of the longest of these documents and the end of all; tokens are counted from there.

    `body` is the text of it, and `first` the line (from 1) on which that begins.
    """

    def __init__(self, body: bytes, first: int, entries: Iterable[Entry], path: str) -> None:
        self._path = path
        self._body = body
        self._last_tab = body.rfind(b"\t")
        self._first = first
        self._words: dict[bytes | None, _Words] = {}
        self._by_label: dict[bytes, Cluster] = {}
        self.met: list[int] = []
        self._discarded: list[tuple[int, str]] = []
        self._faults: dict[int, tuple[int, str, bytes]] = {}
        self._begins = dict.fromkeys((entry.line + 1 for entry in entries), 0)
        self._sound: list[int] = []
        self._tokens = self._read(body, first)
        self.clusters = list(self._by_label.values())
        self._firsts = [cluster.met[0] for cluster in self.clusters]
        open_ = ((*start, cluster.label) for cluster in self.clusters for start in cluster.open)
        self._open = sorted(open_, key=itemgetter(0, 3))

    def document(self, entry: Entry) -> Tail:
        """One of the documents, as reading it alone would give it, with its errors."""
        begin = self._begins[entry.line + 1]
        fault = self._faults.get(begin)
        if fault is not None:
            raise never_starts(self._path, entry.name, *fault)
        unclosed = self._open[bisect_left(self._open, begin, key=itemgetter(0)) :]
        if unclosed and entry.ended:
            _, line, text, label = unclosed[0]
            raise never_ends(self._path, entry.name, line, label, text)
        return Tail(
            self,
            begin,
            entry.name,
            tokens=self._tokens - begin,
            unclosed=[(label, line) for _, line, _, label in unclosed],
            swallowed=entry.swallowed,
            ended=entry.ended,
            path=self._path,
            line=entry.line,
        )

    def words(self, entry: Entry) -> list[str] | None:
        """The words of one of the documents, one after the other, as `Conll2012Source.words` has them sentence by sentence."""
        begin = len(self._body) - (entry.stop - entry.body)
        separator = b"\t" if self._last_tab >= begin else None
        if separator not in self._words:
            self._words[separator] = _Words(self._body, separator)
        return self._words[separator].after(entry.line + 1 - self._first)

    def clusters_from(self, begin: int) -> Iterator[tuple[int, Cluster]]:
        """As in `conll.tail.Longest`."""
        number = bisect_left(self.met, begin)
        # The ids that are met from here on for the first time in all lines.
        later = bisect_left(self._firsts, number)
        again = [(one.met[bisect_left(one.met, number)], one) for one in self.clusters[:later] if one.met[-1] >= number]
        yield from sorted(again + list(zip(self._firsts[later:], self.clusters[later:])), key=itemgetter(0))

    @cached_property
    def starts(self) -> list[int]:
        """As in `conll.tail.Longest`."""
        return sorted(start for cluster in self.clusters for start, _ in cluster.mentions)

    @cached_property
    def repeated(self) -> list[tuple[Cluster, list[int]]]:
        """As in `conll.tail.Longest`."""
        often = Counter(chain.from_iterable(cluster.mentions for cluster in self.clusters))
        found = []
        for cluster in self.clusters:
            places = [at for at, mention in enumerate(cluster.mentions) if often[mention] > 1]
            if places:
                found.append((cluster, places))
        return found

    @cached_property
    def repeats(self) -> int:
        """As in `conll.tail.Longest`."""
        return max((cluster.mentions[at][0] for cluster, places in self.repeated for at in places), default=-1)

    def discarded_from(self, begin: int) -> list[str]:
        """As in `conll.tail.Longest`."""
        return [text for _, text in self._discarded[bisect_left(self._discarded, begin, key=itemgetter(0)) :]]

    def _read(self, body: bytes, first: int) -> int:
        """Read all lines; the number of tokens."""
        token = 0
        for line, text in enumerate(body.split(b"\n"), first):
            if line in self._begins:
                self._begins[line] = token
                self._sound.append(token)
            if not text or text.isspace():
                continue
            if b"(" in text or b")" in text:
                self._add(parse(last_column(text)), token, line, text)
            token += 1
        return token

    def _add(self, pieces: Pieces, token: int, line: int, text: bytes) -> None:
        """Add the pieces at a token, in the order in which reference 8.01 looks for them."""
        self._discarded += [(token, _text(double)) for double in pieces.discarded]
        for label in pieces.singles:
            cluster = self._meet(label, token)
            cluster.mentions.append((token, token))
            cluster.lines.append(line)
        for label in pieces.starts:
            self._meet(label, token).open.append((token, line, text))
        for label in pieces.ends:
            known = self._by_label.get(label)
            start, begun, _ = known.open.pop() if known and known.open else (-1, 0, b"")
            if known and begun:
                known.mentions.append((start, token))
                known.lines.append(begun)
            # The first such end is the error of a document, so that each is looked at once only.
            while self._sound and self._sound[-1] > start:
                self._faults[self._sound.pop()] = line, _text(label), text

    def _meet(self, label: bytes, token: int) -> Cluster:
        cluster = self._by_label.get(label)
        if cluster is None:
            cluster = self._by_label[label] = Cluster(_text(label))
        cluster.met.append(len(self.met))
        self.met.append(token)
        return cluster


class _Words:
    """The words on the lines of a text, and how many stand before each line."""

    def __init__(self, body: bytes, separator: bytes | None) -> None:
        self._words: list[str] = []
        self._before: list[int] = []
        self._known = 0
        for text in body.split(b"\n"):
            self._before.append(len(self._words))
            word = word_of(text, separator)
            if word is None:
                continue
            self._words.append(_text(word))
            if word and word != _PLACEHOLDER:
                self._known = len(self._words)

    def after(self, line: int) -> list[str] | None:
        """Those from that line on, from 0; None where none of them is known."""
        before = self._before[line]
        return self._words[before:] if self._known > before else None


def _text(label: bytes) -> str:
    return label.decode("utf-8", "surrogateescape")
