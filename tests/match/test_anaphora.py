"""Split antecedents, non-referring expressions, bridging and deixis.

`fixtures/golden/ua.jsonl` holds measured runs of the Universal Anaphora scorer, and
`ua-repeats.jsonl` those in which entities share mentions.
"""

import io
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll import ConllError
from scorer.options import Options, settings

FIXTURES = Path(__file__).parents[2] / "fixtures"
ANAPHORA = FIXTURES / "anaphora"
ROWS = [
    json.loads(line)
    for name in ("ua", "ua-repeats")
    for line in (FIXTURES / "golden" / f"{name}.jsonl").read_text("utf-8").splitlines()
]
METRICS = ["muc", "bcub", "ceafe", "ceafm", "blanc", "lea"]
BRIDGING = ["bridging_anaphor", "bridging_mention", "bridging_entity"]
ALL = [*METRICS, "non_referring", *BRIDGING]

OTHERWISE = {
    "head-match-runs-when-all-are-exact": "a file without heads is refused under match head",
    "read-no-global-columns": "the columns must be declared",
    "read-global-columns-say-otherwise": "the declared columns hold, not fixed places",
    "read-no-newdoc": "a file without # newdoc is one document",
    "read-newdoc-without-id": "a document without a name is read all the same",
    "read-unclosed-mention-has-no-words": "a mention that never ends is refused",
    "read-same-markable-id-in-two-entities-last-entity": "a markable in two entities is refused",
    "read-closing-after-a-single-word-start-in-one-cell": "the second ) closes the outer mention",
    "read-plain-closings-with-option-are-not-read": "a plain ) closes the last mention, always",
    "read-range-line-counts-as-a-word": "a multi-word token is no word",
    "read-nothing-at-all": "an empty file is refused",
    "read-proposal-pseudo-after-underscore-refers": "_Pseudo is a pseudo-entity, as -Pseudo is",
}
"""Rows that are read differently on purpose, and how."""


def options_of(flags):
    """The options that flags of the Universal Anaphora scorer stand for."""
    options = {
        "like": "ua-2025-01-30",
        "blanc_edges": "luo2014",
        "singletons": "keep" if "-s" in flags else "drop",
        "zeros": "linear" if "-z" in flags else "drop",
        "split_antecedents": "score" if "-l" in flags else "ignore",
    }
    if "-a" in flags:
        match = flags[flags.index("-a") + 1]
        options["match"] = {"partial-corefud": "min", "partial-craft": "craft"}.get(match, match)
    if "-d" in flags:
        options |= {"layer": "deixis", "singletons": "keep", "split_antecedents": "score"}
    elif "--only-split-antecedent" in flags:
        options |= {"singletons": "keep", "split_antecedents": "only"}
    return options


def score(key, response, **options):
    return scorer.score(io.BytesIO(key.encode()), io.BytesIO(response.encode()), **options)


def defined(row):
    """The figures of a row that depend neither on the order of sets nor on ties."""
    figures = {name: row["figures"][name] for name in METRICS if name in row["figures"]}
    if "non-referring" in row["figures"]:
        figures["non_referring"] = row["figures"]["non-referring"]
    for level, ratios in row["figures"].get("bridging", {}).items():
        figures[f"bridging_{level}"] = ratios
    undefined = {
        name
        for field in ("order_dependent", "tie_dependent", "run_dependent", "metric_errors")
        for name in row.get(field) or ()
    }
    return {name: ratios for name, ratios in figures.items() if name not in undefined}


MEASURED = [row for row in ROWS if "figures" in row and row["id"] not in OTHERWISE and defined(row)]


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row["id"])
def test_the_figures_of_the_universal_anaphora_scorer(row):
    figures = defined(row)
    options = options_of(row["options"])
    evaluation = score(row["key"], row["response"], metrics=list(figures), **options)
    for name, ratios in figures.items():
        assert evaluation.ratios(name).as_tuple() == pytest.approx(ratios, abs=1e-9), name


