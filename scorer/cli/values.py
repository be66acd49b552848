"""The values of arguments: what reads them from text, and what there is to choose from."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TypeVar

from conll.errors import did_you_mean
from scorer.cli import commands
from scorer.registry import canonical

NumberT = TypeVar("NumberT", int, float)

SMALLEST, LARGEST = 1e-300, 1e300
"""Bounds that exclude 0 and infinity."""


def number_reader(
    read: Callable[[str], NumberT], kind: str, low: float = -LARGEST, high: float = LARGEST
) -> Callable[[str], NumberT]:
    """Return a function that reads a number, or names the `kind` of value that is needed."""

    def convert(text: str) -> NumberT:
        with suppress(ValueError, OverflowError):
            number = read(text)
            if low <= number <= high:
                return number
        raise ArgumentTypeError(f"{text!r} is not {kind}")

    return convert


def bytes_in(text: str) -> int:
    """Return the number of bytes that a text such as 1.5G names.

    Examples:
        >>> bytes_in("500000"), bytes_in("2K"), bytes_in("1.5MB")
        (500000, 2048, 1572864)
    """
    powers = {"K": 10, "M": 20, "G": 30, "T": 40}
    number = text.upper().removesuffix("B")
    unit = number[-1:]
    if unit not in powers:
        return int(float(number))
    return int(float(number[:-1]) * (1 << powers[unit]))


any_number = number_reader(float, "a number")
positive_number = number_reader(float, "a number above 0", SMALLEST)
whole_number = number_reader(int, "a whole number, 0 or more", 0)
seconds = number_reader(float, "a number of seconds above 0", SMALLEST)
share = number_reader(float, "a number from 0 to 1", 0, 1)
size = number_reader(bytes_in, "a number of bytes above 0, such as 500000, 200M or 1.5G", 1)


def metric_and_percent(text: str) -> tuple[str, float]:
    """Read METRIC=PERCENT, such as conll=70."""
    metric, _, percent = text.partition("=")
    with suppress(ValueError):
        if 0 <= float(percent) <= 100:
            return canonical(metric), float(percent)
    raise ArgumentTypeError(f"{text!r} is not METRIC=PERCENT, such as conll=70")


RATIOS = ("recall", "precision", "f1")


def metric_and_ratio(text: str) -> tuple[str, str]:
    """Read METRIC or METRIC.RATIO, such as conll, muc.recall or b3.f1."""
    metric, _, ratio = text.rpartition(".")
    if ratio.lower() not in RATIOS:
        metric, ratio = text, "f1"
    return canonical(metric), ratio.lower()


def token_numbers(text: str) -> list[int]:
    """Read a list of numbers of tokens with commas, such as 1500,5000."""
    widths = [whole_number(part) for part in text.split(",")]
    if 0 in widths:
        raise ArgumentTypeError(f"{text!r} holds a window without tokens")
    return widths


def list_reader(values: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a function that splits a list at its commas.

    Args:
        values: The values to choose from, for all of which `all` may be written; none where any
            text may be one.
    """

    def read(text: str) -> list[str]:
        if "+" in text:
            advice = text.replace("+", ",")
            raise ArgumentTypeError(f"{text!r} is a list with +; write {advice}")
        items = [part.strip() for part in text.split(",") if part.strip()]
        if not items:
            raise ArgumentTypeError("there is nothing in it; name at least one")
        if not values:
            return items
        known = [*values, "all"]
        for item in items:
            if item not in known:
                hint = did_you_mean(item, known)
                raise ArgumentTypeError(f"{item!r} is not one of {', '.join(known)}{hint}")
        return list(values) if "all" in items else items

    return read


FORMAT_ENDINGS = {"md": "markdown", "tex": "latex", "txt": "table"}
"""The output formats that the endings of files name in other words."""


def format_name(text: str) -> str:
    """Read the name of an output format, or the ending of its files."""
    name = text.lower()
    return FORMAT_ENDINGS.get(name, name)


SHELLS = ("bash", "zsh", "fish")
"""The shells that completions are made for."""


# Values to choose from. Each function is called only for a command that takes its argument, as
# the module that has the values may import much.


def output_formats(command: str) -> Sequence[str]:
    """List the output formats of a command."""
    formats: Sequence[str] = commands.get(command).FORMATS
    return formats


def choices_in(module: str, name: str, setting: str = "") -> Callable[[str], Sequence[str]]:
    """Return a function that lists the values to choose from, which a module has under a name.

    Args:
        module: The module.
        name: The name of the values in it.
        setting: What the values are of, where there are those of several settings by name.
    """

    def choices(_command: str) -> Sequence[str]:
        values = getattr(import_module(module), name)
        return tuple(values[setting] if setting else values)

    return choices
