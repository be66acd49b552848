"""`scorer.score` and what an `Evaluation` offers."""

import io
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scorer
from conll import open_documents, system, write_documents
from scorer import registry
from scorer.count.counts import Counts
from scorer.registry import ALL_METRICS

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"

# The worked cases 1 and 2 of the published test data, as in the issue: {a} {bc} {def} against
# itself and {a} {de}.
ONE = [["a"], ["b", "c"], ["d", "e", "f"]]
TWO = [["a"], ["d", "e"]]


@pytest.fixture
def both():
    return scorer.score({"1": ONE, "2": ONE}, {"1": ONE, "2": TWO})


def test_nothing_at_all():
    evaluation = scorer.score({}, {})
    assert all(evaluation.ratios(name).f1 == evaluation.macro(name).f1 == 0 for name in ALL_METRICS)
    assert evaluation.to_frame().empty


def test_conll_is_the_mean_f1_of_three_and_has_no_more():
    evaluation = scorer.score(ONE, TWO)
    ratios = evaluation.ratios("conll")
    assert ratios.f1 == pytest.approx((0.5 + evaluation.ratios("bcub").f1 + 0.72) / 3)
    assert (ratios.recall, ratios.precision) == (None, None)
    with pytest.raises(KeyError):
        evaluation.ratios("bleu")


def test_files_open_files_and_memory_agree():
    by_path = scorer.score(KEY, str(RESPONSE))
    with open(KEY, "rb") as key, open(RESPONSE, encoding="utf-8") as response:
        by_file = scorer.score(key, response)
    documents = [clusters_of(path) for path in (KEY, RESPONSE)]
    in_memory = scorer.score(*documents)
    assert len(by_path.documents) == 2
    for evaluation in (by_file, in_memory):
        assert evaluation.totals == by_path.totals
        assert [document.counts for document in evaluation.documents] == [
            document.counts for document in by_path.documents
        ]


def clusters_of(path):
    source = open_documents(path)
    return {name: source.read(name).clusters for name in source.names()}


def test_formats_may_differ(tmp_path):
    path = tmp_path / "response"
    write_documents(open_documents(RESPONSE), path, "jsonl")
    for formats in ({}, {"key_format": "conll2012", "response_format": "jsonl"}):
        evaluation = scorer.score(KEY, path, **formats)
        assert evaluation.totals == scorer.score(KEY, RESPONSE).totals
        assert evaluation.problems == []


@pytest.mark.parametrize(
    ("key", "response"),
    [
        ([[(0, 1), (3, 4)]], [[(0, 0, 1)], [(0, 3, 4)]]),
        ([[(7, 3, 4)], [(7, 0, 1)]], [[], [(0, 1), (3, 4)]]),
        ([[(0, 1), (5, 5)]], [["0-1", "5-5"]]),
    ],
)
def test_both_sides_have_mentions_of_one_kind(key, response, tmp_path, main):
    first, other = (
        next(mention for cluster in side for mention in cluster) for side in (key, response)
    )
    problem = f"the key has mentions such as {first!r}, the response such as {other!r}; write both"
    with pytest.raises(TypeError, match=re.escape(f"document a: {problem}")):
        scorer.score({"a": key}, {"a": response})
    accumulator = scorer.Accumulator("muc")
    with pytest.raises(TypeError, match=re.escape(f"document 0: {problem}")):
        accumulator.update(key, response)
    assert len(accumulator) == 0
    # Where both sides have others as well, they might match.
    scorer.score([*key, ["a"]], [*response, ["a"]])
    # In files of clusters by id as well.
    paths = [str(tmp_path / "key.json"), str(tmp_path / "response.json")]
    for path, clusters in zip(paths, (key, response)):
        with open(path, "w") as file:
            json.dump({"type": "clusters", "clusters": dict(enumerate(clusters))}, file)
    assert main("score", *paths)[:2] == (2, "")
    assert main("check", *paths)[0] == 1


@pytest.mark.parametrize(
    ("key", "response", "message"),
    [
        (KEY, ONE, f"the key is the file {KEY}, and the response is clusters without a document"),
        (ONE, str(KEY), f"the response is the file {KEY}, and the key is clusters without a d"),
        ({"a": ONE}, ONE, "the key is a mapping from names to clusters, and the response is clus"),
        (io.BytesIO(), ONE, "the key is an open file, and the response is clusters without a docu"),
        (
            KEY,
            None,
            "the response cannot be None; pass a path, an open file, a list of clusters, or",
        ),
        (5, ONE, "the key cannot be 5; pass a path, an open file, a list of clusters, or {name: "),
        (KEY, b"", "the response cannot be bytes; pass a path as text, or the content as io.Bytes"),
    ],
)
def test_what_was_given_on_each_side_is_told(key, response, message):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        scorer.score(key, response)


