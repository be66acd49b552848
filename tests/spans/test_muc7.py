"""The reports of MUC-7: rows of slots to the byte, chains and links, and what files give of
slots."""

import itertools
import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.spans.counts import Sides, Span, total
from scorer.spans.muc7 import (
    ChainCounts,
    SlotCounts,
    all_slots,
    count_filtering,
    count_slots,
    slot_rows,
)
from scorer.spans.muc7_scores import RULE
from scorer.spans.muc7_scores import format_f_measures as f_measures
from scorer.spans.muc7_scores import format_row as row

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROWS = list(map(json.loads, (FIXTURES / "golden" / "muc7.jsonl").read_text("utf-8").splitlines()))
KEY, RESPONSE = FIXTURES / "spans" / "key.jsonl", FIXTURES / "spans" / "response.jsonl"


@pytest.mark.parametrize(
    "golden", [row for row in ROWS if "text" in row], ids=lambda row: row["slot"]
)
def test_rows_of_slots_to_the_byte(golden):
    counts = SlotCounts(*(golden[name] for name in ("cor", "par", "inc", "mis", "spu", "non")))
    assert (counts.possible, counts.actual) == (golden["pos"], golden["act"])
    assert row(golden["slot"], counts) + f_measures(counts) == golden["text"]


@pytest.mark.parametrize(
    "golden", [row for row in ROWS if "system" in row], ids=lambda row: row["system"]
)
def test_published_totals_of_coreference(golden):
    counts = ChainCounts(0, 0, golden["correct"], golden["key_links"], golden["response_links"])
    recall, precision, _ = counts.ratios()
    assert (round(recall, 2), round(precision, 2)) == (golden["recall"], golden["precision"])


def test_slots():
    """(0,1), (6,6), (0,0) are right, (3,4) overlaps (4,4), (2,2) of b is missing, of a spurious.

    PERSON: one exact, one that overlaps; GPE: found with the type PERSON; by hand.
    """
    total = scorer.score_muc7(KEY, RESPONSE).total
    assert total.slots == {
        ("", "mention"): (3, 0, 1, 1, 1, 0),
        ("GPE", ""): (1, 0, 0, 0, 0, 0),
        ("GPE", "text"): (1, 0, 0, 0, 0, 0),
        ("GPE", "type"): (0, 0, 1, 0, 0, 0),
        ("PERSON", ""): (2, 0, 0, 0, 0, 0),
        ("PERSON", "text"): (1, 0, 1, 0, 0, 0),
        ("PERSON", "type"): (2, 0, 0, 0, 0, 0),
    }
    # Slots alone: the mentions (3, 0, 1, 1, 1), two texts that are right and one that is not, two
    # types and one.
    assert all_slots(total.slots) == (3 + 2 + 2, 0, 1 + 1 + 1, 1, 1, 0)
    slots = scorer.score_muc7(KEY, RESPONSE, partial=True).total.slots
    assert slots["", "mention"] == (3, 1, 0, 1, 1, 0)
    assert slots["PERSON", "text"] == (1, 1, 0, 0, 0, 0)


def test_names_of_conll2012(tmp_path):
    line = "a 0 {} w NN * - - - - {} {}\n"
    for side, names in (("key", ["(ORG(GPE)", "*)", "*"]), ("response", ["(ORG*", "*)", "(GPE)"])):
        text = "".join(
            line.format(at, name, "(1)" if at == 1 else "-") for at, name in enumerate(names)
        )
        (tmp_path / side).write_text(f"#begin document (a); part 000\n{text}#end document\n")
    slots = scorer.score_muc7(tmp_path / "key", tmp_path / "response").total.slots
    assert slots["ORG", "text"] == (1, 0, 0, 0, 0, 0)
    assert slots["GPE", "text"] == slots["GPE", "type"] == slots["GPE", ""] == (0, 0, 0, 1, 1, 0)


