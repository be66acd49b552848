"""Texts with mentions marked inline, by an opening and a closing mark around their words.

A dialect is a declaration of its marks, and a format of its own:

- `markdown`: mentions as links, `[Ada](#e1)`, which may nest: `[[Ada](#e1)'s dog](#e2)` (Le and
  Ritter 2023, arXiv 2305.14489);
- `colon`: mentions in brackets, the id at their end: `[Ada: e1]` (arXiv 2401.17922);
- `xml`: mentions as elements, `<mention entity="1">Ada</mention>`; the attributes `id` and
  `cluster` are read like `entity`;
- `corefinst`: the text of CorefInst, `<m> Ada </m>#1`. A zero is `</z>@2`, where the empty node
  stands in CoNLL-U; one without a mention is `_`. Windows may be joined by `[MID]`; ids are local
  to their window. An id is a whole number, so that text may follow it without a space; what begins
  with no digit is read as an id as well (Pamay Arslan et al., TACL 2026, arXiv 2509.17505).
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from conll.text.marked import ZERO, Marked, Marks
from conll.text.text_files import MASK, TextFormat, is_id, is_text, read_texts

NEVER = r"(?!)"
"""Matches nothing."""


@dataclass(frozen=True)
class Dialect:
    """The marks of a format.

    Regular expressions have the type `str`. That of `opening` or that of `closing` captures an id.

    Attributes:
        name: The name of the format.
        opening: Matches what opens a mention.
        closing: Matches what closes one.
        begin: What is written before a mention, with {} for the id.
        end: What is written after a mention, with {} for the id.
        sniffed: Matches where a file of the format has a mark.
        plain: Matches what closes an opening mark that opens no mention.
        escaped: Matches a character that is no mark though it looks like one.
        escape: Makes a word of which no character is read as a mark.
        unescape: Makes a word again of what `escape` makes of it.
        label: Makes an id of what is captured.
        is_corefinst: Whether zeros are written as in CorefInst, see `conll.formats.markup`.
    """

    name: str
    opening: str
    closing: str
    begin: str
    end: str
    sniffed: str
    plain: str = NEVER
    escaped: str = NEVER
    escape: Callable[[str], str] = str
    unescape: Callable[[str], str] = str
    label: Callable[[str], str] = str.strip
    is_corefinst: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches each mark; its groups tell the kinds of marks apart."""
        return re.compile(
            rf"(?P<escaped>{self.escaped})|(?P<zero></z>[@#](?P<zero_id>\d+|\w*))"
            rf"|(?P<close>{self.closing})|(?P<open>{self.opening})|(?P<plain>{self.plain})"
        )

    def format(self, title: str) -> TextFormat:
        """Return the format of these marks."""
        in_head, in_text = re.compile(self.sniffed.encode()), re.compile(self.sniffed)
        return TextFormat(
            self.name,
            title,
            sniff=lambda head: is_text(head) and in_head.search(head) is not None,
            read=partial(read_texts, parse=partial(parse, dialect=self), tag=in_text),
            show=partial(show, dialect=self),
            escape=self.escape,
            nested=True,
            moved=not self.is_corefinst,
            label=str.isdecimal if self.is_corefinst else is_id,
        )


def with_backslashes(text: str) -> str:
    """Put a backslash before brackets and backslashes."""
    return re.sub(r"[\[\]\\]", r"\\\g<0>", text)


def without_backslashes(text: str) -> str:
    """Remove the backslashes that `with_backslashes` adds."""
    if "\\" not in text:
        return text
    return re.sub(r"\\([\[\]\\])", r"\1", text)


BACKSLASH = r"\\[\[\]\\]"
"""Matches what `with_backslashes` writes."""


def parse(text: str, dialect: Dialect) -> Marked:
    """Read the words of a text in a dialect, and its mentions.

    Examples:
        >>> parse("[[Ada](#e1)'s dog](#e2)", MARKDOWN).sentences
        [['Ada', "'s", 'dog']]
    """
    reader = _Reader(text, dialect)
    marks = [mark for mark in dialect.pattern.finditer(text) if not mark["escaped"]]
    partners = _partners(marks)
    for number, mark in enumerate(marks):
        partner = marks[partners[number]] if number in partners else None
        is_word = mark["plain"] or (mark["open"] == "[" and partner is None)
        if not is_word:
            reader.read_mark(mark, partner)
    return reader.end()


