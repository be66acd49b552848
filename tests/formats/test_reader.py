import os
import threading
from io import BytesIO
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from conll import ConllError, open_source
from conll.formats import conll2012
from conll.formats.conll2012 import Conll2012Source
from strategies import examples, files, write, written


def source(data, *, first=False, path="key.conll"):
    return Conll2012Source(BytesIO(data), path, first=first)


def read(data, name="d"):
    return source(data).document(name)


def document(*lines, name=b"d", end=b"#end document\n"):
    return b"#begin document %s\n" % name + b"".join(line + b"\n" for line in lines) + end


def clusters(*lines):
    return read(document(*lines)).clusters


def as_set(found):
    return sorted(sorted(cluster) for cluster in found)


def text(name):
    return name.decode("utf-8", "surrogateescape")


def outcome(data, *, first=False):
    """Everything that can be seen of a file: per name the fields of its document, or the line of its error."""
    opened = source(data, first=first)
    found = {}
    for name in opened.names():
        try:
            read = opened.document(name)
        except ConllError as error:
            found[name] = error.path, error.document, error.line
            continue
        assert (read.name, read.path) == (name, "key.conll")
        assert read.line == opened.line_of(name)
        shown = read.line, read.tokens, read.labels, read.clusters, read.lines, read.discarded
        found[name] = *shown, read.unclosed, read.unterminated, read.ended
    return found


def naive_outcome(data, *, first=False):
    found = {}
    for name, read in naive.documents(data, first=first).items():
        if isinstance(read, naive.MalformedError):
            found[text(name)] = "key.conll", text(name), *read.args
            continue
        shown = (
            read.line,
            read.tokens,
            list(map(text, read.labels)),
            read.clusters,
            read.lines,
            list(map(text, read.discarded)),
        )
        unclosed = [(text(label), line) for line, label in read.unclosed]
        found[text(name)] = *shown, unclosed, read.unterminated, read.ended
    return found


# Against the naive reader
# --------------------------------------------------------------------------------------------


@examples(5)
@given(files(), st.booleans())
def test_equals_reading_line_by_line(data, first):
    assert outcome(data, first=first) == naive_outcome(data, first=first)
    assert source(data, first=first).names() == list(map(text, naive.documents(data)))


BORDER = st.sampled_from(
    ["", " \t", "#begin document", "#begin document", "# (0)", "#end document"]
)
CELL = st.sampled_from(
    [
        "-",
        "-",
        "(0)",
        "(1)",
        "(0",
        "(1",
        "0)",
        "1)",
        "(1+2)|(1)",
        "(0(1)0)|(2",
        "2)|(2)",
        "(0|(0",
        "0)|0)",
    ]
)


@examples(5)
@given(st.lists(CELL.map("w\t{}".format) | BORDER))
def test_documents_that_end_together_equal_reading_each_line_by_line(lines):
    named = [
        f"{line} {at % 7}" if line == "#begin document" else line
        for at, line in enumerate(["#begin document", *lines])
    ]
    data = "\n".join(named).encode()
    for first in (False, True):
        assert outcome(data, first=first) == naive_outcome(data, first=first)


@given(files(), st.sampled_from([1, 2, 7, 30, 200]))
def test_index_does_not_depend_on_the_size_of_chunks(data, chunk):
    whole = outcome(data)
    with patch.object(conll2012, "CHUNK", chunk):
        assert outcome(data) == whole
        assert source(data).size == len(data)


@examples(2)
@given(written())
def test_reads_what_the_writer_wrote(document):
    name, expected, tokens, data = document
    opened = source(data)
    assert opened.names() == [text(name)]
    read = opened.document(text(name))
    assert as_set(read.clusters) == as_set(expected)
    assert read.tokens == tokens
    # Labels and clusters belong together, and every mention knows the line on which it starts.
    assert {int(label): sorted(cluster) for label, cluster in zip(read.labels, read.clusters)} == {
        number: sorted(cluster) for number, cluster in enumerate(expected)
    }
    of_token = [
        number for number, line in enumerate(naive.lines_of(data), 1) if line.startswith(b"w")
    ]
    assert read.lines == [[of_token[first] for first, _ in cluster] for cluster in read.clusters]


