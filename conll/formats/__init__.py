"""The file formats, found by looking: a file that holds a `FORMAT` is all it takes to add one.

Another package adds a format through an entry point of the group `conll_scorer.formats` that leads
to its `Format`.
"""

from __future__ import annotations

from conll.errors import ConllError, UnknownFormatError
from conll.format import Format
from conll.registry import Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GROUP = "conll_scorer.formats"
"""The entry points through which other packages add formats."""

SHARED = {
    "_annotations": ("brat", "csv", "webanno"),
    "_columns": ("conll", "semeval2010"),
    "_json": ("corenlp", "crac_json", "json", "strings"),
    "_text": ("colon", "corefinst", "crac", "headword", "markdown", "xml"),
    "jsonl": ("jsonl", "jsonl_exclusive"),
}
"""Files whose `FORMAT` is a tuple of several formats, and the names of these."""

_FORMATS = Registry("format", ["conll.formats"], "FORMAT", group=GROUP, kind=Format, shared=SHARED)


def names() -> list[str]:
    """Names of all formats, those of other packages too, sorted."""
    return _FORMATS.names()


def is_own(name: str) -> bool:
    """Whether that format is our own, not another package's."""
    return name in _FORMATS.own


def get(name: str) -> Format:
    """The format called `name`, imported on request; ValueError when there is none.

    EntryPointError, a TypeError, when another package offers something else by that name.
    """
    form: Format = _FORMATS.get(name)
    return form


def detect(head: bytes, path: str) -> str:
    """The name of the format of a file that begins with `head`.

    ConllError when more than one fits, UnknownFormatError when none.

    The content alone decides; `path` is for the message. Formats of other packages are asked when
    none of ours fits.
    """
    fits = (
        _of_columns(head)
        or _fitting(_FORMATS.own, head)
        or _fitting(sorted(_FORMATS.others()), head)
    )
    if not fits:
        is_json = head.lstrip()[:1] in (b"{", b"[")
        likely = [name for name in names() if ("JSON" in get(name).title) == is_json]
        problem = (
            f"unknown file format; name the format if it is one of these ({', '.join(likely)})"
        )
        error = UnknownFormatError(
            path, 1, problem, text=head.split(b"\n", 1)[0].decode("utf-8", "replace")
        )
        error.likely = [f"{name}: {get(name).title}" for name in likely]
        raise error
    if len(fits) > 1:
        raise ConllError(
            path,
            0,
            f"the file fits more than one format ({', '.join(fits)}); name the one it is in",
        )
    return fits[0]


def _of_columns(head: bytes) -> list[str]:
    """The format of a head that begins with #, as those with columns alone do: none of the others need be imported to ask it."""
    if not head.startswith(b"#"):
        return []
    from conll.columns import kind_of

    kind = kind_of(head)
    return [] if kind is None else [kind]


def _fitting(candidates: Iterable[str], head: bytes) -> list[str]:
    return [name for name in candidates if get(name).sniff(head)]
