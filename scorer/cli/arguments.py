"""The table of arguments: every argument of every command, once.

To add an option, add a row to `ARGUMENTS`, and name the commands that take it. The parsers, both
levels of help, completion and the reference are made from the table. Options of scoring are rows of
`scorer.options.TABLE` instead: the library and manifests take them as well.
"""

from __future__ import annotations

import os
from argparse import Action, ArgumentTypeError
from contextlib import suppress
from importlib import import_module

from conll.errors import did_you_mean
from scorer.options import PRESETS, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from scorer.cli.parser import Parser


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

MEMORY = "4G"
"""How much memory a response may take unless the arguments say otherwise."""


def listed(text: str) -> list[str]:
    """Split a list at its commas; ArgumentTypeError where it is written with +.

    >>> listed("kinds, links")
    ['kinds', 'links']
    """
    if "+" in text:
        raise ArgumentTypeError(f"{text!r} is a list with +; write {text.replace('+', ',')}")
    return [word for part in text.split(",") if (word := part.strip())]


def _listed_from(values: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a function that reads a list of values, or `all` of them."""

    def read(text: str) -> list[str]:
        words = listed(text)
        known = [*values, "all"]
        for word in words:
            if word not in known:
                hint = did_you_mean(word, known)
                raise ArgumentTypeError(f"{word!r} is not one of {', '.join(known)}{hint}")
        return list(values) if "all" in words else words

    return read


class Argument:
    """An argument of commands: a row of the table.

    Args:
        spec: How it is typed, such as `--jobs -j N`: its names and what its value is called. Without
            - it is a positional argument; without a value it is a flag. `[N]` may be left out, and
            `N...` may be several: words in a row, or for an option one each time it is given.
        commands: The commands that take it, with spaces between. Those in parentheses, which stand
            last, show it only in `--help-all`.
        help: What it does. `{values}` stands for the values.
        values: The values to choose from, or `module:NAME` of them or of a function that lists them;
            without a module, in that of the command.
        several: Whether a list of values may be given, with commas between.
        words: All else that argparse takes. What reads the value follows from how it is called.
    """

    def __init__(
        self,
        spec: str,
        commands: str,
        help: str,  # noqa: A002  the word of argparse
        *,
        values: str | Sequence[str] = (),
        several: bool = False,
        **words: Any,
    ) -> None:
        *names, last = spec.split()
        value = last.strip("[.]")
        is_value = bool(names) and value.isupper()
        self.names = names if is_value else [*names, last]
        common, _, rare = commands.partition("(")
        self.common, self.rare = common.split(), rare.strip(" )").split()
        self.help = help
        self.values = values
        self.several = several
        if is_value:
            words = {"metavar": value, "type": TYPES.get(value)} | words
            if last.startswith("["):
                words["nargs"] = "?"
            elif last.endswith("...") and names[0].startswith("-"):
                words = {"action": "append", "default": []} | words
            elif last.endswith("..."):
                words["nargs"] = "+"
        elif not values:
            words.setdefault("action", "store_true")
        self.words = words

    def add(self, parser: Any, command: str) -> Any:
        """Add the argument to the parser of a command, or to a group of it; return its action."""
        words = dict(self.words)
        values = self.values
        if isinstance(values, str):
            module, _, name = values.rpartition(":")
            named = getattr(import_module(module or f"scorer.cli.commands.{command}"), name)
            values = tuple(named() if callable(named) else named)
        if self.several:
            words |= {"type": _listed_from(values) if values else listed, "action": "extend"}
        elif values:
            words["choices"] = values
        text = self.help.format(values=", ".join(map(str, values)))
        return parser.add_argument(*self.names, help=text, **words)


class Corpora(Action):
    """Stores the manifest of --corpora, which stands in place of positional arguments."""

    def __call__(self, parser: Any, namespace: Any, values: Any, _: object = None) -> None:
        setattr(namespace, self.dest, values)
        for action in parser.arguments:
            if not action.option_strings:
                action.required = False


SCORING = "compare leaderboard batch errors codabench score"
RESAMPLING = "(compare leaderboard batch errors)"
REPORTS = "score compare leaderboard batch errors spans muc7"
COMPARISON = "scorer.comparison.resampling"

# The commands that show an option of scoring in --help, and those that take it besides.
_COMMON_SCORING = {"match": "score", "singletons": "score errors codabench"}
_OTHER_SCORING = {"documents": "spans muc7", "repair": "convert", "rounding": "spans"}

ARGUMENTS = {
    "": [
        Argument(
            "key KEY", "score compare leaderboard errors spans muc7", "the reference annotation"
        ),
        Argument("response RESPONSE", "score errors spans muc7", "the annotation to score"),
        Argument(
            "responses RESPONSE...",
            "compare",
            "the annotations to compare; a single one gets intervals only",
        ),
        Argument(
            "responses RESPONSE...",
            "leaderboard",
            "files, zip archives or directories of responses",
        ),
        Argument("manifest MANIFEST", "batch", "a CSV or YAML file, or - for standard input"),
        Argument(
            "files FILE...",
            "check",
            "files or directories; two are also compared as key and response",
        ),
        Argument("input IN", "convert", "a file, a directory, or - for standard input"),
        Argument("output OUT", "convert", "the file to write, or - for standard output"),
        Argument(
            "input [INPUT_DIR]",
            "codabench",
            "the input directory of the platform, with ref and res in it",
        ),
        Argument("output [OUTPUT_DIR]", "codabench", "the directory for the scores"),
        Argument(
            "file FILE", "show", "the file, directory or URL to show, or - for standard input"
        ),
        Argument(
            "response [RESPONSE]", "show", "a response to show below FILE, which is then the key"
        ),
        Argument("shell SHELL", "completion", "one of {values}", values=":SHELLS"),
        Argument(
            "about [COMMAND]",
            "help",
            "the command (default: an overview)",
            values="scorer.cli.commands:names",
        ),
    ],
    "systems": [
        Argument(
            "--corpora MANIFEST",
            "(compare leaderboard)",
            "compare means over several corpora, which a manifest of `scorer batch` lists; "
            "replaces KEY and RESPONSE",
            action=Corpora,
        ),
        Argument(
            "--runs PATTERN",
            "compare (leaderboard)",
            "regular expression: the part of names that differs between runs",
        ),
        Argument("--names FILE=NAME...", "compare", "name of a response (default: the file name)"),
        Argument(
            "--names FILE=NAME...",
            "leaderboard",
            "name of a response, or a CSV file of names (default: the file name)",
        ),
    ],
    "scoring": [
        Argument(
            "--preset PRESET",
            SCORING,
            "settings of a shared task, such as crac25; other options override it",
            values=tuple(PRESETS),
        ),
        Argument(
            "--presets LIST",
            "(batch)",
            "score each row with each of these settings, such as crac25,crac25:singletons=keep",
        ),
        # None and not an empty list, to know what was given: that goes before a preset.
        Argument(
            "--metrics -m METRICS...",
            SCORING,
            "metrics, such as muc,conll; `scorer metrics` lists all (default: all)",
            default=None,
        ),
        Argument(
            "--force",
            f"({SCORING})",
            "align a response even if it contains less than half of the key's words",
            dest="align",
            action="store_const",
            const="force",
        ),
        *(
            Argument(
                f"--{option.name.replace('_', '-')} {option.text}",
                f"{_COMMON_SCORING.get(option.name, '')} "
                f"({SCORING} {_OTHER_SCORING.get(option.name, '')})",
                option.help.format(default=option.default),
                values=option.choices,
            )
            for option in sorted(TABLE.values(), key=lambda option: option.rare)
        ),
        Argument(
            "--of",
            "spans",
            "score mentions, or named entities with their labels (default: mentions)",
            values="scorer.spans.scores:OF",
            default="mentions",
        ),
        Argument(
            "--beta NUMBER",
            "(spans)",
            "weight of recall in F; above 1, recall counts more than precision (default: 1)",
            default=1.0,
        ),
        Argument("--within-label", "(spans)", "never match spans with different labels"),
        Argument(
            "--min-overlap SHARE",
            "(spans)",
            "SemEval schemes: the share of a key span that a response span must cover, from 0 to "
            "1 (default: one token)",
            default=0.0,
        ),
        Argument(
            "--thresholds",
            "(spans)",
            "score the spans above each confidence threshold: in steps of 0.1 or 0.05, or at "
            "every score",
            values="scorer.spans.scores:SETS",
        ),
        Argument(
            "--score-column FIELD",
            "(spans)",
            "the mention attribute, or the column of the first token, that holds confidence "
            "scores (default: confidence)",
            default="confidence",
        ),
        Argument(
            "--partial", "muc7", "count a fill that overlaps as half correct instead of incorrect"
        ),
        Argument(
            "--section FIELD",
            "muc7",
            "report each section separately; this column or attribute holds the section",
        ),
        Argument(
            "--antecedents",
            "(errors)",
            "antecedent of the first mention of a split-off part: the closest mention, or a name "
            "or nominal first (default: closest)",
            values="scorer.analysis.pair:ANTECEDENTS",
            default="closest",
        ),
        Argument(
            "--links",
            "(errors)",
            "links of the response: those in its file (output), those of trees, or those in its "
            "file if it has any (default: auto)",
            values="scorer.analysis.pair:PRECISION",
            default="auto",
        ),
    ],
    "comparison": [
        Argument(
            "--method",
            "(compare leaderboard batch)",
            "how p-values are computed; see the end of `scorer compare --help-all` (default: "
            "randomisation; bootstrap with --runs)",
            values=f"{COMPARISON}:METHODS",
        ),
        Argument(
            "--alternative",
            "(compare)",
            "alternative hypothesis: the systems differ, or the first is better (greater) or "
            "worse (less) (default: two-sided)",
            values=f"{COMPARISON}:ALTERNATIVES",
        ),
        Argument("--trials N", RESAMPLING, "number of resamples (default: 10000)"),
        Argument(
            "--seed N",
            RESAMPLING,
            "seed of the random numbers; the same seed gives the same output (default: 0)",
        ),
        Argument(
            "--confidence FRACTION",
            RESAMPLING,
            "confidence level of intervals and tests (default: 0.95)",
        ),
        Argument(
            "--interval",
            RESAMPLING,
            "kind of bootstrap interval (default: expanded)",
            values=f"{COMPARISON}:INTERVALS",
        ),
        Argument(
            "--unit PATTERN",
            RESAMPLING,
            "resampling unit: the parts of a document together (part), each document (document), "
            "or documents for which this regular expression captures the same text (default: part)",
        ),
        Argument(
            "--power FRACTION",
            "(compare)",
            "also show the smallest difference that would be detected with this probability, such "
            "as 0.8",
        ),
    ],
    "output": [
        Argument(
            "--show SECTIONS",
            "errors",
            "some of {values}, or all (default: kinds,links,bounds)",
            values="scorer.show.errors:SECTIONS",
            several=True,
        ),
        Argument(
            "--show COLUMNS",
            "leaderboard",
            "some of {values}, or all (default: tier,letters)",
            values=f"{COMPARISON}:SHOW",
            several=True,
        ),
        Argument(
            "--sort METRIC",
            "leaderboard",
            "rank by the F1 of this metric (default: conll, or the first)",
        ),
        Argument("--full", "leaderboard", "also show recall and precision of each metric"),
        Argument("--per-document", "score spans muc7 (batch)", "also show each document"),
        Argument(
            "--average",
            "score spans (batch)",
            "totals (micro), means over documents (macro), or both (default: micro)",
            values="scorer.evaluation.signature:AVERAGES",
            default="micro",
        ),
        Argument(
            "--average",
            "compare (leaderboard)",
            "totals (micro) or means over documents (macro) (default: micro)",
            values=f"{COMPARISON}:AVERAGES",
            default="micro",
        ),
        Argument(
            "--group-by REGEX",
            "score compare errors spans muc7 codabench (leaderboard batch)",
            "group documents by what this regular expression captures in their names",
        ),
        Argument(
            "--by COLUMN",
            "spans",
            "also score each value of this label, column or attribute separately; see --help-all",
        ),
        Argument(
            "--by COLUMN",
            "errors",
            "also use these columns or mention attributes as strata",
            several=True,
            default=[],
        ),
        Argument("--against OTHER", "errors spans", "a second response to compare with RESPONSE"),
        Argument("--over-corpora", "batch", "also show the mean over corpora for each system"),
        Argument(
            "--shape",
            "(batch)",
            "wide: one line per corpus and system, one column per setting and metric; long: one "
            "line per score (default: one line per row and setting in tables, otherwise long)",
            values=("wide", "long"),
        ),
        Argument(
            "--delta RUN.JSON",
            "batch",
            "show changes since an earlier run, given as its JSON file, with p-values",
        ),
        Argument(
            "--fail-under METRIC=PERCENT...",
            "score",
            "exit with status 1 if a metric's F1 is lower, such as conll=70",
        ),
        Argument(
            "--chart FILE",
            "errors",
            "write a plot of error costs, in the last metric shown, as SVG",
        ),
        Argument(
            "--errors FOLDER",
            "leaderboard",
            "write an HTML page of each system's errors to this folder",
        ),
        Argument(
            "--errors FOLDER",
            "codabench",
            "also write a page of errors to this folder in OUTPUT_DIR, linked from the detailed "
            "results",
        ),
        Argument(
            "--document NAME...", "show", "show only this document; can be repeated (default: all)"
        ),
        Argument(
            "--cluster ID...",
            "show",
            "mark only this cluster of FILE, and the clusters of RESPONSE that share a mention "
            "with it; can be repeated (default: all)",
        ),
        Argument(
            "--color",
            "show",
            "colour the cluster ids (default: auto)",
            values=("auto", "always", "never"),
            default="auto",
        ),
        Argument("--no-pager", "show", "write directly to the terminal"),
        Argument(
            "--format -f FORMAT",
            REPORTS,
            "one of {values} (default: by the name of --output, else table)",
            values=":FORMATS",
        ),
        Argument(
            "--format -f",
            "show",
            "(default: by the name of --output, else text)",
            values=("text", "html"),
        ),
        Argument(
            "--output -o FILE", f"{REPORTS} show", "write to this file instead of standard output"
        ),
        Argument("--title TEXT", f"({REPORTS})", "heading of an HTML report"),
        Argument(
            "--signature",
            f"({REPORTS})",
            "show the full signature, or only settings that differ from the defaults (default: "
            "short)",
            values=("full", "short"),
            default="short",
        ),
    ],
    "execution": [
        Argument(
            "--format FORMAT", "check", "file format of all files (default: detected for each file)"
        ),
        Argument("--each", "check", "check two files separately, not as key and response"),
        Argument(
            "--from FORMAT",
            "convert",
            "file format of IN (default: detected)",
            dest="source_format",
        ),
        Argument(
            "--to FORMAT",
            "convert",
            "file format of OUT (default: by its name)",
            dest="target_format",
        ),
        Argument(
            "--drop",
            "convert",
            "leave out mentions and words that the format of OUT cannot hold, with a warning",
        ),
        Argument(
            "--force",
            "convert",
            "allow more than a million placeholders for missing words, and a text with less than "
            "half of the words of KEY",
        ),
        Argument("--key KEY", "convert", "align the words of IN with this key, and repair IN"),
        Argument(
            "--side",
            "convert show",
            "which clusters to read from a file that holds key and response clusters (clusters "
            "and predicted_clusters)",
            values=("key", "response"),
        ),
        Argument(
            "--bundle DIR",
            "codabench",
            "write a competition bundle to this new directory instead of scoring",
        ),
        Argument(
            "--key KEY",
            "codabench",
            "with --bundle: the key (file or directory) to put into the bundle",
        ),
        Argument(
            "--key-format FORMAT",
            f"({SCORING} spans muc7 show)",
            "file format of the key; `scorer formats` lists them (default: detected)",
        ),
        Argument(
            "--response-format FORMAT",
            f"({SCORING} spans muc7 show)",
            "file format of the response (default: detected)",
        ),
        Argument(
            "--strict",
            "errors spans muc7 (score compare leaderboard batch)",
            "treat warnings as errors",
        ),
        Argument(
            "--jobs -j N",
            "compare leaderboard batch",
            "number of processes (default: 1; 0: one per core)",
            default=1,
        ),
        Argument(
            "--scheduler [ADDRESS]",
            "(score compare leaderboard batch)",
            "run on this Dask cluster (tcp://host:port, host:port or =FILE.json); without an "
            "address, on a local cluster with one worker per core",
            const="",
        ),
        Argument(
            "--cache DIR",
            "batch",
            "keep results in this folder, so that an interrupted run can continue (default: "
            "OUTPUT.cache)",
        ),
        Argument(
            "--timeout SECONDS",
            "(leaderboard)",
            "time limit for each response (default: 600)",
            default="600",
        ),
        # Somewhat less than platforms give, so that there is time to say why it failed.
        Argument(
            "--timeout SECONDS",
            "(codabench)",
            "time limit for the submission (default: 540)",
            default="540",
        ),
        Argument("--timeout SECONDS", "(batch)", "time limit for each row (default: none)"),
        Argument(
            "--max-size SIZE",
            "(leaderboard codabench)",
            "size limit for each response, after unpacking (default: 500M)",
            default="500M",
        ),
        Argument(
            "--max-memory SIZE",
            "(leaderboard codabench)",
            "memory limit for each response, in addition to the key (default: 4G)",
            default=MEMORY,
        ),
        Argument(
            "--max-memory SIZE", "(batch)", "memory limit for each row, such as 4G (default: none)"
        ),
        Argument("--quiet -q", f"{REPORTS} convert", "show no warnings and no progress"),
        Argument(
            "--all-warnings",
            f"convert ({REPORTS})",
            "show all warnings instead of the first ten of each kind",
        ),
    ],
}
"""Every argument, by the heading of help below which it stands, and in the order of help."""


def add_arguments(parser: Parser, command: str) -> None:
    """Add the arguments of a command to its parser."""
    for heading, arguments in ARGUMENTS.items():
        group: Any = parser.add_argument_group(heading) if heading else parser
        for argument in arguments:
            if command in argument.common:
                argument.add(group, command)
            elif command in argument.rare:
                parser.rare.append(argument.add(group, command))


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
    from re import fullmatch

    result: list[str] = []
    for argument in arguments:
        last = result[-1] if result else ""
        is_address = (
            last == "--scheduler="
            and fullmatch(r"(?:tcp|tls|ws|wss|ucx|inproc)://.+|[\w.-]+:\d+", argument)
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
