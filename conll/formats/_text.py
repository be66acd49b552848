r"""Texts with marked mentions, as language models write them, a format for each kind of marks.

`crac` is the text of the CRAC LLM track, `John|[e1] saw the|[e2 dog|e2]`, a document a line. The
tags of a word follow it after `|`, several with `,` or `-` between: `[e1` opens a mention, `e1]`
closes one, `[e1]` is one of a single word. A space in a word is written `_`; words that begin with
`##` are empty nodes, each after its parent. Punctuation or `'s` glued to the last tag of a word is
read as a word of its own. The layout is that of `text2text-coref` of CRAC 2025
(github.com/ondfa/text2text-coref, readme).

`markdown` has links, `[Ada](#e1)`, nested `[[Ada](#e1)'s dog](#e2)` (Le and Ritter 2023, arXiv
2305.14489), `colon` brackets with the id at their end, `[Ada: e1]` (arXiv 2401.17922), `xml`
elements, `<mention entity="1">Ada</mention>`, of which `id` or `cluster` is read as `entity` is.
`corefinst` is the text of CorefInst (Pamay Arslan et al., TACL 2026, arXiv 2509.17505), `<m> Ada
</m>#1`; a zero is `</z>@2`, where the empty node stands in CoNLL-U; one without a mention is `_`.
In these mentions nest. Windows may be joined by `[MID]`; ids are any text, local to their window.

In `headword` each mention is one tagged word, its head, in any of these. It is read where it is
named, as nothing else tells a text of heads from one whose mentions happen to be single words, and
written as `xml`. It is scored with head matching. The best language model of CRAC 2026 wrote heads
in an XML-like text (Bourgois et al. 2026, arXiv 2605.16984, abstract; its marks are not published
there).
"""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from conll.alignment import align_by_unit_costs
from conll.document import Document
from conll.formats import refusal, spans_of
from conll.formats._json import name_in, values_of
from conll.marked import MASK, ZERO, Marked, Marks, Part, TextFormat
from conll.syntax import is_span

NAMES = "doc_key", "doc_id", "name", "id"
TEXTS = "output", "response", "completion", "text"
"""What the name of a document may be called in JSON, and the text of a model."""

