"""Several documents in any format: written and read again, they are scored as before.

`make fuzz` tries new ones.
"""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import scorer
from conll import ConllError, Document, formats, open_documents, write_documents
from conll.convert import Reduction
from strategies import examples

METRICS = "muc,bcub,ceafe,mentions"

WRITTEN = [
    name
    for name in formats.names()
    if formats.get(name).write is not None or formats.get(name).write_folder is not None
]
NUMBERED = {"crac", "strings"}
"""Formats that number documents."""
KEYS = [name for name in WRITTEN if name != "strings"]
"""Formats with the words of a key."""
RESPONSES = [name for name in WRITTEN if name != "headword"]
"""Formats of whole mentions."""
SHARED = {"conll2012"}
"""Formats whose ids mean the same in every document."""


@st.composite
def corpora(draw, *choices):
    """Draw a key and a response of the same documents, as (name, words, clusters with ids)."""
    key, response = [], []
    for name in draw(st.sampled_from(choices))[: draw(st.integers(2, 3))]:
        tokens = draw(st.integers(1, 6))
        words = [f"{name}{token}" for token in range(tokens)]
        for side in (key, response):
            side.append((name, words, draw(clusters(tokens))))
    return key, response


@st.composite
def clusters(draw, tokens):
    """Draw clusters by their ids, of mentions that are nested or apart."""
    pairs = [(first, first + 1) for first in range(0, tokens - 1, 2)]
    mentions = [*((token, token) for token in range(tokens)), *pairs]
    drawn = {}
    for mention in mentions:
        label = draw(st.sampled_from([None, "0", "1", "2"]))
        if label is not None:
            drawn.setdefault(label, []).append(mention)
    return drawn


def written(path, side, form):
    """Write a side in a format; None where that cannot hold it."""
    documents = [
        Document(name, list(drawn.values()), words=[words], labels=list(drawn))
        for name, words, drawn in side
    ]
    try:
        write_documents(documents, path, form)
    except ConllError as error:
        note(error)
        return None
    note(path.read_text() if path.is_file() else sorted(path.iterdir()))
    return path


def counts_of(key, response, key_form, response_form):
    evaluation = scorer.score(
        key, response, metrics=METRICS, key_format=key_form, response_format=response_form
    )
    counts = []
    for [counted] in evaluation.totals.values():
        counts += counted.as_tuple()
    return counts


@pytest.mark.parametrize("form", WRITTEN)
@examples(0.4)
@given(sides=corpora("123", "abc"), other=st.sampled_from(WRITTEN))
def test_converted_documents_are_scored_as_before(form, sides, other, tmp_path_factory):
    """The key, the response or both are converted."""
    folder = tmp_path_factory.mktemp("several")
    key, response = (
        written(folder / name, side, "jsonl") for name, side in zip(("key", "response"), sides)
    )
    expected = counts_of(key, response, None, None)
    for key_form, response_form in ((form, "jsonl"), ("jsonl", form), (form, other)):
        if key_form not in KEYS or response_form not in RESPONSES:
            continue
        if key_form in NUMBERED and sides[0][0][0] != "1":
            continue
        converted_key = written(folder / f"{key_form}-{response_form}-key", sides[0], key_form)
        converted = written(folder / f"{key_form}-{response_form}", sides[1], response_form)
        if converted_key is not None and converted is not None:
            counts = counts_of(converted_key, converted, key_form, response_form)
            assert counts == pytest.approx(expected)


@pytest.mark.parametrize("form", [name for name in KEYS if name not in NUMBERED])
@examples(0.4)
@given(sides=corpora(["d1", "d2", "d3"]), draw=st.data())
def test_the_order_of_clusters_does_not_matter_to_joined_documents(
    form, sides, draw, tmp_path_factory
):
    """A perfect response is perfect: clusters become one on both sides or on neither."""
    alike = [name for name in RESPONSES if (name in SHARED) == (form in SHARED)]
    response_form = draw.draw(st.sampled_from(alike))
    key, response = sides[0], []
    for name, words, drawn in key:
        labels = draw.draw(st.permutations(list(drawn)))
        response.append((name, words, {label: drawn[label][::-1] for label in labels}))
    folder = tmp_path_factory.mktemp("joined")
    key_path = written(folder / "key", key, form)
    response_path = written(folder / "response", response, response_form)
    if key_path is None or response_path is None:
        return
    evaluation = scorer.score(
        key_path,
        response_path,
        metrics=METRICS,
        key_format=form,
        response_format=response_form,
        join_documents="d",
    )
    assert evaluation.scored == 1
    for [counted] in evaluation.totals.values():
        in_key, of_key, in_response, of_response = counted.as_tuple()
        assert (in_key, in_response) == pytest.approx((of_key, of_response))


