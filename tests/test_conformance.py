"""What holds for everything that is registered, so that a new row is tested by being a row.

Registries: the arguments of all commands, the formats of files, the methods of significance, the
kinds of errors, the filters, and the sections, columns and output formats of all results.
"""

import ast
import csv
import io
import json
import re
from copy import copy
from html import unescape
from itertools import chain, product
from pathlib import Path
from random import Random

import pytest

import scorer
from conll import formats
from conll.document import Document
from scorer.analysis import find
from scorer.analysis.document_errors import ERROR_KINDS
from scorer.analysis.errors_tables import SECTIONS
from scorer.analysis.pair import NOWHERE
from scorer.analysis.strata import STRATA
from scorer.annotators.alpha import DISTANCES
from scorer.checking.check import Shape
from scorer.cli import commands
from scorer.cli.arguments import GROUPS
from scorer.evaluation.report import AVERAGING, ROW_KINDS
from scorer.match import align, filters
from scorer.options import EVERY, TABLE, Option
from scorer.report import forms
from scorer.statistics.resampling import ALTERNATIVES, METHODS
from scorer.systems.resampled import P_VALUES

EXAMPLES = Path(__file__).parents[1] / "fixtures" / "formats"

# Documents with all that a command may look at: parts, words, names, columns and attributes.

WORDS = ["Ada", "met", "the", "friend", "in", "Rome", ".", "She", "laughed", "."]
POS = ["NNP", "VBD", "DT", "NN", "IN", "NNP", ".", "PRP", "VBD", "."]
MENTIONS = [(0, 0), (2, 2), (2, 3), (5, 5), (7, 7), (3, 3), (4, 5)]
TYPES = ["person", "place", "thing"]


def documents(seed, number=6):
    """Documents, in each of which clusters and names depend on the seed."""
    random = Random(seed)
    for at in range(number):
        clusters = [[], [], []]
        for mention in random.sample(MENTIONS, random.randint(3, 6)):
            random.choice(clusters).append(mention)
        clusters = sorted(filter(None, clusters))
        yield {
            "doc_key": f"{'nw' if at % 3 else 'bc'}/{at // 2} part {at % 2}",
            "sentences": [WORDS[:7], WORDS[7:]],
            "clusters": clusters,
            "names": [[0, 0, random.choice(TYPES)], [5, random.choice([5, 6]), "place"]],
            "etype": [[random.choice(TYPES) for _ in cluster] for cluster in clusters],
            "confidence": [[random.choice([0.2, 0.6, 0.9]) for _ in each] for each in clusters],
            "pos": POS,
            "section": [random.choice(["TITLE", "TEXT"])] * len(WORDS),
        }


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


FOREIGN = [row | {"doc_key": f"foreign {at}"} for at, row in enumerate(documents(9, 12))]
"""Documents that a key lacks: more warnings of a kind than are shown."""