@examples(3)
@given(
    st.binary(max_size=200) | st.text("()0123|\t \n#-").map(lambda cells: document(cells.encode()))
)
def test_any_bytes_are_documents_or_an_error(data):
    assert outcome(data) == naive_outcome(data)


# What a document is
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"#begin document (bc/x); part 000", "(bc/x); part 000"),
        (b"#begin document d ", "d "),
        (b"#begin document ", ""),
        (b"#begin document  d", " d"),
        (b"# \t begin document d", "d"),
        (b"#begin document d\r", "d"),
        (b"#begin document d\r\r", "d\r"),
        (b"#begin document \xc5\xbc", "ż"),
        (b"#begin document \xff", "\udcff"),
    ],
)
def test_begin_line(line, name):
    assert source(line + b"\nx\t(0)\n#end document\n").names() == [name]


@pytest.mark.parametrize(
    "line",
    [
        b"#begin document",
        b"#begin document(d);",
        b"#begin document\td",
        b" #begin document d",
        b"#begin  document d",
        b"#begindocument d",
        b"begin document d",
        b"#Begin document d",
    ],
)
def test_not_a_begin_line(line):
    assert source(line + b"\nx\t(0)\n#end document\n").names() == []


@pytest.mark.parametrize(
    "end",
    [
        b"#end document",
        b"# end document",
        b"#\t end document (d)",
        b"x #end document",
        b"#end documents",
        b"#end document\r",
    ],
)
def test_end_line(end):
    assert read(document(b"x\t(0)", end, b"x\t(0)", end=b"")).tokens == 1


@pytest.mark.parametrize(
    "line",
    [b"end document", b"#end  document", b"#enddocument", b"#END document", b"#x end document"],
)
def test_not_an_end_line(line):
    found = read(document(b"x\t(0)", line, b"x\t(0)"))
    assert (found.tokens, found.clusters) == (3, [[(0, 0), (2, 2)]])


def test_a_begin_line_with_an_end_in_it_ends_what_was_open_but_not_its_own_document():
    opened = source(
        b"#begin document a\nx\t(0)\n#begin document b #end document\nx\t(0)\ny\t(0)\n#end document\n"
    )
    assert opened.document("a").tokens == 1
    assert opened.document("b #end document").tokens == 2


def test_a_document_inside_another_is_read_twice():
    opened = source(
        b"#begin document a\nx\t(0)\n#begin document b\ny\t(0)\n#end document\nz\t(0)\n"
    )
    a, b = opened.document("a"), opened.document("b")
    assert (a.tokens, a.clusters, a.unterminated) == (3, [[(0, 0), (2, 2)]], [3])
    assert (b.tokens, b.clusters, b.unterminated) == (1, [[(0, 0)]], [])


def test_a_file_of_begin_lines_alone_is_indexed_in_memory_that_grows_with_it():
    """Such a file is what an attacker would send: each document would hold the begin lines of all that follow."""
    found = source(b"".join(b"#begin document %d\n" % number for number in range(300)))
    assert len(found.names()) == 300
    assert [entry.unterminated for entry in found._entries.values()] == [
        [line] for line in range(2, 301)
    ] + [[]]


def test_lines_that_many_documents_repeat_are_refused(monkeypatch):
    """By hand: what lies in a as well is b with its 6 + 18 + 4 bytes, and c with its 4."""
    data = b"#begin document a\nx\t(0)\n#begin document b\ny\t(0)\n#begin document c\nw\t-\n"
    monkeypatch.setattr(conll2012, "REPEATED", 32)
    assert source(data).names() == ["a", "b", "c"]
    monkeypatch.setattr(conll2012, "REPEATED", 31)
    with pytest.raises(
        ConllError,
        match=r"^key.conll:3: document a: .*; add #end document before each #begin document$",
    ):
        source(data).names()
    # A document that ends holds no other one.
    monkeypatch.setattr(conll2012, "REPEATED", 4)
    assert source(
        document() + data.replace(b"#begin document b", b"#end document\n#begin document b")
    ).names() == [
        "d",
        "a",
        "b",
        "c",
    ]


