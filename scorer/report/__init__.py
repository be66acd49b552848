"""The reports, one a file: each turns an evaluation into text."""
