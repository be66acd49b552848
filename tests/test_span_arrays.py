"""Spans as arrays next to spans one by one: pairs, names, and everything that two commands say of arbitrary files."""

import json
import re
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import generator
import naive_spans
from conll.arrays import Cells
from conll.errors import ConllError
from conll.formats.conll2012.cells import LEAST, CellReader, _Fields
from conll.formats.conll2012.layers import COLUMNS
from conll.formats.conll2012.read import Conll2012Source
from conll.io.opening import open_documents
from conll.layers import names_in
from conll.names import names_at_once
from conll.wording import Wording
from engines import engine, limits
from scorer.engine import choice, stream
from scorer.run.muc7 import muc7_of_corpus
from scorer.run.score import WholeCorpus
from scorer.run.span_tally import _SpanTally
from scorer.run.spans import spans_of_corpus
from scorer.spans import array_counts, arrays
from scorer.spans.scores import SpanSettings
from strategies import drawn
from test_spans import EXAMPLES, sides


def columns(texts):
    rows = [(at, span.start, span.end, "xyz".index(span.label)) for at, spans in enumerate(texts) for span in spans]
    text, start, end, label = np.array(rows, np.int64).reshape(-1, 4).T
    return arrays.SpanColumns(text, start, end, label, np.zeros_like(text), np.zeros(len(text)))


@settings(max_examples=EXAMPLES)
@given(st.lists(sides(), min_size=1, max_size=3), st.booleans(), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from([0, 16]))
def test_pairs_are_those_of_the_definition(texts, within_label, share, dense):
    """`dense`: from how many overlaps a span on trees find the best."""
    expected, before = set(), [0, 0]
    for key, response in texts:
        spans = [[one[:3] for one in side] for side in (key, response)]
        for k, r, kind in naive_spans.pairs(*spans, within_label=within_label, share=share):
            expected.add((before[0] + k, before[1] + r, kind))
        before = [before[0] + len(key), before[1] + len(response)]
    on_line = arrays.lines(*(columns([both[side] for both in texts]) for side in (0, 1)))
    with patch.object(arrays, "DENSE", dense):
        found = arrays.pair(*on_line, within_label=within_label, share=share)
    kinds = ["CI"[not equal] + "SP"[not same] for equal, same in zip(found.equal.tolist(), found.coextensive.tolist())]
    assert sorted(zip(found.key.tolist(), found.response.tolist(), kinds)) == sorted(expected)


def test_places_that_are_too_large_for_a_number():
    """Where start times length does not fit into 63 bits."""
    text, start = np.zeros(3, np.int64), np.array([0, 5, 1 << 40])
    spans = arrays.SpanColumns(text, start, start + np.array([1 << 39, 2, 3]), text, text, np.zeros(3))
    found = arrays.pair(*arrays.lines(spans, spans))
    assert sorted(zip(found.key.tolist(), found.response.tolist())) == [(0, 0), (1, 1), (2, 2)]
    assert found.coextensive.all()


CELLS = ["*", "*", "(A*", "*)", "(B)", "*))", "(A(B*", "(A)(B)", ")(", "(", "x", "(A*)"]


@given(st.lists(st.lists(st.sampled_from(CELLS), max_size=12), max_size=4))
def test_names_of_many_documents(documents):
    texts = ["", *dict.fromkeys(cell for column in documents for cell in column)]
    rows = [(at, token, texts.index(cell)) for at, column in enumerate(documents) for token, cell in enumerate(column)]
    found = names_at_once(Cells(*np.array(rows, np.int32).reshape(-1, 3).T, texts))
    named = [(at, first, last, found.labels[label]) for at, first, last, label in zip(*(column.tolist() for column in found[:4]))]
    assert named == [(at, *name) for at, column in enumerate(documents) for name in names_in(column)]


# Files ---------------------------------------------------------------------------------------------------------------


def opened(folder, *names):
    """CoNLL-2012, unless their first bytes say that they are something else."""
    paths = [folder / name for name in names]
    others = [path.is_file() and path.read_bytes()[:10] in OTHER_HEADS for path in paths]
    return [open_documents(path, None if other else "conll2012") for path, other in zip(paths, others)]


