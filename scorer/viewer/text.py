"""A document as a page shows it, in columns of numbers: units of text, mentions of both sides, clusters, errors.

A unit is a word, an empty node, or a run of words that no file gives and in which no mention begins or ends. All else counts by the
places of units and mentions in the document.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from conll.document import Document
from conll.marked import counterparts, stretches_of, text_of
from conll.syntax import is_span, place
from scorer.analysis.text import as_written
from scorer.report.marked import GAP, ZERO, shown_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from conll.document import Words
    from conll.errors import Side
    from conll.marked import Text
    from conll.syntax import Token

NONE = -1
"""Stands for a cluster of a mention that a side lacks, and for a value that is not known."""


class Error(NamedTuple):
    """An error: the place of its kind among the kinds of the page, the side in which its mentions stand, and these, in order.

    `key` and `response`: the numbers of the clusters that meet in it, `NONE` where a side has none.
    """

    kind: int
    side: Side
    key: int
    response: int
    mentions: Sequence[Any]


@dataclass(frozen=True)
class Viewed:
    """A document to be shown: `response` is None where there is only one annotation, `words` are None where no file gives them.

    `facets`: by the name of a property of mentions (such as their type) its value for those mentions of which it is known. `note`:
    what has to be said above the text.
    """

    name: str
    key: Document
    response: Document | None = None
    words: Words | None = None
    errors: Sequence[Error] = ()
    facets: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    note: str = ""


class Values:
    """The values of one property of mentions, numbered as they are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, value: str | None) -> int:
        """The number of a value, `NONE` of none."""
        return NONE if value is None else self._numbers.setdefault(value, len(self._numbers))

    def listed(self) -> list[str]:
        """The values as they are shown, by their numbers."""
        return list(map(shown_word, self._numbers))


class _Row(NamedTuple):
    """A mention with the cluster and the line that each side gives it; a mention that a side repeats has a row for each time."""

    mention: Any
    key: int
    response: int
    key_line: int
    response_line: int


def columns(viewed: Viewed, values: Mapping[str, Values]) -> dict[str, Any]:
    """What the page's script gets of a document. `values` numbers the facets, and is the same for all documents of a page.

    ConllError when the mentions need more words than can be shown, see `conll.marked.text_of`.
    """
    key, response = viewed.key, viewed.response
    documents = [key] if response is None else [key, response]
    units = _Units(text_of(viewed.words, *documents), documents)
    rows = _rows(key, response)
    placed = [(units.stretches(row.mention), row) for row in rows]
    loose = [row for stretches, row in placed if not stretches]
    shown = sorted(((some, row) for some, row in placed if some), key=lambda one: (one[0][0][0], -one[0][-1][1]))
    number: dict[Any, int] = {}
    for at, (_, row) in enumerate(shown):
        number.setdefault(row.mention, at)
    errors = sorted(
        ((sorted(number[one] for one in error.mentions if one in number), error) for error in viewed.errors),
        key=lambda one: (one[0][:1] or [len(number)], one[1].kind),
    )
    facets = [[values[name].number(viewed.facets.get(name, {}).get(row.mention)) for _, row in shown] for name in values]
    return {
        "name": shown_word(viewed.name) or "(no name)",
        "note": shown_word(viewed.note),
        "words": units.words,
        "sentences": units.lengths,
        "faint": units.faint,
        "first": [stretches[0][0] for stretches, _ in shown],
        "last": [stretches[-1][1] for stretches, _ in shown],
        "parts": {at: stretches for at, (stretches, _) in enumerate(shown) if len(stretches) > 1},
        "key": [row.key for _, row in shown],
        "response": [row.response for _, row in shown],
        "keyLine": [row.key_line for _, row in shown],
        "responseLine": [row.response_line for _, row in shown],
        "facets": facets,
        "keys": _labels(key),
        "responses": _labels(response) if response is not None else [],
        "colours": counterparts(key.clusters, response.clusters) if response is not None else [],
        "errors": {
            "kind": [error.kind for _, error in errors],
            "side": [int(error.side == "response") for _, error in errors],
            "key": [error.key for _, error in errors],
            "response": [error.response for _, error in errors],
            "mentions": [rows for rows, _ in errors],
        },
        "loose": [[shown_word(str(as_written(row.mention))), row.key, row.response] for row in loose],
    }


