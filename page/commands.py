"""What the page runs: commands of `scorer`, with what they print as values."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from typing import TYPE_CHECKING

from scorer.cli import console
from scorer.cli.main import main
from scorer.cli.parser import make_parser
from scorer.evaluation.report import Layout
from scorer.jobs.corpora import open_corpora, score_corpora
from scorer.scoring.command import FORMATS, find_intervals

if TYPE_CHECKING:
    from collections.abc import Callable


def captured(call: Callable[[], int | None]) -> tuple[int, bytes, str]:
    """Return the exit status of a call, and what it writes to standard output and to stderr."""
    output, messages = BytesIO(), StringIO()
    writer = TextIOWrapper(output, "utf-8", write_through=True)
    with redirect_stdout(writer), redirect_stderr(messages):
        try:
            status = call() or 0
        except SystemExit as end:
            status = int(end.code or 0)
        writer.flush()
        writer.detach()
    return status, output.getvalue(), messages.getvalue()


def run(*words: str) -> tuple[int, bytes, str]:
    """Run a command of `scorer`."""
    return captured(lambda: main(list(words)))


def score(key: str, response: str, preset: str) -> tuple[int, bytes, bytes, str]:
    """Score once; return the exit status, JSON, the HTML report, and warnings.

    Both reports are as `scorer score --per-document` writes them. Where that command fails, there
    is none, and its one line instead of warnings.
    """
    words = ["score", key, response, "--per-document", *(["--preset", preset] if preset else [])]
    reports = {}

    def write_reports() -> int:
        arguments = make_parser(words).parse_args(words)
        output = console.output_of(arguments, FORMATS, [key, response])
        scheme = console.scheme_from_arguments(arguments)
        corpora = open_corpora(key, [response], scheme.options)
        [evaluation] = score_corpora(corpora, scheme, console.ConsoleEvents(output), keep=True)
        intervals, notes = find_intervals(evaluation)
        layout = Layout(per_document=True, intervals=intervals, notes=notes)
        for name in ("json", "html"):
            report = evaluation.report(name, layout)
            reports[name] = captured(partial(console.write_report, report, output))[1]
        return 0

    try:
        status, _, messages = captured(write_reports)
    except Exception:
        # The command says in one line what is wrong with the files.
        status, _, messages = run(*words)
        if status == 0:
            raise
        return status, b"", b"", messages
    return status, reports["json"], reports["html"], messages
