"""Split antecedents, non-referring expressions, bridging and deixis.

`fixtures/golden/ua.jsonl` holds measured runs of the Universal Anaphora scorer.
"""

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll import ConllError
from scorer.options import Options, settings
from strategies import examples

GOLDEN = Path(__file__).parents[2] / "fixtures" / "golden" / "ua.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
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


def written(folder, key, response):
    paths = folder / "key.conllu", folder / "response.conllu"
    for path, text in zip(paths, (key, response)):
        path.write_text(text, "utf-8")
    return paths


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
def test_the_figures_of_the_universal_anaphora_scorer(row, tmp_path):
    figures = defined(row)
    paths = written(tmp_path, row["key"], row["response"])
    evaluation = scorer.score(*paths, metrics=list(figures), **options_of(row["options"]))
    for name, ratios in figures.items():
        assert evaluation.ratios(name).as_tuple() == pytest.approx(ratios, abs=1e-9), name


@pytest.mark.parametrize("row", [row for row in ROWS if "error" in row], ids=lambda row: row["id"])
def test_what_that_program_cannot_score_has_a_figure_or_one_line(row, tmp_path):
    paths = written(tmp_path, row["key"], row["response"])
    with suppress(ConllError, ValueError):
        evaluation = scorer.score(*paths, metrics=ALL, **options_of(row["options"]))
        assert all(0 <= ratio <= 1 for name in ALL for ratio in evaluation.ratios(name).as_tuple())


COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS"


class Entity:
    """An entity: its mentions as (markable, word), its elements, and whether it refers."""

    def __init__(self, name, mentions, element_of, pseudo):
        self.name = f"{name}-Pseudo" if pseudo else name
        self.mentions = mentions
        self.element_of = element_of


def text_of(documents):
    """A file of Universal Anaphora; a document is its name, entities, words, and bridging pairs."""
    lines = [f"# global.columns = {COLUMNS}"]
    for name, entities, size, bridging in documents:
        lines.append(f"# newdoc id = {name}")
        identity = ["" for _ in range(size)]
        for entity in entities:
            for markable, word in entity.mentions:
                element = f"|ElementOf={entity.element_of}" if entity.element_of else ""
                identity[word] += f"(EntityID={entity.name}|MarkableID={markable}{element})"
        cells = ["" for _ in range(size)]
        for word, (anaphor, antecedent) in enumerate(bridging):
            cells[word] += f"(MarkableID={anaphor}|MentionAnchor={antecedent})"
        for word in range(size):
            empty = "\t".join("_" * 8)
            row = (word + 1, f"w{word}", empty, identity[word] or "_", cells[word] or "_", "_")
            lines.append("\t".join(map(str, row)))
        lines.append("")
    return "\n".join(lines) + "\n"


def document(name, draw):
    """A random document, each word in one mention at most."""
    size = draw.randrange(4, 14)
    words = draw.sample(range(size), draw.randrange(2, size))
    entities, markables = [], []
    for number in range(draw.randrange(1, 6)):
        taken, words = words[: draw.randrange(1, 4)], words[3:]
        mentions = [(f"m{word}", word) for word in sorted(taken)]
        if not mentions:
            break
        element = f"e{draw.randrange(number)}" if number and draw.random() < 0.4 else ""
        entities.append(Entity(f"e{number}", mentions, element, draw.random() < 0.2))
        markables += [markable for markable, _ in mentions]
    bridging = [draw.sample(markables, 2) for _ in range(draw.randrange(3)) if len(markables) > 1]
    return name, entities, size, bridging


@examples(4)
@given(st.randoms(use_true_random=False), st.sampled_from(["score", "only"]))
def test_a_perfect_response_scores_1(tmp_path_factory, draw, split):
    text = text_of([document(name, draw) for name in "ab"])
    paths = written(tmp_path_factory.mktemp("ua"), text, text)
    evaluation = scorer.score(*paths, metrics=ALL, split_antecedents=split)
    for name in ALL:
        if any(counts.recall_denominator for counts in evaluation.totals[name]):
            assert evaluation.ratios(name).as_tuple() == pytest.approx((1, 1, 1)), name


@examples(4)
@given(st.randoms(use_true_random=False), st.sampled_from(["score", "only", "ignore"]))
def test_the_order_of_documents_and_entities_does_not_matter(tmp_path_factory, draw, split):
    keys = [document(name, draw) for name in "ab"]
    responses = [
        (name, response, size, bridging)
        for (name, _, size, _), (_, response, _, bridging) in zip(
            keys, (document(name, random.Random(draw.random())) for name in "ab")
        )
        if all(word < size for entity in response for _, word in entity.mentions)
        and len(bridging) <= size
    ]
    keys = [key for key in keys if key[0] in {response[0] for response in responses}]
    shuffled = [
        [(name, draw.sample(entities, len(entities)), *rest) for name, entities, *rest in side][
            ::-1
        ]
        for side in (keys, responses)
    ]
    folder = tmp_path_factory.mktemp("ua")
    figures = []
    for sides in ((keys, responses), shuffled):
        if not sides[0]:
            return
        paths = written(folder, *map(text_of, sides))
        evaluation = scorer.score(*paths, metrics=ALL, split_antecedents=split)
        figures.append([evaluation.ratios(name).as_tuple() for name in ALL])
    assert figures[0] == [pytest.approx(ratios) for ratios in figures[1]]


