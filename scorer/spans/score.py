"""Score the spans of a response: strictly and leniently, or with the reports of MUC-7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial as bound
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from conll.check import missing, to_tell
from conll.document import ETYPE, Document, Layers
from conll.errors import ConllError, NoClustersError, Problem, distinct
from conll.formats.conll2012 import files_of
from conll.source import Source
from conll.tags import SCHEMES, TAG, names_of
from scorer.engine.corpus import EMPTY, chosen_documents, ends_of, of_chosen_documents
from scorer.engine.score import WholeCorpus, differences
from scorer.evaluation.evaluation import input_of
from scorer.events import Events, LibraryEvents
from scorer.inputs.sources import check_names, source_of, sources_of
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options
from scorer.spans import muc7
from scorer.spans.muc7 import Muc7Part, Muc7Scores, SlotCounts, Slots
from scorer.spans.scores import (
    OF,
    Difference,
    SpanChanges,
    SpanScores,
    SpanSettings,
    changes,
    cuts_of,
)
from scorer.spans.spans import LABEL, Span, SpanCounts, count, plus, spans_of, total
from scorer.statistics.resampling import Resampling, units_of
from scorer.statistics.significance import randomisation

Pair = tuple[Document | None, Document | None]
"""A document of the key and of the response; None for one that is missing."""
Sides = tuple[list[Span], list[Span]]
"""The spans of key and response."""


def score_spans(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    against: Documents | None = None,
    of: str = "mentions",
    beta: float = 1.0,
    within_label: bool = False,
    min_overlap: float = 0.0,
    by: str | None = None,
    thresholds: str | None = None,
    score: str = "confidence",
    documents: str | None = None,
    scheme: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
    response_format: str | None = None,
) -> SpanScores:
    """Score the spans of a response against those of a key, strictly and leniently.

    Each is what `scorer.score` takes, and so is another response, `against` which this one is
    compared: what changes from this one to the other. `document_names` is that of `scorer.Options`;
    the rest are those of `scorer.spans.scores.SpanSettings`.

    Raises what `scorer.score` raises, ValueError also for an impossible setting and for a field
    `by` that no file has, ConllError also for a response span without a score where `thresholds`
    ask for one.

    >>> from scorer import score_spans
    >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
    >>> scores.measures()["strict"].recall, scores.measures()["mean"].recall
    (0.5, 0.75)
    """
    settings = SpanSettings(
        of=of,
        beta=beta,
        within_label=within_label,
        min_overlap=min_overlap,
        by=by,
        thresholds=thresholds,
        score=score,
        documents=documents,
        scheme=scheme,
    )
    check_names(key, response)
    source = source_of(key, "key", key_format)
    others = [
        source_of(one, "response", response_format, key=source)
        for one in (response, against)
        if one is not None
    ]
    options = Options(document_names=document_names)
    corpora = [WholeCorpus(source, other, options) for other in others]
    return spans_of_corpus(*corpora, settings=settings, events=LibraryEvents(strict=strict))


def score_muc7(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    partial: bool = False,
    section: str | None = None,
    documents: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
    response_format: str | None = None,
) -> Muc7Scores:
    """The coreference report and the slot report of MUC-7 for a response.

    Each side is what `scorer.score` takes.

    `partial`: spans that overlap earn half. `section`: a column or attribute by whose values the
    slots are shown as well. `documents`: only those in whose name this regular expression is found.
    `document_names` is that of `scorer.Options`.
    Raises what `scorer.score_spans` raises.

    >>> from scorer import score_muc7
    >>> scores = score_muc7([[(0, 1), (4, 8)]], [[(0, 1), (5, 8)]])
    >>> scores.total.slots["", "mention"]
    SlotCounts(correct=1, partial=0, incorrect=1, missing=0, spurious=0, noncommittal=0)
    """
    check_names(key, response)
    corpus = WholeCorpus(
        *sources_of(key, response, key_format, response_format),
        Options(document_names=document_names),
    )
    return muc7_of_corpus(
        corpus,
        LibraryEvents(strict=strict),
        partial=partial,
        section=section,
        documents=documents,
    )


def spans_of_corpus(
    corpus: WholeCorpus,
    second: WholeCorpus | None = None,
    *,
    settings: SpanSettings,
    events: Events,
) -> SpanScores:
    """Score the spans of a corpus, and what a second corpus with the same key changes.

    Args:
        corpus: The key and the response.
        second: The same key and another response.
        settings: Which spans to score, and how.
        events: Receives warnings and progress.
    """
    corpora = [corpus, *([second] if second is not None else [])]
    scores = SpanScores(settings, changes=SpanChanges() if second is not None else None)
    counted = bound(count, within_label=settings.within_label, share=settings.min_overlap)
    readers = [SpanReader(corpus, settings) for corpus in corpora]
    names = readers[0].names
    scored: list[Sides] = []
    seconds: dict[str, SpanCounts] = {}
    values: defaultdict[str, SpanCounts] = defaultdict(SpanCounts)
    for name in events.watch(names):
        key, response = readers[0].read(name)[1][0]
        scores.documents[name], pairs = counted(key, response)
        for value, sides in _by_group((key, response)).items() if settings.by is not None else ():
            values[value] = plus(values[value], counted(*sides)[0])
        if settings.thresholds is not None:
            scored.append((key, response))
        if scores.changes is not None:
            other = readers[1].read(name)[1][0][1]
            seconds[name], others = counted(key, other)
            scores.changes.add(list(changes(name, key, (response, pairs), (other, others))))
    scores.values = dict(sorted(values.items()))
    if settings.thresholds is not None:
        within = settings.within_label
        scores.cuts = cuts_of(scored, settings.thresholds, within_label=within)
    if scores.changes is not None:
        _compare(scores, scores.changes, seconds)
    readers[0].check_field()
    problems = [problem for reader in readers for problem in reader.problems()]
    if settings.of == "names" and not scores.total.key:
        text = "no document that is scored has a named entity"
        problems.append(Problem(corpus.key.path, 0, None, text, side="key"))
    scores.problems = distinct(problems)
    scores.inputs = [input_of("key", corpus.key), input_of("response", corpus.response)]
    scores.inputs += [input_of("against", other.response) for other in corpora[1:]]
    events.warn(to_tell(scores.problems, len(scores.documents)))
    return scores


def _compare(scores: SpanScores, changes: SpanChanges, seconds: dict[str, SpanCounts]) -> None:
    """Note how the second response differs, whose counts of each document are `seconds`."""
    units = units_of(list(scores.documents))
    changes.units = 1 + max(units, default=-1)
    counts = np.zeros((2, changes.units, 4))
    for side, documents in enumerate((scores.documents, seconds)):
        for unit, document in zip(units, documents.values()):
            strict, partial = document.kinds[:2]
            counts[side, unit] += (document.key, document.response, strict, strict + partial)
    weight = scores.settings.beta**2

    def f_measures(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        below = weight * sums[0] + sums[1]
        return (weight + 1) * sums[2:] / np.where(below > 0, below, 1)

    p = [1.0, 1.0]
    if changes.units > 1:
        p = randomisation(counts, f_measures, Resampling())[0].tolist()
    first = scores.measured(scores.total)
    second = scores.measured(total(seconds.values(), SpanCounts()))
    for before, after, value in zip(first, second, p):
        recall, precision, f = (b - a for a, b in zip(before[1:4], after[1:4]))
        changes.differences.append(Difference(before.measure, recall, precision, f, value))


def muc7_of_corpus(
    corpus: WholeCorpus,
    events: Events,
    *,
    partial: bool = False,
    section: str | None = None,
    documents: str | None = None,
) -> Muc7Scores:
    """Make the reports for a corpus; `events` receives warnings and progress."""
    reader = SpanReader(corpus, SpanSettings(by=section, documents=documents), OF)
    names = reader.names
    scores = Muc7Scores(partial, section, documents)
    sections: defaultdict[str, list[Slots]] = defaultdict(list)
    for name in events.watch(names):
        documents_read, (mentions, named) = reader.read(name)
        # Text filtering: whether key and response annotate anything in the document.
        in_key, in_response = (bool(mentions[side] or named[side]) for side in (0, 1))
        filtering = SlotCounts(
            correct=int(in_key and in_response),
            missing=int(in_key and not in_response),
            spurious=int(in_response and not in_key),
            noncommittal=int(not (in_key or in_response)),
        )
        slots = muc7.slots_of(mentions, named, partial=partial)
        scores.documents[name] = Muc7Part(muc7.count_chains(*documents_read), slots, filtering)
        if section is not None:
            by_group, named_by_group = _by_group(mentions), _by_group(named)
            for value in by_group | named_by_group:
                none: Sides = [], []
                sides = by_group.get(value, none), named_by_group.get(value, none)
                sections[value].append(muc7.slots_of(*sides, partial=partial))
    scores.sections = {value: muc7.sum_slots(slots) for value, slots in sorted(sections.items())}
    reader.check_field()
    scores.problems = reader.problems()
    scores.inputs = [input_of("key", corpus.key), input_of("response", corpus.response)]
    events.warn(to_tell(scores.problems, len(scores.documents)))
    return scores


def _by_group(sides: Sides) -> dict[str, Sides]:
    """Sort the spans of key and response by their groups."""
    groups: dict[str, Sides] = {}
    for side, spans in enumerate(sides):
        for span in spans:
            groups.setdefault(span.group, ([], []))[side].append(span)
    return groups


def _read_names(source: Source, name: str) -> Document | None:
    """Read a document, or one without clusters where the file lists none."""
    try:
        return source.document(name)
    except NoClustersError as error:
        return Document(name, [], path=error.path, line=error.line)


class SpanReader:
    """Read the spans of documents, which are `of` mentions, names or both.

    `names`: the documents to score, those in whose name the pattern of the settings is found.
    """

    def __init__(self, corpus: WholeCorpus, settings: SpanSettings, of: Sequence[str] = ()) -> None:
        self._corpus = corpus
        self._sources = corpus.key, corpus.response
        self._of = of or (settings.of,)
        self._by = settings.by
        self._scheme = settings.scheme
        for source in self._sources:
            if "names" not in self._of and "iob" in source.format.split("+"):
                raise ValueError(f"{source.path} has names and no mentions; add --of names")
        # A side has scores where thresholds ask for them.
        self._scores = None, settings.score if settings.thresholds is not None else None
        self._has_field = settings.by in (None, LABEL)
        self._listed: dict[tuple[Source, str], bool] = {}
        self._odd: list[Problem] = []
        self._documents = settings.documents
        self.names = chosen_documents(corpus, settings.documents)

    def problems(self) -> list[Problem]:
        """List what is odd about the files and documents; last, where their words differ."""
        of_files = of_chosen_documents(self._corpus.problems(), self._documents)
        return [*of_files, *self._odd, *differences(self._corpus, self.names)]

    def read(self, name: str) -> tuple[Pair, list[Sides]]:
        """Read the documents called `name` and compare their words.

        Return them, and their spans, of mentions, names or both; a missing document has none.
        """
        key, response = documents = self._pair(name)
        self._odd += ends_of(key, "key") if key is not None else []
        if response is None:
            self._odd.append(missing(self._corpus.response.path, name, EMPTY))
        else:
            self._odd += ends_of(response, "response")
        listed = [
            document is not None and self._are_listed(side, name)
            for side, document in enumerate(documents)
        ]
        layers = [self._layers(side, documents[side], listed=listed[side]) for side in (0, 1)]
        # What is said of words is the key's to say, or else the response's; either way of the spans
        # of both.
        columns = (side.columns.get(self._by or "", ()) for side in layers if side is not None)
        column = next(filter(None, columns), ())
        spans: list[Sides] = []
        for of in self._of:
            sides: Sides = [], []
            for side, document in enumerate(documents):
                if document is not None:
                    sides[side].extend(
                        spans_of(
                            document,
                            layers[side],
                            self._sources[side],
                            of=of,
                            listed=listed[side],
                            by=self._by,
                            column=column,
                            score=self._scores[side],
                        )
                    )
            spans.append(sides)
        return documents, spans

    def _pair(self, name: str) -> Pair:
        """Read the documents called `name`, which need no clusters where only names are scored."""
        if self._of != ("names",):
            return self._corpus.pair(name)
        key, response = (_read_names(source, name) for source in self._sources)
        return key, response

    def check_field(self) -> None:
        """Raise ValueError if no document that was read has the field that groups spans."""
        if self._has_field:
            return
        layers = [source.layers(name) for name in self.names for source in self._sources]
        fields = {field for side in layers for field in _fields(side)}
        there = f"choose from: {', '.join(sorted(fields))}" if fields else "there is none"
        raise ValueError(f"no word and no mention has a {self._by!r}; {there}")

    def _layers(self, side: int, document: Document | None, *, listed: bool) -> Layers | None:
        """Read what the settings ask for beside the mentions."""
        by = self._by if self._by != LABEL else None
        etype = ETYPE if "names" in self._of and not listed else None
        tag = TAG if self._scheme is not None else None
        fields = {field for field in (by, self._scores[side], etype, tag) if field is not None}
        if document is None or not (fields or listed):
            return None
        layers = self._sources[side].layers_of(document, fields, names=listed)
        self._has_field = self._has_field or self._by in _fields(layers)
        if self._scheme is not None:
            return self._by_scheme(self._sources[side].file_of(document.name), document, layers)
        return layers

    def _by_scheme(self, file: Source, document: Document, layers: Layers | None) -> Layers:
        """Return layers with the names that the tags of a document have by the scheme.

        Raises:
            ValueError: The document has no tags.
            ConllError: The scheme has no such tag.
        """
        assert self._scheme is not None
        if layers is None or TAG not in layers.columns:
            raise ValueError(f"scheme: {file.path} has no column of tags, as the format iob has")
        tags = layers.columns[TAG]
        letters = SCHEMES[self._scheme][0]
        for token, tag in enumerate(tags):
            if not tag or tag[0] not in letters:
                line = file.lines_of(document.name, {token}).get(token, document.line)
                problem = f"the scheme {self._scheme} has no tag {tag}; leave out --scheme"
                raise ConllError(file.path, line, problem, document.name)
        rest = iter(tags)
        sentences = [[*islice(rest, len(sentence))] for sentence in layers.sentences]
        return Layers(
            layers.sentences,
            layers.columns,
            names=names_of(sentences, self._scheme),
            attributes=layers.attributes,
        )

    def _are_listed(self, side: int, name: str) -> bool:
        """Say whether the file lists the names of a document; if not, typed mentions are names."""
        if "names" not in self._of:
            return False
        if self._scheme is not None:
            return True
        source, other = self._sources[side], self._sources[1 - side]
        file = source.file_of(name)
        # The files of a folder are as one file, but those of one format may list names where those
        # of another have types.
        if (source, file.format) not in self._listed:
            names = self._corpus.names()
            own = [name for name in names if source.file_of(name).format == file.format]
            # A CoNLL-2012 file has no attributes of mentions. Where the other side has names,
            # lists without any say that there are none.
            self._listed[source, file.format] = (
                bool(files_of(file))
                or source.lists_names(own)
                or (source.lists_names(own, empty=True) and other.lists_names(names))
            )
        return self._listed[source, file.format]


def _fields(layers: Layers | None) -> set[str]:
    """Return the names of the columns and of the attributes of mentions."""
    if layers is None:
        return set()
    return {*layers.columns, *chain.from_iterable(chain.from_iterable(layers.attributes))}