def laid(folder, apart, **sides):
    """Write the sides down, those that are `apart` as directories with a file for each document or for several."""
    for side, content in sides.items():
        if side not in apart:
            (folder / side).write_bytes(content)
            continue
        (folder / side).mkdir()
        pieces = re.findall(b"(?s).+?(?:#end document\n|\\Z)", content)
        for at in range(0, len(pieces), apart[side]):
            (folder / side / f"{at:03d}").write_bytes(b"".join(pieces[at : at + apart[side]]))


OTHER_HEADS = (b'{"doc_key"', b"# global.E")


LAYERED = drawn(lambda draw: (generator.conll_pair(draw, [1, 2, 4, 7], layers=draw.random() < 0.9), limits(draw)))
"""The bytes of a key and of a response, mostly with all columns, and limits of the engine."""

LAID = st.just({}) | st.dictionaries(st.sampled_from(["key", "response", "other"]), st.integers(1, 3))
"""The sides that are directories, and how many documents each file holds at most."""


def words_in(wording):
    """The words of each document; None where they were not read."""
    ends, found = np.cumsum(wording.size), []
    assert len(wording.text) == wording.size.sum()
    words = [text.tobytes().decode("utf-8", "surrogateescape") for text in np.split(wording.text, ends)[:-1]]
    for count in wording.words.tolist():
        assert count >= -1
        found.append(words[:count] if count >= 0 else None)
        del words[: max(count, 0)]
    assert not words
    return found


@given(drawn_=LAYERED)
def test_cells_are_those_of_the_layers(drawn_):
    """What is not read at once is left to the layers, which is all of it where files are odd."""
    (content, _), bounds = drawn_
    source = Conll2012Source(BytesIO(content), "key")
    with engine("numpy", **bounds):
        scanner = source.scanner(source.names(), COLUMNS)
        while not scanner.finished:
            scanner.fill()
        pieces = scanner.take(scanner.documents)
    for at, (name, words) in enumerate(zip(pieces.names, words_in(pieces.wording))):
        if at in pieces.apart or name in scanner.irregular:
            assert not (words and at in pieces.apart)
            continue
        layers = source.layers(name)
        told = dict(layers.columns) if layers is not None else {}
        assert words == [word for sentence in layers.sentences for word in sentence] if words else not told
        for column, cells in pieces.cells.items():
            here = cells.document == at
            found = dict(zip(cells.token[here].tolist(), (cells.texts[code] for code in cells.code[here].tolist())))
            assert found == {token: cell for token, cell in enumerate(told.get(column, ())) if cell}
            assert bool(found) == (column in told)


def cells_at_once(text, chunk=4096, least=0):
    """By document what is read at once, as {column: {token: cell}}, words too; None where it must be read in another way."""
    found, names = [], []
    source = Conll2012Source(BytesIO(text), "key")
    with engine("numpy", CHUNK=chunk):
        scanner = source.scanner(None, COLUMNS)
        while not scanner.finished:
            scanner.fill()
            if scanner.documents < least and not scanner.finished:
                continue
            pieces = scanner.take(scanner.documents)
            told = [{"word": dict(enumerate(words))} if words else {} for words in words_in(pieces.wording)]
            for column, cells in pieces.cells.items():
                assert (cells.document.itemsize, cells.token.itemsize, cells.texts[0]) == (4, 4, "")
                for document, token, code in zip(cells.document.tolist(), cells.token.tolist(), cells.code.tolist()):
                    told[document].setdefault(column, {})[token] = cells.texts[code]
            found += [None if at in pieces.apart else one for at, one in enumerate(told)]
            names += pieces.names
    assert scanner._cells._fates == scanner._cells._tabs == []
    return dict(zip(names, found))


def cells_one_by_one(text):
    source = Conll2012Source(BytesIO(text), "key")
    columns = {name: dict(getattr(source.layers(name), "columns", {})) for name in source.names()}
    for name, of_one in columns.items():
        if of_one:
            of_one["word"] = [word for sentence in source.words(name) for word in sentence]
    return {
        name: {column: {token: cell for token, cell in enumerate(cells) if cell} for column, cells in of_one.items()}
        for name, of_one in columns.items()
    }


