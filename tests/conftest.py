"""Settings of the whole suite."""

import os
import sys

import pytest
from hypothesis import settings

# A shared machine stalls now and then, which says nothing about the code.
# Examples are drawn anew in each run, but in CI, which must not fail on one day and pass on the next.
settings.register_profile("suite", deadline=None, max_examples=100, derandomize="CI" in os.environ)
settings.load_profile("suite")


@pytest.fixture(autouse=True)
def _close_files(monkeypatch):
    """`open_source` leaves its file open until the process ends, which is soon, but here it counts as a leak."""
    files = []

    def open_and_note(*arguments):
        files.append(open(*arguments))  # noqa: SIM115  closed below
        return files[-1]

    monkeypatch.setattr("conll.source.open", open_and_note, raising=False)
    yield
    for file in files:
        file.close()


@pytest.fixture
def main(capfdbinary, monkeypatch):
    """Exit status, stdout and stderr of the command `scorer`, in this process, which is quicker than another one."""

    def call(*arguments):
        from scorer import cli, perl

        monkeypatch.setattr(sys, "argv", ["scorer", *map(str, arguments)])
        try:
            status = perl.run(cli.main)
        except SystemExit as leaving:
            status = leaving.code
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return call
