"""One table says all about the options, and everything that takes, shows or signs one goes by
it."""

import inspect
import pickle
import re
from itertools import product
from pathlib import Path
from typing import Literal, get_args, get_type_hints

import pytest

import scorer
from conll import open_source
from conll.errors import ConllError
from scorer import registry
from scorer.cli import arguments, parser
from scorer.cli.parser import make_parser
from scorer.compat import CorefEvaluator
from scorer.engine import score as choice
from scorer.engine.corpus import Corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.report import signature
from scorer.evaluation.report import signature_line as line
from scorer.jobs.manifest import read_manifest
from scorer.keywords import OptionKeywords, Preset, ResamplingKeywords
from scorer.match.align import HONOURED
from scorer.options import EVERY, PRESETS, TABLE, Option, Options, options_of
from scorer.scheme import Scheme
from scorer.statistics.resampling import CHOICES, Resampling

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "documentation" / "repeats.conll"
ONE, TWO = [["a", "b", "c"]], [["a", "b"], ["d", "e"]]

DEFAULTS = {name: option.default for name, option in TABLE.items()}
EXAMPLES = {"text": "example", "pattern": "example", "int": 7, "float": 0.25, "flag": True}
OTHERS = [
    (name, word)
    for name, option in TABLE.items()
    for word in option.choices or (EXAMPLES[option.kind],)
    if word not in (option.default, "bookcoref")
]
"""Every word that is no default, but the one that needs windows."""

MANIFEST = FIXTURES / "documentation" / "manifest.csv"
BOTH = {"a": ONE, "b": ONE}, {"x": {"a": ONE, "b": TWO}}
TAKE = {
    "score": lambda **given: scorer.score(ONE, TWO, **given),
    "compare": lambda **given: scorer.compare(*BOTH, **given),
    "leaderboard": lambda **given: scorer.leaderboard(*BOTH, **given),
    "Accumulator": scorer.Accumulator,
    "batch": lambda **given: scorer.batch(MANIFEST, **given),
}
"""Everything that takes options, as a record and as keywords."""


def test_the_record_has_every_row_at_its_default():
    assert Options().to_dict() == DEFAULTS
    assert repr(Options()) == "Options()"
    assert hash(Options()) == hash(Options(match="exact"))
    assert all(option.default in option.words for option in TABLE.values())


@pytest.mark.parametrize(("name", "word"), OTHERS)
def test_a_word_is_kept_by_a_record_a_manifest_and_a_signature(name, word, tmp_path):
    record = Options(**{name: word})
    assert record.to_dict() == DEFAULTS | {name: word}
    assert repr(record) == f"Options({name}={word!r})"
    assert record == pickle.loads(pickle.dumps(record)) == Options().replace(**{name: word})
    assert record.replace(**{name: TABLE[name].default}) == Options() != record
    path = tmp_path / "m.csv"
    path.write_text(f"key,response,{name.replace('_', '-')}\nk,r,{word}\n")
    assert [row.options for row in read_manifest(path)] == [record]
    usual, other = Evaluation(Scheme([])), Evaluation(Scheme([], record))
    option = TABLE[name]
    if option.signed == "never":
        assert signature(other) == signature(usual)
    else:
        assert signature(other) == {**signature(usual), option.field: word}
        assert f"; {option.field}={word}; " in line(other)


def test_a_record_cannot_be_changed():
    record = Options(match="head")
    with pytest.raises(AttributeError, match="match: options cannot be changed; replace"):
        record.match = "exact"
    assert record.match == "head"


def test_a_preset_is_a_keyword():
    key, response = ([[(0, 0)], [(1, 1), (2, 2)]], [[(1, 1), (2, 2)]])
    chosen = scorer.score(key, response, preset="conll-v4", metrics="muc", singletons="drop")
    assert (chosen.names, chosen.options) == (["muc"], Options(singletons="drop"))
    assert scorer.score(key, response, preset="conll-v4").names[-1] == "conll_v4"
    for preset, error, message in (
        ("conll13", ValueError, "'conll13' is not one of .*did you mean 'conll12'"),
        (["conll12"], TypeError, r"^preset must be .*, not \['conll12'\]$"),
    ):
        with pytest.raises(error, match=message):
            scorer.score(key, response, preset=preset)
    with pytest.raises(TypeError, match=r"^options and preset cannot be combined; write"):
        scorer.score(key, response, preset="conll12", options=Options())


@pytest.mark.parametrize("name", TABLE)
def test_a_value_of_a_wrong_type_names_the_values_allowed(name):
    with pytest.raises(TypeError) as caught:
        Options(**{name: []})
    message = str(caught.value)
    assert message.startswith(f"{name} must be ")
    assert message.endswith(", not []")
    for value in TABLE[name].words:
        assert TABLE[name].kind != "choice" or repr(value) in message


