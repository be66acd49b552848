"""Documents whose names differ by a known convention are joined, and no others."""

import json
from pathlib import Path

import pytest

import scorer
from conll import open_documents
from conll.joining import JoinedSource, join_names, joined, words_agree
from conll.source import DerivedSource, RenamedSource, Source, place_of
from scorer.inputs.sources import MemorySource
from sources import lines_of

JOIN = Path(__file__).parents[2] / "fixtures" / "join"
CONLL = "#begin document {}\nd 0 0 A (0)\nd 0 1 B (0)\n#end document\n"


def pairs(key, response, **options):
    return dict(join_names(key, response, lambda *_: True, **options).pairs)


# Names


@pytest.mark.parametrize(
    ("mapping", "key", "response"),
    [
        ("NAME_N", "(bc/x); part 000", "bc/x_0"),
        ("NAME_N", "(bc/x_1); part 012", "bc/x_1_12"),
        ("NAME_N", "(bc/x); part 0", "bc/x_00"),
        ("NAME", "(bc/x); part 000", "bc/x"),
        # By NAME_N there is no pair, as 1 is not 0.
        ("NAME", "(bc/x_1); part 000", "bc/x_1"),
        ("path", "nw/wsj/wsj_0020", "wsj_0020"),
        ("path", "C:\\texts\\a", "a"),
        ("ending", "doc1.txt", "doc1"),
        ("ending", "doc1.CONLLU", "doc1"),
        ("path-and-ending", "texts/doc1.xml", "doc1"),
        ("file-name", "(bc/x); part 000", "bc_x_part_000"),
    ],
)
def test_one_side_reads_as_the_other(mapping, key, response):
    for sides in ((key, response), (response, key)):
        joining = join_names(*([side] for side in sides), lambda *_: True)
        assert (joining.mapping, dict(joining.pairs)) == (mapping, {sides[0]: sides[1]})


@pytest.mark.parametrize(
    ("key", "response"),
    [
        ("v1.2", "v1.3"),
        ("bc/x_0000", "nw/x_0000"),
        ("a/doc.txt", "b/doc.txt"),
        ("doc.txt", "doc.conll"),
        ("(bc/x); part 000", "bc/x_1"),
        ("(bc/x); part 000", "(bc/x); part 001"),
        ("(bc/x); part 000", "x_0"),
        ("36_1ecb", "36_1"),
        ("wsj_0020", "wsj_0021"),
        ("1", "2"),
    ],
)
def test_others_never_meet(key, response):
    assert pairs([key], [response]) == pairs([response], [key]) == {}


def test_every_name_of_the_smaller_side_has_a_pair_of_its_own():
    key = ["(a); part 000", "(a); part 001", "(b); part 000"]
    assert pairs(key, ["a_1"]) == {"(a); part 001": "a_1"}
    assert pairs(key, ["a_1", "c_0"]) == {}
    assert pairs(key, [*(f"c_{n}" for n in range(9)), "b_0", "a_1", "a_0"]) == {
        "(a); part 000": "a_0",
        "(a); part 001": "a_1",
        "(b); part 000": "b_0",
    }
    # `a` may be either part.
    assert pairs(key, ["a"]) == pairs(key, ["a", "b"]) == {}
    assert pairs(key, ["b"]) == {"(b); part 000": "b"}
    # Two names that are one number.
    assert pairs(["(a); part 000"], ["a_0", "a_00"]) == {}
    assert pairs(["x/a", "y/a"], ["a"]) == pairs(["a"], ["x/a", "y/a"]) == {}


def test_only_documents_are_a_pair_where_that_is_said():
    assert pairs(["annotator1"], ["annotator2"]) == {}
    assert pairs(["annotator1"], ["annotator2"], are_only=True) == {"annotator1": "annotator2"}


def test_numbers_of_any_length():
    number = "9" * 5000
    assert pairs([f"(a); part {number}"], [f"a_0{number}"])


