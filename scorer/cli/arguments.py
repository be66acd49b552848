"""The arguments of all commands, in one table, and the parser that is made of it.

To add an option, add a row to `ARGUMENTS`, and name the commands that take it. The parsers, both
levels of help, completion and the reference are made from the table. Options of scoring are rows of
`scorer.options.TABLE` instead: the library and manifests take them as well.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    RawDescriptionHelpFormatter,
)
from contextlib import suppress
from functools import partial
from importlib import import_module

from conll.errors import did_you_mean, pluralize
from scorer.cli.console import columns, print_error, write_output
from scorer.options import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, NoReturn

# The groups of commands that the table names.
GROUPS = {
    "SCORING": "compare leaderboard batch errors codabench score",
    "RESAMPLING": "compare leaderboard batch errors",
    "REPORTS": "score compare leaderboard batch errors spans muc7",
}

ARGUMENTS = """\
key KEY | score compare leaderboard errors spans muc7
    the reference annotation
response RESPONSE | score errors spans muc7
    the annotation to score
responses RESPONSE... | compare
    the annotations to compare; a single one gets intervals only
responses RESPONSE... | leaderboard
    files, zip archives or directories of responses
manifest MANIFEST | batch
    a CSV or YAML file, or - for standard input
files FILE... | check
    files or directories; two are also compared as key and response
input IN | convert
    a file, a directory, or - for standard input
output OUT | convert
    the file to write, or - for standard output
input [INPUT_DIR] | codabench
    the input directory of the platform, with ref and res in it
output [OUTPUT_DIR] | codabench
    the directory for the scores
file FILE | show
    the file, directory or URL to show, or - for standard input
response [RESPONSE] | show
    a response to show below FILE, which is then the key
shell SHELL {:SHELLS} | completion
    one of {values}
about [COMMAND] {scorer.cli.commands:names} | help
    the command (default: an overview)

systems:
--corpora MANIFEST | (compare leaderboard)
    compare means over several corpora, which a manifest of `scorer batch` lists; replaces KEY and
    RESPONSE
--runs PATTERN | compare (leaderboard)
    regular expression: the part of names that differs between runs
--names FILE=NAME... | compare
    name of a response (default: the file name)
--names FILE=NAME... | leaderboard
    name of a response, or a CSV file of names (default: the file name)

scoring:
--preset PRESET {scorer.options:PRESETS} | SCORING
    settings of a shared task, such as crac25; other options override it
--presets LIST | (batch)
    score each row with each of these settings, such as crac25,crac25:singletons=keep
--metrics -m METRICS... | SCORING
    metrics, such as muc,conll; `scorer metrics` lists all (default: all)
--force align=force | (SCORING)
    align a response even if it contains less than half of the key's words
OPTIONS
--of {scorer.spans.scores:OF} | spans | mentions
    score mentions, or named entities with their labels (default: {default})
--beta NUMBER | (spans) | 1
    weight of recall in F; above 1, recall counts more than precision (default: {default})
--within-label | (spans)
    never match spans with different labels
--min-overlap SHARE | (spans) | 0
    SemEval schemes: the share of a key span that a response span must cover, from 0 to 1 (default:
    one token)
--thresholds {scorer.spans.scores:SETS} | (spans)
    score the spans above each confidence threshold: in steps of 0.1 or 0.05, or at every score
--score-column FIELD | (spans) | confidence
    the mention attribute, or the column of the first token, that holds confidence scores (default:
    {default})
--partial | muc7
    count a fill that overlaps as half correct instead of incorrect
--section FIELD | muc7
    report each section separately; this column or attribute holds the section
--antecedents {scorer.analysis.pair:ANTECEDENTS} | (errors) | closest
    antecedent of the first mention of a split-off part: the closest mention, or a name or nominal
    first (default: {default})
--links {scorer.analysis.pair:PRECISION} | (errors) | auto
    links of the response: those in its file (output), those of trees, or those in its file if it
    has any (default: {default})

comparison:
--method {scorer.comparison.resampling:METHODS} | (compare leaderboard batch)
    how p-values are computed; see the end of `scorer compare --help-all` (default: randomisation;
    bootstrap with --runs)
--alternative {scorer.comparison.resampling:ALTERNATIVES} | (compare)
    alternative hypothesis: the systems differ, or the first is better (greater) or worse (less)
    (default: two-sided)
