"""Mentions as links: `[Ada](#e1)`, nested `[[Ada](#e1)'s dog](#e2)` (Le and Ritter 2023, arXiv 2305.14489)."""

from __future__ import annotations

from conll.formats._markup import format_of

FORMAT = format_of("markdown")