def test_a_mapping_whose_words_disagree_is_not_used():
    agree = {("(a); part 000", "a_0"): True, ("(b); part 000", "b_0"): False}
    names = [list(side) for side in zip(*agree)]
    joining = join_names(*names, lambda *pair: agree[pair])
    assert not joining.pairs
    assert joining.reason == (
        "'b_0' is '(b); part 000' by its name, but under half of their words agree"
    )


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("a b c d e f", True),
        # Half of them, at the same places.
        ("a b c x y z", True),
        ("a b x y z w", False),
        # Behind a word that is missing.
        ("b c d e f", True),
        ("x x x a b c d e f", True),
        ("x x x x x x x x x a b c d e f", False),
        ("a b", False),
        ("", True),
        (None, True),
    ],
)
def test_words_agree(response, expected):
    key = [*"abcdef"]
    response = response.split() if response is not None else None
    assert words_agree(key, response) == words_agree(response, key) == expected


# Sources


def test_equal_names_are_left_alone():
    """One name that is equal shows that the two are called alike."""
    key = MemorySource({"(a); part 000": [["x"]], "(b); part 000": [["x"]]}, "key")
    response = MemorySource({"(a); part 000": [["x"]], "b_0": [["x"]]}, "response")
    assert joined(key, response) is response


def test_a_joined_source_answers_by_the_names_of_the_key():
    """Each method of a source gives the same by the new name as the response by its own."""
    key = open_documents(JOIN / "two-documents.conll")
    own = open_documents(JOIN / "e2e-names.jsonl")
    source = joined(key, own)
    assert isinstance(source, JoinedSource)
    assert source.names() == key.names()
    for name, other in zip(source.names(), own.names()):
        document, as_own = source.read(name), own.read(other)
        assert document.name == name
        assert (document.clusters, document.line) == (as_own.clusters, as_own.line)
        assert document.words == document.layers().sentences == as_own.words
        assert place_of(source, name).line == document.line == as_own.line > 0
        assert lines_of(document, {0}) == lines_of(as_own, {0})
        assert document.content.extent() == as_own.content.extent() > 0
        assert document.fields == as_own.fields
        assert document.antecedents == as_own.antecedents
        assert document.repairs == as_own.repairs
        assert document.names is None
    assert source.read("bn/doc_00_0") is None
    assert place_of(source, "bn/doc_00_0").line == 0
    assert source.files() == [own]
    assert b"".join(source.chunks()) == b"".join(own.chunks())
    assert [str(problem) for problem in source.problems()] == [
        f"{own.path}: matched 'bn/doc_00_0' with '(bn/doc_00); part 000' and 1 more"
    ]


def test_no_method_of_a_source_is_left_out():
    """A method that `RenamedSource` inherits would be asked about a name that no file has."""
    methods = {name for name, member in vars(Source).items() if callable(member)}
    methods = {name for name in methods if not name.startswith("__")}
    # Renaming the documents once more renames them here.
    own = {"as_response", "chunks", "files", "names", "problems", "read", "_place"}
    assert methods == own | {"_named_after"}
    assert own <= vars(RenamedSource).keys() | vars(DerivedSource).keys()


def test_documents_of_a_folder(tmp_path):
    """a has its file, b is the file's second document, c is only in the response."""
    folder = tmp_path / "response"
    folder.mkdir()
    line = json.dumps(
        {"doc_key": "{}_0", "sentences": [["A", "B"]], "clusters": [[[0, 0], [1, 1]]]}
    )
    (folder / "one.jsonl").write_text(line.replace("{}", "b") + "\n" + line.replace("{}", "c"))
    (folder / "two.jsonl").write_text(line.replace("{}", "a"))
    (tmp_path / "key.conll").write_text("".join(map(CONLL.format, ["(a); part 0", "(b); part 0"])))
    key, own = open_documents(tmp_path / "key.conll"), open_documents(folder)
    source = joined(key, own)
    assert source.names() == ["(b); part 0", "c_0", "(a); part 0"]
    document = source.read("(b); part 0")
    assert (document.path, document.line) == (str(folder / "one.jsonl"), 1)
    evaluation = scorer.score(tmp_path / "key.conll", folder, metrics="muc")
    assert evaluation.ratios("muc").f1 == 1
    assert [problem.kind for problem in evaluation.problems] == ["note", "extra"]
    assert evaluation.problems[1].document == "c_0"