@pytest.mark.parametrize("of_key", [True, False], ids=["key", "response"])
@pytest.mark.parametrize(
    "command",
    ["score", "check", "errors", "spans", "muc7", "compare", "leaderboard", "show", "convert"],
)
def test_every_command_refuses_such_a_file_in_one_line(
    command, of_key, tmp_path, main, monkeypatch
):
    data = b"".join(document(b"x\t(0)", name=name) for name in (b"a", b"b"))
    endless, ended = tmp_path / "endless.conll", tmp_path / "ended.conll"
    endless.write_bytes(data.replace(b"#end document\n", b""))
    ended.write_bytes(data)
    monkeypatch.setattr(conll2012, "REPEATED", 5)
    files = [endless, ended] if of_key else [ended, endless]
    (tmp_path / "again.conll").write_bytes(data)
    more = {
        "convert": [endless, tmp_path / "out.jsonl"],
        "compare": [*files, tmp_path / "again.conll"],
    }
    status, out, err = main(command, *more.get(command, files))
    # A leaderboard goes on with other responses.
    assert status == (1 if command == "check" or (command == "leaderboard" and not of_key) else 2)
    assert (
        f"{endless}:3: document a: another document starts before this one has ended; " in out + err
    )
    assert "Traceback" not in err


TOGETHER = b"""\
#begin document a
w\t(7
w\t-
#begin document b

w\t(8)|(7
w\t7)|(1+2)
#begin document c
w\t(8)|7)
"""


def test_three_that_end_together_by_hand():
    """Lines that begin a document are tokens of those before.

    The last 7) ends what starts in a, so b and c lack its start.
    """
    opened = source(TOGETHER)
    a = opened.document("a")
    assert (a.labels, a.clusters) == (["7", "8"], [[(3, 4), (0, 6)], [(3, 3), (6, 6)]])
    assert (a.lines, a.tokens, a.unterminated, a.discarded, a.unclosed) == (
        [[6, 2], [6, 9]],
        7,
        [4],
        ["1+2"],
        [],
    )
    assert (a.name, a.path, a.line, a.ended) == ("a", "key.conll", 1, False)
    problem = "mention 7 ends here but never starts; write the missing (7: 'w\\t(8)|7)'"
    for name in "bc":
        with pytest.raises(ConllError) as caught:
            opened.document(name)
        assert str(caught.value) == f"key.conll:9: document {name}: {problem}"


def test_those_that_end_elsewhere_have_no_part_in_it():
    ended = TOGETHER.replace(b"|7)", b"") + b"w\t7)\n#end document\n"
    after = (
        ended.replace(b"document a", b"document d")
        .replace(b"document b", b"document e")
        .replace(b"8", b"9")
    )
    opened = source(ended + after)
    assert opened.document("d").clusters == opened.document("a").clusters
    assert opened.document("d").labels == ["7", "9"]
    assert opened.document("d").clusters == [[(3, 4), (0, 7)], [(3, 3), (6, 6)]]


def test_a_start_that_is_left_open_stops_those_that_have_an_end_line():
    ended = TOGETHER.replace(b"(8)|7)", b"(8)") + b"#end document\n"
    problem = "mention 7 starts here but never ends in its document; write the missing 7): 'w\\t(7'"
    with pytest.raises(ConllError) as caught:
        source(ended).document("a")
    assert str(caught.value) == f"key.conll:2: document a: {problem}"
    b, c = map(source(ended).document, "bc")
    assert (b.clusters, b.labels, b.lines, b.tokens, b.unterminated) == (
        [[(0, 0), (3, 3)], [(0, 1)]],
        ["8", "7"],
        [[6, 9], [6]],
        4,
        [8],
    )
    assert (b.discarded, c.discarded, b.ended, c.ended) == (["1+2"], [], True, True)
    assert (c.clusters, c.labels, c.lines, c.tokens, c.line) == ([[(0, 0)]], ["8"], [[9]], 1, 8)
    # Without that line it is only noted.
    a = source(ended.removesuffix(b"#end document\n")).document("a")
    assert (a.unclosed, a.ended) == ([("7", 2)], False)