def test_chains_and_links():
    """Published case: {a}{bc}{def} and {a}{de} have 1 of 3 key links and 1 of 1 response link
    right; singletons are no chains."""
    key, response = (
        [[(0, 0)], [(1, 1), (2, 2)], [(3, 3), (4, 4), (5, 5)]],
        [[(0, 0)], [(3, 3), (4, 4)]],
    )
    scores = scorer.score_muc7({"a": key, "b": []}, {"a": response, "b": []})
    assert scores.total.chains == (2, 1, 1, 3, 1)
    assert [*scores.total.chains.ratios()] == pytest.approx([1 / 3, 1, 1 / 2])
    assert scores.documents["b"].chains == (0, 0, 0, 0, 0)


def test_text_filtering():
    one, none = [[(0, 0)]], []
    key = {"both": one, "key": one, "response": none, "neither": none, "lacking": one}
    response = {"both": one, "key": none, "response": one, "neither": none}
    assert scorer.score_muc7(key, response).total.filtering == (1, 0, 0, 2, 1, 1)


def test_sections():
    sections = scorer.score_muc7(KEY, RESPONSE, section="section").sections
    assert list(sections) == ["TEXT", "TITLE"]
    assert sections["TITLE"]["", "mention"] == (1, 0, 0, 0, 0, 0)
    assert sections["TEXT"]["", "mention"] == (2, 0, 1, 1, 1, 0)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scorer.score_muc7(KEY, RESPONSE, section="part")
    assert (
        str(caught.value)
        == "no word and no mention has a 'part'; choose from: confidence, etype, pos, section"
    )


# Optional and null fills, subtasks


def names(*spans):
    """Names of one side: first token, label, and whether it is optional."""
    return [Span(at, at + 1, label, is_optional=optional) for at, label, optional in spans]


A, B = (0, "PERSON", False), (4, "PERSON", True)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # The worked cases: POS 1, COR 1, MIS 0, and POS 2, COR 2.
        ([A, B], [A], (1, 0, 0, 0, 0, 0)),
        ([A, B], [A, (4, "PERSON", False)], (2, 0, 0, 0, 0, 0)),
        # An optional span that is found with another label is possible, and wrong.
        ([B], [(4, "DATE", False)], (0, 0, 1, 0, 0, 0)),
        ([B], [(7, "PERSON", False)], (0, 0, 0, 0, 1, 0)),
        # Both null is noncommittal and nothing else; null in the key spurious, in the response
        # missing.
        ([(0, "", False)], [(0, "", False)], (0, 0, 0, 0, 0, 1)),
        ([(0, "", False)], [(0, "DATE", False)], (0, 0, 0, 0, 1, 0)),
        ([(0, "DATE", False)], [(0, "", False)], (0, 0, 0, 1, 0, 0)),
        # What nobody has is no fill.
        ([(0, "", False)], [], (0, 0, 0, 0, 0, 0)),
        ([], [(0, "", False)], (0, 0, 0, 0, 0, 0)),
    ],
)
def test_types_of_optional_and_null_fills(key, response, expected):
    slots = count_slots(Sides([], []), Sides(names(*key), names(*response)), partial=False)
    types = [counts for (_, slot), counts in slots.items() if slot == "type"]
    assert total(types, SlotCounts()) == expected


def test_optional_mentions():
    key, response = names(A, B), names(A)
    slots = count_slots(Sides(key, response), Sides([], []), partial=True)
    assert slots == {("", "mention"): (1, 0, 0, 0, 0, 0)}
    assert slots["", "mention"].ratios()["REC"] == (2, 2)
    assert count_filtering(Sides(names(B), []), Sides([], [])) == SlotCounts(noncommittal=1)
    assert count_filtering(Sides(names(B), response), Sides([], [])) == SlotCounts(correct=1)


