"""`scorer.compare` and `scorer compare`: figures, what they say of themselves, and what they
refuse."""

import csv
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll import Document, write_documents
from scorer.count.counts import Counts, Metric, Ratios
from scorer.inputs.sources import names_of
from scorer.options import Options
from scorer.registry import ALL_METRICS, make_scheme
from scorer.report.forms import names
from scorer.report.report import format_signature
from scorer.statistics.resampling import METHODS, RATIOS, Resampling
from scorer.systems.comparison import compare_evaluations
from scorer.systems.resampled import NOTE_ON_BLANC, Figures, combine_arrays

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"


def corpus(documents, seed):
    """A key and a response of random clusters by document.

    Some have singletons only, some a single cluster, some nothing.
    """
    draw = random.Random(seed)

    def clusters(kind, mentions):
        found = {}
        for mention in mentions:
            place = {"singletons": mention, "one": 0, "mixed": draw.randrange(4)}[kind]
            found.setdefault(place, []).append(str(mention))
        return list(found.values())

    def document(side, kind):
        is_empty = kind == "none" and side == 0
        mentions = [] if is_empty else [m for m in range(10) if draw.random() < 0.8]
        mixed = kind == "none" or (side and draw.random() < 0.7)
        return clusters("mixed" if mixed else kind, mentions)

    kinds = [("singletons", "one", "mixed", "mixed", "none")[at % 5] for at in range(documents)]
    return [
        {f"d{number}": document(side, kind) for number, kind in enumerate(kinds)}
        for side in range(2)
    ]


@pytest.fixture(scope="module")
def nine():
    """A key of nine documents and three responses."""
    key, one = corpus(9, 1)
    return key, {"one": one, "two": corpus(9, 2)[1], "three": corpus(9, 3)[1]}


@pytest.fixture(scope="module")
def compared(nine):
    return scorer.compare(*nine)


# The rules of the reference, for sums of counts, written once more.


def naive_f1(recall, precision):
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def naive_ratios(counts):
    a, b, c, d = counts
    recall, precision = a / b if b else 0.0, c / d if d else 0.0
    return recall, precision, naive_f1(recall, precision)


def naive_figures(names, sums):
    """Recall, precision and F1 of each metric, F1 of conll, from a dict of summed counts."""
    found = {}
    for name, parts in sums.items():
        if name == "blanc":
            sides = [naive_ratios(part) for part in parts if part[1]]
            found[name] = tuple(np.mean(sides, axis=0).tolist()) if sides else (0.0, 0.0, 0.0)
        else:
            found[name] = naive_ratios(parts[0])
    conll = sum(found[name][2] for name in ("muc", "bcub", "ceafe")) / 3
    return [figure for name in names for figure in ((conll,) if name == "conll" else found[name])]


def test_values_are_those_of_score(nine, compared):
    key, responses = nine
    values = {}
    for one in compared.scores:
        ratios = scorer.score(key, responses[one.system]).ratios(one.metric)
        assert one.value == getattr(ratios, one.ratio)
        assert one.low <= one.high
        values[one.system, one.metric, one.ratio] = one.value
    assert len(values) == len(compared.differences) == 3 * (3 * (len(ALL_METRICS) - 1) + 1)
    for one in compared.differences:
        ours, theirs = (values[name, one.metric, one.ratio] for name in (one.first, one.second))
        assert one.value == ours - theirs
        assert one.low <= one.high


@pytest.mark.parametrize("edges", ["recasens2011", "luo2014"])
def test_figures_of_many_sums_are_those_of_each(edges):
    evaluation = scorer.Evaluation(make_scheme("all", Options(blanc_edges=edges)))
    statistic = Figures(evaluation)
    generator = np.random.default_rng(4)
    sums = generator.integers(0, 3, (32, 500)) * generator.integers(0, 2, (32, 500)) * 1.0
    sums[0::4] = np.minimum(np.minimum(sums[0::4], sums[1::4]), sums[3::4])
    sums[2::4] = sums[0::4]
    found = statistic(sums)
    for trial in range(500):
        parts = iter(sums[:, trial].reshape(-1, 4).tolist())
        by_name = {
            metric.name: [next(parts) for _ in metric.parts]
            for metric in evaluation.metrics.values()
        }
        expected = dict(zip(statistic.measures, naive_figures(ALL_METRICS, by_name)))
        if edges == "luo2014":
            sides = [naive_ratios(part) for part in by_name["blanc"] if part[1] or part[3]]
            means = np.mean(sides or [(0, 0, 0)], axis=0)
            expected |= {("blanc", ratio): mean for ratio, mean in zip(RATIOS, means)}
        assert found[:, trial] == pytest.approx(list(expected.values()), abs=1e-15)


