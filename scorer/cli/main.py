"""The command `scorer`: the commands of `scorer.cli.commands`, and those of scorer.pl."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from scorer import perl

if TYPE_CHECKING:
    from scorer.cli.parser import Parser

EPILOG = """\
scorer help COMMAND says more of each
scorer METRIC KEY RESPONSE [NAME] prints what scorer.pl prints

examples:
  scorer score key.conll response.conll
  scorer score key.conll response.jsonl --metrics muc,bcub,ceafe,conll --per-document
  scorer score key/ response.conll.gz --output scores.json
  scorer check key.conll response.conll
  scorer all key.conll response.conll none

exit status: 0 done, 1 problems found, 2 wrong usage or a file that cannot be read
"""


def run() -> int:
    """`main` with the arguments of the process."""
    return perl.run(main)


def main(arguments: list[str]) -> int:
    """Run `scorer` with its arguments.

    Returns the exit status (0 done, 1 problems found, 2 wrong usage or unreadable files).
    """
    if arguments and perl.metrics_of(arguments[0])[0]:
        return perl.main(arguments)
    from scorer.version import __version__

    if arguments in (["--version"], ["-V"]):
        perl.standard_output().write(f"conll-scorer {__version__}\n".encode())
        return 0
    from scorer.cli.parser import joined, refuse_dashes

    parser = make_parser(arguments)
    if _are_files(arguments[:2]):
        from shlex import join

        words = join(["scorer", "score", *arguments])
        parser.error(f"{arguments[0]} is a file and no command; write: {words}")
    refuse_dashes(parser, arguments)
    parsed, unknown = parser.parse_known_args(joined(arguments))
    if unknown:
        # The usage that is shown then is that of the command.
        (parser if parsed.command is None else parsed.parser).refuse(unknown)
    if parsed.command is None:
        parser.print_help()
        return 2
    return _run(parsed.command, lambda: parsed.run(parsed))


def _run(name: str, command: Callable[[], int]) -> int:
    """Run a command; print an error on one line.

    Args:
        name: The name of the command.
        command: Runs it.

    Returns:
        The exit status.
    """
    from conll.errors import ConllError, EntryPointError
    from scorer.cli.console import RefusedError, print_error
    from scorer.version import said

    try:
        with _signals_end_process():
            status = command()
    except RefusedError:
        return 1
    except ConllError as error:
        print_error(error)
    except (ValueError, ImportError, EntryPointError) as error:
        print_error(f"scorer {name}: {said(error)}")
    except BrokenPipeError:
        raise
    except OSError as error:
        print_error(perl.fault(error))
    else:
        return status
    return 2


def _are_files(arguments: Sequence[str]) -> bool:
    """Return whether these are two files where the first should be a command."""
    from scorer.cli import commands

    is_command = arguments[:1] and arguments[0] in commands.names()
    return len(arguments) == 2 and not is_command and all(map(os.path.exists, arguments))


@contextmanager
def _signals_end_process() -> Iterator[None]:
    """Treat a request to end, or a hangup, like an interrupt, so that nothing half-written stays.

    Until here an interrupt ends the process at once, as `conll_scorer` asks for.

    Signals that the caller has this process ignore, as nohup does, stay ignored.
    """
    import signal

    from conll.system import HANGUPS

    ours = os.getpid()
    before: dict[int, Any] = {}

    def end(number: int, _: object) -> None:
        # A process that has just been forked has this handler still, and nothing of its own to
        # clean up.
        if os.getpid() != ours:
            os._exit(128 + number)
        sys.exit(128 + number)

    # Only the main thread may ask for them.
    with suppress(ValueError):
        for number in (signal.SIGTERM, *HANGUPS):
            # None is the handler of a program that has Python in it, which Python could not put
            # back.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, end)
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def make_parser(arguments: Sequence[str] | None = None) -> Parser:
    """Make the parser of the command line.

    Args:
        arguments: The command line; only the command that it names, which may import much, gets its
            arguments. None for the arguments of every command.
    """
    from scorer.cli import commands
    from scorer.cli.parser import Parser, add_arguments
    from scorer.perl import PERL_METRICS
    from scorer.version import __version__

    parser = Parser(prog="scorer", description="Evaluate coreference resolution.", epilog=EPILOG)
    parser.others = ("all", *PERL_METRICS)
    parser.add_argument("--version", "-V", action="version", version=f"conll-scorer {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog=parser.prog
    )
    known = commands.names()
    asked = known if arguments is None else set(arguments[:1]).intersection(known)
    for name in asked or known:
        subparser = subparsers.add_parser(name, help=commands.COMMANDS[name].help)
        if name not in asked:
            continue
        command = commands.get(name)
        subparser.description, subparser.epilog = command.__doc__, command.EPILOG
        add_arguments(subparser, name)
        subparser.finish()
        subparser.set_defaults(run=command.run, parser=subparser)
    parser.commands = subparsers.choices
    return parser
