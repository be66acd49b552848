"""Check files, and count what is in them."""
