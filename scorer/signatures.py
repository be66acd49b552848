"""Refuse values of wrong types, in one sentence, by the annotations of a public function."""

import ast
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, formatannotation, signature
from numbers import Number
from types import NoneType
from typing import ParamSpec, TypeVar

from conll.errors import not_of_type

GivenP = ParamSpec("GivenP")
ResultT = TypeVar("ResultT")

CALLS = {
    "agreement": "agreement([first, second])",
    "batch": 'batch("manifest.csv")',
    "compare": "compare(key, [response, other])",
    "convert": 'convert("key.conll", "key.jsonl")',
    "errors": "errors(key, response, against=other)",
    "leaderboard": "leaderboard(key, [response, other])",
    "score": 'score(key, response, metrics="muc")',
}
"""How functions are called, for those who give too much or too little."""


def _is_iterable_of(*kinds: type) -> Callable[[object], bool]:
    """Return a function that knows iterables of such items; it does not read an iterator."""

    def is_one(value: object) -> bool:
        if isinstance(value, (list, tuple, set, frozenset, dict)):
            return all(isinstance(item, kinds) for item in value)
        return isinstance(value, Iterable) and not isinstance(value, bytes)

    return is_one


def _is_flag(value: object) -> bool:
    # Flags of numpy are numbers of no kind that Python knows; before numpy 2 they are a `bool_`.
    return isinstance(value, (Number, NoneType)) or type(value).__name__ in ("bool", "bool_")


def _is_open_file(value: object) -> bool:
    return hasattr(value, "read")


def _is_of(name: str) -> Callable[[object], bool]:
    """Return a function that knows objects of a class without importing it."""
    return lambda value: any(base.__name__ == name for base in type(value).__mro__)


def _is(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kinds)


ACCEPTED: dict[str, tuple[Callable[[object], bool], str]] = {
    "None": (_is(NoneType), "None"),
    "str": (_is(str), "text"),
    "DocumentNames": (_is(str), "text"),
    "os.PathLike[str]": (_is(os.PathLike), "a path"),
    "IO[bytes]": (_is_open_file, "an open file"),
    "IO[str]": (_is_open_file, "an open file"),
    "Literal['key', 'response']": (_is(str), "key or response"),
    "Errors": (_is_of("Errors"), "an Errors object"),
    "Options": (_is_of("Options"), "an Options object"),
    "Resampling": (_is_of("Resampling"), "a Resampling object"),
    "SystemDiff": (_is_of("SystemDiff"), "a SystemDiff object"),
    "bool": (_is_flag, "True or False"),
    "int": (_is(Number), "a whole number"),
    "float": (_is(Number), "a number"),
    "Watch": (callable, "a function"),
    "Documents": (lambda value: not callable(value), "a path, an open file or clusters"),
    "Iterable[str]": (_is_iterable_of(str), "a list of texts"),
    "Sequence[str]": (_is_iterable_of(str), "a list of texts"),
    "Iterable[str | os.PathLike[str]]": (_is_iterable_of(str, os.PathLike), "a list of paths"),
    "Mapping[str, Documents]": (_is(Mapping), "a mapping from names"),
    # One path has a message of its own, which says what to write.
    "Iterable[Documents]": (_is(Iterable, os.PathLike), "a list"),
}
"""What an annotation accepts, and what a message calls that. Others are checked where they are
read."""


def checked(function: Callable[GivenP, ResultT]) -> Callable[GivenP, ResultT]:
    """Let a function raise TypeError, before it does anything, for values of a wrong type."""
    form = signature(function)

    @wraps(function)
    def call(*given: GivenP.args, **named: GivenP.kwargs) -> ResultT:
        try:
            bound = form.bind(*given, **named)
        except TypeError as error:
            name = function.__name__
            how = f"; write scorer.{CALLS[name]}" if name in CALLS else ""
            raise TypeError(f"{name}: {error}{how}") from None
        for name, value in bound.arguments.items():
            parameter = form.parameters[name]
            if parameter.kind is Parameter.VAR_KEYWORD or name == "self":
                continue
            for item in value if parameter.kind is Parameter.VAR_POSITIONAL else [value]:
                check_type(name, item, parameter.annotation)
        return function(*given, **named)

    return call


def check_type(name: str, value: object, annotation: object) -> None:
    """Raise TypeError unless an annotation, as text or a type, accepts the value of an argument."""
    text = annotation
    if not isinstance(text, str):
        text = formatannotation(annotation).replace("collections.abc.", "")
    kinds = _alternatives(ast.parse(text, mode="eval").body)
    if not all(kind in ACCEPTED for kind in kinds):
        return
    if not any(ACCEPTED[kind][0](value) for kind in kinds):
        expected = " or ".join(dict.fromkeys(ACCEPTED[kind][1] for kind in kinds))
        raise not_of_type(name, value, expected)


def _alternatives(annotation: ast.expr) -> list[str]:
    if isinstance(annotation, ast.BinOp):
        return [*_alternatives(annotation.left), *_alternatives(annotation.right)]
    return [ast.unparse(annotation)]
