"""The base of what a report can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from conll.errors import did_you_mean

SHOWN_RATIOS = ("all", "f1")
"""The choices of ratios to show."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A layout without choices; a result that offers some has a subclass."""

    def signed(self, output_format: str) -> dict[str, Any]:
        """Return what a signature says of the report.

        Raises:
            ValueError: The output format cannot show it.
        """
        return {"format": output_format}


def layout_from(layout_type: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Make a layout of options.

    Raises:
        TypeError: The layout has no such option.
    """
    known = [field.name for field in fields(layout_type)]  # type: ignore[arg-type]
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known)
            listed = f"its options are: {', '.join(known)}" if known else "it has no options"
            raise TypeError(f"the report has no option {name!r}{hint}; {listed}")
    return layout_type(**options)


def check_ratios(ratios: str, output_format: str) -> None:
    """Raise ValueError for ratios that are no choice, or in a format that does not choose them.

    Args:
        ratios: The ratios to show.
        output_format: The output format.
    """
    if ratios not in SHOWN_RATIOS:
        hint = did_you_mean(ratios, SHOWN_RATIOS)
        raise ValueError(f"ratios: {ratios!r} is not one of {', '.join(SHOWN_RATIOS)}{hint}")
    if ratios != "all" and output_format != "latex":
        raise ValueError(f"ratios: {ratios!r} is for the format latex; leave it out")