--trials N | (RESAMPLING)
    number of resamples (default: 10000)
--seed N | (RESAMPLING)
    seed of the random numbers; the same seed gives the same output (default: 0)
--confidence FRACTION | (RESAMPLING)
    confidence level of intervals and tests (default: 0.95)
--interval {scorer.comparison.resampling:INTERVALS} | (RESAMPLING)
    kind of bootstrap interval (default: expanded)
--unit PATTERN | (RESAMPLING)
    resampling unit: the parts of a document together (part), each document (document), or documents
    for which this regular expression captures the same text (default: part)
--power FRACTION | (compare)
    also show the smallest difference that would be detected with this probability, such as 0.8

output:
--show SECTIONS,... {scorer.show.errors:SECTIONS} | errors
    some of {values}, or all (default: kinds,links,bounds)
--show COLUMNS,... {scorer.comparison.resampling:SHOW} | leaderboard
    some of {values}, or all (default: tier,letters)
--sort METRIC | leaderboard
    rank by the F1 of this metric (default: conll, or the first)
--full | leaderboard
    also show recall and precision of each metric
--per-document | score spans muc7 (batch)
    also show each document
--average {scorer.evaluation.evaluation:AVERAGING} | score spans (batch) | micro
    totals (micro), means over documents (macro), or both (default: {default})
--average {scorer.comparison.resampling:AVERAGES} | compare (leaderboard) | micro
    totals (micro) or means over documents (macro) (default: {default})
--group-by REGEX | score compare errors spans muc7 codabench (leaderboard batch)
    group documents by what this regular expression captures in their names
--by COLUMN | spans
    also score each value of this label, column or attribute separately; see --help-all
--by COLUMN,... | errors
    also use these columns or mention attributes as strata
--against OTHER | errors spans
    a second response to compare with RESPONSE
--over-corpora | batch
    also show the mean over corpora for each system
--shape {wide,long} | (batch)
    wide: one line per corpus and system, one column per setting and metric; long: one line per
    score (default: one line per row and setting in tables, otherwise long)
--delta RUN.JSON | batch
    show changes since an earlier run, given as its JSON file, with p-values
--fail-under METRIC=PERCENT... | score
    exit with status 1 if a metric's F1 is lower, such as conll=70
--chart FILE | errors
    write a plot of error costs, in the last metric shown, as SVG
--errors FOLDER | leaderboard
    write an HTML page of each system's errors to this folder
--errors FOLDER | codabench
    also write a page of errors to this folder in OUTPUT_DIR, linked from the detailed results
--document NAME... | show
    show only this document; can be repeated (default: all)
--cluster ID... | show
    mark only this cluster of FILE, and the clusters of RESPONSE that share a mention with it; can
    be repeated (default: all)
--color {auto,always,never} | show | auto
    colour the cluster ids (default: {default})
--no-pager | show
    write directly to the terminal
--format -f FORMAT {:FORMATS} | REPORTS
    one of {values} (default: by the name of --output, else table)
--format -f {text,html} | show
    (default: by the name of --output, else text)
--output -o FILE | REPORTS show
    write to this file instead of standard output
--title TEXT | (REPORTS)
    heading of an HTML report
--signature {full,short} | (REPORTS) | short
    show the full signature, or only settings that differ from the defaults (default: {default})

execution:
--format FORMAT | check
    file format of all files (default: detected for each file)
--each | check
    check two files separately, not as key and response
--from FORMAT | convert
    file format of IN (default: detected)
--to FORMAT | convert
    file format of OUT (default: by its name)
--drop | convert
    leave out mentions and words that the format of OUT cannot hold, with a warning
--force | convert
    allow more than a million placeholders for missing words, and a text with less than half of the
    words of KEY
--key KEY | convert
    align the words of IN with this key, and repair IN
--side {key,response} | convert show
    which clusters to read from a file that holds key and response clusters (clusters and
    predicted_clusters)
--bundle DIR | codabench
    write a competition bundle to this new directory instead of scoring
--key KEY | codabench
    with --bundle: the key (file or directory) to put into the bundle
--key-format FORMAT | (SCORING spans muc7 show)
    file format of the key; `scorer formats` lists them (default: detected)
