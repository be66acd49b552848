"""Scores of spans from files: what files hold of them, thresholds, two responses, every form, refusals."""

import csv
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
from scorer.show.spans import FIELDS, render
from scorer.spans.scores import (
    BETTER,
    CLASSES,
    WORSE,
    CountsByScore,
    SpanChanges,
    SpanSettings,
    area,
    changes,
    verdict,
)
from scorer.spans.spans import Kinds, Span, count

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE, OTHER = (
    FIXTURES / "spans" / f"{name}.jsonl" for name in ("key", "response", "other")
)
FORMS = ["csv", "tsv", "json", "jsonl", "latex", "markdown", "html", "table", "svg"]


# From files


def test_mentions():
    scores = scorer.score_spans(KEY, RESPONSE)
    assert {name: counts.kinds for name, counts in scores.documents.items()} == {
        "nw/a": (2, 1, 0, 0),
        "bc/b": (1, 0, 0, 0),
    }
    assert (scores.total.key, scores.total.response) == (5, 5)
    assert scores.problems == []


def test_names():
    """Ada Lovelace is right, Charles Babbage cut short, London has another label.

    Names of one document only.
    """
    assert scorer.score_spans(KEY, RESPONSE, of="names").total.kinds == (1, 1, 1, 0)
    assert scorer.score_spans(KEY, RESPONSE, of="names", within_label=True).total.kinds == (
        1,
        1,
        0,
        0,
    )
    none = scorer.score_spans(
        FIXTURES / "example.key.conll", FIXTURES / "example.response.conll", of="names"
    )
    assert [problem.text for problem in none.problems] == [
        "no document that is scored has a named entity"
    ]


def test_entity_types_of_corefud_are_names():
    story = FIXTURES / "formats" / "story.corefud.conllu"
    scores = scorer.score_spans(story, story, of="names", by="label")
    assert {value: counts.kinds for value, counts in scores.values.items()} == {
        "event": (1, 0, 0, 0),
        "person": (4, 0, 0, 0),
    }


TYPED = "# global.Entity = eid-etype\n# newdoc id = a\n" + "".join(
    f"{at}\t{word}" + "\t_" * 7 + f"\t{cell}\n"
    for at, word, cell in (
        (1, "Ada", "Entity=(e1-PER)"),
        (2, "saw", "_"),
        (3, "Bob", "Entity=(e2-PER)"),
    )
)
LINE = '{"doc_key": "a", "tokens": ["Ada", "saw", "Bob"], "clusters": [[[0, 0]], [[2, 2]]], '
LISTED = LINE + '"names": [[0, 0, "PER"]]}'
NO_NAME = (
    "#begin document a\na 0 0 Ada N * - - - s * (0)\na 0 1 saw V * - - - s * -\na 0 2 Bob N * "
    "- - - s * (1)\n#end document\n"
)
FEW_COLUMNS = "#begin document a\na 0 0 Ada (0)\na 0 1 saw -\na 0 2 Bob (1)\n#end document\n"


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # Names of the key, of the response, and pairs that are right.
        (LISTED, TYPED, (1, 2, 1)),
        (TYPED, LISTED, (2, 1, 1)),
        (LISTED, LINE + '"etype": [["ORG"], ["PER"]]}', (1, 2, 0)),
        # Nothing is said of the second.
        (LINE + '"etype": [["ORG"], ["PER"]]}', LINE + '"etype": [[null], ["PER"]]}', (2, 1, 1)),
        # A list without a name says that there is none, unless neither side has any.
        (LISTED, LINE + '"etype": [["PER"], ["PER"]], "names": []}', (1, 0, 0)),
        (TYPED, LINE + '"etype": [["PER"], ["ORG"]], "names": []}', (2, 2, 1)),
        # Columns that hold no name, or that a file lacks, are not any either.
        (NO_NAME, LINE + '"etype": [["PER"], ["ORG"]], "names": []}', (0, 2, 0)),
        (LINE + '"etype": [["PER"], ["ORG"]], "names": []}', FEW_COLUMNS, (2, 0, 0)),
    ],
)
def test_each_side_takes_names_from_where_it_has_them(key, response, expected, tmp_path):
    (tmp_path / "key").write_text(key)
    (tmp_path / "response").write_text(response)
    total = scorer.score_spans(tmp_path / "key", tmp_path / "response", of="names").total
    assert (total.key, total.response, total.kinds.correct_strict) == expected
    slots = scorer.score_muc7(tmp_path / "key", tmp_path / "response").total.slots
    types = [counts for (_, slot), counts in slots.items() if slot == "text"]
    assert (sum(one.possible for one in types), sum(one.actual for one in types)) == expected[:2]


