"""What commands do alike: read what arguments ask for, open files, score, and show results and warnings.

Results go to standard output or to the requested file, and everything else to stderr. What takes
long to import is imported where it is needed, as this is loaded for `scorer --help` too.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from scorer import perl
from scorer.events import Events
from scorer.options import TABLE, Options, compiled, settings
from scorer.registry import make_scheme
from scorer.report.figures import printable
from scorer.report.forms import FORMS, content, named, require

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final, TypeVar

    from conll.errors import Kind, Problem
    from scorer.engine.score import WholeCorpus
    from scorer.evaluation.evaluation import Evaluation, Input, Layout
    from scorer.jobs.isolation import Limits
    from scorer.jobs.manifest import ManifestRow
    from scorer.report.forms import Report
    from scorer.scheme import Scheme
    from scorer.statistics.resampling import Resampling

    UnitT = TypeVar("UnitT")


def print_error(message: object) -> None:
    """Write one line to stderr, whatever the message holds."""
    perl.print_error(printable(str(message)))


def write_output(text: str | bytes, path: str | None) -> None:
    """Write text to stdout, or to a file that is replaced once all is written.

    Names keep the bytes that they have in files.
    """
    written = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if path is None or path == "-":
        perl.standard_output().write(written)
        return
    from conll.io import replacing

    with replacing(path) as file:
        file.write(written)


def write_report(report: Report, arguments: Namespace) -> None:
    """Publish a report as `--output` and `--signature` say; on a terminal, its tables fit."""
    report.title = arguments.title or report.title
    report.is_short = arguments.signature == "short"
    if arguments.output is None:
        report.width = terminal_width()
    write_output(content(report), arguments.output)


def columns() -> int:
    """How wide the terminal is, as `shutil.get_terminal_size` has it, whose import takes longer than counting a small pair."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]  # AttributeError
    return 80


def check_output_path(output: str | None, inputs: Iterable[str]) -> None:
    """Make sure, before any work, that a file can be written and replaces no input.

    OSError when it cannot be written, ValueError when its name promises an archive, or it is one of
    the inputs, or a file in a directory that is one, even under another name.
    """
    if output is None or output == "-":
        return
    if output.lower().endswith((".gz", ".bz2", ".xz", ".zip")):
        raise ValueError(
            f"{output} would not be compressed; choose a name without "
            f"{os.path.splitext(output)[1]}, and compress the file afterwards"
        )
    from conll.io import files_below, try_replacing

    if os.path.isfile(output):
        for path in inputs:
            for file in files_below(path) if os.path.isdir(path) else [path]:
                if os.path.exists(file) and os.path.samefile(output, file):
                    raise ValueError(
                        f"{output} is an input{'' if file == output else f', {file}'}; "
                        "name another file to write"
                    )
    try_replacing(output)


FOLD = 10
"""How many warnings of one kind are shown before the others are folded."""

FOLDED: Final[Mapping[Kind, str]] = {
    "file": "about the files",
    "empty": "about empty files",
    "reason": "about mentions that do not match",
    "missing": "about documents that the response lacks",
    "extra": "about documents that the key lacks",
    "text": "about texts that differ",
    "repeat": "about repeated mentions",
    "end": "about documents without an end",
    "reading": "about what other programs may read otherwise",
    "repair": "about repaired texts",
    "unaligned": "about texts that are not those of the key",
    "note": "that say what was done",
}
"""What warnings of a kind are called when some of them are folded."""


def print_warnings(
    problems: Iterable[Problem],
    *,
    of: str = "",
    every: bool = False,
    fold: int = FOLD,
    option: str = "--all-warnings",
) -> None:
    """Show warnings, of each kind the first ones and the number of the others, unless `every` one is asked for.

    `of`: the system that they are about, where there are several. `option`: the one that shows all,
    where there is one.
    """
    system = f"{of}: " if of else ""
    seen: dict[Kind, int] = {}
    for problem in problems:
        seen[problem.kind] = number = seen.get(problem.kind, 0) + 1
        if every or number <= fold:
            print_error(f"{_word_for(problem.kind)}: {system}{problem}")
    for kind, number in seen.items():
        if number > fold and not every:
            advice = f"; {option}" if option else ""
            print_error(
                f"{_word_for(kind)}: {system}… and {number - fold} more {FOLDED[kind]}{advice}"
            )