class _Units:
    """The units of a document: what each shows, how many each sentence has, and where tokens are among them.

    `faint` lists those that are no words of the text.
    """

    def __init__(self, text: Text, documents: Sequence[Document]) -> None:
        self._documents = documents
        ends = {token for document in documents for token in _ends(document)}
        zeros = _zeros(documents, text)
        self.words: list[str] = []
        self.lengths: list[int] = []
        self.faint: list[int] = []
        self._of: dict[Token, int] = {}
        token = 0
        for sentence, own in zip(text, zeros):
            before = len(self.words)
            is_run = False
            for zero in own.get(token - 1, ()):
                self._put(ZERO, zero, faint=True)
            for word in sentence:
                if word is not None:
                    self._put(shown_word(word), token)
                elif token in ends:
                    self._put(f"#{token}", token, faint=True)
                elif is_run:
                    self._of[token] = len(self.words) - 1
                else:
                    self._put(GAP, token, faint=True)
                is_run = word is None and token not in ends
                for zero in own.get(token, ()):
                    self._put(ZERO, zero, faint=True)
                    is_run = False
                token += 1
            self.lengths.append(len(self.words) - before)

    def _put(self, word: str, token: Token, *, faint: bool = False) -> None:
        self._of[token] = len(self.words)
        if faint:
            self.faint.append(len(self.words))
        self.words.append(word)

    def stretches(self, mention: Any) -> list[tuple[int, int]]:
        """First and last unit of each stretch of a mention without a gap; nothing for a mention that is a name."""
        mention = as_written(mention)
        if not is_span(mention) and not (
            type(mention) is tuple
            and mention
            and all(piece in self._of if isinstance(piece, str) else is_span(piece) for piece in mention)
        ):
            return []
        return stretches_of(mention, self._of)


def _ends(document: Document) -> Iterator[int]:
    for mention in chain.from_iterable(document.clusters):
        mention = as_written(mention)  # noqa: PLW2901  of the same mention
        if is_span(mention):
            yield from mention
        elif type(mention) is tuple:
            yield from (token for piece in mention if is_span(piece) for token in piece)


def _zeros(documents: Iterable[Document], text: Text) -> list[dict[int, list[str]]]:
    """Of each sentence the empty nodes after each word; those before the first word stand after the word before it."""
    starts = [0]
    for words in text:
        starts.append(starts[-1] + len(words))
    found: list[dict[int, list[str]]] = [{} for _ in text]
    zeros = {zero: None for document in documents if document.syntax is not None for zero in document.syntax.zeros}
    for zero in sorted(zeros, key=lambda zero: place(zero, starts)):
        sentence = int(zero.partition(":")[0])
        found[sentence].setdefault(place(zero, starts)[0], []).append(zero)
    return found


def _labels(document: Document) -> list[str]:
    return list(map(shown_word, document.labels or map(str, range(len(document.clusters)))))


def _rows(key: Document, response: Document | None) -> list[_Row]:
    of_key, of_response = _numbered(key), _numbered(response) if response is not None else {}
    nothing = NONE, 0
    rows = []
    for one in {**of_key, **of_response}:
        (k, key_line), (r, response_line) = of_key.get(one, nothing), of_response.get(one, nothing)
        rows.append(_Row(one[0], k, r, key_line, response_line))
    return rows


def _numbered(document: Document) -> dict[tuple[Any, int], tuple[int, int]]:
    """Cluster and line of each mention and the number of its repetition."""
    found: dict[tuple[Any, int], tuple[int, int]] = {}
    times: Counter[Any] = Counter()
    for number, cluster in enumerate(document.clusters):
        lines = document.lines[number] if document.lines else [0] * len(cluster)
        for mention, line in zip(cluster, lines):
            found[mention, times[mention]] = number, line
            times[mention] += 1
    return found
