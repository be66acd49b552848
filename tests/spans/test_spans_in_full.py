"""The list of spans, labels of several fields, several groups, and posterior intervals."""

import csv
import io
import json
from pathlib import Path

import pytest

import scorer

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE, OTHER = (
    FIXTURES / "spans" / f"{name}.jsonl" for name in ("key", "response", "other")
)

LISTED = [
    # By hand: document, result, and the words of the key span and of the response span.
    ("nw/a", "correct", "Ada Lovelace", "Ada Lovelace"),
    ("nw/a", "spurious", "", "met"),
    ("nw/a", "partial", "Charles Babbage", "Babbage"),
    ("nw/a", "correct", "London", "London"),
    ("bc/b", "correct", "She", "She"),
    ("bc/b", "missing", "him", ""),
]


def scored(key, response, **options):
    """The scores of two documents, each the data of a line of JSON."""
    texts = (json.dumps(side).encode() for side in (key, response))
    return scorer.score_spans(*map(io.BytesIO, texts), **options)


# The list of spans


def test_each_span_is_listed_once_with_its_text():
    scores = scorer.score_spans(KEY, RESPONSE, list_spans=True)
    rows = [
        (row.document, row.result, row.text or "", row.response_text or "") for row in scores.spans
    ]
    assert rows == LISTED
    assert [row.line for row in scores.spans] == [1, 1, 1, 1, 2, 2]
    with pytest.raises(ValueError, match="score them with list_spans=True"):
        scorer.score_spans(KEY, RESPONSE).text("csv", show=["spans"])


def test_the_command_lists_spans_in_every_format(main):
    arguments = "spans", KEY, RESPONSE, "--show", "spans"
    rows = list(csv.DictReader(io.StringIO(main(*arguments, "--format", "csv")[1])))
    listed = [row for row in rows if row["section"] == "spans"]
    fields = "name", "result", "words", "response_words"
    assert [tuple(row[field] for field in fields) for row in listed] == LISTED
    # The tokens are those of the file, both inclusive.
    assert [listed[2][end] for end in ("start", "end", "response_start", "response_end")] == [
        *("3", "4"),
        *("4", "4"),
    ]
    tree = json.loads(main(*arguments, "--format", "json")[1])
    assert [row["result"] for row in tree["spans"]] == [row[1] for row in LISTED]
    assert tree.keys() == {"spans", "notes", "signature"}
    table = main(*arguments)[1]
    assert [line.split()[:3] for line in table.splitlines()[4:5]] == [["partial", "1", "3-4"]]
    assert "recall" not in table
    assert "recall" in main(*arguments[:-1], "all")[1]


def test_tables_shorten_long_spans():
    words = [f"w{at}" for at in range(100)]
    line = {"doc_key": "a", "tokens": words, "clusters": [[[0, 99]]]}
    scores = scored(line, line, list_spans=True)
    assert scores.spans[0].text == " ".join(words)
    assert " ".join(words) in scores.text("csv", show=["spans"])
    row = scores.text("table", show=["spans"]).splitlines()[2]
    assert len(row) < 140
    assert "w0 w1 w2" in row
    assert row.endswith("w98 w99")


def test_lines_are_those_of_the_key_or_of_the_response_for_what_is_spurious(tmp_path):
    for side, head, cells in (("key", "", "1-"), ("response", "\n", "-1")):
        rows = "".join(f"a 0 {at} w {cell.replace('1', '(1)')}\n" for at, cell in enumerate(cells))
        (tmp_path / side).write_text(f"{head}#begin document (a); part 000\n{rows}#end document\n")
    scores = scorer.score_spans(tmp_path / "key", tmp_path / "response", list_spans=True)
    assert [(row.result, row.line) for row in scores.spans] == [("missing", 2), ("spurious", 4)]


