"""The nodes of CoNLL-U documents: line by line and sentence by sentence they are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, conllu
from conll.conllu import Nodes
from conll.source import Entry

REST = "\tw\t_\t_\t_\t_\t0\troot\t0:root\t"
LAST = st.sampled_from(
    ["_", "SpaceAfter=No", "Entity=(e1)", "Bridge=e1<e2|Entity=(e1)", "SpaceAfter=No|Entity=e1)"]
)
COMMENTS = st.sampled_from(["# text = a", "# x\ty", "# sent_id = 1", "# global.Entity = eid"])
ROWS = [f"3.2{REST}_", f"12{REST}_", f"x{REST}_", f"0{REST}_", f"1{REST}_\t_"]
WRONG = st.sampled_from([*ROWS, "# late", " ", "1-2\t_", "\t", "01"])


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


DOCUMENTS = st.lists(sentences(), min_size=1, max_size=4).map(
    lambda texts: "\n\n".join(texts) + "\n\n"
)


def nodes_of(text, *, strict=True):
    return Nodes(text, Entry("a", 1, 0), "file", strict=strict)


def all_of(text):
    """All that is known of the nodes, or the error."""
    try:
        nodes = nodes_of(text)
    except ConllError as error:
        return str(error)
    marked = nodes.marked("# global.Entity", "Entity=")
    return nodes.lines, nodes.rows, nodes.tokens, nodes.starts, nodes.zeros, nodes.words, marked


@given(DOCUMENTS)
def test_short_cuts_change_nothing(text):
    short = all_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conllu, "_NUMBERED", [])
        assert all_of(text) == short


@pytest.mark.parametrize(
    ("idents", "tokens", "starts"),
    [
        # Words are numbered from anywhere, and empty nodes by the word before them in their own
        # sentence.
        (["4-5", "4", "4.1", "5", "", "7", "8"], [0, "0:1.1", 1, 2, 3], [0, 2]),
        (["3.1", "3.2", "4", "", "1.1", "2"], ["0:0.1", "0:0.2", 0, "1:0.1", 1], [0, 1]),
        (["1", "1.123456789", "2"], [0, "0:1.123456789", 1], [0]),
        # Empty lines before the first sentence and between two.
        (["", "", "1", "2", "", "", "1"], [0, 1, 2], [0, 2]),
    ],
)
def test_sentences_may_begin_with_any_number(idents, tokens, starts):
    text = "\n".join(f"{ident}\tw\t_" if ident else "" for ident in idents) + "\n"
    nodes = nodes_of(text, strict=False)
    assert (nodes.tokens, nodes.starts) == (tokens, starts)
    assert nodes.words == sum(isinstance(token, int) for token in tokens)
    assert nodes.lines == [line for line, ident in enumerate(idents) if ident and "-" not in ident]


def test_a_line_of_too_few_or_too_many_columns_is_named():
    for line, columns in ((f"2{REST}_\t_", "11 columns"), ("2\tw", "2 columns"), ("2", "1 column")):
        with pytest.raises(ConllError, match=f"the line has {columns}, but 10 are needed"):
            nodes_of(f"1{REST}_\n{line}\n3{REST}_\n")
    # Whatever the comments before it hold.
    with pytest.raises(ConllError, match="the line has 2 columns, but 10 are needed"):
        nodes_of(f"# a\tb\tc\n1{REST}_\n2{REST}_\n\n1\tw\n")
    assert nodes_of("1\tw\t_\t_\n", strict=False).tokens == [0]
    with pytest.raises(ConllError, match=r"call it 1\.1, or the next such number"):
        nodes_of(f"1{REST}_\n1.{'1' * 10}{REST}_\n\n")


def test_words_multi_word_tokens_and_empty_nodes():
    """A ? is a letter like any other."""
    idents = ["0.1", "1-2", "1", "2", "2.1", "3-4", "3", "4", "4.1", "4.2"]
    rows = [f"{ident}{REST}_" for ident in idents]
    lines = ["# text = who?", f"1{REST}Gloss=who?", f"2{REST}_", "", *rows, "", ""]
    nodes = nodes_of("\n".join(lines))
    assert nodes.tokens == [0, 1, "1:0.1", 2, 3, "1:2.1", 4, 5, "1:4.1", "1:4.2"]
    assert nodes.lines == [1, 2, 4, 6, 7, 8, 10, 11, 12, 13]
    assert nodes.zeros == dict.fromkeys(["1:0.1", "1:2.1", "1:4.1", "1:4.2"], "0:root")
    assert [nodes.sentence(node) for node in range(10)] == [0, 0] + [1] * 8


def test_parts_that_follow_each_other_are_one():
    rows = [f"{ident}{REST}_" for ident in (1, 2, 3, 4, 5, 6, 6.1)]
    nodes = nodes_of("\n".join([*rows, ""]))
    assert nodes.mention([(0, 1), (2, 2), (3, 4)]) == (0, 4)
    assert nodes.mention([(0, 1), (3, 3), (4, 6)]) == ((0, 1), (3, 5), "0:6.1")
