"""What other systems and other programs do otherwise, simulated one by one: encodings, drives,
handlers of signals."""

import io
import os
import signal
import sys
from pathlib import Path

import pytest

from conll.paths import files_below
from scorer import codabench
from scorer.analysis.page import href
from scorer.cli import console
from scorer.cli.main import main
from scorer.inputs.sources import names_of

FIXTURES = Path(__file__).parent.parent / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1252"])
@pytest.mark.parametrize("command", ["muc7", "show"])
def test_help_is_shown_whatever_the_system_has_for_text(encoding, command, monkeypatch):
    """Windows writes the text of pipes in an old encoding, which lacks characters of the help."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help-all"])
    said = out.buffer.getvalue().decode("utf-8")
    assert said.startswith(f"usage: scorer {command}")
    assert not said.isascii()


def test_files_are_in_the_same_order_whatever_stands_between_folders(tmp_path, monkeypatch):
    """As text, `a/b` is before `a0` and `a\\b` behind it."""
    (tmp_path / "a").mkdir()
    for name in ("a/b", "a0"):
        (tmp_path / name).touch()
    found = [os.path.relpath(path, tmp_path) for path in files_below(str(tmp_path))]
    (tmp_path / "a" / "b").unlink()
    (tmp_path / "a").rmdir()
    (tmp_path / "a\\b").touch()
    monkeypatch.setattr(os, "sep", "\\")
    assert found == ["a/b", "a0"]
    assert [path[len(str(tmp_path)) + 1 :] for path in files_below(str(tmp_path))] == ["a\\b", "a0"]


@pytest.fixture
def drives(monkeypatch):
    """Two drives, between which no path leads."""

    def refuse(*_):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", refuse)
    monkeypatch.setattr(os.path, "commonpath", refuse)


@pytest.mark.usefixtures("drives")
def test_a_page_on_another_drive_is_linked_as_a_whole(tmp_path):
    assert href(str(tmp_path / "a b.html"), None) == (tmp_path / "a b.html").as_uri()


@pytest.mark.usefixtures("drives")
def test_a_bundle_is_written_to_another_drive_than_that_of_the_key(tmp_path):
    codabench.write_bundle(str(tmp_path / "bundle"), ["muc"], [], KEY)
    assert (tmp_path / "bundle" / "competition.yaml").exists()


def test_names_come_from_paths_of_windows(monkeypatch):
    import ntpath

    monkeypatch.setattr("scorer.inputs.sources.os", type("os", (), {"path": ntpath, "sep": "\\"}))
    monkeypatch.setattr(ntpath, "isdir", lambda _: False)
    paths = ["C:\\runs\\1\\out.conll", "C:/runs/2/out.conll", "D:\\x.jsonl.gz"]
    assert names_of(paths, ["D:\\x.jsonl.gz=base"]) == ["1/out", "2/out", "base"]


def test_a_handler_that_is_not_of_python_stays(monkeypatch, capsys):
    """A program that has Python in it may have its own.

    Python says None of it and takes None for no handler.
    """
    monkeypatch.setattr(signal, "getsignal", lambda _: None)
    set_handlers = []
    monkeypatch.setattr(signal, "signal", lambda *arguments: set_handlers.append(arguments))
    assert main(["metrics"]) == 0
    assert "muc" in capsys.readouterr().out
    assert not set_handlers


@pytest.mark.posix
def test_after_the_pager_an_interrupt_does_what_it_did(monkeypatch):
    monkeypatch.setattr(console, "_is_terminal", lambda: True)
    monkeypatch.setenv("PAGER", "cat >/dev/null")
    before = signal.getsignal(signal.SIGINT)
    console.show_in_pager(["a line"], pager=True)
    assert signal.getsignal(signal.SIGINT) is before
