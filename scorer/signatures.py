"""Refuse values of wrong types, in one sentence, by the annotations of a public function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from numbers import Number
from types import NoneType
from typing import ParamSpec, TypeVar

from conll.errors import shown

GivenP = ParamSpec("GivenP")
ResultT = TypeVar("ResultT")


def _is_text_list(value: object) -> bool:
    return _is_iterable_of(value, str)


def _is_iterable_of(value: object, kind: type | tuple[type, ...]) -> bool:
    """Return whether a value is an iterable of such items; an iterator is not read for that."""
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return all(isinstance(item, kind) for item in value)
    return isinstance(value, Iterable) and not isinstance(value, bytes)


def _is_flag(value: object) -> bool:
    # Flags of numpy are numbers of no kind that Python knows.
    return isinstance(value, (bool, Number, NoneType)) or type(value).__name__ == "bool_"


def _is_path_list(value: object) -> bool:
    return _is_iterable_of(value, (str, os.PathLike))


def _is_of(name: str) -> Callable[[object], bool]:
    """Return a function that knows objects of a class without importing it."""
    return lambda value: any(base.__name__ == name for base in type(value).__mro__)


def _is_path_or_list(value: object) -> bool:
    # One path has a message of its own, which says what to write.
    return isinstance(value, (Iterable, os.PathLike))


ACCEPTED: dict[str, tuple[Callable[[object], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "str": (lambda value: isinstance(value, str), "text"),
    "DocumentNames": (lambda value: isinstance(value, str), "text"),
    "os.PathLike[str]": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Literal['key', 'response']": (lambda value: isinstance(value, str), "key or response"),
    "Options": (_is_of("Options"), "an Options object"),
    "Resampling": (_is_of("Resampling"), "a Resampling object"),
    "bool": (_is_flag, "True or False"),
    "int": (lambda value: isinstance(value, Number), "a whole number"),
    "float": (lambda value: isinstance(value, Number), "a number"),
    "Watch": (callable, "a function"),
    "Iterable[str]": (_is_text_list, "a list of texts"),
    "Sequence[str]": (_is_text_list, "a list of texts"),
    "Iterable[str | os.PathLike[str]]": (_is_path_list, "a list of paths"),
    "Mapping[str, Documents]": (lambda value: isinstance(value, Mapping), "a mapping from names"),
    "Iterable[Documents]": (_is_path_or_list, "a list"),
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
        except TypeError:
            return function(*given, **named)  # which says what is missing or not known
        for name, value in bound.arguments.items():
            parameter = form.parameters[name]
            if parameter.kind is Parameter.VAR_POSITIONAL:
                for item in value:
                    _check(name, item, parameter.annotation)
            elif parameter.kind is not Parameter.VAR_KEYWORD:
                _check(name, value, parameter.annotation)
        return function(*given, **named)

    return call


def _check(name: str, value: object, annotation: str) -> None:
    kinds = _alternatives(annotation)
    if not all(kind in ACCEPTED for kind in kinds):
        return
    if not any(ACCEPTED[kind][0](value) for kind in kinds):
        expected = " or ".join(dict.fromkeys(ACCEPTED[kind][1] for kind in kinds))
        raise TypeError(f"{name}: {shown(value)} is not {expected}")


def _alternatives(annotation: str) -> list[str]:
    """Split an annotation at the bars that are in no brackets."""
    parts = [""]
    for piece in annotation.split(" | "):
        if parts[-1].count("[") > parts[-1].count("]"):
            parts[-1] += f" | {piece}"
        elif parts[-1]:
            parts.append(piece)
        else:
            parts[-1] = piece
    return parts
