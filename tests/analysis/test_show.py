"""`scorer show`: documents as text with their mentions in brackets.

What is expected is drawn by hand.
"""

import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll.document import Document
from conll.syntax import Syntax
from scorer.analysis.lines import Shown, Style, document_lines
from terminal import on_a_terminal

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
STORIES = FIXTURES / "formats"


def drawn(clusters, words=None, *, labels=None, syntax=None, style=None, tokens=None):
    """The lines of one document."""
    document = Document("d", clusters, tokens, labels=labels, syntax=syntax)
    sentences = [sentence.split() for sentence in words] if words else None
    return list(document_lines(Shown(document, None, sentences, "", clusters), style or Style()))


PAIR = [[(0, 0)], [(3, 3)]]


@pytest.mark.parametrize(
    ("clusters", "line"),
    [
        ([], "a b c d"),
        ([[(0, 0), (3, 3)]], "[0 a] b c [0 d]"),
        ([[(0, 3)], [(1, 2)]], "[0 a [1 b c] d]"),
        ([[(1, 1)], [(1, 3)]], "a [1 [0 b] c d]"),  # the longer one outside
        ([[(1, 2)], [(1, 2)]], "a [0 [1 b c]] d"),  # the earlier one outside
        ([[(1, 2), (1, 2)]], "a [0 [0 b c]] d"),
        ([[(0, 2)], [(1, 3)]], "[0 a [1 b c]0 d]1"),  # what crosses says at its end what ends
        ([[(0, 3)], [(0, 1)], [(1, 2)]], "[0 [1 a [2 b]1 c]2 d]"),  # and no other one does
        ([[(0, 3)], [(0, 2)], [(1, 3)]], "[0 [1 a [2 b c]1 d]2]"),
    ],
)
def test_brackets(clusters, line):
    assert drawn(clusters, ["a b c d"]) == [f"1  {line}"]


@pytest.mark.parametrize(
    ("clusters", "words", "more", "expected"),
    [
        ([[(1, 2)]], ["a b", "c d"], {}, ["1  a [0 b", "2  c] d"]),
        (
            [[((0, 0), (2, 2), (4, 5)), (3, 3)]],
            ["a b c d e f"],
            {"labels": ["e1"]},
            ["1  [e1:1/3 a] b [e1:2/3 c] [e1 d] [e1:3/3 e f]"],
        ),
        ([[(0, 3)]], ["[ [1] \\ x"], {}, ["1  [0 \\[ \\[1\\] \\ x]"]),
        (
            [[(0, 3)]],
            ["a\x1b[2Jb \u202ec d e"],
            {"labels": ["\x07"]},
            ["1  [\\x07 a\\x1b\\[2Jb \\u202ec d e]"],
        ),
        # Joiners belong to words.
        ([[(0, 3)]], ["می\u200cروم b c d"], {}, ["1  [0 می\u200cروم b c d]"]),
        # Two unknown words and more without a mention's end are left out.
        ([[(1, 5), (7, 7)]], None, {"tokens": 12}, ["1  #0 [0 #1 … #5] #6 [0 #7] …"]),
        ([[(1, 5), (7, 7)]], None, {}, ["1  #0 [0 #1 … #5] #6 [0 #7]"]),
        ([], None, {}, []),
        ([[(1, 3)]], ["a b"], {}, ["1  a [0 b", "2  #2 #3]"]),
        # A terminal is told of text from right to left.
        (PAIR, ["שלום עולם", "hello עולם"], {}, ["1  [0 שלום] עולם", "2  hello [1 עולם]"]),
        (
            PAIR,
            ["שלום עולם", "hello עולם"],
            {"style": Style(80)},
            ["1  \u2067[0 שלום] עולם\u2069", "2  hello [1 עולם]"],
        ),
    ],
)
def test_words_and_mentions_of_all_kinds(clusters, words, more, expected):
    assert drawn(clusters, words, **more) == expected


def test_empty_nodes_stand_in_their_places():
    """One before the first word of the second sentence, two after its first, in whatever order they
    are listed."""
    zeros = {"1:1.2": "0:root", "1:0.1": "0:root", "1:1.1": "0:root"}
    clusters = [[("1:0.1",)], [("1:1.1", (3, 3))], [((1, 2), "1:1.1", "1:1.2")], [(2, 3)]]
    syntax = Syntax([0, 2], zeros, {})
    # The third has no gap, as nothing else stands between its pieces; the fourth holds what stands
    # inside of it.
    assert drawn(clusters, ["a b", "c d"], syntax=syntax) == [
        "1  a [2 b",
        "2  [0 ∅] [3 c [1:1/2 ∅] ∅]2 [1:2/2 d]]3",
    ]


