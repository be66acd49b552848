"""Where numbers, and tables of them, become text for readers.

Percentages are cut off after two decimals, as in reference 8.01, or rounded if asked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from scorer.count.counts import Counts


def figure(ratio: float | None, rounding: str = "round") -> str:
    """A ratio in percent with two decimals, cut off or rounded as the option `rounding` says.

    Nothing where there is none.
    """
    if ratio is None or ratio != ratio:  # noqa: PLR0124  only nan differs from itself
        return ""
    percent = 100 * ratio if rounding == "round" else int(ratio * 10_000) / 100
    return f"{percent:.2f}"


def describe_rounding(rounding: str) -> str:
    """How `figure` makes two decimals, in words."""
    return "rounded to two decimals" if rounding == "round" else "cut off after two decimals"


def interval(low: float | None, high: float | None, rounding: str = "round") -> str:
    """The ends of an interval of a ratio, each as `figure` has it; nothing where there is none.

    >>> interval(0.123456, 1.0), interval(float("nan"), float("nan"))
    ('[12.35, 100.00]', '')
    """
    return f"[{figure(low, rounding)}, {figure(high, rounding)}]" if figure(low) else ""


def count(value: float) -> str:
    """A count: whole, or with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def share(numerator: float, denominator: float) -> str:
    """How many of how many, as a ratio is counted.

    >>> share(1.8, 3)
    '1.8 / 3'
    """
    return f"{count(numerator)} / {count(denominator)}"


def difference(value: float) -> str:
    """A difference of ratios in percent, with its sign, rounded to two decimals.

    >>> difference(-0.0), difference(0.12345)
    ('+0.00', '+12.35')
    """
    return f"{100 * value + 0.0:+.2f}"


def chance(probability: float) -> str:
    """Write an estimated probability in whole percent; none is certain.

    >>> chance(0.5), chance(0.9999), chance(0.0)
    ('50', '> 99', '< 1')
    """
    if probability > 0.99:
        return "> 99"
    return "< 1" if probability < 0.01 else f"{100 * probability:.0f}"


def encodable(text: str) -> str:
    r"""Text that UTF-8 has: what is no UTF-8 in a name is shown by its escape, as `printable` does it.

    >>> encodable("a\udcff é")
    'a\\udcff é'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    r"""Text on one line that no terminal takes for a command: unprintable characters are escaped.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )


def shares(counts: Counts | None) -> tuple[str, str]:
    """Write the counts of recall and of precision, each as numerator / denominator."""
    if counts is None:
        return "", ""
    recall = share(counts.recall_numerator, counts.recall_denominator)
    return recall, share(counts.precision_numerator, counts.precision_denominator)


class Cell(str):
    """Text of a table that some output formats show differently.

    Attributes:
        printed: What LaTeX has instead, as papers write it: B³ for bcub.
        tier: The number of the mark that stands before the text on a page, as in its plots.
        href: Where the text leads on a page.
    """

    printed: str
    tier: int | None
    href: str

    def __new__(
        cls, text: str, printed: str = "", *, tier: int | None = None, href: str = ""
    ) -> Self:
        cell = super().__new__(cls, text)
        cell.printed = printed
        cell.tier = tier
        cell.href = href
        return cell


class Table:
    """Headings and rows of text.

    Attributes:
        headings: The headings of the columns.
        rows: A cell for each column.
        left: How many columns hold names; these are aligned to the left, the others to the right.
        spare: Headings of columns that a narrow terminal does without first, in that order.
        caption: What a page calls the table; the first heading if there is no other name.
        intro: The sentence before the table on a page.
        level: p-values up to this one are in bold on a page.
        merged: Whether text names what several rows begin with only once; a page, whose rows can be
            sorted, repeats it.
    """

    def __init__(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        left: int,
        spare: Sequence[str] = (),
        *,
        caption: str = "",
        intro: str = "",
        level: float = 0.0,
        merged: bool = False,
    ) -> None:
        self.headings = headings
        self.rows = rows
        self.left = left
        self.spare = spare
        self.caption = caption or headings[0][:1].upper() + headings[0][1:]
        self.intro = intro
        self.level = level
        self.merged = merged

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """The table with as many columns as go into a terminal of that width, and the headings of the others.

        Those that are `spare` go first, then those on the right; the `left` ones and one more stay
        in any case.
        """
        order = [
            at for name in self.spare for at, heading in enumerate(self.headings) if heading == name
        ]
        order += [at for at in range(len(self.headings) - 1, self.left - 1, -1) if at not in order]
        table, gone = self, set[int]()
        while (
            max(map(len, table.drawn("simple").splitlines())) > width and len(gone) < len(order) - 1
        ):
            gone.add(order[len(gone)])
            kept = [at for at in range(len(self.headings)) if at not in gone]
            rows = [[row[at] for at in kept] for row in self.rows]
            table = Table([self.headings[at] for at in kept], rows, self.left, merged=self.merged)
        return table, [self.headings[at] for at in sorted(gone)]

    def drawn(self, style: str, escape: Callable[[str], str] = str) -> str:
        """The table in one of tabulate's styles.

        Text is escaped for terminals and then by `escape`, since untrusted users choose names.
        """
        from tabulate import tabulate

        shown = without_repeated_names(self.rows) if self.merged else self.rows
        rows = [[escape(printable(cell)) for cell in row] for row in shown]
        align = ["left"] * self.left + ["right"] * (len(self.headings) - self.left)
        return str(
            tabulate(
                rows,
                list(map(escape, self.headings)),
                tablefmt=style,
                colalign=align,
                disable_numparse=True,
            )
        )


def without_repeated_names(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Empty the first cell of each row where it repeats that of the row above."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == before else row[0], *row[1:]] for before, row in zip(above, rows)]
