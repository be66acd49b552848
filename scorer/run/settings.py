"""Several settings for the same files, each in a few words: presets, and what is said otherwise than they have it.

>>> [(one.name, one.preset, dict(one.words)) for one in settings_of("crac25, crac25:singletons=keep, exact")]
[('crac25', 'crac25', {}), ('crac25:singletons=keep', 'crac25', {'singletons': 'keep'}), ('exact', None, {'match': 'exact'})]
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conll.prose import meant
from scorer.options import TABLE, Options
from scorer.presets import PRESETS
from scorer.registry import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NAMES = ("metrics", *TABLE)
"""What a setting may say."""

DEFAULTS = "the defaults"
"""What readers are told of settings where no option is at another word."""

SPELLING = "PRESET, PRESET:OPTION=WORD or OPTION=WORD"

_QUOTED = r'"(?:\\.|[^"\\])*"'
_ITEM = re.compile(rf'(?:[^",]|{_QUOTED})*')
_PART = re.compile(rf'(?:[^":]|{_QUOTED})*')


@dataclass(frozen=True)
class Setting:
    """One of several settings: its `name`, as it was written; its `preset`, if any; and the `words` that go before all else."""

    name: str
    preset: str | None
    words: Mapping[str, str]

    def between(self, below: Mapping[str, str], above: Mapping[str, str]) -> dict[str, str]:
        """What is said of a row: its preset stands between what is said below and above, and its words over all."""
        return {**below, **PRESETS.get(self.preset or "", {}), **above, **self.words}


def settings_of(written: str | Iterable[str]) -> list[Setting]:
    """The settings that a text lists with commas between, or several such texts.

    Each is a preset, options that are parted from it and from each other by colons, or both: `crac25:singletons=keep`. The name of
    an option may be left out before a word that is of no other, such as `exact`. A word that holds a comma or a colon is put in
    quotes, as in JSON. ValueError for what nobody knows, with the nearest that is known, and for a setting that is there twice.
    """
    texts = [written] if isinstance(written, str) else list(written)
    found = [_setting(item.strip()) for text in texts for item in _split(_ITEM, text, ",")]
    if not found:
        raise ValueError(f"presets: there is none; write {SPELLING}, with commas between several")
    twice = next((one.name for at, one in enumerate(found) if one.name in [other.name for other in found[:at]]), None)
    if twice is not None:
        raise ValueError(f"presets: {twice!r} is there twice; leave one out")
    return found


def _split(part: re.Pattern[str], text: str, between: str) -> list[str]:
    """The parts of a text; ValueError where a quotation mark has no other."""
    found: list[str] = []
    at = 0
    while True:
        match = part.match(text, at)
        assert match is not None  # it matches nothing, too
        found.append(match[0])
        at = match.end()
        if at == len(text):
            return found
        if text[at] != between:
            raise ValueError(f"presets: a quotation mark in {text!r} has no other; write two around a word")
        at += 1


def _setting(item: str) -> Setting:
    first, *rest = (part.strip() for part in _split(_PART, item, ":"))
    preset = first if first in PRESETS else None
    words: dict[str, str] = {}
    for part in rest if preset else (first, *rest):
        name, word = _said(part, item, first=not preset and not words)
        if name in words:
            raise ValueError(f"presets: {item!r} says {name} twice; leave one out")
        words[name] = word
    Options(**{name: word for name, word in words.items() if name in TABLE})
    if "metrics" in words:
        resolve(words["metrics"])
    return Setting(":".join([*([preset] if preset else []), *(rest if preset else (first, *rest))]), preset, words)


def _said(part: str, item: str, *, first: bool) -> tuple[str, str]:
    """The option and the word that a part of a setting says."""
    written, equals, word = (one.strip() for one in part.partition("="))
    if not equals:
        return _of_word(part, item, first=first), part
    name = written.lower().replace("-", "_")
    if name not in NAMES:
        hint = meant(name, NAMES) or f"; there are: {', '.join(NAMES)}"
        raise ValueError(f"presets: there is no option {written!r} for {item!r}{hint}")
    if word.startswith('"'):
        try:
            word = str(json.loads(word))
        except ValueError:
            raise ValueError(f"presets: {word} in {item!r} is no text in quotes, as JSON has them") from None
    if not word:
        raise ValueError(f"presets: {item!r} gives no word for {name}; write {name}=WORD")
    return name, word


def _of_word(word: str, item: str, *, first: bool) -> str:
    """The option of which this is a word; ValueError unless there is just one."""
    if not word:
        raise ValueError(f"presets: {item!r} has an empty part; write {SPELLING}, with commas between several")
    options = [name for name, option in TABLE.items() if word in option.choices]
    if len(options) == 1:
        return options[0]
    if options:
        ways = " or ".join(f"{name}={word}" for name in options)
        raise ValueError(f"presets: {word!r} is a word of {' and '.join(options)}; write {ways}")
    words = [one for option in TABLE.values() for one in option.choices]
    known = [*(PRESETS if first else ()), *(one for one in words if words.count(one) == 1)]
    what = f"neither a preset ({', '.join(PRESETS)}) nor" if first else "not"
    raise ValueError(f"presets: {word!r} is {what} a word of an option{meant(word, known) or f'; write {SPELLING}'}")
