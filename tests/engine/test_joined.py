"""Documents of a topic that are scored as one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll import ConllError, Document, open_documents, write_documents
from scorer.engine.joined import join_documents


def conll(documents):
    """A file of CoNLL-2012; each document is its cells."""
    lines = []
    for name, cells in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        lines += [f"{name} 0 {number} w{number} {cell}" for number, cell in enumerate(cells)]
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


KEY = {"36_1": ["(1)", "-", "(2)"], "36_2": ["(1)", "-"]}
RESPONSE = {"36_1": ["(1)", "-", "(3)"], "36_2": ["(2)", "-"]}
"""Key {a of 36_1, d of 36_2}{c}, response {a}{d}{c}."""

JOIN = ["--join-documents", r"^\(?(\d+)_"]


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, documents in zip(paths, (KEY, RESPONSE)):
        path.write_text(conll(documents))
    return paths


def totals(main, *arguments):
    status, out, err = main(
        "score", *arguments, "--metrics", "muc,bcub,ceafe,conll", "--format", "json"
    )
    assert status == 0, err
    return json.loads(out)["totals"], err


def test_a_worked_example(main, files):
    joined, _ = totals(main, *files, *JOIN)
    muc, bcub, ceafe = (joined[metric] for metric in ("muc", "bcub", "ceafe"))
    assert [muc[f"recall_{part}"] for part in ("numerator", "denominator")] == [0, 1]
    assert [muc[f"precision_{part}"] for part in ("numerator", "denominator")] == [0, 0]
    assert (bcub["recall"], bcub["precision"]) == pytest.approx((2 / 3, 1))
    assert (ceafe["recall"], ceafe["precision"]) == pytest.approx((0.8333, 0.5556), abs=5e-5)
    assert joined["conll"]["f1"] == pytest.approx(0.4889, abs=5e-5)
    apart, _ = totals(main, *files)
    assert apart["bcub"]["f1"] == 1


def test_names_are_those_of_topics(main, files):
    status, out, err = main("score", *files, *JOIN, "--metrics", "muc", "--per-document")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[2:3]] == ["36"]
    assert "join_documents" in main("score", *files, *JOIN)[1]


def test_a_document_whose_name_captures_nothing_stays(main, files):
    apart, _ = totals(main, *files, "--join-documents", "^nothing(x)")
    assert apart == totals(main, *files)[0]


def test_a_missing_document_of_a_topic_is_reported(main, files, tmp_path):
    response = tmp_path / "part.conll"
    response.write_text(conll({"36_2": RESPONSE["36_2"]}))
    figures, err = totals(main, files[0], response, *JOIN)
    assert "(36_1); part 000: the response is missing this document" in err
    # The mention of the document that is there is at the same place on both sides.
    assert figures["bcub"]["recall"] == pytest.approx((1 / 2) / 3)
    status, out, err = main("score", files[0], response, *JOIN, "--missing-documents", "error")
    assert (status, out) == (2, "")
    assert "missing this document" in err


def test_words_that_differ_are_reported(main, files, tmp_path):
    response = tmp_path / "other.conll"
    response.write_text(conll(RESPONSE).replace("w1", "v1", 1))
    assert "token 1 is 'v1'" in totals(main, files[0], response, *JOIN)[1]


def test_ids_of_json_lines_are_those_of_one_document():
    """They are places in a list, so the first cluster of two documents is not the same entity."""
    key = {"36_1": [[(0, 0), (1, 1)]], "36_2": [[(0, 0), (1, 1)]]}
    evaluation = scorer.score(key, key, metrics="muc", join_documents=r"(\d+)_")
    assert evaluation.totals["muc"][0].as_tuple() == (2, 2, 2, 2)
    assert evaluation.scored == 1


@st.composite
def corpora(draw):
    """Clusters of key and response in one to three documents."""
    sides = []
    number = draw(st.integers(1, 3))
    for _ in range(2):
        side = {}
        for document in range(number):
            owners = draw(st.lists(st.integers(0, 2), min_size=5, max_size=5))
            clusters = [
                [(place, place) for place, owner in enumerate(owners) if owner == cluster]
                for cluster in (1, 2)
            ]
            side[f"t_{document}"] = [cluster for cluster in clusters if cluster]
        sides.append(side)
    return sides


@given(corpora())
def test_without_shared_ids_counts_are_those_of_the_documents(sides):
    """MUC and B³ are sums over mentions and links, which do not change."""
    joined = scorer.score(*sides, metrics="muc,bcub", join_documents="(t)_")
    apart = scorer.score(*sides, metrics="muc,bcub")
    for metric in ("muc", "bcub"):
        expected = apart.totals[metric][0].as_tuple()
        assert joined.totals[metric][0].as_tuple() == pytest.approx(expected)


def test_a_perfect_response_is_perfect(main, files):
    figures, _ = totals(main, files[0], files[0], *JOIN)
    assert {name: row["f1"] for name, row in figures.items()} == {
        "muc": 1, "bcub": 1, "ceafe": 1, "conll": 1,
    }  # fmt: skip


def test_mentions_that_are_no_words_are_an_error():
    named = {"36_1": [["a", "b"]]}
    with pytest.raises(ConllError, match="is not made of words, so its document cannot be joined"):
        scorer.score(named, named, join_documents=r"(\d+)_")


def test_a_pattern_that_captures_nothing_is_a_warning(main, files):
    arguments = ["score", *files, "--join-documents", "zzz", "--metrics", "muc", "--strict"]
    status, out, err = main(*arguments)
    assert (status, out) == (1, "")
    assert "join_documents: 'zzz' captures nothing in the name of any document" in err
    assert len([line for line in err.splitlines() if "zzz" in line]) == 1
    assert main("score", *files, *JOIN, "--strict")[0] == 0


NOTE = "ids of clusters mean one document in {}, so clusters are not joined"


@pytest.mark.parametrize("form", ["jsonl", "crac_json", "corefud", "memory"])
def test_ids_of_one_document_are_not_joined_even_if_they_are_equal(form, tmp_path):
    """In one document the clusters of the response come in another order."""
    words = [["a", "b", "c"]]
    sides = []
    for side, clusters in (
        ("key", [[(0, 0), (1, 1)], [(2, 2)]]),
        ("response", [[(2, 2)], [(0, 0), (1, 1)]]),
    ):
        documents = [
            Document("t_1", clusters, words=words, labels=["1", "2"]),
            Document("t_2", [[(0, 0), (1, 1)], [(2, 2)]], words=words, labels=["1", "2"]),
        ]
        sides.append({document.name: document for document in documents})
        if form != "memory":
            write_documents(documents, tmp_path / side, form)
            sides[-1] = tmp_path / side
    evaluation = scorer.score(*sides, metrics="muc", join_documents="^(t)_")
    assert evaluation.totals["muc"][0].as_tuple() == (2, 2, 2, 2)


def test_a_note_says_which_side_has_ids_of_one_document(main, files, tmp_path):
    lines = tmp_path / "response.jsonl"
    assert main("convert", files[0], lines)[0] == 0
    _, err = totals(main, files[0], lines, *JOIN)
    assert err == f"note: {lines}: {NOTE.format('jsonl')}\n"


def test_clusters_by_id_are_joined_across_files(main, tmp_path):
    """The id is the same one in every file; documents are named after their files."""
    for side, ids in (("key", "ab"), ("response", "ba")):
        (tmp_path / side).mkdir()
        clusters = {ids[0]: [[0, 0]], "c": [[1, 1]]}
        (tmp_path / side / "t_1.json").write_text(json.dumps(clusters))
        (tmp_path / side / "t_2.json").write_text('{"a": [[0, 0]]}')
    arguments = ["--join-documents", "^(t)_", "--metrics", "muc"]
    sides = [tmp_path / "key", tmp_path / "response"]
    status, out, err = main("score", *sides, *arguments, "--format", "json")
    assert (status, err) == (0, "")
    muc = json.loads(out)["totals"]["muc"]
    # Key {1, 3}{2}, response {1}{3}{2}.
    assert [muc["recall_numerator"], muc["recall_denominator"]] == [0, 1]
    assert muc["precision_denominator"] == 0


def test_a_joined_document_begins_where_the_first_that_its_side_has_begins(files):
    """The response has 36_2 alone, in its sixth line as 37_1 is above it."""
    key, response = files
    response.write_text(conll({"37_1": ["-", "-"], "36_2": ["(2)", "-"]}))
    options = scorer.Options(join_documents=r"^\(?(\d+)_")
    sides = join_documents(open_documents(key), open_documents(response), options)
    places = [(side.read("36").path, side.read("36").line) for side in sides]
    assert places == [(str(key), 1), (str(response), 6)]