def row(*beside, word="w", number="0", after="-"):
    """A line of twelve columns: these, and a star for each that is not given."""
    return ["d", "0", number, word, *beside, *["*"] * (7 - len(beside)), after]


def of_rows(name, rows, separator):
    lines = [line if isinstance(line, str) else separator.join(line) for line in rows]
    return "".join(f"{line}\n" for line in [f"#begin document {name}", *lines, "#end document"]).encode("utf-8", "surrogateescape")


SHORT = row("N")[:-1]
APART = {
    "usual": ([row("N", "_", "?"), "", row("V", "-", "?"), row("*", "x", word="[WORD]")], "", ""),
    "more columns": ([row("N", "a", "b", "c", "d", "e", "f", "g"), [*row("N"), "x"]], "", ""),
    "few columns": ([SHORT], "", ""),
    "few columns first": ([SHORT, row("N")], "", ""),
    "few columns last": ([row("N"), row("V"), SHORT], "", ""),
    "few columns and fewer": ([row("N"), SHORT, SHORT[:-1]], "", ""),
    "few columns after more": ([row("N"), [*row("V"), "x"], SHORT], "", ""),
    "few columns before more": ([row("N"), SHORT, [*row("V"), "x"]], "", ""),
    "few columns and a blank": ([[*SHORT, ""]], "", ""),
    "few columns and wild bytes": ([[*SHORT[:-1], "\udcff"]], "", ""),
    "hardly a column": ([*[["w"]] * 4, ["w", "x"], ["w", "y"]], "TAB", ""),
    "few columns, then one": ([row("N"), SHORT, ["x"]], "", ""),
    "few columns, then many of one": ([row("N"), SHORT, *[["x"]] * 200], "", ""),
    "one column, then few": ([row("N"), ["x"], SHORT], "TAB", ""),
    "a number that reads like a word": ([row("N", number="[WORD]")], "", ""),
    "no word": ([row("N", word="[WORD]"), row("V")], "TAB space", ""),
    "an empty word": ([row("N", word="")], "TAB", "space"),
    "an empty cell": ([row("N"), row("N", "", "x")], "TAB", "space"),
    "an empty number": ([row("N", number="")], "", "space"),
    "an empty first column": ([["", *row("N")[1:]], row("V")], "", "space"),
    "white space of texts": ([row("N"), "\u3000"], "TAB space", ""),
    "white space in a cell": ([row("N", "\x1d")], "", "TAB space"),
    "wide white space in a cell": ([row("N", "\u3000x")], "space", "TAB"),
    "no white space in a cell": ([row("N", "\u3001x\u00e9")], "", ""),
    "cells of all lengths": ([row(*["ab"[: 1 + size % 2] * size, "é" * size, "x" * (67 - size)]) for size in range(1, 67)], "", ""),
}
"""Lines, for which separators their document is read in another way, and for which nothing is said."""


@pytest.mark.parametrize("chunk", [10, 60, 4096])
@pytest.mark.parametrize("separator", ["\t", " "], ids=["TAB", "space"])
@pytest.mark.parametrize("name", APART)
def test_which_documents_are_read_at_once(name, separator, chunk):
    """Between two that are, which no neighbour changes unless white space of texts stands in a file without TABs."""
    rows, apart, other = APART[name]
    kind = {"\t": "TAB", " ": "space"}[separator]
    usual = [row("N", "x", word="v")]
    text = b"".join(of_rows(*one, separator) for one in (("a", usual), ("b", rows), ("c", usual)))
    found, expected = cells_at_once(text, chunk), cells_one_by_one(text)
    if kind not in other:
        assert (found["b"] is None) == (kind in apart)
    assert found["b"] in (None, expected["b"])
    if chunk == 4096 and not (separator == " " and ("\u3000" in str(rows) or name.startswith(("white", "wide")))):
        assert (found["a"], found["c"]) == (expected["a"], expected["c"])
    assert cells_at_once(text, chunk, 3) == found


