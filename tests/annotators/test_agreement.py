"""Agreement of annotators, from files to the report."""

import csv
import io
import json
from pathlib import Path

import pytest

import scorer
from conll import ConllError
from conll.formats.jsonl import JsonLinesSource
from scorer.annotators.agreement import MOST

FIXTURES = Path(__file__).parents[2] / "fixtures"
ADA = [["a", "b", "c"], ["d", "e"]]
BOB = [["a", "b"], ["c", "d", "e"]]


def test_a_worked_example():
    """F1 flatters: α is .086."""
    result = scorer.agreement({"Ada": ADA, "Bob": BOB})
    figures = {"muc": 2 / 3, "bcub": 11 / 15, "conll": 0.7333, "lea": 0.6, "mentions": 1}
    for metric, f1 in figures.items():
        assert result.f1(metric) == pytest.approx(f1, abs=5e-5), metric
    assert result.alpha().value == pytest.approx(0.0858369, abs=5e-8)
    text = result.text()
    assert "0.086" in text
    assert "D_o = 0.63111, D_e = 0.69037" in text
    assert "1 - J*M" in text


def test_pairs_and_their_mean():
    result = scorer.agreement({"Ada": ADA, "Bob": BOB, "Eve": ADA}, distance="passonneau")
    assert [*result.pairs] == [("Ada", "Bob"), ("Ada", "Eve"), ("Bob", "Eve")]
    assert result.f1("muc", ("Ada", "Eve")) == 1
    assert result.f1("muc") == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert result.alpha(pair=("Ada", "Eve")).value == 1
    assert result.alpha(pair=("Ada", "Bob")).value == pytest.approx(4 / 13)


def test_f1_does_not_depend_on_which_annotator_is_the_key():
    # The first annotator repeats a mention, which the reference would treat differently in a key.
    first, second = [["a", "b"], ["b", "c"]], [["a", "c", "d"], ["b"]]
    one_way = scorer.agreement({"x": first, "y": second})
    other_way = scorer.agreement({"y": second, "x": first})
    for metric in ("mentions", "muc", "bcub", "ceafe", "lea", "conll"):
        assert one_way.f1(metric) == pytest.approx(other_way.f1(metric))
    assert one_way.alpha().value == other_way.alpha().value


def test_each_pair_is_compared_on_the_documents_that_both_have(main, tmp_path):
    """Ada and Bob agree on d2; Bob and Eve on d3, without links; Ada and Eve have d1.

    There Ada has one entity and Eve two singletons: B³ has recall 1/2 and precision 1. The α of all
    is calculated in test_alpha.py.
    """
    entity, singletons = [[[0, 0], [1, 1]]], [[[0, 0]], [[1, 1]]]
    documents = {
        "ada": {"d1": entity, "d2": entity},
        "bob": {"d2": entity, "d3": singletons},
        "eve": {"d1": singletons, "d3": singletons},
    }
    paths = write_annotations(tmp_path, documents)
    status, out, err = main("agreement", *paths, "--format", "json", "--per-document", "--strict")
    assert (status, err) == (0, "")
    tree = json.loads(out)
    figures = {}
    for row in tree["pairs"]:
        figures[row["first"], row["second"]] = (
            row["documents"],
            row["muc"],
            row["bcub"],
            row["conll"],
        )
    assert figures["ada", "bob"] == (1, 1, 1, 1)
    assert figures["bob", "eve"] == (1, None, 1, 1)
    assert figures["ada", "eve"] == (
        1,
        0,
        pytest.approx(2 / 3),
        pytest.approx((0 + 2 / 3 + 4 / 9) / 3),
    )
    assert tree["pairs"][-1]["documents"] == 3
    assert tree["pairs"][-1]["muc"] == 1 / 2
    assert tree["pairs"][-1]["alpha"] == pytest.approx(123 / 167)
    holders = [(row["document"], row["first"], row["second"]) for row in tree["documents"]]
    assert holders == [("d1", "ada", "eve"), ("d2", "ada", "bob"), ("d3", "bob", "eve")]
    assert "each pair is compared on the documents that both have" in tree["notes"]


