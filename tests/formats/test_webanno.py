"""WebAnno TSV 3: chains, relations, parts of tokens, and what is refused."""

import json
from io import StringIO
from pathlib import Path

import pytest

from conll import ConllError, open_documents

CASES = Path(__file__).parents[2] / "fixtures" / "annotations"
CHAIN = "#T_CH=webanno.custom.CoreferenceLink|referenceType|referenceRelation"
SPAN = "#T_SP=webanno.custom.Referent|entity"
COREF = "#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent"


def text_of(layers, *rows):
    """The text of a file; a row has a blank between cells."""
    table = "\n".join(row.replace(" ", "\t") for row in rows)
    return f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n\n#Text=…\n{table}\n"


def read(layers, *rows):
    """The clusters of a file, and its problems."""
    source = open_documents(StringIO(text_of(layers, *rows)), "webanno", name="a.tsv")
    assert source.names() == ["a"]
    clusters = source.read("a").clusters
    return clusters, [(problem.kind, problem.problem) for problem in source.problems()]


def refusal(layers, *rows):
    """The line and the problem for which a file is refused."""
    with pytest.raises(ConllError) as caught:
        read(layers, *rows)
    return caught.value.line, caught.value.problem


def test_the_first_line_tells_the_format():
    source = open_documents(StringIO(text_of(CHAIN, "1-1 0-3 Ada pr[1] coref->1-1")))
    assert source.format == "webanno"


@pytest.mark.parametrize("columns", [(3, 4), (4, 3)])
def test_chains_in_either_order_of_their_columns(columns):
    """The second row is that of the user guide, which has no number where there is no type."""
    rows = []
    for token, cells in enumerate(
        (("pr[1]", "coref->1-1"), ("_", "_"), ("pr[1]|*[2]", "*->1-2|*->2-1"), ("*[2]", "*->2-1"))
    ):
        first, second = (cells[column - 3] for column in columns)
        rows.append(f"1-{token + 1} 0-1 w {first} {second}")
    features = ["referenceType", "referenceRelation"]
    layer = "|".join(["#T_CH=webanno.custom.Link", *(features[column - 3] for column in columns)])
    assert read(layer, *rows) == ([[(0, 0), (2, 2)], [(2, 3)]], [])


def test_chains_of_two_layers_are_clusters_of_their_own():
    other = "#T_CH=webanno.custom.Things|referenceType|referenceRelation"
    rows = ["1-1 0-1 a *[1] *->1-1 _ _", "1-2 2-3 b _ _ *[1] *->1-1"]
    assert read(f"{CHAIN}\n{other}", *rows)[0] == [[(0, 0)], [(1, 1)]]


def test_an_arrow_in_a_value_is_no_link():
    """Reserved characters are escaped, `->` as one of them."""
    rows = [r"1-1 0-1 a x\->9-9\|y[1] *->1-1", "1-2 2-3 b *[1] *->1-2"]
    assert read(CHAIN, *rows)[0] == [[(0, 0), (1, 1)]]


def test_relations_connect_spans_with_and_without_numbers():
    """The other end comes first in the brackets, 0 for a span without a number."""
    rows = [
        "1-1 0-1 a person coref 1-3[2_0]",
        "1-2 2-3 b person bridge 1-1",
        "1-3 4-5 c person[2]|place[3] _ _",
        "1-4 6-7 d person[2] coref 1-1",
    ]
    clusters, problems = read(f"{SPAN}\n{COREF}", *rows[:3])
    assert (clusters, problems) == ([[(0, 0), (2, 2)], [(1, 1)], [(2, 2)]], [])
    assert refusal(f"{SPAN}\n{COREF}", *rows) == (
        10,
        "a relation has an end at 1-4, but there is no such span; export the document again",
    )


def test_several_relation_layers_on_one_layer_of_spans_are_read_together():
    other = COREF.replace("Coref", "Anaphora")
    rows = ["1-1 0-1 a x _ _ _ _", "1-2 2-3 b x coref 1-1 _ _", "1-3 4-5 c x _ _ it 1-2"]
    assert read(f"{SPAN}\n{COREF}\n{other}", *rows)[0] == [[(0, 0), (1, 1), (2, 2)]]


