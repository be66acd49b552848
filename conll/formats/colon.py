"""Mentions in brackets with the id at their end: `[Ada: e1]` (arXiv 2401.17922)."""

from __future__ import annotations

from conll.formats._markup import format_of

FORMAT = format_of("colon")
