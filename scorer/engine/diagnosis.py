"""Diagnose a response of which hardly any mention matches: give one likely reason, if there is one.

A reason is given only if it explains the figures: with it, at least half of the mentions of the
smaller side would match, at least four, and at least twice as many as do. A poor response has no
such reason. No figure depends on it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from conll.check import no_mention, swapped
from conll.document import Document
from conll.errors import ConllError, Problem, pluralize, shorten
from conll.source import Source
from conll.syntax import is_span

FEWEST = 4
"""The fewest mentions that a reason explains."""

ENOUGH = 100_000
"""The mentions of both sides after which no further document is read."""

Spans = set[tuple[int, int]]


class Pair(NamedTuple):
    """The mentions and the words of a document of both sides; words that are not known are none.

    `subtokens`: the word of each subtoken, if mentions of the response may count subtokens.
    """

    key: set[Any]
    response: set[Any]
    words: list[str]
    response_words: list[str]
    subtokens: Sequence[int]

    @property
    def spans(self) -> Spans:
        """The mentions of the response that have a first and a last token."""
        return {*filter(is_span, self.response)}


def _mentions(document: Document | None) -> set[Any]:
    return set() if document is None else {*chain.from_iterable(document.clusters)}


def _shifted(pair: Pair, *, start: int, end: int) -> Spans:
    return {(first + start, last + end) for first, last in pair.spans}


def _from_characters(pair: Pair, *, inclusive: bool) -> Spans:
    """Map spans of characters, of words with spaces between them, to tokens."""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    place = 0
    for token, word in enumerate(pair.words or pair.response_words):
        starts[place] = token
        ends[place + len(word) - inclusive] = token
        place += len(word) + 1
    return {(starts[a], ends[b]) for a, b in pair.spans if a in starts and b in ends}


def _from_subtokens(pair: Pair) -> Spans:
    words = pair.subtokens
    return {(words[a], words[b]) for a, b in pair.spans if b < len(words)}


REASONS: Sequence[tuple[str, Callable[[Pair], Spans]]] = (
    ("starts and ends were one less (counted from 1?)", partial(_shifted, start=-1, end=-1)),
    ("starts and ends were one more (key counted from 1?)", partial(_shifted, start=1, end=1)),
    ("ends were exclusive", partial(_shifted, start=0, end=-1)),
    ("ends of the key were exclusive", partial(_shifted, start=0, end=1)),
    ("their numbers are characters, not tokens", partial(_from_characters, inclusive=False)),
    ("their numbers are characters, not tokens", partial(_from_characters, inclusive=True)),
    ("their numbers are subtokens, as in subtoken_map", _from_subtokens),
)
"""Conditions under which more mentions would match, and the spans of the response then."""


def diagnose(
    key: Source,
    response: Source,
    names: Iterable[str],
    read: Callable[[str], tuple[Document | None, Document | None]],
) -> list[Problem]:
    """Return why mentions do not match, and that the two files may be swapped.

    Args:
        key: The key.
        response: The response.
        names: The names of the documents.
        read: Reads the documents of a name of the key and of the response.
    """
    pairs: list[Pair] = []
    totals = [0, 0]
    where = ""
    for name in names:
        key_document, response_document = read(name)
        of_key, of_response = _mentions(key_document), _mentions(response_document)
        totals = [totals[0] + len(of_key), totals[1] + len(of_response)]
        words = key_document.text() if key_document is not None else None
        response_words: list[str] | None = None
        subtokens: Sequence[int] = ()
        if response_document is not None:
            response_words = response_document.text()
            subtokens = response_document.content.subtoken_map()
        pairs.append(Pair(of_key, of_response, words or [], response_words or [], subtokens))
        if min(totals) and sum(totals) > ENOUGH:
            where = f" in the first {pluralize(len(pairs), 'document')}"
            break
    problems: list[Problem] = []
    if pairs and not totals[0] and not _has_mentions(key):
        problems.append(no_mention(key, "key"))
    if pairs and not totals[1] and not _has_mentions(response):
        problems.append(no_mention(response, "response"))
    reason = "" if not min(totals) else _reason(pairs, where)
    if reason:
        problems.append(Problem(response.path, 0, None, reason, kind="reason", side="response"))
    return [*problems, *swapped(key, response)]


def _has_mentions(source: Source) -> bool:
    """Return whether any document has a mention, as may one that the other side lacks."""
    try:
        return any(any(document.clusters) for document in source)
    except ConllError:
        # Documents that are not scored need not be readable.
        return True


def _reason(pairs: Sequence[Pair], where: str) -> str:
    """Return the first reason why under half of the mentions match; empty if there is none."""
    smaller = min(sum(len(pair.key) for pair in pairs), sum(len(pair.response) for pair in pairs))
    matched = sum(len(pair.key & pair.response) for pair in pairs)
    if 2 * matched >= smaller:
        return ""
    found = f"{matched} of {pluralize(smaller, 'mention')} match{where}"
    for condition, moved in REASONS:
        would = sum(len(pair.key & moved(pair)) for pair in pairs)
        if would >= FEWEST and would >= 2 * matched and 2 * would >= smaller:
            return f"{found}; {would} would if {condition}"
    beyond = 0
    words: list[tuple[str, str]] = []
    for pair in pairs:
        if pair.words and pair.response_words:
            words += zip_longest(pair.words, pair.response_words, fillvalue="")
        elif pair.words:
            beyond += sum(last >= len(pair.words) for _, last in pair.spans)
    if beyond >= FEWEST:
        return f"{found}; {beyond} end after the last word of the key (counted in subtokens?)"
    differing = [(word, other) for word, other in words if word != other]
    if 2 * len(differing) <= len(words):
        return ""
    word, other = map(shorten, differing[0])
    text = f"{found}, and {len(differing)} of {len(words)} words differ (another text?)"
    return f"{text}; the first is {other}, but {word} in the key"
