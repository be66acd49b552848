"""A manifest says what to score: a key and a response a row, and how, as CSV or as YAML.

CSV has a heading. Its columns are `key` and `response`, `corpus` and `system`, and any option of
`scorer score` by its name; an empty cell says nothing. YAML is a list of such rows, or `defaults:`
for all of them and `rows:`. Relative paths start in the manifest's folder. A row is scored once for
each of its `presets`; each of these is a preset, options that differ from it, or both.

>>> settings = settings_of("crac25, crac25:singletons=keep, exact")
>>> [(setting.name, setting.preset, setting.words) for setting in settings[1:]]
[('crac25:singletons=keep', 'crac25', {'singletons': 'keep'}), ('exact', None, {'match': 'exact'})]
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, NoReturn

from conll import formats
from conll.errors import ConllError, did_you_mean, pluralize
from conll.remote import is_url
from conll.source import standard_input
from scorer import registry
from scorer.inputs.names import name_of
from scorer.options import PRESETS, TABLE, Options, compiled, options_of, unknown_option
from scorer.options import settings as settings_of_preset
from scorer.registry import make_scheme, resolve
from scorer.report.forms import unguarded
from scorer.scheme import Scheme

DEFAULTS = "the defaults"
"""What readers are told of settings where no option is at another value."""

SPELLING = "PRESET, PRESET:OPTION=WORD or OPTION=WORD, with commas between several"

OPTIONS = ("preset", "metrics", *TABLE, "key_format", "response_format")
"""What a row may say of how it is scored, and what may be said for all rows."""

COLUMNS = ("key", "response", "corpus", "system", "presets", *OPTIONS)
"""What a row may hold."""


@dataclass(frozen=True)
class Setting:
    """One of several settings.

    Its `name`, as it was written; its `preset`, if any; and the `words` that go before all else.
    """

    name: str
    preset: str | None
    words: dict[str, str]


def settings_of(written: str | Iterable[str]) -> list[Setting]:
    """Return the settings that a text lists with commas between, or several such texts.

    Each is a preset, options that are parted from it and from each other by colons, or both:
    `crac25:singletons=keep`. The name of an option may be left out before a value that no other
    option that changes figures has, such as `exact`.

    Raises:
        ValueError: A preset, option or value is unknown, or something appears twice.
    """
    texts = [written] if isinstance(written, str) else written
    found: dict[str, Setting] = {}
    for item in (item for text in texts for item in text.split(",")):
        parts = [part.strip() for part in item.split(":")]
        preset = parts[0].lower() if parts[0].lower() in PRESETS else None
        if preset is not None:
            parts[0] = preset
        words: dict[str, str] = {}
        for part in parts[1:] if preset else parts:
            name, word = _option(part)
            if name in words:
                raise ValueError(f"presets: {item!r} says {name} twice; leave one out")
            words[name] = word
        options_of(None, {name: word for name, word in words.items() if name in TABLE})
        resolve(words.get("metrics", "all"))
        setting = Setting(":".join(parts), preset, words)
        if setting.name in found:
            raise ValueError(f"presets: {setting.name!r} appears twice; remove one")
        found[setting.name] = setting
    return list(found.values())


def _option(part: str) -> tuple[str, str]:
    """Return the option and the value that a part of a setting says."""
    name, equals, word = (side.strip() for side in part.partition("="))
    if equals:
        name = name.lower().replace("-", "_")
        known = ("metrics", *TABLE)
        if name not in known:
            hint = did_you_mean(name, known) or f"; choose from: {', '.join(known)}"
            raise ValueError(f"presets: unknown option {name!r}{hint}")
        if not word:
            raise ValueError(f"presets: {part!r} has no value; write {name}=WORD")
        return name, word
    # No figure depends on what is never signed.
    options = [
        name
        for name, option in TABLE.items()
        if part in option.choices and option.signed != "never"
    ]
    if len(options) > 1:
        ways = " or ".join(f"{name}={part}" for name in options)
        raise ValueError(f"presets: {part!r} is a value of several options; write {ways}")
    if not options:
        values = (word for option in TABLE.values() for word in option.choices)
        hint = did_you_mean(part, (*PRESETS, *values)) or f"; write {SPELLING}"
        problem = "is neither a preset, which comes first, nor a value of an option"
        raise ValueError(f"presets: {part!r} {problem}{hint}")
    return options[0], part


Name = tuple[str, str, str, str]
"""What identifies a row in its batch: corpus, system, preset and settings."""


@dataclass(frozen=True)
class ManifestRow:
    """One key and one response to score, one way.

    `number` counts the rows of the manifest from 1, `line` is the one on which it begins there.
    `key` and `response` as the manifest writes them, `key_path` and `response_path` from the folder
    of this process. `metrics` are names with commas between. Where a row is scored under several
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
    def name(self) -> Name:
        """What identifies the row."""
        return self.corpus, self.system, self.preset, self.settings

    @property
    def scheme(self) -> Scheme:
        """How it is scored."""
        return make_scheme(self.metrics, self.options)

    @property
    def settings(self) -> str:
        """The options that are not at their defaults, as `name=value`, with spaces between."""

        def quoted(value: str) -> str:
            is_plain = not re.search(r"[\s\"=]", value)
            return value if is_plain else json.dumps(value, ensure_ascii=False)

        chosen = self.options.chosen().items()
        return " ".join(f"{name}={quoted(str(word))}" for name, word in chosen if word is not None)