FILES = {
    "key.jsonl": lines(documents(1)),
    "long.jsonl": lines(documents(1, 12)),
    "a-1.jsonl": lines([*documents(2), *FOREIGN]),
    "a-2.jsonl": lines(documents(3)),
    "b-1.jsonl": lines(list(documents(4))[1:]),
    "sides.jsonl": lines(row | {"predicted_clusters": [[[0, 1]]]} for row in documents(1, 3)),
    "added.jsonl": lines(
        {
            "doc_key": row["doc_key"],
            "tokens": ["So", *WORDS],
            "clusters": [
                [(first + 1, last + 1) for first, last in each] for each in row["clusters"]
            ],
        }
        for row in documents(1, 12)
    ),
    "crossing.jsonl": lines([{"doc_key": "a", "tokens": WORDS, "clusters": [[(0, 2), (1, 3)]]}]),
    "in/ref/key.jsonl": lines(documents(1)),
    "in/res/a.jsonl": lines(documents(2)),
    "out/_": "",
    "manifest.csv": "corpus,system,key,response\n"
    + "".join(
        f"{corpus},{system},key.jsonl,{system}-1.jsonl\n" for corpus in "xy" for system in "ab"
    ),
    "rows.csv": "corpus,system,key,response,singletons,preset\n"
    "x,a,key.jsonl,b-1.jsonl,drop,\ny,a,key.jsonl,b-1.jsonl,,conll12\nz,a,key.jsonl,none.jsonl,,\n",
}
TWO = "key.jsonl a-1.jsonl"
BASE = {
    "agreement": TWO,
    "batch": "manifest.csv --metrics muc",
    "check": TWO,
    "codabench": "in out --metrics muc",
    "compare": "key.jsonl a-1.jsonl a-2.jsonl b-1.jsonl --metrics muc --trials 50",
    "completion": "bash",
    "convert": "key.jsonl -",
    "convert --all-warnings": "added.jsonl - --key long.jsonl",
    "convert --drop": "crossing.jsonl - --to conll2012",
    "convert --side": "sides.jsonl -",
    "errors": f"{TWO} --metrics muc --trials 20",
    "errors --links": f"{TWO} --metrics muc --show links",
    "formats": "",
    "help": "",
    "leaderboard": "key.jsonl a-1.jsonl a-2.jsonl b-1.jsonl --metrics muc,bcub --trials 50",
    "metrics": "",
    "muc7": TWO,
    "score": f"{TWO} --metrics muc",
    "show": "key.jsonl",
    "show --response-format": TWO,
    "show --side": "sides.jsonl",
    "spans": TWO,
}
OF_STRATA = "--by --confidence --group-by --interval --seed --trials --unit"
BASE |= {f"errors {name}": f"{BASE['errors']} --show strata" for name in OF_STRATA.split()}
"""The arguments of each command besides the one that is tried, and of some that need others."""

GIVEN = {
    "--against": "b-1.jsonl",
    "--all-warnings": "",
    "--alternative": "greater",
    "--antecedents": "accessible",
    "--average": "macro",
    "--beta": "2",
    "--bibtex": "",
    "--bundle": "new --key key.jsonl",
    "--by": "pos",
    "--chart": "costs.svg",
    "--cluster": "0",
    "--color": "always",
    "--confidence": "0.5",
    "--corpora": "manifest.csv",
    "--distance": "passonneau",
    "--document": "bc/0_part_0",
    "--drop": "",
    "--each": "",
    "--errors": "pages",
    "--fail-under": "muc=99",
    "--format": "json",
    "show --format": "html",
    "--from": "csv",
    "--full": "",
    "--group-by": "^(..)/",
    "--interval": "percentile",
    "spans --interval": "posterior",
    "--keep": "kept.jsonl",
    "--key": "key.jsonl",
    "--key-format": "csv",
    "--label": "etype",
    "--links": "output",
    "--max-size": "1K",
    "--method": "bootstrap",
    "--metrics": "ceafe",
    "--min-overlap": "0.9",
    "--names": "a-1.jsonl=Ada",
    "--of": "names",
    "--output": "written.json",
    "--over-corpora": "",
    "--partial": "",
    "--per-document": "",
    "--preset": "crac22",
    "--quiet": "",
    "--ratios": "f1",
    "--response-format": "csv",
    "--runs": "-[0-9]$",
    "--scheme": "iob2",
    "--score-column": "pos",
    "--section-field": "section",
    "--seed": "7",
    "errors --show": "entities",
    "leaderboard --show": "tier",
    "spans --show": "spans",
    "--side": "response",
    "--signature": "full",
    "--sort": "bcub",
    "--strict": "",
    "--summary": "",
    "--thresholds": "0.1",
    "--timeout": "0.000001",
    "--title": "A_title",
    "--to": "jsonl",
    "--trials": "60",
    "--unit": "document",
    "--value": "muc",
    "--windows": "5",
    "--within-label": "",
}
"""A value of each argument that changes what the command writes, for all commands or for one."""
SECTION = {
    "agreement": "documents",
    "batch": "rows",
    "compare": "scores",
    "errors": "strata",
    "leaderboard": "pairs",
    "muc7": "slots",
    "score": "totals",
    "spans": "totals",
}
GIVEN |= {f"{command} --section": section for command, section in SECTION.items()}
BESIDE = {
    "--ratios": "--format latex",
    "--section": "--format csv",
    "spans --confidence": "--interval posterior",
    "check --per-document": "--summary",
    "spans --score-column": "--thresholds all",
}
"""What an argument is about, if it has no effect by itself."""
UNSEEN = {"--jobs", "--scheduler", "--no-pager", "--max-memory"}
"""Where work is done, and what a terminal does: the same is written. So small a work may fit into
memory that the process has already, whatever the limit."""