_JSON = re.compile(rb'\s*(?:\{|\[\s*(?:\{|\[\s*"))')


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment before columns.

    A text of a model may begin with a heading, `# Answer`. A binary file is no text.
    """
    if head.lstrip().startswith(b"#") and b"\t" in head:
        return False
    return _JSON.match(head) is None and b"\0" not in head


def read_texts(
    parts: list[Part],
    documents: int | None,
    *,
    parse: Callable[[str], Marked],
    tag: re.Pattern[str],
    by_line: bool = False,
) -> Iterator[Marked]:
    """Read a file as one text, or each line as one, or each object of JSON that has a name.

    Blank lines, and then all lines without a tag, are left out where that makes the number of
    documents right. Several objects with the same name are windows of one text.

    Args:
        parts: The parts of the file.
        documents: How many there should be; None for any number.
        parse: Reads one text.
        tag: Matches where a text has a tag.
        by_line: Whether a line is a text if nobody says how many there are.
    """
    if parts[0].text.lstrip().startswith("{"):
        windows: dict[tuple[str | None, type], list[str]] = {}
        for _, value in values_of(parts):
            field = next((field for field in NAMES if value.get(field) is not None), None)
            texts = [value[field] for field in TEXTS if type(value.get(field)) is str]
            if field is None or not texts:
                needed = f"one of {', '.join(NAMES)} and {', '.join(TEXTS)}"
                raise ValueError(f"an object needs {needed}")
            # A number and the same in quotes are no windows of one text: their names are refused.
            key = name_in(value, field), type(value[field])
            windows.setdefault(key, []).append(texts[0])
        for (name, _), texts in windows.items():
            marked = parse("[MID]".join(texts))
            marked.name = name
            yield marked
        return
    lines = [
        Part(line, text)
        for part in parts
        for line, text in enumerate(part.text.removesuffix("\n").split("\n"), part.line)
    ]
    if documents == 1 or (documents is None and not by_line):
        lines = [Part(parts[0].line, "\n".join(part.text for part in parts))]
    elif len(lines) != documents:
        written = [line for line in lines if line.text.strip()]
        tagged = [line for line in written if tag.search(line.text)]
        lines = tagged if len(tagged) == documents != len(written) else written
    for line, text in lines:
        marked = parse(text)
        marked.line, marked.raw = line, text
        yield marked


# The text of the CRAC LLM track

_ID = r"[^\s\[\]|,]+"
_TAG = re.compile(rf"\[{_ID}\]?|{_ID}\]")
_AFTER = re.compile(r"[^\w\s\[\]|]+|['’]\w+")
_BETWEEN = re.compile(r",|(?<=\])-|-(?=\[)")
_OF_TOOL = re.compile(r"\[e\d+\]|\[e\d+|e\d+\]")
_TAGGED = re.compile(rf"\S\|(?:\[{_ID}\]?|{_ID}\])(?=[\s,|-]|$)", re.MULTILINE)
_SNIFF = re.compile(_TAGGED.pattern.encode(), re.MULTILINE)


def split_word(token: str) -> tuple[str, list[str]]:
    """Split a word from the lists of its tags, one for each `|`.

    >>> split_word("dog|[e2],e1]|[e9]"), split_word("a|b")
    (('dog', ['[e2],e1]', '[e9]']), ('a|b', []))
    """
    parts = token.split("|")
    tagged = (place for place, part in enumerate(parts) if place and not {*"[]"}.isdisjoint(part))
    first = next(tagged, len(parts))
    form = "|".join(parts[:first])
    return (form, parts[first:]) if form else (token, [])


def parse_crac(text: str) -> Marked:
    """Read the words of a text of the CRAC LLM track and its mentions."""
    words: list[str] = []
    marked = Marked([words])
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for token in text.split():
        tagged, bracket, after = token.rpartition("]")
        is_glued = "|" in tagged and _AFTER.fullmatch(after) is not None
        form, lists = split_word(tagged + bracket if is_glued else token)
        word = len(words)
        words.append(form)
        for place, tags in enumerate(lists):
            if place:
                marked.repairs.note("second tag list", tags, word)
            for tag in _tags_in(tags, opened):
                label = tag.strip("[]")
                if not _TAG.fullmatch(tag):
                    marked.repairs.note("unreadable tag", tags, word)
                elif tag[-1] != "]":
                    opened[label].append(word)
                elif tag[0] == "[" or opened[label]:
                    first = word if tag[0] == "[" else opened[label].pop()
                    marked.mentions.append(((first, word), label))
                else:
                    marked.repairs.note("unopened tag", label, word)
                    marked.mentions.append(((word, word), label))
        if is_glued:
            marked.repairs.note("glued word", token, word)
            words.append(after)
    for label, starts in opened.items():
        for word in starts:
            marked.repairs.note("unclosed tag", label, word)
            marked.mentions.append(((word, word), label))
    return marked


def _tags_in(tags: str, opened: dict[str, list[int]]) -> Iterator[str]:
    """Split a list of tags.

    A hyphen stands between tags, or in an id: `[a-b]` is two tags where a mention of b is open.
    """
    for tag in _BETWEEN.split(tags):
        first, hyphen, last = tag.partition("-")
        is_two = hyphen and _TAG.fullmatch(tag) and tag[0] == "[" and tag[-1] == "]"
        if is_two and opened[last[:-1]] and not opened[tag[1:-1]]:
            yield first
            yield last
        else:
            yield tag


def clean(
    text: str, key: Sequence[str], starts: Collection[int]
) -> Iterator[tuple[int | None, list[str]]]:
    """Clean a text as the track's own tool does (`text2text-coref` of 2026-01-29, measured).

    Ids are `e` and a number. A word loses its tags unless it is a word of the key, letter for
    letter, and has one list of them. A closing tag without an opening one in its sentence becomes
    a mention of that word.

    Args:
        text: What the model wrote.
        key: The words of the key.
        starts: The first word of each of its sentences.

    Yields:
        For each word of the key its number, and for each further `##` of the text None; and the
        tags there, such as `[e1`.
    """
    of_word, of_zeros = _tags_of_tool(text, key)
    opened: Counter[str] = Counter()
    for word in range(-1, len(key)):
        if word in starts:
            opened.clear()
        if word >= 0:
            yield word, _corrected(of_word.get(word, []), opened)
        for tags in of_zeros[word]:
            yield None, _corrected(tags, opened)


def _tags_of_tool(
    text: str, key: Sequence[str]
) -> tuple[dict[int, list[str]], defaultdict[int, list[list[str]]]]:
    """Return the tags that the tool keeps: of each word of the key, and of each `##` after it."""
    of_word: dict[int, list[str]] = {}
    of_zeros: defaultdict[int, list[list[str]]] = defaultdict(list)
    split = [split_word(token) for token in text.split()]
    forms = [form for form, _ in split]
    last = -1
    for (form, lists), word in zip(split, align_by_unit_costs(key, forms)):
        tags = _OF_TOOL.findall(lists[0]) if len(lists) == 1 else []
        if word is not None and key[word] == form:
            last = word
            of_word[word] = tags
        elif form.startswith(ZERO):
            of_zeros[last].append(tags)
    return of_word, of_zeros


def _corrected(tags: list[str], opened: Counter[str]) -> list[str]:
    """Return tags in which what closes an entity that is not open is a mention of the word.

    Args:
        tags: The tags of a word.
        opened: How often each entity is open before the word; afterwards, how often it is after it.
    """
    corrected = []
    for tag in tags:
        label = tag.strip("[]")
        opens, closes = tag[0] == "[", tag[-1] == "]"
        if opens and not closes:
            opened[label] += 1
        if closes and not opens and not opened[label]:
            corrected.append(f"[{tag}")
            continue
        if closes and not opens:
            opened[label] -= 1
        corrected.append(tag)
    return corrected


def _show_crac(forms: list[str], mentions: Marks) -> str:
    """Write the tags of each word: those that close first, then those that open, the longest first."""
    tags: defaultdict[int, list[tuple[bool, int, str]]] = defaultdict(list)
    for first, last, label in mentions:
        closing = "]" if first == last else ""
        tags[first].append((True, -last, f"[{label}{closing}"))
        if not closing:
            tags[last].append((False, -first, f"{label}]"))
    words = []
    for word, form in enumerate(forms):
        shown = ",".join(tag for *_, tag in sorted(tags[word]))
        words.append(f"{form}|{shown}" if shown else form)
    return " ".join(words)


def _is_id(label: str) -> bool:
    return re.fullmatch(r"[^\s\[\]|,-]+", label) is not None


# Marks inline


class Dialect(NamedTuple):
    """The marks of a dialect.

    `opening` and `closing` are regular expressions, of which one captures the id; `plain` matches
    what closes an opening mark that is none. `begin` and `end` are written, with the id for {}.
    `escape` makes a word that is no mark of one that looks like one, as `escaped` matches it, and
    `unescape` makes a word of it again.
    """

    title: str
    opening: str
    closing: str
    begin: str
    end: str
    plain: str = r"(?!)"
    escaped: str = r"(?!)"
    escape: Callable[[str], str] = str
    unescape: Callable[[str], str] = str


def _with_backslashes(text: str) -> str:
    return re.sub(r"[\[\]\\]", r"\\\g<0>", text)


def _without_backslashes(text: str) -> str:
    return re.sub(r"\\([\[\]\\])", r"\1", text)


def _unescape_xml(text: str) -> str:
    """Make characters of the entities that `html.escape` writes, and of no others."""
    # xml.sax.saxutils has this function, but imports all that reads URLs.
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


BACKSLASHES = r"\\[\[\]\\]", _with_backslashes, _without_backslashes

DIALECTS = {
    "markdown": Dialect(
        "text with mentions as links: [Ada](#e1)",
        r"\[",
        r"\]\(#(?P<id>[^()\s]*)\)",
        "[",
        "](#{})",
        r"\]",
        *BACKSLASHES,
    ),
    "colon": Dialect(
        "text with mentions in brackets: [Ada: e1]",
        r"\[",
        r":\s*(?P<id>[^\[\]:\s]+)\s*\]",
        "[",
        ": {}]",
        r"\]",
        *BACKSLASHES,
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
        escape=partial(html.escape, quote=False),
        unescape=_unescape_xml,
    ),
}


def parse(text: str, name: str) -> Marked:
    """Read the words of a text in a dialect, and its mentions.

    >>> parse("[[Ada](#e1)'s dog](#e2)", "markdown").sentences
    [['Ada', "'s", 'dog']]
    """
    dialect = DIALECTS[name]
    pattern = re.compile(
        rf"(?P<escaped>{dialect.escaped})|(?P<zero></z>[@#](?P<of>\w*))|(?P<close>{dialect.closing})"
        rf"|(?P<open>{dialect.opening})|(?P<plain>{dialect.plain})"
    )
    windows = [*filter(str.strip, text.split("[MID]"))]
    words: list[str] = []
    marked = Marked([words], moved=name != "corefinst")
    for number, window in enumerate(windows, 1):
        if number > 1:
            marked.repairs.note("joined window", "[MID]", len(words))
        prefix = f"{number}:" if len(windows) > 1 else ""
        _read_window(window, pattern, marked, words, prefix, dialect.unescape)
    return marked


def _read_window(
    text: str,
    pattern: re.Pattern[str],
    marked: Marked,
    words: list[str],
    window: str,
    unescape: Callable[[str], str],
) -> None:
    """Add the words and mentions of a window."""
    marks = [mark for mark in pattern.finditer(text) if not mark["escaped"]]
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
        words += map(unescape, text[at : mark.start()].split())
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
    words += map(unescape, text[at:].split())
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


def _show(forms: list[str], mentions: Marks, name: str) -> str:
    """Write words and marks: what opens first closes last."""
    dialect = DIALECTS[name]
    is_corefinst = name == "corefinst"
    words = ["_" if is_corefinst and form == ZERO else form for form in forms]
    for first, last, label in sorted(mentions, key=lambda mention: mention[1] - mention[0]):
        is_zero = first == last and forms[first].startswith(ZERO)
        if is_corefinst and is_zero and "</z>" not in words[first]:
            words[first] = f"{forms[first].removeprefix(ZERO)}</z>@{label}"
            continue
        words[first] = dialect.begin.format(label) + words[first]
        words[last] += dialect.end.format(label)
    return " ".join(words)


def _format_of(name: str, dialect: Dialect) -> TextFormat:
    """Return the format of the dialect called `name`."""
    sniffed = r"</m>#|</z>@\w" if name == "corefinst" else dialect.closing.replace("?P<id>", "?:")
    in_head, in_text = re.compile(sniffed.encode()), re.compile(sniffed)
    return TextFormat(
        name,
        dialect.title,
        sniff=lambda head: is_text(head) and in_head.search(head) is not None,
        read=partial(read_texts, parse=partial(parse, name=name), tag=in_text),
        show=partial(_show, name=name),
        escape=dialect.escape,
        nested=True,
        moved=name != "corefinst",
    )


# Texts of heads


def parse_heads(text: str) -> Marked:
    """Read a text in the first dialect that has a mention in it; CRAC text if none has."""
    texts = (parse(text, name) for name in DIALECTS)
    marked = next((marked for marked in texts if marked.mentions), None) or parse_crac(text)
    for (first, last), label in marked.mentions:
        if first < last:
            marked.repairs.note("long mention", label, first)
    return marked


def _head(document: Document, mention: Any) -> Any:
    """Return the mention that is the head of a mention, itself if of one token; None without one."""
    head = document.syntax.heads.get(mention) if document.syntax else None
    if head is not None:
        return (head,) if isinstance(head, str) else (head, head)
    is_word = is_span(mention) and mention[0] == mention[1]
    is_zero = document.syntax and len(mention) == 1 and type(mention[0]) is str
    return mention if is_word or is_zero else None


def _without_head(document: Document) -> dict[tuple[int, int], str]:
    return {
        (number, place): "mention| without a head"
        for number, cluster in enumerate(document.clusters)
        for place, mention in enumerate(cluster)
        if _head(document, mention) is None
    }


def _write_heads(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as a line, with its heads as elements."""
    for document in documents:
        if document.syntax is None:
            spans_of(document, "headword")
        for number, place in _without_head(document):
            mention = str(document.clusters[number][place]).replace(" ", "")
            raise refusal(document, "headword", f"mention {mention} has no head")
        reduced = copy(document)
        reduced.clusters = [[_head(document, m) for m in cluster] for cluster in document.clusters]
        HEADWORD.write_lines([reduced], file)


MARKUP = {name: _format_of(name, dialect) for name, dialect in DIALECTS.items()}

HEADWORD = TextFormat(
    "headword",
    "text with one tagged word, the head, for each mention; read where it is named",
    sniff=lambda _head: False,
    read=partial(read_texts, parse=parse_heads, tag=re.compile(r"<m|</z>|\]\(#|: \S+\]|\|\[")),
    show=partial(_show, name="xml"),
    escape=DIALECTS["xml"].escape,
    nested=True,
    write=_write_heads,
)
HEADWORD.holds.unfit = _without_head

FORMAT = (
    *MARKUP.values(),
    HEADWORD,
    TextFormat(
        "crac",
        "text of the CRAC LLM track: word|[e1 word|e1]",
        sniff=lambda head: is_text(head) and _SNIFF.search(head) is not None,
        read=partial(read_texts, parse=parse_crac, tag=_TAGGED, by_line=True),
        show=_show_crac,
        nested=False,
        label=_is_id,
    ),
)