@pytest.mark.parametrize("take", TAKE.values(), ids=TAKE)
def test_what_cannot_be_taken_is_refused(take):
    for given, error, message in (
        ({"singeltons": "drop"}, TypeError, "^unknown option 'singeltons'; choose from: .*duplic"),
        ({"metric": "muc"}, TypeError, "^unknown option 'metric'; .* did you mean 'metrics'"),
        ({"match": "had"}, ValueError, "^match: 'had' is not one of .*; did you mean 'head'"),
        ({"options": Options(), "match": "exact", "zeros": "drop"}, TypeError, "^options and m"),
    ):
        with pytest.raises(error, match=message):
            take(**given)


@pytest.mark.parametrize("given", [{"key": ONE, "responses": {"x": TWO}}, {"manifest": "m.csv"}])
@pytest.mark.parametrize("function", [scorer.compare, scorer.leaderboard])
def test_keywords_of_resampling_are_listed_where_they_are_taken(function, given):
    with pytest.raises(TypeError, match=r"^unknown option 'trails'; .* did you mean 'trials'"):
        function(**given, trails=9)


@pytest.mark.parametrize("metrics", [3, [registry.get("muc")]])
def test_a_manifest_takes_names_of_metrics_alone(metrics):
    with pytest.raises(TypeError, match=r"^metrics: .* is not a list of names; "):
        scorer.batch("m.csv", metrics=metrics)


@pytest.mark.parametrize("name", ["score", "compare", "leaderboard", "Accumulator"])
def test_a_record_is_what_its_words_are(name):
    words = {"singletons": "drop", "rounding": "truncate"}
    for given in (words, {"options": Options(**words)}):
        found = TAKE[name](**given)
        if name in {"compare", "leaderboard"}:
            found = found.evaluations["x"]
        evaluation = found.compute() if name == "Accumulator" else found
        assert evaluation.options == Options(**words)


def test_a_record_for_all_rows_of_a_manifest(tmp_path):
    manifest = tmp_path / "m.csv"
    rows = f"{KEY},{RESPONSE},,x\n{KEY},{RESPONSE},keep,y\n"
    manifest.write_text(f"key,response,singletons,system\n{rows}")
    words = {"singletons": "drop", "duplicates": "last"}
    for given in (words, {"options": Options(**words)}):
        scored = scorer.batch(manifest, metrics="muc", **given).results
        found = {row.row.system: row.row.options for row in scored}
        assert found == {"x": Options(**words), "y": Options(duplicates="last")}
    with pytest.raises(TypeError, match=r"^options and preset cannot be combined; "):
        scorer.batch(manifest, options=Options(), preset="crac25")


def test_an_accumulator_refuses_what_is_about_whole_files():
    for given in ({"documents": "a"}, {"options": Options(missing_documents="error")}):
        with pytest.raises(TypeError, match="an accumulator scores every document that it is giv"):
            scorer.Accumulator(**given)
    with pytest.raises(TypeError, match=r"^key_format cannot be given here; leave it out$"):
        scorer.Accumulator(key_format="jsonl")


@pytest.mark.parametrize("command", ["score", "batch", "compare", "leaderboard", "codabench"])
def test_every_command_takes_every_option(command):
    taken = {action.dest: action for action in make_parser().commands[command].arguments}
    for name, option in TABLE.items():
        assert tuple(taken[name].choices or ()) == option.choices
        assert taken[name].option_strings == [f"--{name.replace('_', '-')}"]


@pytest.mark.parametrize(("name", "word"), OTHERS)
def test_arrays_are_counted_only_with_words_that_the_table_names(name, word, monkeypatch):
    monkeypatch.setattr(choice, "LARGE", 0)
    corpus = Corpus(open_source(str(KEY)), open_source(str(RESPONSE)))
    metrics = [registry.get("muc")]
    assert choice.takes_arrays(corpus, Scheme(metrics))
    assert not choice.takes_arrays(corpus, Scheme([*metrics, registry.get("mor")]))
    taken = choice.takes_arrays(corpus, Scheme(metrics, Options(**{name: word})))
    assert taken == (word in choice.HONOURED_BY_ARRAYS.get(name, ()))


def words_of_arrays(name):
    """The values of an option with which numpy may count."""
    honoured = choice.HONOURED_BY_ARRAYS.get(name, ())
    return [TABLE[name].default, *(word for at, word in OTHERS if at == name and word in honoured)]


ARRAYS = list(product(*map(words_of_arrays, TABLE)))


@pytest.mark.parametrize("words", ARRAYS, ids=str)
def test_both_engines_agree_on_the_words_that_both_know(words, monkeypatch):
    options = Options(**dict(zip(TABLE, words)))
    sides = [FIXTURES / f"example.{side}.conll" for side in ("key", "response")]
    plain = scorer.score(*sides, options=options)
    monkeypatch.setattr(choice, "LARGE", 0)
    metrics = list(plain.metrics.values())
    opened = Corpus(*(open_source(str(side)) for side in sides))
    assert choice.takes_arrays(opened, Scheme(metrics, options))
    assert scorer.score(*sides, options=options).to_dict() == plain.to_dict()
    if options.missing_documents == "error":
        for large in (0, 1 << 40):
            monkeypatch.setattr(choice, "LARGE", large)
            lacking = Corpus(open_source(str(KEY)), open_source(str(RESPONSE)))
            with pytest.raises(ConllError, match="the response is missing this document; add it"):
                choice.evaluate(lacking, Scheme(metrics, options))


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_made_of_rows(preset):
    words = dict(PRESETS[preset])
    metrics = words.pop("metrics")
    assert options_of(None, words).to_dict() == DEFAULTS | words
    assert registry.resolve(metrics) == metrics.split(",")


