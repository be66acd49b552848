"""Rows as a pandas frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.report.figures import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import pandas as pd


def frame_of(rows: Iterable[Iterable[Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The frame of rows of values; what is no UTF-8 in a name is escaped, as pandas keeps text as UTF-8."""
    import pandas as pd

    values = [[encodable(value) if isinstance(value, str) else value for value in row] for row in rows]
    return pd.DataFrame.from_records(values, columns=list(columns))
