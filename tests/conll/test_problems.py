"""What kind a problem is of, whose file it is about, and that it stands apart from its sentence."""

import pytest

import scorer
from conll.errors import KINDS


def text(name, cells, *, end=True):
    lines = "".join(
        f"{name}\t0\t{number}\t{word}\t{cell}\n" for number, (word, cell) in enumerate(cells)
    )
    return f"#begin document {name}\n{lines}" + "#end document\n" * end


def found(tmp_path, key, response, **options):
    (tmp_path / "key.conll").write_text("".join(key))
    (tmp_path / "response.conll").write_text("".join(response))
    problems = scorer.score(tmp_path / "key.conll", tmp_path / "response.conll", **options).problems
    assert {problem.kind for problem in problems} <= set(KINDS)
    return [(problem.kind, problem.side, problem.line, problem.document) for problem in problems]


A = text("a", [("x", "(0)"), ("y", "(0)")])
B = text("b", [("x", "(0)"), ("y", "-"), ("z", "(0)")])


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ([A], [A], []),
        ([A, B], [A], [("missing", "response", 0, "b")]),
        ([A], [A, B], [("extra", "response", 5, "b")]),
        ([A], [text("a", [("x", "(0)"), ("other", "(0)")])], [("text", "response", 3, "a")]),
        ([A], [text("a", [("x", "(0)"), ("y", "(0)|(1)")])], [("repeat", "response", 3, "a")]),
        ([text("a", [("x", "(0)"), ("y", "(0)|(1")], end=False)], [A], [("end", "key", 3, "a")]),
        ([A], [A, A], [("file", "response", 1, "a")]),
        ([B, B], [B], [("file", "key", 1, "b")]),
    ],
)
def test_kind_and_side(tmp_path, key, response, expected):
    # An open mention whose entity has no other that ends leaves blanc without a value.
    assert found(tmp_path, key, response, metrics="muc") == expected


def test_a_key_in_files_of_one_document_names_the_other_place(tmp_path):
    """Both places are the key's, and both stand apart from the text."""
    (tmp_path / "keys").mkdir()
    for name in "pq":
        (tmp_path / "keys" / name).write_text(A)
    (tmp_path / "response").write_text(text("a", [("x", "(0)"), ("y", "-")]))
    [problem] = scorer.score(tmp_path / "keys", tmp_path / "response").problems
    assert (problem.path, problem.side) == (str(tmp_path / "keys" / "p"), "key")
    assert (problem.beside.path, problem.beside.line, problem.beside.side) == (
        str(tmp_path / "keys" / "q"),
        1,
        "key",
    )
    assert str(tmp_path) not in problem.text + problem.advice