def test_a_metric_that_takes_numbers_only_is_combined_one_by_one():
    def halved(parts):
        (part,) = parts
        if part.recall_denominator > 2:
            return Ratios(part.recall_numerator / part.recall_denominator, 0.5)
        return Ratios(0.0, 0.0)

    metric = Metric("halved", lambda _: (), title="", unit="", paper="", combine=halved)
    found = combine_arrays(metric, [Counts(*np.array([[[1.0, 2], [3, 4]], [[2, 2], [4, 8]]] * 2))])
    assert found.recall.tolist() == [[0, 0], [0.75, 0.5]]
    assert found.precision.tolist() == [[0, 0], [0.5, 0.5]]
    assert found.f1 == pytest.approx(np.array([[0, 0], [0.6, 0.5]]))


@pytest.mark.parametrize("options", [{}, {"interval": "percentile"}, {"alternative": "less"}])
def test_the_other_way_round(nine, options):
    key, responses = nine
    one, two = responses["one"], responses["two"]
    turned = options | ({"alternative": "greater"} if "alternative" in options else {})
    there = scorer.compare(key, {"a": one, "b": two}, **options).differences
    back = scorer.compare(key, {"b": two, "a": one}, **turned).differences
    for first, second in zip(there, back):
        assert (first.first, first.second) == (second.second, second.first)
        assert (first.value, first.p) == (-second.value, second.p)
        assert first.documents == second.documents
        assert (first.low, first.high) == pytest.approx((-second.high, -second.low), abs=1e-12)


@pytest.mark.parametrize("options", [{"method": "bootstrap"}, {"interval": "percentile"}])
def test_a_system_does_not_differ_from_itself(nine, options):
    key, responses = nine
    compared = scorer.compare(key, {"a": responses["one"], "b": responses["one"]}, **options)
    for one in compared.differences:
        assert (one.value, one.low, one.high, one.p, one.documents) == (0, 0, 0, 1, 0)
    assert compared.notes[1:] == ["a and b have the same counts in every document"]


def test_one_system_has_intervals_only(nine):
    key, responses = nine
    compared = scorer.compare(key, {"one": responses["one"]}, metrics="muc")
    assert compared.differences == []
    assert "first" not in str(compared)
    assert compared.notes == ["9 documents are too few: intervals are unreliable"]
    assert len(compared.to_frame()) == 0
    assert list(compared.to_frame("scores").metric) == ["muc"]


# Documents that lack, and comparisons that mean nothing


def test_a_missing_document_is_an_empty_one(nine):
    key, responses = nine
    without = {name: clusters for name, clusters in responses["one"].items() if name != "d3"}
    missing = scorer.compare(key, {"a": without, "b": responses["two"]})
    empty = scorer.compare(key, {"a": responses["one"] | {"d3": []}, "b": responses["two"]})
    assert missing.differences == empty.differences
    assert missing.scores == empty.scores
    [problem] = map(str, missing.problems)
    assert problem.startswith("response: document d3: the response is missing this document;")
    assert missing.documents == 9
    responses = {"none": responses["one"], "d3": without, "more": {"d1": responses["two"]["d1"]}}
    notes = scorer.compare(key, responses, metrics="muc", documents="d[0-6]", trials=9).notes
    assert notes[:2] == [
        "d3 lacks 1 of 7 documents, scored as an empty one",
        "more lacks 6 of 7 documents, scored as empty ones",
    ]
    assert not any("none lacks" in note for note in notes)


def copies(documents, right):
    """A key, and a response in which so many documents are right and one link is lacking in the
    others."""
    key = {str(number): [["a", "b", "c"]] for number in range(documents)}
    return key, {
        name: clusters if int(name) < right else [["a", "b"]] for name, clusters in key.items()
    }


FEW = "19 documents are few: intervals contain the true value less often than stated"


