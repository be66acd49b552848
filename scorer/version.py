# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The version of this package, and the wording of errors of other packages."""

__version__ = "0.1.0.dev0"

NEEDED = ("jinja2", "numpy", "pandas", "scipy", "tabulate", "tqdm", "wcwidth")
"""The packages that this one needs, which are installed together."""


def said(error: Exception) -> str:
    """Describe in one line what an error says.

    A missing package is named with the command that installs it. For a package that cannot be
    loaded, only the first cause is given, as some packages write pages about it.

    Examples:
        >>> said(ModuleNotFoundError("No module named 'yaml.loader'", name="yaml.loader"))
        'this needs yaml, which is not installed; pip install yaml'
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
    problem = f"this needs {package}, which is not installed"
    if package in NEEDED:
        # One by one, each run would ask for the next.
        return f"{problem}; pip install conll-scorer, or pip install . in its folder, brings it"
    return f"{problem}; pip install {package}"
