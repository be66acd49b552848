"""Values that make no sense, for every option of every command: one line, or a report."""

import shutil
from itertools import product
from pathlib import Path

import pytest

from scorer.cli import commands
from scorer.cli.arguments import RESAMPLING
from scorer.cli.parser import joined, make_parser

FIXTURES = Path(__file__).parents[2] / "fixtures"
ABSURD = [
    *("", " ", "-", "--", "---", "-1", "0", "-0", "1", "2", "0.5", "1.5", "-0.5", "1e-9", "1e9"),
    *("1e400", "-1e400", "nan", "inf", "-inf", "0x10", "1_000", "١", "½", "+1", "1,2", "1,,2"),
    *("true", "None", "null", "[]", "{}", "()", "a", "A", "é", "名前", "\N{PILE OF POO}"),
    *("\udcff", "a\nb", "a\tb", "\x1b[31m", "a b", "a=b", "=", "==", "a=", ",", ",,", "a,b"),
    *("(", "[", "*", "\\", "(?P<a>x)", "(a+)+$", ".", "..", "/", "/dev/null", "nowhere/x"),
    "x" * 5000,
]
"""No numbers, numbers out of range, broken patterns, paths, rare characters."""


def options_of(command):
    """The options of a command that take a value, and what they let choose from."""
    parser = make_parser([command]).commands[command]
    return [
        (action.option_strings[0], tuple(action.choices or ()))
        for action in parser.arguments
        if action.option_strings and action.nargs != 0
    ]


OPTIONS = [(command, option) for command in commands.names() for option, _ in options_of(command)]
FIRST = {
    option: command for command in reversed(commands.names()) for option in options_of(command)
}
"""The first command that has an option with its choices."""
FLAGS = [
    (command, name)
    for command in commands.names()
    for action in make_parser([command]).commands[command].arguments
    for name in action.option_strings
]


def is_one_line(text):
    return text.endswith("\n") and text.count("\n") == 1 and "Traceback" not in text


@pytest.mark.parametrize("command", commands.names())
def test_every_option_reads_or_refuses_every_value(command, capfd):
    parser = make_parser([command])
    options = [name for name, choices in options_of(command) if FIRST[name, choices] == command]
    for option, value in product(options, ABSURD):
        try:
            parser.parse_known_args(joined([command, f"{option}={value}", "k", "r"]))
        except SystemExit as leaving:
            status = leaving.code
        else:
            continue
        assert (status, is_one_line(capfd.readouterr().err)) == (2, True), (option, value)


@pytest.mark.parametrize("command", commands.names())
def test_two_dashes_are_no_value(command, main):
    names = [name for of, name in FLAGS if of == command]
    for name in names:
        arguments = [f"{name}=--"] if name.startswith("--") else [f"{name}=--", f"{name}--"]
        for argument in arguments:
            status, out, err = main(command, argument, "k", "r")
            assert (status, out) == (2, "")
            assert err == f"scorer: error: argument {name}: '--' is no value\n"


POSITIONALS = {
    "agreement": ["key.conll", "response.conll"],
    "batch": ["manifest.csv"],
    "check": ["key.conll", "response.conll"],
    "codabench": ["in", "out"],
    "completion": ["bash"],
    "convert": ["key.conll", "written.conll"],
    "formats": [],
    "help": [],
    "metrics": [],
    "show": ["key.conll"],
}
TWO = ["key.conll", "response.conll"]


def test_a_command_with_an_absurd_option_reports_or_says_why_not(main, tmp_path, monkeypatch):
    """One value for each option, another one for the next."""
    monkeypatch.chdir(tmp_path)
    for side in ("key", "response"):
        shutil.copy(FIXTURES / f"example.{side}.conll", f"{side}.conll")
    Path("manifest.csv").write_text("key,response\nkey.conll,response.conll\n")
    for number, (command, option) in enumerate(OPTIONS):
        value = ABSURD[7 * number % len(ABSURD)]
        if option in ("--scheduler", "--jobs", "--trials"):
            continue
        words = [f"{option}={value}", *POSITIONALS.get(command, TWO)]
        if command in RESAMPLING:
            words += ["--trials", "20"]
        status, _, err = main(command, *words)
        assert status in (0, 1, 2), (command, option, value)
        assert "Traceback" not in err
        if status == 2:
            assert is_one_line(err), (command, option, value, err)