def test_text_outside_documents_is_not_read():
    found = source(b"1)\n" + document(b"x\t(0)") + b"(7\n")
    assert found.names() == ["d"]
    assert found.document("d").clusters == [[(0, 0)]]


def test_of_documents_of_one_name_the_last_is_read_or_the_first():
    data = document(b"x\t(0)") + document(b"x\t-", name=b"e") + document(b"x\t-", b"x\t(1)")
    last, first = source(data), source(data, first=True)
    assert last.names() == first.names() == ["d", "e"]
    assert (last.document("d").labels, last.line_of("d")) == (["1"], 7)
    assert (first.document("d").labels, first.line_of("d")) == (["0"], 1)


def test_a_name_that_the_file_lacks():
    found = source(document(b"x\t(0)"))
    assert found.document("e") is None
    assert found.line_of("e") == 0


# Tokens and columns
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("byte", [byte for byte in range(256) if byte != 10])
def test_lines_of_white_space_alone_are_skipped(byte):
    """NUL, other control bytes and those of Latin-1's no-break space and next line are tokens."""
    white = byte in {9, 11, 12, 13, 32}
    for line in (bytes([byte]), bytes([byte]) * 2, b"\t%c\t" % byte, b" %c\r" % byte):
        assert clusters(b"x\t(0)", line, b"y\t(0)") == [[(0, 0), (2 - white, 2 - white)]]
        if b"\t" not in line:
            assert clusters(b"x (0)", line, b"y (0)") == [[(0, 0), (2 - white, 2 - white)]]


def test_blank_lines_are_skipped_and_comments_are_tokens():
    assert clusters(b"x\t(0)", b"", b" \t ", b"\x0c\x0b", b"\r", b"# comment", b"x\t(0)") == [
        [(0, 0), (2, 2)]
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"d\t0\tx\t(0)", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\t", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\t\t", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\r", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\r\r", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\t\r", []),
        (b"d\t0\tx\t(0)\t\t\r", []),
        (b"d\t0\tx\t(0)\t\r\t", []),
        (b"d\t0\tx\t(0)\r\t", [[(0, 0)]]),
        (b"d\t(0)\t", [[(0, 0)]]),
        (b"\t-\t(0)", [[(0, 0)]]),
        (b"(7)\t0\tx\t(0)", [[(0, 0)]]),
        (b"(7)\tx\t-", []),
        (b"(7)\tx\t_", []),
        (b"(7)\tx\t_\t", []),
        (b"(7)\tx\t ", []),
        (b"(7) x \t(0) (1)", [[(0, 0)], [(0, 0)]]),
        (b"d 0 x (0)", [[(0, 0)]]),
        (b"d 0 (7) (0)", [[(0, 0)], [(0, 0)]]),
        (b"d 0 (7) -", [[(0, 0)]]),
        (b"d 0 x (0)   ", [[(0, 0)]]),
        (b"d  0  x  (0)\r", [[(0, 0)]]),
        (b"(0)", [[(0, 0)]]),
        (b"-", []),
        (b"_", []),
        (b"\xff\xfe\t(0)", [[(0, 0)]]),
        ("（0） (1)".encode(), [[(0, 0)]]),
        ("x\t(٣)".encode(), []),
    ],
)
def test_the_column_that_is_searched(line, expected):
    assert clusters(line) == expected


def test_a_line_without_a_tab_is_searched_as_a_whole_beside_lines_that_have_one():
    assert clusters(b"(7)\tx\t(0)", b"(7) x (0)") == [[(0, 0), (1, 1)], [(1, 1)]]


