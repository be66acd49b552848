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
from strategies import corpora, examples, files, write


def source(data, *, first=False, path="key.conll"):
    return Conll2012Source(BytesIO(data), path, first=first)


def read(data, name="d"):
    return source(data).document(name)


def document(*lines, name=b"d", end=b"#end document\n"):
    return b"#begin document %s\n" % name + b"".join(line + b"\n" for line in lines) + end


def clusters(*lines):
    return read(document(*lines)).clusters


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
@given(files() | corpora().map(lambda pair: pair[0]), st.booleans())
def test_equals_reading_line_by_line(data, first):
    assert outcome(data, first=first) == naive_outcome(data, first=first)
    assert source(data, first=first).names() == list(map(text, naive.documents(data)))


@given(files(), st.sampled_from([1, 2, 7, 30, 200]))
def test_index_does_not_depend_on_the_size_of_chunks(data, chunk):
    whole = outcome(data)
    with patch.object(conll2012, "CHUNK", chunk):
        assert outcome(data) == whole
        assert source(data).size == len(data)


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


NO_BEGIN = """\
#begin document
#begin document(d);
#begin document\td
 #begin document d
#begin  document d
#begindocument d
begin document d
#Begin document d"""
END = """\
#end document
# end document
#\t end document (d)
x #end document
#end documents
#end document\r"""
NO_END = """\
end document
#end  document
#enddocument
#END document
#x end document"""


@pytest.mark.parametrize("line", NO_BEGIN.encode().split(b"\n"))
def test_not_a_begin_line(line):
    assert source(line + b"\nx\t(0)\n#end document\n").names() == []


@pytest.mark.parametrize("end", END.encode().split(b"\n"))
def test_end_line(end):
    assert read(document(b"x\t(0)", end, b"x\t(0)", end=b"")).tokens == 1


@pytest.mark.parametrize("line", NO_END.encode().split(b"\n"))
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


@pytest.mark.parametrize("command", ["score", "check", "spans", "show", "convert"])
def test_commands_refuse_such_a_file_in_one_line(command, tmp_path, main, monkeypatch):
    data = b"".join(document(b"x\t(0)", name=name) for name in (b"a", b"b"))
    endless, ended = tmp_path / "endless.conll", tmp_path / "ended.conll"
    endless.write_bytes(data.replace(b"#end document\n", b""))
    ended.write_bytes(data)
    monkeypatch.setattr(conll2012, "REPEATED", 5)
    second = tmp_path / "out.jsonl" if command == "convert" else ended
    status, out, err = main(command, endless, second)
    assert status == (1 if command == "check" else 2)
    problem = "document a: another document starts before this one has ended; "
    assert f"{endless}:3: {problem}" in out + err
    assert "Traceback" not in err


def test_text_outside_documents_is_not_read():
    found = source(b"1)\n" + document(b"x\t(0)") + b"(7\n")
    assert found.names() == ["d"]
    assert found.document("d").clusters == [[(0, 0)]]


# Tokens and columns
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("byte", [0, 9, 11, 12, 13, 28, 31, 32, 127, 133, 160, 255])
def test_lines_of_white_space_alone_are_skipped(byte):
    """NUL, other control bytes and those of Latin-1's no-break space and next line are tokens."""
    white = byte in {9, 11, 12, 13, 32}
    for line in (bytes([byte]), bytes([byte]) * 2, b"\t%c\t" % byte, b" %c\r" % byte):
        assert clusters(b"x\t(0)", line, b"y\t(0)") == [[(0, 0), (2 - white, 2 - white)]]


def test_blanks_are_what_python_takes_for_white_space_among_bytes():
    blank = {byte for byte in range(256) if bytes([byte]).isspace()}
    assert blank == {*conll2012.BLANK}


