"""The nodes of a large CoNLL-U document, from its bytes as arrays: what `nodes.Nodes` does sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conll.conllu.lines import RANGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conll.conllu.lines import Declaration, LastColumns
    from conll.syntax import Token


class Arranged(NamedTuple):
    """The values of the attributes of `Nodes` with these names."""

    at: list[int]
    tokens: list[Token]
    starts: list[int]
    zeros: dict[str, str]
    declarations: list[Declaration]
    words: int
    last_columns: LastColumns


def arranged(body: bytes, word: str) -> Arranged | None:
    """The nodes of a document of ten columns whose words are numbered from 1; `word` is looked for in the last column.

    None when anything about it is unusual, right or wrong: it must then be read line by line.
    """
    if body[-1:] != b"\n":
        return None
    characters = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    begins = np.concatenate([[0], ends[:-1] + 1])
    tabs = np.flatnonzero(characters == ord("\t"))
    is_empty, is_comment = (characters[begins] == ord(sign) for sign in "\n#")
    [rows] = np.nonzero(~is_empty & ~is_comment)
    tab = np.searchsorted(tabs, begins)
    declarations = _declarations(body, characters, begins[is_comment], np.flatnonzero(is_comment))
    late = len(rows) and declarations and (declarations[-1][1] > rows[0] or is_empty[: rows[0]].any())
    if late or not len(rows) or (np.diff(tab, append=len(tabs))[rows] != 9).any():
        return None
    begin = begins[rows]
    length = tabs[tab[rows]] - begin
    # A digit is 0 to 9 here and any other character more, as these numbers have no sign.
    digits = (characters[begin + np.maximum(length - place, 0)] - np.uint8(ord("0")) for place in (1, 2, 3))
    ones, tens, hundreds = (digit.astype(np.int64) for digit in digits)
    is_word = (length > 0) & (length < 4) & (ones < 10) & (characters[begin] > ord("0"))
    is_word &= ((length < 2) | (tens < 10)) & ((length < 3) | (hundreds < 10))
    number = ones + np.where(length > 1, tens, 0) * 10 + np.where(length > 2, hundreds, 0) * 100
    sentence = np.cumsum(is_empty)[rows]
    is_first = np.diff(sentence, prepend=-1) != 0
    words = np.cumsum(is_word)
    starts = (words - is_word)[is_first]
    of_sentence = np.cumsum(is_first) - 1
    expected = words - starts[of_sentence]
    if (number != expected)[is_word].any():
        return None
    [others] = np.nonzero(~is_word)
    dependencies = tab[rows[others]] + 7
    columns = (
        others,
        begin[others],
        length[others],
        of_sentence[others],
        expected[others],
        tabs[dependencies],
        tabs[dependencies + 1],
    )
    zeros: dict[str, str] = {}
    places: list[int] = []
    for row, here, size, number_of, last, after, stop in zip(*(column.tolist() for column in columns)):
        ident = body[here : here + size].decode()
        if "." in ident:
            before, _, place = ident.partition(".")
            zero = f"{number_of}:{ident}"
            if before != str(last) or not place.isdecimal() or len(place) > 9 or zero in zeros:
                return None
            zeros[zero] = body[after + 1 : stop].decode()
            places.append(row)
        elif not RANGE.fullmatch(ident):
            return None
    is_node = is_word
    is_node[places] = True
    at = np.full(len(begins), -1)
    at[rows[is_node]] = np.arange(np.count_nonzero(is_node))
    tokens: list[Token] = (words[is_node] - 1).tolist()
    for node, zero in zip(at[rows[places]].tolist(), zeros):
        tokens[node] = zero
    last = tabs[tab[rows] + 8] + 1
    size = ends[rows] - last
    # SpaceAfter=No is by far the most common content.
    [held] = np.nonzero(is_node & (size > len(word)) & ((characters[last] != ord("S")) | (size > len(word) + len("SpaceAfter="))))
    texts = [body[begin:end].decode() for begin, end in zip(last[held].tolist(), ends[rows[held]].tolist())]
    last_columns = rows[held].tolist(), at[rows[held]].tolist(), texts
    return Arranged(at.tolist(), tokens, starts.tolist(), zeros, declarations, int(words[-1]), last_columns)


def _declarations(
    body: bytes, characters: NDArray[np.uint8], begins: NDArray[np.int64], comments: NDArray[np.int64]
) -> list[Declaration]:
    """Those of the comments that declare something, as in the first sentence; told by one letter at first, as comments are many."""
    may = characters[np.minimum(begins + 2, len(characters) - 1)] == ord("g")
    texts = (body[begin : body.find(b"\n", begin)].decode() for begin in begins[may].tolist())
    return [(0, line, text) for line, text in zip(comments[may].tolist(), texts) if text.startswith("# global.")]
