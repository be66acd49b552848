# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The base class of all results, which has every way to show one.

A result is data and lists its sections: tables for data, for readers, or for both. The methods here
make a `scorer.report.report.Report` of them, and write that in one of the output formats.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod

from conll.errors import check_choice, not_of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar

    import pandas as pd

    from scorer.report.columns import Table
    from scorer.report.report import Report


class Result(ABC):
    """A result of scoring, which can be shown as text and in notebooks, and saved to a file.

    A subclass has `layout_type`, the class of the choices that its reports offer, which are the
    options of the methods below; and `title`, `tables_of` and `signature`.
    """

    layout_type: ClassVar[Callable[..., Any]]
    """Makes a layout of options. It has a method `signed`, as `scorer.report.report.Layout`."""

    own_formats: ClassVar[tuple[str, ...]] = ()
    """The names of the formats that not every result has."""

    main_section: ClassVar[str] = ""
    """The section that `to_frame` returns unless it is told another; the first one if ""."""

    meant: ClassVar[dict[str, str]] = {}
    """What to write instead of attributes that people try."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The title of a page."""

    @abstractmethod
    def tables_of(self, layout: Any) -> list[Table]:
        """List the sections that a layout asks for, in the order of the report."""

    def opening_notes(self) -> list[str]:
        """List the first lines below the tables; the notes of the tables follow."""
        return []

    @abstractmethod
    def signature(self, report: Any = None) -> dict[str, Any]:
        """Return what it takes to get the same bytes again.

        Args:
            report: What a layout says of the report, as its method `signed` returns it.
        """

    def layout_of(self, options: dict[str, Any]) -> Any:
        """Make a layout of options.

        Raises:
            TypeError: The report has no such option.
        """
        from scorer.report.report import layout_from

        return layout_from(self.layout_type, options)

    def finish(self, report: Report, layout: Any) -> Report:
        """Put into a report what only its format has."""
        finish = self.finishes().get(report.output_format)
        return report if finish is None else finish(self, report, layout)

    def finishes(self) -> Mapping[str, Callable[[Any, Report, Any], Report]]:
        """Return what puts into a report what only its format has, by the name of the format."""
        return {}

    def report(self, output_format: str = "table", layout: Any = None, **options: Any) -> Report:
        """Return the report of the result in an output format.

        Args:
            output_format: The name of the format.
            layout: What the report shows; made of the options if None.
            options: The attributes of the layout.
        """
        from scorer.report.forms import names
        from scorer.report.report import Report

        if not isinstance(output_format, str):
            raise not_of_type("output_format", output_format, "the name of a format")
        output_format = output_format.lower()
        check_choice("output_format", output_format, names(*self.own_formats))
        if layout is None:
            layout = self.layout_of(options)
        if not hasattr(layout, "signed"):
            raise not_of_type("layout", layout, "a layout of this result")
        signature = self.signature(layout.signed(output_format))
        sections = self.tables_of(layout)
        notes = self.opening_notes()
        for table in sections:
            notes += table.notes
        report = Report(
            output_format=output_format,
            title=self.title,
            signature=signature,
            sections=sections,
            notes=notes,
        )
        return self.finish(report, layout)

    def text(self, output_format: str = "table", **options: Any) -> str:
        """Show the result in an output format.

        Args:
            output_format: The name of the format.
            options: The attributes of `layout_type`: what the report shows.

        Raises:
            ValueError: There is no such format, or it cannot show that.
        """
        from scorer.report.forms import text

        return text(self.report(output_format, **options))

    def to_dict(self, **options: Any) -> dict[str, Any]:
        """Return the records by section, the notes and the signature: what JSON holds.

        Args:
            options: What the report shows, as in `text`.
        """
        tree: dict[str, Any] = self.report("json", **options).tree
        return tree | {"signature": self.signature()}

    def to_frame(self, section: str = "", **options: Any) -> pd.DataFrame:
        """Return a section as a tidy pandas frame.

        Args:
            section: The name of the section; that of the main one if "".
            options: What the report shows, as in `text`.

        Raises:
            ValueError: There is no such section.
        """
        tables = self.tables_of(self.layout_of(options))
        sections = {table.section: table for table in tables if table.section}
        section = section or self.main_section or next(iter(sections))
        check_choice("section", section, sections)
        return sections[section].to_frame()

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
        from scorer.report.forms import format_of_path, names, write

        if not isinstance(path, (str, os.PathLike)):
            raise not_of_type("path", path, "text or a path")
        name = os.fspath(path)
        output_format = format_of_path(name, names(*self.own_formats))
        write(self.report(output_format, **options), name)

    def to_html(self, **options: Any) -> str:
        """Return the result as an HTML page, as `scorer … --format html` writes it.

        Args:
            options: What the report shows, as in `text`.
        """
        return self.text("html", **options)

    def to_latex(self, **options: Any) -> str:
        """Return the tables of the result as LaTeX, which needs the package booktabs.

        Args:
            options: What the report shows, as in `text`.
        """
        return self.text("latex", **options)

    def to_markdown(self, **options: Any) -> str:
        """Return the tables of the result as Markdown.

        Args:
            options: What the report shows, as in `text`.
        """
        return self.text("markdown", **options)

    def to_csv(self, section: str = "", **options: Any) -> str:
        """Return the records of the result as csv.

        Args:
            section: The name of the only section, or several with commas; all that tables show,
                with notes and the signature, if "".
            options: What the report shows, as in `text`.

        Raises:
            ValueError: There is no such section.
        """
        from scorer.report.forms import text

        report = self.report("csv", **options)
        if not isinstance(section, str):
            raise not_of_type("section", section, "text")
        if section:
            report = report.chosen(section.split(","))
        return text(report)

    def to_json(self) -> str:
        """Return the result as JSON text."""
        from scorer.report.forms import dumps

        return dumps(self.to_dict())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            """Say what to write instead of an attribute that is missing."""
            hint = f"; write {self.meant[name]}" if name in self.meant else ""
            problem = f"{type(self).__name__!r} object has no attribute {name!r}{hint}"
            raise AttributeError(problem, name=name, obj=self)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.report.forms import html

        return html(self.report())
