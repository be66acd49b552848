"""The terminal of the commands: what they have in common when they read arguments and print.

Results go to standard output or to the requested file, and everything else to stderr.
"""

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from conll.errors import KINDS, Problem, pluralize, warnings_in
from conll.paths import files_below, replacing, try_replacing
from conll.system import limits_memory
from scorer import perl
from scorer.evaluation.averages import Input
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events
from scorer.options import TABLE, Options, compiled, settings
from scorer.registry import make_scheme
from scorer.report.columns import figure, printable
from scorer.report.forms import COMPUTED, OUTPUT_FORMATS, content, endings_of, named, require
from scorer.report.report import Report, check_ratios
from scorer.scheme import Scheme

if TYPE_CHECKING:
    from conll.errors import Kind
    from scorer.jobs.isolation import Limits
    from scorer.jobs.manifest import ManifestRow
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
    with replacing(path) as file:
        file.write(written)


class Output(NamedTuple):
    """The report that a command was asked for, and what it prints to stderr besides.

    Attributes:
        command: The name of the command.
        format: The output format.
        path: The file to write; None for standard output.
        title: The heading of the report; None for the usual one.
        is_short: Whether the signature has only settings that differ from the defaults.
        quiet: Whether warnings and progress are left out.
        strict: Whether warnings are errors.
        all_warnings: Whether all warnings are shown, and not only the first of each kind.
        sections: The sections that are written alone; none for all.
    """

    command: str
    format: str
    path: str | None
    title: str | None
    is_short: bool
    quiet: bool
    strict: bool
    all_warnings: bool
    sections: Sequence[str] = ()


def write_report(report: Report, output: Output) -> None:
    """Write a report as requested; on a terminal, its tables fit."""
    if output.sections:
        report = report.chosen(output.sections)
    shown = report._replace(
        title=output.title or report.title,
        heading=output.title or "",
        is_short=output.is_short,
        width=terminal_width() if output.path is None else None,
    )
    write_output(content(shown), output.path)


def terminal_columns() -> int:
    """Return the width of the terminal, as `shutil.get_terminal_size` does.

    The import of `shutil` takes longer than counting a small pair.
    """
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]  # AttributeError
    return 80


COMPRESSED = (".gz", ".bz2", ".xz", ".zip")
"""Endings of names that promise a compressed file."""


def check_output_path(
    output: str | None, inputs: Iterable[str], *, is_folder: bool = False
) -> None:
    """Make sure, before any work, that a file can be written and replaces no input.

    Args:
        output: The file; None and `-` are standard output.
        inputs: Files and directories that are read.
        is_folder: Whether it is a folder, in which its writer replaces its own files alone.

    Raises:
        OSError: The file cannot be written.
        ValueError: Its name promises an archive, or it is an input or a file in a directory that
            is one, even under another name.
    """
    if output is None or output == "-":
        return
    if output.lower().endswith(COMPRESSED):
        ending = os.path.splitext(output)[1]
        raise ValueError(
            f"{output} would not be compressed; choose a name without {ending}, and compress the "
            "file afterwards"
        )
    if is_folder:
        folder = os.path.realpath(output)
        for path in inputs:
            if os.path.exists(path) and f"{os.path.realpath(path)}/".startswith(f"{folder}/"):
                name = "" if path == output else f" {path}"
                raise ValueError(f"{output} holds the input{name}; name another folder to write")
        return
    if os.path.isfile(output):
        for path in inputs:
            files = files_below(path) if os.path.isdir(path) else [path]
            for file in files:
                if os.path.exists(file) and os.path.samefile(output, file):
                    name = "" if file == output else f", {file}"
                    raise ValueError(f"{output} is an input{name}; name another file to write")
    try_replacing(output)


FOLD = 10
"""How many warnings of one kind are shown before the others are folded."""


def print_warnings(
    problems: Iterable[Problem],
    *,
    system: str = "",
    every: bool = False,
    fold: int = FOLD,
    option: str = "--all-warnings",
) -> None:
    """Show warnings: of each kind the first ones, and the number of the others.

    Args:
        problems: Warnings and notes.
        system: The system that they are about, where there are several.
        every: Whether to show all of them.
        fold: The number of warnings of one kind that are shown.
        option: The option that shows all, where there is one.
    """
    about = f"{system}: " if system else ""
    numbers: dict[Kind, int] = {}
    for problem in problems:
        numbers[problem.kind] = number = numbers.get(problem.kind, 0) + 1
        if every or number <= fold:
            print_error(f"{_severity(problem.kind)}: {about}{problem}")
    if every:
        return
    advice = f"; {option}" if option else ""
    for kind, number in numbers.items():
        if number > fold:
            more = f"… and {number - fold} more {KINDS[kind]}"
            print_error(f"{_severity(kind)}: {about}{more}{advice}")


def _severity(kind: "Kind") -> str:
    return "note" if kind == "note" else "warning"


