"""Processes that work for this one: how they begin and end, and how work is shared among them."""