LIMITS = {"--timeout"}


def arguments():
    """All commands with each of their arguments that is given by a name."""
    for argument in (argument for group in GROUPS.values() for argument in group):
        for command in (*argument.commands, *argument.rare):
            option = argument.name.lstrip("-").replace("-", "_")
            # tests/test_honoured.py tries the options of scoring, with all their values.
            if not argument.is_positional and option not in TABLE:
                # Limits are those of a process of its own.
                marks = [pytest.mark.processes] if argument.name in LIMITS else []
                name = f"{command}{argument.name}"
                yield pytest.param(command, argument.name, id=name, marks=marks)


@pytest.fixture
def outcome(main, tmp_path, monkeypatch):
    """What a command writes, and the files that it makes."""
    monkeypatch.chdir(tmp_path)

    def run(command, *words):
        for name, content in FILES.items():
            Path(name).parent.mkdir(exist_ok=True, parents=True)
            Path(name).write_text(content)
        written = main(command, *words)
        others = [path for path in sorted(Path().rglob("*")) if path.as_posix() not in FILES]
        made = {path: path.read_text() for path in others if path.is_file()}
        for path in made:
            path.unlink()
        return *written, made

    return run


WITHOUT = {}
"""The outcome of each command without the argument that is tried."""


@pytest.mark.parametrize(("command", "name"), list(arguments()))
def test_an_argument_changes_what_a_command_writes(command, name, outcome):
    if name in UNSEEN:
        return
    own = f"{command} {name}"
    context = BESIDE.get(own, BESIDE.get(name, "")).split()
    words = (command, *BASE.get(own, BASE[command]).split(), *context)
    value = GIVEN.get(own, GIVEN.get(name))
    assert value is not None, f"give a value of {own} in GIVEN, with which the output differs"
    given = (name, *value.split())
    if words not in WITHOUT:
        WITHOUT[words] = outcome(*words)
    is_other = outcome(*words, *given) != WITHOUT[words]
    assert is_other, f"{' '.join([*words, *given])}: the argument is ignored; use or refuse it"


EXPLAINED = {"errors": (ERROR_KINDS, SECTIONS), "compare": (METHODS,)}


@pytest.mark.parametrize("command", EXPLAINED)
def test_the_help_of_a_command_explains_every_row(command):
    module = commands.get(command)
    for name in chain.from_iterable(EXPLAINED[command]):
        is_there = re.search(rf"\b{name}\b", module.EPILOG)
        assert is_there, f"{module.__file__}: EPILOG lacks {name!r}; write a line on it"


