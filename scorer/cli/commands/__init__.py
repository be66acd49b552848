"""The commands of `scorer`, and the module of each.

Such a module holds a docstring (the description of the command), `EPILOG` (examples), `FORMATS`
(the output formats, if it writes a report) and `run(arguments)`, which turns the arguments into
typed values, calls the feature and returns the exit status, or nothing where that is always 0. A
feature has its command beside it; those of no feature are in this folder. The arguments of all of
them are in the table of `scorer.cli.arguments`.
"""

from importlib import import_module
from typing import Any, NamedTuple


class Command(NamedTuple):
    """A command.

    Attributes:
        module: The name of its module, which is imported only if the command is called.
        help: What it does, for the list of commands.
    """

    module: str
    help: str


COMMANDS = {
    "agreement": Command(
        "scorer.annotators.command",
        help="agreement of annotators: F1 of each pair, and Krippendorff's alpha",
    ),
    "batch": Command(
        "scorer.batches.command",
        help="score the keys and responses that a manifest lists",
    ),
    "check": Command(
        "scorer.checking.command",
        help="list all problems of files, or of a key and a response",
    ),
    "codabench": Command(
        "scorer.codabench",
        help="score a submission for Codabench or CodaLab",
    ),
    "compare": Command(
        "scorer.comparison.compare_command",
        help="compare responses: confidence intervals and significance",
    ),
    "completion": Command(
        "scorer.cli.commands.completion",
        help="print completions for a shell",
    ),
    "convert": Command(
        "scorer.conversion.command",
        help="write the documents of a file in another format",
    ),
    "errors": Command(
        "scorer.analysis.errors_command",
        help="analyse the errors of a response: kinds, costs, places",
    ),
    "formats": Command(
        "scorer.cli.commands.formats",
        help="list the file formats",
    ),
    "help": Command(
        "scorer.cli.commands.help",
        help="show the help of a command",
    ),
    "leaderboard": Command(
        "scorer.comparison.leaderboard_command",
        help="score many responses to one key, and rank them",
    ),
    "metrics": Command(
        "scorer.cli.commands.metrics",
        help="list the metrics",
    ),
    "muc7": Command(
        "scorer.spans.muc7_command",
        help="the coreference report and the slot report of MUC-7",
    ),
    "score": Command(
        "scorer.scoring.command",
        help="score a response against a key",
    ),
    "show": Command(
        "scorer.analysis.show_command",
        help="show documents as text, with their mentions in brackets",
    ),
    "spans": Command(
        "scorer.spans.spans_command",
        help="score spans: mentions, or names with their labels",
    ),
}
"""The commands by name."""


def names() -> list[str]:
    """List the commands, sorted."""
    return sorted(COMMANDS)


def get(name: str) -> Any:
    """Import the module of a command."""
    return import_module(COMMANDS[name].module)
