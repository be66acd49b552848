"""One table says all about the options, and everything that takes, shows, signs or passes over one goes by it."""

import inspect
import pickle
from itertools import product
from pathlib import Path
from typing import Literal, get_args, get_type_hints

import pytest

import scorer
from conll import open_source
from conll.errors import ConllError
from scorer import registry
from scorer.cli.main import make_parser
from scorer.comparison.resampling import Resampling
from scorer.compat import CorefEvaluator
from scorer.engine import choice
from scorer.engine.corpus import Corpus
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.signature import line, signature
from scorer.keywords import OptionKeywords, Preset, ResamplingKeywords
from scorer.options import PRESETS, TABLE, Options, options_of
from scorer.run.manifest import COLUMNS, read_manifest

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "documentation" / "repeats.conll"
ONE, TWO = [["a", "b", "c"]], [["a", "b"], ["d", "e"]]

DEFAULTS = {
    "duplicates": "reference",
    "singletons": "keep",
    "missing_documents": "empty",
    "documents": None,
    "blanc_edges": "recasens2011",
    "match": "exact",
    "zeros": "linear",
    "split_antecedents": "ignore",
    "layer": "identity",
    "typed": None,
    "like": None,
    "align": "auto",
    "repair": "align",
    "rounding": "round",
}
KNOWN = ", ".join(DEFAULTS)
BESIDE = "metrics, preset, strict, key_format, response_format"
OTHERS = [
    (name, word)
    for name, option in TABLE.items()
    for word in option.choices or ("example",)
    if word != option.default
]
"""Every word that is no default."""

TAKE = {
    "score": lambda **given: scorer.score(ONE, TWO, **given),
    "compare": lambda **given: scorer.compare(
        {"a": ONE, "b": ONE}, {"x": {"a": ONE, "b": TWO}}, **given
    ),
    "rank_responses": lambda **given: scorer.rank_responses(
        {"a": ONE, "b": ONE}, {"x": {"a": ONE, "b": TWO}}, **given
    ),
    "Accumulator": scorer.Accumulator,
    "score_manifest": lambda **given: scorer.score_manifest(
        FIXTURES / "documentation" / "manifest.csv", **given
    ),
}
"""Everything that takes options, as a record and as keywords."""
takers = pytest.mark.parametrize("take", TAKE.values(), ids=TAKE)


def test_the_record_has_every_row_at_its_default():
    assert Options().to_dict() == DEFAULTS
    assert repr(Options()) == "Options()"
    assert hash(Options()) == hash(Options(match="exact"))
    for name, option in TABLE.items():
        assert (option.name, option.default) == (name, DEFAULTS[name])
        assert option.default in option.words
        assert set(option.arrays) <= set(option.choices) - {option.default}
        assert option.help
        assert all(option.words.values())
        assert option.signed in {"always", "chosen", "never"}


@pytest.mark.parametrize(("name", "word"), OTHERS)
def test_a_record_keeps_what_is_chosen(name, word):
    record = Options(**{name: word})
    assert getattr(record, name) == word
    assert record.to_dict() == DEFAULTS | {name: word}
    assert repr(record) == f"Options({name}={word!r})"
    assert record != Options()
    assert record == pickle.loads(pickle.dumps(record)) == Options().replace(**{name: word})
    assert record.replace(**{name: TABLE[name].default}) == Options()


def test_a_record_cannot_be_changed():
    record = Options(match="head")
    with pytest.raises(AttributeError) as caught:
        record.match = "exact"
    assert (
        str(caught.value) == "match: options cannot be changed; replace(match='exact') gives others"
    )
    with pytest.raises(AttributeError):
        record.matches = "exact"
    assert record.match == "head"


def test_what_is_no_option_is_refused():
    with pytest.raises(TypeError) as caught:
        Options(singeltons="drop")
    assert (
        str(caught.value)
        == f"unknown option 'singeltons'; choose from: {BESIDE}, {KNOWN}; did you mean 'singletons'?"
    )


def test_a_preset_is_a_keyword():
    key, response = ([[(0, 0)], [(1, 1), (2, 2)]], [[(1, 1), (2, 2)]])
    chosen = scorer.score(key, response, preset="conll-v4", metrics="muc", singletons="drop")
    assert (chosen.names, chosen.options) == (["muc"], Options(singletons="drop"))
    assert scorer.score(key, response, preset="conll-v4").names[-1] == "conll_v4"
    with pytest.raises(
        ValueError, match=r"^preset: 'conll13' is not one of .*did you mean 'conll12'"
    ):
        scorer.score(key, response, preset="conll13")
    with pytest.raises(TypeError, match=r"^preset: \['conll12'\] is not text$"):
        scorer.score(key, response, preset=["conll12"])
    with pytest.raises(
        TypeError, match=r"^options and preset cannot be combined; write everything"
    ):
        scorer.score(key, response, preset="conll12", options=Options())


