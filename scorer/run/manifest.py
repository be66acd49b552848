"""A manifest says what to score: a key and a response a row, and how, as CSV or as YAML.

CSV has a heading. Its columns are `key` and `response`, `corpus` and `system`, and any option of
`scorer score` by its name; an empty cell says nothing. YAML is a list of such rows, or `defaults:`
for all of them and `rows:`. Relative paths start in the manifest's folder. A row is scored once for
each of its `presets`; each of these is a preset, options that differ from it, or both.

>>> settings = settings_of("crac25, crac25:singletons=keep, exact")
>>> [(setting.name, setting.preset, dict(setting.words)) for setting in settings[1:]]
[('crac25:singletons=keep', 'crac25', {'singletons': 'keep'}), ('exact', None, {'match': 'exact'})]
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from dataclasses import dataclass, replace
from io import StringIO
from json import dumps
from typing import TYPE_CHECKING

from conll import formats
from conll.errors import ConllError, did_you_mean
from conll.remote import is_url
from conll.source import standard_input
from scorer import registry
from scorer.options import PRESETS, TABLE, Options, compiled, options_of, settings
from scorer.registry import resolve, select
from scorer.report.forms import unguarded
from scorer.run.names import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

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
    """One of several settings: its `name`, as it was written; its `preset`, if any.

    And the `words` that go before all else.
    """

    name: str
    preset: str | None
    words: Mapping[str, str]

    def between(self, below: Mapping[str, str], above: Mapping[str, str]) -> dict[str, str]:
        """Return the words for a row: those below, the preset, those above, and the own words."""
        return {**below, **PRESETS.get(self.preset or "", {}), **above, **self.words}


def settings_of(written: str | Iterable[str]) -> list[Setting]:
    """The settings that a text lists with commas between, or several such texts.

    Each is a preset, options that are parted from it and from each other by colons, or both:
    `crac25:singletons=keep`. The name of an option may be left out before a word that is of no
    other, such as `exact`. A word that holds a comma or a colon is put in quotes, as in JSON.
    ValueError for what nobody knows, with the nearest that is known, and for a setting that is
    there twice.
    """
    texts = [written] if isinstance(written, str) else list(written)
    found = [_setting(item.strip()) for text in texts for item in _split(_ITEM, text, ",")]
    if not found:
        raise ValueError(f"presets: there is none; write {SPELLING}, with commas between several")
    twice = next(
        (
            one.name
            for at, one in enumerate(found)
            if one.name in [other.name for other in found[:at]]
        ),
        None,
    )
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
            raise ValueError(
                f"presets: a quotation mark in {text!r} has no other; write two around a word"
            )
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
    return Setting(
        ":".join([*([preset] if preset else []), *(rest if preset else (first, *rest))]),
        preset,
        words,
    )


def _said(part: str, item: str, *, first: bool) -> tuple[str, str]:
    """The option and the word that a part of a setting says."""
    written, equals, word = (one.strip() for one in part.partition("="))
    if not equals:
        return _of_word(part, item, first=first), part
    name = written.lower().replace("-", "_")
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"; there are: {', '.join(NAMES)}"
        raise ValueError(f"presets: there is no option {written!r} for {item!r}{hint}")
    if word.startswith('"'):
        try:
            word = str(json.loads(word))
        except ValueError:
            raise ValueError(
                f"presets: {word} in {item!r} is no text in quotes, as JSON has them"
            ) from None
    if not word:
        raise ValueError(f"presets: {item!r} gives no word for {name}; write {name}=WORD")
    return name, word


def _of_word(word: str, item: str, *, first: bool) -> str:
    """The option of which this is a word; ValueError unless there is just one."""
    if not word:
        raise ValueError(
            f"presets: {item!r} has an empty part; write {SPELLING}, with commas between several"
        )
    options = [name for name, option in TABLE.items() if word in option.choices]
    if len(options) == 1:
        return options[0]
    if options:
        ways = " or ".join(f"{name}={word}" for name in options)
        raise ValueError(f"presets: {word!r} is a word of {' and '.join(options)}; write {ways}")
    words = [one for option in TABLE.values() for one in option.choices]
    known = [*(PRESETS if first else ()), *(one for one in words if words.count(one) == 1)]
    what = f"neither a preset ({', '.join(PRESETS)}) nor" if first else "not"
    hint = did_you_mean(word, known) or f"; write {SPELLING}"
    raise ValueError(f"presets: {word!r} is {what} a word of an option{hint}")


OPTIONS = ("preset", "metrics", *TABLE, "key_format", "response_format")
"""What a row may say of how it is scored, and what may be said for all rows."""
COLUMNS = ("key", "response", "corpus", "system", "presets", *OPTIONS)
"""What a row may hold."""

_DELIMITERS = ",\t;"
_YAML = re.compile(r"[ \t]*(?:-(?:[ \t]|$)|[\[{]|---|%YAML|\w+[ \t]*:(?:[ \t]|$))")
"""How the first line of YAML begins that holds rows."""


@dataclass(frozen=True)
class ManifestRow:
    """One key and one response to score, one way.

    `number` counts the rows of the manifest from 1, `line` is the one on which it begins there.
    `key` and `response` as the manifest writes them, `key_path` and `response_path` from the folder
    of this process. `metrics` are names with + between. Where a row is scored under several
    settings, each makes a row of its own here, of the same number: `preset` is the setting as it
    was written, `place` counts them from 0.
    """

    number: int
    line: int
    corpus: str
    system: str
    key: str
    response: str
    key_path: str
    response_path: str
    metrics: str
    options: Options
    key_format: str | None = None
    response_format: str | None = None
    preset: str = ""
    place: int = 0

    @property
    def settings(self) -> str:
        """The options that are not at their defaults, as `name=value`, with spaces between."""
        return " ".join(
            f"{name}={_plain(word)}"
            for name, word in self.options.chosen().items()
            if word is not None
        )


def read_manifest(
    path: str | os.PathLike[str],
    given: Mapping[str, str | Sequence[str] | None] | None = None,
    presets: str | Iterable[str] | None = None,
) -> list[ManifestRow]:
    """The rows of a manifest; `-` is standard input.

    Every word in it is checked, but no file that it names is read.

    `given` has `OPTIONS` for all rows. What a row says overrides the manifest's `defaults`, and
    these override `given`; a preset counts as its settings written in its place, which the options
    beside it override. A row without a `corpus` has the name of its key's file for one, and without
    a `system` that of its response's. `presets` are the settings, as `settings_of` reads them,
    under each of which every row is scored that does not name its own: their presets count as all
    presets do, and their own words go before everything else.

    Raises ConllError, with the line, for what cannot be read, for an unknown column or word, and
    for two rows of one corpus and system that are scored alike, as nothing would tell their figures
    apart; OSError when the file cannot be opened; ModuleNotFoundError for YAML without PyYAML;
    ValueError for an unknown word in `given`.
    """
    name = os.fspath(path)
    text = _text(name)
    common = _resolved(
        {
            name: value if isinstance(value, str) else ",".join(value)
            for name, value in (given or {}).items()
            if value
        }
    )
    _check(common)
    each = [] if presets is None else settings_of(presets)
    if each:
        _check_preset(common)
    name = "<stdin>" if name == "-" else name
    folder = "" if name == "<stdin>" else os.path.dirname(name)
    rows: list[ManifestRow] = []
    seen: dict[tuple[str, str, str, Options], ManifestRow] = {}
    for number, (line, cells) in enumerate(
        (_from_yaml if _is_yaml(name, text) else _from_csv)(text, name), 1
    ):
        try:
            own = _rows(number, line, folder, (common, cells), each)
        except ValueError as error:
            raise ConllError(name, line, str(error)) from None
        for row in own:
            same = seen.setdefault((row.corpus, row.system, row.preset, row.options), row)
            if same is not row:
                under = f" under {row.preset}" if row.preset else ""
                names = f"corpus {row.corpus!r} and system {row.system!r}"
                problem = f"{names} stand on line {same.line} already, scored alike{under}"
                advice = "name one of them otherwise, with the columns corpus and system"
                raise ConllError(name, line, f"{problem}; {advice}")
        rows += own
    if not rows:
        raise ConllError(
            name, 0, "the manifest has no rows; write a line for each key and response"
        )
    return rows


def rows_of(
    manifest: str | os.PathLike[str],
    options: Options | None = None,
    words: Mapping[str, str | None] | None = None,
    presets: str | Iterable[str] | None = None,
) -> list[ManifestRow]:
    """Read a manifest, given a record of options or the same words, and others of `OPTIONS`.

    TypeError for an unknown keyword, and for options given both ways.
    """
    words = dict(words or {})
    unknown = next((name for name in words if name not in OPTIONS), None)
    if unknown is not None:
        hint = did_you_mean(unknown, OPTIONS)
        raise TypeError(f"there is no option {unknown!r}; there are: {', '.join(OPTIONS)}{hint}")
    if options is not None:
        options_of(
            options,
            {name: word for name, word in words.items() if name == "preset" or name in TABLE},
        )
        words |= options.chosen()
    return read_manifest(manifest, words, presets)


def _text(path: str) -> str:
    if path == "-":
        content = standard_input().read()
    else:
        with open(path, "rb") as file:
            content = file.read()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConllError(path, 1, "the file begins with the mark of UTF-16; save it as UTF-8")
    # Spreadsheets save a byte-order mark. Paths need not be UTF-8.
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _is_yaml(path: str, text: str) -> bool:
    """By the name where that says it, else by the first line that is no comment."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in {".yaml", ".yml", ".csv", ".tsv"}:
        return suffix[1] == "y"
    first = next(
        (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")),
        "",
    )
    return _YAML.match(first) is not None


def _rows(
    number: int,
    line: int,
    folder: str,
    said: tuple[dict[str, str], dict[str, str]],
    given: list[Setting],
) -> list[ManifestRow]:
    """The rows that a line makes, one for each setting; ValueError for what is wrong with it.

    `said`: for all rows, and in the cells of this one. A preset counts where it is named: `given`
    ones below both.
    """
    common, cells = said
    each = settings_of(cells["presets"]) if "presets" in cells else given
    if not each:
        return [_row(number, line, folder, common | cells)]
    _check_preset(common | cells)
    below, above = (common, cells) if "presets" in cells else ({}, common | cells)
    rows = [_row(number, line, folder, one.between(below, above)) for one in each]
    return [
        replace(row, preset=one.name, place=place)
        for place, (row, one) in enumerate(zip(rows, each))
    ]


def _check_preset(cells: Mapping[str, str]) -> None:
    """ValueError for a preset beside presets."""
    if "preset" in cells:
        advice = "which name one each; leave out one of the two"
        raise ValueError(f"preset: {cells['preset']!r} stands beside presets, {advice}")


def _row(number: int, line: int, folder: str, cells: Mapping[str, str]) -> ManifestRow:
    """The row of these cells; ValueError for what is wrong with them."""
    for side in ("key", "response"):
        if not cells.get(side):
            raise ValueError(f"the row has no {side}; give the path of a file or a folder")
        if cells[side] == "-" or "\0" in cells[side]:
            raise ValueError(f"{side}: {cells[side]!r} is no path of a file or a folder")
    options = _check(cells)
    key, response = (_path(folder, cells[side]) for side in ("key", "response"))
    return ManifestRow(
        number,
        line,
        cells.get("corpus") or name_of(key),
        cells.get("system") or name_of(response),
        cells["key"],
        cells["response"],
        key,
        response,
        _metrics(cells),
        options,
        cells.get("key_format"),
        cells.get("response_format"),
    )


def _path(folder: str, written: str) -> str:
    return (
        written
        if is_url(written)
        else os.path.join(folder, written.rstrip(os.sep + (os.altsep or "")) or os.sep)
    )


def _metrics(cells: Mapping[str, str]) -> str:
    return ",".join(registry.split(cells.get("metrics", "all")))


def _resolved(cells: Mapping[str, str]) -> dict[str, str]:
    """The cells with a preset's settings beside it; ValueError when there is no such preset."""
    others = {name: value for name, value in cells.items() if name != "preset"}
    return (
        settings(cells["preset"], **others) | {"preset": cells["preset"]}
        if "preset" in cells
        else others
    )


def _check(cells: Mapping[str, str]) -> Options:
    """The options that these cells say; ValueError for an unknown word."""
    options = Options(**{name: cells[name] for name in TABLE if name in cells})
    select(_metrics(cells), options)
    if options.documents is not None:
        try:
            compiled(options.documents)
        except ValueError as error:
            raise ValueError(f"documents: {error}") from None
    for name in ("key_format", "response_format"):
        if name in cells and cells[name] not in formats.names():
            known = formats.names()
            hint = f"there are: {', '.join(known)}{did_you_mean(cells[name], known)}"
            raise ValueError(f"{name}: there is no format {cells[name]!r}; {hint}")
    return options


def _column(written: str) -> str:
    """The column of that name, which may have - for _.

    ValueError, with the nearest name, when there is none.
    """
    name = written.strip().lower().replace("-", "_").replace(" ", "_")
    if name not in COLUMNS:
        hint = did_you_mean(name, COLUMNS) or f"; there are: {', '.join(COLUMNS)}"
        raise ValueError(f"there is no column {written.strip()!r}{hint}")
    return name


def _from_csv(text: str, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Return line and cells of each row of a table with commas, TABs or semicolons between."""
    heading = text.lstrip().partition("\n")[0]
    reader = csv.reader(
        StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=heading.count), strict=True
    )
    columns: list[str] = []
    line = 1
    while True:
        line = reader.line_num + 1
        try:
            cells = [unguarded(cell.strip()) for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise ConllError(path, line, f"the line is no CSV ({error}); mind the quotes") from None
        if not any(cells):
            continue
        if not columns:
            columns = _columns(cells, path, line)
            continue
        if len(cells) != len(columns):
            problem = f"the row has {len(cells)} cells, but the heading has {len(columns)}"
            advice = "put a cell that holds a comma in quotes"
            raise ConllError(path, line, f"{problem}; {advice}")
        yield line, _placed(path, line, dict(zip(columns, cells)))


def _columns(cells: list[str], path: str, line: int) -> list[str]:
    try:
        columns = [_column(cell) for cell in cells]
    except ValueError as error:
        raise ConllError(path, line, str(error)) from None
    for side in ("key", "response"):
        if side not in columns:
            raise ConllError(
                path, line, f"the heading has no column {side!r}; it needs key and response"
            )
    twice = next((column for at, column in enumerate(columns) if column in columns[:at]), None)
    if twice is not None:
        raise ConllError(path, line, f"the column {twice!r} is there twice; leave one out")
    return columns


def _placed(path: str, line: int, cells: Mapping[str, str]) -> dict[str, str]:
    try:
        return _resolved({name: value for name, value in cells.items() if value})
    except ValueError as error:
        raise ConllError(path, line, str(error)) from None


def _from_yaml(text: str, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells of each row of YAML.

    Scalars stay as they are written: a system may be called 1.10, or no.
    """
    try:
        import yaml
    except ModuleNotFoundError:
        advice = "pip install 'conll-scorer[yaml]', or write it as CSV"
        problem = f"{path}: a manifest in YAML takes PyYAML; {advice}"
        raise ModuleNotFoundError(problem) from None
    try:
        yield from _Nodes(yaml, path).rows(text.encode("utf-8", "surrogateescape").decode())
    except UnicodeDecodeError:
        raise ConllError(path, 0, "the file is not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise ConllError(path, 0, "there are too many lists in lists in the file") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise ConllError(
            path, mark.line + 1 if mark else 0, f"the file is no YAML ({what})"
        ) from None


class _Nodes:
    """YAML as nodes, which know their lines and construct no objects."""

    def __init__(self, yaml: Any, path: str) -> None:
        self._yaml = yaml
        self._path = path
        self._merged: dict[int, dict[str, Any]] = {}

    def rows(self, text: str) -> Iterator[tuple[int, dict[str, str]]]:
        loader = self._yaml.SafeLoader(text)
        try:
            root = loader.get_single_node()
            defaults: dict[str, str] = {}
            if isinstance(root, self._yaml.MappingNode):
                parts = self._members(root)
                for name, node in parts.items():
                    if name not in {"defaults", "rows"}:
                        problem = f"{name!r} is neither 'defaults' nor 'rows'"
                        raise self._error(node, f"{problem}; write a list of rows, or these two")
                if "defaults" in parts:
                    defaults = self._cells(parts["defaults"])
                root = parts.get("rows")
            if not isinstance(root, self._yaml.SequenceNode):
                raise self._error(
                    root, "there is no list of rows; write one, each row with key: and response:"
                )
            for node in root.value:
                yield node.start_mark.line + 1, defaults | self._cells(node)
        finally:
            loader.dispose()

    def _cells(self, node: Any) -> dict[str, str]:
        cells: dict[str, str] = {}
        for written, value in self._members(node).items():
            try:
                name = _column(written)
            except ValueError as error:
                raise self._error(value, str(error)) from None
            if name in cells:
                raise self._error(value, f"{name!r} is there twice; leave one out")
            cells[name] = self._value(name, value)
        return _placed(self._path, node.start_mark.line + 1, cells)

    def _members(self, node: Any) -> dict[str, Any]:
        if not isinstance(node, self._yaml.MappingNode):
            raise self._error(node, "this is no row; write key: and response:, each with a path")
        names = Counter(
            name.value
            for name, _ in node.value
            if isinstance(name.value, str) and name.value != "<<"
        )
        twice = next((name for name, times in names.items() if times > 1), None)
        if twice is not None:
            raise self._error(node, f"{twice!r} is there twice; leave one out")
        return self._with_merged(node)

    def _with_merged(self, node: Any) -> dict[str, Any]:
        """The members of a mapping and, below them, those of the mappings that it merges (`<<`).

        Each of these is taken once, however often it is merged: PyYAML's own way grows with the
        number of ways that lead to it.
        """
        if id(node) not in self._merged:
            self._merged[id(node)] = {}  # what one holds that merges itself
            own: dict[str, Any] = {}
            below: dict[str, Any] = {}
            for name, value in node.value:
                if not isinstance(name, self._yaml.ScalarNode):
                    raise self._error(name, "the name of a column should stand here")
                if name.tag != "tag:yaml.org,2002:merge":
                    own[str(name.value)] = value
                    continue
                # Of several in a list the first counts.
                for one in (
                    reversed(value.value) if isinstance(value, self._yaml.SequenceNode) else [value]
                ):
                    if not isinstance(one, self._yaml.MappingNode):
                        raise self._error(
                            one, "<<: a mapping, or a list of mappings, should stand here"
                        )
                    below |= self._with_merged(one)
            self._merged[id(node)] = below | own
        return self._merged[id(node)]

    def _value(self, name: str, node: Any) -> str:
        if isinstance(node, self._yaml.ScalarNode):
            return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value).strip()
        between = {"metrics": ",", "presets": ","}
        if name in between and isinstance(node, self._yaml.SequenceNode):
            return between[name].join(
                self._value(name.removesuffix("s"), one) for one in node.value
            )
        raise self._error(node, f"{name}: a word or a path should stand here")

    def _error(self, node: Any, problem: str) -> ConllError:
        return ConllError(self._path, node.start_mark.line + 1 if node is not None else 0, problem)


def _plain(value: str) -> str:
    """A value that ends where the next space is."""
    return dumps(value, ensure_ascii=False) if re.search(r"[\s\"=]", value) else value