def test_a_word_in_brackets_can_break_a_file_of_spaces_and_the_first_such_line_is_named():
    with pytest.raises(ConllError) as caught:
        clusters(b"x (0", b"7) 0)")
    assert caught.value.line == 3
    assert clusters(b"x (0", b"(7) 0)") == [[(0, 1)], [(1, 1)]]


@pytest.mark.parametrize(
    ("lines", "passes"),
    [
        ([b"x\t(0)", b"(7) y\t-"], 1),
        ([b"x (0)", b"( (0|(1", b"x 1)|0)"], 1),
        ([b"x (0", b"y 0)"], 1),
        ([b"x (0)", b"(7) -"], 2),
        ([b"x (0)", b"x 0) (0"], 2),
    ],
)
def test_lines_are_read_again_only_where_a_field_before_the_last_may_hold_a_mention(lines, passes):
    with patch.object(conll2012, "_Lines", wraps=conll2012._Lines) as reader:
        clusters(*lines)
    assert reader.call_count == passes


def test_nested_mentions_of_one_entity_end_last_in_first_out():
    assert clusters(b"a\t(0", b"b\t(0", b"c\t0)", b"d\t0)") == [[(1, 2), (0, 3)]]


def test_crossing_mentions_of_two_entities():
    assert clusters(b"a\t(0", b"b\t(1", b"c\t0)", b"d\t1)") == [[(0, 2)], [(1, 3)]]


def test_starts_are_read_before_ends():
    assert clusters(b"a\t(0", b"b\t0)|(0", b"c\t0)") == [[(1, 1), (0, 2)]]


def test_entities_are_numbered_as_the_search_meets_their_ids():
    found = read(document(b"a\t(2|(1)", b"b\t2)", b"c\t(0)|(01)"))
    assert found.labels == ["1", "2", "0", "01"]
    assert found.clusters == [[(0, 0)], [(0, 1)], [(2, 2)], [(2, 2)]]


def test_double_antecedents_are_kept_apart():
    found = read(document(b"a\t(1+2)", b"b\t(0)(3+4)"))
    assert (found.discarded, found.clusters) == (["1+2", "3+4"], [[(1, 1)]])


def test_a_repeated_mention_is_read_each_time():
    assert clusters(b"a\t(0)(0)(1)", b"b\t(1(1", b"c\t1)1)") == [
        [(0, 0), (0, 0)],
        [(0, 0), (1, 2), (1, 2)],
    ]


def test_a_mention_open_at_the_end_of_a_file_without_end_line():
    found = read(document(b"a\t(0", b"b\t(1)", b"c\t(0", end=b""))
    assert (found.labels, found.clusters) == (["0", "1"], [[], [(1, 1)]])
    assert (found.ended, found.unclosed) == (False, [("0", 2), ("0", 4)])


def test_an_entity_that_completes_no_mention_is_not_listed_after_the_others():
    found = read(document(b"a\t(3", b"b\t(1)", b"c\t(0|(7", b"d\t3)|(1", end=b""))
    assert (found.labels, found.clusters, found.lines) == (
        ["3", "1"],
        [[(0, 3)], [(1, 1)]],
        [[2], [3]],
    )
    assert found.unclosed == [("0", 4), ("7", 4), ("1", 5)]
    assert read(document(b"a\t(3", b"b\t(1", end=b"")).clusters == []


def test_lines_are_those_of_the_file():
    data = b"\n\n" + document(b"a\t(0", b"", b"b\t0)(1)") + document(b"a\t(0)", name=b"e")
    assert read(data).lines == [[4], [6]]
    assert source(data).document("e").lines == [[9]]
    assert source(data).document("e").line == 8


# Messages
# ------------------------------------------------------------------------------------------------------------


def error_of(data, name="d"):
    with pytest.raises(ConllError) as caught:
        read(data, name)
    return caught.value


def test_end_without_start():
    error = error_of(document(b"x\t(0)", b"the dog\t12)"))
    assert str(error) == (
        "key.conll:3: document d: mention 12 ends here but never starts; write the missing (12: 'the dog\\t12)'"
    )
    assert (error.path, error.line, error.document, error.text) == (
        "key.conll",
        3,
        "d",
        "the dog\t12)",
    )
    assert error.problem == "mention 12 ends here but never starts; write the missing (12"


