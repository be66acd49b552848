# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""What all results share: a result is data, and a module of reports shows it.

That module has a function `report_of(result, form, …)`, which makes a
`scorer.report.forms.Report` of the result: `form` is the name of the output format, and what
follows are the options of that result, with defaults. Where a result has more than `Result` offers,
it has functions of the same names: `to_frame`, `plot`. It is found by name when it is
needed, so that results import nothing that shows them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Result:
    """A result of scoring, which can show itself as text and in notebooks.

    A subclass names the module that shows it in `shown_by`, and has methods `text`
    and `to_dict` with the options of its reports.
    """

    shown_by: ClassVar[str]

    @property
    def _show(self) -> Any:
        from importlib import import_module

        return import_module(self.shown_by)

    def text(self, form: str = "table") -> str:
        """Show the result in an output format; ValueError when there is no such format."""
        return self._text(form)

    def _text(self, form: str, **options: Any) -> str:
        """Show the result in an output format, with options of its report."""
        from scorer.report.forms import text

        return text(self._show.report_of(self, form.lower(), **options))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data: what its JSON form holds."""
        return dict(self._show.report_of(self, "json").tree())

    def to_json(self) -> str:
        """Return the result as JSON text."""
        from scorer.report.forms import dumps

        return dumps(self.to_dict())

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.report.forms import html

        return html(self._show.report_of(self, "table"))
