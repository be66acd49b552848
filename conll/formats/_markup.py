"""Mentions marked inline, in several dialects that differ in their marks alone, a format each.

`markdown` has links, `[Ada](#e1)`, nested `[[Ada](#e1)'s dog](#e2)` (Le and Ritter 2023, arXiv
2305.14489), `colon` brackets with the id at their end, `[Ada: e1]` (arXiv 2401.17922), `xml`
elements, `<mention entity="1">Ada</mention>`, of which `id` or `cluster` is read as `entity` is.
`corefinst` is the text of CorefInst (Pamay Arslan et al., TACL 2026, arXiv 2509.17505), `<m> Ada
</m>#1`; a zero is `</z>@2`, where the empty node stands in CoNLL-U; one without a mention is `_`.
Mentions nest. Windows may be joined by `[MID]`; ids are any text, local to their window.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from conll.alignment import ZERO
from conll.format import Format
from conll.marked import Marked, MarkedSource, holds_of, is_text, marked_lines, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from conll.document import Document


class Dialect(NamedTuple):
    """The marks of a dialect.

    `opening` and `closing` are regular expressions, of which one captures the id; `plain` matches
    what closes an opening mark that is none. `begin` and `end` are written, with the id for {}.
    """

    title: str
    opening: str
    closing: str
    begin: str
    end: str
    plain: str = r"(?!)"


DIALECTS = {
    "markdown": Dialect(
        "text with mentions as links: [Ada](#e1)",
        r"\[",
        r"\]\(#(?P<id>[^()\s]*)\)",
        "[",
        "](#{})",
        r"\]",
    ),
    "colon": Dialect(
        "text with mentions in brackets: [Ada: e1]",
        r"\[",
        r":\s*(?P<id>[^\[\]:\s]+)\s*\]",
        "[",
        ": {}]",
        r"\]",
    ),
    "corefinst": Dialect(
        "text of CorefInst: <m> Ada </m>#1, zeros </z>@2, windows joined by [MID]",
        r"<m>",
        r"</m>(?:\s*#(?P<id>[^\s<>,.;:!?\[\]]+))?",
        "<m> ",
        " </m>#{}",
    ),
    "xml": Dialect(
        'text with mentions as elements: <mention entity="1">Ada</mention>',
        r"<mention\s++(?:entity|cluster|id)\s*+=\s*+[\"']?(?P<id>[^\"'<>]*+)[\"']?\s*+>",
        r"</mention\s*>",
        '<mention entity="{}">',
        "</mention>",
    ),
}

MASK = "MASK"
"""What CorefInst has for an id that is to be filled in."""


def parse(text: str, dialect: Dialect) -> Marked:
    """Read the words of a text and its mentions.

    >>> parse("[[Ada](#e1)'s dog](#e2)", DIALECTS["markdown"]).words
    ['Ada', "'s", 'dog']
    """
    pattern = re.compile(
        rf"(?P<zero></z>[@#](?P<of>\w*))|(?P<close>{dialect.closing})"
        rf"|(?P<open>{dialect.opening})|(?P<plain>{dialect.plain})"
    )
    windows = [*filter(str.strip, text.split("[MID]"))]
    marked = Marked([], moved=dialect.opening != "<m>")
    for number, window in enumerate(windows, 1):
        if number > 1:
            marked.repairs.note("joined window", "[MID]", len(marked.words or ()))
        _read(window, pattern, marked, f"{number}:" if len(windows) > 1 else "")
    return marked


def _read(text: str, pattern: re.Pattern[str], marked: Marked, window: str) -> None:
    """Add the words and mentions of a window."""
    words: list[str] = marked.words  # type: ignore[assignment]  # it has words
    marks = [*pattern.finditer(text)]
    partners = _partners(marks)
    starts: dict[int, int] = {}
    at = 0

    def add(first: int, last: int, label: str | None) -> None:
        label = (label or "").strip()
        if label in ("", MASK):
            marked.repairs.note("blank tag", words[last] if words else "", last)
        elif not 0 <= first <= last:
            marked.repairs.note("empty mention", label, last)
        else:
            marked.mentions.append(((first, last), f"{window}{label}"))

    for number, mark in enumerate(marks):
        is_text = mark["open"] == "[" and number not in partners
        if mark["plain"] or is_text:
            continue
        words += text[at : mark.start()].split()
        start, at = at, mark.end()
        last = len(words) - 1
        if mark["zero"]:
            is_glued = mark.start() > start and not text[mark.start() - 1].isspace()
            words.append(f"{ZERO}{words.pop().strip('_') if is_glued else ''}")
            add(len(words) - 1, len(words) - 1, mark["of"])
        elif mark["open"] and number in partners:
            starts[number] = len(words)
        elif mark["open"]:
            marked.repairs.note("unclosed tag", mark["open"], last + 1)
            if mark["id"]:
                add(last + 1, last + 1, mark["id"])
        elif number in partners:
            opening = marks[partners[number]]
            add(starts[partners[number]], last, mark["id"] or opening["id"])
        else:
            marked.repairs.note("unopened tag", mark["close"], last)
            if mark["id"]:
                add(last, last, mark["id"])
    words += text[at:].split()
    # An opening mark that nothing follows marks no word.
    marked.mentions = [mention for mention in marked.mentions if mention[0][1] < len(words)]


def _partners(marks: list[re.Match[str]]) -> dict[int, int]:
    """Pair the marks that open and close mentions, by their numbers, each way."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for number, mark in enumerate(marks):
        if mark["open"]:
            opened.append(number)
        elif opened and mark["close"]:
            partners[number] = opened.pop()
            partners[partners[number]] = number
        elif opened and mark["plain"]:
            opened.pop()
    return partners


def _show(forms: list[str], mentions: list[tuple[int, int, str]], dialect: Dialect) -> str:
    """Write words and marks: what opens first closes last."""
    is_corefinst = dialect.opening == "<m>"
    words = ["_" if is_corefinst and form == ZERO else form for form in forms]
    for first, last, label in sorted(mentions, key=lambda mention: mention[1] - mention[0]):
        is_zero = first == last and forms[first].startswith(ZERO)
        if is_corefinst and is_zero and "</z>" not in words[first]:
            words[first] = f"{forms[first].removeprefix(ZERO)}</z>@{label}"
            continue
        words[first] = dialect.begin.format(label) + words[first]
        words[last] += dialect.end.format(label)
    return " ".join(words)


def write(documents: Iterable[Document], file: BinaryIO, name: str) -> None:
    """Write each document as a line of the dialect called `name`."""
    show = partial(_show, dialect=DIALECTS[name])
    file.writelines(marked_lines(documents, name, show, nested=True, moved=name != "corefinst"))


def _format_of(name: str, dialect: Dialect) -> Format:
    """Return the format of the dialect called `name`."""
    sniffed = r"</m>#|</z>@\w" if name == "corefinst" else dialect.closing.replace("?P<id>", "?:")
    in_head, in_text = re.compile(sniffed.encode()), re.compile(sniffed)
    return Format(
        name,
        dialect.title,
        sniff=lambda head: is_text(head) and in_head.search(head) is not None,
        open=partial(
            MarkedSource, read=partial(texts_of, parse=partial(parse, dialect=dialect), tag=in_text)
        ),
        write=partial(write, name=name),
        holds=holds_of(nested=True, moved=name != "corefinst"),
    )


FORMAT = tuple(_format_of(name, dialect) for name, dialect in DIALECTS.items())
