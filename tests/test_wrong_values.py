"""Values of wrong types, for every public function: one sentence, before anything is done."""

import inspect
import linecache
import traceback
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import conll
import scorer
from scorer.evaluation.evaluation import NotCountedError

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))
DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]


class Table:
    """As a data frame: shown on many lines, and neither true nor false."""

    def __repr__(self):
        return "a\nb\n" * 50

    def __bool__(self):
        raise ValueError

    def __iter__(self):
        return iter("ab")


WRONG = [
    *(5, 5.5, True, None, "nope", "", b"x", object(), [], [5], [None], {}, {"a": 5}, {5: [["a"]]}),
    *((1, 2), {1, 2}, float("nan"), -1, DEEP, Table(), [["a"]], len),
]
CALLS = {
    "agreement": [[KEY, RESPONSE]],
    "batch": ["manifest.csv"],
    "check": [KEY],
    "compare": [KEY, [KEY, RESPONSE]],
    "convert": [KEY, "out.jsonl"],
    "errors": [KEY, RESPONSE],
    "leaderboard": [KEY, [RESPONSE]],
    "score": [KEY, RESPONSE],
    "score_muc7": [KEY, RESPONSE],
    "score_spans": [KEY, RESPONSE],
}
"""Calls that would work, for every public function."""

CALLED = ("fit", "key", "watch")
"""Arguments that take a function; that of a key opens it."""


def test_every_public_function_is_called():
    functions = {name for name in scorer.__all__ if inspect.isfunction(getattr(scorer, name))}
    assert functions == {*CALLS}


def fault_of(call):
    """What is wrong with the way in which a call fails; empty if it works or says why not."""
    try:
        call()
    except (ValueError, TypeError, OSError, ImportError, NotCountedError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        is_meant = linecache.getline(last.filename, last.lineno).strip().startswith("raise ")
        if isinstance(error, OSError) or (is_meant and "\n" not in str(error)[:300]):
            return ""
        return f"{type(error).__name__}: {error}, {last.filename}:{last.lineno}"
    except (AttributeError, KeyError, RecursionError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def faults_of(make, given):
    """List the faults of calls with one wrong value, each of a function that is made for it."""
    parameters = inspect.signature(make()).parameters.values()
    # As many as usual would take long wherever the value is not theirs.
    usual = {
        each.name: 20
        for each in parameters
        if each.name == "trials" and each.kind is each.KEYWORD_ONLY
    }
    faults = []
    for place, parameter in enumerate(parameters):
        for value in WRONG:
            if value is len and parameter.name in CALLED:
                continue
            arguments, named = [*given], {**usual}
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if parameter.kind is parameter.KEYWORD_ONLY or place > len(given):
                named[parameter.name] = value
            else:
                arguments[place : place + 1] = [value]
            function = make()
            fault = fault_of(partial(function, *arguments, **named))
            if fault:
                faults.append(f"{parameter.name}: {fault}")
    return faults


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_values_get_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("manifest.csv").write_text(f"key,response\n{KEY},{RESPONSE}\n")
    assert not faults_of(lambda: getattr(scorer, name), CALLS[name])


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (conll.open_documents, [KEY]),
        (conll.open_source, [KEY]),
        (conll.write_documents, [[], "out.conll"]),
        (scorer.Accumulator, []),
        (scorer.Options, []),
        (scorer.Resampling, []),
    ],
)
def test_other_functions_and_classes(function, given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not faults_of(lambda: function, given)


def counting():
    accumulator = scorer.Accumulator()
    accumulator.update([["a", "b"]], [["a"]])
    return accumulator


RESULTS = {
    "Agreement": lambda: scorer.agreement([KEY, RESPONSE]),
    "Errors": lambda: scorer.errors(KEY, RESPONSE),
    "Evaluation": lambda: scorer.score(KEY, RESPONSE),
    "Leaderboard": lambda: scorer.leaderboard(KEY, [KEY, RESPONSE], trials=20),
    "SpanScores": lambda: scorer.score_spans(KEY, RESPONSE),
}
METHODS = {
    "Agreement": {"alpha": [], "f1": ["muc"], "f1s": []},
    "Errors": {"against": [], "chart": []},
    "Evaluation": {"group_by": ["."], "macro": ["muc"], "mean": ["conll"], "ratios": ["muc"]},
    "SpanScores": {"group_by": ["."], "intervals": []},
}
"""Methods of results, each with arguments that would work, besides those of every result."""

SHOWING = ["report", "save", "text", "to_csv", "to_dict", "to_frame", "to_html"]


@pytest.mark.parametrize("name", RESULTS)
def test_methods_of_results(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = RESULTS[name]()
    methods = {method: [] for method in SHOWING} | {"save": ["out.txt"]} | METHODS.get(name, {})
    for method, given in methods.items():
        assert not faults_of(lambda method=method: getattr(result, method), given), method
    for option in vars(result.layout_of({})):
        for value in WRONG:
            fault = fault_of(partial(result.text, **{option: value}))
            assert not fault, (option, fault)


@pytest.mark.parametrize("method", ["update", "merge"])
def test_methods_of_an_accumulator(method):
    given = [[["a", "b"]], [["a"]]] if method == "update" else []
    assert not faults_of(lambda: getattr(counting(), method), given)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scorer.score_spans(KEY, RESPONSE, beta=[]), "beta: [] is not a number"),
        (lambda: scorer.score(KEY, KEY).add(5), "score: 5 is not a DocumentScore"),
        (lambda: scorer.agreement(5), "annotators: 5 is not a mapping from names or a list"),
        (lambda: scorer.convert(5.5, "out"), "source: 5.5 is not text or a path or an open file"),
        (
            lambda: scorer.batch("manifest.csv", keep=True),
            "keep: True is not text or a path or None",
        ),
        (
            lambda: scorer.check(KEY, key_format=DEEP),
            "key_format: a value of type list is not text or None",
        ),
    ],
)
def test_the_sentence_names_the_argument(call, message):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == message


def test_numbers_and_flags_of_numpy_are_values():
    evaluation = scorer.score(KEY, RESPONSE, strict=np.bool_(0))
    shown = evaluation.text(per_document=np.bool_(1))
    assert shown == evaluation.text(per_document=True)
    limited = conll.open_documents(KEY, limit=np.int64(10**6))
    assert limited.names() == conll.open_documents(KEY).names()


def test_a_source_is_open_and_no_file():
    with pytest.raises(TypeError, match="is not a path or an open file"):
        conll.open_documents(conll.open_source(KEY))
