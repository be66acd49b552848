"""What is left out of documents whose format cannot hold it, and what is said of that."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, Document, formats, open_documents, write_documents
from conll.brackets import conflicts
from conll.convert import Reduction
from conll.formats import Holds

FORMATS = Path(__file__).parent.parent.parent / "fixtures" / "formats"
STORY = FORMATS / "story.corefud.conllu"

BESIDE = [
    "conll2012 cannot hold 8 heads; dropped in 2 documents",
    "conll2012 cannot hold 1 Bridge attribute; dropped in 1 document",
    "conll2012 cannot hold 1 SplitAnte attribute; dropped in 1 document",
]

TOLD = [
    "conll2012 cannot hold 16 tags; dropped in 2 documents",
    "conll2012 cannot hold 13 dependency relations; dropped in 2 documents",
    "conll2012 cannot hold 7 etype attributes; dropped in 2 documents",
    "conll2012 cannot hold 8 minspan attributes; dropped in 2 documents",
    "conll2012 cannot hold 8 infstat attributes; dropped in 2 documents",
    "conll2012 cannot hold 5 cluster ids; dropped in 2 documents",
]
"""What stands in the other columns of the story, and of its mentions, counted by hand; one of two
parts counts once."""


def written(documents, form, fit):
    file = io.BytesIO()
    write_documents(documents, file, form, fit=fit)
    return open_documents(io.BytesIO(file.getvalue()), form)


def test_the_story_without_gaps_and_empty_nodes():
    fit = Reduction("conll2012", drop=True)
    source = written(open_documents(STORY), "conll2012", fit)
    assert [source.read(name).clusters for name in source.names()] == [
        [[(0, 0), (2, 2)], [(2, 3)], [(5, 5)]],
        [[(3, 5)]],
    ]
    assert source.read("answer").words == [["Came", "and", "saw", "her", "here"], ["Now"]]
    assert list(fit.left_out()) == [
        *BESIDE,
        *TOLD,
        "conll2012 cannot hold 1 empty node; dropped in 1 document",
        "conll2012 cannot hold 2 zero mentions; dropped in 1 document",
        "conll2012 cannot hold 1 discontinuous mention; dropped in 1 document",
        "conll2012 cannot hold 1 cluster without other mentions; dropped in 1 document",
    ]


@pytest.mark.parametrize(
    ("form", "name", "read"), [("conll2012", "", "1"), ("conll2012", "a", "a"), ("jsonl", "", "")]
)
def test_a_document_without_a_name_gets_another_one_where_that_is_read(form, name, read):
    fit, file = Reduction(form), io.BytesIO()
    write_documents([Document(name, [[(0, 0)]], 1)], file, form, fit=fit)
    assert open_documents(io.BytesIO(file.getvalue())).names() == [read]
    renamed = "conll2012 cannot hold 1 empty name (the document is named 1, 2, ... when it is read)"
    dropped = f"{renamed}; dropped in 1 document"
    assert list(fit.left_out()) == ([dropped] if name != read else [])


CROSSING = "crossing another one of its cluster"
UNSAFE = "2 words with a TAB or a line break, or next to such a word"
THREE = [(0, 2), (1, 3), (2, 4)]


@pytest.mark.parametrize(
    ("form", "clusters", "further", "kept", "said"),
    [
        ("conll2012", [THREE, [(0, 1)]], {"labels": [*"73"], "lines": [[1] * 3, [1]]}, [[(0, 2)], [(0, 1)]],
         f"2 mentions {CROSSING}"),
        ("corefud", [THREE], {}, [[(0, 2), (2, 4)]], f"1 mention {CROSSING}"),
        ("jsonl", [["m1", (0, 0)], [(0, 1)]], {}, [[(0, 0)], [(0, 1)]], "1 mention without a first and a last token"),
        ("corefud", [[(0, 1)]], {"words": [["a\tb", "c"]]}, [[(0, 1)]], UNSAFE),
        ("conll2012", [[(0, 0)]], {"words": [["#end document", "c"]]}, [[(0, 0)]], UNSAFE),
        ("jsonl", [[(0, 1)]], {"discarded": ["1+2"]}, [[(0, 1)]], "1 double antecedent"),
    ],
)  # fmt: skip
def test_what_is_left_out(form, clusters, further, kept, said):
    fit = Reduction(form, drop=True)
    document = Document("a", clusters, None if "words" in further else 5, **further)
    read = written([document], form, fit).read("a")
    assert [sorted(cluster) for cluster in read.clusters] == kept
    assert list(fit.left_out()) == [f"{form} cannot hold {said}; dropped in 1 document"]


SPANS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda span: (min(span), max(span))),
    max_size=6,
    unique=True,
)


@pytest.mark.parametrize("form", ["conll2012", "corefud"])
@given(clusters=st.lists(SPANS.filter(bool), max_size=3))
def test_what_is_left_can_be_written_and_nothing_more_is_dropped(form, clusters):
    fit = Reduction(form, drop=True)
    read = written([Document("a", clusters, 7)], form, fit).read("a")
    for cluster in clusters:
        crossing = {later for _, later in conflicts(cluster, may_meet=form == "corefud")}
        assert sorted(set(cluster) - crossing) in [sorted(kept) for kept in read.clusters]
    left_out = [sentence for sentence in fit.left_out() if "order of clusters" not in sentence]
    try:
        written([Document("a", clusters, 7)], form, None)
    except ConllError:
        assert left_out != []
    else:
        assert left_out == []


def test_the_command_says_what_it_leaves_out(tmp_path, main):
    path = tmp_path / "out.conll"
    problem = "mention ('0:0.1',) of cluster e4 has gaps or empty nodes"
    problem = f"document answer: cannot be written as conll2012: {problem}"
    error = f"{STORY}:16: {problem}; use --drop to leave out what OUT cannot hold\n"
    assert main("convert", STORY, path) == (2, "", error)
    assert not path.exists()
    status, out, err = main("convert", STORY, path, "--drop")
    assert (status, out, err.splitlines()[:3]) == (0, "", [f"warning: {line}" for line in BESIDE])
    assert main("convert", STORY, path, "--drop", "--quiet") == (0, "", "")
    assert open_documents(path).names() == ["letter", "answer"]


def test_a_format_of_another_package_says_what_it_has_place_for(monkeypatch):
    holds = Holds(names=False, pieces=False, crossing=False, word=str.isalpha)
    monkeypatch.setattr(formats.get("jsonl"), "holds", holds)
    fit = Reduction("jsonl", drop=True)
    document = Document("a", [["m1", (0, 2), (1, 3), (2, 4)]], words=[["a", "b", "c", "d", "5"]])
    assert fit(document).clusters == [[(0, 2), (2, 4)]]
    assert fit(document).words is None
    assert [line.partition(";")[0] for line in fit.left_out()] == [
        "jsonl cannot hold 10 words with a TAB or a line break, or next to such a word",
        "jsonl cannot hold 2 mentions without a first and a last token",
        "jsonl cannot hold 2 mentions crossing another one of its cluster",
    ]


def test_what_corefud_has_no_place_for_in_universal_anaphora(tmp_path, main):
    text = "# global.columns = ID FORM LEMMA UPOS IDENTITY\n# newdoc id = a\n"
    text += "1\tShe\tshe\tPRON\t(EntityID=1|MarkableID=m|Min=1|SemType=dn)\n2\tran\trun\t_\t_\n"
    (tmp_path / "a.conllup").write_text(text)
    kinds = ("2 lemmas", "1 tag", "1 Min attribute", "1 SemType attribute")
    convert = main("convert", tmp_path / "a.conllup", tmp_path / "a.conllu")
    assert convert == (0, "", warned("corefud", *kinds))


@pytest.mark.parametrize("form", ["conll2012", "corefud"])
def test_no_more_placeholders_than_allowed_are_made(form):
    """The number of a token is all that it takes to ask for as many words.

    All documents together count.
    """
    documents = [Document("a", [[(2, 2)]]), Document("b", [[(4, 4), (1, 2)]], 7)]
    written(documents, form, Reduction(form, placeholders=10))
    with pytest.raises(ConllError) as caught:
        written(documents, form, Reduction(form, placeholders=9))
    problem = "its tokens have no words, and 10 placeholders are needed in all, more than 9"
    advice = "check the numbers of its tokens, or write jsonl, which needs no words"
    assert str(caught.value) == f": document b: {problem}; {advice}"
    written([Document("a", [[(0, 0)]], words=[["w"] * 9])], form, Reduction(form, placeholders=1))
    last = 10**9 - 1
    large = written([Document("a", [[(last, last)]])], "jsonl", Reduction("jsonl", placeholders=1))
    assert large.read("a").clusters == [[(last, last)]]


COLUMNS = """#begin document (bc/a); part 000
bc/a  0  0  Ada   NNP  (TOP(S(NP*)  -     -   -  Sp#1  (PERSON)  (ARG0*)  (7)
bc/a  0  1  met   VBD  (VP*         meet  01  1  Sp#1  *         (V*)     -
bc/a  0  2  her   PRP  (NP*)))      -     -   -  Sp#1  *         (ARG1*)  (7)

bc/a  0  0  Yes   UH   (TOP*)       -     -   -  -     *         -

#end document
"""
ROW = {
    "doc_key": "(bc/a); part 000",
    "sentences": [["Ada", "met", "her"], ["Yes"]],
    "pos": [["NNP", "VBD", "PRP"], ["UH"]],
    "parse": [["(TOP(S(NP*)", "(VP*", "(NP*)))"], ["(TOP*)"]],
    "lemma": [["", "meet", ""], [""]],
    "frameset": [["", "01", ""], [""]],
    "sense": [["", "1", ""], [""]],
    "speaker": [["Sp#1", "Sp#1", "Sp#1"], [""]],
    "column_12": [["(ARG0*)", "(V*)", "(ARG1*)"], [""]],
    "names": [[0, 0, "PERSON"]],
    "clusters": [[[0, 0], [2, 2]]],
}
FIELDS = ["pos", "parse", "lemma", "frameset", "sense", "speaker", "column_12", "names"]


def warned(form, *kinds):
    return "".join(f"warning: {form} cannot hold {kind}; dropped in 1 document\n" for kind in kinds)


def test_columns_go_where_they_have_a_place(tmp_path, main):
    """To JSON lines, from there, and to columns again; the rest is counted."""
    path, again = tmp_path / "in.conll", tmp_path / "again.jsonl"
    path.write_text(COLUMNS)
    assert main("convert", path, again) == (0, "", warned("jsonl", "1 cluster id"))
    assert json.loads(again.read_text()) == ROW
    columns = [
        line.split()
        for line in COLUMNS.replace("(PERSON)", "(PERSON*)")
        .replace("*         -", "* * -")
        .splitlines()
    ]
    for file, label in ((again, "(0)"), (path, "(7)")):
        status, out, err = main("convert", file, "-", "--to", "conll2012")
        assert (status, err) == (0, "")
        assert [line.split() for line in out.splitlines()] == [
            [label if cell == "(7)" else cell for cell in row] for row in columns
        ]
    assert main("convert", path, tmp_path / "out.conllu")[2] == warned(
        "corefud", *(f"`{field}`" for field in FIELDS)
    )


@pytest.mark.parametrize(
    ("field", "content"),
    [
        ("pos", [["N", "V"], ["N N"]]),
        ("pos", [["N", "V"]]),
        ("names", [[0, 1, "P"], [1, 2, "Q"]]),
        ("names", [["Ada", "Bob"]]),
        ("column_4", [["N", "V"], ["N"]]),
        ("constituents", {"a": 1}),
    ],
)
def test_fields_of_json_lines(field, content, tmp_path, main):
    path = tmp_path / "in.jsonl"
    row = {
        "doc_key": "a",
        "sentences": [["x", "y"], ["z"]],
        field: content,
        "clusters": [[[0, 0], [1, 2]]],
    }
    path.write_text(json.dumps(row))
    assert json.loads(main("convert", path, "-", "--to", "jsonl")[1]) == row
    assert main("convert", path, tmp_path / "out.conll") == (
        0,
        "",
        warned("conll2012", f"`{field}`"),
    )


@pytest.mark.parametrize(
    ("row", "kept", "left_out"),
    [
        (
            {"document_id": "a", "part_id": 1, "cased_words": ["x", "y"], "sent_id": [0, 0], "pos": ["N", "V"], "head": [1, None],
             "span_clusters": [[[0, 1]]]},
            {"doc_key": "(a); part 001", "sentences": [["x", "y"]], "pos": ["N", "V"], "clusters": [[[0, 0]]]},
            ["`head`"],
        ),
        (
            {"doc_key": "a", "sentences": [["x", "##x", "y"]], "subtoken_map": [0, 0, 1], "speakers": [["A", "A", "A"]],
             "clusters": [[[0, 1], [2, 2]]]},
            {"doc_key": "a", "clusters": [[[0, 0], [1, 1]]]},
            ["`sentences`", "`speakers`"],
        ),
    ],
)  # fmt: skip
def test_fields_whose_numbers_would_be_wrong_are_counted(row, kept, left_out, tmp_path, main):
    """Ends become inclusive, and subtokens words, in the clusters alone."""
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(row))
    status, out, err = main("convert", path, "-", "--to", "jsonl")
    assert (status, json.loads(out), err) == (0, kept, warned("jsonl", *left_out))


BOTH = {
    "doc_key": "a",
    "sentences": [["x", "y", "z", "w"]],
    "clusters": [[[0, 0], [1, 2]]],
    "predicted_clusters": [[[0, 0], [3, 3]]],
}


@pytest.mark.parametrize("field", ["predicted_clusters", "span_clusters"])
def test_a_file_of_two_sides_is_not_shown_or_converted_as_one(field, tmp_path, main):
    """What e2e-coref writes once it has predicted.

    Ends of `span_clusters`, and of `clusters` beside them, are exclusive.
    """
    path, out = tmp_path / "both.jsonl", tmp_path / "out.conll"
    after = field == "span_clusters"
    gold, predicted = (
        [[[start, end + after] for start, end in cluster] for cluster in BOTH[side]]
        for side in ("clusters", "predicted_clusters")
    )
    row = {"doc_key": "a", "sentences": BOTH["sentences"]}
    path.write_text(json.dumps({**row, "clusters": gold, field: predicted}))
    problem = "it holds the clusters of a key and of a response; choose one by --side key or --side response\n"
    place = f"{path}:1: document a"
    assert main("convert", path, out) == (
        2,
        "",
        f"{place}: cannot be written as conll2012: {problem}",
    )
    assert not out.exists()
    assert main("show", path) == (2, "", f"{place}: {problem}")
    assert main("show", path, path)[0] == 0
    assert main("show", path, path, "--side", "key")[0] == 2
    for side, cells, shown in (
        ("key", "(0) (0 0) -", "[0 x] [0 y z] w"),
        ("response", "(0) - - (0)", "[0 x] y z [0 w]"),
    ):
        assert main("convert", path, out, "--side", side) == (0, "", "")
        rows = [line.split() for line in out.read_text().splitlines() if line[:1] == "a"]
        assert [row[-1] for row in rows] == cells.split()
        assert shown in main("show", path, "--side", side)[1]
    assert json.loads(main("convert", path, "-", "--to", "jsonl")[1]) == BOTH
    row["clusters"] = BOTH["predicted_clusters"]
    assert json.loads(main("convert", path, "-", "--to", "jsonl", "--side", "response")[1]) == row
