"""Where numbers, and tables of them, become text for readers.

Percentages are cut off after two decimals, as in reference 8.01, or rounded if asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