--response-format FORMAT | (SCORING spans muc7 show)
    file format of the response (default: detected)
--strict | errors spans muc7 (score compare leaderboard batch)
    treat warnings as errors
--jobs -j N | compare leaderboard batch | 1
    number of processes (default: {default}; 0: one per core)
--scheduler [ADDRESS] | (score compare leaderboard batch)
    run on this Dask cluster (tcp://host:port, host:port or =FILE.json); without an address, on a
    local cluster with one worker per core
--cache DIR | batch
    keep results in this folder, so that an interrupted run can continue (default: OUTPUT.cache)
--timeout SECONDS | (leaderboard) | 600
    time limit for each response (default: {default})
--timeout SECONDS | (codabench) | 540
    time limit for the submission (default: {default})
--timeout SECONDS | (batch)
    time limit for each row (default: none)
--max-size SIZE | (leaderboard codabench) | 500M
    size limit for each response, after unpacking (default: {default})
--max-memory SIZE | (leaderboard codabench) | 4G
    memory limit for each response, in addition to the key (default: {default})
--max-memory SIZE | (batch)
    memory limit for each row, such as 4G (default: none)
--quiet -q | REPORTS convert
    show no warnings and no progress
--all-warnings | convert (REPORTS)
    show all warnings instead of the first ten of each kind
"""
"""Every argument of every command, in the order of help.

A row has a line with up to three columns, and below that what the argument does. The columns are:

- how it is typed: its names, what its value is called, and `{the values}` to choose from, or the
  `{module:NAME}` of them or of a function that lists them; without a module, in that of the
  command. Without - it is a positional argument, without a value a flag, and `name=value` is what a
  flag stores. `[N]` may be left out, `N,...` may be a list with commas, and `N...` may be several:
  words in a row, or for an option one each time it is given.
- the commands that take it; those in parentheses show it only in `--help-all`
- the default

The line `OPTIONS` stands for the rows of the options of scoring.
"""

# The commands that show an option of scoring in --help, and those that take it besides.
_COMMON_SCORING = {"match": "score", "singletons": "score errors codabench"}
_OTHER_SCORING = {"documents": "spans muc7", "repair": "convert", "rounding": "spans"}


class Corpora(Action):
    """Stores the manifest of --corpora, which stands in place of positional arguments."""

    def __call__(self, parser: Any, namespace: Any, values: Any, _: object = None) -> None:
        setattr(namespace, self.dest, values)
        for action in parser.arguments:
            if not action.option_strings:
                action.required = False


SPECIAL: dict[str, dict[str, Any]] = {
    "--corpora": {"action": Corpora},
    # None and not an empty list, to know what was given: that goes before a preset.
    "--metrics": {"default": None},
}
"""What argparse has to know of an argument beside its row."""

# Bounds that exclude 0 and infinity.
LEAST, MOST = 1e-300, 1e300


def _reader(
    read: Callable[[str], Any], kind: str, low: float = -MOST, high: float = MOST
) -> Callable[[str], Any]:
    """Return a function for argparse that reads a number, or says what `kind` of value is needed."""

    def convert(text: str) -> Any:
        with suppress(ValueError, OverflowError):
            number = read(text)
            if low <= number <= high:
                return number
        raise ArgumentTypeError(f"{text!r} is not {kind}")

    return convert


def _size(text: str) -> int:
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    number = text.upper().removesuffix("B")
    power = units.get(number[-1:], 0)
    return int(float(number[:-1] if power else number) * (1 << power))


def _floor(text: str) -> tuple[str, float]:
    from scorer.registry import canonical

    metric, _, percent = text.partition("=")
    with suppress(ValueError):
        if 0 <= float(percent) <= 100:
            return canonical(metric), float(percent)
    raise ArgumentTypeError(f"{text!r} is not METRIC=PERCENT, such as conll=70")


TYPES: dict[str, Callable[[str], Any]] = {
    "FRACTION": _reader(float, "a number"),
    "METRIC=PERCENT": _floor,
    "N": _reader(int, "a whole number, 0 or more", 0),
    "NUMBER": _reader(float, "a number above 0", LEAST),
    "SECONDS": _reader(float, "a number of seconds above 0", LEAST),
    "SHARE": _reader(float, "a number from 0 to 1", 0, 1),
    "SIZE": _reader(_size, "a number of bytes above 0, such as 500000, 200M or 1.5G", 1),
}
"""What reads a value, by how help calls the value; any other is text."""


def _read_list(values: Sequence[str], text: str) -> list[str]:
    """Split a list at its commas; where there are values to choose from, `all` stands for them."""
    if "+" in text:
        raise ArgumentTypeError(f"{text!r} is a list with +; write {text.replace('+', ',')}")
    words = [word for part in text.split(",") if (word := part.strip())]
    known = [*values, "all"]
    for word in words if values else ():
        if word not in known:
            hint = did_you_mean(word, known)
            raise ArgumentTypeError(f"{word!r} is not one of {', '.join(known)}{hint}")
    return list(values) if "all" in words and values else words


def add_arguments(parser: Parser, command: str) -> None:
    """Add the arguments of a command to its parser."""
    scoring = [
        f"--{name.replace('_', '-')} {option.text or '{' + ','.join(option.choices) + '}'} | "
        f"{_COMMON_SCORING.get(name, '')} (SCORING {_OTHER_SCORING.get(name, '')})\n"
        f"    {option.help.format(default=option.default)}"
        for name, option in sorted(TABLE.items(), key=lambda item: item[1].rare)
    ]
    group: Any = parser
    for row in re.split(r"\n+(?=\S)", ARGUMENTS.replace("OPTIONS", "\n".join(scoring))):
        head, *lines = row.splitlines()
        spec, *others = head.split(" | ")
        if not others:
            group = parser.add_argument_group(head.removesuffix(":"))
            continue
        takers = re.sub("[A-Z]+", lambda name: GROUPS[name[0]], others[0])
        common = takers.partition("(")[0].split()
        if command in re.findall(r"\w+", takers):
            words = " ".join(map(str.strip, lines))
            action = _add_argument(group, command, spec, words, *others[1:])
            if command not in common:
                parser.rare.append(action)


def _add_argument(
    group: Any,
    command: str,
    spec: str,
    help: str,  # noqa: A002  the word of argparse
    default: str | None = None,
) -> Action:
    """Add an argument to a group of a command's parser, as its row says."""
    names, value = [], ""
    values: Sequence[str] = ()
    words: dict[str, Any] = {} if default is None else {"default": default}
    for word in spec.split():
        if word.startswith("{"):
            values = _values_of(word.strip("{}"), command)
        elif word.isupper():
            value = word
        elif "=" in word:
            words["dest"], words["const"] = word.split("=")
        else:
            names.append(word)
    if value:
        words["metavar"] = value.strip("[],.")
        words["type"] = TYPES.get(words["metavar"])
    elif not values:
        words["action"] = "store_const" if "const" in words else "store_true"
    if value.startswith("["):
        words |= {"nargs": "?", "const": ""}
    if value.endswith(",..."):
        words |= {"type": partial(_read_list, values), "action": "extend", "default": []}
    elif value.endswith("..."):
        is_option = names[0].startswith("-")
        words |= {"action": "append", "default": []} if is_option else {"nargs": "+"}
    elif values:
        words["choices"] = values
    words["help"] = help.format(values=", ".join(values), default=default)
    action: Action = group.add_argument(*names, **words | SPECIAL.get(names[0], {}))
    return action


def _values_of(named: str, command: str) -> Sequence[str]:
    """Return the values that a row names, itself or by where they are."""
    module, colon, name = named.rpartition(":")
    if not colon:
        return tuple(name.split(","))
    values = getattr(import_module(module or f"scorer.cli.commands.{command}"), name)
    return tuple(values() if callable(values) else values)


def explained() -> str:
    """Explain the values of options of scoring that do not explain themselves, for a help text."""
    return "\n".join(
        f"{option.name} ({option.about}):\n"
        + "".join(f"  {value or '':9}  {meaning}\n" for value, meaning in option.words.items())
        for option in TABLE.values()
        if option.about
    )


def joined(arguments: list[str]) -> list[str]:
    """Join --scheduler and --runs to their values, which argparse would take for something else.

    What follows --scheduler may be an address or the first file, and a pattern may begin with -.

    >>> joined(["score", "--scheduler", "key.conll", "response.conll"])
    ['score', '--scheduler=', 'key.conll', 'response.conll']
    >>> joined(["score", "--scheduler", "10.0.0.1:8786", "key.conll", "response.conll"])
    ['score', '--scheduler=10.0.0.1:8786', 'key.conll', 'response.conll']
    >>> joined(["compare", "k", "r-1", "r-2", "--runs", "-."])
    ['compare', 'k', 'r-1', 'r-2', '--runs=-.']
    """
    result: list[str] = []
    for argument in arguments:
        last = result[-1] if result else ""
        is_address = (
            last == "--scheduler="
            and re.fullmatch(r"(?:tcp|tls|ws|wss|ucx|inproc)://.+|[\w.-]+:\d+", argument)
            and not os.path.exists(argument)
        )
        # Another option says that the pattern was forgotten.
        if is_address:
            result[-1] += argument
        elif last == "--runs" and not argument.startswith("--"):
            result[-1] += f"={argument}"
        else:
            result.append("--scheduler=" if argument == "--scheduler" else argument)
    return result


class Help(RawDescriptionHelpFormatter):
    """Help as it is written, in which a value stands once: `-f, --format FORMAT`."""

    def _format_action_invocation(self, action: Action) -> str:
        if len(action.option_strings) < 2 or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(sorted(action.option_strings, key=len))} {value}"


