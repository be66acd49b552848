"""Readers take time that grows with the file, whatever it holds: each of these would take a minute, or for ever, otherwise."""

import io
import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, Document, open_documents, write_documents
from conll.brackets import parse, parse_named
from conll.columns import is_cell, kind_of
from conll.show import Marked, counterparts
from scorer import errors, score
from scorer.run.check import check_files
from strategies import examples


def opened(text, form=None):
    return open_documents(io.BytesIO(text.encode()), form)


ID = r"[^()|\s]+"


@examples(4)
@given(st.text("()|ab1+-_* ", max_size=12))
def test_cells_are_those_of_the_grammar(cell):
    """The grammar as it is thought of.

    A regular expression of it tries a number of ways that doubles with each letter.
    """
    assert is_cell(cell.encode()) == (
        re.fullmatch(rf"[-_*]|(?:\({ID}\)?\|?|{ID}\)\|?)+", cell) is not None
    )


@examples(4)
@given(st.text("()|ab1+ \t", max_size=12).filter(lambda cell: set(cell) & {"a", "b", " ", "\t"}))
def test_named_pieces_are_read_as_they_stand(cell):
    found = re.findall(rf"\((\d+\+\d)\)|\(({ID})\)|\(({ID})|({ID})\)", cell)
    pieces = parse_named(cell.encode())
    read = [
        [label.decode() for label in kind]
        for kind in (pieces.discarded, pieces.singles, pieces.starts, pieces.ends)
    ]
    assert read == [[one[kind] for one in found if one[kind]] for kind in range(4)]


def test_ids_of_digits_are_read_as_the_reference_reads_them_in_all_formats():
    cells = {"(1(2)3)": [[(0, 0)], [(0, 0)]], "(a(2)a)": [[(0, 0)], [(0, 0)]]}
    for form, cell in (
        ("conll2012", "(1(2)3)"),
        ("conll", "(1(2)3)"),
        ("semeval2010", "(1(2)3)"),
        ("conll", "(a(2)a)"),
    ):
        document = opened(f"#begin document a\n1\tw\t{cell}\n#end document\n", form).document("a")
        assert document.clusters == cells[cell]
        assert document.labels == (["2", "13"] if cell == "(1(2)3)" else ["2", "a"])


MANY = 10_000
"""What Python goes through one by one, at some ten million a second: its square takes longer than
there is time."""
LONG = 300_000
"""What is gone through without Python, a hundred times as fast."""


