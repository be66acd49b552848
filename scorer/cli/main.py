"""The command `scorer`: its own commands, one a file in `scorer.cli.commands`, and those of scorer.pl."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from datetime import UTC, datetime

from scorer import perl
from scorer.cli.console import write_output
from scorer.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterator, Sequence

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
    from conll.errors import ConllError, EntryPointError
    from scorer.cli.arguments import runs_joined, scheduler_joined

    parser = _parser(arguments)
    parsed, unknown = parser.parse_known_args(runs_joined(scheduler_joined(arguments)))
    if unknown:
        # The usage that is shown then is that of the command.
        (parser if parsed.command is None else parsed.parser).refuse(unknown)
    if parsed.command is None:
        parser.print_help()
        return 2
    # For numpy's matrix products, all of them small: threads take longer to start, and to wait for,
    # than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        with _requests_end():
            status: int = parsed.run(parsed)
    except ConllError as error:
        return _refuse(str(error), getattr(error, "likely", ()))
    except (ValueError, ImportError, EntryPointError) as error:
        from scorer.version import said

        return _refuse(f"scorer {parsed.command}: {said(error)}")
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refuse(perl.fault(error))
    return status


@contextmanager
def _requests_end() -> Iterator[None]:
    """Treat a request to end, or a hangup, like an interrupt: what is running is stopped, and nothing half-written stays.

    Signals that the caller has this process ignore, as nohup does, stay ignored.
    """
    import signal

    from conll.system import HANGUPS

    numbers = (signal.SIGTERM, *HANGUPS)
    # None is the handler of a program that has Python in it, which Python could not put back.
    before = {
        number: handler
        for number in numbers
        if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)
    }
    ours = os.getpid()

    def end(number: int, _: object) -> None:
        # A process that has just been forked has this handler still, and nothing of its own to
        # clean up.
        if os.getpid() != ours:
            os._exit(128 + number)
        sys.exit(128 + number)

    try:
        for number in before:
            signal.signal(number, end)
    except ValueError:
        # This is not the main thread, which alone may ask for them.
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _refuse(message: str, notes: Sequence[str] = ()) -> int:
    from scorer.cli.console import print_error

    print_error(message)
    for note in notes:
        print_error(f"note: {note}")
    return 2


def _parser(arguments: Sequence[str] = ()) -> Parser:
    """The parser.

    If the command is known, only its file is imported, as the others may need more.
    """
    from scorer.cli import commands
    from scorer.cli.parser import Parser
    from scorer.show.perl import ALL
    from scorer.version import __version__

    parser = Parser(prog="scorer", description="Evaluate coreference resolution.", epilog=EPILOG)
    parser.others = ("all", *ALL)
    parser.add_argument("--version", "-V", action="version", version=f"conll-scorer {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog=parser.prog
    )
    known = commands.names()
    asked = set(arguments[:1])
    for name in () if asked == {"--version"} else asked.intersection(known) or known:
        command = commands.get(name)
        subparser = subparsers.add_parser(
            name, help=command.HELP, description=command.__doc__, epilog=command.EPILOG
        )
        command.add_arguments(subparser)
        subparser.finish(getattr(command, "COMMON", None))
        subparser.set_defaults(run=command.run, parser=subparser)
    parser.commands = subparsers.choices
    return parser


_TERM = re.compile(r"  (\S.*?)  +(\S.*)")
"""A line of a list in a help text: what is explained, and the explanation."""


def page() -> str:
    """The page as man(7) text.

    Dated by SOURCE_DATE_EPOCH where that is set, and today where not.
    """
    now = datetime.now(UTC).timestamp()
    date = datetime.fromtimestamp(float(os.environ.get("SOURCE_DATE_EPOCH", now)), UTC)
    parser = _parser()
    lines = [
        f'.TH SCORER 1 {date:%Y-%m-%d} "conll\\-scorer {__version__}"',
        ".SH NAME",
        "scorer \\- scores coreference",
        ".SH SYNOPSIS",
        *(line for name, command in parser.commands.items() for line in _synopsis(name, command)),
        *(".B scorer", _escaped("METRIC KEY RESPONSE [NAME]")),
        ".SH DESCRIPTION",
        *_prose(EPILOG),
    ]
    for name, command in parser.commands.items():
        lines += [
            f".SH SCORER {name.upper()}",
            *_prose(command.description or ""),
            *_arguments(command),
        ]
        lines += [".PP", *_prose(command.epilog or "")]
    return "".join(f"{line}\n" for line in lines)


def _synopsis(name: str, command: Parser) -> Iterator[str]:
    yield f".B scorer {name}"
    places = " ".join(
        _placeholder(action) for action in command.arguments if not action.option_strings
    )
    has_options = len([action for action in command.arguments if action.option_strings]) > 1
    yield _escaped(f"{'[OPTION]... ' if has_options else ''}{places}".strip()) or "\\&"
    yield ".br"


def _placeholder(action: Action) -> str:
    """How a synopsis writes an argument that is no option."""
    name = _value(action)
    return {"?": f"[{name}]", "+": f"{name}...", "*": f"[{name}...]"}.get(str(action.nargs), name)


def _value(action: Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""


def _arguments(command: Parser) -> Iterator[str]:
    """A list of what a command takes, but the option that shows its help."""
    for action in command.arguments[1:]:
        names = ", ".join(f"\\fB{_escaped(option)}\\fR" for option in action.option_strings)
        value = f"\\fI{_escaped(_value(action))}\\fR" if action.nargs != 0 else ""
        yield from (".TP", f"{names} {value}".strip(), _escaped((action.help or "") % vars(action)))


def _prose(text: str) -> Iterator[str]:
    """A help text: its paragraphs, lists, and lines that stand as they are, such as examples."""
    for at, paragraph in enumerate(text.strip().split("\n\n")):
        if at:
            yield ".PP"
        before = ""
        for line in paragraph.splitlines():
            term = _TERM.fullmatch(line)
            kind = (
                "term"
                if term
                else "more"
                if before in {"term", "more"} and line.startswith("   ")
                else "line"
                if line[0] == " "
                else ""
            )
            if (kind == "line") != (before == "line"):
                yield ".EX" if kind == "line" else ".EE"
            if term:
                yield from (".TP", f"\\fB{_escaped(term[1])}\\fR", _escaped(term[2]))
            else:
                if not kind and before:
                    yield ".PP"
                yield _escaped(line if kind == "line" else line.strip())
            before = kind
        if before == "line":
            yield ".EE"


def _escaped(text: str) -> str:
    """Text that roff prints as it is."""
    escaped = (
        text.replace("\\", "\\e")
        .replace("-", "\\-")
        .replace("`", "\\(ga")
        .replace("^", "\\(ha")
        .replace("~", "\\(ti")
    )
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    write_output(page(), None)