def write_annotations(folder, documents):
    """Write JSON lines for each annotator: clusters by the name of the document."""
    paths = []
    for annotator, clusters_by_name in documents.items():
        lines = []
        for name, clusters in clusters_by_name.items():
            lines.append(
                json.dumps({"doc_key": name, "tokens": ["a", "b", "c"], "clusters": clusters})
            )
        path = folder / f"{annotator}.jsonl"
        path.write_text("\n".join(lines) + "\n")
        paths.append(path)
    return paths


def test_a_document_of_one_annotator_is_named_and_not_counted(main, tmp_path):
    entity = [[[0, 0], [1, 1]]]
    both = {"d1": entity, "d2": entity}
    paths = write_annotations(tmp_path, {"ada": both, "bob": {"d1": entity}})
    status, out, err = main("agreement", *paths, "--format", "json")
    assert status == 0
    assert "ada.jsonl:2: document d2: only ada annotated the document; it is not counted" in err
    assert json.loads(out)["signature"]["documents"] == 1
    assert main("agreement", *paths, "--strict")[0] == 1


def test_an_annotator_may_share_documents_with_a_later_one_alone():
    entity, singletons = [["a", "b"]], [["a"], ["b"]]
    annotators = {
        "x": {"d1": entity},
        "y": {"d2": singletons},
        "z": {"d1": entity, "d2": singletons},
    }
    result = scorer.agreement(annotators)
    assert [*result.pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert result.pairs["x", "y"].scored == 0
    assert result.f1("bcub", ("x", "y")) is None
    assert result.f1("bcub") == 1
    assert result.alpha().value == 1


def test_a_pattern_that_is_the_name_of_a_document_means_that_one():
    documents = {"(a)": ADA, "(a)1": BOB}
    result = scorer.agreement({"x": documents, "y": documents}, documents="(a)")
    assert result.pairs["x", "y"].scored == 1


def test_one_sentence_says_who_agrees_least():
    """The figure of Ada and Bob is computed by hand on the page about agreement."""
    annotators = {
        "Ada": [["a", "b", "c"], ["d", "e"]],
        "Bob": [["a", "b"], ["c", "d", "e"]],
        "Cy": [["a", "b", "c"], ["d", "e"]],
    }
    result = scorer.agreement(annotators)
    least = "Ada and Bob agree least, with alpha 0.086; alpha of all is "
    for text in (result.text(), result.text("html").partition("<strong>")[2]):
        assert text.startswith(f"{least}{result.alpha().value:.3f}.")
    del annotators["Cy"]
    two = scorer.agreement(annotators)
    assert two.text().startswith("The alpha of Ada and Bob is 0.086.\n\nAgreement\n")


def test_annotators_without_a_common_document_are_an_error():
    with pytest.raises(ConllError, match="share no document"):
        scorer.agreement({"x": {"a": ADA}, "y": {"b": BOB}})
    pairs = {"x": {"a": ADA, "b": ADA}, "y": {"a": ADA}, "z": {"b": ADA}}
    with pytest.raises(ConllError, match="no document is in the files of two annotators"):
        scorer.agreement({"x": pairs["x"] | {"c": ADA}, "y": {"c": BOB}}, documents="a")


def test_a_pair_that_marks_nothing_has_no_figure_next_to_an_annotator_who_does(main, tmp_path):
    documents = {"ada": {"d": []}, "bob": {"d": []}, "eve": {"d": [[[0, 0]], [[1, 1]]]}}
    paths = write_annotations(tmp_path, documents)
    options = ["--format", "json", "--per-document", "--quiet"]
    tree = json.loads(main("agreement", *paths, *options)[1])
    for rows in (tree["pairs"], tree["documents"]):
        both_empty, *others = [row for row in rows if row["first"] != "mean"]
        for metric in ("mentions", "muc", "bcub", "ceafe", "lea", "conll"):
            assert both_empty[metric] is None
        # No link on either side: MUC is 0/0. B³ and the others have no mention in common.
        assert [row["muc"] for row in others] == [None, None]
        assert [row["bcub"] for row in others] == [0, 0]
    assert tree["pairs"][-1]["muc"] is None
    assert tree["pairs"][-1]["conll"] == 0


def test_equal_annotators_have_100_without_links_too(main, tmp_path):
    singletons = [[[0, 0]], [[1, 1]]]
    paths = write_annotations(tmp_path, {"ada": {"d": singletons}, "bob": {"d": singletons[::-1]}})
    tree = json.loads(main("agreement", *paths, "--format", "json")[1])
    assert tree["pairs"][-1]["muc"] is None
    assert tree["pairs"][-1]["conll"] == tree["pairs"][-1]["lea"] == tree["pairs"][-1]["alpha"] == 1
    assert any("MUC is 0/0" in note for note in tree["notes"])


def test_the_order_of_clusters_makes_no_difference_to_repeated_mentions():
    result = scorer.agreement({"x": [["a", "b"], ["c", "a"]], "y": [["c", "a"], ["a", "b"]]})
    assert set(result.f1s().values()) == {1}
    assert result.alpha().value == 1


def test_each_annotation_of_a_document_is_read_once(monkeypatch, tmp_path):
    documents = {f"d{number}": [[[0, 0], [1, 1]], [[2, 2]]] for number in range(3)}
    annotators = dict.fromkeys("abcd", documents)
    reads = []
    read = JsonLinesSource.read

    def counted(source, name):
        reads.append((source.path, name))
        return read(source, name)

    monkeypatch.setattr(JsonLinesSource, "read", counted)
    scorer.agreement(write_annotations(tmp_path, annotators))
    assert len(reads) == len(set(reads)) == 4 * 3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"annotators": {"x": ADA}}, "two annotators or more"),
        ({"annotators": [ADA, BOB], "distance": "jaccard"}, "distance: 'jaccard' is not one of"),
        ({"annotators": {"x": {"a": ADA}, "y": {"a": BOB}}, "documents": "z"}, "matches no doc"),
    ],
)
def test_what_cannot_be_compared(arguments, problem):
    annotators = arguments.pop("annotators")
    with pytest.raises(ValueError, match=problem):
        scorer.agreement(annotators, **arguments)


