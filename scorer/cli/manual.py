"""The manual page of `scorer`, made of what its parsers say: `python -m scorer.cli.manual` prints it."""

from __future__ import annotations

import os
import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from scorer.cli.console import publish
from scorer.cli.main import EPILOG, _parser
from scorer.version import __version__

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterator

    from scorer.cli.parser import Parser

_TERM = re.compile(r"  (\S.*?)  +(\S.*)")
"""A line of a list in a help text: what is explained, and the explanation."""


def page() -> str:
    """The page as man(7) text; dated by SOURCE_DATE_EPOCH where that is set, and today where not."""
    now = datetime.now(timezone.utc).timestamp()
    date = datetime.fromtimestamp(float(os.environ.get("SOURCE_DATE_EPOCH", now)), timezone.utc)
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
        lines += [f".SH SCORER {name.upper()}", *_prose(command.description or ""), *_arguments(command)]
        lines += [".PP", *_prose(command.epilog or "")]
    return "".join(f"{line}\n" for line in lines)


def _synopsis(name: str, command: Parser) -> Iterator[str]:
    yield f".B scorer {name}"
    places = " ".join(_placeholder(action) for action in command.arguments if not action.option_strings)
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
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    publish(page(), None)