def test_start_without_end():
    error = error_of(document(b"x\t(0)", b"the\t(1|(12", b"dog\t1)"), "d")
    assert str(error) == (
        "key.conll:3: document d: mention 12 starts here but never ends in its document; write the missing 12): 'the\\t(1|(12'"
    )


def test_the_first_of_several_open_mentions_is_named():
    assert error_of(document(b"x\t(2", b"x\t(1")).line == 2


def test_a_message_is_one_line_and_shows_the_ends_of_a_long_line():
    error = error_of(document(b"a" * 50 + b"\xff\x07" + b"b" * 50 + b"\t3)\r", name=b""), "")
    assert str(error) == (
        "key.conll:2: document (no name): mention 3 ends here but never starts; write the missing (3: "
        f"'{'a' * 30}…{'b' * 26}\\t3)\\r'"
    )


def problems(data, **options):
    return [str(problem) for problem in source(data, **options).problems()]


@pytest.mark.parametrize(
    "data", [b"\n", b"#begin document(d);\nx\t(0)\n#end document\n", b"x\t(0)\n"]
)
def test_a_file_without_documents(data):
    assert problems(data) == [
        "key.conll: the file holds no document; one starts with a line such as: #begin document (name); part 000"
    ]


def test_an_empty_file_is_no_problem():
    assert problems(b"") == []


def test_documents_of_one_name():
    three = document(b"x\t(0)") + document() + document()
    assert problems(three) == [
        "key.conll:1: document d: another document has the same name (line 6); that one is read, this one is not",
        "key.conll:4: document d: another document has the same name (line 6); that one is read, this one is not",
    ]
    assert problems(three, first=True) == [
        "key.conll:4: document d: another document has the same name (line 1); that one is read, this one is not",
        "key.conll:6: document d: another document has the same name (line 1); that one is read, this one is not",
    ]


def test_fields_of_a_problem():
    (problem,) = source(document(b"x") * 2).problems()
    assert (problem.path, problem.line, problem.document) == ("key.conll", 1, "d")
    assert (
        problem.problem
        == "another document has the same name (line 4); that one is read, this one is not"
    )


# Files
# ---------------------------------------------------------------------------------------------------------------


def test_open_source_reads_documents_when_they_are_asked_for(tmp_path):
    path = tmp_path / "x.conll"
    data = document(b"x\t(0)") + document(b"x\t(1)", name=b"e") + document(b"x\t(2)")
    path.write_bytes(data)
    for chunk in (16, conll2012.CHUNK):
        with patch.object(conll2012, "CHUNK", chunk):
            last, first = open_source(str(path)), open_source(str(path), first=True)
            assert (last.path, last.size) == (str(path), len(data))
            assert [last.document(name).labels for name in ("e", "d", "e")] == [["1"], ["2"], ["1"]]
            assert first.document("d").labels == ["0"]
            for opened in (last, first):
                opened._file.close()


