"""Score a submission as a scoring program of Codabench or CodaLab.

INPUT_DIR is what the platform prepares: ref holds the key, res the submission, each a file or
several; what the platform adds (metadata, __MACOSX) is passed over, and a zip archive in res is
unpacked. OUTPUT_DIR gets scores.json, scores.txt and detailed_results.html. With --bundle, write a
competition that does this, ready to be uploaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from conll.check import to_tell
from scorer.cli import console
from scorer.codabench import codabench
from scorer.jobs.isolation import Limits
from scorer.options import compiled
from scorer.report.forms import require

if TYPE_CHECKING:
    from argparse import Namespace

EPILOG = """\
scores.json and scores.txt hold fractions: conll, muc_recall, muc_precision, muc_f1 and so on, and
missing_documents, a number. If a submission cannot be scored, no scores are written, and the reason
is on stderr and in detailed_results.html, which the participant sees.

a bundle holds competition.yaml, the scoring program with this package in it, and the reference data
with the key, where --key is given. The other options go into its program. Zip its contents and
upload that.

examples:
  scorer codabench /app/input /app/output --preset conll12
  scorer codabench --bundle task --key key.conll --metrics conll,muc,bcub,ceafe
  (cd task && python3 -m zipfile -c ../task.zip *)

exit status: 0 scored, 1 the submission could not be, 2 wrong usage or a key that cannot be read
"""


def run(arguments: Namespace) -> int:
    """Score the submission, or write the bundle."""
    folder, output = arguments.input, arguments.output
    require("html")
    if folder is not None and output is not None and arguments.bundle is None:
        _prepare(folder, output)
    scheme = console.scheme_from_arguments(arguments)
    if arguments.group_by is not None:
        compiled(arguments.group_by)
    if arguments.bundle is not None:
        if folder is not None:
            advice = "leave out INPUT_DIR and OUTPUT_DIR"
            raise ValueError(f"--bundle writes a competition and scores nothing; {advice}")
        options = _given_options(vars(arguments), vars(arguments.parser.parse_args([])))
        codabench.write_bundle(
            arguments.bundle, scheme.names, options, arguments.key, arguments.key_format
        )
        if arguments.key is None:
            path = f"{arguments.bundle}/reference_data"
            console.print_error(f"put the key into {path} before you upload the bundle")
        return 0
    if folder is None or output is None:
        raise ValueError("give INPUT_DIR and OUTPUT_DIR to score, or --bundle to write a bundle")
    if arguments.key is not None:
        raise ValueError("--key belongs to --bundle; a platform puts the key in INPUT_DIR/ref")
    errors_page = None
    if arguments.errors is not None:
        # The program of a bundle runs without numpy where no errors are asked for.
        from scorer.analysis.find import scheme_of_errors

        errors_page = _path_of_errors(output, arguments.errors)
        scheme_of_errors(scheme)
        # An earlier run may have left a page, which is not of this submission.
        with suppress(FileNotFoundError):
            os.unlink(errors_page)
    program = codabench.ScoringProgram(
        folder, scheme, arguments.key_format, arguments.response_format, arguments.max_size
    )
    limits = console.limits_of(arguments.timeout, arguments.max_memory)
    return _score(program, output, limits, arguments.group_by, errors_page)


def _prepare(folder: str, output: str) -> None:
    """Make the output directory, and remove the results of an earlier run from it.

    Whatever fails later, they would be taken for those of this submission.
    """
    os.makedirs(output, exist_ok=True)
    inputs = [os.path.join(folder, side) for side in ("ref", "res")]
    for file in codabench.WRITTEN:
        console.check_output_path(os.path.join(output, file), filter(os.path.exists, inputs))
    codabench.remove(output)


def _path_of_errors(output: str, folder: str) -> str:
    """Return the path of the page of errors; ValueError if it is not in the output directory."""
    page = os.path.join(output, folder, "errors.html")
    if os.path.relpath(page, output).startswith(os.pardir):
        advice = "and the platform keeps only what is in there; name a folder in it"
        raise ValueError(f"--errors: {folder} is not in OUTPUT_DIR, {advice}")
    return page


def _score(
    program: codabench.ScoringProgram,
    output: str,
    limits: Limits,
    group_by: str | None,
    errors_page: str | None,
) -> int:
    """Score the submission and write the results; return the exit status.

    Args:
        program: Scores.
        output: The output directory.
        limits: What the submission may take.
        group_by: A regular expression that puts documents into groups.
        errors_page: The path of the page of errors; None for no page.
    """
    # A key that cannot be read is not the participant's fault.
    program.open_key()
    outcome = program.score(limits)
    evaluation = outcome.value
    if evaluation is None:
        console.print_error(f"the submission could not be scored: {outcome.reason}")
        codabench.write_refusal(output, outcome.reason)
        return 1
    if len({file.sha256 for file in evaluation.inputs}) == 1:
        console.print_error("note: the submission holds the same bytes as the key")
    # All of them are in the detailed results.
    console.print_warnings(to_tell(evaluation.problems, evaluation.scored), option="")
    codabench.write(output, evaluation, group_by=group_by)
    if errors_page is None:
        return 0
    from scorer.analysis.page import href

    # The scores are there already, should the platform's patience end here.
    reason = program.write_errors(errors_page, limits)
    if reason:
        console.print_error(f"no page of errors: {reason}")
    else:
        link = href(errors_page, os.path.join(output, "detailed_results.html"))
        codabench.write(output, evaluation, group_by=group_by, errors=link)
    return 0


def _given_options(given: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    """Write the options that differ from the usual ones, as the program of a bundle takes them."""
    options: list[str] = []
    for name, value in given.items():
        if name in ("bundle", "key", "command") or value == usual[name]:
            continue
        text = ",".join(value) if isinstance(value, list) else value
        options.append(f"--{name.replace('_', '-')}={text}")
    return options
