"""`scorer.convert`: the files that `scorer convert` writes."""

from pathlib import Path

import pytest

import scorer
from conll import open_documents

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY = FIXTURES / "example.key.conll"
STORY = FIXTURES / "formats" / "story.corefud.conllu"


@pytest.mark.parametrize("source", [KEY, STORY])
def test_files_are_those_of_the_command(source, tmp_path, main):
    ours, theirs = tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"
    left_out = scorer.convert(source, ours, drop=True)
    status, _, err = main("convert", source, theirs, "--drop")
    assert status == 0
    assert ours.read_bytes() == theirs.read_bytes()
    warnings = [line for line in err.splitlines() if "; dropped in " in line]
    assert warnings == [f"warning: {sentence}" for sentence in left_out]
    with source.open("rb") as file:
        scorer.convert(file, ours, drop=True)
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_format_is_named_or_the_ending_names_it(tmp_path):
    assert scorer.convert(KEY, tmp_path / "key.txt", "jsonl") == []
    with pytest.raises(ValueError, match=r"the ending names no format of documents; name the for"):
        scorer.convert(KEY, tmp_path / "key.txt")


def test_drop_is_advised_only_if_it_helps(tmp_path):
    response = tmp_path / "response.json"
    response.write_text('{"type": "clusters", "clusters": {"a": [["x"], ["y"]]}}')
    with pytest.raises(scorer.ConllError, match=r"; use --drop to leave out what OUT cannot hold$"):
        scorer.convert(response, tmp_path / "response.conll")
    broken = tmp_path / "broken.conll"
    broken.write_text("#begin document (a); part 000\na\t0\t0\tx\t(1\n#end document\n")
    with pytest.raises(scorer.ConllError) as caught:
        scorer.convert(broken, tmp_path / "broken.jsonl")
    assert "--drop" not in str(caught.value)
    assert not (tmp_path / "broken.jsonl").exists()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"side": "nope"}, "side: 'nope' is not one of key, response"),
        ({"document_names": "zz"}, "document_names: 'zz' is not one of auto, exact"),
        ({"document_names": "exact"}, "document_names needs key; add it, or"),
    ],
)
def test_no_option_is_ignored(option, message, tmp_path):
    with pytest.raises(ValueError, match=f"^{message}"):
        scorer.convert(KEY, tmp_path / "key.jsonl", **option)
    assert not (tmp_path / "key.jsonl").exists()


def test_document_names_need_a_key(tmp_path, main):
    output = tmp_path / "key.jsonl"
    status, out, err = main("convert", KEY, output, "--document-names", "exact")
    assert (status, out) == (2, "")
    assert err == (
        "scorer convert: --document-names needs --key; add it, or leave --document-names out\n"
    )
    assert not output.exists()


def test_a_path_is_no_standard_output(tmp_path, monkeypatch):
    key = KEY.resolve()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="give a path"):
        scorer.convert(key, "-", "jsonl")
    assert list(tmp_path.iterdir()) == []


def test_brat_is_written_into_an_empty_folder_and_over_its_own_files(main, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for _ in range(2):
        status, _, err = main("convert", KEY, out, "--to", "brat")
        assert status == 0, err
        assert len([*out.iterdir()]) == 2 * len(open_documents(KEY))
    status, _, err = main("convert", out, out, "--to", "brat")
    assert (status, err.count("\n")) == (2, 1)
    assert "holds the input; name another folder to write" in err
    (out / "other.txt").write_text("Ada ran\n")
    status, _, err = main("convert", KEY, out, "--to", "brat")
    assert status == 2
    assert "the folder holds other files, such as other.txt" in err