@pytest.mark.posix
def test_open_source_reads_a_pipe(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    data = write({str(number): [[number], [0]] for number in range(500)}) + write({"7": [[1]]})

    def feed():
        with open(pipe, "wb") as file:
            file.write(data)

    feeder = threading.Thread(target=feed)
    feeder.start()
    opened = open_source(pipe, first=True)
    feeder.join()
    assert len(opened.names()) == 500
    assert opened.size == len(data)
    assert opened.document("7").clusters == [[(0, 0)], [(7, 7)]]


class Reads(BytesIO):
    """A file that tells how much was asked of it at once."""

    def __init__(self, data):
        super().__init__(data)
        self.asked = []

    def read(self, size=-1):
        self.asked.append(size)
        return super().read(size)


def test_a_small_file_is_read_once_and_kept_unless_it_is_not_to_be():
    data = document(b"x\t(0)", name=b"e") + document(b"x\t-", b"y\t(12)")
    for keep, reads in ((True, 1), (False, 3)):
        file = Reads(data)
        opened = Conll2012Source(file, "f", keep=keep)
        assert [opened.document(name).labels for name in "ed"] == [["0"], ["12"]]
        assert len(file.asked) == reads
    default = Reads(data)
    Conll2012Source(default, "f").document("d")
    assert default.asked == [len(data)]


def test_a_large_file_is_read_chunk_by_chunk():
    data = document(*[b"x\t(0)"] * 9)
    with patch.object(conll2012, "CHUNK", 16):
        file = Reads(data)
        assert Conll2012Source(file, "f").names() == ["d"]
    # A chunk goes on to the end of its line.
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    expected, at = [], 0
    while at < len(data):
        expected.append(min(16, len(data) - at))
        at = next(end for end in ends if end > at + 15) if expected[-1] == 16 else len(data)
    assert file.asked == expected


LINED = document(b"", b"x\t-", b" \t", b"y\t-", name=b"e") + b"\n" + document(b"x\t-")
"""Tokens on lines 3 and 5, and 9."""


def test_lines_of_tokens():
    found = source(LINED)
    assert found.lines_of("e", {0, 1, 2, 3}) == {0: 3, 1: 5}
    assert found.lines_of("e", {1}) == {1: 5}
    assert found.lines_of("d", {0, 1}) == {0: 9}
    assert found.lines_of("f", {0}) == {}
    assert found.lines_of("e", set()) == {}


def test_no_more_lines_are_read_than_are_asked_for():
    class Lines(BytesIO):
        def __next__(self):
            lines.append(1)
            return super().__next__()

    lines = []
    found = Conll2012Source(Lines(LINED), "f")
    found.lines_of("e", {0})
    assert len(lines) == 2
    lines.clear()
    found.lines_of("e", {7})
    assert len(lines) == 5


def test_extents_are_the_bytes_between_the_first_line_and_the_last():
    found = source(LINED)
    assert [found.extent(name) for name in "edf"] == [
        len(b"\nx\t-\n \t\ny\t-\n"),
        len(b"x\t-\n"),
        0,
    ]


def placed(entry):
    return entry.name, entry.line, entry.body, entry.stop, entry.ended, entry.unterminated


def test_marks_of_a_stretch():
    """Of a line that begins a document: the lines before it, where it begins, where the next one does, and the name."""
    text = b" document\n x\n#begin document d\r\nx\t-\n#end document\n# begin document e"
    edges, lines = conll2012.marks(text, 100)
    (first, end, second) = edges
    assert first == (2, 113, 132, "d")
    assert (end[1], end[3]) == (136, None)
    assert second == (5, 150, 169, "e")
    assert lines == 5


def test_about_how_many_mentions_a_file_holds():
    assert source(b"(1)").about_mentions() == 1
    moved = source(b"(1) (2)")
    moved._file.seek(3)
    assert moved.about_mentions() == 2


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (b"d\t0\t0\ta b\t-", [["a b"]]),
        (b"d 0 0 a b -", [["a"]]),
        (b"d\t0\t0\tAda\t-\nw\n\n\n d\t0\t0\t\xff\tx\ty\t-\n", [["Ada", ""], ["\udcff"]]),
        (b"a\tb\tc\td\n", None),
        (b"d\t0\t0\t[WORD]\t-\n", None),
        (b"", None),
    ],
)
def test_words_are_the_fourth_of_five_columns(lines, words):
    assert source(document(lines)).words("d") == words
    assert source(document(lines)).words("e") is None


def test_ids_of_several_digits_stand_for_themselves():
    found = read(document(b"w\t(12)", b"w\t(345", b"w\t345)", b"w (12)", b"w\t(012)"))
    assert (found.labels, found.clusters) == (
        ["12", "345", "012"],
        [[(0, 0), (3, 3)], [(1, 2)], [(4, 4)]],
    )


def test_open_source_without_a_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_source(str(tmp_path / "none"))
    with pytest.raises(IsADirectoryError):
        open_source(str(tmp_path))