def test_both_sides_keep_their_columns():
    """Of wide and combining characters, and in a terminal that shows text from right to left."""

    def both(words, style):
        sides = Document("d", [[(0, 0)]]), Document("d", [])
        return document_lines(Shown(*sides, [words], "", sides[0].clusters), style, tagged=True)

    wide = ["1  key       [0 犬] e\u0301te", "   response     犬  e\u0301te"]
    assert list(both(["犬", "e\u0301te"], Style())) == wide
    key, response = (line.partition("\u2067")[2] for line in both(["שלום", "עולם"], Style(80)))
    assert len(key) == len(response)


def test_numbers_of_tokens_that_are_too_large(tmp_path, main):
    path = tmp_path / "far.jsonl"
    path.write_text('{"doc_key": "d", "clusters": [[[0, 5], [99999999, 99999999]]]}\n')
    problem = (
        "cannot be shown: the mentions need 100000000 words, and 0 are known; see whether "
        "their numbers are right"
    )
    status, _, err = main("show", path)
    note = f"note: {path}: its words are not known; #N is word N, counted from 0\n"
    assert (status, err) == (2, f"{note}{path}:1: document d: {problem}\n")
    path.write_text('{"doc_key": "d", "clusters": [[[0, 5], [99999, 99999]]]}\n')
    assert main("show", path) == (0, "document d\n1  [0 #0 … #5] … [0 #99999]\n", note)


SHOWN = {
    "letter.tab.conll": "1  [0 Ada] met [1 [0 her] friend] .\n2  [2 They] smiled\n",
    "letter.three.conll": "1  [0 Ada] met [1 [0 her] friend] .\n2  [2 They] smiled\n",
    "letter.bare.jsonl": "1  [0 #0] #1 [1 [0 #2] #3] #4 [2 #5]\n",
    "story.corefud.conllu": "1  [e1 Ada] met [e2 [e1 her] friend] .\n2  [e3 They] smiled\n",
    "story.scorch.json": "1  … [friend #2 #3]\n[ada] m1, m3\n[both] 7, None, 0.5\n",
}


@pytest.mark.parametrize("name", SHOWN)
def test_files_with_and_without_words_and_places(name, main):
    status, out, err = main("show", STORIES / name)
    note = f"note: {STORIES / name}: its words are not known; #N is word N, counted from 0\n"
    assert (status, err) == (0, note if "#1" in SHOWN[name] else "")
    heading, _, body = out.partition("\n\n")[0].partition("\n")
    assert heading.startswith("document ")
    assert f"{body}\n".replace("\n\n", "\n") == SHOWN[name]


# Key above response


def conll(path, *documents):
    """A file of one-sentence documents, each a name and rows of word and column."""
    text = ""
    for name, *rows in documents:
        lines = [f"d 0 {at} {word} {cell}\n" for at, (word, cell) in enumerate(rows)]
        text += f"#begin document {name}\n{''.join(lines)}#end document\n"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def pair(tmp_path):
    key = conll(
        tmp_path / "key",
        ("a", ("the", "(10"), ("red", "-"), ("fox", "10)"), ("saw", "-"), ("it", "(2)")),
        ("only", ("x", "(1)")),
    )
    response = conll(
        tmp_path / "response",
        ("a", ("the", "-"), ("red", "-"), ("fox", "(7)"), ("saw", "(7)"), ("it", "-")),
        ("new", ("y", "(3)")),
    )
    return key, response


def test_words_stand_above_each_other(pair, main):
    _, out, err = main("show", *pair)
    assert err == ""
    assert (
        out
        == """\
document a
1  key       [10 the red    fox]    saw  [2 it]
   response      the red [7 fox] [7 saw]    it

document only
the response is missing this document
1  key  [1 x]

document new
the key is missing this document
1  response  [3 y]
"""
    )


def test_texts_that_differ_stand_apart(tmp_path, main):
    """Of a response with another text, the clusters are marked that share a mention with the chosen
    one."""
    key = conll(tmp_path / "key", ("a", ("x", "(1)"), ("y", "-")))
    response = conll(tmp_path / "response", ("a", ("x", "(1)"), ("z", "(1)")))
    assert (
        main("show", key, response)[1]
        == """\
document a
the texts differ: token 1 is 'z', but 'y' in the key
1  key  [1 x] y
1  response  [1 x] [1 z]
"""
    )
    (tmp_path / "more").write_text(response.read_text().replace("z (1)", "z (1)|(2)\nd 0 2 q (3)"))
    out = main("show", key, tmp_path / "more", "--cluster", "1")[1]
    assert out.splitlines()[2:] == ["1  key  [1 x] y", "1  response  [1 x] [1 z] q"]


def test_empty_nodes_of_one_side(tmp_path, main):
    key, response = STORIES / "story.corefud.conllu", tmp_path / "response.conllu"
    rows = key.read_text(encoding="utf-8").split("\n")
    lacking = [row for row in rows if not row.startswith("4.1\t")]
    assert len(lacking) < len(rows)
    response.write_text("\n".join(lacking), encoding="utf-8")
    _, out, err = main("show", key, response, "--document", "answer")
    ours, theirs = out.splitlines()[1:3]
    assert (err, ours.count("∅"), theirs.count("∅")) == ("", 3, 2)
    assert ours.index("here") == theirs.index("here")


