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
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from conll.document import Document
from conll.formats import refusal, spans_of
from conll.formats._json import name_in, values_of
from conll.syntax import is_span
from conll.text.alignment import align_by_unit_costs
from conll.text.answers import (
    WINDOW,
    Block,
    Blocks,
    blocks_of,
    grouped,
    in_windows,
    joined,
    one_of,
    without_thoughts,
)
from conll.text.marked import MASK, ZERO, Marked, Marks, Part, TextFormat

NAMES = "doc_key", "doc_id", "name", "id"
TEXTS = "output", "response", "completion", "text"
"""What the name of a document may be called in JSON, and the text of a model."""

LEFTOVER = re.compile(r"\]\(#|</?mention\b|</?m>|</z>|\|\[")
"""What is left of a tag in a word if the tag cannot be read."""

_JSON = re.compile(rb'\s*(?:\{|\[\s*(?:\{|\[\s*"))')


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment before columns.

    A text of a model may begin with a heading, `# Answer`. A binary file is no text.
    """
    if head.lstrip().startswith(b"#") and b"\t" in head:
        return False
    return _JSON.match(head) is None and b"\0" not in head


def read_texts(
    text: str,
    documents: int | None,
    *,
    parse: Callable[[str], Marked],
    tag: re.Pattern[str],
    by_line: bool = False,
) -> Iterable[Marked]:
    """Read a file as one text, or each line as one, or each object of JSON that has a name.

    Blank lines, and then all lines without a tag, are left out where that makes the number of
    documents right. Several objects with the same name are windows of one text.

    Args:
        text: The file.
        documents: How many there should be; None for any number.
        parse: Reads one text.
        tag: Matches where a text has a tag.
        by_line: Whether a line is a text if nobody says how many there are.
    """
    # A line of JSON is not searched for fences, or for thoughts that may go on to the next one.
    if text.lstrip().startswith("{"):
        return _read_objects([Part(1, text)], parse)
    blocks = blocks_of(without_thoughts(text))
    parts = [joined(block) for block in blocks.written()]
    objects = [part for part in parts if part.text.lstrip().startswith("{")]
    if objects:
        return _read_objects(objects, parse)
    if documents == 1 or (documents is None and not by_line):
        return grouped([[_read_part(part, parse)] for part in parts], 1)
    texts = _by_document(blocks, documents, tag, by_line=by_line)
    return grouped([[_read_part(part, parse) for part in lines] for lines in texts], documents)


def _by_document(
    blocks: Blocks, documents: int | None, tag: re.Pattern[str], *, by_line: bool
) -> list[list[Part]]:
    """Return the texts of several documents, and copies of all of them if there are any."""
    fences = [joined(fence) for fence in blocks.fences]
    marked_fences = [fence for fence in fences if tag.search(fence.text)]
    if len(marked_fences) == len(fences) == documents and not by_line:
        return [fences]
    by_block = [_lines_of(block, documents, tag) for block in blocks.written()]
    complete = [lines for lines in by_block if len(lines) == documents]
    marked = [lines for lines in complete if any(tag.search(line.text) for line in lines)]
    if marked:
        return marked
    if len(fences) == documents:
        return [fences]
    inner = blocks.fences or [blocks.outside]
    return complete or [[line for block in inner for line in _lines_of(block, documents, tag)]]


def _lines_of(block: Block, documents: int | None, tag: re.Pattern[str]) -> Block:
    """Return the lines of a block, without some that are no text if that makes their number right."""
    if documents is None or len(block) == documents:
        return block
    written = [line for line in block if line.text.strip()]
    tagged = [line for line in written if tag.search(line.text)]
    return tagged if len(tagged) == documents != len(written) else written


def _read_part(part: Part, parse: Callable[[str], Marked]) -> Marked:
    """Read a text, which may consist of windows."""
    pieces = [*filter(str.strip, part.text.split(WINDOW))] or [part.text]
    windows = [replace(parse(piece), line=part.line, raw=piece) for piece in pieces]
    return in_windows(windows)


def _read_objects(parts: Iterable[Part], parse: Callable[[str], Marked]) -> Iterator[Marked]:
    """Read the texts in objects of JSON; several objects with a name have windows of one text."""
    windows: dict[tuple[str | None, type], list[Marked]] = {}
    for part in parts:
        for line, value in values_of(part):
            field = next((field for field in NAMES if value.get(field) is not None), None)
            texts = [value[field] for field in TEXTS if field in value]
            if field is None or not texts:
                needed = f"one of {', '.join(NAMES)} and {', '.join(TEXTS)}"
                raise ValueError(f"an object needs {needed}")
            text = next((text for text in texts if type(text) is str), None)
            # A number and the same in quotes are no windows of one text: their names are refused.
            key = name_in(value, field), type(value[field])
            windows.setdefault(key, []).append(_read_output(text, line, parse))
    for (name, _), windows_of_name in windows.items():
        yield replace(in_windows(windows_of_name), name=name)


def _read_output(text: str | None, line: int, parse: Callable[[str], Marked]) -> Marked:
    """Read what a model answered about a document, or null."""
    if text is None:
        return Marked([[]], line=line, is_null=True)
    blocks = blocks_of(without_thoughts(text)).written()
    texts = [replace(_read_part(joined(block), parse), line=line) for block in blocks]
    return one_of(texts)


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

    `opening` and `closing` are regular expressions, of which one captures the id, or what `label`
    makes an id of; `plain` matches what closes an opening mark that is none. `begin` and `end` are
    written, with the id for {}. `sniffed` matches where a file of the dialect has a mark. `escape`
    makes a word that is no mark of one that looks like one, as `escaped` matches it, and `unescape`
    makes a word of it again.
    """

    title: str
    opening: str
    closing: str
    begin: str
    end: str
    sniffed: str
    plain: str = r"(?!)"
    escaped: str = r"(?!)"
    escape: Callable[[str], str] = str
    unescape: Callable[[str], str] = str
    label: Callable[[str], str] = str.strip