def test_ceaf_counts_a_mention_in_every_entity_that_holds_it():
    """The figures that the Universal Anaphora scorer prints, two decimals of a percentage."""
    sides = [ANAPHORA / f"two-entities.{side}.conllup" for side in ("key", "response")]
    metrics = {"metrics": "muc,bcub,ceafe,ceafm"}
    evaluation = scorer.score(*sides, **settings("codicrac22ar", **metrics))
    assert evaluation.totals["ceafm"][0].as_tuple() == (4, 4, 4, 5)
    assert evaluation.ratios("ceafe").as_tuple() == pytest.approx((0.9, 0.9, 0.9))


def test_blanc_of_split_antecedents_alone_is_1_where_all_are_right():
    """The Universal Anaphora scorer gives 0.5: it leaves no kind of link out here."""
    path = ANAPHORA / "split-only.conllup"
    chosen = settings("codicrac22ar", metrics="blanc", split_antecedents="only")
    assert scorer.score(path, path, **chosen).ratios("blanc").as_tuple() == (1, 1, 1)


SPLIT = "split_antecedents"
BRIDGING_METRICS = "bridging_anaphor, bridging_mention and bridging_entity"


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({}, {SPLIT, "layer deixis", "the metric non_referring", f"the metrics {BRIDGING_METRICS}"}),
        (
            {"split_antecedents": "score", "metrics": "muc,non_referring"},
            {"layer deixis", f"the metrics {BRIDGING_METRICS}"},
        ),
        (
            {"split_antecedents": "only", "metrics": "bridging_entity"},
            {"layer deixis", "the metric non_referring"},
        ),
        (
            {"layer": "deixis", "documents": "letter"},
            {SPLIT, "the metric non_referring", f"the metrics {BRIDGING_METRICS}"},
        ),
    ],
)  # fmt: skip
def test_what_is_scored_is_not_reported_as_left_out(options, warned):
    path = FIXTURES / "formats" / "pieces.universalanaphora.conllup"
    evaluation = scorer.score(path, path, **options)
    texts = [problem.text for problem in evaluation.problems]
    assert {text.partition(" scored only with ")[2] for text in texts} == warned
    assert len(texts) == 2 * len(warned)


@pytest.mark.parametrize("row", [row for row in ROWS if "error" in row], ids=lambda row: row["id"])
def test_what_that_program_cannot_score_has_a_figure_or_one_line(row):
    with suppress(ConllError, ValueError):
        evaluation = score(row["key"], row["response"], metrics=ALL, **options_of(row["options"]))
        assert all(0 <= ratio <= 1 for name in ALL for ratio in evaluation.ratios(name).as_tuple())


COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS"


def text_of(documents):
    """A file of Universal Anaphora.

    A document is its name, its number of words, its entities, and bridging pairs of words; an
    entity is its id, its words, each a mention, and the id of the entity of which it is an element.
    """
    lines = [f"# global.columns = {COLUMNS}"]
    for name, size, entities, bridging in documents:
        identity, cells = [""] * size, [""] * size
        for label, words, element_of in entities:
            element = f"|ElementOf={element_of}" if element_of else ""
            for word in words:
                identity[word] += f"(EntityID={label}|MarkableID=m{word}{element})"
        for anaphor, antecedent in bridging:
            cells[anaphor] += f"(MarkableID=m{anaphor}|MentionAnchor=m{antecedent})"
        lines.append(f"# newdoc id = {name}")
        for word in range(size):
            row = [str(word + 1), f"w{word}", *"_" * 8, identity[word], cells[word], ""]
            lines.append("\t".join(cell or "_" for cell in row))
        lines.append("")
    return "\n".join(lines) + "\n"


SIZE = 12


