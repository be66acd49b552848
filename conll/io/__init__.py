"""Bytes from anywhere, and atomically back: files, streams, directories, archives, URLs."""
