# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The base class of all results, which has every way to show one.

A result is data. Its method `report` makes a `scorer.report.report.Report` of it, and the methods
here write that in one of the output formats.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from scorer.report.report import Report


class Result(ABC):
    """A result of scoring, which can be shown as text and in notebooks, and saved to a file.

    A subclass has methods `report`, `text` and `to_dict` with the options of its reports, and
    `to_frame`.
    """

    # Whether the report has a data frame of all, which Parquet holds.
    _is_framed = False

    @abstractmethod
    def report(self, output_format: str = "table", *_: Any, **options: Any) -> Report:
        """Return the report of the result in an output format.

        Args:
            output_format: The name of the format.
            options: What the report shows, as the method `text` of the result lists it.
        """

    def _text(self, output_format: str, **options: Any) -> str:
        from scorer.report.forms import text

        return text(self.report(output_format, **options))

    def text(self, output_format: str = "table") -> str:
        """Show the result in an output format; ValueError when there is no such format."""
        return self._text(output_format)

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the result to a file, in the format that the ending of its name asks for.

        The file stays as it was if writing fails.

        Args:
            path: The file; `.csv`, `.tsv`, `.json`, `.jsonl`, `.html`, `.tex`, `.md`, `.txt`, and
                `.parquet` for results that have a data frame of all.
            options: What the report shows, as in `text`.

        Raises:
            ValueError: No output format of the result has that ending.
            OSError: The file cannot be written.
            ModuleNotFoundError: The format needs a package that is missing.
        """
        from scorer.report.forms import format_of_path, write

        name = os.fspath(path)
        output_format = format_of_path(name, framed=self._is_framed)
        write(self.report(output_format, **options), name)

    def to_html(self, **options: Any) -> str:
        """Return the result as an HTML page, as `scorer … --format html` writes it.

        Args:
            options: What the report shows, as in `text`.
        """
        return self._text("html", **options)

    def to_latex(self, **options: Any) -> str:
        """Return the tables of the result as LaTeX, which needs the package booktabs.

        Args:
            options: What the report shows, as in `text`.
        """
        return self._text("latex", **options)

    def to_markdown(self, **options: Any) -> str:
        """Return the tables of the result as Markdown.

        Args:
            options: What the report shows, as in `text`.
        """
        return self._text("markdown", **options)

    def to_csv(self, **options: Any) -> str:
        """Return the records of the result as csv.

        Args:
            options: What the report shows, as in `text`.
        """
        return self._text("csv", **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data: the object that its JSON form holds."""
        return dict(self.report("json").tree or {})

    def to_json(self) -> str:
        """Return the result as JSON text."""
        from scorer.report.forms import dumps

        return dumps(self.to_dict())

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.report.forms import html

        return html(self.report())
