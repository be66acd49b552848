"""Files of columns that reference 8.01 does not read, or reads otherwise: SemEval-2010, named ids,
missing headers, UA."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, formats, open_documents
from conll.source import place_of
from sources import lines_of

FORMATS = Path(__file__).parents[2] / "fixtures" / "formats"
SPANS = {"ada": [(0, 0), (2, 2)], "friend": [(2, 3)], "both": [(5, 5)]}
BRIDGING = "is scored only with the metrics bridging_anaphor, bridging_mention and bridging_entity"
NUMBERED = "documents are named 1, 2, ... in file order"
HOW = (
    "the file is read as conll, and with --key-format conll2012 (--response-format) as by scorer.pl"
)
NO_NUMBER = f"is not a number; scorer.pl reads the digits of such ids only, or nothing; {HOW}"
WORDS = [["Ada", "met", "her", "friend", "."], ["They", "smiled"]]


def opened(text, form=None):
    return open_documents(io.BytesIO(text.encode()), form)


@pytest.mark.parametrize(
    ("name", "form", "document", "labels"),
    [
        ("story.semeval2010", "semeval2010", "141_n1", ["12", "7", "7a"]),
        ("story.litbank.conll", "conll2012", "(1_ada_brat); part 0", ["20", "21", "22"]),
        ("story.ontogum.conll", "conll", "GUM_letter_ada", ["person-1", "person-2", "3"]),
        ("story.dirndl.conll", "conll", "(dlf-nachrichten-200703251400);", ["4$12", "5$1", "6$x"]),
        ("story.universalanaphora.conllup", "universalanaphora", "letter", ["1", "2", "3"]),
        ("story.corefud.conllu", "corefud", "letter", ["e1", "e2", "e3"]),
        ("story.gum.conllu", "corefud", "letter", ["1", "2", "3"]),
        ("story.clusterid.conllu", "corefud", "letter", ["letter-c1", "letter-c2", "letter-c3"]),
        ("story.stanza.conllu", "corefud", "1", ["id0", "id1", "id2"]),
    ],
)
def test_one_story_in_each_format(name, form, document, labels):
    path = FORMATS / name
    assert formats.detect(path.read_bytes(), name) == form
    source = open_documents(path)
    assert source.names()[0] == document
    read = source.read(document)
    assert read.labels == labels
    assert read.clusters == list(SPANS.values())
    assert read.tokens == 7
    flat = [[word for sentence in WORDS for word in sentence]]
    assert source.read(document).words == (flat if name == "story.ontogum.conll" else WORDS)
    assert source.read(document).line == read.line > 0
    lines = lines_of(source.read(document), {0, 2, 5})
    assert [[lines[start] for start, _ in cluster] for cluster in read.clusters] == read.lines
    assert source.read("no") is None
    assert place_of(source, "no").line == 0


def test_a_second_document_and_one_that_has_not_ended():
    source = open_documents(FORMATS / "story.semeval2010")
    document = source.read("142_n1")
    assert (document.clusters, document.tokens, document.line, document.ended) == ([], 1, 12, True)
    source = opened(
        "#begin document(a)\n1\tw\t(1)|(1+2)\n1\tw\t(2\n#begin document(b)\n1\tw\t(1)\n#end document\n"
    )
    first, second = source
    assert (first.ended, first.unclosed, first.clusters) == (False, [("2", 3)], [[(0, 0)]])
    assert (second.ended, second.clusters, first.discarded) == (True, [[(0, 0)]], ["1+2"])


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("story.ontogum.conll", [f"2: the id of a mention, (person-1, {NO_NUMBER}"]),
        (
            "story.dirndl.conll",
            [
                f"1: no space follows #begin document here; scorer.pl does not see such a document; {HOW}",
                f"2: the id of a mention, (4$12, {NO_NUMBER}",
            ],
        ),
        ("story.litbank.conll", []),
        ("story.universalanaphora.conllup", [f"7: 1 cell of the column BRIDGING here {BRIDGING}"]),
        (
            "pieces.universalanaphora.conllup",
            [
                "5: 2 split antecedents here and after are scored only with split_antecedents",
                f"7: 1 cell of the column BRIDGING here {BRIDGING}",
                "13: 1 cell of the column DISCOURSE_DEIXIS here is scored only with layer deixis",
                "15: 2 non-referring markables here and after are scored only with the metric non_referring",
            ],
        ),
    ],
)  # fmt: skip
def test_differences_from_the_reference_are_problems(name, problems):
    path = FORMATS / name
    assert [str(problem) for problem in open_documents(path).problems()] == [
        f"{path}:{problem}" for problem in problems
    ]


def test_a_file_of_another_format_names_it():
    """An id that is no number is part of SemEval-2010, but scorer.pl reads it otherwise."""
    text = (FORMATS / "story.semeval2010").read_text()
    [problem] = opened(text).problems()
    assert problem.advice == HOW.replace("conll,", "semeval2010,")


@pytest.mark.parametrize(
    ("text", "names", "problems"),
    [
        (
            "#begin document \na\t0\t0\tw\t(1)\n#end document\n#begin document\na\t0\t0\tw\t-\n#end document\n",
            ["1", "2"],
            [
                f"4: no space follows #begin document here; scorer.pl does not see such a document; {HOW}",
                f"1: no name here and in 1 other document: {NUMBERED}",
            ],
        ),
        (
            "a\t0\t0\tw\t(1)\n\na\t0\t0\tw\t-\n",
            ["1"],
            ["1: there is no line #begin document; the file is read as one document"],
        ),
    ],
)  # fmt: skip
def test_documents_without_a_name_are_numbered(text, names, problems):
    source = opened(text)
    document = source.read("1")
    assert (source.names(), document.clusters, document.ended) == (names, [[(0, 0)]], True)
    assert document.tokens == sum(map(len, source.read("1").words))
    assert [str(problem) for problem in source.problems()] == [
        f"<file>:{problem}" for problem in problems
    ]


PIECES = st.sampled_from(
    ["-", "_", "(1)", "(1", "1)", "(2)", "(2", "2)", "(1)|(2", "(1|(1", "1)|2)", "(1+2)|(3)"]
)


AFTER = st.sampled_from(["", "", "", "\t", "\t\t", "\t\r", "\t\t\r\t", "\r"])
BETWEEN = st.sampled_from(
    [[]] * 6 + [[text] for text in ("", " \t\f\v", "\r", "\0", "\x1c", "\x85", "\xa0", "\x1f\t")]
)
FORMS = st.sampled_from(["w", "\xa0", "a\x85b", "\u3000", "\x1d"])


@given(
    rows=st.lists(st.tuples(FORMS, PIECES, AFTER, BETWEEN), max_size=8),
    end=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
)
def test_files_that_the_reference_reads_are_read_alike(rows, end, ended):
    """The clusters of `conll` are those of `conll2012`, whose figures are compared with the
    reference itself."""
    lines = ["#begin document a"]
    for number, (word, cell, after, between) in enumerate(rows):
        lines += [f"a\t0\t{number}\t{word}\t{cell}{after}", *between]
    lines += ["#end document"] * ended
    text = "".join(line + end for line in lines)
    assert all_of(text, "conll2012") == all_of(text, "conll") == all_of(text, "semeval2010")


def all_of(text, form):
    try:
        document = opened(text, form).read("a")
    except ConllError as error:
        return str(error)
    names = ("clusters", "labels", "lines", "discarded", "tokens", "unclosed")
    return [getattr(document, name) for name in names]


def test_white_space_of_unicode_separates_no_columns():
    """An ideographic space, in particular, is a word of Chinese text."""
    source = opened("#begin document(a)\na 0 0 \u3000 (x)\na 0 1 b\xa0c (x)\n\x85\n#end document\n")
    assert source.read("(a)").words == [["\u3000", "b\xa0c", ""]]
    assert (source.read("(a)").clusters, source.read("(a)").tokens) == (
        [[(0, 0), (1, 1)]],
        3,
    )
    assert lines_of(source.read("(a)"), {0, 2}) == {0: 2, 2: 4}


@pytest.mark.parametrize(
    ("form", "text", "problem"),
    [
        ("conll", "#begin document 1\n1\tw\tx1)", "unmatched `x1)`: no `(x1` before it"),
        ("conll", "#begin document 1\n1\tw\t(x1\n#end document", "unclosed `(x1`: no `x1)` before #end document"),
        ("conll", "#begin document 1\n1\tw\t(p-1|(q-1|1)", "unmatched `1)`: no `(1` before it"),
        ("conll", "#begin document 1\n1\tw\t(a-b-c|b)", "unmatched `b)`: no `(b` before it"),
        ("conll", "#begin document 1\n1\tw\t(p-1|1)|1)", "unmatched `1)`: no `(1` before it"),
        ("UA", "1\tw\t)", "unmatched `)`: no `(EntityID=` before it"),
        ("UA", "1\tw\t(EntityID=1", "unclosed `(EntityID=1`: no `)` before the end of the document"),
        ("UA", "1\tw\t(Min=1)", "(Min=1 has no EntityID; write (EntityID=1"),
        ("UA", "1\tw\tx", "x is not a mention; write (EntityID=1 or )"),
        ("UA", "1\tw\tx)", "unmatched `x)`: no `MarkableID=x` before it"),
        ("UA", "1", "the line has 1 column, but 2 are needed, with a TAB between them"),
        ("universalanaphora", "# global.columns = ID FORM\n1\tw", "there is no column IDENTITY; write for example"),
        ("universalanaphora", "# newdoc\n1\tw\t(EntityID=1)", "no line before declares the columns; write for example"),
    ],
)  # fmt: skip
def test_wrong_mentions(form, text, problem):
    head = "# global.columns = ID FORM IDENTITY\n" if form == "UA" else ""
    with pytest.raises(ConllError) as caught:
        opened(f"{head}{text}\n", "universalanaphora" if form == "UA" else form).read("1")
    assert str(caught.value).startswith(f"<file>:2: document 1: {problem}")


PIECES_OF_MARKABLES = FORMATS / "pieces.universalanaphora.conllup"


def test_universal_anaphora_as_published():
    """Columns that spaces separate, tokens numbered through the document, pieces, overlaps, zeros
    and what refers to nothing."""
    source = open_documents(PIECES_OF_MARKABLES)
    assert (source.format, source.names()) == ("universalanaphora", ["letter", "answer"])
    letter, answer = source
    assert dict(zip(letter.labels, letter.clusters)) == {
        "1": [(0, 0), (2, 2)],
        "2": [(2, 3), ("1:0.1",), (8, 8)],
        "3": [((5, 5), (8, 8))],
    }
    assert letter.lines == [[5, 7], [7, 13, 17], [14]]
    assert (letter.tokens, letter.syntax.starts, letter.syntax.zeros) == (
        10,
        [0, 5],
        {"1:0.1": "_"},
    )
    assert source.read("letter").words == [
        ["Ada", "met", "her", "friend", "."],
        ["Both", "smiled", "-", "two", "."],
    ]
    assert lines_of(source.read("letter"), {0, 5, 9}) == {0: 5, 5: 14, 9: 18}
    assert dict(zip(answer.labels, answer.clusters)) == {"1": [(0, 2)], "2": [(1, 3)]}
    assert answer.lines == [[21], [22]]


@pytest.mark.parametrize(
    ("row", "word"), [("1 1 (EntityID=1)", "1"), ("1\t1 000\t(EntityID=1)", "1 000")]
)
def test_spaces_separate_where_there_are_no_tabs(row, word):
    source = opened(f"# global.columns = ID FORM IDENTITY\n# newdoc id = a\n{row}\n")
    assert (source.read("a").clusters, source.read("a").words) == ([[(0, 0)]], [[word]])


def test_a_sentence_may_begin_with_a_multi_word_token_and_count_from_0():
    sentences = "0 a (EntityID=1)\n\n1-2 bc _\n1 b (EntityID=1\n2 c )\n2.1 _ (EntityID=1)\n"
    text = f"# global.columns = ID FORM IDENTITY\n# newdoc id = a\n{sentences}"
    document = opened(text).read("a")
    assert (document.clusters, document.syntax.zeros) == (
        [[(0, 0), (1, 2), ("1:2.1",)]],
        {"1:2.1": ""},
    )


@pytest.mark.parametrize(
    ("cells", "labels", "clusters"),
    [
        # The end without a type closes what is open when it comes: what was opened before it, and
        # after.
        (["(p-1", "1)", "(q-2", "2)"], ["p-1", "q-2"], [[(0, 1)], [(2, 3)]]),
        (["(p-1", "1)", "(q-1", "1)", "(p-1", "1)"], ["p-1", "q-1"], [[(0, 1), (4, 5)], [(2, 3)]]),
        # Of two that fit, one is closed by its whole id, and the other is then the only one.
        (
            ["(o-3)", "(p-1", "(q-1", "(r-2", "2)", "q-1)", "1)"],
            ["o-3", "p-1", "q-1", "r-2"],
            [[(0, 0)], [(1, 6)], [(2, 5)], [(3, 4)]],
        ),
        (
            ["(r-2", "2)", "(p-1", "(q-1", "p-1)", "1)"],
            ["r-2", "p-1", "q-1"],
            [[(0, 1)], [(2, 4)], [(3, 5)]],
        ),
        # One id that is open twice is one id.
        (["(r-2", "2)", "(p-1", "(p-1", "1)", "1)"], ["r-2", "p-1"], [[(0, 1)], [(3, 4), (2, 5)]]),
        (["(p-1", "(p-1", "1)", "1)"], ["p-1"], [[(1, 2), (0, 3)]]),
        # The type may hold hyphens itself.
        (["(a-b-1", "1)"], ["a-b-1"], [[(0, 1)]]),
    ],
)
def test_ends_that_leave_the_type_out(cells, labels, clusters):
    lines = "".join(f"1\tw\t{cell}\n" for cell in cells)
    document = opened(f"#begin document a\n{lines}#end document\n", "conll").read("a")
    assert (document.labels, document.clusters) == (labels, clusters)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        # The column after the numbers of tokens, else the fourth of five or more; never the last.
        ("a\t0\t0\tw\t(1)", [["w"]]),
        ("a\t0\t0\t(1)", None),
        ("a\tx\t7\tw\t(1)", [["w"]]),
        ("a\t0\tx\tw\t(1)", [["x"]]),
        ("w\t(1)", None),
        ("1\t[WORD]\t(1)", None),
        ("1\t\t(1)", None),
        ("1\t\t(1)\n2\tw\t-", [["", "w"]]),
        ("1 b (1)", [["b"]]),
        ("a b (1)", None),
    ],
)
@pytest.mark.parametrize("begin", ["", "#begin document(1)\n"], ids=["headless", "with a header"])
def test_where_the_words_stand(begin, line, words):
    source = opened(f"{begin}{line}\n", "conll")
    assert source.read(source.names()[0]).words == words


UNDERSCORES = """#begin document (a); part 000
a\t0\t0\tAda\t(2_(1
a\t0\t1\tsaw\t-
a\t0\t2\ther\t2)_1)
#end document
"""
"""What scorer.pl reads whole: two mentions of both words."""


def test_a_file_that_scorer_pl_reads_can_be_read_like_it():
    assert [
        *map(
            len,
            opened(UNDERSCORES, "conll2012").read("(a); part 000").clusters,
        )
    ] == [1, 1]
    with pytest.raises(ConllError) as caught:
        opened(UNDERSCORES).read("(a); part 000")
    advice = (
        "; if only the digits of ids such as (2_ count (line 2), name the format: "
        "--key-format conll2012 or --response-format conll2012"
    )
    assert caught.value.problem.endswith(advice)
    # scorer.pl does not see such a document, and reads it no better.
    with pytest.raises(ConllError) as caught:
        opened(UNDERSCORES.replace("document ", "document", 1)).read("(a); part 000")
    assert "conll2012" not in caught.value.problem
