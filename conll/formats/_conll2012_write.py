"""The columns of CoNLL-2012 beside the brackets, and documents written as CoNLL-2012."""

from collections.abc import Callable
from itertools import chain, islice, zip_longest
from typing import Any

from conll.brackets import CrossingError, lay_out
from conll.columns import separator_of, word_column
from conll.document import PLACEHOLDER, Document, Layers, Name, Words, names_in
from conll.errors import pluralize, shorten
from conll.formats import ids_for, refusal, spans_of


def text_of(
    document: Document, *, holds_label: Callable[[str], bool], holds_word: Callable[[str], bool]
) -> bytes:
    """Return a document, from its first to its last line.

    Args:
        document: The document.
        holds_label: Returns whether a cluster may have a given id.
        holds_word: Returns whether a line can hold a given word.

    Raises:
        ConllError: The format cannot hold it.
    """
    name = document.name
    try:
        brackets = lay_out(spans_of(document, "conll2012"), ids_for(document, holds_label))
    except CrossingError as error:
        raise refusal(document, "conll2012", str(error)) from None
    if "\n" in name or name.endswith("\r"):
        raise refusal(document, "conll2012", "its name holds a line break")
    sentences = _sentences(document, brackets)
    first_columns = _first_columns(name)
    middle_columns = _middle_columns(document, sum(map(len, sentences)))
    lines = [f"#begin document {name}"]
    token = 0
    for sentence in sentences:
        for number, word in enumerate(sentence):
            if not holds_word(word):
                problem = "holds a TAB, a line break or the end of a document"
                raise refusal(document, "conll2012", f"the word {shorten(word)} {problem}")
            cell = brackets.get(token, "-")
            lines.append(f"{first_columns}\t{number}\t{word}{middle_columns[token]}\t{cell}")
            token += 1
        lines.append("")
    lines.append("#end document\n")
    try:
        return "\n".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
        raise refusal(document, "conll2012", problem) from None


def _sentences(document: Document, brackets: dict[int, str]) -> Words:
    """Return the words of the document, or placeholders for them.

    Raises:
        ConllError: A mention ends after the last word.
    """
    last = max(brackets, default=-1)
    placeholders = [[PLACEHOLDER] * document.length()]
    sentences = placeholders if document.words is None else document.words
    tokens = sum(map(len, sentences))
    if last >= tokens:
        problem = f"its mentions go from token {min(brackets)} to {last}, but it has "
        problem += f"{pluralize(tokens, 'token')}, counted from 0"
        raise refusal(document, "conll2012", problem)
    return sentences


def _middle_columns(document: Document, tokens: int) -> list[str]:
    """Return the columns between word and mentions of each token, with a TAB before each column."""
    columns: dict[int, list[str]] = {}
    for field in document.fields:
        numbered_cells = cells_of(document, field)
        if numbered_cells is not None:
            column, cells = numbered_cells
            columns[column] = cells
    rows = [""] * tokens
    for column in range(BEFORE, max(columns, default=0) + 1):
        empty = "*" if column in STARRED or column >= BEFORE + len(COLUMNS) else "-"
        cells = columns.get(column) or [""] * tokens
        rows = [f"{row}\t{cell or empty}" for row, cell in zip(rows, cells)]
    return rows


def _first_columns(name: str) -> str:
    """Return the columns of document and part, from `(bc/cctv/00/cctv_0000); part 000`.

    Of any other name they are the name and part 0.
    """
    identifier, separator, part = name.removeprefix("(").partition("); part ")
    if not separator or not (part.isascii() and part.isdigit()):
        identifier, part = name, "0"
    if identifier.split() != [identifier]:
        identifier = "-"
    return f"{identifier}\t{part.lstrip('0') or '0'}"


COLUMNS = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "name")
"""The columns after the word, in their order (Pradhan et al., CoNLL 2012, table 2); then come the
arguments of predicates."""

BEFORE = 4
"""The number of columns before these: document, part, number, word."""

STARRED = (BEFORE + COLUMNS.index("parse"), BEFORE + COLUMNS.index("name"))
"""Those, from 0, in which `*` is an empty cell; it is in the arguments of predicates, too."""