COLUMNS = (
    "#begin document a\na 0 0 Ada N * - - - s (PER) (0)\na 0 1 saw V * - - - s * -\n#end document\n"
)
WORDS = re.compile("Ada|saw|Bob")
WITHOUT_WORDS = [
    WORDS.sub("[WORD]", COLUMNS),
    WORDS.sub("[WORD]", TYPED),
    '{"doc_key": "a", "clusters": [[[0, 0]]], "names": [[0, 0, "PER"]]}',
    '{"doc_key": "a", "clusters": [[[0, 0]]], "etype": [["PER"]]}',
]


def test_each_format_of_a_folder_takes_names_from_where_it_has_them(tmp_path):
    for side in ("key", "response"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "one.conll").write_text(COLUMNS)
        (tmp_path / side / "two.conllu").write_text(TYPED.replace("id = a", "id = b"))
    documents = scorer.score_spans(tmp_path / "key", tmp_path / "response", of="names").documents
    assert [(one.key, one.response, one.kinds.correct_strict) for one in documents.values()] == [
        (1, 1, 1),
        (2, 2, 2),
    ]


@pytest.mark.parametrize("text", WITHOUT_WORDS, ids=["conll2012", "corefud", "names", "types"])
def test_names_need_no_words(text, tmp_path):
    """As in files that are given out without their words, and in what systems write that leave these out."""
    for file, content in (("bare", text), ("columns", COLUMNS), ("typed", TYPED)):
        (tmp_path / file).write_text(content)
    bare = 2 if text.startswith("# global") else 1
    for other, there, right in (("columns", 1, 1), ("typed", 2, bare)):
        for files, sizes in (((other, "bare"), (there, bare)), (("bare", other), (bare, there))):
            total = scorer.score_spans(*(tmp_path / file for file in files), of="names").total
            assert (total.key, total.response, total.kinds.correct_strict) == (*sizes, right)


def test_columns_and_scores_need_no_words(tmp_path):
    (tmp_path / "bare").write_text(WITHOUT_WORDS[0])
    (tmp_path / "columns").write_text(COLUMNS)
    (tmp_path / "scores").write_text(
        '{"doc_key": "a", "clusters": [[[0, 0], [1, 1]]], "confidence": [[0.5, 0.25]]}'
    )
    values = scorer.score_spans(tmp_path / "bare", tmp_path / "columns", by="pos").values
    assert {value: (counts.key, counts.response) for value, counts in values.items()} == {
        "N": (1, 1)
    }
    cuts = scorer.score_spans(tmp_path / "columns", tmp_path / "scores", thresholds="all").cuts
    assert [
        (cut.threshold, cut.counts.kinds.correct_strict, cut.counts.response) for cut in cuts
    ] == [
        (0.5, 1, 1),
        (0.25, 1, 2),
    ]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        # Spans of the key, of the response, pairs with the same ends: by hand. London, 6-6, is a
        # place for the key alone.
        ("etype", {"event": (0, 1, 0), "person": (4, 4, 2), "place": (1, 0, 0)}),
        ("pos", {"NNP": (3, 3, 2), "PRP": (2, 1, 1), "VBD": (0, 1, 0)}),
        ("section", {"TEXT": (4, 4, 2), "TITLE": (1, 1, 1)}),
    ],
)
def test_by_field(by, expected):
    values = scorer.score_spans(KEY, RESPONSE, by=by).values
    assert {
        value: (counts.key, counts.response, counts.kinds.correct_strict)
        for value, counts in values.items()
    } == expected


def test_by_label_as_each_label_alone():
    values = scorer.score_spans(KEY, RESPONSE, of="names", by="label").values
    assert values["PERSON"][:3] == (2, 3, (1, 1, 0, 0))
    assert values["GPE"][:3] == (1, 0, (0, 0, 0, 0))


