"""How results are shown, for every command: `report` says what is shown, each file of `forms` how. Nothing here prints.

A form is a file `forms/name.py` with a function `render` that turns a `Report` into text; that is all it takes to add one.
"""

from __future__ import annotations

from conll.registry import Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from scorer.report.report import Report

    class Form(Protocol):
        """What the file of a form holds.

        It may hold `require` as well, which says early that a package is missing, and `SUFFIXES`, a tuple of how the names of such
        files end.
        """

        def render(self, report: Report) -> str | bytes:
            """The whole text, with a line feed at its end; bytes where a form is no text."""


_FORMS: Registry[Form] = Registry("form", ["scorer.report.forms"])

FRAMED = frozenset({"parquet"})
"""The forms made from a report's frame, which not every report has; these give bytes, the others text."""


def names(*, framed: bool = False) -> list[str]:
    """Names of all forms, sorted; of those that need a frame only if the report is `framed`."""
    return [name for name in _FORMS.names() if framed or name not in FRAMED]


def named(path: str) -> str | None:
    """The form that the name of a file asks for by its end; None where it asks for none.

    >>> named("tables/Scores.TEX"), named("scores")
    ('latex', None)
    """
    return next((name for name in _FORMS.names() if path.lower().endswith(getattr(_FORMS.get(name), "SUFFIXES", ()))), None)


def require(name: str) -> None:
    """ModuleNotFoundError when the form needs a package that is missing: better known before hours of work than after."""
    getattr(_FORMS.get(name), "require", lambda: None)()


def text(report: Report) -> str:
    """The report in its form; ValueError when there is no such form of text."""
    rendered = _offered(report, names()).render(report)
    assert isinstance(rendered, str)
    return rendered


def content(report: Report) -> bytes:
    """The report in its form, as a file holds it: names keep the bytes that they have in the files that were scored.

    ValueError when there is no such form, ModuleNotFoundError when it needs a package that is missing.
    """
    rendered = _offered(report, names(framed=report.frame is not None)).render(report)
    return rendered if isinstance(rendered, bytes) else rendered.encode("utf-8", "surrogateescape")


def _offered(report: Report, forms: list[str]) -> Form:
    if report.form not in forms:
        from conll.prose import meant

        raise ValueError(f"there is no format {report.form!r}; there are: {', '.join(forms)}{meant(report.form, forms)}")
    return _FORMS.get(report.form)
