"""Two responses to one key: what one gets right and the other does not."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scorer.analysis.kinds import KINDS
from scorer.analysis.strata import values_of_key
from scorer.analysis.text import as_written, ends

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from scorer.analysis.document import DocumentErrors
    from scorer.analysis.errors import Errors

FIRST, SECOND, BOTH = OUTCOMES = ("wrong here only", "wrong there only", "wrong in both")
"""What can be said of a mention that is in an error: of this response, of the other one, or of each."""


class Contrast(NamedTuple):
    """A mention that is in an error of one response at least.

    `kinds` here and `other_kinds` there, both in the order of `KINDS`, empty where it is in none; `outcome`, one of `OUTCOMES`.
    `sentence` counts from 0; `path` and `line` are those of the key, or of the first response that has a mention which the key
    lacks.
    """

    document: str
    sentence: int
    path: str
    line: int
    mention: Any
    outcome: str
    kinds: tuple[str, ...]
    other_kinds: tuple[str, ...]
    before: str
    words: str
    after: str


class Sentence(NamedTuple):
    """A sentence in which one response is right where the other is wrong.

    `here` and `there`: in how many mentions this response alone is wrong, and the other one alone; `line` is that of the first
    of these.
    """

    document: str
    sentence: int
    path: str
    line: int
    here: int
    there: int
    words: str


class Against:
    """The errors of two responses, mention by mention.

    A mention is wrong in a response if it is in an error there: a key mention in any kind, another one if that response has it.
    """

    def __init__(self, first: Errors, second: Errors) -> None:
        if [document.name for document in first.documents] != [document.name for document in second.documents]:
            raise ValueError("against: the two responses were scored on other documents; take the same key and options for both")
        self.first, self.second = first, second

    def contrasts(self, width: int = 6) -> Iterator[Contrast]:
        """Every mention that is in an error of one response at least, in the order of the text, with so many words around it."""
        for document, other in zip(self.first.documents, self.second.documents):
            yield from _contrasts(document, other, width)

    @cached_property
    def by_kind(self) -> dict[str, Counter[str]]:
        """For each kind of error in how many mentions it is made here only, there only, or in both."""
        counts: dict[str, Counter[str]] = {kind: Counter(dict.fromkeys(OUTCOMES, 0)) for kind in KINDS}
        for document, other in zip(self.first.documents, self.second.documents):
            here, there = document.wrong(), other.wrong()
            for mention in {**here, **there}:
                own, others = here.get(mention, set()), there.get(mention, set())
                for kind in own | others:
                    counts[kind][BOTH if kind in own and kind in others else FIRST if kind in own else SECOND] += 1
        return counts

    @cached_property
    def by_stratum(self) -> dict[tuple[str, str], Counter[str]]:
        """For each stratum and value how many key mentions are wrong here only, there only, in both, or in neither (`right`)."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        for document, other in zip(self.first.documents, self.second.documents):
            here, there = document.wrong(), other.wrong()
            for mention, values in values_of_key(document, self.first.look.by, self.first.group_of(document.name)):
                outcome = _outcome(mention in here, mention in there) or "right"
                for at in values:
                    counts.setdefault(at, Counter(dict.fromkeys((*OUTCOMES, "right"), 0)))[outcome] += 1
        return counts

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences to read first: those with most mentions that one response alone gets wrong."""
        found: dict[tuple[int, int], list[Contrast]] = {}
        for at, (document, other) in enumerate(zip(self.first.documents, self.second.documents)):
            for one in _contrasts(document, other, 0):
                if one.outcome != BOTH:
                    found.setdefault((at, one.sentence), []).append(one)
        rows = []
        for (at, sentence), contrasts in found.items():
            here = sum(one.outcome == FIRST for one in contrasts)
            words = self.first.documents[at].pair.text.of_sentence(sentence)
            first = contrasts[0]
            rows.append(Sentence(first.document, sentence, first.path, first.line, here, len(contrasts) - here, words))
        return sorted(rows, key=lambda row: -(row.here + row.there))


def _outcome(here: bool, there: bool) -> str:
    return BOTH if here and there else FIRST if here else SECOND if there else ""


def _contrasts(document: DocumentErrors, other: DocumentErrors, width: int) -> Iterator[Contrast]:
    here, there = document.wrong(), other.wrong()
    places = document.places(), other.places()
    known = [mention for mention in {**here, **there} if any(mention in side for side in places)]
    for mention in sorted(known, key=lambda one: places[0].get(one, places[1].get(one, (0, 0)))):
        own = document if mention in places[0] else other
        path, line = own.place(mention)
        text = own.pair.text
        before, after = text.context(mention, width)
        kinds, other_kinds = (tuple(kind for kind in KINDS if kind in side.get(mention, ())) for side in (here, there))
        yield Contrast(
            document.name,
            text.sentence(ends(mention)[0]),
            path,
            line,
            as_written(mention),
            _outcome(bool(kinds), bool(other_kinds)),
            kinds,
            other_kinds,
            before,
            text.said(mention),
            after,
        )
