"""Scores of spans from files: what they hold, thresholds, two responses, output formats,
refusals."""

import io
import itertools
import json
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_spans import sides

import scorer
from scorer.report.report import format_signature
from scorer.spans.changes import (
    BETTER,
    CLASSES,
    WORSE,
    area,
    changes,
    cuts_of,
    summarize_changes,
    verdict,
)
from scorer.spans.counts import Kinds, Sides, Span, count
from scorer.spans.reading import SpanSettings

FIXTURES = Path(__file__).parents[2] / "fixtures"
STORY = FIXTURES / "formats" / "story.corefud.conllu"
KEY, RESPONSE, OTHER = (
    FIXTURES / "spans" / f"{name}.jsonl" for name in ("key", "response", "other")
)
FORMS = ["csv", "tsv", "json", "jsonl", "latex", "markdown", "html", "table"]


def scored(key, response, **options):
    """The scores of two files, of which each is text or the data of a line of JSON."""
    texts = (side if isinstance(side, str) else json.dumps(side) for side in (key, response))
    return scorer.score_spans(*(io.BytesIO(text.encode()) for text in texts), **options)


def sizes(counts):
    """Spans of the key, of the response, and pairs with the same ends and label."""
    return counts.key, counts.response, counts.kinds.correct_strict


def conll(*rows):
    lines = "".join(f"a 0 {at} {row}\n" for at, row in enumerate(rows))
    return f"#begin document a\n{lines}#end document\n"


# From files


def test_mentions():
    scores = scorer.score_spans(KEY, RESPONSE)
    kinds = {name: counts.kinds for name, counts in scores.documents.items()}
    assert kinds == {"nw/a": (2, 1, 0, 0), "bc/b": (1, 0, 0, 0)}
    assert (scores.total.key, scores.total.response, scores.problems) == (5, 5, [])


def test_names():
    """Ada Lovelace is right, Charles Babbage cut short, London has another label."""
    for within, kinds in ((False, (1, 1, 1, 0)), (True, (1, 1, 0, 0))):
        scores = scorer.score_spans(KEY, RESPONSE, of="names", within_label=within)
        assert scores.total.kinds == kinds
    files = (FIXTURES / f"example.{side}.conll" for side in ("key", "response"))
    (problem,) = scorer.score_spans(*files, of="names").problems
    assert problem.text.startswith("no document that is scored has a named entity")


TYPED = "# global.Entity = eid-etype\n# newdoc id = a\n" + "".join(
    f"{at}\t{word}" + "\t_" * 7 + f"\t{cell}\n"
    for at, word, cell in (
        (1, "Ada", "Entity=(e1-PER)"),
        (2, "saw", "_"),
        (3, "Bob", "Entity=(e2-PER)"),
    )
)
LINE = {"doc_key": "a", "tokens": ["Ada", "saw", "Bob"], "clusters": [[[0, 0]], [[2, 2]]]}
LISTED = LINE | {"names": [[0, 0, "PER"]]}
PER_ORG = LINE | {"etype": [["PER"], ["ORG"]], "names": []}
NO_NAME = conll("Ada N * - - - s * (0)", "saw V * - - - s * -", "Bob N * - - - s * (1)")
FEW_COLUMNS = conll("Ada (0)", "saw -", "Bob (1)")
ORG_PER = LINE | {"etype": [["ORG"], ["PER"]]}


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # Names of the key, of the response, and pairs that are right.
        (LISTED, TYPED, (1, 2, 1)),
        (TYPED, LISTED, (2, 1, 1)),
        (LISTED, ORG_PER, (1, 2, 0)),
        # Nothing is said of the second.
        (ORG_PER, LINE | {"etype": [[None], ["PER"]]}, (2, 1, 1)),
        # A list without a name says that there is none, unless neither side has any.
        (LISTED, LINE | {"etype": [["PER"], ["PER"]], "names": []}, (1, 0, 0)),
        (TYPED, PER_ORG, (2, 2, 1)),
        # Columns that hold no name, or that a file lacks, are not any either.
        (NO_NAME, PER_ORG, (0, 2, 0)),
        (PER_ORG, FEW_COLUMNS, (2, 0, 0)),
    ],
)
def test_each_side_takes_names_from_where_it_has_them(key, response, expected):
    assert sizes(scored(key, response, of="names").total) == expected
    texts = (side if isinstance(side, str) else json.dumps(side) for side in (key, response))
    slots = scorer.score_muc7(*(io.BytesIO(text.encode()) for text in texts)).total.slots
    types = [counts for (_, slot), counts in slots.items() if slot == "text"]
    assert (sum(one.possible for one in types), sum(one.actual for one in types)) == expected[:2]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # London, 6-6, is a place for the key alone.
        ({"by": "etype"}, {"event": (0, 1, 0), "person": (4, 4, 2), "place": (1, 0, 0)}),
        ({"by": "pos"}, {"NNP": (3, 3, 2), "PRP": (2, 1, 1), "VBD": (0, 1, 0)}),
        ({"by": "section"}, {"TEXT": (4, 4, 2), "TITLE": (1, 1, 1)}),
        ({"by": "label", "of": "names"}, {"GPE": (1, 0, 0), "PERSON": (2, 3, 1)}),
    ],
)
def test_by_field(options, expected):
    values = scorer.score_spans(KEY, RESPONSE, **options).values
    assert {value: sizes(counts) for value, counts in values.items()} == expected