def _word_for(kind: Kind) -> str:
    return "note" if kind == "note" else "warning"


def progress(
    units: Iterable[UnitT], unit: str = "documents", total: int | None = None
) -> Iterable[UnitT]:
    """The same units, with a progress bar on stderr if that is a terminal and the work takes over a second; `unit` is a plural."""
    if sys.stderr is None or not sys.stderr.isatty():
        return units
    try:
        from tqdm import tqdm
    except ImportError:
        return units  # a clone where nothing is installed scores all the same

    bar: Iterable[UnitT] = tqdm(units, total=total, unit=f" {unit}", delay=1, leave=False)
    return bar


def terminal_width() -> int | None:
    """How many columns standard output has; None where it is no terminal."""
    return columns() if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def is_coloured(when: str) -> bool:
    """Whether to write colours: "always", "never", or "auto", on a terminal that has some, unless NO_COLOR is set and not empty."""
    if when != "auto":
        return when == "always"
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def page(lines: Iterable[str], *, pager: bool) -> None:
    """Write lines to standard output, on a terminal by way of the pager that PAGER names, or `less -R`."""
    from shlex import split
    from shutil import which

    # With these options, less leaves on the screen what fits there.
    command = os.environ.get("PAGER", "less -FRX") if pager and _is_terminal() else ""
    text = "".join(f"{line}\n" for line in lines)
    program = split(command)[:1]
    if program and which(program[0]):
        from pydoc import pipepager

        pipepager(text, command)
    else:
        write_output(text, None)


def prepared(arguments: Namespace, formats: Sequence[str], inputs: Iterable[str | None]) -> str:
    """Find what would keep a report from being written, before any work.

    Args:
        arguments: Those of a command that writes a report.
        formats: The output formats that the command has.
        inputs: The paths that are read; None where there is none.

    Returns:
        The output format: that of --format, or by the name of the file to write, else a table.

    Raises:
        ValueError: The name of the file to write is of no format, or of another than --format; the
            pattern of --group-by is no regular expression; two inputs are standard input; or the
            output is an input.
        OSError: The output cannot be written.
        ModuleNotFoundError: The format needs a package that is missing.
    """
    output = arguments.output or ""
    by_name = named(output) if os.path.splitext(output)[1] else "table"
    form: str | None = arguments.format or by_name
    if form is None or form not in formats:
        known = ", ".join(FORMS[name][1][0] for name in formats if name in FORMS)
        raise ValueError(
            f"{output}: the ending names no output format of {arguments.command}; use --format, "
            f"or one of {known}"
        )
    if by_name not in (None, "table", form) and form in FORMS:
        raise ValueError(
            f"{output}: the ending asks for {by_name}, and --format for {form}; change one of them"
        )
    if form in FORMS:
        require(form)
    if arguments.group_by is not None:
        compiled(arguments.group_by)
    paths = [path for path in inputs if path is not None]
    if paths.count("-") > 1:
        raise ValueError("only one input can be standard input; name a file for the others")
    check_output_path(arguments.output, paths)
    return form


def layout_of(arguments: Namespace) -> Layout:
    """Return what a report of an evaluation shows."""
    from scorer.evaluation.evaluation import Layout

    average = getattr(arguments, "average", "micro")
    return Layout(per_document=arguments.per_document, average=average, by=arguments.group_by)


def scheme_of(arguments: Namespace) -> Scheme:
    """Return how to score: options and metrics as given, else of the preset, else the defaults."""
    given = {}
    for name in ("metrics", *TABLE):
        value = getattr(arguments, name)
        # No metric is given if the list is empty, and no flag if it is False.
        if value is not None and value is not False and value != []:
            given[name] = value
    words = settings(arguments.preset, **given) if arguments.preset else given
    options = Options(**{name: word for name, word in words.items() if name in TABLE})
    return make_scheme(words.get("metrics", "all"), options, arguments.preset)


def resampling_of(arguments: Namespace, **given: str) -> Resampling:
    """Return how documents are resampled: as arguments say, else as `given`, else the defaults.

    The average is only as given: that of a report need not be that of a comparison.

    Raises:
        ValueError: That is impossible.
    """
    from dataclasses import fields

    from scorer.statistics.resampling import Resampling, method_of

    chosen = {
        field.name: value
        for field in fields(Resampling)
        if field.name != "average" and (value := getattr(arguments, field.name, None)) is not None
    }
    return Resampling(**{"method": method_of(getattr(arguments, "runs", None)), **given, **chosen})


