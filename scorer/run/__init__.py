"""Whole files and corpora, scored in one process or in many."""