def test_exports_of_inception(main):
    """Two annotators of a project, each in a folder of its own."""
    sides = [FIXTURES / "join" / f"inception-{name}" for name in ("first", "second")]
    status, out, err = main("agreement", *sides, "--format", "json", "--per-document")
    assert (status, err) == (0, "")
    tree = json.loads(out)
    assert [row["document"] for row in tree["documents"]] == ["doc1.txt", "doc2.txt"]
    score = json.loads(main("score", *sides, "--format", "json", "--duplicates", "first")[1])
    for metric in ("mentions", "muc", "lea"):
        assert tree["pairs"][0][metric] == score["totals"][metric]["f1"]


def test_documents_of_an_export_are_those_of_equal_folders(main, tmp_path):
    """A user who has another document is compared with nobody, and what was imported is none."""
    [written] = (FIXTURES / "join" / "inception-first" / "annotation" / "doc1.txt").iterdir()
    for place in ("doc1.txt/ada", "doc1.txt/bob", "doc1.txt/INITIAL_CAS", "doc3.txt/ian"):
        path = tmp_path / "annotation" / f"{place}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written.read_bytes())
    status, out, err = main("agreement", tmp_path, "--format", "json")
    pairs = [(row["first"], row["second"], row["size"]) for row in json.loads(out)["pairs"]]
    assert pairs[:3] == [("ada", "bob", 4), ("ada", "ian", 0), ("bob", "ian", 0)]
    assert "only ian annotated the document; it is not counted" in err
    (tmp_path / "annotation" / "doc1.txt" / "bob.tsv").unlink()
    status, _, err = main("agreement", tmp_path)
    assert status == 2
    assert "no document is in the files of two annotators" in err


