"""Reports of results: one file for each kind of result."""