def test_an_aligned_split_antecedent_may_be_equal_to_that_of_another_entity(tmp_path):
    # Key x has a split antecedent of four elements, y of two; in the response it is the other way
    # round. Sharing two elements is 2/3 of F1, and two such pairs are better than one equal pair.
    empty = "\t".join("_" * 8)

    def text(element_of):
        cells = [
            f"(EntityID={name}|MarkableID={name}{f'|ElementOf={of}' if of else ''})"
            for name, of in zip("abcdxyz", [*element_of, "", "", ""])
        ]
        rows = [f"{at}\tw\t{empty}\t{cell}\t_\t_" for at, cell in enumerate(cells, 1)]
        return "\n".join([f"# global.columns = {COLUMNS}", "# newdoc id = d", *rows, ""])

    key = text(["x", "x", "x,y", "x,y"]).replace("(EntityID=z|MarkableID=z)", "_")
    paths = written(tmp_path, key, text(["x,y", "x,y", "y", "y"]))
    evaluation = scorer.score(*paths, metrics="bcub", split_antecedents="score", singletons="keep")
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


def test_corefud_names_split_antecedents_and_bridging(tmp_path):
    key, response = written(tmp_path, COREFUD, COREFUD.replace("|SplitAnte=e1<e3,e2<e3", ""))
    evaluation = scorer.score(
        key, response, metrics="muc,bridging_mention", split_antecedents="score"
    )
    assert evaluation.totals["muc"][0].as_tuple() == (0, 1, 0, 0)
    assert evaluation.ratios("bridging_mention").as_tuple() == (1, 1, 1)
    perfect = scorer.score(key, key, metrics="muc,bcub", split_antecedents="score", match="head")
    assert perfect.totals["muc"][0].as_tuple() == (1, 1, 1, 1)


def test_a_layer_that_a_file_lacks_is_refused(tmp_path):
    key, response = written(tmp_path, COREFUD, COREFUD.replace("e1--1-", "e2--1-"))
    problem = "only Universal Anaphora has a layer deixis; score the layer identity"
    with pytest.raises(ConllError, match=problem):
        scorer.score(key, response, layer="deixis")


def test_variants_do_not_support_split_antecedents(tmp_path):
    lacking = COREFUD.replace("|SplitAnte=e1<e3,e2<e3", "")
    options = {"metrics": "b3_all,ceafe_sys", "split_antecedents": "score"}
    assert scorer.score(*written(tmp_path, COREFUD, lacking), **options)
    paths = written(tmp_path, COREFUD, COREFUD.replace("e1--1-", "e5--1-").replace("e1<", "e5<"))
    with pytest.raises(ValueError, match="variants of B³ and CEAF do not support split ante"):
        scorer.score(*paths, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"like": "corefud-1.2", "layer": "deixis", "metrics": ["muc", "non_referring"]},
            "layer=deixis, non_referring cannot be scored with like=corefud-1.2; leave one of them",
        ),
        (
            {"typed": "etype", "split_antecedents": "only", "match": "min"},
            "split_antecedents=only, match=min cannot be scored with typed; leave one of them out",
        ),
    ],
)
def test_options_that_exclude_each_other_are_named(options, message, tmp_path):
    key = COREFUD.replace("--1-", "-person-1-")
    paths = written(tmp_path, key, key.replace("e1-person", "e2-person"))
    with pytest.raises(ValueError, match=message):
        scorer.score(*paths, **options)


def test_errors_name_options_without_effect(tmp_path):
    paths = written(tmp_path, COREFUD, COREFUD.replace("e1--1-", "e2--1-"))
    notes = scorer.errors(*paths, metrics="muc", match="min", zeros="drop").notes
    assert "without effect here: match=min, zeros=drop" in notes


def test_elements_in_a_circle_are_refused(tmp_path):
    text = text_of([("d", [Entity("e", [("m", 0)], "e", False)], 1, [])])
    paths = written(tmp_path, text, text)
    with pytest.raises(ConllError, match="entity e is an element of its own split antecedent"):
        scorer.score(*paths, split_antecedents="score")


@pytest.mark.parametrize(
    "preset", ["codicrac22ar", "codicrac22br", "codicrac22dd", "crac18", "craft19"]
)
def test_presets_are_the_flags_that_the_program_gives_them(preset, tmp_path):
    (row,) = (row for row in ROWS if row["id"] == f"option-preset-{preset}-as-flags")
    paths = written(tmp_path, row["key"], row["response"])
    chosen = settings(preset)
    assert {"match": "exact", **options_of(row["options"])}.items() <= {
        **Options().to_dict(),
        **chosen,
    }.items()
    evaluation = scorer.score(*paths, **chosen)
    for name in set(row["figures"]) & set(METRICS):
        assert evaluation.ratios(name).as_tuple() == pytest.approx(row["figures"][name], abs=1e-9)