NOTHING = (b"-", b"*", b"_")
"""Cells without a value."""


def layers(body: bytes, sentences: Words) -> Layers:
    """Return the layers of the document between these lines.

    There are none where a line has too few columns for all of them.
    """
    columns = {name: cells for name, cells in _columns(body)[0].items() if name in COLUMNS}
    return Layers(sentences, columns, names=names_in(columns.get("name", ())))


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the columns by their names, in the shape of the sentences, and `names`."""
    columns, lengths = _columns(body)
    name_cells = columns.pop("name", None)
    fields: dict[str, Any] = {}
    for column, cells in columns.items():
        remaining = iter(cells)
        fields[column] = [list(islice(remaining, length)) for length in lengths]
    if name_cells:
        # A field called `name` would be that of the document.
        fields["names"] = [list(name) for name in names_in(name_cells)]
    return fields


def _columns(body: bytes) -> tuple[dict[str, list[str]], list[int]]:
    """Read the columns between the words and the mentions that say something.

    Further columns, and all where a line has too few of them, are called `column_N`, counted from
    1.

    Returns:
        The cells of all tokens by the name of their column, empty where they say nothing; and the
        number of tokens of each sentence.
    """
    separator = separator_of(body)
    lines = body.split(b"\n")
    words = word_column(lines, separator)
    # Where no column has words, the columns are numbered as if the fourth had.
    first = BEFORE if words is None else words + 1
    rows: list[list[bytes]] = []
    lengths = [0]
    for line in lines:
        if line and not line.isspace():
            rows.append(line.rstrip(b"\t").split(separator)[first:-1])
            lengths[-1] += 1
        elif lengths[-1]:
            lengths.append(0)
    is_standard = first == BEFORE and min(map(len, rows), default=0) >= len(COLUMNS)
    named = COLUMNS if is_standard else ()
    columns: dict[str, list[str]] = {}
    for number, cells in enumerate(zip_longest(*rows, fillvalue=b"")):
        texts = {cell: cell.decode("utf-8", "surrogateescape") for cell in set(cells)}
        texts |= dict.fromkeys(NOTHING, "")
        # Most columns of most files say nothing, which is quick to see.
        if any(texts.values()):
            name = named[number] if number < len(named) else f"column_{first + number + 1}"
            columns[name] = [texts[cell] for cell in cells]
    return columns, [length for length in lengths if length]


def cells_of(document: Document, field: str) -> tuple[int, list[str]] | None:
    """Return the column of a field, from 0, and its cells, each a text for a token or empty.

    Returns:
        None where the field is not a column.
    """
    content, tokens = document.fields.get(field), document.length()
    if field == "names":
        name_cells = _name_cells(content, tokens)
        return None if name_cells is None else (BEFORE + COLUMNS.index("name"), name_cells)
    number = field.removeprefix("column_")
    if field in COLUMNS:
        column = BEFORE + COLUMNS.index(field)
    elif number != field and number.isdecimal() and len(number) < 4 and int(number) > BEFORE:
        column = int(number) - 1
    else:
        return None
    if type(content) is not list or {type(part) for part in content} != {list}:
        return None
    cells = list(chain.from_iterable(content))
    if len(cells) != tokens or not all(_is_cell(cell) for cell in cells):
        return None
    return column, cells


def _is_cell(cell: Any) -> bool:
    """Return whether a value is a text without white space; an empty text is one, too."""
    return type(cell) is str and len(cell.split()) == bool(cell)


def _name_cells(names: Any, tokens: int) -> list[str] | None:
    """Return the cells of named entities, as `names_in` reads them; None where it would not."""
    if type(names) is not list:
        return None
    read: list[Name] = []
    for name in names:
        if type(name) is not list or [type(part) for part in name] != [int, int, str]:
            return None
        first, last, label = name
        if not 0 <= first <= last < tokens:
            return None
        read.append((first, last, label))
    read.sort(key=lambda name: (name[0], -name[1]))
    starts, ends = [""] * tokens, [""] * tokens
    for first, last, label in read:
        starts[first] += f"({label}"
        ends[last] += ")"
    cells = [f"{start}*{end}" if start or end else "" for start, end in zip(starts, ends)]
    return cells if names_in(cells) == read else None