def test_columns_of_conll2012_and_the_head():
    """A column holds for the head where the file gives heads, and else for the last token."""
    file = conll("New JJ * - - - x * (1", "York NNP * - - - y * 1)", "he PRP * - - - - * (1)")
    found = scored(file, file, by="speaker").values
    assert {value: counts.key for value, counts in found.items()} == {"": 1, "y": 1}
    found = scorer.score_spans(STORY, STORY, by="upos").values
    keys = {value: counts.key for value, counts in found.items()}
    assert keys == {"NOUN": 1, "PRON": 3, "PROPN": 1, "VERB": 1}


def test_a_mention_with_a_gap_is_the_span_from_its_first_word_to_its_last():
    files = []
    for cells in (
        ["Entity=(e1[1/2]--1)", "_", "Entity=(e1[2/2]--1)"],
        ["Entity=(e1--1", "_", "Entity=e1)"],
    ):
        rows = "".join(f"{at}\tw" + "\t_" * 7 + f"\t{cell}\n" for at, cell in enumerate(cells, 1))
        files.append(f"# global.Entity = eid-etype-head\n# newdoc id = a\n{rows}\n")
    assert scored(*files).total.kinds == (1, 0, 0, 0)


def test_averages_and_groups():
    scores = scorer.score_spans(KEY, RESPONSE)
    # Strict recall is 2/3 and 1/2, precision 2/4 and 1/1.
    assert scores.macro()[0][1:3] == pytest.approx(((2 / 3 + 1 / 2) / 2, (2 / 4 + 1) / 2))
    groups = {name: counts.key for name, counts in scores.group_by(r"^(\w+)/").items()}
    assert groups == {"bc": 2, "nw": 3}
    frame = scores.to_frame()
    assert frame[frame.measure == "strict"].recall.tolist() == pytest.approx([2 / 3, 1 / 2])
    assert {"name", "measure", "recall", "key"} < set(frame)


IMPOSSIBLE = [("kind", "words"), ("beta", 0), ("beta", 1e200), ("min_overlap", 1.5)]
IMPOSSIBLE += [("thresholds", "0.2"), ("thresholds", 0.1)]


@pytest.mark.parametrize(("name", "value"), IMPOSSIBLE)
def test_impossible_settings(name, value):
    with pytest.raises(ValueError, match="of" if name == "kind" else name):
        SpanSettings(**{name: value})
    with pytest.raises(ValueError, match="score: None is not the name"):
        SpanSettings(thresholds="all", score=None)


