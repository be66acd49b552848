"""Every value of every option changes what it should wherever it may be given, or is refused.

An option has a key and a response on which each of its values makes a difference. A command scores
them with each value, alone and with options that have other programs imitated. So an option that
some part of the program does not know is found here: it changes nothing, and nobody refuses it.
"""

import io
import json
from typing import NamedTuple

import pytest

import scorer
from scorer.analysis import find as errors
from scorer.analysis.find import scheme_of_errors
from scorer.match import align, corefud, filters
from scorer.options import EVERY, PRESETS, TABLE, Option
from scorer.registry import scheme_of


class Case(NamedTuple):
    """Values of an option, and a key and a response for which their figures differ.

    The first value is the default. `ending` is that of the names of such files.
    """

    option: str
    values: tuple[str | None, ...]
    key: str
    response: str
    ending: str = ".jsonl"

    @property
    def argument(self):
        return f"--{self.option.replace('_', '-')}"


def document(clusters, name, **fields):
    """A document in JSON; each number is a mention of that word."""
    spans = [[[word, word] for word in cluster] for cluster in clusters]
    words = [f"w{word}" for word in range(8)]
    return json.dumps({"doc_key": name, "tokens": words, "clusters": spans} | fields) + "\n"


SECOND = document([[0, 1, 2]], "second", etype=[["person"] * 3])


def one(*clusters, **fields):
    """A document in JSON; a second one, which is always right, follows in every case."""
    return document(clusters, "first", **fields) + SECOND


def corefud_text(*cells):
    """A document of CorefUD: the entities of each word, or of an empty node before its
    dependencies."""
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = first", "# sent_id = 1"]
    word = 0
    for cell in cells:
        entities, _, dependencies = cell.partition(" ")
        word += not dependencies
        number, parent = (f"{word}.1", "_") if dependencies else (str(word), "0")
        misc = "_" if entities == "_" else f"Entity={entities}"
        lines.append("\t".join([number, "w", *"____", parent, "_", dependencies or "_", misc]))
    lines += ["", "# newdoc id = second", "# sent_id = 2"]
    lines += [f"{number}\tw\t" + "_\t" * 4 + "0\t_\t_\tEntity=(s--1-)" for number in (1, 2)]
    return "\n".join([*lines, "", ""])


def anaphora_text(*cells):
    """A document of Universal Anaphora: the markables of each word, and those of deixis."""
    rows = [(*cell.split(), "_")[:2] for cell in cells]
    lines = ["# global.columns = ID FORM IDENTITY DISCOURSE_DEIXIS"]
    for name, markables in (("first", rows), ("second", [("(EntityID=s|MarkableID=s)", "_")] * 2)):
        lines.append(f"# newdoc id = {name}")
        lines += [f"{at}\tw\t{cell}\t{deixis}" for at, (cell, deixis) in enumerate(markables, 1)]
        lines.append("")
    return "\n".join([*lines, ""])


PROGRAMS = ("corefud-1.2", "ua-2025-01-30")

