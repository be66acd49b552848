"""Score the rows of a manifest, and compare runs of it."""
