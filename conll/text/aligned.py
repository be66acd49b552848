"""A response whose words are aligned to those of the key, and its mentions with them.

What was repaired is counted by kind and listed with its place, document by document
(`Document.repairs`). A document in which a model did not write the text of the key is empty.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, product
from typing import Any

from conll import joining
from conll.check import mention_beyond_key, unlike_numbers
from conll.document import Content, Document, Words
from conll.errors import ConllError, Place, Problem, pluralize
from conll.formats.corefud import ReadSyntax
from conll.io import DirectorySource
from conll.source import DerivedSource, Source, place_of
from conll.syntax import Span, Syntax, is_span
from conll.text.alignment import align, plain_word, straight, visible
from conll.text.answers import KeyText
from conll.text.characters import text_of
from conll.text.marked import (
    ZERO,
    Marked,
    MarkedContent,
    MarkedSource,
    Repairs,
    TextOrder,
    text_form,
)


def aligned_or_joined(
    key: Source,
    response: Source,
    how: str = "auto",
    *,
    exact: bool = False,
) -> Source:
    """Return the response, aligned to the key if it is a model's text or if that is asked for.

    Its documents are called as those of the key, see `conll.joining`.

    Args:
        key: The key.
        response: The response.
        how: "auto" to align only a model's text, "key" to align any response.
        exact: Whether only documents of equal names are pairs.

    Raises:
        ConllError: The documents cannot be paired.
    """
    is_asked_for = response.loose or how != "auto"
    if not is_asked_for or response.format == "memory":
        return joining.joined(key, response, exact=exact)
    return AlignedSource(key, response, exact=exact)


class AlignedSource(DerivedSource):
    """A response with the words of its key.

    Documents are paired by name, or texts of a model by their order where no name is shared.

    Args:
        key: The key, with words.
        response: The response, with words or with mentions that are text.
        exact: Pair documents of equal names alone.

    Attributes:
        response: The response, with as many documents as the key if it does not name them.

    Raises:
        ConllError: No name is shared, and the numbers of documents differ.
    """

    def __init__(self, key: Source, response: Source, *, exact: bool = False) -> None:
        super().__init__(response)
        self.reopen = response.reopen
        self._key = key
        self.response = self._source = _divided(response, len(key.names()))
        self._joining = joining.Joining()
        self._names = self._join(exact=exact)
        self.joined = self._joining.mapping

    def _join(self, *, exact: bool) -> dict[str, str]:
        """Return the name that the response gives to each document, by that of the key."""
        names, given = self._key.names(), self.response.names()
        if not (self.loose and _is_numbered(self.response)):
            by_name = joining.names_by_key(names, given, self.path)
            if not given or not by_name.keys().isdisjoint(names):
                return by_name
            # The words of two documents are compared when they are aligned.
            if exact or not self.loose:
                self._joining = joining.join_sources(
                    self._key, self.response, exact=exact, compare_words=False
                )
            else:
                self._joining = joining.join_names(names, given, lambda *_: True)
            if self._joining.pairs or not self.loose:
                return joining.own_names(self._joining, given)
        if len(given) != len(names):
            texts, documents = pluralize(len(given), "text"), pluralize(len(names), "document")
            problem = f"{texts}, and {documents} of the key"
            if not self.response.unnamed:
                problem = f"{problem} with other names"
            advice = "give one text for each, in the same order"
            raise ConllError(self.path, 0, f"{problem}; {advice}")
        return dict(zip(names, given))

    def names(self) -> list[str]:
        return list(self._names)

    def problems(self) -> list[Problem]:
        problems = [problem for problem in self.response.problems() if problem.kind != "repair"]
        return [*problems, *joining.notes_of(self._joining, self.path)]

    def read(self, name: str) -> Document | None:
        response = self.response.read(self._names[name]) if name in self._names else None
        key = self._key.read(name)
        if response is None or key is None:
            return response
        if key.words is None:
            problem = "the key has no words to which a text can be aligned; give a key with words"
            raise key.error(problem)
        are_spans = all(map(is_span, chain.from_iterable(response.clusters)))
        # A document without mentions may be null in place of a text.
        if response.words is None and are_spans and response.clusters:
            return _with_words_of(key, response, name)
        key_text = KeyText(list(chain.from_iterable(key.words)))
        text = key_text.choose(_marked(response))
        projection = Projection(key)
        repairs = list(response.repairs)
        if key_text.is_about(text):
            try:
                projection.align(text)
            except ValueError as error:
                raise ConllError(response.path, response.line, str(error), name) from None
            repairs += projection.repairs.problem(response.path, response.line, name)
        else:
            unaligned = Problem(
                response.path,
                response.line,
                name,
                f"not aligned: {key_text.fault(text)}",
                "the document is scored as empty",
                kind="unaligned",
                side="response",
            )
            repairs.append(unaligned)
        clusters = list(map(list, projection.clusters.values()))
        return Document(
            name,
            clusters,
            sum(map(len, key.words)),
            labels=list(projection.clusters),
            shares_ids=response.shares_ids,
            lines=[[response.line] * len(cluster) for cluster in clusters],
            syntax=projection.syntax(),
            path=response.path,
            line=response.line,
            content=AlignedContent(key.words, repairs, response.content.extent()),
        )

    def _place(self, name: str) -> Place:
        return place_of(self.response, self._names.get(name, ""))


def _with_words_of(key: Document, response: Document, name: str) -> Document:
    """Return a response without words, whose positions are those of the key, with its words.

    Raises:
        ConllError: The two differ in length, or a mention ends after the key.
    """
    problem = unlike_numbers(key, response) or mention_beyond_key(key, response)
    if problem is not None:
        raise problem.error()
    repairs = list(response.repairs)
    return Document(
        name,
        response.clusters,
        key.tokens,
        labels=response.labels,
        shares_ids=response.shares_ids,
        lines=response.lines,
        path=response.path,
        line=response.line,
        content=AlignedContent(key.words or [], repairs, response.content.extent()),
    )


class AlignedContent(Content):
    """The rest of an aligned document: the words of the key, and what was repaired.

    Args:
        words: The words of the key.
        repairs: What was repaired, or that the document is empty.
        extent: The size of the document of the response.
    """

    def __init__(self, words: Words, repairs: list[Problem], extent: int) -> None:
        self._words = words
        self._repairs = repairs
        self._extent = extent

    def words(self) -> Words:
        return self._words

    def repairs(self) -> list[Problem]:
        return self._repairs

    def extent(self) -> int:
        return self._extent


def _divided(response: Source, documents: int) -> Source:
    """Return a response with so many documents, or one in each file, if it does not name them."""
    if isinstance(response, MarkedSource):
        return response.divided(documents)
    if not isinstance(response, DirectorySource):
        return response
    in_each = documents if len(response.sources) == 1 else 1
    return response.with_sources([_divided(file, in_each) for file in response.sources])


def _is_numbered(response: Source) -> bool:
    """Return whether the names in a file are numbers of texts without a name."""
    files = response.files()
    return len(files) == 1 and isinstance(files[0], MarkedSource) and files[0].numbered


def _marked(document: Document) -> Marked:
    """Return the words of a document of a response and its mentions.

    Raises:
        ValueError: It has no words, and its mentions are no text.
    """
    content = document.content
    if isinstance(content, MarkedContent):
        return content.marked
    # Words that are only about those of a key were cut by a rule.
    marked = Marked(document.words, cut=content.cut_by_rule)
    for label, cluster in zip(document.ids(), document.clusters):
        for mention in cluster:
            if marked.sentences is None or is_span(mention):
                marked.mentions.append((mention, label))
            else:
                marked.repairs.note("discontinuous mention", str(mention).replace(" ", ""))
    return marked


MOST_GLUED = 4
"""The most punctuation that is cut off an end of a mention."""

LEFTOVER = re.compile(r"\]\(#|</?mention\b|</?m>|</z>|\|\[")
"""Matches what is left in a word of a tag that cannot be read."""

SYMBOLS = "#%&*@‰"
"""Characters that are punctuation to Unicode, but belong to a mention."""


def is_punctuation(letter: str) -> bool:
    """Return whether a letter is punctuation, which a model may glue to a mention."""
    category = unicodedata.category(letter)
    return letter == "`" or (category.startswith("P") and letter not in SYMBOLS)


class Projection:
    """The mentions of a text on the words of a key.

    Args:
        key: The key, with its words.

    Attributes:
        clusters: The mentions in their order, by the id of the entity.
        repairs: What was repaired.
    """

    def __init__(self, key: Document) -> None:
        self._key = key
        self._order = TextOrder(key, zeros=False)
        self.clusters: dict[str, dict[Any, None]] = {}
        self.repairs = Repairs()

    def align(self, marked: Marked) -> None:
        """Align the words of a text, and move its mentions.

        Raises:
            ValueError: There are neither words, nor mentions that are text.
        """
        self.repairs = Repairs(marked.repairs)
        if marked.sentences is None:
            self._place_strings(marked)
            return
        words = self._words_of(marked)
        if any(word.startswith(ZERO) for word in words):
            self._order = TextOrder(self._key, moved=marked.moved)
        forms = self._order.forms
        if marked.cut:
            # Words of the text end at spaces, so a form of the key with spaces is several of them.
            forms = _without_spaces(forms)
        key = [text_form(form) for form in forms]
        spans = align(key, words)
        self._note_changes(key, words, spans, is_cut=marked.cut)
        for (first, last), label in marked.mentions:
            aligned = [span for span in spans[first : last + 1] if span is not None]
            if not aligned:
                self.repairs.note("dropped mention", f"{label} at word {first + 1}")
                continue
            if marked.cut and _ends_inside(spans, first, last):
                self.repairs.note("widened mention", text_of(words[first : last + 1]), first)
            start, _ = self._without_punctuation(aligned[0])
            _, end = self._without_punctuation(aligned[-1])
            self._add(label, start, end, f"word {first + 1}")

    def _words_of(self, marked: Marked) -> list[str]:
        """Return the words of a text, in which all empty nodes begin with `##`."""
        words = [text_form(word) for word in marked.words()]
        syntax = self._key.syntax
        has_zeros = syntax is not None and bool(syntax.zeros)
        if has_zeros and not marked.moved and "_" not in self._order.forms:
            # CorefInst writes `_` for an empty node without a mention.
            words = [ZERO if word == "_" else word for word in words]
        return words

    def _add(self, label: str, first: int, last: int, location: str) -> None:
        """Add the mention between two positions of the key, once in its cluster."""
        mention = self._order.mention(first, last)
        cluster = self.clusters.setdefault(label, {})
        if mention in cluster:
            self.repairs.note("repeated mention", f"{label} at {location}")
        cluster[mention] = None

    def _without_punctuation(self, span: Span) -> Span:
        """Cut words that are only punctuation off the edges of what one word represents."""
        positions = range(span[0], span[1] + 1)
        forms = self._order.forms
        inside = [at for at in positions if not _is_only_punctuation(forms[at])]
        return (inside[0], inside[-1]) if inside else span

    def _note_changes(
        self,
        key: Sequence[str],
        words: Sequence[str],
        spans: Sequence[Span | None],
        *,
        is_cut: bool,
    ) -> None:
        """Note where the words differ.

        Args:
            key: The words of the key.
            words: The words of the text.
            spans: What each of these represents in the key.
            is_cut: Whether a rule cut the words, so that they are neither glued nor split.
        """
        covered: set[int] = set()
        shared = Counter(spans)
        for index, (word, span) in enumerate(zip(words, spans)):
            if span is None:
                kind = _addition(word)
            else:
                first, last = span
                is_glued, is_split = first < last, shared[span] > 1
                kind = None
                if not is_glued and not is_split:
                    kind = _change(key[first], word)
                elif is_glued and plain_word("".join(key[first : last + 1])) != plain_word(word):
                    # The word has not the letters of several others, but is in their place.
                    kind, last = "changed word", first
                elif is_glued and not is_cut:
                    kind = "glued word"
                elif is_split and not is_cut and first not in covered:
                    kind = "split word"
                covered.update(range(first, last + 1))
            if kind is not None:
                self.repairs.note(kind, word, index)
        for position, word in enumerate(key):
            if position not in covered:
                self.repairs.note("missing word", f"{word!r} at word {position + 1} of the key")

    def _place_strings(self, marked: Marked) -> None:
        """Place mentions that are text: the first of a text at its first place, and so on."""
        finder = _StringFinder(_without_spaces(self._order.forms))
        taken: set[tuple[str, Span]] = set()
        places_by_text: dict[str, _Places] = {}
        for text, label in marked.mentions:
            if not isinstance(text, str):
                raise ValueError("there are no words to align; give a response with words")
            if text not in places_by_text:
                places_by_text[text] = finder.find(text)
            places = places_by_text[text]
            # The first place left that no mention with the same letters has.
            for first, last in places.spans:
                if (places.letters, (first, last)) not in taken:
                    taken.add((places.letters, (first, last)))
                    for kind in places.changes:
                        self.repairs.note(kind, repr(text))
                    self._add(label, first, last, f"word {first + 1}")
                    break
            else:
                self.repairs.note("unplaced mention", f"{text!r} of {label}")

    def syntax(self) -> Syntax | None:
        """Return the empty nodes of the key, and the heads of the mentions by its dependencies.

        A mention that the key has, too, has the head that the key gives it.
        """
        syntax = self._key.syntax
        if syntax is None:
            return None
        mentions = set(chain.from_iterable(self.clusters.values()))
        known = syntax.heads.items()
        heads = {mention: head for mention, head in known if mention in mentions}
        if isinstance(syntax, ReadSyntax):
            heads |= syntax.outermost(mentions - heads.keys())
        return Syntax(syntax.starts, syntax.zeros, heads)


def _ends_inside(spans: Sequence[Span | None], first: int, last: int) -> bool:
    """Return whether a mention begins or ends inside a word of the key, shared with a neighbour."""
    for inner, outer in ((first, first - 1), (last, last + 1)):
        span, other = spans[inner], spans[outer] if 0 <= outer < len(spans) else None
        if span and other and max(span[0], other[0]) <= min(span[1], other[1]):
            return True
    return False


def _without_spaces(forms: Iterable[str]) -> list[str]:
    """Return the forms of words without the spaces inside some of them."""
    return ["".join(form.split()) for form in forms]


def _is_only_punctuation(form: str) -> bool:
    return all(map(is_punctuation, form))


def _addition(word: str) -> str | None:
    """Return the kind of a word of a text that the key does not have; None if it is invisible."""
    if not visible(word):
        return None
    return "unreadable tag" if LEFTOVER.search(word) else "added word"


def _change(form: str, word: str) -> str | None:
    """Return how a word of a text differs from the one of the key; None where it looks the same."""
    form, word = visible(form), visible(word)
    if word == form:
        return None
    if word.casefold() == form.casefold():
        return "case change"
    return "unreadable tag" if LEFTOVER.search(word) else "changed word"


class _Places:
    """The places of a text in a key.

    Args:
        letters: The letters of the text, as they are compared.
        spans: The first and last word of each place, in their order.
        changes: The kinds of differences between the text and the key.
    """

    def __init__(self, letters: str, spans: Iterator[Span], changes: list[str]) -> None:
        self.letters, self.spans, self.changes = letters, spans, changes


class _StringFinder:
    """Finds texts among the words of a key, whatever spaces are between them.

    Args:
        forms: The words of the key.
    """

    def __init__(self, forms: list[str]) -> None:
        self._forms = forms
        # A text is looked for as it is, then without regard to what is not seen, quotes, and case.
        self._views: list[tuple[_Letters, list[str]]] = [
            (_Letters(forms, str), []),
            (_Letters(forms, visible), []),
            (_Letters(forms, straight), ["changed word"]),
            (_Letters(forms, plain_word), ["case change"]),
        ]

    def find(self, text: str) -> _Places:
        """Return the places of a text, without punctuation glued to it if it is found like that."""
        words = text.split()
        for bare in _with_less_punctuation(words):
            places = self._find(bare)
            if places is not None and not self._ends_in_punctuation(bare):
                if bare != words:
                    places.changes.append("glued word")
                return places
        # Without punctuation it is not found, or only at punctuation of the key.
        return self._find(words) or _Places("", iter(()), [])

    def _find(self, words: Sequence[str]) -> _Places | None:
        for view, changes in self._views:
            if next(view.spans(words), None) is not None:
                letters = "".join(map(plain_word, words))
                return _Places(letters, view.spans(words), list(changes))
        return None

    def _ends_in_punctuation(self, words: Sequence[str]) -> bool:
        """Return whether the first place of words begins or ends with punctuation alone."""
        for view, _ in self._views:
            first_place = next(view.spans(words), None)
            if first_place is not None:
                return any(_is_only_punctuation(self._forms[edge]) for edge in first_place)
        return False


class _Letters:
    """The letters of all words of a key, without spaces.

    Args:
        forms: The words.
        view: Turns a word into the letters that are compared.
    """

    def __init__(self, forms: Iterable[str], view: Callable[[str], str]) -> None:
        self._view = view
        viewed = [view(form) for form in forms]
        self._letters = "".join(viewed)
        # The words by the first of their letters.
        starts = accumulate(map(len, viewed), initial=0)
        self._words = {start: word for word, start in enumerate(starts)}

    def spans(self, words: Iterable[str]) -> Iterator[Span]:
        """Yield the first and last word of each place where the key has these letters."""
        letters = "".join(map(self._view, words))
        start = self._letters.find(letters) if letters else -1
        while start >= 0:
            end = start + len(letters)
            if start in self._words and end in self._words:
                yield self._words[start], self._words[end] - 1
            start = self._letters.find(letters, start + 1)


def _with_less_punctuation(words: list[str]) -> Iterator[list[str]]:
    """Yield the words of a text with less and less punctuation glued to its ends.

    Words that are only punctuation are left.

    Examples:
        >>> [*_with_less_punctuation(["(the", "dog"])], [*_with_less_punctuation(["dog", "."])]
        ([['(the', 'dog'], ['the', 'dog']], [['dog', '.']])
    """
    yield words
    text = " ".join(words)
    before = _amount_of_punctuation(text)
    after = _amount_of_punctuation(text[::-1])
    cuts = sorted(product(range(before + 1), range(after + 1)), key=sum)
    for start, end in cuts[1:]:
        yield text[start : len(text) - end].split()


def _amount_of_punctuation(letters: str) -> int:
    """Return how much punctuation is glued to the beginning of some letters."""
    for amount, letter in enumerate(letters):
        if letter.isspace():
            # The punctuation is a word of its own.
            return 0
        if not is_punctuation(letter):
            return min(amount, MOST_GLUED)
    return 0