def test_the_types_name_every_option_with_its_values():
    for name, hint in get_type_hints(OptionKeywords).items():
        choices = TABLE[name].choices
        kind = type(EXAMPLES.get(TABLE[name].kind))
        literal = Literal[choices] if choices else kind  # type: ignore[valid-type]
        assert hint == (literal if TABLE[name].default is not None else literal | None), name
    assert [*get_type_hints(OptionKeywords)] == [*TABLE] == [*vars(Options())]
    assert get_args(Preset) == (*PRESETS,)
    hints = get_type_hints(ResamplingKeywords)
    assert [*hints] == [*vars(Resampling())]
    for name, choices in CHOICES.items():
        assert get_args(hints[name]) == choices, f"scorer/keywords.py: list the choices of {name}"


def test_help_names_every_option():
    described = inspect.getdoc(scorer.Options)
    for name, option in TABLE.items():
        line = re.search(rf"^    {name}: (.*)$", described, re.MULTILINE)[1]
        values = re.findall(r"[\w.-]+[\w]", line.partition(": ")[2])
        assert [value for value in option.choices if value not in values] == []


def test_a_function_with_keywords_says_where_they_are_described():
    functions = [scorer.Accumulator, CorefEvaluator]
    functions += filter(inspect.isfunction, (getattr(scorer, name) for name in scorer.__all__))
    for function in functions:
        parameters = inspect.signature(function).parameters.values()
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            assert re.search(r"`scorer\.\w+`", inspect.getdoc(function)), function


@pytest.fixture
def kinds(monkeypatch):
    """Options of each kind, which a part of the program may add."""
    for kind, default in (("int", 5), ("float", 0.5), ("flag", False), ("text", None)):
        text = {} if kind == "flag" else {"text": "VALUE"}
        option = Option(default, {default: "unless given"}, "help", kind=kind, **text)
        option.name = option.field = f"a_{kind}"
        monkeypatch.setitem(TABLE, option.name, option)
        monkeypatch.setitem(HONOURED["clusters"], option.name, EVERY)
    monkeypatch.setattr(
        arguments,
        "GROUPS",
        {**arguments.GROUPS, "kinds": [*map(arguments.option_argument, TABLE.values())][-4:]},
    )
    monkeypatch.setattr(parser, "GROUPS", arguments.GROUPS)


@pytest.mark.usefixtures("kinds")
def test_an_option_may_be_a_number_or_a_flag(main):
    options = Options(a_int="7", a_float="0.25", a_flag="true", a_text="x")
    assert options.chosen() == {"a_int": 7, "a_float": 0.25, "a_flag": True, "a_text": "x"}
    assert Options(a_int=7, a_float=0.25, a_flag=True, a_text="x") == options
    assert Options(a_int=5, a_float=0.5, a_flag=False) == Options()
    command = ["score", RESPONSE, RESPONSE, "--metrics", "muc"]
    given = ["--a-int", "7", "--a-float", "0.25", "--a-flag", "--a-text", "x"]
    status, out, err = main(*command, *given, "--signature", "full", "--quiet")
    assert (status, err) == (0, "")
    assert "; a_int=7; a_float=0.25; a_flag=True; a_text=x; " in out


@pytest.mark.usefixtures("kinds")
@pytest.mark.parametrize(
    ("name", "written", "value", "noun"),
    [
        ("a_int", "x", True, "a whole number"),
        ("a_int", "1.5", 1.5, "a whole number"),
        ("a_float", "half", [0.5], "a number"),
        ("a_flag", "maybe", 1, "true or false"),
    ],
)
def test_a_value_of_another_kind_is_one_line(name, written, value, noun, main):
    problem = f"{name}: {written!r} is not {noun}"
    with pytest.raises(ValueError, match=f"^{problem}$"):
        Options(**{name: written})
    with pytest.raises(TypeError, match=f"^{re.escape(f'{name} must be {noun}, not {value!r}')}$"):
        Options(**{name: value})
    if name != "a_flag":
        option = f"--{name.replace('_', '-')}"
        assert main("score", KEY, RESPONSE, option, written) == (
            2,
            "",
            f"scorer score: {problem}\n",
        )


def test_a_record_lists_what_it_takes():
    with pytest.raises(TypeError, match=r"^unknown option 'foo'; choose from: ") as caught:
        Options(foo=1)
    assert "metrics" not in str(caught.value)
    assert "response_format" not in str(caught.value)
