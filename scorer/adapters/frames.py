"""Data frames with a row for each mention: its document, first token, last token and cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from conll.text.characters import Span

COLUMNS = ("document", "start", "end", "cluster")


def documents(frame: pd.DataFrame, *, names: Iterable[str] = ()) -> dict[str, list[list[Span]]]:
    """The clusters of each document, as `scorer.score` takes them for key or response.

    The columns are document, start and end (numbers of the first and the last token, both
    inclusive) and cluster (anything, equal for the mentions of one cluster of a document); others
    are left alone. Documents and clusters come in the order of their first rows. `names` are
    documents that may have no row, which then hold no mention.

    ValueError for a frame that lacks a column and, with the label of the row, for a value that is
    missing, a token that is not a whole number, and a mention that ends before it begins.
    """
    lacking = [column for column in COLUMNS if column not in frame.columns]
    if lacking:
        there = ", ".join(map(str, frame.columns)) or "none"
        raise ValueError(f"the frame has no column {', '.join(lacking)}; its columns are: {there}")
    missing = frame[list(COLUMNS)].isna()
    for column in COLUMNS:
        if missing[column].any():
            raise ValueError(f"row {missing[column].idxmax()!r}: {column} is missing")
    documents: dict[str, dict[Any, list[Span]]] = {str(name): {} for name in names}
    for label, document, start, end, cluster in zip(
        frame.index, *(frame[column].tolist() for column in COLUMNS)
    ):
        mention = _whole(start, "start", label), _whole(end, "end", label)
        if mention[1] < mention[0]:
            raise ValueError(
                f"row {label!r}: the mention ends at token {end}, before it begins at {start}"
            )
        documents.setdefault(str(document), {}).setdefault(cluster, []).append(mention)
    return {name: list(clusters.values()) for name, clusters in documents.items()}


def _whole(value: object, column: str, label: object) -> int:
    """A number of a token; columns that held a missing value once have turned to floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"row {label!r}: {column} is {value!r}, and not the number of a token")
