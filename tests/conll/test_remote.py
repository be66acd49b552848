"""Files at URLs: in memory, on a loopback server, and what goes wrong on the way."""

import csv
import gc
import gzip
import time
from io import StringIO
from pathlib import Path

import fsspec
import pytest

import scorer
from conll import ConllError, archives, open_documents, remote
from scorer.jobs import isolation
from web import serving

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
KEY, RESPONSE = (FIXTURES / "documentation" / f"{side}.conll" for side in ("key", "response"))
SLOW = "the server sent nothing for 1 seconds, or not all within 3600; run again, or download the file first"


@pytest.fixture
def web():
    with serving() as server:
        yield server


@pytest.fixture
def memory():
    """A function that puts a file there and gives its URL."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]

    def put(name, content):
        system.pipe_file(f"/{name}", content)
        return f"memory://{name}"

    yield put
    system.store.clear()


def check(source, path, content):
    plain = open_documents(path)
    assert source.names() == plain.names()
    assert source.format == plain.format
    assert source.size == plain.size
    for name in plain.names():
        assert source.read(name).clusters == plain.read(name).clusters
        assert source.read(name).words == plain.read(name).words
        assert source.read(name).line == plain.read(name).line
    assert b"".join(source.chunks()) == content


@pytest.mark.parametrize(
    ("most", "lengths", "packed"),
    [(1 << 20, True, False), (64, True, True), (64, False, False), (1 << 20, False, True)],
)
def test_a_file_of_the_web(most, lengths, packed, web, monkeypatch):
    """In memory, or where it is longer in a temporary file, whether or not the server says its
    size."""
    monkeypatch.setattr(archives, "ONE_OF_MANY", most)
    web.lengths = lengths
    content = KEY.read_bytes()
    web.files["/key.conll"] = gzip.compress(content) if packed else content
    check(open_documents(f"{web.url}/key.conll"), KEY, content)


def test_other_protocols(memory):
    """A file is fetched when it is opened, and changes no more."""
    source = open_documents(memory("key.conll", KEY.read_bytes()))
    memory("key.conll", b"")
    assert source.path == "memory://key.conll"
    check(source, KEY, KEY.read_bytes())
    check(open_documents(KEY.as_uri()), KEY, KEY.read_bytes())


def test_a_directory(memory):
    for name in ("b/one.conll", "a.conll", ".hidden", "c/.git/x"):
        memory(
            f"all/{name}",
            KEY.read_bytes().replace(b"#begin document (", f"#begin document ({name}".encode()),
        )
    source = open_documents("memory://all")
    assert [one.path for one in source.files()] == [
        "memory://all/a.conll",
        "memory://all/b/one.conll",
    ]
    assert len(source.names()) == 2 * len(open_documents(KEY).names())


def test_folders_in_a_directory_of_the_web(web):
    """Each file and each folder once, however often it is linked to.

    Hidden ones are not gone into.
    """
    pages = {
        "": ["sub/", "sub/deep/", ".git/", "../all/", "a.conll"],
        "sub/": ["deep/", "b.conll", "b.conll"],
        "sub/deep/": ["c.conll"],
    }
    for page, links in pages.items():
        web.files[f"/all/{page}"] = "".join(
            f'<a href="{link}">{link}</a>' for link in links
        ).encode()
    for path in ("a.conll", "sub/b.conll", "sub/deep/c.conll"):
        web.files[f"/all/{path}"] = KEY.read_bytes()
    assert remote.files_at(f"{web.url}/all/") == [
        f"{web.url}/all/{path}" for path in ("a.conll", "sub/b.conll", "sub/deep/c.conll")
    ]


def test_a_folder_in_a_directory_of_the_web_that_does_not_come(web, main, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 1)
    web.files["/all/"] = b'<a href="sub/">sub</a>'
    web.files["/all/sub/"] = b"a page"
    web.stalled.add("/all/sub/")
    assert refusal(main, KEY, f"{web.url}/all/") == f"{web.url}/all/sub/: {SLOW}"


def test_the_commands_take_urls(memory, web, main):
    key = memory("key.conll", KEY.read_bytes())
    web.files["/response.conll"] = RESPONSE.read_bytes()
    response = f"{web.url}/response.conll"
    assert main("score", key, response) == main("score", KEY, RESPONSE)
    assert scorer.score(key, response).to_dict() == scorer.score(KEY, RESPONSE).to_dict()
    assert main("check", key, response) == (0, "", f"{key}, {response}: no problems\n")
    assert main("convert", key, "-", "--to", "jsonl") == main("convert", KEY, "-", "--to", "jsonl")


@pytest.mark.linux
def test_a_leaderboard_and_a_manifest_of_urls(web, main):
    web.files["/ours.conll"] = RESPONSE.read_bytes()
    web.files["/key.conll"] = KEY.read_bytes()
    web.files["/m.csv"] = b"system,key,response\nours,key.conll,ours.conll\n"
    ours = f"{web.url}/ours.conll"
    status, out, _ = main("leaderboard", KEY, ours, KEY, "--format", "csv", "--metrics", "conll")
    assert status == 0
    assert ",ours," in out
    status, out, _ = main("batch", f"{web.url}/m.csv", "--format", "csv", "--metrics", "muc")
    assert status == 0
    assert f",{scorer.score(KEY, RESPONSE).ratios('muc').f1}," in out


@pytest.mark.linux
def test_a_batch_of_urls_is_kept_until_a_file_changes(memory, web, main, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("scorer.batches.rows.__version__", "0.1.0")
    key, response = (
        (FIXTURES / f"example.{side}.conll").read_bytes() for side in ("key", "response")
    )
    web.files["/key.conll"] = key
    (tmp_path / "m.csv").write_text(
        f"key,response\n{web.url}/key.conll,{memory('run/ours.conll', response)}\n"
    )
    command = ("batch", "m.csv", "--metrics", "muc", "--keep", "kept", "--format", "csv")

    def figures(expected):
        status, out, err = main(*command)
        summary = err.splitlines()[-1]
        assert (status, summary) == (0, f"scorer batch: 1 row: {expected}, 0 failed")
        [row] = [one for one in csv.DictReader(StringIO(out)) if one["section"] == "rows"]
        return row["system"], row["recall_numerator"], row["recall_denominator"]

    assert figures("1 scored") == ("ours", "5", "7")
    assert figures("0 scored, 1 taken over") == ("ours", "5", "7")
    memory("run/ours.conll", key)
    assert figures("1 scored") == ("ours", "7", "7")


@pytest.mark.linux
def test_a_forked_process_leaves_the_connections_of_its_parent_alone(web, monkeypatch):
    """The next request goes out on the connection that the last one has left open."""
    monkeypatch.setattr(remote, "PATIENCE", 40)
    url = f"{web.url}/key.conll"
    web.files["/key.conll"] = KEY.read_bytes()
    size = sum(map(len, remote.fetched(url)))

    def again(_):
        found = sum(map(len, remote.fetched(url)))
        gc.collect()
        return found

    [(_, outcome)] = isolation.run(again, [1])
    begun = time.monotonic()
    assert sum(map(len, remote.fetched(url))) == size == outcome.value
    assert time.monotonic() - begun < 30


def refusal(main, *arguments):
    status, out, err = main("score", *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err.rstrip("\n")


@pytest.mark.usefixtures("memory")
def test_urls_that_cannot_be_read(web, main):
    web.status.update({"/forbidden": 403, "/broken": 500})
    with serving() as gone:
        refused = f"{gone.url}/key.conll"
    for url, said in (
        ("memory://none", "there is no such file"),
        (f"{web.url}/none.conll", "there is no such file"),
        (f"{web.url}/forbidden", "the server answers 403 "),
        (f"{web.url}/broken", "the server answers 500 "),
        (refused, "cannot be fetched (Cannot connect to host 127.0.0.1:"),
        ("gopher://host/key.conll", "Protocol not known: gopher"),
    ):
        assert refusal(main, KEY, url).startswith(f"{url}: {said}")


def test_a_file_that_is_cut_off_on_its_way(web, main):
    web.files["/key.conll"] = KEY.read_bytes()
    web.cut = 50
    url = f"{web.url}/key.conll"
    size = len(KEY.read_bytes())
    assert (
        refusal(main, url, KEY)
        == f"{url}: only 50 of {size} bytes arrived; run again, or download the file first"
    )


@pytest.mark.parametrize(
    ("stalls", "lengths"), [("before", True), ("within", True), ("within", False)]
)
def test_a_server_that_stalls(stalls, lengths, web, main, monkeypatch):
    monkeypatch.setattr(remote, "PATIENCE", 1)
    web.files["/key.conll"] = KEY.read_bytes()
    web.stalls, web.lengths = stalls, lengths
    url = f"{web.url}/key.conll"
    assert refusal(main, url, KEY) == f"{url}: {SLOW}"


def test_a_file_that_is_too_large(web, memory):
    """By what the server says, or by what comes."""
    content = KEY.read_bytes()
    web.files["/key.conll"] = content
    for url, lengths in (
        (f"{web.url}/key.conll", True),
        (f"{web.url}/key.conll", False),
        (memory("key.conll", content), True),
    ):
        web.lengths = lengths
        assert open_documents(url, limit=len(content)).names()
        with pytest.raises(
            ConllError, match=f"this is more than {len(content) - 1} bytes, the size limit"
        ):
            open_documents(url, limit=len(content) - 1)
