"""Names as tags of words: IOB, IOB2 and IOBES, read leniently, and strictly by a scheme."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll import ConllError, formats, open_documents
from conll.columns import SCHEMES, lenient_names, strict_names
from sources import lines_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROWS = [*map(json.loads, (FIXTURES / "golden" / "seqeval.jsonl").read_text("utf-8").splitlines())]
NAMED = [row for row in ROWS if "names" in row]
SCORED = [row for row in ROWS if "f1" in row]
STORY = [(0, 1, "PER"), (9, 9, "LOC")]


@pytest.mark.parametrize("row", NAMED, ids=lambda row: " ".join(row["tags"]))
def test_names_are_those_of_seqeval(row):
    tags, scheme = row["tags"], row["scheme"]
    names = lenient_names(tags) if scheme is None else strict_names(tags, scheme)
    assert [[*name] for name in names] == row["names"]


@pytest.mark.parametrize("row", SCORED, ids=lambda row: str(row["scheme"]))
def test_figures_are_those_of_seqeval(row, tmp_path):
    for side in ("key", "response"):
        sentences = ["".join(f"w {tag}\n" for tag in tags) for tags in row[side]]
        (tmp_path / side).write_text("\n".join(sentences))
    scores = scorer.score_spans(
        tmp_path / "key", tmp_path / "response", of="names", scheme=row["scheme"],
        key_format="iob", response_format="iob",
    )  # fmt: skip
    strict = scores.measures()["strict"]
    assert [strict.recall, strict.precision, strict.f] == pytest.approx(
        [row[name] for name in ("recall", "precision", "f1")]
    )


@pytest.mark.parametrize("name", ["story.iob2", "story.iobes"])
def test_a_file(name):
    source = open_documents(FIXTURES / "formats" / name)
    assert (source.format, source.names()) == ("iob", ["1", "2"])
    assert source.read("1").words[1] == ["They", "smiled", "in", "London"]
    assert source.read("1").layers().names == STORY
    assert source.read("2").layers().names == []
    document = source.read("1")
    assert (document.clusters, document.tokens) == ([], 10)
    assert lines_of(source.read("1"), {6}) == {6: 10 if name == "story.iob2" else 8}
    assert source.read("3") is None


def test_names_do_not_go_on_in_the_next_sentence(tmp_path):
    path = tmp_path / "a"
    path.write_text("a B-X\n\nb I-X\n")
    assert open_documents(path).read("1").layers().names == [(0, 0, "X"), (1, 1, "X")]


def test_schemes_of_key_and_response_may_differ(main):
    """IOB2 against IOBES, leniently; mentions are none of these."""
    paths = FIXTURES / "formats" / "story.iob2", FIXTURES / "formats" / "story.iobes"
    assert scorer.score_spans(*paths, of="names").measures()["strict"].f == 1
    status, _, err = main("spans", *paths)
    assert (status, err) == (
        2,
        f"scorer spans: {paths[0]} has names and no mentions; add --of names\n",
    )


def test_both_sides_in_one_file(main):
    """conlleval.pl prints precision 33.33, recall 50.00, FB1 40.00."""
    path = FIXTURES / "layouts" / "conlleval.txt"
    for response_format in ("iob", "conlleval", None):
        scores = scorer.score_spans(
            path, path, of="names", key_format="conlleval", response_format=response_format
        )
        counts = scores.total
        assert (counts.key, counts.response, counts.kinds.correct_strict) == (2, 3, 1)
    status, _, err = main("spans", path, path, "--key-format", "conlleval")
    assert (status, err) == (
        2,
        f"scorer spans: {path} has names and no mentions; add --of names\n",
    )
    with pytest.raises(ConllError, match="in the last but one column, O or B-PER"):
        open_documents(FIXTURES / "layouts" / "names-a.iob", "conlleval")


def test_types_before_letters_are_refused_with_the_right_form():
    with pytest.raises(ConllError, match="of a tag comes before its letter; write B-PER, not"):
        open_documents(FIXTURES / "layouts" / "suffix.iob")


def test_a_scheme_lacks_a_tag(main):
    key, response = FIXTURES / "formats" / "story.iob2", FIXTURES / "formats" / "story.iobes"
    status, out, err = main("spans", key, response, "--of", "names", "--scheme", "iob2")
    problem = f"{response}:2: document 1: the scheme iob2 has no tag E-PER; leave out --scheme\n"
    assert (status, out, err) == (2, "", problem)
    jsonl = FIXTURES / "spans" / "key.jsonl"
    status, _, err = main("spans", jsonl, jsonl, "--of", "names", "--scheme", "iob2")
    assert (status, err) == (
        2,
        f"scorer spans: scheme: {jsonl} has no column of tags, as the format iob has\n",
    )


@pytest.mark.parametrize("settings", [{"scheme": "iob2"}, {"scheme": "iob", "of": "names"}])
def test_impossible_schemes(settings):
    with pytest.raises(ValueError, match=r"^scheme: "):
        scorer.score_spans([[(0, 0)]], [[(0, 0)]], **settings)


def test_a_scheme_reads_tags_of_json_lines_too(tmp_path):
    value = {"doc_key": "d", "sentences": [["a", "b"], ["c"]], "clusters": []}
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    key.write_text(json.dumps(value | {"tag": [["B-X", "I-X"], ["O"]]}))
    response.write_text(json.dumps(value | {"tag": [["B-X", "I-X"], ["I-X"]]}))
    scores = scorer.score_spans(key, response, of="names", scheme="iob2")
    assert (scores.total.key, scores.total.response) == (1, 1)


def test_names_are_kept_where_there_is_a_place_for_them(main):
    path = FIXTURES / "formats" / "story.iob2"
    _, out, _ = main("convert", path, "-", "--to", "jsonl")
    first, second = map(json.loads, out.splitlines())
    assert [tuple(name) for name in first["names"]] == STORY
    assert "names" not in second
    _, out, _ = main("convert", path, "-", "--to", "conll2012")
    assert "(PER*\t-\n" in out
    assert "(LOC*)\t-\n" in out


@pytest.mark.parametrize(
    ("text", "is_iob"),
    [
        (b"Ada B-PER\n", True),
        (b"Ada NNP O\nmet VBD O\n", True),
        (b"Ada O", False),
        (b"Ada B-PER\nmet\n", False),
        (b"Ada met Bob\nShe smiled O\n", False),
        (b"\n\n", False),
    ],
)
def test_the_content_tells_the_format(text, is_iob):
    assert formats.get("iob").sniff(text) == is_iob


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"a O\nb B-X\nc\n", "3: the line has no word and tag; write a word and"),
        (b"-DOCSTART- O\na O\nb\xe9 O\n", "3: byte 2 of the line is not UTF-8"),
        (b"a O\n\n-DOCSTART- O\n\nb X-PER\n", "5: the line has no word and tag"),
    ],
)
def test_what_is_wrong_with_a_line(tmp_path, text, problem):
    path = tmp_path / "a"
    path.write_bytes(text)
    with pytest.raises(ConllError) as caught:
        open_documents(path, "iob")
    assert str(caught.value).startswith(f"{path}:{problem}")


TAGS = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=8)


@given(TAGS)
def test_both_ways_read_what_fits_the_scheme_alike(tags):
    """What iob2 takes for a name, the lenient way does, unless a name before goes on with it."""
    fits = all(
        tag[0] != "I" or (before != "O" and before[1:] == tag[1:])
        for before, tag in zip(["O", *tags], tags)
    )
    strict = strict_names(tags, "iob2")
    assert {*strict} <= {*lenient_names(tags)}
    assert not fits or strict == lenient_names(tags)


@given(st.sampled_from(sorted(SCHEMES)), st.data())
def test_names_of_a_scheme_do_not_overlap(scheme, data):
    letters = SCHEMES[scheme][0]
    tags = data.draw(st.lists(st.sampled_from([f"{a}-{b}" for a in letters for b in "XY"])))
    tags = ["O" if tag[0] == "O" else tag for tag in tags]
    names = strict_names(tags, scheme)
    assert all(first[1] < second[0] for first, second in pairwise(names))


def test_a_type_before_the_letter_is_named(tmp_path, main):
    path = tmp_path / "suffix.iob"
    path.write_text("Ada NNP PER-B\nleft VBD O\n")
    words = ("--of", "names", "--key-format", "iob", "--response-format", "iob")
    status, _, err = main("spans", path, path, *words)
    advice = "the type comes before the letter in 'PER-B'; write B-PER"
    assert (status, err) == (2, f"{path}:1: the line has no word and tag; {advice}\n")