def test_settings_that_give_other_figures_have_other_signatures():
    # One token of three is a third.
    for share, f in (("0.33333333", 0.5), ("0.33333334", 0.0)):
        scores = scorer.score_spans([[(0, 2)]], [[(2, 4)]], min_overlap=float(share))
        assert (scores.measures()["semeval_partial"].f, scores.signature()["overlap"]) == (f, share)
    signed = [SpanSettings(beta=beta).signed()["beta"] for beta in (1, 2.0, 0.1, 1.0000001)]
    assert signed == ["1", "2", "0.1", "1.0000001"]
    # Two of three are 66.66 or 66.67 percent.
    for rounding, shown in (("truncate", "66.66"), ("round", "66.67")):
        scores = scorer.score_spans([[(0, 0), (1, 1), (2, 2)]], [[(0, 0), (1, 1)]])
        assert shown in scores.text("table", rounding=rounding)
        signature = format_signature(scores.report("table", rounding=rounding).signature)
        assert ("rounding:truncate" in signature) == (rounding == "truncate")


@pytest.mark.parametrize(
    "mention", ["x", (7, 3), (-2, 3), (3, 10**9), ((7, 3), (4, 4)), ((-2, 3), "0:1.1")]
)
def test_mentions_that_are_no_spans(mention):
    message = f"document '0': {mention!r} is not a span; write mentions as (first, last) tokens"
    with pytest.raises(ValueError, match=re.escape(message)):
        scorer.score_spans([[mention]], [[mention]])


# Thresholds


@pytest.mark.parametrize(
    ("key", "response", "cuts", "area_"),
    [
        # Four right ones: precision is 1 at each recall.
        ((0, 1, 2, 3), {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}, [1, 2, 3, 4], 1),
        # Right, wrong, right: recall 1/2, 1/2, 1, precision 1, 1/2, 2/3: 1/2 + 0 + 1/2 · 2/3.
        ((0, 5), {0: 0.9, 3: 0.8, 5: 0.7}, [1, 1, 2], 5 / 6),
    ],
)
def test_areas_by_hand(key, response, cuts, area_):
    spans = [Span(at, at + 1, score=score) for at, score in response.items()]
    found = cuts_of([([Span(at, at + 1) for at in key], spans)], "all")
    assert [cut.threshold for cut in found] == sorted(response.values(), reverse=True)
    assert [cut.counts.kinds.correct_strict for cut in found] == cuts
    assert area(found, "strict") == area(found, "lenient") == pytest.approx(area_)


@pytest.mark.parametrize(
    ("clusters", "which", "expected"),
    [([[[0, 0]]], "0.1", 0), ([[[0, 0]]], "all", 0), ([], "0.1", 1)],
)
def test_the_area_of_a_key_without_spans(clusters, which, expected):
    """Thresholds above all scores have neither a right nor a wrong span."""
    response = {"doc_key": "a", "clusters": clusters, "confidence": [[0.5]] * len(clusters)}
    cuts = scored({"doc_key": "a", "clusters": []}, response, thresholds=which).cuts
    assert (area(cuts, "strict"), area(cuts, "lenient")) == (expected, expected)


def test_sets_of_thresholds():
    response = [Span(0, 1, score=0.3), Span(2, 3, score=0.05)]
    for which, size, expected in (
        ("0.1", 11, {1.0: 0, 0.4: 0, 0.3: 1, 0.1: 1, 0.0: 2}),
        ("0.05", 21, {0.35: 0, 0.3: 1, 0.1: 1, 0.05: 2}),
    ):
        cuts = cuts_of([([Span(0, 1)], response)], which)
        counted = {cut.threshold: cut.counts.response for cut in cuts}
        assert len(counted) == size
        assert [*counted] == sorted(counted, reverse=True)
        assert counted | expected == counted


@given(sides(), st.data())
def test_every_cut_is_as_if_the_rest_were_not_there(both, data):
    key, response = both
    score = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])
    scores = data.draw(st.lists(score, min_size=len(response), max_size=len(response)))
    response = [span._replace(score=score) for span, score in zip(response, scores)]
    found = cuts_of([(key, response), (key, response)], "all")
    assert [cut.threshold for cut in found] == sorted(set(scores), reverse=True)
    recalls = [(0, 0)]
    for cut in found:
        counts, _ = count(key, [span for span in response if span.score >= cut.threshold])
        kinds = Kinds(*(2 * number for number in counts.kinds))
        assert cut.counts[:3] == (2 * counts.key, 2 * counts.response, kinds)
        recalls.append((counts.kinds[0], sum(counts.kinds[:2])))
    # As `area` takes for granted.
    for before, after in itertools.pairwise(recalls):
        assert before[0] <= after[0]
        assert before[1] <= after[1]


