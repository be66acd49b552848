"""The nodes of CoNLL-U documents: line by line and sentence by sentence they are the same."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, open_documents
from conll.conllu import nodes
from conll.conllu.nodes import Entry, Nodes

FORMATS = Path(__file__).parent.parent / "fixtures" / "formats"
FILES = sorted(FORMATS.glob("*.conllu"))

REST = "\tw\t_\t_\t_\t_\t0\troot\t0:root\t"
LAST = st.sampled_from(["_", "SpaceAfter=No", "Entity=(e1)", "Bridge=e1<e2|Entity=(e1)", "SpaceAfter=No|Entity=e1)"])
COMMENTS = st.sampled_from(["# text = a", "# x\ty", "# sent_id = 1", "# global.Entity = eid"])
WRONG = st.sampled_from(
    [f"3.2{REST}_", f"12{REST}_", "# late", " ", f"x{REST}_", "1-2\t_", f"0{REST}_", "\t", "01", f"1{REST}_\t_"]
)


@st.composite
def sentences(draw):
    """A sentence with multi-word tokens and empty nodes, mostly well-formed."""
    lines = draw(st.lists(COMMENTS, max_size=2))
    for number in range(1, draw(st.integers(1, 13))):
        if draw(st.integers(0, 5)) == 0:
            lines.append(f"{number}-{number + 1}{REST}_")
        lines.append(f"{number}{REST}{draw(LAST)}")
        if draw(st.integers(0, 5)) == 0:
            lines.append(f"{number}.1{REST}{draw(LAST)}")
    if draw(st.integers(0, 5)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(WRONG))
    return "\n".join(lines)


DOCUMENTS = st.lists(sentences(), min_size=1, max_size=4).map(lambda texts: "\n\n".join(texts) + "\n\n")


def marked(last_columns):
    return [found for found in zip(*last_columns) if "Entity=" in found[2]]


def nodes_of(text):
    """All that is known of the nodes, or the error."""
    try:
        nodes = Nodes(text, Entry("a", 1, 0, ""), "file", columns=10, first=1, word="Entity=")
    except ConllError as error:
        return str(error)
    declared = nodes.declarations, nodes.words
    return nodes.at, nodes.tokens, nodes.starts, nodes.zeros, *declared, marked(nodes.last_columns())


def line_by_line(text):
    """The same by the way that takes no short cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "_NUMBERS", [])
        return nodes_of(text)


@given(DOCUMENTS)
def test_short_cuts_change_nothing(text):
    assert nodes_of(text) == line_by_line(text)


def test_what_is_usual():
    lines = ["# text = é", f"1-2{REST}_", f"1{REST}_", f"2{REST}Entity=(é)", f"2.1{REST}SpaceAfter=No|Entity=(e2)", ""]
    found = nodes_of("\n".join([*lines, f"1{REST}Entity=(e1)", "", ""]))
    assert found[:-1] == ([-1, -1, 0, 1, 2, -1, 3, -1], [0, 1, "0:2.1", 2], [0, 2], {"0:2.1": "0:root"}, [], 3)
    assert found[-1] == [(3, 1, "Entity=(é)"), (4, 2, "SpaceAfter=No|Entity=(e2)"), (6, 3, "Entity=(e1)")]


def test_long_sentences():
    lines = [f"{number}{REST}_" for number in range(1, 1101)]
    at, tokens, starts, _, _, words, _ = nodes_of("\n".join([*lines, "", ""]))
    assert (at, tokens, starts, words) == ([*range(1100), -1], list(range(1100)), [0], 1100)
    for number, wrong in ((100, 356), (267, 11), (1050, 26)):
        text = "\n".join([*lines[: number - 1], f"{wrong}{REST}_", *lines[number:], "", ""])
        assert nodes_of(text).startswith(f"file:{number}: document a: word {wrong} stands where word {number} should")


