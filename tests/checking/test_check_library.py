"""`scorer.check`: the problems that `scorer check` lists."""

import json
import os
from pathlib import Path
from threading import Thread

import pytest

import scorer

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"


@pytest.fixture
def broken(tmp_path):
    """A response without one document, and with a bracket that nothing closes."""
    begin, end = "#begin document (example/letter); part 000", "#end document"
    path = tmp_path / "broken.conll"
    path.write_text(f"{begin}\nexample/letter\t0\t0\tDear\t(1\n\n{end}\n")
    return path


@pytest.mark.parametrize("each", [False, True])
def test_findings_are_those_of_the_command(broken, each, main):
    findings = scorer.check(KEY, broken, each=each)
    option = ["--each"] if each else []
    status, out, _ = main("check", *option, KEY, broken, "--format", "json")
    assert (status, json.loads(out)["problems"]) == (1, [found.to_dict() for found in findings])
    lines = main("check", *option, KEY, broken)[1].splitlines()
    assert lines == [str(found) for found in findings]
    assert any(found.kind == "error" and found.line == 2 for found in findings)
    assert any(found.kind == "missing" for found in findings) != each


def test_sound_files_have_none_and_nothing_is_ignored():
    assert scorer.check(KEY) == scorer.check(KEY, str(RESPONSE)) == []
    with pytest.raises(ValueError, match="response_format needs a key and a response"):
        scorer.check(KEY, response_format="jsonl")
    with pytest.raises(ValueError, match="document_names: 'zz' is not one of auto, exact"):
        scorer.check(KEY, RESPONSE, document_names="zz")
    with pytest.raises(TypeError, match="give at least one file"):
        scorer.check()
    with pytest.raises(OSError, match="No such file"):
        scorer.check("nowhere.conll")


@pytest.mark.linux
def test_a_pipe_is_read_once(main, tmp_path):
    """As in `scorer check key.conll <(zcat response.conll.gz)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = (FIXTURES / "example.response.conll").read_text().replace("London", "Paris", 1)
    writer = Thread(target=pipe.write_text, args=[text])
    writer.start()
    status, out, err = main("check", FIXTURES / "example.key.conll", pipe)
    writer.join(10)
    assert (status, err) == (1, "1 problem found\n")
    assert f"{pipe}:" in out
    assert "'Paris'" in out


@pytest.mark.linux
def test_a_pipe_in_a_folder_is_refused(main, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "key.conll").write_text((FIXTURES / "example.key.conll").read_text())
    for command in (["score", tmp_path, tmp_path], ["check", tmp_path]):
        status, out, err = main(*command)
        assert status in (1, 2)
        assert f"{tmp_path / 'pipe'}: this is not a regular file; take it out" in out + err