CASES = [
    Case(
        "duplicates",
        ("reference", "first", "last", "keep", "corefud", "error"),
        one([3, 3], [4]),
        one([2, 4], [4]),
    ),
    Case(
        "singletons",
        ("keep", "drop", "drop-response"),
        one([0, 1], [2]),
        one([0, 1, 4], [2], [3]),
    ),
    Case("missing_documents", ("empty", "error"), one([0, 1]), SECOND),
    Case(
        "documents",
        (None, "[fs]"),
        one([0, 1]) + document([[0, 1]], "x"),
        one([0, 1]) + document([[0, 2]], "x"),
    ),
    Case(
        "join_documents",
        (None, "^(first)"),
        one([0, 1]) + document([[0, 1]], "first2"),
        one([0, 1]) + document([[0], [1]], "first2"),
    ),
    Case(
        "document_names",
        ("auto", "exact"),
        "".join(document([[0, 1]], f"(bc/{name}); part 000") for name in "xy"),
        "".join(document([[0, 1]], f"bc/{name}_0") for name in "xy"),
    ),
    Case("blanc_edges", ("recasens2011", "luo2014"), one([0, 1]), one([0], [1])),
    Case(
        "match",
        ("exact", "head", "partial"),
        corefud_text("(a--1", "a)", "(a--1)", "(b--1)", "_", "(b--1)"),
        corefud_text("(a--1)", "_", "(a--1)", "(b--1", "b)", "(b--1)"),
    ),
    Case(
        "match",
        ("exact", "min", "craft"),
        anaphora_text("(EntityID=a|MarkableID=1|Min=1", ")", "(EntityID=a|MarkableID=2|Min=3", ")"),
        anaphora_text("_", "(EntityID=a|MarkableID=1)", "(EntityID=a|MarkableID=2)", "_"),
    ),
    Case(
        "zeros",
        ("linear", "dependent", "drop"),
        corefud_text("(a--1)", "(a--1) 1:nsubj", "(a--1)"),
        corefud_text("(a--1)", "_", "(a--1) 1:nsubj"),
    ),
    Case(
        "split_antecedents",
        ("ignore", "score", "only"),
        anaphora_text(
            "(EntityID=a|MarkableID=1|ElementOf=c)",
            "(EntityID=b|MarkableID=2|ElementOf=c)",
            "(EntityID=c|MarkableID=3)",
        ),
        anaphora_text(
            "(EntityID=a|MarkableID=1|ElementOf=c)",
            "(EntityID=b|MarkableID=2)",
            "(EntityID=c|MarkableID=3)",
        ),
    ),
    Case(
        "layer",
        ("identity", "deixis"),
        anaphora_text(
            "(EntityID=a|MarkableID=1)", "(EntityID=a|MarkableID=2) (EntityID=d|MarkableID=3)"
        ),
        anaphora_text("(EntityID=a|MarkableID=1)", "(EntityID=a|MarkableID=2) _"),
    ),
    Case(
        "typed",
        (None, "etype"),
        one([0, 1], etype=[["person", "person"]]),
        one([0, 1], etype=[["person", "place"]]),
    ),
    Case("like", (None, *PROGRAMS, "bookcoref"), one([1], [0, 1]), one([1])),
    Case(
        "align",
        ("auto", "key"),
        one([0, 1]),
        one([1, 2], tokens=["added", *(f"w{word}" for word in range(8))]),
    ),
    Case("rounding", ("round", "truncate"), one([0, 1, 2, 3]), one([0, 1, 2])),
]

OPTIONS = {case.option for case in CASES}

COMMANDS = {
    "score": ["score"],
    "like corefud": ["score", "--like", "corefud-1.2"],
    "like ua": ["score", "--like", "ua-2025-01-30"],
    "anaphora": ["score", "--split-antecedents", "score"],
    # As wide as a document is long.
    "windows": ["score", "--windows", "8"],
    "compare": ["compare", "--trials", "100"],
    "leaderboard": ["leaderboard", "--trials", "100"],
    "batch": ["batch"],
    "errors": ["errors", "--trials", "100", "--show", "kinds,links,bounds,entities"],
    "perl": ["score", "--format", "perl", "--metrics", "mentions,muc,bcub,blanc"],
    "spans": ["spans"],
    "muc7": ["muc7"],
    "agreement": ["agreement"],
}

ANAPHORA = {
    "match": {"min", "craft"},
    "zeros": {"drop"},
    "split_antecedents": {"score", "only"},
    "layer": {"deixis"},
}

WITHOUT_WINDOWS = {"like": {"bookcoref"}}
JOINED = {"join_documents": {"^(first)"}}

REFUSED = {
    "score": WITHOUT_WINDOWS,
    "compare": WITHOUT_WINDOWS,
    "leaderboard": WITHOUT_WINDOWS,
    "batch": WITHOUT_WINDOWS,
    "windows": ANAPHORA | {"typed": {"etype"}, "like": {*PROGRAMS}},
    "like corefud": ANAPHORA | JOINED | {"duplicates": {"keep"}, "typed": {"etype"}},
    "like ua": JOINED
    | {
        "duplicates": {"first", "last", "keep", "corefud", "error"},
        "zeros": {"dependent"},
        "typed": {"etype"},
    },
    "anaphora": JOINED
    | {
        "duplicates": {"keep"},
        "zeros": {"dependent"},
        "typed": {"etype"},
        "like": {"corefud-1.2", "bookcoref"},
    },
    "errors": ANAPHORA | JOINED | {"typed": {"etype"}, "like": {*PROGRAMS, "bookcoref"}},
    "perl": dict.fromkeys(
        ("join_documents", "match", "zeros", "split_antecedents", "layer", "typed", "like"), EVERY
    ),
    "spans": dict.fromkeys(OPTIONS - {"documents", "document_names", "rounding"}, EVERY),
    "muc7": dict.fromkeys(OPTIONS - {"documents", "document_names"}, EVERY),
    "agreement": dict.fromkeys(OPTIONS - {"documents", "document_names"}, EVERY),
}
"""The values of each option, besides its default, that a command refuses."""

STOP = {
    ("like", "bookcoref"),
    ("duplicates", "error"),
    ("missing_documents", "error"),
    ("document_names", "exact"),
}
"""Values that stop a command because of what they find in the files."""

