"""The errors of two responses to one key, compared mention by mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.analysis.document_errors import KINDS, DocumentErrors
from scorer.analysis.pair import as_written, ends
from scorer.analysis.strata import described
from scorer.evaluation.evaluation import Evaluation

if TYPE_CHECKING:
    from scorer.analysis.find import ErrorOptions

FIRST, SECOND, BOTH = OUTCOMES = ("wrong here only", "wrong there only", "wrong in both")
"""The outcomes of a mention that is in an error: of this response, of the other one, or of both."""

RIGHT = "right"
"""The outcome of a key mention that is in no error of either response."""


class MentionDiff(NamedTuple):
    """A mention that is in an error of one response at least.

    Attributes:
        document: The name of the document.
        sentence: The number of the sentence, from 0.
        path: The file of the key, or of the first response that has a mention which the key lacks.
        line: The line of that file.
        mention: The mention.
        outcome: One of `OUTCOMES`.
        kinds: The kinds of its errors here, in the order of `KINDS`.
        other_kinds: The kinds of its errors there, likewise.
        before: Words before it.
        words: Its words.
        after: Words after it.
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

    Attributes:
        document: The name of the document.
        sentence: The number of the sentence, from 0.
        path: The file of the first of these mentions.
        line: The line of that mention.
        here: In how many mentions this response alone is wrong.
        there: In how many mentions the other one alone is wrong.
        words: The words of the sentence.
    """

    document: str
    sentence: int
    path: str
    line: int
    here: int
    there: int
    words: str


class SystemDiff:
    """The errors of two responses, mention by mention.

    A mention is wrong in a response if it is in an error there: a key mention in any kind, another
    one if that response has it.

    Args:
        documents: The errors of this response.
        other_documents: The errors of the other one.
        error_options: Those of this response.
        other_evaluation: The other response as it was scored.

    Raises:
        ValueError: They were scored on other documents.
    """

    def __init__(
        self,
        documents: Sequence[DocumentErrors],
        other_documents: Sequence[DocumentErrors],
        error_options: ErrorOptions,
        other_evaluation: Evaluation,
    ) -> None:
        names = [document.name for document in documents]
        if names != [document.name for document in other_documents]:
            raise ValueError(
                "against: the two responses were scored on other documents; take the same "
                "key and options for both"
            )
        self.documents = list(zip(documents, other_documents))
        self.other_evaluation = other_evaluation
        self._error_options = error_options

    def mention_diffs(self, width: int = 6) -> Iterator[MentionDiff]:
        """Yield the mentions in an error of one response at least, in the order of the text.

        Args:
            width: How many words are shown around each.
        """
        for document, other in self.documents:
            # Mentions that are no words of the text may share a position: those of the first
            # response precede.
            positions: dict[Any, tuple[int, int, int]] = {}
            for pair in (other.pair, document.pair):
                for at, mention in enumerate(pair.mentions):
                    positions[mention] = (*ends(mention), at)
            outcomes = outcomes_of(document, other)
            first_mentions = set(document.pair.mentions)
            for mention in sorted(outcomes, key=positions.__getitem__):
                source = document if mention in first_mentions else other
                path, line = source.position(mention)
                text = source.pair.text
                before, after = text.context(mention, width)
                yield MentionDiff(
                    document=document.name,
                    sentence=text.sentence(ends(mention)[0]),
                    path=path,
                    line=line,
                    mention=as_written(mention),
                    outcome=outcomes[mention],
                    kinds=_kinds_of(document, mention),
                    other_kinds=_kinds_of(other, mention),
                    before=before,
                    words=text.words_of(mention),
                    after=after,
                )

    @cached_property
    def by_kind(self) -> dict[str, Counter[str]]:
        """For each kind, the mentions in such an error here only, there only, or in both."""
        counts = {kind: _zeros(OUTCOMES) for kind in KINDS}
        for document, other in self.documents:
            for mention in document.wrong | other.wrong:
                kinds = document.wrong.get(mention, set())
                other_kinds = other.wrong.get(mention, set())
                for kind in kinds | other_kinds:
                    outcome = _outcome(here=kind in kinds, there=kind in other_kinds)
                    counts[kind][outcome] += 1
        return counts

    @cached_property
    def by_stratum(self) -> dict[tuple[str, str], Counter[str]]:
        """For each stratum and value, the key mentions of each outcome, or `right` in both."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        options = self._error_options
        for document, other in self.documents:
            group = options.group_of(document.name)
            outcomes = outcomes_of(document, other)
            for mention in described(document, "key", options.columns, group):
                outcome = outcomes.get(document.pair.mentions[mention.number], RIGHT)
                for cell in mention.values.items():
                    if cell not in counts:
                        counts[cell] = _zeros((*OUTCOMES, RIGHT))
                    counts[cell][outcome] += 1
        return counts

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences, first those with most mentions that one response alone gets wrong."""
        texts = {document.name: document.pair.text for document, _ in self.documents}
        by_sentence: dict[tuple[str, int], list[MentionDiff]] = {}
        for diff in self.mention_diffs(0):
            if diff.outcome != BOTH:
                by_sentence.setdefault((diff.document, diff.sentence), []).append(diff)
        rows = []
        for (document, number), diffs in by_sentence.items():
            here = sum(diff.outcome == FIRST for diff in diffs)
            sentence = Sentence(
                document=document,
                sentence=number,
                path=diffs[0].path,
                line=diffs[0].line,
                here=here,
                there=len(diffs) - here,
                words=texts[document].of_sentence(number),
            )
            rows.append(sentence)
        return sorted(rows, key=lambda row: -(row.here + row.there))


def _zeros(names: Sequence[str]) -> Counter[str]:
    return Counter(dict.fromkeys(names, 0))


def _kinds_of(document: DocumentErrors, mention: Any) -> tuple[str, ...]:
    """Return the kinds of the errors of a mention, in their order."""
    kinds = document.wrong.get(mention, ())
    return tuple(kind for kind in KINDS if kind in kinds)


def outcomes_of(document: DocumentErrors, other: DocumentErrors) -> dict[Any, str]:
    """Return the outcome of each mention in an error of either response."""
    return {
        mention: _outcome(here=mention in document.wrong, there=mention in other.wrong)
        for mention in document.wrong | other.wrong
    }


def _outcome(*, here: bool, there: bool) -> str:
    """Return the outcome of what is wrong in one response at least."""
    if here and there:
        return BOTH
    return FIRST if here else SECOND