@pytest.mark.parametrize("command", ["spans", "muc7"])
def test_the_title_is_in_every_format(command, main):
    title = "=Spans_of [mine]"
    firsts = {
        "table": "=Spans_of [mine]\n\n",
        "markdown": "# \\=Spans\\_of \\[mine\\]\n\n".replace("\\=", "="),
        "latex": "% =Spans_of [mine]\n",
        "json": '{\n  "title": "=Spans_of [mine]",\n',
        "jsonl": '{"section": "title", "note": "=Spans_of [mine]"}\n',
        "csv": ",'=Spans_of [mine]\n",
        "tsv": "\t'=Spans_of [mine]\n",
        "html": "<title>=Spans_of [mine]</title>",
    }
    for output_format, text in firsts.items():
        arguments = command, KEY, RESPONSE, "--format", output_format
        titled = main(*arguments, "--title", title)[1]
        assert text in titled[:2000], output_format
        if output_format in ("table", "latex", "markdown"):
            assert titled == text + main(*arguments)[1]
    if command == "muc7":
        titled = main(command, KEY, RESPONSE, "--format", "muc7", "--title", title)[1]
        assert titled.startswith("=Spans_of [mine]\nTOTAL\n")


# What must be equal

TOKENS = {"doc_key": "a", "tokens": ["Ada", "saw", "Bob"], "clusters": [[[0, 0]], [[2, 2]]]}
TYPED = TOKENS | {"etype": [["PER"], ["PER"]], "kb": [["Q7259"], ["Q1"]]}


@pytest.mark.parametrize(
    ("label", "changed", "right"),
    [
        (None, {"etype": [["PER"], ["ORG"]]}, 2),
        ("etype", {"etype": [["PER"], ["ORG"]]}, 1),
        ("kb", {"etype": [["PER"], ["ORG"]]}, 2),
        (["etype", "kb"], {"etype": [["PER"], ["ORG"]]}, 1),
        (["etype", "kb"], {"etype": [["PER"], ["ORG"]], "kb": [["Q0"], ["Q1"]]}, 0),
        # Mentions have no label of their own.
        ("label", {"etype": [["PER"], ["ORG"]]}, 2),
    ],
)
def test_labels_are_the_values_of_fields(label, changed, right):
    scores = scored(TYPED, TYPED | changed, label=label)
    assert scores.total.kinds == (right, 0, 2 - right, 0)


def test_values_of_several_fields_are_not_mixed_up():
    key = TOKENS | {"etype": [["a|b"], ["a\\"]], "kb": [["c"], ["|b"]]}
    response = TOKENS | {"etype": [["a"], ["a\\|"]], "kb": [["b|c"], ["b"]]}
    assert scored(key, response, label=["etype", "kb"]).total.kinds == (0, 0, 2, 0)
    assert scored(key, key, label=["etype", "kb"]).total.kinds == (2, 0, 0, 0)


def test_the_label_of_names_is_what_is_compared_without_the_option():
    usual = scorer.score_spans(KEY, RESPONSE, of="names", by="label")
    named = scorer.score_spans(KEY, RESPONSE, of="names", by="label", label="label")
    assert named.documents == usual.documents
    assert named.values == usual.values


def test_a_field_that_one_side_lacks_is_reported():
    with pytest.warns(scorer.ScorerWarning, match="nothing in the response has 'kb', so its"):
        scores = scored(TYPED, TOKENS | {"etype": TYPED["etype"]}, label="kb")
    assert scores.total.kinds == (0, 0, 2, 0)
    with pytest.raises(ValueError, match="no word and no mention has a 'wiki'; choose from: etype"):
        scored(TYPED, TYPED, label=["kb", "wiki"])


@pytest.mark.parametrize("option", ["label", "by"])
def test_names_that_a_file_lists_have_no_attributes(option):
    """With empty labels, London would be right as GPE and as PERSON."""
    message = "no word and no name has a 'etype'; choose from: pos, section"
    with pytest.raises(ValueError, match=message):
        scorer.score_spans(KEY, RESPONSE, of="names", **{option: "etype"})


def test_a_side_whose_names_have_no_attributes_is_reported():
    """The response lists names; in the key, mentions with a type are names."""
    response = TOKENS | {"names": [[0, 0, "PER"], [2, 2, "PER"]]}
    with pytest.warns(scorer.ScorerWarning, match="nothing in the response has 'etype', so its"):
        scores = scored(TYPED, response | {"etype": TYPED["etype"]}, of="names", label="etype")
    assert scores.total.kinds == (0, 0, 2, 0)


