"""What tests ask about documents of sources."""


def lines_of(document, tokens):
    """Return the lines of those tokens that a document has."""
    return {token: document.line_of(token) for token in tokens if token < document.length()}