@pytest.mark.parametrize(
    ("documents", "right", "options", "notes"),
    [
        (4, 0, {}, [
            "4 documents are too few: intervals are unreliable",
            "with 4 documents no difference can be significant; use more documents",
        ]),
        (19, 0, {}, [FEW]),
        (20, 0, {}, []),
        (19, 0, {"metrics": "blanc"}, [FEW]),
        (20, 0, {"metrics": "muc,blanc"}, [NOTE_ON_BLANC]),
        (20, 0, {"metrics": "blanc", "average": "macro"}, ["figures are means over documents (macro-average)"]),
        (300, 297, {}, ["key and other differ in only 3 of 300 documents; no randomisation p-value can be below 0.25"]),
        (300, 300, {}, ["key and other have the same counts in every document"]),
        (300, 0, {"trials": 10}, ["with 10 trials no difference can be significant; take more trials"]),
    ],
)  # fmt: skip
def test_notes(documents, right, options, notes):
    key, response = copies(documents, right)
    options = {"metrics": "muc", "trials": 1024} | options
    compared = scorer.compare(key, {"key": key, "other": response}, **options)
    assert compared.notes == notes
    assert all(f"\nnote: {note}\n" in str(compared) for note in notes)


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "t-test"}, f"method: 't-test' is not one of {', '.join(METHODS)}"),
        ({"trials": 0}, "trials: 0 is not 1 or more"),
        ({"trials": 10**7 + 1}, "trials: 10000001 is more than 10,000,000; take fewer"),
        ({"seed": -1}, "seed: -1 is not 0 or more"),
        ({"trials": 20.0}, "trials: 20.0 is not a whole number"),
        ({"unit": 3}, "unit: 3 is not a regular expression: it is not text"),
        ({"confidence": float("nan")}, "confidence: nan is not between 0 and 1"),
        ({"responses": {}}, "there are no responses to compare"),
        ({"key": {}}, "the key has 0 documents; comparing needs two or more"),
    ],
)
def test_what_cannot_be(nine, options, message):
    key, responses = nine
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        scorer.compare(**{"key": key, "responses": responses} | options)
    assert str(caught.value) == message


def test_wrong_types(nine):
    key, responses = nine
    with pytest.raises(TypeError, match=r"^responses: this is one path; write a list of responses"):
        scorer.compare(KEY, RESPONSE)
    with pytest.raises(TypeError, match=r"^the key is a mapping from names to clusters, and"):
        scorer.compare(key, [[["a", "b"]]])
    known = "scores, corpora, differences, runs"
    with pytest.raises(ValueError, match=f"^section: 'all' is not one of {known}$"):
        scorer.compare(key, responses, metrics="muc", trials=9).to_frame("all")


def test_only_what_was_scored_alike_is_compared(nine):
    key, responses = nine
    one = scorer.score(key, responses["one"])
    for other in (
        scorer.score({name: [] for name in key}, responses["two"]),
        scorer.score({name: key[name] for name in list(key)[1:]}, responses["two"]),
        scorer.score(key, responses["two"], singletons="drop"),
        scorer.score(key, responses["two"], metrics="muc"),
    ):
        with pytest.raises(ValueError, match=r"^'a' and 'b' were not scored alike; score both"):
            compare_evaluations({"a": one, "b": other})


# Names


@pytest.mark.parametrize(
    ("paths", "given", "names"),
    [
        (["a.conll", "x/b.jsonl.gz", "c.v4_auto_conll", "d"], [], ["a", "b", "c", "d"]),
        (["run/1/out.conll", "run/2/out.conll", "e.conll"], [], ["1/out", "2/out", "e"]),
        (["p/1/out", "q/1/out", "q/2/out"], [], ["p/1/out", "q/1/out", "2/out"]),
        (["-", "a"], [], ["standard input", "a"]),
        (["a", "b=c", "b"], ["b=c=C", "b=B"], ["a", "C", "B"]),
        (["a", "a.b", "a.b.c"], [], ["a", "a.b", "a.b.c"]),
    ],
)
def test_names_of_files(paths, given, names):
    assert names_of(paths, given) == names


SEGMENTS = ["", "standard input", "a", "a.b", "a.b.c", "a.b.gz", "a.gz", "a.1", ".a", ".", ".."]
STARTS = st.sampled_from(["", "/", "./", "https://a/", "s3://a/", "file://"])
PATHS = st.one_of(
    st.just("-"),
    st.builds(
        "{}{}".format, STARTS, st.lists(st.sampled_from([*SEGMENTS, "%61", "a?b"])).map("/".join)
    ),
    st.text("ab./%", min_size=1),
)


@given(st.lists(PATHS, unique=True))
def test_different_paths_have_different_names(paths):
    names = names_of(paths)
    assert len(set(names)) == len(names) == len(paths)


# The command and its formats


