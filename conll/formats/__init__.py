"""The input formats, one a file."""
