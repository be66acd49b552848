"""What makes a line of CoNLL-2012, and how documents are written in it."""

import io

import pytest

from conll import ConllError, Document, write_documents
from conll.formats.conll2012 import BLANK


def test_blanks_are_what_python_takes_for_white_space_among_bytes():
    assert {byte for byte in range(256) if bytes([byte]).isspace()} == set(BLANK)


def written(*documents):
    file = io.BytesIO()
    write_documents(documents, file, "conll2012")
    return file.getvalue().decode("utf-8", "surrogateescape").splitlines()


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("(bc/a); part 000", ["bc/a", "0"]),
        ("(bc/a); part 0120", ["bc/a", "120"]),
        ("(bc/a); part 7", ["bc/a", "7"]),
        ("bc/a); part 07", ["bc/a", "7"]),
        ("(bc/a); part x", ["-", "0"]),
        ("(bc/a); part \u0663", ["-", "0"]),
        ("(bc/a); part ", ["-", "0"]),
        ("(a b); part 1", ["-", "1"]),
        ("(a); part 1); part 2", ["-", "0"]),
        ("(a)", ["(a)", "0"]),
        ("two words", ["-", "0"]),
        ("\udcff", ["\udcff", "0"]),
    ],
)
def test_the_first_columns_come_from_the_name(name, columns):
    first, line, *_ = written(Document(name, [], 1))
    assert first == f"#begin document {name}"
    assert line.split("\t") == [*columns, "0", "[WORD]", "-"]


def test_without_a_number_of_tokens_the_last_mention_ends_the_document():
    assert len(written(Document("a", [[(1, 3)]]))) == 1 + 4 + 2
    assert written(Document("a", [])) == ["#begin document a", "", "#end document"]


def fresh(name="a", clusters=(), tokens=None, **more):
    return Document(
        name, [list(cluster) for cluster in clusters], tokens, path="f.jsonl", line=3, **more
    )


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (
            fresh(clusters=[[(0, 3)]], tokens=3),
            "its mentions go from token 0 to 3, but it has 3 tokens, counted from 0",
        ),
        (
            fresh(clusters=[[(-1, 1)]], tokens=3),
            "mention (-1,1) of cluster 0 is not a pair of tokens",
        ),
        (
            fresh(clusters=[[(1, 2)]], words=[["x"], ["y"]]),
            "its mentions go from token 1 to 2, but it has 2 tokens, counted from 0",
        ),
        (fresh("a\nb"), "its name holds a line break"),
        (fresh("a\r"), "its name holds a line break"),
        (
            fresh(words=[["a\tb"]]),
            "the word 'a\\tb' holds a TAB, a line break or the end of a document",
        ),
        (fresh("\ud800"), "its name or a word holds characters that UTF-8 does not have"),
        (
            fresh(clusters=[[(0, 1), (1, 2)]], tokens=3),
            (
                "mentions (0,1) and (1,2) of cluster 0 meet in one token, and brackets of one "
                "id would be read as other mentions"
            ),
        ),
    ],
)
def test_what_the_format_cannot_hold_is_refused(document, problem):
    with pytest.raises(ConllError) as caught:
        written(document)
    error = caught.value
    assert (error.path, error.line, error.document) == ("f.jsonl", 3, document.name)
    assert error.problem == f"cannot be written as conll2012: {problem}"