def progress(
    units: Iterable[UnitT], unit: str = "documents", total: int | None = None
) -> Iterable[UnitT]:
    """Show a progress bar on stderr if that is a terminal and the work takes over a second.

    Args:
        units: The units, which are returned.
        unit: Their name, a plural.
        total: Their number, if they do not tell.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return units
    try:
        from tqdm import tqdm
    except ImportError:
        return units  # a clone where nothing is installed scores all the same

    bar: Iterable[UnitT] = tqdm(units, total=total, unit=f" {unit}", delay=1, leave=False)
    return bar


def terminal_width() -> int | None:
    """Return the width of standard output; None where it is no terminal."""
    return terminal_columns() if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def is_coloured(when: str) -> bool:
    """Decide whether to write colours.

    Args:
        when: always, never, or auto: on a terminal that has colours, unless NO_COLOR is set and not
            empty.
    """
    if when != "auto":
        return when == "always"
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show_in_pager(lines: Iterable[str], *, pager: bool) -> None:
    """Write lines to standard output; on a terminal by the pager that PAGER names, or `less`."""
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


def output_of(arguments: Namespace, formats: Sequence[str], inputs: Iterable[str | None]) -> Output:
    """Read which report a command is asked for; find what would keep it from being written.

    Args:
        arguments: The arguments of a command that writes a report.
        formats: The output formats that the command has.
        inputs: The paths that are read; None where there is none.

    Raises:
        ValueError: The name of the file to write is of no format, or of another than --format; the
            pattern of --group-by is no regular expression; two inputs are standard input; or the
            output is an input.
        OSError: The output cannot be written.
        ModuleNotFoundError: The format needs a package that is missing.
    """
    output_format = _output_format(
        arguments.format, arguments.output or "", arguments.command, formats
    )
    require(output_format)
    # Only some commands have the argument.
    check_ratios(getattr(arguments, "ratios", "all"), output_format)
    group_by = getattr(arguments, "group_by", None)
    if group_by is not None:
        compiled(group_by)
    sections: Sequence[str] = ()
    if arguments.section:
        sections = arguments.section.split(",")
        if output_format not in COMPUTED:
            raise ValueError(f"--section is for the formats {', '.join(COMPUTED)}")
    paths = [path for path in inputs if path is not None]
    check_standard_input(paths)
    check_output_path(arguments.output, paths)
    return Output(
        command=arguments.command,
        format=output_format,
        path=arguments.output,
        title=arguments.title,
        is_short=arguments.signature == "short",
        quiet=arguments.quiet,
        strict=arguments.strict,
        all_warnings=arguments.all_warnings,
        sections=sections,
    )


def check_standard_input(paths: Sequence[str]) -> None:
    """Raise ValueError if more than one input is standard input."""
    if paths.count("-") > 1:
        raise ValueError("only one input can be standard input; name a file for the others")


def _output_format(given: str | None, path: str, command: str, formats: Sequence[str]) -> str:
    """Choose the format of --format, or by the name of the file to write, or else a table."""
    by_name = named(path) if os.path.splitext(path)[1] else "table"
    output_format = given or by_name
    if output_format is None or output_format not in formats:
        raise ValueError(
            f"{path}: the ending names no output format of {command}; use --format, or one of "
            f"{endings_of(formats)}"
        )
    if by_name not in (None, "table", output_format) and OUTPUT_FORMATS[output_format].endings:
        raise ValueError(
            f"{path}: the ending asks for {by_name}, and --format for {output_format}; change one "
            "of them"
        )
    return output_format


def scheme_from_arguments(arguments: Namespace) -> Scheme:
    """Return how to score: options and metrics as given, else of the preset, else the defaults."""
    given = {}
    for name in ("metrics", *TABLE):
        value = getattr(arguments, name)
        # No metric is given if the list is empty, and no flag if it is False.
        if value is not None and value is not False and value != []:
            given[name] = value
    values = settings(arguments.preset, **given) if arguments.preset else given
    metrics = values.pop("metrics", "all")
    windows = getattr(arguments, "windows", ())
    return make_scheme(metrics, Options(**values), arguments.preset, windows)


def resampling_of(arguments: Namespace, **given: str) -> "Resampling":
    """Return how documents are resampled: as arguments say, else as `given`, else the defaults.

    The average is only as given: that of a report need not be that of a comparison.

    Raises:
        ValueError: That is impossible.
    """
    from dataclasses import fields

    from scorer.statistics.resampling import Resampling, method_of

    values: dict[str, Any] = {"method": method_of(getattr(arguments, "runs", None)), **given}
    for field in fields(Resampling):
        value = getattr(arguments, field.name, None)
        if field.name != "average" and value is not None:
            values[field.name] = value
    return Resampling(**values)


DEFAULT_MEMORY = 4 << 30
"""How many bytes of memory a response may take unless the arguments say otherwise."""


def limits_of(timeout: float | None, memory: int | None, *, quiet: bool = False) -> "Limits":
    """Return the limits of a task; warn where the system does not limit memory.

    Args:
        timeout: Seconds.
        memory: Bytes.
        quiet: Whether not to warn.
    """
    from scorer.jobs.isolation import Limits

    limits = Limits(timeout, memory)
    is_asked_for = limits.memory not in (None, DEFAULT_MEMORY)
    if is_asked_for and not quiet and not limits_memory():
        print_error(
            "warning: --max-memory has no effect: this system cannot limit the memory of a process"
        )
    return limits


def check_rows(rows: "Iterable[ManifestRow]", manifest: str, output: str | None) -> None:
    """Make sure that a file can be written, and is neither a manifest nor a file of its rows.

    Raises:
        OSError, ValueError: As in `check_output_path`.
    """
    paths = [manifest]
    for row in rows:
        paths += [row.key_path, row.response_path]
    check_output_path(output, dict.fromkeys(paths))


def rows_of_corpora(arguments: Namespace) -> "list[ManifestRow]":
    """Read the manifest of several corpora; ValueError for arguments that it replaces."""
    from scorer.jobs.manifest import OPTIONS, read_manifest

    if arguments.key is not None or arguments.names:
        raise ValueError("--corpora replaces KEY, RESPONSE and --names; give names in the manifest")
    common = {name: getattr(arguments, name) for name in OPTIONS}
    rows = read_manifest(arguments.corpora, common)
    check_rows(rows, arguments.corpora, arguments.output)
    return rows


def check_scored(scheme: Scheme, metric: str, option: str) -> None:
    """Raise ValueError if the metric of an option is not scored."""
    if metric not in scheme.names:
        raise ValueError(f"{option}: {metric} is not scored; add it to --metrics")


def check_limits(
    output: Output,
    f1s: Mapping[str, float | None],
    limits: Sequence[tuple[str, float]],
    rounding: str,
    average: str = "micro",
    row: str = "",
) -> int:
    """Print which metrics have an F1 below their limit, in percent, or none; return 1 if any has.

    Args:
        output: Names the command.
        f1s: The F1 that is shown of each metric; None of one that has none.
        limits: Metrics and their limits.
        rounding: The option by which figures are rounded.
        average: The average that is shown.
        row: What was scored, if the command scores several.
    """
    failed = 0
    where = f"{row}: " if row else ""
    kind = {"micro": "", "both": " of the totals"}.get(average, f" ({average})")
    for metric, limit in limits:
        f1 = f1s[metric]
        if f1 is None:
            problem = f"{metric} has no F1{kind}, as it or a metric of it is 0/0 in every document"
        elif 100 * f1 < limit:
            shown_f1 = figure(f1, rounding)
            problem = f"{metric} F1{kind} is {shown_f1}, below {limit:g}"
        else:
            continue
        print_error(f"scorer {output.command}: {where}{problem} (--fail-under)")
        failed = 1
    return failed


def note_same_bytes(output: Output, key: str, response: str, inputs: Sequence[Input]) -> None:
    """Say, unless --quiet, that a response is the key, byte by byte.

    Args:
        output: Says whether notes are shown.
        key: The path of the key; whoever gives it as the response knows.
        response: The path or name of the response.
        inputs: The files that were scored.
    """
    is_known = output.quiet or response == key
    if not is_known and len({file.sha256 for file in inputs}) == 1:
        print_error(f"note: {response} holds the same bytes as the key")


def note_preset(output: Output, evaluations: Iterable[Evaluation]) -> None:
    """Say, unless --quiet, which preset has CRAC's figures, if CorefUD is scored without one."""
    if output.quiet:
        return
    for evaluation in evaluations:
        scheme = evaluation.scheme
        is_plain = scheme.preset is None and scheme.options.like is None
        if is_plain and {file.format for file in evaluation.inputs} == {"corefud"}:
            print_error(
                "note: CorefUD files are scored without a preset; CRAC figures: --preset crac25"
            )
            return


class RefusedError(Exception):
    """The input has warnings, which --strict treats as errors; they have been printed."""


class ConsoleEvents(Events):
    """Prints warnings and progress to stderr, as a command was asked to."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def warn(self, problems: Sequence[Problem]) -> None:
        """Print warnings and notes, unless --quiet.

        Raises:
            RefusedError: There are warnings, and --strict.
        """
        output = self._output
        if not output.quiet or output.strict:
            print_warnings(problems, every=output.all_warnings)
        refused = warnings_in(problems)
        if output.strict and refused:
            number = pluralize(len(refused), "warning")
            print_error(
                f"scorer {output.command}: {number}, which --strict treats as errors; nothing is "
                "reported"
            )
            raise RefusedError

    def watch(
        self, units: Iterable[UnitT], unit: str = "documents", total: int | None = None
    ) -> Iterable[UnitT]:
        return units if self._output.quiet else progress(units, unit, total)