def read_manifest(
    path: str | os.PathLike[str],
    words: Mapping[str, Any] | None = None,
    presets: str | Iterable[str] | None = None,
    options: Options | None = None,
) -> list[ManifestRow]:
    """Read the rows of a manifest; every word in it is checked, but no file that it names is read.

    Args:
        path: The manifest; `-` is standard input.
        words: `OPTIONS` for all rows. What a row says overrides the manifest's `defaults`, and
            these override `words`; a preset counts as its settings written in its place, which the
            options beside it override.
        presets: The settings, as `settings_of` reads them, under each of which every row is scored
            that does not name its own: their presets count as all presets do, and their own words
            go before everything else.
        options: The options among the words in one record.

    Raises:
        ConllError: Something cannot be read or is unknown, or two rows of one corpus and system
            are scored alike, as nothing would tell their figures apart.
        OSError: The file cannot be opened.
        ModuleNotFoundError: The manifest is YAML, and there is no PyYAML.
        TypeError: There is no such option, or options are given both ways.
        ValueError: A word is unknown.
    """
    common = _resolved(_texts(words or {}, options))
    _checked(common)
    settings = [] if presets is None else settings_of(presets)
    _check_preset(common, settings)
    name = os.fspath(path)
    folder = "" if name == "-" else os.path.dirname(name)
    text = _read(name)
    name = "<stdin>" if name == "-" else name
    rows: list[ManifestRow] = []
    seen: dict[tuple[str, str, str, Options], ManifestRow] = {}
    read = _from_yaml if _is_yaml(name, text) else _from_csv
    for number, (line, cells) in enumerate(read(text, name), 1):
        try:
            for row in _rows(number, line, folder, common, _resolved(cells), settings):
                same = seen.setdefault((row.corpus, row.system, row.preset, row.options), row)
                if same is not row:
                    under = f" under {row.preset}" if row.preset else ""
                    names = f"corpus {row.corpus!r} and system {row.system!r}"
                    problem = f"{names} are already on line {same.line}, scored alike{under}"
                    advice = "give one of them another name in the columns corpus and system"
                    raise ValueError(f"{problem}; {advice}")
                rows.append(row)
        except ValueError as error:
            raise ConllError(name, line, str(error)) from None
    if not rows:
        problem = "the manifest has no rows; write a line for each key and response"
        raise ConllError(name, 0, problem)
    return rows