def test_columns_of_conll2012_and_the_head(tmp_path):
    """A column holds for the head where the file gives heads, and else for the last token."""
    rows = [
        "a 0 0 New JJ * - - - x * (1",
        "a 0 1 York NNP * - - - y * 1)",
        "a 0 2 he PRP * - - - - * (1)",
    ]
    for side in ("key", "response"):
        (tmp_path / side).write_text(
            "\n".join(["#begin document (a); part 000", *rows, "#end document", ""])
        )
    found = scorer.score_spans(tmp_path / "key", tmp_path / "response", by="speaker").values
    assert {value: counts.key for value, counts in found.items()} == {"": 1, "y": 1}
    story = FIXTURES / "formats" / "story.corefud.conllu"
    assert {
        value: counts.key
        for value, counts in scorer.score_spans(story, story, by="upos").values.items()
    } == {
        "NOUN": 1,
        "PRON": 3,
        "PROPN": 1,
        "VERB": 1,
    }


def test_a_mention_with_a_gap_is_the_span_from_its_first_word_to_its_last(tmp_path):
    line = "{}\tw" + "\t_" * 7 + "\t{}\n"
    for side, cells in {
        "key": ["(e1[1/2]--1)", "_", "(e1[2/2]--1)"],
        "response": ["(e1--1", "_", "e1)"],
    }.items():
        rows = "".join(
            line.format(at, f"Entity={cell}" if cell != "_" else "_")
            for at, cell in enumerate(cells, 1)
        )
        (tmp_path / side).write_text(f"# global.Entity = eid-etype-head\n# newdoc id = a\n{rows}\n")
    assert scorer.score_spans(tmp_path / "key", tmp_path / "response").total.kinds == (1, 0, 0, 0)


def test_averages_and_groups():
    scores = scorer.score_spans(KEY, RESPONSE)
    # Strict recall is 2/3 and 1/2, precision 2/4 and 1/1.
    strict = scores.macro()[0]
    assert (strict.recall, strict.precision) == pytest.approx(
        ((2 / 3 + 1 / 2) / 2, (2 / 4 + 1) / 2)
    )
    assert {name: counts.key for name, counts in scores.groups(r"^(\w+)/").items()} == {
        "bc": 2,
        "nw": 3,
    }
    assert scores.to_frame().query("measure == 'strict'").recall.tolist() == pytest.approx(
        [2 / 3, 1 / 2]
    )


@pytest.mark.parametrize(
    "given",
    [
        {"of": "words"},
        {"beta": 0},
        {"beta": float("inf")},
        {"beta": 1e200},
        {"min_overlap": 1.5},
        {"thresholds": "0.2"},
        {"thresholds": 0.1},
        {"score": None, "thresholds": "all"},
    ],
)
def test_impossible_settings(given):
    with pytest.raises(ValueError, match=next(iter(given))):
        SpanSettings(**given)


def test_settings_that_give_other_figures_have_other_signatures():
    # One token of three is a third.
    below, above = (
        scorer.score_spans([[(0, 2)]], [[(2, 4)]], min_overlap=share)
        for share in (0.33333333, 0.33333334)
    )
    assert (below.measures()["semeval_partial"].f, above.measures()["semeval_partial"].f) == (
        0.5,
        0.0,
    )
    assert [scores.signature()["overlap"] for scores in (below, above)] == [
        "0.33333333",
        "0.33333334",
    ]
    assert [SpanSettings(beta=beta).signed()["beta"] for beta in (1, 2.0, 0.1, 1.0000001)] == [
        "1",
        "2",
        "0.1",
        "1.0000001",
    ]
    # Two of three are 66.66 or 66.67 percent.
    cut, rounded = (
        render(scorer.score_spans([[(0, 0), (1, 1), (2, 2)]], [[(0, 0), (1, 1)]]), rounding=how)
        for how in ("truncate", "round")
    )
    assert "66.66" in cut
    assert "66.67" in rounded
    assert [text.splitlines()[-1].partition("report=")[2] for text in (cut, rounded)] == [
        "format:table,average:micro,rounding:truncate",
        "",
    ]


def test_mentions_that_are_no_spans():
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scorer.score_spans([["x", "y"]], [["x"]])
    assert (
        str(caught.value) == "document '0': 'x' is no span; write mentions as (first, last) tokens"
    )