def test_optional_and_null_fills_of_json_lines(main, tmp_path):
    """By hand: the second mention and the second name are optional, and the third name has no
    label."""
    spans = {
        "key": {
            "clusters": [[[0, 0]], [{"start": 1, "end": 1, "optional": True}]],
            "names": [
                [0, 0, "PERSON"],
                {"start": 1, "end": 1, "label": "PERSON", "optional": True},
                {"start": 2, "end": 2},
            ],
        },
        "response": {"clusters": [[[0, 0]]], "names": [[0, 0, "PERSON"], [2, 2, None]]},
    }
    paths = []
    for side, content in spans.items():
        paths.append(tmp_path / f"{side}.jsonl")
        paths[-1].write_text(json.dumps({"doc_key": "a", "tokens": ["a", "b", "c"]} | content))
    slots = scorer.score_muc7(*paths).total.slots
    assert slots["", "mention"] == (1, 0, 0, 0, 0, 0)
    assert slots["PERSON", "text"] == slots["PERSON", "type"] == (1, 0, 0, 0, 0, 0)
    assert slots["(none)", "text"] == (1, 0, 0, 0, 0, 0)
    assert slots["(none)", "type"] == (0, 0, 0, 0, 0, 1)
    # The key as a response has all that is optional; as a key it asks for none of it.
    slots = scorer.score_muc7(paths[0], paths[0]).total.slots
    assert slots["", "mention"] == slots["PERSON", "type"] == (2, 0, 0, 0, 0, 0)
    converted = tmp_path / "copy.jsonl"
    assert main("convert", paths[0], converted)[0] == 0
    assert (
        scorer.score_muc7(converted, paths[1]).total.slots == scorer.score_muc7(*paths).total.slots
    )


