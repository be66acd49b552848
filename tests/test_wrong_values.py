"""Values of wrong types, for every public function: one sentence, before anything is done."""

import inspect
import linecache
import traceback
from pathlib import Path

import pytest

import scorer

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


def test_every_public_function_is_called():
    functions = {name for name in scorer.__all__ if inspect.isfunction(getattr(scorer, name))}
    assert functions == {*CALLS}


def fault_of(call):
    """What is wrong with the way in which a call fails; empty if it works or says why not."""
    try:
        call()
    except (ValueError, TypeError, OSError, ImportError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        is_meant = linecache.getline(last.filename, last.lineno).strip().startswith("raise ")
        if isinstance(error, OSError) or (is_meant and "\n" not in str(error)[:300]):
            return ""
        return f"{type(error).__name__}: {error}, {last.filename}:{last.lineno}"
    except (AttributeError, KeyError, RecursionError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_values_get_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("manifest.csv").write_text(f"key,response\n{KEY},{RESPONSE}\n")
    function, given = getattr(scorer, name), CALLS[name]
    faults = []
    for place in range(len(given)):
        for value in WRONG:
            if value is len:
                continue  # a key may be a function that opens it
            arguments = [*given[:place], value, *given[place + 1 :]]
            fault = fault_of(lambda arguments=arguments: function(*arguments))
            if fault:
                faults.append((place, fault))
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        for value in WRONG:
            if parameter.name == "watch" and value is len:
                continue
            named = {parameter.name: value}
            fault = fault_of(lambda named=named: function(*given, **named))
            if fault:
                faults.append((parameter.name, fault))
    assert not faults, "\n".join(map(str, faults))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scorer.score_spans(KEY, RESPONSE, beta=[]), "beta: [] is not a number"),
        (lambda: scorer.agreement(5), "annotators: 5 is not a mapping from names or a list"),
        (lambda: scorer.convert(5.5, "out"), "source: 5.5 is not text or a path"),
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