def test_what_only_functions_take_is_no_option():
    for name in ("strict", "key_format"):
        with pytest.raises(TypeError, match=rf"^{name} cannot be given here; leave it out$"):
            scorer.Accumulator(**{name: True})


@takers
def test_a_keyword_that_is_no_option_is_refused_with_all_there_are(take):
    with pytest.raises(
        TypeError,
        match=r"^unknown option 'singeltons'; choose from: .*duplicates, singletons, .*, rounding",
    ):
        take(singeltons="drop")


@takers
def test_other_keywords_are_listed_as_well(take):
    with pytest.raises(TypeError, match=r"^unknown option 'metric'; .* did you mean 'metrics'"):
        take(metric="muc")


@pytest.mark.parametrize("name", ["compare", "rank_responses", "compare_corpora", "rank_corpora"])
def test_keywords_of_resampling_are_listed_where_they_are_taken(name):
    arguments = [ONE, {"x": TWO}] if name in {"compare", "rank_responses"} else ["m.csv"]
    with pytest.raises(TypeError, match=r"^unknown option 'trails'; .* did you mean 'trials'"):
        getattr(scorer, name)(*arguments, trails=9)


@pytest.mark.parametrize("metrics", [3, [3], [registry.get("muc")], registry.get("muc")])
def test_a_manifest_takes_names_of_metrics_alone(metrics):
    with pytest.raises(TypeError, match=r"^metrics: .* is not a list of names; "):
        scorer.batch("m.csv", metrics=metrics)


@takers
def test_options_are_given_once(take):
    with pytest.raises(TypeError) as caught:
        take(options=Options(), match="exact", zeros="linear")
    assert (
        str(caught.value)
        == "options and match, zeros cannot be combined; write everything into one Options, or everything as keywords"
    )


@takers
def test_an_unknown_word_is_refused(take):
    with pytest.raises(
        ValueError,
        match=r"^match: 'had' is not one of exact, head, partial, min, craft; did you mean 'head'\?$",
    ):
        take(match="had")


@pytest.mark.parametrize("name", ["score", "compare", "rank_responses", "Accumulator"])
@pytest.mark.parametrize(
    "words", [{"duplicates": "last"}, {"singletons": "drop", "rounding": "truncate"}], ids=str
)
def test_a_record_is_what_its_words_are(name, words):
    def options(found):
        if name in {"compare", "rank_responses"}:
            return found.evaluations["x"].options
        return found.compute().options if name == "Accumulator" else found.options

    assert (
        options(TAKE[name](**words))
        == options(TAKE[name](options=Options(**words)))
        == Options(**words)
    )


def test_a_record_for_all_rows_of_a_manifest(tmp_path):
    manifest = tmp_path / "m.csv"
    manifest.write_text(
        f"key,response,singletons,system\n{KEY},{RESPONSE},,x\n{KEY},{RESPONSE},keep,y\n"
    )
    words = {"singletons": "drop", "duplicates": "last"}
    for given in (words, {"options": Options(**words)}):
        found = {
            scored.row.system: scored.row.options
            for scored in scorer.score_manifest(manifest, metrics="muc", **given)
        }
        assert found == {"x": Options(**words), "y": Options(duplicates="last")}
    with pytest.raises(TypeError, match=r"^options and preset cannot be combined; "):
        scorer.score_manifest(manifest, options=Options(), preset="crac25")


@pytest.mark.parametrize(("name", "word"), [("documents", "a"), ("missing_documents", "error")])
def test_an_accumulator_refuses_what_is_about_whole_files(name, word):
    for given in ({name: word}, {"options": Options(**{name: word})}):
        with pytest.raises(TypeError) as caught:
            scorer.Accumulator(**given)
        assert str(caught.value) == (
            f"{name}: an accumulator scores every document that it is given; leave the option out"
        )


@pytest.mark.parametrize("command", ["score", "batch", "compare", "leaderboard", "codabench"])
def test_every_command_takes_every_option(command):
    parser = make_parser()._subparsers._group_actions[0].choices[command]
    taken = {action.dest: action for action in parser._actions}
    for name, option in TABLE.items():
        assert tuple(taken[name].choices or ()) == option.choices
        assert taken[name].option_strings == [f"--{name.replace('_', '-')}"]
        assert taken[name].help == option.help.format(default=option.default)


def test_the_words_that_need_it_are_explained():
    text = make_parser()._subparsers._group_actions[0].choices["score"].epilog
    for option in TABLE.values():
        assert (f"\n{option.name} (" in f"\n{text}") == bool(option.about)
        for word, meaning in option.words.items() if option.about else ():
            assert f"\n  {word:9}  {meaning}\n" in text


