"""Write the reference pages from the code when the site is built: a hook of mkdocs.

`python docs/reference.py FOLDER` writes the same pages as files.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import conll
import scorer
from conll.formats._layouts import CRAC, FILES, OBJECTS
from scorer.analysis.errors_tables import SECTIONS
from scorer.analysis.find import HONOURED
from scorer.cli import main as command_line
from scorer.cli.parser import make_parser
from scorer.match import align, anaphora, corefud
from scorer.options import PRESETS, TABLE

if TYPE_CHECKING:
    from scorer.options import Honoured
    from scorer.result import Result

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
PAIR = [str(FIXTURES / f"example.{side}.conll") for side in ("key", "response")]
SPANS = [str(FIXTURES / "spans" / f"{side}.jsonl") for side in ("key", "response", "other")]
DOCUMENTATION = FIXTURES / "documentation"

FIELDS = """
kind          kind of error; in a batch: what the row describes
name          name of the document or group
document      name of the document
metric        name of the metric, or of a part, such as `blanc.coreference`
recall, precision, f1, f  fraction from 0 to 1
recall_numerator, recall_denominator  counts of the metric
precision_numerator, precision_denominator  counts of the metric
first, second  names of the compared systems, or the class of a span in each response
corpus        name of the corpus
system        name of the system
group         name of the group
ratio         recall, precision or f1
difference, difference_low, difference_high  first − second, and the ends of its interval
recall_low, recall_high, precision_low, precision_high  ends of the interval
f1_low, f1_high, f_low, f_high, rank_low, rank_high  ends of the interval
p             p-value
p_holm        p-value corrected over all pairs of systems
p_groups      p-value corrected over groups and pairs
documents     number of documents
units         number of units that are resampled
effect        effect size of the difference
chance        chance that the second response is better
probability_better  how often the first system is better in a replicate
f1_standard_error, recall_standard_error, precision_standard_error  jackknife standard error
f1_degrees_of_freedom, recall_degrees_of_freedom  degrees of freedom of the standard error
precision_degrees_of_freedom  degrees of freedom of the standard error
mentions_found, mentions_key, mentions_response  number of mentions
field         field by whose values spans are grouped
entity        words of the first mention of an entity
entities      number of entities
missed        entities that are aligned with no response cluster
standard_error  jackknife standard error of the figure or difference
error         error per response fill
degrees_of_freedom  degrees of freedom of the standard error
runs          number of runs
mean, sd, max  figure over runs: mean, standard deviation, that of the best run
best          whether the system may be the best
recall_difference, precision_difference, f_difference  second response less first
rank, tier, letters  place in the ranking; see the guide to leaderboards
missing       documents that the response misses; of spans: key spans without a match
warnings      number of warnings
reason        why a response or row could not be scored
errors        number of errors
recall_cost, precision_cost, f1_cost  gain if only this kind of error is repaired
side          key or response
anaphor, antecedent  types of the mentions of a link
links         number of links
bound         name of the upper bound
measure       measure of spans, such as strict or lenient
key, response  number of spans; in a batch: the path
correct, partial, incorrect, noncommittal  number of spans or fills
spurious      response spans or fills without a match
true_missing, true_spurious  the same without incorrect pairs
error_rate, accuracy  fraction from 0 to 1
accurate      key spans that count as right for accuracy
several_responses, no_response  key spans that overlap several response spans, or none
no_key        response spans that overlap no key span
threshold     least score of a span
area          area under the precision-recall curve
start, end, label  position and label of the span
response_start, response_end, response_label, response_words  the same of the response's span
result        how the span was judged
verdict       better, worse or same
spans         number of spans with this change
object, slot  object and slot of MUC-7
key_chains, response_chains, key_links, response_links  number of chains and links
possible, actual  number of fills in the key and in the response
undergeneration, overgeneration, substitution  fraction from 0 to 1
f_2p_r, f_p_2r  F with more weight on precision or on recall
mentions      number of mentions; of annotators: F1 of mentions, from 0 to 1
muc, bcub, ceafe, lea, conll  F1 of the metric, from 0 to 1; of strata: B³ recall or precision
strict, lenient  F1 of names, from 0 to 1
words, marked  words of the mention or span; of annotators: numbers of words, all and marked
alpha, observed, expected  Krippendorff's α, and the disagreements that it is made of
size, response_size  mentions of the entity, and of its response cluster
common        mentions in both
cost          size × (1 − F1) of the entity
cluster, key_cluster, response_cluster  ids of clusters
type          type of the mention, or of the entity
mention       the mention as it is written in its file
path, line    file and line of the mention
before, after  words on each side of the mention
beside        words of what the mention is apart from or together with
stratum, value  property of mentions, and its value or range
found, found_low, found_high  share of mentions that are found, and the ends of its interval
right, right_low, right_high  share of links that are right, and the ends of its interval
bcub_low, bcub_high  ends of the interval of `bcub`
here, there, both  mentions that are wrong in this response only, in the other one only, in both
right_in_both  mentions that are right in both responses
sentence      number of the sentence, from 0
outcome       which response gets the mention wrong
kinds, other_kinds  kinds of its errors in this response and in the other one
average       what totals are: micro, macro or macro-defined
over          what a mean of spans is over
width         width of windows
annotators    annotators who have an entity with these mentions
disagreement  mean distance of what annotators say of a mention, from 0 to 1
sum           the same, of all mentions together
row           number of the row in the manifest, from 1
preset, settings  setting of the row, and the options that differ from their defaults
status        scored or failed
removed       what filters removed
filter, clusters  what was removed by which filter
repair, amount  what was repaired in a response, and how often
problem       text of a warning
signature     version, options and hashes of the inputs
"""
"""Each field, or several, and after two spaces their meaning."""

GROUPS = r"^\(?(\w+)"
"""The first word of a name of a document, by which the runs below group."""


def every_result() -> list[tuple[str, Result, dict[str, Any]]]:
    """Return results that have all sections together: their command, and the options of a report.

    Of `scorer compare`, the corpora are those of a manifest.
    """
    key, response = PAIR
    systems = {"a": response, "b": key}
    spans_key, spans_response, other_spans = SPANS
    of_all = {"per_document": True, "group_by": GROUPS}
    errors = scorer.errors(*PAIR, metrics="conll", trials=100)
    difference = errors.against(scorer.errors(key, key, metrics="conll"))
    model = [str(DOCUMENTATION / name) for name in ("story.key.conll", "model.txt")]
    spans = scorer.score_spans(
        spans_key,
        spans_response,
        against=other_spans,
        by=["etype", "section"],
        thresholds="all",
        list_spans=True,
    )
    return [
        ("score", scorer.score(*PAIR, singletons="drop", windows=[3]), of_all),
        ("score", scorer.score(*model), {}),
        ("compare", scorer.compare(key, systems, trials=100), {"group_by": GROUPS}),
        ("leaderboard", scorer.leaderboard(key, systems, trials=100), {"group_by": GROUPS}),
        ("batch", scorer.batch(DOCUMENTATION / "manifest.csv", metrics="muc"), {}),
        ("errors", errors, {"show": SECTIONS, "against": difference}),
        ("errors", errors, {"show": "errors", "against": difference}),
        (
            "spans",
            spans,
            {"average": "both", "interval": "posterior", "show": ["scores", "spans"], **of_all},
        ),
        ("muc7", scorer.score_muc7(spans_key, spans_response, against=other_spans), of_all),
        ("agreement", scorer.agreement({"Ada": key, "Bob": response}), {"per_document": True}),
        ("agreement", scorer.agreement(SPANS, of="names"), {"per_document": True}),
    ]


API_PAGES = {
    "Scoring": """scorer.score scorer.Accumulator scorer.Evaluation scorer.DocumentScore
        scorer.Ratios scorer.Counts scorer.Metric scorer.count.counts.Contingency scorer.Options
        scorer.ScorerWarning scorer.compat.CorefEvaluator scorer.report.plots.Plot""",
    "Comparing": """scorer.compare scorer.Comparison scorer.leaderboard scorer.Leaderboard
        scorer.Resampling scorer.batch scorer.BatchTable""",
    "Errors and spans": """scorer.errors scorer.Errors scorer.score_spans scorer.SpanScores
        scorer.score_muc7 scorer.Muc7Scores scorer.agreement scorer.Agreement""",
    "Files": """conll.open_documents conll.open_source conll.Source conll.Document
        conll.write_documents scorer.check scorer.convert conll.ConllError conll.Problem""",
    "Formats": "conll.formats.Format",
}
"""The pages of the API and the names on each, the most important first.