@pytest.fixture(scope="module")
def files(nine, tmp_path_factory):
    """The key and the three responses as files, the second without the last document."""
    folder = tmp_path_factory.mktemp("compare")
    key, responses = nine
    paths = []
    for name, named in {"key": key, **responses}.items():
        path = folder / f"{name}.conll"
        documents = [
            Document(document, [[(int(m), int(m)) for m in cluster] for cluster in clusters], 10)
            for document, clusters in named.items()
        ]
        write_documents(documents[:-1] if name == "two" else documents, path, "conll2012")
        paths.append(path)
    return paths


def test_command(files, main):
    key, *responses = files
    compared = scorer.compare(key, responses)
    status, out, err = main("compare", key, *responses)
    assert (status, out, err.count("\n")) == (0, str(compared), 1)
    assert err.startswith(
        f"warning: {files[2]}: document d8: the response is missing this document;"
    )
    assert main("compare", key, *responses, "--quiet") == (0, str(compared), "")
    assert list(compared.evaluations) == ["one", "two", "three"]


@pytest.mark.parametrize("form", names())
def test_formats(form, files, main):
    """Any number of processes gives the same bytes."""
    key, *responses = files
    expected = scorer.compare(key, responses, trials=300, metrics="muc,conll").text(form)
    arguments = [key, *responses, "-m", "muc,conll", "--format", form, "--trials", 300, "--quiet"]
    jobs = ("--jobs", 2) if form in {"json", "csv"} else ()
    assert main("compare", *arguments, *jobs) == (0, expected, "")


def test_options(files, main):
    key, *responses = files
    options = {"metrics": "conll,blanc", "method": "bootstrap", "trials": 300, "seed": 5}
    options |= {"alternative": "greater", "confidence": 0.5, "interval": "percentile"}
    options |= {"singletons": "drop", "documents": "d[0-6]"}
    arguments = [f"--{name}={value}" for name, value in options.items()]
    arguments += ["--group-by", "d([0-3])"]
    text = scorer.compare(key, responses, **options).text(group_by="d([0-3])")
    assert main("compare", key, *responses, "--quiet", *arguments) == (0, text, "")


def test_table():
    """The response has one document whole and half the links of the other: MUC's F1 is 6/7, in a
    replicate 2/3 or 1, too.

    A replicate draws the first document twice with probability 1/4, and ties, which counts half.
    Without the first document the key is better by 1/3, without the second by 0: the jackknife's
    standard error is 1/6, and 1/7 / (√2 / 6) = 0.61.
    """
    key = {"a": [["1", "2", "3"]], "b": [["1", "2", "3"]]}
    response = {"a": [["1", "2", "3"]], "b": [["1", "2"], ["3"]]}
    text = scorer.compare(key, {"key": key, "response": response}, metrics="muc").text()
    assert text.splitlines()[:-1] == [
        "Scores",
        "metric    system      recall    precision      F1      95% interval",
        "--------  --------  --------  -----------  ------  ----------------",
        "muc       key         100.00       100.00  100.00  [100.00, 100.00]",
        "          response     75.00       100.00   85.71   [66.67, 100.00]",
        "",
        "Significance of differences",
        "metric    first    second      F1 difference     95% interval    effect    P(first > second)       p",
        "--------  -------  --------  ---------------  ---------------  --------  -------------------  ------",
        "muc       key      response           +14.29  [+0.00, +33.33]     +0.61                  72%  1.0000",
        "",
        "note: 2 documents are too few: intervals are unreliable",
        "note: with 2 documents no difference can be significant; use more documents",
        "note: key and response differ in only 1 of 2 documents; no randomisation p-value can be below 1",
    ]


# None of 40 documents is swapped in one of 2^39 trials, so p is 1 / (trials + 1); of three pairs,
# thrice that. What is shown is 1 / trials, and thrice that, rounded up.
@pytest.mark.parametrize(
    ("trials", "p", "corrected"),
    [(10_000, "< 1.0e-04", "< 0.0003"), (3000, "< 0.0004", "< 0.0010"), (2, "< 0.5000", "1.0000")],
)
def test_where_no_trial_reached_the_difference_p_is_below_a_limit(trials, p, corrected):
    key, response = copies(40, 0)
    systems = {"key": key, "half": response, "none": {name: [["a"], ["b"]] for name in key}}
    options = {"metrics": "muc", "trials": trials, "interval": "percentile"}
    compared = scorer.compare(key, systems, **options)
    assert {one.p for one in compared.differences if one.ratio == "f1"} == {1 / (trials + 1)}
    rows = [line.split() for line in str(compared).split("p (Holm)\n")[1].splitlines()[1:4]]
    assert [" ".join(row).endswith(f" {p} {corrected}") for row in rows] == [True] * 3
    assert f"&lt; {p[2:]}" in compared.text("html")


