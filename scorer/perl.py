# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The command `scorer.pl`, and the text that reference 8.01 prints, to the byte.

Nothing here imports more than it needs: a small pair takes little longer than starting Python.
"""

from __future__ import annotations

import errno
import io
import os
import sys

from conll import open_source
from conll.check import to_tell
from conll.errors import ConllError
from scorer.count.assignment import lies_on_hundredth
from scorer.count.counts import Counts, Ratios
from scorer.engine.corpus import Corpus
from scorer.engine.score import evaluate
from scorer.metrics import AS_REFERENCE, METRICS
from scorer.options import EVERY, OUTSIDE_MATCHING, filters_in, not_in, written
from scorer.scheme import Scheme

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from conll.document import Document
    from scorer.evaluation.evaluation import DocumentScore, Evaluation
    from scorer.evaluation.report import Layout, ScoredCorpus
    from scorer.match.align import Repeat
    from scorer.options import Honoured, Options

USAGE = """\
usage: scorer.pl <metric> <key> <response> [name]

  metric    muc, bcub, ceafm, ceafe, blanc, all of them (all), or some of them (muc,bcub)
  key       the reference annotation, a CoNLL-2011/2012 file
  response  the annotation to score
  name      score this document alone; none: score every document, print the totals only
"""

PERL_METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
"""The metrics of the reference, in its order."""

HONOURED: Honoured = {**OUTSIDE_MATCHING, "duplicates": EVERY, "singletons": EVERY}
"""The options that the report of the reference can show."""

REPEATS = 10
"""How many mentions repeated in the response a run tolerates, over all documents and all metrics.
"""

CARRIED_CHARACTERS = 1 << 25
"""How many characters of clusters are kept from one metric to the next, so that their documents
need not be read again."""

ROOM = {"numpy": 125, "scipy": 90}
"""How many MB of address space each is given before it is loaded. With its first products numpy
takes 120 MB, and scipy.special takes 88 MB. With less than 65 MB left scipy waits forever."""

LARGE = {"numpy", "scipy.special", "scipy.optimize", "scipy.sparse"}
"""The modules that load an OpenBLAS, in numpy, and in scipy whichever comes first."""

_RULE = "-" * 74 + "\n"

_TOO_MUCH = (
    "out of memory; score less at once (documents, --trials, --jobs), or use a larger machine"
)
_TOO_DEEP = "a file is nested too deeply to be read; check that it is the right file"


def main(arguments: list[str]) -> int:
    """Run `scorer.pl` with its arguments.

    Returns the exit status (0 scored, 1 refused, 2 unusable arguments or files).
    """
    out = standard_output()

    def write(text: str) -> None:
        # The bytes of document names as they stood in the file.
        out.write(text.encode("utf-8", "surrogateescape"))

    write(version())
    if len(arguments) < 3:
        write(USAGE)
        return 0 if arguments in (["--help"], ["-h"]) else 2
    names, headings = metrics_of(arguments[0])
    if not names:
        write("Invalid metric\n")
        return 2
    path, response_path = arguments[1:3]
    only = arguments[3] if len(arguments) > 3 and arguments[3] != "none" else None
    first = only is not None
    try:
        _check_standard_input(path, response_path)
        with (
            open_source(path, first=first) as key,
            open_source(response_path, first=first) as response,
        ):
            corpus = Corpus(key, response, only)
            documents = len(arguments) == 3 or first
            scheme = Scheme([METRICS[name] for name in ("mentions", *names)])
            evaluation = evaluate(corpus, scheme, keep=documents)
            if "ceafe" in names:
                _follow_reference(corpus, evaluation, keep=documents)
            for problem in to_tell(evaluation.problems, evaluation.scored):
                print_error(f"warning: {problem}")
            for text in report(evaluation, corpus if documents else None, names, headings=headings):
                write(text)
    except BrokenPipeError:
        raise
    except (ConllError, OSError) as error:
        print_error(fault(error) if isinstance(error, OSError) else str(error))
        return 2
    except TooManyRepeatsError:
        print_error(
            f"{response_path}: more than {REPEATS} repeated mentions "
            "over all documents and metrics, so no score is given, "
            "as in the reference; the warnings above name each of them, and so does: "
            f"scorer check {path} {response_path}"
        )
        return 1
    return 0


def _follow_reference(corpus: Corpus, evaluation: Evaluation, *, keep: bool) -> None:
    """Count CEAFe again as the reference does where its totals lie on a hundredth of a percent.

    What `evaluate` counts is the reference's where that may show in the figures of a document; in
    those of many, their sum may. `keep` as there.
    """
    [total] = evaluation.totals["ceafe"]
    aligned, clusters, _, response_clusters = total.as_tuple()
    # Where it is 0, or all clusters of a side are found as they are, there is but one best
    # alignment.
    if 0 < aligned < min(clusters, response_clusters) and lies_on_hundredth(
        aligned, clusters, response_clusters
    ):
        again = evaluate(corpus, Scheme([AS_REFERENCE]), keep=keep)
        evaluation.totals |= again.totals
        for document, counted in zip(evaluation.documents, again.documents):
            document.counts |= counted.counts


def metrics_of(text: str) -> tuple[list[str], bool]:
    """Return the metrics that the first argument asks for, and whether each gets a heading.

    The list is empty if one of them is unknown.
    """
    if text == "all":
        return list(PERL_METRICS), True
    names = text.lower().replace("+", ",").split(",")
    return (names if all(name in PERL_METRICS for name in names) else []), len(names) > 1


class TooManyRepeatsError(Exception):
    """The response repeats more mentions than the reference tolerates.

    What it prints before that has been yielded.
    """


def version() -> str:
    """The first line of every run."""
    return f"version: 8.01 {__file__}\n"


def _check_standard_input(path: str, response_path: str) -> None:
    """Raise ConllError if key and response are both standard input."""
    if path == response_path == "-":
        problem = "key and response cannot both be standard input; name a file for one of them"
        raise ConllError("<stdin>", 0, problem)


class _EntityTexts:
    """The entities of each document as text, kept for the next metrics while there is room."""

    def __init__(self, corpus: ScoredCorpus, options: Options, room: int) -> None:
        self._corpus = corpus
        self._options = options
        self._room = room
        self._kept: dict[str, str] = {}

    def text(self, name: str) -> str:
        """Return the entities of the key and of the response of a document."""
        text = self._kept.get(name)
        if text is None:
            key, response = _as_scored(self._corpus.pair(name), self._options)
            text = "".join([*_entities(key), *_entities(response)])
            if len(text) <= self._room:
                self._room -= len(text)
                self._kept[name] = text
        return text

    def name_line(self, name: str, metric: str) -> str:
        """Return the line with the name of a document; none if only one is printed."""
        if self._corpus.only is not None:
            return ""
        if metric == "blanc":
            return ":\n"
        return f"{name}:\n"


def _printed_repeats(score: DocumentScore) -> Iterator[Repeat]:
    """Yield the repeated mentions that are printed: of the response only those removed."""
    for repeat in score.repeats:
        if repeat.side == "key" or repeat.removed:
            yield repeat


def report(
    evaluation: Evaluation,
    corpus: ScoredCorpus | None,
    metrics: Sequence[str],
    *,
    headings: bool,
    repeats_allowed: int | None = REPEATS,
) -> Iterator[str]:
    """Yield the report in pieces: for each metric the documents, if a corpus is given, and totals.

    `headings` precedes each metric by its name. Raises TooManyRepeatsError where the reference ends
    the run, unless any number of repeats is allowed (None).
    """
    repeats = 0
    texts = None
    if corpus is not None:
        room = CARRIED_CHARACTERS if len(metrics) > 1 else 0
        texts = _EntityTexts(corpus, evaluation.options, room)
    for metric in metrics:
        if headings:
            yield f"\nMETRIC {metric}:\n"
        if corpus is not None and corpus.only is not None:
            yield f"{corpus.only}:\n"
        for score in evaluation.documents:
            if texts is not None:
                yield texts.text(score.name) + texts.name_line(score.name, metric)
            for repeat in _printed_repeats(score):
                repeats += repeat.side == "response"
                first, last = repeat.mention
                mention = f"{first}, {last} {repeat.ids[0]}{repeat.ids[1]}"
                yield f"Repeated mention in the {repeat.side}: {mention}\n"
                if repeats_allowed is not None and repeats > repeats_allowed:
                    raise TooManyRepeatsError
            if corpus is not None:
                yield _document(score, metric)
        yield _totals(evaluation, metric)


def _as_scored(
    pair: tuple[Document | None, Document | None], options: Options
) -> tuple[Document | None, Document | None]:
    """Return the documents of a pair without the mentions that the options leave out.

    A mention that the policy `reference` leaves out is printed, as the reference prints it.
    """
    filters = filters_in(options.chosen())
    if not filters and options.duplicates == "reference":
        return pair
    from conll.document import Document
    from scorer.match.filters import apply_filters, filter_repeats

    key, response = (document or Document("", []) for document in pair)
    key, response, _ = apply_filters(key, response, options, filters)
    if options.duplicates != "reference":
        key, response = filter_repeats(key, response, options.duplicates)
        key.clusters = list(filter(None, key.clusters))
        response.clusters = list(filter(None, response.clusters))
    return key, response


def _entities(document: Document | None) -> Iterator[str]:
    name = document.name if document else ""
    yield f"====> {name}:\n"
    if document:
        for double in document.discarded:
            yield f"Discarded ({double})\n"
    yield f"File {name}:\n"
    if document:
        for number, cluster in enumerate(document.clusters):
            yield f"Entity {number}:{''.join(f' ({first},{last})' for first, last in cluster)}\n"


def _document(score: DocumentScore, metric: str) -> str:
    mentions = score.counts["mentions"][0]
    text = (
        f"Total key mentions: {mentions.recall_denominator}\n"
        f"Total response mentions: {mentions.precision_denominator}\n"
        f"Strictly correct identified mentions: {mentions.recall_numerator}\n"
        "Partially correct identified mentions: 0\n"
        f"No identified: {mentions.recall_denominator - mentions.recall_numerator}\n"
        f"Invented: {score.invented}\n"
    )
    return text if metric == "blanc" else text + _line(score.counts[metric][0])


def _totals(evaluation: Evaluation, metric: str) -> str:
    parts = evaluation.totals[metric]
    mentions = _line(evaluation.totals["mentions"][0])
    text = f"\n====== TOTALS =======\nIdentification of Mentions: {mentions}"
    if metric != "blanc":
        return f"{text}Coreference: {_line(parts[0])}"
    ratios = evaluation.ratios("blanc")
    whole = Counts(ratios.recall, 1, ratios.precision, 1)
    return (
        f"{text}\nCoreference:\nCoreference links: {_line(parts[0])}"
        f"Non-coreference links: {_line(parts[1])}BLANC: {_line(whole, ratios)}"
    )


def _line(counts: Counts, ratios: Ratios | None = None) -> str:
    """Write counts with 15 digits, and their ratios in percent, cut off after two decimals."""
    correct, key, correct_response, response = (
        str(number) if isinstance(number, int) else f"{number:.15g}" for number in counts.as_tuple()
    )
    recall, precision, f1 = (
        f"{int(ratio * 10000) / 100:.15g}%" for ratio in ratios or counts.ratios()
    )
    return (
        f"Recall: ({correct} / {key}) {recall}\t"
        f"Precision: ({correct_response} / {response}) {precision}\tF1: {f1}\n{_RULE}"
    )


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """Write all metrics that the reference has a form for, for `scorer score --format perl`.

    The run is never refused for its repeats, and there is no signature.

    Raises:
        ValueError: The evaluation or the layout has what the reference cannot show.
    """
    per_document = layout is not None and layout.per_document
    corpus = layout.corpus if layout is not None and per_document else None
    options, counted = evaluation.options, evaluation.metrics
    unknown = [metric.name for metric in counted.values() if metric.of != "clusters"]
    shown = [name for name in evaluation.names if name in counted and name != "mentions"]
    refused = written(not_in(options.chosen(), HONOURED))
    refusals = {
        f"does not support {', '.join(refused)}, as the reference scorer does not; choose another"
        " format, or leave it out": bool(refused),
        f"cannot show {' and '.join(unknown)}; choose another format": bool(unknown),
        f"needs mentions and one of {', '.join(PERL_METRICS)}, or lea": (
            not shown or "mentions" not in counted
        ),
        "cannot show groups or macro-averages; choose another format": (
            layout is not None
            and (layout.group_by is not None or not all(each.is_total for each in layout.averages))
        ),
        "prints the clusters of each document, so it needs the corpus": (
            per_document and corpus is None
        ),
    }
    problem = next((problem for problem, is_refused in refusals.items() if is_refused), None)
    problem = problem or _not_printable(evaluation, corpus)
    if problem is not None:
        raise ValueError(f"the perl report {problem}")
    pieces = report(evaluation, corpus, shown, headings=len(shown) > 1, repeats_allowed=None)
    return version() + "".join(pieces)


def _not_printable(evaluation: Evaluation, corpus: ScoredCorpus | None) -> str | None:
    """Say which mention that would be printed is not a pair of tokens, if any."""
    from conll.syntax import is_span

    for score in evaluation.documents:
        mentions = [repeat.mention for repeat in score.repeats]
        for document in filter(None, corpus.pair(score.name) if corpus is not None else ()):
            for cluster in document.clusters:
                mentions += cluster
        for mention in mentions:
            if not is_span(mention):
                shown = str(mention).replace(" ", "")
                return (
                    f"cannot print mention {shown} of document {score.name!r}; choose another "
                    "format"
                )
    return None


class _StandardOutput(io.RawIOBase):
    """Raw standard output that waits where a pipe is full, and names itself in its errors.

    After an error it drops what is written, so that what is still buffered does not fail a second
    time.
    """

    def __init__(self, file: Any) -> None:
        super().__init__()
        # Without the text file, which nothing else may hold, its raw file would be closed.
        self._file = file
        self._raw = getattr(file.buffer, "raw", file.buffer)
        self._failed = False

    def fileno(self) -> int:
        number: int = self._raw.fileno()
        return number

    def isatty(self) -> bool:
        return bool(self._raw.isatty())

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        try:
            while not self._failed:
                written: int | None = self._raw.write(data)
                if written is not None:
                    return written
                # A pipe may be set not to wait by whoever reads from it.
                from select import select

                select([], [self._raw], [])
        except OSError as error:
            self._failed = True
            raise OSError(error.errno, error.strerror, "standard output") from None
        return len(data)


def standard_output() -> Any:
    """Return standard output as a binary file; OSError where the caller has closed it."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed", "standard output")
    sys.stdout.flush()
    return sys.stdout.buffer


