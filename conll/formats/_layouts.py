"""Layouts of JSON with clusters, each a row of a table: where it has what, and how it counts.

A document in one of them is read as a text with mentions, whose tokens are counted from 0 in the
document, both ends inclusive. Where several layouts fit, the first row counts; our own objects,
with words and clusters, are none of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from reprlib import repr as shown
from typing import Any

from conll.document import Words
from conll.errors import pluralize
from conll.text.json_values import is_list_of, name_in
from conll.text.marked import Marked

NO_CHAIN = ("-", "", None)
"""What is in place of the id of a chain where there is none."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The places of words, clusters and mentions in a layout of JSON.

    A path such as `a.b` leads to field b of field a; if a is a list, to the items of all its b.

    Attributes:
        title: What writes it.
        needs: The fields that show it.
        words: The path of the sentences, or of the words if there are no sentences; empty where
            there are no words.
        sentence: The path from a sentence, if it is an object, to its words.
        word: The field with the text of a word that is an object; empty where words are text.
        numbers: The field with the sentence of each word, which may be missing.
        clusters: The path of the clusters; in a list of mentions, the fields with the id of the
            chain in a key and in a response.
        ids: The pattern of the ids of clusters, next to which there may be something else.
        mention: The parts of a mention, the last two of which are its start and end, and the one
            before its sentence; for mentions that are objects, the fields with these.
        texts: The field with the text of each mention, which may be missing.
        name: The field with the name of a document; empty for those of our own objects.
        base: The number of the first token.
        exclusive: Whether the end of a mention is the token after its last.
        subtokens: The path of the word of each subtoken, if mentions are counted in subtokens.
        characters: Whether mentions and words are counted in characters of the field `text`.
        alone: Names that are no chain, so that each of their mentions is alone; where there are
            such, mentions are listed by sentence, and each ends with the names of its chain.
        documents: The path of the documents in a file; empty where an object is one.
        begins: How a file of this layout begins, if a file is read as a whole.
    """

    title: str
    needs: str
    words: str = ""
    sentence: str = ""
    word: str = ""
    numbers: str = ""
    clusters: str = "clusters"
    ids: str = ".*"
    mention: str = "start end"
    texts: str = ""
    name: str = ""
    base: int = 0
    exclusive: bool = False
    subtokens: str = ""
    characters: bool = False
    alone: tuple[str, ...] = ()
    documents: str = ""
    begins: str = ""

    def counting(self) -> str:
        """Say how tokens are counted, for messages."""
        ends = "exclusive" if self.exclusive else "inclusive"
        return f"tokens are counted from {self.base} and ends are {ends}"

    @property
    def recounts(self) -> bool:
        """True if mentions are counted otherwise than in our own objects."""
        return self.clusters != Layout.clusters


CRAC = Layout(
    title="CRAC, Maverick",
    needs="tokens clusters_token_offsets",
    words="tokens",
    clusters="clusters_token_offsets",
    texts="clusters_text_mentions",
)
"""The layout of `crac_json`."""

OBJECTS = (
    Layout(title="wl-coref", needs="cased_words", words="cased_words", numbers="sent_id",
           exclusive=True),
    Layout(title="wl-coref without words", needs="span_clusters", exclusive=True),
    Layout(title="AllenNLP", needs="document clusters", words="document"),
    Layout(title="PreCo", needs="sentences mention_clusters", words="sentences",
           clusters="mention_clusters", mention="sentence start end", name="id", exclusive=True),
    Layout(title="Stanford CoreNLP", needs="sentences corefs", words="sentences",
           sentence="tokens", word="word", clusters="corefs",
           mention="sentNum startIndex endIndex", name="docId", base=1,
           exclusive=True),
    Layout(title="coref-data", needs="sentences coref_chains", words="sentences",
           sentence="tokens", word="text", clusters="coref_chains",
           mention="sentence start end", name="id"),
    Layout(title="ELIT", needs="sens coref", words="sens", sentence="tok", clusters="coref",
           mention="sentence start end", exclusive=True),
    Layout(title="ELIT 2", needs="tokens dcr", words="tokens", clusters="dcr",
           mention="sentence start end", exclusive=True),
    Layout(title="spaCy's Doc.to_json()", needs="text tokens spans", words="tokens",
           clusters="spans", ids=r"coref_clusters_\d+", mention="start end",
           exclusive=True, characters=True),
    Layout(title="fast-coref", needs="tokenized_doc subtoken_idx_clusters",
           words="tokenized_doc.orig_tokens", clusters="subtoken_idx_clusters",
           subtokens="tokenized_doc.subtoken_map"),
    CRAC,
)  # fmt: skip
"""Layouts of which an object is a document."""

FILES = (
    Layout(title="Friends", needs="episodes scenes", begins="{", documents="episodes.scenes",
           name="scene_id", words="utterances.tokens", clusters="utterances.character_entities",
           mention="start end", exclusive=True, alone=("#GENERAL#", "#OTHER#")),
    Layout(title="Stanza", needs="id text", begins="[[{", words="text", clusters="coref_chains",
           mention="is_start is_end"),
    Layout(title="list of mentions: uCDCR", needs="conll_doc_key coref_chain tokens_number",
           begins="[{", name="conll_doc_key", clusters="coref_chain predicted_coref_chain",
           mention="sent_id tokens_number"),
    Layout(title="list of mentions: WEC", begins="[{", name="doc_id",
           needs="mention_context mention_id doc_id coref_chain tokens_number",
           clusters="coref_chain predicted_coref_chain",
           mention="mention_id tokens_number"),
    Layout(title="list of mentions: ECB+", needs="doc_id coref_chain sent_id tokens_number",
           begins="[{", name="doc_id", clusters="coref_chain predicted_coref_chain",
           mention="sent_id tokens_number"),
    Layout(title="list of mentions: Cattan et al.", needs="doc_id cluster_id tokens_ids",
           begins="[{", name="doc_id", clusters="cluster_id", mention="tokens_ids", base=1),
)  # fmt: skip
"""Layouts of which a file is read as a whole."""

UNREAD = {
    "representative mentions": "`mentions` count words within sentences, and the file has no "
    "words; write the Document of Stanza with CoNLL.write_doc2conll",
    "ocr": "`ocr` counts words over turns that are not in the file; write `dcr`, which is read",
    "coref_chain": "the mention has no place that is known; it needs doc_id, sent_id and "
    "tokens_number",
}
"""Fields that show a layout that is not read, and why, with what is read in its place."""

_NOT_COMPARED = str.maketrans("", "", "#_ ")


def layout_of(value: dict[str, Any]) -> Layout | None:
    """Return the layout of an object that is a document; None for our own, and for all others."""
    words = value.get("sentences", value.get("tokens"))
    is_own = type(words) is list and not {"clusters", "predicted_clusters"}.isdisjoint(value)
    for layout in OBJECTS:
        field = layout.words.partition(".")[0]
        if is_own and field:
            continue
        if value.keys() >= set(layout.needs.split()) and type(value.get(field, [])) in (list, dict):
            return layout
    return None


def refusal_of(value: dict[str, Any]) -> str:
    """Return why an object of a known layout is not read; empty for any other."""
    for fields, problem in UNREAD.items():
        if value.keys() >= set(fields.split()):
            return problem
    return ""


def layout_of_file(head: bytes) -> Layout | None:
    """Return the layout of a file that is read as a whole, by its beginning."""
    beginning = b"".join(head[:200].split())
    for layout in FILES:
        fields = [f'"{field}"'.encode() for field in layout.needs.split()]
        if beginning.startswith(layout.begins.encode()) and all(map(head.__contains__, fields)):
            return layout
    return None


def at(value: Any, path: str) -> Any:
    """Return what a path of a layout leads to."""
    for field in path.split("."):
        if type(value) is list:
            value = list(chain.from_iterable(item[field] for item in value))
        else:
            value = value[field]
    return value


def _words(value: Any, layout: Layout) -> Words:
    """Return the words of a document, by sentence."""
    words = at(value, layout.words)
    numbers = value.get(layout.numbers)
    if numbers is not None:
        if type(numbers) is not list or len(numbers) != len(words):
            problem = f"must be a list with the sentence of each of the {layout.words}"
            raise ValueError(f"{layout.numbers} {problem}")
        groups = groupby(zip(numbers, words), key=itemgetter(0))
        words = [[word for _, word in group] for _, group in groups]
    if layout.sentence:
        words = [sentence[layout.sentence] for sentence in words]
    sentences: list[list[Any]] = words if words and is_list_of(words, list) else [words]
    if layout.characters:
        text = value["text"]
        return [[text[token["start"] : token["end"]] for token in sentences[0]]]
    if layout.word:
        sentences = [[word[layout.word] for word in words] for words in sentences]
    for text in chain.from_iterable(sentences):
        if type(text) is not str:
            raise ValueError(f"a word is {shown(text)}; write it between quotes")
    return sentences


def _units(value: Any, layout: Layout, sentences: Words) -> tuple[list[Any], list[Any]]:
    """Return the words that begin with the tokens of each sentence, and those that end with them.

    All of a document is one sentence if tokens are counted in it.
    """
    if layout.characters:
        tokens = list(enumerate(value[layout.words]))
        firsts = {token["start"]: number for number, token in tokens}
        lasts = {token["end"] - 1: number for number, token in tokens}
        return [firsts], [lasts]
    starts = [0, *accumulate(map(len, sentences))]
    units: list[Any] = [range(start, end) for start, end in pairwise(starts)]
    if layout.subtokens:
        units = [at(value, layout.subtokens)]
    elif len(layout.mention.split()) == 2 and not layout.alone:
        units = [range(starts[-1])]
    return units, units


def read(value: Any, layout: Layout, *, lenient: bool = False) -> Marked:
    """Read a document.

    Args:
        value: The document.
        layout: Its layout.
        lenient: Whether mentions outside of the document are left out, as repairs.

    Raises:
        ValueError: A mention is none of the document, or a word is no text.
        LookupError, TypeError, AttributeError: The document has another shape.
    """
    marked = Marked(_words(value, layout), name_in(value, layout.name) if layout.name else None)
    words = marked.words()
    firsts, lasts = _units(value, layout, marked.sentences or [])
    groups = at(value, layout.clusters) or []
    texts = value.get(layout.texts) or []
    for label, mentions in groups.items() if type(groups) is dict else enumerate(groups):
        if not re.fullmatch(layout.ids, str(label)):
            continue
        texts_here = texts[label] if texts and label < len(texts) else []
        for number, written in enumerate(mentions):
            (sentence, start, end), names = _parts(written, layout)
            chain_id = str(label)
            if layout.alone:
                sentence, chain_id = label, _chain_of(names, layout, f"{label}/{number}")
            name = f"{shown(written)} of cluster {label}"
            try:
                if sentence < 0 or not 0 <= start <= end:
                    raise IndexError
                span = firsts[sentence][start], lasts[sentence][end]
            except LookupError:
                if lenient:
                    marked.repairs.note("impossible offset", name)
                    continue
                problem = f"mention {name} is none of the document"
                raise ValueError(f"{problem}; {layout.counting()}") from None
            marked.mentions.append((span, chain_id))
            if number < len(texts_here) and not _covers(words, span, texts_here[number]):
                marked.repairs.note("mismatched mention", name)
    return marked


def _covers(words: Sequence[str], span: tuple[int, int], text: str) -> bool:
    """Return whether the words of a span spell a text."""
    covered = "".join(words[span[0] : span[1] + 1])
    return text.translate(_NOT_COMPARED) == covered.translate(_NOT_COMPARED)


def _parts(written: Any, layout: Layout) -> tuple[tuple[int, int, int], list[str]]:
    """Return sentence, start and inclusive end of a mention, from 0, and the texts after them.

    Raises:
        ValueError: It has another shape.
    """
    fields = layout.mention.split()
    numbers, rest = written, []
    if type(written) is dict:
        numbers = [written[field] for field in fields]
    elif type(written) is list:
        numbers, rest = written[: len(fields)], written[len(fields) :]
    if not is_list_of(numbers, int) or len(numbers) < len(fields) or not is_list_of(rest, str):
        raise ValueError(f"mention {shown(written)} is not {', '.join(fields)} as whole numbers")
    *sentence, start, end = (number - layout.base for number in numbers)
    return (sentence[0] if sentence else 0, start, end - layout.exclusive), rest


def _chain_of(names: list[str], layout: Layout, place: str) -> str:
    """Return the id of the chain of a mention with these names; its place if they are no chain."""
    if not names or not set(names).isdisjoint(layout.alone):
        return f"alone at {place}"
    return names[0] if len(names) == 1 else str(sorted(names))


def own_object(value: dict[str, Any], layout: Layout) -> dict[str, Any]:
    """Return a document as our own object; its clusters stay as they are if these are ours.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: As `read`.
    """
    used = {layout.name, layout.numbers, layout.texts}
    used |= {path.partition(".")[0] for path in (layout.words, layout.subtokens)}
    own = {field: content for field, content in value.items() if field not in used}
    if layout.words:
        own["sentences"] = _words(value, layout)
    if layout.recounts:
        clusters: dict[str, list[list[int]]] = {}
        for span, label in read(value, layout).mentions:
            clusters.setdefault(label, []).append([*span])
        del own[layout.clusters]
        own["clusters"] = list(clusters.values())
    return own


def read_file(value: Any, layout: Layout, *, response: bool = False) -> Iterator[Marked]:
    """Read the documents of a file that is read as a whole.

    Args:
        value: The content of the file.
        layout: Its layout.
        response: Whether the chains that a system predicted are read.
    """
    if layout.documents:
        for document in at(value, layout.documents):
            yield read(document, layout)
    elif layout.begins == "[[{":
        yield _read_marks(value)
    else:
        yield _read_list(value, layout, response=response)


def _read_marks(sentences: Any) -> Marked:
    """Read a document of Stanza, in which each word has marks of the mentions that hold it.

    Raises:
        ValueError: A mention ends where none is open, or does not end in its sentence.
    """
    words: Words = []
    marked = Marked(words)
    start = 0
    for number, sentence in enumerate(sentences, 1):
        words.append([])
        opened: dict[Any, list[int]] = {}
        words_ahead = [*sentence[1:], {}]
        for word, following in zip(sentence, words_ahead):
            if type(word["id"]) is list and word["id"][0] == following.get("id"):
                # The token of several words, which follow.
                continue
            here = start + len(words[-1])
            words[-1].append(word["text"])
            # A mention ends before another one of its chain begins.
            marks = word.get("coref_chains") or []
            for mark in sorted(marks, key=lambda mark: mark.get("is_start", False)):
                label = mark["index"]
                open_here = opened.setdefault(label, [])
                if mark.get("is_start"):
                    open_here.append(here)
                if mark.get("is_end"):
                    if not open_here:
                        problem = f"ends in sentence {number} and does not begin there"
                        raise ValueError(f"a mention of chain {label} {problem}")
                    marked.mentions.append(((open_here.pop(), here), str(label)))
        for label, open_here in opened.items():
            if open_here:
                problem = f"begins in sentence {number} and does not end there"
                raise ValueError(f"a mention of chain {label} {problem}")
        start += len(words[-1])
    return marked


def _read_list(mentions: Any, layout: Layout, *, response: bool) -> Marked:
    """Read a list of mentions, whose chains may cross documents: each mention is where it is.

    Raises:
        ValueError: A mention has another shape.
    """
    field, *predicted = layout.clusters.split()
    if response and predicted:
        [field] = predicted
    *fields, tokens_field = layout.mention.split()
    marked = Marked()
    unlinked = 0
    for mention in mentions:
        if mention[field] in NO_CHAIN:
            unlinked += 1
            continue
        where = [mention[layout.name], *(mention[own] for own in fields)]
        tokens = mention[tokens_field]
        if not is_list_of([*where, mention[field]], str, int) or not is_list_of(tokens, int):
            needed = ", ".join([layout.name, *fields, field])
            raise ValueError(
                f"mention {shown(mention)} needs text or whole numbers in {needed}, and a list of "
                f"whole numbers in {tokens_field}"
            )
        places = sorted(token - layout.base for token in tokens)
        marked.mentions.append(((*where, *places), str(mention[field])))
    if unlinked:
        left_out = pluralize(unlinked, "mention")
        marked.notes.append(f"{left_out} have no chain in {field} and are left out")
    return marked
