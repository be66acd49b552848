"""The version of this package, in a module of its own since every room names it."""

from __future__ import annotations

__version__ = "0.1.0"


def said(error: Exception) -> str:
    """What the error says.

    Where Python says that a package is missing, which one and what installs it, in one line.

    Where one is there and cannot be loaded, what the system says of that: packages themselves may
    write pages about it.

    >>> said(ModuleNotFoundError("No module named 'scipy.sparse'", name="scipy.sparse"))
    'this takes scipy, which is not installed; pip install scipy'
    >>> said(ModuleNotFoundError("parquet needs pyarrow; pip install 'conll-scorer[parquet]'"))
    "parquet needs pyarrow; pip install 'conll-scorer[parquet]'"
    """
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ImportError) or package in {"conll", "scorer"}:
        return str(error)
    if not isinstance(error, ModuleNotFoundError):
        first: BaseException = error
        while (before := first.__cause__ or first.__context__) is not None:
            first = before
        return (
            f"a package cannot be loaded ({first}); check that there is enough memory, or "
            "reinstall it"
        )
    if not package:
        return str(error)
    return f"this needs {package}, which is not installed; pip install {package}"