@pytest.mark.parametrize("begin", ["", "#begin document (b); part 000\na\t0\t0\tx\t(1)\n"])
def test_a_response_cut_off_in_its_last_cell_is_an_error(begin, tmp_path, main):
    """`(1)` of `(1)|(12)`: no mention is open, and no token is missing.

    The reference scores it, and so does `scorer.pl`.
    """
    key, path = tmp_path / "key.conll", tmp_path / "response.conll"
    text = f"{begin}#begin document (a); part 000\na\t0\t0\tx\t(1)|(12)\na\t0\t1\ty\t(1)|(12)"
    key.write_text(f"{text}\n#end document\n")
    path.write_text(text.removesuffix("|(12)"))
    problem = "the file ends before this document does; fetch the whole file, or add #end document"
    for command in ("score", "errors", "spans"):
        status, out, err = main(command, key, path)
        assert (status, out) == (2, "")
        assert err.endswith(f"{problem}\n")
    for end in ("\n", "\n#end document"):
        path.write_text(text + end)
        assert main("score", key, path, "--quiet")[0] == 0
    assert main("muc", key, path)[0] == 0


@pytest.mark.parametrize("options", [{}, {"singletons": "drop"}], ids=str)
def test_shards_merge(options, tmp_path):
    shards = []
    for number, texts in enumerate(zip(split(KEY), split(RESPONSE))):
        paths = [tmp_path / f"{side}{number}" for side in ("key", "response")]
        for path, text in zip(paths, texts):
            path.write_text(text)
        shards.append(scorer.score(*paths, **options))
    whole = scorer.score(KEY, RESPONSE, **options)
    merged = pickle.loads(pickle.dumps(shards[0])) + shards[1]
    assert (merged.totals, merged.removed) == (whole.totals, whole.removed)
    names = [document.name for document in whole.documents]
    assert [document.name for document in merged.documents] == names
    assert len(merged.inputs) == 4


def split(path):
    return [f"#begin document {part}" for part in path.read_text().split("#begin document ")[1:]]


def test_frames(both):
    frame = both.to_frame()
    counts = [f"{side}_{part}" for side in ("recall", "precision") for part in PARTS]
    assert list(frame) == ["name", "metric", "recall", "precision", "f1", *counts]
    blanc = ["blanc", "blanc.coreference", "blanc.non-coreference"]
    assert list(frame.metric[:10]) == [*ALL_METRICS[:4], *blanc, *ALL_METRICS[5:]]
    muc = frame[(frame.name == "2") & (frame.metric == "muc")].iloc[0]
    assert muc[2:].tolist() == pytest.approx([1 / 3, 1, 0.5, 1, 3, 1, 1])
    assert frame[frame.metric == "conll"].recall.isna().all()
    assert frame[frame.metric == "blanc"].recall_numerator.isna().all()
    assert frame[frame.metric == "blanc.non-coreference"].recall_denominator.tolist() == [11, 11]
    averages = both.to_frame("totals")
    totals, macro = (averages[averages.average == name] for name in ("micro", "macro"))
    # Sums over the frame are the totals.
    sums = frame.groupby("metric").recall_numerator.sum()
    assert sums["lea"] == totals.set_index("metric").recall_numerator["lea"]
    assert list(totals)[1:] == list(frame)[1:]
    assert totals.set_index("metric").f1["muc"] == both.ratios("muc").f1
    assert macro.set_index("metric").f1["muc"] == both.macro("muc").f1
    with pytest.raises(
        ValueError, match=r"^section: 'means' is not one of documents, totals, removed$"
    ):
        both.to_frame("means")


PARTS = ("numerator", "denominator")


def test_dict_and_json(both):
    found = both.to_dict()
    assert json.loads(both.to_json()) == found
    assert found["totals"]["muc"]["recall_denominator"] == 6
    assert found["totals"]["conll"]["recall"] is None
    assert [document["name"] for document in found["documents"]] == ["1", "2"]
    assert found["documents"][1]["metrics"]["blanc.coreference"]["recall_denominator"] == 4
    assert found["signature"]["documents"] == 2


def test_prints_as_the_table_and_can_be_pickled(both):
    copy = pickle.loads(pickle.dumps(both))
    assert str(copy) == str(both) == both.text("table")
    assert repr(copy) == f"<Evaluation of 2 documents: {' '.join(ALL_METRICS)}>"


def test_calls_import_nothing_heavy():
    code = """
import sys, scorer
scorer.Accumulator()
print("inspect" in sys.modules)
for _ in range(2):
    scorer.score([[(0, 1), (3, 3)]], [[(0, 1)]])
    accumulator = scorer.Accumulator()
    accumulator.update([[(0, 1), (3, 3)]], [[(0, 1)]])
    accumulator.compute()
print(sorted({"numpy", "scipy", "pandas", "argparse"} & set(sys.modules)))
"""
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n[]\n"
    )


def test_the_package_says_what_it_offers():
    assert set(dir(scorer)) == set(scorer.__all__)
    assert all(getattr(scorer, name) is not None for name in scorer.__all__)
    with pytest.raises(AttributeError) as caught:
        scorer.scores  # noqa: B018  looking it up is what fails
    assert str(caught.value) == "module 'scorer' has no attribute 'scores'"
    assert all(
        (Path(package).parent / "py.typed").is_file()
        for package in (scorer.__file__, sys.modules["conll"].__file__)
    )


