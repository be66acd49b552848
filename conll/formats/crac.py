"""The text and the JSON of the CRAC LLM track.

In text a document is a line, `John|[e1] saw the|[e2 dog|e2]`. The tags of a word follow it after
`|`, several with `,` or `-` between: `[e1` opens a mention, `e1]` closes one, `[e1]` is one of a
single word. A space in a word is written `_`; words that begin with `##` are empty nodes, each
after its parent. Punctuation or `'s` glued to the last tag of a word is read as a word of its own.

In JSON a file is an array of documents with `tokens` and `clusters_token_offsets`, pairs of tokens,
counted from 0, both inclusive; `clusters_text_mentions` has the words of each. Empty nodes are
tokens as in text. `doc_id` or `doc_key` is the name.

Both are the layouts of `text2text-coref` of CRAC 2025 (github.com/ondfa/text2text-coref, readme and
json_format.py); without its option for empty nodes it counts them in offsets, but not in `tokens`,
so a mention whose words are not those at its offsets is counted. The output of Maverick (Martinelli
et al. 2024; github.com/SapienzaNLP/maverick-coref, README) has the same fields without the words.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO

from conll.document import Document
from conll.formats._layouts import CRAC, read
from conll.text.json_values import is_list_of, json_line, name_in, read_answer
from conll.text.marked import Marked, Marks
from conll.text.text_files import TextFormat, is_text, read_texts

_ID = r"[^\s\[\]|,]+"
_TAG = re.compile(rf"\[{_ID}\]?|{_ID}\]")
_AFTER = re.compile(r"[^\w\s\[\]|]+|['’]\w+")
"""Matches what may be glued to the last tag of a word."""
_BETWEEN = re.compile(r",|(?<=\])-|-(?=\[)")
_TAGGED = re.compile(rf"\S\|(?:\[{_ID}\]?|{_ID}\])(?=[\s,|-]|$)", re.MULTILINE)
_SNIFF = re.compile(_TAGGED.pattern.encode(), re.MULTILINE)


def split_word(token: str) -> tuple[str, list[str]]:
    """Split a word from the lists of its tags, one for each `|`.

    Examples:
        >>> split_word("dog|[e2],e1]|[e9]"), split_word("a|b")
        (('dog', ['[e2],e1]', '[e9]']), ('a|b', []))
    """
    parts = token.split("|")
    for number, part in enumerate(parts):
        if number and ("[" in part or "]" in part):
            form = "|".join(parts[:number])
            return (form, parts[number:]) if form else (token, [])
    return token, []


def parse_crac(text: str) -> Marked:
    """Read the words of a text of the CRAC LLM track and its mentions."""
    return _Reader(text).marked


class _Reader:
    """Reads the words of a text and their tags, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        self.marked = Marked([self._words])
        self._opened: defaultdict[str, list[int]] = defaultdict(list)
        """The first words of the mentions that are open, by the ids of their entities."""
        for token in text.split():
            self._read(token)
        for label, starts in self._opened.items():
            for word in starts:
                self.marked.repairs.note("unclosed tag", label, word)
                self.marked.mentions.append(((word, word), label))

    def _read(self, token: str) -> None:
        """Read a word with its tags, and punctuation that is glued to them."""
        tagged, bracket, after = token.rpartition("]")
        is_glued = "|" in tagged and _AFTER.fullmatch(after) is not None
        form, tag_lists = split_word(f"{tagged}{bracket}" if is_glued else token)
        word = len(self._words)
        self._words.append(form)
        for number, tags in enumerate(tag_lists):
            if number > 0:
                self.marked.repairs.note("second tag list", tags, word)
            for tag in _split_tags(tags, self._opened):
                if _TAG.fullmatch(tag):
                    self._read_tag(tag, word)
                else:
                    self.marked.repairs.note("unreadable tag", tags, word)
        if is_glued:
            self.marked.repairs.note("glued word", token, word)
            self._words.append(after)

    def _read_tag(self, tag: str, word: int) -> None:
        label = tag.strip("[]")
        opens, closes = tag[0] == "[", tag[-1] == "]"
        if not closes:
            self._opened[label].append(word)
            return
        first = word
        if not opens and self._opened[label]:
            first = self._opened[label].pop()
        elif not opens:
            self.marked.repairs.note("unopened tag", label, word)
        self.marked.mentions.append(((first, word), label))