def test_what_is_declared_before_the_first_word():
    lines = [
        "# newdoc id = é",
        "# global.Entity = eid",
        "# genre = a",
        "#",
        "# global.x",
        f"1{REST}Entity=(e)",
        "# text = # global.",
        "",
    ]
    assert nodes_of("\n".join([*lines, ""]))[4] == [(0, 1, "# global.Entity = eid"), (0, 4, "# global.x")]


def test_there_are_files():
    assert len(FILES) > 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_read_as_line_by_line(path, monkeypatch):
    content = path.read_bytes()

    def contents():
        source = open_documents(io.BytesIO(content))
        documents = [source.document(name) for name in source.names()]
        return [(one.clusters, one.labels, one.lines, one.tokens, one.syntax.heads, one.syntax.marks) for one in documents]

    found = contents()
    monkeypatch.setattr(nodes, "_NUMBERS", [])
    assert contents() == found


def nodes_from(text, columns, first=None):
    nodes = Nodes(text, Entry("a", 1, 0, ""), "file", columns=columns, first=first)
    return nodes.at, nodes.tokens, nodes.starts, nodes.words


@pytest.mark.parametrize(
    ("idents", "tokens", "starts"),
    [
        # Words are numbered from anywhere, and empty nodes by the word before them in their own sentence.
        (["4-5", "4", "4.1", "5", "", "7", "8"], [0, "0:1.1", 1, 2, 3], [0, 2]),
        (["3.1", "3.2", "4", "", "1.1", "2"], ["0:0.1", "0:0.2", 0, "1:0.1", 1], [0, 1]),
        (["1", "1.123456789", "2"], [0, "0:1.123456789", 1], [0]),
    ],
)
def test_sentences_may_begin_with_any_number(idents, tokens, starts):
    text = "\n".join(f"{ident}\tw\t_" if ident else "" for ident in idents) + "\n"
    at, found, begins, words = nodes_from(text, 3)
    assert (found, begins, words) == (tokens, starts, sum(isinstance(token, int) for token in tokens))
    nodes = iter(range(len(tokens)))
    assert [place for place, ident in zip(at, idents)] == [-1 if not ident or "-" in ident else next(nodes) for ident in idents]


@pytest.mark.parametrize("around", ["", "1-2\tw\t_\n"])
def test_the_number_of_an_empty_node_has_nine_digits_at_most(around):
    """Read as a whole, or line by line as a range without words makes it."""
    for digits, right in ((9, True), (10, False)):
        text = f"{around}1{REST}_\n1.{'1' * digits}{REST}_\n\n".replace("1-2\tw\t_\n", f"1-2{REST}_\n")
        if right:
            assert nodes_from(text, 10, 1)[1] == [0, f"0:1.{'1' * digits}"]
        else:
            with pytest.raises(ConllError, match=r"call it 1\.1, or the next such number"):
                nodes_from(text, 10, 1)


def test_an_empty_last_column_at_the_end_of_the_file():
    for text in (f"1{REST}", f"1{REST}\n", f"1{REST}\n\n", f"1{REST}_\n\n# late\n1{REST}"):
        at, tokens, _, words = nodes_from(text, 10, 1)
        assert (len(tokens), words) == (text.count("\tw"),) * 2
        assert [node for node in at if node >= 0] == list(range(words))


def test_a_line_of_too_few_or_too_many_columns_is_named():
    for line, columns in ((f"2{REST}_\t_", "11 columns"), ("2\tw", "2 columns"), ("2", "1 column")):
        with pytest.raises(ConllError, match=f"the line has {columns}, but 10 are needed"):
            nodes_from(f"1{REST}_\n{line}\n3{REST}_\n", 10, 1)
    assert nodes_from("1\tw\t_\t_\n", 3)[1] == [0]


def test_empty_lines_before_the_first_sentence():
    assert nodes_from(f"\n\n1{REST}_\n2{REST}_\n\n\n1{REST}_\n", 10, 1) == ([-1, -1, 0, 1, -1, -1, 2, -1], [0, 1, 2], [0, 2], 3)