@pytest.mark.parametrize("mention", [(7, 3), (-2, 3), (3, 10**9)])
@pytest.mark.parametrize("beside", [[], [(4, 4)], ["0:1.1"]])
def test_numbers_that_are_no_span_are_none_whatever_is_beside_them(mention, beside):
    with pytest.raises(ValueError, match=re.escape(f"{mention} is no span")):
        scorer.score_spans([[(1, 1)]], [[mention, *beside]])


# Thresholds


def cuts_of(documents, which):
    scored = CountsByScore()
    for key, response in documents:
        scored.add(key, response)
    return scored.cuts(which)


def test_four_right_responses():
    key = [Span(at, at + 1) for at in range(4)]
    response = [Span(at, at + 1, score=(at + 1) / 10) for at in range(4)]
    found = cuts_of([(key, response)], "all")
    assert [cut.threshold for cut in found] == [0.4, 0.3, 0.2, 0.1]
    assert [cut.counts.kinds.correct_strict / cut.counts.key for cut in found] == [
        0.25,
        0.5,
        0.75,
        1,
    ]
    assert {cut.counts.kinds.correct_strict / cut.counts.response for cut in found} == {1}
    assert area(found, "strict") == area(found, "lenient") == 1


def test_the_area_by_hand():
    """Right, wrong, right with falling scores: recall 1/2, 1/2, 1 and precision 1, 1/2, 2/3, so 1/2 + 0 + 1/2 · 2/3 = 5/6."""
    key = [Span(0, 1), Span(5, 6)]
    response = [Span(0, 1, score=0.9), Span(3, 4, score=0.8), Span(5, 6, score=0.7)]
    assert area(cuts_of([(key, response)], "all"), "strict") == pytest.approx(5 / 6)


def test_the_area_of_a_key_without_spans():
    """Whichever thresholds are asked for: those above all scores have neither a right nor a wrong span."""
    key, none = (
        b'{"doc_key": "a", "clusters": []}',
        b'{"doc_key": "a", "clusters": [], "confidence": []}',
    )
    wrong = b'{"doc_key": "a", "clusters": [[[0, 0]]], "confidence": [[0.5]]}'
    for response, which, expected in ((wrong, "0.1", 0), (wrong, "all", 0), (none, "0.1", 1)):
        cuts = scorer.score_spans(io.BytesIO(key), io.BytesIO(response), thresholds=which).cuts
        assert (area(cuts, "strict"), area(cuts, "lenient")) == (expected, expected)


def test_sets_of_thresholds():
    response = [Span(0, 1, score=0.3), Span(2, 3, score=0.05)]
    tenths, twentieths = (cuts_of([([Span(0, 1)], response)], which) for which in ("0.1", "0.05"))
    assert [cut.threshold for cut in tenths] == [
        1.0,
        0.9,
        0.8,
        0.7,
        0.6,
        0.5,
        0.4,
        0.3,
        0.2,
        0.1,
        0.0,
    ]
    assert [cut.counts.response for cut in tenths] == [0] * 7 + [1, 1, 1, 2]
    assert len(twentieths) == 21
    assert [
        cut.counts.response for cut in twentieths if cut.threshold in (0.35, 0.3, 0.1, 0.05)
    ] == [0, 1, 1, 2]


@given(sides(), st.data())
def test_every_cut_is_as_if_the_rest_were_not_there(both, data):
    key, response = both
    scores = data.draw(
        st.lists(
            st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0]),
            min_size=len(response),
            max_size=len(response),
        )
    )
    response = [span._replace(score=score) for span, score in zip(response, scores)]
    found = cuts_of([(key, response), (key, response)], "all")
    assert [cut.threshold for cut in found] == sorted(set(scores), reverse=True)
    recalls = []
    for cut in found:
        counts, _ = count(key, [span for span in response if span.score >= cut.threshold])
        assert cut.counts[:3] == (
            2 * counts.key,
            2 * counts.response,
            Kinds(*(2 * number for number in counts.kinds)),
        )
        recalls.append(
            (
                counts.kinds.correct_strict,
                counts.kinds.correct_strict + counts.kinds.correct_partial,
            )
        )
    # As `area` takes for granted.
    assert all(
        one <= other
        for before, after in itertools.pairwise(recalls)
        for one, other in zip(before, after)
    )


