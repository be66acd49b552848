"""What formats built like CoNLL-U share: words, empty nodes, and sentences."""