def test_fields_of_either_side():
    """Scores are the response's own; groups are the key's where it has them, else the
    response's."""
    scores = conll("Ada NNP * - - 0.5 - * (1)", "met V * - - - - * -", "her PRP * - - 1e-1 - * (1)")
    cuts = scored(scores, scores, thresholds="all", score="sense").cuts
    assert [(cut.threshold, cut.counts.response) for cut in cuts] == [(0.5, 1), (0.1, 2)]
    tags = [
        "".join(
            conll(f"w {tag} * - - - - * (1)").replace("document a", f"document {at}")
            for at, tag in enumerate(tags)
        )
        for tags in ("-XY", "NVN")
    ]
    values = scored(*tags, by="pos").values
    assert {value: sizes(counts)[::2] for value, counts in values.items()} == dict.fromkeys(
        "NXY", (1, 1)
    )
    key, response = conll("Ada NNP * - 9 x - * (1)"), conll("Ada NNP * - 0.5 - - * (1)")
    scores = scored(key, response, thresholds="all", score="frameset", by="sense")
    assert [cut.threshold for cut in scores.cuts] == [0.5]
    assert {value: sizes(counts)[2] for value, counts in scores.values.items()} == {"x": 1}


def test_a_field_that_only_the_other_response_has_groups_nothing():
    """Groups are of key and response; the other one's columns say nothing of them."""
    few, many = conll("word (0)"), conll("word NN * - - - - * (0)")
    with pytest.raises(ValueError, match="no word and no mention has a 'pos'"):
        scored(few, few, against=io.BytesIO(many.encode()), by="pos")


# Two responses


def test_classes():
    """The description lists nine changes for the better, their reverses for the worse, four
    neither."""
    better = "CP→CS, IS→CS, IS→CP, IP→CS, IP→CP, IP→IS, ML→CS, ML→CP, SL→A"
    listed = {tuple(change.split("→")) for change in better.split(", ")}
    assert (listed, {change[::-1] for change in listed}) == (BETTER, WORSE)
    neither = [verdict(*change.split("→")) for change in ("IS→ML", "IP→ML", "ML→IS", "ML→IP")]
    assert neither == ["neither"] * 4
    assert {name for change in BETTER | WORSE for name in change} == set(CLASSES)


def test_changes_by_hand():
    found = scorer.score_spans(KEY, RESPONSE, against=OTHER).changes
    assert sorted(
        (change.document, *change.span[:2], *change[2:], change.verdict) for change in found
    ) == [
        ("bc/b", 2, 3, "ML", "CS", "better"),
        ("nw/a", 2, 3, "SL", "A", "better"),
        ("nw/a", 3, 5, "CP", "CS", "better"),
        ("nw/a", 6, 7, "CS", "CP", "worse"),
    ]


@given(sides(), sides())
def test_changes_add_up(one, other):
    """Every key span once, and every response span that stands for none."""
    key, first, second = one[0], one[1], other[1]
    counted = [count(key, response) for response in (first, second)]
    matched = [(Sides(key, first), counted[0][1]), (Sides(key, second), counted[1][1])]
    found = list(changes("a", *matched))
    for at, (counts, pairs) in enumerate(counted):
        classes = [change[2 + at] for change in found]
        assert [classes.count(kind) for kind in ("CS", "CP", "IS", "IP")] == list(counts.kinds)
        assert classes.count("ML") == counts.key - len(pairs)
        assert classes.count("SL") == counts.response - len(pairs)
    documents = [{"a": counts} for counts, _ in counted]
    added = summarize_changes(found, *documents, beta=1)
    assert list(added) == [change for change in found if change.first != change.second]


