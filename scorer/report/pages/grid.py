"""What the templates of pages are given: tables, plots with their captions, and facts, all of plain text but for the plots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scorer.report.figures import figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from scorer.count.counts import Ratios

    Row = Sequence["str | Cell"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `kind` says by what it sorts: number (greatest first), rank (a number, least first), text, or not at all if empty.

    `look`: the class of its cells: name (the head of each row, which stays when the others scroll), left, main, or `r`, `p` and
    `f`, of which the page shows one at a time.
    """

    heading: str
    kind: Literal["number", "rank", "text", ""] = "number"
    look: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than its text, which may be followed by a `small` one.

    `value`: a number by which it sorts in place of the one that it shows. `look`: a class beside that of its column. `mark`: SVG
    that stands before the text. `href`: where its text leads. `span`: how many columns it takes.
    """

    text: str
    value: float | None = None
    look: str = ""
    small: str = ""
    mark: str = ""
    href: str = ""
    span: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """A table that scrolls in a frame of its own; rows in `last` stay at its end however it is sorted."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    last: Sequence[Row] = field(default=())

    @property
    def sortable(self) -> bool:
        """Whether there is something to sort."""
        return len(self.rows) > 1 and any(column.kind for column in self.columns)


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot, which is SVG, and what stands below it; a wide one scrolls in a frame of its own, which `label` names."""

    drawn: str
    caption: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the plots below it."""

    heading: str
    figures: Sequence[Figure]


def ratio_columns(metric: str, *, single: bool) -> list[Column]:
    """The columns of a metric's ratios, of which the page shows one; `single`: it has an F1 only, which always stays."""
    if single:
        return [Column(metric)]
    return [Column(f"{metric} recall", look="r"), Column(f"{metric} precision", look="p"), Column(metric, look="f")]


def ratio_cells(ratios: Ratios, *, single: bool, percent: str) -> list[str]:
    """The cells below `ratio_columns`, in percent as the option `percent` says; empty for what does not exist."""
    return [figure(ratio, percent) for ratio in ([ratios.f1] if single else ratios.as_tuple())]
