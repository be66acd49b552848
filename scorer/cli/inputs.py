"""What commands do alike: read what arguments ask for, open files, score, and warn."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial

from conll.io import open_documents
from scorer.cli.arguments import MEMORY, TYPES
from scorer.cli.console import check_output_path, print_error, print_warnings, progress
from scorer.evaluation.evaluation import Layout
from scorer.options import TABLE, Options, compiled, settings
from scorer.report.forms import FORMS, named, require
from scorer.run.score import WholeCorpus, score_corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from distributed import Client

    from conll.errors import Problem
    from scorer.comparison.resampling import Resampling
    from scorer.count.counts import Metric
    from scorer.evaluation.evaluation import Evaluation, Input
    from scorer.run.isolation import Limits
    from scorer.run.manifest import ManifestRow


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
    average = getattr(arguments, "average", "micro")
    return Layout(per_document=arguments.per_document, average=average, by=arguments.group_by)


def chosen(arguments: Namespace) -> tuple[Options, str | list[str]]:
    """Return the options and the metrics: as given, else of the preset, else the defaults."""
    given = {
        name: getattr(arguments, name)
        for name in ("metrics", *TABLE)
        if getattr(arguments, name) is not None
    }
    words = settings(arguments.preset, **given) if arguments.preset else given
    options = Options(**{name: word for name, word in words.items() if name in TABLE})
    return options, words.get("metrics") or "all"


def resampling_of(arguments: Namespace, **given: str) -> Resampling:
    """Return how documents are resampled: as arguments say, else as `given`, else the defaults.

    The average is only as given: that of a report need not be that of a comparison.

    Raises:
        ValueError: That is impossible.
    """
    from dataclasses import fields

    from scorer.comparison.resampling import Resampling, method_of

    chosen = {
        field.name: value
        for field in fields(Resampling)
        if field.name != "average" and (value := getattr(arguments, field.name, None)) is not None
    }
    return Resampling(**{"method": method_of(getattr(arguments, "runs", None)), **given, **chosen})


def limits_of(arguments: Namespace) -> Limits:
    """Return what a row or a response may take; warn where the system does not limit memory."""
    from conll.system import limits_memory
    from scorer.run.isolation import Limits

    limits = Limits(arguments.timeout, arguments.max_memory)
    is_asked_for = limits.memory not in (None, TYPES["SIZE"](MEMORY))
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
    from scorer.run.manifest import OPTIONS, read_manifest

    if arguments.key is not None or arguments.names:
        raise ValueError("--corpora replaces KEY, RESPONSE and --names; give names in the manifest")
    rows = read_manifest(arguments.corpora, {name: getattr(arguments, name) for name in OPTIONS})
    check_groups([row.system for row in rows], arguments.runs, resampling.method)
    inputs = [path for row in rows for path in (row.key_path, row.response_path)]
    check_output_path(arguments.output, [arguments.corpora, *inputs])
    return rows


def watch_of(
    arguments: Namespace, unit: str = "documents"
) -> Callable[[Iterable[str]], Iterable[str]] | None:
    """Return what shows the progress through units, named by a plural; None with --quiet."""
    return None if arguments.quiet else lambda units: progress(units, unit)


@contextmanager
def connected(arguments: Namespace) -> Iterator[Client | None]:
    """Connect to the cluster that --scheduler asks for; None without that option."""
    if arguments.scheduler is None:
        yield None
        return
    from scorer.run import distributed

    with distributed.connected(arguments.scheduler) as client:
        yield client


def corpora_of(
    arguments: Namespace, responses: Iterable[str], options: Options | None = None
) -> list[WholeCorpus]:
    """Open the key, and each response with it; options say whether words are aligned."""
    key = open_documents(arguments.key, arguments.key_format)
    return [
        WholeCorpus(key, open_documents(path, arguments.response_format, empty=True), options)
        for path in responses
    ]


def evaluate(
    arguments: Namespace,
    corpora: Iterable[WholeCorpus],
    metrics: Sequence[Metric],
    options: Options,
    names: Sequence[str],
    *,
    keep: bool = True,
) -> list[Evaluation]:
    """Score corpora, here or on a cluster; arguments are those of `scorer.run.score.score_corpus`."""
    watch = watch_of(arguments)
    with connected(arguments) as cluster:
        score: Callable[..., Evaluation] = score_corpus
        if cluster is not None:
            from scorer.run.distributed import evaluate_on

            score = partial(evaluate_on, cluster)
        return [
            score(corpus, metrics, options, names, keep=keep, watch=watch) for corpus in corpora
        ]


def note_same_bytes(arguments: Namespace, name: str, inputs: Sequence[Input]) -> None:
    """Say, unless --quiet, that a response is the key, byte by byte; who gives it as such knows."""
    is_known = arguments.quiet or name == arguments.key
    if not is_known and len({file.sha256 for file in inputs}) == 1:
        print_error(f"note: {name} holds the same bytes as the key")


def strict_refuses(arguments: Namespace, warnings: Sequence[Problem]) -> bool:
    """Show warnings, unless --quiet; return whether --strict makes them errors."""
    if not arguments.quiet or arguments.strict:
        print_warnings(warnings, every=arguments.all_warnings)
    if not (arguments.strict and warnings):
        return False
    from conll.errors import pluralize

    number = pluralize(len(warnings), "warning")
    print_error(
        f"scorer {arguments.command}: {number}, which --strict treats as errors; nothing is "
        "reported"
    )
    return True