@pytest.mark.parametrize(("name", "word"), OTHERS)
def test_a_manifest_has_a_column_for_every_option(name, word, tmp_path):
    manifest = tmp_path / "m.csv"
    manifest.write_text(f"key,response,{name.replace('_', '-')}\nk,r,{word}\n")
    [row] = read_manifest(manifest)
    assert row.options == Options(**{name: word})
    assert name in COLUMNS


SIGNED = {"duplicates", "singletons", "blanc_edges", "match", "zeros", "filter"}


@pytest.mark.parametrize(("name", "word"), OTHERS)
def test_a_signature_says_what_was_chosen(name, word):
    usual, other = Evaluation([]), Evaluation([], Options(**{name: word}))
    assert set(signature(usual)) > SIGNED
    assert not {"typed", "like", "rounding", "documents", "missing_documents"} & set(
        usual.options.signed()
    )
    field = "filter" if name == "documents" else name
    if name == "missing_documents":
        assert signature(other) == signature(usual)
    else:
        assert signature(other) == {**signature(usual), field: word}
        assert f"; {field}={word}; " in line(other)


def corpus():
    return Corpus(open_source(str(KEY)), open_source(str(RESPONSE)))


@pytest.mark.parametrize(("name", "word"), OTHERS)
def test_the_engine_with_arrays_is_taken_only_where_the_table_says_that_it_knows_the_word(
    name, word, monkeypatch
):
    monkeypatch.setattr(choice, "LARGE", 0)
    metrics = [registry.get("muc")]
    known = {"missing_documents": {"error"}, "blanc_edges": {"luo2014"}, "rounding": {"truncate"}}
    assert choice.takes_arrays(corpus(), Options(), metrics)
    assert not choice.takes_arrays(corpus(), Options(), [*metrics, registry.get("mor")])
    assert choice.takes_arrays(corpus(), Options(**{name: word}), metrics) == (
        word in known.get(name, ())
    )


ARRAYS = list(product(*([option.default, *option.arrays] for option in TABLE.values())))


@pytest.mark.parametrize("words", ARRAYS, ids=str)
def test_both_engines_agree_on_the_words_that_both_know(words, monkeypatch):
    options = Options(**dict(zip(TABLE, words)))
    sides = [FIXTURES / f"example.{side}.conll" for side in ("key", "response")]
    plain = scorer.score(*sides, options=options)
    monkeypatch.setattr(choice, "LARGE", 0)
    assert choice.takes_arrays(
        Corpus(*(open_source(str(side)) for side in sides)), options, list(plain.metrics.values())
    )
    assert scorer.score(*sides, options=options).to_dict() == plain.to_dict()
    lacking = corpus()
    if options.missing_documents == "error":
        for large in (0, 1 << 40):
            monkeypatch.setattr(choice, "LARGE", large)
            with pytest.raises(
                ConllError, match="the response is missing this document; add it, or let missing"
            ):
                choice.evaluate(lacking, list(plain.metrics.values()), options)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_made_of_rows(preset):
    words = dict(PRESETS[preset])
    metrics = words.pop("metrics")
    assert options_of(None, words).to_dict() == DEFAULTS | words
    assert registry.resolve(metrics) == metrics.split(",")


def test_the_types_name_every_option_with_its_values():
    for name, hint in get_type_hints(OptionKeywords).items():
        choices = TABLE[name].choices
        literal = Literal[choices] if choices else str  # type: ignore[valid-type]
        assert hint == (literal if TABLE[name].default is not None else literal | None), name
    assert [*get_type_hints(OptionKeywords)] == [*TABLE] == [*vars(Options())]
    assert get_args(Preset) == (*PRESETS,)
    resampling = {name: type(value) for name, value in vars(Resampling()).items()}
    assert [*get_type_hints(ResamplingKeywords)] == [*resampling]


FUNCTIONS = [name for name in scorer.__all__ if inspect.isfunction(getattr(scorer, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_tells_types_and_defaults(name):
    function = getattr(scorer, name)
    get_type_hints(function)
    parameters = inspect.signature(function).parameters
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters.values())
    if "singletons" in parameters:
        assert {option: parameters[option].default for option in DEFAULTS} == DEFAULTS
    if name.startswith(("compare", "rank")):
        resampling = vars(Resampling())
        assert {option: parameters[option].default for option in resampling} == resampling


@pytest.mark.parametrize("kind", [scorer.Accumulator, CorefEvaluator, scorer.Options])
def test_every_class_tells_types_and_defaults(kind):
    parameters = inspect.signature(kind).parameters
    assert "self" not in parameters
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters.values())
    assert {option: parameters[option].default for option in DEFAULTS} == DEFAULTS


def test_a_class_made_of_an_accumulator_has_its_own_signature():
    class Named(scorer.Accumulator):
        def __init__(self, name):
            super().__init__("muc")
            self.name = name

    assert str(inspect.signature(Named)) == "(name)"
