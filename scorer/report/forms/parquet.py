"""A Parquet file of the records, each column with its type."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.report.report import Report

SUFFIXES = (".parquet",)


def require() -> None:
    """ModuleNotFoundError without pyarrow."""
    if find_spec("pyarrow") is None:
        raise ModuleNotFoundError("parquet takes pyarrow; pip install 'conll-scorer[parquet]', or choose another format")


def render(report: Report) -> bytes:
    """The file."""
    require()
    assert report.frame is not None
    written = BytesIO()
    report.frame().to_parquet(written, engine="pyarrow", index=False)
    return written.getvalue()