def test_marked_lines_without_a_key_are_documents(main, tmp_path):
    """Equal ids of two documents are two entities; the figures are those of the JSON lines."""
    key = tmp_path / "key.jsonl"
    key.write_text(
        '{"doc_key": "a", "sentences": [["Ada", "met", "Bo", "She"]], "clusters": [[[0, 0], [3, 3]]]}\n'
        '{"doc_key": "b", "sentences": [["Cy", "saw", "Di", "He"]], "clusters": [[[0, 0], [3, 3]]]}\n'
    )
    lines, other = tmp_path / "lines.md", tmp_path / "other.md"
    lines.write_text("[Ada](#0) met Bo [She](#0)\n[Cy](#0) saw Di [He](#0)\n")
    other.write_text("[Ada](#0) met [Bo](#1) [She](#1)\n[Cy](#0) saw [Di](#1) [He](#0)\n")
    converted = tmp_path / "converted.md"
    assert main("convert", key, converted, "--to", "markdown")[::2] == (0, "")
    assert converted.read_text() == (
        '{"doc_key": "a", "output": "[Ada](#0) met Bo [She](#0)"}\n'
        '{"doc_key": "b", "output": "[Cy](#0) saw Di [He](#0)"}\n'
    )
    for path in (key, lines, converted):
        form = None if path == key else "markdown"
        assert counts_of(path, other, form, None)[:4] == [1, 2, 1, 2]
    status, out, _ = main("check", lines)
    assert status == 0
    assert "each of the 2 lines is read as a document, as no key says otherwise" in out


def test_lines_of_a_file_in_a_folder_are_one_document(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text("[Ada](#0) met Bo .\n[She](#0) left\n")
    source = open_documents(tmp_path)
    assert [(document.name, document.clusters) for document in source] == [
        ("a", [[(0, 0), (4, 4)]]),
        ("b", [[(0, 0), (4, 4)]]),
    ]


def test_windows_on_lines_of_their_own_are_one_document(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("<m> Ada </m>#0 met Bo .\n[MID]\n<m> She </m>#0 left\n")
    assert [len(document.clusters) for document in open_documents(path)] == [2]


REPEATED = {
    "key": [[(5, 6), (2, 3)], [(1, 2), (6, 6), (7, 7)], [(0, 0)]],
    "response": [[(7, 7), (5, 6), (1, 2)], [(4, 4)], [(0, 0), (1, 2)]],
}
"""The mention (1, 2) of the response is in two clusters; CoNLL 48.55 if it counts in the first."""


@pytest.mark.parametrize("form", [name for name in RESPONSES if name != "strings"])
def test_a_repeated_mention_counts_where_it_did_or_convert_warns(form, tmp_path):
    words = [[f"w{token}" for token in range(8)]]
    figures = {}
    for format_name in ("jsonl", form):
        key, response = (tmp_path / f"{side}.{format_name}" for side in REPEATED)
        left_out = []
        for side, path in zip(REPEATED, (key, response)):
            document = Document("d", REPEATED[side], words=words)
            fit = Reduction(format_name, drop=True)
            write_documents([document], path, format_name, fit=fit)
            left_out.append([line for line in fit.left_out() if "repeated mention" in line])
        evaluation = scorer.score(
            tmp_path / "key.jsonl", response, metrics="conll", response_format=format_name
        )
        figures[format_name] = round(100 * evaluation.ratios("conll").f1, 2)
    assert figures["jsonl"] == 48.55
    if form in {"jsonl", "crac_json"}:
        assert (figures[form], left_out) == (48.55, [[], []])
        return
    warning = (
        f"{form} cannot hold the order of clusters, which decides in which of its clusters a "
        "repeated mention counts; that may change for 1 mention in 1 document"
    )
    assert left_out == [[], [warning]]


NAMES = ["a", "b", "a/b", "doc 1", "doc:2", "(bc/x); part 000", ".hidden", "x_y", "7"]


@pytest.mark.parametrize("form", [name for name in KEYS if name not in NUMBERED])
@examples(0.4)
@given(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True), draw=st.data())
def test_documents_are_found_by_names_that_a_writer_changed(form, names, draw, tmp_path_factory):
    """On either side, and next to documents whose names are equal."""
    response_form = draw.draw(st.sampled_from([name for name in RESPONSES if name not in NUMBERED]))
    sides = []
    for _ in range(2):
        order = draw.draw(st.permutations(names))
        words = {name: [f"w{names.index(name)}{token}" for token in range(3)] for name in names}
        sides.append([(name, words[name], {"0": [(0, 0), (2, 2)]}) for name in order])
    folder = tmp_path_factory.mktemp("names")
    key = written(folder / "key", sides[0], form)
    response = written(folder / "response", sides[1], response_form)
    if len(names) == 1 or key is None or response is None:
        # A text of one document keeps no name.
        return
    counts = counts_of(key, response, form, response_form)
    assert counts[:4] == [len(names)] * 4
    assert counts[-4:] == [2 * len(names)] * 4