# Results: sections, columns and output formats.


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results of every kind with all that their reports can show, and the options for that."""
    folder = tmp_path_factory.mktemp("results")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(content)
    (folder / "broken.jsonl").write_text("{")
    key, first, second, third = (
        str(folder / f"{name}.jsonl") for name in ("key", "a-1", "a-2", "b-1")
    )
    runs = {"a1": first, "a2": second, "b1": third}
    resampled = {"trials": 50, "metrics": "muc,conll"}
    corpora = {"manifest": str(folder / "manifest.csv")}
    group = {"group_by": "^(..)/"}
    every = {"per_document": True, "average": "both"}
    against = {"against": first}
    errors, others = (scorer.errors(key, response, trials=50) for response in (first, third))
    return [
        (scorer.score(key, third, singletons="drop"), every | group),
        (scorer.compare(key, runs, runs="[0-9]$", **resampled), {}),
        (scorer.compare(key, {"a": first, "b": third}, **resampled), group),
        (scorer.compare(**corpora, **resampled), {}),
        (scorer.leaderboard(key, runs | {"c": str(folder / "broken.jsonl")}, **resampled), group),
        (scorer.leaderboard(key, runs, runs="[0-9]$", **resampled), {"full": True}),
        (scorer.leaderboard(**corpora, **resampled), {}),
        (errors, {"show": SECTIONS, "against": errors.against(others)}),
        (errors, {"show": "errors", "against": errors.against(others)}),
        (
            scorer.score_spans(key, third, by=["etype", "pos"], **against),
            every | {"group_by": "^(..)/", "interval": "posterior"},
        ),
        (
            scorer.score_spans(key, third, thresholds="0.1", list_spans=True),
            {"show": ["scores", "spans"]},
        ),
        (
            scorer.score_spans(key, third, of="names", list_spans=True, **against),
            {"show": ["scores", "spans"], "average": "macro"},
        ),
        (
            scorer.score_muc7(key, third, section="section", **against),
            {"per_document": True, "group_by": "^(..)/"},
        ),
        (scorer.agreement(runs), {"per_document": True}),
        (scorer.batch(str(folder / "rows.csv"), per_document=True, over_corpora=True), {}),
    ]


def sections(results):
    """The tables of each result, by the name of its class."""
    for result, layout in results:
        for table in result.report(**layout).sections:
            yield type(result).__name__, table


def test_a_row_of_a_table_has_a_cell_below_each_heading(results):
    for name, table in sections(results):
        if table.section:
            assert len(set(table.names)) == len(table.names), (name, table.section)
        lengths = {len(cells) for cells in table.cells()}
        assert lengths <= {len(table.headed)}, (name, table.label)


def test_a_field_has_one_kind_in_all_sections_of_a_result(results):
    kinds = {}
    for name, table in sections(results):
        if table.section:
            for column in table.named:
                for field in column.fields:
                    kinds.setdefault((name, field), set()).add(column.kind)
    assert {field: several for field, several in kinds.items() if len(several) > 1} == {}


def rows_in(form, report, section):
    """The rows of a section of a report in a format, as records."""
    text = forms.text(report.chosen([section]))
    if form == "json":
        return json.loads(text)[section]
    if form == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return csv.DictReader(io.StringIO(text), delimiter={"csv": ",", "tsv": "\t"}[form])


@pytest.mark.parametrize("form", forms.COMPUTED)
def test_a_column_has_a_value_in_every_format(results, form):
    fields, found = set(), set()
    for result, layout in results:
        name = type(result).__name__
        report = result.report(form, **layout)
        for table in report.data:
            fields |= {(name, table.section, field) for field in table.names}
            for row in rows_in(form, report, table.section):
                values = {field for field, value in row.items() if value not in (None, "")}
                found |= {(name, table.section, field) for field in values}
    assert sorted(fields - found) == []


NUMBER = re.compile(r"[\[<> ]*[-−+]?\d")
"""How a page reads the number in a cell, by which it sorts; see `page.js`."""


def test_a_page_can_sort_by_each_cell_of_numbers(results):
    for result, layout in results:
        for table in result.report("html", **layout).sections:
            for cells in table.cells():
                for column, cell in zip(table.headed, cells, strict=True):
                    has_number = any(map(str.isdigit, cell.text))
                    if column.sorting != "text" and has_number:
                        assert NUMBER.match(cell.text), (table.label, column.heading, cell.text)


def test_a_page_has_all_that_tables_show(results):
    for result, layout in results:
        name = type(result).__name__
        page = unescape(result.text("html", **layout))
        for table in result.report("table", **layout).sections:
            if table.seen:
                for column in table.headed:
                    heading = column.title or column.heading
                    assert heading in page, f"{name}: put the table with {heading!r} on its page"
                for cell in chain.from_iterable(table.cells()):
                    assert cell.text in page or cell.title in page, (name, cell)


def test_a_mean_of_a_summary_has_a_heading(outcome):
    """`check --summary` has a column for each mean, also for one that is new."""
    _, table, _, _ = outcome("check", "key.jsonl", "--summary", "--per-document")
    rows = [re.split(" {2,}", line.strip()) for line in table.splitlines() if "  " in line]
    means = next(number for number, row in enumerate(rows) if row[:2] == ["file", "document"])
    assert {len(row) for row in rows[means:]} == {2 + len(Shape("").means)}


# Methods of significance.

CLEAR = {"better": list(documents(1, 40)), "worse": list(documents(2, 40))}
"""A response that is right, and one that is wrong nearly everywhere."""


def p_of(first, second, method, alternative="two-sided", number=40, **options):
    """The p-value of the difference in F1 of two systems in so many documents."""
    key = io.BytesIO(lines(CLEAR["better"][:number]).encode())
    systems = {
        f"{name}-1": io.BytesIO(lines(CLEAR[name][:number]).encode()) for name in (first, second)
    }
    options = {"metrics": "bcub", "unit": "document", "trials": 500} | options
    comparison = scorer.compare(key, systems, method=method, alternative=alternative, **options)
    return next(each.p for each in comparison.differences if each.ratio == "f1")


@pytest.mark.parametrize("method", METHODS)
def test_a_method_tells_a_clear_difference_on_the_side_where_it_is(method):
    for alternative, expected in {"greater": (0, 1), "less": (1, 0), "two-sided": (0, 0)}.items():
        ps = [
            p_of(*pair, method, alternative) for pair in (("better", "worse"), ("worse", "better"))
        ]
        assert [round(p) for p in ps] == [*expected], alternative
        assert all(p < 0.01 or p > 0.99 for p in ps)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_has_no_smaller_p_than_it_can_have(method):
    for number, alternative in product((2, 3, 5), ALTERNATIVES):
        least = METHODS[method].smallest_p(number, alternative)
        assert p_of("better", "worse", method, alternative, number) >= least


@pytest.mark.parametrize("method", METHODS)
def test_a_method_takes_runs_or_refuses_them(method, tmp_path):
    paths = {}
    for name, other in (("better", "worse"), ("worse", "better")):
        for run in (1, 2):
            path = tmp_path / f"{name}-{run}.jsonl"
            path.write_text(lines(CLEAR[other][: run - 1] + CLEAR[name][run - 1 :]))
            paths[path.stem] = str(path)

    def compared():
        return scorer.compare(paths["better-1"], paths, runs="-[0-9]$", method=method, trials=500)

    if METHODS[method].takes_runs:
        assert all(0 < each.p < 0.1 for each in compared().differences if each.metric == "bcub")
        return
    with pytest.raises(ValueError, match=r"^method: 'better' has several runs, which only "):
        compared()


def test_each_method_has_a_p_value_of_its_own():
    assert P_VALUES.keys() == METHODS.keys()
    assert len(set(P_VALUES.values())) == len(METHODS)


# Names, which a row decides by its fields: what compares them forgets the next row.

REGISTERED = {
    *(*forms.OUTPUT_FORMATS, *AVERAGING, *ROW_KINDS, *METHODS, *ALTERNATIVES, *DISTANCES),
    *(*ERROR_KINDS, *SECTIONS, *STRATA),
}
COMPARED = {
    # Formats of commands that have two, a page that is no report, what needs an option before
    # anything is read, and the usual format.
    "checking/command.py": {"json"},
    "analysis/show_command.py": {"html", "json"},
    "analysis/errors_command.py": {"html"},
    "spans/spans_command.py": {"svg"},
    "cli/console.py": {"table"},
    # What a signature says, and what is compared with a second response, follows from sections.
    "analysis/errors.py": {"errors", "strata"},
    # Words of other lists: formats of files, units of documents, a field, levels of links.
    "spans/scores.py": {"json"},
    "statistics/resampling.py": {"document"},
    "checking/check.py": {"document"},
    "analysis/strata.py": {"group"},
    "match/anaphora.py": {"entity"},
}
"""The registered names that modules compare something with all the same."""


def texts_compared(path):
    """The texts that a module compares something with, alone or in a list of them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for side in (node.left, *node.comparators) if isinstance(node, ast.Compare) else ():
            for part in (side, *getattr(side, "elts", ())):
                if isinstance(part, ast.Constant):
                    yield part.value


