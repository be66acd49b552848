"""Whole files and corpora, in one process or many: what is read, who counts it, and what is kept."""
