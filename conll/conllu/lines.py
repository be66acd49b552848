"""What a line of CoNLL-U is."""

from __future__ import annotations

import re

LastColumns = tuple[list[int], list[int], list[str]]
"""A line each, the node that it is, and the text of its last column."""

Declaration = tuple[int, int, str]
"""A line `# global.`: the first line of its sentence, from which on it holds, its own line, and its text."""

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in CoNLL-2012."""

RANGE = re.compile(r"\d+-\d+")
"""The id of a multi-word token."""
