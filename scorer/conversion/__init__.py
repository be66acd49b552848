"""Write documents in another format."""