DEFAULT_MEMORY = 4 << 30
"""How many bytes of memory a response may take unless the arguments say otherwise."""


def limits_of(arguments: Namespace) -> Limits:
    """Return what a row or a response may take; warn where the system does not limit memory."""
    from conll.system import limits_memory
    from scorer.jobs.isolation import Limits

    limits = Limits(arguments.timeout, arguments.max_memory)
    is_asked_for = limits.memory not in (None, DEFAULT_MEMORY)
    if is_asked_for and not limits_memory() and not getattr(arguments, "quiet", False):
        print_error(
            "warning: --max-memory has no effect: this system cannot limit the memory of a process"
        )
    return limits


def rows_of_corpora(arguments: Namespace, resampling: Resampling) -> list[ManifestRow]:
    """Read the manifest that --corpora names.

    Raises:
        ValueError: Arguments are given that it replaces, or the pattern of --runs fits no systems.
        ConllError, OSError: The manifest cannot be read, or the output cannot be written.
    """
    from scorer.comparison.comparison import check_groups
    from scorer.jobs.manifest import OPTIONS, read_manifest

    if arguments.key is not None or arguments.names:
        raise ValueError("--corpora replaces KEY, RESPONSE and --names; give names in the manifest")
    rows = read_manifest(arguments.corpora, {name: getattr(arguments, name) for name in OPTIONS})
    check_groups([row.system for row in rows], arguments.runs, resampling.method)
    inputs = [path for row in rows for path in (row.key_path, row.response_path)]
    check_output_path(arguments.output, [arguments.corpora, *inputs])
    return rows


def corpora_of(
    arguments: Namespace, responses: Iterable[str], options: Options | None = None
) -> list[WholeCorpus]:
    """Open the key, and each response with it; options say whether words are aligned."""
    from conll.io import open_documents
    from scorer.engine.score import WholeCorpus

    if options is None and arguments.document_names is not None:
        options = Options(document_names=arguments.document_names)
    key = open_documents(arguments.key, arguments.key_format)
    return [
        WholeCorpus(
            key, open_documents(path, arguments.response_format, empty=True, key=key), options
        )
        for path in responses
    ]


def note_same_bytes(arguments: Namespace, name: str, inputs: Sequence[Input]) -> None:
    """Say, unless --quiet, that a response is the key, byte by byte; who gives it as such knows."""
    is_known = arguments.quiet or name == arguments.key
    if not is_known and len({file.sha256 for file in inputs}) == 1:
        print_error(f"note: {name} holds the same bytes as the key")


def note_preset(arguments: Namespace, evaluations: Iterable[Evaluation]) -> None:
    """Say, unless --quiet, which preset has the figures of CRAC, where CorefUD is scored without one."""
    if arguments.quiet or arguments.preset is not None or arguments.like is not None:
        return
    if any({file.format for file in part.inputs} == {"corefud"} for part in evaluations):
        print_error(
            "note: CorefUD files are scored without a preset; CRAC figures: --preset crac25"
        )


class RefusedError(Exception):
    """The input has warnings, which --strict treats as errors; they have been printed."""


class ConsoleEvents(Events):
    """Prints warnings and progress to stderr, as the arguments of a command say."""

    def __init__(self, arguments: Namespace) -> None:
        self._command = arguments.command
        self._strict = arguments.strict
        self._quiet = arguments.quiet
        self._every = arguments.all_warnings

    def warn(self, problems: Sequence[Problem]) -> None:
        """Print warnings and notes, unless --quiet.

        Raises:
            RefusedError: There are warnings, and --strict.
        """
        if not self._quiet or self._strict:
            print_warnings(problems, every=self._every)
        if not self._strict:
            return
        from conll.errors import pluralize, warnings_in

        refused = warnings_in(problems)
        if refused:
            number = pluralize(len(refused), "warning")
            print_error(
                f"scorer {self._command}: {number}, which --strict treats as errors; nothing is "
                "reported"
            )
            raise RefusedError

    def watch(self, units: Iterable[UnitT], unit: str = "documents") -> Iterable[UnitT]:
        return units if self._quiet else progress(units, unit)