def test_white_space_of_texts_where_no_column_ends_with_a_space():
    """Of one byte, the lowest of all, in a stretch of lines alone."""
    usual = [row("N")] * 20
    assert cells_at_once(of_rows("a", [*usual, row("N", "x\x1cy"), *usual], "\f"), 60) == {"a": None}
    assert cells_at_once(of_rows("a", [*usual, row("N", "x\x1by"), *usual], "\f"), 60)["a"]["parse"] == {20: "x\x1by"}


def test_a_document_in_two_kinds_of_columns_is_read_in_another_way():
    rows = ["\t".join(row("N"))] * 3 + [" ".join(row("V"))] * 3
    for some in (rows, rows[::-1]):
        text = of_rows("a", some, "") + of_rows("b", [row("N")], "\t")
        assert cells_at_once(text, 90)["a"] is None
        assert cells_at_once(text, 90)["b"] == {"word": {0: "w"}, "pos": {0: "N"}}
    before = of_rows("b", [row("N")], "\t") + b"#begin document a\n" + "\t".join(row("N")).encode() + b"\n"
    assert cells_at_once(before + " ".join(row("N")).encode() + b"\n#end document\n", len(before))["a"] is None


def test_cells_that_differ_in_one_byte_are_told_apart(monkeypatch):
    cells = [
        f"{'x' * at}{sign}{'x' * (size - at - 1)}"
        for size in (1, 2, 7, 8, 9, 16, 17, 40, 63, 64, 65)
        for sign in "xyX"
        for at in range(size)
    ]
    text = b"".join(
        of_rows(name, [row(cell, cell[::-1], cell[:-1] + "z") for cell in some], "\t")
        for name, some in (("a", cells), ("b", cells[::2]))
    )
    expected = cells_one_by_one(text)
    assert cells_at_once(text, 1 << 18) == cells_at_once(text, 5000) == expected
    with monkeypatch.context() as patch_:
        patch_.setattr("conll.formats.conll2012.cells._FACTOR", np.uint64(0))
        assert cells_at_once(text, 5000) == expected
    # As if there were room for two, and two thirds of what is compared were the same.
    monkeypatch.setattr("conll.formats.conll2012.cells._SLOTS", 1)
    ends = [[row("s"), *(row(f"{at:016d}" + "x" * size) for at in range(first, 20, 2))] for first in (0, 1) for size in (48, 64)]
    text = b"".join(of_rows("abcd"[at], rows, "\t") for at, rows in enumerate(ends))
    assert cells_at_once(text, 1500) == cells_one_by_one(text)


def test_cells_that_were_met_lately_are_found_at_once(monkeypatch):
    """Whatever stands before them."""
    rows = [row("N", "x" * 9, "y" * 64), row("N" * 30, "z" * 8), row("V", "x" * 9, "yy")]
    first, again = of_rows("a", rows, "\t"), of_rows("b", [["d", *one[4:7], *one[4:]] for one in rows[::-1]], "\t")
    first += b"w" * len(again) + b"\n"
    source = Conll2012Source(BytesIO(first + again), "key")
    with engine("numpy", CHUNK=len(first)):
        scanner = source.scanner(None, ["pos", "parse", "lemma"])
        scanner.fill()
        monkeypatch.setattr("conll.formats.conll2012.cells._Column._one_by_one", None)
        while not scanner.finished:
            scanner.fill()
    assert len(scanner.take(2).cells["pos"].code) == 6


def said_of_spans(folder, given):
    """Everything that is scored and said, or the error."""
    asked = {name: value for name, value in given.items() if name != "against"}
    try:
        key, *responses = opened(folder, "key", "response", *["other"] * given["against"])
        scores = spans_of_corpus(*(WholeCorpus(key, response) for response in responses), settings=SpanSettings(**asked))
    except (ConllError, ValueError) as error:
        return str(error)
    changes = (scores.changes.counts, list(scores.changes)) if scores.changes is not None else None
    return scores.documents, scores.values, scores.cuts, changes, list(map(str, scores.problems))


def said_of_muc7(folder, given):
    try:
        scores = muc7_of_corpus(WholeCorpus(*opened(folder, "key", "response")), **given)
    except (ConllError, ValueError) as error:
        return str(error)
    return scores.documents, scores.sections, list(map(str, scores.problems))