def test_clusters_in_memory():
    evaluation = scorer.score({"(a); part 000": [["x", "y"]]}, {"a_0": [["x", "y"]]}, metrics="muc")
    assert evaluation.ratios("muc").f1 == 1
    with pytest.raises(scorer.ConllError, match="share no document"):
        scorer.score({"a": [["x", "y"]]}, {"b": [["x", "y"]]})
    # Without documents, there is nothing to join.
    assert scorer.score({"a": [["x", "y"]]}, {}, metrics="muc").ratios("muc").f1 == 0


# Commands

E2E = JOIN / "e2e.conll", JOIN / "e2e.jsonl"
TWO = JOIN / "two-documents.conll", JOIN / "e2e-names.jsonl"
ANNOTATORS = tuple(JOIN / "two-annotators" / f"annotator{n}.tsv" for n in (1, 2))
NOTES = {
    E2E: "matched 'bc/x_0' with '(bc/x); part 000'",
    TWO: "matched 'bn/doc_00_0' with '(bn/doc_00); part 000' and 1 more",
    ANNOTATORS: "matched 'annotator2' with 'annotator1'",
}
MAPPINGS = {E2E: "NAME_N", TWO: "NAME_N", ANNOTATORS: "only-document"}


@pytest.mark.parametrize("files", NOTES, ids=lambda files: files[1].name)
def test_score(files, main):
    note = f"note: {files[1]}: {NOTES[files]}\n"
    status, out, err = main("score", *files, "--metrics", "conll", "--format", "json", "--strict")
    result = json.loads(out)
    assert (status, result["totals"]["conll"]["f1"]) == (0, 1)
    assert err.startswith(note)
    assert result["signature"]["response"]["joined"] == MAPPINGS[files]
    assert f":joined-by-{MAPPINGS[files]}" in main("score", *files)[1]
    status, out, err = main("score", *files, "--document-names", "exact")
    assert (status, out, "share no document" in err) == (2, "", True)


def test_every_command_joins(main, tmp_path):
    note = f"{TWO[1]}: {NOTES[TWO]}"
    for command in ("compare", "errors", "spans", "muc7", "check", "show"):
        status, out, err = main(command, *TWO)
        assert (status, f"note: {note}" in out + err) == (0, True)
        status, out, err = main(command, *TWO, "--document-names", "exact")
        # Of check, errors are the result.
        assert (status, "share no document" in out + err) == (1 if command == "check" else 2, True)
    assert f"note: e2e-names: {note}\n" in main("leaderboard", *TWO)[2]
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(f"key,response\n{TWO[0]},{TWO[1]}\n")
    status, out, _ = main("batch", manifest, "--metrics", "conll", "--format", "json")
    assert (status, json.loads(out)["rows"][0]["f1"]) == (0, 1)
    assert "NAME_N" in json.loads(out)["rows"][0]["signature"]


def test_convert_writes_the_names_of_a_key_alone(main):
    def names(*arguments):
        out = main("convert", TWO[1], "-", "--to", "jsonl", *arguments)[1]
        return [json.loads(line)["doc_key"] for line in out.splitlines()]

    assert names() == ["bn/doc_00_0", "bn/doc_01_0"]
    assert names("--key", TWO[0]) == ["(bn/doc_00); part 000", "(bn/doc_01); part 000"]


