"""Say what a command does and which arguments it takes, as `scorer COMMAND --help` does."""

from argparse import Namespace

from scorer.cli.main import main

EPILOG = """\
examples:
  scorer help score
"""


def run(arguments: Namespace) -> int:
    """Show the help of the command, which ends the process with status 0."""
    command = [arguments.about] if arguments.about else []
    return main([*command, "--help"])