class _HelpAll(Action):
    """Shows the whole help."""

    def __init__(self, **words: Any) -> None:
        super().__init__(nargs=0, **words)

    def __call__(self, parser: Any, *_: object) -> None:
        write_output(parser.format_help(every=True), None)
        parser.exit()


class Parser(ArgumentParser):
    """A parser that names the nearest word for one that is unknown.

    No argument may be cut short.
    """

    others: Iterable[str] = ()
    """What else may stand for a choice of this parser, though it is not listed."""
    commands: Mapping[str, Parser] = {}
    """The parsers of the commands below this one, by name."""

    def __init__(self, **words: Any) -> None:
        # Less than the terminal has by 2, as argparse has it; it makes a formatter for each
        # argument, to check its metavar.
        formatter = partial(Help, width=columns() - 2)
        if sys.version_info >= (3, 14):
            # The import of colours takes as long as scoring a small pair.
            words["color"] = False
        super().__init__(formatter_class=formatter, allow_abbrev=False, **words)
        self.rare: list[Action] = []
        """The options that only --help-all shows."""

    @property
    def arguments(self) -> list[Action]:
        """What it takes, in the order of its help."""
        return self._actions

    def finish(self) -> None:
        """Write the usage in one line, and offer --help-all where --help leaves options out."""
        places = []
        for action in self._actions:
            if not action.option_strings:
                place = str(action.metavar)
                places.append({"+": f"{place}...", "?": f"[{place}]"}.get(str(action.nargs), place))
        self.usage = " ".join(["%(prog)s [options]", *places])
        if self.rare:
            self.add_argument("--help-all", action=_HelpAll, help="show every option and all terms")

    def format_help(self, *, every: bool = False) -> str:
        """Return the help text, with all options where `every`, or else with the common ones.

        The process ends after that: what is left out is not put back.
        """
        if self.rare and not every:
            self.description = (self.description or "").partition("\n\n")[0]
            examples = (self.epilog or "").partition("examples:\n")[2].partition("\n\n")[0]
            shown = "\n".join(examples.splitlines()[:2])
            more = pluralize(len(self.rare), "more option")
            self.epilog = f"examples:\n{shown}\n\n--help-all lists {more}"
            for action in self.rare:
                action.help = SUPPRESS
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """End with one line."""
        print_error(f"{self.prog}: error: {message}")
        self.exit(2)

    def refuse(self, unknown: Sequence[str]) -> None:
        """End with a message about arguments that nothing takes."""
        options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        nearest = did_you_mean(options[0], self._option_string_actions) if options else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{nearest}")

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002  argparse may give one
        # In UTF-8 like all output: the encoding that a system has for text may lack some of its
        # characters.
        write_output(self.format_help(), None)

    def _check_value(self, action: Action, value: Any) -> None:
        # The one place through which argparse takes every choice, that of a subcommand included.
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            hint = did_you_mean(str(value), [*known, *self.others])
            raise ArgumentError(action, f"{value!r} is not one of {', '.join(known)}{hint}")