def test_files_of_one_document_with_names_of_their_own_are_no_pair(main, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.conll").write_text(CONLL.format(name))
    assert main("score", tmp_path / "a.conll", tmp_path / "b.conll")[0] == 2
    # One of the two is called by its place.
    (tmp_path / "c.conll").write_text("d 0 0 A (0)\nd 0 1 B (0)\n")
    for files in (("a", "c"), ("c", "a")):
        paths = [tmp_path / f"{name}.conll" for name in files]
        status, out, _ = main("score", *paths, "--metrics", "muc")
        assert (status, "1 / 1" in out) == (0, True)
    # But not in a folder, where others may belong to it.
    (tmp_path / "folder").mkdir()
    (tmp_path / "c.conll").rename(tmp_path / "folder" / "c.conll")
    assert main("score", tmp_path / "a.conll", tmp_path / "folder")[0] == 2


def test_another_text_is_not_joined(main, tmp_path):
    path = tmp_path / "response.jsonl"
    path.write_text(
        '{"doc_key": "bc/x_0", "sentences": [["C", "D"]], "clusters": [[[0, 0], [1, 1]]]}'
    )
    status, out, err = main("score", E2E[0], path)
    reason = "'bc/x_0' is '(bc/x); part 000' by its name, but under half of their words agree"
    assert (status, out) == (2, "")
    assert err.endswith(f"the response has 'bc/x_0'; {reason}; name them alike\n")


def test_text_of_a_model_is_joined_before_its_order_counts(main, tmp_path):
    """In the other order, the words of each text would be those of the other document."""
    path = tmp_path / "output.jsonl"
    texts = {"b_0": "[Grace](#2) saw [her](#2) .", "a_0": "[Ada](#1) met [herself](#1) ."}
    lines = (json.dumps({"doc_key": name, "output": text}) for name, text in texts.items())
    path.write_text("\n".join(lines))
    words = {"a": "Ada met herself .", "b": "Grace saw her ."}
    key = tmp_path / "key.jsonl"
    documents = (
        {
            "doc_key": f"({name}); part 000",
            "sentences": [text.split()],
            "clusters": [[[0, 0], [2, 2]]],
        }
        for name, text in words.items()
    )
    key.write_text("\n".join(map(json.dumps, documents)))
    status, out, err = main("score", key, path, "--metrics", "muc", "--response-format", "markdown")
    assert (status, "2 / 2" in out) == (0, True), err


def test_large_files_of_equal_names_are_not_indexed(monkeypatch, tmp_path):
    """An index of a large file takes as long as its figures."""
    from conll.formats import conll2012

    monkeypatch.setattr(conll2012, "CHUNK", 40)
    for name in ("key", "response"):
        (tmp_path / name).write_text("".join(map(CONLL.format, "abc")))
    key, response = open_documents(tmp_path / "key"), open_documents(tmp_path / "response")
    assert joined(key, response) is response
    assert key._by_name is None
    assert response._by_name is None


def test_a_summary_says_that_nothing_is_in_both(main, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.conll").write_text(CONLL.format(name))
    status, out, err = main("check", tmp_path / "a.conll", tmp_path / "b.conll", "--summary")
    assert (status, out.count("conll2012"), "share no document" in err) == (1, 2, True)
    # Each document has 4 mentions, and all match.
    assert "8 / 8 of the key" in main("check", *TWO, "--summary")[1]
    assert main("check", *TWO, "--summary", "--document-names", "exact")[0] == 1


def test_an_equal_name_leaves_others_alone_but_the_warning_says_what_they_may_be(main, tmp_path):
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, names in zip(paths, (["(a); part 000", "(b); part 000"], ["(a); part 000", "b_0"])):
        path.write_text("".join(CONLL.format(name) for name in names))
    for command in ("score", "check"):
        _, out, err = main(command, *paths)
        [line] = [line for line in (out + err).splitlines() if "document b_0" in line]
        assert line.endswith("if it is '(b); part 000', name them alike")


def test_mentions_in_documents_that_the_key_lacks_are_mentions(main, tmp_path):
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    empty = '{"doc_key":"a","clusters":[]}\n'
    key.write_text(empty + '{"doc_key":"b","clusters":[[[0,0],[1,1]]]}\n')
    response.write_text(empty + '{"doc_key":"c","clusters":[[[0,0],[1,1]]]}\n')
    _, _, err = main("score", key, response, "--metrics", "mentions")
    assert "has no mention" not in err
    assert "document c: the key is missing this document; it is not scored" in err
    response.write_text(empty + '{"doc_key":"c","clusters":[]}\n')
    _, _, err = main("score", key, response, "--metrics", "mentions")
    assert "the response has no mention in any document" in err
