"""The annotations of brat: an `.ann` file next to the `.txt` file with the text.

`T1<TAB>PERSON 0 3<TAB>Ada` is a mention, in characters of the text, the end exclusive; an event,
`E1<TAB>Meeting:T5 Who:T1`, represents the mention of its trigger, here T5. Mentions are connected
by `R1<TAB>Coref Arg1:T1 Arg2:T2` or `*<TAB>Coref T1 T2 T3`, whose type begins with coref, ident,
equiv or anaph; other relations are counted (brat.nlplab.org/standoff.html). An empty `.ann` file is
a document without mentions.

Where no relation is of coreference, clusters may be labels, as in LitBank: a second mention on the
same characters has a type with a number at its end, `T3<TAB>Ada_Lovelace-0 0 3<TAB>Ada`, the same
for all mentions of a cluster. Mentions without one are ends of other relations, as attributes in
copular sentences are (github.com/dbamman/litbank, coref/brat).

Words are cut by a rule, so a response is aligned to the words of the key. Written
is a folder with two files for each document.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain

from conll.document import Document
from conll.errors import ConllError, pluralize, shorten
from conll.formats import Format, Holds, refusal, spans_of
from conll.formats.webanno import connect, is_coreference, show_counts
from conll.paths import replacing
from conll.source import InputFile, Source
from conll.text.characters import Tokens, cut
from conll.text.marked import LineError, Marked, MarkedSource, file_name, whole

TEXT = ".txt"
"""The ending of the file with the text."""

_MENTION = re.compile(r"(T\S+)\t(\S+) (\d+)((?: \d+;\d+)*) (\d+)(?:\t(.*))?")
_EVENT = re.compile(r"(E\S+)\t[^\s:]+:(T\S+)(?: .*)?")
_RELATION = re.compile(r"(?:R\S+|\*)\t(\S+) +(\S.*)")
_OTHERS = "AMN#"
"""The first characters of attributes, modifications, normalizations and notes."""
_NUMBERED = re.compile(r"\S*-\d+")


@dataclass
class Mention:
    """A piece of text with a type.

    Attributes:
        line: The number of its line, from 1.
        type: Its type.
        start: The first character.
        end: The character after the last.
        has_gaps: Whether characters between these do not belong to it.
        text: Its text, as far as the line has it.
    """

    line: int
    type: str
    start: int
    end: int
    has_gaps: bool
    text: str | None


@dataclass
class Annotations:
    """The content of a file.

    Attributes:
        mentions: The mentions by their ids.
        triggers: The mentions that represent events, by the ids of the events.
        links: The line of each relation of coreference, and the ids that it connects.
        others: The ids at the ends of other relations.
        ignored: The numbers of these relations by their types.
    """

    mentions: dict[str, Mention] = field(default_factory=dict)
    triggers: dict[str, str] = field(default_factory=dict)
    links: list[tuple[int, list[str]]] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    ignored: Counter[str] = field(default_factory=Counter)


class BratSource(MarkedSource):
    """The annotations of one text.

    Args:
        file: The open file of annotations, whose companion is the text.

    Raises:
        ConllError: There is no text, or a file cannot be read.
    """

    def __init__(self, file: InputFile) -> None:
        text_path = os.path.splitext(file.path)[0] + TEXT
        text = file.companion
        if text is None:
            name = os.path.basename(text_path)
            raise ConllError(file.path, 0, f"there is no text {name} next to these annotations")
        try:
            decoded = text.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError as error:
            line = text.count(b"\n", 0, error.start) + 1
            problem = "not UTF-8; save the file as UTF-8"
            raise ConllError(text_path, line, problem) from None
        super().__init__(file, read=whole(lambda content: [read_brat(decoded, content)]))
        self._text = TextSource(InputFile(BytesIO(text), text_path, format=self.format))

    def files(self) -> list[Source]:
        return [self, self._text]


class TextSource(Source):
    """The text next to annotations, a file without documents of its own."""

    def names(self) -> list[str]:
        return []

    def read(self, _name: str, /) -> None:
        return None


def read_brat(text: str, content: str) -> Marked:
    """Read the annotations of a text.

    Args:
        text: The text.
        content: The content of the file of annotations.
    """
    annotations = _read_lines(content)
    labels = _labels_in(annotations) or _linked(annotations)
    edges: list[int] = []
    for name in labels:
        edges += annotations.mentions[name].start, annotations.mentions[name].end
    sentences, words = cut(text, edges)
    marked = Marked(sentences, cut=True)
    _add_mentions(annotations, labels, text, words, marked)
    ignored = show_counts(annotations.ignored)
    if ignored and not annotations.links and not _labels_in(annotations):
        marked.warnings.append(f"no coreference relation is recognised; ignored: {ignored}")
    elif ignored:
        marked.notes.append(f"relations that are not of coreference are ignored: {ignored}")
    return marked


def _read_lines(content: str) -> Annotations:
    """Read the lines of a file.

    Raises:
        LineError: A line is not an annotation.
    """
    annotations = Annotations()
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip() or line[0] in _OTHERS:
            continue
        if match := _MENTION.fullmatch(line):
            name, kind, start, gaps, end, text = match.groups()
            if name in annotations.mentions:
                raise LineError(number, f"there are two mentions {name}; give each its own id")
            annotations.mentions[name] = Mention(
                line=number,
                type=kind,
                start=int(start),
                end=int(end),
                has_gaps=bool(gaps),
                text=text,
            )
        elif match := _EVENT.fullmatch(line):
            annotations.triggers[match[1]] = match[2]
        elif match := _RELATION.fullmatch(line):
            kind, ends = match.groups()
            names = [end.rpartition(":")[2] for end in ends.split()]
            if is_coreference(kind):
                annotations.links.append((number, names))
            else:
                annotations.ignored[kind] += 1
                annotations.others.update(names)
        else:
            advice = "write mentions as T1<TAB>Type 0 3<TAB>text"
            raise LineError(number, f"the line is not an annotation of brat; {advice}")
    return annotations


def _labels_in(annotations: Annotations) -> dict[str, str]:
    """Read clusters from types with a number at their end, as in LitBank.

    Returns:
        The label of the cluster of each mention; nothing where types are no clusters.
    """
    if annotations.links:
        return {}
    types_by_span: dict[tuple[int, int], dict[str, str]] = {}
    for name, mention in annotations.mentions.items():
        types_by_span.setdefault((mention.start, mention.end), {})[name] = mention.type
    labels: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for types in types_by_span.values():
        numbered = [name for name, kind in types.items() if _NUMBERED.fullmatch(kind)]
        first = next(iter(types))
        if len(numbered) == 1 and len(types) > 1:
            labels[numbered[0]] = types[numbered[0]]
        elif not numbered and len(types) == 1 and first in annotations.others:
            # The end of another relation, which is a cluster of its own.
            attributes[first] = first
        else:
            return {}
    return labels | attributes if labels else {}


def _linked(annotations: Annotations) -> dict[str, str]:
    """Return the label of the cluster of each mention, by relations of coreference."""
    links = []
    for line, names in annotations.links:
        mentions = [annotations.triggers.get(name, name) for name in names]
        unknown = next((name for name in mentions if name not in annotations.mentions), None)
        if unknown is not None:
            problem = f"{' and '.join(names)} are connected, but {unknown} is not a mention"
            raise LineError(line, problem)
        links.append(mentions)
    return connect(annotations.mentions, links)


def _add_mentions(
    annotations: Annotations,
    labels: dict[str, str],
    text: str,
    words: Tokens,
    marked: Marked,
) -> None:
    """Add mentions to a text, which is cut at their edges."""
    differences = []
    for name, label in labels.items():
        mention = annotations.mentions[name]
        covering = words.covering(mention.start, mention.end)
        if covering is None or mention.end > len(text):
            raise LineError(mention.line, f"mention {name} has no word in the text")
        first, last, _ = covering
        marked.mentions.append(((first, last), label))
        marked.lines.append(mention.line)
        if mention.has_gaps:
            marked.repairs.note("discontinuous mention", name, first)
        elif mention.text is not None:
            covered = text[mention.start : mention.end]
            if covered.split() != mention.text.split():
                annotated = shorten(mention.text)
                place = f"line {mention.line}: {name} has {annotated}"
                differences.append(f"{place}, the text {shorten(covered)}")
    if differences:
        number = pluralize(len(differences), "mention")
        problem = f"the text differs from the annotations in {number} ({differences[0]})"
        marked.warnings.append(f"{problem}; give the text that was annotated")


def write_folder(documents: Iterable[Document], folder: str) -> None:
    """Write the text of each document and its annotations into a folder.

    Raises:
        ConllError: A document has no words, a mention is no span, two documents would share a file,
            or the folder holds other files; nothing is written then.
    """
    documents = list(documents)
    names = _file_names(documents)
    contents: dict[str, bytes] = {}
    for name, document in zip(names, documents):
        text, lines = _text_and_annotations(document)
        try:
            contents[f"{name}{TEXT}"] = text.encode()
            contents[f"{name}.ann"] = lines.encode()
        except UnicodeEncodeError:
            problem = "a word holds characters that UTF-8 does not have"
            raise refusal(document, "brat", problem) from None
    os.makedirs(folder, exist_ok=True)
    # Other files, unless they are hidden, would be read with these.
    others = [name for name in os.listdir(folder) if name not in contents and name[0] != "."]
    if others:
        problem = f"the folder holds other files, such as {min(others)}; choose another folder"
        raise ConllError(folder, 0, problem)
    for name, content in contents.items():
        with replacing(os.path.join(folder, name)) as file:
            file.write(content)


def _file_names(documents: Iterable[Document]) -> list[str]:
    """Return the file names of documents, without their endings.

    Raises:
        ConllError: Two of them would share a file; upper and lower case share one on some systems.
    """
    names: list[str] = []
    owners: dict[str, str] = {}
    for document in documents:
        name = file_name(document.name)
        owner = owners.setdefault(name.casefold(), document.name)
        if owner != document.name:
            problem = f"its files {name} would be those of document {owner!r}, too"
            raise refusal(document, "brat", f"{problem}; give one of them another name")
        names.append(name)
    return names


def _text_and_annotations(document: Document) -> tuple[str, str]:
    """Return the text of a document, a sentence on each line, and the lines of its annotations."""
    if document.words is None:
        raise refusal(document, "brat", "there are no words")
    text = ""
    # The first character of each word, and that of what follows the last.
    starts = [0]
    for sentence in document.words:
        if not sentence:
            # An empty line would move the words after it.
            continue
        words = [" ".join(word.split()) or "_" for word in sentence]
        text += " ".join(words) + "\n"
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
    lines = []
    mentions = 0
    for cluster in spans_of(document, "brat"):
        names = []
        for first, last in cluster:
            if last + 1 >= len(starts):
                problem = f"its mention ({first},{last}) ends after its last word"
                raise refusal(document, "brat", problem)
            mentions += 1
            name = f"T{mentions}"
            names.append(name)
            begin, end = starts[first], starts[last + 1] - 1
            shown = text[begin:end].replace("\n", " ")
            lines.append(f"{name}\tMention {begin} {end}\t{shown}\n")
        if len(names) > 1:
            lines.append(f"*\tCoref {' '.join(names)}\n")
    return text, "".join(lines)


def _changed(document: Document) -> Counter[str]:
    """Count what the files do not keep: a name that no file can have, and spaces in words."""
    words = chain.from_iterable(document.words or ())
    is_renamed = file_name(document.name) != document.name
    spaced = sum(word.split() != [word] for word in words)
    return Counter({"document name": int(is_renamed), "word| with a space": spaced})


def sniff(head: bytes) -> bool:
    """Return whether a file begins with an annotation, and holds a mention."""
    has_mention = re.search(rb"^T\d+\t\S+ \d+ ", head, re.MULTILINE) is not None
    return has_mention and re.match(rb"[TREAMN*#]\S*\t", head) is not None


FORMAT = Format(
    "brat",
    "brat's .ann files, each next to its .txt; written as a folder",
    sniff=sniff,
    open=BratSource,
    write_folder=write_folder,
    holds=Holds(
        names=False,
        ordered=False,
        pieces=False,
        syntax=False,
        label=lambda _label: False,
        field=lambda _document, _field: False,
        changed=_changed,
    ),
    beside=TEXT,
)