def fault(error: OSError) -> str:
    """Say in one line which file the system refuses, and why."""
    # An empty path is what a variable holds that is not set.
    name = "scorer" if error.filename is None else error.filename or "''"
    return f"{name}: {error.strerror or error}"


def print_error(message: str) -> None:
    """Write a line to stderr, where there is one that can be written to."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"{message}\n")
    except BrokenPipeError:
        raise
    except OSError:
        # Where nothing can be said, as on a full disk, the exit status says it.
        sys.stderr = None


class _Room:
    """Refuses to load numpy and scipy where this process has too little address space for them.

    They would not fail: OpenBLAS, which comes with each of them, asks for memory again and again.
    """

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        package = name.partition(".")[0]
        if name not in LARGE or any(large.startswith(package) for large in LARGE & {*sys.modules}):
            return
        from conll.system import free_address_space

        free = free_address_space()
        if free < ROOM[package] * 10**6:
            raise ImportError(
                f"{package} needs {ROOM[package]} MB of address space, and less is left to this "
                "process; lift its limit with `ulimit -v unlimited`",
                # As an error of ours its text is printed as it is.
                name="scorer",
            )
        if free != float("inf"):
            # Whatever the user set: each thread would need more of it.
            os.environ["OPENBLAS_NUM_THREADS"] = "1"


def run(command: Callable[[list[str]], int] = main) -> int:
    """A command with the arguments of the process.

    No traceback when stdout cannot be written or the user interrupts.
    """
    # For numpy's matrix products, all of them small: threads take longer to start, and to wait for,
    # than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if _Room not in sys.meta_path:
        sys.meta_path.insert(0, _Room)
    if sys.stdout is not None:
        # With PYTHONUNBUFFERED each piece would be a write of its own, of which the system may take
        # a part only.
        out = io.BufferedWriter(_StandardOutput(sys.stdout))
        sys.stdout = io.TextIOWrapper(out, sys.stdout.encoding, sys.stdout.errors)
    try:
        try:
            status = command(sys.argv[1:])
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        return 141
    except OSError as error:
        print_error(fault(error))
        return 2
    except ImportError as error:
        from scorer.version import said

        print_error(said(error))
        return 2
    except (MemoryError, RecursionError) as error:
        print_error(_TOO_MUCH if isinstance(error, MemoryError) else _TOO_DEEP)
        return 2
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(run())