def _texts(words: Mapping[str, Any], options: Options | None) -> dict[str, str]:
    """Return the words that say something as text, and the options as words."""
    words = dict(words)
    for name in words:
        if name not in OPTIONS:
            raise unknown_option(name, OPTIONS)
    if options is not None:
        scoring = {name: word for name, word in words.items() if name == "preset" or name in TABLE}
        words |= options_of(options, scoring).chosen()
    texts: dict[str, str] = {}
    for name, value in words.items():
        try:
            if value:
                texts[name] = value if isinstance(value, str) else ",".join(value)
        except TypeError:
            problem = f"{name}: {value!r} is not a list of names; a manifest can hold only names"
            raise TypeError(problem) from None
    return texts


def _read(path: str) -> str:
    """Return the text of a manifest."""
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
    """Return whether the name of the file or, if that says nothing, its beginning is of YAML."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in {".yaml", ".yml", ".csv", ".tsv"}:
        return suffix[1] == "y"
    return text.lstrip().startswith(("-", "[", "{", "#", "defaults:", "rows:"))


def _rows(
    number: int,
    line: int,
    folder: str,
    common: dict[str, str],
    cells: dict[str, str],
    given: list[Setting],
) -> Iterator[ManifestRow]:
    """Yield the rows that a line makes, one for each setting.

    Args:
        number: Of the line's row in the manifest.
        line: Its number.
        folder: That of the manifest.
        common: What is said for all rows.
        cells: What the line says.
        given: The settings unless it names its own.

    Raises:
        ValueError: Something in the cells is wrong.
    """
    paths: list[str] = []
    for side in ("key", "response"):
        written = cells.get(side, "")
        if not written:
            raise ValueError(f"the row has no {side}; give the path of a file or a folder")
        if written == "-" or "\0" in written:
            raise ValueError(f"{side}: {written!r} is not the path of a file or a folder")
        local = os.path.join(folder, written.rstrip(os.sep) or os.sep)
        paths.append(written if is_url(written) else local)
    settings = settings_of(cells["presets"]) if "presets" in cells else given
    _check_preset(common | cells, settings)
    # A preset counts where it is named: in the row, or else before all that is given.
    below, above = (common, cells) if "presets" in cells else ({}, common | cells)
    for place, setting in enumerate(settings or [Setting("", None, {})]):
        words = below | PRESETS.get(setting.preset or "", {}) | above | setting.words
        metrics, options = _checked(words)
        yield ManifestRow(
            number,
            line,
            words.get("corpus") or name_of(paths[0]),
            words.get("system") or name_of(paths[1]),
            cells["key"],
            cells["response"],
            paths[0],
            paths[1],
            metrics,
            options,
            words.get("key_format"),
            words.get("response_format"),
            setting.name,
            place,
        )


def _check_preset(cells: Mapping[str, str], settings: list[Setting]) -> None:
    """Raise ValueError for a preset beside presets."""
    if settings and "preset" in cells:
        advice = "which name one each; leave out one of the two"
        raise ValueError(f"preset: {cells['preset']!r} cannot be combined with presets, {advice}")


def _resolved(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells with the options of their preset; ValueError when there is no such one."""
    others = {name: value for name, value in cells.items() if value and name != "preset"}
    preset = cells.get("preset")
    return settings_of_preset(preset, **others) | {"preset": preset} if preset else others


def _checked(cells: Mapping[str, str]) -> tuple[str, Options]:
    """Return the metrics and the options that these cells say; ValueError for an unknown word."""
    options = options_of(None, {name: cells[name] for name in TABLE if name in cells})
    metrics = ",".join(registry.split(cells.get("metrics", "all")))
    make_scheme(metrics, options)
    if options.documents is not None:
        try:
            compiled(options.documents)
        except ValueError as error:
            raise ValueError(f"documents: {error}") from None
    known = formats.names()
    for name in ("key_format", "response_format"):
        if cells.get(name, known[0]) not in known:
            hint = f"choose from: {', '.join(known)}{did_you_mean(cells[name], known)}"
            raise ValueError(f"{name}: unknown format {cells[name]!r}; {hint}")
    return metrics, options