ALIKE = {
    ("anaphora", "duplicates"): {"reference", "first"},
    ("perl", "rounding"): {"round", "truncate"},
}
"""Values that mean the same. Repeats that stay are not defined beside split antecedents, so by
default the first stays there. The report of the reference is cut off in any case."""


def test_there_is_a_case_for_every_value():
    for name, option in TABLE.items():
        values = {value for case in CASES if case.option == name for value in case.values}
        has_all = values == {*option.words} if option.choices else len(values) > 1
        assert has_all, f"{name}: add a pair of files to CASES on which its values differ"


def run(main, folder, context, case, value):
    """The status of a command, its figures and its message."""
    key, response, manifest = (
        folder / name for name in ("key" + case.ending, "response" + case.ending, "manifest.csv")
    )
    key.write_text(case.key)
    response.write_text(case.response)
    manifest.write_text(f"key,response\n{key},{response}\n")
    command, *options = COMMANDS[context]
    files = [manifest] if command == "batch" else [key, response]
    if value != case.values[0]:
        options.append(case.argument)
        if TABLE[case.option].kind != "flag":
            options.append(value)
    status, out, err = main(command, *files, *options, "--quiet")
    # What says how it was scored differs, whether a figure does or not.
    notes = ("signature:", "note:", "removed from", "---")
    rows = [row for row in out.splitlines() if not any(note in row for note in notes)]
    return status, [[cell for cell in row.split() if "=" not in cell] for row in rows], err


GIVEN = [
    pytest.param(case, context, id=f"{context}-{case.option}-{case.values[-1]}")
    for case in CASES
    for context, command in COMMANDS.items()
    if case.argument not in command
]


@pytest.mark.parametrize(("case", "context"), GIVEN)
def test_a_value_changes_figures_or_is_refused(case, context, main, tmp_path):
    refused = REFUSED.get(context, {}).get(case.option, ())
    outcomes = {}
    for value in case.values:
        status, figures, message = run(main, tmp_path, context, case, value)
        if value != case.values[0] and value in refused:
            assert (status, figures, message.count("\n")) == (2, [], 1)
            named = f"{case.option}={value}" in message and "leave " in message
            assert named or f"unrecognized arguments: {case.argument} {value}" in message
            continue
        is_scored = (status, message) == (0, "") or (case.option, value) in STOP
        assert is_scored, f"{context}: {message}honour it there (HONOURED), or list it in REFUSED"
        same = {other for other, outcome in outcomes.items() if outcome == (status, figures)}
        alike = {value, *same} in ({value}, ALIKE.get((context, case.option)))
        assert alike, f"{context} ignores {case.option}={value}: take it out of HONOURED there"
        outcomes[value] = status, figures


@pytest.fixture
def undeclared(monkeypatch):
    """An option in the table that nothing honours."""
    option = Option("no", {"no": "as before", "yes": "otherwise"}, "help")
    option.name = option.field = "new"
    monkeypatch.setitem(TABLE, "new", option)


@pytest.mark.usefixtures("undeclared")
@pytest.mark.parametrize("preset", [None, *PRESETS])
def test_an_option_that_nothing_declares_is_refused(preset):
    given = {"new": "yes", "preset": preset}
    message = "^new=yes cannot be (scored|combined).*; leave (it|one of them) out$"
    for score in (scorer.score, scorer.errors):
        with pytest.raises(ValueError, match=message):
            score([["a", "b"]], [["a", "b"]], **given)
    with pytest.raises(ValueError, match=message):
        scorer.compare([["a", "b"]], {"x": [["a", "b"]]}, **given)


@pytest.mark.parametrize("preset", PRESETS)
def test_errors_name_what_they_leave_out_of_a_preset(preset):
    given = scheme_of("muc", preset, None, {})
    scheme, notes = scheme_of_errors(given)
    left_out = {
        f"{name}={value}"
        for name, value in given.options.chosen().items()
        if scheme.options.chosen().get(name) != value
    }
    assert left_out <= {word.strip(",;") for note in notes for word in note.split()}
    with pytest.raises(ValueError, match=r"^typed=etype cannot be .*; leave (it|one of them) out$"):
        scheme_of_errors(scheme_of("muc", preset, None, {"typed": "etype"}))


@pytest.mark.parametrize("preset", ["crac24", "codicrac22dd"])
def test_errors_refuse_options_of_a_preset_that_are_given_by_themselves(preset):
    options = {name: value for name, value in PRESETS[preset].items() if name != "metrics"}
    with pytest.raises(ValueError, match=r"like=.* cannot be combined with error analysis; leave"):
        scheme_of_errors(scheme_of("muc", None, None, options))


