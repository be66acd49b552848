"""What is shown of a result, whatever it is a result of: made where the result lives, written by every form alike."""

from __future__ import annotations

from scorer.report.figures import encodable, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import pandas as pd

    from scorer.report.page import Page
    from scorer.report.table import Table

    Record = dict[str, Any]


class Report:
    """A result as the form called `form` is to show it, which the signature names.

    What takes time is made when a form asks for it.

    For readers: `title`, `tables`, and the `notes` below them, the last of which is one of
    the `signatures`, where there are any: the whole one, or the short one if `is_short`. `width`: how many columns a
    terminal has, where the tables have to fit on one. To compute with: `records`, rows that each have some
    of the `fields` (what a row lacks is empty), `objects`, the same for JSON Lines, where more than
    `fields` has room, and `tree`, one object. These hold ratios as fractions with all digits, None
    for what does not exist, and the signature. `page`: what an HTML report shows, if that is more
    than the tables and notes.
    `frame`: the records with types, for forms that need these.
    """

    __slots__ = (
        "_notes", "fields", "form", "frame", "is_short", "objects", "page", "records", "signatures", "tables", "title", "tree",
        "width",
    )  # fmt: skip

    def __init__(
        self,
        form: str,
        title: str,
        *,
        tables: Callable[[], Sequence[Table]],
        notes: Iterable[str],
        signatures: tuple[str, str] = ("", ""),
        fields: Sequence[str],
        records: Callable[[], Iterable[Record]],
        tree: Callable[[], dict[str, Any]],
        objects: Callable[[], Iterable[Record]] | None = None,
        page: Callable[[], Page] | None = None,
        frame: Callable[[], pd.DataFrame] | None = None,
    ) -> None:
        self.form = form
        self.title = title
        self.tables = tables
        self._notes = list(map(printable, notes))
        self.signatures = signatures
        self.is_short = True
        self.width: int | None = None
        self.fields = fields
        self.records = records
        self.objects = objects or records
        self.tree = tree
        self.page = page
        self.frame = frame

    @property
    def notes(self) -> list[str]:
        """The lines below the tables."""
        whole, short = self.signatures
        if not whole:
            return self._notes
        return [*self._notes, printable(f"signature: {short if self.is_short else whole}")]


def frame_of(rows: Iterable[Iterable[Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The frame of rows of values.

    What is no UTF-8 in a name is escaped, as pandas keeps text as UTF-8.
    """
    import pandas as pd

    values = [
        [encodable(value) if isinstance(value, str) else value for value in row] for row in rows
    ]
    return pd.DataFrame.from_records(values, columns=list(columns))


def html(report: Report) -> str:
    """A piece of HTML, all text in it escaped.

    The last note, which holds the signature, is folded.
    """
    from html import escape

    parts = [table.drawn("html") for table in report.tables()]
    *notes, signature = (f"<small>{escape(note)}</small>" for note in report.notes)
    parts += [f"<p>{note}</p>" for note in notes]
    parts.append(f"<details><summary><small>signature</small></summary>{signature}</details>")
    return "\n".join(["<div>", *parts, "</div>"])
