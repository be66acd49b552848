"""A manifest lists what to score: a key, a response and options in each row, as CSV or as YAML.

CSV has a heading. Its columns are `key` and `response`, `corpus` and `system`, and any option of
`scorer score` by its name; an empty cell sets nothing. YAML is a list of such rows, or `defaults:`
for all of them and `rows:`. Relative paths start in the manifest's folder.
"""

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from conll import formats
from conll.errors import ConllError, did_you_mean, pluralize
from conll.remote import fetched, is_url
from conll.source import standard_input
from scorer import registry
from scorer.inputs.sources import name_of
from scorer.options import TABLE, Options, compiled, options_of, unknown_option
from scorer.options import settings as settings_of_preset
from scorer.registry import make_scheme
from scorer.report.forms import unguarded
from scorer.scheme import Scheme

OPTIONS = ("preset", "metrics", *TABLE, "key_format", "response_format")
"""The settings that a row may have, or all rows together."""

COLUMNS = ("key", "response", "corpus", "system", *OPTIONS)
"""The columns of a manifest."""


def _options_in(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the options of the table."""
    return {name: value for name, value in words.items() if name in TABLE}


@dataclass(frozen=True)
class ManifestRow:
    """A key and a response to score.

    Attributes:
        number: The number of the row in the manifest, from 1.
        line: The line on which the row begins.
        corpus, system: The names of the corpus and of the system.
        key, response: The paths as the manifest has them.
        key_path, response_path: The paths from the folder of this process.
        metrics: The names of metrics, with commas between them.
        options: The options.
        key_format, response_format: The formats; detected by content if None.
        preset: The preset as it was written, if any.
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

    @property
    def label(self) -> str:
        """The name of the row as a task of a cluster."""
        return f"{self.corpus} {self.system}"

    @property
    def paths(self) -> tuple[str, str]:
        """The paths that are opened."""
        return self.key_path, self.response_path

    @property
    def scheme(self) -> Scheme:
        """The scheme by which the row is scored."""
        return make_scheme(self.metrics, self.options)

    @property
    def settings(self) -> str:
        """The options besides the preset, as `name=value`, with spaces between."""
        preset = settings_of_preset(self.preset) if self.preset else {}
        usual = vars(options_of(None, _options_in(preset)))
        chosen = vars(self.options).items()
        return " ".join(
            f"{name}={_quoted(str(value))}" for name, value in chosen if value != usual[name]
        )


def _quoted(value: str) -> str:
    """Return the value of an option, in quotes if it has spaces, quotes or signs of equality."""
    return json.dumps(value, ensure_ascii=False) if re.search(r"[\s\"=]", value) else value


def read_manifest(
    path: str | os.PathLike[str],
    words: Mapping[str, Any] | None = None,
    options: Options | None = None,
) -> list[ManifestRow]:
    """Read the rows of a manifest; all its values are checked, but no file that it names is read.

    Args:
        path: The path or URL of the manifest; `-` is standard input.
        words: `OPTIONS` for all rows. The cells of a row override the manifest's `defaults`, and
            these override `words`. A preset counts as its options, which the other options in the
            same row, defaults or words override.
        options: The options among the words in one record.

    Raises:
        ConllError: Something cannot be read or is unknown, or two rows of one corpus and system
            have the same preset and options, so that nothing would tell their figures apart.
        OSError: The file cannot be opened.
        ModuleNotFoundError: The manifest is YAML, and there is no PyYAML.
        TypeError: There is no such option, or options are given both ways.
        ValueError: A value is unknown.
    """
    common = _resolved(_texts(words or {}, options))
    _checked(common)
    name = os.fspath(path)
    folder = os.path.dirname(name)
    text = _read(name)
    if name == "-":
        name = "<stdin>"
    rows: list[ManifestRow] = []
    seen: dict[tuple[str, str, str, Options], ManifestRow] = {}
    read = _from_yaml if _is_yaml(name, text) else _from_csv
    for number, (line, cells) in enumerate(read(text, name), 1):
        try:
            row = _row(number, line, folder, common | _resolved(cells))
            same = seen.setdefault((row.corpus, row.system, row.preset, row.options), row)
            if same is not row:
                names = f"corpus {row.corpus!r} and system {row.system!r}"
                problem = f"{names} are already on line {same.line}, scored alike"
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
    """Return words and options as text; some words may be empty."""
    words = dict(words)
    for name in words:
        if name not in OPTIONS:
            raise unknown_option(name, OPTIONS)
    if options is not None:
        scoring = _options_in(words)
        if "preset" in words:
            scoring["preset"] = words["preset"]
        words |= options_of(options, scoring).chosen()
    texts: dict[str, str] = {}
    for name, value in words.items():
        try:
            if isinstance(value, str):
                texts[name] = value
            elif value:
                texts[name] = ",".join(value)
        except TypeError:
            problem = f"{name}: {value!r} is not a list of names; a manifest can hold only names"
            raise TypeError(problem) from None
    return texts


def _read(path: str) -> str:
    """Return the text of a manifest."""
    if path == "-":
        content = standard_input().read()
    elif is_url(path):
        content = b"".join(fetched(path))
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


def _row(number: int, line: int, folder: str, words: dict[str, str]) -> ManifestRow:
    """Return the row that a line describes.

    Args:
        number: The number of the row in the manifest.
        line: The number of the line.
        folder: The folder of the manifest.
        words: The cells of the row by their columns, and the options for all rows.

    Raises:
        ValueError: Something in the cells is wrong.
    """
    paths: list[str] = []
    for side in ("key", "response"):
        written = words.get(side, "")
        if not written:
            raise ValueError(f"the row has no {side}; give the path of a file or a folder")
        if written == "-" or "\0" in written:
            raise ValueError(f"{side}: {written!r} is not the path of a file or a folder")
        if is_url(written):
            paths.append(written)
        else:
            paths.append(os.path.join(folder, written.rstrip(os.sep) or os.sep))
    key_path, response_path = paths
    metrics, options = _checked(words)
    return ManifestRow(
        number=number,
        line=line,
        corpus=words.get("corpus") or name_of(key_path),
        system=words.get("system") or name_of(response_path),
        key=words["key"],
        response=words["response"],
        key_path=key_path,
        response_path=response_path,
        metrics=metrics,
        options=options,
        key_format=words.get("key_format"),
        response_format=words.get("response_format"),
        preset=words.get("preset", ""),
    )


def _resolved(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells that are not empty, with the options of their preset.

    Raises:
        ValueError: There is no such preset.
    """
    others = {name: value for name, value in cells.items() if value and name != "preset"}
    preset = cells.get("preset")
    return settings_of_preset(preset, **others) | {"preset": preset} if preset else others


def _checked(cells: Mapping[str, str]) -> tuple[str, Options]:
    """Return the metrics and the options of cells.

    Raises:
        ValueError: A value is unknown.
    """
    options = options_of(None, _options_in(cells))
    metrics = ",".join(registry.split(cells.get("metrics", "all")))
    make_scheme(metrics, options)
    if options.documents is not None:
        try:
            compiled(options.documents)
        except ValueError as error:
            raise ValueError(f"documents: {error}") from None
    known = formats.names()
    for name in ("key_format", "response_format"):
        if cells.get(name, known[0]).partition(":")[0] not in known:
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
        parts = _members_of(path, root, ("defaults", "rows"))
        if "defaults" in parts:
            defaults = _cells_of(path, parts["defaults"])
        root = parts.get("rows")
    if not isinstance(root, yaml.SequenceNode):
        problem = "there is no list of rows; write one, each row with key: and response:"
        raise _node_error(path, root, problem)
    for node in root.value:
        yield node.start_mark.line + 1, defaults | _cells_of(path, node)


def _node_error(path: str, node: Any, problem: str) -> ConllError:
    """Return an error about a node, or about the file if there is no node."""
    return ConllError(path, node.start_mark.line + 1 if node else 0, problem)


def _cells_of(path: str, node: Any) -> dict[str, str]:
    """Return the cells of a row, by their columns."""
    members = _members_of(path, node, COLUMNS)
    return {name: _value_of(path, member, name) for name, member in members.items()}


def _members_of(path: str, node: Any, known: Sequence[str]) -> dict[str, Any]:
    """Return the nodes of an object by their names, all of which are known."""
    if node.id != "mapping":
        problem = "this is not a row; write key: and response:, each with a path"
        raise _node_error(path, node, problem)
    names = [_value_of(path, name, "the name of a column") for name, _ in node.value]
    try:
        columns = _columns(names, known)
    except ValueError as error:
        raise _node_error(path, node, str(error)) from None
    return {name: member for name, (_, member) in zip(columns, node.value)}


def _value_of(path: str, node: Any, name: str) -> str:
    """Return the text of a node; a list of metrics gets commas."""
    if node.id == "sequence" and name == "metrics":
        return ",".join(_value_of(path, member, f"one of {name}") for member in node.value)
    if node.id != "scalar":
        raise _node_error(path, node, f"{name}: expected a value or a path")
    return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value).strip()