@pytest.mark.parametrize(
    ("duplicates", "counts"), [("first", (0, 1, 0, 1)), ("last", (1, 1, 1, 1))]
)
def test_metrics_of_mentions_see_a_repeated_mention_where_it_is_kept(duplicates, counts):
    """The response links the empty node to the first word and then, which is right, to the
    second."""
    key = corefud_text("_", "(a--1)", "(a--1) 2:nsubj")
    response = corefud_text("(b--1)", "(a--1)", "(a--1)(b--1) 2:nsubj")
    files = (io.BytesIO(file.encode()) for file in (key, response))
    evaluation = scorer.score(*files, metrics="zero", duplicates=duplicates)
    assert evaluation.totals["zero"][0].as_tuple() == counts


@pytest.mark.parametrize("duplicates", ["keep", "corefud"])
def test_metrics_of_mentions_count_a_mention_once(duplicates):
    message = f"^duplicates={duplicates} cannot be scored with mor, zero; leave one of them out$"
    with pytest.raises(ValueError, match=message):
        scorer.score([["a"]], [["a"]], metrics="muc,mor,zero", duplicates=duplicates)


def test_clusters_in_memory_have_no_words_to_align():
    message = "clusters in memory have no such information; leave the option out, or score files$"
    for score in (scorer.score, scorer.errors):
        with pytest.raises(TypeError, match=message):
            score([["a", "b"]], [["a", "b"]], align="key")


@pytest.fixture
def pairs(monkeypatch):
    """A filter that a part of the program may add: clusters of two mentions are left out."""

    def filter_pairs(document, _side, _value):
        kept = [number for number, cluster in enumerate(document.clusters) if len(cluster) != 2]
        return filters.with_clusters(document, kept)

    option = Option("keep", {"keep": "as before", "drop": "left out"}, "help", filters=True)
    option.name = option.field = "pairs"
    monkeypatch.setitem(TABLE, "pairs", option)
    monkeypatch.setitem(filters.FILTERS, "pairs", filter_pairs)
    for declared in (align.HONOURED["clusters"], corefud.HONOURED["clusters"], errors.HONOURED):
        monkeypatch.setitem(declared, "pairs", EVERY)


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize(
    "options",
    [{}, {"singletons": "drop"}, {"like": "corefud-1.2"}, {"typed": "etype"}],
    ids=str,
)
def test_a_filter_comes_before_whatever_matches_mentions(options):
    """Figures are those of files that lack what it leaves out."""
    key = [[0, 1], [2, 3, 4], [5], [6, 7]], [["p", "q"], ["p", "p", "q"], ["p"], ["q", "p"]]
    response = [[0, 1], [2, 3, 5], [4]], [["p", "p"], ["p", "q", "p"], ["q"]]

    def file(side, *left_out):
        clusters, types = (
            [row for number, row in enumerate(rows) if number not in left_out] for rows in side
        )
        return io.BytesIO(document(clusters, "a", etype=types).encode())

    def of_both(function):
        filtered = function(file(key, 0, 3), file(response, 0), metrics="all", **options)
        return function(file(key), file(response), metrics="all", pairs="drop", **options), filtered

    evaluation, filtered = of_both(scorer.score)
    assert evaluation.totals == filtered.totals
    removed = [str(removed) for removed in evaluation.removed if removed.filter == "pairs"]
    assert removed == [
        "pairs removed from the key: 4 mentions, 2 clusters, 0 documents",
        "pairs removed from the response: 2 mentions, 1 cluster, 0 documents",
    ]
    if not {"like", "typed"} & options.keys():
        found, filtered = of_both(scorer.errors)
        assert found.counts == filtered.counts
        assert [row.f1 for row in found.entities] == [row.f1 for row in filtered.entities]


def accumulated(key, response, **options):
    accumulator = scorer.Accumulator(**options)
    accumulator.update(key, response)
    return accumulator.compute()


VALUES = [(case.option, value) for case in CASES for value in case.values[1:]]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_an_accumulator_counts_as_a_score_or_refuses(name, value):
    key, response = (
        [[(word, word) for word in cluster] for cluster in clusters]
        for clusters in ([[0], [1, 2, 1], [3, 4]], [[0, 1], [2, 1], [4], [3]])
    )
    outcomes = []
    for score in (scorer.score, accumulated):
        try:
            outcomes.append(score(key, response, **{name: value}).totals)
        except (TypeError, ValueError):
            outcomes.append("refused")
    if TABLE[name].per_corpus or TABLE[name].of_files:
        # A score may be of files, and of many documents.
        outcomes[0] = "refused"
    assert outcomes[0] == outcomes[1]