ASKED = {
    "of": st.sampled_from(["mentions", "names"]),
    "within_label": st.booleans(),
    "min_overlap": st.sampled_from([0.0, 0.5]),
    "by": st.sampled_from([None, None, "label", "pos", "speaker", "lemma"]),
    "thresholds": st.sampled_from([None, None, "0.1", "0.05", "all"]),
    "score": st.just("sense"),
    "documents": st.sampled_from([None, None, None, "0", "d"]),
    "against": st.booleans(),
}
"""No lemma is ever there."""


@given(
    drawn_=LAYERED,
    other=drawn(lambda draw: generator.conll_pair(draw, [1, 2, 4, 7], layers=True)[1]),
    given_=st.fixed_dictionaries(ASKED),
    copied=st.sampled_from([1, 4_000_000]),
    apart=LAID,
)
def test_arrays_say_what_plain_python_says_of_spans(drawn_, other, given_, copied, apart, tmp_path_factory):
    (key, response), bounds = drawn_
    folder = tmp_path_factory.mktemp("spans")
    laid(folder, apart, key=key, response=response, other=other)
    with engine("plain"):
        plain = said_of_spans(folder, given_)
    with engine("numpy", **bounds), patch.object(array_counts, "COPIED", copied):
        assert said_of_spans(folder, given_) == plain


@pytest.mark.parametrize("name", ["plain", "numpy"])
def test_a_field_that_only_the_other_response_has_groups_nothing(name, tmp_path):
    """Groups are of key and response; the other one's columns say nothing of them."""
    for side, columns in (("key", 5), ("response", 5), ("other", 12)):
        cells = ["d", "0", "0", "word", "NN", *"-------"][: columns - 1]
        line = "\t".join([*cells, "(0)"])
        (tmp_path / side).write_text(f"#begin document (d); part 000\n{line}\n#end document\n")
    with engine(name):
        said = said_of_spans(tmp_path, {"by": "pos", "against": True})
    assert said.startswith("no word and no mention has a 'pos'")


@given(drawn_=LAYERED, partial=st.booleans(), section=ASKED["by"], documents=ASKED["documents"], apart=LAID)
def test_arrays_say_what_plain_python_says_of_muc7(drawn_, partial, section, documents, apart, tmp_path_factory):
    (key, response), bounds = drawn_
    folder = tmp_path_factory.mktemp("muc7")
    laid(folder, apart, key=key, response=response)
    given_ = {"partial": partial, "section": section, "documents": documents}
    with engine("plain"):
        plain = said_of_muc7(folder, given_)
    with engine("numpy", **bounds):
        assert said_of_muc7(folder, given_) == plain


def other_files(draw):
    """A key and two responses as JSON lines or CorefUD."""
    if draw.random() < 0.6:
        return generator.jsonl_files(draw, 3)
    pairs = generator.corefud_pair(draw), generator.corefud_pair(draw)
    return [generator.typed(draw, side) for side in (*pairs[0], pairs[1][1])]


OTHERS = drawn(lambda draw: (other_files(draw), limits(draw)))
FIELDS = st.sampled_from([None, None, "label", "pos", "speaker", "etype", "upos", "head", "lemma"])
"""Some are columns, some attributes, and `head` is both."""
OTHERS_ASKED = ASKED | {"by": FIELDS, "score": st.sampled_from(["confidence", "confidence", "head"])}


