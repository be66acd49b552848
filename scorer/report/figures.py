"""Numbers as text for readers.

Percentages have two decimals, rounded, or cut off as in reference 8.01 if asked.
"""

from __future__ import annotations


def figure(ratio: float | None, rounding: str = "round") -> str:
    """Write a ratio in percent with two decimals, cut off or rounded as `rounding` says.

    Nothing is written where there is none.
    """
    if ratio is None or ratio != ratio:  # noqa: PLR0124  only nan differs from itself
        return ""
    percent = 100 * ratio if rounding == "round" else int(ratio * 10_000) / 100
    return f"{percent:.2f}"


def describe_rounding(rounding: str) -> str:
    """Describe in words how `figure` makes two decimals."""
    return "rounded to two decimals" if rounding == "round" else "cut off after two decimals"


def interval(low: float | None, high: float | None, rounding: str = "round") -> str:
    """Write the ends of an interval of a ratio, each as `figure` does; nothing if there is none.

    Examples:
        >>> interval(0.123456, 1.0), interval(float("nan"), float("nan"))
        ('[12.35, 100.00]', '')
    """
    if not figure(low):
        return ""
    return f"[{figure(low, rounding)}, {figure(high, rounding)}]"


def count(value: float) -> str:
    """Write a count: whole, or with at most two decimals."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)


def share(numerator: float, denominator: float) -> str:
    """Write the numerator and the denominator of a ratio.

    Examples:
        >>> share(1.8, 3)
        '1.8 / 3'
    """
    return f"{count(numerator)} / {count(denominator)}"


def difference(value: float) -> str:
    """Write a difference of ratios in percent, with its sign, rounded to two decimals.

    Examples:
        >>> difference(-0.0), difference(0.12345)
        ('+0.00', '+12.35')
    """
    return f"{100 * value + 0.0:+.2f}"


def chance(probability: float) -> str:
    """Write an estimated probability in whole percent; none is certain.

    Examples:
        >>> chance(0.5), chance(0.9999), chance(0.0)
        ('50', '> 99', '< 1')
    """
    if probability > 0.99:
        return "> 99"
    if probability < 0.01:
        return "< 1"
    return f"{100 * probability:.0f}"


def encodable(text: str) -> str:
    r"""Escape what is no UTF-8 in a name, as `printable` does it.

    Examples:
        >>> encodable("a\udcff é")
        'a\\udcff é'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    r"""Escape unprintable characters, so that text is one line and no command to a terminal.

    Examples:
        >>> printable("a\x1b[2Jb")
        'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()