def test_relations_that_are_not_of_coreference_are_counted():
    """Dependencies are told by the name of their layer, which is built in."""
    syntax = (
        "#T_RL=de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency|DependencyType|"
        "BT_webanno.custom.Referent"
    )
    other = COREF.replace("Coref", "Relation")
    layers = f"{SPAN}\n{syntax}\n{other}"
    nothing = "no chains (#T_CH=) and no relations of coreference (#T_RL=) are declared"
    warning = f"{nothing}, so there are no mentions; ignored: Relation (1)"
    rows = ["1-1 0-1 a x nsubj 1-2 _ _", "1-2 2-3 b x _ _ part 1-1"]
    assert read(layers, *rows) == ([], [("file", warning)])
    note = "relations that are not of coreference are ignored: Relation (1)"
    rows = ["1-1 0-1 a x nsubj 1-2 Coreference 1-2", "1-2 2-3 b x _ _ part 1-1"]
    assert read(layers, *rows) == ([[(0, 0), (1, 1)]], [("note", note)])


def test_a_document_without_annotations_has_no_layer():
    [(kind, note)] = read("", "1-1 0-1 a")[1]
    assert kind == "note"
    assert note.startswith("no chains (#T_CH=) and no relations of coreference (#T_RL=)")


def test_a_part_of_a_token_is_that_token():
    source = open_documents(CASES / "webanno-subtoken.tsv")
    [name] = source.names()
    assert source.read(name).clusters == [[(0, 0), (2, 2)]]
    assert source.read(name).words == [["Ada-Team", "saw", "Ada", "."]]
    [problem] = source.problems()
    assert (problem.kind, problem.text) == ("repair", "repaired: 1 sub-token")


def test_mentions_that_are_the_same_as_whole_tokens_are_one():
    """`aa` and its parts in a chain; a mention from within it to within the next token in
    another."""
    rows = [
        "1-1 0-2 aa *[1] *->1-2",
        "1-1.1 0-1 a *[1]|*[2] *->1-1|*->2-1",
        "1-1.2 1-2 a *[1] *->1-3",
        "1-2 3-5 bb _ _",
        "1-2.1 3-4 b *[2] *->2-1",
    ]
    clusters, [(kind, repaired)] = read(CHAIN, *rows)
    assert clusters == [[(0, 0)], [(0, 1)]]
    assert (kind, repaired.partition(";")[0]) == ("repair", "repaired: 3 sub-tokens")


@pytest.mark.parametrize(
    ("name", "counts"),
    [("webanno-subtoken.tsv", {"mentions": 2, "muc": 1}), ("webanno-10-columns.tsv", {"mentions": 2, "muc": 1})],
)  # fmt: skip
def test_the_command_finds_all_mentions(name, counts, main):
    path = CASES / name
    status, out, _ = main("score", path, path, "--metrics", ",".join(counts), "--format", "json")
    assert status == 0
    totals = json.loads(out)["totals"]
    assert {metric: totals[metric]["recall_denominator"] for metric in counts} == counts
    assert {metric: totals[metric]["f1"] for metric in counts} == dict.fromkeys(counts, 1)


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        (["1-1 0-1"], 6, "there are 2 columns, but the head declares 5; export the document again"),
        (["1-1 0-1 a _ _", "b _ _"], 7, "the line begins with no token such as 1-2; escape line breaks"),
        (["1-1 0-1 a _ _", "1-2.1 0-1 a _ _"], 7, "1-2.1 is part of a token that is not above it"),
        (["1-1 0-1 a _ _"] * 2, 7, "there are two tokens 1-1; keep each document in a file of its own"),
        (["1-1 0-1 a *[1] *"], 6, "*[1] belongs to no chain; write a link like coref->1-2"),
    ],
)  # fmt: skip
def test_rows_that_are_refused(rows, line, problem):
    assert refusal(CHAIN, *rows) == (line, problem)


def test_relations_that_are_refused():
    both = f"{SPAN}\n{COREF}"
    problem = "x is not an end of a relation; write it like 2-1[2_7]"
    assert refusal(both, "1-1 0-1 a p coref x") == (7, problem)
    problem = (
        "the columns of the layer Coref have unequal numbers of values; export the document again"
    )
    assert refusal(both, "1-1 0-1 a p coref|ana 1-1") == (7, problem)
    [line, problem] = refusal(COREF, "1-1 0-1 a coref 1-1")
    assert line == 0
    assert problem == (
        "the file is not of this format: there are relations on webanno.custom.Referent, but no "
        "such layer (#T_SP=) is declared"
    )
