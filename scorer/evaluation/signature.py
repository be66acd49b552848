"""The signature of a report: what it takes to get the same bytes again."""

from __future__ import annotations

from scorer.evaluation.evaluation import Evaluation, Input
from scorer.options import TABLE, WORDS
from scorer.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from conll.document import Document


def signature(evaluation: Evaluation, layout: dict[str, Any] | None = None) -> dict[str, Any]:
    """The signature as fields, in a fixed order.

    `layout` says how the report is laid out, where there is a choice.

    An evaluation merged from shards has the SHA-256 of its inputs' SHA-256s, in their order.
    """
    fields: dict[str, Any] = {
        "scorer": f"conll-scorer {__version__}",
        "metrics": evaluation.names,
        **evaluation.options.signed(),
    }
    # Which documents were to be scored stands beside how many were.
    fields["filter"] = fields.pop("filter")
    fields["documents"] = evaluation.scored
    for side in ("key", "response"):
        fields[side] = combined([one for one in evaluation.inputs if one.side == side])
    return fields | ({"report": layout} if layout else {})


def combined(inputs: Sequence[Input]) -> dict[str, str] | None:
    """What a signature says of these inputs of one side, the shards of one where there are several.

    None of none.
    """
    if not inputs:
        return None
    formats = "+".join(sorted({one.format for one in inputs}))
    if len(inputs) == 1:
        return {"format": formats, "sha256": inputs[0].sha256}
    from hashlib import sha256

    return {
        "format": formats,
        "sha256": sha256("".join(one.sha256 for one in inputs).encode()).hexdigest(),
    }


def line(evaluation: Evaluation, layout: dict[str, Any] | None = None) -> str:
    """The signature on one line: `name=value` with semicolons between.

    What stands at its default is written too.
    """
    return written(signature(evaluation, layout))


def noted(fields: Mapping[str, Any]) -> str:
    """Write the whole signature as the last note of a report."""
    return f"signature: {written(fields)}"


def both(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Write the whole and the short signature, of which a report shows one."""
    return written(fields), written(fields, short=True)


def written(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line.

    Args:
        fields: The signature of a result.
        short: Leave out options and layouts at their defaults, the number of documents, and all but
            eight digits of each hash.
    """
    parts = [fields["scorer"]]
    for name, value in fields.items():
        if name != "scorer" and value is not None and not (short and _is_usual(name, value)):
            parts.append(f"{name}={_value(name, value, short=short)}")
    return "; ".join(parts)


def _is_usual(name: str, value: Any) -> bool:
    """Return whether a short signature leaves a field out."""
    if name == "report":
        return all(
            item in (("format", value["format"]), ("average", "micro")) for item in value.items()
        )
    return name == "documents" or any(
        name == option.field and value == option.default for option in TABLE.values()
    )


def _value(name: object, value: Any, *, short: bool) -> str:
    """Write a value as it stands on the line.

    What a user wrote is quoted, so that nothing in it can pass for the next field.
    """
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dict) and isinstance(value.get("sha256"), str):
        digest = value["sha256"][:8] if short else f"sha256:{value['sha256']}"
        return f"{value['format']}:{digest}"
    if isinstance(value, dict):
        items = (
            f"{_value('', key, short=short)}:{_value(key, item, short=short)}"
            for key, item in value.items()
        )
        return ",".join(items)
    if short and name in ("signatures", "run"):
        # Hashes of a batch.
        value = value[:8]
    text = str(value)
    if isinstance(value, float) or text.replace("-", "").isalnum() or text in WORDS:
        return text
    from json import dumps

    return dumps(text)


AVERAGES = ("micro", "macro", "both")
"""Totals (counts summed over documents, then divided), means over documents, or both."""


class Intervals:
    """The `ends` of confidence intervals by metric and ratio, as fractions.

    `heading`: of their column. `signed`: how they were made, as fields of a signature. `notes`:
    what they cannot bear.
    """

    __slots__ = ("ends", "heading", "notes", "signed")

    def __init__(
        self,
        heading: str,
        ends: Mapping[tuple[str, str], tuple[float, float]],
        signed: dict[str, Any],
        notes: Sequence[str] = (),
    ) -> None:
        self.heading = heading
        self.ends = ends
        self.signed = signed
        self.notes = notes


class Layout:
    """The choices that every report offers.

    ValueError for an unknown average, and for a pattern that is not a regular expression.

    `per_document`: the documents above the totals. `average`: micro, macro or both. `by`: a regular
    expression that puts documents into groups (see `Evaluation.by`). `corpus`: what was scored; the
    perl report prints its clusters, document by document, the others do without. `intervals`: of
    the totals; the page shows them, the others do without.
    """

    __slots__ = ("average", "by", "corpus", "intervals", "per_document")

    def __init__(
        self,
        *,
        per_document: bool = False,
        average: str = "micro",
        by: str | None = None,
        corpus: Pairs | None = None,
        intervals: Intervals | None = None,
    ) -> None:
        if average not in AVERAGES:
            from conll.errors import did_you_mean

            raise ValueError(
                f"average: {average!r} is not one of "
                f"{', '.join(AVERAGES)}{did_you_mean(average, AVERAGES)}"
            )
        if by is not None:
            from scorer.options import compiled

            compiled(by)
        self.per_document = per_document
        self.average = average
        self.by = by
        self.corpus = corpus
        self.intervals = intervals

    @property
    def needs_documents(self) -> bool:
        """Whether a report shows more than totals, so that an evaluation must keep its documents."""
        return self.per_document or self.by is not None or self.average != "micro"

    def signed(self, report: str) -> dict[str, Any]:
        """What the signature of that report says of its layout."""
        fields: dict[str, Any] = {"format": report, "average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.by is not None:
            fields["by"] = self.by
        if self.intervals is not None and report == "html":
            fields |= self.intervals.signed
        return fields


if TYPE_CHECKING:

    class Pairs(Protocol):
        """What was scored, as `scorer.engine.corpus.Corpus` holds it, which lies above."""

        only: str | None

        def pair(self, name: str) -> tuple[Document | None, Document | None]:
            """The documents called `name` of the key and of the response.

            None where there is none.
            """