@pytest.mark.parametrize("option", ["label", "by"])
def test_a_field_without_a_name_is_refused(option):
    with pytest.raises(ValueError, match=f"{option}: '' is not the name of a field"):
        scored(TYPED, TYPED, **{option: ""})


@pytest.mark.parametrize(
    "settings",
    [
        {"by": ["etype", "pos"]},
        {"by": "pos", "of": "names"},
        {"by": ["etype", "pos"], "label": ["etype", "pos"]},
    ],
)
def test_a_perfect_response_scores_1_in_all(settings):
    scores = scorer.score_spans(KEY, KEY, **settings)
    for counts in [*scores.documents.values(), *scores.values.values()]:
        if counts.key:
            assert {measure[1:4] for measure in scores.measured(counts)} == {(1, 1, 1)}


# Several groupings


def test_spans_are_grouped_by_each_field_by_itself(main):
    several = scorer.score_spans(KEY, RESPONSE, by=["etype", "pos"])
    for field, values in several.values_by_field.items():
        assert values == scorer.score_spans(KEY, RESPONSE, by=field).values
    arguments = "spans", KEY, RESPONSE, "--by", "etype,pos", "--average", "both"
    tree = json.loads(main(*arguments, "--format", "json")[1])
    named = list(dict.fromkeys((row["field"], row["name"]) for row in tree["values"]))
    assert named == [
        *(("etype", name) for name in ("event", "person", "place")),
        *(("pos", name) for name in ("NNP", "PRP", "VBD")),
    ]
    assert {"etype", "pos"} < {row["field"] for row in tree["totals"] if row["average"] == "macro"}
    assert "etype: person" in main(*arguments)[1]


# Posterior intervals


def spans(right, spurious):
    return [
        [(3 * at, 3 * at) for at in range(right)] + [(3 * at + 1,) * 2 for at in range(spurious)]
    ]


def test_posterior_intervals_of_worked_counts(main, tmp_path):
    """60 right, 20 spurious, 40 missing; against 55, 15 and 45 the first is better by .631."""
    key, first, second = spans(100, 0), spans(60, 20), spans(55, 15)
    scores = scorer.score_spans({"a": key}, {"a": first}, against={"a": second})
    strict = scores.intervals()["strict"]
    assert strict.precision == pytest.approx((0.647, 0.835), abs=5e-4)
    assert strict.recall == pytest.approx((0.503, 0.692), abs=1e-3)
    assert strict.f == pytest.approx((0.581, 0.739), abs=5e-4)
    assert scores.chances_of_second()["strict"] == pytest.approx(1 - 0.631, abs=5e-4)
    text = scores.text("table", interval="posterior")
    assert "[58.11, 73.93]" in text
    assert "95% intervals treat spans as independent, which those of one document are not" in text
    assert "37%" in text
    paths = []
    for name, clusters in (("key", key), ("first", first), ("second", second)):
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(json.dumps({"doc_key": "a", "clusters": clusters}))
    options = "--interval", "posterior", "--confidence", "0.9", "--format", "json"
    tree = json.loads(main("spans", *paths[:2], "--against", paths[2], *options)[1])
    assert [row["measure"] for row in tree["intervals"]] == ["strict", "lenient"]
    assert 0.581 < tree["intervals"][0]["f_low"] < 2 / 3 < tree["intervals"][0]["f_high"] < 0.739
    assert tree["differences"][0]["chance"] == pytest.approx(1 - 0.631, abs=5e-4)
    assert not json.loads(main("spans", *paths[:2], "--format", "json")[1])["intervals"]


@pytest.mark.parametrize("labels", [(None, "PER"), ("PER", None), (None, None)])
def test_labels_have_a_heading_where_a_side_has_any(labels):
    key, response = ({"names": [[0, 0, label], [2, 2, None]]} for label in labels)
    words = {"doc_key": "a", "sentences": [["w0", "w1", "w2"]], "clusters": []}
    scores = scored(key | words, response | words, of="names", list_spans=True)
    heading = scores.text(show=["spans"]).splitlines()[0].split()
    assert heading.count("label") == (2 if any(labels) else 0)
