"""Texts of language models: their dialects, and how they are aligned to the key."""
