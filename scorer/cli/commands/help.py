"""Say what a command does and which arguments it takes, as `scorer COMMAND --help` does."""

from __future__ import annotations

from argparse import Namespace

HELP = "show the help of a command"

EPILOG = """\
examples:
  scorer help score
"""


def run(arguments: Namespace) -> int:
    """Show the help of the command, which ends the process with status 0."""
    from scorer.cli.main import main

    return main([*([arguments.about] if arguments.about else []), "--help"])