def _split_tags(tags: str, opened: dict[str, list[int]]) -> Iterator[str]:
    """Split a list of tags.

    A hyphen separates tags, or is part of an id: `[a-b]` is two tags where a mention of b is open.
    """
    for tag in _BETWEEN.split(tags):
        first, hyphen, last = tag.partition("-")
        is_two = hyphen and _TAG.fullmatch(tag) and tag[0] == "[" and tag[-1] == "]"
        if is_two and opened[last[:-1]] and not opened[tag[1:-1]]:
            yield first
            yield last
        else:
            yield tag


def show_crac(forms: list[str], mentions: Marks) -> str:
    """Write each word with its tags: those that close, then those that open, the longest first."""
    tags: defaultdict[int, list[tuple[bool, int, str]]] = defaultdict(list)
    for first, last, label in mentions:
        if first == last:
            tags[first].append((True, -last, f"[{label}]"))
            continue
        tags[first].append((True, -last, f"[{label}"))
        tags[last].append((False, -first, f"{label}]"))
    words = []
    for word, form in enumerate(forms):
        shown = ",".join(tag for _, _, tag in sorted(tags[word]))
        words.append(f"{form}|{shown}" if shown else form)
    return " ".join(words)


def is_id(label: str) -> bool:
    """Return whether an entity can have this id."""
    return re.fullmatch(r"[^\s\[\]|,-]+", label) is not None


FORMAT = TextFormat(
    "crac",
    "text of the CRAC LLM track: word|[e1 word|e1]",
    sniff=lambda head: is_text(head) and _SNIFF.search(head) is not None,
    read=partial(read_texts, parse=parse_crac, tag=_TAGGED, by_line=True),
    show=show_crac,
    nested=False,
    by_line=True,
    label=is_id,
)


def parse_crac_json(value: Any) -> Iterator[Marked]:
    """Read documents with tokens and offsets.

    Raises:
        ValueError: One has another shape, or a name that is none.
    """
    documents = value if type(value) is list else [value]
    for document in documents:
        if is_list_of(document["tokens"], list):
            problem = "clusters_token_offsets has three numbers, [document, first, last]"
            raise ValueError(f"{problem}; write an object for each document, with its own offsets")
        tokens = [str(token) for token in document["tokens"]]
        marked = read(document | {"tokens": tokens}, CRAC, lenient=True)
        marked.name = name_in(document, "doc_id" if "doc_id" in document else "doc_key")
        yield marked


def write_crac(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an array with an object for each document."""
    objects = []
    for document in documents:
        tokens, clusters = CRAC_JSON.spans(document)
        texts = [_texts_of(cluster, tokens) for cluster in clusters]
        value = {
            "doc_id": document.name,
            "tokens": tokens,
            "clusters_token_offsets": clusters,
            "clusters_text_mentions": texts,
        }
        objects.append(json_line(value))
    file.write(b"[" + b",\n".join(objects) + b"]\n")


def _texts_of(cluster: list[tuple[int, int]], tokens: list[str]) -> list[str]:
    """Return the text of each mention of a cluster."""
    return [" ".join(tokens[first : last + 1]) for first, last in cluster]


CRAC_JSON = TextFormat(
    "crac_json",
    "JSON of the CRAC LLM track: tokens, clusters_token_offsets",
    sniff=lambda head: b'"clusters_token_offsets"' in head,
    read=partial(read_answer, parse=parse_crac_json),
    nested=None,
    named=True,
    label=lambda _label: False,
    write=write_crac,
)
CRAC_JSON.holds.ordered = True
