"""A response whose words are aligned to those of the key, and its mentions with them.

A mention covers the first to the last word of the key that is aligned inside it. What was repaired
is counted by kind and listed with its place, document by document (`AlignedSource.repairs`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import Any

from conll.alignment import align, plain_word
from conll.document import Document, Words
from conll.errors import ConllError, Problem, pluralize
from conll.formats._text import clean
from conll.formats.corefud import ReadSyntax
from conll.io import DirectorySource
from conll.joining import Joining, join_names, join_sources, joined, notes_of, own_names
from conll.marked import (
    ZERO,
    Marked,
    MarkedSource,
    Repairs,
    Span,
    TextOrder,
    document_of,
    file_name,
    text_form,
)
from conll.source import Source
from conll.syntax import Syntax, is_span


def aligned(
    key: Source,
    response: Source,
    how: str = "auto",
    repair: str = "align",
    *,
    exact: bool = False,
) -> Source:
    """Return the response, aligned to the key if it is a model's text or if that is asked for.

    Its documents are called as those of the key, see `conll.joining`.

    Args:
        key: The key.
        response: The response.
        how: "auto" (a model's text), "key" (any response), or "force" (any, however few words are
            aligned).
        repair: "align", or "crac" for what the track's own tool makes of CRAC text.
        exact: Whether only documents of equal names are pairs.

    Raises:
        ConllError: The documents cannot be paired, or the response is not text of CRAC.
    """
    if not (response.loose or how != "auto") or response.format == "memory":
        return joined(key, response, exact=exact)
    return AlignedSource(key, response, force=how == "force", tool=repair == "crac", exact=exact)


class AlignedSource(Source):
    """A response with the words of its key.

    Documents are paired by name, or texts of a model by their order where no name is shared.

    Args:
        key: The key, with words.
        response: The response, with words or with mentions that are text.
        force: Take a response though under half of the key's words are aligned.
        tool: Repair as the tool of the CRAC track does.
        exact: Pair documents of equal names alone.

    Raises:
        ConllError: No name is shared, and the numbers of documents differ.
    """

    def __init__(
        self,
        key: Source,
        response: Source,
        *,
        force: bool = False,
        tool: bool = False,
        exact: bool = False,
    ) -> None:
        self.path, self.size, self.format = response.path, response.size, response.format
        self.loose = response.loose
        self.content, self.odd, self.reopen = response.content, response.odd, response.reopen
        self._key, self.response, self._force, self._tool = key, response, force, tool
        if tool and response.format != "crac":
            problem = f"--repair crac repairs CRAC text, and this is {response.format}"
            raise ConllError(self.path, 0, f"{problem}; leave it out")
        names = key.names()
        files = getattr(response, "sources", [response])
        if all(isinstance(file, MarkedSource) for file in files) and len(files) in (1, len(names)):
            for file in files:
                file.split(len(names) // len(files))
            if len(files) > 1:
                self.response = response = DirectorySource(response.path, files)
        self._joining = Joining()
        is_numbered = len(files) == 1 and getattr(files[0], "numbered", False)
        self._names = self._join(is_numbered=is_numbered, exact=exact)
        self.joined = self._joining.mapping
        self._repairs: dict[str, list[Problem]] = {}

    def _join(self, *, is_numbered: bool, exact: bool) -> dict[str, str]:
        """Return the name that the response gives to each document, by that of the key.

        `is_numbered`: whether its names are numbers of texts without a name.
        """
        names, given = self._key.names(), self.response.names()
        if not (self.loose and is_numbered):
            by_name = _by_name(names, given, self.path)
            if not given or not by_name.keys().isdisjoint(names):
                return by_name
            # Whether the words of two documents agree shows when they are aligned.
            if exact or not self.loose:
                self._joining = join_sources(
                    self._key, self.response, exact=exact, compare_words=False
                )
            else:
                self._joining = join_names(names, given, lambda *_: True)
            if self._joining.pairs or not self.loose:
                return own_names(self._joining, given)
        if len(given) != len(names):
            texts, documents = pluralize(len(given), "text"), pluralize(len(names), "document")
            problem = f"{texts}, and {documents} of the key with other names"
            advice = "give one text for each, in the same order"
            raise ConllError(self.path, 0, f"{problem}; {advice}")
        return dict(zip(names, given))

    def names(self) -> list[str]:
        return list(self._names)

    def line_of(self, name: str) -> int:
        return self.response.line_of(self._names.get(name, ""))

    def words(self, name: str) -> Words | None:
        return self._key.words(name) if name in self._names else None

    def extent(self, name: str) -> int:
        return self.response.extent(self._names.get(name, ""))

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        return self.response.contents()

    def problems(self) -> list[Problem]:
        problems = [problem for problem in self.response.problems() if problem.kind != "repair"]
        return [*problems, *notes_of(self._joining, self.path)]

    def repairs(self, name: str) -> list[Problem]:
        """Return what was repaired in a document, once it has been read."""
        of_reading = self.response.repairs(self._names.get(name, ""))
        return [*of_reading, *self._repairs.get(name, [])]

    def document(self, name: str) -> Document | None:
        response = self.response.document(self._names[name]) if name in self._names else None
        key = self._key.document(name)
        if response is None or key is None:
            return response
        key.words = self._key.words(name)
        if key.words is None:
            problem = "the key has no words to which a text can be aligned; give a key with words"
            raise key.error(problem)
        holder = self.response.file_of(self._names[name])
        projection = _Projection(key)
        try:
            if self._tool and isinstance(holder, MarkedSource):
                projection.as_tool(holder.marked(response.name).raw)
            else:
                projection.align(_marked(holder, response), force=self._force)
        except ValueError as error:
            raise ConllError(response.path, response.line, str(error), document=name) from None
        self._repairs[name] = projection.repairs.problem(response.path, response.line, name)
        clusters = {label: [*cluster] for label, cluster in projection.clusters.items()}
        words = sum(map(len, key.words))
        place = response.path, response.line
        return document_of(name, clusters, words, *place, projection.syntax())


def _by_name(names: Sequence[str], given: Sequence[str], path: str) -> dict[str, str]:
    """Return the name that the key has for each document of a response, and the response's own.

    A document of the response has the same name or, as a file, that which `file_name` makes of it.

    Raises:
        ConllError: The file name of a response is that of two documents.
    """
    known = {*names}
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_file[file_name(name)].append(name)
    by_name = {name: name for name in given}
    for name in given:
        documents = [] if name in known else by_file[name]
        if len(documents) > 1:
            shown = " and ".join(map(repr, documents))
            problem = f"the file name {name!r} may stand for each of the documents {shown}"
            advice = f'write lines such as {{"doc_key": "{documents[0]}", "output": "…"}}'
            raise ConllError(path, 0, f"{problem}; {advice}, and name the format")
        if documents and documents[0] not in by_name:
            by_name[documents[0]] = by_name.pop(name)
    return by_name


def _marked(source: Source, document: Document) -> Marked:
    """Return the words of a response and its mentions.

    Raises:
        ValueError: It has no words, and its mentions are no text.
    """
    if isinstance(source, MarkedSource):
        return source.marked(document.name)
    # Words that are only about those of a key were cut by a rule.
    marked = Marked(source.words(document.name), cut=source.loose)
    for label, cluster in zip(document.ids(), document.clusters):
        for mention in cluster:
            if marked.sentences is None or is_span(mention):
                marked.mentions.append((mention, label))
            else:
                marked.repairs.note("discontinuous mention", str(mention).replace(" ", ""))
    return marked


class _Projection:
    """The mentions of a response on the words of a key.

    Attributes: `clusters` of mentions, in order, by the id of the entity; `repairs` as in `Marked`.
    """

    def __init__(self, key: Document) -> None:
        self._key = key
        self._starts = [0, *accumulate(map(len, (key.words or [])[:-1]))]
        self._order = TextOrder(key, zeros=False)
        self._added: dict[str, str] = {}
        self.clusters: dict[str, dict[Any, None]] = {}
        self.repairs = Repairs()

    def align(self, marked: Marked, *, force: bool) -> None:
        """Align a text, and move its mentions.

        Raises:
            ValueError: There are no words, or under half of the key's are aligned, unforced.
        """
        self.repairs = Repairs({kind: [*places] for kind, places in marked.repairs.items()})
        if marked.sentences is None:
            self._find_strings(marked)
            return
        words = [*map(text_form, chain(*marked.sentences))]
        syntax = self._key.syntax
        if not marked.moved and syntax and syntax.zeros and "_" not in self._order.forms:
            # CorefInst writes an empty node without a mention like that.
            words = [ZERO if word == "_" else word for word in words]
        if any(word.startswith(ZERO) for word in words):
            self._order = TextOrder(self._key, moved=marked.moved)
        key = [*map(text_form, self._order.forms)]
        if marked.cut:
            # Words of the text end at spaces, so these are between several words of it.
            key = ["".join(form.split()) or "_" for form in self._order.forms]
        spans = align(key, words)
        alike = self._compare(spans, key, words, marked)
        if 2 * alike < len(key) and words and not force:
            problem = f"only {alike} of {pluralize(len(key), 'word')} of the key are found"
            advice = "see whether it is of this document, or score it all the same by --force"
            raise ValueError(f"{problem} in the text; {advice}")
        edges = [None if span is None else self._without_punctuation(span) for span in spans]
        for (first, last), label in marked.mentions:
            inside = [span for span in edges[first : last + 1] if span is not None]
            if not inside:
                self.repairs.note("dropped mention", f"{label} at word {first + 1}")
                continue
            if marked.cut and _ends_inside(spans, first, last):
                self.repairs.note("widened mention", f"{label} at word {first + 1}")
            self._add(label, inside[0][0], inside[-1][1], f"word {first + 1}")

    def _add(self, label: str, first: int, last: int, place: str) -> None:
        """Add the mention between two places of the key, once in its cluster."""
        mention = self._order.mention(first, last)
        cluster = self.clusters.setdefault(label, {})
        if mention in cluster:
            self.repairs.note("repeated mention", f"{label} at {place}")
        cluster[mention] = None

    def _without_punctuation(self, span: Span) -> Span:
        """Cut words that are only punctuation off the edges of what one word stands for."""
        places = range(span[0], span[1] + 1)
        inside = [at for at in places if any(map(str.isalnum, self._order.forms[at]))]
        return (inside[0], inside[-1]) if inside else span

    def _compare(
        self,
        spans: Sequence[Span | None],
        key: Sequence[str],
        words: Sequence[str],
        marked: Marked,
    ) -> int:
        """Note where the words differ, and return how many of the key's are in the text."""
        covered: set[int] = set()
        shared = Counter(spans)
        alike = 0
        for place, (span, word) in enumerate(zip(spans, words)):
            if span is None:
                self.repairs.note("added word", word, place)
                continue
            first, last = span
            is_new = first not in covered
            covered.update(range(first, last + 1))
            is_changed = False
            if first < last or shared[span] > 1:
                if not marked.cut and (first < last or is_new):
                    kind = "glued word" if first < last else "split word"
                    self.repairs.note(kind, word, place)
            elif word != (form := key[first]):
                is_case = word.casefold() == form.casefold()
                self.repairs.note("case change" if is_case else "changed word", word, place)
                is_changed = not is_case and plain_word(word) != plain_word(form)
            alike += last + 1 - first if is_new and not is_changed else 0
        for place in range(len(key)):
            if place not in covered:
                self.repairs.note("missing word", f"{key[place]!r} at word {place + 1} of the key")
        return alike

    def _find_strings(self, marked: Marked) -> None:
        """Place mentions that are text: the first of a text at its first place, and so on."""
        forms = ["".join(form.split()) for form in self._order.forms]
        starts = [0, *accumulate(map(len, forms))]
        at = {start: word for word, start in enumerate(starts)}
        exact = "".join(forms)
        lower = exact.lower() if len(exact.lower()) == len(exact) else exact
        taken: set[tuple[str, Span]] = set()
        places: dict[str, Iterator[Span]] = {}
        for text, label in marked.mentions:
            if not isinstance(text, str):
                raise ValueError("there are no words to align; give a response with words")
            joined = "".join(text.split())
            if joined not in places:
                is_exact = next(_occurrences(joined, exact, at), None) is not None
                letters, forms_joined = (joined, exact) if is_exact else (joined.lower(), lower)
                places[joined] = _occurrences(letters, forms_joined, at)
            free = (span for span in places[joined] if (joined.lower(), span) not in taken)
            span = next(free, None)
            if span is None:
                self.repairs.note("unplaced mention", f"{text!r} of {label}")
                continue
            taken.add((joined.lower(), span))
            first, last = span
            if "".join(forms[first : last + 1]) != joined:
                self.repairs.note("case change", repr(text))
            self._add(label, first, last, f"word {first + 1}")

    def as_tool(self, text: str) -> None:
        """Take the mentions that the tool of the CRAC track makes of a text."""
        if f" {ZERO}" in f" {text}":
            self._order = TextOrder(self._key)
        order = self._order
        firsts = {order.places[word] for word in self._starts if word in order.places}
        opened: dict[str, list[Any]] = {}
        word, number = -1, 0
        for place, tags in clean(text, order.forms, firsts):
            if place is None:
                number += 1
                token: Any = self._new_zero(order.tokens[word] if word >= 0 else 0, number)
            else:
                token = word = place
            if place in firsts:
                opened = {}
            for tag in tags:
                label = tag.strip("[]")
                if tag[0] == "[" and tag[-1] != "]":
                    opened.setdefault(label, []).append(token)
                    continue
                first = token if tag[0] == "[" else opened[label].pop()
                if isinstance(token, str) or isinstance(first, str):
                    self.clusters.setdefault(label, {})[(token,)] = None
                else:
                    self._add(label, first, token, f"word {token + 1} of the key")

    def _new_zero(self, word: Any, number: int) -> str:
        """Add an empty node as a child of a word of the key."""
        word = word if isinstance(word, int) else 0
        sentence = max(at for at, start in enumerate(self._starts) if start <= word)
        ident = word - self._starts[sentence] + 1
        zero = f"{sentence}:{ident}.{900 + number}"
        self._added[zero] = f"{ident}:_"
        return zero

    def syntax(self) -> Syntax | None:
        """Return the empty nodes of the key, and the heads of the mentions by its dependencies.

        A mention that the key has, too, has the head that the key gives it.
        """
        syntax = self._key.syntax
        if syntax is None and not self._added:
            return None
        starts = syntax.starts if syntax else self._starts
        zeros = {**(syntax.zeros if syntax else {}), **self._added}
        mentions = {*chain.from_iterable(self.clusters.values())}
        heads = {m: head for m, head in (syntax.heads if syntax else {}).items() if m in mentions}
        if isinstance(syntax, ReadSyntax):
            others = {m for m in mentions - heads.keys() if self._added.keys().isdisjoint(m)}
            heads |= syntax.outermost(others)
        return Syntax(starts, zeros, heads)


def _ends_inside(spans: Sequence[Span | None], first: int, last: int) -> bool:
    """Return whether a mention begins or ends inside a word of the key, which its neighbour shares."""
    for inner, outer in ((first, first - 1), (last, last + 1)):
        span = spans[inner]
        if 0 <= outer < len(spans) and span is not None and spans[outer] == span:
            return True
    return False


def _occurrences(letters: str, text: str, words: dict[int, int]) -> Iterator[Span]:
    """Yield where letters occur as whole words; `words` has the word that begins at each place."""
    at = text.find(letters) if letters else -1
    while at >= 0:
        if at in words and at + len(letters) in words:
            yield words[at], words[at + len(letters)] - 1
        at = text.find(letters, at + 1)
