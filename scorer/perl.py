"""The command `scorer.pl`: read two files, and print what reference 8.01 prints.

Nothing here imports more than it needs: a small pair takes little longer than starting Python.
"""

from __future__ import annotations

import errno
import io
import sys

from conll import open_source
from conll.check import to_tell
from conll.errors import ConllError
from scorer import metrics
from scorer.count.counts import lies_on_hundredth
from scorer.engine.choice import evaluate
from scorer.engine.corpus import Corpus
from scorer.show import perl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from scorer.evaluation.evaluation import Evaluation

USAGE = """\
usage: scorer.pl <metric> <key> <response> [name]

  metric    muc, bcub, ceafm, ceafe, blanc, all of them (all), or some of them (muc,bcub)
  key       the reference annotation, a CoNLL-2011/2012 file
  response  the annotation to score
  name      score this document alone; none: score every document, print the totals only
"""

_TOO_MUCH = (
    "out of memory; score less at once (documents, --trials, --jobs), or use a larger machine"
)
_TOO_DEEP = "a file is nested too deeply to be read; check that it is the right file"


def main(arguments: list[str]) -> int:
    """Run `scorer.pl` with its arguments.

    Returns the exit status (0 scored, 1 refused, 2 unusable arguments or files).
    """
    write = _writer()
    write(perl.version())
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
        if path == response_path == "-":
            raise ConllError(
                "<stdin>",
                0,
                "key and response cannot both be standard input; name a file for one of them",
            )
        with (
            open_source(path, first=first) as key,
            open_source(response_path, first=first) as response,
        ):
            corpus = Corpus(key, response, only)
            documents = len(arguments) == 3 or first
            evaluation = evaluate(
                corpus, [metrics.get(name) for name in ("mentions", *names)], keep=documents
            )
            if "ceafe" in names:
                _follow_reference(corpus, evaluation, keep=documents)
            for problem in to_tell(evaluation.problems, evaluation.scored):
                print_error(f"warning: {problem}")
            for text in perl.report(
                evaluation, corpus if documents else None, names, headings=headings
            ):
                write(text)
    except BrokenPipeError:
        raise
    except (ConllError, OSError) as error:
        print_error(fault(error) if isinstance(error, OSError) else str(error))
        return 2
    except perl.TooManyRepeatsError:
        print_error(
            f"{response_path}: more than {perl.REPEATS} repeated mentions "
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
        from scorer.metrics.clusters import AS_REFERENCE

        again = evaluate(corpus, [AS_REFERENCE], evaluation.options, keep=keep)
        evaluation.totals |= again.totals
        for document, counted in zip(evaluation.documents, again.documents):
            document.counts |= counted.counts


def metrics_of(text: str) -> tuple[list[str], bool]:
    """The metrics that the first argument asks for, and whether each gets a heading.

    None when one of them is unknown.
    """
    if text == "all":
        return list(perl.ALL), True
    names = text.lower().split("+")
    return (names if all(name in perl.ALL for name in names) else []), len(names) > 1


def _writer() -> Callable[[str], object]:
    """Writes text to stdout with the bytes of document names as they stood in the file."""
    out = standard_output()
    return lambda text: out.write(text.encode("utf-8", "surrogateescape"))


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


def run(command: Callable[[list[str]], int] = main) -> int:
    """A command with the arguments of the process.

    No traceback when stdout cannot be written or the user interrupts.
    """
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
