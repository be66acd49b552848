"""The command `scorer`: the commands of `scorer.cli.commands`, and those of scorer.pl."""

from scorer import perl
from scorer.version import __version__


def run() -> int:
    """`main` with the arguments of the process."""
    return perl.run(main)


def main(arguments: list[str]) -> int:
    """Run `scorer` with its arguments.

    Returns the exit status (0 done, 1 problems found, 2 wrong usage or unreadable files).
    """
    if arguments and perl.metrics_of(arguments[0])[0]:
        return perl.main(arguments)
    if arguments in (["--version"], ["-V"]):
        perl.standard_output().write(f"conll-scorer {__version__}\n".encode())
        return 0
    # Loaded only here, as the commands of scorer.pl do without.
    from scorer.cli.parser import run_command

    return run_command(arguments)
