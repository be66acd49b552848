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
from conll.source import InputFile
from sources import lines_of
from strategies import corpora, examples, files, write


def source(data, *, first=False, path="key.conll"):
    return Conll2012Source(InputFile(BytesIO(data), path), first=first)


def read(data, name="d"):
    return source(data).read(name)


def document(*lines, name=b"d", end=b"#end document\n"):
    return b"#begin document %s\n" % name + b"".join(line + b"\n" for line in lines) + end


def clusters(*lines):
    return read(document(*lines)).clusters


def text(name):
    return name.decode("utf-8", "surrogateescape")


def outcome(data, *, first=False):
    """Everything that can be seen of a file: per name the fields of its document, or the line of
    its error."""
    opened = source(data, first=first)
    found = {}
    for name in opened.names():
        try:
            read = opened.read(name)
        except ConllError as error:
            found[name] = error.path, error.document, error.line
            continue
        assert (read.name, read.path) == (name, "key.conll")
        assert read.line == opened.read(name).line
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


@given(files())
def test_all_errors_of_a_document_are_listed(data):
    opened = source(data)
    for name in opened.names():
        entry = opened.location(name)
        listed = []
        conll2012.read(opened.body(entry), entry, opened.path, listed)
        if not listed:
            opened.read(name)
            continue
        with pytest.raises(ConllError) as caught:
            opened.read(name)
        errors = [caught.value, *caught.value.others()]
        if not entry.unterminated:
            assert [*map(str, errors)] == [*map(str, listed)]
            continue
        # Those in the lines of another document have one cause.
        own = [str(error) for error in listed if error.line < entry.unterminated[0]]
        assert {*own} <= {*map(str, errors)}
        assert len(errors) == len(own) + (len(own) < len(listed))


@given(files(), st.sampled_from([1, 2, 7, 30, 200]))
def test_index_does_not_depend_on_the_size_of_chunks(data, chunk):
    whole = outcome(data)
    with patch("conll.source.CHUNK", chunk):
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


# Tokens and columns
# --------------------------------------------------------------------------------------------------


def test_a_word_in_brackets_can_break_a_file_of_spaces_and_the_first_such_line_is_named():
    with pytest.raises(ConllError) as caught:
        clusters(b"x (0", b"7) 0)")
    assert caught.value.line == 3
    assert clusters(b"x (0", b"(7) 0)") == [[(0, 1)], [(1, 1)]]


# Messages
# --------------------------------------------------------------------------------------------------


def error_of(data, name="d"):
    with pytest.raises(ConllError) as caught:
        read(data, name)
    return caught.value


def test_end_without_start():
    error = error_of(document(b"x\t(0)", b"the dog\t12)"))
    problem = "unmatched `12)`: no `(12` before it"
    assert str(error) == f"key.conll:3: document d: {problem}: 'the dog\\t12)'"


def test_start_without_end():
    """The first of several is named."""
    error = error_of(document(b"x\t(0)", b"the\t(1|(12", b"dog\t1)|(2"))
    problem = "unclosed `(12`: no `12)` before #end document"
    assert str(error) == f"key.conll:3: document d: {problem}: 'the\\t(1|(12'"


def test_a_message_is_one_line_and_shows_the_ends_of_a_long_line():
    error = error_of(document(b"a" * 50 + b"\xff\x07" + b"b" * 50 + b"\t3)\r", name=b""), "")
    assert str(error) == (
        "key.conll:2: document (no name): unmatched `3)`: no `(3` before it: "
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
# --------------------------------------------------------------------------------------------------


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
    assert opened.read("7").clusters == [[(0, 0)], [(7, 7)]]


LINED = document(b"", b"x\t-", b" \t", b"y\t-", name=b"e") + b"\n" + document(b"x\t-")
"""Tokens on lines 3 and 5, and 9."""


def test_lines_of_tokens():
    found = source(LINED)
    assert lines_of(found.read("e"), {0, 1, 2, 3}) == {0: 3, 1: 5}
    assert lines_of(found.read("e"), {1}) == {1: 5}
    assert lines_of(found.read("d"), {0, 1}) == {0: 9}
    assert lines_of(found.read("e"), set()) == {}


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
    assert source(document(lines)).read("d").words == words
    assert source(document(lines)).read("e") is None
