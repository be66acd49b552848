"""The file formats, one a file, found by looking: a file or folder that holds a `FORMAT` is all it takes to add one.

Another package adds one by an entry point of the group `conll_scorer.formats` that leads to its `Format`.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from conll.format import Format

GROUP = "conll_scorer.formats"
"""The entry points by which other packages add formats."""

_OWN = sorted(file.removesuffix(".py") for file in os.listdir(os.path.dirname(__file__)) if file[0] != "_")


def names() -> list[str]:
    """Names of all formats, those of other packages too, sorted."""
    return sorted({*_OWN, *_others()})


def is_own(name: str) -> bool:
    """Whether that format is one of ours, and not of another package."""
    return name in _OWN


def get(name: str) -> Format:
    """The format called `name`, imported when it is asked for; ValueError when there is none.

    EntryPointError, a TypeError, when another package offers something else by that name.
    """
    if name in _OWN:
        own: Format = import_module(f"conll.formats.{name}").FORMAT
        return own
    others = _others()
    if name not in others:
        raise ValueError(f"there is no format {name!r}; there are: {', '.join(names())}")
    from conll.entry_points import described, loaded
    from conll.errors import EntryPointError
    from conll.format import Format

    other = loaded(others[name])
    if not isinstance(other, Format):
        raise EntryPointError(f"{described(others[name])} must lead to a Format")
    return other


def detect(head: bytes, path: str) -> str:
    """The name of the format of a file that begins with `head`; ConllError when more than one fits, UnknownFormatError when none.

    The content alone decides; `path` is for the message. Formats of other packages are asked when none of ours fits.
    """
    from conll.errors import ConllError, UnknownFormatError

    fits = _fitting(_OWN, head) or _fitting(sorted(_others()), head)
    if not fits:
        known = "; ".join(f"{name}: {get(name).title}" for name in names())
        problem = f"no known format begins like this; name the format if it is one of these ({known})"
        raise UnknownFormatError(path, 1, problem, text=head.split(b"\n", 1)[0].decode("utf-8", "replace"))
    if len(fits) > 1:
        raise ConllError(path, 0, f"the file begins like more than one format ({', '.join(fits)}); name the one it is in")
    return fits[0]


def _others() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _fitting(candidates: list[str], head: bytes) -> list[str]:
    return [name for name in candidates if get(name).sniff(head)]