def test_other_p_values_are_shown_as_they_are():
    """Of all 2^13 swaps two reach the difference of 13 documents."""
    key, response = copies(13, 0)
    exact = scorer.compare(key, {"key": key, "half": response}, metrics="muc")
    assert exact.differences[-1].p == 2 / 2**13
    assert str(exact).split("\n\n")[1].endswith("  0.0002")
    resampling = Resampling(trials=100_000)
    shown = [resampling.written(times / 100_001, 99) for times in (1, 2, 3, 30, 100_001)]
    assert shown == ["< 1.0e-05", "2.0e-05", "3.0e-05", "0.0003", "1.0000"]
    assert resampling.written(0.5**16, 16) == "1.5e-05"


def test_csv_and_json_hold_every_digit(compared):
    rows = list(csv.DictReader(io.StringIO(compared.text("csv"))))
    differences = [row for row in rows if row["section"] == "differences"]
    lines = [json.loads(line) for line in compared.text("jsonl").splitlines()]
    lines = [line for line in lines if line["section"] == "differences"]
    frame = compared.to_frame()
    names = {"p": "p", "difference_low": "low", "p_holm": "p_holm", "effect": "effect"}
    for name, attribute in names.items():
        expected = [getattr(one, attribute) for one in compared.differences]
        assert [float(row[name]) if row[name] else None for row in differences] == expected
        assert [line.get(name) for line in lines] == expected
        assert frame[name].tolist() == pytest.approx(np.array(expected, float), nan_ok=True)
    scores = {(row["system"], row["metric"]): row for row in rows if row["section"] == "scores"}
    for one in compared.scores:
        assert float(scores[one.system, one.metric][one.ratio]) == one.value
    assert [row["note"] for row in rows if row["section"] == "note"] == compared.notes
    assert rows[-1]["section"] == "signature"
    tree = json.loads(compared.text("json"))
    assert tree["differences"] == compared.to_dict()["differences"]


def test_signature(files):
    key, *responses = files
    options = {"method": "bootstrap", "trials": 50, "seed": 3}
    compared = scorer.compare(key, responses, metrics="conll", **options)
    fields = compared.to_dict()["signature"]
    assert fields["comparison"] == options | {
        "alternative": "two-sided", "confidence": 0.95, "interval": "expanded",
        "unit": "part", "average": "micro", "units": 9, "p": "approximate",
    }  # fmt: skip
    assert list(fields["responses"]) == ["one", "two", "three"]
    one = scorer.score(key, responses[0]).to_dict()["signature"]
    assert (fields["responses"]["one"], fields["key"]) == (one["response"], one["key"])
    last = str(compared).splitlines()[-1]
    assert last.startswith(f"signature: conll-scorer {scorer.__version__}; metrics=conll; key=")
    whole = format_signature(fields)
    assert "; comparison=method:bootstrap,trials:50,seed:3,alternative:two-sided," in whole


def test_output_strict_and_names(files, main, tmp_path):
    key, one, two, _ = files
    path = tmp_path / "out.json"
    arguments = ["--quiet", "--names", f"{one}=ours", "--format", "json", "--output", path]
    assert main("compare", key, one, two, *arguments) == (0, "", "")
    assert list(json.loads(path.read_text())["signature"]["responses"]) == ["ours", "two"]
    status, out, err = main("compare", key, one, two, "--strict", "--output", tmp_path / "strict")
    assert (status, out) == (1, "")
    assert err.startswith(f"warning: {two}: document d8: the response is missing this document")
    message = "scorer compare: 1 warning, which --strict treats as errors; nothing is reported\n"
    assert err.endswith(f"\n{message}")
    assert [file.name for file in tmp_path.iterdir()] == ["out.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "error: the following arguments are required: RESPONSE"),
        ("nowhere", "nowhere: No such file or directory"),
        ("- -", "only one input can be standard input; name a file for the others"),
        (f"{RESPONSE} {RESPONSE}", "two responses are called 'example.response'; name them with"),
        (f"{RESPONSE} --names x=y", "names: 'x=y' names no response; write FILE=NAME with a FI"),
        (f"{RESPONSE} --output /nowhere/x", "/nowhere/x: No such file or directory"),
    ],
)
def test_refusals(arguments, message, main):
    status, out, err = main("compare", KEY, *arguments.split())
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].removeprefix("scorer compare: ").startswith(message)
    assert err.count("\n") == 1 or err.startswith("usage: ")
