"""The arguments of all commands, in one table.

To add an argument, add an `Argument` to the table and name the commands that take it. The parsers,
both levels of help, completion and the reference are made from it. Options of scoring are rows of
`scorer.options.TABLE` instead: the library and manifests take them as well.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scorer.cli import commands, values
from scorer.evaluation.report import AVERAGING, COMMON_AVERAGING
from scorer.options import PRESETS, TABLE, Option

Choices = Sequence[str] | Callable[[str], Sequence[str]]
"""Values to choose from, or a function that lists those of a command."""


class Argument(NamedTuple):
    """An argument of one or several commands.

    Attributes:
        name: `--trials`, or the name of a positional argument, without dashes.
        short: A short form such as `-f`.
        commands: The commands whose --help lists it.
        rare: The commands that take it too, but list it only with --help-all.
        help: What it does; {default} and {values} are filled in.
        metavar: What help calls its value.
        kind: Reads the value from text.
        flag: It takes no value.
        choices: The values to choose from.
        optional: The argument may be left out or, of an option, its value.
        listed: The value is a list with commas.
        repeated: It takes several values: words in a row or, of an option, one each time.
        default: The value unless one is given.
    """

    name: str
    help: str
    short: str = ""
    commands: Sequence[str] = ()
    rare: Sequence[str] = ()
    metavar: str | None = None
    kind: Callable[[str], Any] | None = None
    flag: bool = False
    choices: Choices = ()
    optional: bool = False
    listed: bool = False
    repeated: bool = False
    default: Any = None

    @property
    def is_positional(self) -> bool:
        """True if it is given by its place, without a name."""
        return not self.name.startswith("-")

    def values(self, command: str) -> Sequence[str]:
        """Return the values to choose from in a command; none where any text may be one."""
        return self.choices(command) if callable(self.choices) else self.choices


SCORING = ("compare", "leaderboard", "batch", "errors", "codabench", "score")
"""The commands that take the options of scoring."""

RESAMPLING = ("compare", "leaderboard", "errors")
"""The commands that draw documents at random."""

REPORTS = ("score", "compare", "leaderboard", "batch", "errors", "spans", "muc7", "agreement")
"""The commands that write a report."""

COMMON_OPTIONS = {"match": ("score",), "singletons": ("score", "errors", "codabench")}
"""The commands whose --help lists an option of scoring."""

OTHER_COMMANDS = {
    "documents": ("spans", "muc7", "agreement"),
    "document_names": ("spans", "muc7", "agreement", "check", "convert", "show"),
    "rounding": ("spans",),
}
"""The commands that take an option of scoring besides those that score."""


def option_argument(option: Option) -> Argument:
    """Make the argument for an option of scoring."""
    return Argument(
        f"--{option.name.replace('_', '-')}",
        metavar=option.text or None,
        commands=COMMON_OPTIONS.get(option.name, ()),
        rare=(*SCORING, *OTHER_COMMANDS.get(option.name, ())),
        flag=option.kind == "flag",
        choices=option.choices if option.kind == "choice" else (),
        help=option.help.format(default=option.default),
    )


POSITIONAL_ARGUMENTS = (
    Argument(
        "key",
        metavar="KEY",
        commands=("score", "compare", "leaderboard", "errors", "spans", "muc7"),
        help="the reference annotation",
    ),
    Argument(
        "response",
        metavar="RESPONSE",
        commands=("score", "errors", "spans", "muc7"),
        help="the annotation to score",
    ),
    Argument(
        "responses",
        metavar="RESPONSE",
        commands=("compare",),
        repeated=True,
        help="the annotations to compare; a single one gets intervals only",
    ),
    Argument(
        "responses",
        metavar="RESPONSE",
        commands=("leaderboard",),
        repeated=True,
        help="files, zip archives or directories of responses",
    ),
    Argument(
        "annotations",
        metavar="ANNOTATION",
        commands=("agreement",),
        repeated=True,
        help="what each annotator made: files, directories or archives",
    ),
    Argument(
        "manifest",
        metavar="MANIFEST",
        commands=("batch",),
        help="a CSV or YAML file, or - for standard input",
    ),
    Argument(
        "files",
        metavar="FILE",
        commands=("check",),
        repeated=True,
        help="files or directories; the others are also compared with the first, as with their key",
    ),
    Argument(
        "input",
        metavar="IN",
        commands=("convert",),
        help="a file, a directory, or - for standard input",
    ),
    Argument(
        "output",
        metavar="OUT",
        commands=("convert",),
        help="the file to write, or - for standard output",
    ),
    Argument(
        "input",
        metavar="INPUT_DIR",
        commands=("codabench",),
        optional=True,
        help="the input directory of the platform, with ref and res in it",
    ),
    Argument(
        "output",
        metavar="OUTPUT_DIR",
        commands=("codabench",),
        optional=True,
        help="the directory for the scores",
    ),
    Argument(
        "file",
        metavar="FILE",
        commands=("show",),
        help="the file, directory or URL to show, or - for standard input",
    ),
    Argument(
        "response",
        metavar="RESPONSE",
        commands=("show",),
        optional=True,
        help="a response to show below FILE, which is then the key",
    ),
    Argument(
        "shell",
        metavar="SHELL",
        commands=("completion",),
        choices=values.SHELLS,
        help="one of {values}",
    ),
    Argument(
        "about",
        metavar="COMMAND",
        commands=("help",),
        choices=tuple(commands.names()),
        optional=True,
        help="the command (default: an overview)",
    ),
)


SYSTEMS_ARGUMENTS = (
    Argument(
        "--corpora",
        metavar="MANIFEST",
        rare=("compare", "leaderboard"),
        help=(
            "compare means over several corpora, which a manifest of `scorer batch` lists; "
            "replaces KEY and RESPONSE"
        ),
    ),
    Argument(
        "--runs",
        metavar="PATTERN",
        commands=("compare",),
        rare=("leaderboard",),
        help="regular expression: the part of names that differs between runs",
    ),
    Argument(
        "--names",
        metavar="FILE=NAME",
        commands=("compare",),
        repeated=True,
        help="name of a response (default: the file name)",
    ),
    Argument(
        "--names",
        metavar="FILE=NAME",
        commands=("agreement",),
        repeated=True,
        help="name of an annotator (default: the file name)",
    ),
    Argument(
        "--names",
        metavar="FILE=NAME",
        commands=("leaderboard",),
        repeated=True,
        help="name of a response, or a CSV file of names (default: the file name)",
    ),
)


SCORING_ARGUMENTS = (
    Argument(
        "--preset",
        metavar="PRESET",
        commands=SCORING,
        choices=tuple(PRESETS),
        kind=str.lower,
        help="settings of a shared task, such as crac25; other options override it",
    ),
    Argument(
        "--metrics",
        short="-m",
        metavar="METRICS",
        commands=SCORING,
        repeated=True,
        help="metrics, such as muc,conll; `scorer metrics` lists all (default: all)",
    ),
    Argument(
        "--metrics",
        short="-m",
        metavar="METRICS",
        commands=("metrics",),
        repeated=True,
        help="list only these metrics, such as muc,conll",
    ),
    Argument(
        "--bibtex",
        commands=("metrics",),
        flag=True,
        help="print the BibTeX entries of their papers instead",
    ),
    *(option_argument(option) for option in sorted(TABLE.values(), key=lambda option: option.rare)),
    Argument(
        "--windows",
        metavar="TOKENS",
        rare=("score",),
        kind=values.token_numbers,
        default=[],
        help="also score windows of so many tokens, such as 1500,5000",
    ),
    Argument(
        "--of",
        commands=("spans", "agreement"),
        choices=values.choices_in("scorer.spans.counts", "KINDS_OF_SPANS"),
        default="mentions",
        help="compare mentions, or named entities with their labels (default: {default})",
    ),
    Argument(
        "--label",
        metavar="FIELDS",
        commands=("spans",),
        listed=True,
        help=(
            "what must be equal besides the words: label, columns or attributes such as etype "
            "(default: the label of names)"
        ),
    ),
    Argument(
        "--beta",
        metavar="NUMBER",
        rare=("spans",),
        kind=values.positive_number,
        default=1,
        help=(
            "weight of recall in F; above 1, recall counts more than precision (default: {default})"
        ),
    ),
    Argument(
        "--scheme",
        rare=("spans",),
        choices=values.choices_in("conll.columns", "SCHEMES"),
        help=(
            "read columns of tags (IOB and the like) strictly by this scheme, as seqeval does; "
            "default: leniently"
        ),
    ),
    Argument(
        "--within-label",
        rare=("spans",),
        flag=True,
        help="never match spans with different labels",
    ),
    Argument(
        "--min-overlap",
        metavar="SHARE",
        rare=("spans",),
        kind=values.share,
        default=0,
        help=(
            "SemEval schemes: the share of a key span that a response span must cover, from "
            "0 to 1 (default: one token)"
        ),
    ),
    Argument(
        "--thresholds",
        rare=("spans",),
        choices=values.choices_in("scorer.spans.reading", "THRESHOLDS"),
        help=(
            "score the spans above each confidence threshold: in steps of 0.1 or 0.05, or "
            "at every score"
        ),
    ),
    Argument(
        "--score-column",
        metavar="FIELD",
        rare=("spans",),
        default="confidence",
        help=(
            "the mention attribute, or the column of the first token, that holds confidence "
            "scores (default: {default})"
        ),
    ),
    Argument(
        "--partial",
        commands=("muc7",),
        flag=True,
        help="count a fill that overlaps as half correct instead of incorrect",
    ),
    Argument(
        "--section-field",
        metavar="FIELD",
        commands=("muc7",),
        help="report each section separately; this column or attribute holds the section",
    ),
    Argument(
        "--distance",
        commands=("agreement",),
        choices=values.choices_in("scorer.annotators.alpha", "DISTANCES"),
        help="distance of two sets of mentions for alpha: {values} (default: masi)",
    ),
    Argument(
        "--antecedents",
        rare=("errors",),
        choices=values.choices_in("scorer.analysis.document_errors", "ANTECEDENTS"),
        default="closest",
        help=(
            "antecedent of the first mention of a split-off part: the closest mention, or a "
            "name or nominal first (default: {default})"
        ),
    ),
    Argument(
        "--links",
        rare=("errors",),
        choices=values.choices_in("scorer.analysis.document_errors", "PRECISION"),
        default="auto",
        help=(
            "links of the response: those in its file (output), those of trees, or those in "
            "its file if it has any (default: {default})"
        ),
    ),
)


COMPARISON_ARGUMENTS = (
    Argument(
        "--method",
        commands=("compare",),
        rare=("leaderboard",),
        choices=values.choices_in("scorer.statistics.resampling", "CHOICES", "method"),
        help="how p-values are computed (default: randomisation; bootstrap with --runs)",
    ),
    Argument(
        "--alternative",
        commands=("compare",),
        choices=values.choices_in("scorer.statistics.resampling", "CHOICES", "alternative"),
        help="that they differ, or the first is greater or less (default: two-sided)",
    ),
    Argument(
        "--trials",
        metavar="N",
        commands=("compare",),
        rare=("leaderboard", "errors"),
        kind=values.whole_number,
        help="number of resamples, up to 10 million (default: 10000)",
    ),
    Argument(
        "--seed",
        metavar="N",
        rare=RESAMPLING,
        kind=values.whole_number,
        help="seed of the random numbers; the same seed gives the same output (default: 0)",
    ),
    Argument(
        "--confidence",
        metavar="FRACTION",
        rare=(*RESAMPLING, "spans"),
        kind=values.any_number,
        help="confidence level of intervals and tests (default: 0.95)",
    ),
    Argument(
        "--interval",
        rare=RESAMPLING,
        choices=values.choices_in("scorer.statistics.resampling", "CHOICES", "interval"),
        help="kind of bootstrap interval (default: expanded)",
    ),
    Argument(
        "--interval",
        rare=("spans",),
        choices=("posterior",),
        help="also show intervals, which treat spans as independent",
    ),
    Argument(
        "--unit",
        metavar="PATTERN",
        rare=RESAMPLING,
        help=(
            "resampling unit: the parts of a document together (part), each document "
            "(document), or documents for which this regular expression captures the same "
            "text (default: part)"
        ),
    ),
)


OUTPUT_ARGUMENTS = (
    Argument(
        "--show",
        metavar="SECTIONS",
        commands=("errors",),
        choices=values.choices_in("scorer.analysis.errors_tables", "SECTIONS"),
        listed=True,
        help="some of {values}, or all (default: kinds,links,bounds)",
    ),
    Argument(
        "--show",
        metavar="SECTIONS",
        commands=("spans",),
        choices=values.choices_in("scorer.spans.scores", "SECTIONS"),
        listed=True,
        help="some of {values}, or all (default: scores)",
    ),
    Argument(
        "--show",
        metavar="COLUMNS",
        commands=("leaderboard",),
        choices=values.choices_in("scorer.comparison.board", "BOARD_COLUMNS"),
        listed=True,
        help="some of {values}, or all (default: letters; with --full all but chances)",
    ),
    Argument(
        "--sort",
        metavar="METRIC",
        commands=("leaderboard",),
        help="rank by the F1 of this metric (default: conll, or the first)",
    ),
    Argument(
        "--full",
        commands=("leaderboard",),
        flag=True,
        help="show all columns, also recall and precision of each metric",
    ),
    Argument(
        "--ratios",
        rare=("score", "compare", "leaderboard"),
        choices=values.choices_in("scorer.report.report", "SHOWN_RATIOS"),
        default="all",
        help="--format latex: recall, precision and F1 of each metric, or f1 alone (default: all)",
    ),
    Argument(
        "--per-document",
        commands=("score", "spans", "muc7", "agreement"),
        rare=("batch", "check"),
        flag=True,
        help="also show each document",
    ),
    Argument(
        "--average",
        commands=("score",),
        choices=tuple(AVERAGING),
        default="micro",
        metavar="AVERAGE",
        help="{values}: total or document mean (default: {default})",
    ),
    Argument(
        "--average",
        commands=("spans",),
        rare=("batch",),
        choices=tuple(COMMON_AVERAGING),
        default="micro",
        help="totals (micro), means over documents (macro), or both (default: {default})",
    ),
    Argument(
        "--average",
        rare=("compare", "leaderboard"),
        choices=values.choices_in("scorer.statistics.resampling", "CHOICES", "average"),
        default="micro",
        help="totals (micro) or means over documents (macro) (default: {default})",
    ),
    Argument(
        "--group-by",
        metavar="REGEX",
        commands=("score", "errors", "spans", "muc7"),
        rare=("compare", "leaderboard", "batch", "codabench"),
        help="group documents by what this regular expression captures in their names",
    ),
    Argument(
        "--by",
        metavar="FIELDS",
        commands=("spans",),
        listed=True,
        help=(
            "also score each value of these labels, columns or attributes separately; see "
            "--help-all"
        ),
    ),
    Argument(
        "--by",
        metavar="COLUMN",
        commands=("errors",),
        listed=True,
        help="also use these columns or mention attributes as strata",
    ),
    Argument(
        "--against",
        metavar="OTHER",
        commands=("errors", "spans", "muc7"),
        help="a second response to compare with RESPONSE",
    ),
    Argument(
        "--over-corpora",
        commands=("batch",),
        flag=True,
        help="also show the mean over corpora for each system",
    ),
    Argument(
        "--fail-under",
        metavar="METRIC=PERCENT",
        rare=("score", "leaderboard", "batch"),
        kind=values.metric_and_percent,
        repeated=True,
        help="exit with status 1 if an F1 that is shown is lower, such as conll=70",
    ),
    Argument(
        "--value",
        metavar="METRIC",
        commands=("score",),
        kind=values.metric_and_ratio,
        help="print one number only, in percent: F1, METRIC.recall or METRIC.precision",
    ),
    Argument(
        "--chart",
        metavar="FILE",
        commands=("errors",),
        help="write a plot of error costs, in the last metric shown, as SVG",
    ),
    Argument(
        "--errors",
        metavar="FOLDER",
        commands=("leaderboard",),
        help="write an HTML page of each system's errors to this folder",
    ),
    Argument(
        "--errors",
        metavar="FOLDER",
        commands=("codabench",),
        help=(
            "also write a page of errors to this folder in OUTPUT_DIR, linked from the "
            "detailed results"
        ),
    ),
    Argument(
        "--document",
        metavar="NAME",
        commands=("show",),
        repeated=True,
        help="show only this document; can be repeated (default: all)",
    ),
    Argument(
        "--cluster",
        metavar="ID",
        commands=("show",),
        repeated=True,
        help=(
            "mark only this cluster of FILE, and the clusters of RESPONSE that share a "
            "mention with it; can be repeated (default: all)"
        ),
    ),
    Argument(
        "--color",
        commands=("show",),
        choices=("auto", "always", "never"),
        default="auto",
        help="colour the cluster ids (default: {default})",
    ),
    Argument(
        "--no-pager",
        commands=("show",),
        flag=True,
        help="write directly to the terminal",
    ),
    Argument(
        "--format",
        short="-f",
        metavar="FORMAT",
        commands=REPORTS,
        choices=values.output_formats,
        kind=values.format_name,
        help="{values} (default: table)",
    ),
    Argument(
        "--format",
        short="-f",
        commands=("show",),
        choices=("text", "html"),
        kind=str.lower,
        help="(default: by the name of --output, else text)",
    ),
    Argument(
        "--format",
        short="-f",
        commands=("check",),
        choices=("text", "json"),
        default="text",
        help="write lines of text, or one JSON object (default: {default})",
    ),
    Argument(
        "--summary",
        commands=("check",),
        flag=True,
        help=(
            "show what is in each file instead of its problems: documents, words, mentions, "
            "clusters, and with a key how many mentions match"
        ),
    ),
    Argument(
        "--output",
        short="-o",
        metavar="FILE",
        commands=(*REPORTS, "show"),
        help="write to this file; its ending chooses the format unless --format does",
    ),
    Argument(
        "--section",
        metavar="NAME[,NAME]",
        rare=REPORTS,
        help="csv, tsv, json, jsonl: write only these sections of the result, without notes",
    ),
    Argument(
        "--title",
        metavar="TEXT",
        rare=REPORTS,
        help="heading of the report",
    ),
    Argument(
        "--signature",
        rare=REPORTS,
        choices=("full", "short"),
        default="short",
        help=(
            "show the full signature, or only settings that differ from the defaults "
            "(default: {default})"
        ),
    ),
)


EXECUTION_ARGUMENTS = (
    Argument(
        "--each",
        commands=("check",),
        flag=True,
        help="check each file by itself, not as a key and responses",
    ),
    Argument(
        "--from",
        metavar="FORMAT",
        commands=("convert",),
        help="file format of IN (default: detected)",
    ),
    Argument(
        "--to",
        metavar="FORMAT",
        commands=("convert",),
        help="file format of OUT (default: by its name)",
    ),
    Argument(
        "--drop",
        commands=("convert",),
        flag=True,
        help=("leave out mentions and words that the format of OUT cannot hold, with a warning"),
    ),
    Argument(
        "--key",
        metavar="KEY",
        commands=("convert",),
        help="align the words of IN with this key, and repair IN",
    ),
    Argument(
        "--side",
        commands=("convert", "show"),
        choices=("key", "response"),
        help=(
            "which clusters to read from a file that holds key and response clusters "
            "(clusters and predicted_clusters)"
        ),
    ),
    Argument(
        "--bundle",
        metavar="DIR",
        commands=("codabench",),
        help="write a competition bundle to this new directory instead of scoring",
    ),
    Argument(
        "--key",
        metavar="KEY",
        commands=("codabench",),
        help="with --bundle: the key (file or directory) to put into the bundle",
    ),
    Argument(
        "--key-format",
        metavar="FORMAT",
        commands=("score",),
        rare=(*SCORING, "spans", "muc7", "show", "check"),
        help="file format of the key; `scorer formats` lists them (default: detected)",
    ),
    Argument(
        "--key-format",
        metavar="FORMAT",
        rare=("agreement",),
        help="file format of all files; `scorer formats` lists them (default: detected)",
    ),
    Argument(
        "--response-format",
        metavar="FORMAT",
        commands=("score",),
        rare=(*SCORING, "spans", "muc7", "show", "check"),
        help="file format of the response (default: detected)",
    ),
    Argument(
        "--strict",
        rare=REPORTS,
        flag=True,
        help="treat warnings as errors",
    ),
    Argument(
        "--jobs",
        short="-j",
        metavar="N",
        commands=("leaderboard", "batch"),
        rare=("compare",),
        kind=values.whole_number,
        default=1,
        help="number of processes (default: {default}; 0: one per core)",
    ),
    Argument(
        "--scheduler",
        metavar="ADDRESS",
        rare=("score", "compare", "leaderboard", "batch"),
        optional=True,
        help=(
            "run on this Dask cluster (tcp://host:port, host:port or =FILE.json); without "
            "an address, on a local cluster with one worker per core"
        ),
    ),
    Argument(
        "--keep",
        metavar="FILE",
        commands=("batch",),
        help="add each scored row to this file, and score no row again that is in it unchanged",
    ),
    Argument(
        "--timeout",
        metavar="SECONDS",
        rare=("leaderboard",),
        kind=values.seconds,
        default=600,
        help="time limit for each response (default: {default})",
    ),
    Argument(
        "--timeout",
        metavar="SECONDS",
        rare=("codabench",),
        kind=values.seconds,
        default=540,
        help="time limit for the submission (default: {default})",
    ),
    Argument(
        "--timeout",
        metavar="SECONDS",
        rare=("batch",),
        kind=values.seconds,
        help="time limit for each row (default: none)",
    ),
    Argument(
        "--max-size",
        metavar="SIZE",
        rare=("leaderboard", "codabench"),
        kind=values.size,
        default="500M",
        help="size limit for each response, after unpacking (default: {default})",
    ),
    Argument(
        "--max-memory",
        metavar="SIZE",
        rare=("leaderboard", "codabench"),
        kind=values.size,
        default="4G",
        help="memory limit for each response, in addition to the key (default: {default})",
    ),
    Argument(
        "--max-memory",
        metavar="SIZE",
        rare=("batch",),
        kind=values.size,
        help="memory limit for each row, such as 4G (default: none)",
    ),
    Argument(
        "--quiet",
        short="-q",
        commands=(*REPORTS, "convert"),
        flag=True,
        help="show no warnings and no progress",
    ),
    Argument(
        "--all-warnings",
        commands=("convert", "check"),
        rare=REPORTS,
        flag=True,
        help="show all warnings instead of the first ten of each kind",
    ),
)

GROUPS: dict[str, Sequence[Argument]] = {
    "": POSITIONAL_ARGUMENTS,
    "systems": SYSTEMS_ARGUMENTS,
    "scoring": SCORING_ARGUMENTS,
    "comparison": COMPARISON_ARGUMENTS,
    "output": OUTPUT_ARGUMENTS,
    "execution": EXECUTION_ARGUMENTS,
}
"""All arguments by the heading under which help lists them, in the order of help."""
