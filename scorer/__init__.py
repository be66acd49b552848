"""Scores coreference: reference 8.01's figures, from Python."""