def test_blank_lines_are_skipped_and_comments_are_tokens():
    assert clusters(b"x\t(0)", b"", b" \t ", b"\x0c\x0b", b"\r", b"# comment", b"x\t(0)") == [
        [(0, 0), (2, 2)]
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"d\t0\tx\t(0)", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\t\t", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\r", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\r\r", [[(0, 0)]]),
        (b"d\t0\tx\t(0)\t\r", []),
        (b"d\t0\tx\t(0)\t\t\r", []),
        (b"d\t0\tx\t(0)\t\r\t", []),
        (b"d\t0\tx\t(0)\r\t", [[(0, 0)]]),
        (b"\t-\t(0)", [[(0, 0)]]),
        (b"(7)\t0\tx\t(0)", [[(0, 0)]]),
        (b"(7)\tx\t-", []),
        (b"(7)\tx\t_\t", []),
        (b"(7) x \t(0) (1)", [[(0, 0)], [(0, 0)]]),
        (b"d 0 x (0)", [[(0, 0)]]),
        (b"d 0 (7) (0)", [[(0, 0)], [(0, 0)]]),
        (b"d 0 (7) -", [[(0, 0)]]),
        (b"d  0  x  (0)\r", [[(0, 0)]]),
        (b"(0)", [[(0, 0)]]),
        (b"-", []),
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
    ("cells", "expected"),
    [
        # Of one entity, last in first out; of two, they may cross; starts before ends.
        (["(0", "(0", "0)", "0)"], [[(1, 2), (0, 3)]]),
        (["(0", "(1", "0)", "1)"], [[(0, 2)], [(1, 3)]]),
        (["(0", "0)|(0", "0)"], [[(1, 1), (0, 2)]]),
    ],
)
def test_which_start_an_end_belongs_to(cells, expected):
    assert clusters(*(f"w\t{cell}".encode() for cell in cells)) == expected


def test_a_mention_open_at_the_end_of_a_file_without_end_line():
    found = read(document(b"a\t(0", b"b\t(1)", b"c\t(0", end=b""))
    assert (found.labels, found.clusters) == (["0", "1"], [[], [(1, 1)]])
    assert (found.ended, found.unclosed) == (False, [("0", 2), ("0", 4)])


# Messages
# ------------------------------------------------------------------------------------------------------------


def error_of(data, name="d"):
    with pytest.raises(ConllError) as caught:
        read(data, name)
    return caught.value


def test_end_without_start():
    error = error_of(document(b"x\t(0)", b"the dog\t12)"))
    problem = "mention 12 ends here but never starts; write the missing (12"
    assert str(error) == f"key.conll:3: document d: {problem}: 'the dog\\t12)'"


def test_start_without_end():
    """The first of several is named."""
    error = error_of(document(b"x\t(0)", b"the\t(1|(12", b"dog\t1)|(2"))
    problem = "mention 12 starts here but never ends in its document; write the missing 12)"
    assert str(error) == f"key.conll:3: document d: {problem}: 'the\\t(1|(12'"


def test_a_message_is_one_line_and_shows_the_ends_of_a_long_line():
    error = error_of(document(b"a" * 50 + b"\xff\x07" + b"b" * 50 + b"\t3)\r", name=b""), "")
    assert str(error) == (
        "key.conll:2: document (no name): mention 3 ends here but never starts; write the missing (3: "
        f"'{'a' * 30}…{'b' * 26}\\t3)\\r'"
    )


def problems(data, **options):
    return [str(problem) for problem in source(data, **options).problems()]


def test_a_file_without_documents():
    assert problems(b"#begin document(d);\nx\t(0)\n#end document\n") == [
        "key.conll: the file holds no document; one starts with a line such as: #begin document (name); part 000"
    ]
    assert problems(b"") == []


def test_documents_of_one_name():
    three = document(b"x\t(0)") + document() + document()
    for first, unread, line in ((False, [1, 4], 6), (True, [4, 6], 1)):
        text = (
            f"another document has the same name (line {line}); that one is read, this one is not"
        )
        expected = [f"key.conll:{number}: document d: {text}" for number in unread]
        assert problems(three, first=first) == expected


# Files
# ---------------------------------------------------------------------------------------------------------------


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


LINED = document(b"", b"x\t-", b" \t", b"y\t-", name=b"e") + b"\n" + document(b"x\t-")
"""Tokens on lines 3 and 5, and 9."""


def test_lines_of_tokens():
    found = source(LINED)
    assert found.lines_of("e", {0, 1, 2, 3}) == {0: 3, 1: 5}
    assert found.lines_of("e", {1}) == {1: 5}
    assert found.lines_of("d", {0, 1}) == {0: 9}
    assert found.lines_of("f", {0}) == {}
    assert found.lines_of("e", set()) == {}


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