class _Reader:
    """Reads words and marks of a text from its beginning to its end."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text, self._dialect = text, dialect
        self._words: list[str] = []
        self._marked = Marked([self._words], moved=not dialect.is_corefinst)
        self._read_to = 0
        self._starts: dict[re.Match[str], int] = {}
        """The first word of each mention that is open."""

    def read_mark(self, mark: re.Match[str], partner: re.Match[str] | None) -> None:
        """Read the words before a mark, and the mark with the one that it closes, if any."""
        before = self._read_to
        self._read_words(mark.start())
        self._read_to = mark.end()
        next_word = len(self._words)
        if mark["zero"]:
            is_glued = before < mark.start() and not self._text[mark.start() - 1].isspace()
            form = self._words.pop().strip("_") if is_glued else ""
            self._words.append(f"{ZERO}{form}")
            self._add(len(self._words) - 1, len(self._words) - 1, mark["zero_id"])
        elif mark["open"] and partner is not None:
            self._starts[mark] = next_word
        elif mark["open"]:
            self._marked.repairs.note("unclosed tag", mark["open"], next_word)
            if mark["id"]:
                self._add(next_word, next_word, mark["id"])
        elif partner is not None:
            self._add(self._starts[partner], next_word - 1, mark["id"] or partner["id"])
        else:
            self._marked.repairs.note("unopened tag", mark["close"], next_word - 1)
            if mark["id"]:
                self._add(next_word - 1, next_word - 1, mark["id"])

    def end(self) -> Marked:
        """Read the words after all marks, and return the text."""
        self._read_words(len(self._text))
        # An opening mark that nothing follows marks no word.
        inside = [mention for mention in self._marked.mentions if mention[0][1] < len(self._words)]
        self._marked.mentions = inside
        return self._marked

    def _read_words(self, end: int) -> None:
        for word in self._text[self._read_to : end].split():
            self._words.append(self._dialect.unescape(word))

    def _add(self, first: int, last: int, written_id: str | None) -> None:
        """Add a mention, unless it has no id or no word."""
        label = self._dialect.label(written_id or "")
        if label in ("", MASK):
            word = self._words[last] if self._words else ""
            self._marked.repairs.note("blank tag", word, last)
        elif not 0 <= first <= last:
            self._marked.repairs.note("empty mention", label, last)
        else:
            self._marked.mentions.append(((first, last), label))


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


def show(forms: list[str], mentions: Marks, dialect: Dialect) -> str:
    """Write words and marks: the mention that opens first closes last."""
    words = list(forms)
    if dialect.is_corefinst:
        words = ["_" if form == ZERO else form for form in forms]
    for first, last, label in sorted(mentions, key=lambda mention: mention[1] - mention[0]):
        is_zero = first == last and forms[first].startswith(ZERO)
        if dialect.is_corefinst and is_zero and "</z>" not in words[first]:
            words[first] = f"{forms[first].removeprefix(ZERO)}</z>@{label}"
            continue
        words[first] = dialect.begin.format(label) + words[first]
        words[last] += dialect.end.format(label)
    return " ".join(words)


_TEXT = r"[^()\[\]\n]"
_BRACKETS = rf"\({_TEXT}*(?:\({_TEXT}*\){_TEXT}*)*\)"
_TARGET = rf"(?:[^()\s]++|{_BRACKETS})*|(?:{_TEXT}++|{_BRACKETS})*"
"""Matches an id: without spaces or, as models write names, with some. As in a target of Markdown,
brackets may be in it if they are balanced; two levels of them are read."""

MARKDOWN = Dialect(
    "markdown",
    opening=r"\[",
    closing=rf"\]\(#(?P<id>{_TARGET})\)",
    begin="[",
    end="](#{})",
    sniffed=rf"\]\(#(?:{_TARGET})\)",
    plain=r"\]",
    escaped=BACKSLASH,
    escape=with_backslashes,
    unescape=without_backslashes,
)

MARKDOWN_FORMAT = MARKDOWN.format("text with mentions as links: [Ada](#e1)")


# Brackets and backslashes as in Markdown, but another end.
COLON = replace(
    MARKDOWN,
    name="colon",
    closing=r":(?P<id>[^\[\]:\\\n]+)\]",
    end=": {}]",
    sniffed=r":\s*[^\[\]:\s]+\s*\]",
)

COLON_FORMAT = COLON.format("text with mentions in brackets: [Ada: e1]")


_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|["']?([^\s"']*))""")


def entity_of(attributes: str) -> str:
    """Return the id among the attributes of an element, and ignore others.

    Examples:
        >>> entity_of('id="m1" entity="a b" type=person'), entity_of("id=7"), entity_of("")
        ('a b', '7', '')
    """
    values: dict[str, str] = {}
    for name, *alternatives in _ATTRIBUTE.findall(attributes):
        values[name] = "".join(alternatives)
    for name in ("entity", "cluster", "id"):
        if name in values:
            return values[name].strip()
    return ""


def unescape(text: str) -> str:
    """Make characters of the entities that `html.escape` writes, and of no others."""
    # xml.sax.saxutils has this function, but imports all that reads URLs.
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


XML = Dialect(
    "xml",
    opening=r"<mention\b(?P<id>[^<>]*)>",
    closing=r"</mention\s*>",
    begin='<mention entity="{}">',
    end="</mention>",
    sniffed=r"</mention\s*>",
    escape=partial(html.escape, quote=False),
    unescape=unescape,
    label=entity_of,
)

XML_FORMAT = XML.format('text with mentions as elements: <mention entity="1">Ada</mention>')


COREFINST = Dialect(
    "corefinst",
    opening=r"<m>",
    closing=r"</m>(?:\s*#(?P<id>\d+|[^\s<>,.;:!?\[\]]+))?",
    begin="<m> ",
    end=" </m>#{}",
    sniffed=r"</m>#|</z>@\w",
    is_corefinst=True,
)

COREFINST_FORMAT = COREFINST.format(
    "text of CorefInst: <m> Ada </m>#1, zeros </z>@2, windows joined by [MID]"
)
