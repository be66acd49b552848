"""Files of texts, as language models write them: one or several, with mentions marked or none."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import chain, islice, zip_longest
from json import loads
from typing import Any, BinaryIO

from conll.document import Document
from conll.errors import ConllError, shorten
from conll.formats import Format, Holds, ids_for, refusal, spans_of
from conll.source import InputFile, Source
from conll.syntax import Span
from conll.text import answers
from conll.text.json_values import has_only_empty_clusters, json_line, name_in, values_of
from conll.text.marked import ZERO, Marked, MarkedSource, Marks, Part, Read, TextOrder, text_form

NAMES = ("doc_key", "doc_id", "name", "id")
"""Names of the field of JSON with the name of a document."""
TEXTS = ("output", "response", "completion", "text")
"""Names of the field of JSON with the text of a model."""

_JSON = re.compile(rb'\s*(?:\{|\[\s*(?:\{|\[\s*["{]))')

Parse = Callable[[str], Marked]
"""Reads one text."""


def is_text(head: bytes) -> bool:
    """Return whether a file begins neither like JSON nor with a comment before columns.

    A text of a model may begin with a heading, `# Answer`. A binary file is no text.
    """
    if head.lstrip().startswith(b"#") and b"\t" in head:
        return False
    if _JSON.match(head) or b"\0" in head:
        return False
    # What is JSON as a whole has no marks, whatever is in it.
    with suppress(ValueError, RecursionError):
        loads(head)
        return False
    return True


def read_texts(
    text: str,
    documents: int | None,
    *,
    parse: Parse,
    tag: re.Pattern[str],
    by_line: bool = False,
) -> Iterable[Marked]:
    """Read a file as one text, or each line as one, or each object of JSON that has a name.

    Blank lines, and then all lines without a tag, are left out where that makes the number of
    documents right. Several objects with the same name are windows of one text. Where the number is
    not given and several lines have tags, each is a text: in documents that were read as one, equal
    ids would be one entity.

    Args:
        text: The file.
        documents: How many there should be; None for any number.
        parse: Reads one text.
        tag: Matches where a text has a tag.
        by_line: Whether every line is a text if the number of documents is not given.
    """
    # A line of JSON is not searched for fences, or for thoughts that may go on to the next one.
    if text.lstrip().startswith("{"):
        return _read_objects([Part(1, text)], parse)
    blocks = answers.blocks_of(answers.without_thoughts(text))
    parts = [answers.join_lines(block) for block in blocks.written()]
    objects = [part for part in parts if part.text.lstrip().startswith("{")]
    if objects:
        return _read_objects(objects, parse)
    if documents is None and not by_line:
        lines = _tagged_lines(blocks, tag)
        if lines:
            return [replace(_read_part(line, parse), is_line=True) for line in lines]
        documents = 1
    # Each block is a copy of the only text.
    texts_by_copy = [parts]
    if documents != 1:
        texts_by_copy = _by_document(blocks, documents, tag, by_line=by_line)
    copies = []
    for texts in texts_by_copy:
        marked = [_read_part(text, parse) for text in texts]
        copies.append(marked)
    return answers.merge_blocks(copies, documents)


def _tagged_lines(blocks: answers.Blocks, tag: re.Pattern[str]) -> answers.Block:
    """Return the lines of the last block in which several have a tag; none if no block is such."""
    for block in reversed(blocks.written()):
        lines = [line for line in block if line.text.strip()]
        has_windows = any(line.text.strip() == answers.WINDOW for line in lines)
        if len(_with_tag(lines, tag)) > 1 and not has_windows:
            return lines
    return []


def _by_document(
    blocks: answers.Blocks, documents: int | None, tag: re.Pattern[str], *, by_line: bool
) -> list[list[Part]]:
    """Return the texts of several documents, and copies of all of them if there are any."""
    fences = [answers.join_lines(fence) for fence in blocks.fences]
    has_all_fences = len(fences) == documents
    if has_all_fences and not by_line and len(_with_tag(fences, tag)) == documents:
        return [fences]
    # Blocks in which each line is a text, and those of them with tags.
    complete: list[answers.Block] = []
    marked: list[answers.Block] = []
    for block in blocks.written():
        lines = _lines_of(block, documents, tag)
        if len(lines) == documents:
            complete.append(lines)
            if _with_tag(lines, tag):
                marked.append(lines)
    if marked:
        return marked
    if has_all_fences:
        return [fences]
    if complete:
        return complete
    all_blocks = blocks.fences or [blocks.outside]
    lines_by_block = (_lines_of(block, documents, tag) for block in all_blocks)
    return [list(chain.from_iterable(lines_by_block))]


def _with_tag(texts: answers.Block, tag: re.Pattern[str]) -> answers.Block:
    """Return the texts that have a tag."""
    return [text for text in texts if tag.search(text.text)]


def _lines_of(block: answers.Block, documents: int | None, tag: re.Pattern[str]) -> answers.Block:
    """Return the lines of a block, without some that are no text if their number is then right."""
    if documents is None or len(block) == documents:
        return block
    written = [line for line in block if line.text.strip()]
    tagged = _with_tag(written, tag)
    if len(tagged) == documents and len(written) != documents:
        return tagged
    return written


def _read_part(part: Part, parse: Parse) -> Marked:
    """Read a text, which may consist of windows."""
    pieces = [piece for piece in part.text.split(answers.WINDOW) if piece.strip()]
    windows = [replace(parse(piece), line=part.line) for piece in pieces or [part.text]]
    return answers.join_windows(windows)


def _read_objects(parts: Iterable[Part], parse: Parse) -> Iterator[Marked]:
    """Read the texts in objects of JSON; several objects with a name have windows of one text."""
    windows: dict[tuple[str | None, type], list[Marked]] = {}
    for part in parts:
        for line, value in values_of(part):
            name_fields = [field for field in NAMES if value.get(field) is not None]
            texts = [value[field] for field in TEXTS if field in value]
            if not name_fields or not texts:
                needed = f"one of {', '.join(NAMES)} and {', '.join(TEXTS)}"
                raise ValueError(f"an object needs {needed}")
            # A number and the same in quotes are no windows of one text: their names are refused.
            name_field = name_fields[0]
            name = name_in(value, name_field), type(value[name_field])
            windows.setdefault(name, []).append(_read_output(texts, line, parse))
    for (shown_name, _), windows_of_name in windows.items():
        yield replace(answers.join_windows(windows_of_name), name=shown_name)


def _read_output(texts: list[Any], line: int, parse: Parse) -> Marked:
    """Read the first text of a model in the fields of an object, or null."""
    written = [text for text in texts if type(text) is str]
    if not written:
        return Marked([[]], line=line, is_null=True)
    blocks = answers.blocks_of(answers.without_thoughts(written[0])).written()
    copies = [_read_part(answers.join_lines(block), parse) for block in blocks]
    return answers.merge_copies([replace(marked, line=line) for marked in copies])


MASK = "MASK"
"""The id of a mention whose entity is to be filled in, as in CorefInst."""

MentionKey = tuple[int, int]
"""The number of a cluster, and the number of a mention in it."""


def is_id(label: str) -> bool:
    """Return whether an entity can have this id in any text; `MASK` is an id to be filled in."""
    return re.fullmatch(r"\w+", label) is not None and label != MASK


class TextFormat(Format):
    """A format of texts.

    Args:
        name: As of `Format`.
        title: As of `Format`.
        sniff: As of `Format`.
        read: As of `MarkedSource`.
        show: Writes the forms and the mentions of a document as a line.
        escape: Makes a form that is no mark of one that looks like one.
        nested: Whether the end of a mention does not tell which it is, so that none may cross; None
            where mentions may cross in any way.
        named: Whether documents have names, even one without others.
        by_line: Whether each line is a document, so that several are written without names.
        moved: As of `TextOrder`.
        label: Whether an entity can have a given id.
        write: As of `Format`, for a format that does not write a line for each document.
    """

    def __init__(  # noqa: PLR0913  a record
        self,
        name: str,
        title: str,
        *,
        sniff: Callable[[bytes], bool],
        read: Read,
        show: Callable[[list[str], Marks], str] | None = None,
        escape: Callable[[str], str] = str,
        nested: bool | None,
        named: bool = False,
        by_line: bool = False,
        moved: bool = True,
        label: Callable[[str], bool] = is_id,
        write: Callable[[Iterable[Document], BinaryIO], None] | None = None,
    ) -> None:
        super().__init__(
            name,
            title,
            sniff=sniff,
            open=partial(MarkedSource, read=read),
            write=write or self.write_lines,
            holds=Holds(
                names=False,
                ordered=False,
                syntax=False,
                label=label,
                named=named or not by_line,
                named_alone=named,
                field=lambda _document, _field: False,
                changed=self._changed,
                unfit=self.unfit,
            ),
        )
        self._show, self._escape = show, escape
        self._nested, self._by_line, self._moved = nested, by_line, moved

    def unfit(self, document: Document) -> dict[MentionKey, str]:
        """Find the mentions that the text cannot mark.

        Returns:
            The fault of each, by the number of its cluster and its number there.
        """
        order = TextOrder(document, moved=self._moved)
        wrong: dict[MentionKey, str] = {}
        spans: list[tuple[int, int, MentionKey]] = []
        for cluster_number, cluster in enumerate(document.clusters):
            for mention_number, mention in enumerate(cluster):
                mention_key = cluster_number, mention_number
                span = order.span(mention)
                if span is None:
                    wrong[mention_key] = "mention| in pieces"
                else:
                    first, last = span
                    spans.append((first, -last, mention_key))
        if self._nested is not None:
            for mention_key in self._crossing(spans):
                wrong[mention_key] = "mention| crossing another one"
        return wrong

    def _crossing(self, spans: list[tuple[int, int, MentionKey]]) -> list[MentionKey]:
        """Find the mentions that cross an earlier one, which the text could not tell apart.

        Args:
            spans: The first word, minus the last word and the key of each mention.
        """
        crossing: list[MentionKey] = []
        # The last words of mentions that are open, and the numbers of their clusters.
        opened: list[tuple[int, int]] = []
        # Of mentions with the same first word, the longest one comes first.
        for first, minus_last, mention_key in sorted(spans):
            last, cluster = -minus_last, mention_key[0]
            opened = [(end, owner) for end, owner in opened if end >= first]
            # A mention that only touches the end of one of its cluster can be told from it.
            if any(
                end < last and (self._nested or (owner == cluster and first < end))
                for end, owner in opened
            ):
                crossing.append(mention_key)
            else:
                opened.append((last, cluster))
        return crossing

    def _changed(self, document: Document) -> Counter[str]:
        """Count the forms that are read otherwise, and the empty nodes that are moved."""
        forms = chain.from_iterable(document.words or ())
        ambiguous_forms = sum(re.search(r"[\s|_]", form) is not None for form in forms)
        order = TextOrder(document, moved=self._moved)
        return Counter(
            {
                "form| with a space, | or _": ambiguous_forms,
                "empty node| in another place of the text": order.moved,
            }
        )

    def spans(self, document: Document) -> tuple[list[str], list[list[Span]]]:
        """Return the forms of a document in the order of a text, and its clusters of spans there.

        Raises:
            ConllError: The document has no words or a mention that the text cannot mark.
        """
        if document.syntax is None:
            spans_of(document, self.name)
        if document.words is None:
            raise refusal(document, self.name, "there are no words")
        for (cluster_number, mention_number), fault in self.unfit(document).items():
            mention = str(document.clusters[cluster_number][mention_number]).replace(" ", "")
            shown = f"mention {mention} of cluster {document.ids()[cluster_number]}"
            raise refusal(document, self.name, f"{shown} is{fault.partition('|')[2]}")
        order = TextOrder(document, moved=self._moved)
        clusters: list[list[Span]] = []
        for cluster in document.clusters:
            # No mention is in pieces here.
            spans = [order.span(mention) or (0, 0) for mention in cluster]
            clusters.append(spans)
        return [text_form(form) for form in order.forms], clusters

    def write_lines(self, documents: Iterable[Document], file: BinaryIO) -> None:
        """Write each document as a line; of several the name as well, as they may be of one text.

        Raises:
            ConllError: The text cannot hold a document, or would be read otherwise.
        """
        remaining = iter(documents)
        first_two = list(islice(remaining, 2))
        is_plain = self._by_line or len(first_two) < 2
        for document in chain(first_two, remaining):
            line = self._line(document)
            if not is_plain:
                value = {"doc_key": document.name, "output": line.decode().removesuffix("\n")}
                line = json_line(value) + b"\n"
            file.write(line)

    def _line(self, document: Document) -> bytes:
        """Return a document as a line, with words that look like marks escaped if there are any.

        Raises:
            ConllError: The line would be read otherwise even so.
        """
        assert self._show is not None
        assert self.holds.label is not None
        forms, clusters = self.spans(document)
        mentions = _marks_of(ids_for(document, self.holds.label), clusters)
        try:
            line = f"{self._show(forms, mentions)}\n".encode()
            if self._misread(document, line, forms, mentions) is None:
                return line
            escaped = [self._escape(form) for form in forms]
            line = f"{self._show(escaped, mentions)}\n".encode()
        except UnicodeEncodeError:
            problem = "a word holds characters that UTF-8 does not have"
            raise refusal(document, self.name, problem) from None
        misread = self._misread(document, line, forms, mentions)
        if misread is not None:
            raise refusal(document, self.name, f"{misread}; write crac_json or jsonl")
        return line

    def _misread(
        self, document: Document, line: bytes, forms: list[str], mentions: Marks
    ) -> str | None:
        """Read the line of a document as others will, and return what is wrong with it, if any."""
        try:
            words: list[str] = []
            mentions_read: Marks = []
            for other in self.open(InputFile(BytesIO(line), document.path)):
                words += other.text() or ()
                mentions_read += _marks_of(other.labels, other.clusters)
        except ConllError as error:
            return f"the text would not be read ({error.problem})"
        has_zeros = document.syntax is not None and document.syntax.zeros
        for number, (form, word) in enumerate(zip_longest(forms, words, fillvalue=""), 1):
            # An empty node has a form of its own in each kind of text.
            is_zero = has_zeros and form.startswith(ZERO)
            if form != word and not is_zero:
                shown = f"{shorten(form)} (word {number})" if form else "the last word"
                return f"words at {shown} would be read as marks"
        if sorted(mentions_read) != sorted(mentions):
            return "words would be read as marks"
        return None


def _marks_of(labels: Iterable[str], clusters: Iterable[Iterable[Span]]) -> Marks:
    """Return the mentions of clusters with their labels."""
    marks: Marks = []
    for label, cluster in zip(labels, clusters):
        marks += [(first, last, label) for first, last in cluster]
    return marks


RUN = 8
"""The letters that are looked for at a time, however the system cuts words."""

SAMPLES = 200
"""The most runs of letters that are looked for."""

MARK_CHARACTERS = re.compile(r"[][{}<>|#*\\]")
"""Characters of marks. A text with more of them than its key may be marked in an unknown way."""


def unmarked_format(head: bytes, key: Source) -> str | None:
    """Return the format in which a file without a mark is read; None if it is not of the key.

    Args:
        head: The beginning of the file.
        key: The key.
    """
    words = list(chain.from_iterable(document.text() or () for document in key))
    if not words:
        return None
    if has_only_empty_clusters(head):
        return "strings"
    text = head.decode("utf-8", "ignore")
    in_key = Counter(MARK_CHARACTERS.findall(" ".join(words)))
    is_unmarked = Counter(MARK_CHARACTERS.findall(text)) <= in_key
    return "crac" if is_text(head) and is_unmarked and _is_about(text, words) else None


def _is_about(text: str, words: list[str]) -> bool:
    """Return whether at least half of the letters of a text are found in the words, in runs."""
    letters = _letters(text)
    known = _letters("".join(words))
    if not letters:
        return False
    step = len(letters) // SAMPLES + 1
    starts = range(0, max(1, len(letters) - RUN + 1), step)
    shared = sum(letters[start : start + RUN] in known for start in starts)
    return 2 * shared >= len(starts)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