def _columns(written: Iterable[str], known: Sequence[str] = COLUMNS) -> list[str]:
    """Return the columns of these names, which may have - for _.

    Raises:
        ValueError: There is no such column, or one appears twice.
    """
    columns: list[str] = []
    for heading in written:
        name = heading.strip().lower().replace("-", "_").replace(" ", "_")
        if name not in known:
            hint = did_you_mean(name, known) or f"; choose from: {', '.join(known)}"
            raise ValueError(f"unknown column {heading.strip()!r}{hint}")
        if name in columns:
            raise ValueError(f"the column {name!r} appears twice; remove one")
        columns.append(name)
    return columns


def _from_csv(text: str, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of each row of a table with commas, TABs or semicolons between."""
    heading = text.lstrip().partition("\n")[0]
    delimiter = max(",\t;", key=heading.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] = []
    line = 1
    try:
        for row in reader:
            cells = [unguarded(cell.strip()) for cell in row]
            if columns and any(cells):
                if len(cells) != len(columns):
                    counts = f"{pluralize(len(cells), 'cell')}, but the heading has {len(columns)}"
                    advice = "put a cell that holds a comma in quotes"
                    raise ValueError(f"the row has {counts}; {advice}")
                yield line, dict(zip(columns, cells))
            elif any(cells):
                columns = _columns(cells)
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConllError(path, line, f"the line is not CSV ({error}); check the quotes") from None
    except ValueError as error:
        raise ConllError(path, line, str(error)) from None


def _from_yaml(text: str, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of each row of YAML.

    Nodes know their lines, and scalars stay as they are written: a system may be called 1.10 or no.
    """
    try:
        import yaml
    except ModuleNotFoundError:
        advice = "pip install 'conll-scorer[yaml]', or write it as CSV"
        problem = f"{path}: a manifest in YAML needs PyYAML; {advice}"
        raise ModuleNotFoundError(problem) from None

    def refuse(node: Any, problem: str) -> NoReturn:
        raise ConllError(path, node.start_mark.line + 1 if node else 0, problem)

    def value(node: Any, name: str) -> str:
        if isinstance(node, yaml.SequenceNode) and name in {"metrics", "presets"}:
            return ",".join(value(word, f"one of {name}") for word in node.value)
        if not isinstance(node, yaml.ScalarNode):
            refuse(node, f"{name}: expected a value or a path")
        return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value).strip()

    def members(node: Any, known: Sequence[str]) -> dict[str, Any]:
        if not isinstance(node, yaml.MappingNode):
            refuse(node, "this is not a row; write key: and response:, each with a path")
        names = [value(name, "the name of a column") for name, _ in node.value]
        try:
            columns = _columns(names, known)
        except ValueError as error:
            refuse(node, str(error))
        return {name: member for name, (_, member) in zip(columns, node.value)}

    def cells(node: Any) -> dict[str, str]:
        return {name: value(member, name) for name, member in members(node, COLUMNS).items()}

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except RecursionError:
        raise ConllError(path, 0, "lists are nested too deeply in the file") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        line = mark.line + 1 if mark else 0
        raise ConllError(path, line, f"the file is not YAML ({reason})") from None
    defaults: dict[str, str] = {}
    if isinstance(root, yaml.MappingNode):
        parts = members(root, ("defaults", "rows"))
        defaults = cells(parts["defaults"]) if "defaults" in parts else {}
        root = parts.get("rows")
    if not isinstance(root, yaml.SequenceNode):
        refuse(root, "there is no list of rows; write one, each row with key: and response:")
    for node in root.value:
        yield node.start_mark.line + 1, defaults | cells(node)
