"""Pair and count labelled spans of key and response, and count the reports of MUC-7."""