def test_scores_of_a_column(tmp_path):
    lines = [
        "a 0 0 Ada NNP * - - 0.5 - * (1)",
        "a 0 1 met VBD * - - - - * -",
        "a 0 2 her PRP * - - 1e-1 - * (1)",
    ]
    for side in ("key", "response"):
        (tmp_path / side).write_text(
            "\n".join(["#begin document (a); part 000", *lines, "#end document", ""])
        )
    scores = scorer.score_spans(
        tmp_path / "key", tmp_path / "response", thresholds="all", score="sense"
    )
    assert [(cut.threshold, cut.counts.response) for cut in scores.cuts] == [(0.5, 1), (0.1, 2)]


def test_a_column_that_the_key_lacks_holds_for_both_sides(tmp_path):
    """Where both have it, that of the key holds."""
    for side, tags in (("key", "-XY"), ("response", "NVN")):
        lines = [
            f"#begin document {at}\na 0 0 w {tag} * - - - - * (1)\n#end document\n"
            for at, tag in enumerate(tags)
        ]
        (tmp_path / side).write_text("".join(lines))
    values = scorer.score_spans(tmp_path / "key", tmp_path / "response", by="pos").values
    assert {
        value: (counts.key, counts.kinds.correct_strict) for value, counts in values.items()
    } == {
        "N": (1, 1),
        "X": (1, 1),
        "Y": (1, 1),
    }


def test_a_field_that_only_the_other_response_has_groups_nothing(tmp_path):
    """Groups are of key and response; the other one's columns say nothing of them."""
    for side, columns in (("key", 5), ("response", 5), ("other", 12)):
        line = "\t".join([*["d", "0", "0", "word", "NN", *"-------"][: columns - 1], "(0)"])
        (tmp_path / side).write_text(f"#begin document (d); part 000\n{line}\n#end document\n")
    with pytest.raises(ValueError, match="no word and no mention has a 'pos'"):
        scorer.score_spans(
            tmp_path / "key", tmp_path / "response", against=tmp_path / "other", by="pos"
        )


def test_scores_are_the_responses_own_where_groups_are_the_keys(tmp_path):
    for side, sense, score in (("key", "x", "9"), ("response", "-", "0.5")):
        line = f"a 0 0 Ada NNP * - {score} {sense} - * (1)"
        (tmp_path / side).write_text(f"#begin document (a); part 000\n{line}\n#end document\n")
    scores = scorer.score_spans(
        tmp_path / "key", tmp_path / "response", thresholds="all", score="frameset", by="sense"
    )
    assert [cut.threshold for cut in scores.cuts] == [0.5]
    assert {value: counts.kinds.correct_strict for value, counts in scores.values.items()} == {
        "x": 1
    }


# Two responses


def test_classes():
    """The list of the description: nine changes for the better, their reverses for the worse, four that are neither."""
    better = "CP→CS, IS→CS, IS→CP, IP→CS, IP→CP, IP→IS, ML→CS, ML→CP, SL→A"
    listed = {tuple(change.split("→")) for change in better.split(", ")}
    assert listed == BETTER
    assert {(second, first) for first, second in listed} == WORSE
    assert {("CS", "ML"), ("CP", "ML"), ("A", "SL")} < WORSE
    assert [verdict(*change.split("→")) for change in ("IS→ML", "IP→ML", "ML→IS", "ML→IP")] == [
        "neither"
    ] * 4
    assert {name for change in BETTER | WORSE for name in change} == set(CLASSES)


def test_changes_by_hand():
    scores = scorer.score_spans(KEY, RESPONSE, against=OTHER)
    found = [
        (one.document, tuple(one.span[:2]), one.first, one.second, one.verdict)
        for one in scores.changes
    ]
    assert sorted(found) == [
        ("bc/b", (2, 3), "ML", "CS", "better"),
        ("nw/a", (2, 3), "SL", "A", "better"),
        ("nw/a", (3, 5), "CP", "CS", "better"),
        ("nw/a", (6, 7), "CS", "CP", "worse"),
    ]