def test_p_is_that_of_all_swaps_of_documents():
    """By definition: how many of the 2 ** 4 swaps give a difference as large as the observed
    one."""
    sizes = (2, 3, 5, 6)
    key = [[[(3 * at, 3 * at + 1) for at in range(size)]] for size in sizes]

    def response(right):
        return [[[*clusters[0][:n], (99, 99)]] for clusters, n in zip(key, right)]

    def f(right):
        return Fraction(2 * sum(right), 16 + sum(number + 1 for number in right))

    for first, second in (((2, 3, 5, 0), (2, 3, 5, 6)), ((0, 3, 1, 4), (2, 2, 4, 6))):
        observed = f(second) - f(first)
        outcomes = []
        for swaps in itertools.product((1, -1), repeat=4):
            swapped = [pair[::swap] for swap, pair in zip(swaps, zip(first, second))]
            one, other = map(f, zip(*swapped))
            outcomes.append(abs(other - one) >= abs(observed))
        sides = (dict(zip("abcd", side)) for side in (key, response(first), response(second)))
        scores = scorer.score_spans(next(sides), next(sides), against=next(sides))
        for difference in scores.changes.differences:
            assert difference.f == pytest.approx(float(observed))
            assert difference.p == sum(outcomes) / 16


# The command

ALL = [
    *("--thresholds", "all", "--against", OTHER, "--by", "etype", "--group-by", r"^(\w+)"),
    *("--average", "both", "--per-document"),
]


MUC7 = ["--group-by", r"^(\w+)", "--section-field", "section"]


@pytest.mark.parametrize("form", [*FORMS, "own"])
@pytest.mark.parametrize(
    ("command", "own", "options", "word"),
    [("spans", "svg", ALL, "person"), ("muc7", "muc7", MUC7, "TITLE")],
)
def test_every_form(command, own, options, word, form, main, tmp_path):
    form = own if form == "own" else form
    arguments = [command, KEY, RESPONSE, *options, "--format", form]
    status, out, err = main(*arguments)
    assert (status, err) == (0, "")
    assert word in out or form == "svg"
    assert main(*arguments, "--output", tmp_path / "out")[:2] == (0, "")
    assert (tmp_path / "out").read_text("utf-8") == out


def test_the_svg_is_whole(main):
    root = ET.fromstring(main("spans", KEY, RESPONSE, "--thresholds", "0.1", "--format", "svg")[1])
    # The threshold above every score has no point.
    titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "strict, 0.9: recall 20.00, precision 100.00" in titles
    assert len(titles) == 1 + 2 * 10


