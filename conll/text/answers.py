"""The text of a document in what a language model answered.

A model may think first, write its answer in a fence, repeat the text that it was given, write a
draft and correct it, refuse, or write about something else. Of several copies of a text the one is
read that carries marks and has most words of the key, of equally good ones the last.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from conll.errors import pluralize
from conll.text.alignment import plain_words
from conll.text.marked import ZERO, Marked, Part, Repairs, text_form

Block = list[Part]
"""Lines of an answer: those of a fence, or all outside of fences."""

FENCE = "```"

WORDS_SHOWN = 4
"""The words of an unread draft that are shown."""

WINDOW = "[MID]"
"""The line between two windows of a text."""

_INLINE_FENCE = re.compile(r"\s*```([^`]+)```\s*")
_THINKING = re.compile(r"(</?think(?:ing)?>)", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return an answer without the thoughts in `<think>`, but with their line breaks.

    Where only the end of a thought is marked, it begins with the answer: some models are given the
    beginning. A thought without an end goes on to the end of the answer.

    Examples:
        >>> without_thoughts("<think>Ada?</think>[Ada](#1) ran")
        '[Ada](#1) ran'
    """
    kept: list[str] = []
    is_thought = False
    for piece in _THINKING.split(text):
        is_tag = _THINKING.fullmatch(piece) is not None
        if is_tag and piece.startswith("</"):
            if not is_thought:
                # Only the end of this thought is marked, so that all before it is a thought.
                kept = [_line_breaks("".join(kept))]
            is_thought = False
        elif is_tag:
            is_thought = True
        else:
            kept.append(_line_breaks(piece) if is_thought else piece)
    return "".join(kept)


def _line_breaks(text: str) -> str:
    return "\n" * text.count("\n")


class Blocks(NamedTuple):
    """The parts of an answer: the lines outside of fences, which may be blank, and each fence."""

    outside: Block
    fences: list[Block]

    def written(self) -> list[Block]:
        """List the blocks, without a blank one outside of fences."""
        has_words = any(part.text.strip() for part in self.outside)
        if self.fences and not has_words:
            return self.fences
        return [self.outside, *self.fences]


def blocks_of(text: str) -> Blocks:
    r"""Split an answer at its fences.

    Examples:
        >>> blocks_of("Here:\n```\n[Ada](#1) ran\n```").fences
        [[Part(line=3, text='[Ada](#1) ran')]]
    """
    blocks = Blocks([], [])
    is_fenced = False
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        inline = _INLINE_FENCE.fullmatch(line)
        if inline and not is_fenced:
            blocks.fences.append([Part(number, inline[1])])
        elif line.lstrip(" \t").startswith(FENCE):
            is_fenced = not is_fenced
            if is_fenced:
                blocks.fences.append([])
        elif is_fenced:
            blocks.fences[-1].append(Part(number, line))
        else:
            blocks.outside.append(Part(number, line))
    return blocks


def join_lines(block: Block) -> Part:
    """Return the lines of a block as one text."""
    if not block:
        return Part(1, "")
    return Part(block[0].line, "\n".join(part.text for part in block))


def merge_blocks(blocks: list[list[Marked]], documents: int | None) -> list[Marked]:
    """Return a text for each document of an answer, with its copies.

    Args:
        blocks: The texts of each block.
        documents: How many there should be; None for any number.
    """
    all_texts = list(chain.from_iterable(blocks))
    if documents == 1 and all_texts:
        return [merge_copies(all_texts)]
    complete = [block for block in blocks if len(block) == documents]
    if not complete:
        return all_texts
    return [merge_copies(copies) for copies in zip(*complete)]


def merge_copies(copies: Sequence[Marked]) -> Marked:
    """Return a text with its copies; before the key is known, it is the last one with marks."""
    if len(copies) == 1:
        return copies[0]
    chosen = copies[-1]
    for text in reversed(copies):
        if text.mentions:
            chosen = text
            break
    return replace(chosen, copies=list(copies))


def join_windows(windows: Sequence[Marked]) -> Marked:
    """Return the text of which these are the windows; their ids are local to each of them."""
    if len(windows) == 1:
        return windows[0]
    # Where there is null, nothing is known of the text.
    first = next((window for window in windows if not window.is_null), windows[0])
    whole = replace(first, mentions=[], repairs=Repairs(), copies=[], windows=list(windows))
    words: list[str] = []
    for number, window in enumerate(windows, 1):
        for (first, last), label in window.mentions:
            moved = first + len(words), last + len(words)
            whole.mentions.append((moved, f"{number}:{label}"))
        whole.repairs.extend(window.repairs.moved(len(words)))
        words += window.words()
    whole.sentences = [words]
    return whole


SAMPLES = 300
"""The most runs of letters that are looked for."""

SHORTEST = 4
"""The fewest letters of a run."""

FEW = 24
"""In so few letters, a changed word may leave no run."""