@given(sides(), sides())
def test_changes_add_up(one, other):
    """Every key span once, and every response span that stands for none.

    Both responses' counts come out again.
    """
    key, first, second = one[0], one[1], other[1]
    counted = [count(key, response) for response in (first, second)]
    found = list(changes("a", key, (first, counted[0][1]), (second, counted[1][1])))
    for at, (counts, pairs) in enumerate(counted):
        classes = [change[2 + at] for change in found]
        assert [classes.count(kind) for kind in ("CS", "CP", "IS", "IP")] == list(counts.kinds)
        assert classes.count("ML") == counts.key - len(pairs)
        assert classes.count("SL") == counts.response - len(pairs)
    added = SpanChanges()
    added.add(found)
    assert list(added) == [change for change in found if change.first != change.second]


def test_p_is_that_of_all_swaps_of_documents():
    """By definition: how many of the 2 ** 4 ways to swap the responses give as large a difference."""
    key = {
        name: [[(3 * at, 3 * at + 1) for at in range(size)]]
        for name, size in zip("abcd", (2, 3, 5, 6))
    }

    def response(*right):
        return {name: [[*key[name][0][:n], (99, 99)]] for name, n in zip(key, right)}

    def f(numbers):
        return Fraction(2 * sum(numbers), 16 + sum(number + 1 for number in numbers))

    for first, second in (((2, 3, 5, 0), (2, 3, 5, 6)), ((0, 3, 1, 4), (2, 2, 4, 6))):
        scores = scorer.score_spans(key, response(*first), against=response(*second))
        observed = abs(f(second) - f(first))
        outcomes = [
            abs(
                f([pair[swap] for swap, pair in zip(swaps, zip(first, second))])
                - f([pair[1 - swap] for swap, pair in zip(swaps, zip(first, second))])
            )
            for swaps in itertools.product((0, 1), repeat=4)
        ]
        p = sum(outcome >= observed for outcome in outcomes) / 16
        for found in scores.changes.differences:
            assert found.p == p
            assert found.f == pytest.approx(float(f(second) - f(first)))


# The command

ALL = (
    "--thresholds",
    "all",
    "--against",
    OTHER,
    "--by",
    "etype",
    "--group-by",
    r"^(\w+)",
    "--average",
    "both",
    "--per-document",
)


@pytest.mark.parametrize("form", FORMS)
def test_every_form(form, main, tmp_path):
    status, out, err = main("spans", KEY, RESPONSE, *ALL, "--format", form)
    assert (status, err) == (0, "")
    assert ("recall" in out) or form == "svg"
    written = tmp_path / "out"
    assert main("spans", KEY, RESPONSE, *ALL, "--format", form, "--output", written)[:2] == (0, "")
    assert written.read_text("utf-8") == out