def written(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("spans")
    for side, content in zip(("key", "response", "other"), files):
        (folder / side).write_bytes(content)
    return folder


@given(drawn_=OTHERS, given_=st.fixed_dictionaries(OTHERS_ASKED))
def test_gathered_documents_say_what_plain_python_says_of_spans(drawn_, given_, tmp_path_factory):
    files, bounds = drawn_
    folder = written(tmp_path_factory, files)
    with engine("plain"):
        plain = said_of_spans(folder, given_)
    with engine("numpy", **bounds):
        assert said_of_spans(folder, given_) == plain


@given(drawn_=OTHERS, partial=st.booleans(), section=FIELDS, documents=ASKED["documents"])
def test_gathered_documents_say_what_plain_python_says_of_muc7(drawn_, partial, section, documents, tmp_path_factory):
    files, bounds = drawn_
    folder = written(tmp_path_factory, files)
    given_ = {"partial": partial, "section": section, "documents": documents}
    with engine("plain"):
        plain = said_of_muc7(folder, given_)
    with engine("numpy", **bounds):
        assert said_of_muc7(folder, given_) == plain


LINE = "d\t0\t{}\tw\t{}\t*\t-\t-\t0.5\t-\t{}\t{}\n"


@pytest.fixture
def pair(tmp_path):
    """Two documents of names and mentions, which differ between the sides."""
    for side, name in (("key", "(A)"), ("response", "(B)")):
        lines = [LINE.format(at, "NN", name if at % 2 else "*", f"({at % 3})" if at != len(side) else "-") for at in range(10)]
        documents = [f"#begin document ({document}); part 000\n{''.join(lines)}#end document\n" for document in "ab"]
        (tmp_path / side).write_text("".join(documents))
    return tmp_path


WAYS = [
    {},
    {"of": "names", "within_label": True, "min_overlap": 0.5},
    {"by": "pos", "documents": "a"},
    {"of": "names", "by": "label"},
    {"thresholds": "all", "score": "sense"},
    {"against": True},
]


@pytest.mark.parametrize(
    "apart", [{}, {"key": 1, "response": 1, "other": 1}, {"response": 2}], ids=["files", "folders", "one folder"]
)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_document_of_a_large_file_is_read_alone(way, apart, pair, monkeypatch):
    """None of these ways makes an object of each mention."""
    contents = {side: (pair / side).read_bytes() for side in ("key", "response")}
    for side in contents:
        (pair / side).unlink()
    laid(pair, apart, **contents, other=contents["response"].replace(b"(1)", b"-"))
    monkeypatch.setattr(choice, "LARGE", 0)
    monkeypatch.setattr("scorer.run.score.WholeCorpus.pair", None)
    documents, *_ = said_of_spans(pair, {"against": False} | way)
    assert sum(counts.key for counts in documents.values()) > 0
    if not way:
        assert said_of_muc7(pair, {"section": "pos"})[0]["(a); part 000"].slots["A", "type"] == (0, 0, 5, 0, 0, 0)


FIXTURES = Path(__file__).parent.parent / "fixtures"
JSONL = FIXTURES / "spans" / "key.jsonl", FIXTURES / "spans" / "response.jsonl"
STORY = (FIXTURES / "formats" / "story.corefud.conllu",) * 2
OTHER_WAYS = [
    *((JSONL, way, 5) for way in ({}, {"by": "pos"}, {"thresholds": "all"}, {"by": "etype"})),
    (JSONL, {"of": "names"}, 3),
    *((STORY, way, 6) for way in ({}, {"by": "upos"}, {"by": "etype"})),
    (STORY, {"of": "names", "by": "label"}, 5),
]
"""With how many key spans there are: of the story, two mentions have no word, and one more no type."""


@pytest.mark.parametrize(("files", "way", "spans"), OTHER_WAYS, ids=str)
def test_no_span_of_many_documents_is_an_object(files, way, spans, monkeypatch):
    """In any format: spans one by one are for few mentions, and for what numpy cannot count."""
    monkeypatch.setattr(choice, "LARGE", 0)
    monkeypatch.setattr("scorer.run.document_spans.SpanLists.spans", None)
    corpus = WholeCorpus(*map(open_documents, files))
    assert spans_of_corpus(corpus, settings=SpanSettings(**way)).total.key == spans
    assert muc7_of_corpus(corpus).total.slots["", "mention"].possible == (5 if files is JSONL else 6)


@pytest.mark.parametrize("blank", ["\t", " \t "])
@pytest.mark.parametrize("chunk", [1, 60, 1 << 20])
def test_a_tab_on_a_blank_line_separates_columns(chunk, blank, tmp_path):
    """Wherever a stretch of a file ends: between TABs, the line of the one document is one column, with no name in it."""
    line = "d 0 0 word NN * - - 0.0 Ada (PERSON) -\n"
    for side in ("key", "response"):
        documents = [f"#begin document ({name})\n{line}{end}\n#end document\n" for name, end in (("a", blank), ("b", " "))]
        (tmp_path / side).write_text("".join(documents))
    with engine("plain"):
        plain = said_of_spans(tmp_path, {"of": "names", "against": False})
    with engine("numpy", CHUNK=chunk):
        assert said_of_spans(tmp_path, {"of": "names", "against": False}) == plain
    assert [one.key for one in plain[0].values()] == [0, 1]


@pytest.mark.parametrize("name", [[1, 0, "X"], [-1, 0, "X"], [0, 1 << 70, "X"]], ids=str)
def test_names_that_are_no_spans_are_left_to_plain_python(name, tmp_path):
    for side in ("key", "response"):
        value = {"doc_key": "d", "sentences": [["a", "b"]], "clusters": [[[0, 0]]], "names": [name, [0, 1, "Y"]]}
        (tmp_path / side).write_text(json.dumps(value))
    with engine("plain"):
        plain = said_of_spans(tmp_path, {"of": "names", "against": False})
    with engine("numpy"):
        assert said_of_spans(tmp_path, {"of": "names", "against": False}) == plain
    assert plain[0]["d"].kinds.correct_strict == 2


@pytest.mark.parametrize("batch", [1, 3, 50_000])
def test_documents_are_counted_as_soon_as_there_are_enough(batch, tmp_path, monkeypatch):
    """What waits is bounded; each of these documents has two mentions, one on each side."""
    for side, last in (("key", 0), ("response", 1)):
        lines = [{"doc_key": f"d{at}", "tokens": ["a", "b"], "clusters": [[[0, last]]]} for at in range(6)]
        (tmp_path / side).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    monkeypatch.setattr(choice, "LARGE", 0)
    monkeypatch.setattr(stream, "BATCH", batch)
    most = []
    monkeypatch.setattr(_SpanTally, "add", lambda tally, one, add=_SpanTally.add: [most.append(len(one.names)), add(tally, one)])
    counts, *_ = said_of_spans(tmp_path, {"against": False})
    assert {name: one.kinds for name, one in counts.items()} == {f"d{at}": (0, 1, 0, 0) for at in range(6)}
    assert max(most) == {1: 1, 3: 2, 50_000: 6}[batch]


WORDINGS = st.lists(st.one_of(st.none(), st.lists(st.text("ab", max_size=3), max_size=4)), min_size=3, max_size=3)


@given(WORDINGS, WORDINGS)
def test_documents_of_the_same_words(one, other):
    """None: their words were not read."""
    wordings = []
    for documents in (one, other):
        words = [word for document in documents for word in document or ()]
        counts = [-1 if document is None else len(document) for document in documents]
        text = np.frombuffer("".join(words).encode(), np.uint8)
        wordings.append(Wording(np.array(counts), np.array(list(map(len, words)), np.int64), text))
    expected = [at for at, words in enumerate(one) if words is not None and words == other[at]]
    assert wordings[0].alike(wordings[1]) == expected


def test_cells_that_mix_to_one_number_are_told_apart(pair, monkeypatch):
    """As if all cells did."""
    [source] = opened(pair, "key")
    expected = source.layers("(a); part 000").columns["name"]
    monkeypatch.setattr("conll.formats.conll2012.cells._FACTOR", np.uint64(0))
    scanner = source.scanner(None, ["name"])
    while not scanner.finished:
        scanner.fill()
    cells = scanner.take(1).cells["name"]
    assert {token: cells.texts[code] for token, code in zip(cells.token.tolist(), cells.code.tolist())} == {
        token: cell for token, cell in enumerate(expected) if cell
    }


def test_a_reader_without_lines_has_no_cells():
    reader = CellReader(["pos"])
    none = np.empty(0, np.int64)
    reader.add(bytearray(b"\n" * 64), np.full(64, 10, np.uint8), (none, none), none, none, 1)
    apart, cells, _ = reader.take(1)
    assert (apart, len(cells["pos"].code)) == ([], 0)


def test_tabs_before_the_first_line_are_none_of_its_columns():
    """As many as a line must have, on a blank line above it."""
    text = np.frombuffer(b"\t" * (LEAST - 1) + b"\nw\n", np.uint8)
    begin = LEAST
    assert _Fields.between_tabs(text, np.array([begin]), np.array([begin + 1])).enough.tolist() == [False]
