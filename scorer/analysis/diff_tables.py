"""Sections of the report of two responses: their columns, and their tables for readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from scorer.analysis.errors_tables import (
    MENTION,
    MOST,
    POSITION,
    chosen,
    data,
    in_context,
    known_strata,
    text_columns,
)
from scorer.analysis.strata_rows import rank_of_value
from scorer.analysis.system_diff import BOTH, FIRST, RIGHT, SECOND, MentionDiff, SystemDiff
from scorer.report.columns import Column, Table


@dataclass(frozen=True)
class OutcomeRow:
    """The mentions of a kind of errors, or with a value of a stratum, by outcome.

    Attributes:
        here: How many are wrong in this response only.
        there: How many are wrong in the other one only.
        both: How many are wrong in both.
        right: How many are right in both.
        kind: The kind of errors.
        stratum: The stratum.
        value: The value of the stratum.
    """

    here: int
    there: int
    both: int
    right: int = 0
    kind: str = ""
    stratum: str = ""
    value: str = ""


OUTCOME_COLUMNS = [
    Column(name="here", kind="whole", heading=FIRST),
    Column(name="there", kind="whole", heading=SECOND),
    Column(name="both", kind="whole", heading=BOTH),
]
RIGHT_COLUMN = Column(name="right", kind="whole", heading="right in both")

KIND_COLUMNS = [Column(name="kind", heading="mentions in a", role="head")]
KIND_COLUMNS += OUTCOME_COLUMNS


def _kind_rows(diff: SystemDiff) -> Iterator[OutcomeRow]:
    for kind, counts in diff.by_kind.items():
        yield OutcomeRow(kind=kind, here=counts[FIRST], there=counts[SECOND], both=counts[BOTH])


def _kind_tables(diff: SystemDiff) -> Iterator[Table]:
    yield Table(KIND_COLUMNS, list(_kind_rows(diff)), section="against_kinds")


STRATUM_COLUMNS = [*text_columns("stratum", "value"), *OUTCOME_COLUMNS, RIGHT_COLUMN]


def _stratum_rows(diff: SystemDiff) -> Iterator[OutcomeRow]:
    ranked = sorted(
        (rank_of_value(stratum, value, counts.total()), stratum, value, counts)
        for (stratum, value), counts in diff.by_stratum.items()
    )
    for _, stratum, value, counts in ranked:
        yield OutcomeRow(
            stratum=stratum,
            value=value,
            here=counts[FIRST],
            there=counts[SECOND],
            both=counts[BOTH],
            right=counts[RIGHT],
        )


def _stratum_tables(diff: SystemDiff) -> Iterator[Table]:
    yield data("against_strata", STRATUM_COLUMNS, _stratum_rows(diff))
    for stratum, rows in known_strata(_stratum_rows(diff)).items():
        value = Column(name="value", heading=stratum, role="head")
        yield Table([value, *OUTCOME_COLUMNS, RIGHT_COLUMN], rows)


SENTENCE_COLUMNS = [
    Column(name="document", heading="document"),
    Column(name="sentence", kind="whole"),
    Column(name="path"),
    Column(name="line", kind="whole"),
    Column(name="here", kind="whole", heading=FIRST),
    Column(name="there", kind="whole", heading=SECOND),
    Column(name="words", heading="sentence"),
]


def _sentence_tables(diff: SystemDiff) -> Iterator[Table]:
    yield data("against_sentences", SENTENCE_COLUMNS, diff.sentences)
    first = Column(value=POSITION.value, heading="to read first", role="head")
    _, *others = chosen(SENTENCE_COLUMNS, "path", "document", "words", "here", "there")
    yield Table([first, *others], diff.sentences[:MOST])


def _kinds(row: MentionDiff) -> str:
    return ", ".join(row.kinds)


def _other_kinds(row: MentionDiff) -> str:
    return ", ".join(row.other_kinds)


MENTION_COLUMNS = [
    Column(name="document"),
    Column(name="sentence", kind="whole"),
    Column(name="path"),
    Column(name="line", kind="whole"),
    MENTION,
    Column(name="outcome"),
    Column(name="kinds", value=_kinds),
    Column(name="other_kinds", value=_other_kinds),
]
MENTION_COLUMNS += text_columns("before", "words", "after")

MENTION_TABLE = [
    POSITION,
    Column(name="document", heading="document"),
    Column(name="outcome", heading="outcome"),
    Column(value=in_context, heading="words"),
    Column(value=_kinds, heading="here"),
    Column(value=_other_kinds, heading="there"),
]


def _mention_tables(diff: SystemDiff) -> Iterator[Table]:
    yield data("against_errors", MENTION_COLUMNS, diff.mention_diffs())
    yield Table(MENTION_TABLE, list(diff.mention_diffs()))


AGAINST: dict[str, Callable[[SystemDiff], Iterable[Table]]] = {
    "kinds": _kind_tables,
    "strata": _stratum_tables,
    "sentences": _sentence_tables,
    "errors": _mention_tables,
}
"""The sections of the report of two responses: in how many mentions this one alone is wrong
(`here`), the other one (`there`), or both."""