A name that is on none is added to the page of its package: Scoring or Files.
"""


def main(folder: str) -> None:
    """Write all pages into a folder."""
    for path, text in pages().items():
        target = Path(folder, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to the site, in place of those that a clone has; mkdocs calls this."""
    from mkdocs.structure.files import File

    for path, text in pages().items():
        in_clone = files.get_file_from_path(path)
        if in_clone is not None:
            files.remove(in_clone)
        files.append(File.generated(config, path, content=text))
    return files


def pages() -> dict[str, str]:
    """Return the text of each generated page by its path."""
    return {
        "reference/commands.md": commands(),
        "reference/options.md": options(),
        **{f"reference/api-{slug(title)}.md": api(title) for title in API_PAGES},
        "reference/results.md": results(),
    }


def commands() -> str:
    """Return the help of every command."""
    os.environ["COLUMNS"] = "100"
    lines = [
        "# Commands",
        "",
        "`scorer COMMAND --help-all` prints the same text. Exit status: 0 done; 1 problems were",
        "found, or a limit was missed; 2 wrong usage, or a file that cannot be read.",
    ]
    for name, command in make_parser().commands.items():
        text = command.format_help(every=True)
        if name in ("metrics", "formats"):
            text += "\n" + run([name])
        lines += ["", f"## scorer {name}", "", "```text", text.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def options() -> str:
    """Describe the table of options and the presets."""
    lines = [
        "# Options",
        "",
        "The same names are arguments of the commands (`--missing-documents`), keywords of the",
        "library (`missing_documents=`) and columns of a manifest.",
        "",
        "| option | value | meaning |",
        "|---|---|---|",
    ]
    for name, option in TABLE.items():
        text, values = option.text, dict(option.words)
        if text:
            values[text] = option.help
        for at, (value, meaning) in enumerate(values.items()):
            shown = "none" if value is None else value if value == text else f"`{value}`"
            default = " (default)" if value == option.default else ""
            lines.append(f"| {f'`{name}`' if at == 0 else ''} | {shown}{default} | {meaning} |")
    lines += [
        "",
        "## Options that exclude each other",
        "",
        "An option that would have no effect is refused. What a preset sets for scoring, and",
        "`scorer errors` does not use, is left out there with a note.",
        "",
        "| with | refused |",
        "|---|---|",
    ]
    beyond = (
        "split antecedents, `layer=deixis`, `match=min`, `match=craft`, `zeros=drop`, metrics of "
        "bridging or of non-referring expressions"
    )
    plain, inside = (_refused(align.HONOURED[kind]) for kind in ("clusters", "mentions"))
    refused_by = {
        "`like=corefud-1.2`": _refused(corefud.HONOURED["clusters"]),
        "`like=ua-2025-01-30`": _refused(anaphora.HONOURED_AS_PROGRAM["clusters"]),
        beyond: [*_refused(anaphora.HONOURED["clusters"]), f"like={corefud.PROGRAM}"],
        # What plain matching does not honour is matched otherwise.
        "`mor`, `zero`": [name for name in inside if name not in plain],
        "`scorer errors`": [*_refused(HONOURED), "like"],
    }
    for part, refused in refused_by.items():
        lines.append(f"| {part} | {', '.join(f'`{name}`' for name in refused)} |")
    lines += [
        "",
        "## Presets",
        "",
        "`--preset NAME` sets several options at once. Options that are given beside it win.",
        "",
        "| preset | sets |",
        "|---|---|",
    ]
    for name, preset in PRESETS.items():
        chosen = ", ".join(f"`{option}={value}`" for option, value in preset.items())
        lines.append(f"| `{name}` | {chosen} |")
    return "\n".join(lines) + "\n"


def _refused(honoured: Honoured) -> list[str]:
    """List the options besides `like`, or their values, that a declaration does not name."""
    refused: list[str] = []
    for name, option in TABLE.items():
        if name == "like":
            continue
        others = [value for value in option.choices if value != option.default]
        missing = [value for value in others if value not in honoured.get(name, ())]
        if missing == others and name not in honoured:
            refused.append(name)
        else:
            refused += [f"{name}={value}" for value in missing]
    return refused


def slug(title: str) -> str:
    """Return a title as part of the name of a file."""
    return title.lower().replace(" ", "-")


def api(title: str) -> str:
    """List the public names of one page for mkdocstrings."""
    lines = [f"# {title}", "", "Names that no page lists may change at any time.", ""]
    for name in names_on(title):
        lines += [f"::: {name}", ""]
    return "\n".join(lines)


def names_on(title: str) -> list[str]:
    """List the documented names of a page of the API."""
    listed = {name for names in API_PAGES.values() for name in names.split()}
    public = [
        f"{package.__name__}.{name}" for package in (scorer, conll) for name in package.__all__
    ]
    names = API_PAGES[title].split()
    if title == "Scoring":
        # ConllError is also a name of scorer, and documented where it is defined.
        others = {f"scorer.{name}" for name in conll.__all__}
        names += [name for name in public if name[:7] == "scorer." and name not in listed | others]
    if title == "Files":
        names += [name for name in public if name[:6] == "conll." and name not in listed]
    return [name for name in names if "__" not in name and is_documented(name)]


def is_documented(name: str) -> bool:
    """Return whether there is a class or a function of that name."""
    package, *parts = name.split(".")
    value: Any = {"scorer": scorer, "conll": conll}[package]
    for part in parts:
        if not hasattr(value, part):
            try:
                import_module(f"{value.__name__}.{part}")
            except ImportError:
                return False
        value = getattr(value, part)
    return callable(value)


def results() -> str:
    """List the sections of each result with their fields, and what each field means."""
    sections: dict[str, dict[str, list[str]]] = {}
    for command, result, options in every_result():
        for table in result.report("json", **options).data:
            fields = sections.setdefault(command, {}).setdefault(table.section, [])
            fields += [name for name in table.names if name not in fields]
    described = [line.partition("  ") for line in FIELDS.strip().splitlines()]
    meanings = {
        name: meaning.strip() for names, _, meaning in described for name in names.split(", ")
    }
    lines = [
        "# Result fields",
        "",
        "The sections of each result, and their fields. A data frame has the same columns. Recall,",
        "precision and F1 are fractions from 0 to 1. `null` and empty cells mean that a value does",
        "not exist, such as the recall of an average.",
    ]
    for command, by_section in sections.items():
        lines += ["", f"## scorer {command}", "", "| section | fields |", "|---|---|"]
        for section, fields in by_section.items():
            lines.append(f"| `{section}` | {', '.join(f'`{name}`' for name in fields)} |")
        lines += ["", "| field | meaning |", "|---|---|"]
        for name in dict.fromkeys(chain.from_iterable(by_section.values())):
            lines.append(f"| `{name}` | {meanings.get(name, '')} |")
    return "\n".join(lines) + "\n"


def layouts() -> str:
    """List the layouts of JSON in the table that `docs/formats/jsonl.md` shows."""
    lines = [
        "| written by | format | shown by | words | clusters | a mention | tokens | ends |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for layout in (*OBJECTS, *FILES):
        form = "crac_json" if layout is CRAC else "json" if layout in FILES else "jsonl"
        unit = "characters" if layout.characters else "subtokens" if layout.subtokens else "words"
        cells = [
            layout.title,
            f"`{form}`",
            *(" ".join(f"`{field}`" for field in text.split()) for text in (
                layout.needs, layout.words, layout.clusters, layout.mention,
            )),
            f"{unit} from {layout.base}",
            "exclusive" if layout.exclusive else "inclusive",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def run(command: list[str]) -> str:
    """Return what a command of `scorer` prints."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        command_line.main(command)
    return out.buffer.getvalue().decode()


if __name__ == "__main__":
    main(sys.argv[1])