@pytest.mark.parametrize(
    "mention", [{"start": 0}, {"start": "0", "end": 1}, {"start": 0, "end": None}, {}, {"end": []}]
)
def test_objects_that_are_no_mentions_are_refused(mention, main, tmp_path):
    path = tmp_path / "key.jsonl"
    path.write_text(json.dumps({"doc_key": "a", "tokens": ["a", "b"], "clusters": [[mention]]}))
    status, out, err = main("muc7", path, path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "is not two integers; write its first and its last token" in err


def test_subtasks_sum_up_their_labels_and_are_in_the_totals_only_once():
    labels = ["PERSON", "location", "DATE", "PERCENT", "GPE"]
    key = [(3 * at, label, False) for at, label in enumerate(labels)]
    slots = count_slots(Sides([], []), Sides(names(*key), names(*key[1:])), partial=False)
    rows = slot_rows(slots)
    assert [name for name, slot, _ in rows if not slot] == [
        *("ENAMEX", "PERSON", "location"),
        *("TIMEX", "DATE", "NUMEX", "PERCENT", "GPE"),
    ]
    enamex = [counts for name, slot, counts in rows if (name, slot) == ("ENAMEX", "text")]
    assert enamex == [(1, 0, 0, 1, 0, 0)]
    assert all_slots(slots) == (2 * 4, 0, 0, 2 * 1, 0, 0)
    # A label that is called like a subtask stays itself.
    own = count_slots(
        Sides([], []), Sides(names((0, "TIMEX", False), (3, "DATE", False)), []), partial=True
    )
    assert [(name, slot) for name, slot, _ in slot_rows(own)] == list(own)


# Two responses


def test_p_is_that_of_all_swaps_of_documents():
    """By definition: how many of the 2 ** 4 swaps give a difference as large as the observed
    one."""
    sizes, first, second = (2, 3, 5, 6), (0, 3, 1, 4), (2, 2, 4, 6)
    key = {str(at): [[(3 * m, 3 * m) for m in range(size)]] for at, size in enumerate(sizes)}

    def response(right):
        return {name: [[*key[name][0][:n], (99, 99)]] for name, n in zip(key, right)}

    def measures(right):
        possible, actual = sum(sizes), sum(n + 1 for n in right)
        return (
            Fraction(sum(right), possible),
            Fraction(sum(right), actual),
            Fraction(2 * sum(right), possible + actual),
        )

    scores = scorer.score_muc7(key, response(first), against=response(second))
    observed = [b - a for a, b in zip(measures(first), measures(second))]
    swapped = []
    for swaps in itertools.product((1, -1), repeat=4):
        pairs = [pair[::swap] for swap, pair in zip(swaps, zip(first, second))]
        swapped.append([b - a for a, b in zip(*map(measures, zip(*pairs)))])
    assert [change.measure for change in scores.changes.differences] == ["REC", "PRE", "P&R"]
    for at, change in enumerate(scores.changes.differences):
        assert change.first == pytest.approx(float(measures(first)[at]))
        assert change.difference == pytest.approx(float(observed[at]))
        assert change.p == sum(abs(outcome[at]) >= abs(observed[at]) for outcome in swapped) / 16


def test_the_command_compares_two_responses(main):
    arguments = "muc7", KEY, RESPONSE, "--against", FIXTURES / "spans" / "other.jsonl"
    tree = json.loads(main(*arguments, "--format", "json")[1])
    assert [row["measure"] for row in tree["differences"]] == ["REC", "PRE", "P&R"]
    assert tree["signature"]["against"]["format"] == "jsonl"
    table = main(*arguments)[1]
    assert "second less first" in table
    assert "over 2 documents no difference can be significant" in table
    assert "AGAINST REC" in main(*arguments, "--format", "muc7")[1]


def test_what_lies_in_no_section_has_a_title(main, tmp_path):
    path = tmp_path / "a.jsonl"
    line = {"doc_key": "a", "tokens": ["a", "b"], "clusters": [[[0, 0]], [[1, 1]]]}
    path.write_text(json.dumps(line | {"section": ["TITLE", None]}))
    arguments = "muc7", path, path, "--section-field", "section"
    assert main(*arguments, "--format", "muc7")[1].startswith("(no section)\n---")
    assert "\n(no section)  " in main(*arguments)[1]
    names = [row["name"] for row in json.loads(main(*arguments, "--format", "json")[1])["slots"]]
    assert list(dict.fromkeys(names)) == ["", "TITLE"]


@given(st.builds(SlotCounts, *[st.integers(0, 400)] * 6))
def test_measures_of_slots(counts):
    ratios = [*counts.ratios().values()]
    assert all(0 <= numerator <= denominator for numerator, denominator in ratios)
    assert len(row("x", counts)) == len(RULE)
    recall, precision = (a / b if b else 0 for a, b in ratios[:2])
    f = counts.f_measures()[0]
    assert (f is None) == (counts.possible == 0 or counts.actual == 0)
    both = recall + precision
    assert f is None or f == pytest.approx(2 * recall * precision / both if both else 0)


def test_the_command_prints_the_text(main):
    status, out, err = main("muc7", KEY, RESPONSE, "--format", "muc7", "--per-document")
    assert (status, err) == (0, "")
    counts = SlotCounts(7, 0, 3, 1, 1)
    filtering = row("TEXT FILTER", SlotCounts(2))
    assert f"{RULE}{row('ALL SLOTS', counts)}{RULE}{filtering}{f_measures(counts)}" in out
    headings = ["nw/a\n", "bc/b\n", "TOTAL\n", " * * * TOTAL SLOT SCORES * * *\n"]
    places = list(map(out.index, headings))
    assert places == sorted(places)
    assert "  text           2     2|   1   0    1|" in out
    # A document without names has no row for them.
    assert "PERSON" not in out[places[1] : places[2]]
    hashes = [sha256(path.read_bytes()).hexdigest()[:8] for path in (KEY, RESPONSE)]
    assert out.endswith(
        f"\n\nsignature: conll-scorer {scorer.__version__}; muc7=exact; key=jsonl:{hashes[0]}; "
        f"response=jsonl:{hashes[1]}; report=format:muc7,per:document\n"
    )


def test_data_name_documents_and_groups():
    """A section lists them, then the total."""
    scores = scorer.score_muc7(KEY, RESPONSE)
    options = {"per_document": True, "group_by": "^(..)"}
    frame = scores.to_frame("coreference", **options)
    rows = list(zip(frame["kind"], frame["name"].fillna("")))
    expected = [("document", "nw/a"), ("document", "bc/b")]
    expected += [("group", "bc"), ("group", "nw"), ("total", "")]
    assert rows == expected
    assert [line.split()[0] for line in scores.text(**options).splitlines()[3:8]] == [
        *("nw/a", "bc/b", "bc", "nw", "total")
    ]