def test_every_field_of_a_record_has_its_column(main):
    out = main("spans", KEY, RESPONSE, *ALL, "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows[0].keys() == set(FIELDS)
    kinds = [
        "document",
        "group",
        "value",
        "micro",
        "macro",
        "threshold",
        "area",
        "difference",
        "classes",
        "change",
        "signature",
    ]
    assert list(dict.fromkeys(row["kind"] for row in rows)) == kinds
    objects = [
        json.loads(line)
        for line in main("spans", KEY, RESPONSE, *ALL, "--format", "jsonl")[1].splitlines()
    ]
    assert {field for one in objects[:-1] for field in one} <= set(FIELDS)
    assert [one["kind"] for one in objects] == [row["kind"] for row in rows]
    assert {row["name"] for row in rows if row["kind"] == "document"} == {"nw/a", "bc/b"}


def test_json(main):
    found = json.loads(main("spans", KEY, RESPONSE, *ALL, "--format", "json")[1])
    lists = {
        "documents",
        "groups",
        "values",
        "thresholds",
        "areas",
        "differences",
        "classes",
        "changes",
    }
    assert set(found) == lists | {"totals", "macro", "signature"}
    assert found["totals"]["strict"]["recall"] == 0.6
    assert found["differences"][0] == {"measure": "strict", "p": 0.5} | dict.fromkeys(
        ("recall", "precision", "f"), pytest.approx(0.2)
    )
    assert found == json.loads(json.dumps(found))
    assert set(found["macro"]) == {"documents", "groups", "values"}


def test_the_svg_is_whole(main):
    root = ET.fromstring(main("spans", KEY, RESPONSE, "--thresholds", "0.1", "--format", "svg")[1])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # The threshold above every score has no point.
    titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "strict, 0.9: recall 20.00, precision 100.00" in titles
    assert len(titles) == 1 + 2 * 10


def test_a_curve_without_a_span(main, tmp_path):
    empty = tmp_path / "response.jsonl"
    empty.write_text('{"doc_key": "nw/a", "clusters": []}\n{"doc_key": "bc/b", "clusters": []}\n')
    problem = (
        "svg shows the curve over thresholds, and no response span is counted at any; say "
        "which: --thresholds all"
    )
    for thresholds in ("all", "0.1"):
        refused = main("spans", KEY, empty, "--thresholds", thresholds, "--format", "svg")
        assert refused == (2, "", f"scorer spans: {problem}\n")
        assert main("spans", KEY, empty, "--thresholds", thresholds, "--format", "html")[0] == 0


def test_a_page_with_hostile_names(main, tmp_path):
    for side in ("key", "response"):
        value = {
            "doc_key": "<script>x</script>",
            "tokens": ["a"],
            "clusters": [[[0, 0]]],
            "names": [[0, 0, "<b>"]],
        }
        (tmp_path / side).write_text(json.dumps(value) + "\n")
    out = main(
        "spans",
        tmp_path / "key",
        tmp_path / "response",
        "--of",
        "names",
        "--by",
        "label",
        "--per-document",
        "--format",
        "html",
    )[1]
    assert "<b>" not in out
    assert "<script>x" not in out


UNCOUNTED = f"{RESPONSE}:1: document nw/a: the span 0-1 cannot be put above or below a threshold: "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--format", "svg"],
            "scorer spans: svg shows the curve over thresholds; say which: --thresholds all\n",
        ),
        (
            ["--by", "kind"],
            (
                "scorer spans: no word and no mention has a 'kind'; there are: confidence, "
                "etype, pos, section\n"
            ),
        ),
        (
            ["--documents", "x"],
            f"scorer spans: documents: 'x' is found in no document name of {KEY}\n",
        ),
        (["--against", "nowhere"], "nowhere: No such file or directory\n"),
        (
            ["--output", OTHER, "--against", OTHER],
            f"scorer spans: {OTHER} is an input; name another file to write\n",
        ),
        (
            ["--thresholds", "all", "--score-column", "etype"],
            f"{UNCOUNTED}its etype is 'person', no number; write a number for each span\n",
        ),
        (
            ["--thresholds", "all", "--score-column", "sure"],
            f"{UNCOUNTED}it has no sure; write a number for each span\n",
        ),
    ],
)
def test_refusals(arguments, message, main):
    assert main("spans", KEY, RESPONSE, *arguments) == (2, "", message)


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--beta", "0", "'0' is not a number above 0"),
        ("--min-overlap", "2", "'2' is not a number from 0 to 1"),
        ("--of", "words", "'words' is not one of mentions, names"),
        ("--thresholds", "0.3", "'0.3' is not one of 0.1, 0.05, all; did you mean '0.1'?"),
    ],
)
def test_wrong_usage(option, value, why, main):
    status, out, err = main("spans", KEY, RESPONSE, option, value)
    assert (status, out) == (2, "")
    assert err.endswith(f"scorer spans: error: argument {option}: {why}\n")


def test_strict_and_documents(main, tmp_path):
    lacking = tmp_path / "response.jsonl"
    lacking.write_text(RESPONSE.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    warning = (
        f"warning: {lacking}: document bc/b: the response lacks this document; it is scored "
        "as an empty one\n"
    )
    assert main("spans", KEY, lacking)[::2] == (0, warning)
    assert main("spans", KEY, lacking, "--strict")[:2] == (1, "")
    assert main("spans", KEY, lacking, "--strict", "--documents", "nw")[::2] == (0, "")
    assert main("spans", KEY, KEY)[2] == ""
    # A document that only the response has is nobody's business where it is not asked for.
    assert main("spans", lacking, KEY, "--documents", "nw")[2] == ""
    assert (
        main("spans", lacking, KEY)[2]
        == f"warning: {KEY}:2: document bc/b: the key lacks this document; it is not scored\n"
    )