@pytest.fixture(autouse=True)
def _in_time():
    """In seconds of this process, which hardly depend on what else runs: half of one is enough."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 4


@pytest.mark.parametrize(
    "cell",
    [
        "a" * LONG + "(",
        "(" + "a" * LONG,
        "(abcde)" * 12 + "(",
        "(abcde)" * MANY + "(",
        "(a" * MANY,
        "a|" * MANY,
        "1" * LONG + "(",
    ],
    ids=["letters", "one id", "a few ids", "many ids", "starts", "bars", "digits"],
)
def test_a_cell_is_taken_apart_in_one_pass(cell):
    assert is_cell(cell.encode()) == (cell.startswith("(a") and not cell.endswith("("))
    parse_named(cell.encode())
    kind_of(f"#begin document a\n1\tw\t{cell}\n#end document\n".encode())
    for form in ("conll", "conll2012", "semeval2010"):
        opened(f"#begin document a\n1\tw\t{cell}\n", form).document("a")


def test_many_brackets_in_brackets():
    cell = b"(" * LONG + b"1" + b")" * LONG
    pieces = parse(cell)
    assert (pieces.discarded, pieces.singles, pieces.starts, pieces.ends) == ([], [b"1"], [], [])
    document = opened(f"#begin document a\na\t0\t0\tw\t{cell.decode()}\n#end document\n").document(
        "a"
    )
    assert document.clusters == [[(0, 0)]]


@pytest.mark.parametrize(
    "label", ["t{0}-1", "t-{0}-1", "1-{0}"], ids=["one id", "one ending", "apart"]
)
def test_many_open_mentions_whose_ends_leave_the_type_out(label):
    """The only one that is open and fits is closed, among as many that do not fit or are not open."""
    starts = [f"({label.format(number)}" for number in range(MANY)]
    ends = [f"{number if label[0] == '1' else 1})" for number in range(MANY)]
    if label[0] == "1":
        lines = [*starts, *ends]
        spans = [[(number, MANY + number)] for number in range(MANY)]
    else:
        lines = [one for pair in zip(starts, ends) for one in pair]
        spans = [[(2 * number, 2 * number + 1)] for number in range(MANY)]
    text = "".join(f"1\tw\t{line}\n" for line in lines)
    assert opened(f"#begin document(a)\n{text}#end document\n").document("(a)").clusters == spans


def test_an_end_that_several_open_mentions_fit_closes_none():
    text = "#begin document(a)\n1\tw\t(b-1\n1\tw\t(c-1\n1\tw\t1)\n#end document\n"
    with pytest.raises(ConllError, match="mention 1 ends here but never starts"):
        opened(text).document("(a)")
    text = text.replace("1\tw\t1)", "1\tw\tc-1)\n1\tw\t1)")
    assert opened(text).document("(a)").clusters == [[(0, 3)], [(1, 2)]]


@pytest.mark.parametrize(
    "label", ["-".join("a" * (LONG // 3)), "-" * (LONG // 3)], ids=["letters", "nothing"]
)
def test_an_id_of_many_hyphens(label):
    text = "#begin document(a)\n1\tw\t({0}-1\n1\tw\t1)\n1\tw\t({0}-1\n1\tw\t1)\n#end document\n"
    assert opened(text.format(label)).document("(a)").clusters == [[(0, 1), (2, 3)]]


def test_many_lines_of_json_lines_that_are_wrong(tmp_path):
    (tmp_path / "wrong.jsonl").write_text("{bad}\n" * 2 * MANY)
    found = check_files([str(tmp_path / "wrong.jsonl")])
    assert [problem.line for problem in found] == list(range(1, 2 * MANY + 1))


COREFUD = "# newdoc id = a\n# global.Entity = eid-etype\n"


def corefud(lines):
    nodes = "".join(
        f"{number}\tw\t_\t_\t_\t_\t_\t_\t_\t{line}\n" for number, line in enumerate(lines, 1)
    )
    return opened(f"{COREFUD}{nodes}\n", "corefud").document("a")


def test_many_mentions_of_parts():
    """All first parts, then all second ones: the mention that started first goes on first."""
    many = MANY // 2
    document = corefud([f"Entity=({part})" for part in ["e[1/2]"] * many + ["e[2/2]"] * many])
    assert document.clusters == [
        [((number, number), (many + number, many + number)) for number in range(many)]
    ]
    assert (
        len(document.syntax.crossings) == many - 1
    )  # all but the last end while a later one waits


def test_many_parts_that_are_open_at_once():
    """An end closes the latest start of its label, so the first that began is the last that ends: none of them crosses."""
    many = MANY // 2
    lines = [f"Entity=({part}" for part in ["e[1/2]"] * many]
    lines += [f"Entity={part}" for part in ["e[1/2])"] * many + ["(e[2/2])"] * many]
    document = corefud(lines)
    spans = [
        ((number, 2 * many - 1 - number), (2 * many + number, 2 * many + number))
        for number in range(many)
    ]
    # A second part that follows at once makes one piece with the first.
    assert document.clusters == [[(0, 2 * many), *spans[1:]]]
    assert len(document.syntax.crossings) == many - 1


def test_many_empty_nodes_in_one_sentence():
    many = MANY // 2
    zeros = "".join(
        f"1.{number}\t_\t_\t_\t_\t_\t_\t_\t1:x\tEntity=(e{number})\n" for number in range(1, many)
    )
    document = opened(f"{COREFUD}1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n{zeros}\n", "corefud").document("a")
    assert document.clusters == [[(f"0:1.{number}",)] for number in range(1, many)]
    assert len(document.syntax.zeros) == many - 1


def test_a_long_mention_with_empty_nodes_at_its_edges_in_many_others():
    many = MANY // 10
    words = "".join(f"{number}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" for number in range(1, many))
    starts, ends = (text * many for text in ("(e", "e)"))
    text = f"0.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity={starts}\n{words}{many}\tw\t_\t_\t_\t_\t_\t_\t_\tEntity={ends}\n"
    document = opened(f"{COREFUD}{text}\n", "corefud").document("a")
    assert document.clusters == [[("0:0.1", (0, many - 1))] * many]


def test_many_mentions_that_cross_are_marked():
    many = 3 * MANY
    text = [["w"] * (2 * many)]
    crossing = Marked(
        Document("a", [[(at, many + at) for at in range(many)], [(0, 2 * many - 1)] * many]), text
    )
    assert {
        mark.crosses for marks in crossing.opens.values() for mark in marks if mark.cluster == 0
    } == {True}
    assert {mark.crosses for mark in crossing.opens[0] if mark.cluster == 1} == {False}


@pytest.mark.parametrize("name", ["", "m{0}"])
def test_many_open_markables(name):
    begin = "".join(
        f"{number} w (EntityID={number}|MarkableID=m{number}\n" for number in range(1, MANY // 2)
    )
    end = "".join(
        f"{MANY // 2 - 1 + number} w {name.format(number)})\n" for number in range(1, MANY // 2)
    )
    document = opened(
        f"# global.columns = ID FORM IDENTITY\n# newdoc id = a\n{begin}{end}\n"
    ).document("a")
    last = MANY // 2 - 1
    first = (0, last) if name else (0, 2 * last - 1)
    assert (len(document.clusters), document.clusters[0]) == (last, [first])


@pytest.mark.parametrize(
    "line",
    [
        " document" * LONG,
        "#" + " document" * LONG,
        "# end document" * LONG,
        "#x" + "end document" * LONG,
    ],
    ids=["words", "a comment", "ends", "no end"],
)
def test_a_line_of_megabytes_that_looks_like_the_first_or_the_last_of_documents(line):
    from conll.arrays import NotSequentialError

    begin = "#begin document a\na\t0\t0\tw\t(3)\n"
    for before in (begin, "#begin document "):
        source = opened(f"{before}{line}\n{begin}#end document\n", "conll2012")
        assert source.names()[-1] == "a"
        assert source.document("a").clusters == [[(0, 0)]]
        scanner = source.scanner()
        try:
            while not scanner.finished:
                scanner.fill()
        except NotSequentialError:
            continue


def test_links_of_mentions_that_all_repeat():
    """By hand: n clusters of two make n links, and every two mentions lie in two clusters as well, as does each repeated one."""
    clusters = [[(at, at), (at + 1, at + 1)] for at in range(MANY)]
    together, apart = score(clusters, clusters, metrics="blanc", duplicates="keep").totals["blanc"]
    links = MANY * (MANY + 1) // 2 + MANY - 1
    assert (together.as_tuple(), apart.as_tuple()) == ((MANY,) * 4, (links,) * 4)


@pytest.mark.parametrize("options", [{}, {"like": "corefud-1.2"}])
def test_one_mention_many_times_in_a_cluster(options):
    """Counted each time: CEAF finds all, and a zero after its first is missed, as it is the first of its cluster."""
    nodes = [
        "1\tw\t_\t_\t_\t_\t0\t_\t_\t_",
        "1.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=" + "(e1--1)" * MANY,
    ]
    text = "\n".join(
        ["# global.Entity = eid-etype-head-other", "# newdoc id = a", *nodes, "", ""]
    ).encode()
    evaluation = score(
        io.BytesIO(text), io.BytesIO(text), duplicates="keep", metrics="ceafm,zero", **options
    )
    assert evaluation.totals["ceafm"][0].as_tuple() == (MANY,) * 4
    assert evaluation.totals["zero"][0].as_tuple() == (0, MANY - 1, 0, 0)


def as_long_as_the_text(tokens):
    """A document of mentions each of which goes on to its end."""
    clusters = [[[at, tokens - 1]] for at in range(tokens)]
    return {"doc_key": "a", "tokens": ["w"] * tokens, "clusters": clusters}


def test_mentions_as_long_as_the_text_are_written_by_their_ends(tmp_path):
    document = opened(json.dumps(as_long_as_the_text(MANY))).document("a")
    write_documents([document], tmp_path / "a.conllu")
    assert open_documents(tmp_path / "a.conllu").document("a").clusters == document.clusters


def test_mentions_as_long_as_the_text_are_shown_in_short():
    key, response = as_long_as_the_text(MANY // 4), as_long_as_the_text(0)
    found = errors(
        *(io.BytesIO(json.dumps(one).encode()) for one in (key, response)), metrics="muc", trials=1
    )
    words = [finding.words for finding in found.findings()]
    assert words[-100:] == [" ".join(["w"] * size) for size in range(100, 0, -1)]
    assert {*words[:-100]} == {" ".join(["w"] * 50 + ["…"] + ["w"] * 50)}


def test_clusters_that_all_hold_one_mention_are_paired_by_the_others():
    clusters = [["all", str(number)] for number in range(MANY)]
    assert counterparts(clusters, clusters) == list(range(MANY))
    # In more than ten clusters of a side it says nothing of the rest.
    assert counterparts([["all"]] * 12, [["all"]] * 12) == [*range(10), 22, 23]