def test_what_differs_most(main):
    sides = [FIXTURES / f"example.{side}.conll" for side in ("key", "response")]
    status, out, _ = main("agreement", *sides, "--format", "json")
    assert status == 0
    tree = json.loads(out)
    entities = tree["different_entities"]
    costs = [row["sum"] for row in entities]
    assert costs == pytest.approx([row["size"] * row["disagreement"] for row in entities])
    assert costs == sorted(costs, reverse=True)
    assert 0 < len(entities) <= MOST
    assert {row["annotators"] for row in entities} <= {"example.key", "example.response"}


def test_every_format_has_the_same_figures(main):
    sides = [FIXTURES / f"example.{side}.conll" for side in ("key", "response")]
    tree = json.loads(main("agreement", *sides, "--format", "json")[1])
    rows = list(csv.DictReader(io.StringIO(main("agreement", *sides, "--format", "csv")[1])))
    alphas = [float(row["alpha"]) for row in rows if row["first"] == "mean"]
    assert alphas == [tree["pairs"][-1]["alpha"]]
    assert f"{tree['pairs'][-1]['alpha']:.3f}" in main("agreement", *sides)[1]
    for output_format in ("html", "latex", "markdown", "jsonl", "tsv"):
        assert main("agreement", *sides, "--format", output_format)[0] == 0


def test_names_of_annotators(main):
    sides = [FIXTURES / f"example.{side}.conll" for side in ("key", "response")]
    status, out, _ = main("agreement", *sides, "--names", f"{sides[0]}=Ada")
    assert status == 0
    assert "Ada" in out
    assert main("agreement", sides[0])[0] == 2


def test_there_are_no_figures_where_nobody_marked_a_mention(main, tmp_path):
    paths = [tmp_path / "ada.jsonl", tmp_path / "bob.jsonl"]
    for path in paths:
        path.write_text('{"document_id": "d", "clusters": []}\n')
    options = ["--per-document", "--quiet", "--format"]
    status, out, err = main("agreement", *paths, *options, "json")
    assert (status, err) == (0, "")
    tree = json.loads(out)
    for row in (*tree["pairs"], tree["documents"][0]):
        assert row["size"] == 0
        for name in ("mentions", "muc", "conll", "alpha", "observed", "expected"):
            assert row[name] is None, name
    for output_format in ("table", "csv", "html", "latex"):
        status, out, err = main("agreement", *paths, *options, output_format)
        assert (status, err) == (0, "")
        assert "0.00" not in out
    assert "no value, as there is no mention" in str(scorer.agreement({"a": [], "b": []}))


def test_messages_speak_of_annotators(main):
    key = FIXTURES / "example.key.conll"
    status, _, err = main("agreement", key, key)
    assert status == 2
    assert "two annotators are called 'example.key'; name them with" in err
    status, _, err = main("agreement", key, FIXTURES / "example.response.conll", "--names", "x=y")
    assert status == 2
    assert "names: 'x=y' names no annotator; write FILE=NAME with a FILE that is given" in err
    with pytest.raises(
        TypeError, match=r"^the annotation of Bob is a mapping .* annotation of Ada"
    ):
        scorer.agreement({"Ada": ADA, "Bob": {"d": BOB}})


def test_an_entity_outside_the_first_annotators_words_is_shown_by_its_mention(main, tmp_path):
    ada = {"document_id": "d", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}
    bob = {"document_id": "d", "clusters": [[[0, 0], [1, 1]], [[2, 2], [3, 4]]]}
    paths = [tmp_path / "ada.jsonl", tmp_path / "bob.jsonl"]
    for path, document in zip(paths, (ada, bob)):
        path.write_text(json.dumps(document) + "\n")
    out = main("agreement", *paths, "--format", "json")[1]
    assert [row["entity"] for row in json.loads(out)["different_entities"]] == ["(2, 2)"]


def test_files_of_names_have_no_mentions_to_compare(tmp_path, main):
    paths = [tmp_path / "a.iob", tmp_path / "b.iob"]
    for path in paths:
        path.write_text("Ada B-PER\nleft O\n")
    message = f"scorer agreement: {paths[0]} has names and no mentions; add --of names\n"
    assert main("agreement", *paths) == (2, "", message)
