"""A plot of the pages that stands by itself: with its colours in it, on white, as a notebook and a file need it."""

from __future__ import annotations

import os
import re

from conll.io.files import replacing

STYLE = os.path.join(os.path.dirname(__file__), "pages", "shell.css")
"""The style of the pages, which the plots share."""


class Plot:
    """A plot; notebooks show it, `save` writes it, and `svg` is its text. Same figures, same bytes.

    `drawn` is an SVG element as the pages have it, whose colours are in their style.
    """

    def __init__(self, drawn: str) -> None:
        attributes = f'xmlns="http://www.w3.org/2000/svg" style="background:{_colours()["paper"]}"'
        plain = re.sub(r'^<svg(?: class="[^"]*")?', f'<svg class="scorer-plot" {attributes}', drawn)
        self.svg = re.sub(r">\n", f">\n<style>\n{_rules()}\n</style>\n", plain, count=1)

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


def _style() -> str:
    with open(STYLE, encoding="utf-8") as file:
        return file.read()


def _colours() -> dict[str, str]:
    """The colours of the pages by name; the first of each, which is for white ground."""
    colours: dict[str, str] = {}
    for name, colour in re.findall(r"--([\w-]+): (#\w+);", _style()):
        colours.setdefault(name, colour)
    return colours


def _rules() -> str:
    """What the pages say of plots, for this one alone, with colours for names, which many programs do not know."""
    rules = [f".scorer-plot{rule}" for rule in re.findall(r"^svg((?: |, svg )[^{}]+\{.*\})$", _style(), re.MULTILINE)]
    rules.insert(
        0, ".scorer-plot { font: 12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif; max-width: 100% }"
    )
    colours = _colours()
    text = "\n".join(rules).replace(", svg ", ", .scorer-plot ")
    return re.sub(r"var\(--([\w-]+)\)", lambda name: colours[name[1]], text)
