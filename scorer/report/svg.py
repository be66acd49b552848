"""A plot of the pages that stands by itself: with its colours in it, on white, as a notebook and a file need it."""

from __future__ import annotations

import os
import re

from conll.io.files import replacing

STYLE = os.path.join(os.path.dirname(__file__), "pages", "templates", "plot.css")
"""The style of plots, which the pages share."""


class Plot:
    """A plot; notebooks show it, `save` writes it, and `svg` is its text. Same figures, same bytes.

    `drawn` is an SVG element as the pages have it, whose colours are in their style.
    """

    def __init__(self, drawn: str) -> None:
        colours, rules = _style()
        attributes = f'xmlns="http://www.w3.org/2000/svg" style="background:{colours["paper"]}"'
        named = drawn.replace("<svg", f"<svg {attributes}", 1)
        self.svg = named.replace("\n", f"\n<style>\n{rules}</style>\n", 1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot to a file, which stays as it was if writing fails.

        Raises ValueError when its name ends in anything but `.svg`, and OSError when it cannot be written.
        """
        if not os.fspath(path).lower().endswith(".svg"):
            raise ValueError(f"{os.fspath(path)}: a plot is written as SVG; give the file a name that ends in .svg")
        with replacing(os.fspath(path)) as file:
            file.write(f"{self.svg}\n".encode("utf-8", "surrogateescape"))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        title = re.search("<title>(.*?)</title>", self.svg, re.DOTALL)
        return f"<Plot: {title[1] if title else 'untitled'}>"


def _style() -> tuple[dict[str, str], str]:
    """The colours for white ground by their names, and the rules with colours for names, which many programs do not know."""
    with open(STYLE, encoding="utf-8") as file:
        style = file.read()
    colours: dict[str, str] = {}
    for name, colour in re.findall(r"--([\w-]+): (#\w+);", style):
        colours.setdefault(name, colour)
    rules = "".join(re.findall(r"^(?:\.plot|:is\(\.plot).*\n", style, re.MULTILINE))
    return colours, re.sub(r"var\(--([\w-]+)\)", lambda name: colours[name[1]], rules)