def test_the_pages_name_their_files_and_say_the_scores(main):
    page = main("spans", KEY, RESPONSE, "--against", OTHER, "--format", "html")[1]
    said = "response.jsonl against key.jsonl: strict F1 60.00, lenient F1 80.00."
    changes = json.loads(main("spans", KEY, RESPONSE, "--against", OTHER, "--format", "json")[1])
    strict, lenient = (f"{100 * row['f_difference']:+.2f}" for row in changes["differences"])
    p, q = (f"(p {row['p']:.4f})" for row in changes["differences"])
    more = f"With other.jsonl F changes by {strict} strict {p}, {lenient} lenient {q}."
    assert f"<strong>{said} {more}</strong>" in page
    for name in ("key.jsonl", "response.jsonl", "other.jsonl"):
        assert f"<dd>{name} (jsonl, SHA-256 " in page
    assert "over 2 documents no difference can be significant" in page
    page = main("muc7", KEY, RESPONSE, "--format", "html")[1]
    assert "<strong>response.jsonl against key.jsonl: F of coreference" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--format svg", "svg draws a curve over thresholds; add --thresholds all\n"),
        ("--by kind", "has a 'kind'; choose from: confidence, etype, pos, section\n"),
        (
            "--documents x",
            f"documents: 'x' matches no document name in {KEY}; the first one is 'nw/a'\n",
        ),
        ("--thresholds all --score-column etype", "its etype is 'person', no number; write"),
        ("--thresholds all --score-column sure", "it has no sure; write a number for each"),
        ("--confidence 0.9", "confidence: it is that of intervals; add --interval posterior\n"),
        ("--interval posterior --confidence 0", "confidence: 0.0 is not between 0 and 1\n"),
        ("--label wiki", "has a 'wiki'; choose from: confidence, etype, pos, section\n"),
        ("--label=", "argument --label: there is nothing in it; name at least one\n"),
        ("--beta 0", "scorer spans: error: argument --beta: '0' is not a number above 0\n"),
        ("--thresholds 0.3", "'0.3' is not one of 0.1, 0.05, all; did you mean '0.1'?\n"),
    ],
)
def test_refusals(arguments, message, main):
    status, out, err = main("spans", KEY, RESPONSE, *arguments.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_strict_and_documents(main, tmp_path):
    lacking = tmp_path / "response.jsonl"
    lacking.write_text(RESPONSE.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    missing = "document bc/b: the response is missing this document; it is scored as an empty one\n"
    assert main("spans", KEY, lacking)[::2] == (0, f"warning: {lacking}: {missing}")
    assert main("spans", KEY, lacking, "--strict")[:2] == (1, "")
    assert main("spans", KEY, lacking, "--strict", "--documents", "nw")[::2] == (0, "")
    assert main("spans", KEY, KEY)[2] == ""
    # A document that only the response has is nobody's business where it is not asked for.
    assert main("spans", lacking, KEY, "--documents", "nw")[2] == ""
    extra = "document bc/b: the key is missing this document; it is not scored\n"
    assert main("spans", lacking, KEY)[2] == f"warning: {KEY}:2: {extra}"


def test_names_need_no_clusters(main, tmp_path):
    key = FIXTURES / "annotations" / "names-only.jsonl"
    response = tmp_path / "response.jsonl"
    response.write_text(
        '{"doc_key": "1", "tokens": ["a", "b"], "names": [[0, 1, "x"], [1, 1, "y"]]}'
    )
    status, out, err = main("spans", key, response, "--of", "names", "--format", "json")
    assert (status, err) == (0, "")
    strict = json.loads(out)["totals"][0]
    assert (strict["recall"], strict["precision"]) == (1, 0.5)
    for command in ("score", "spans", "muc7"):
        status, out, err = main(command, key, response)
        assert (status, out) == (2, "")
        assert "document 1: there are no clusters" in err


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ({"start": 2, "label": "DATE"}, "is not two integers and a label; write it as in [0, 1,"),
        ({"start": "0", "end": 0}, "is not two integers and a label; write it as in [0, 1,"),
        ([0, 0], "is not two integers and a label; write it as in [0, 1,"),
        ([0, 0, 7], "has the label 7; write it between quotes, or null"),
        ({"start": 0, "end": 0, "label": 7}, "has the label 7; write it between quotes, or null"),
        ([0, 9, "DATE"], "ends after the document, which has 3 tokens; tokens are counted from 0"),
        ([3, 1, "DATE"], "starts before token 0 or ends before it starts; tokens are counted"),
        ({"start": 2, "end": 1}, "starts before token 0 or ends before it starts; tokens are"),
        ({"start": 0, "end": 0, "optional": "false"}, "write true or false without quotes"),
        ({"start": 0, "end": 0, "optionl": True}, "label, optional; did you mean 'optional'?"),
        ("Ada", "is not two integers and a label; write it as in [0, 1,"),
    ],
)
def test_names_that_are_none_are_refused(name, problem, main, tmp_path):
    """None is left out or counted silently; next to it is a name, whose label may be null."""
    path = tmp_path / "key.jsonl"
    lines = [LISTED, LINE | {"doc_key": "b", "names": [[0, 0, None], name]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, out, err = main("spans", path, path, "--of", "names")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{path}:2: document b: name ")
    assert problem in err


@pytest.mark.parametrize(
    "option",
    [
        "--per-document",
        "--average macro",
        "--average both",
        "--group-by ^(.)",
        "--interval posterior",
        f"--against {OTHER}",
        "--thresholds all",
        "--by pos",
        "--beta 2",
        "--min-overlap 0.5",
    ],
)
def test_the_list_of_spans_refuses_what_is_about_figures(option, main):
    files = [str(FIXTURES / "spans" / f"{side}.jsonl") for side in ("key", "response")]
    name = option.split()[0].removeprefix("--").replace("-", "_")
    problem = f"scorer spans: {name}: the list of spans has no figures; show scores as well\n"
    assert main("spans", *files, "--show", "spans", *option.split()) == (2, "", problem)
    assert main("spans", *files, "--show", "all", *option.split())[0] == 0