def drawn_document(name, draw):
    """A random document, each word in one mention at most."""
    words = draw.sample(range(SIZE), draw.randrange(2, SIZE))
    entities = []
    for number in range(draw.randrange(1, 6)):
        taken, words = sorted(words[: draw.randrange(1, 4)]), words[3:]
        if taken:
            element_of = f"e{draw.randrange(number)}" if number and draw.random() < 0.4 else ""
            pseudo = "-Pseudo" if draw.random() < 0.2 else ""
            entities.append((f"e{number}{pseudo}", taken, element_of))
    mentions = [word for _, taken, _ in entities for word in taken]
    bridging = [draw.sample(mentions, 2) for _ in range(draw.randrange(3)) if len(mentions) > 1]
    return name, SIZE, entities, bridging


@given(st.randoms(use_true_random=False), st.sampled_from(["score", "only"]))
def test_a_perfect_response_scores_1(draw, split):
    text = text_of([drawn_document(name, draw) for name in "ab"])
    evaluation = score(text, text, metrics=ALL, split_antecedents=split)
    for name in ALL:
        if any(counts.recall_denominator for counts in evaluation.totals[name]):
            assert evaluation.ratios(name).as_tuple() == pytest.approx((1, 1, 1)), name


@given(st.randoms(use_true_random=False), st.sampled_from(["score", "only", "ignore"]))
def test_the_order_of_documents_and_entities_does_not_matter(draw, split):
    sides = [[drawn_document(name, draw) for name in "ab"] for _ in range(2)]
    shuffled = [
        [(*begin, draw.sample(entities, len(entities)), end) for *begin, entities, end in side][
            ::-1
        ]
        for side in sides
    ]
    figures = []
    for pair in (sides, shuffled):
        evaluation = score(*map(text_of, pair), metrics=ALL, split_antecedents=split)
        figures.append([evaluation.ratios(name).as_tuple() for name in ALL])
    assert figures[0] == [pytest.approx(ratios) for ratios in figures[1]]


def test_an_aligned_split_antecedent_may_be_equal_to_that_of_another_entity():
    # Key x has a split antecedent of four elements, y of two; in the response it is the other way
    # round. Sharing two elements is 2/3 of F1, and two such pairs are better than one equal pair.
    def text(*elements_of):
        parts = [(name, [at], of) for at, (name, of) in enumerate(zip("abcd", elements_of))]
        wholes = [("x", [4], ""), ("y", [5], ""), ("z", [6], "")]
        return parts + wholes

    key, response = text("x", "x", "x,y", "x,y")[:-1], text("x,y", "x,y", "y", "y")
    evaluation = score(
        *(text_of([("d", 7, entities, [])]) for entities in (key, response)),
        metrics="bcub",
        split_antecedents="score",
        singletons="keep",
    )
    # Four elements that are right, an entity that is right, and one whose split antecedent counts
    # by half: in the key x by its recall, in the response y by its precision.
    right = 4 + 2 + (1 + 1 / 2) ** 2 / 2
    assert evaluation.totals["bcub"][0].as_tuple() == (right, 8, right, 9)


COREFUD = """\
# global.Entity = eid-etype-head-other
# newdoc id = d
# sent_id = 1
1	Ada	_	_	_	_	0	_	_	Entity=(e1--1-)
2	met	_	_	_	_	0	_	_	_
3	Bob	_	_	_	_	0	_	_	Entity=(e2--1-)
4	They	_	_	_	_	0	_	_	Entity=(e3--1-)|SplitAnte=e1<e3,e2<e3
5	left	_	_	_	_	0	_	_	_
6	doors	_	_	_	_	0	_	_	Bridge=e3<e4|Entity=(e4--1-)

"""


LACKING = COREFUD.replace("|SplitAnte=e1<e3,e2<e3", "")
OTHER = COREFUD.replace("e1--1-", "e2--1-")


def test_corefud_names_split_antecedents_and_bridging():
    metrics = "muc,bridging_mention"
    evaluation = score(COREFUD, LACKING, metrics=metrics, split_antecedents="score")
    assert evaluation.totals["muc"][0].as_tuple() == (0, 1, 0, 0)
    assert evaluation.ratios("bridging_mention").as_tuple() == (1, 1, 1)
    perfect = score(COREFUD, COREFUD, metrics="muc", split_antecedents="score", match="head")
    assert perfect.totals["muc"][0].as_tuple() == (1, 1, 1, 1)