def test_no_registered_name_is_compared_outside_its_table():
    """Give the row a field, and ask that."""
    package = Path(scorer.__file__).parent
    found = {}
    for path in package.rglob("*.py"):
        names = REGISTERED.intersection(texts_compared(path))
        if names:
            found[path.relative_to(package).as_posix()] = names
    assert found == COMPARED


# Formats of files.

WRITERS = [name for name in formats.names() if formats.get(name).write is not None]
PLAIN = [
    Document("a", [[(0, 0), (7, 7)], [(3, 3), (5, 5)], [(2, 2)]], words=[WORDS[:7], WORDS[7:]]),
    Document("b", [[(0, 0), (2, 2)]], words=[WORDS[:7]]),
]


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_recognises_what_it_wrote_and_no_other_does(name):
    file = io.BytesIO()
    formats.get(name).write(iter(PLAIN), file)
    head = file.getvalue()
    claims = [other for other in formats.names() if formats.get(other).sniff(head)]
    # Several texts of a language model are written as JSON lines.
    assert claims in ([name], ["jsonl"])
    assert [formats.detect(head, "file")] == claims


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_no_two_formats_claim_an_example(path):
    formats.detect(path.read_bytes(), path.name)


# Kinds of errors, and filters.


def errors_in(seed, left_out=None, **options):
    """The errors of documents that depend on the seed, without some mentions."""
    sides = []
    for rows in (documents(seed, 3), documents(seed + 1000, 3)):
        left = rows if left_out is None else [without_mentions(row, left_out) for row in rows]
        sides.append(io.BytesIO(lines(left).encode()))
    return scorer.errors(*sides, metrics="muc,bcub", trials=20, **options)


