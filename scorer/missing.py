"""What to say where a package is missing."""

from __future__ import annotations


def said(error: Exception) -> str:
    """What the error says; where Python says that a package is missing, which one and what installs it, in one line.

    >>> said(ModuleNotFoundError("No module named 'scipy.sparse'", name="scipy.sparse"))
    'this takes scipy, which is not installed; pip install scipy'
    >>> said(ModuleNotFoundError("parquet takes pyarrow; pip install 'conll-scorer[parquet]'"))
    "parquet takes pyarrow; pip install 'conll-scorer[parquet]'"
    """
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package in {"", "conll", "scorer"}:
        return str(error)
    return f"this takes {package}, which is not installed; pip install {package}"