PLUGIN = """
from scorer.count.counts import Counts
from scorer.inputs.sources import MemorySource
from scorer.count.counts import Metric

def count(contingency):
    found, key, response = contingency.matched, contingency.key_mentions, contingency.response_mentions
    return (Counts(2 * found, key, found, response),)

TWICE = Metric("twice", count, title="Twice", unit="mentions", paper="nobody")
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    (tmp_path / "twice_plugin.py").write_text(PLUGIN)
    info = tmp_path / "twice_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: twice-plugin\nVersion: 1.0\n")
    points = (
        "[conll_scorer.metrics]\ntwice = twice_plugin:TWICE\nwrong = twice_plugin:TWICE\ngone "
        "= gone_plugin:GONE\n"
    )
    points += "[conll_scorer.formats]\nwrong = twice_plugin:TWICE\nlost = twice_plugin:LOST\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("plugin")
def test_metrics_of_other_packages():
    assert {"twice", "wrong"} < set(registry.names())
    evaluation = scorer.score(ONE, TWO, metrics=["twice", "muc"])
    assert evaluation.totals["twice"] == (Counts(6, 6, 3, 3),)
    assert scorer.score(ONE, TWO).names == list(ALL_METRICS)


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--metrics", "wrong"], "must lead to a Metric named 'wrong'"),
        (["--metrics", "gone"], "cannot be loaded (ModuleNotFoundError: No module named "),
        (["--key-format", "wrong"], "must lead to a Format named 'wrong'"),
        (["--key-format", "lost"], "cannot be loaded (AttributeError: "),
    ],
)
def test_what_another_package_offers_wrongly_is_one_line(arguments, problem, main):
    status, out, err = main("score", KEY, RESPONSE, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"scorer score: the entry point '{arguments[1]}' = ")
    assert problem in err


@pytest.mark.parametrize("name", [0, ("a", 1)])
def test_names_are_text(name):
    """Others would do until one is to be told, or compared: then nothing could be said of it."""
    shown = re.escape(str(name))
    for sides in ({"key": name, "response": "0"}, {"key": "0", "response": name}):
        key, response = ({called: PAIR["a"]} for called in sides.values())
        with pytest.raises(TypeError, match=f"^(key|response): a document is called {shown}"):
            scorer.score(key, response)
    accumulator = scorer.Accumulator("muc")
    with pytest.raises(TypeError, match=r"^name: a document is called .*; names are text, such as"):
        accumulator.update(PAIR["a"], PAIR["a"], name=name)
    assert len(accumulator) == 0
    for call in (scorer.compare, scorer.leaderboard):
        with pytest.raises(TypeError, match=r"^responses: a system is called .*; names are text"):
            call(PAIR, {name: PAIR, "b": PAIR})


MANIFEST = FIXTURES / "documentation" / "manifest.csv"
PAIR = {"a": [["x", "y"]], "b": [["x", "y"]]}
MANY = [
    lambda **given: scorer.score(PAIR, PAIR, **given),
    lambda **given: scorer.compare(PAIR, {"one": PAIR, "two": PAIR}, trials=10, **given),
    lambda **given: scorer.leaderboard(PAIR, {"one": PAIR, "two": PAIR}, **given),
    lambda **given: scorer.batch(MANIFEST, **given),
]


@pytest.mark.parametrize("call", MANY[1:], ids=["compare", "rank", "batch"])
def test_jobs_are_a_whole_number_or_0_for_each_core(call, monkeypatch):
    """`leaderboard` waited for ever for none of its processes."""
    monkeypatch.setattr(system, "cores", lambda: 2)
    assert call(metrics="muc", jobs=0)
    with pytest.raises(ValueError, match=r"^jobs: -1 is not 0 or more; 0 means one for each core$"):
        call(metrics="muc", jobs=-1)
    for jobs in (1.5, float("nan"), "2", None):
        with pytest.raises(
            (TypeError, ValueError), match=f"^jobs: {jobs!r} is not a whole number$"
        ):
            call(metrics="muc", jobs=jobs)


@pytest.mark.parametrize(
    "call", [*MANY[:3], scorer.Accumulator], ids=["score", "compare", "rank", "Accumulator"]
)
def test_what_is_no_text_is_no_word(call):
    for given, message in (
        ({"metrics": ["muc", 3]}, "metrics: 3 is not the name of a metric"),
        ({"options": {"singletons": "drop"}}, "options: {'singletons': 'drop'} is not an Options"),
        (
            {"singletons": ["drop"]},
            "singletons must be 'keep', 'drop' or 'drop-response', not ['drop']",
        ),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
            call(**given)
    with pytest.raises(ValueError, match=r"^metrics: none is named; name one or several, or all$"):
        call(metrics=[])


@pytest.mark.parametrize("size", [0, -1, float("nan")])
def test_a_size_limit_is_more_than_nothing(size):
    with pytest.raises(ValueError, match=f"^max_size: {size} is not more than 0$"):
        scorer.leaderboard(PAIR, {"one": PAIR, "two": PAIR}, max_size=size)
