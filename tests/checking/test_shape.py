"""The shape of corpora: entities, spread, length of mentions and share of singletons."""

import json
from pathlib import Path

import pytest

from conll import Document
from scorer.checking.check import Shape

FIXTURES = Path(__file__).parents[2] / "fixtures"


def shape_of(*clusters):
    shape = Shape("a")
    shape.add(Document("a", [list(cluster) for cluster in clusters]))
    return shape


def test_means_of_a_document():
    """Four mentions of 2, 1, 1 and 1 words; the first entity begins at 0 and at 9."""
    means = shape_of([(0, 1), (4, 4), (9, 9)], [(2, 2)]).means
    expected = {"mentions_per_entity": 2, "spread": 9, "mention_length": 1.25}
    assert means.items() >= {**expected, "singleton_share": 0.5}.items()


def test_a_mention_with_a_gap_has_the_words_of_its_pieces():
    shape = shape_of([((0, 1), (4, 4)), (7, 7)])
    assert shape.means["mention_length"] == 2
    assert shape.means["spread"] == 7


def test_mentions_without_words_have_neither_length_nor_place():
    shape = shape_of(["m1", "m2"], [("0:1.1",), (3, 3)])
    assert shape.means["mentions_per_entity"] == 2
    assert shape.means["mention_length"] == 1
    assert shape.means["spread"] is None


def test_nothing_has_no_means():
    assert set(shape_of([]).means.values()) == {None}


def test_a_file_has_the_sums_of_its_documents(main):
    path = FIXTURES / "example.key.conll"
    arguments = ["check", path, "--summary", "--per-document", "--format", "json"]
    status, out, _ = main(*arguments)
    assert status == 0
    [file] = json.loads(out)["files"]
    documents = file["shape_of_documents"]
    assert [row["document"] for row in documents] == [
        "(example/letter); part 000",
        "(example/report); part 000",
    ]
    for name in ("mentions", "entities", "singletons", "mention_words", "spread_words"):
        assert file["shape"][name] == sum(row[name] for row in documents)
    assert file["shape"]["mentions"] == file["mentions"] == 14
    whole = file["shape"]
    assert whole["spread"] == pytest.approx(whole["spread_words"] / whole["spread_entities"])
    assert "shape_of_documents" not in main(*arguments[:3], "--format", "json")[1]


def test_documents_are_shown_in_a_summary_alone(main):
    status, out, err = main("check", FIXTURES / "example.key.conll", "--per-document")
    assert (status, out) == (2, "")
    assert "--per-document needs --summary" in err
