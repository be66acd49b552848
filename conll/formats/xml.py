"""Mentions as elements: `<mention entity="1">Ada</mention>`; `id` or `cluster` is read as `entity` is."""

from __future__ import annotations

from conll.formats._markup import format_of

FORMAT = format_of("xml")