def _with_backslashes(text: str) -> str:
    return re.sub(r"[\[\]\\]", r"\\\g<0>", text)


def _without_backslashes(text: str) -> str:
    return re.sub(r"\\([\[\]\\])", r"\1", text)


def _unescape_xml(text: str) -> str:
    """Make characters of the entities that `html.escape` writes, and of no others."""
    # xml.sax.saxutils has this function, but imports all that reads URLs.
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|["']?([^\s"']*))""")


def _entity_of(attributes: str) -> str:
    """Return the id among the attributes of an element, and ignore others.

    >>> _entity_of('id="m1" entity="a b" type=person'), _entity_of("id=7"), _entity_of("")
    ('a b', '7', '')
    """
    values = {name: "".join(value) for name, *value in _ATTRIBUTE.findall(attributes)}
    ids = (values[name].strip() for name in ("entity", "cluster", "id") if name in values)
    return next(ids, "")


BACKSLASHES = r"\\[\[\]\\]", _with_backslashes, _without_backslashes

DIALECTS = {
    "markdown": Dialect(
        "text with mentions as links: [Ada](#e1)",
        r"\[",
        r"\]\(#(?P<id>[^()\s]*|[^()\[\]\n]*)\)",
        "[",
        "](#{})",
        r"\]\(#[^()\n]*\)",
        r"\]",
        *BACKSLASHES,
    ),
    "colon": Dialect(
        "text with mentions in brackets: [Ada: e1]",
        r"\[",
        r":(?P<id>[^\[\]:\\\n]+)\]",
        "[",
        ": {}]",
        r":\s*[^\[\]:\s]+\s*\]",
        r"\]",
        *BACKSLASHES,
    ),
    "corefinst": Dialect(
        "text of CorefInst: <m> Ada </m>#1, zeros </z>@2, windows joined by [MID]",
        r"<m>",
        r"</m>(?:\s*#(?P<id>[^\s<>,.;:!?\[\]]+))?",
        "<m> ",
        " </m>#{}",
        r"</m>#|</z>@\w",
    ),
    "xml": Dialect(
        'text with mentions as elements: <mention entity="1">Ada</mention>',
        r"<mention\b(?P<id>[^<>]*)>",
        r"</mention\s*>",
        '<mention entity="{}">',
        "</mention>",
        r"</mention\s*>",
        escape=partial(html.escape, quote=False),
        unescape=_unescape_xml,
        label=_entity_of,
    ),
}


def parse(text: str, name: str) -> Marked:
    """Read the words of a text in a dialect, and its mentions.

    >>> parse("[[Ada](#e1)'s dog](#e2)", "markdown").sentences
    [['Ada', "'s", 'dog']]
    """
    dialect = DIALECTS[name]
    reader = _MarkupReader(text, dialect, moved=name != "corefinst")
    pattern = re.compile(
        rf"(?P<escaped>{dialect.escaped})|(?P<zero></z>[@#](?P<of>\w*))|(?P<close>{dialect.closing})"
        rf"|(?P<open>{dialect.opening})|(?P<plain>{dialect.plain})"
    )
    marks = [mark for mark in pattern.finditer(text) if not mark["escaped"]]
    partners = _partners(marks)
    for number, mark in enumerate(marks):
        partner = marks[partners[number]] if number in partners else None
        is_word = mark["plain"] or (mark["open"] == "[" and partner is None)
        if not is_word:
            reader.read_mark(mark, partner)
    return reader.end()


class _MarkupReader:
    """Reads words and marks of a text from its beginning to its end."""

    def __init__(self, text: str, dialect: Dialect, *, moved: bool) -> None:
        self._text, self._dialect = text, dialect
        self._words: list[str] = []
        self._marked = Marked([self._words], moved=moved)
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
            self._add(len(self._words) - 1, len(self._words) - 1, mark["of"])
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
        written = self._text[self._read_to : end].split()
        self._words += map(self._dialect.unescape, written)

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
    in_head, in_text = re.compile(dialect.sniffed.encode()), re.compile(dialect.sniffed)
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
