"""Score a submission as a scoring program of Codabench or CodaLab.

INPUT_DIR is what the platform prepares: ref holds the key, res the submission, each a file or
several; what the platform adds (metadata, __MACOSX) is passed over, and a zip archive in res is
unpacked. OUTPUT_DIR gets scores.json, scores.txt and detailed_results.html. With --bundle, write a
competition that does this, ready to be uploaded.
"""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import suppress

from conll.check import to_tell
from scorer.cli import console
from scorer.codabench import codabench
from scorer.options import compiled
from scorer.report.forms import require

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
        os.makedirs(output, exist_ok=True)
        inputs = [os.path.join(folder, side) for side in ("ref", "res")]
        for file in codabench.WRITTEN:
            console.check_output_path(os.path.join(output, file), filter(os.path.exists, inputs))
        # Whatever fails now, the scores of an earlier run would be taken for those of this
        # submission.
        codabench.remove(output)
    scheme = console.scheme_of(arguments)
    if arguments.group_by is not None:
        compiled(arguments.group_by)
    if arguments.bundle is not None:
        return _bundle(arguments, scheme.names)
    if folder is None or output is None:
        raise ValueError("give INPUT_DIR and OUTPUT_DIR to score, or --bundle to write a bundle")
    if arguments.key is not None:
        raise ValueError("--key belongs to --bundle; a platform puts the key in INPUT_DIR/ref")
    page = os.path.join(output, arguments.errors or "", "errors.html")
    if os.path.relpath(page, output).startswith(os.pardir):
        advice = "and the platform keeps only what is in there; name a folder in it"
        raise ValueError(f"--errors: {arguments.errors} is not in OUTPUT_DIR, {advice}")
    if arguments.errors is not None:
        from scorer.analysis.find import scheme_of_errors

        scheme_of_errors(scheme)
        # What an earlier run may have left is not of this submission.
        with suppress(FileNotFoundError):
            os.unlink(page)
    formats = arguments.key_format, arguments.response_format
    program = codabench.ScoringProgram(folder, scheme, *formats, arguments.max_size)
    # A key that cannot be read is not the participant's fault.
    program.open_key()
    limits = console.limits_of(arguments.timeout, arguments.max_memory)
    outcome = program.score(limits)
    if outcome.value is None:
        console.print_error(f"the submission could not be scored: {outcome.reason}")
        codabench.write_refusal(output, outcome.reason)
        return 1
    if len({file.sha256 for file in outcome.value.inputs}) == 1:
        console.print_error("note: the submission holds the same bytes as the key")
    # All of them stand in the detailed results.
    console.print_warnings(to_tell(outcome.value.problems, outcome.value.scored), option="")
    codabench.write(output, outcome.value, by=arguments.group_by)
    if arguments.errors is not None:
        from scorer.analysis.error_pages import href

        # The scores are there already, should the platform's patience end here.
        reason = program.write_errors(page, limits)
        if reason:
            console.print_error(f"no page of errors: {reason}")
        else:
            link = href(page, os.path.join(output, "detailed_results.html"))
            codabench.write(output, outcome.value, by=arguments.group_by, errors=link)
    return 0


def _bundle(arguments: Namespace, names: list[str]) -> int:
    if arguments.input is not None:
        raise ValueError(
            "--bundle writes a competition and scores nothing; leave out INPUT_DIR and OUTPUT_DIR"
        )
    usual = vars(arguments.parser.parse_args([]))
    given = [
        f"--{name.replace('_', '-')}={','.join(value) if isinstance(value, list) else value}"
        for name, value in vars(arguments).items()
        if name not in ("bundle", "key", "command") and value != usual[name]
    ]
    codabench.write_bundle(arguments.bundle, names, given, arguments.key, arguments.key_format)
    if arguments.key is None:
        console.print_error(
            f"put the key into {arguments.bundle}/reference_data before you upload the bundle"
        )
    return 0