def test_variants_do_not_support_split_antecedents():
    options = {"metrics": "b3_all,ceafe_sys", "split_antecedents": "score"}
    assert score(COREFUD, LACKING, **options)
    other = COREFUD.replace("e1--1-", "e5--1-").replace("e1<", "e5<")
    with pytest.raises(ValueError, match="variants of B³ and CEAF do not support split ante"):
        score(COREFUD, other, **options)


CIRCLE = text_of([("d", 1, [("e", [0], "e")], [])])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (COREFUD, {"layer": "deixis"}, "only Universal Anaphora has a layer deixis; score the layer identity"),
        (CIRCLE, {"split_antecedents": "score"}, "entity e is an element of its own split antecedent"),
        (
            COREFUD,
            {"like": "corefud-1.2", "layer": "deixis", "metrics": ["muc", "non_referring"]},
            "layer=deixis, non_referring cannot be scored with like=corefud-1.2; leave one of them",
        ),
        (
            COREFUD.replace("--1-", "-person-1-"),
            {"typed": "etype", "split_antecedents": "only", "match": "craft"},
            "typed=etype cannot be scored with match=craft, split_antecedents=only; leave one of",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_one_line(text, options, message):
    with pytest.raises((ConllError, ValueError), match=message):
        score(text, text.replace("(e1-", "(e2-"), **options)


WITH_MIN = """\
# global.columns = ID FORM IDENTITY
# newdoc id = a
1\tthe\t(EntityID=1|MarkableID=a|Min=2
2\tcat\t)
3\tit\t(EntityID=1|MarkableID=b)
# newdoc id = b
1\tit\t(EntityID=1|MarkableID=c)
"""
INSIDE = WITH_MIN.replace("(EntityID=1|MarkableID=a|Min=2", "_").replace(
    ")\n3", "(EntityID=1|MarkableID=a|Min=2)\n3"
)
"""The same with "cat" in place of "the cat"; there is no Min in the second document."""


@pytest.mark.parametrize("response", [INSIDE, INSIDE.replace("|Min=2", "")])
def test_only_the_key_needs_min(response):
    assert score(WITH_MIN, response, match="min").ratios("muc").f1 == 1
    assert score(WITH_MIN, response).ratios("muc").f1 == 0


def test_a_key_without_min_is_refused():
    """As heads are asked for by match=head; figures would be those of exact matching."""
    advice = "match exact, or give a key with Min, such as Universal Anaphora"
    with pytest.raises(ConllError, match=f"^<file>: no mention of the key has Min; {advice}$"):
        score(WITH_MIN.replace("|Min=2", ""), INSIDE, match="min")
    clusters = [[(0, 2), (8, 8)]]
    with pytest.raises(ConllError, match=f"^key: no mention of the key has Min; {advice}$"):
        scorer.score(clusters, [[(1, 2), (8, 8)]], match="min")
    with pytest.raises(TypeError, match=r"^match: clusters in memory have no Min; choose"):
        scorer.Accumulator("muc", match="min")


@pytest.mark.parametrize(
    "preset", ["codicrac22ar", "codicrac22br", "codicrac22dd", "crac18", "craft19"]
)
def test_presets_are_the_flags_that_the_program_gives_them(preset):
    (row,) = (row for row in ROWS if row["id"] == f"option-preset-{preset}-as-flags")
    chosen = settings(preset)
    flags = {"match": "exact", **options_of(row["options"])}
    assert flags.items() <= {**Options().to_dict(), **chosen}.items()
    evaluation = score(row["key"], row["response"], **chosen)
    for name in set(row["figures"]) & set(METRICS):
        assert evaluation.ratios(name).as_tuple() == pytest.approx(row["figures"][name], abs=1e-9)