# What to show


def test_one_cluster(main):
    """Of the key 2 of the report, of the response the two that share a mention with it: (6, 7) and
    (12, 12)."""
    out = main("show", KEY, RESPONSE, "--cluster", "2", "--document", "(example/report); part 000")[
        1
    ]
    assert out.splitlines()[1:] == [
        (
            "1  key          The committee 's  chair said [2 the members] trusted her , but "
            "[2 they] did not vote ."
        ),
        (
            "   response  [0 The committee 's] chair said [2 the members] trusted her , but "
            "[0 they] did not vote ."
        ),
    ]
    assert main("show", KEY, "--cluster", "3")[1] == (
        "document (example/letter); part 000\n2  She showed her [3 the engine] , and "
        "Grace thanked Ada for [3 it] .\n"
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--cluster", "q"],
            f"scorer show: there is no cluster 'q' in the shown documents of {KEY}\n",
        ),
        (
            ["--document", "q"],
            (
                f"scorer show: there is no document 'q' in {KEY}; the first one is "
                "'(example/letter); part 000'\n"
            ),
        ),
        (["nowhere"], "nowhere: No such file or directory\n"),
        ([RESPONSE, "--side", "key"], "scorer show: --side is for a single file; leave it out"),
        (["--key-format", "nope"], "scorer show: unknown format 'nope'; choose from: "),
    ],
)
def test_what_is_not_there(more, message, main):
    status, out, err = main("show", KEY, *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(message)


# On a terminal


@pytest.mark.linux
def test_lines_are_broken_for_both_sides_alike(main):
    options = ["--no-pager", "--color", "never"]
    shown = on_a_terminal("show", KEY, RESPONSE, *options, columns=40)
    assert max(map(len, shown.splitlines())) <= 40
    for side in ("key", "response"):
        whole, broken = (
            " ".join(
                line.partition(side)[2].strip()
                for line in text.splitlines()
                if line[3:].startswith(side)
            )
            for text in (main("show", KEY, RESPONSE)[1], shown)
        )
        assert broken.split() == whole.split()


@pytest.mark.linux
@pytest.mark.parametrize(
    ("more", "environment", "coloured"),
    [
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_colours(more, environment, coloured):
    shown = on_a_terminal("show", KEY, "--no-pager", *more, columns=200, **environment)
    assert ("\x1b[31m[0 \x1b[0mAda\x1b[31m]\x1b[0m" in shown) == coloured
    assert ("\x1b" in shown) == coloured


@pytest.mark.linux
def test_the_pager_gets_it_all_and_may_be_left_early_or_missing(tmp_path):
    pager = tmp_path / "my pager"
    pager.write_text(
        f"#!{sys.executable}\nimport sys, os\nsys.stdout.write(os.environ['LESS'] + '|' + "
        "sys.stdin.read().upper())\n"
    )
    pager.chmod(pager.stat().st_mode | stat.S_IXUSR)
    plain = on_a_terminal("show", KEY, "--no-pager", columns=200, NO_COLOR="1")
    paged = on_a_terminal("show", KEY, columns=200, NO_COLOR="1", PAGER=f"'{pager}'", LESS="X")
    assert paged == f"X|{plain.upper()}"
    for none in (" ", "no-such-pager-here 2>/dev/null"):
        assert on_a_terminal("show", KEY, columns=200, NO_COLOR="1", PAGER=none) == plain
    many = ((f"d{number}", *[("word", "(1)")] * 200) for number in range(200))
    path = conll(tmp_path / "long", *many)
    assert on_a_terminal("show", path, columns=80, PAGER="head -c 8", NO_COLOR="1") == "document"


# Whatever the mentions


spans = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda ends: (min(ends), max(ends)))


@given(st.lists(st.lists(spans, min_size=1, max_size=3), max_size=5))
def test_brackets_can_be_read_back(clusters):
    """By a reader that knows the rule alone: a bracket without an id ends the last mention that is
    open."""
    [line] = drawn(clusters, ["w w w w w w w w w w"])
    found, opened, word = [[] for _ in clusters], [], -1
    for part in line[3:].split():
        if part.startswith("["):
            opened.append((int(part[1:]), word + 1))
            continue
        word += 1
        for named in part.partition("]")[2].split("]") if "]" in part else ():
            at = (
                max(at for at, (label, _) in enumerate(opened) if str(label) == named)
                if named
                else len(opened) - 1
            )
            label, first = opened.pop(at)
            found[label].append((first, word))
    assert opened == []
    same_label_crosses = any(
        a[0] < b[0] <= a[1] < b[1] for cluster in clusters for a in cluster for b in cluster
    )
    if not same_label_crosses:
        assert list(map(sorted, found)) == list(map(sorted, clusters))