def without_mentions(row, left_out):
    """A document without some mentions, and without what is said of these."""
    shapes = {"clusters": [], "etype": [], "confidence": []}
    for number, cluster in enumerate(row["clusters"]):
        kept = [at for at, mention in enumerate(cluster) if not left_out(mention)]
        for field, rows in shapes.items():
            rows.append([row[field][number][at] for at in kept])
    return row | {field: list(filter(None, rows)) for field, rows in shapes.items()}


def test_an_error_is_of_mentions_that_its_kind_says():
    found = set()
    for seed in range(40):
        errors = errors_in(seed)
        for document in errors.documents:
            pair = document.pair
            of_side = {"key": pair.key_of, "response": document.repair.response_of}
            for part, finding in zip(document.repair.parts, document.findings(), strict=True):
                found.add(part.kind)
                kind = ERROR_KINDS[part.kind]
                if kind.is_span:
                    first, second = part.mentions
                    assert (finding.mentions, finding.side) == (1, "key")
                    assert finding.beside == pair.text.words_of(pair.mentions[second])
                    assert pair.response_of[first] == pair.key_of[second] == NOWHERE
                    continue
                assert finding.mentions == len(part.mentions)
                assert not (kind.is_each and finding.mentions > 1)
                for mention in part.mentions:
                    assert of_side[kind.side][mention] != NOWHERE
    assert found == {*ERROR_KINDS}


def is_even(mention):
    return mention[0] % 2 == 0


@pytest.fixture
def filtered(monkeypatch):
    """A filter that a part of the program may add: single mentions are left out."""

    def filter_even(document, _side, _value):
        kept = copy(document)
        for name in ("clusters", "labels", "lines", "types"):
            setattr(kept, name, [])
        for number, cluster in enumerate(document.clusters):
            left = [at for at, mention in enumerate(cluster) if not is_even(mention)]
            if left:
                kept.clusters.append([cluster[at] for at in left])
                kept.labels.append(document.ids()[number])
                kept.lines.append([document.lines[number][at] for at in left])
        return kept

    option = Option("keep", {"keep": "as before", "drop": "left out"}, "help", filters=True)
    option.name = option.field = "even"
    others = dict(TABLE)
    # The first filter: what it leaves of a cluster may be a singleton.
    TABLE.clear()
    TABLE.update({"even": option} | others)
    monkeypatch.setitem(filters.FILTERS, "even", filter_even)
    for declared in (align.HONOURED["clusters"], find.HONOURED):
        monkeypatch.setitem(declared, "even", EVERY)
    yield
    # In their order, which signatures and tables follow.
    TABLE.clear()
    TABLE.update(others)


@pytest.mark.usefixtures("filtered")
@pytest.mark.parametrize("options", [{}, {"singletons": "drop"}], ids=str)
def test_errors_leave_out_what_a_filter_does(options):
    for seed in range(20):
        found = errors_in(seed, even="drop", **options)
        truth = errors_in(seed, is_even, **options)
        assert found.counts == truth.counts, seed
        for kind, name in product(ERROR_KINDS, found.names):
            assert found.costs.gain(kind, name) == truth.costs.gain(kind, name), (seed, kind)
        assert found.links == truth.links
        if seed == 2:
            assert found.strata == truth.strata
        places = [
            [(each.kind, each.mention, each.beside, each.type, each.line) for each in of.findings()]
            for of in (found, truth)
        ]
        assert places[0] == places[1]
