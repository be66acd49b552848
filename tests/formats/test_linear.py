"""Readers take time that grows with the file, whatever it holds: each of these would take a minute,
or for ever, otherwise."""

import io
import json
import time

import pytest

from conll import open_documents, write_documents
from conll.columns import kind_of
from scorer.checking.check import check_files


def opened(text, form=None):
    return open_documents(io.BytesIO(text.encode()), form)


MANY = 10_000
"""What Python goes through one by one, at some ten million a second: its square takes longer than
there is time."""
LONG = 300_000
"""What is gone through without Python, a hundred times as fast."""


pytestmark = pytest.mark.clock


@pytest.fixture(autouse=True)
def _in_time():
    """In seconds of this process, which hardly depend on what else runs: half of one is enough."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 4


@pytest.mark.parametrize(
    "cell",
    ["(" + "a" * LONG, "(abcde)" * MANY + "(", "(a" * MANY, "a|" * MANY, "1" * LONG + "("],
    ids=["one id", "many ids", "starts", "bars", "digits"],
)
def test_a_cell_is_taken_apart_in_one_pass(cell):
    kind_of(f"#begin document a\n1\tw\t{cell}\n#end document\n".encode())
    for form in ("conll", "conll2012", "semeval2010"):
        opened(f"#begin document a\n1\tw\t{cell}\n", form).read("a")


def test_many_lines_of_json_lines_that_are_wrong(tmp_path):
    (tmp_path / "wrong.jsonl").write_text("{bad}\n" * 2 * MANY)
    found = check_files([(str(tmp_path / "wrong.jsonl"), None)])
    assert [problem.line for problem in found] == list(range(1, 2 * MANY + 1))


@pytest.mark.parametrize("name", ["", "m{0}"])
def test_many_open_markables(name):
    begin = "".join(
        f"{number} w (EntityID={number}|MarkableID=m{number}\n" for number in range(1, MANY // 2)
    )
    end = "".join(
        f"{MANY // 2 - 1 + number} w {name.format(number)})\n" for number in range(1, MANY // 2)
    )
    document = opened(f"# global.columns = ID FORM IDENTITY\n# newdoc id = a\n{begin}{end}\n").read(
        "a"
    )
    last = MANY // 2 - 1
    first = (0, last) if name else (0, 2 * last - 1)
    assert (len(document.clusters), document.clusters[0]) == (last, [first])


@pytest.mark.parametrize(
    "line",
    [
        " document" * LONG,
        "#" + " document" * LONG,
        "# end document" * LONG,
        "#x" + "end document" * LONG,
    ],
    ids=["words", "a comment", "ends", "no end"],
)
def test_a_line_of_megabytes_that_looks_like_the_first_or_the_last_of_documents(line):
    from conll.conll2012_scan import NotSequentialError, scan

    begin = "#begin document a\na\t0\t0\tw\t(3)\n"
    for before in (begin, "#begin document "):
        source = opened(f"{before}{line}\n{begin}#end document\n", "conll2012")
        assert source.names()[-1] == "a"
        assert source.read("a").clusters == [[(0, 0)]]
        scanner = scan(source)
        try:
            while not scanner.finished:
                scanner.fill()
        except NotSequentialError:
            continue


def as_long_as_the_text(tokens):
    """A document of mentions each of which goes on to its end."""
    clusters = [[[at, tokens - 1]] for at in range(tokens)]
    return {"doc_key": "a", "tokens": ["w"] * tokens, "clusters": clusters}


def test_mentions_as_long_as_the_text_are_written_by_their_ends(tmp_path):
    document = opened(json.dumps(as_long_as_the_text(MANY))).read("a")
    write_documents([document], tmp_path / "a.conllu")
    assert open_documents(tmp_path / "a.conllu").read("a").clusters == document.clusters
