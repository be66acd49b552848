"""`like="corefud-1.2"`: against measured runs of CorefUD's scorer 1.2, against a literal model of
them, and case by case."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import generator
import naive_corefud
from conll import ConllError
from scorer import score
from scorer.cli.main import main
from scorer.options import COREFUD, settings
from scorer.report.columns import figure
from strategies import drawn

GOLDEN = Path(__file__).parents[2] / "fixtures/golden"
CROSSING = Path(__file__).parents[2] / "fixtures/corefud"


def rows(name):
    return [json.loads(row) for row in (GOLDEN / f"{name}.jsonl").read_text().splitlines()]


MATCHES = ("exact", "head", "partial")
APART, ALIKE = [*rows("corefud-2"), *rows("corefud-3")], rows("corefud")


def like(key, response, **options):
    return score(
        io.BytesIO(key.encode()), io.BytesIO(response.encode()), **settings("crac25", **options)
    )


@pytest.mark.parametrize("preset", ["crac22", "crac25"])
def test_pairwise_figures_are_the_links_of_blanc(preset):
    """Also where mentions match in part, as `docs/metrics/variants.md` says."""
    sides = (CROSSING / f"nested.{side}.conllu" for side in ("key", "response"))
    totals = score(*sides, metrics="blanc,pairwise,pairwise_negative", preset=preset).totals
    assert (*totals["pairwise"], *totals["pairwise_negative"]) == totals["blanc"]


@pytest.mark.parametrize("number", range(len(APART)), ids=lambda number: APART[number]["id"])
def test_every_figure_where_the_sides_differ(number):
    """Under every other setting of a row, and the others of the next: in each are all pairs of
    values of two options."""
    row = APART[number]
    for setting, figures in row["figures"].items():
        match, keep, zeros = setting.split("/")
        if (number + MATCHES.index(match) + (keep == "True") + (zeros == "linear")) % 2:
            continue
        options = {
            "match": match,
            "zeros": zeros,
            "singletons": "keep" if keep == "True" else "drop",
        }
        if "error" in figures:
            with pytest.raises(ConllError) as caught:
                like(row["key"], row["response"], **options)
            assert "\n" not in str(caught.value)
            continue
        evaluation = like(row["key"], row["response"], **options)
        assert set(figures) == set(COREFUD.split(",")) - {"conll"}
        for metric, expected in figures.items():
            assert evaluation.ratios(metric).as_tuple() == pytest.approx(expected, abs=1e-9), (
                setting,
                metric,
            )


@pytest.mark.parametrize("row", ALIKE, ids=lambda row: row["id"])
def test_every_printed_figure_where_the_sides_have_the_same_nodes(row):
    """By default as well, where binary fractions may decide otherwise how a tie is rounded (row
    31-39)."""
    flags = row["options"]
    options = {
        "match": flags[flags.index("-a") + 1],
        "zeros": flags[flags.index("-z") + 1],
        "singletons": "keep" if "-s" in flags else "drop",
    }
    evaluation = like(row["key"], row["response"], **options)
    files = (io.BytesIO(row[side].encode()) for side in ("key", "response"))
    default = score(*files, metrics=COREFUD, blanc_edges="luo2014", **options)
    for metric, printed in row["percent"].items():
        shown = [figure(ratio, "round") for ratio in evaluation.ratios(metric).as_tuple()]
        assert shown == [f"{percent:.2f}" for percent in printed], metric
        percents = [100 * ratio for ratio in default.ratios(metric).as_tuple()]
        assert percents == pytest.approx(printed, abs=0.005 + 1e-9), metric
    assert figure(evaluation.ratios("conll").f1, "round") == f"{row['conll']:.2f}"


REFUSES = "CorefUD's scorer refuses such a file"


@pytest.mark.parametrize("zeros", ["linear", "dependent"])
@pytest.mark.parametrize("match", MATCHES)
@given(pair=drawn(generator.corefud_pair), keep=st.booleans())
def test_all_as_the_model(match, zeros, pair, keep):
    key, response = (file.decode() for file in pair)
    options = {"match": match, "zeros": zeros, "singletons": "keep" if keep else "drop"}
    try:
        expected = naive_corefud.counts(key, response, match, keep, zeros)
    except ZeroDivisionError:
        # Mentions of one entity that cross, if any were drawn, are refused before.
        with pytest.raises(ConllError, match=f"has no enhanced dependencies|{REFUSES}"):
            like(key, response, **options)
        return
    try:
        evaluation = like(key, response, **options)
    except ConllError as error:
        if REFUSES not in str(error):
            raise
        # Mentions of one entity that cross were drawn, which the model reads.
        return
    for metric, parts in expected.items():
        found = [part.as_tuple() for part in evaluation.totals[metric]]
        assert found == [pytest.approx(tuple(part), abs=1e-9) for part in parts], metric


SIZE = 6


def text(*clusters, zeros=None, declared="eid-etype-head-other"):
    """One sentence of words 1 to 6 with these empty nodes and their dependencies.

    A mention is (first, last, head) by ids.
    """
    nodes = sorted([*map(str, range(1, SIZE + 1)), *(zeros or {})], key=float)
    starts, ends = {}, {}
    for number, cluster in enumerate(clusters):
        for first, last, head in cluster:
            starts[first] = starts.get(first, "") + f"(e{number}--{head}" + ")" * (first == last)
            if first != last:
                ends[last] = f"e{number})" + ends.get(last, "")
    lines = [f"# global.Entity = {declared}", "# newdoc id = a", "# sent_id = 1"]
    for node in nodes:
        entity = ends.get(node, "") + starts.get(node, "")
        misc = f"Entity={entity}" if entity else "_"
        parent = "_" if "." in node else "0"
        row = [node, "w", *"____", parent, "_", (zeros or {}).get(node, "_"), misc]
        lines.append("\t".join(row))
    return "\n".join([*lines, "", ""])


def word(ident):
    return ident, ident, 1


def counts(key, response, metric, **options):
    return [
        part.as_tuple() for part in like(key, response, singletons="keep", **options).totals[metric]
    ]


def sentence(*entities):
    """A sentence of words with these values of `Entity`."""
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = a", "# sent_id = 1"]
    for number, entity in enumerate(entities, 1):
        lines.append(f"{number}\tw\tw\tX\t_\t_\t0\troot\t_\tEntity={entity}")
    return "\n".join([*lines, "", ""])


def test_ties_where_entities_share_a_mention():
    """Measured with the program (`-a head -z linear -s`): all entities come in udapi's order, not
    only those with the mention that two of them have."""
    key = sentence(
        "(e0--1(e3--2(e2--1(e4--1", "e2)e3)(e0--1)(e3--1)(e4--2", "e4)e0)", "e4)", "(e5--1)"
    )
    response = sentence(
        "(e0--2(e4--2(e0--3(e1--2",
        "(e4--2(e0--2(e3--1)",
        "e1)e0)e4)e0)(e2--1)(e3--1)",
        "e0)e4)",
        "(e2--1)",
    )
    evaluation = like(key, response, match="head", zeros="linear", singletons="keep")
    percents = {}
    for metric in ("bcub", "ceafm", "ceafe", "blanc"):
        recall, precision, _ = evaluation.ratios(metric).as_tuple()
        percents[metric] = round(100 * recall, 2), round(100 * precision, 2)
    assert percents == {
        "bcub": (37.5, 28.33),
        "ceafm": (50, 40),
        "ceafe": (46.67, 46.67),
        "blanc": (16, 10.26),
    }


def test_the_one_table_loses_a_partner():
    # 1.1 of the key stands for 2.1 of the response, and 2.1 of the key for 3.1. The table has 2.1
    # -> 3.1 first, then 2.1 -> 1.1.
    key = text(
        [word("1"), word("1.1")], [word("2"), word("2.1")], zeros={"1.1": "4:nsubj", "2.1": "5:obj"}
    )
    response = text(
        [word("1"), word("2.1")], [word("2"), word("3.1")], zeros={"2.1": "4:nsubj", "3.1": "5:obj"}
    )
    assert counts(key, response, "muc") == [(1, 2, 2, 2)]
    # By place 2.1 is equal to 2.1 and nothing else matches: no link is held together.
    assert counts(key, response, "muc", zeros="linear") == [(0, 2, 0, 2)]


@pytest.mark.parametrize("side", [0, 1])
def test_a_zero_without_dependencies_cannot_be_compared(side):
    apart = [
        text([word("1"), word("1.1")], zeros={"1.1": dependency}) for dependency in ("4:nsubj", "_")
    ]
    key, response = apart[side], apart[1 - side]
    with pytest.raises(ConllError) as caught:
        counts(key, response, "muc")
    assert str(caught.value) == (
        "<file>:2: document a: the empty node 1.1 of sentence 1 has no enhanced dependencies; "
        "CorefUD's scorer cannot compare it with others, so write them, or choose zeros linear"
    )
    assert counts(key, response, "muc", zeros="linear") == [(1, 1, 1, 1)]
    assert counts(key, text([word("1"), word("2")]), "muc") == [(0, 1, 0, 1)]


def test_repeats_may_be_refused():
    key = text([word("1"), word("2"), word("1")])
    with pytest.raises(ConllError) as caught:
        like(key, key, duplicates="error")
    problem = (
        "mention (0,0) of cluster e0 is already in cluster e0 (line 4); remove the duplicate, or "
        "set how duplicates are scored"
    )
    assert str(caught.value) == f"<file>:4: document a: {problem}"


CROSSINGS = {
    # What udapi 0.5.2 was seen to refuse; of the last, it reads other mentions.
    "refused": [
        "(e1[1/2]--1) (e1[2/2]--1 (e1--1 e1[2/2]) e1)",
        "(e1[1/2]--1) (e1--1 (e1[2/2]--1 e1) e1[2/2])",
        "(e1[1/2]--1) (e1[1/2]--1) _ (e1[2/2]--1) (e1[2/2]--1)",
        "(e1[1/2]--1) (e1[1/2]--2) _ (e1[2/2]--2) (e1[2/2]--1)",
        "(e1[1/2]--1) (e1[1/2]--1) _ (e1[2/2]--1)(e1[2/2]--1)",
        "(e1[1/2]--1) _ (e1[1/2]--1)(e1[2/2]--1) _ (e1[2/2]--1)",
        "(e1[1/2]--1) _ (e1[2/2]--1(e1--1 e1[2/2])e1)",
        # It reads the second of two parts as one of the first mention.
        "(e1[1/3]--1) _ (e1[1/2]--1)(e1[2/3]--1) _ (e1[2/2]--1 (e1[3/3]--1 e1[3/3])e1[2/2])",
        "(e1[1/3]--2) (e1[2/3]--2)(e1[1/2]--1) (e1[2/2]--1(e0--1)(e1[3/3]--2) (e0--1)e1[2/2])",
    ],
    # What it reads with the ends exchanged, or may read so.
    "doubtful": [
        "(e1[1/2]--1 (e1--1 e1[1/2]) e1) (e1[2/2]--1)",
        "(e1--1(e1[1/2]--1 e1) e1[1/2]) _ (e1[2/2]--1)",
        "(e1[1/3]--1) _ (e1[2/3]--1(e1--2 e1[2/3])e1) _ (e1[3/3]--1)",
        "(e1[1/3]--4) _ (e1[2/3]--4(e1--1 e1[2/3])e1) _ (e1[3/3]--4)",
        "(e1[1/3]--1) _ (e1[2/3]--1(e1--1 e1[2/3])e1) _ (e1[3/3]--1)",
        "(e1[1/3]--1) _ (e1[2/3]--1 (e1--1 e1[2/3])e1) _ (e1[3/3]--1)",
    ],
    # What it reads as we do.
    "read": [
        "(e1[1/2]--1)(e1[1/2]--1) (e1[2/2]--1 (e1[2/2]--2) e1[2/2])",
        "(e1--1 (e1[1/2]--1) e1) (e1[2/2]--1)",
        "(e1[1/2]--1) (e1--1) (e1[2/2]--1)",
        "(e1[1/2]--1) (e1--1 (e1[2/2]--1) e1)",
        "(e1[1/2]--1) _ (e1[2/2]--1 (e1--1 e1) e1[2/2])",
        "(e1[1/2]--1) (e1[1/2]--1) _ (e1[2/2]--1 (e1[2/2]--1)e1[2/2])",
        "(e1[1/2]--1) _ (e1[2/2]--1)(e1[1/2]--1) _ (e1[2/2]--1)",
        "(e1[1/2]--1(e1--1 e1) e1[1/2]) _ (e1[2/2]--1)",
        "(e1--1 (e2--1 e1) e2)",
    ],
}


@pytest.mark.parametrize(
    ("cells", "fate"), [(cells, fate) for fate in CROSSINGS for cells in CROSSINGS[fate]]
)
def test_what_crosses(cells, fate):
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = a"]
    for number, cell in enumerate(cells.split(), 1):
        misc = cell if cell == "_" else f"Entity={cell}"
        lines.append("\t".join([str(number), "w", *"____0__", misc]))
    file = "\n".join([*lines, "", ""])
    if fate == "refused":
        with pytest.raises(ConllError, match="refuses such a file or reads it otherwise, so write"):
            like(file, file)
        return
    problems = like(file, file, singletons="keep").problems
    assert [("may exchange them" in str(problem)) for problem in problems] == [True, True] * (
        fate == "doubtful"
    )


def test_nested_mentions_whose_ends_the_program_exchanges():
    """Figures are those of the mentions as they are written; that program prints 39.20."""
    sides = [CROSSING / f"nested.{side}.conllu" for side in ("key", "response")]
    evaluation = score(*sides, **settings("crac24"))
    assert f"{100 * evaluation.ratios('conll').f1:.2f}" == "46.17"
    [problem] = [problem for problem in evaluation.problems if problem.kind == "reading"]
    assert (problem.path, problem.line) == (str(sides[1]), 11)


def test_presets_print_as_the_program_does(tmp_path, capsys):
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text(text([word("1"), word("2"), word("3"), word("4")]))
    response.write_text(text([word("1"), word("2"), word("3")]))
    command = ["score", str(key), str(response), "--preset", "crac25", "--metrics", "muc"]
    command += ["--signature", "full"]
    for rounding, recall in ((), "66.67"), (("--rounding", "truncate"), "66.66"):
        assert main([*command, *rounding]) == 0
        out = capsys.readouterr().out.splitlines()
        assert out[2].split() == ["muc", recall, "100.00", "80.00", "2", "/", "3", "2", "/", "2"]
        assert "; match=head; zeros=dependent; like=corefud-1.2; " in out[-1]
