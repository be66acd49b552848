"""The text of the CRAC LLM track, `John|[e1] saw the|[e2 dog|e2]`, a document a line.

The tags of a word follow it after `|`, several with `,` or `-` between: `[e1` opens a mention, `e1]`
closes one, `[e1]` is one of a single word. Ids are any text. A space in a word is written `_`; words
that begin with `##` are empty nodes, each after its parent. Punctuation or `'s` glued to the last
tag of a word is read as a word of its own. The layout is that of `text2text-coref` of CRAC 2025
(github.com/ondfa/text2text-coref, readme).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import partial
from typing import TYPE_CHECKING

from conll.alignment import ZERO, align
from conll.format import Format
from conll.marked import Marked, MarkedSource, holds_of, is_text, marked_lines, texts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from conll.document import Document

_ID = r"[^\s\[\]|,]+"
_TAG = re.compile(rf"\[{_ID}\]?|{_ID}\]")
_AFTER = re.compile(r"[^\w\s\[\]|]+|['’]\w+")
_BETWEEN = re.compile(r",|(?<=\])-|-(?=\[)")
_OF_TOOL = re.compile(r"\[e\d+\]|\[e\d+|e\d+\]")
_FIRST = re.compile(rf"\S\|(?:\[{_ID}\]?|{_ID}\])(?=[\s,|-]|$)", re.MULTILINE)
_SNIFF = re.compile(_FIRST.pattern.encode(), re.MULTILINE)


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


def parse(text: str) -> Marked:
    """Read the words of a text and its mentions."""
    words: list[str] = []
    marked = Marked(words)
    opened: defaultdict[str, list[int]] = defaultdict(list)

    def close(label: str, word: int) -> None:
        if not opened[label]:
            marked.repairs.note("unopened tag", label, word)
        marked.mentions.append(((opened[label].pop() if opened[label] else word, word), label))

    for token in text.split():
        tagged, bracket, after = token.rpartition("]")
        is_glued = "|" in tagged and _AFTER.fullmatch(after) is not None
        form, lists = split_word(tagged + bracket if is_glued else token)
        word = len(words)
        words.append(form)
        for place, tags in enumerate(lists):
            if place:
                marked.repairs.note("second tag list", tags, word)
            for opening, label, closing in _tags_in(tags, opened):
                if not (opening or closing):
                    marked.repairs.note("unreadable tag", tags, word)
                elif opening and closing:
                    marked.mentions.append(((word, word), label))
                elif opening:
                    opened[label].append(word)
                else:
                    close(label, word)
        if is_glued:
            marked.repairs.note("glued word", token, word)
            words.append(after)
    for label, starts in opened.items():
        for word in starts:
            marked.repairs.note("unclosed tag", label, word)
            marked.mentions.append(((word, word), label))
    return marked


def _tags_in(tags: str, opened: dict[str, list[int]]) -> Iterator[tuple[bool, str, bool]]:
    """Yield whether each tag opens a mention, its id, and whether it closes one; neither is no tag.

    A hyphen stands between tags, or in an id: `[a-b]` is two tags where a mention of b is open.
    """
    for tag in _BETWEEN.split(tags):
        label = tag.strip("[]")
        first, hyphen, last = label.partition("-")
        if not _TAG.fullmatch(tag):
            yield False, tag, False
        elif hyphen and tag[0] == "[" and tag[-1] == "]" and opened[last] and not opened[label]:
            yield True, first, False
            yield False, last, True
        else:
            yield tag[0] == "[", label, tag[-1] == "]"


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
    split = [split_word(token) for token in text.split()]
    words = [form for form, _ in split]
    tags = [_OF_TOOL.findall(lists[0]) if len(lists) == 1 else [] for _, lists in split]
    zeros: defaultdict[int, list[list[str]]] = defaultdict(list)
    of_word: dict[int, list[str]] = {}
    last = -1
    for word, span in enumerate(align(key, words)):
        if span is not None and key[span[0]] == words[word] and span[0] == span[1]:
            last = span[0]
            of_word[last] = tags[word]
        elif words[word].startswith(ZERO):
            zeros[last].append(tags[word])
    opened: Counter[str] = Counter()
    for word in range(-1, len(key)):
        if word in starts:
            opened.clear()
        here = [(word, of_word.get(word, []))] if word >= 0 else []
        for place, given in [*here, *((None, tags) for tags in zeros[word])]:
            kept = []
            for tag in given:
                label = tag.strip("[]")
                if tag[0] == "[" and tag[-1] != "]":
                    opened[label] += 1
                elif tag[0] != "[" and opened[label]:
                    opened[label] -= 1
                elif tag[0] != "[":
                    tag = f"[{tag}"  # noqa: PLW2901  it is corrected
                kept.append(tag)
            yield place, kept


def _show(forms: list[str], mentions: list[tuple[int, int, str]]) -> str:
    """Write the tags of each word: those that close first, then those that open, the longest first."""
    closing: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    opening: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for first, last, label in mentions:
        label = label if _is_id(label) else re.sub(r"[\s\[\]|,-]", "_", label)  # noqa: PLW2901  as it is written
        if first == last:
            opening[first].append((-last, f"[{label}]"))
        else:
            opening[first].append((-last, f"[{label}"))
            closing[last].append((-first, f"{label}]"))
    words = []
    for word, form in enumerate(forms):
        tags = [tag for _, tag in [*sorted(closing[word]), *sorted(opening[word])]]
        words.append(f"{form}|{','.join(tags)}" if tags else form)
    return " ".join(words)


def _is_id(label: str) -> bool:
    return re.fullmatch(r"[^\s\[\]|,-]+", label) is not None


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write each document as a line."""
    file.writelines(marked_lines(documents, "crac", _show, nested=False))


FORMAT = Format(
    "crac",
    "text of the CRAC LLM track: word|[e1 word|e1]",
    sniff=lambda head: is_text(head) and _SNIFF.search(head) is not None,
    open=partial(MarkedSource, read=partial(texts_of, parse=parse, tag=_FIRST, by_line=True)),
    write=write,
    holds=holds_of(nested=False, label=_is_id),
)
