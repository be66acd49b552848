"""Resampling and significance tests: numbers only."""
