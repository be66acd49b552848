"""Documents without a name, called by the paths of their files in a folder."""

import io
import json
import shutil
from pathlib import Path

import pytest

from conll import open_documents
from conll.io import reopening

JOIN = Path(__file__).parents[2] / "fixtures" / "join"
COLUMNS = "a\t(1)\nb\t(1)\n"
CONLLU = "# global.Entity = eid\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)\n\n"
ANAPHORA = "# global.columns = ID FORM IDENTITY\n1\ta\t(EntityID=1)\n\n"
TSV = (
    "#FORMAT=WebAnno TSV 3.3\n#T_CH=x.Link|referenceRelation\n\n\n#Text=a\n1-1\t0-1\ta\t*->1-1\t\n"
)
FILES = {
    "conll": COLUMNS,
    "corefud": CONLLU,
    "universalanaphora": ANAPHORA,
    "jsonl": '{"clusters": [[[0, 0]]]}\n',
    "json": '{"1": [[0, 0]]}',
    "csv": "cluster,start,end\n1,0,0\n",
    "crac_json": '[{"tokens": ["a"], "clusters_token_offsets": [[[0, 0]]]}]',
    "strings": '[["a"]]',
    "crac": "a|[1]\n",
    "webanno": TSV,
}


def write(folder, files):
    """Write files, by their paths in the folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, "utf-8")


def names_in(folder):
    """The names of the documents, each of which is read and has one mention."""
    source = open_documents(folder)
    for name in source.names():
        document = source.read(name)
        assert document.name == name
        assert source.read(name).line == document.line > 0
        assert len(document.clusters) == 1
    assert {*source.names()} == source.unnamed
    return source.names()


@pytest.mark.parametrize("form", FILES)
def test_each_file_is_a_document_called_by_its_path(form, tmp_path):
    write(tmp_path / "in", dict.fromkeys(["a.txt", "sub/a.txt", "sub/b.txt"], FILES[form]))
    source = open_documents(tmp_path / "in")
    assert source.format == form
    assert source.problems() == [] or all("same name" not in str(p) for p in source.problems())
    assert names_in(tmp_path / "in") == ["a", "sub/a", "sub/b"]
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "in")
    assert names_in(archive) == ["a", "sub/a", "sub/b"]
    assert names_in(f"{tmp_path / 'in'}/") == ["a", "sub/a", "sub/b"]
    # A file alone is called as before.
    alone = open_documents(tmp_path / "in" / "sub" / "b.txt")
    assert alone.names() == [
        "1" if form in ("conll", "corefud", "universalanaphora", "jsonl", "json") else "b"
    ]


def test_a_name_in_the_file_stays(tmp_path):
    named = '{"doc_key": "x", "clusters": []}\n'
    write(tmp_path, {"a.jsonl": named, "b.jsonl": '{"clusters": []}\n' * 2, "c.conllu": CONLLU})
    source = open_documents(tmp_path)
    assert source.names() == ["x", "b/1", "b/2", "c"]
    assert source.unnamed == {"b/1", "b/2", "c"}


def test_endings_are_kept_where_paths_would_be_the_same(tmp_path):
    write(tmp_path, dict.fromkeys(["v1.2", "v1.3", "w.conll"], COLUMNS))
    assert names_in(tmp_path) == ["v1.2", "v1.3", "w"]


def test_the_ending_of_a_compressed_file_is_none_of_its_name(tmp_path):
    import gzip

    (tmp_path / "a.conll.gz").write_bytes(gzip.compress(COLUMNS.encode()))
    assert names_in(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["annotation/d1.txt/u.tsv", "annotation/d2.txt/u.tsv"], ["d1.txt", "d2.txt"]),
        (["d1.txt/u.tsv", "d2.txt/u.tsv"], ["d1.txt", "d2.txt"]),
        (["annotation/d1.txt/u.tsv"], ["d1.txt"]),
        (["p/a/d1/u.tsv", "p/b/d1/u.tsv"], ["a/d1", "b/d1"]),
        # Files of two users, and files in no folder, are called by their own paths.
        (["p/d1/u.tsv", "p/d1/v.tsv", "p/d2/u.tsv"], ["p/d1/u", "p/d1/v", "p/d2/u"]),
        (["d1.tsv", "d2.tsv"], ["d1", "d2"]),
    ],
)
def test_a_project_is_called_by_what_differs(paths, names, tmp_path):
    write(tmp_path, dict.fromkeys(paths, TSV))
    assert names_in(tmp_path) == names


def test_another_process_has_the_same_names(tmp_path):
    write(tmp_path / "in", dict.fromkeys(["a.conll", "sub/a.conll"], COLUMNS))
    folder = open_documents(tmp_path / "in")
    assert reopening(folder)().names() == ["a", "sub/a"]
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "in"))
    stream = open_documents(io.BytesIO(packed.read_bytes()), name="x.zip")
    assert stream.names() == reopening(stream)().names() == ["a", "sub/a"]


def test_folders_without_names_are_scored_document_by_document(main):
    folder = JOIN / "folder-without-names"
    options = ["--metrics", "muc,bcub", "--per-document", "--format", "json"]
    status, out, _ = main("score", folder / "kd", folder / "rd", *options)
    assert status == 0
    result = json.loads(out)
    documents = {row["name"]: row["metrics"] for row in result["documents"]}
    assert [*documents] == ["d1", "d2"]
    counts = {
        name: [metrics["muc"][f"{side}_{part}"] for side in ("recall", "precision") for part in ("numerator", "denominator")]
        for name, metrics in documents.items()
    }  # fmt: skip
    assert counts == {"d1": [1, 1, 1, 1], "d2": [0, 2, 0, 0]}


def test_two_annotators_of_a_project_are_scored_against_each_other(main):
    sides = JOIN / "inception-first", JOIN / "inception-second"
    status, out, _ = main("score", *sides, "--metrics", "mentions", "--format", "json")
    assert status == 0
    mentions = json.loads(out)["totals"]["mentions"]
    assert [mentions["recall_numerator"], mentions["recall_denominator"]] == [8, 8]


def test_folders_of_a_single_file_are_like_the_files(main, tmp_path):
    write(tmp_path, {"key/gold.conll": COLUMNS, "response/out.conll": COLUMNS})
    status, out, err = main("score", tmp_path / "key", tmp_path / "response", "--metrics", "muc")
    assert status == 0
    assert "matched 'out' with 'gold'" in err
    assert "100.00" in out


def test_documents_of_equal_names_in_folders_are_called_by_their_folders_too(tmp_path):
    for folder in ("one", "two"):
        write(tmp_path / folder, {"gold.txt": "Ada\n", "gold.ann": "T1\tM 0 3\tAda\n"})
    assert open_documents(tmp_path).names() == ["one/gold", "two/gold"]