class KeyText:
    """The words of a key, among which those of texts are found.

    Args:
        words: The words of the key.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = plain_words([text_form(word) for word in words])
        self._letters = letters_of(self._words)
        self._amounts = Counter(self._words)

    def is_about(self, text: Marked) -> bool:
        """Return whether a text is that of the key, perhaps changed or cut off.

        Half of the words of either side are found on the other one, and a quarter of its runs of
        letters, each as long as two words: different texts of a language share half of their words,
        but hardly any runs. Half of the runs are enough, as in a language without spaces. Where
        only mentions are known, half of them are found.
        """
        if text.is_null:
            return False
        if text.sentences is None:
            return 2 * self._count_known_mentions(text) >= len(text.mentions)
        words = plain_words([word for word in text.words() if not word.startswith(ZERO)])
        letters = letters_of(words)
        if not letters or not self._letters:
            return True
        shared_runs = self._shared_runs(letters)
        if shared_runs >= 1 / 2:
            return True
        if shared_runs < 1 / 4 and min(len(letters), len(self._letters)) > FEW:
            return False
        shared_words = (Counter(words) & self._amounts).total()
        return 2 * shared_words >= min(len(words), len(self._words))

    def _shared_runs(self, letters: str) -> float:
        """Return the share of the runs of the shorter side that the other one has, too."""
        shorter, longer = sorted((letters, self._letters), key=len)
        size = max(SHORTEST, round(2 * len(self._letters) / len(self._words)))
        last_start = max(0, len(shorter) - size)
        starts = range(0, last_start + 1, last_start // SAMPLES + 1)
        shared = sum(shorter[start : start + size] in longer for start in starts)
        return shared / len(starts)

    def fault(self, text: Marked) -> str:
        """Return why a text is not about the key."""
        if text.is_null:
            return "there is null in place of a text"
        if text.sentences is None:
            total = pluralize(len(text.mentions), "mention")
            known = self._count_known_mentions(text)
        else:
            total = pluralize(len(text.words()), "word")
            known = self._count_known_words(text)
        return f"this is not the text of the key, where {known} of {total} are found"

    def _count_known_mentions(self, text: Marked) -> int:
        """Return how many mentions are no text, or text that the key has."""
        texts = [mention if isinstance(mention, str) else "" for mention, _ in text.mentions]
        return sum(letters_of(plain_words(each.split())) in self._letters for each in texts)

    def _count_known_words(self, text: Marked) -> int:
        """Return how many words of a text the key has, too."""
        return (Counter(plain_words(text.words())) & self._amounts).total()

    def choose(self, text: Marked) -> Marked:
        """Return the best copy of a text, and of each of its windows.

        Its repairs name other copies that carry marks.
        """
        copies = list(chain.from_iterable(map(self._copies_in, text.copies or [text])))
        best, drafts = self._best_of(copies)
        if best.windows:
            best = join_windows([self.choose(window) for window in best.windows])
        chosen = replace(best, name=text.name, repairs=Repairs(best.repairs))
        for draft in drafts:
            beginning = " ".join(draft.words()[:WORDS_SHOWN])
            chosen.repairs.note("unread draft", f"{beginning!r} … from line {draft.line} on")
        return chosen

    def _best_of(self, copies: Sequence[Marked]) -> tuple[Marked, list[Marked]]:
        """Return the best copy of a text, of equally good ones the last, and others with marks."""
        if len(copies) == 1:
            return copies[0], []
        about = list(map(self.is_about, copies))

        def merit(number: int) -> tuple[bool, bool, int, int]:
            copy = copies[number]
            return about[number], bool(copy.mentions), self._count_known_words(copy), number

        best = max(range(len(copies)), key=merit)
        others = (number for number in range(len(copies)) if number != best and about[number])
        return copies[best], [copies[number] for number in others if copies[number].mentions]

    def _copies_in(self, text: Marked) -> list[Marked]:
        """Divide a text where it begins again, which is where it goes back by half of the key."""
        words = text.words()
        if text.sentences is None or text.windows or len(words) <= len(self._words):
            return [text]
        key_runs = _runs_of_three(self._words)
        amounts = Counter(key_runs)
        # Only runs that occur once in the key tell where in the key a word of the text is.
        key_starts = {run: start for start, run in enumerate(key_runs) if amounts[run] == 1}
        starts = [0]
        last_key_start = last_end = 0
        for number, run in enumerate(_runs_of_three(plain_words(words))):
            key_start = key_starts.get(run)
            if key_start is None:
                continue
            if last_key_start - key_start > len(self._words) / 2:
                starts.append(max(number - key_start, last_end))
            last_key_start, last_end = key_start, number + len(run)
        return text.parts(starts)


def letters_of(words: Sequence[str]) -> str:
    """Return the plain letters of words, which are the same however the words are cut.

    Examples:
        >>> letters_of(["New_York", "'s", "café"])
        'NewYorkscafe'
    """
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFD", "".join(words)))


def _runs_of_three(words: list[str]) -> list[tuple[str, str, str]]:
    return list(zip(words, words[1:], words[2:]))
